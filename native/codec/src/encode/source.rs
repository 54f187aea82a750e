//! How the encoder finds the fields of a message: in a record, or in whatever else a message may look like.

use crate::error::EncodeReason;
use crate::memory::OutOfMemory;
use crate::schema::Plan;
use crate::schema::plan::{MessagePlan, Shape};
use crate::term::{Term, TermReader};

/// What messages look like. The encoder is compiled for each kind, so that records cost nothing for there being others.
pub trait MessageSource<'t, R: TermReader<'t>> {
    /// A message that is being read.
    type Message: Copy;
    /// Its fields.
    type Fields<'s>: FieldTerms
    where
        Self: 's;

    /// How much more reading a message takes than reading a record of as many fields.
    const WORK_FACTOR: usize = 1;

    /// From which length on binaries are not copied to the output, which refers to them.
    const REFERRED_FROM: Option<usize> = None;

    /// Begins to read a message.
    fn open(&self, reader: &R, table: &MessagePlan, term: Term) -> Result<Self::Message, Refusal>;

    /// The fields of a message that was opened.
    fn fields<'s>(&'s self, message: Self::Message, table: &'s MessagePlan) -> Self::Fields<'s>;

    /// Whether a field with this value is not written: where the value is what stands for that, in the plan.
    #[inline(always)]
    fn is_absent(&self, value: Term, absent: Term) -> bool {
        value == absent
    }

    /// Ends the message that was opened last.
    fn close(&self, message: Self::Message);

    /// The elements of a field that holds several of the message with this index in the plan, as a list. (Of what is none
    /// it gives anything that is no list.) What making it costs is taken off the budget before: nothing where that does not
    /// suffice.
    fn elements(
        &self,
        reader: &R,
        plan: &Plan,
        message: u32,
        term: Term,
        budget: &mut usize,
    ) -> Result<Option<Term>, OutOfMemory>;
}

/// Why a message cannot be read.
pub enum Refusal {
    /// What is wrong, and with which term.
    Invalid(EncodeReason, Term),
    /// There is no memory left for it.
    OutOfMemory,
}

/// The values of fields, in the order of the record.
pub trait FieldTerms: Copy {
    /// How many there are.
    fn count(self) -> usize;
    /// The first `len` of them.
    fn first(self, len: usize) -> Self;
    /// The value at this place.
    fn at(self, index: usize) -> Term;
}

impl FieldTerms for &[Term] {
    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn first(self, len: usize) -> Self {
        &self[..len]
    }

    #[inline(always)]
    fn at(self, index: usize) -> Term {
        self[index]
    }
}

/// Messages are records: tuples of their name and their fields.
pub struct Records;

impl<'t, R: TermReader<'t>> MessageSource<'t, R> for Records {
    type Message = &'t [Term];
    type Fields<'s> = &'t [Term];

    #[inline(always)]
    fn open(&self, reader: &R, table: &MessagePlan, term: Term) -> Result<&'t [Term], Refusal> {
        let record = reader.tuple(term).filter(|record| record.len() == table.template.len());
        match (table.shape, record) {
            (Shape::Record(_), Some(record)) if record.first() == Some(&table.name.term) => Ok(record),
            (Shape::Entry(_) | Shape::UnknownGroup, Some(record)) => Ok(record),
            _ => Err(Refusal::Invalid(not_one(table), term)),
        }
    }

    #[inline(always)]
    fn fields<'s>(&'s self, record: &'t [Term], table: &'s MessagePlan) -> &'t [Term] {
        record.get(table.first_slot..).unwrap_or_default()
    }

    #[inline(always)]
    fn close(&self, _record: &'t [Term]) {}

    #[inline(always)]
    fn elements(
        &self,
        _reader: &R,
        _plan: &Plan,
        _message: u32,
        term: Term,
        _budget: &mut usize,
    ) -> Result<Option<Term>, OutOfMemory> {
        Ok(Some(term))
    }
}

/// Messages as `S` has them, whose large binaries the output refers to.
pub struct Referring<S>(pub S);

/// Referring to a binary takes longer than copying one of less than this. (Half of it is where both are even.)
const LARGE: usize = 1024;

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> MessageSource<'t, R> for Referring<S> {
    type Message = S::Message;
    type Fields<'s>
        = S::Fields<'s>
    where
        Self: 's;

    const WORK_FACTOR: usize = S::WORK_FACTOR;
    const REFERRED_FROM: Option<usize> = Some(LARGE);

    fn open(&self, reader: &R, table: &MessagePlan, term: Term) -> Result<S::Message, Refusal> {
        self.0.open(reader, table, term)
    }

    fn fields<'s>(&'s self, message: S::Message, table: &'s MessagePlan) -> S::Fields<'s> {
        self.0.fields(message, table)
    }

    fn is_absent(&self, value: Term, absent: Term) -> bool {
        self.0.is_absent(value, absent)
    }

    fn close(&self, message: S::Message) {
        self.0.close(message);
    }

    fn elements(
        &self,
        reader: &R,
        plan: &Plan,
        message: u32,
        term: Term,
        budget: &mut usize,
    ) -> Result<Option<Term>, OutOfMemory> {
        self.0.elements(reader, plan, message, term, budget)
    }
}

/// What a term is not that should be the record, the entry or the group that a table is for.
#[cold]
pub fn not_one(table: &MessagePlan) -> EncodeReason {
    match table.shape {
        Shape::Record(_) => EncodeReason::ExpectedMessage(table.name.term, table.template.len() as u32),
        Shape::Entry(_) => EncodeReason::InvalidMapEntry,
        Shape::UnknownGroup => EncodeReason::InvalidUnknown,
    }
}
