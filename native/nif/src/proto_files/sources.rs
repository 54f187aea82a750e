//! Finding and reading `.proto` files, and what was written in each of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf, absolute};
use std::{fs, io};

use miette::Diagnostic;
use prost_types::FileDescriptorProto;
use protox::Error;
use protox::file::{File, FileResolver, GoogleFileResolver};

use super::editions::{Edition, Fault};
use super::extension_options;
use super::failure::{ProtoError, with_help};
use super::layout::Layout;
use super::nesting;

/// The largest file that is read: far above any that a person or a generator writes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How deep braces, brackets and names of several parts may nest.
///
/// The parser, the check and the dropping of what they made recurse over nested values of options. A level takes them
/// less than 4 kB of stack (20,000 were read on `READER_STACK`), but time that grows with the square of the depth. No
/// reader of protobuf accepts messages deeper than 100 by default, so this leaves room.
const MAX_NESTING: usize = 256;

/// How many files are read: far more than any project has.
const MAX_FILES: usize = 10_000;

/// A file as it was written: its options not yet interpreted, its names not yet resolved.
#[derive(Debug)]
pub struct Source {
    /// The name under which it is imported.
    pub name: String,
    /// Where it was found; `None` for the well-known files that come with the library.
    pub path: Option<PathBuf>,
    pub text: String,
    /// What it was parsed as, where it is written in an edition.
    pub edition: Option<Edition>,
    pub descriptor: FileDescriptorProto,
}

impl Source {
    /// What the places in the descriptor, and those of the compiler's errors, are places of.
    pub fn parsed_text(&self) -> &str {
        self.edition.as_ref().map_or(&self.text, |edition| &edition.proto2)
    }

    /// What is wrong at an offset of the parsed text.
    pub fn error_at(&self, offset: usize, message: impl Into<String>) -> ProtoError {
        let offset = self.edition.as_ref().map_or(offset, |edition| edition.written_offset(offset));
        ProtoError::at(&self.name, &self.text, offset, message)
    }

    /// What is wrong with what a path of the descriptor leads to; where that has no place of its own, with what it is in.
    pub fn error_at_path(&self, path: &[i32], message: impl Into<String>) -> ProtoError {
        let layout = Layout::new(self);
        let known = (0..=path.len()).rev().filter_map(|len| path.get(..len)).find(|path| layout.has(path));
        match known.and_then(|path| layout.offset_of(path)) {
            Some(offset) => self.error_at(offset, message),
            None => ProtoError::in_file(&self.name, message),
        }
    }

    /// Why the parser refuses the text.
    fn parse_error(&self, error: &Error) -> ProtoError {
        let labels: Vec<_> = error.labels().into_iter().flatten().collect();
        let found = labels.iter().find(|label| label.label() == Some("found here")).or(labels.last());
        // The parser does not say where the end is.
        let offset = found.map_or(self.parsed_text().len(), |label| label.offset());
        self.error_at(offset, with_help(error))
    }
}

/// What the reading of files leaves behind.
#[derive(Default)]
pub struct Read {
    /// The names of the files that the caller asked for.
    pub asked_for: Vec<String>,
    /// Other names of files that were read already, with their first names.
    pub other_names: HashMap<String, String>,
    /// The files, in the order in which they were asked for.
    pub sources: Vec<Source>,
}

/// Finds files along the include directories, as gpb does: in the directories of the options `i`, then in the current
/// directory, then among the well-known files. The directory of an importing file plays no part.
pub struct Sources {
    dirs: Vec<PathBuf>,
    well_known: GoogleFileResolver,
    pub read: Read,
}

