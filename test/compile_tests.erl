%% enif_protobuf_compile: files, options and errors.
-module(compile_tests).

-include_lib("eunit/include/eunit.hrl").

-define(TEXT, "package p; message M { optional int32 n = 1; }").

in_directory(Test) ->
    {setup, Make, Remove, Wrapped} = proto_texts:in_directory(fun(Dir) -> fun() -> Test(Dir) end end),
    {setup, Make, Remove, Wrapped}.

where_files_go_test_() ->
    in_directory(fun(Dir) ->
        proto_texts:write(Dir, "in/name.proto", ?TEXT),
        Into = fun(Sub) -> filename:join(Dir, Sub) end,
        Cases = [
            {[{o, Into("a")}], ["a/name.erl", "a/name.hrl"]},
            {[{o, Into("b")}, {o_hrl, Into("c")}], ["b/name.erl", "c/name.hrl"]},
            {[{o_erl, Into("d")}, {o_hrl, Into("e/f")}], ["d/name.erl", "e/f/name.hrl"]},
            {[{o, Into("g")}, {module_name_prefix, "a_"}, {module_name_suffix, z}], ["g/a_namez.erl", "g/a_namez.hrl"]},
            {[{o, list_to_binary(Into("h"))}, {module_name, other}], ["h/other.erl", "h/other.hrl"]},
            {[{o, Into("i")}, maps], ["i/name.erl"]}
        ],
        [
            begin
                ?assertEqual(ok, enif_protobuf_compile:file("name.proto", [{i, Into("in")} | Opts])),
                ?assertEqual([], [File || File <- Files, not filelib:is_regular(Into(File))])
            end
         || {Opts, Files} <- Cases
        ],
        ?assertEqual([], filelib:wildcard(Into("i/*.hrl"))),
        proto_texts:in_current_directory(Into("in"), fun() ->
            ?assertEqual(ok, enif_protobuf_compile:file("name.proto")),
            ?assertEqual(ok, enif_protobuf_compile:file(<<"name.proto">>)),
            ?assertEqual(["name.erl", "name.hrl"], lists:sort(filelib:wildcard("*.[eh]rl")))
        end)
    end).

%% What would not change is not written, so it is not compiled again.
unchanged_files_test_() ->
    in_directory(fun(Dir) ->
        proto_texts:write(Dir, "name.proto", ?TEXT),
        Compile = fun() -> ok = enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Dir}]) end,
        Compile(),
        Files = [filename:join(Dir, File) || File <- ["name.erl", "name.hrl"]],
        Long = {{2001, 1, 1}, {0, 0, 0}},
        [ok = file:change_time(File, Long) || File <- Files],
        Compile(),
        ?assertEqual([Long, Long], [filelib:last_modified(File) || File <- Files]),
        proto_texts:write(Dir, "name.proto", "message M { optional int32 m = 1; }"),
        Compile(),
        ?assert(lists:all(fun(File) -> filelib:last_modified(File) > Long end, Files))
    end).

the_first_of_two_options_counts_test_() ->
    in_directory(fun(Dir) ->
        proto_texts:write(Dir, "name.proto", ?TEXT),
        ok = enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Dir}, {module_name, one}, {module_name, two}]),
        ?assertEqual(["one.erl", "one.hrl"], lists:sort(filelib:wildcard("*.[eh]rl", Dir)))
    end).

wrong_files_test_() ->
    in_directory(fun(Dir) ->
        Sentences = [
            {"message M {\n  optional int32 n = 0;\n}", "name.proto:2:22: "},
            {"message M {\n", "name.proto:2:1: expected "},
            {"message M { optional X x = 1; }", "name.proto:1:22: "},
            {"import 'none.proto';", "name.proto:1:1: import 'none.proto' not found"}
        ],
        [
            begin
                proto_texts:write(Dir, "name.proto", Text),
                {error, Reason} = enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Dir}]),
                Said = enif_protobuf_compile:format_error(Reason),
                ?assertEqual({Said, Sentence}, {Said, string:slice(Said, 0, length(Sentence))})
            end
         || {Text, Sentence} <- Sentences
        ],
        ?assertEqual([], filelib:wildcard("*.[eh]rl", Dir))
    end).

