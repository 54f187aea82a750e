%% Google's benchmark messages as maps, in both of gpb's forms: with keys for what is there, and with all keys. Of the
%% peers gpb alone makes maps.
-module(bench_maps).

-export([run/1]).

run(Contenders) ->
    {What, Defs, Messages} = bench_messages:google(),
    Able = [Contender || {_, Kind, Module} = Contender <- Contenders, Module =:= enif_protobuf orelse Kind =:= gpb],
    io:format("With ~ts, their strings as binaries.~n~n", [What]),
    bench_table:head(Able),
    lists:foreach(
        fun({Form, Keys}) ->
            Operations = [{Title, load(Contender, Defs, Form)} || {Title, _, _} = Contender <- Able],
            lists:foreach(
                fun({Way, Message}) -> times(Way, Message, Keys, Able, Operations) end,
                [{Way, Message} || Way <- [decode, encode], Message <- Messages]
            )
        end,
        [{omitted, "keys of what is there"}, {present_undefined, "all keys"}]
    ).

%% How to decode and encode.
load({_, nif, Module} = Contender, Defs, Form) ->
    ok = bench_contenders:load(Contender, Defs),
    Options = [{maps, true}, {maps_unset_optional, Form}],
    #{
        decode => fun({Wire, Name}) -> Module:decode(Wire, Name, Options) end,
        encode => fun({Map, Name}) -> Module:encode(Map, Name, Options) end
    };
load({_, gpb, Module} = Contender, Defs, Form) ->
    ok = bench_contenders:load(Contender, Defs, [maps, {maps_unset_optional, Form}]),
    #{
        decode => fun({Wire, Name}) -> Module:decode_msg(Wire, Name) end,
        encode => fun({Map, Name}) -> Module:encode_msg(Map, Name) end
    }.

%% All must give the same answer before they are timed.
times(Way, {Size, Wire, Name}, Keys, Contenders, [{_, #{decode := Decode}} | _] = Operations) ->
    Argument =
        case Way of
            decode -> {Wire, Name};
            encode -> {bench_messages:as_made({?MODULE, Name}, Decode({Wire, Name})), Name}
        end,
    Title = [Size, " ", atom_to_list(Way), ", ", Keys],
    [Expected | Answers] = [Operation(Argument) || {_, #{Way := Operation}} <- Operations],
    [Expected] =:= lists:usort([Expected | Answers]) orelse throw([Title, ": the answers differ"]),
    Runs = [{Peer, fun() -> Operation(Argument) end, default} || {Peer, #{Way := Operation}} <- Operations],
    bench_table:times(Title, Contenders, bench_measure:measure(Runs, bench_measure:setting("BENCH_ROUNDS", 15))).
