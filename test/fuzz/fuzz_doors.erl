%% What is done with a seed, by each door of the library. A unit gives how many cases it was and a digest of all
%% answers; an answer that is wrong is an exception that tells what was expected.
-module(fuzz_doors).

-export([doors/0, unit/2, placed/1]).

doors() -> [wire, terms, forms, paths, definitions, files, options].

unit(Door, Seed) ->
    _ = rand:seed(exsss, {Seed, erlang:phash2(Door), 7}),
    ok = enif_protobuf:set_opts([
        {string_as_list, false}, {with_utf8, false}, {max_depth, infinity}, {max_size, infinity}
    ]),
    Answers = door(Door, Seed),
    {length(Answers), erlang:phash2(Answers)}.

door(wire, Seed) when Seed rem 25 =:= 0 -> fuzz_large:wires();
door(wire, _) -> wires();
door(terms, _) -> terms();
door(forms, _) -> fuzz_forms:calls();
door(paths, _) -> fuzz_paths:calls();
door(definitions, _) -> fuzz_definitions:definitions();
door(files, _) -> fuzz_definitions:files();
door(options, _) -> fuzz_options:calls().

load() ->
    Definitions = fuzz_random:schema(),
    ok = enif_protobuf:load_cache(Definitions),
    maps:from_list(Definitions).

wires() ->
    Definitions = load(),
    [wire(fuzz_random:wire({msg, 'M1'}, Definitions), Definitions) || _ <- lists:seq(1, 30)].

wire(Wire, Definitions) ->
    {AsList, Utf8, MaxDepth} = Options = {
        fuzz_random:one_in(3), fuzz_random:one_in(3), fuzz_random:pick([infinity, infinity, fuzz_random:below(6)])
    },
    ok = enif_protobuf:set_opts([{string_as_list, AsList}, {with_utf8, Utf8}, {max_depth, MaxDepth}]),
    Expected = naive_decoder:decode(Wire, {msg, 'M1'}, Definitions, Options),
    case {decoded(placed(Wire)), Expected} of
        {{ok, Record}, {ok, Record}} ->
            encoded_again(Record, Definitions, Options),
            erlang:phash2(Record);
        {{refused, Reason}, refused} ->
            Reason;
        {Ours, _} ->
            error({disagree, [{wire, Wire}, {options, Options}, {ours, Ours}, {naive, Expected}]})
    end.

%% The bytes, lying in memory in one of the ways in which binaries lie.
placed(Wire) ->
    case fuzz_random:below(5) of
        0 ->
            <<_:3, Placed/bits>> = <<0:3, Wire/bits>>,
            Placed;
        1 ->
            <<_, Placed/binary>> = <<0, Wire/binary>>,
            Placed;
        2 ->
            _ = <<(<<Wire/binary>>)/binary, "x">>,
            Wire;
        _ ->
            Wire
    end.

