//! Definitions as gpb hands them over: terms to the model. Records, maps and property lists are all taken, of every
//! version of gpb's definitions; see gpb's documentation of `get_msg_defs/0` and of the option `to_proto_defs`.

use protobuf_codec::Term;
use protobuf_codec::schema::{
    DefaultValue, Definitions, Enum, EnumValue, Field, Member, Message, MessageKind, Name, Occurrence, Oneof, Scalar,
    Type, TypeName,
};
use rustler::sys::ErlNifEnv;
use std::collections::{HashMap, HashSet};

use crate::atoms::atoms;
use crate::beam;
use crate::errors::{DefinitionFault, Failure, FaultValue};

/// Reads definitions.
pub fn read(env: *mut ErlNifEnv, definitions: Term) -> Result<Definitions, Failure> {
    if beam::get_cell(env, definitions).is_none() && definitions != atoms().nil {
        let sentence = "not a list of definitions as gpb gives them (a file is for load_proto/1)";
        return Err(Failure::BadTerm(1, sentence.into(), definitions));
    }
    let mut reader = Reader { env, place: Place::default(), scalars: HashMap::new() };
    for (scalar, name) in Scalar::ALL {
        reader.scalars.insert(beam::make_atom(env, name), scalar);
    }
    reader.definitions(definitions)
}

/// Where in the definitions the reader is.
#[derive(Clone, Copy, Default)]
struct Place {
    definition: Option<TypeName>,
    member: Option<Term>,
}

struct Reader {
    env: *mut ErlNifEnv,
    place: Place,
    scalars: HashMap<Term, Scalar>,
}

/// A field or a oneof, whichever of the three forms it came in.
struct Parts {
    name: Term,
    position: Term,
    content: Content,
}

enum Content {
    Field(FieldParts),
    Oneof { fields: Term },
}

/// What the options of a field say.
#[derive(Default)]
struct FieldOptions {
    packed: bool,
    delimited: bool,
    verify_utf8: bool,
    default: Option<Term>,
}

struct FieldParts {
    number: Term,
    ty: Term,
    occurrence: Term,
    options: Option<Term>,
}

impl Reader {
    fn fault(&self, reason: &'static str, value: FaultValue) -> Failure {
        let Place { definition, member } = self.place;
        Failure::Definitions(DefinitionFault { definition, member, reason, value })
    }

    /// The elements of a proper list.
    fn list(&self, list: Term) -> Result<Vec<Term>, Failure> {
        let mut elements = Vec::new();
        let mut rest = list;
        while let Some((head, tail)) = beam::get_cell(self.env, rest) {
            elements.push(head);
            rest = tail;
        }
        match rest == atoms().nil {
            true => Ok(elements),
            false if elements.is_empty() => Err(self.fault("not_a_list", FaultValue::Term(list))),
            false => Err(self.fault("improper_list", FaultValue::Term(rest))),
        }
    }

    fn name(&self, term: Term) -> Result<Name, Failure> {
        match beam::atom_text(self.env, term) {
            Some(text) => Ok(Name { term, text: text.into() }),
            None => Err(self.fault("not_a_name", FaultValue::Term(term))),
        }
    }

