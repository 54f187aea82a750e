%% Repeated fields, packed and not packed, are read either way.
-module(packed_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2, fixed32/2, fixed64/2]).

types() ->
    [int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64] ++
        [bool, float, double, {enum, 'E'}].

defs(Opts) ->
    Numbered = lists:zip(lists:seq(1, length(types())), types()),
    Fields = [{list_to_atom("f" ++ integer_to_list(N)), N, Type, repeated, Opts} || {N, Type} <- Numbered],
    schema_terms:proto2([{msg, 'M', Fields}, {enum, 'E', [{'A', 0}, {'B', 1}, {'N', -1}]}]).

values() ->
    list_to_tuple([
        'M',
        [0, 1, -1, 300],
        [-5, 1 bsl 62],
        [0, 4294967295],
        [1, (1 bsl 64) - 1],
        [-1, 1, -2147483648],
        [-1 bsl 63, 0],
        [1, 2],
        [3, (1 bsl 64) - 1],
        [-1, 5],
        [-1, 5],
        [true, false, true],
        [1.5, -0.5, infinity, nan],
        [1.0e300, '-infinity'],
        ['A', 'N', 'B', 7]
    ]).

%% What one way of writing gives, both ways of reading take.
either_way_test() ->
    [
        begin
            Wire = written(WriteOpts),
            codec:load(defs(ReadOpts)),
            ?assertEqual(values(), codec:decode(Wire, 'M'))
        end
     || WriteOpts <- options(), ReadOpts <- options()
    ].

%% {packed, true} and packed say the same; so do {packed, false} and nothing.
options() -> [[], [packed], [{packed, true}], [{packed, false}]].

options_choose_how_it_is_written_test() ->
    [Plain, Packed, PackedTrue, PackedFalse] = [written(Opts) || Opts <- options()],
    ?assertEqual(Packed, PackedTrue),
    ?assertEqual(Plain, PackedFalse),
    ?assertNotEqual(Plain, Packed),
    codec:load(schema_terms:proto2([{msg, 'M', [{a, 1, int32, repeated, [packed]}, {b, 2, int32, repeated, []}]}])),
    ?assertEqual(hex("0a 03 01 ac 02 10 01 10 ac 02"), codec:encode({'M', [1, 300], [1, 300]})).

written(Opts) ->
    codec:load(defs(Opts)),
    codec:encode(values()).

mixed_test_() ->
    [
        {Title, fun() ->
            codec:load(schema_terms:proto3([{msg, 'M', [{v, 1, Type, repeated}]}, {enum, 'E', [{'A', 0}, {'B', 1}]}])),
            ?assertEqual({'M', Values}, codec:decode(Wire, 'M'))
        end}
     || {Title, Type, Wire, Values} <- [
            {"doubles not packed", double, hex("09 00 00 00 00 00 00 59 c0 09 00 00 00 00 00 00 3e 40"),
                [-100.0, 30.0]},
            {"both forms, and an empty block", int32, hex("08 01 0a 02 02 03 08 04 0a 00"), [1, 2, 3, 4]},
            {"several blocks", int32, [len(1, [1]), len(1, []), len(1, [2, 3]), len(1, [4])], [1, 2, 3, 4]},
            {"only an empty block", fixed64, hex("0a 00"), []},
            {"fixed32 in both forms", fixed32, [fixed32(1, 1), len(1, <<2:32/little, 3:32/little>>), fixed32(1, 4)],
                [1, 2, 3, 4]},
            {"fixed64 in both forms", sfixed64, [fixed64(1, -1), len(1, <<-2:64/little>>)], [-1, -2]},
            {"bools in both forms", bool, [int(1, 1), len(1, [0, 129, 0, 1]), int(1, 0)],
                [true, false, true, true, false]},
            {"enums in both forms, numbers without symbol too", {enum, 'E'}, [int(1, 1), len(1, [0, 9, 1])],
                ['B', 'A', 9, 'B']},
            {"varints too wide for the type, packed", int32, len(1, [hex("85 80 80 80 10"), 1]), [5, 1]},
            {"ten-byte negatives, packed", int32, len(1, hex("ff ff ff ff ff ff ff ff ff 01")), [-1]},
            {"another wire type is unknown", int32, [fixed32(1, 1), int(1, 2), fixed64(1, 3)], [2]},
            {"a group of that number is unknown", int32, [wire_bytes:group(1, int(1, 5)), int(1, 2)], [2]},
            {"strings are never packed", string, [len(1, "a"), len(1, ""), len(1, "b")], [<<"a">>, <<>>, <<"b">>]}
        ]
    ].

empty_list_writes_nothing_test() ->
    [
        begin
            codec:load(schema_terms:proto3([{msg, 'M', [{v, 1, int32, repeated, Opts}]}])),
            ?assertEqual(<<>>, codec:encode({'M', []}))
        end
     || Opts <- options()
    ].

%% Long lists, of each size on both sides of a length that takes one byte more.
lengths_test_() ->
    [
        {lists:concat([Count, " elements"]), fun() ->
            codec:load(schema_terms:proto3([{msg, 'M', [{v, 1, uint32, repeated}, {s, 2, {msg, 'M'}}]}])),
            Values = [I rem 128 || I <- lists:seq(1, Count)],
            Record = {'M', Values, {'M', Values, undefined}},
            Wire = codec:encode(Record),
            ?assertEqual(iolist_to_binary([len(1, Values), len(2, len(1, Values))]), Wire),
            ?assertEqual(Record, codec:decode(Wire, 'M'))
        end}
     || Count <- [1, 123, 124, 125, 126, 127, 128, 129, 16380, 16383, 16384, 16385, 70000]
    ].
