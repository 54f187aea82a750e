//! The options of `set_opts/1`.

use protobuf_codec::{StringOptions, Term};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::atoms::atoms;
use crate::beam::{self, Call};
use crate::errors::Failure;

const STRING_AS_LIST: u8 = 1;
const WITH_UTF8: u8 = 2;

static OPTIONS: AtomicU8 = AtomicU8::new(0);

/// The options in force.
#[inline(always)]
pub fn current() -> StringOptions {
    from_bits(OPTIONS.load(Ordering::Relaxed))
}

/// The options in force, as bits to hand over to another version of the library.
pub fn bits() -> u8 {
    OPTIONS.load(Ordering::Relaxed)
}

/// Takes the options over that [`bits`] gave.
pub fn set_bits(bits: u8) {
    OPTIONS.store(bits, Ordering::Relaxed);
}

#[inline(always)]
fn from_bits(bits: u8) -> StringOptions {
    StringOptions { string_as_list: bits & STRING_AS_LIST != 0, with_utf8: bits & WITH_UTF8 != 0 }
}

/// Changes the options that the list names, all of them or, where one is wrong, none.
pub fn set(call: &Call, options: Term) -> Result<(), Failure> {
    let atoms = atoms();
    let (mut set, mut clear) = (0, 0);
    let mut rest = options;
    while let Some((option, tail)) = beam::get_cell(call.env, rest) {
        let (name, value) = match beam::get_tuple(call.env, option) {
            Some(&[name, value]) => (name, value),
            _ => return Err(wrong(option)),
        };
        let bit = match name {
            _ if name == atoms.string_as_list => STRING_AS_LIST,
            _ if name == atoms.with_utf8 => WITH_UTF8,
            _ => return Err(wrong(option)),
        };
        // The last mention of an option counts.
        if value == atoms.true_ {
            (set, clear) = (set | bit, clear & !bit);
        } else if value == atoms.false_ {
            (set, clear) = (set & !bit, clear | bit);
        } else {
            return Err(wrong(option));
        }
        rest = tail;
    }
    if rest != atoms.nil {
        return Err(Failure::BadTerm(1, NO_LIST.into(), options));
    }
    OPTIONS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bits| Some((bits | set) & !clear)).ok();
    Ok(())
}

const NO_LIST: &str = "not a list of {string_as_list, boolean()} and {with_utf8, boolean()}";

fn wrong(option: Term) -> Failure {
    let sentence = "this option is neither {string_as_list, boolean()} nor {with_utf8, boolean()}";
    Failure::BadTerm(1, sentence.into(), option)
}
