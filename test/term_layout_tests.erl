%% The same value, wherever and however it lies in memory, encodes to the same bytes.
-module(term_layout_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [len/2, int/2]).

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {s, 1, string},
            {b, 2, bytes},
            {i, 3, int64},
            {d, 4, double},
            {r, 5, int64, repeated},
            {m, 6, {msg, 'M'}}
        ]}
    ]).

m(Changes) ->
    lists:foldl(
        fun({Position, Value}, Record) -> setelement(Position, Record, Value) end,
        {'M', undefined, undefined, undefined, undefined, [], undefined},
        Changes
    ).

%% Binaries of these sizes are heap binaries, reference-counted ones and those in between.
sizes() -> [0, 1, 7, 8, 9, 23, 24, 25, 63, 64, 65, 66, 127, 128, 1000, 5000].

octets(Size) -> [I rem 251 || I <- lists:seq(1, Size)].

%% {how it is made, the binary from a list of octets}
binaries() ->
    [
        {"whole", fun list_to_binary/1},
        {"part of a larger one", fun(L) ->
            Large = list_to_binary([1, 2, 3, L, 4, 5, binary:copy(<<9>>, 100)]),
            binary:part(Large, 3, length(L))
        end},
        {"rest of a larger one", fun(L) ->
            <<_:5/binary, Rest/binary>> = list_to_binary([lists:duplicate(5, 7), L]),
            Rest
        end},
        {"not at a byte, by three bits", fun(L) -> shifted(3, L) end},
        {"not at a byte, by seven bits", fun(L) -> shifted(7, L) end},
        {"grown by appending", fun(L) -> lists:foldl(fun(O, Acc) -> <<Acc/binary, O>> end, <<>>, L) end},
        {"grown, then matched", fun(L) ->
            Grown = lists:foldl(fun(O, Acc) -> <<Acc/binary, O>> end, <<0, 0>>, L),
            <<_, _, Rest/binary>> = Grown,
            Rest
        end},
        {"a copy in a message", fun(L) -> sent(list_to_binary(L)) end},
        {"from the external format", fun(L) -> binary_to_term(term_to_binary(list_to_binary(L))) end},
        {"in the constant area", fun(L) -> constant(list_to_binary(L)) end}
    ].

shifted(Bits, L) ->
    Size = length(L),
    <<_:Bits, Binary:Size/binary, _/bits>> = list_to_bitstring([<<0:Bits>>, L, <<0:(16 - Bits)>>]),
    Binary.

sent(Term) ->
    Self = self(),
    Pid = spawn_link(fun() -> Self ! {self(), Term} end),
    receive
        {Pid, Copy} -> Copy
    end.

constant(Term) ->
    persistent_term:put(?MODULE, Term),
    persistent_term:get(?MODULE).

binaries_test_() ->
    [
        {lists:concat([Title, ", size ", Size]), fun() ->
            codec:load(defs()),
            Octets = octets(Size),
            Binary = Make(Octets),
            Wire = iolist_to_binary([len(1, Octets), len(2, Octets)]),
            ?assertEqual(Wire, codec:encode(m([{2, Binary}, {3, Binary}]))),
            ?assertEqual(Wire, codec:encode(m([{2, [Binary]}, {3, [[Binary | <<>>]]}]))),
            Input = Make(binary_to_list(len(1, Octets))),
            ?assertEqual(m([{2, list_to_binary(Octets)}]), enif_protobuf:decode(Input, 'M'))
        end}
     || {Title, Make} <- binaries(), Size <- sizes()
    ].

%% Lists whose cells lie side by side, apart, backwards, in constants; with parts in between.
lists_of_characters() ->
    [
        {"fresh", fun(L) -> L end},
        {"built forwards", fun(L) -> [X || X <- L] end},
        {"built backwards", fun(L) -> lists:reverse(lists:reverse(L)) end},
        {"collected", fun(L) ->
            erlang:garbage_collect(),
            L
        end},
        {"with other terms between the cells", fun spread/1},
        {"a copy in a message", fun sent/1},
        {"in the constant area", fun constant/1},
        {"from the external format", fun(L) -> binary_to_term(term_to_binary(L)) end},
        {"in two parts", fun(L) ->
            {A, B} = lists:split(length(L) div 2, L),
            [A | B]
        end},
        {"a list in each cell", fun(L) -> [[X] || X <- L] end},
        {"a binary in each cell", fun(L) -> [<<X>> || X <- L] end},
        {"a binary for a tail", fun(L) -> L ++ <<>> end},
        {"with empty lists between", fun(L) -> lists:append([[[], X, <<>>] || X <- L]) end}
    ].

