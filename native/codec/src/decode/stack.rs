//! The records that are being filled, and what is known of each.

use rustc_hash::FxHashMap;

use super::map::Key;
use super::spares::Spares;
use super::straight::Frame;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::Plan;
use crate::term::Term;

/// The space a decoding works in; kept from call to call for its memory.
#[derive(Default)]
pub struct Scratch {
    /// The records being filled, one after the other, with the elements of their repeated fields behind them.
    pub(super) terms: Vec<Term>,
    /// Those that go on behind what is being read, for the straight decoder.
    pub(super) frames: Vec<Frame>,
    /// A node for each record.
    pub(super) nodes: Vec<Node>,
    /// A run for each stretch of elements of one field.
    pub(super) runs: Vec<Run>,
    /// The keys of map entries, in the order of their runs.
    pub(super) keys: Vec<Key>,
    /// The node of the message being read.
    pub(super) current: u32,
    /// What oneofs gave up.
    pub(super) spares: Spares,
    /// The records of what a oneof is giving up.
    giving_up: Vec<u32>,
    /// The records of messages without content, by their index in the plan.
    pub(super) empty_records: FxHashMap<u32, Term>,
    /// The required field that did not come, of the current node, by its place in the encode table.
    pub(super) missing: u32,
    /// The open groups of a field that is skipped.
    pub(super) groups: Vec<u32>,
    /// Whether more than what the straight decoder always needs was used since the scratch was last cleared.
    pub(super) more_used: bool,
}

/// Vectors that grew beyond this many elements are given back after the call.
const KEPT_ELEMENTS: usize = 64 * 1024;

impl Scratch {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.frames.clear();
        self.runs.clear();
        self.keys.clear();
        if self.more_used {
            self.clear_more();
        }
    }

    #[cold]
    fn clear_more(&mut self) {
        self.more_used = false;
        self.nodes.clear();
        self.groups.clear();
        self.empty_records.clear();
        self.spares.clear();
    }

    /// Gives the memory of an unusually large decoding back.
    #[inline(always)]
    pub(super) fn trim(&mut self) {
        let often = self.terms.capacity().max(self.frames.capacity());
        let often = often.max(self.runs.capacity()).max(self.keys.capacity());
        if often > KEPT_ELEMENTS || self.more_used && self.more_kept() > KEPT_ELEMENTS {
            *self = Scratch::default();
        }
    }

    #[cold]
    fn more_kept(&self) -> usize {
        let nodes = self.nodes.capacity().max(self.giving_up.capacity()).max(self.spares.capacity());
        nodes.max(self.groups.capacity()).max(self.empty_records.capacity())
    }

    /// Gives up the message that a oneof holds in this place, where it holds one.
    #[inline(always)]
    pub(super) fn give_up_member(&mut self, plan: &Plan, place: usize) -> Result<(), OutOfMemory> {
        match self.terms[place].pending_index() {
            Some(index) => self.give_up(plan, index),
            None => Ok(()),
        }
    }

    /// Gives up a message with those that it holds.
    #[inline(never)]
    pub(super) fn give_up(&mut self, plan: &Plan, index: usize) -> Result<(), OutOfMemory> {
        self.giving_up.clear();
        self.giving_up.try_push(index as u32)?;
        while let Some(index) = self.giving_up.pop() {
            let node = &mut self.nodes[index as usize];
            node.slot = Node::NOWHERE;
            let base = node.base as usize;
            let record = &self.terms[base..base + plan.messages[node.message as usize].template.len()];
            for inner in record.iter().filter_map(|term| term.pending_index()) {
                self.giving_up.try_push(inner as u32)?;
            }
            self.spares.put(node.message, index)?;
        }
        Ok(())
    }

    /// Begins a record in the place of one that was given up; gives its node and its place.
    #[inline(never)]
    pub(super) fn use_again(&mut self, spare: u32, new: Node, template: &[Term]) -> Result<(u32, usize), OutOfMemory> {
        let base = self.nodes[spare as usize].base;
        self.terms[base as usize..base as usize + template.len()].copy_from_slice(template);
        let new = Node { base, ..new };
        // Inner records have to come after outer ones.
        let node = if spare > new.parent { spare } else { self.nodes.len() as u32 };
        match self.nodes.get_mut(node as usize) {
            Some(place) => *place = new,
            None => self.nodes.try_push(new)?,
        }
        Ok((node, base as usize))
    }

    /// Adds an element to a repeated field.
    #[inline(always)]
    pub(super) fn element(&mut self, node: u32, slot: u32, term: Term) -> Result<(), OutOfMemory> {
        let start = self.terms.len();
        self.terms.try_push(term)?;
        self.extend_run(node, slot, start, NONE)
    }

    /// The same for terms that are there already.
    #[inline(always)]
    pub(super) fn extend_run(&mut self, node: u32, slot: u32, start: usize, key: u32) -> Result<(), OutOfMemory> {
        let mut last_run = self.nodes[node as usize].last_run;
        extend_run(self, &mut last_run, slot, start, key)?;
        self.nodes[node as usize].last_run = last_run;
        Ok(())
    }
}

/// Counts the terms from `start` on as elements of a repeated field. `last_run` is the last run of the record that has the
/// field, and `key` the place of the first one's key, for a map.
#[inline(always)]
pub(super) fn extend_run(
    scratch: &mut Scratch,
    last_run: &mut u32,
    slot: u32,
    start: usize,
    key: u32,
) -> Result<(), OutOfMemory> {
    // The decoder begins no record where indexes could go beyond 32 bits.
    let (start, end) = (start as u32, scratch.terms.len() as u32);
    match scratch.runs.get_mut(*last_run as usize) {
        Some(run) if run.slot == slot && run.end == start => run.end = end,
        _ => {
            let previous = std::mem::replace(last_run, scratch.runs.len() as u32);
            scratch.runs.try_push(Run { slot, start, end, first_key: key, previous })?;
        }
    }
    Ok(())
}

/// A record that is being filled.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Its message, by the index in the plan.
    pub message: u32,
    /// Where in the record around it it belongs; [`Node::NOWHERE`] when a oneof gave it up.
    pub slot: u32,
    /// The node of the record around it.
    pub parent: u32,
    /// Where it begins in `terms`.
    pub base: u32,
    /// The last of its runs, or [`NONE`].
    pub last_run: u32,
    /// The field that led to it, by its place in the encode table.
    pub field: u32,
    /// The name of the member it is, in a oneof; otherwise [`Term::NONE`].
    pub member: Term,
    /// Where its bytes end in the input.
    pub end: usize,
    /// The tag that ends it, for a group; otherwise 0.
    pub end_tag: u32,
    /// How many runs there were before it.
    pub runs: u32,
    /// How many keys there were before it.
    pub keys: u32,
    /// Where the spares began before it, for an element.
    pub spares: u32,
    /// Whether it becomes an element when it ends.
    pub element: bool,
    /// Whether it came without content.
    pub empty: bool,
}

impl Node {
    pub const NOWHERE: u32 = u32::MAX;
}

/// No index of a vector.
pub(super) const NONE: u32 = u32::MAX;

/// Elements of one field that lie side by side in `terms`.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub slot: u32,
    pub start: u32,
    pub end: u32,
    /// Where the keys of its entries begin in `keys`, for a map; otherwise [`NONE`].
    pub first_key: u32,
    /// The run of the same record before this one, or [`NONE`].
    pub previous: u32,
}