decoded(Wire) ->
    try
        {ok, enif_protobuf:decode(Wire, 'M1')}
    catch
        error:{decode_error, #{message := 'M1', path := Path, offset := Offset, reason := Reason}}:Stack when
            is_list(Path), Offset =< byte_size(Wire)
        ->
            sentence({decode_error, #{}}, Stack),
            {refused, {Reason, Offset, Path}}
    end.

%% A record that was decoded is encoded to bytes that mean the same.
encoded_again(Record, Definitions, {AsList, Utf8, _}) ->
    case encoded(Record) of
        {ok, Wire} ->
            {ok, Naive} = naive_decoder:decode(Wire, {msg, 'M1'}, Definitions, {AsList, Utf8, infinity}),
            case sorted(Naive) =:= sorted(Record) of
                true -> ok;
                false -> error({disagree, [{record, Record}, {encoded, Wire}, {which_is, Naive}]})
            end;
        %% What is required is missing; and a binary is not looked at when it is decoded.
        {refused, {_, undefined, _}} ->
            ok;
        {refused, {bad_unicode_string, _, _}} when Utf8 ->
            ok
    end.

encoded(Record) ->
    try
        Wire = enif_protobuf:encode(Record),
        true = is_binary(Wire),
        {ok, Wire}
    catch
        error:{gpb_type_error, {What, [{value, Value}, {path, Path}]}} = Reason:Stack when is_list(Path) ->
            sentence(Reason, Stack),
            {refused, {What, Value, Path}}
    end.

%% Now and then the sentence that belongs to a failure is asked for.
sentence(Reason, Stack) ->
    case fuzz_random:one_in(20) of
        true ->
            #{} = Sentences = enif_protobuf:format_error(Reason, Stack),
            true = lists:all(fun is_binary/1, maps:values(Sentences));
        false ->
            true
    end.

%% The entries of maps in one order: encoding and decoding turns it round where they share a slot of the dict.
sorted(Tuple) when is_tuple(Tuple) -> list_to_tuple([sorted(Element) || Element <- tuple_to_list(Tuple)]);
sorted([{_, _} | _] = Pairs) -> lists:sort([sorted(Pair) || Pair <- Pairs]);
sorted(List) when is_list(List) -> [sorted(Element) || Element <- List];
sorted(Term) -> Term.

%% Records with something else in the place of a term.
terms() ->
    Definitions = load(),
    persistent_term:put({fuzz_random, literal}, fuzz_random:odd_term()),
    [odd_record(Definitions) || _ <- lists:seq(1, 20)].

odd_record(Definitions) ->
    Utf8 = fuzz_random:one_in(2),
    ok = enif_protobuf:set_opts([{string_as_list, false}, {with_utf8, false}]),
    Record =
        case naive_decoder:decode(fuzz_random:wire({msg, 'M1'}, Definitions), {msg, 'M1'}, Definitions, plain()) of
            {ok, Decoded} -> Decoded;
            refused -> enif_protobuf:decode(<<>>, 'M1')
        end,
    Changes = fuzz_random:pick([1, 1, 2, 4]),
    Odd = lists:foldl(
        fun(_, Changed) -> fuzz_random:replace(Changed, fun(_) -> fuzz_random:odd_term() end) end,
        Record,
        lists:seq(1, Changes)
    ),
    ok = enif_protobuf:set_opts([{with_utf8, Utf8}]),
    %% Copied to a heap of its own now and then, where its cells lie in another order.
    Term =
        case fuzz_random:one_in(4) of
            true -> copied(Odd);
            false -> Odd
        end,
    encoded_or_refused(Term, Definitions).

plain() -> {false, false, infinity}.

copied(Term) ->
    self() ! {copied, Term},
    receive
        {copied, Copy} ->
            _ = fuzz_random:one_in(4) andalso erlang:garbage_collect(),
            Copy
    end.

decoded_or_refused(Wire, Name) ->
    try
        {ok, enif_protobuf:decode(Wire, Name)}
    catch
        error:{decode_error, _} -> refused
    end.

encoded_or_refused(Term, Definitions) ->
    try encoded(Term) of
        {ok, Wire} ->
            %% Whatever is encoded is read by the oracle, and by the library as the same.
            Name = element(1, Term),
            Kinds = [Kind || Kind <- [msg, group], is_map_key({Kind, Name}, Definitions)],
            Naive = naive_decoder:decode(Wire, {hd(Kinds), Name}, Definitions, plain()),
            %% A kept unknown field may have the number of a known one, and then be wrong for that.
            case decoded_or_refused(Wire, Name) of
                Naive -> {ok, Wire};
                Ours -> error({disagree, [{record, Term}, {wire, Wire}, {ours, Ours}, {naive, Naive}]})
            end;
        {refused, {What, _Value, Path}} ->
            {What, Path}
    catch
        error:badarg when not is_tuple(Term); Term =:= {}; not is_atom(element(1, Term)) -> badarg;
        error:Name when Name =:= element(1, Term), not is_map_key({msg, Name}, Definitions) -> {no_such_message, Name}
    end.
