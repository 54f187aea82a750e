%% Fields that come more than once: messages merge, scalars take the last, lists grow.
-module(merge_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, group/2]).

defs() ->
    Part = [{a, 1, int32}, {b, 2, int32}, {r, 3, int32, repeated}, {s, 4, {msg, 'S'}}, {m, 5, {map, int32, int32}}],
    schema_terms:proto2([
        {msg, 'M', [
            {s, 1, {msg, 'S'}},
            {oneof, c, [{os, 2, {msg, 'S'}}, {ot, 3, {msg, 'T'}}, {n, 4, int32}, {text, 5, string}]},
            {x, 6, int32},
            {t, 7, string},
            {rs, 8, {msg, 'S'}, repeated},
            {g, 9, {group, 'M.G'}}
        ]},
        {msg, 'S', Part},
        {msg, 'T', Part},
        {group, 'M.G', [{a, 1, int32}, {h, 2, {group, 'M.G.H'}, repeated}, {s, 3, {msg, 'S'}}]},
        {group, 'M.G.H', [{b, 4, int32}]}
    ]).

m(Changes) -> change({'M', undefined, undefined, undefined, undefined, [], undefined}, Changes).

s(Changes) -> change({'S', undefined, undefined, [], undefined, []}, Changes).

change(Record, Changes) ->
    lists:foldl(fun({Position, Value}, Acc) -> setelement(Position, Acc, Value) end, Record, Changes).

merge_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() -> ?assertEqual(Record, codec:decode(Wire, 'M')) end}
     || {Title, Wire, Record} <- cases()
    ]}.

cases() ->
    [
        {"a message seen twice is merged", hex("0a 04 08 0a 18 01 0a 04 10 0b 18 02"),
            m([{2, s([{2, 10}, {3, 11}, {4, [1, 2]}])}])},
        {"a message seen three times", [len(1, int(1, 1)), len(1, int(2, 2)), len(1, int(1, 3))],
            m([{2, s([{2, 3}, {3, 2}])}])},
        {"a message with another field between", [len(1, int(1, 1)), int(6, 9), len(1, int(2, 2))],
            m([{2, s([{2, 1}, {3, 2}])}, {4, 9}])},
        {"an empty second part changes nothing", [len(1, [int(1, 1), int(3, 5)]), len(1, [])],
            m([{2, s([{2, 1}, {4, [5]}])}])},
        {"an empty first part", [len(1, []), len(1, [int(1, 1), int(3, 5)])], m([{2, s([{2, 1}, {4, [5]}])}])},
        {"messages inside merge too", [len(1, len(4, [int(1, 1), int(3, 1)])), len(1, len(4, [int(2, 2), int(3, 2)]))],
            m([{2, s([{5, s([{2, 1}, {3, 2}, {4, [1, 2]}])}])}])},
        {"maps inside merge, the last value of a key stays",
            [len(1, len(5, [int(1, 1), int(2, 1)])), len(1, len(5, [int(1, 1), int(2, 2)]))],
            m([{2, s([{6, [{1, 2}]}])}])},
        {"a repeated list keeps its order over many parts", [len(1, int(3, I)) || I <- lists:seq(1, 100)],
            m([{2, s([{4, lists:seq(1, 100)}])}])},
        {"packed and not packed parts", [len(1, len(3, [1, 2])), len(1, int(3, 3)), len(1, len(3, [4, 5]))],
            m([{2, s([{4, [1, 2, 3, 4, 5]}])}])},
        {"repeated messages do not merge", [len(8, int(1, 1)), len(8, int(2, 2))],
            m([{6, [s([{2, 1}]), s([{3, 2}])]}])},
        {"a scalar takes the last value", [int(6, 1), int(6, 2), int(6, 3)], m([{4, 3}])},
        {"a string takes the last value", [len(7, "a"), len(7, "")], m([{5, <<>>}])},
        {"two encoded messages in a row", [len(7, "a"), int(6, 1), len(8, []), len(7, "b"), len(8, int(1, 1))],
            m([{4, 1}, {5, <<"b">>}, {6, [s([]), s([{2, 1}])]}])},
        {"the same oneof message twice merges", hex("12 06 08 0a 18 01 18 02 12 04 10 0b 18 03"),
            m([{3, {os, s([{2, 10}, {3, 11}, {4, [1, 2, 3]}])}}])},
        {"another oneof member replaces", [len(2, int(1, 1)), int(4, 7)], m([{3, {n, 7}}])},
        {"the last oneof member stays", [int(4, 7), len(5, "x"), len(2, [])], m([{3, {os, s([])}}])},
        {"a message member does not merge over another member between",
            [len(2, [int(1, 1), int(3, 1)]), int(4, 7), len(2, int(2, 2))],
            m([{3, {os, s([{3, 2}])}}])},
        {"nor over another message member", [len(2, [int(1, 1)]), len(3, []), len(2, int(2, 2))],
            m([{3, {os, s([{3, 2}])}}])},
        {"a message member of another type", [len(2, [int(1, 1), int(3, 1)]), len(3, int(3, 2))],
            m([{3, {ot, {'T', undefined, undefined, [2], undefined, []}}}])},
        {"a oneof scalar twice", [int(4, 7), int(4, 8)], m([{3, {n, 8}}])},
        {"a group twice, with repeated groups inside",
            [group(9, [int(1, 1), group(2, int(4, 2))]), group(9, group(2, int(4, 3)))],
            m([{7, {'M.G', 1, [{'M.G.H', 2}, {'M.G.H', 3}], undefined}}])},
        {"a message inside a group that comes twice", [group(9, len(3, int(1, 1))), group(9, len(3, int(2, 2)))],
            m([{7, {'M.G', undefined, [], s([{2, 1}, {3, 2}])}}])}
    ].