impl Sources {
    pub fn new(include_dirs: &[String]) -> Self {
        let mut dirs = Vec::new();
        for dir in include_dirs.iter().map(String::as_str).chain(["."]).map(absolute_or_same) {
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
        Sources { dirs, well_known: GoogleFileResolver::new(), read: Read::default() }
    }

    /// The name of a file that the caller asks for.
    pub fn ask_for(&mut self, path: &str) -> Result<String, ProtoError> {
        let name = self
            .name_of(path)
            .ok_or_else(|| ProtoError::in_file(path, format!("there is no file {path}{}", self.sought(path))))?;
        self.read.asked_for.push(name.clone());
        Ok(name)
    }

    /// The file of this name as it was parsed, or nothing if there is none.
    pub fn open(&mut self, name: &str) -> Result<Option<FileDescriptorProto>, ProtoError> {
        if let Some(path) = self.locate(name) {
            return self.read_file(name, path).map(Some);
        }
        let Ok(file) = self.well_known.open_file(name) else { return Ok(None) };
        let descriptor = file.file_descriptor_proto().clone();
        self.keep(Source {
            name: name.to_owned(),
            path: None,
            text: String::new(),
            edition: None,
            descriptor: descriptor.clone(),
        });
        Ok(Some(descriptor))
    }

    pub fn source(&self, name: &str) -> Option<&Source> {
        self.read.sources.iter().find(|source| source.name == name)
    }

    /// The name under which `path`, as given by the caller, would be imported; `None` if there is no such file.
    ///
    /// One file must have one name, or what it defines would seem to be defined twice.
    fn name_of(&self, path: &str) -> Option<String> {
        let Some(found) = self.locate(path) else {
            return self.well_known.open_file(path).is_ok().then(|| path.to_owned());
        };
        let below_a_dir = self.dirs.iter().find_map(|dir| {
            let name = found.strip_prefix(dir).ok()?.to_str()?;
            (self.locate(name)? == found).then(|| name.to_owned())
        });
        Some(below_a_dir.unwrap_or_else(|| path.to_owned()))
    }

    fn locate(&self, name: &str) -> Option<PathBuf> {
        self.dirs.iter().map(|dir| dir.join(name)).find(|path| path.is_file())
    }

    /// Where a file was sought that was not found, for the end of a sentence.
    ///
    /// A directory that does not exist is no error, as with gpb and protoc: lists of them are often longer than a project
    /// needs. Here it may be what is wrong.
    pub fn sought(&self, name: &str) -> String {
        if let Some(directory) = self.dirs.iter().map(|dir| dir.join(name)).find(|path| path.is_dir()) {
            return format!("; {} is a directory", directory.display());
        }
        if Path::new(name).is_absolute() {
            return String::new();
        }
        let dirs = self.dirs.iter().map(|dir| match fs::metadata(dir) {
            Ok(found) if found.is_dir() => dir.display().to_string(),
            Ok(_) => format!("{} (it is no directory)", dir.display()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("{} (there is no such directory)", dir.display())
            }
            Err(error) => format!("{} ({error})", dir.display()),
        });
        format!(
            "; searched in {}; the option {{i, Dir}} (-I Dir) adds a directory",
            dirs.collect::<Vec<_>>().join(", ")
        )
    }

    fn read_file(&mut self, name: &str, path: PathBuf) -> Result<FileDescriptorProto, ProtoError> {
        if let Some(first_name) = self.first_name(&path) {
            let descriptor = other_name(name, &first_name);
            self.read.other_names.insert(name.to_owned(), first_name);
            return Ok(descriptor);
        }
        if self.read.sources.len() >= MAX_FILES {
            return Err(ProtoError::in_file(name, format!("more than {MAX_FILES} files are imported")));
        }
        let text = read_text(&path).map_err(|message| ProtoError::in_file(name, message))?;
        if let Some(offset) = nesting::first_deeper_than(&text, MAX_NESTING) {
            let message = format!("braces, brackets or the parts of a name nest deeper than {MAX_NESTING} levels");
            return Err(ProtoError::at(name, &text, offset, message));
        }
        let edition =
            Edition::read(&text).map_err(|Fault { offset, message }| ProtoError::at(name, &text, offset, message))?;
        let to_parse = extension_options::blanked(edition.as_ref().map_or(&text, |edition| &edition.proto2));
        let parsed = File::from_source(name, &to_parse);
        let descriptor = parsed.as_ref().map(|file| file.file_descriptor_proto().clone()).unwrap_or_default();
        let source = Source { name: name.to_owned(), path: Some(path), text, edition, descriptor };
        if let Err(error) = &parsed {
            return Err(source.parse_error(error));
        }
        let descriptor = source.descriptor.clone();
        self.keep(source);
        Ok(descriptor)
    }

    /// The name under which a file was read already.
    fn first_name(&self, path: &Path) -> Option<String> {
        self.read.sources.iter().find(|source| source.path.as_deref() == Some(path)).map(|source| source.name.clone())
    }

    fn keep(&mut self, source: Source) {
        self.read.sources.push(source);
    }
}

/// A file that only says: I am that one. For a file that is imported under two names, along nested include directories.
fn other_name(name: &str, first_name: &str) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        dependency: vec![first_name.to_owned()],
        public_dependency: vec![0],
        ..FileDescriptorProto::default()
    }
}

fn absolute_or_same(path: &str) -> PathBuf {
    absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

fn read_text(path: &Path) -> Result<String, String> {
    let read = |error: io::Error| format!("the file {} cannot be read: {error}", path.display());
    let size = fs::metadata(path).map_err(read)?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("the file {} is too large: {size} bytes, of at most {MAX_FILE_BYTES}", path.display()));
    }
    Ok(decode(fs::read(path).map_err(read)?))
}

/// UTF-8, with or without byte order mark, or else Latin-1, which old files have in their comments.
fn decode(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect::<String>());
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
