//! The decoder: a loop over the input, with the records that are being filled on a stack of terms. There are two: that of
//! [`straight`] for what encoders write, and the one here for all that may come.
//!
//! In this one a message that may still be merged with (one that is not an element of a repeated field) stays open on
//! the stack until the element around it ends: its record is at hand when the field comes again, and merging is simply
//! going on. So decoding is linear in the input, whatever is repeated or nested in it.

mod bulk;
mod closed_enum;
mod lookup;
mod map;
mod message_set;
mod part;
mod path;
mod record;
mod role;
mod scalar;
mod spares;
mod stack;
mod straight;
mod unknown;

use crate::StringOptions;
use crate::error::{DecodeError, DecodeReason};
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::schema::plan::{BuiltDefault, DecodeAction, Kind, MessagePlan, Shape, UNKNOWN_GROUP};
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag};
use crate::work;
pub use bulk::gone_over;
pub use lookup::{Failure, Found, Paths, Pick, Ranges, WrongStep, lookup, lookup_all};
pub(crate) use lookup::{Wanted, field_named, wanted_key};
pub(crate) use map::{Content, Key};
pub use part::{Part, decode_part};
pub use path::path_to;
pub use stack::Scratch;
use stack::{NONE, Node};

/// How to decode, and what to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How strings look.
    pub strings: StringOptions,
    /// How many messages and groups may lie within each other in the one that is decoded; map entries are messages.
    pub max_depth: u32,
    /// How many bytes the input may have.
    pub max_size: usize,
}

impl Default for Options {
    /// Without limits.
    fn default() -> Options {
        Options { strings: StringOptions::default(), max_depth: u32::MAX, max_size: usize::MAX }
    }
}

/// What came of a decoding.
#[derive(Debug)]
pub enum Outcome {
    /// The record.
    Done(Term),
    /// The work went beyond the budget.
    OverBudget,
    /// There is no memory left for it.
    OutOfMemory,
}

/// Decodes `input` as the message with this index in the plan.
///
/// `budget` bounds the work, in units of [`crate::work`]; what is left of it is told there.
pub fn decode<B: TermBuilder>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    options: Options,
    budget: &mut usize,
    builder: &mut B,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<DecodeError>> {
    decode_with::<false, B>(plan, message, input, options, budget, builder, scratch, |decoder| {
        match decoder.straight(message) {
            Err(Stop::Apart | Stop::Invalid(_)) => {
                decoder.scratch.clear();
                decoder.depth_left = options.max_depth;
                decoder.run::<false>(message, None)
            }
            done => done,
        }
    })
}

#[inline(always)]
#[allow(clippy::too_many_arguments)] // Those of `decode`, and one.
fn decode_with<const PART: bool, B: TermBuilder>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    options: Options,
    budget: &mut usize,
    builder: &mut B,
    scratch: &mut Scratch,
    run: impl for<'d> FnOnce(&mut Decoder<'d, B>) -> Result<Term, Stop>,
) -> Result<Outcome, Box<DecodeError>> {
    scratch.clear();
    let mut decoder = Decoder::new(plan, input, options, *budget, builder, scratch);
    let result = if input.len() > options.max_size { Err(DecodeReason::MaxSize.into()) } else { run(&mut decoder) };
    let offset = decoder.field_start;
    let gone_over = if PART { 0 } else { gone_over(plan, message, input, options) };
    *budget = decoder.budget.saturating_sub(work::input(gone_over));
    let result = match result {
        Ok(term) => Ok(Outcome::Done(term)),
        Err(Stop::OverBudget | Stop::Apart) => Ok(Outcome::OverBudget),
        Err(Stop::OutOfMemory) => Ok(Outcome::OutOfMemory),
        Err(Stop::Invalid(reason)) => {
            let path = path::of_failure(plan, message, scratch, input, offset, reason);
            Err(Box::new(DecodeError { reason, offset, path }))
        }
    };
    scratch.trim();
    result
}

/// Why the loop stopped early.
enum Stop {
    OverBudget,
    OutOfMemory,
    /// Of the loops alone, for what is read outside of them.
    Apart,
    Invalid(DecodeReason),
}

impl From<OutOfMemory> for Stop {
    #[cold]
    fn from(OutOfMemory: OutOfMemory) -> Stop {
        Stop::OutOfMemory
    }
}

impl From<DecodeReason> for Stop {
    fn from(reason: DecodeReason) -> Stop {
        Stop::Invalid(reason)
    }
}

/// The message being read, at hand.
#[derive(Clone, Copy)]
struct Current<'d> {
    table: &'d MessagePlan,
    /// Its node.
    node: u32,
    /// Where its record begins on the stack.
    base: usize,
    /// The input up to its end.
    data: &'d [u8],
    /// The tag that ends it, for a group; otherwise 0.
    end_tag: u32,
}

