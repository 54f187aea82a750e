%% The oracle of decoding: follows the specification with maps and recursion, one field after the other. It tells what
%% comes out, or that nothing does, but not why.
-module(naive_decoder).

-export([decode/4, wire_type/1]).

%% What the bytes are as that message, {msg | group, Name}: {ok, Record} or refused. Options is {StringAsList, WithUtf8,
%% MaxDepth}, the definitions are a map from {Kind, Name} to fields or symbols.
decode(Bytes, Message, Definitions, {AsList, Utf8, MaxDepth}) ->
    Context = {Definitions, AsList, Utf8},
    Depth =
        case MaxDepth of
            infinity -> 1 bsl 64;
            _ -> MaxDepth
        end,
    try
        {Open, <<>>} = fields(Bytes, #{}, Message, none, Depth, Context),
        {ok, record(Message, Open, Context)}
    catch
        throw:refused -> refused
    end.

%% The fields up to the end of the bytes, or of the group with that number. What is open holds the values by position.
fields(<<>>, Open, _, none, _, _) ->
    {Open, <<>>};
fields(<<>>, _, _, _Group, _, _) ->
    throw(refused);
fields(Bytes, Open, Message, Group, Depth, {Definitions, _, _} = Context) ->
    {Number, WireType, Rest} = tag(Bytes),
    Fields = maps:get(Message, Definitions),
    case find(Number, Fields) of
        {Field, Oneof} ->
            case fits(Field, WireType) of
                true ->
                    {Open1, Rest1} = field(Field, Oneof, WireType, Rest, Open, Depth, Context),
                    fields(Rest1, Open1, Message, Group, Depth, Context);
                false ->
                    unknown(Number, WireType, Rest, Open, Message, Group, Depth, Context)
            end;
        none ->
            unknown(Number, WireType, Rest, Open, Message, Group, Depth, Context)
    end.

unknown(Number, 4, Bytes, Open, _, Number, _, _) ->
    {Open, Bytes};
unknown(Number, WireType, Bytes, Open, Message, Group, Depth, {Definitions, _, _} = Context) ->
    {Value, Rest} = unknown_value(Number, WireType, Bytes, Depth),
    Open1 =
        case [Position || {field, _, undefined, Position, _, _, _} <- maps:get(Message, Definitions)] of
            [] -> Open;
            [Position] -> push(Position, Value, Open)
        end,
    fields(Rest, Open1, Message, Group, Depth, Context).

unknown_value(Number, 0, Bytes, _) ->
    {Value, Rest} = varint(Bytes),
    {{varint, Number, Value band 16#ffffffffffffffff}, Rest};
unknown_value(Number, 1, <<Value:64/little, Rest/binary>>, _) ->
    {{fixed64, Number, Value}, Rest};
unknown_value(Number, 2, Bytes, _) ->
    {Payload, Rest} = payload(Bytes),
    {{length_delimited, Number, Payload}, Rest};
unknown_value(Number, 3, Bytes, Depth) when Depth > 0 ->
    unknown_group(Number, Bytes, [], Depth - 1);
unknown_value(Number, 5, <<Value:32/little, Rest/binary>>, _) ->
    {{fixed32, Number, Value}, Rest};
unknown_value(_, _, _, _) ->
    throw(refused).

unknown_group(Number, Bytes, Fields, Depth) ->
    case tag(Bytes) of
        {Number, 4, Rest} ->
            {{group, Number, lists:reverse(Fields)}, Rest};
        {Inner, WireType, Rest} ->
            {Field, Rest1} = unknown_value(Inner, WireType, Rest, Depth),
            unknown_group(Number, Rest1, [Field | Fields], Depth)
    end.

tag(Bytes) ->
    {Tag, Rest} = varint(Bytes),
    case byte_size(Bytes) - byte_size(Rest) =< 5 andalso Tag < 1 bsl 32 andalso Tag >= 8 of
        true -> {Tag bsr 3, Tag band 7, Rest};
        false -> throw(refused)
    end.

%% Of up to 70 bits.
varint(Bytes) -> varint(Bytes, 0, 0).

varint(<<1:1, Bits:7, Rest/binary>>, Count, Value) when Count < 9 ->
    varint(Rest, Count + 1, Value bor (Bits bsl (7 * Count)));
varint(<<0:1, Bits:7, Rest/binary>>, Count, Value) ->
    {Value bor (Bits bsl (7 * Count)), Rest};
varint(_, _, _) ->
    throw(refused).

payload(Bytes) ->
    case varint(Bytes) of
        {Length, Rest} when Length =< byte_size(Rest) -> split_binary(Rest, Length);
        _ -> throw(refused)
    end.

find(Number, Fields) ->
    Plain = [{Field, none} || {field, _, N, _, _, _, _} = Field <- Fields, N =:= Number],
    Members = [
        {Field, oneof}
     || {gpb_oneof, _, _, Of, _} <- Fields, {field, _, N, _, _, _, _} = Field <- Of, N =:= Number
    ],
    case Plain ++ Members of
        [Found] -> Found;
        [] -> none
    end.

fits({field, _, _, _, Type, repeated, _}, 2) when not is_tuple(Type) -> true;
fits({field, _, _, _, {enum, _}, repeated, _}, 2) -> true;
fits({field, _, _, _, Type, _, _}, WireType) -> wire_type(Type) =:= WireType.

wire_type(Type) when Type =:= fixed32; Type =:= sfixed32; Type =:= float -> 5;
wire_type(Type) when Type =:= fixed64; Type =:= sfixed64; Type =:= double -> 1;
wire_type(Type) when Type =:= string; Type =:= bytes -> 2;
wire_type({group, _}) -> 3;
wire_type({Kind, _}) when Kind =:= msg -> 2;
wire_type({map, _, _}) -> 2;
wire_type(_) -> 0.

field({field, _, _, Position, {map, Key, Value}, _, _}, none, _, Bytes, Open, Depth, Context) ->
    {Payload, Rest} = payload(Bytes),
    {push(Position, entry(Key, Value, Payload, deeper(Depth), Context), Open), Rest};
field({field, Name, Number, Position, {Kind, _} = Type, Occurrence, _}, Oneof, _, Bytes, Open, Depth, Context) when
    Kind =:= msg; Kind =:= group
->
    Before =
        case {Occurrence, Oneof, Open} of
            {repeated, _, _} -> #{};
            {_, none, #{Position := {open, _, Already}}} -> Already;
            {_, oneof, #{Position := {Name, {open, _, Already}}}} -> Already;
            _ -> #{}
        end,
    {Inner, Rest} = inner(Type, Number, Bytes, Before, Depth, Context),
    Held = {open, Type, Inner},
    case {Occurrence, Oneof} of
        {repeated, _} -> {push(Position, finished(Held, Context), Open), Rest};
        {_, none} -> {Open#{Position => Held}, Rest};
        {_, oneof} -> {Open#{Position => {Name, Held}}, Rest}
    end;
field({field, _, _, Position, Type, repeated, _}, none, WireType, Bytes, Open, _, Context) ->
    case WireType =:= 2 andalso wire_type(Type) =/= 2 of
        true ->
            {Block, Rest} = payload(Bytes),
            {packed(Block, Type, Position, Open, Context), Rest};
        false ->
            {Value, Rest} = value(Type, Bytes, Context),
            {push(Position, Value, Open), Rest}
    end;
field({field, _, _, Position, Type, _, _}, none, _, Bytes, Open, _, Context) ->
    {Value, Rest} = value(Type, Bytes, Context),
    {Open#{Position => Value}, Rest};
field({field, Name, _, Position, Type, _, _}, oneof, _, Bytes, Open, _, Context) ->
    {Value, Rest} = value(Type, Bytes, Context),
    {Open#{Position => {Name, Value}}, Rest}.

inner({msg, _} = Type, _, Bytes, Before, Depth, Context) ->
    {Payload, Rest} = payload(Bytes),
    {Inner, <<>>} = fields(Payload, Before, Type, none, deeper(Depth), Context),
    {Inner, Rest};
inner({group, _} = Type, Number, Bytes, Before, Depth, Context) ->
    fields(Bytes, Before, Type, Number, deeper(Depth), Context).

deeper(0) -> throw(refused);
deeper(Depth) -> Depth - 1.

%% An entry is a message whose fields 1 and 2 are key and value.
entry(Key, Value, Payload, Depth, {Definitions, AsList, Utf8} = Context) ->
    Fields = [{field, key, 1, 1, Key, defaulty, []}, {field, value, 2, 2, Value, defaulty, []}],
    {Open, <<>>} = fields(Payload, #{}, entry, none, Depth, {Definitions#{entry => Fields}, AsList, Utf8}),
    ReadKey = maps:get(1, Open, default(Key, Context)),
    case {Open, Value} of
        {#{2 := Held}, _} -> {ReadKey, finished(Held, Context)};
        {_, {msg, _}} -> {ReadKey, record(Value, #{}, Context)};
        _ -> {ReadKey, default(Value, Context)}
    end.

push(Position, Value, Open) -> Open#{Position => [Value | maps:get(Position, Open, [])]}.

packed(<<>>, _, _, Open, _) ->
    Open;
packed(Block, Type, Position, Open, Context) ->
    {Value, Rest} = value(Type, Block, Context),
    packed(Rest, Type, Position, push(Position, Value, Open), Context).

value({enum, _} = Type, Bytes, {Definitions, _, _}) ->
    {Value, Rest} = varint(Bytes),
    Number = signed(Value, 32),
    case lists:keyfind(Number, 2, maps:get(Type, Definitions)) of
        {Symbol, Number} -> {Symbol, Rest};
        false -> {Number, Rest}
    end;
value(bytes, Bytes, _) ->
    payload(Bytes);
value(string, Bytes, {_, AsList, Utf8}) ->
    {Payload, Rest} = payload(Bytes),
    case {AsList, Utf8} of
        {false, _} ->
            {Payload, Rest};
        {true, false} ->
            {binary_to_list(Payload), Rest};
        {true, true} ->
            case unicode:characters_to_list(Payload) of
                Characters when is_list(Characters) -> {Characters, Rest};
                _ -> throw(refused)
            end
    end;
value(Type, Bytes, _) ->
    case wire_type(Type) of
        0 ->
            {Value, Rest} = varint(Bytes),
            {of_varint(Type, Value), Rest};
        5 when byte_size(Bytes) >= 4 ->
            {Octets, Rest} = split_binary(Bytes, 4),
            {of_fixed(Type, Octets), Rest};
        1 when byte_size(Bytes) >= 8 ->
            {Octets, Rest} = split_binary(Bytes, 8),
            {of_fixed(Type, Octets), Rest};
        _ ->
            throw(refused)
    end.

of_varint(int32, Value) -> signed(Value, 32);
of_varint(int64, Value) -> signed(Value, 64);
of_varint(uint32, Value) -> Value band 16#ffffffff;
of_varint(uint64, Value) -> Value band 16#ffffffffffffffff;
of_varint(sint32, Value) -> unzigzag(Value band 16#ffffffff);
of_varint(sint64, Value) -> unzigzag(Value band 16#ffffffffffffffff);
of_varint(bool, Value) -> Value band 16#ffffffffffffffff =/= 0.

signed(Value, Bits) ->
    <<Signed:Bits/signed>> = <<Value:Bits>>,
    Signed.

unzigzag(Value) -> (Value bsr 1) bxor -(Value band 1).

of_fixed(Type, <<Value:32/little>>) when Type =:= fixed32 -> Value;
of_fixed(Type, <<Value:64/little>>) when Type =:= fixed64 -> Value;
of_fixed(sfixed32, <<Value:32/little-signed>>) -> Value;
of_fixed(sfixed64, <<Value:64/little-signed>>) -> Value;
of_fixed(float, <<Value:32/little-float>>) -> Value;
of_fixed(double, <<Value:64/little-float>>) -> Value;
of_fixed(float, <<0:16, 16#80, 16#7f>>) -> infinity;
of_fixed(float, <<0:16, 16#80, 16#ff>>) -> '-infinity';
of_fixed(double, <<0:48, 16#f0, 16#7f>>) -> infinity;
of_fixed(double, <<0:48, 16#f0, 16#ff>>) -> '-infinity';
of_fixed(_, _) -> nan.

default(bool, _) -> false;
default(Type, _) when Type =:= float; Type =:= double -> 0.0;
default(string, {_, true, _}) -> [];
default(Type, _) when Type =:= string; Type =:= bytes -> <<>>;
default({enum, _} = Type, {Definitions, _, _}) -> element(1, hd(maps:get(Type, Definitions)));
default({_, _}, _) -> undefined;
default(_, _) -> 0.

finished({open, Type, Open}, Context) -> record(Type, Open, Context);
finished(Value, _) -> Value.

record({_, Name} = Message, Open, {Definitions, _, _} = Context) ->
    Elements = [element_of(Field, Open, Context) || Field <- maps:get(Message, Definitions)],
    list_to_tuple([Name | [Value || {_, Value} <- lists:sort(Elements)]]).

element_of({gpb_oneof, _, Position, _, _}, Open, Context) ->
    case Open of
        #{Position := {Name, Held}} -> {Position, {Name, finished(Held, Context)}};
        _ -> {Position, undefined}
    end;
element_of({field, _, _, Position, {map, _, _}, _, _}, Open, _) ->
    %% gpb's order is that of a dict.
    Store = fun({Key, Value}, Dict) -> dict:store(Key, Value, Dict) end,
    {Position, dict:to_list(lists:foldr(Store, dict:new(), maps:get(Position, Open, [])))};
element_of({field, _, _, Position, _, repeated, _}, Open, _) ->
    {Position, lists:reverse(maps:get(Position, Open, []))};
element_of({field, _, _, Position, Type, Occurrence, _}, Open, Context) ->
    case Open of
        #{Position := Held} -> {Position, finished(Held, Context)};
        _ when Occurrence =:= defaulty -> {Position, default(Type, Context)};
        _ -> {Position, undefined}
    end.