    fn definitions(&mut self, definitions: Term) -> Result<Definitions, Failure> {
        let atoms = atoms();
        let mut model = Definitions::default();
        let mut version = None;
        let mut proto3 = false;
        let mut proto3_messages: Option<HashSet<Term>> = None;
        let mut message_sets = HashSet::new();
        let mut closed_enums = HashSet::new();
        for entry in self.list(definitions)? {
            self.place = Place::default();
            let (key, content) = match beam::get_tuple(self.env, entry) {
                Some(&[key, content]) => (key, content),
                // Services, options and whatever else there is.
                Some(_) => continue,
                None => return Err(self.fault("not_a_definition", FaultValue::Term(entry))),
            };
            match beam::get_tuple(self.env, key) {
                Some(&[kind, name]) if kind == atoms.msg => {
                    model.messages.push(self.message(MessageKind::Message, name, content)?);
                }
                Some(&[kind, name]) if kind == atoms.group => {
                    model.messages.push(self.message(MessageKind::Group, name, content)?);
                }
                Some(&[kind, name]) if kind == atoms.enum_ => model.enums.push(self.enumeration(name, content)?),
                Some(&[kind, name]) if kind == atoms.msg_options && self.is_message_set(content)? => {
                    message_sets.insert(name);
                }
                // Up to version 3 this stands among the enum's values.
                Some(&[kind, name]) if kind == atoms.enum_options && self.is_closed(content)? => {
                    closed_enums.insert(name);
                }
                Some(_) => {}
                None if key == atoms.proto_defs_version => version = beam::get_integer(self.env, content),
                None if key == atoms.syntax => proto3 = self.is_proto3(content),
                None if key == atoms.proto3_msgs => {
                    proto3_messages = Some(self.list(content)?.into_iter().collect());
                }
                None => {}
            }
        }
        let has_presence_marks = model
            .messages
            .iter()
            .flat_map(|message| &message.members)
            .any(|member| matches!(member, Member::Field(field) if field.occurrence == Occurrence::Defaulty));
        if version.map_or(!has_presence_marks, |version| version < 2) {
            let is_proto3 = |name: Term| match &proto3_messages {
                Some(names) => names.contains(&name),
                None => proto3,
            };
            for message in model.messages.iter_mut().filter(|message| is_proto3(message.name.term)) {
                mark_without_presence(message);
            }
        }
        for message in &mut model.messages {
            message.message_set = message_sets.contains(&message.name.term);
        }
        for definition in &mut model.enums {
            definition.closed |= closed_enums.contains(&definition.name.term);
        }
        Ok(model)
    }

    fn is_message_set(&self, options: Term) -> Result<bool, Failure> {
        let atoms = atoms();
        Ok(self.list(options)?.into_iter().any(|option| match beam::get_tuple(self.env, option) {
            Some(&[name, value]) => name == atoms.message_set_wire_format && value == atoms.true_,
            _ => false,
        }))
    }

    fn is_closed(&self, options: Term) -> Result<bool, Failure> {
        let atoms = atoms();
        Ok(self.list(options)?.into_iter().any(|option| match beam::get_tuple(self.env, option) {
            Some(&[name, value]) => self.is_feature(name, value, atoms.enum_type, atoms.closed),
            _ => false,
        }))
    }

    fn is_proto3(&self, syntax: Term) -> bool {
        match beam::get_binary(self.env, syntax) {
            Some(text) => text == b"proto3",
            None => self.list(syntax).is_ok_and(|characters| {
                characters.iter().map(|c| beam::get_integer(self.env, *c)).eq(b"proto3".map(|c| Some(i64::from(c))))
            }),
        }
    }

    fn message(&mut self, kind: MessageKind, name: Term, members: Term) -> Result<Message, Failure> {
        self.place.definition = Some(kind.type_name(name));
        let name = self.name(name)?;
        let mut message = Message { name, kind, members: Vec::new(), message_set: false };
        for member in self.list(members)? {
            self.place.member = None;
            message.members.push(self.member(member)?);
        }
        Ok(message)
    }

    fn member(&mut self, member: Term) -> Result<Member, Failure> {
        let Parts { name, position, content } = self.parts(member)?;
        match content {
            Content::Field(FieldParts { ty, .. }) if ty == atoms().unknown => {
                self.place.member = Some(name);
                Ok(Member::Unknowns { name: self.name(name)?, position: self.position(position)? })
            }
            Content::Field(field) => Ok(Member::Field(self.field(name, position, field)?)),
            Content::Oneof { fields } => {
                self.place.member = Some(name);
                let (name, position) = (self.name(name)?, self.position(position)?);
                let mut oneof = Oneof { name, position, fields: Vec::new() };
                for member in self.list(fields)? {
                    let Parts { name, position, content } = self.parts(member)?;
                    // Oneofs do not nest, so neither does this.
                    match content {
                        Content::Field(field) => oneof.fields.push(self.field(name, position, field)?),
                        Content::Oneof { .. } => return Err(self.fault("not_a_field", FaultValue::Term(member))),
                    }
                }
                Ok(Member::Oneof(oneof))
            }
        }
    }

    fn field(&mut self, name: Term, position: Term, parts: FieldParts) -> Result<Field, Failure> {
        self.place.member = Some(name);
        let FieldOptions { packed, delimited, verify_utf8, default } = match parts.options {
            Some(options) => self.field_options(options)?,
            None => FieldOptions::default(),
        };
        Ok(Field {
            name: self.name(name)?,
            position: self.position(position)?,
            number: self.number(parts.number, "field_number_missing")?,
            ty: self.ty(parts.ty)?,
            occurrence: self.occurrence(parts.occurrence)?,
            packed,
            delimited,
            verify_utf8,
            default: default.and_then(|default| self.default(default)),
        })
    }

