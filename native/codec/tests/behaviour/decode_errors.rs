//! What is wrong with bytes: the reason, the offset of the field at fault, and the path that leads to it.

use crate::support::{schema, wire};

const WIDE: &str = "message M { int32 a = 1; string s = 2; M m = 3; repeated M r = 4; map<string,M> f = 5;
     oneof c { M x = 6; int32 y = 7; } optional group G = 8 { fixed32 h = 1; M m = 2; } packed fixed64 p = 9;
     repeated fixed32 q = 10; packed int32 v = 11; double d = 12; float e = 13; }";

#[test]
fn input_that_ends_too_early() {
    let schema = schema(WIDE);
    for (input, path) in [
        ("08", "M.a"),
        ("08 80", "M.a"),
        ("08 ff ff ff ff ff ff ff ff ff", "M.a"),
        ("12", "M.s"),
        ("12 02 61", "M.s"),
        ("12 80", "M.s"),
        ("1a 01", "M.m"),
        ("4a 08 00 00 00 00", "M.p"),
        ("5a 01 80", "M.v"),
        ("5a 02 01", "M.v"),
        ("61 00 00 00 00 00 00 00", "M.d"),
        ("6d 00 00 00", "M.e"),
        ("55 00 00 00", "M.q"),
        ("52 04 00 00 00", "M.q"),
        ("80", "M"),
        ("80 80 80 80", "M"),
        ("f0 01", "M"),
        ("f1 01 00 00 00 00 00 00 00", "M"),
        ("f2 01 01", "M"),
        ("f5 01 00 00 00", "M"),
        ("f3 01", "M"),
        ("f3 01 08 01 f3 01 f4 01", "M"),
    ] {
        assert_eq!(schema.decode(input), format!("Truncated at 0 in {path}"), "{input}");
        // The same behind another field, and in a message.
        let behind = format!("08 05 {input}");
        assert_eq!(schema.decode(&behind), format!("Truncated at 2 in {path}"), "{behind}");
        let within = [wire::delimited(3, &wire::bytes(&behind)), wire::bytes("08 01 08 01 08 01 08 01 08 01")].concat();
        assert_eq!(
            schema.decode_bytes(&within),
            format!("Truncated at 4 in {}", path.replacen('M', "M.m", 1)),
            "{input}"
        );
    }
}

#[test]
fn a_group_that_is_not_ended() {
    let schema = schema(WIDE);
    assert_eq!(schema.decode("43"), "Truncated at 1 in M.g");
    assert_eq!(schema.decode("43 0d 01 00 00 00"), "Truncated at 6 in M.g");
    assert_eq!(schema.decode("43 0d 01 00 00"), "Truncated at 1 in M.g.h");
    assert_eq!(schema.decode("1a 01 43 44"), "Truncated at 3 in M.m.g");
}

#[test]
fn lengths_beyond_what_is_left_whatever_their_bits() {
    let schema = schema(WIDE);
    for length in [
        "02",
        "ff ff ff ff 07",
        "81 80 80 80 10",
        "ff ff ff ff 0f",
        "ff ff ff ff ff ff ff ff 7f",
        "81 80 80 80 80 80 80 80 80 01",
        "ff ff ff ff ff ff ff ff ff 01",
        "81 80 80 80 80 80 80 80 80 02",
    ] {
        for (tag, path) in [("12", "M.s"), ("1a", "M.m"), ("22", "M.r"), ("2a", "M.f"), ("4a", "M.p"), ("f2 01", "M")] {
            assert_eq!(schema.decode(&format!("{tag} {length} 00")), format!("Truncated at 0 in {path}"), "{length}");
        }
    }
}

#[test]
fn a_length_that_fits_exactly_and_one_that_is_one_too_long() {
    let schema = schema("message M { bytes b = 1; }");
    for len in [0, 1, 127, 128, 300] {
        let mut input = wire::delimited(1, &vec![1; len]);
        assert!(schema.decode_value(&input).is_ok());
        if len > 0 {
            input.pop();
            assert_eq!(schema.decode_bytes(&input), "Truncated at 0 in M.b");
        }
    }
}

