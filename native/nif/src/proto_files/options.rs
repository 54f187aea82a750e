//! The options that stand in a file, as gpb gives them: in the order and with the values that were written.

use prost_types::field_descriptor_proto::Type;
use prost_types::uninterpreted_option::NamePart;
use prost_types::{EnumOptions, FieldDescriptorProto, FieldOptions, MessageOptions, UninterpretedOption};

use super::layout::{Layout, Position, element_path, tag};
use super::literals;
use super::value::Value;

/// An option of a message, a field, an enumeration or a file.
#[derive(Clone, Debug)]
pub struct WrittenOption {
    name: Vec<Part>,
    pub value: Value,
}

/// The name of a feature of editions, and its value.
pub type Feature = (&'static str, &'static str);

/// How options name features.
const FEATURES: &str = "features";

/// Those that gpb's form has no words for: an enum takes its symbols only, strings must be UTF-8, a message is written like
/// a group.
pub const ENUM_CLOSED: Feature = ("enum_type", "CLOSED");
pub const UTF8_VERIFIED: Feature = ("utf8_validation", "VERIFY");
pub const MESSAGE_DELIMITED: Feature = ("message_encoding", "DELIMITED");

/// `name`, or `(an.extension)` by its components, the first of them `.` if the name starts with one.
#[derive(Clone, Debug)]
enum Part {
    Plain(String),
    Extension(Vec<String>),
}

impl WrittenOption {
    pub fn plain(name: &str, value: Value) -> Self {
        WrittenOption { name: vec![Part::Plain(name.to_owned())], value }
    }

    /// What a feature of editions comes to.
    pub fn feature((name, value): Feature) -> Self {
        let name = [FEATURES, name].map(|part| Part::Plain(part.to_owned())).to_vec();
        WrittenOption { name, value: Value::atom(value) }
    }

    /// Whether it is one of the features that are said as what they come to.
    pub fn is_resolved_feature(&self) -> bool {
        let [Part::Plain(first), Part::Plain(second)] = self.name.as_slice() else { return false };
        first == FEATURES && [ENUM_CLOSED, UTF8_VERIFIED, MESSAGE_DELIMITED].iter().any(|(name, _)| name == second)
    }

    /// An option of the parser's. `text` is what stands in the file, if there is one.
    pub fn new(option: &UninterpretedOption, text: Option<&str>) -> Self {
        WrittenOption { name: option.name.iter().map(Part::from).collect(), value: option_value(option, text) }
    }

    pub fn is(&self, name: &str) -> bool {
        matches!(self.name.as_slice(), [Part::Plain(plain)] if plain == name)
    }

    /// The name in the form that definitions have from version 4 on, and some of their places in all versions: an
    /// atom, or for an option with an extension or several parts a list in which a tuple stands for an extension.
    pub fn nested_name(&self) -> Value {
        self.name_of(|extension| vec![Value::Tuple(extension.iter().map(Value::atom).collect())])
    }

    /// The name in the form before version 4: a list too, but with the components of extensions and `.` between them.
    pub fn flat_name(&self) -> Value {
        self.name_of(|extension| {
            let mut flat = Vec::new();
            for component in extension {
                if flat.last().is_some_and(|last| *last != Value::atom(".")) {
                    flat.push(Value::atom("."));
                }
                flat.push(Value::atom(component));
            }
            flat
        })
    }

    /// The name in the form that the options of calls have before version 4: an atom, in which a dot stands before each
    /// part of [`WrittenOption::flat_name`], also where that part is a dot.
    pub fn joined_name(&self) -> Value {
        match self.flat_name() {
            Value::List(parts) => {
                let parts: Vec<String> = parts
                    .into_iter()
                    .map(|part| if let Value::Atom(name) = part { name } else { String::new() })
                    .collect();
                Value::atom(parts.join("."))
            }
            name => name,
        }
    }

    fn name_of(&self, extension: impl Fn(&[String]) -> Vec<Value>) -> Value {
        match self.name.as_slice() {
            [Part::Plain(name)] => Value::atom(name),
            parts => Value::List(
                parts
                    .iter()
                    .flat_map(|part| match part {
                        Part::Plain(name) => vec![Value::atom(name)],
                        Part::Extension(components) => extension(components),
                    })
                    .collect(),
            ),
        }
    }
}

impl From<&NamePart> for Part {
    fn from(part: &NamePart) -> Self {
        if !part.is_extension {
            return Part::Plain(part.name_part.clone());
        }
        let (dot, name) = match part.name_part.strip_prefix('.') {
            Some(name) => (Some("."), name),
            None => (None, part.name_part.as_str()),
        };
        Part::Extension(dot.into_iter().chain(name.split('.')).map(str::to_owned).collect())
    }
}

