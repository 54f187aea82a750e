//! Values whose place is told by the role that their action has as its `element`: those of closed enums, and strings that
//! must be UTF-8.

use super::map::Key;
use super::{Current, Decoder, Stop};
use crate::schema::plan::{DecodeAction, Kind};
use crate::term::{Term, TermBuilder};
use crate::work;

impl<B: TermBuilder> Decoder<'_, B> {
    /// Reads a string at `pos` that must be UTF-8 and is an element, a member of a oneof or a key. Gives where it ends.
    pub(super) fn utf8_strings(
        &mut self,
        current: &Current<'_>,
        action: &DecodeAction,
        pos: usize,
    ) -> Result<usize, Stop> {
        let (term, end) = self.utf8_string(current.data, pos)?;
        self.put(current, action, term)?;
        if action.element == Kind::Key {
            // As the loop does it.
            let index = self.scratch.nodes[current.node as usize].keys as usize;
            if let Some(key) = self.scratch.keys.get_mut(index) {
                *key = Key::read(Kind::String, current.data, pos)?;
            }
        }
        Ok(end)
    }

    /// Puts a value into its place.
    pub(super) fn put(&mut self, current: &Current<'_>, action: &DecodeAction, term: Term) -> Result<(), Stop> {
        let place = current.base + action.slot as usize;
        match action.element {
            Kind::Packed | Kind::Repeated => {
                let runs = self.scratch.runs.len();
                self.scratch.element(current.node, action.slot, term)?;
                if self.scratch.runs.len() > runs {
                    self.spend(work::RUN)?;
                }
            }
            Kind::Oneof => {
                self.spend(work::CHANGE)?;
                let pair = self.builder.tuple(&[action.member, term]);
                self.scratch.give_up_member(self.plan, place)?;
                self.scratch.terms[place] = pair;
            }
            _ => self.scratch.terms[place] = term,
        }
        Ok(())
    }
}
