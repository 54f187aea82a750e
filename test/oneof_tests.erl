%% Oneofs: presence, defaults, shape; merging is in merge_tests.
-module(oneof_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {a, 1, int32},
            {oneof, c, [
                {n, 2, int32},
                {s, 3, string},
                {b, 4, bool},
                {e, 5, {enum, 'E'}},
                {m, 6, {msg, 'M'}},
                {d, 7, double},
                {by, 8, bytes}
            ]},
            {oneof, other, [{x, 9, int32}, {'Camel', 10, int32}]}
        ]},
        {enum, 'E', [{'Z', 0}, {'B', 1}]}
    ]).

%% Also a member that holds its type's default is written.
roundtrip_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [Member])), fun() ->
            Record = {'M', 0, Member, undefined},
            ?assertEqual({hex(Wire), Record}, codec:roundtrip(Record))
        end}
     || {Member, Wire} <- [
            {undefined, ""},
            {{n, 0}, "10 00"},
            {{n, 7}, "10 07"},
            {{s, <<>>}, "1a 00"},
            {{s, <<"a">>}, "1a 01 61"},
            {{b, false}, "20 00"},
            {{b, true}, "20 01"},
            {{e, 'Z'}, "28 00"},
            {{e, 'B'}, "28 01"},
            {{e, 9}, "28 09"},
            {{m, {'M', 0, undefined, undefined}}, "32 00"},
            {{m, {'M', 1, {n, 0}, {x, 0}}}, "32 06 08 01 10 00 48 00"},
            {{d, 0.5}, "39 00 00 00 00 00 00 e0 3f"},
            {{by, <<>>}, "42 00"}
        ]
    ]}.

two_oneofs_test() ->
    codec:load(defs()),
    Record = {'M', 5, {n, 0}, {'Camel', 0}},
    ?assertEqual({hex("08 05 10 00 50 00"), Record}, codec:roundtrip(Record)),
    ?assertEqual(Record, codec:decode([int(9, 3), int(10, 0), int(3, 1), len(3, "a"), int(2, 0), int(1, 5)], 'M')).

last_member_stays_test() ->
    codec:load(defs()),
    Members = [
        {int(2, 1), {n, 1}},
        {len(3, "s"), {s, <<"s">>}},
        {int(4, 1), {b, true}},
        {len(6, []), {m, {'M', 0, undefined, undefined}}}
    ],
    [
        ?assertEqual({'M', 0, Last, undefined}, codec:decode([First, Middle, Wire], 'M'))
     || {First, _} <- Members, {Middle, _} <- Members, {Wire, Last} <- Members, Middle =/= Wire
    ].

%% A member's number with another wire type is unknown, and leaves the member that is there.
other_wire_type_leaves_it_test() ->
    codec:load(defs()),
    ?assertEqual({'M', 0, {n, 7}, undefined}, codec:decode([int(2, 7), len(2, "x"), int(3, 1), int(6, 1)], 'M')).

strings_as_lists_test() ->
    codec:load(defs()),
    codec:options(true, true),
    ?assertEqual({'M', 0, {s, [20320]}, undefined}, codec:decode(len(3, <<"你"/utf8>>), 'M')),
    ?assertEqual({'M', 0, {s, []}, undefined}, codec:decode(len(3, []), 'M')),
    ?assertEqual({'M', 0, {by, <<>>}, undefined}, codec:decode(len(8, []), 'M')).

refused_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [Member])), fun() ->
            ?assertEqual({What, Value, Path}, codec:type_error({'M', 0, Member, undefined}))
        end}
     || {Member, What, Value, Path} <-
            [{Odd, invalid_oneof, Odd, "M.c"} || Odd <- no_members()] ++
                [
                    {{n, undefined}, {bad_integer, int32, signed, 32}, undefined, "M.c.n"},
                    {{n, a}, {bad_integer, int32, signed, 32}, a, "M.c.n"},
                    {{n, 1 bsl 31}, {value_out_of_range, int32, signed, 32}, 1 bsl 31, "M.c.n"},
                    {{s, undefined}, bad_unicode_string, undefined, "M.c.s"},
                    {{b, undefined}, bad_boolean_value, undefined, "M.c.b"},
                    {{e, undefined}, {invalid_enum, 'E'}, undefined, "M.c.e"},
                    {{d, undefined}, bad_double_value, undefined, "M.c.d"},
                    {{by, undefined}, bad_binary_value, undefined, "M.c.by"},
                    {{m, undefined}, {expected_msg, 'M'}, undefined, "M.c.m"},
                    {{m, {'N', 1}}, {expected_msg, 'M'}, {'N', 1}, "M.c.m"},
                    {{m, {'M', 0, {n, a}, undefined}}, {bad_integer, int32, signed, 32}, a, "M.c.m.c.n"},
                    {{m, {'M', a, undefined, undefined}}, {bad_integer, int32, signed, 32}, a, "M.c.m.a"}
                ]
    ]}.

no_members() ->
    [a, 1, <<>>, [], {}, {n}, {n, 1, 2}, {nope, 1}, {1, 1}, {<<"n">>, 1}, [n | 1], {x, 1}, {undefined, 1}].

%% Members of a oneof beside others of the same name, and a oneof that holds one member.
names_are_the_oneofs_own_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [{oneof, a, [{x, 1, int32}]}, {oneof, b, [{y, 2, string}]}, {oneof, c, [{z, 3, {msg, 'M'}}]}]}
        ])
    ),
    Record = {'M', {x, 0}, {y, <<"s">>}, {z, {'M', undefined, undefined, undefined}}},
    ?assertEqual({hex("08 00 12 01 73 1a 00"), Record}, codec:roundtrip(Record)),
    ?assertEqual({invalid_oneof, {y, <<"s">>}, "M.a"}, codec:type_error({'M', {y, <<"s">>}, undefined, undefined})).

%% A oneof with many members.
many_members_test() ->
    Members = [{list_to_atom("m" ++ integer_to_list(I)), I, int32} || I <- lists:seq(1, 200)],
    codec:load(schema_terms:proto3([{msg, 'M', [{oneof, o, Members}]}])),
    [?assertEqual({int(I, I), {'M', {Name, I}}}, codec:roundtrip({'M', {Name, I}})) || {Name, I, _} <- Members].

%% The last of very many members takes about as long to write as the first. (Looked for one by one it took some hundred
%% times as long.)
last_of_many_members_test() ->
    Members = [{list_to_atom("m" ++ integer_to_list(I)), I, int32} || I <- lists:seq(1, 20000)],
    codec:load(schema_terms:proto3([{msg, 'R', [{r, 1, {msg, 'M'}, repeated}]}, {msg, 'M', [{oneof, o, Members}]}])),
    Time = fun({Name, _, _}) ->
        Record = {'R', lists:duplicate(1000, {'M', {Name, 1}})},
        %% The best of some tries, in which a busy machine shows least.
        lists:min([element(1, timer:tc(enif_protobuf, encode, [Record])) || _ <- lists:seq(1, 10)])
    end,
    {First, Last} = {Time(hd(Members)), Time(lists:last(Members))},
    ?assert(Last < 10 * First + 100).
