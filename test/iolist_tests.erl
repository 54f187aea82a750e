%% encode_to_iolist/1,2,3: the bytes that encode/1 gives, with large binaries as they are.
-module(iolist_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([prop_the_bytes_are_those_of_encode/0]).

vectors_test_() ->
    [
        {lists:concat([File, " ", Name]), fun() -> vectors(vector_files:schema(Name), Vectors) end}
     || File <- ["roundtrip", "decode", "unknown"], {Name, Vectors} <- vector_files:by_schema(File)
    ].

vectors(Schema, Vectors) ->
    codec:load(vector_files:definitions(Schema)),
    [
        begin
            Record = enif_protobuf:decode(Wire, Name),
            ?assertEqual(outcome(fun enif_protobuf:encode/1, Record), outcome(fun joined/1, Record))
        end
     || #{wire := Wire, msg := Name} <- Vectors
    ].

joined(Record) -> iolist_to_binary(enif_protobuf:encode_to_iolist(Record)).

outcome(Encode, Record) ->
    try
        Encode(Record)
    catch
        error:Reason -> {error, Reason}
    end.

properties_test_() ->
    {timeout, 120, fun() -> ?assert(property:check(prop_the_bytes_are_those_of_encode(), 500)) end}.

%% With binaries of any length in the place of those that are there.
prop_the_bytes_are_those_of_encode() ->
    ?FORALL(
        {Model, Record, Lengths},
        ?LET(Model, random_schema:model(), {Model, random_schema:record(Model), non_empty(list(range(0, 20000)))}),
        begin
            codec:load(random_schema:definitions(Model)),
            {Large, _} = enlarged(Record, Lengths),
            property:agree(fun() -> {outcome(fun enif_protobuf:encode/1, Large), outcome(fun joined/1, Large)} end)
        end
    ).

enlarged(Binary, [Length | Lengths]) when is_binary(Binary) ->
    {<<Binary/binary, (binary:copy(<<"x">>, Length))/binary>>, Lengths ++ [Length]};
enlarged(Tuple, Lengths) when is_tuple(Tuple) ->
    {List, Rest} = enlarged(tuple_to_list(Tuple), Lengths),
    {list_to_tuple(List), Rest};
enlarged(List, Lengths) when is_list(List) -> lists:mapfoldl(fun enlarged/2, Lengths, List);
enlarged(Term, Lengths) ->
    {Term, Lengths}.

defs() ->
    schema_terms:proto3([
        {msg, 'M', [{b, 1, bytes}, {s, 2, string}, {m, 3, {msg, 'M'}}, {bs, 4, bytes, repeated}, unknown]}
    ]).

large() -> large(5000).
large(Length) -> binary:copy(<<"x">>, Length).

m(Bytes) -> {'M', Bytes, <<>>, undefined, [], []}.

%% The very binary, and its place.
references_test_() ->
    Large = large(),
    {setup, fun() -> codec:load(defs()) end, [
        ?_assertEqual([<<>>], enif_protobuf:encode_to_iolist(m(<<>>))),
        ?_assertMatch([<<10, 136, 39>>, Large], enif_protobuf:encode_to_iolist(m(Large))),
        fun() ->
            [_, Same] = enif_protobuf:encode_to_iolist(m(Large)),
            ?assert(erts_debug:same(Large, Same))
        end,
        ?_assertMatch(
            [<<26, 139, 39, 10, 136, 39>>, Large, <<34, 136, 39>>, Large, <<34, 0, 34, 136, 39>>, Large],
            enif_protobuf:encode_to_iolist({'M', <<>>, <<>>, m(Large), [Large, <<>>, Large], []})
        ),
        %% In iolists, which say their length before: nothing stands between.
        ?_assertMatch([<<10, 144, 78>>, Large, Large], enif_protobuf:encode_to_iolist(m([Large, Large]))),
        ?_assertMatch(
            [<<10, 151, 78>>, Large, <<"between">>, Large],
            enif_protobuf:encode_to_iolist(m([Large, "between" | Large]))
        ),
        ?_assertMatch(
            [<<10, 139, 39, 1>>, Large, <<2, 3>>], enif_protobuf:encode_to_iolist(m([1, [Large], 2 | <<3>>]))
        ),
        ?_assertMatch([<<74, 136, 39>>, Large], kept(Large)),
        %% Odd ones are binaries too.
        fun() ->
            <<_:1, Shifted:5000/binary, _:7>> = <<0:1, Large/binary, 0:7>>,
            Record = m(Shifted),
            ?assertEqual(enif_protobuf:encode(Record), joined(Record))
        end,
        %% What must be text is looked at all the same.
        ?_assertError(
            {gpb_type_error, {bad_unicode_string, _}},
            enif_protobuf:encode_to_iolist({'M', <<>>, large_but_no_text(), undefined, [], []}, [{utf8, checked}])
        ),
        ?_assertMatch([<<10, 136, 39>>, Large], enif_protobuf:encode_to_iolist(#{b => Large}, 'M', [{maps, true}])),
        ?_assertError(badarg, enif_protobuf:encode_to_iolist(no_record)),
        ?_assertError('N', enif_protobuf:encode_to_iolist({'N'})),
        ?_assertError(badarg, enif_protobuf:encode_to_iolist(m(<<>>), no_options))
    ]}.

kept(Large) -> enif_protobuf:encode_to_iolist({'M', <<>>, <<>>, undefined, [], [{length_delimited, 9, Large}]}).

large_but_no_text() -> <<(large())/binary, 255>>.

%% What is large in it takes no time, so that the call stays where it is.
large_test() ->
    codec:load(defs()),
    Large = large(50000000),
    Deep = lists:foldl(fun(_, Inner) -> setelement(4, m(<<>>), Inner) end, m(Large), lists:seq(1, 2000)),
    [_, Same | _] = enif_protobuf:encode_to_iolist(Deep),
    ?assert(erts_debug:same(Large, Same)),
    ?assertEqual(enif_protobuf:encode(Deep), joined(Deep)),
    Many = {'M', <<>>, <<>>, undefined, lists:duplicate(100000, large(1000)), []},
    ?assertEqual(enif_protobuf:encode(Many), joined(Many)).
