%% Lengths and ends: what is cut or does not fit is an error, and nothing is read past its end.
-module(bounds_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, padded_varint/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {b, 1, bytes},
            {y, 2, int32},
            {s, 3, string},
            {m, 4, {msg, 'M'}},
            {v, 5, uint32, repeated},
            {f, 6, fixed32, repeated},
            {d, 7, double, repeated},
            {t, 8, bool, repeated},
            {mp, 9, {map, int32, string}},
            {e, 10, {enum, 'E'}, repeated},
            {f32, 11, fixed32},
            {f64, 12, fixed64},
            {oneof, o, [{om, 13, {msg, 'M'}}, {ob, 14, bytes}]},
            {ss, 15, string, repeated}
        ]},
        {enum, 'E', [{'A', 0}, {'B', 1}]}
    ]).

refused_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertMatch({decode_error, _}, codec:decode_error(Wire, 'M')) end}
     || {Title, Wire} <- refused()
    ]}.

refused() ->
    [
        {"a length of 2^32 + 1 is not 1", hex("0a 81 80 80 80 10 41 10 05")},
        {"a length of 2^32", hex("0a 80 80 80 80 10 10 05")},
        {"a length of 2^63", [10, hex("80 80 80 80 80 80 80 80 80 01"), 16, 5]},
        {"a length of 2^64 - 1", [10, hex("ff ff ff ff ff ff ff ff ff 01"), 16, 5]},
        {"a length of 2^64 + 1 in ten bytes", [10, hex("81 80 80 80 80 80 80 80 80 02"), 65]},
        {"a length of 2^31", hex("0a 80 80 80 80 08 41")},
        {"the same in an unknown field", [162, 1, hex("81 80 80 80 10"), 65, 16, 5]},
        {"the same in a sub-message", len(4, hex("0a 81 80 80 80 10 41"))},
        {"the same in a map entry", len(9, hex("08 01 12 81 80 80 80 10 41"))},
        {"the same in a packed field", [len(5, []), 42, hex("81 80 80 80 10"), 1]},
        {"the same for a message", [34, hex("81 80 80 80 10"), 0]},
        {"the same for an entry", [74, hex("81 80 80 80 10"), 0]},
        {"a length past the end", hex("1a 05 61 62")},
        {"a length one past the end", hex("1a 03 61 62")},
        {"bytes past the end", hex("0a 05 61 62")},
        {"a message past the end", hex("22 05 10 01")},
        {"an unknown field past the end", hex("a2 01 05 61 62")},
        {"a string past its message's end, though not past the input's", [len(4, hex("1a 05 61 62")), len(3, "abc")]},
        {"a packed block past its message's end", [len(4, hex("2a 03 01 02")), 16, 7, 16, 7]},
        {"an unknown field past its message's end", [len(4, hex("a2 01 03 61")), 16, 7, 16, 7]},
        {"a varint past its message's end", [len(4, hex("10 80")), 1, 16, 7]},
        {"a fixed32 past its message's end", [len(4, hex("5d 01 02")), 16, 7, 16, 7]},
        {"a map value past its entry's end", [len(9, hex("08 01 12 03 61")), 16, 7, 16, 7]},
        {"a packed element past its block's end", [34, 4, 42, 1, 128, 1, 16, 7]},
        {"the input ends inside a varint", hex("10 80")},
        {"the input ends inside a varint of nine bytes", [16, hex("80 80 80 80 80 80 80 80 80")]},
        {"the input ends inside a tag", hex("10 05 92")},
        {"the input ends inside an unknown tag", hex("80 80")},
        {"the input ends after a tag", hex("10")},
        {"the input ends inside a length", hex("0a 80")},
        {"the input ends after a length", hex("0a 01")},
        {"the input ends inside an unknown varint", hex("a0 01 80")},
        {"the input ends inside a fixed32", hex("5d 01 02 03")},
        {"the input ends inside a fixed64", hex("61 01 02 03 04 05 06 07")},
        {"the input ends inside an unknown fixed32", hex("a5 01 01 02 03")},
        {"the input ends inside an unknown fixed64", hex("a1 01 01 02 03 04 05 06 07")},
        {"the input ends inside an unknown group", hex("a3 01 08 01")},
        {"a packed fixed32 block of 5 bytes", len(6, hex("01 00 00 00 02"))},
        {"a packed fixed32 block of 3 bytes", len(6, hex("01 00 00"))},
        {"a packed double block of 9 bytes", len(7, <<0:72>>)},
        {"a packed double block of 4 bytes", len(7, <<0:32>>)},
        {"a packed varint block that ends inside an element", len(5, hex("01 80"))},
        {"a packed bool block that ends inside an element", len(8, hex("01 80"))},
        {"a packed enum block that ends inside an element", len(10, hex("01 80"))},
        {"a varint of eleven bytes", [16, hex("80 80 80 80 80 80 80 80 80 80 00")]},
        {"a varint of eleven bytes in a bool block", len(8, hex("80 80 80 80 80 80 80 80 80 80 00"))},
        {"an unknown varint of eleven bytes", [160, 1, hex("ff ff ff ff ff ff ff ff ff ff 01")]},
        {"a length of eleven bytes", [10, hex("81 80 80 80 80 80 80 80 80 80 00"), 65]},
        {"a packed element of eleven bytes", len(5, hex("80 80 80 80 80 80 80 80 80 80 00"))},
        {"a sub-message in a oneof past the end", hex("6a 05 10 01")}
    ].

