%% Times enif_protobuf beside its peers in one VM and prints a table.
%%
%% A case is measured in rounds. In a round every contender runs one slice of a few milliseconds, in an order that
%% changes from round to round. Each has a process of its own for the whole case, with a default heap. A number is the
%% median of a contender's slices; the spread is half the distance between the quartiles, in percent of the median; a
%% ratio is the median of the ratios round by round, so that what disturbs the machine for a while disturbs both sides.
-module(codec_bench).

-export([main/0]).

-define(OWN, enif_protobuf).
-define(C_NIF, epb_c).
-define(GPB, codec_bench_gpb).

main() ->
    try
        Data = os:getenv("BENCH_DATA", "benchmarks/data"),
        Defs = read_defs(filename:join(Data, "google_messages_defs.eterm")),
        Contenders = contenders(Defs),
        Contenders =/= [] orelse throw("nothing to measure: build the library first, with make"),
        Results = [{Case, measure(Case, Contenders)} || Case <- cases(Data, Defs, Contenders)],
        print(Results, Contenders),
        halt(0)
    catch
        throw:Reason ->
            io:format(standard_error, "benchmark: ~ts~n", [Reason]),
            halt(1);
        Class:Reason:Stack ->
            io:format(standard_error, "benchmark: ~0p:~0P~n~p~n", [Class, Reason, 30, Stack]),
            halt(1)
    end.

read_defs(File) ->
    case file:consult(File) of
        {ok, [Defs]} -> Defs;
        {error, Reason} -> throw([File, ": ", file:format_error(Reason)])
    end.

%% The contenders: {Title, Kind, Module}. What is not on the code path is left out.

contenders(Defs) ->
    contender("enif_protobuf", ?OWN, "ENIF_PROTOBUF_EBIN", fun() -> nif(?OWN, Defs) end) ++
        contender("C NIF", ?C_NIF, "EPB_C_EBIN", fun() -> nif(?C_NIF, Defs) end) ++
        contender("gpb", gpb_compile, "GPB_PATH", fun() -> gpb(Defs) end).

contender(Title, Module, Variable, Prepared) ->
    case {code:ensure_loaded(Module), os:getenv(Variable)} of
        {{module, Module}, _} ->
            {Kind, Codec} = Prepared(),
            [{Title, Kind, Codec}];
        {{error, _}, false} ->
            left_out("the environment variable ~ts says where it is, see benchmarks/README.md", Title, [Variable]);
        {{error, Reason}, Place} ->
            left_out("~ts is ~ts, but no module ~ts loads from there (~0p)", Title, [Variable, Place, Module, Reason])
    end.

left_out(Why, Title, Arguments) ->
    io:format(standard_error, "benchmark: without ~ts: " ++ Why ++ "~n", [Title | Arguments]),
    [].

nif(Module, Defs) ->
    ok = Module:load_cache(Defs),
    ok = Module:set_opts([{string_as_list, false}, {with_utf8, false}]),
    {nif, Module}.

gpb(Defs) ->
    {ok, ?GPB, Code} = gpb_compile:proto_defs(?GPB, Defs, [binary, strings_as_binaries]),
    {module, ?GPB} = code:load_binary(?GPB, "codec_bench_gpb.beam", Code),
    {gpb, ?GPB}.

%% The cases: {Title, Operation}. Every contender must give the same answer before it is timed.

cases(Data, Defs, Contenders) ->
    Messages = [
        {"small", "google_message1.dat", 'Message1'},
        {"large", "google_message2.dat", 'Message2'}
    ],
    All = lists:append([message_cases(Data, Defs, hd(Contenders), Message) || Message <- Messages]),
    Kinds = [
        "decode",
        "decode, large heap",
        "encode, strings as lists",
        "encode, strings as lists, collected",
        "encode, strings as binaries"
    ],
    Sorted = [Case || Kind <- Kinds, Case <- All, kind(Case) =:= Kind],
    lists:foreach(fun(Case) -> same_answers(Case, Contenders) end, Sorted),
    Sorted.

kind({Title, _}) ->
    [_Size, Kind] = string:split(Title, " "),
    Kind.

message_cases(Data, Defs, {_, Kind, Module}, {Size, File, Name}) ->
    {ok, Wire} = file:read_file(filename:join(Data, File)),
    Binaries = (operation(Kind, Module, {decode, Wire, Name}))(),
    Lists = strings_as_lists(Binaries, Defs),
    [
        {Size ++ " decode", {decode, Wire, Name}},
        {Size ++ " decode, large heap", {large_heap, {decode, Wire, Name}}},
        {Size ++ " encode, strings as lists", {encode, fresh({Name, lists}, Lists)}},
        {Size ++ " encode, strings as lists, collected", {encode, {collected, Lists}}},
        {Size ++ " encode, strings as binaries", {encode, fresh({Name, binaries}, Binaries)}}
    ].

%% How the cells of lists lie in memory decides how fast they can be read, for every contender. A record is mostly
%% encoded soon after it was made, when the cells of a list lie side by side. A garbage collection puts the cells of all
%% lists that it finds together alternately; that is a case of its own. A persistent term stays as it was made, and the
%% collected record is what a worker makes of its copy within the first few slices.
fresh(Key, Record) ->
    ok = persistent_term:put({?MODULE, Key}, Record),
    {fresh, {?MODULE, Key}}.

record({fresh, Key}) -> persistent_term:get(Key);
record({collected, Record}) -> Record.

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

