%% Bytes of the wire format, built by hand.
-module(wire_bytes).

-export([hex/1, varint/1, padded_varint/2, tag/2, int/2, fixed32/2, fixed64/2, len/2, group/2, nested/3]).

%% "0a 02 08 05"
hex(Text) ->
    list_to_binary([list_to_integer(Octet, 16) || Octet <- string:lexemes(Text, " ")]).

varint(Value) when Value < 0 -> varint(Value band 16#ffffffffffffffff);
varint(Value) when Value < 128 -> <<Value>>;
varint(Value) -> <<1:1, Value:7, (varint(Value bsr 7))/binary>>.

%% The value in exactly Size bytes, more than it needs.
padded_varint(Value, 1) when Value < 128 -> <<Value>>;
padded_varint(Value, Size) -> <<1:1, Value:7, (padded_varint(Value bsr 7, Size - 1))/binary>>.

tag(Number, WireType) -> varint(Number * 8 + WireType).

int(Number, Value) -> <<(tag(Number, 0))/binary, (varint(Value))/binary>>.

fixed64(Number, Value) -> <<(tag(Number, 1))/binary, Value:64/little>>.

fixed32(Number, Value) -> <<(tag(Number, 5))/binary, Value:32/little>>.

len(Number, Data) ->
    Octets = iolist_to_binary(Data),
    <<(tag(Number, 2))/binary, (varint(byte_size(Octets)))/binary, Octets/binary>>.

group(Number, Data) ->
    <<(tag(Number, 3))/binary, (iolist_to_binary(Data))/binary, (tag(Number, 4))/binary>>.

%% Innermost, wrapped Depth times as field Number, in linear time.
nested(Number, Depth, Innermost) ->
    Tag = tag(Number, 2),
    {Heads, _} = lists:mapfoldl(
        fun(_, Size) ->
            Head = <<Tag/binary, (varint(Size))/binary>>,
            {Head, Size + byte_size(Head)}
        end,
        byte_size(Innermost),
        lists:seq(1, Depth)
    ),
    iolist_to_binary([lists:reverse(Heads), Innermost]).
