//! Messages without content: their records are alike, so that one stands for all of a result.

use crate::support::{Schema, schema, wire};

/// Of 200 fields.
fn wide(around: &str) -> Schema {
    let fields: String = (1..=200).map(|number| format!("int32 f{number} = {number};")).collect();
    schema(&format!("message M {{ {around} }} message W {{ {fields} }}"))
}

/// Checks that so many messages of 200 fields take no more than a few terms each, and one record together.
#[track_caller]
fn shared(around: &str, empty: &[u8]) {
    let schema = wide(around);
    let input = empty.repeat(10_000);
    let made = schema.terms_made(&input);
    assert!(made < 10 * 10_000, "{made} terms from {} bytes", input.len());
}

#[test]
fn many_empty_messages_share_a_record() {
    shared("repeated W ws = 1;", &wire::delimited(1, &[]));
    shared("repeated W ws = 1; optional W w = 2;", &[wire::delimited(1, &[]), wire::delimited(2, &[])].concat());
    shared("map<int32,W> ws = 1;", &wire::delimited(1, &[]));
    shared("map<int32,W> ws = 1;", &wire::delimited(1, &wire::delimited(2, &[])));
    shared("repeated group W2 = 1 { optional W w = 1; }", &wire::group(1, &wire::delimited(1, &[])));
    shared("oneof c { W a = 1; W b = 2; int32 n = 3; }", &[wire::delimited(1, &[]), wire::delimited(2, &[])].concat());
    shared("repeated M2 ms = 1; } message M2 { W w = 1; W v = 2;", &wire::delimited(1, &wire::delimited(2, &[])));
}

#[test]
fn many_empty_groups_share_a_record() {
    let fields: String = (1..=200).map(|number| format!("optional int32 f{number} = {number};")).collect();
    for number in [15, 16, 2048] {
        let schema = schema(&format!("message M {{ repeated group G = {number} {{ {fields} }} }}"));
        let made = schema.terms_made(&wire::group(number, &[]).repeat(10_000));
        assert!(made < 10 * 10_000, "{made} terms");
    }
}

#[test]
fn an_empty_message_changes_nothing_of_what_came_before_and_after() {
    let schema = schema(
        "message M { S s = 1; oneof c { S a = 2; S b = 3; int32 n = 4; } map<int32,S> f = 5; }
        message S { repeated int32 r = 1; string t = 2; M m = 3; group G = 4 { optional int32 x = 1; } }",
    );
    schema.both_ways(r#"{M,{S,[],<<"">>,undefined,undefined},undefined,[]}"#, "0a 00");
    let one = r#"{M,{S,[1],<<"">>,undefined,undefined},undefined,[]}"#;
    for input in ["0a 02 08 01", "0a 00 0a 02 08 01", "0a 02 08 01 0a 00", "0a 00 0a 02 08 01 0a 00"] {
        assert_eq!(schema.decode(input), one);
    }
    let member = r#"{M,undefined,{a,{S,[1],<<"">>,undefined,undefined}},[]}"#;
    for input in ["12 02 08 01", "12 00 12 02 08 01", "12 02 08 01 12 00", "1a 02 08 02 12 00 12 02 08 01"] {
        assert_eq!(schema.decode(input), member);
    }
    let empty_member = r#"{M,undefined,{b,{S,[],<<"">>,undefined,undefined}},[]}"#;
    for input in ["1a 00", "12 02 08 01 1a 00", "20 01 1a 00", "12 00 1a 00", "1a 02 08 01 12 00 1a 00"] {
        assert_eq!(schema.decode(input), empty_member);
    }
    assert_eq!(schema.decode("1a 00 20 01"), "{M,undefined,{n,1},[]}");
    let entry = r#"{M,undefined,undefined,[{7,{S,[],<<"">>,undefined,undefined}}]}"#;
    for input in ["2a 02 08 07", "2a 04 08 07 12 00", "2a 04 12 00 08 07", "2a 06 12 00 08 07 12 00"] {
        assert_eq!(schema.decode(input), entry);
    }
    let value = r#"{M,undefined,undefined,[{7,{S,[1],<<"">>,undefined,undefined}}]}"#;
    assert_eq!(schema.decode("2a 08 12 00 08 07 12 02 08 01"), value);
    let group = r#"{M,{S,[],<<"">>,undefined,{G,undefined}},undefined,[]}"#;
    assert_eq!(schema.decode("0a 02 23 24"), group);
    let set = r#"{M,{S,[],<<"">>,undefined,{G,5}},undefined,[]}"#;
    for input in ["0a 04 23 08 05 24", "0a 06 23 24 23 08 05 24", "0a 06 23 08 05 24 23 24"] {
        assert_eq!(schema.decode(input), set);
    }
}

#[test]
fn empty_strings_of_an_empty_message_look_as_the_options_say() {
    let text = "message M { repeated S s = 1; } message S { string t = 1; float f = 2; bytes b = 3; }";
    assert_eq!(schema(text).decode("0a 00 0a 00"), r#"{M,[{S,<<"">>,0.0,<<"">>},{S,<<"">>,0.0,<<"">>}]}"#);
    assert_eq!(schema(text).with_lists().decode("0a 00"), r#"{M,[{S,[],0.0,<<"">>}]}"#);
}

#[test]
fn an_empty_group_ends_with_its_own_tag_only() {
    let schema = schema("message M { optional group G = 1 { optional int32 x = 1; } }");
    assert_eq!(schema.decode("0b 14"), "UnexpectedEndGroup at 1 in M.g");
    assert_eq!(schema.decode("0b"), "Truncated at 1 in M.g");
    assert_eq!(schema.decode("0b 8c 00"), "{M,{G,undefined}}");
}
