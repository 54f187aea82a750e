%% The calls themselves: one cache for the node, forgetting it, calls that load, arguments of the wrong kind.
-module(api_tests).

-include_lib("eunit/include/eunit.hrl").

defs() -> schema_terms:proto2([{msg, 'M', [{x, 1, int32}, {s, 2, string}]}]).

other() -> schema_terms:proto2([{msg, 'Other', [{x, 1, int32}]}]).

encode_and_decode_test() ->
    codec:load(defs()),
    ?assertEqual(<<8, 1, 18, 1, $a>>, enif_protobuf:encode({'M', 1, <<"a">>})),
    ?assertEqual({'M', 1, <<"a">>}, enif_protobuf:decode(<<8, 1, 18, 1, $a>>, 'M')),
    ?assertEqual(<<>>, enif_protobuf:encode({'M', undefined, undefined})),
    ?assertEqual({'M', undefined, undefined}, enif_protobuf:decode(<<>>, 'M')).

calls_that_load_test() ->
    ok = enif_protobuf:purge_cache(),
    ?assertEqual(<<8, 1>>, enif_protobuf:encode_msg({'M', 1, undefined}, defs())),
    ?assertEqual({'M', 2, undefined}, enif_protobuf:decode(<<8, 2>>, 'M')),
    ok = enif_protobuf:purge_cache(),
    ?assertEqual({'M', 1, undefined}, enif_protobuf:decode_msg(<<8, 1>>, 'M', defs())),
    ?assertEqual(<<8, 2>>, enif_protobuf:encode({'M', 2, undefined})).

nothing_loaded_test() ->
    ok = enif_protobuf:purge_cache(),
    ?assertError(cache_not_exists, enif_protobuf:encode({'M', 1, undefined})),
    ?assertError(cache_not_exists, enif_protobuf:decode(<<8, 1>>, 'M')),
    ok = enif_protobuf:purge_cache(),
    ok = enif_protobuf:load_cache(defs()),
    ?assertEqual(<<8, 1>>, enif_protobuf:encode({'M', 1, undefined})).

%% There is one cache: what is loaded replaces what was.
second_load_replaces_the_first_test() ->
    codec:load(defs()),
    codec:load(other()),
    ?assertEqual({'Other', 1}, enif_protobuf:decode(<<8, 1>>, 'Other')),
    ?assertError('M', enif_protobuf:decode(<<8, 1>>, 'M')),
    ?assertError('M', enif_protobuf:encode({'M', 1, undefined})),
    codec:load(defs() ++ [Def || {{msg, _}, _} = Def <- other()]),
    ?assertEqual({'Other', 1}, enif_protobuf:decode(<<8, 1>>, 'Other')),
    ?assertEqual({'M', 1, undefined}, enif_protobuf:decode(<<8, 1>>, 'M')).

%% The same name with another shape.
a_name_gets_another_shape_test() ->
    codec:load(defs()),
    codec:load(schema_terms:proto2([{msg, 'M', [{y, 1, sint32, repeated}]}])),
    ?assertEqual({<<8, 2>>, {'M', [1]}}, codec:roundtrip({'M', [1]})),
    ?assertEqual({{expected_msg, 'M'}, {'M', 1, undefined}, "M"}, codec:type_error({'M', 1, undefined})).

