//! The options of a single call.

use protobuf_codec::term::TermReader;
use protobuf_codec::{Term, decode};
use rustler::sys::ErlNifEnv;

use super::limit;
use crate::atoms::{Atoms, atoms};
use crate::beam::{self, BeamReader, Copying};
use crate::cache::{self, Module};
use crate::errors::Failure;
use crate::forms::Form;

/// What a call goes by: what its options do not name is as `set_opts/1` has it.
#[derive(Clone, Copy)]
pub struct CallOptions {
    /// Whose definitions.
    pub cache: cache::Name,
    /// How strings look, and the limits.
    pub codec: decode::Options,
    /// Which binaries of a result are copies.
    pub copying: Copying,
    /// How messages look.
    pub form: Form,
}

impl CallOptions {
    /// Those of a call that has none.
    #[inline(always)]
    pub fn none() -> CallOptions {
        CallOptions { cache: None, codec: super::decoding(), copying: Copying::Auto, form: Form::default() }
    }

    /// Adds the list of options that is the argument of this number. (In place, for it is a large value.)
    #[inline(always)]
    pub fn read(&mut self, env: *mut ErlNifEnv, reader: &BeamReader, argument: i64, list: Term) -> Result<(), Failure> {
        let mut map_fields = None;
        let mut rest = list;
        let mut left = MOST_OPTIONS;
        while let Some((option, tail)) = reader.cell(rest) {
            let added = self.add(env, reader, &mut map_fields, option);
            added.map_err(|wrong| Failure::BadTerm(argument, wrong.into(), option))?;
            rest = tail;
            left -= 1;
            if left == 0 {
                break;
            }
        }
        if rest != atoms().nil {
            return Err(Failure::BadTerm(argument, super::NO_LIST.into(), list));
        }
        // As gpb has it: who wants maps for messages wants them for map fields too, unless he says otherwise.
        self.form.map_fields_as_maps = map_fields.unwrap_or(self.form.maps);
        // Lists of code points are looked at in any case.
        self.form.check_utf8 &= !self.codec.strings.string_as_list;
        // And where absent fields have keys, an absent oneof has one.
        self.form.flat_oneofs &= !self.form.present_undefined;
        // A struct has the keys of all fields.
        self.form.absent_omitted &= self.form.structs.is_none();
        Ok(())
    }

    /// Adds an option, the last mention of which counts; or says what is wrong with it.
    #[inline(always)]
    fn add(
        &mut self,
        env: *mut ErlNifEnv,
        reader: &BeamReader,
        map_fields: &mut Option<bool>,
        option: Term,
    ) -> Result<(), &'static str> {
        let atoms = atoms();
        let Some(&[name, value]) = reader.tuple(option) else { return Err(NO_SUCH_OPTION) };
        if name == atoms.cache {
            // What is no atom is the name of none.
            self.cache = Some(value);
        } else if name == atoms.strings {
            self.codec.strings.string_as_list =
                one_of(value, (atoms.list, atoms.binary), "strings takes binary or list")?;
        } else if name == atoms.utf8 {
            let checked = one_of(value, (atoms.checked, atoms.octets), "utf8 takes octets or checked")?;
            self.codec.strings.with_utf8 = checked;
            self.form.check_utf8 = checked;
        } else if name == atoms.maps {
            self.form.maps = boolean(value, "maps takes true or false")?;
        } else {
            self.add_rare(env, map_fields, name, value)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn add_rare(
        &mut self,
        env: *mut ErlNifEnv,
        map_fields: &mut Option<bool>,
        name: Term,
        value: Term,
    ) -> Result<(), &'static str> {
        let Atoms { atom, omitted, present_undefined, flat, tuples, .. } = *atoms();
        let atoms = atoms();
        let form = &mut self.form;
        if name == atoms.maps_unset_optional {
            let wrong = "maps_unset_optional takes omitted or present_undefined";
            form.present_undefined = one_of(value, (present_undefined, omitted), wrong)?;
            form.absent_omitted = !form.present_undefined;
        } else if name == atoms.maps_oneof {
            form.flat_oneofs = one_of(value, (flat, tuples), "maps_oneof takes tuples or flat")?;
        } else if name == atoms.maps_key_type {
            form.binary_keys = one_of(value, (atoms.binary, atom), "maps_key_type takes atom or binary")?;
        } else if name == atoms.mapfields_as_maps {
            *map_fields = Some(boolean(value, "mapfields_as_maps takes true or false")?);
        } else if name == atoms.structs {
            if !beam::is_map(env, value) {
                return Err("structs takes a map from names of messages to modules");
            }
            form.structs = Some(value);
            form.maps = true;
        } else if name == atoms.bytes {
            self.copying = match value {
                value if value == atoms.auto => Copying::Auto,
                value if value == atoms.copy => Copying::All,
                value if value == atoms.reference => Copying::Nothing,
                _ => return Err("bytes takes auto, copy or reference"),
            };
        } else if name == atoms.required {
            form.check_required = one_of(value, (atoms.check, atoms.ignore), "required takes check or ignore")?;
        } else if name == atoms.unknown {
            form.drop_unknowns = one_of(value, (atoms.drop, atoms.keep), "unknown takes keep or drop")?;
        } else if name == atoms.defaults {
            form.defaults = boolean(value, "defaults takes true or false")?;
        } else if name == atoms.max_depth {
            self.codec.max_depth = limit(env, value)?.try_into().unwrap_or(u32::MAX);
        } else if name == atoms.max_size {
            self.codec.max_size = limit(env, value)?.try_into().unwrap_or(usize::MAX);
        } else {
            return Err(NO_SUCH_OPTION);
        }
        Ok(())
    }
}

/// What a generated module asks for, of the pair of the options that it encodes and decodes with, in the argument of this
/// number.
pub fn module_options(env: *mut ErlNifEnv, argument: i64, pair: Term) -> Result<Module, Failure> {
    let reader = BeamReader::new(env);
    let read = |list| {
        let mut options = CallOptions::none();
        options.read(env, &reader, argument, list)?;
        match options.form.structs {
            Some(structs) => Err(Failure::BadTerm(argument, "a module's messages are no structs".into(), structs)),
            None => Ok(options),
        }
    };
    let Some(&[encode, decode]) = reader.tuple(pair) else {
        return Err(Failure::BadTerm(argument, "not a pair of lists of options".into(), pair));
    };
    let (encode, decode) = (read(encode)?, read(decode)?);
    let options = beam::to_external(env, pair).unwrap_or_default().into();
    Ok(Module { encode, decode, options })
}

fn one_of(value: Term, (yes, no): (Term, Term), wrong: &'static str) -> Result<bool, &'static str> {
    match value {
        value if value == yes => Ok(true),
        value if value == no => Ok(false),
        _ => Err(wrong),
    }
}

fn boolean(value: Term, wrong: &'static str) -> Result<bool, &'static str> {
    one_of(value, (atoms().true_, atoms().false_), wrong)
}

/// More are not read: that would take a scheduler's time, and there are not so many.
const MOST_OPTIONS: u32 = 1000;

const NO_SUCH_OPTION: &str = "there is no such option: there are cache, strings, utf8, bytes, required, unknown, \
                              defaults, max_depth, max_size, maps, maps_unset_optional, maps_oneof, maps_key_type, \
                              mapfields_as_maps and structs, each as {Name, Value}";
