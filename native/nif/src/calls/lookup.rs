//! Reading fields of a message without decoding the rest.

use protobuf_codec::decode::{
    Failure as Unfound, Found, Outcome, Part, Paths, Pick, Ranges, Scratch, WrongStep, decode_part, lookup, lookup_all,
    path_to,
};
use protobuf_codec::error::{DecodeError, DecodeReason};
use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, work};
use std::cell::Cell;

use super::decode::input;
use super::{Called, NOT_A_NAME, find, not_found};
use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, NifFunction};
use crate::errors::Failure;
use crate::forms::FormBuilder;
use crate::options::CallOptions;
use crate::workplace::{self, Workplace};

/// What the path that is the third argument leads to. The fourth argument is options.
pub fn value(call: &Call, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let Some(path) = path(&reader, call.argument(2))? else { return Ok(call.continue_dirty(c"get", again)) };
    let value = read(call, |reading| {
        let Reading { plan, message, input, .. } = *reading;
        let options = reading.options.codec;
        match lookup(plan, message, input, &path, options, reading.budget, &reader) {
            // No failure is a tuple.
            Ok(found) => Ok(reading.value(found)?.map(|value| beam::make_tuple(call.env, &[value]))),
            Err(failure) => Ok(reading.failed(failure)?),
        }
    })?;
    Ok(value.unwrap_or_else(|| call.continue_dirty(c"get", again)))
}

/// The same for each of the paths that are the third argument.
pub fn values(call: &Call, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let Some(paths) = paths(&reader, call.argument(2))? else { return Ok(call.continue_dirty(c"select", again)) };
    let values = read(call, |reading| {
        let Reading { plan, message, input, .. } = *reading;
        let options = reading.options.codec;
        let all = match lookup_all(plan, message, input, &paths, options, reading.budget, &reader) {
            Ok(all) => all,
            Err(failure) => return Ok(reading.failed(failure)?),
        };
        let mut values = Vec::with_capacity(all.len());
        for found in all {
            match reading.value(found)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(beam::make_tuple(call.env, &values)))
    })?;
    Ok(values.unwrap_or_else(|| call.continue_dirty(c"select", again)))
}

/// Reads from the message that is the first argument, of the name that is the second; nothing where that is to be done
/// elsewhere.
#[inline(always)]
fn read(call: &Call, work: impl FnOnce(&mut Reading) -> Called<Option<Term>>) -> Called<Option<Term>> {
    let (binary, name) = (call.argument(0), call.argument(1));
    let mut options = CallOptions::none();
    options.read(call.env, &BeamReader::new(call.env), 4, call.argument(3))?;
    let Some(input) = input(call)? else { return Ok(None) };
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.get(options.cache);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, options.cache, snapshot, name, 2, NOT_A_NAME));
        };
        if input.len() > options.codec.max_size {
            return Err(invalid(call, plan, message, &[], &options, (DecodeReason::MaxSize, 0)).into());
        }
        allowance.spend(call, |budget| {
            work(&mut Reading { call, plan, message, binary, input, options: &options, budget, scratch })
        })
    })
}

/// The steps of several paths; nothing where these are too many to be read here.
fn paths(reader: &BeamReader, list: Term) -> Result<Option<Paths>, Failure> {
    let (mut paths, left) = (Paths::default(), Cell::new(most_steps()));
    let all = each(reader, list, &left, |path| {
        let all = each(reader, path, &left, |step| paths.step(step).map(|()| true).map_err(|_| Failure::OutOfMemory))?;
        paths.end().map_err(|_| Failure::OutOfMemory)?;
        Ok(all)
    })?;
    Ok(all.then_some(paths))
}

/// The steps of a path; nothing where these are too many to be read here.
pub(super) fn path(reader: &BeamReader, list: Term) -> Result<Option<Vec<Term>>, Failure> {
    let mut steps = Vec::new();
    let all = each(reader, list, &Cell::new(most_steps()), |step| {
        steps.push(step);
        Ok(true)
    })?;
    Ok(all.then_some(steps))
}

