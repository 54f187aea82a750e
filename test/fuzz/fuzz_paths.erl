%% Values read from bytes and put into them by their paths, and encoding to iolists: what decoding, replacing and
%% encoding all of it gives.
-module(fuzz_paths).

-export([calls/0]).

-import(fuzz_random, [pick/1, one_in/1, below/1]).

calls() ->
    Closed = one_in(2),
    Definitions = [definition(Definition, Closed) || Definition <- fuzz_random:schema()],
    ok = enif_protobuf:load_cache(Definitions),
    [call(Definitions, Closed) || _ <- lists:seq(1, 5)].

%% The oracle cannot write what lacks a required field, so that there is one less often. Of a closed enum numbers
%% without symbol are unknown fields.
definition({{enum, Name}, Symbols}, true) ->
    {{enum, Name}, Symbols ++ [{option, [features, enum_type], 'CLOSED'}]};
definition({Name, Fields}, _) when is_list(Fields) ->
    {Name, [optional(Field) || Field <- Fields]};
definition(Other, _) ->
    Other.

optional({field, _, _, _, _, required, _} = Field) ->
    setelement(6, Field, pick([optional, optional, optional, required]));
optional(Field) -> Field.

call(Definitions, Closed) ->
    Fields = set_oracle:fields(Definitions),
    Wire = fuzz_doors:placed(wire(Definitions)),
    _ = [odd_path(Wire, Fields) || _ <- "123"],
    case decoded(Wire) of
        refused ->
            %% What is wrong may be on the way or not.
            Empty = enif_protobuf:decode(<<>>, 'M1'),
            Paths = sample(10, set_oracle:changes(Empty, Empty, Fields, 3)),
            {refused, [raised(fun() -> enif_protobuf:set(Wire, 'M1', Path, Value) end) || {Path, Value} <- Paths]};
        {ok, Record} ->
            Donor = donor(decoded(wire(Definitions)), Record),
            Changes = set_oracle:changes(Record, Donor, Fields, 4),
            read(Wire, Record, sample(20, [Path || {Path, _} <- Changes]), Fields),
            _ = set_oracle:agrees(Wire, Record, Donor, Definitions, 20),
            %% A closed enum takes any number, which is an unknown field then: each time one more.
            _ = not Closed andalso encodes(Record) andalso
                odd_values(Wire, Record, sample(10, Changes), Definitions),
            iolists(Record),
            {erlang:phash2(Record), [in_form(Wire, Change) || Change <- sample(10, Changes)]}
    end.

%% What values are taken from: those of a message that lacks what is required are none.
donor({ok, Donor}, Record) ->
    case encodes(Donor) of
        true -> Donor;
        false -> Record
    end;
donor(refused, Record) ->
    Record.

%% One message, or several, which are merged.
wire(Definitions) ->
    Map = maps:from_list(Definitions),
    iolist_to_binary([fuzz_random:wire({msg, 'M1'}, Map) || _ <- lists:seq(1, pick([1, 1, 2, 3]))]).

decoded(Wire) ->
    try
        {ok, enif_protobuf:decode(Wire, 'M1')}
    catch
        error:{decode_error, _} -> refused
    end.

encodes(Record) ->
    case encoded(fun enif_protobuf:encode/1, Record) of
        {ok, _} -> true;
        {refused, _} -> false
    end.

sample(Count, List) ->
    Step = max(1, length(List) div Count),
    From = below(Step),
    [Element || {Number, Element} <- lists:zip(lists:seq(1, length(List)), List), Number rem Step =:= From].

%% What stands in the record at the end of each path.
read(Wire, Record, Paths, Fields) ->
    Values = lists:zip(Paths, enif_protobuf:select(Wire, 'M1', Paths)),
    _ = [
        same(value(Record, Path, Fields), Ours) orelse
            error({disagree, [{wire, Wire}, {path, Path}, {ours, Ours}, {record, Record}]})
     || {Path, Together} <- Values, Ours <- [Together, enif_protobuf:get(Wire, 'M1', Path)]
    ],
    ok.

%% Also the sign of 0.0.
same(One, Other) -> term_to_binary(One, [deterministic]) =:= term_to_binary(Other, [deterministic]).

value(Value, [], _) ->
    Value;
value(undefined, _, _) ->
    undefined;
value(Record, [Name | Steps], Fields) ->
    case {set_oracle:named(Name, maps:get(element(1, Record), Fields)), Steps} of
        {{oneof, Position, none}, []} ->
            element(Position, Record);
        {{oneof, Position, _}, _} ->
            case element(Position, Record) of
                {Name, Value} -> value(Value, Steps, Fields);
                _ -> undefined
            end;
        {{map, Position, _}, [Key | Rest]} ->
            value(proplists:get_value(Key, element(Position, Record)), Rest, Fields);
        {{repeated, Position, _}, [At | Rest]} ->
            case element(Position, Record) of
                List when At =< length(List) -> value(lists:nth(At, List), Rest, Fields);
                _ -> undefined
            end;
        {Found, _} ->
            value(element(element(2, Found), Record), Steps, Fields)
    end.

