//! What the messages, groups and enumerations are called in Erlang.

use std::collections::HashMap;

use prost_types::field_descriptor_proto::Type;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    OneofDescriptorProto,
};

use super::failure::ProtoError;
use super::layout::{element_path, tag};
use super::sources::Source;
use super::value::{self, NameTooLong};

/// What a type is, and what it is called in Erlang.
pub struct Named<'a> {
    pub kind: Kind<'a>,
    pub name: String,
}

pub enum Kind<'a> {
    Message,
    Group,
    Enum,
    /// The entries of a map, which has no definition of its own.
    MapEntry(&'a DescriptorProto),
}

impl Kind<'_> {
    /// What no two definitions with one name may be.
    fn word(&self) -> Option<&'static str> {
        match self {
            Kind::Message | Kind::Group => Some("message"),
            Kind::Enum => Some("enum"),
            Kind::MapEntry(_) => None,
        }
    }
}

/// All types, by their names in descriptors, such as `.package.Message.Nested`.
pub struct Names<'a> {
    types: HashMap<String, Named<'a>>,
    /// What has which Erlang name, by its name in descriptors.
    taken: HashMap<(&'static str, String), String>,
    use_packages: bool,
}

/// A place where types are defined, by its name in descriptors and in Erlang.
pub struct Scope {
    pub proto: String,
    pub erlang: String,
}

impl Scope {
    pub fn proto_name(&self, name: &str) -> String {
        format!("{}.{name}", self.proto)
    }

    pub fn erlang_name(&self, name: &str) -> String {
        if self.erlang.is_empty() { name.to_owned() } else { format!("{}.{name}", self.erlang) }
    }
}

impl<'a> Names<'a> {
    /// The names in `files`. Without packages, two types may end up with one name: an error.
    pub fn new(
        files: impl Iterator<Item = (&'a Source, &'a FileDescriptorProto)>,
        use_packages: bool,
    ) -> Result<Self, ProtoError> {
        let mut names = Names { types: HashMap::new(), taken: HashMap::new(), use_packages };
        for (source, file) in files {
            let within = Within {
                scope: names.file_scope(file),
                messages: &file.message_type,
                enums: &file.enum_type,
                fields: [&[], &file.extension],
                oneofs: &[],
                paths: [vec![tag::file::MESSAGE], vec![tag::file::ENUM]],
            };
            names.add_all(&within).map_err(|(path, message)| source.error_at_path(&path, message))?;
        }
        Ok(names)
    }

    /// The scope of what stands at a file's top.
    pub fn file_scope(&self, file: &FileDescriptorProto) -> Scope {
        let package = file.package();
        let proto = if package.is_empty() { String::new() } else { format!(".{package}") };
        Scope { proto, erlang: if self.use_packages { package.to_owned() } else { String::new() } }
    }

    /// The scope of what stands in the message that is called `proto` in descriptors.
    pub fn message_scope(&self, proto: &str) -> Scope {
        Scope { proto: proto.to_owned(), erlang: self.erlang_name(proto).to_owned() }
    }

    pub fn get(&self, proto: &str) -> Option<&Named<'a>> {
        self.types.get(proto)
    }

    /// The Erlang name of a type that is known to be there: the compiler has resolved all references.
    pub fn erlang_name(&self, proto: &str) -> &str {
        self.get(proto).map_or("", |named| &named.name)
    }

    fn add_all(&mut self, within: &Within<'a>) -> Result<(), Fault> {
        let Within { scope, messages, enums, fields, oneofs, paths: [message_list, enum_list] } = within;
        for (i, definition) in enums.iter().enumerate() {
            let path = element_path(enum_list, i);
            self.add(scope.proto_name(definition.name()), Kind::Enum, scope.erlang_name(definition.name()))
                .map_err(|message| (path.clone(), message))?;
            let values = [path.as_slice(), &[tag::enumeration::VALUE]].concat();
            fit(&values, definition.value.iter().map(EnumValueDescriptorProto::name))?;
        }
        let groups: HashMap<&str, &FieldDescriptorProto> = fields
            .iter()
            .copied()
            .flatten()
            .filter(|field| field.r#type() == Type::Group)
            .map(|field| (field.type_name(), field))
            .collect();
        for (i, message) in messages.iter().enumerate() {
            let path = element_path(message_list, i);
            let list = |list: i32| [path.as_slice(), &[list]].concat();
            let proto = scope.proto_name(message.name());
            let mut erlang = scope.erlang_name(message.name());
            let mut kind = Kind::Message;
            if message.options.as_ref().is_some_and(|options| options.map_entry()) {
                kind = Kind::MapEntry(message);
            } else if let Some(field) = groups.get(proto.as_str()) {
                kind = Kind::Group;
                // gpb puts the name of a oneof into the names of the groups in it.
                if let Some((_, oneof)) = oneof_of(field, oneofs) {
                    erlang = scope.erlang_name(&format!("{}.{}", oneof.name(), message.name()));
                }
            }
            self.add(proto.clone(), kind, erlang).map_err(|message| (path.clone(), message))?;
            fit(&list(tag::message::FIELD), message.field.iter().map(FieldDescriptorProto::name))?;
            fit(&list(tag::message::ONEOF), message.oneof_decl.iter().map(OneofDescriptorProto::name))?;
            self.add_all(&Within {
                scope: self.message_scope(&proto),
                messages: &message.nested_type,
                enums: &message.enum_type,
                fields: [&message.field, &message.extension],
                oneofs: &message.oneof_decl,
                paths: [list(tag::message::NESTED), list(tag::message::ENUM)],
            })?;
        }
        Ok(())
    }

    fn add(&mut self, proto: String, kind: Kind<'a>, name: String) -> Result<(), String> {
        check_length(&name)?;
        if let Some(word) = kind.word()
            && let Some(other) = self.taken.insert((word, name.clone()), proto.clone())
        {
            let [other, proto] = [&other, &proto].map(|proto| proto.trim_start_matches('.'));
            let advice = "the option use_packages (-pkgs) tells them apart";
            return Err(format!("the {word} {name} is defined twice, as {other} and as {proto}; {advice}"));
        }
        self.types.insert(proto, Named { kind, name });
        Ok(())
    }
}

/// What is named in a file or a message.
struct Within<'a> {
    scope: Scope,
    messages: &'a [DescriptorProto],
    enums: &'a [EnumDescriptorProto],
    fields: [&'a [FieldDescriptorProto]; 2],
    oneofs: &'a [OneofDescriptorProto],
    /// The paths of the messages and of the enums.
    paths: [Vec<i32>; 2],
}

/// What is wrong with what a path leads to.
type Fault = (Vec<i32>, String);

/// Names of the elements of a list that a path leads to must fit into atoms.
fn fit<'n>(list: &[i32], names: impl Iterator<Item = &'n str>) -> Result<(), Fault> {
    for (i, name) in names.enumerate() {
        check_length(name).map_err(|message| (element_path(list, i), message))?;
    }
    Ok(())
}

fn check_length(name: &str) -> Result<(), String> {
    if value::fits_atom(name) { Ok(()) } else { Err(ProtoError::from(NameTooLong(name.to_owned())).message) }
}

/// The oneof that a field was written in, and its index; a proto3 `optional` has one that was not written.
pub fn oneof_of<'o>(
    field: &FieldDescriptorProto,
    oneofs: &'o [OneofDescriptorProto],
) -> Option<(usize, &'o OneofDescriptorProto)> {
    if field.proto3_optional() {
        return None;
    }
    let index = usize::try_from(field.oneof_index?).ok()?;
    Some((index, oneofs.get(index)?))
}
