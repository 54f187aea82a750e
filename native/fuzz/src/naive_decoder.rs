//! The oracle of decoding: follows the specification with maps and recursion, one field after the other, and shares no
//! code with the codec. It tells what comes out, or that nothing does, but not why.

use std::collections::BTreeMap;

use protobuf_codec::StringOptions;
use protobuf_codec::schema::{Definitions, Enum, Field, Member, Message, MessageKind, Occurrence, Scalar, Type};

use crate::naive_wire::{Refused, Result, fixed, payload, tag, unknown_value, varint};
use crate::support::arena;
use crate::support::generate::float;
use crate::support::value::{Value, integer, list, name};

/// How to decode.
pub struct Naive<'d> {
    /// The schema.
    pub definitions: &'d Definitions,
    /// How strings look.
    pub options: StringOptions,
    /// How deep messages, groups and map entries may lie within the outermost one.
    pub max_depth: u32,
}

/// A record that is being read: what its members hold, by their positions.
#[derive(Default)]
struct Open<'d>(BTreeMap<i64, Held<'d>>);

enum Held<'d> {
    One(Value),
    Message(&'d Message, Open<'d>),
    Member(String, Box<Held<'d>>),
    Many(Vec<Value>),
    Entries(Vec<(String, Value)>),
}

fn wire_type(ty: &Type) -> u8 {
    match ty {
        Type::Scalar(Scalar::Fixed64 | Scalar::Sfixed64 | Scalar::Double) => 1,
        Type::Scalar(Scalar::Fixed32 | Scalar::Sfixed32 | Scalar::Float) => 5,
        Type::Scalar(Scalar::String | Scalar::Bytes) | Type::Message(_) | Type::Map(..) => 2,
        Type::Group(_) => 3,
        Type::Scalar(_) | Type::Enum(_) => 0,
    }
}

/// That of a field, whose message may be written like a group.
fn wire_type_of(field: &Field) -> u8 {
    if field.delimited && matches!(field.ty, Type::Message(_)) { 3 } else { wire_type(&field.ty) }
}

impl<'d> Naive<'d> {
    /// The record of that message.
    pub fn decode(&self, message: &'d Message, input: &[u8]) -> Result<Value> {
        let mut open = Open::default();
        self.fields(message, &mut open, &mut { input }, None, self.max_depth)?;
        self.record(message, open)
    }

