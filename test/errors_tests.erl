%% What is raised: its shape, and the sentence that the shell prints with it.
-module(errors_tests).

-include_lib("eunit/include/eunit.hrl").

-import(wire_bytes, [hex/1, len/2, int/2]).

defs() ->
    schema_terms:proto3([
        {msg, 'Person', [
            {name, 1, string},
            {phones, 2, {msg, 'Person.Phone'}, repeated},
            {best, 3, {msg, 'Person.Phone'}}
        ]},
        {msg, 'Person.Phone', [{number, 1, int32}, {by, 2, {map, string, int32}}, {ns, 3, fixed32, repeated}]}
    ]).

%% {Title, bytes, reason, path, offset}: the offset counts from the start of the input, and is that of the field's tag.
decode_errors() ->
    [
        {"a cut varint", [len(1, "x"), hex("18 80")], truncated, any, any},
        {"a string past the end", hex("0a 05 61"), truncated, "Person.name", 0},
        {"the same behind another field", [len(1, "x"), hex("0a 05 61")], truncated, "Person.name", 3},
        {"a cut number in a repeated message", [len(1, "x"), len(2, []), len(2, hex("08 80"))], truncated,
            "Person.phones.number", 7},
        {"a cut number in a message", len(3, hex("08 80")), truncated, "Person.best.number", 2},
        {"a cut value of a map", len(3, len(2, hex("0a 01 61 10 80"))), truncated, "Person.best.by.value", any},
        {"a ragged block", len(3, len(3, hex("01 00 00 00 02"))), any, "Person.best.ns", any},
        {"field number 0", hex("00 01"), any, any, 0},
        {"wire type 6", [len(1, "x"), hex("0e")], any, any, 3},
        {"an end of a group", [len(1, "x"), hex("0c")], any, any, 3},
        {"eleven bytes", [8, 128, hex("80 80 80 80 80 80 80 80 80 80 00")], any, any, any}
    ].

decode_error_test_() ->
    {setup, fun() -> codec:load(defs()) end, [
        {Title, fun() ->
            {error, {decode_error, Details}, _} = caught(fun() -> codec:decode(Wire, 'Person') end),
            ?assertEqual([message, offset, path, reason], lists:sort(maps:keys(Details))),
            #{message := Message, path := GivenPath, offset := GivenOffset, reason := GivenReason} = Details,
            ?assertEqual('Person', Message),
            ?assert(is_atom(GivenReason)),
            ?assertEqual(or_any(Reason, GivenReason), GivenReason),
            ?assertEqual(or_any(Path, GivenPath), GivenPath),
            ?assert(lists:prefix("Person", GivenPath)),
            ?assertEqual(or_any(Offset, GivenOffset), GivenOffset),
            ?assert(GivenOffset >= 0 andalso GivenOffset =< iolist_size(Wire))
        end}
     || {Title, Wire, Reason, Path, Offset} <- decode_errors()
    ]}.

or_any(any, Given) -> Given;
or_any(Expected, _) -> Expected.

%% The input is in no part of what is raised: neither in the reason, nor in the stack, nor in the sentence.
the_input_is_not_told_test() ->
    codec:load(defs()),
    Secret = <<"correct horse battery staple">>,
    Wire = <<(len(1, Secret))/binary, 8>>,
    {error, Reason, Stack} = caught(fun() -> enif_protobuf:decode(Wire, 'Person') end),
    Text = unicode:characters_to_list(erl_error:format_exception(error, Reason, Stack)),
    Raised = unicode:characters_to_list(io_lib:format("~0p ~0w", [{Reason, Stack}, {Reason, Stack}])),
    Bytes = lists:join(",", [integer_to_list(Byte) || Byte <- binary_to_list(Secret)]),
    [
        ?assertEqual(nomatch, string:find(Where, What))
     || Where <- [Text, Raised], What <- ["battery", lists:flatten(Bytes)]
    ].

