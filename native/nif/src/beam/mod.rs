//! The terms of the BEAM: everything that calls `enif_*` to read or make one.
//!
//! `direct` reads terms without a call where a check at load has found them to lie in memory as expected; otherwise,
//! and for everything that makes terms, the documented API is asked.

mod api;
mod builder;
mod call;
mod direct;
mod memory;
mod reader;

pub use api::*;
pub use builder::BeamBuilder;
pub use call::{Call, NifFunction, on_normal_scheduler};
pub use direct::check as check_layout;
pub use memory::{Memory, memory_of};
pub use reader::BeamReader;
