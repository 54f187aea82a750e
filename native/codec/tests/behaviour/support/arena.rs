//! Terms as plain Rust values: a word is a small integer, a name, the empty list, or a place in an arena.

use protobuf_codec::Term;
use protobuf_codec::term::{Constants, TermBuilder, TermReader};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use super::value::Value;

/// What the three low bits of a word say; never that the two lowest are 0.
const SMALL: u64 = 1;
const NAME: u64 = 2;
const PLACE: u64 = 3;
const NIL: Term = Term(6);

/// Integers below this, and from its negative on, are in the word.
const SMALL_END: i128 = 1 << 60;

/// The names there are: the same for all arenas, so that a plan goes with any.
#[derive(Default)]
struct Names {
    terms: HashMap<String, Term>,
    texts: Vec<String>,
}

static NAMES: LazyLock<Mutex<Names>> = LazyLock::new(Mutex::default);

/// The term of a name.
pub fn name(text: &str) -> Term {
    let mut names = NAMES.lock().expect("no test panics in here");
    if let Some(term) = names.terms.get(text) {
        return *term;
    }
    let term = Term((names.texts.len() as u64) << 3 | NAME);
    names.terms.insert(text.into(), term);
    names.texts.push(text.into());
    term
}

/// The text of a name.
pub fn text(name: Term) -> String {
    assert_eq!(name.0 & 7, NAME);
    NAMES.lock().expect("no test panics in here").texts[(name.0 >> 3) as usize].clone()
}

/// The terms that the codec asks for.
pub fn constants() -> Constants {
    Constants {
        keys_by_word: false,
        undefined: name("undefined"),
        nil: NIL,
        zero: Term(SMALL),
        true_: name("true"),
        false_: name("false"),
        infinity: name("infinity"),
        negative_infinity: name("-infinity"),
        nan: name("nan"),
        varint: name("varint"),
        fixed32: name("fixed32"),
        fixed64: name("fixed64"),
        length_delimited: name("length_delimited"),
        group: name("group"),
    }
}

enum Content {
    Integer(i128),
    Huge,
    Float(f64),
    Binary(Vec<u8>),
    Tuple(Box<[Term]>),
    Cell(Term, Term),
}

/// Holds what does not fit into a word.
#[derive(Default)]
pub struct Arena {
    contents: Vec<Content>,
    /// How many questions were asked of it as a reader.
    questions: Cell<usize>,
}

impl Arena {
    fn place(&mut self, content: Content) -> Term {
        self.contents.push(content);
        Term((self.contents.len() as u64 - 1) << 3 | PLACE)
    }

    fn content(&self, term: Term) -> Option<&Content> {
        self.questions.set(self.questions.get() + 1);
        (term.0 & 7 == PLACE).then(|| &self.contents[(term.0 >> 3) as usize])
    }

    pub fn questions(&self) -> usize {
        self.questions.get()
    }

    pub fn integer_term(&mut self, value: i128) -> Term {
        match (-SMALL_END..SMALL_END).contains(&value) {
            true => Term((value as i64 as u64) << 3 | SMALL),
            false => self.place(Content::Integer(value)),
        }
    }

    pub fn tuple_term(&mut self, elements: &[Term]) -> Term {
        self.place(Content::Tuple(elements.into()))
    }

    pub fn list_term(&mut self, elements: &[Term], tail: Term) -> Term {
        elements.iter().rfold(tail, |tail, element| self.place(Content::Cell(*element, tail)))
    }

    /// Puts a value in.
    pub fn put(&mut self, value: &Value) -> Term {
        match value {
            Value::Integer(value) => self.integer_term(*value),
            Value::Huge => self.place(Content::Huge),
            Value::Float(value) => self.place(Content::Float(*value)),
            Value::Name(text) => name(text),
            Value::Binary(bytes) => self.place(Content::Binary(bytes.clone())),
            Value::Tuple(elements) => {
                let elements: Vec<Term> = elements.iter().map(|element| self.put(element)).collect();
                self.tuple_term(&elements)
            }
            Value::List(elements, tail) => {
                let tail = tail.as_ref().map_or(NIL, |tail| self.put(tail));
                let elements: Vec<Term> = elements.iter().map(|element| self.put(element)).collect();
                self.list_term(&elements, tail)
            }
        }
    }

