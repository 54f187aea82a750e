//! Scalar values and packed blocks (protobuf encoding specification, "Message Structure" and "Packed Repeated Fields").

use super::{Decoder, Stop};
use crate::error::DecodeReason;
use crate::memory::TryGrow;
use crate::schema::plan::{DecodeAction, Kind};
use crate::term::{Term, TermBuilder};
use crate::wire::varint::{Several, zigzag_decode};
use crate::wire::{skip, utf8, varint};
use crate::work;

/// The `N` bytes at `*pos`.
#[inline(always)]
pub(super) fn fixed<const N: usize>(data: &[u8], pos: &mut usize) -> Result<[u8; N], DecodeReason> {
    let bytes = data.get(*pos..).and_then(|rest| rest.first_chunk::<N>()).ok_or(DecodeReason::Truncated)?;
    *pos += N;
    Ok(*bytes)
}

impl<B: TermBuilder> Decoder<'_, B> {
    /// The value at `*pos`.
    #[inline(always)]
    pub(super) fn value(&mut self, kind: Kind, index: u32, data: &[u8], pos: &mut usize) -> Result<Term, Stop> {
        Ok(match kind {
            // The low 32 bits of a longer varint.
            Kind::Int32 => self.builder.integer(i64::from(varint::read(data, pos)? as i32)),
            Kind::Int64 => self.builder.integer(varint::read(data, pos)? as i64),
            Kind::Uint32 => self.builder.integer(i64::from(varint::read(data, pos)? as u32)),
            Kind::Uint64 => self.builder.unsigned(varint::read(data, pos)?),
            Kind::Sint32 => {
                let value = u64::from(varint::read(data, pos)? as u32);
                self.builder.integer(zigzag_decode(value))
            }
            Kind::Sint64 => self.builder.integer(zigzag_decode(varint::read(data, pos)?)),
            Kind::Bool => self.boolean(varint::read(data, pos)?),
            Kind::Fixed32 => self.builder.integer(i64::from(u32::from_le_bytes(fixed(data, pos)?))),
            Kind::Sfixed32 => self.builder.integer(i64::from(i32::from_le_bytes(fixed(data, pos)?))),
            Kind::Float => self.float(f64::from(f32::from_le_bytes(fixed(data, pos)?))),
            Kind::Fixed64 => self.builder.unsigned(u64::from_le_bytes(fixed(data, pos)?)),
            Kind::Sfixed64 => self.builder.integer(i64::from_le_bytes(fixed(data, pos)?)),
            Kind::Double => self.float(f64::from_le_bytes(fixed(data, pos)?)),
            Kind::String => {
                if self.builder.checks_utf8() {
                    let (term, end) = self.utf8_string(data, *pos)?;
                    *pos = end;
                    return Ok(term);
                }
                let end = skip::payload_end(data, pos)?;
                let start = std::mem::replace(pos, end);
                match self.options.strings.string_as_list {
                    false => {
                        self.spend(work::BINARY)?;
                        self.builder.binary(start, end - start)
                    }
                    true => {
                        self.spend(work::BINARY + (end - start))?;
                        self.characters(&data[start..end])?
                    }
                }
            }
            Kind::Bytes => {
                let end = skip::payload_end(data, pos)?;
                let start = std::mem::replace(pos, end);
                self.spend(work::BINARY)?;
                self.builder.binary(start, end - start)
            }
            Kind::Enum => {
                let number = varint::read(data, pos)?;
                self.symbol(index, number)
            }
            // Of several values, or of fields: not for here.
            _ => self.plan.constants.undefined,
        })
    }

    /// The value at `pos` that is an element, a member or a key, and where it ends.
    #[inline(never)]
    pub(super) fn value_at(
        &mut self,
        action: &DecodeAction,
        data: &[u8],
        mut pos: usize,
    ) -> Result<(Term, usize), Stop> {
        let term = self.value(action.element, action.index, data, &mut pos)?;
        Ok((term, pos))
    }

    #[inline(always)]
    fn boolean(&self, value: u64) -> Term {
        if value != 0 { self.plan.constants.true_ } else { self.plan.constants.false_ }
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Term {
        let constants = &self.plan.constants;
        if value.is_finite() {
            self.builder.float(value)
        } else if value.is_nan() {
            constants.nan
        } else if value > 0.0 {
            constants.infinity
        } else {
            constants.negative_infinity
        }
    }

    #[inline(always)]
    fn symbol(&mut self, index: u32, value: u64) -> Term {
        let number = value as i32;
        match self.plan.enums[index as usize].symbol(number) {
            Some(symbol) => symbol,
            None => self.builder.integer(i64::from(number)),
        }
    }

    /// The string at `pos` that must be UTF-8, and where it ends.
    #[inline(never)]
    pub(super) fn utf8_string(&mut self, data: &[u8], mut pos: usize) -> Result<(Term, usize), Stop> {
        let end = skip::payload_end(data, &mut pos)?;
        let bytes = &data[pos..end];
        self.spend(work::binary(bytes.len()))?;
        if std::str::from_utf8(bytes).is_err() {
            return Err(DecodeReason::InvalidUtf8.into());
        }
        if !self.options.strings.string_as_list {
            return Ok((self.builder.binary(pos, bytes.len()), end));
        }
        self.spend(bytes.len())?;
        Ok((self.characters(bytes)?, end))
    }

    /// A string as a list.
    #[inline(never)]
    fn characters(&mut self, bytes: &[u8]) -> Result<Term, Stop> {
        let start = self.scratch.terms.len();
        // At most one from each byte.
        self.scratch.terms.try_room(bytes.len())?;
        let (terms, builder) = (&mut self.scratch.terms, &mut *self.builder);
        if self.options.strings.with_utf8 {
            let code_points = utf8::code_points(bytes).ok_or(DecodeReason::InvalidUtf8)?;
            terms.extend(code_points.map(|code_point| builder.integer(i64::from(code_point))));
        } else {
            terms.extend(bytes.iter().map(|octet| builder.integer(i64::from(*octet))));
        }
        let list = builder.list(&terms[start..], self.plan.constants.nil);
        terms.truncate(start);
        Ok(list)
    }

    /// Pushes the elements of a packed block.
    #[inline(never)]
    pub(super) fn packed(&mut self, element: Kind, index: u32, block: &[u8], mut pos: usize) -> Result<(), Stop> {
        let size = match element {
            Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => 4,
            Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => 8,
            _ => 1,
        };
        if !(block.len() - pos).is_multiple_of(size) {
            return Err(DecodeReason::RaggedPackedBlock.into());
        }
        // One loop for each type, so that the type is looked at once.
        macro_rules! varints {
            ($term:expr) => {{
                let term = $term;
                while pos < block.len() {
                    match varint::read_several(block, pos)? {
                        Several::Eight(values) => {
                            let terms = values.map(|value| term(self, u64::from(value)));
                            self.scratch.terms.try_extend(&terms)?;
                            pos += values.len();
                        }
                        Several::Word(values) => {
                            pos += values.taken();
                            for value in values {
                                let term = term(self, value);
                                self.scratch.terms.try_push(term)?;
                            }
                        }
                        Several::One(value, len) => {
                            let term = term(self, value);
                            self.scratch.terms.try_push(term)?;
                            pos += len;
                        }
                    }
                }
            }};
        }
        match element {
            Kind::Int32 => varints!(|decoder: &mut Self, value| decoder.builder.integer(i64::from(value as i32))),
            Kind::Uint32 => varints!(|decoder: &mut Self, value| decoder.builder.integer(i64::from(value as u32))),
            Kind::Int64 => varints!(|decoder: &mut Self, value| decoder.builder.integer(value as i64)),
            Kind::Uint64 => varints!(|decoder: &mut Self, value| decoder.builder.unsigned(value)),
            Kind::Sint32 => {
                varints!(|decoder: &mut Self, value| decoder.builder.integer(zigzag_decode(value & 0xffff_ffff)))
            }
            Kind::Sint64 => varints!(|decoder: &mut Self, value| decoder.builder.integer(zigzag_decode(value))),
            Kind::Bool => varints!(|decoder: &mut Self, value| decoder.boolean(value)),
            Kind::Enum => varints!(|decoder: &mut Self, value| decoder.symbol(index, value)),
            // Of a fixed size.
            other => {
                while pos < block.len() {
                    let term = self.value(other, index, block, &mut pos)?;
                    self.scratch.terms.try_push(term)?;
                }
            }
        }
        Ok(())
    }
}