    /// The message or group of that name.
    pub fn message(&self, kind: MessageKind, wanted: &str) -> &'d Message {
        let mut messages = self.definitions.messages.iter();
        messages
            .find(|m| m.kind == kind && *m.name.text == *wanted)
            .expect("a compiled schema has all that it refers to")
    }

    fn enumeration(&self, wanted: &str) -> &'d Enum {
        let mut enums = self.definitions.enums.iter();
        enums.find(|e| *e.name.text == *wanted).expect("a compiled schema has all that it refers to")
    }

    /// Reads fields up to the end of `data`, or up to the end of the group with that number.
    fn fields(
        &self,
        message: &'d Message,
        open: &mut Open<'d>,
        data: &mut &[u8],
        group: Option<i64>,
        depth: u32,
    ) -> Result<()> {
        while !data.is_empty() {
            let (number, wire) = tag(data)?;
            let of_number = |field: &&Field| field.number == number;
            let found = message.members.iter().find_map(|member| match member {
                Member::Field(field) => Some((field, false)).filter(|(field, _)| of_number(field)),
                Member::Oneof(oneof) => oneof.fields.iter().find(of_number).map(|field| (field, true)),
                Member::Unknowns { .. } => None,
            });
            if self.is_closed(found.map(|(field, _)| &field.ty), wire, data, depth)? {
                self.unknown(message, open, number, wire, data, depth)?;
                continue;
            }
            match found {
                None if message.message_set && (number, wire) == (1, 3) => {
                    self.item(message, open, data, depth)?;
                }
                Some((field, false)) if message.message_set && wire == 2 && is_set_item(field) => {
                    // Found in the field by itself, which counts as an item does.
                    self.field(open, field, data, depth.checked_sub(1).ok_or(Refused)?)?;
                }
                Some((field, true)) if wire == wire_type_of(field) => self.member(open, field, data, depth)?,
                Some((field, false)) if wire == wire_type_of(field) => self.field(open, field, data, depth)?,
                Some((field, false)) if wire == 2 && field.occurrence == Occurrence::Repeated => match &field.ty {
                    Type::Scalar(_) | Type::Enum(_) => {
                        let mut block = payload(data)?;
                        while !block.is_empty() {
                            match self.is_closed(Some(&field.ty), 0, block, depth)? {
                                true => self.unknown(message, open, number, 0, &mut block, depth)?,
                                false => open.push(field.position, self.value(field, &field.ty, &mut block)?),
                            }
                        }
                    }
                    _ => self.unknown(message, open, number, wire, data, depth)?,
                },
                _ if wire == 4 => return if Some(number) == group { Ok(()) } else { Err(Refused) },
                _ => self.unknown(message, open, number, wire, data, depth)?,
            }
        }
        if group.is_some() { Err(Refused) } else { Ok(()) }
    }

    /// Whether the value that comes is one that a closed enum does not have, or an entry with such a value.
    fn is_closed(&self, ty: Option<&Type>, wire: u8, mut data: &[u8], depth: u32) -> Result<bool> {
        match ty {
            Some(Type::Enum(name)) if wire == 0 && self.enumeration(&name.text).closed => {
                let number = varint(&mut data)? as i32;
                Ok(matches!(self.symbol(&name.text, number), Value::Integer(_)))
            }
            Some(Type::Map(_, value)) if wire == 2 && matches!(**value, Type::Enum(_)) => {
                let depth = depth.checked_sub(1).ok_or(Refused)?;
                let mut entry = payload(&mut data)?;
                let mut closed = false;
                while !entry.is_empty() {
                    let (inner, wire) = tag(&mut entry)?;
                    if (inner, wire) == (2, 0) {
                        // The last one counts.
                        closed = self.is_closed(Some(value), wire, entry, depth)?;
                    }
                    unknown_value(inner, wire, &mut entry, depth)?;
                }
                Ok(closed)
            }
            _ => Ok(false),
        }
    }

    /// An item of a message set: a group of the number of a field, 2, and of its message, 3, in any order.
    fn item(&self, set: &'d Message, open: &mut Open<'d>, data: &mut &[u8], depth: u32) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(Refused)?;
        let mut look_ahead = *data;
        let field = loop {
            match tag(&mut look_ahead)? {
                (2, 0) => {
                    let number = varint(&mut look_ahead)? as u64;
                    break set.members.iter().find_map(|member| match member {
                        Member::Field(field) if field.number as u64 == number && is_set_item(field) => Some(field),
                        _ => None,
                    });
                }
                (1, 4) => break None,
                (number, wire) => drop(unknown_value(number, wire, &mut look_ahead, depth)?),
            }
        };
        let Some(field) = field else {
            // The group whose tag has been read.
            return self.unknown(set, open, 1, 3, data, depth + 1);
        };
        loop {
            match tag(data)? {
                (1, 4) => return Ok(()),
                (number, 2) if number == 3 || number == field.number => self.field(open, field, data, depth)?,
                (number, wire) => drop(unknown_value(number, wire, data, depth)?),
            }
        }
    }

    fn unknown(
        &self,
        message: &Message,
        open: &mut Open<'d>,
        number: i64,
        wire: u8,
        data: &mut &[u8],
        depth: u32,
    ) -> Result<()> {
        let value = unknown_value(number, wire, data, depth)?;
        // Of several places the last one.
        for member in message.members.iter().rev() {
            if let Member::Unknowns { position, .. } = member {
                open.push(*position, value);
                break;
            }
        }
        Ok(())
    }

    fn field(&self, open: &mut Open<'d>, field: &'d Field, data: &mut &[u8], depth: u32) -> Result<()> {
        let repeated = field.occurrence == Occurrence::Repeated;
        match &field.ty {
            Type::Map(key, value) => {
                let (key, value) =
                    self.entry(field, key, value, payload(data)?, depth.checked_sub(1).ok_or(Refused)?)?;
                let entry = Value::Tuple(vec![key.clone(), value]);
                open.entry(field.position, key.to_string(), entry);
            }
            Type::Message(_) | Type::Group(_) if repeated => {
                let read = self.inner(field, &field.ty, field.number, Open::default(), data, depth)?;
                open.push(field.position, self.finished(read)?);
            }
            Type::Message(_) | Type::Group(_) => {
                let before = match open.0.remove(&field.position) {
                    Some(Held::Message(_, before)) => before,
                    _ => Open::default(),
                };
                let read = self.inner(field, &field.ty, field.number, before, data, depth)?;
                open.0.insert(field.position, read);
            }
            ty => {
                let value = self.value(field, ty, data)?;
                match repeated {
                    true => open.push(field.position, value),
                    false => drop(open.0.insert(field.position, Held::One(value))),
                }
            }
        }
        Ok(())
    }

    fn member(&self, open: &mut Open<'d>, field: &'d Field, data: &mut &[u8], depth: u32) -> Result<()> {
        let name = field.name.text.to_string();
        let held = match &field.ty {
            Type::Message(_) | Type::Group(_) => {
                let before = match open.0.remove(&field.position) {
                    Some(Held::Member(before, held)) if before == name => match *held {
                        Held::Message(_, before) => before,
                        _ => Open::default(),
                    },
                    _ => Open::default(),
                };
                self.inner(field, &field.ty, field.number, before, data, depth)?
            }
            ty => Held::One(self.value(field, ty, data)?),
        };
        open.0.insert(field.position, Held::Member(name, Box::new(held)));
        Ok(())
    }

    /// Goes on with a message or group.
    fn inner(
        &self,
        field: &Field,
        ty: &'d Type,
        number: i64,
        mut open: Open<'d>,
        data: &mut &[u8],
        depth: u32,
    ) -> Result<Held<'d>> {
        let depth = depth.checked_sub(1).ok_or(Refused)?;
        let message = match ty {
            Type::Group(name) => {
                let message = self.message(MessageKind::Group, &name.text);
                self.fields(message, &mut open, data, Some(number), depth)?;
                message
            }
            Type::Message(name) => {
                let message = self.message(MessageKind::Message, &name.text);
                match wire_type_of(field) {
                    3 => self.fields(message, &mut open, data, Some(number), depth)?,
                    _ => self.fields(message, &mut open, &mut payload(data)?, None, depth)?,
                }
                message
            }
            _ => unreachable!("the caller has looked"),
        };
        Ok(Held::Message(message, open))
    }

    fn entry(
        &self,
        field: &Field,
        key: &'d Type,
        value: &'d Type,
        mut data: &[u8],
        depth: u32,
    ) -> Result<(Value, Value)> {
        let (mut read_key, mut read_value) = (None, None);
        while !data.is_empty() {
            let (number, wire) = tag(&mut data)?;
            if number == 1 && wire == wire_type(key) {
                read_key = Some(self.value(field, key, &mut data)?);
            } else if number == 2 && self.is_closed(Some(value), wire, data, depth)? {
                // A later one counts, or the entry would not be read.
                unknown_value(number, wire, &mut data, depth)?;
            } else if number == 2 && wire == wire_type(value) {
                read_value = Some(match (value, read_value) {
                    (Type::Message(_), Some(Held::Message(_, before))) => {
                        self.inner(field, value, 2, before, &mut data, depth)?
                    }
                    (Type::Message(_), _) => self.inner(field, value, 2, Open::default(), &mut data, depth)?,
                    _ => Held::One(self.value(field, value, &mut data)?),
                });
            } else {
                unknown_value(number, wire, &mut data, depth)?;
            }
        }
        let read_key = read_key.unwrap_or_else(|| self.default(key));
        let read_value = match (read_value, value) {
            (Some(held), _) => self.finished(held)?,
            (None, Type::Message(name)) => {
                self.record(self.message(MessageKind::Message, &name.text), Open::default())?
            }
            (None, ty) => self.default(ty),
        };
        Ok((read_key, read_value))
    }

    fn value(&self, field: &Field, ty: &Type, data: &mut &[u8]) -> Result<Value> {
        let scalar = match ty {
            Type::Scalar(scalar) => *scalar,
            Type::Enum(name) => {
                let number = varint(data)? as i32;
                return Ok(self.symbol(&name.text, number));
            }
            _ => unreachable!("no scalar"),
        };
        Ok(match scalar {
            Scalar::Int32 => integer(varint(data)? as i32),
            Scalar::Int64 => integer(varint(data)? as i64),
            Scalar::Uint32 => integer(varint(data)? as u32),
            Scalar::Uint64 => integer(varint(data)? as u64),
            Scalar::Sint32 => {
                let bits = varint(data)? as u32;
                integer((bits >> 1) as i32 ^ -((bits & 1) as i32))
            }
            Scalar::Sint64 => {
                let bits = varint(data)? as u64;
                integer((bits >> 1) as i64 ^ -((bits & 1) as i64))
            }
            Scalar::Bool => name(if varint(data)? as u64 == 0 { "false" } else { "true" }),
            Scalar::Fixed32 => integer(u32::from_le_bytes(fixed(data)?)),
            Scalar::Sfixed32 => integer(i32::from_le_bytes(fixed(data)?)),
            Scalar::Fixed64 => integer(u64::from_le_bytes(fixed(data)?)),
            Scalar::Sfixed64 => integer(i64::from_le_bytes(fixed(data)?)),
            Scalar::Float => float(f64::from(f32::from_le_bytes(fixed(data)?))),
            Scalar::Double => float(f64::from_le_bytes(fixed(data)?)),
            Scalar::Bytes => Value::Binary(payload(data)?.to_vec()),
            Scalar::String => {
                let octets = payload(data)?;
                if field.verify_utf8 && std::str::from_utf8(octets).is_err() {
                    return Err(Refused);
                }
                match (self.options.string_as_list, self.options.with_utf8) {
                    (false, _) => Value::Binary(octets.to_vec()),
                    (true, false) => list(octets.iter().map(|octet| integer(*octet)).collect()),
                    (true, true) => {
                        let text = std::str::from_utf8(octets).map_err(|_| Refused)?;
                        list(text.chars().map(|character| integer(u32::from(character))).collect())
                    }
                }
            }
        })
    }

    fn symbol(&self, enumeration: &str, number: i32) -> Value {
        let mut values = self.enumeration(enumeration).values.iter();
        match values.find(|value| value.number == i64::from(number)) {
            Some(value) => name(&arena::text(value.symbol)),
            None => integer(number),
        }
    }

    /// What a field without presence holds when it is absent.
    fn default(&self, ty: &Type) -> Value {
        match ty {
            Type::Scalar(Scalar::Bool) => name("false"),
            Type::Scalar(Scalar::Float | Scalar::Double) => Value::Float(0.0),
            Type::Scalar(Scalar::String) if self.options.string_as_list => list(Vec::new()),
            Type::Scalar(Scalar::String | Scalar::Bytes) => Value::Binary(Vec::new()),
            Type::Scalar(_) => integer(0),
            Type::Enum(enumeration) => name(&arena::text(self.enumeration(&enumeration.text).values[0].symbol)),
            _ => name("undefined"),
        }
    }

    fn finished(&self, held: Held<'d>) -> Result<Value> {
        Ok(match held {
            Held::One(value) => value,
            Held::Message(message, open) => self.record(message, open)?,
            Held::Member(member, held) => Value::Tuple(vec![name(&member), self.finished(*held)?]),
            Held::Many(values) => list(values),
            Held::Entries(entries) => list(entries.into_iter().map(|(_, entry)| entry).collect()),
        })
    }

    fn record(&self, message: &'d Message, mut open: Open<'d>) -> Result<Value> {
        let mut elements = vec![name(&message.name.text); message.members.len() + 1];
        for member in &message.members {
            let (position, absent) = match member {
                Member::Oneof(oneof) => (oneof.position, name("undefined")),
                Member::Unknowns { position, .. } => (*position, list(Vec::new())),
                Member::Field(field) => {
                    let absent = match field.occurrence {
                        Occurrence::Repeated => list(Vec::new()),
                        Occurrence::Defaulty => self.default(&field.ty),
                        Occurrence::Optional | Occurrence::Required => name("undefined"),
                    };
                    (field.position, absent)
                }
            };
            let held = open.0.remove(&position);
            elements[position as usize - 1] = held.map_or(Ok(absent), |held| self.finished(held))?;
        }
        Ok(Value::Tuple(elements))
    }
}

/// Whether it is a message in a message set, if it is in one at all.
pub fn is_set_item(field: &Field) -> bool {
    matches!(field.ty, Type::Message(_)) && field.occurrence != Occurrence::Repeated && !field.delimited
}

impl Open<'_> {
    fn push(&mut self, position: i64, value: Value) {
        match self.0.entry(position).or_insert_with(|| Held::Many(Vec::new())) {
            Held::Many(values) => values.push(value),
            _ => unreachable!("a position has one field"),
        }
    }

    /// Adds an entry, in the place of an earlier one with its key.
    fn entry(&mut self, position: i64, key: String, entry: Value) {
        match self.0.entry(position).or_insert_with(|| Held::Entries(Vec::new())) {
            Held::Entries(entries) => match entries.iter_mut().find(|(known, _)| *known == key) {
                Some((_, before)) => *before = entry,
                None => entries.push((key, entry)),
            },
            _ => unreachable!("a position has one field"),
        }
    }
}
