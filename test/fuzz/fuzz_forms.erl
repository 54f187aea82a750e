%% Messages as maps, with the options of a call and under a name: what the record says, and odd terms in their place.
-module(fuzz_forms).

-export([calls/0]).

-import(fuzz_random, [pick/1, one_in/1]).

calls() ->
    Definitions = fuzz_random:schema(),
    ok = enif_protobuf:load_cache(forms, Definitions),
    Options = pick(map_form:options()) ++ [{strings, pick([binary, list])}, {cache, forms}],
    Answers = [call(Definitions, Options) || _ <- lists:seq(1, 20)],
    ok = enif_protobuf:purge_cache(forms),
    Answers.

call(Definitions, Options) ->
    Wire = fuzz_random:wire({msg, 'M1'}, maps:from_list(Definitions)),
    AsList = lists:member({strings, list}, Options),
    Naive = naive_decoder:decode(Wire, {msg, 'M1'}, maps:from_list(Definitions), {AsList, false, infinity}),
    case {decoded(Wire, Options), Naive} of
        {refused, refused} ->
            odd(#{}, Options);
        {{ok, Map}, {ok, Record}} ->
            Expected = map_form:of_record(Record, Definitions, Options),
            Disagree = [{wire, Wire}, {options, Options}, {ours, Map}, {naive, Expected}],
            same(Expected, Map) orelse error({disagree, Disagree}),
            encoded_again(Map, Record, Options),
            [read_alone(Wire, Field, Record, AsList) || Field <- proplists:get_value({msg, 'M1'}, Definitions)],
            odd(Map, Options);
        {Ours, _} ->
            error({disagree, [{wire, Wire}, {options, Options}, {ours, Ours}, {naive, Naive}]})
    end.

%% Also the sign of 0.0.
same(One, Other) -> term_to_binary(One, [deterministic]) =:= term_to_binary(Other, [deterministic]).

decoded(Wire, Options) ->
    try
        {ok, enif_protobuf:decode(Wire, 'M1', Options)}
    catch
        error:{decode_error, #{reason := _, path := _, offset := _}} -> refused
    end.

%% A map and its record are refused together, or are bytes that mean the same.
encoded_again(Map, Record, Options) ->
    Cache = [{cache, forms}],
    case {encoded(Map, Options), encoded(Record, Cache)} of
        {{ok, FromMap}, {ok, FromRecord}} ->
            {ok, One} = decoded(FromMap, [{maps, true} | Cache]),
            {ok, Other} = decoded(FromRecord, [{maps, true} | Cache]),
            same(One, Other) orelse error({disagree, [{map, Map}, {record, Record}, {options, Options}]});
        %% Of several faults another one may come first, as the entries of maps are in another order.
        {{refused, _}, {refused, _}} ->
            true;
        {One, Other} ->
            error({disagree, [{map, Map, One}, {record, Record, Other}, {options, Options}]})
    end.

%% A value that is read without the rest is the one that the rest has there.
read_alone(Wire, Field, Record, AsList) ->
    {Name, Position} =
        case Field of
            {field, FieldName, _, P, _, _, _} -> {FieldName, P};
            Oneof -> {element(2, Oneof), element(3, Oneof)}
        end,
    Form = lists:nth(1 + length([list || AsList]), [binary, list]),
    Value = enif_protobuf:get(Wire, 'M1', [Name], [{cache, forms}, {strings, Form}]),
    same(element(Position, Record), Value) orelse
        error({disagree, [{wire, Wire}, {field, Name}, {ours, Value}, {record, Record}]}).

encoded(Term, Options) ->
    try
        {ok, enif_protobuf:encode(Term, 'M1', Options)}
    catch
        error:{gpb_type_error, {What, [{value, _}, {path, _}]}} -> {refused, What}
    end.

%% A map with something else in the place of a term, or in the place of an option.
odd(Map, Options) ->
    Odd = replaced(Map),
    %% Terms that are others in each VM are in another order in maps, and so which of two faults comes first.
    {Answer, _} = encoded(Odd, Options),
    OddOptions = fuzz_random:replace(Options, fun(_) -> fuzz_random:odd_term() end),
    try
        _ = enif_protobuf:encode(Odd, 'M1', OddOptions),
        _ = enif_protobuf:decode(<<>>, 'M1', OddOptions)
    catch
        error:badarg:Stack -> #{} = enif_protobuf:format_error(badarg, Stack);
        error:{gpb_type_error, _} -> ok;
        error:{decode_error, _} -> ok;
        error:cache_not_exists -> ok
    end,
    erlang:phash2(Answer).

replaced(Map) ->
    List = fuzz_random:replace(maps:to_list(Map), fun(_) -> fuzz_random:odd_term() end),
    Pairs = [Pair || is_list(List), {_, _} = Pair <- proper(List)],
    Changed = maps:from_list(Pairs),
    case one_in(4) of
        true -> Changed#{fuzz_random:odd_term() => fuzz_random:odd_term()};
        false -> Changed
    end.

proper([Head | Tail]) -> [Head | proper(Tail)];
proper(_) -> [].
