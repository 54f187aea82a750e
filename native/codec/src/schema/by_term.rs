//! Tables by term: for what records name, symbols of an enum and members of a oneof.

use rustc_hash::FxHashMap;

use crate::term::Term;

/// Values by term, which are found in a time that does not grow with their number.
pub struct ByTerm<V> {
    /// In the order of the definitions.
    entries: Box<[(Term, V)]>,
    /// Where each term's entry is, if there are many; few are searched one by one.
    places: FxHashMap<Term, u32>,
}

/// Up to this many terms are searched one by one, which is then faster.
const FEW: usize = 8;

impl<V> ByTerm<V> {
    /// A table of these entries, whose terms all differ.
    pub(super) fn new(entries: Vec<(Term, V)>) -> ByTerm<V> {
        let places = match entries.len() {
            0..=FEW => FxHashMap::default(),
            _ => (0..).zip(&entries).map(|(place, (term, _))| (*term, place)).collect(),
        };
        ByTerm { entries: entries.into(), places }
    }

    /// All terms with their values, in the order of the definitions.
    pub fn entries(&self) -> &[(Term, V)] {
        &self.entries
    }

    /// The value of this term.
    #[inline]
    pub fn get(&self, term: Term) -> Option<&V> {
        let entry = match self.places.is_empty() {
            true => self.entries.iter().find(|(known, _)| *known == term),
            false => self.entries.get(*self.places.get(&term)? as usize),
        };
        entry.map(|(_, value)| value)
    }
}
