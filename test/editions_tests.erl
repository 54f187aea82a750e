%% Files of edition 2023: what their features come to in definitions and on the wire, and what is wrong with a file.
-module(editions_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [defs/1, result/2, load/1, load/2, messages/1, types/1, only_message/1, in_directory/1, write/3]).
-import(wire_bytes, [hex/1]).

edition(Text) ->
    ["edition = '2023';\n" | Text].

%% The one field of a message in a file that begins with these options, by what gpb's form says of it.
field(FileOptions, Field) ->
    {'M', [{field, f, 1, 2, Type, Occurrence, Options}]} =
        lists:keyfind('M', 1, messages(defs(edition([FileOptions, " message M { ", Field, " } message S { }"])))),
    {Type, Occurrence, Options}.

verify() ->
    {[features, utf8_validation], 'VERIFY'}.

delimited() ->
    {[features, message_encoding], 'DELIMITED'}.

%% {What the file says, what the field says, what comes of both}
features_of_fields_test_() ->
    [
        {lists:concat([FileOptions, " ", Field]), fun() -> ?assertEqual(Expected, field(FileOptions, Field)) end}
     || {FileOptions, Field, Expected} <- [
            {"", "int32 f = 1;", {int32, optional, []}},
            {"option features.field_presence = IMPLICIT;", "int32 f = 1;", {int32, defaulty, []}},
            {"option features.field_presence = IMPLICIT;", "S f = 1;", {{msg, 'S'}, optional, []}},
            {"option features.field_presence = IMPLICIT;", "int32 f = 1 [features.field_presence = EXPLICIT];",
                {int32, optional, [{[features, field_presence], 'EXPLICIT'}]}},
            {"option features.field_presence = LEGACY_REQUIRED;", "int32 f = 1;", {int32, required, []}},
            {"option features.field_presence = LEGACY_REQUIRED;", "repeated bytes f = 1;", {bytes, repeated, []}},
            {"", "int32 f = 1 [features = { field_presence: LEGACY_REQUIRED }];",
                {int32, required, [{features, {uninterpreted, "{ field_presence : LEGACY_REQUIRED }"}}]}},
            {"", "repeated int32 f = 1;", {int32, repeated, [packed]}},
            {"option features.repeated_field_encoding = EXPANDED;", "repeated int32 f = 1;", {int32, repeated, []}},
            {"option features.repeated_field_encoding = EXPANDED;",
                "repeated int32 f = 1 [features.repeated_field_encoding = PACKED];",
                {int32, repeated, [packed, {[features, repeated_field_encoding], 'PACKED'}]}},
            {"", "repeated S f = 1;", {{msg, 'S'}, repeated, []}},
            {"", "string f = 1;", {string, optional, [verify()]}},
            {"", "string f = 1 [features.utf8_validation = VERIFY];", {string, optional, [verify()]}},
            {"", "string f = 1 [features.utf8_validation = NONE];", {string, optional, []}},
            {"option features.utf8_validation = NONE;", "repeated string f = 1;", {string, repeated, []}},
            {"", "map<int32, string> f = 1;", {{map, int32, string}, repeated, [verify()]}},
            {"", "map<string, S> f = 1;", {{map, string, {msg, 'S'}}, repeated, [verify()]}},
            {"option features.message_encoding = DELIMITED;", "S f = 1;", {{msg, 'S'}, optional, [delimited()]}},
            {"option features.message_encoding = DELIMITED;", "repeated S f = 1;",
                {{msg, 'S'}, repeated, [delimited()]}},
            {"option features.message_encoding = DELIMITED;", "map<int32, S> f = 1;",
                {{map, int32, {msg, 'S'}}, repeated, []}},
            {"option features.message_encoding = DELIMITED;",
                "S f = 1 [features.message_encoding = LENGTH_PREFIXED];", {{msg, 'S'}, optional, []}},
            {"", "int32 f = 1 [default = -5, deprecated = true];", {int32, optional, [deprecated, {default, -5}]}}
        ]
    ].

