%% The forms in which definitions are handed over: all load, and say the same.
-module(definitions_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

types() ->
    [
        {enum, 'E', [{'A', 0}, {'B', 1}, {'N', -1}]},
        {msg, 'M', [
            {x, 1, int32},
            {oneof, o, [{s, 2, string}, {e, 3, {enum, 'E'}}]},
            {r, 4, int32, repeated},
            {m, 6, {map, int32, string}},
            {sub, 7, {msg, 'S'}},
            {y, 8, int32, optional}
        ]},
        {msg, 'S', [{x, 1, sint64}]}
    ].

full() -> {'M', 5, {e, 'N'}, [1, 300], [{1, <<"one">>}], {'S', -1}, 0}.

full_bytes() ->
    hex("08 05 18 ff ff ff ff ff ff ff ff ff 01 22 03 01 ac 02 32 07 08 01 12 03 6f 6e 65 3a 02 08 01 40 00").

%% The fields of each message in another shape.
reshaped(Shape, Defs) ->
    [
        case Def of
            {{msg, Name}, Fields} -> {{msg, Name}, [Shape(F) || F <- Fields]};
            {{group, Name}, Fields} -> {{group, Name}, [Shape(F) || F <- Fields]};
            Other -> Other
        end
     || Def <- Defs
    ].

as_map({field, Name, Number, Position, Type, Occurrence, Opts}) ->
    #{name => Name, fnum => Number, rnum => Position, type => Type, occurrence => Occurrence, opts => Opts};
as_map({gpb_oneof, Name, Position, Fields, Opts}) ->
    #{name => Name, rnum => Position, fields => [as_map(F) || F <- Fields], opts => Opts}.

as_proplist({field, Name, Number, Position, Type, Occurrence, Opts}) ->
    [{name, Name}, {fnum, Number}, {rnum, Position}, {type, Type}, {occurrence, Occurrence}, {opts, Opts}];
as_proplist({gpb_oneof, Name, Position, Fields, Opts}) ->
    [{name, Name}, {rnum, Position}, {fields, [as_proplist(F) || F <- Fields]}, {opts, Opts}].

%% Enumerators of versions 3 and 4.
with_enum_options(Defs) ->
    [
        case Def of
            {{enum, Name}, Symbols} -> {{enum, Name}, [{S, N, [{deprecated, true} || S =:= 'B']} || {S, N} <- Symbols]};
            Other -> Other
        end
     || Def <- Defs
    ].

version(Version, Defs) -> lists:keyreplace(proto_defs_version, 1, Defs, {proto_defs_version, Version}).

%% Version 1 has `optional' where version 2 has `defaulty'.
without_defaulty(Defs) ->
    Optional = fun
        ({field, Name, Number, Position, Type, defaulty, Opts}) ->
            {field, Name, Number, Position, Type, optional, Opts};
        (Other) ->
            Other
    end,
    reshaped(Optional, Defs).

forms() ->
    Version2 = schema_terms:proto3(types()),
    Bare = [Def || {{Kind, _}, _} = Def <- Version2, Kind =:= msg orelse Kind =:= enum],
    [
        {"version 2", Version2},
        {"version 2 without a word of the syntax", Bare},
        {"maps", reshaped(fun as_map/1, Version2)},
        {"maps and nothing else", reshaped(fun as_map/1, Bare)},
        {"property lists", reshaped(fun as_proplist/1, Version2)},
        {"property lists and nothing else", reshaped(fun as_proplist/1, Bare)},
        {"version 3", version(3, with_enum_options(Version2))},
        {"version 4", version(4, with_enum_options(Version2))},
        {"version 4, maps", reshaped(fun as_map/1, version(4, with_enum_options(Version2)))},
        {"enums last", [D || {{msg, _}, _} = D <- Bare] ++ [D || {{enum, _}, _} = D <- Bare]},
        {"backwards", lists:reverse(Version2)},
        {"other entries between them", lists:append([[Def | other_entries()] || Def <- Version2])}
    ].

%% What stands beside messages and enums; nothing of it matters here.
other_entries() ->
    [
        {file, {"x", "x.proto"}},
        {{msg_containment, "x"}, ['M', 'S']},
        {{enum_containment, "x"}, ['E']},
        {{pkg_containment, "x"}, p},
        {{service_containment, "x"}, ['p.Sv']},
        {{rpc_containment, "x"}, [{'p.Sv', 'Do'}]},
        {package, p},
        {import, "google/protobuf/descriptor.proto"},
        {option, java_package, "x"},
        {{extensions, 'M'}, [{100, 199}, {1000, max}]},
        {{extend, 'M'}, [{field, ext, 100, undefined, int32, optional, []}]},
        {{ext_origin, 'M'}, {p, [{field, ext, 100, undefined, int32, optional, []}]}},
        {{reserved_numbers, 'M'}, [5, {9, 12}]},
        {{reserved_names, 'M'}, ["foo"]},
        {{service, 'p.Sv'}, [{rpc, 'Do', 'M', 'M', false, false, []}]},
        {{msg_options, 'M'}, [{deprecated, true}]},
        {{enum_options, 'E'}, [{allow_alias, true}]},
        {{rpc_options, 'p.Sv'}, []},
        {something_of_a_later_version, 1, 2, 3}
    ].

all_forms_say_the_same_test_() ->
    [
        {Title, fun() ->
            codec:load(Defs),
            ?assertEqual({full_bytes(), full()}, codec:roundtrip(full())),
            ?assertEqual({'M', 0, undefined, [], [], undefined, undefined}, codec:decode(<<>>, 'M')),
            ?assertEqual(<<>>, codec:encode({'M', 0, undefined, [], [], undefined, undefined})),
            ?assertEqual(hex("40 00"), codec:encode({'M', 0, undefined, [], [], undefined, 0}))
        end}
     || {Title, Defs} <- forms()
    ].

%% In version 1 of proto3 every field is `optional'; that it is proto3 is said beside the messages.
version_1_of_proto3_test_() ->
    Messages = without_defaulty([Def || {{_, _}, _} = Def <- schema_terms:proto3(types())]),
    [
        {Title, fun() ->
            codec:load(Defs),
            ?assertEqual(hex("08 05 40 01"), codec:encode({'M', 5, undefined, [], [], undefined, 1})),
            ?assertEqual({'M', 0, undefined, [], [], undefined, 0}, codec:decode(<<>>, 'M')),
            ?assertEqual(<<>>, codec:encode({'M', 0, undefined, [], [], undefined, 0})),
            ?assertEqual({'M', 0, undefined, [], [], {'S', 0}, 0}, codec:decode(hex("3a 00"), 'M'))
        end}
     || {Title, Defs} <- [
            {"by its syntax", [{proto_defs_version, 1}, {syntax, "proto3"} | Messages]},
            {"by proto3_msgs", [{proto_defs_version, 1} | Messages] ++ [{proto3_msgs, ['M', 'S']}]},
            {"by both", [{proto_defs_version, 1}, {syntax, "proto3"} | Messages] ++ [{proto3_msgs, ['M', 'S']}]},
            {"by proto3_msgs alone, and first", [{proto3_msgs, ['S', 'M']} | Messages]}
        ]
    ].

%% A file of each syntax: which message is of which, proto3_msgs says.
mixed_syntaxes_test() ->
    codec:load([
        {proto_defs_version, 1},
        {syntax, "proto3"},
        {{msg, 'New'}, [{field, x, 1, 2, int32, optional, []}, {field, old, 2, 3, {msg, 'Old'}, optional, []}]},
        {proto3_msgs, ['New']},
        {syntax, "proto2"},
        {{msg, 'Old'}, [{field, x, 1, 2, int32, optional, []}]}
    ]),
    ?assertEqual({'New', 0, undefined}, codec:decode(<<>>, 'New')),
    ?assertEqual({'Old', undefined}, codec:decode(<<>>, 'Old')),
    ?assertEqual({'New', 0, {'Old', undefined}}, codec:decode(hex("12 00"), 'New')),
    ?assertEqual({hex("12 02 08 00"), {'New', 0, {'Old', 0}}}, codec:roundtrip({'New', 0, {'Old', 0}})).

%% Nothing says proto3: what is absent is undefined, and a default is written.
version_1_without_a_word_test() ->
    codec:load(without_defaulty([Def || {{_, _}, _} = Def <- schema_terms:proto3(types())])),
    ?assertEqual({'M', undefined, undefined, [], [], undefined, undefined}, codec:decode(<<>>, 'M')),
    ?assertEqual(hex("08 00"), codec:encode({'M', 0, undefined, [], [], undefined, undefined})).

%% The extended message holds the fields already.
extensions_test() ->
    codec:load([
        {syntax, "proto2"},
        {{extensions, 'M'}, [{100, 199}]},
        {{msg, 'M'}, [{field, x, 1, 2, int32, optional, []}, {field, ext, 100, 3, string, optional, []}]},
        {{extend, 'M'}, [{field, ext, 100, undefined, string, optional, []}]}
    ]),
    ?assertEqual({iolist_to_binary([int(1, 1), len(100, "a")]), {'M', 1, <<"a">>}}, codec:roundtrip({'M', 1, <<"a">>})).

%% Kept in each shape of the field that keeps them.
unknown_fields_test_() ->
    Defs = schema_terms:proto2([{msg, 'M', [{x, 1, int32}, unknown]}]),
    [
        {Title, fun() ->
            codec:load(reshaped(Shape, Defs)),
            ?assertEqual({hex("08 01 48 05"), {'M', 1, [{varint, 9, 5}]}}, codec:roundtrip({'M', 1, [{varint, 9, 5}]}))
        end}
     || {Title, Shape} <- [{"records", fun(F) -> F end}, {"maps", fun as_map/1}, {"property lists", fun as_proplist/1}]
    ].

%% One name for a message, an enum and a group.
one_name_for_three_test() ->
    codec:load([
        {{enum, 'X'}, [{'A', 0}, {'B', 1}]},
        {{msg, 'X'}, [
            {field, e, 1, 2, {enum, 'X'}, optional, []},
            {field, m, 2, 3, {msg, 'X'}, optional, []},
            {field, g, 3, 4, {group, 'X'}, optional, []}
        ]},
        {{group, 'X'}, [{field, a, 1, 2, {enum, 'X'}, optional, []}]}
    ]),
    Record = {'X', 'B', {'X', 'A', undefined, undefined}, {'X', 'B'}},
    ?assertEqual({hex("08 01 12 02 08 00 1b 08 01 1c"), Record}, codec:roundtrip(Record)).

%% A record position need not follow the order of the list, nor leave none out.
positions_out_of_order_test() ->
    codec:load([
        {{msg, 'M'}, [
            {field, b, 2, 3, int32, optional, []},
            {gpb_oneof, o, 4, [{field, c, 3, 4, int32, optional, []}], []},
            {field, a, 1, 2, int32, optional, []}
        ]}
    ]),
    Wire = codec:encode({'M', 1, 2, {c, 3}}),
    ?assertEqual([8, 16, 24], lists:sort([Tag || <<Tag, _>> <= Wire])),
    ?assertEqual({'M', 1, 2, {c, 3}}, codec:decode(Wire, 'M')).

%% Numbers at the ends of their range; those reserved to implementations are numbers as others are.
field_numbers_test() ->
    Numbers = [1, 15, 16, 2047, 2048, 18999, 19000, 19500, 19999, 20000, 262143, 262144, 33554431, 33554432, 536870911],
    Fields = [{list_to_atom("f" ++ integer_to_list(N)), N, int32} || N <- Numbers],
    codec:load(schema_terms:proto2([{msg, 'M', Fields}])),
    Record = list_to_tuple(['M' | Numbers]),
    ?assertEqual({iolist_to_binary([int(N, N) || N <- Numbers]), Record}, codec:roundtrip(Record)).

nothing_at_all_test() ->
    codec:load([]),
    ?assertError('M', codec:encode({'M'})),
    ?assertError('M', codec:decode(<<>>, 'M')).

%% Loading takes time linear in the definitions: eight times as many messages, each with a reference to every other of
%% its hundred neighbours, take eight times as long, not sixty-four. The times are far enough apart to tell.
linear_time_test_() ->
    {timeout, 120, fun() ->
        {Small, Large} = {recursive(1000), recursive(8000)},
        Linear = fun(_) -> load_time(Large) < 24 * max(load_time(Small), 2000) end,
        %% What else runs on the machine may disturb some tries, but not each.
        ?assert(lists:any(Linear, lists:seq(1, 9)))
    end}.

load_time(Defs) ->
    {Time, ok} = timer:tc(enif_protobuf, load_cache, [Defs]),
    Time.

%% A chain and a ring, with a map, a oneof and a list of messages in each.
recursive(Count) ->
    Name = fun(I) -> list_to_atom("M" ++ integer_to_list((I + Count) rem Count)) end,
    schema_terms:proto3([
        {msg, Name(I), [
            {next, 1, {msg, Name(I + 1)}},
            {far, 2, {msg, Name(I * 7)}, repeated},
            {by, 3, {map, int32, {msg, Name(I - 1)}}},
            {oneof, o, [{self, 4, {msg, Name(I)}}, {other, 5, {msg, Name(I * 3)}}]}
        ]}
     || I <- lists:seq(0, Count - 1)
    ]).

thousand_mutually_recursive_messages_work_test() ->
    codec:load(recursive(1000)),
    Empty = fun(Name) -> {Name, undefined, [], [], undefined} end,
    Record = {'M999', Empty('M0'), [], [{1, Empty('M998')}], undefined},
    ?assertEqual(Record, codec:decode(codec:encode(Record), 'M999')).

%% A message with thousands of fields, and enums with thousands of symbols.
wide_message_test() ->
    Fields = [{list_to_atom("f" ++ integer_to_list(I)), I, int32} || I <- lists:seq(1, 5000)],
    codec:load(schema_terms:proto2([{msg, 'M', Fields}])),
    Record = list_to_tuple(['M' | lists:seq(1, 5000)]),
    ?assertEqual({iolist_to_binary([int(I, I) || I <- lists:seq(1, 5000)]), Record}, codec:roundtrip(Record)),
    ?assertEqual(
        list_to_tuple(['M' | [undefined || _ <- lists:seq(1, 4999)]] ++ [7]),
        codec:decode(int(5000, 7), 'M')
    ).
