%% The functions of a generated module that tell what is in its `.proto' files, as text.
%%
%% Their names and answers are those of the modules that gpb generates.
%% @private
-module(enif_protobuf_introspection).

-export([exports/1, functions/1]).

%% What is told, in one place: the definitions, and the full names of what they define.
-record(told, {
    defs :: enif_protobuf:defs(),
    package :: atom(),
    use_packages :: boolean(),
    form :: records | proplists | {maps, atom | binary}
}).

-define(NAME_LISTS, [get_msg_names, get_group_names, get_msg_or_group_names, get_enum_names, get_service_names]).
-define(CONTAINMENTS, [
    {get_msg_containment, msg_containment, []},
    {get_pkg_containment, pkg_containment, undefined},
    {get_service_containment, service_containment, []},
    {get_rpc_containment, rpc_containment, []},
    {get_enum_containment, enum_containment, []}
]).

-spec exports(enif_protobuf_plan:plan()) -> [{atom(), [arity()]}].
exports(#{shown_defs := Defs}) ->
    lists:append([
        [{get_msg_defs, [0]} | [{Name, [0]} || Name <- ?NAME_LISTS]],
        [{Name, [1]} || Name <- [find_msg_def, fetch_msg_def, find_enum_def, fetch_enum_def]],
        [{enum_symbol_by_value, [2]}, {enum_value_by_symbol, [2]}],
        [{enum_function(Kind, Name), [1]} || {{enum, Name}, _} <- Defs, Kind <- [symbol_by_value, value_by_symbol]],
        [{get_service_def, [1]}, {get_rpc_names, [1]}, {find_rpc_def, [2]}, {fetch_rpc_def, [2]}],
        [{fqbin_to_service_name, [1]}, {service_name_to_fqbin, [1]}],
        [{fqbins_to_service_and_rpc_name, [2]}, {service_and_rpc_name_to_fqbins, [2]}],
        [{Name, [1]} || Name <- [fqbin_to_msg_name, msg_name_to_fqbin, fqbin_to_enum_name, enum_name_to_fqbin]],
        [{get_package_name, [0]}, {uses_packages, [0]}, {source_basename, [0]}],
        [{get_all_source_basenames, [0]}, {get_all_proto_names, [0]}],
        [{Name, [1]} || {Name, _, _} <- ?CONTAINMENTS],
        [{Name, [1]} || Name <- [get_proto_by_msg_name_as_fqbin, get_proto_by_service_name_as_fqbin]],
        [{Name, [1]} || Name <- [get_proto_by_enum_name_as_fqbin, get_protos_by_pkg_name_as_fqbin]]
    ]).

-spec functions(enif_protobuf_plan:plan()) -> iolist().
functions(#{shown_defs := Defs, options := #{use_packages := UsePackages} = Options}) ->
    Told = #told{
        defs = Defs,
        package = proplists:get_value(package, Defs, ''),
        use_packages = UsePackages,
        form = form(Options)
    },
    [definitions(Told), enums(Told), services(Told), full_names(Told), files(Told)].

form(#{defs_as_proplists := true}) -> proplists;
form(#{defs_as_maps := true, maps_key_type := Key}) -> {maps, Key};
form(_) -> records.

%% Messages, groups and enums.

definitions(#told{defs = Defs} = Told) ->
    Names = fun(Kinds) -> [Name || {{Kind, Name}, _} <- Defs, lists:member(Kind, Kinds)] end,
    Found = [{[Name], fields(Fields, Told)} || {{Kind, Name}, Fields} <- Defs, Kind =:= msg orelse Kind =:= group],
    [
        all_definitions(Names),
        constant(get_msg_names, Names([msg])),
        constant(get_group_names, Names([group])),
        constant(get_msg_or_group_names, Names([msg, group])),
        constant(get_enum_names, Names([enum])),
        finder(find_msg_def, Found),
        fetcher(fetch_msg_def, find_msg_def, no_such_msg, Found)
    ].

%% Each definition stands in the module once; those of which there is none are left out.
all_definitions(Names) ->
    Parts = [
        format("[{{~tp, Name}, ~tp(Name)} || Name <- ~tp()]", [Kind, Fetch, List])
     || {Kind, Fetch, List} <- [
            {enum, fetch_enum_def, get_enum_names},
            {msg, fetch_msg_def, get_msg_names},
            {group, fetch_msg_def, get_group_names}
        ],
        Names([Kind]) =/= []
    ],
    All = if Parts =:= [] -> "[]"; true -> lists:join(" ++\n        ", Parts) end,
    format("\n-spec get_msg_defs() -> list().\nget_msg_defs() ->\n    ~ts.\n", [All]).

fields(Fields, #told{form = records}) -> Fields;
fields(Fields, Told) -> [field(Field, Told) || Field <- Fields].

field({field, Name, Number, Place, Type, Occurrence, Options}, Told) ->
    Values = [{name, Name}, {fnum, Number}, {rnum, Place}, {type, Type}, {occurrence, Occurrence}, {opts, Options}],
    mapping(Values, Told);
field({gpb_oneof, Name, Place, Fields, Options}, Told) ->
    mapping([{name, Name}, {rnum, Place}, {fields, fields(Fields, Told)}, {opts, Options}], Told).

mapping(Values, #told{form = {maps, atom}}) -> maps:from_list(Values);
mapping(Values, #told{form = {maps, binary}}) -> maps:from_list([{atom_to_binary(Key), V} || {Key, V} <- Values]);
mapping(Values, #told{form = proplists}) -> Values.

%% The compiler of Erlang itself makes names of that of a function, up to 12 characters longer.
enum_function(Kind, Name) ->
    case lists:concat(["enum_", Kind, "_", Name]) of
        Function when length(Function) =< 255 - 12 -> list_to_atom(Function);
        _ -> erlang:error(system_limit)
    end.

enums(#told{defs = Defs}) ->
    Enums = [{Name, Elements} || {{enum, Name}, Elements} <- Defs],
    Found = [{[Name], Elements} || {Name, Elements} <- Enums],
    [
        finder(find_enum_def, Found),
        fetcher(fetch_enum_def, find_enum_def, no_such_enum, Found),
        enum_dispatch(enum_symbol_by_value, symbol_by_value, Enums),
        enum_dispatch(enum_value_by_symbol, value_by_symbol, Enums),
        [enum_functions(Name, lists:flatmap(fun symbol/1, Elements)) || {Name, Elements} <- Enums]
    ].

%% Symbols come with options or without, and before version 3 the options of the enum come along.
symbol({option, _, _}) -> [];
symbol({Symbol, Value, _Options}) -> [{Symbol, Value}];
symbol({Symbol, Value}) -> [{Symbol, Value}].

enum_dispatch(Function, _Kind, []) ->
    format("
-spec ~tp(term(), term()) -> no_return().
~tp(Enum, Value) -> erlang:error({no_enum_defs, Enum, Value}).
", [Function, Function]);
enum_dispatch(Function, Kind, Enums) ->
    Clauses = [
        format("~tp(~tp, Value) -> ~tp(Value)", [Function, Name, enum_function(Kind, Name)])
     || {Name, _} <- Enums
    ],
    ["\n", lists:join(";\n", Clauses), ".\n"].

%% Of several symbols with one value the first stands for it.
enum_functions(Name, Symbols) ->
    Firsts = lists:foldl(
        fun({Symbol, Value}, Seen) -> [{Symbol, Value} || not lists:keymember(Value, 2, Seen)] ++ Seen end, [], Symbols
    ),
    [
        clauses(enum_function(symbol_by_value, Name), [{[Value], Symbol} || {Symbol, Value} <- lists:reverse(Firsts)]),
        clauses(enum_function(value_by_symbol, Name), [{[Symbol], Value} || {Symbol, Value} <- Symbols])
    ].

%% Services.

services(#told{defs = Defs} = Told) ->
    Services = [{Name, Rpcs} || {{service, Name}, Rpcs} <- Defs],
    Shown = [{Name, [rpc(Rpc, Told) || Rpc <- Rpcs]} || {Name, Rpcs} <- Services],
    Found = [{[Service, element(2, Rpc)], rpc(Rpc, Told)} || {Service, Rpcs} <- Services, Rpc <- Rpcs],
    [
        constant(get_service_names, [Name || {Name, _} <- Services]),
        finder(get_service_def, [{[Name], {{service, Name}, Rpcs}} || {Name, Rpcs} <- Shown]),
        finder(get_rpc_names, [{[Name], [element(2, Rpc) || Rpc <- Rpcs]} || {Name, Rpcs} <- Services]),
        finder(find_rpc_def, Found, 2),
        rpc_fetcher(Found)
    ].

rpc(Rpc, #told{form = records}) ->
    Rpc;
rpc({rpc, Name, Input, Output, InputStream, OutputStream, Options}, Told) ->
    Streams = [{input_stream, InputStream}, {output_stream, OutputStream}],
    mapping([{name, Name}, {input, Input}, {output, Output}] ++ Streams ++ [{opts, Options}], Told).

rpc_fetcher([]) ->
    "
-spec fetch_rpc_def(term(), term()) -> no_return().
fetch_rpc_def(ServiceName, RpcName) -> erlang:error({no_such_rpc, ServiceName, RpcName}).
";
rpc_fetcher(_) ->
    "
fetch_rpc_def(ServiceName, RpcName) ->
    case find_rpc_def(ServiceName, RpcName) of
        error -> erlang:error({no_such_rpc, ServiceName, RpcName});
        Def -> Def
    end.
".

%% Names with their package, as binaries.

full_names(#told{defs = Defs} = Told) ->
    [Services, Messages, Enums] = [full_names_of(Kind, Told) || Kind <- [service, msg, enum]],
    Rpcs = [
        {{atom_to_binary(element(2, Rpc)), element(2, Rpc)}, Service}
     || {_, Name} = Service <- Services, {{service, Other}, Rpcs} <- Defs, Other =:= Name, Rpc <- Rpcs
    ],
    FromRpcs = [{[Full, FullRpc], {Name, Rpc}} || {{FullRpc, Rpc}, {Full, Name}} <- Rpcs],
    ToRpcs = [{[Name, Rpc], {Full, FullRpc}} || {{FullRpc, Rpc}, {Full, Name}} <- Rpcs],
    [
        from_full_name(fqbin_to_service_name, Services, badservice),
        to_full_name(service_name_to_fqbin, Services, badservice),
        partial(fqbins_to_service_and_rpc_name, FromRpcs, badservice_or_rpc, 2),
        partial(service_and_rpc_name_to_fqbins, ToRpcs, badservice_or_rpc, 2),
        from_full_name(fqbin_to_msg_name, Messages, badmsg),
        to_full_name(msg_name_to_fqbin, Messages, badmsg),
        from_full_name(fqbin_to_enum_name, Enums, badenum),
        to_full_name(enum_name_to_fqbin, Enums, badenum),
        file_of(get_proto_by_msg_name_as_fqbin, msg_containment, Messages, Told, badmsg),
        file_of(get_proto_by_service_name_as_fqbin, service_containment, Services, Told, badservice),
        file_of(get_proto_by_enum_name_as_fqbin, enum_containment, Enums, Told, badenum)
    ].

full_names_of(Kind, #told{defs = Defs, package = Package, use_packages = UsePackages}) ->
    Prefix = if UsePackages orelse Package =:= '' -> ""; true -> atom_to_list(Package) ++ "." end,
    [{list_to_binary(Prefix ++ atom_to_list(Name)), Name} || {{Other, Name}, _} <- Defs, Other =:= Kind].

from_full_name(Function, Names, Bad) ->
    partial(Function, [{[Full], Name} || {Full, Name} <- Names], Bad, 1).

to_full_name(Function, Names, Bad) ->
    partial(Function, [{[Name], Full} || {Full, Name} <- Names], Bad, 1).

file_of(Function, Key, Names, #told{defs = Defs}, Bad) ->
    Files = [{Name, File} || {{Containment, File}, In} <- Defs, Containment =:= Key, Name <- In],
    Found = [{[Full], proplists:get_value(Name, Files)} || {Full, Name} <- Names],
    partial(Function, Found, Bad, 1).

%% Files.

files(#told{defs = Defs, package = Package, use_packages = UsePackages}) ->
    Files = [{Base, filename:basename(Name)} || {file, {Base, Name}} <- Defs],
    Packages = [{Package1, File} || {{pkg_containment, File}, Package1} <- Defs],
    InPackages = [
        {[atom_to_binary(Name)], lists:usort([File || {Other, File} <- Packages, Other =:= Name])}
     || Name <- lists:usort([Name || {Name, _} <- Packages])
    ],
    [
        constant(get_package_name, if Package =:= '' -> undefined; true -> Package end),
        constant(uses_packages, UsePackages),
        constant(source_basename, element(2, hd(Files))),
        constant(get_all_source_basenames, [Name || {_, Name} <- Files]),
        constant(get_all_proto_names, [Base || {Base, _} <- Files]),
        [contained(Function, Key, Default, Files, Defs) || {Function, Key, Default} <- ?CONTAINMENTS],
        partial(get_protos_by_pkg_name_as_fqbin, InPackages, badpkg, 1)
    ].

contained(Function, Key, Default, Files, Defs) ->
    Found = [{[Base], proplists:get_value({Key, Base}, Defs, Default)} || {Base, _} <- Files],
    partial(Function, Found, badproto, 1).

%% Functions by their clauses: what they are called with, and what they give.

constant(Function, Value) ->
    format("\n~tp() ->\n    ~tp.\n", [Function, Value]).

clauses(Function, Clauses) ->
    ["\n", lists:join(";\n", [clause(Function, Clause) || Clause <- Clauses]), ".\n"].

clause(Function, {Arguments, Value}) ->
    format("~tp(~ts) ->\n    ~tp", [Function, lists:join(", ", [format("~tp", [A]) || A <- Arguments]), Value]).

%% Gives `error' for what is not there.
finder(Function, Clauses) ->
    finder(Function, Clauses, 1).

