%% How long calls with large messages of every shape hold a normal scheduler, as erlang:system_monitor sees it, while
%% 1,000 processes tick. Run by test/soak/run.
-module(schedule_soak).

-export([run/1]).

%% From so many milliseconds on the VM reports; what it can tell is whole milliseconds.
-define(LONG, 2).
%% A noisy machine takes a thread away now and then, which looks the same. What is no noise is there each time.
-define(TRIES, 10).

%% Gives the titles of the shapes that held a scheduler.
run(Sizes) ->
    ok = enif_protobuf:load_cache(shapes:defs()),
    _ = [spawn_link(fun tick/0) || _ <- lists:seq(1, 1000)],
    io:format("~-36s ~6s ~12s ~12s~n", ["shape", "MB", "decode", "encode"]),
    _ = line("(nothing, for half a second)", 0, [silent(fun() -> timer:sleep(500) end)]),
    %% This holds a scheduler on purpose: the measurement is one.
    {long, _} = Held = silent(fun() -> erlang:make_tuple(16000000, a) end),
    _ = line("(a function that does not yield)", 0, [Held]),
    lists:append([sized(Size) || Size <- Sizes]) ++ lists:append([other_functions(Size) || Size <- Sizes]).

sized(Size) ->
    Shapes = shapes:all(Size),
    WithStrings = [Shape || {Title, _, _} = Shape <- Shapes, string:find(Title, "string") =/= nomatch],
    Plain = lists:append([shape("", Shape) || Shape <- Shapes]),
    ok = enif_protobuf:set_opts([{string_as_list, true}]),
    Lists = lists:append([shape(", as lists", Shape) || Shape <- WithStrings]),
    ok = enif_protobuf:set_opts([{with_utf8, true}]),
    Text = lists:append([shape(", as text", Shape) || Shape <- WithStrings]),
    ok = enif_protobuf:set_opts([{string_as_list, false}, {with_utf8, false}]),
    {_, Message, Wire} = hd(Shapes),
    Shifted = shifted(Wire),
    Unaligned = silent(fun() -> enif_protobuf:decode(Shifted, Message) end),
    UnalignedEncode = silent(fun() -> enif_protobuf:encode({'U', 0, [{length_delimited, 9, Shifted}]}) end),
    Plain ++ Lists ++ Text ++ line("one string, not at an octet", byte_size(Wire), [Unaligned, UnalignedEncode]).

%% The same octets, beginning within one.
shifted(Binary) ->
    <<_:1, Shifted/bits>> = <<0:1, Binary/bits>>,
    Shifted.

other_functions(Size) ->
    Options = lists:duplicate(Size div 10, {with_utf8, false}),
    Tuple = list_to_tuple(lists:seq(1, Size div 10)),
    line("set_opts/1 with a long list", 0, [silent(fun() -> enif_protobuf:set_opts(Options) end)]) ++
        line("debug_term/1 of a large tuple", 0, [silent(fun() -> enif_protobuf:debug_term(Tuple) end)]).

tick() ->
    receive
    after 10 -> tick()
    end.

shape(Options, {Title, Message, Wire}) ->
    Decode = silent(fun() -> enif_protobuf:decode(Wire, Message) end),
    Encode = silent(fun() -> enif_protobuf:decode(Wire, Message) end, fun(Record) -> enif_protobuf:encode(Record) end),
    line(Title ++ Options, byte_size(Wire), [Decode, Encode]).

line(Title, Size, Outcomes) ->
    Texts = [io_lib:format("~13s", [text(Outcome)]) || Outcome <- Outcomes],
    io:format("~-36s ~6.1f~s~n", [Title, Size / 1.0e6, Texts]),
    [Title || lists:any(fun(Outcome) -> element(1, Outcome) =:= long end, Outcomes)].

text({silent, 1}) -> "silent";
text({silent, Tries}) -> io_lib:format("silent (~w)", [Tries]);
text({long, Longest}) -> io_lib:format("~w ms", [Longest]).

silent(Call) ->
    silent(fun() -> nothing end, fun(_) -> Call() end).

%% {silent, Tries} once a call went without a report, or {long, Ms} with the least of what was reported each time.
silent(Prepare, Call) ->
    silent(Prepare, Call, 1, infinity).

silent(_, _, Try, Least) when Try > ?TRIES ->
    {long, Least};
silent(Prepare, Call, Try, Least) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        Prepared = Prepare(),
        %% What was made to begin with is collected before.
        erlang:garbage_collect(),
        Self ! {self(), prepared},
        receive
            go -> _ = Call(Prepared)
        end,
        Self ! {self(), called},
        %% What the VM does when a process with a large heap ends is not measured.
        receive
            stop -> ok
        end
    end),
    receive
        {Pid, prepared} -> ok;
        {'DOWN', Ref, process, Pid, Failed} -> error(Failed)
    end,
    _ = erlang:system_monitor(self(), [{long_schedule, ?LONG}]),
    Pid ! go,
    receive
        {Pid, called} -> ok;
        {'DOWN', Ref, process, Pid, Reason} -> error(Reason)
    end,
    _ = erlang:system_monitor(undefined),
    Pid ! stop,
    receive
        {'DOWN', Ref, process, Pid, normal} -> ok
    end,
    case reported(Pid, 0) of
        0 -> {silent, Try};
        Longest -> silent(Prepare, Call, Try + 1, min(Least, Longest))
    end.

%% Only of the process that called: a process that ticks is long where the system takes its thread away.
reported(Pid, Longest) ->
    receive
        {monitor, Pid, long_schedule, Info} -> reported(Pid, max(Longest, proplists:get_value(timeout, Info)));
        {monitor, _, long_schedule, _} -> reported(Pid, Longest)
    after 0 -> Longest
    end.
