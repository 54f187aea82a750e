%% Messages as maps, made from records with their definitions: what decoding with {maps, true} is compared with.
-module(map_form).

-export([of_record/3, options/0]).

%% Every form that maps have, as options of a call.
options() ->
    [
        [{maps, true} | Unset ++ Oneof ++ Keys ++ MapFields]
     || Unset <- [[], [{maps_unset_optional, present_undefined}]],
        Oneof <- [[], [{maps_oneof, flat}]],
        Keys <- [[], [{maps_key_type, binary}]],
        MapFields <- [[], [{mapfields_as_maps, false}]]
    ].

%% The map that a record is with these options.
of_record(Record, Defs, Opts) ->
    Fields = maps:from_list([{Name, F} || {{Kind, Name}, F} <- Defs, Kind =:= msg orelse Kind =:= group]),
    message(Record, Fields, maps:from_list(Opts)).

message(Record, Defs, Opts) ->
    Pairs = [
        pair(Field, element(position(Field), Record), Defs, Opts)
     || Field <- maps:get(element(1, Record), Defs)
    ],
    maps:from_list(lists:append(Pairs)).

position({field, _, _, Position, _, _, _}) -> Position;
position({gpb_oneof, _, Position, _, _}) -> Position;
position({gpb_oneof, _, Position, _}) -> Position.

pair(Field, undefined, _, #{maps_unset_optional := present_undefined} = Opts) ->
    [{key(element(2, Field), Opts), undefined}];
pair(_, undefined, _, _) ->
    [];
pair({field, Name, _, _, {map, _, Type}, _, _}, Entries, Defs, Opts) ->
    Pairs = [{Key, value(Type, Value, Defs, Opts)} || {Key, Value} <- Entries],
    case Opts of
        #{mapfields_as_maps := false} -> [{key(Name, Opts), Pairs}];
        #{} -> [{key(Name, Opts), maps:from_list(Pairs)}]
    end;
pair({field, Name, _, _, Type, repeated, _}, Values, Defs, Opts) ->
    [{key(Name, Opts), [value(Type, Value, Defs, Opts) || Value <- Values]}];
pair({field, Name, _, _, Type, _, _}, Value, Defs, Opts) ->
    [{key(Name, Opts), value(Type, Value, Defs, Opts)}];
pair(Oneof, {Member, Value}, Defs, Opts) ->
    {field, _, _, _, Type, _, _} = lists:keyfind(Member, 2, element(4, Oneof)),
    Inner = value(Type, Value, Defs, Opts),
    case Opts of
        %% As with gpb, a oneof that has a key where it is absent has it where it is not.
        #{maps_oneof := flat} when not is_map_key(maps_unset_optional, Opts) -> [{key(Member, Opts), Inner}];
        #{} -> [{key(element(2, Oneof), Opts), {Member, Inner}}]
    end.

value({Kind, _}, Record, Defs, Opts) when Kind =:= msg; Kind =:= group -> message(Record, Defs, Opts);
value(_, Value, _, _) -> Value.

key(Name, #{maps_key_type := binary}) -> atom_to_binary(Name);
key(Name, _) -> Name.
