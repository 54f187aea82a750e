%% Merging messages, for generated modules: what their `merge_msgs/3' does, with gpb's answers.
%%
%% Bytes of two messages, one after the other, decode to much the same. But there a field without presence that the
%% second message has at its default keeps the value of the first; here, as with gpb, the second message's counts.
%% @private
-module(enif_protobuf_merging).

-export([merge/5]).

%% How messages look: records, or maps in one of their forms.
-type form() ::
    records
    | #{
        maps_unset_optional := omitted | present_undefined,
        maps_oneof := tuples | flat,
        maps_key_type := atom | binary
    }.

-type find() :: fun((enif_protobuf:msg_name()) -> list() | error).

%% @doc The second message, and of the first what the second has not.
-spec merge(Prev :: Msg, New :: Msg, enif_protobuf:msg_name(), find(), form()) -> Msg when Msg :: tuple() | map().
merge(Prev, New, Name, Find, records) ->
    Fields = [field(Field) || Field <- Find(Name)],
    Size = length(Fields) + 1,
    true = is_record(Prev, Name, Size) andalso is_record(New, Name, Size),
    Merged = lists:zipwith3(
        fun(Field, Before, After) -> value(Field, Before, After, Find, records) end,
        Fields,
        tl(tuple_to_list(Prev)),
        tl(tuple_to_list(New))
    ),
    list_to_tuple([Name | Merged]);
merge(Prev, New, Name, Find, Form) when is_map(Prev), is_map(New) ->
    Fields = [field(Field) || Field <- Find(Name)],
    maps:from_list(lists:append([entries(Field, Prev, New, Find, Form) || Field <- Fields])).

%% The key of a field with its value, where it has one.
entries({oneof, _Name, Members}, Prev, New, Find, #{maps_oneof := flat} = Form) ->
    Merged = value({oneof, none, Members}, chosen(Members, Prev, Form), chosen(Members, New, Form), Find, Form),
    case Merged of
        undefined -> [];
        {Tag, Value} -> [{key(Tag, Form), Value}]
    end;
entries(Field, Prev, New, Find, #{maps_unset_optional := Unset} = Form) ->
    Key = key(element(2, Field), Form),
    case value(Field, maps:get(Key, Prev, undefined), maps:get(Key, New, undefined), Find, Form) of
        undefined when Unset =:= omitted -> [];
        Value -> [{Key, Value}]
    end.

chosen(Members, Msg, Form) ->
    case [{Tag, maps:get(key(Tag, Form), Msg)} || {Tag, _} <- Members, is_map_key(key(Tag, Form), Msg)] of
        [] -> undefined;
        [Chosen | _] -> Chosen
    end.

key(Name, #{maps_key_type := atom}) -> Name;
key(Name, #{maps_key_type := binary}) -> atom_to_binary(Name).

value(_Field, Before, undefined, _Find, _Form) ->
    Before;
value(_Field, undefined, After, _Find, _Form) ->
    After;
value({map, _Name}, Before, After, _Find, _Form) when is_map(Before), is_map(After) ->
    maps:merge(Before, After);
value({map, _Name}, Before, After, _Find, _Form) ->
    %% In gpb's order.
    dict:to_list(dict:merge(fun(_Key, _Before, Value) -> Value end, dict:from_list(Before), dict:from_list(After)));
value({repeated, _Name}, Before, After, _Find, _Form) ->
    Before ++ After;
value({message, _Name, Message}, Before, After, Find, Form) ->
    merge(Before, After, Message, Find, Form);
value({oneof, _Name, Members}, {Tag, Before}, {Tag, After}, Find, Form) ->
    {Tag, value(proplists:get_value(Tag, Members), Before, After, Find, Form)};
value(_Field, _Before, After, _Find, _Form) ->
    After.

%% What matters of a field, in whatever form the module shows it.
field({field, Name, _, _, Type, Occurrence, _}) ->
    kind(Name, Type, Occurrence);
field({gpb_oneof, Name, _, Members, _}) ->
    {oneof, Name, [{element(2, Field), Field} || Field <- lists:map(fun field/1, Members)]};
field(#{<<"name">> := _} = Field) ->
    field(maps:from_list([{binary_to_atom(Key), Value} || {Key, Value} <- maps:to_list(Field)]));
field(#{name := Name, fields := Members}) ->
    field({gpb_oneof, Name, 0, Members, []});
field(#{name := Name, type := Type, occurrence := Occurrence}) ->
    kind(Name, Type, Occurrence);
field(Properties) when is_list(Properties) ->
    field(maps:from_list(Properties)).

kind(Name, {map, _, _}, _) -> {map, Name};
kind(Name, _, repeated) -> {repeated, Name};
kind(Name, {Kind, Message}, _) when Kind =:= msg; Kind =:= group -> {message, Name, Message};
kind(Name, _, _) -> {scalar, Name}.
