%% The shell of `make shell`: it takes its records from the module of this name. It is started by hand, after the load,
%% as nothing that is piped into it may come before. In a terminal the VM is started with -noinput, which leaves the
%% terminal to the shell; else with -noshell, and the shell reads what the VM reads.
-module(user_default).

-include("person.hrl").

-export([start/0]).

start() ->
    ok = enif_protobuf:load_proto("proto/person.proto"),
    io:put_chars(
        "proto/person.proto is loaded, with its record #'Person'{}. Try:\n"
        "  enif_protobuf:encode(#'Person'{name = \"abc def\", id = 345, email = \"a@example.com\"}).\n"
    ),
    case init:get_argument(noinput) of
        {ok, _} -> in_a_terminal();
        error -> shell:start()
    end.

%% With lines to edit, the shell takes the terminal for itself. It can be started by hand in this way since OTP 26, and
%% before that in the other.
in_a_terminal() ->
    {module, shell} = code:ensure_loaded(shell),
    case erlang:function_exported(shell, start_interactive, 0) of
        true -> shell:start_interactive();
        false -> user_drv:start()
    end.
