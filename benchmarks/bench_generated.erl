%% What calling by way of a generated module costs, with Google's small message: beside the plain calls, and those with
%% the options that the module gives. Strings are text in all of them.
-module(bench_generated).

-export([run/1]).

-define(MODULE_NAME, bench_generated_messages).
-define(CONTENDERS, [{"enif_protobuf", plain, none}, {"with options", options, none}, {"generated", generated, none}]).

run(_Contenders) ->
    {_, Defs, [{_, Wire, Name} | _]} = bench_messages:google(),
    ok = make(Defs),
    ok = enif_protobuf:load_cache(Defs),
    ok = enif_protobuf:load_cache(?MODULE, Defs),
    ok = enif_protobuf:set_opts([{string_as_list, false}, {with_utf8, true}]),
    Record = enif_protobuf:decode(Wire, Name),
    Encoding = [{cache, ?MODULE}, {utf8, checked}],
    Decoding = [{cache, ?MODULE}, {strings, binary}, {utf8, octets}],
    bench_table:head(?CONTENDERS),
    times("encode", [
        fun() -> enif_protobuf:encode(Record) end,
        fun() -> enif_protobuf:encode(Record, Encoding) end,
        fun() -> ?MODULE_NAME:encode_msg(Record) end
    ]),
    times("decode", [
        fun() -> enif_protobuf:decode(Wire, Name) end,
        fun() -> enif_protobuf:decode(Wire, Name, Decoding) end,
        fun() -> ?MODULE_NAME:decode_msg(Wire, Name) end
    ]).

make(Defs) ->
    Directory = filename:dirname(code:which(?MODULE)),
    ok = enif_protobuf_compile:proto_defs(?MODULE_NAME, Defs, [{o, Directory}, strings_as_binaries]),
    {ok, Name} = compile:file(filename:join(Directory, ?MODULE_NAME), [{outdir, Directory}, {i, Directory}]),
    {module, Name} = code:load_file(Name),
    ok.

times(Title, Funs) ->
    [Same] = lists:usort([Fun() || Fun <- Funs]),
    true = Same =/= none,
    Runs = [{Contender, Fun, default} || {{Contender, _, _}, Fun} <- lists:zip(?CONTENDERS, Funs)],
    bench_table:times(Title, ?CONTENDERS, bench_measure:measure(Runs, bench_measure:setting("BENCH_ROUNDS", 100))).
