//! Reading fields of a message without decoding the rest.

use protobuf_codec::Term;
use protobuf_codec::decode::{
    Failure as Unfound, Found, Outcome, Part, WrongStep, decode_part, gone_over, lookup, path_to,
};
use protobuf_codec::error::{DecodeError, DecodeReason};
use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;

use super::decode::input;
use super::{Called, NOT_A_NAME, find, not_found};
use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, NifFunction};
use crate::errors::Failure;
use crate::forms::FormBuilder;
use crate::options::CallOptions;
use crate::workplace::{self, Workplace};

/// What the paths that are the third argument lead to, each or, of one path, that alone. The fourth argument is options.
pub fn values(call: &Call, several: bool, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let (binary, name) = (call.argument(0), call.argument(1));
    let mut options = CallOptions::none();
    options.read(call.env, &reader, 4, call.argument(3))?;
    let Some(paths) = paths(&reader, call.argument(2), several)? else {
        return Ok(call.continue_dirty(c"get", again));
    };
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"get", again)) };
    workplace::with(|workplace| {
        let snapshot = workplace.cache.get(options.cache).cloned();
        let Some((plan, message)) = find(snapshot.as_ref(), name) else {
            return Err(not_found(call, options.cache, snapshot.as_ref(), name, 2, NOT_A_NAME));
        };
        let Workplace { allowance, decode: scratch, .. } = workplace;
        if !allowance.takes(input.len()) && !allowance.takes(gone_over(plan, message, input, options.codec)) {
            return Ok(call.continue_dirty(c"get", again));
        }
        if input.len() > options.codec.max_size {
            return Err(invalid(call, plan, message, &[], &options, (DecodeReason::MaxSize, 0)).into());
        }
        let found = allowance.spend(call, |budget| -> Result<Option<Vec<Term>>, Failure> {
            let mut values = Vec::with_capacity(paths.len());
            for path in &paths {
                // As often as there are paths.
                *budget =
                    budget.saturating_sub(protobuf_codec::work::input(input.len()) + protobuf_codec::work::RECORD);
                if *budget == 0 {
                    return Ok(None);
                }
                let found = match lookup(plan, message, input, path, options.codec, &reader) {
                    Ok(found) => found,
                    Err(Unfound::OutOfMemory) => return Err(Failure::OutOfMemory),
                    Err(Unfound::Path(step, why)) => return Err(wrong(why, step)),
                    Err(Unfound::Invalid(reason, at, _)) => {
                        return Err(invalid(call, plan, message, input, &options, (reason, at)));
                    }
                };
                let mut decoding = Decoding { call, plan, message, options: &options, budget, scratch };
                match decoding.value(found, binary, input)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
            Ok(Some(values))
        })?;
        Ok(match found {
            None => call.continue_dirty(c"get", again),
            // No failure is a tuple.
            Some(values) => beam::make_tuple(call.env, &values),
        })
    })
}

/// The steps of each path, of which there are several or one; nothing where these are too many to be read here.
fn paths(reader: &BeamReader, paths: Term, several: bool) -> Result<Option<Vec<Vec<Term>>>, Failure> {
    if !several {
        return Ok(path(reader, paths)?.map(|path| vec![path]));
    }
    let mut left = most_steps();
    let Some(paths) = steps(reader, paths, &mut left)? else { return Ok(None) };
    paths.into_iter().map(|path| steps(reader, path, &mut left)).collect()
}

/// The steps of a path; nothing where these are too many to be read here.
pub(super) fn path(reader: &BeamReader, path: Term) -> Result<Option<Vec<Term>>, Failure> {
    steps(reader, path, &mut most_steps())
}

fn most_steps() -> usize {
    workplace::with(|workplace| workplace.allowance.largest_input()) / BYTES_OF_A_STEP
}