%% What one process loads all use.
loaded_for_the_whole_node_test() ->
    ok = enif_protobuf:purge_cache(),
    {Pid, Ref} = spawn_monitor(fun() -> codec:load(defs()) end),
    receive
        {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(normal, Reason)
    end,
    ?assertEqual(<<8, 1>>, enif_protobuf:encode({'M', 1, undefined})).

%% The definitions are not needed once they are loaded, nor the process that did it.
definitions_may_be_forgotten_test() ->
    {Pid, Ref} = spawn_monitor(fun() -> codec:load(binary_to_term(term_to_binary(defs()))) end),
    receive
        {'DOWN', Ref, process, Pid, normal} -> ok
    end,
    erlang:garbage_collect(),
    ?assertEqual({<<8, 1, 18, 1, $a>>, {'M', 1, <<"a">>}}, codec:roundtrip({'M', 1, <<"a">>})).

message_name_that_is_not_loaded_test() ->
    codec:load(defs()),
    ?assertError('Nothing', enif_protobuf:decode(<<>>, 'Nothing')),
    ?assertError('Nothing', enif_protobuf:encode({'Nothing'})),
    ?assertError('Nothing', enif_protobuf:encode({'Nothing', 1, 2})),
    ?assertError('', enif_protobuf:decode(<<>>, '')),
    ?assertError('你好', enif_protobuf:decode(<<>>, '你好')).

%% The symbol of an enum is no message's name.
enum_name_is_no_message_test() ->
    codec:load([{{enum, 'E'}, [{'A', 0}]} | defs()]),
    ?assertError('E', enif_protobuf:decode(<<>>, 'E')),
    ?assertError('A', enif_protobuf:decode(<<>>, 'A')).

wrong_arguments_of_encode_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [Argument])), ?_assertError(badarg, enif_protobuf:encode(Argument))}
     || Argument <- [a, 1, 1.0, <<>>, [], "M", {}, #{}, ['M', 1], {"M", 1}, {<<"M">>, 1}, {1, 2}, {{'M', 1}}, self()]
    ]}.

wrong_arguments_of_decode_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [{Input, Name}])), ?_assertError(badarg, enif_protobuf:decode(Input, Name))}
     || {Input, Name} <-
            [{Input, 'M'} || Input <- [a, 1, 1.0, {}, {<<>>}, #{}, <<1:1>>, <<8, 1, 1:7>>, [a], [999], self()]] ++
                [{<<>>, Name} || Name <- ["M", <<"M">>, 1, {}, [], {'M'}, #{}, self()]]
    ]}.

%% Arguments are looked at before the cache is.
wrong_arguments_without_a_cache_test() ->
    ok = enif_protobuf:purge_cache(),
    ?assertError(badarg, enif_protobuf:encode(a)),
    ?assertError(badarg, enif_protobuf:decode(a, 'M')),
    ?assertError(badarg, enif_protobuf:decode(<<>>, "M")).

%% A new version of the module takes over what is loaded, and the options.
reloading_the_module_test() ->
    codec:load(defs(), [{string_as_list, true}]),
    File = code:which(enif_protobuf),
    [
        begin
            code:purge(enif_protobuf),
            {module, enif_protobuf} = code:load_abs(filename:rootname(File)),
            ?assertEqual({'M', 1, "a"}, enif_protobuf:decode(<<8, 1, 18, 1, $a>>, 'M'))
        end
     || _ <- lists:seq(1, 5)
    ],
    code:purge(enif_protobuf),
    ?assertEqual(<<8, 1, 18, 1, $a>>, enif_protobuf:encode({'M', 1, "a"})),
    codec:options(false, false).

%% It tells of any term; what exactly lies in memory differs between releases.
debug_term_test_() ->
    [
        {lists:flatten(io_lib:format("~0p", [Term])), fun() ->
            #{kind := Kind, word := Word} = Seen = enif_protobuf:debug_term(Term),
            ?assertEqual(Expected, Kind),
            ?assert(is_integer(Word)),
            case Boxed of
                true -> ?assert(is_map_key(header, Seen));
                false -> ?assertNot(is_map_key(header, Seen))
            end
        end}
     || {Term, Expected, Boxed} <- [
            {1, integer, false},
            {-1, integer, false},
            {1 bsl 70, integer, true},
            {a, atom, false},
            {[], nil, false},
            {[1 | 2], list, false},
            {{a, 1}, tuple, true},
            {<<"abc">>, binary, true},
            {binary:copy(<<"x">>, 1000), binary, true},
            {1.5, float, true},
            {#{a => 1}, map, true},
            {self(), pid, false},
            {fun() -> ok end, function, true}
        ]
    ].
