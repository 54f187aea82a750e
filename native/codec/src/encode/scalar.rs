//! Scalar values (protobuf encoding specification, "Message Structure").

use super::{Encoder, MessageSource, Stop};
use crate::error::EncodeReason as Reason;
use crate::schema::Scalar;
use crate::schema::plan::Kind;
use crate::term::{Term, TermReader};
use crate::wire::output::TagBytes;
use crate::wire::varint::zigzag_encode;
use crate::work;

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'_, 't, R, S> {
    /// Writes a tag and a value; with `implicit` nothing where the value is its type's default. `index` is that of an
    /// enum.
    #[inline(always)]
    pub(super) fn value(
        &mut self,
        kind: Kind,
        index: u32,
        tag: TagBytes,
        implicit: bool,
        term: Term,
    ) -> Result<(), Stop> {
        match kind {
            // A negative value goes out as the 64-bit one, in ten bytes.
            Kind::Int32 => self.varint(tag, implicit, self.ranged::<i32>(Scalar::Int32, term)? as u64),
            Kind::Int64 => self.varint(tag, implicit, self.signed(Scalar::Int64, term)? as u64),
            Kind::Uint32 => self.varint(tag, implicit, self.ranged::<u32>(Scalar::Uint32, term)? as u64),
            Kind::Uint64 => self.varint(tag, implicit, self.unsigned(Scalar::Uint64, term)?),
            Kind::Sint32 => self.varint(tag, implicit, zigzag_encode(self.ranged::<i32>(Scalar::Sint32, term)?)),
            Kind::Sint64 => self.varint(tag, implicit, zigzag_encode(self.signed(Scalar::Sint64, term)?)),
            Kind::Bool => self.varint(tag, implicit, u64::from(self.boolean(term)?)),
            Kind::Fixed32 => self.fixed32(tag, implicit, self.ranged::<u32>(Scalar::Fixed32, term)? as u32),
            Kind::Sfixed32 => self.fixed32(tag, implicit, self.ranged::<i32>(Scalar::Sfixed32, term)? as u32),
            // -0.0 is not the default: compared by its bits. A double beyond the range becomes infinity.
            Kind::Float => {
                let value = self.float(Reason::BadFloat, term)? as f32;
                self.fixed32(tag, implicit, value.to_bits())
            }
            Kind::Fixed64 => self.fixed64(tag, implicit, self.unsigned(Scalar::Fixed64, term)?),
            Kind::Sfixed64 => self.fixed64(tag, implicit, self.signed(Scalar::Sfixed64, term)? as u64),
            Kind::Double => {
                let value = self.float(Reason::BadDouble, term)?;
                self.fixed64(tag, implicit, value.to_bits())
            }
            Kind::String => self.string(tag, implicit, term),
            Kind::Utf8String => self.utf8_string(tag, implicit, term),
            Kind::Bytes => self.bytes(tag, implicit, term),
            Kind::Enum => self.symbol(index, tag, implicit, term),
            // Of several values, or of fields: not for here.
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn varint(&mut self, tag: TagBytes, implicit: bool, value: u64) -> Result<(), Stop> {
        if !implicit || value != 0 {
            self.output.varint(tag, value)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn fixed32(&mut self, tag: TagBytes, implicit: bool, value: u32) -> Result<(), Stop> {
        if !implicit || value != 0 {
            self.output.fixed32(tag, value)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn fixed64(&mut self, tag: TagBytes, implicit: bool, value: u64) -> Result<(), Stop> {
        if !implicit || value != 0 {
            self.output.fixed64(tag, value)?;
        }
        Ok(())
    }

    /// The value of an integer of up to 32 bits.
    #[inline(always)]
    fn ranged<T: TryFrom<i64>>(&self, scalar: Scalar, term: Term) -> Result<i64, Stop> {
        match self.reader.integer(term) {
            Some(value) if T::try_from(value).is_ok() => Ok(value),
            _ => Err(self.bad_integer(scalar, term)),
        }
    }

    #[inline(always)]
    fn signed(&self, scalar: Scalar, term: Term) -> Result<i64, Stop> {
        self.reader.integer(term).ok_or_else(|| self.bad_integer(scalar, term))
    }

    #[inline(always)]
    fn unsigned(&self, scalar: Scalar, term: Term) -> Result<u64, Stop> {
        self.reader.unsigned(term).ok_or_else(|| self.bad_integer(scalar, term))
    }

    #[cold]
    fn bad_integer(&self, scalar: Scalar, term: Term) -> Stop {
        let reason = match self.reader.is_integer(term) {
            true => Reason::OutOfRange(scalar),
            false => Reason::BadInteger(scalar),
        };
        Stop::Invalid(reason, term)
    }

    #[inline(always)]
    fn boolean(&self, term: Term) -> Result<bool, Stop> {
        let constants = &self.plan.constants;
        if term == constants.true_ {
            Ok(true)
        } else if term == constants.false_ {
            Ok(false)
        } else {
            match self.reader.integer(term) {
                Some(value @ 0..=1) => Ok(value == 1),
                _ => Err(Stop::Invalid(Reason::BadBoolean, term)),
            }
        }
    }

    #[inline(always)]
    fn float(&mut self, wrong: Reason, term: Term) -> Result<f64, Stop> {
        match self.reader.float(term) {
            Some(value) => Ok(value),
            None => self.float_otherwise(wrong, term),
        }
    }

    fn float_otherwise(&mut self, wrong: Reason, term: Term) -> Result<f64, Stop> {
        let constants = &self.plan.constants;
        if term == constants.infinity {
            Ok(f64::INFINITY)
        } else if term == constants.negative_infinity {
            Ok(f64::NEG_INFINITY)
        } else if term == constants.nan {
            Ok(f64::NAN)
        } else if let Some(value) = self.reader.integer(term) {
            Ok(value as f64)
        } else if let Some(value) = self.reader.unsigned(term) {
            Ok(value as f64)
        } else {
            self.spend(work::BIG_INTEGER)?;
            self.reader.integer_as_float(term).ok_or(Stop::Invalid(wrong, term))
        }
    }

    #[inline(always)]
    fn symbol(&mut self, index: u32, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        let plan = self.plan;
        let table = &plan.enums[index as usize];
        let number = match table.number(term) {
            Some(number) => number,
            None => match self.reader.integer(term).map(i32::try_from) {
                Some(Ok(number)) => number,
                _ => return Err(Stop::Invalid(Reason::InvalidEnum(table.name), term)),
            },
        };
        self.varint(tag, implicit, i64::from(number) as u64)
    }
}
