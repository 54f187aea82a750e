//! Definitions in the making, and the form that gpb gives them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::arguments::{DefsVersion, Options};
use super::failure::ProtoError;
use super::options::WrittenOption;
use super::services::Rpc;
use super::value::Value;

/// What a file defines.
pub enum Entry {
    Message {
        group: bool,
        name: String,
        items: Vec<Item>,
    },
    Enum {
        name: String,
        symbols: Vec<Symbol>,
    },
    /// Fields for a message that is defined elsewhere.
    Extend {
        message: String,
        scope: String,
        fields: Vec<Field>,
    },
    /// An option of a message or an enumeration: one entry each, for their order depends on where they stand.
    MessageOption {
        message: String,
        option: WrittenOption,
    },
    EnumOption {
        name: String,
        option: WrittenOption,
    },
    Service {
        name: String,
        rpcs: Vec<Rpc>,
    },
    ServiceOptions {
        name: String,
        options: Vec<WrittenOption>,
    },
    /// What is given on as it is.
    Other(Value),
}

/// A value of an enumeration.
pub struct Symbol {
    pub name: String,
    pub number: i32,
    pub options: Vec<WrittenOption>,
}

/// What takes a place in a record.
pub enum Item {
    Field(Field),
    Oneof { name: String, fields: Vec<Field>, options: Vec<WrittenOption> },
}

#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub number: i32,
    pub ty: Value,
    pub is_map: bool,
    /// Whether the values of a repeated field of this type can be packed.
    pub packable: bool,
    pub occurrence: Occurrence,
    pub options: Vec<WrittenOption>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Occurrence {
    Required,
    Repeated,
    Optional,
    /// A field that has its default where it is not given.
    Defaulty,
}

/// Where in a record the first field stands: behind the record's name.
const FIRST_POSITION: u64 = 2;

/// All definitions as one list, in gpb's form. `proto3_messages` are those of proto3 files, if there is such a file.
pub fn finish(
    entries: Vec<Entry>,
    proto3_messages: Option<BTreeSet<String>>,
    options: &Options,
) -> Result<Value, ProtoError> {
    let form = Form::new(&entries, proto3_messages.as_ref(), options);
    let version = match options.version {
        DefsVersion::One => 1,
        DefsVersion::Two => 2,
        DefsVersion::Four => 4,
    };
    let options_of = |written: &[WrittenOption]| {
        let pairs = written.iter().map(|option| Value::pair(option.name_in(options.version), option.value.clone()));
        Value::List(pairs.collect())
    };
    let mut defs = vec![keyed("proto_defs_version", Value::Unsigned(version))];
    for entry in entries {
        match entry {
            Entry::Message { group, name, items } => defs.push(form.message(group, &name, items)?),
            Entry::Enum { name, symbols } => defs.push(form.enumeration(&name, symbols)),
            Entry::Extend { message, scope, fields } => defs.push(extension_origin(&message, &scope, &fields)),
            Entry::ServiceOptions { name, options: written } => {
                defs.push(named("service_options", name, options_of(&written)));
            }
            Entry::Service { name, rpcs } => {
                defs.push(named(
                    "service",
                    name,
                    Value::List(rpcs.into_iter().map(|rpc| rpc.into_value(options.version)).collect()),
                ));
            }
            Entry::Other(value) => defs.push(value),
            // These are part of the definition they belong to, or follow below.
            Entry::EnumOption { .. } | Entry::MessageOption { .. } => {}
        }
    }
    if options.version == DefsVersion::Four {
        let of_enums: BTreeMap<_, _> = form.enum_options.iter().collect();
        defs.extend(of_enums.into_iter().map(|(name, written)| named("enum_options", name, options_of(written))));
    }
    for (name, written) in &form.message_options {
        defs.push(named("msg_options", name, options_of(written)));
    }
    if let Some(names) = proto3_messages {
        defs.push(keyed("proto3_msgs", Value::List(names.into_iter().map(Value::Atom).collect())));
    }
    Ok(Value::List(defs))
}

/// What must be known of all entries before the form of any one can be given.
struct Form<'a> {
    proto3: Option<&'a BTreeSet<String>>,
    extensions: HashMap<String, Vec<Field>>,
    message_options: BTreeMap<String, Vec<WrittenOption>>,
    enum_options: HashMap<String, Vec<WrittenOption>>,
    options: &'a Options,
}

