%% @doc From a `.proto' file to an Erlang module and its header, as gpb's compiler writes them.
%%
%% {@link file/2} reads `x.proto' and writes `x.erl', with functions such as `x:encode_msg/1' and `x:decode_msg/2', and
%% `x.hrl', with a record for each message. The functions have the names, the arguments and the answers of those that
%% gpb generates, so that one module takes the place of the other; the work is done by {@link enif_protobuf}, with
%% definitions that belong to the module. Two modules may have messages of the same name.
%%
%% Where encoding or decoding fails, the errors are those of {@link enif_protobuf}; those for values that cannot be
%% encoded are gpb's.
%%
%% `bin/protoc-epb' is the same for the command line, and `rebar3 epb compile' for a project (see
%% {@link enif_protobuf_rebar3}).
%% @reference <a href="https://github.com/tomas-abrahamsson/gpb">gpb</a>, whose options these are
-module(enif_protobuf_compile).

-export([file/1, file/2, proto_defs/2, proto_defs/3, format_error/1]).

-export_type([option/0, reason/0]).

-type option() ::
    enif_protobuf:load_option()
    | {o | o_erl | o_hrl, enif_protobuf:file_name()}
    | {module_name | module_name_prefix | module_name_suffix, string() | atom()}
    | maps
    | {maps, boolean()}
    | msgs_as_maps
    | {msgs_as_maps, boolean()}
    | mapfields_as_maps
    | {mapfields_as_maps, boolean()}
    | defs_as_maps
    | {defs_as_maps, boolean()}
    | defs_as_proplists
    | {defs_as_proplists, boolean()}
    | {maps_unset_optional, omitted | present_undefined}
    | {maps_oneof, tuples | flat}
    | {maps_key_type, atom | binary}
    | strings_as_binaries
    | {strings_as_binaries, boolean()}
    | {verify, optionally | always | never}
    | verify_decode_required_present
    | {verify_decode_required_present, boolean()}
    | defaults_for_omitted_optionals
    | {defaults_for_omitted_optionals, boolean()}
    | type_specs
    | {type_specs, boolean()}
    | include_as_lib
    | {include_as_lib, boolean()}.
%% See {@link file/2}.

-type reason() ::
    enif_protobuf:proto_error()
    | {bad_option, term()}
    | {write_error, file:filename_all(), file:posix()}
    | {same_output, Output :: file:filename_all(), Protos :: [file:filename_all()]}.
