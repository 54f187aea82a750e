%% Messages in a stream, each behind its length: encode_delimited, decode_delimited, fold_delimited.
-module(stream_tests).

-include_lib("eunit/include/eunit.hrl").

defs() -> schema_terms:proto3([{msg, 'M', [{b, 1, bytes}, {m, 2, {msg, 'M'}}]}]).

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, Tests}.

m(Bytes) -> {'M', Bytes, undefined}.

encode(Record) -> enif_protobuf:encode_delimited(Record).
decode(Buffer) -> decode(Buffer, []).
decode(Buffer, Opts) -> enif_protobuf:decode_delimited(iolist_to_binary(Buffer), 'M', Opts).

lengths_test_() ->
    fixture([
        fun() ->
            Record = m(binary:copy(<<"x">>, Len)),
            Plain = enif_protobuf:encode(Record),
            Delimited = encode(Record),
            ?assertEqual(iolist_to_binary([varint(byte_size(Plain)), Plain]), Delimited),
            ?assertEqual({ok, Record, <<"rest">>}, decode([Delimited, "rest"]))
        end
     || Len <- [0, 1, 124, 125, 126, 127, 128, 129, 16379, 16380, 16381, 16384, 70000, 300000, 3000000]
    ]).

varint(N) when N < 128 -> [N];
varint(N) -> [N rem 128 + 128 | varint(N div 128)].

%% Cut anywhere it asks for more, and never for more than is missing.
cut_test() ->
    codec:load(defs()),
    Whole = encode({'M', binary:copy(<<"x">>, 200), m(<<"y">>)}),
    [
        begin
            {more, Missing} = decode(binary:part(Whole, 0, Len)),
            ?assert(Missing >= 1 andalso Missing =< byte_size(Whole) - Len)
        end
     || Len <- lists:seq(0, byte_size(Whole) - 1)
    ],
    ?assertEqual({more, 100}, decode([200, 1, binary:copy(<<0>>, 100)])),
    ?assertEqual({more, (1 bsl 63) - 3}, decode([<<255, 255, 255, 255, 255, 255, 255, 255, 127>>, 1, 2])).

fold_test() ->
    codec:load(defs()),
    Records = [m(integer_to_binary(N)) || N <- lists:seq(1, 1000)],
    Stream = iolist_to_binary([encode(Record) || Record <- Records]),
    Collect = fun(Record, Acc) -> [Record | Acc] end,
    ?assertEqual({lists:reverse(Records), <<>>}, enif_protobuf:fold_delimited(Collect, [], Stream, 'M', [])),
    %% In pieces, as they come in.
    {Collected, <<>>} = lists:foldl(
        fun(Piece, {Acc, Rest}) ->
            enif_protobuf:fold_delimited(Collect, Acc, <<Rest/binary, Piece/binary>>, 'M', [])
        end,
        {[], <<>>},
        pieces(Stream, 7)
    ),
    ?assertEqual(lists:reverse(Records), Collected).

pieces(Stream, Len) when byte_size(Stream) =< Len -> [Stream];
pieces(Stream, Len) ->
    {Piece, Rest} = split_binary(Stream, Len),
    [Piece | pieces(Rest, Len)].

options_test_() ->
    Map = #{b => <<"a">>, m => #{b => <<"b">>}},
    fixture([
        ?_assertEqual(
            {ok, Map, <<>>}, decode(enif_protobuf:encode_delimited(Map, 'M', [{maps, true}]), [{maps, true}])
        ),
        ?_assertEqual({ok, m(<<"a">>), <<>>}, decode([3, 10, 1, "a"], [{max_size, 3}])),
        fun() ->
            ok = enif_protobuf:load_cache(streams, [{{msg, 'M'}, [{field, x, 9, 2, int32, optional, []}]}]),
            ?assertEqual(<<2, 72, 5>>, enif_protobuf:encode_delimited({'M', 5}, [{cache, streams}])),
            ?assertEqual({ok, {'M', 5}, <<>>}, decode([2, 72, 5], [{cache, streams}])),
            ok = enif_protobuf:purge_cache(streams)
        end
    ]).

failure(Buffer, Opts) ->
    try
        {decoded, decode(Buffer, Opts)}
    catch
        error:{decode_error, #{message := 'M', reason := Reason, path := Path, offset := Offset}} ->
            {Reason, Path, Offset}
    end.

errors_test_() ->
    fixture([
        %% The message that is there is wrong, whatever comes behind it.
        ?_assertEqual({truncated, "M.b", 1}, failure([3, 10, 2, "abcdef"], [])),
        ?_assertEqual({truncated, "M.m.b", 3}, failure([4, 18, 2, 10, 1, "abcdef"], [])),
        ?_assertEqual({varint_too_long, "M", 0}, failure(binary:copy(<<255>>, 20), [])),
        %% Without waiting for it.
        ?_assertEqual({{max_size, 3}, "M", 0}, failure([4], [{max_size, 3}])),
        ?_assertEqual({{max_depth, 0}, "M.m", 1}, failure([2, 18, 0], [{max_depth, 0}])),
        ?_assertError(badarg, enif_protobuf:decode_delimited(no_binary, 'M', [])),
        ?_assertError(badarg, enif_protobuf:decode_delimited(<<2, 10, 0>>, "M", [])),
        ?_assertError('N', enif_protobuf:decode_delimited(<<2, 10, 0>>, 'N', [])),
        ?_assertError(badarg, enif_protobuf:decode_delimited(<<2, 10, 0>>, 'M', no_options)),
        ?_assertError({gpb_type_error, {bad_binary_value, _}}, encode(m(no_bytes)))
    ]).

%% Fields of a message refer to the buffer, as those of a message by itself do.
references_test() ->
    codec:load(defs()),
    Buffer = iolist_to_binary([encode(m(binary:copy(<<"x">>, 100))), binary:copy(<<0>>, 100)]),
    {ok, {'M', Bytes, undefined}, _} = decode(Buffer),
    ?assertEqual(byte_size(Buffer), binary:referenced_byte_size(Bytes)),
    {ok, {'M', Copy, undefined}, _} = decode(Buffer, [{bytes, copy}]),
    ?assertEqual(100, binary:referenced_byte_size(Copy)).
