//! The exported NIFs: the table of them, and what each does.

use protobuf_codec::error::{DecodeError, EncodeError};
use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::{StringOptions, Term, decode, encode};
use rustler::sys::*;
use std::ffi::CStr;
use std::sync::Arc;

use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, Copying, NifFunction};
use crate::cache::Snapshot;
use crate::errors::Failure;
use crate::forms::{Form, FormBuilder, Maps, RecordsWithMaps};
use crate::options::CallOptions;
use crate::workplace::{self, Workplace};
use crate::{cache, debug, options, proto_files};

/// The function table that `entry` hands to the VM.
pub struct Functions(pub [ErlNifFunc; 14]);

// SAFETY: the table holds pointers to statics only, and is never written.
unsafe impl Sync for Functions {}

const fn nif(name: &'static CStr, arity: u32, function: NifFunction, flags: u32) -> ErlNifFunc {
    ErlNifFunc { name: name.as_ptr(), arity, function, flags }
}

const NORMAL: u32 = 0;
const DIRTY_CPU: u32 = ERL_NIF_DIRTY_JOB_CPU_BOUND;
const DIRTY_IO: u32 = ERL_NIF_DIRTY_JOB_IO_BOUND;

/// The NIFs by the names that the Erlang module has for them. Those on normal schedulers take no longer than they may, whatever
/// they are called with; the others look at all of their argument.
pub static FUNCTIONS: Functions = Functions([
    nif(c"load_cache_nif", 1, load_cache, DIRTY_CPU),
    nif(c"load_cache_nif", 2, load_named, DIRTY_CPU),
    nif(c"proto_defs_nif", 3, proto_defs, DIRTY_IO),
    nif(c"purge_cache_nif", 0, purge_cache, NORMAL),
    nif(c"purge_cache_nif", 1, purge_named, DIRTY_CPU),
    nif(c"caches", 0, caches, DIRTY_CPU),
    nif(c"free_replaced_nif", 0, free_replaced, DIRTY_CPU),
    nif(c"set_opts_nif", 1, set_opts, DIRTY_CPU),
    nif(c"encode_nif", 1, encode_record, NORMAL),
    nif(c"encode_nif", 2, encode_with, NORMAL),
    nif(c"encode_nif", 3, encode_with, NORMAL),
    nif(c"decode_nif", 2, decode_binary, NORMAL),
    nif(c"decode_nif", 3, decode_with, NORMAL),
    nif(c"debug_term", 1, debug_term, DIRTY_CPU),
]);

