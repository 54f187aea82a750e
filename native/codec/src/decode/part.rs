//! Decoding a part of a message.

use super::{Decoder, Options, Outcome, Scratch, decode_with, gone_over};
use crate::error::DecodeError;
use crate::schema::Plan;
use crate::schema::plan::Kind;
use crate::term::{Term, TermBuilder};
use crate::wire::tag;
use crate::work;

/// A part of a message to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The message, by its index in the plan.
    pub message: u32,
    /// The field whose value is asked for; all of the message, if none.
    pub slot: Option<u32>,
    /// Where its bytes begin and end in the input.
    pub start: usize,
    /// As above.
    pub end: usize,
}

/// Decodes a part of a message, which [`lookup`](super::lookup) has found: all of it, or the value of one field.
pub fn decode_part<B: TermBuilder>(
    plan: &Plan,
    part: &Part,
    input: &[u8],
    options: Options,
    budget: &mut usize,
    builder: &mut B,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<DecodeError>> {
    let Part { message, slot, start, end } = *part;
    if let Some(slot) = slot
        && input.len() <= options.max_size
    {
        let mut decoder = Decoder::new(plan, input, options, *budget, builder, scratch);
        if let Some(value) = decoder.scalar_alone(part, slot) {
            *budget = decoder.budget;
            return Ok(Outcome::Done(value));
        }
    }
    decode_with::<true, B>(plan, message, input, options, budget, builder, scratch, |decoder| {
        // Before it is gone over, for who calls knows nothing of its length.
        decoder.spend(work::input(gone_over(plan, message, &input[start..end], options)))?;
        decoder.run::<true>(message, Some((start, end, slot)))
    })
}

impl<B: TermBuilder> Decoder<'_, B> {
    /// The value of a field that is one scalar or absent, for which no record needs to be made. (What is wrong with it is
    /// found where one is.)
    #[inline(always)]
    fn scalar_alone(&mut self, part: &Part, slot: u32) -> Option<Term> {
        let table = &self.plan.messages[part.message as usize];
        let (data, mut pos) = (&self.input[..part.end], part.start);
        if pos == data.len() {
            return table.plain.then(|| table.template[slot as usize]);
        }
        let action = table.decode.get(tag::read(data, &mut pos).ok()?);
        if action.slot != slot {
            return None;
        }
        match action.kind {
            Kind::Packed | Kind::Repeated | Kind::Message | Kind::Messages | Kind::Oneof | Kind::Key => None,
            Kind::ClosedEnum | Kind::Utf8Strings | Kind::SetItem | Kind::Unknowns => None,
            Kind::Utf8String => self.utf8_string(data, pos).ok().map(|(term, _)| term),
            kind => self.value(kind, action.index, data, &mut pos).ok(),
        }
    }
}
