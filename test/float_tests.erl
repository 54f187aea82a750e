%% Floats and doubles: special values, both zeros, integers, and what does not fit.
-module(float_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2]).

proto3() -> schema_terms:proto3([{msg, 'M', [{f, 1, float}, {d, 2, double}]}]).

proto2() ->
    schema_terms:proto2([{msg, 'M', [{f, 1, float}, {d, 2, double}]}, {msg, 'R', [{f, 1, float, repeated, [packed]}]}]).

bytes(Float, Double) -> <<16#0d, Float/binary, 16#11, Double/binary>>.

%% Bits, since before OTP 27 the two zeros are equal.
bits(Float) when is_float(Float) -> <<Float/float>>;
bits(Other) -> Other.

values_test_() ->
    {setup, fun() -> codec:load(proto2()) end, [
        {lists:flatten(io_lib:format("~0p", [Value])), fun() ->
            ?assertEqual(bytes(Float, Double), codec:encode({'M', Value, Value})),
            {'M', F, D} = codec:decode(bytes(Float, Double), 'M'),
            ?assertEqual({bits(DecodedF), bits(DecodedD)}, {bits(F), bits(D)})
        end}
     || {Value, Float, Double, DecodedF, DecodedD} <- [
            {zero(<<0:64>>), <<0:32>>, <<0:64>>, zero(<<0:64>>), zero(<<0:64>>)},
            {zero(<<128, 0:56>>), <<0:24, 128>>, <<0:56, 128>>, zero(<<128, 0:56>>), zero(<<128, 0:56>>)},
            {1.5, <<1.5:32/float-little>>, <<1.5:64/float-little>>, 1.5, 1.5},
            {-1, <<-1.0:32/float-little>>, <<-1.0:64/float-little>>, -1.0, -1.0},
            {0, <<0:32>>, <<0:64>>, zero(<<0:64>>), zero(<<0:64>>)},
            {infinity, hex("00 00 80 7f"), hex("00 00 00 00 00 00 f0 7f"), infinity, infinity},
            {'-infinity', hex("00 00 80 ff"), hex("00 00 00 00 00 00 f0 ff"), '-infinity', '-infinity'},
            {nan, hex("00 00 c0 7f"), hex("00 00 00 00 00 00 f8 7f"), nan, nan},
            {4294967296, hex("00 00 80 4f"), <<4294967296.0:64/float-little>>, 4294967296.0, 4294967296.0},
            {36893488147419103232, <<36893488147419103232.0:32/float-little>>, hex("00 00 00 00 00 00 00 44"),
                36893488147419103232.0, 36893488147419103232.0},
            {-36893488147419103232, <<-36893488147419103232.0:32/float-little>>, hex("00 00 00 00 00 00 00 c4"),
                -36893488147419103232.0, -36893488147419103232.0},
            {1 bsl 200, hex("00 00 80 7f"), <<(float(1 bsl 200)):64/float-little>>, infinity, float(1 bsl 200)},
            {-(1 bsl 200), hex("00 00 80 ff"), <<(-float(1 bsl 200)):64/float-little>>, '-infinity', -float(1 bsl 200)},
            {1 bsl 1023, hex("00 00 80 7f"), <<(float(1 bsl 1023)):64/float-little>>, infinity, float(1 bsl 1023)},
            {1.0e300, hex("00 00 80 7f"), <<1.0e300:64/float-little>>, infinity, 1.0e300},
            {-1.0e300, hex("00 00 80 ff"), <<-1.0e300:64/float-little>>, '-infinity', -1.0e300},
            {3.4028234663852886e38, hex("ff ff 7f 7f"), <<3.4028234663852886e38:64/float-little>>,
                3.4028234663852886e38, 3.4028234663852886e38},
            {1.0e-45, hex("01 00 00 00"), <<1.0e-45:64/float-little>>, 1.401298464324817e-45, 1.0e-45},
            {1.0e-50, <<0:32>>, <<1.0e-50:64/float-little>>, zero(<<0:64>>), 1.0e-50},
            {-1.0e-50, <<0:24, 128>>, <<-1.0e-50:64/float-little>>, zero(<<128, 0:56>>), -1.0e-50},
            {0.1, hex("cd cc cc 3d"), <<0.1:64/float-little>>, 0.10000000149011612, 0.1},
            {5.0e-324, <<0:32>>, <<1, 0:56>>, zero(<<0:64>>), 5.0e-324}
        ]
    ]}.

