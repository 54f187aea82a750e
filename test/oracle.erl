%% Python's protobuf, in a process at the other end of a port: what it makes of the same schema, bytes and values.
%% See test/oracle/oracle.py for the requests.
-module(oracle).

-export([start/0, stop/1, schema/2, decode/3, encode/3, decode_stream/3, encode_stream/3]).

start() ->
    Directory = directory(),
    Environment = filename:absname("_build/oracle"),
    {0, Output} = run(filename:join(Directory, "setup"), [Environment]),
    [Python, Protoc] = string:lexemes(Output, "\n"),
    Script = filename:join(Directory, "oracle.py"),
    Arguments = [Script | string:lexemes(Protoc, " ")],
    spawn(fun() -> serve(open_port({spawn_executable, Python}, [{args, Arguments}, {packet, 4}, binary])) end).

%% A port belongs to one process; the tests run in many.
serve(Port) ->
    receive
        {request, From, Ref, Request} ->
            true = port_command(Port, Request),
            receive
                {Port, {data, Answer}} -> From ! {Ref, Answer}
            end,
            serve(Port);
        stop ->
            port_close(Port)
    end.

stop(Oracle) ->
    Oracle ! stop,
    ok.

directory() ->
    Beside = filename:join(filename:dirname(code:which(?MODULE)), "oracle"),
    hd([filename:absname(Dir) || Dir <- ["test/oracle", Beside], filelib:is_regular(filename:join(Dir, "setup"))]).

run(Command, Args) ->
    output(open_port({spawn_executable, Command}, [{args, Args}, exit_status, in, binary]), []).

output(Port, Acc) ->
    receive
        {Port, {data, Data}} -> output(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {Status, unicode:characters_to_list(iolist_to_binary(Acc))}
    end.

%% The .proto text to work with from now on.
schema(Oracle, Text) ->
    {ok, <<>>} = request(Oracle, [$S, Text]),
    ok.

%% The text form of what the bytes decode to.
decode(Oracle, Name, Wire) ->
    request(Oracle, [$D, atom_to_binary(Name, utf8), 0, Wire]).

encode(Oracle, Name, Text) ->
    request(Oracle, [$E, atom_to_binary(Name, utf8), 0, Text]).

%% The text forms of messages that each stand behind their length.
decode_stream(Oracle, Name, Wire) ->
    {ok, Lines} = request(Oracle, [$R, atom_to_binary(Name, utf8), 0, Wire]),
    string:lexemes(Lines, "\n").

encode_stream(Oracle, Name, Texts) ->
    {ok, Wire} = request(Oracle, [$W, atom_to_binary(Name, utf8), 0, lists:join("\n", Texts)]),
    Wire.

request(Oracle, Request) ->
    Ref = monitor(process, Oracle),
    Oracle ! {request, self(), Ref, Request},
    receive
        {Ref, Answer} ->
            demonitor(Ref, [flush]),
            answer(Answer);
        {'DOWN', Ref, process, Oracle, Reason} ->
            error({oracle_died, Reason})
    after 60000 ->
        error(no_answer_from_the_oracle)
    end.

answer(<<$+, Result/binary>>) -> {ok, Result};
answer(<<$-, Problem/binary>>) -> {error, Problem}.
