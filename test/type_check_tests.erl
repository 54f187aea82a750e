%% Values that a field cannot take: what is said, and where it lies.
-module(type_check_tests).

-include_lib("eunit/include/eunit.hrl").

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {x, 1, uint32},
            {by, 2, bytes},
            {s, 3, {msg, 'S'}},
            {r, 4, int32, repeated},
            {rs, 5, {msg, 'S'}, repeated},
            {m1, 6, {map, string, int32}},
            {m2, 7, {map, int32, {msg, 'S'}}},
            {m3, 8, {map, bool, {enum, 'E'}}},
            {'G', 9, {group, 'M.G'}},
            {'RG', 10, {group, 'M.RG'}, repeated},
            {re, 11, {enum, 'E'}, repeated},
            {rstr, 12, string, repeated},
            {pk, 13, int32, repeated, [packed]},
            {m4, 14, {map, uint64, bytes}},
            {oneof, o, [{os, 15, {msg, 'S'}}, {oi, 16, int32}]},
            {rf, 17, float, repeated, [packed]},
            {rb, 18, bytes, repeated}
        ]},
        {msg, 'S', [{a, 1, int32}, {r, 2, int32, repeated}, {s, 3, {msg, 'S'}}, {rs, 4, {msg, 'S'}, repeated}]},
        {group, 'M.G', [{x, 1, int32}, {'H', 2, {group, 'M.G.H'}, repeated}]},
        {group, 'M.G.H', [{y, 1, int32}]},
        {group, 'M.RG', [{x, 1, int32}]},
        {enum, 'E', [{'A', 0}, {'B', 1}]}
    ]).

field(Name, Value) ->
    {_, Fields} = lists:keyfind({msg, 'M'}, 1, defs()),
    Names = [element(2, F) || F <- Fields],
    list_to_tuple(['M' | [initial(N, Name, Value, Fields) || N <- Names]]).

initial(Name, Name, Value, _) ->
    Value;
initial(Other, _, _, Fields) ->
    case lists:keyfind(Other, 2, Fields) of
        {field, _, _, _, _, repeated, _} -> [];
        _ -> undefined
    end.

s(A) -> {'S', A, [], undefined, []}.

-define(INT32, {bad_integer, int32, signed, 32}).

type_error_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~p ~0p", [Name, Value])), fun() ->
            ?assertEqual({What, Bad, Path}, codec:type_error(field(Name, Value)))
        end}
     || {Name, Value, What, Bad, Path} <- bytes() ++ messages() ++ repeated() ++ maps() ++ groups()
    ]}.