%% Integers beyond 2^53 go to the nearest double, ties to even.
rounding_of_integers_test() ->
    codec:load(proto2()),
    [
        ?assertEqual({I, <<16#11, (float(I)):64/float-little>>}, {I, codec:encode({'M', undefined, I})})
     || P <- [53, 54, 59, 60, 62, 63, 64, 65, 100, 127, 128, 1000],
        A <- [-3, -2, -1, 0, 1, 2, 3, 1 bsl (P - 53), 3 bsl (P - 53)],
        I <- [(1 bsl P) + A, -(1 bsl P) - A]
    ].

%% Every NaN is nan, whatever its sign and payload.
nans_test() ->
    codec:load(proto2()),
    [
        ?assertEqual({'M', nan, nan}, codec:decode(bytes(<<Float:32/little>>, <<Double:64/little>>), 'M'))
     || {Float, Double} <- [
            {16#7f800001, 16#7ff0000000000001},
            {16#7fffffff, 16#7fffffffffffffff},
            {16#ff800001, 16#fff0000000000001},
            {16#ffc00000, 16#fff8000000000000}
        ]
    ].

minus_zero_is_not_the_default_test() ->
    codec:load(proto3()),
    %% The compiler, before OTP 27, takes the literals 0.0 and -0.0 for one.
    Plus = zero(<<0:64>>),
    Minus = zero(<<128, 0:56>>),
    ?assertEqual(<<16#0d, 0, 0, 0, 128, 16#11, 0:56, 128>>, codec:encode({'M', Minus, Minus})),
    {'M', F, D} = codec:decode(codec:encode({'M', Minus, Minus}), 'M'),
    ?assertEqual({<<128, 0:56>>, <<128, 0:56>>}, {<<F/float>>, <<D/float>>}),
    ?assertEqual(<<>>, codec:encode({'M', Plus, Plus})),
    ?assertEqual(<<>>, codec:encode({'M', 0, 0})),
    {'M', F0, D0} = codec:decode(<<>>, 'M'),
    ?assertEqual({<<0:64>>, <<0:64>>}, {<<F0/float>>, <<D0/float>>}).

zero(Bits) ->
    <<Zero/float>> = Bits,
    Zero.

%% What becomes zero only as a float is not the default that was given.
too_small_for_a_float_test() ->
    codec:load(proto3()),
    {'M', F, _} = codec:decode(codec:encode({'M', 1.0e-50, undefined}), 'M'),
    ?assertEqual(<<0:64>>, <<F/float>>).

packed_test() ->
    codec:load(proto2()),
    Values = [1.5, infinity, '-infinity', nan, 2],
    ?assertEqual(
        iolist_to_binary(len(1, [hex("00 00 c0 3f 00 00 80 7f 00 00 80 ff 00 00 c0 7f 00 00 00 40")])),
        codec:encode({'R', Values})
    ),
    ?assertEqual({'R', [1.5, infinity, '-infinity', nan, 2.0]}, codec:decode(codec:encode({'R', Values}), 'R')).

refused_test_() ->
    {setup, fun() -> codec:load(proto2()) end, [
        {lists:flatten(io_lib:format("~0P", [Value, 10])), fun() ->
            ?assertEqual({bad_float_value, Value, "M.f"}, codec:type_error({'M', Value, undefined})),
            ?assertEqual({bad_double_value, Value, "M.d"}, codec:type_error({'M', undefined, Value}))
        end}
     || Value <- [a, inf, '-nan', 'Infinity', <<"1">>, "1", [], {1}, 1 bsl 1024, -(1 bsl 1024), 1 bsl 100000]
    ]}.

%% The last integer that a double holds, and the first that it does not.
largest_integer_test() ->
    codec:load(proto2()),
    Largest = trunc(1.7976931348623157e308),
    ?assertEqual(<<16#11, 1.7976931348623157e308:64/float-little>>, codec:encode({'M', undefined, Largest})),
    ?assertMatch({bad_double_value, _, "M.d"}, codec:type_error({'M', undefined, (1 bsl 1024) - 1})).
