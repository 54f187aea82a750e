%% Message sets (option message_set_wire_format): each message that extends one is an item, a group of the number of the
%% extension and of the message.
-module(message_set_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1]).

text() ->
    [
        "message M { optional Set set = 1; }",
        "message Set { option message_set_wire_format = true; extensions 4 to max; }",
        "message A { extend Set { optional A a = 100; } optional int32 x = 1; repeated int32 r = 2; }",
        "message B { extend Set { optional B b = 536870911; } optional string s = 1; }"
    ].

cases() ->
    [
        {"0a 00", {'Set', undefined, undefined, []}},
        {"0a 08 0b 10 64 1a 02 08 05 0c", {'Set', {'A', 5, [], []}, undefined, []}},
        {"0a 0d 0b 10 ff ff ff ff 01 1a 03 0a 01 78 0c", {'Set', undefined, {'B', <<"x">>, []}, []}},
        {"0a 08 0b 10 65 1a 02 00 ff 0c",
            {'Set', undefined, undefined, [{group, 1, [{varint, 2, 101}, {length_delimited, 3, <<0, 255>>}]}]}}
    ].

items_go_both_ways_test_() ->
    {setup, fun() -> proto_texts:load(text(), [preserve_unknown_fields]) end, [
        {Hex, ?_assertEqual({hex(Hex), {'M', Set, []}}, codec:roundtrip({'M', Set, []}))}
     || {Hex, Set} <- cases()
    ]}.

the_message_may_come_first_and_in_parts_test() ->
    proto_texts:load(text()),
    Expected = {'M', {'Set', {'A', 5, [1, 2]}, undefined}},
    [
        ?assertEqual(Expected, codec:decode(hex(Hex), 'M'))
     || Hex <- [
            "0a 0c 0b 1a 06 08 05 10 01 10 02 10 64 0c",
            "0a 12 0b 10 64 1a 04 08 05 10 01 0c 0b 1a 02 10 02 10 64 0c",
            "0a 0a 0b 10 64 1a 04 08 05 10 01 0c 0a 08 0b 10 64 1a 02 10 02 0c",
            "0a 0f a2 06 04 08 05 10 01 0b 10 64 1a 02 10 02 0c"
        ]
    ].

what_is_wrong_test() ->
    proto_texts:load(text()),
    [
        ?assertMatch({decode_error, _}, codec:decode_error(hex(Hex), 'M'))
     || Hex <- ["0a 01 0b", "0a 03 0b 10 64", "0a 06 0b 10 64 1a 02 08", "0a 01 0c", "0a 08 0b 10 64 1a 02 08 05 14"]
    ].

values_are_checked_test() ->
    proto_texts:load(text()),
    ?assertEqual(
        {{bad_integer, int32, signed, 32}, x, "M.set.a.x"},
        codec:type_error({'M', {'Set', {'A', x, []}, undefined}})
    ),
    ?assertEqual({{expected_msg, 'A'}, b, "M.set.a"}, codec:type_error({'M', {'Set', b, undefined}})).

%% gpb's full definitions have the option, and are taken at their word; a generated module's do not have it.
definitions_say_it_test() ->
    Defs = proto_texts:defs(text()),
    codec:load(Defs),
    ?assertEqual(hex("0a 08 0b 10 64 1a 02 08 05 0c"), codec:encode({'M', {'Set', {'A', 5, []}, undefined}})),
    codec:load([Def || {{msg, _}, _} = Def <- Defs]),
    ?assertEqual(hex("0a 05 a2 06 02 08 05"), codec:encode({'M', {'Set', {'A', 5, []}, undefined}})).