finder(Function, Clauses, Arity) ->
    Any = lists:join(", ", lists:duplicate(Arity, "_")),
    Last = format("~tp(~ts) ->\n    error", [Function, Any]),
    ["\n", lists:join(";\n", [clause(Function, Clause) || Clause <- Clauses] ++ [Last]), ".\n"].

%% Raises an error for what is not there. One with nothing to give never returns, and says so.
fetcher(Function, _Finder, Reason, []) ->
    format("
-spec ~tp(term()) -> no_return().
~tp(Name) -> erlang:error({~tp, Name}).
", [Function, Function, Reason]);
fetcher(Function, Finder, Reason, _) ->
    format("
~tp(Name) ->
    case ~tp(Name) of
        error -> erlang:error({~tp, Name});
        Def -> Def
    end.
", [Function, Finder, Reason]).

partial(Function, Clauses, Bad, Arity) ->
    {Arguments, Named, Spec} =
        case Arity of
            1 -> {"Name", "Name", "term()"};
            2 -> {"Service, Rpc", "{Service, Rpc}", "term(), term()"}
        end,
    Last = format("~tp(~ts) ->\n    erlang:error({gpb_error, {~tp, ~ts}})", [Function, Arguments, Bad, Named]),
    NoReturn = [format("\n-spec ~tp(~ts) -> no_return().", [Function, Spec]) || Clauses =:= []],
    [NoReturn, "\n", lists:join(";\n", [clause(Function, Clause) || Clause <- Clauses] ++ [Last]), ".\n"].

format(Format, Arguments) ->
    io_lib:format(Format, Arguments).
