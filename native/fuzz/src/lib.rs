//! Fuzzers of the codec. A case is bytes, as libFuzzer makes them; each fuzzer takes them in its own way and compares
//! what the codec does with an oracle that is written for being read, not for speed.
//!
//! They are functions of this library, so that the kept cases also run without libFuzzer: under valgrind, under Miri,
//! and with the compiler of today.
#![forbid(unsafe_code)]

pub mod any_definitions;
pub mod cases;
pub mod naive_decoder;
pub mod naive_encoder;
pub mod naive_wire;
pub mod source;
pub mod structured;

/// The term layer of the codec's own tests.
#[allow(missing_docs, dead_code)]
#[path = "../../codec/tests/behaviour/support/mod.rs"]
pub mod support;
