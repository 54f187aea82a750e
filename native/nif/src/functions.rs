//! The exported NIFs: the table of them, and what each does.

use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, decode, encode};
use rustler::sys::*;
use std::ffi::CStr;
use std::sync::Arc;

use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, NifFunction};
use crate::cache::Snapshot;
use crate::errors::Failure;
use crate::workplace::{self, Workplace};
use crate::{cache, debug, options, proto_files};

/// The function table that `entry` hands to the VM.
pub struct Functions(pub [ErlNifFunc; 8]);

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
    nif(c"proto_defs_nif", 3, proto_defs, DIRTY_IO),
    nif(c"purge_cache_nif", 0, purge_cache, NORMAL),
    nif(c"free_replaced_nif", 0, free_replaced, DIRTY_CPU),
    nif(c"set_opts_nif", 1, set_opts, DIRTY_CPU),
    nif(c"encode_nif", 1, encode_record, NORMAL),
    nif(c"decode_nif", 2, decode_binary, NORMAL),
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

nif_function!(load_cache, |call| cache::load(call.env, call.argument(0)).map(|()| atoms().ok));

nif_function!(proto_defs, |call| call.with_rustler(proto_files::proto_defs));

nif_function!(purge_cache, |_| {
    cache::purge();
    Ok(atoms().ok)
});

nif_function!(free_replaced, |_| {
    cache::free_replaced();
    Ok(atoms().ok)
});

nif_function!(set_opts, |call| options::set(call, call.argument(0)).map(|()| atoms().ok));

nif_function!(debug_term, |call| Ok(debug::debug_term(call.env, call.argument(0))));

const NOT_A_RECORD: &str = "not a record";

/// The message of this name, and the plan it is in.
#[inline(always)]
fn find(snapshot: Option<&Arc<Snapshot>>, name: Term) -> Option<(&Plan, u32)> {
    let plan = &snapshot?.plan;
    Some((plan, plan.message_named(name)?))
}

/// Why the message of this name was not found; `argument` is where the name came from, and `wrong` says what is the
/// matter if it is none.
#[cold]
fn not_found(
    env: *mut ErlNifEnv,
    snapshot: Option<&Arc<Snapshot>>,
    name: Term,
    argument: i64,
    wrong: &'static str,
) -> Failure {
    match snapshot {
        _ if !beam::is_atom(env, name) => Failure::BadArgument(argument, wrong),
        None => Failure::CacheNotExists,
        Some(_) => Failure::UnknownMessage(argument, name),
    }
}

nif_function!(encode_record, |call| {
    let record = call.argument(0);
    let reader = BeamReader::new(call.env);
    let name = reader.tuple(record).and_then(|record| record.first().copied());
    let name = name.ok_or(Failure::BadArgument(1, NOT_A_RECORD))?;
    workplace::with(|Workplace { allowance, cache, encode: scratch, .. }| {
        let snapshot = cache.load().as_ref();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call.env, snapshot, name, 1, NOT_A_RECORD));
        };
        let encoded = allowance
            .spend(call, |budget| encode::encode(plan, message, record, options::strings(), budget, &reader, scratch));
        let result = match encoded {
            Ok(encode::Outcome::Done) => {
                let len = scratch.output.len();
                let binary = beam::try_make_binary_with(call.env, len, |target| scratch.output.copy_to(target));
                binary.ok_or(Failure::OutOfMemory)
            }
            Ok(encode::Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
            Ok(encode::Outcome::OverBudget) => Ok(call.continue_dirty(c"encode", encode_record)),
            Err(error) => Err(Failure::Encode(error)),
        };
        scratch.trim();
        result
    })
});

/// Whether a binary of this length, where that is known, may be copied here to be read.
#[cold]
fn may_copy(len: Option<usize>) -> bool {
    len.is_none_or(|len| workplace::with(|workplace| workplace.allowance.takes(len)))
}

nif_function!(decode_binary, |call| {
    let (binary, name) = (call.argument(0), call.argument(1));
    let reader = BeamReader::new(call.env);
    let input = match reader.binary(binary) {
        Some(input) => input,
        None if may_copy(reader.copied_len(binary)) => {
            reader.copied_binary(binary).ok_or(Failure::BadArgument(1, "not a binary"))?
        }
        None => return Ok(call.continue_dirty(c"decode", decode_binary)),
    };
    workplace::with(|Workplace { allowance, cache, decode: scratch, .. }| {
        let snapshot = cache.load().as_ref();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call.env, snapshot, name, 2, "not the name of a message"));
        };
        let options = options::decoding();
        if !allowance.takes(input.len()) && !allowance.takes(decode::gone_over(plan, message, input, options)) {
            return Ok(call.continue_dirty(c"decode", decode_binary));
        }
        let mut builder = BeamBuilder::new(call.env, binary, input);
        let decoded = allowance
            .spend(call, |budget| decode::decode(plan, message, input, options, budget, &mut builder, scratch));
        match decoded {
            Ok(decode::Outcome::Done(record)) => Ok(record),
            Ok(decode::Outcome::OutOfMemory) => Err(Failure::OutOfMemory),
            Ok(decode::Outcome::OverBudget) => Ok(call.continue_dirty(c"decode", decode_binary)),
            Err(error) => Err(Failure::Decode(name, error, options)),
        }
    })
});
