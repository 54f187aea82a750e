%% The module that is generated, as text: what encodes and decodes, with definitions of the module's own.
%% @private
-module(enif_protobuf_module).

-export([source/1]).

-spec source(enif_protobuf_plan:plan()) -> iolist().
source(#{module := Module, options := #{msgs_as_maps := AsMaps}} = Plan) ->
    [
        "%% -*- coding: utf-8 -*-\n",
        "%% @private\n",
        enif_protobuf_plan:mark(),
        format("-module(~tp).\n\n", [Module]),
        exports(Plan),
        [format("\n-include(\"~ts.hrl\").\n", [Module]) || not AsMaps],
        "\n",
        enif_protobuf_records:types(Plan),
        "\n",
        macros(Plan),
        encoding(Plan),
        decoding(),
        merging(Plan),
        verifying(Plan),
        loading(Plan),
        enif_protobuf_introspection:functions(Plan)
    ].

%% Messages that are maps do not say which they are, so their names are needed.
exports(#{options := #{msgs_as_maps := AsMaps}} = Plan) ->
    Codec =
        case AsMaps of
            false -> [{encode_msg, [1, 2, 3]}, {decode_msg, [2, 3]}, {merge_msgs, [2, 3, 4]}, {verify_msg, [1, 2, 3]}];
            true -> [{encode_msg, [2, 3]}, {decode_msg, [2, 3]}, {merge_msgs, [3, 4]}, {verify_msg, [2, 3]}]
        end,
    [
        ["-export([", lists:join(", ", [format("~tp/~b", [Name, Arity]) || Arity <- Arities]), "]).\n"]
     || {Name, Arities} <- Codec ++ enif_protobuf_introspection:exports(Plan)
    ].

%% The name of the cache tells the definitions and the options: a new version of the module does not find those of an
%% old one.
macros(#{module := Module, shown_defs := Shown} = Plan) ->
    All = {unsaid(Plan), Shown, encode_options(Plan), decode_options(Plan)},
    Cache = list_to_atom(short(atom_to_list(Module)) ++ "-" ++ digits(All)),
    [
        format("-define(CACHE, ~tp).\n", [Cache]),
        macro("ENCODING", encode_options(Plan)),
        macro("DECODING", decode_options(Plan))
    ].

%% An atom has 255 characters.
short(Module) when length(Module) =< 200 -> Module;
short(Module) -> string:slice(Module, 0, 200) ++ "-" ++ digits(Module).

%% 16 digits that differ where terms do.
digits(Term) ->
    <<Hash:8/binary, _/binary>> = erlang:md5(term_to_binary(Term)),
    lists:append([integer_to_list(Digit, 16) || <<Digit:4>> <= Hash]).

macro(Name, Options) ->
    ["-define(", Name, ", [{cache, ?CACHE}", [[", ", format("~0tp", [Option])] || Option <- Options], "]).\n"].

encode_options(Plan) ->
    [{utf8, checked} | map_options(Plan)].

decode_options(#{options := Options} = Plan) ->
    #{
        strings_as_binaries := AsBinaries,
        verify_decode_required_present := Required,
        defaults_for_omitted_optionals := Defaults
    } = Options,
    lists:append([
        %% A binary is the bytes as they came, as with gpb; code points cannot be had of what is not UTF-8.
        [{strings, binary} || AsBinaries],
        [{utf8, octets} || AsBinaries],
        [{strings, list} || not AsBinaries],
        [{utf8, checked} || not AsBinaries],
        [{required, check} || Required],
        [{defaults, true} || Defaults],
        map_options(Plan)
    ]).

map_options(#{options := Options}) ->
    #{
        msgs_as_maps := AsMaps,
        mapfields_as_maps := MapFields,
        maps_unset_optional := Unset,
        maps_oneof := Oneof,
        maps_key_type := Key
    } = Options,
    lists:append([
        [{maps, true} || AsMaps],
        [{maps_unset_optional, Unset} || AsMaps],
        [{maps_oneof, Oneof} || AsMaps],
        [{maps_key_type, Key} || AsMaps],
        [{mapfields_as_maps, MapFields} || AsMaps orelse MapFields]
    ]).

%% A call goes to the library at once, with the options that the library has read when it loaded the definitions; and
%% again where that fails, for the reason or because the definitions are not loaded.
encoding(#{defs := Defs, options := #{msgs_as_maps := AsMaps}}) ->
    [
        [
            "
-spec encode_msg('$msg'()) -> binary().
encode_msg(Msg) ->
    case enif_protobuf:encode_in_module(Msg, ?CACHE) of
        Bytes when is_binary(Bytes) -> Bytes;
        _ when tuple_size(Msg) >= 1 -> encoded(Msg, element(1, Msg));
        _ -> loaded(fun() -> enif_protobuf:encode(Msg, ?ENCODING) end)
    end.

-spec encode_msg('$msg'(), '$msg_name'() | list()) -> binary().
encode_msg(Msg, MsgName) when is_atom(MsgName) -> encode_msg(Msg, MsgName, []);
encode_msg(Msg, Opts) when is_list(Opts) -> encode_msg(Msg).
"
         || not AsMaps
        ],
        [
            "
-spec encode_msg('$msg'(), '$msg_name'()) -> binary().
encode_msg(Msg, MsgName) -> encode_msg(Msg, MsgName, []).
"
         || AsMaps
        ],
        "
-spec encode_msg('$msg'(), '$msg_name'(), list()) -> binary().
encode_msg(Msg, MsgName, _Opts) ->
    case enif_protobuf:encode_in_module(Msg, MsgName, ?CACHE) of
        Bytes when is_binary(Bytes) -> Bytes;
        _ -> encoded(Msg, MsgName)
    end.
",
        encoded([Name || {{Kind, Name}, _} <- Defs, Kind =:= msg orelse Kind =:= group])
    ].

encoded([]) ->
    "
-spec encoded(term(), term()) -> no_return().
encoded(Msg, _MsgName) -> not_a_known_message(Msg).
";
encoded(_) ->
    "
encoded(Msg, MsgName) ->
    case lists:member(MsgName, get_msg_or_group_names()) of
        true -> loaded(fun() -> enif_protobuf:encode(Msg, MsgName, ?ENCODING) end);
        false -> not_a_known_message(Msg)
    end.
".

decoding() ->
    "
-spec decode_msg(binary(), '$msg_name'()) -> '$msg'().
decode_msg(Bin, MsgName) ->
    case enif_protobuf:decode_in_module(Bin, MsgName, ?CACHE) of
        Failure when is_list(Failure) -> loaded(fun() -> enif_protobuf:decode(Bin, MsgName, ?DECODING) end);
        Msg -> Msg
    end.

-spec decode_msg(binary(), '$msg_name'(), list()) -> '$msg'().
decode_msg(Bin, MsgName, _Opts) -> decode_msg(Bin, MsgName).
".

merging(#{options := #{msgs_as_maps := AsMaps} = Options}) ->
    Form =
        case AsMaps of
            false -> records;
            true -> maps:with([maps_unset_optional, maps_oneof, maps_key_type], Options)
        end,
    [
        [
            "
-spec merge_msgs('$msg'(), '$msg'()) -> '$msg'().
merge_msgs(Prev, New) -> merge_msgs(Prev, New, element(1, New), []).

-spec merge_msgs('$msg'(), '$msg'(), '$msg_name'() | list()) -> '$msg'().
merge_msgs(Prev, New, MsgName) when is_atom(MsgName) -> merge_msgs(Prev, New, MsgName, []);
merge_msgs(Prev, New, Opts) when is_list(Opts) -> merge_msgs(Prev, New).
"
         || not AsMaps
        ],
        [
            "
-spec merge_msgs('$msg'(), '$msg'(), '$msg_name'()) -> '$msg'().
merge_msgs(Prev, New, MsgName) -> merge_msgs(Prev, New, MsgName, []).
"
         || AsMaps
        ],
        format("
-spec merge_msgs('$msg'(), '$msg'(), '$msg_name'(), list()) -> '$msg'().
merge_msgs(Prev, New, MsgName, _Opts) ->
    enif_protobuf_merging:merge(Prev, New, MsgName, fun fetch_msg_def/1, ~0tp).
", [Form])
    ].

verifying(#{defs := Defs, options := #{msgs_as_maps := AsMaps}}) ->
    Answer =
        case [Name || {{msg, Name}, _} <- Defs] of
            [] -> "no_return()";
            _ -> "ok"
        end,
    [
        [
            format("
-spec verify_msg(term()) -> ~ts.
verify_msg(Msg) when tuple_size(Msg) >= 1 -> verify_msg(Msg, element(1, Msg), []);
verify_msg(Other) -> not_a_known_message(Other).

-spec verify_msg(term(), '$msg_name'() | list()) -> ~ts.
verify_msg(Msg, MsgName) when is_atom(MsgName) -> verify_msg(Msg, MsgName, []);
verify_msg(Msg, Opts) when is_list(Opts) -> verify_msg(Msg).
", [Answer, Answer])
         || not AsMaps
        ],
        [
            format("
-spec verify_msg(term(), '$msg_name'()) -> ~ts.
verify_msg(Msg, MsgName) -> verify_msg(Msg, MsgName, []).
", [Answer])
         || AsMaps
        ],
        format("\n-spec verify_msg(term(), '$msg_name'(), list()) -> ~ts.", [Answer]),
        verified(Answer),
        "
-spec not_a_known_message(term()) -> no_return().
not_a_known_message(Msg) ->
    erlang:error({gpb_type_error, {not_a_known_message, [{value, Msg}, {path, top_level}]}}).
"
    ].

verified("ok") ->
    "
verify_msg(Msg, MsgName, Opts) ->
    case lists:member(MsgName, get_msg_names()) of
        true -> verified(encode_msg(Msg, MsgName, Opts));
        false -> not_a_known_message(Msg)
    end.

verified(Bytes) when is_binary(Bytes) -> ok.
";
verified("no_return()") ->
    "
verify_msg(Msg, _MsgName, _Opts) -> not_a_known_message(Msg).
".

%% Beside what the functions of the module show, the library needs to know what those do not say.
unsaid(#{defs := Defs, version := Version}) ->
    MessageSets = [{{msg_options, Name}, Options} || {{msg_options, Name}, Options} <- Defs, is_message_set(Options)],
    Proto3 = [Entry || {proto3_msgs, _} = Entry <- Defs],
    %% In version 4 an enum itself does not say that it is closed.
    Enums = [
        {{enum_options, Name}, [{[features, enum_type], 'CLOSED'}]}
     || Version =:= 4, {{enum, Name}, Values} <- Defs, lists:member({option, [features, enum_type], 'CLOSED'}, Values)
    ],
    [{proto_defs_version, Version} | Proto3 ++ MessageSets ++ Enums].

loading(Plan) ->
    format("
%% A call that failed, again with the definitions loaded: then it fails with its reason, if it does.
loaded(Call) ->
    try
        Call()
    catch
        error:cache_not_exists ->
            ok = enif_protobuf:load_module(?CACHE, ~tp ++ get_msg_defs(), {?ENCODING, ?DECODING}),
            loaded(Call)
    end.
", [unsaid(Plan)]).

is_message_set(Options) ->
    lists:member({message_set_wire_format, true}, Options) orelse lists:member(message_set_wire_format, Options).

format(Format, Arguments) ->
    io_lib:format(Format, Arguments).
