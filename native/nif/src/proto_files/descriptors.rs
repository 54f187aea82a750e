//! From a file's descriptors to entries, in gpb's order.
//!
//! The order of entries matters where several of them end up in one place: fields that extend a message, options of a
//! message or an enumeration. gpb lifts what is nested to the top and turns the order around at each level; so does
//! [`File::message`], for the positions in extended records hang on it.

use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::definitions::{Entry, Symbol, keyed};
use super::editions::EDITION;
use super::features::{EnumType, FileFeatures};
use super::fields::Fields;
use super::layout::{Layout, Position, element_path, tag};
use super::names::{Kind, Names, Scope};
use super::options::{ENUM_CLOSED, WrittenOption, interpreted_of_enum, interpreted_of_message, written_options};
use super::ranges;
use super::services::Services;
use super::sources::Source;
use super::value::Value;

/// How a file says that it is written in it.
pub const PROTO3: &str = "proto3";

/// A file twice: as it was written, and as the compiler checked it. The parser's descriptor has the options as they
/// stand, the checked one has the types of fields; the elements of both are the same, in the same order.
pub struct File<'a> {
    checked: &'a FileDescriptorProto,
    written: &'a FileDescriptorProto,
    fields: Fields<'a>,
}

/// A list of definitions with their places, for their order.
pub type Placed = Vec<(Position, Vec<Entry>)>;

/// The types and extensions that a file or a message holds.
struct Nested<'d> {
    written_messages: &'d [DescriptorProto],
    messages: &'d [DescriptorProto],
    written_enums: &'d [EnumDescriptorProto],
    written_extensions: &'d [FieldDescriptorProto],
    extensions: &'d [FieldDescriptorProto],
    /// The paths of these lists.
    paths: [Vec<i32>; 3],
}

impl<'a> File<'a> {
    pub fn new(
        source: &'a Source,
        checked: &'a FileDescriptorProto,
        features: &'a FileFeatures,
        says_features: bool,
        names: &'a Names<'a>,
    ) -> Self {
        let edition = source.edition.is_some();
        // Of an edition there is no form of gpb's to keep to.
        let says_features = says_features || edition;
        let fields = Fields { layout: Layout::new(source), names, features, edition, says_features };
        File { checked, written: &source.descriptor, fields }
    }

    pub fn is_proto3(&self) -> bool {
        self.written.syntax() == PROTO3
    }

    /// Whether the file says which syntax it is written in.
    fn states_syntax(&self) -> bool {
        self.written.syntax.is_some() || self.fields.layout.has(&[tag::file::SYNTAX])
    }

