//! A message that comes again is merged: the last scalar stands, repeated fields go on, messages are merged in turn.

use crate::support::{schema, wire};

#[test]
fn a_singular_message_that_comes_twice_is_merged() {
    let schema = schema(
        "message M { optional S s = 1; }
         message S { optional int32 a = 1; optional int32 b = 2; repeated int32 r = 3; }",
    );
    assert_eq!(schema.decode("0a 04 08 0a 18 01 0a 04 10 0b 18 02"), "{M,{S,10,11,[1,2]}}");
    assert_eq!(schema.decode("0a 02 08 01 0a 02 08 02"), "{M,{S,2,undefined,[]}}", "the last scalar stands");
    assert_eq!(schema.decode("0a 02 08 01 0a 00"), "{M,{S,1,undefined,[]}}", "an empty message changes nothing");
    assert_eq!(schema.decode("0a 00"), "{M,{S,undefined,undefined,[]}}");
}

#[test]
fn merging_goes_down_to_every_level() {
    let schema = schema("message M { M m = 1; repeated int32 r = 2; int32 x = 3; }");
    // Three times a message in a message in a message, each with an element at each level.
    let once = |n: u64| {
        let inner = [wire::number(2, n), wire::number(3, n)].concat();
        let middle = [wire::number(2, 10 + n), wire::delimited(1, &inner)].concat();
        let outer = [wire::delimited(1, &middle), wire::number(2, 20 + n)].concat();
        wire::delimited(1, &outer)
    };
    let input = [once(1), once(2), once(3)].concat();
    let inner = "{M,undefined,[1,2,3],3}";
    assert_eq!(schema.decode_bytes(&input), format!("{{M,{{M,{{M,{inner},[11,12,13],0}},[21,22,23],0}},[],0}}"));
}

#[test]
fn a_merge_within_a_merge_within_one_occurrence() {
    let schema = schema("message M { M m = 1; repeated int32 r = 2; }");
    // m { m { r: 1 } m { r: 2 } } m { m { r: 3 } }
    assert_eq!(schema.decode("0a 08 0a 02 10 01 0a 02 10 02 0a 04 0a 02 10 03"), "{M,{M,{M,undefined,[1,2,3]},[]},[]}");
}

#[test]
fn elements_of_repeated_fields_are_not_merged_but_what_is_in_them_is() {
    let schema = schema(
        "message M { repeated S s = 1; } message S { T t = 1; repeated T u = 2; } \
                         message T { optional int32 a = 1; optional int32 b = 2; repeated int32 r = 3; }",
    );
    let element = wire::bytes("0a 04 08 01 18 05 0a 04 10 02 18 06 12 02 08 03 12 02 10 04");
    let expected = "{S,{T,1,2,[5,6]},[{T,3,undefined,[]},{T,undefined,4,[]}]}";
    let input = wire::delimited(1, &element).repeat(3);
    assert_eq!(schema.decode_bytes(&input), format!("{{M,[{expected},{expected},{expected}]}}"));
}

#[test]
fn a_message_is_merged_over_elements_of_the_message_around_it() {
    let schema = schema(
        "message M { S s = 1; repeated int32 r = 2; repeated S t = 3; map<int32,S> f = 4; } \
                         message S { repeated int32 r = 1; repeated S s = 2; S t = 3; }",
    );
    let input = "0a 02 08 01 10 07 0a 04 08 02 12 00 1a 02 08 09 0a 04 1a 02 08 03 10 08 22 06 08 01 12 02 08 05 \
                 0a 06 1a 02 08 04 08 0a 10 09";
    assert_eq!(
        schema.decode(input),
        "{M,{S,[1,2,10],[{S,[],[],undefined}],{S,[3,4],[],undefined}},[7,8,9],[{S,[9],[],undefined}],\
         [{1,{S,[5],[],undefined}}]}"
    );
}

#[test]
fn kept_unknown_fields_of_a_merged_message_go_on() {
    let schema = schema("message M { S s = 1; } message S { unknowns; int32 x = 1; }");
    assert_eq!(
        schema.decode("0a 04 08 01 10 05 0a 06 18 06 23 28 01 24"),
        "{M,{S,[{varint,2,5},{varint,3,6},{group,4,[{varint,5,1}]}],1}}"
    );
}

#[test]
fn maps_of_a_merged_message_go_on() {
    let schema = schema("message M { S s = 1; } message S { map<int32,int32> f = 1; }");
    let input = "0a 06 0a 04 08 01 10 01 0a 0c 0a 04 08 02 10 02 0a 04 08 01 10 03";
    assert_eq!(schema.decode(input), "{M,{S,[{2,2},{1,3}]}}");
}

#[test]
fn messages_of_several_fields_are_merged_in_turns() {
    let schema = schema("message M { S a = 1; S b = 2; } message S { repeated int32 r = 1; S s = 2; }");
    let input = "0a 02 08 01 12 02 08 02 0a 04 12 02 08 03 12 04 12 02 08 04 0a 02 08 05 12 02 08 06 0a 04 12 02 08 07";
    assert_eq!(schema.decode(input), "{M,{S,[1,5],{S,[3,7],undefined}},{S,[2,6],{S,[4],undefined}}}");
}
