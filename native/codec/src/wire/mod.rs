//! The wire format: tags, varints, UTF-8, skipping, and the output buffer.

pub mod output;
pub mod skip;
pub mod tag;
pub mod utf8;
pub mod varint;
