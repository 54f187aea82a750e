//! Where in a message a failure is, worked out from the stack once it has happened.

use super::stack::Scratch;
use crate::schema::Plan;
use crate::schema::plan::{DecodeAction, EncodeAction, MessagePlan};
use crate::term::Term;
use crate::wire::tag;

/// The message that was asked for and the names of the fields down to the one whose tag is at `offset`.
pub(super) fn of_failure(plan: &Plan, scratch: &Scratch, input: &[u8], offset: usize) -> String {
    let mut path = String::new();
    let mut message = None;
    for frame in scratch.frames.iter().skip(1).chain([&scratch.frame]) {
        match message {
            None => path.push_str(&plan.messages[frame.message as usize].name.text),
            Some(table) => push_names(&mut path, table, &frame.action),
        }
        message = plan.messages.get(frame.message as usize);
    }
    let mut pos = offset;
    if let (Some(table), Ok(tag)) = (message, tag::read(&input[..scratch.frame.end], &mut pos)) {
        if let Some(action) = table.decode.get(tag) {
            push_names(&mut path, table, action);
        }
    }
    path
}

fn push_names(path: &mut String, table: &MessagePlan, action: &DecodeAction) {
    let Some(field) = table.encode.get(action.field as usize) else { return };
    let member = match &field.action {
        EncodeAction::Oneof(members) if action.member != Term::NONE => {
            members.iter().find(|member| member.name.term == action.member)
        }
        _ => None,
    };
    for name in [Some(field), member].into_iter().flatten().map(|field| &field.name) {
        path.push('.');
        path.push_str(&name.text);
    }
}