%% The value is the whole of it.
bytes() ->
    Wrong = [a, 1, {a}, [a], [256], [-1], <<1:1>>, [$a | $b], [<<1:1>>], [$a, [$b | c]], 1.0, #{}],
    [{by, V, bad_binary_value, V, "M.by"} || V <- Wrong] ++
        [{rb, [<<>>, V], bad_binary_value, V, "M.rb"} || V <- Wrong] ++
        [{m4, [{1, V}], bad_binary_value, V, "M.m4.value"} || V <- Wrong].

messages() ->
    [
        {s, V, {expected_msg, 'S'}, V, "M.s"}
     || V <- [a, 1, {}, {'S'}, {'S', 1}, {'S', 1, [], undefined, [], 1}, {'X', 1, [], undefined, []}, [], {'M', 1}]
    ] ++
        [
            {s, s(x), ?INT32, x, "M.s.a"},
            {s, {'S', 1, [1, x], undefined, []}, ?INT32, x, "M.s.r"},
            {s, {'S', 1, x, undefined, []}, {invalid_list_of, int32}, x, "M.s.r"},
            {s, {'S', 1, [], s(x), []}, ?INT32, x, "M.s.s.a"},
            {s, {'S', 1, [], undefined, [s(1), s(x)]}, ?INT32, x, "M.s.rs.a"},
            {o, {os, s(x)}, ?INT32, x, "M.o.os.a"},
            {rs, [s(1), s(x)], ?INT32, x, "M.rs.a"},
            {rs, [inside(inside({'S', 1, [x], undefined, []}))], ?INT32, x, "M.rs.rs.rs.r"}
        ].

inside(Record) -> {'S', 1, [], undefined, [Record]}.

repeated() ->
    NoLists = [a, 1, <<>>, {1}, undefined, #{}],
    Lists = [{r, int32}, {rs, {msg, 'S'}}, {re, {enum, 'E'}}, {rstr, string}, {pk, int32}, {rf, float}, {rb, bytes}],
    [{Name, V, {invalid_list_of, Type}, V, "M." ++ atom_to_list(Name)} || V <- NoLists, {Name, Type} <- Lists] ++
        [
            {r, [a], ?INT32, a, "M.r"},
            {r, [1, a], ?INT32, a, "M.r"},
            {r, [[1]], ?INT32, [1], "M.r"},
            {r, [undefined], ?INT32, undefined, "M.r"},
            {r, [1 bsl 31], {value_out_of_range, int32, signed, 32}, 1 bsl 31, "M.r"},
            {r, [1 | 2], {invalid_list_of, int32}, [1 | 2], "M.r"},
            {pk, [1, a], ?INT32, a, "M.pk"},
            {pk, [undefined], ?INT32, undefined, "M.pk"},
            {pk, [1, 2 | a], {invalid_list_of, int32}, [1, 2 | a], "M.pk"},
            {rf, [1.0, a], bad_float_value, a, "M.rf"},
            {rf, [1.0 | <<>>], {invalid_list_of, float}, [1.0 | <<>>], "M.rf"},
            {rs, [a], {expected_msg, 'S'}, a, "M.rs"},
            {rs, [undefined], {expected_msg, 'S'}, undefined, "M.rs"},
            {rs, [{'S'}], {expected_msg, 'S'}, {'S'}, "M.rs"},
            {rs, [s(1) | x], {invalid_list_of, {msg, 'S'}}, [s(1) | x], "M.rs"},
            {re, ['A', 'X'], {invalid_enum, 'E'}, 'X', "M.re"},
            {re, [undefined], {invalid_enum, 'E'}, undefined, "M.re"},
            {rstr, [<<>>, a], bad_unicode_string, a, "M.rstr"},
            {rstr, [undefined], bad_unicode_string, undefined, "M.rstr"},
            {rstr, [<<"a">> | <<"b">>], {invalid_list_of, string}, [<<"a">> | <<"b">>], "M.rstr"}
        ].

maps() ->
    [{m1, V, invalid_list_of_key_value_tuples, V, "M.m1"} || V <- [a, undefined, #{}, 1, <<>>, {<<"k">>, 1}]] ++
        [{m1, [{<<"k">>, 1}, V], invalid_key_value_tuple, V, "M.m1"} || V <- [a, {a}, {<<"a">>, 1, 2}, [a | 1], {}]] ++
        [
            {m1, [{<<"k">>, 1} | x], invalid_list_of_key_value_tuples, [{<<"k">>, 1} | x], "M.m1"},
            {m1, [{a, 1}], bad_unicode_string, a, "M.m1.key"},
            {m1, [{undefined, 1}], bad_unicode_string, undefined, "M.m1.key"},
            {m1, [{<<"k">>, a}], ?INT32, a, "M.m1.value"},
            {m1, [{<<"k">>, undefined}], ?INT32, undefined, "M.m1.value"},
            {m1, [{<<"k">>, 1 bsl 31}], {value_out_of_range, int32, signed, 32}, 1 bsl 31, "M.m1.value"},
            {m1, [{a, b}], bad_unicode_string, a, "M.m1.key"},
            {m2, [{1, a}], {expected_msg, 'S'}, a, "M.m2.value"},
            {m2, [{1, undefined}], {expected_msg, 'S'}, undefined, "M.m2.value"},
            {m2, [{a, s(1)}], ?INT32, a, "M.m2.key"},
            {m2, [{1, s(1)}, {2, s(a)}], ?INT32, a, "M.m2.value.a"},
            {m2, [{1, {'S', 1, [a], undefined, []}}], ?INT32, a, "M.m2.value.r"},
            {m2, [{1 bsl 31, s(1)}], {value_out_of_range, int32, signed, 32}, 1 bsl 31, "M.m2.key"},
            {m3, [{2, 'A'}], bad_boolean_value, 2, "M.m3.key"},
            {m3, [{true, 'X'}], {invalid_enum, 'E'}, 'X', "M.m3.value"},
            {m4, [{-1, <<>>}], {value_out_of_range, uint64, unsigned, 64}, -1, "M.m4.key"}
        ].

groups() ->
    [
        {'G', V, {expected_msg, 'M.G'}, V, "M.G"}
     || V <- [a, {'G', 1, []}, {'M.G', 1}, {'M.G', 1, [], 1}, {'M.RG', 1}]
    ] ++
        [
            {'G', {'M.G', a, []}, ?INT32, a, "M.G.x"},
            {'G', {'M.G', 1, [{'M.G.H', a}]}, ?INT32, a, "M.G.H.y"},
            {'G', {'M.G', 1, [a]}, {expected_msg, 'M.G.H'}, a, "M.G.H"},
            {'G', {'M.G', 1, a}, {invalid_list_of, {group, 'M.G.H'}}, a, "M.G.H"},
            {'RG', a, {invalid_list_of, {group, 'M.RG'}}, a, "M.RG"},
            {'RG', [a], {expected_msg, 'M.RG'}, a, "M.RG"},
            {'RG', [{'M.RG', 1}, {'M.RG', a}], ?INT32, a, "M.RG.x"}
        ].

%% The record's own shape.
top_level_test() ->
    codec:load(defs()),
    ?assertEqual({{expected_msg, 'M'}, {'M'}, "M"}, codec:type_error({'M'})),
    ?assertEqual({{expected_msg, 'S'}, {'S', 1}, "S"}, codec:type_error({'S', 1})),
    Long = {'S', 1, [], undefined, [], extra},
    ?assertEqual({{expected_msg, 'S'}, Long, "S"}, codec:type_error(Long)).

names_with_a_package_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'foo.bar.M', [{m, 1, {msg, 'foo.bar.M'}}, {in, 2, {msg, 'foo.bar.M.Inner'}}]},
            {msg, 'foo.bar.M.Inner', [{camelCase, 1, int32}]}
        ])
    ),
    ?assertEqual(
        {?INT32, a, "foo.bar.M.m.in.camelCase"},
        codec:type_error({'foo.bar.M', {'foo.bar.M', undefined, {'foo.bar.M.Inner', a}}, undefined})
    ),
    ?assertEqual(
        {{expected_msg, 'foo.bar.M'}, {'M', undefined, undefined}, "foo.bar.M.m"},
        codec:type_error({'foo.bar.M', {'M', undefined, undefined}, undefined})
    ).