%% From a message to what is nested in it, from a oneof to its members, from an enum's surroundings to the enum.
features_are_inherited_test() ->
    Text = [
        "option features.enum_type = CLOSED; option features.field_presence = IMPLICIT;",
        "message M { option features.field_presence = EXPLICIT; option features.utf8_validation = NONE;",
        "  int32 a = 1; message N { int32 a = 1; string s = 2; option features.utf8_validation = VERIFY; }",
        "  oneof o { option features.message_encoding = DELIMITED; N n = 2; string t = 3; }",
        "  enum Open { option features.enum_type = OPEN; Z = 0; } enum Closed { F = 1; }",
        "}",
        "message P { int32 a = 1; }"
    ],
    ?assertEqual(
        [
            {{enum, 'M.Closed'}, [{option, [features, enum_type], 'CLOSED'}, {'F', 1}]},
            {{enum, 'M.Open'}, [{'Z', 0}]},
            {{msg, 'M'}, [
                {field, a, 1, 2, int32, optional, []},
                {gpb_oneof, o, 3,
                    [
                        {field, n, 2, 3, {msg, 'M.N'}, optional, [delimited()]},
                        {field, t, 3, 3, string, optional, []}
                    ],
                    [{[features, message_encoding], 'DELIMITED'}]}
            ]},
            {{msg, 'M.N'}, [{field, a, 1, 2, int32, optional, []}, {field, s, 2, 3, string, optional, [verify()]}]},
            {{msg, 'P'}, [{field, a, 1, 2, int32, defaulty, []}]}
        ],
        types(defs(edition(Text)))
    ).

extensions_always_have_presence_test() ->
    Text = [
        "option features.field_presence = IMPLICIT; message M { extensions 10 to 20; }",
        "extend M { int32 x = 10; repeated int32 r = 11; .M m = 12 [features.message_encoding = DELIMITED]; }",
        "message N { extend M { string s = 13; } }"
    ],
    {'M', Fields} = lists:keyfind('M', 1, messages(defs(edition(Text)))),
    ?assertEqual(
        [
            {x, int32, optional, []},
            {r, int32, repeated, [packed]},
            {m, {msg, 'M'}, optional, [delimited()]},
            {s, string, optional, [verify()]}
        ],
        [{Name, Type, Occurrence, Options} || {field, Name, _, _, Type, Occurrence, Options} <- Fields]
    ).

the_file_says_its_edition_test() ->
    Defs = defs(edition("package p; option features.field_presence = IMPLICIT; message M { }")),
    ?assertEqual("2023", proplists:get_value(edition, Defs)),
    ?assertNot(proplists:is_defined(syntax, Defs)),
    ?assertNot(proplists:is_defined(proto3_msgs, Defs)),
    ?assert(lists:member({option, [features, field_presence], 'IMPLICIT'}, Defs)).

%% What is written without quotes in an edition, and words that are none of the language's where they stand.
names_test() ->
    Text = [
        "message M { reserved foo, bar; reserved max; reserved 2 to 4, 1000 to max;",
        "  int32 message_ = 7; .M option = 8; M.enum_ optionality = 9; int32 optional = 10;",
        "  repeated M.N repeated = 11;",
        "  enum enum_ { reserved nil; reserved -5 to -1; Z = 0; message = 1; required = 2; } message N { } }",
        "/* optional */ // required { \n"
    ],
    Defs = defs(edition(Text)),
    ?assertEqual(["foo", "bar"], proplists:get_value({reserved_names, 'M'}, Defs)),
    ?assertEqual([["foo", "bar"], ["max"]], proplists:get_all_values({reserved_names, 'M'}, Defs)),
    ?assertEqual([[{2, 4}, {1000, max}]], proplists:get_all_values({reserved_numbers, 'M'}, Defs)),
    ?assertEqual([["nil"]], proplists:get_all_values({reserved_names, 'M.enum_'}, Defs)),
    ?assertMatch(
        [
            {field, message_, 7, 2, int32, optional, []},
            {field, option, 8, 3, {msg, 'M'}, optional, []},
            {field, optionality, 9, 4, {enum, 'M.enum_'}, optional, []},
            {field, optional, 10, 5, int32, optional, []},
            {field, repeated, 11, 6, {msg, 'M.N'}, repeated, []}
        ],
        proplists:get_value({msg, 'M'}, Defs)
    ).

