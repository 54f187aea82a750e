//! The terms of the BEAM: everything that calls `enif_*` to read or make one.
//!
//! Words of small integers are read and made without a call, where a check at load has found them to look as expected;
//! otherwise, and for everything else, the documented API is asked.

mod api;
mod builder;
mod call;
mod integer;
mod memory;
mod reader;

pub use api::*;
pub use builder::BeamBuilder;
pub use call::{Call, NifFunction};
pub use integer::check_small_integers;
pub use memory::{Memory, memory_of};
pub use reader::BeamReader;
