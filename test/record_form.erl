%% What a record says, told with its definitions: in a form for comparing, as text, with its strings changed.
-module(record_form).

-export([index/1, comparable/2, text/2, map_values/3, map_strings/3, without_defaults/2]).

%% The definitions as a map: {msg, Name} to its fields by position, {enum, Name} to its symbols.
%% A field is {Position, Number, Type, Occurrence}; Type is {oneof, Members} and unknown as well.

index(Defs) ->
    maps:from_list(lists:append([entry(Def) || Def <- Defs])).

entry({{Kind, Name}, Fields}) when Kind =:= msg; Kind =:= group ->
    [{{msg, Name}, [field(F) || F <- Fields]}];
entry({{enum, Name}, Symbols}) ->
    [{{enum, Name}, [{element(1, S), element(2, S)} || S <- Symbols, element(1, S) =/= option]}];
entry(_) ->
    [].

field({field, _Name, Number, Position, Type, Occurrence, _Opts}) ->
    {Position, Number, Type, Occurrence};
field({gpb_oneof, _Name, Position, Fields, _Opts}) ->
    Members = [{Name, {Number, Type}} || {field, Name, Number, _, Type, _, _} <- Fields],
    {Position, none, {oneof, Members}, optional}.

%% Two records are the same when their comparable forms are: floats by their bits, the entries of maps sorted.

comparable(Record, Index) ->
    try
        change(Record, Index, fun comparable_value/2)
    catch
        throw:{not_a_record, _} = Odd -> Odd
    end.

comparable_value(_, Float) when is_float(Float) -> {float, <<Float/float>>};
comparable_value({map, _, _}, Entries) -> {map, lists:sort(Entries)};
comparable_value(_, Value) -> Value.

%% The record with each value given to Fun(Type, Value).

map_values(Fun, Record, Index) ->
    change(Record, Index, Fun).

%% The record with each of its strings given to Fun.

map_strings(Fun, Record, Index) ->
    change(Record, Index, fun
        (string, String) -> Fun(String);
        (_, Value) -> Value
    end).