#[test]
fn a_field_does_not_reach_beyond_the_message_that_it_is_in() {
    let schema = schema(WIDE);
    assert_eq!(schema.decode("1a 02 12 01 61"), "Truncated at 2 in M.m.s");
    assert_eq!(schema.decode("1a 01 08 05"), "Truncated at 2 in M.m.a");
    assert_eq!(schema.decode("5a 01 80 01"), "Truncated at 0 in M.v", "nor an element beyond its block");
    assert_eq!(schema.decode("1a 01 80 01"), "Truncated at 2 in M.m", "nor a tag");
}

#[test]
fn varints_of_ten_bytes_and_of_eleven() {
    let schema = schema(WIDE);
    let ten = "80 80 80 80 80 80 80 80 80 01";
    let eleven = "80 80 80 80 80 80 80 80 80 80 01";
    assert_eq!(schema.decode(&format!("08 {ten}")).split(',').nth(1), Some("0"));
    assert_eq!(schema.decode(&format!("08 {eleven}")), "VarintTooLong at 0 in M.a");
    assert_eq!(schema.decode(&format!("12 {eleven}")), "VarintTooLong at 0 in M.s");
    assert_eq!(schema.decode(&format!("f0 01 {eleven}")), "VarintTooLong at 0 in M");
    assert_eq!(schema.decode(&format!("5a 0c 01 {eleven}")), "VarintTooLong at 0 in M.v");
    assert_eq!(schema.decode(&format!("1a 0c 08 {eleven}")), "VarintTooLong at 2 in M.m.a");
}

#[test]
fn tags_of_five_bytes_and_of_six() {
    let schema = schema(WIDE);
    assert!(schema.decode("88 80 80 80 00 05").starts_with("{M,5,"));
    assert_eq!(schema.decode("88 80 80 80 80 00 05"), "InvalidTag at 0 in M");
    assert_eq!(schema.decode("88 80 80 80 10 05"), "InvalidTag at 0 in M", "beyond 32 bits");
    assert_eq!(schema.decode("08 01 f8 ff ff ff 1f 05"), "InvalidTag at 2 in M");
    assert_eq!(schema.decode("f3 01 88 80 80 80 10 05"), "InvalidTag at 0 in M", "in a group that is passed over");
}

#[test]
fn field_number_0_is_refused() {
    let schema = schema(WIDE);
    for tag in ["00", "01", "02", "03", "04", "05", "80 00"] {
        assert_eq!(schema.decode(&format!("08 01 {tag} 01")), "InvalidFieldNumber at 2 in M", "{tag}");
        assert_eq!(schema.decode(&format!("f3 01 {tag} 01")), "InvalidFieldNumber at 0 in M", "{tag}");
    }
    let keeping = crate::support::schema("message M { unknowns; }");
    assert_eq!(keeping.decode("00 01"), "InvalidFieldNumber at 0 in M");
    assert_eq!(keeping.decode("0b 00 01 0c"), "InvalidFieldNumber at 1 in M");
}

#[test]
fn wire_types_6_and_7_are_refused_for_known_and_unknown_numbers() {
    for schema in [schema(WIDE), schema("message M { unknowns; }")] {
        for tag in ["f6 01", "f7 01", "be 1f", "bf 1f"] {
            assert_eq!(schema.decode(&format!("f0 01 00 {tag} 01")), "InvalidWireType at 3 in M", "{tag}");
        }
    }
    assert_eq!(schema(WIDE).decode("0e"), "InvalidWireType at 0 in M");
    assert_eq!(schema(WIDE).decode("0f"), "InvalidWireType at 0 in M");
    assert_eq!(schema(WIDE).decode("f3 01 0e"), "InvalidWireType at 0 in M");
}

