%% Runs the examples of the documentation: what stands behind a prompt is evaluated, and what stands below must come
%% out. A line `1> Expression.' goes on to its dot; what follows it up to the next prompt is the result.
-module(examples_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULES, [enif_protobuf, enif_protobuf_compile]).

examples_test_() ->
    {setup, fun reset/0, fun(_) -> reset() end, [
        {lists:concat([Module, ":", Name]), fun() -> run(Example) end}
     || Module <- ?MODULES, {Name, Example} <- examples(Module)
    ]}.

every_export_has_an_example_test() ->
    [
        ?assertEqual({Module, []}, {Module, exports(Module) -- [Name || {Name, _} <- examples(Module)]})
     || Module <- ?MODULES
    ].

%% But for what generated modules alone call.
exports(Module) ->
    Names = lists:usort([Name || {Name, _} <- Module:module_info(exports), Name =/= module_info]),
    Names -- [load_module, encode_in_module, decode_in_module].

reset() ->
    ok = enif_protobuf:purge_cache(),
    [ok = enif_protobuf:purge_cache(Name) || Name <- enif_protobuf:caches()],
    ok = enif_protobuf:set_opts([
        {string_as_list, false}, {with_utf8, false}, {max_depth, infinity}, {max_size, infinity}
    ]).

run(Example) ->
    reset(),
    lists:foldl(
        fun({Expression, Expected}, Bindings) ->
            {Result, NewBindings} = evaluate(Expression, Bindings),
            %% An example may leave a result out.
            Expected =:= "" orelse ?assertEqual({Expression, expected(Expected)}, {Expression, Result}),
            NewBindings
        end,
        erl_eval:new_bindings(),
        Example
    ).

evaluate(Expression, Bindings) ->
    {ok, Tokens, _} = erl_scan:string(Expression),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    try
        {value, Value, NewBindings} = erl_eval:exprs(Exprs, Bindings),
        {{value, Value}, NewBindings}
    catch
        error:Reason -> {{error, Reason}, Bindings}
    end.

%% Compared as terms: in what order a map is printed differs between releases.
expected("** exception error: " ++ Reason) ->
    {error, term(Reason)};
expected(Value) ->
    {value, term(Value)}.

term(Text) ->
    {{value, Term}, _} = evaluate(Text ++ ".", erl_eval:new_bindings()),
    Term.

%% [{Name, [{Expression, Expected}]}] of the functions that have an example.
examples(Module) ->
    {ok, Source} = file:read_file(lists:concat(["src/", Module, ".erl"])),
    Lines = string:split(unicode:characters_to_list(Source), "\n", all),
    examples(Lines, [], []).

examples([], _Comment, Examples) ->
    lists:reverse(Examples);
examples(["%% " ++ Text | Lines], Comment, Examples) ->
    examples(Lines, [Text | Comment], Examples);
examples(["%%" | Lines], Comment, Examples) ->
    examples(Lines, ["" | Comment], Examples);
examples(["-spec " ++ Spec | Lines], Comment, Examples) ->
    case block(lists:reverse(Comment)) of
        [] -> examples(Lines, [], Examples);
        Block -> examples(Lines, [], [{list_to_atom(hd(string:split(Spec, "("))), steps(Block)} | Examples])
    end;
examples([_ | Lines], _Comment, Examples) ->
    examples(Lines, [], Examples).

block(Comment) ->
    Rest = lists:dropwhile(fun(Line) -> Line =/= "```" end, Comment),
    lists:takewhile(fun(Line) -> Line =/= "'''" end, lists:nthtail(min(1, length(Rest)), Rest)).

steps(Lines) ->
    steps(Lines, []).

steps([], Steps) ->
    lists:reverse(Steps);
steps([Line | Lines], Steps) ->
    {match, [First]} = re:run(Line, "^[0-9]+> (.*)$", [{capture, all_but_first, list}]),
    {Expression, Rest} = to_dot([First | Lines], []),
    {Result, More} = lists:splitwith(fun(L) -> re:run(L, "^[0-9]+> ") =:= nomatch end, Rest),
    steps(More, [{Expression, lists:append(Result)} | Steps]).

to_dot([Line | Lines], Before) ->
    case lists:last(Line) of
        $. -> {lists:append(lists:join("\n", lists:reverse([Line | Before]))), Lines};
        _ -> to_dot(Lines, [Line | Before])
    end.
