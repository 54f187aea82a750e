%% Protocol Buffers as a NIF: gpb's records to protobuf's bytes and back.
-module(enif_protobuf).

-export([
    load_cache/1,
    load_proto/1,
    load_proto/2,
    proto_defs/2,
    purge_cache/0,
    set_opts/1,
    encode/1,
    decode/2,
    encode_msg/2,
    decode_msg/3,
    debug_term/1
]).
-export([format_error/2]).

-on_load(init/0).

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
%% is at fault (0 where none is), and a sentence for a person. No result is a list, so one test tells them apart.

load_cache(Defs) ->
    case load_cache_nif(Defs) of
        ok -> ok;
        [Reason | Cause] -> erlang:error(Reason, [Defs], error_info(Cause))
    end.

load_proto(Files) ->
    load_proto(Files, []).

load_proto(Files, Opts) ->
    case proto_defs_nif(Files, Opts) of
        {ok, Defs} -> load_cache(Defs);
        {error, Reason} -> erlang:error(Reason, [Files, Opts]);
        [Reason | Cause] -> erlang:error(Reason, [Files, Opts], error_info(Cause))
    end.

proto_defs(Files, Opts) ->
    case proto_defs_nif(Files, Opts) of
        [Reason | Cause] -> erlang:error(Reason, [Files, Opts], error_info(Cause));
        Result -> Result
    end.

set_opts(Opts) ->
    case set_opts_nif(Opts) of
        ok -> ok;
        [Reason | Cause] -> erlang:error(Reason, [Opts], error_info(Cause))
    end.

encode(Record) ->
    case encode_nif(Record) of
        [Reason | Cause] -> erlang:error(Reason, [Record], error_info(Cause));
        Binary -> Binary
    end.

decode(Binary, MsgName) ->
    case decode_nif(Binary, MsgName) of
        %% What could not be decoded goes into no log.
        [{decode_error, _} = Reason | Cause] -> erlang:error(Reason, none, error_info(Cause));
        [Reason | Cause] -> erlang:error(Reason, [Binary, MsgName], error_info(Cause));
        Record -> Record
    end.

encode_msg(Record, Defs) ->
    ok = load_cache(Defs),
    encode(Record).

decode_msg(Binary, MsgName, Defs) ->
    ok = load_cache(Defs),
    decode(Binary, MsgName).

error_info(Cause) ->
    [{error_info, #{cause => Cause}}].

format_error(_Reason, [{?MODULE, _Function, _Arguments, Info} | _]) ->
    case proplists:get_value(error_info, Info) of
        #{cause := [0, Sentence]} -> #{general => Sentence};
        #{cause := [Argument, Sentence]} -> #{Argument => Sentence};
        _ -> #{}
    end.

load_cache_nif(_Defs) -> erlang:nif_error(not_loaded).
proto_defs_nif(_Files, _Opts) -> erlang:nif_error(not_loaded).
purge_cache() -> erlang:nif_error(not_loaded).
set_opts_nif(_Opts) -> erlang:nif_error(not_loaded).
encode_nif(_Record) -> erlang:nif_error(not_loaded).
decode_nif(_Binary, _MsgName) -> erlang:nif_error(not_loaded).
debug_term(_Term) -> erlang:nif_error(not_loaded).