    /// A value that stands where the field is absent. What is of no use as one is passed over, for only an option asks.
    fn default(&self, value: Term) -> Option<DefaultValue> {
        if beam::is_atom(self.env, value) {
            return Some(DefaultValue::Constant(value));
        }
        let integer = beam::get_integer(self.env, value).map(DefaultValue::Integer);
        let integer = integer.or_else(|| beam::get_unsigned(self.env, value).map(DefaultValue::Unsigned));
        let number = integer.or_else(|| beam::get_float(self.env, value).map(DefaultValue::Float));
        number.or_else(|| match beam::get_binary(self.env, value) {
            Some(octets) => Some(DefaultValue::Octets(octets.into())),
            None => {
                let character =
                    |c: &Term| beam::get_unsigned(self.env, *c).and_then(|c| char::from_u32(c.try_into().ok()?));
                let text: Option<String> = self.list(value).ok()?.iter().map(character).collect();
                Some(DefaultValue::Octets(text?.into_bytes().into()))
            }
        })
    }

    fn position(&self, position: Term) -> Result<i64, Failure> {
        self.number(position, "record_position_missing")
    }

    /// Takes a field or oneof apart: a record, a map or a property list.
    fn parts(&self, member: Term) -> Result<Parts, Failure> {
        let atoms = atoms();
        match beam::get_tuple(self.env, member) {
            Some(&[tag, name, number, position, ty, occurrence, options]) if tag == atoms.field => {
                let content = Content::Field(FieldParts { number, ty, occurrence, options: Some(options) });
                return Ok(Parts { name, position, content });
            }
            // In later versions of gpb a oneof has options too.
            Some(&[tag, name, position, fields] | &[tag, name, position, fields, _]) if tag == atoms.gpb_oneof => {
                return Ok(Parts { name, position, content: Content::Oneof { fields } });
            }
            Some(_) => return Err(self.fault("not_a_field", FaultValue::Term(member))),
            None => {}
        }
        let items = match beam::is_map(self.env, member) {
            true => None,
            false => Some(self.property_list(member)?),
        };
        let item = |key: Term, text: &str| match &items {
            // With gpb's option maps_key_type the keys may be binaries.
            None => beam::get_map_value(self.env, member, key)
                .or_else(|| beam::get_map_value(self.env, member, beam::make_binary(self.env, text.as_bytes()))),
            Some(items) => items.iter().find(|(known, _)| *known == key).map(|(_, value)| *value),
        };
        let name = item(atoms.name, "name").ok_or_else(|| self.fault("not_a_field", FaultValue::Term(member)))?;
        let content = match item(atoms.fields, "fields") {
            Some(fields) => Content::Oneof { fields },
            None => Content::Field(FieldParts {
                number: item(atoms.fnum, "fnum").unwrap_or(atoms.undefined),
                ty: item(atoms.type_, "type").unwrap_or(atoms.undefined),
                occurrence: item(atoms.occurrence, "occurrence").unwrap_or(atoms.undefined),
                options: item(atoms.opts, "opts"),
            }),
        };
        Ok(Parts { name, position: item(atoms.rnum, "rnum").unwrap_or(atoms.undefined), content })
    }

    fn property_list(&self, list: Term) -> Result<Vec<(Term, Term)>, Failure> {
        let pair = |item: Term| match beam::get_tuple(self.env, item) {
            Some(&[key, value]) => Ok((key, value)),
            _ => Err(self.fault("not_a_field", FaultValue::Term(list))),
        };
        self.list(list)?.into_iter().map(pair).collect()
    }

    fn number(&self, term: Term, missing: &'static str) -> Result<i64, Failure> {
        match beam::get_integer(self.env, term) {
            Some(number) => Ok(number),
            None if term == atoms().undefined => Err(self.fault(missing, FaultValue::None)),
            None => Err(self.fault("not_an_integer", FaultValue::Term(term))),
        }
    }

    fn occurrence(&self, occurrence: Term) -> Result<Occurrence, Failure> {
        let atoms = atoms();
        let known = [
            (atoms.required, Occurrence::Required),
            (atoms.optional, Occurrence::Optional),
            (atoms.defaulty, Occurrence::Defaulty),
            (atoms.repeated, Occurrence::Repeated),
        ];
        match known.iter().find(|(name, _)| *name == occurrence) {
            Some((_, occurrence)) => Ok(*occurrence),
            None => Err(self.fault("unknown_occurrence", FaultValue::Term(occurrence))),
        }
    }