same_answers({Title, Operation}, Contenders) ->
    Answers = [{Name, (operation(Kind, Module, Operation))()} || {Name, Kind, Module} <- Contenders],
    [{_, Expected} | Others] = Answers,
    case [Name || {Name, Answer} <- Others, Answer =/= Expected] of
        [] -> ok;
        Differing -> throw(io_lib:format("~ts: ~p differ from ~ts", [Title, Differing, element(1, hd(Answers))]))
    end.

operation(Kind, Module, {large_heap, Operation}) ->
    operation(Kind, Module, Operation);
operation(nif, Module, {decode, Wire, Name}) ->
    fun() -> Module:decode(Wire, Name) end;
operation(nif, Module, {encode, Source}) ->
    Record = record(Source),
    fun() -> Module:encode(Record) end;
operation(gpb, Module, {decode, Wire, Name}) ->
    fun() -> Module:decode_msg(Wire, Name) end;
operation(gpb, Module, {encode, Source}) ->
    Record = record(Source),
    fun() -> Module:encode_msg(Record) end.

%% Measuring: the nanoseconds of one call, for each contender one number a round.

measure({_Title, Operation}, Contenders) ->
    Rounds = setting("BENCH_ROUNDS", 100),
    Slice = setting("BENCH_SLICE_MS", 10) * 1000000,
    Runs = [
        begin
            Fun = operation(Kind, Module, Operation),
            {Worker, Calls} = start_worker(Operation, Fun, Slice),
            {Name, Worker, Calls}
        end
     || {Name, Kind, Module} <- Contenders
    ],
    Times = [round_times(Runs, Round) || Round <- lists:seq(1, Rounds)],
    lists:foreach(fun({_, Worker, _}) -> Worker ! stop end, Runs),
    [{Name, [maps:get(Name, Round) || Round <- Times]} || {Name, _, _} <- Contenders].

%% A heap large enough for all the results of a slice, and made empty before each, so that nothing is collected within.
%% It is no larger, for the VM gives memory of this size back to itself; of more the system would clear every page anew.
start_worker({large_heap, _}, Fun, _Slice) ->
    Words = 400000,
    Calls = max(1, Words * 7 div 8 div (erts_debug:flat_size(Fun()) + 20)),
    Worker = spawn_opt(fun() -> worker(Fun, fun erlang:garbage_collect/0) end, [link, {min_heap_size, Words}]),
    _ = [slice(Worker, Calls) || _ <- lists:seq(1, 10)],
    {Worker, Calls};
start_worker(_, Fun, Slice) ->
    Worker = spawn_link(fun() -> worker(Fun, fun() -> true end) end),
    {Worker, calls_for(Worker, Slice)}.

round_times(Runs, Round) ->
    {Front, Back} = lists:split(Round rem length(Runs), Runs),
    maps:from_list([{Name, slice(Worker, Calls)} || {Name, Worker, Calls} <- Back ++ Front]).

calls_for(Worker, Slice) ->
    _ = slice(Worker, 10),
    calls_for(Worker, Slice, 16).

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

worker(Fun, Prepare) ->
    receive
        {From, Calls} ->
            true = Prepare(),
            Start = erlang:monotonic_time(nanosecond),
            repeat(Fun, Calls),
            From ! {self(), (erlang:monotonic_time(nanosecond) - Start) / Calls},
            worker(Fun, Prepare);
        stop ->
            ok
    end.

repeat(_Fun, 0) ->
    ok;
repeat(Fun, Calls) ->
    _ = Fun(),
    repeat(Fun, Calls - 1).

setting(Name, Default) ->
    case string:to_integer(os:getenv(Name, integer_to_list(Default))) of
        {Value, ""} when Value > 0 -> Value;
        _ -> throw([Name, " must be a positive integer"])
    end.

%% The table, in the form of Markdown.

print(Results, Contenders) ->
    [{First, _, _} | Peers] = Contenders,
    Names = [Name || {Name, _, _} <- Contenders],
    Against = [["against ", Name] || {Name, _, _} <- Peers],
    io:format("OTP ~ts, ~ts: median time of a call, ± half the distance between the quartiles", [
        erlang:system_info(otp_release), erlang:system_info(system_architecture)
    ]),
    [io:format("; against: how many times faster ~ts is", [First]) || Peers =/= []],
    io:format(".~n~n"),
    row(["case" | Names ++ Against]),
    row(["---" | ["---:" || _ <- Names ++ Against]]),
    lists:foreach(fun({{Title, _}, Times}) -> row([Title | cells(Times)]) end, Results).

cells([{_, Own} | Peers] = Times) ->
    [time(Samples) || {_, Samples} <- Times] ++ [ratio(Samples, Own) || {_, Samples} <- Peers].

ratio(Samples, Own) ->
    io_lib:format("~.2fx", [quantile(0.5, lists:zipwith(fun(P, O) -> P / O end, Samples, Own))]).

row(Cells) ->
    io:format("| ~ts |~n", [lists:join(" | ", Cells)]).

time(Samples) ->
    Median = quantile(0.5, Samples),
    Spread = (quantile(0.75, Samples) - quantile(0.25, Samples)) / 2 / Median * 100,
    [duration(Median), io_lib:format(" ± ~.1f%", [Spread])].

duration(Nanoseconds) when Nanoseconds < 10000 -> io_lib:format("~b ns", [round(Nanoseconds)]);
duration(Nanoseconds) -> io_lib:format("~.1f µs", [Nanoseconds / 1000]).

quantile(Q, Samples) ->
    Sorted = lists:sort(Samples),
    lists:nth(1 + round(Q * (length(Sorted) - 1)), Sorted).