impl<'a> Form<'a> {
    fn new(entries: &[Entry], proto3: Option<&'a BTreeSet<String>>, options: &'a Options) -> Self {
        let (mut extensions, mut enum_options) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        let mut message_options = BTreeMap::<_, Vec<_>>::new();
        for entry in entries {
            match entry {
                Entry::Extend { message, fields, .. } => {
                    extensions.entry(message.clone()).or_default().extend_from_slice(fields);
                }
                Entry::MessageOption { message, option } => {
                    message_options.entry(message.clone()).or_default().push(option.clone());
                }
                Entry::EnumOption { name, option } => {
                    enum_options.entry(name.clone()).or_default().push(option.clone());
                }
                Entry::Message { .. }
                | Entry::Enum { .. }
                | Entry::Service { .. }
                | Entry::ServiceOptions { .. }
                | Entry::Other(_) => {}
            }
        }
        Form { proto3, extensions, message_options, enum_options, options }
    }

    /// `{{msg | group, Name}, Fields}`, with the fields of extensions behind its own.
    fn message(&self, group: bool, name: &str, mut items: Vec<Item>) -> Result<Value, ProtoError> {
        let proto3 = self.proto3.is_some_and(|messages| messages.contains(name));
        let own = items.len();
        items.extend(self.extensions.get(name).into_iter().flatten().cloned().map(Item::Field));
        let mut fields = Vec::with_capacity(items.len().saturating_add(1));
        let mut position = FIRST_POSITION;
        for (index, item) in items.into_iter().enumerate() {
            fields.push(match item {
                Item::Field(mut field) => {
                    if proto3 {
                        self.adapt_to_proto3(name, &mut field)?;
                    } else if index < own
                        && self.options.version == DefsVersion::One
                        && field.occurrence == Occurrence::Defaulty
                    {
                        // What a proto3 file adds to another's message gpb leaves as it is.
                        return Err(no_version_one(name, &field.name, "a field without presence"));
                    }
                    field.into_value(position, self.name_form(group))
                }
                Item::Oneof { name, fields, options } => Value::Tuple(vec![
                    Value::atom("gpb_oneof"),
                    Value::Atom(name),
                    Value::Unsigned(position),
                    Value::List(
                        fields.into_iter().map(|field| field.into_value(position, self.name_form(group))).collect(),
                    ),
                    Value::List(options.into_iter().map(|option| option.into_value(self.name_form(group))).collect()),
                ]),
            });
            position += 1;
        }
        if self.options.preserve_unknown_fields {
            fields.push(unknown_fields(position));
        }
        Ok(named(if group { "group" } else { "msg" }, name, Value::List(fields)))
    }

    /// What the syntax says of a field that stands in no oneof.
    fn adapt_to_proto3(&self, message: &str, field: &mut Field) -> Result<(), ProtoError> {
        if field.occurrence == Occurrence::Repeated && field.packable && !field.options.iter().any(|o| o.is("packed")) {
            field.options.push(WrittenOption::plain("packed", Value::bool(true)));
        }
        if self.options.version == DefsVersion::One {
            match field.occurrence {
                Occurrence::Defaulty => field.occurrence = Occurrence::Optional,
                Occurrence::Optional => {
                    return Err(no_version_one(message, &field.name, "a proto3 optional field"));
                }
                Occurrence::Required | Occurrence::Repeated => {}
            }
        }
        Ok(())
    }

    /// The form of the names of options. gpb converts them to the older form in messages, but not in groups.
    fn name_form(&self, group: bool) -> DefsVersion {
        if group { DefsVersion::Four } else { self.options.version }
    }

    /// `{{enum, Name}, [{option, Name, Value} | {Symbol, Number}]}`, or in version 4, which has the options elsewhere,
    /// `{{enum, Name}, [{Symbol, Number, Options}]}`
    fn enumeration(&self, name: &str, symbols: Vec<Symbol>) -> Value {
        if self.options.version == DefsVersion::Four {
            let symbols = symbols.into_iter().map(|Symbol { name, number, options }| {
                let options = options.into_iter().map(|option| option.into_value(DefsVersion::Four)).collect();
                Value::Tuple(vec![Value::Atom(name), Value::Int(number.into()), Value::List(options)])
            });
            return named("enum", name, Value::List(symbols.collect()));
        }
        let options = self.enum_options.get(name).into_iter().flatten();
        let options =
            options.map(|option| Value::Tuple(vec![Value::atom("option"), option.flat_name(), option.value.clone()]));
        let symbols = symbols
            .into_iter()
            .map(|Symbol { name, number, .. }| Value::pair(Value::Atom(name), Value::Int(number.into())));
        named("enum", name, Value::List(options.chain(symbols).collect()))
    }
}

