//! Erlang terms that are owned by Rust: what the reading thread hands over, and how they become terms of the VM.

use rustler::types::atom::Atom;
use rustler::types::tuple::make_tuple;
use rustler::{Encoder, Env, NewBinary, Term};

const MAX_ATOM_CHARACTERS: usize = 255;

/// An Erlang term without an environment.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Atom(String),
    Int(i64),
    Unsigned(u64),
    /// Always finite: what is not, is an atom in Erlang (see [`Value::float`]).
    Float(f64),
    Binary(Vec<u8>),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// A name that Erlang cannot hold as an atom.
pub struct NameTooLong(pub String);

impl Value {
    pub fn atom(name: impl Into<String>) -> Self {
        Value::Atom(name.into())
    }

    pub fn bool(value: bool) -> Self {
        Value::atom(if value { "true" } else { "false" })
    }

    /// A text as UTF-8 binary.
    pub fn text(text: &str) -> Self {
        Value::Binary(text.as_bytes().to_vec())
    }

    /// A text as list of code points.
    pub fn chars(text: &str) -> Self {
        Value::List(text.chars().map(|c| Value::Unsigned(c.into())).collect())
    }

    /// A float, or the atom that stands for it where Erlang has none.
    pub fn float(value: f64) -> Self {
        if value.is_nan() {
            Value::atom("nan")
        } else if value.is_infinite() {
            Value::atom(if value > 0.0 { "infinity" } else { "-infinity" })
        } else {
            Value::Float(value)
        }
    }

    pub fn pair(first: Value, second: Value) -> Self {
        Value::Tuple(vec![first, second])
    }

    pub fn to_term<'a>(&self, env: Env<'a>) -> Result<Term<'a>, NameTooLong> {
        Ok(match self {
            Value::Atom(name) => atom(name, env)?.encode(env),
            Value::Int(int) => int.encode(env),
            Value::Unsigned(int) => int.encode(env),
            Value::Float(float) => float.encode(env),
            Value::Binary(bytes) => {
                let mut binary = NewBinary::new(env, bytes.len());
                binary.as_mut_slice().copy_from_slice(bytes);
                binary.into()
            }
            Value::Tuple(elements) => make_tuple(env, &to_terms(elements, env)?),
            Value::List(elements) => to_terms(elements, env)?.encode(env),
            Value::Map(pairs) => {
                let mut map = Term::map_new(env);
                for (key, value) in pairs {
                    // `map` is a map, so this cannot fail.
                    map = map.map_put(key.to_term(env)?, value.to_term(env)?).unwrap_or(map);
                }
                map
            }
        })
    }

    /// For values whose atoms are known to be short.
    pub fn to_term_or_badarg<'a>(&self, env: Env<'a>) -> Term<'a> {
        self.to_term(env).unwrap_or_else(|NameTooLong(_)| rustler::types::atom::badarg().encode(env))
    }
}

/// Whether an atom can have this text.
pub fn fits_atom(name: &str) -> bool {
    name.chars().count() <= MAX_ATOM_CHARACTERS
}

/// The length has to be checked first: the VM raises an exception for an atom that is too long.
fn atom(name: &str, env: Env) -> Result<Atom, NameTooLong> {
    let atom = fits_atom(name).then(|| Atom::from_utf8_bytes(env, name.as_bytes()).ok());
    atom.flatten().ok_or_else(|| NameTooLong(name.to_owned()))
}

fn to_terms<'a>(values: &[Value], env: Env<'a>) -> Result<Vec<Term<'a>>, NameTooLong> {
    values.iter().map(|value| value.to_term(env)).collect()
}
