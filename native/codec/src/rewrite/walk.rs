//! Going over the fields of a message to tell what is kept of its bytes, and what is not.

use crate::decode::{Content, Failure, Key, Wanted};
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::schema::plan::{DecodeAction, Kind, MessagePlan, Shape};
use crate::wire::output::TagBytes;
use crate::wire::{skip, tag, varint};

/// Stretches of the input, from where to where: of a message that comes several times, all of them.
pub(super) type Ranges = Vec<(usize, usize)>;

/// A stretch of the input that is written again, behind a tag if it lost its own.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub tag: TagBytes,
    pub start: usize,
    pub end: usize,
}

/// What is kept of a message: before the place of what is left out, and behind it. (At the end, where nothing is.)
pub(super) struct Split {
    pub before: Vec<Piece>,
    pub after: Vec<Piece>,
    pub dropped: bool,
}

/// What becomes of a field.
pub(super) enum Verdict {
    Keep,
    Drop,
    /// Of a packed block of a closed enum, what belongs elsewhere is kept.
    DropOwn,
}

/// A field on the wire.
#[derive(Clone, Copy)]
pub(super) struct Occurrence<'w> {
    pub action: &'w DecodeAction,
    pub tag: u32,
    pub start: usize,
    /// Behind the tag.
    pub content: usize,
    pub end: usize,
}

impl Occurrence<'_> {
    pub fn is_packed(&self) -> bool {
        let DecodeAction { kind, element, .. } = *self.action;
        kind == Kind::Packed || kind == Kind::ClosedEnum && element == Kind::Packed
    }
}

pub(super) struct Walk<'w> {
    pub plan: &'w Plan,
    pub input: &'w [u8],
    max_depth: u32,
    /// The open groups of a field that is passed over.
    groups: Vec<u32>,
    /// Where the field begins that is being read, and the message it is in.
    at: usize,
    message: u32,
}

