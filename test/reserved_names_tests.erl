%% Names of fields and symbols that are reserved. The answers are those of protoc 35.1, but in proto2, where gpb takes
%% them.
-module(reserved_names_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [result/2]).

-define(PROTO3, "syntax = 'proto3';\n").
-define(EDITION, "edition = '2023';\n").

refused_test_() ->
    [
        {Text, fun() ->
            {error, {proto_error, Details}} = result(Text, []),
            ?assertMatch(#{line := 2, column := Column, message := <<"the name 'f' is reserved">>}, Details)
        end}
     || {Column, Text} <- [
            {33, ?PROTO3 "message M { reserved 'f'; int32 f = 1; }"},
            {19, ?PROTO3 "message M { int32 f = 1; reserved 'e', 'f'; }"},
            {44, ?PROTO3 "message M { reserved 'f'; oneof o { string f = 1; } }"},
            {45, ?PROTO3 "message L { message M { reserved 'f'; int32 f = 1; } }"},
            {35, ?PROTO3 "enum E { reserved 'f'; FIRST = 0; f = 1; }"},
            {31, ?EDITION "message M { reserved f; int32 f = 1; }"},
            {33, ?EDITION "enum E { reserved f; FIRST = 0; f = 1; }"}
        ]
    ].

accepted_test_() ->
    [
        {Text, ?_assertMatch({ok, _}, result(Text, []))}
     || Text <- [
            "message M { reserved 'f'; optional int32 f = 1; }",
            "enum E { reserved 'f'; f = 1; }",
            ?PROTO3 "message M { reserved 'f'; int32 F = 1; message N { int32 f = 1; } }",
            ?PROTO3 "message M { reserved 'f'; oneof f { int32 g = 1; } }"
        ]
    ].
