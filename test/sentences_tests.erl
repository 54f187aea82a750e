%% The sentences for a person, word for word: each names what is wrong and what would be right.
-module(sentences_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [in_directory/1, in_current_directory/2, write/3]).

%% {What is called, the sentence}
says(Cases) ->
    {setup, fun load/0, [{Sentence, ?_assertEqual(Sentence, sentence(Fun))} || {Fun, Sentence} <- Cases]}.

load() ->
    Many = [{list_to_atom("m" ++ integer_to_list(N)), N, int32} || N <- lists:seq(11, 25)],
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [{s, 1, {msg, 'S'}}, {oneof, few, [{a, 2, int32}, {b, 3, {msg, 'S'}}]}, {oneof, many, Many}]},
            {msg, 'S', [{x, 1, int32}]},
            {msg, 'Empty', []}
        ])
    ).

sentence(Fun) ->
    try Fun() of
        Value -> {no_error, Value}
    catch
        error:Reason:Stack ->
            [Sentence] = maps:values(enif_protobuf:format_error(Reason, Stack)),
            unicode:characters_to_list(Sentence)
    end.

-define(OPTIONS, "not a list of options: ").
-define(SWITCH, "string_as_list and with_utf8 take true or false: ").
-define(LIMIT, "max_depth and max_size take an integer from 0 on or infinity: ").
-define(NO_SUCH_OPTION,
    "there is no such option: "
    "there are {string_as_list, B}, {with_utf8, B}, {max_depth, N} and {max_size, N}: "
).

wrong_options_of_set_opts_test_() ->
    says([
        {fun() -> enif_protobuf:set_opts(Opts) end, Sentence}
     || {Opts, Sentence} <- [
            {{with_utf8, true}, ?OPTIONS "{with_utf8,true}"},
            {[{with_utf8, true} | {string_as_list, true}], ?OPTIONS "[{with_utf8,true}|{string_as_list,true}]"},
            {[{with_utf8, true}, {with_utf8, 1}], ?SWITCH "{with_utf8,1}"},
            {[{with_utf, true}, {with_utf8, true}], ?NO_SUCH_OPTION "{with_utf,true}"},
            {[string_as_list], ?NO_SUCH_OPTION "string_as_list"},
            {[{max_size, 1}, {max_depth, -1}], ?LIMIT "{max_depth,-1}"},
            {[{max_size, 1.0}], ?LIMIT "{max_size,1.0}"},
            {["é"], ?NO_SUCH_OPTION "\"é\""}
        ]
    ]).

-define(NO_DEFINITIONS, "not a list of definitions as gpb gives them (a file is for load_proto/1): ").

terms_that_are_no_definitions_test_() ->
    says([
        {fun() -> enif_protobuf:load_cache(Defs) end, Sentence}
     || {Defs, Sentence} <- [
            {messages, ?NO_DEFINITIONS "messages"},
            {<<"a.proto">>, ?NO_DEFINITIONS "<<\"a.proto\">>"},
            {"shop.proto", "not a definition as gpb gives them (a file is for load_proto/1): 115"},
            {[{{msg, 'A'}, []}, other], "not a definition: other"},
            {[{{msg, 'A'}, []} | tail], "improper list: tail"},
            {[{{msg, 'A'}, [{field, x, 1}]}], "A: not a field: {field,x,1}"},
            {[{{msg, 'A'}, [{field, x, 1, 2, int33, optional, []}]}], "A.x: unknown type: int33"},
            {[{{msg, 'A'}, [{field, x, 0, 2, int32, optional, []}]}], "A.x: field number out of range (0)"}
        ]
    ]).