    fn ty(&self, ty: Term) -> Result<Type, Failure> {
        match beam::get_tuple(self.env, ty) {
            Some(&[kind, key, value]) if kind == atoms().map => {
                // Maps do not nest, so neither does this.
                let (Some(key), Some(value)) = (self.plain_type(key)?, self.plain_type(value)?) else {
                    return Err(self.fault("nested_map", FaultValue::Term(ty)));
                };
                Ok(Type::Map(Box::new(key), Box::new(value)))
            }
            _ => self.plain_type(ty)?.ok_or_else(|| self.fault("unknown_type", FaultValue::Term(ty))),
        }
    }

    /// Any type but a map, which is nothing.
    fn plain_type(&self, ty: Term) -> Result<Option<Type>, Failure> {
        let atoms = atoms();
        if let Some(scalar) = self.scalars.get(&ty) {
            return Ok(Some(Type::Scalar(*scalar)));
        }
        match beam::get_tuple(self.env, ty) {
            Some(&[kind, name]) if kind == atoms.msg => Ok(Some(Type::Message(self.name(name)?))),
            Some(&[kind, name]) if kind == atoms.group => Ok(Some(Type::Group(self.name(name)?))),
            Some(&[kind, name]) if kind == atoms.enum_ => Ok(Some(Type::Enum(self.name(name)?))),
            Some(&[kind, _, _]) if kind == atoms.map => Ok(None),
            _ => Err(self.fault("unknown_type", FaultValue::Term(ty))),
        }
    }

    fn field_options(&self, options: Term) -> Result<FieldOptions, Failure> {
        let atoms = atoms();
        let mut said = FieldOptions::default();
        for option in self.list(options)? {
            match beam::get_tuple(self.env, option) {
                // gpb writes the plain atom, older versions a pair.
                Some(&[name, value]) => {
                    if name == atoms.default {
                        said.default = Some(value);
                    }
                    said.packed |= name == atoms.packed && value == atoms.true_;
                    said.delimited |= self.is_feature(name, value, atoms.message_encoding, atoms.delimited);
                    said.verify_utf8 |= self.is_feature(name, value, atoms.utf8_validation, atoms.verify);
                }
                _ => said.packed |= option == atoms.packed,
            }
        }
        Ok(said)
    }

    /// Whether an option sets a feature of editions to a value: `{[features, Feature], Value}`.
    fn is_feature(&self, name: Term, value: Term, feature: Term, wanted: Term) -> bool {
        value == wanted && self.list(name).is_ok_and(|parts| parts == [atoms().features, feature])
    }

    fn enumeration(&mut self, name: Term, values: Term) -> Result<Enum, Failure> {
        self.place.definition = Some(TypeName::Enum(name));
        let mut definition = Enum { name: self.name(name)?, values: Vec::new(), closed: false };
        let atoms = atoms();
        for value in self.list(values)? {
            self.place.member = None;
            // {Symbol, Number}, from version 3 on {Symbol, Number, Options}; beside them {option, Name, Value}, and
            // ranges of reserved numbers, which are no symbols.
            let (symbol, number) = match beam::get_tuple(self.env, value) {
                Some(&[option, name, value])
                    if option == atoms.option && beam::get_integer(self.env, name).is_none() =>
                {
                    definition.closed |= self.is_feature(name, value, atoms.enum_type, atoms.closed);
                    continue;
                }
                Some(&[symbol, number]) => (symbol, number),
                Some(&[symbol, number, _]) => (symbol, number),
                _ => return Err(self.fault("not_an_enum_value", FaultValue::Term(value))),
            };
            self.place.member = Some(symbol);
            let symbol = self.name(symbol)?.term;
            match beam::get_integer(self.env, number) {
                Some(number) => definition.values.push(EnumValue { symbol, number }),
                None => return Err(self.fault("not_an_integer", FaultValue::Term(number))),
            }
        }
        Ok(definition)
    }
}

/// In proto3 a field that is neither a message, nor in a oneof, nor repeated has no presence.
fn mark_without_presence(message: &mut Message) {
    for member in &mut message.members {
        if let Member::Field(field) = member
            && field.occurrence == Occurrence::Optional
            && matches!(field.ty, Type::Scalar(_) | Type::Enum(_))
        {
            field.occurrence = Occurrence::Defaulty;
        }
    }
}
