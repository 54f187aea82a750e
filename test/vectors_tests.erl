%% Every vector in test/vectors, in both forms of strings and every form of the definitions.
-module(vectors_tests).

-include_lib("eunit/include/eunit.hrl").

roundtrip_test_() ->
    per_schema("roundtrip", fun(Schema, Vectors) ->
        load(Schema),
        lists:foreach(fun(Vector) -> roundtrip(Vector, index(Schema)) end, Vectors)
    end).

decode_test_() ->
    per_schema("decode", fun(Schema, Vectors) ->
        load(Schema),
        lists:foreach(fun(Vector) -> decodes(Vector, index(Schema)) end, Vectors)
    end).

unknown_test_() ->
    per_schema("unknown", fun(Schema, Vectors) ->
        load(Schema),
        lists:foreach(fun(Vector) -> keeps_unknown(Vector, index(Schema)) end, Vectors)
    end).

errors_test_() ->
    per_schema("errors", fun(Schema, Vectors) ->
        load(Schema),
        lists:foreach(fun(Vector) -> refuses(Vector, index(Schema)) end, Vectors)
    end).

%% Versions 1 (where it names its syntax) to 4 of the same definitions say the same.
forms_test_() ->
    per_schema("roundtrip", fun(Schema, Vectors) ->
        lists:foreach(
            fun({_Version, Defs}) ->
                ok = enif_protobuf:load_cache(Defs),
                lists:foreach(fun(Vector) -> roundtrip(Vector, index(Schema)) end, Vectors)
            end,
            vector_files:forms(Schema)
        )
    end).

