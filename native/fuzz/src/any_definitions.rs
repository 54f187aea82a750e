//! Definitions that are made from the bytes of a case, right and wrong ones, and whether they are right.

use protobuf_codec::schema::{
    Definitions, Enum, EnumValue, Field, Member, Message, MessageKind, Occurrence, Oneof, Scalar, Type,
};
use std::collections::HashSet;

use crate::source::Source;
use crate::support::{arena, proto};

const MESSAGE_NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
const FIELD_NAMES: [&str; 6] = ["a", "b", "c", "d", "undefined", "$unknowns"];
const SYMBOLS: [&str; 6] = ["zero", "one", "two", "true", "nan", "a"];

/// Definitions.
pub fn any_definitions(source: &mut Source<'_>) -> Definitions {
    let mut definitions = Definitions::default();
    for _ in 0..source.below(4) {
        let kind =
            *source.pick(&[MessageKind::Message, MessageKind::Message, MessageKind::Message, MessageKind::Group]);
        let message = source.below(8);
        // Mostly names that are not there yet.
        let message = if message < 6 { definitions.messages.len() } else { message - 6 };
        let members = source.below(7);
        let members = (0..members).map(|index| any_member(source, index)).collect();
        definitions.messages.push(Message {
            name: proto::name(MESSAGE_NAMES[message]),
            kind,
            members,
            message_set: source.below(16) == 1,
        });
    }
    for _ in 0..source.below(3) {
        let index = definitions.enums.len().min(source.below(8));
        let values = source.below(5);
        let values = (0..values).map(|index| {
            let symbol = if source.below(8) == 0 { source.below(6) } else { index };
            let number = *source.pick(&[0, 1, -1, 2, 255, 256, 70_000, i64::from(i32::MIN), 1 << 31, i64::MIN]);
            EnumValue { symbol: arena::name(SYMBOLS[symbol]), number }
        });
        definitions.enums.push(Enum {
            name: proto::name(MESSAGE_NAMES[index]),
            values: values.collect(),
            closed: source.below(4) == 1,
        });
    }
    definitions
}

fn any_member(source: &mut Source<'_>, index: usize) -> Member {
    let position = match source.below(16) {
        0 => *source.pick(&[0, 1, 2, 3, 9, -1, i64::MAX, i64::MIN, 1 << 32, (1 << 32) + 2]),
        _ => index as i64 + 2,
    };
    match source.below(8) {
        0 => Member::Unknowns { name: proto::name("$unknowns"), position },
        1 | 2 => {
            let fields = source.below(4);
            let fields = (0..fields).map(|_| any_field(source, position)).collect();
            Member::Oneof(Oneof { name: proto::name(source.pick::<&str>(&FIELD_NAMES)), position, fields })
        }
        _ => Member::Field(any_field(source, position)),
    }
}

fn any_field(source: &mut Source<'_>, position: i64) -> Field {
    let number = match source.below(16) {
        0 => *source.pick(&[0, -1, 1 << 29, (1 << 29) - 1, 1 << 32, (1 << 32) + 1, i64::MAX, i64::MIN]),
        1 => i64::from(source.short()),
        _ => i64::from(source.byte() % 40) + 1,
    };
    let occurrences = [Occurrence::Optional, Occurrence::Repeated, Occurrence::Defaulty, Occurrence::Required];
    let position = if source.below(32) == 0 { position.wrapping_add(1) } else { position };
    let name = proto::name(source.pick::<&str>(&FIELD_NAMES));
    let ty = any_type(source, 0);
    let occurrence = *source.pick(&occurrences);
    let flags = source.byte();
    let (packed, delimited, verify_utf8) = (flags & 1 != 0, flags & 6 == 6, flags & 24 == 24);
    Field { name, number, position, ty, occurrence, packed, delimited, verify_utf8, default: None }
}

fn any_type(source: &mut Source<'_>, depth: usize) -> Type {
    let any_name = |source: &mut Source<'_>| proto::name(MESSAGE_NAMES[source.below(4) % 3]);
    match source.below(24) {
        scalar @ 0..15 => Type::Scalar(Scalar::ALL[scalar].0),
        15..=17 => Type::Message(any_name(source)),
        18 => Type::Group(any_name(source)),
        19 => Type::Enum(any_name(source)),
        _ if depth < 2 => Type::Map(any_type(source, depth + 1).into(), any_type(source, depth + 1).into()),
        _ => Type::Enum(any_name(source)),
    }
}

/// Whether definitions keep all the rules, told one by one.
pub fn is_valid(definitions: &Definitions) -> bool {
    let messages: HashSet<_> = definitions.messages.iter().map(|m| (m.kind, &*m.name.text)).collect();
    let enums: HashSet<_> = definitions.enums.iter().map(|e| &*e.name.text).collect();
    let refers = |ty: &Type| match ty {
        Type::Scalar(_) => true,
        Type::Enum(name) => enums.contains(&*name.text),
        Type::Message(name) => messages.contains(&(MessageKind::Message, &*name.text)),
        Type::Group(name) => messages.contains(&(MessageKind::Group, &*name.text)),
        Type::Map(..) => false,
    };
    let is_key = |ty: &Type| match ty {
        Type::Scalar(scalar) => !matches!(scalar, Scalar::Float | Scalar::Double | Scalar::Bytes),
        _ => false,
    };
    let fits = |field: &Field| match &field.ty {
        Type::Map(key, value) => {
            let is_group = matches!(**value, Type::Group(_));
            field.occurrence == Occurrence::Repeated && is_key(key) && refers(value) && !is_group
        }
        ty => refers(ty),
    };
    let enum_is_valid = |definition: &Enum| {
        let symbols: HashSet<_> = definition.values.iter().map(|value| value.symbol).collect();
        let in_range = definition.values.iter().all(|value| i32::try_from(value.number).is_ok());
        !definition.values.is_empty() && definition.values.len() == symbols.len() && in_range
    };
    let message_is_valid = |message: &Message| {
        let mut positions = Vec::new();
        let mut numbers = Vec::new();
        for member in &message.members {
            match member {
                Member::Unknowns { position, .. } => positions.push(*position),
                Member::Field(field) => {
                    positions.push(field.position);
                    numbers.push(field.number);
                    if !fits(field) {
                        return false;
                    }
                }
                Member::Oneof(oneof) => {
                    positions.push(oneof.position);
                    numbers.extend(oneof.fields.iter().map(|field| field.number));
                    let names: HashSet<_> = oneof.fields.iter().map(|field| &*field.name.text).collect();
                    let at_place = oneof.fields.iter().all(|field| field.position == oneof.position);
                    let single = oneof.fields.iter().all(|field| field.occurrence != Occurrence::Repeated);
                    let fields_fit = oneof.fields.iter().all(|field| refers(&field.ty));
                    let named = oneof.fields.len() == names.len();
                    if oneof.fields.is_empty() || !at_place || !single || !fields_fit || !named {
                        return false;
                    }
                }
            }
        }
        positions.sort_unstable();
        let all_places = positions.iter().copied().eq(2..message.members.len() as i64 + 2);
        let distinct: HashSet<_> = numbers.iter().collect();
        let in_range = numbers.iter().all(|number| (1..1 << 29).contains(number));
        all_places && in_range && numbers.len() == distinct.len()
    };
    definitions.messages.len() == messages.len()
        && definitions.enums.len() == enums.len()
        && definitions.enums.iter().all(enum_is_valid)
        && definitions.messages.iter().all(message_is_valid)
}
