//! Reading messages that are maps, for the encoder.

use protobuf_codec::encode::{FieldTerms, MessageSource, Refusal, not_one};
use protobuf_codec::error::EncodeReason;
use protobuf_codec::memory::{OutOfMemory, TryGrow};
use protobuf_codec::schema::Plan;
use protobuf_codec::schema::plan::{MessagePlan, Shape};
use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, work};
use rustler::sys::ErlNifEnv;
use std::cell::RefCell;
use std::convert::Infallible;

use super::Form;
use crate::atoms::atoms;
use crate::beam::{self, BeamReader};

/// Messages that are maps: their values are put in the order of the record, on a stack.
pub struct Maps {
    env: *mut ErlNifEnv,
    form: Form,
    /// Whether required fields may be absent, which then are not written.
    partial: bool,
    /// The values of the messages that are being written, one after the other.
    values: RefCell<Vec<Term>>,
}

/// Where a message's values lie on the stack.
#[derive(Clone, Copy)]
pub struct Place {
    base: usize,
    len: usize,
}

/// The values of a message.
#[derive(Clone, Copy)]
pub struct Values<'m> {
    maps: &'m Maps,
    place: Place,
}

impl FieldTerms for Values<'_> {
    fn count(self) -> usize {
        self.place.len
    }

    fn first(self, len: usize) -> Self {
        Values { place: Place { len, ..self.place }, ..self }
    }

    fn at(self, index: usize) -> Term {
        let Place { base, len } = self.place;
        assert!(index < len, "no such value");
        self.maps.values.borrow()[base + index]
    }
}

impl Maps {
    /// A source for the duration of a call.
    pub fn new(env: *mut ErlNifEnv, form: Form, partial: bool) -> Maps {
        Maps { env, form, partial, values: RefCell::new(Vec::new()) }
    }

    /// Puts the values of a map into their places.
    fn take_in(&self, message: &MessagePlan, map: Term, values: &mut [Term]) -> Result<(), Refusal> {
        let atoms = atoms();
        let flat = self.form.flat_oneofs;
        beam::each_pair(self.env, map, |key, value| {
            let Some(name) = self.name(key) else { return Err(Refusal::Invalid(EncodeReason::UnknownKey(key), map)) };
            if name == atoms.struct_ {
                return match self.form.structs.and_then(|all| beam::get_map_value(self.env, all, message.name.term)) {
                    Some(module) if module != value => Err(Refusal::Invalid(not_one(message), map)),
                    _ => Ok(()),
                };
            }
            // A struct has keys for absent fields too.
            let value = if value == atoms.nil_atom && self.form.structs.is_some() { atoms.undefined } else { value };
            match (message.keys.get(name), message.members.get(name)) {
                (_, Some(oneof)) if flat => {
                    let place = &mut values[*oneof as usize];
                    if value == atoms.undefined && !self.form.absent_omitted {
                        return Ok(());
                    }
                    if *place != Term::NONE
                        && let Some(&[other, _]) = beam::get_tuple(self.env, *place)
                    {
                        let oneof = message.names[*oneof as usize].term;
                        let keys = beam::make_list(self.env, &[self.key(other), key]);
                        let reason = EncodeReason::SeveralMembers(keys, oneof);
                        return Err(Refusal::Invalid(reason, map));
                    }
                    *place = beam::make_tuple(self.env, &[name, value]);
                }
                (Some(field), _) if !flat || self.is_nothing(value) || !self.is_oneof(message, *field) => {
                    let place = &mut values[*field as usize];
                    // What stands there already is right for what is absent.
                    if value != atoms.undefined || self.form.structs.is_none() {
                        *place = value;
                    }
                }
                _ => return Err(Refusal::Invalid(EncodeReason::UnknownKey(key), map)),
            }
            Ok(())
        })
    }

    /// Whether a value stands for there being none.
    fn is_nothing(&self, value: Term) -> bool {
        value == atoms().undefined && !self.form.absent_omitted
    }

    /// The required fields for which a map has no key, where it must have them.
    fn check_required(&self, message: &MessagePlan, map: Term, values: &[Term]) -> Result<(), Refusal> {
        let is_missing = |(value, absent): (&Term, &Term)| *absent == Term::NONE && *value == Term::NONE;
        let missing: Vec<Term> = (message.names.iter().zip(values.iter().zip(&message.absent)))
            .filter(|(_, pair)| is_missing(*pair))
            .map(|(name, _)| match self.form.binary_keys {
                true => beam::make_binary(self.env, name.text.as_bytes()),
                false => name.term,
            })
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Refusal::Invalid(EncodeReason::MissingFields(beam::make_list(self.env, &missing), message.name.term), map))
    }

    fn is_oneof(&self, message: &MessagePlan, field: u32) -> bool {
        message.encode[field as usize].kind == protobuf_codec::schema::plan::Kind::Oneof
    }

    /// The key for a name.
    fn key(&self, name: Term) -> Term {
        match beam::atom_text(self.env, name).filter(|_| self.form.binary_keys) {
            Some(text) => beam::make_binary(self.env, text.as_bytes()),
            None => name,
        }
    }

    /// The name that a key is.
    fn name(&self, key: Term) -> Option<Term> {
        match self.form.binary_keys {
            false => Some(key),
            // A field's name is an atom that exists.
            true => beam::existing_atom(self.env, beam::get_binary(self.env, key)?),
        }
    }
}

