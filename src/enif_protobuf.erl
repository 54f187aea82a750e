%% @doc Protocol Buffers for Erlang: records to bytes and back, in a NIF.
%%
%% Definitions are loaded once for the whole node, from what gpb generates ({@link load_cache/1}) or from `.proto' files
%% ({@link load_proto/2}). {@link encode/1} and {@link decode/2} then turn records into protobuf's bytes and back; any
%% process may call them at any time. Records are those that gpb defines: a tuple of the message's name and its fields
%% in the order of their definition.
%%
%% <h3>Values</h3>
%%
%% What {@link encode/1} takes and {@link decode/2} gives, for each type:
%%
%% <dl>
%% <dt>int32 to sfixed64</dt>
%% <dd>Integers in the range of the type.</dd>
%% <dt>bool</dt>
%% <dd>`true' and `false'; {@link encode/1} takes 1 and 0 as well.</dd>
%% <dt>float, double</dt>
%% <dd>Floats, `infinity', `` '-infinity' '' and `nan'; {@link encode/1} takes integers as well.</dd>
%% <dt>string, bytes</dt>
%% <dd>Binaries; {@link encode/1} takes iolists as well. See {@link set_opts/1} for strings.</dd>
%% <dt>enum</dt>
%% <dd>Symbols, and integers of 32 bits that have none; {@link encode/1} takes any number of 32 bits.</dd>
%% <dt>message, group</dt>
%% <dd>Records.</dd>
%% <dt>map</dt>
%% <dd>Lists of `{Key, Value}'; {@link decode/2} gives each key once.</dd>
%% <dt>oneof</dt>
%% <dd>`undefined' or `{Field, Value}'.</dd>
%% <dt>repeated</dt>
%% <dd>Lists.</dd>
%% <dt>absent</dt>
%% <dd>`undefined', or `[]' for what is repeated; {@link decode/2} gives the default of the type where the field has no
%% presence (proto3).</dd>
%% </dl>
%%
%% <h3>Errors</h3>
%%
%% Whatever is wrong with the input is raised as an exception of class `error', with a sentence that the shell prints
%% ({@link format_error/2}). For a value that cannot be encoded the reason is
%% `{gpb_type_error, {What, [{value, Value}, {path, "Message.field"}]}}', as with gpb; for bytes that cannot be decoded
%% `{decode_error, #{message, path, offset, reason}}'; for definitions that cannot be right
%% `{bad_definitions, #{message, field, reason}}', or with `enum' instead of `message' for an enum and its symbol. With
%% nothing loaded it is `cache_not_exists', for a message that is not loaded its name, for an argument of the wrong kind
%% `badarg', and where there is not enough memory for a call `system_limit'.
%%
%% A path of more than sixteen names has the first and the last eight, and between them how many are left out:
%% `"Message.a.b.c.d.e.f.g...(5 more)...s.t.u.v.w.x.y.z"'.
%%
%% @reference <a href="https://protobuf.dev/programming-guides/encoding/">The protobuf encoding specification</a>
%% @reference <a href="https://github.com/tomas-abrahamsson/gpb">gpb</a>, for records and definitions
-module(enif_protobuf).

-export([
    load_cache/1,
    load_cache/2,
    load_proto/1,
    load_proto/2,
    load_proto/3,
    proto_defs/2,
    load_descriptor_set/1,
    load_descriptor_set/2,
    descriptor_set_defs/2,
    purge_cache/0,
    purge_cache/1,
    caches/0,
    set_opts/1,
    encode/1,
    encode/2,
    encode/3,
    decode/2,
    decode/3,
    encode_to_iolist/1,
    encode_to_iolist/2,
    encode_to_iolist/3,
    encode_delimited/1,
    encode_delimited/2,
    encode_delimited/3,
    decode_delimited/3,
    fold_delimited/5,
    get/3,
    get/4,
    select/3,
    select/4,
    set/4,
    set/5,
    merge/2,
    merge/3,
    merge/4,
    info/1,
    info/2,
    encode_msg/2,
    decode_msg/3,
    debug_term/1
]).
-export([format_error/2]).
%% For generated modules alone.
-export([load_module/3, encode_in_module/2, encode_in_module/3, decode_in_module/3]).

-export_type([defs/0, msg_name/0, msg/0, map_msg/0, option/0, call_option/0, cache_name/0, memory/0]).
-export_type([path/0, msg_info/0, field_info/0, oneof_info/0, field_type/0]).
-export_type([file_name/0, load_option/0, proto_option/0, proto_error/0]).

-on_load(init/0).

-type defs() :: [tuple()].
%% Definitions in gpb's form: what `get_msg_defs()' of a generated module gives, or gpb's option `to_proto_defs', in any
%% version, with fields as records, maps (`defs_as_maps') or property lists (`defs_as_proplists').

-type msg_name() :: atom().
%% The name of a message or group, as the definitions have it.

-type msg() :: tuple().
%% A record: the name of a message and its fields.

