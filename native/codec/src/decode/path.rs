//! Where in a message a failure is, worked out from the stack once it has happened.

use super::stack::Scratch;
use crate::path::Path;
use crate::schema::Plan;
use crate::wire::tag;

/// The message that was asked for and the names of the fields down to the one whose tag is at `offset`.
pub(super) fn of_failure(plan: &Plan, scratch: &Scratch, input: &[u8], offset: usize) -> String {
    let mut nodes = Vec::new();
    let mut index = scratch.current;
    while let Some(node) = scratch.nodes.get(index as usize) {
        nodes.push(node);
        if index == 0 {
            break;
        }
        index = node.parent;
    }
    let mut path = Path::default();
    let mut message = None;
    for node in nodes.iter().rev() {
        let inner = &plan.messages[node.message as usize];
        match message {
            None => path.push(&inner.name.text),
            Some(outer) => path.push_field(outer, node.field as usize, node.member),
        }
        message = Some(inner);
    }
    let mut pos = offset;
    let end = nodes.first().map_or(0, |node| node.end);
    if let (Some(table), Ok(tag)) = (message, tag::read(&input[..end], &mut pos)) {
        let action = table.decode.get(tag);
        path.push_field(table, action.field as usize, action.member);
    }
    path.text()
}