%% What a generated module hands out for proto3 in version 1 does not tell that it is proto3: a field without presence
%% is then as one with presence, `undefined' where it is absent.
unmarked_proto3_test_() ->
    per_schema("roundtrip", fun
        (#{syntax := proto3, defs := Defs} = Schema, Vectors) ->
            ok = enif_protobuf:load_cache(Defs),
            Occurrences = [Occurrence || {{msg, _}, Fields} <- Defs, {field, _, _, _, _, Occurrence, _} <- Fields],
            [unmarked(Vector, index(Schema)) || Vector <- Vectors, not lists:member(defaulty, Occurrences)];
        (_, _) ->
            ok
    end).

all_vectors_are_there_test() ->
    Counts = [
        {"schemas", 268},
        {"roundtrip", 512},
        {"decode", 397},
        {"errors", 327},
        {"unknown", 82},
        {"differences", 50}
    ],
    ?assertEqual(Counts, [{File, length(vector_files:vectors(File))} || {File, _} <- Counts]).

per_schema(File, Fun) ->
    Titled = [
        {lists:concat([File, " ", Name]), {timeout, 60, fun() -> Fun(vector_files:schema(Name), Vectors) end}}
     || {Name, Vectors} <- vector_files:by_schema(File)
    ],
    {setup, fun() -> ok end, fun(_) -> vector_files:options(false, false) end, Titled}.

load(Schema) ->
    ok = enif_protobuf:load_cache(vector_files:definitions(Schema)).

index(Schema) ->
    record_form:index(vector_files:definitions(Schema)).

roundtrip(#{id := Id, term := Term, wire := Wire} = Vector, Index) ->
    vector_files:options(false, true),
    ?assertEqual({Id, Wire}, {Id, enif_protobuf:encode(Term)}),
    decodes(Vector, Index),
    vector_files:options(false, true),
    #{decoded_binaries := Binaries, decoded_lists := Lists} = Vector,
    same_bytes_again(Id, Wire, Binaries, Index),
    same_bytes_again(Id, Wire, Lists, Index),
    %% With strings as octets as well: binaries, and lists of octets.
    vector_files:options(false, false),
    same_bytes_again(Id, Wire, Binaries, Index),
    same_bytes_again(Id, Wire, record_form:map_strings(fun binary_to_list/1, Binaries, Index), Index).

%% A record that was decoded encodes to the same bytes, but for the order of map entries.
same_bytes_again(Id, Wire, Record, Index) ->
    Encoded = enif_protobuf:encode(Record),
    case lists:any(fun has_maps/1, maps:to_list(Index)) of
        false -> ?assertEqual({Id, Wire}, {Id, Encoded});
        true -> ?assertEqual({Id, lists:sort(binary_to_list(Wire))}, {Id, lists:sort(binary_to_list(Encoded))})
    end.

has_maps({{msg, _}, Fields}) -> [map || {_, _, {map, _, _}, _} <- Fields] =/= [];
has_maps(_) -> false.

decodes(#{id := Id, msg := Name, wire := Wire} = Vector, Index) ->
    #{decoded_binaries := Binaries, decoded_lists := Lists} = Vector,
    Octets = record_form:map_strings(fun binary_to_list/1, Binaries, Index),
    Forms = [{false, false, Binaries}, {false, true, Binaries}, {true, true, Lists}, {true, false, Octets}],
    lists:foreach(
        fun({AsList, Utf8, Expected}) ->
            vector_files:options(AsList, Utf8),
            same(Id, Expected, enif_protobuf:decode(Wire, Name), Index)
        end,
        Forms
    ).

keeps_unknown(#{id := Id, wire := Wire, msg := Name, reencoded := Bytes} = Vector, Index) ->
    decodes(Vector, Index),
    #{decoded_binaries := Binaries, decoded_lists := Lists} = Vector,
    vector_files:options(true, true),
    ?assertEqual({Id, Bytes}, {Id, enif_protobuf:encode(Lists)}),
    ?assertEqual({Id, Bytes}, {Id, enif_protobuf:encode(enif_protobuf:decode(Wire, Name))}),
    vector_files:options(false, false),
    ?assertEqual({Id, Bytes}, {Id, enif_protobuf:encode(Binaries)}),
    ?assertEqual({Id, Bytes}, {Id, enif_protobuf:encode(enif_protobuf:decode(Wire, Name))}).

refuses(#{op := decode, id := Id, msg := Name, wire := Wire}, _Index) ->
    lists:foreach(
        fun(Strings) ->
            vector_files:options(Strings, Strings),
            {Id, {error, {decode_error, Details}}} = {Id, decode(Wire, Name)},
            ?assertEqual([message, offset, path, reason], lists:sort(maps:keys(Details))),
            #{offset := Offset, reason := Reason} = Details,
            ?assertEqual({Id, true}, {Id, is_atom(Reason)}),
            ?assertEqual({Id, true}, {Id, is_integer(Offset) andalso Offset >= 0 andalso Offset =< byte_size(Wire)})
        end,
        [false, true]
    );
refuses(#{op := encode, id := Id, term := Term, reason := Reason}, Index) ->
    vector_files:options(false, true),
    refused(Id, Term, encode(Term), Index),
    %% By default the octets of a string pass as they are.
    vector_files:options(false, false),
    case Reason of
        utf8 -> ?assertMatch({Id, {value, _}}, {Id, encode(Term)});
        _ -> refused(Id, Term, encode(Term), Index)
    end.

refused(Id, Term, Result, _) when not is_tuple(Term); tuple_size(Term) =:= 0; not is_atom(element(1, Term)) ->
    ?assertEqual({Id, {error, badarg}}, {Id, Result});
refused(Id, Term, Result, Index) ->
    Name = element(1, Term),
    case is_map_key({msg, Name}, Index) of
        true -> ?assertMatch({Id, {error, {gpb_type_error, {_, [{value, _}, {path, [_ | _]}]}}}}, {Id, Result});
        false -> ?assertEqual({Id, {error, Name}}, {Id, Result})
    end.

decode(Wire, Name) ->
    try
        {value, enif_protobuf:decode(Wire, Name)}
    catch
        Class:Reason -> {Class, Reason}
    end.

encode(Record) ->
    try
        {value, enif_protobuf:encode(Record)}
    catch
        Class:Reason -> {Class, Reason}
    end.

unmarked(#{id := Id, msg := Name, wire := Wire, decoded_binaries := Binaries}, Index) ->
    Expected = record_form:without_defaults(Binaries, Index),
    vector_files:options(false, false),
    same(Id, Expected, enif_protobuf:decode(Wire, Name), Index),
    same_bytes_again(Id, Wire, Expected, Index).

same(Id, Expected, Actual, Index) ->
    ?assertEqual({Id, record_form:comparable(Expected, Index)}, {Id, record_form:comparable(Actual, Index)}).
