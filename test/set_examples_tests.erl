%% set/4,5, example by example: what bytes come out, forms of values, errors.
-module(set_examples_tests).

-include_lib("eunit/include/eunit.hrl").

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {n, 1, int32},
            {sub, 2, {msg, 'M'}},
            {list, 3, {msg, 'M'}, repeated},
            {strings, 4, {map, string, int32}},
            {numbers, 5, {map, sint64, {msg, 'M'}}},
            {packed, 7, int32, repeated, [packed]},
            {s, 8, string},
            {grp, 9, {group, 'G'}},
            {oneof, o, [{x, 10, int32}, {y, 11, {msg, 'M'}}]},
            {unpacked, 13, int32, repeated},
            {fixed, 14, fixed32, repeated, [packed]},
            {texts, 15, string, repeated}
        ]},
        {group, 'G', [{n, 1, int32}, {inner, 2, {group, 'G'}}]},
        {msg, 'R', [{r, 1, int32, required}, {n, 2, int32}]}
    ]).

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, fun(_) -> codec:options(false, false) end, Tests}.

set(Wire, Path, Value) -> set(Wire, Path, Value, []).
set(Wire, Path, Value, Opts) ->
    binary_to_list(enif_protobuf:set(iolist_to_binary(Wire), 'M', Path, Value, Opts)).

bytes_test_() ->
    Unknown = [160, 6, 1],
    fixture([
        %% What is there stays in its place, and what is unknown stays as it is, odd varints too.
        ?_assertEqual([128 + 72, 128, 0, 1, 8, 9] ++ Unknown, set([200, 128, 0, 1, 8, 5 | Unknown], [n], 9)),
        ?_assertEqual(Unknown ++ [8, 9], set(Unknown, [n], 9)),
        ?_assertEqual([66, 0, 8, 9, 18, 0], set([8, 1, 66, 0, 8, 5, 18, 0], [n], 9)),
        ?_assertEqual([66, 0, 18, 0], set([8, 1, 66, 0, 8, 5, 18, 0], [n], undefined)),
        %% Messages are made, and merged where they come several times.
        ?_assertEqual([18, 2, 18, 0], set([], [sub, sub], m())),
        ?_assertEqual([18, 4, 18, 2, 8, 1], set([], [sub, sub, n], 1)),
        ?_assertEqual(
            [16, 0, 18, 8, 66, 1, $a, 160, 6, 1, 8, 3], set([16, 0, 18, 3, 66, 1, $a, 18, 3 | Unknown], [sub, n], 3)
        ),
        ?_assertEqual([18, 2, 8, 7], set([18, 2, 8, 1, 18, 2, 8, 2], [sub, n], 7)),
        %% A length that takes another byte.
        ?_assertEqual(
            [18, 131, 1, 66, 128, 1] ++ lists:duplicate(128, $a), set([18, 0], [sub, s], lists:duplicate(128, $a))
        ),
        %% Groups.
        ?_assertEqual([75, 8, 1, 19, 8, 5, 20, 76, 8, 2], set([75, 8, 1, 19, 8, 4, 20, 76, 8, 2], [grp, inner, n], 5)),
        ?_assertEqual([75, 19, 8, 5, 20, 76], set([], [grp, inner, n], 5)),
        ?_assertEqual(
            [75, 19, 20, 8, 1, 76], set([75, 19, 20, 76, 75, 8, 1, 76], [grp, inner], {'G', undefined, undefined})
        )
    ]).

