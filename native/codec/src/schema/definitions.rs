//! The model: messages, enums and groups as they were said, in the terms of gpb's definitions.

use crate::term::Term;

/// A name: the term that stands for it, and its text for error messages.
#[derive(Clone, Debug)]
pub struct Name {
    /// The term, equal for equal names.
    pub term: Term,
    /// The text.
    pub text: Box<str>,
}

/// Everything that is loaded together. Messages, groups and enums have name spaces of their own.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Messages and groups.
    pub messages: Vec<Message>,
    /// Enums.
    pub enums: Vec<Enum>,
}

/// Whether a definition is a message or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A message.
    Message,
    /// A group.
    Group,
}

impl MessageKind {
    /// What errors call the message or group of this name.
    pub fn type_name(self, name: Term) -> TypeName {
        match self {
            MessageKind::Message => TypeName::Message(name),
            MessageKind::Group => TypeName::Group(name),
        }
    }
}

/// A message or a group.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: MessageKind,
    /// Its fields and oneofs, in the order of its record.
    pub members: Vec<Member>,
    /// Whether it has the wire format of message sets: each message in it is an item with the field's number as its type.
    pub message_set: bool,
}

/// What takes a place in a record.
#[derive(Clone, Debug)]
pub enum Member {
    /// A field.
    Field(Field),
    /// A oneof.
    Oneof(Oneof),
    /// The place for fields that the schema does not know.
    Unknowns {
        /// Its name.
        name: Name,
        /// Its place in the record; the first field has 2.
        position: i64,
    },
}

/// A oneof.
#[derive(Clone, Debug)]
pub struct Oneof {
    /// Its name.
    pub name: Name,
    /// Its place in the record; the first field has 2.
    pub position: i64,
    /// Its members.
    pub fields: Vec<Field>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its field number.
    pub number: i64,
    /// Its place in the record; the first field has 2.
    pub position: i64,
    /// Its type.
    pub ty: Type,
    /// How often it occurs.
    pub occurrence: Occurrence,
    /// Whether a repeated field is written packed.
    pub packed: bool,
    /// Whether a message is written like a group, between tags.
    pub delimited: bool,
    /// Whether its strings must be UTF-8.
    pub verify_utf8: bool,
    /// The value that is said to stand where it is absent.
    pub default: Option<DefaultValue>,
}

/// A value that definitions give for an absent field.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// A name or a small integer, which is what it looks like.
    Constant(Term),
    /// An integer.
    Integer(i64),
    /// An integer of 64 bits without sign.
    Unsigned(u64),
    /// A finite float.
    Float(f64),
    /// A string, as UTF-8, or bytes.
    Octets(Box<[u8]>),
}

/// How often a field occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// Exactly once.
    Required,
    /// Once or not at all, and the two are told apart.
    Optional,
    /// Once or not at all, where absent means the type's default (no presence).
    Defaulty,
    /// Any number of times.
    Repeated,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// An enum.
    Enum(Name),
    /// A message.
    Message(Name),
    /// A group.
    Group(Name),
    /// A map.
    Map(Box<Type>, Box<Type>),
}

/// The name of a type, as errors give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// A scalar.
    Scalar(Scalar),
    /// An enum of this name.
    Enum(Term),
    /// A message of this name.
    Message(Term),
    /// A group of this name.
    Group(Term),
}

/// The scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the language's own.
pub enum Scalar {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Bool,
    Fixed32,
    Sfixed32,
    Float,
    Fixed64,
    Sfixed64,
    Double,
    String,
    Bytes,
}

impl Scalar {
    /// Every scalar type with its name in a .proto file.
    pub const ALL: [(Scalar, &str); 15] = [
        (Scalar::Int32, "int32"),
        (Scalar::Int64, "int64"),
        (Scalar::Uint32, "uint32"),
        (Scalar::Uint64, "uint64"),
        (Scalar::Sint32, "sint32"),
        (Scalar::Sint64, "sint64"),
        (Scalar::Bool, "bool"),
        (Scalar::Fixed32, "fixed32"),
        (Scalar::Sfixed32, "sfixed32"),
        (Scalar::Float, "float"),
        (Scalar::Fixed64, "fixed64"),
        (Scalar::Sfixed64, "sfixed64"),
        (Scalar::Double, "double"),
        (Scalar::String, "string"),
        (Scalar::Bytes, "bytes"),
    ];

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.iter().find(|(_, known)| *known == name).map(|(scalar, _)| *scalar)
    }

    /// Its name in a .proto file.
    pub fn name(self) -> &'static str {
        Scalar::ALL.iter().find(|(scalar, _)| *scalar == self).map_or("", |(_, name)| name)
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its values in the order of their definition.
    pub values: Vec<EnumValue>,
    /// Whether fields hold its symbols only: other numbers are unknown fields.
    pub closed: bool,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The symbol.
    pub symbol: Term,
    /// The number.
    pub number: i64,
}
