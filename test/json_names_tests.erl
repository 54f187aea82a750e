%% Fields whose names coincide in JSON: in proto2 they may, as with gpb; elsewhere what protoc takes with a warning is
%% taken, and what it refuses is refused. The answers are those of protoc 35.1.
-module(json_names_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [result/2, in_directory/1, write/3]).

%% The fields of a message, and whether names made up by the language are all that coincides.
-define(MADE_UP, [
    "int32 fooBar = 1; LABEL int32 foo_bar = 2;",
    "int32 foo_1 = 1; LABEL int32 foo1 = 2;",
    "int32 a = 1 [json_name = 'b']; LABEL int32 b = 2;",
    "int32 foo_bar = 1; LABEL int32 b = 2 [json_name = 'fooBar'];",
    %% Field masks go by the name that was replaced.
    "int32 foo_bar = 1 [json_name = 'z']; LABEL int32 fooBar = 2;",
    "int32 Foo_bar = 1; LABEL int32 FooBar = 2;"
]).

-define(GIVEN, "int32 a = 1 [json_name = 'x']; LABEL int32 b = 2 [json_name = 'x'];").
-define(IN_BRACKETS, "int32 a = 1 [json_name = '[x]'];").

message(Fields, Label) ->
    ["message M { ", string:replace(["LABEL ", Fields], "LABEL", Label, all), " }"].

names_of_proto2_test_() ->
    [
        {Fields, ?_assertMatch({ok, _}, result([Syntax, message(Fields, "optional")], []))}
     || Fields <- [?GIVEN, ?IN_BRACKETS | ?MADE_UP], Syntax <- ["", "syntax = 'proto2'; "]
    ].

made_up_names_of_proto3_test_() ->
    [
        {Fields, ?_test(refused(["syntax = 'proto3'; ", message(Fields, Label)]))}
     || Fields <- ?MADE_UP, Label <- ["", "optional"]
    ].

given_names_test_() ->
    [
        ?_test(refused([Syntax, message(?GIVEN, "")]))
     || Syntax <- ["syntax = 'proto3'; ", "edition = '2023'; "]
    ].

%% What differs in case alone, or in underscores that leave no trace, does not coincide.
other_names_of_proto3_test_() ->
    [
        {Fields, ?_assertMatch({ok, _}, result(["syntax = 'proto3'; ", message(Fields, Label)], []))}
     || Fields <- [
            "int32 fooBar = 1; LABEL int32 foobar = 2;",
            "int32 foo_bar = 1; LABEL int32 foobar = 2;",
            "int32 a = 1 [json_name = 'x']; LABEL int32 b = 2 [json_name = 'X'];",
            "int32 a = 1 [json_name = 'b']; LABEL int32 b = 2 [json_name = 'a'];"
        ],
        Label <- ["", "optional"]
    ].

%% What coincides is no matter in a message that says so, but in the messages within it.
deprecated_conflicts_test_() ->
    Option = "option deprecated_legacy_json_field_conflicts = true; ",
    Labelled = fun(Fields, Label) -> [Label, string:replace(Fields, "LABEL ", Label, all)] end,
    Proto3 = fun(Fields) -> ["syntax = 'proto3'; message M { ", Option, Labelled(Fields, ""), "}"] end,
    [
        {Fields, ?_assertMatch({ok, _}, result(Proto3(Fields), []))}
     || Fields <- [?GIVEN, ?IN_BRACKETS | ?MADE_UP]
    ] ++ [
        ?_assertMatch({ok, _}, result(["edition = '2023'; message M { ", Option, Labelled(?GIVEN, ""), "}"], [])),
        ?_test(refused(["syntax = 'proto3'; message N { ", Option, message(hd(?MADE_UP), ""), "}"])),
        ?_test(refused([
            "syntax = 'proto3'; message M { ", string:replace(Option, "true", "false"), Labelled(hd(?MADE_UP), ""), "}"
        ]))
    ].

%% The names of extensions in JSON are written in brackets.
brackets_test_() ->
    Field = fun(Name) -> ["int32 a = 1 [json_name = '", Name, "'];"] end,
    [
        ?_assertMatch({ok, _}, result(["edition = '2023'; ", message(Field(Name), "")], []))
     || Name <- ["[", "]", "[x", "x]"]
    ] ++ [
        ?_test(refused([Syntax, message(Field(Name), "")]))
     || Syntax <- ["syntax = 'proto3'; ", "edition = '2023'; "],
        Name <- ["[x]", "[]"]
    ].

refused(Text) ->
    {error, {proto_error, #{line := 1, column := Column, message := Message}}} = result(Text, []),
    ?assertNotEqual(nomatch, binary:match(Message, <<"name in JSON">>)),
    %% It is the last field.
    {Second, _} = lists:last(binary:matches(iolist_to_binary(Text), <<"int32 ">>)),
    ?assertEqual(Second + length("int32 ") + 1, Column).

editions_test_() ->
    Fields = message(hd(?MADE_UP), ""),
    Lenient = "option features.json_format = LEGACY_BEST_EFFORT;",
    [
        ?_test(refused(["edition = '2023'; ", Fields])),
        ?_assertMatch({ok, _}, result(["edition = '2023'; ", Lenient, Fields], [])),
        ?_assertMatch({ok, _}, result(["edition = '2023'; message Around { ", Lenient, Fields, "}"], []))
    ].

in_nested_messages_test() ->
    refused("edition = '2023'; message A {} message M { message N { int32 fooBar = 1; int32 foo_bar = 2; } }").

%% The definitions are as those of other fields.
definitions_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, int32, optional, [{json_name, "b"}]},
            {field, b, 2, 3, int32, optional, []}
        ]},
        proto_texts:only_message("message M { optional int32 a = 1 [json_name = 'b']; optional int32 b = 2; }")
    ).

%% Another fault of the file is still told.
other_faults_test() ->
    ?assertMatch(
        {error, {proto_error, #{message := <<"name 'none' is not defined", _/binary>>}}},
        result("message M { optional int32 fooBar = 1; optional int32 foo_bar = 2; optional none n = 3; }", [])
    ).

descriptor_sets_test_() ->
    in_directory(fun(Dir) ->
        [
            ?_assertMatch({ok, _}, enif_protobuf:descriptor_set_defs(set(Dir, "", [message(Fields, "optional")]), []))
         || Fields <- ?MADE_UP
        ] ++
            [
                ?_assertMatch(
                    {ok, _},
                    enif_protobuf:descriptor_set_defs(
                        set(Dir, "", ["message A { optional A a = 1; ", message(hd(?MADE_UP), "optional"), "}"]), []
                    )
                ),
                %% protoc itself refuses to write these, so the file is made into one of proto3 afterwards.
                ?_assertMatch(
                    {error, {proto_error, #{message := <<"the fields 'fooBar' and", _/binary>>}}},
                    enif_protobuf:descriptor_set_defs(proto3(set(Dir, "", [message(hd(?MADE_UP), "optional")])), [])
                )
            ]
    end).

set(Dir, Syntax, Text) ->
    write(Dir, "given.proto", [Syntax, Text]),
    Set = filename:join(Dir, "given.set"),
    _ = os:cmd(lists:concat(["cd ", Dir, " && protoc --descriptor_set_out=", Set, " given.proto"])),
    {ok, Bytes} = file:read_file(Set),
    Bytes.

%% The one file of a set, with `syntax = "proto3"' behind the rest.
proto3(<<10, Length, File:Length/binary>>) ->
    <<10, (Length + 8), File/binary, 98, 6, "proto3">>.
