//! The oracle of encoding: what the bytes of a value are, or that it has none, worked out with recursion and without a
//! table.

use protobuf_codec::StringOptions;
use protobuf_codec::schema::{Definitions, Field, Member, Message, MessageKind, Occurrence, Scalar, Type};

use crate::naive_decoder::is_set_item;
use crate::support::arena;
use crate::support::value::Value;

/// How to encode.
pub struct Naive<'d> {
    /// The schema.
    pub definitions: &'d Definitions,
    /// How strings look.
    pub options: StringOptions,
}

/// The bytes, or nothing where the value does not fit.
type Bytes = Option<Vec<u8>>;

fn is_name(value: &Value, wanted: &str) -> bool {
    matches!(value, Value::Name(text) if text == wanted)
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn tag(number: i64, wire_type: u8) -> Vec<u8> {
    varint(number as u64 * 8 + u64::from(wire_type))
}

fn delimited(number: i64, payload: &[u8]) -> Vec<u8> {
    [tag(number, 2), varint(payload.len() as u64), payload.to_vec()].concat()
}

fn group(number: i64, content: &[u8]) -> Vec<u8> {
    [tag(number, 3), content.to_vec(), tag(number, 4)].concat()
}

/// The integer, if it is of that range.
fn ranged(value: &Value, min: i128, max: i128) -> Option<i128> {
    match value {
        Value::Integer(value) if (min..=max).contains(value) => Some(*value),
        _ => None,
    }
}

impl Naive<'_> {
    /// The bytes of a record.
    pub fn encode(&self, message: &Message, record: &Value) -> Bytes {
        let Value::Tuple(elements) = record else { return None };
        if elements.len() != message.members.len() + 1 || !is_name(&elements[0], &message.name.text) {
            return None;
        }
        let mut members: Vec<(i64, &Member)> =
            message.members.iter().map(|member| (position(member), member)).collect();
        members.sort_by_key(|(position, _)| *position);
        let mut bytes = Vec::new();
        for (position, member) in members {
            let value = &elements[position as usize - 1];
            bytes.extend(match member {
                Member::Unknowns { .. } => unknowns(value)?,
                Member::Oneof(_) if is_name(value, "undefined") => Vec::new(),
                Member::Oneof(oneof) => {
                    let Value::Tuple(pair) = value else { return None };
                    let [chosen, value] = &pair[..] else { return None };
                    let field = oneof.fields.iter().find(|field| is_name(chosen, &field.name.text))?;
                    self.tagged(field, field.number, &field.ty, value)?
                }
                Member::Field(field) if message.message_set && is_set_item(field) => {
                    match field.occurrence != Occurrence::Required && is_name(value, "undefined") {
                        true => Vec::new(),
                        false => {
                            let message = self.tagged(field, 3, &field.ty, value)?;
                            group(1, &[tag(2, 0), varint(field.number as u64), message].concat())
                        }
                    }
                }
                Member::Field(field) => self.field(field, value)?,
            });
        }
        Some(bytes)
    }

    fn field(&self, field: &Field, value: &Value) -> Bytes {
        match field.occurrence {
            Occurrence::Required => self.tagged(field, field.number, &field.ty, value),
            Occurrence::Optional | Occurrence::Defaulty if is_name(value, "undefined") => Some(Vec::new()),
            Occurrence::Optional => self.tagged(field, field.number, &field.ty, value),
            Occurrence::Defaulty => match &field.ty {
                Type::Scalar(_) | Type::Enum(_) => {
                    let (_, bytes) = self.scalar(field, &field.ty, value)?;
                    let is_default = match &field.ty {
                        Type::Scalar(Scalar::String | Scalar::Bytes) => bytes.is_empty(),
                        _ => bytes.iter().all(|byte| *byte == 0),
                    };
                    if is_default { Some(Vec::new()) } else { self.tagged(field, field.number, &field.ty, value) }
                }
                _ => self.tagged(field, field.number, &field.ty, value),
            },
            Occurrence::Repeated => {
                let Value::List(elements, None) = value else { return None };
                let packable = match &field.ty {
                    Type::Scalar(scalar) => !matches!(scalar, Scalar::String | Scalar::Bytes),
                    ty => matches!(ty, Type::Enum(_)),
                };
                if packable && field.packed && !elements.is_empty() {
                    let block: Option<Vec<_>> =
                        elements.iter().map(|e| Some(self.scalar(field, &field.ty, e)?.1)).collect();
                    return Some(delimited(field.number, &block?.concat()));
                }
                let fields: Option<Vec<_>> =
                    elements.iter().map(|e| self.tagged(field, field.number, &field.ty, e)).collect();
                Some(fields?.concat())
            }
        }
    }

    fn tagged(&self, field: &Field, number: i64, ty: &Type, value: &Value) -> Bytes {
        let message = |kind, wanted: &str| {
            let mut messages = self.definitions.messages.iter();
            messages.find(|m| m.kind == kind && *m.name.text == *wanted).expect("what is compiled has all it refers to")
        };
        match ty {
            Type::Message(name) => {
                let inner = self.encode(message(MessageKind::Message, &name.text), value)?;
                let delimits = field.delimited && matches!(field.ty, Type::Message(_));
                Some(if delimits { group(number, &inner) } else { delimited(number, &inner) })
            }
            Type::Group(name) => Some(group(number, &self.encode(message(MessageKind::Group, &name.text), value)?)),
            Type::Map(key, of) => {
                let Value::Tuple(pair) = value else { return None };
                let [k, v] = &pair[..] else { return None };
                Some(delimited(number, &[self.tagged(field, 1, key, k)?, self.tagged(field, 2, of, v)?].concat()))
            }
            Type::Scalar(_) | Type::Enum(_) => {
                let (wire_type, bytes) = self.scalar(field, ty, value)?;
                Some(if wire_type == 2 { delimited(number, &bytes) } else { [tag(number, wire_type), bytes].concat() })
            }
        }
    }

    /// Wire type and bytes; without their length, where they have one.
    fn scalar(&self, field: &Field, ty: &Type, value: &Value) -> Option<(u8, Vec<u8>)> {
        let signed = |bits: u32| ranged(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1);
        let unsigned = |bits: u32| ranged(value, 0, (1 << bits) - 1);
        let zigzag = |value: i128| varint((if value < 0 { -2 * value - 1 } else { 2 * value }) as u64);
        let scalar = match ty {
            Type::Scalar(scalar) => *scalar,
            Type::Enum(name) => {
                let definition = self.definitions.enums.iter().find(|e| e.name.text == name.text)?;
                let symbol = definition.values.iter().find(|v| is_name(value, &arena::text(v.symbol)));
                let number = match symbol {
                    Some(symbol) => i128::from(symbol.number),
                    None => signed(32)?,
                };
                return Some((0, varint(number as u64)));
            }
            _ => return None,
        };
        Some(match scalar {
            Scalar::Int32 => (0, varint(signed(32)? as u64)),
            Scalar::Int64 => (0, varint(signed(64)? as u64)),
            Scalar::Uint32 => (0, varint(unsigned(32)? as u64)),
            Scalar::Uint64 => (0, varint(unsigned(64)? as u64)),
            Scalar::Sint32 => (0, zigzag(signed(32)?)),
            Scalar::Sint64 => (0, zigzag(signed(64)?)),
            Scalar::Bool => match value {
                Value::Name(text) if text == "true" => (0, vec![1]),
                Value::Name(text) if text == "false" => (0, vec![0]),
                _ => (0, varint(unsigned(1)? as u64)),
            },
            Scalar::Fixed32 => (5, (unsigned(32)? as u32).to_le_bytes().into()),
            Scalar::Sfixed32 => (5, (signed(32)? as i32).to_le_bytes().into()),
            Scalar::Float => (5, (float(value)? as f32).to_le_bytes().into()),
            Scalar::Fixed64 => (1, (unsigned(64)? as u64).to_le_bytes().into()),
            Scalar::Sfixed64 => (1, (signed(64)? as i64).to_le_bytes().into()),
            Scalar::Double => (1, float(value)?.to_le_bytes().into()),
            Scalar::Bytes => (2, text(value, false, false)?),
            Scalar::String => {
                let utf8 = self.options.with_utf8;
                (2, text(value, utf8, utf8 || field.verify_utf8)?)
            }
        })
    }
}

