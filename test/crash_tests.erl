%% What must not kill the VM: deep nesting, recursive types, a cache that goes away under a call.
-module(crash_tests).

-include_lib("eunit/include/eunit.hrl").

-export([encode_beyond_memory/0]).

self_containing() ->
    schema_terms:proto2([{msg, 'M', [{m, 1, {msg, 'M'}}, {x, 2, int32}]}]).

%% Any depth, first of all in a cache that has just been loaded.
nested_messages_of_their_own_type_test_() ->
    [
        {lists:concat(["depth ", Depth]), fun() ->
            codec:load(self_containing()),
            Wire = wire_bytes:nested(1, Depth, wire_bytes:int(2, 7)),
            Record = nest(Depth, {'M', undefined, 7}),
            ?assertEqual(Record, codec:decode(Wire, 'M')),
            ?assertEqual(Wire, codec:encode(Record))
        end}
     || Depth <- [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 101, 127, 128, 255, 256, 1000]
    ].

deep(Depth, Wire, Name, Expected) ->
    {timeout, 60, fun() ->
        Record = codec:decode(Wire, Name),
        ?assertEqual(Depth, Expected(Record, 0)),
        ?assert(Wire =:= codec:encode(Record))
    end}.

hundred_thousand_nested_messages_test_() ->
    Depth = 100000,
    Wire = wire_bytes:nested(1, Depth, <<16, 7>>),
    {setup, fun() -> codec:load(self_containing()) end, deep(Depth, Wire, 'M', fun depth/2)}.

depth({'M', undefined, 7}, Depth) -> Depth;
depth({'M', Inner, undefined}, Depth) -> depth(Inner, Depth + 1).

hundred_thousand_nested_groups_test_() ->
    Depth = 100000,
    Defs = schema_terms:proto2([
        {msg, 'M', [{g, 1, {group, 'M.G'}}]},
        {group, 'M.G', [{g, 1, {group, 'M.G'}}, {x, 2, int32}]}
    ]),
    Wire = <<(binary:copy(<<11>>, Depth))/binary, 16, 7, (binary:copy(<<12>>, Depth))/binary>>,
    {setup, fun() -> codec:load(Defs) end, deep(Depth, Wire, 'M', fun group_depth/2)}.

group_depth({'M', Group}, Depth) -> group_depth(Group, Depth + 1);
group_depth({'M.G', undefined, 7}, Depth) -> Depth;
group_depth({'M.G', Inner, undefined}, Depth) -> group_depth(Inner, Depth + 1).

hundred_thousand_nested_oneof_members_test_() ->
    Depth = 100000,
    Defs = schema_terms:proto3([{msg, 'M', [{oneof, c, [{m, 1, {msg, 'M'}}, {x, 2, int32}]}]}]),
    Wire = wire_bytes:nested(1, Depth, <<16, 7>>),
    {setup, fun() -> codec:load(Defs) end, deep(Depth, Wire, 'M', fun oneof_depth/2)}.

oneof_depth({'M', {x, 7}}, Depth) -> Depth;
oneof_depth({'M', {m, Inner}}, Depth) -> oneof_depth(Inner, Depth + 1).

ten_thousand_nested_map_values_test_() ->
    Depth = 10000,
    Defs = schema_terms:proto3([{msg, 'M', [{f, 1, {map, int32, {msg, 'M'}}}, {x, 2, int32}]}]),
    Entry = fun(_, Wire) -> wire_bytes:len(1, [<<8, 5>>, wire_bytes:len(2, Wire)]) end,
    Wire = lists:foldl(Entry, <<16, 7>>, lists:seq(1, Depth)),
    {setup, fun() -> codec:load(Defs) end, deep(Depth, Wire, 'M', fun map_depth/2)}.

map_depth({'M', [], 7}, Depth) -> Depth;
map_depth({'M', [{5, Inner}], 0}, Depth) -> map_depth(Inner, Depth + 1).

hundred_thousand_nested_unknown_groups_are_skipped_test_() ->
    Depth = 100000,
    {timeout, 60, fun() ->
        codec:load(self_containing()),
        Groups = <<(binary:copy(<<123>>, Depth))/binary, (binary:copy(<<124>>, Depth))/binary>>,
        ?assertEqual({'M', undefined, 5}, codec:decode([Groups, <<16, 5>>], 'M')),
        ?assertMatch({decode_error, _}, codec:decode_error([binary:copy(<<123>>, Depth), <<16, 5>>], 'M'))
    end}.

