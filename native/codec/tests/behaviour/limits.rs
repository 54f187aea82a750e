//! What the options refuse: nesting and size, each at its edge and one beyond.

use crate::support::{schema, wire};

const NESTED: &str = "message M { M m = 1; repeated M r = 2; map<int32,M> f = 3; oneof c { M a = 4; int32 n = 5; }
    optional group G = 6 { optional M m = 1; } int32 x = 7; }";

/// Checks that the input nests so deep.
#[track_caller]
fn depth(text: &str, input: &[u8], depth: u32) {
    assert!(schema(text).with_max_depth(depth).decode_value(input).is_ok(), "deeper than {depth}");
    assert!(schema(text).decode_value(input).is_ok());
    for less in [0, depth / 2, depth - 1] {
        let error = schema(text).with_max_depth(less).decode_value(input).err().expect("too deep");
        assert_eq!(format!("{:?}", error.reason), "MaxDepth", "not deeper than {less}");
    }
}

#[test]
fn messages_and_groups_count_whatever_field_holds_them() {
    let inner = wire::number(7, 1);
    depth(NESTED, &wire::delimited(1, &[]), 1);
    depth(NESTED, &wire::delimited(1, &inner), 1);
    depth(NESTED, &wire::delimited(2, &inner), 1);
    depth(NESTED, &wire::delimited(4, &inner), 1);
    depth(NESTED, &wire::group(6, &[]), 1);
    depth(NESTED, &wire::group(6, &wire::delimited(1, &inner)), 2);
    depth(NESTED, &wire::delimited(3, &[]), 1);
    depth(NESTED, &wire::delimited(3, &wire::delimited(2, &inner)), 2);
    depth(NESTED, &wire::nested(1, 100, |_| Vec::new()), 100);
    depth(NESTED, &wire::nested(2, 100, |_| inner.clone()), 100);
}

#[test]
fn unknown_groups_count_kept_or_not() {
    let mut group = Vec::new();
    for _ in 0..50 {
        group = wire::group(9, &group);
    }
    depth(NESTED, &group, 50);
    depth(NESTED, &wire::delimited(1, &group), 51);
    depth("message M { unknowns; }", &group, 50);
    // What lies in an unknown field that is no group is not looked at.
    assert!(schema(NESTED).with_max_depth(0).decode_value(&wire::delimited(9, &[9; 50])).is_ok());
}

#[test]
fn what_comes_one_after_the_other_is_not_deep() {
    let schema = schema(NESTED).with_max_depth(2);
    let one = wire::delimited(1, &wire::delimited(2, &wire::number(7, 1)));
    let inputs = [one.clone(), wire::delimited(4, &wire::delimited(1, &[])), wire::group(9, &wire::group(9, &[]))];
    let input = [one.repeat(10), inputs.concat().repeat(10), wire::delimited(1, &wire::group(9, &[])).repeat(3)];
    assert!(schema.decode_value(&input.concat()).is_ok());
}

#[test]
fn the_error_is_at_the_message_that_is_too_deep() {
    let schema = schema(NESTED).with_max_depth(2);
    assert_eq!(schema.decode("38 01 0a 04 12 02 0a 00"), "MaxDepth at 6 in M.m.r.m");
    assert_eq!(schema.decode("0a 04 4b 4b 4c 4c"), "MaxDepth at 2 in M.m");
}

#[test]
fn a_size_is_looked_at_before_anything_is_read() {
    let text = "message M { repeated int32 r = 1; }";
    assert_eq!(schema(text).with_max_size(2).decode("08 01"), "{M,[1]}");
    assert_eq!(schema(text).with_max_size(0).decode(""), "{M,[]}");
    assert_eq!(schema(text).with_max_size(2).decode("08 01 00"), "MaxSize at 0 in M");
    assert_eq!(schema(text).with_max_size(0).decode("00"), "MaxSize at 0 in M");
}
