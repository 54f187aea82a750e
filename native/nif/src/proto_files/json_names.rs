//! The names of fields in JSON, which must not coincide (protobuf, "JSON Options" and `json_format` of "Feature Settings
//! for Editions").
//!
//! protoc looks at each message twice: at the names that the language makes up for all fields, and at those that count,
//! where a field is given another. What coincides is an error, but in proto2, and where an edition says
//! `LEGACY_BEST_EFFORT`, only among names that are given: for the rest protoc warns. The check of the descriptors takes
//! all files for proto3, so others get names that never coincide, and are looked at here.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::descriptors::PROTO3;
use super::failure::ProtoError;
use super::features::{FileFeatures, JsonFormat};
use super::layout::{element_path, tag};
use super::sources::Source;

/// Gives all fields of a file that is not proto3 their own names in JSON.
pub fn set_aside(file: &mut FileDescriptorProto) {
    if file.syntax() == PROTO3 {
        return;
    }
    let mut messages: Vec<&mut DescriptorProto> = file.message_type.iter_mut().collect();
    while let Some(message) = messages.pop() {
        for field in &mut message.field {
            field.json_name.clone_from(&field.name);
        }
        messages.extend(&mut message.nested_type);
    }
}

/// Refuses what protoc refuses in a file that is not proto3.
pub fn check(source: &Source, features: &FileFeatures) -> Result<(), ProtoError> {
    if source.descriptor.syntax() == PROTO3 {
        return Ok(());
    }
    let list = [tag::file::MESSAGE];
    let top = source.descriptor.message_type.iter().enumerate();
    let mut messages: Vec<_> = top.map(|(i, message)| (element_path(&list, i), message, String::new())).collect();
    // The first in the file is looked at first.
    messages.reverse();
    while let Some((path, message, around)) = messages.pop() {
        let scope = if around.is_empty() { source.descriptor.package() } else { &around };
        let name = if scope.is_empty() { message.name().to_owned() } else { format!("{scope}.{}", message.name()) };
        let is_lenient = |field: &FieldDescriptorProto| {
            features.get(&format!("{name}.{}", field.name())).json_format == JsonFormat::LegacyBestEffort
        };
        if let Some((index, sentence)) = conflict(message, is_lenient) {
            let field = element_path(&[path.as_slice(), &[tag::message::FIELD]].concat(), index);
            return Err(source.error_at_path(&[field.as_slice(), &[tag::field::NAME]].concat(), sentence));
        }
        let list = [path.as_slice(), &[tag::message::NESTED]].concat();
        let nested = message.nested_type.iter().enumerate();
        messages.extend(nested.map(|(i, inner)| (element_path(&list, i), inner, name.clone())).rev());
    }
    Ok(())
}

/// The first field whose name is another's too, and a sentence about it.
fn conflict(message: &DescriptorProto, is_lenient: impl Fn(&FieldDescriptorProto) -> bool) -> Option<(usize, String)> {
    [false, true].into_iter().find_map(|counts_given| {
        let mut seen = HashMap::new();
        message.field.iter().enumerate().find_map(|(index, field)| {
            let name = JsonName::of(field, counts_given);
            let other = match seen.entry(name.text) {
                Entry::Vacant(place) => {
                    place.insert((name.is_given, field));
                    return None;
                }
                Entry::Occupied(other) => other,
            };
            let (other_is_given, other_field) = *other.get();
            let made_up = !name.is_given && !other_is_given;
            let involves_made_up = !name.is_given || !other_is_given;
            // Of names that are both made up the first look told.
            if (counts_given && made_up) || (involves_made_up && is_lenient(field)) {
                return None;
            }
            let (text, field, other) = (other.key(), field.name(), other_field.name());
            Some((index, format!("the fields '{other}' and '{field}' have the same name in JSON, '{text}'")))
        })
    })
}

/// What a field is called in JSON, and whether it was given that name.
struct JsonName {
    text: String,
    is_given: bool,
}

impl JsonName {
    fn of(field: &FieldDescriptorProto, counts_given: bool) -> Self {
        let made_up = made_up(field.name());
        // protoc writes the names that it makes up as well.
        match field.json_name.as_ref().filter(|given| counts_given && **given != made_up) {
            Some(given) => JsonName { text: given.clone(), is_given: true },
            None => JsonName { text: made_up, is_given: false },
        }
    }
}

/// The name in lower camel case.
fn made_up(name: &str) -> String {
    let mut after_underscore = false;
    name.chars()
        .filter_map(|c| {
            let is_first = std::mem::replace(&mut after_underscore, c == '_');
            (c != '_').then(|| if is_first { c.to_ascii_uppercase() } else { c })
        })
        .collect()
}
