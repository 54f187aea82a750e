%% What enif_protobuf_compile writes: modules and headers.
-module(generated_tests).

-include_lib("eunit/include/eunit.hrl").

-import(generated, [in_module/3, in_module/4]).

-define(SHOP, "syntax = 'proto2'; package shop;\n"
    "message Order {\n"
    "  required string id = 1 [default = 'n/a'];\n"
    "  repeated Item items = 2;\n"
    "  optional Size size = 3 [default = L];\n"
    "  map<string, int32> counts = 4;\n"
    "  oneof paid { bool cash = 5; Item in_kind = 6; }\n"
    "  message Item { optional bytes sku = 1 [default = 'a\\001']; optional double price = 2 [default = inf]; }\n"
    "  enum Size { option allow_alias = true; S = 0; L = 1; LARGE = 1; }\n"
    "}\n"
).

%% Headers.

records_test() ->
    in_module("shop", ?SHOP, [], fun(shop, Dir) ->
        ?assertEqual(
            [
                {'Order.Item', [{sku, {default, <<"a", 1>>}}, {price, {default, infinity}}]},
                {'Order', [
                    {id, {default, "n/a"}},
                    {items, {default, []}},
                    {size, {default, 'L'}},
                    {counts, {default, []}},
                    {paid, none}
                ]}
            ],
            generated:records(filename:join(Dir, "shop.hrl"))
        )
    end).

records_of_proto3_test() ->
    Text = "syntax = 'proto3'; enum E { ZERO = 0; } message M {"
        "string s = 1; int64 i = 2; bool b = 3; double d = 4; bytes y = 5; E e = 6; M m = 7; repeated M r = 8;"
        "optional int32 o = 9; map<int32, M> p = 10; }",
    Fields = fun(String) ->
        [{s, String}, {i, 0}, {b, false}, {d, 0.0}, {y, <<>>}, {e, 'ZERO'}, {m, undefined}, {r, []}, {o, none}, {p, []}]
    end,
    [
        in_module(Text, Opts, fun(given, Dir) ->
            Expected = [{Name, default(Value)} || {Name, Value} <- Fields(String)],
            ?assertEqual([{'M', Expected}], generated:records(filename:join(Dir, "given.hrl")))
        end)
     || {Opts, String} <- [{[], []}, {[strings_as_binaries], <<>>}]
    ].

default(none) -> none;
default(Value) -> {default, Value}.

%% Two headers with one message can be included in one module.
guards_test() ->
    Text = "message Point { optional int32 x = 1; }",
    generated:in_files("one", Text, [], fun(One) ->
        generated:in_files("two", Text, [], fun(Two) ->
            Headers = [filename:join(One, "one.hrl"), filename:join(Two, "two.hrl")],
            Includes = [["-include(\"", Header, "\").\n"] || Header <- Headers],
            ok = file:write_file(filename:join(One, "both.hrl"), [Includes, Includes]),
            ?assertEqual([{'Point', [{x, none}]}], generated:records(filename:join(One, "both.hrl")))
        end)
    end).

%% Nor does one hide another whose name differs in case alone, or far behind.
guards_of_similar_names_test() ->
    Long = fun(Letter) -> lists:duplicate(254, $n) ++ [Letter] end,
    Names = ["Foo", "foo", "FOO", "Bar", Long($a), Long($b), Long($A)],
    in_module([["message ", Name, " {} "] || Name <- Names], [], fun(given, Dir) ->
        Records = generated:records(filename:join(Dir, "given.hrl")),
        ?assertEqual([list_to_atom(Name) || Name <- Names], [Name || {Name, []} <- Records])
    end),
    %% Others have the guards that gpb gives them, so that its headers can be included beside these.
    [_, Header] = generated:source("message Foo {} message foo {} message Bar {}", []),
    [?assertNotEqual(nomatch, string:find(Header, Guard)) || Guard <- ["ifndef('BAR_PB_H')", "ifndef('Foo_PB_H')"]].

