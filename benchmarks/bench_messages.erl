%% Google's benchmark messages, from where they are found: a small one and a large one. They are data of others, so they
%% are not part of the project.
-module(bench_messages).

-export([google/0, write/1, strings_as_lists/2, as_made/2]).

-import(wire_bytes, [int/2, len/2, fixed32/2, fixed64/2]).

-type message() :: {Size :: string(), Wire :: binary(), Name :: atom()}.

-define(SMALL_SIZE, 228).
-define(LARGE_SIZE, 84584).
-define(GENERATED, "generated").

%% What they are, in words; their definitions; and the messages.
-spec google() -> {What :: iodata(), Defs :: list(), [message()]}.
google() ->
    {What, {Small, Large}} = found(),
    %% In gpb's first version, which every contender takes.
    {ok, Defs} = enif_protobuf:proto_defs("benchmarks/google_messages.proto", [{proto_defs_version, 1}]),
    {What, Defs, [{"small", Small, 'Message1'}, {"large", Large, 'Message2'}]}.

%% Puts them into a directory, for programs that are not in Erlang.
-spec write(Directory :: string()) -> ok.
write(Directory) ->
    {_, {Small, Large}} = found(),
    lists:foreach(
        fun({File, Wire}) -> ok = file:write_file(filename:join(Directory, File), Wire) end,
        lists:zip(files(), [Small, Large])
    ).

files() -> ["google_message1.dat", "google_message2.dat"].

found() ->
    case os:getenv("GOOGLE_MESSAGES", "") of
        "" ->
            first([
                {"Google's benchmark messages, from `../shared/data`", "../shared/data"},
                {"Google's benchmark messages, from Debian's source package of protobuf", "benchmarks/datasets"}
            ]);
        ?GENERATED ->
            generated();
        Directory ->
            case messages(Directory) of
                none -> throw(["GOOGLE_MESSAGES is ", Directory, ", but there are no such messages"]);
                Messages -> {"Google's benchmark messages, from `GOOGLE_MESSAGES`", Messages}
            end
    end.

first([]) ->
    generated();
first([{What, Directory} | Others]) ->
    case messages(Directory) of
        none -> first(Others);
        Messages -> {What, Messages}
    end.

%% As they are, or as protobuf's sources have them.
messages(Directory) ->
    Datasets = [
        "google_message1/proto2/dataset.google_message1_proto2.pb",
        "google_message2/dataset.google_message2.pb"
    ],
    case {read(Directory, files()), read(Directory, Datasets)} of
        {[{ok, Small}, {ok, Large}], _} -> {Small, Large};
        {_, [{ok, Small}, {ok, Large}]} -> {bench_dataset:message(Small), bench_dataset:message(Large)};
        _ -> none
    end.

read(Directory, Files) ->
    [file:read_file(filename:join(Directory, File)) || File <- Files].

%% Of the same shape and size: the same fields, as often, and with values as long. They are the same on every machine.
generated() ->
    {"generated messages of the shape and size of Google's", {
        filled(?SMALL_SIZE, 91, fun small/1), filled(?LARGE_SIZE, 2000, fun large/1)
    }}.

%% With so much filling that it comes to the size.
filled(Size, Filling, Message) ->
    Spare = Size - byte_size(Message(Filling)),
    Wire = Message(Filling + Spare),
    Size = byte_size(Wire),
    Wire.

small(Filling) ->
    Sub = [
        int(1, 25), int(2, 36), len(15, text(67, 1)), fixed64(21, any(1, 1 bsl 32)), int(22, 5000000), int(23, 1),
        int(206, 1)
    ],
    iolist_to_binary([
        len(1, ""), int(2, 8), int(3, 2000000), len(4, text(6, 2)), len(9, text(Filling, 3)), int(12, 1), int(13, 0),
        int(14, 1), len(15, Sub), int(17, 0), len(18, text(10, 4)), int(67, 1500000), int(100, 31)
    ]).

large(Filling) ->
    iolist_to_binary([
        len(2, [<<(any(N, 256))>> || N <- lists:seq(1, Filling)]), int(3, 170000000), int(4, 70000),
        [len(10, group(N)) || N <- lists:seq(1, 1000)],
        int(21, 1700000000), float(25, 0), int(71, 1400000000), int(129, 45), int(205, 0), int(206, 1)
    ]).

group(N) ->
    Length = 16 + any({length, N}, 34) + any({more, N}, 34) + every(50, N, any({long, N}, 86), 0),
    Inner = [
        float(1, {1, N}), every(3, N, float(3, {3, N}), []), every(140, N, int(4, 1), []),
        every(500, N, int(5, 1), []), every(250, N, int(6, 1), []), every(10, N, int(7, any({7, N}, 2)), []),
        every(300, N, float(8, {8, N}), [])
    ],
    [
        int(5, any({5, N}, 128)), float(11, {11, N}), len(12, text(Length, N)),
        int(15, any({high, N}, 1 bsl 32) bsl 32 bor any({low, N}, 1 bsl 32)), len(31, Inner),
        every(37, N, int(73, any({73, N}, 128)), [])
    ].

%% What one in so many has, without an order that a processor could learn.
every(Count, N, Value, Else) ->
    case any({Count, N}, Count) of
        0 -> Value;
        _ -> Else
    end.

float(Number, Seed) ->
    <<Bits:32>> = <<(any(Seed, 1 bsl 24) / (1 bsl 24)):32/float>>,
    fixed32(Number, Bits).

text(Length, Seed) ->
    [33 + any({Seed, N}, 94) || N <- lists:seq(1, Length)].

%% From 0 to Range - 1; the same for the same seed, whatever the release.
any(Seed, Range) ->
    erlang:phash2({?MODULE, Seed}, Range).

%% The same record with lists of octets for strings.
-spec strings_as_lists(tuple(), Defs :: list()) -> tuple().
strings_as_lists(Record, Defs) ->
    {_, Fields} = lists:keyfind({msg, element(1, Record)}, 1, Defs),
    Convert = fun(Field, Acc) ->
        Position = element(4, Field),
        setelement(Position, Acc, as_list(element(5, Field), element(Position, Acc), Defs))
    end,
    lists:foldl(Convert, Record, Fields).

as_list(_, undefined, _) -> undefined;
as_list(Type, [_ | _] = Values, Defs) -> [as_list(Type, V, Defs) || V <- Values];
as_list(string, Value, _) when is_binary(Value) -> binary_to_list(Value);
as_list({msg, _}, Value, Defs) -> strings_as_lists(Value, Defs);
as_list(_, Value, _) -> Value.

%% The same record, which no garbage collection changes: a persistent term lies in memory as it was made.
-spec as_made(Key :: term(), tuple()) -> tuple().
as_made(Key, Record) ->
    ok = persistent_term:put(Key, Record),
    persistent_term:get(Key).
