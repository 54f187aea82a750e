%% Map entries come in the order that gpb gives them: that of the module dict, into which the entries go in wire order.
-module(map_order_tests).

-include_lib("eunit/include/eunit.hrl").

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {i, 1, {map, int32, int32}},
            {l, 2, {map, int64, int32}},
            {u, 3, {map, uint64, int32}},
            {b, 4, {map, bool, int32}},
            {s, 5, {map, string, int32}}
        ]},
        {msg, 'O', [{m, 1, {msg, 'M'}}, {oneof, o, [{om, 2, {msg, 'M'}}]}]}
    ]).

%% {What it is about, field's position, entries on the wire, entries decoded}
literals() ->
    [
        {"no entry", 2, [], []},
        {"one entry", 2, [{1, 1}], [{1, 1}]},
        {"not the order of the wire", 2, [{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}],
            [{3, 30}, {2, 20}, {5, 50}, {1, 10}, {4, 40}]},
        {"the same from another order", 2, [{5, 50}, {3, 30}, {1, 10}, {4, 40}, {2, 20}],
            [{3, 30}, {2, 20}, {5, 50}, {1, 10}, {4, 40}]},
        {"a repeated key has its last value", 2, [{1, 1}, {2, 2}, {1, 3}, {3, 4}, {2, 5}],
            [{3, 4}, {2, 5}, {1, 3}]},
        {"keys of one slot, last first", 2, [{1, 1}, {17, 17}, {33, 33}, {49, 49}, {65, 65}, {81, 81}],
            [{81, 81}, {65, 65}, {49, 49}, {33, 33}, {17, 17}, {1, 1}]},
        {"a repeated key in a slot keeps its first place", 2, [{1, 1}, {17, 2}, {33, 3}, {49, 4}, {1, 5}, {17, 6}],
            [{49, 4}, {33, 3}, {17, 6}, {1, 5}]},
        {"negative keys", 2, [{-1, 1}, {0, 2}, {1, 3}, {-2147483648, 4}, {2147483647, 5}],
            [{-2147483648, 4}, {0, 2}, {2147483647, 5}, {-1, 1}, {1, 3}]},
        {"keys beyond small integers", 3,
            [
                {1 bsl 40, 1},
                {-1 bsl 40, 2},
                {1 bsl 59, 3},
                {(-1 bsl 59) - 1, 4},
                {1 bsl 62, 5},
                {-1 bsl 63, 6},
                {(1 bsl 63) - 1, 7},
                {0, 8}
            ],
            [
                {0, 8},
                {-1 bsl 63, 6},
                {1 bsl 62, 5},
                {1 bsl 40, 1},
                {(1 bsl 63) - 1, 7},
                {1 bsl 59, 3},
                {(-1 bsl 59) - 1, 4},
                {-1 bsl 40, 2}
            ]},
        {"unsigned keys", 4,
            [{(1 bsl 64) - 1, 1}, {1 bsl 63, 2}, {1 bsl 32, 3}, {(1 bsl 32) - 1, 4}, {7, 5}],
            [{1 bsl 63, 2}, {(1 bsl 32) - 1, 4}, {(1 bsl 64) - 1, 1}, {1 bsl 32, 3}, {7, 5}]},
        {"boolean keys", 5, [{true, 1}, {false, 2}], [{false, 2}, {true, 1}]},
        {"boolean keys, false first", 5, [{false, 1}, {true, 2}], [{true, 2}, {false, 1}]},
        {"string keys", 6,
            [{<<>>, 1}, {<<"a">>, 2}, {<<"b">>, 3}, {<<"ab">>, 4}, {<<"hello">>, 5}, {<<"world">>, 6}] ++
                [{<<"a longer name">>, 7}, {<<"ß"/utf8>>, 8}, {<<"k10">>, 10}, {<<"k11">>, 11}],
            [{<<>>, 1}, {<<"k10">>, 10}, {<<"world">>, 6}, {<<"ab">>, 4}, {<<"a longer name">>, 7}] ++
                [{<<"ß"/utf8>>, 8}, {<<"hello">>, 5}, {<<"b">>, 3}, {<<"k11">>, 11}, {<<"a">>, 2}]}
    ].

literal_test_() ->
    [
        {Title, fun() -> ?assertEqual(Decoded, decoded(Position, Entries)) end}
     || {Title, Position, Entries, Decoded} <- literals()
    ].

%% The order of dict itself, over the sizes at which it grows.
grows_test_() ->
    Sizes = [2, 15, 16, 17, 32, 33, 79, 80, 81, 85, 86, 90, 159, 160, 161, 165, 320, 321, 1000, 5000],
    [
        {lists:concat([Size, " entries, factor ", Factor]), fun() ->
            Entries = [{(I * Factor) rem (1 bsl 31), I} || I <- lists:seq(1, Size)],
            ?assertEqual(by_dict(Entries), decoded(2, Entries))
        end}
     || Size <- Sizes, Factor <- [1, -1, 7919, 65536]
    ].

wide_keys_test() ->
    Entries = [{I * 16#123456789ab - (1 bsl 62), I} || I <- lists:seq(1, 500)],
    ?assertEqual(by_dict(Entries), decoded(3, Entries)).

strings_test() ->
    Entries = [{integer_to_binary(I * I), I} || I <- lists:seq(1, 500)],
    ?assertEqual(by_dict(Entries), decoded(6, Entries)).

%% Keys that are lists have an order of their own.
strings_as_lists_test() ->
    codec:load(defs()),
    codec:options(true, true),
    Characters = fun(I) -> [I rem 300, $a + I rem 26, 20320 + I | integer_to_list(I)] end,
    Keys = [[], "a", "abc", [255], [256], [97, 20320], [20320, 97] | [Characters(I) || I <- lists:seq(1, 200)]],
    Entries = lists:zip(Keys, lists:seq(1, length(Keys))),
    ?assertEqual(by_dict(Entries), element(6, codec:decode(codec:encode(record(6, Entries)), 'M'))).

strings_as_octets_test() ->
    codec:load(defs()),
    codec:options(true, false),
    Entries = [{[200, I rem 256, 128 + I rem 100 | integer_to_list(I)], I} || I <- lists:seq(1, 200)],
    ?assertEqual(by_dict(Entries), element(6, codec:decode(codec:encode(record(6, Entries)), 'M'))).

many_repeated_keys_test() ->
    Entries = [{I rem 97, I} || I <- lists:seq(1, 1000)],
    ?assertEqual(by_dict(Entries), decoded(2, Entries)).

%% A message in two parts: one map of the entries of both.
merged_test() ->
    codec:load(defs()),
    Parts = [codec:encode(record(2, Part)) || Part <- [[{1, 1}, {2, 2}, {3, 3}], [{2, 20}, {4, 4}]]],
    Merged = record(2, [{3, 3}, {2, 20}, {1, 1}, {4, 4}]),
    ?assertEqual(Merged, codec:decode(Parts, 'M')),
    ?assertEqual({'O', Merged, undefined}, codec:decode([wire_bytes:len(1, Part) || Part <- Parts], 'O')),
    ?assertEqual({'O', undefined, {om, Merged}}, codec:decode([wire_bytes:len(2, Part) || Part <- Parts], 'O')).

decoded(Position, Entries) ->
    codec:load(defs()),
    element(Position, codec:decode(codec:encode(record(Position, Entries)), 'M')).

record(Position, Entries) ->
    setelement(Position, {'M', [], [], [], [], []}, Entries).

by_dict(Entries) ->
    dict:to_list(lists:foldl(fun({Key, Value}, Dict) -> dict:store(Key, Value, Dict) end, dict:new(), Entries)).
