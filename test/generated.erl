%% Modules that enif_protobuf_compile writes, compiled and loaded for the length of a test.
-module(generated).

-export([in_module/3, in_module/4, in_files/4, source/2, records/1]).

%% The module of a text, for the length of a test, which is also given the directory with the files.
in_module(Text, Opts, Test) ->
    in_module("given", Text, Opts, Test).

in_module(Name, Text, Opts, Test) ->
    in_files(Name, Text, Opts, fun(Dir) ->
        [Erl] = filelib:wildcard(filename:join(Dir, "*.erl")),
        {ok, Module, Beam, []} = compile:file(Erl, [binary, return, debug_info, {i, Dir}]),
        {module, Module} = code:load_binary(Module, Erl, Beam),
        try
            Test(Module, Dir)
        after
            [enif_protobuf:purge_cache(Cache) || Cache <- enif_protobuf:caches()],
            code:purge(Module),
            code:delete(Module)
        end
    end).

%% The files of a text alone.
in_files(Name, Text, Opts, Test) ->
    {setup, Make, Remove, _} = proto_texts:in_directory(none),
    Dir = Make(),
    try
        proto_texts:write(Dir, Name ++ ".proto", Text),
        ok = enif_protobuf_compile:file(Name ++ ".proto", [{i, Dir}, {o, Dir} | Opts]),
        Test(Dir)
    after
        Remove(Dir)
    end.

%% The text of the module and, where there is one, of its header.
source(Text, Opts) ->
    in_files("given", Text, Opts, fun(Dir) ->
        [unicode:characters_to_list(element(2, file:read_file(File))) || File <- filelib:wildcard(Dir ++ "/*.[eh]rl")]
    end).

%% The records of a header: their names and fields, each with its default or none.
records(Header) ->
    {ok, Forms} = epp:parse_file(Header, []),
    [{Name, [field(Field) || Field <- Fields]} || {attribute, _, record, {Name, Fields}} <- Forms].

field({typed_record_field, Field, _Type}) -> field(Field);
field({record_field, _, {atom, _, Name}}) -> {Name, none};
field({record_field, _, {atom, _, Name}, Default}) -> {Name, {default, value(Default)}}.

value(Expression) ->
    {value, Value, _} = erl_eval:expr(Expression, []),
    Value.
