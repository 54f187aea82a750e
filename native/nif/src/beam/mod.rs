//! The terms of the BEAM: everything that calls `enif_*` to read or make one.
//!
//! `direct` reads terms without a call where a check at load has found them to lie in memory as expected; otherwise,
//! and for everything that makes terms, the documented API is asked.
//!
//! # The contract
//!
//! To the rest of the crate these functions are safe, though types say nothing of what makes them so: a [`Term`] is any
//! word, an environment any pointer, and a reference that is given out lives as long as the caller likes. So all that
//! calls them keeps to this:
//!
//! - An environment is that of the call that is running, on its thread: a NIF's, or a load's or an upgrade's.
//! - A word is a term of that environment: an argument, a part of one, or one made with it. (Atoms, `[]` and small integers
//!   are terms of every environment: they are words and no memory.)
//! - Nothing that was read or made with them is kept beyond the call. Until then it stays where it is, unchanged: while a
//!   NIF runs, the VM neither moves nor frees what it can reach.
//!
//! Only code of this crate calls them, and the codec's engines through the two traits: they take words from where the
//! traits gave them, and keep none.
//!
//! [`Term`]: protobuf_codec::Term

mod api;
mod builder;
mod call;
mod direct;
mod memory;
mod reader;

pub use api::*;
pub use builder::{BeamBuilder, Copying};
pub use call::{Call, NifFunction, on_normal_scheduler};
pub use direct::check as check_layout;
pub use memory::{Memory, memory_of};
pub use reader::BeamReader;
