//! From definitions to the plan: everything is checked here, once.

use rustc_hash::FxHashMap;
use std::collections::HashSet;

use super::definitions::*;
use super::plan::*;
use crate::error::{DefinitionError, DefinitionReason as Reason};
use crate::term::{Constants, Term};
use crate::wire::output::TagBytes;
use crate::wire::tag;

/// Enums of up to this many symbols are searched one by one, larger ones by hash.
const FEW_SYMBOLS: usize = 8;

/// Numbers below this have a place in an enum's dense table.
const DENSE_NUMBERS: i32 = 256;

struct Compiler<'d> {
    constants: Constants,
    messages: FxHashMap<(MessageKind, Term), u32>,
    enums: FxHashMap<Term, (u32, &'d Enum)>,
    /// Map entries, which stand behind the messages in the plan.
    entries: Vec<MessagePlan>,
    first_entry: u32,
}

/// Where in the definitions the compiler is.
#[derive(Clone, Copy)]
struct Spot {
    definition: Term,
    member: Option<Term>,
}

impl Spot {
    fn error(self, reason: Reason) -> DefinitionError {
        DefinitionError { definition: self.definition, member: self.member, reason }
    }
}

pub fn compile(definitions: &Definitions, constants: Constants) -> Result<Plan, DefinitionError> {
    let mut messages = FxHashMap::default();
    for (index, message) in definitions.messages.iter().enumerate() {
        // Index 0 is the unknown group's.
        if messages.insert((message.kind, message.name.term), index as u32 + 1).is_some() {
            return Err(Spot { definition: message.name.term, member: None }.error(Reason::MessageTwice));
        }
    }
    let mut enums = FxHashMap::default();
    for (index, definition) in definitions.enums.iter().enumerate() {
        if enums.insert(definition.name.term, (index as u32, definition)).is_some() {
            return Err(Spot { definition: definition.name.term, member: None }.error(Reason::EnumTwice));
        }
    }
    let enum_plans = definitions.enums.iter().map(compile_enum).collect::<Result<_, _>>()?;

    let first_entry = definitions.messages.len() as u32 + 1;
    let mut compiler = Compiler { constants, messages, enums, entries: Vec::new(), first_entry };
    let mut plans = vec![unknown_group(&constants)];
    for message in &definitions.messages {
        plans.push(compiler.message(message)?);
    }
    plans.append(&mut compiler.entries);

    // A message goes before a group of the same name.
    let mut by_name = FxHashMap::default();
    for kind in [MessageKind::Group, MessageKind::Message] {
        by_name.extend(compiler.messages.iter().filter(|((k, _), _)| *k == kind).map(|((_, name), i)| (*name, *i)));
    }
    Ok(Plan { messages: plans, enums: enum_plans, by_name, constants })
}

fn compile_enum(definition: &Enum) -> Result<EnumPlan, DefinitionError> {
    let spot = Spot { definition: definition.name.term, member: None };
    if definition.values.is_empty() {
        return Err(spot.error(Reason::EnumWithoutValues));
    }
    let mut symbols = FxHashMap::default();
    let mut numbers = FxHashMap::default();
    let mut dense = Vec::new();
    for value in &definition.values {
        let number = i32::try_from(value.number).map_err(|_| {
            Spot { member: Some(value.symbol), ..spot }.error(Reason::EnumValueOutOfRange(value.number))
        })?;
        symbols.entry(number).or_insert(value.symbol);
        numbers.entry(value.symbol).or_insert(number);
        if (0..DENSE_NUMBERS).contains(&number) {
            dense.resize(dense.len().max(number as usize + 1), Term::NONE);
            if dense[number as usize] == Term::NONE {
                dense[number as usize] = value.symbol;
            }
        }
    }
    let few =
        if numbers.len() <= FEW_SYMBOLS { numbers.iter().map(|(s, n)| (*s, *n)).collect() } else { Box::default() };
    Ok(EnumPlan { name: definition.name.term, dense: dense.into(), symbols, numbers, few })
}

