//! Definitions out of `.proto` files, `proto_defs(Files, Opts)`, or of a FileDescriptorSet.
//!
//! The way the data takes:
//!
//! ```text
//! Files, Opts ──arguments──▶ Request ──sources──▶ parsed files ──imports──▶ checked descriptors
//!                                                      └─compiler: descriptors + layout + options─────┐
//! Erlang terms ◀──value── owned terms ◀──definitions── messages, enums, what belongs to the file ◀────┘
//! ```
//!
//! All but the first and the last step run on a thread of their own, for they recurse over what they are given.

mod arguments;
mod checks;
mod compiler;
mod definitions;
mod descriptor_set;
mod descriptors;
mod editions;
mod enum_names;
mod extension_numbers;
mod extension_options;
mod failure;
mod feature_targets;
mod features;
mod fields;
mod imports;
mod json_names;
mod layout;
mod literals;
mod names;
mod nesting;
mod options;
mod ranges;
mod services;
mod sources;
mod tokens;
mod value;

use std::any::Any;
use std::thread;

use rustler::{Encoder, Env, Term};

use crate::errors::Failure;
use arguments::{Purpose, Request};
use failure::ProtoError;
use value::Value;

/// The stack of the thread that reads the files.
///
/// The parser, the check and the dropping of what they made recurse over nested options, as deep as the bounds in `sources` allow. A scheduler's own stack (320 kB for a dirty one) does not hold that. Pages of this one
/// that are not touched cost nothing.
const READER_STACK: usize = 64 << 20;

/// `proto_defs_nif(Files, Opts, ToLoad)`: `{ok, Defs}`, or `{error, Reason}` for what is wrong with a file. It fails for
/// an argument of the wrong kind.
///
/// Reads files and may take long: to be run on a dirty scheduler.
pub fn proto_defs<'a>(env: Env<'a>, [files, opts, to_load]: [Term<'a>; 3]) -> Result<Term<'a>, Failure> {
    let purpose = if to_load.decode().unwrap_or(false) { Purpose::Load } else { Purpose::Give };
    let request = Request::from_terms(files, opts, purpose)?;
    given(env, on_big_stack(move || compiler::definitions(&request)))
}

/// `descriptor_set_nif(Set, Opts, ToLoad)`: the same for a FileDescriptorSet in a binary.
pub fn descriptor_set<'a>(env: Env<'a>, [set, opts, to_load]: [Term<'a>; 3]) -> Result<Term<'a>, Failure> {
    let purpose = if to_load.decode().unwrap_or(false) { Purpose::Load } else { Purpose::Give };
    let set = arguments::bytes(set)?.as_slice().to_vec();
    let options = arguments::set_options(opts, purpose)?;
    given(env, on_big_stack(move || compiler::set_definitions(&set, &options)))
}

fn given(env: Env, result: Result<Value, ProtoError>) -> Result<Term, Failure> {
    Ok(match result.and_then(|defs| Ok(defs.to_term(env)?)) {
        Ok(defs) => (rustler::types::atom::ok(), defs).encode(env),
        Err(error) => (rustler::types::atom::error(), error.into_value().to_term_or_badarg(env)).encode(env),
    })
}

/// Runs `work` on a thread with [`READER_STACK`]; a panic in it becomes an error.
fn on_big_stack(work: impl FnOnce() -> Result<Value, ProtoError> + Send + 'static) -> Result<Value, ProtoError> {
    let thread = thread::Builder::new()
        .name("proto_defs".into())
        .stack_size(READER_STACK)
        .spawn(work)
        .map_err(|error| ProtoError::new(format!("no thread could be started to read the files: {error}")))?;
    thread.join().unwrap_or_else(|panic| Err(from_panic(panic.as_ref())))
}

fn from_panic(panic: &(dyn Any + Send)) -> ProtoError {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    ProtoError::new(format!(
        "the parser failed on this input (a fault of the parser): {}",
        said.unwrap_or("no reason given")
    ))
}
