%% A second opinion: Python's protobuf takes our bytes for what we meant by them, and we its.
%% ENIF_PROTOBUF_ORACLE=none leaves these tests out, for a machine that cannot have it.
-module(oracle_tests).

-include_lib("proper/include/proper.hrl").
-include_lib("eunit/include/eunit.hrl").

-export([
    prop_the_oracle_reads_what_we_write/1,
    prop_we_read_what_the_oracle_writes/1,
    prop_concatenated_messages_mean_the_same/1,
    prop_streams_mean_the_same/1,
    prop_both_refuse_the_same/1
]).

oracle_test_() ->
    case os:getenv("ENIF_PROTOBUF_ORACLE") of
        "none" -> [];
        _ -> {timeout, 600, {setup, fun oracle:start/0, fun stop/1, fun properties/1}}
    end.

stop(Oracle) ->
    codec:options(false, false),
    oracle:stop(Oracle).

properties(Oracle) ->
    [
        {atom_to_list(Name), {timeout, 300, fun() -> ?assert(property:check(?MODULE:Name(Oracle), tests())) end}}
     || {Name, 1} <- ?MODULE:module_info(exports), lists:prefix("prop_", atom_to_list(Name))
    ].

%% More of them on wish.
tests() -> list_to_integer(os:getenv("ENIF_PROTOBUF_ORACLE_TESTS", "400")).

load(Oracle, Model) ->
    Defs = random_schema:definitions(Model),
    codec:load(Defs),
    ok = oracle:schema(Oracle, random_schema:proto(Model)),
    record_form:index(Defs).

schema_and(What, Generator) ->
    ?LET(Model, random_schema:model(What), {Model, random_schema:short(8, Generator(Model))}).

record(Model) -> {random_schema:record(Model), range(0, 1000)}.

prop_the_oracle_reads_what_we_write(Oracle) ->
    ?FORALL(
        {Model, Records},
        schema_and(all, fun record/1),
        property:agree(fun() ->
            Index = load(Oracle, Model),
            codec:options(false, true),
            Wires = [codec:encode(loosened:record(Record, Index, Choice)) || {Record, Choice} <- Records],
            {
                [{ok, record_form:text(Record, Index)} || {Record, _} <- Records],
                [oracle:decode(Oracle, random_schema:top(), Wire) || Wire <- Wires]
            }
        end)
    ).

prop_we_read_what_the_oracle_writes(Oracle) ->
    ?FORALL(
        {Model, Records},
        schema_and(all, fun record/1),
        property:agree(fun() ->
            Index = load(Oracle, Model),
            {
                [record_form:comparable(written_by(Oracle, Record, Index), Index) || {Record, _} <- Records],
                [record_form:comparable(Record, Index) || {Record, _} <- Records]
            }
        end)
    ).

written_by(Oracle, Record, Index) ->
    {ok, Wire} = oracle:encode(Oracle, random_schema:top(), record_form:text(Record, Index)),
    codec:decode(Wire, random_schema:top()).

prop_concatenated_messages_mean_the_same(Oracle) ->
    ?FORALL(
        {Model, Records},
        schema_and(all, fun record/1),
        property:agree(fun() ->
            Index = load(Oracle, Model),
            Wire = iolist_to_binary([codec:encode(Record) || {Record, _} <- Records]),
            {ours(Wire, Index), oracle:decode(Oracle, random_schema:top(), Wire)}
        end)
    ).

prop_streams_mean_the_same(Oracle) ->
    ?FORALL(
        {Model, Records},
        schema_and(all, fun record/1),
        property:agree(fun() ->
            Index = load(Oracle, Model),
            codec:options(false, true),
            Texts = [iolist_to_binary(record_form:text(Record, Index)) || {Record, _} <- Records],
            Ours = iolist_to_binary([enif_protobuf:encode_delimited(Record) || {Record, _} <- Records]),
            Theirs = oracle:encode_stream(Oracle, random_schema:top(), Texts),
            Read = fun(Record, Acc) -> [iolist_to_binary(record_form:text(Record, Index)) | Acc] end,
            {Reversed, <<>>} = enif_protobuf:fold_delimited(Read, [], Theirs, random_schema:top(), []),
            {
                {Texts, Texts},
                {oracle:decode_stream(Oracle, random_schema:top(), Ours), lists:reverse(Reversed)}
            }
        end)
    ).

%% Changed bytes are refused by both, or mean the same to both.
prop_both_refuse_the_same(Oracle) ->
    ?FORALL(
        {Model, Wires},
        schema_and(undisputed, fun changed/1),
        property:agree(fun() ->
            Index = load(Oracle, Model),
            Both = [{ours(Wire, Index), theirs(Oracle, Wire)} || Wire <- Wires],
            lists:unzip(Both)
        end)
    ).

changed(Model) ->
    Changed = ?LET(Record, random_schema:record(Model), begin
        codec:load(random_schema:definitions(Model)),
        random_bytes:mutated(codec:encode(Record))
    end),
    frequency([{3, Changed}, {1, random_bytes:fields()}]).

ours(Wire, Index) ->
    try
        {ok, record_form:text(codec:decode(Wire, random_schema:top()), Index)}
    catch
        error:{decode_error, _} -> refused
    end.

theirs(Oracle, Wire) ->
    case oracle:decode(Oracle, random_schema:top(), Wire) of
        {ok, Text} -> {ok, Text};
        {error, _} -> refused
    end.
