//! What the engines ask of the terms they read and build.

use crate::memory::OutOfMemory;
use crate::schema::Plan;
use crate::schema::plan::MessagePlan;

/// A term as one opaque word, as the term layer hands it out. Equal words are equal terms for names, small integers
/// and the empty list; for other terms nothing follows from the word.
///
/// The engines use words whose two low bits are 0 for their own marks, so no term may look like that. (On the BEAM
/// these are the words of headers, which never stand for a term.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Term(pub u64);

impl Term {
    /// No term at all.
    pub const NONE: Term = Term(0);

    /// The mark of a record that is still being filled.
    pub(crate) fn pending(index: usize) -> Term {
        Term(((index as u64) << 3) | 4)
    }

    /// The index a [`Term::pending`] mark was made from.
    pub(crate) fn pending_index(self) -> Option<usize> {
        (self.0 & 7 == 4).then_some((self.0 >> 3) as usize)
    }
}

/// The names and values the engines need as terms of their own.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Whether maps have their keys in the order of the words that names are, and not in that of their texts.
    pub keys_by_word: bool,
    /// An absent value.
    pub undefined: Term,
    /// The empty list.
    pub nil: Term,
    /// The integer 0.
    pub zero: Term,
    /// The boolean true.
    pub true_: Term,
    /// The boolean false.
    pub false_: Term,
    /// Positive infinity.
    pub infinity: Term,
    /// Negative infinity.
    pub negative_infinity: Term,
    /// Not a number.
    pub nan: Term,
    /// Tag of a kept unknown varint.
    pub varint: Term,
    /// Tag of a kept unknown 32-bit field.
    pub fixed32: Term,
    /// Tag of a kept unknown 64-bit field.
    pub fixed64: Term,
    /// Tag of a kept unknown length-delimited field.
    pub length_delimited: Term,
    /// Tag of a kept unknown group.
    pub group: Term,
}

/// Reads terms. `'t` is how long borrowed contents live: at least for the call.
pub trait TermReader<'t> {
    /// The value of an integer from -2^63 to 2^63-1.
    fn integer(&self, term: Term) -> Option<i64>;
    /// The value of an integer from 0 to 2^64-1.
    fn unsigned(&self, term: Term) -> Option<u64>;
    /// Whether the term is an integer, of any size.
    fn is_integer(&self, term: Term) -> bool;
    /// The value of a float.
    fn float(&self, term: Term) -> Option<f64>;
    /// An integer beyond 64 bits as the nearest double, if it is in a double's range.
    fn integer_as_float(&self, term: Term) -> Option<f64>;
    /// The octets of a binary, where they lie in memory as they are.
    fn binary(&self, term: Term) -> Option<&'t [u8]>;
    /// How long a binary is whose octets have to be copied to be read, as far as that can be told without.
    fn copied_len(&self, _term: Term) -> Option<usize> {
        None
    }
    /// The octets of a binary, copied if they have to be.
    fn copied_binary(&self, _term: Term) -> Option<&'t [u8]> {
        None
    }
    /// The elements of a tuple.
    fn tuple(&self, term: Term) -> Option<&'t [Term]>;
    /// Head and tail of a list cell; nothing for the empty list and for what is no list.
    fn cell(&self, term: Term) -> Option<(Term, Term)>;

    /// Copies the integers that a list begins with to `octets`, as long as they are from 0 to `max` and there is room;
    /// gives how many there were and the rest of the list.
    fn octets(&self, list: Term, max: u8, octets: &mut [u8]) -> (usize, Term) {
        octets_by_cells(self, list, max, octets)
    }
}

/// [`TermReader::octets`], cell by cell.
pub fn octets_by_cells<'t, R: TermReader<'t> + ?Sized>(
    reader: &R,
    list: Term,
    max: u8,
    octets: &mut [u8],
) -> (usize, Term) {
    let mut rest = list;
    for (index, octet) in octets.iter_mut().enumerate() {
        match reader.cell(rest).map(|(head, tail)| (reader.integer(head), tail)) {
            Some((Some(value), tail)) if (0..=i64::from(max)).contains(&value) => {
                *octet = value as u8;
                rest = tail;
            }
            _ => return (index, rest),
        }
    }
    (octets.len(), rest)
}

/// A field that a message lacks, by its place in the encode table.
pub struct MissingField(pub u32);

/// Builds terms.
pub trait TermBuilder {
    /// How much more making a message takes than making a record.
    const WORK_FACTOR: usize = 1;

    /// An integer.
    fn integer(&mut self, value: i64) -> Term;
    /// An integer from 0 to 2^64-1.
    fn unsigned(&mut self, value: u64) -> Term;
    /// A finite float.
    fn float(&mut self, value: f64) -> Term;
    /// A binary with the octets of the input from `start` on, `len` of them. The engine has checked the range.
    fn binary(&mut self, start: usize, len: usize) -> Term;
    /// The empty binary; builders may share one.
    fn empty_binary(&mut self) -> Term;
    /// The float 0.0; builders may share one.
    fn zero_float(&mut self) -> Term;
    /// A tuple of these elements.
    fn tuple(&mut self, elements: &[Term]) -> Term;
    /// A list of these elements, ending in `tail`.
    fn list(&mut self, elements: &[Term], tail: Term) -> Term;

    /// What stands for a message, an unknown group or the entry of a map: a tuple of these elements, if nothing else is
    /// said.
    #[inline(always)]
    fn message(&mut self, _plan: &Plan, _message: &MessagePlan, elements: &[Term]) -> Result<Term, MissingField> {
        Ok(self.tuple(elements))
    }
    /// A map of these entries, whose keys all differ; a list, if nothing else is said.
    #[inline(always)]
    fn map(&mut self, entries: &[Term], nil: Term) -> Result<Term, OutOfMemory> {
        Ok(self.list(entries, nil))
    }
    /// Whether unknown fields are kept where the message has a place for them.
    #[inline(always)]
    fn keeps_unknowns(&self) -> bool {
        true
    }
    /// Whether every string must be UTF-8.
    #[inline(always)]
    fn checks_utf8(&self) -> bool {
        false
    }
}