%% Without presence, too, what the second part lacks stays as in the first.
proto3_merge_test() ->
    codec:load(
        schema_terms:proto3([
            {msg, 'M', [{s, 1, {msg, 'S'}}]},
            {msg, 'S', [{a, 1, int32}, {b, 2, string}, {c, 3, bool}, {d, 4, double}, {e, 5, {enum, 'E'}}]},
            {enum, 'E', [{'Z', 0}, {'B', 1}]}
        ])
    ),
    First = [int(1, 5), len(2, "x"), int(3, 1), wire_bytes:fixed64(4, 1), int(5, 1)],
    {'M', Expected} = codec:decode(len(1, First), 'M'),
    ?assertMatch({'S', 5, <<"x">>, true, _, 'B'}, Expected),
    ?assertEqual({'M', Expected}, codec:decode([len(1, First), len(1, [])], 'M')),
    ?assertEqual({'M', setelement(2, Expected, 6)}, codec:decode([len(1, First), len(1, int(1, 6))], 'M')),
    %% A default that is written does replace.
    ?assertEqual({'M', setelement(2, Expected, 0)}, codec:decode([len(1, First), len(1, int(1, 0))], 'M')),
    ?assertEqual({'M', setelement(3, Expected, <<>>)}, codec:decode([len(1, First), len(1, len(2, []))], 'M')).

%% Many parts take no more than linear time: a hundred thousand parts that would copy a growing list do not end in time.
many_parts_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        Count = 100000,
        Numbers = lists:seq(1, Count),
        ?assertEqual(m([{2, s([{4, Numbers}])}]), codec:decode([len(1, int(3, I)) || I <- Numbers], 'M')),
        ?assertEqual(m([{3, {os, s([{4, Numbers}])}}]), codec:decode([len(2, int(3, I)) || I <- Numbers], 'M'))
    end}.

%% In whatever order the fields come, repeated ones keep theirs.
fields_in_any_order_test() ->
    codec:load(defs()),
    Fields = [int(6, 1), len(7, "t"), len(1, int(1, 1)), int(4, 7), len(8, []), group(9, int(1, 1))],
    Record = m([{4, 1}, {5, <<"t">>}, {2, s([{2, 1}])}, {3, {n, 7}}, {6, [s([])]}, {7, {'M.G', 1, [], undefined}}]),
    ?assertEqual(Record, codec:decode(Fields, 'M')),
    ?assertEqual(Record, codec:decode(lists:reverse(Fields), 'M')),
    {Front, Back} = lists:split(3, Fields),
    ?assertEqual(Record, codec:decode(Back ++ Front, 'M')).
