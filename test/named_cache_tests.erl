%% Several sets of definitions at once, each under a name.
-module(named_cache_tests).

-include_lib("eunit/include/eunit.hrl").

fixture(Tests) -> {foreach, fun purge/0, fun(_) -> purge() end, Tests}.

purge() ->
    ok = enif_protobuf:purge_cache(),
    [ok = enif_protobuf:purge_cache(Name) || Name <- enif_protobuf:caches()],
    ok.

%% Message M with a field of this number.
defs(Number) -> [{{msg, 'M'}, [{field, x, Number, 2, int32, required, []}]}].

encode(Opts) -> enif_protobuf:encode({'M', 1}, Opts).

each_has_its_own_test_() ->
    fixture([
        fun() ->
            ok = enif_protobuf:load_cache(defs(1)),
            ok = enif_protobuf:load_cache(two, defs(2)),
            ok = enif_protobuf:load_cache(three, defs(3)),
            ?assertEqual([three, two], lists:sort(enif_protobuf:caches())),
            All = fun() -> [encode([]), encode([{cache, two}]), encode([{cache, three}])] end,
            ?assertEqual([<<8, 1>>, <<16, 1>>, <<24, 1>>], All()),
            ?assertEqual({'M', 1}, enif_protobuf:decode(<<24, 1>>, 'M', [{cache, three}])),
            %% Loading one again replaces that one.
            ok = enif_protobuf:load_cache(two, defs(4)),
            ?assertEqual([<<8, 1>>, <<32, 1>>, <<24, 1>>], All()),
            %% Purging one, with or without a name, leaves the others.
            ok = enif_protobuf:purge_cache(two),
            ?assertError(cache_not_exists, encode([{cache, two}])),
            ?assertEqual([<<8, 1>>, <<24, 1>>], [encode([]), encode([{cache, three}])]),
            ok = enif_protobuf:purge_cache(),
            ?assertError(cache_not_exists, encode([])),
            ?assertEqual(<<24, 1>>, encode([{cache, three}])),
            ?assertEqual([three], enif_protobuf:caches())
        end
    ]).

nothing_is_shared_test_() ->
    fixture([
        fun() ->
            ok = enif_protobuf:load_cache(one, [{{msg, 'A'}, []}]),
            ?assertError(
                {bad_definitions, #{reason := {undefined_type, {msg, 'A'}}}},
                enif_protobuf:load_cache(two, [{{msg, 'B'}, [{field, a, 1, 2, {msg, 'A'}, optional, []}]}])
            ),
            ?assertEqual([one], enif_protobuf:caches()),
            ?assertError('B', enif_protobuf:encode({'B', 1}, [{cache, one}])),
            ?assertError(cache_not_exists, enif_protobuf:encode({'A'}))
        end
    ]).

from_files_test_() ->
    fixture([
        fun() ->
            ok = enif_protobuf:load_proto(people, "proto/person.proto", []),
            ?assertEqual(<<10, 0, 16, 7>>, enif_protobuf:encode({'Person', <<>>, 7, undefined}, [{cache, people}]))
        end,
        ?_assertError({proto_error, _}, enif_protobuf:load_proto(people, "no_such.proto", [])),
        ?_assertError(badarg, enif_protobuf:load_proto(people, "proto/person.proto", [no_such_option]))
    ]).

names_test_() ->
    fixture([
        ?_assertError(badarg, enif_protobuf:load_cache("one", defs(1))),
        ?_assertError(badarg, enif_protobuf:purge_cache(1)),
        ?_assertEqual(ok, enif_protobuf:purge_cache(never_loaded)),
        ?_assertEqual([], enif_protobuf:caches())
    ]).

%% While processes load and purge some, those that use another see nothing of it.
others_go_on_test_() ->
    {timeout, 60,
        fixture([
            fun() ->
                ok = enif_protobuf:load_cache(steady, defs(7)),
                Until = erlang:monotonic_time(millisecond) + 1000,
                Changers = [spawn_monitor(fun() -> change(N, Until) end) || N <- lists:seq(1, 4)],
                ?assert(steady(Changers, 0) > 1000)
            end
        ])}.

change(N, Until) ->
    Name = list_to_atom("changing_" ++ integer_to_list(N)),
    ok = enif_protobuf:load_cache(Name, defs(N)),
    Expected = enif_protobuf:encode({'M', 1}, [{cache, Name}]),
    Expected = <<(N * 8), 1>>,
    ok = enif_protobuf:purge_cache(Name),
    erlang:monotonic_time(millisecond) > Until orelse change(N, Until).

steady([], Calls) ->
    Calls;
steady(Changers, Calls) ->
    <<56, 1>> = encode([{cache, steady}]),
    receive
        {'DOWN', Ref, process, Pid, Reason} ->
            ?assertEqual(normal, Reason),
            steady(Changers -- [{Pid, Ref}], Calls)
    after 0 -> steady(Changers, Calls + 1)
    end.

%% Definitions with names outlive the module's own reload.
reload_test_() ->
    fixture([
        fun() ->
            ok = enif_protobuf:load_cache(one, defs(1)),
            {module, _} = code:load_file(enif_protobuf),
            ?assertEqual(<<8, 1>>, encode([{cache, one}])),
            true = code:soft_purge(enif_protobuf)
        end
    ]).