macro_rules! nif_function {
    ($(#[$doc:meta])* $name:ident, $body:expr) => {
        $(#[$doc])*
        unsafe extern "C" fn $name(env: *mut ErlNifEnv, argc: c_int, argv: *const ErlNifTerm) -> ErlNifTerm {
            // SAFETY: these are the NIF's own arguments.
            unsafe { Call::run(env, argc, argv, $body) }
        }
    };
}

/// The name of a cache that is this argument.
fn cache_name(call: &Call, argument: usize) -> Result<cache::Name, Failure> {
    let name = call.argument(argument);
    match beam::is_atom(call.env, name) {
        true => Ok(Some(name)),
        false => Err(Failure::BadArgument(argument as i64 + 1, "not the name of a cache, an atom")),
    }
}

nif_function!(load_cache, |call| cache::load(call.env, None, call.argument(0)).map(|()| atoms().ok));

nif_function!(load_named, |call| {
    let name = cache_name(call, 0)?;
    cache::load(call.env, name, call.argument(1)).map(|()| atoms().ok)
});

nif_function!(proto_defs, |call| call.with_rustler(proto_files::proto_defs));

nif_function!(purge_cache, |_| {
    cache::purge(None);
    Ok(atoms().ok)
});

nif_function!(purge_named, |call| {
    cache::purge(cache_name(call, 0)?);
    Ok(atoms().ok)
});

nif_function!(caches, |call| {
    let named = cache::all_named();
    let names: Vec<Term> = named.iter().flat_map(|named| named.keys().copied()).collect();
    Ok(beam::make_list(call.env, &names))
});

nif_function!(free_replaced, |_| {
    cache::free_replaced();
    Ok(atoms().ok)
});

nif_function!(set_opts, |call| options::set(call, call.argument(0)).map(|()| atoms().ok));

nif_function!(debug_term, |call| Ok(debug::debug_term(call.env, call.argument(0))));

/// The message of this name, and the plan it is in.
#[inline(always)]
fn find(snapshot: Option<&Arc<Snapshot>>, name: Term) -> Option<(&Plan, u32)> {
    let plan = &snapshot?.plan;
    Some((plan, plan.message_named(name)?))
}

/// Why the message of this name was not found in a cache; `argument` is where the name came from, and `wrong` says what is
/// the matter if it is none.
#[cold]
fn not_found(
    call: &Call,
    cache: cache::Name,
    snapshot: Option<&Arc<Snapshot>>,
    name: Term,
    argument: i64,
    wrong: &'static str,
) -> Failure {
    match (snapshot, cache) {
        (None, Some(cache)) if !beam::is_atom(call.env, cache) => {
            // Options are the last argument.
            let wrong = "the option cache takes the name of one, an atom";
            Failure::BadTerm(call.arguments.len() as i64, wrong.into(), cache)
        }
        _ if !beam::is_atom(call.env, name) => Failure::BadArgument(argument, wrong),
        (None, _) => Failure::CacheNotExists(cache),
        (Some(_), _) => Failure::UnknownMessage(cache, argument, name),
    }
}

const NOT_A_RECORD: &str = "not a record";
const NOT_A_NAME: &str = "not the name of a message";

/// The name of the message that a record is.
#[inline(always)]
fn name_of(reader: &BeamReader, record: Term, wrong: &'static str) -> Result<Term, Failure> {
    let name = reader.tuple(record).and_then(|record| record.first().copied());
    name.ok_or(Failure::BadArgument(1, wrong))
}

/// What came of encoding into the output, as a term.
#[inline(always)]
fn encoded(
    call: &Call,
    encoded: Result<encode::Outcome, EncodeError>,
    scratch: &mut encode::Scratch,
    context: impl FnOnce() -> (cache::Name, StringOptions),
    again: NifFunction,
) -> Result<Term, Failure> {
    let result = match encoded {
        Ok(encode::Outcome::Done) => {
            let len = scratch.output.len();
            let binary = beam::try_make_binary_with(call.env, len, |target| scratch.output.copy_to(target));
            binary.ok_or(Failure::OutOfMemory)
        }
        Ok(encode::Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
        Ok(encode::Outcome::OverBudget) => Ok(call.continue_dirty(c"encode", again)),
        Err(error) => {
            let (cache, strings) = context();
            Err(Failure::Encode(cache, strings, error))
        }
    };
    scratch.trim();
    result
}

nif_function!(encode_record, |call| {
    let record = call.argument(0);
    let reader = BeamReader::new(call.env);
    let name = name_of(&reader, record, NOT_A_RECORD)?;
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.unnamed();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, None, snapshot, name, 1, NOT_A_RECORD));
        };
        let outcome = allowance
            .spend(call, |budget| encode::encode(plan, message, record, options::strings(), budget, &reader, scratch));
        encoded(call, outcome, scratch, || (None, options::strings()), encode_record)
    })
});

nif_function!(
    /// With options, and with the name of the message before them or without.
    encode_with,
    |call| {
        let term = call.argument(0);
        let reader = BeamReader::new(call.env);
        let (name_argument, options_argument) = if call.arguments.len() == 2 { (1, 2) } else { (2, 3) };
        let mut options = CallOptions::none();
        options.read(call, &reader, options_argument, call.argument(options_argument as usize - 1))?;
        let (name, wrong) = match name_argument {
            1 => (name_of(&reader, term, NOT_A_RECORD_HERE)?, NOT_A_RECORD_HERE),
            _ => (call.argument(1), NOT_A_NAME),
        };
        let (form, strings) = (options.form, options.codec.strings);
        workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
            let snapshot = cache.get(options.cache);
            let Some((plan, message)) = find(snapshot, name) else {
                return Err(not_found(call, options.cache, snapshot, name, name_argument, wrong));
            };
            let outcome = allowance.spend(call, |budget| match form {
                Form { maps: true, .. } => {
                    let maps = Maps::new(call.env, form);
                    encode::encode_from(plan, message, term, strings, budget, &reader, &maps, scratch)
                }
                Form { map_fields_as_maps: true, .. } => {
                    let records = RecordsWithMaps::new(call.env);
                    encode::encode_from(plan, message, term, strings, budget, &reader, &records, scratch)
                }
                _ => encode::encode(plan, message, term, strings, budget, &reader, scratch),
            });
            encoded(call, outcome, scratch, || (options.cache, strings), encode_with)
        })
    }
);

