%% Runs the sections that are named, or all of them, and prints their tables.
-module(bench).

-export([main/1]).

-define(SECTIONS, [
    {"standard", "The standard table", fun bench_standard:run/1},
    {"google", "Google's benchmark messages, finer", fun bench_google:run/1},
    {"generated", "A generated module", fun bench_generated:run/1},
    {"maps", "Google's benchmark messages, as maps", fun bench_maps:run/1},
    {"encoding", "A row of a catalog, and single values of it", fun bench_encoding:run/1},
    {"shapes", "Messages of one shape", fun bench_shapes:run/1},
    {"paths", "One field of a message, and iolists", fun bench_paths:run/1},
    {"vectors", "The schemas of the test vectors", fun bench_vectors:run/1},
    {"memory", "Memory", fun bench_memory:run/1},
    {"loading", "Loading definitions", fun bench_loading:run/1},
    {"scaling", "Processes side by side", fun bench_scaling:run/1}
]).

main(Names) ->
    try
        Wanted = [section(Name) || Name <- Names],
        Contenders = bench_contenders:all(),
        lists:keymember("enif_protobuf", 1, Contenders) orelse
            throw("nothing to measure: build the library first, with make"),
        run(Wanted, Contenders),
        halt(0)
    catch
        throw:Reason ->
            io:format(standard_error, "benchmark: ~ts~n", [Reason]),
            halt(1);
        Class:Error:Stack ->
            io:format(standard_error, "benchmark: ~0p:~0P~n~p~n", [Class, Error, 30, Stack]),
            halt(1)
    end.

%% One alone goes without a heading: it is put where there is one.
run([{_, _, Section}], Contenders) ->
    Section(Contenders);
run([], Contenders) ->
    run(?SECTIONS, Contenders);
run(Sections, Contenders) ->
    lists:foreach(
        fun({_, Heading, Section}) ->
            io:format("~n## ~ts~n~n", [Heading]),
            Section(Contenders)
        end,
        Sections
    ).

section(Name) ->
    case lists:keyfind(Name, 1, ?SECTIONS) of
        false -> throw(io_lib:format("no section ~ts: there are ~p", [Name, [N || {N, _, _} <- ?SECTIONS]]));
        Section -> Section
    end.
