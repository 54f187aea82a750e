%% Extensions of one message that have one number. Nothing can be encoded with such definitions; gpb writes a module for
%% them that keeps the values of one of them only.
-module(extension_numbers_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [result/2, in_directory/1, write/3]).

-define(BASE, "message M { extensions 4 to 9; }\n").

twice_in_a_file_test_() ->
    [
        {Text, fun() ->
            {error, {proto_error, Details}} = result(Text, []),
            {match, [{Place, _}]} = re:run(Text, "\\d;[ }]*$"),
            {Line, Before} = {length(string:split(Text, "\n", all)), string:rchr(string:slice(Text, 0, Place), $\n)},
            ?assertMatch(#{file := <<"given.proto">>}, Details),
            ?assertEqual({Line, Place - Before + 1}, {maps:get(line, Details), maps:get(column, Details)}),
            ?assertMatch(<<"the number ", _, " of extensions of M is that of ", _/binary>>, maps:get(message, Details))
        end}
     || Text <- [
            ?BASE "extend M { optional int32 a = 4;\noptional int32 b = 4; }",
            ?BASE "extend M { optional int32 a = 4; }\nextend M { optional int32 b = 4; }",
            ?BASE "extend M { optional int32 a = 4; }\nmessage N { message O { extend M { optional int32 a = 4; } } }",
            "edition = '2023';" ?BASE "extend M { int32 a = 5; }\nextend M { int32 b = 5; }"
        ]
    ].

twice_in_two_files_test_() ->
    in_directory(fun(Dir) ->
        write(Dir, "base.proto", ?BASE),
        write(Dir, "one.proto", "import 'base.proto'; extend M { optional int32 a = 4; }"),
        write(Dir, "two.proto", "import 'one.proto'; import 'base.proto';\nextend M { optional int32 b = 4; }"),
        ?_assertMatch(
            {error, {proto_error, #{file := <<"two.proto">>, line := 2, column := 31}}},
            enif_protobuf:proto_defs("two.proto", [{i, Dir}])
        )
    end).

other_numbers_test_() ->
    [
        ?_assertMatch({ok, _}, result([?BASE, "message N { extensions 4; }", Text], []))
     || Text <- [
            "extend M { optional int32 a = 4; optional int32 b = 5; }",
            "extend M { optional int32 a = 4; } extend N { optional int32 b = 4; }"
        ]
    ].
