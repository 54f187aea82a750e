//! Base 128 varints (protobuf encoding specification, "Base 128 Varints").

use crate::error::DecodeReason;

/// The longest varint of 64 bits.
pub const MAX_LEN: usize = 10;

/// Reads a varint at `*pos` and moves `*pos` behind it. Bits beyond the 64th are dropped, as every protobuf
/// implementation does.
///
/// Where this is inlined `pos` stays in a register: what is called from here gets it by value.
#[inline(always)]
pub fn read(data: &[u8], pos: &mut usize) -> Result<u64, DecodeReason> {
    match data.get(*pos) {
        Some(&byte) if byte < 0x80 => {
            *pos += 1;
            Ok(u64::from(byte))
        }
        _ => {
            let (value, len) = read_long(data.get(*pos..).unwrap_or_default())?;
            *pos += len;
            Ok(value)
        }
    }
}

/// The value of the varint that `rest` begins with, and its length.
#[inline]
fn read_long(rest: &[u8]) -> Result<(u64, usize), DecodeReason> {
    // With ten bytes in sight no further bound needs checking.
    let Some(&[first @ .., ninth, tenth]) = rest.first_chunk::<MAX_LEN>() else { return read_near_end(rest) };
    let eight = u64::from_le_bytes(first);
    let ends = !eight & MARKS;
    if ends != 0 {
        // Up to and with the first byte that has no mark.
        let bits = ends.trailing_zeros() + 1;
        return Ok((gather(eight & (u64::MAX >> (64 - bits))), bits as usize / 8));
    }
    // Nine or ten bytes, told apart without a branch: with values of all sizes one would be wrong half of the time.
    let more = u64::from(ninth >> 7);
    if more & u64::from(tenth >> 7) != 0 {
        return Err(DecodeReason::VarintTooLong);
    }
    Ok((gather(eight) | u64::from(ninth & 0x7f) << 56 | (u64::from(tenth) & more) << 63, 9 + more as usize))
}

/// Some varints that follow one another.
pub enum Several {
    /// Eight of one byte each, from the lowest octet on.
    Eight([u8; 8]),
    /// Those that end within a word.
    Word(Word),
    /// One of any length: its value, and its length.
    One(u64, usize),
}

/// Varints that lie in a word one after the other.
pub struct Word {
    bytes: u64,
    /// The marks of the bytes that end one.
    ends: u64,
}

impl Word {
    /// How many bytes they take together.
    #[inline(always)]
    pub fn taken(&self) -> usize {
        8 - self.ends.leading_zeros() as usize / 8
    }
}

impl Iterator for Word {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.ends == 0 {
            return None;
        }
        // Up to and with the first byte that has no mark.
        let last = self.ends.trailing_zeros();
        let value = gather(self.bytes & (u64::MAX >> (63 - last)));
        (self.bytes, self.ends) = (self.bytes >> last >> 1, self.ends >> last >> 1);
        Some(value)
    }
}

/// Reads from `pos` on what is quick to read, where at least one varint is left. Lengths are told without a branch for
/// each, which would often be guessed wrong where they are mixed; and a varint does not wait for the one before it to be
/// loaded.
#[inline(always)]
pub fn read_several(data: &[u8], pos: usize) -> Result<Several, DecodeReason> {
    let rest = data.get(pos..).unwrap_or_default();
    let Some(bytes) = rest.first_chunk::<8>() else { return read_near_end(rest).map(one) };
    let eight = u64::from_le_bytes(*bytes);
    let ends = !eight & MARKS;
    if ends == MARKS {
        return Ok(Several::Eight(*bytes));
    }
    if ends == 0 {
        return read_long(rest).map(one);
    }
    Ok(Several::Word(Word { bytes: eight, ends }))
}

fn one((value, len): (u64, usize)) -> Several {
    Several::One(value, len)
}

#[cold]
fn read_near_end(rest: &[u8]) -> Result<(u64, usize), DecodeReason> {
    let mut value = 0;
    for (index, &byte) in rest.iter().enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(DecodeReason::Truncated)
}

/// The marks of eight bytes that are followed by more.
pub const MARKS: u64 = 0x8080_8080_8080_8080;

/// Brings the seven bits of each of eight bytes together, the marks left out.
#[inline(always)]
fn gather(bytes: u64) -> u64 {
    let value = (bytes & 0x007f_007f_007f_007f) | (bytes & 0x7f00_7f00_7f00_7f00) >> 1;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x3fff_0000_3fff_0000) >> 2;
    (value & 0x0fff_ffff) | (value & 0x0fff_ffff_0000_0000) >> 4
}

