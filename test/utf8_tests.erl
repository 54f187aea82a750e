%% Strings: octets by default, UTF-8 with with_utf8, as binaries and as lists.
-module(utf8_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [{s, 1, string}, {y, 2, int32}]},
        {msg, 'C', [
            {r, 1, string, repeated},
            {m, 2, {map, string, string}},
            {oneof, o, [{t, 3, string}]},
            {b, 4, bytes}
        ]}
    ]).

with(StringAsList, WithUtf8, Title, Fun) ->
    {Title, fun() ->
        codec:load(defs()),
        codec:options(StringAsList, WithUtf8),
        Fun()
    end}.

encodes(WithUtf8, Title, String, Octets) ->
    with(false, WithUtf8, Title, fun() ->
        ?assertEqual(len(1, Octets), codec:encode({'M', String, 0}))
    end).

%% Default options: the octets as they are.
octets_test_() ->
    [
        encodes(false, Title, String, Octets)
     || {Title, String, Octets} <- [
            {"a binary", <<"abc">>, "abc"},
            {"a list of bytes", "abc", "abc"},
            {"a byte above 127 stays one octet", [233], [233]},
            {"octets that are UTF-8 stay so", <<"你好"/utf8>>, <<"你好"/utf8>>},
            {"octets that are not UTF-8", <<255, 254, 0>>, [255, 254, 0]},
            {"nested lists and binaries", [$a, [<<"bc">>, [], [200 | <<"d">>]], "e"], [$a, "bc", 200, "de"]},
            {"zero", [0, $a, 0], [0, $a, 0]}
        ]
    ].

