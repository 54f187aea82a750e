//! What is done with a case, by each fuzzer. A disagreement is a panic that tells both answers.

use protobuf_codec::StringOptions;
use protobuf_codec::decode::Outcome;
use protobuf_codec::schema::{Definitions, Member, Message, MessageKind, Plan};
use std::cell::{OnceCell, RefCell};

use crate::any_definitions::{any_definitions, is_valid};
use crate::source::Source;
use crate::support::arena::{self, Arena, Builder};
use crate::support::generate::{Values, maps_sorted, schema_text};
use crate::support::random::Random;
use crate::support::value::{Value, integer, name};
use crate::support::{Schema, proto, wire};
use crate::{naive_decoder, naive_encoder};

/// How many schemas the cases choose from.
const SCHEMAS: usize = 256;

/// How many bytes are decoded to a value: taking a value apart recurses.
const MOST_FOR_A_VALUE: usize = 4096;

/// A schema and its definitions.
pub struct Known {
    /// What it was made from.
    pub definitions: Definitions,
    /// What is under test.
    pub schema: Schema,
}

impl Known {
    fn new(definitions: Definitions) -> Known {
        Known { schema: Schema::of(&definitions), definitions }
    }

    /// The message that [`Schema`] takes: the first one, unless that is a group that a message shares its name with.
    fn root(&self) -> &Message {
        let first = &self.definitions.messages[0];
        let mut messages = self.definitions.messages.iter();
        let same = messages.find(|m| m.kind == MessageKind::Message && m.name.text == first.name.text);
        same.unwrap_or(first)
    }
}

thread_local! {
    static KNOWN: [OnceCell<RefCell<Known>>; SCHEMAS] = const { [const { OnceCell::new() }; SCHEMAS] };
}

/// Does something with the schema of that number: the first ones are those of the codec's own tests.
pub fn with_schema<R>(number: u8, work: impl FnOnce(&mut Known) -> R) -> R {
    KNOWN.with(|all| {
        let known = all[usize::from(number)].get_or_init(|| {
            let definitions = match HAND_MADE.get(usize::from(number)) {
                Some(text) => proto::parse(text),
                None => random_definitions(&mut Random::new(u64::from(number))),
            };
            Known::new(definitions).into()
        });
        work(&mut known.borrow_mut())
    })
}

/// A schema of the codec's own tests, with enums that are closed, strings that are looked at and messages that are
/// delimited in every other one.
fn random_definitions(random: &mut Random) -> Definitions {
    let mut definitions = proto::parse(&schema_text(random));
    if random.one_in(2) {
        return definitions;
    }
    for definition in &mut definitions.enums {
        definition.closed = random.one_in(2);
    }
    let fields =
        definitions.messages.iter_mut().flat_map(|message| &mut message.members).flat_map(|member| match member {
            Member::Field(field) => std::slice::from_mut(field),
            Member::Oneof(oneof) => &mut oneof.fields[..],
            Member::Unknowns { .. } => &mut [],
        });
    for field in fields {
        field.delimited = random.one_in(3);
        field.verify_utf8 = random.one_in(2);
    }
    definitions
}

