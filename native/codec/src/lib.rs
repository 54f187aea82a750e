//! Table-driven protobuf encoder and decoder, generic over the terms it reads and builds.
//!
//! [`Definitions`](schema::Definitions) say what was declared; [`Plan::compile`](schema::Plan::compile) checks them
//! once and lays them out as tables; [`encode`](encode::encode) and [`decode`](decode::decode) then only follow
//! the tables. Neither engine recurses: nesting lives on explicit stacks, so no input can exhaust a thread's stack.
//!
//! The crate knows nothing of the BEAM. Terms are opaque [`Term`] words that a
//! [`TermReader`](term::TermReader) and a [`TermBuilder`](term::TermBuilder) give meaning to.
#![forbid(unsafe_code)]

pub mod decode;
pub mod encode;
pub mod error;
pub mod memory;
mod path;
pub mod rewrite;
pub mod schema;
pub mod term;
pub mod wire;
pub mod work;

pub use term::Term;

/// How string fields look in terms; what `set_opts/1` sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StringOptions {
    /// Decoding gives lists instead of binaries.
    pub string_as_list: bool,
    /// Lists are of code points and binaries hold UTF-8; otherwise both are plain octets.
    pub with_utf8: bool,
}
