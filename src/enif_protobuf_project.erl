%% The modules and headers of an application's `.proto' files: which files those are, and what was written of them.
%%
%% What is written is noted in a file, the record, so that nothing is left behind by a `.proto' file that is deleted or
%% renamed, or by options that are changed.
%% @private
-module(enif_protobuf_project).

-export([compile/1, clean/1, format_error/1]).

-export_type([application/0, reason/0]).

-type application() :: #{
    dir := file:filename(),
    %% `epb_opts'
    opts := [term()],
    %% The directories of all applications of the project, which may have their options in common.
    siblings := [file:filename()],
    %% The list of what was written.
    record := file:filename()
}.

-type reason() ::
    enif_protobuf_compile:reason()
    | {missing, directory | file, file:filename(), Option :: term()}
    | {epb_opts, enif_protobuf_compile:reason()}.

%% @doc Writes modules and headers, and removes those of files that are no longer there. Gives what is wrong.
-spec compile(application()) -> [reason()].
compile(App) ->
    case plan(App) of
        {error, Reasons} ->
            Reasons;
        {ok, Files, Opts, Outputs} ->
            Before = recorded(App),
            remove(Before -- Outputs),
            case Outputs of
                Before -> ok;
                _ -> ok = record(Outputs, App)
            end,
            [Reason || File <- Files, {error, Reason} <- [enif_protobuf_compile:file(File, Opts)]]
    end.

%% @doc Removes what was written.
-spec clean(application()) -> ok.
clean(#{record := Record} = App) ->
    Outputs =
        case plan(App) of
            {ok, _, _, Named} -> Named;
            {error, _} -> []
        end,
    remove(lists:usort(Outputs ++ recorded(App))),
    _ = file:delete(Record),
    ok.

%% @doc A sentence for a person.
-spec format_error(reason()) -> string().
format_error({missing, Kind, Name, Option}) ->
    text(io_lib:format("~ts: there is no such ~ts, named by ~0tp of epb_opts", [Name, Kind, Option]));
format_error({epb_opts, Reason}) ->
    "epb_opts: " ++ enif_protobuf_compile:format_error(Reason);
format_error(Reason) ->
    enif_protobuf_compile:format_error(Reason).

%% The files, the options to compile them with, and what will be written.
plan(#{dir := Dir, opts := Opts} = App) ->
    try
        {Places, Others} = lists:partition(fun is_place/1, Opts),
        ok = enif_protobuf_plan:check_options(Others ++ proplists:delete(files, Places)),
        Compiling = compiling(Dir, Places) ++ Others,
        Files = files(App, Places),
        Written = [{File, enif_protobuf_plan:outputs(File, Compiling)} || File <- Files],
        case enif_protobuf_plan:clashes(Written) of
            [] -> {ok, Files, Compiling, lists:usort(lists:append([Outputs || {_, Outputs} <- Written]))};
            Clashes -> {error, Clashes}
        end
    catch
        throw:{enif_protobuf_compile, {bad_option, _} = Reason} -> {error, [{epb_opts, Reason}]};
        throw:{?MODULE, Reasons} -> {error, Reasons}
    end.

is_place({Kind, _}) -> lists:member(Kind, [i, o, o_erl, o_hrl, files]);
is_place(_) -> false.

%% Where files are looked for and written, as options of the compiler.
compiling(Dir, Places) ->
    Is = fun(Kinds) -> lists:any(fun({Kind, _}) -> lists:member(Kind, Kinds) end, Places) end,
    Said = [{Kind, within(Dir, Sub)} || {Kind, Sub} <- Places, Kind =/= files],
    Said ++
        [{i, within(Dir, "proto")} || not Is([i])] ++
        [{o_erl, within(Dir, "src")} || not Is([o, o_erl])] ++
        [{o_hrl, within(Dir, "include")} || not Is([o, o_hrl])].

files(#{dir := Dir} = App, Places) ->
    Sources =
        case [Option || {i, _} = Option <- Places] of
            [] -> [within(Dir, "proto")];
            Said -> [within(Dir, Sub) || {i, Sub} <- none_missing(directory, Said, App)]
        end,
    case proplists:get_value(files, Places) of
        undefined -> lists:usort(lists:append([protos(Source) || Source <- Sources, is_within(Source, Dir)]));
        Wildcards when is_list(Wildcards) -> named(Wildcards, App);
        Other -> throw({enif_protobuf_compile, {bad_option, {files, Other}}})
    end.

named(Wildcards, #{dir := Dir} = App) ->
    Options = none_missing(file, [{files, [Wildcard]} || Wildcard <- Wildcards], App),
    lists:usort(lists:append([filelib:wildcard(within(Dir, Wildcard)) || {files, [Wildcard]} <- Options])).

%% What options name must be there, in this application or in another of the project.
none_missing(Kind, Options, #{dir := Dir, siblings := Siblings}) ->
    IsThere = fun(Option) -> lists:any(fun(App) -> is_there(Option, App) end, [Dir | Siblings]) end,
    case [{missing, Kind, within(Dir, name(Option)), Option} || Option <- Options, not IsThere(Option)] of
        [] -> Options;
        Missing -> throw({?MODULE, Missing})
    end.

is_there({i, Sub}, Dir) -> filelib:is_dir(within(Dir, Sub));
is_there({files, [Wildcard]}, Dir) -> filelib:wildcard(within(Dir, Wildcard)) =/= [].

name({i, Sub}) -> Sub;
name({files, [Wildcard]}) -> Wildcard.

%% All .proto files in a directory, and in those within it, but for what rebar3 has put there.
protos(Dir) ->
    {ok, Names} =
        case file:list_dir(Dir) of
            {error, _} -> {ok, []};
            Listed -> Listed
        end,
    lists:append([
        case filelib:is_dir(Path) of
            true -> protos(Path);
            false -> [Path || filename:extension(Path) =:= ".proto"]
        end
     || Name <- lists:sort(Names), not lists:member(Name, ["_build", "_checkouts"]), hd(Name) =/= $.,
        Path <- [filename:join(Dir, Name)]
    ]).

%% An absolute path without `.' and `..'.
within(Dir, Sub) ->
    filename:join(lists:foldl(fun step/2, [], filename:split(filename:absname(text(Sub), Dir)))).

step(".", Path) -> Path;
step("..", [Root]) -> [Root];
step("..", Path) -> lists:droplast(Path);
step(Name, Path) -> Path ++ [Name].

is_within(Path, Dir) ->
    lists:prefix(filename:split(within(Dir, "")), filename:split(Path)).

%% Only what is still as the compiler has written it.
remove(Outputs) ->
    [ok = file:delete(Output) || Output <- Outputs, is_generated(Output)],
    ok.

is_generated(File) ->
    case file:read_file(File) of
        {ok, Bytes} -> binary:match(Bytes, list_to_binary(enif_protobuf_plan:mark())) =/= nomatch;
        {error, _} -> false
    end.

recorded(#{record := Record}) ->
    case file:consult(Record) of
        {ok, Outputs} -> Outputs;
        {error, _} -> []
    end.

record(Outputs, #{record := Record}) ->
    ok = filelib:ensure_dir(Record),
    Lines = [io_lib:format("~tp.~n", [Output]) || Output <- Outputs],
    file:write_file(Record, unicode:characters_to_binary(["%% -*- coding: utf-8 -*-\n", Lines])).

text(Chars) ->
    unicode:characters_to_list(Chars).