fn most_steps() -> usize {
    workplace::with(|workplace| workplace.allowance.largest_input()) / BYTES_OF_A_STEP
}

/// Shows each element of a list; whether these were all, and not more than are left to be read here.
#[inline(always)]
fn each(
    reader: &BeamReader,
    list: Term,
    left: &Cell<usize>,
    mut show: impl FnMut(Term) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    let mut rest = list;
    while let Some((head, tail)) = reader.cell(rest) {
        let Some(fewer) = left.get().checked_sub(1) else { return Ok(false) };
        left.set(fewer);
        if !show(head)? {
            return Ok(false);
        }
        rest = tail;
    }
    match rest == atoms().nil {
        true => Ok(true),
        false => Err(Failure::BadTerm(3, "not a path, a list of names, positions and keys".into(), list)),
    }
}

/// Reading a step of a path takes as long as reading so many bytes of a message.
const BYTES_OF_A_STEP: usize = 16;

pub(super) fn wrong(why: WrongStep, step: Term) -> Failure {
    let why = match why {
        WrongStep::NoField => "the message on the way has no such field",
        WrongStep::NoPosition => "not a position in a list, from 1 on",
        WrongStep::BehindTheEnd => "the list ends before this position, and grows by one element at a time",
        WrongStep::NoKey => "not a key of this map",
        WrongStep::NothingWithin => "there is nothing within what comes before this",
    };
    Failure::BadTerm(3, why.into(), step)
}

/// What is wrong with a field of the input, by where it begins.
pub(super) fn invalid(
    call: &Call,
    plan: &Plan,
    message: u32,
    input: &[u8],
    options: &CallOptions,
    (reason, offset): (DecodeReason, usize),
) -> Failure {
    let path = path_to(plan, message, input, offset);
    Failure::Decode(call.argument(1), Box::new(DecodeError { reason, offset, path }), options.codec)
}

/// Reading values of a message.
struct Reading<'c> {
    call: &'c Call<'c>,
    plan: &'c Plan,
    /// What is read in.
    message: u32,
    binary: Term,
    input: &'c [u8],
    options: &'c CallOptions,
    budget: &'c mut usize,
    scratch: &'c mut Scratch,
}

