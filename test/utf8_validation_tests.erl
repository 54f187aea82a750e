%% Strings that must be UTF-8, those of proto3 and of editions: what is not is an error, whatever the options. In
%% definitions of gpb's form, which do not say it, the octets pass.
-module(utf8_validation_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2]).

text() ->
    [
        "syntax = 'proto3'; message M { string s = 1; repeated string r = 2; map<string, string> m = 3;",
        "oneof o { string t = 4; } optional string p = 5; bytes b = 6; }"
    ].

under_all_options(Test) ->
    [
        {lists:concat([AsList, " ", Utf8]), fun() ->
            proto_texts:load(text()),
            codec:options(AsList, Utf8),
            Test()
        end}
     || AsList <- [false, true], Utf8 <- [false, true]
    ].

what_is_not_utf8_is_no_string_test_() ->
    under_all_options(fun() ->
        [
            begin
                [
                    ?assertEqual({decode_error, invalid_utf8}, codec:decode_error(Wire, 'M'))
                 || Wire <- [len(N, Octets) || N <- [1, 2, 4, 5]] ++ [len(3, len(N, Octets)) || N <- [1, 2]]
                ],
                ?assertMatch({decoded, {'M', _, _, _, _, _, Octets}}, codec:decode_error(len(6, Octets), 'M'))
            end
         || Octets <- [
                <<16#c3, 16#28>>,
                <<16#ed, 16#a0, 16#80>>,
                <<16#e4, 16#bd>>,
                <<16#c0, 16#80>>,
                <<16#f4, 16#90, 16#80, 16#80>>,
                <<255>>,
                <<"a long text before it, longer than a word or two", 255>>
            ]
        ]
    end).

the_place_is_named_test() ->
    proto_texts:load(text()),
    ?assertError(
        {decode_error, #{reason := invalid_utf8, path := "M.m.value", offset := 6, message := 'M'}},
        codec:decode([len(1, "ok"), len(3, len(2, [255]))], 'M')
    ).

what_is_not_utf8_is_not_written_test_() ->
    under_all_options(fun() ->
        [
            begin
                ?assertEqual(
                    {bad_unicode_string, String, "M.s"},
                    codec:type_error({'M', String, [], [], undefined, undefined, <<>>})
                ),
                ?assertEqual(
                    {bad_unicode_string, String, "M.m.key"},
                    codec:type_error({'M', <<>>, [], [{String, <<>>}], undefined, undefined, <<>>})
                )
            end
         || String <- [<<255>>, <<16#c3>>, [<<16#c3>>, <<$a>>]]
        ]
    end).

lists_are_octets_unless_they_are_text_test() ->
    proto_texts:load(text()),
    Record = fun(String) -> {'M', String, [], [], undefined, undefined, <<>>} end,
    ?assertEqual({bad_unicode_string, [233], "M.s"}, codec:type_error(Record([233]))),
    ?assertEqual(hex("0a 02 c3 a9"), codec:encode(Record([16#c3, 16#a9]))),
    codec:options(false, true),
    ?assertEqual(hex("0a 02 c3 a9"), codec:encode(Record([233]))).

text_goes_both_ways_test_() ->
    under_all_options(fun() ->
        Text = <<"日本語, é, "/utf8, 16#10ffff/utf8>>,
        Entry = [len(1, Text), len(2, "")],
        Wire = iolist_to_binary([len(1, Text), len(2, Text), len(2, ""), len(3, Entry), len(4, Text)]),
        ?assertEqual(Wire, codec:encode(codec:decode(Wire, 'M')))
    end).

strings_of_proto2_are_octets_test() ->
    proto_texts:load("message M { optional string s = 1; }"),
    ?assertEqual({hex("0a 01 ff"), {'M', <<255>>}}, codec:roundtrip({'M', <<255>>})).

gpbs_form_does_not_say_it_test() ->
    codec:load(proto_texts:defs(text())),
    ?assertMatch({'M', <<255>>, _, _, _, _, _}, codec:decode(len(1, [255]), 'M')).

definitions_can_say_it_test() ->
    Options = [{[features, utf8_validation], 'VERIFY'}],
    codec:load([{{msg, 'M'}, [{field, s, 1, 2, string, optional, Options}]}]),
    ?assertEqual({decode_error, invalid_utf8}, codec:decode_error(len(1, [255]), 'M')).