%% Whatever it is about, a sentence stays one that can be read.
large_terms_are_cut_test_() ->
    Large = [
        lists:seq(1, 100000),
        lists:duplicate(100000, $a),
        binary:copy(<<"a">>, 100000),
        maps:from_list([{N, N} || N <- lists:seq(1, 1000)]),
        list_to_tuple(lists:seq(1, 1000)),
        lists:foldl(fun(_, Inner) -> {Inner} end, a, lists:seq(1, 1000)),
        1 bsl 10000,
        lists:duplicate(50, binary_to_atom(binary:copy(<<"a">>, 255)))
    ],
    {setup, fun load/0, [
        ?_test(begin
            Sentence = sentence(fun() -> Function([Term]) end),
            ?assert(length(Sentence) < 500),
            ?assertNotEqual(nomatch, string:find(Sentence, "..."))
        end)
     || Term <- Large, Function <- [fun enif_protobuf:set_opts/1, fun load_definition/1]
    ]}.

load_definition([Term]) ->
    enif_protobuf:load_cache([{{enum, 'E'}, [Term]}]).

%% A record of an older or newer definition is the mistake that is made most.
records_of_another_length_test_() ->
    says([
        {fun() -> enif_protobuf:encode(Record) end, Sentence}
     || {Record, Sentence} <- [
            {{'M', undefined, undefined}, "M: the record M has 3 elements, but it must have 4: its name and 3 fields"},
            {{'M'}, "M: the record M has 1 element, but it must have 4: its name and 3 fields"},
            {{'Empty', 1}, "Empty: the record Empty has 2 elements, but it must have 1: its name and no fields"},
            {m({'S', 1, 2}, undefined, undefined),
                "M.s: the record S has 3 elements, but it must have 2: its name and 1 field"},
            {m(undefined, {b, {'S'}}, undefined),
                "M.few.b: the record S has 1 element, but it must have 2: its name and 1 field"},
            {m({'T', 1}, undefined, undefined), "M.s: the value is not a record S: a tuple of its name and 1 field"},
            {m(5, undefined, undefined), "M.s: the value is not a record S: a tuple of its name and 1 field"}
        ]
    ]).

m(S, Few, Many) -> {'M', S, Few, Many}.

records_that_keep_unknown_fields_test_() ->
    Defs = schema_terms:proto2([{msg, 'U', [{x, 1, int32}, unknown]}]),
    says([
        {fun() -> enif_protobuf:encode_msg({'U', 1}, Defs) end,
            "U: the record U has 2 elements, but it must have 3: its name, 1 field and '$unknowns'"},
        {fun() -> enif_protobuf:encode_msg({'U', 1, undefined}, Defs) end,
            "U.$unknowns: the value is undefined, not a kept unknown field: use [] where there is nothing"}
    ]).

%% The name that was meant may be among them.
names_that_are_not_loaded_test_() ->
    Name = fun(N) -> list_to_atom("M" ++ integer_to_list(N)) end,
    Loading = fun(Count) -> [{{msg, Name(N)}, []} || N <- lists:seq(11, 10 + Count)] end,
    Ten = "M11, M12, M13, M14, M15, M16, M17, M18, M19, M20",
    says([
        {fun() -> enif_protobuf:decode(<<>>, 'T') end, "no message T is loaded; loaded are M, S, Empty"},
        {fun() -> enif_protobuf:encode({'T', 1}) end, "no message T is loaded; loaded are M, S, Empty"},
        {fun() -> enif_protobuf:decode_msg(<<>>, 'T', Loading(1)) end, "no message T is loaded; loaded are M11"},
        {fun() -> enif_protobuf:decode_msg(<<>>, 'T', Loading(10)) end, "no message T is loaded; loaded are " ++ Ten},
        {fun() -> enif_protobuf:decode_msg(<<>>, 'T', Loading(11)) end,
            "no message T is loaded; loaded are " ++ Ten ++ " and 1 more"},
        {fun() -> enif_protobuf:decode_msg(<<>>, 'T', []) end, "no message T is loaded"}
    ]).

%% What holds the items of message sets cannot be asked for.
items_of_message_sets_have_no_name_test() ->
    proto_texts:load(
        "message Set { option message_set_wire_format = true; extensions 4 to max; }"
        " message M { extend Set { optional M m = 5; } }"
    ),
    try enif_protobuf:decode(<<>>, 'T') of
        _ -> error(decoded)
    catch
        error:'T':Stack ->
            #{2 := Sentence} = enif_protobuf:format_error('T', Stack),
            ?assertEqual(<<"no message T is loaded; loaded are Set, M">>, Sentence)
    end.

