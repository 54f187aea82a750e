//! What a term looks like inside, for the developer of a NIF.

use protobuf_codec::Term;
use rustler::sys::ErlNifEnv;

use crate::beam::{self, Memory};

/// `#{kind, word}`, with the `header` of a boxed term, and the `words` of one and of a list cell.
pub fn debug_term(env: *mut ErlNifEnv, term: Term) -> Term {
    let Memory { kind, header, words } = beam::memory_of(env, term);
    let atom = |name| beam::make_atom(env, name);
    let mut pairs = vec![(atom("kind"), atom(kind)), (atom("word"), beam::make_unsigned(env, term.0))];
    if let Some(header) = header {
        pairs.push((atom("header"), beam::make_unsigned(env, header)));
    }
    if !words.is_empty() {
        let words: Vec<Term> = words.iter().map(|word| beam::make_unsigned(env, *word)).collect();
        pairs.push((atom("words"), beam::make_list(env, &words)));
    }
    beam::make_map(env, &pairs)
}
