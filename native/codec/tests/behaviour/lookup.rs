//! Reading single values: what a path leads to is what decoding all of the message gives there.

use protobuf_codec::decode::{Failure, Found, Options, Outcome, Paths, Pick, Scratch, decode_part, lookup, lookup_all};
use protobuf_codec::schema::{Definitions, Member, Message, MessageKind, Occurrence, Type};
use protobuf_codec::work;

use crate::support::arena::{Arena, Builder};
use crate::support::generate::{Values, schema_text};
use crate::support::random::Random;
use crate::support::value::{self, Value};
use crate::support::{Schema, proto, schema, wire};

/// A budget that is not used up.
const AMPLE: usize = 1_000_000;

/// The paths in a list of lists.
fn paths(arena: &mut Arena, all: &[Value]) -> Paths {
    let mut paths = Paths::default();
    for path in all {
        let Value::List(steps, None) = path else { panic!("{path} is no path") };
        for step in steps {
            paths.step(arena.put(step)).expect("memory");
        }
        paths.end().expect("memory");
    }
    paths
}

fn root(schema: &Schema, name: &str) -> u32 {
    schema.plan.message_named(proto::name(name).term).expect("the message")
}

/// The value of what was found, as text.
fn made(schema: &Schema, input: &[u8], found: Option<Found>, budget: &mut usize) -> Result<String, String> {
    let Some(found) = found else { return Ok("undefined".into()) };
    let pieces: Vec<u8> = found.ranges.iter().flat_map(|(start, end)| &input[start..end]).copied().collect();
    let (input, range) = match found.ranges.whole() {
        Some(range) => (input, range),
        None => (&pieces[..], (0, pieces.len())),
    };
    let (mut builder, options) = (Builder::new(input), Options::default());
    let part = found.part(range);
    let decoded = match decode_part(&schema.plan, &part, input, options, budget, &mut builder, &mut Scratch::default())
    {
        Ok(Outcome::Done(term)) => builder.arena.value(term),
        Ok(other) => return Err(format!("{other:?}")),
        Err(error) => return Err(format!("{:?} at {} in {}", error.reason, error.offset, error.path)),
    };
    Ok(match (found.pick, decoded) {
        (Pick::All, value) => value.to_string(),
        (Pick::Member(_), Value::Tuple(pair)) if is_set(&pair, found.pick) => pair[1].to_string(),
        (Pick::Element(position), Value::List(elements, _)) if position < elements.len() => {
            elements[position].to_string()
        }
        _ => "undefined".into(),
    })
}

fn is_set(pair: &[Value], pick: Pick) -> bool {
    matches!((&pair[0], pick), (Value::Name(set), Pick::Member(member)) if proto::name(set).term == member)
}

/// What a path in a message M leads to, as text.
#[track_caller]
fn get(schema: &Schema, hex: &str, path: &str) -> String {
    let (mut arena, input) = (Arena::default(), wire::bytes(hex));
    let paths = paths(&mut arena, &[value::parse(path)]);
    let (options, budget) = (Options::default(), &mut { AMPLE });
    match lookup(&schema.plan, root(schema, "M"), &input, paths.steps(0), options, budget, &&arena) {
        Ok(found) => made(schema, &input, found, budget).unwrap_or_else(|error| error),
        Err(failure) => format!("{failure:?}"),
    }
}

/// What several lead to.
fn select(schema: &Schema, message: &str, input: &[u8], all: &[Value]) -> Result<Vec<String>, String> {
    let mut arena = Arena::default();
    let paths = paths(&mut arena, all);
    let (options, budget) = (Options::default(), &mut { usize::MAX });
    let all = lookup_all(&schema.plan, root(schema, message), input, &paths, options, budget, &&arena);
    let all = all.map_err(|failure| format!("{failure:?}"))?;
    all.into_iter().map(|found| made(schema, input, found, budget)).collect()
}

const SCHEMA: &str = "
    message M {
        int32 n = 1; optional M sub = 2; repeated M list = 3; map<string, int32> strings = 4; packed int32 packed = 5;
        utf8 string text = 6; optional K kind = 7; oneof o { int32 x = 8; M y = 9; } map<int32, M> numbers = 10;
        map<string, K> kinds = 11; string more = 12;
    }
    enum K { closed; ONE = 1; TWO = 2; }";

#[test]
fn of_several_values_the_last_one_that_is_one_counts() {
    let schema = schema(SCHEMA);
    assert_eq!(get(&schema, "0805 0807", "[n]"), "7");
    assert_eq!(get(&schema, "3801 3802 3809", "[kind]"), "TWO");
    assert_eq!(get(&schema, "3809", "[kind]"), "undefined");
    assert_eq!(get(&schema, "3201ff 320161", "[text]"), "<<\"a\">>");
    assert_eq!(get(&schema, "", "[n]"), "0");
    assert_eq!(get(&schema, "", "[text]"), "<<\"\">>");
    assert_eq!(get(&schema, "", "[sub,n]"), "undefined");
}

