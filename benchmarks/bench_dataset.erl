%% A benchmark message as protobuf's sources have it: in a message around it, and with groups where the messages here
%% have messages (google_messages.proto). It is read without definitions.
-module(bench_dataset).

-export([message/1]).

%% The field of the message around it that holds it.
-define(PAYLOAD, 3).

-spec message(binary()) -> binary().
message(Dataset) ->
    {Fields, <<>>} = fields(Dataset, none),
    [Payload] = [Value || {?PAYLOAD, 2, Value} <- Fields],
    {Inner, <<>>} = fields(Payload, none),
    iolist_to_binary(written(Inner)).

%% The fields up to the end of this group, and what follows.
fields(<<>>, none) ->
    {[], <<>>};
fields(Bytes, Group) ->
    {Tag, Rest} = varint(Bytes),
    case {Tag bsr 3, Tag band 7} of
        {Group, 4} ->
            {[], Rest};
        {Number, Type} ->
            {Value, Behind} = value(Type, Number, Rest),
            {Fields, End} = fields(Behind, Group),
            {[{Number, Type, Value} | Fields], End}
    end.

value(0, _, Bytes) -> varint(Bytes);
value(1, _, <<Value:64/little, Rest/binary>>) -> {Value, Rest};
value(2, _, Bytes) ->
    {Size, Behind} = varint(Bytes),
    <<Value:Size/binary, Rest/binary>> = Behind,
    {Value, Rest};
value(3, Number, Bytes) -> fields(Bytes, Number);
value(5, _, <<Value:32/little, Rest/binary>>) -> {Value, Rest}.

varint(<<0:1, Value:7, Rest/binary>>) ->
    {Value, Rest};
varint(<<1:1, Low:7, Rest/binary>>) ->
    {High, Behind} = varint(Rest),
    {High bsl 7 bor Low, Behind}.

written(Fields) ->
    [field(Field) || Field <- Fields].

field({Number, 0, Value}) -> wire_bytes:int(Number, Value);
field({Number, 1, Value}) -> wire_bytes:fixed64(Number, Value);
field({Number, 2, Value}) -> wire_bytes:len(Number, Value);
field({Number, 3, Fields}) -> wire_bytes:len(Number, written(Fields));
field({Number, 5, Value}) -> wire_bytes:fixed32(Number, Value).
