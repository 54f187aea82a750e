//! Passing over fields that the schema does not know.

use super::{tag, varint};
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};

/// Reads a length at `*pos`, moves `*pos` to the start of the payload and gives the payload's end.
#[inline(always)]
pub fn payload_end(data: &[u8], pos: &mut usize) -> Result<usize, DecodeReason> {
    let start = *pos;
    let len = varint::read(data, pos)?;
    // Compared as 64-bit numbers, and with none of its bits dropped: a length of 2^32 or 2^64 and more is past the end,
    // never cut to fewer bits.
    let overflows = *pos - start == varint::MAX_LEN && data[*pos - 1] > 1;
    if overflows || len > (data.len() - *pos) as u64 {
        return Err(DecodeReason::Truncated);
    }
    Ok(*pos + len as usize)
}

/// Whether a group whose content would begin at `start` ends there with this tag.
#[inline(never)]
pub fn group_is_empty(data: &[u8], start: usize, end_tag: u32) -> bool {
    tag::read(data, &mut { start }) == Ok(end_tag)
}

/// The position behind `len` more bytes.
#[inline(always)]
pub fn fixed_end(data: &[u8], pos: usize, len: usize) -> Result<usize, DecodeReason> {
    if data.len() - pos < len { Err(DecodeReason::Truncated) } else { Ok(pos + len) }
}

/// Where the field ends whose tag has just been read, up to `pos`. Groups nest up to `max_depth`; `open` is scratch space
/// for the numbers of those that are open.
#[inline(never)]
pub fn field_end<E: From<DecodeReason> + From<OutOfMemory>>(
    data: &[u8],
    mut pos: usize,
    field_tag: u32,
    max_depth: u32,
    open: &mut Vec<u32>,
) -> Result<usize, E> {
    open.clear();
    let mut current = field_tag;
    loop {
        match tag::wire_type(current) {
            tag::VARINT => {
                varint::read(data, &mut pos)?;
            }
            tag::FIXED64 => pos = fixed_end(data, pos, 8)?,
            tag::LENGTH_DELIMITED => pos = payload_end(data, &mut pos)?,
            tag::FIXED32 => pos = fixed_end(data, pos, 4)?,
            tag::START_GROUP if open.len() >= max_depth as usize => return Err(DecodeReason::MaxDepth.into()),
            tag::START_GROUP => open.try_push(tag::number(current))?,
            tag::END_GROUP if open.pop() == Some(tag::number(current)) => {}
            tag::END_GROUP => return Err(DecodeReason::UnexpectedEndGroup.into()),
            _ => return Err(DecodeReason::InvalidWireType.into()),
        }
        if open.is_empty() {
            return Ok(pos);
        }
        current = tag::read(data, &mut pos)?;
        if tag::number(current) == 0 {
            return Err(DecodeReason::InvalidFieldNumber.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    enum Failure {
        Invalid(DecodeReason),
        OutOfMemory,
    }

    impl From<DecodeReason> for Failure {
        fn from(reason: DecodeReason) -> Failure {
            Failure::Invalid(reason)
        }
    }

    impl From<OutOfMemory> for Failure {
        fn from(_: OutOfMemory) -> Failure {
            Failure::OutOfMemory
        }
    }

    fn skipped(bytes: &[u8]) -> Result<usize, DecodeReason> {
        let mut pos = 0;
        let first = tag::read(bytes, &mut pos)?;
        field_end(bytes, pos, first, u32::MAX, &mut Vec::new()).map_err(|failure| match failure {
            Failure::Invalid(reason) => reason,
            Failure::OutOfMemory => panic!("these fields take no memory"),
        })
    }

    #[test]
    fn each_wire_type_is_passed_over_whole() {
        assert_eq!(skipped(&[0x08, 0x80, 0x01, 9]), Ok(3));
        assert_eq!(skipped(&[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 9]), Ok(9));
        assert_eq!(skipped(&[0x0a, 2, 1, 2, 9]), Ok(4));
        assert_eq!(skipped(&[0x0d, 1, 2, 3, 4, 9]), Ok(5));
    }

    #[test]
    fn groups_nest_also_with_the_same_number() {
        assert_eq!(skipped(&[0x7b, 0x7b, 0x08, 1, 0x7c, 0x7c, 9]), Ok(6));
        assert_eq!(skipped(&[0x7b, 0x0c]), Err(DecodeReason::UnexpectedEndGroup));
        assert_eq!(skipped(&[0x7b, 0x7b, 0x7c]), Err(DecodeReason::Truncated));
    }

    #[test]
    fn a_length_past_the_end_is_truncated() {
        assert_eq!(skipped(&[0x0a, 3, 1, 2]), Err(DecodeReason::Truncated));
        assert_eq!(skipped(&[0x0a, 0x81, 0x80, 0x80, 0x80, 0x10, 1]), Err(DecodeReason::Truncated));
        assert_eq!(
            skipped(&[0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2, 1]),
            Err(DecodeReason::Truncated)
        );
        assert_eq!(skipped(&[0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), Err(DecodeReason::Truncated));
    }

    #[test]
    fn wire_types_6_and_7_and_field_0_are_refused() {
        assert_eq!(skipped(&[0x0e]), Err(DecodeReason::InvalidWireType));
        assert_eq!(skipped(&[0x0f]), Err(DecodeReason::InvalidWireType));
        assert_eq!(skipped(&[0x7b, 0x00, 1, 0x7c]), Err(DecodeReason::InvalidFieldNumber));
    }
}
