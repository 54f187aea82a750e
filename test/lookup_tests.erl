%% get/3,4 and select/3,4: one value out of the bytes of a message is what decoding all of it gives in that place.
-module(lookup_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([prop_a_value_is_what_decoding_gives/0]).

%% Every path in every message of the vectors, those with odd bytes too.
vectors_test_() ->
    [
        {lists:concat([File, " ", Name]), {timeout, 120, fun() -> vectors(vector_files:schema(Name), Vectors) end}}
     || File <- ["roundtrip", "decode", "unknown"], {Name, Vectors} <- vector_files:by_schema(File)
    ].

vectors(Schema, Vectors) ->
    Defs = vector_files:definitions(Schema),
    codec:load(Defs),
    [agrees(Wire, Name, fields(Defs)) || #{wire := Wire, msg := Name} <- Vectors].

agrees(Wire, Name, Fields) ->
    Record = enif_protobuf:decode(Wire, Name),
    Paths = [{[], Record} | paths(Record, Fields, 4)],
    [
        ?assertEqual({Path, bits(Value)}, {Path, bits(enif_protobuf:get(Wire, Name, Path))})
     || {Path, Value} <- Paths
    ],
    {Some, Values} = lists:unzip(lists:sublist(Paths, 10)),
    ?assertEqual(bits(Values), bits(enif_protobuf:select(Wire, Name, Some))).

%% Also the sign of 0.0.
bits(Term) -> term_to_binary(Term, [deterministic]).

properties_test_() ->
    {timeout, 300, fun() -> ?assert(property:check(prop_a_value_is_what_decoding_gives(), 500)) end}.

%% Of two messages one behind the other, which are merged.
prop_a_value_is_what_decoding_gives() ->
    ?FORALL(
        Model,
        random_schema:model(),
        ?FORALL({One, Other}, {random_schema:record(Model), random_schema:record(Model)}, begin
            Defs = random_schema:definitions(Model),
            codec:load(Defs),
            Wire = <<(enif_protobuf:encode(One))/binary, (enif_protobuf:encode(Other))/binary>>,
            property:holds(fun() ->
                agrees(Wire, element(1, One), fields(Defs)),
                true
            end)
        end)
    ).

fields(Defs) -> maps:from_list([{Name, F} || {{Kind, Name}, F} <- Defs, Kind =:= msg orelse Kind =:= group]).

%% The paths in a record, up to a depth, with the value at each.
paths(_, _, 0) ->
    [];
paths(Record, Fields, Depth) ->
    lists:append([field_paths(Field, Record, Fields, Depth - 1) || Field <- maps:get(element(1, Record), Fields)]).

field_paths({gpb_oneof, Name, Position, Members, _}, Record, Fields, Depth) ->
    Set = element(Position, Record),
    [{[Name], Set} | lists:append([member_paths(Member, Set, Fields, Depth) || Member <- Members])];
field_paths({field, Name, _, Position, {map, _, Type}, _, _}, Record, Fields, Depth) ->
    Entries = element(Position, Record),
    [{[Name], Entries} | within(Name, [{Key, Value} || {Key, Value} <- Entries], Type, Fields, Depth)];
field_paths({field, Name, _, Position, Type, repeated, _}, Record, Fields, Depth) when Type =/= unknown ->
    Values = element(Position, Record),
    Numbered = lists:zip(lists:seq(1, length(Values)), Values),
    [{[Name], Values}, {[Name, length(Values) + 1], undefined} | within(Name, Numbered, Type, Fields, Depth)];
field_paths({field, Name, _, Position, Type, _, _}, Record, Fields, Depth) ->
    Value = element(Position, Record),
    [{[Name], Value} | deeper([Name], Value, Type, Fields, Depth)].

member_paths({field, Name, _, _, Type, _, _}, {Name, Value}, Fields, Depth) ->
    [{[Name], Value} | deeper([Name], Value, Type, Fields, Depth)];
member_paths({field, Name, _, _, _, _, _}, _, _, _) ->
    [{[Name], undefined}].

within(Name, Values, Type, Fields, Depth) ->
    lists:append([
        [{[Name, Step], Value} | deeper([Name, Step], Value, Type, Fields, Depth)]
     || {Step, Value} <- lists:sublist(Values, 5)
    ]).

deeper(Path, Record, {Kind, _}, Fields, Depth) when Kind =/= enum, is_tuple(Record) ->
    [{Path ++ Rest, Value} || {Rest, Value} <- paths(Record, Fields, Depth)];
%% Nothing is within something absent.
deeper(Path, undefined, {Kind, Name}, Fields, _) when Kind =/= enum ->
    case maps:get(Name, Fields) of
        [First | _] -> [{Path ++ [element(2, First)], undefined}];
        [] -> []
    end;
deeper(_, _, _, _, _) ->
    [].

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {n, 1, int32},
            {sub, 2, {msg, 'M'}},
            {list, 3, {msg, 'M'}, repeated},
            {strings, 4, {map, string, int32}},
            {numbers, 5, {map, sint64, {msg, 'M'}}},
            {bools, 6, {map, bool, string}},
            {packed, 7, int32, repeated, [packed]},
            {s, 8, string},
            {grp, 9, {group, 'G'}},
            {oneof, o, [{x, 10, int32}, {y, 11, {msg, 'M'}}]},
            {d, 12, string, optional, [{default, "def"}]}
        ]},
        {group, 'G', [{n, 1, int32}, {inner, 2, {group, 'G'}}]}
    ]).

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, fun(_) -> codec:options(false, false) end, Tests}.