/// Every type in every role, and types that contain themselves in every way.
const HAND_MADE: [&str; 4] = [
    "message Wide {
        int32 a1 = 1; int64 a2 = 2; uint32 a3 = 3; uint64 a4 = 4; sint32 a5 = 5; sint64 a6 = 6; bool a7 = 7;
        fixed32 a8 = 8; sfixed32 a9 = 9; float a10 = 10; fixed64 a11 = 11; sfixed64 a12 = 12; double a13 = 13;
        string a14 = 14; bytes a15 = 15; E a16 = 16;
        optional sint32 b1 = 17; optional string b2 = 18; optional E b3 = 19;
        packed int32 c1 = 20; packed sint64 c2 = 21; packed double c3 = 22; packed E c4 = 23; packed bool c5 = 24;
        repeated fixed32 d1 = 25; repeated string d2 = 26;
        Wide e1 = 27; repeated Wide e2 = 28; optional group Inner = 29 { int32 x = 1; repeated int32 y = 2; }
        map<string,int32> f1 = 30; map<sint64,Leaf> f2 = 31; map<bool,bytes> f3 = 32;
        oneof g { int32 g1 = 33; string g2 = 34; Leaf g3 = 35; Wide g4 = 2000; }
    }
    message Leaf { optional int32 x = 1; repeated int32 y = 2; Leaf z = 3; }
    enum E { ZERO = 0; ONE = 1; MINUS = -1; FAR = 70000; }",
    "message M {
        M m = 1; repeated M r = 2; map<int32,M> f = 3; oneof o { M p = 4; N n = 5; int32 i = 6; }
        optional group G = 7 { group GG = 1 { M m = 1; N n = 2; } M m = 2; oneof o { M p = 3; string s = 4; } int32 x = 5; }
        repeated group H = 8 { M m = 1; map<string,N> f = 2; }
        int32 x = 9;
    }
    message N { N n = 1; oneof o { M m = 2; N p = 3; } map<fixed64,N> f = 4; repeated N r = 5; unknowns; }
    enum E { ZERO = 0; ONE = 1; MINUS = -1; FAR = 70000; }",
    "message K { unknowns; repeated group L = 1 { unknowns; required int32 x = 1; } required string s = 2; }
    enum E { ZERO = 0; ONE = 1; MINUS = -1; FAR = 70000; }",
    "message S { message_set; S s = 4; C c = 5; unknowns; required U u = 1000000; }
    message C { repeated C r = 1; optional S s = 2; packed E p = 3; map<string,E> f = 4; oneof o { E e = 5; S t = 6; } unknowns; }
    message U { message_set; U a = 3; delimited C b = 7; repeated S d = 8; }
    enum E { closed; ZERO = 0; ONE = 1; MINUS = -1; FAR = 70000; }",
];

fn options(bits: u8) -> StringOptions {
    StringOptions { string_as_list: bits & 1 != 0, with_utf8: bits & 2 != 0 }
}

/// Bytes of a message. Head: the schema, the options, a number for budget and limits.
pub fn decode(case: &[u8]) {
    let [schema, bits, number, wire @ ..] = case else { return };
    with_schema(*schema, |known| {
        known.schema.options = options(*bits);
        let limited = bits & 4 != 0;
        known.schema.max_depth = if limited { u32::from(number % 16) } else { u32::MAX };
        check_decoding(known, wire, usize::from(*number) * 4);
    });
}

fn check_decoding(known: &Known, wire: &[u8], budget: usize) {
    let schema = &known.schema;
    let ours = schema.decode_value(wire);
    let naive =
        naive_decoder::Naive { definitions: &known.definitions, options: schema.options, max_depth: schema.max_depth };
    let theirs = naive.decode(known.root(), wire);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(maps_sorted(ours).to_string(), maps_sorted(theirs).to_string());
            check_encoding(known, ours, budget);
        }
        (Err(error), Err(_)) => {
            assert!(error.offset <= wire.len(), "{error:?}");
            assert!(error.path.starts_with(&*known.root().name.text), "{error:?}");
        }
        (Ok(ours), Err(_)) => panic!("ours: {ours}, theirs: refused"),
        (Err(error), Ok(theirs)) => panic!("ours: {error:?}, theirs: {theirs}"),
    }
    let mut builder = Builder::new(wire);
    match (schema.decode_with(wire, budget, &mut builder), ours) {
        (Ok(Outcome::OverBudget), _) => {}
        (Ok(Outcome::Done(term)), Ok(value)) => assert_eq!(builder.arena.value(term).to_string(), value.to_string()),
        (Err(error), Err(same)) => assert_eq!(error, same),
        (other, _) => panic!("within a budget it is {other:?}"),
    }
}

/// Checks the bytes of a value, and that they decode to what the oracle decodes them to.
fn check_encoding(known: &Known, value: &Value, budget: usize) -> Option<Vec<u8>> {
    let schema = &known.schema;
    let ours = schema.encode_value(value);
    let naive = naive_encoder::Naive { definitions: &known.definitions, options: schema.options };
    let theirs = naive.encode(known.root(), value);
    let mut arena = Arena::default();
    let term = arena.put(value);
    match (schema.encode_with(term, budget, &arena), &ours) {
        (Ok(None), _) => {}
        (Ok(Some(within)), Ok(bytes)) => assert_eq!(within, *bytes),
        (Err(_), Err(_)) => {}
        (other, _) => panic!("within a budget it is {other:?}"),
    }
    match (ours, theirs) {
        (Ok(ours), Some(theirs)) => {
            assert_eq!(wire::hex(&ours), wire::hex(&theirs), "bytes of {value}");
            Some(ours)
        }
        (Err(_), None) => None,
        (ours, theirs) => panic!("{value}\nours: {ours:?}\ntheirs: {theirs:?}"),
    }
}

