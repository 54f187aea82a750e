%% set/4,5: what comes out decodes to what the bytes did, with the value in the place of that one field.
-module(set_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([prop_setting_is_replacing_in_the_term/0]).

-import(set_oracle, [agrees/5]).

%% Every path in every message of the vectors, those with odd bytes too.
vectors_test_() ->
    [
        {lists:concat([File, " ", Name]), {timeout, 300, fun() -> vectors(vector_files:schema(Name), Vectors) end}}
     || File <- ["roundtrip", "decode", "unknown"], {Name, Vectors} <- vector_files:by_schema(File)
    ].

vectors(Schema, Vectors) ->
    Defs = vector_files:definitions(Schema),
    codec:load(Defs),
    Records = [enif_protobuf:decode(Wire, Name) || #{wire := Wire, msg := Name} <- Vectors],
    [
        agrees(Wire, Record, donor(Record, Records, Number), Defs, 40)
     || {Number, #{wire := Wire}, Record} <- lists:zip3(lists:seq(1, length(Vectors)), Vectors, Records)
    ].

%% Another record of the same message, to take values from.
donor(Record, Records, Number) ->
    Same = [Other || Other <- Records, element(1, Other) =:= element(1, Record)],
    lists:nth(1 + Number rem length(Same), Same).

properties_test_() ->
    {timeout, 300, fun() -> ?assert(property:check(prop_setting_is_replacing_in_the_term(), 700)) end}.

%% In two messages one behind the other, which are merged, and in changed bytes.
prop_setting_is_replacing_in_the_term() ->
    ?FORALL(
        {Model, {One, Other, Donor}, Count},
        ?LET(
            Model,
            random_schema:model(),
            {Model, list_to_tuple([random_schema:record(Model) || _ <- "123"]), range(10, 40)}
        ),
        begin
            Defs = random_schema:definitions(Model),
            codec:load(Defs),
            Wire = <<(enif_protobuf:encode(One))/binary, (enif_protobuf:encode(Other))/binary>>,
            ?FORALL(
                Changed,
                random_bytes:mutated(Wire),
                property:holds(fun() ->
                    codec:load(Defs),
                    agrees(Wire, codec:decode(Wire, element(1, One)), Donor, Defs, Count),
                    changed(iolist_to_binary(Changed), Donor, Defs),
                    true
                end)
            )
        end
    ).

changed(Wire, Donor, Defs) ->
    try codec:decode(Wire, element(1, Donor)) of
        Record -> agrees(Wire, Record, Donor, Defs, 15)
    catch
        error:{decode_error, _} -> ok
    end.