%% Values of options have braces and brackets of their own.
options_with_values_test() ->
    Text = [
        "import 'google/protobuf/descriptor.proto';",
        "message O { string s = 1; repeated O os = 2; } extend google.protobuf.MessageOptions { O opt = 50000; }",
        "extend google.protobuf.FieldOptions { O fopt = 50000; }",
        "message M { option (opt) = { s: 'a' os: [{ s: 'b' }, {}] };",
        "  int32 a = 1 [(fopt) = { s: '}' }, deprecated = true];",
        "  extensions 10 to 20 [verification = UNVERIFIED]; int32 b = 2; }",
        "service S { rpc R(M) returns (stream M) { option deprecated = true; } } message N { int32 c = 1; }"
    ],
    Messages = messages(defs(edition(Text))),
    {'M', [{field, a, 1, 2, int32, optional, _}, {field, b, 2, 3, int32, optional, []}]} =
        lists:keyfind('M', 1, Messages),
    ?assertEqual({'N', [{field, c, 1, 2, int32, optional, []}]}, lists:keyfind('N', 1, Messages)).

files_of_all_kinds_import_each_other_test_() ->
    in_directory(fun(Dir) ->
        Imports = "import 'p2.proto'; import 'p3.proto';",
        write(Dir, "e.proto", edition([Imports, "message E { P2 a = 1; P3 b = 2; string s = 3; }"])),
        write(Dir, "p2.proto", "message P2 { optional string s = 1; }"),
        write(Dir, "p3.proto", "syntax = 'proto3'; import 'e2.proto'; message P3 { string s = 1; E2 e = 2; }"),
        write(Dir, "e2.proto", edition("message E2 { string s = 1 [features.utf8_validation = NONE]; }")),
        {ok, Defs} = enif_protobuf:proto_defs("e.proto", [{i, Dir}]),
        ?_assertEqual(
            [
                {'E', [
                    {field, a, 1, 2, {msg, 'P2'}, optional, []},
                    {field, b, 2, 3, {msg, 'P3'}, optional, []},
                    {field, s, 3, 4, string, optional, [verify()]}
                ]},
                {'E2', [{field, s, 1, 2, string, optional, []}]},
                {'P2', [{field, s, 1, 2, string, optional, []}]},
                {'P3', [{field, s, 1, 2, string, defaulty, []}, {field, e, 2, 3, {msg, 'E2'}, defaulty, []}]}
            ],
            messages(Defs)
        )
    end).

version_1_has_no_field_without_presence_test() ->
    Text = fun(Presence) -> edition(["message M { int32 a = 1 [features.field_presence = ", Presence, "]; }"]) end,
    ?assertMatch({ok, _}, result(Text("EXPLICIT"), [{proto_defs_version, 1}])),
    {error, {proto_error, #{message := Message}}} = result(Text("IMPLICIT"), [{proto_defs_version, 1}]),
    ?assertMatch({_, _}, binary:match(Message, <<"M.a">>)).

%% On the wire.

presence_test() ->
    Implicit = "[features.field_presence = IMPLICIT]",
    load(edition(["message M { int32 a = 1; int32 b = 2 ", Implicit, "; string s = 3; M m = 4; }"])),
    ?assertEqual({'M', undefined, 0, undefined, undefined}, codec:decode(<<>>, 'M')),
    ?assertEqual(hex("08 00 1a 00"), codec:encode({'M', 0, 0, <<>>, undefined})).

required_test() ->
    load(edition("message M { int32 a = 1 [features.field_presence = LEGACY_REQUIRED]; }")),
    ?assertMatch({{bad_integer, int32, signed, 32}, undefined, "M.a"}, codec:type_error({'M', undefined})).

packed_test() ->
    Expanded = "[features.repeated_field_encoding = EXPANDED]",
    load(edition(["message M { repeated int32 p = 1; repeated int32 e = 2 ", Expanded, "; }"])),
    ?assertEqual({hex("0a 02 01 02 10 01 10 02"), {'M', [1, 2], [1, 2]}}, codec:roundtrip({'M', [1, 2], [1, 2]})).

delimited_test() ->
    load(
        edition([
            "option features.message_encoding = DELIMITED; message M { S s = 1; repeated S r = 2; map<int32, S> m = 3;",
            "oneof o { S t = 4; } S p = 5 [features.message_encoding = LENGTH_PREFIXED]; } message S { int32 x = 1; }"
        ])
    ),
    Record = {'M', {'S', 1}, [{'S', 2}, {'S', undefined}], [{7, {'S', 3}}], {t, {'S', 4}}, {'S', 5}},
    ?assertEqual(
        {hex("0b 08 01 0c 13 08 02 14 13 14 1a 06 08 07 12 02 08 03 23 08 04 24 2a 02 08 05"), Record},
        codec:roundtrip(Record)
    ).

an_imported_enum_is_closed_where_its_own_file_says_so_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "e.proto", edition("import 'p2.proto'; enum Open { Z = 0; } message M { E e = 1; Open o = 2; }")),
        write(Dir, "p2.proto", "enum E { A = 1; }"),
        ?_test(begin
            ok = enif_protobuf:load_proto("e.proto", [{i, Dir}, preserve_unknown_fields]),
            ?assertEqual({'M', undefined, 5, [{varint, 1, 5}]}, codec:decode(hex("08 05 10 05"), 'M'))
        end)
    end).

