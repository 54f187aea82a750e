%% Closed enums, those of proto2 and of editions that say so: a number without symbol is an unknown field. In
%% definitions of gpb's form, which do not say it, the number stays in its field.
-module(closed_enum_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1]).

text() ->
    [
        "message M { optional E e = 1; repeated E r = 2; repeated E p = 3 [packed = true]; map<int32, E> m = 4;",
        "oneof o { E f = 5; int32 x = 6; } } enum E { A = 1; B = 2; }"
    ].

load(Opts) ->
    proto_texts:load(text(), Opts).

%% {Bytes, the record without its unknown fields, these}
cases() ->
    [
        {"08 02", {'M', 'B', [], [], [], undefined}, []},
        {"08 05", {'M', undefined, [], [], [], undefined}, [{varint, 1, 5}]},
        {"08 01 08 05", {'M', 'A', [], [], [], undefined}, [{varint, 1, 5}]},
        {"08 ff ff ff ff ff ff ff ff ff 01", {'M', undefined, [], [], [], undefined}, [
            {varint, 1, 16#ffffffffffffffff}
        ]},
        {"10 01 10 05 10 02", {'M', undefined, ['A', 'B'], [], [], undefined}, [{varint, 2, 5}]},
        {"12 03 01 05 02", {'M', undefined, ['A', 'B'], [], [], undefined}, [{varint, 2, 5}]},
        {"1a 03 05 01 06", {'M', undefined, [], ['A'], [], undefined}, [{varint, 3, 5}, {varint, 3, 6}]},
        {"22 04 08 07 10 01 22 04 08 08 10 05", {'M', undefined, [], [], [{7, 'A'}], undefined}, [
            {length_delimited, 4, hex("08 08 10 05")}
        ]},
        {"30 07 28 05", {'M', undefined, [], [], [], {x, 7}}, [{varint, 5, 5}]},
        {"30 07 28 01", {'M', undefined, [], [], [], {f, 'A'}}, []}
    ].

numbers_without_symbol_are_kept_as_unknown_fields_test_() ->
    {setup, fun() -> load([preserve_unknown_fields]) end, [
        {Hex, fun() ->
            Decoded = erlang:append_element(Record, Unknowns),
            ?assertEqual(Decoded, codec:decode(hex(Hex), 'M')),
            ?assertEqual(Decoded, codec:decode(codec:encode(Decoded), 'M'))
        end}
     || {Hex, Record, Unknowns} <- cases()
    ]}.

numbers_without_symbol_are_skipped_where_nothing_keeps_them_test_() ->
    {setup, fun() -> load([]) end, [
        {Hex, ?_assertEqual(Record, codec:decode(hex(Hex), 'M'))}
     || {Hex, Record, _} <- cases()
    ]}.

numbers_can_be_written_all_the_same_test() ->
    load([]),
    ?assertEqual(hex("08 05"), codec:encode({'M', 5, [], [], [], undefined})).

enums_of_proto3_are_open_test() ->
    proto_texts:load("syntax = 'proto3'; message M { E e = 1; repeated E r = 2; } enum E { Z = 0; }"),
    ?assertEqual({'M', 5, [0, 6]}, setelement(3, codec:decode(hex("08 05 12 01 06"), 'M'), [0, 6])),
    ?assertEqual({'M', 5, [6, 'Z']}, codec:decode(hex("08 05 12 02 06 00"), 'M')).

gpbs_form_does_not_say_it_test() ->
    codec:load(proto_texts:defs(text())),
    Wire = hex("08 05 10 06 18 07 22 04 08 08 10 09 28 03"),
    ?assertEqual({'M', 5, [6], [7], [{8, 9}], {f, 3}}, codec:decode(Wire, 'M')).

definitions_can_say_it_test() ->
    Enum = {{enum, 'E'}, [{option, [features, enum_type], 'CLOSED'}, {'A', 1}]},
    codec:load([Enum, {{msg, 'M'}, [{field, e, 1, 2, {enum, 'E'}, optional, []}]}]),
    ?assertEqual({'M', undefined}, codec:decode(hex("08 05"), 'M')).
