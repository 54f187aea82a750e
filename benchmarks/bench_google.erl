%% Google's benchmark messages: a small one and a large one.
-module(bench_google).

-export([run/1, messages/0]).

%% Prints the table.
run(Contenders) ->
    {Defs, Messages} = messages(),
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, Contenders),
    Rounds = bench_measure:setting("BENCH_ROUNDS", 100),
    All = lists:append([cases(hd(Contenders), Defs, Message) || Message <- Messages]),
    Kinds = lists:usort([{Number, Kind} || {Number, Kind, _, _, _, _} <- All]),
    Sorted = [Case || {_, Kind} <- Kinds, Case <- All, element(2, Case) =:= Kind],
    lists:foreach(fun(Case) -> same_answers(Case, Contenders) end, Sorted),
    bench_table:head(Contenders),
    lists:foreach(
        fun({_, Kind, Size, Heap, What, Source}) ->
            Runs = [
                {Name, bench_contenders:operation(Contender, What, argument(Source)), Heap}
             || {Name, _, _} = Contender <- Contenders
            ],
            bench_table:times([Size, " ", Kind], Contenders, bench_measure:measure(Runs, Rounds))
        end,
        Sorted
    ).

%% The definitions, and {Size, Wire, Name} of each message.
messages() ->
    Data = os:getenv("BENCH_DATA", "benchmarks/data"),
    Defs =
        case file:consult(filename:join(Data, "google_messages_defs.eterm")) of
            {ok, [Terms]} -> Terms;
            {error, Reason} -> throw([Data, "/google_messages_defs.eterm: ", file:format_error(Reason)])
        end,
    Wire = fun(File) ->
        {ok, Bytes} = file:read_file(filename:join(Data, File)),
        Bytes
    end,
    {Defs, [
        {"small", Wire("google_message1.dat"), 'Message1'},
        {"large", Wire("google_message2.dat"), 'Message2'}
    ]}.

%% {Number of its kind, Kind, Size, Heap, What, Source of the argument}
cases(Own, Defs, {Size, Wire, Name}) ->
    Binaries = (bench_contenders:operation(Own, decode, {Wire, Name}))(),
    Lists = strings_as_lists(Binaries, Defs),
    [
        {1, "decode", Size, default, decode, {this, {Wire, Name}}},
        {2, "decode, large heap", Size, large, decode, {this, {Wire, Name}}},
        {3, "encode, strings as lists", Size, default, encode, fresh({Name, lists}, Lists)},
        {4, "encode, strings as lists, collected", Size, default, encode, {this, Lists}},
        {5, "encode, strings as binaries", Size, default, encode, fresh({Name, binaries}, Binaries)}
    ].

%% How the cells of lists lie in memory decides how fast they can be read, for every contender. A record is mostly
%% encoded soon after it was made, when the cells of a list lie side by side. A garbage collection puts the cells of all
%% lists that it finds together alternately; that is a case of its own. A persistent term stays as it was made, and the
%% collected record is what a worker makes of its copy within the first few slices.
fresh(Key, Record) ->
    ok = persistent_term:put({?MODULE, Key}, Record),
    {fresh, {?MODULE, Key}}.

argument({fresh, Key}) -> persistent_term:get(Key);
argument({this, Argument}) -> Argument.

strings_as_lists(Record, Defs) ->
    {_, Fields} = lists:keyfind({msg, element(1, Record)}, 1, Defs),
    Convert = fun(Field, Acc) ->
        Position = element(4, Field),
        setelement(Position, Acc, as_list(element(5, Field), element(Position, Acc), Defs))
    end,
    lists:foldl(Convert, Record, Fields).

as_list(_, undefined, _) -> undefined;
as_list(Type, [_ | _] = Values, Defs) -> [as_list(Type, V, Defs) || V <- Values];
as_list(string, Value, _) when is_binary(Value) -> binary_to_list(Value);
as_list({Kind, _}, Value, Defs) when Kind =:= msg; Kind =:= group -> strings_as_lists(Value, Defs);
as_list(_, Value, _) -> Value.

%% Every contender must give the same answer before it is timed.
same_answers({_, Kind, Size, _, What, Source}, Contenders) ->
    Answers = [
        {Name, (bench_contenders:operation(Contender, What, argument(Source)))()}
     || {Name, _, _} = Contender <- Contenders
    ],
    [{First, Expected} | Others] = Answers,
    case [Name || {Name, Answer} <- Others, Answer =/= Expected] of
        [] -> ok;
        Differing -> throw(io_lib:format("~ts ~ts: ~p differ from ~ts", [Size, Kind, Differing, First]))
    end.
