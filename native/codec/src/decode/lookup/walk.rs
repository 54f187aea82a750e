//! Going over the fields of a message, past those that nobody asks for.

use super::Failure;
use super::key::Wanted;
use super::ranges::Ranges;
use super::steps::{Sought, What};
use crate::decode::Key;
use crate::error::DecodeReason;
use crate::memory::OutOfMemory;
use crate::schema::Plan;
use crate::schema::plan::{DecodeAction, DecodeTable, Kind, Shape};
use crate::wire::{skip, tag, varint};
use crate::work;

pub(super) struct Walk<'w> {
    plan: &'w Plan,
    input: &'w [u8],
    max_depth: u32,
    budget: &'w mut usize,
    /// The open groups of a field that is passed over.
    groups: Vec<u32>,
    /// Where the field begins that is being looked at, and the message that it is in.
    at: usize,
    message: u32,
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
    pub fn new(plan: &'w Plan, input: &'w [u8], max_depth: u32, budget: &'w mut usize) -> Walk<'w> {
        Walk { plan, input, max_depth, budget, groups: Vec::new(), at: 0, message: 0 }
    }

    /// Takes work off the budget.
    #[inline(always)]
    pub fn spend(&mut self, work: usize) -> Result<(), Failure> {
        work::spend(self.budget, work).ok_or(Failure::OverBudget)
    }

    fn invalid(&self, reason: DecodeReason) -> Failure {
        Failure::Invalid(reason, self.at, self.message)
    }

    /// Finds what is sought in the message with this index in the plan, whose bytes are in these places.
    pub fn gather(&mut self, message: u32, ranges: &Ranges, sought: &mut [Sought]) -> Result<(), Failure> {
        let table = &self.plan.messages[message as usize].decode;
        self.message = message;
        // No field has slot 0: of what is there the message knows nothing, or it is an item of a message set.
        let mut wanted = u64::from(table.get(tag::SET_ITEM).kind == Kind::SetItem);
        for one in &mut *sought {
            wanted |= bit_of(one.field.slot);
            if let What::Unknowns = one.what {
                one.ranges = ranges.try_clone()?;
            }
        }
        for (start, end) in ranges.iter() {
            self.fields(table, start, end, wanted, sought)?;
        }
        Ok(())
    }

    /// Goes over the fields from `start` to `end`, and shows those whose slots are wanted.
    #[inline(always)]
    fn fields(
        &mut self,
        table: &'w DecodeTable,
        start: usize,
        end: usize,
        wanted: u64,
        sought: &mut [Sought],
    ) -> Result<(), Failure> {
        let data = &self.input[..end];
        let (mut pos, mut left) = (start, *self.budget);
        while pos < end {
            let start = pos;
            work::spend(&mut left, 1).ok_or(Failure::OverBudget)?;
            // Most tags and lengths are one byte: these go first, for a field that is passed over is little else.
            let (field_tag, content) = match data[start] {
                first if first < 0x80 => (u32::from(first), start + 1),
                _ => self.long_tag(data, start)?,
            };
            pos = match (tag::wire_type(field_tag), data.get(content)) {
                _ if tag::number(field_tag) == 0 => {
                    return Err(self.invalid_at(start, DecodeReason::InvalidFieldNumber));
                }
                (tag::LENGTH_DELIMITED, Some(&len)) if len < 0x80 && usize::from(len) < end - content => {
                    content + 1 + usize::from(len)
                }
                (tag::VARINT, Some(&value)) if value < 0x80 => content + 1,
                _ => {
                    (self.at, *self.budget) = (start, left);
                    let end = self.end_of(data, content, field_tag)?;
                    left = *self.budget;
                    end
                }
            };
            let action = table.get(field_tag);
            if wanted & bit_of(action.slot) != 0 {
                let occurrence = Occurrence { action, tag: field_tag, start, content, end: pos };
                (self.at, *self.budget) = (start, left);
                self.show(&occurrence, sought)?;
                left = *self.budget;
            }
        }
        *self.budget = left;
        Ok(())
    }

    #[cold]
    fn invalid_at(&mut self, at: usize, reason: DecodeReason) -> Failure {
        self.at = at;
        self.invalid(reason)
    }

    /// The tag at `start`, and where it ends.
    #[inline(never)]
    fn long_tag(&mut self, data: &[u8], start: usize) -> Result<(u32, usize), Failure> {
        let mut pos = start;
        match tag::read(data, &mut pos) {
            Ok(field_tag) => Ok((field_tag, pos)),
            Err(reason) => Err(self.invalid_at(start, reason)),
        }
    }

    /// Where the field ends whose tag has been read.
    #[inline(never)]
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

    fn end_of_other(&mut self, data: &[u8], content: usize, field_tag: u32) -> Result<usize, Failure> {
        // A group has fields of its own: no further than the budget reaches.
        let reach = data.len().min(content.saturating_add(work::reach(*self.budget)));
        let end = skip::field_end::<Unskipped>(&data[..reach], content, field_tag, self.max_depth, &mut self.groups);
        match end {
            Ok(end) => {
                self.spend(work::input(end - content))?;
                Ok(end)
            }
            Err(Unskipped::OutOfMemory) => Err(Failure::OutOfMemory),
            Err(Unskipped::Invalid(_)) if reach < data.len() => Err(Failure::OverBudget),
            Err(Unskipped::Invalid(reason)) => Err(self.invalid(reason)),
        }
    }

    /// Shows a field to what is sought of it.
    #[inline(never)]
    fn show(&mut self, field: &Occurrence, sought: &mut [Sought]) -> Result<(), Failure> {
        self.spend(sought.len() / COMPARED_IN_A_UNIT)?;
        let item = field.action.kind == Kind::SetItem;
        for one in sought {
            if one.field.slot == field.action.slot || item {
                self.visit(field, one)?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, field: &Occurrence, sought: &mut Sought) -> Result<(), Failure> {
        let ranges = &mut sought.ranges;
        match &mut sought.what {
            What::Last => {
                if self.is_value(field) {
                    *ranges = Ranges::one(field.start, field.end);
                }
            }
            What::Value => ranges.join((field.start, field.end))?,
            What::Unknowns => {}
            What::Messages(Some(member)) if field.action.member != *member => {
                if self.is_value(field) {
                    ranges.clear();
                }
            }
            What::Messages(_) if field.action.kind == Kind::SetItem => {
                if field.tag == tag::SET_ITEM {
                    self.item(sought.field.slot, field, ranges)?;
                } else if field.action.slot == sought.field.slot {
                    ranges.push(self.content(field)?)?;
                }
            }
            What::Messages(_) => ranges.push(self.content(field)?)?,
            What::Element(position, count) => {
                if *count == *position {
                    ranges.push(self.content(field)?)?;
                }
                *count += 1;
            }
            What::Entry(wanted) => {
                if let Some((start, end)) = self.entry(sought.field.index, field, wanted)? {
                    *ranges = Ranges::one(start, end);
                }
            }
        }
        Ok(())
    }

    /// Whether a value is one: not that of a closed enum that has no symbol for it.
    fn is_value(&self, field: &Occurrence) -> bool {
        let action = field.action;
        if action.kind != Kind::ClosedEnum || matches!(action.element, Kind::Packed | Kind::Messages) {
            return true;
        }
        let number = varint::read(&self.input[..field.end], &mut { field.content });
        number.is_ok_and(|number| self.plan.enums[action.index as usize].symbol(number as i32).is_some())
    }

    /// Where the content of a message lies.
    fn content(&mut self, field: &Occurrence) -> Result<(usize, usize), Failure> {
        let data = &self.input[..field.end];
        if tag::wire_type(field.tag) == tag::START_GROUP {
            return Ok((field.content, self.end_of_group(data, field)?));
        }
        let mut start = field.content;
        let end = skip::payload_end(data, &mut start).map_err(|reason| self.invalid(reason))?;
        Ok((start, end))
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

    /// Adds the messages of an item of a message set, if it is of the field of this slot.
    fn item(&mut self, slot: u32, item: &Occurrence, ranges: &mut Ranges) -> Result<(), Failure> {
        let set = &self.plan.messages[self.message as usize].decode;
        let data = &self.input[..item.end];
        let end = self.end_of_group(data, item)?;
        let (mut pos, mut number, mut messages) = (item.content, None, Ranges::default());
        while pos < end {
            let field_tag = tag::read(data, &mut pos).map_err(|reason| self.invalid(reason))?;
            let next = self.end_of(data, pos, field_tag)?;
            match field_tag {
                tag::SET_TYPE_ID => number = number.or(varint::read(data, &mut { pos }).ok()),
                tag::SET_MESSAGE => {
                    let mut start = pos;
                    let end = skip::payload_end(data, &mut start).map_err(|reason| self.invalid(reason))?;
                    messages.push((start, end))?;
                }
                _ => {}
            }
            pos = next;
        }
        let number =
            number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= tag::MAX_FIELD_NUMBER);
        let own = number.map(|number| set.get(tag::make(number, tag::LENGTH_DELIMITED)));
        if own.is_some_and(|own| own.kind == Kind::SetItem && own.slot == slot) {
            for range in messages.iter() {
                ranges.push(range)?;
            }
        }
        Ok(())
    }

    /// Where the content of an entry of a map lies, if it has this key. Entries are the message with this index in the plan.
    fn entry(&mut self, entries: u32, field: &Occurrence, wanted: &Wanted) -> Result<Option<(usize, usize)>, Failure> {
        let table = &self.plan.messages[entries as usize];
        let Shape::Entry(key_kind) = table.shape else { return Ok(None) };
        let (start, end) = self.content(field)?;
        let data = &self.input[..end];
        let (mut pos, mut key, mut known) = (start, Key::default_of(key_kind), true);
        while pos < end {
            self.spend(1)?;
            let field_tag = tag::read(data, &mut pos).map_err(|reason| self.invalid(reason))?;
            let action = table.decode.get(field_tag);
            match (action.kind, action.element) {
                (Kind::Key, kind) => key = Key::read(kind, data, pos).map_err(|reason| self.invalid(reason))?,
                (Kind::Utf8Strings, Kind::Key) => {
                    key = Key::read(Kind::String, data, pos).map_err(|reason| self.invalid(reason))?;
                }
                (Kind::ClosedEnum, _) => {
                    let number = varint::read(data, &mut { pos }).map_err(|reason| self.invalid(reason))?;
                    known = self.plan.enums[action.index as usize].symbol(number as i32).is_some();
                }
                _ => {}
            }
            pos = self.end_of(data, pos, field_tag)?;
        }
        Ok((known && key.content(self.input) == wanted.content()).then_some((start, end)))
    }
}

/// With how many that are sought a field is compared in the time of a unit of work.
const COMPARED_IN_A_UNIT: usize = 8;

/// Which slots are wanted is told by the bits of a word, which several may share: most fields are passed over with one look
/// at it, however many are sought.
#[inline(always)]
fn bit_of(slot: u32) -> u64 {
    1 << (slot % u64::BITS)
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
