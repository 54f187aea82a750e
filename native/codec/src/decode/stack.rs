//! The records that are being filled, and what is known of each.

use super::map::Key;
use crate::schema::plan::DecodeAction;
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
    /// The messages around the one being read.
    pub(super) frames: Vec<Frame>,
    /// The message being read.
    pub(super) frame: Frame,
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
        self.frames.clear();
        self.groups.clear();
        self.frame = Frame::default();
    }

    /// Gives the memory of an unusually large decoding back.
    pub(super) fn trim(&mut self) {
        let largest = self.terms.capacity().max(self.nodes.capacity()).max(self.runs.capacity());
        if largest.max(self.keys.capacity()).max(self.frames.capacity()).max(self.groups.capacity()) > KEPT_ELEMENTS {
            *self = Scratch::default();
        }
    }

    /// Adds an element to a repeated field of the message being read.
    #[inline(always)]
    pub(super) fn element(&mut self, slot: u32, term: Term) {
        let start = self.terms.len();
        self.terms.push(term);
        self.extend_run(slot, start, None);
    }

    /// Counts the terms from `start` on as elements of a repeated field of the message being read. `key` is the place of
    /// the first one's key, for a map.
    #[inline(always)]
    pub(super) fn extend_run(&mut self, slot: u32, start: usize, key: Option<usize>) {
        let end = self.terms.len();
        let node = &mut self.nodes[self.frame.node];
        match self.runs.get_mut(node.last_run) {
            Some(run) if run.slot == slot && run.end == start => run.end = end,
            _ => {
                self.runs.push(Run { slot, start, end, first_key: key, previous: node.last_run });
                node.last_run = self.runs.len() - 1;
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
    pub parent: usize,
    /// Where it begins in `terms`.
    pub base: usize,
    /// The last of its runs, or [`Node::NO_RUN`].
    pub last_run: usize,
    /// The name of the member it is, in a oneof; otherwise [`Term::NONE`].
    pub member: Term,
}

impl Node {
    pub const NOWHERE: u32 = u32::MAX;
    pub const NO_RUN: usize = usize::MAX;
}

/// Elements of one field that lie side by side in `terms`.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub slot: u32,
    pub start: usize,
    pub end: usize,
    /// Where the keys of its entries begin in `keys`, for a map.
    pub first_key: Option<usize>,
    /// The run of the same record before this one.
    pub previous: usize,
}

/// A message that is being read.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Its message, by the index in the plan.
    pub message: u32,
    /// The tag that ends it, for a group; otherwise 0.
    pub end_tag: u32,
    /// Its record.
    pub node: usize,
    /// Where its record begins in `terms`.
    pub base: usize,
    /// Where its bytes end in the input.
    pub end: usize,
    /// For what becomes an element when it ends: how many runs and keys there were before.
    pub element: Option<(usize, usize)>,
    /// What led to it; [`DecodeAction::ROOT`] for the message that was asked for.
    pub action: DecodeAction,
}

impl std::default::Default for Frame {
    fn default() -> Frame {
        Frame { message: 0, end_tag: 0, node: 0, base: 0, end: 0, element: None, action: DecodeAction::ROOT }
    }
}