%% So do those of long names that differ at the end alone: as records, and as messages.
long_names_test_() ->
    [
        {integer_to_list(Length), fun() ->
            Long = lists:duplicate(Length - 1, $m),
            Text = [["message ", Long, End, " { optional int32 ", End, " = 1; } "] || End <- ["a", "b"]],
            [A, B] = [list_to_atom(Long ++ End) || End <- ["a", "b"]],
            in_module(Text, [], fun(given, Dir) ->
                Records = generated:records(filename:join(Dir, "given.hrl")),
                ?assertEqual([{A, [{a, none}]}, {B, [{b, none}]}], Records),
                ?assertEqual([A, B], given:get_msg_names()),
                ?assertMatch([{field, b, 1, 2, int32, optional, []}], given:fetch_msg_def(B)),
                [?assertEqual({Name, 7}, given:decode_msg(given:encode_msg({Name, 7}), Name)) || Name <- [A, B]]
            end)
        end}
     || Length <- [240, 250, 251, 255]
    ].

fields_of_one_name_test() ->
    Text = "message M { extensions 10 to 20; } message A { extend M { optional M x = 10; } }"
        " message B { extend M { optional B x = 11; } }",
    in_module(Text, [], fun(given, Dir) ->
        Records = generated:records(filename:join(Dir, "given.hrl")),
        ?assertEqual([{x, none}, {x_11, none}], proplists:get_value('M', Records))
    end).

no_type_specs_test() ->
    [_, Header] = generated:source("message M { optional int32 n = 1; }", [{type_specs, false}]),
    ?assertEqual(nomatch, string:find(Header, "::")).

%% Words that are reserved from OTP 27 on.
words_of_newer_releases_test() ->
    Text = "message maybe { optional E else = 1; enum E { one = 0; maybe = 1; } }",
    [
        begin
            {ok, Tokens, _} = erl_scan:string(Source, {1, 1}, [text]),
            Words = [erl_scan:text(Token) || Token <- Tokens],
            ?assertEqual([], [Word || Word <- Words, lists:member(Word, ["maybe", "else"])]),
            ?assert(lists:member("'maybe'", Words))
        end
     || Source <- generated:source(Text, [])
    ],
    in_module(Text, [], fun(given, _) -> ?assertEqual(<<8, 1>>, given:encode_msg({'maybe', 'maybe'})) end).

%% The types of Erlang cannot be defined once more.
names_of_types_test() ->
    Text = "message string { optional integer i = 1; } message integer {} enum atom { list = 0; }",
    in_module(Text, [], fun(given, _) ->
        ?assertEqual(<<10, 0>>, given:encode_msg({string, {integer}}))
    end).

%% Encoding and decoding.

swapped_for_gpb_test() ->
    in_module("shop", ?SHOP, [], fun(shop, _) ->
        Item = {'Order.Item', <<"A1">>, 1.5},
        Order = {'Order', "ä1", [Item], 'LARGE', [{"a", 1}], {in_kind, Item}},
        Bytes = shop:encode_msg(Order),
        ?assertEqual(Bytes, shop:encode_msg(Order, [])),
        ?assertEqual(Bytes, shop:encode_msg(Order, 'Order')),
        ?assertEqual(Bytes, shop:encode_msg(Order, 'Order', [{verify, true}])),
        Decoded = setelement(4, Order, 'L'),
        ?assertEqual(Decoded, shop:decode_msg(Bytes, 'Order')),
        ?assertEqual(Decoded, shop:decode_msg(Bytes, 'Order', [])),
        ?assertEqual(ok, shop:verify_msg(Order)),
        ?assertEqual(ok, shop:verify_msg(Order, [])),
        ?assertEqual(ok, shop:verify_msg(Order, 'Order')),
        ?assertEqual(ok, shop:verify_msg(Order, 'Order', []))
    end).

