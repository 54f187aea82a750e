//! What the NIFs that encode and decode do.

pub mod decode;
pub mod encode;
pub mod iolist;
pub mod lookup;
pub mod merge;
pub mod set;

use protobuf_codec::Term;
use protobuf_codec::schema::Plan;
use std::sync::Arc;

use crate::beam::{self, Call};
use crate::cache::{self, Snapshot};
use crate::errors::Failure;

/// What a call gives that is to be fast. A failure is boxed: what is handed through instead of a term is a word as well.
pub type Called<T = Term> = Result<T, Box<Failure>>;

/// What is said of an argument that should be the name of a message.
pub const NOT_A_NAME: &str = "not the name of a message";

/// The message of this name, and the plan it is in.
#[inline(always)]
pub fn find(snapshot: Option<&Arc<Snapshot>>, name: Term) -> Option<(&Plan, u32)> {
    let plan = &snapshot?.plan;
    Some((plan, plan.message_named(name)?))
}

/// Why the message of this name was not found in a cache; `argument` is where the name came from, and `wrong` says what is
/// the matter if it is none.
#[cold]
pub fn not_found(
    call: &Call,
    cache: cache::Name,
    snapshot: Option<&Arc<Snapshot>>,
    name: Term,
    argument: i64,
    wrong: &'static str,
) -> Box<Failure> {
    Box::new(match (snapshot, cache) {
        (None, Some(cache)) if !beam::is_atom(call.env, cache) => {
            // Options are the last argument.
            let wrong = "the option cache takes the name of one, an atom";
            Failure::BadTerm(call.arguments.len() as i64, wrong.into(), cache)
        }
        _ if !beam::is_atom(call.env, name) => Failure::BadArgument(argument, wrong),
        (None, _) => Failure::CacheNotExists(cache),
        (Some(_), _) => Failure::UnknownMessage(cache, argument, name),
    })
}
