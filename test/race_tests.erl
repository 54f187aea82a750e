%% Loading, forgetting and setting options while other processes encode and decode.
-module(race_tests).

-include_lib("eunit/include/eunit.hrl").

one() -> schema_terms:proto2([{msg, 'M', [{x, 1, int32}, {s, 2, string}, {m, 3, {msg, 'M'}, repeated}]}]).

%% The same record and bytes mean the same under these definitions.
other() -> schema_terms:proto2([{msg, 'N', [{y, 9, int64}]} | [{msg, 'M', [{x, 1, sfixed32}, {s, 2, bytes}]}]]).

record() -> {'M', 7, <<"text">>, [{'M', 8, <<>>, []}]}.

purge_beside_encode_and_decode_test_() ->
    {timeout, 60, fun() ->
        codec:load(one()),
        Record = record(),
        Wire = codec:encode(Record),
        Workers = [spawn_monitor(fun() -> work(Record, Wire, 4000) end) || _ <- lists:seq(1, 16)],
        Purger = spawn_monitor(fun() -> purge_and_load(one()) end),
        ends_normally(Workers),
        stop(Purger),
        ok = enif_protobuf:load_cache(one()),
        ?assertEqual({Wire, Record}, codec:roundtrip(Record))
    end}.

%% A value, or an error that says there is no cache; nothing else.
work(_, _, 0) ->
    ok;
work(Record, Wire, N) ->
    try enif_protobuf:encode(Record) of
        Wire -> ok
    catch
        error:cache_not_exists -> ok
    end,
    try enif_protobuf:decode(Wire, 'M') of
        Record -> ok
    catch
        error:cache_not_exists -> ok
    end,
    work(Record, Wire, N - 1).

purge_and_load(Defs) ->
    ok = enif_protobuf:purge_cache(),
    ok = enif_protobuf:load_cache(Defs),
    purge_and_load(Defs).

%% A call sees one set of definitions from its begin to its end.
load_beside_encode_and_decode_test_() ->
    {timeout, 60, fun() ->
        codec:load(one()),
        Record = {'M', 7, <<"text">>, []},
        Wires = [encoded(one(), Record), encoded(other(), {'M', 7, <<"text">>})],
        Workers = [spawn_monitor(fun() -> swapped(Record, Wires, 4000) end) || _ <- lists:seq(1, 8)],
        Loader = spawn_monitor(fun() -> swap(one(), other()) end),
        ends_normally(Workers),
        stop(Loader)
    end}.

encoded(Defs, Record) ->
    codec:load(Defs),
    codec:encode(Record).

swapped(_, _, 0) ->
    ok;
swapped(Record, [First, Second] = Wires, N) ->
    Short = {'M', 7, <<"text">>},
    Encoded =
        try
            enif_protobuf:encode(Record)
        catch
            error:{gpb_type_error, {{expected_msg, 'M'}, _}} -> First
        end,
    true = Encoded =:= First,
    case enif_protobuf:decode(First, 'M') of
        Record -> ok;
        {'M', undefined, <<"text">>} -> ok
    end,
    case enif_protobuf:decode(Second, 'M') of
        Short -> ok;
        {'M', undefined, <<"text">>, []} -> ok
    end,
    swapped(Record, Wires, N - 1).

swap(A, B) ->
    ok = enif_protobuf:load_cache(A),
    swap(B, A).

options_beside_decode_test_() ->
    {timeout, 60, fun() ->
        codec:load(one()),
        Wire = codec:encode(record()),
        AsList = {'M', 7, "text", [{'M', 8, [], []}]},
        Workers = [spawn_monitor(fun() -> either(Wire, record(), AsList, 4000) end) || _ <- lists:seq(1, 8)],
        Setter = spawn_monitor(fun() -> toggle(true) end),
        ends_normally(Workers),
        stop(Setter),
        codec:options(false, false)
    end}.

%% All strings of a record have one form.
either(_, _, _, 0) ->
    ok;
either(Wire, Binaries, Lists, N) ->
    case enif_protobuf:decode(Wire, 'M') of
        Binaries -> ok;
        Lists -> ok
    end,
    either(Wire, Binaries, Lists, N - 1).

toggle(AsList) ->
    ok = enif_protobuf:set_opts([{string_as_list, AsList}]),
    toggle(not AsList).

ends_normally(Workers) ->
    lists:foreach(
        fun({Pid, Ref}) ->
            receive
                {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(normal, Reason)
            end
        end,
        Workers
    ).

stop({Pid, Ref}) ->
    exit(Pid, kill),
    receive
        {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(killed, Reason)
    end.
