%% Tags: a known number with another wire type is unknown; numbers and wire types that do not exist are errors.
-module(wire_type_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, fixed32/2, fixed64/2, group/2, padded_varint/2]).

fields() ->
    [
        {i, 1, int32},
        {f32, 2, fixed32},
        {f64, 3, double},
        {s, 4, string},
        {m, 5, {msg, 'S'}},
        {e, 6, {enum, 'E'}},
        {b, 7, bool},
        {mp, 8, {map, int32, int32}},
        {r, 9, {msg, 'S'}, repeated},
        {oneof, o, [{oi, 10, int32}, {om, 11, {msg, 'S'}}]},
        {y, 12, int32}
    ].

defs(Unknown) ->
    schema_terms:proto3([
        {msg, 'M', fields() ++ Unknown},
        {msg, 'S', [{a, 1, int32}]},
        {msg, 'Empty', []},
        {enum, 'E', [{'A', 0}]}
    ]).

empty() -> {'M', 0, 0, 0.0, <<>>, undefined, 'A', false, [], [], undefined, 0}.

%% The wire type of each field's own, by number.
own_type(Number) when Number =:= 1; Number =:= 6; Number =:= 7; Number =:= 10; Number =:= 12 -> 0;
own_type(3) -> 1;
own_type(2) -> 5;
own_type(_) -> 2.

%% Every field with every other wire type is skipped, and what follows is read.
every_other_wire_type_test() ->
    codec:load(defs([])),
    [
        ?assertEqual({Number, setelement(12, empty(), 7)}, {Number, codec:decode([Wire, int(12, 7)], 'M')})
     || {Number, _, Wire} <- mismatches()
    ].

every_other_wire_type_is_kept_test() ->
    codec:load(defs([unknown])),
    [
        begin
            Record = codec:decode([Wire, int(12, 7)], 'M'),
            ?assertEqual(list_to_tuple(tuple_to_list(setelement(12, empty(), 7)) ++ [[Kept]]), Record),
            ?assertEqual(iolist_to_binary([int(12, 7), Wire]), codec:encode(Record))
        end
     || {_, Kept, Wire} <- mismatches()
    ].

mismatches() ->
    [
        {Number, Kept, Wire}
     || Number <- lists:seq(1, 11),
        {Type, Kept, Wire} <- [
            {0, {varint, Number, 5}, int(Number, 5)},
            {1, {fixed64, Number, 5}, fixed64(Number, 5)},
            {2, {length_delimited, Number, <<1, 2>>}, len(Number, [1, 2])},
            {3, {group, Number, [{varint, 1, 1}]}, group(Number, int(1, 1))},
            {5, {fixed32, Number, 5}, fixed32(Number, 5)}
        ],
        Type =/= own_type(Number)
    ].

skipped_test_() ->
    {setup, fun() -> codec:load(defs([])) end, [
        {Title, fun() -> ?assertEqual(setelement(12, empty(), 7), codec:decode([Wire, int(12, 7)], 'M')) end}
     || {Title, Wire} <- [
            {"a message field as varint", hex("28 02")},
            {"a scalar field as an empty group", hex("0b 0c")},
            {"a group with everything in it",
                group(13, [int(1, 1), fixed32(2, 1), fixed64(3, 1), len(4, "x"), group(5, [])])},
            {"a group whose fields have the numbers of known ones", group(1, [int(12, 9), int(1, 9)])},
            {"a group inside a group of the same number", hex("7b 7b 7c 7c")},
            {"groups of the same number three deep, twice", hex("7b 7b 7b 7c 7c 7b 7c 7c")},
            {"the largest field number", int(536870911, 1)},
            {"a number beyond those of the table", int(13, 1)},
            {"a longer tag", [padded_varint(13 * 8, 5), 1]}
        ]
    ]}.

unknown_group_in_a_message_without_fields_test() ->
    codec:load(defs([])),
    ?assertEqual({'Empty'}, codec:decode(hex("0b 0c"), 'Empty')),
    ?assertEqual({'Empty'}, codec:decode([int(1, 1), len(2, "x"), fixed32(3, 1), fixed64(4, 1)], 'Empty')),
    ?assertEqual(<<>>, codec:encode({'Empty'})).

refused_test_() ->
    {setup, fun() -> codec:load(defs([])) end, [
        {lists:concat([Title, ", ", Name]), fun() ->
            ?assertMatch({decode_error, _}, codec:decode_error(Wire, Name))
        end}
     || {Title, Wire} <- [
            {"field number 0", hex("00 01 60 05")},
            {"field number 0, length-delimited", hex("02 01 41")},
            {"field number 0, fixed32", hex("05 00 00 00 00")},
            {"field number 0, fixed64", hex("01 00 00 00 00 00 00 00 00")},
            {"field number 0, a group", hex("03 04")},
            {"field number 0 in a longer tag", hex("80 00 01")},
            {"field number 0 in a group", hex("7b 00 01 7c")},
            {"a tag beyond 32 bits", hex("88 80 80 80 10 05")},
            {"a tag beyond 32 bits in ten bytes", hex("88 80 80 80 80 80 80 80 80 01 05")},
            {"a tag of ten bytes with nothing in the upper ones", hex("88 80 80 80 80 80 80 80 80 00 05")},
            {"a tag beyond 32 bits in a group", hex("7b 88 80 80 80 10 05 7c")},
            {"wire type 6", hex("0e 01")},
            {"wire type 7", hex("0f 01")},
            {"wire type 6 of an unknown field", hex("7e 01")},
            {"wire type 7 in an unknown group", hex("7b 0f 7c")},
            {"an end of a group without its start", hex("0c")},
            {"an end of a group after a field", hex("60 05 0c")},
            {"an end of a group of another number", hex("0b 14")},
            {"ends of groups crossed", hex("0b 13 0c 14")},
            {"a group without an end", hex("0b")},
            {"a group in a group without an end", hex("0b 13 14")},
            {"a cut field in a group", hex("7b 08 80 7c")},
            {"a length past the end in a group", hex("7b 0a 05 41 7c")}
        ],
        Name <- ['M', 'Empty', 'S']
    ]}.

%% In a sub-message as well, where the group's end would lie outside of it.
group_end_outside_its_message_test() ->
    codec:load(defs([])),
    ?assertMatch({decode_error, _}, codec:decode_error([len(5, hex("7b")), hex("7c")], 'M')),
    ?assertMatch({decode_error, _}, codec:decode_error([hex("7b"), len(5, hex("7c")), hex("7d")], 'M')),
    %% Inside an unknown group the bytes of a length-delimited field have no meaning.
    ?assertEqual(empty(), codec:decode([hex("7b"), len(5, hex("7c")), hex("7c")], 'M')).
