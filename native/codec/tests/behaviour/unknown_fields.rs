//! Fields that the schema does not know: passed over, or kept in wire order and written back.

use crate::support::schema;

#[test]
fn unknown_fields_of_each_wire_type_are_passed_over() {
    let schema = schema("message M { int32 x = 1; }");
    let input = "10 ff 01 19 01 02 03 04 05 06 07 08 22 02 61 62 2d 01 02 03 04 33 08 01 3b 3c 34 08 05";
    assert_eq!(schema.decode(input), "{M,5}");
    assert_eq!(crate::support::schema("message M { }").decode("0b 0c"), "{M}");
}

#[test]
fn groups_nest_in_passed_over_groups_also_of_the_same_number() {
    let schema = schema("message M { int32 x = 1; }");
    assert_eq!(schema.decode("7b 7b 7c 7c 08 05"), "{M,5}");
    assert_eq!(schema.decode("7b 08 06 7c 08 05"), "{M,5}", "what is in it is not the message's");
}

#[test]
fn kept_fields_go_both_ways_in_wire_order() {
    let schema = schema("message M { optional int32 x = 1; unknowns; }");
    schema.both_ways("{M,undefined,[{varint,2,2},{varint,2,3},{varint,3,4}]}", "10 02 10 03 18 04");
    schema.both_ways("{M,1,[{varint,2,18446744073709551615}]}", "08 01 10 ff ff ff ff ff ff ff ff ff 01");
    schema.both_ways(
        r#"{M,1,[{fixed64,2,18446744073709551615},{length_delimited,2,<<"ab">>},{fixed32,2,4294967295},{varint,2,0}]}"#,
        "08 01 11 ff ff ff ff ff ff ff ff 12 02 61 62 15 ff ff ff ff 10 00",
    );
    schema.both_ways("{M,1,[{length_delimited,536870911,<<\"\">>}]}", "08 01 fa ff ff ff 0f 00");
}

#[test]
fn kept_groups_hold_fields_and_groups() {
    let schema = schema("message M { optional int32 x = 1; unknowns; }");
    schema.both_ways("{M,undefined,[{group,2,[]},{varint,3,1}]}", "13 14 18 01");
    schema.both_ways(
        "{M,5,[{group,2,[{varint,1,7},{group,2,[{group,15,[]},{fixed32,1,0}]},{varint,9,1}]},{group,3,[]}]}",
        "08 05 13 08 07 13 7b 7c 0d 00 00 00 00 14 48 01 14 1b 1c",
    );
}

#[test]
fn known_numbers_of_another_wire_type_are_kept_as_unknown() {
    let schema = schema(
        "message M { optional int32 x = 1; S s = 2; repeated int32 v = 3; repeated string w = 4; unknowns; }
         message S { }",
    );
    assert_eq!(
        schema.decode("0d 01 00 00 00 10 02 1d 01 00 00 00 20 07 0b 0c"),
        "{M,undefined,undefined,[],[],[{fixed32,1,1},{varint,2,2},{fixed32,3,1},{varint,4,7},{group,1,[]}]}"
    );
}

#[test]
fn fields_between_unknown_ones_do_not_part_them() {
    let schema = schema("message M { repeated int32 x = 1; unknowns; }");
    assert_eq!(
        schema.decode("10 01 08 05 10 02 08 06 1b 1c 08 07"),
        "{M,[5,6,7],[{varint,2,1},{varint,2,2},{group,3,[]}]}"
    );
}

#[test]
fn unknown_fields_are_kept_by_the_message_they_are_in() {
    let schema = schema("message M { S s = 1; repeated S r = 2; unknowns; } message S { int32 x = 1; unknowns; } ");
    assert_eq!(
        schema.decode("0a 04 10 01 08 02 12 02 18 05 18 06"),
        "{M,{S,2,[{varint,2,1}]},[{S,0,[{varint,3,5}]}],[{varint,3,6}]}"
    );
}

#[test]
fn unknown_fields_are_written_where_they_stand_in_the_record() {
    let schema = schema("message M { int32 x = 1; unknowns; int32 y = 2; }");
    schema.both_ways("{M,1,[{group,9,[]},{varint,8,1}],2}", "08 01 4b 4c 40 01 10 02");
}

#[test]
fn what_is_no_kept_field_is_refused() {
    let schema = schema("message M { unknowns; S s = 1; } message S { unknowns; }");
    for wrong in [
        "{varint,0,1}",
        "{varint,-1,1}",
        "{varint,536870912,1}",
        "{varint,a,1}",
        "{varint,1,-1}",
        "{varint,1,18446744073709551616}",
        "{varint,1}",
        "{varint,1,1,1}",
        "{fixed32,1,4294967296}",
        "{fixed32,1,-1}",
        "{fixed64,1,18446744073709551616}",
        "{length_delimited,1,a}",
        "{group,0,[]}",
        "{other,1,1}",
        "a",
        "[]",
    ] {
        let expected = format!("InvalidUnknown for {wrong} in M.$unknowns");
        assert_eq!(schema.encode(&format!("{{M,[{{varint,1,1}},{wrong}],undefined}}")), expected);
        let expected = format!("InvalidUnknown for {wrong} in M.s.$unknowns.group");
        assert_eq!(schema.encode(&format!("{{M,[],{{S,[{{group,1,[{wrong}]}}]}}}}")), expected, "in a group");
    }
    assert_eq!(schema.encode("{M,a,undefined}"), "InvalidUnknown for a in M.$unknowns");
    assert_eq!(schema.encode("{M,[{varint,1,1}|a],undefined}"), "InvalidUnknown for a in M.$unknowns");
    assert_eq!(schema.encode("{M,[{group,1,a}],undefined}"), "InvalidUnknown for a in M.$unknowns.group");
}

#[test]
fn field_numbers_at_the_limit_are_written_and_one_beyond_is_not() {
    let schema = schema("message M { unknowns; }");
    schema.both_ways("{M,[{varint,1,1},{varint,536870911,1}]}", "08 01 f8 ff ff ff 0f 01");
}
