//! The exported NIFs: the table of them, and what each of the short ones does.

use protobuf_codec::Term;
use rustler::sys::*;
use std::ffi::CStr;

use crate::atoms::atoms;
use crate::beam::{self, Call, NifFunction};
use crate::calls::encode::Framing;
use crate::calls::{self, decode, encode, lookup, merge};
use crate::errors::Failure;
use crate::options::module_options;
use crate::{cache, debug, info, options, proto_files};

/// The function table that `entry` hands to the VM.
pub struct Functions(pub [ErlNifFunc; 29]);

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
    nif(c"load_module_nif", 3, load_module, DIRTY_CPU),
    nif(c"proto_defs_nif", 3, proto_defs, DIRTY_IO),
    nif(c"descriptor_set_nif", 3, descriptor_set, DIRTY_CPU),
    nif(c"purge_cache_nif", 0, purge_cache, NORMAL),
    nif(c"purge_cache_nif", 1, purge_named, DIRTY_CPU),
    nif(c"caches", 0, caches, DIRTY_CPU),
    nif(c"free_replaced_nif", 0, free_replaced, DIRTY_CPU),
    nif(c"set_opts_nif", 1, set_opts, DIRTY_CPU),
    nif(c"encode_nif", 1, encode_record, NORMAL),
    nif(c"encode_nif", 2, encode_with, NORMAL),
    nif(c"encode_nif", 3, encode_with, NORMAL),
    nif(c"encode_in_module", 2, encode_in_module, NORMAL),
    nif(c"encode_in_module", 3, encode_in_module, NORMAL),
    nif(c"decode_in_module", 3, decode_in_module, NORMAL),
    nif(c"decode_nif", 2, decode_record, NORMAL),
    nif(c"decode_nif", 3, decode_with, NORMAL),
    nif(c"encode_delimited_nif", 2, encode_delimited, NORMAL),
    nif(c"encode_delimited_nif", 3, encode_delimited, NORMAL),
    nif(c"encode_to_iolist_nif", 2, encode_to_iolist, NORMAL),
    nif(c"encode_to_iolist_nif", 3, encode_to_iolist, NORMAL),
    nif(c"decode_delimited_nif", 3, decode_delimited, NORMAL),
    nif(c"get_nif", 4, get, NORMAL),
    nif(c"select_nif", 4, select, NORMAL),
    nif(c"set_nif", 5, set, NORMAL),
    nif(c"merge_nif", 4, merge_messages, NORMAL),
    nif(c"info_nif", 2, message_info, DIRTY_CPU),
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

nif_function!(load_cache, |call| {
    cache::load(call.env, None, call.argument(0), None)?;
    Ok(atoms().ok)
});

nif_function!(load_named, |call| {
    let name = cache_name(call, 0)?;
    cache::load(call.env, name, call.argument(1), None)?;
    Ok(atoms().ok)
});

nif_function!(
    /// For a generated module, with the pair of lists of options that it encodes and decodes with.
    load_module,
    |call| {
        let name = cache_name(call, 0)?;
        let options = module_options(call.env, 3, call.argument(2))?;
        cache::load(call.env, name, call.argument(1), Some(options))?;
        Ok(atoms().ok)
    }
);

nif_function!(proto_defs, |call| call.with_rustler(proto_files::proto_defs));

nif_function!(descriptor_set, |call| call.with_rustler(proto_files::descriptor_set));

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

nif_function!(set_opts, |call| {
    options::set(call, call.argument(0))?;
    Ok(atoms().ok)
});

nif_function!(debug_term, |call| Ok(debug::debug_term(call.env, call.argument(0))));

nif_function!(encode_record, |call| encode::record(call, encode_record));

nif_function!(encode_with, |call| encode::with_options(call, Framing::None, encode_with));

nif_function!(encode_delimited, |call| encode::with_options(call, Framing::Delimited, encode_delimited));

nif_function!(encode_to_iolist, |call| calls::iolist::encode(call, encode_to_iolist));

nif_function!(encode_in_module, |call| encode::in_module(call, encode_in_module));

nif_function!(decode_in_module, |call| decode::in_module(call, decode_in_module));

nif_function!(decode_record, |call| decode::record(call, decode_record));

nif_function!(decode_with, |call| decode::with_options(call, decode_with));

nif_function!(decode_delimited, |call| decode::delimited(call, decode_delimited));

nif_function!(get, |call| lookup::value(call, get));

nif_function!(select, |call| lookup::values(call, select));

nif_function!(set, |call| calls::set::set(call, set));

nif_function!(merge_messages, |call| merge::merge(call, merge_messages));

nif_function!(message_info, |call| Ok(info::info(call)?));