#[test]
fn an_end_of_group_without_its_beginning() {
    let schema = schema(WIDE);
    assert_eq!(schema.decode("0c"), "UnexpectedEndGroup at 0 in M");
    assert_eq!(schema.decode("43 4c"), "UnexpectedEndGroup at 1 in M.g");
    assert_eq!(schema.decode("f3 01 0c"), "UnexpectedEndGroup at 0 in M");
    assert_eq!(schema.decode("44"), "UnexpectedEndGroup at 0 in M");
    assert_eq!(schema.decode("43 12 01 44"), "UnexpectedEndGroup at 3 in M.g.m");
    let keeping = crate::support::schema("message M { unknowns; }");
    assert_eq!(keeping.decode("0c"), "UnexpectedEndGroup at 0 in M");
    assert_eq!(keeping.decode("0b 14"), "UnexpectedEndGroup at 1 in M");
    assert_eq!(keeping.decode("0b 0c 0c"), "UnexpectedEndGroup at 2 in M");
}

#[test]
fn packed_blocks_whose_length_is_no_multiple() {
    let schema = schema(WIDE);
    assert_eq!(schema.decode("52 05 01 00 00 00 02"), "RaggedPackedBlock at 0 in M.q");
    assert_eq!(schema.decode("08 01 4a 04 00 00 00 00"), "RaggedPackedBlock at 2 in M.p");
    assert_eq!(schema.decode("4a 09 00 00 00 00 00 00 00 00 00"), "RaggedPackedBlock at 0 in M.p");
}

/// Puts a message into another.
type Wrapper = fn(&[u8]) -> Vec<u8>;

#[test]
fn the_path_goes_through_everything_that_holds_fields() {
    let schema = schema(WIDE);
    // Each is wrapped around a field `a` whose value is missing.
    let wrappers: [(Wrapper, &str, usize); 6] = [
        (|inner| wire::delimited(3, inner), ".m", 2),
        (|inner| wire::delimited(4, inner), ".r", 2),
        (|inner| wire::delimited(5, &wire::delimited(2, inner)), ".f.value", 4),
        (|inner| wire::delimited(6, inner), ".c.x", 2),
        (|inner| wire::group(8, &wire::delimited(2, inner)), ".g.m", 3),
        (|inner| [wire::delimited(3, &[]), wire::delimited(3, inner)].concat(), ".m", 4),
    ];
    for (outer, outer_path, outer_len) in wrappers {
        for (inner, inner_path, inner_len) in wrappers {
            let input = [wire::number(1, 1), outer(&inner(&[0x08]))].concat();
            let expected = format!("Truncated at {} in M{outer_path}{inner_path}.a", 2 + outer_len + inner_len);
            assert_eq!(schema.decode_bytes(&input), expected);
        }
    }
    assert_eq!(schema.decode("38 80"), "Truncated at 0 in M.c.y");
    assert_eq!(schema.decode("2a 02 0a 01"), "Truncated at 2 in M.f.key");
    assert_eq!(schema.decode("2a 02 12 01"), "Truncated at 2 in M.f.value");
    assert_eq!(schema.decode("2a 03 10 05 0c"), "UnexpectedEndGroup at 4 in M.f");
}

#[test]
fn the_path_does_not_depend_on_the_order_of_the_definition() {
    let mut definitions = crate::support::proto::parse("message M { int32 a = 1; int32 b = 2; M m = 3; }");
    definitions.messages[0].members.reverse();
    let schema = crate::support::Schema::of(&definitions);
    assert_eq!(schema.decode("1a 01 08"), "Truncated at 2 in M.m.a");
    assert_eq!(schema.decode("1a 01 10"), "Truncated at 2 in M.m.b");
    schema.both_ways("{M,1,2,{M,3,4,undefined}}", "08 01 10 02 1a 04 08 03 10 04");
}

#[test]
fn after_a_failure_the_next_call_starts_afresh() {
    let schema = schema(WIDE);
    let good = schema.decode("1a 02 08 01 22 00");
    for wrong in
        ["1a 04 1a 02 08 80", "22 00 22 04 18 01 08 80", "2a 03 0a 01 61 2a 03 0a 02 61", "f3 01 f3 01", "43 43"]
    {
        assert!(schema.decode(wrong).contains(" at "));
        assert_eq!(schema.decode("1a 02 08 01 22 00"), good);
    }
}
