%% Definitions out of .proto files, proto_defs/2 and load_proto/2.
%%
%% The expected definitions are written by hand from the language's rules and gpb's documented form; gpb 4.21.7 gives
%% the same, but where a comment says otherwise. The order of entries is free; that of fields and symbols is not.
-module(proto_defs_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [
    defs/1,
    defs/2,
    result/2,
    definitions/3,
    types/1,
    messages/1,
    only_message/1,
    in_directory/1,
    write/3
]).

%% Every schema of the vectors, with the options that gpb was given.

vectors_test_() ->
    in_directory(fun(Dir) ->
        Schemas = vector_files:schemas(),
        [
            ?_assertEqual(268, length(Schemas)),
            {timeout, 120, ?_test([equals_vector(Dir, Schema) || Schema <- Schemas])}
        ]
    end).

equals_vector(Dir, #{schema := Name, proto := Text, gpb_opts := Opts, defs_v2 := Defs} = Schema) ->
    write(Dir, "vec.proto", Text),
    equals(Name, Defs, definitions(Dir, "vec.proto", Opts)),
    [
        equals(Name, Form, definitions(Dir, "vec.proto", [{proto_defs_version, Version} | Opts]))
     || {Version, Form} <- maps:to_list(maps:get(defs_forms, Schema, #{})), lists:member(Version, [1, 4])
    ].

equals(Name, Expected, Found) ->
    ?assertEqual({Name, comparable(Expected)}, {Name, comparable(Found)}).

comparable(Defs) ->
    lists:sort(Defs).

%% gpb gives fields of proto3 in messages of proto2 as they are, in every version.
proto3_extends_proto2_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "two.proto", "message M { extensions 5 to 9; }"),
        Fields = "extend M { int32 n = 5; repeated int32 r = 6; }",
        write(Dir, "three.proto", ["syntax = 'proto3'; import 'two.proto'; ", Fields]),
        [
            ?_assertEqual(
                {'M', [{field, n, 5, 2, int32, defaulty, []}, {field, r, 6, 3, int32, repeated, []}]},
                hd(messages(definitions(Dir, "three.proto", [{proto_defs_version, Version}])))
            )
         || Version <- [1, 2, 4]
        ]
    end).

%% Newer versions of descriptor.proto have options of extension ranges, which are about who declares what.
options_of_extension_ranges_test() ->
    Text = "message M { extensions 5, 10 to 20 [verification = DECLARATION,\n"
        " declaration = { number: 10 full_name: '.p.x' type: 'int32' }]; optional extensions f = 1; }"
        " message extensions { extensions 4 to max /* é */ [deprecated = true]; } extend M { optional int32 x = 10; }",
    Field = {field, f, 1, 2, {msg, extensions}, optional, []},
    Expected = [{'M', [Field, {field, x, 10, 3, int32, optional, []}]}, {extensions, []}],
    ?assertEqual(Expected, messages(defs(Text))),
    Wrong = "message M { extensions 5 [a = b]; optional int32 n = 0; }",
    ?assertMatch({error, {proto_error, #{line := 1, column := 54}}}, result(Wrong, [])),
    Open = ["message M { extensions 5 [a = b; }", "message M { extensions 5 ["],
    [?assertMatch({error, _}, result(Text1, [])) || Text1 <- Open],
    Edition = "edition = '2023'; message M { extensions 5 [verification = UNVERIFIED]; } extend M { int32 x = 5; }",
    ?assertEqual([{'M', [{field, x, 5, 2, int32, optional, []}]}], messages(defs(Edition))).

%% One subject each.

scalars_test() ->
    Types = [double, float, int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64] ++
        [sfixed32, sfixed64, bool, string, bytes],
    Numbered = lists:zip(lists:seq(1, length(Types)), Types),
    Text = ["syntax = 'proto3'; message M {", [io_lib:format("~s f~b = ~b;", [T, N, N]) || {N, T} <- Numbered], "}"],
    Fields = [{field, list_to_atom("f" ++ integer_to_list(N)), N, N + 1, T, defaulty, []} || {N, T} <- Numbered],
    ?assertEqual({'M', Fields}, only_message(Text)).

occurrences_in_proto2_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, int32, required, []},
            {field, b, 2, 3, int32, optional, []},
            {field, c, 3, 4, int32, repeated, []}
        ]},
        only_message("message M { required int32 a = 1; optional int32 b = 2; repeated int32 c = 3; }")
    ).

