//! The decoder for what encoders write: every message in one piece, and nothing wrong. The record of a message is made
//! where the message ends, so that little has to be kept of it.
//!
//! At whatever else comes (a message again that is no element, a fault, what is rare) it stops, and the message is decoded
//! from the beginning by the loop that takes all of it.

use super::map::Key;
use super::stack::{NONE, extend_run};
use super::{Decoder, Stop};
use crate::memory::TryGrow;
use crate::schema::plan::{BuiltDefault, DecodeAction, Kind, MessagePlan, Shape};
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag, varint};
use crate::work;

/// The message being read.
#[derive(Clone, Copy)]
struct Current<'d> {
    table: &'d MessagePlan,
    /// Its index in the plan.
    message: u32,
    /// Where its record begins on the stack.
    base: usize,
    /// Where its bytes end in the input; at most there, for a group.
    end: usize,
    /// The tag that ends it, for a group; otherwise 0.
    end_tag: u32,
    /// The last of its runs, or [`NONE`].
    last_run: u32,
    /// How many runs there were before it.
    runs: u32,
    /// How many keys there were before it.
    keys: u32,
}

/// A message around the one being read, which goes on behind it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    message: u32,
    base: u32,
    end: u32,
    end_tag: u32,
    last_run: u32,
    runs: u32,
    keys: u32,
    /// The place of the message that is being read in it.
    slot: u32,
    /// The name of the member that this is, in a oneof; otherwise [`Term::NONE`].
    member: Term,
    /// Whether it is an element of a repeated field.
    element: bool,
}

