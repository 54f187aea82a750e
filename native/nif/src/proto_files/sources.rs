//! Finding and reading `.proto` files, and what was written in each of them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf, absolute};
use std::rc::Rc;
use std::{fs, io};

use prost_types::FileDescriptorProto;
use protox::Error;
use protox::file::{File, FileResolver, GoogleFileResolver};

use super::editions::{Edition, Fault};
use super::extension_options;
use super::failure::ProtoError;
use super::nesting;

/// The largest file that is read: far above any that a person or a generator writes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How deep braces, brackets and names of several parts may nest.
///
/// The parser, the check and the dropping of what they made recurse over nested values of options. A level takes them
/// less than 4 kB of stack (20,000 were read on `READER_STACK`), but time that grows with the square of the depth. No
/// reader of protobuf accepts messages deeper than 100 by default, so this leaves room.
const MAX_NESTING: usize = 256;

/// How many files are read. The compiler recurses over imports; a chain of 20,000 was read on `READER_STACK`.
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
}

/// What the reading of files leaves behind. The compiler owns the [`Sources`], so both share it.
#[derive(Default)]
pub struct Read {
    /// The names of the files that the caller asked for.
    pub asked_for: Vec<String>,
    /// Other names of files that were read already, with their first names.
    pub other_names: HashMap<String, String>,
    /// The files, in the order in which they were asked for.
    pub sources: Vec<Source>,
    /// Why a file could not be read: the compiler's own error type cannot carry a place.
    pub failure: Option<ProtoError>,
    /// Where an import was sought that was not found, for the end of a sentence.
    pub sought: Option<String>,
}

/// Finds files along the include directories, as gpb does: in the directories of the options `i`, then in the current
/// directory, then among the well-known files. The directory of an importing file plays no part.
pub struct Sources {
    dirs: Vec<PathBuf>,
    well_known: GoogleFileResolver,
    places: Places,
    read: Rc<RefCell<Read>>,
}

/// Whether the compiler gets to know where things stand.
///
/// It needs that for the place of an error alone, and pays for it: for each option it goes through all places of the
/// file, which takes seconds where thousands of fields have options.
#[derive(Clone, Copy, PartialEq)]
pub enum Places {
    Withheld,
    Told,
}

impl Sources {
    pub fn new(include_dirs: &[String], places: Places, read: Rc<RefCell<Read>>) -> Self {
        let mut dirs: Vec<PathBuf> = include_dirs.iter().map(|dir| absolute_or_same(dir)).collect();
        let current = absolute_or_same(".");
        if !dirs.contains(&current) {
            dirs.push(current);
        }
        Sources { dirs, well_known: GoogleFileResolver::new(), places, read }
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
    fn sought(&self, name: &str) -> String {
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
        format!("; searched in {}; the option {{i, Dir}} adds a directory", dirs.collect::<Vec<_>>().join(", "))
    }

    fn read_file(&self, name: &str, path: PathBuf) -> Result<File, Error> {
        if let Some(first_name) = self.first_name(&path) {
            let file = File::from_file_descriptor_proto(other_name(name, &first_name));
            self.read.borrow_mut().other_names.insert(name.to_owned(), first_name);
            return Ok(file);
        }
        if self.read.borrow().sources.len() >= MAX_FILES {
            return Err(self.fail(ProtoError::in_file(name, format!("more than {MAX_FILES} files are imported"))));
        }
        let text = read_text(&path).map_err(|message| self.fail(ProtoError::in_file(name, message)))?;
        if let Some(offset) = nesting::first_deeper_than(&text, MAX_NESTING) {
            let message = format!("braces, brackets or the parts of a name nest deeper than {MAX_NESTING} levels");
            return Err(self.fail(ProtoError::at(name, &text, offset, message)));
        }
        let edition = Edition::read(&text)
            .map_err(|Fault { offset, message }| self.fail(ProtoError::at(name, &text, offset, message)))?;
        let to_parse = extension_options::blanked(edition.as_ref().map_or(&text, |edition| &edition.proto2));
        let parsed = File::from_source(name, &to_parse);
        let descriptor = parsed.as_ref().map(|file| file.file_descriptor_proto().clone()).unwrap_or_default();
        let checked = match self.places {
            Places::Told => parsed,
            Places::Withheld => parsed.map(|_| without_places(descriptor.clone())),
        };
        self.keep(Source { name: name.to_owned(), path: Some(path), text, edition, descriptor });
        checked
    }

    /// The name under which a file was read already.
    fn first_name(&self, path: &Path) -> Option<String> {
        let read = self.read.borrow();
        read.sources.iter().find(|source| source.path.as_deref() == Some(path)).map(|source| source.name.clone())
    }

    fn keep(&self, source: Source) {
        self.read.borrow_mut().sources.push(source);
    }

    /// Keeps the error; what is returned only stops the compiler.
    fn fail(&self, error: ProtoError) -> Error {
        let message = error.message.clone();
        self.read.borrow_mut().failure = Some(error);
        Error::new(io::Error::other(message))
    }
}

impl FileResolver for Sources {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        let path = path.to_str()?;
        let name = self.name_of(path);
        if let Some(name) = &name {
            self.read.borrow_mut().asked_for.push(name.clone());
        } else {
            self.fail(ProtoError::in_file(path, format!("there is no file {path}{}", self.sought(path))));
        }
        name
    }

    fn open_file(&self, name: &str) -> Result<File, Error> {
        if let Some(path) = self.locate(name) {
            return self.read_file(name, path);
        }
        let file = self.well_known.open_file(name).inspect_err(|_| {
            self.read.borrow_mut().sought = Some(self.sought(name));
        })?;
        let descriptor = file.file_descriptor_proto().clone();
        self.keep(Source { name: name.to_owned(), path: None, text: String::new(), edition: None, descriptor });
        Ok(file)
    }
}

fn without_places(descriptor: FileDescriptorProto) -> File {
    File::from_file_descriptor_proto(FileDescriptorProto { source_code_info: None, ..descriptor })
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
