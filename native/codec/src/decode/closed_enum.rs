//! Closed enums: a number that has no symbol is an unknown field, wherever the enum stands (protobuf, "Enum Behavior").

use super::{Current, Decoder, Stop};
use crate::error::DecodeReason;
use crate::schema::plan::{DecodeAction, Kind};
use crate::term::TermBuilder;
use crate::wire::{skip, tag, varint};
use crate::work;

impl<'d, B: TermBuilder> Decoder<'d, B> {
    /// Reads the field of a closed enum whose tag has just been read, up to `pos`, or begins the entry of a map with some.
    /// Gives what to go on with, and where.
    pub(super) fn closed_enum(
        &mut self,
        current: Current<'d>,
        action: &DecodeAction,
        field_tag: u32,
        mut pos: usize,
    ) -> Result<(Current<'d>, usize), Stop> {
        let data = current.data;
        let end = match action.element {
            Kind::Messages if self.entry_is_known(action.index, data, pos)? => {
                let entry = DecodeAction { kind: Kind::Messages, ..*action };
                let end = skip::payload_end(data, &mut pos)?;
                self.deeper()?;
                return Ok((self.open_rare(&entry, current.node, pos, end, 0)?, pos));
            }
            Kind::Messages => self.keep(&current, field_tag, data, pos)?,
            Kind::Packed => {
                let block_end = skip::payload_end(data, &mut pos)?;
                self.spend(work::RUN + block_end - pos)?;
                while pos < block_end {
                    pos = self.closed_value(&current, action, field_tag, &data[..block_end], pos)?;
                }
                pos
            }
            _ => self.closed_value(&current, action, field_tag, data, pos)?,
        };
        Ok((current, end))
    }

    /// Reads one value, and gives where it ends.
    fn closed_value(
        &mut self,
        current: &Current,
        action: &DecodeAction,
        field_tag: u32,
        data: &[u8],
        pos: usize,
    ) -> Result<usize, Stop> {
        let mut end = pos;
        let number = varint::read(data, &mut end)?;
        let Some(symbol) = self.plan.enums[action.index as usize].symbol(number as i32) else {
            // Also out of a packed block it is kept by itself.
            return self.keep(current, tag::make(tag::number(field_tag), tag::VARINT), data, pos);
        };
        self.put(current, action, symbol)?;
        Ok(end)
    }

    /// Keeps a field as unknown, where the message has a place for such, and gives where it ends.
    fn keep(&mut self, current: &Current, field_tag: u32, data: &[u8], pos: usize) -> Result<usize, Stop> {
        let Some(slot) = current.table.unknowns.filter(|_| self.builder.keeps_unknowns()) else {
            return skip::field_end(data, pos, field_tag, self.depth_left, &mut self.scratch.groups);
        };
        self.spend(work::RECORD)?;
        let (term, end) = self.unknown(field_tag, data, pos)?;
        self.scratch.element(current.node, slot, term)?;
        Ok(end)
    }

    /// Whether the value of a map's entry has a symbol; also where it has none, or is not to be read, as is seen later.
    fn entry_is_known(&mut self, entry: u32, data: &[u8], mut pos: usize) -> Result<bool, Stop> {
        let end = skip::payload_end(data, &mut pos)?;
        let table = &self.plan.messages[entry as usize].decode;
        let entry = &data[..end];
        // What an entry may not hold it may not hold either where it is kept unread.
        let depth_left = self.depth_left.checked_sub(1).ok_or(DecodeReason::MaxDepth)?;
        let mut known = true;
        while pos < end {
            let field_tag = tag::read(entry, &mut pos)?;
            if tag::number(field_tag) == 0 {
                return Err(DecodeReason::InvalidFieldNumber.into());
            }
            let action = table.get(field_tag);
            if action.kind == Kind::ClosedEnum {
                let number = varint::read(entry, &mut pos)?;
                known = self.plan.enums[action.index as usize].symbol(number as i32).is_some();
            } else {
                pos = skip::field_end::<Stop>(entry, pos, field_tag, depth_left, &mut self.scratch.groups)?;
            }
        }
        Ok(known)
    }
}
