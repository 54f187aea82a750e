//! The path of a failure: the message that was asked for and the names of the fields that lead to the place.

use crate::schema::plan::MessagePlan;
use crate::term::Term;

/// How many names a path has at its two ends. Nesting comes from outside and is of any depth, so the names between are
/// counted only: a path is short, and so is the time to tell it.
const OUTERMOST: usize = 8;
const INNERMOST: usize = 8;

/// A path, to which names are added from the outermost on.
#[derive(Clone, Default)]
pub(crate) struct Path<'p> {
    names: Vec<&'p str>,
    left_out: usize,
}

impl<'p> Path<'p> {
    /// Adds a name.
    pub fn push(&mut self, name: &'p str) {
        if self.names.len() == OUTERMOST + INNERMOST {
            self.names.remove(OUTERMOST);
            self.left_out += 1;
        }
        self.names.push(name);
    }

    /// Adds a field, by its place in the encode table, and if it is a oneof the member of this name.
    pub fn push_field(&mut self, table: &'p MessagePlan, index: usize, member: Term) {
        let member = table.encode.get(index).and_then(|field| table.member(field, member));
        for name in [table.names.get(index), member.map(|member| &member.name)].into_iter().flatten() {
            self.push(&name.text);
        }
    }

    /// The names joined by dots; `a.b...(5 more)...y.z` where some are left out.
    pub fn text(&self) -> String {
        match self.left_out {
            0 => self.names.join("."),
            count => {
                let (outermost, innermost) = self.names.split_at(OUTERMOST);
                format!("{}...({count} more)...{}", outermost.join("."), innermost.join("."))
            }
        }
    }
}
