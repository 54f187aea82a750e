//! Bytes on the wire: written in hexadecimal, or put together field by field.

use protobuf_codec::wire::{tag, varint};

/// The bytes that are written in hexadecimal; blanks do not count.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).expect("hex")).collect();
    assert!(digits.len().is_multiple_of(2), "{hex}");
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let octets: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    octets.join(" ")
}

pub fn varint(value: u64) -> Vec<u8> {
    let mut bytes = [0; varint::MAX_LEN];
    let len = varint::write(value, &mut bytes);
    bytes[..len].to_vec()
}

/// A varint field.
pub fn number(field: u32, value: u64) -> Vec<u8> {
    [varint(u64::from(tag::make(field, tag::VARINT))), varint(value)].concat()
}

/// A length-delimited field.
pub fn delimited(field: u32, payload: &[u8]) -> Vec<u8> {
    let tag = varint(u64::from(tag::make(field, tag::LENGTH_DELIMITED)));
    [tag, varint(payload.len() as u64), payload.to_vec()].concat()
}

/// A group.
pub fn group(field: u32, content: &[u8]) -> Vec<u8> {
    let start = varint(u64::from(tag::make(field, tag::START_GROUP)));
    let end = varint(u64::from(tag::make(field, tag::END_GROUP)));
    [start, content.to_vec(), end].concat()
}

/// Messages in messages: `depth` of them, each in field `field` of the one around it behind what `before` gives for its
/// level. Written from the end, so that it takes time linear in what it gives.
pub fn nested(field: u32, depth: usize, mut before: impl FnMut(usize) -> Vec<u8>) -> Vec<u8> {
    let mut reversed = Vec::new();
    for level in (0..depth).rev() {
        let header = [before(level), varint(u64::from(tag::make(field, tag::LENGTH_DELIMITED)))].concat();
        let length = varint(reversed.len() as u64);
        reversed.extend(header.iter().chain(&length).rev());
    }
    reversed.reverse();
    reversed
}
