//! Encoding without copying large binaries.

use protobuf_codec::Term;
use protobuf_codec::encode::{Outcome, Referring, Scratch, encode_from};

use super::encode::{Asked, asked};
use super::{Called, find, not_found};
use crate::beam::{self, BeamReader, Call, NifFunction};
use crate::errors::{Encoding, Failure};
use crate::forms::{LooseRecords, Maps};
use crate::workplace::{self, Workplace};

/// The bytes of a message, as a list of binaries in a tuple.
pub fn encode(call: &Call, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let Asked { term, name, argument, wrong, options } = asked(call, &reader)?;
    let (form, strings) = (options.form, options.codec.strings);
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.get(options.cache);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, options.cache, snapshot, name, argument, wrong));
        };
        let outcome = allowance.spend(call, |budget| {
            if form.maps {
                let maps = Referring(Maps::new(call.env, form, false));
                encode_from(plan, message, term, strings, budget, &reader, &maps, scratch)
            } else {
                let records = Referring(LooseRecords::new(call.env, form.map_fields_as_maps, false));
                encode_from(plan, message, term, strings, budget, &reader, &records, scratch)
            }
        });
        let result = match outcome {
            Ok(Outcome::Done) => pieces(call, scratch).ok_or(Failure::OutOfMemory),
            Ok(Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
            Ok(Outcome::OverBudget) => Ok(call.continue_dirty(c"encode_to_iolist", again)),
            Err(error) => {
                let map_fields_as_maps = form.map_fields_as_maps;
                let how = Encoding { argument: 1, cache: options.cache, strings, map_fields_as_maps };
                Err(Failure::Encode(how, error))
            }
        };
        scratch.trim();
        Ok(result?)
    })
}

/// What was written: parts of one binary, and between them those that were referred to.
fn pieces(call: &Call, scratch: &mut Scratch) -> Option<Term> {
    let output = &mut scratch.output;
    let (len, mut places) = (output.len_around(), Vec::new());
    let written = beam::try_make_binary_with(call.env, len, |target| {
        output.copy_around(target, |at, binary| places.push((at, binary)));
    })?;
    let mut list = Vec::with_capacity(2 * places.len() + 1);
    let mut from = 0;
    for (at, binary) in places {
        // Binaries of one iolist follow one another.
        if from < at {
            list.push(beam::make_sub_binary(call.env, written, from, at - from));
        }
        list.push(binary);
        from = at;
    }
    if from == 0 {
        list.push(written);
    } else if from < len {
        list.push(beam::make_sub_binary(call.env, written, from, len - from));
    }
    // No failure is a tuple.
    Some(beam::make_tuple(call.env, &[beam::make_list(call.env, &list)]))
}
