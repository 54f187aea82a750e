//! Tables by term: for what records name, symbols of an enum and members of a oneof.

use rustc_hash::FxHashMap;

use crate::term::Term;

/// Values by term, which are found in a time that does not grow with their number.
pub enum ByTerm<V> {
    /// To be searched one by one.
    Few(Box<[(Term, V)]>),
    /// By hash.
    Many(FxHashMap<Term, V>),
}

/// Up to this many terms are searched one by one, which is then faster.
const FEW: usize = 8;

impl<V> ByTerm<V> {
    /// A table of these entries. Of those of one term the first stands.
    pub(super) fn new(entries: Vec<(Term, V)>) -> ByTerm<V> {
        if entries.len() <= FEW {
            return ByTerm::Few(entries.into());
        }
        let mut many = FxHashMap::default();
        for (term, value) in entries {
            many.entry(term).or_insert(value);
        }
        ByTerm::Many(many)
    }

    /// The value of this term.
    #[inline]
    pub fn get(&self, term: Term) -> Option<&V> {
        match self {
            ByTerm::Few(entries) => entries.iter().find(|(known, _)| *known == term).map(|(_, value)| value),
            ByTerm::Many(entries) => entries.get(&term),
        }
    }
}
