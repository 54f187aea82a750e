//! What a step of a path asks for.

use super::key::{Wanted, wanted_key};
use super::ranges::Ranges;
use super::{Failure, Pick, WrongStep};
use crate::decode::Options;
use crate::schema::Plan;
use crate::schema::plan::{EncodeField, Kind, MessagePlan, Shape};
use crate::term::{Term, TermReader};

/// What a path looks for in a message, and where that was found.
pub(super) struct Sought<'p, 's> {
    /// The field that holds it: of a member, the oneof.
    pub field: &'p EncodeField,
    pub what: What,
    pub ranges: Ranges,
    pub then: Then<'s>,
    /// Of several paths the first and the last that look for it.
    pub first: usize,
    pub last: usize,
}

pub(super) enum What {
    /// The last value: the others do not count.
    Last,
    /// All that makes up the value.
    Value,
    /// The unknown fields. Which are, is for the decoder to say.
    Unknowns,
    /// The messages, which are merged. Of a oneof those of this member, after what came of others.
    Messages(Option<Term>),
    /// The message at this position, counted from 0, and how many came.
    Element(usize, usize),
    /// The last entry of this key.
    Entry(Wanted),
}

/// What comes after it.
pub(super) enum Then<'s> {
    /// It is what the path leads to.
    Found(Pick),
    /// The path goes on within.
    Within(Within<'s>),
}

/// A message that a path goes on in.
pub(super) struct Within<'s> {
    pub message: u32,
    pub steps: &'s [Term],
    /// Whether it is there in any case: as the value of a map's entry it is the empty message where it does not come.
    pub always: bool,
}

impl<'p, 's> Sought<'p, 's> {
    fn new(field: &'p EncodeField, what: What, then: Then<'s>) -> Sought<'p, 's> {
        Sought { field, what, ranges: Ranges::default(), then, first: 0, last: 0 }
    }

    /// The value of a field.
    fn value(field: &'p EncodeField, pick: Pick) -> Sought<'p, 's> {
        let what = match field.kind {
            Kind::Unknowns => What::Unknowns,
            kind if kind == Kind::Enum || kind.scalar().is_some() => What::Last,
            _ => What::Value,
        };
        Sought::new(field, what, Then::Found(pick))
    }

    /// Whether this is the same as another one, so that both have the same within.
    pub fn is(&self, other: &Sought) -> bool {
        self.field.slot == other.field.slot
            && match (&self.what, &other.what) {
                (What::Messages(one), What::Messages(other)) => one == other,
                (What::Element(one, _), What::Element(other, _)) => one == other,
                (What::Entry(one), What::Entry(other)) => one.content() == other.content(),
                _ => false,
            }
    }
}

/// The field of this name, and if it is a member of a oneof that: then the field is the oneof.
pub(crate) fn field_named(table: &MessagePlan, name: Term) -> Option<(&EncodeField, Option<(Term, &EncodeField)>)> {
    if let Some(index) = table.keys.get(name) {
        return table.encode.get(*index as usize).map(|field| (field, None));
    }
    let oneof = table.encode.get(*table.members.get(name)? as usize)?;
    table.member(oneof, name).map(|member| (oneof, Some((name, &member.field))))
}

/// What steps ask for in a message; nothing where there are none left. The steps are names of fields, and behind those that
/// hold several a position, from 1 on, or a key.
pub(super) fn next<'p, 's, 't, R: TermReader<'t>>(
    plan: &'p Plan,
    message: u32,
    steps: &'s [Term],
    options: Options,
    reader: &R,
) -> Result<Option<Sought<'p, 's>>, Failure> {
    let table = &plan.messages[message as usize];
    if matches!(table.shape, Shape::Entry(_)) {
        return in_entry(&table.encode[1], steps).map(Some);
    }
    let [name, rest @ ..] = steps else { return Ok(None) };
    let Some((field, member)) = field_named(table, *name) else {
        return Err(Failure::Path(*name, WrongStep::NoField));
    };
    let [step, further @ ..] = rest else {
        return Ok(Some(Sought::value(field, member.map_or(Pick::All, |(name, _)| Pick::Member(name)))));
    };
    let held = member.map_or(field, |(_, field)| field);
    let within = |steps| Then::Within(Within { message: held.index, steps, always: false });
    let position = || {
        let position = reader.unsigned(*step).and_then(|position| usize::try_from(position).ok()?.checked_sub(1));
        position.ok_or(Failure::Path(*step, WrongStep::NoPosition))
    };
    Ok(Some(match held.kind {
        Kind::Message | Kind::SetItem => Sought::new(field, What::Messages(member.map(|(name, _)| name)), within(rest)),
        Kind::Messages if matches!(plan.messages[held.index as usize].shape, Shape::Entry(_)) => {
            let wanted = wanted_key(plan, held.index, *step, options.strings, reader)
                .ok_or(Failure::Path(*step, WrongStep::NoKey))?;
            Sought::new(field, What::Entry(wanted), within(further))
        }
        Kind::Messages => Sought::new(field, What::Element(position()?, 0), within(further)),
        Kind::Repeated | Kind::Packed => {
            let position = position()?;
            if let [within, ..] = further {
                return Err(Failure::Path(*within, WrongStep::NothingWithin));
            }
            Sought::value(field, Pick::Element(position))
        }
        _ => return Err(Failure::Path(*step, WrongStep::NothingWithin)),
    }))
}

/// The same in an entry of a map, where the way goes on to its value.
fn in_entry<'p, 's>(field: &'p EncodeField, steps: &'s [Term]) -> Result<Sought<'p, 's>, Failure> {
    match steps {
        [] => Ok(Sought::value(field, Pick::All)),
        [within, ..] if field.kind != Kind::Message => Err(Failure::Path(*within, WrongStep::NothingWithin)),
        _ => {
            let then = Then::Within(Within { message: field.index, steps, always: true });
            Ok(Sought::new(field, What::Messages(None), then))
        }
    }
}
