//! Merging messages.

use protobuf_codec::Term;
use protobuf_codec::decode;
use protobuf_codec::encode::{Outcome, Scratch};
use protobuf_codec::memory::{OutOfMemory, TryGrow};
use protobuf_codec::term::TermReader;

use super::encode::in_form;
use super::{Called, NOT_A_NAME, find, not_found};
use crate::beam::{self, BeamBuilder, BeamReader, Call, NifFunction};
use crate::errors::{Encoding, Failure};
use crate::forms::FormBuilder;
use crate::options::CallOptions;
use crate::workplace::{self, Workplace};

/// Two messages, as one: what decoding the bytes of one after the other gives. Of messages that lack what is required as
/// well. The arguments are the two, the name, and options.
pub fn merge(call: &Call, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let mut options = CallOptions::none();
    options.read(call.env, &reader, 4, call.argument(3))?;
    // What is merged is here already: it is not what a stranger sends.
    (options.codec.max_depth, options.codec.max_size) = (u32::MAX, usize::MAX);
    let name = call.argument(2);
    workplace::with(|Workplace { allowance, cache, encode: encoding, decode: decoding }| {
        let snapshot = cache.get(options.cache);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, options.cache, snapshot, name, 3, NOT_A_NAME));
        };
        let largest = allowance.largest_input();
        let merged = allowance.spend(call, |budget| -> Result<Option<Term>, Failure> {
            let mut written = Vec::new();
            for argument in [0, 1] {
                let term = call.argument(argument);
                let (strings, form) = (options.codec.strings, options.form);
                let how = (form, strings, true);
                let outcome = in_form(call.env, plan, message, term, how, budget, &reader, encoding);
                let how = Encoding {
                    argument: argument as i64 + 1,
                    cache: options.cache,
                    strings,
                    map_fields_as_maps: options.form.map_fields_as_maps,
                };
                match outcome.map_err(|error| Failure::Encode(how, error))? {
                    Outcome::Done => {
                        append(&mut written, encoding, &reader).map_err(|OutOfMemory| Failure::OutOfMemory)?
                    }
                    Outcome::OverBudget => return Ok(None),
                    Outcome::OutOfMemory => return Err(Failure::OutOfMemory),
                }
            }
            if written.len() > largest {
                return Ok(None);
            }
            let binary = beam::try_make_binary_with(call.env, written.len(), |target| target.copy_from_slice(&written));
            let binary = binary.ok_or(Failure::OutOfMemory)?;
            let input = reader.binary(binary).unwrap_or_default();
            let mut plain = BeamBuilder::new(call.env, binary, input, options.copying);
            let codec = options.codec;
            let outcome = match options.form.is_plain() {
                true => decode::decode(plan, message, input, codec, budget, &mut plain, decoding),
                false => {
                    let mut builder = FormBuilder::new(call.env, plain, options.form, codec.strings);
                    decode::decode(plan, message, input, codec, budget, &mut builder, decoding)
                }
            };
            match outcome.map_err(|error| Failure::Decode(name, error, codec))? {
                decode::Outcome::Done(term) => Ok(Some(term)),
                decode::Outcome::OverBudget => Ok(None),
                decode::Outcome::OutOfMemory => Err(Failure::OutOfMemory),
            }
        });
        encoding.trim();
        Ok(merged?.unwrap_or_else(|| call.continue_dirty(c"merge", again)))
    })
}

/// Adds what was written.
fn append(written: &mut Vec<u8>, encoding: &mut Scratch, reader: &BeamReader) -> Result<(), OutOfMemory> {
    let (before, more) = (written.len(), encoding.output.len());
    written.try_room(more)?;
    written.resize(before + more, 0);
    encoding.output.copy_to(&mut written[before..], |binary| reader.binary(binary).unwrap_or_default());
    Ok(())
}
