%% The command line of enif_protobuf_compile, bin/protoc-epb. Its flags are those of gpb's protoc-erl.
%% @private
-module(enif_protobuf_protoc).

-export([run/1]).

%% {Flag, what it takes if anything, its option, what it does}
-define(FLAGS, [
    {"-I", {text, "DIR"}, i, "look for files in DIR; may be given several times, also as -IDIR"},
    {"-o", {text, "DIR"}, o, "write both files into DIR"},
    {"-o-erl", {text, "DIR"}, o_erl, "write the module into DIR"},
    {"-o-hrl", {text, "DIR"}, o_hrl, "write the header into DIR"},
    {"-modname", {text, "NAME"}, module_name, "the name of the module, instead of that of the file"},
    {"-modprefix", {text, "PREFIX"}, module_name_prefix, "what the name of the module begins with"},
    {"-modsuffix", {text, "SUFFIX"}, module_name_suffix, "what the name of the module ends with"},
    {"-pkgs", none, use_packages, "names of messages begin with their package"},
    {"-strbin", none, strings_as_binaries, "decode strings to binaries instead of lists"},
    {"-maps", none, maps, "-msgs-as-maps, -mapfields-as-maps and -defs-as-maps"},
    {"-msgs-as-maps", none, msgs_as_maps, "messages are maps instead of records"},
    {"-mapfields-as-maps", none, mapfields_as_maps, "fields of type map are maps instead of lists"},
    {"-defs-as-maps", none, defs_as_maps, "get_msg_defs() and the like give maps instead of records"},
    {"-pldefs", none, defs_as_proplists, "get_msg_defs() and the like give property lists"},
    {"-maps_unset_optional", {word, "omitted | present_undefined"}, maps_unset_optional,
        "what an absent field is in a map"},
    {"-maps_oneof", {word, "tuples | flat"}, maps_oneof, "what a oneof is in a map"},
    {"-maps_key_type", {word, "atom | binary"}, maps_key_type, "what the keys of a map are"},
    {"-preserve-unknown-fields", none, preserve_unknown_fields, "keep fields that are not defined"},
    {"-defaults-for-omitted-optionals", none, defaults_for_omitted_optionals,
        "decode absent fields to the default that the file gives them"},
    {"-vdrp", none, verify_decode_required_present, "an error where a required field is missing"},
    {"-v", {word, "optionally | always | never"}, verify, "taken; values are always checked when they are encoded"},
    {"-type", none, {type_specs, true}, "give fields of records types, as is done if nothing is said"},
    {"-no_type", none, {type_specs, false}, "give fields of records no types"},
    {"-il", none, include_as_lib, "taken; modules include nothing but their header"}
]).

%% @doc Does what the command line says; gives the status to exit with.
-spec run([string()]) -> 0 | 1.
run(Arguments) ->
    try
        case arguments(Arguments, [], []) of
            {help, Text} ->
                io:put_chars(Text),
                0;
            {[], _Opts} ->
                failed(["no .proto file is named\n" | usage()]);
            {Files, Opts} ->
                compile(Files, Opts)
        end
    catch
        throw:{?MODULE, Problem} -> failed([Problem, "\nprotoc-epb --help lists the flags\n"]);
        throw:{enif_protobuf_compile, Reason} -> reported({error, Reason})
    end.

arguments([Help | _], _Files, _Opts) when Help =:= "-h"; Help =:= "--help" ->
    {help, help()};
arguments([Version | _], _Files, _Opts) when Version =:= "-V"; Version =:= "--version" ->
    {help, ["protoc-epb of enif_protobuf ", enif_protobuf_plan:version(), "\n"]};
arguments(["-I", Dir | Rest], Files, Opts) ->
    arguments(Rest, Files, [{i, Dir} | Opts]);
arguments(["-I" ++ Dir | Rest], Files, Opts) when Dir =/= "" ->
    arguments(Rest, Files, [{i, Dir} | Opts]);
arguments(["-" ++ _ = Flag | Rest], Files, Opts) ->
    case {lists:keyfind(Flag, 1, ?FLAGS), Rest} of
        {{_, none, Option, _}, _} -> arguments(Rest, Files, [Option | Opts]);
        {{_, {text, _}, Name, _}, [Value | Others]} -> arguments(Others, Files, [{Name, Value} | Opts]);
        {{_, {word, _}, Name, _}, [Value | Others]} -> arguments(Others, Files, [{Name, list_to_atom(Value)} | Opts]);
        {{_, {_, Value}, _, _}, []} -> throw({?MODULE, [Flag, " takes a value: ", Value]});
        {false, _} -> throw({?MODULE, ["there is no flag ", Flag]})
    end;
arguments([File | Rest], Files, Opts) ->
    arguments(Rest, [File | Files], Opts);
arguments([], Files, Opts) ->
    {lists:reverse(Files), lists:reverse(Opts)}.

%% A wrong file does not keep the others from being written.
compile(Files, Opts) ->
    Given = [{File, Opts ++ [{i, filename:dirname(File)}]} || File <- Files],
    case enif_protobuf_plan:clashes([{File, enif_protobuf_plan:outputs(File, Options)} || {File, Options} <- Given]) of
        [] -> lists:max([reported(enif_protobuf_compile:file(File, Options)) || {File, Options} <- Given]);
        Clashes -> lists:max([reported({error, Clash}) || Clash <- Clashes])
    end.

reported(ok) -> 0;
reported({error, Reason}) -> failed([enif_protobuf_compile:format_error(Reason), "\n"]).

failed(Text) ->
    io:put_chars(standard_error, Text),
    1.

usage() ->
    "Usage: protoc-epb [FLAG ...] FILE.proto ...\n".

help() ->
    Lines = [{[Flag | [[" ", Value] || {_, Value} <- [Takes]]], Does} || {Flag, Takes, _, Does} <- ?FLAGS],
    [
        usage(),
        "Writes FILE.erl and FILE.hrl, with the functions and records of a module that gpb generates.\n\n",
        [
            ["  ", Flag, "\n      ", Does, "\n"]
         || {Flag, Does} <- Lines ++ [{"-h, --help", "show this"}, {"-V, --version", "show the version"}]
        ]
    ].
