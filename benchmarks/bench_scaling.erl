%% Two processes on two schedulers, against one: how much more they do together.
-module(bench_scaling).

-export([run/1]).

-define(MILLISECONDS, 200).

run(Contenders) ->
    {_, Defs, [{_, Wire, Name} | _]} = bench_messages:google(),
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, Contenders),
    Record = (bench_contenders:operation(hd(Contenders), decode, {Wire, Name}))(),
    io:format("Calls of two processes at once against those of one, with the small message (median of rounds).~n~n"),
    bench_table:row(["case" | [Title || {Title, _, _} <- Contenders]]),
    bench_table:row(["---" | ["---:" || _ <- Contenders]]),
    [
        bench_table:row([
            atom_to_list(What)
            | [io_lib:format("~.2f", [factor(bench_contenders:operation(C, What, Argument))]) || C <- Contenders]
        ])
     || {What, Argument} <- [{decode, {Wire, Name}}, {encode, Record}]
    ],
    ok.

factor(Fun) ->
    bench_measure:quantile(0.5, [calls(Fun, 2) / calls(Fun, 1) || _ <- lists:seq(1, 15)]).

%% How many calls so many processes make in the time.
calls(Fun, Processes) ->
    End = erlang:monotonic_time(millisecond) + ?MILLISECONDS,
    Workers = [spawn_monitor(fun() -> exit({done, work(Fun, End, 0)}) end) || _ <- lists:seq(1, Processes)],
    lists:sum([
        receive
            {'DOWN', Ref, process, Pid, {done, Calls}} -> Calls
        end
     || {Pid, Ref} <- Workers
    ]).

work(Fun, End, Calls) ->
    case erlang:monotonic_time(millisecond) >= End of
        true ->
            Calls;
        false ->
            _ = [Fun() || _ <- lists:seq(1, 100)],
            work(Fun, End, Calls + 100)
    end.
