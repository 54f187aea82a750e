%% What is compared: this library, and the peers that are there.
-module(bench_contenders).

-export([titles/0, all/0, gpb_nif/0, load/2, load/3, operation/3]).

-type contender() :: {Title :: string(), Kind :: nif | gpb | gpb_nif, Module :: module()}.
-export_type([contender/0]).

-define(OWN, "enif_protobuf").
-define(C_NIF, "C NIF").
-define(GPB, "gpb").
-define(GPB_NIF, "gpb's NIF").

%% Of all that there can be.
-spec titles() -> [string()].
titles() -> [?OWN, ?C_NIF, ?GPB, ?GPB_NIF].

%% Those on the code path; of the others it is said why they are left out.
-spec all() -> [contender()].
all() ->
    contender(?OWN, nif, enif_protobuf, enif_protobuf, "ENIF_PROTOBUF_EBIN") ++
        contender(?C_NIF, nif, epb_c, epb_c, "EPB_C_EBIN") ++
        contender(?GPB, gpb, gpb_compile, bench_gpb, "GPB_PATH").

%% The one that knows Google's messages only, for it is built for them.
-spec gpb_nif() -> [contender()].
gpb_nif() ->
    contender(?GPB_NIF, gpb_nif, bench_gpb_nif, bench_gpb_nif, "GPB_NIF_EBIN").

contender(Title, Kind, Needed, Module, Variable) ->
    case {code:ensure_loaded(Needed), os:getenv(Variable, "")} of
        {{module, Needed}, _} ->
            [{Title, Kind, Module}];
        {{error, _}, ""} ->
            left_out("the environment variable ~ts says where it is, see benchmarks/README.md", Title, [Variable]);
        {{error, Reason}, Place} ->
            left_out("~ts is ~ts, but no module ~ts loads from there (~0p)", Title, [Variable, Place, Needed, Reason])
    end.

left_out(Why, Title, Arguments) ->
    io:format(standard_error, "benchmark: without ~ts: " ++ Why ++ "~n", [Title | Arguments]),
    [].

%% Makes a contender ready for definitions.
-spec load(contender(), Defs :: list()) -> ok.
load(Contender, Defs) ->
    load(Contender, Defs, []).

%% With further options of gpb, for gpb.
-spec load(contender(), Defs :: list(), Options :: list()) -> ok.
load({_, nif, Module}, Defs, []) ->
    ok = Module:load_cache(Defs),
    ok = Module:set_opts([{string_as_list, false}, {with_utf8, false}]);
load({_, gpb, Module}, Defs, Options) ->
    {ok, Module, Code} = gpb_compile:proto_defs(Module, Defs, [binary, strings_as_binaries | Options]),
    _ = code:purge(Module),
    {module, Module} = code:load_binary(Module, "bench_gpb.beam", Code),
    ok;
load({_, gpb_nif, _}, _, []) ->
    ok.

%% What is timed.
-spec operation(contender(), decode | encode, Argument :: term()) -> fun(() -> term()).
operation({_, nif, Module}, decode, Argument) -> call(fun Module:decode/2, Argument);
operation({_, nif, Module}, encode, Record) -> call(fun Module:encode/1, Record);
operation({_, _, Module}, decode, Argument) -> call(fun Module:decode_msg/2, Argument);
operation({_, _, Module}, encode, Record) -> call(fun Module:encode_msg/1, Record).

%% The function is known from here on, as in a program that names it: the VM looks up no module in each call.
call(Function, {Wire, Name}) when is_function(Function, 2) -> fun() -> Function(Wire, Name) end;
call(Function, Record) -> fun() -> Function(Record) end.