%% A value is put in as a map, where one with that value was read from.
in_form(Wire, {Path, Value}) ->
    Options = pick(map_form:options()) ++ [{strings, pick([binary, list])}],
    case raised(fun() -> enif_protobuf:set(Wire, 'M1', Path, Value) end) of
        {value, New} when Value =/= undefined ->
            Form = enif_protobuf:get(New, 'M1', Path, Options),
            case raised(fun() -> enif_protobuf:set(Wire, 'M1', Path, Form, Options) end) of
                {value, FromForm} ->
                    Sorted = [sorted(enif_protobuf:decode(Bytes, 'M1')) || Bytes <- [New, FromForm]],
                    same(hd(Sorted), lists:last(Sorted)) orelse
                        error({disagree, [{wire, Wire}, {path, Path}, {form, Form}, {options, Options}, Sorted]}),
                    erlang:phash2(New);
                %% What is required in the value, and was not there.
                {gpb_type_error, What} when What =/= undefined -> What
            end;
        Other ->
            element(1, Other)
    end.

%% Entries of maps come in any order.
sorted([{_, _} | _] = Entries) -> lists:sort([{Key, sorted(Value)} || {Key, Value} <- Entries]);
sorted([Element | Rest]) -> [sorted(Element) | sorted(Rest)];
sorted(Tuple) when is_tuple(Tuple) -> list_to_tuple(sorted(tuple_to_list(Tuple)));
sorted(Other) -> Other.

%% Terms that no field expects are refused as encoding all of it does.
odd_values(Wire, Record, Changes, Definitions) ->
    {Fields, Index} = {set_oracle:fields(Definitions), record_form:index(Definitions)},
    [
        try
            Odd = fuzz_random:replace(Value, fun(_) -> fuzz_random:odd_term() end),
            set_oracle:agrees_at(Wire, Record, {Path, Odd}, Fields, Index)
        catch
            %% A kept unknown field may have the number of a known one, and then be wrong for that.
            error:{decode_error, _} -> ok
        end
     || {[_ | _] = Path, Value} <- Changes
    ].

%% Steps that lead nowhere are told as such.
odd_path(Wire, Fields) ->
    Names = [element(2, Field) || Field <- maps:get('M1', Fields)] ++ [f1, f2, f1_1, f2_1],
    Step = fun() -> pick([pick(Names), pick(Names), 1, 2, below(5), <<>>, true, fuzz_random:odd_term()]) end,
    Path = [Step() || _ <- lists:seq(1, below(5))],
    Call = pick([
        fun() -> enif_protobuf:get(Wire, 'M1', Path) end,
        fun() -> enif_protobuf:select(Wire, 'M1', [Path, Path]) end,
        fun() -> enif_protobuf:set(Wire, 'M1', Path, fuzz_random:odd_term()) end
    ]),
    raised(Call).

raised(Call) ->
    try
        {value, Call()}
    catch
        error:{decode_error, #{message := 'M1', offset := _, path := _, reason := Reason}} = Why:Stack ->
            sentence(Why, Stack),
            {decode_error, Reason};
        error:{gpb_type_error, {What, [{value, _}, {path, _}]}} = Why:Stack ->
            sentence(Why, Stack),
            {gpb_type_error, What};
        error:badarg:Stack ->
            sentence(badarg, Stack),
            {badarg, path}
    end.

sentence(Why, Stack) ->
    Sentences = enif_protobuf:format_error(Why, Stack),
    true = map_size(Sentences) > 0 andalso lists:all(fun is_binary/1, maps:values(Sentences)).

%% The same bytes, or the same error, whatever is referred to.
iolists(Record) ->
    Large = grown(Record),
    Odd = fuzz_random:replace(Large, fun(_) -> fuzz_random:odd_term() end),
    Records = [Record, Large | [Odd || is_tuple(Odd), is_tuple(Record), element(1, Odd) =:= 'M1']],
    _ = [
        encoded(fun enif_protobuf:encode/1, Any) =:= encoded(fun joined/1, Any) orelse
            error({disagree, [{record, Any}]})
     || Any <- Records
    ],
    ok.

joined(Record) ->
    Iolist = enif_protobuf:encode_to_iolist(Record),
    true = lists:all(fun is_binary/1, Iolist) andalso (Iolist =:= [<<>>] orelse not lists:member(<<>>, Iolist)),
    iolist_to_binary(Iolist).

encoded(Encode, Record) ->
    try
        {ok, Encode(Record)}
    catch
        error:{gpb_type_error, Why} -> {refused, Why};
        error:badarg -> {refused, badarg}
    end.

%% With larger binaries, also in iolists, and at no octet.
grown(Binary) when is_binary(Binary) ->
    Large = binary:copy(<<"abcdefg">>, pick([1, 146, 147, 1000])),
    <<_:3, Shifted:1200/binary, _/bits>> = binary:copy(<<"x">>, 1201),
    Lists = [[Large, Binary | Large], [[Large], Shifted]],
    pick([Binary, Binary, Binary, Large, fuzz_doors:placed(Large), Shifted | Lists]);
grown(Tuple) when is_tuple(Tuple) -> list_to_tuple(grown(tuple_to_list(Tuple)));
grown([Head | Tail]) -> [grown(Head) | grown(Tail)];
grown(Other) -> Other.
