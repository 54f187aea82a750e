//! Making messages of any form, for the decoder.

use protobuf_codec::memory::{OutOfMemory, TryGrow};
use protobuf_codec::schema::plan::{EncodeField, Kind, MessagePlan, Shape};
use protobuf_codec::schema::{DefaultValue, Name, Plan};
use protobuf_codec::term::{MissingField, TermBuilder};
use protobuf_codec::{StringOptions, Term};
use rustc_hash::FxHashMap;
use rustler::sys::ErlNifEnv;

use super::Form;
use crate::atoms::atoms;
use crate::beam::{self, BeamBuilder};

/// Makes the terms of a call, with messages in a form.
pub struct FormBuilder<'i> {
    plain: BeamBuilder<'i>,
    env: *mut ErlNifEnv,
    form: Form,
    strings: StringOptions,
    /// The names of fields as binaries, once they are made.
    binary_keys: FxHashMap<Term, Term>,
    /// The keys, values, and elements of what is being made.
    keys: Vec<Term>,
    values: Vec<Term>,
    elements: Vec<Term>,
}

impl<'i> FormBuilder<'i> {
    /// A builder for the duration of a call.
    pub fn new(env: *mut ErlNifEnv, plain: BeamBuilder<'i>, form: Form, strings: StringOptions) -> FormBuilder<'i> {
        let (keys, values, elements) = Default::default();
        FormBuilder { plain, env, form, strings, binary_keys: FxHashMap::default(), keys, values, elements }
    }

    /// What a field's value is where the message around it is not made: with its default, and as a map, where the message
    /// would have it so.
    pub fn alone(&mut self, plan: &Plan, message: u32, slot: u32, value: Term) -> Term {
        let message = &plan.messages[message as usize];
        let index = slot as usize - message.first_slot.min(slot as usize);
        let Some(field) = message.encode.get(index).filter(|_| matches!(message.shape, Shape::Record(_))) else {
            return value;
        };
        if value == atoms().nil && self.form.map_fields_as_maps && is_map_field(plan, field) {
            return beam::make_map(self.env, &[]);
        }
        let default = message.explicit_defaults.iter().find(|(of, _)| *of as usize == index);
        match default {
            Some((_, default)) if self.form.defaults && value == atoms().undefined => self.default(field, default),
            _ => value,
        }
    }

    fn key(&mut self, name: &Name) -> Term {
        match self.form.binary_keys {
            false => name.term,
            true => {
                let env = self.env;
                *self.binary_keys.entry(name.term).or_insert_with(|| beam::make_binary(env, name.text.as_bytes()))
            }
        }
    }

    /// Puts defaults into the place of what is absent.
    fn complete(&mut self, message: &MessagePlan, elements: &mut [Term]) {
        for (index, default) in &message.explicit_defaults {
            let field = &message.encode[*index as usize];
            let place = &mut elements[field.slot as usize];
            if *place == atoms().undefined {
                *place = self.default(field, default);
            }
        }
    }

    fn default(&mut self, field: &EncodeField, default: &DefaultValue) -> Term {
        match default {
            DefaultValue::Constant(term) => *term,
            DefaultValue::Integer(value) if matches!(field.kind, Kind::Float | Kind::Double) => {
                self.plain.float(*value as f64)
            }
            DefaultValue::Integer(value) => self.plain.integer(*value),
            DefaultValue::Unsigned(value) => self.plain.unsigned(*value),
            DefaultValue::Float(value) => self.plain.float(*value),
            DefaultValue::Octets(octets) if field.kind == Kind::Bytes || !self.strings.string_as_list => {
                beam::make_binary(self.env, octets)
            }
            DefaultValue::Octets(octets) => match std::str::from_utf8(octets) {
                Ok(text) if self.strings.with_utf8 => beam::make_string(self.env, text),
                _ => {
                    let octets: Vec<Term> = octets.iter().map(|octet| self.plain.integer(i64::from(*octet))).collect();
                    beam::make_list(self.env, &octets)
                }
            },
        }
    }

    fn record_with_maps(&mut self, plan: &Plan, message: &MessagePlan, elements: &[Term]) -> Term {
        self.values.clear();
        self.values.extend_from_slice(elements);
        for field in message.encode.iter().filter(|field| is_map_field(plan, field)) {
            let place = &mut self.values[field.slot as usize];
            if *place == atoms().nil {
                *place = beam::make_map(self.env, &[]);
            }
        }
        beam::make_tuple(self.env, &self.values)
    }

    fn map_of(&mut self, plan: &Plan, message: &MessagePlan, elements: &[Term]) -> Term {
        let atoms = atoms();
        self.keys.clear();
        self.values.clear();
        let module = self.form.structs.and_then(|structs| beam::get_map_value(self.env, structs, message.name.term));
        if let Some(module) = module {
            self.put(atoms.struct_, module);
        }
        // What stands for an absent field, if it has a key at all. A struct has all of them, and Elixir's word for it.
        let absent = match module {
            Some(_) => Some(atoms.nil_atom),
            None => self.form.present_undefined.then_some(atoms.undefined),
        };
        for index in &message.key_order {
            let (field, name) = (&message.encode[*index as usize], &message.names[*index as usize]);
            let value = elements[field.slot as usize];
            if field.kind == Kind::Oneof && self.form.flat_oneofs {
                self.flat_oneof(message, field, value, module.and(absent));
            } else if value == atoms.undefined {
                if let Some(absent) = absent {
                    let key = self.key(name);
                    self.put(key, absent);
                }
            } else if value == atoms.nil && self.form.map_fields_as_maps && is_map_field(plan, field) {
                let (key, empty) = (self.key(name), beam::make_map(self.env, &[]));
                self.put(key, empty);
            } else {
                let key = self.key(name);
                self.put(key, value);
            }
        }
        beam::make_map_of(self.env, &self.keys, &self.values)
    }

    /// Puts the member of a oneof as a field of its own; the others have a key where something stands for what is absent.
    fn flat_oneof(&mut self, message: &MessagePlan, field: &EncodeField, value: Term, absent: Option<Term>) {
        let set = beam::get_tuple(self.env, value).and_then(|pair| Some((*pair.first()?, *pair.get(1)?)));
        if let Some((name, value)) = set
            && let Some(member) = message.member(field, name)
        {
            let key = self.key(&member.name);
            self.put(key, value);
        }
        let Some(absent) = absent else { return };
        for (name, member) in message.oneofs[field.index as usize].entries() {
            if set.is_none_or(|(set, _)| set != *name) {
                let key = self.key(&member.name);
                self.put(key, absent);
            }
        }
    }

    fn put(&mut self, key: Term, value: Term) {
        self.keys.push(key);
        self.values.push(value);
    }
}

/// The first required field that is not there.
fn missing(message: &MessagePlan, elements: &[Term]) -> Option<MissingField> {
    let fields = message.encode.iter().zip(&message.absent);
    // What must be there has nothing that stands for its absence.
    let missing = |(field, absent): (&EncodeField, &Term)| {
        *absent == Term::NONE && elements[field.slot as usize] == atoms().undefined
    };
    fields.map(missing).position(|missing| missing).map(|index| MissingField(index as u32))
}

fn is_map_field(plan: &Plan, field: &EncodeField) -> bool {
    field.kind == Kind::Messages && matches!(plan.messages[field.index as usize].shape, Shape::Entry(_))
}

impl TermBuilder for FormBuilder<'_> {
    /// A map has a key for each value, and is put in order.
    const WORK_FACTOR: usize = 4;