%% What is wrong. Places are those of the file as it is written, though the parser gets another text.

errors_name_the_place_test_() ->
    [
        {lists:flatten(io_lib:format("~p", [Text])), fun() ->
            {error, {proto_error, Details}} = result(Text, []),
            ?assertMatch(#{file := <<"given.proto">>, line := Line, column := Column}, Details),
            ?assertMatch({_, _}, binary:match(maps:get(message, Details), list_to_binary(Part)))
        end}
     || {Line, Column, Part, Text} <- [
            {1, 11, "edition \"2024\" is not supported", "edition = \"2024\";"},
            {1, 9, "edition = \"2023\";", "edition 2023;"},
            {1, 8, "edition = \"2023\";", "edition"},
            {2, 13, "field_presence", edition("message M { optional int32 a = 1; }")},
            {2, 13, "field_presence", edition("message M { required int32 a = 1; }")},
            {2, 13, "DELIMITED", edition("message M { group G = 1 { } }")},
            {2, 22, "DELIMITED", edition("message M { repeated group G = 1 { } }")},
            {2, 23, "DELIMITED", edition("message M { oneof o { group G = 1 { } } }")},
            {2, 22, "reserved name", edition("message M { reserved 'foo'; }")},
            {3, 1, "';'", edition("message M { int32 a = 1\n}")},
            {2, 31, "'B' is not defined", edition("message M { int32 a = 1; /**/ B b = 2; }")},
            {2, 32, "'B' is not defined", edition(["message M { reserved foo, baz; B b = 2; }"])},
            {3, 3, "'B' is not defined", edition([<<"message M { int32 /* äöü */ "/utf8>>, "a = 1;\n  B b = 2; }"])},
            {2, 50, "already used", edition("message M { int32 a = 1; string b = 2; int32 c = 1; }")},
            {2, 26, "UNHEARD_OF", edition("message M { int32 a = 1 [features.field_presence = UNHEARD_OF]; }")},
            {2, 26, "no_feature", edition("message M { int32 a = 1 [features.no_feature = 1]; }")},
            {2, 13, "end of file", edition("message M { ")},
            {2, 14, "must be 0", edition("enum E { A = 1; }")},
            {2, 31, "must be 0",
                edition("message M { enum E { A /**/ = -1; } int32 a = 1; } option features.enum_type = OPEN;")},
            {3, 1, "edition", "\nmessage M { }\nedition = '2023';"}
        ]
    ].

garbage_is_an_error_test() ->
    [
        ?assertMatch({error, {proto_error, _}}, result(edition(lists:duplicate(Count, Piece)), []))
     || Count <- [1, 100, 10000, 100000],
        Piece <- ["{", "[", "(", "<", "}", "\"", "message A {", "/*", "= .", "reserved a", "message A { reserved ", "]"]
    ].
