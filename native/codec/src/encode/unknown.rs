//! Kept unknown fields, written back as they were read: `{Kind, Number, Value}`.

use super::{Encoder, MessageSource, Stop};
use crate::error::EncodeReason;
use crate::term::{Term, TermReader};
use crate::wire::output::TagBytes;
use crate::wire::tag;
use crate::work;

/// A kept group, for the caller to enter.
pub(super) struct Group {
    pub record: Term,
    pub tag: TagBytes,
    /// What comes behind it.
    pub rest: Term,
}

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'_, 't, R, S> {
    /// Writes the fields of a list, up to its end or to a group.
    pub(super) fn unknowns(&mut self, list: Term) -> Result<Option<Group>, Stop> {
        let constants = self.plan.constants;
        let mut list = list;
        while let Some((field, rest)) = self.reader.cell(list) {
            let invalid = || Stop::Invalid(EncodeReason::InvalidUnknown, field);
            self.spend(work::RECORD)?;
            let Some(&[kind, number, value]) = self.reader.tuple(field) else { return Err(invalid()) };
            let number = self.reader.integer(number).and_then(|number| u32::try_from(number).ok());
            let number = number.filter(|number| (1..=tag::MAX_FIELD_NUMBER).contains(number)).ok_or_else(invalid)?;
            let bytes_of = |wire_type| TagBytes::new(tag::make(number, wire_type));
            if kind == constants.group {
                return Ok(Some(Group { record: field, tag: bytes_of(tag::START_GROUP), rest }));
            } else if kind == constants.varint {
                let value = self.reader.unsigned(value).ok_or_else(invalid)?;
                self.output.varint(bytes_of(tag::VARINT), value)?;
            } else if kind == constants.fixed32 {
                let value = self.reader.unsigned(value).and_then(|value| u32::try_from(value).ok());
                self.output.fixed32(bytes_of(tag::FIXED32), value.ok_or_else(invalid)?)?;
            } else if kind == constants.fixed64 {
                self.output.fixed64(bytes_of(tag::FIXED64), self.reader.unsigned(value).ok_or_else(invalid)?)?;
            } else if kind == constants.length_delimited {
                self.bytes(bytes_of(tag::LENGTH_DELIMITED), false, value).map_err(|stop| match stop {
                    Stop::OverBudget | Stop::OutOfMemory => stop,
                    Stop::Invalid(..) => invalid(),
                })?;
            } else {
                return Err(invalid());
            }
            list = rest;
        }
        match list == constants.nil {
            true => Ok(None),
            false => Err(Stop::Invalid(EncodeReason::InvalidUnknown, list)),
        }
    }
}
