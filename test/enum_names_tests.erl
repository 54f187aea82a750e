%% Symbols of an enum that coincide once the name of the enum is taken off them: generators of other languages do that,
%% so protoc refuses them. The answers are those of protoc 35.1, but in proto2, where older releases of protoc only
%% warned and gpb takes them.
-module(enum_names_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [result/2, in_directory/1, write/3]).

-define(PROTO2, ["", "syntax = 'proto2'; "]).
-define(NEWER, ["syntax = 'proto3'; ", "edition = '2023'; "]).
-define(DEPRECATED, "option deprecated_legacy_json_field_conflicts = true; ").
-define(LENIENT, "option features.json_format = LEGACY_BEST_EFFORT; ").
-define(CONFLICT, "enum Foo { FOO_A = 0; A = 1; }").

-define(CONFLICTS, [
    ?CONFLICT,
    "enum Foo { FOOA = 0; A = 1; }",
    "enum Foo { F_OO_A = 0; A = 1; }",
    "enum Foo { _FOO_A = 0; A = 1; }",
    "enum Foo { FOO_a = 0; A = 1; }",
    "enum Foo { FOO_1 = 0; _1 = 1; }",
    "enum Foo { FOO = 0; FOO_ = 1; }",
    "enum Foo { FOO_ = 0; FOO__ = 1; }",
    "enum FooBar { FOO_BAR_X = 0; FOOBAR_X = 1; }",
    "enum Foo_Bar { FOO_BAR_X = 0; X = 1; }",
    "enum Foo { ab = 0; AB = 1; }",
    "enum Foo { aB = 0; Ab = 1; }",
    "enum Foo { A__B = 0; A_B = 1; }",
    "enum Foo { A_ = 0; A = 1; }",
    "enum Foo { A_1 = 0; A1 = 1; }",
    "enum Foo { option allow_alias = true; FOO_A = 0; B = 1; A = 1; }",
    "message M { enum Foo { FOO_A = 0; A = 1; } }",
    "message A {} message M { message N { enum Foo { FOO_A = 0; A = 1; } } }"
]).

refused_test_() ->
    [{Syntax ++ Enum, ?_test(refused(Syntax ++ Enum))} || Syntax <- ?NEWER, Enum <- ?CONFLICTS].

%% The definitions are those of other enums.
accepted_in_proto2_test_() ->
    [?_assertMatch({ok, _}, result(Syntax ++ Enum, [])) || Syntax <- ?PROTO2, Enum <- ?CONFLICTS] ++
        [?_assertEqual([{{enum, 'Foo'}, [{'FOO_A', 0}, {'A', 1}]}], proto_texts:types(proto_texts:defs(?CONFLICT)))].

accepted_test_() ->
    [
        {Syntax ++ Enum, ?_assertMatch({ok, _}, result(Syntax ++ Enum, []))}
     || Syntax <- ?PROTO2 ++ ?NEWER,
        Enum <- [
            "enum Foo { A_B = 0; AB = 1; }",
            "enum Foo { a_b = 0; aB = 1; }",
            "enum Foo { FOO_ = 0; _ = 1; }",
            "enum Foo { FOO_FOO_A = 0; FOO_A = 1; }",
            "enum Foo { FOO_BAR_BAZ = 0; FOO_BARBAZ = 1; }",
            %% Those of one number are one.
            "enum Foo { option allow_alias = true; FOO_A = 0; A = 0; }",
            "enum Foo { option allow_alias = true; FOO_A = 0; FOO_B = 1; A = 0; B = 1; }"
        ]
    ].

%% In what is newer than proto2 no enum may say that they coincide.
deprecated_conflicts_test_() ->
    [?_test(refused([Syntax, "enum Foo { ", ?DEPRECATED, "FOO_A = 0; A = 1; }"])) || Syntax <- ?NEWER].

%% Features play no part.
features_test_() ->
    [
        ?_test(refused(["edition = '2023'; ", Text]))
     || Text <- [
            [?LENIENT, ?CONFLICT],
            ["enum Foo { ", ?LENIENT, "FOO_A = 0; A = 1; }"],
            "enum Foo { option features.enum_type = CLOSED; FOO_A = 0; A = 1; }"
        ]
    ].

refused(Text) ->
    {error, {proto_error, #{line := 1, column := Column, message := Message}}} = result(Text, []),
    ?assertNotEqual(nomatch, binary:match(Message, <<"without the name of the enum">>)),
    %% It is the last symbol.
    {match, Symbols} = re:run(Text, "\\w+ = 1;", [global]),
    [{Last, _}] = lists:last(Symbols),
    ?assertEqual(Last + 1, Column).

descriptor_set_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "given.proto", "syntax = 'proto3'; enum Foo { FOO_A = 0; B = 1; }"),
        _ = os:cmd(lists:concat(["cd ", Dir, " && protoc --descriptor_set_out=given.set given.proto"])),
        {ok, Set} = file:read_file(filename:join(Dir, "given.set")),
        %% protoc itself refuses to write such a set.
        Conflict = binary:replace(Set, <<"FOO_A">>, <<"FOO_B">>),
        [
            ?_assertMatch({ok, _}, enif_protobuf:descriptor_set_defs(Set, [])),
            ?_assertMatch(
                {error, {proto_error, #{message := <<"the symbols 'FOO_B' and 'B'", _/binary>>}}},
                enif_protobuf:descriptor_set_defs(Conflict, [])
            )
        ]
    end).