/// A value. Head: the schema, the options, a number for the budget, a length and so many bytes, which are decoded to a
/// value; where the length is 0, eight bytes that a random one is made from. The rest changes the value.
pub fn encode(case: &[u8]) {
    let [schema, bits, number, rest @ ..] = case else { return };
    with_schema(*schema, |known| {
        known.schema.options = options(*bits);
        known.schema.max_depth = u32::MAX;
        let mut source = Source(rest);
        let mut value = match source.byte() {
            0 => {
                let values = Values { definitions: &known.definitions, options: known.schema.options };
                values.root(&mut Random::new(source.long()))
            }
            len => {
                let decoded = known.schema.decode_value(source.take(len.into()));
                decoded.or_else(|_| known.schema.decode_value(&[])).expect("no bytes are a message")
            }
        };
        while !source.is_empty() {
            replace(&mut source, &mut value);
        }
        if let Some(bytes) = check_encoding(known, &value, usize::from(*number) * 4) {
            check_decoding(known, &bytes, usize::from(*number) * 4);
        }
    });
}

/// Puts another term at a place in the value, or changes the value there.
fn replace(source: &mut Source<'_>, value: &mut Value) {
    let go_down = source.below(4) != 0;
    match value {
        Value::Tuple(elements) if go_down && !elements.is_empty() => {
            let index = source.below(elements.len().min(256));
            replace(source, &mut elements[index]);
        }
        Value::List(elements, _) if go_down && !elements.is_empty() => {
            let index = source.below(elements.len().min(256));
            replace(source, &mut elements[index]);
        }
        Value::Tuple(elements) => match source.below(4) {
            0 => drop(elements.pop()),
            1 => elements.push(odd(source, 0)),
            _ => *value = odd(source, 0),
        },
        Value::List(elements, tail) => match source.below(6) {
            0 => drop(elements.pop()),
            1 => elements.extend(elements.last().cloned()),
            2 => elements.push(odd(source, 0)),
            // A list that ends in a list is a longer list.
            3 if !elements.is_empty() => {
                *tail = Some(odd(source, 0)).filter(|tail| !matches!(tail, Value::List(..))).map(Box::new);
            }
            _ => *value = odd(source, 0),
        },
        Value::Integer(number) => match source.below(3) {
            0 => *number = number.wrapping_add(i128::from(source.byte() as i8)),
            1 => *number = -*number,
            _ => *value = odd(source, 0),
        },
        Value::Binary(bytes) if go_down => bytes.extend(source.bytes(8)),
        other => *other = odd(source, 0),
    }
}

/// Any term.
fn odd(source: &mut Source<'_>, depth: usize) -> Value {
    const NAMES: [&str; 24] = [
        "undefined",
        "true",
        "false",
        "infinity",
        "-infinity",
        "nan",
        "M0",
        "M1",
        "G1",
        "Wide",
        "Leaf",
        "ZERO",
        "MINUS",
        "varint",
        "fixed32",
        "fixed64",
        "length_delimited",
        "group",
        "g1",
        "g3",
        "g4",
        "o0_0",
        "o1_0",
        "no_such_name",
    ];
    let deeper = |source: &mut Source<'_>| {
        let len = if depth < 5 { source.below(4) } else { 0 };
        (0..len).map(|_| odd(source, depth + 1)).collect::<Vec<_>>()
    };
    match source.below(12) {
        0..=2 => name(source.pick::<&str>(&NAMES)),
        3 => integer(source.byte()),
        4 => integer(source.long()),
        5 => {
            let power = 1i128 << source.below(126);
            let sign = if source.below(2) == 0 { 1 } else { -1 };
            integer(sign * power + i128::from(source.below(3) as i8 - 1))
        }
        6 if source.below(4) == 0 => Value::Huge,
        6 => Value::Float(Some(f64::from_bits(source.long())).filter(|f| f.is_finite()).unwrap_or(-0.0)),
        7 => Value::Binary(source.bytes(40)),
        8 => Value::Binary("aä€😀".bytes().take(source.below(12)).collect()),
        9 => Value::Tuple(deeper(source)),
        10 => {
            let code_points = [0, 0x7f, 0x80, 0xff, 0x100, 0xd7ff, 0xd800, 0xe000, 0xffff, 0x10000, 0x10ffff, 0x110000];
            Value::List((0..source.below(6)).map(|_| integer(*source.pick(&code_points))).collect(), None)
        }
        _ => {
            let elements = deeper(source);
            let tail = Some(source.below(4)).filter(|tail| *tail == 0 && !elements.is_empty());
            let tail = tail.map(|_| Box::new(Value::Binary(source.bytes(4))));
            Value::List(elements, tail)
        }
    }
}

