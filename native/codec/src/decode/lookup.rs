//! Finding a field in the bytes of a message without decoding the rest: a walk over the fields of each message on the way,
//! that passes over what was not asked for.
//!
//! What is found is what decoding the whole would have given there: the last one of several values, messages that come
//! several times merged.

use super::Options;
use super::map::{Content, Key};
use crate::StringOptions;
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::schema::plan::{DecodeAction, EncodeField, Kind, MessagePlan, Shape};
use crate::term::{Term, TermReader};
use crate::wire::{skip, tag, utf8, varint};

/// A part of a message to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The message, by its index in the plan.
    pub message: u32,
    /// The field whose value is asked for; all of the message, if none.
    pub slot: Option<u32>,
    /// Where its bytes begin and end in the input.
    pub start: usize,
    /// As above.
    pub end: usize,
}

/// Where something was found.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// Nowhere: it is absent.
    Absent,
    /// In bytes that lie side by side. `member` is the member of a oneof that is asked for, by its name.
    Part(Part, Option<Term>),
    /// In bytes that lie apart: the part once they are put together.
    Parts(Part, Vec<(usize, usize)>, Option<Term>),
    /// In an element of a field of scalars, of which there is a list: the part is that list.
    Element(Part, Vec<(usize, usize)>, usize),
}

/// Why a step of a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongStep {
    /// The message has no field of this name.
    NoField,
    /// No position in a list.
    NoPosition,
    /// A position in a list that is not long enough, for something to be put there.
    BehindTheEnd,
    /// No key of this map.
    NoKey,
    /// What comes before has nothing within.
    NothingWithin,
}

/// What went wrong.
pub enum Failure {
    /// The bytes are not those of a message; where, and in which message by its index.
    Invalid(DecodeReason, usize, u32),
    /// The path: which step, and why.
    Path(Term, WrongStep),
    /// There is no memory left.
    OutOfMemory,
}

impl From<OutOfMemory> for Failure {
    fn from(OutOfMemory: OutOfMemory) -> Failure {
        Failure::OutOfMemory
    }
}

/// Stretches of the input, from where to where.
type Ranges = Vec<(usize, usize)>;

/// Finds what the steps of a path lead to, in the message with this index in the plan: names of fields, and behind those
/// that hold several a position, from 1 on, or a key.
pub fn lookup<'t, R: TermReader<'t>>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    path: &[Term],
    options: Options,
    reader: &R,
) -> Result<Found, Failure> {
    let max_depth = options.max_depth;
    let mut walk = Walk { plan, input, max_depth, groups: Vec::new(), at: 0, message, ranges: vec![(0, input.len())] };
    let mut steps = path;
    while let [name, rest @ ..] = steps {
        let name = *name;
        let table = &plan.messages[walk.message as usize];
        let Some((field, member)) = field_named(table, name) else {
            return Err(Failure::Path(name, WrongStep::NoField));
        };
        let [step, further @ ..] = rest else { return walk.value(field, member) };
        let step = *step;
        let held = member.map_or(field, |(_, field)| field);
        steps = match held.kind {
            Kind::Message | Kind::SetItem => {
                let ranges = walk.messages(field, member.map(|(name, _)| name))?;
                if ranges.is_empty() {
                    return Ok(Found::Absent);
                }
                (walk.message, walk.ranges) = (held.index, ranges);
                rest
            }
            Kind::Messages if matches!(plan.messages[held.index as usize].shape, Shape::Entry(_)) => {
                let wanted = wanted_key(plan, held.index, step, options.strings, reader)
                    .ok_or(Failure::Path(step, WrongStep::NoKey))?;
                let Some(entry) = walk.entry(field, &wanted)? else { return Ok(Found::Absent) };
                let entries = held.index;
                (walk.message, walk.ranges) = (entries, vec![entry]);
                let value = &plan.messages[entries as usize].encode[1];
                let [within, ..] = further else { return walk.value(value, None) };
                if value.kind != Kind::Message {
                    return Err(Failure::Path(*within, WrongStep::NothingWithin));
                }
                // Where it does not come it is the empty message.
                (walk.ranges, walk.message) = (walk.messages(value, None)?, value.index);
                further
            }
            Kind::Messages | Kind::Repeated | Kind::Packed => {
                let position =
                    reader.unsigned(step).and_then(|position| usize::try_from(position).ok()?.checked_sub(1));
                let position = position.ok_or(Failure::Path(step, WrongStep::NoPosition))?;
                if held.kind != Kind::Messages {
                    if let [within, ..] = further {
                        return Err(Failure::Path(*within, WrongStep::NothingWithin));
                    }
                    let (part, ranges) = walk.occurrences(field)?;
                    return Ok(Found::Element(part, ranges, position));
                }
                let ranges = walk.messages(field, None)?;
                let Some(range) = ranges.get(position) else { return Ok(Found::Absent) };
                (walk.message, walk.ranges) = (held.index, vec![*range]);
                further
            }
            _ => return Err(Failure::Path(step, WrongStep::NothingWithin)),
        };
    }
    let ranges = std::mem::take(&mut walk.ranges);
    Ok(walk.found(None, ranges, None))
}

