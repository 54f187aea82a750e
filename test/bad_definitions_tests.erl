%% Definitions that cannot be right: refused with the message, the field and the reason; what was loaded stays.
-module(bad_definitions_tests).

-include_lib("eunit/include/eunit.hrl").

good() -> schema_terms:proto2([{msg, 'Good', [{x, 1, int32}]}]).

%% {Title, definitions, where, reason}; the where is what must be named of message, enum and field.
cases() ->
    messages() ++ types() ++ lists() ++ enums().

%% One bad field in a message with a good one.
bad_field(Field) ->
    [{{msg, 'M'}, [{field, good, 1, 2, int32, optional, []}, Field]}].

field(Changes) ->
    Default = #{name => bad, fnum => 2, rnum => 3, type => int32, occurrence => optional, opts => []},
    #{name := Name, fnum := Number, rnum := Position, type := Type, occurrence := Occurrence, opts := Opts} =
        maps:merge(Default, Changes),
    {field, Name, Number, Position, Type, Occurrence, Opts}.

oneof(Members) -> {gpb_oneof, o, 3, Members, []}.

-define(WHERE, #{message => 'M', field => bad}).

messages() ->
    [
        {"a field number twice", bad_field(field(#{fnum => 1})), ?WHERE, field_number_twice},
        {"a field number twice, once in a oneof", bad_field(oneof([field(#{fnum => 1})])), ?WHERE, field_number_twice},
        {"a field number twice in a oneof", bad_field(oneof([field(#{name => a}), field(#{})])),
            ?WHERE, field_number_twice},
        {"field number 0", bad_field(field(#{fnum => 0})), ?WHERE, field_number_out_of_range},
        {"a negative field number", bad_field(field(#{fnum => -1})), ?WHERE, field_number_out_of_range},
        {"field number 2^29", bad_field(field(#{fnum => 536870912})), ?WHERE, field_number_out_of_range},
        {"field number 2^32 + 2", bad_field(field(#{fnum => 4294967298})), ?WHERE, field_number_out_of_range},
        {"field number 0 in a oneof", bad_field(oneof([field(#{fnum => 0})])), ?WHERE, field_number_out_of_range},
        {"a field number beyond 64 bits", bad_field(field(#{fnum => 1 bsl 64})), ?WHERE, any},
        {"a field number that is no integer", bad_field(field(#{fnum => a})), ?WHERE, any},
        {"a field without a number", bad_field(field(#{fnum => undefined})), ?WHERE, field_number_missing},
        {"record position 0", bad_field(field(#{rnum => 0})), ?WHERE, record_position_out_of_range},
        {"record position 1", bad_field(field(#{rnum => 1})), ?WHERE, record_position_out_of_range},
        {"a negative record position", bad_field(field(#{rnum => -1})), ?WHERE, record_position_out_of_range},
        {"a record position far out", bad_field(field(#{rnum => 1000000000})), ?WHERE, record_position_out_of_range},
        {"a record position beyond 64 bits", bad_field(field(#{rnum => 1 bsl 64})), ?WHERE, any},
        {"no record position", bad_field(field(#{rnum => undefined})), ?WHERE, record_position_missing},
        {"a record position left out", bad_field(field(#{rnum => 4})), ?WHERE, any},
        {"a record position twice", bad_field(field(#{rnum => 2})), ?WHERE, record_position_twice},
        {"no record position of a oneof", bad_field({gpb_oneof, bad, undefined, [field(#{name => a})], []}),
            ?WHERE, any},
        {"a member of a oneof twice", bad_field(oneof([field(#{}), field(#{fnum => 7})])), ?WHERE, member_twice},
        {"a oneof without members", bad_field({gpb_oneof, bad, 3, [], []}), ?WHERE, any},
        {"a repeated member of a oneof", bad_field(oneof([field(#{occurrence => repeated})])), ?WHERE, any},
        {"an occurrence that does not exist", bad_field(field(#{occurrence => sometimes})), ?WHERE, any},
        {"a message twice", bad_field(field(#{})) ++ bad_field(field(#{})), #{message => 'M'}, message_twice},
        {"a name that is no atom", bad_field(field(#{name => 17})), #{message => 'M'}, any},
        {"a record that is no field", bad_field({feld, bad, 2, 3, int32, optional, []}), #{message => 'M'}, any},
        {"a field of too few elements", bad_field({field, bad, 2, 3}), #{message => 'M'}, any},
        {"an atom for a field", bad_field(bad), #{message => 'M'}, any},
        {"a map without what a field needs", bad_field(#{name => bad}), #{message => 'M'}, any},
        {"a property list without what a field needs", bad_field([{name, bad}]), #{message => 'M'}, any},
        {"an empty property list", bad_field([]), #{message => 'M'}, any}
    ].

types() ->
    Map = #{occurrence => repeated},
    [
        {"a type that does not exist", bad_field(field(#{type => int33})), ?WHERE, unknown_type},
        {"a type that is a number", bad_field(field(#{type => 3})), ?WHERE, unknown_type},
        {"a type of three", bad_field(field(#{type => {msg, 'M', 1}})), ?WHERE, unknown_type},
        {"a reference of no kind", bad_field(field(#{type => {record, 'M'}})), ?WHERE, unknown_type},
        {"a reference to no message", bad_field(field(#{type => {msg, 'Nothing'}})), ?WHERE, undefined_type},
        {"a reference to no group", bad_field(field(#{type => {group, 'M'}})), ?WHERE, undefined_type},
        {"a reference to no enum", bad_field(field(#{type => {enum, 'M'}})), ?WHERE, undefined_type},
        {"a reference to no message in a oneof", bad_field(oneof([field(#{type => {msg, 'N'}})])),
            ?WHERE, undefined_type},
        {"a reference to no message in a map", bad_field(field(Map#{type => {map, int32, {msg, 'N'}}})), ?WHERE,
            undefined_type},
        {"a map in a map", bad_field(field(Map#{type => {map, int32, {map, int32, int32}}})), ?WHERE, nested_map},
        {"a map as a map's key", bad_field(field(Map#{type => {map, {map, int32, int32}, int32}})), ?WHERE, any},
        {"a map that is not repeated", bad_field(field(#{type => {map, int32, int32}})), ?WHERE, any},
        {"a map in a oneof", bad_field(oneof([field(#{type => {map, int32, int32}})])), ?WHERE, any},
        {"a map with one type", bad_field(field(Map#{type => {map, int32}})), ?WHERE, any},
        {"a map with a value of no type", bad_field(field(Map#{type => {map, int32, nothing}})), ?WHERE, any}
    ] ++
        [
            {lists:flatten(io_lib:format("a map key of type ~0p", [Type])),
                bad_field(field(Map#{type => {map, Type, int32}})) ++ [{{enum, 'E'}, [{'A', 0}]}],
                    ?WHERE, invalid_map_key}
         || Type <- [float, double, bytes, {msg, 'M'}, {enum, 'E'}]
        ].

lists() ->
    Field = field(#{}),
    [
        {"an improper list of definitions", bad_field(Field) ++ tail, #{}, improper_list},
        {"an improper list of fields", [{{msg, 'M'}, [Field | tail]}], #{message => 'M'}, improper_list},
        {"an atom for the list of fields", [{{msg, 'M'}, none}], #{message => 'M'}, any},
        {"an improper list of a group's fields", [{{group, 'M'}, [Field | tail]}], #{message => 'M'}, improper_list},
        {"an improper list of a oneof's fields", bad_field({gpb_oneof, bad, 3, [field(#{name => a}) | tail], []}),
            #{message => 'M'}, improper_list},
        {"an atom for a oneof's fields", bad_field({gpb_oneof, bad, 3, none, []}), ?WHERE, any},
        {"an improper list of options", bad_field(field(#{opts => [packed | tail]})), ?WHERE, improper_list},
        {"an atom for the options", bad_field(field(#{opts => packed})), ?WHERE, any},
        {"an improper list of symbols", [{{enum, 'E'}, [{'A', 0} | tail]}], #{enum => 'E'}, improper_list},
        {"an improper property list", bad_field([{name, bad}, {fnum, 2} | tail]), #{message => 'M'}, any},
        {"an improper list of proto3_msgs", [{proto3_msgs, ['M' | tail]}], #{}, improper_list},
        {"an atom for proto3_msgs", [{proto3_msgs, none}], #{}, any}
    ].

enums() ->
    [
        {"an enum without values", [{{enum, 'E'}, []}], #{enum => 'E'}, enum_without_values},
        {"a symbol twice", [{{enum, 'E'}, [{'A', 0}, {'B', 1}, {'A', 2}]}], #{enum => 'E'}, symbol_twice},
        {"an enum with options alone", [{{enum, 'E'}, [{option, allow_alias, true}]}],
            #{enum => 'E'}, enum_without_values},
        {"an enum twice", [{{enum, 'E'}, [{'A', 0}]}, {{enum, 'E'}, [{'A', 0}]}], #{enum => 'E'}, enum_twice},
        {"an enum value that is no integer", [{{enum, 'E'}, [{'A', a}]}], #{enum => 'E'}, any},
        {"an enum value beyond 32 bits", [{{enum, 'E'}, [{'A', 1 bsl 31}]}], #{enum => 'E', field => 'A'}, any},
        {"an enum value below 32 bits", [{{enum, 'E'}, [{'A', -(1 bsl 31) - 1}]}],
            #{enum => 'E', field => 'A'}, any},
        {"an enum value beyond 64 bits", [{{enum, 'E'}, [{'A', 1 bsl 64}]}], #{enum => 'E'}, any},
        {"a symbol that is no atom", [{{enum, 'E'}, [{"A", 0}]}], #{enum => 'E'}, any},
        {"a symbol without value", [{{enum, 'E'}, ['A']}], #{enum => 'E'}, any}
    ].

refused_test_() ->
    [
        {Title, fun() ->
            codec:load(good()),
            Details = refusal(Defs),
            ?assertEqual(Where, maps:with(maps:keys(Where), Details)),
            ?assertNot(is_map_key(message, Details) andalso is_map_key(enum, Details)),
            #{reason := Given} = Details,
            ?assertEqual(expected(Reason, Given), name(Given)),
            %% What was loaded stays.
            ?assertEqual({<<8, 5>>, {'Good', 5}}, codec:roundtrip({'Good', 5})),
            ?assertError('M', codec:encode({'M', 1, 2}))
        end}
     || {Title, Defs, Where, Reason} <- cases()
    ].

refusal(Defs) ->
    try enif_protobuf:load_cache(Defs) of
        ok -> loaded
    catch
        error:{bad_definitions, #{reason := _} = Details} -> Details
    end.

%% A reason is an atom, or a tuple of that atom and what it is about.
name(Reason) when is_atom(Reason) -> Reason;
name(Reason) -> element(1, Reason).

expected(any, Given) -> name(Given);
expected(Reason, _) -> Reason.

%% Also from encode_msg and decode_msg.
calls_that_load_test() ->
    codec:load(good()),
    Bad = bad_field(field(#{fnum => 1})),
    ?assertError({bad_definitions, #{message := 'M', field := bad}}, enif_protobuf:encode_msg({'M', 1, 2}, Bad)),
    ?assertError({bad_definitions, #{message := 'M', field := bad}}, enif_protobuf:decode_msg(<<>>, 'M', Bad)),
    ?assertEqual({<<8, 5>>, {'Good', 5}}, codec:roundtrip({'Good', 5})).

%% With nothing loaded before, nothing is loaded after.
nothing_loaded_stays_so_test() ->
    ok = enif_protobuf:purge_cache(),
    ?assertMatch(#{reason := _}, refusal(bad_field(field(#{fnum => 1})))),
    ?assertError(cache_not_exists, enif_protobuf:encode({'M', 1, 2})).

%% What is no list at all is no definition at all.
not_a_list_test_() ->
    [
        {lists:flatten(io_lib:format("~0p", [Defs])), fun() ->
            codec:load(good()),
            ?assertError(badarg, enif_protobuf:load_cache(Defs)),
            ?assertEqual({<<8, 5>>, {'Good', 5}}, codec:roundtrip({'Good', 5}))
        end}
     || Defs <- [a, 1, <<>>, {}, #{}, self(), {{msg, 'M'}, []}]
    ].

%% A bad entry after thousands of good ones; the first of several is told.
last_of_many_test() ->
    codec:load(good()),
    Many = [{{msg, list_to_atom("N" ++ integer_to_list(I))}, [field(#{rnum => 2})]} || I <- lists:seq(1, 5000)],
    ?assertMatch(#{message := 'M', field := bad}, refusal(Many ++ bad_field(field(#{fnum => 0})))).

%% The sentence for a person names the place and what is missing.
sentence_test() ->
    codec:load(good()),
    try
        enif_protobuf:load_cache(bad_field(field(#{type => {msg, 'Nothing'}}))),
        error(loaded)
    catch
        error:Reason:Stack ->
            Text = unicode:characters_to_list(erl_error:format_exception(error, Reason, Stack)),
            [?assertNotEqual(nomatch, string:find(Text, Word)) || Word <- ["M.bad", "Nothing"]]
    end.

%% Oneofs do not nest, however deep somebody nests them.
nested_oneofs_test() ->
    codec:load(good()),
    Nest = fun(_, Inner) -> {gpb_oneof, o, 2, [Inner], []} end,
    Deep = lists:foldl(Nest, {field, x, 1, 2, int32, optional, []}, lists:seq(1, 200000)),
    ?assertMatch(#{message := 'M', field := o, reason := {not_a_field, _}}, refusal([{{msg, 'M'}, [Deep]}])).