/// Definitions, and bytes of a message of theirs.
pub fn definitions(case: &[u8]) {
    let mut source = Source(case);
    let definitions = any_definitions(&mut source);
    let compiled = Plan::compile(&definitions, arena::constants());
    let valid = is_valid(&definitions);
    match compiled {
        Err(error) => assert!(!valid, "{error:?} of {definitions:?}"),
        Ok(_) => {
            assert!(valid, "accepted: {definitions:?}");
            // Sets with fields that no set has in protobuf mean nothing that could be compared.
            if !definitions.messages.is_empty() && !definitions.messages.iter().any(|m| m.message_set) {
                let mut known = Known::new(definitions);
                known.schema.options = options(source.byte());
                check_decoding(&known, source.0, 1_000);
            }
        }
    }
}

/// Bytes of a message that are many times as long as the case: nested deep, or one piece over and over. Head: the
/// schema, the options, how often (two bytes), the field, how long the piece is; then the piece, and what is behind.
pub fn large(case: &[u8]) {
    let mut source = Source(case);
    let (schema, bits, times, field) = (source.byte() % 4, source.byte(), source.short(), source.byte());
    let len = source.below(16).min(source.0.len());
    let (piece, behind) = source.0.split_at(len);
    let behind = &behind[..behind.len().min(MOST_FOR_A_VALUE)];
    let times = usize::from(times);
    let wire = match bits >> 6 {
        0 => [&piece.repeat(times)[..], behind].concat(),
        1 => wire::nested(u32::from(field % 16) + 1, times, |_| piece.to_vec()),
        2 => {
            let (start, end) = (wire::group(u32::from(field % 16) + 1, &[]), piece);
            let (start, its_end) = start.split_at(start.len() / 2);
            [start.repeat(times), behind.to_vec(), its_end.repeat(times), end.to_vec()].concat()
        }
        _ => {
            // Elements of a map, or messages, each with a key or value of its own.
            let element = |index: usize| {
                wire::delimited(u32::from(field % 16) + 1, &[&wire::number(1, index as u64 % 5_000), piece].concat())
            };
            [(0..times.min(20_000)).flat_map(element).collect(), behind.to_vec()].concat()
        }
    };
    with_schema(schema, |known| {
        known.schema.options = options(bits);
        known.schema.max_depth = if bits & 4 == 0 { u32::MAX } else { u32::from(field) * 64 };
        check_large(&known.schema, &wire);
    });
}

/// What holds for any size, without taking the value apart: what it is encoded to is decoded and encoded to the same
/// number of bytes, and then again to the same bytes. (Of a map each round may turn the order round within a slot.)
fn check_large(schema: &Schema, wire: &[u8]) {
    let round = |wire: &[u8]| {
        let mut builder = Builder::new(wire);
        match schema.decode_with(wire, usize::MAX, &mut builder) {
            // What is required may be missing, and binaries are not looked at when they are decoded.
            Ok(Outcome::Done(term)) => schema.encode_with(term, usize::MAX, &builder.arena).ok().flatten(),
            Ok(other) => panic!("{other:?} of a budget without end"),
            Err(_) => None,
        }
    };
    if let Some(bytes) = round(wire) {
        let again = round(&bytes).expect("what was encoded decodes");
        assert_eq!(again.len(), bytes.len());
        assert!(round(&again).as_ref() == Some(&bytes), "encoded otherwise after two rounds");
    }
}
