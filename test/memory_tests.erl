%% What decoding leaves in memory: small fields do not keep the input alive, and nothing leaks.
-module(memory_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [len/2, int/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'M', [
            {b, 1, bytes},
            {c, 2, bytes},
            {s, 3, string},
            {r, 4, bytes, repeated},
            {mp, 5, {map, string, bytes}}
        ]},
        {msg, 'U', [unknown]}
    ]).

%% OTP 27 gives the bits of a binary that lies on the heap of a process, instead of the bytes.
referenced(Binary) ->
    case binary:referenced_byte_size(Binary) of
        Bits when Bits =:= bit_size(Binary) -> byte_size(Binary);
        Bytes -> Bytes
    end.

%% Beside 100,000 other bytes.
small_fields_are_copies_test() ->
    codec:load(defs()),
    Big = binary:copy(<<"x">>, 100000),
    [
        begin
            Small = binary:copy(<<"y">>, Size),
            Fields = [len(N, Small) || N <- [2, 3, 4, 4]],
            Wire = iolist_to_binary([len(1, Big), Fields, len(5, [len(1, Small), len(2, Small)])]),
            {'M', Big, C, S, R, [{K, V}]} = codec:decode(Wire, 'M'),
            [?assertEqual({Size, Size, Small}, {Size, referenced(B), B}) || B <- [C, S, K, V | R]]
        end
     || Size <- [1, 2, 3, 7, 8, 15, 16, 23, 24]
    ].

small_unknown_fields_are_copies_test() ->
    codec:load(defs()),
    Big = binary:copy(<<"x">>, 100000),
    {'U', [_, {length_delimited, 10, Small}, {group, 11, [{length_delimited, 1, InGroup}]}]} =
        codec:decode([len(9, Big), len(10, "abc"), wire_bytes:group(11, len(1, "def"))], 'U'),
    ?assertEqual({<<"abc">>, 3}, {Small, referenced(Small)}),
    ?assertEqual({<<"def">>, 3}, {InGroup, referenced(InGroup)}).

%% Whatever its size, a field does not keep an input alive that is many times as large.
middling_fields_test() ->
    codec:load(defs()),
    Wire = iolist_to_binary([len(1, binary:copy(<<"x">>, 1000000)), len(2, binary:copy(<<"y">>, 64))]),
    {'M', _, C, _, _, _} = codec:decode(Wire, 'M'),
    ?assert(referenced(C) < 10000).

%% The encoded binary holds what was encoded and little more.
encoded_binary_is_no_larger_than_needed_test() ->
    codec:load(defs()),
    [
        begin
            Encoded = codec:encode({'M', binary:copy(<<"x">>, Size), <<>>, <<>>, [], []}),
            ?assert(referenced(Encoded) =< byte_size(Encoded) + byte_size(Encoded) div 2 + 256)
        end
     || Size <- [0, 10, 50, 70, 1000, 5000, 100000, 1000000]
    ].

%% Loading again and again, with and without success, does not grow the VM.
loading_again_does_not_leak_test_() ->
    {timeout, 60, fun() ->
        Bad = defs() ++ [{{msg, 'Bad'}, [{field, x, 1, 2, {msg, 'Nothing'}, optional, []}]}],
        Load = fun() ->
            codec:load(defs()),
            ?assertError({bad_definitions, _}, enif_protobuf:load_cache(Bad)),
            ok = enif_protobuf:purge_cache()
        end,
        ?assert(grown_by(Load, 20000) < 64 * 1024 * 1024)
    end}.

encoding_and_decoding_do_not_leak_test_() ->
    {timeout, 60, fun() ->
        codec:load(defs()),
        Record = {'M', binary:copy(<<"x">>, 10000), <<"c">>, <<"s">>, [<<"r">>, <<"r">>], [{<<"k">>, <<"v">>}]},
        Wire = codec:encode(Record),
        Cut = binary:part(Wire, 0, byte_size(Wire) - 1),
        Call = fun() ->
            Wire = enif_protobuf:encode(Record),
            Record = enif_protobuf:decode(Wire, 'M'),
            ?assertError({decode_error, _}, enif_protobuf:decode(Cut, 'M')),
            ?assertError({gpb_type_error, _}, enif_protobuf:encode(setelement(5, Record, [<<"r">>, atom])))
        end,
        ?assert(grown_by(Call, 20000) < 64 * 1024 * 1024)
    end}.

what_was_purged_is_freed_test_() ->
    {timeout, 60, fun() ->
        Names = fun(Letter, Count) -> [list_to_atom([Letter | integer_to_list(N)]) || N <- lists:seq(1, Count)] end,
        Fields = [{Name, N, int32} || {N, Name} <- lists:zip(lists:seq(1, 20), Names($f, 20))],
        Defs = schema_terms:proto2([{msg, Name, Fields} || Name <- Names($M, 200)]),
        Cycle = fun() ->
            ok = enif_protobuf:load_cache(Defs),
            ok = enif_protobuf:load_cache(named, Defs),
            ok = enif_protobuf:purge_cache(named),
            ok = enif_protobuf:purge_cache()
        end,
        ?assert(grown_by(Cycle, 300) < 8 * 1024 * 1024)
    end}.