-type map_msg() :: #{atom() | binary() => term()}.
%% A message as a map from the names of its fields, with the option `{maps, true}'.

-type cache_name() :: atom().
%% The name of a set of definitions that was loaded under one.

-type option() ::
    {string_as_list, boolean()}
    | {with_utf8, boolean()}
    | {max_depth, non_neg_integer() | infinity}
    | {max_size, non_neg_integer() | infinity}.
%% See {@link set_opts/1}.

-type call_option() ::
    {cache, cache_name()}
    | {strings, binary | list}
    | {utf8, octets | checked}
    | {bytes, auto | copy | reference}
    | {required, ignore | check}
    | {unknown, keep | drop}
    | {defaults, boolean()}
    | {max_depth, non_neg_integer() | infinity}
    | {max_size, non_neg_integer() | infinity}
    | {maps, boolean()}
    | {maps_unset_optional, omitted | present_undefined}
    | {maps_oneof, tuples | flat}
    | {maps_key_type, atom | binary}
    | {mapfields_as_maps, boolean()}
    | {structs, #{msg_name() => module()}}.
%% See {@link decode/3}.

-type path() :: [atom() | pos_integer() | term()].
%% The way to a value in a message: names of fields, from the outermost on; behind the name of a repeated field a
%% position, from 1 on, and behind that of a map a key. The name may be that of a oneof, or of its member.

-type msg_info() :: #{name := msg_name(), kind := msg | group, fields := [field_info() | oneof_info()]}.
%% See {@link info/2}.

-type field_info() :: #{
    name := atom(),
    position := pos_integer(),
    type := field_type() | unknown,
    number => pos_integer(),
    occurrence => required | optional | defaulty | repeated,
    packed => true,
    default => term()
}.
%% A field: `position' is its place in the record, where the name of the message has 1; `defaulty' is a field without
%% presence. A field of the type `unknown' holds what the definitions do not have, and has no number.

-type oneof_info() :: #{name := atom(), position := pos_integer(), type := oneof, fields := [field_info()]}.
%% A oneof, with its members.

-type field_type() ::
    int32
    | int64
    | uint32
    | uint64
    | sint32
    | sint64
    | bool
    | fixed32
    | sfixed32
    | float
    | fixed64
    | sfixed64
    | double
    | string
    | bytes
    | {enum | msg | group, atom()}
    | {map, field_type(), field_type()}.
%% The type of a field.

-type file_name() :: string() | unicode:unicode_binary().
%% The name of a file or directory.

-type load_option() ::
    {i, file_name()}
    | use_packages
    | {use_packages, boolean()}
    | preserve_unknown_fields
    | {preserve_unknown_fields, boolean()}.
%% As gpb has them: `i' is a directory where files and their imports are looked for; `use_packages' puts the package
%% before the names of messages and enums; `preserve_unknown_fields' adds the field `` '$unknowns' '' to every message.

-type proto_option() :: load_option() | {proto_defs_version, 1 | 2 | 4}.
%% Which form the definitions have is an option of its own: what is loaded is the same in every form.

-type proto_error() ::
    {proto_error, #{
        message := binary(), file => binary(), line => pos_integer(), column => pos_integer()
    }}.
%% Why a `.proto' file cannot be read, and where as far as that is known.

-type memory() :: #{
    kind := atom(), word := non_neg_integer(), header => non_neg_integer(), words => [non_neg_integer()]
}.
%% See {@link debug_term/1}.

init() ->
    PrivDir =
        case code:priv_dir(?MODULE) of
            {error, bad_name} ->
                filename:join(filename:dirname(filename:dirname(code:which(?MODULE))), "priv");
            Dir ->
                Dir
        end,
    erlang:load_nif(filename:join(PrivDir, "enif_protobuf"), 0).

%% The NIFs give their result, or on failure the list [Reason, Argument, Sentence]: what to raise, which argument
%% is at fault (0 where none is), and a sentence for a person. Where the sentence is about a term, that is a fourth
%% element. No result is a list, so one test tells them apart.