%% with_utf8: code points to UTF-8, and binaries that already are.
code_points_test_() ->
    [
        encodes(true, Title, String, Octets)
     || {Title, String, Octets} <- [
            {"ascii", "abc", "abc"},
            {"a code point of two octets", [233], [16#c3, 16#a9]},
            {"a character spread over two binaries", [$a, [<<16#c3>>], <<16#a9>> | <<"b">>], [$a, 16#c3, 16#a9, $b]},
            {"code points of three octets", [20320, 22909], hex("e4 bd a0 e5 a5 bd")},
            {"U+007F", [16#7f], hex("7f")},
            {"U+0080", [16#80], hex("c2 80")},
            {"U+07FF", [16#7ff], hex("df bf")},
            {"U+0800", [16#800], hex("e0 a0 80")},
            {"U+D7FF", [16#d7ff], hex("ed 9f bf")},
            {"U+E000", [16#e000], hex("ee 80 80")},
            {"U+FFFE", [16#fffe], hex("ef bf be")},
            {"U+FFFF", [16#ffff], hex("ef bf bf")},
            {"U+10000", [16#10000], hex("f0 90 80 80")},
            {"U+10FFFF", [16#10ffff], hex("f4 8f bf bf")},
            {"a binary that is UTF-8", <<"你好"/utf8>>, hex("e4 bd a0 e5 a5 bd")},
            {"nested lists of both", [$a, [20320, <<"é"/utf8>>, [[]], [22909 | <<"z">>]]],
                hex("61 e4 bd a0 c3 a9 e5 a5 bd 7a")}
        ]
    ].

refused_test_() ->
    [
        with(false, Utf8, lists:flatten(io_lib:format("~0p with_utf8 ~p", [String, Utf8])), fun() ->
            ?assertEqual({bad_unicode_string, String, "M.s"}, codec:type_error({'M', String, 0})),
            [
                ?assertEqual({bad_unicode_string, String, Path}, codec:type_error(Record))
             || {Path, Record} <- [
                    {"C.r", {'C', [<<"x">>, String], [], undefined, <<>>}},
                    {"C.o.t", {'C', [], [], {t, String}, <<>>}},
                    {"C.m.key", {'C', [], [{String, ""}], undefined, <<>>}},
                    {"C.m.value", {'C', [], [{"", String}], undefined, <<>>}}
                ]
            ]
        end)
     || {Utf8s, Strings} <- [
            {[false, true], [
                a,
                1,
                1.5,
                {a},
                #{},
                [a],
                [1.5],
                [-1],
                ["a", {b}],
                [$a | $b],
                [$a | b],
                [[$a | $b], $c],
                <<1:1>>,
                [<<1:1>>],
                [$a, <<1:9>>],
                [16#110000],
                [1 bsl 64],
                [-(1 bsl 64)],
                [$a, 1 bsl 100]
            ]},
            {[false], [[256], [20320, 22909], [$a, [16#ffff]], [16#d800]]},
            {[true], [
                [16#d800],
                [16#dfff],
                [$a, 16#dbff, 16#dc00],
                <<255>>,
                <<16#c3>>,
                <<16#e4, 16#bd>>,
                <<16#c3, 16#28>>,
                <<16#ed, 16#a0, 16#80>>,
                <<16#c0, 16#80>>,
                <<16#c1, 16#bf>>,
                <<16#e0, 16#80, 16#80>>,
                <<16#f0, 16#80, 16#80, 16#80>>,
                <<16#f4, 16#90, 16#80, 16#80>>,
                <<16#f5, 16#80, 16#80, 16#80>>,
                <<16#80>>,
                [<<"ok">>, <<16#ff>>],
                [<<16#c3>>, $a],
                [<<16#c3>>, 16#a9],
                [<<16#c3>>, <<$a>>],
                [<<16#c3>>, [], <<>>],
                [$a, <<16#e4, 16#bd>> | <<"x">>]
            ]}
        ],
        Utf8 <- Utf8s,
        String <- Strings
    ].

decoding_as_binaries_test_() ->
    [
        with(false, Utf8, lists:flatten(io_lib:format("~0p with_utf8 ~p", [Octets, Utf8])), fun() ->
            ?assertEqual({'M', Octets, 7}, codec:decode([len(1, Octets), hex("10 07")], 'M'))
        end)
     || {Octets, Utf8s} <- [{O, [false, true]} || O <- utf8()] ++ [{O, [false]} || O <- not_utf8()], Utf8 <- Utf8s
    ].

utf8() ->
    [<<"abc">>, <<"你好"/utf8>>, <<>>, <<0>>, <<16#10ffff/utf8>>].

not_utf8() ->
    [
        <<16#c3, 16#28>>,
        <<16#ed, 16#a0, 16#80>>,
        <<16#ed, 16#bf, 16#bf>>,
        <<16#e4>>,
        <<16#e4, 16#bd>>,
        <<16#f0, 16#9f, 16#98>>,
        <<16#80>>,
        <<16#c0, 16#80>>,
        <<16#e0, 16#9f, 16#bf>>,
        <<16#f0, 16#8f, 16#bf, 16#bf>>,
        <<16#f4, 16#90, 16#80, 16#80>>,
        <<16#f8, 16#88, 16#80, 16#80, 16#80>>,
        <<255>>,
        <<"a long text before it, longer than a word or two", 255>>,
        <<255, "and one behind it, longer than a word or two">>,
        <<"one in the middle of", 16#e4, 16#bd, "of a longer text that goes on">>
    ].

%% Lists without with_utf8 are the octets.
decoding_as_octets_test_() ->
    [
        with(true, false, lists:flatten(io_lib:format("~0p", [Octets])), fun() ->
            ?assertEqual({'M', binary_to_list(Octets), 7}, codec:decode([len(1, Octets), hex("10 07")], 'M'))
        end)
     || Octets <- utf8() ++ not_utf8()
    ].

%% Lists with with_utf8 are code points; what is not UTF-8 is an error, and the next field's bytes do not mend it.
decoding_as_code_points_test_() ->
    [
        with(true, true, lists:flatten(io_lib:format("~0p", [String])), fun() ->
            Octets = unicode:characters_to_binary(String),
            ?assertEqual({'M', String, 7}, codec:decode([len(1, Octets), hex("10 07")], 'M'))
        end)
     || String <- [
            "",
            "abc",
            [233],
            [20320, 22909],
            [16#7f, 16#80, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#ffff, 16#10000, 16#10ffff],
            [0],
            lists:seq(1, 16#d7ff, 7)
        ]
    ] ++
        [
            with(true, true, lists:flatten(io_lib:format("~0p is refused", [Octets])), fun() ->
                ?assertMatch({decode_error, _}, codec:decode_error([len(1, Octets), hex("10 07")], 'M')),
                ?assertMatch({decode_error, _}, codec:decode_error([len(1, Octets), len(1, <<128, 128>>)], 'M')),
                ?assertMatch({decode_error, _}, codec:decode_error([len(1, "x"), len(3, Octets)], 'C')),
                ?assertMatch({decode_error, _}, codec:decode_error(len(2, len(1, Octets)), 'C')),
                ?assertMatch({decode_error, _}, codec:decode_error(len(2, len(2, Octets)), 'C'))
            end)
         || Octets <- not_utf8()
        ].

%% Bytes fields have nothing to do with it.
bytes_are_octets_test_() ->
    [
        with(AsList, Utf8, lists:concat([AsList, " ", Utf8]), fun() ->
            [
                ?assertEqual(
                    {iolist_to_binary(len(4, Octets)), {'C', [], [], undefined, iolist_to_binary(Octets)}},
                    codec:roundtrip({'C', [], [], undefined, Octets})
                )
             || Octets <- [<<255>>, [200, [<<201>>] | <<202>>], "abc"]
            ]
        end)
     || AsList <- [false, true], Utf8 <- [false, true]
    ].

%% Every code point, in one string.
all_code_points_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        codec:options(true, true),
        All = lists:seq(0, 16#d7ff) ++ lists:seq(16#e000, 16#10ffff),
        Octets = unicode:characters_to_binary(All),
        Wire = codec:encode({'M', All, 0}),
        ?assert(len(1, Octets) =:= Wire),
        ?assert({'M', All, 0} =:= codec:decode(Wire, 'M')),
        ?assert(Wire =:= codec:encode({'M', Octets, 0}))
    end}.

%% Long lists of code points: lengths at which buffers grow, and one of a million.
long_code_point_lists_test_() ->
    [
        {lists:concat([Length]), {timeout, 60, fun() ->
            codec:load(defs()),
            codec:options(false, true),
            String = [20320 + I rem 1000 || I <- lists:seq(1, Length)],
            Octets = unicode:characters_to_binary(String),
            ?assert(<<(len(1, Octets))/binary, 16, 5>> =:= codec:encode({'M', String, 5})),
            Several = iolist_to_binary([len(1, "a"), len(1, Octets), len(2, [len(1, Octets), len(2, Octets)])]),
            ?assert(Several =:= codec:encode({'C', [<<"a">>, String], [{String, String}], undefined, <<>>})),
            codec:options(true, true),
            ?assert({'M', String, 0} =:= codec:decode(len(1, Octets), 'M'))
        end}}
     || Length <- [1, 41, 42, 43, 127, 128, 341, 342, 682, 683, 1365, 1366, 4096, 5461, 5462, 65536, 1000000]
    ].

md5_of_a_million_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        codec:options(false, true),
        Wire = codec:encode({'M', lists:duplicate(1000000, 20320), 0}),
        ?assertEqual(3000005, byte_size(Wire)),
        ?assertEqual(erlang:md5(len(1, binary:copy(<<"你"/utf8>>, 1000000))), erlang:md5(Wire))
    end}.
