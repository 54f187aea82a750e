%% Messages as maps and structs: {maps, true} and the options about it, both ways.
-module(map_messages_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([prop_maps_are_what_records_are/0]).

-define(MAPS, [{maps, true}]).

%% Of each vector the map says what the record says, in every form of maps.
vectors_test_() ->
    [
        {lists:concat(["maps ", Name]), {timeout, 60, fun() -> vectors(vector_files:schema(Name), Vectors) end}}
     || {Name, Vectors} <- vector_files:by_schema("roundtrip")
    ].

vectors(Schema, Vectors) ->
    Defs = vector_files:definitions(Schema),
    codec:load(Defs),
    [as_maps(Wire, Record, Defs) || #{wire := Wire, decoded_binaries := Record} <- Vectors].

as_maps(Wire, Record, Defs) ->
    Index = record_form:index(Defs),
    [
        begin
            Map = map_form:of_record(Record, Defs, Opts),
            Decoded = enif_protobuf:decode(Wire, element(1, Record), Opts),
            ?assertEqual(bits(Map), bits(Decoded)),
            Again = enif_protobuf:decode(enif_protobuf:encode(Map, element(1, Record), Opts), element(1, Record)),
            ?assertEqual(record_form:comparable(Record, Index), record_form:comparable(Again, Index))
        end
     || Opts <- map_form:options()
    ].

%% 0.0 and -0.0 are equal, and differ in this.
bits(Term) -> term_to_binary(Term, [deterministic]).

properties_test_() ->
    {timeout, 120, fun() -> ?assert(property:check(prop_maps_are_what_records_are(), 1000)) end}.

prop_maps_are_what_records_are() ->
    ?FORALL(
        {Model, Opts},
        {random_schema:model(), oneof(map_form:options())},
        ?FORALL(Record, random_schema:record(Model), begin
            Defs = random_schema:definitions(Model),
            codec:load(Defs),
            Name = element(1, Record),
            Wire = enif_protobuf:encode(Record),
            Map = map_form:of_record(enif_protobuf:decode(Wire, Name), Defs, Opts),
            property:holds(fun() ->
                bits(Map) =:= bits(enif_protobuf:decode(Wire, Name, Opts)) andalso
                    lists:sort(binary_to_list(enif_protobuf:encode(Map, Name, Opts))) =:=
                        lists:sort(binary_to_list(enif_protobuf:encode(enif_protobuf:decode(Wire, Name))))
            end)
        end)
    ).

defs() ->
    [
        {{msg, 'M'}, [
            {field, id, 1, 2, int32, required, []},
            {field, sub, 2, 3, {msg, 'M'}, optional, []},
            {field, list, 3, 4, {msg, 'M'}, repeated, []},
            {field, map, 4, 5, {map, string, {msg, 'M'}}, repeated, []},
            {gpb_oneof, which, 6, [
                {field, number, 5, 6, int32, optional, []},
                {field, inner, 6, 6, {msg, 'M'}, optional, []}
            ]},
            {field, kind, 7, 7, {enum, 'E'}, optional, [{default, two}]}
        ]},
        {{enum, 'E'}, [{one, 1}, {two, 2}]}
    ].

fixture(Tests) -> {foreach, fun() -> codec:load(defs()) end, Tests}.

encode(Map) -> encode(Map, ?MAPS).
encode(Map, Opts) -> enif_protobuf:encode(Map, 'M', Opts).

wrong(Map) -> wrong(Map, ?MAPS).

wrong(Map, Opts) ->
    try
        {encoded, encode(Map, Opts)}
    catch
        error:{gpb_type_error, {What, [{value, Value}, {path, Path}]}} -> {What, Value, Path}
    end.

errors_test_() ->
    Flat = [{maps_oneof, flat} | ?MAPS],
    fixture([
        {Title, fun() -> ?assertEqual(Expected, Wrong()) end}
     || {Title, Expected, Wrong} <- [
            {"a key that is no field", {{extraneous_key, no}, #{id => 2, no => 3}, "M.sub"}, fun() ->
                wrong(#{id => 1, sub => #{id => 2, no => 3}})
            end},
            {"a key that is no atom", {{extraneous_key, 1}, #{1 => 1}, "M"}, fun() -> wrong(#{1 => 1}) end},
            {"a key of the other kind", {{extraneous_key, <<"id">>}, #{<<"id">> => 1}, "M"}, fun() ->
                wrong(#{<<"id">> => 1})
            end},
            {"the other way round", {{extraneous_key, id}, #{id => 1}, "M"}, fun() ->
                wrong(#{id => 1}, [{maps_key_type, binary} | ?MAPS])
            end},
            {"a binary that no atom is named like",
                {{extraneous_key, <<"no such", 255>>}, #{<<"no such", 255>> => 1}, "M"},
                fun() -> wrong(#{<<"no such", 255>> => 1}, [{maps_key_type, binary} | ?MAPS]) end},
            {"a record", {{expected_msg, 'M'}, {'M', 1}, "M.list"}, fun() ->
                wrong(#{id => 1, list => [#{id => 2}, {'M', 1}]})
            end},
            {"no message", {{expected_msg, 'M'}, 7, "M"}, fun() -> wrong(7) end},
            {"what is required", {{bad_integer, int32, signed, 32}, undefined, "M.map.value.id"}, fun() ->
                wrong(#{id => 1, map => #{<<"a">> => #{}}})
            end},
            {"a member of a oneof, which has a key of its own",
                {{extraneous_key, number}, #{id => 1, number => 2}, "M"},
                fun() -> wrong(#{id => 1, number => 2}) end},
            {"a oneof, whose members have keys of their own",
                {{extraneous_key, which}, #{id => 1, which => {number, 2}}, "M"},
                fun() -> wrong(#{id => 1, which => {number, 2}}, Flat) end},
            {"two members", {multiple_oneof_keys, 2}, fun() ->
                Two = #{id => 1, number => 2, inner => #{id => 3}},
                {{multiple_oneof_keys, Keys, which}, Two, "M.which"} = wrong(Two, Flat),
                ?assertEqual([inner, number], lists:sort(Keys)),
                {multiple_oneof_keys, length(Keys)}
            end},
            {"two members whose keys are binaries", {multiple_oneof_keys, [<<"inner">>, <<"number">>]}, fun() ->
                Two = #{<<"id">> => 1, <<"number">> => 2, <<"inner">> => #{<<"id">> => 3}},
                {{multiple_oneof_keys, Keys, which}, Two, "M.sub.which"} =
                    wrong(#{<<"id">> => 1, <<"sub">> => Two}, [{maps_key_type, binary} | Flat]),
                {multiple_oneof_keys, lists:sort(Keys)}
            end},
            {"no map for a map", {invalid_map, 7, "M.map"}, fun() ->
                wrong(#{id => 1, map => 7})
            end},
            {"no list for a map", {invalid_list_of_key_value_tuples, 7, "M.map"}, fun() ->
                wrong(#{id => 1, map => 7}, [{mapfields_as_maps, false} | ?MAPS])
            end}
        ]
    ]).

%% Where it is said that what is absent has no key, `undefined' is a value, and a wrong one, as with gpb.
absent_keys_are_omitted_test_() ->
    Omitted = [{maps_unset_optional, omitted} | ?MAPS],
    Flat = [{maps_oneof, flat} | Omitted],
    fixture(
        [
            {atom_to_list(Key), fun() ->
                ?assertEqual({What, undefined, Path}, wrong(#{id => 1, Key => undefined}, Opts))
            end}
         || {Key, What, Path, Opts} <- [
                {id, {bad_integer, int32, signed, 32}, "M.id", Omitted},
                {sub, {expected_msg, 'M'}, "M.sub", Omitted},
                {list, {invalid_list_of, {msg, 'M'}}, "M.list", Omitted},
                {map, invalid_map, "M.map", Omitted},
                {which, invalid_oneof, "M.which", Omitted},
                {kind, {invalid_enum, 'E'}, "M.kind", Omitted},
                {number, {bad_integer, int32, signed, 32}, "M.which.number", Flat}
            ]
        ] ++
            [
                ?_assertEqual({{missing_fields, [id], 'M'}, #{}, "M.sub"}, wrong(#{id => 1, sub => #{}}, Omitted)),
                ?_assertEqual(
                    {{missing_fields, [<<"id">>], 'M'}, #{}, "M"}, wrong(#{}, [{maps_key_type, binary} | Omitted])
                ),
                ?_assertEqual(
                    {invalid_map, [{<<"a">>, #{id => 2}}], "M.map"},
                    wrong(#{id => 1, map => [{<<"a">>, #{id => 2}}]}, Omitted)
                ),
                ?_assertEqual(
                    <<8, 1, 40, 2>>, encode(#{id => 1, list => [], map => #{}, which => {number, 2}}, Omitted)
                ),
                ?_assertEqual(<<8, 1, 40, 2>>, encode(#{id => 1, number => 2}, Flat)),
                [
                    ?_assertMatch({{multiple_oneof_keys, _, which}, _, "M.which"}, wrong(Two, Flat))
                 || Value <- [7, undefined], Two <- [#{id => 1, number => Value, inner => Value}]
                ]
            ]
    ).

what_is_absent_may_be_undefined_test_() ->
    fixture([
        ?_assertEqual(<<8, 1>>, encode(#{id => 1, sub => undefined, which => undefined})),
        ?_assertEqual(<<8, 1>>, encode(#{id => 1, number => undefined}, [{maps_oneof, flat} | ?MAPS])),
        ?_assertEqual(
            <<8, 1, 40, 2>>, encode(#{id => 1, number => 2, inner => undefined}, [{maps_oneof, flat} | ?MAPS])
        )
    ]).

structs_test_() ->
    Structs = [{structs, #{'M' => 'Elixir.M'}}],
    Wire = <<8, 1, 18, 2, 8, 2, 40, 3>>,
    Inner = #{'__struct__' => 'Elixir.M', id => 2, sub => nil, list => [], map => #{}, which => nil, kind => nil},
    Struct = Inner#{id := 1, sub := Inner, which := {number, 3}},
    Flat = maps:without([which], Struct),
    FlatStruct = Flat#{
        number => 3, inner => nil, sub := (maps:without([which], Inner))#{number => nil, inner => nil}
    },
    fixture([
        ?_assertEqual(Struct, enif_protobuf:decode(Wire, 'M', Structs)),
        ?_assertEqual(Wire, encode(Struct, Structs)),
        ?_assertEqual(FlatStruct, enif_protobuf:decode(Wire, 'M', [{maps_oneof, flat} | Structs])),
        ?_assertEqual(Wire, encode(FlatStruct, [{maps_oneof, flat} | Structs])),
        %% Other messages are maps.
        ?_assertEqual(#{id => 1, list => [], map => #{}}, enif_protobuf:decode(<<8, 1>>, 'M', [{structs, #{}}])),
        %% A struct is taken without the option too; with it no other struct is.
        ?_assertEqual(<<8, 1>>, encode(#{'__struct__' => 'Elixir.M', id => 1})),
        ?_assertMatch(
            {{expected_msg, 'M'}, _, "M.sub"},
            wrong(#{id => 1, sub => #{'__struct__' => 'Elixir.N', id => 2}}, Structs)
        )
    ]).

%% Records, with maps for map fields alone.
map_fields_alone_test_() ->
    Opts = [{mapfields_as_maps, true}],
    Inner = {'M', 2, undefined, [], #{}, undefined, undefined},
    Record = {'M', 1, undefined, [], #{<<"a">> => Inner}, undefined, undefined},
    Wire = <<8, 1, 34, 7, 10, 1, "a", 18, 2, 8, 2>>,
    fixture([
        ?_assertEqual(Record, enif_protobuf:decode(Wire, 'M', Opts)),
        ?_assertEqual(Wire, enif_protobuf:encode(Record, Opts))
    ]).

many_keys_test() ->
    codec:load([{{msg, 'M'}, [{field, m, 1, 2, {map, int32, int32}, repeated, []}]}]),
    Map = maps:from_list([{Key, Key * 7} || Key <- lists:seq(-50000, 50000)]),
    Wire = encode(#{m => Map}),
    ?assertEqual(#{m => Map}, enif_protobuf:decode(Wire, 'M', ?MAPS)).

%% More keys than a message has fields are not looked at all, and more fields than a small map has keys are right.
wide_test() ->
    Fields = [{field, field(N), N, N + 1, int32, optional, []} || N <- lists:seq(1, 200)],
    codec:load([{{msg, 'M'}, Fields}]),
    Map = maps:from_list([{field(N), N} || N <- lists:seq(1, 200)]),
    ?assertEqual(Map, enif_protobuf:decode(encode(Map), 'M', ?MAPS)),
    Two = maps:with([field(1), field(200)], Map),
    ?assertEqual(Two, enif_protobuf:decode(encode(Two), 'M', ?MAPS)).

field(N) -> list_to_atom("f" ++ integer_to_list(N)).