/// The field of this name, and if it is a member of a oneof that: then the field is the oneof.
pub(crate) fn field_named(table: &MessagePlan, name: Term) -> Option<(&EncodeField, Option<(Term, &EncodeField)>)> {
    if let Some(index) = table.keys.get(name) {
        return table.encode.get(*index as usize).map(|field| (field, None));
    }
    let oneof = table.encode.get(*table.members.get(name)? as usize)?;
    table.member(oneof, name).map(|member| (oneof, Some((name, &member.field))))
}

/// A key that is looked for.
pub(crate) enum Wanted {
    Scalar(Key),
    Text(Vec<u8>),
}

impl Wanted {
    pub fn content(&self) -> Content<'_> {
        match self {
            Wanted::Scalar(key) => key.content(&[]),
            Wanted::Text(octets) => Content::Text(octets),
        }
    }
}

/// The key of a map's entries that a term is.
pub(crate) fn wanted_key<'t, R: TermReader<'t>>(
    plan: &Plan,
    entry: u32,
    term: Term,
    strings: StringOptions,
    reader: &R,
) -> Option<Wanted> {
    let Shape::Entry(kind) = plan.messages[entry as usize].shape else { return None };
    Some(match kind {
        Kind::Bool if term == plan.constants.true_ => Wanted::Scalar(Key::Boolean(true)),
        Kind::Bool if term == plan.constants.false_ => Wanted::Scalar(Key::Boolean(false)),
        Kind::String | Kind::Utf8String => Wanted::Text(text(term, strings, reader, plan.constants.nil)?),
        _ => Wanted::Scalar(match reader.unsigned(term) {
            Some(magnitude) => Key::Integer { negative: false, magnitude },
            None => {
                let value = reader.integer(term)?;
                Key::Integer { negative: value < 0, magnitude: value.unsigned_abs() }
            }
        }),
    })
}

/// The octets of a string.
fn text<'t, R: TermReader<'t>>(term: Term, strings: StringOptions, reader: &R, nil: Term) -> Option<Vec<u8>> {
    if let Some(octets) = reader.binary(term).or_else(|| reader.copied_binary(term)) {
        return Some(octets.to_vec());
    }
    let (mut octets, mut rest) = (Vec::new(), term);
    while let Some((head, tail)) = reader.cell(rest) {
        let value = reader.integer(head)?;
        let mut bytes = [0; 4];
        match u8::try_from(value) {
            Ok(octet) if !strings.with_utf8 => octets.push(octet),
            _ => {
                let len = utf8::write(value, &mut bytes)?;
                octets.extend_from_slice(&bytes[..len]);
            }
        }
        rest = tail;
    }
    (rest == nil).then_some(octets)
}

struct Walk<'w> {
    plan: &'w Plan,
    input: &'w [u8],
    max_depth: u32,
    /// The open groups of a field that is passed over.
    groups: Vec<u32>,
    /// Where the field begins that is being read.
    at: usize,
    /// The message that the path has come to, and where its bytes are: in several places, where it comes several times.
    message: u32,
    ranges: Ranges,
}

/// A field on the wire.
struct Occurrence<'w> {
    action: &'w DecodeAction,
    tag: u32,
    start: usize,
    /// Behind the tag.
    content: usize,
    end: usize,
}

impl<'w> Walk<'w> {
    fn invalid(&self, reason: DecodeReason) -> Failure {
        Failure::Invalid(reason, self.at, self.message)
    }

