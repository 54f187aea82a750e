//! The options of `set_opts/1`, and in `call` those of a single call.

mod call;

use protobuf_codec::{StringOptions, Term, decode};
use rustler::sys::ErlNifEnv;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering::Relaxed};

use crate::atoms::atoms;
use crate::beam::{self, Call};
use crate::errors::Failure;
pub use call::{CallOptions, module_options};

const STRING_AS_LIST: u8 = 1;
const WITH_UTF8: u8 = 2;

static STRINGS: AtomicU8 = AtomicU8::new(0);
static MAX_DEPTH: AtomicU32 = AtomicU32::new(u32::MAX);
static MAX_SIZE: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The options in force that encoding needs.
#[inline(always)]
pub fn strings() -> StringOptions {
    from_bits(STRINGS.load(Relaxed))
}

/// The options in force that decoding needs.
#[inline(always)]
pub fn decoding() -> decode::Options {
    let Limits { max_depth, max_size } = limits();
    decode::Options { strings: strings(), max_depth, max_size }
}

/// The options about strings in force, as bits to hand over to another version of the library.
pub fn string_bits() -> u8 {
    STRINGS.load(Relaxed)
}

/// Takes the options over that [`string_bits`] gave.
pub fn set_string_bits(bits: u8) {
    STRINGS.store(bits, Relaxed);
}

/// The limits of decoding, in the layout in which they are handed over to another version of the library.
#[repr(C)]
pub struct Limits {
    pub max_depth: u32,
    pub max_size: usize,
}

/// The limits in force.
pub fn limits() -> Limits {
    Limits { max_depth: MAX_DEPTH.load(Relaxed), max_size: MAX_SIZE.load(Relaxed) }
}

/// Puts limits in force.
pub fn set_limits(Limits { max_depth, max_size }: Limits) {
    MAX_DEPTH.store(max_depth, Relaxed);
    MAX_SIZE.store(max_size, Relaxed);
}

#[inline(always)]
fn from_bits(bits: u8) -> StringOptions {
    StringOptions { string_as_list: bits & STRING_AS_LIST != 0, with_utf8: bits & WITH_UTF8 != 0 }
}

/// What a list of options changes.
#[derive(Default)]
struct Changes {
    set: u8,
    clear: u8,
    max_depth: Option<u32>,
    max_size: Option<usize>,
}

/// Changes the options that the list names, all of them or, where one is wrong, none.
pub fn set(call: &Call, options: Term) -> Result<(), Failure> {
    let mut changes = Changes::default();
    let mut rest = options;
    while let Some((option, tail)) = beam::get_cell(call.env, rest) {
        changes.add(call, option).map_err(|wrong| Failure::BadTerm(1, wrong.into(), option))?;
        rest = tail;
    }
    if rest != atoms().nil {
        return Err(Failure::BadTerm(1, NO_LIST.into(), options));
    }
    let Changes { set, clear, max_depth, max_size } = changes;
    STRINGS.fetch_update(Relaxed, Relaxed, |bits| Some((bits | set) & !clear)).ok();
    if let Some(max_depth) = max_depth {
        MAX_DEPTH.store(max_depth, Relaxed);
    }
    if let Some(max_size) = max_size {
        MAX_SIZE.store(max_size, Relaxed);
    }
    Ok(())
}

impl Changes {
    /// Adds an option, the last mention of which counts; or says what is wrong with it.
    fn add(&mut self, call: &Call, option: Term) -> Result<(), &'static str> {
        let atoms = atoms();
        let Some(&[name, value]) = beam::get_tuple(call.env, option) else { return Err(NO_SUCH_OPTION) };
        if name == atoms.string_as_list {
            self.switch(STRING_AS_LIST, value)
        } else if name == atoms.with_utf8 {
            self.switch(WITH_UTF8, value)
        } else if name == atoms.max_depth {
            // Nothing that can be decoded is deeper than 32 bits can count.
            self.max_depth = Some(limit(call.env, value)?.try_into().unwrap_or(u32::MAX));
            Ok(())
        } else if name == atoms.max_size {
            self.max_size = Some(limit(call.env, value)?.try_into().unwrap_or(usize::MAX));
            Ok(())
        } else {
            Err(NO_SUCH_OPTION)
        }
    }

    fn switch(&mut self, bit: u8, value: Term) -> Result<(), &'static str> {
        let atoms = atoms();
        if value == atoms.true_ {
            (self.set, self.clear) = (self.set | bit, self.clear & !bit);
        } else if value == atoms.false_ {
            (self.set, self.clear) = (self.set & !bit, self.clear | bit);
        } else {
            return Err("string_as_list and with_utf8 take true or false");
        }
        Ok(())
    }
}

/// The value of a limit.
fn limit(env: *mut ErlNifEnv, value: Term) -> Result<u64, &'static str> {
    if value == atoms().infinity {
        return Ok(u64::MAX);
    }
    beam::get_unsigned(env, value).ok_or("max_depth and max_size take an integer from 0 on or infinity")
}

const NO_LIST: &str = "not a list of options";

const NO_SUCH_OPTION: &str =
    "there is no such option: there are {string_as_list, B}, {with_utf8, B}, {max_depth, N} and {max_size, N}";
