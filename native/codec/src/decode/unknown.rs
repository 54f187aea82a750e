//! Fields that the schema does not know, kept as `{varint | fixed32 | fixed64 | length_delimited, Number, Value}`.
//! Groups are messages of their own: [`UNKNOWN_GROUP`](crate::schema::plan::UNKNOWN_GROUP).

use super::Decoder;
use super::scalar::fixed;
use crate::error::DecodeReason;
use crate::term::{Term, TermBuilder};
use crate::wire::{skip, tag, varint};

impl<B: TermBuilder> Decoder<'_, B> {
    /// The term of an unknown field whose tag has just been read, up to `pos`, and where it ends; no group.
    #[inline(never)]
    pub(super) fn unknown(
        &mut self,
        field_tag: u32,
        data: &[u8],
        mut pos: usize,
    ) -> Result<(Term, usize), DecodeReason> {
        let constants = &self.plan.constants;
        let number = self.builder.integer(i64::from(tag::number(field_tag)));
        let (kind, value) = match tag::wire_type(field_tag) {
            tag::VARINT => (constants.varint, self.builder.unsigned(varint::read(data, &mut pos)?)),
            tag::FIXED32 => {
                let value = u64::from(u32::from_le_bytes(fixed(data, &mut pos)?));
                (constants.fixed32, self.builder.unsigned(value))
            }
            tag::FIXED64 => (constants.fixed64, self.builder.unsigned(u64::from_le_bytes(fixed(data, &mut pos)?))),
            tag::LENGTH_DELIMITED => {
                let end = skip::payload_end(data, &mut pos)?;
                let start = std::mem::replace(&mut pos, end);
                (constants.length_delimited, self.builder.binary(start, end - start))
            }
            _ => return Err(DecodeReason::InvalidWireType),
        };
        Ok((self.builder.tuple(&[kind, number, value]), pos))
    }
}
