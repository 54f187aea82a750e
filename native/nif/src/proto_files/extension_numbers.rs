//! The numbers of extensions: two extensions of one message have two, wherever they are defined.

use std::collections::HashMap;

use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::failure::ProtoError;
use super::layout::{element_path, tag};
use super::sources::Source;

/// Refuses an extension whose number another one has. `files` have imports behind what imports them.
pub fn check(files: &[(&Source, &FileDescriptorProto)]) -> Result<(), ProtoError> {
    let mut seen = HashMap::new();
    for (source, file) in files.iter().rev() {
        for (path, extension) in extensions(file) {
            if let Some(first) = seen.insert((extension.extendee(), extension.number()), extension.name()) {
                let (message, number) = (extension.extendee().trim_start_matches('.'), extension.number());
                let path = [path.as_slice(), &[tag::field::NUMBER]].concat();
                let sentence = format!("the number {number} of extensions of {message} is that of '{first}' already");
                return Err(source.error_at_path(&path, sentence));
            }
        }
    }
    Ok(())
}

/// All extensions in a file, with the paths that lead to them.
fn extensions(file: &FileDescriptorProto) -> Vec<(Vec<i32>, &FieldDescriptorProto)> {
    let mut found = Vec::new();
    let mut messages: Vec<(Vec<i32>, &DescriptorProto)> =
        elements(vec![tag::file::MESSAGE], &file.message_type).collect();
    found.extend(elements(vec![tag::file::EXTENSION], &file.extension));
    while let Some((path, message)) = messages.pop() {
        let list = |list: i32| [path.as_slice(), &[list]].concat();
        found.extend(elements(list(tag::message::EXTENSION), &message.extension));
        messages.extend(elements(list(tag::message::NESTED), &message.nested_type));
    }
    found
}

/// The elements of a list that a path leads to, each with its own.
fn elements<T>(list: Vec<i32>, all: &[T]) -> impl Iterator<Item = (Vec<i32>, &T)> {
    all.iter().enumerate().map(move |(i, element)| (element_path(&list, i), element))
}
