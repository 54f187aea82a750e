%% A row of a table catalog: to write and read all of it, and to read one value of it or three. The peers decode all for
%% that. How FlatBuffers do it, without the VM, is in native/codec/benches/encoding.
-module(bench_encoding).

-export([run/1]).

run(Contenders) ->
    {ok, Defs} = enif_protobuf:proto_defs("benchmarks/catalog.proto", []),
    {ok, [Written]} = file:consult("benchmarks/catalog_row.term"),
    Row = bench_messages:as_made({?MODULE, row}, Written),
    [ok = bench_contenders:load(Contender, Defs) || Contender <- Contenders],
    Wire = enif_protobuf:encode(Row),
    io:format("A row of ~b bytes.~n~n", [byte_size(Wire)]),
    bench_table:head(Contenders),
    times("encode", Contenders, fun(Contender) -> bench_contenders:operation(Contender, encode, Row) end),
    times("decode", Contenders, fun(Contender) -> bench_contenders:operation(Contender, decode, {Wire, 'Table'}) end),
    lists:foreach(
        fun({Title, Paths}) ->
            times(Title, Contenders, fun(Contender) -> reading(Contender, Wire, Paths) end)
        end,
        [
            {"one field", [[name]]},
            {"one field of the last file", [[files, 4, record_count]]},
            {"three fields", [[id], [name], [files, 4, path]]}
        ]
    ).

%% Without decoding the rest, where that can be.
reading({_, nif, enif_protobuf}, Wire, [Path]) ->
    fun() -> [enif_protobuf:get(Wire, 'Table', Path)] end;
reading({_, nif, enif_protobuf}, Wire, Paths) ->
    fun() -> enif_protobuf:select(Wire, 'Table', Paths) end;
reading(Contender, Wire, Paths) ->
    Decode = bench_contenders:operation(Contender, decode, {Wire, 'Table'}),
    Places = [places(Path) || Path <- Paths],
    fun() ->
        Row = Decode(),
        [value(Row, Place) || Place <- Places]
    end.

%% Where the value of a path stands in a row, and in the record that is there.
places([files, Position, Name]) -> {7, Position, place(Name)};
places([Name]) -> place(Name).

place(id) -> 2;
place(name) -> 5;
place(path) -> 2;
place(record_count) -> 4.

value(Row, {Element, Position, Inner}) -> element(Inner, lists:nth(Position, element(Element, Row)));
value(Row, Element) -> element(Element, Row).

%% All must give the same answer before they are timed.
times(Title, Contenders, Operation) ->
    Operations = [{Name, Operation(Contender)} || {Name, _, _} = Contender <- Contenders],
    [_] = lists:usort([compared(Fun()) || {_, Fun} <- Operations]),
    Runs = [{Name, Fun, default} || {Name, Fun} <- Operations],
    bench_table:times(Title, Contenders, bench_measure:measure(Runs, bench_measure:setting("BENCH_ROUNDS", 31))).

%% Of records their bytes: the C NIF has `[]` for the empty string.
compared(Row) when is_tuple(Row) -> enif_protobuf:encode(Row);
compared(Answer) -> Answer.
