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

-define(OPTIONS, "not a list of {string_as_list, boolean()} and {with_utf8, boolean()}: ").
-define(OPTION, "this option is neither {string_as_list, boolean()} nor {with_utf8, boolean()}: ").

wrong_options_of_set_opts_test_() ->
    says([
        {fun() -> enif_protobuf:set_opts(Opts) end, Sentence}
     || {Opts, Sentence} <- [
            {{with_utf8, true}, ?OPTIONS "{with_utf8,true}"},
            {[{with_utf8, true} | {string_as_list, true}], ?OPTIONS "[{with_utf8,true}|{string_as_list,true}]"},
            {[{with_utf8, true}, {with_utf8, 1}], ?OPTION "{with_utf8,1}"},
            {[{with_utf, true}, {with_utf8, true}], ?OPTION "{with_utf,true}"},
            {[string_as_list], ?OPTION "string_as_list"},
            {["é"], ?OPTION "\"é\""}
        ]
    ]).

terms_that_are_no_definitions_test_() ->
    says([
        {fun() -> enif_protobuf:load_cache(Defs) end, Sentence}
     || {Defs, Sentence} <- [
            {messages, "not a list of definitions as gpb gives them: messages"},
            {<<"a.proto">>, "not a list of definitions as gpb gives them: <<\"a.proto\">>"},
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
            Says("a.proto", [], "a.proto: there is no file a.proto; searched in HERE"),
            Says("a.proto", [{i, "sub"}], "a.proto: there is no file a.proto; searched in HERE/sub, HERE"),
            Says("a.proto", [{i, "/no"}, {i, "user.proto"}],
                "a.proto: there is no file a.proto; searched in /no (there is no such directory), "
                "HERE/user.proto (it is no directory), HERE"),
            Says("/no/a.proto", [{i, "sub"}], "/no/a.proto: there is no file /no/a.proto"),
            Says("sub", [], "sub: there is no file sub; HERE/sub is a directory"),
            Says("user.proto", [{i, "/no"}],
                "user.proto:2:1: import 'nowhere.proto' not found; "
                "searched in /no (there is no such directory), HERE"),
            Says("sub/user.proto", [], "sub/user.proto:1:1: import 'sub' not found; HERE/sub is a directory"),
            ?_test(in_current_directory(Dir, fun() ->
                write(Dir, "good.proto", "message Good { }"),
                ?assertEqual(ok, enif_protobuf:load_proto("good.proto", [{i, "/no"}]))
            end))
        ]
    end).

-define(LOAD_OPTIONS, "this is none of the options {i, Dir}, use_packages and preserve_unknown_fields: ").
-define(DEFS_OPTIONS,
    "this is none of the options {i, Dir}, use_packages, preserve_unknown_fields and {proto_defs_version, 1 | 2}: "
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
            {"a.proto", [{proto_defs_version, 3}], "the value of this option must be 1 or 2: {proto_defs_version,3}"},
            {person, [], "neither a file's name (a string or a binary) nor a list of such names: person"},
            {["a.proto", person], [], "not a file's name, which is a string or a binary: person"},
            {[<<"a.proto">>, <<1, 255>>], [], "a file's name that is not UTF-8: <<1,255>>"},
            {["a.proto", [$a, b]], [], "a file's name with an element that is no character: [97,b]"},
            {[], [], "a list without a file's name: []"},
            {["a.proto", ""], [], "an empty file's name: []"}
        ]
    ]).