fn option_value(option: &UninterpretedOption, text: Option<&str>) -> Value {
    if let Some(name) = &option.identifier_value {
        match name.as_str() {
            "inf" => Value::float(f64::INFINITY),
            name => Value::atom(name),
        }
    } else if let Some(int) = option.positive_int_value {
        Value::Unsigned(int)
    } else if let Some(int) = option.negative_int_value {
        Value::Int(int)
    } else if let Some(float) = option.double_value {
        Value::float(float)
    } else if let Some(bytes) = &option.string_value {
        Value::chars(&text.and_then(literals::strings).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned()))
    } else {
        let text = option.aggregate_value.as_deref().unwrap_or_default();
        let braced = if text.is_empty() { "{ }".to_owned() } else { format!("{{ {text} }}") };
        Value::pair(Value::atom("uninterpreted"), Value::chars(&braced))
    }
}

/// The options in a list of the parser's, with their places. `owner` leads to what they are options of; `options` is
/// the number of the owner's field for them.
pub fn written_options(
    list: &[UninterpretedOption],
    layout: &Layout,
    owner: &[i32],
    options: i32,
) -> Vec<(Position, WrittenOption)> {
    let path = [owner, &[options, tag::UNINTERPRETED_OPTION]].concat();
    let written = list.iter().enumerate().map(|(i, option)| {
        let path = element_path(&path, i);
        (layout.start(&path), WrittenOption::new(option, layout.text(&path)))
    });
    written.collect()
}

/// The options of a field, in the order in which they were written. `path` leads to the field.
///
/// The parser takes `default` and `json_name` out of the list, so the places tell where they stood.
pub fn field_options(field: &FieldDescriptorProto, ty: Type, layout: &Layout, path: &[i32]) -> Vec<WrittenOption> {
    let mut placed = Vec::new();
    if let Some(text) = &field.default_value {
        let place = [path, &[tag::field::DEFAULT]].concat();
        let value = default_value(text, ty, layout.text(&place));
        placed.push((layout.start(&place), WrittenOption::plain("default", value)));
    }
    let place = [path, &[tag::field::JSON_NAME]].concat();
    // A well-known file comes with the names that the language makes up; those are not written.
    if let Some(literal) = layout.text(&place) {
        let name = literals::strings(literal).unwrap_or_else(|| field.json_name().to_owned());
        placed.push((layout.start(&place), WrittenOption::plain("json_name", Value::chars(&name))));
    }
    if let Some(options) = &field.options {
        placed.extend(written_options(&options.uninterpreted_option, layout, path, tag::field::OPTIONS));
        placed.extend(interpreted(options).map(|option| (Position::default(), option)));
    }
    placed.sort_by_key(|(position, _)| *position);
    placed.into_iter().map(|(_, option)| option).collect()
}

/// The options of a field in a file that came as a descriptor, in which they are interpreted: a well-known file, or one of
/// a FileDescriptorSet. Of a file that was parsed these are not set.
fn interpreted(options: &FieldOptions) -> impl Iterator<Item = WrittenOption> {
    let known = [("packed", options.packed), ("deprecated", options.deprecated)];
    known.into_iter().filter_map(|(name, value)| Some(WrittenOption::plain(name, Value::bool(value?))))
}

/// The same of a message.
pub fn interpreted_of_message(options: &MessageOptions) -> impl Iterator<Item = WrittenOption> {
    let known = [("message_set_wire_format", options.message_set_wire_format), ("deprecated", options.deprecated)];
    known.into_iter().filter_map(|(name, value)| Some(WrittenOption::plain(name, Value::bool(value?))))
}

/// The same of an enumeration.
pub fn interpreted_of_enum(options: &EnumOptions) -> impl Iterator<Item = WrittenOption> {
    let known = [("allow_alias", options.allow_alias), ("deprecated", options.deprecated)];
    known.into_iter().filter_map(|(name, value)| Some(WrittenOption::plain(name, Value::bool(value?))))
}

/// The default of a field. `text` is in the form of descriptors; `literal` is what stands in the file.
fn default_value(text: &str, ty: Type, literal: Option<&str>) -> Value {
    match ty {
        Type::Double | Type::Float => match literal.and_then(literals::integer) {
            // gpb tells `1` from `1.0`; the descriptor does not.
            Some(int) => int,
            None => text.parse().map_or_else(|_| Value::atom(text), Value::float),
        },
        Type::String => Value::chars(literal.and_then(literals::strings).as_deref().unwrap_or(text)),
        Type::Bytes => {
            Value::Binary(literal.and_then(literals::strings).and_then(latin1).unwrap_or_else(|| unescaped(text)))
        }
        Type::Bool | Type::Enum | Type::Message | Type::Group => Value::atom(text),
        _ => text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Unsigned)).unwrap_or(Value::atom(text)),
    }
}

/// The characters as bytes, if all are: how gpb has the default of a `bytes` field.
fn latin1(string: String) -> Option<Vec<u8>> {
    string.chars().map(|char| u8::try_from(char).ok()).collect()
}

/// The bytes of a descriptor's default for `bytes`, which has all but printable ASCII escaped.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'n') => b'\n',
                Some(digit @ b'0'..=b'7') => octal(digit, &mut rest),
                Some(other) => other,
                None => b'\\',
            },
            byte => byte,
        });
    }
    bytes
}

/// Three octal digits, the first of them read already.
fn octal(first: u8, rest: &mut std::str::Bytes) -> u8 {
    let digits = [Some(first), rest.next(), rest.next()];
    digits
        .into_iter()
        .flatten()
        .fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0')))
}