hundred_thousand_nested_unknown_groups_are_kept_test_() ->
    Depth = 100000,
    {timeout, 60, fun() ->
        codec:load(schema_terms:proto2([{msg, 'M', [{x, 2, int32}, unknown]}])),
        Wire = <<16, 5, (binary:copy(<<123>>, Depth))/binary, (binary:copy(<<124>>, Depth))/binary>>,
        {'M', 5, [Group]} = Record = codec:decode(Wire, 'M'),
        ?assertEqual(Depth, unknown_depth(Group, 0)),
        ?assert(Wire =:= codec:encode(Record))
    end}.

unknown_depth({group, 15, []}, Depth) -> Depth + 1;
unknown_depth({group, 15, [Inner]}, Depth) -> unknown_depth(Inner, Depth + 1).

%% An iolist or a character list nested as deep as one likes.
deeply_nested_lists_test_() ->
    {timeout, 60, fun() ->
        codec:load(schema_terms:proto3([{msg, 'M', [{b, 1, bytes}, {s, 2, string}]}])),
        Deep = lists:foldl(fun(_, L) -> [L] end, [$a, <<"b">>], lists:seq(1, 200000)),
        Left = lists:foldl(fun(_, L) -> [L, $x] end, [], lists:seq(1, 200000)),
        ?assertEqual(<<10, 2, "ab", 18, 2, "ab">>, codec:encode({'M', Deep, Deep})),
        ?assertEqual(4 + 200000 + 4 + 200000, byte_size(codec:encode({'M', Left, Left}))),
        codec:options(false, true),
        ?assertEqual(<<10, 2, "ab", 18, 2, "ab">>, codec:encode({'M', Deep, Deep})),
        ?assertEqual(4 + 200000 + 4 + 200000, byte_size(codec:encode({'M', Left, Left})))
    end}.

mutually_recursive_types_test() ->
    codec:load(
        schema_terms:proto3([
            {msg, 'A', [
                {oneof, c, [{b, 1, {msg, 'B'}}, {n, 2, int32}]},
                {as, 3, {msg, 'A'}, repeated},
                {ms, 4, {map, int32, {msg, 'B'}}}
            ]},
            {msg, 'B', [{a, 1, {msg, 'A'}}]}
        ])
    ),
    Record = {'A', {b, {'B', {'A', {n, 0}, [], []}}}, [{'A', {n, 5}, [], []}], []},
    Wire = wire_bytes:hex("0a 04 0a 02 10 00 1a 02 10 05"),
    ?assertEqual({Wire, Record}, codec:roundtrip(Record)),
    WithMap = {'A', undefined, [], [{1, {'B', Record}}]},
    ?assertEqual(WithMap, codec:decode(codec:encode(WithMap), 'A')).

map_of_messages_test() ->
    codec:load(schema_terms:proto3([{msg, 'M', [{f, 1, {map, string, {msg, 'I'}}}]}, {msg, 'I', [{x, 1, int64}]}])),
    Record = {'M', [{<<"k">>, {'I', 3}}]},
    ?assertEqual({wire_bytes:hex("0a 07 0a 01 6b 12 02 08 03"), Record}, codec:roundtrip(Record)).

nest(0, Record) -> Record;
nest(Depth, Record) -> nest(Depth - 1, {'M', Record, undefined}).

%% What there is no memory for is an exception. (Under a limit on the memory of the VM; macOS has none.)
encoding_beyond_the_memory_test_() ->
    case os:type() of
        {unix, linux} ->
            {timeout, 60, fun() ->
                ?assertEqual(
                    [{error, system_limit, "there is not enough memory for this call"}, <<10, 1, 1>>],
                    child_vm:run_limited(
                        "ulimit -v 4000000; ", ["+S", "1:1", "+SDcpu", "1:1"], {?MODULE, encode_beyond_memory, []}
                    )
                )
            end};
        _ ->
            []
    end.

encode_beyond_memory() ->
    ok = enif_protobuf:load_cache(schema_terms:proto2([{msg, 'M', [{b, 1, bytes, repeated}]}])),
    Large = lists:duplicate(1000, binary:copy(<<0>>, 16 * 1024 * 1024)),
    Failure =
        try
            byte_size(enif_protobuf:encode({'M', Large}))
        catch
            Class:Reason:Stack -> {Class, Reason, text(enif_protobuf:format_error(Reason, Stack))}
        end,
    [Failure, enif_protobuf:encode({'M', [<<1>>]})].

text(#{general := Sentence}) -> binary_to_list(Sentence).
