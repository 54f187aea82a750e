%% Another VM, for what must not disturb this one.
-module(child_vm).

-export([run/4, run_limited/3]).

%% What Module:Function(Arguments...) gives in a VM with these arguments of erl. Fails if that VM ends in another way.
run(VmArguments, Module, Function, Arguments) ->
    run_limited("", VmArguments, {Module, Function, Arguments}).

%% The same in a shell that has run a command before which sets limits.
run_limited(ShellCommand, VmArguments, {Module, Function, Arguments}) ->
    Paths = lists:usort([filename:dirname(code:which(M)) || M <- [enif_protobuf, ?MODULE, Module]]),
    Format = "io:format(\"~~0p.~~n\", [apply(~0p, ~0p, ~0p)]), halt().",
    Call = lists:flatten(io_lib:format(Format, [Module, Function, Arguments])),
    Erl = filename:join([code:root_dir(), "bin", "erl"]),
    Command = ShellCommand ++ "exec \"$0\" \"$@\"",
    Port = open_port({spawn_executable, os:find_executable("sh")}, [
        {args, ["-c", Command, Erl, "-noinput", "-pa" | lists:join("-pa", Paths)] ++ VmArguments ++ ["-eval", Call]},
        exit_status,
        in,
        stderr_to_stdout
    ]),
    Output = output(Port, []),
    {ok, Tokens, _} = erl_scan:string(Output),
    {ok, Result} = erl_parse:parse_term(Tokens),
    Result.

output(Port, Acc) ->
    receive
        {Port, {data, Data}} -> output(Port, [Acc, Data]);
        {Port, {exit_status, 0}} -> lists:flatten(Acc);
        {Port, {exit_status, Status}} -> error({exit_status, Status, lists:flatten(Acc)})
    end.
