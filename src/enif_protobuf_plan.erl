%% What is to be generated: the options of enif_protobuf_compile:file/2, checked, and the definitions.
%% @private
-module(enif_protobuf_plan).

-export([of_file/2, of_definitions/3, check_options/1, outputs/1, outputs/2, clashes/1, mark/0, version/0]).

-export_type([plan/0, message/0, field/0]).

-type field() ::
    {field, atom(), pos_integer() | undefined, pos_integer(), term(), atom(), list()}
    | {gpb_oneof, atom(), pos_integer(), [field()], list()}.

-type message() :: {msg | group, atom(), [field()]}.

-type plan() :: #{
    module := module(),
    erl_dir := file:filename(),
    hrl_dir := file:filename(),
    %% All that the files define, in version 2 of gpb's definitions.
    defs := enif_protobuf:defs(),
    %% The same in the version in which the module shows them, and which that is.
    shown_defs := enif_protobuf:defs(),
    version := pos_integer(),
    options := #{atom() => term()}
}.

%% The options that are on or off.
-define(SWITCHES, [
    msgs_as_maps,
    mapfields_as_maps,
    defs_as_maps,
    defs_as_proplists,
    strings_as_binaries,
    verify_decode_required_present,
    defaults_for_omitted_optionals,
    type_specs,
    use_packages,
    preserve_unknown_fields,
    include_as_lib
]).

%% Those that have one of several values.
-define(CHOICES, #{
    maps_unset_optional => [omitted, present_undefined],
    maps_oneof => [tuples, flat],
    maps_key_type => [atom, binary],
    verify => [optionally, always, never]
}).

-define(DEFAULTS, #{
    type_specs => true, maps_unset_optional => omitted, maps_oneof => tuples, maps_key_type => atom
}).

-spec of_file(enif_protobuf:file_name(), [enif_protobuf_compile:option()]) -> plan().
of_file(Proto, Opts) ->
    Options = options(Opts),
    {Defs, Shown, Version} = definitions(Proto, Opts),
    plan(base(Proto), Defs, Shown, Version, Options).

%% @doc Throws for an option that is none.
-spec check_options([term()]) -> ok.
check_options(Opts) ->
    _ = options(Opts),
    ok.

%% @doc The files that are written.
-spec outputs(plan()) -> [file:filename()].
outputs(#{module := Module, erl_dir := ErlDir, hrl_dir := HrlDir, options := #{msgs_as_maps := AsMaps}}) ->
    [filename:join(HrlDir, atom_to_list(Module) ++ ".hrl") || not AsMaps] ++
        [filename:join(ErlDir, atom_to_list(Module) ++ ".erl")].

%% @doc The same of a `.proto' file, which is not read.
-spec outputs(enif_protobuf:file_name(), [enif_protobuf_compile:option()]) -> [file:filename()].
outputs(Proto, Opts) ->
    outputs(plan(base(Proto), [], [], 1, options(Opts))).

%% @doc What is written of more than one `.proto' file.
-spec clashes([{Proto :: file:filename(), Outputs :: [file:filename()]}]) -> [enif_protobuf_compile:reason()].
clashes(Written) ->
    ByModule = lists:foldl(
        fun({Proto, Outputs}, Seen) ->
            maps:update_with(lists:last(Outputs), fun(Others) -> Others ++ [Proto] end, [Proto], Seen)
        end,
        #{},
        lists:usort(Written)
    ),
    [{same_output, Output, Protos} || {Output, [_, _ | _] = Protos} <- lists:sort(maps:to_list(ByModule))].

%% Definitions that have no names of files are those of a file with the name of the module.
-spec of_definitions(module(), enif_protobuf:defs(), [enif_protobuf_compile:option()]) -> plan().
of_definitions(Module, Defs, Opts) ->
    Base = atom_to_list(Module),
    Files = [{file, {Base, Base ++ ".proto"}} || not lists:keymember(file, 1, Defs)],
    Version = proplists:get_value(proto_defs_version, Defs, 1),
    plan(Base, with_presence(Version, Defs), Files ++ Defs, Version, options(Opts)).

%% Version 1 tells by the list of proto3's messages which fields have a default that stands for their absence.
with_presence(1, Defs) ->
    Proto3 = proplists:get_value(proto3_msgs, Defs, []),
    [
        case Def of
            {{msg, Name}, Fields} -> {{msg, Name}, [defaulty(Field, lists:member(Name, Proto3)) || Field <- Fields]};
            _ -> Def
        end
     || Def <- Defs
    ];
with_presence(_, Defs) ->
    Defs.

defaulty({field, Name, Number, Place, Type, optional, Options}, true) ->
    {field, Name, Number, Place, Type, defaulty, Options};
defaulty(Field, _) ->
    Field.

plan(Base, Defs, Shown, Version, Options) ->
    Dir = maps:get(o, Options, "."),
    #{
        module => module(Base, Options),
        erl_dir => maps:get(o_erl, Options, Dir),
        hrl_dir => maps:get(o_hrl, Options, Dir),
        defs => Defs,
        shown_defs => Shown,
        version => Version,
        options => Options
    }.

