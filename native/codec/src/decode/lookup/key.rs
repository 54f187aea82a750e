//! Keys of maps that are looked for.

use crate::StringOptions;
use crate::decode::{Content, Key};
use crate::schema::Plan;
use crate::schema::plan::{Kind, Shape};
use crate::term::{Term, TermReader};
use crate::wire::utf8;

/// A key that is looked for.
pub(crate) enum Wanted {
    Scalar(Key),
    Text(Vec<u8>),
}

impl Wanted {
    pub fn content(&self) -> Content<'_> {
        match self {
            Wanted::Scalar(key) => key.content(&[]),
            Wanted::Text(octets) => Content::Text(octets),
        }
    }
}

/// The key of a map's entries that a term is.
pub(crate) fn wanted_key<'t, R: TermReader<'t>>(
    plan: &Plan,
    entry: u32,
    term: Term,
    strings: StringOptions,
    reader: &R,
) -> Option<Wanted> {
    let Shape::Entry(kind) = plan.messages[entry as usize].shape else { return None };
    Some(match kind {
        Kind::Bool if term == plan.constants.true_ => Wanted::Scalar(Key::Boolean(true)),
        Kind::Bool if term == plan.constants.false_ => Wanted::Scalar(Key::Boolean(false)),
        Kind::String | Kind::Utf8String => Wanted::Text(text(term, strings, reader, plan.constants.nil)?),
        _ => Wanted::Scalar(match reader.unsigned(term) {
            Some(magnitude) => Key::Integer { negative: false, magnitude },
            None => {
                let value = reader.integer(term)?;
                Key::Integer { negative: value < 0, magnitude: value.unsigned_abs() }
            }
        }),
    })
}

/// The octets of a string.
fn text<'t, R: TermReader<'t>>(term: Term, strings: StringOptions, reader: &R, nil: Term) -> Option<Vec<u8>> {
    if let Some(octets) = reader.binary(term).or_else(|| reader.copied_binary(term)) {
        return Some(octets.to_vec());
    }
    let (mut octets, mut rest) = (Vec::new(), term);
    while let Some((head, tail)) = reader.cell(rest) {
        let value = reader.integer(head)?;
        let mut bytes = [0; 4];
        match u8::try_from(value) {
            Ok(octet) if !strings.with_utf8 => octets.push(octet),
            _ => {
                let len = utf8::write(value, &mut bytes)?;
                octets.extend_from_slice(&bytes[..len]);
            }
        }
        rest = tail;
    }
    (rest == nil).then_some(octets)
}
