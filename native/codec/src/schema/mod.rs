//! Schemas: [`Definitions`] as they were said, and the [`plan`] that is compiled from them.

mod by_term;
mod compile;
mod definitions;
pub mod plan;

pub use definitions::{
    DefaultValue, Definitions, Enum, EnumValue, Field, Member, Message, MessageKind, Name, Occurrence, Oneof, Scalar,
    Type, TypeName,
};
pub use plan::Plan;