    /// The value of a term.
    pub fn value(&self, term: Term) -> Value {
        match (term.0 & 7, self.content(term)) {
            (SMALL, _) => Value::Integer(i128::from(term.0 as i64 >> 3)),
            (NAME, _) => Value::Name(text(term)),
            _ if term == NIL => Value::List(Vec::new(), None),
            (_, Some(Content::Integer(value))) => Value::Integer(*value),
            (_, Some(Content::Huge)) => Value::Huge,
            (_, Some(Content::Float(value))) => Value::Float(*value),
            (_, Some(Content::Binary(bytes))) => Value::Binary(bytes.clone()),
            (_, Some(Content::Tuple(elements))) => Value::Tuple(elements.iter().map(|e| self.value(*e)).collect()),
            (_, Some(Content::Cell(..))) => {
                let mut elements = Vec::new();
                let mut rest = term;
                while let Some((head, tail)) = self.cell(rest) {
                    elements.push(self.value(head));
                    rest = tail;
                }
                Value::List(elements, (rest != NIL).then(|| Box::new(self.value(rest))))
            }
            _ => panic!("{term:?} is no term"),
        }
    }

    fn any_integer(&self, term: Term) -> Option<i128> {
        match self.content(term) {
            None if term.0 & 7 == SMALL => Some(i128::from(term.0 as i64 >> 3)),
            Some(Content::Integer(value)) => Some(*value),
            _ => None,
        }
    }
}

impl<'t> TermReader<'t> for &'t Arena {
    fn integer(&self, term: Term) -> Option<i64> {
        self.any_integer(term)?.try_into().ok()
    }

    fn unsigned(&self, term: Term) -> Option<u64> {
        self.any_integer(term)?.try_into().ok()
    }

    fn is_integer(&self, term: Term) -> bool {
        self.any_integer(term).is_some() || matches!(self.content(term), Some(Content::Huge))
    }

    fn float(&self, term: Term) -> Option<f64> {
        match self.content(term) {
            Some(Content::Float(value)) => Some(*value),
            _ => None,
        }
    }

    fn integer_as_float(&self, term: Term) -> Option<f64> {
        self.any_integer(term).map(|value| value as f64)
    }

    fn binary(&self, term: Term) -> Option<&'t [u8]> {
        let arena: &'t Arena = self;
        match arena.content(term) {
            Some(Content::Binary(bytes)) => Some(bytes),
            _ => None,
        }
    }

    fn tuple(&self, term: Term) -> Option<&'t [Term]> {
        let arena: &'t Arena = self;
        match arena.content(term) {
            Some(Content::Tuple(elements)) => Some(elements),
            _ => None,
        }
    }

    fn cell(&self, term: Term) -> Option<(Term, Term)> {
        Arena::cell(self, term)
    }
}

impl Arena {
    fn cell(&self, term: Term) -> Option<(Term, Term)> {
        match self.content(term) {
            Some(Content::Cell(head, tail)) => Some((*head, *tail)),
            _ => None,
        }
    }
}

/// Builds the terms of a decoding in an arena, and counts them.
pub struct Builder<'i> {
    pub arena: Arena,
    input: &'i [u8],
    /// How many terms were asked for, with the elements of tuples and lists.
    pub made: usize,
}

impl<'i> Builder<'i> {
    pub fn new(input: &'i [u8]) -> Builder<'i> {
        Builder { arena: Arena::default(), input, made: 0 }
    }
}

impl TermBuilder for Builder<'_> {
    fn integer(&mut self, value: i64) -> Term {
        self.made += 1;
        self.arena.integer_term(i128::from(value))
    }

    fn unsigned(&mut self, value: u64) -> Term {
        self.made += 1;
        self.arena.integer_term(i128::from(value))
    }

    fn float(&mut self, value: f64) -> Term {
        assert!(value.is_finite());
        self.made += 1;
        self.arena.place(Content::Float(value))
    }

    fn binary(&mut self, start: usize, len: usize) -> Term {
        self.made += 1;
        self.arena.place(Content::Binary(self.input[start..start + len].into()))
    }

    fn empty_binary(&mut self) -> Term {
        self.made += 1;
        self.arena.place(Content::Binary(Vec::new()))
    }

    fn zero_float(&mut self) -> Term {
        self.made += 1;
        self.arena.place(Content::Float(0.0))
    }

    fn tuple(&mut self, elements: &[Term]) -> Term {
        self.made += 1 + elements.len();
        assert!(elements.iter().all(|element| element.0 & 3 != 0), "a mark of the decoder's in a tuple");
        self.arena.tuple_term(elements)
    }

    fn list(&mut self, elements: &[Term], tail: Term) -> Term {
        self.made += 1 + elements.len();
        assert!(elements.iter().chain([&tail]).all(|term| term.0 & 3 != 0), "a mark of the decoder's in a list");
        self.arena.list_term(elements, tail)
    }
}
