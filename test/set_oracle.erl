%% The oracle of set/4,5: decodes, replaces in the record, and encodes.
-module(set_oracle).

-include_lib("eunit/include/eunit.hrl").

-export([agrees/5, agrees_at/5, changes/4, fields/1, named/2]).

%% Sets some of what can be set in these bytes, which are those of the record, to values of another record.
agrees(Wire, Record, Donor, Defs, Count) ->
    case outcome(fun() -> enif_protobuf:encode(Record) end) of
        {ok, _} -> agrees_in(Wire, Record, Donor, Defs, Count);
        %% Without what is required the oracle cannot write it.
        {error, _} -> ok
    end.

agrees_in(Wire, Record, Donor, Defs, Count) ->
    Fields = fields(Defs),
    Index = record_form:index(Defs),
    Changes = [{[], Donor} | sample(Count, changes(Record, Donor, Fields, 4))],
    [agrees_at(Wire, Record, Change, Fields, Index) || Change <- Changes].

%% One of these changes.
agrees_at(Wire, Record, {Path, Value}, Fields, Index) ->
    Expected = expected(Record, Path, Value, Fields),
    Set = outcome(fun() -> set(Wire, element(1, Record), Path, Value) end),
    same({Wire, Path, Value}, Expected, Set, Index).

%% Of what is lacking and cannot be, encoding all of it may find another field first, in a message that was made.
same(_, {error, {_, {_, [{value, undefined} | _]}}}, {error, {_, {_, [{value, undefined} | _]}}}, _) ->
    ok;
same(What, Expected, Set, Index) ->
    case bits(Expected, Index) =:= bits(Set, Index) of
        true -> ok;
        false -> ?assertEqual({What, Expected}, {What, Set})
    end.

expected(Record, Path, Value, Fields) ->
    Name = element(1, Record),
    Replaced =
        case put(Record, Path, Value, Fields) of
            unchanged -> Record;
            New -> New
        end,
    case outcome(fun() -> enif_protobuf:decode(enif_protobuf:encode(Replaced), Name) end) of
        %% A message that was made lacks what is required in it.
        {error, {gpb_type_error, {_, [{value, undefined} | _]}}} when Value =/= undefined ->
            outcome(fun() -> enif_protobuf:merge(Replaced, enif_protobuf:decode(<<>>, Name)) end);
        Outcome ->
            Outcome
    end.

set(Wire, Name, Path, Value) ->
    Bytes = enif_protobuf:set(Wire, Name, Path, Value),
    Decoded = enif_protobuf:decode(Bytes, Name),
    %% To set it again changes nothing more.
    Again = enif_protobuf:set(Bytes, Name, Path, Value),
    ?assertEqual({Wire, Path, Value, sorted(Decoded)}, {Wire, Path, Value, sorted(enif_protobuf:decode(Again, Name))}),
    case outcome(fun() -> enif_protobuf:encode(Decoded) end) of
        {ok, Whole} -> reads(Bytes, Whole, Name, Path);
        %% A message that was made lacks what is required in it.
        {error, _} -> ok
    end,
    Decoded.

%% Read it is what stands there after decoding.
reads(Bytes, Whole, Name, Path) ->
    [Read, Decoded] = [sorted(enif_protobuf:get(Wire, Name, Path)) || Wire <- [Bytes, Whole]],
    ?assertEqual({Path, Decoded}, {Path, Read}).

%% In what order the entries of a map come is not for here.
sorted([{_, _} | _] = Entries) -> lists:sort([{Key, sorted(Value)} || {Key, Value} <- Entries]);
sorted([Element | Rest]) -> [sorted(Element) | sorted(Rest)];
sorted(Tuple) when is_tuple(Tuple) -> list_to_tuple(sorted(tuple_to_list(Tuple)));
sorted(Other) -> Other.

outcome(Fun) ->
    try
        {ok, Fun()}
    catch
        error:{gpb_type_error, _} = Reason -> {error, Reason}
    end.

%% Also the sign of 0.0.
bits({ok, Record}, Index) -> {ok, term_to_binary(record_form:comparable(Record, Index), [deterministic])};
bits(Error, _) -> Error.

