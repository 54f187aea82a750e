%% One field read from the bytes of a message, and one put into them, beside decoding all of it and encoding that
%% again; and encoding to iolists beside encoding.
-module(bench_paths).

-export([run/1]).

-define(OWN, enif_protobuf).

run(Contenders) ->
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, defs()) end, Contenders),
    io:format("One field read, of orders of a shop with so many items.~n~n"),
    table("get", "decode", Contenders, [reading(O, C) || O <- orders(), C <- readings(O)]),
    io:format("~nOne field set. What decodes and encodes replaces it in the record between.~n~n"),
    table("set", "decode and encode", Contenders, [setting(O, C) || O <- orders(), C <- settings(O)]),
    io:format("~nFields of so many bytes encoded.~n~n"),
    table("encode_to_iolist", "encode", Contenders, [writing(Count, Size) || {Count, Size} <- blobs()]).

defs() ->
    schema_terms:proto3([
        {enum, 'State', [{'NEW', 0}, {'SHIPPED', 1}]},
        {msg, 'Item', [{sku, 1, string}, {quantity, 2, uint32}]},
        {msg, 'Order', [
            {id, 1, uint64},
            {items, 2, {msg, 'Item'}, repeated},
            {state, 3, {enum, 'State'}},
            {labels, 4, {map, string, string}},
            {oneof, paid, [{cash, 5, bool}, {card, 6, string}]},
            {note, 7, string, optional}
        ]},
        {msg, 'Blob', [{id, 1, uint32}, {parts, 2, bytes, repeated}]}
    ]).

%% How many items, and the bytes.
orders() ->
    [
        begin
            Items = [{'Item', <<"sku-", (integer_to_binary(N))/binary>>, 1 + N rem 9} || N <- lists:seq(1, Count)],
            Record = {'Order', 4711, Items, 'NEW', [{<<"lane">>, <<"3">>}], {card, <<"4711">>}, <<"by hand">>},
            {Count, ?OWN:encode(Record)}
        end
     || Count <- [2, 200, 2000]
    ].

blobs() -> [{1, Size} || Size <- [256, 512, 1024, 8192, 65536]] ++ [{10, 512}, {10, 1024}].

%% What is asked for, the paths, and the same of the record.
readings({Count, _}) ->
    [
        {"id", [[id]], fun(Order) -> [element(2, Order)] end},
        {"quantity of the last item", [[items, Count, quantity]], fun(Order) -> [element(3, last(Order))] end},
        {"label", [[labels, <<"lane">>]], fun(Order) -> [proplists:get_value(<<"lane">>, element(5, Order))] end},
        {"three (select)", [[id], [state], [note]], fun(Order) -> [element(At, Order) || At <- [2, 4, 7]] end}
    ].

%% What is set, the path, and the same in the record.
settings({Count, _}) ->
    [
        {"id", [id], 5, fun(Order) -> setelement(2, Order, 5) end},
        {"quantity of the last item", [items, Count, quantity], 5, fun(Order) ->
            setelement(3, Order, lists:droplast(element(3, Order)) ++ [setelement(3, last(Order), 5)])
        end}
    ].

last(Order) -> lists:last(element(3, Order)).

%% A case: its title, what the call is for it, and what gives the same with decoding and encoding.
reading({Count, Wire}, {What, Paths, Same}) ->
    Read =
        case Paths of
            [Path] -> fun() -> [?OWN:get(Wire, 'Order', Path)] end;
            _ -> fun() -> ?OWN:select(Wire, 'Order', Paths) end
        end,
    {title(Count, Wire, What), Read, fun(Contender) ->
        Decode = bench_contenders:operation(Contender, decode, {Wire, 'Order'}),
        fun() -> Same(Decode()) end
    end}.

setting({Count, Wire}, {What, Path, Value, Same}) ->
    {title(Count, Wire, What), fun() -> ?OWN:set(Wire, 'Order', Path, Value) end, fun(Contender) ->
        Decode = bench_contenders:operation(Contender, decode, {Wire, 'Order'}),
        fun() -> (bench_contenders:operation(Contender, encode, Same(Decode())))() end
    end}.

writing(Count, Size) ->
    Record = bench_messages:as_made(?MODULE, {'Blob', 7, lists:duplicate(Count, binary:copy(<<"x">>, Size))}),
    {io_lib:format("~b of ~b bytes", [Count, Size]), fun() -> ?OWN:encode_to_iolist(Record) end, fun(Contender) ->
        bench_contenders:operation(Contender, encode, Record)
    end}.

title(Count, Wire, What) -> io_lib:format("~b (~b bytes), ~ts", [Count, byte_size(Wire), What]).

%% The call beside what else gives the same, by each contender.
table(Call, Otherwise, [{_, _, ?OWN} = Own | Peers], Cases) ->
    Ways = [{Otherwise, Own} | [{Name ++ ", " ++ Otherwise, Peer} || {Name, _, _} = Peer <- Peers]],
    Columns = [{Name, way, ?OWN} || Name <- [Call | [Name || {Name, _} <- Ways]]],
    bench_table:head(Columns),
    lists:foreach(
        fun({Title, Shortly, Same}) ->
            Runs = [{Call, Shortly} | [{Name, Same(Contender)} || {Name, Contender} <- Ways]],
            {Equal, Others} = lists:partition(fun({_, Fun}) -> flat(Fun()) =:= flat(Shortly()) end, Runs),
            Times = bench_measure:measure([{Name, Fun, default} || {Name, Fun} <- Equal], rounds()),
            bench_table:times(Title, Columns, Times ++ [{Name, differs} || {Name, _} <- Others])
        end,
        Cases
    ).

%% Bytes, or what was read.
flat(Answer) ->
    try iolist_to_binary(Answer)
    catch error:badarg -> Answer
    end.

rounds() -> bench_measure:setting("BENCH_ROUNDS", 15).
