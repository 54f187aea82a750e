//! Nesting of any depth: neither engine uses the thread's stack for it.

use protobuf_codec::{Term, decode};

use crate::support::arena::{self, Arena, Builder};
use crate::support::{Schema, schema, wire};

const DEPTH: usize = 100_000;

/// Decodes the input and checks that what comes of it is encoded as the input again.
#[track_caller]
fn both_ways(schema: &Schema, input: &[u8]) {
    let mut builder = Builder::new(input);
    let outcome = schema.decode_with(input, usize::MAX, &mut builder).expect("to decode");
    let decode::Outcome::Done(term) = outcome else { panic!("beyond a budget without end") };
    assert!(builder.made <= 10 * input.len());
    let encoded = schema.encode_with(term, usize::MAX, &builder.arena).expect("to encode").expect("no budget");
    assert!(encoded == input, "{} bytes are not the {} bytes", encoded.len(), input.len());
}

#[test]
fn messages() {
    let input = wire::nested(1, DEPTH, |_| Vec::new());
    both_ways(&schema("message M { M m = 1; int32 x = 2; }"), &input);
    both_ways(&schema("message M { repeated M m = 1; }"), &input);
    both_ways(&schema("message M { oneof c { int32 n = 2; M m = 1; } }"), &input);
    both_ways(
        &schema("message M { int32 x = 3; M m = 1; }"),
        &wire::nested(1, DEPTH, |level| wire::number(3, 1 + level as u64)),
    );
}

#[test]
fn groups() {
    let input = [vec![0x0b; DEPTH], vec![0x0c; DEPTH]].concat();
    both_ways(&schema("message M { group G = 1 { group G2 = 1 { unknowns; } } }"), &input);
    both_ways(&schema("message M { unknowns; }"), &input);
    assert_eq!(schema("message M { }").decode_bytes(&input), "{M}", "passed over");
}

#[test]
fn entries_of_maps() {
    let schema = schema("message M { map<int32,M> f = 1; }");
    let mut reversed = Vec::new();
    for _ in 0..DEPTH {
        // {key: 1, value: what there is}
        let value: Vec<u8> = wire::varint(reversed.len() as u64).into_iter().rev().collect();
        reversed.extend(value);
        reversed.extend([0x12, 0x01, 0x08]);
        let entry: Vec<u8> = wire::varint(reversed.len() as u64).into_iter().rev().collect();
        reversed.extend(entry);
        reversed.push(0x0a);
    }
    reversed.reverse();
    both_ways(&schema, &reversed);
}

#[test]
fn lists_of_octets() {
    for schema in [schema("message M { string s = 1; }"), schema("message M { string s = 1; }").with_utf8()] {
        let mut arena = Arena::default();
        let nil = arena::constants().nil;
        // [[[... 97], 97], 97]
        let octet = arena.integer_term(97);
        let nested = (0..DEPTH).fold(nil, |inner, _| {
            let elements: &[Term] = if inner == nil { &[octet] } else { &[inner, octet] };
            arena.list_term(elements, nil)
        });
        let record = arena.tuple_term(&[arena::name("M"), nested]);
        let encoded = schema.encode_with(record, usize::MAX, &arena).expect("to encode").expect("no budget");
        assert!(encoded == wire::delimited(1, &[97; DEPTH]));
    }
}

/// The paths of a failure so many messages down, from decoding and from encoding.
fn paths_of_a_failure(depth: usize) -> [String; 2] {
    let schema = schema("message M { M m = 1; }");
    let mut input = wire::nested(1, depth, |_| Vec::new());
    // The innermost message is given a byte that it does not have.
    *input.last_mut().expect("a length") = 1;
    let decoding = schema.decode_value(&input).err().expect("an error");
    assert_eq!(decoding.offset, input.len() - 2);

    let mut arena = Arena::default();
    let name = arena::name("M");
    let record = (0..depth).fold(name, |inner, _| arena.tuple_term(&[name, inner]));
    let encoding = schema.encode_with(record, usize::MAX, &arena).expect_err("an error");
    [decoding.path, encoding.path]
}

#[test]
fn the_path_of_a_failure_is_told_whole_up_to_sixteen_names() {
    let longest = format!("M{}", ".m".repeat(15));
    assert_eq!(paths_of_a_failure(15), [longest.clone(), longest]);
}

#[test]
fn of_a_longer_path_the_names_in_the_middle_are_counted_only() {
    for depth in [16, 17, DEPTH] {
        let ends = format!("M.m.m.m.m.m.m.m...({} more)...m.m.m.m.m.m.m.m", depth - 15);
        assert_eq!(paths_of_a_failure(depth), [ends.clone(), ends]);
    }
}

#[test]
fn a_oneof_and_an_entry_of_a_map_add_two_names_each() {
    let schema = schema("message M { oneof c { M m = 1; int32 n = 2; } map<int32,M> f = 3; }");
    // f { value { m { m { m { m { m { m { n: (cut) } } } } } } } }
    assert_eq!(
        schema.decode("1a 10 12 0e 0a 0c 0a 0a 0a 08 0a 06 0a 04 0a 02 10 80"),
        "Truncated at 16 in M.f.value.c.m.c.m.c...(1 more)...c.m.c.m.c.m.c.n"
    );
    let record = (0..6).fold("{M,{n,wrong},[]}".to_string(), |inner, _| format!("{{M,{{m,{inner}}},[]}}"));
    assert_eq!(
        schema.encode(&format!("{{M,undefined,[{{1,{record}}}]}}")),
        "BadInteger(Int32) for wrong in M.f.value.c.m.c.m.c...(1 more)...c.m.c.m.c.m.c.n"
    );
}
