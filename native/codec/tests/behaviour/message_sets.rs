//! Message sets: groups of a type's number and a message.

use crate::support::random::Random;
use crate::support::schema;
use crate::support::wire::{bytes, delimited, group, number};

const SET: &str = "message M { S set = 1; int32 y = 2; }
    message S { message_set; optional A a = 100; optional B b = 300; unknowns; }
    message A { optional int32 x = 1; repeated int32 r = 2; optional M m = 3; unknowns; }
    message B { string s = 1; }";

#[test]
fn items_go_both_ways() {
    let schema = schema(SET);
    schema.both_ways("{M,{S,undefined,undefined,[]},7}", "0a 00 10 07");
    schema.both_ways("{M,{S,{A,5,[],undefined,[]},undefined,[]},7}", "0a 08 0b 10 64 1a 02 08 05 0c 10 07");
    schema.both_ways(
        r#"{M,{S,{A,5,[],undefined,[]},{B,<<"hi">>},[]},0}"#,
        "0a 13 0b 10 64 1a 02 08 05 0c 0b 10 ac 02 1a 04 0a 02 68 69 0c",
    );
}

#[test]
fn the_message_may_come_before_the_number() {
    let schema = schema(SET);
    assert_eq!(schema.decode("0a 08 0b 1a 02 08 05 10 64 0c 10 07"), "{M,{S,{A,5,[],undefined,[]},undefined,[]},7}");
    assert_eq!(
        schema.decode("0a 0c 0b 20 01 1a 02 08 05 28 01 10 64 0c 10 07"),
        "{M,{S,{A,5,[],undefined,[]},undefined,[]},7}",
        "with other fields in the item"
    );
    assert_eq!(schema.decode("0a 04 0b 10 64 0c"), "{M,{S,undefined,undefined,[]},0}", "without a message");
}

#[test]
fn what_comes_twice_is_merged_also_as_a_plain_field() {
    let schema = schema(SET);
    let item = |content: &[u8]| group(1, &[number(2, 100), delimited(3, content)].concat());
    let plain = |content: &[u8]| delimited(100, content);
    let (first, second) = (bytes("08 01 10 02"), bytes("10 03 1a 02 10 09"));
    let merged = "{M,{S,{A,1,[2,3],{M,undefined,9},[]},undefined,[]},7}";
    for set in [
        [item(&first), item(&second)],
        [plain(&first), item(&second)],
        [item(&first), plain(&second)],
        [plain(&first), plain(&second)],
        [group(1, &[number(2, 100), delimited(3, &first), delimited(3, &second)].concat()), Vec::new()],
    ] {
        let input = [delimited(1, &set.concat()), number(2, 7)].concat();
        assert_eq!(schema.decode_bytes(&input), merged);
        // In two parts of the message around it.
        let input = [delimited(1, &set[0]), number(2, 7), delimited(1, &set[1])].concat();
        assert_eq!(schema.decode_bytes(&input), merged);
    }
}

#[test]
fn items_of_other_types_are_kept_as_the_groups_that_they_are() {
    let schema = schema(SET);
    schema.both_ways(
        "{M,{S,undefined,undefined,[{group,1,[{varint,2,101},{length_delimited,3,<<0,255>>}]}]},0}",
        "0a 08 0b 10 65 1a 02 00 ff 0c",
    );
    assert_eq!(
        schema.decode("0a 0b 0b 10 e4 80 80 80 20 1a 01 00 0c 10 07"),
        "{M,{S,undefined,undefined,[{group,1,[{varint,2,8589934692},{length_delimited,3,<<0>>}]}]},7}",
        "a number of more than 32 bits"
    );
    assert_eq!(schema.decode("0a 02 0b 0c"), "{M,{S,undefined,undefined,[{group,1,[]}]},0}");
    assert_eq!(schema.decode("0a 05 18 01 0b 0c 20"), "Truncated at 6 in M.set", "and so is what is no item");
}

#[test]
fn without_a_place_for_unknown_fields_other_items_are_skipped() {
    let schema = schema("message S { message_set; optional A a = 100; int32 z = 5; } message A { int32 x = 1; }");
    assert_eq!(schema.decode("0b 10 65 1a 02 00 ff 0c 0b 10 64 1a 02 08 05 0c 28 01"), "{S,{A,5},1}");
}

