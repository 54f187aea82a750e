//! Large messages that take no time: most of them is one string, which the result only refers to.

use super::Options;
use crate::schema::Plan;
use crate::schema::plan::Kind;
use crate::wire::{skip, tag, varint};

/// So many fields are looked at, and all but one have to be as small as this together.
const FEW_FIELDS: usize = 16;
const LITTLE: usize = 4096;

/// How many bytes of the input are gone over to decode it: all, but where most of it is one string or bytes field of the
/// message itself, with little around it, only what is around. Then it is decoded as fast as a small one. (Of an input with
/// a fault it says nothing; decoding it finds that.)
pub fn gone_over(plan: &Plan, message: u32, input: &[u8], options: Options) -> usize {
    input.len() - bulk(plan, message, input, options).unwrap_or(0)
}

/// The length of the value that most of the input is.
fn bulk(plan: &Plan, message: u32, input: &[u8], options: Options) -> Option<usize> {
    if input.len() <= LITTLE {
        return None;
    }
    let table = &plan.messages[message as usize].decode;
    let (mut pos, mut large) = (0, 0);
    for _ in 0..FEW_FIELDS {
        if pos == input.len() {
            break;
        }
        let field_tag = tag::read(input, &mut pos).ok()?;
        let end = match tag::wire_type(field_tag) {
            tag::VARINT => varint::read(input, &mut pos).map(|_| pos),
            tag::FIXED32 => skip::fixed_end(input, pos, 4),
            tag::FIXED64 => skip::fixed_end(input, pos, 8),
            tag::LENGTH_DELIMITED => skip::payload_end(input, &mut pos),
            _ => return None,
        };
        let end = end.ok()?;
        if end - pos > LITTLE {
            let action = table.get(field_tag);
            let kind = if action.kind == Kind::Repeated { action.element } else { action.kind };
            let refers = kind == Kind::Bytes || kind == Kind::String && !options.strings.string_as_list;
            // Of two large ones neither may be most of it, and a copy would be made.
            if !refers || large > 0 {
                return None;
            }
            large = end - pos;
        }
        pos = end;
    }
    (pos == input.len() && pos - large <= LITTLE).then_some(large)
}