lists_test_() ->
    fixture([
        ?_assertEqual([26, 0, 26, 2, 8, 3, 26, 0], set([26, 0, 26, 2, 8, 1, 26, 0], [list, 2, n], 3)),
        ?_assertEqual([26, 0, 26, 2, 8, 3], set([26, 0], [list, 2, n], 3)),
        ?_assertEqual([26, 0, 26, 0], set([26, 0, 26, 2, 8, 1], [list, 2], m())),
        ?_assertEqual([26, 0, 8, 1, 26, 0], set([26, 0, 8, 1], [list, 2], m())),
        %% Each list is written as it was.
        ?_assertEqual([58, 4, 1, 172, 2, 3, 56, 4], set([58, 3, 1, 2, 3, 56, 4], [packed, 2], 300)),
        ?_assertEqual([58, 3, 1, 2, 3, 56, 172, 2], set([58, 3, 1, 2, 3, 56, 4], [packed, 4], 300)),
        ?_assertEqual([58, 3, 1, 2, 3, 8, 0], set([58, 2, 1, 2, 8, 0], [packed, 3], 3)),
        ?_assertEqual([56, 1, 58, 1, 3], set([56, 1], [packed, 2], 3)),
        ?_assertEqual([58, 1, 3], set([], [packed, 1], 3)),
        ?_assertEqual([104, 1, 104, 3], set([104, 1], [unpacked, 2], 3)),
        ?_assertEqual([106, 2, 3, 2], set([106, 2, 1, 2], [unpacked, 1], 3)),
        ?_assertEqual([114, 8, 1, 0, 0, 0, 3, 0, 0, 0], set([114, 8, 1, 0, 0, 0, 2, 0, 0, 0], [fixed, 2], 3)),
        ?_assertEqual([122, 1, $a, 122, 2, $b, $c], set([122, 1, $a, 122, 1, $b], [texts, 2], <<"bc">>)),
        ?_assertEqual([8, 0, 58, 2, 5, 6], set([58, 1, 1, 8, 0, 56, 2], [packed], [5, 6])),
        ?_assertEqual([8, 0], set([58, 1, 1, 8, 0, 56, 2], [packed], []))
    ]).

maps_test_() ->
    Twice = [34, 5, 10, 1, $a, 16, 1, 8, 0, 34, 5, 10, 1, $a, 16, 2],
    fixture([
        ?_assertEqual([8, 0, 34, 5, 10, 1, $a, 16, 7], set(Twice, [strings, <<"a">>], 7)),
        ?_assertEqual([8, 0], set(Twice, [strings, "a"], undefined)),
        ?_assertEqual(Twice ++ [34, 5, 10, 1, $b, 16, 7], set(Twice, [strings, <<"b">>], 7)),
        ?_assertEqual(Twice, set(Twice, [strings, <<"b">>], undefined)),
        ?_assertEqual([34, 2, 16, 7], set([34, 0], [strings, <<>>], 7)),
        ?_assertEqual([42, 8, 8, 1, 18, 4, 8, 9, 18, 0], set([42, 6, 8, 1, 18, 2, 8, 9], [numbers, -1, sub], m())),
        ?_assertEqual([42, 6, 8, 1, 18, 2, 8, 9], set([42, 2, 8, 1], [numbers, -1, n], 9)),
        ?_assertEqual([42, 6, 8, 1, 18, 2, 8, 9], set([], [numbers, -1, n], 9)),
        ?_assertEqual([], set([], [numbers, -1, n], undefined))
    ]).

oneofs_test_() ->
    fixture([
        ?_assertEqual([80, 7], set([90, 2, 8, 1, 80, 1], [x], 7)),
        ?_assertEqual([90, 0, 8, 0], set([80, 1, 8, 0], [y], m())),
        ?_assertEqual([90, 0], set([80, 1], [o], {y, m()})),
        ?_assertEqual([], set([90, 2, 8, 1, 80, 1], [o], undefined)),
        %% All of it: what was set before would be back.
        ?_assertEqual([], set([90, 2, 8, 1, 80, 1], [x], undefined)),
        ?_assertEqual([90, 2, 8, 1, 80, 1], set([90, 2, 8, 1, 80, 1], [y], undefined)),
        ?_assertEqual([90, 2, 8, 5], set([90, 3, 66, 1, $a, 80, 1], [y, n], 5)),
        ?_assertEqual([90, 2, 8, 5], set([80, 1], [y, n], 5)),
        ?_assertEqual([80, 1], set([80, 1], [y, n], undefined)),
        ?_assertEqual([90, 5, 66, 1, $a, 8, 5], set([80, 1, 90, 3, 66, 1, $a], [y, n], 5)),
        %% A member that is the default is there.
        ?_assertEqual([80, 0], set([], [x], 0))
    ]).

