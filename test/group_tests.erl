%% Groups of proto2, the known ones.
-module(group_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, int/2, group/2]).

defs() ->
    schema_terms:proto2([
        {msg, 'M', [{'G', 1, {group, 'M.G'}}, {y, 5, int32}, {'R', 6, {group, 'M.R'}, repeated}]},
        {group, 'M.G', [{a, 2, int32}, {'H', 3, {group, 'M.G.H'}, repeated}]},
        {group, 'M.G.H', [{b, 4, int32}]},
        {group, 'M.R', [{c, 1, {msg, 'M'}}, {'R', 6, {group, 'M.R'}}]},
        {msg, 'N', [{g, 100000, {group, 'N.G'}}]},
        {group, 'N.G', []}
    ]).

roundtrip_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertEqual({iolist_to_binary(Wire), Record}, codec:roundtrip(Record)) end}
     || {Title, Wire, Record} <- [
            {"empty", hex("0b 0c"), {'M', {'M.G', undefined, []}, undefined, []}},
            {"with a field", hex("0b 10 01 0c 28 07"), {'M', {'M.G', 1, []}, 7, []}},
            {"repeated", [group(6, []), group(6, [])],
                {'M', undefined, undefined, [{'M.R', undefined, undefined}, {'M.R', undefined, undefined}]}},
            {"of the same number in one another", group(6, group(6, group(6, []))),
                {'M', undefined, undefined, [{'M.R', undefined, {'M.R', undefined, {'M.R', undefined, undefined}}}]}},
            {"around a message with groups", group(6, wire_bytes:len(1, hex("0b 0c"))),
                {'M', undefined, undefined, [{'M.R', {'M', {'M.G', undefined, []}, undefined, []}, undefined}]}},
            {"of a large number", group(100000, []), {'N', {'N.G'}}}
        ]
    ]}.

given_twice_test() ->
    codec:load(defs()),
    ?assertEqual(
        {'M', {'M.G', 1, [{'M.G.H', 2}, {'M.G.H', 3}]}, 7, []},
        codec:decode(hex("0b 10 01 1b 20 02 1c 0c 0b 1b 20 03 1c 0c 28 07"), 'M')
    ).

refused_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertMatch({decode_error, _}, codec:decode_error(Wire, 'M')) end}
     || {Title, Wire} <- [
            {"without an end", hex("0b 10 01")},
            {"with the end of another", hex("0b 10 01 34")},
            {"with the end of an inner one only", hex("0b 1b 1c")},
            {"with ends crossed", hex("0b 1b 0c 1c")},
            {"with an end too many", hex("0b 0c 0c")},
            {"cut inside a field", hex("0b 10 80 0c")},
            {"a message inside that ends before its group", group(6, wire_bytes:len(1, hex("0b")))},
            {"an end inside a message inside", group(6, wire_bytes:len(1, hex("34")))}
        ]
    ]}.

%% A group as a length-delimited field is another wire type, so unknown.
as_length_delimited_test() ->
    codec:load(defs()),
    ?assertEqual({'M', undefined, 7, []}, codec:decode([wire_bytes:len(1, int(2, 1)), int(5, 7)], 'M')).

%% A group is decoded and encoded by its own name too, as the messages are.
on_its_own_test() ->
    codec:load(defs()),
    ?assertEqual({'M.G', 5, []}, codec:decode(int(2, 5), 'M.G')),
    ?assertEqual(int(2, 5), codec:encode({'M.G', 5, []})).
