%% Tables in the form of Markdown.
-module(bench_table).

-export([head/1, times/3, row/1]).

%% Says what the table shows, and begins it.
head(Contenders) ->
    [First | Peers] = Names = [Name || {Name, _, _} <- Contenders],
    Against = [["against ", Name] || Name <- Peers],
    io:format("OTP ~ts, ~ts: median time of a call, ± half the distance between the quartiles", [
        erlang:system_info(otp_release), erlang:system_info(system_architecture)
    ]),
    [io:format("; against: how many times faster ~ts is", [First]) || Peers =/= []],
    io:format(".~n~n"),
    row(["case" | Names ++ Against]),
    row(["---" | ["---:" || _ <- Names ++ Against]]).

%% A row of times; a contender without samples has a word in their place.
times(Title, Contenders, Results) ->
    [{First, _, _} | Peers] = Contenders,
    {_, Own} = lists:keyfind(First, 1, Results),
    Ratios = [ratio(lists:keyfind(Name, 1, Results), Own) || {Name, _, _} <- Peers],
    row([Title | [cell(lists:keyfind(Name, 1, Results)) || {Name, _, _} <- Contenders] ++ Ratios]).

cell({_, Samples}) when is_list(Samples) -> bench_measure:time(Samples);
cell({_, Why}) -> atom_to_list(Why).

ratio({_, Samples}, Own) when is_list(Samples) -> io_lib:format("~.2fx", [bench_measure:ratio(Samples, Own)]);
ratio(_, _) -> "".

row(Cells) ->
    io:format("| ~ts |~n", [lists:join(" | ", Cells)]).
