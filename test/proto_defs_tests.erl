%% Definitions out of .proto files, proto_defs/2 and load_proto/2.
%%
%% The expected definitions are written by hand from the language's rules and gpb's documented form; each was compared
%% with what gpb 4.21.7 gives. The order of entries is free; the order of fields and symbols is not.
-module(proto_defs_tests).

-include_lib("eunit/include/eunit.hrl").

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
    case Schema of
        #{defs_forms := #{1 := Version1}} ->
            equals(Name, Version1, definitions(Dir, "vec.proto", [{proto_defs_version, 1} | Opts]));
        _ ->
            ok
    end.

equals(Name, Expected, Found) ->
    ?assertEqual({Name, comparable(Expected)}, {Name, comparable(Found)}).

%% Services have no meaning here, and are left out.
comparable(Defs) ->
    lists:sort([Def || Def <- Defs, not lists:member(kind(Def), [service, service_containment, rpc_containment])]).

kind(Def) ->
    case element(1, Def) of
        {Kind, _} -> Kind;
        Kind -> Kind
    end.

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
        only_message("syntax = 'proto3'; message M { int32 a = 1; optional int32 b = 2; repeated int32 c = 3; M d = 4; }")
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
    Defs = defs("syntax = 'proto3'; message M { map<string, E> a = 1 [deprecated = true]; map<sint64, M> b = 2; } enum E { Z = 0; }"),
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
        "package p; message M { optional group Outer = 1 [deprecated = true] { repeated group Inner = 2 { optional int32 a = 3; }",
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
    Text = "package a.b; message M { optional N n = 1; message N { optional .a.b.E e = 1; } } enum E { X = 1; }",
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
    ?assertEqual([7, 8, 12, 10, 13, 9, 11, $?, $\\, $', $"], Default("string", "'\\a\\b\\f\\n\\r\\t\\v\\?\\\\\\'\\\"'")),
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
            "extend O { optional string ext = 100; } extend google.protobuf.OneofOptions { optional int32 one = 50000; }",
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
            {{enum, 'M.F'}, [{option, deprecated, true}, {option, allow_alias, true}, {'X', 2147483647}, {'Y', 2147483647}]},
            {{msg, 'M'}, []}
        ],
        types(
            defs([
                "enum E { option allow_alias = true; A = 0; B = -1 [deprecated = true]; option deprecated = true; C = 0; }",
                "message M { enum F { option allow_alias = true; option deprecated = true; X = 0x7fffffff; Y = 2147483647; } }"
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

%% Several files.

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
    ?assertEqual(["fleet/ship.proto", "fleet/parts/sail.proto", "fleet/parts/sail.proto"], proplists:get_all_values(import, Defs)).

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
        write(Dir, "new.proto", "syntax = 'proto3'; import 'old.proto'; message New { repeated int32 a = 1; Old b = 2; }"),
        Defs = definitions(Dir, "new.proto", []),
        [
            ?_assertEqual(["proto2", "proto3"], lists:sort(proplists:get_all_values(syntax, Defs))),
            ?_assertEqual(['New'], proplists:get_value(proto3_msgs, Defs)),
            ?_assertEqual(
                [
                    {'New', [{field, a, 1, 2, int32, repeated, [packed]}, {field, b, 2, 3, {msg, 'Old'}, defaulty, []}]},
                    {'Old', [{field, a, 1, 2, int32, repeated, []}, {field, b, 2, 3, int32, optional, []}]}
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
            ?_assertEqual(['One'], Names(["one.proto", <<"one.proto">>, filename:join(Dir, "one.proto"), "./one.proto"])),
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
        write(Dir, "second/both.proto", "import 'sub/deeper.proto'; import 'sub/deep.proto'; message Both { optional Deeper d = 1; }"),
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
            ?_assertEqual(['Deep', 'Deeper'], Names("sub/deep.proto", [{i, Second}, {i, filename:join(Second, "sub")}])),
            %% One file under two names is one file.
            ?_assertEqual(
                ['Both', 'Deep', 'Deeper'],
                Names("both.proto", [{i, Second}, {i, filename:join(Second, "sub")}])
            ),
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

%% What is wrong with a file.

errors_name_the_place_test_() ->
    Cases = [
        {2, 1, "';'", "message M { optional int32 a = 1\n}"},
        {1, 17, "end of file", "message M { // ä"},
        {3, 12, "'B' is not defined", "message M {\n  // B\n  optional B b = 1;\n}"},
        {1, 32, "'B' is not defined", <<"/* äöü */ message M { optional B b = 1; }"/utf8>>},
        {1, 1, "'nowhere.proto' not found", "import 'nowhere.proto';"},
        {1, 10, "proto4", "syntax = 'proto4';"},
        {1, 1, "editions are not supported", "edition = '2023';"},
        {1, 54, "already used", "message M { optional int32 a = 1; optional int32 b = 1; }"},
        {2, 7, "must be 0", "syntax = 'proto3'; enum E {\n  A = 1;\n}"},
        {1, 1, "invalid token", <<0, 1, 2>>}
    ],
    [{unicode:characters_to_list(Text), ?_test(error_at(Line, Column, Part, Text))} || {Line, Column, Part, Text} <- Cases].

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

directory_is_no_file_test() ->
    ?assertMatch({error, {proto_error, #{file := <<"fleet">>}}}, enif_protobuf:proto_defs("fleet", [{i, data()}])).

name_with_a_null_byte_test() ->
    ?assertMatch({error, {proto_error, _}}, enif_protobuf:proto_defs([$a, 0, $b], [])).

import_cycle_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a.proto", "import 'b.proto';"),
        write(Dir, "b.proto", "import 'a.proto';"),
        {error, {proto_error, #{message := Message}}} = enif_protobuf:proto_defs("a.proto", [{i, Dir}]),
        ?_assertMatch({_, _}, binary:match(Message, <<"a.proto -> b.proto -> a.proto">>))
    end).

one_name_in_two_packages_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "a.proto", "package a; import 'b.proto'; message M { optional b.M m = 1; }"),
        write(Dir, "b.proto", "package b; message M { }"),
        {error, {proto_error, #{message := Message}}} = enif_protobuf:proto_defs("a.proto", [{i, Dir}]),
        [
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

garbage_is_an_error_test() ->
    [
        ?assertMatch({error, {proto_error, _}}, result(lists:duplicate(Count, Piece), []))
     || Count <- [1, 100, 10000, 1000000], Piece <- ["{", "[", "(", "<", "}", "\"", "message A {", "/*", "= ."]
    ].

braces_in_strings_and_comments_do_not_nest_test() ->
    Braces = lists:duplicate(1000, "{[(<."),
    Text = ["/* ", Braces, " */ // ", Braces, "\nmessage M { optional string a = 1 [default = '", Braces, "']; }"],
    ?assertMatch({'M', [_]}, only_message(Text)).

%% Arguments of the wrong kind.

wrong_files_test_() ->
    Wrong = [name, 1, {"a.proto"}, #{}, [], <<>>, [name], [[]], ["a.proto", name], [$a, b], ["a.proto" | <<"b.proto">>]] ++
        [[$a | $b], [16#110000], [16#d800], [-1], <<255>>, [<<"a.proto">>, <<255>>], <<1:1>>, [1.0]],
    [{lists:flatten(io_lib:format("~p", [Files])), ?_test(blames(1, [Files, []]))} || Files <- Wrong].

wrong_options_test_() ->
    Wrong = [name, [name], [1], [{i}], [i], [{i, 1}], [{i, dir}], [{i, ""}], [{i, [$a | $b]}], [{name, true}]] ++
        [[use_packages | use_packages], [{use_packages, 1}], [{use_packages, "true"}], [{use_packages, true, 1}]] ++
        [[{preserve_unknown_fields, yes}], [{proto_defs_version, 0}], [{proto_defs_version, 3}], [proto_defs_version]],
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
            #{cause := [Argument, Sentence]} = proplists:get_value(error_info, Info),
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

%% Helpers.

%% The definitions in a text, those of messages, and the only one.

defs(Text) ->
    defs(Text, []).

defs(Text, Opts) ->
    {ok, Defs} = result(Text, Opts),
    Defs.

result(Text, Opts) ->
    Dir = make_directory(),
    try
        write(Dir, "given.proto", Text),
        enif_protobuf:proto_defs("given.proto", [{i, Dir} | Opts])
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
