//! Changes to the bytes of a message that know what a message is.

use protobuf_codec::error::DecodeReason;
use protobuf_codec::memory::OutOfMemory;
use protobuf_codec::schema::{Definitions, Field, Member, Scalar, Type};
use protobuf_codec::wire::{skip, tag};

use crate::support::random::Random;
use crate::support::wire;

/// A change at a random place, however deep.
pub fn changed(random: &mut Random, definitions: &Definitions, bytes: &[u8]) -> Vec<u8> {
    level(random, definitions, bytes, 0)
}

/// Where the fields are that the bytes begin with; what is behind them makes no field.
fn fields(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(end) = field_end(bytes, start) {
        found.push((start, end));
        start = end;
    }
    found
}

struct NoField;

impl From<DecodeReason> for NoField {
    fn from(_: DecodeReason) -> NoField {
        NoField
    }
}

impl From<OutOfMemory> for NoField {
    fn from(_: OutOfMemory) -> NoField {
        NoField
    }
}

fn field_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut pos = start;
    let tag = tag::read(bytes, &mut pos).ok()?;
    skip::field_end::<NoField>(bytes, pos, tag, u32::MAX, &mut Vec::new()).ok()
}

fn level(random: &mut Random, definitions: &Definitions, bytes: &[u8], depth: usize) -> Vec<u8> {
    let found = fields(bytes);
    if found.is_empty() {
        return [bytes, &new_field(random, definitions, 0)].concat();
    }
    let (start, end) = *random.pick(&found);
    let (before, field, after) = (&bytes[..start], &bytes[start..end], &bytes[end..]);
    let with = |middle: &[u8]| [before, middle, after].concat();
    if depth < 20 && !random.one_in(3) {
        let mut pos = 0;
        let tag = tag::read(field, &mut pos).unwrap_or_default();
        let head = &field[..pos];
        match tag::wire_type(tag) {
            tag::LENGTH_DELIMITED => {
                let payload_end = skip::payload_end(field, &mut pos).unwrap_or(field.len());
                let inner = level(random, definitions, &field[pos..payload_end], depth + 1);
                return with(&[head, &length(random, inner.len()), &inner].concat());
            }
            tag::START_GROUP => {
                let end = wire::varint(u64::from(tag::end_of(tag)));
                // Where the end is written longer than it need be, it stays in the content.
                let inner = field[pos..].strip_suffix(&end[..]).unwrap_or(&field[pos..]);
                return with(&[head, &level(random, definitions, inner, depth + 1), &end].concat());
            }
            _ => {}
        }
    }
    match random.below(9) {
        0 => with(&[]),
        1 => with(&[field, field].concat()),
        2 => {
            let (other_start, other_end) = *random.pick(&found);
            with(&[field, &bytes[other_start..other_end]].concat())
        }
        3 | 4 => with(&[field, &new_field(random, definitions, 0)].concat()),
        5 => {
            let number = number(random, definitions);
            let inner = [field, &bytes[end..]].concat();
            match random.below(2) {
                0 => [before, &wire::delimited(number, &inner)].concat(),
                _ => [before, &wire::group(number, &inner)].concat(),
            }
        }
        6 => bytes[..start + random.below(field.len() + 1)].to_vec(),
        7 => {
            // Longer than it need be.
            let mut padded = field.to_vec();
            let at = random.below(padded.len());
            if padded[at] < 0x80 {
                padded[at] |= 0x80;
                let zeros = vec![0x80; random.below(9)];
                padded.splice(at + 1..at + 1, zeros.into_iter().chain([0]));
            }
            with(&padded)
        }
        _ => {
            let mut flipped = field.to_vec();
            let at = random.below(flipped.len());
            flipped[at] ^= 1 << random.below(8);
            with(&flipped)
        }
    }
}

/// A length, which is now and then a lie.
fn length(random: &mut Random, len: usize) -> Vec<u8> {
    let len = len as u64;
    wire::varint(match random.below(24) {
        0 => len + 1,
        1 => len.saturating_sub(1),
        2 => len | 1 << 32,
        3 => random.wide(),
        _ => len,
    })
}

/// The number of a field, mostly of one that the schema has.
fn number(random: &mut Random, definitions: &Definitions) -> u32 {
    match random.below(8) {
        0 => 1 + random.below((1 << 29) - 1) as u32,
        _ => any_field(random, definitions).map_or(1, |field| field.number as u32),
    }
}

fn any_field<'d>(random: &mut Random, definitions: &'d Definitions) -> Option<&'d Field> {
    let members = &random.pick(&definitions.messages).members;
    if members.is_empty() {
        return None;
    }
    match random.pick(members) {
        Member::Field(field) => Some(field),
        Member::Oneof(oneof) => Some(random.pick(&oneof.fields)),
        Member::Unknowns { .. } => None,
    }
}

fn new_field(random: &mut Random, definitions: &Definitions, depth: usize) -> Vec<u8> {
    let Some(field) = any_field(random, definitions).filter(|_| !random.one_in(8)) else {
        let number = number(random, definitions);
        let value = random.wide();
        return match random.below(3) {
            0 => wire::number(number, value),
            1 => wire::delimited(number, &random.octets(12)),
            _ => wire::group(number, &wire::number(1, value)),
        };
    };
    let number = field.number as u32;
    let inner = |random: &mut Random| {
        let count = if depth < 3 { random.below(3) } else { 0 };
        (0..count).flat_map(|_| new_field(random, definitions, depth + 1)).collect::<Vec<u8>>()
    };
    match &field.ty {
        Type::Message(_) => wire::delimited(number, &inner(random)),
        Type::Group(_) => wire::group(number, &inner(random)),
        Type::Map(key, value) => {
            let parts = [of_type(random, 1, key), of_type(random, 2, value), inner(random)];
            let chosen: Vec<u8> = parts.into_iter().filter(|_| !random.one_in(4)).flatten().collect();
            wire::delimited(number, &chosen)
        }
        ty => match random.one_in(6) {
            true => wire::delimited(number, &random.octets(17)),
            false => of_type(random, number, ty),
        },
    }
}

fn of_type(random: &mut Random, number: u32, ty: &Type) -> Vec<u8> {
    let fixed =
        |wire_type, bytes: &[u8]| [wire::varint(u64::from(tag::make(number, wire_type))), bytes.to_vec()].concat();
    match ty {
        Type::Scalar(Scalar::Fixed32 | Scalar::Sfixed32 | Scalar::Float) => {
            fixed(tag::FIXED32, &(random.bits() as u32).to_le_bytes())
        }
        Type::Scalar(Scalar::Fixed64 | Scalar::Sfixed64 | Scalar::Double) => {
            fixed(tag::FIXED64, &random.bits().to_le_bytes())
        }
        Type::Scalar(Scalar::String) => wire::delimited(number, random.text(8).as_bytes()),
        Type::Scalar(Scalar::Bytes) | Type::Message(_) => wire::delimited(number, &random.octets(8)),
        _ => wire::number(number, random.wide()),
    }
}
