%% The session of the README, from definitions of each origin.
-module(session_tests).

-include_lib("eunit/include/eunit.hrl").

-record('Person', {name, id, email}).

fields() ->
    [
        {field, name, 1, 2, string, required, []},
        {field, id, 2, 3, int32, required, []},
        {field, email, 3, 4, string, optional, []}
    ].

loaders() ->
    [
        {"a generated module's definitions", fun() -> enif_protobuf:load_cache([{{msg, 'Person'}, fields()}]) end},
        {"full definitions", fun() ->
            enif_protobuf:load_cache([
                {proto_defs_version, 2},
                {file, {"person", "person.proto"}},
                {{msg_containment, "person"}, ['Person']},
                {{enum_containment, "person"}, []},
                {syntax, "proto2"},
                {{msg, 'Person'}, fields()}
            ])
        end},
        {"load_proto", fun() -> enif_protobuf:load_proto(proto_file()) end},
        {"proto_defs", fun() ->
            {ok, Defs} = enif_protobuf:proto_defs([proto_file()], []),
            enif_protobuf:load_cache(Defs)
        end}
    ].

proto_file() ->
    Ebin = filename:dirname(code:which(?MODULE)),
    Above = fun(Dir) -> filename:join(Dir, "proto/person.proto") end,
    Candidates = [Above(Dir) || Dir <- ["." | parents(Ebin)]],
    hd([File || File <- Candidates, filelib:is_regular(File)]).

parents(Dir) ->
    case filename:dirname(Dir) of
        Dir -> [Dir];
        Parent -> [Dir | parents(Parent)]
    end.

session_test_() ->
    [{Title, fun() -> session(Load) end} || {Title, Load} <- loaders()].

session(Load) ->
    codec:options(false, false),
    ?assertEqual(ok, Load()),
    Person = #'Person'{name = "abc def", id = 345, email = "a@example.com"},
    Wire = <<10, 7, "abc def", 16, 217, 2, 26, 13, "a@example.com">>,
    ?assertEqual(Wire, enif_protobuf:encode(Person)),
    ?assertEqual(
        #'Person'{name = <<"abc def">>, id = 345, email = <<"a@example.com">>},
        enif_protobuf:decode(Wire, 'Person')
    ),
    ?assertEqual(ok, enif_protobuf:set_opts([{string_as_list, true}])),
    ?assertEqual(Person, enif_protobuf:decode(Wire, 'Person')),
    Hello = Person#'Person'{name = "你好"},
    ?assertError(
        {gpb_type_error, {bad_unicode_string, [{value, "你好"}, {path, "Person.name"}]}},
        enif_protobuf:encode(Hello)
    ),
    ?assertEqual(ok, enif_protobuf:set_opts([{with_utf8, true}])),
    HelloWire = <<10, 6, 228, 189, 160, 229, 165, 189, 16, 217, 2, 26, 13, "a@example.com">>,
    ?assertEqual(HelloWire, enif_protobuf:encode(Hello)),
    ?assertEqual(Hello, enif_protobuf:decode(HelloWire, 'Person')),
    codec:options(false, false).

calls_that_load_test() ->
    codec:options(false, false),
    Defs = [{{msg, 'Person'}, fields()}],
    Person = #'Person'{name = <<"a">>, id = 1},
    ?assertEqual(<<10, 1, 97, 16, 1>>, enif_protobuf:encode_msg(Person, Defs)),
    ?assertEqual(Person, enif_protobuf:decode_msg(<<10, 1, 97, 16, 1>>, 'Person', Defs)).