fn position(member: &Member) -> i64 {
    match member {
        Member::Field(field) => field.position,
        Member::Oneof(oneof) => oneof.position,
        Member::Unknowns { position, .. } => *position,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        Value::Name(text) if text == "infinity" => Some(f64::INFINITY),
        Value::Name(text) if text == "-infinity" => Some(f64::NEG_INFINITY),
        Value::Name(text) if text == "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// The octets of a binary or a list, of octets or of characters, which may have to be UTF-8.
fn text(value: &Value, characters: bool, utf8: bool) -> Bytes {
    let mut bytes = Vec::new();
    flatten(value, characters, &mut bytes)?;
    (!utf8 || std::str::from_utf8(&bytes).is_ok()).then_some(bytes)
}

fn flatten(value: &Value, characters: bool, bytes: &mut Vec<u8>) -> Option<()> {
    match value {
        Value::Binary(octets) => bytes.extend(octets),
        Value::List(elements, tail) => {
            for element in elements {
                match element {
                    Value::Integer(value) if characters => {
                        let character = char::from_u32(u32::try_from(*value).ok()?)?;
                        bytes.extend(character.to_string().into_bytes());
                    }
                    Value::Integer(value) => bytes.push(u8::try_from(*value).ok()?),
                    other => flatten(other, characters, bytes)?,
                }
            }
            if let Some(tail) = tail {
                flatten(tail, characters, bytes)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Kept unknown fields.
fn unknowns(value: &Value) -> Bytes {
    let Value::List(fields, None) = value else { return None };
    let mut bytes = Vec::new();
    for field in fields {
        let Value::Tuple(elements) = field else { return None };
        let [Value::Name(kind), number, value] = &elements[..] else { return None };
        let number = ranged(number, 1, (1 << 29) - 1)? as i64;
        bytes.extend(match kind.as_str() {
            "varint" => [tag(number, 0), varint(ranged(value, 0, u64::MAX.into())? as u64)].concat(),
            "fixed64" => [tag(number, 1), (ranged(value, 0, u64::MAX.into())? as u64).to_le_bytes().into()].concat(),
            "length_delimited" => delimited(number, &text(value, false, false)?),
            "group" => group(number, &unknowns(value)?),
            "fixed32" => [tag(number, 5), (ranged(value, 0, u32::MAX.into())? as u32).to_le_bytes().into()].concat(),
            _ => return None,
        });
    }
    Some(bytes)
}