what_is_undefined_but_must_not_be_test_() ->
    Sub = {'S', undefined},
    Defs = schema_terms:proto2([
        {msg, 'R', [
            {n, 1, int32, required},
            {s, 2, {msg, 'S'}, required},
            {l, 3, string, repeated},
            {r, 4, {msg, 'S'}, repeated},
            {m, 5, {map, string, int32}, repeated}
        ]},
        {msg, 'S', [{x, 1, int32}]}
    ]),
    Required = "a value is required, but it is undefined",
    List = "the value is undefined, not a list: use [] where there is nothing",
    says([
        {fun() -> enif_protobuf:encode_msg(Record, Defs) end, Sentence}
     || {Record, Sentence} <- [
            {{'R', undefined, Sub, [], [], []}, "R.n: " ++ Required},
            {{'R', 1, undefined, [], [], []}, "R.s: " ++ Required},
            {{'R', 1, Sub, [undefined], [], []}, "R.l: " ++ Required},
            {{'R', 1, Sub, [], [undefined], []}, "R.r: " ++ Required},
            {{'R', 1, Sub, [], [], [{undefined, 1}]}, "R.m.key: " ++ Required},
            {{'R', 1, Sub, [], [], [undefined]}, "R.m: the value is not a {Key, Value} tuple"},
            {{'R', 1, Sub, undefined, [], []}, "R.l: " ++ List},
            {{'R', 1, Sub, [], undefined, []}, "R.r: " ++ List},
            {{'R', 1, Sub, [], [], undefined}, "R.m: " ++ List}
        ]
    ]).

strings_test_() ->
    Defs = [{{msg, 'T'}, [{field, s, 1, 2, string, optional, []}]}],
    Encoding = fun(WithUtf8, Value) ->
        fun() ->
            codec:options(false, WithUtf8),
            try enif_protobuf:encode_msg({'T', Value}, Defs) after codec:options(false, false) end
        end
    end,
    Utf8 = "T.s: the value is not UTF-8, which {with_utf8, true} asks for",
    Octets =
        "T.s: the value is not a string: a binary or a list of octets (0 to 255), or with {with_utf8, true} text as "
        "unicode:chardata()",
    Text = "T.s: the value is not text as unicode:chardata(), which {with_utf8, true} asks for",
    says([
        {Encoding(WithUtf8, Value), Sentence}
     || {WithUtf8, Value, Sentence} <- [
            {true, <<200>>, Utf8},
            {true, ["a", <<200>>], Text},
            {true, [16#110000], Text},
            {true, 1, Text},
            {false, [256], Octets},
            {false, 1, Octets}
        ]
    ]).

bytes_that_are_no_message_test_() ->
    says([
        {fun() -> enif_protobuf:decode(<<15>>, 'M') end,
            "M, in the field at byte 0: these are not the bytes of a message: there are no wire types 6 and 7"}
    ]).

what_is_no_member_of_a_oneof_test_() ->
    ThanThese = "the value is neither undefined nor {Member, Value} with a member of the oneof ",
    says([
        {fun() -> enif_protobuf:encode(Record) end, Sentence}
     || {Record, Sentence} <- [
            {m(undefined, {c, 1}, undefined), "M.few: " ++ ThanThese ++ "(a, b)"},
            {m(undefined, a, undefined), "M.few: " ++ ThanThese ++ "(a, b)"},
            {m(undefined, undefined, {c, 1}),
                "M.many: " ++ ThanThese ++ "(m11, m12, m13, m14, m15, m16, m17, m18, m19, m20 and 5 more)"}
        ]
    ]).

-define(DIR, "; the option {i, Dir} (-I Dir) adds a directory").

%% A directory that does not exist is no error, as with gpb and protoc: it is named where a file is not found.
files_that_are_not_found_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "user.proto", "\nimport 'nowhere.proto';"),
        write(Dir, "sub/user.proto", "import 'sub';"),
        Says = fun(File, Opts, Sentence) ->
            ?_test(in_current_directory(Dir, fun() ->
                {ok, Here} = file:get_cwd(),
                Loading = fun() -> enif_protobuf:load_proto(File, Opts) end,
                ?assertEqual(lists:flatten(string:replace(Sentence, "HERE", Here, all)), sentence(Loading))
            end))
        end,
        [
            Says("a.proto", [], "a.proto: there is no file a.proto; searched in HERE" ?DIR),
            Says("a.proto", [{i, "sub"}], "a.proto: there is no file a.proto; searched in HERE/sub, HERE" ?DIR),
            Says("a.proto", [{i, "/no"}, {i, "user.proto"}],
                "a.proto: there is no file a.proto; searched in /no (there is no such directory), "
                "HERE/user.proto (it is no directory), HERE" ?DIR),
            Says("/no/a.proto", [{i, "sub"}], "/no/a.proto: there is no file /no/a.proto"),
            Says("sub", [], "sub: there is no file sub; HERE/sub is a directory"),
            Says("user.proto", [{i, "/no"}],
                "user.proto:2:1: import 'nowhere.proto' not found; "
                "searched in /no (there is no such directory), HERE" ?DIR),
            Says("sub/user.proto", [], "sub/user.proto:1:1: import 'sub' not found; HERE/sub is a directory"),
            ?_test(in_current_directory(Dir, fun() ->
                write(Dir, "good.proto", "message Good { }"),
                ?assertEqual(ok, enif_protobuf:load_proto("good.proto", [{i, "/no"}]))
            end))
        ]
    end).

