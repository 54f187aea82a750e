//! Decoding.

use protobuf_codec::decode::{Options, Outcome, decode, gone_over};
use protobuf_codec::error::{DecodeError, DecodeReason};
use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, wire};

use super::{Called, NOT_A_NAME, find, not_found};
use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, Copying, NifFunction};
use crate::errors::Failure;
use crate::forms::FormBuilder;
use crate::options::{self, CallOptions};
use crate::workplace::{self, Workplace};

/// Whether a binary of this length, where that is known, may be copied here to be read.
#[cold]
fn may_copy(len: Option<usize>) -> bool {
    len.is_none_or(|len| workplace::with(|workplace| workplace.allowance.takes(len)))
}

/// The bytes of the first argument; nothing where they are not to be read here.
#[inline(always)]
pub fn input<'t>(call: &Call) -> Result<Option<&'t [u8]>, Failure> {
    let (binary, reader) = (call.argument(0), BeamReader::new(call.env));
    match reader.binary(binary) {
        Some(input) => Ok(Some(input)),
        None if may_copy(reader.copied_len(binary)) => {
            reader.copied_binary(binary).map(Some).ok_or(Failure::BadArgument(1, "not a binary"))
        }
        None => Ok(None),
    }
}

/// What came of decoding, as a term; nothing where it is to be done again on a dirty scheduler.
#[inline(always)]
fn decoded(decoded: Result<Outcome, Box<DecodeError>>, name: Term, options: Options) -> Called<Option<Term>> {
    match decoded {
        Ok(Outcome::Done(term)) => Ok(Some(term)),
        Ok(Outcome::OutOfMemory) => Err(Failure::OutOfMemory.into()),
        Ok(Outcome::OverBudget) => Ok(None),
        Err(error) => Err(Failure::Decode(name, error, options).into()),
    }
}

/// To a record, without options.
#[inline(always)]
pub fn record(call: &Call, again: NifFunction) -> Called {
    let (binary, name) = (call.argument(0), call.argument(1));
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode", again)) };
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.unnamed();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, None, snapshot, name, 2, NOT_A_NAME));
        };
        let options = options::decoding();
        if !allowance.takes(input.len()) && !allowance.takes(gone_over(plan, message, input, options)) {
            return Ok(call.continue_dirty(c"decode", again));
        }
        let mut builder = BeamBuilder::new(call.env, binary, input, Copying::Auto);
        let outcome =
            allowance.spend(call, |budget| decode(plan, message, input, options, budget, &mut builder, scratch));
        Ok(decoded(outcome, name, options)?.unwrap_or_else(|| call.continue_dirty(c"decode", again)))
    })
}

/// With options.
#[inline(always)]
pub fn with_options(call: &Call, again: NifFunction) -> Called {
    let mut options = CallOptions::none();
    options.read(call.env, &BeamReader::new(call.env), 3, call.argument(2))?;
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode", again)) };
    let term = message(call, &options, call.argument(0), input)?;
    Ok(term.unwrap_or_else(|| call.continue_dirty(c"decode", again)))
}

/// For a generated module, whose cache is the last argument. What fails is done again with the same as options, which gives
/// the error.
#[inline(always)]
pub fn in_module(call: &Call, again: NifFunction) -> Called {
    let (binary, name, cache_name) = (call.argument(0), call.argument(1), call.argument(2));
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode", again)) };
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.get(Some(cache_name));
        let module = snapshot.and_then(|snapshot| snapshot.module.as_ref());
        let (Some((plan, message)), Some(module)) = (find(snapshot, name), module) else {
            return Err(Failure::CacheNotExists(Some(cache_name)).into());
        };
        let CallOptions { codec, copying, form, .. } = &module.decode;
        let codec = Options { strings: codec.strings, ..options::decoding() };
        if !allowance.takes(input.len()) {
            return Ok(call.continue_dirty(c"decode", again));
        }
        let mut plain = BeamBuilder::new(call.env, binary, input, *copying);
        let outcome = allowance.spend(call, |budget| match form.is_plain() {
            true => decode(plan, message, input, codec, budget, &mut plain, scratch),
            false => {
                let mut builder = FormBuilder::new(call.env, plain, *form, codec.strings);
                decode(plan, message, input, codec, budget, &mut builder, scratch)
            }
        });
        Ok(decoded(outcome, name, codec)?.unwrap_or_else(|| call.continue_dirty(c"decode", again)))
    })
}

/// The message that is all of a binary; nothing where that is to be decoded on a dirty scheduler.
#[inline(always)]
fn message(call: &Call, options: &CallOptions, binary: Term, input: &[u8]) -> Called<Option<Term>> {
    let name = call.argument(1);
    let CallOptions { cache: cache_name, codec, copying, form } = *options;
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.get(cache_name);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, cache_name, snapshot, name, 2, NOT_A_NAME));
        };
        let refers = copying != Copying::All && !form.check_utf8;
        let small = || refers && allowance.takes(gone_over(plan, message, input, codec));
        if !allowance.takes(input.len()) && !small() {
            return Ok(None);
        }
        let mut plain = BeamBuilder::new(call.env, binary, input, copying);
        let outcome = allowance.spend(call, |budget| match form.is_plain() {
            true => decode(plan, message, input, codec, budget, &mut plain, scratch),
            false => {
                let mut builder = FormBuilder::new(call.env, plain, form, codec.strings);
                decode(plan, message, input, codec, budget, &mut builder, scratch)
            }
        });
        decoded(outcome, name, codec)
    })
}

/// A message behind its length, as a varint: `{ok, Message, Rest}`, or `{more, AtLeast}` where not all of it is there yet.
pub fn delimited(call: &Call, again: NifFunction) -> Called {
    let mut options = CallOptions::none();
    options.read(call.env, &BeamReader::new(call.env), 3, call.argument(2))?;
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode_delimited", again)) };
    let more = |missing: u64| {
        let missing = beam::make_unsigned(call.env, missing);
        Ok(beam::make_tuple(call.env, &[atoms().more, missing]))
    };
    let refused = |reason| {
        let path = beam::atom_text(call.env, call.argument(1)).unwrap_or_default();
        Err(Failure::Decode(call.argument(1), Box::new(DecodeError { reason, offset: 0, path }), options.codec).into())
    };
    let mut start = 0;
    let len = match wire::varint::read(input, &mut start) {
        Ok(len) => len,
        Err(DecodeReason::Truncated) => return more(1),
        Err(reason) => return refused(reason),
    };
    // Before all of it is waited for.
    if len > options.codec.max_size as u64 {
        return refused(DecodeReason::MaxSize);
    }
    let missing = len.saturating_sub((input.len() - start) as u64);
    if missing > 0 {
        return more(missing);
    }
    let end = start + len as usize;
    let binary = call.argument(0);
    let bytes = beam::make_sub_binary(call.env, binary, start, len as usize);
    let message = match message(call, &options, bytes, &input[start..end]) {
        Ok(message) => message,
        // Counted from where the caller does.
        Err(mut failure) => {
            if let Failure::Decode(_, error, _) = &mut *failure {
                error.offset += start;
            }
            return Err(failure);
        }
    };
    let Some(message) = message else { return Ok(call.continue_dirty(c"decode_delimited", again)) };
    let rest = beam::make_sub_binary(call.env, binary, end, input.len() - end);
    Ok(beam::make_tuple(call.env, &[atoms().ok, message, rest]))
}
