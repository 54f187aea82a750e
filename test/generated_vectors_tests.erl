%% A generated module answers as the vectors hold it: every schema, without gpb.
-module(generated_vectors_tests).

-include_lib("eunit/include/eunit.hrl").

%% Strings as binaries for half of the schemas, and as lists for the other.
vectors_test_() ->
    Files = ["roundtrip", "decode", "unknown", "errors"],
    BySchema = [{File, maps:from_list(vector_files:by_schema(File))} || File <- Files],
    [
        {atom_to_list(Name),
            {timeout, 60, fun() ->
                Vectors = lists:append([[{File, V} || V <- maps:get(Name, Of, [])] || {File, Of} <- BySchema]),
                check(Schema, if N rem 2 =:= 0 -> binaries; true -> lists end, Vectors)
            end}}
     || {N, #{schema := Name} = Schema} <- lists:zip(lists:seq(1, 268), vector_files:schemas())
    ].

check(#{proto := Text, gpb_opts := Opts, defs := Defs} = Schema, Strings, Vectors) ->
    Index = record_form:index(vector_files:definitions(Schema)),
    generated:in_module(Text, [strings_as_binaries || Strings =:= binaries] ++ Opts, fun(Module, _) ->
        ?assertEqual(repaired(Defs), Module:get_msg_defs()),
        ?assertEqual([Name || {{msg, Name}, _} <- Defs], Module:get_msg_names()),
        [holds(File, Module, Vector, Strings, Index) || {File, Vector} <- Vectors]
    end).

%% Where a default has characters beyond ASCII, the vectors have it encoded once too often: they come from modules that
%% gpb made in memory. The modules that it writes into files give what stands here.
repaired(Defs) ->
    [{Named, [field(Field) || Field <- Fields]} || {Named, Fields} <- Defs].

field({field, Name, Number, Place, string, Occurrence, Options}) ->
    {field, Name, Number, Place, string, Occurrence, [option(Option) || Option <- Options]};
field(Other) ->
    Other.

option({default, Text}) ->
    case unicode:characters_to_list(list_to_binary(Text)) of
        Decoded when is_list(Decoded) -> {default, Decoded};
        _ -> {default, Text}
    end;
option(Option) ->
    Option.

holds("roundtrip", Module, #{term := Term, wire := Wire, msg := Name} = Vector, Strings, Index) ->
    ?assertEqual({Term, Wire}, {Term, Module:encode_msg(Term)}),
    ?assertEqual({Term, Wire}, {Term, Module:encode_msg(Term, Name)}),
    ?assertEqual(ok, Module:verify_msg(Term)),
    holds("decode", Module, Vector, Strings, Index);
holds("decode", Module, #{msg := Name, wire := Wire} = Vector, Strings, Index) ->
    same(expected(Vector, Strings), Module:decode_msg(Wire, Name), Index);
holds("unknown", Module, #{msg := Name, wire := Wire, reencoded := Bytes} = Vector, Strings, Index) ->
    Decoded = Module:decode_msg(Wire, Name),
    same(expected(Vector, Strings), Decoded, Index),
    ?assertEqual({Wire, Bytes}, {Wire, Module:encode_msg(Decoded)});
holds("errors", Module, #{op := decode, msg := Name, wire := Wire}, _Strings, _Index) ->
    ?assertError({decode_error, _}, Module:decode_msg(Wire, Name));
holds("errors", Module, #{op := encode, term := Term}, _Strings, _Index) ->
    [?assertMatch({error, _}, outcome(Module, Function, Term)) || Function <- [encode_msg, verify_msg]].

expected(#{decoded_binaries := Binaries}, binaries) -> Binaries;
expected(#{decoded_lists := Lists}, lists) -> Lists.

same(Expected, Actual, Index) ->
    ?assertEqual(record_form:comparable(Expected, Index), record_form:comparable(Actual, Index)).

outcome(Module, Function, Term) ->
    try
        {value, Module:Function(Term)}
    catch
        Class:Reason -> {Class, Reason}
    end.
