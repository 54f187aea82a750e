//! Maps: the last value of a key stands, and the entries come in the order that gpb gives them.
//!
//! gpb collects a map's entries in a `dict` of the standard library of Erlang, and its order is that of the dict's
//! slots: linear hashing over `erlang:phash/2`, whose result is the same on every release. Which keys are the same is
//! decided by another, seeded hash, so that nobody can send keys that all collide.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Decoder;
use super::scalar::fixed;
use super::stack::Run;
use crate::StringOptions;
use crate::error::DecodeReason;
use crate::memory::{OutOfMemory, TryGrow};
use crate::schema::plan::Kind;
use crate::term::{Term, TermBuilder};
use crate::wire::varint::zigzag_decode;
use crate::wire::{skip, utf8, varint};

/// The key of an entry, apart from its term.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    Integer {
        negative: bool,
        magnitude: u64,
    },
    Boolean(bool),
    /// A string, by its place in the input.
    Text {
        start: usize,
        len: usize,
    },
}

impl Key {
    const ZERO: Key = Key::Integer { negative: false, magnitude: 0 };

    fn signed(value: i64) -> Key {
        Key::Integer { negative: value < 0, magnitude: value.unsigned_abs() }
    }

    fn unsigned(magnitude: u64) -> Key {
        Key::Integer { negative: false, magnitude }
    }

    /// Reads the key at `pos`.
    #[inline(never)]
    pub fn read(kind: Kind, data: &[u8], mut pos: usize) -> Result<Key, DecodeReason> {
        let pos = &mut pos;
        Ok(match kind {
            Kind::Int32 => Key::signed(i64::from(varint::read(data, pos)? as i32)),
            Kind::Int64 => Key::signed(varint::read(data, pos)? as i64),
            Kind::Uint32 => Key::unsigned(u64::from(varint::read(data, pos)? as u32)),
            Kind::Uint64 => Key::unsigned(varint::read(data, pos)?),
            Kind::Sint32 => Key::signed(zigzag_decode(u64::from(varint::read(data, pos)? as u32))),
            Kind::Sint64 => Key::signed(zigzag_decode(varint::read(data, pos)?)),
            Kind::Bool => Key::Boolean(varint::read(data, pos)? != 0),
            Kind::Fixed32 => Key::unsigned(u64::from(u32::from_le_bytes(fixed(data, pos)?))),
            Kind::Sfixed32 => Key::signed(i64::from(i32::from_le_bytes(fixed(data, pos)?))),
            Kind::Fixed64 => Key::unsigned(u64::from_le_bytes(fixed(data, pos)?)),
            Kind::Sfixed64 => Key::signed(i64::from_le_bytes(fixed(data, pos)?)),
            Kind::String => {
                let end = skip::payload_end(data, pos)?;
                Key::Text { start: *pos, len: end - *pos }
            }
            // The plan has no other types of keys.
            _ => Key::ZERO,
        })
    }

    /// The key of an entry that says none.
    pub fn default_of(kind: Kind) -> Key {
        match kind {
            Kind::String | Kind::Utf8String => Key::Text { start: 0, len: 0 },
            Kind::Bool => Key::Boolean(false),
            _ => Key::ZERO,
        }
    }

    pub fn content(self, input: &[u8]) -> Content<'_> {
        match self {
            Key::Integer { negative, magnitude } => Content::Integer(negative, magnitude),
            Key::Boolean(value) => Content::Boolean(value),
            Key::Text { start, len } => Content::Text(input.get(start..start + len).unwrap_or_default()),
        }
    }
}

/// A key by its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Content<'i> {
    Integer(bool, u64),
    Boolean(bool),
    Text(&'i [u8]),
}

/// The factors of `erlang:phash/2`, by their names there.
mod factor {
    pub const ATOM: u32 = 268_440_163;
    pub const SMALL: u32 = 268_439_161;
    pub const INTEGER: u32 = 268_435_459;
    pub const NEGATIVE: u32 = 268_436_141;
    pub const LIST: u32 = 268_437_511;
}

impl Content<'_> {
    /// What `erlang:phash/2` makes of the key's term, before the range is taken.
    fn phash(self, options: StringOptions) -> u32 {
        match self {
            Content::Integer(negative, magnitude) => {
                hash_magnitude(0, magnitude).wrapping_mul(if negative { factor::NEGATIVE } else { factor::INTEGER })
            }
            Content::Boolean(true) => hash_name(b"true"),
            Content::Boolean(false) => hash_name(b"false"),
            Content::Text(octets) if !options.string_as_list => {
                let step = |hash: u32, octet: &u8| hash.wrapping_mul(factor::ATOM).wrapping_add(u32::from(*octet));
                let hash = octets.iter().fold(0, step);
                hash.wrapping_mul(factor::NEGATIVE).wrapping_add(octets.len() as u32)
            }
            Content::Text([]) => 1,
            Content::Text(octets) => {
                let hash = match utf8::code_points(octets).filter(|_| options.with_utf8) {
                    Some(code_points) => code_points.fold(0, hash_element),
                    None => octets.iter().map(|octet| u32::from(*octet)).fold(0, hash_element),
                };
                hash.wrapping_mul(factor::INTEGER).wrapping_add(1).wrapping_mul(factor::LIST)
            }
        }
    }
}

