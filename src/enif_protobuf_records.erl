%% Records and types of the messages in definitions, as text.
%% @private
-module(enif_protobuf_records).

-export([header/1, types/1]).

%% @doc The header with the records, or none where messages are maps.
-spec header(enif_protobuf_plan:plan()) -> iolist() | none.
header(#{options := #{msgs_as_maps := true}}) ->
    none;
header(#{module := Module, defs := Defs} = Plan) ->
    Messages = [{Name, Fields} || {{Kind, Name}, Fields} <- Defs, Kind =:= msg orelse Kind =:= group],
    Guarded = lists:zip(Messages, guards([Name || {Name, _} <- Messages])),
    [
        "%% -*- coding: utf-8 -*-\n",
        enif_protobuf_plan:mark(),
        "\n",
        format("-ifndef(~tp).\n-define(~tp, true).\n\n", [Module, Module]),
        [record(Message, Guard, Plan) || {Message, Guard} <- Guarded],
        "-endif.\n"
    ].

%% A message that several headers have is defined by the first that is included, gpb's among them: the guards are gpb's.
record({Name, Fields}, Guard, Plan) ->
    Lines = lines([record_field(Field, Plan) || Field <- unique_names(Fields)]),
    format("-ifndef(~tp).\n-define(~tp, true).\n-record(~tp, {~ts}).\n-endif.\n\n", [Guard, Guard, Name, Lines]).

%% What guards the records, in their order. gpb's do not tell names apart that differ in case alone; those are as they
%% are written.
guards(Names) ->
    Upper = [string:uppercase(atom_to_list(Name)) || Name <- Names],
    Counts = lists:foldl(fun(Name, Seen) -> maps:update_with(Name, fun(N) -> N + 1 end, 1, Seen) end, #{}, Upper),
    [
        case Counts of
            #{Big := 1} -> guard(Big);
            _ -> guard(atom_to_list(Name))
        end
     || {Name, Big} <- lists:zip(Names, Upper)
    ].

%% An atom has up to 255 characters, which a name alone may have.
guard(Name) when length(Name) =< 250 ->
    list_to_atom(Name ++ "_PB_H");
guard(Name) ->
    <<Hash:128>> = erlang:md5(unicode:characters_to_binary(Name)),
    list_to_atom(string:slice(Name, 0, 200) ++ "_" ++ integer_to_list(Hash, 16) ++ "_PB_H").

record_field(Field, #{options := #{type_specs := TypeSpecs}} = Plan) ->
    Default =
        case default(Field, Plan) of
            none -> "";
            {default, Value} -> format(" = ~tp", [Value])
        end,
    Type = [[" :: ", type_of(Field, Plan), " | undefined"] || TypeSpecs],
    {[format("~tp", [element(2, Field)]), Default, Type], comment(Field)}.

%% Two fields of one name, which extensions from two scopes may have, are told apart by the number of the second.
unique_names(Fields) ->
    {Unique, _} = lists:mapfoldl(
        fun(Field, Seen) ->
            Name = element(2, Field),
            case lists:member(Name, Seen) of
                false -> {Field, [Name | Seen]};
                true -> {setelement(2, Field, list_to_atom(lists:concat([Name, "_", element(3, Field)]))), Seen}
            end
        end,
        [],
        Fields
    ),
    Unique.

%% Fields in lines of their own. A comma stands before the comment of its field.
lines([]) ->
    "";
lines(Fields) ->
    Last = length(Fields),
    Numbered = lists:zip(lists:seq(1, Last), Fields),
    ["\n", [["    ", Text, ["," || N < Last], "  % ", Comment, "\n"] || {N, {Text, Comment}} <- Numbered]].

comment({gpb_oneof, _, _, Fields, _}) ->
    ["oneof ", lists:join(", ", [integer_to_list(element(3, Field)) || Field <- Fields])];
comment({field, _, _, _, unknown, _, _}) ->
    "fields that are not defined";
comment({field, _, Number, _, Type, Occurrence, _}) ->
    Label =
        case {Type, Occurrence} of
            {{map, _, _}, _} -> "";
            {_, defaulty} -> "optional ";
            _ -> [atom_to_list(Occurrence), " "]
        end,
    ["= ", integer_to_list(Number), ", ", Label, type_name(Type)].

type_name({map, Key, Value}) -> ["map<", type_name(Key), ", ", type_name(Value), ">"];
type_name({Kind, Name}) -> [atom_to_list(Kind), " ", atom_to_list(Name)];
type_name(Scalar) -> atom_to_list(Scalar).

%% What a field of a record is if nothing is said.
default({gpb_oneof, _, _, _, _}, _Plan) ->
    none;
default({field, _, _, _, Type, Occurrence, Options}, Plan) ->
    case lists:keyfind(default, 1, [Option || Option <- Options, is_tuple(Option)]) of
        {default, Value} -> {default, Value};
        false when Occurrence =:= repeated -> {default, empty(Type, Plan)};
        false when Occurrence =:= defaulty -> {default, zero(Type, Plan)};
        false -> none
    end.

empty({map, _, _}, #{options := #{mapfields_as_maps := true}}) -> #{};
empty(_, _Plan) -> [].

%% What stands for an absent field that has no presence.
zero(bool, _Plan) ->
    false;
zero(Float, _Plan) when Float =:= float; Float =:= double ->
    0.0;
zero(string, #{options := #{strings_as_binaries := AsBinaries}}) ->
    if AsBinaries -> <<>>; true -> [] end;
zero(bytes, _Plan) ->
    <<>>;
zero({enum, Name}, #{defs := Defs}) ->
    {_, Symbols} = lists:keyfind({enum, Name}, 1, Defs),
    hd([Symbol || {Symbol, 0} <- Symbols] ++ [Symbol || {Symbol, _} <- Symbols]);
zero({_, _}, _Plan) ->
    undefined;
zero(_Integer, _Plan) ->
    0.

%% @doc The types that a module exports: those of its messages and enums, and of all messages and their names. Without
%% type_specs there are only those that its specs need.
-spec types(enif_protobuf_plan:plan()) -> iolist().
types(#{options := #{type_specs := false}} = Plan) ->
    all_messages(Plan);
types(#{defs := Defs} = Plan) ->
    Enums = [{Name, enum_type(Symbols)} || {{enum, Name}, Symbols} <- Defs],
    Messages = [
        {Name, message_type(Name, Fields, Plan)}
     || {{Kind, Name}, Fields} <- Defs, Kind =:= msg orelse Kind =:= group
    ],
    Types = Enums ++ Messages,
    Exported = [[type_call(Name, Defs), "/0"] || {Name, _} <- Types] ++ ["'$msg_name'/0", "'$msg'/0"],
    [
        [["-type ", type_call(Name, Defs), "() :: ", Type, ".\n"] || {Name, Type} <- Types],
        all_messages(Plan),
        "-export_type([\n    ",
        lists:join(",\n    ", Exported),
        "\n]).\n"
    ].

all_messages(#{defs := Defs} = Plan) ->
    Names = [Name || {{msg, Name}, _} <- Defs],
    NameType = if Names =:= [] -> "atom()"; true -> union([format("~tp", [Name]) || Name <- Names]) end,
    [
        ["-type '$msg_name'() ::\n    ", NameType, ".\n"],
        ["-type '$msg'() ::\n    ", any_message(Names, Plan), ".\n"]
    ].

any_message([], #{options := #{msgs_as_maps := false}}) -> "tuple()";
any_message([], _Plan) -> "map()";
any_message(_Names, #{options := #{msgs_as_maps := true, type_specs := false}}) -> "map()";
any_message(Names, #{options := #{type_specs := false}}) -> union([format("#~tp{}", [Name]) || Name <- Names]);
any_message(Names, #{defs := Defs}) -> union([[type_call(Name, Defs), "()"] || Name <- Names]).

union(Types) ->
    lists:join("\n    | ", Types).

enum_type(Symbols) ->
    ["\n    ", union([format("~tp", [Symbol]) || {Symbol, _} <- Symbols])].

message_type(Name, _Fields, #{options := #{msgs_as_maps := false}}) ->
    format("#~tp{}", [Name]);
message_type(_Name, [], _Plan) ->
    "#{}";
message_type(_Name, _Fields, #{options := #{maps_key_type := binary}}) ->
    %% A type has no words for a key that is this binary.
    "#{binary() => term()}";
message_type(_Name, Fields, #{options := #{maps_oneof := flat}} = Plan) ->
    map_type(lists:flatmap(fun members/1, Fields), Plan);
message_type(_Name, Fields, Plan) ->
    map_type(unique_names(Fields), Plan).

members({gpb_oneof, _, _, Fields, _}) -> Fields;
members(Field) -> [Field].

map_type(Fields, Plan) ->
    ["#{", lines([map_field(Field, Plan) || Field <- Fields]), "}"].

map_field(Field, #{options := #{maps_unset_optional := Unset, verify_decode_required_present := Checked}} = Plan) ->
    {Arrow, Absent} =
        case {Unset, Field} of
            %% As gpb has it.
            {present_undefined, {gpb_oneof, _, _, _, _}} -> {" => ", " | undefined"};
            {present_undefined, _} -> {" := ", " | undefined"};
            {omitted, {field, _, _, _, _, required, _}} when Checked -> {" := ", ""};
            {omitted, _} -> {" => ", ""}
        end,
    {[format("~tp", [element(2, Field)]), Arrow, type_of(Field, Plan), Absent], comment(Field)}.

type_of({gpb_oneof, _, _, Fields, _}, Plan) ->
    Members = [["{", format("~tp", [Name]), ", ", type(Type, Plan), "}"] || {field, Name, _, _, Type, _, _} <- Fields],
    lists:join(" | ", Members);
type_of({field, _, _, _, {map, _, _} = Type, _, _}, Plan) ->
    type(Type, Plan);
type_of({field, _, _, _, Type, repeated, _}, Plan) ->
    ["[", type(Type, Plan), "]"];
type_of({field, _, _, _, Type, _, _}, Plan) ->
    type(Type, Plan).

type(Unsigned, _Plan) when Unsigned =:= uint32; Unsigned =:= uint64; Unsigned =:= fixed32; Unsigned =:= fixed64 ->
    "non_neg_integer()";
type(bool, _Plan) ->
    "boolean() | 0 | 1";
type(Float, _Plan) when Float =:= float; Float =:= double ->
    "float() | integer() | infinity | '-infinity' | nan";
type(string, _Plan) ->
    "unicode:chardata()";
type(bytes, _Plan) ->
    "iodata()";
type(unknown, _Plan) ->
    "term()";
type({enum, Name}, Plan) ->
    [named_type(Name, Plan), " | integer()"];
type({map, Key, Value}, #{options := #{mapfields_as_maps := true}} = Plan) ->
    ["#{", type(Key, Plan), " => ", type(Value, Plan), "}"];
type({map, Key, Value}, Plan) ->
    ["[{", type(Key, Plan), ", ", type(Value, Plan), "}]"];
type({_MsgOrGroup, Name}, Plan) ->
    named_type(Name, Plan);
type(_Integer, _Plan) ->
    "integer()".

%% The records of a header stand in other modules too, so their types say which module they are of.
named_type(Name, #{options := #{msgs_as_maps := true}, defs := Defs}) ->
    [type_call(Name, Defs), "()"];
named_type(Name, #{module := Module, defs := Defs}) ->
    [format("~tp:", [Module]), type_call(Name, Defs), "()"].

%% The name of a type: that of the message or enum. Erlang's own types cannot be defined anew.
type_call(Name, Defs) ->
    case erl_internal:is_type(Name, 0) of
        false -> format("~tp", [Name]);
        true -> format("~tp", [free_name(atom_to_list(Name) ++ "_", Defs)])
    end.

free_name(Name, Defs) ->
    Taken = [Other || {{Kind, Other}, _} <- Defs, lists:member(Kind, [msg, group, enum])],
    case lists:member(list_to_atom(Name), Taken) of
        true -> free_name(Name ++ "_", Defs);
        false -> list_to_atom(Name)
    end.

format(Format, Arguments) ->
    io_lib:format(Format, Arguments).
