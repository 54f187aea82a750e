%% @doc `rebar3 epb clean': removes what {@link enif_protobuf_rebar3. `rebar3 epb compile'} has written.
%%
%% A file is left where it is if it is no longer what was written. With this in `rebar.config', `rebar3 clean' does
%% the same:
%%
%% ```
%% {provider_hooks, [{pre, [{compile, {epb, compile}}, {clean, {epb, clean}}]}]}.
%% '''
-module(enif_protobuf_rebar3_clean).

%% Called by rebar3, whose modules are there when it does so.
-export([init/1, do/1, format_error/1]).

-ignore_xref([init/1, do/1, format_error/1]).

%% @private
-spec init(State) -> {ok, State}.
init(State) ->
    Provider = providers:create([
        {name, clean},
        {namespace, epb},
        {module, ?MODULE},
        {bare, true},
        {deps, [{default, app_discovery}]},
        {example, "rebar3 epb clean"},
        {opts, []},
        {short_desc, "Removes the modules and headers of .proto files."},
        {desc, "Removes the modules and headers that rebar3 epb compile has written."}
    ]),
    {ok, rebar_state:add_provider(State, Provider)}.

%% @private
-spec do(State) -> {ok, State}.
do(State) ->
    lists:foreach(fun enif_protobuf_project:clean/1, enif_protobuf_rebar3:applications(State)),
    {ok, State}.

%% @private
-spec format_error(term()) -> iolist().
format_error(Reason) ->
    io_lib:format("~tp", [Reason]).