get(Wire, Path) -> get(Wire, Path, []).
get(Wire, Path, Opts) -> enif_protobuf:get(iolist_to_binary(Wire), 'M', Path, Opts).

examples_test_() ->
    fixture([
        ?_assertEqual(7, get([8, 5, 8, 7], [n])),
        ?_assertEqual(undefined, get([], [n])),
        ?_assertEqual(undefined, get([], [sub, sub, n])),
        ?_assertEqual(undefined, get([26, 0], [list, 2])),
        ?_assertEqual(3, get([26, 0, 26, 2, 8, 3], [list, 2, n])),
        ?_assertEqual(3, get([58, 2, 1, 2, 56, 3], [packed, 3])),
        ?_assertEqual(undefined, get([58, 2, 1, 2, 56, 3], [packed, 4])),
        ?_assertEqual(2, get([34, 5, 10, 1, "a", 16, 1, 34, 5, 10, 1, "a", 16, 2], [strings, <<"a">>])),
        ?_assertEqual(2, get([34, 5, 10, 1, "a", 16, 2], [strings, "a"])),
        ?_assertEqual(0, get([34, 3, 10, 1, "a"], [strings, <<"a">>])),
        ?_assertEqual(undefined, get([34, 3, 10, 1, "a"], [strings, <<"b">>])),
        ?_assertEqual(9, get([42, 6, 8, 1, 18, 2, 8, 9], [numbers, -1, n])),
        %% A message that does not come in its entry is the empty one.
        ?_assertEqual(undefined, get([42, 2, 8, 1], [numbers, -1, n])),
        ?_assertEqual(element(1, m()), element(1, get([42, 2, 8, 1], [numbers, -1]))),
        ?_assertEqual(<<"t">>, get([50, 5, 8, 1, 18, 1, "t"], [bools, true])),
        %% Merged, over several places.
        ?_assertEqual(5, get([18, 2, 8, 5, 8, 1, 18, 3, 66, 1, "a"], [sub, n])),
        ?_assertEqual(
            setelement(9, setelement(2, m(), 5), <<"a">>), get([18, 2, 8, 5, 8, 1, 18, 3, 66, 1, "a"], [sub])
        ),
        %% Groups, also within each other.
        ?_assertEqual(4, get([75, 19, 8, 4, 20, 76], [grp, inner, n])),
        ?_assertEqual({'G', 1, undefined}, get([75, 8, 1, 76], [grp])),
        %% A oneof starts anew where another member came.
        ?_assertEqual(undefined, get([90, 2, 8, 1, 80, 1, 90, 0], [y, n])),
        ?_assertEqual({x, 1}, get([90, 2, 8, 1, 80, 1], [o])),
        ?_assertEqual(undefined, get([90, 2, 8, 1, 80, 1], [y, n]))
    ]).

