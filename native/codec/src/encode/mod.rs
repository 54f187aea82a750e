//! The encoder: one walk over a record, forwards, with the records around it on a stack.

mod failure;
mod field;
mod scalar;
mod source;
mod string;
mod unknown;

use crate::StringOptions;
use crate::error::{EncodeError, EncodeReason};
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::schema::plan::{EncodeField, Kind, MessagePlan, UNKNOWN_GROUP};
use crate::term::{Term, TermReader};
use crate::wire::output::{Length, Output, TagBytes};
use crate::wire::tag;
use crate::work;
use failure::not_a_member;
pub(crate) use field::encode_field;
pub use source::{FieldTerms, MessageSource, Records, Referring, Refusal, not_one};

/// What came of an encoding.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is in the output.
    Done,
    /// The work went beyond the budget.
    OverBudget,
    /// There is no memory left for it.
    OutOfMemory,
}

/// The space an encoding works in; kept from call to call for its memory.
#[derive(Default)]
pub struct Scratch {
    /// What was written.
    pub output: Output,
    frames: Vec<Frame<&'static [Term]>>,
    /// The rests of lists that a nested list of octets or characters is in.
    rests: Vec<Term>,
}

/// Memory beyond this many bytes (of output) or frames is given back.
const KEPT_BYTES: usize = 1 << 20;
const KEPT_FRAMES: usize = 1 << 12;

impl Scratch {
    /// Gives the memory of an unusually large encoding back: to be called when the output is no longer wanted.
    pub fn trim(&mut self) {
        self.output.trim(KEPT_BYTES);
        if self.frames.capacity().max(self.rests.capacity()) > KEPT_FRAMES {
            self.frames = Vec::new();
            self.rests = Vec::new();
        }
    }
}

/// Encodes the record as the message with this index in the plan, into `scratch.output`.
///
/// `budget` bounds the work, in units of [`crate::work`]; what is left of it is told there.
pub fn encode<'t, R: TermReader<'t>>(
    plan: &Plan,
    message: u32,
    record: Term,
    options: StringOptions,
    budget: &mut usize,
    reader: &R,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<EncodeError>> {
    encode_from(plan, message, record, options, budget, reader, &Records, scratch)
}

/// The same for messages of any look.
#[allow(clippy::too_many_arguments)] // Those of `encode`, and one.
pub fn encode_from<'t, R: TermReader<'t>, S: MessageSource<'t, R>>(
    plan: &Plan,
    message: u32,
    term: Term,
    options: StringOptions,
    budget: &mut usize,
    reader: &R,
    source: &S,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<EncodeError>> {
    scratch.output.clear();
    let run = |encoder: &mut Encoder<'_, 't, R, S>| encoder.run(message, term);
    encode_with(plan, options, budget, reader, source, scratch, run, |encoder| encoder.path(message))
}

/// Runs `write` on an encoder that adds to the output. `path` tells where it failed.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // As `encode_from`.
fn encode_with<'t, R: TermReader<'t>, S: MessageSource<'t, R>>(
    plan: &Plan,
    options: StringOptions,
    budget: &mut usize,
    reader: &R,
    source: &S,
    scratch: &mut Scratch,
    write: impl FnOnce(&mut Encoder<'_, 't, R, S>) -> Result<(), Stop>,
    path: impl FnOnce(&Encoder<'_, 't, R, S>) -> String,
) -> Result<Outcome, Box<EncodeError>> {
    // An empty vector of another type in the same memory.
    let frames = std::mem::take(&mut scratch.frames).into_iter().map(|_| unreachable!("it is empty")).collect();
    let (output, rests) = (std::mem::take(&mut scratch.output), &mut scratch.rests);
    let mut encoder = Encoder { plan, options, budget: *budget, reader, source, output, rests, frames };
    let result = write(&mut encoder);
    *budget = encoder.budget;
    let result = match result {
        Ok(()) => Ok(Outcome::Done),
        Err(Stop::OverBudget) => Ok(Outcome::OverBudget),
        Err(Stop::OutOfMemory) => Ok(Outcome::OutOfMemory),
        Err(Stop::Invalid(reason, value)) => Err(Box::new(EncodeError { path: path(&encoder), reason, value })),
    };
    scratch.output = encoder.output;
    let mut frames = encoder.frames;
    frames.clear();
    scratch.frames = frames.into_iter().map(|_| unreachable!("it is empty")).collect();
    result
}

