%% Timing contenders in one VM, in rounds. In a round every contender runs one slice of a few milliseconds, in an order
%% that changes from round to round. Each has a process of its own for the whole case. A number is the median of a
%% contender's slices; the spread is half the distance between the quartiles, in percent of the median; a ratio is the
%% median of the ratios round by round, so that what disturbs the machine for a while disturbs both sides.
-module(bench_measure).

-export([measure/2, measure/3, time/1, ratio/2, quantile/2, setting/2]).

%% In words.
-define(LARGE_HEAP, 100000).

%% The nanoseconds of one call, for each contender one number a round. A run is {Name, Fun, Heap}.
measure(Runs, Rounds) ->
    measure(Runs, Rounds, setting("BENCH_SLICE_MS", 10)).

%% With slices of so many milliseconds.
measure(Runs, Rounds, Milliseconds) ->
    Slice = Milliseconds * 1000000,
    Workers = [{Name, start_worker(Heap, Fun, Slice)} || {Name, Fun, Heap} <- Runs],
    Times = [round_times(Workers, Round) || Round <- lists:seq(1, Rounds)],
    lists:foreach(fun({_, {Worker, _}}) -> Worker ! stop end, Workers),
    [{Name, [maps:get(Name, Round) || Round <- Times]} || {Name, _} <- Workers].

%% A large heap is made empty before it could be full, and the clock stands meanwhile: nothing is collected within what
%% is timed. It is no larger than a processor's second cache holds twice, for what is measured is decoding, and not
%% memory.
start_worker(large, Fun, Slice) ->
    Calls = max(1, ?LARGE_HEAP * 7 div 8 div (erts_debug:flat_size(Fun()) + 20)),
    Prepare = fun erlang:garbage_collect/0,
    Worker = spawn_opt(fun() -> worker(Fun, Calls, Prepare) end, [link, {min_heap_size, ?LARGE_HEAP}]),
    {Worker, calls_for(Worker, Slice)};
start_worker(default, Fun, Slice) ->
    Worker = spawn_link(fun() -> worker(Fun, infinity, fun() -> true end) end),
    {Worker, calls_for(Worker, Slice)}.

round_times(Workers, Round) ->
    {Front, Back} = lists:split(Round rem length(Workers), Workers),
    maps:from_list([{Name, slice(Worker, Calls)} || {Name, {Worker, Calls}} <- Back ++ Front]).

calls_for(Worker, Slice) ->
    case slice(Worker, 1) of
        Time when Time > Slice -> 1;
        _ -> calls_for(Worker, Slice, 8)
    end.

calls_for(Worker, Slice, Calls) ->
    case slice(Worker, Calls) * Calls of
        Time when Time < Slice / 4 -> calls_for(Worker, Slice, Calls * 2);
        Time -> max(1, round(Calls * Slice / Time))
    end.

slice(Worker, Calls) ->
    Worker ! {self(), Calls},
    receive
        {Worker, Time} -> Time
    end.

%% Does so many calls when it is asked to, and prepares for each part of them.
worker(Fun, Part, Prepare) ->
    receive
        {From, Calls} ->
            From ! {self(), timed(Fun, Calls, Part, Prepare, 0) / Calls},
            worker(Fun, Part, Prepare);
        stop ->
            ok
    end.

timed(Fun, Calls, Part, Prepare, Time) ->
    Now = min(Calls, Part),
    true = Prepare(),
    Start = erlang:monotonic_time(nanosecond),
    repeat(Fun, Now),
    Total = Time + erlang:monotonic_time(nanosecond) - Start,
    case Calls - Now of
        0 -> Total;
        More -> timed(Fun, More, Part, Prepare, Total)
    end.

repeat(_Fun, 0) ->
    ok;
repeat(Fun, Calls) ->
    _ = Fun(),
    repeat(Fun, Calls - 1).

%% How many times faster the second samples are than the first.
ratio(Samples, Own) ->
    quantile(0.5, lists:zipwith(fun(P, O) -> P / O end, Samples, Own)).

time(Samples) ->
    Median = quantile(0.5, Samples),
    Spread = (quantile(0.75, Samples) - quantile(0.25, Samples)) / 2 / Median * 100,
    [duration(Median), io_lib:format(" ± ~.1f%", [Spread])].

duration(Nanoseconds) when Nanoseconds < 1.0e4 -> io_lib:format("~b ns", [round(Nanoseconds)]);
duration(Nanoseconds) when Nanoseconds < 1.0e7 -> io_lib:format("~.1f µs", [Nanoseconds / 1.0e3]);
duration(Nanoseconds) -> io_lib:format("~.1f ms", [Nanoseconds / 1.0e6]).

quantile(Q, Samples) ->
    Sorted = lists:sort(Samples),
    lists:nth(1 + round(Q * (length(Sorted) - 1)), Sorted).

setting(Name, Default) ->
    case string:to_integer(os:getenv(Name, integer_to_list(Default))) of
        {Value, ""} when Value > 0 -> Value;
        _ -> throw([Name, " must be a positive integer"])
    end.
