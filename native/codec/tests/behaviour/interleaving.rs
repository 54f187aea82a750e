//! Repeated fields whose elements come in turns.

use crate::support::{schema, wire};

#[test]
fn elements_of_two_fields_in_turns_keep_their_order() {
    let schema = schema("message M { repeated int32 a = 1; repeated S b = 2; } message S { int32 x = 1; }");
    let input: Vec<u8> =
        (1..=5).flat_map(|n| [wire::number(1, n), wire::delimited(2, &wire::number(1, n))].concat()).collect();
    assert_eq!(schema.decode_bytes(&input), "{M,[1,2,3,4,5],[{S,1},{S,2},{S,3},{S,4},{S,5}]}");
}

#[test]
fn single_fields_between_elements_do_not_part_them() {
    let schema =
        schema("message M { repeated int32 a = 1; int32 b = 2; S c = 3; } message S { repeated int32 x = 1; }");
    assert_eq!(
        schema.decode("08 01 10 01 08 02 1a 02 08 07 08 03 10 02 1a 02 08 08 08 04"),
        "{M,[1,2,3,4],2,{S,[7,8]}}"
    );
}

#[test]
fn elements_with_repeated_fields_of_their_own_in_turns() {
    let schema = schema("message M { repeated M a = 1; repeated M b = 2; repeated int32 c = 3; }");
    let input = "0a 08 18 01 0a 02 18 02 18 03 12 02 18 04 18 05 0a 06 12 02 18 06 18 07 18 08";
    assert_eq!(
        schema.decode(input),
        "{M,[{M,[{M,[],[],[2]}],[],[1,3]},{M,[],[{M,[],[],[6]}],[7]}],[{M,[],[],[4]}],[5,8]}"
    );
}

#[test]
fn packed_blocks_in_turns() {
    let schema = schema("message M { packed int32 a = 1; packed double b = 2; packed bool c = 3; }");
    let input = "0a 02 01 02 1a 01 01 0a 01 03 12 00 12 08 00 00 00 00 00 00 f0 3f 1a 02 00 01 0a 00 08 04";
    assert_eq!(schema.decode(input), "{M,[1,2,3,4],[1.0],[true,false,true]}");
}
