//! The arguments of `proto_defs(Files, Opts)`, checked.

use rustler::types::tuple::get_tuple;
use rustler::{Binary, Term};

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    pub files: Vec<String>,
    pub options: Options,
}

/// The options of `proto_defs/2`. Of an option given twice the first counts, as in a property list.
#[derive(Debug, Default)]
pub struct Options {
    pub include_dirs: Vec<String>,
    pub use_packages: bool,
    pub preserve_unknown_fields: bool,
    pub version: DefsVersion,
}

/// The version of the definitions' form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DefsVersion {
    One,
    #[default]
    Two,
}

/// Which argument is of the wrong kind, counted from 1, and what is wrong with it.
pub struct ArgumentError {
    pub argument: u8,
    pub sentence: String,
}

const FILES: u8 = 1;
const OPTS: u8 = 2;

const FILE_NAME: &str = "file name";

impl Request {
    pub fn from_terms(files: Term, opts: Term) -> Result<Self, ArgumentError> {
        Ok(Request {
            files: file_names(files).map_err(|sentence| ArgumentError { argument: FILES, sentence })?,
            options: options(opts).map_err(|sentence| ArgumentError { argument: OPTS, sentence })?,
        })
    }
}

/// A file name, or a list of them. A string is a list too: of characters, so its first element tells.
fn file_names(files: Term) -> Result<Vec<String>, String> {
    let one_name = files.is_binary() || files.list_get_cell().is_ok_and(|(head, _)| head.is_integer());
    if one_name {
        return Ok(vec![path(files, FILE_NAME)?]);
    }
    if !files.is_list() {
        return Err("is neither a file name (a string or a binary) nor a list of file names".into());
    }
    let names = proper_list(files)?.into_iter().map(|name| path(name, FILE_NAME)).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() { Err("names no file".into()) } else { Ok(names) }
}

fn options(opts: Term) -> Result<Options, String> {
    if !opts.is_list() {
        return Err("is not a list of options".into());
    }
    let (mut use_packages, mut preserve_unknown_fields, mut version) = (None, None, None);
    let mut include_dirs = Vec::new();
    for option in proper_list(opts)? {
        let (name, value) = name_and_value(option)?;
        match (name.as_str(), value) {
            ("use_packages", value) => keep_first(&mut use_packages, switch(&name, value)?),
            ("preserve_unknown_fields", value) => keep_first(&mut preserve_unknown_fields, switch(&name, value)?),
            ("i", Some(dir)) => include_dirs.push(path(dir, "directory")?),
            ("proto_defs_version", Some(value)) => keep_first(&mut version, defs_version(value)?),
            _ => return Err(unknown_option(&name)),
        }
    }
    Ok(Options {
        include_dirs,
        use_packages: use_packages.unwrap_or(false),
        preserve_unknown_fields: preserve_unknown_fields.unwrap_or(false),
        version: version.unwrap_or_default(),
    })
}

fn keep_first<T>(place: &mut Option<T>, value: T) {
    place.get_or_insert(value);
}

/// `Name` or `{Name, Value}`.
fn name_and_value(option: Term) -> Result<(String, Option<Term>), String> {
    let (name, value) = match get_tuple(option).as_deref() {
        Ok([name, value]) => (*name, Some(*value)),
        _ => (option, None),
    };
    match name.atom_to_string() {
        Ok(name) => Ok((name, value)),
        Err(_) => Err(format!("has an element that is no option; {KNOWN}")),
    }
}

fn switch(name: &str, value: Option<Term>) -> Result<bool, String> {
    match value {
        None => Ok(true),
        Some(value) => value
            .decode()
            .map_err(|_| format!("has the option {name}, which must be true or false, with another value")),
    }
}

fn defs_version(value: Term) -> Result<DefsVersion, String> {
    match value.decode::<u8>() {
        Ok(1) => Ok(DefsVersion::One),
        Ok(2) => Ok(DefsVersion::Two),
        _ => Err("has the option proto_defs_version, which must be 1 or 2, with another value".into()),
    }
}

const KNOWN: &str = "known are {i, Dir}, use_packages, preserve_unknown_fields and {proto_defs_version, 1 | 2}";

fn unknown_option(name: &str) -> String {
    format!("has an unknown option, or one with a value it cannot have: {name}; {KNOWN}")
}

/// A name as binary (of UTF-8) or as string (of code points). `what` it names goes into the sentence if it is none.
fn path(name: Term, what: &str) -> Result<String, String> {
    let text = if let Ok(binary) = name.decode::<Binary>() {
        String::from_utf8(binary.as_slice().to_vec()).map_err(|_| format!("has a {what} that is not UTF-8"))?
    } else if name.is_list() {
        let chars = proper_list(name)?.into_iter().map(|c| c.decode::<u32>().ok().and_then(char::from_u32));
        chars.collect::<Option<_>>().ok_or_else(|| format!("has a {what} with an element that is no character"))?
    } else {
        return Err(format!("has a {what} that is neither a string nor a binary"));
    };
    if text.is_empty() { Err(format!("has an empty {what}")) } else { Ok(text) }
}

/// The elements of a list, which must end in `[]`.
fn proper_list(list: Term) -> Result<Vec<Term>, String> {
    let mut elements = Vec::new();
    let mut rest = list;
    while let Ok((head, tail)) = rest.list_get_cell() {
        elements.push(head);
        rest = tail;
    }
    if rest.is_empty_list() { Ok(elements) } else { Err("is an improper list, or contains one".into()) }
}