%% Of an option that is given twice the first counts, as in a property list.
options(Opts) ->
    Given = maps:merge(?DEFAULTS, maps:from_list(lists:reverse(lists:flatmap(fun option/1, Opts)))),
    without_flat(maps:merge(maps:from_list([{Switch, false} || Switch <- ?SWITCHES]), Given)).

%% Where what is absent has a key, the oneof has it, whatever is said.
without_flat(#{maps_unset_optional := present_undefined} = Options) -> Options#{maps_oneof := tuples};
without_flat(Options) -> Options.

%% @doc The line that all that is written has near its top.
-spec mark() -> string().
mark() ->
    "%% Generated by enif_protobuf; what is changed here is lost.\n".

%% @doc The version of the library.
-spec version() -> string().
version() ->
    _ = application:load(enif_protobuf),
    {ok, Version} = application:get_key(enif_protobuf, vsn),
    Version.

option(maps) ->
    option({maps, true});
option({maps, On}) when is_boolean(On) ->
    [{Switch, On} || Switch <- [msgs_as_maps, mapfields_as_maps, defs_as_maps]];
option({Dir, Name} = Option) when Dir =:= i; Dir =:= o; Dir =:= o_erl; Dir =:= o_hrl ->
    [{Dir, text(Name, Option)}];
option({Part, Name} = Option) when Part =:= module_name; Part =:= module_name_prefix; Part =:= module_name_suffix ->
    [{Part, text(Name, Option)}];
option(Option) ->
    {Name, Value} = pair(Option),
    IsSwitch = lists:member(Name, ?SWITCHES) andalso is_boolean(Value),
    case IsSwitch orelse lists:member(Value, maps:get(Name, ?CHOICES, [])) of
        true -> [{Name, Value}];
        false -> fail({bad_option, Option})
    end.

pair({Name, Value}) -> {Name, Value};
pair(Name) when is_atom(Name) -> {Name, true};
pair(Other) -> {undefined, Other}.

base(Proto) ->
    filename:basename(unicode:characters_to_list(Proto), ".proto").

text(Name, _Option) when is_atom(Name) ->
    atom_to_list(Name);
text(Name, Option) ->
    try unicode:characters_to_list(Name) of
        Text when is_list(Text) -> Text;
        _ -> fail({bad_option, Option})
    catch
        error:badarg -> fail({bad_option, Option})
    end.

module(Base, Options) ->
    [Prefix, Name, Suffix] = [
        maps:get(Part, Options, Default)
     || {Part, Default} <- [{module_name_prefix, ""}, {module_name, Base}, {module_name_suffix, ""}]
    ],
    list_to_atom(Prefix ++ Name ++ Suffix).

%% A module of gpb's shows its definitions in version 1, or where that cannot say what the files say, in the newest.
definitions(Proto, Opts) ->
    Read = [Option || Option <- Opts, is_for_reading(Option)],
    case enif_protobuf:proto_defs(Proto, Read) of
        {error, Reason} ->
            fail(Reason);
        {ok, Defs} ->
            {Shown, Version} = shown(Proto, Read, [1, 4]),
            {Defs, Shown, Version}
    end.

shown(Proto, Read, [Version | Newer]) ->
    case enif_protobuf:proto_defs(Proto, [{proto_defs_version, Version} | Read]) of
        {ok, Defs} -> {Defs, Version};
        {error, Reason} when Newer =:= [] -> fail(Reason);
        {error, _} -> shown(Proto, Read, Newer)
    end.

is_for_reading(Option) when is_tuple(Option), tuple_size(Option) > 0 -> is_for_reading(element(1, Option));
is_for_reading(Name) -> lists:member(Name, [i, use_packages, preserve_unknown_fields]).

-spec fail(enif_protobuf_compile:reason()) -> no_return().
fail(Reason) ->
    throw({enif_protobuf_compile, Reason}).
