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
%% The hook runs it whenever the project is compiled. What would not change is not written, so it is not compiled again;
%% what was written of a `.proto' file that is gone, or that has another name now, is removed. It is noted in
%% `_build/epb'. {@link enif_protobuf_rebar3_clean. `rebar3 epb clean'} removes all that was written.
%%
%% `epb_opts' are the options of {@link enif_protobuf_compile:file/2}. All directories are those of the application.
%% Where nothing is said, `.proto' files are looked for in `proto', modules are written to `src' and headers to
%% `include'. All `.proto' files in the directories of `i' that are the application's own are compiled, those in
%% directories within as well, but for `_build' and `_checkouts'; or only those that `{files, [Wildcard]}' names, an
%% option that is known here alone. It is an error if something that is named is not there, or if two files would be
%% written to one.
%%
%% In a project of several applications, options that stand in the `rebar.config' of all are those of each; what they
%% name must be there in one of them.
-module(enif_protobuf_rebar3).

-export([applications/1]).

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
    case lists:flatmap(fun enif_protobuf_project:compile/1, applications(State)) of
        [] -> {ok, State};
        %% Of an error that is returned to a hook, rebar3 does not ask for the sentence.
        Reasons -> rebar_api:abort("~ts", [lists:join("\n", lists:map(fun format_error/1, Reasons))])
    end.

%% @private
-spec format_error(enif_protobuf_project:reason()) -> iolist().
format_error(Reason) ->
    enif_protobuf_project:format_error(Reason).

%% @private
%% @doc The applications that a provider is called for: that of a hook, or all of the project.
-spec applications(State :: term()) -> [enif_protobuf_project:application()].
applications(State) ->
    All = rebar_state:project_apps(State),
    Records = filename:join(filename:dirname(rebar_dir:base_dir(State)), "epb"),
    Called =
        case rebar_state:current_app(State) of
            undefined -> All;
            App -> [App]
        end,
    [
        #{
            dir => rebar_app_info:dir(App),
            opts => rebar_opts:get(rebar_app_info:opts(App), epb_opts, []),
            siblings => [rebar_app_info:dir(Sibling) || Sibling <- All],
            record => filename:join(Records, rebar_app_info:name(App))
        }
     || App <- Called
    ].
