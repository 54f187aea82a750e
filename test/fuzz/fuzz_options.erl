%% Every function with arguments that it does not expect; and the options, of which a model is kept.
-module(fuzz_options).

-export([calls/0]).

-import(fuzz_random, [pick/1, one_in/1, below/1]).

calls() ->
    ok = enif_protobuf:load_cache(schema_terms:proto2([{msg, 'M1', [{s, 1, string}, {m, 2, {msg, 'M1'}}]}])),
    {Answers, _} = lists:mapfoldl(fun(_, Model) -> options(Model) end, model(), lists:seq(1, 20)),
    Answers ++ [call() || _ <- lists:seq(1, 20)].

model() -> #{string_as_list => false, with_utf8 => false, max_depth => infinity, max_size => infinity}.

%% Options are taken all together or not at all, and then hold.
options(Model) ->
    Options = odd_options(),
    Expected = taken(Options, Model),
    Answer =
        try
            enif_protobuf:set_opts(Options)
        catch
            error:badarg:Stack ->
                #{} = enif_protobuf:format_error(badarg, Stack),
                badarg
        end,
    After =
        case {Answer, Expected} of
            {ok, {ok, Changed}} -> Changed;
            {badarg, badarg} -> Model;
            _ -> error({disagree, [{options, Options}, {ours, Answer}, {expected, Expected}]})
        end,
    {{Answer, holds(After)}, After}.

odd_options() ->
    Options = [option() || _ <- lists:seq(1, below(4))],
    case rand:uniform(12) of
        1 -> fuzz_random:odd_term();
        2 -> Options ++ fuzz_random:odd_term();
        3 -> fuzz_random:replace(Options, fun(_) -> fuzz_random:odd_term() end);
        _ -> Options
    end.

option() ->
    pick([
        {string_as_list, one_in(2)},
        {with_utf8, one_in(2)},
        {max_depth, pick([infinity, 0, 1, 2, 100, 1 bsl 32, (1 bsl 64) - 1])},
        {max_size, pick([infinity, 0, 3, 8, 100, 1 bsl 32, (1 bsl 64) - 1])}
    ]).

taken([], Model) -> {ok, Model};
taken([{Name, Value} | Rest], Model) when Name =:= string_as_list; Name =:= with_utf8 ->
    case is_boolean(Value) of
        true -> taken(Rest, Model#{Name => Value});
        false -> badarg
    end;
taken([{Name, Value} | Rest], Model) when Name =:= max_depth; Name =:= max_size ->
    case Value =:= infinity orelse (is_integer(Value) andalso Value >= 0 andalso Value < 1 bsl 64) of
        true -> taken(Rest, Model#{Name => Value});
        false -> badarg
    end;
taken(_, _) -> badarg.

%% Two messages within one with a character of two bytes show what is in force.
holds(#{string_as_list := AsList, with_utf8 := Utf8, max_depth := MaxDepth, max_size := MaxSize} = Model) ->
    Wire = <<18, 6, 18, 4, 10, 2, "ä"/utf8>>,
    Text =
        case {AsList, Utf8} of
            {false, _} -> <<"ä"/utf8>>;
            {true, true} -> "ä";
            {true, false} -> binary_to_list(<<"ä"/utf8>>)
        end,
    %% An atom is more than any integer.
    Expected =
        if
            MaxSize < 8 -> {max_size, MaxSize};
            MaxDepth < 2 -> {max_depth, MaxDepth};
            true -> {'M1', undefined, {'M1', undefined, {'M1', Text, undefined}}}
        end,
    Ours =
        try
            enif_protobuf:decode(Wire, 'M1')
        catch
            error:{decode_error, #{reason := Reason}} -> Reason
        end,
    case Ours of
        Expected -> ok;
        _ -> error({disagree, [{options, Model}, {ours, Ours}, {expected, Expected}]})
    end.

%% A call with any terms gives a value or an exception of class error.
call() ->
    Odd = fun() -> fuzz_random:odd_term() end,
    {Function, Arguments} = pick([
        {decode, [Odd(), pick(['M1', 'M2', Odd()])]},
        {decode, [rand:bytes(below(20)), Odd()]},
        {encode, [Odd()]},
        {encode, [{'M1', Odd(), Odd()}]},
        {load_cache, [pick([Odd(), [Odd()], [{{msg, a}, Odd()}], [{Odd(), Odd()}]])]},
        {encode_msg, [Odd(), Odd()]},
        {decode_msg, [Odd(), Odd(), Odd()]},
        {proto_defs, [Odd(), pick([[], Odd(), [Odd()], [{i, Odd()}]])]},
        {load_proto, [Odd(), pick([[], Odd(), [Odd()], [{i, Odd()}]])]},
        {debug_term, [Odd()]},
        {purge_cache, []}
    ]),
    try apply(enif_protobuf, Function, Arguments) of
        _ -> {Function, value}
    catch
        error:Reason:Stack ->
            #{} = enif_protobuf:format_error(Reason, Stack),
            case Reason of
                undef -> error({disagree, [{call, Function, Arguments}, Reason]});
                nif_panicked -> error({disagree, [{call, Function, Arguments}, Reason]});
                _ -> {Function, raised}
            end
    end.