%% Each cell is made after another term, and all of them are kept.
spread([]) -> [];
spread([X | Rest]) ->
    Tail = spread(Rest),
    put({?MODULE, make_ref()}, {X, 1.5}),
    [X | Tail].

character_lists_test_() ->
    [
        {lists:concat([Title, ", size ", Size, ", with_utf8 ", Utf8]), fun() ->
            codec:load(defs()),
            codec:options(false, Utf8),
            Characters = [$\s + I rem 90 || I <- lists:seq(1, Size)],
            String = Make(Characters),
            ?assertEqual(
                iolist_to_binary([len(1, Characters), len(2, Characters)]),
                codec:encode(m([{2, String}, {3, String}]))
            )
        end}
     || {Title, Make} <- lists_of_characters(), Size <- sizes(), Utf8 <- [false, true]
    ].

%% An improper tail right behind any number of cells is seen, not read as a cell.
improper_at_every_length_test() ->
    codec:load(defs()),
    [
        begin
            Bad = lists:duplicate(Size, $a) ++ Tail,
            ?assertEqual({bad_unicode_string, Bad, "M.s"}, codec:type_error(m([{2, Bad}]))),
            ?assertEqual({bad_binary_value, Bad, "M.b"}, codec:type_error(m([{3, Bad}])))
        end
     || Size <- lists:seq(1, 40), Tail <- [$a, atom, {1}, 1 bsl 70, 1.0]
    ].

%% A bad element at every place.
bad_element_at_every_place_test() ->
    codec:load(defs()),
    [
        begin
            Bad = lists:duplicate(Before, $a) ++ [Element | lists:duplicate(After, $b)],
            ?assertEqual({bad_unicode_string, Bad, "M.s"}, codec:type_error(m([{2, Bad}]))),
            ?assertEqual({bad_binary_value, Bad, "M.b"}, codec:type_error(m([{3, Bad}])))
        end
     || Before <- lists:seq(0, 20), After <- [0, 1, 3, 7, 20], Element <- [256, -1, atom, 1.0, {}, 1 bsl 70]
    ].

numbers_test_() ->
    Numbers = [0, 1, -1, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1, (1 bsl 63) - 1, -(1 bsl 63)],
    [
        {lists:concat([Title, " ", N]), fun() ->
            codec:load(defs()),
            Wire = iolist_to_binary([int(3, N), <<33, (float(N)):64/float-little>>, int(5, N), int(5, N)]),
            ?assertEqual(Wire, codec:encode(Make(m([{4, N}, {5, float(N)}, {6, [N, N]}]))))
        end}
     || {Title, Make} <- [
            {"as it is", fun(R) -> R end},
            {"sent", fun sent/1},
            {"constant", fun constant/1},
            {"from the external format", fun(R) -> binary_to_term(term_to_binary(R)) end}
        ],
        N <- Numbers
    ].

%% What was decoded is whole after its input, and whatever else, has been collected.
decoded_terms_survive_collection_test() ->
    codec:load(defs()),
    Inner = [len(1, octets(30)), len(2, octets(100)), int(3, 1 bsl 62), int(5, 1), int(5, -(1 bsl 62))],
    Wire = iolist_to_binary([Inner, len(6, Inner)]),
    Binaries = [{2, list_to_binary(octets(30))}, {3, list_to_binary(octets(100))}],
    Expected = m(Binaries ++ [{4, 1 bsl 62}, {6, [1, -(1 bsl 62)]}]),
    Decoded = [enif_protobuf:decode(binary:copy(Wire), 'M') || _ <- lists:seq(1, 1000)],
    erlang:garbage_collect(),
    [?assertEqual(setelement(7, Expected, Expected), D) || D <- Decoded].
