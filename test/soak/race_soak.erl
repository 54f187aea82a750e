%% 200 processes that load, purge, set options, encode and decode at once, some of it on dirty schedulers, for a given
%% time: each answer is right for one of the published definitions and options. Run by test/soak/run.
-module(race_soak).

-export([run/1]).

-define(PROCESSES, 200).
%% As many definitions are published in turns. With number N the field has number N.
-define(DEFINITIONS, 8).
%% So many elements make a call go on on a dirty scheduler.
-define(LARGE, 30000).

%% Gives what was wrong; prints what was done.
run(Seconds) ->
    publish(1),
    End = erlang:monotonic_time(second) + Seconds,
    Before = resident(),
    Workers = [spawn_monitor(fun() -> exit({done, work(role(N), End, #{})}) end) || N <- lists:seq(1, ?PROCESSES)],
    {Counts, Wrong} = lists:foldl(fun collect/2, {#{}, []}, Workers),
    publish(1),
    ok = enif_protobuf:purge_cache(),
    io:format("~w processes for ~w s: ~0p~n", [?PROCESSES, Seconds, Counts]),
    io:format("resident memory: ~w MB before, ~w MB after~n", [Before, resident()]),
    Wrong.

collect({Pid, Ref}, {Counts, Wrong}) ->
    receive
        {'DOWN', Ref, process, Pid, {done, More}} -> {add(Counts, More), Wrong};
        {'DOWN', Ref, process, Pid, Reason} -> {Counts, [Reason | Wrong]}
    end.

add(Counts, More) ->
    maps:fold(fun(What, Count, Sum) -> maps:update_with(What, fun(C) -> C + Count end, Count, Sum) end, Counts, More).

role(1) -> fun purge/0;
role(N) when N =< 5 -> fun load/0;
role(N) when N =< 10 -> fun options/0;
role(N) when N =< 14 -> fun encode_much/0;
role(N) when N =< 18 -> fun decode_much/0;
role(N) when N rem 2 =:= 0 -> fun encode/0;
role(_) -> fun decode/0.

work(Role, End, Counts) ->
    case erlang:monotonic_time(second) >= End of
        true -> Counts;
        false -> work(Role, End, add(Counts, #{Role() => 1}))
    end.

purge() ->
    ok = enif_protobuf:purge_cache(),
    publish(rand:uniform(?DEFINITIONS)),
    timer:sleep(rand:uniform(20)),
    purge.

load() ->
    publish(rand:uniform(?DEFINITIONS)),
    load.

publish(N) ->
    ok = enif_protobuf:load_cache(
        schema_terms:proto2([{msg, 'M', [{x, N, int32}, {s, 20, string}, {r, 21, {msg, 'M'}, repeated}]}])
    ).

options() ->
    ok = enif_protobuf:set_opts([{string_as_list, rand:uniform(2) =:= 1}]),
    options.

encode() ->
    encode_record({'M', 7, <<"text">>, []}, <<162, 1, 4, "text">>, encode).

encode_much() ->
    Inner = {'M', 7, undefined, []},
    Element = fun(Tag) -> <<170, 1, 2, Tag, 7>> end,
    try enif_protobuf:encode({'M', undefined, undefined, lists:duplicate(?LARGE, Inner)}) of
        <<First:5/binary, _/binary>> = Wire ->
            %% All of it by the same definitions.
            <<_:3/binary, Tag, _>> = First,
            true = known(Tag),
            true = Wire =:= binary:copy(Element(Tag), ?LARGE),
            encode_much
    catch
        error:cache_not_exists -> no_cache
    end.

encode_record(Record, Rest, What) ->
    try enif_protobuf:encode(Record) of
        <<Tag, 7, Rest/binary>> ->
            true = known(Tag),
            What
    catch
        error:cache_not_exists -> no_cache
    end.

known(Tag) ->
    Tag rem 8 =:= 0 andalso Tag div 8 =< ?DEFINITIONS.

decode() ->
    Number = rand:uniform(?DEFINITIONS),
    try enif_protobuf:decode(<<(Number * 8), 7, 162, 1, 4, "text">>, 'M') of
        {'M', X, S, []} when X =:= 7 orelse X =:= undefined, S =:= <<"text">> orelse S =:= "text" -> decode
    catch
        error:cache_not_exists -> no_cache
    end.

decode_much() ->
    Wire = << <<170, 1, 9, (Number * 8), 7, 162, 1, 4, "text">> || Number <- numbers(?LARGE) >>,
    try enif_protobuf:decode(Wire, 'M') of
        {'M', undefined, undefined, Records} ->
            %% All of it by the same definitions and options.
            [Some | _] = Kinds = lists:usort([{X, S} || {'M', X, S, []} <- Records]),
            true = lists:all(fun({X, S}) -> (X =:= 7 orelse X =:= undefined) andalso S =:= element(2, Some) end, Kinds),
            Set = length([7 || {'M', 7, _, _} <- Records]),
            true = Set =:= ?LARGE div ?DEFINITIONS,
            decode_much
    catch
        error:cache_not_exists -> no_cache
    end.

%% Each number as often as any other.
numbers(Count) ->
    [1 + N rem ?DEFINITIONS || N <- lists:seq(1, Count)].

resident() ->
    _ = [erlang:garbage_collect(Pid) || Pid <- processes()],
    case file:read_file("/proc/self/statm") of
        {ok, Text} -> list_to_integer(lists:nth(2, string:lexemes(binary_to_list(Text), " "))) * 4096 div 1000000;
        {error, _} -> 0
    end.