%% @doc Checks definitions, compiles them, and puts them in force for the whole node in one step.
%%
%% Calls that are running go on with the definitions they began with. Where the definitions cannot be right, the ones
%% in force stay. It takes time in proportion to the definitions, on a dirty scheduler.
%%
%% Definitions of version 1 say nothing of presence: `get_msg_defs()' of a proto3 file in that version loads as if it
%% were proto2, so that absent fields are `undefined'. Where `{syntax, "proto3"}' or `proto3_msgs' is beside them (as in
%% gpb's full `to_proto_defs'), or in version 2 and later (`{proto_defs_version, 2}'), or with {@link load_proto/2},
%% absent fields have the default of their type.
%%
%% ```
%% 1> enif_protobuf:load_cache([{{msg, 'Point'}, [
%%        {field, x, 1, 2, int32, required, []},
%%        {field, y, 2, 3, int32, optional, []}]}]).
%% ok
%% 2> enif_protobuf:load_cache([{{msg, 'Point'}, [{field, x, 0, 2, int32, required, []}]}]).
%% ** exception error: {bad_definitions,#{field => x,message => 'Point',
%%                                        reason => {field_number_out_of_range,0}}}
%% '''
%% @see proto_defs/2
-spec load_cache(Defs :: defs()) -> ok.
load_cache(Defs) ->
    case load_cache_nif(Defs) of
        ok -> ok;
        [Reason | Cause] -> erlang:error(Reason, [Defs], error_info(Cause))
    end.

%% @doc Puts definitions in force under a name, beside others: calls with the option `{cache, Name}' follow these.
%%
%% Everything is as with {@link load_cache/1}, whose definitions have no name. Sets of definitions know nothing of each
%% other, and loading one holds up no call that uses another.
%%
%% ```
%% 1> enif_protobuf:load_cache(one, [{{msg, 'Point'}, [{field, x, 1, 2, int32, required, []}]}]).
%% ok
%% 2> enif_protobuf:load_cache(other, [{{msg, 'Point'}, [{field, x, 9, 2, string, required, []}]}]).
%% ok
%% 3> enif_protobuf:encode({'Point', 1}, [{cache, one}]).
%% <<8,1>>
%% 4> enif_protobuf:encode({'Point', <<"a">>}, [{cache, other}]).
%% <<74,1,97>>
%% '''
-spec load_cache(Name :: cache_name(), Defs :: defs()) -> ok.
load_cache(Name, Defs) ->
    case load_cache_nif(Name, Defs) of
        ok -> ok;
        [Reason | Cause] -> erlang:error(Reason, [Name, Defs], error_info(Cause))
    end.

%% @equiv load_proto(Files, [])
-spec load_proto(Files :: file_name() | [file_name()]) -> ok.
load_proto(Files) ->
    load_proto(Files, []).

%% @doc Reads `.proto' files and puts their definitions in force, as {@link load_cache/1} does.
%%
%% proto2, proto3 and edition 2023 are read, with imports; the well-known types (`google/protobuf/*.proto') are built
%% in. Nothing else is needed for it, gpb neither.
%%
%% What is loaded behaves as protobuf has it, also where gpb's form of definitions does not tell: strings of proto3 must
%% be UTF-8, and a number for which an enum of proto2 has no symbol is an unknown field. The README says what that makes
%% different from {@link load_cache/1} with definitions in gpb's form.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto", []).
%% ok
%% 2> enif_protobuf:load_proto(["person.proto"], [{i, "proto"}]).
%% ok
%% '''
%% @see proto_defs/2
-spec load_proto(Files :: file_name() | [file_name()], Opts :: [load_option()]) -> ok.
load_proto(Files, Opts) ->
    case proto_defs_nif(Files, Opts, true) of
        {ok, Defs} -> load_cache(Defs);
        {error, Reason} -> erlang:error(Reason, [Files, Opts], error_info([1, proto_sentence(Reason)]));
        [Reason | Cause] -> erlang:error(Reason, [Files, Opts], error_info(Cause))
    end.

%% @doc Reads `.proto' files, as {@link load_proto/2} does, and puts their definitions in force under a name, as
%% {@link load_cache/2} does.
%%
%% ```
%% 1> enif_protobuf:load_proto(people, "proto/person.proto", []).
%% ok
%% 2> enif_protobuf:decode(<<16,7>>, 'Person', [{cache, people}]).
%% {'Person',undefined,7,undefined}
%% '''
-spec load_proto(Name :: cache_name(), Files :: file_name() | [file_name()], Opts :: [load_option()]) -> ok.
load_proto(Name, Files, Opts) ->
    case proto_defs_nif(Files, Opts, true) of
        {ok, Defs} -> load_cache(Name, Defs);
        {error, Reason} -> erlang:error(Reason, [Name, Files, Opts], error_info([2, proto_sentence(Reason)]));
        [Reason, Argument | Cause] -> erlang:error(Reason, [Name, Files, Opts], error_info([Argument + 1 | Cause]))
    end.

%% @doc Reads `.proto' files and gives their definitions in gpb's form, in version 2 unless the options say otherwise.
%%
%% The entries are those that gpb gives, in some order. For files of edition 2023, which
%% gpb has no form for, those of fields and enums say what their features come to: the options of a field
%% `{[features, utf8_validation], 'VERIFY'}' and `{[features, message_encoding], 'DELIMITED'}', and in an enum
%% `{option, [features, enum_type], 'CLOSED'}'. {@link load_proto/2} loads definitions that say it for all files.
%%
%% ```
%% 1> {ok, Defs} = enif_protobuf:proto_defs("proto/person.proto", []).
%% 2> lists:keyfind({msg, 'Person'}, 1, Defs).
%% {{msg,'Person'},
%%  [{field,name,1,2,string,required,[]},
%%   {field,id,2,3,int32,required,[]},
%%   {field,email,3,4,string,optional,[]}]}
%% '''
-spec proto_defs(Files :: file_name() | [file_name()], Opts :: [proto_option()]) ->
    {ok, defs()} | {error, proto_error()}.
proto_defs(Files, Opts) ->
    case proto_defs_nif(Files, Opts, false) of
        [Reason | Cause] -> erlang:error(Reason, [Files, Opts], error_info(Cause));
        Result -> Result
    end.

%% @equiv load_descriptor_set(Set, [])
-spec load_descriptor_set(Set :: binary()) -> ok.
load_descriptor_set(Set) ->
    load_descriptor_set(Set, []).

%% @doc Puts the definitions of a FileDescriptorSet in force, as {@link load_proto/2} does those of `.proto' files.
%%
%% `protoc --descriptor_set_out=FILE --include_imports' writes such a set, and so do many other tools. What is imported
%% must be in it. proto2, proto3 and edition 2023 are understood.
%%
%% A descriptor does not tell the order in which `extend' stands among messages, unless protoc was also given
%% `--include_source_info': without it, the fields of several `extend' for one message may stand in another order at the
%% end of the record than they do after {@link load_proto/2}.
%%
%% ```
%% 1> Field = <<10,1,"n",24,1,32,1,40,5>>.
%% 2> enif_protobuf:load_descriptor_set(<<10,25,10,7,"m.proto",34,14,10,1,"M",18,9,Field/binary>>).
%% ok
%% 3> enif_protobuf:encode({'M', 7}).
%% <<8,7>>
%% '''
%% @see descriptor_set_defs/2
-spec load_descriptor_set(Set :: binary(), Opts :: [load_option()]) -> ok.
load_descriptor_set(Set, Opts) ->
    case descriptor_set_nif(Set, Opts, true) of
        {ok, Defs} -> load_cache(Defs);
        {error, Reason} -> erlang:error(Reason, [Set, Opts], error_info([1, proto_sentence(Reason)]));
        [Reason | Cause] -> erlang:error(Reason, [Set, Opts], error_info(Cause))
    end.

%% @doc Gives the definitions of a FileDescriptorSet in gpb's form, as {@link proto_defs/2} does those of `.proto'
%% files.
%%
%% Of the options that stand in the files those are given that say what is encoded how, and `deprecated': `packed',
%% `default', `message_set_wire_format', `allow_alias' and features. Not given are `json_name' (a set has such a name
%% for every field), `ctype', `jstype', options that are defined in `.proto' files, and all options of files, oneofs,
%% services and calls. Without `--include_source_info' a set does not tell how things were written either: what several
%% `extend' and `reserved' hold is in one list or has an entry each, and proto2 is not named as the syntax. Whoever
%% needs those reads the `.proto' files, with {@link proto_defs/2} or {@link enif_protobuf_compile:file/2}. Messages are
%% encoded the same.
%%
%% ```
%% 1> Field = <<10,1,"n",24,1,32,1,40,5>>.
%% 2> {ok, Defs} = enif_protobuf:descriptor_set_defs(<<10,25,10,7,"m.proto",34,14,10,1,"M",18,9,Field/binary>>, []).
%% 3> lists:keyfind({msg, 'M'}, 1, Defs).
%% {{msg,'M'},[{field,n,1,2,int32,optional,[]}]}
%% '''
-spec descriptor_set_defs(Set :: binary(), Opts :: [proto_option()]) -> {ok, defs()} | {error, proto_error()}.
descriptor_set_defs(Set, Opts) ->
    case descriptor_set_nif(Set, Opts, false) of
        [Reason | Cause] -> erlang:error(Reason, [Set, Opts], error_info(Cause));
        Result -> Result
    end.

%% @doc Forgets the definitions in force. Calls that are running go on with them.
%%
%% ```
%% 1> enif_protobuf:purge_cache().
%% ok
%% 2> enif_protobuf:encode({'Point', 1, 2}).
%% ** exception error: cache_not_exists
%% '''
-spec purge_cache() -> ok.
purge_cache() ->
    ok = purge_cache_nif(),
    free_replaced_nif().

%% @doc Forgets the definitions of this name, if there are any. Calls that are running go on with them.
%%
%% ```
%% 1> enif_protobuf:load_proto(people, "proto/person.proto", []).
%% ok
%% 2> enif_protobuf:purge_cache(people).
%% ok
%% 3> enif_protobuf:decode(<<16,7>>, 'Person', [{cache, people}]).
%% ** exception error: cache_not_exists
%% '''
-spec purge_cache(Name :: cache_name()) -> ok.
purge_cache(Name) ->
    case purge_cache_nif(Name) of
        ok -> free_replaced_nif();
        [Reason | Cause] -> erlang:error(Reason, [Name], error_info(Cause))
    end.

%% @doc The names of what is loaded under one, in some order.
%%
%% ```
%% 1> enif_protobuf:load_proto(people, "proto/person.proto", []).
%% ok
%% 2> enif_protobuf:caches().
%% [people]
%% '''
-spec caches() -> [cache_name()].
caches() ->
    erlang:nif_error(not_loaded).

%% @doc Sets how strings look and what is refused, for the whole node and at once. Where one option is wrong, none is
%% set.
%%
%% <dl>
%% <dt>`{string_as_list, boolean()}', at first `false'</dt>
%% <dd>{@link decode/2} gives strings as lists instead of binaries.</dd>
%% <dt>`{with_utf8, boolean()}', at first `false'</dt>
%% <dd>If `false', a string is octets: {@link encode/1} takes binaries and iolists as they are, a list from
%% {@link decode/2} has octets. If `true', it is text: {@link encode/1} takes `unicode:chardata()', whose binaries have
%% to be UTF-8, and a list from {@link decode/2} has code points, for which the bytes have to be UTF-8. (Binaries from
%% {@link decode/2} are the bytes as they came, in any case.)</dd>
%% <dt>`{max_depth, non_neg_integer() | infinity}', at first `infinity'</dt>
%% <dd>How many messages and groups may lie within each other in the one that {@link decode/2} is given: 0 allows none
%% in it. Entries of maps are messages, and unknown groups count as well. It is what other libraries call the recursion
%% limit; theirs is 100 in most cases. Nothing is at risk without it: deep nesting takes memory in proportion to the
%% input, and no stack.</dd>
%% <dt>`{max_size, non_neg_integer() | infinity}', at first `infinity'</dt>
%% <dd>How many bytes {@link decode/2} takes. What decoding takes in memory is in proportion to them.</dd>
%% </dl>
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:set_opts([{with_utf8, true}, {string_as_list, true}]).
%% ok
%% 3> enif_protobuf:decode(enif_protobuf:encode({'Person', [20320, 22909], 1, undefined}), 'Person').
%% {'Person',[20320,22909],1,undefined}
%% 4> enif_protobuf:set_opts([{max_depth, 100}, {max_size, 8}]).
%% ok
%% 5> enif_protobuf:decode(<<10,7,97,98,99,32,100,101,102,16,217,2>>, 'Person').
%% ** exception error: {decode_error,#{message => 'Person',offset => 0,
%%                                     path => "Person",reason => {max_size,8}}}
%% '''
-spec set_opts(Opts :: [option()]) -> ok.
set_opts(Opts) ->
    case set_opts_nif(Opts) of
        ok -> ok;
        [Reason | Cause] -> erlang:error(Reason, [Opts], error_info(Cause))
    end.

%% @doc Encodes a record. Fields are written in the order of the record, as gpb writes them.
%%
%% A message that takes long moves to a dirty scheduler by itself.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode({'Person', <<"abc def">>, 345, undefined}).
%% <<10,7,97,98,99,32,100,101,102,16,217,2>>
%% 3> enif_protobuf:encode({'Person', <<"abc def">>, one, undefined}).
%% ** exception error: {gpb_type_error,{{bad_integer,int32,signed,32},
%%                                      [{value,one},{path,"Person.id"}]}}
%% '''
-spec encode(Record :: msg()) -> binary().
encode(Record) ->
    case encode_nif(Record) of
        [Reason | Cause] -> erlang:error(Reason, [Record], error_info(Cause));
        Binary -> Binary
    end.

%% @doc Encodes a record with options for this call; see {@link decode/3} for them.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode({'Person', [20320, 22909], 345, undefined}, [{utf8, checked}]).
%% <<10,6,228,189,160,229,165,189,16,217,2>>
%% '''
-spec encode(Record :: msg(), Opts :: [call_option()]) -> binary().
encode(Record, Opts) ->
    case encode_nif(Record, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Record, Opts], error_info(Cause));
        Binary -> Binary
    end.

