%% What is absent: with and without presence, defaults, required fields.
-module(presence_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

types() ->
    [
        {x, 1, int32},
        {s, 2, string},
        {b, 3, bool},
        {f, 4, float},
        {by, 5, bytes},
        {e, 6, {enum, 'E'}},
        {m, 7, {msg, 'S'}}
    ].

rest() -> [{msg, 'S', [{a, 1, int32}]}, {enum, 'E', [{'FIRST', 0}, {'SECOND', 1}]}].

with(Occurrence) -> [{Name, Number, Type, Occurrence} || {Name, Number, Type} <- types()].

all_undefined() -> {'M', undefined, undefined, undefined, undefined, undefined, undefined, undefined}.

zeros() -> {'M', 0, <<>>, false, 0.0, <<>>, 'FIRST', undefined}.

zero_bytes() ->
    hex("08 00 12 00 18 00 25 00 00 00 00 2a 00 30 00").

without_presence_test() ->
    codec:load(schema_terms:proto3([{msg, 'M', types()} | rest()])),
    ?assertEqual(zeros(), codec:decode(<<>>, 'M')),
    ?assertEqual(<<>>, codec:encode(zeros())),
    ?assertEqual(<<>>, codec:encode(all_undefined())),
    %% Written defaults are read, and not written again.
    ?assertEqual(zeros(), codec:decode(zero_bytes(), 'M')),
    ?assertEqual(<<>>, codec:encode({'M', 0, [], 0, 0, [], 0, undefined})),
    ?assertEqual(<<>>, codec:encode({'M', 0, [[], <<>>], 0, 0, [[<<>>]], 0, undefined})),
    %% A message field has presence all the same.
    ?assertEqual(hex("3a 00"), codec:encode(setelement(8, zeros(), {'S', 0}))),
    ?assertEqual(setelement(8, zeros(), {'S', 0}), codec:decode(hex("3a 00"), 'M')).

without_presence_as_lists_test() ->
    codec:load(schema_terms:proto3([{msg, 'M', types()} | rest()])),
    [
        begin
            codec:options(true, Utf8),
            ?assertEqual(setelement(3, zeros(), []), codec:decode(<<>>, 'M')),
            ?assertEqual(setelement(3, zeros(), []), codec:decode(hex("12 00"), 'M'))
        end
     || Utf8 <- [false, true]
    ],
    codec:options(false, true),
    ?assertEqual(zeros(), codec:decode(<<>>, 'M')).

with_presence_test_() ->
    [
        {Title, fun() ->
            codec:load(Defs),
            ?assertEqual(all_undefined(), codec:decode(<<>>, 'M')),
            ?assertEqual(<<>>, codec:encode(all_undefined())),
            ?assertEqual({zero_bytes(), zeros()}, codec:roundtrip(zeros()))
        end}
     || {Title, Defs} <- [
            {"proto2 optional", schema_terms:proto2([{msg, 'M', types()} | rest()])},
            {"proto3 optional", schema_terms:proto3([{msg, 'M', with(optional)} | rest()])},
            {"nothing says which syntax", schema_terms:version1([{msg, 'M', types()} | rest()])}
        ]
    ].

proto3_optional_beside_others_test() ->
    codec:load(
        schema_terms:proto3([{msg, 'M', [{x, 1, int32, optional}, {y, 2, int32}, {s, 3, string, optional}]}])
    ),
    ?assertEqual({'M', undefined, 0, undefined}, codec:decode(<<>>, 'M')),
    ?assertEqual({hex("08 00 1a 00"), {'M', 0, 0, <<>>}}, codec:roundtrip({'M', 0, 0, <<>>})).

%% A default of proto2 is not put into the record, as in gpb; and a value that is the default is written.
proto2_defaults_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [{x, 1, int32, optional, [{default, 5}]}, {s, 2, string, optional, [{default, "hi"}]}]}
        ])
    ),
    ?assertEqual({'M', undefined, undefined}, codec:decode(<<>>, 'M')),
    ?assertEqual({hex("08 05 12 02 68 69"), {'M', 5, <<"hi">>}}, codec:roundtrip({'M', 5, <<"hi">>})).

required_fields_are_undefined_when_absent_test() ->
    codec:load(schema_terms:proto2([{msg, 'M', with(required)} | rest()])),
    ?assertEqual(all_undefined(), codec:decode(<<>>, 'M')),
    ?assertEqual(setelement(2, all_undefined(), 7), codec:decode(int(1, 7), 'M')),
    ?assertEqual(zeros(), codec:decode(zero_bytes(), 'M')).

required_fields_must_be_there_to_encode_test_() ->
    Full = setelement(8, zeros(), {'S', undefined}),
    {setup, fun() -> codec:load(schema_terms:proto2([{msg, 'M', with(required)} | rest()])) end, [
        {Path, fun() ->
            ?assertEqual({What, undefined, Path}, codec:type_error(setelement(Position, Full, undefined)))
        end}
     || {Position, What, Path} <- [
            {2, {bad_integer, int32, signed, 32}, "M.x"},
            {3, bad_unicode_string, "M.s"},
            {4, bad_boolean_value, "M.b"},
            {5, bad_float_value, "M.f"},
            {6, bad_binary_value, "M.by"},
            {7, {invalid_enum, 'E'}, "M.e"},
            {8, {expected_msg, 'S'}, "M.m"}
        ]
    ]}.

required_fields_in_an_optional_message_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [
                {i, 1, uint32, repeated},
                {b, 2, bool, required},
                {e, 3, {enum, 'E'}, required},
                {sub, 4, {msg, 'S'}}
            ]},
            {enum, 'E', [{v1, 0}, {v2, 1}]},
            {msg, 'S', [{i, 1, int32, required}, {j, 2, int32, required}]}
        ])
    ),
    Record = {'M', [4, 5], true, v2, {'S', 1, 2}},
    ?assertEqual({hex("08 04 08 05 10 01 18 01 22 04 08 01 10 02"), Record}, codec:roundtrip(Record)),
    ?assertEqual(hex("10 01 18 01"), codec:encode({'M', [], true, v2, undefined})),
    ?assertEqual({'M', [], true, v2, {'S', undefined, 2}}, codec:decode(hex("10 01 18 01 22 02 10 02"), 'M')).

repeated_sub_messages_test() ->
    codec:load(
        schema_terms:proto3([
            {msg, 'P', [{seq, 1, int32}, {payload, 2, bytes}]},
            {msg, 'S', [{seen, 1, int32}, {ack, 2, int32}, {ps, 3, {msg, 'P'}, repeated}]}
        ])
    ),
    Record = {'S', 1, 2, [{'P', 1, <<"aa">>}, {'P', 2, <<"bb">>}]},
    ?assertEqual(
        {hex("08 01 10 02 1a 06 08 01 12 02 61 61 1a 06 08 02 12 02 62 62"), Record},
        codec:roundtrip(Record)
    ),
    ?assertEqual(hex("1a 00 1a 00"), codec:encode({'S', 0, 0, [{'P', 0, <<>>}, {'P', 0, <<>>}]})).

%% Written in the order of the record, which need not be that of the numbers.
order_of_the_record_test() ->
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [{c, 3, int32}, {a, 1, int32}, {oneof, o, [{z, 9, int32}, {y, 4, int32}]}, {b, 2, int32}]}
        ])
    ),
    ?assertEqual(
        {iolist_to_binary([int(3, 3), int(1, 1), int(4, 4), int(2, 2)]), {'M', 3, 1, {y, 4}, 2}},
        codec:roundtrip({'M', 3, 1, {y, 4}, 2})
    ).