impl<'t> MessageSource<'t, BeamReader> for Maps {
    type Message = Place;
    type Fields<'s> = Values<'s>;

    /// Each key is looked up.
    const WORK_FACTOR: usize = 8;

    fn open(&self, reader: &BeamReader, message: &MessagePlan, term: Term) -> Result<Place, Refusal> {
        let mut values = self.values.borrow_mut();
        let place = Place { base: values.len(), len: message.absent.len() };
        values.try_reserve(place.len).map_err(|_| Refusal::OutOfMemory)?;
        match message.shape {
            Shape::Record(_) => {
                if !beam::is_map(self.env, term) {
                    return Err(Refusal::Invalid(EncodeReason::ExpectedMap(message.name.term), term));
                }
                // What must be there is undefined as long as it is not. Where that is a value like any other, what is not
                // there is no term.
                let [from, to] = match self.form.absent_omitted {
                    true => [atoms().undefined, Term::NONE],
                    false => [Term::NONE, atoms().undefined],
                };
                values.extend(message.absent.iter().map(|&absent| if absent == from { to } else { absent }));
                self.take_in(message, term, &mut values[place.base..])?;
                if self.form.absent_omitted && !self.partial {
                    self.check_required(message, term, &values[place.base..])?;
                }
                if self.partial {
                    allow_absence(message, &mut values[place.base..]);
                }
            }
            Shape::Entry(_) | Shape::UnknownGroup => {
                let elements = reader.tuple(term).filter(|elements| elements.len() == message.template.len());
                let elements = elements.ok_or_else(|| Refusal::Invalid(not_one(message), term))?;
                values.extend_from_slice(&elements[message.first_slot..]);
            }
        }
        Ok(place)
    }

    fn fields<'s>(&'s self, place: Place, _message: &'s MessagePlan) -> Values<'s> {
        Values { maps: self, place }
    }

    fn is_absent(&self, value: Term, absent: Term) -> bool {
        value == Term::NONE || (value == absent && !(self.form.absent_omitted && value == atoms().undefined))
    }

    fn close(&self, place: Place) {
        self.values.borrow_mut().truncate(place.base);
    }

    fn elements(
        &self,
        _reader: &BeamReader,
        plan: &Plan,
        message: u32,
        term: Term,
        budget: &mut usize,
    ) -> Result<Option<Term>, OutOfMemory> {
        let entry = matches!(plan.messages[message as usize].shape, Shape::Entry(_));
        if entry && self.form.absent_omitted && self.form.map_fields_as_maps && !beam::is_map(self.env, term) {
            return Ok(Some(atoms().undefined));
        }
        elements(self.env, plan, message, term, budget)
    }
}

/// The elements of a field that holds several: of a map field that is a map a list of pairs, in the order of
/// `maps:to_list/1`.
pub fn elements(
    env: *mut ErlNifEnv,
    plan: &Plan,
    message: u32,
    term: Term,
    budget: &mut usize,
) -> Result<Option<Term>, OutOfMemory> {
    let entry = matches!(plan.messages[message as usize].shape, Shape::Entry(_));
    let Some(size) = beam::map_size(env, term).filter(|_| entry) else { return Ok(Some(term)) };
    let Some(left) = budget.checked_sub(size.saturating_mul(work::MAP_ENTRY)) else { return Ok(None) };
    *budget = left;
    let mut pairs = Vec::new();
    pairs.try_room(size)?;
    let result: Result<(), Infallible> = beam::each_pair(env, term, |key, value| {
        pairs.push(beam::make_tuple(env, &[key, value]));
        Ok(())
    });
    let Ok(()) = result;
    Ok(Some(beam::make_list(env, &pairs)))
}

/// Takes what is undefined for what stands for nothing to write, also where there must be something.
fn allow_absence(message: &MessagePlan, values: &mut [Term]) {
    for (value, absent) in values.iter_mut().zip(&message.absent) {
        if *value == atoms().undefined {
            *value = *absent;
        }
    }
}
