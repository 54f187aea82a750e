//! Finding fields in the bytes of a message without decoding the rest: a walk over the fields of each message on the way,
//! that passes over what was not asked for. Paths with messages in common have the walk in common.
//!
//! What is found is what decoding the whole would have given there: the last one of several values, messages that come
//! several times merged.

mod key;
mod ranges;
mod steps;
mod walk;

use super::{Options, Part};
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::term::{Term, TermReader};
use crate::work;
pub(crate) use key::{Wanted, wanted_key};
pub use ranges::Ranges;
pub(crate) use steps::field_named;
use steps::{Sought, Then, Within, next};
use walk::Walk;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The message that holds it, by its index in the plan.
    pub message: u32,
    /// The field, or none for all of the message.
    pub slot: Option<u32>,
    /// The bytes that make it up.
    pub ranges: Ranges,
    /// What it is of that which they decode to.
    pub pick: Pick,
}

impl Found {
    /// The part that is decoded, which lies in these bytes: of the input, or of what was put together from its ranges.
    pub fn part(&self, (start, end): (usize, usize)) -> Part {
        Part { message: self.message, slot: self.slot, start, end }
    }
}

/// What is wanted of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Its value.
    All,
    /// The value of the member of this name, where the field is a oneof that holds it.
    Member(Term),
    /// The element at this position of a list, counted from 0.
    Element(usize),
}

/// Why a step of a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongStep {
    /// The message has no field of this name.
    NoField,
    /// No position in a list.
    NoPosition,
    /// A position in a list that is not long enough, for something to be put there.
    BehindTheEnd,
    /// No key of this map.
    NoKey,
    /// What comes before has nothing within.
    NothingWithin,
}

/// What went wrong.
#[derive(Debug)]
pub enum Failure {
    /// The bytes are not those of a message; where, and in which message by its index.
    Invalid(DecodeReason, usize, u32),
    /// The path: which step, and why.
    Path(Term, WrongStep),
    /// The work went beyond the budget.
    OverBudget,
    /// There is no memory left.
    OutOfMemory,
}

impl From<OutOfMemory> for Failure {
    fn from(OutOfMemory: OutOfMemory) -> Failure {
        Failure::OutOfMemory
    }
}

/// Finds what the steps of a path lead to, in the message with this index in the plan: names of fields, and behind those
/// that hold several a position, from 1 on, or a key. Nothing, where the way there is not there.
///
/// `budget` bounds the work, in units of [`crate::work`]; what is left of it is told there.
pub fn lookup<'t, R: TermReader<'t>>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    path: &[Term],
    options: Options,
    budget: &mut usize,
    reader: &R,
) -> Result<Option<Found>, Failure> {
    let mut walk = Walk::new(plan, input, options.max_depth, budget);
    walk.spend(work::RECORD)?;
    let (mut message, mut ranges, mut steps) = (message, Ranges::one(0, input.len()), path);
    while let Some(mut sought) = next(plan, message, steps, options, reader)? {
        walk.gather(message, &ranges, std::slice::from_mut(&mut sought))?;
        let Sought { field, ranges: found, then, .. } = sought;
        match then {
            Then::Found(pick) => return Ok(Some(Found { message, slot: Some(field.slot), ranges: found, pick })),
            Then::Within(within) if found.is_empty() && !within.always => return Ok(None),
            Then::Within(within) => (message, ranges, steps) = (within.message, found, within.steps),
        }
    }
    Ok(Some(Found { message, slot: None, ranges, pick: Pick::All }))
}

/// Several paths, one behind the other.
#[derive(Default)]
pub struct Paths {
    steps: Vec<Term>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Paths {
    /// Adds a step to the path that is not at its end yet.
    pub fn step(&mut self, step: Term) -> Result<(), OutOfMemory> {
        self.steps.try_push(step)
    }

    /// Ends a path.
    pub fn end(&mut self) -> Result<(), OutOfMemory> {
        self.ends.try_push(self.steps.len())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The steps of one.
    pub fn steps(&self, path: usize) -> &[Term] {
        let start = path.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.steps[start..self.ends[path]]
    }
}

/// A message in which paths go on, by the first of these.
struct Place {
    message: u32,
    ranges: Ranges,
    path: usize,
    /// How many steps lead to it.
    depth: usize,
}

/// Finds what each of several paths leads to, as [`lookup`] does for one.
pub fn lookup_all<'t, R: TermReader<'t>>(
    plan: &Plan,
    message: u32,
    input: &[u8],
    paths: &Paths,
    options: Options,
    budget: &mut usize,
    reader: &R,
) -> Result<Vec<Option<Found>>, Failure> {
    let mut walk = Walk::new(plan, input, options.max_depth, budget);
    let (mut all, mut following) = (Vec::new(), Vec::new());
    for path in 0..paths.count() {
        walk.spend(work::RECORD)?;
        all.try_push(None)?;
        // Of those that are in the same place, the next one. The last one's is no path.
        following.try_push(path + 1)?;
    }
    let (mut places, mut sought): (Vec<Place>, Vec<Sought>) = (Vec::new(), Vec::new());
    let mut place = Some(Place { message, ranges: Ranges::one(0, input.len()), path: 0, depth: 0 });
    while let Some(Place { message, ranges, mut path, depth }) = place.take().or_else(|| places.pop()) {
        while path < paths.count() {
            let following_path = std::mem::replace(&mut following[path], usize::MAX);
            match next(plan, message, &paths.steps(path)[depth..], options, reader)? {
                None => {
                    let ranges = ranges.try_clone()?;
                    all[path] = Some(Found { message, slot: None, ranges, pick: Pick::All });
                }
                Some(one) => {
                    walk.spend(work::input(sought.len()))?;
                    match sought.iter_mut().find(|other| one.is(other)) {
                        Some(same) => following[std::mem::replace(&mut same.last, path)] = path,
                        None => sought.try_push(Sought { first: path, last: path, ..one })?,
                    }
                }
            }
            path = following_path;
        }
        walk.gather(message, &ranges, &mut sought)?;
        for Sought { field, ranges, then, first: path, .. } in sought.drain(..) {
            match then {
                Then::Found(pick) => all[path] = Some(Found { message, slot: Some(field.slot), ranges, pick }),
                Then::Within(within) if ranges.is_empty() && !within.always => {}
                Then::Within(Within { message, steps, .. }) => {
                    let depth = paths.steps(path).len() - steps.len();
                    if let Some(before) = place.replace(Place { message, ranges, path, depth }) {
                        places.try_push(before)?;
                    }
                }
            }
        }
    }
    Ok(all)
}
