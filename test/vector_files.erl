%% The vectors of test/vectors, read once in a VM.
-module(vector_files).

-export([schemas/0, schema/1, definitions/1, forms/1, by_schema/1, vectors/1, options/2]).

schemas() ->
    consult("schemas").

schema(Name) ->
    Key = {?MODULE, schemas_by_name},
    case persistent_term:get(Key, none) of
        none ->
            persistent_term:put(Key, maps:from_list([{S, Schema} || #{schema := S} = Schema <- schemas()])),
            schema(Name);
        #{Name := Schema} ->
            Schema
    end.

%% The definitions that say all: proto3 needs version 2.

definitions(#{syntax := proto2, defs := Defs}) -> Defs;
definitions(#{syntax := proto3, defs_v2 := Defs}) -> Defs.

%% Every further form of the definitions with the same meaning.

forms(#{defs_v2 := Version2} = Schema) ->
    [{2, Version2} | maps:to_list(maps:get(defs_forms, Schema, #{}))].

vectors(File) ->
    consult(File).

%% The vectors of a file, [{SchemaName, Vectors}].

by_schema(File) ->
    Vectors = vectors(File),
    Names = lists:usort([S || #{schema := S} <- Vectors]),
    [{Name, [V || #{schema := S} = V <- Vectors, S =:= Name]} || Name <- Names].

consult(File) ->
    Key = {?MODULE, File},
    case persistent_term:get(Key, none) of
        none ->
            {ok, Terms} = file:consult(filename:join(directory(), File ++ ".eterm")),
            persistent_term:put(Key, Terms),
            Terms;
        Terms ->
            Terms
    end.

directory() ->
    Beside = filename:join(filename:dirname(code:which(?MODULE)), "vectors"),
    Candidates = [os:getenv("ENIF_PROTOBUF_VECTORS", Beside), Beside, "test/vectors"],
    hd([Dir || Dir <- Candidates, filelib:is_dir(Dir)]).

options(StringAsList, WithUtf8) ->
    ok = enif_protobuf:set_opts([{string_as_list, StringAsList}, {with_utf8, WithUtf8}]).
