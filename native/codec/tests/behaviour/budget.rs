//! The budget of work: what costs what, and that a call stops where it is used up.

use protobuf_codec::decode::Outcome;
use protobuf_codec::work::{BINARY, CHANGE, ELEMENT, MAP_ENTRY, RECORD, RUN};

use crate::support::arena::{Arena, Builder};
use crate::support::{Schema, schema, value, wire};

/// A budget that is not used up.
const AMPLE: usize = 1_000_000;

/// Checks that decoding costs so much. The input counts only in what is told.
#[track_caller]
fn decoding_costs(schema: &Schema, hex: &str, cost: usize) {
    let input = wire::bytes(hex);
    let left = |mut budget| {
        let outcome = schema.decode_on(&input, &mut budget, &mut Builder::new(&input));
        matches!(outcome, Ok(Outcome::Done(_))).then_some(budget)
    };
    assert_eq!(left(cost - 1), None, "{hex} costs less than {cost}");
    assert_eq!(left(cost), Some(0), "{hex} costs more than {cost}");
    assert_eq!(left(0).or(left(cost / 2)), None);
    assert_eq!(left(AMPLE), Some(AMPLE - cost - input.len() / 4), "told of {hex}");
}

/// Checks that encoding costs so much.
#[track_caller]
fn encoding_costs(schema: &Schema, record: &str, cost: usize) {
    let mut arena = Arena::default();
    let term = arena.put(&value::parse(record));
    let left = |mut budget| {
        let bytes = schema.encode_on(term, &mut budget, &arena).expect("no error");
        bytes.map(|_| budget)
    };
    assert_eq!(left(cost - 1), None, "{record} costs less than {cost}");
    assert_eq!(left(cost), Some(0), "{record} costs more than {cost}");
    assert_eq!(left(0).or(left(cost / 2)), None);
    assert_eq!(left(AMPLE), Some(AMPLE - cost), "told of {record}");
}

#[test]
fn decoding() {
    let schema = schema(
        "message M { M m = 1; repeated M r = 2; map<int32,int32> f = 3; packed int32 v = 4; string s = 5; unknowns; }",
    );
    let record = 7 + RECORD;
    decoding_costs(&schema, "", record);
    decoding_costs(&schema, "0a 00", 2 * record);
    // A message that comes again, and an unknown group, have all be read from the beginning.
    decoding_costs(&schema, "0a 00 0a 00 0a 00", 2 * record + (2 * record + 2 * CHANGE));
    decoding_costs(&schema, "12 00 12 02 12 00", 4 * record);
    decoding_costs(&schema, "1a 04 08 01 10 01 1a 00", record + 2 * (2 + MAP_ENTRY));
    decoding_costs(&schema, "22 05 01 02 03 04 05", record + RUN + 5);
    decoding_costs(&schema, "2a 03 61 62 63", record + BINARY);
    decoding_costs(&schema, "f8 01 05 fa 01 00", record + 2 * RECORD);
    decoding_costs(&schema, "fb 01 08 01 fc 01", record + record + (3 + RECORD) + RECORD);
    decoding_costs(&schema.with_lists(), "2a 03 61 62 63", record + BINARY + 3);
    let schema = crate::support::schema("message M { repeated int32 a = 1; repeated int32 b = 2; }");
    decoding_costs(&schema, "08 01 08 02 08 03", 3 + RECORD + RUN);
    decoding_costs(&schema, "08 01 10 02 08 03", 3 + RECORD + 3 * RUN);
    decoding_costs(&schema, "0a 00 12 00", 3 + RECORD + 2 * RUN);
    let schema = crate::support::schema("message M { oneof o { int32 a = 1; int32 b = 2; } }");
    decoding_costs(&schema, "08 01 10 02 08 03", 2 + RECORD + 3 * CHANGE);
}