impl<'d, B: TermBuilder> Decoder<'d, B> {
    /// Decodes all of the input as this message.
    #[inline(never)]
    pub(super) fn straight(&mut self, message: u32) -> Result<Term, Stop> {
        let data = self.input;
        let mut pos = 0;
        let mut current = self.begin(message, data.len(), 0)?;
        loop {
            loop {
                let Current { table, base, end, end_tag, .. } = current;
                // Values are read as if the message went on, so going beyond its end is found here.
                if pos >= end {
                    if pos > end || end_tag != 0 {
                        return Err(Stop::Apart);
                    }
                    break;
                }
                let field_tag = tag::read(data, &mut pos)?;
                let action = table.decode.get(field_tag);
                // One arm for each type, so that one jump leads to its code.
                macro_rules! single {
                    ($kind:ident) => {{
                        let term = self.value(Kind::$kind, action.index, data, &mut pos)?;
                        self.scratch.terms[base + action.slot as usize] = term;
                    }};
                }
                match action.kind {
                    Kind::Int32 => single!(Int32),
                    Kind::Int64 => single!(Int64),
                    Kind::Uint32 => single!(Uint32),
                    Kind::Uint64 => single!(Uint64),
                    Kind::Sint32 => single!(Sint32),
                    Kind::Sint64 => single!(Sint64),
                    Kind::Bool => single!(Bool),
                    Kind::Fixed32 => single!(Fixed32),
                    Kind::Sfixed32 => single!(Sfixed32),
                    Kind::Float => single!(Float),
                    Kind::Fixed64 => single!(Fixed64),
                    Kind::Sfixed64 => single!(Sfixed64),
                    Kind::Double => single!(Double),
                    Kind::String => single!(String),
                    Kind::Bytes => single!(Bytes),
                    Kind::Enum => single!(Enum),
                    Kind::Message | Kind::Messages => {
                        let (end, end_tag) = match tag::wire_type(field_tag) {
                            tag::START_GROUP => (end, tag::end_of(field_tag)),
                            _ => (skip::payload_end(data, &mut pos)?, 0),
                        };
                        let element = action.kind == Kind::Messages;
                        if !element && self.scratch.terms[base + action.slot as usize] != self.plan.constants.undefined
                        {
                            return Err(Stop::Apart);
                        }
                        self.deeper()?;
                        if self.without_content(action.index, &mut pos, end, end_tag)? {
                            let term = self.empty(action.index)?;
                            self.depth_left += 1;
                            self.put_message(&mut current, action.slot, action.member, element, term)?;
                        } else {
                            self.scratch.frames.try_push(Frame {
                                message: current.message,
                                base: base as u32,
                                end: current.end as u32,
                                end_tag: current.end_tag,
                                last_run: current.last_run,
                                runs: current.runs,
                                keys: current.keys,
                                slot: action.slot,
                                member: action.member,
                                element,
                            })?;
                            current = self.begin(action.index, end, end_tag)?;
                        }
                    }
                    Kind::Packed => {
                        let block_end = skip::payload_end(data, &mut pos)?;
                        let start = self.scratch.terms.len();
                        self.spend(work::RUN + block_end - pos)?;
                        self.packed(action.element, action.index, &data[..block_end], pos)?;
                        extend_run(self.scratch, &mut current.last_run, action.slot, start, NONE)?;
                        pos = block_end;
                    }
                    Kind::Repeated => pos = self.elements(&mut current, action, field_tag, pos)?,
                    Kind::Oneof => {
                        let (term, end) = self.value_at(action, data, pos)?;
                        self.put_member(&current, action, term)?;
                        pos = end;
                    }
                    Kind::Utf8String => {
                        let (term, end) = self.utf8_string(data, pos)?;
                        self.scratch.terms[base + action.slot as usize] = term;
                        pos = end;
                    }
                    Kind::Key => {
                        let (term, end) = self.value_at(action, data, pos)?;
                        self.scratch.terms[base + action.slot as usize] = term;
                        self.put_key(&current, action.element, pos)?;
                        pos = end;
                    }
                    Kind::ClosedEnum | Kind::Utf8Strings => pos = self.by_role(&mut current, action, pos)?,
                    Kind::SetItem => return Err(Stop::Apart),
                    Kind::Unknowns => {
                        if field_tag == end_tag && field_tag != 0 {
                            break;
                        }
                        if tag::number(field_tag) == 0 {
                            return Err(Stop::Apart);
                        }
                        if let Some(slot) = table.unknowns
                            && self.builder.keeps_unknowns()
                        {
                            pos = self.keep_unknown(&mut current, slot, field_tag, pos)?;
                            continue;
                        }
                        self.scratch.more_used = true;
                        let groups = &mut self.scratch.groups;
                        pos = skip::field_end::<Stop>(data, pos, field_tag, self.depth_left, groups)?;
                    }
                }
            }
            let term = self.end(&current)?;
            let Some(frame) = self.scratch.frames.pop() else { return Ok(term) };
            let Frame { message, base, end, end_tag, last_run, runs, keys, slot, member, element } = frame;
            self.depth_left += 1;
            let (start, key) = (current.base, current.keys);
            let entry = !current.table.plain && matches!(current.table.shape, Shape::Entry(_));
            self.scratch.terms.truncate(start);
            let table = &self.plan.messages[message as usize];
            current = Current { table, message, base: base as usize, end: end as usize, end_tag, last_run, runs, keys };
            if entry {
                // Its key stays, behind those of the entries before it.
                self.scratch.terms.try_push(term)?;
                extend_run(self.scratch, &mut current.last_run, slot, start, key)?;
            } else {
                self.put_message(&mut current, slot, member, element, term)?;
            }
        }
    }

