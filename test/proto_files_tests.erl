%% proto_defs/2 and load_proto/2: several files, where they are sought, and what is wrong with a file or an argument.
-module(proto_files_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [
    result/2,
    definitions/3,
    types/1,
    messages/1,
    only_message/1,
    data/0,
    in_directory/1,
    in_current_directory/2,
    write/3
]).

extensions_and_imports_test() ->
    {ok, Defs} = enif_protobuf:proto_defs("fleet.proto", [{i, data()}, use_packages]),
    ?assertEqual(
        lists:sort([
            {{msg, 'harbour.fleet.Fleet'}, [
                {field, ships, 1, 2, {msg, 'harbour.fleet.ship.Ship'}, repeated, []},
                {field, spare, 2, 3, {msg, 'harbour.fleet.parts.Sail'}, optional, []},
                {field, berth, 3, 4, {msg, 'harbour.fleet.ship.Ship.Berth'}, optional, []},
                {field, cloth, 4, 5, {enum, 'harbour.fleet.parts.Cloth'}, optional, [{default, 'HEMP'}]}
            ]},
            {{msg, 'harbour.fleet.Fleet.Log'}, []},
            {{group, 'harbour.fleet.Fleet.Log.Entry'}, [{field, day, 1, 2, int32, optional, []}]},
            {{msg, 'harbour.fleet.ship.Ship'}, [
                {field, name, 1, 2, string, required, []},
                {field, sails, 2, 3, {msg, 'harbour.fleet.parts.Sail'}, repeated, []},
                {field, berth, 3, 4, {msg, 'harbour.fleet.ship.Ship.Berth'}, optional, []},
                {field, fleet, 101, 5, {msg, 'harbour.fleet.Fleet'}, optional, []},
                {field, 'Entry', 104, 6, {group, 'harbour.fleet.Fleet.Log.Entry'}, repeated, []},
                {field, first_note, 102, 7, string, optional, []},
                {field, second_note, 103, 8, string, optional, []},
                {field, days, 105, 9, int32, repeated, [packed]},
                {field, afloat, 100, 10, bool, optional, [deprecated]}
            ]},
            {{msg, 'harbour.fleet.ship.Ship.Berth'}, [{field, number, 1, 2, uint32, optional, []}]},
            {{msg, 'harbour.fleet.parts.Sail'}, [
                {field, cloth, 1, 2, {enum, 'harbour.fleet.parts.Cloth'}, optional, []},
                {field, on, 10, 3, {msg, 'harbour.fleet.ship.Ship'}, optional, []}
            ]},
            {{enum, 'harbour.fleet.parts.Cloth'}, [{'FLAX', 1}, {'HEMP', 2}]}
        ]),
        types(Defs)
    ),
    ?assertEqual([{100, 199}], proplists:get_value({extensions, 'harbour.fleet.ship.Ship'}, Defs)),
    ?assertEqual([{10, max}], proplists:get_value({extensions, 'harbour.fleet.parts.Sail'}, Defs)),
    ?assertEqual(
        {'harbour.fleet.ship', [{field, on, 10, undefined, {msg, 'harbour.fleet.ship.Ship'}, optional, []}]},
        proplists:get_value({ext_origin, 'harbour.fleet.parts.Sail'}, Defs)
    ),
    Sail = "fleet/parts/sail.proto",
    ?assertEqual(["fleet/ship.proto", Sail, Sail], proplists:get_all_values(import, Defs)).