%% @doc Encodes a message of this name with options for this call: a record, or with `{maps, true}' a map.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode(#{name => <<"abc def">>, id => 345}, 'Person', [{maps, true}]).
%% <<10,7,97,98,99,32,100,101,102,16,217,2>>
%% 3> enif_protobuf:encode(#{name => <<"abc def">>, id => 345, age => 7}, 'Person', [{maps, true}]).
%% ** exception error: {gpb_type_error,{{extraneous_key,age},
%%                                      [{value,#{age => 7,id => 345,
%%                                                name => <<"abc def">>}},
%%                                       {path,"Person"}]}}
%% '''
-spec encode(Msg :: msg() | map_msg(), MsgName :: msg_name(), Opts :: [call_option()]) -> binary().
encode(Msg, MsgName, Opts) ->
    case encode_nif(Msg, MsgName, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Msg, MsgName, Opts], error_info(Cause));
        Binary -> Binary
    end.

%% @doc Decodes the bytes of a message.
%%
%% Fields that the definitions do not have are skipped, or kept in the field `` '$unknowns' '' where the message has
%% one. Binaries of up to 24 bytes are copies, longer ones refer to the input; of an input beyond 128 kB they are copies
%% too if they are shorter than a sixteenth of it. A message that takes long moves to a dirty scheduler by itself.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:decode(<<10,7,97,98,99,32,100,101,102,16,217,2>>, 'Person').
%% {'Person',<<"abc def">>,345,undefined}
%% 3> enif_protobuf:decode(<<10,7,97,98,99>>, 'Person').
%% ** exception error: {decode_error,#{message => 'Person',offset => 0,
%%                                     path => "Person.name",reason => truncated}}
%% '''
-spec decode(Binary :: binary(), MsgName :: msg_name()) -> msg().
decode(Binary, MsgName) ->
    case decode_nif(Binary, MsgName) of
        %% What could not be decoded goes into no log.
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName], error_info(Cause));
        Record -> Record
    end.

%% @doc Decodes the bytes of a message with options for this call.
%%
%% What the options do not name is as {@link set_opts/1} has it. {@link encode/2} and {@link encode/3} take the same
%% options, and pass over what is about decoding.
%%
%% <dl>
%% <dt>`{cache, Name}'</dt>
%% <dd>The definitions are those that were loaded under this name.</dd>
%% <dt>`{strings, binary | list}'</dt>
%% <dd>How strings are given, as `string_as_list' says it in {@link set_opts/1}.</dd>
%% <dt>`{utf8, octets | checked}'</dt>
%% <dd>`checked': a string is text. One that is not UTF-8 is an error both ways, binaries too; a list has code points.
%% `octets': it is octets, as without `with_utf8' in {@link set_opts/1}.</dd>
%% <dt>`{bytes, auto | copy | reference}'</dt>
%% <dd>Whether the binaries of the result are copies, or refer to the input and keep it alive. `auto' is what
%% {@link decode/2} does. (From OTP 27 on the VM itself copies up to 64 bytes.)</dd>
%% <dt>`{required, ignore | check}'</dt>
%% <dd>`check': a required field that does not come is an error, `missing_required'.</dd>
%% <dt>`{unknown, keep | drop}'</dt>
%% <dd>`drop': unknown fields are skipped, even where the message has a place for them.</dd>
%% <dt>`{defaults, boolean()}'</dt>
%% <dd>`true': a field that is absent and for which the definitions give a default (`[default = 5]') has that, as with
%% gpb's `defaults_for_omitted_optionals'.</dd>
%% <dt>`{max_depth, non_neg_integer() | infinity}', `{max_size, non_neg_integer() | infinity}'</dt>
%% <dd>As in {@link set_opts/1}.</dd>
%% <dt>`{maps, boolean()}'</dt>
%% <dd>`true': messages are maps from the names of their fields, without their own name. The options that begin with
%% `maps' are about these; they are gpb's.</dd>
%% <dt>`{maps_unset_optional, omitted | present_undefined}'</dt>
%% <dd>Whether what is absent has no key (if nothing is said) or the value `undefined'. {@link encode/3} takes
%% both, but with `omitted', as with gpb, `undefined' is a value, which no field takes, and maps are what fields of type
%% `map<K, V>' take alone.</dd>
%% <dt>`{maps_oneof, tuples | flat}'</dt>
%% <dd>`tuples' (if nothing is said): the oneof has a key, and the value `{Field, Value}'. `flat': the field itself has
%% one; as with gpb, not together with `present_undefined'.</dd>
%% <dt>`{maps_key_type, atom | binary}'</dt>
%% <dd>What the keys are: atoms, if nothing is said.</dd>
%% <dt>`{mapfields_as_maps, boolean()}'</dt>
%% <dd>Whether fields of type `map<K, V>' are maps instead of lists of pairs: as `maps' is, if nothing is said.</dd>
%% <dt>`{structs, #{MsgName => Module}}'</dt>
%% <dd>These messages are structs of Elixir: maps that have the key `` '__struct__' '' and all others, with `nil' where
%% a field is absent. The rest are maps.</dd>
%% </dl>
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:decode(<<10,1,97,16,7>>, 'Person', [{maps, true}]).
%% #{id => 7,name => <<"a">>}
%% 3> enif_protobuf:decode(<<10,1,97,16,7>>, 'Person', [{strings, list}]).
%% {'Person',"a",7,undefined}
%% 4> enif_protobuf:decode(<<16,7>>, 'Person', [{required, check}]).
%% ** exception error: {decode_error,#{message => 'Person',offset => 2,
%%                                     path => "Person.name",reason => missing_required}}
%% '''
-spec decode(Binary :: binary(), MsgName :: msg_name(), Opts :: [call_option()]) -> msg() | map_msg().
decode(Binary, MsgName, Opts) ->
    case decode_nif(Binary, MsgName, Opts) of
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName, Opts], error_info(Cause));
        Msg -> Msg
    end.

%% @equiv encode_to_iolist(Record, [])
-spec encode_to_iolist(Record :: msg()) -> [binary()].
encode_to_iolist(Record) ->
    encode_to_iolist(Record, []).

%% @doc Encodes a record as {@link encode/2} does, to a list of binaries that are its bytes together. Binaries of a
%% kilobyte and more in it are not copied: they are elements of the list.
%%
%% It is what sockets and files take. A field that is an iolist keeps its large binaries too, unless it must be UTF-8.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode_to_iolist({'Person', <<"a">>, 7, undefined}).
%% [<<10,1,97,16,7>>]
%% 3> Large = binary:copy(<<"x">>, 5000).
%% 4> enif_protobuf:encode_to_iolist({'Person', Large, 7, undefined}) =:= [<<10,136,39>>, Large, <<16,7>>].
%% true
%% '''
-spec encode_to_iolist(Record :: msg(), Opts :: [call_option()]) -> [binary()].
encode_to_iolist(Record, Opts) ->
    case encode_to_iolist_nif(Record, Opts) of
        {Iolist} -> Iolist;
        [Reason | Cause] -> erlang:error(Reason, [Record, Opts], error_info(Cause))
    end.

