%% Values of every type together, in records of every size.
-module(values_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [len/2, int/2]).

scalars() ->
    [
        {int32, -5, 0},
        {int64, -5, 0},
        {uint32, 5, 0},
        {uint64, 1 bsl 63, 0},
        {sint32, -5, 0},
        {sint64, -5, 0},
        {fixed32, 5, 0},
        {fixed64, 5, 0},
        {sfixed32, -5, 0},
        {sfixed64, -5, 0},
        {bool, true, false},
        {float, 0.5, 0.0},
        {double, 0.1, 0.0},
        {string, <<"text">>, <<>>},
        {bytes, <<0, 255>>, <<>>},
        {{enum, 'E'}, 'B', 'A'},
        {{msg, 'S'}, {'S', 1}, undefined}
    ].

%% A field of each type in each occurrence, and a map of each key with each value.
defs(Of) ->
    Of([{msg, 'M', fields()}, {msg, 'S', [{x, 1, int32}]}, {enum, 'E', [{'A', 0}, {'B', 1}]}]).

fields() ->
    Singular = [{name(s, I), I, Type} || {I, {Type, _, _}} <- numbered(1)],
    Optional = [{name(o, I), I, Type, optional} || {I, {Type, _, _}} <- numbered(101)],
    Repeated = [{name(r, I), I, Type, repeated} || {I, {Type, _, _}} <- numbered(201)],
    Numbers = lists:seq(301, 300 + length(maps())),
    Maps = [{name(m, I), I, {map, Key, Value}} || {I, {Key, Value}} <- lists:zip(Numbers, maps())],
    Members = [{name(c, I), I, Type} || {I, {Type, _, _}} <- numbered(1001)],
    Singular ++ Optional ++ Repeated ++ Maps ++ [{oneof, choice, Members}].

numbered(From) -> lists:zip(lists:seq(From, From + length(scalars()) - 1), scalars()).

maps() ->
    Keys = [int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64, bool, string],
    [{Key, Value} || Key <- Keys, {Value, _, _} <- scalars()].

name(Letter, I) -> list_to_atom(atom_to_list(Letter) ++ integer_to_list(I)).

value(Type) -> element(2, lists:keyfind(Type, 1, scalars())).

full(Member) ->
    Values = [value(Type) || {Type, _, _} <- scalars()],
    Maps = [[{value(Key), value(Value)}] || {Key, Value} <- maps()],
    list_to_tuple(['M' | Values ++ Values ++ [[V, V] || V <- Values] ++ Maps ++ [Member]]).

everything_at_once_test_() ->
    [
        {lists:flatten(io_lib:format("~p, member ~0p", [Syntax, Type])), fun() ->
            codec:load(defs(Of)),
            Record = full({name(c, 1000 + I), value(Type)}),
            ?assertEqual(Record, codec:decode(codec:encode(Record), 'M'))
        end}
     || {Syntax, Of} <- [{proto2, fun schema_terms:proto2/1}, {proto3, fun schema_terms:proto3/1}],
        {I, {Type, _, _}} <- numbered(1)
    ].

defaults_of_every_type_test() ->
    codec:load(defs(fun schema_terms:proto3/1)),
    Count = length(scalars()),
    Expected = list_to_tuple(
        ['M' | [Default || {_, _, Default} <- scalars()]] ++ lists:duplicate(Count, undefined) ++
            lists:duplicate(Count + length(maps()), []) ++ [undefined]
    ),
    ?assertEqual(Expected, codec:decode(<<>>, 'M')),
    ?assertEqual(<<>>, codec:encode(Expected)).

%% Lengths at which the length of a length changes, in messages in messages.
lengths_test_() ->
    [
        {integer_to_list(Size), fun() ->
            codec:load(nested_defs()),
            Bytes = binary:copy(<<"x">>, Size),
            Record = {'N', {'N', {'N', undefined, Bytes, []}, <<>>, []}, Bytes, [{'N', undefined, Bytes, []}]},
            ?assertEqual({nested_bytes(Record), Record}, codec:roundtrip(Record))
        end}
     || Size <- lists:append([lists:seq(Near - 9, Near + 3) || Near <- [10, 128, 16384, 2097152]])
    ].

nested_defs() ->
    schema_terms:proto3([{msg, 'N', [{n, 1, {msg, 'N'}}, {b, 2, bytes}, {r, 3, {msg, 'N'}, repeated}]}]).

nested_bytes({'N', Inner, Bytes, Repeated}) ->
    iolist_to_binary([
        [len(1, nested_bytes(Inner)) || Inner =/= undefined],
        [len(2, Bytes) || Bytes =/= <<>>],
        [len(3, nested_bytes(R)) || R <- Repeated]
    ]).

%% Sizes that jump up and down from one message to the next of the same field.
sizes_that_change_test() ->
    codec:load(nested_defs()),
    Sizes = [0, 200, 1, 20000, 100, 130, 5, 3000000, 127, 128, 0, 16383, 16384, 2, 70000, 70],
    Records = [{'N', {'N', undefined, binary:copy(<<"y">>, S), []}, binary:copy(<<"x">>, S), []} || S <- Sizes],
    All = {'N', undefined, <<>>, Records ++ lists:reverse(Records)},
    ?assert({nested_bytes(All), All} =:= codec:roundtrip(All)),
    [?assert(nested_bytes(R) =:= codec:encode(R)) || R <- Records ++ lists:reverse(Records)].

%% Many messages, deep and wide.
many_messages_test() ->
    codec:load(nested_defs()),
    Leaves = [{'N', undefined, integer_to_binary(I), []} || I <- lists:seq(1, 20000)],
    Some = {'N', undefined, <<>>, lists:sublist(Leaves, 100)},
    Record = {'N', {'N', undefined, <<>>, Leaves}, <<>>, [Some | Leaves]},
    ?assert({nested_bytes(Record), Record} =:= codec:roundtrip(Record)).

%% Records of many fields, up to the most that one is likely to meet.
wide_records_test_() ->
    [
        {integer_to_list(Count), fun() ->
            Fields = [{name(f, I), I, int32} || I <- lists:seq(1, Count)],
            codec:load(schema_terms:proto3([{msg, 'M', Fields}, {msg, 'R', [{r, 1, {msg, 'M'}, repeated}]}])),
            Record = list_to_tuple(['M' | lists:seq(1, Count)]),
            Wire = iolist_to_binary([int(I, I) || I <- lists:seq(1, Count)]),
            ?assertEqual({Wire, Record}, codec:roundtrip(Record)),
            ?assertEqual({'R', [Record, Record, Record]}, codec:decode([len(1, Wire) || _ <- [1, 2, 3]], 'R'))
        end}
     || Count <- [0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 1000, 2047, 3000]
    ].

%% In many processes at once, each with its own values.
concurrent_calls_test_() ->
    {timeout, 60, fun() ->
        codec:load(nested_defs()),
        Workers = [
            spawn_monitor(fun() ->
                Bytes = binary:copy(integer_to_binary(I), 10 * I),
                Leaves = [{'N', undefined, <<I>>, []} || _ <- lists:seq(1, I)],
                Record = {'N', {'N', undefined, Bytes, []}, Bytes, Leaves},
                Wire = nested_bytes(Record),
                [{Wire, Record} = codec:roundtrip(Record) || _ <- lists:seq(1, 200)]
            end)
         || I <- lists:seq(1, 50)
        ],
        [
            receive
                {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(normal, Reason)
            end
         || {Pid, Ref} <- Workers
        ]
    end}.
