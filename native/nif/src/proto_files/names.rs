//! What the messages, groups and enumerations are called in Erlang.

use std::collections::HashMap;

use prost_types::field_descriptor_proto::Type;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, OneofDescriptorProto,
};

use super::failure::ProtoError;

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
    pub fn new(files: impl Iterator<Item = &'a FileDescriptorProto>, use_packages: bool) -> Result<Self, ProtoError> {
        let mut names = Names { types: HashMap::new(), taken: HashMap::new(), use_packages };
        for file in files {
            let scope = names.file_scope(file);
            names
                .add_all(&scope, &file.message_type, &file.enum_type, [&[], &file.extension], &[])
                .map_err(|message| ProtoError::in_file(file.name(), message))?;
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

    fn add_all(
        &mut self,
        scope: &Scope,
        messages: &'a [DescriptorProto],
        enums: &'a [EnumDescriptorProto],
        fields: [&'a [FieldDescriptorProto]; 2],
        oneofs: &'a [OneofDescriptorProto],
    ) -> Result<(), String> {
        for definition in enums {
            self.add(scope.proto_name(definition.name()), Kind::Enum, scope.erlang_name(definition.name()))?;
        }
        let groups: HashMap<&str, &FieldDescriptorProto> = fields
            .into_iter()
            .flatten()
            .filter(|field| field.r#type() == Type::Group)
            .map(|field| (field.type_name(), field))
            .collect();
        for message in messages {
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
            self.add(proto.clone(), kind, erlang)?;
            let inner = self.message_scope(&proto);
            let fields: [&[_]; 2] = [&message.field, &message.extension];
            self.add_all(&inner, &message.nested_type, &message.enum_type, fields, &message.oneof_decl)?;
        }
        Ok(())
    }

    fn add(&mut self, proto: String, kind: Kind<'a>, name: String) -> Result<(), String> {
        if let Some(word) = kind.word()
            && let Some(other) = self.taken.insert((word, name.clone()), proto.clone())
        {
            let [other, proto] = [&other, &proto].map(|proto| proto.trim_start_matches('.'));
            let advice = "the option use_packages tells them apart";
            return Err(format!("the {word} {name} is defined twice, as {other} and as {proto}; {advice}"));
        }
        self.types.insert(proto, Named { kind, name });
        Ok(())
    }
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