/// How many bytes the varint of `value` takes.
#[inline]
pub fn len(value: u64) -> usize {
    // Seven bits a byte: (bits * 9 + 64) / 64 is ceil(bits / 7) for 1 to 64 bits.
    ((64 - (value | 1).leading_zeros() as usize) * 9 + 64) / 64
}

/// Writes the varint of `value` to the start of `bytes` and gives its length.
#[inline(always)]
pub fn write(mut value: u64, bytes: &mut [u8; MAX_LEN]) -> usize {
    let mut index = 0;
    while value >= 0x80 && index < MAX_LEN - 1 {
        bytes[index] = value as u8 | 0x80;
        value >>= 7;
        index += 1;
    }
    bytes[index] = value as u8;
    index + 1
}

/// Spreads a value below 2^56 over eight bytes, seven bits to each.
#[inline(always)]
pub fn spread(value: u64) -> u64 {
    let value = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let value = (value & 0x0000_3fff_0000_3fff) | (value & 0x0fff_c000_0fff_c000) << 2;
    (value & 0x007f_007f_007f_007f) | (value & 0x3f80_3f80_3f80_3f80) << 1
}

/// The signed value of a ZigZag-encoded one.
#[inline]
pub fn zigzag_decode(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// ZigZag-encodes a signed value.
#[inline]
pub fn zigzag_encode(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(value: u64) -> Vec<u8> {
        let mut bytes = [0; MAX_LEN];
        let len = write(value, &mut bytes);
        bytes[..len].to_vec()
    }

    #[test]
    fn every_length_writes_measures_and_reads_back() {
        for bits in 0..64 {
            for value in [1u64 << bits, (1 << bits) - 1, (1u64 << bits).wrapping_neg()] {
                let bytes = encoded(value);
                assert_eq!(len(value), bytes.len(), "{value}");
                for padding in 0..12 {
                    let mut data = bytes.clone();
                    data.resize(bytes.len() + padding, 0xff);
                    let mut pos = 0;
                    assert_eq!(read(&data, &mut pos), Ok(value));
                    assert_eq!(pos, bytes.len());
                }
            }
        }
    }

    #[test]
    fn several_are_read_as_each_alone() {
        let values = [0, 1, 127, 128, 300, 5, 6, 7, 8, 9, 10, 11, 12, 1 << 20, 3, u64::MAX, 1 << 62, 4, 1 << 56, 2, 1];
        for values in (0..values.len()).map(|first| &values[first..]) {
            let data: Vec<u8> = values.iter().flat_map(|value| encoded(*value)).collect();
            let (mut pos, mut read) = (0, Vec::new());
            while pos < data.len() {
                match read_several(&data, pos) {
                    Ok(Several::Eight(bytes)) => {
                        read.extend(bytes.map(u64::from));
                        pos += 8;
                    }
                    Ok(Several::Word(values)) => {
                        pos += values.taken();
                        read.extend(values);
                    }
                    Ok(Several::One(value, len)) => {
                        read.push(value);
                        pos += len;
                    }
                    Err(reason) => panic!("{reason:?}"),
                }
            }
            assert_eq!(read, values);
        }
        for len in 1..12 {
            let expected = if len < 10 { DecodeReason::Truncated } else { DecodeReason::VarintTooLong };
            assert_eq!(read_several(&vec![0x80; len], 0).err(), Some(expected), "{len}");
        }
    }

    #[test]
    fn spreading_gives_the_bytes_without_their_marks() {
        for bits in 0..56 {
            for value in [1u64 << bits, (1 << bits) - 1, 0x00aa_5533_cc0f_f0a5 & ((1 << bits) - 1)] {
                let mut bytes = [0; 8];
                encoded(value).iter().enumerate().for_each(|(index, byte)| bytes[index] = byte & 0x7f);
                assert_eq!(spread(value), u64::from_le_bytes(bytes));
            }
        }
    }

    #[test]
    fn ten_bytes_pass_and_eleven_do_not() {
        let mut ten = vec![0x80; 9];
        ten.push(0x01);
        assert_eq!(read(&ten, &mut 0), Ok(1 << 63));
        let mut eleven = vec![0x80; 10];
        eleven.push(0x01);
        assert_eq!(read(&eleven, &mut 0), Err(DecodeReason::VarintTooLong));
    }

    #[test]
    fn a_cut_varint_is_truncated() {
        for len in 0..10 {
            assert_eq!(read(&vec![0x80; len], &mut 0), Err(DecodeReason::Truncated));
        }
    }

    #[test]
    fn zigzag_goes_both_ways() {
        for (signed, unsigned) in [(0, 0), (-1, 1), (1, 2), (i64::MAX, u64::MAX - 1), (i64::MIN, u64::MAX)] {
            assert_eq!(zigzag_encode(signed), unsigned);
            assert_eq!(zigzag_decode(unsigned), signed);
        }
    }
}
