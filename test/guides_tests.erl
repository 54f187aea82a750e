%% What the pages show is so: every example of the pages that rebar.config lists is run, and where they show a file, or
%% a part of it, the file has that. `test/guides.exs' does the same for Elixir.
-module(guides_tests).

-include_lib("eunit/include/eunit.hrl").

-define(REASONS, ["native/nif/src/errors.rs", "native/nif/src/gpb_defs.rs"]).

pages() ->
    {ok, Config} = file:consult("rebar.config"),
    {extras, Extras} = lists:keyfind(extras, 1, proplists:get_value(ex_doc, Config)),
    [
        case Extra of
            {Page, _} -> Page;
            Page -> Page
        end
     || Extra <- Extras
    ].

examples_test_() ->
    {foreach, fun transcript:clean/0, fun(_) -> transcript:clean() end, [
        {Page, fun() -> page(blocks(Page)) end}
     || Page <- pages()
    ]}.

there_are_no_other_pages_test() ->
    ?assertEqual([], filelib:wildcard("guides/*.md") -- pages()).

every_page_has_examples_test_() ->
    [?_assertMatch({Page, [_ | _]}, {Page, blocks(Page)}) || "guides/" ++ _ = Page <- pages()].

%% A block goes on with the shell of the one before, or begins with a new shell and nothing loaded.
page(Blocks) ->
    _ = lists:foldl(fun({Language, Lines}, State) -> block(Language, Lines, State) end, none, Blocks),
    ok.

block("erlang", Lines, State) ->
    case {transcript:is_transcript(Lines), Lines} of
        {true, _} -> session(transcript:steps(Lines), State);
        {false, ["%% " ++ File | Shown]} -> shows(File, Shown), State;
        {false, ["-module(" ++ _ | _]} -> module(Lines), State;
        {false, _} -> ?assertMatch({ok, [_ | _]}, {ok, terms(Lines)}), State
    end;
block("protobuf", ["// " ++ File | Lines], State) ->
    shows(File, Lines),
    State;
block("protobuf", Lines, State) ->
    %% A file of its own, which must be right.
    ok = filelib:ensure_dir("_build/guides/shown.proto"),
    ok = file:write_file("_build/guides/shown.proto", unicode:characters_to_binary(lists:join("\n", Lines))),
    ?assertMatch({ok, [_ | _]}, enif_protobuf:proto_defs("shown.proto", [{i, "_build/guides"}])),
    State;
block(Other, _, State) ->
    %% An example without a language would pass unseen.
    ?assert(lists:member(Other, ["sh", "elixir", "text"])),
    State.

session([{1, _, _} | _] = Steps, _) ->
    transcript:reset(),
    numbered(Steps, 1),
    #{shell => transcript:run(Steps, transcript:start()), next => length(Steps) + 1};
session(Steps, #{shell := Shell, next := Next}) ->
    numbered(Steps, Next),
    #{shell => transcript:run(Steps, Shell), next => Next + length(Steps)}.

numbered(Steps, First) ->
    ?assertEqual(lists:seq(First, First + length(Steps) - 1), [Number || {Number, _, _} <- Steps]).

shows(File, Lines) ->
    {ok, Content} = file:read_file(File),
    Shown = unicode:characters_to_binary(lists:join("\n", Lines)),
    ?assertNotEqual({File, nomatch}, {File, binary:match(Content, Shown)}).

%% From here on the module is there for what is typed.
module(Lines) ->
    {ok, Module, Binary} = compile:forms(forms(Lines), [return_errors, warnings_as_errors]),
    {module, Module} = code:load_binary(Module, "guides", Binary).

forms(Lines) ->
    [
        begin
            {ok, Form} = erl_parse:parse_form(Tokens),
            Form
        end
     || Tokens <- dotted(Lines)
    ].

terms(Lines) ->
    [
        begin
            {ok, Term} = erl_parse:parse_term(Tokens),
            Term
        end
     || Tokens <- dotted(Lines)
    ].

dotted(Lines) ->
    {ok, Tokens, _} = erl_scan:string(lists:append(lists:join("\n", Lines))),
    dotted(Tokens, []).

dotted([], []) -> [];
dotted([{dot, _} = Dot | Tokens], Before) -> [lists:reverse([Dot | Before]) | dotted(Tokens, [])];
dotted([Token | Tokens], Before) -> dotted(Tokens, [Token | Before]).

%% [{Language, Lines}]
blocks(Page) ->
    {ok, Content} = file:read_file(Page),
    blocks_of(string:split(unicode:characters_to_list(Content), "\n", all)).

blocks_of([]) ->
    [];
blocks_of(["```" ++ Language | Lines]) ->
    {Block, ["```" | Rest]} = lists:splitwith(fun(Line) -> Line =/= "```" end, Lines),
    [{Language, Block} | blocks_of(Rest)];
blocks_of([_ | Lines]) ->
    blocks_of(Lines).

%% Whatever a call may raise, the page of errors says what to do.
every_reason_is_told_test_() ->
    {ok, Page} = file:read_file("guides/errors.md"),
    [
        ?_assertNotEqual({Reason, nomatch}, {Reason, binary:match(Page, Reason)})
     || Source <- ?REASONS, Reason <- reasons(Source)
    ].

reasons(Source) ->
    {ok, Content} = file:read_file(Source),
    {match, Found} = re:run(Content, "\"([a-z]+(?:_[a-z0-9]+)+)\"", [global, {capture, all_but_first, binary}]),
    lists:usort(lists:append(Found)).
