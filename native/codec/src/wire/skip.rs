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

/// Where the tag begins that ends a group, which ends at `end`. (Of the varints that end there a longer one has a greater
/// value, so that one of them at the most is the tag.)
pub fn end_tag_start(data: &[u8], end: usize, end_tag: u32) -> Option<usize> {
    (1..=tag::MAX_LEN).filter_map(|len| end.checked_sub(len)).find(|start| {
        let mut pos = *start;
        tag::read(&data[..end], &mut pos) == Ok(end_tag) && pos == end
    })
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
    fn a_group_ends_with_its_tag_however_long_that_is() {
        for number in [1, 2, 16, 2064, tag::MAX_FIELD_NUMBER] {
            let end_tag = tag::make(number, tag::END_GROUP);
            let mut varint = [0; varint::MAX_LEN];
            let len = varint::write(u64::from(end_tag), &mut varint);
            for padding in 0..=tag::MAX_LEN - len {
                // Behind what might belong to it, itself among that.
                for before in [&[0x80; 5][..], &[0xff], &[0x8c, 0x80], &varint[..len], &[]] {
                    let mut bytes = [before, &varint[..len]].concat();
                    if padding > 0 {
                        bytes[before.len() + len - 1] |= 0x80;
                        bytes.extend([0x80; 3].iter().take(padding - 1).chain(&[0]));
                    }
                    let end = bytes.len();
                    bytes.push(0);
                    assert_eq!(end_tag_start(&bytes, end, end_tag), Some(before.len()), "{bytes:?}");
                    assert_eq!(end_tag_start(&bytes, end, end_tag ^ 1), None);
                }
            }
        }
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
