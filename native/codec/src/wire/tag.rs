//! Tags: field number and wire type in one varint (protobuf encoding specification, "Message Structure").

use super::varint;
use crate::error::DecodeReason;

/// The largest field number, 2^29 - 1.
pub const MAX_FIELD_NUMBER: u32 = (1 << 29) - 1;

/// How many bytes a tag has at the most.
pub const MAX_LEN: usize = 5;

/// Wire type of int32 to sint64, bool and enum.
pub const VARINT: u32 = 0;
/// Wire type of fixed64, sfixed64 and double.
pub const FIXED64: u32 = 1;
/// Wire type of string, bytes, messages and packed fields.
pub const LENGTH_DELIMITED: u32 = 2;
/// Wire type that opens a group.
pub const START_GROUP: u32 = 3;
/// Wire type that closes a group.
pub const END_GROUP: u32 = 4;
/// Wire type of fixed32, sfixed32 and float.
pub const FIXED32: u32 = 5;

/// What begins an item of a message set (descriptor.proto, "message_set_wire_format"): a group of the number of a type and
/// a message of that type.
pub const SET_ITEM: u32 = make(1, START_GROUP);
/// The number of the type in an item.
pub const SET_TYPE_ID: u32 = make(2, VARINT);
/// The message in an item.
pub const SET_MESSAGE: u32 = make(3, LENGTH_DELIMITED);

/// A field number and a wire type, as on the wire.
#[inline]
pub const fn make(number: u32, wire_type: u32) -> u32 {
    number << 3 | wire_type
}

/// The field number of a tag.
#[inline]
pub fn number(tag: u32) -> u32 {
    tag >> 3
}

/// The wire type of a tag.
#[inline]
pub fn wire_type(tag: u32) -> u32 {
    tag & 7
}

/// The tag that ends the group that this tag begins.
#[inline]
pub const fn end_of(start_group: u32) -> u32 {
    start_group + (END_GROUP - START_GROUP)
}

/// Reads a tag at `*pos` and moves `*pos` behind it. A tag has at most [`MAX_LEN`] bytes and 32 bits.
#[inline(always)]
pub fn read(data: &[u8], pos: &mut usize) -> Result<u32, DecodeReason> {
    match data.get(*pos) {
        Some(&first) if first < 0x80 => {
            *pos += 1;
            Ok(u32::from(first))
        }
        Some(&first) => match data.get(*pos + 1) {
            Some(&second) if second < 0x80 => {
                *pos += 2;
                Ok(u32::from(first & 0x7f) | u32::from(second) << 7)
            }
            _ => {
                let (tag, end) = read_long(data, *pos)?;
                *pos = end;
                Ok(tag)
            }
        },
        None => Err(DecodeReason::Truncated),
    }
}

/// The tag at `start` and where it ends.
#[inline(never)]
fn read_long(data: &[u8], start: usize) -> Result<(u32, usize), DecodeReason> {
    let mut pos = start;
    let value = varint::read(data, &mut pos)?;
    match u32::try_from(value) {
        Ok(tag) if pos - start <= MAX_LEN => Ok((tag, pos)),
        _ => Err(DecodeReason::InvalidTag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_one_to_five_bytes_read() {
        for number in [1, 15, 16, 2047, 2048, MAX_FIELD_NUMBER] {
            let tag = make(number, FIXED32);
            let mut bytes = [0; varint::MAX_LEN];
            let len = varint::write(u64::from(tag), &mut bytes);
            let mut pos = 0;
            assert_eq!(read(&bytes[..len], &mut pos), Ok(tag));
            assert_eq!((pos, super::number(tag), wire_type(tag)), (len, number, FIXED32));
        }
    }

    #[test]
    fn a_padded_tag_reads_up_to_five_bytes() {
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x00], &mut 0), Ok(8));
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00], &mut 0), Err(DecodeReason::InvalidTag));
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x10], &mut 0), Err(DecodeReason::InvalidTag));
        assert_eq!(read(&[0x88, 0x80], &mut 0), Err(DecodeReason::Truncated));
    }
}
