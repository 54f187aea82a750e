//! Which fields features are for (protobuf, "Feature Settings for Editions"): what is said of a field must not be without
//! meaning for it.

use prost_types::FieldDescriptorProto;
use prost_types::field_descriptor_proto::Label;
use protox::prost_reflect::{DynamicMessage, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, Value};

use super::features::{EnumType, Features, FieldPresence};
use super::fields::is_packable;

/// A field of an edition's file, or an extension.
pub struct Target<'a> {
    field: &'a FieldDescriptorProto,
    kind: Kind,
    options: DynamicMessage,
    features: Features,
}

impl<'a> Target<'a> {
    pub fn field(field: &'a FieldDescriptor, features: Features) -> Self {
        Target { field: field.field_descriptor_proto(), kind: field.kind(), options: field.options(), features }
    }

    pub fn extension(field: &'a ExtensionDescriptor, features: Features) -> Self {
        Target { field: field.field_descriptor_proto(), kind: field.kind(), options: field.options(), features }
    }

    /// What is wrong with it. `enum_type` tells whether an enum is closed.
    pub fn fault(&self, enum_type: impl Fn(&EnumDescriptor) -> EnumType) -> Option<&'static str> {
        let field = self.field;
        let is_repeated = field.label() == Label::Repeated;
        let is_extension = field.extendee.is_some();
        let is_required = self.features.field_presence == FieldPresence::LegacyRequired;
        let is_implicit = self.features.field_presence == FieldPresence::Implicit
            && !is_repeated
            && !is_extension
            && field.oneof_index.is_none();
        let is_closed = matches!(&self.kind, Kind::Enum(kind) if enum_type(kind) == EnumType::Closed);
        let is_map = matches!(&self.kind, Kind::Message(message) if message.is_map_entry());
        let is_message = matches!(self.kind, Kind::Message(_));
        let faults = [
            (is_implicit && field.default_value.is_some(), "a field without presence has no default of its own"),
            (is_implicit && is_closed, "a field of a closed enum has presence: its default need not be 0"),
            (
                is_extension && (is_required || self.says("field_presence")),
                "an extension has presence, and is not required",
            ),
            (field.oneof_index.is_some() && self.says("field_presence"), "a field of a oneof has presence"),
            (is_repeated && self.says("field_presence"), "a repeated field has no presence"),
            (
                is_message && is_implicit && self.says("field_presence"),
                "a field of a message has presence: field_presence = IMPLICIT is for others",
            ),
            (self.says("utf8_validation") && !self.has_strings(), "utf8_validation is for strings"),
            (self.says("repeated_field_encoding") && !is_repeated, "repeated_field_encoding is for repeated fields"),
            (
                self.number("repeated_field_encoding") == Some(PACKED) && !is_packable(field.r#type()),
                "repeated_field_encoding = PACKED is for numbers, booleans and enums",
            ),
            (self.says("message_encoding") && (is_map || !is_message), "message_encoding is for fields of messages"),
            (
                self.options.has_field_by_name("packed"),
                "an edition has no option packed: the feature repeated_field_encoding tells what it would",
            ),
        ];
        faults.into_iter().find_map(|(is_wrong, sentence)| is_wrong.then_some(sentence))
    }

    /// The number of the value that the field itself says a feature has.
    fn number(&self, feature: &str) -> Option<i32> {
        let said = self.options.get_field_by_name("features")?;
        let Value::Message(said) = said.as_ref() else { return None };
        said.has_field_by_name(feature).then(|| said.get_field_by_name(feature)?.as_enum_number()).flatten()
    }

    fn says(&self, feature: &str) -> bool {
        self.number(feature).is_some()
    }

    fn has_strings(&self) -> bool {
        match &self.kind {
            Kind::String => true,
            Kind::Message(message) if message.is_map_entry() => {
                message.fields().any(|field| matches!(field.kind(), Kind::String))
            }
            _ => false,
        }
    }
}

/// The number of the encoding in descriptor.proto.
const PACKED: i32 = 1;
