//! From a node to its record, once all of it was read.

use super::stack::{NONE, Node, Scratch};
use super::{Decoder, Stop};
use std::collections::hash_map::Entry;

use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::plan::Shape;
use crate::term::{MissingField, Term, TermBuilder};

impl<B: TermBuilder> Decoder<'_, B> {
    /// Builds the record of a node and of all that came after it, which lie within it. Inner records come after outer
    /// ones, so from the last to the first each finds its place still open.
    #[inline(always)]
    pub(super) fn build(&mut self, node: usize) -> Result<Term, Stop> {
        self.build_within(node)?;
        self.record(self.scratch.nodes[node]).map_err(|stop| self.within(node, stop))
    }

    #[inline(always)]
    fn build_within(&mut self, node: usize) -> Result<(), Stop> {
        for index in (node + 1..self.scratch.nodes.len()).rev() {
            let inner = self.scratch.nodes[index];
            if inner.slot == Node::NOWHERE {
                continue;
            }
            let mut term = self.record(inner).map_err(|stop| self.within(index, stop))?;
            if inner.member != Term::NONE {
                term = self.builder.tuple(&[inner.member, term]);
            }
            let place = (self.scratch.nodes[inner.parent as usize].base + inner.slot) as usize;
            self.scratch.terms[place] = term;
        }
        Ok(())
    }

    #[cold]
    fn missing(&mut self, MissingField(field): MissingField) -> Stop {
        self.scratch.missing = field;
        DecodeReason::MissingRequired.into()
    }

    /// Builds the value of one field of the outermost message, and nothing of the rest.
    #[inline(never)]
    pub(super) fn build_field(&mut self, slot: u32) -> Result<Term, Stop> {
        self.build_within(0)?;
        let root = self.scratch.nodes[0];
        if root.last_run != NONE {
            self.lists(root.base as usize, root.last_run)?;
        }
        Ok(self.scratch.terms[root.base as usize + slot as usize])
    }

    /// Notes the node of a failure, for its path.
    #[cold]
    fn within(&mut self, node: usize, stop: Stop) -> Stop {
        self.scratch.current = node as u32;
        stop
    }

    #[inline(always)]
    fn record(&mut self, node: Node) -> Result<Term, Stop> {
        if node.empty {
            return self.empty_record(node.message, node.base as usize);
        }
        if node.last_run != NONE {
            self.lists(node.base as usize, node.last_run)?;
        }
        let base = node.base as usize;
        let message = &self.plan.messages[node.message as usize];
        let elements = &self.scratch.terms[base..base + message.template.len()];
        self.builder.message(self.plan, message, elements).map_err(|missing| self.missing(missing))
    }

    /// The record of a message without content, which stands for all of them in the result: else two bytes could become a
    /// record of any width.
    #[cold]
    #[inline(never)]
    pub(super) fn empty_record(&mut self, index: u32, base: usize) -> Result<Term, Stop> {
        let message = &self.plan.messages[index as usize];
        self.scratch.more_used = true;
        let Scratch { terms, empty_records, .. } = &mut *self.scratch;
        let elements = &terms[base..][..message.template.len()];
        match message.shape {
            Shape::Record(_) => {
                empty_records.try_reserve(1).map_err(|_| OutOfMemory)?;
                match empty_records.entry(index) {
                    Entry::Occupied(known) => Ok(*known.get()),
                    Entry::Vacant(place) => match self.builder.message(self.plan, message, elements) {
                        Ok(term) => Ok(*place.insert(term)),
                        Err(missing) => Err(self.missing(missing)),
                    },
                }
            }
            // The number of a group stands in it, and the value of an entry is a message of its own.
            Shape::Entry(_) | Shape::UnknownGroup => Ok(self.builder.tuple(elements)),
        }
    }

    /// Builds the lists of a record from its runs.
    #[inline(never)]
    pub(super) fn lists(&mut self, base: usize, last_run: u32) -> Result<(), OutOfMemory> {
        let scratch = &mut *self.scratch;
        let mut maps = Vec::new();
        let mut run = scratch.runs.get(last_run as usize).copied();
        // From the last run to the first, each before what is there already.
        while let Some(current) = run {
            if current.first_key == NONE {
                let place = base + current.slot as usize;
                let elements = &scratch.terms[current.start as usize..current.end as usize];
                scratch.terms[place] = self.builder.list(elements, scratch.terms[place]);
            } else {
                maps.try_push(current)?;
            }
            run = scratch.runs.get(current.previous as usize).copied();
        }
        if !maps.is_empty() {
            self.maps(base, maps)?;
        }
        Ok(())
    }
}