/// Why the walk stopped early.
enum Stop {
    OverBudget,
    OutOfMemory,
    /// What is wrong, and with which value.
    Invalid(EncodeReason, Term),
}

impl From<OutOfMemory> for Stop {
    #[cold]
    fn from(OutOfMemory: OutOfMemory) -> Stop {
        Stop::OutOfMemory
    }
}

impl From<Refusal> for Stop {
    #[inline(always)]
    fn from(refusal: Refusal) -> Stop {
        match refusal {
            Refusal::Invalid(reason, term) => Stop::Invalid(reason, term),
            Refusal::OutOfMemory => Stop::OutOfMemory,
        }
    }
}

/// A message that is being written.
struct Frame<M> {
    /// Its message, by the index in the plan.
    table: u32,
    /// Where its fields are.
    message: M,
    /// The field that the walk was left at for an inner message, or that failed.
    field: usize,
    /// The rest of that field's list, when there may be more of it, or what tells that an item is to be ended; otherwise
    /// [`Term::NONE`].
    rest: Term,
    /// How it is ended.
    close: Close,
}

#[derive(Clone, Copy)]
enum Close {
    /// Nothing: the outermost record.
    Nothing,
    /// Its length is filled in.
    Length(Length),
    /// The end of its group is written.
    Group(TagBytes),
}

struct Encoder<'e, 't, R: TermReader<'t>, S: MessageSource<'t, R>> {
    plan: &'e Plan,
    options: StringOptions,
    budget: usize,
    reader: &'e R,
    source: &'e S,
    output: Output,
    rests: &'e mut Vec<Term>,
    frames: Vec<Frame<S::Message>>,
}

/// The message being written, at hand.
#[derive(Clone, Copy)]
struct Current<'e, M> {
    table: &'e MessagePlan,
    message: M,
    /// The field to go on with.
    next: usize,
    /// The rest of that field's list, when it was left within; otherwise [`Term::NONE`].
    rest: Term,
}

impl<'e, 't, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'e, 't, R, S> {
    #[inline(never)]
    fn run(&mut self, message: u32, record: Term) -> Result<(), Stop> {
        let mut current = self.enter(message, record, Close::Nothing)?;
        loop {
            current = match self.fields(current)? {
                Some(inner) => inner,
                None => match self.leave()? {
                    Some(next) => next,
                    None => return Ok(()),
                },
            }
        }
    }

