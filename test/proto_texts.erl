%% Texts of .proto files, in a directory of their own, and the definitions in them.
-module(proto_texts).

-export([defs/1, defs/2, result/2, load/1, load/2, definitions/3, types/1, messages/1, only_message/1]).
-export([data/0, in_directory/1, in_current_directory/2, write/3]).

%% The definitions in a text, those of messages, and the only one.

defs(Text) ->
    defs(Text, []).

defs(Text, Opts) ->
    {ok, Defs} = result(Text, Opts),
    Defs.

result(Text, Opts) ->
    of_text(Text, fun(Dir) -> enif_protobuf:proto_defs("given.proto", [{i, Dir} | Opts]) end).

%% Loads a text, with the default options of strings.
load(Text) ->
    load(Text, []).

load(Text, Opts) ->
    ok = of_text(Text, fun(Dir) -> enif_protobuf:load_proto("given.proto", [{i, Dir} | Opts]) end),
    codec:options(false, false).

of_text(Text, Use) ->
    Dir = make_directory(),
    try
        write(Dir, "given.proto", Text),
        Use(Dir)
    after
        remove_directory(Dir)
    end.

definitions(Dir, File, Opts) ->
    {ok, Defs} = enif_protobuf:proto_defs(File, [{i, Dir} | Opts]),
    Defs.

types(Defs) ->
    lists:sort([Def || {{Kind, _}, _} = Def <- Defs, lists:member(Kind, [msg, group, enum])]).

messages(Defs) ->
    lists:sort([{Name, Fields} || {{msg, Name}, Fields} <- Defs]).

only_message(Text) ->
    [Message] = messages(defs(Text)),
    Message.

%% Files.

data() ->
    Candidates = [filename:join(filename:dirname(code:which(?MODULE)), "data/proto"), "test/data/proto"],
    hd([Dir || Dir <- Candidates, filelib:is_dir(Dir)]).

in_directory(Tests) ->
    {setup, fun make_directory/0, fun remove_directory/1, Tests}.

in_current_directory(Dir, Test) ->
    {ok, Before} = file:get_cwd(),
    ok = file:set_cwd(Dir),
    try
        Test()
    after
        file:set_cwd(Before)
    end.

make_directory() ->
    Unique = integer_to_list(erlang:unique_integer([positive])),
    Dir = filename:join(os:getenv("TMPDIR", "/tmp"), "proto_defs_tests_" ++ os:getpid() ++ "_" ++ Unique),
    ok = file:make_dir(Dir),
    Dir.

remove_directory(Dir) ->
    ok = file:del_dir_r(Dir).

write(Dir, Name, Text) ->
    File = filename:join(Dir, Name),
    ok = filelib:ensure_dir(File),
    ok = file:write_file(File, Text).
