%% FileDescriptorSets, load_descriptor_set/1,2 and descriptor_set_defs/2.
-module(descriptor_set_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [int/2, len/2]).

-define(EDITION_2023, 1000).

%% What protoc makes of a file says the same as the file.

protoc_test_() ->
    proto_texts:in_directory(fun(Dir) ->
        Schemas = vector_files:schemas(),
        [?_assertNotEqual(false, protoc()), {timeout, 300, ?_test([same_as_text(Dir, Schema) || Schema <- Schemas])}]
    end).

same_as_text(Dir, #{schema := Name, proto := Text, gpb_opts := Opts}) ->
    proto_texts:write(Dir, "given.proto", Text),
    {ok, FromText} = enif_protobuf:proto_defs("given.proto", [{i, Dir} | Opts]),
    {ok, FromSet} = enif_protobuf:descriptor_set_defs(set(Dir, "given.proto"), Opts),
    ?assertEqual({Name, meaning(FromText)}, {Name, meaning(FromSet)}).

imports_test_() ->
    proto_texts:in_directory(fun(Dir) ->
        Other = "package p; message M { extensions 5; } extend M { optional int32 x = 5; }",
        proto_texts:write(Dir, "other.proto", Other),
        proto_texts:write(Dir, "given.proto", [
            "syntax = 'proto3'; import 'other.proto'; import 'google/protobuf/timestamp.proto';",
            "message N { p.M m = 1; google.protobuf.Timestamp at = 2; repeated int32 packed = 3; }"
        ]),
        [
            {atom_to_list(Loaded), fun() ->
                Set = set(Dir, "given.proto"),
                ok = Load(Set, Dir),
                Bytes = enif_protobuf:encode({'N', {'M', 7}, {'Timestamp', 1, 2}, [3]}),
                ?assertEqual(<<10, 2, 40, 7, 18, 4, 8, 1, 16, 2, 26, 1, 3>>, Bytes)
            end}
         || {Loaded, Load} <- [
                {set, fun(Set, _) -> enif_protobuf:load_descriptor_set(Set) end},
                {text, fun(_, D) -> enif_protobuf:load_proto("given.proto", [{i, D}]) end}
            ]
        ]
    end).

%% What the documentation says of options.
what_a_set_keeps_test_() ->
    proto_texts:in_directory(fun(Dir) ->
        proto_texts:write(Dir, "given.proto", [
            "option java_package = 'x'; message M { option deprecated = true;"
            " optional string s = 1 [json_name = 'A', ctype = CORD, deprecated = true, default = 'x'];"
            " repeated int32 p = 2 [packed = true]; optional int64 j = 3 [jstype = JS_STRING]; }"
            " enum E { option allow_alias = true; A = 0; B = 0; }"
            " service S { rpc R (M) returns (M) { option deprecated = true; } }"
        ]),
        {ok, Text} = enif_protobuf:proto_defs("given.proto", [{i, Dir}]),
        {ok, Set} = enif_protobuf:descriptor_set_defs(set(Dir, "given.proto"), []),
        Fields = fun(First, Third) ->
            [
                {field, s, 1, 2, string, optional, First},
                {field, p, 2, 3, int32, repeated, [packed]},
                {field, j, 3, 4, int64, optional, Third}
            ]
        end,
        Given = [deprecated, {json_name, "A"}, {ctype, 'CORD'}, {default, "x"}],
        [
            ?_assertEqual(
                Fields(lists:sort(Given), [{jstype, 'JS_STRING'}]),
                [sorted(Field) || Field <- proplists:get_value({msg, 'M'}, Text)]
            ),
            ?_assertEqual(Fields([deprecated, {default, "x"}], []), proplists:get_value({msg, 'M'}, Set)),
            [
                ?_assertEqual({Key, proplists:get_value(Key, Text)}, {Key, proplists:get_value(Key, Set)})
             || Key <- [{enum, 'E'}, {msg_options, 'M'}, {enum_options, 'E'}]
            ],
            ?_assertMatch([{rpc, 'R', 'M', 'M', false, false, [_]}], proplists:get_value({service, 'S'}, Text)),
            ?_assertEqual([{rpc, 'R', 'M', 'M', false, false, []}], proplists:get_value({service, 'S'}, Set)),
            ?_assert(lists:member({option, java_package, "x"}, Text)),
            ?_assertNot(lists:keymember(option, 1, Set))
        ]
    end).

sorted(Field) ->
    setelement(7, Field, lists:sort(element(7, Field))).

set(Dir, File) ->
    Set = filename:join(Dir, "set"),
    Out = "--descriptor_set_out=" ++ Set,
    Arguments = ["-I", Dir, "--include_imports", "--include_source_info", Out, filename:join(Dir, File)],
    Port = open_port({spawn_executable, protoc()}, [{args, Arguments}, exit_status, stderr_to_stdout, binary]),
    ?assertEqual(0, exit_status(Port)),
    {ok, Bytes} = file:read_file(Set),
    Bytes.

protoc() ->
    os:find_executable("protoc").

exit_status(Port) ->
    receive
        {Port, {data, _}} -> exit_status(Port);
        {Port, {exit_status, Status}} -> Status
    end.

%% What is encoded how. What a set does not have are options that change nothing, and how things were written.
meaning(Defs) ->
    lists:sort([defined(Def) || Def <- Defs, is_of_the_codec(Def)]).

is_of_the_codec({{Kind, _}, _}) -> lists:member(Kind, [msg, group, enum, service]);
is_of_the_codec(Def) -> element(1, Def) =:= proto3_msgs.

defined({{Kind, Name}, Fields}) when Kind =:= msg; Kind =:= group -> {{Kind, Name}, [field(F) || F <- Fields]};
defined({{enum, Name}, Symbols}) -> {{enum, Name}, [Symbol || {_, _} = Symbol <- Symbols]};
defined({{service, Name}, Rpcs}) -> {{service, Name}, [setelement(7, Rpc, []) || Rpc <- Rpcs]};
defined(Def) -> Def.

field({gpb_oneof, Name, Place, Fields, _}) ->
    {gpb_oneof, Name, Place, [field(F) || F <- Fields]};
field({field, Name, Number, Place, Type, Occurrence, Options}) ->
    {field, Name, Number, Place, Type, Occurrence, lists:sort(lists:flatmap(fun(O) -> option(Type, O) end, Options))}.

option(_, packed) -> [packed];
%% A descriptor does not tell 1 from 1.0.
option(Type, {default, Value}) when is_integer(Value), Type =:= float orelse Type =:= double ->
    [{default, float(Value)}];
%% gpb takes octal escapes for characters, protoc for octets of UTF-8.
option(string, {default, Value}) -> [{default, characters(Value)}];
option(_, {default, Value}) -> [{default, Value}];
option(_, _) -> [].

characters(String) ->
    case lists:all(fun(Char) -> Char < 256 end, String) andalso unicode:characters_to_list(list_to_binary(String)) of
        Decoded when is_list(Decoded) -> Decoded;
        _ -> String
    end.

%% Editions, of which the protoc of stable systems knows nothing.

edition_2023_test() ->
    Fields = [
        scalar_field("explicit", 1, 5, []),
        scalar_field("implicit", 2, 5, features(1, 2)),
        scalar_field("required", 3, 5, features(1, 3)),
        repeated_field("packed", 4, []),
        repeated_field("expanded", 5, features(3, 2)),
        scalar_field("text", 6, 9, []),
        message_field("sub", 7, "M", features(5, 2))
    ],
    Enum = len(5, [len(1, "E"), len(2, [len(1, "A"), int(2, 1)]), len(3, len(7, int(2, 2)))]),
    Set = edition_file(?EDITION_2023, [len(4, [len(1, "M") | Fields]), Enum]),
    {ok, Defs} = enif_protobuf:descriptor_set_defs(Set, []),
    ?assertEqual({edition, "2023"}, lists:keyfind(edition, 1, Defs)),
    ?assertEqual(
        {{enum, 'E'}, [{option, [features, enum_type], 'CLOSED'}, {'A', 1}]}, lists:keyfind({enum, 'E'}, 1, Defs)
    ),
    ?assertEqual(
        {{msg, 'M'}, [
            {field, explicit, 1, 2, int32, optional, []},
            {field, implicit, 2, 3, int32, defaulty, []},
            {field, required, 3, 4, int32, required, []},
            {field, packed, 4, 5, int32, repeated, [packed]},
            {field, expanded, 5, 6, int32, repeated, []},
            {field, text, 6, 7, string, optional, [{[features, utf8_validation], 'VERIFY'}]},
            {field, sub, 7, 8, {msg, 'M'}, optional, [{[features, message_encoding], 'DELIMITED'}]}
        ]},
        lists:keyfind({msg, 'M'}, 1, Defs)
    ),
    ok = enif_protobuf:load_descriptor_set(Set),
    Inner = {'M', undefined, 0, 2, [], [], undefined, undefined},
    Bytes = enif_protobuf:encode({'M', 1, 0, 2, [3, 4], [5], undefined, Inner}),
    ?assertEqual(<<8, 1, 24, 2, 34, 2, 3, 4, 40, 5, 59, 24, 2, 60>>, Bytes).

another_edition_test() ->
    Set = edition_file(1001, [len(4, len(1, "M"))]),
    {error, {proto_error, Error}} = enif_protobuf:descriptor_set_defs(Set, []),
    #{file := <<"edition.proto">>, message := Message} = Error,
    ?assertMatch(<<"the edition of number 1001 is not supported", _/binary>>, Message).

edition_file(Edition, Contents) ->
    len(1, [len(1, "edition.proto"), Contents, len(12, "editions"), int(14, Edition)]).

scalar_field(Name, Number, Type, Options) ->
    len(2, [len(1, Name), int(3, Number), int(4, 1), int(5, Type), Options]).

repeated_field(Name, Number, Options) ->
    len(2, [len(1, Name), int(3, Number), int(4, 3), int(5, 5), Options]).

message_field(Name, Number, Type, Options) ->
    len(2, [len(1, Name), int(3, Number), int(4, 1), int(5, 11), len(6, ["." | Type]), Options]).

%% The options of a field that set one feature.
features(Feature, Value) ->
    len(8, len(21, int(Feature, Value))).

%% What is wrong.

no_set_test() ->
    [
        begin
            {error, {proto_error, #{message := Message}} = Reason} = enif_protobuf:descriptor_set_defs(Bytes, []),
            ?assertMatch({Bytes, <<"these bytes are no FileDescriptorSet", _/binary>>}, {Bytes, Message}),
            ?assertError(Reason, enif_protobuf:load_descriptor_set(Bytes))
        end
     || Bytes <- [<<10, 200>>, <<255>>, <<10, 2, 34, 9>>, <<11>>]
    ].

missing_import_test() ->
    Set = len(1, [len(1, "m.proto"), len(3, "missing.proto")]),
    {error, {proto_error, #{message := Message, file := <<"m.proto">>}}} = enif_protobuf:descriptor_set_defs(Set, []),
    ?assertMatch({_, _}, binary:match(Message, <<"missing.proto">>)).

nothing_test() ->
    ?assertEqual({ok, [{proto_defs_version, 2}]}, enif_protobuf:descriptor_set_defs(<<>>, [])),
    ?assertEqual(ok, enif_protobuf:load_descriptor_set(<<>>)).

arguments_test() ->
    [?assertError(badarg, enif_protobuf:load_descriptor_set(Set)) || Set <- [none, "set", <<1:1>>]],
    [
        ?assertError(badarg, enif_protobuf:load_descriptor_set(<<>>, Opts))
     || Opts <- [none, [use], [{proto_defs_version, 1}], [use_packages | none]]
    ].

random_bytes_test_() ->
    {timeout, 60, fun() ->
        Set = len(1, [len(1, "m.proto"), len(4, [len(1, "M"), scalar_field("n", 1, 5, features(1, 1))])]),
        [
            begin
                <<Before:At/binary, _, After/binary>> = Set,
                Result = enif_protobuf:descriptor_set_defs(<<Before/binary, Octet, After/binary>>, []),
                ?assert(lists:member(element(1, Result), [ok, error]))
            end
         || At <- lists:seq(0, byte_size(Set) - 1), Octet <- [0, 1, 10, 127, 128, 200, 255]
        ]
    end}.
