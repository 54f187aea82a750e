//! Where in a message a failure is, worked out from the stack once it has happened.

use super::stack::Scratch;
use crate::error::DecodeReason;
use crate::memory::TryGrow;
use crate::path::Path;
use crate::schema::Plan;
use crate::term::Term;
use crate::wire::tag;

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
