//! The features of editions: what a file, a message, a oneof and a field say of themselves, each for what is in it
//! (protobuf, "Feature Settings for Editions"). proto2 and proto3 are two sets of them that never change.

use std::collections::HashMap;

use protox::prost_reflect::{DynamicMessage, FileDescriptor, Value};

/// Resolved features, by their names.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub field_presence: FieldPresence,
    pub enum_type: EnumType,
    pub repeated_field_encoding: RepeatedFieldEncoding,
    pub utf8_validation: Utf8Validation,
    pub message_encoding: MessageEncoding,
    pub json_format: JsonFormat,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldPresence {
    Explicit,
    Implicit,
    LegacyRequired,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnumType {
    Open,
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RepeatedFieldEncoding {
    Packed,
    Expanded,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Utf8Validation {
    Verify,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MessageEncoding {
    LengthPrefixed,
    Delimited,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JsonFormat {
    Allow,
    LegacyBestEffort,
}

impl Features {
    pub const PROTO2: Features = Features {
        field_presence: FieldPresence::Explicit,
        enum_type: EnumType::Closed,
        repeated_field_encoding: RepeatedFieldEncoding::Expanded,
        utf8_validation: Utf8Validation::None,
        message_encoding: MessageEncoding::LengthPrefixed,
        json_format: JsonFormat::LegacyBestEffort,
    };

    pub const PROTO3: Features = Features {
        field_presence: FieldPresence::Implicit,
        enum_type: EnumType::Open,
        repeated_field_encoding: RepeatedFieldEncoding::Packed,
        utf8_validation: Utf8Validation::Verify,
        message_encoding: MessageEncoding::LengthPrefixed,
        json_format: JsonFormat::Allow,
    };

    pub const EDITION_2023: Features = Features { field_presence: FieldPresence::Explicit, ..Features::PROTO3 };

    /// These, but for what the options set that stand within.
    pub fn with(mut self, options: &DynamicMessage) -> Features {
        let set = options.get_field_by_name("features");
        let Some(Value::Message(set)) = set.as_deref() else { return self };
        let said = |feature: &str| set.get_field_by_name(feature).and_then(|value| value.as_enum_number()).unwrap_or(0);
        // The numbers are those of descriptor.proto; 0 stands for a feature that is not set.
        match said("field_presence") {
            1 => self.field_presence = FieldPresence::Explicit,
            2 => self.field_presence = FieldPresence::Implicit,
            3 => self.field_presence = FieldPresence::LegacyRequired,
            _ => {}
        }
        match said("enum_type") {
            1 => self.enum_type = EnumType::Open,
            2 => self.enum_type = EnumType::Closed,
            _ => {}
        }
        match said("repeated_field_encoding") {
            1 => self.repeated_field_encoding = RepeatedFieldEncoding::Packed,
            2 => self.repeated_field_encoding = RepeatedFieldEncoding::Expanded,
            _ => {}
        }
        match said("utf8_validation") {
            2 => self.utf8_validation = Utf8Validation::Verify,
            // 1 in the older descriptor.proto that comes with the parser.
            1 | 3 => self.utf8_validation = Utf8Validation::None,
            _ => {}
        }
        match said("message_encoding") {
            1 => self.message_encoding = MessageEncoding::LengthPrefixed,
            2 => self.message_encoding = MessageEncoding::Delimited,
            _ => {}
        }
        match said("json_format") {
            1 => self.json_format = JsonFormat::Allow,
            2 => self.json_format = JsonFormat::LegacyBestEffort,
            _ => {}
        }
        self
    }
}

/// The features of all fields and enums of a file.
#[derive(Debug)]
pub struct FileFeatures {
    of_all: Features,
    /// Those of fields, extensions and enums by their full names, where they can differ.
    by_name: HashMap<String, Features>,
}

impl FileFeatures {
    /// A file of proto2 or proto3.
    pub fn uniform(of_all: Features) -> Self {
        FileFeatures { of_all, by_name: HashMap::new() }
    }

    /// A file of an edition with these defaults.
    pub fn of_edition(file: &FileDescriptor, defaults: Features) -> Self {
        let of_all = defaults.with(&file.options());
        let mut enums: Vec<_> = file.enums().map(|inner| (inner, of_all)).collect();
        let mut extensions: Vec<_> = file.extensions().map(|inner| (inner, of_all)).collect();
        let mut messages: Vec<_> = file.messages().map(|inner| (inner, of_all)).collect();
        let mut by_name = HashMap::new();
        while let Some((message, around)) = messages.pop() {
            let own = around.with(&message.options());
            by_name.extend(message.fields().map(|field| {
                let around = field.containing_oneof().map_or(own, |oneof| own.with(&oneof.options()));
                (field.full_name().to_owned(), around.with(&field.options()))
            }));
            enums.extend(message.child_enums().map(|inner| (inner, own)));
            extensions.extend(message.child_extensions().map(|inner| (inner, own)));
            messages.extend(message.child_messages().map(|inner| (inner, own)));
        }
        by_name.extend(
            extensions.iter().map(|(field, around)| (field.full_name().to_owned(), around.with(&field.options()))),
        );
        by_name
            .extend(enums.iter().map(|(inner, around)| (inner.full_name().to_owned(), around.with(&inner.options()))));
        FileFeatures { of_all, by_name }
    }

    /// Those of the field, extension or enum of this name in descriptors, such as `.package.Message.field`.
    pub fn get(&self, name: &str) -> Features {
        self.by_name.get(name.trim_start_matches('.')).copied().unwrap_or(self.of_all)
    }
}
