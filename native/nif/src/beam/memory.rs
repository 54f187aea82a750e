//! The memory behind a term, to look at. Nothing but `debug_term/1` depends on what is found there.
//!
//! The contract that the SAFETY reasons name is the one at the head of `beam`.

use protobuf_codec::Term;
use rustler::sys::*;

use super::api::{get_binary, term};

/// Primary tags: the two low bits of a word.
const LIST_TAG: u64 = 1;
const BOXED_TAG: u64 = 2;
const PRIMARY_MASK: u64 = 3;
/// The third bit may mark literals.
const POINTER_MASK: u64 = !7;
/// A header says in its bits from the sixth on how many words follow it.
const HEADER_BITS: u32 = 6;

/// What a term is, and what lies behind it.
pub struct Memory {
    pub kind: &'static str,
    /// The header, for a boxed term.
    pub header: Option<u64>,
    /// The words of a list cell, and those behind the header of a boxed term.
    pub words: Vec<u64>,
}

/// Looks at a term of this call. Words are given for list cells, tuples, floats, integers and binaries: only with these
/// does the header say how many there are.
pub fn memory_of(env: *mut ErlNifEnv, any: Term) -> Memory {
    let kind = kind_of(env, any);
    let address = (any.0 & POINTER_MASK) as *const u64;
    match any.0 & PRIMARY_MASK {
        // SAFETY: the contract; a list word points to the two words of its cell.
        LIST_TAG => Memory { kind, header: None, words: unsafe { std::slice::from_raw_parts(address, 2) }.to_vec() },
        BOXED_TAG => {
            // SAFETY: the contract; a boxed word points to a header.
            let header = unsafe { *address };
            let len = match kind {
                "tuple" | "float" | "integer" | "binary" => (header >> HEADER_BITS) as usize,
                _ => 0,
            };
            // SAFETY: behind the header of these kinds come as many words as it says.
            let words = unsafe { std::slice::from_raw_parts(address.add(1), len) }.to_vec();
            Memory { kind, header: Some(header), words }
        }
        _ => Memory { kind, header: None, words: Vec::new() },
    }
}

fn kind_of(env: *mut ErlNifEnv, any: Term) -> &'static str {
    type Test = unsafe extern "C" fn(*mut ErlNifEnv, ErlNifTerm) -> c_int;
    let is = |test: Test| {
        // SAFETY: the contract.
        unsafe { test(env, term(any)) != 0 }
    };
    let mut double = 0.0;
    if is(enif_is_atom) {
        "atom"
    } else if is(enif_is_empty_list) {
        "nil"
    } else if is(enif_is_list) {
        "list"
    } else if is(enif_is_tuple) {
        "tuple"
    } else if get_binary(env, any).is_some() {
        "binary"
    // SAFETY: the contract.
    } else if unsafe { enif_get_double(env, term(any), &mut double) } != 0 {
        "float"
    } else if is(enif_is_number) {
        "integer"
    } else if is(enif_is_map) {
        "map"
    } else if is(enif_is_fun) {
        "function"
    } else if is(enif_is_pid) {
        "pid"
    } else if is(enif_is_port) {
        "port"
    } else if is(enif_is_ref) {
        "reference"
    } else {
        "other"
    }
}