#[test]
fn sets_nest() {
    let schema = schema(SET);
    let mut content = bytes("08 05");
    let mut record = "{A,5,[],undefined,[]}".to_owned();
    for depth in 0..50 {
        let set = group(1, &[number(2, 100), delimited(3, &content)].concat());
        content = [delimited(3, &delimited(1, &set)), if depth % 2 == 0 { number(1, 5) } else { Vec::new() }].concat();
        let x = if depth % 2 == 0 { "5" } else { "undefined" };
        record = format!("{{A,{x},[],{{M,{{S,{record},undefined,[]}},0}},[]}}");
    }
    let input = delimited(1, &group(1, &[number(2, 100), delimited(3, &content)].concat()));
    assert_eq!(schema.decode_bytes(&input), format!("{{M,{{S,{record},undefined,[]}},0}}"));
}

#[test]
fn what_is_wrong_in_an_item_has_its_place() {
    let schema = schema(SET);
    assert_eq!(schema.decode("0a 04 0b 10 64 1a"), "Truncated at 5 in M.set.a");
    assert_eq!(schema.decode("0a 03 0b 1a 02"), "Truncated at 2 in M.set");
    assert_eq!(schema.decode("0a 08 0b 10 64 1a 02 08 80 0c"), "Truncated at 7 in M.set.a.x");
    assert_eq!(schema.decode("0a 08 0b 10 64 1a 02 08 05 14"), "UnexpectedEndGroup at 9 in M.set.a");
    assert_eq!(schema.decode("0a 01 0c"), "UnexpectedEndGroup at 2 in M.set");
}

#[test]
fn an_item_counts_as_a_level_and_its_message_as_another() {
    let schema = schema("message S { message_set; optional A a = 100; } message A { int32 x = 1; }");
    let input = "0b 10 64 1a 02 08 05 0c 0b 10 64 1a 02 08 06 0c";
    assert_eq!(schema.with_max_depth(2).decode(input), "{S,{A,6}}");
    let schema = crate::support::schema("message S { message_set; optional A a = 100; } message A { int32 x = 1; }");
    assert_eq!(schema.with_max_depth(1).decode(input), "MaxDepth at 3 in S.a");
}

#[test]
fn a_oneof_gives_a_set_up_whole() {
    let schema = schema(
        "message M { oneof o { S s = 1; int32 x = 2; } } message S { message_set; optional A a = 100; }
         message A { optional int32 x = 1; optional int32 y = 2; }",
    );
    let set = |content: &str| delimited(1, &group(1, &[number(2, 100), delimited(3, &bytes(content))].concat()));
    let input = [set("08 01"), number(2, 7), set("10 02")].concat();
    assert_eq!(schema.decode_bytes(&input), "{M,{s,{S,{A,undefined,2}}}}");
}

/// Fields of all that is read out of the loop, nested and mixed, and then damaged.
fn random_content(random: &mut Random, depth: usize) -> Vec<u8> {
    let mut content = Vec::new();
    for _ in 0..random.below(5) {
        let inner = if depth > 0 { random_content(random, depth - 1) } else { random.octets(4) };
        content.extend(match random.below(9) {
            0 => group(1, &[number(2, 100), delimited(3, &inner)].concat()),
            1 => group(1, &[delimited(3, &inner), number(2, [100, 300, 7][random.below(3)])].concat()),
            2 => delimited(100, &inner),
            3 => group(1, &inner),
            4 => delimited(1 + random.below(7) as u32, &inner),
            5 => number(1 + random.below(7) as u32, random.below(4) as u64),
            6 => delimited(4, &random.octets(6)),
            7 => delimited(5, &[number(1, 5), number(2, random.below(4) as u64)].concat()),
            _ => delimited(6, b"\xc3\xa9"),
        });
    }
    content
}

#[test]
fn what_was_read_is_written_and_read_again_and_the_rest_refused() {
    let schema = schema(
        "message M { S set = 1; optional E e = 2; repeated E r = 3; packed E p = 4; map<int32, E> m = 5;
           repeated utf8 string t = 6; oneof o { E f = 7; S g = 8; } unknowns; }
         message S { message_set; optional M a = 100; optional M b = 300; unknowns; } enum E { closed; A = 0; B = 1; }",
    );
    let mut random = Random::new(4711);
    let mut read = 0;
    for round in 0..3000 {
        let mut input = random_content(&mut random, 5);
        if round % 2 == 1 && !input.is_empty() {
            let place = random.below(input.len());
            input[place] = random.bits() as u8;
        }
        if let Ok(record) = schema.decode_value(&input) {
            let written = schema.encode_value(&record).expect("what was read can be written");
            assert_eq!(schema.decode_bytes(&written), record.to_string());
            read += 1;
        }
    }
    assert!(read > 500, "only {read} were read");
}
