%% Other terms that mean the same: what an encoder takes beside what a decoder gives. A number makes the choice.
-module(loosened).

-export([record/3]).

record(Record, Index, Choice) ->
    record_form:map_values(fun(Type, Value) -> value(Type, Value, Choice) end, Record, Index).

value(string, String, Choice) when is_binary(String) ->
    Characters = unicode:characters_to_list(String),
    nested(Characters, Choice, fun(Part) -> unicode:characters_to_binary(Part) end);
value(bytes, Octets, Choice) when is_binary(Octets) ->
    nested(binary_to_list(Octets), Choice, fun list_to_binary/1);
value(bool, true, Choice) when Choice rem 2 =:= 0 -> 1;
value(bool, false, Choice) when Choice rem 2 =:= 0 -> 0;
value(Type, Float, Choice) when (Type =:= float orelse Type =:= double), is_float(Float), Choice rem 2 =:= 0 ->
    case Float == trunc(Float) andalso <<Float/float>> =/= <<128, 0:56>> of
        true -> trunc(Float);
        false -> Float
    end;
value(_, Value, _) ->
    Value.

nested(List, Choice, ToBinary) ->
    {Front, Back} = lists:split(min(Choice rem 7, length(List)), List),
    case Choice rem 5 of
        0 -> List;
        1 -> ToBinary(List);
        2 -> [Front, Back];
        3 -> [[ToBinary(Front)] | ToBinary(Back)];
        4 -> [Front, [[], [ToBinary(Back)]]]
    end.
