%% The body of a property: an exception in it is shown and makes it fail. (PropEr's own way of telling of one does not
%% work on every release.)
-module(property).

-export([holds/1, agree/1]).

holds(Fun) ->
    try
        Fun()
    catch
        Class:Reason:Stack ->
            io:format(user, "~n~0p:~0p~n~p~n", [Class, Reason, Stack]),
            false
    end.

%% The fun gives two answers that must be the same.
agree(Fun) ->
    holds(fun() ->
        case Fun() of
            {Same, Same} ->
                true;
            {Ours, Theirs} ->
                io:format(user, "~nours:   ~0p~ntheirs: ~0p~n", [Ours, Theirs]),
                false
        end
    end).
