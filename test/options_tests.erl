%% set_opts/1: what it takes, when it takes effect, and that a wrong option changes nothing.
-module(options_tests).

-include_lib("eunit/include/eunit.hrl").

defs() -> schema_terms:proto3([{msg, 'M', [{s, 1, string}]}]).

wire() -> <<10, 3, "你"/utf8>>.

%% What is in force, seen from outside.
in_force() ->
    case enif_protobuf:decode(wire(), 'M') of
        {'M', <<"你"/utf8>>} ->
            try enif_protobuf:encode({'M', [20320]}) of
                _ -> {false, true}
            catch
                error:{gpb_type_error, _} -> {false, false}
            end;
        {'M', [16#e4, 16#bd, 16#a0]} ->
            {true, false};
        {'M', [20320]} ->
            {true, true}
    end.

fixture(Tests) ->
    {foreach, fun() -> codec:load(defs()) end, fun(_) -> codec:options(false, false) end, Tests}.

takes_effect_at_once_test_() ->
    fixture([
        {lists:flatten(io_lib:format("~0p", [{From, To}])), fun() ->
            set(From),
            ?assertEqual(From, in_force()),
            set(To),
            ?assertEqual(To, in_force())
        end}
     || From <- all(), To <- all()
    ]).

all() -> [{L, U} || L <- [false, true], U <- [false, true]].

set({AsList, Utf8}) -> ok = enif_protobuf:set_opts([{string_as_list, AsList}, {with_utf8, Utf8}]).

lists_of_options_test_() ->
    fixture([
        {lists:flatten(io_lib:format("~0p", [Opts])), fun() ->
            set(From),
            ?assertEqual(ok, enif_protobuf:set_opts(Opts)),
            ?assertEqual(To, in_force())
        end}
     || {Opts, From, To} <- [
            {[], {true, true}, {true, true}},
            {[], {false, false}, {false, false}},
            {[{string_as_list, true}], {false, true}, {true, true}},
            {[{string_as_list, false}], {true, true}, {false, true}},
            {[{with_utf8, true}], {true, false}, {true, true}},
            {[{with_utf8, false}], {true, true}, {true, false}},
            {[{with_utf8, true}, {string_as_list, true}], {false, false}, {true, true}},
            {[{with_utf8, false}, {with_utf8, true}], {false, false}, {false, true}},
            {[{with_utf8, true}, {with_utf8, false}], {false, true}, {false, false}}
        ]
    ]).

wrong_option_changes_nothing_test_() ->
    fixture([
        {lists:flatten(io_lib:format("~0p from ~0p", [Opts, From])), fun() ->
            set(From),
            ?assertError(badarg, enif_protobuf:set_opts(Opts)),
            ?assertEqual(From, in_force())
        end}
     || From <- [{false, false}, {true, true}],
        Opts <- [
            a,
            1,
            <<>>,
            {},
            #{with_utf8 => true},
            {with_utf8, true},
            [a],
            [with_utf8],
            [{with_utf8, 1}],
            [{with_utf8, maybe_so}],
            [{with_utf8, <<"true">>}],
            [{with_utf8}],
            [{with_utf8, true, false}],
            [{"with_utf8", true}],
            [{unknown_option, true}],
            [{string_as_list, true}, {unknown_option, true}],
            [{string_as_list, false}, {with_utf8, false}, {string_as_list, 0}],
            [{string_as_list, true}, {with_utf8, true} | tail],
            [{string_as_list, true} | {with_utf8, true}],
            [{string_as_list, false}, {with_utf8, false} | tail]
        ]
    ]).

without_a_cache_test() ->
    ok = enif_protobuf:purge_cache(),
    set({true, true}),
    ok = enif_protobuf:load_cache(defs()),
    ?assertEqual({true, true}, in_force()),
    ok = enif_protobuf:purge_cache(),
    set({true, false}),
    ok = enif_protobuf:load_cache(defs()),
    ?assertEqual({true, false}, in_force()),
    set({false, false}).

%% Loading leaves the options as they are.
loading_leaves_them_test() ->
    ok = enif_protobuf:load_cache(defs()),
    set({true, true}),
    ok = enif_protobuf:load_cache(schema_terms:proto3([{msg, 'N', []}])),
    ok = enif_protobuf:load_cache(defs()),
    ?assertEqual({true, true}, in_force()),
    set({false, false}).

%% Defaults prepared at loading change with the options.
default_of_a_string_test() ->
    ok = enif_protobuf:load_cache(defs()),
    set({false, false}),
    ?assertEqual({'M', <<>>}, enif_protobuf:decode(<<>>, 'M')),
    set({true, false}),
    ?assertEqual({'M', []}, enif_protobuf:decode(<<>>, 'M')),
    set({false, true}),
    ?assertEqual({'M', <<>>}, enif_protobuf:decode(<<>>, 'M')).

for_all_processes_test() ->
    codec:load(defs()),
    {Pid, Ref} = spawn_monitor(fun() -> set({true, true}) end),
    receive
        {'DOWN', Ref, process, Pid, normal} -> ok
    end,
    ?assertEqual({true, true}, in_force()),
    set({false, false}).
