%% What a decoded message takes on the heap, and what it keeps alive.
-module(bench_memory).

-export([run/1]).

run(Contenders) ->
    NIFs = [Contender || {_, nif, _} = Contender <- Contenders],
    {_, Defs, Messages} = bench_messages:google(),
    io:format("Words on the heap after a decode of Google's messages.~n~n"),
    bench_table:row(["message" | [Name || {Name, _, _} <- NIFs]]),
    bench_table:row(["---" | ["---:" || _ <- NIFs]]),
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, NIFs),
    [
        bench_table:row([Size | [integer_to_list(words(Contender, Wire, Name)) || Contender <- NIFs]])
     || {Size, Wire, Name} <- Messages
    ],
    io:format("~nBytes of a larger input (100,000 and more) that a field of some bytes keeps alive.~n~n"),
    bench_table:row(["bytes of the field" | [Name || {Name, _, _} <- NIFs]]),
    bench_table:row(["---:" | ["---:" || _ <- NIFs]]),
    [
        bench_table:row([integer_to_list(Size) | [integer_to_list(kept(Contender, Size)) || Contender <- NIFs]])
     || Size <- [1, 24, 25, 64, 65, 1000]
    ],
    ok.

%% What is shared within the result counts once.
words(Contender, Wire, Name) ->
    erts_debug:size((bench_contenders:operation(Contender, decode, {Wire, Name}))()).

kept(Contender, Size) ->
    Defs = schema_terms:proto2([{msg, 'M', [{b, 1, bytes}, {c, 2, bytes}]}]),
    bench_contenders:load(Contender, Defs),
    Parts = [wire_bytes:len(1, binary:copy(<<"x">>, 100000)), wire_bytes:len(2, binary:copy(<<"y">>, Size))],
    Wire = iolist_to_binary(Parts),
    {'M', _, Field} = (bench_contenders:operation(Contender, decode, {Wire, 'M'}))(),
    case binary:referenced_byte_size(Field) of
        Kept when Kept > 100000 -> Kept;
        _ -> 0
    end.
