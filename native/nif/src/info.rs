//! What is loaded of a message, for whoever asks.

use protobuf_codec::Term;
use protobuf_codec::schema::{DefaultValue, Field, Member, Message, MessageKind, Occurrence, Type};
use rustler::sys::ErlNifEnv;

use crate::atoms::{Atoms, atoms};
use crate::beam::{self, BeamReader, Call};
use crate::calls::NOT_A_NAME;
use crate::errors::Failure;
use crate::options::CallOptions;
use crate::{cache, gpb_defs};

/// `#{name, kind, fields}` of the message or group whose name is the first argument; the second is options.
pub fn info(call: &Call) -> Result<Term, Failure> {
    let mut options = CallOptions::none();
    options.read(call.env, &BeamReader::new(call.env), 2, call.argument(1))?;
    let (cache, name) = (options.cache, call.argument(0));
    if !beam::is_atom(call.env, name) {
        return Err(Failure::BadArgument(1, NOT_A_NAME));
    }
    let snapshot = cache::current(cache).ok_or(Failure::CacheNotExists(cache))?;
    let definitions = beam::from_external(call.env, &snapshot.definitions).ok_or(Failure::OutOfMemory)?;
    let model = gpb_defs::read(call.env, definitions)?;
    let of = |kind| model.messages.iter().find(|message| message.kind == kind && message.name.term == name);
    // As for encoding and decoding a message goes before a group of the same name.
    let message = of(MessageKind::Message).or_else(|| of(MessageKind::Group));
    let message = message.ok_or(Failure::UnknownMessage(cache, 1, name))?;
    Ok(Terms { env: call.env }.message(message))
}

struct Terms {
    env: *mut ErlNifEnv,
}

impl Terms {
    fn map(&self, pairs: &[(Term, Term)]) -> Term {
        beam::make_map(self.env, pairs)
    }

    fn integer(&self, value: i64) -> Term {
        beam::make_integer(self.env, value)
    }

    fn message(&self, message: &Message) -> Term {
        let atoms = atoms();
        let kind = match message.kind {
            MessageKind::Message => atoms.msg,
            MessageKind::Group => atoms.group,
        };
        let mut members: Vec<&Member> = message.members.iter().collect();
        members.sort_by_key(|member| match member {
            Member::Field(Field { position, .. }) | Member::Unknowns { position, .. } => *position,
            Member::Oneof(oneof) => oneof.position,
        });
        let fields: Vec<Term> = members.iter().map(|member| self.member(member)).collect();
        let fields = beam::make_list(self.env, &fields);
        self.map(&[(atoms.name, message.name.term), (atoms.kind, kind), (atoms.fields, fields)])
    }

    fn member(&self, member: &Member) -> Term {
        let Atoms { name, position, type_, fields, .. } = *atoms();
        match member {
            Member::Field(field) => self.field(field),
            Member::Oneof(oneof) => {
                let members: Vec<Term> = oneof.fields.iter().map(|field| self.field(field)).collect();
                let members = beam::make_list(self.env, &members);
                self.map(&[
                    (name, oneof.name.term),
                    (position, self.integer(oneof.position)),
                    (type_, atoms().oneof),
                    (fields, members),
                ])
            }
            Member::Unknowns { name: own, position: place } => {
                self.map(&[(name, own.term), (position, self.integer(*place)), (type_, atoms().unknown)])
            }
        }
    }

    fn field(&self, field: &Field) -> Term {
        let atoms = atoms();
        let occurrence = match field.occurrence {
            Occurrence::Required => atoms.required,
            Occurrence::Optional => atoms.optional,
            // A message always has presence, whatever is said.
            Occurrence::Defaulty if matches!(field.ty, Type::Message(_) | Type::Group(_)) => atoms.optional,
            Occurrence::Defaulty => atoms.defaulty,
            Occurrence::Repeated => atoms.repeated,
        };
        let mut pairs = vec![
            (atoms.name, field.name.term),
            (atoms.number, self.integer(field.number)),
            (atoms.position, self.integer(field.position)),
            (atoms.type_, self.ty(&field.ty)),
            (atoms.occurrence, occurrence),
        ];
        if field.packed {
            pairs.push((atoms.packed, atoms.true_));
        }
        pairs.extend(field.default.as_ref().map(|default| (atoms.default, self.default(default))));
        self.map(&pairs)
    }

    fn ty(&self, ty: &Type) -> Term {
        let atoms = atoms();
        let tuple = |elements: &[Term]| beam::make_tuple(self.env, elements);
        match ty {
            Type::Scalar(scalar) => beam::make_atom(self.env, scalar.name()),
            Type::Enum(name) => tuple(&[atoms.enum_, name.term]),
            Type::Message(name) => tuple(&[atoms.msg, name.term]),
            Type::Group(name) => tuple(&[atoms.group, name.term]),
            Type::Map(key, value) => tuple(&[atoms.map, self.ty(key), self.ty(value)]),
        }
    }

    fn default(&self, default: &DefaultValue) -> Term {
        match default {
            DefaultValue::Constant(term) => *term,
            DefaultValue::Integer(value) => self.integer(*value),
            DefaultValue::Unsigned(value) => beam::make_unsigned(self.env, *value),
            DefaultValue::Float(value) => beam::make_float(self.env, *value),
            DefaultValue::Octets(octets) => beam::make_binary(self.env, octets),
        }
    }
}
