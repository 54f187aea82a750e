%% The sentences for a person, word for word: each names what is wrong and what would be right.
-module(sentences_tests).

-include_lib("eunit/include/eunit.hrl").

%% {What is called, the sentence}
says(Cases) ->
    {setup, fun load/0, [{Sentence, ?_assertEqual(Sentence, sentence(Fun))} || {Fun, Sentence} <- Cases]}.

load() ->
    codec:load(schema_terms:proto2([{msg, 'M', [{x, 1, int32}]}])).

sentence(Fun) ->
    try Fun() of
        Value -> {no_error, Value}
    catch
        error:Reason:Stack ->
            [Sentence] = maps:values(enif_protobuf:format_error(Reason, Stack)),
            unicode:characters_to_list(Sentence)
    end.

-define(OPTIONS, "not a list of {string_as_list, boolean()} and {with_utf8, boolean()}: ").
-define(OPTION, "this option is neither {string_as_list, boolean()} nor {with_utf8, boolean()}: ").

wrong_options_of_set_opts_test_() ->
    says([
        {fun() -> enif_protobuf:set_opts(Opts) end, Sentence}
     || {Opts, Sentence} <- [
            {{with_utf8, true}, ?OPTIONS "{with_utf8,true}"},
            {[{with_utf8, true} | {string_as_list, true}], ?OPTIONS "[{with_utf8,true}|{string_as_list,true}]"},
            {[{with_utf8, true}, {with_utf8, 1}], ?OPTION "{with_utf8,1}"},
            {[{with_utf, true}, {with_utf8, true}], ?OPTION "{with_utf,true}"},
            {[string_as_list], ?OPTION "string_as_list"},
            {["é"], ?OPTION "\"é\""}
        ]
    ]).

terms_that_are_no_definitions_test_() ->
    says([
        {fun() -> enif_protobuf:load_cache(Defs) end, Sentence}
     || {Defs, Sentence} <- [
            {messages, "not a list of definitions as gpb gives them: messages"},
            {<<"a.proto">>, "not a list of definitions as gpb gives them: <<\"a.proto\">>"},
            {[{{msg, 'A'}, []}, other], "not a definition: other"},
            {[{{msg, 'A'}, []} | tail], "improper list: tail"},
            {[{{msg, 'A'}, [{field, x, 1}]}], "A: not a field: {field,x,1}"},
            {[{{msg, 'A'}, [{field, x, 1, 2, int33, optional, []}]}], "A.x: unknown type: int33"},
            {[{{msg, 'A'}, [{field, x, 0, 2, int32, optional, []}]}], "A.x: field number out of range (0)"}
        ]
    ]).

%% Whatever it is about, a sentence stays one that can be read.
large_terms_are_cut_test_() ->
    Large = [
        lists:seq(1, 100000),
        lists:duplicate(100000, $a),
        binary:copy(<<"a">>, 100000),
        maps:from_list([{N, N} || N <- lists:seq(1, 1000)]),
        list_to_tuple(lists:seq(1, 1000)),
        lists:foldl(fun(_, Inner) -> {Inner} end, a, lists:seq(1, 1000)),
        1 bsl 10000,
        lists:duplicate(50, binary_to_atom(binary:copy(<<"a">>, 255)))
    ],
    {setup, fun load/0, [
        ?_test(begin
            Sentence = sentence(fun() -> Function([Term]) end),
            ?assert(length(Sentence) < 500),
            ?assertNotEqual(nomatch, string:find(Sentence, "..."))
        end)
     || Term <- Large, Function <- [fun enif_protobuf:set_opts/1, fun load_definition/1]
    ]}.

load_definition([Term]) ->
    enif_protobuf:load_cache([{{enum, 'E'}, [Term]}]).