/// For what version 1 of the definitions has no words for.
fn no_version_one(message: &str, field: &str, what: &str) -> ProtoError {
    ProtoError::new(format!("version 1 of the definitions cannot say that {message}.{field} is {what}; version 2 can"))
}

impl Field {
    /// `{field, Name, Number, Position, Type, Occurrence, Options}`
    fn into_value(self, position: u64, names: DefsVersion) -> Value {
        let options = normalized(self.options, self.is_map, names);
        let occurrence = match self.occurrence {
            Occurrence::Required => "required",
            Occurrence::Repeated => "repeated",
            Occurrence::Optional => "optional",
            Occurrence::Defaulty => "defaulty",
        };
        field_tuple(&self.name, Value::Int(self.number.into()), Value::Unsigned(position), self.ty, occurrence, options)
    }
}

impl WrittenOption {
    /// `{Name, Value}`
    fn into_value(self, names: DefsVersion) -> Value {
        Value::pair(self.name_in(names), self.value)
    }

    fn name_in(&self, names: DefsVersion) -> Value {
        if names == DefsVersion::Four { self.nested_name() } else { self.flat_name() }
    }
}

/// The options of a field as gpb gives them: `packed` and `deprecated` as atoms in front where they are true and not
/// at all where they are false, and `packed` never of a map.
fn normalized(mut options: Vec<WrittenOption>, is_map: bool, names: DefsVersion) -> Vec<Value> {
    let packed = take_switch(&mut options, "packed") && !is_map;
    let deprecated = take_switch(&mut options, "deprecated");
    let in_front = [("deprecated", deprecated), ("packed", packed)];
    let in_front = in_front.into_iter().filter(|(_, on)| *on).map(|(name, _)| Value::atom(name));
    in_front.chain(options.into_iter().map(|option| option.into_value(names))).collect()
}

/// Takes an option out of the list, and tells whether it is there and true.
fn take_switch(options: &mut Vec<WrittenOption>, name: &str) -> bool {
    let place = options.iter().position(|option| option.is(name));
    place.is_some_and(|place| options.remove(place).value == Value::bool(true))
}

/// `{{ext_origin, Message}, {Scope, Fields}}`: an `extend` as it was written, before it became part of the message.
fn extension_origin(message: &str, scope: &str, fields: &[Field]) -> Value {
    let fields = fields.iter().cloned().map(|field| {
        let occurrence = match field.occurrence {
            Occurrence::Repeated => "repeated",
            Occurrence::Defaulty => "undefined",
            Occurrence::Optional | Occurrence::Required => "optional",
        };
        let options = field.options.into_iter().map(|option| option.into_value(DefsVersion::Four)).collect();
        let number = Value::Int(field.number.into());
        field_tuple(&field.name, number, Value::atom("undefined"), field.ty, occurrence, options)
    });
    let scope = Value::atom(if scope.is_empty() { "." } else { scope });
    named("ext_origin", message, Value::pair(scope, Value::List(fields.collect())))
}

/// The field that keeps what a message does not define.
fn unknown_fields(position: u64) -> Value {
    let position = Value::Unsigned(position);
    field_tuple("$unknowns", Value::atom("undefined"), position, Value::atom("unknown"), "repeated", Vec::new())
}

fn field_tuple(name: &str, number: Value, position: Value, ty: Value, occurrence: &str, options: Vec<Value>) -> Value {
    let (name, occurrence) = (Value::atom(name), Value::atom(occurrence));
    Value::Tuple(vec![Value::atom("field"), name, number, position, ty, occurrence, Value::List(options)])
}

/// `{Key, Value}`
pub fn keyed(key: &str, value: Value) -> Value {
    Value::pair(Value::atom(key), value)
}

/// `{{Key, Name}, Value}`
pub fn named(key: &str, name: impl Into<String>, value: Value) -> Value {
    Value::pair(keyed(key, Value::atom(name)), value)
}
