//! Where in a message a failure is, worked out once it has happened: from the stack, or from the bytes.

use super::stack::Scratch;
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::path::Path;
use crate::schema::Plan;
use crate::schema::plan::Kind;
use crate::term::Term;
use crate::wire::{skip, tag};

/// The message that was asked for and the names of the fields down to the one whose tag is at `offset`.
pub(super) fn of_failure(
    plan: &Plan,
    root: u32,
    scratch: &Scratch,
    input: &[u8],
    offset: usize,
    reason: DecodeReason,
) -> String {
    let mut nodes = Vec::new();
    let mut index = scratch.current;
    while let Some(node) = scratch.nodes.get(index as usize).filter(|_| index != 0) {
        // Without memory for all of them the path begins further in.
        if nodes.try_push(node).is_err() {
            break;
        }
        index = node.parent;
    }
    let mut path = Path::default();
    let mut message = &plan.messages[root as usize];
    path.push(&message.name.text);
    for node in nodes.iter().rev() {
        path.push_field(message, node.field as usize, node.member);
        message = &plan.messages[node.message as usize];
    }
    if reason == DecodeReason::MissingRequired {
        path.push_field(message, scratch.missing as usize, Term::NONE);
        return path.text();
    }
    let end = scratch.nodes.get(scratch.current as usize).map_or(0, |node| node.end);
    let mut pos = offset;
    if let Ok(tag) = tag::read(&input[..end], &mut pos) {
        let action = message.decode.get(tag);
        path.push_field(message, action.field as usize, action.member);
    }
    path.text()
}

/// The message that was asked for and the names of the fields down to the one whose tag is at `offset`: for a failure of
/// what goes over the bytes without a stack.
pub fn path_to(plan: &Plan, root: u32, input: &[u8], offset: usize) -> String {
    let mut message = &plan.messages[root as usize];
    let (mut path, mut groups) = (Path::default(), Vec::new());
    path.push(&message.name.text);
    let (mut start, mut end) = (0, input.len());
    while start < end {
        let (data, mut pos) = (&input[..end], start);
        let Ok(field_tag) = tag::read(data, &mut pos) else { break };
        let content = pos;
        let next = skip::field_end::<Unskipped>(data, content, field_tag, u32::MAX, &mut groups);
        // What cannot be passed over is where it fails.
        let next = next.unwrap_or(usize::MAX);
        if next <= offset {
            start = next;
            continue;
        }
        let action = message.decode.get(field_tag);
        path.push_field(message, action.field as usize, action.member);
        let is_message = match action.kind {
            Kind::Message | Kind::Messages => true,
            Kind::SetItem => tag::wire_type(field_tag) == tag::LENGTH_DELIMITED,
            // The entry of a map.
            Kind::ClosedEnum => action.element == Kind::Messages,
            _ => false,
        };
        if start == offset || !is_message {
            break;
        }
        if tag::wire_type(field_tag) == tag::LENGTH_DELIMITED {
            let Ok(payload) = skip::payload_end(data, &mut pos) else { break };
            end = payload;
        }
        (start, message) = (pos, &plan.messages[action.index as usize]);
    }
    path.text()
}

/// Why a field could not be passed over: for whatever reason.
struct Unskipped;

impl From<DecodeReason> for Unskipped {
    fn from(_: DecodeReason) -> Unskipped {
        Unskipped
    }
}

impl From<OutOfMemory> for Unskipped {
    fn from(_: OutOfMemory) -> Unskipped {
        Unskipped
    }
}
