%% Bytes that are few to say and much to read: deep nesting, groups that are never closed, one piece again and again.
-module(fuzz_large).

-export([wires/0]).

-define(DEEPEST, 1000000).

definitions() ->
    Self = [
        {m, 1, {msg, 'M1'}},
        {r, 2, {msg, 'M1'}, repeated},
        {f, 3, {map, int32, {msg, 'M1'}}},
        {oneof, o, [{a, 4, {msg, 'M1'}}, {b, 5, {msg, 'K'}}, {i, 6, int32}]},
        {g, 7, {group, 'G'}},
        {h, 8, {group, 'G'}, repeated},
        {p, 9, int32, repeated, [packed]},
        {s, 10, string, repeated},
        {x, 11, int32}
    ],
    schema_terms:proto2([{msg, 'M1', Self}, {group, 'G', Self}, {msg, 'K', [{x, 1, int32}, unknown]}]).

wires() ->
    ok = enif_protobuf:load_cache(definitions()),
    [wire(shape(Shape)) || Shape <- lists:seq(1, 12)].

size() -> fuzz_random:pick([1, 10, 1000, 100000, ?DEEPEST]) - fuzz_random:below(2).

%% Its name, the message it is read as, whether it can be read, and the bytes.
shape(1) -> {messages, 'M1', true, wire_bytes:nested(fuzz_random:pick([1, 2, 4]), size(), <<88, 7>>)};
shape(2) -> {known_groups, 'M1', true, groups(fuzz_random:pick([7, 8]), size())};
shape(3) -> {skipped_groups, 'M1', true, groups(100, size())};
shape(4) -> {kept_groups, 'K', true, groups(100, size())};
shape(5) ->
    Open = repeated(tag(fuzz_random:pick([7, 8, 100]), 3), 1 + size()),
    {open_groups, fuzz_random:pick(['M1', 'K']), false, Open};
shape(6) -> {crossed_groups, 'M1', false, [groups(7, size()), tag(7, 4)]};
shape(7) -> {lying_length, 'M1', false, [repeated(<<16#0a, 16#7f>>, 1 + size())]};
shape(8) -> {changing_oneof, 'M1', true, repeated(<<16#22, 2, 88, 1, 16#2a, 2, 8, 1, 48, 5>>, size())};
shape(9) -> {merged, 'M1', true, repeated(<<16#0a, 4, 16#0a, 2, 88, 1>>, size())};
shape(10) -> {empty_messages, 'M1', true, repeated(<<16#12, 0>>, size())};
shape(11) -> {packed_and_not, 'M1', true, repeated(<<16#48, 1, 16#4a, 2, 1, 2, 16#52, 0>>, size() div 2)};
shape(12) -> {entries, 'M1', true, [wire_bytes:len(3, [8, wire_bytes:varint(K)]) || K <- lists:seq(1, size() div 10)]}.

tag(Number, WireType) -> wire_bytes:tag(Number, WireType).

groups(Number, Depth) -> [repeated(tag(Number, 3), Depth), repeated(tag(Number, 4), Depth)].

repeated(Piece, Times) -> binary:copy(Piece, Times).

wire({Name, Message, Readable, Data}) ->
    Wire = iolist_to_binary(Data),
    Limit = fuzz_random:pick([infinity, infinity, 100]),
    ok = enif_protobuf:set_opts([{max_depth, Limit}]),
    Answer =
        try enif_protobuf:decode(Wire, Message) of
            Record when element(1, Record) =:= Message -> Record
        catch
            error:{decode_error, #{reason := Reason}} -> {refused, Reason}
        end,
    case Answer of
        {refused, {max_depth, 100}} when Limit =:= 100 -> {Name, too_deep};
        {refused, Why} when not Readable -> {Name, Why};
        {refused, Why} -> error({disagree, [{shape, Name}, {size, byte_size(Wire)}, {refused, Why}]});
        _ when not Readable -> error({disagree, [{shape, Name}, {size, byte_size(Wire)}, {accepted, true}]});
        _ -> {Name, stable(Answer, Message)}
    end.

%% How many bytes it is encoded to, which are read and written again as so many.
stable(Record, Message) ->
    Wire = enif_protobuf:encode(Record),
    ok = enif_protobuf:set_opts([{max_depth, infinity}]),
    Again = enif_protobuf:encode(enif_protobuf:decode(Wire, Message)),
    case byte_size(Again) =:= byte_size(Wire) of
        true -> byte_size(Wire);
        false -> error({disagree, [{encoded, byte_size(Wire)}, {again, byte_size(Again)}]})
    end.
