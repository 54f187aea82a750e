%% Random schemas and bytes, from the seed of the process: quick to make, and odd where protoc would not allow it.
-module(fuzz_random).

-export([below/1, one_in/1, pick/1, octets/1, schema/0, wire/2, changed/1, odd_term/0, replace/2]).

-import(wire_bytes, [tag/2, varint/1]).

below(End) -> rand:uniform(End) - 1.
one_in(Times) -> rand:uniform(Times) =:= 1.
pick(List) -> lists:nth(rand:uniform(length(List)), List).
octets(End) -> rand:bytes(below(End)).

%% Definitions: messages M1.., groups G1, G2, enums E1, E2. Fields come in any order of positions.

schema() ->
    Messages = [list_to_atom("M" ++ integer_to_list(I)) || I <- lists:seq(1, rand:uniform(4))],
    Groups = ['G1', 'G2'],
    Symbols = [{list_to_atom("s" ++ integer_to_list(I)), I * 3} || I <- lists:seq(0, rand:uniform(40))],
    [
        {proto_defs_version, 2},
        {{enum, 'E1'}, [
            {zero, 0}, {one, 1}, {uno, 1}, {neg, -1}, {big, 2147483647}, {min, -2147483648}, {k300, 300}
        ]},
        {{enum, 'E2'}, Symbols}
    ] ++
        [{{msg, Name}, fields(Messages, Groups)} || Name <- Messages] ++
        [{{group, Name}, fields(Messages, Groups)} || Name <- Groups].

fields(Messages, Groups) ->
    Count =
        case rand:uniform(12) of
            1 -> 40 + rand:uniform(60);
            2 -> 0;
            _ -> rand:uniform(9)
        end,
    Unknowns = below(3 * Count + 1),
    {Fields, _} = lists:mapfoldl(
        fun
            (Index, Used) when Index =:= Unknowns ->
                {{field, '$unknowns', undefined, Index + 1, unknown, repeated, []}, Used};
            (Index, Used) ->
                field(Index, Used, Messages, Groups)
        end,
        [],
        lists:seq(1, Count)
    ),
    case one_in(2) of
        true -> lists:reverse(Fields);
        false -> Fields
    end.

field(Index, Used, Messages, Groups) ->
    Name = list_to_atom("f" ++ integer_to_list(Index)),
    Position = Index + 1,
    Number = number(Used),
    Type = type(Messages, Groups),
    Field = fun(Of, Occurrence, Options) ->
        {{field, Name, Number, Position, Of, Occurrence, Options}, [Number | Used]}
    end,
    case rand:uniform(10) of
        Oneof when Oneof =< 2 ->
            {Members, Used1} = lists:mapfoldl(
                fun(Member, Used0) ->
                    MemberName = list_to_atom(lists:concat([Name, "_", Member])),
                    MemberNumber = number(Used0),
                    MemberType = type(Messages, Groups),
                    Of = {field, MemberName, MemberNumber, Position, MemberType, optional, []},
                    {Of, [MemberNumber | Used0]}
                end,
                Used,
                lists:seq(1, pick([1, 2, 3, 4, 12]))
            ),
            {{gpb_oneof, Name, Position, Members, []}, Used1};
        3 ->
            Value = pick([{msg, pick(Messages)}, {enum, pick(['E1', 'E2'])}, scalar(), scalar()]),
            Field({map, key(), Value}, repeated, []);
        Repeated when Repeated =< 6 ->
            Field(Type, repeated, [packed || one_in(2)]);
        7 ->
            Field(Type, defaulty, []);
        _ ->
            Field(Type, pick([optional, optional, optional, required]), [])
    end.

number(Used) ->
    Number =
        case rand:uniform(10) of
            1 -> rand:uniform(536870911);
            2 -> rand:uniform(3000);
            3 -> 14 + rand:uniform(3);
            4 -> 2046 + rand:uniform(3);
            5 -> rand:uniform(60);
            _ -> rand:uniform(16)
        end,
    case lists:member(Number, Used) of
        true -> number(Used);
        false -> Number
    end.

