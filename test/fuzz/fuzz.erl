%% Watches VMs in which the library is tried, each door in turn, with terms read directly and through the API only.
%% Counts cases, deaths, hangs, wrong answers, and answers that are not the same in both ways of reading.
-module(fuzz).

-export([run/2]).

%% Without a step for so long it hangs. A step may be several messages of a million levels.
-define(HANG_MS, 60000).
%% A VM is followed by a new one after so long: atoms are never freed.
-define(LIFE_MS, 120000).

-record(tally, {cases = 0, deaths = 0, hangs = 0, wrong = 0}).

run(Seconds, First) ->
    io:format("seeds from ~b on~n", [First]),
    Doors = fuzz_doors:doors(),
    Share = Seconds * 1000 div (2 * length(Doors)),
    Results = [door(Door, First, Share) || Door <- Doors],
    [] =:= [bad || Tally <- Results, Tally#tally{cases = 0} =/= #tally{}].

door(Door, First, Share) ->
    Started = erlang:monotonic_time(millisecond),
    Direct = way(Door, First, Share, "direct", []),
    Api = way(Door, First, Share, "api", [{"ENIF_PROTOBUF_API_ONLY", "1"}]),
    Differ = differ(Door, First),
    Sum = #tally{
        cases = Direct#tally.cases + Api#tally.cases,
        deaths = Direct#tally.deaths + Api#tally.deaths,
        hangs = Direct#tally.hangs + Api#tally.hangs,
        wrong = Direct#tally.wrong + Api#tally.wrong + length(Differ)
    },
    io:format("~s: ~b cases in ~b s, ~b deaths, ~b hangs, ~b wrong answers~n", [
        Door,
        Sum#tally.cases,
        (erlang:monotonic_time(millisecond) - Started) div 1000,
        Sum#tally.deaths,
        Sum#tally.hangs,
        Sum#tally.wrong
    ]),
    Sum.

way(Door, First, Share, Way, Environment) ->
    File = results_file(Door, Way),
    _ = file:delete(File),
    End = erlang:monotonic_time(millisecond) + Share,
    Tally = children(Door, First, First, End, [{"FUZZ_RESULTS", File} | Environment], #tally{}),
    Tally#tally{cases = lists:sum([Count || <<Count:32, _:32>> <= results(File)])}.

results_file(Door, Way) -> filename:join(os:getenv("FUZZ_DIRECTORY"), lists:concat([Door, ".", Way])).

results(File) ->
    case file:read_file(File) of
        {ok, Results} -> Results;
        {error, enoent} -> <<>>
    end.

%% Answers that depend on how terms are read. (A count of 0 is a seed that was not done to its end.)
differ(Door, First) ->
    Answers = fun(Way) -> [Answer || <<Answer:64>> <= results(results_file(Door, Way))] end,
    differ(Door, First, Answers("direct"), Answers("api")).

differ(Door, Seed, [Direct | Directs], [Api | Apis]) when Direct =:= Api; Direct =:= 0; Api =:= 0 ->
    differ(Door, Seed + 1, Directs, Apis);
differ(Door, Seed, [_ | Directs], [_ | Apis]) ->
    io:format("WRONG ~s ~b~n  another answer with ENIF_PROTOBUF_API_ONLY=1~n", [Door, Seed]),
    [Seed | differ(Door, Seed + 1, Directs, Apis)];
differ(_, _, _, _) ->
    [].

children(Door, First, Seed, End, Environment, Tally) ->
    case min(?LIFE_MS, End - erlang:monotonic_time(millisecond)) of
        Left when Left > 0, Tally#tally.wrong < 10, Tally#tally.deaths + Tally#tally.hangs < 10 ->
            {Outcome, Wrong} = watch(child(Door, First, Seed, Left, Environment), Seed),
            At = at(Seed),
            Outcome =:= ended orelse io:format("WRONG ~s ~b~n  the VM ~0p~n", [Door, At, Outcome]),
            Sum = Tally#tally{wrong = Tally#tally.wrong + Wrong},
            case Outcome of
                ended -> children(Door, First, At, End, Environment, Sum);
                hangs -> children(Door, First, At + 1, End, Environment, Sum#tally{hangs = Sum#tally.hangs + 1});
                _ -> children(Door, First, At + 1, End, Environment, Sum#tally{deaths = Sum#tally.deaths + 1})
            end;
        _ ->
            Tally
    end.

child(Door, First, Seed, Milliseconds, Environment) ->
    _ = file:delete(at_file()),
    Erl = filename:join([code:root_dir(), "bin", "erl"]),
    Call = lists:flatten(io_lib:format("fuzz_child:run(~s, ~b, ~b, ~b)", [Door, First, Seed, Milliseconds])),
    Paths = [filename:dirname(code:which(Module)) || Module <- [enif_protobuf, ?MODULE]],
    open_port({spawn_executable, Erl}, [
        {args, ["-noinput", "-pa" | lists:join("-pa", Paths)] ++ ["-eval", Call]},
        {env, Environment},
        {line, 4000},
        exit_status,
        in,
        stderr_to_stdout
    ]).

at_file() -> filename:join(os:getenv("FUZZ_DIRECTORY"), "seed").

at(Seed) ->
    case file:read_file(at_file()) of
        {ok, <<At:64>>} -> At;
        _ -> Seed
    end.

%% Until it ends, or does not go on. Gives also how many answers were wrong.
watch(Port, Seed) -> watch(Port, at(Seed), erlang:monotonic_time(millisecond), 0).

watch(Port, At, Since, Wrong) ->
    receive
        {Port, {data, {_, Line}}} ->
            io:format("~ts~n", [Line]),
            watch(Port, At, Since, Wrong + length([wrong || lists:prefix("WRONG", Line)]));
        {Port, {exit_status, 0}} ->
            {ended, Wrong};
        {Port, {exit_status, Status}} ->
            {{died, Status}, Wrong}
    after 500 ->
        Now = erlang:monotonic_time(millisecond),
        case at(At) of
            At when Now - Since > ?HANG_MS ->
                {os_pid, Pid} = erlang:port_info(Port, os_pid),
                _ = os:cmd("kill -KILL " ++ integer_to_list(Pid)),
                port_close(Port),
                {hangs, Wrong};
            At ->
                watch(Port, At, Since, Wrong);
            Next ->
                watch(Port, Next, Now, Wrong)
        end
    end.
