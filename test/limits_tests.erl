%% {max_depth, N} and {max_size, Bytes}: each at its edge and one beyond, and what is said beyond.
-module(limits_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [len/2, group/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {x, 1, int32}, {m, 2, {msg, 'M'}}, {r, 3, {msg, 'M'}, repeated}, {f, 4, {map, int32, {msg, 'M'}}}
        ]}
    ]).

limits_test_() ->
    {foreach, fun() -> codec:load(defs()) end, fun(_) -> unlimited() end, [
        {"depth", fun depth/0},
        {"depth of each kind of nesting", fun kinds/0},
        {"size", fun size/0},
        {"size of a large input", fun large/0},
        {"numbers beyond what can be counted", fun without_effect/0},
        {"the last mention counts", fun last/0},
        {"what is wrong changes nothing", fun wrong/0},
        {"encoding has no limits", fun encoding/0},
        {"sentences", fun sentences/0}
    ]}.

unlimited() ->
    ok = enif_protobuf:set_opts([{max_depth, infinity}, {max_size, infinity}]).

set(Limit) -> ok = enif_protobuf:set_opts([Limit]).

nested(0) -> <<8, 1>>;
nested(N) -> iolist_to_binary(len(2, nested(N - 1))).

refused(Wire) ->
    try
        enif_protobuf:decode(iolist_to_binary(Wire), 'M'),
        none
    catch
        error:{decode_error, #{reason := Reason, path := Path, offset := Offset, message := 'M'}} ->
            {Reason, Path, Offset}
    end.

depth() ->
    [
        begin
            set({max_depth, N}),
            ?assertEqual(none, refused(nested(N))),
            ?assertMatch({{max_depth, N}, _, _}, refused(nested(N + 1)))
        end
     || N <- [0, 1, 2, 30, 100, 10000]
    ],
    set({max_depth, 2}),
    ?assertEqual({{max_depth, 2}, "M.m.m.m", 4}, refused(nested(3))),
    set({max_depth, infinity}),
    ?assertEqual(none, refused(nested(20000))).

kinds() ->
    set({max_depth, 1}),
    [?assertEqual(none, refused(len(N, []))) || N <- [2, 3, 4]],
    ?assertEqual(none, refused(group(9, []))),
    %% The value of a map entry lies in the entry.
    ?assertMatch({{max_depth, 1}, "M.f.value", 2}, refused(len(4, len(2, [])))),
    ?assertMatch({{max_depth, 1}, _, _}, refused(group(9, group(9, [])))),
    ?assertMatch({{max_depth, 1}, _, _}, refused(len(3, len(3, [])))),
    ?assertEqual(none, refused([len(3, []), len(3, <<8, 1>>), len(2, []), len(2, []), group(9, [])])).

size() ->
    Wire = binary:copy(<<8, 1>>, 500),
    set({max_size, 1000}),
    ?assertEqual(none, refused(Wire)),
    ?assertEqual({{max_size, 1000}, "M", 0}, refused([Wire, 0])),
    set({max_size, 0}),
    ?assertEqual(none, refused([])),
    ?assertEqual({{max_size, 0}, "M", 0}, refused([0])).

large() ->
    Wire = binary:copy(<<8, 1>>, 500000),
    set({max_size, 999999}),
    ?assertEqual({{max_size, 999999}, "M", 0}, refused(Wire)),
    set({max_size, 1000000}),
    ?assertEqual(none, refused(Wire)).

without_effect() ->
    Deep = nested(1000),
    [
        begin
            set({Limit, Value}),
            ?assertEqual(none, refused(Deep))
        end
     || Limit <- [max_depth, max_size], Value <- [1 bsl 31, 1 bsl 32, 1 bsl 32 + 1, 1 bsl 63, 1 bsl 64 - 1]
    ].

last() ->
    ok = enif_protobuf:set_opts([{max_size, 1}, {max_depth, 5}, {max_size, 2}, {max_depth, 0}]),
    ?assertMatch({{max_size, 2}, _, _}, refused(<<8, 1, 8>>)),
    ?assertMatch({{max_depth, 0}, _, _}, refused(<<18, 0>>)).

wrong() ->
    set({max_depth, 3}),
    [
        ?assertError(badarg, enif_protobuf:set_opts([{max_depth, 9}, Wrong]))
     || Wrong <- [
            {max_depth, -1}, {max_depth, 1.0}, {max_depth, none}, {max_size, -1}, {max_size, 1 bsl 64}, {max_size, <<>>}
        ]
    ],
    ?assertMatch({{max_depth, 3}, _, _}, refused(nested(4))).

encoding() ->
    ok = enif_protobuf:set_opts([{max_depth, 0}, {max_size, 0}]),
    ?assertEqual(<<18, 2, 8, 1>>, enif_protobuf:encode({'M', 0, {'M', 1, undefined, [], []}, [], []})).

sentences() ->
    ok = enif_protobuf:set_opts([{max_depth, 1}, {max_size, 10}]),
    [
        ?assertEqual(Sentence, sentence(Wire))
     || {Wire, Sentence} <- [
            {<<18, 2, 18, 0>>,
                "M.m.m, in the field at byte 2: messages are nested deeper than {max_depth, 1} allows"},
            {binary:copy(<<8, 1>>, 6), "M: there are more bytes than {max_size, 10} allows"}
        ]
    ].

sentence(Wire) ->
    try
        enif_protobuf:decode(Wire, 'M')
    catch
        error:Reason:Stack ->
            [Sentence] = maps:values(enif_protobuf:format_error(Reason, Stack)),
            unicode:characters_to_list(Sentence)
    end.
