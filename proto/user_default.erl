%% A shell takes its records from the module of this name, and loads it before it reads its first line: so the messages
%% of `make shell` are there for whatever is typed or piped in. Nothing may be printed meanwhile: before OTP 26 the
%% process that would have to print it may be the one that loads this.
-module(user_default).

-include("person.hrl").

-on_load(load/0).

load() ->
    _ = spawn(fun watch_terminal/0),
    enif_protobuf:load_proto("proto/person.proto").

%% Ends the shell with its terminal, if it has one. The kernel tells nobody but the first process of the terminal that
%% it was closed, and make, which may be that one, does not pass it on.
watch_terminal() ->
    case has_terminal() of
        true -> until_it_is_closed();
        false -> ok
    end.

until_it_is_closed() ->
    timer:sleep(1000),
    case has_terminal() of
        true -> until_it_is_closed();
        false -> halt()
    end.

has_terminal() ->
    case file:open("/dev/tty", [read, raw]) of
        {ok, Terminal} -> file:close(Terminal) =:= ok;
        {error, _} -> false
    end.
