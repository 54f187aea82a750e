//! Fields: what takes a place in a record, in which order.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, OneofDescriptorProto};

use super::definitions::{Field, Item, Occurrence, keyed};
use super::layout::{Layout, element_path, tag};
use super::names::{Kind, Names, oneof_of};
use super::options::{field_options, written_options};
use super::value::Value;

/// What fields of one file are converted with.
pub struct Fields<'a> {
    pub layout: Layout<'a>,
    pub names: &'a Names<'a>,
    pub proto3: bool,
}

impl Fields<'_> {
    /// The fields of a message, in the order in which they were written, a oneof where its first field stands.
    /// `path` leads to the message.
    pub fn of_message(&self, written: &DescriptorProto, checked: &DescriptorProto, path: &[i32]) -> Vec<Item> {
        let list = [path, &[tag::message::FIELD]].concat();
        let mut items = Vec::new();
        let mut last_oneof = None;
        for (i, (written_field, field)) in written.field.iter().zip(&checked.field).enumerate() {
            let oneof = oneof_of(field, &written.oneof_decl);
            let converted = self.field(written_field, field, &element_path(&list, i), oneof.is_some());
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

    /// A field of a message or of an extension; `path` leads to it.
    pub fn field(
        &self,
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
        // gpb calls the field of a group like the group, and drops its options. In descriptors it is in lower case.
        let (name, options) = match ty {
            Type::Group => (checked.type_name().rsplit('.').next().unwrap_or_default(), Vec::new()),
            _ => (checked.name(), field_options(written, ty, &self.layout, path)),
        };
        Field {
            name: name.to_owned(),
            number: checked.number(),
            ty: map_entry.map_or_else(|| self.type_of(checked), |entry| self.map_type(entry)),
            is_map: map_entry.is_some(),
            packable: !matches!(ty, Type::String | Type::Bytes | Type::Message | Type::Group),
            occurrence: self.occurrence(checked, in_oneof),
            options,
        }
    }

    fn occurrence(&self, field: &FieldDescriptorProto, in_oneof: bool) -> Occurrence {
        match field.label() {
            Label::Required => Occurrence::Required,
            Label::Repeated => Occurrence::Repeated,
            Label::Optional if self.proto3 && !in_oneof && !field.proto3_optional() => Occurrence::Defaulty,
            Label::Optional => Occurrence::Optional,
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
