%% Properties of the library by itself, over random schemas, records and bytes.
-module(properties_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([
    prop_decode_gives_back_what_was_encoded/0,
    prop_other_terms_of_the_same_meaning_give_the_same_bytes/0,
    prop_any_bytes_decode_or_are_refused/0,
    prop_changed_messages_decode_or_are_refused/0,
    prop_what_decodes_encodes_to_the_same/0,
    prop_any_term_encodes_or_is_refused/0,
    prop_concatenated_messages_merge/0
]).

properties_test_() ->
    {setup, fun() -> ok end, fun(_) -> codec:options(false, false) end, [
        {atom_to_list(Name), {timeout, 120, fun() -> ?assert(property:check(?MODULE:Name(), 2000)) end}}
     || {Name, 0} <- ?MODULE:module_info(exports), lists:prefix("prop_", atom_to_list(Name))
    ]}.

%% A schema with records of it.
schema_and(Generator) ->
    ?LET(Model, random_schema:model(), {Model, Generator(Model)}).

records(Model) -> non_empty(random_schema:short(5, random_schema:record(Model))).

load(Model) ->
    Defs = random_schema:definitions(Model),
    codec:load(Defs),
    record_form:index(Defs).

same(A, B, Index) -> record_form:comparable(A, Index) =:= record_form:comparable(B, Index).

%% For each of the list.
all(Fun, List) -> property:holds(fun() -> lists:all(Fun, List) end).

prop_decode_gives_back_what_was_encoded() ->
    ?FORALL(
        {Model, Records},
        schema_and(fun records/1),
        begin
            Index = load(Model),
            all(fun(Record) -> all(fun(Form) -> roundtrips(Form, Record, Index) end, forms()) end, Records)
        end
    ).

%% {string_as_list, with_utf8, what becomes of a string}
forms() ->
    [
        {false, false, fun(String) -> String end},
        {false, true, fun(String) -> String end},
        {true, false, fun binary_to_list/1},
        {true, true, fun unicode:characters_to_list/1}
    ].

roundtrips({AsList, Utf8, ToForm}, Record, Index) ->
    codec:options(AsList, Utf8),
    Expected = record_form:map_strings(ToForm, Record, Index),
    Wire = codec:encode(Record),
    same(Expected, codec:decode(Wire, random_schema:top()), Index) andalso codec:encode(Expected) =:= Wire.

prop_other_terms_of_the_same_meaning_give_the_same_bytes() ->
    ?FORALL(
        {{Model, Records}, Choice},
        {schema_and(fun records/1), range(0, 1000)},
        begin
            Index = load(Model),
            codec:options(false, true),
            Same = fun(Record) -> codec:encode(loosened:record(Record, Index, Choice)) =:= codec:encode(Record) end,
            all(Same, Records)
        end
    ).

byte_strings() -> random_schema:short(8, oneof([binary(), random_bytes:fields()])).

prop_any_bytes_decode_or_are_refused() ->
    ?FORALL(
        {{Model, Wires}, {AsList, Utf8, _}},
        {schema_and(fun(_) -> byte_strings() end), oneof(forms())},
        begin
            _ = load(Model),
            codec:options(AsList, Utf8),
            all(fun(Wire) -> outcome(Wire) =/= neither end, Wires)
        end
    ).

%% Encoded records with bytes changed.
wires(Model) ->
    ?LET(
        Records,
        records(Model),
        begin
            _ = load(Model),
            [random_bytes:mutated(codec:encode(Record)) || Record <- Records]
        end
    ).

prop_changed_messages_decode_or_are_refused() ->
    ?FORALL(
        {{Model, Wires}, {AsList, Utf8, _}},
        {schema_and(fun wires/1), oneof(forms())},
        begin
            _ = load(Model),
            codec:options(AsList, Utf8),
            all(fun(Wire) -> outcome(Wire) =/= neither end, Wires)
        end
    ).

outcome(Wire) ->
    try codec:decode(Wire, random_schema:top()) of
        Record when element(1, Record) =:= 'M1' -> {record, Record};
        _ -> neither
    catch
        error:{decode_error, #{offset := Offset}} when Offset =< byte_size(Wire) -> refused;
        _:_ -> neither
    end.

%% Whatever bytes decode to, encoding it gives bytes that decode to the same.
prop_what_decodes_encodes_to_the_same() ->
    ?FORALL(
        {Model, Wires},
        schema_and(fun(Model) -> ?LET({Wires, Others}, {wires(Model), byte_strings()}, Wires ++ Others) end),
        begin
            Index = load(Model),
            all(
                fun(Wire) ->
                    case outcome(Wire) of
                        {record, Record} -> same(Record, codec:decode(codec:encode(Record), 'M1'), Index);
                        refused -> true
                    end
                end,
                Wires
            )
        end
    ).

%% Records with something else in the place of a value.
prop_any_term_encodes_or_is_refused() ->
    ?FORALL(
        {{Model, Records}, Utf8},
        {
            schema_and(fun(Model) ->
                ?LET({Records, Place, Term}, {records(Model), integer(0, 1000), odd_term()}, [
                    replaced(Place, Term, Record)
                 || Record <- Records
                ])
            end),
            boolean()
        },
        begin
            _ = load(Model),
            codec:options(false, Utf8),
            all(fun encodes_or_is_refused/1, Records)
        end
    ).

encodes_or_is_refused(Record) ->
    try
        is_binary(enif_protobuf:encode(Record))
    catch
        error:{gpb_type_error, {_, [{value, _}, {path, _}]}} -> true;
        error:badarg -> not is_tuple(Record) orelse tuple_size(Record) =:= 0 orelse not is_atom(element(1, Record));
        error:Name -> Name =:= element(1, Record) andalso Name =/= random_schema:top()
    end.

odd_term() ->
    frequency([
        {3, oneof([undefined, a, true, [], {}, <<>>, <<1:3>>, 0, -1, 1.5, 1 bsl 64, -(1 bsl 70), #{}, "abc", [a]])},
        {2, oneof([{'M1'}, {'M2', 1}, {f1, 1}, [{1, 2}], [1 | 2], [{a, b} | c], [[], [<<255>>]], [16#d800], [-1]])},
        {1, term()}
    ]).

%% The term in the place that the number leads to, however deep it lies.
replaced(_, Term, []) ->
    Term;
replaced(Place, Term, Tuple) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    Size = tuple_size(Tuple),
    At = 1 + Place rem Size,
    case Place rem 3 of
        0 -> setelement(At, Tuple, Term);
        _ -> setelement(At, Tuple, replaced(Place div Size, Term, element(At, Tuple)))
    end;
replaced(Place, Term, [_ | _] = List) ->
    {Before, [Element | After]} = lists:split(Place rem length(List), List),
    case Place rem 4 of
        0 -> Before ++ [Term | After];
        1 -> Before ++ [Element | Term];
        _ -> Before ++ [replaced(Place div length(List), Term, Element) | After]
    end;
replaced(_, Term, _) ->
    Term.

%% Two messages one after the other decode to what a sub-message in two parts decodes to.
prop_concatenated_messages_merge() ->
    ?FORALL(
        {Model, {First, Second}},
        schema_and(fun(Model) -> {random_schema:record(Model), random_schema:record(Model)} end),
        begin
            Defs = random_schema:definitions(Model),
            Field = {field, m, 1, 2, {msg, random_schema:top()}, optional, []},
            codec:load(Defs ++ [{{msg, 'Outer'}, [Field]}]),
            Index = record_form:index(Defs),
            Wires = [codec:encode(First), codec:encode(Second)],
            Merged = codec:decode(Wires, random_schema:top()),
            {'Outer', Inner} = codec:decode([wire_bytes:len(1, Wire) || Wire <- Wires], 'Outer'),
            Alone = codec:decode(codec:encode(Merged), random_schema:top()),
            same(Merged, Inner, Index) andalso same(Merged, Alone, Index)
        end
    ).
