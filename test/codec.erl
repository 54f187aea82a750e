%% What most tests do with the library: load definitions, and look at what is raised.
-module(codec).

-export([load/1, load/2, options/2, encode/1, decode/2, decode_error/2, type_error/1, roundtrip/1]).

%% Loads the definitions with the default options.
load(Defs) ->
    load(Defs, []).

load(Defs, Opts) ->
    ok = enif_protobuf:load_cache(Defs),
    ok = enif_protobuf:set_opts([{string_as_list, false}, {with_utf8, false}] ++ Opts).

options(StringAsList, WithUtf8) ->
    ok = enif_protobuf:set_opts([{string_as_list, StringAsList}, {with_utf8, WithUtf8}]).

encode(Record) ->
    enif_protobuf:encode(Record).

decode(Wire, Name) ->
    enif_protobuf:decode(iolist_to_binary(Wire), Name).

%% The bytes and the record they decode to.
roundtrip(Record) ->
    Wire = encode(Record),
    {Wire, decode(Wire, element(1, Record))}.

%% The reason for which the bytes do not decode; decoded is what comes out when they do.
decode_error(Wire, Name) ->
    try
        {decoded, decode(Wire, Name)}
    catch
        error:{decode_error, #{reason := Reason}} when is_atom(Reason) -> {decode_error, Reason}
    end.

%% {What, Value, Path} for which the record does not encode.
type_error(Record) ->
    try
        {encoded, encode(Record)}
    catch
        error:{gpb_type_error, {What, [{value, Value}, {path, Path}]}} -> {What, Value, Path}
    end.
