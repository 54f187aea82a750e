//! Reading messages that are records but not quite, for the encoder.

use protobuf_codec::Term;
use protobuf_codec::encode::{FieldTerms, MessageSource, Records, Refusal};
use protobuf_codec::memory::OutOfMemory;
use protobuf_codec::schema::Plan;
use protobuf_codec::schema::plan::{MessagePlan, Shape};
use rustler::sys::ErlNifEnv;

use super::maps::elements;
use crate::atoms::atoms;
use crate::beam::BeamReader;

/// Records with maps for map fields, or without what is required.
pub struct LooseRecords {
    env: *mut ErlNifEnv,
    /// Whether map fields are maps.
    map_fields_as_maps: bool,
    /// Whether required fields may be absent, which then are not written.
    partial: bool,
}

/// Their fields.
#[derive(Clone, Copy)]
pub struct LooseFields<'t, 's> {
    fields: &'t [Term],
    /// What stands for nothing to write, where absent fields are to be taken for that.
    absent: Option<&'s [Term]>,
}

impl FieldTerms for LooseFields<'_, '_> {
    fn count(self) -> usize {
        self.fields.len()
    }

    fn first(self, len: usize) -> Self {
        LooseFields { fields: &self.fields[..len], ..self }
    }

    fn at(self, index: usize) -> Term {
        let term = self.fields[index];
        match self.absent {
            Some(absent) if term == atoms().undefined => absent[index],
            _ => term,
        }
    }
}

impl LooseRecords {
    /// A source for the duration of a call.
    pub fn new(env: *mut ErlNifEnv, map_fields_as_maps: bool, partial: bool) -> LooseRecords {
        LooseRecords { env, map_fields_as_maps, partial }
    }
}

impl<'t> MessageSource<'t, BeamReader> for LooseRecords {
    type Message = &'t [Term];
    type Fields<'s> = LooseFields<'t, 's>;

    fn open(&self, reader: &BeamReader, message: &MessagePlan, term: Term) -> Result<&'t [Term], Refusal> {
        Records.open(reader, message, term)
    }

    fn fields<'s>(&'s self, record: &'t [Term], message: &'s MessagePlan) -> LooseFields<'t, 's> {
        let fields = MessageSource::<BeamReader>::fields(&Records, record, message);
        let partial = self.partial && matches!(message.shape, Shape::Record(_));
        LooseFields { fields, absent: partial.then_some(&*message.absent) }
    }

    fn close(&self, _record: &'t [Term]) {}

    fn elements(
        &self,
        _reader: &BeamReader,
        plan: &Plan,
        message: u32,
        term: Term,
        budget: &mut usize,
    ) -> Result<Option<Term>, OutOfMemory> {
        match self.map_fields_as_maps {
            true => elements(self.env, plan, message, term, budget),
            false => Ok(Some(term)),
        }
    }
}
