//! The arguments of `proto_defs(Files, Opts)`, checked.

use rustler::types::tuple::get_tuple;
use rustler::{Binary, Term};

use crate::beam;
use crate::errors::Failure;

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
    /// Whether enums and fields say those of their features that gpb's form has no words for.
    pub features: bool,
    pub version: DefsVersion,
}

/// What the definitions are for.
#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    /// They are given to the caller, in gpb's form.
    Give,
    /// They are loaded, and say all that the files say.
    Load,
}

/// The version of the definitions' form. What is new in the third of gpb's is in the fourth, too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DefsVersion {
    One,
    #[default]
    Two,
    Four,
}

/// Which argument is of the wrong kind, counted from 1, what is wrong, and the part of it that is.
pub struct ArgumentError<'a> {
    pub argument: i64,
    pub sentence: String,
    pub part: Term<'a>,
}

impl From<ArgumentError<'_>> for Failure {
    fn from(ArgumentError { argument, sentence, part }: ArgumentError) -> Failure {
        Failure::BadTerm(argument, sentence.into(), beam::word(part.as_c_arg()))
    }
}

/// What is wrong, and the part of an argument that is.
type Wrong<'a> = (String, Term<'a>);

const FILES: i64 = 1;
const OPTS: i64 = 2;

impl Request {
    pub fn from_terms<'a>(files: Term<'a>, opts: Term<'a>, purpose: Purpose) -> Result<Self, ArgumentError<'a>> {
        let in_argument = |argument| move |(sentence, part)| ArgumentError { argument, sentence, part };
        Ok(Request {
            files: file_names(files).map_err(in_argument(FILES))?,
            options: options(opts, purpose).map_err(in_argument(OPTS))?,
        })
    }
}

/// The bytes of a FileDescriptorSet.
pub fn bytes(set: Term) -> Result<Binary, ArgumentError> {
    set.decode().map_err(|_| ArgumentError { argument: 1, sentence: "not a binary".into(), part: set })
}

/// The options of `load_descriptor_set/2`: those of `load_proto/2`, but that there is nowhere to look for files.
pub fn set_options(opts: Term, purpose: Purpose) -> Result<Options, ArgumentError> {
    let wrong = |(sentence, part)| ArgumentError { argument: OPTS, sentence, part };
    options(opts, purpose).map_err(wrong)
}

/// A file name, or a list of them. A string is a list too: of characters, so its first element tells.
fn file_names(files: Term) -> Result<Vec<String>, Wrong> {
    const FILE: &str = "file's name";
    let one_name = files.is_binary() || files.list_get_cell().is_ok_and(|(head, _)| head.is_integer());
    if one_name {
        return Ok(vec![path(files, FILE)?]);
    }
    if !files.is_list() {
        return Err((format!("neither a {FILE} (a string or a binary) nor a list of such names"), files));
    }
    let names = proper_list(files)?.into_iter().map(|name| path(name, FILE)).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() { Err((format!("a list without a {FILE}"), files)) } else { Ok(names) }
}

fn options(opts: Term, purpose: Purpose) -> Result<Options, Wrong> {
    if !opts.is_list() {
        return Err(("not a list of options".into(), opts));
    }
    let (mut use_packages, mut preserve_unknown_fields, mut version) = (None, None, None);
    let mut include_dirs = Vec::new();
    for option in proper_list(opts)? {
        let (name, value) = name_and_value(option);
        match (name.as_str(), value) {
            ("use_packages", value) => keep_first(&mut use_packages, switch(option, value)?),
            ("preserve_unknown_fields", value) => keep_first(&mut preserve_unknown_fields, switch(option, value)?),
            ("i", Some(dir)) => include_dirs.push(path(dir, "directory's name")?),
            ("proto_defs_version", Some(value)) if purpose == Purpose::Give => {
                keep_first(&mut version, defs_version(option, value)?);
            }
            _ => return Err((unknown_option(purpose), option)),
        }
    }
    Ok(Options {
        include_dirs,
        use_packages: use_packages.unwrap_or(false),
        preserve_unknown_fields: preserve_unknown_fields.unwrap_or(false),
        features: purpose == Purpose::Load,
        version: version.unwrap_or_default(),
    })
}

fn unknown_option(purpose: Purpose) -> String {
    let known = match purpose {
        Purpose::Give => "{i, Dir}, use_packages, preserve_unknown_fields and {proto_defs_version, 1 | 2 | 4}",
        Purpose::Load => "{i, Dir}, use_packages and preserve_unknown_fields",
    };
    format!("this is none of the options {known}")
}

fn keep_first<T>(place: &mut Option<T>, value: T) {
    place.get_or_insert(value);
}

/// `Name` or `{Name, Value}`; what is neither has no name.
fn name_and_value(option: Term) -> (String, Option<Term>) {
    let (name, value) = match get_tuple(option).as_deref() {
        Ok([name, value]) => (*name, Some(*value)),
        _ => (option, None),
    };
    (name.atom_to_string().unwrap_or_default(), value)
}

fn switch<'a>(option: Term<'a>, value: Option<Term<'a>>) -> Result<bool, Wrong<'a>> {
    let on = value.map_or(Ok(true), |value| value.decode());
    on.map_err(|_| ("the value of this option must be true or false".into(), option))
}

fn defs_version<'a>(option: Term<'a>, value: Term<'a>) -> Result<DefsVersion, Wrong<'a>> {
    match value.decode::<u8>() {
        Ok(1) => Ok(DefsVersion::One),
        Ok(2) => Ok(DefsVersion::Two),
        Ok(4) => Ok(DefsVersion::Four),
        _ => Err(("the value of this option must be 1, 2 or 4".into(), option)),
    }
}

/// A name as binary (of UTF-8) or as string (of code points). What it is the name of goes into the sentence.
fn path<'a>(name: Term<'a>, what: &str) -> Result<String, Wrong<'a>> {
    let wrong = |sentence: String| (sentence, name);
    let text = if let Ok(binary) = name.decode::<Binary>() {
        String::from_utf8(binary.as_slice().to_vec()).map_err(|_| wrong(format!("a {what} that is not UTF-8")))?
    } else if name.is_list() {
        let chars = proper_list(name)?.into_iter().map(|c| c.decode::<u32>().ok().and_then(char::from_u32));
        let text = chars.collect::<Option<_>>();
        text.ok_or_else(|| wrong(format!("a {what} with an element that is no character")))?
    } else {
        return Err(wrong(format!("not a {what}, which is a string or a binary")));
    };
    if text.is_empty() { Err(wrong(format!("an empty {what}"))) } else { Ok(text) }
}

/// The elements of a list, which must end in `[]`.
fn proper_list(list: Term) -> Result<Vec<Term>, Wrong> {
    let mut elements = Vec::new();
    let mut rest = list;
    while let Ok((head, tail)) = rest.list_get_cell() {
        elements.push(head);
        rest = tail;
    }
    if rest.is_empty_list() { Ok(elements) } else { Err(("a list that does not end in []".into(), list)) }
}
