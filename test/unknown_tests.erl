%% Unknown fields: skipped, or kept in '$unknowns' and written back.
-module(unknown_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, fixed32/2, fixed64/2, group/2]).

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {x, 1, int32},
            {m, 2, {msg, 'M'}},
            {r, 3, {msg, 'P'}, repeated},
            {g, 4, {group, 'M.G'}},
            unknown
        ]},
        {msg, 'P', [{y, 1, string}]},
        {msg, 'First', [unknown, {x, 1, int32}]},
        {group, 'M.G', [{a, 1, int32}, unknown]}
    ]).

m(X, Unknown) -> {'M', X, undefined, [], undefined, Unknown}.

kept_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() ->
            ?assertEqual(m(1, Kept), codec:decode([int(1, 1), Wire], 'M')),
            ?assertEqual(iolist_to_binary([int(1, 1), Wire]), codec:encode(m(1, Kept)))
        end}
     || {Title, Wire, Kept} <- [
            {"nothing", [], []},
            {"a varint", int(9, 5), [{varint, 9, 5}]},
            {"a varint of 2^63 and more is not negative", hex("48 ff ff ff ff ff ff ff ff ff 01"),
                [{varint, 9, 18446744073709551615}]},
            {"the varint 2^63", int(9, 1 bsl 63), [{varint, 9, 1 bsl 63}]},
            {"the varint 2^59", int(9, 1 bsl 59), [{varint, 9, 1 bsl 59}]},
            {"a fixed32", fixed32(9, 16#ffffffff), [{fixed32, 9, 4294967295}]},
            {"a fixed64", fixed64(9, 16#ffffffffffffffff), [{fixed64, 9, 18446744073709551615}]},
            {"bytes", len(9, [1, 2, 255]), [{length_delimited, 9, <<1, 2, 255>>}]},
            {"no bytes", len(9, []), [{length_delimited, 9, <<>>}]},
            {"many bytes", len(9, binary:copy(<<"x">>, 1000)), [{length_delimited, 9, binary:copy(<<"x">>, 1000)}]},
            {"an empty group", group(9, []), [{group, 9, []}]},
            {"a group with fields", group(9, [int(1, 1), len(1, "a"), int(1, 2)]),
                [{group, 9, [{varint, 1, 1}, {length_delimited, 1, <<"a">>}, {varint, 1, 2}]}]},
            {"groups in groups", group(9, [group(9, group(8, int(7, 6))), fixed32(1, 2)]),
                [{group, 9, [{group, 9, [{group, 8, [{varint, 7, 6}]}]}, {fixed32, 1, 2}]}]},
            {"the order of the wire", hex("50 02 50 03 48 04 55 01 00 00 00 50 05"),
                [{varint, 10, 2}, {varint, 10, 3}, {varint, 9, 4}, {fixed32, 10, 1}, {varint, 10, 5}]},
            {"the largest number", int(536870911, 1), [{varint, 536870911, 1}]}
        ]
    ]}.

kept_between_known_fields_test() ->
    codec:load(defs()),
    Wire = [int(9, 1), int(1, 5), int(10, 2), int(1, 6), int(9, 3)],
    Record = m(6, [{varint, 9, 1}, {varint, 10, 2}, {varint, 9, 3}]),
    ?assertEqual(Record, codec:decode(Wire, 'M')),
    ?assertEqual(iolist_to_binary([int(1, 6), int(9, 1), int(10, 2), int(9, 3)]), codec:encode(Record)).

kept_where_they_came_from_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([len(2, int(9, 1)), group(4, int(9, 2)), int(9, 3)]),
    Group = {'M.G', undefined, [{varint, 9, 2}]},
    Record = {'M', undefined, m(undefined, [{varint, 9, 1}]), [], Group, [{varint, 9, 3}]},
    ?assertEqual({Wire, Record}, codec:roundtrip(Record)).

%% A message without the field for them skips them.
skipped_beside_kept_test() ->
    codec:load(defs()),
    ?assertEqual(
        {'M', undefined, undefined, [{'P', <<"a">>}], undefined, []},
        codec:decode(len(3, [int(9, 1), len(1, "a"), group(9, [])]), 'M')
    ).

parts_of_a_message_keep_both_test() ->
    codec:load(defs()),
    ?assertEqual(
        {'M', undefined, m(1, [{varint, 9, 1}, {varint, 8, 2}]), [], undefined, []},
        codec:decode([len(2, [int(9, 1), int(1, 1)]), len(2, int(8, 2))], 'M')
    ).

%% The field need not be the last.
first_field_test() ->
    codec:load(defs()),
    ?assertEqual({'First', [{varint, 9, 1}], 5}, codec:decode([int(1, 5), int(9, 1)], 'First')),
    ?assertEqual(iolist_to_binary([int(9, 1), int(1, 5)]), codec:encode({'First', [{varint, 9, 1}], 5})).

wrong_unknowns_are_errors_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {lists:flatten(io_lib:format("~0p", [Unknown])), fun() ->
            ?assertMatch({_, _, "M.$unknowns" ++ _}, codec:type_error(m(1, Unknown)))
        end}
     || Unknown <- [
            a,
            [a],
            [{varint, 1}],
            [{varint, 9, -1}],
            [{varint, 9, a}],
            [{varint, 9, 1 bsl 64}],
            [{varint, 9, 1.0}],
            [{fixed32, 9, 1 bsl 32}],
            [{fixed32, 9, -1}],
            [{fixed64, 9, 1 bsl 64}],
            [{length_delimited, 9, a}],
            [{length_delimited, 9, <<1:1>>}],
            [{group, 9, a}],
            [{group, 9, [a]}],
            [{group, 9, [{varint, 9, 1} | x]}],
            [{varint, 0, 1}],
            [{varint, -1, 1}],
            [{varint, 536870912, 1}],
            [{varint, a, 1}],
            [{nope, 9, 1}],
            [{varint, 9, 1} | x],
            [{varint, 9, 1}, {varint, 9, 2} | {varint, 9, 3}]
        ]
    ]}.

nothing_unknown_test() ->
    codec:load(defs()),
    ?assertEqual(int(1, 1), codec:encode(m(1, []))).