impl<'w> Walk<'w> {
    pub fn new(plan: &'w Plan, input: &'w [u8], max_depth: u32) -> Walk<'w> {
        Walk { plan, input, max_depth, groups: Vec::new(), at: 0, message: 0 }
    }

    pub fn invalid(&self, reason: DecodeReason) -> Failure {
        Failure::Invalid(reason, self.at, self.message)
    }

    /// Shows each field whose value goes to this place in the record, and keeps what is not to be dropped.
    pub fn split(
        &mut self,
        message: u32,
        ranges: &[(usize, usize)],
        slot: u32,
        mut visit: impl FnMut(&mut Walk<'w>, &Occurrence<'w>) -> Result<Verdict, Failure>,
    ) -> Result<Split, Failure> {
        self.message = message;
        let table = &self.plan.messages[message as usize];
        let mut kept = Kept { pieces: Vec::new(), place: None };
        for (start, end) in ranges.iter().copied() {
            let (mut pos, mut from) = (start, start);
            while pos < end {
                let occurrence = self.next(table, end, &mut pos)?;
                if !self.is_own(table, &occurrence, slot)? {
                    continue;
                }
                let verdict = visit(self, &occurrence)?;
                if !matches!(verdict, Verdict::Keep) {
                    kept.add(TagBytes::NONE, from, occurrence.start)?;
                    from = pos;
                    if matches!(verdict, Verdict::DropOwn) {
                        self.keep_others(&occurrence, slot, &mut kept)?;
                    }
                    kept.place = Some(kept.pieces.len());
                }
            }
            kept.add(TagBytes::NONE, from, end)?;
        }
        let Kept { mut pieces, place } = kept;
        let after = pieces.split_off(place.unwrap_or(pieces.len()));
        Ok(Split { before: pieces, after, dropped: place.is_some() })
    }

    /// The field at `pos`, which is moved behind it.
    #[inline(always)]
    fn next(&mut self, table: &'w MessagePlan, end: usize, pos: &mut usize) -> Result<Occurrence<'w>, Failure> {
        let data = &self.input[..end];
        let start = *pos;
        self.at = start;
        let field_tag = tag::read(data, pos).map_err(|reason| self.invalid(reason))?;
        let content = *pos;
        *pos = self.end_of(data, content, field_tag)?;
        Ok(Occurrence { action: table.decode.get(field_tag), tag: field_tag, start, content, end: *pos })
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
        let end = skip::field_end::<Unskipped>(data, content, field_tag, self.max_depth, &mut self.groups);
        end.map_err(|unskipped| match unskipped {
            Unskipped::Invalid(reason) => self.invalid(reason),
            Unskipped::OutOfMemory => Failure::OutOfMemory,
        })
    }

    /// Whether the value of a field, or a part of it, goes to this place in the record.
    #[inline(always)]
    fn is_own(&mut self, table: &'w MessagePlan, field: &Occurrence<'w>, slot: u32) -> Result<bool, Failure> {
        match field.action.kind {
            Kind::Unknowns | Kind::ClosedEnum | Kind::SetItem => self.is_own_by_content(table, field, slot),
            _ => Ok(field.action.slot == slot),
        }
    }

    /// The same for what may be unknown.
    #[inline(never)]
    fn is_own_by_content(
        &mut self,
        table: &'w MessagePlan,
        field: &Occurrence<'w>,
        slot: u32,
    ) -> Result<bool, Failure> {
        let DecodeAction { kind, element, index, slot: known_slot, .. } = *field.action;
        let known = match (kind, element) {
            (Kind::Unknowns, _) => false,
            // Numbers with and without symbols.
            (Kind::ClosedEnum, Kind::Packed) => return Ok(known_slot == slot || table.unknowns == Some(slot)),
            (Kind::ClosedEnum, Kind::Messages) => self.entry(field)?.known,
            (Kind::ClosedEnum, _) => {
                let number = varint::read(&self.input[..field.end], &mut { field.content });
                number.is_ok_and(|number| self.has_symbol(index, number))
            }
            _ if field.tag == tag::SET_ITEM => {
                return Ok(self.item(table, field)?.or(table.unknowns) == Some(slot));
            }
            _ => true,
        };
        Ok(if known { known_slot == slot } else { table.unknowns == Some(slot) })
    }

    fn has_symbol(&self, enumeration: u32, number: u64) -> bool {
        self.plan.enums[enumeration as usize].symbol(number as i32).is_some()
    }

    /// Keeps those numbers of a packed block of a closed enum that do not go to this place in the record, by themselves.
    fn keep_others(&mut self, block: &Occurrence, slot: u32, kept: &mut Kept) -> Result<(), Failure> {
        if !block.is_packed() || block.action.kind != Kind::ClosedEnum {
            return Ok(());
        }
        let own_are_known = block.action.slot == slot;
        let tag = TagBytes::new(tag::make(tag::number(block.tag), tag::VARINT));
        self.elements(block, Kind::Enum, |walk, start, end| {
            let number = varint::read(&walk.input[..end], &mut { start }).unwrap_or_default();
            if walk.has_symbol(block.action.index, number) != own_are_known {
                kept.add(tag, start, end)?;
            }
            Ok(())
        })
    }

    /// Shows where each element of a packed block of this kind of values begins and ends.
    fn elements(
        &mut self,
        block: &Occurrence,
        kind: Kind,
        mut visit: impl FnMut(&mut Walk<'w>, usize, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (start, data) = (self.payload(block)?, &self.input[..block.end]);
        let mut pos = start;
        while pos < data.len() {
            let element = pos;
            match kind {
                Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => pos += 4,
                Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => pos += 8,
                _ => drop(varint::read(data, &mut pos).map_err(|reason| self.invalid(reason))?),
            }
            if pos > data.len() {
                return Err(self.invalid(DecodeReason::RaggedPackedBlock));
            }
            visit(self, element, pos)?;
        }
        Ok(())
    }

    /// How many values of a list a field holds, and the one of them at this position where that is here.
    pub fn values(
        &mut self,
        field: &Occurrence,
        kind: Kind,
        position: usize,
    ) -> Result<(usize, Option<(usize, usize)>), Failure> {
        if !field.is_packed() {
            return Ok((1, (position == 0).then_some((field.content, field.end))));
        }
        let closed = field.action.kind == Kind::ClosedEnum;
        let (mut count, mut found) = (0, None);
        self.elements(field, kind, |walk, start, end| {
            let value = || varint::read(&walk.input[..end], &mut { start }).unwrap_or_default();
            if !closed || walk.has_symbol(field.action.index, value()) {
                if count == position {
                    found = Some((start, end));
                }
                count += 1;
            }
            Ok(())
        })?;
        Ok((count, found))
    }

    /// Where the content of a field with a length begins. It ends where the field does.
    pub fn payload(&self, field: &Occurrence) -> Result<usize, Failure> {
        let mut pos = field.content;
        skip::payload_end(&self.input[..field.end], &mut pos).map_err(|reason| self.invalid(reason))?;
        Ok(pos)
    }

    /// Adds the bytes of the messages that a field holds: of an item of a message set all that it has.
    pub fn messages(&mut self, field: &Occurrence<'w>, ranges: &mut Ranges) -> Result<(), Failure> {
        match (field.action.kind, tag::wire_type(field.tag)) {
            (Kind::SetItem, tag::START_GROUP) => {
                let table = &self.plan.messages[self.message as usize];
                let own_tag = self.item_number(table, field)?.map(|number| tag::make(number, tag::LENGTH_DELIMITED));
                self.in_group(table, field, |walk, inner| {
                    if inner.tag == tag::SET_MESSAGE || Some(inner.tag) == own_tag {
                        ranges.try_push((walk.payload(&inner)?, inner.end))?;
                    }
                    Ok(())
                })
            }
            (_, tag::START_GROUP) => {
                let end = skip::end_tag_start(self.input, field.end, tag::end_of(field.tag));
                Ok(ranges.try_push((field.content, end.unwrap_or(field.content)))?)
            }
            _ => Ok(ranges.try_push((self.payload(field)?, field.end))?),
        }
    }

    /// Shows each field in a group. (What it is, the table tells: that of the message around it where none is wanted.)
    fn in_group(
        &mut self,
        table: &'w MessagePlan,
        group: &Occurrence<'w>,
        mut visit: impl FnMut(&mut Walk<'w>, Occurrence<'w>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (mut pos, at) = (group.content, self.at);
        while tag::read(&self.input[..group.end], &mut { pos }) != Ok(tag::end_of(group.tag)) {
            let field = self.next(table, group.end, &mut pos)?;
            visit(self, field)?;
        }
        self.at = at;
        Ok(())
    }

    /// The number of the type of an item of a message set.
    fn item_number(&mut self, table: &'w MessagePlan, item: &Occurrence<'w>) -> Result<Option<u32>, Failure> {
        let mut first = None;
        self.in_group(table, item, |walk, field| {
            if field.tag == tag::SET_TYPE_ID && first.is_none() {
                first = varint::read(&walk.input[..field.end], &mut { field.content }).ok();
            }
            Ok(())
        })?;
        let number = first.and_then(|number| u32::try_from(number).ok());
        Ok(number.filter(|number| (1..=tag::MAX_FIELD_NUMBER).contains(number)))
    }

    /// The place in the record that the message of an item goes to, where its type is known.
    fn item(&mut self, table: &'w MessagePlan, item: &Occurrence<'w>) -> Result<Option<u32>, Failure> {
        let number = self.item_number(table, item)?;
        let own = number.map(|number| table.decode.get(tag::make(number, tag::LENGTH_DELIMITED)));
        Ok(own.filter(|own| own.kind == Kind::SetItem).map(|own| own.slot))
    }

    /// Reads the entry of a map.
    fn entry(&mut self, field: &Occurrence<'w>) -> Result<Entry, Failure> {
        let table = &self.plan.messages[field.action.index as usize];
        let Shape::Entry(key_kind) = table.shape else { return Err(self.invalid(DecodeReason::InvalidWireType)) };
        let (mut pos, at) = (self.payload(field)?, self.at);
        let mut entry = Entry { key: Key::default_of(key_kind), known: true };
        while pos < field.end {
            let inner = self.next(table, field.end, &mut pos)?;
            let data = &self.input[..inner.end];
            match inner.action.kind {
                Kind::Key | Kind::Utf8Strings if inner.action.slot == 0 => {
                    let kind = if key_kind == Kind::Utf8String { Kind::String } else { key_kind };
                    entry.key = Key::read(kind, data, inner.content).map_err(|reason| self.invalid(reason))?;
                }
                Kind::ClosedEnum => {
                    let number = varint::read(data, &mut { inner.content }).map_err(|reason| self.invalid(reason))?;
                    entry.known = self.has_symbol(inner.action.index, number);
                }
                _ => {}
            }
        }
        self.at = at;
        Ok(entry)
    }

    /// Whether the entry of a map has this key.
    pub fn has_key(&mut self, field: &Occurrence<'w>, wanted: &Wanted) -> Result<bool, Failure> {
        let key = self.entry(field)?.key;
        let key: Content = key.content(self.input);
        Ok(key == wanted.content())
    }
}

/// The key of a map's entry, and whether its value has a symbol, if it is of a closed enum.
struct Entry {
    key: Key,
    known: bool,
}

/// What is kept, and where among it something was dropped.
struct Kept {
    pieces: Vec<Piece>,
    place: Option<usize>,
}

impl Kept {
    fn add(&mut self, tag: TagBytes, start: usize, end: usize) -> Result<(), OutOfMemory> {
        match start < end {
            true => self.pieces.try_push(Piece { tag, start, end }),
            false => Ok(()),
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