%% @doc The same for a message of this name: see {@link encode/3}.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode_to_iolist(#{name => <<"a">>, id => 7}, 'Person', [{maps, true}]).
%% [<<10,1,97,16,7>>]
%% '''
-spec encode_to_iolist(Msg :: msg() | map_msg(), MsgName :: msg_name(), Opts :: [call_option()]) -> [binary()].
encode_to_iolist(Msg, MsgName, Opts) ->
    case encode_to_iolist_nif(Msg, MsgName, Opts) of
        {Iolist} -> Iolist;
        [Reason | Cause] -> erlang:error(Reason, [Msg, MsgName, Opts], error_info(Cause))
    end.

%% @equiv encode_delimited(Record, [])
-spec encode_delimited(Record :: msg()) -> binary().
encode_delimited(Record) ->
    encode_delimited(Record, []).

%% @doc Encodes a record as {@link encode/2} does, behind its length: in a stream, one message ends where the next
%% begins.
%%
%% The length is a varint, as with Java's `writeDelimitedTo', Go's `protodelim' and Python's
%% `serialize_length_prefixed'.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode_delimited({'Person', <<"a">>, 7, undefined}).
%% <<5,10,1,97,16,7>>
%% '''
%% @see fold_delimited/5
-spec encode_delimited(Record :: msg(), Opts :: [call_option()]) -> binary().
encode_delimited(Record, Opts) ->
    case encode_delimited_nif(Record, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Record, Opts], error_info(Cause));
        Binary -> Binary
    end.