occurrences_in_proto3_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, int32, defaulty, []},
            {field, b, 2, 3, int32, optional, []},
            {field, c, 3, 4, int32, repeated, [packed]},
            {field, d, 4, 5, {msg, 'M'}, defaulty, []}
        ]},
        only_message([
            "syntax = 'proto3'; message M { int32 a = 1; optional int32 b = 2; repeated int32 c = 3;",
            "M d = 4; }"
        ])
    ).

packed_in_proto3_unless_told_otherwise_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, bool, repeated, [packed]},
            {field, b, 2, 3, bool, repeated, []},
            {field, c, 3, 4, bool, repeated, [packed]},
            {field, d, 4, 5, string, repeated, []},
            {field, e, 5, 6, {msg, 'M'}, repeated, []}
        ]},
        only_message([
            "syntax = 'proto3'; message M { repeated bool a = 1; repeated bool b = 2 [packed = false];",
            "repeated bool c = 3 [packed = true]; repeated string d = 4; repeated M e = 5; }"
        ])
    ).

packed_in_proto2_where_told_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, bool, repeated, []},
            {field, b, 2, 3, bool, repeated, []},
            {field, c, 3, 4, bool, repeated, [packed]}
        ]},
        only_message([
            "message M { repeated bool a = 1; repeated bool b = 2 [packed = false];",
            "repeated bool c = 3 [packed = true]; }"
        ])
    ).

oneof_stands_where_its_first_field_stands_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 9, 2, int32, defaulty, []},
            {gpb_oneof, o, 3, [{field, b, 2, 3, int32, optional, []}, {field, c, 1, 3, {msg, 'M'}, optional, []}], []},
            {gpb_oneof, p, 4, [{field, d, 3, 4, bytes, optional, [deprecated]}], []},
            {field, e, 4, 5, string, optional, []},
            {field, f, 5, 6, string, defaulty, []}
        ]},
        only_message([
            "syntax = 'proto3'; message M { int32 a = 9; oneof o { int32 b = 2; M c = 1; }",
            "oneof p { bytes d = 3 [deprecated = true]; } optional string e = 4; string f = 5; }"
        ])
    ).

maps_test() ->
    Defs = defs([
        "syntax = 'proto3'; message M { map<string, E> a = 1 [deprecated = true]; map<sint64, M> b = 2; }",
        "enum E { Z = 0; }"
    ]),
    ?assertEqual(
        [
            {'M', [
                {field, a, 1, 2, {map, string, {enum, 'E'}}, repeated, [deprecated]},
                {field, b, 2, 3, {map, sint64, {msg, 'M'}}, repeated, []}
            ]}
        ],
        messages(Defs)
    ).

groups_test() ->
    Defs = defs([
        "package p; message M { optional group Outer = 1 [deprecated = true] {",
        "repeated group Inner = 2 { optional int32 a = 3; }",
        "optional E e = 4; enum E { A = 1; } } oneof o { group Choice = 5 { optional int32 b = 1; } int32 c = 6; } }"
    ]),
    ?assertEqual(
        lists:sort([
            {{msg, 'M'}, [
                {field, 'Outer', 1, 2, {group, 'M.Outer'}, optional, []},
                {gpb_oneof, o, 3,
                    [
                        {field, 'Choice', 5, 3, {group, 'M.o.Choice'}, optional, []},
                        {field, c, 6, 3, int32, optional, []}
                    ],
                    []}
            ]},
            {{group, 'M.Outer'}, [
                {field, 'Inner', 2, 2, {group, 'M.Outer.Inner'}, repeated, []},
                {field, e, 4, 3, {enum, 'M.Outer.E'}, optional, []}
            ]},
            {{group, 'M.Outer.Inner'}, [{field, a, 3, 2, int32, optional, []}]},
            {{group, 'M.o.Choice'}, [{field, b, 1, 2, int32, optional, []}]},
            {{enum, 'M.Outer.E'}, [{'A', 1}]}
        ]),
        types(Defs)
    ).

