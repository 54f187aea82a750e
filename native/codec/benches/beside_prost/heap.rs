//! Terms as words in one vector, as the BEAM has them on a heap: what a term layer costs at the least.

use protobuf_codec::Term;
use protobuf_codec::term::{TermBuilder, TermReader};

/// What the three low bits of a word say; never that the two lowest are 0. Names and the empty list are those of the tests'
/// terms, as are small integers.
const SMALL: u64 = 1;
const CELL: u64 = 3;
const TUPLE: u64 = 5;
const BINARY: u64 = 7;
/// An integer beyond a word, also a float. The empty list is the same with place 0, where the heap has nothing.
const WHOLE: u64 = 6;

/// Holds tuples, cells and what is longer than a word. Binaries refer to the input.
pub struct Heap<'i> {
    pub words: Vec<Term>,
    pub input: &'i [u8],
}

impl Heap<'_> {
    /// Forgets all terms.
    pub fn clear(&mut self) {
        self.words.clear();
        self.words.push(Term::NONE);
    }

    fn whole(&mut self, word: u64) -> Term {
        let term = self.place(WHOLE);
        self.words.push(Term(word));
        term
    }

    fn place(&self, kind: u64) -> Term {
        Term((self.words.len() as u64) << 3 | kind)
    }
}

fn at(term: Term) -> usize {
    (term.0 >> 3) as usize
}

impl TermBuilder for Heap<'_> {
    #[inline(always)]
    fn integer(&mut self, value: i64) -> Term {
        if value << 3 >> 3 == value { Term((value as u64) << 3 | SMALL) } else { self.whole(value as u64) }
    }

    #[inline(always)]
    fn unsigned(&mut self, value: u64) -> Term {
        if value >> 60 == 0 { Term(value << 3 | SMALL) } else { self.whole(value) }
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Term {
        self.whole(value.to_bits())
    }

    #[inline(always)]
    fn binary(&mut self, start: usize, len: usize) -> Term {
        let term = self.place(BINARY);
        self.words.extend([Term(start as u64), Term(len as u64)]);
        term
    }

    #[inline(always)]
    fn empty_binary(&mut self) -> Term {
        self.binary(0, 0)
    }

    #[inline(always)]
    fn zero_float(&mut self) -> Term {
        self.float(0.0)
    }

    #[inline(always)]
    fn tuple(&mut self, elements: &[Term]) -> Term {
        let term = self.place(TUPLE);
        self.words.push(Term(elements.len() as u64));
        self.words.extend_from_slice(elements);
        term
    }

    #[inline(always)]
    fn list(&mut self, elements: &[Term], tail: Term) -> Term {
        elements.iter().rfold(tail, |tail, element| {
            let term = self.place(CELL);
            self.words.extend([*element, tail]);
            term
        })
    }
}

impl<'t> TermReader<'t> for &'t Heap<'t> {
    #[inline(always)]
    fn integer(&self, term: Term) -> Option<i64> {
        match term.0 & 7 {
            SMALL => Some(term.0 as i64 >> 3),
            WHOLE if at(term) > 0 => Some(self.words[at(term)].0 as i64),
            _ => None,
        }
    }

    #[inline(always)]
    fn unsigned(&self, term: Term) -> Option<u64> {
        self.integer(term).map(|value| value as u64)
    }

    fn is_integer(&self, term: Term) -> bool {
        self.integer(term).is_some()
    }

    #[inline(always)]
    fn float(&self, term: Term) -> Option<f64> {
        (term.0 & 7 == WHOLE).then(|| f64::from_bits(self.words[at(term)].0))
    }

    fn integer_as_float(&self, _: Term) -> Option<f64> {
        None
    }

    #[inline(always)]
    fn binary(&self, term: Term) -> Option<&'t [u8]> {
        let heap: &'t Heap = self;
        (term.0 & 7 == BINARY).then(|| {
            let (start, len) = (heap.words[at(term)].0 as usize, heap.words[at(term) + 1].0 as usize);
            &heap.input[start..start + len]
        })
    }

    #[inline(always)]
    fn tuple(&self, term: Term) -> Option<&'t [Term]> {
        let heap: &'t Heap = self;
        (term.0 & 7 == TUPLE).then(|| {
            let len = heap.words[at(term)].0 as usize;
            &heap.words[at(term) + 1..][..len]
        })
    }

    #[inline(always)]
    fn cell(&self, term: Term) -> Option<(Term, Term)> {
        (term.0 & 7 == CELL).then(|| (self.words[at(term)], self.words[at(term) + 1]))
    }
}