%% @doc The same for a message of this name: see {@link encode/3}.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:encode_delimited(#{name => <<"a">>, id => 7}, 'Person', [{maps, true}]).
%% <<5,10,1,97,16,7>>
%% '''
-spec encode_delimited(Msg :: msg() | map_msg(), MsgName :: msg_name(), Opts :: [call_option()]) -> binary().
encode_delimited(Msg, MsgName, Opts) ->
    case encode_delimited_nif(Msg, MsgName, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Msg, MsgName, Opts], error_info(Cause));
        Binary -> Binary
    end.

%% @doc Decodes the message that stands behind its length at the beginning of a buffer, and gives the rest of that.
%%
%% Where the message is not all there, `{more, MinBytes}' says how many bytes are missing at least. A length beyond
%% `max_size' is an error as soon as it is read, so that nobody waits for it. Offsets in errors count from the beginning
%% of the buffer.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:decode_delimited(<<5,10,1,97,16,7,5,10>>, 'Person', []).
%% {ok,{'Person',<<"a">>,7,undefined},<<5,10>>}
%% 3> enif_protobuf:decode_delimited(<<5,10>>, 'Person', []).
%% {more,4}
%% 4> enif_protobuf:decode_delimited(<<>>, 'Person', []).
%% {more,1}
%% '''
%% @see encode_delimited/2
-spec decode_delimited(Buffer :: binary(), MsgName :: msg_name(), Opts :: [call_option()]) ->
    {ok, msg() | map_msg(), Rest :: binary()} | {more, MinBytes :: pos_integer()}.
decode_delimited(Buffer, MsgName, Opts) ->
    case decode_delimited_nif(Buffer, MsgName, Opts) of
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Buffer, MsgName, Opts], error_info(Cause));
        Result -> Result
    end.

%% @doc Decodes all messages of a buffer, each behind its length, and gives them to a function one after the other, with
%% what it gave for the one before. The rest is what the next message begins with, to be put before what comes in.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> Buffer = <<5,10,1,97,16,7,5,10,1,98,16,8,5,10>>.
%% <<5,10,1,97,16,7,5,10,1,98,16,8,5,10>>
%% 3> Names = fun({'Person', Name, _, _}, Acc) -> [Name | Acc] end.
%% 4> enif_protobuf:fold_delimited(Names, [], Buffer, 'Person', []).
%% {[<<"b">>,<<"a">>],<<5,10>>}
%% '''
%% @see decode_delimited/3
-spec fold_delimited(
    Fun :: fun((msg() | map_msg(), Acc) -> Acc),
    Acc,
    Buffer :: binary(),
    MsgName :: msg_name(),
    Opts :: [call_option()]
) -> {Acc, Rest :: binary()}.
fold_delimited(Fun, Acc, Buffer, MsgName, Opts) ->
    case decode_delimited(Buffer, MsgName, Opts) of
        {ok, Msg, Rest} -> fold_delimited(Fun, Fun(Msg, Acc), Rest, MsgName, Opts);
        {more, _} -> {Acc, Buffer}
    end.

%% @equiv get(Binary, MsgName, Path, [])
-spec get(Binary :: binary(), MsgName :: msg_name(), Path :: path()) -> term().
get(Binary, MsgName, Path) ->
    get(Binary, MsgName, Path, []).

%% @doc Reads one value out of the bytes of a message, and decodes nothing else.
%%
%% The value is what {@link decode/3} would have given at the end of the path: the last one where a field comes several
%% times, merged messages, the default where there is one. What is absent, or within something absent, or behind the
%% end of a list, is `undefined', or `nil' with the option `structs'. Messages that are not on the way are passed over
%% unread, so what is wrong within them is not seen.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:get(<<10,7,97,98,99,32,100,101,102,16,217,2>>, 'Person', [id]).
%% 345
%% 3> enif_protobuf:get(<<16,217,2>>, 'Person', [name]).
%% undefined
%% 4> enif_protobuf:get(<<16,217,2>>, 'Person', [age]).
%% ** exception error: badarg
%% '''
%% @see select/4
-spec get(Binary :: binary(), MsgName :: msg_name(), Path :: path(), Opts :: [call_option()]) -> term().
get(Binary, MsgName, Path, Opts) ->
    case get_nif(Binary, MsgName, Path, Opts) of
        {Value} -> Value;
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName, Path, Opts], error_info(Cause))
    end.

%% @equiv select(Binary, MsgName, Paths, [])
-spec select(Binary :: binary(), MsgName :: msg_name(), Paths :: [path()]) -> [term()].
select(Binary, MsgName, Paths) ->
    select(Binary, MsgName, Paths, []).

