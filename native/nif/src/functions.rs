//! The exported NIFs and nothing else.

use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, decode, encode};
use rustler::sys::*;
use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::Arc;

use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder, BeamReader, Call, NifFunction};
use crate::cache::Snapshot;
use crate::errors::Failure;
use crate::{cache, debug, options, proto_files};

/// The function table that `entry` hands to the VM.
pub struct Functions(pub [ErlNifFunc; 7]);

// SAFETY: the table holds pointers to statics only, and is never written.
unsafe impl Sync for Functions {}

const fn nif(name: &'static CStr, arity: u32, function: NifFunction, flags: u32) -> ErlNifFunc {
    ErlNifFunc { name: name.as_ptr(), arity, function, flags }
}

const NORMAL: u32 = 0;
const DIRTY_CPU: u32 = ERL_NIF_DIRTY_JOB_CPU_BOUND;
const DIRTY_IO: u32 = ERL_NIF_DIRTY_JOB_IO_BOUND;

/// The NIFs by the names that the Erlang module has for them.
pub static FUNCTIONS: Functions = Functions([
    nif(c"load_cache_nif", 1, load_cache, DIRTY_CPU),
    nif(c"proto_defs_nif", 3, proto_defs, DIRTY_IO),
    nif(c"purge_cache", 0, purge_cache, DIRTY_CPU),
    nif(c"set_opts_nif", 1, set_opts, NORMAL),
    nif(c"encode_nif", 1, encode_record, NORMAL),
    nif(c"decode_nif", 2, decode_binary, NORMAL),
    nif(c"debug_term", 1, debug_term, NORMAL),
]);

/// What a scheduler thread keeps from call to call.
struct Workplace {
    /// How much work a call may do here: the thread of a normal scheduler must not be held up.
    budget: usize,
    cache: cache::View,
    encode: encode::Scratch,
    decode: decode::Scratch,
    /// Work that was not reported to the VM yet.
    unreported: usize,
}

thread_local! {
    static WORKPLACE: RefCell<Workplace> = RefCell::new(Workplace {
        budget: if beam::on_normal_scheduler() { NORMAL_WORK } else { usize::MAX },
        cache: cache::view(),
        encode: encode::Scratch::default(),
        decode: decode::Scratch::default(),
        unreported: 0,
    });
}

/// Inputs of more bytes than this are decoded on a dirty scheduler from the start.
const NORMAL_INPUT: usize = 128 * 1024;

/// How much work a call may do on a normal scheduler before it starts again on a dirty one, in units of
/// [`protobuf_codec::work`]: it comes to less than a millisecond.
const NORMAL_WORK: usize = 128 * 1024;

/// How much work makes a percent of a time slice, which is about a millisecond.
const WORK_OF_A_PERCENT: usize = NORMAL_WORK / 100;

/// Reports work to the VM, so that a process that makes call after call gives way to others. A percent is the least that
/// can be reported; what is below waits for the calls that follow on the same thread.
#[inline(always)]
fn report(call: &Call, work: usize, unreported: &mut usize) {
    *unreported += work;
    if *unreported >= WORK_OF_A_PERCENT {
        call.consume_timeslice(*unreported / WORK_OF_A_PERCENT);
        *unreported %= WORK_OF_A_PERCENT;
    }
}

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

nif_function!(proto_defs, |call| Ok(call.with_rustler(proto_files::proto_defs)));

nif_function!(purge_cache, |_| {
    cache::purge();
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
    WORKPLACE.with_borrow_mut(|Workplace { budget, cache, encode: scratch, unreported, .. }| {
        let snapshot = cache.load().as_ref();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call.env, snapshot, name, 1, NOT_A_RECORD));
        };
        let mut left = *budget;
        let result = encode::encode(plan, message, record, options::current(), &mut left, &reader, scratch);
        report(call, *budget - left, unreported);
        let result = match result {
            Ok(encode::Outcome::Done) => {
                let len = scratch.output.len();
                Ok(beam::make_binary_with(call.env, len, |target| scratch.output.copy_to(target)))
            }
            Ok(encode::Outcome::OverBudget) => Ok(call.continue_dirty(c"encode", encode_record)),
            Err(error) => Err(Failure::Encode(error)),
        };
        scratch.trim();
        result
    })
});

/// Whether a binary of this length must not be copied here.
#[cold]
fn is_long(len: Option<usize>) -> bool {
    len.is_some_and(|len| len > NORMAL_INPUT) && beam::on_normal_scheduler()
}

nif_function!(decode_binary, |call| {
    let (binary, name) = (call.argument(0), call.argument(1));
    let reader = BeamReader::new(call.env);
    let input = match reader.binary(binary) {
        Some(input) => input,
        None if is_long(reader.copied_len(binary)) => return Ok(call.continue_dirty(c"decode", decode_binary)),
        None => reader.copied_binary(binary).ok_or(Failure::BadArgument(1, "not a binary"))?,
    };
    WORKPLACE.with_borrow_mut(|Workplace { budget, cache, decode: scratch, unreported, .. }| {
        let snapshot = cache.load().as_ref();
        let Some((plan, message)) = find(snapshot, name) else {
            return Err(not_found(call.env, snapshot, name, 2, "not the name of a message"));
        };
        if input.len() > NORMAL_INPUT && *budget == NORMAL_WORK {
            return Ok(call.continue_dirty(c"decode", decode_binary));
        }
        let mut builder = BeamBuilder::new(call.env, binary, input);
        let mut left = *budget;
        let result = decode::decode(plan, message, input, options::current(), &mut left, &mut builder, scratch);
        report(call, *budget - left, unreported);
        match result {
            Ok(decode::Outcome::Done(record)) => Ok(record),
            Ok(decode::Outcome::OverBudget) => Ok(call.continue_dirty(c"decode", decode_binary)),
            Err(error) => Err(Failure::Decode(name, error)),
        }
    })
});