%% The last of the bytes that still fit.
accepted_test_() ->
    Empty = {'M', <<>>, 0, <<>>, undefined, [], [], [], [], [], [], 0, 0, undefined, []},
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertEqual(setelement(Position, Empty, Value), codec:decode(Wire, 'M')) end}
     || {Title, Wire, Position, Value} <- [
            {"no bytes", <<>>, 2, <<>>},
            {"a length that ends with the input", hex("0a 02 61 62"), 2, <<"ab">>},
            {"a length of ten bytes", [10, padded_varint(1, 10), 65], 2, <<"A">>},
            {"a varint of ten bytes", int(2, -1), 3, -1},
            {"a padded varint of ten bytes", [16, padded_varint(5, 10)], 3, 5},
            {"a padded tag of five bytes", [padded_varint(16, 5), 5], 3, 5},
            {"an empty packed block", len(6, <<>>), 7, []},
            {"an empty sub-message", len(4, <<>>), 5, Empty},
            {"an unknown field that ends with the input", hex("a2 01 02 61 62"), 2, <<>>},
            {"a packed block that ends with the input", len(5, hex("01 80 01")), 6, [1, 128]}
        ]
    ]}.

%% Each proper prefix of a message that ends inside a field is an error; none crashes.
every_prefix_test() ->
    codec:load(defs()),
    Scalars = [<<"bytes">>, -5, <<"text">>, undefined, [1, 300, 70000], [1, 2], [0.5], [true], [{1, <<"one">>}], ['B']],
    Record = list_to_tuple(['M' | Scalars] ++ [7, 8, {ob, <<"x">>}, [<<"y">>]]),
    Full = setelement(5, Record, Record),
    Wire = codec:encode(Full),
    ?assertEqual(Full, codec:decode(Wire, 'M')),
    Results = [codec:decode_error(binary:part(Wire, 0, Size), 'M') || Size <- lists:seq(0, byte_size(Wire) - 1)],
    Decoded = [R || {decoded, R} <- Results],
    %% Only those that end between two of the 14 fields of the top level.
    ?assertEqual(14, length(Decoded)),
    ?assert(lists:all(fun(R) -> tuple_size(R) =:= tuple_size(Record) end, Decoded)).

%% Input that is itself a part of a larger binary, not at its start: what lies beside it does not count.
inside_a_larger_binary_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([len(1, "ab"), int(2, 5)]),
    Expected = codec:decode(Wire, 'M'),
    [
        begin
            Large = <<(binary:copy(<<255>>, Before))/binary, Wire/binary, 1, 2, 3, 4>>,
            ?assertEqual(Expected, enif_protobuf:decode(binary:part(Large, Before, byte_size(Wire)), 'M')),
            Cut = binary:part(Large, Before, byte_size(Wire) - 1),
            ?assertMatch({decode_error, _}, codec:decode_error(Cut, 'M'))
        end
     || Before <- [0, 1, 7, 64, 1000]
    ].

%% Bytes that do not start at a byte of their binary.
unaligned_input_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([len(1, binary:copy(<<"ab">>, 100)), int(2, 5)]),
    <<_:3, Unaligned:(byte_size(Wire))/binary, _/bits>> = <<5:3, Wire/binary, 1:5>>,
    ?assertEqual(codec:decode(Wire, 'M'), enif_protobuf:decode(Unaligned, 'M')).