    #[inline(always)]
    fn integer(&mut self, value: i64) -> Term {
        self.plain.integer(value)
    }

    #[inline(always)]
    fn unsigned(&mut self, value: u64) -> Term {
        self.plain.unsigned(value)
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Term {
        self.plain.float(value)
    }

    #[inline(always)]
    fn binary(&mut self, start: usize, len: usize) -> Term {
        self.plain.binary(start, len)
    }

    #[inline(always)]
    fn empty_binary(&mut self) -> Term {
        self.plain.empty_binary()
    }

    #[inline(always)]
    fn zero_float(&mut self) -> Term {
        self.plain.zero_float()
    }

    #[inline(always)]
    fn tuple(&mut self, elements: &[Term]) -> Term {
        self.plain.tuple(elements)
    }

    #[inline(always)]
    fn list(&mut self, elements: &[Term], tail: Term) -> Term {
        self.plain.list(elements, tail)
    }

    #[inline(never)]
    fn message(&mut self, plan: &Plan, message: &MessagePlan, elements: &[Term]) -> Result<Term, MissingField> {
        if !matches!(message.shape, Shape::Record(_)) {
            return Ok(self.plain.tuple(elements));
        }
        if self.form.check_required
            && let Some(missing) = missing(message, elements)
        {
            return Err(missing);
        }
        let completed = self.form.defaults && !message.explicit_defaults.is_empty();
        let mut owned = std::mem::take(&mut self.elements);
        if completed {
            owned.clear();
            owned.extend_from_slice(elements);
            self.complete(message, &mut owned);
        }
        let elements = if completed { &owned } else { elements };
        let term = match self.form.maps {
            true => self.map_of(plan, message, elements),
            // Where map fields alone are maps, an empty one is not what the record begins with.
            false if self.form.map_fields_as_maps => self.record_with_maps(plan, message, elements),
            false => self.plain.tuple(elements),
        };
        self.elements = owned;
        Ok(term)
    }

    fn map(&mut self, entries: &[Term], nil: Term) -> Result<Term, OutOfMemory> {
        if !self.form.map_fields_as_maps {
            return Ok(self.plain.list(entries, nil));
        }
        let pair = |entry: &Term| match beam::get_tuple(self.env, *entry) {
            Some(&[key, value]) => (key, value),
            _ => (*entry, *entry),
        };
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        keys.try_room(entries.len())?;
        values.try_room(entries.len())?;
        for (key, value) in entries.iter().map(pair) {
            keys.push(key);
            values.push(value);
        }
        Ok(beam::make_map_of(self.env, &keys, &values))
    }

    #[inline(always)]
    fn keeps_unknowns(&self) -> bool {
        !self.form.drop_unknowns
    }

    #[inline(always)]
    fn checks_utf8(&self) -> bool {
        self.form.check_utf8
    }
}
