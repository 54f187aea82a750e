//! Writing the value of one field, behind what was written before.

use super::{Encoder, MessageSource, Outcome, Scratch, Stop, encode_with};
use crate::StringOptions;
use crate::error::EncodeError;
use crate::path::Path;
use crate::schema::Plan;
use crate::schema::plan::{EncodeField, Kind, UNKNOWN_GROUP};
use crate::term::{Term, TermReader};
use crate::wire::output::TagBytes;
use crate::wire::tag;

/// Writes a value as that of a field of the message with this index in the plan, to the end of `scratch.output`. `path`
/// leads to the field, for errors.
#[allow(clippy::too_many_arguments)] // Those of `encode_from`, and two.
pub(crate) fn encode_field<'t, R: TermReader<'t>, S: MessageSource<'t, R>>(
    plan: &Plan,
    message: u32,
    field: &EncodeField,
    value: Term,
    options: StringOptions,
    budget: &mut usize,
    reader: &R,
    source: &S,
    path: &Path,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<EncodeError>> {
    let write = |encoder: &mut Encoder<'_, 't, R, S>| encoder.alone(message, field, value);
    encode_with(plan, options, budget, reader, source, scratch, write, |encoder| encoder.path_behind(path.clone()))
}

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'_, 't, R, S> {
    fn alone(&mut self, message: u32, field: &EncodeField, value: Term) -> Result<(), Stop> {
        let plan = self.plan;
        match field.kind {
            Kind::Message => self.message(field, value),
            Kind::Messages => self.messages(field, value),
            Kind::Packed => {
                // As elsewhere, nothing is written for no elements.
                if value == plan.constants.nil {
                    return Ok(());
                }
                let length = self.output.begin_length(field.tag)?;
                self.repeated(field, TagBytes::NONE, value)?;
                Ok(self.output.end_length(length)?)
            }
            Kind::Repeated => self.repeated(field, field.tag, value),
            Kind::Oneof => match self.oneof(&plan.messages[message as usize], field, value)? {
                Some((member, value)) => self.message(member, value),
                None => Ok(()),
            },
            Kind::SetItem => {
                self.output.tag(field.tag)?;
                let length = self.output.begin_length(TagBytes::new(tag::SET_MESSAGE))?;
                self.run(field.index, value)?;
                self.output.end_length(length)?;
                Ok(self.output.tag(TagBytes::new(tag::end_of(tag::SET_ITEM)))?)
            }
            Kind::Unknowns => {
                let mut list = value;
                while let Some(group) = self.unknowns(list)? {
                    self.output.tag(group.tag)?;
                    self.run(UNKNOWN_GROUP, group.record)?;
                    self.output.tag(group.tag.end_of_group())?;
                    list = group.rest;
                }
                Ok(())
            }
            kind => self.value(kind, field.index, field.tag, field.implicit, value),
        }
    }

    fn message(&mut self, field: &EncodeField, value: Term) -> Result<(), Stop> {
        let close = self.begin(field)?;
        self.run(field.index, value)?;
        Ok(self.end(close)?)
    }

    fn messages(&mut self, field: &EncodeField, value: Term) -> Result<(), Stop> {
        let list = self.source.elements(self.reader, self.plan, field.index, value, &mut self.budget);
        let mut list = list?.ok_or(Stop::OverBudget)?;
        while let Some((head, tail)) = self.reader.cell(list) {
            self.message(field, head)?;
            list = tail;
        }
        match list == self.plan.constants.nil {
            true => Ok(()),
            false => Err(Stop::Invalid(self.not_a_list(field.index), value)),
        }
    }
}
