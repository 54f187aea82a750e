//! The names of fields in JSON, which must not coincide (protobuf, "JSON Options" and `json_format` of "Feature Settings
//! for Editions").
//!
//! protoc looks at each message twice: at the names that the language makes up for all fields, and at those that count,
//! where a field is given another. What coincides is an error, but where an edition says `LEGACY_BEST_EFFORT` only among
//! names that are given: for the rest protoc warns. The check of the descriptors goes by other rules, so for it all fields
//! get names that never coincide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::checks::Fault;
use super::features::JsonFormat;
use super::layout::tag;

/// Gives all fields of a file their own names in JSON.
pub fn set_aside(file: &mut FileDescriptorProto) {
    let mut messages: Vec<&mut DescriptorProto> = file.message_type.iter_mut().collect();
    while let Some(message) = messages.pop() {
        for field in &mut message.field {
            field.json_name.clone_from(&field.name);
        }
        messages.extend(&mut message.nested_type);
    }
}

/// What protoc refuses in a message of proto3 or an edition, by the format that each of its fields has.
pub fn fault(message: &DescriptorProto, format: impl Fn(&str) -> JsonFormat) -> Option<Fault> {
    let at_name = |(index, sentence)| {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        (vec![tag::message::FIELD, index, tag::field::NAME], sentence)
    };
    let is_lenient = |field: &FieldDescriptorProto| format(field.name()) == JsonFormat::LegacyBestEffort;
    first_fault(message, is_lenient).map(at_name)
}

/// The first field whose name is another's too, or written as those of extensions are, and a sentence about it.
fn first_fault(
    message: &DescriptorProto,
    is_lenient: impl Fn(&FieldDescriptorProto) -> bool,
) -> Option<(usize, String)> {
    [false, true].into_iter().find_map(|counts_given| {
        let mut seen = HashMap::new();
        message.field.iter().enumerate().find_map(|(index, field)| {
            let name = JsonName::of(field, counts_given);
            if name.is_given && name.text.starts_with('[') && name.text.ends_with(']') {
                let (field, text) = (field.name(), name.text);
                let sentence =
                    format!("the field '{field}' has the name in JSON '{text}': brackets are for extensions");
                return Some((index, sentence));
            }
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