struct Decoder<'d, B> {
    plan: &'d Plan,
    input: &'d [u8],
    options: Options,
    budget: usize,
    builder: &'d mut B,
    scratch: &'d mut Scratch,
    /// Where the field begins that is being read.
    field_start: usize,
    /// How many more messages may lie within each other in the one being read.
    depth_left: u32,
}

impl<'d, B: TermBuilder> Decoder<'d, B> {
    #[inline(always)]
    fn new(
        plan: &'d Plan,
        input: &'d [u8],
        options: Options,
        budget: usize,
        builder: &'d mut B,
        scratch: &'d mut Scratch,
    ) -> Decoder<'d, B> {
        Decoder { plan, input, options, budget, builder, scratch, field_start: 0, depth_left: options.max_depth }
    }

    #[inline(never)]
    fn run<const PART: bool>(&mut self, message: u32, part: Option<(usize, usize, Option<u32>)>) -> Result<Term, Stop> {
        self.scratch.more_used = true;
        let root = DecodeAction { index: message, ..DecodeAction::ROOT };
        let (start, end, slot) = if PART { part.unwrap_or_default() } else { (0, self.input.len(), None) };
        let mut current = self.open(&root, 0, start, end, 0)?;
        let mut pos = start;
        loop {
            match self.fields(&mut current, &mut pos) {
                Ok(()) => {
                    if let Some(term) = self.close(&mut current, slot)? {
                        return Ok(term);
                    }
                }
                Err(Stop::Apart) => {
                    let message = self.enter(self.scratch.current);
                    (current, pos) = self.field_apart(message)?;
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Reads fields until the current message ends. The messages that begin in it become the current one.
    #[inline(always)]
    fn fields(&mut self, message: &mut Current<'d>, position: &mut usize) -> Result<(), Stop> {
        let (mut current, mut pos) = (*message, *position);
        loop {
            let Current { table, node, base, data, end_tag } = current;
            self.field_start = pos;
            if pos == data.len() {
                if end_tag != 0 {
                    return Err(DecodeReason::Truncated.into());
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
                        tag::START_GROUP => (data.len(), tag::end_of(field_tag)),
                        _ => (skip::payload_end(data, &mut pos)?, 0),
                    };
                    self.deeper()?;
                    let again = match action.kind {
                        Kind::Message => self.again(action, base)?,
                        _ => None,
                    };
                    current = match again {
                        Some(node) => self.go_on(node, end, end_tag)?,
                        None => {
                            let inner = self.open(action, node, pos, end, end_tag)?;
                            if action.kind == Kind::Message {
                                let place = base + action.slot as usize;
                                self.scratch.terms[place] = Term::pending(inner.node as usize);
                            }
                            inner
                        }
                    };
                }
                Kind::Packed => {
                    let block_end = skip::payload_end(data, &mut pos)?;
                    let start = self.scratch.terms.len();
                    self.spend(work::RUN + block_end - pos)?;
                    self.packed(action.element, action.index, &data[..block_end], pos)?;
                    self.scratch.extend_run(node, action.slot, start, NONE)?;
                    pos = block_end;
                }
                Kind::Repeated => {
                    let (term, end) = self.value_at(action, data, pos)?;
                    let runs = self.scratch.runs.len();
                    self.scratch.element(node, action.slot, term)?;
                    if self.scratch.runs.len() > runs {
                        self.spend(work::RUN)?;
                    }
                    pos = end;
                }
                Kind::Oneof => {
                    self.spend(work::CHANGE)?;
                    let (term, end) = self.value_at(action, data, pos)?;
                    let pair = self.builder.tuple(&[action.member, term]);
                    let place = base + action.slot as usize;
                    self.scratch.give_up_member(self.plan, place)?;
                    self.scratch.terms[place] = pair;
                    pos = end;
                }
                Kind::ClosedEnum | Kind::Utf8Strings | Kind::SetItem => return Err(Stop::Apart),
                Kind::Utf8String => {
                    let (term, end) = self.utf8_string(data, pos)?;
                    self.scratch.terms[base + action.slot as usize] = term;
                    pos = end;
                }
                Kind::Key => {
                    let (term, end) = self.value_at(action, data, pos)?;
                    self.scratch.terms[base + action.slot as usize] = term;
                    // Not the last one, where the value came first and has a map of its own.
                    let index = self.scratch.nodes[node as usize].keys as usize;
                    if let Some(key) = self.scratch.keys.get_mut(index) {
                        *key = Key::read(action.element, data, pos)?;
                    }
                    pos = end;
                }
                Kind::Unknowns => {
                    if tag::number(field_tag) == 0 {
                        return Err(DecodeReason::InvalidFieldNumber.into());
                    }
                    if field_tag == end_tag {
                        break;
                    }
                    let unknowns = table.unknowns.filter(|_| self.builder.keeps_unknowns());
                    match (unknowns, tag::wire_type(field_tag)) {
                        (Some(slot), tag::START_GROUP) => {
                            let action = DecodeAction { index: UNKNOWN_GROUP, slot, ..DecodeAction::ROOT };
                            self.deeper()?;
                            current = self.open_rare(&action, node, pos, data.len(), tag::end_of(field_tag))?;
                        }
                        (Some(slot), tag::VARINT | tag::FIXED32 | tag::FIXED64 | tag::LENGTH_DELIMITED) => {
                            self.spend(work::RECORD)?;
                            let (term, end) = self.unknown(field_tag, data, pos)?;
                            self.scratch.element(node, slot, term)?;
                            pos = end;
                        }
                        _ => {
                            let groups = &mut self.scratch.groups;
                            pos = skip::field_end::<Stop>(data, pos, field_tag, self.depth_left, groups)?;
                        }
                    }
                }
            }
        }
        (*message, *position) = (current, pos);
        Ok(())
    }

    /// Reads the field that begins at `field_start`, outside of the loop: what these kinds need at hand there makes all
    /// others slower. Gives what to go on with, and where.
    #[cold]
    #[inline(never)]
    fn field_apart(&mut self, current: Current<'d>) -> Result<(Current<'d>, usize), Stop> {
        let mut pos = self.field_start;
        let field_tag = tag::read(current.data, &mut pos)?;
        let action = current.table.decode.get(field_tag);
        match action.kind {
            Kind::SetItem => self.set_item(current, action, field_tag, pos),
            Kind::Utf8Strings => Ok((current, self.utf8_strings(&current, action, pos)?)),
            _ => self.closed_enum(current, action, field_tag, pos),
        }
    }

    /// Makes this message the one being read.
    #[inline(always)]
    fn enter(&mut self, node: u32) -> Current<'d> {
        self.scratch.current = node;
        let Node { message, base, end, end_tag, .. } = self.scratch.nodes[node as usize];
        let table = &self.plan.messages[message as usize];
        Current { table, node, base: base as usize, data: &self.input[..end], end_tag }
    }

    /// Takes a level off those that messages may have.
    #[inline(always)]
    fn deeper(&mut self) -> Result<(), DecodeReason> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or(DecodeReason::MaxDepth)?;
        Ok(())
    }

    /// Takes work off the budget.
    #[inline(always)]
    fn spend(&mut self, work: usize) -> Result<(), Stop> {
        work::spend(&mut self.budget, work).ok_or(Stop::OverBudget)
    }

    /// Takes the work of a message off the budget.
    #[inline(always)]
    fn spend_on(&mut self, table: &MessagePlan) -> Result<(), Stop> {
        self.spend(B::WORK_FACTOR * table.work)?;
        if B::WORK_FACTOR > 1 {
            // Members of oneofs may have keys of their own.
            self.spend(table.members.entries().len())?;
        }
        Ok(())
    }

    /// The node of a message that is no element, where it is there already.
    #[inline(always)]
    fn again(&mut self, action: &DecodeAction, base: usize) -> Result<Option<u32>, Stop> {
        let Some(index) = self.scratch.terms[base + action.slot as usize].pending_index() else { return Ok(None) };
        if self.scratch.nodes[index].member == action.member {
            return Ok(Some(index as u32));
        }
        self.scratch.give_up(self.plan, index)?;
        Ok(None)
    }

    /// Goes on with a message.
    #[inline(never)]
    fn go_on(&mut self, node: u32, end: usize, end_tag: u32) -> Result<Current<'d>, Stop> {
        self.spend(work::CHANGE)?;
        let Node { end: ends, end_tag: ends_with, empty, .. } = &mut self.scratch.nodes[node as usize];
        (*ends, *ends_with, *empty) = (end, end_tag, false);
        Ok(self.enter(node))
    }

    /// The same as [`Decoder::open`], out of line, for an unknown group and for a message that a map entry lacks.
    #[inline(never)]
    fn open_rare(
        &mut self,
        action: &DecodeAction,
        parent: u32,
        start: usize,
        end: usize,
        end_tag: u32,
    ) -> Result<Current<'d>, Stop> {
        self.open(action, parent, start, end, end_tag)
    }

    /// Begins the message of a field: puts an empty record and its node on the stack.
    #[inline(always)]
    fn open(
        &mut self,
        action: &DecodeAction,
        parent: u32,
        start: usize,
        end: usize,
        end_tag: u32,
    ) -> Result<Current<'d>, Stop> {
        let DecodeAction { index: message, slot, field, member, .. } = *action;
        let table = &self.plan.messages[message as usize];
        let scratch = &mut *self.scratch;
        let (base, len) = (scratch.terms.len(), table.template.len());
        // Until the next record begins, at most one term comes from a byte.
        if base + len + self.input.len() >= NONE as usize {
            return Err(DecodeReason::TooLarge.into());
        }
        let element = action.kind == Kind::Messages;
        let empty = match end_tag {
            0 => start == end,
            _ => skip::group_is_empty(self.input, start, end_tag),
        };
        let (runs, keys) = (scratch.runs.len() as u32, scratch.keys.len() as u32);
        let spares = if element { scratch.spares.enter() } else { 0 };
        let node_at = |base: usize| Node {
            message,
            slot,
            parent,
            base: base as u32,
            last_run: NONE,
            field,
            member,
            end,
            end_tag,
            runs,
            keys,
            spares,
            element,
            empty,
        };
        let spare = if scratch.spares.any() { scratch.spares.take(message) } else { None };
        let (node, base) = match spare {
            None => {
                scratch.terms.try_extend(&table.template)?;
                scratch.nodes.try_push(node_at(base))?;
                (scratch.nodes.len() as u32 - 1, base)
            }
            Some(spare) => scratch.use_again(spare, node_at(base), &table.template)?,
        };
        scratch.current = node;
        self.spend_on(table)?;
        if !table.plain {
            self.complete_template(table, base, end_tag)?;
        }
        Ok(Current { table, node, base, data: &self.input[..end], end_tag })
    }

    /// Puts into an empty record what its template does not hold.
    #[inline(never)]
    fn complete_template(&mut self, table: &MessagePlan, base: usize, end_tag: u32) -> Result<(), OutOfMemory> {
        match table.shape {
            Shape::Record(_) => {}
            Shape::Entry(key) => self.scratch.keys.try_push(Key::default_of(key))?,
            Shape::UnknownGroup => {
                self.scratch.terms[base + 1] = self.builder.integer(i64::from(tag::number(end_tag)));
            }
        }
        for (slot, default) in &table.defaults {
            let term = match default {
                BuiltDefault::String if self.options.strings.string_as_list => self.plan.constants.nil,
                BuiltDefault::String | BuiltDefault::Bytes => self.builder.empty_binary(),
                BuiltDefault::Float => self.builder.zero_float(),
                // Not before it is known that the value does not come.
                BuiltDefault::Message(_) => self.plan.constants.undefined,
            };
            self.scratch.terms[base + *slot as usize] = term;
        }
        Ok(())
    }

    /// Ends the current message. Gives the record when it was the outermost one, else goes back to the one around it.
    #[inline(always)]
    fn close(&mut self, current: &mut Current<'d>, wanted: Option<u32>) -> Result<Option<Term>, Stop> {
        let Current { table, node, base, .. } = *current;
        self.depth_left = self.depth_left.wrapping_add(1);
        let entry = matches!(table.shape, Shape::Entry(_));
        if entry {
            self.complete_entry(table, node)?;
        }
        let Node { element, slot, parent, runs, keys, spares, .. } = self.scratch.nodes[node as usize];
        if !element {
            *current = self.enter(parent);
            return Ok(None);
        }
        if node == 0
            && let Some(slot) = wanted
        {
            return self.build_field(slot).map(Some);
        }
        let term = self.build(node as usize)?;
        if node == 0 {
            return Ok(Some(term));
        }
        let scratch = &mut *self.scratch;
        scratch.nodes.truncate(node as usize);
        scratch.runs.truncate(runs as usize);
        scratch.spares.leave(spares);
        scratch.terms.truncate(base);
        // In the place of the record.
        scratch.terms.try_push(term)?;
        if entry {
            // Its key stays, behind those of the entries before it.
            scratch.keys.truncate(keys as usize + 1);
            scratch.extend_run(parent, slot, base, keys)?;
        } else {
            scratch.keys.truncate(keys as usize);
            scratch.extend_run(parent, slot, base, NONE)?;
        }
        *current = self.enter(parent);
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
                let action = DecodeAction { kind: Kind::Message, index: *message, slot: *slot, ..DecodeAction::ROOT };
                let inner = self.open_rare(&action, node, 0, 0, 0)?;
                self.scratch.terms[place] = Term::pending(inner.node as usize);
            }
        }
        Ok(())
    }
}
