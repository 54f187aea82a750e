//! What a file must keep to beyond the check of its descriptor: what hangs on features, and what protoc sees otherwise.
//!
//! A file of proto2 need not: gpb and older releases of protoc take names that newer ones refuse, and nothing that the
//! library does goes by them.

use prost_types::{DescriptorProto, EnumDescriptorProto};
use protox::prost_reflect::{DescriptorPool, DynamicMessage};

use super::descriptors::PROTO3;
use super::enum_names;
use super::failure::ProtoError;
use super::features::{EnumType, FileFeatures};
use super::json_names;
use super::layout::{element_path, tag};
use super::sources::Source;

/// Refuses what protoc refuses. `pool` has the options of what is in the file.
pub fn check(source: &Source, features: &FileFeatures, pool: &DescriptorPool) -> Result<(), ProtoError> {
    let file = &source.descriptor;
    if source.edition.is_none() && file.syntax() != PROTO3 {
        return Ok(());
    }
    let checks = Checks { features, pool };
    let lists = [vec![tag::file::MESSAGE], vec![tag::file::ENUM]];
    checks
        .definitions(file.package(), &file.message_type, &file.enum_type, &lists)
        .map_err(|(path, message)| source.error_at_path(&path, message))
}

/// What is wrong with what a path leads to.
pub type Fault = (Vec<i32>, String);

struct Checks<'a> {
    features: &'a FileFeatures,
    pool: &'a DescriptorPool,
}

impl Checks<'_> {
    fn definitions(
        &self,
        scope: &str,
        messages: &[DescriptorProto],
        enums: &[EnumDescriptorProto],
        [message_list, enum_list]: &[Vec<i32>; 2],
    ) -> Result<(), Fault> {
        for (i, definition) in enums.iter().enumerate() {
            self.enumeration(&full_name(scope, definition.name()), definition).map_err(within(enum_list, i))?;
        }
        for (i, message) in messages.iter().enumerate() {
            let name = full_name(scope, message.name());
            self.message(&name, message).map_err(within(message_list, i))?;
            let lists = [vec![tag::message::NESTED], vec![tag::message::ENUM]];
            self.definitions(&name, &message.nested_type, &message.enum_type, &lists)
                .map_err(within(message_list, i))?;
        }
        Ok(())
    }

    fn message(&self, name: &str, message: &DescriptorProto) -> Result<(), Fault> {
        let format = |field: &str| self.features.get(&full_name(name, field)).json_format;
        match json_names::fault(message, format) {
            Some(fault) if !self.may_conflict(name) => Err(fault),
            _ => Ok(()),
        }
    }

    /// Whether the names of a message's fields may coincide, by its options. The parser's types have no field for this
    /// one.
    fn may_conflict(&self, message: &str) -> bool {
        let options = self.pool.get_message_by_name(message).map(|message| message.options());
        let said = |options: DynamicMessage| {
            options.get_field_by_name("deprecated_legacy_json_field_conflicts").and_then(|said| said.as_bool())
        };
        options.and_then(said).unwrap_or(false)
    }

    fn enumeration(&self, name: &str, definition: &EnumDescriptorProto) -> Result<(), Fault> {
        let is_open = self.features.get(name).enum_type == EnumType::Open;
        if is_open && definition.value.first().is_some_and(|first| first.number() != 0) {
            let number = vec![tag::enumeration::VALUE, 0, tag::enum_value::NUMBER];
            return Err((number, "the first value of an open enum must be 0".to_owned()));
        }
        enum_names::fault(definition).map_or(Ok(()), Err)
    }
}

fn full_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// The fault of an element of a list, whose path the list's own then leads to.
fn within(list: &[i32], element: usize) -> impl Fn(Fault) -> Fault {
    move |(path, message)| ([element_path(list, element), path].concat(), message)
}
