//! The decoder: one loop over the input, with the records that are being filled on a stack of terms.
//!
//! A message that may still be merged with (one that is not an element of a repeated field) stays open on the stack
//! until the element around it ends: its record is at hand when the field comes again, and merging is simply
//! going on. So decoding is linear in the input, whatever is repeated or nested in it.

mod map;
mod path;
mod scalar;
mod stack;
mod unknown;

use crate::StringOptions;
use crate::error::{DecodeError, DecodeReason};
use crate::schema::Plan;
use crate::schema::plan::{BuiltDefault, DecodeAction, Kind, MessagePlan, Place, Shape, UNKNOWN_GROUP};
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag};
use crate::work;
use map::Key;
pub use stack::Scratch;
use stack::{Frame, NONE, Node};

/// What came of a decoding.
#[derive(Debug)]
pub enum Outcome {
    /// The record.
    Done(Term),
    /// The work went beyond the budget.
    OverBudget,
}

/// Decodes `input` as the message with this index in the plan.
///
/// `budget` bounds the work, in units of [`crate::work`].
pub fn decode<B: TermBuilder>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    options: StringOptions,
    budget: usize,
    builder: &mut B,
    scratch: &mut Scratch,
) -> Result<Outcome, DecodeError> {
    scratch.clear();
    let mut decoder = Decoder { plan, input, options, budget, builder, scratch, pos: 0, field_start: 0 };
    let result = decoder.run(message);
    let offset = decoder.field_start;
    let result = match result {
        Ok(term) => Ok(Outcome::Done(term)),
        Err(Stop::OverBudget) => Ok(Outcome::OverBudget),
        Err(Stop::Invalid(reason)) => {
            Err(DecodeError { reason, offset, path: path::of_failure(plan, scratch, input, offset) })
        }
    };
    scratch.trim();
    result
}

/// Why the loop stopped early.
enum Stop {
    OverBudget,
    Invalid(DecodeReason),
}

impl From<DecodeReason> for Stop {
    fn from(reason: DecodeReason) -> Stop {
        Stop::Invalid(reason)
    }
}

/// Why fields are no longer read from the current message.
enum Event<'d> {
    /// It has ended.
    End,
    /// A message begins in it, and ends at this place of the input or with this tag.
    Enter { action: &'d DecodeAction, end: usize, end_tag: u32 },
    /// A group begins that the message does not know, and is to be kept in this slot.
    UnknownGroup { slot: u32, end: usize, end_tag: u32 },
}

struct Decoder<'d, B> {
    plan: &'d Plan,
    input: &'d [u8],
    options: StringOptions,
    budget: usize,
    builder: &'d mut B,
    scratch: &'d mut Scratch,
    pos: usize,
    /// Where the field begins that is being read.
    field_start: usize,
}

impl<'d, B: TermBuilder> Decoder<'d, B> {
    fn run(&mut self, message: u32) -> Result<Term, Stop> {
        self.open(&DecodeAction::ROOT, message, self.input.len(), 0, true)?;
        loop {
            let node = self.scratch.nodes[self.scratch.frame.node as usize];
            let table = &self.plan.messages[node.message as usize];
            match self.fields(table, node.base as usize)? {
                Event::Enter { action, end, end_tag } => match action.place {
                    Place::Element => self.open(action, action.index, end, end_tag, true)?,
                    _ => self.enter_single(action, node.base as usize, end, end_tag)?,
                },
                Event::UnknownGroup { slot, end, end_tag } => {
                    let action = DecodeAction { slot, ..DecodeAction::ROOT };
                    self.open(&action, UNKNOWN_GROUP, end, end_tag, true)?;
                }
                Event::End => {
                    if let Some(term) = self.close(table)? {
                        return Ok(term);
                    }
                }
            }
        }
    }

