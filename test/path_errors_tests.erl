%% What get/4 and set/5 say of bytes that are wrong is what decoding all of them says: the field, by its path from the
%% message that was asked for, and where it begins.
-module(path_errors_tests).

-include_lib("eunit/include/eunit.hrl").

defs() ->
    schema_terms:proto2([
        {msg, 'M', [
            {n, 1, int32},
            {sub, 2, {msg, 'M'}},
            {list, 3, {msg, 'M'}, repeated},
            {numbers, 5, {map, sint64, {msg, 'M'}}},
            {packed, 7, fixed32, repeated, [packed]},
            {s, 8, string},
            {grp, 9, {group, 'G'}},
            {oneof, o, [{x, 10, int32}, {y, 11, {msg, 'M'}}]}
        ]},
        {group, 'G', [{n, 1, int32}, {inner, 2, {group, 'G'}}]}
    ]).

failure(Call) ->
    try
        {no_failure, Call()}
    catch
        error:{decode_error, What} -> What
    end.

%% The path, and the field of the error.
cases() ->
    [
        {[sub, sub, n], "M.sub.sub.n", [18, 3, 18, 1, 8]},
        {[list, 2, n], "M.list.n", [26, 0, 26, 1, 8]},
        {[y, s], "M.o.y.s", [90, 1, 66]},
        {[y, packed, 1], "M.o.y.packed", [80, 1, 90, 5, 58, 3, 1, 2, 3]},
        {[numbers, 1, n], "M.numbers.value.n", [42, 5, 8, 2, 18, 1, 8]},
        %% Behind messages that are all right, and in one that says that it is longer than it is.
        {[sub, n], "M.sub.n", [18, 2, 8, 1, 26, 0, 75, 8, 1, 76, 18, 2, 8, 200]},
        {[n], "M.list", [18, 0, 26, 9, 8, 1]},
        {[n], "M.sub", [18, 0, 18, 1]},
        %% In what has no name.
        {[sub, n], "M.sub", [18, 2, 160, 6]},
        {[n], "M", [7]}
    ].

errors_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        begin
            Bytes = list_to_binary(Wire),
            Read = fun() -> enif_protobuf:get(Bytes, 'M', Path) end,
            Set = fun() -> enif_protobuf:set(Bytes, 'M', Path, 1) end,
            fun() ->
                #{path := Field} = Expected = failure(fun() -> enif_protobuf:decode(Bytes, 'M') end),
                ?assertEqual([Expected, Expected], [failure(Read), failure(Set)])
            end
        end
     || {Path, Field, Wire} <- cases()
    ]}.

%% What is found is decoded: there it is the same, also where it is put together of pieces first.
values_test_() ->
    Checked = [{utf8, checked}],
    Bad = [66, 1, 255],
    {setup, fun() -> codec:load(defs()) end, [
        fun() ->
            Bytes = iolist_to_binary(Wire),
            #{path := Field} = Expected = failure(fun() -> enif_protobuf:decode(Bytes, 'M', Checked) end),
            ?assertEqual(Expected, failure(fun() -> enif_protobuf:get(Bytes, 'M', Path, Checked) end))
        end
     || {Path, Field, Wire} <- [
            {[s], "M.s", Bad},
            {[sub, sub, s], "M.sub.sub.s", [18, 5, 18, 3, Bad]},
            {[sub, sub], "M.sub.sub.s", [18, 5, 18, 3, Bad]},
            {[sub], "M.sub.s", [18, 3, Bad]},
            {[list], "M.list.s", [26, 0, 8, 1, 26, 3, Bad]},
            {[list, 2], "M.list.s", [26, 0, 8, 1, 26, 3, Bad]},
            {[numbers, 1], "M.numbers.value.s", [42, 7, 8, 2, 18, 3, Bad]},
            {[numbers, 1, s], "M.numbers.value.s", [42, 7, 8, 2, 18, 3, Bad]},
            {[y], "M.o.y.s", [80, 1, 90, 3, Bad]},
            {[sub, sub], "M.sub.sub.s", [18, 5, 18, 3, Bad, 8, 1, 18, 4, 18, 2, 8, 1]},
            {[sub, sub], "M.sub.sub.s", [18, 4, 18, 2, 8, 1, 8, 1, 18, 5, 18, 3, Bad]},
            {[sub], "M.sub.s", [18, 0, 8, 1, 18, 5, 8, 1, Bad]}
        ]
    ]}.

%% Too large is all of it.
max_size_test() ->
    codec:load(defs()),
    Opts = [{max_size, 1}],
    Expected = failure(fun() -> enif_protobuf:decode(<<8, 1>>, 'M', Opts) end),
    ?assertEqual(Expected, failure(fun() -> enif_protobuf:get(<<8, 1>>, 'M', [n], Opts) end)),
    ?assertEqual(Expected, failure(fun() -> enif_protobuf:set(<<8, 1>>, 'M', [n], 1, Opts) end)).
