%% The vectors on which the older implementations differ: which answer is right, and that it is given.
-module(differences_tests).

-include_lib("eunit/include/eunit.hrl").

differences_test_() ->
    Tests = [
        {lists:concat([Kind, " ", Id]), fun() -> check(Vector) end}
     || #{id := Id, kind := Kind} = Vector <- vector_files:vectors("differences")
    ],
    {setup, fun() -> vector_files:options(false, false) end, Tests}.

check(#{schema := Name, op := Op} = Vector) ->
    Schema = vector_files:schema(Name),
    Defs = vector_files:definitions(Schema),
    ok = enif_protobuf:load_cache(Defs),
    check(Op, Vector, Schema, record_form:index(Defs)).

check(encode, #{id := Id, kind := Kind, term := Term}, _, _) ->
    ?assertEqual({Id, bytes(Kind)}, {Id, enif_protobuf:encode(Term)});
check(decode, #{id := Id, msg := Name, wire := Wire} = Vector, Schema, Index) ->
    case expected(Vector, Schema) of
        error ->
            ?assertError({decode_error, #{reason := _}}, enif_protobuf:decode(Wire, Name));
        {record, Record} ->
            ?assertEqual({Id, Record}, {Id, enif_protobuf:decode(Wire, Name)});
        {text, Text} ->
            Decoded = record_form:text(enif_protobuf:decode(Wire, Name), Index),
            ?assertEqual({Id, Text}, {Id, shown_as(Vector, Decoded)})
    end,
    case Vector of
        #{term := Term} -> ?assertEqual({Id, Wire}, {Id, enif_protobuf:encode(Term)});
        _ -> ok
    end.

%% Where the bytes were an encoder's own there is nothing unknown in them, and the text does not say so.
shown_as(#{kind := gpb_own_bytes}, Text) -> binary:replace(Text, <<"?[]">>, <<>>, [global]);
shown_as(_, Text) -> Text.

%% An enum's default by another name and 0 for false are defaults, so not written; a negative enum number has ten bytes.
bytes(enum_alias_of_zero) -> <<>>;
bytes(bool_integer_zero) -> <<>>;
bytes(enum_negative_integer) -> <<8, -1:72, 1>>;
bytes(map_enum_integer) -> <<10, 5, 8, 1, 16, 16#e8, 7>>;
bytes(negative_zero) -> <<16#0d, -0.0:32/float-little, 16#11, -0.0:64/float-little>>.

%% Octets that are not UTF-8 pass in a string field, nesting has no limit, a required field may be absent.
expected(#{kind := Kind, gpb := Record}, _) when Kind =:= invalid_utf8; Kind =:= deep_nesting ->
    {record, Record};
expected(#{runtime := <<"required">>, gpb := Record}, _) ->
    {record, Record};
expected(#{runtime := <<"error", _/binary>>}, _) ->
    error;
%% What else the two decode differently in proto2 is the unknown number of an enum: it stays in its field.
expected(#{gpb := Record}, #{syntax := proto2}) when Record =/= error ->
    {record, Record};
%% Without presence the first part's value stays when the second lacks the field; message values of maps merge, and may
%% be missing; groups of one number nest.
expected(#{runtime := Text}, _) ->
    {text, Text}.
