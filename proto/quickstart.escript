#!/usr/bin/env escript
%%! +pc unicode
%% Shows the library at work: evaluates the steps below one by one and prints them as a shell does.
%% With the name of a file it also checks that the file shows exactly this session.

-mode(compile).

%% {what a reader should know, [the expression, or {fails, Expression}]}
steps() ->
    [
        {"A .proto file is loaded once, for the whole node.", [
            "enif_protobuf:load_proto(\"proto/person.proto\").",
            "rr(\"proto/person.hrl\")."
        ]},
        {"A record goes to bytes and comes back; strings come back as binaries.", [
            "Person = #'Person'{name = \"abc def\", id = 345, email = \"a@example.com\"}.",
            "Bytes = enif_protobuf:encode(Person).",
            "enif_protobuf:decode(Bytes, 'Person')."
        ]},
        {"Or as lists, when asked.", [
            "enif_protobuf:set_opts([{string_as_list, true}]).",
            "enif_protobuf:decode(Bytes, 'Person')."
        ]},
        {"A list in a string field is a list of octets, unless it is said to be text.", [
            "Hello = Person#'Person'{name = \"你好\"}.",
            {fails, "enif_protobuf:encode(Hello)."},
            "enif_protobuf:set_opts([{with_utf8, true}]).",
            "Utf8 = enif_protobuf:encode(Hello).",
            "enif_protobuf:decode(Utf8, 'Person')."
        ]}
    ].

main(Arguments) ->
    Root = filename:dirname(filename:dirname(filename:absname(escript:script_name()))),
    ok = file:set_cwd(Root),
    true = code:add_patha("ebin"),
    ok = io:setopts([{encoding, unicode}]),
    Start = #{number => 1, bindings => erl_eval:new_bindings(), records => [], shown => []},
    #{shown := Shown} = lists:foldl(fun part/2, Start, steps()),
    lists:foreach(fun(File) -> check(File, unicode:characters_to_list(lists:reverse(Shown))) end, Arguments).

part({Comment, Steps}, State) ->
    io:format("~n%% ~ts~n", [Comment]),
    lists:foldl(fun step/2, State, Steps).

step({fails, Text}, State) -> step(Text, error, State);
step(Text, State) -> step(Text, value, State).

step(Text, Expected, #{number := Number, shown := Shown} = State) ->
    {Outcome, Answer, Next} = evaluate(Text, State),
    Session = io_lib:format("~b> ~ts~n~ts~n", [Number, Text, Answer]),
    io:put_chars(Session),
    case Outcome of
        Expected -> Next#{number := Number + 1, shown := [Session | Shown]};
        _ -> stop("The step above did not go as it should.")
    end.

%% rr/1 belongs to the shell; it is the one command that this script answers itself.
evaluate("rr(\"" ++ Rest, State) ->
    [File, _] = string:split(Rest, "\")."),
    {ok, Forms} = epp:parse_file(File, []),
    Records = [Form || {attribute, _, record, _} = Form <- Forms],
    {value, pretty([Name || {attribute, _, record, {Name, _}} <- Records], State), State#{records := Records}};
evaluate(Text, #{bindings := Bindings} = State) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    try erl_eval:exprs(expand_records(Expressions, State), Bindings) of
        {value, Value, NewBindings} -> {value, pretty(Value, State), State#{bindings := NewBindings}}
    catch
        error:Reason:Stack -> {error, exception(Reason, Stack, State), State}
    end.

expand_records(Expressions, #{records := Records}) ->
    Clause = {clause, 1, [], [], Expressions},
    Forms = erl_expand_records:module(Records ++ [{function, 1, step, 0, [Clause]}], []),
    {function, _, _, _, [{clause, _, _, _, Expanded}]} = lists:last(Forms),
    Expanded.

pretty(Term, State) ->
    pretty(Term, 1, State).

pretty(Term, Column, #{records := Records}) ->
    Fields = fun(Name, Size) ->
        case [record_fields(Defs) || {attribute, _, record, {N, Defs}} <- Records, N =:= Name] of
            [Names] when length(Names) =:= Size -> Names;
            _ -> no
        end
    end,
    Options = [{column, Column}, {line_length, 80}, {encoding, unicode}, {record_print_fun, Fields}],
    io_lib_pretty:print(Term, Options).

record_fields(Fields) ->
    [record_field(Field) || Field <- Fields].

record_field({typed_record_field, Field, _}) -> record_field(Field);
record_field({record_field, _, {atom, _, Name}, _}) -> Name;
record_field({record_field, _, {atom, _, Name}}) -> Name.

exception(Reason, Stack, State) ->
    Options = #{
        column => 4,
        format_fun => fun(Term, Column) -> pretty(Term, Column, State) end,
        stack_trim_fun => fun(Module, _, _) -> Module =/= enif_protobuf end
    },
    ["** ", string:trim(erl_error:format_exception(error, Reason, Stack, Options), trailing)].

%% The session as the file has it may be indented and have other text between its steps.
check(File, Shown) ->
    {ok, Content} = file:read_file(File),
    Text = unicode:characters_to_list(Content),
    Missing = [Line || Line <- string:split(Shown, "\n", all), string:find(Text, Line) =:= nomatch],
    case Missing of
        [] -> ok;
        [Line | _] -> stop(File ++ " does not show this line of the session: " ++ Line)
    end.

stop(Sentence) ->
    io:format(standard_error, "~ts~n", [Sentence]),
    halt(1).