const NOT_A_RECORD_HERE: &str = "not a record; what message a map is has to be said: encode(Map, MsgName, Opts)";

/// Whether a binary of this length, where that is known, may be copied here to be read.
#[cold]
fn may_copy(len: Option<usize>) -> bool {
    len.is_none_or(|len| workplace::with(|workplace| workplace.allowance.takes(len)))
}

/// The bytes of the first argument; nothing where they are not to be read here.
#[inline(always)]
fn input<'t>(call: &Call) -> Result<Option<&'t [u8]>, Failure> {
    let (binary, reader) = (call.argument(0), BeamReader::new(call.env));
    match reader.binary(binary) {
        Some(input) => Ok(Some(input)),
        None if may_copy(reader.copied_len(binary)) => {
            reader.copied_binary(binary).map(Some).ok_or(Failure::BadArgument(1, "not a binary"))
        }
        None => Ok(None),
    }
}

/// What came of decoding, as a term.
#[inline(always)]
fn decoded(
    call: &Call,
    decoded: Result<decode::Outcome, DecodeError>,
    name: Term,
    options: decode::Options,
    again: NifFunction,
) -> Result<Term, Failure> {
    match decoded {
        Ok(decode::Outcome::Done(record)) => Ok(record),
        Ok(decode::Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
        Ok(decode::Outcome::OverBudget) => Ok(call.continue_dirty(c"decode", again)),
        Err(error) => Err(Failure::Decode(name, error, options)),
    }
}

nif_function!(decode_binary, |call| {
    let (binary, name) = (call.argument(0), call.argument(1));
    let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode", decode_binary)) };
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.unnamed();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call, None, snapshot, name, 2, NOT_A_NAME));
        };
        let options = options::decoding();
        if !allowance.takes(input.len()) && !allowance.takes(decode::gone_over(plan, message, input, options)) {
            return Ok(call.continue_dirty(c"decode", decode_binary));
        }
        let mut builder = BeamBuilder::new(call.env, binary, input, Copying::Auto);
        let outcome = allowance
            .spend(call, |budget| decode::decode(plan, message, input, options, budget, &mut builder, scratch));
        decoded(call, outcome, name, options, decode_binary)
    })
});

nif_function!(
    /// With options.
    decode_with,
    |call| {
        let (binary, name) = (call.argument(0), call.argument(1));
        let mut options = CallOptions::none();
        options.read(call, &BeamReader::new(call.env), 3, call.argument(2))?;
        let CallOptions { cache: cache_name, codec: options, copying, form } = options;
        let Some(input) = input(call)? else { return Ok(call.continue_dirty(c"decode", decode_with)) };
        workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
            let snapshot = cache.get(cache_name);
            let Some((plan, message)) = find(snapshot, name) else {
                return Err(not_found(call, cache_name, snapshot, name, 2, NOT_A_NAME));
            };
            let refers = copying != Copying::All && !form.check_utf8;
            let small = || refers && allowance.takes(decode::gone_over(plan, message, input, options));
            if !allowance.takes(input.len()) && !small() {
                return Ok(call.continue_dirty(c"decode", decode_with));
            }
            let mut plain = BeamBuilder::new(call.env, binary, input, copying);
            let outcome = allowance.spend(call, |budget| match form.is_plain() {
                true => decode::decode(plan, message, input, options, budget, &mut plain, scratch),
                false => {
                    let mut builder = FormBuilder::new(call.env, plain, form, options.strings);
                    decode::decode(plan, message, input, options, budget, &mut builder, scratch)
                }
            });
            decoded(call, outcome, name, options, decode_with)
        })
    }
);