type(Messages, Groups) ->
    case rand:uniform(10) of
        N when N =< 3 -> {msg, pick(Messages)};
        4 -> {group, pick(Groups)};
        5 -> {enum, pick(['E1', 'E2'])};
        _ -> scalar()
    end.

scalar() ->
    pick([
        int32, int64, uint32, uint64, sint32, sint64, bool, fixed32, fixed64, sfixed32, sfixed64, float, double,
        string, bytes
    ]).

key() ->
    case scalar() of
        Type when Type =:= float; Type =:= double; Type =:= bytes -> key();
        Type -> Type
    end.

%% Bytes of a message, with everything in them that decoders get wrong.

wire(Message, Definitions) ->
    Size =
        case rand:uniform(15) of
            1 -> 400;
            _ -> rand:uniform(12)
        end,
    put(budget, 10 * Size),
    Wire = iolist_to_binary(message(Message, Definitions, Size, 0)),
    case one_in(4) of
        true -> changed(Wire);
        false -> Wire
    end.

message(Message, Definitions, Size, Depth) ->
    All = lists:append([members(Field) || Field <- maps:get(Message, Definitions)]),
    %% The same fields again and again, now and then.
    Fields =
        case All =/= [] andalso one_in(3) of
            true -> [pick(All) || _ <- lists:seq(1, 3)];
            false -> All
        end,
    [wire_field(Fields, Definitions, Depth) || _ <- lists:seq(1, Size)].

members({gpb_oneof, _, _, Members, _}) -> Members;
members({field, _, undefined, _, _, _, _}) -> [];
members(Field) -> [Field].

inner(Type, Definitions, Depth) ->
    case get(budget) of
        Budget when Budget > 0, Depth =< 6 ->
            put(budget, Budget - 1),
            message(Type, Definitions, below(5), Depth + 1);
        _ ->
            []
    end.

wire_field([], _, Depth) ->
    unknown(unknown_number(), Depth);
wire_field(Fields, Definitions, Depth) ->
    {field, _, Number, _, Type, Occurrence, _} = pick(Fields),
    case rand:uniform(80) of
        N when N =< 4 -> unknown(unknown_number(), Depth);
        N when N =< 8 -> unknown(Number, Depth);
        9 -> octets(4);
        _ -> known(Number, Type, Occurrence, Definitions, Depth)
    end.

unknown_number() -> rand:uniform(pick([40, 40, 40, 536870911])).

unknown(Number, Depth) ->
    case rand:uniform(6) of
        1 -> [long_tag(Number, 1), rand:bytes(8)];
        2 -> [long_tag(Number, 5), rand:bytes(4)];
        3 -> [long_tag(Number, 2), with_length(octets(40))];
        4 when Depth < 6 ->
            Inner = [unknown(unknown_number(), Depth + 1) || _ <- lists:seq(1, below(3))],
            [long_tag(Number, 3), Inner, tag(Number, 4)];
        _ -> [long_tag(Number, 0), any_varint()]
    end.

%% A tag, in more bytes than it needs now and then; and a length, which is a lie now and then.
long_tag(Number, WireType) ->
    case one_in(40) of
        true -> padded(Number * 8 + WireType, 5);
        false -> tag(Number, WireType)
    end.

with_length(Data) ->
    Length = iolist_size(Data),
    Written =
        case rand:uniform(200) of
            N when N =< 5 -> padded(Length, rand:uniform(10));
            6 -> varint(Length + 1);
            7 -> varint(max(0, Length - 1));
            8 -> varint(Length bor (1 bsl 32));
            9 -> any_varint();
            _ -> varint(Length)
        end,
    [Written, Data].

padded(Value, Size) -> wire_bytes:padded_varint(Value, max(Size, byte_size(varint(Value)))).

any_varint() ->
    case rand:uniform(8) of
        1 -> varint(below(1 bsl 64));
        2 -> varint((1 bsl below(64)) - below(2));
        3 -> padded(below(200), rand:uniform(11));
        4 -> [binary:copy(<<255>>, 9), below(128)];
        5 -> varint((1 bsl 64) - rand:uniform(300));
        _ -> varint(below(300))
    end.

