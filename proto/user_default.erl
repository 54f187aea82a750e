%% The shell of `make shell`: it takes its records from the module of this name.
-module(user_default).

-include("person.hrl").

-export([start/0]).

start() ->
    ok = enif_protobuf:load_proto("proto/person.proto"),
    io:put_chars(
        "proto/person.proto is loaded, with its record #'Person'{}. Try:\n"
        "  enif_protobuf:encode(#'Person'{name = \"abc def\", id = 345, email = \"a@example.com\"}).\n"
    ),
    %% The shell can be started by hand in this way since OTP 26, and before that in the other.
    {module, shell} = code:ensure_loaded(shell),
    case erlang:function_exported(shell, start_interactive, 0) of
        true -> shell:start_interactive();
        false -> user_drv:start()
    end.
