//! From definitions to the plan: everything is checked here, once.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashSet;

use super::by_term::ByTerm;
use super::definitions::*;
use super::plan::*;
use crate::error::{DefinitionError, DefinitionReason as Reason};
use crate::term::{Constants, Term};
use crate::wire::output::TagBytes;
use crate::wire::tag;
use crate::work;

/// The place of what is no field.
const NO_FIELD: u32 = DecodeAction::ROOT.field;

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
    definition: TypeName,
    member: Option<Term>,
}

impl Spot {
    fn of(definition: TypeName) -> Spot {
        Spot { definition, member: None }
    }

    fn error(self, reason: Reason) -> DefinitionError {
        DefinitionError { definition: self.definition, member: self.member, reason }
    }
}

pub fn compile(definitions: &Definitions, constants: Constants) -> Result<Plan, DefinitionError> {
    let mut messages = FxHashMap::default();
    for (index, message) in definitions.messages.iter().enumerate() {
        // Index 0 is the unknown group's.
        if messages.insert((message.kind, message.name.term), index as u32 + 1).is_some() {
            return Err(Spot::of(message.kind.type_name(message.name.term)).error(Reason::MessageTwice));
        }
    }
    let mut enums = FxHashMap::default();
    for (index, definition) in definitions.enums.iter().enumerate() {
        if enums.insert(definition.name.term, (index as u32, definition)).is_some() {
            return Err(Spot::of(TypeName::Enum(definition.name.term)).error(Reason::EnumTwice));
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
    let spot = Spot::of(TypeName::Enum(definition.name.term));
    if definition.values.is_empty() {
        return Err(spot.error(Reason::EnumWithoutValues));
    }
    let mut known = FxHashSet::default();
    let mut symbols = FxHashMap::default();
    let mut numbers = Vec::with_capacity(definition.values.len());
    let mut dense = Vec::new();
    for value in &definition.values {
        let spot = Spot { member: Some(value.symbol), ..spot };
        let number = i32::try_from(value.number).map_err(|_| spot.error(Reason::EnumValueOutOfRange(value.number)))?;
        if !known.insert(value.symbol) {
            return Err(spot.error(Reason::SymbolTwice));
        }
        symbols.entry(number).or_insert(value.symbol);
        numbers.push((value.symbol, number));
        if (0..DENSE_NUMBERS).contains(&number) {
            dense.resize(dense.len().max(number as usize + 1), Term::NONE);
            if dense[number as usize] == Term::NONE {
                dense[number as usize] = value.symbol;
            }
        }
    }
    Ok(EnumPlan { name: definition.name.term, dense: dense.into(), symbols, numbers: ByTerm::new(numbers) })
}

fn unknown_group(constants: &Constants) -> MessagePlan {
    let mut draft = Draft::new(3);
    draft.template.copy_from_slice(&[constants.group, constants.nil, constants.nil]);
    draft.unknowns(Name { term: constants.group, text: "group".into() }, 2, constants);
    draft.finish(Name { term: constants.group, text: "group".into() }, Shape::UnknownGroup, constants)
}

/// A message while its members are added.
struct Draft {
    template: Vec<Term>,
    defaults: Vec<(u32, BuiltDefault)>,
    /// With the value that stands for nothing to write.
    encode: Vec<(Name, Term, EncodeField)>,
    oneofs: Vec<ByTerm<OneofMember>>,
    decode: Vec<(u32, DecodeAction)>,
    explicit_defaults: Vec<(u32, DefaultValue)>,
    numbers: HashSet<i64>,
    unknowns: Option<u32>,
}

impl Draft {
    fn new(slots: usize) -> Draft {
        Draft {
            template: vec![Term::NONE; slots],
            defaults: Vec::new(),
            encode: Vec::new(),
            oneofs: Vec::new(),
            decode: Vec::new(),
            explicit_defaults: Vec::new(),
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

    /// Adds the place for unknown fields.
    fn unknowns(&mut self, name: Name, slot: u32, constants: &Constants) {
        self.template[slot as usize] = constants.nil;
        self.unknowns = Some(slot);
        let held = Held::plain(Kind::Unknowns, 0);
        self.encode.push((name, constants.nil, held.encode(slot, TagBytes::NONE)));
    }

    fn finish(self, name: Name, shape: Shape, constants: &Constants) -> MessagePlan {
        let mut encode = self.encode;
        let mut decode = self.decode;
        // The order of the record is the order to write in, however the definitions came.
        let mut order: Vec<u32> = (0..encode.len() as u32).collect();
        order.sort_by_key(|index| encode[*index as usize].2.slot);
        let mut rank = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            rank[*old as usize] = new as u32;
        }
        encode.sort_by_key(|(_, _, field)| field.slot);
        for (_, action) in &mut decode {
            // What is no field has none.
            if let Some(new) = rank.get(action.field as usize) {
                action.field = *new;
            }
        }
        let oneofs = encode.iter().enumerate().filter(|(_, (_, _, field))| field.kind == Kind::Oneof);
        let members = oneofs.flat_map(|(index, (_, _, field))| {
            self.oneofs[field.index as usize].entries().iter().map(move |(name, _)| (*name, index as u32))
        });
        let mut explicit_defaults = self.explicit_defaults;
        for (index, _) in &mut explicit_defaults {
            *index = rank[*index as usize];
        }
        MessagePlan {
            name,
            shape,
            key_order: key_order(&encode, constants),
            members: ByTerm::new(members.collect()),
            explicit_defaults: explicit_defaults.into(),
            keys: ByTerm::new((0..).zip(&encode).map(|(index, (name, _, _))| (name.term, index)).collect()),
            names: encode.iter().map(|(name, _, _)| name.clone()).collect(),
            oneofs: self.oneofs.into(),
            work: self.template.len() + if matches!(shape, Shape::Entry(_)) { work::MAP_ENTRY } else { work::RECORD },
            template: self.template.into(),
            plain: self.defaults.is_empty() && matches!(shape, Shape::Record(_)),
            defaults: self.defaults.into(),
            first_slot: encode.first().map_or(0, |(_, _, field)| field.slot as usize),
            absent: encode.iter().map(|(_, absent, _)| *absent).collect(),
            encode: encode.into_iter().map(|(_, _, field)| field).collect(),
            decode: DecodeTable::new(decode),
            unknowns: self.unknowns,
        }
    }
}

fn key_order(encode: &[(Name, Term, EncodeField)], constants: &Constants) -> Box<[u32]> {
    let mut order: Vec<u32> = (0..encode.len() as u32).collect();
    let name = |index: &u32| &encode[*index as usize].0;
    match constants.keys_by_word {
        true => order.sort_unstable_by_key(|index| name(index).term.0),
        false => order.sort_unstable_by(|one, other| name(one).text.cmp(&name(other).text)),
    }
    order.into()
}

/// What a field's type comes to.
#[derive(Clone, Copy)]
struct Held {
    kind: Kind,
    element: Kind,
    wire_type: u32,
    /// The index of the enum or message in the plan, or of the oneof in the message.
    index: u32,
    implicit: bool,
    /// Whether an enum in it is closed.
    closed: bool,
}

impl Held {
    fn new(kind: Kind, wire_type: u32, index: u32) -> Held {
        Held { kind, element: kind, wire_type, index, implicit: false, closed: false }
    }

    /// What has no tag of its own.
    fn plain(kind: Kind, index: u32) -> Held {
        Held::new(kind, 0, index)
    }

    fn scalar(scalar: Scalar) -> Held {
        let wire_type = match scalar {
            Scalar::Fixed32 | Scalar::Sfixed32 | Scalar::Float => tag::FIXED32,
            Scalar::Fixed64 | Scalar::Sfixed64 | Scalar::Double => tag::FIXED64,
            Scalar::String | Scalar::Bytes => tag::LENGTH_DELIMITED,
            _ => tag::VARINT,
        };
        Held::new(Kind::from(scalar), wire_type, 0)
    }

    fn message(index: u32) -> Held {
        Held::new(Kind::Message, tag::LENGTH_DELIMITED, index)
    }

    fn packed(self) -> Held {
        Held { kind: Kind::Packed, wire_type: tag::LENGTH_DELIMITED, ..self }
    }

    fn repeated(self) -> Held {
        self.as_kind(if self.kind == Kind::Message { Kind::Messages } else { Kind::Repeated })
    }

    /// The same in another role.
    fn as_kind(self, kind: Kind) -> Held {
        Held { kind, ..self }
    }

    /// The same with strings that must be UTF-8, if they must.
    fn verified(self, verify_utf8: bool) -> Held {
        match self.kind {
            Kind::String if verify_utf8 => Held { kind: Kind::Utf8String, element: Kind::Utf8String, ..self },
            _ => self,
        }
    }

    fn decode(self, slot: u32, field: u32) -> DecodeAction {
        let Held { kind, element, index, closed, .. } = self;
        let (kind, element) = match element {
            _ if closed => (Kind::ClosedEnum, kind),
            Kind::Utf8String if kind != element => (Kind::Utf8Strings, kind),
            _ => (kind, element),
        };
        DecodeAction { kind, element, index, slot, field, member: Term::NONE }
    }

    fn encode(self, slot: u32, tag: TagBytes) -> EncodeField {
        let Held { kind, element, index, implicit, .. } = self;
        EncodeField { slot, index, tag, kind, element, implicit, group: self.wire_type == tag::START_GROUP }
    }
}

impl Compiler<'_> {
    fn message(&mut self, message: &Message) -> Result<MessagePlan, DefinitionError> {
        let mut draft = Draft::new(message.members.len() + 1);
        draft.template[0] = message.name.term;
        for member in &message.members {
            let (Member::Field(Field { name, position, .. })
            | Member::Oneof(Oneof { name, position, .. })
            | Member::Unknowns { name, position }) = member;
            let spot = Spot { definition: message.kind.type_name(message.name.term), member: Some(name.term) };
            let slot = draft.slot(spot, *position)?;
            match member {
                Member::Field(field) if message.message_set && self.is_set_item(field) => {
                    self.set_item(&mut draft, spot, slot, field)?
                }
                Member::Field(field) => self.field(&mut draft, spot, slot, field)?,
                Member::Oneof(oneof) => self.oneof(&mut draft, spot, slot, oneof)?,
                Member::Unknowns { .. } => draft.unknowns(name.clone(), slot, &self.constants),
            }
        }
        Ok(draft.finish(message.name.clone(), Shape::Record(message.kind), &self.constants))
    }

    fn field(&mut self, draft: &mut Draft, spot: Spot, slot: u32, field: &Field) -> Result<(), DefinitionError> {
        let number = draft.number(spot, field.number)?;
        let index = draft.encode.len() as u32;
        let mut decode = |held: Held| {
            draft.decode.push((tag::make(number, held.wire_type), held.decode(slot, index)));
        };
        let held = match &field.ty {
            Type::Map(key, value) if field.occurrence == Occurrence::Repeated => {
                let closed = self.is_closed(value);
                Held { closed, ..Held::message(self.entry(spot, key, value, field.verify_utf8)?) }
            }
            _ => self.resolve_field(spot, field)?,
        };
        let repeated = field.occurrence == Occurrence::Repeated;
        let packable = repeated && held.kind != Kind::Message && held.wire_type != tag::LENGTH_DELIMITED;
        decode(if repeated { held.repeated() } else { held });
        if packable {
            decode(held.packed());
        }
        let (absent, encode) = match field.occurrence {
            Occurrence::Repeated if packable && field.packed => (self.constants.nil, held.packed()),
            Occurrence::Repeated => (self.constants.nil, held.repeated()),
            Occurrence::Required => (Term::NONE, held),
            Occurrence::Optional => (self.constants.undefined, held),
            Occurrence::Defaulty => (self.constants.undefined, Held { implicit: true, ..held }),
        };
        let tag = tag_bytes(number, encode.wire_type);
        draft.encode.push((field.name.clone(), absent, encode.encode(slot, tag)));
        draft.explicit_defaults.extend(field.default.clone().map(|default| (index, default)));
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
        let mut known = FxHashSet::default();
        let mut members = Vec::with_capacity(oneof.fields.len());
        for field in &oneof.fields {
            let spot = Spot { member: Some(field.name.term), ..spot };
            if field.position != oneof.position {
                return Err(spot.error(Reason::PositionOutOfRange(field.position)));
            }
            if !known.insert(field.name.term) {
                return Err(spot.error(Reason::MemberTwice));
            }
            if field.occurrence == Occurrence::Repeated {
                return Err(spot.error(Reason::RepeatedInOneof));
            }
            let number = draft.number(spot, field.number)?;
            let held = self.resolve_field(spot, field)?;
            // A message's record has to be complete before it can stand in the oneof.
            let decoded = if held.kind == Kind::Message { held } else { held.as_kind(Kind::Oneof) };
            let decode = DecodeAction { member: field.name.term, ..decoded.decode(slot, index) };
            draft.decode.push((tag::make(number, held.wire_type), decode));
            let encode = held.encode(slot, tag_bytes(number, held.wire_type));
            members.push((field.name.term, OneofMember { name: field.name.clone(), field: encode }));
        }
        let held = Held::plain(Kind::Oneof, draft.oneofs.len() as u32);
        draft.oneofs.push(ByTerm::new(members));
        let field = held.encode(slot, TagBytes::NONE);
        draft.encode.push((oneof.name.clone(), self.constants.undefined, field));
        draft.template[slot as usize] = self.constants.undefined;
        Ok(())
    }

    /// The message that a map's entries are (language guide, "Maps": field 1 is the key, field 2 the value).
    fn entry(&mut self, spot: Spot, key: &Type, value: &Type, verify_utf8: bool) -> Result<u32, DefinitionError> {
        let key_held = match key {
            Type::Scalar(Scalar::Float | Scalar::Double | Scalar::Bytes) => {
                return Err(spot.error(Reason::InvalidMapKey));
            }
            Type::Scalar(scalar) => Held::scalar(*scalar).verified(verify_utf8),
            _ => return Err(spot.error(Reason::InvalidMapKey)),
        };
        if let Type::Group(_) | Type::Map(..) = value {
            return Err(spot.error(Reason::InvalidMapValue));
        }
        let value_held = self.resolve(spot, value)?.verified(verify_utf8);
        let mut draft = Draft::new(2);
        draft.template[0] = self.default_of(&mut draft, 0, key);
        draft.template[1] = self.default_of(&mut draft, 1, value);
        if value_held.kind == Kind::Message {
            draft.defaults.push((1, BuiltDefault::Message(value_held.index)));
        }
        let fields = [("key", key_held, key_held.as_kind(Kind::Key)), ("value", value_held, value_held)];
        for (slot, (name, held, decoded)) in (0..).zip(fields) {
            let number = slot + 1;
            draft.decode.push((tag::make(number, held.wire_type), decoded.decode(slot, slot)));
            let field = held.encode(slot, tag_bytes(number, held.wire_type));
            draft.encode.push((text_only(name), Term::NONE, field));
        }
        self.entries.push(draft.finish(text_only("entry"), Shape::Entry(key_held.kind), &self.constants));
        Ok(self.first_entry + self.entries.len() as u32 - 1)
    }

    /// An item for each message that extends a message set (descriptor.proto, "message_set_wire_format").
    fn is_set_item(&self, field: &Field) -> bool {
        matches!(field.ty, Type::Message(_)) && field.occurrence != Occurrence::Repeated && !field.delimited
    }

    fn set_item(&mut self, draft: &mut Draft, spot: Spot, slot: u32, field: &Field) -> Result<(), DefinitionError> {
        let number = draft.number(spot, field.number)?;
        let message = self.resolve(spot, &field.ty)?;
        let own_tag = tag::make(number, tag::LENGTH_DELIMITED);
        // What the message is found in: an item, or the field by itself, which is understood too.
        let mut wrapper = Draft::new(0);
        wrapper.decode = [tag::SET_MESSAGE, own_tag].map(|tag| (tag, message.decode(0, NO_FIELD))).to_vec();
        self.entries.push(wrapper.finish(text_only("item"), Shape::Record(MessageKind::Message), &self.constants));
        let wrapper = self.first_entry + self.entries.len() as u32 - 1;

        let item = message.as_kind(Kind::SetItem);
        let index = draft.encode.len() as u32;
        draft.decode.push((own_tag, Held { index: wrapper, ..item }.decode(slot, index)));
        if !draft.decode.iter().any(|(tag, _)| *tag == tag::SET_ITEM) {
            // The number of the field comes in the item.
            draft.decode.push((tag::SET_ITEM, Held::plain(Kind::SetItem, 0).decode(0, NO_FIELD)));
        }
        let absent = if field.occurrence == Occurrence::Required { Term::NONE } else { self.constants.undefined };
        draft.encode.push((field.name.clone(), absent, item.encode(slot, TagBytes::of_set_item(number))));
        draft.template[slot as usize] = self.constants.undefined;
        Ok(())
    }

    fn is_closed(&self, ty: &Type) -> bool {
        match ty {
            Type::Enum(name) => self.enums.get(&name.term).is_some_and(|(_, definition)| definition.closed),
            _ => false,
        }
    }

    fn resolve_field(&self, spot: Spot, field: &Field) -> Result<Held, DefinitionError> {
        let held = self.resolve(spot, &field.ty)?.verified(field.verify_utf8);
        Ok(match held.kind {
            Kind::Message if field.delimited => Held { wire_type: tag::START_GROUP, ..held },
            _ => held,
        })
    }

    fn resolve(&self, spot: Spot, ty: &Type) -> Result<Held, DefinitionError> {
        let message = |kind, name: &Name, type_name| match self.messages.get(&(kind, name.term)) {
            Some(index) => Ok(Held::message(*index)),
            None => Err(spot.error(Reason::UndefinedType(type_name))),
        };
        match ty {
            Type::Scalar(scalar) => Ok(Held::scalar(*scalar)),
            Type::Enum(name) => match self.enums.get(&name.term) {
                Some((index, definition)) => {
                    Ok(Held { closed: definition.closed, ..Held::new(Kind::Enum, tag::VARINT, *index) })
                }
                None => Err(spot.error(Reason::UndefinedType(TypeName::Enum(name.term)))),
            },
            Type::Message(name) => message(MessageKind::Message, name, TypeName::Message(name.term)),
            Type::Group(name) => message(MessageKind::Group, name, TypeName::Group(name.term))
                .map(|held| Held { wire_type: tag::START_GROUP, ..held }),
            Type::Map(..) => Err(spot.error(Reason::MisplacedMap)),
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

/// A name that errors give and that no term stands for.
fn text_only(text: &str) -> Name {
    Name { term: Term::NONE, text: text.into() }
}