nothing_to_do_test() ->
    codec:load(defs()),
    Wire = binary:copy(<<8, 1>>, 100),
    ?assert(erts_debug:same(Wire, enif_protobuf:set(Wire, 'M', [sub, sub, n], undefined))).

whole_test_() ->
    fixture([
        ?_assertEqual([8, 1], set([18, 0], [], setelement(2, m(), 1))),
        ?_assertEqual([8, 1], set([18, 0], [], #{n => 1}, [{maps, true}]))
    ]).

presence_test() ->
    codec:load(schema_terms:proto3([{msg, 'M', [{n, 1, int32}, {s, 2, string}, {sub, 3, {msg, 'M'}}]}])),
    ?assertEqual([18, 1, $a], set([8, 1, 18, 1, $a], [n], 0)),
    ?assertEqual([18, 1, $a], set([8, 1, 18, 1, $a], [n], undefined)),
    ?assertEqual([8, 1], set([8, 1, 18, 1, $a], [s], "")),
    %% The message around it is there then.
    ?assertEqual([26, 0], set([], [sub, n], 0)),
    ?assertEqual([], set([], [sub, n], undefined)).

m() -> enif_protobuf:decode(<<>>, 'M').

options_test_() ->
    Maps = [{maps, true}],
    fixture([
        ?_assertEqual([18, 2, 8, 3], set([], [sub], #{n => 3}, Maps)),
        ?_assertEqual([26, 2, 8, 3, 26, 0], set([], [list], [#{n => 3}, #{}], Maps)),
        ?_assertEqual([34, 5, 10, 1, $a, 16, 1], set([], [strings], #{<<"a">> => 1}, Maps)),
        ?_assertEqual([34, 5, 10, 1, $a, 16, 1], set([], [strings], #{<<"a">> => 1}, [{mapfields_as_maps, true}])),
        ?_assertEqual([90, 2, 8, 1], set([80, 1], [y], #{n => 1}, [{maps_oneof, flat} | Maps])),
        ?_assertEqual([18, 2, 8, 3], set([], [sub], #{<<"n">> => 3}, [{maps_key_type, binary} | Maps])),
        %% As Elixir has it.
        ?_assertEqual(
            [18, 2, 8, 3], set([], [sub], #{'__struct__' => 'E', n => 3, s => nil}, [{structs, #{'M' => 'E'}}])
        ),
        ?_assertEqual([], set([8, 1], [n], nil, [{structs, #{'M' => 'E'}}])),
        ?_assertEqual([66, 2, 195, 169], set([], [s], [233], [{utf8, checked}])),
        ?_assertEqual([66, 1, 233], set([], [s], [233])),
        fun() ->
            ok = enif_protobuf:load_cache(set, [{{msg, 'M'}, [{field, z, 9, 2, int32, optional, []}]}]),
            ?assertEqual([72, 5], set([], [z], 5, [{cache, set}])),
            ok = enif_protobuf:purge_cache(set)
        end
    ]).

failure(Wire, Path, Value) -> failure(Wire, Path, Value, []).
failure(Wire, Path, Value, Opts) ->
    try
        {set, set(Wire, Path, Value, Opts)}
    catch
        error:{decode_error, #{message := 'M', reason := Reason, offset := Offset}} -> {Reason, Offset};
        error:{gpb_type_error, {What, [{value, Wrong}, {path, Where}]}} -> {What, Wrong, Where};
        error:badarg:Stack -> maps:to_list(enif_protobuf:format_error(badarg, Stack))
    end.

errors_test_() ->
    Bad = {bad_integer, int32, signed, 32},
    fixture([
        ?_assertEqual({Bad, a, "M.n"}, failure([], [n], a)),
        ?_assertEqual({Bad, a, "M.sub.list.n"}, failure([], [sub, list, 1, n], a)),
        ?_assertEqual({Bad, a, "M.sub.list.n"}, failure([], [sub], setelement(4, m(), [setelement(2, m(), a)]))),
        ?_assertEqual({Bad, a, "M.strings.value"}, failure([], [strings, <<"k">>], a)),
        ?_assertEqual({Bad, a, "M.numbers.value.n"}, failure([], [numbers, 1, n], a)),
        ?_assertEqual({Bad, a, "M.packed"}, failure([], [packed, 1], a)),
        ?_assertEqual({Bad, a, "M.o.x"}, failure([], [x], a)),
        ?_assertEqual({Bad, a, "M.o.x"}, failure([], [o], {x, a})),
        ?_assertEqual({Bad, a, "M.o.y.n"}, failure([], [y, n], a)),
        ?_assertEqual({invalid_oneof, a, "M.o"}, failure([], [o], a)),
        ?_assertEqual({{expected_msg, 'M'}, #{}, "M.list"}, failure([], [list, 1], #{})),
        ?_assertEqual({{expected_msg, 'M'}, #{}, "M"}, failure([], [], #{})),
        ?_assertEqual({{invalid_list_of, int32}, undefined, "M.packed"}, failure([], [packed], undefined)),
        ?_assertEqual({{expected_msg, 'M'}, undefined, "M.list"}, failure([26, 0], [list, 1], undefined)),
        ?_assertEqual({bad_unicode_string, <<255>>, "M.s"}, failure([], [s], <<255>>, [{utf8, checked}])),
        ?_assertError(
            {gpb_type_error, {Bad, [{value, undefined}, {path, "R.r"}]}},
            enif_protobuf:set(<<8, 1>>, 'R', [r], undefined)
        ),
        %% What is required elsewhere is not looked for.
        ?_assertEqual(<<16, 5>>, enif_protobuf:set(<<>>, 'R', [n], 5)),
        ?_assertEqual({truncated, 2}, failure([8, 1, 8], [n], 1)),
        ?_assertEqual({truncated, 2}, failure([18, 1, 8], [sub, n], 1)),
        ?_assertEqual({ragged_packed_block, 0}, failure([114, 3, 1, 2, 3], [fixed, 2], 1)),
        ?_assertEqual({{max_size, 1}, 0}, failure([8, 1], [n], 1, [{max_size, 1}])),
        ?_assertEqual({{max_depth, 1}, 0}, failure([91, 91, 92, 92], [n], 1, [{max_depth, 1}])),
        ?_assertEqual({set, [18, 1, 255, 8, 1]}, failure([18, 1, 255], [n], 1)),
        ?_assertEqual([{3, <<"the message on the way has no such field: no">>}], failure([], [no], 1)),
        ?_assertMatch([{3, <<"there is nothing within ", _/binary>>}], failure([], [n, n], 1)),
        ?_assertMatch([{3, <<"not a position in a list, from 1 on: 0">>}], failure([], [list, 0], 1)),
        ?_assertMatch([{3, <<"the list ends before", _/binary>>}], failure([26, 0], [list, 3], m())),
        ?_assertMatch([{3, <<"the list ends before", _/binary>>}], failure([26, 0], [list, 3, n], undefined)),
        ?_assertMatch([{3, <<"the list ends before", _/binary>>}], failure([58, 1, 1], [packed, 3], 1)),
        ?_assertMatch([{3, <<"not a key of this map: a">>}], failure([], [strings, a], 1)),
        ?_assertMatch([{3, <<"there is nothing within ", _/binary>>}], failure([], [packed, 1, n], 1)),
        ?_assertMatch([{3, <<"there is nothing within ", _/binary>>}], failure([], [strings, <<"a">>, n], 1)),
        ?_assertMatch([{3, <<"not a path", _/binary>>}], failure([], n, 1)),
        ?_assertMatch([{5, _}], failure([], [n], 1, [no_option])),
        ?_assertError('N', enif_protobuf:set(<<>>, 'N', [n], 1)),
        ?_assertError(badarg, enif_protobuf:set(not_a_binary, 'M', [n], 1))
    ]).

%% A number without symbol is an unknown field, which stays as such: out of a packed block, too.
closed_enums_test() ->
    Text = "enum E { A = 0; B = 1; } message M { optional E e = 1; repeated E list = 2 [packed = true];"
        " map<int32, E> map = 3; oneof o { E x = 4; int32 y = 5; } }",
    proto_texts:load(Text),
    ?assertEqual([8, 9, 8, 1], set([8, 9, 8, 0], [e], 'B')),
    ?assertEqual([8, 1, 8, 9], set([8, 0, 8, 9], [e], 'B')),
    ?assertEqual([16, 9, 16, 8, 18, 1, 1], set([18, 4, 0, 9, 1, 8], [list], ['B'])),
    ?assertEqual([18, 4, 0, 9, 0, 8], set([18, 4, 0, 9, 1, 8], [list, 2], 'A')),
    ?assertEqual([18, 3, 9, 0, 1], set([18, 2, 9, 0], [list, 2], 'B')),
    ?assertEqual([26, 4, 8, 1, 16, 9, 26, 4, 8, 1, 16, 1], set([26, 4, 8, 1, 16, 9], [map, 1], 'B')),
    ?assertEqual([32, 9, 40, 1], set([32, 9, 32, 1], [y], 1)).

message_set_test() ->
    Text = "message Set { option message_set_wire_format = true; extensions 4 to max; }"
        " message M { extend Set { optional M m = 5; optional M k = 6; } optional int32 n = 1; optional int32 o = 2; }",
    proto_texts:load(Text),
    Wire = <<11, 16, 5, 26, 2, 8, 7, 12, 11, 26, 2, 16, 9, 16, 5, 12, 11, 16, 6, 26, 2, 8, 1, 12, 42, 2, 8, 8>>,
    Set = fun(Path, Value) -> enif_protobuf:set(Wire, 'Set', Path, Value) end,
    ?assertEqual(<<11, 16, 6, 26, 2, 8, 1, 12, 11, 16, 5, 26, 4, 16, 9, 8, 3, 12>>, Set([m, n], 3)),
    ?assertEqual(<<11, 16, 6, 26, 2, 8, 1, 12>>, Set([m], undefined)),
    ?assertEqual({'M', 8, 9}, element(2, enif_protobuf:decode(Set([k], undefined), 'Set'))),
    ?assertEqual(<<11, 16, 6, 26, 0, 12>>, enif_protobuf:set(<<>>, 'Set', [k], {'M', undefined, undefined})).


%% Where a call would take too long it goes on elsewhere.
large_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([[26, 2, 8, 3] || _ <- lists:seq(1, 200000)]),
    Set = enif_protobuf:set(Wire, 'M', [list, 200000, n], 4),
    ?assertEqual(4, enif_protobuf:get(Set, 'M', [list, 200000, n])),
    ?assertEqual(byte_size(Wire), byte_size(Set)),
    Long = lists:duplicate(300000, 1),
    ?assertEqual(Long, enif_protobuf:get(enif_protobuf:set(Wire, 'M', [packed], Long), 'M', [packed])),
    Deep = lists:append(lists:duplicate(20000, [sub])) ++ [n],
    ?assertEqual(4, enif_protobuf:get(enif_protobuf:set(<<>>, 'M', Deep, 4), 'M', Deep)).
