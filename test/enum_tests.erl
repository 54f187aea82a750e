%% Enums: symbols, numbers without symbol, aliases, defaults.
-module(enum_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

proto2() ->
    schema_terms:proto2([
        {enum, 'E', [{'A', 0}, {'N', -1}, {'MIN', -2147483648}, {'MAX', 2147483647}, {'FAR', 1000000}]},
        {msg, 'M', [{e, 1, {enum, 'E'}}, {r, 2, {enum, 'E'}, repeated}]}
    ]).

negative_numbers_test() ->
    codec:load(proto2()),
    ?assertEqual(
        {'M', 'N', ['N']},
        codec:decode(hex("08 ff ff ff ff ff ff ff ff ff 01 10 ff ff ff ff 0f"), 'M')
    ),
    Record = {'M', 'N', ['MIN', 'MAX', 'A', 'FAR', 'N']},
    ?assertEqual(
        {iolist_to_binary([int(1, -1), [int(2, V) || V <- [-2147483648, 2147483647, 0, 1000000, -1]]]), Record},
        codec:roundtrip(Record)
    ).

%% A number that the enum does not have is the integer, in proto2 as in proto3.
numbers_without_symbol_test() ->
    Types = [
        {enum, 'E', [{'A', 0}, {'B', 5}, {'C', 6}]},
        {msg, 'M', [{e, 1, {enum, 'E'}}, {r, 2, {enum, 'E'}, repeated}]}
    ],
    [
        begin
            codec:load(Defs),
            [
                begin
                    Record = {'M', Number, [Number, 'B', Number]},
                    ?assertEqual(Record, codec:decode([int(1, Number), [int(2, N) || N <- [Number, 5, Number]]], 'M')),
                    ?assertEqual(Record, codec:decode(codec:encode(Record), 'M'))
                end
             || Number <- [1, 4, 7, 127, 128, 100000, -1, -5, 2147483647, -2147483648]
            ]
        end
     || Defs <- [schema_terms:proto2(Types), schema_terms:proto3(Types)]
    ].

negative_integer_is_ten_bytes_test() ->
    codec:load(proto2()),
    ?assertEqual(hex("08 fe ff ff ff ff ff ff ff ff 01"), codec:encode({'M', -2, []})).

an_integer_with_a_symbol_test() ->
    codec:load(proto2()),
    ?assertEqual({int(1, 1000000), {'M', 'FAR', []}}, codec:roundtrip({'M', 1000000, []})).

%% Numbers beyond 32 bits lose what is above, as an int32 does.
wide_varint_test() ->
    codec:load(proto2()),
    ?assertEqual({'M', 'N', ['A']}, codec:decode([int(1, 16#ffffffff), int(2, 16#100000000)], 'M')).

first_symbol_of_aliases_test() ->
    Symbols = [{option, allow_alias, true}, {'A', 1}, {'A2', 1}, {'B', 2}, {'B2', 2}],
    codec:load(schema_terms:proto2([{enum, 'E', Symbols}, {msg, 'M', [{e, 1, {enum, 'E'}}]}])),
    ?assertEqual({'M', 'A'}, codec:decode(hex("08 01"), 'M')),
    ?assertEqual({'M', 'B'}, codec:decode(hex("08 02"), 'M')),
    [
        ?assertEqual(hex(Wire), codec:encode({'M', Symbol}))
     || {Symbol, Wire} <- [{'A', "08 01"}, {'A2', "08 01"}, {'B2', "08 02"}]
    ].

%% {Symbols of the enum, the one that is its default}
proto3_default_test_() ->
    [
        {lists:flatten(io_lib:format("~0p", [Symbols])), fun() ->
            codec:load(
                schema_terms:proto3([
                    {enum, 'E', Symbols},
                    {msg, 'M', [
                        {e, 1, {enum, 'E'}},
                        {y, 2, int32},
                        {r, 3, {enum, 'E'}, repeated},
                        {o, 4, {enum, 'E'}, optional}
                    ]}
                ])
            ),
            ?assertEqual({'M', Zero, 0, [], undefined}, codec:decode(<<>>, 'M')),
            ?assertEqual(hex("10 01"), codec:encode({'M', Zero, 1, [], undefined})),
            ?assertEqual(hex("10 01"), codec:encode({'M', 0, 1, [], undefined})),
            ?assertEqual(hex("1a 01 00 20 00"), codec:encode({'M', Zero, 0, [Zero], Zero})),
            [
                ?assertEqual({int(1, N), {'M', S, 0, [], undefined}}, codec:roundtrip({'M', S, 0, [], undefined}))
             || {S, N} <- Symbols, N =/= 0
            ]
        end}
     || {Symbols, Zero} <- [
            {[{'UNKNOWN', 0}, {'B', 1}], 'UNKNOWN'},
            {[{zzz_zero, 0}, {aaa_one, 1}], zzz_zero},
            {[{aaa_zero, 0}, {zzz_one, 1}], aaa_zero},
            {[{my_zero_sym, 0}, {ok, 1}, {error, 2}], my_zero_sym},
            {[{true, 0}, {false, 1}], true},
            {[{zero, 0}, {negative, -1}, {far, 70000}], zero}
        ]
    ].

aliases_of_the_default_are_not_written_test() ->
    Symbols = [{option, allow_alias, true}, {'Z', 0}, {'Z2', 0}, {'B', 1}],
    codec:load(schema_terms:proto3([{enum, 'E', Symbols}, {msg, 'M', [{e, 1, {enum, 'E'}}]}])),
    ?assertEqual(<<>>, codec:encode({'M', 'Z2'})),
    ?assertEqual({'M', 'Z'}, codec:decode(<<>>, 'M')).

%% Symbols that are ordinary atoms elsewhere, and one symbol with two numbers in two enums.
symbols_of_several_enums_test() ->
    codec:load(
        schema_terms:proto2([
            {enum, 'E', [{'X', 1}, {nan, 2}, {infinity, 3}]},
            {enum, 'F', [{'X', 2}, {nan, 1}, {true, 3}]},
            {msg, 'M', [{e, 1, {enum, 'E'}}, {f, 2, {enum, 'F'}}, {d, 3, double}]}
        ])
    ),
    [
        ?assertEqual({hex(Wire), Record}, codec:roundtrip(Record))
     || {Record, Wire} <- [
            {{'M', 'X', 'X', undefined}, "08 01 10 02"},
            {{'M', nan, nan, nan}, "08 02 10 01 19 00 00 00 00 00 00 f8 7f"},
            {{'M', infinity, true, infinity}, "08 03 10 03 19 00 00 00 00 00 00 f0 7f"}
        ]
    ].

refused_test_() ->
    {setup, fun() -> codec:load(proto2()) end, [
        {lists:flatten(io_lib:format("~0p", [Value])), fun() ->
            ?assertEqual({{invalid_enum, 'E'}, Value, "M.e"}, codec:type_error({'M', Value, []})),
            ?assertEqual({{invalid_enum, 'E'}, Value, "M.r"}, codec:type_error({'M', undefined, ['A', Value]}))
        end}
     || Value <- ['X', a, <<"A">>, "A", 1.0, [], {'A'}, 2147483648, -2147483649, 1 bsl 64]
    ]}.

%% A large enum, with gaps: every symbol both ways.
many_symbols_test() ->
    Symbols = [{list_to_atom("SYMBOL_" ++ integer_to_list(I)), (I * 7) - 1000} || I <- lists:seq(1, 2000)],
    codec:load(schema_terms:proto2([{enum, 'E', Symbols}, {msg, 'M', [{r, 1, {enum, 'E'}, repeated}]}])),
    Wire = iolist_to_binary([int(1, N) || {_, N} <- Symbols]),
    ?assertEqual({Wire, {'M', [S || {S, _} <- Symbols]}}, codec:roundtrip({'M', [S || {S, _} <- Symbols]})),
    ?assertEqual({'M', [-992, -1000]}, codec:decode([int(1, -992), int(1, -1000)], 'M')).