#[test]
fn messages_are_merged_and_a_oneof_begins_anew() {
    let schema = schema(SCHEMA);
    assert_eq!(get(&schema, "12020805 0801 120462026162", "[sub,n]"), "5");
    assert_eq!(get(&schema, "12020805 0801 120462026162", "[sub,more]"), "<<\"ab\">>");
    assert_eq!(get(&schema, "4a020801 4001 4a00", "[y,n]"), "0");
    assert_eq!(get(&schema, "4a020801 4001", "[y,n]"), "undefined");
    assert_eq!(get(&schema, "4a020801 4001", "[y]"), "undefined");
    assert_eq!(get(&schema, "4a020801 4001", "[o]"), "{x,1}");
}

#[test]
fn positions_and_keys_lead_into_lists_and_maps() {
    let schema = schema(SCHEMA);
    assert_eq!(get(&schema, "1a00 1a020803", "[list,2,n]"), "3");
    assert_eq!(get(&schema, "1a00 1a020803", "[list,3,n]"), "undefined");
    assert_eq!(get(&schema, "2a020102 0801 2803", "[packed,3]"), "3");
    assert_eq!(get(&schema, "22050a01611001 22050a01611002", "[strings,<<\"a\">>]"), "2");
    assert_eq!(get(&schema, "22050a01611001", "[strings,<<\"b\">>]"), "undefined");
    assert_eq!(get(&schema, "52020803", "[numbers,3,n]"), "0");
    // An entry whose value has no symbol is none.
    assert_eq!(get(&schema, "5a050a01611001 5a050a01611009", "[kinds,<<\"a\">>]"), "ONE");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let schema = schema(SCHEMA);
    assert_eq!(get(&schema, "0801 08", "[n]"), "Invalid(Truncated, 2, 1)");
    assert_eq!(get(&schema, "0801 00", "[n]"), "Invalid(InvalidFieldNumber, 2, 1)");
    assert_eq!(get(&schema, "0801 1203 08", "[n]"), "Invalid(Truncated, 2, 1)");
    assert_eq!(get(&schema, "0801 3201ff", "[text]"), "InvalidUtf8 at 2 in M.text");
    // Not on the way.
    assert_eq!(get(&schema, "0801 120108", "[n]"), "1");
    assert!(get(&schema, "", "[none]").ends_with("NoField)"));
    assert!(get(&schema, "", "[n,n]").ends_with("NothingWithin)"));
    assert!(get(&schema, "", "[list,n]").ends_with("NoPosition)"));
    assert!(get(&schema, "", "[strings,1]").ends_with("NoKey)"));
}

/// The paths in a record with the value at each, down to some depth.
fn all_paths(definitions: &Definitions, message: &Message, record: &Value, depth: usize) -> Vec<(Vec<Value>, Value)> {
    let Value::Tuple(elements) = record else { panic!("{record} is no record") };
    let mut paths = Vec::new();
    for (member, element) in message.members.iter().zip(&elements[1..]) {
        match member {
            Member::Unknowns { name, .. } => paths.push((vec![value::name(&name.text)], element.clone())),
            Member::Oneof(oneof) => {
                paths.push((vec![value::name(&oneof.name.text)], element.clone()));
                for field in &oneof.fields {
                    let name = value::name(&field.name.text);
                    match element {
                        Value::Tuple(pair) if pair[0].to_string() == *field.name.text => {
                            within(definitions, vec![name], &field.ty, &pair[1], depth, &mut paths);
                        }
                        _ => paths.push((vec![name], value::name("undefined"))),
                    }
                }
            }
            Member::Field(field) => {
                let name = value::name(&field.name.text);
                let Value::List(elements, None) = element else {
                    within(definitions, vec![name], &field.ty, element, depth, &mut paths);
                    continue;
                };
                if field.occurrence != Occurrence::Repeated {
                    paths.push((vec![name], element.clone()));
                    continue;
                }
                paths.push((vec![name.clone()], element.clone()));
                for (position, element) in elements.iter().enumerate() {
                    match (&field.ty, element) {
                        (Type::Map(_, ty), Value::Tuple(entry)) => {
                            let path = vec![name.clone(), entry[0].clone()];
                            within(definitions, path, ty, &entry[1], depth, &mut paths);
                        }
                        (ty, element) => {
                            let path = vec![name.clone(), value::integer(position as i64 + 1)];
                            within(definitions, path, ty, element, depth, &mut paths);
                        }
                    }
                }
                if !matches!(field.ty, Type::Map(..)) {
                    let behind = value::integer(elements.len() as i64 + 1);
                    paths.push((vec![name, behind], value::name("undefined")));
                }
            }
        }
    }
    paths
}

