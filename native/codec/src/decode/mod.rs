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
use crate::schema::plan::{BuiltDefault, DecodeAction, DecodeKind, MessagePlan, Shape, UNKNOWN_GROUP};
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag};
use map::Key;
pub use stack::Scratch;
use stack::{Frame, Node};

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
/// `budget` bounds how many words of records are begun: what a few bytes can make of a schema with large records. How
/// much the rest can come to, the caller knows from the length of the input.
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
enum Event {
    /// It has ended.
    End,
    /// A message begins in it, and ends at this place of the input.
    Enter { action: DecodeAction, message: u32, end: usize, end_tag: u32 },
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
        self.open(DecodeAction::ROOT, message, self.input.len(), 0, true)?;
        loop {
            let table = &self.plan.messages[self.scratch.frame.message as usize];
            match self.fields(table)? {
                Event::Enter { action, message, end, end_tag } => match action.kind {
                    DecodeKind::Message(_) => self.enter_single(action, message, end, end_tag)?,
                    _ => self.open(action, message, end, end_tag, true)?,
                },
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
    fn fields(&mut self, table: &MessagePlan) -> Result<Event, Stop> {
        let Frame { base, end, end_tag, .. } = self.scratch.frame;
        let data = &self.input[..end];
        let mut pos = self.pos;
        let event = loop {
            self.field_start = pos;
            if pos == data.len() {
                if end_tag != 0 {
                    return Err(DecodeReason::Truncated.into());
                }
                break Event::End;
            }
            let field_tag = tag::read(data, &mut pos)?;
            let Some(action) = table.decode.get(field_tag) else {
                if tag::number(field_tag) == 0 {
                    return Err(DecodeReason::InvalidFieldNumber.into());
                }
                if field_tag == end_tag {
                    break Event::End;
                }
                match (table.unknowns, tag::wire_type(field_tag)) {
                    (Some(slot), tag::START_GROUP) => {
                        let kind = DecodeKind::MessageElement(UNKNOWN_GROUP);
                        let action = DecodeAction { kind, slot, ..DecodeAction::ROOT };
                        let end_tag = field_tag + (tag::END_GROUP - tag::START_GROUP);
                        break Event::Enter { action, message: UNKNOWN_GROUP, end, end_tag };
                    }
                    (Some(slot), tag::VARINT | tag::FIXED32 | tag::FIXED64 | tag::LENGTH_DELIMITED) => {
                        let term = self.unknown(field_tag, data, &mut pos)?;
                        self.scratch.element(slot, term);
                    }
                    _ => skip::field(data, &mut pos, field_tag, &mut self.scratch.groups)?,
                }
                continue;
            };
            let place = base + action.slot as usize;
            match action.kind {
                DecodeKind::Single(value) => {
                    self.scratch.terms[place] = self.value(value, data, &mut pos)?;
                }
                DecodeKind::Element(value) => {
                    let term = self.value(value, data, &mut pos)?;
                    self.scratch.element(action.slot, term);
                }
                DecodeKind::Packed(value) => {
                    let block_end = skip::payload_end(data, &mut pos)?;
                    let start = self.scratch.terms.len();
                    self.packed(value, &data[..block_end], pos)?;
                    self.scratch.extend_run(action.slot, start, None);
                    pos = block_end;
                }
                DecodeKind::Member(value) => {
                    let term = self.value(value, data, &mut pos)?;
                    let pair = self.builder.tuple(&[action.member, term]);
                    self.abandon(place);
                    self.scratch.terms[place] = pair;
                }
                DecodeKind::Key(value) => {
                    let key = Key::read(value, data, pos);
                    self.scratch.terms[place] = self.value(value, data, &mut pos)?;
                    if let Some(last) = self.scratch.keys.last_mut() {
                        *last = key?;
                    }
                }
                DecodeKind::Message(message) | DecodeKind::MessageElement(message) => {
                    let (end, end_tag) = match tag::wire_type(field_tag) {
                        tag::START_GROUP => (end, field_tag + (tag::END_GROUP - tag::START_GROUP)),
                        _ => (skip::payload_end(data, &mut pos)?, 0),
                    };
                    break Event::Enter { action: *action, message, end, end_tag };
                }
            }
        };
        self.pos = pos;
        Ok(event)
    }

    /// Forgets the message that a oneof holds, where it holds one.
    #[inline(always)]
    fn abandon(&mut self, place: usize) {
        if let Some(index) = self.scratch.terms[place].pending_index() {
            self.scratch.nodes[index].slot = Node::NOWHERE;
        }
    }

    /// Enters a message that is no element: goes on with the one that is there, or begins one.
    #[inline(always)]
    fn enter_single(&mut self, action: DecodeAction, message: u32, end: usize, end_tag: u32) -> Result<(), Stop> {
        let place = self.scratch.frame.base + action.slot as usize;
        if let Some(index) = self.scratch.terms[place].pending_index() {
            let node = &mut self.scratch.nodes[index];
            if node.member == action.member {
                let frame = Frame { message, end_tag, node: index, base: node.base, end, element: None, action };
                let around = std::mem::replace(&mut self.scratch.frame, frame);
                self.scratch.frames.push(around);
                return Ok(());
            }
            node.slot = Node::NOWHERE;
        }
        self.scratch.terms[place] = Term::pending(self.scratch.nodes.len());
        self.open(action, message, end, end_tag, false)
    }

    /// Begins a message.
    #[inline(always)]
    fn open(
        &mut self,
        action: DecodeAction,
        message: u32,
        end: usize,
        end_tag: u32,
        element: bool,
    ) -> Result<(), Stop> {
        let scratch = &mut *self.scratch;
        let element = element.then_some((scratch.runs.len(), scratch.keys.len()));
        let parent = scratch.frame.node;
        let base = self.begin_record(action, message, parent)?;
        let scratch = &mut *self.scratch;
        let table = &self.plan.messages[message as usize];
        match table.shape {
            Shape::Record(_) => {}
            Shape::Entry => {
                let key = table.decode.actions().iter().find_map(|action| match action.kind {
                    DecodeKind::Key(value) => Some(value),
                    _ => None,
                });
                scratch.keys.push(Key::default_of(key));
            }
            Shape::UnknownGroup => scratch.terms[base + 1] = self.builder.integer(i64::from(tag::number(end_tag))),
        }
        let frame = Frame { message, end_tag, node: scratch.nodes.len() - 1, base, end, element, action };
        let around = std::mem::replace(&mut scratch.frame, frame);
        scratch.frames.push(around);
        Ok(())
    }

    /// Puts an empty record and its node on the stack and gives the record's place.
    #[inline(always)]
    fn begin_record(&mut self, action: DecodeAction, message: u32, parent: usize) -> Result<usize, Stop> {
        let table = &self.plan.messages[message as usize];
        self.budget = self.budget.checked_sub(table.template.len()).ok_or(Stop::OverBudget)?;
        let scratch = &mut *self.scratch;
        let base = scratch.terms.len();
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
        let DecodeAction { slot, member, .. } = action;
        scratch.nodes.push(Node { message, slot, parent, base, last_run: Node::NO_RUN, member });
        Ok(base)
    }

    /// Ends the current message and gives the record when it was the outermost one.
    #[inline(always)]
    fn close(&mut self, table: &MessagePlan) -> Result<Option<Term>, Stop> {
        let frame = self.scratch.frame;
        if table.shape == Shape::Entry {
            self.complete_entry(table, frame)?;
        }
        if let Some((runs, keys)) = frame.element {
            let term = self.build(frame.node);
            let scratch = &mut *self.scratch;
            scratch.nodes.truncate(frame.node);
            scratch.terms.truncate(frame.base);
            scratch.runs.truncate(runs);
            if scratch.frames.len() == 1 {
                return Ok(Some(term));
            }
            scratch.frame = scratch.frames.pop().unwrap_or_default();
            scratch.terms.push(term);
            if table.shape == Shape::Entry {
                // Its key stays, behind those of the entries before it.
                scratch.keys.truncate(keys + 1);
                scratch.extend_run(frame.action.slot, frame.base, Some(keys));
            } else {
                scratch.keys.truncate(keys);
                scratch.extend_run(frame.action.slot, frame.base, None);
            }
        } else {
            self.scratch.frame = self.scratch.frames.pop().unwrap_or_default();
        }
        Ok(None)
    }

    /// Puts the empty message in the place of a map entry's message that did not come.
    fn complete_entry(&mut self, table: &MessagePlan, frame: Frame) -> Result<(), Stop> {
        for (slot, default) in &table.defaults {
            let place = frame.base + *slot as usize;
            if let BuiltDefault::Message(message) = default
                && self.scratch.terms[place] == self.plan.constants.undefined
            {
                self.scratch.terms[place] = Term::pending(self.scratch.nodes.len());
                let action = DecodeAction { slot: *slot, ..DecodeAction::ROOT };
                self.begin_record(action, *message, frame.node)?;
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
            let place = self.scratch.nodes[inner.parent].base + inner.slot as usize;
            self.scratch.terms[place] = term;
        }
        self.record(self.scratch.nodes[node])
    }

    #[inline(always)]
    fn record(&mut self, node: Node) -> Term {
        let scratch = &mut *self.scratch;
        let table = &self.plan.messages[node.message as usize];
        let mut maps = Vec::new();
        let mut run = scratch.runs.get(node.last_run).copied();
        // From the last run to the first, each before what is there already.
        while let Some(current) = run {
            let place = node.base + current.slot as usize;
            if current.first_key.is_some() {
                maps.push(current);
            } else {
                let elements = &scratch.terms[current.start..current.end];
                scratch.terms[place] = self.builder.list(elements, scratch.terms[place]);
            }
            run = scratch.runs.get(current.previous).copied();
        }
        if !maps.is_empty() {
            self.maps(node.base, maps);
        }
        let scratch = &*self.scratch;
        self.builder.tuple(&scratch.terms[node.base..node.base + table.template.len()])
    }
}
