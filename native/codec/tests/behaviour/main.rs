//! What the codec does, topic by topic, on terms that are plain Rust values.

mod budget;
mod bulk;
mod closed_enums;
mod decode_errors;
mod deep_nesting;
mod definitions;
mod empty_messages;
mod encode_errors;
mod groups;
mod interleaving;
mod limits;
mod linear_cost;
mod lookup;
mod maps;
mod merging;
mod message_sets;
mod oneofs;
mod prost_agrees;
mod random_values;
mod scalars;
mod strings;
mod support;
mod unknown_fields;
mod wire_forms;
