%% Integers: the range of each type to the last number, and varints wider than the type.
-module(int_width_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, varint/1, fixed32/2, fixed64/2, int/2]).

types() -> [int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64].

range(Type) ->
    case {bits(Type), signed(Type)} of
        {Bits, signed} -> {-(1 bsl (Bits - 1)), (1 bsl (Bits - 1)) - 1};
        {Bits, unsigned} -> {0, (1 bsl Bits) - 1}
    end.

bits(Type) when Type =:= int32; Type =:= uint32; Type =:= sint32; Type =:= fixed32; Type =:= sfixed32 -> 32;
bits(_) -> 64.

signed(Type) when Type =:= uint32; Type =:= uint64; Type =:= fixed32; Type =:= fixed64 -> unsigned;
signed(_) -> signed.

%% As the specification of the format has it.
field(Type, Value) when Type =:= sint32; Type =:= sint64 ->
    int(1, (Value bsl 1) bxor (Value bsr 64));
field(Type, Value) when Type =:= fixed32; Type =:= sfixed32 -> fixed32(1, Value);
field(Type, Value) when Type =:= fixed64; Type =:= sfixed64 -> fixed64(1, Value);
field(_, Value) -> int(1, Value).

defs(Type) -> schema_terms:proto3([{msg, 'M', [{x, 1, Type}]}]).

%% The ends of the range, the powers of two and their neighbours.
values(Type) ->
    {Min, Max} = range(Type),
    Powers = [1 bsl N || N <- lists:seq(0, 64)],
    Near = lists:append([[P - 1, P, P + 1, -P - 1, -P, -P + 1] || P <- Powers]),
    lists:usort([V || V <- [Min, Min + 1, Max - 1, Max | Near], V >= Min, V =< Max, V =/= 0]).

roundtrip_test_() ->
    [
        {atom_to_list(Type), fun() ->
            codec:load(defs(Type)),
            [?assertEqual({field(Type, V), {'M', V}}, codec:roundtrip({'M', V})) || V <- values(Type)]
        end}
     || Type <- types()
    ].

out_of_range_test_() ->
    [
        {atom_to_list(Type), fun() ->
            codec:load(defs(Type)),
            {Min, Max} = range(Type),
            What = {value_out_of_range, Type, signed(Type), bits(Type)},
            Near = [Min - 1, Max + 1, Min - (1 bsl 32), Max + (1 bsl 32)],
            Far = [12345678901234567890123, -(1 bsl 64), 1 bsl 64, 1 bsl 200, -(1 bsl 200)],
            [?assertEqual({What, V, "M.x"}, codec:type_error({'M', V})) || V <- Near ++ Far]
        end}
     || Type <- types()
    ].

not_an_integer_test_() ->
    [
        {atom_to_list(Type), fun() ->
            codec:load(defs(Type)),
            What = {bad_integer, Type, signed(Type), bits(Type)},
            Bad = [a, 1.0, <<"1">>, "1", [], {1}, #{}, self()],
            [?assertEqual({What, V, "M.x"}, codec:type_error({'M', V})) || V <- Bad]
        end}
     || Type <- types()
    ].

%% 32-bit types keep the low 32 bits of a longer varint.
wide_varints_test_() ->
    [
        {lists:concat([Type, " of ", Title]), fun() ->
            codec:load(defs(Type)),
            ?assertEqual({'M', Value}, codec:decode([8, Bytes], 'M'))
        end}
     || {Type, Title, Bytes, Value} <- [
            {int32, "2^32 + 5", varint((1 bsl 32) + 5), 5},
            {int32, "2^31", varint(1 bsl 31), -2147483648},
            {int32, "five-byte -1", hex("ff ff ff ff 0f"), -1},
            {int32, "ten-byte -1", hex("ff ff ff ff ff ff ff ff ff 01"), -1},
            {int32, "2^63", varint(1 bsl 63), 0},
            {int32, "ten bytes with surplus bits on top", hex("85 80 80 80 80 80 80 80 80 7e"), 5},
            {uint32, "2^32 + 5", varint((1 bsl 32) + 5), 5},
            {uint32, "ten-byte -1", varint(-1), 4294967295},
            {sint32, "2^32 + 5", hex("85 80 80 80 10"), -3},
            {sint32, "all bits", varint(-1), -2147483648},
            {sint32, "2^32 - 2", varint((1 bsl 32) - 2), 2147483647},
            {int64, "padded 1", wire_bytes:padded_varint(1, 10), 1},
            {int64, "ten bytes with surplus bits on top", hex("ff ff ff ff ff ff ff ff ff 7f"), -1},
            {uint64, "ten bytes with surplus bits on top", hex("ff ff ff ff ff ff ff ff ff 7f"), (1 bsl 64) - 1},
            {sint64, "all bits", varint(-1), -(1 bsl 63)},
            {sint64, "all bits but the first", varint(-2), (1 bsl 63) - 1}
        ]
    ].

known_bytes_test() ->
    codec:load(schema_terms:proto3([{msg, 'M', [{a, 1, sint32}, {b, 2, sint32}]}])),
    ?assertEqual(
        {hex("08 ff ff ff ff 0f 10 fe ff ff ff 0f"), {'M', -2147483648, 2147483647}},
        codec:roundtrip({'M', -2147483648, 2147483647})
    ),
    ?assertEqual(hex("08 80 80 80 80 08"), codec:encode({'M', 1 bsl 30, 0})),
    codec:load(schema_terms:proto3([{msg, 'M', [{a, 1, fixed32}, {b, 2, fixed64}]}])),
    ?assertEqual(
        hex("0d ff ff ff ff 11 ff ff ff ff ff ff ff ff"),
        codec:encode({'M', 4294967295, 18446744073709551615})
    ),
    codec:load(schema_terms:proto3([{msg, 'M', [{a, 1, int64}, {b, 2, sint64}, {c, 3, sfixed64}, {d, 4, int32}]}])),
    Min = -9223372036854775808,
    ?assertEqual(
        hex(
            "08 80 80 80 80 80 80 80 80 80 01 10 ff ff ff ff ff ff ff ff ff 01 "
            "19 00 00 00 00 00 00 00 80 20 80 80 80 80 f8 ff ff ff ff 01"
        ),
        codec:encode({'M', Min, Min, Min, -2147483648})
    ).
