//! Reading terms, for the encoder.

use protobuf_codec::Term;
use protobuf_codec::term::{TermReader, octets_by_cells};
use rustler::sys::ErlNifEnv;

use super::api;
use super::direct::{self, Layout};

/// Reads the terms of a call.
pub struct BeamReader {
    env: *mut ErlNifEnv,
    layout: Layout,
}

impl BeamReader {
    /// A reader for the duration of a call.
    pub fn new(env: *mut ErlNifEnv) -> BeamReader {
        BeamReader { env, layout: direct::layout() }
    }

    /// Whether terms may be read where they lie.
    #[inline(always)]
    fn direct(&self) -> bool {
        self.layout != Layout::Unknown
    }
}

impl<'t> TermReader<'t> for BeamReader {
    #[inline(always)]
    fn integer(&self, term: Term) -> Option<i64> {
        if !self.direct() {
            return api::get_integer(self.env, term);
        }
        direct::small(term).or_else(|| match direct::big(term)? {
            (false, magnitude) => i64::try_from(magnitude).ok(),
            (true, magnitude) => 0i64.checked_sub_unsigned(magnitude),
        })
    }

    #[inline(always)]
    fn unsigned(&self, term: Term) -> Option<u64> {
        if !self.direct() {
            return api::get_unsigned(self.env, term);
        }
        match direct::small(term) {
            Some(value) => u64::try_from(value).ok(),
            None => direct::big(term).filter(|(negative, _)| !negative).map(|(_, magnitude)| magnitude),
        }
    }

    fn is_integer(&self, term: Term) -> bool {
        api::is_number(self.env, term) && self.float(term).is_none()
    }

    #[inline(always)]
    fn float(&self, term: Term) -> Option<f64> {
        if self.direct() { direct::float(term) } else { api::get_float(self.env, term) }
    }

    fn integer_as_float(&self, term: Term) -> Option<f64> {
        // Converting takes time in proportion to the size: what is far beyond a double's range is not looked at further.
        if !self.is_integer(term) || self.direct() && direct::is_huge(term) {
            return None;
        }
        big_as_float(api::to_external(self.env, term)?.get(1..)?)
    }

    #[inline(always)]
    fn binary(&self, term: Term) -> Option<&'t [u8]> {
        if self.direct() { direct::binary(self.layout, term) } else { api::get_binary(self.env, term) }
    }

    fn copied_len(&self, term: Term) -> Option<usize> {
        if self.direct() { direct::odd_binary_len(self.layout, term) } else { None }
    }

    fn copied_binary(&self, term: Term) -> Option<&'t [u8]> {
        api::get_binary(self.env, term)
    }

    #[inline(always)]
    fn tuple(&self, term: Term) -> Option<&'t [Term]> {
        if self.direct() { direct::tuple(term) } else { api::get_tuple(self.env, term) }
    }

    #[inline(always)]
    fn cell(&self, term: Term) -> Option<(Term, Term)> {
        if self.direct() { direct::cell(term) } else { api::get_cell(self.env, term) }
    }

    #[inline(always)]
    fn octets(&self, list: Term, max: u8, octets: &mut [u8]) -> (usize, Term) {
        if self.direct() { direct::octets(list, max, octets) } else { octets_by_cells(self, list, max, octets) }
    }
}

/// An integer of any size, as the external term format has it, as a double.
fn big_as_float(external: &[u8]) -> Option<f64> {
    const SMALL_BIG: u8 = 110;
    const LARGE_BIG: u8 = 111;
    let (sign, digits) = match external {
        [SMALL_BIG, _, sign, digits @ ..] | [LARGE_BIG, _, _, _, _, sign, digits @ ..] => (*sign, digits),
        _ => return None,
    };
    // Eight octets at a time from the highest on, rounding at each step, as erlang:float/1 does.
    let value = digits.chunks(8).rev().fold(0.0, |value: f64, chunk| {
        let mut octets = [0; 8];
        octets[..chunk.len()].copy_from_slice(chunk);
        value * 2f64.powi(64) + u64::from_le_bytes(octets) as f64
    });
    value.is_finite().then_some(if sign == 0 { value } else { -value })
}