m() -> enif_protobuf:decode(<<>>, 'M').

options_test_() ->
    Inner = [26, 3, 66, 1, "a"],
    fixture([
        ?_assertEqual("a", get([66, 1, "a"], [s], [{strings, list}])),
        ?_assertEqual(<<"def">>, get([], [d], [{defaults, true}])),
        ?_assertEqual(<<"def">>, get([26, 0], [list, 1, d], [{defaults, true}])),
        ?_assertMatch(#{s := <<"a">>, strings := #{}}, get(Inner, [list, 1], [{maps, true}])),
        ?_assertEqual(#{}, get([], [strings], [{maps, true}])),
        %% As in structs, what is absent is nil.
        ?_assertEqual([nil, nil, nil, 5], [get([8, 5], Path, [{structs, #{}}]) || Path <- [[sub], [sub, n], [x], [n]]]),
        ?_assertEqual(#{<<"a">> => 2}, get([34, 5, 10, 1, "a", 16, 2], [strings], [{maps, true}])),
        fun() ->
            ok = enif_protobuf:load_cache(lookup, [{{msg, 'M'}, [{field, z, 9, 2, int32, optional, []}]}]),
            ?assertEqual(5, get([72, 5], [z], [{cache, lookup}])),
            ok = enif_protobuf:purge_cache(lookup)
        end
    ]).

failure(Wire, Path, Opts) ->
    try
        {got, get(Wire, Path, Opts)}
    catch
        error:{decode_error, #{message := 'M', reason := Reason, offset := Offset}} -> {Reason, Offset};
        error:badarg:Stack -> maps:keys(enif_protobuf:format_error(badarg, Stack))
    end.

errors_test_() ->
    fixture([
        ?_assertEqual({truncated, 2}, failure([8, 1, 8], [n], [])),
        ?_assertEqual({truncated, 2}, failure([18, 1, 8], [sub, n], [])),
        ?_assertEqual({invalid_utf8, 0}, failure([66, 1, 255], [s], [{utf8, checked}])),
        ?_assertEqual({{max_size, 1}, 0}, failure([8, 1], [n], [{max_size, 1}])),
        %% What is not on the way is not looked at.
        ?_assertEqual({got, 1}, failure([18, 1, 255, 8, 1], [n], [])),
        ?_assertEqual([3], failure([], [no], [])),
        ?_assertEqual([3], failure([], [n, n], [])),
        ?_assertEqual([3], failure([], [list, n], [])),
        ?_assertEqual([3], failure([], [list, 0], [])),
        ?_assertEqual([3], failure([], [strings, 1], [])),
        ?_assertEqual([3], failure([], [packed, 1, n], [])),
        ?_assertEqual([3], failure([34, 3, 10, 1, "a"], [strings, <<"a">>, n], [])),
        ?_assertEqual([3], failure([], n, [])),
        ?_assertEqual([4], failure([], [n], [no_option])),
        ?_assertError(badarg, enif_protobuf:select(<<>>, 'M', [n])),
        ?_assertError('N', enif_protobuf:get(<<>>, 'N', [n])),
        ?_assertError(badarg, enif_protobuf:get(not_a_binary, 'M', [n]))
    ]).

message_set_test() ->
    Text = "message Set { option message_set_wire_format = true; extensions 4 to max; }"
        " message M { extend Set { optional M m = 5; optional M k = 6; } optional int32 n = 1; optional int32 o = 2; }",
    proto_texts:load(Text),
    Wire = <<11, 16, 5, 26, 2, 8, 7, 12, 11, 26, 2, 16, 9, 16, 5, 12, 11, 16, 6, 26, 2, 8, 1, 12>>,
    Set = enif_protobuf:decode(Wire, 'Set'),
    ?assertEqual(element(2, Set), enif_protobuf:get(Wire, 'Set', [m])),
    ?assertEqual([7, 9, 1], enif_protobuf:select(Wire, 'Set', [[m, n], [m, o], [k, n]])).

large_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([[26, 2, 8, 3] || _ <- lists:seq(1, 200000)]),
    ?assertEqual(3, get(Wire, [list, 200000, n])),
    ?assertEqual(200000, length(get(Wire, [list]))).
