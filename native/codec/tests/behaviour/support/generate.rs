//! Random schemas, and random values of them.

use protobuf_codec::StringOptions;
use protobuf_codec::schema::{Definitions, Field, Member, Message, MessageKind, Occurrence, Scalar, Type};

use super::random::Random;
use super::value::{Value, integer, list, name};

/// How many messages a schema has besides groups.
const MESSAGES: usize = 3;

/// Field numbers of schemas are below this, those of unknown fields above.
const UNKNOWN_NUMBERS: usize = 100_000;

/// The text of a schema whose first message is M0.
pub fn schema_text(random: &mut Random) -> String {
    let mut groups = 0;
    let messages: Vec<String> =
        (0..MESSAGES).map(|index| format!("message M{index} {{ {} }}", members(random, &mut groups, 0))).collect();
    format!("{} enum E {{ ZERO = 0; ONE = 1; MINUS = -1; FAR = 70000; }}", messages.join(" "))
}

fn members(random: &mut Random, groups: &mut usize, depth: usize) -> String {
    let mut numbers = Vec::new();
    let mut text = String::new();
    let unknowns = random.below(20);
    for index in 0..random.below(9) {
        if index == unknowns {
            text.push_str("unknowns; ");
        }
        let label = *random.pick(&["", "", "optional ", "repeated ", "packed "]);
        match random.below(10) {
            0 => {
                let fields: Vec<String> = (0..1 + random.below(4))
                    .map(|field| format!("{} o{index}_{field} = {};", ty(random), number(random, &mut numbers)))
                    .collect();
                text.push_str(&format!("oneof f{index} {{ {} }} ", fields.join(" ")));
            }
            1 => {
                let key = *random.pick(&["int32", "uint64", "sint64", "fixed32", "bool", "string", "sfixed64"]);
                let number = number(random, &mut numbers);
                text.push_str(&format!("map<{key},{}> f{index} = {number}; ", ty(random)));
            }
            2 if depth < 2 => {
                *groups += 1;
                let (group, number) = (*groups, number(random, &mut numbers));
                let inner = members(random, groups, depth + 1);
                text.push_str(&format!("{label}group G{group} = {number} {{ {inner} }} "));
            }
            _ => {
                let number = number(random, &mut numbers);
                text.push_str(&format!("{label}{} f{index} = {number}; ", ty(random)));
            }
        }
    }
    text
}

fn ty(random: &mut Random) -> String {
    match random.below(20) {
        scalar @ 0..15 => Scalar::ALL[scalar].1.into(),
        15 => "E".into(),
        _ => format!("M{}", random.below(MESSAGES)),
    }
}

fn number(random: &mut Random, taken: &mut Vec<usize>) -> usize {
    loop {
        let end = *random.pick(&[16, 16, 600, UNKNOWN_NUMBERS]);
        let number = 1 + random.below(end - 1);
        if !taken.contains(&number) {
            taken.push(number);
            return number;
        }
    }
}

/// Makes values that are what decoding gives.
pub struct Values<'d> {
    pub definitions: &'d Definitions,
    pub options: StringOptions,
}