%% Every kind of error comes with a sentence, through the module's format_error/2.
sentences_test_() ->
    {foreach, fun() -> codec:load(defs()) end, [
        {Title, fun() ->
            {error, Reason, [{enif_protobuf, _, _, Info} | _] = Stack} = caught(Fun),
            ?assertMatch(#{}, proplists:get_value(error_info, Info)),
            Sentences = maps:to_list(enif_protobuf:format_error(Reason, Stack)),
            ?assertNotEqual([], Sentences),
            Text = unicode:characters_to_list(erl_error:format_exception(error, Reason, Stack)),
            [?assertNotEqual({Word, nomatch}, {Word, string:find(Text, Word)}) || Word <- Words],
            [
                begin
                    Sentence = unicode:characters_to_list(Chars),
                    ?assert(length(Sentence) > 10),
                    ?assert(lists:member($\s, Sentence)),
                    ?assertNotEqual(nomatch, string:find(Text, Sentence))
                end
             || {_, Chars} <- Sentences
            ]
        end}
     || {Title, Words, Fun} <- [
            {"no record", ["***"], fun() -> enif_protobuf:encode(a) end},
            {"no binary", ["***"], fun() -> enif_protobuf:decode(a, 'Person') end},
            {"no name", ["***"], fun() -> enif_protobuf:decode(<<>>, "Person") end},
            {"a message that is not loaded", ["Nobody"], fun() -> enif_protobuf:decode(<<>>, 'Nobody') end},
            {"a record that is not loaded", ["Nobody"], fun() -> enif_protobuf:encode({'Nobody', 1}) end},
            {"wrong type", ["Person.name"], fun() -> enif_protobuf:encode({'Person', a, [], undefined}) end},
            {"out of range", ["Person.phones.number", "int32"], fun() ->
                enif_protobuf:encode({'Person', <<>>, [{'Person.Phone', 1 bsl 40, [], []}], undefined})
            end},
            {"wrong bytes", ["Person.name"], fun() -> enif_protobuf:decode(<<10, 5>>, 'Person') end},
            {"a wrong option", ["***"], fun() -> enif_protobuf:set_opts([{with_utf8, 1}]) end},
            {"definitions that are no list", ["***"], fun() -> enif_protobuf:load_cache(a) end},
            {"wrong definitions", ["M.x"], fun() ->
                enif_protobuf:load_cache([{{msg, 'M'}, [{field, x, 0, 2, int32, optional, []}]}])
            end}
        ]
    ]}.

no_cache_sentence_test() ->
    ok = enif_protobuf:purge_cache(),
    [
        begin
            {error, cache_not_exists, Stack} = caught(Fun),
            Text = unicode:characters_to_list(erl_error:format_exception(error, cache_not_exists, Stack)),
            ?assertNotEqual(nomatch, string:find(Text, "load"))
        end
     || Fun <- [fun() -> enif_protobuf:encode({'M', 1}) end, fun() -> enif_protobuf:decode(<<>>, 'M') end]
    ].

%% Names beyond ASCII, in the sentence as well.
unicode_test() ->
    codec:load(schema_terms:proto2([{msg, '你好', [{'é', 1, int32}]}])),
    {error, Reason, Stack} = caught(fun() -> enif_protobuf:encode({'你好', x}) end),
    ?assertEqual({gpb_type_error, {{bad_integer, int32, signed, 32}, [{value, x}, {path, "你好.é"}]}}, Reason),
    Text = unicode:characters_to_list(erl_error:format_exception(error, Reason, Stack)),
    ?assertNotEqual(nomatch, string:find(Text, "你好.é")),
    {error, {decode_error, #{path := Path}}, _} = caught(fun() -> enif_protobuf:decode(<<8>>, '你好') end),
    ?assertEqual("你好.é", Path).

format_error_of_something_else_test() ->
    ?assertEqual(#{}, enif_protobuf:format_error(badarg, [{enif_protobuf, encode, [a], []}])).

%% A large value that is wrong comes back as it is, and does not take long to say.
large_wrong_value_test() ->
    codec:load(defs()),
    Large = lists:seq(1, 100000) ++ [a],
    ?assertEqual({bad_unicode_string, Large, "Person.name"}, codec:type_error({'Person', Large, [], undefined})).

%% However deep the place is, its path is short. (100 kB of groups, of which the innermost has what it cannot have.)
long_path_test() ->
    codec:load(
        schema_terms:proto2([{msg, 'M', [{g, 1, {group, 'G'}}]}, {group, 'G', [{g, 1, {group, 'G'}}, {x, 2, int32}]}])
    ),
    Depth = 100000,
    Ends = fun(Last) -> "M.g.g.g.g.g.g.g...(" ++ integer_to_list(Depth - 14) ++ " more)...g.g.g.g.g.g.g." ++ Last end,
    Wire = [binary:copy(hex("0b"), Depth), hex("10 80")],
    {error, {decode_error, Details} = Reason, Stack} = caught(fun() -> codec:decode(Wire, 'M') end),
    ?assertEqual(#{message => 'M', offset => Depth, path => Ends("x"), reason => truncated}, Details),
    Sentences = maps:values(enif_protobuf:format_error(Reason, Stack)),
    ?assert(length(lists:flatten(Sentences)) < 300),
    Record = {'M', lists:foldl(fun(_, Inner) -> {'G', Inner, 0} end, {'G', wrong, 0}, lists:seq(2, Depth))},
    ?assertEqual({{expected_msg, 'G'}, wrong, Ends("g")}, codec:type_error(Record)).

caught(Fun) ->
    try
        {value, Fun()}
    catch
        Class:Reason:Stack -> {Class, Reason, Stack}
    end.
