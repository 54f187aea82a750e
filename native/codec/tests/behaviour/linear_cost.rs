//! Inputs made to be expensive cost no more than their length: counted in terms made and questions asked, not in time.

use crate::support::arena::{Arena, Builder};
use crate::support::value::{self, Value};
use crate::support::{Schema, schema, wire};

/// Checks that inputs of two sizes are decoded at most at this many terms to a byte.
#[track_caller]
fn linear(schema: &Schema, terms_to_a_byte: usize, input: impl Fn(usize) -> Vec<u8>) {
    for count in [1_000, 10_000] {
        let input = input(count);
        let made = schema.terms_made(&input);
        assert!(made <= terms_to_a_byte * input.len() + 100, "{made} terms from {} bytes", input.len());
    }
}

const MERGED: &str =
    "message M { S s = 1; repeated int32 a = 2; repeated S b = 3; oneof c { S x = 4; S y = 5; int32 z = 6; }
     map<uint32,uint32> f = 7; unknowns; } message S { repeated int32 r = 1; S s = 2; map<uint32,uint32> f = 3; }";

#[test]
fn a_singular_message_with_repeated_fields_many_times() {
    let schema = schema(MERGED);
    linear(&schema, 1, |count| wire::delimited(1, &wire::number(1, 1)).repeat(count));
    linear(&schema, 1, |count| wire::delimited(1, &wire::delimited(2, &wire::number(1, 1))).repeat(count));
    linear(&schema, 1, |count| wire::delimited(1, &[]).repeat(count));
    let entry = wire::delimited(3, &[wire::number(1, 1), wire::number(2, 2)].concat());
    linear(&schema, 1, |count| wire::delimited(1, &entry).repeat(count));
}

#[test]
fn messages_that_come_twice_at_each_of_many_levels() {
    // Merging by reading both again and putting them together would double the work at each level.
    let schema = schema("message M { M m = 1; repeated int32 r = 2; }");
    for depth in [30, 3_000] {
        let doubled =
            wire::nested(1, depth, |_| [wire::delimited(1, &wire::number(2, 1)), wire::number(2, 2)].concat());
        let made = schema.terms_made(&doubled);
        assert!(made <= 2 * doubled.len(), "{made} terms from {} bytes", doubled.len());
    }
}

#[test]
fn repeated_fields_in_turns() {
    let schema = schema(MERGED);
    linear(&schema, 3, |count| [wire::number(2, 1), wire::delimited(3, &[])].concat().repeat(count));
    linear(&schema, 4, |count| [wire::number(2, 1), wire::number(9, 1), wire::group(9, &[])].concat().repeat(count));
    let entry = wire::delimited(7, &[wire::number(1, 1), wire::number(2, 2)].concat());
    linear(&schema, 2, |count| [wire::number(2, 1), entry.clone()].concat().repeat(count));
}

#[test]
fn members_of_a_oneof_in_turns() {
    let schema = schema(MERGED);
    let member = |number| wire::delimited(number, &wire::delimited(2, &wire::number(1, 1)));
    linear(&schema, 3, |count| [member(4), member(5)].concat().repeat(count));
    linear(&schema, 3, |count| [member(4), wire::number(6, 1)].concat().repeat(count));
    let empty = |number| wire::delimited(number, &[]);
    linear(&schema, 3, |count| [empty(4), empty(5)].concat().repeat(count));
}

#[test]
fn packed_blocks_in_small_pieces() {
    let schema = schema("message M { packed int32 a = 1; packed int32 b = 2; }");
    linear(&schema, 2, |count| wire::bytes("0a 00 12 00").repeat(count));
    linear(&schema, 2, |count| wire::bytes("0a 01 05 12 01 06").repeat(count));
}

#[test]
fn maps_of_many_keys_and_of_one_key_many_times() {
    let schema = schema(MERGED);
    let entry = |key| wire::delimited(7, &[wire::number(1, key), wire::number(2, 1)].concat());
    linear(&schema, 2, |count| (0..count as u64).flat_map(entry).collect());
    linear(&schema, 2, |count| entry(5).repeat(count));
    // With a comparison of every key with every other this would not end soon.
    let many: Vec<u8> = (0..200_000).flat_map(entry).collect();
    assert!(schema.terms_made(&many) <= 2 * many.len());
    let maps_in_turns = [entry(1), wire::delimited(1, &wire::bytes("1a 04 08 01 10 02"))].concat().repeat(20_000);
    assert!(schema.terms_made(&maps_in_turns) <= 2 * maps_in_turns.len());
}

#[test]
fn encoding_asks_no_more_than_in_proportion_to_the_record() {
    let schema =
        schema("message M { repeated M m = 1; packed int32 r = 2; string s = 3; map<int32,M> f = 4; unknowns; }");
    let leaf = r#"{M,[],[1,2],<<"a">>,[],[]}"#;
    for count in [1_000, 10_000] {
        let messages = [leaf].repeat(count).join(",");
        let record = format!("{{M,[{messages}],[],[97,[98,[99]]],[{{1,{leaf}}}],[{{group,9,[{{varint,8,1}}]}}]}}");
        let mut arena = Arena::default();
        let term = arena.put(&value::parse(&record));
        let encoded = schema.encode_with(term, usize::MAX, &arena);
        assert!(encoded.is_ok_and(|bytes| bytes.is_some()));
        assert!(arena.questions() <= 20 * count + 100, "{} questions", arena.questions());
    }
}

#[test]
fn a_failure_costs_no_more_than_a_success() {
    let schema = schema(MERGED);
    let mut input = wire::delimited(1, &wire::delimited(2, &wire::number(1, 1))).repeat(10_000);
    input.push(0x0f);
    let mut builder = Builder::new(&input);
    assert!(schema.decode_with(&input, usize::MAX, &mut builder).is_err());
    assert!(builder.made <= input.len());
}

#[test]
fn a_list_in_a_list_many_times_is_walked_once() {
    let schema = schema("message M { bytes b = 1; }");
    let mut arena = Arena::default();
    let element = value::list(vec![value::integer(1), value::list(Vec::new())]);
    let term = arena.put(&Value::Tuple(vec![value::name("M"), value::list(vec![element; 10_000])]));
    let encoded = schema.encode_with(term, usize::MAX, &arena);
    assert_eq!(encoded.ok().flatten().map(|bytes| bytes.len()), Some(1 + 2 + 10_000));
    assert!(arena.questions() <= 200_000, "{} questions", arena.questions());
}
