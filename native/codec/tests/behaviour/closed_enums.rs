//! Closed enums: a number without symbol is an unknown field.

use protobuf_codec::error::DecodeReason;

use crate::support::{schema, wire};

#[test]
fn a_number_without_symbol_leaves_the_field_as_it_was() {
    let schema = schema("message M { optional E e = 1; unknowns; } enum E { closed; A = 0; B = 1; }");
    assert_eq!(schema.decode("08 01"), "{M,B,[]}");
    assert_eq!(schema.decode("08 05"), "{M,undefined,[{varint,1,5}]}");
    assert_eq!(schema.decode("08 01 08 05"), "{M,B,[{varint,1,5}]}");
    assert_eq!(schema.decode("08 05 08 01"), "{M,B,[{varint,1,5}]}");
    assert_eq!(
        schema.decode("08 ff ff ff ff ff ff ff ff ff 01"),
        "{M,undefined,[{varint,1,18446744073709551615}]}",
        "kept as it came"
    );
    assert_eq!(schema.decode("08 81 80 80 80 10"), "{M,B,[]}", "its low 32 bits have a symbol");
    assert_eq!(schema.decode("08"), "Truncated at 0 in M.e");
}

#[test]
fn where_nothing_keeps_it_it_is_skipped() {
    let schema = schema("message M { optional E e = 1; repeated E r = 2; int32 y = 3; } enum E { closed; A = 0; }");
    assert_eq!(schema.decode("08 05 10 05 12 02 05 00 18 07"), "{M,undefined,[A],7}");
}

#[test]
fn of_repeated_fields_what_is_known_stays_in_order() {
    let schema = schema("message M { repeated E r = 1; packed E p = 2; unknowns; } enum E { closed; A = 0; B = 1; }");
    let unknowns = "[{varint,1,5},{varint,1,6},{varint,2,7},{varint,2,300}]";
    assert_eq!(
        schema.decode("08 01 08 05 08 00 0a 03 01 06 00 12 05 07 01 ac 02 00 10 01"),
        format!("{{M,[B,A,B,A],[B,A,B],{unknowns}}}")
    );
    assert_eq!(schema.decode("12 00"), "{M,[],[],[]}");
    assert_eq!(schema.decode("12 02 01 80"), "Truncated at 0 in M.p");
}

#[test]
fn a_oneof_keeps_its_member() {
    let schema = schema(
        "message M { oneof o { E e = 1; int32 x = 2; S s = 3; } unknowns; }
         message S { int32 a = 1; } enum E { closed; A = 0; }",
    );
    assert_eq!(schema.decode("10 07 08 05"), "{M,{x,7},[{varint,1,5}]}");
    assert_eq!(schema.decode("1a 02 08 01 08 05"), "{M,{s,{S,1}},[{varint,1,5}]}");
    assert_eq!(schema.decode("1a 02 08 01 08 00"), "{M,{e,A},[]}");
}

#[test]
fn the_entry_of_a_map_goes_with_its_value() {
    let schema = schema("message M { map<int32, E> m = 1; unknowns; } enum E { closed; A = 3; B = 1; }");
    assert_eq!(
        schema.decode("0a 04 08 01 10 01 0a 04 08 02 10 05 0a 02 08 03"),
        "{M,[{3,A},{1,B}],[{length_delimited,1,<<8,2,16,5>>}]}"
    );
    assert_eq!(schema.decode("0a 06 08 01 10 05 10 01"), "{M,[{1,B}],[]}", "its last value counts");
    assert_eq!(
        schema.decode("0a 06 08 01 10 01 10 05"),
        "{M,[],[{length_delimited,1,<<8,1,16,1,16,5>>}]}",
        "its last value counts"
    );
    assert_eq!(schema.decode("0a 06 10 05 08 01 18 01"), "{M,[],[{length_delimited,1,<<16,5,8,1,24,1>>}]}");
    assert_eq!(schema.decode("0a 03 08 01 10"), "Truncated at 0 in M.m");
    assert_eq!(schema.decode("0a 02 08 01 0a 09"), "Truncated at 4 in M.m");
}

#[test]
fn an_entry_that_is_kept_is_checked_like_one_that_is_read() {
    for unknowns in ["", "unknowns;"] {
        let text = format!("message M {{ map<int32, E> m = 1; {unknowns} }} enum E {{ closed; A = 3; B = 1; }}");
        assert_eq!(schema(&text).decode("0a 04 00 01 10 01"), "InvalidFieldNumber at 0 in M.m");
        assert_eq!(schema(&text).decode("0a 04 00 01 10 05"), "InvalidFieldNumber at 0 in M.m");
        // A group in an entry in the message.
        for number in ["01", "05"] {
            let entry = wire::bytes(&format!("0a 04 1b 1c 10 {number}"));
            assert!(schema(&text).with_max_depth(2).decode_value(&entry).is_ok());
            let error = schema(&text).with_max_depth(1).decode_value(&entry).err().expect("too deep");
            assert_eq!(error.reason, DecodeReason::MaxDepth);
        }
    }
}

#[test]
fn it_is_written_by_symbol_and_by_number() {
    let schema = schema(
        "message M { optional E e = 1; repeated E r = 2; packed E p = 3; map<int32, E> m = 4; oneof o { E f = 5; } }
         enum E { closed; A = 0; B = 1; }",
    );
    schema.both_ways("{M,B,[A,B],[B,A],[{7,B}],{f,A}}", "08 01 10 00 10 01 1a 02 01 00 22 04 08 07 10 01 28 00");
    assert_eq!(schema.encode("{M,5,[6],[],[],undefined}"), "08 05 10 06");
}
