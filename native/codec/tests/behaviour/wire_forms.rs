//! Other forms of the same values that a decoder has to take: packed and not, padded, and with bits too many.

use crate::support::random::Random;
use crate::support::{Schema, schema};

#[test]
fn packed_fields_take_elements_one_by_one_and_the_other_way_round() {
    for label in ["repeated", "packed"] {
        let varints = schema(&format!("message M {{ {label} int32 v = 1; }}"));
        assert_eq!(varints.decode("08 01 0a 02 02 03 08 04 0a 00"), "{M,[1,2,3,4]}");
        assert_eq!(varints.decode("0a 00"), "{M,[]}");
        let doubles = schema(&format!("message M {{ {label} double v = 1; }}"));
        let both = "09 00 00 00 00 00 00 59 c0 0a 08 00 00 00 00 00 00 3e 40";
        assert_eq!(doubles.decode(both), "{M,[-100.0,30.0]}");
        let floats = schema(&format!("message M {{ {label} float v = 1; }}"));
        assert_eq!(floats.decode("0d 00 00 c0 3f 0a 08 00 00 00 00 00 00 80 ff"), "{M,[1.5,0.0,-infinity]}");
        let enums = schema(&format!("message M {{ {label} E v = 1; }} enum E {{ A = 0; B = 1; }}"));
        assert_eq!(enums.decode("0a 03 00 01 02 08 00"), "{M,[A,B,2,A]}");
    }
}

#[test]
fn every_packed_type_is_read_and_written_in_one_block() {
    for (ty, values, hex) in [
        ("int32", "[-1,1]", "0a 0b ff ff ff ff ff ff ff ff ff 01 01"),
        ("int64", "[0,300]", "0a 03 00 ac 02"),
        ("uint32", "[4294967295]", "0a 05 ff ff ff ff 0f"),
        ("uint64", "[18446744073709551615]", "0a 0a ff ff ff ff ff ff ff ff ff 01"),
        ("sint32", "[-1,1]", "0a 02 01 02"),
        ("sint64", "[-2,2]", "0a 02 03 04"),
        ("bool", "[true,false]", "0a 02 01 00"),
        ("fixed32", "[1,4294967295]", "0a 08 01 00 00 00 ff ff ff ff"),
        ("sfixed32", "[-1]", "0a 04 ff ff ff ff"),
        ("float", "[1.5]", "0a 04 00 00 c0 3f"),
        ("fixed64", "[1]", "0a 08 01 00 00 00 00 00 00 00"),
        ("sfixed64", "[-1]", "0a 08 ff ff ff ff ff ff ff ff"),
        ("double", "[nan,1.0]", "0a 10 00 00 00 00 00 00 f8 7f 00 00 00 00 00 00 f0 3f"),
        ("E", "[B,A,7]", "0a 03 01 00 07"),
    ] {
        let schema = schema(&format!("message M {{ packed {ty} v = 1; }} enum E {{ A = 0; B = 1; }}"));
        schema.both_ways(&format!("{{M,{values}}}"), hex);
        schema.both_ways("{M,[]}", "");
    }
}