impl Values<'_> {
    pub fn root(&self, random: &mut Random) -> Value {
        self.record(random, &self.definitions.messages[0], 0)
    }

    fn record(&self, random: &mut Random, message: &Message, depth: usize) -> Value {
        let members = message.members.iter().map(|member| match member {
            Member::Field(field) => self.field(random, field, depth),
            Member::Oneof(_) if random.one_in(3) || depth > 4 => name("undefined"),
            Member::Oneof(oneof) => {
                let field = random.pick(&oneof.fields);
                Value::Tuple(vec![name(&field.name.text), self.value(random, &field.ty, depth)])
            }
            Member::Unknowns { .. } => unknowns(random, depth),
        });
        let mut record = vec![name(&message.name.text)];
        record.extend(members);
        Value::Tuple(record)
    }

    fn field(&self, random: &mut Random, field: &Field, depth: usize) -> Value {
        let message = matches!(field.ty, Type::Message(_) | Type::Group(_));
        match (field.occurrence, &field.ty) {
            (Occurrence::Repeated, _) if depth > 4 => list(Vec::new()),
            (Occurrence::Repeated, Type::Map(key, value)) => {
                let mut entries: Vec<(String, Value)> = Vec::new();
                for _ in 0..random.below(5) {
                    let key = self.value(random, key, depth);
                    if entries.iter().all(|(known, _)| *known != key.to_string()) {
                        let entry = Value::Tuple(vec![key.clone(), self.value(random, value, depth)]);
                        entries.push((key.to_string(), entry));
                    }
                }
                list(entries.into_iter().map(|(_, entry)| entry).collect())
            }
            (Occurrence::Repeated, ty) => {
                let end = *random.pick(&[1, 3, 5]);
                list((0..random.below(end)).map(|_| self.value(random, ty, depth)).collect())
            }
            (Occurrence::Optional, _) if random.one_in(2) => name("undefined"),
            _ if message && (random.one_in(2) || depth > 4) => name("undefined"),
            (_, ty) => self.value(random, ty, depth),
        }
    }

    fn value(&self, random: &mut Random, ty: &Type, depth: usize) -> Value {
        match ty {
            Type::Scalar(scalar) => self.scalar(random, *scalar),
            Type::Enum(_) => match random.below(5) {
                0 => integer(*random.pick(&[2, -2, i32::MAX, i32::MIN, 255, 256])),
                _ => name(random.pick::<&str>(&["ZERO", "ONE", "MINUS", "FAR"])),
            },
            Type::Message(name) => self.named(random, MessageKind::Message, &name.text, depth),
            Type::Group(name) => self.named(random, MessageKind::Group, &name.text, depth),
            Type::Map(..) => unreachable!("maps are repeated fields"),
        }
    }

    fn named(&self, random: &mut Random, kind: MessageKind, name: &str, depth: usize) -> Value {
        let mut messages = self.definitions.messages.iter();
        let message = messages.find(|message| message.kind == kind && message.name.text.as_ref() == name);
        self.record(random, message.expect("it is defined"), depth + 1)
    }

    fn scalar(&self, random: &mut Random, scalar: Scalar) -> Value {
        let bits = random.wide();
        match scalar {
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => integer(bits as i32),
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => integer(bits as i64),
            Scalar::Uint32 | Scalar::Fixed32 => integer(bits as u32),
            Scalar::Uint64 | Scalar::Fixed64 => integer(bits),
            Scalar::Bool => name(if bits & 1 == 1 { "true" } else { "false" }),
            Scalar::Float => float(f64::from(f32::from_bits(random.bits() as u32))),
            Scalar::Double => float(f64::from_bits(random.bits())),
            Scalar::Bytes => Value::Binary(random.octets(200)),
            Scalar::String => match (self.options.string_as_list, self.options.with_utf8) {
                (false, false) => Value::Binary(random.octets(20)),
                (false, true) => Value::Binary(random.text(20).into_bytes()),
                (true, false) => list(random.octets(20).into_iter().map(integer).collect()),
                (true, true) => list(random.text(20).chars().map(|c| integer(u32::from(c))).collect()),
            },
        }
    }
}

/// A float as decoding gives it.
pub fn float(value: f64) -> Value {
    match value {
        _ if value.is_finite() => Value::Float(value),
        _ if value.is_nan() => name("nan"),
        _ => name(if value > 0.0 { "infinity" } else { "-infinity" }),
    }
}

fn unknowns(random: &mut Random, depth: usize) -> Value {
    let end = if depth > 4 { 1 } else { 4 };
    let kept = |random: &mut Random| {
        let number = integer(UNKNOWN_NUMBERS as u32 + random.below(1_000) as u32);
        let (kind, value) = match random.below(5) {
            0 => ("varint", integer(random.wide())),
            1 => ("fixed32", integer(random.bits() as u32)),
            2 => ("fixed64", integer(random.bits())),
            3 => ("length_delimited", Value::Binary(random.octets(10))),
            _ => ("group", unknowns(random, depth + 1)),
        };
        Value::Tuple(vec![name(kind), number, value])
    };
    list((0..random.below(end)).map(|_| kept(random)).collect())
}

/// The value with the entries of its maps in one order. (An entry is a pair that does not begin with a message's name.)
pub fn maps_sorted(value: &Value) -> Value {
    match value {
        Value::Tuple(elements) => Value::Tuple(elements.iter().map(maps_sorted).collect()),
        Value::List(elements, None) => {
            let mut elements: Vec<Value> = elements.iter().map(maps_sorted).collect();
            let entry = |element: &Value| match element {
                Value::Tuple(pair) if pair.len() == 2 => {
                    !matches!(&pair[0], Value::Name(name) if name.starts_with(char::is_uppercase))
                }
                _ => false,
            };
            if elements.iter().all(entry) {
                elements.sort_by_key(Value::to_string);
            }
            list(elements)
        }
        other => other.clone(),
    }
}
