%% Random bytes for PropEr: nearly messages, and messages with something wrong in them.
-module(random_bytes).

-include_lib("proper/include/proper.hrl").

-export([fields/0, mutated/1]).

%% Fields of small numbers, of every wire type, well-formed for the most part.
fields() ->
    ?LET(Fields, random_schema:short(10, field(2)), iolist_to_binary(Fields)).

field(Depth) ->
    ?LET(
        Number,
        frequency([{10, range(1, 20)}, {2, range(0, 2100)}, {1, integer(0, 1 bsl 33)}]),
        frequency(
            [
                {4, ?LET(Value, varint(), [wire_bytes:tag(Number, 0), Value])},
                {2, ?LET(Value, binary(8), [wire_bytes:tag(Number, 1), Value])},
                {2, ?LET(Value, binary(4), [wire_bytes:tag(Number, 5), Value])},
                {3, ?LET(Value, binary(), wire_bytes:len(Number, Value))},
                {1, ?LET(Value, binary(3), [wire_bytes:tag(Number, 6), Value])},
                {1, [wire_bytes:tag(Number, 4)]},
                {1, binary()}
            ] ++
                [
                    {Weight, ?LET(Value, inner(Depth - 1), wire_bytes:Wrap(Number, Value))}
                 || {Weight, Wrap} <- [{4, len}, {2, group}], Depth > 0
                ]
        )
    ).

inner(Depth) -> random_schema:short(4, ?LAZY(field(Depth))).

varint() ->
    frequency([
        {5, ?LET(N, range(0, 300), wire_bytes:varint(N))},
        {3, ?LET(N, range(-(1 bsl 63), (1 bsl 64) - 1), wire_bytes:varint(N))},
        {1, ?LET({N, Size}, {range(0, 127), range(1, 12)}, wire_bytes:padded_varint(N, Size))},
        {1, binary(10)}
    ]).

%% The bytes with some of them changed, left out, doubled or added.
mutated(Wire) ->
    Changes = non_empty(random_schema:short(4, {range(0, 1 bsl 20), change()})),
    ?LET(Chosen, Changes, lists:foldl(fun mutate/2, Wire, Chosen)).

change() ->
    oneof([cut, drop, double, {set, byte()}, {flip, range(0, 7)}, {insert, resize(4, binary())}]).

mutate(_, <<>>) ->
    <<>>;
mutate({Place, Change}, Wire) ->
    At = Place rem byte_size(Wire),
    <<Before:At/binary, Byte, After/binary>> = Wire,
    case Change of
        cut -> Before;
        drop -> <<Before/binary, After/binary>>;
        double -> <<Before/binary, Byte, Byte, After/binary>>;
        {set, Other} -> <<Before/binary, Other, After/binary>>;
        {flip, Bit} -> <<Before/binary, (Byte bxor (1 bsl Bit)), After/binary>>;
        {insert, Bytes} -> <<Before/binary, Bytes/binary, Byte, After/binary>>
    end.