another_record_in_a_message_field_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'C', [{a, 1, {msg, 'A1'}}]},
            {msg, 'A1', [{a, 1, uint32}]},
            {msg, 'A2', [{b, 1, uint32}, {c, 2, string}]}
        ])
    ),
    Other = {'A2', 1, <<"x">>},
    ?assertEqual({{expected_msg, 'A1'}, Other, "C.a"}, codec:type_error({'C', Other})).

%% Of several mistakes the first in the record is told.
first_mistake_test() ->
    codec:load(defs()),
    Record = setelement(3, setelement(2, field(r, [a]), -1), b),
    ?assertEqual({{value_out_of_range, uint32, unsigned, 32}, -1, "M.x"}, codec:type_error(Record)).

%% A deep path, and names longer than is usual.
long_paths_test() ->
    codec:load(defs()),
    Deep = lists:foldl(fun(_, Inner) -> {'S', 1, [], Inner, []} end, s(x), lists:seq(1, 1000)),
    ?assertEqual({?INT32, x, "S.s.s.s.s.s.s.s...(986 more)...s.s.s.s.s.s.s.a"}, codec:type_error(Deep)),
    Name = list_to_atom(lists:duplicate(255, $n)),
    codec:load(schema_terms:proto2([{msg, Name, [{Name, 1, int32}]}])),
    ?assertEqual({?INT32, x, lists:duplicate(255, $n) ++ "." ++ lists:duplicate(255, $n)}, codec:type_error({Name, x})),
    Chinese = '你好',
    codec:load(schema_terms:proto2([{msg, Chinese, [{'é', 1, int32}]}])),
    ?assertEqual({?INT32, x, "你好.é"}, codec:type_error({Chinese, x})).
