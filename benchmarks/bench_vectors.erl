%% Every schema of the test vectors, against the C NIF. That dies or hangs on some of them, so they are timed in another
%% VM, and where its answers are not the right ones a schema is left out.
-module(bench_vectors).

-export([run/1, child/2]).

-define(PEER, {"C NIF", nif, epb_c}).
-define(OWN, {"enif_protobuf", nif, enif_protobuf}).
%% So long may a schema take, in milliseconds.
-define(PATIENCE, 30000).

run(Contenders) ->
    case lists:member(?PEER, Contenders) of
        true ->
            Results = schemas(length(vector_files:schemas()), 1, []),
            Names = [Name || #{schema := Name} <- vector_files:schemas()],
            Timed = [{lists:nth(Number, Names), Ratios} || {Number, {_, _} = Ratios} <- Results],
            [direction(What, N, Timed) || {What, N} <- [{"decode", 1}, {"encode", 2}]],
            Left = [Why || {_, Why} <- Results, is_atom(Why)],
            [Wrong, Died] = [length([Why || Why <- Left, Why =:= Kind]) || Kind <- [wrong, died]],
            io:format("~w schemas, of which ~w are timed; the C NIF gets ~w wrong, and dies or hangs on ~w.~n", [
                length(Results), length(Timed), Wrong, Died
            ]);
        false ->
            io:format("Left out: without the C NIF there is nothing to compare with.~n")
    end.

direction(What, N, Timed) ->
    Ratios = [element(N, Ratios) || {_, Ratios} <- Timed],
    Mean = math:exp(lists:sum([math:log(Ratio) || Ratio <- Ratios]) / length(Ratios)),
    Slower = [io_lib:format(" ~ts (~.2fx)", [Name, Ratio]) || {Name, Pair} <- Timed, (Ratio = element(N, Pair)) < 1],
    io:format("~ts: ~.2fx in the geometric mean, ~.2fx to ~.2fx; slower in ~w cells of ~w~ts~n~n", [
        What,
        Mean,
        lists:min(Ratios),
        lists:max(Ratios),
        length(Slower),
        length(Ratios),
        [[":" | Slower] || Slower =/= []]
    ]).

%% In one VM after the other: each does what the ones before have left.
schemas(Count, First, Results) when First > Count ->
    lists:reverse(Results);
schemas(Count, First, Results) ->
    Port = open_port({spawn_executable, filename:join([code:root_dir(), "bin", "erl"])}, [
        {args, ["-noinput", "-pa" | lists:join("-pa", code:get_path())] ++ ["-eval", call(First, Count)]},
        {line, 1000}, exit_status, in, stderr_to_stdout
    ]),
    {Next, More} = answers(Port, First, []),
    schemas(Count, Next, More ++ Results).

call(First, Count) ->
    lists:flatten(io_lib:format("~p:child(~w, ~w).", [?MODULE, First, Count])).

answers(Port, Next, Results) ->
    receive
        {Port, {data, {_, "result " ++ Text}}} ->
            {ok, Tokens, _} = erl_scan:string(Text),
            {ok, {Next, _} = Result} = erl_parse:parse_term(Tokens),
            answers(Port, Next + 1, [Result | Results]);
        {Port, {data, _}} ->
            answers(Port, Next, Results);
        {Port, {exit_status, 0}} ->
            {Next, Results};
        {Port, {exit_status, _}} ->
            {Next + 1, [{Next, died} | Results]}
    after ?PATIENCE ->
        {os_pid, Pid} = erlang:port_info(Port, os_pid),
        _ = os:cmd("kill -9 " ++ integer_to_list(Pid)),
        port_close(Port),
        {Next + 1, [{Next, died} | Results]}
    end.

child(First, Last) ->
    Schemas = lists:sublist(vector_files:schemas(), First, Last - First + 1),
    ByName = vector_files:by_schema("roundtrip"),
    lists:foldl(
        fun(#{schema := Name} = Schema, Number) ->
            io:format("result ~0p.~n", [{Number, schema(Schema, proplists:get_value(Name, ByName, []))}]),
            Number + 1
        end,
        First,
        Schemas
    ),
    halt(0).

schema(Schema, Vectors) ->
    Defs = vector_files:definitions(Schema),
    try
        [ok, ok] = [load(Contender, Defs) || Contender <- [?OWN, ?PEER]],
        case [{Wire, Record} || #{wire := Wire, decoded_binaries := Record} <- Vectors, same(Wire, Record)] of
            [] -> wrong;
            Right -> {ratio(decode, Right), ratio(encode, Right)}
        end
    catch
        _:_ -> wrong
    end.

load({_, _, Module} = Contender, Defs) ->
    ok = bench_contenders:load(Contender, Defs),
    Module:set_opts([{with_utf8, true}]).

same(Wire, Record) ->
    try
        Name = element(1, Record),
        Record = enif_protobuf:decode(Wire, Name),
        Record = epb_c:decode(Wire, Name),
        enif_protobuf:encode(Record) =:= epb_c:encode(Record)
    catch
        _:_ -> false
    end.

%% Of all messages one after the other.
ratio(What, Right) ->
    Runs = [
        {Name, calls([bench_contenders:operation(C, What, argument(What, Pair)) || Pair <- Right]), default}
     || {Name, _, _} = C <- [?OWN, ?PEER]
    ],
    [{_, Own}, {_, Peer}] = bench_measure:measure(Runs, bench_measure:setting("BENCH_ROUNDS", 15)),
    bench_measure:ratio(Peer, Own).

argument(decode, {Wire, Record}) -> {Wire, element(1, Record)};
argument(encode, {_, Record}) -> Record.

calls(Funs) ->
    fun() -> lists:foreach(fun(Fun) -> Fun() end, Funs) end.
