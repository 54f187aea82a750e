%% The command line of the compiler, bin/protoc-epb.
-module(protoc_tests).

-include_lib("eunit/include/eunit.hrl").

%% Flags are those of gpb's protoc-erl; each stands for an option.
flags_test_() ->
    proto_texts:in_directory(fun(Dir) -> fun() -> flags(Dir) end end).

flags(Dir) ->
    Text = "package p; message M { optional string s = 1; oneof o { int32 n = 2; } map<int32, int32> m = 3; }",
    proto_texts:write(Dir, "in.proto", Text),
    Cases = [
        {[], []},
        {["-pkgs"], [use_packages]},
        {["-strbin"], [strings_as_binaries]},
        {["-maps"], [maps]},
        {["-msgs-as-maps"], [msgs_as_maps]},
        {["-mapfields-as-maps"], [mapfields_as_maps]},
        {["-defs-as-maps"], [defs_as_maps]},
        {["-pldefs"], [defs_as_proplists]},
        {["-maps", "-maps_unset_optional", "present_undefined"], [maps, {maps_unset_optional, present_undefined}]},
        {["-maps", "-maps_oneof", "flat"], [maps, {maps_oneof, flat}]},
        {["-maps", "-maps_key_type", "binary"], [maps, {maps_key_type, binary}]},
        {["-preserve-unknown-fields"], [preserve_unknown_fields]},
        {["-defaults-for-omitted-optionals"], [defaults_for_omitted_optionals]},
        {["-vdrp"], [verify_decode_required_present]},
        {["-v", "always"], [{verify, always}]},
        {["-type"], [{type_specs, true}]},
        {["-no_type"], [{type_specs, false}]},
        {["-il"], [include_as_lib]}
    ],
    [
        begin
            ok = enif_protobuf_compile:file("in.proto", [{i, Dir}, {o, filename:join(Dir, "option")} | Opts]),
            Outs = ["-o", filename:join(Dir, "flag")],
            ?assertEqual({Flags, 0}, {Flags, enif_protobuf_protoc:run(["-I", Dir | Outs] ++ Flags ++ ["in.proto"])}),
            ?assertEqual({Flags, texts(Dir, "option")}, {Flags, texts(Dir, "flag")}),
            ok = file:del_dir_r(filename:join(Dir, "option")),
            ok = file:del_dir_r(filename:join(Dir, "flag"))
        end
     || {Flags, Opts} <- Cases
    ].

texts(Dir, Sub) ->
    [{filename:basename(File), file:read_file(File)} || File <- filelib:wildcard(filename:join([Dir, Sub, "*"]))].

names_and_places_test_() ->
    proto_texts:in_directory(fun(Dir) -> fun() -> names_and_places(Dir) end end).

names_and_places(Dir) ->
    [proto_texts:write(Dir, Name ++ ".proto", "message M {}") || Name <- ["one", "two"]],
    In = fun(Sub) -> filename:join(Dir, Sub) end,
    Names = ["-modprefix", "a_", "-modsuffix", "_z", "-o", In("o"), "-o-hrl", In("h")],
    ?assertEqual(0, enif_protobuf_protoc:run(["-I" ++ Dir, "one.proto" | Names] ++ ["two.proto"])),
    Files = ["h/a_one_z.hrl", "h/a_two_z.hrl", "o/a_one_z.erl", "o/a_two_z.erl"],
    ?assertEqual(Files, lists:sort(filelib:wildcard("[oh]/*", Dir))),
    %% A file's own directory is looked through as well.
    ?assertEqual(0, enif_protobuf_protoc:run(["-modname", "x", "-o-erl", In("e"), "-o-hrl", In("e"), In("one.proto")])),
    ?assertEqual(["e/x.erl", "e/x.hrl"], lists:sort(filelib:wildcard("e/*", Dir))).

%% Files of one base name would be written over each other.
one_output_of_two_files_test_() ->
    proto_texts:in_directory(fun(Dir) -> fun() ->
        [proto_texts:write(Dir, Sub ++ "/x.proto", "message M {}") || Sub <- ["a", "b"]],
        In = fun(Sub) -> filename:join(Dir, Sub) end,
        ?assertEqual(1, enif_protobuf_protoc:run(["-o", In("o"), In("a/x.proto"), In("b/x.proto")])),
        ?assertEqual([], filelib:wildcard(In("o/*"))),
        ?assertEqual(1, enif_protobuf_protoc:run(["-maps_oneof", "x", In("a/x.proto")])),
        ?assertEqual(0, enif_protobuf_protoc:run(["-o", In("o"), In("a/x.proto"), In("a/x.proto")]))
    end end).

status_test_() ->
    proto_texts:in_directory(fun(Dir) ->
        proto_texts:write(Dir, "good.proto", "message M {}"),
        proto_texts:write(Dir, "bad.proto", "message M }"),
        Compiled = fun() -> filelib:is_file(filename:join(Dir, "good.erl")) end,
        [
            ?_assertEqual(0, enif_protobuf_protoc:run(["--help"])),
            ?_assertEqual(0, enif_protobuf_protoc:run(["--version"])),
            [
                ?_assertEqual({Wrong, 1}, {Wrong, enif_protobuf_protoc:run(Wrong)})
             || Wrong <- [[], ["-I", Dir], ["-none", "x.proto"], ["-o"], ["-v"], ["-maps_oneof", "x", "x.proto"]]
            ],
            %% One that is wrong does not keep the others from being written.
            ?_assertEqual(1, enif_protobuf_protoc:run(["-I", Dir, "-o", Dir, "bad.proto", "good.proto"])),
            ?_assert(Compiled())
        ]
    end).
