//! Groups: delimited by tags instead of a length.

use crate::support::schema;

#[test]
fn groups_go_both_ways() {
    let schema = schema(
        "message M { optional group G = 1 { optional int32 a = 2; repeated group H = 3 { optional int32 b = 4; } }
         optional int32 y = 5; }",
    );
    schema.both_ways("{M,undefined,undefined}", "");
    schema.both_ways("{M,{G,undefined,[]},7}", "0b 0c 28 07");
    schema.both_ways("{M,{G,1,[{H,2},{H,undefined}]},7}", "0b 10 01 1b 20 02 1c 1b 1c 0c 28 07");
}

#[test]
fn a_singular_group_that_comes_twice_is_merged() {
    let schema = schema(
        "message M { optional group G = 1 { optional int32 a = 2; repeated group H = 3 { optional int32 b = 4; } }
         optional int32 y = 5; }",
    );
    let input = "0b 10 01 1b 20 02 1c 0c 0b 1b 20 03 1c 0c 28 07";
    assert_eq!(schema.decode(input), "{M,{G,1,[{H,2},{H,3}]},7}");
}

#[test]
fn groups_of_large_numbers_end_with_their_own_tag() {
    let schema = schema("message M { group G = 16 { group G2 = 536870911 { int32 x = 1; } } }");
    schema.both_ways("{M,{G,{G2,5}}}", "83 01 fb ff ff ff 0f 08 05 fc ff ff ff 0f 84 01");
    assert_eq!(
        schema.decode("83 01 84 01 83 01 fb ff ff ff 0f fc ff ff ff 0f 84 81 00"),
        "{M,{G,{G2,0}}}",
        "also padded"
    );
}

#[test]
fn groups_and_messages_hold_each_other() {
    let schema = schema("message M { group G = 1 { M m = 2; int32 x = 3; } int32 y = 4; }");
    schema.both_ways("{M,{G,{M,{G,undefined,5},6},0},7}", "0b 12 06 0b 18 05 0c 20 06 0c 20 07");
}

#[test]
fn a_group_does_not_reach_beyond_the_message_that_it_is_in() {
    let schema = schema("message M { group G = 1 { M m = 2; } }");
    assert_eq!(schema.decode("0b 12 01 0b 0c 0c"), "Truncated at 4 in M.g.m.g");
    assert_eq!(schema.decode("0b 12 01 0c 0c"), "UnexpectedEndGroup at 3 in M.g.m");
}

#[test]
fn a_group_within_a_group_of_the_same_number() {
    let schema = schema("message M { group G = 1 { group H = 1 { int32 x = 2; } } }");
    schema.both_ways("{M,{G,{H,5}}}", "0b 0b 10 05 0c 0c");
}

#[test]
fn a_message_field_that_comes_as_a_group_is_unknown_and_the_other_way_round() {
    let schema = schema("message M { S s = 1; group G = 2 { int32 x = 1; } unknowns; } message S { int32 x = 1; }");
    assert_eq!(
        schema.decode("0b 08 05 0c 12 02 08 06"),
        "{M,undefined,undefined,[{group,1,[{varint,1,5}]},{length_delimited,2,<<8,6>>}]}"
    );
}

#[test]
fn a_delimited_message_is_written_like_a_group() {
    let schema = schema(
        "message M { delimited S s = 1; repeated delimited S r = 2; oneof o { delimited S t = 3; } S p = 4; unknowns; }
         message S { int32 x = 1; optional delimited M m = 2; }",
    );
    schema.both_ways(
        "{M,{S,5,undefined},[{S,6,undefined},{S,0,undefined}],{t,{S,7,undefined}},{S,8,undefined},[]}",
        "0b 08 05 0c 13 08 06 14 13 14 1b 08 07 1c 22 02 08 08",
    );
    schema.both_ways("{M,{S,0,{M,undefined,[],undefined,undefined,[]}},[],undefined,undefined,[]}", "0b 13 14 0c");
    assert_eq!(
        schema.decode("0b 08 05 0c 0a 02 08 06"),
        "{M,{S,5,undefined},[],undefined,undefined,[{length_delimited,1,<<8,6>>}]}",
        "with a length it is unknown"
    );
}
