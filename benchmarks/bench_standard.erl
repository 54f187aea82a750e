%% The standard table: Google's small and large message, serialized and deserialized, by all contenders. It is for the
%% README: short, and with what it was measured with. What was measured also goes to the file that BENCH_MEASURED names,
%% for the charts.
-module(bench_standard).

-export([run/1]).

-define(ROUNDS, 31).
-define(MILLISECONDS, 100).
-define(ABSENT, "–").

run(Others) ->
    Contenders = Others ++ bench_contenders:gpb_nif(),
    {What, Defs, Messages} = bench_messages:google(),
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, Contenders),
    Rounds = bench_measure:setting("BENCH_ROUNDS", ?ROUNDS),
    Milliseconds = bench_measure:setting("BENCH_SLICE_MS", ?MILLISECONDS),
    lists:foreach(fun(Message) -> same_answers(Message, Contenders) end, Messages),
    Results = [
        {Way, Size, speeds(Way, Message, Contenders, Rounds, Milliseconds)}
     || Way <- [serialize, deserialize], {Size, _, _} = Message <- Messages
    ],
    medians(Results),
    io:format("~nWith ~ts (~ts bytes), their strings as binaries.~n", [What, sizes(Messages)]),
    [io:format("~ts: was not there.~n", [?ABSENT]) || length(Contenders) < length(bench_contenders:titles())],
    io:format(
        "~nOf ~ts, with ~ts, on ~ts. The median of ~w rounds, in each of which every column has ~w ms, in turn.~n",
        [today(), bench_machine:versions(), bench_machine:machine(), Rounds, Milliseconds]
    ),
    spread(Results),
    write_measured(os:getenv("BENCH_MEASURED", ""), Results).

%% {Title, MB/s in each round, and how many times as fast the first is, or absent}
speeds(Way, {_, Wire, _} = Message, Contenders, Rounds, Milliseconds) ->
    Argument = argument(Way, Message, hd(Contenders)),
    Runs = [
        {Title, bench_contenders:operation(Contender, direction(Way), Argument), default}
     || {Title, _, _} = Contender <- Contenders
    ],
    [{_, Own} | _] = Times = bench_measure:measure(Runs, Rounds, Milliseconds),
    [
        case lists:keyfind(Title, 1, Times) of
            {_, Samples} ->
                Speeds = [byte_size(Wire) * 1.0e3 / Time || Time <- Samples],
                {Title, Speeds, bench_measure:ratio(Samples, Own)};
            false ->
                {Title, absent}
        end
     || Title <- bench_contenders:titles()
    ].

direction(serialize) -> encode;
direction(deserialize) -> decode.

argument(deserialize, {_, Wire, Name}, _) -> {Wire, Name};
argument(serialize, {_, Wire, Name}, Own) ->
    Record = (bench_contenders:operation(Own, decode, {Wire, Name}))(),
    bench_messages:as_made({?MODULE, Name}, Record).

%% All must give the same record, and bytes that say the same: libprotobuf writes fields in the order of their
%% numbers, the others in that of the record.
same_answers({Size, Wire, Name}, [Own | _] = Contenders) ->
    Decoded = fun(Contender, Bytes) -> (bench_contenders:operation(Contender, decode, {Bytes, Name}))() end,
    Record = Decoded(Own, Wire),
    Right = fun(Contender) ->
        Bytes = (bench_contenders:operation(Contender, encode, Record))(),
        Decoded(Contender, Wire) =:= Record andalso byte_size(Bytes) =:= byte_size(Wire) andalso
            Decoded(Own, Bytes) =:= Record
    end,
    case [Title || {Title, _, _} = Contender <- Contenders, not Right(Contender)] of
        [] -> ok;
        Wrong -> throw(io_lib:format("~ts: ~p differ from ~ts", [Size, Wrong, element(1, Own)]))
    end.

medians(Results) ->
    [Own | _] = bench_contenders:titles(),
    io:format("MB/s of encoded bytes, more is better; in parentheses how many times as fast ~ts is.~n~n", [Own]),
    head(),
    table(Results, fun
        ({Title, Speeds, _}) when Title =:= Own -> ["**", median(Speeds), "**"];
        ({_, Speeds, Ratio}) -> io_lib:format("~ts (~.1fx)", [median(Speeds), Ratio])
    end).

spread(Results) ->
    io:format("~n<details>~n<summary>The slowest and the fastest round</summary>~n~n"),
    head(),
    table(Results, fun({_, Speeds, _}) -> [number(lists:min(Speeds)), " to ", number(lists:max(Speeds))] end),
    io:format("~n</details>~n").

head() ->
    Titles = bench_contenders:titles(),
    bench_table:row(["MB/s" | Titles]),
    bench_table:row(["---" | ["---:" || _ <- Titles]]).

table(Results, Cell) ->
    lists:foreach(
        fun({Way, Size, Columns}) ->
            bench_table:row([
                [atom_to_list(Way), ", ", Size]
                | [
                    case Column of
                        {_, absent} -> ?ABSENT;
                        _ -> Cell(Column)
                    end
                 || Column <- Columns
                ]
            ])
        end,
        Results
    ).

median(Speeds) -> number(bench_measure:quantile(0.5, Speeds)).

%% 1,234
number(Value) when Value < 9.95 -> io_lib:format("~.1f", [Value]);
number(Value) -> grouped(integer_to_list(round(Value))).

grouped(Digits) when length(Digits) > 3 ->
    {Front, Back} = lists:split(length(Digits) - 3, Digits),
    [grouped(Front), ",", Back];
grouped(Digits) ->
    Digits.

sizes(Messages) ->
    lists:join(" and ", [grouped(integer_to_list(byte_size(Wire))) || {_, Wire, _} <- Messages]).

today() ->
    {{Year, Month, Day}, _} = calendar:universal_time(),
    io_lib:format("~4..0w-~2..0w-~2..0w", [Year, Month, Day]).

%% A line for each bar, with tabulators between: direction, size, contender, and median, least and most where it was
%% there.
write_measured("", _) ->
    ok;
write_measured(File, Results) ->
    Lines = [
        lists:join("\t", [atom_to_list(Way), Size | bar(Column)]) ++ "\n"
     || {Way, Size, Columns} <- Results, Column <- Columns
    ],
    ok = file:write_file(File, unicode:characters_to_binary(Lines)).

bar({Title, absent}) ->
    [Title];
bar({Title, Speeds, _}) ->
    Numbers = [bench_measure:quantile(0.5, Speeds), lists:min(Speeds), lists:max(Speeds)],
    [Title | [io_lib:format("~.3f", [Number]) || Number <- Numbers]].