%% Without packages: gpb refuses `google.protobuf.Timestamp' then.
well_known_types_test() ->
    {ok, Defs} = enif_protobuf:proto_defs("calendar.proto", [{i, data()}]),
    Message = fun(Name) -> proplists:get_value({msg, Name}, Defs) end,
    ?assertEqual(
        [
            {field, start, 1, 2, {msg, 'Timestamp'}, defaulty, []},
            {field, length, 2, 3, {msg, 'Duration'}, defaulty, []},
            {field, title, 3, 4, {msg, 'StringValue'}, defaulty, []},
            {field, details, 4, 5, {msg, 'Struct'}, defaulty, []},
            {field, attachments, 5, 6, {msg, 'Any'}, repeated, []}
        ],
        Message('Event')
    ),
    ?assertEqual(
        [{field, seconds, 1, 2, int64, defaulty, []}, {field, nanos, 2, 3, int32, defaulty, []}],
        Message('Timestamp')
    ),
    ?assertEqual([{field, fields, 1, 2, {map, string, {msg, 'Value'}}, repeated, []}], Message('Struct')),
    ?assertEqual(
        [
            {gpb_oneof, kind, 2,
                [
                    {field, null_value, 1, 2, {enum, 'NullValue'}, optional, []},
                    {field, number_value, 2, 2, double, optional, []},
                    {field, string_value, 3, 2, string, optional, []},
                    {field, bool_value, 4, 2, bool, optional, []},
                    {field, struct_value, 5, 2, {msg, 'Struct'}, optional, []},
                    {field, list_value, 6, 2, {msg, 'ListValue'}, optional, []}
                ],
                []}
        ],
        Message('Value')
    ),
    ?assertEqual([{'NULL_VALUE', 0}], proplists:get_value({enum, 'NullValue'}, Defs)),
    ?assert(lists:member('Event', proplists:get_value(proto3_msgs, Defs))),
    ?assert(lists:member('Any', proplists:get_value(proto3_msgs, Defs))).

well_known_file_alone_test() ->
    {ok, Defs} = enif_protobuf:proto_defs("google/protobuf/empty.proto", [use_packages]),
    ?assertEqual([], proplists:get_value({msg, 'google.protobuf.Empty'}, Defs)).

both_syntaxes_together_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "old.proto", "syntax = 'proto2'; message Old { repeated int32 a = 1; optional int32 b = 2; }"),
        write(Dir, "new.proto", [
            "syntax = 'proto3'; import 'old.proto'; message New { repeated int32 a = 1; Old b = 2; }"
        ]),
        Defs = definitions(Dir, "new.proto", []),
        [
            ?_assertEqual(["proto2", "proto3"], lists:sort(proplists:get_all_values(syntax, Defs))),
            ?_assertEqual(['New'], proplists:get_value(proto3_msgs, Defs)),
            ?_assertEqual(
                [
                    {'New', [
                        {field, a, 1, 2, int32, repeated, [packed]},
                        {field, b, 2, 3, {msg, 'Old'}, defaulty, []}
                    ]},
                    {'Old', [
                        {field, a, 1, 2, int32, repeated, []},
                        {field, b, 2, 3, int32, optional, []}
                    ]}
                ],
                messages(Defs)
            )
        ]
    end).

names_of_files_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "one.proto", "message One { }"),
        write(Dir, "two.proto", "message Two { }"),
        write(Dir, <<"drei_ß.proto"/utf8>>, "message Three { }"),
        Names = fun(Files) ->
            {ok, Defs} = enif_protobuf:proto_defs(Files, [{i, Dir}]),
            [Name || {Name, _} <- messages(Defs)]
        end,
        [
            ?_assertEqual(['One'], Names("one.proto")),
            ?_assertEqual(['One'], Names(<<"one.proto">>)),
            ?_assertEqual(['One'], Names(["one.proto"])),
            ?_assertEqual(['One', 'Two'], Names(["one.proto", <<"two.proto">>])),
            ?_assertEqual(['One'], Names(["one.proto", <<"one.proto">>, "./one.proto"])),
            ?_assertEqual(['One'], Names(["one.proto", filename:join(Dir, "one.proto")])),
            ?_assertEqual(['Three'], Names("drei_ß.proto")),
            ?_assertEqual(['Three'], Names([<<"drei_ß.proto"/utf8>>]))
        ]
    end).

where_files_are_sought_test_() ->
    in_directory(fun(Dir) ->
        First = filename:join(Dir, "first"),
        Second = filename:join(Dir, "second"),
        write(Dir, "first/common.proto", "message First { }"),
        write(Dir, "second/common.proto", "message Second { }"),
        write(Dir, "second/user.proto", "import 'common.proto'; message User { }"),
        write(Dir, "second/sub/deep.proto", "import 'deeper.proto'; message Deep { optional Deeper d = 1; }"),
        write(Dir, "second/sub/deeper.proto", "message Deeper { }"),
        write(Dir, "second/both.proto", [
            "import 'sub/deeper.proto'; import 'sub/deep.proto'; message Both { optional Deeper d = 1; }"
        ]),
        Sub = filename:join(Second, "sub"),
        Names = fun(File, Opts) ->
            {ok, Defs} = enif_protobuf:proto_defs(File, Opts),
            [Name || {Name, _} <- messages(Defs)]
        end,
        [
            %% The directories count in their order.
            ?_assertEqual(['First'], Names("common.proto", [{i, First}, {i, Second}])),
            ?_assertEqual(['Second'], Names("common.proto", [{i, list_to_binary(Second)}, {i, First}])),
            %% A file need not stand in any of them; what it imports must.
            ?_assertEqual(['First', 'User'], Names(filename:join(Second, "user.proto"), [{i, First}])),
            ?_assertMatch({error, _}, enif_protobuf:proto_defs(filename:join(Second, "user.proto"), [])),
            %% The directory of a file does not count.
            ?_assertMatch({error, _}, enif_protobuf:proto_defs("sub/deep.proto", [{i, Second}])),
            ?_assertEqual(['Deep', 'Deeper'], Names("sub/deep.proto", [{i, Second}, {i, Sub}])),
            %% One file under two names is one file.
            ?_assertEqual(['Both', 'Deep', 'Deeper'], Names("both.proto", [{i, Second}, {i, Sub}])),
            ?_test(in_current_directory(Second, fun() ->
                ?assertEqual(['Second'], Names("common.proto", [])),
                ?assertEqual(['Second', 'User'], Names("user.proto", [])),
                ?assertEqual(['First', 'User'], Names("user.proto", [{i, "../first"}])),
                ?assertEqual(['Deeper'], Names("sub/deeper.proto", [])),
                ?assertEqual(['First'], Names("../first/common.proto", []))
            end))
        ]
    end).

files_of_the_same_name_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a/common.proto", "message A { }"),
        write(Dir, "b/common.proto", "message B { }"),
        write(Dir, "top.proto", "import 'a/common.proto'; import 'b/common.proto';"),
        Defs = definitions(Dir, "top.proto", []),
        ?_assertEqual(
            [{"a/common", "a/common.proto"}, {"b/common", "b/common.proto"}, {"top", "top.proto"}],
            lists:sort(proplists:get_all_values(file, Defs))
        )
    end).

text_that_is_not_utf8_test() ->
    ?assertEqual({'A', []}, only_message(<<"// caf", 233, "\nmessage A { }">>)),
    ?assertEqual({'A', []}, only_message(<<16#ef, 16#bb, 16#bf, "message A { }">>)).

%% What is wrong with a file.

errors_name_the_place_test_() ->
    Cases = [
        {2, 1, "';'", "message M { optional int32 a = 1\n}"},
        {1, 17, "end of file", "message M { // ä"},
        {3, 12, "'B' is not defined", "message M {\n  // B\n  optional B b = 1;\n}"},
        {1, 32, "'B' is not defined", <<"/* äöü */ message M { optional B b = 1; }"/utf8>>},
        {1, 1, "'nowhere.proto' not found", "import 'nowhere.proto';"},
        {1, 10, "proto4", "syntax = 'proto4';"},
        {1, 11, "edition '2024' is not supported", "edition = '2024';"},
        {1, 54, "already used", "message M { optional int32 a = 1; optional int32 b = 1; }"},
        {2, 7, "must be 0", "syntax = 'proto3'; enum E {\n  A = 1;\n}"},
        {1, 1, "invalid token", <<0, 1, 2>>},
        {2, 1, "longer than the 255 characters", ["message M {}\nmessage ", long(), " {}"]},
        {1, 13, "longer than the 255 characters", ["message M { optional int32 ", long(), " = 1; }"]},
        {1, 13, "longer than the 255 characters", ["message M { oneof ", long(), " { int32 n = 1; } }"]},
        {1, 10, "longer than the 255 characters", ["enum E { ", long(), " = 1; }"]},
        {1, 13, "longer than the 255 characters", ["message M { enum ", long(), " { A = 1; } }"]}
    ],
    [
        {lists:flatten(io_lib:format("~p", [Text])), ?_test(error_at(Line, Column, Part, Text))}
     || {Line, Column, Part, Text} <- Cases
    ].

long() ->
    lists:duplicate(256, $n).

error_at(Line, Column, Part, Text) ->
    {error, {proto_error, Details}} = result(Text, []),
    ?assertMatch(#{file := <<"given.proto">>, line := Line, column := Column}, Details),
    #{message := Message} = Details,
    ?assertMatch({_, _}, binary:match(Message, list_to_binary(Part))).

error_in_an_imported_file_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "good.proto", "import 'bad.proto'; message Good { }"),
        write(Dir, "bad.proto", "\nmessage { }"),
        ?_assertMatch(
            {error, {proto_error, #{file := <<"bad.proto">>, line := 2, column := 9, message := _}}},
            enif_protobuf:proto_defs("good.proto", [{i, Dir}])
        )
    end).

missing_file_test() ->
    {error, {proto_error, #{file := <<"nowhere.proto">>, message := Message} = Details}} =
        enif_protobuf:proto_defs("nowhere.proto", [{i, "/no/such/directory"}]),
    ?assertNot(maps:is_key(line, Details)),
    ?assertMatch({_, _}, binary:match(Message, <<"/no/such/directory">>)).

%% A directory that is named twice is told once.
directories_that_were_searched_test() ->
    {ok, Current} = file:get_cwd(),
    {error, {proto_error, #{message := Message}}} =
        enif_protobuf:proto_defs("nowhere.proto", [{i, "."}, {i, Current}, {i, "test"}, {i, "."}]),
    Searched = unicode:characters_to_binary(["searched in ", Current, ", ", Current, "/test; "]),
    ?assertMatch({_, _}, binary:match(Message, Searched)).

directory_is_no_file_test() ->
    ?assertMatch({error, {proto_error, #{file := <<"fleet">>}}}, enif_protobuf:proto_defs("fleet", [{i, data()}])).

name_with_a_null_byte_test() ->
    ?assertMatch({error, {proto_error, _}}, enif_protobuf:proto_defs([$a, 0, $b], [])).

import_cycle_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a.proto", "import 'b.proto';"),
        write(Dir, "b.proto", "\nimport 'c.proto'; import 'a.proto';"),
        write(Dir, "c.proto", ""),
        write(Dir, "self.proto", "import 'self.proto';"),
        write(Dir, "sub/named.proto", "import 'named.proto';"),
        Sub = {i, filename:join(Dir, "sub")},
        [
            ?_assertEqual({File, Line, Column, Sentence}, wrong(enif_protobuf:proto_defs(Asked, [{i, Dir}, Sub])))
         || {Asked, File, Line, Column, Names} <- [
                {"a.proto", <<"b.proto">>, 2, 19, "a.proto -> b.proto -> a.proto"},
                {"self.proto", <<"self.proto">>, 1, 1, "self.proto -> self.proto"},
                %% One file under two names.
                {"sub/named.proto", <<"sub/named.proto">>, 1, 1, "sub/named.proto -> named.proto -> sub/named.proto"}
            ],
            Sentence <- [list_to_binary("files import each other: " ++ Names)]
        ]
    end).

wrong({error, {proto_error, #{file := File, line := Line, column := Column, message := Message}}}) ->
    {File, Line, Column, Message}.

repeated_import_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a.proto", "import 'b.proto';\nimport 'b.proto';"),
        write(Dir, "b.proto", ""),
        ?_assertEqual(
            {<<"a.proto">>, 2, 1, <<"import 'b.proto' was listed twice">>},
            wrong(enif_protobuf:proto_defs("a.proto", [{i, Dir}]))
        )
    end).

one_name_in_two_packages_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a.proto", "package a; import 'b.proto'; message M { optional b.M m = 1; }"),
        write(Dir, "b.proto", "package b; message M { }"),
        {error, {proto_error, #{message := Message} = Details}} = enif_protobuf:proto_defs("a.proto", [{i, Dir}]),
        [
            ?_assertMatch(#{file := <<"b.proto">>, line := 1, column := 12}, Details),
            ?_assertMatch({_, _}, binary:match(Message, <<"a.M and as b.M">>)),
            ?_assertMatch({_, _}, binary:match(Message, <<"use_packages">>)),
            ?_assertMatch([{'a.M', [_]}, {'b.M', []}], messages(definitions(Dir, "a.proto", [use_packages])))
        ]
    end).

%% An Erlang atom has at most 255 characters.
longest_name_test() ->
    Name = fun(Length) -> lists:duplicate(Length, $n) end,
    ?assertEqual({list_to_atom(Name(255)), []}, only_message(["message ", Name(255), " { }"])),
    ?assertMatch({error, {proto_error, _}}, result(["message ", Name(256), " { }"], [])),
    %% With its package a name is longer.
    Text = ["package p; message ", Name(254), " { }"],
    ?assertMatch({ok, _}, result(Text, [])),
    ?assertMatch({error, {proto_error, _}}, result(Text, [use_packages])).

%% Depth.

messages_nest_31_deep_test() ->
    Nested = fun(Depth) -> [lists:duplicate(Depth, "message M { "), lists:duplicate(Depth, "}")] end,
    ?assertMatch({ok, _}, result(Nested(31), [])),
    [?assertMatch({error, {proto_error, #{line := 1}}}, result(Nested(Depth), [])) || Depth <- [32, 256, 257, 10000]].

values_of_options_nest_256_deep_test() ->
    Nested = fun(Open, Close, Levels) ->
        [
            "import 'google/protobuf/descriptor.proto'; message O { optional O o = 1; repeated O l = 2; }",
            "extend google.protobuf.MessageOptions { optional O opt = 50000; }",
            ["message M { option (opt) = {", lists:duplicate(Levels, Open), lists:duplicate(Levels, Close), "}; }"]
        ]
    end,
    %% The message and the value itself have a brace each.
    [
        begin
            ?assertMatch({ok, _}, result(Nested(Open, Close, Levels), [])),
            ?assertMatch({error, {proto_error, #{line := 1}}}, result(Nested(Open, Close, Levels + 1), [])),
            ?assertMatch({error, {proto_error, #{line := 1}}}, result(Nested(Open, Close, 100000), []))
        end
     || {Open, Close, Levels} <- [{"o {", "}", 254}, {"o <", ">", 254}, {"l: [{", "}]", 127}]
    ].

names_of_options_have_256_parts_test() ->
    Parts = fun(Count) ->
        [
            "import 'google/protobuf/descriptor.proto'; message O { optional O o = 1; optional int32 a = 2; }",
            "extend google.protobuf.MessageOptions { optional O opt = 50000; }",
            ["message M { option (opt)", lists:duplicate(Count - 2, ".o"), ".a = 1; }"]
        ]
    end,
    ?assertMatch({ok, _}, result(Parts(257), [])),
    ?assertMatch({error, {proto_error, _}}, result(Parts(258), [])),
    ?assertMatch({error, {proto_error, _}}, result(Parts(1000000), [])).

%% (Under a checker of memory a million pieces take seconds.)
garbage_is_an_error_test_() ->
    {timeout, 120, fun() ->
        [
            ?assertMatch({error, {proto_error, _}}, result(lists:duplicate(Count, Piece), []))
         || Count <- [1, 100, 10000, 1000000], Piece <- ["{", "[", "(", "<", "}", "\"", "message A {", "/*", "= ."]
        ]
    end}.

braces_in_strings_and_comments_do_not_nest_test() ->
    Braces = lists:duplicate(1000, "{[(<."),
    Text = ["/* ", Braces, " */ // ", Braces, "\nmessage M { optional string a = 1 [default = '", Braces, "']; }"],
    ?assertMatch({'M', [_]}, only_message(Text)).

%% Arguments of the wrong kind.

wrong_files_test_() ->
    Wrong = [name, 1, {"a.proto"}, #{}, [], <<>>, [name], [[]], ["a.proto", name], [$a, b], [$a | $b]] ++
        [["a.proto" | <<"b.proto">>], [16#110000], [16#d800], [-1], <<255>>, [<<"a.proto">>, <<255>>], <<1:1>>, [1.0]],
    [{lists:flatten(io_lib:format("~p", [Files])), ?_test(blames(1, [Files, []]))} || Files <- Wrong].

wrong_options_test_() ->
    Wrong = [name, [name], [1], [{i}], [i], [{i, 1}], [{i, dir}], [{i, ""}], [{i, [$a | $b]}], [{name, true}]] ++
        [[use_packages | use_packages], [{use_packages, 1}], [{use_packages, "true"}], [{use_packages, true, 1}]] ++
        [[{preserve_unknown_fields, yes}], [proto_defs_version] | [[{proto_defs_version, N}] || N <- [0, 3, 5]]],
    [
        {lists:flatten(io_lib:format("~p", [Opts])), ?_test(blames(2, ["fleet.proto", Opts]))}
     || Opts <- Wrong
    ].

blames(Argument, Arguments) ->
    try apply(enif_protobuf, proto_defs, Arguments) of
        Result -> error({no_error, Result})
    catch
        error:badarg:Stack ->
            [{enif_protobuf, proto_defs, Arguments, Info} | _] = Stack,
            #{cause := [Argument, Sentence, _Part]} = proplists:get_value(error_info, Info),
            ?assert(is_binary(Sentence))
    end.

%% The way all of it is used.

load_proto_test() ->
    ok = enif_protobuf:load_proto("fleet.proto", [{i, data()}]),
    ok = enif_protobuf:set_opts([{string_as_list, false}]),
    Record =
        {'Ship', <<"Sea">>, [{'Sail', 'FLAX', undefined}], {'Ship.Berth', 7}, undefined, [{'Fleet.Log.Entry', 3}],
            undefined, <<"so far">>, [1, 2], true},
    ?assertEqual(Record, enif_protobuf:decode(enif_protobuf:encode(Record), 'Ship')).

load_proto_raises_what_is_wrong_test() ->
    ?assertError({proto_error, #{file := <<"nowhere.proto">>}}, enif_protobuf:load_proto("nowhere.proto")).