    /// Writes fields until a message is entered, which is given, or the current one ends.
    #[inline(always)]
    fn fields(&mut self, current: Current<'e, S::Message>) -> Result<Option<Current<'e, S::Message>>, Stop> {
        let Current { table, message, next, mut rest } = current;
        let source = self.source;
        let terms = source.fields(message, table);
        // Of one length, as the compiler sees too.
        let absent = table.absent.get(..terms.count()).unwrap_or_default();
        let terms = terms.first(absent.len());
        let mut index = next;
        while index < absent.len() {
            let term = terms.at(index);
            if source.is_absent(term, absent[index]) {
                index += 1;
                continue;
            }
            let field = &table.encode[index];
            // One arm for each type, so that one jump leads to its code.
            macro_rules! single {
                ($kind:ident) => {{
                    let written = self.value(Kind::$kind, field.index, field.tag, field.implicit, term);
                    written.map_err(|stop| self.at(index, stop))?;
                }};
            }
            match field.kind {
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
                Kind::Utf8String => single!(Utf8String),
                Kind::Packed => {
                    let length = self.output.begin_length(field.tag)?;
                    self.repeated(field, TagBytes::NONE, term).map_err(|stop| self.at(index, stop))?;
                    self.output.end_length(length)?;
                }
                Kind::Repeated => self.repeated(field, field.tag, term).map_err(|stop| self.at(index, stop))?,
                Kind::Message => return self.enter_single(index, field, term).map(Some),
                Kind::SetItem => match self.set_item(index, field, term, rest)? {
                    Some(message) => return Ok(Some(message)),
                    None => rest = Term::NONE,
                },
                Kind::Messages => {
                    let list = match rest {
                        Term::NONE => {
                            let list = source.elements(self.reader, self.plan, field.index, term, &mut self.budget);
                            list?.ok_or(Stop::OverBudget)?
                        }
                        rest => rest,
                    };
                    match self.reader.cell(list) {
                        Some((head, tail)) => {
                            self.leave_off(index, tail);
                            let close = self.begin(field)?;
                            return self.enter(field.index, head, close).map(Some);
                        }
                        None if list == self.plan.constants.nil => rest = Term::NONE,
                        None => {
                            let reason = self.not_a_list(field.index);
                            return Err(self.at(index, Stop::Invalid(reason, term)));
                        }
                    }
                }
                Kind::Oneof => {
                    let entered = self.oneof(table, field, term).map_err(|stop| self.at(index, stop))?;
                    if let Some((member, value)) = entered {
                        return self.enter_single(index, member, value).map(Some);
                    }
                }
                Kind::Unknowns => {
                    let list = if rest == Term::NONE { term } else { rest };
                    match self.unknowns(list).map_err(|stop| self.at(index, stop))? {
                        None => rest = Term::NONE,
                        Some(group) => {
                            self.leave_off(index, group.rest);
                            self.output.tag(group.tag)?;
                            let close = Close::Group(group.tag.end_of_group());
                            return self.enter(UNKNOWN_GROUP, group.record, close).map(Some);
                        }
                    }
                }
                // These are written as what they hold: none has this kind here.
                Kind::Key | Kind::ClosedEnum | Kind::Utf8Strings => {}
            }
            index += 1;
        }
        Ok(None)
    }

    /// Notes that the current record is left off at field `index`, with `rest` of its list to come.
    #[inline(always)]
    fn leave_off(&mut self, index: usize, rest: Term) {
        if let Some(frame) = self.frames.last_mut() {
            frame.field = index;
            frame.rest = rest;
        }
    }

    /// Notes the field of a failure, for its path.
    #[cold]
    fn at(&mut self, index: usize, stop: Stop) -> Stop {
        self.leave_off(index, Term::NONE);
        stop
    }

    /// Writes what stands before a message.
    #[inline(always)]
    fn begin(&mut self, field: &EncodeField) -> Result<Close, OutOfMemory> {
        if field.group {
            self.output.tag(field.tag)?;
            Ok(Close::Group(field.tag.end_of_group()))
        } else {
            self.output.begin_length(field.tag).map(Close::Length)
        }
    }

    /// Writes what stands behind it.
    #[inline(always)]
    fn end(&mut self, close: Close) -> Result<(), OutOfMemory> {
        match close {
            Close::Length(length) => self.output.end_length(length),
            Close::Group(end_tag) => self.output.tag(end_tag),
            Close::Nothing => Ok(()),
        }
    }

    #[inline(always)]
    fn enter_single(
        &mut self,
        index: usize,
        field: &EncodeField,
        record: Term,
    ) -> Result<Current<'e, S::Message>, Stop> {
        self.leave_off(index, Term::NONE);
        let close = self.begin(field)?;
        self.enter(field.index, record, close)
    }