%% Resident memory, in bytes, that the operating system says was added; 0 where it does not say.
grown_by(Fun, Times) ->
    repeat(Fun, Times div 10),
    Before = resident(),
    repeat(Fun, Times),
    max(0, resident() - Before).

repeat(_, 0) ->
    ok;
repeat(Fun, Times) ->
    Fun(),
    repeat(Fun, Times - 1).

resident() ->
    case file:read_file("/proc/self/statm") of
        {ok, Text} ->
            [_, Pages | _] = string:lexemes(binary_to_list(Text), " "),
            list_to_integer(Pages) * 4096;
        {error, _} ->
            0
    end.

%% An allocation is not made by a length that was only read.
lengths_do_not_allocate_test() ->
    codec:load(defs()),
    Claims = [<<T, 255, 255, 255, 255, 7>> || T <- [10, 18, 26, 34, 42]],
    Before = resident(),
    [?assertMatch({decode_error, _}, codec:decode_error(Claim, 'M')) || Claim <- Claims, _ <- lists:seq(1, 100)],
    ?assert(resident() - Before < 256 * 1024 * 1024).

%% All messages without content are one record: else each two bytes would become a record of any width.
empty_messages_share_a_record_test() ->
    Wide = {msg, 'W', [{list_to_atom("f" ++ integer_to_list(N)), N, int32} || N <- lists:seq(1, 1000)]},
    codec:load(
        schema_terms:proto2([{msg, 'M', [{r, 1, {msg, 'W'}, repeated}, {f, 2, {map, int32, {msg, 'W'}}}]}, Wide])
    ),
    Empty = erlang:make_tuple(1001, undefined, [{1, 'W'}]),
    {'M', R, F} = codec:decode([binary:copy(<<10, 0>>, 5000), [<<18, 4, 8, N, 18, 0>> || N <- lists:seq(1, 100)]], 'M'),
    ?assertEqual({5000, 100}, {length(R), length(F)}),
    ?assert(lists:all(fun(W) -> W =:= Empty end, R ++ [W || {_, W} <- F])),
    %% A record of 1001 elements, a list cell for each, a tuple besides for each entry.
    ?assertEqual(1002 + 2 * 5000 + (2 + 3) * 100 + 4, erts_debug:size({'M', R, F})).

%% A result takes so many words at the most: for each four bytes a record of the widest message with a list cell.
memory_is_bounded_by_the_input_test_() ->
    [
        {integer_to_list(Width) ++ " fields", fun() ->
            Wide = {msg, 'W', [{list_to_atom("f" ++ integer_to_list(N)), N, int32} || N <- lists:seq(1, Width)]},
            codec:load(schema_terms:proto2([{msg, 'M', [{r, 1, {msg, 'W'}, repeated}]}, Wide])),
            Wire = binary:copy(<<10, 2, 8, 1>>, 10000),
            Words = erts_debug:flat_size(codec:decode(Wire, 'M')),
            ?assert(Words =< byte_size(Wire) div 4 * (Width + 4) + 10)
        end}
     || Width <- [1, 10, 100]
    ].

%% However often a oneof changes its member, decoding takes no more memory than the members do.
changing_oneof_test() ->
    Wide = [{list_to_atom("f" ++ integer_to_list(N)), N, int32} || N <- lists:seq(1, 500)],
    codec:load(
        schema_terms:proto2([
            {msg, 'M', [{oneof, o, [{a, 1, {msg, 'A'}}, {b, 2, {msg, 'B'}}]}, {r, 3, int32, repeated}]},
            {msg, 'A', Wide},
            {msg, 'B', Wide}
        ])
    ),
    %% The records of all of them together would take 2,400 MB and more.
    Before = peak(),
    {'M', {b, B}, []} = codec:decode(binary:copy(<<10, 0, 18, 2, 8, 7>>, 300000), 'M'),
    ?assertEqual(7, element(2, B)),
    %% Each member twice, and merged.
    {'M', {b, B}, []} = codec:decode(binary:copy(<<10, 0, 10, 0, 18, 0, 18, 2, 8, 7>>, 300000), 'M'),
    %% Something else between.
    {'M', {b, B}, R} = codec:decode(binary:copy(<<10, 0, 24, 1, 18, 2, 8, 7, 24, 2>>, 300000), 'M'),
    ?assertEqual(600000, length(R)),
    ?assert(peak() - Before < 150).

%% The most resident memory that there has been, in MB; 0 where the operating system does not say.
peak() ->
    case file:read_file("/proc/self/status") of
        {ok, Status} ->
            {match, [KiloBytes]} = re:run(Status, "VmHWM:\\s+([0-9]+)", [{capture, all_but_first, list}]),
            list_to_integer(KiloBytes) div 1024;
        {error, _} ->
            0
    end.
