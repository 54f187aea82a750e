%% Messages of each shape, of any size: {Title, Message, Wire}, for the definitions of defs/0.
-module(shapes).

-export([defs/0, all/1]).

-import(wire_bytes, [len/2, int/2, group/2]).

defs() ->
    schema_terms:proto3([
        {enum, 'E', [{'E0', 0}, {'E1', 1}]},
        {msg, 'M', [
            {s, 1, string},
            {b, 2, bytes},
            {m, 3, {msg, 'M'}},
            {ms, 4, {msg, 'M'}, repeated},
            {i, 5, int32, repeated},
            {d, 6, double, repeated},
            {u, 7, uint64, repeated},
            {e, 8, {enum, 'E'}, repeated},
            {bs, 9, bytes, repeated},
            {ss, 10, string, repeated},
            {mi, 11, {map, int32, int32}},
            {mm, 12, {map, string, {msg, 'M'}}},
            {oneof, o, [{om, 13, {msg, 'M'}}, {on, 14, {msg, 'M'}}, {oi, 15, int32}]}
        ]},
        {msg, 'U', [{x, 1, int32}, unknown]}
    ]).

all(Size) ->
    [{Title, Message, iolist_to_binary(Wire)} || {Title, Message, Wire} <- shapes(Size)].

shapes(Size) ->
    Bytes = fun(Of) -> binary:copy(<<"abcdefgh">>, Of div 8) end,
    [
        {"one string", 'M', len(1, Bytes(Size))},
        {"one bytes", 'M', len(2, Bytes(Size))},
        {"packed varints", 'M', len(5, binary:copy(<<1, 130, 1, 7>>, Size div 4))},
        {"varints one by one", 'M', times(Size, int(5, 7))},
        {"packed doubles", 'M', len(6, binary:copy(<<1.5/little-float>>, Size div 8))},
        {"packed large integers", 'M', len(7, binary:copy(<<(binary:copy(<<255>>, 9))/binary, 1>>, Size div 10))},
        {"packed enums", 'M', len(8, binary:copy(<<0, 1>>, Size div 2))},
        {"two fields in turns", 'M', times(Size, [int(5, 7), len(9, "x")])},
        {"bytes of 20", 'M', times(Size, len(9, Bytes(24)))},
        {"strings of 100", 'M', times(Size, len(10, Bytes(104)))},
        {"messages without content", 'M', times(Size, len(4, []))},
        {"small messages", 'M', times(Size, len(4, [len(1, "name"), int(5, 1)]))},
        {"nested to the end", 'M', wire_bytes:nested(3, min(Size div 5, 1000000), len(1, "x"))},
        {"one message merged", 'M', times(Size, len(3, int(5, 7)))},
        {"map of integers", 'M', [len(11, [int(1, N), int(2, N)]) || N <- lists:seq(1, Size div 11)]},
        {"map of messages", 'M', [
            len(12, [len(1, integer_to_binary(N)), len(2, [])])
         || N <- lists:seq(1, Size div 13)
        ]},
        {"map with one key", 'M', times(Size, len(11, [int(1, 1), int(2, 2)]))},
        {"oneof in turns", 'M', times(Size, [len(13, int(5, 1)), len(14, []), int(15, 1)])},
        {"unknown fields skipped", 'M', times(Size, [int(99, 1), len(98, "abc")])},
        {"unknown groups skipped", 'M', times(Size, group(99, int(1, 1)))},
        {"unknown fields kept", 'U', times(Size, [int(99, 1), len(98, "abc")])},
        {"unknown groups kept", 'U', times(Size, group(99, int(1, 1)))}
    ].

times(Size, Part) ->
    Binary = iolist_to_binary(Part),
    binary:copy(Binary, Size div byte_size(Binary)).
