%% The options of a single call: what each does, and that a wrong one is refused.
-module(call_options_tests).

-include_lib("eunit/include/eunit.hrl").

defs() ->
    [
        {{msg, 'M'}, [
            {field, id, 1, 2, int32, required, []},
            {field, s, 2, 3, string, optional, []},
            {field, b, 3, 4, bytes, optional, []},
            {field, sub, 4, 5, {msg, 'M'}, optional, []},
            {field, list, 5, 6, {msg, 'M'}, repeated, []},
            {field, '$unknowns', 0, 7, unknown, repeated, []}
        ]}
    ].

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, fun(_) -> codec:options(false, false) end, Tests}.

decode(Wire, Opts) -> enif_protobuf:decode(iolist_to_binary(Wire), 'M', Opts).
encode(Record, Opts) -> enif_protobuf:encode(Record, Opts).

failure(Wire, Opts) ->
    try
        {decoded, decode(Wire, Opts)}
    catch
        error:{decode_error, #{reason := Reason, path := Path, offset := Offset}} -> {Reason, Path, Offset}
    end.

m(Id) -> m(Id, undefined).
m(Id, String) -> {'M', Id, String, undefined, undefined, [], []}.

%% With no options a call is one without.
none_test_() ->
    fixture([
        ?_assertEqual(m(1, <<"a">>), decode([8, 1, 18, 1, "a"], [])),
        ?_assertEqual(<<8, 1, 18, 1, "a">>, encode(m(1, "a"), [])),
        ?_assertEqual(<<8, 1, 18, 1, "a">>, enif_protobuf:encode(m(1, "a"), 'M', [])),
        fun() ->
            codec:options(true, true),
            ?assertEqual(m(1, [20320]), decode([8, 1, 18, 3, <<20320/utf8>>], [])),
            ?assertEqual(<<8, 1, 18, 3, 20320/utf8>>, encode(m(1, [20320]), []))
        end
    ]).

strings_test_() ->
    Wire = [8, 1, 18, 3, <<20320/utf8>>],
    fixture([
        ?_assertEqual(m(1, <<20320/utf8>>), decode(Wire, [{strings, binary}])),
        ?_assertEqual(m(1, [16#e4, 16#bd, 16#a0]), decode(Wire, [{strings, list}])),
        ?_assertEqual(m(1, [20320]), decode(Wire, [{strings, list}, {utf8, checked}])),
        ?_assertEqual(m(1, <<20320/utf8>>), decode(Wire, [{utf8, checked}])),
        %% Whatever is set for the node, which stays.
        fun() ->
            codec:options(true, true),
            ?assertEqual(m(1, <<20320/utf8>>), decode(Wire, [{strings, binary}])),
            ?assertEqual(m(1, [16#e4, 16#bd, 16#a0]), decode(Wire, [{utf8, octets}])),
            ?assertEqual(m(1, [20320]), enif_protobuf:decode(iolist_to_binary(Wire), 'M'))
        end
    ]).

utf8_test_() ->
    Checked = [{utf8, checked}],
    Wire = [8, 1, 34, 5, 8, 2, 18, 1, 255],
    Wrong = {'M', 1, undefined, undefined, m(2, <<255>>), [], []},
    fixture([
        ?_assertEqual({invalid_utf8, "M.sub.s", 6}, failure(Wire, Checked)),
        ?_assertEqual({invalid_utf8, "M.sub.s", 6}, failure(Wire, [{strings, list} | Checked])),
        ?_assertEqual(Wrong, decode(Wire, [{utf8, octets}])),
        ?_assertError(
            {gpb_type_error, {bad_unicode_string, [{value, <<255>>}, {path, "M.sub.s"}]}}, encode(Wrong, Checked)
        ),
        ?_assertEqual(<<8, 1, 18, 3, 20320/utf8>>, encode(m(1, [20320]), Checked)),
        %% Bytes are no text.
        ?_assertEqual({'M', 1, undefined, <<255>>, undefined, [], []}, decode([8, 1, 26, 1, 255], Checked))
    ]).

%% How much of its input a field of 1,000 bytes, and one of 10, keeps alive.
bytes_test_() ->
    Kept = fun(Len, Opts) ->
        Wire = iolist_to_binary([
            [8, 1, 26, varint(Len), binary:copy(<<"b">>, Len)],
            [18, varint(5000), binary:copy(<<"s">>, 5000)]
        ]),
        {'M', 1, _, Bytes, _, _, _} = decode(Wire, Opts),
        ?assertEqual(Len, byte_size(Bytes)),
        case binary:referenced_byte_size(Bytes) of
            %% OTP 27 gives the bits of a binary that lies on the heap of a process.
            Size when Size =:= Len; Size =:= 8 * Len -> itself;
            Size when Size =:= byte_size(Wire) -> input
        end
    end,
    fixture([
        ?_assertEqual(input, Kept(1000, [{bytes, auto}])),
        ?_assertEqual(itself, Kept(10, [{bytes, auto}])),
        ?_assertEqual(itself, Kept(1000, [{bytes, copy}])),
        ?_assertEqual(itself, Kept(10, [{bytes, copy}])),
        ?_assertEqual(input, Kept(1000, [{bytes, reference}])),
        %% From OTP 27 on the VM copies what is short.
        fun() ->
            Expected =
                case erlang:system_info(otp_release) >= "27" of
                    true -> itself;
                    false -> input
                end,
            ?assertEqual(Expected, Kept(10, [{bytes, reference}]))
        end
    ]).

varint(N) when N < 128 -> [N];
varint(N) -> [N rem 128 + 128 | varint(N div 128)].

required_test_() ->
    Check = [{required, check}],
    fixture([
        ?_assertEqual(m(undefined), decode([], [{required, ignore}])),
        ?_assertEqual({missing_required, "M.id", 0}, failure([], Check)),
        ?_assertEqual({missing_required, "M.sub.id", 4}, failure([8, 1, 34, 0], Check)),
        ?_assertEqual({missing_required, "M.list.id", 4}, failure([8, 1, 42, 0], Check)),
        ?_assertEqual({missing_required, "M.list.sub.id", 8}, failure([8, 1, 42, 4, 8, 1, 34, 0], Check)),
        %% Merged messages are looked at when they are whole.
        ?_assertEqual(
            {'M', 1, undefined, undefined, m(2, <<>>), [], []}, decode([34, 2, 18, 0, 8, 1, 34, 2, 8, 2], Check)
        )
    ]).

unknown_test_() ->
    Wire = [8, 1, 64, 5, 75, 8, 1, 76],
    Kept = setelement(7, m(1), [{varint, 8, 5}, {group, 9, [{varint, 1, 1}]}]),
    fixture([
        ?_assertEqual(Kept, decode(Wire, [])),
        ?_assertEqual(Kept, decode(Wire, [{unknown, keep}])),
        ?_assertEqual(m(1), decode(Wire, [{unknown, drop}]))
    ]).

defaults_test_() ->
    Field = fun(Name, Number, Type, Default) ->
        {field, Name, Number, Number + 1, Type, optional, [{default, Default}]}
    end,
    Defs = [
        {{msg, 'D'}, [
            Field(i, 1, int32, -7),
            Field(u, 2, uint64, 18446744073709551615),
            Field(f, 3, double, 1.5),
            Field(n, 4, float, 2),
            Field(s, 5, string, "h\x{e4}"),
            Field(b, 6, bytes, <<1, 255>>),
            Field(t, 7, bool, true),
            Field(e, 8, {enum, 'E'}, two),
            Field(x, 9, float, infinity),
            {field, o, 10, 11, int32, optional, []}
        ]},
        {{enum, 'E'}, [{one, 1}, {two, 2}]}
    ],
    Defaults = [{defaults, true}],
    Expected = fun(String) ->
        {'D', -7, 18446744073709551615, 1.5, 2.0, String, <<1, 255>>, true, two, infinity, undefined}
    end,
    {foreach, fun() -> codec:load(Defs) end, [
        ?_assertEqual(Expected(<<"h\x{e4}"/utf8>>), enif_protobuf:decode(<<>>, 'D', Defaults)),
        ?_assertEqual(Expected("h\x{c3}\x{a4}"), enif_protobuf:decode(<<>>, 'D', [{strings, list} | Defaults])),
        ?_assertEqual(
            Expected("h\x{e4}"), enif_protobuf:decode(<<>>, 'D', [{strings, list}, {utf8, checked} | Defaults])
        ),
        ?_assertEqual(setelement(2, Expected(<<"h\x{e4}"/utf8>>), 3), enif_protobuf:decode(<<8, 3>>, 'D', Defaults)),
        ?_assertEqual(
            erlang:make_tuple(11, undefined, [{1, 'D'}]), enif_protobuf:decode(<<>>, 'D', [{defaults, false}])
        )
    ]}.

limits_test_() ->
    Wire = [8, 1, 34, 2, 8, 2],
    fixture([
        ?_assertEqual({{max_depth, 0}, "M.sub", 2}, failure(Wire, [{max_depth, 0}])),
        ?_assertEqual({{max_size, 5}, "M", 0}, failure(Wire, [{max_size, 5}])),
        ?_assertEqual(1, element(2, decode(Wire, [{max_depth, 1}, {max_size, 6}]))),
        fun() ->
            ok = enif_protobuf:set_opts([{max_size, 1}]),
            try
                ?assertEqual({{max_size, 1}, "M", 0}, failure(Wire, [])),
                ?assertEqual(1, element(2, decode(Wire, [{max_size, infinity}])))
            after
                ok = enif_protobuf:set_opts([{max_size, infinity}])
            end
        end
    ]).

%% The last mention of an option counts.
last_one_test_() ->
    fixture([
        ?_assertEqual(m(1, "a"), decode([8, 1, 18, 1, "a"], [{strings, binary}, {strings, list}])),
        ?_assertEqual(m(1, <<"a">>), decode([8, 1, 18, 1, "a"], [{strings, list}, {strings, binary}]))
    ]).

wrong_options() ->
    [
        no_list,
        [{strings, list} | improper],
        [strings],
        [{strings, text}],
        [{utf8, true}],
        [{bytes, yes}],
        [{required, true}],
        [{unknown, 1}],
        [{defaults, 1}],
        [{max_depth, -1}],
        [{max_size, a}],
        [{maps, 1}],
        [{maps_unset_optional, undefined}],
        [{maps_oneof, flatten}],
        [{maps_key_type, string}],
        [{mapfields_as_maps, yes}],
        [{structs, []}],
        [{cache, "name"}],
        [{no_such_option, true}],
        [{strings, list, too_much}],
        [#{strings => list}],
        <<"a binary">>
    ].

wrong_test_() ->
    fixture([
        {lists:flatten(io_lib:format("~0p", [Opts])), fun() ->
            ?assertError(badarg, decode([8, 1], Opts)),
            ?assertError(badarg, encode(m(1), Opts)),
            ?assertError(badarg, enif_protobuf:encode(m(1), 'M', Opts))
        end}
     || Opts <- wrong_options()
    ]).

%% What the arguments beside the options have to be.
arguments_test_() ->
    fixture([
        ?_assertError(badarg, enif_protobuf:decode(not_a_binary, 'M', [])),
        ?_assertError(badarg, enif_protobuf:decode(<<>>, "M", [])),
        ?_assertError('N', enif_protobuf:decode(<<>>, 'N', [])),
        ?_assertError(badarg, enif_protobuf:encode(#{id => 1}, [{maps, true}])),
        ?_assertError(badarg, enif_protobuf:encode(m(1), "M", [])),
        ?_assertError('N', enif_protobuf:encode(m(1), 'N', [])),
        ?_assertError(
            {gpb_type_error, {{expected_msg, 'M'}, [{value, {'N', 1}}, {path, "M"}]}},
            enif_protobuf:encode({'N', 1}, 'M', [])
        )
    ]).