    /// Reads fields until a message begins or the current one ends.
    #[inline(always)]
    fn fields(&mut self, table: &'d MessagePlan, base: usize) -> Result<Event<'d>, Stop> {
        let Frame { end, end_tag, .. } = self.scratch.frame;
        let data = &self.input[..end];
        let mut pos = self.pos;
        let event = loop {
            self.field_start = pos;
            if self.budget == 0 {
                return Err(Stop::OverBudget);
            }
            if pos == data.len() {
                if end_tag != 0 {
                    return Err(DecodeReason::Truncated.into());
                }
                break Event::End;
            }
            let field_tag = tag::read(data, &mut pos)?;
            let action = table.decode.get(field_tag);
            let place = base + action.slot as usize;
            match action.kind {
                Kind::Packed => {
                    let block_end = skip::payload_end(data, &mut pos)?;
                    let start = self.scratch.terms.len();
                    self.spend(block_end - pos);
                    self.packed(action.element, action.index, &data[..block_end], pos)?;
                    self.scratch.extend_run(action.slot, start, NONE);
                    pos = block_end;
                }
                Kind::Message => {
                    let (end, end_tag) = match tag::wire_type(field_tag) {
                        tag::START_GROUP => (end, tag::end_of(field_tag)),
                        _ => (skip::payload_end(data, &mut pos)?, 0),
                    };
                    break Event::Enter { action, end, end_tag };
                }
                Kind::Unknowns => {
                    if tag::number(field_tag) == 0 {
                        return Err(DecodeReason::InvalidFieldNumber.into());
                    }
                    if field_tag == end_tag {
                        break Event::End;
                    }
                    match (table.unknowns, tag::wire_type(field_tag)) {
                        (Some(slot), tag::START_GROUP) => {
                            break Event::UnknownGroup { slot, end, end_tag: tag::end_of(field_tag) };
                        }
                        (Some(slot), tag::VARINT | tag::FIXED32 | tag::FIXED64 | tag::LENGTH_DELIMITED) => {
                            self.spend(work::RECORD);
                            let term = self.unknown(field_tag, data, &mut pos)?;
                            self.scratch.element(slot, term);
                        }
                        _ => skip::field(data, &mut pos, field_tag, &mut self.scratch.groups)?,
                    }
                }
                kind => {
                    let start = pos;
                    let term = self.value(kind, action.index, data, &mut pos)?;
                    match action.place {
                        Place::Single => self.scratch.terms[place] = term,
                        Place::Element => self.scratch.element(action.slot, term),
                        Place::Member => {
                            let pair = self.builder.tuple(&[action.member, term]);
                            self.scratch.forget_member(place);
                            self.scratch.terms[place] = pair;
                        }
                        Place::Key => {
                            self.scratch.terms[place] = term;
                            // Not the last one, where the value came first and has a map of its own.
                            if let Some(key) = self.scratch.keys.get_mut(self.scratch.frame.keys as usize) {
                                *key = Key::read(kind, data, start)?;
                            }
                        }
                    }
                }
            }
        };
        self.pos = pos;
        Ok(event)
    }

    /// Takes work off the budget. When nothing is left the loop over the fields stops.
    #[inline(always)]
    fn spend(&mut self, work: usize) {
        self.budget = self.budget.saturating_sub(work);
    }

    /// Enters a message that is no element: goes on with the one that is there, or begins one.
    #[inline(always)]
    fn enter_single(&mut self, action: &DecodeAction, base: usize, end: usize, end_tag: u32) -> Result<(), Stop> {
        let place = base + action.slot as usize;
        let scratch = &mut *self.scratch;
        if let Some(index) = scratch.terms[place].pending_index() {
            if scratch.nodes[index].member == action.member {
                let node = index as u32;
                scratch.push_frame(Frame { end, node, end_tag, runs: NONE, keys: NONE, element: false });
                return Ok(());
            }
            scratch.forget(index);
        }
        scratch.terms[place] = Term::pending(scratch.nodes.len());
        self.open(action, action.index, end, end_tag, false)
    }

    /// Begins a message.
    #[inline(always)]
    fn open(
        &mut self,
        action: &DecodeAction,
        message: u32,
        end: usize,
        end_tag: u32,
        element: bool,
    ) -> Result<(), Stop> {
        let parent = self.scratch.frame.node;
        let base = self.begin_record(action, message, parent)?;
        let scratch = &mut *self.scratch;
        let (runs, keys) = (scratch.runs.len() as u32, scratch.keys.len() as u32);
        let table = &self.plan.messages[message as usize];
        match table.shape {
            Shape::Record(_) => {}
            Shape::Entry => scratch.keys.push(Key::default_of(table)),
            Shape::UnknownGroup => scratch.terms[base + 1] = self.builder.integer(i64::from(tag::number(end_tag))),
        }
        scratch.push_frame(Frame { end, node: scratch.nodes.len() as u32 - 1, end_tag, runs, keys, element });
        Ok(())
    }

    /// Puts an empty record and its node on the stack and gives the record's place.
    #[inline(always)]
    fn begin_record(&mut self, action: &DecodeAction, message: u32, parent: u32) -> Result<usize, Stop> {
        let table = &self.plan.messages[message as usize];
        let len = table.template.len();
        self.spend(len + if table.shape == Shape::Entry { work::MAP_ENTRY } else { work::RECORD });
        let scratch = &mut *self.scratch;
        let base = scratch.terms.len();
        // Until the next record begins, at most one term comes from a byte.
        if base + len + (self.input.len() - self.pos) >= NONE as usize {
            return Err(DecodeReason::TooLarge.into());
        }
        scratch.terms.extend_from_slice(&table.template);
        for (slot, default) in &table.defaults {
            let term = match default {
                BuiltDefault::String if self.options.string_as_list => self.plan.constants.nil,
                BuiltDefault::String | BuiltDefault::Bytes => self.builder.empty_binary(),
                BuiltDefault::Float => self.builder.zero_float(),
                // Not before it is known that the value does not come.
                BuiltDefault::Message(_) => self.plan.constants.undefined,
            };
            scratch.terms[base + *slot as usize] = term;
        }
        let DecodeAction { slot, field, member, .. } = *action;
        scratch.nodes.push(Node { message, slot, parent, base: base as u32, last_run: NONE, field, member });
        Ok(base)
    }

    /// Ends the current message and gives the record when it was the outermost one.
    #[inline(always)]
    fn close(&mut self, table: &MessagePlan) -> Result<Option<Term>, Stop> {
        let frame = self.scratch.frame;
        if table.shape == Shape::Entry {
            self.complete_entry(table, frame.node)?;
        }
        if !frame.element {
            self.scratch.frame = self.scratch.frames.pop().unwrap_or_default();
            if self.scratch.nodes[frame.node as usize].member != Term::NONE {
                self.scratch.note_member(frame);
            }
            return Ok(None);
        }
        let term = self.build(frame.node as usize);
        let scratch = &mut *self.scratch;
        scratch.frame = scratch.frames.pop().unwrap_or_default();
        if scratch.frames.is_empty() {
            return Ok(Some(term));
        }
        let Node { base, slot, .. } = scratch.nodes[frame.node as usize];
        scratch.nodes.truncate(frame.node as usize);
        scratch.runs.truncate(frame.runs as usize);
        scratch.terms.truncate(base as usize);
        scratch.terms.push(term);
        if table.shape == Shape::Entry {
            // Its key stays, behind those of the entries before it.
            scratch.keys.truncate(frame.keys as usize + 1);
            scratch.extend_run(slot, base as usize, frame.keys);
        } else {
            scratch.keys.truncate(frame.keys as usize);
            scratch.extend_run(slot, base as usize, NONE);
        }
        Ok(None)
    }

    /// Puts the empty message in the place of a map entry's message that did not come.
    #[inline(never)]
    fn complete_entry(&mut self, table: &MessagePlan, node: u32) -> Result<(), Stop> {
        for (slot, default) in &table.defaults {
            let place = (self.scratch.nodes[node as usize].base + *slot) as usize;
            if let BuiltDefault::Message(message) = default
                && self.scratch.terms[place] == self.plan.constants.undefined
            {
                self.scratch.terms[place] = Term::pending(self.scratch.nodes.len());
                let action = DecodeAction { slot: *slot, ..DecodeAction::ROOT };
                self.begin_record(&action, *message, node)?;
            }
        }
        Ok(())
    }

    /// Builds the record of a node and of all that came after it, which lie within it. Inner records come after outer
    /// ones, so from the last to the first each finds its place still open.
    #[inline(always)]
    fn build(&mut self, node: usize) -> Term {
        for index in (node + 1..self.scratch.nodes.len()).rev() {
            let inner = self.scratch.nodes[index];
            if inner.slot == Node::NOWHERE {
                continue;
            }
            let mut term = self.record(inner);
            if inner.member != Term::NONE {
                term = self.builder.tuple(&[inner.member, term]);
            }
            let place = (self.scratch.nodes[inner.parent as usize].base + inner.slot) as usize;
            self.scratch.terms[place] = term;
        }
        self.record(self.scratch.nodes[node])
    }

    #[inline(always)]
    fn record(&mut self, node: Node) -> Term {
        let scratch = &mut *self.scratch;
        let table = &self.plan.messages[node.message as usize];
        let mut maps = Vec::new();
        let base = node.base as usize;
        let mut run = scratch.runs.get(node.last_run as usize).copied();
        // From the last run to the first, each before what is there already.
        while let Some(current) = run {
            if current.first_key == NONE {
                let place = base + current.slot as usize;
                let elements = &scratch.terms[current.start as usize..current.end as usize];
                scratch.terms[place] = self.builder.list(elements, scratch.terms[place]);
            } else {
                maps.push(current);
            }
            run = scratch.runs.get(current.previous as usize).copied();
        }
        if !maps.is_empty() {
            self.maps(base, maps);
        }
        let scratch = &*self.scratch;
        self.builder.tuple(&scratch.terms[base..base + table.template.len()])
    }
}