%% Why nothing is written. `same_output' comes where several files are compiled in one go, on the command line and by
%% rebar3.

%% @equiv file(Proto, [])
-spec file(Proto :: enif_protobuf:file_name()) -> ok | {error, reason()}.
file(Proto) ->
    file(Proto, []).

%% @doc Reads a `.proto' file with what it imports, and writes a module and a header for all of it.
%%
%% A file that is there already, with the same content, is left as it is. The options have gpb's names:
%%
%% <dl>
%% <dt>`{i, Dir}'</dt>
%% <dd>A directory to look for files in, as in {@link enif_protobuf:load_proto/2}.</dd>
%% <dt>`{o, Dir}', `{o_erl, Dir}', `{o_hrl, Dir}'</dt>
%% <dd>Where the files are written: both, the module, the header. It is the current directory if nothing is said.</dd>
%% <dt>`{module_name, Name}', `{module_name_prefix, Prefix}', `{module_name_suffix, Suffix}'</dt>
%% <dd>The name of the module. It is that of the file if nothing is said, without `.proto'.</dd>
%% <dt>`use_packages'</dt>
%% <dd>Names of messages, enums and services begin with their package.</dd>
%% <dt>`maps'</dt>
%% <dd>Stands for `msgs_as_maps', `mapfields_as_maps' and `defs_as_maps': messages, fields of type `map' and what
%% functions such as `get_msg_defs/0' give are maps. Then there are no records, and no header is written.</dd>
%% <dt>`{maps_unset_optional, omitted | present_undefined}', `{maps_oneof, tuples | flat}',
%% `{maps_key_type, atom | binary}'</dt>
%% <dd>How messages that are maps look: the first of the two where nothing is said.</dd>
%% <dt>`strings_as_binaries'</dt>
%% <dd>Strings are decoded to binaries. Without it they are lists of code points, as with gpb. Either is encoded.</dd>
%% <dt>`defs_as_proplists'</dt>
%% <dd>What `get_msg_defs/0' and the like give has property lists instead of records.</dd>
%% <dt>`preserve_unknown_fields'</dt>
%% <dd>Messages get a last field `` '$unknowns' '' that keeps what the definitions do not know.</dd>
%% <dt>`verify_decode_required_present'</dt>
%% <dd>Decoding raises an error where a field is missing that is required.</dd>
%% <dt>`defaults_for_omitted_optionals'</dt>
%% <dd>A field that is absent is decoded to the default that the `.proto' file gives it.</dd>
%% <dt>`{type_specs, boolean()}'</dt>
%% <dd>Whether fields of records have types; `true' if nothing is said.</dd>
%% <dt>`{verify, optionally | always | never}', `include_as_lib'</dt>
%% <dd>Are taken, and change nothing: values are always checked when they are encoded, and the module includes nothing
%% but its header.</dd>
%% </dl>
%%
%% ```
%% 1> enif_protobuf_compile:file("person.proto", [{i, "proto"}, {o, "_build/examples"}, strings_as_binaries]).
%% ok
%% 2> compile:file("_build/examples/person", [{outdir, "_build/examples"}]).
%% {ok,person}
%% 3> code:load_abs("_build/examples/person").
%% {module,person}
%% 4> Bytes = person:encode_msg({'Person', <<"abc def">>, 345, undefined}).
%% <<10,7,97,98,99,32,100,101,102,16,217,2>>
%% 5> person:decode_msg(Bytes, 'Person').
%% {'Person',<<"abc def">>,345,undefined}
%% '''
-spec file(Proto :: enif_protobuf:file_name(), Opts :: [option()]) -> ok | {error, reason()}.
file(Proto, Opts) ->
    case written(fun() -> enif_protobuf_plan:of_file(Proto, Opts) end) of
        %% The parts of a name are in files that are right.
        {error, {proto_error, #{message := _} = Error}} when not is_map_key(file, Error) ->
            {error, {proto_error, Error#{file => unicode:characters_to_binary(Proto)}}};
        Result ->
            Result
    end.

%% @equiv proto_defs(Module, Defs, [])
-spec proto_defs(Module :: module(), Defs :: enif_protobuf:defs()) -> ok | {error, reason()}.
proto_defs(Module, Defs) ->
    proto_defs(Module, Defs, []).

%% @doc Writes a module and a header for definitions in gpb's form, such as {@link enif_protobuf:descriptor_set_defs/2}
%% gives. Fields are tuples in them; the options that are about reading files change nothing.
%%
%% ```
%% 1> Defs = [{{msg, 'Point'}, [{field, x, 1, 2, int32, required, []}]}].
%% 2> enif_protobuf_compile:proto_defs(point, Defs, [{o, "_build/examples"}]).
%% ok
%% 3> filelib:is_regular("_build/examples/point.erl").
%% true
%% '''
-spec proto_defs(Module :: module(), Defs :: enif_protobuf:defs(), Opts :: [option()]) -> ok | {error, reason()}.
proto_defs(Module, Defs, Opts) ->
    written(fun() -> enif_protobuf_plan:of_definitions(Module, Defs, Opts) end).

written(MakePlan) ->
    try
        Plan = MakePlan(),
        Texts = [Header || Header <- [enif_protobuf_records:header(Plan)], Header =/= none],
        lists:foreach(
            fun({File, Text}) -> write(File, Text) end,
            lists:zip(enif_protobuf_plan:outputs(Plan), Texts ++ [enif_protobuf_module:source(Plan)])
        )
    catch
        throw:{?MODULE, Reason} ->
            {error, Reason};
        %% Names of functions are longer than those they are made of.
        error:system_limit ->
            Sentence =
                "a name is longer than Erlang takes: modules have up to 255 characters, and enums, after which "
                "functions are named, up to 222",
            {error, {proto_error, #{message => list_to_binary(Sentence)}}}
    end.

%% @doc A sentence for a person, with the file, line and column where they are known.
%%
%% ```
%% 1> file:write_file("_build/wrong.proto", "message M }").
%% ok
%% 2> {error, Reason} = enif_protobuf_compile:file("_build/wrong.proto").
%% 3> enif_protobuf_compile:format_error(Reason).
%% "_build/wrong.proto:1:11: expected '{', but found '}'"
%% '''
-spec format_error(Reason :: reason()) -> string().
format_error({proto_error, #{message := Message} = Error}) ->
    Place = [maps:get(Key, Error) || Key <- [file, line, column], is_map_key(Key, Error)],
    text([[[part(Part), ":"] || Part <- Place], [" " || Place =/= []], Message]);
format_error({bad_option, Option}) ->
    text(io_lib:format("~0tp is no option, or not one with this value", [Option]));
format_error({write_error, File, Reason}) ->
    text([File, ": ", file:format_error(Reason)]);
format_error({same_output, Output, Protos}) ->
    Named = [lists:join(", ", lists:droplast(Protos)), " and ", lists:last(Protos)],
    Advice = "they need base names, or directories for what is written, of their own",
    text([Output, ": ", Named, " would ", ["both " || length(Protos) =:= 2], "be written here: ", Advice]).

part(Number) when is_integer(Number) -> integer_to_list(Number);
part(Text) -> Text.

text(Chars) ->
    unicode:characters_to_list(Chars).

%% Newer releases have words of their own that older ones write without quotes. Generated files are often kept, and
%% compiled elsewhere.
for_every_release(Text) ->
    {ok, Tokens, _} = erl_scan:string(text(Text), {1, 1}, [return, text]),
    [
        case {erl_scan:category(Token), erl_scan:text(Token)} of
            {atom, Word} when Word =:= "maybe"; Word =:= "else" -> ["'", Word, "'"];
            {_, Other} -> Other
        end
     || Token <- Tokens
    ].

%% A file that would not change keeps its time, so that nothing is compiled again because of it.
write(File, Text) ->
    Bytes = unicode:characters_to_binary(for_every_release(Text)),
    case file:read_file(File) of
        {ok, Bytes} ->
            ok;
        _ ->
            case filelib:ensure_dir(File) =:= ok andalso file:write_file(File, Bytes) of
                ok -> ok;
                false -> throw({?MODULE, {write_error, File, enotdir}});
                {error, Reason} -> throw({?MODULE, {write_error, File, Reason}})
            end
    end.
