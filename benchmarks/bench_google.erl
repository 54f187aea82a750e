%% Google's benchmark messages: a small one and a large one.
-module(bench_google).

-export([run/1]).

%% Prints the table.
run(Contenders) ->
    {What, Defs, Messages} = bench_messages:google(),
    io:format("With ~ts.~n~n", [What]),
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, Contenders),
    Rounds = bench_measure:setting("BENCH_ROUNDS", 100),
    All = lists:append([cases(hd(Contenders), Defs, Message) || Message <- Messages]),
    Kinds = lists:usort([{Number, Kind} || {Number, Kind, _, _, _, _} <- All]),
    Sorted = [Case || {_, Kind} <- Kinds, Case <- All, element(2, Case) =:= Kind],
    lists:foreach(fun(Case) -> same_answers(Case, Contenders) end, Sorted),
    bench_table:head(Contenders),
    lists:foreach(
        fun({_, Kind, Size, Heap, Direction, Argument}) ->
            Runs = [
                {Name, bench_contenders:operation(Contender, Direction, Argument), Heap}
             || {Name, _, _} = Contender <- Contenders
            ],
            bench_table:times([Size, " ", Kind], Contenders, bench_measure:measure(Runs, Rounds))
        end,
        Sorted
    ).

%% {Number of its kind, Kind, Size, Heap, What, Argument}
%%
%% How the cells of lists lie in memory decides how fast they can be read, for every contender. A record is mostly
%% encoded soon after it was made, when the cells of a list lie side by side. A garbage collection puts the cells of all
%% lists that it finds together alternately; that is a case of its own. A persistent term stays as it was made, and the
%% collected record is what a worker makes of its copy within the first few slices.
cases(Own, Defs, {Size, Wire, Name}) ->
    Binaries = (bench_contenders:operation(Own, decode, {Wire, Name}))(),
    Lists = bench_messages:strings_as_lists(Binaries, Defs),
    [
        {1, "decode", Size, default, decode, {Wire, Name}},
        {2, "decode, large heap", Size, large, decode, {Wire, Name}},
        {3, "encode, strings as lists", Size, default, encode, bench_messages:as_made({Name, lists}, Lists)},
        {4, "encode, strings as lists, collected", Size, default, encode, Lists},
        {5, "encode, strings as binaries", Size, default, encode, bench_messages:as_made({Name, binaries}, Binaries)}
    ].

%% Every contender must give the same answer before it is timed.
same_answers({_, Kind, Size, _, What, Argument}, Contenders) ->
    Answers = [
        {Name, (bench_contenders:operation(Contender, What, Argument))()}
     || {Name, _, _} = Contender <- Contenders
    ],
    [{First, Expected} | Others] = Answers,
    case [Name || {Name, Answer} <- Others, Answer =/= Expected] of
        [] -> ok;
        Differing -> throw(io_lib:format("~ts ~ts: ~p differ from ~ts", [Size, Kind, Differing, First]))
    end.
