%% Runs what is written as typed into a shell: what stands behind a prompt is evaluated, and what stands below must come
%% out. `1> Expression.' goes on to its dot; what follows up to the next prompt is the result. A result may be left out;
%% of an exception its reason is compared and, where there is one, the sentence behind `***'. Lines that begin with %%
%% are for the reader.
-module(transcript).

-include_lib("eunit/include/eunit.hrl").

-export([is_transcript/1, steps/1, reset/0, clean/0, start/0, run/2]).

-type step() :: {pos_integer(), Expression :: string(), Expected :: [string()]}.
-type state() :: #{bindings := erl_eval:binding_struct(), records := [erl_parse:abstract_form()]}.

-spec is_transcript([string()]) -> boolean().
is_transcript(Lines) ->
    lists:any(fun is_prompt/1, Lines).

is_prompt(Line) ->
    re:run(Line, "^[0-9]+> ", [unicode]) =/= nomatch.

-spec steps([string()]) -> [step()].
steps(Lines) ->
    steps_of([Line || Line <- Lines, not lists:prefix("%%", Line), Line =/= ""]).

steps_of([]) ->
    [];
steps_of([Line | Lines]) ->
    {match, [Number, First]} = re:run(Line, "^([0-9]+)> (.*)$", [{capture, all_but_first, list}, unicode]),
    {Expression, Rest} = to_dot([First | Lines], []),
    {Expected, More} = lists:splitwith(fun(L) -> not is_prompt(L) end, Rest),
    [{list_to_integer(Number), Expression, Expected} | steps_of(More)].

to_dot([Line | Lines], Before) ->
    case lists:last(Line) of
        $. -> {lists:append(lists:join("\n", lists:reverse([Line | Before]))), Lines};
        _ -> to_dot(Lines, [Line | Before])
    end.

%% Nothing is loaded, and the options are as in a new node.
-spec reset() -> ok.
reset() ->
    ok = enif_protobuf:purge_cache(),
    [ok = enif_protobuf:purge_cache(Name) || Name <- enif_protobuf:caches()],
    ok = enif_protobuf:set_opts([
        {string_as_list, false}, {with_utf8, false}, {max_depth, infinity}, {max_size, infinity}
    ]).

%% The same, and modules that were made for it are gone.
-spec clean() -> ok.
clean() ->
    [unload(Module) || {Module, File} <- code:all_loaded(), is_list(File), is_made(filename:split(File))],
    reset().

%% From the text of a page, or from files that were written meanwhile.
is_made(["guides"]) -> true;
is_made(["_build", Dir, _Module]) -> Dir =:= "guides" orelse Dir =:= "examples";
is_made([_ | Path]) -> is_made(Path);
is_made([]) -> false.

unload(Module) ->
    _ = code:purge(Module),
    true = code:delete(Module),
    _ = code:purge(Module).

%% A shell in which nothing was typed yet.
-spec start() -> state().
start() ->
    #{bindings => erl_eval:new_bindings(), records => []}.

-spec run([step()], state()) -> state().
run(Steps, State) ->
    lists:foldl(fun step/2, State, Steps).

step({_Number, Expression, Expected}, State) ->
    {Outcome, Next} = evaluate(Expression, State),
    case {Expected, Outcome} of
        {["** exception error: " ++ Reason | Lines], _} ->
            exception(Expression, [Reason | Lines], Outcome, State);
        {[], {value, _}} ->
            ok;
        {_, {value, Value}} ->
            %% Compared as terms: in what order a map is printed differs between releases.
            ?assertEqual({Expression, term(Expected, State)}, {Expression, Value});
        {_, {error, Reason, _}} ->
            ?assertEqual({Expression, Expected}, {Expression, {error, Reason}})
    end,
    Next.

exception(Expression, Lines, Outcome, State) ->
    {Reason, Place} = lists:splitwith(fun(Line) -> not is_place(Line) end, Lines),
    ?assertMatch({Expression, {error, _, _}}, {Expression, Outcome}),
    {error, Raised, Stack} = Outcome,
    ?assertEqual({Expression, {error, reason(Reason, State)}}, {Expression, {error, Raised}}),
    case [Said || Line <- Place, [_, Said] <- [string:split(Line, "*** ")]] of
        [] -> ok;
        Sentences -> ?assertEqual({Expression, Sentences}, {Expression, sentences(Raised, Stack)})
    end.

is_place(Line) ->
    re:run(Line, "^ +(in function|\\*\\*\\*)", [unicode]) =/= nomatch.

%% The one reason that is not printed as it is.
reason(["bad argument"], _) -> badarg;
reason(Lines, State) -> term(Lines, State).

%% As the shell prints them.
sentences(Reason, Stack) ->
    [
        lists:flatten([
            case Argument of
                general -> "";
                _ -> io_lib:format("argument ~b: ", [Argument])
            end,
            unicode:characters_to_list(Sentence)
        ])
     || {Argument, Sentence} <- maps:to_list(enif_protobuf:format_error(Reason, Stack))
    ].

term(Lines, State) ->
    {{value, Term}, _} = evaluate(lists:append(lists:join("\n", Lines)) ++ ".", State),
    Term.

%% rr/1 belongs to the shell.
evaluate("rr(\"" ++ Rest, #{records := Records} = State) ->
    [File, _] = string:split(Rest, "\")."),
    {ok, Forms} = epp:parse_file(File, []),
    New = [Form || {attribute, _, record, _} = Form <- Forms],
    Names = [Name || {attribute, _, record, {Name, _}} <- New],
    Others = [Form || {attribute, _, record, {Name, _}} = Form <- Records, not lists:member(Name, Names)],
    {{value, lists:sort(Names)}, State#{records := Others ++ New}};
evaluate(Text, #{bindings := Bindings} = State) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    try
        {value, Value, NewBindings} = erl_eval:exprs(expand_records(Expressions, State), Bindings),
        {{value, Value}, State#{bindings := NewBindings}}
    catch
        error:Reason:Stack -> {{error, Reason, Stack}, State}
    end.

%% What is not right, such as the name of a field, ends here.
expand_records(Expressions, #{records := Records, bindings := Bindings}) ->
    Variables = [{var, 1, Name} || {Name, _} <- erl_eval:bindings(Bindings)],
    Function = {function, 1, typed, length(Variables), [{clause, 1, Variables, [], Expressions}]},
    Forms = Records ++ [Function],
    {ok, _} = erl_lint:module([{attribute, 1, file, {"typed", 1}}, {attribute, 1, module, typed} | Forms]),
    {function, _, _, _, [{clause, _, _, _, Expanded}]} = lists:last(erl_expand_records:module(Forms, [])),
    Expanded.