-define(LOAD_OPTIONS, "this is none of the options {i, Dir}, use_packages and preserve_unknown_fields: ").
-define(DEFS_OPTIONS,
    "this is none of the options {i, Dir}, use_packages, preserve_unknown_fields and {proto_defs_version, 1 | 2 | 4}: "
).

%% What is loaded is the same in every version of its definitions, so only proto_defs/2 takes one.
wrong_options_of_load_proto_test_() ->
    says([
        {fun() -> enif_protobuf:load_proto("proto/person.proto", Opts) end, Sentence}
     || {Opts, Sentence} <- [
            {[{proto_defs_version, 1}], ?LOAD_OPTIONS "{proto_defs_version,1}"},
            {[use_packages, {proto_defs_version, 2}], ?LOAD_OPTIONS "{proto_defs_version,2}"},
            {[maps], ?LOAD_OPTIONS "maps"},
            {[i], ?LOAD_OPTIONS "i"},
            {[{i, "a"} | {i, "b"}], "a list that does not end in []: [{i,\"a\"}|{i,\"b\"}]"},
            {{i, "a"}, "not a list of options: {i,\"a\"}"},
            {[{i, dir}], "not a directory's name, which is a string or a binary: dir"},
            {[{use_packages, 1}], "the value of this option must be true or false: {use_packages,1}"}
        ]
    ]).

wrong_arguments_of_proto_defs_test_() ->
    says([
        {fun() -> enif_protobuf:proto_defs(Files, Opts) end, Sentence}
     || {Files, Opts, Sentence} <- [
            {"a.proto", [maps], ?DEFS_OPTIONS "maps"},
            {"a.proto", [proto_defs_version], ?DEFS_OPTIONS "proto_defs_version"},
            {"a.proto", [{proto_defs_version, 3}],
                "the value of this option must be 1, 2 or 4: {proto_defs_version,3}"},
            {person, [], "neither a file's name (a string or a binary) nor a list of such names: person"},
            {["a.proto", person], [], "not a file's name, which is a string or a binary: person"},
            {[<<"a.proto">>, <<1, 255>>], [], "a file's name that is not UTF-8: <<1,255>>"},
            {["a.proto", [$a, b]], [], "a file's name with an element that is no character: [97,b]"},
            {[], [], "a list without a file's name: []"},
            {["a.proto", ""], [], "an empty file's name: []"}
        ]
    ]).
