%% @doc `rebar3 epb compile': the modules and headers of a project's `.proto' files.
%%
%% In `rebar.config', with the library as a dependency and as a plugin:
%%
%% ```
%% {deps, [enif_protobuf]}.
%% {plugins, [enif_protobuf]}.
%% {provider_hooks, [{pre, [{compile, {epb, compile}}]}]}.
%% {epb_opts, [{module_name_suffix, "_pb"}, strings_as_binaries]}.
%% '''
%%
%% The hook runs it whenever the project is compiled. What would not change is not written, so it is not compiled again.
%%
%% `epb_opts' are the options of {@link enif_protobuf_compile:file/2}. All directories are those of the application.
%% Where nothing is said, `.proto' files are looked for in `proto', modules are written to `src' and headers to
%% `include'. All `.proto' files in the directories of `i' that are the application's own are compiled, those in
%% directories within as well; or only those that `{files, [Wildcard]}' names, an option that is known here alone.
%% @reference <a href="https://rebar3.org/docs/configuration/plugins/">Plugins of rebar3</a>
-module(enif_protobuf_rebar3).

%% Called by rebar3, whose modules are there when it does so.
-export([init/1, do/1, format_error/1]).

-ignore_xref([init/1, do/1, format_error/1]).

%% @private
-spec init(State) -> {ok, State}.
init(State) ->
    Provider = providers:create([
        {name, compile},
        {namespace, epb},
        {module, ?MODULE},
        {bare, true},
        {deps, [{default, app_discovery}]},
        {example, "rebar3 epb compile"},
        {opts, []},
        {short_desc, "Writes the modules and headers of .proto files."},
        {desc, "Writes the modules and headers of .proto files, as {epb_opts, [...]} in rebar.config says."}
    ]),
    {ok, rebar_state:add_provider(State, Provider)}.

%% @private
-spec do(State) -> {ok, State}.
do(State) ->
    Apps =
        case rebar_state:current_app(State) of
            undefined -> rebar_state:project_apps(State);
            App -> [App]
        end,
    case lists:flatmap(fun app/1, Apps) of
        [] -> {ok, State};
        %% Of an error that is returned to a hook, rebar3 does not ask for the sentence.
        Reasons -> rebar_api:abort("~ts", [lists:join("\n", lists:map(fun format_error/1, Reasons))])
    end.

%% @private
-spec format_error(enif_protobuf_compile:reason()) -> iolist().
format_error(Reason) ->
    enif_protobuf_compile:format_error(Reason).

%% Why files of an application could not be compiled.
app(App) ->
    Dir = rebar_app_info:dir(App),
    Opts = rebar_opts:get(rebar_app_info:opts(App), epb_opts, []),
    {Wildcards, Compiling} = options(Dir, Opts),
    Files = lists:usort(lists:append([filelib:wildcard(Wildcard) || Wildcard <- Wildcards])),
    Results = [enif_protobuf_compile:file(File, Compiling) || File <- Files],
    [Reason || {error, Reason} <- Results].

%% Where the files are, and the options to compile them with.
options(Dir, Opts) ->
    Within = fun(Sub) -> filename:absname(Sub, Dir) end,
    {Said, Others} = lists:partition(fun is_place/1, Opts),
    Sources = [Within(Sub) || {i, Sub} <- with_default({i, "proto"}, Said)],
    Outputs = [{Kind, Within(Sub)} || {Kind, Sub} <- Said, Kind =/= i, Kind =/= files],
    Defaults = [{o_erl, Within("src")} || not is_said([o, o_erl], Said)] ++
        [{o_hrl, Within("include")} || not is_said([o, o_hrl], Said)],
    Wildcards =
        case proplists:get_value(files, Said) of
            undefined -> [filename:join(Source, "**/*.proto") || Source <- Sources, lists:prefix(Dir, Source)];
            Named -> [Within(Wildcard) || Wildcard <- Named]
        end,
    {Wildcards, [{i, Source} || Source <- Sources] ++ Outputs ++ Defaults ++ Others}.

is_place({Kind, _}) -> lists:member(Kind, [i, o, o_erl, o_hrl, files]);
is_place(_) -> false.

is_said(Kinds, Opts) ->
    lists:any(fun({Kind, _}) -> lists:member(Kind, Kinds) end, Opts).

with_default({Kind, _} = Default, Opts) ->
    case is_said([Kind], Opts) of
        true -> Opts;
        false -> [Default | Opts]
    end.
