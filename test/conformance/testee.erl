%% Answers the requests of Google's conformance test runner: reads a payload as the message that is asked for, and
%% writes it again. Requests and answers are messages themselves (conformance.proto), each behind its length in four
%% bytes.
-module(testee).

-export([main/0]).

%% conformance.WireFormat
-define(PROTOBUF, 'PROTOBUF').

main() ->
    [Include] = init:get_plain_arguments(),
    ok = enif_protobuf:load_proto(files(Include), [{i, Include}, use_packages, preserve_unknown_fields]),
    Port = open_port({fd, 0, 1}, [binary, stream, eof]),
    loop(Port, <<>>).

%% All files of the suite; its requests themselves are in one of them.
files(Include) ->
    filelib:wildcard(filename:join(Include, "**/*.proto")).

loop(Port, <<Length:32/little, Request:Length/binary, Rest/binary>>) ->
    Response = enif_protobuf:encode(answer(Request)),
    true = port_command(Port, [<<(byte_size(Response)):32/little>>, Response]),
    loop(Port, Rest);
loop(Port, Buffer) ->
    receive
        {Port, {data, Data}} -> loop(Port, <<Buffer/binary, Data/binary>>);
        {Port, eof} -> halt(0)
    end.

%% {'conformance.ConformanceResponse', Result, Unknowns}
answer(Request) ->
    {'conformance.ConformanceRequest', Payload, Output, Type, _Category, _Jspb, _PrintUnknown, _} =
        enif_protobuf:decode(Request, 'conformance.ConformanceRequest'),
    {'conformance.ConformanceResponse', result(Payload, Output, binary_to_atom(Type, utf8)), []}.

%% The runner asks for a list of failures that are known, first of all: there are none.
result(_Payload, _Output, 'conformance.FailureSet') ->
    {protobuf_payload, <<>>};
result({protobuf_payload, Bytes}, ?PROTOBUF, Type) ->
    try enif_protobuf:decode(Bytes, Type) of
        Record -> written(Record)
    catch
        error:{decode_error, Details} -> {parse_error, description(Details)};
        error:Reason -> {runtime_error, description(Reason)}
    end;
result(_Payload, _Output, _Type) ->
    {skipped, <<"the library reads and writes the binary format alone">>}.

written(Record) ->
    try
        {protobuf_payload, enif_protobuf:encode(Record)}
    catch
        error:Reason -> {serialize_error, description(Reason)}
    end.

description(Reason) ->
    unicode:characters_to_binary(io_lib:format("~0tp", [Reason])).