%% Spread over all of them.
sample(Count, List) ->
    Step = max(1, length(List) div Count),
    [Element || {Number, Element} <- lists:zip(lists:seq(1, length(List)), List), Number rem Step =:= 0].

fields(Defs) -> maps:from_list([{Name, F} || {{Kind, Name}, F} <- Defs, Kind =:= msg orelse Kind =:= group]).

%% Paths, each with a value for what it leads to.
changes(_, _, _, 0) ->
    [];
changes(Record, Donor, Fields, Depth) ->
    lists:append([field(Field, Record, Donor, Fields, Depth - 1) || Field <- maps:get(element(1, Record), Fields)]).

field({gpb_oneof, Name, Position, Members, _}, Record, Donor, Fields, Depth) ->
    Given = element(Position, Donor),
    [{[Name], Given}, {[Name], undefined}, {[Name], {no_member, 1}}] ++
        lists:append([member(Member, element(Position, Record), Given, Fields, Depth) || Member <- Members]);
field({field, Name, _, Position, {map, _, Type}, _, _}, Record, Donor, Fields, Depth) ->
    {Has, Given} = {element(Position, Record), element(Position, Donor)},
    [{[Name], Given}, {[Name], []}, {[Name], undefined}] ++
        [{[Name, Key], Value} || {Key, Value} <- lists:sublist(Given, 3)] ++
        [{[Name, Key], undefined} || {Key, _} <- lists:sublist(Has ++ Given, 3)] ++
        [{[Name, Key], no_value} || {Key, _} <- lists:sublist(Given, 1)] ++
        lists:append([
            deeper([Name, Key], Value, {Type, find(Key, Has)}, Fields, Depth)
         || {Key, Value} <- lists:sublist(Given ++ Has, 3)
        ]);
field({field, Name, _, Position, unknown, _, _}, _, Donor, _, _) ->
    [{[Name], element(Position, Donor)}, {[Name], []}, {[Name], undefined}];
field({field, Name, _, Position, Type, repeated, _}, Record, Donor, Fields, Depth) ->
    {Has, Given} = {element(Position, Record), element(Position, Donor)},
    Positions = [At || At <- lists:usort([1, length(Has) div 2, length(Has), length(Has) + 1]), At > 0],
    [{[Name], Given}, {[Name], []}, {[Name], undefined}] ++
        [{[Name, At], Value} || At <- Positions, Value <- lists:sublist(Given, 2)] ++
        [{[Name, 1], undefined}] ++
        lists:append([
            deeper([Name, At], Value, {Type, nth(At, Has)}, Fields, Depth)
         || At <- Positions, Value <- lists:sublist(Given, 2)
        ]);
field({field, Name, _, Position, Type, _, _}, Record, Donor, Fields, Depth) ->
    Given = element(Position, Donor),
    [{[Name], Given}, {[Name], undefined}, {[Name], no_value}] ++
        deeper([Name], Given, {Type, element(Position, Record)}, Fields, Depth).

member({field, Name, _, _, Type, _, _}, Has, Given, Fields, Depth) ->
    Current =
        case Has of
            {Name, Value} -> Value;
            _ -> undefined
        end,
    case Given of
        {Name, New} ->
            [{[Name], New}, {[Name], undefined} | deeper([Name], New, {Type, Current}, Fields, Depth)];
        _ ->
            [{[Name], undefined}]
    end.

%% Into messages: one that is there and one that gives values, or an empty one.
deeper(Path, Given, {{Kind, Name}, Has}, Fields, Depth) when Kind =:= msg; Kind =:= group ->
    [Record, Donor] = [
        if
            is_tuple(Any) -> Any;
            true -> empty(Name)
        end
     || Any <- [Has, Given]
    ],
    [{Path ++ Rest, Value} || {Rest, Value} <- changes(Record, Donor, Fields, Depth)];
deeper(_, _, _, _, _) ->
    [].

%% Groups are no messages to decode by themselves where a message has the name, but here none has.
empty(Name) -> enif_protobuf:decode(<<>>, Name).

find(Key, Pairs) -> proplists:get_value(Key, Pairs).