#[test]
fn encoding() {
    let schema = schema(
        "message M { M m = 1; repeated M r = 2; map<int32,int32> f = 3; packed int32 v = 4; string s = 5; unknowns; }",
    );
    let leaf = r#"{M,undefined,[],[],[],<<"">>,[]}"#;
    let record = 7 + RECORD + BINARY;
    encoding_costs(&schema, leaf, record);
    encoding_costs(&schema, &leaf.replace("undefined", leaf), 2 * record);
    encoding_costs(&schema, &format!(r#"{{M,undefined,[{leaf},{leaf}],[],[],<<"">>,[]}}"#), 3 * record);
    encoding_costs(&schema, r#"{M,undefined,[],[{1,2},{3,4}],[],<<"">>,[]}"#, record + 2 * (2 + RECORD));
    encoding_costs(&schema, r#"{M,undefined,[],[],[1,2,3],<<"">>,[]}"#, record + 3 * ELEMENT);
    // A list costs its octets, and something for each stretch of them and each list in it.
    encoding_costs(&schema, "{M,undefined,[],[],[],[97,98,99],[]}", record + ELEMENT + 3);
    encoding_costs(&schema, "{M,undefined,[],[],[],[[],[],[]],[]}", record + 4 * ELEMENT);
    encoding_costs(&schema, r#"{M,undefined,[],[],[],[97,<<"b">>,99],[]}"#, record + 2 * (ELEMENT + 1) + BINARY);
    let long = "x".repeat(6400);
    encoding_costs(&schema, &format!(r#"{{M,undefined,[],[],[],<<"{long}">>,[]}}"#), record + 800);
    encoding_costs(&schema, r#"{M,undefined,[],[],[],<<"">>,[{varint,9,1},{varint,9,1}]}"#, record + 2 * RECORD);
    encoding_costs(
        &schema,
        r#"{M,undefined,[],[],[],<<"">>,[{group,9,[{varint,9,1}]}]}"#,
        record + RECORD + (3 + RECORD) + RECORD,
    );
    // Text is gone over once more to be checked.
    let text = schema.with_utf8();
    encoding_costs(&text, leaf, record + BINARY);
    encoding_costs(&text, &format!(r#"{{M,undefined,[],[],[],<<"{long}">>,[]}}"#), record + BINARY + 1600);
    encoding_costs(&text, "{M,undefined,[],[],[],[97,98,99],[]}", record + ELEMENT + 3 + BINARY);
}

#[test]
fn an_error_before_the_budget_is_used_up_is_told_and_one_after_is_not() {
    let schema = schema("message M { M m = 1; }");
    let input = wire::bytes("0a 00 08");
    let result = |budget| schema.decode_with(&input, budget, &mut Builder::new(&input));
    // It is read once more for the error.
    let both = 2 * 2 * (2 + RECORD);
    assert!(matches!(result(both - 1), Ok(Outcome::OverBudget)));
    assert!(result(both).is_err());
}

#[test]
fn what_a_failure_cost_is_told() {
    let schema = schema("message M { M m = 1; repeated M r = 2; int32 n = 3; }");
    let input = [wire::bytes("12 00").repeat(100), wire::bytes("18 00").repeat(100), wire::bytes("0f")].concat();
    let mut budget = AMPLE;
    assert!(schema.decode_on(&input, &mut budget, &mut Builder::new(&input)).is_err());
    assert_eq!(AMPLE - budget, 2 * (101 * (4 + RECORD)) + 400 / 4);

    let leaf = "{M,undefined,[],0}";
    let mut arena = Arena::default();
    let term = arena.put(&value::parse(&format!("{{M,{leaf},[{leaf},{leaf},wrong,{leaf}],0}}")));
    let mut budget = AMPLE;
    assert!(schema.encode_on(term, &mut budget, &arena).is_err());
    assert_eq!(AMPLE - budget, 4 * (4 + RECORD));
}

#[test]
fn of_a_budget_that_is_used_up_by_decoding_nothing_is_left() {
    let schema = schema("message M { M m = 1; }");
    let input = wire::bytes("0a 00");
    let mut budget = 2 * (2 + RECORD) - 1;
    assert!(matches!(schema.decode_on(&input, &mut budget, &mut Builder::new(&input)), Ok(Outcome::OverBudget)));
    assert_eq!(budget, 0);
}

#[test]
fn a_call_that_went_beyond_its_budget_leaves_nothing_behind() {
    let schema = schema("message M { M m = 1; repeated M r = 2; map<int32,M> f = 3; oneof c { M x = 4; M y = 5; } }");
    let input = wire::bytes("0a 04 12 00 12 00 12 06 1a 04 08 01 12 00 22 02 2a 00 2a 02 22 00 12 00");
    let whole = schema.decode_bytes(&input);
    for budget in 0..200 {
        let _ = schema.decode_with(&input, budget, &mut Builder::new(&input));
        assert_eq!(schema.decode_bytes(&input), whole);
    }
    let mut arena = Arena::default();
    let term = arena.put(&value::parse(&whole));
    let bytes = schema.encode_with(term, usize::MAX, &arena);
    for budget in 0..200 {
        let _ = schema.encode_with(term, budget, &arena);
        assert_eq!(schema.encode_with(term, usize::MAX, &arena), bytes);
    }
}
