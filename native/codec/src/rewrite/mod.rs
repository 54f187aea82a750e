//! Rewriting one field in the bytes of a message, without decoding the rest: the messages on the way are gone over, and
//! what is not the field is written again as it stands.
//!
//! What comes out decodes to what the input does, but for that field. So a message on the way that comes several times is
//! put together, for they are merged, and nothing stays of what a later value replaced: a member of a oneof would come
//! forth again with another one gone.

mod walk;

use crate::decode::{Failure as Unfound, Options, WrongStep, field_named, wanted_key};
use crate::encode::{self, MessageSource, Scratch, encode_field, encode_from};
use crate::error::EncodeError;
use crate::memory::{OutOfMemory, TryGrow};
use crate::path::Path;
use crate::schema::Plan;
use crate::schema::plan::{EncodeField, Kind, Shape};
use crate::term::{Term, TermReader};
use crate::wire::output::{Length, TagBytes};
use crate::wire::tag;
use crate::work;
use walk::{Occurrence, Piece, Ranges, Split, Verdict, Walk};

/// What came of rewriting.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The new bytes are in the output.
    Done,
    /// The field was not there and is not to be: all stays as it is.
    Unchanged,
    /// The work went beyond the budget.
    OverBudget,
}

/// What went wrong.
pub enum Failure {
    /// The way to the field, or memory.
    Way(Unfound),
    /// The value.
    Value(Box<EncodeError>),
}

/// Why rewriting stopped early.
enum Stop {
    Unchanged,
    OverBudget,
    Failed(Failure),
}

impl From<Unfound> for Stop {
    fn from(failure: Unfound) -> Stop {
        Stop::Failed(Failure::Way(failure))
    }
}

impl From<OutOfMemory> for Stop {
    fn from(OutOfMemory: OutOfMemory) -> Stop {
        Unfound::OutOfMemory.into()
    }
}

/// Puts `value` in the place that the steps of a path lead to, in the message with this index in the plan, and writes all of
/// it to `scratch.output`.
///
/// The steps are those of [`lookup`](crate::decode::lookup); the messages on the way are made where they are not there. The
/// value is one that encoding takes in this place, or `undefined`, which clears it.
#[allow(clippy::too_many_arguments)] // Those of encoding, and those of decoding.
pub fn rewrite<'t, R: TermReader<'t>, S: MessageSource<'t, R>>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    path: &[Term],
    value: Term,
    options: Options,
    budget: &mut usize,
    reader: &R,
    source: &S,
    scratch: &mut Scratch,
) -> Result<Outcome, Failure> {
    let walk = Walk::new(plan, input, options.max_depth);
    let mut names = Path::default();
    names.push(&plan.messages[message as usize].name.text);
    scratch.output.clear();
    let (open, path_to) = (Vec::new(), names);
    let mut rewriter = Rewriter { walk, value, options, budget, reader, source, scratch, open, path: path_to };
    match rewriter.run(message, path) {
        Ok(()) => Ok(Outcome::Done),
        Err(Stop::Unchanged) => Ok(Outcome::Unchanged),
        Err(Stop::OverBudget) => Ok(Outcome::OverBudget),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

/// Something that was begun: how it is ended, and what comes behind it.
struct Open {
    close: Close,
    after: Vec<Piece>,
}

enum Close {
    Nothing,
    Length(Length),
    Group(TagBytes),
    /// An item of a message set.
    Item(Length),
}

struct Rewriter<'e, R, S> {
    walk: Walk<'e>,
    value: Term,
    options: Options,
    budget: &'e mut usize,
    reader: &'e R,
    source: &'e S,
    scratch: &'e mut Scratch,
    open: Vec<Open>,
    /// What the value is in, for errors.
    path: Path<'e>,
}

/// A field of a message, and the bytes of that: several stretches where it comes several times, none where it is not there.
struct Place<'e> {
    message: u32,
    ranges: Ranges,
    field: &'e EncodeField,
    /// The member of a oneof, which then is the field.
    member: Option<(Term, &'e EncodeField)>,
}

impl<'e> Place<'e> {
    /// What holds the value: a member where it is one's.
    fn held(&self) -> &'e EncodeField {
        self.member.map_or(self.field, |(_, member)| member)
    }
}

