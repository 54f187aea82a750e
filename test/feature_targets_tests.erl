%% Features of editions that are said of fields they are not for. The answers and the places are those of protoc 35.1.
-module(feature_targets_tests).

-include_lib("eunit/include/eunit.hrl").

-import(proto_texts, [result/2, in_directory/1, write/3]).

%% What stands in a file beside the message M.
-define(OTHERS,
    "enum Open { A = 0; } enum Closed { option features.enum_type = CLOSED; B = 1; } message X { extensions 4 to 5; }"
).

file(Text) ->
    ["edition = '2023'; ", ?OTHERS, "\n", Text].

%% {What is said of it, a field called f with features that it cannot have}
refused_test_() ->
    [
        {Text, fun() ->
            {error, {proto_error, Details}} = result(file(Text), []),
            {match, [{Before, _}]} = re:run(Text, "\\bf = "),
            ?assertMatch(#{line := 2, column := Column} when Column =:= Before + 1, Details),
            ?assertMatch({_, _}, binary:match(maps:get(message, Details), list_to_binary(Part)))
        end}
     || {Part, Text} <- [
            {"default", "message M { int32 f = 1 [features.field_presence = IMPLICIT, default = 1]; }"},
            {"default", "option features.field_presence = IMPLICIT; message M { int32 f = 1 [default = 1]; }"},
            {"closed", "message M { Closed f = 1 [features.field_presence = IMPLICIT]; }"},
            {"closed", "option features.field_presence = IMPLICIT; message M { Closed f = 1; }"},
            {"extension", "extend X { int32 f = 4 [features.field_presence = EXPLICIT]; }"},
            {"extension", "message M { extend X { int32 f = 4 [features.field_presence = LEGACY_REQUIRED]; } }"},
            {"oneof", "message M { oneof o { int32 f = 1 [features.field_presence = EXPLICIT]; } }"},
            {"message", "message M { X f = 1 [features.field_presence = IMPLICIT]; }"},
            {"repeated", "message M { repeated int32 f = 1 [features.field_presence = EXPLICIT]; }"},
            {"repeated", "message M { map<int32, int32> f = 1 [features.field_presence = EXPLICIT]; }"},
            {"utf8_validation", "message M { bytes f = 1 [features.utf8_validation = NONE]; }"},
            {"utf8_validation", "message M { map<int32, bytes> f = 1 [features.utf8_validation = NONE]; }"},
            {"repeated_field_encoding", "message M { int32 f = 1 [features.repeated_field_encoding = EXPANDED]; }"},
            {"PACKED", "message M { repeated string f = 1 [features.repeated_field_encoding = PACKED]; }"},
            {"PACKED", "message M { repeated X f = 1 [features = { repeated_field_encoding: PACKED }]; }"},
            {"message_encoding", "message M { int32 f = 1 [features.message_encoding = DELIMITED]; }"},
            {"message_encoding", "message M { map<int32, X> f = 1 [features.message_encoding = DELIMITED]; }"},
            {"packed", "message M { repeated int32 f = 1 [packed = true]; }"},
            {"packed", "message M { message N { repeated int32 f = 1 [packed = false]; } }"}
        ]
    ].

accepted_test_() ->
    [
        {Text, ?_assertMatch({ok, _}, result(file(Text), []))}
     || Text <- [
            "message M { int32 f = 1 [features.field_presence = EXPLICIT, default = 1]; }",
            "message M { Open f = 1 [features.field_presence = IMPLICIT]; }",
            "option features.field_presence = IMPLICIT; message M { repeated Closed f = 1; X x = 2; }",
            "option features.message_encoding = DELIMITED; message M { map<int32, X> f = 1; int32 i = 2; }",
            "option features.repeated_field_encoding = PACKED; message M { repeated string f = 1; int32 i = 2; }",
            "option features.utf8_validation = NONE; message M { int32 f = 1; }",
            "message M { map<string, bytes> f = 1 [features.utf8_validation = NONE]; }",
            "message M { map<int32, string> f = 1 [features.utf8_validation = VERIFY]; }",
            "message M { repeated X f = 1 [features.message_encoding = DELIMITED]; }",
            "message M { X f = 1 [features.field_presence = LEGACY_REQUIRED]; }",
            "message M { repeated string f = 1 [features.repeated_field_encoding = EXPANDED]; }",
            "extend X { int32 f = 4; repeated int32 g = 5 [features.repeated_field_encoding = PACKED]; }"
        ]
    ].

%% An enum of proto2 is closed, one of proto3 is not.
enums_of_other_files_test_() ->
    Answer = fun(Dir, Syntax) ->
        write(Dir, "enum.proto", ["syntax = '", Syntax, "'; enum E { A = 0; }"]),
        Implicit = "[features.field_presence = IMPLICIT]",
        write(Dir, "m.proto", ["edition = '2023'; import 'enum.proto'; message M { E f = 1 ", Implicit, "; }"]),
        enif_protobuf:proto_defs("m.proto", [{i, Dir}])
    end,
    in_directory(fun(Dir) ->
        [
            ?_assertMatch({ok, _}, Answer(Dir, "proto3")),
            ?_assertMatch({error, {proto_error, #{file := <<"m.proto">>, column := 54}}}, Answer(Dir, "proto2"))
        ]
    end).
