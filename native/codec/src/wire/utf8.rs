//! Characters and UTF-8.

/// The code points of `bytes`; nothing where they are not UTF-8.
pub fn code_points(bytes: &[u8]) -> Option<impl Iterator<Item = u32> + '_> {
    Some(std::str::from_utf8(bytes).ok()?.chars().map(u32::from))
}

/// Writes a code point as UTF-8 to the start of `bytes` and gives its length; nothing for a surrogate and for what is
/// beyond U+10FFFF.
#[inline]
pub fn write(code_point: i64, bytes: &mut [u8; 4]) -> Option<usize> {
    let character = char::from_u32(u32::try_from(code_point).ok()?)?;
    Some(character.encode_utf8(bytes).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_told_from_what_is_none() {
        let mut bytes = [0; 4];
        assert_eq!(write(0xffff, &mut bytes), Some(3));
        assert_eq!(bytes[..3], [0xef, 0xbf, 0xbf]);
        assert_eq!(write(0x10ffff, &mut bytes), Some(4));
        for wrong in [-1, 0xd800, 0xdfff, 0x110000, i64::MAX] {
            assert_eq!(write(wrong, &mut bytes), None);
        }
    }
}