%% @doc Reads several values out of the bytes of a message, as {@link get/4} reads one; in the order of their paths.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:select(<<10,7,97,98,99,32,100,101,102,16,217,2>>, 'Person', [[id], [name], [email]], []).
%% [345,<<"abc def">>,undefined]
%% '''
-spec select(Binary :: binary(), MsgName :: msg_name(), Paths :: [path()], Opts :: [call_option()]) -> [term()].
select(Binary, MsgName, Paths, Opts) ->
    case select_nif(Binary, MsgName, Paths, Opts) of
        Values when is_tuple(Values) -> tuple_to_list(Values);
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName, Paths, Opts], error_info(Cause))
    end.

%% @equiv set(Binary, MsgName, Path, Value, [])
-spec set(Binary :: binary(), MsgName :: msg_name(), Path :: path(), Value :: term()) -> binary().
set(Binary, MsgName, Path, Value) ->
    set(Binary, MsgName, Path, Value, []).

%% @doc Puts a value into the bytes of a message, in the place that a path leads to, and decodes nothing else.
%%
%% The value is one that {@link encode/3} takes there, with the same options: it takes the place of all that the field
%% has. What comes out decodes to what the bytes did, but for that field, and what is not the field stays as it is, byte
%% for byte, unknown fields too. (A message on the way that comes several times is put together.) Paths are those of
%% {@link get/4}, and afterwards that gives the value.
%%
%% <ul>
%% <li>Messages on the way that are not there are made.</li>
%% <li>`undefined' clears a field that may be absent, and takes the entry of a key out of a map. Where there is nothing
%% to clear, the bytes stay as they are. For a field that is required or repeated, or an element of a list, it is no
%% value, as in {@link encode/3}.</li>
%% <li>A value that is the default of a field without presence (proto3) is not written.</li>
%% <li>A member of a oneof takes the place of the one that was set. `undefined' clears the one that is named, if it is
%% set.</li>
%% <li>A position in a list has an element already, or is the one behind the last.</li>
%% <li>A key of a map gets a new value, or is added.</li>
%% </ul>
%%
%% It takes time in proportion to the bytes. Messages that are not on the way are not looked into, so what is wrong
%% within them is not seen.
%% (<a href="https://protobuf.dev/programming-guides/encoding/#last-one-wins">The protobuf encoding specification, "Last
%% One Wins"</a>.)
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:set(<<10,1,97,16,7>>, 'Person', [id], 345).
%% <<10,1,97,16,217,2>>
%% 3> enif_protobuf:set(<<10,1,97,16,7>>, 'Person', [email], <<"b">>).
%% <<10,1,97,16,7,26,1,98>>
%% 4> enif_protobuf:set(<<10,1,97,16,7>>, 'Person', [id], seven).
%% ** exception error: {gpb_type_error,{{bad_integer,int32,signed,32},
%%                                      [{value,seven},{path,"Person.id"}]}}
%% '''
%% @see get/4
-spec set(Binary :: binary(), MsgName :: msg_name(), Path :: path(), Value :: term(), Opts :: [call_option()]) ->
    binary().
set(Binary, MsgName, Path, Value, Opts) ->
    case set_nif(Binary, MsgName, Path, Value, Opts) of
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName, Path, Value, Opts], error_info(Cause));
        New -> New
    end.

%% @equiv merge(Record1, Record2, [])
-spec merge(Record1 :: msg(), Record2 :: msg()) -> msg().
merge(Record1, Record2) ->
    merge(Record1, Record2, []).

%% @doc Merges two records of a message: see {@link merge/4}.
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:merge({'Person', <<"a">>, 7, undefined}, {'Person', undefined, 8, undefined}, []).
%% {'Person',<<"a">>,8,undefined}
%% '''
-spec merge(Record1 :: msg(), Record2 :: msg(), Opts :: [call_option()]) -> msg().
merge(Record1, Record2, Opts) when is_tuple(Record1), tuple_size(Record1) > 0 ->
    merge(Record1, Record2, element(1, Record1), Opts);
merge(Record1, Record2, Opts) ->
    erlang:error(badarg, [Record1, Record2, Opts], error_info([1, <<"not a record">>])).

%% @doc Merges two messages: what decoding the bytes of the first and, behind them, those of the second gives.
%%
%% Of a field that is in both the second one's value stands; messages in it are merged, what is repeated is appended,
%% and entries of maps with the same key are replaced. What is required may be absent. Strings and numbers come out as
%% {@link decode/3} gives them. (<a href="https://protobuf.dev/programming-guides/encoding/#last-one-wins">The protobuf
%% encoding specification, "Last One Wins"</a>.)
%%
%% ```
%% 1> enif_protobuf:load_proto("proto/person.proto").
%% ok
%% 2> enif_protobuf:merge(#{name => <<"a">>, id => 7}, #{id => 8}, 'Person', [{maps, true}]).
%% #{id => 8,name => <<"a">>}
%% '''
%% @see decode/3
-spec merge(Msg1, Msg2 :: Msg1, MsgName :: msg_name(), Opts :: [call_option()]) -> Msg1 when Msg1 :: msg() | map_msg().
merge(Msg1, Msg2, MsgName, Opts) ->
    case merge_nif(Msg1, Msg2, MsgName, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Msg1, Msg2, MsgName, Opts], error_info(Cause));
        Merged -> Merged
    end.

%% @equiv info(MsgName, [])
-spec info(MsgName :: msg_name()) -> msg_info().
info(MsgName) ->
    info(MsgName, []).

%% @doc What is loaded of a message or group: its fields, in the order of the record.
%%
%% Whatever form the definitions had, this is the same. It takes time in proportion to all of them, on a dirty
%% scheduler.
%%
%% ```
%% 1> enif_protobuf:load_proto(people, "proto/person.proto", []).
%% ok
%% 2> #{fields := [Name | _]} = enif_protobuf:info('Person', [{cache, people}]).
%% 3> Name.
%% #{name => name,number => 1,occurrence => required,position => 2,type => string}
%% '''
-spec info(MsgName :: msg_name(), Opts :: [{cache, cache_name()}]) -> msg_info().
info(MsgName, Opts) ->
    case info_nif(MsgName, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [MsgName, Opts], error_info(Cause));
        Info -> Info
    end.

%% @doc Loads definitions, then encodes a record: {@link load_cache/1} and {@link encode/1}.
%%
%% ```
%% 1> enif_protobuf:encode_msg({'Point', 1}, [{{msg, 'Point'}, [{field, x, 1, 2, int32, required, []}]}]).
%% <<8,1>>
%% '''
-spec encode_msg(Record :: msg(), Defs :: defs()) -> binary().
encode_msg(Record, Defs) ->
    ok = load_cache(Defs),
    encode(Record).

%% @doc Loads definitions, then decodes a message: {@link load_cache/1} and {@link decode/2}.
%%
%% ```
%% 1> enif_protobuf:decode_msg(<<8,1>>, 'Point', [{{msg, 'Point'}, [{field, x, 1, 2, int32, required, []}]}]).
%% {'Point',1}
%% '''
-spec decode_msg(Binary :: binary(), MsgName :: msg_name(), Defs :: defs()) -> msg().
decode_msg(Binary, MsgName, Defs) ->
    ok = load_cache(Defs),
    decode(Binary, MsgName).

