%% Definitions as gpb hands them over, written short.
%%
%% A type is {msg | group, Name, Fields} or {enum, Name, [{Symbol, Number}]}. A field is {Name, Number, Type}, with its
%% occurrence or also its options behind; {oneof, Name, Members}; or unknown, which keeps the unknown fields.
-module(schema_terms).

-export([proto2/1, proto3/1, version1/1, record_fields/2]).

proto2(Types) ->
    [{proto_defs_version, 2}, {syntax, "proto2"} | [type(T, optional) || T <- Types]].

proto3(Types) ->
    [{proto_defs_version, 2}, {syntax, "proto3"} | [type(T, defaulty) || T <- Types]] ++
        [{proto3_msgs, [Name || {msg, Name, _} <- Types]}].

%% As a generated module's get_msg_defs/0, in version 1: nothing in it tells the syntax.
version1(Types) ->
    [type(T, optional) || T <- Types].

type({enum, Name, Symbols}, _) ->
    {{enum, Name}, Symbols};
type({Kind, Name, Fields}, Occurrence) ->
    {{Kind, Name}, record_fields(Fields, Occurrence)}.

record_fields(Fields, Occurrence) ->
    [field(F, Position, Occurrence) || {Position, F} <- lists:zip(lists:seq(2, length(Fields) + 1), Fields)].

field(unknown, Position, _) ->
    {field, '$unknowns', undefined, Position, unknown, repeated, []};
field({oneof, Name, Members}, Position, _) ->
    {gpb_oneof, Name, Position, [field(M, Position, optional) || M <- Members], []};
field({Name, Number, {map, _, _} = Type}, Position, _) ->
    {field, Name, Number, Position, Type, repeated, []};
field({Name, Number, Type}, Position, Occurrence) ->
    {field, Name, Number, Position, Type, Occurrence, []};
field({Name, Number, Type, repeated}, Position, defaulty) ->
    {field, Name, Number, Position, Type, repeated, [packed || packable(Type)]};
field({Name, Number, Type, Occurrence}, Position, _) ->
    {field, Name, Number, Position, Type, Occurrence, []};
field({Name, Number, Type, Occurrence, Opts}, Position, _) ->
    {field, Name, Number, Position, Type, Occurrence, Opts}.

packable({enum, _}) -> true;
packable({_, _}) -> false;
packable(Type) -> Type =/= string andalso Type =/= bytes.
