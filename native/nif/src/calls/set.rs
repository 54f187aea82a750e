//! Rewriting a field in the bytes of a message.

use protobuf_codec::decode::Failure as Unfound;
use protobuf_codec::error::DecodeReason;
use protobuf_codec::rewrite::{Failure as Unwritten, Outcome, rewrite};

use super::decode::input;
use super::encode::{Framing, framed};
use super::lookup::{invalid, path, wrong};
use super::{Called, NOT_A_NAME, find, not_found};
use crate::atoms::atoms;
use crate::beam::{BeamReader, Call, NifFunction};
use crate::errors::{Encoding, Failure};
use crate::forms::{LooseRecords, Maps};
use crate::options::CallOptions;
use crate::workplace::{self, Workplace};

/// The bytes that are the first argument, with the value that is the fourth in the place that the path leads to, which is
/// the third. The fifth argument is options.
pub fn set(call: &Call, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let name = call.argument(1);
    let mut options = CallOptions::none();
    options.read(call.env, &reader, 5, call.argument(4))?;
    let CallOptions { codec, form, .. } = options;
    let Some(path) = path(&reader, call.argument(2))? else { return Ok(call.continue_dirty(c"set", again)) };
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"set", again)) };
    // Elixir's word for what is absent.
    let value = match call.argument(3) {
        nil if nil == atoms().nil_atom && form.structs.is_some() => atoms().undefined,
        value => value,
    };
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.get(options.cache);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, options.cache, snapshot, name, 2, NOT_A_NAME));
        };
        if !allowance.takes(input.len()) {
            return Ok(call.continue_dirty(c"set", again));
        }
        if input.len() > codec.max_size {
            return Err(invalid(call, plan, message, &[], &options, (DecodeReason::MaxSize, 0)).into());
        }
        let outcome = allowance.spend(call, |budget| {
            if form.maps {
                let maps = Maps::new(call.env, form, false);
                rewrite(plan, message, input, &path, value, codec, budget, &reader, &maps, scratch)
            } else {
                let records = LooseRecords::new(call.env, form.map_fields_as_maps, false);
                rewrite(plan, message, input, &path, value, codec, budget, &reader, &records, scratch)
            }
        });
        let result = match outcome {
            Ok(Outcome::Done) => framed(call, scratch, Framing::None).ok_or(Failure::OutOfMemory),
            Ok(Outcome::Unchanged) => Ok(call.argument(0)),
            Ok(Outcome::OverBudget) | Err(Unwritten::Way(Unfound::OverBudget)) => {
                Ok(call.continue_dirty(c"set", again))
            }
            Err(Unwritten::Way(Unfound::OutOfMemory)) => Err(Failure::OutOfMemory),
            Err(Unwritten::Way(Unfound::Path(step, why))) => Err(wrong(why, step)),
            Err(Unwritten::Way(Unfound::Invalid(reason, at, _))) => {
                Err(invalid(call, plan, message, input, &options, (reason, at)))
            }
            Err(Unwritten::Value(error)) => {
                let (strings, map_fields_as_maps) = (codec.strings, form.map_fields_as_maps);
                let how = Encoding { argument: 4, cache: options.cache, strings, map_fields_as_maps };
                Err(Failure::Encode(how, error))
            }
        };
        scratch.trim();
        Ok(result?)
    })
}
