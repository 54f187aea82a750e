//! What the codec does, topic by topic, on terms that are plain Rust values.

mod decode_errors;
mod definitions;
mod encode_errors;
mod groups;
mod interleaving;
mod maps;
mod merging;
mod oneofs;
mod scalars;
mod strings;
mod support;
mod unknown_fields;
mod wire_forms;
