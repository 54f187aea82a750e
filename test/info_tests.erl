%% info/1,2: what is loaded of a message, the same for every form of the definitions.
-module(info_tests).

-include_lib("eunit/include/eunit.hrl").

every_form_test_() ->
    [
        {atom_to_list(Name), fun() ->
            Schema = vector_files:schema(Name),
            Defs = vector_files:definitions(Schema),
            Expected = infos(Defs, Defs),
            [
                ?assertEqual({Version, Expected}, {Version, infos(Form, Defs)})
             || {Version, Form} <- vector_files:forms(Schema)
            ]
        end}
     || {Name, _} <- vector_files:by_schema("roundtrip")
    ].

infos(Form, Defs) ->
    ok = enif_protobuf:load_cache(info, Form),
    Infos = [enif_protobuf:info(Name, [{cache, info}]) || {{msg, Name}, _} <- Defs],
    ok = enif_protobuf:purge_cache(info),
    [Info#{fields := [without_text(Field) || Field <- Fields]} || #{fields := Fields} = Info <- Infos].

%% Version 1 has the octets of a string's default in the place of its characters.
without_text(#{default := Text} = Field) when is_binary(Text) -> maps:remove(default, Field);
without_text(Field) -> Field.

fields_test() ->
    ok = enif_protobuf:load_cache([
        {{msg, 'M'}, [
            {field, b, 2, 3, {map, string, {msg, 'M'}}, repeated, []},
            {field, a, 1, 2, int32, required, []},
            {field, c, 3, 4, {enum, 'E'}, repeated, [packed]},
            {gpb_oneof, o, 5, [{field, x, 4, 5, string, optional, []}]},
            {field, d, 5, 6, {enum, 'E'}, optional, [{default, one}]},
            {field, s, 6, 7, string, optional, [{default, "abc"}]},
            {field, '$unknowns', 0, 8, unknown, repeated, []}
        ]},
        {{group, 'G'}, []},
        {{enum, 'E'}, [{one, 1}]}
    ]),
    ?assertEqual(
        #{
            name => 'M',
            kind => msg,
            fields => [
                #{name => a, number => 1, position => 2, type => int32, occurrence => required},
                #{name => b, number => 2, position => 3, type => {map, string, {msg, 'M'}}, occurrence => repeated},
                #{name => c, number => 3, position => 4, type => {enum, 'E'}, occurrence => repeated, packed => true},
                #{
                    name => o,
                    position => 5,
                    type => oneof,
                    fields => [#{name => x, number => 4, position => 5, type => string, occurrence => optional}]
                },
                #{name => d, number => 5, position => 6, type => {enum, 'E'}, occurrence => optional, default => one},
                #{name => s, number => 6, position => 7, type => string, occurrence => optional, default => <<"abc">>},
                #{name => '$unknowns', position => 8, type => unknown}
            ]
        },
        enif_protobuf:info('M')
    ),
    ?assertEqual(#{name => 'G', kind => group, fields => []}, enif_protobuf:info('G')),
    ?assertError('N', enif_protobuf:info('N')),
    ?assertError(badarg, enif_protobuf:info("M")),
    ?assertError(badarg, enif_protobuf:info('M', no_options)),
    ?assertError(cache_not_exists, enif_protobuf:info('M', [{cache, none}])),
    ok = enif_protobuf:purge_cache(),
    ?assertError(cache_not_exists, enif_protobuf:info('M')).