packages_only_if_asked_for_test() ->
    Text = "package a.b; message M { optional N n = 1; message N { optional E e = 1; } } enum E { X = 1; }",
    Types = fun(M, N, E) ->
        lists:sort([
            {{msg, M}, [{field, n, 1, 2, {msg, N}, optional, []}]},
            {{msg, N}, [{field, e, 1, 2, {enum, E}, optional, []}]},
            {{enum, E}, [{'X', 1}]}
        ])
    end,
    ?assertEqual(Types('M', 'M.N', 'E'), types(defs(Text))),
    ?assertEqual(Types('M', 'M.N', 'E'), types(defs(Text, [{use_packages, false}, use_packages]))),
    ?assertEqual(Types('a.b.M', 'a.b.M.N', 'a.b.E'), types(defs(Text, [use_packages]))),
    ?assertEqual(Types('a.b.M', 'a.b.M.N', 'a.b.E'), types(defs(Text, [{use_packages, true}]))).

%% gpb refuses this unless it is told to use packages.
names_with_their_package_are_found_without_packages_test() ->
    Defs = defs("package a.b; message M { optional .a.b.M m = 1; optional b.M n = 2; }"),
    ?assertEqual(
        [{'M', [{field, m, 1, 2, {msg, 'M'}, optional, []}, {field, n, 2, 3, {msg, 'M'}, optional, []}]}],
        messages(Defs)
    ).

names_are_sought_from_inside_out_test() ->
    ?assertEqual(
        lists:sort([
            {'A', [{field, a, 1, 2, {msg, 'A.A'}, optional, []}, {field, b, 2, 3, {msg, 'B'}, optional, []}]},
            {'A.A', [{field, a, 1, 2, {msg, 'A.A'}, optional, []}]},
            {'B', [{field, a, 1, 2, {msg, 'A'}, optional, []}, {field, b, 2, 3, {msg, 'A.A'}, optional, []}]}
        ]),
        messages(
            defs([
                "message A { optional A a = 1; optional B b = 2; message A { optional A a = 1; } }",
                "message B { optional A a = 1; optional .A.A b = 2; }"
            ])
        )
    ).

words_of_the_language_as_names_test() ->
    ?assertEqual(
        {message, [
            {field, message, 1, 2, int32, defaulty, []},
            {field, 'end', 2, 3, {msg, message}, defaulty, []},
            {field, repeated, 3, 4, bool, repeated, [packed]},
            {field, 'Undefined', 4, 5, string, defaulty, []}
        ]},
        only_message([
            "syntax = 'proto3'; message message { int32 message = 1; .message end = 2;",
            "repeated bool repeated = 3; string Undefined = 4; }"
        ])
    ).

unknown_fields_have_the_last_place_test() ->
    Text = "message M { optional group G = 1 { optional int32 a = 1; } oneof o { int32 b = 2; } } message Empty { }",
    Unknowns = fun(Position) -> {field, '$unknowns', undefined, Position, unknown, repeated, []} end,
    ?assertEqual(
        lists:sort([
            {{msg, 'M'}, [
                {field, 'G', 1, 2, {group, 'M.G'}, optional, []},
                {gpb_oneof, o, 3, [{field, b, 2, 3, int32, optional, []}], []},
                Unknowns(4)
            ]},
            {{group, 'M.G'}, [{field, a, 1, 2, int32, optional, []}, Unknowns(3)]},
            {{msg, 'Empty'}, [Unknowns(2)]}
        ]),
        types(defs(Text, [preserve_unknown_fields]))
    ).

default_values_test() ->
    Default = fun(Type, Literal) ->
        Text = ["message M { optional ", Type, " f = 1 [default = ", Literal, "]; } enum E { A = 1; B = 2; }"],
        {'M', [{field, f, 1, 2, _, optional, [{default, Value}]}]} = only_message(Text),
        Value
    end,
    ?assertEqual(-2147483648, Default("int32", "-2147483648")),
    ?assertEqual(31, Default("int32", "0x1F")),
    ?assertEqual(-15, Default("sint64", "-017")),
    ?assertEqual(18446744073709551615, Default("uint64", "18446744073709551615")),
    ?assertEqual(true, Default("bool", "true")),
    ?assertEqual('B', Default("E", "B")),
    %% An integer that is the default of a float stays one.
    ?assertEqual(1, Default("float", "1")),
    ?assertEqual(-16, Default("double", "-0x10")),
    ?assertEqual(1.0, Default("float", "1.0")),
    ?assertEqual(0.5, Default("double", ".5")),
    ?assertEqual(-1.25e-3, Default("double", "-1.25e-3")),
    ?assertEqual(1.0e300, Default("double", "1e300")),
    ?assertEqual(infinity, Default("double", "inf")),
    ?assertEqual('-infinity', Default("float", "-inf")),
    ?assertEqual(nan, Default("float", "nan")).

