//! What the codec does, topic by topic, on terms that are plain Rust values.

mod maps;
mod scalars;
mod support;