known(Number, {map, Key, Value}, _, Definitions, Depth) ->
    Part = fun() ->
        case rand:uniform(9) of
            1 -> unknown(unknown_number(), Depth + 1);
            N when N < 6 -> known(1, Key, optional, Definitions, Depth + 1);
            _ -> known(2, Value, optional, Definitions, Depth + 1)
        end
    end,
    [long_tag(Number, 2), with_length([Part() || _ <- lists:seq(1, below(4))])];
known(Number, {msg, _} = Type, _, Definitions, Depth) ->
    [long_tag(Number, 2), with_length(inner(Type, Definitions, Depth))];
known(Number, {group, _} = Type, _, Definitions, Depth) ->
    [long_tag(Number, 3), inner(Type, Definitions, Depth), tag(Number, 4)];
known(Number, Type, Occurrence, _, _) ->
    WireType = naive_decoder:wire_type(Type),
    case Occurrence =:= repeated andalso WireType =/= 2 andalso one_in(2) of
        true -> [long_tag(Number, 2), with_length([scalar_bytes(Type) || _ <- lists:seq(1, below(6))])];
        false -> [long_tag(Number, WireType), scalar_bytes(Type)]
    end.

scalar_bytes({enum, _}) ->
    varint(pick([0, 1, 2, 3, 6, 9, 30, 300, 2147483647, -1, -2147483648, (1 bsl 32) - 1, below(1 bsl 64)]));
scalar_bytes(Type) ->
    case naive_decoder:wire_type(Type) of
        0 ->
            case one_in(2) of
                true -> varint(below(3));
                false -> any_varint()
            end;
        5 ->
            pick([<<0, 0, 128, 127>>, <<0, 0, 128, 255>>, <<0, 0, 192, 127>>, <<128:32>>, <<0:32>>, rand:bytes(4)]);
        1 ->
            pick([<<0:48, 240, 127>>, <<0:48, 240, 255>>, <<1, 0:40, 240, 127>>, <<128:64>>, <<0:64>>, rand:bytes(8)]);
        2 ->
            with_length(pick([octets(30), text(), <<>>, binary:copy(<<"abcdefgh">>, rand:uniform(20)), <<"a">>]))
    end.

text() -> unicode:characters_to_binary([character() || _ <- lists:seq(1, below(20))]).

