//! Making terms, for the decoder.

use protobuf_codec::Term;
use protobuf_codec::term::TermBuilder;
use rustler::sys::ErlNifEnv;

use super::api;
use super::direct::{self, Layout};

/// Binaries of up to this many bytes are copied out of the input: they take no more words of the heap than a reference
/// into it, and keep nothing else alive. (From OTP 27 on the VM copies up to 64 bytes by itself.)
const COPIED_LEN: usize = 24;

/// Longer binaries are references. So a field may keep an input of up to this many bytes alive, but of a longer input
/// no more than [`KEPT_FACTOR`] times its own length: shorter fields are copied then.
const KEPT_INPUT: usize = 128 * 1024;
const KEPT_FACTOR: usize = 16;

/// Which binaries of a result are copied out of the input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Copying {
    /// Those that take little, or that would keep much alive.
    Auto,
    /// All.
    All,
    /// None, so that the VM may still copy short ones by itself.
    Nothing,
}

/// Makes the terms of a call.
pub struct BeamBuilder<'i> {
    env: *mut ErlNifEnv,
    /// Whether small integers may be made as words.
    as_words: bool,
    /// The input as a term, and its bytes.
    input: Term,
    bytes: &'i [u8],
    /// Binaries of up to this many bytes are copied.
    copied_len: usize,
    empty_binary: Option<Term>,
    zero_float: Option<Term>,
}

impl<'i> BeamBuilder<'i> {
    /// A builder for the duration of a call that decodes `input`, whose bytes are `bytes`.
    #[inline(always)]
    pub fn new(env: *mut ErlNifEnv, input: Term, bytes: &'i [u8], copying: Copying) -> BeamBuilder<'i> {
        let as_words = direct::layout() != Layout::Unknown;
        let copied_len = match copying {
            Copying::Auto if bytes.len() > KEPT_INPUT => bytes.len() / KEPT_FACTOR,
            Copying::Auto => COPIED_LEN,
            Copying::All => usize::MAX,
            Copying::Nothing => 0,
        };
        BeamBuilder { env, as_words, input, bytes, copied_len, empty_binary: None, zero_float: None }
    }
}

impl TermBuilder for BeamBuilder<'_> {
    #[inline(always)]
    fn integer(&mut self, value: i64) -> Term {
        match direct::make_small(value).filter(|_| self.as_words) {
            Some(term) => term,
            None => api::make_integer(self.env, value),
        }
    }

    #[inline(always)]
    fn unsigned(&mut self, value: u64) -> Term {
        match i64::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => api::make_unsigned(self.env, value),
        }
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Term {
        api::make_float(self.env, value)
    }

    #[inline(always)]
    fn binary(&mut self, start: usize, len: usize) -> Term {
        if len == 0 {
            return self.empty_binary();
        }
        if len <= self.copied_len {
            return api::make_binary(self.env, self.bytes.get(start..start + len).unwrap_or_default());
        }
        // The decoder has checked that the range lies within the input.
        api::make_sub_binary(self.env, self.input, start, len)
    }

    #[inline(always)]
    fn empty_binary(&mut self) -> Term {
        let env = self.env;
        *self.empty_binary.get_or_insert_with(|| api::make_binary(env, &[]))
    }

    #[inline(always)]
    fn zero_float(&mut self) -> Term {
        let term = self.zero_float.unwrap_or_else(|| self.float(0.0));
        self.zero_float = Some(term);
        term
    }

    #[inline(always)]
    fn tuple(&mut self, elements: &[Term]) -> Term {
        api::make_tuple(self.env, elements)
    }

    #[inline(always)]
    fn list(&mut self, elements: &[Term], tail: Term) -> Term {
        if tail == crate::atoms::atoms().nil {
            return api::make_list(self.env, elements);
        }
        elements.iter().rfold(tail, |tail, element| api::make_list_cell(self.env, *element, tail))
    }
}