impl<'e, 't, R: TermReader<'t>, S: MessageSource<'t, R>> Rewriter<'e, R, S> {
    fn run(&mut self, message: u32, path: &[Term]) -> Result<(), Stop> {
        let plan = self.walk.plan;
        let Some((name, steps)) = path.split_first() else {
            let strings = self.options.strings;
            let (value, reader, source) = (self.value, self.reader, self.source);
            let outcome = encode_from(plan, message, value, strings, self.budget, reader, source, self.scratch);
            return written(outcome);
        };
        let ranges = vec![(0, self.walk.input.len())];
        let mut next = Some((self.place(message, ranges, *name)?, steps));
        while let Some((place, steps)) = next {
            next = self.step(place, steps)?;
        }
        while let Some(Open { close, after }) = self.open.pop() {
            let output = &mut self.scratch.output;
            match close {
                Close::Nothing => {}
                Close::Length(length) => output.end_length(length)?,
                Close::Group(end) => output.tag(end)?,
                Close::Item(length) => {
                    output.end_length(length)?;
                    output.tag(TagBytes::new(tag::end_of(tag::SET_ITEM)))?;
                }
            }
            self.keep(&after)?;
        }
        Ok(())
    }

    /// The field of this name.
    fn place(&mut self, message: u32, ranges: Ranges, name: Term) -> Result<Place<'e>, Stop> {
        let table = &self.walk.plan.messages[message as usize];
        let (field, member) = field_named(table, name).ok_or(Unfound::Path(name, WrongStep::NoField))?;
        Ok(Place { message, ranges, field, member })
    }

    /// Writes what is before this place, and gives the place in it that the next steps lead to, or writes the value.
    fn step<'p>(&mut self, place: Place<'e>, steps: &'p [Term]) -> Result<Option<(Place<'e>, &'p [Term])>, Stop> {
        let [step, further @ ..] = steps else { return self.set(place).map(|()| None) };
        let held = place.held();
        match held.kind {
            Kind::Message | Kind::SetItem => {
                let mut ranges = Ranges::new();
                let member = place.member.map(|(name, _)| name);
                let split = self.split(&place, |walk, occurrence| {
                    if member.is_some_and(|member| occurrence.action.member != member) {
                        ranges.clear();
                    } else {
                        walk.messages(occurrence, &mut ranges)?;
                    }
                    Ok(Verdict::Drop)
                })?;
                self.name(&place, member);
                self.begin(split, held)?;
                Ok(Some((self.place(held.index, ranges, *step)?, further)))
            }
            Kind::Messages if matches!(self.walk.plan.messages[held.index as usize].shape, Shape::Entry(_)) => {
                self.entry(&place, *step, further)
            }
            Kind::Messages => self.message_at(&place, *step, further),
            Kind::Repeated | Kind::Packed => {
                let position = self.position(*step)?;
                if let [within, ..] = further {
                    return Err(Unfound::Path(*within, WrongStep::NothingWithin).into());
                }
                self.value_at(&place, *step, position).map(|()| None)
            }
            _ => Err(Unfound::Path(*step, WrongStep::NothingWithin).into()),
        }
    }

    /// A position, counted from 0.
    fn position(&self, step: Term) -> Result<usize, Stop> {
        let position = self.reader.unsigned(step).and_then(|position| usize::try_from(position).ok()?.checked_sub(1));
        position.ok_or(Unfound::Path(step, WrongStep::NoPosition).into())
    }

    /// Goes on in the entry of a map with this key, and puts it in the place of all that have it.
    fn entry<'p>(
        &mut self,
        place: &Place<'e>,
        key: Term,
        further: &'p [Term],
    ) -> Result<Option<(Place<'e>, &'p [Term])>, Stop> {
        let (plan, entry) = (self.walk.plan, place.field.index);
        let wanted = wanted_key(plan, entry, key, self.options.strings, self.reader);
        let wanted = wanted.ok_or(Unfound::Path(key, WrongStep::NoKey))?;
        let mut last = Ranges::new();
        let split = self.split(place, |walk, occurrence| {
            if !walk.has_key(occurrence, &wanted)? {
                return Ok(Verdict::Keep);
            }
            last.clear();
            walk.messages(occurrence, &mut last)?;
            Ok(Verdict::Drop)
        })?;
        self.name(place, None);
        if further.is_empty() && self.clears() {
            return self.clear(split).map(|()| None);
        }
        self.begin(split, place.field)?;
        let [key_field, value_field] = &plan.messages[entry as usize].encode[..] else { return Err(Stop::Unchanged) };
        if last.is_empty() {
            let path = self.path.clone();
            self.path.push_field(&plan.messages[entry as usize], 0, Term::NONE);
            self.write(entry, key_field, key)?;
            self.path = path;
        }
        Ok(Some((Place { message: entry, ranges: last, field: value_field, member: None }, further)))
    }

    /// Goes on in the message at a position of a list, or writes it.
    fn message_at<'p>(
        &mut self,
        place: &Place<'e>,
        step: Term,
        further: &'p [Term],
    ) -> Result<Option<(Place<'e>, &'p [Term])>, Stop> {
        let position = self.position(step)?;
        let (mut ranges, mut count) = (Ranges::new(), 0);
        let split = self.split(place, |walk, occurrence| {
            count += 1;
            if count - 1 != position {
                return Ok(Verdict::Keep);
            }
            walk.messages(occurrence, &mut ranges)?;
            Ok(Verdict::Drop)
        })?;
        if position > count {
            return Err(Unfound::Path(step, WrongStep::BehindTheEnd).into());
        }
        self.name(place, None);
        match further {
            [] => {
                let element = EncodeField { kind: Kind::Message, ..*place.field };
                self.begin_nothing(split)?;
                self.write(place.message, &element, self.value).map(|()| None)
            }
            [name, further @ ..] => {
                self.begin(split, place.field)?;
                Ok(Some((self.place(place.field.index, ranges, *name)?, further)))
            }
        }
    }

    /// Writes the value to a position of a list of scalars.
    fn value_at(&mut self, place: &Place<'e>, step: Term, position: usize) -> Result<(), Stop> {
        let field = place.field;
        let (mut before, mut found, mut last) = (0, None, None);
        let mut split = self.split(place, |walk, occurrence| {
            last = Some((*occurrence, (occurrence.end, occurrence.end)));
            if found.is_some() {
                return Ok(Verdict::Keep);
            }
            let (count, value) = walk.values(occurrence, field.element, position - before)?;
            before += count;
            found = value.map(|value| (*occurrence, value));
            Ok(if found.is_some() { Verdict::Drop } else { Verdict::Keep })
        })?;
        if found.is_none() && position > before {
            return Err(Unfound::Path(step, WrongStep::BehindTheEnd).into());
        }
        // What comes behind the last one is put into its block, if it is in one.
        let block = last.filter(|(last, _)| found.is_none() && last.is_packed());
        if let Some((block, _)) = block {
            split = self.split(place, |_, occurrence| {
                Ok(if occurrence.start == block.start { Verdict::Drop } else { Verdict::Keep })
            })?;
        }
        self.name(place, None);
        let value = EncodeField { kind: field.element, tag: TagBytes::NONE, implicit: false, ..*field };
        match found.or(block) {
            Some((block, (start, end))) if block.is_packed() => {
                let payload = self.walk.payload(&block)?;
                self.begin_nothing(split)?;
                let length = self.scratch.output.begin_length(TagBytes::new(block.tag))?;
                self.keep(&[Piece { tag: TagBytes::NONE, start: payload, end: start }])?;
                self.write(place.message, &value, self.value)?;
                self.keep(&[Piece { tag: TagBytes::NONE, start: end, end: block.end }])?;
                Ok(self.scratch.output.end_length(length)?)
            }
            Some((single, _)) => {
                self.begin_nothing(split)?;
                self.write(place.message, &EncodeField { tag: TagBytes::new(single.tag), ..value }, self.value)
            }
            None if field.kind == Kind::Packed => {
                self.begin_nothing(split)?;
                let length = self.scratch.output.begin_length(field.tag)?;
                self.write(place.message, &value, self.value)?;
                Ok(self.scratch.output.end_length(length)?)
            }
            None => {
                self.begin_nothing(split)?;
                self.write(place.message, &EncodeField { tag: field.tag, ..value }, self.value)
            }
        }
    }

    /// Writes the value in the place of all that the field has.
    fn set(&mut self, place: Place<'e>) -> Result<(), Stop> {
        let table = &self.walk.plan.messages[place.message as usize];
        let mut set = None;
        let split = self.split(&place, |_, occurrence| {
            set = Some(occurrence.action.member);
            Ok(Verdict::DropOwn)
        })?;
        let absent = table.absent.get(index_of(&place, table.first_slot));
        match place.member {
            // Where another one is set, there is nothing to clear.
            Some((name, _)) if self.clears() && set != Some(name) => return Err(Stop::Unchanged),
            Some(_) if self.clears() => return self.clear(split),
            None if self.clears() && absent == Some(&self.walk.plan.constants.undefined) => return self.clear(split),
            _ => {}
        }
        let member = match (place.member, self.reader.tuple(self.value)) {
            (Some((name, _)), _) => Some(name),
            (None, Some(&[name, _])) => Some(name),
            _ => None,
        };
        self.name(&place, member);
        self.begin_nothing(split)?;
        // What is a oneof's has presence.
        let implicit = place.member.is_none() && place.field.implicit;
        self.write(place.message, &EncodeField { implicit, ..*place.held() }, self.value)
    }

    /// Whether the value is none.
    fn clears(&self) -> bool {
        self.value == self.walk.plan.constants.undefined
    }

    /// Leaves out what was dropped.
    fn clear(&mut self, split: Split) -> Result<(), Stop> {
        match split.dropped {
            true => self.begin_nothing(split),
            false => Err(Stop::Unchanged),
        }
    }

    fn split(
        &mut self,
        place: &Place,
        visit: impl FnMut(&mut Walk<'e>, &Occurrence<'e>) -> Result<Verdict, Unfound>,
    ) -> Result<Split, Stop> {
        let len = place.ranges.iter().map(|(start, end)| end - start).sum();
        self.spend(work::RECORD + work::input(len))?;
        Ok(self.walk.split(place.message, &place.ranges, place.field.slot, visit)?)
    }

    /// Adds a field, and if it is a oneof its member, to what the value is in.
    fn name(&mut self, place: &Place, member: Option<Term>) {
        let table = &self.walk.plan.messages[place.message as usize];
        self.path.push_field(table, index_of(place, table.first_slot), member.unwrap_or(Term::NONE));
    }

    /// Writes what is before a message, and what it begins with.
    fn begin(&mut self, split: Split, field: &EncodeField) -> Result<(), Stop> {
        self.keep(&split.before)?;
        let output = &mut self.scratch.output;
        let close = if field.kind == Kind::SetItem {
            output.tag(field.tag)?;
            Close::Item(output.begin_length(TagBytes::new(tag::SET_MESSAGE))?)
        } else if field.group {
            output.tag(field.tag)?;
            Close::Group(field.tag.end_of_group())
        } else {
            Close::Length(output.begin_length(field.tag)?)
        };
        Ok(self.open.try_push(Open { close, after: split.after })?)
    }

    /// The same for what ends by itself.
    fn begin_nothing(&mut self, split: Split) -> Result<(), Stop> {
        self.keep(&split.before)?;
        Ok(self.open.try_push(Open { close: Close::Nothing, after: split.after })?)
    }

    fn keep(&mut self, pieces: &[Piece]) -> Result<(), Stop> {
        for Piece { tag, start, end } in pieces {
            self.spend(work::binary(end - start))?;
            self.scratch.output.tag(*tag)?;
            self.scratch.output.raw(&self.walk.input[*start..*end])?;
        }
        Ok(())
    }

    fn write(&mut self, message: u32, field: &EncodeField, value: Term) -> Result<(), Stop> {
        let (plan, strings) = (self.walk.plan, self.options.strings);
        let Rewriter { budget, reader, source, path, scratch, .. } = self;
        written(encode_field(plan, message, field, value, strings, budget, *reader, *source, path, scratch))
    }

    fn spend(&mut self, work: usize) -> Result<(), Stop> {
        work::spend(self.budget, work).ok_or(Stop::OverBudget)
    }
}

/// The place of a field in the encode table.
fn index_of(place: &Place, first_slot: usize) -> usize {
    place.field.slot as usize - first_slot
}

fn written(outcome: Result<encode::Outcome, Box<EncodeError>>) -> Result<(), Stop> {
    match outcome {
        Ok(encode::Outcome::Done) => Ok(()),
        Ok(encode::Outcome::OverBudget) => Err(Stop::OverBudget),
        Ok(encode::Outcome::OutOfMemory) => Err(OutOfMemory.into()),
        Err(error) => Err(Stop::Failed(Failure::Value(error))),
    }
}
