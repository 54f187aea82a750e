%% Map fields: entries that lack a half, repeated keys, unknown fields inside, many keys.
-module(map_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, group/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {si, 1, {map, string, int32}},
            {ss, 2, {map, string, string}},
            {ib, 3, {map, int32, bytes}},
            {im, 4, {map, int32, {msg, 'I'}}},
            {ii, 5, {map, int32, int32}},
            {ie, 6, {map, int32, {enum, 'E'}}},
            {bf, 7, {map, bool, double}},
            {fs, 8, {map, fixed64, sint32}}
        ]},
        {msg, 'I', [{x, 1, int32}, {y, 2, int32}, {r, 3, int32, repeated}]},
        {enum, 'E', [{'ZERO', 0}, {'ONE', 1}]}
    ]).

m(Position, Entries) -> setelement(Position, {'M', [], [], [], [], [], [], [], []}, Entries).

entries_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertEqual(m(Position, Entries), sorted(codec:decode(Wire, 'M'))) end}
     || {Title, Wire, Position, Entries} <- cases()
    ]}.

sorted(Record) ->
    list_to_tuple([
        case Value of
            [{_, _} | _] -> lists:sort(Value);
            _ -> Value
        end
     || Value <- tuple_to_list(Record)
    ]).

cases() ->
    [
        {"a repeated key has its last value", hex("0a 05 0a 01 61 10 01 0a 05 0a 01 62 10 02 0a 05 0a 01 61 10 03"), 2,
            [{<<"a">>, 3}, {<<"b">>, 2}]},
        {"no value: an empty string is a binary", hex("12 03 0a 01 61"), 3, [{<<"a">>, <<>>}]},
        {"no key: an empty string is a binary", len(2, len(2, "x")), 3, [{<<>>, <<"x">>}]},
        {"neither key nor value", len(2, []), 3, [{<<>>, <<>>}]},
        {"an empty entry of bytes", hex("1a 00"), 4, [{0, <<>>}]},
        {"no message value is the empty message", hex("22 02 08 05"), 5, [{5, {'I', 0, 0, []}}]},
        {"an empty entry with a message value", hex("22 00"), 5, [{0, {'I', 0, 0, []}}]},
        {"no enum value is the first symbol", len(6, int(1, 3)), 7, [{3, 'ZERO'}]},
        {"no key of a boolean map", len(7, []), 8, [{false, 0.0}]},
        {"no key of a fixed64 map", len(8, int(2, 3)), 9, [{0, -2}]},
        {"the value before the key", len(5, [int(2, 6), int(1, 5)]), 6, [{5, 6}]},
        {"key and value twice in one entry", len(5, [int(1, 1), int(1, 2), int(2, 3), int(2, 4)]), 6, [{2, 4}]},
        {"a message value twice in one entry merges",
            len(4, [int(1, 5), len(2, [int(1, 1), int(3, 1)]), len(2, [int(2, 2), int(3, 2)])]), 5,
            [{5, {'I', 1, 2, [1, 2]}}]},
        {"a repeated key with a message value replaces it",
            [len(4, [int(1, 5), len(2, int(1, 1))]), len(4, [int(1, 5), len(2, int(2, 2))])], 5,
            [{5, {'I', 0, 2, []}}]},
        {"an unknown field inside an entry", hex("2a 06 08 05 10 06 18 07"), 6, [{5, 6}]},
        {"an unknown group inside an entry", len(5, [int(1, 5), group(9, int(1, 1)), int(2, 6)]), 6, [{5, 6}]},
        {"a key of another wire type is unknown", len(5, [len(1, "x"), int(2, 6)]), 6, [{0, 6}]},
        {"a value of another wire type is unknown", len(5, [int(1, 5), len(2, "x")]), 6, [{5, 0}]},
        {"an enum number without symbol", len(6, [int(1, 1), int(2, 77)]), 7, [{1, 77}]},
        {"keys of a longer varint", len(5, [int(1, 16#100000005), int(2, 1)]), 6, [{5, 1}]},
        {"keys that are the same once cut to 32 bits",
            [len(5, [int(1, 16#100000005), int(2, 1)]), len(5, [int(1, 5), int(2, 2)])], 6, [{5, 2}]}
    ].

empty_halves_as_lists_test() ->
    codec:load(defs()),
    codec:options(true, true),
    ?assertEqual(m(3, [{"a", []}]), codec:decode(hex("12 03 0a 01 61"), 'M')),
    ?assertEqual(m(3, [{[], []}]), codec:decode(len(2, []), 'M')),
    ?assertEqual(m(4, [{0, <<>>}]), codec:decode(hex("1a 00"), 'M')).

refused_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertMatch({decode_error, _}, codec:decode_error(Wire, 'M')) end}
     || {Title, Wire} <- [
            {"an entry cut in its key", len(5, hex("08 80"))},
            {"an entry cut after the key's tag", len(5, hex("08"))},
            {"a value longer than its entry", len(2, hex("0a 01 61 12 02 62"))},
            {"field number 0 in an entry", len(5, hex("00 01"))},
            {"an end of a group in an entry", len(5, hex("08 05 0c"))}
        ]
    ]}.

%% An entry is written whole, its defaults too.
defaults_are_written_in_entries_test() ->
    codec:load(defs()),
    ?assertEqual(hex("2a 04 08 00 10 00"), codec:encode(m(6, [{0, 0}]))),
    ?assertEqual(hex("12 04 0a 00 12 00"), codec:encode(m(3, [{<<>>, <<>>}]))),
    ?assertEqual(hex("22 04 08 00 12 00"), codec:encode(m(5, [{0, {'I', 0, 0, []}}]))),
    ?assertEqual(hex("32 04 08 00 10 00"), codec:encode(m(7, [{0, 'ZERO'}]))).

%% Entries are written in the order of the list, whatever it holds.
written_in_list_order_test() ->
    codec:load(defs()),
    Entries = [{3, 1}, {1, 2}, {3, 3}, {2, 4}],
    ?assertEqual(
        iolist_to_binary([len(5, [int(1, K), int(2, V)]) || {K, V} <- Entries]),
        codec:encode(m(6, Entries))
    ).

%% Linear in the number of keys: quadratic time would take minutes here.
many_keys_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        Count = 400000,
        Decoded = codec:decode([len(5, [int(1, K), int(2, K)]) || K <- lists:seq(1, Count)], 'M'),
        ?assertEqual([{K, K} || K <- lists:seq(1, Count)], lists:sort(element(6, Decoded)))
    end}.

many_string_keys_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        Keys = [integer_to_binary(K) || K <- lists:seq(1, 200000)],
        Decoded = codec:decode([len(1, [len(1, K), int(2, 1)]) || K <- Keys ++ Keys], 'M'),
        ?assertEqual(lists:sort([{K, 1} || K <- Keys]), lists:sort(element(2, Decoded)))
    end}.

%% Keys whose low bits, high bits or digits agree: no choice of keys makes it slow.
unlucky_keys_test_() ->
    [
        {Title, {timeout, 60, fun() ->
            codec:load(defs()),
            Wire = [len(8, [wire_bytes:fixed64(1, Key(I)), int(2, 1)]) || I <- lists:seq(1, 200000)],
            ?assertEqual(200000, length(element(9, codec:decode(Wire, 'M'))))
        end}}
     || {Title, Key} <- [
            {"multiples of 2^40", fun(I) -> I bsl 40 end},
            {"multiples of 2^16", fun(I) -> I bsl 16 end},
            {"high and low half alike", fun(I) -> (I bsl 32) bor I end},
            {"differing in the middle only", fun(I) -> (16#abc bsl 52) bor (I bsl 24) bor 16#123 end}
        ]
    ].