fn unknown_group(constants: &Constants) -> MessagePlan {
    let name = Name { term: constants.group, text: "group".into() };
    MessagePlan {
        shape: Shape::UnknownGroup,
        template: [constants.group, constants.nil, constants.nil].into(),
        defaults: Box::default(),
        encode: [EncodeField { absent: constants.nil, slot: 2, tag: TagBytes::NONE, kind: EncodeKind::Unknowns }]
            .into(),
        names: [name.clone()].into(),
        decode: DecodeTable::new(Vec::new()),
        unknowns: Some(2),
        name,
    }
}

/// A message while its members are added.
struct Draft {
    template: Vec<Term>,
    defaults: Vec<(u32, BuiltDefault)>,
    encode: Vec<(Name, EncodeField)>,
    decode: Vec<(u32, DecodeAction)>,
    numbers: HashSet<i64>,
    unknowns: Option<u32>,
}

impl Draft {
    fn new(slots: usize) -> Draft {
        Draft {
            template: vec![Term::NONE; slots],
            defaults: Vec::new(),
            encode: Vec::new(),
            decode: Vec::new(),
            numbers: HashSet::new(),
            unknowns: None,
        }
    }

    /// Checks a record position and gives its slot.
    fn slot(&mut self, spot: Spot, position: i64) -> Result<u32, DefinitionError> {
        // Positions count from 1, which is the record's name.
        let slot = usize::try_from(position).ok().and_then(|p| p.checked_sub(1)).filter(|slot| *slot > 0);
        match slot.and_then(|slot| self.template.get(slot)) {
            None => Err(spot.error(Reason::PositionOutOfRange(position))),
            Some(&taken) if taken != Term::NONE => Err(spot.error(Reason::PositionTwice(position))),
            Some(_) => Ok(position as u32 - 1),
        }
    }

    fn number(&mut self, spot: Spot, number: i64) -> Result<u32, DefinitionError> {
        if !(1..=i64::from(tag::MAX_FIELD_NUMBER)).contains(&number) {
            return Err(spot.error(Reason::FieldNumberOutOfRange(number)));
        }
        if !self.numbers.insert(number) {
            return Err(spot.error(Reason::FieldNumberTwice(number)));
        }
        Ok(number as u32)
    }

    fn finish(self, name: Name, shape: Shape) -> MessagePlan {
        let mut encode = self.encode;
        let mut decode = self.decode;
        // The order of the record is the order to write in, however the definitions came.
        let mut order: Vec<u32> = (0..encode.len() as u32).collect();
        order.sort_by_key(|index| encode[*index as usize].1.slot);
        let mut rank = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            rank[*old as usize] = new as u32;
        }
        encode.sort_by_key(|(_, field)| field.slot);
        for (_, action) in &mut decode {
            action.field = rank[action.field as usize];
        }
        let (names, encode): (Vec<Name>, Vec<EncodeField>) = encode.into_iter().unzip();
        MessagePlan {
            name,
            shape,
            names: names.into(),
            template: self.template.into(),
            defaults: self.defaults.into(),
            encode: encode.into(),
            decode: DecodeTable::new(decode),
            unknowns: self.unknowns,
        }
    }
}

/// How a field is read.
#[derive(Clone, Copy)]
struct Reads {
    read: Read,
    /// How an element is read, for a packed block.
    element: Read,
    /// The index of the enum or message.
    index: u32,
}

impl Reads {
    fn value(value: Value) -> Reads {
        let read = Read::from(value);
        let index = if let Value::Enum(index) = value { index } else { 0 };
        Reads { read, element: read, index }
    }

    fn packed(value: Value) -> Reads {
        Reads { read: Read::Packed, ..Reads::value(value) }
    }

    fn message(index: u32) -> Reads {
        Reads { read: Read::Message, element: Read::Message, index }
    }

    fn action(self, place: Place, slot: u32, field: u32) -> DecodeAction {
        let Reads { read, element, index } = self;
        DecodeAction { read, place, element, index, slot, field, member: Term::NONE }
    }
}

