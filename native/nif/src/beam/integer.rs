//! Small integers as words.
//!
//! On every 64-bit release so far a small integer is its value shifted left by four bits over the tag `0xf`.

use protobuf_codec::Term;
use rustler::sys::{ErlNifEnv, enif_make_int64};
use std::sync::atomic::{AtomicBool, Ordering};

use super::api::word;

const TAG: u64 = 0xf;
const TAG_BITS: u32 = 4;
const MIN: i64 = -(1 << 59);
const MAX: i64 = (1 << 59) - 1;

static AS_EXPECTED: AtomicBool = AtomicBool::new(false);

/// Finds out whether small integers look as expected on this VM; until then they are taken not to.
pub fn check_small_integers(env: *mut ErlNifEnv) {
    let powers = (0..59).flat_map(|bits| [1i64 << bits, -(1i64 << bits), (1i64 << bits) - 1]);
    let as_expected = powers.chain([MIN, MAX]).all(|value| {
        // SAFETY: the VM calls into the library with a live environment.
        let made = word(unsafe { enif_make_int64(env, value) });
        made == make(value) && read(made) == Some(value)
    });
    AS_EXPECTED.store(as_expected && std::env::var_os("ENIF_PROTOBUF_API_ONLY").is_none(), Ordering::Relaxed);
}

/// Whether small integers may be read and made as words.
#[inline(always)]
pub fn as_expected() -> bool {
    AS_EXPECTED.load(Ordering::Relaxed)
}

#[inline(always)]
fn make(value: i64) -> Term {
    Term(((value as u64) << TAG_BITS) | TAG)
}

/// The word of a small integer; nothing for one that is not small.
#[inline(always)]
pub fn make_small(value: i64) -> Option<Term> {
    (MIN..=MAX).contains(&value).then(|| make(value))
}

/// The value of a small integer's word.
#[inline(always)]
pub fn read(term: Term) -> Option<i64> {
    (term.0 & TAG == TAG).then_some((term.0 as i64) >> TAG_BITS)
}
