%% merge/2,3,4: what decoding the bytes of two messages one after the other gives.
-module(message_merge_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([prop_merging_is_decoding_both/0]).

properties_test_() ->
    {timeout, 120, fun() -> ?assert(property:check(prop_merging_is_decoding_both(), 1000)) end}.

prop_merging_is_decoding_both() ->
    ?FORALL(
        Model,
        random_schema:model(),
        ?FORALL({One, Other}, {random_schema:record(Model), random_schema:record(Model)}, begin
            Defs = random_schema:definitions(Model),
            codec:load(Defs),
            Name = element(1, One),
            Both = <<(enif_protobuf:encode(One))/binary, (enif_protobuf:encode(Other))/binary>>,
            Maps = [{maps, true}],
            [MapOne, MapOther] = [enif_protobuf:decode(enif_protobuf:encode(R), Name, Maps) || R <- [One, Other]],
            property:holds(fun() ->
                bits(enif_protobuf:decode(Both, Name)) =:= bits(enif_protobuf:merge(One, Other)) andalso
                    bits(enif_protobuf:decode(Both, Name, Maps)) =:=
                        bits(enif_protobuf:merge(MapOne, MapOther, Name, Maps))
            end)
        end)
    ).

%% Also the sign of 0.0.
bits(Term) -> term_to_binary(Term, [deterministic]).

defs() ->
    [
        {{msg, 'M'}, [
            {field, id, 1, 2, int32, required, []},
            {field, list, 2, 3, int32, repeated, []},
            {field, sub, 3, 4, {msg, 'M'}, optional, []},
            {field, map, 4, 5, {map, int32, int32}, repeated, []},
            {gpb_oneof, which, 6, [
                {field, number, 5, 6, int32, optional, []},
                {field, inner, 6, 6, {msg, 'M'}, optional, []}
            ]}
        ]}
    ].

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, Tests}.

m() -> {'M', undefined, [], undefined, [], undefined}.
with(Values) -> lists:foldl(fun({Position, Value}, M) -> setelement(Position, M, Value) end, m(), Values).

examples_test_() ->
    Merge = fun(One, Other) -> enif_protobuf:merge(with(One), with(Other)) end,
    fixture([
        %% Also without what is required.
        ?_assertEqual(m(), Merge([], [])),
        ?_assertEqual(with([{2, 1}]), Merge([{2, 1}], [])),
        ?_assertEqual(with([{2, 2}]), Merge([{2, 1}], [{2, 2}])),
        ?_assertEqual(with([{3, [1, 2, 3]}]), Merge([{3, [1]}], [{3, [2, 3]}])),
        ?_assertEqual(
            with([{4, with([{2, 1}, {3, [7, 8]}])}]),
            Merge([{4, with([{2, 1}, {3, [7]}])}], [{4, with([{3, [8]}])}])
        ),
        ?_assertEqual(with([{5, [{3, 3}, {2, 7}, {1, 1}]}]), Merge([{5, [{1, 1}, {2, 2}]}], [{5, [{2, 7}, {3, 3}]}])),
        ?_assertEqual(with([{6, {number, 2}}]), Merge([{6, {inner, with([{2, 1}])}}], [{6, {number, 2}}])),
        ?_assertEqual(
            with([{6, {inner, with([{2, 1}, {3, [1]}])}}]),
            Merge([{6, {inner, with([{2, 1}])}}], [{6, {inner, with([{3, [1]}])}}])
        ),
        ?_assertEqual(
            #{id => 2, list => [1, 2], map => #{}},
            enif_protobuf:merge(#{id => 1, list => [1]}, #{id => 2, list => [2]}, 'M', [{maps, true}])
        ),
        %% Limits are for what comes from outside.
        ?_assertEqual(with([{2, 2}]), enif_protobuf:merge(with([{2, 1}]), with([{2, 2}]), [{max_size, 1}]))
    ]).

large_test() ->
    codec:load(defs()),
    List = lists:seq(1, 200000),
    ?assertEqual(with([{3, List ++ List}]), enif_protobuf:merge(with([{3, List}]), with([{3, List}]))).

errors_test_() ->
    %% With the argument that is at fault.
    Failure = fun(One, Other) ->
        try
            {merged, enif_protobuf:merge(One, Other)}
        catch
            error:{gpb_type_error, {What, [{value, _}, {path, Path}]}} = Reason:Stack ->
                {What, Path, maps:keys(enif_protobuf:format_error(Reason, Stack))}
        end
    end,
    fixture([
        ?_assertEqual({{bad_integer, int32, signed, 32}, "M.id", [1]}, Failure(with([{2, a}]), m())),
        ?_assertEqual({{bad_integer, int32, signed, 32}, "M.id", [2]}, Failure(m(), with([{2, a}]))),
        ?_assertEqual({{expected_msg, 'M'}, "M", [2]}, Failure(m(), {'N', 1})),
        ?_assertError(badarg, enif_protobuf:merge(#{}, #{})),
        ?_assertError(badarg, enif_protobuf:merge(m(), m(), no_options)),
        ?_assertError('N', enif_protobuf:merge({'N', 1}, {'N', 1}))
    ]).