/// What a field's type comes to.
enum Resolved {
    Value(Value),
    Message(ResolvedMessage),
}

/// A message or group, by its index in the plan.
#[derive(Clone, Copy)]
struct ResolvedMessage {
    index: u32,
    kind: MessageKind,
}

impl Compiler<'_> {
    fn message(&mut self, message: &Message) -> Result<MessagePlan, DefinitionError> {
        let mut draft = Draft::new(message.members.len() + 1);
        draft.template[0] = message.name.term;
        for member in &message.members {
            let (Member::Field(Field { name, position, .. })
            | Member::Oneof(Oneof { name, position, .. })
            | Member::Unknowns { name, position }) = member;
            let spot = Spot { definition: message.name.term, member: Some(name.term) };
            let slot = draft.slot(spot, *position)?;
            match member {
                Member::Field(field) => self.field(&mut draft, spot, slot, field)?,
                Member::Oneof(oneof) => self.oneof(&mut draft, spot, slot, oneof)?,
                Member::Unknowns { .. } => {
                    draft.template[slot as usize] = self.constants.nil;
                    draft.unknowns = Some(slot);
                    let absent = self.constants.nil;
                    let field = EncodeField { absent, slot, tag: TagBytes::NONE, kind: EncodeKind::Unknowns };
                    draft.encode.push((name.clone(), field));
                }
            }
        }
        Ok(draft.finish(message.name.clone(), Shape::Record(message.kind)))
    }

    fn field(&mut self, draft: &mut Draft, spot: Spot, slot: u32, field: &Field) -> Result<(), DefinitionError> {
        let number = draft.number(spot, field.number)?;
        let index = draft.encode.len() as u32;
        let mut decode = |wire_type, reads: Reads, place| {
            draft.decode.push((tag::make(number, wire_type), reads.action(place, slot, index)));
        };
        let repeated = field.occurrence == Occurrence::Repeated;
        let absent = match field.occurrence {
            Occurrence::Required => Term::NONE,
            Occurrence::Defaulty | Occurrence::Optional => self.constants.undefined,
            Occurrence::Repeated => self.constants.nil,
        };
        let (wire_type, kind) = if let Type::Map(key, value) = &field.ty {
            if !repeated {
                return Err(spot.error(Reason::MisplacedMap));
            }
            let entry = self.entry(spot, key, value)?;
            decode(tag::LENGTH_DELIMITED, Reads::message(entry), Place::Element);
            (tag::LENGTH_DELIMITED, EncodeKind::Messages(MessageRef { index: entry, end_tag: None }))
        } else {
            match self.resolve(spot, &field.ty)? {
                Resolved::Value(value) if repeated => {
                    let wire_type = self.wire_type(value);
                    decode(wire_type, Reads::value(value), Place::Element);
                    if wire_type != tag::LENGTH_DELIMITED {
                        decode(tag::LENGTH_DELIMITED, Reads::packed(value), Place::Element);
                    }
                    match field.packed && wire_type != tag::LENGTH_DELIMITED {
                        true => (tag::LENGTH_DELIMITED, EncodeKind::Packed(value)),
                        false => (wire_type, EncodeKind::Repeated(value)),
                    }
                }
                Resolved::Value(value) => {
                    let wire_type = self.wire_type(value);
                    decode(wire_type, Reads::value(value), Place::Single);
                    match field.occurrence {
                        Occurrence::Defaulty => (wire_type, EncodeKind::Implicit(value)),
                        _ => (wire_type, EncodeKind::Single(value)),
                    }
                }
                Resolved::Message(message) => {
                    let (wire_type, reference) = message_ref(number, message);
                    let (place, encode) = match repeated {
                        true => (Place::Element, EncodeKind::Messages(reference)),
                        false => (Place::Single, EncodeKind::Message(reference)),
                    };
                    decode(wire_type, Reads::message(message.index), place);
                    (wire_type, encode)
                }
            }
        };
        let tag = tag_bytes(number, wire_type);
        draft.encode.push((field.name.clone(), EncodeField { absent, slot, tag, kind }));
        draft.template[slot as usize] = match (field.occurrence, &field.ty) {
            (Occurrence::Repeated, _) => self.constants.nil,
            (Occurrence::Defaulty, ty) => self.default_of(draft, slot, ty),
            _ => self.constants.undefined,
        };
        Ok(())
    }

    fn oneof(&mut self, draft: &mut Draft, spot: Spot, slot: u32, oneof: &Oneof) -> Result<(), DefinitionError> {
        if oneof.fields.is_empty() {
            return Err(spot.error(Reason::OneofWithoutMembers));
        }
        let index = draft.encode.len() as u32;
        let mut members = Vec::with_capacity(oneof.fields.len());
        for field in &oneof.fields {
            let spot = Spot { member: Some(field.name.term), ..spot };
            if field.position != oneof.position {
                return Err(spot.error(Reason::PositionOutOfRange(field.position)));
            }
            if field.occurrence == Occurrence::Repeated {
                return Err(spot.error(Reason::RepeatedInOneof));
            }
            let number = draft.number(spot, field.number)?;
            let (wire_type, reads, encode) = self.single(spot, number, &field.ty)?;
            let becomes = if reads.read == Read::Message { Place::Single } else { Place::Member };
            let decode = DecodeAction { member: field.name.term, ..reads.action(becomes, slot, index) };
            draft.decode.push((tag::make(number, wire_type), decode));
            let tag = tag_bytes(number, wire_type);
            let encode = EncodeField { absent: Term::NONE, slot, tag, kind: encode };
            members.push(OneofMember { name: field.name.clone(), field: encode });
        }
        let kind = EncodeKind::Oneof(members.into());
        let field = EncodeField { absent: self.constants.undefined, slot, tag: TagBytes::NONE, kind };
        draft.encode.push((oneof.name.clone(), field));
        draft.template[slot as usize] = self.constants.undefined;
        Ok(())
    }

    /// The message that a map's entries are (language guide, "Maps": field 1 is the key, field 2 the value).
    fn entry(&mut self, spot: Spot, key: &Type, value: &Type) -> Result<u32, DefinitionError> {
        let key_type = match key {
            Type::Scalar(Scalar::Float | Scalar::Double | Scalar::Bytes) => None,
            Type::Scalar(scalar) => Some(Value::Scalar(*scalar)),
            _ => None,
        };
        let key_value = key_type.ok_or(spot.error(Reason::InvalidMapKey))?;
        let mut draft = Draft::new(2);
        draft.template[0] = self.default_of(&mut draft, 0, key);
        if let Type::Group(_) = value {
            return Err(spot.error(Reason::InvalidMapValue));
        }
        let (wire_type, reads, encode) = self.single(spot, 2, value)?;
        draft.template[1] = match reads.read {
            Read::Message => {
                draft.defaults.push((1, BuiltDefault::Message(reads.index)));
                self.constants.undefined
            }
            _ => self.default_of(&mut draft, 1, value),
        };
        let key_wire_type = self.wire_type(key_value);
        let key_reads = Reads::value(key_value);
        let fields = [
            ("key", 1, key_wire_type, key_reads, Place::Key, EncodeKind::Single(key_value)),
            ("value", 2, wire_type, reads, Place::Single, encode),
        ];
        for (slot, (name, number, wire_type, reads, place, encode)) in fields.into_iter().enumerate() {
            let slot = slot as u32;
            draft.decode.push((tag::make(number, wire_type), reads.action(place, slot, slot)));
            let tag = tag_bytes(number, wire_type);
            draft.encode.push((text_only(name), EncodeField { absent: Term::NONE, slot, tag, kind: encode }));
        }
        self.entries.push(draft.finish(text_only("entry"), Shape::Entry));
        Ok(self.first_entry + self.entries.len() as u32 - 1)
    }

    /// How one value of a type is read and written where it must be there: in a oneof or as the value of a map entry.
    fn single(&self, spot: Spot, number: u32, ty: &Type) -> Result<(u32, Reads, EncodeKind), DefinitionError> {
        Ok(match self.resolve(spot, ty)? {
            Resolved::Value(value) => (self.wire_type(value), Reads::value(value), EncodeKind::Single(value)),
            Resolved::Message(message) => {
                let (wire_type, reference) = message_ref(number, message);
                (wire_type, Reads::message(message.index), EncodeKind::Message(reference))
            }
        })
    }

    fn resolve(&self, spot: Spot, ty: &Type) -> Result<Resolved, DefinitionError> {
        let message = |kind, name: &Name, type_name| match self.messages.get(&(kind, name.term)) {
            Some(index) => Ok(Resolved::Message(ResolvedMessage { index: *index, kind })),
            None => Err(spot.error(Reason::UndefinedType(type_name))),
        };
        match ty {
            Type::Scalar(scalar) => Ok(Resolved::Value(Value::Scalar(*scalar))),
            Type::Enum(name) => match self.enums.get(&name.term) {
                Some((index, _)) => Ok(Resolved::Value(Value::Enum(*index))),
                None => Err(spot.error(Reason::UndefinedType(TypeName::Enum(name.term)))),
            },
            Type::Message(name) => message(MessageKind::Message, name, TypeName::Message(name.term)),
            Type::Group(name) => message(MessageKind::Group, name, TypeName::Group(name.term)),
            Type::Map(..) => Err(spot.error(Reason::MisplacedMap)),
        }
    }

    fn wire_type(&self, value: Value) -> u32 {
        match value {
            Value::Enum(_) => tag::VARINT,
            Value::Scalar(scalar) => match scalar {
                Scalar::Fixed32 | Scalar::Sfixed32 | Scalar::Float => tag::FIXED32,
                Scalar::Fixed64 | Scalar::Sfixed64 | Scalar::Double => tag::FIXED64,
                Scalar::String | Scalar::Bytes => tag::LENGTH_DELIMITED,
                _ => tag::VARINT,
            },
        }
    }

    /// The default of a field without presence; what has to be built is noted in the draft.
    fn default_of(&self, draft: &mut Draft, slot: u32, ty: &Type) -> Term {
        let mut built = |default| {
            draft.defaults.push((slot, default));
            self.constants.undefined
        };
        match ty {
            Type::Scalar(Scalar::Bool) => self.constants.false_,
            Type::Scalar(Scalar::Float | Scalar::Double) => built(BuiltDefault::Float),
            Type::Scalar(Scalar::String) => built(BuiltDefault::String),
            Type::Scalar(Scalar::Bytes) => built(BuiltDefault::Bytes),
            Type::Scalar(_) => self.constants.zero,
            Type::Enum(name) => match self.enums.get(&name.term) {
                // The first value, which in proto3 is that of 0 (language guide, "Enum Default Value").
                Some((_, definition)) => definition.values.first().map_or(self.constants.zero, |value| value.symbol),
                None => self.constants.undefined,
            },
            // Messages always have presence.
            Type::Message(_) | Type::Group(_) | Type::Map(..) => self.constants.undefined,
        }
    }
}

fn tag_bytes(number: u32, wire_type: u32) -> TagBytes {
    TagBytes::new(tag::make(number, wire_type))
}

/// The wire type and the reference of a field that holds a message.
fn message_ref(number: u32, message: ResolvedMessage) -> (u32, MessageRef) {
    let index = message.index;
    match message.kind {
        MessageKind::Message => (tag::LENGTH_DELIMITED, MessageRef { index, end_tag: None }),
        MessageKind::Group => {
            (tag::START_GROUP, MessageRef { index, end_tag: Some(tag_bytes(number, tag::END_GROUP)) })
        }
    }
}

/// A name that errors give and that no term stands for.
fn text_only(text: &str) -> Name {
    Name { term: Term::NONE, text: text.into() }
}