character() -> pick([below(128), 128 + below(1920), 16#800 + below(16#d000), 16#10000 + below(16#100000)]).

%% Bytes with one of them changed, left out, doubled or added, or cut.
changed(<<>>) ->
    <<>>;
changed(Bytes) ->
    {Before, <<Byte, After/binary>>} = split_binary(Bytes, below(byte_size(Bytes))),
    case rand:uniform(5) of
        1 -> Before;
        2 -> <<Before/binary, After/binary>>;
        3 -> <<Before/binary, (below(256)), Byte, After/binary>>;
        4 -> <<Before/binary, Byte, Byte, After/binary>>;
        5 -> <<Before/binary, (Byte bxor (1 bsl below(8))), After/binary>>
    end.

%% Terms that no field expects, some of them in forms that the VM keeps in a way of their own.

odd_term() -> odd_term(0).

odd_term(Depth) ->
    case rand:uniform(24) of
        N when N =< 3 -> odd_integer();
        4 -> below(300) - 20;
        5 -> pick([rand:normal(), 0.0, -0.0, 1.0e300]);
        6 -> pick([undefined, true, false, infinity, '-infinity', nan, a, zero, f1, [], {}, <<>>, #{}, #{a => [1]}]);
        7 -> octets(100);
        8 -> pick([self(), make_ref(), fun erlang:length/1, fun() -> Depth end, hd(erlang:ports() ++ [none])]);
        9 -> odd_binary();
        10 -> odd_binary();
        11 -> unicode:characters_to_binary([below(50000), below(100)]);
        N when N =< 13, Depth < 5 -> [odd_term(Depth + 1) || _ <- lists:seq(1, below(5))];
        14 when Depth < 5 -> [odd_term(Depth + 1), odd_term(Depth + 1) | odd_term(Depth + 1)];
        15 when Depth < 5 -> list_to_tuple([odd_term(Depth + 1) || _ <- lists:seq(1, below(4))]);
        16 when Depth < 5 -> {pick(['M1', 'M2', 'G1', f1, f2_1, f3_2]), odd_term(Depth + 1)};
        17 when Depth < 5 -> [{odd_term(Depth + 1), odd_term(Depth + 1)} || _ <- lists:seq(1, rand:uniform(3))];
        18 -> [below(256) || _ <- lists:seq(1, rand:uniform(40))];
        19 -> [pick([0, 127, 128, 255, 256, 16#d800, 16#10ffff, 16#110000]) || _ <- lists:seq(1, rand:uniform(4))];
        20 when Depth < 5 ->
            Kinds = [varint, fixed32, fixed64, length_delimited, group, other],
            [{pick(Kinds), below(20) - 1, odd_term(Depth + 1)} || _ <- lists:seq(1, rand:uniform(3))];
        21 -> persistent_term:get({?MODULE, literal}, [1, 2, 3 | <<"tail">>]);
        22 when Depth =:= 0 ->
            lists:foldl(fun(_, List) -> [List | [$x]] end, [], lists:seq(1, pick([10, 1000, 50000])));
        23 when Depth =:= 0 -> lists:foldl(fun(_, List) -> [List] end, <<"b">>, lists:seq(1, pick([10, 1000, 50000])));
        _ -> [octets(30) || _ <- lists:seq(1, 3)]
    end.

odd_integer() ->
    Bits = pick([0, 7, 8, 31, 32, 58, 59, 60, 61, 62, 63, 64, 65, 100, 127, 128, 1023, 1024, 4000]),
    pick([1, -1]) * ((1 bsl Bits) + below(3) - 1).

odd_binary() ->
    Skipped = below(8),
    Octets = below(200),
    case rand:uniform(3) of
        1 ->
            <<_:Skipped, Rest/bits>> = rand:bytes(1 + Octets),
            Rest;
        2 ->
            <<_:Skipped, Middle:Octets/binary, _/bits>> = rand:bytes(2 + Octets),
            Middle;
        3 ->
            %% One that may still grow.
            Whole = rand:bytes(300),
            <<(<<Whole/binary, 1>>)/binary, 2>>
    end.

%% Replace(Term) at a random place in the term.
replace(Term, Replace) ->
    case one_in(3) of
        true -> Replace(Term);
        false -> replace_within(Term, Replace)
    end.

replace_within(Tuple, Replace) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    Index = rand:uniform(tuple_size(Tuple)),
    case rand:uniform(16) of
        1 -> erlang:delete_element(Index, Tuple);
        2 -> erlang:insert_element(Index, Tuple, Replace(undefined));
        _ -> setelement(Index, Tuple, replace(element(Index, Tuple), Replace))
    end;
replace_within([_ | _] = List, Replace) ->
    {Before, [Element | After]} = split(below(cells(List)), List, []),
    Changed =
        case rand:uniform(12) of
            1 -> After;
            2 -> [Element, Element | After];
            3 -> [Element | Replace(After)];
            4 -> [Replace(Element), Element | After];
            _ -> [replace(Element, Replace) | After]
        end,
    lists:foldl(fun(Head, Tail) -> [Head | Tail] end, Changed, Before);
replace_within(Map, Replace) when is_map(Map), map_size(Map) > 0 ->
    Key = pick(maps:keys(Map)),
    case one_in(8) of
        true -> maps:remove(Key, Map);
        false -> Map#{Key => replace(maps:get(Key, Map), Replace)}
    end;
replace_within(Term, Replace) ->
    Replace(Term).

cells([_ | Tail]) -> 1 + cells(Tail);
cells(_) -> 0.

split(0, List, Before) -> {Before, List};
split(Count, [Element | Rest], Before) -> split(Count - 1, Rest, [Element | Before]).