fn hash_octets(hash: u32, word: u32) -> u32 {
    word.to_le_bytes().iter().fold(hash, |hash, octet| hash.wrapping_mul(factor::SMALL).wrapping_add(u32::from(*octet)))
}

fn hash_magnitude(hash: u32, magnitude: u64) -> u32 {
    let hash = hash_octets(hash, magnitude as u32);
    match (magnitude >> 32) as u32 {
        0 => hash,
        high => hash_octets(hash, high),
    }
}

fn hash_element(hash: u32, element: u32) -> u32 {
    if element < 256 {
        hash.wrapping_mul(factor::SMALL).wrapping_add(element)
    } else {
        hash_octets(hash, element).wrapping_mul(factor::INTEGER)
    }
}

/// The hash of an atom's name.
fn hash_name(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, octet| {
        let hash = (hash << 4).wrapping_add(u32::from(*octet));
        let high = hash & 0xf000_0000;
        hash ^ high ^ (high >> 24)
    })
}

/// The slots of a dict: how many it begins with, how many entries there are to one before it grows.
const FIRST_SLOTS: u32 = 16;
const ENTRIES_TO_SLOT: usize = 5;

/// The slot of a hash in a dict of this many slots: linear hashing, where slots are split one by one.
fn slot(hash: u32, slots: u32) -> u32 {
    let mut most = FIRST_SLOTS;
    while most < slots {
        most *= 2;
    }
    let slot = hash % most + 1;
    if slot > slots { slot - most / 2 } else { slot }
}

impl<B: TermBuilder> Decoder<'_, B> {
    /// Builds the maps of a record from their runs, which come in any order of slots.
    #[inline(never)]
    pub(super) fn maps(&mut self, base: usize, mut runs: Vec<Run>) -> Result<(), OutOfMemory> {
        runs.sort_unstable_by_key(|run| (run.slot, run.start));
        for runs in runs.chunk_by(|one, other| one.slot == other.slot) {
            let place = base + runs[0].slot as usize;
            let nil = self.plan.constants.nil;
            self.scratch.terms[place] = match runs {
                // Nothing to compare and to order.
                [Run { start, end, .. }] if *end == start + 1 => {
                    self.builder.map(&self.scratch.terms[*start as usize..*end as usize], nil)?
                }
                _ => {
                    let entries = self.map_entries(runs)?;
                    self.builder.map(&entries, nil)?
                }
            };
        }
        Ok(())
    }

    fn map_entries(&self, runs: &[Run]) -> Result<Vec<Term>, OutOfMemory> {
        let scratch = &*self.scratch;
        let entries = runs.iter().flat_map(|run| {
            let keys = scratch.keys.iter().skip(run.first_key as usize);
            scratch.terms[run.start as usize..run.end as usize].iter().zip(keys)
        });
        // In the order of the keys' first appearance.
        let mut unique: Vec<(Content<'_>, Term)> = Vec::new();
        let mut places: HashMap<Content<'_>, usize> = HashMap::new();
        for (term, key) in entries {
            let content = key.content(self.input);
            let known = match unique.len() {
                0..FEW_KEYS => unique.iter().position(|(known, _)| *known == content),
                _ => {
                    if places.is_empty() {
                        places.try_reserve(unique.len()).map_err(|_| OutOfMemory)?;
                        places.extend(unique.iter().enumerate().map(|(place, (content, _))| (*content, place)));
                    }
                    places.get(&content).copied()
                }
            };
            match known {
                Some(place) => unique[place].1 = *term,
                None => {
                    if unique.len() >= FEW_KEYS {
                        places.try_reserve(1).map_err(|_| OutOfMemory)?;
                        places.insert(content, unique.len());
                    }
                    unique.try_push((content, *term))?;
                }
            }
        }
        let slots = FIRST_SLOTS.max(unique.len().div_ceil(ENTRIES_TO_SLOT) as u32);
        // Within a slot the latest comes first.
        let order = |(place, (content, term)): (usize, &(Content<'_>, Term))| {
            (slot(content.phash(self.options.strings), slots), Reverse(place), *term)
        };
        let mut ordered = Vec::new();
        ordered.try_room(unique.len())?;
        ordered.extend(unique.iter().enumerate().map(order));
        ordered.sort_unstable_by_key(|(slot, place, _)| (*slot, *place));
        let mut terms = Vec::new();
        terms.try_room(ordered.len())?;
        terms.extend(ordered.into_iter().map(|(_, _, term)| term));
        Ok(terms)
    }
}

/// Up to this many keys are compared with each other, more are hashed.
const FEW_KEYS: usize = 16;
