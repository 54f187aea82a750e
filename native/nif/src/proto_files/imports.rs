//! Reading files with what they import, and checking each behind what it imports.

use std::collections::HashSet;

use prost_types::FileDescriptorProto;
use protox::prost_reflect::{DescriptorError, DescriptorPool};

use super::descriptors::PROTO3;
use super::failure::{ProtoError, with_help};
use super::json_names;
use super::layout::tag;
use super::sources::{Read, Sources};

/// The files and all that they import, and the pool of what is in them.
pub fn read_all(files: &[String], include_dirs: &[String]) -> Result<(Read, DescriptorPool), ProtoError> {
    let mut imports =
        Imports { sources: Sources::new(include_dirs), pool: DescriptorPool::new(), done: HashSet::new() };
    for file in files {
        let name = imports.sources.ask_for(file)?;
        imports.add(name)?;
    }
    Ok((imports.sources.read, imports.pool))
}

struct Imports {
    sources: Sources,
    pool: DescriptorPool,
    /// The names of the files that are checked.
    done: HashSet<String>,
}

/// A file that is being read: how many of its imports have been looked at.
struct Open {
    name: String,
    file: FileDescriptorProto,
    imports: usize,
}

impl Imports {
    fn add(&mut self, name: String) -> Result<(), ProtoError> {
        let mut open = Vec::new();
        self.open(name, &mut open)?;
        while let Some(file) = open.last_mut() {
            if let Some(import) = file.file.dependency.get(file.imports).cloned() {
                let is_twice = file.file.dependency.iter().take(file.imports).any(|other| *other == import);
                file.imports = file.imports.saturating_add(1);
                if is_twice {
                    return Err(self.at_import(&open, format!("import '{import}' was listed twice")));
                }
                self.open(import, &mut open)?;
            } else if let Some(Open { name, mut file, .. }) = open.pop() {
                if file.syntax() == PROTO3 {
                    // What the check holds against proto3 alone is not what protoc does: `checks` has that.
                    file.syntax = None;
                }
                json_names::set_aside(&mut file);
                self.pool.add_file_descriptor_proto(file).map_err(|error| self.explained(&error))?;
                self.done.insert(name);
            }
        }
        Ok(())
    }

    /// Opens a file that is asked for, or imported by the last of those that are open.
    fn open(&mut self, name: String, open: &mut Vec<Open>) -> Result<(), ProtoError> {
        if self.done.contains(&name) {
            return Ok(());
        }
        if open.iter().any(|file| file.name == name) {
            let mut names: Vec<&str> = open.iter().map(|file| file.name.as_str()).collect();
            names.push(&name);
            return Err(self.at_import(open, format!("files import each other: {}", names.join(" -> "))));
        }
        match self.sources.open(&name)? {
            Some(mut file) => {
                // Places are looked up here; the check goes through all of them for each option.
                file.source_code_info = None;
                open.push(Open { name, file, imports: 0 });
                Ok(())
            }
            None => Err(self.at_import(open, format!("import '{name}' not found{}", self.sources.sought(&name)))),
        }
    }

    /// What is wrong with the last import that was looked at.
    fn at_import(&self, open: &[Open], message: String) -> ProtoError {
        // A second name of a file has no text: it is that file, which is open too.
        let importing = open.iter().rev().find_map(|file| Some((file, self.sources.source(&file.name)?)));
        let Some((file, source)) = importing else { return ProtoError::new(message) };
        let index = i32::try_from(file.imports.saturating_sub(1)).unwrap_or(i32::MAX);
        source.error_at_path(&[tag::file::IMPORT, index], message)
    }

    fn explained(&self, error: &DescriptorError) -> ProtoError {
        let message = with_help(error);
        let Some(name) = error.file() else { return ProtoError::new(message) };
        match self.sources.source(name) {
            Some(source) => source.error_at_path(error.path().unwrap_or_default(), message),
            None => ProtoError::in_file(name, message),
        }
    }
}