default_strings_test() ->
    Default = fun(Type, Literal) ->
        Text = ["message M { optional ", Type, " f = 1 [default = ", Literal, "]; }"],
        {'M', [{field, f, 1, 2, _, optional, [{default, Value}]}]} = only_message(Text),
        Value
    end,
    ?assertEqual("", Default("string", "''")),
    ?assertEqual([7, 8, 12, 10, 13, 9, 11], Default("string", "'\\a\\b\\f\\n\\r\\t\\v'")),
    ?assertEqual([$?, $\\, $', $"], Default("string", "'\\?\\\\\\'\\\"'")),
    ?assertEqual([16#e5, 16#65e5, 16#1f600], Default("string", <<"'å日😀'"/utf8>>)),
    ?assertEqual([16#e5, 16#1f600], Default("string", "'\\u00e5\\U0001f600'")),
    %% As gpb has it: an escape is a code point, where the language says a byte.
    ?assertEqual([16#c3, 16#a5], Default("string", "'\\303\\xa5'")),
    ?assertEqual("one two", Default("string", "'one '\n  /* 'no' */ \"two\" // 'nor this'\n")),
    ?assertEqual(<<0, 1, 255, "a\n">>, Default("bytes", "'\\000\\x01\\377a\\n'")),
    ?assertEqual(<<>>, Default("bytes", "''")).

field_options_keep_their_order_test() ->
    ?assertEqual(
        {'M', [
            {field, a, 1, 2, string, optional, [deprecated, {json_name, "A"}, {ctype, 'CORD'}, {default, "x"}]},
            {field, b, 2, 3, int64, optional, [{default, 5}, {jstype, 'JS_STRING'}, {json_name, "é"}]},
            {field, c, 3, 4, {msg, 'M'}, optional, [{lazy, true}]},
            {field, d, 4, 5, bool, repeated, [deprecated, packed]},
            {field, e, 5, 6, bool, optional, []}
        ]},
        only_message([
            "message M { optional string a = 1 [json_name = 'A', ctype = CORD, deprecated = true, default = 'x'];",
            <<"optional int64 b = 2 [default = 5, jstype = JS_STRING, json_name = 'é'];"/utf8>>,
            "optional M c = 3 [lazy = true]; repeated bool d = 4 [packed = true, deprecated = true];",
            "optional bool e = 5 [deprecated = false]; }"
        ])
    ).

custom_options_test() ->
    Defs = defs(
        [
            "package p; import 'google/protobuf/descriptor.proto';",
            "message O { optional int32 a = 1; repeated O o = 2; extensions 100; }",
            "extend O { optional string ext = 100; }",
            "extend google.protobuf.OneofOptions { optional int32 one = 50000; }",
            "extend google.protobuf.FieldOptions { optional O opt = 50000; optional double dbl = 50001; }",
            "message M { optional int32 a = 1 [(opt).a = -3, (.p.dbl) = 1.5, (p.opt).(.p.ext) = 'x'];",
            "optional int32 b = 2 [(opt) = { a: 1 o { a: 2 } }]; oneof c { option (one) = 7; int32 d = 3; }",
            "optional group G = 4 { optional int32 a = 1 [(opt).a = 1]; } }"
        ],
        [use_packages]
    ),
    ?assertEqual(
        [
            {field, a, 1, 2, int32, optional, [
                {[opt, a], -3},
                {['.', p, '.', dbl], 1.5},
                {[p, '.', opt, '.', p, '.', ext], "x"}
            ]},
            {field, b, 2, 3, int32, optional, [{[opt], {uninterpreted, "{ a : 1 o { a : 2 } }"}}]},
            {gpb_oneof, c, 4, [{field, d, 3, 4, int32, optional, []}], [{[one], 7}]},
            {field, 'G', 4, 5, {group, 'p.M.G'}, optional, []}
        ],
        proplists:get_value({msg, 'p.M'}, Defs)
    ),
    %% gpb gives the newer form of the name in a group.
    ?assertEqual(
        [{field, a, 1, 2, int32, optional, [{[{opt}, a], 1}]}],
        proplists:get_value({group, 'p.M.G'}, Defs)
    ).

enums_test() ->
    ?assertEqual(
        [
            {{enum, 'E'}, [{option, allow_alias, true}, {option, deprecated, true}, {'A', 0}, {'B', -1}, {'C', 0}]},
            %% In a message the options are turned around.
            {{enum, 'M.F'}, [{option, deprecated, true}, {option, allow_alias, true}, {'X', 2147483647}, {'Y', 1}]},
            {{msg, 'M'}, []}
        ],
        types(
            defs([
                "enum E { option allow_alias = true; A = 0; B = -1 [deprecated = true]; option deprecated = true;",
                "C = 0; } message M { enum F { option allow_alias = true; option deprecated = true;",
                "X = 0x7fffffff; Y = 1; } }"
            ])
        )
    ).

what_belongs_to_the_file_test() ->
    ?assertEqual(
        lists:sort([
            {proto_defs_version, 2},
            {file, {"given", "given.proto"}},
            {{msg_containment, "given"}, ['a.M']},
            {{enum_containment, "given"}, ['a.E']},
            {{pkg_containment, "given"}, a},
            {syntax, "proto3"},
            {package, a},
            {option, java_package, "com.example"},
            {option, optimize_for, 'SPEED'},
            {{reserved_numbers, 'a.M'}, [2, {4, 6}]},
            {{reserved_numbers, 'a.M'}, [{9, max}]},
            {{reserved_names, 'a.M'}, ["x", "y"]},
            {{reserved_numbers, 'a.E'}, [{-5, -1}]},
            {{msg_options, 'a.M'}, [{deprecated, true}]},
            {{msg, 'a.M'}, []},
            {{enum, 'a.E'}, [{'Z', 0}]},
            {proto3_msgs, ['a.M']}
        ]),
        lists:sort(
            defs(
                [
                    "syntax = 'proto3'; package a; option java_package = 'com.example'; option optimize_for = SPEED;",
                    "message M { reserved 2, 4 to 6; reserved 'x', 'y'; reserved 9 to max; option deprecated = true; }",
                    "enum E { Z = 0; reserved -5 to -1; }"
                ],
                [use_packages]
            )
        )
    ).

nothing_but_the_file_test() ->
    File = [{file, {"given", "given.proto"}}, {{msg_containment, "given"}, []}, {{enum_containment, "given"}, []}],
    ?assertEqual([{proto_defs_version, 2} | File], defs("")),
    ?assertEqual(
        [{proto_defs_version, 2} | File] ++ [{syntax, "proto3"}, {proto3_msgs, []}],
        defs("syntax = 'proto3';")
    ).

%% Version 1.

version_1_test() ->
    Text = "syntax = 'proto3'; message M { int32 a = 1; repeated int32 b = 2; oneof c { int32 d = 3; } }",
    Defs = defs(Text, [{proto_defs_version, 1}]),
    ?assertEqual(1, proplists:get_value(proto_defs_version, Defs)),
    ?assertEqual(['M'], proplists:get_value(proto3_msgs, Defs)),
    ?assertEqual(
        [
            {'M', [
                {field, a, 1, 2, int32, optional, []},
                {field, b, 2, 3, int32, repeated, [packed]},
                {gpb_oneof, c, 4, [{field, d, 3, 4, int32, optional, []}], []}
            ]}
        ],
        messages(Defs)
    ).

version_1_has_no_proto3_optional_test() ->
    {error, {proto_error, #{message := Message}}} =
        result("syntax = 'proto3'; message M { optional int32 a = 1; }", [{proto_defs_version, 1}]),
    ?assertMatch({_, _}, binary:match(Message, <<"M.a">>)).
