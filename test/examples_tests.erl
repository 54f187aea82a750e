%% Runs the examples of the modules' documentation.
-module(examples_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULES, [enif_protobuf, enif_protobuf_compile]).

examples_test_() ->
    {foreach, fun transcript:clean/0, fun(_) -> transcript:clean() end, [
        {lists:concat([Module, ":", Name]), fun() -> transcript:run(Example, transcript:start()) end}
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

%% [{Name, Steps}] of the functions that have an example.
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
        Block -> examples(Lines, [], [{list_to_atom(hd(string:split(Spec, "("))), transcript:steps(Block)} | Examples])
    end;
examples([_ | Lines], _Comment, Examples) ->
    examples(Lines, [], Examples).

block(Comment) ->
    Rest = lists:dropwhile(fun(Line) -> Line =/= "```" end, Comment),
    lists:takewhile(fun(Line) -> Line =/= "'''" end, lists:nthtail(min(1, length(Rest)), Rest)).
