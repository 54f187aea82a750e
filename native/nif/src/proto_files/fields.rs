//! Fields: what takes a place in a record, in which order.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, OneofDescriptorProto};

use super::definitions::{Field, Item, Occurrence, keyed};
use super::features::{Features, FieldPresence, FileFeatures, MessageEncoding, RepeatedFieldEncoding, Utf8Validation};
use super::layout::{Layout, element_path, tag};
use super::names::{Kind, Names, Scope, oneof_of};
use super::options::{Feature, MESSAGE_DELIMITED, UTF8_VERIFIED, WrittenOption, field_options, written_options};
use super::value::Value;

/// What fields of one file are converted with.
pub struct Fields<'a> {
    pub layout: Layout<'a>,
    pub names: &'a Names<'a>,
    pub features: &'a FileFeatures,
    /// Whether the file is written in an edition.
    pub edition: bool,
    /// Whether fields say what gpb's form has no words for.
    pub says_features: bool,
}

impl Fields<'_> {
    /// The fields of a message, in the order in which they were written, a oneof where its first field stands.
    /// `path` leads to the message, `scope` is the message as a scope.
    pub fn of_message(
        &self,
        scope: &Scope,
        written: &DescriptorProto,
        checked: &DescriptorProto,
        path: &[i32],
    ) -> Vec<Item> {
        let list = [path, &[tag::message::FIELD]].concat();
        let mut items = Vec::new();
        let mut last_oneof = None;
        for (i, (written_field, field)) in written.field.iter().zip(&checked.field).enumerate() {
            let oneof = oneof_of(field, &written.oneof_decl);
            let converted = self.field(scope, written_field, field, &element_path(&list, i), oneof.is_some());
            // The fields of a oneof stand together.
            match (oneof, items.last_mut()) {
                (None, _) => items.push(Item::Field(converted)),
                (Some((index, _)), Some(Item::Oneof { fields, .. })) if last_oneof == Some(index) => {
                    fields.push(converted)
                }
                (Some((index, oneof)), _) => items.push(self.oneof(oneof, converted, path, index)),
            }
            last_oneof = oneof.map(|(index, _)| index);
        }
        items
    }

    fn oneof(&self, oneof: &OneofDescriptorProto, first: Field, path: &[i32], index: usize) -> Item {
        let path = element_path(&[path, &[tag::message::ONEOF]].concat(), index);
        let options = oneof.options.iter().flat_map(|options| {
            written_options(&options.uninterpreted_option, &self.layout, &path, tag::oneof::OPTIONS)
        });
        let options = options.map(|(_, option)| option).collect();
        Item::Oneof { name: oneof.name().to_owned(), fields: vec![first], options }
    }

    /// A field of a message or of an extension; `path` leads to it, and it is defined in `scope`.
    pub fn field(
        &self,
        scope: &Scope,
        written: &FieldDescriptorProto,
        checked: &FieldDescriptorProto,
        path: &[i32],
        in_oneof: bool,
    ) -> Field {
        let ty = checked.r#type();
        let map_entry = match self.names.get(checked.type_name()).map(|named| &named.kind) {
            Some(Kind::MapEntry(entry)) => Some(*entry),
            _ => None,
        };
        let features = self.features.get(&scope.proto_name(checked.name()));
        // gpb calls the field of a group like the group, and drops its options. In descriptors it is in lower case.
        let (name, mut options) = match ty {
            Type::Group => (checked.type_name().rsplit('.').next().unwrap_or_default(), Vec::new()),
            _ => (checked.name(), field_options(written, ty, &self.layout, path)),
        };
        let packable = is_packable(ty);
        // In proto3 this hangs on the message, which may be one of another file that this one extends.
        let packed = self.edition && features.repeated_field_encoding == RepeatedFieldEncoding::Packed;
        if packed && packable && checked.label() == Label::Repeated {
            options.push(WrittenOption::plain("packed", Value::bool(true)));
        }
        if self.says_features {
            options.retain(|option| !option.is_resolved_feature());
            options.extend(resolved_features(ty, map_entry, features).map(WrittenOption::feature));
        }
        Field {
            name: name.to_owned(),
            number: checked.number(),
            ty: map_entry.map_or_else(|| self.type_of(checked), |entry| self.map_type(entry)),
            is_map: map_entry.is_some(),
            packable,
            occurrence: self.occurrence(checked, features.field_presence, in_oneof),
            options,
        }
    }

    fn occurrence(&self, field: &FieldDescriptorProto, presence: FieldPresence, in_oneof: bool) -> Occurrence {
        // What always has presence: in proto3 gpb does not tell it apart, and the messages are taken as what they are.
        let always = self.edition && (field.extendee.is_some() || field.r#type() == Type::Message);
        match (field.label(), presence) {
            (Label::Repeated, _) => Occurrence::Repeated,
            (Label::Required, _) | (_, FieldPresence::LegacyRequired) => Occurrence::Required,
            _ if in_oneof || always || field.proto3_optional() => Occurrence::Optional,
            (_, FieldPresence::Implicit) => Occurrence::Defaulty,
            (_, FieldPresence::Explicit) => Occurrence::Optional,
        }
    }

    fn type_of(&self, field: &FieldDescriptorProto) -> Value {
        let named = |kind| keyed(kind, Value::atom(self.names.erlang_name(field.type_name())));
        match field.r#type() {
            Type::Double => Value::atom("double"),
            Type::Float => Value::atom("float"),
            Type::Int64 => Value::atom("int64"),
            Type::Uint64 => Value::atom("uint64"),
            Type::Int32 => Value::atom("int32"),
            Type::Fixed64 => Value::atom("fixed64"),
            Type::Fixed32 => Value::atom("fixed32"),
            Type::Bool => Value::atom("bool"),
            Type::String => Value::atom("string"),
            Type::Bytes => Value::atom("bytes"),
            Type::Uint32 => Value::atom("uint32"),
            Type::Sfixed32 => Value::atom("sfixed32"),
            Type::Sfixed64 => Value::atom("sfixed64"),
            Type::Sint32 => Value::atom("sint32"),
            Type::Sint64 => Value::atom("sint64"),
            Type::Message => named("msg"),
            Type::Group => named("group"),
            Type::Enum => named("enum"),
        }
    }

    /// `{map, KeyType, ValueType}`
    fn map_type(&self, entry: &DescriptorProto) -> Value {
        let types = entry.field.iter().map(|field| self.type_of(field));
        Value::Tuple(std::iter::once(Value::atom("map")).chain(types).collect())
    }
}

/// Whether the values of a repeated field of this type can be packed.
pub fn is_packable(ty: Type) -> bool {
    !matches!(ty, Type::String | Type::Bytes | Type::Message | Type::Group)
}

/// The features that a field of this type says.
fn resolved_features(
    ty: Type,
    map_entry: Option<&DescriptorProto>,
    features: Features,
) -> impl Iterator<Item = Feature> + use<> {
    let string = match map_entry {
        Some(entry) => entry.field.iter().any(|field| field.r#type() == Type::String),
        None => ty == Type::String,
    };
    // The entries of a map are never delimited.
    let delimitable = ty == Type::Message && map_entry.is_none();
    let said = [
        (string && features.utf8_validation == Utf8Validation::Verify, UTF8_VERIFIED),
        (delimitable && features.message_encoding == MessageEncoding::Delimited, MESSAGE_DELIMITED),
    ];
    said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, feature)| feature)
}
