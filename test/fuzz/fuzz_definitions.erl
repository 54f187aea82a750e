%% Definitions with one term of theirs changed, each in turn; and .proto files with bytes and words changed.
-module(fuzz_definitions).

-export([definitions/0, files/0]).

-import(fuzz_random, [pick/1, one_in/1, below/1]).

%% Every place in the definitions gets some other terms in turn.
definitions() ->
    Definitions = form(small(fuzz_random:schema())),
    [load(Changed) || Changed <- changes(Definitions)].

%% With no more than a few fields a message, for there are as many cases as there are terms.
small(Definitions) ->
    [
        case Definition of
            {{enum, Name}, Symbols} -> {{enum, Name}, lists:sublist(Symbols, 6)};
            {Name, Fields} when is_list(Fields) -> {Name, placed(lists:sublist(Fields, 6))};
            Other -> Other
        end
     || Definition <- Definitions
    ].

placed(Fields) -> [at(Position, Field) || {Position, Field} <- lists:zip(lists:seq(2, length(Fields) + 1), Fields)].

at(Position, {gpb_oneof, Name, _, Members, Options}) ->
    {gpb_oneof, Name, Position, [at(Position, Member) || Member <- Members], Options};
at(Position, Field) ->
    setelement(4, Field, Position).

%% As records, as maps, or as property lists.
form(Definitions) ->
    Of = pick([fun(Field) -> Field end, fun as_map/1, fun(Field) -> maps:to_list(as_map(Field)) end]),
    [
        case Definition of
            {{Kind, Name}, Fields} when Kind =/= enum -> {{Kind, Name}, [Of(Field) || Field <- Fields]};
            Other -> Other
        end
     || Definition <- Definitions
    ].

as_map({field, Name, Number, Position, Type, Occurrence, Options}) ->
    #{name => Name, fnum => Number, rnum => Position, type => Type, occurrence => Occurrence, opts => Options};
as_map({gpb_oneof, Name, Position, Fields, Options}) ->
    #{name => Name, rnum => Position, fields => [as_map(Field) || Field <- Fields], opts => Options}.

%% The term with each term in it replaced, and the term itself.
changes(Term) ->
    [odd(), like(Term) | within(Term)].

%% One that may be right in its place.
like(Number) when is_integer(Number) -> pick([Number + 1, Number - 1, -Number, 0, 1, 2, 7, 100, 19000]);
like(Type) when is_atom(Type) ->
    pick([int32, string, bytes, double, bool, optional, repeated, defaulty, required, a, 'M1']);
like({Kind, Name}) when is_atom(Name) ->
    pick([{Kind, 'M1'}, {Kind, 'G1'}, {Kind, 'E2'}, {map, string, {Kind, Name}}, int32]);
like(_) -> odd().

within(Tuple) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    Indices = lists:seq(1, tuple_size(Tuple)),
    [setelement(I, Tuple, Changed) || I <- Indices, Changed <- changes(element(I, Tuple))] ++
        [erlang:delete_element(pick(Indices), Tuple), erlang:insert_element(pick(Indices), Tuple, odd())];
within([Element | Rest] = List) ->
    [[Changed | Rest] || Changed <- changes(Element)] ++
        [[Element | Changed] || Changed <- within(Rest)] ++
        [Rest, [Element | List], [Element | odd()]];