%% Definitions that are there, in place of a file.
definitions_test_() ->
    in_directory(fun(Dir) ->
        proto_texts:write(Dir, "given.proto", "syntax = 'proto3'; message M { string s = 1; optional int32 n = 2; }"),
        ok = enif_protobuf_compile:file("given.proto", [{i, Dir}, {o, Dir}]),
        Written = fun() -> [file:read_file(File) || File <- filelib:wildcard(Dir ++ "/given.[eh]rl")] end,
        FromFile = Written(),
        {ok, Defs} = enif_protobuf:proto_defs("given.proto", [{i, Dir}, {proto_defs_version, 4}]),
        ok = enif_protobuf_compile:proto_defs(given, Defs, [{o, Dir}]),
        ?assertEqual(FromFile, Written()),
        Messages = [{{msg, 'M'}, [{field, s, 1, 2, string, optional, []}]}],
        proto_texts:in_current_directory(Dir, fun() ->
            ?assertEqual(ok, enif_protobuf_compile:proto_defs(messages, Messages)),
            ?assertEqual([{'M', [{s, none}]}], generated:records("messages.hrl")),
            ?assertEqual(ok, enif_protobuf_compile:proto_defs(messages, [{proto3_msgs, ['M']} | Messages])),
            ?assertEqual([{'M', [{s, {default, []}}]}], generated:records("messages.hrl")),
            ?assertEqual({error, {bad_option, none}}, enif_protobuf_compile:proto_defs(messages, Messages, [none]))
        end)
    end).

long_names_test_() ->
    in_directory(fun(Dir) ->
        Compile = fun(Text) ->
            proto_texts:write(Dir, "name.proto", Text),
            enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Dir}])
        end,
        Name = fun(Length) -> lists:duplicate(Length, $n) end,
        ?assertEqual(ok, Compile(["message ", Name(255), " {}"])),
        ?assertEqual([{list_to_atom(Name(255)), []}], generated:records(filename:join(Dir, "name.hrl"))),
        ?assertEqual(ok, Compile(["enum ", Name(222), " { A = 0; B = 1; }"])),
        ?assertMatch({ok, name, _}, compile:file(filename:join(Dir, "name"), [binary, {i, Dir}])),
        {error, Reason} = Compile(["enum ", Name(223), " { A = 0; B = 1; }"]),
        Sentence =
            "name.proto: a name is longer than Erlang takes: modules have up to 255 characters, and enums, after which "
            "functions are named, up to 222",
        ?assertEqual(Sentence, enif_protobuf_compile:format_error(Reason)),
        proto_texts:write(Dir, "name.proto", "message M {}"),
        {error, Same} = enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Dir}, {module_name, Name(256)}]),
        ?assertEqual(Sentence, enif_protobuf_compile:format_error(Same))
    end).

odd_names_of_files_test_() ->
    [
        {Name, fun() ->
            generated:in_module(Name, "message M { optional int32 n = 1; }", [], fun(Module, _) ->
                ?assertEqual(Name, atom_to_list(Module)),
                ?assertEqual(<<8, 1>>, Module:encode_msg({'M', 1}))
            end)
        end}
     || Name <- ["a-b", "1x", "Upper", "with space", "two.dots", [$\x{fc}]]
    ].

no_such_file_test() ->
    {error, Reason} = enif_protobuf_compile:file("none.proto", [{i, "nowhere"}]),
    ?assertMatch("none.proto: there is no file none.proto" ++ _, enif_protobuf_compile:format_error(Reason)).

wrong_options_test() ->
    [
        ?assertEqual({error, {bad_option, Option}}, enif_protobuf_compile:file("none.proto", [Option]))
     || Option <- [no_option, {maps, perhaps}, {maps_oneof, neither}, {verify, often}, {a, b, c}, 7, {type_specs, 1}] ++
            [{o, 7}, {i, 7}, {module_name, 7}]
    ],
    ?assertEqual(
        "{maps_oneof,neither} is no option, or not one with this value",
        enif_protobuf_compile:format_error({bad_option, {maps_oneof, neither}})
    ).

cannot_write_test_() ->
    in_directory(fun(Dir) ->
        proto_texts:write(Dir, "name.proto", ?TEXT),
        Into = filename:join(Dir, "name.proto"),
        {error, Reason} = enif_protobuf_compile:file("name.proto", [{i, Dir}, {o, Into}]),
        ?assertMatch({write_error, _, _}, Reason),
        ?assertEqual(filename:join(Into, "name.hrl") ++ ": not a directory", enif_protobuf_compile:format_error(Reason))
    end).
