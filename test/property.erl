%% Properties, for PropEr.
-module(property).

-export([check/2, holds/1, agree/1]).

%% Tries the property so many times. What is found is printed, but no dot for each try.
check(Property, Tests) ->
    proper:quickcheck(Property, [{numtests, Tests}, {max_size, 40}, {on_output, fun output/2}]).

output(".", _) -> ok;
output(Format, Args) -> io:format(user, Format, Args).

%% The body of a property: an exception in it is shown and makes it fail. (PropEr's own way of telling of one does not
%% work on every release.)
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