    /// Gives each field of the message that has this place in the record, and of a message set each item.
    fn each(
        &mut self,
        slot: u32,
        mut visit: impl FnMut(&mut Walk<'w>, Occurrence<'w>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let table = &self.plan.messages[self.message as usize];
        let ranges = std::mem::take(&mut self.ranges);
        for (start, end) in ranges.iter().copied() {
            let data = &self.input[..end];
            let mut pos = start;
            while pos < end {
                self.at = pos;
                let content = &mut { pos };
                let field_tag = tag::read(data, content).map_err(|reason| self.invalid(reason))?;
                let content = *content;
                let action = table.decode.get(field_tag);
                let next = self.end_of(data, content, field_tag)?;
                if action.slot == slot && action.field != DecodeAction::ROOT.field || action.kind == Kind::SetItem {
                    visit(self, Occurrence { action, tag: field_tag, start: pos, content, end: next })?;
                }
                pos = next;
            }
        }
        self.ranges = ranges;
        Ok(())
    }

    /// Where the field ends whose tag has been read.
    #[inline(always)]
    fn end_of(&mut self, data: &[u8], content: usize, field_tag: u32) -> Result<usize, Failure> {
        let mut pos = content;
        let end = match tag::wire_type(field_tag) {
            _ if tag::number(field_tag) == 0 => Err(DecodeReason::InvalidFieldNumber),
            tag::VARINT => varint::read(data, &mut pos).map(|_| pos),
            tag::LENGTH_DELIMITED => skip::payload_end(data, &mut pos),
            _ => return self.end_of_other(data, content, field_tag),
        };
        end.map_err(|reason| self.invalid(reason))
    }

    #[inline(never)]
    fn end_of_other(&mut self, data: &[u8], content: usize, field_tag: u32) -> Result<usize, Failure> {
        skip::field_end::<Unskipped>(data, content, field_tag, self.max_depth, &mut self.groups).map_err(|unskipped| {
            match unskipped {
                Unskipped::Invalid(reason) => self.invalid(reason),
                Unskipped::OutOfMemory => Failure::OutOfMemory,
            }
        })
    }

    /// Whether a value is one: not that of a closed enum that has no symbol for it.
    fn is_value(&self, occurrence: &Occurrence) -> bool {
        let action = occurrence.action;
        if action.kind != Kind::ClosedEnum || matches!(action.element, Kind::Packed | Kind::Messages) {
            return true;
        }
        let number = varint::read(&self.input[..occurrence.end], &mut { occurrence.content });
        number.is_ok_and(|number| self.plan.enums[action.index as usize].symbol(number as i32).is_some())
    }

    /// All that makes up the value of a field, as it stands on the wire; of several values of which the last counts that.
    fn occurrences(&mut self, field: &EncodeField) -> Result<(Part, Ranges), Failure> {
        let part = Part { message: self.message, slot: Some(field.slot), start: 0, end: 0 };
        if field.kind == Kind::Unknowns {
            // Which are unknown is for the decoder to say.
            return Ok((part, std::mem::take(&mut self.ranges)));
        }
        let last_counts = field.kind.scalar().is_some() || field.kind == Kind::Enum;
        let mut ranges = Ranges::new();
        self.each(field.slot, |walk, occurrence| {
            if last_counts && walk.is_value(&occurrence) {
                ranges.clear();
            }
            Ok(ranges.try_push((occurrence.start, occurrence.end))?)
        })?;
        Ok((part, ranges))
    }

    fn value(&mut self, field: &EncodeField, member: Option<(Term, &EncodeField)>) -> Result<Found, Failure> {
        let (part, ranges) = self.occurrences(field)?;
        Ok(self.found(part.slot, ranges, member.map(|(name, _)| name)))
    }

    /// The messages that a field holds, by their bytes. Of a oneof those of a member, after what came of others.
    fn messages(&mut self, field: &EncodeField, member: Option<Term>) -> Result<Ranges, Failure> {
        let mut ranges = Ranges::new();
        self.each(field.slot, |walk, occurrence| {
            let action = occurrence.action;
            if member.is_some_and(|member| action.member != member) {
                if walk.is_value(&occurrence) {
                    ranges.clear();
                }
                return Ok(());
            }
            let data = &walk.input[..occurrence.end];
            match (action.kind, tag::wire_type(occurrence.tag)) {
                (Kind::SetItem, tag::START_GROUP) => walk.item(field, &occurrence, &mut ranges),
                (Kind::SetItem, _) if action.slot != field.slot => Ok(()),
                (_, tag::START_GROUP) => {
                    let end = walk.end_of_group(data, &occurrence)?;
                    Ok(ranges.try_push((occurrence.content, end))?)
                }
                _ => {
                    let mut start = occurrence.content;
                    let end = skip::payload_end(data, &mut start).map_err(|reason| walk.invalid(reason))?;
                    Ok(ranges.try_push((start, end))?)
                }
            }
        })?;
        Ok(ranges)
    }

    /// Where the content of a group ends.
    fn end_of_group(&mut self, data: &[u8], group: &Occurrence) -> Result<usize, Failure> {
        let mut pos = group.content;
        loop {
            let start = pos;
            let field_tag = tag::read(data, &mut pos).map_err(|reason| self.invalid(reason))?;
            if field_tag == tag::end_of(group.tag) {
                return Ok(start);
            }
            pos = self.end_of(data, pos, field_tag)?;
        }
    }

    /// The messages of an item of a message set, if it is of this field.
    fn item(&mut self, field: &EncodeField, item: &Occurrence, ranges: &mut Ranges) -> Result<(), Failure> {
        let set = &self.plan.messages[self.message as usize].decode;
        let data = &self.input[..item.end];
        let end = self.end_of_group(data, item)?;
        let (mut pos, mut number, mut messages) = (item.content, None, Ranges::new());
        while pos < end {
            let field_tag = tag::read(data, &mut pos).map_err(|reason| self.invalid(reason))?;
            let next = self.end_of(data, pos, field_tag)?;
            match field_tag {
                tag::SET_TYPE_ID => number = number.or(varint::read(data, &mut { pos }).ok()),
                tag::SET_MESSAGE => {
                    let mut start = pos;
                    let end = skip::payload_end(data, &mut start).map_err(|reason| self.invalid(reason))?;
                    messages.try_push((start, end))?;
                }
                _ => {}
            }
            pos = next;
        }
        let number =
            number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= tag::MAX_FIELD_NUMBER);
        let own = number.map(|number| set.get(tag::make(number, tag::LENGTH_DELIMITED)));
        if own.is_some_and(|own| own.kind == Kind::SetItem && own.slot == field.slot) {
            for range in messages {
                ranges.try_push(range)?;
            }
        }
        Ok(())
    }

