%% Random schemas, and random records of them, for PropEr. From one model come the .proto text and the definitions.
%%
%% A model is {Syntax, Enums, Messages}. An enum is a list of numbers, a message a list of fields {Number, Kind};
%% messages and enums are told by their place in the list. The first message is the one that records are made of.
-module(random_schema).

-include_lib("proper/include/proper.hrl").

-export([model/0, model/1, proto/1, definitions/1, record/1, record/2, top/0, short/2]).

top() -> 'M1'.

%% A list of at most so many elements, each of full size.
short(Length, Element) -> ?SIZED(Size, resize(min(Length, Size), list(resize(Size, Element)))).

%% Generators of models. `undisputed' leaves out what implementations take differently when the bytes are not an
%% encoder's: strings that are not UTF-8, unknown numbers of proto2's enums, unknown fields in the entries of maps, and
%% groups, where their number comes with a length.

model() -> model(all).

model(What) ->
    ?LET(Syntax, oneof([proto2, proto3]), model(Syntax, What)).

model(Syntax, What) ->
    ?LET(
        {Enums, Messages},
        {non_empty(short(3, enum(Syntax))), non_empty(short(4, fields(Syntax, What)))},
        {Syntax, Enums, [well_formed(Fields, Enums, length(Messages)) || Fields <- Messages]}
    ).

%% In proto3 an enum starts with 0.
enum(proto3) -> ?LET(Numbers, short(5, enum_number()), [0 | lists:usort(Numbers) -- [0]]);
enum(proto2) -> ?LET(Numbers, non_empty(short(5, enum_number())), unique(Numbers)).

enum_number() -> oneof([0, 1, 2, -1, range(3, 200), range(-2147483648, 2147483647)]).

unique([]) -> [];
unique([N | Rest]) -> [N | unique([R || R <- Rest, R =/= N])].

fields(Syntax, What) -> short(8, {field_number(), kind(Syntax, What)}).

field_number() ->
    frequency([{6, range(1, 15)}, {3, range(16, 2047)}, {1, oneof([2048, 18999, 20000, 262144, 33554432, 536870911])}]).

kind(Syntax, What) ->
    Plain = plain_type(Syntax, What),
    Group = {group, oneof([optional, repeated]), short(3, {field_number(), plain(Plain)})},
    frequency(
        [
            {8, plain(Plain)},
            {4, {repeated, Plain, oneof([default, true, false])}},
            {3, {oneof, non_empty(short(4, {field_number(), Plain}))}}
        ] ++
            [{3, {map, key_type(), Plain}} || What =:= all] ++
            [{2, Group} || What =:= all, Syntax =:= proto2]
    ).

plain(Plain) -> {oneof([optional, optional, plain]), Plain}.

plain_type(Syntax, What) ->
    frequency([
        {10, oneof([int32, int64, uint32, uint64, sint32, sint64, bool, float, double, bytes, text(What)])},
        {4, oneof([fixed32, fixed64, sfixed32, sfixed64])},
        {3, enum_type(Syntax, What)},
        {4, {msg, range(1, 100)}}
    ]).

enum_type(proto2, undisputed) -> int32;
enum_type(_, _) -> {enum, range(1, 100)}.

key_type() ->
    Integers = [int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64],
    oneof([bool, string, oneof(Integers)]).

text(all) -> string;
text(undisputed) -> bytes.

%% A number once in a message, references to what is there, and nothing that protoc takes for a mistake.
well_formed(Fields, Enums, Messages) ->
    {Kept, _} = distinct(Fields, [], Enums, Messages),
    Kept.

distinct([], Seen, _, _) ->
    {[], Seen};
distinct([{Number, {oneof, Members}} | Rest], Seen, Enums, Messages) ->
    case distinct(Members, Seen, Enums, Messages) of
        {[], Seen1} ->
            distinct(Rest, Seen1, Enums, Messages);
        {Kept, Seen1} ->
            {Others, Seen2} = distinct(Rest, Seen1, Enums, Messages),
            {[{Number, {oneof, Kept}} | Others], Seen2}
    end;
distinct([{Number, Kind} | Rest], Seen, Enums, Messages) ->
    case lists:member(Number, Seen) of
        true ->
            distinct(Rest, Seen, Enums, Messages);
        false ->
            {Others, Seen1} = distinct(Rest, [Number | Seen], Enums, Messages),
            {[{Number, resolved(Kind, Enums, Messages)} | Others], Seen1}
    end.

resolved({group, Occurrence, Fields}, Enums, Messages) ->
    {group, Occurrence, well_formed(Fields, Enums, Messages)};
resolved({repeated, Type, Packed}, Enums, Messages) ->
    {repeated, type(Type, Enums, Messages), Packed};
resolved({map, Key, Type}, Enums, Messages) ->
    case type(Type, Enums, Messages) of
        %% The enum of a map starts with 0.
        {enum, I} -> {map, Key, hd([{enum, I} || hd(lists:nth(I, Enums)) =:= 0] ++ [int32])};
        Resolved -> {map, Key, Resolved}
    end;
resolved({Occurrence, Type}, Enums, Messages) when Occurrence =:= optional; Occurrence =:= plain ->
    {Occurrence, type(Type, Enums, Messages)};
resolved(Type, Enums, Messages) ->
    type(Type, Enums, Messages).

type({enum, I}, Enums, _) -> {enum, 1 + I rem length(Enums)};
type({msg, I}, _, Messages) -> {msg, 1 + I rem Messages};
type(Type, _, _) -> Type.

%% The .proto text.

proto({Syntax, Enums, Messages}) ->
    unicode:characters_to_binary([
        io_lib:format("syntax = \"~s\";~n", [Syntax]),
        [proto_enum(Name, Numbers) || {Name, Numbers} <- named("E", Enums)],
        [proto_message(Name, Fields, Syntax) || {Name, Fields} <- named("M", Messages)]
    ]).

proto_message(Name, Fields, Syntax) ->
    ["message ", atom_to_list(Name), " {\n", proto_fields(Fields, Syntax), "}\n"].

proto_enum(Name, Numbers) ->
    [
        ["enum ", atom_to_list(Name), " {\n"],
        [io_lib:format("  ~s = ~b;~n", [Symbol, Number]) || {Symbol, Number} <- symbols(Name, Numbers)],
        "}\n"
    ].

proto_fields(Fields, Syntax) -> [proto_field(Field, Syntax) || Field <- Fields].

proto_field({Number, {oneof, Members}}, _) ->
    Lines = [io_lib:format("    ~s ~s = ~b;~n", [proto_type(T), field_name(N), N]) || {N, T} <- Members],
    [io_lib:format("  oneof ~s {~n", [oneof_name(Number, Members)]), Lines, "  }\n"];
proto_field({Number, {group, Occurrence, Fields}}, Syntax) ->
    Head = io_lib:format("  ~s group ~s = ~b {~n", [Occurrence, group_name(Number), Number]),
    [Head, proto_fields(Fields, Syntax), "  }\n"];
proto_field({Number, {map, Key, Type}}, _) ->
    io_lib:format("  map<~s, ~s> ~s = ~b;~n", [Key, proto_type(Type), field_name(Number), Number]);
proto_field({Number, {repeated, Type, Packed}}, _) ->
    Opts = [io_lib:format(" [packed = ~s]", [Packed]) || Packed =/= default, packable(Type)],
    io_lib:format("  repeated ~s ~s = ~b~s;~n", [proto_type(Type), field_name(Number), Number, Opts]);
proto_field({Number, {Occurrence, Type}}, Syntax) ->
    Label = ["optional " || Syntax =:= proto2 orelse Occurrence =:= optional],
    io_lib:format("  ~s~s ~s = ~b;~n", [Label, proto_type(Type), field_name(Number), Number]).

proto_type({enum, I}) -> "E" ++ integer_to_list(I);
proto_type({msg, I}) -> "M" ++ integer_to_list(I);
proto_type(Type) -> atom_to_list(Type).

packable({msg, _}) -> false;
packable(Type) -> Type =/= string andalso Type =/= bytes.

%% The definitions.

definitions({Syntax, Enums, Messages}) ->
    Types = [{enum, Name, symbols(Name, Numbers)} || {Name, Numbers} <- named("E", Enums)] ++
        lists:append([message_types(msg, Name, Fields, Syntax) || {Name, Fields} <- named("M", Messages)]),
    case Syntax of
        proto2 -> schema_terms:proto2(Types);
        proto3 -> schema_terms:proto3(Types)
    end.

message_types(Kind, Name, Fields, Syntax) ->
    Groups = [message_types(group, inner(Name, Number), Inner, Syntax) || {Number, {group, _, Inner}} <- Fields],
    [{Kind, Name, [term_field(Field, Name, Syntax) || Field <- Fields]} | lists:append(Groups)].

term_field({Number, {oneof, Members}}, _, _) ->
    {oneof, oneof_name(Number, Members), [{field_name(N), N, term_type(T)} || {N, T} <- Members]};
term_field({Number, {group, Occurrence, _}}, Name, _) ->
    {group_name(Number), Number, {group, inner(Name, Number)}, Occurrence};
term_field({Number, {map, Key, Type}}, _, _) ->
    {field_name(Number), Number, {map, Key, term_type(Type)}};
term_field({Number, {repeated, Type, Packed}}, _, Syntax) ->
    IsPacked = packable(Type) andalso (Packed =:= true orelse (Packed =:= default andalso Syntax =:= proto3)),
    {field_name(Number), Number, term_type(Type), repeated, [packed || IsPacked]};
term_field({Number, {Occurrence, Type}}, _, Syntax) ->
    Label =
        case Syntax =:= proto2 orelse Occurrence =:= optional of
            true -> optional;
            false -> defaulty
        end,
    {field_name(Number), Number, term_type(Type), Label}.

term_type({enum, I}) -> {enum, list_to_atom("E" ++ integer_to_list(I))};
term_type({msg, I}) -> {msg, list_to_atom("M" ++ integer_to_list(I))};
term_type(Type) -> Type.

named(Prefix, List) ->
    [{list_to_atom(Prefix ++ integer_to_list(I)), Item} || {I, Item} <- numbered(List)].

symbols(Enum, Numbers) ->
    [{list_to_atom(lists:concat([Enum, "_S", I])), Number} || {I, Number} <- numbered(Numbers)].

numbered(List) -> lists:zip(lists:seq(1, length(List)), List).

field_name(Number) -> list_to_atom("f" ++ integer_to_list(Number)).

group_name(Number) -> list_to_atom("G" ++ integer_to_list(Number)).

%% By its first member, whose number is no other field's.
oneof_name(_, [{Number, _} | _]) -> list_to_atom("o" ++ integer_to_list(Number)).

inner(Name, Number) -> list_to_atom(lists:concat([Name, ".", group_name(Number)])).

%% Generators of records, as they come out of decoding with strings as binaries.

record(Model) -> ?SIZED(Size, record(Model, min(Size, 30))).

record({_, _, [Fields | _]} = Model, Size) -> message(top(), Fields, Model, Size).

message(Name, Fields, Model, Size) ->
    ?LET(Values, [field_value(Field, Name, Model, Size) || Field <- Fields], list_to_tuple([Name | Values])).

field_value({_, {oneof, Members}}, _, Model, Size) ->
    oneof([undefined | [{field_name(N), value(T, Model, Size)} || {N, T} <- Members, fits(T, Size)]]);
field_value({Number, {group, optional, Fields}}, Name, Model, Size) when Size > 0 ->
    oneof([undefined, ?LAZY(message(inner(Name, Number), Fields, Model, Size div 2))]);
field_value({Number, {group, repeated, Fields}}, Name, Model, Size) when Size > 0 ->
    short(3, ?LAZY(message(inner(Name, Number), Fields, Model, Size div 3)));
field_value({_, {group, optional, _}}, _, _, _) ->
    undefined;
field_value({_, {group, repeated, _}}, _, _, _) ->
    [];
field_value({_, {map, Key, Type}}, _, Model, Size) ->
    case fits(Type, Size) of
        true -> ?LET(Entries, entries(Key, Type, Model, Size), distinct_keys(Entries));
        false -> []
    end;
field_value({_, {repeated, Type, _}}, _, Model, Size) ->
    case fits(Type, Size) of
        true -> short(5, value(Type, Model, Size div 3));
        false -> []
    end;
field_value({_, {Occurrence, Type}}, _, {Syntax, Enums, _} = Model, Size) ->
    Absent =
        case {Syntax, Occurrence, Type} of
            {proto3, plain, {msg, _}} -> undefined;
            {proto3, plain, _} -> type_default(Type, Enums);
            _ -> undefined
        end,
    case fits(Type, Size) of
        true -> oneof([Absent, value(Type, Model, Size)]);
        false -> Absent
    end.

fits({msg, _}, Size) -> Size > 0;
fits(_, _) -> true.

entries(Key, Type, Model, Size) -> short(4, {value(Key, Model, 0), value(Type, Model, Size div 3)}).

distinct_keys(Entries) ->
    lists:foldr(fun({Key, Value}, Acc) -> [{Key, Value} | lists:keydelete(Key, 1, Acc)] end, [], Entries).

type_default(bool, _) -> false;
type_default(Type, _) when Type =:= string; Type =:= bytes -> <<>>;
type_default(Type, _) when Type =:= float; Type =:= double -> 0.0;
type_default({enum, I}, Enums) -> symbol(I, 0, Enums);
type_default(_, _) -> 0.

value({msg, I}, {_, _, Messages} = Model, Size) ->
    ?LAZY(message(list_to_atom("M" ++ integer_to_list(I)), lists:nth(I, Messages), Model, Size div 2));
value({enum, I}, {Syntax, Enums, _}, _) ->
    Known = [symbol(I, Number, Enums) || Number <- lists:nth(I, Enums)],
    %% Enums of proto2 are closed in the oracle's eyes.
    case Syntax of
        proto2 -> oneof(Known);
        proto3 -> frequency([{4, oneof(Known)}, {1, ?LET(Number, enum_number(), symbol(I, Number, Enums))}])
    end;
value(bool, _, _) ->
    boolean();
value(string, _, _) ->
    ?LET(Characters, list(character()), unicode:characters_to_binary(Characters));
value(bytes, _, _) ->
    oneof([binary(), ?LET({B, N}, {binary(), range(1, 60)}, binary:copy(B, N))]);
value(float, _, _) ->
    frequency([
        {1, oneof([infinity, '-infinity', nan])},
        {2, ?LET(I, range(-1000, 1000), I / 8)},
        {2, ?LET(<<Float:32/float>>, finite_float(), Float)}
    ]);
value(double, _, _) ->
    frequency([{1, oneof([infinity, '-infinity', nan])}, {4, float()}, {1, ?LET(I, range(-1000, 1000), I / 8)}]);
value(Type, _, _) ->
    integer_of(Type).

%% Bits of a float that is a number.
finite_float() ->
    ?LET(
        {Sign, Exponent, Fraction},
        {range(0, 1), range(0, 254), range(0, 16#7fffff)},
        <<Sign:1, Exponent:8, Fraction:23>>
    ).

symbol(I, Number, Enums) ->
    Enum = list_to_atom("E" ++ integer_to_list(I)),
    case lists:keyfind(Number, 2, symbols(Enum, lists:nth(I, Enums))) of
        {Symbol, Number} -> Symbol;
        false -> Number
    end.

character() ->
    frequency([
        {8, range(0, 127)},
        {2, range(128, 2047)},
        {2, range(2048, 16#d7ff)},
        {1, range(16#e000, 16#ffff)},
        {1, range(16#10000, 16#10ffff)}
    ]).

integer_of(Type) ->
    {Min, Max} = range_of(Type),
    frequency([
        {3, range(max(Min, -100), 100)},
        {2, range(Min, Max)},
        {1, oneof([Min, Max])},
        {2, ?LET({Bits, Delta}, {range(0, 64), range(-1, 1)}, clamp((1 bsl Bits) + Delta, Min, Max))},
        {1, ?LET({Bits, Delta}, {range(0, 64), range(-1, 1)}, clamp(-(1 bsl Bits) + Delta, Min, Max))}
    ]).

clamp(Value, Min, Max) -> max(Min, min(Max, Value)).

range_of(Type) when Type =:= uint32; Type =:= fixed32 -> {0, (1 bsl 32) - 1};
range_of(Type) when Type =:= uint64; Type =:= fixed64 -> {0, (1 bsl 64) - 1};
range_of(Type) when Type =:= int64; Type =:= sint64; Type =:= sfixed64 -> {-(1 bsl 63), (1 bsl 63) - 1};
range_of(_) -> {-(1 bsl 31), (1 bsl 31) - 1}.