    /// All that the file defines.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = self.head();
        let nested = Nested {
            written_messages: &self.written.message_type,
            messages: &self.checked.message_type,
            written_enums: &self.written.enum_type,
            written_extensions: &self.written.extension,
            extensions: &self.checked.extension,
            paths: [vec![tag::file::MESSAGE], vec![tag::file::ENUM], vec![tag::file::EXTENSION]],
        };
        let scope = self.fields.names.file_scope(self.checked);
        let mut placed = self.nested(&scope, &nested);
        let services = Services { layout: &self.fields.layout, names: self.fields.names, scope: &scope };
        placed.extend(services.of_file(self.written, self.checked));
        entries.extend(in_order(placed));
        entries
    }

    /// `{syntax, _}` or `{edition, _}`, `{package, _}`, `{import, _}`, `{option, _, _}`
    fn head(&self) -> Vec<Entry> {
        let mut head = Vec::new();
        if self.states_syntax() {
            head.push(keyed("syntax", Value::chars(if self.is_proto3() { PROTO3 } else { "proto2" })));
        }
        if self.fields.edition {
            head.push(keyed("edition", Value::chars(EDITION)));
        }
        if let Some(package) = &self.checked.package {
            head.push(keyed("package", Value::atom(package)));
        }
        head.extend(self.checked.dependency.iter().map(|name| keyed("import", Value::chars(name))));
        if let Some(options) = &self.written.options {
            let options = written_options(&options.uninterpreted_option, &self.fields.layout, &[], tag::file::OPTIONS);
            head.extend(
                options
                    .into_iter()
                    .map(|(_, option)| Value::Tuple(vec![Value::atom("option"), option.nested_name(), option.value])),
            );
        }
        head.into_iter().map(Entry::Other).collect()
    }

    fn nested(&self, scope: &Scope, nested: &Nested) -> Placed {
        let [messages, enums, extensions] = &nested.paths;
        let mut placed = Placed::new();
        for (i, (written, checked)) in nested.written_messages.iter().zip(nested.messages).enumerate() {
            let path = element_path(messages, i);
            placed.push((self.fields.layout.start(&path), self.message(scope, written, checked, path)));
        }
        for (i, written) in nested.written_enums.iter().enumerate() {
            let path = element_path(enums, i);
            placed.push((self.fields.layout.start(&path), self.enumeration(scope, written, path)));
        }
        for (position, members) in self.fields.layout.statements(extensions, nested.extensions.len()) {
            placed.push((position, self.extend(scope, nested, &members)));
        }
        placed
    }

    /// One `extend`: its fields all extend one message.
    fn extend(&self, scope: &Scope, nested: &Nested, members: &[usize]) -> Vec<Entry> {
        let [_, _, path] = &nested.paths;
        let mut message = None;
        let fields = members
            .iter()
            .filter_map(|&i| {
                let (written, checked) = (nested.written_extensions.get(i)?, nested.extensions.get(i)?);
                message.get_or_insert_with(|| checked.extendee());
                Some(self.fields.field(scope, written, checked, &element_path(path, i), false))
            })
            .collect();
        let message = self.fields.names.erlang_name(message.unwrap_or_default()).to_owned();
        vec![Entry::Extend { message, scope: scope.erlang.clone(), fields }]
    }

    /// A message or a group with all that is nested in it; nothing for the entries of a map.
    fn message(
        &self,
        scope: &Scope,
        written: &DescriptorProto,
        checked: &DescriptorProto,
        path: Vec<i32>,
    ) -> Vec<Entry> {
        let proto = scope.proto_name(checked.name());
        let group = match self.fields.names.get(&proto).map(|named| &named.kind) {
            Some(Kind::Message) => false,
            Some(Kind::Group) => true,
            Some(Kind::MapEntry(_) | Kind::Enum) | None => return Vec::new(),
        };
        let list = |list: i32| [path.as_slice(), &[list]].concat();
        let inner = self.fields.names.message_scope(&proto);
        let nested = Nested {
            written_messages: &written.nested_type,
            messages: &checked.nested_type,
            written_enums: &written.enum_type,
            written_extensions: &written.extension,
            extensions: &checked.extension,
            paths: [list(tag::message::NESTED), list(tag::message::ENUM), list(tag::message::EXTENSION)],
        };
        let name = &inner.erlang;
        let mut placed = self.nested(&inner, &nested);
        placed.extend(ranges::of_message(name, checked, &self.fields.layout, &path));
        if let Some(options) = &written.options {
            let interpreted = interpreted_of_message(options).map(|option| (Position::default(), option));
            let options = &options.uninterpreted_option;
            let mut options = written_options(options, &self.fields.layout, &path, tag::message::OPTIONS);
            options.extend(interpreted);
            placed.extend(
                options
                    .into_iter()
                    .map(|(position, option)| (position, vec![Entry::MessageOption { message: name.clone(), option }])),
            );
        }
        let items = self.fields.of_message(&inner, written, checked, &path);
        lifted(placed, Entry::Message { group, name: name.clone(), items })
    }

    fn enumeration(&self, scope: &Scope, written: &EnumDescriptorProto, path: Vec<i32>) -> Vec<Entry> {
        let proto = scope.proto_name(written.name());
        let name = self.fields.names.erlang_name(&proto).to_owned();
        let mut placed = ranges::of_enum(&name, written, &self.fields.layout, &path);
        if let Some(options) = &written.options {
            let interpreted = interpreted_of_enum(options).map(|option| (Position::default(), option));
            let options = &options.uninterpreted_option;
            let mut options = written_options(options, &self.fields.layout, &path, tag::enumeration::OPTIONS);
            options.extend(interpreted);
            placed.extend(
                options
                    .into_iter()
                    .filter(|(_, option)| !option.is_resolved_feature())
                    .map(|(position, option)| (position, vec![Entry::EnumOption { name: name.clone(), option }])),
            );
        }
        if self.fields.says_features && self.fields.features.get(&proto).enum_type == EnumType::Closed {
            let option = WrittenOption::feature(ENUM_CLOSED);
            placed.push((self.fields.layout.start(&path), vec![Entry::EnumOption { name: name.clone(), option }]));
        }
        let values = [path.as_slice(), &[tag::enumeration::VALUE]].concat();
        let symbols = written.value.iter().enumerate().map(|(i, value)| {
            let options = value.options.iter().flat_map(|options| {
                let path = element_path(&values, i);
                written_options(&options.uninterpreted_option, &self.fields.layout, &path, tag::enum_value::OPTIONS)
            });
            let options = options.map(|(_, option)| option).collect();
            Symbol { name: value.name().to_owned(), number: value.number(), options }
        });
        let symbols = symbols.collect();
        lifted(placed, Entry::Enum { name, symbols })
    }
}

/// Definitions by their places.
fn in_order(mut placed: Placed) -> impl Iterator<Item = Entry> {
    placed.sort_by_key(|(position, _)| *position);
    placed.into_iter().flat_map(|(_, entries)| entries)
}

/// What is nested in a definition, each part of it turned around, and then the definition.
fn lifted(mut placed: Placed, definition: Entry) -> Vec<Entry> {
    for (_, entries) in &mut placed {
        entries.reverse();
    }
    in_order(placed).chain([definition]).collect()
}