    /// The last entry of a map that has this key.
    fn entry(&mut self, field: &EncodeField, wanted: &Wanted) -> Result<Option<(usize, usize)>, Failure> {
        let table = &self.plan.messages[field.index as usize];
        let Shape::Entry(key_kind) = table.shape else { return Ok(None) };
        let mut last = None;
        self.each(field.slot, |walk, occurrence| {
            let mut start = occurrence.content;
            let end = skip::payload_end(&walk.input[..occurrence.end], &mut start);
            let end = end.map_err(|reason| walk.invalid(reason))?;
            let data = &walk.input[..end];
            let (mut pos, mut key, mut known) = (start, Key::default_of(key_kind), true);
            while pos < end {
                let field_tag = tag::read(data, &mut pos).map_err(|reason| walk.invalid(reason))?;
                let action = table.decode.get(field_tag);
                match (action.kind, action.element) {
                    (Kind::Key, kind) => key = Key::read(kind, data, pos).map_err(|reason| walk.invalid(reason))?,
                    (Kind::Utf8Strings, Kind::Key) => {
                        key = Key::read(Kind::String, data, pos).map_err(|reason| walk.invalid(reason))?;
                    }
                    (Kind::ClosedEnum, _) => {
                        let number = varint::read(data, &mut { pos }).map_err(|reason| walk.invalid(reason))?;
                        known = walk.plan.enums[action.index as usize].symbol(number as i32).is_some();
                    }
                    _ => {}
                }
                pos = walk.end_of(data, pos, field_tag)?;
            }
            if known && key.content(walk.input) == wanted.content() {
                last = Some((start, end));
            }
            Ok(())
        })?;
        Ok(last)
    }

    /// What is in these stretches of the message that the path has come to.
    fn found(&self, slot: Option<u32>, ranges: Ranges, member: Option<Term>) -> Found {
        let part = |start, end| Part { message: self.message, slot, start, end };
        match ranges[..] {
            [] => Found::Part(part(0, 0), member),
            [(start, end)] => Found::Part(part(start, end), member),
            [(start, _), .., (_, end)] if ranges.windows(2).all(|two| two[0].1 == two[1].0) => {
                Found::Part(part(start, end), member)
            }
            _ => Found::Parts(part(0, 0), ranges, member),
        }
    }
}

/// Why a field could not be passed over.
enum Unskipped {
    Invalid(DecodeReason),
    OutOfMemory,
}

impl From<DecodeReason> for Unskipped {
    fn from(reason: DecodeReason) -> Unskipped {
        Unskipped::Invalid(reason)
    }
}

impl From<OutOfMemory> for Unskipped {
    fn from(_: OutOfMemory) -> Unskipped {
        Unskipped::OutOfMemory
    }
}