within(Map) when is_map(Map) ->
    [Map#{Key => Changed} || {Key, Value} <- maps:to_list(Map), Changed <- changes(Value)] ++
        [maps:remove(Key, Map) || Key <- maps:keys(Map)];
within(_) ->
    [].

odd() ->
    pick([
        undefined, true, 0, 1, -1, 2, 3, 536870911, 536870912, 1 bsl 31, 1 bsl 32, 1 bsl 62, 1 bsl 63, 1 bsl 64,
        -(1 bsl 63),
        1 bsl 200, 1.5, [], {}, <<>>, <<1:3>>, #{}, self(), make_ref(), fun erlang:length/1, a, b, 'M1', 'M2', [a | b],
        {msg, 'M1'}, {msg, 'M9'}, {group, 'G1'}, {enum, 'E1'}, {map, int32, {msg, 'M1'}},
        {map, {map, int32, int32}, int32},
        int32, string, repeated, defaulty, required, unknown, {field, a, 1, 2, int32, optional, []},
        [{proto_defs_version, 9}],
        {option, message_set_wire_format, true}, {option, [features, enum_type], 'CLOSED'}, [packed], [{packed, false}],
        [{[features, utf8_validation], 'VERIFY'}], [{[features, message_encoding], 'DELIMITED'}], {proto3_msgs, ['M1']}
    ]).

load(Definitions) ->
    try enif_protobuf:load_cache(Definitions) of
        ok -> {ok, used(['M1', 'M2', 'G1', 'G2', true, a, b])}
    catch
        error:{bad_definitions, #{reason := _} = Why} = Reason:Stack ->
            sentence(Reason, Stack),
            %% Not the terms themselves: some of them are another one in each VM.
            {refused, lists:sort(maps:keys(Why))};
        error:badarg when not is_list(Definitions) ->
            badarg
    end.

sentence(Reason, Stack) ->
    true =
        one_in(20) =:= false orelse
            lists:all(fun is_binary/1, maps:values(enif_protobuf:format_error(Reason, Stack))).

%% Whatever has been loaded can be used.
used(Names) -> [used(Name, Wire) || Name <- Names, Wire <- [<<>>, rand:bytes(below(30)), random_fields()]].

used(Name, Wire) ->
    try enif_protobuf:decode(Wire, Name) of
        Record ->
            try
                true = is_binary(enif_protobuf:encode(Record)),
                both
            catch
                error:{gpb_type_error, _} -> decoded;
                %% A group has a message of the same name.
                error:Name -> decoded
            end
    catch
        error:{decode_error, #{reason := Reason}} -> Reason;
        error:Name -> no_such_message
    end.

random_fields() ->
    iolist_to_binary([
        [wire_bytes:tag(rand:uniform(16), WireType), Value]
     || _ <- lists:seq(1, below(6)),
        {WireType, Value} <- [pick([{0, below(128)}, {1, rand:bytes(8)}, {2, [2, 8, 1]}, {5, rand:bytes(4)}, {3, []}])]
    ]).

%% Text of .proto files. The temporary file is each time the same.

files() ->
    Text = pick(texts()),
    [file(changed(Text, pick([0, 1, 1, 1, 1, 2, 4]))) || _ <- lists:seq(1, 10)].

texts() ->
    Names = filelib:wildcard("proto/*.proto") ++ filelib:wildcard("test/data/proto/**/*.proto"),
    [wide() | [element(2, file:read_file(Name)) || Name <- Names]].

wide() ->
    <<"edition = \"2023\"; package p.q; import \"google/protobuf/timestamp.proto\";\n"
      "import public \"google/protobuf/descriptor.proto\"; option features.field_presence = IMPLICIT;\n"
      "option java_package = \"x\\x41\\101\\n\"; extend google.protobuf.FieldOptions { O o = 50000; }\n"
      "message O { repeated double a = 1; O b = 2; string c = 3; }\n"
      "extend google.protobuf.MethodOptions { bool g = 50001; }\n"
      "message A { reserved 5, 7 to 9; reserved x; extensions 100 to max;\n"
      "  message B { repeated A a = 1 [features.repeated_field_encoding = EXPANDED,\n"
      "      (o) = { a: [1, -2.5e3] b { c: \"d\" } }]; }\n"
      "  map<string, B> m = 1; oneof o { int32 i = 2 [default = -1]; bytes b = 3 [json_name = \"B\"]; }\n"
      "  google.protobuf.Timestamp t = 4 [features.message_encoding = DELIMITED]; E e = 6 [deprecated = true]; }\n"
      "enum E { option allow_alias = true; E_0 = 0; E_00 = 0x0; E_N = -2147483648; reserved 4 to 8; }\n"
      "extend A { string s = 536870911; }\n"
      "service S { rpc F(stream A) returns (A.B) { option (g) = true; } }\n"/utf8>>.

changed(Text, 0) -> Text;
changed(Text, Times) -> changed(changed(Text), Times - 1).

changed(Text) ->
    case one_in(3) of
        true ->
            fuzz_random:changed(Text);
        false ->
            Words = re:split(Text, "([A-Za-z_.0-9]+|[^A-Za-z_.0-9])", [{return, binary}]),
            {Before, Here} = lists:split(below(length(Words)), Words),
            iolist_to_binary([Before, word(Here)])
    end.

word([Word | After]) ->
    Other = pick([
        <<"{">>, <<"}">>, <<";">>, <<"=">>, <<"<">>, <<"[">>, <<"(">>, <<"\"">>, <<"/*">>, <<"-">>, <<"0">>, <<"1">>,
        <<"18446744073709551616">>, <<"-9223372036854775809">>, <<"1e999">>, <<"message">>, <<"group G = 9 {">>,
        <<"map<">>,
        <<"max">>, <<"A">>, <<".A">>, <<"E">>, <<"reserved">>, <<"required">>, <<"option">>, <<255>>, <<0>>,
        binary:copy(<<"{">>, 300), binary:copy(<<"message M {">>, 200), binary:copy(<<"[">>, 3000),
        binary:copy(<<"a.">>, 2000)
    ]),
    case rand:uniform(4) of
        1 -> After;
        2 -> [Word, Word | After];
        3 -> [Word, " ", Other, " " | After];
        4 -> [" ", Other, " " | After]
    end.

file(Text) ->
    Directory = filename:join(os:getenv("FUZZ_DIRECTORY"), "files"),
    File = filename:join(Directory, "fuzzed.proto"),
    ok = filelib:ensure_dir(File),
    ok = file:write_file(File, Text),
    Version = pick([1, 2]),
    case enif_protobuf:proto_defs("fuzzed.proto", [{i, Directory}, {proto_defs_version, Version}]) of
        {ok, Definitions} ->
            %% What is handed over can be loaded, and is loaded directly as well.
            case {load(Definitions), enif_protobuf:load_proto(File, [{i, Directory}])} of
                {{ok, _}, ok} -> ok
            end;
        {error, {proto_error, #{message := Message} = Why}} when is_binary(Message) ->
            {refused, maps:get(line, Why, none)}
    end.
