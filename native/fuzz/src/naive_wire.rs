//! The wire format, for the oracle of decoding.

use crate::support::value::{Value, integer, list, name};

/// The bytes cannot be decoded.
#[derive(Debug)]
pub struct Refused;

/// What is read, if it can be.
pub type Result<T> = std::result::Result<T, Refused>;

/// A varint, of up to 70 bits.
pub fn varint(data: &mut &[u8]) -> Result<u128> {
    let mut value = 0;
    for index in 0..10 {
        let (byte, rest) = data.split_first().ok_or(Refused)?;
        *data = rest;
        value |= u128::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Refused)
}

/// Field number and wire type.
pub fn tag(data: &mut &[u8]) -> Result<(i64, u8)> {
    let before = data.len();
    let tag = varint(data)?;
    let number = (tag >> 3) as i64;
    if before - data.len() > 5 || tag > u128::from(u32::MAX) || number == 0 {
        return Err(Refused);
    }
    Ok((number, tag as u8 & 7))
}

fn take<'a>(data: &mut &'a [u8], len: u128) -> Result<&'a [u8]> {
    if len > data.len() as u128 {
        return Err(Refused);
    }
    let (taken, rest) = data.split_at(len as usize);
    *data = rest;
    Ok(taken)
}

/// The octets behind a length.
pub fn payload<'a>(data: &mut &'a [u8]) -> Result<&'a [u8]> {
    let len = varint(data)?;
    take(data, len)
}

/// So many octets.
pub fn fixed<const N: usize>(data: &mut &[u8]) -> Result<[u8; N]> {
    Ok(take(data, N as u128)?.try_into().expect("so many were taken"))
}

/// A field that the schema does not know, whether it is kept or not.
pub fn unknown_value(number: i64, wire: u8, data: &mut &[u8], depth: u32) -> Result<Value> {
    let (kind, value) = match wire {
        0 => ("varint", integer(varint(data)? as u64)),
        1 => ("fixed64", integer(u64::from_le_bytes(fixed(data)?))),
        2 => ("length_delimited", Value::Binary(payload(data)?.to_vec())),
        3 => {
            let depth = depth.checked_sub(1).ok_or(Refused)?;
            let mut fields = Vec::new();
            loop {
                match tag(data)? {
                    (end, 4) if end == number => break,
                    (inner, wire) => fields.push(unknown_value(inner, wire, data, depth)?),
                }
            }
            ("group", list(fields))
        }
        5 => ("fixed32", integer(u32::from_le_bytes(fixed(data)?))),
        _ => return Err(Refused),
    };
    Ok(Value::Tuple(vec![name(kind), integer(number), value]))
}