/// Adds the path to a value, and those that go on within it.
fn within(
    definitions: &Definitions,
    path: Vec<Value>,
    ty: &Type,
    value: &Value,
    depth: usize,
    paths: &mut Vec<(Vec<Value>, Value)>,
) {
    let (kind, name) = match ty {
        Type::Message(name) => (MessageKind::Message, name),
        Type::Group(name) => (MessageKind::Group, name),
        _ => return paths.push((path, value.clone())),
    };
    if let Value::Tuple(_) = value
        && depth > 0
    {
        let found = |message: &&Message| message.kind == kind && message.name.text == name.text;
        let message = definitions.messages.iter().find(found).expect("the message");
        for (further, value) in all_paths(definitions, message, value, depth - 1) {
            paths.push(([path.clone(), further].concat(), value));
        }
    }
    paths.push((path, value.clone()));
}

#[test]
fn every_path_leads_to_what_decoding_gives_there() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let text = schema_text(&mut random);
        let definitions = proto::parse(&text);
        let schema = Schema::of(&definitions);
        let values = Values { definitions: &definitions, options: schema.options };
        // One behind the other they are merged.
        let mut input = Vec::new();
        for _ in 0..2 {
            input.extend(schema.encode_value(&values.root(&mut random)).expect("a record"));
        }
        let record = schema.decode_value(&input).expect("a message");
        let message = &definitions.messages[0];
        let all = all_paths(&definitions, message, &record, 3);
        let (paths, expected): (Vec<_>, Vec<_>) =
            all.into_iter().map(|(path, value)| (value::list(path), value.to_string())).unzip();
        for (path, expected) in paths.iter().zip(&expected) {
            let found = select(&schema, &message.name.text, &input, std::slice::from_ref(path));
            assert!(found.is_ok_and(|found| found[0] == *expected), "{path}, seed {seed}, {text}");
        }
        assert!(select(&schema, &message.name.text, &input, &paths) == Ok(expected), "all, seed {seed}, {text}");
    }
}

/// What looking up all of these paths costs.
fn cost(schema: &Schema, input: &[u8], all: &[&str]) -> usize {
    let mut arena = Arena::default();
    let all: Vec<Value> = all.iter().map(|path| value::parse(path)).collect();
    let paths = paths(&mut arena, &all);
    let root = root(schema, "M");
    let look = |mut budget| {
        let found = lookup_all(&schema.plan, root, input, &paths, Options::default(), &mut budget, &&arena);
        match found {
            Ok(_) => Some(budget),
            Err(Failure::OverBudget) => None,
            Err(failure) => panic!("{failure:?}"),
        }
    };
    let cost = AMPLE - look(AMPLE).expect("enough");
    assert_eq!((look(cost), look(cost - 1)), (Some(0), None));
    if let [_] = all[..] {
        let budget = &mut { AMPLE };
        lookup(&schema.plan, root, input, paths.steps(0), Options::default(), budget, &&arena).expect("a message");
        assert_eq!(AMPLE - *budget, cost);
    }
    cost
}

#[test]
fn a_field_that_is_passed_over_costs_the_same_whatever_its_length() {
    let schema = schema(SCHEMA);
    let fields = |len| [wire::delimited(12, &vec![b'a'; len]), wire::number(1, 5)].concat();
    assert_eq!(cost(&schema, &fields(100_000), &["[n]"]), cost(&schema, &fields(1), &["[n]"]));
    assert_eq!(cost(&schema, &fields(1), &["[n]"]), work::RECORD + 2);
    // But a group is gone over.
    let group = |count: usize| wire::group(13, &wire::number(1, 5).repeat(count));
    assert_eq!(cost(&schema, &group(10_000), &["[n]"]), work::RECORD + 1 + work::input(20_000 + 1));
}

#[test]
fn what_paths_have_in_common_is_gone_over_once() {
    let schema = schema(SCHEMA);
    let inner = wire::number(1, 5).repeat(1000);
    let input = wire::delimited(2, &inner);
    let one = cost(&schema, &input, &["[sub,n]"]);
    let three = cost(&schema, &input, &["[sub,n]", "[sub,more]", "[sub,text]"]);
    assert!(one > 1000 && three < one + 50, "{one} for one, {three} for three");
    // In both messages, but not more.
    assert!(cost(&schema, &input.repeat(2), &["[sub,n]", "[sub,more]"]) < 2 * one + 50);
}

#[test]
fn a_part_is_paid_for_before_it_is_decoded() {
    let schema = schema(SCHEMA);
    let input = wire::delimited(2, &wire::number(1, 5).repeat(1000));
    let mut arena = Arena::default();
    let paths = paths(&mut arena, &[value::parse("[sub]")]);
    let budget = &mut { AMPLE };
    let found = lookup(&schema.plan, root(&schema, "M"), &input, paths.steps(0), Options::default(), budget, &&arena);
    let found = found.expect("a message");
    assert_eq!(made(&schema, &input, found, &mut { 2000 / 4 }), Err("OverBudget".into()));
}
