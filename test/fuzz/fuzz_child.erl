%% The VM in which the library is tried. It may die at any moment, so what it does is noted in files before it is done:
%% they stay whatever becomes of the VM.
-module(fuzz_child).

-export([run/4, replay/2]).

%% Wrong answers after which it gives up.
-define(ENOUGH, 10).

%% Goes on with seed after seed for so many milliseconds. Where it is, is in the file "seed"; what came of the seeds
%% from First on, in the file Results: 32 bits of how many cases it was, 32 bits of a digest.
run(Door, First, Seed, Milliseconds) ->
    Directory = os:getenv("FUZZ_DIRECTORY"),
    {ok, At} = file:open(filename:join(Directory, "seed"), [write, raw, binary]),
    {ok, Results} = file:open(os:getenv("FUZZ_RESULTS"), [read, write, raw, binary]),
    End = erlang:monotonic_time(millisecond) + Milliseconds,
    loop(Door, First, Seed, End, At, Results, 0).

loop(Door, First, Seed, End, At, Results, Wrong) ->
    case Wrong < ?ENOUGH andalso erlang:monotonic_time(millisecond) < End of
        true ->
            ok = file:pwrite(At, 0, <<Seed:64>>),
            {Count, Digest, Failed} = in_a_process(fun() -> unit(Door, Seed) end),
            ok = file:pwrite(Results, 8 * (Seed - First), <<Count:32, Digest:32>>),
            loop(Door, First, Seed + 1, End, At, Results, Wrong + Failed);
        false ->
            ok = file:pwrite(At, 0, <<Seed:64>>),
            halt(0)
    end.

unit(Door, Seed) ->
    try
        {Count, Digest} = fuzz_doors:unit(Door, Seed),
        {Count, Digest, 0}
    catch
        Class:Reason:Stack ->
            io:format("WRONG ~s ~b~n  ~0P~n  ~0P~n", [Door, Seed, {Class, Reason}, 200, Stack, 40]),
            {1, 0, 1}
    end.

%% Each in a process of its own, whose heap goes with it.
in_a_process(Fun) ->
    {Pid, Reference} = spawn_monitor(fun() -> exit({answer, Fun()}) end),
    receive
        {'DOWN', Reference, process, Pid, {answer, Answer}} -> Answer
    end.

%% One seed again, in the process that asks, with all that is known of a failure.
replay(Door, Seed) ->
    try
        io:format("~p~n", [fuzz_doors:unit(Door, Seed)]),
        halt(0)
    catch
        Class:Reason:Stack ->
            io:format("~0p~n~p~n~p~n", [Class, Reason, Stack]),
            halt(1)
    end.
