%% Booleans: any varint but 0 is true; 1 and 0 are taken for true and false.
-module(bool_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {b, 1, bool},
            {y, 2, int32},
            {r, 3, bool, repeated},
            {o, 4, bool, optional},
            {m, 5, {map, bool, bool}}
        ]}
    ]).

m(Position, Value) -> setelement(Position, {'M', false, 0, [], undefined, []}, Value).

decode_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertEqual(setelement(3, m(2, Value), 7), codec:decode([Wire, int(2, 7)], 'M')) end}
     || {Title, Wire, Value} <- [
            {"one", hex("08 01"), true},
            {"zero", hex("08 00"), false},
            {"two", hex("08 02"), true},
            {"a longer varint of 1", hex("08 81 80 00"), true},
            {"a longer varint of 0", hex("08 80 80 00"), false},
            {"ten bytes of 0", hex("08 80 80 80 80 80 80 80 80 80 00"), false},
            {"only bit 32", hex("08 80 80 80 80 10"), true},
            {"only bit 63", int(1, 1 bsl 63), true},
            {"all bits", int(1, -1), true},
            {"only bit 7", hex("08 80 01"), true}
        ]
    ]}.

repeated_and_maps_test() ->
    codec:load(defs()),
    ?assertEqual(m(4, [true, true, false, true]), codec:decode(len(3, hex("81 00 02 80 00 80 80 80 80 10")), 'M')),
    ?assertEqual(m(6, [{true, true}]), codec:decode(len(5, [int(1, 1 bsl 40), int(2, 1 bsl 63)]), 'M')),
    ?assertEqual(m(5, true), codec:decode(int(4, 256), 'M')).

integers_for_booleans_test() ->
    codec:load(defs()),
    ?assertEqual(
        {hex("08 01 1a 03 01 00 01"), {'M', true, 0, [true, false, true], undefined, []}},
        codec:roundtrip({'M', 1, 0, [1, 0, true], undefined, []})
    ),
    ?assertEqual(<<>>, codec:encode(m(2, 0))),
    ?assertEqual(hex("20 00"), codec:encode(m(5, 0))),
    ?assertEqual(hex("2a 04 08 01 10 00"), codec:encode(m(6, [{1, 0}]))).

refused_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [Value])), fun() ->
            ?assertEqual({bad_boolean_value, Value, "M.b"}, codec:type_error(m(2, Value))),
            ?assertEqual({bad_boolean_value, Value, "M.r"}, codec:type_error(m(4, [true, Value]))),
            ?assertEqual({bad_boolean_value, Value, "M.o"}, codec:type_error(m(5, Value))),
            ?assertEqual({bad_boolean_value, Value, "M.m.key"}, codec:type_error(m(6, [{Value, true}]))),
            ?assertEqual({bad_boolean_value, Value, "M.m.value"}, codec:type_error(m(6, [{true, Value}])))
        end}
     || Value <- [2, -1, yes, 'True', <<"true">>, "true", 1.0, [], {true}, 1 bsl 64]
    ]}.