#[test]
fn strings_and_bytes_are_never_packed() {
    let schema = schema("message M { packed string a = 1; packed bytes b = 2; }");
    schema.both_ways(r#"{M,[<<"a">>,<<"">>],[<<"b">>,<<"c">>]}"#, "0a 01 61 0a 00 12 01 62 12 01 63");
}

#[test]
fn a_packed_block_has_a_length_of_any_size() {
    for count in [1, 126, 127, 128, 129, 16_383, 16_384] {
        let schema = schema("message M { packed bool v = 1; int32 after = 2; }");
        let record = format!("{{M,[{}],5}}", vec!["true"; count].join(","));
        assert_eq!(schema.decode(&schema.encode(&record)), record);
    }
}

#[test]
fn padded_varints_and_tags_are_read() {
    let schema = schema("message M { int32 x = 1; string s = 2; packed int32 v = 3; }");
    assert_eq!(schema.decode("88 80 80 80 00 85 80 80 80 80 80 80 80 80 00"), r#"{M,5,<<"">>,[]}"#);
    assert_eq!(schema.decode("92 00 81 80 00 61"), r#"{M,0,<<"a">>,[]}"#);
    assert_eq!(schema.decode("1a 84 00 81 00 82 00"), r#"{M,0,<<"">>,[1,2]}"#);
}

#[test]
fn bits_beyond_a_types_width_are_dropped() {
    let int32 = schema("message M { int32 x = 1; }");
    assert_eq!(int32.decode("08 85 80 80 80 10"), "{M,5}");
    assert_eq!(int32.decode("08 ff ff ff ff 0f"), "{M,-1}");
    assert_eq!(int32.decode("08 ff ff ff ff ff ff ff ff ff 7f"), "{M,-1}", "beyond 64 bits");
    let uint32 = schema("message M { uint32 x = 1; }");
    assert_eq!(uint32.decode("08 ff ff ff ff ff ff ff ff ff 01"), "{M,4294967295}");
    let sint32 = schema("message M { sint32 x = 1; }");
    assert_eq!(sint32.decode("08 85 80 80 80 10"), "{M,-3}");
    let uint64 = schema("message M { uint64 x = 1; }");
    assert_eq!(uint64.decode("08 80 80 80 80 80 80 80 80 80 7e"), "{M,0}");
    let enumeration = schema("message M { E x = 1; } enum E { A = 0; B = 1; }");
    assert_eq!(enumeration.decode("08 81 80 80 80 10"), "{M,B}");
}

#[test]
fn any_bit_of_64_makes_a_boolean_true() {
    let schema = schema("message M { bool b = 1; int32 y = 2; }");
    assert_eq!(schema.decode("08 81 80 00 10 07"), "{M,true,7}");
    assert_eq!(schema.decode("08 80 80 80 80 10 10 07"), "{M,true,7}");
    assert_eq!(schema.decode("08 80 80 80 80 80 80 80 80 80 01 10 07"), "{M,true,7}");
    assert_eq!(schema.decode("08 80 80 80 00 10 07"), "{M,false,7}");
}

#[test]
fn the_last_value_of_a_singular_field_stands() {
    let schema = schema("message M { int32 x = 1; string s = 2; }");
    assert_eq!(schema.decode("08 01 12 01 61 08 02 12 01 62 08 00"), r#"{M,0,<<"b">>}"#);
}

#[test]
fn fields_come_in_any_order_and_are_written_in_that_of_the_record() {
    let schema = schema("message M { int32 c = 3; int32 a = 1; int32 b = 2; }");
    assert_eq!(schema.decode("10 02 08 01 18 03"), "{M,3,1,2}");
    assert_eq!(schema.encode("{M,3,1,2}"), "18 03 08 01 10 02");
}

#[test]
fn field_numbers_of_every_length_of_tag() {
    for number in [1, 15, 16, 511, 512, 2047, 2048, 262_143, 262_144, 33_554_431, 33_554_432, 536_870_911] {
        let schema =
            schema(&format!("message M {{ int32 a = {number}; int32 other = 300; repeated int32 far = 5000; }}"));
        let hex = schema.encode("{M,7,0,[8]}");
        assert_eq!(schema.decode(&hex), "{M,7,0,[8]}", "{number}");
    }
}

/// Numbers far apart and close together, as many as make them meet at one place of a table by hash.
#[test]
fn each_of_many_large_field_numbers_is_found_and_no_other() {
    let mut random = Random::new(7);
    let mut numbers: Vec<usize> = (512..612).chain((0..300).map(|_| 1000 + random.below(536_000_000))).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let fields: String = numbers.iter().enumerate().map(|(at, number)| format!("int32 f{at} = {number};")).collect();
    let schema = schema(&format!("message M {{ {fields} }}"));
    let values: Vec<String> = (1..=numbers.len()).map(|value| value.to_string()).collect();
    let record = format!("{{M,{}}}", values.join(","));
    let hex = schema.encode(&record);
    assert_eq!(schema.decode(&hex), record);
    let none = format!("{{M,{}}}", vec!["0"; numbers.len()].join(","));
    let unknown = numbers.iter().filter(|number| !numbers.contains(&(*number + 1)));
    for number in unknown {
        let field = schema_of(number + 1).encode("{M,1}");
        assert_eq!(schema.decode(&field), none, "{number}");
    }
}

fn schema_of(number: usize) -> Schema {
    schema(&format!("message M {{ int32 a = {number}; }}"))
}

#[test]
fn lengths_of_messages_of_every_size_are_filled_in() {
    let schema = schema("message M { M m = 1; bytes b = 2; M n = 3; }");
    for len in
        [0, 1, 100, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 16_370, 16_376, 16_380, 16_384, 100_000]
    {
        let bytes = format!("<<\"{}\">>", "x".repeat(len));
        let leaf = format!("{{M,undefined,{bytes},undefined}}");
        let record = format!("{{M,{{M,{leaf},{bytes},{leaf}}},<<\"\">>,{leaf}}}");
        assert_eq!(schema.decode(&schema.encode(&record)), record, "{len}");
    }
}