fn steps(reader: &BeamReader, list: Term, left: &mut usize) -> Result<Option<Vec<Term>>, Failure> {
    let (mut elements, mut rest) = (Vec::new(), list);
    while let Some((head, tail)) = reader.cell(rest) {
        let Some(fewer) = left.checked_sub(1) else { return Ok(None) };
        *left = fewer;
        elements.push(head);
        rest = tail;
    }
    match rest == atoms().nil {
        true => Ok(Some(elements)),
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

/// Where in the input something is that is at an offset in these stretches of it.
fn before(ranges: &[(usize, usize)], mut offset: usize) -> usize {
    for (start, end) in ranges {
        if offset < end - start {
            return start + offset;
        }
        offset -= end - start;
    }
    ranges.last().map_or(0, |(_, end)| *end)
}

struct Decoding<'c, 's> {
    call: &'c Call<'c>,
    plan: &'c Plan,
    /// What was asked for something in.
    message: u32,
    options: &'c CallOptions,
    budget: &'c mut usize,
    scratch: &'s mut protobuf_codec::decode::Scratch,
}

impl Decoding<'_, '_> {
    /// The term of what was found; nothing where it is to be made elsewhere.
    fn value(&mut self, found: Found, binary: Term, input: &[u8]) -> Result<Option<Term>, Failure> {
        match self.found(found, binary, input) {
            // What is missing is nowhere in the input.
            Err(Failure::Decode(name, error, codec)) if error.reason != DecodeReason::MissingRequired => {
                let path = path_to(self.plan, self.message, input, error.offset);
                Err(Failure::Decode(name, Box::new(DecodeError { path, ..*error }), codec))
            }
            found => found,
        }
    }

    /// The same, with the path of a failure from the message on that was found.
    fn found(&mut self, found: Found, binary: Term, input: &[u8]) -> Result<Option<Term>, Failure> {
        let (part, member) = match found {
            Found::Absent => return Ok(Some(atoms().undefined)),
            Found::Part(part, member) => return self.part(part, member, binary, input),
            Found::Parts(part, ranges, member) => ((part, ranges), member),
            Found::Element(part, ranges, position) => {
                let list = self.together(part, &ranges, None, input)?;
                return Ok(list.map(|list| self.element(list, position)));
            }
        };
        self.together(part.0, &part.1, member, input)
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

    /// Bytes that lie apart are put together first.
    fn together(
        &mut self,
        part: Part,
        ranges: &[(usize, usize)],
        member: Option<Term>,
        input: &[u8],
    ) -> Result<Option<Term>, Failure> {
        let len = ranges.iter().map(|(start, end)| end - start).sum();
        let binary = beam::try_make_binary_with(self.call.env, len, |target| {
            let mut to = 0;
            for (start, end) in ranges {
                let bytes = &input[*start..*end];
                target[to..to + bytes.len()].copy_from_slice(bytes);
                to += bytes.len();
            }
        });
        let binary = binary.ok_or(Failure::OutOfMemory)?;
        let bytes = BeamReader::new(self.call.env).binary(binary).unwrap_or_default();
        match self.part(Part { start: 0, end: len, ..part }, member, binary, bytes) {
            // Counted from where the caller does.
            Err(Failure::Decode(name, error, codec)) => {
                let offset = before(ranges, error.offset);
                Err(Failure::Decode(name, Box::new(DecodeError { offset, ..*error }), codec))
            }
            found => found,
        }
    }

    fn part(&mut self, part: Part, member: Option<Term>, binary: Term, input: &[u8]) -> Result<Option<Term>, Failure> {
        let CallOptions { codec, copying, form, .. } = *self.options;
        let (plan, env) = (self.plan, self.call.env);
        let (budget, scratch) = (&mut *self.budget, &mut *self.scratch);
        let mut plain = BeamBuilder::new(env, binary, input, copying);
        let outcome = match form.is_plain() {
            true => decode_part(plan, &part, input, codec, budget, &mut plain, scratch),
            false => {
                let mut builder = FormBuilder::new(env, plain, form, codec.strings);
                let outcome = decode_part(plan, &part, input, codec, budget, &mut builder, scratch);
                outcome.map(|outcome| match (outcome, part.slot) {
                    (Outcome::Done(term), Some(slot)) => Outcome::Done(builder.alone(plan, part.message, slot, term)),
                    (outcome, _) => outcome,
                })
            }
        };
        let failure = |error| Failure::Decode(self.call.argument(1), error, codec);
        let term = match outcome.map_err(failure)? {
            Outcome::Done(term) => term,
            Outcome::OverBudget => return Ok(None),
            Outcome::OutOfMemory => return Err(Failure::OutOfMemory),
        };
        Ok(Some(match member {
            None => term,
            Some(member) => match beam::get_tuple(env, term) {
                Some(&[set, value]) if set == member => value,
                _ => atoms().undefined,
            },
        }))
    }
}
