//! Encoding.

use protobuf_codec::encode::{Outcome, Scratch, encode, encode_from};
use protobuf_codec::error::EncodeError;
use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::wire::varint;
use protobuf_codec::{StringOptions, Term};
use rustler::sys::ErlNifEnv;

use super::{Called, NOT_A_NAME, find, not_found};
use crate::beam::{self, BeamReader, Call, NifFunction};
use crate::errors::{Encoding, Failure};
use crate::forms::{Form, LooseRecords, Maps};
use crate::options::{self, CallOptions};
use crate::workplace::{self, Workplace};

const NOT_A_RECORD: &str = "not a record";
const NOT_A_RECORD_HERE: &str = "not a record; what message a map is has to be said: encode(Map, MsgName, Opts)";

/// The name of the message that a record is.
#[inline(always)]
fn name_of(reader: &BeamReader, record: Term, wrong: &'static str) -> Result<Term, Failure> {
    let name = reader.tuple(record).and_then(|record| record.first().copied());
    name.ok_or(Failure::BadArgument(1, wrong))
}

/// What stands around the bytes of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Nothing.
    None,
    /// Their number before them, as a varint.
    Delimited,
}

/// What came of encoding into the output, as a term.
#[inline(always)]
fn encoded(
    call: &Call,
    encoded: Result<Outcome, Box<EncodeError>>,
    scratch: &mut Scratch,
    framing: Framing,
    how: impl FnOnce() -> Encoding,
    again: NifFunction,
) -> Called {
    let result = match encoded {
        Ok(Outcome::Done) => framed(call, scratch, framing).ok_or_else(|| Failure::OutOfMemory.into()),
        Ok(Outcome::OutOfMemory) => Err(Failure::OutOfMemory.into()),
        Ok(Outcome::OverBudget) => Ok(call.continue_dirty(c"encode", again)),
        Err(error) => Err(Failure::Encode(how(), error).into()),
    };
    scratch.trim();
    result
}

/// The binary of what was written.
#[inline(always)]
pub(super) fn framed(call: &Call, scratch: &mut Scratch, framing: Framing) -> Option<Term> {
    let (output, reader) = (&mut scratch.output, BeamReader::new(call.env));
    let octets = |binary| reader.binary(binary).unwrap_or_default();
    let len = output.len();
    match framing {
        Framing::None => beam::try_make_binary_with(call.env, len, |target| output.copy_to(target, octets)),
        Framing::Delimited => {
            let mut prefix = [0; varint::MAX_LEN];
            let prefix_len = varint::write(len as u64, &mut prefix);
            beam::try_make_binary_with(call.env, prefix_len + len, |target| {
                let (before, message) = target.split_at_mut(prefix_len);
                before.copy_from_slice(&prefix[..prefix_len]);
                output.copy_to(message, octets);
            })
        }
    }
}

/// A record, without options.
#[inline(always)]
pub fn record(call: &Call, again: NifFunction) -> Called {
    let record = call.argument(0);
    let reader = BeamReader::new(call.env);
    let name = name_of(&reader, record, NOT_A_RECORD)?;
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.unnamed();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, None, snapshot, name, 1, NOT_A_RECORD));
        };
        let outcome =
            allowance.spend(call, |budget| encode(plan, message, record, options::strings(), budget, &reader, scratch));
        encoded(
            call,
            outcome,
            scratch,
            Framing::None,
            || Encoding { argument: 1, cache: None, strings: options::strings(), map_fields_as_maps: false },
            again,
        )
    })
}

/// For a generated module, whose cache is the last argument; with the name of the message before that or without. What
/// fails is done again with the same as options, which gives the error.
#[inline(always)]
pub fn in_module(call: &Call, again: NifFunction) -> Called {
    let term = call.argument(0);
    let reader = BeamReader::new(call.env);
    let (name, cache_name) = match call.arguments.len() {
        2 => (name_of(&reader, term, NOT_A_RECORD)?, call.argument(1)),
        _ => (call.argument(1), call.argument(2)),
    };
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.get(Some(cache_name));
        let module = snapshot.and_then(|snapshot| snapshot.module.as_ref());
        let (Some((plan, message)), Some(module)) = (find(snapshot, name), module) else {
            return Err(Failure::CacheNotExists(Some(cache_name)).into());
        };
        let CallOptions { form, codec, .. } = &module.encode;
        let outcome = allowance.spend(call, |budget| {
            in_form(call.env, plan, message, term, (*form, codec.strings, false), budget, &reader, scratch)
        });
        let map_fields_as_maps = form.map_fields_as_maps;
        let how = || Encoding { argument: 1, cache: Some(cache_name), strings: codec.strings, map_fields_as_maps };
        encoded(call, outcome, scratch, Framing::None, how, again)
    })
}

/// What a call is to encode, and how.
pub struct Asked {
    pub term: Term,
    /// The name of the message, in which argument that is, and what is said of it if it is none.
    pub name: Term,
    pub argument: i64,
    pub wrong: &'static str,
    pub options: CallOptions,
}

/// Reads arguments that end with options, with the name of the message before them or without.
#[inline(always)]
pub fn asked(call: &Call, reader: &BeamReader) -> Result<Asked, Failure> {
    let term = call.argument(0);
    let (argument, options_argument) = if call.arguments.len() == 2 { (1, 2) } else { (2, 3) };
    let mut options = CallOptions::none();
    options.read(call.env, reader, options_argument, call.argument(options_argument as usize - 1))?;
    let (name, wrong) = match argument {
        1 => (name_of(reader, term, NOT_A_RECORD_HERE)?, NOT_A_RECORD_HERE),
        _ => (call.argument(1), NOT_A_NAME),
    };
    Ok(Asked { term, name, argument, wrong, options })
}

/// With options, and with the name of the message before them or without.
#[inline(always)]
pub fn with_options(call: &Call, framing: Framing, again: NifFunction) -> Called {
    let reader = BeamReader::new(call.env);
    let Asked { term, name, argument, wrong, options } = asked(call, &reader)?;
    let (form, strings) = (options.form, options.codec.strings);
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.get(options.cache);
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, options.cache, snapshot, name, argument, wrong));
        };
        let outcome = allowance.spend(call, |budget| {
            in_form(call.env, plan, message, term, (form, strings, false), budget, &reader, scratch)
        });
        let map_fields_as_maps = form.map_fields_as_maps;
        let how = || Encoding { argument: 1, cache: options.cache, strings, map_fields_as_maps };
        encoded(call, outcome, scratch, framing, how, again)
    })
}

/// Writes a message in the form that the options say; if it is `partial`, also without what is required.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // Those of `encode`, and three.
pub fn in_form(
    env: *mut ErlNifEnv,
    plan: &Plan,
    message: u32,
    term: Term,
    (form, strings, partial): (Form, StringOptions, bool),
    budget: &mut usize,
    reader: &BeamReader,
    scratch: &mut Scratch,
) -> Result<Outcome, Box<EncodeError>> {
    if form.maps {
        let maps = Maps::new(env, form, partial);
        encode_from(plan, message, term, strings, budget, reader, &maps, scratch)
    } else if form.map_fields_as_maps || partial {
        let records = LooseRecords::new(env, form.map_fields_as_maps, partial);
        encode_from(plan, message, term, strings, budget, reader, &records, scratch)
    } else {
        encode(plan, message, term, strings, budget, reader, scratch)
    }
}