%% @doc What a term looks like inside, for the developer of a NIF.
%%
%% `kind' is the kind of term, `word' the word that stands for it. A boxed term has a `header' and, if it is a tuple, a
%% float, an integer or a binary, the `words' behind it; a list has the two `words' of its first cell. How terms lie in
%% memory differs between releases.
%%
%% ```
%% 1> enif_protobuf:debug_term(1).
%% #{kind => integer,word => 31}
%% 2> maps:get(words, enif_protobuf:debug_term({1, 2})).
%% [31,47]
%% '''
-spec debug_term(Term :: term()) -> memory().
debug_term(_Term) ->
    erlang:nif_error(not_loaded).

%% @doc The sentence that belongs to an exception of this module, for the shell and for
%% `erl_error:format_exception/3' (<a href="https://www.erlang.org/eeps/eep-0054">EEP 54</a>).
%%
%% ```
%% 1> try enif_protobuf:set_opts(no_option)
%%    catch error:Reason:Stacktrace ->
%%        enif_protobuf:format_error(Reason, Stacktrace)
%%    end.
%% #{1 => <<"not a list of options: no_option">>}
%% '''
-spec format_error(Reason :: term(), Stacktrace :: erlang:stacktrace()) -> #{pos_integer() | general => binary()}.
format_error(_Reason, [{?MODULE, _Function, _Arguments, Info} | _]) ->
    case proplists:get_value(error_info, Info) of
        #{cause := [0, Sentence]} -> #{general => Sentence};
        #{cause := [Argument, Sentence]} -> #{Argument => Sentence};
        #{cause := [Argument, Sentence, Term]} -> #{Argument => <<Sentence/binary, ": ", (shown(Term))/binary>>};
        _ -> #{}
    end.

%% A term for a sentence. Nesting and long lists, strings and binaries are cut by the format; a long integer is not.
shown(Term) ->
    Text = lists:flatten(io_lib:format("~0tP", [Term, 20], [{chars_limit, 120}])),
    {Shown, Rest} = lists:split(min(length(Text), 300), Text),
    unicode:characters_to_binary([Shown, ["..." || Rest =/= []]]).

%% As compilers say it: "File:Line:Column: what is wrong".
proto_sentence({proto_error, #{message := Message} = Details}) ->
    Place = [[format(Value), ":"] || Key <- [file, line, column], {ok, Value} <- [maps:find(Key, Details)]],
    iolist_to_binary([Place, [" " || Place =/= []], Message]).

format(Value) when is_integer(Value) -> integer_to_binary(Value);
format(Value) -> Value.

error_info(Cause) ->
    [{error_info, #{cause => Cause}}].

%% @private
%% Definitions of a generated module, with the options of its calls: those of encoding, and of decoding. Those of other
%% versions of the module, whose names begin like this one and end in another hash, are given up: where a call of one is
%% under way and needs them again, it loads them.
-spec load_module(Cache :: cache_name(), Defs :: defs(), {[call_option()], [call_option()]}) -> ok.
load_module(Cache, Defs, Opts) ->
    case load_module_nif(Cache, Defs, Opts) of
        ok -> lists:foreach(fun purge_cache/1, [Other || Other <- caches(), is_other_version(Other, Cache)]);
        [Reason | Cause] -> erlang:error(Reason, [Cache, Defs, Opts], error_info(Cause))
    end.

%% The hash has 16 digits.
is_other_version(Other, Cache) ->
    [{Prefix, Hash}, {OtherPrefix, OtherHash}] = [
        lists:split(max(0, length(Name) - 16), Name)
     || Name <- [atom_to_list(Cache), atom_to_list(Other)]
    ],
    IsHash = string:take(OtherHash, "0123456789ABCDEF") =:= {OtherHash, ""},
    IsHash andalso Prefix =:= OtherPrefix andalso Hash =/= OtherHash.

%% @private
%% The bytes, or a list where it failed: then the module calls encode/2, which tells why.
-spec encode_in_module(msg(), cache_name()) -> binary() | [term()].
encode_in_module(_Record, _Cache) -> erlang:nif_error(not_loaded).

%% @private
-spec encode_in_module(msg() | map_msg(), msg_name(), cache_name()) -> binary() | [term()].
encode_in_module(_Msg, _MsgName, _Cache) -> erlang:nif_error(not_loaded).

%% @private
%% The same the other way.
-spec decode_in_module(binary(), msg_name(), cache_name()) -> msg() | map_msg() | [term()].
decode_in_module(_Binary, _MsgName, _Cache) -> erlang:nif_error(not_loaded).

load_module_nif(_Cache, _Defs, _Opts) -> erlang:nif_error(not_loaded).
load_cache_nif(_Defs) -> erlang:nif_error(not_loaded).
load_cache_nif(_Name, _Defs) -> erlang:nif_error(not_loaded).
proto_defs_nif(_Files, _Opts, _ToLoad) -> erlang:nif_error(not_loaded).
descriptor_set_nif(_Set, _Opts, _ToLoad) -> erlang:nif_error(not_loaded).
purge_cache_nif() -> erlang:nif_error(not_loaded).
purge_cache_nif(_Name) -> erlang:nif_error(not_loaded).
free_replaced_nif() -> erlang:nif_error(not_loaded).
set_opts_nif(_Opts) -> erlang:nif_error(not_loaded).
encode_nif(_Record) -> erlang:nif_error(not_loaded).
encode_nif(_Record, _Opts) -> erlang:nif_error(not_loaded).
encode_nif(_Msg, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
decode_nif(_Binary, _MsgName) -> erlang:nif_error(not_loaded).
decode_nif(_Binary, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
encode_to_iolist_nif(_Record, _Opts) -> erlang:nif_error(not_loaded).
encode_to_iolist_nif(_Msg, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
encode_delimited_nif(_Record, _Opts) -> erlang:nif_error(not_loaded).
encode_delimited_nif(_Msg, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
decode_delimited_nif(_Buffer, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
get_nif(_Binary, _MsgName, _Path, _Opts) -> erlang:nif_error(not_loaded).
select_nif(_Binary, _MsgName, _Paths, _Opts) -> erlang:nif_error(not_loaded).
set_nif(_Binary, _MsgName, _Path, _Value, _Opts) -> erlang:nif_error(not_loaded).
merge_nif(_Msg1, _Msg2, _MsgName, _Opts) -> erlang:nif_error(not_loaded).
info_nif(_MsgName, _Opts) -> erlang:nif_error(not_loaded).
