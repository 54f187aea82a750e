#!/usr/bin/env escript
%%! -pa ebin
%% Uses the library by erl -pa ebin alone, in the folder where `make` was called.

main([]) ->
    ok = enif_protobuf:load_proto("proto/person.proto"),
    Person = {'Person', <<"abc def">>, 345, <<"a@example.com">>},
    Person = enif_protobuf:decode(enif_protobuf:encode(Person), 'Person'),
    io:format("consumer under ~ts: ~0tp~n", [code:which(enif_protobuf), Person]).