    /// Puts an empty record on the stack.
    #[inline(always)]
    fn begin(&mut self, message: u32, end: usize, end_tag: u32) -> Result<Current<'d>, Stop> {
        let table = &self.plan.messages[message as usize];
        let scratch = &mut *self.scratch;
        let base = scratch.terms.len();
        if base + table.template.len() + self.input.len() >= NONE as usize {
            return Err(Stop::Apart);
        }
        let (runs, keys) = (scratch.runs.len() as u32, scratch.keys.len() as u32);
        scratch.terms.try_extend(&table.template)?;
        self.spend_on(table)?;
        if !table.plain {
            self.complete_template(table, base, end_tag)?;
        }
        Ok(Current { table, message, base, end, end_tag, last_run: NONE, runs, keys })
    }

    /// Makes the record of the message whose end was reached.
    #[inline(always)]
    fn end(&mut self, current: &Current<'d>) -> Result<Term, Stop> {
        let Current { table, base, last_run, .. } = *current;
        if !table.plain {
            self.complete_message(table, base)?;
        }
        if last_run != NONE {
            self.lists(base, last_run)?;
            self.scratch.runs.truncate(current.runs as usize);
            // That of an entry stays.
            let own = usize::from(matches!(table.shape, Shape::Entry(_)));
            self.scratch.keys.truncate(current.keys as usize + own);
        }
        let elements = &self.scratch.terms[base..base + table.template.len()];
        self.builder.message(self.plan, table, elements).map_err(|_| Stop::Apart)
    }

    /// Puts the empty message in the place of a map entry's message that did not come.
    #[inline(never)]
    fn complete_message(&mut self, table: &MessagePlan, base: usize) -> Result<(), Stop> {
        for (slot, default) in &table.defaults {
            let place = base + *slot as usize;
            if let BuiltDefault::Message(message) = default
                && self.scratch.terms[place] == self.plan.constants.undefined
            {
                self.scratch.terms[place] = self.empty(*message)?;
            }
        }
        Ok(())
    }

    /// Whether a message that becomes a record has no content; if so what ends it is passed over.
    #[inline(always)]
    fn without_content(&mut self, message: u32, pos: &mut usize, end: usize, end_tag: u32) -> Result<bool, Stop> {
        if end_tag == 0 {
            return Ok(*pos == end && matches!(self.plan.messages[message as usize].shape, Shape::Record(_)));
        }
        let mut after = *pos;
        let empty = tag::read(self.input, &mut after)? == end_tag;
        if empty {
            *pos = after;
        }
        Ok(empty)
    }

    /// The record of a message without content.
    #[inline(never)]
    fn empty(&mut self, message: u32) -> Result<Term, Stop> {
        let table = &self.plan.messages[message as usize];
        let base = self.scratch.terms.len();
        self.scratch.terms.try_extend(&table.template)?;
        self.spend_on(table)?;
        self.complete_template(table, base, 0)?;
        let term = self.empty_record(message, base)?;
        self.scratch.terms.truncate(base);
        Ok(term)
    }

    /// Puts a message into its place in the one around it.
    #[inline(always)]
    fn put_message(
        &mut self,
        current: &mut Current<'d>,
        slot: u32,
        member: Term,
        element: bool,
        term: Term,
    ) -> Result<(), Stop> {
        if element {
            let start = self.scratch.terms.len();
            self.scratch.terms.try_push(term)?;
            return Ok(extend_run(self.scratch, &mut current.last_run, slot, start, NONE)?);
        }
        let term = if member == Term::NONE { term } else { self.builder.tuple(&[member, term]) };
        self.scratch.terms[current.base + slot as usize] = term;
        Ok(())
    }

    /// Reads an element, whose tag was read, and those that follow it; gives where they end.
    #[inline(never)]
    fn elements(
        &mut self,
        current: &mut Current<'d>,
        action: &DecodeAction,
        field_tag: u32,
        mut pos: usize,
    ) -> Result<usize, Stop> {
        let data = self.input;
        loop {
            let term = match action.element {
                Kind::String => self.value(Kind::String, action.index, data, &mut pos)?,
                Kind::Bytes => self.value(Kind::Bytes, action.index, data, &mut pos)?,
                _ => {
                    let (term, end) = self.value_at(action, data, pos)?;
                    pos = end;
                    term
                }
            };
            self.put_element(current, action.slot, term)?;
            let mut next = pos;
            if pos >= current.end || tag::read(data, &mut next)? != field_tag {
                return Ok(pos);
            }
            pos = next;
        }
    }

    /// Puts an element into its place.
    #[inline(always)]
    fn put_element(&mut self, current: &mut Current<'d>, slot: u32, term: Term) -> Result<(), Stop> {
        let (start, runs) = (self.scratch.terms.len(), self.scratch.runs.len());
        self.scratch.terms.try_push(term)?;
        extend_run(self.scratch, &mut current.last_run, slot, start, NONE)?;
        if self.scratch.runs.len() > runs {
            self.spend(work::RUN)?;
        }
        Ok(())
    }

    /// Puts a member of a oneof into its place.
    #[inline(always)]
    fn put_member(&mut self, current: &Current<'d>, action: &DecodeAction, term: Term) -> Result<(), Stop> {
        self.spend(work::CHANGE)?;
        self.scratch.terms[current.base + action.slot as usize] = self.builder.tuple(&[action.member, term]);
        Ok(())
    }

    /// Keeps an unknown field, which has its value at `pos`, unless it is a group; gives where it ends.
    #[inline(never)]
    fn keep_unknown(
        &mut self,
        current: &mut Current<'d>,
        slot: u32,
        field_tag: u32,
        pos: usize,
    ) -> Result<usize, Stop> {
        match tag::wire_type(field_tag) {
            tag::VARINT | tag::FIXED32 | tag::FIXED64 | tag::LENGTH_DELIMITED => {
                self.spend(work::RECORD)?;
                let (term, end) = self.unknown(field_tag, self.input, pos)?;
                let start = self.scratch.terms.len();
                self.scratch.terms.try_push(term)?;
                extend_run(self.scratch, &mut current.last_run, slot, start, NONE)?;
                Ok(end)
            }
            _ => Err(Stop::Apart),
        }
    }

    /// Notes the key of an entry, which is at `pos`.
    #[inline(always)]
    fn put_key(&mut self, current: &Current<'d>, kind: Kind, pos: usize) -> Result<(), Stop> {
        if let Some(key) = self.scratch.keys.get_mut(current.keys as usize) {
            *key = Key::read(kind, self.input, pos)?;
        }
        Ok(())
    }

    /// Reads what has its place told by its role, at `pos`; gives where it ends.
    #[inline(never)]
    fn by_role(&mut self, current: &mut Current<'d>, action: &DecodeAction, pos: usize) -> Result<usize, Stop> {
        let data = self.input;
        if action.kind == Kind::ClosedEnum && action.element == Kind::Packed {
            let mut pos = pos;
            let block_end = skip::payload_end(data, &mut pos)?;
            self.spend(work::RUN + block_end - pos)?;
            while pos < block_end {
                let symbol = self.closed_symbol(action.index, &data[..block_end], &mut pos)?;
                self.put_element(current, action.slot, symbol)?;
            }
            return Ok(pos);
        }
        let (term, end) = match action.kind {
            Kind::ClosedEnum if action.element == Kind::Messages => return Err(Stop::Apart),
            Kind::ClosedEnum => {
                let mut end = pos;
                (self.closed_symbol(action.index, data, &mut end)?, end)
            }
            _ => self.utf8_string(data, pos)?,
        };
        match action.element {
            Kind::Repeated => self.put_element(current, action.slot, term)?,
            Kind::Oneof => self.put_member(current, action, term)?,
            Kind::Key => {
                self.scratch.terms[current.base + action.slot as usize] = term;
                self.put_key(current, Kind::String, pos)?;
            }
            _ => self.scratch.terms[current.base + action.slot as usize] = term,
        }
        Ok(end)
    }

    /// The symbol of a closed enum at `*pos`. (Where there is none the field is an unknown one.)
    fn closed_symbol(&self, index: u32, data: &[u8], pos: &mut usize) -> Result<Term, Stop> {
        let number = varint::read(data, pos)?;
        self.plan.enums[index as usize].symbol(number as i32).ok_or(Stop::Apart)
    }
}
