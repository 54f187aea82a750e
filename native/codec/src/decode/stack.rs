//! The records that are being filled, and what is known of each.

use super::map::Key;
use crate::term::Term;

/// The space a decoding works in; kept from call to call for its memory.
#[derive(Default)]
pub struct Scratch {
    /// The records being filled, one after the other, with the elements of their repeated fields behind them.
    pub(super) terms: Vec<Term>,
    /// A node for each record.
    pub(super) nodes: Vec<Node>,
    /// A run for each stretch of elements of one field.
    pub(super) runs: Vec<Run>,
    /// The keys of map entries, in the order of their runs.
    pub(super) keys: Vec<Key>,
    /// The node of the message being read.
    pub(super) current: u32,
    /// The member of a oneof that may be forgotten whole.
    last_member: LastMember,
    /// The open groups of a field that is skipped.
    pub(super) groups: Vec<u32>,
}

/// Vectors that grew beyond this many elements are given back after the call.
const KEPT_ELEMENTS: usize = 64 * 1024;

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.nodes.clear();
        self.runs.clear();
        self.keys.clear();
        self.groups.clear();
        self.last_member = LastMember::default();
    }

    /// Gives the memory of an unusually large decoding back.
    pub(super) fn trim(&mut self) {
        let largest = self.terms.capacity().max(self.nodes.capacity()).max(self.runs.capacity());
        if largest.max(self.keys.capacity()).max(self.groups.capacity()) > KEPT_ELEMENTS {
            *self = Scratch::default();
        }
    }

    /// Notes the oneof's member that has just ended.
    pub(super) fn note_member(&mut self, node: u32) {
        self.last_member = LastMember { node, terms: self.terms.len(), runs: self.runs.len() };
    }

    /// Forgets the message that a oneof holds in this place, where it holds one. If nothing came after it, its space is
    /// used again: however often a oneof changes, it takes no more than its members do.
    #[inline(always)]
    pub(super) fn forget_member(&mut self, place: usize) {
        if let Some(index) = self.terms[place].pending_index() {
            self.forget(index);
        }
    }

    #[inline(never)]
    pub(super) fn forget(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        node.slot = Node::NOWHERE;
        let Node { base, runs: first_run, keys: first_key, .. } = *node;
        // Every record that came after it brought terms, and every key a record.
        let last = LastMember { node: index as u32, terms: self.terms.len(), runs: self.runs.len() };
        if self.last_member == last && first_run != NONE {
            self.terms.truncate(base as usize);
            self.nodes.truncate(index);
            self.runs.truncate(first_run as usize);
            self.keys.truncate(first_key as usize);
        }
    }

    /// Adds an element to a repeated field.
    #[inline(always)]
    pub(super) fn element(&mut self, node: u32, slot: u32, term: Term) {
        let start = self.terms.len();
        self.terms.push(term);
        self.extend_run(node, slot, start, NONE);
    }

    /// Counts the terms from `start` on as elements of a repeated field. `key` is the place of the first one's key, for a
    /// map.
    #[inline(always)]
    pub(super) fn extend_run(&mut self, node: u32, slot: u32, start: usize, key: u32) {
        // The decoder begins no record where indexes could go beyond 32 bits.
        let (start, end) = (start as u32, self.terms.len() as u32);
        let node = &mut self.nodes[node as usize];
        match self.runs.get_mut(node.last_run as usize) {
            Some(run) if run.slot == slot && run.end == start => run.end = end,
            _ => {
                let previous = std::mem::replace(&mut node.last_run, self.runs.len() as u32);
                self.runs.push(Run { slot, start, end, first_key: key, previous });
            }
        }
    }
}

/// A record that is being filled.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Its message, by the index in the plan.
    pub message: u32,
    /// Where in the record around it it belongs; [`Node::NOWHERE`] when a oneof has moved on.
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
    /// How many runs there were before it; [`NONE`] for one that is gone on with.
    pub runs: u32,
    /// How many keys there were before it.
    pub keys: u32,
    /// Whether it becomes an element when it ends.
    pub element: bool,
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

/// The member of a oneof that was read last, and how much there was when it had ended.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct LastMember {
    node: u32,
    terms: usize,
    runs: usize,
}
