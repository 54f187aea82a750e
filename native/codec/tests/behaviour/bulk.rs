//! Large messages of which most is one string.

use crate::support::{Schema, schema, wire};

const SCHEMA: &str = "message M { optional bytes b = 1; optional string s = 2; optional M m = 3; packed int32 p = 4;
    optional int32 n = 5; repeated bytes r = 6; }";

/// Whether little of the input is gone over.
fn is_mostly_one_value(schema: &Schema, input: &[u8]) -> bool {
    match schema.gone_over(input) {
        all if all == input.len() => false,
        little => {
            assert!(little <= 4096);
            true
        }
    }
}

#[test]
fn one_string_with_little_around_it() {
    let schema = schema(SCHEMA);
    let large = vec![b'a'; 100_000];
    let small = [wire::number(5, 1), wire::delimited(6, b"abc"), wire::delimited(3, &wire::number(5, 1))].concat();
    for field in [1, 2, 6] {
        let one = wire::delimited(field, &large);
        assert!(is_mostly_one_value(&schema, &one));
        assert!(is_mostly_one_value(&schema, &[small.clone(), one.clone()].concat()));
        assert!(is_mostly_one_value(&schema, &[one.clone(), small.clone(), small.clone()].concat()));
        assert!(!is_mostly_one_value(&schema, &one.repeat(2)), "two of them");
        assert!(!is_mostly_one_value(&schema, &[one.clone(), wire::number(5, 1).repeat(16)].concat()), "many fields");
        assert!(!is_mostly_one_value(&schema, &[one.clone(), vec![0x0f]].concat()), "a fault");
        assert!(!is_mostly_one_value(&schema, &one[..50_000]), "a part of it");
    }
    assert_eq!(schema.gone_over(&[]), 0);
    assert_eq!(schema.gone_over(&small), small.len());
    assert_eq!(schema.gone_over(&wire::delimited(1, &large)), 4);
}

#[test]
fn what_is_gone_over_is_not_one_value() {
    let large = [1; 100_000];
    for field in [3, 4, 9] {
        let one = wire::delimited(field, &large);
        assert!(!is_mostly_one_value(&schema(SCHEMA), &one), "field {field}");
    }
    assert!(!is_mostly_one_value(&schema(SCHEMA).with_lists(), &wire::delimited(2, &large)), "a list");
    assert!(is_mostly_one_value(&schema(SCHEMA).with_lists(), &wire::delimited(1, &large)), "bytes are no list");
    assert!(!is_mostly_one_value(&schema(SCHEMA), &wire::group(9, &[])), "a group");
    let little = wire::delimited(6, &[0; 1000]).repeat(5);
    assert!(!is_mostly_one_value(&schema(SCHEMA), &[wire::delimited(1, &large), little].concat()), "much around it");
}