%% The record with `undefined' where a field without presence holds its default.

without_defaults(Record, Index) ->
    Fields = maps:get({msg, element(1, Record)}, Index),
    Reset = fun({Position, _, Type, Occurrence}, Acc) ->
        Value = element(Position, Acc),
        case absent(Type, Occurrence, Value, Index) of
            true when Occurrence =/= repeated -> setelement(Position, Acc, undefined);
            _ -> setelement(Position, Acc, reset_inner(Type, Occurrence, Value, Index))
        end
    end,
    lists:foldl(Reset, Record, Fields).

reset_inner(_, _, undefined, _) -> undefined;
reset_inner({map, _, Type}, _, Entries, Index) -> [{K, reset_inner(Type, optional, V, Index)} || {K, V} <- Entries];
reset_inner(Type, repeated, Values, Index) -> [reset_inner(Type, optional, V, Index) || V <- Values];
reset_inner({oneof, Members}, _, {Name, Value}, Index) ->
    {Name, reset_inner(member_type(Name, Members), optional, Value, Index)};
reset_inner({Kind, _}, _, Record, Index) when Kind =:= msg; Kind =:= group -> without_defaults(Record, Index);
reset_inner(_, _, Value, _) -> Value.

member_type(Name, Members) ->
    {Name, {_Number, Type}} = lists:keyfind(Name, 1, Members),
    Type.

%% A walk over all values of a record: Fun(Type, Value) with the values inside already changed.

change(Record, Index, Fun) when is_tuple(Record), tuple_size(Record) > 0 ->
    case Index of
        #{{msg, element(1, Record)} := Fields} when tuple_size(Record) =:= length(Fields) + 1 ->
            Change = fun({Position, _, Type, Occurrence}, Acc) ->
                setelement(Position, Acc, change_field(Type, Occurrence, element(Position, Acc), Index, Fun))
            end,
            lists:foldl(Change, Record, Fields);
        _ ->
            throw({not_a_record, Record})
    end;
change(Other, _, _) ->
    throw({not_a_record, Other}).

change_field({map, KeyType, ValueType} = Type, repeated, Entries, Index, Fun) when is_list(Entries) ->
    Fun(Type, [{change_value(KeyType, K, Index, Fun), change_value(ValueType, V, Index, Fun)} || {K, V} <- Entries]);
change_field(Type, repeated, Values, Index, Fun) when is_list(Values) ->
    [change_value(Type, V, Index, Fun) || V <- Values];
change_field(_, _, undefined, _, _) ->
    undefined;
change_field({oneof, Members}, _, {Name, Value}, Index, Fun) ->
    {Name, change_value(member_type(Name, Members), Value, Index, Fun)};
change_field(Type, _, Value, Index, Fun) ->
    change_value(Type, Value, Index, Fun).

change_value({Kind, _} = Type, Record, Index, Fun) when Kind =:= msg; Kind =:= group ->
    Fun(Type, change(Record, Index, Fun));
change_value(Type, Value, _, Fun) ->
    Fun(Type, Value).

%% The text form; test/vectors/README.md describes it.

text(Record, Index) ->
    unicode:characters_to_binary(message(Record, Index)).

message(Record, Index) ->
    Fields = maps:get({msg, element(1, Record)}, Index),
    Shown = lists:append([shown(F, element(element(1, F), Record), Index) || F <- Fields]),
    Unknown = [element(Position, Record) || {Position, _, unknown, _} <- Fields],
    Kept = [["?[", lists:join(",", [kept(U) || U <- Us]), "]"] || Us <- Unknown],
    ["{", lists:join(",", [[integer_to_list(Number), "=", Text] || {Number, Text} <- lists:sort(Shown)]), Kept, "}"].

shown({_, _, unknown, _}, _, _) ->
    [];
shown({_, Number, Type, Occurrence}, Value, Index) ->
    case absent(Type, Occurrence, Value, Index) of
        true -> [];
        false -> [present(Number, Type, Occurrence, Value, Index)]
    end.

present(_, {oneof, Members}, _, {Name, Value}, Index) ->
    {Name, {Number, Type}} = lists:keyfind(Name, 1, Members),
    {Number, value(Type, Value, Index)};
present(Number, {map, KeyType, ValueType}, _, Entries, Index) ->
    Texts = [lists:flatten([value(KeyType, K, Index), ":", value(ValueType, V, Index)]) || {K, V} <- Entries],
    {Number, ["<", lists:join(",", lists:sort(Texts)), ">"]};
present(Number, Type, repeated, Values, Index) ->
    {Number, ["[", lists:join(",", [value(Type, V, Index) || V <- Values]), "]"]};
present(Number, Type, _, Value, Index) ->
    {Number, value(Type, Value, Index)}.

absent(_, _, undefined, _) -> true;
absent(_, repeated, [], _) -> true;
absent(_, defaulty, false, _) -> true;
absent(_, defaulty, <<>>, _) -> true;
absent(_, defaulty, Float, _) when is_float(Float) -> <<Float/float>> =:= <<0:64>>;
absent({enum, _} = Type, defaulty, Symbol, Index) -> value(Type, Symbol, Index) =:= "0";
absent(_, defaulty, 0, _) -> true;
absent(_, _, _, _) -> false.

value({Kind, _}, Record, Index) when Kind =:= msg; Kind =:= group -> message(Record, Index);
value({enum, Name}, Symbol, Index) when is_atom(Symbol) ->
    {Symbol, Number} = lists:keyfind(Symbol, 1, maps:get({enum, Name}, Index)),
    integer_to_list(Number);
value(bool, true, _) -> "t";
value(bool, false, _) -> "f";
value(_, nan, _) -> "nan";
value(_, infinity, _) -> "7ff0000000000000";
value(_, '-infinity', _) -> "fff0000000000000";
value(_, Float, _) when is_float(Float) -> hex(<<Float/float>>);
value(_, Integer, _) when is_integer(Integer) -> integer_to_list(Integer);
value(_, Octets, _) when is_binary(Octets) -> ["'", hex(Octets), "'"].

kept({varint, Number, Value}) -> [integer_to_list(Number), ":0:", integer_to_list(Value)];
kept({fixed64, Number, Value}) -> [integer_to_list(Number), ":1:", integer_to_list(Value)];
kept({length_delimited, Number, Octets}) -> [integer_to_list(Number), ":2:", hex(Octets)];
kept({group, Number, Fields}) -> [integer_to_list(Number), ":3:(", lists:join(",", [kept(F) || F <- Fields]), ")"];
kept({fixed32, Number, Value}) -> [integer_to_list(Number), ":5:", integer_to_list(Value)].

hex(Octets) ->
    [io_lib:format("~2.16.0b", [Octet]) || <<Octet>> <= Octets].