impl Reading<'_> {
    /// What a lookup that failed comes to; nothing where it is to be done elsewhere.
    #[cold]
    fn failed(&self, failure: Unfound) -> Result<Option<Term>, Failure> {
        match failure {
            Unfound::OverBudget => Ok(None),
            Unfound::OutOfMemory => Err(Failure::OutOfMemory),
            Unfound::Path(step, why) => Err(wrong(why, step)),
            Unfound::Invalid(reason, at, _) => {
                Err(invalid(self.call, self.plan, self.message, self.input, self.options, (reason, at)))
            }
        }
    }

    /// The term of what was found; nothing where it is to be made elsewhere.
    fn value(&mut self, found: Option<Found>) -> Result<Option<Term>, Failure> {
        let Some(found) = found else { return Ok(Some(self.told(atoms().undefined))) };
        let decoded = match found.ranges.whole() {
            Some(range) => self.decoded(&found.part(range), self.binary, self.input),
            None => self.together(&found),
        };
        let decoded = decoded.map_err(|failure| self.with_whole_path(failure))?;
        Ok(decoded.map(|term| self.told(self.picked(term, found.pick))))
    }

    /// The value as it is told: what is absent in Elixir's word, where structs are asked for.
    fn told(&self, value: Term) -> Term {
        match self.options.form.structs {
            Some(_) if value == atoms().undefined => atoms().nil_atom,
            _ => value,
        }
    }

    /// The same failure with its path from the message on that is read in, not from the part that was decoded.
    #[cold]
    fn with_whole_path(&self, failure: Failure) -> Failure {
        match failure {
            // What is missing is nowhere in the input.
            Failure::Decode(name, error, codec) if error.reason != DecodeReason::MissingRequired => {
                let path = path_to(self.plan, self.message, self.input, error.offset);
                Failure::Decode(name, Box::new(DecodeError { path, ..*error }), codec)
            }
            failure => failure,
        }
    }

    /// Bytes that lie apart are put together first.
    #[cold]
    fn together(&mut self, found: &Found) -> Result<Option<Term>, Failure> {
        let len = found.ranges.iter().map(|(start, end)| end - start).sum();
        let Some(left) = self.budget.checked_sub(work::binary(len)) else { return Ok(None) };
        *self.budget = left;
        let env = self.call.env;
        let binary = beam::try_make_binary_with(env, len, |target| copy(&found.ranges, self.input, target));
        let binary = binary.ok_or(Failure::OutOfMemory)?;
        let bytes = BeamReader::new(env).binary(binary).unwrap_or_default();
        match self.decoded(&found.part((0, len)), binary, bytes) {
            // Counted from where the caller does.
            Err(Failure::Decode(name, error, codec)) => {
                let offset = before(&found.ranges, error.offset);
                Err(Failure::Decode(name, Box::new(DecodeError { offset, ..*error }), codec))
            }
            decoded => decoded,
        }
    }

    /// What is wanted of a value.
    #[inline(always)]
    fn picked(&self, term: Term, pick: Pick) -> Term {
        match pick {
            Pick::All => term,
            Pick::Member(member) => match beam::get_tuple(self.call.env, term) {
                Some(&[set, value]) if set == member => value,
                _ => atoms().undefined,
            },
            Pick::Element(position) => self.element(term, position),
        }
    }

    /// The element at a position, counted from 0, of a list.
    fn element(&self, mut list: Term, position: usize) -> Term {
        let reader = BeamReader::new(self.call.env);
        for _ in 0..position {
            match reader.cell(list) {
                Some((_, tail)) => list = tail,
                None => return atoms().undefined,
            }
        }
        reader.cell(list).map_or(atoms().undefined, |(head, _)| head)
    }

    /// The term of a part of these bytes.
    fn decoded(&mut self, part: &Part, binary: Term, bytes: &[u8]) -> Result<Option<Term>, Failure> {
        let CallOptions { codec, copying, form, .. } = *self.options;
        let (plan, env) = (self.plan, self.call.env);
        let (budget, scratch) = (&mut *self.budget, &mut *self.scratch);
        let mut plain = BeamBuilder::new(env, binary, bytes, copying);
        let outcome = match form.is_plain() {
            true => decode_part(plan, part, bytes, codec, budget, &mut plain, scratch),
            false => {
                let mut builder = FormBuilder::new(env, plain, form, codec.strings);
                let outcome = decode_part(plan, part, bytes, codec, budget, &mut builder, scratch);
                outcome.map(|outcome| match (outcome, part.slot) {
                    (Outcome::Done(term), Some(slot)) => Outcome::Done(builder.alone(plan, part.message, slot, term)),
                    (outcome, _) => outcome,
                })
            }
        };
        match outcome {
            Ok(Outcome::Done(term)) => Ok(Some(term)),
            Ok(Outcome::OverBudget) => Ok(None),
            Ok(Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
            Err(error) => Err(Failure::Decode(self.call.argument(1), error, codec)),
        }
    }
}

/// Where in the input something is that is at an offset in these stretches of it.
fn before(ranges: &Ranges, mut offset: usize) -> usize {
    let mut last = 0;
    for (start, end) in ranges.iter() {
        if offset < end - start {
            return start + offset;
        }
        offset -= end - start;
        last = end;
    }
    last
}

/// Copies the bytes of these stretches one behind the other.
fn copy(ranges: &Ranges, input: &[u8], target: &mut [u8]) {
    let mut to = 0;
    for (start, end) in ranges.iter() {
        target[to..to + (end - start)].copy_from_slice(&input[start..end]);
        to += end - start;
    }
}
