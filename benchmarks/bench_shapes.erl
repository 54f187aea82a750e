%% Messages of one shape each, in both directions.
-module(bench_shapes).

-export([run/1]).

-import(wire_bytes, [len/2, int/2]).

%% Where a peer is left out it cannot do it: the C NIF dies on messages that contain their own type three levels deep.
-define(DIES, [{"C NIF", dies}]).

run(Contenders) ->
    bench_table:head(Contenders),
    Ratios = lists:append([shape(Shape, Contenders) || Shape <- shapes()]),
    io:format("~n"),
    [summary(Name, Ratios) || {Name, _, _} <- tl(Contenders)],
    ok.

summary(Peer, Ratios) ->
    Of = [{Ratio, Title} || {Name, Title, Ratio} <- Ratios, Name =:= Peer],
    Slower = [lists:flatten(Title) || {Ratio, Title} <- Of, Ratio < 1],
    Mean = math:exp(lists:sum([math:log(Ratio) || {Ratio, _} <- Of]) / length(Of)),
    io:format("Against ~ts: ~.2fx in the geometric mean, ~.2fx to ~.2fx; slower: ~ts.~n", [
        Peer, Mean, element(1, lists:min(Of)), element(1, lists:max(Of)),
        case Slower of [] -> "none"; _ -> lists:join(", ", Slower) end
    ]).

%% {Title, Definitions, Wire of the message 'M', peers that are left out}

shapes() ->
    [
        {"one field", proto2([{x, 1, int32}]), int(1, 150), []},
        {"100 sparse fields", proto2(sparse()), [int(Number, 1) || {_, Number, _} <- sparse(), Number rem 3 =:= 0], []}
    ] ++ [packed(Scalar) || Scalar <- scalars()] ++
        [
            {"1,000 small messages",
                schema_terms:proto2([
                    {msg, 'M', [{ms, 1, {msg, 'P'}, repeated}]}, {msg, 'P', [{x, 1, sint32}, {y, 2, sint32}]}
                ]),
                [len(1, [int(1, N), int(2, 2 * N)]) || N <- lists:seq(1, 1000)], []},
            {"a message that comes 100 times",
                schema_terms:proto2([
                    {msg, 'M', [{m, 1, {msg, 'P'}}]}, {msg, 'P', [{x, 1, sint32}, {ys, 2, sint32, repeated}]}
                ]),
                [len(1, [int(1, N), int(2, N), int(2, 2 * N)]) || N <- lists:seq(1, 100)], []},
            {"map of 10 entries", proto3([{m, 1, {map, string, int32}}]), entries(10), []},
            {"map of 1,000 entries", proto3([{m, 1, {map, string, int32}}]), entries(1000), []},
            {"map of 50,000 entries", proto3([{m, 1, {map, string, int32}}]), entries(50000), []},
            {"string of 1 MB", proto2([{s, 1, string}]), len(1, binary:copy(<<"a">>, 1000000)), []},
            {"bytes of 1 MB", proto2([{s, 1, bytes}]), len(1, binary:copy(<<0>>, 1000000)), []},
            {"depth of 1,000", proto2([{m, 1, {msg, 'M'}}, {x, 2, int32}]),
                wire_bytes:nested(1, 1000, int(2, 7)), ?DIES},
            {"oneof", proto3([{oneof, c, [{a, 1, int32}, {b, 2, string}, {d, 3, bytes}]}]), len(2, "member"), []},
            {"proto3 defaults", proto3(plain()), [], []},
            {"Unicode strings", proto3([{s, 1, string, repeated}]),
                [len(1, <<"größer 你好"/utf8>>) || _ <- lists:seq(1, 100)], []},
            {"field numbers above 2047", proto2(far()), [int(Number, 1) || {_, Number, _} <- far()], []}
        ].

proto2(Fields) -> schema_terms:proto2([{msg, 'M', Fields}]).
proto3(Fields) -> schema_terms:proto3([{msg, 'M', Fields}]).

sparse() -> [{name(N), 1 + N * 7, int32} || N <- lists:seq(1, 100)].
far() -> [{name(N), 2047 + N * 5, int32} || N <- lists:seq(1, 20)].
plain() -> [{name(N), N, lists:nth(1 + N rem 3, [int32, string, bool])} || N <- lists:seq(1, 20)].
name(N) -> list_to_atom("f" ++ integer_to_list(N)).

entries(Count) ->
    [len(1, [len(1, ["key ", integer_to_binary(N)]), int(2, N)]) || N <- lists:seq(1, Count)].

scalars() ->
    [int32, int64, uint32, uint64, sint32, sint64, bool, fixed32, sfixed32, fixed64, sfixed64, float, double].

packed(Scalar) ->
    Title = "1,000 packed " ++ atom_to_list(Scalar),
    {Title, proto3([{v, 1, Scalar, repeated}]), len(1, [element_of(Scalar, N) || N <- lists:seq(1, 1000)]), []}.

element_of(bool, N) -> <<(N rem 2)>>;
element_of(Scalar, N) when Scalar =:= fixed32; Scalar =:= sfixed32 -> <<N:32/little>>;
element_of(Scalar, N) when Scalar =:= fixed64; Scalar =:= sfixed64 -> <<N:64/little>>;
element_of(float, N) -> <<(N / 2):32/little-float>>;
element_of(double, N) -> <<(N / 2):64/little-float>>;
element_of(_, N) -> wire_bytes:varint(N * 37).

shape({Title, Defs, Parts, LeftOut}, Contenders) ->
    Wire = iolist_to_binary(Parts),
    Able = [Contender || {Name, _, _} = Contender <- Contenders, not lists:keymember(Name, 1, LeftOut)],
    lists:foreach(fun(Contender) -> bench_contenders:load(Contender, Defs) end, Able),
    Record = (bench_contenders:operation(hd(Able), decode, {Wire, 'M'}))(),
    lists:append([
        direction([Title, ", ", atom_to_list(What)], What, Argument, Able, LeftOut, Contenders)
     || {What, Argument} <- [{decode, {Wire, 'M'}}, {encode, Record}]
    ]).

%% Only who gives the same answer is timed.
direction(Title, What, Argument, Able, LeftOut, Contenders) ->
    [{_, Expected} | _] = Answers = [{Contender, answer(Contender, What, Argument)} || Contender <- Able],
    Same = [Contender || {Contender, Answer} <- Answers, Answer =:= Expected],
    Others = [{Name, differs} || {{Name, _, _}, Answer} <- Answers, Answer =/= Expected],
    Runs = [{Name, bench_contenders:operation(C, What, Argument), default} || {Name, _, _} = C <- Same],
    [{_, Own} | Peers] = Results = bench_measure:measure(Runs, rounds(Argument)),
    bench_table:times(Title, Contenders, Results ++ Others ++ LeftOut),
    [{Name, Title, bench_measure:ratio(Samples, Own)} || {Name, Samples} <- Peers].

answer(Contender, What, Argument) ->
    try
        (bench_contenders:operation(Contender, What, Argument))()
    catch
        Class:Reason -> {Class, Reason}
    end.

%% The C NIF takes seconds for a large map.
rounds({Wire, _}) when byte_size(Wire) > 800000, byte_size(Wire) < 1000000 -> 7;
rounds(_) -> bench_measure:setting("BENCH_ROUNDS", 15).
