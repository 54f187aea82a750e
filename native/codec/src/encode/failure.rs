//! What is wrong with a value, and where it is.

use super::{Encoder, FieldTerms, MessageSource};
use crate::error::EncodeReason;
use crate::path::Path;
use crate::schema::TypeName;
use crate::schema::plan::{EncodeField, MessagePlan, Shape};
use crate::term::{Term, TermReader};

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'_, 't, R, S> {
    pub(super) fn type_name(&self, field: &EncodeField) -> TypeName {
        match field.element.scalar() {
            Some(scalar) => TypeName::Scalar(scalar),
            None => TypeName::Enum(self.plan.enums[field.index as usize].name),
        }
    }

    pub(super) fn not_a_list(&self, message: u32) -> EncodeReason {
        let table = &self.plan.messages[message as usize];
        match table.shape {
            Shape::Record(kind) => EncodeReason::InvalidListOf(kind.type_name(table.name.term)),
            Shape::Entry(_) => EncodeReason::InvalidMap,
            Shape::UnknownGroup => EncodeReason::InvalidUnknown,
        }
    }

    /// The record that was given and the fields that lead to a failure. (gpb's form: a oneof adds its name and the
    /// member's, a map `key` or `value`, a repeated field no index.)
    pub(super) fn path(&self, message: u32) -> String {
        let mut path = Path::default();
        path.push(&self.plan.messages[message as usize].name.text);
        self.path_behind(path)
    }

    /// The same behind what leads to the record.
    pub(super) fn path_behind<'p>(&'p self, mut path: Path<'p>) -> String {
        for frame in &self.frames {
            let table = &self.plan.messages[frame.table as usize];
            let fields = self.source.fields(frame.message, table);
            if frame.field >= fields.count() {
                continue;
            }
            let member = match self.reader.tuple(fields.at(frame.field)) {
                Some(&[name, _]) => name,
                _ => Term::NONE,
            };
            path.push_field(table, frame.field, member);
        }
        path.text()
    }
}

/// How many members of a oneof an error names.
const MEMBERS_NAMED: usize = 10;

#[cold]
pub(super) fn not_a_member(table: &MessagePlan, field: &EncodeField) -> EncodeReason {
    let all = table.oneofs.get(field.index as usize).map_or(&[][..], |members| members.entries());
    let members: Box<[Term]> = all.iter().take(MEMBERS_NAMED).map(|(name, _)| *name).collect();
    EncodeReason::InvalidOneof { more: all.len() - members.len(), members }
}
