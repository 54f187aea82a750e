//! What a file must keep to beyond the check of its descriptor: what hangs on features, and what protoc sees otherwise.
//!
//! A file of proto2 need not: gpb and older releases of protoc take names that newer ones refuse, and nothing that the
//! library does goes by them.

use std::collections::{HashMap, HashSet};

use prost_types::{DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto};
use protox::prost_reflect::{DescriptorPool, DynamicMessage, EnumDescriptor};

use super::descriptors::PROTO3;
use super::enum_names;
use super::failure::ProtoError;
use super::feature_targets::Target;
use super::features::{EnumType, FileFeatures};
use super::json_names;
use super::layout::{element_path, tag};
use super::sources::Source;

/// Refuses what protoc refuses. `pool` has the options of what is in the file, `all` the features of all files by their
/// names.
pub fn check(
    source: &Source,
    features: &FileFeatures,
    all: &HashMap<&str, FileFeatures>,
    pool: &DescriptorPool,
) -> Result<(), ProtoError> {
    let file = &source.descriptor;
    if source.edition.is_none() && file.syntax() != PROTO3 {
        return Ok(());
    }
    let checks = Checks { features, all, pool, is_edition: source.edition.is_some() };
    let lists = [vec![tag::file::MESSAGE], vec![tag::file::ENUM]];
    checks
        .definitions(file.package(), &file.message_type, &file.enum_type, &lists)
        .and_then(|()| checks.extensions(file.package(), &file.extension, tag::file::EXTENSION))
        .map_err(|(path, message)| source.error_at_path(&path, message))
}

/// What is wrong with what a path leads to.
pub type Fault = (Vec<i32>, String);

struct Checks<'a> {
    features: &'a FileFeatures,
    all: &'a HashMap<&'a str, FileFeatures>,
    pool: &'a DescriptorPool,
    is_edition: bool,
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
        let names = message.field.iter().map(FieldDescriptorProto::name);
        not_reserved(names, &message.reserved_name, &[tag::message::FIELD], tag::field::NAME)?;
        self.fields(name, message)?;
        self.extensions(name, &message.extension, tag::message::EXTENSION)?;
        let format = |field: &str| self.features.get(&full_name(name, field)).json_format;
        match json_names::fault(message, format) {
            Some(fault) if !self.may_conflict(name) => Err(fault),
            _ => Ok(()),
        }
    }

    fn fields(&self, name: &str, message: &DescriptorProto) -> Result<(), Fault> {
        let Some(found) = self.pool.get_message_by_name(name).filter(|_| self.is_edition) else { return Ok(()) };
        for (i, field) in message.field.iter().enumerate() {
            if let Some(field) = found.get_field_by_name(field.name()) {
                self.target(&Target::field(&field, self.features.get(field.full_name())))
                    .map_err(within(&[tag::message::FIELD], i))?;
            }
        }
        Ok(())
    }

    /// Those in a file or a message, in which they are the list of number `list`.
    fn extensions(&self, scope: &str, extensions: &[FieldDescriptorProto], list: i32) -> Result<(), Fault> {
        for (i, extension) in extensions.iter().enumerate().filter(|_| self.is_edition) {
            if let Some(field) = self.pool.get_extension_by_name(&full_name(scope, extension.name())) {
                self.target(&Target::extension(&field, self.features.get(field.full_name())))
                    .map_err(within(&[list], i))?;
            }
        }
        Ok(())
    }

    fn target(&self, target: &Target) -> Result<(), Fault> {
        let enum_type = |found: &EnumDescriptor| {
            let of_file = self.all.get(found.parent_file().name());
            of_file.map_or(EnumType::Open, |features| features.get(found.full_name()).enum_type)
        };
        let at_name = |sentence: &str| Err((vec![tag::field::NAME], sentence.to_owned()));
        target.fault(enum_type).map_or(Ok(()), at_name)
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
        let names = definition.value.iter().map(EnumValueDescriptorProto::name);
        not_reserved(names, &definition.reserved_name, &[tag::enumeration::VALUE], tag::enum_value::NAME)?;
        enum_names::fault(definition).map_or(Ok(()), Err)
    }
}

/// Refuses a name that is reserved. The names are those in a list that a path leads to, the field `name` of its elements.
fn not_reserved<'n>(
    names: impl Iterator<Item = &'n str>,
    reserved: &[String],
    list: &[i32],
    name: i32,
) -> Result<(), Fault> {
    let reserved: HashSet<&str> = reserved.iter().map(String::as_str).collect();
    let found = names.enumerate().find(|(_, name)| reserved.contains(name));
    let fault = |(i, found)| within(list, i)((vec![name], format!("the name '{found}' is reserved")));
    found.map_or(Ok(()), |found| Err(fault(found)))
}

fn full_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// The fault of an element of a list, whose path the list's own then leads to.
fn within(list: &[i32], element: usize) -> impl Fn(Fault) -> Fault {
    move |(path, message)| ([element_path(list, element), path].concat(), message)
}