strings_test() ->
    Text = "message M { optional string s = 1; }",
    in_module(Text, [], fun(given, _) ->
        ?assertEqual({'M', [20320]}, given:decode_msg(given:encode_msg({'M', [20320]}), 'M')),
        ?assertEqual({'M', [20320]}, given:decode_msg(given:encode_msg({'M', <<"你"/utf8>>}), 'M')),
        ?assertError({decode_error, #{reason := invalid_utf8}}, given:decode_msg(<<10, 1, 255>>, 'M')),
        ?assertError({gpb_type_error, {bad_unicode_string, _}}, given:encode_msg({'M', <<255>>}))
    end),
    in_module(Text, [strings_as_binaries], fun(given, _) ->
        ?assertEqual({'M', <<"你"/utf8>>}, given:decode_msg(given:encode_msg({'M', [20320]}), 'M')),
        ?assertEqual({'M', <<255>>}, given:decode_msg(<<10, 1, 255>>, 'M'))
    end).

maps_test() ->
    Item = #{sku => <<"A1">>, price => 1.5},
    Cases = [
        {[], #{id => "1", items => [], counts => #{"a" => 1}, paid => {in_kind, Item}}},
        {[{maps_oneof, flat}], #{id => "1", items => [], counts => #{"a" => 1}, in_kind => Item}},
        {[{maps_unset_optional, present_undefined}],
            #{id => "1", items => [], size => undefined, counts => #{"a" => 1}, paid => {in_kind, Item}}},
        {[strings_as_binaries, {maps_key_type, binary}], #{
            <<"id">> => <<"1">>,
            <<"items">> => [],
            <<"counts">> => #{<<"a">> => 1},
            <<"paid">> => {in_kind, #{<<"sku">> => <<"A1">>, <<"price">> => 1.5}}
        }}
    ],
    [
        in_module("shop", ?SHOP, [maps | Opts], fun(shop, Dir) ->
            Bytes = shop:encode_msg(Order, 'Order'),
            ?assertEqual(Order, shop:decode_msg(Bytes, 'Order')),
            ?assertEqual(ok, shop:verify_msg(Order, 'Order')),
            ?assertEqual(Order, shop:merge_msgs(Order, Order, 'Order')),
            {_, [First | _]} = lists:keyfind({msg, 'Order'}, 1, shop:get_msg_defs()),
            Key = proplists:get_value(maps_key_type, Opts, atom),
            ?assertEqual(1, maps:get(if Key =:= binary -> <<"fnum">>; true -> fnum end, First)),
            ?assertEqual([], filelib:wildcard(filename:join(Dir, "*.hrl")))
        end)
     || {Opts, Order} <- Cases
    ].

maps_for_map_fields_alone_test() ->
    in_module("message M { map<int32, string> m = 1; }", [mapfields_as_maps], fun(given, Dir) ->
        ?assertEqual([{'M', [{m, {default, #{}}}]}], generated:records(filename:join(Dir, "given.hrl"))),
        M = {'M', #{1 => "a"}},
        ?assertEqual(M, given:decode_msg(given:encode_msg(M), 'M'))
    end).

options_of_decoding_test() ->
    Text = "message M { required int32 r = 1; optional int32 d = 2 [default = 5]; }",
    in_module(Text, [], fun(given, _) ->
        ?assertEqual({'M', undefined, undefined}, given:decode_msg(<<>>, 'M'))
    end),
    in_module(Text, [verify_decode_required_present, defaults_for_omitted_optionals], fun(given, _) ->
        ?assertError({decode_error, _}, given:decode_msg(<<>>, 'M')),
        ?assertEqual({'M', 1, 5}, given:decode_msg(<<8, 1>>, 'M'))
    end).

merge_test() ->
    in_module("shop", ?SHOP, [], fun(shop, _) ->
        Item = fun(Sku, Price) -> {'Order.Item', Sku, Price} end,
        One = {'Order', "1", [Item(<<"a">>, 1.0)], 'S', [{"a", 1}, {"b", 2}], {in_kind, Item(<<"c">>, 2.0)}},
        Two = {'Order', "2", [Item(<<"b">>, 1.0)], undefined, [{"a", 3}], {in_kind, Item(undefined, 3.0)}},
        {'Order', "2", Items, 'S', Counts, Paid} = Merged = shop:merge_msgs(One, Two),
        ?assertEqual([Item(<<"a">>, 1.0), Item(<<"b">>, 1.0)], Items),
        ?assertEqual([{"a", 3}, {"b", 2}], lists:sort(Counts)),
        ?assertEqual({in_kind, Item(<<"c">>, 3.0)}, Paid),
        ?assertEqual(Merged, shop:merge_msgs(One, Two, 'Order')),
        ?assertEqual(Merged, shop:merge_msgs(One, Two, [])),
        ?assertEqual(Merged, shop:merge_msgs(One, Two, 'Order', [])),
        ?assertEqual({cash, true}, element(6, shop:merge_msgs(One, setelement(6, Two, {cash, true})))),
        ?assertEqual(element(6, One), element(6, shop:merge_msgs(One, setelement(6, Two, undefined))))
    end).

%% Keys of fields of a oneof are there where what is absent has none: with `present_undefined' the oneof has the key.
merge_of_flat_oneofs_test_() ->
    Text = "syntax = 'proto3'; message M { oneof o { int32 a = 1; string b = 2; } M m = 3; }",
    [
        ?_test(in_module(Text, [maps, {maps_oneof, flat} | Opts], fun(given, _) ->
            One = given:decode_msg(<<8, 1, 26, 2, 8, 3>>, 'M'),
            Two = given:decode_msg(<<18, 1, "x", 26, 0>>, 'M'),
            ?assertEqual(given:decode_msg(<<18, 1, "x", 26, 2, 8, 3>>, 'M'), given:merge_msgs(One, Two, 'M')),
            ?assertEqual(One, given:merge_msgs(One, given:decode_msg(<<>>, 'M'), 'M'))
        end))
     || Unset <- [omitted, present_undefined],
        Key <- [atom, binary],
        Opts <- [[{maps_unset_optional, Unset}, {maps_key_type, Key}]]
    ].

verify_test() ->
    in_module("shop", ?SHOP, [], fun(shop, _) ->
        ?assertError({gpb_type_error, {bad_unicode_string, [{value, 7}, {path, "Order.id"}]}},
            shop:verify_msg({'Order', 7, [], undefined, [], undefined})),
        Error = fun(Msg) -> {gpb_type_error, {not_a_known_message, [{value, Msg}, {path, top_level}]}} end,
        [
            ?assertEqual({error, Error(Msg)}, outcome(fun() -> shop:verify_msg(Msg) end))
         || Msg <- [{'Item'}, order, {}, #{}]
        ],
        [
            ?assertEqual({error, Error({'Item'})}, outcome(Encode))
         || Encode <- [fun() -> shop:encode_msg({'Item'}) end, fun() -> shop:encode_msg({'Item'}, 'Item') end]
        ]
    end).

outcome(Call) ->
    try
        {value, Call()}
    catch
        Class:Reason -> {Class, Reason}
    end.

%% Two modules, one name.

modules_side_by_side_test() ->
    in_module("one", "message M { optional int32 n = 1; }", [], fun(one, _) ->
        in_module("two", "message M { optional string s = 2; optional M m = 3; }", [], fun(two, _) ->
            One = {'M', 1},
            Two = {'M', "a", {'M', "b", undefined}},
            [
                begin
                    ?assertEqual(One, one:decode_msg(one:encode_msg(One), 'M')),
                    ?assertEqual(Two, two:decode_msg(two:encode_msg(Two), 'M'))
                end
             || _ <- [1, 2]
            ],
            ?assertError({gpb_type_error, _}, one:encode_msg(Two))
        end)
    end).

%% What is loaded for the node is another matter.
beside_what_is_loaded_test() ->
    ok = enif_protobuf:load_cache([{{msg, 'M'}, [{field, x, 7, 2, bool, optional, []}]}]),
    in_module("message M { optional int32 n = 1; }", [], fun(given, _) ->
        ?assertEqual(<<8, 1>>, given:encode_msg({'M', 1})),
        ?assertEqual(<<56, 1>>, enif_protobuf:encode({'M', true}))
    end).

a_purged_cache_is_loaded_again_test() ->
    in_module("message M { optional int32 n = 1; }", [], fun(given, _) ->
        Calls = [
            fun() -> given:encode_msg({'M', 1}) end,
            fun() -> given:encode_msg({'M', 1}, 'M') end,
            fun() -> given:decode_msg(<<8, 1>>, 'M') end,
            fun() -> given:verify_msg({'M', 1}) end
        ],
        [
            begin
                ?assertEqual([], enif_protobuf:caches()),
                _ = Call(),
                [Cache] = enif_protobuf:caches(),
                ok = enif_protobuf:purge_cache(Cache)
            end
         || Call <- Calls
        ]
    end).

%% The first calls come at once, from many processes.
first_calls_test() ->
    in_module("message M { optional int32 n = 1; }", [], fun(given, _) ->
        Workers = [spawn_monitor(fun() -> exit(given:encode_msg({'M', 1})) end) || _ <- lists:seq(1, 100)],
        Results = [receive {'DOWN', Ref, process, Pid, Result} -> Result end || {Pid, Ref} <- Workers],
        ?assertEqual([<<8, 1>>], lists:usort(Results)),
        ?assertMatch([_], enif_protobuf:caches())
    end).

%% A module that is loaded anew with other options works with those, whatever the old one has left loaded: its cache is
%% another one.
other_options_test() ->
    Cache = fun(Opts, String) ->
        in_module("message M { optional string s = 1; }", Opts, fun(given, _) ->
            ?assertEqual({'M', String}, given:decode_msg(<<10, 1, "a">>, 'M')),
            [Name] = enif_protobuf:caches(),
            self() ! {cache, Name}
        end),
        receive
            {cache, Name} -> Name
        end
    end,
    ?assertNotEqual(Cache([strings_as_binaries], <<"a">>), Cache([], "a")).

%% A call that fails tells why, as a call with options does.
failures_test() ->
    in_module("message M { required int32 n = 1; }", [], fun(given, _) ->
        Path = [{value, a}, {path, "M.n"}],
        ?assertError({gpb_type_error, {{bad_integer, int32, signed, 32}, Path}}, given:encode_msg({'M', a})),
        ?assertError({decode_error, #{reason := truncated}}, given:decode_msg(<<8>>, 'M')),
        ?assertError(badarg, given:decode_msg(no_binary, 'M'))
    end).

%% A module that is loaded anew with other definitions works with those.
another_version_test() ->
    [
        in_module(["message M { optional ", Type, " n = 1; }"], [], fun(given, _) ->
            ?assertEqual(Bytes, given:encode_msg({'M', 1}))
        end)
     || {Type, Bytes} <- [{"int32", <<8, 1>>}, {"sint32", <<8, 2>>}]
    ].

%% What an old version has loaded does not stay.
old_caches_go_test() ->
    Version = fun(Type) ->
        [Source, _] = generated:source(["message M { optional ", Type, " n = 1; }"], []),
        Source
    end,
    [Cache1, Cache2] = [
        begin
            {match, [Name]} = re:run(Version(Type), "CACHE, '(given-[0-9A-F]{16})'", [{capture, all_but_first, list}]),
            list_to_atom(Name)
        end
     || Type <- ["int32", "sint32"]
    ],
    Others = [given, 'given-', 'given-1', 'giver-0123456789ABCDEF', 'given-0123456789ABCDEG'],
    [ok = enif_protobuf:load_cache(Name, [{{msg, 'M'}, []}]) || Name <- [Cache1 | Others]],
    in_module("message M { optional sint32 n = 1; }", [], fun(given, _) ->
        ?assertEqual(<<8, 2>>, given:encode_msg({'M', 1})),
        ?assertEqual(lists:sort([Cache2 | Others]), lists:sort(enif_protobuf:caches()))
    end).

%% Modules of other names keep theirs, however alike the names are.
caches_of_others_stay_test() ->
    Long = lists:duplicate(210, $g),
    Others = ["other", "given_", "given-0123456789ABCDEF", "g", Long ++ "1", Long ++ "2"],
    in_modules(["given" | Others], "message M { optional int32 n = 1; }", fun() ->
        [?assertEqual(<<8, 1>>, (list_to_atom(Name)):encode_msg({'M', 1})) || Name <- ["given" | Others]],
        Before = enif_protobuf:caches(),
        ?assertEqual(length(Others) + 1, length(Before)),
        in_module("message M { optional sint32 n = 1; }", [], fun(given, _) ->
            ?assertEqual(<<8, 2>>, given:encode_msg({'M', 1})),
            [Old] = Before -- enif_protobuf:caches(),
            ?assertMatch("given-" ++ Hash when length(Hash) =:= 16, atom_to_list(Old))
        end)
    end).

in_modules([], _Text, Test) -> Test();
in_modules([Name | Names], Text, Test) -> in_module(Name, Text, [], fun(_, _) -> in_modules(Names, Text, Test) end).

%% Calls do not fail while the definitions are given up again and again.
versions_at_once_test() ->
    in_module("message M { optional int32 n = 1; }", [], fun(given, _) ->
        Purger = spawn_link(fun Purge() -> [enif_protobuf:purge_cache(C) || C <- enif_protobuf:caches()], Purge() end),
        [?assertEqual(<<8, 1>>, given:encode_msg({'M', 1})) || _ <- lists:seq(1, 2000)],
        unlink(Purger),
        exit(Purger, kill)
    end).

message_sets_test() ->
    Text = "message Set { option message_set_wire_format = true; extensions 4 to max; }"
        " message M { extend Set { optional M m = 5; } optional int32 n = 1; }",
    in_module(Text, [], fun(given, _) ->
        ?assertEqual(<<11, 16, 5, 26, 2, 8, 7, 12>>, given:encode_msg({'Set', {'M', 7}}))
    end).

%% Also where the definitions have a form that says it elsewhere, for a field without presence.
closed_enums_of_edition_2023_test() ->
    Text = "edition = '2023'; enum E { option features.enum_type = CLOSED; A = 0; B = 1; }"
        " message M { E e = 1; repeated E es = 2; int32 i = 3 [features.field_presence = IMPLICIT]; }",
    in_module(Text, [preserve_unknown_fields], fun(given, _) ->
        Unknown = [{varint, 1, 7}, {varint, 2, 7}],
        ?assertEqual({'M', undefined, ['B'], 0, Unknown}, given:decode_msg(<<8, 7, 16, 1, 18, 1, 7>>, 'M'))
    end).

edition_2023_test() ->
    Text = "edition = '2023'; message M { string s = 1; int32 n = 2 [features.field_presence = IMPLICIT];"
        " M m = 3 [features.message_encoding = DELIMITED]; }",
    in_module(Text, [], fun(given, _) ->
        M = {'M', "a", 0, {'M', undefined, 5, undefined}},
        ?assertEqual(<<10, 1, $a, 27, 16, 5, 28>>, given:encode_msg(M)),
        ?assertEqual(M, given:decode_msg(given:encode_msg(M), 'M'))
    end).
