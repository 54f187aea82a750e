%% Loading definitions: how long it takes, and what stays.
-module(bench_loading).

-export([run/1]).

-define(LOADS, 10000).

run(Contenders) ->
    [Own | _] = Contenders,
    Defs = definitions(1000),
    Times = [element(1, timer:tc(fun() -> bench_contenders:load(Own, Defs) end)) / 1000 || _ <- lists:seq(1, 21)],
    io:format("load_cache/1 of 1,000 messages with 20 fields each: ~.1f ms (least of 21), ~.1f ms (median).~n~n", [
        lists:min(Times), bench_measure:quantile(0.5, Times)
    ]),
    Small = definitions(20),
    load_and_purge(Own, Small, ?LOADS div 10),
    Before = memory(),
    load_and_purge(Own, Small, ?LOADS),
    io:format("Resident memory before and after ~w loads and purges of 20 such messages: ~w and ~w kB.~n", [
        ?LOADS, Before, memory()
    ]).

%% Each with ten values, five strings and five messages of another of them.
definitions(Count) ->
    schema_terms:proto2([{msg, message(N), fields(N, Count)} || N <- lists:seq(1, Count)]).

fields(N, Count) ->
    [{field(F), F, type(F, message(1 + (N * F) rem Count))} || F <- lists:seq(1, 20)].

type(F, _) when F rem 4 < 2 -> int32;
type(F, _) when F rem 4 =:= 2 -> string;
type(_, Message) -> {msg, Message}.

message(N) -> list_to_atom("M" ++ integer_to_list(N)).
field(N) -> list_to_atom("f" ++ integer_to_list(N)).

load_and_purge(_, _, 0) ->
    ok;
load_and_purge({_, _, Module} = Own, Defs, Times) ->
    ok = bench_contenders:load(Own, Defs),
    ok = Module:purge_cache(),
    load_and_purge(Own, Defs, Times - 1).

%% Resident, in kB; 0 where the system does not say.
memory() ->
    erlang:garbage_collect(),
    case file:read_file("/proc/self/status") of
        {ok, Status} ->
            {match, [KiloBytes]} = re:run(Status, "VmRSS:\\s+([0-9]+)", [{capture, all_but_first, list}]),
            list_to_integer(KiloBytes);
        {error, _} ->
            0
    end.
