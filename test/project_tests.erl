%% The .proto files of a project, as `rebar3 epb compile' and `rebar3 epb clean' see them.
-module(project_tests).

-include_lib("eunit/include/eunit.hrl").

%% Each test has an application, in a directory beside others.
in_application(Test) ->
    proto_texts:in_directory(fun(Dir) -> fun() -> Test(filename:join(Dir, "app")) end end).

write(App, Files) ->
    [proto_texts:write(App, File, ["message ", Message, " {}"]) || {File, Message} <- Files].

app(App, Opts) ->
    #{dir => App, opts => Opts, siblings => [], record => filename:join(App, "_build/epb/app")}.

compile(App, Opts) ->
    [sentence(App, Reason) || Reason <- enif_protobuf_project:compile(app(App, Opts))].

sentence(App, Reason) ->
    lists:flatten(string:replace(enif_protobuf_project:format_error(Reason), App ++ "/", "", all)).

clean(App, Opts) ->
    enif_protobuf_project:clean(app(App, Opts)).

written(App) ->
    lists:sort([File || File <- filelib:wildcard("**/*.[eh]rl", App)]).

places_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/x.proto", "X"}, {"proto/deep/y.proto", "Y"}, {"_build/lib/proto/z.proto", "Z"}]),
        write(App, [{"../beside/b.proto", "B"}, {"../app2/c.proto", "C"}, {"_checkouts/d/d.proto", "D"}]),
        Both = ["include/x.hrl", "include/y.hrl", "src/x.erl", "src/y.erl"],
        [
            begin
                ?assertEqual({Opts, [], Both}, {Opts, compile(App, Opts), written(App)}),
                ok = clean(App, Opts),
                ?assertEqual([], written(App))
            end
         || Opts <- [
                [],
                [{i, "proto"}],
                [{i, "proto/"}],
                [{i, "./proto"}],
                [{i, "deep/../proto/."}],
                [{i, <<"proto">>}],
                [{i, filename:join(App, "proto")}],
                [{i, "proto"}, {i, "proto/deep"}],
                [{i, "."}],
                [{i, "../app/proto"}],
                %% What is not the application's own is for imports alone.
                [{i, "proto"}, {i, "../beside"}, {i, "../app2"}],
                [{i, "proto"}, {files, ["proto/**/*.proto"]}]
            ]
        ]
    end).

named_outputs_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/x.proto", "X"}]),
        ?assertEqual([], compile(App, [{o, "./gen"}, {module_name_suffix, "_pb"}])),
        ?assertEqual(["gen/x_pb.erl", "gen/x_pb.hrl"], written(App))
    end).

%% What a file leaves behind that is deleted or renamed goes.
stale_outputs_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/x.proto", "X"}, {"proto/y.proto", "Y"}]),
        proto_texts:write(App, "src/own.erl", "-module(own)."),
        [] = compile(App, []),
        ok = file:rename(filename:join(App, "proto/x.proto"), filename:join(App, "proto/z.proto")),
        [] = compile(App, []),
        ?assertEqual(["include/y.hrl", "include/z.hrl", "src/own.erl", "src/y.erl", "src/z.erl"], written(App)),
        %% Options move outputs.
        [] = compile(App, [{o, "gen"}]),
        ?assertEqual(["gen/y.erl", "gen/y.hrl", "gen/z.erl", "gen/z.hrl", "src/own.erl"], written(App)),
        %% A file that is wrong keeps what was made of it; what takes the place of an output is kept.
        proto_texts:write(App, "proto/y.proto", "message }"),
        proto_texts:write(App, "gen/z.erl", "-module(z)."),
        ok = file:delete(filename:join(App, "proto/z.proto")),
        ?assertEqual(["y.proto:1:9: expected an identifier, but found '}'"], compile(App, [{o, "gen"}])),
        ?assertEqual(["gen/y.erl", "gen/y.hrl", "gen/z.erl", "src/own.erl"], written(App)),
        ok = clean(App, [{o, "gen"}]),
        ?assertEqual(["gen/z.erl", "src/own.erl"], written(App)),
        ?assertNot(filelib:is_file(filename:join(App, "_build/epb/app")))
    end).

%% Without the list of what was written, which went with the build, the outputs of the files that are there are known.
clean_without_record_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/x.proto", "X"}]),
        [] = compile(App, []),
        ok = file:del_dir_r(filename:join(App, "_build")),
        ok = clean(App, []),
        ?assertEqual([], written(App))
    end).

one_output_of_two_files_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/a/x.proto", "A"}, {"proto/b/x.proto", "B"}, {"proto/y.proto", "Y"}]),
        ?assertEqual(
            [
                "src/x.erl: proto/a/x.proto and proto/b/x.proto would both be written here: "
                "they need base names, or directories for what is written, of their own"
            ],
            compile(App, [])
        ),
        ?assertEqual([], written(App)),
        ?assertMatch(["src/m.erl: proto/a/x.proto, proto/b/x.proto and " ++ _], compile(App, [{module_name, m}]))
    end).

what_is_missing_test_() ->
    in_application(fun(App) ->
        ok = filelib:ensure_dir(filename:join(App, "src/")),
        %% Nobody said that there are any.
        ?assertEqual([], compile(App, [])),
        ?assertEqual(
            ["nodir: there is no such directory, named by {i,\"nodir\"} of epb_opts"], compile(App, [{i, "nodir"}])
        ),
        write(App, [{"proto/x.proto", "X"}]),
        Outside = filename:join(filename:dirname(App), "x"),
        ?assertEqual(
            [Outside ++ ": there is no such directory, named by {i,\"../x\"} of epb_opts"],
            compile(App, [{i, "proto"}, {i, "../x"}])
        ),
        ?assertEqual(
            ["none.proto: there is no such file, named by {files,[\"none.proto\"]} of epb_opts"],
            compile(App, [{files, ["proto/*.proto", "none.proto"]}])
        ),
        ?assertEqual([], written(App)),
        %% Applications of one project may have their options in common: one of them has what is named.
        Sibling = filename:join(filename:dirname(App), "sibling"),
        write(Sibling, [{"nodir/x.proto", "X"}]),
        ?assertEqual([], enif_protobuf_project:compile((app(App, [{i, "nodir"}]))#{siblings => [App, Sibling]}))
    end).

wrong_options_test_() ->
    in_application(fun(App) ->
        write(App, [{"proto/x.proto", "X"}, {"proto/y.proto", "Y"}]),
        Sentence = "epb_opts: {maps,perhaps} is no option, or not one with this value",
        ?assertEqual([Sentence], compile(App, [{maps, perhaps}])),
        ?assertEqual(["epb_opts: {i,7} is no option, or not one with this value"], compile(App, [{i, 7}]))
    end).