nth(At, List) when At =< length(List) -> lists:nth(At, List);
nth(_, _) -> undefined.

%% The record with a value in the place of another. What clears where nothing is changes nothing.
put(_, [], Value, _) ->
    Value;
put(Record, [Name | Steps], Value, Fields) ->
    case named(Name, maps:get(element(1, Record), Fields)) of
        {oneof, Position, none} ->
            setelement(Position, Record, Value);
        {oneof, Position, Type} ->
            Current =
                case element(Position, Record) of
                    {Name, Has} -> Has;
                    _ -> undefined
                end,
            case put_in(Current, Type, Steps, Value, Fields) of
                unchanged -> unchanged;
                undefined when Current =:= undefined -> unchanged;
                undefined -> setelement(Position, Record, undefined);
                New -> setelement(Position, Record, {Name, New})
            end;
        {map, Position, Type} when Steps =/= [] ->
            [Key | Rest] = Steps,
            Pairs = element(Position, Record),
            case put_in(find(Key, Pairs), Type, Rest, Value, Fields) of
                unchanged -> unchanged;
                undefined -> setelement(Position, Record, lists:keydelete(Key, 1, Pairs));
                New -> setelement(Position, Record, lists:keystore(Key, 1, Pairs, {Key, New}))
            end;
        {repeated, Position, Type} when Steps =/= [] ->
            [At | Rest] = Steps,
            List = element(Position, Record),
            {Before, Behind} = lists:split(At - 1, List),
            case put_in(nth(At, List), Type, Rest, Value, Fields) of
                unchanged -> unchanged;
                New -> setelement(Position, Record, Before ++ [New | lists:nthtail(min(1, length(Behind)), Behind)])
            end;
        Other ->
            {Position, Type} = {element(2, Other), element(3, Other)},
            case put_in(element(Position, Record), Type, Steps, Value, Fields) of
                unchanged -> unchanged;
                New -> setelement(Position, Record, New)
            end
    end.

put_in(_, _, [], Value, _) -> Value;
put_in(undefined, {_, Name}, Steps, Value, Fields) ->
    case Value =:= undefined andalso clears(Steps, Name, Fields) of
        true -> unchanged;
        false -> put(empty(Name), Steps, Value, Fields)
    end;
put_in(Record, _, Steps, Value, Fields) -> put(Record, Steps, Value, Fields).

%% What is not there is not made to be cleared.
clears([Step], Name, Fields) ->
    case named(Step, maps:get(Name, Fields)) of
        {field, _, _, Occurrence} -> Occurrence =/= required;
        {Kind, _, _} -> Kind =:= oneof
    end;
clears([Step | Steps], Name, Fields) ->
    case {named(Step, maps:get(Name, Fields)), Steps} of
        {{map, _, _}, [_Key]} -> true;
        {{map, _, {_, Inner}}, [_Key | Rest]} -> clears(Rest, Inner, Fields);
        {{repeated, _, {_, Inner}}, [_At | Rest]} when Rest =/= [] -> clears(Rest, Inner, Fields);
        {{repeated, _, _}, _} -> false;
        {{oneof, _, {_, Inner}}, _} -> clears(Steps, Inner, Fields);
        {{field, _, {_, Inner}, _}, _} -> clears(Steps, Inner, Fields)
    end.

named(Name, [{gpb_oneof, Name, Position, _, _} | _]) ->
    {oneof, Position, none};
named(Name, [{gpb_oneof, _, Position, Members, _} | Fields]) ->
    case lists:keyfind(Name, 2, Members) of
        {field, Name, _, _, Type, _, _} -> {oneof, Position, Type};
        false -> named(Name, Fields)
    end;
named(Name, [{field, Name, _, Position, {map, _, Type}, _, _} | _]) ->
    {map, Position, Type};
named(Name, [{field, Name, _, Position, Type, repeated, _} | _]) ->
    {repeated, Position, Type};
named(Name, [{field, Name, _, Position, Type, Occurrence, _} | _]) ->
    {field, Position, Type, Occurrence};
named(Name, [_ | Fields]) ->
    named(Name, Fields).