    /// Begins an item of a message set, and its message; with a `rest` it has that behind it, and ends.
    #[inline(never)]
    fn set_item(
        &mut self,
        index: usize,
        field: &EncodeField,
        record: Term,
        rest: Term,
    ) -> Result<Option<Current<'e, S::Message>>, Stop> {
        if rest != Term::NONE {
            self.output.tag(TagBytes::new(tag::end_of(tag::SET_ITEM)))?;
            return Ok(None);
        }
        self.leave_off(index, record);
        self.output.tag(field.tag)?;
        let close = Close::Length(self.output.begin_length(TagBytes::new(tag::SET_MESSAGE))?);
        self.enter(field.index, record, close).map(Some)
    }

    /// Begins a message.
    #[inline(always)]
    fn enter(&mut self, index: u32, term: Term, close: Close) -> Result<Current<'e, S::Message>, Stop> {
        let table = &self.plan.messages[index as usize];
        let message = self.source.open(self.reader, table, term)?;
        self.spend(S::WORK_FACTOR * table.template.len() + work::RECORD)?;
        self.frames.try_push(Frame { table: index, message, field: 0, rest: Term::NONE, close })?;
        Ok(Current { table, message, next: 0, rest: Term::NONE })
    }

    /// Ends the current record, and gives the one around it, if there is one; or the one behind it in a list, for which the
    /// one around them need not be looked at.
    #[inline(always)]
    fn leave(&mut self) -> Result<Option<Current<'e, S::Message>>, Stop> {
        if let Some(frame) = self.frames.pop() {
            self.source.close(frame.message);
            self.end(frame.close)?;
        }
        let Some(outer) = self.frames.last_mut() else { return Ok(None) };
        let Frame { message, field, rest, .. } = *outer;
        let table = &self.plan.messages[outer.table as usize];
        if rest == Term::NONE {
            return Ok(Some(Current { table, message, next: field + 1, rest }));
        }
        let list = &table.encode[field];
        if list.kind == Kind::Messages
            && let Some((head, tail)) = self.reader.cell(rest)
        {
            outer.rest = tail;
            let close = self.begin(list)?;
            return self.enter(list.index, head, close).map(Some);
        }
        Ok(Some(Current { table, message, next: field, rest }))
    }

    /// Takes work off the budget.
    #[inline(always)]
    fn spend(&mut self, work: usize) -> Result<(), Stop> {
        work::spend(&mut self.budget, work).ok_or(Stop::OverBudget)
    }

    #[inline(never)]
    fn repeated(&mut self, field: &EncodeField, tag: TagBytes, list: Term) -> Result<(), Stop> {
        let mut rest = list;
        // One loop for each type that mostly is packed, so that the type is looked at once.
        macro_rules! elements {
            ($element:expr) => {
                while let Some((head, tail)) = self.reader.cell(rest) {
                    self.value($element, field.index, tag, false, head)?;
                    self.spend(work::ELEMENT)?;
                    rest = tail;
                }
            };
        }
        match field.element {
            Kind::Int32 => elements!(Kind::Int32),
            Kind::Int64 => elements!(Kind::Int64),
            Kind::Uint32 => elements!(Kind::Uint32),
            Kind::Uint64 => elements!(Kind::Uint64),
            Kind::Sint32 => elements!(Kind::Sint32),
            Kind::Sint64 => elements!(Kind::Sint64),
            Kind::Fixed32 => elements!(Kind::Fixed32),
            Kind::Fixed64 => elements!(Kind::Fixed64),
            Kind::Sfixed32 => elements!(Kind::Sfixed32),
            Kind::Sfixed64 => elements!(Kind::Sfixed64),
            Kind::Float => elements!(Kind::Float),
            Kind::Double => elements!(Kind::Double),
            Kind::Bool => elements!(Kind::Bool),
            Kind::Enum => elements!(Kind::Enum),
            Kind::String => elements!(Kind::String),
            element => elements!(element),
        }
        if rest == self.plan.constants.nil {
            return Ok(());
        }
        Err(Stop::Invalid(EncodeReason::InvalidListOf(self.type_name(field)), list))
    }

    /// Writes a oneof, unless its member is a message: that is for the caller to enter.
    #[inline(never)]
    fn oneof<'f>(
        &mut self,
        table: &'f MessagePlan,
        field: &EncodeField,
        term: Term,
    ) -> Result<Option<(&'f EncodeField, Term)>, Stop> {
        let Some(&[name, value]) = self.reader.tuple(term) else {
            return Err(Stop::Invalid(not_a_member(table, field), term));
        };
        match table.member(field, name).map(|member| &member.field) {
            None => Err(Stop::Invalid(not_a_member(table, field), term)),
            Some(member) if member.kind == Kind::Message => Ok(Some((member, value))),
            Some(member) => self.value(member.kind, member.index, member.tag, false, value).map(|()| None),
        }
    }
}
