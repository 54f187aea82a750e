%% Calls do not keep other processes from running.
-module(scheduling_tests).

-include_lib("eunit/include/eunit.hrl").

-export([longest_gap/1]).

%% A call of some length takes reductions, so that a process which makes one after the other gives way to others, also
%% where each fails. Of a time slice of 4000 reductions these take a tenth and more, and small ones next to nothing.
reductions_test_() ->
    Numbers = binary:copy(<<8, 1>>, 50000),
    Unknown = binary:copy(<<72, 1>>, 50000),
    Strings = lists:duplicate(10000, <<>>),
    Decode = fun(Wire) -> fun() -> enif_protobuf:decode(Wire, 'M') end end,
    Encode = fun(Record) -> fun() -> enif_protobuf:encode(Record) end end,
    Set = fun(Wire, Value) -> fun() -> enif_protobuf:set(Wire, 'M', [v], Value) end end,
    Iolist = fun(Record) -> fun() -> enif_protobuf:encode_to_iolist(Record) end end,
    Referred = lists:duplicate(5000, binary:copy(<<"x">>, 1024)),
    Small = Decode(binary:part(Unknown, 0, 5000)),
    Long = [
        {"decode", Decode(Numbers)},
        {"decode unknown fields", Decode(Unknown)},
        {"decode and fail at the end", Decode(<<Numbers/binary, 8>>)},
        {"decode and fail at the end of an unknown group", Decode(<<75, Unknown/binary>>)},
        {"decode many times what takes less than a percent", fun() -> [Small() || _ <- lists:seq(1, 20)] end},
        {"encode", Encode({'M', [], Strings})},
        {"encode and fail at the end", Encode({'M', [], Strings ++ [wrong]})},
        {"get", fun() -> enif_protobuf:get(Unknown, 'M', [v, 1]) end},
        {"get and fail at the end", fun() -> enif_protobuf:get(<<Unknown/binary, 8>>, 'M', [v, 1]) end},
        {"set", Set(Unknown, [1])},
        {"set much", Set(<<>>, lists:duplicate(30000, 1))},
        {"set and take out much", Set(Numbers, [])},
        {"set and fail at the end", Set(<<Unknown/binary, 8>>, [1])},
        {"set and fail with the value", Set(<<>>, lists:duplicate(30000, 1) ++ [wrong])},
        {"encode to an iolist", Iolist({'M', [], Strings})},
        {"encode to an iolist that refers", Iolist({'M', [], Referred})}
    ],
    Short = [
        {"decode little", Decode(<<8, 1>>)},
        {"decode little and fail", Decode(<<8, 1, 8>>)},
        {"encode little", Encode({'M', [1], [<<>>]})},
        {"encode and fail at the beginning", Encode({'M', wrong, Strings})},
        {"set little", Set(<<8, 1>>, [2])},
        {"set little and fail", Set(<<8, 1>>, wrong)},
        %% What is referred to takes no time, whatever it has.
        {"encode to an iolist that refers to much", Iolist({'M', [1], [binary:copy(<<"x">>, 1000000)]})}
    ],
    Defs = schema_terms:proto3([{msg, 'M', [{v, 1, uint32, repeated}, {s, 2, string, repeated}]}]),
    {setup, fun() -> codec:load(Defs) end,
        [{Title, fun() -> ?assert(reductions(Call) > 400) end} || {Title, Call} <- Long] ++
            [{Title, fun() -> ?assert(reductions(Call) < 100) end} || {Title, Call} <- Short]}.

reductions(Call) ->
    %% What goes beyond a time slice is not counted, so it begins with a new one.
    erlang:yield(),
    {reductions, Before} = process_info(self(), reductions),
    try Call() catch error:_ -> failed end,
    {reductions, After} = process_info(self(), reductions),
    After - Before.

%% Large inputs are decoded beside the normal schedulers. Measured in a node of one scheduler, by the longest time that
%% a process which only ticks has to wait.
large_decode_test_() ->
    {timeout, 120, fun() -> ?assert(gap(decode) < limit()) end}.

large_encode_test_() ->
    {timeout, 120, fun() -> ?assert(gap(encode) < limit()) end}.

large_set_test_() ->
    [{timeout, 120, fun() -> ?assert(gap(What) < limit()) end} || What <- [set, set_value]].

large_encode_to_iolist_test_() ->
    {timeout, 120, fun() -> ?assert(gap(encode_to_iolist) < limit()) end}.

%% In milliseconds. Without yielding the calls take several times as long on any machine of these days.
limit() -> 100.

gap(What) ->
    child_vm:run(["+S", "1:1"], ?MODULE, longest_gap, [What]).

%% Best of some tries: a busy machine makes gaps as well, but not in each of them.
longest_gap(What) ->
    ok = enif_protobuf:load_cache(
        schema_terms:proto3([
            {msg, 'M', [{v, 1, uint32, repeated}]},
            {msg, 'R', [{ms, 1, {msg, 'M'}, repeated}, {bs, 2, bytes, repeated}]}
        ])
    ),
    Wire = wire_bytes:len(1, binary:copy(<<1, 130, 1, 7>>, 2500000)),
    Call =
        case What of
            decode ->
                fun() -> enif_protobuf:decode(Wire, 'M') end;
            encode ->
                Record = enif_protobuf:decode(Wire, 'M'),
                Records = shared({'R', [Record, Record, Record], []}),
                fun() -> enif_protobuf:encode(Records()) end;
            set ->
                Unpacked = binary:copy(<<8, 1>>, 20000000),
                fun() -> enif_protobuf:set(Unpacked, 'M', [v, 20000000], 7) end;
            set_value ->
                Numbers = shared(element(2, enif_protobuf:decode(Wire, 'M'))),
                fun() -> enif_protobuf:set(<<>>, 'R', [ms, 1, v], Numbers()) end;
            encode_to_iolist ->
                Record = enif_protobuf:decode(Wire, 'M'),
                Records = shared({'R', [Record, Record, Record], [binary:copy(<<"x">>, 2000)]}),
                fun() -> enif_protobuf:encode_to_iolist(Records()) end
        end,
    lists:min([gap_during(Call) || _ <- [1, 2, 3]]).

%% What no process copies or collects, for that makes a gap as well.
shared(Term) ->
    ok = persistent_term:put(?MODULE, Term),
    fun() -> persistent_term:get(?MODULE) end.

gap_during(Call) ->
    Self = self(),
    Ticker = spawn_opt(fun() -> tick(Self, now_ms(), 0) end, [{priority, high}]),
    receive
        {Ticker, ticking} -> ok
    end,
    %% In a process of its own: the heap of the result must not be collected where the measuring is done.
    {_, Ref} = spawn_monitor(Call),
    receive
        {'DOWN', Ref, process, _, normal} -> ok
    end,
    Ticker ! {Self, stop},
    receive
        {Ticker, Longest} -> Longest
    end.

tick(Parent, Last, Longest) ->
    Parent ! {self(), ticking},
    tick_on(Parent, Last, Longest).

tick_on(Parent, Last, Longest) ->
    receive
        {Parent, stop} -> Parent ! {self(), max(Longest, now_ms() - Last)}
    after 1 ->
        Now = now_ms(),
        tick_on(Parent, Now, max(Longest, Now - Last))
    end.

now_ms() ->
    erlang:monotonic_time(millisecond).
