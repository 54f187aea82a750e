%% Started with the release: encodes, decodes, and ends the node with status 0.
-module(consumer_app).
-behaviour(application).

-export([start/2, stop/1]).

start(_Type, _Arguments) ->
    ok = enif_protobuf:load_proto(filename:join(code:priv_dir(consumer), "person.proto")),
    Person = {'Person', <<"abc def">>, 345, <<"a@example.com">>},
    Person = enif_protobuf:decode(enif_protobuf:encode(Person), 'Person'),
    io:format("~ts under ~ts: ~0tp~n", [?MODULE, code:lib_dir(enif_protobuf), Person]),
    ok = init:stop(),
    {ok, spawn_link(timer, sleep, [infinity])}.

stop(_State) ->
    ok.
