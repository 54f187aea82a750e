//! The plan: what the engines follow. It is complete and right by construction, so they check nothing in it.

use rustc_hash::FxHashMap;
use std::hash::{BuildHasher, RandomState};

use super::by_term::ByTerm;
use super::definitions::{DefaultValue, MessageKind, Name, Scalar};
use crate::error::DefinitionError;
use crate::schema::Definitions;
use crate::term::{Constants, Term};
use crate::wire::output::TagBytes;

/// The compiled tables of a set of definitions.
pub struct Plan {
    /// [`UNKNOWN_GROUP`] first, then messages and groups, then the entries of maps.
    pub messages: Vec<MessagePlan>,
    /// The enums.
    pub enums: Vec<EnumPlan>,
    pub(super) by_name: FxHashMap<Term, u32>,
    /// The terms that stand for themselves.
    pub constants: Constants,
}

/// The index of the message that kept unknown groups are read and written as: `{group, Number, Fields}`.
pub const UNKNOWN_GROUP: u32 = 0;

impl Plan {
    /// Checks the definitions and compiles them, in time linear in their size.
    pub fn compile(definitions: &Definitions, constants: Constants) -> Result<Plan, DefinitionError> {
        super::compile::compile(definitions, constants)
    }

    /// The index of the message (or group, where no message has the name) of this name.
    pub fn message_named(&self, name: Term) -> Option<u32> {
        self.by_name.get(&name).copied()
    }
}

/// How the records of a message look in terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A tuple that begins with the message's name.
    Record(MessageKind),
    /// A pair of key and value: an entry of a map, whose key is of this type.
    Entry(Kind),
    /// `{group, Number, Fields}`.
    UnknownGroup,
}

/// The tables of one message.
pub struct MessagePlan {
    /// Its name.
    pub name: Name,
    /// How its records look.
    pub shape: Shape,
    /// The record of an empty message, but for the slots in `defaults`.
    pub template: Box<[Term]>,
    /// What reading a record takes of a budget.
    pub work: usize,
    /// Whether the template is all of an empty record.
    pub plain: bool,
    /// The slots whose default has to be built.
    pub defaults: Box<[(u32, BuiltDefault)]>,
    /// What to write, in the order of the record: a field for each slot from the first one on.
    pub encode: Box<[EncodeField]>,
    /// The values that stand for nothing to write, in the same order: side by side, since most fields of most records
    /// are only compared with them. [`Term::NONE`] where something must be.
    pub absent: Box<[Term]>,
    /// The slot of the first field.
    pub first_slot: usize,
    /// The names of what is written, in the same order.
    pub names: Box<[Name]>,
    /// The places of what is written, by its name.
    pub keys: ByTerm<u32>,
    /// The places of what is written, in the order in which a map has keys of these names: maps are made faster so.
    pub key_order: Box<[u32]>,
    /// The members of its oneofs, by their names.
    pub oneofs: Box<[ByTerm<OneofMember>]>,
    /// The places of the oneofs, by the names of their members.
    pub members: ByTerm<u32>,
    /// The values that the definitions give for what is absent, by the place of the field.
    pub explicit_defaults: Box<[(u32, DefaultValue)]>,
    /// What to do at each tag.
    pub decode: DecodeTable,
    /// The slot that keeps unknown fields.
    pub unknowns: Option<u32>,
}

impl MessagePlan {
    /// The member of this name of the oneof that a field is.
    pub fn member(&self, field: &EncodeField, name: Term) -> Option<&OneofMember> {
        if field.kind != Kind::Oneof {
            return None;
        }
        self.oneofs.get(field.index as usize)?.get(name)
    }
}

/// A default that is no constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltDefault {
    /// The empty string: a binary or a list, by the options.
    String,
    /// The empty binary.
    Bytes,
    /// 0.0
    Float,
    /// The empty message (the value of a map entry).
    Message(u32),
}

/// What a field holds. Types of values and what is made of several stand side by side, so that one look tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The first names are the language's own.
pub enum Kind {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Bool,
    Fixed32,
    Sfixed32,
    Float,
    Fixed64,
    Sfixed64,
    Double,
    String,
    Bytes,
    Enum,
    /// A string that must be UTF-8.
    Utf8String,
    /// Values in one block.
    Packed,
    /// Values one after the other.
    Repeated,
    /// A message, a group or a map entry.
    Message,
    /// Messages, groups or map entries one after the other.
    Messages,
    /// One of several fields. (A member that is a message is read as a message.)
    Oneof,
    /// The key of a map entry.
    Key,
    /// An enum that takes its symbols only, or what holds some: a packed block, an element, a member of a oneof, or the
    /// entry of a map. Which, `element` tells. (To be read; it is written like any other.)
    ClosedEnum,
    /// Strings that must be UTF-8, of what holds several: an element, a member of a oneof, or a key. Which, `element` tells.
    /// (To be read; they are written like others.)
    Utf8Strings,
    /// A message in a message set.
    SetItem,
    /// Kept unknown fields.
    Unknowns,
}

impl From<Scalar> for Kind {
    fn from(scalar: Scalar) -> Kind {
        match scalar {
            Scalar::Int32 => Kind::Int32,
            Scalar::Int64 => Kind::Int64,
            Scalar::Uint32 => Kind::Uint32,
            Scalar::Uint64 => Kind::Uint64,
            Scalar::Sint32 => Kind::Sint32,
            Scalar::Sint64 => Kind::Sint64,
            Scalar::Bool => Kind::Bool,
            Scalar::Fixed32 => Kind::Fixed32,
            Scalar::Sfixed32 => Kind::Sfixed32,
            Scalar::Float => Kind::Float,
            Scalar::Fixed64 => Kind::Fixed64,
            Scalar::Sfixed64 => Kind::Sfixed64,
            Scalar::Double => Kind::Double,
            Scalar::String => Kind::String,
            Scalar::Bytes => Kind::Bytes,
        }
    }
}

impl Kind {
    /// The scalar type that this is, if it is one.
    pub fn scalar(self) -> Option<Scalar> {
        if self == Kind::Utf8String {
            return Some(Scalar::String);
        }
        Scalar::ALL.iter().map(|(scalar, _)| *scalar).find(|scalar| Kind::from(*scalar) == self)
    }
}

/// A field to write.
#[derive(Clone, Copy)]
pub struct EncodeField {
    /// Its place in the record.
    pub slot: u32,
    /// The index of the enum or message in the plan, or of the oneof in the message.
    pub index: u32,
    /// Its tag: of each value, of the block, or of what begins a message. Of an item of a message set, what stands before
    /// the message's tag.
    pub tag: TagBytes,
    /// What it holds.
    pub kind: Kind,
    /// What an element is, of what is packed or repeated.
    pub element: Kind,
    /// Whether the default of the type is left out.
    pub implicit: bool,
    /// Whether a message is written as a group.
    pub group: bool,
}

/// A member of a oneof.
pub struct OneofMember {
    /// Its name.
    pub name: Name,
    /// Itself.
    pub field: EncodeField,
}

/// What to do at each tag of a message.
pub struct DecodeTable {
    /// By the tag.
    dense: Box<[DecodeAction]>,
    /// Further tags, each at the place of its hash or at the next free one behind; empty where there are none.
    sparse: Box<[(u32, DecodeAction)]>,
    /// What makes the hash, another one in each table: no field numbers meet in all of them.
    multiplier: u64,
}

/// Tags from this on are never in the dense table: those of fields from number 512 on.
const DENSE_TAGS: usize = 4096;

/// How many places of the dense table there may be to one tag, so that its size is in proportion to the definitions.
const PLACES_TO_A_TAG: usize = 64;

impl DecodeTable {
    pub(super) fn new(mut entries: Vec<(u32, DecodeAction)>) -> DecodeTable {
        entries.sort_by_key(|(tag, _)| *tag);
        let limit = DENSE_TAGS.min(PLACES_TO_A_TAG * entries.len());
        let further = entries.split_off(entries.partition_point(|(tag, _)| (*tag as usize) < limit));
        let len = entries.last().map_or(0, |(tag, _)| *tag as usize + 1);
        let mut dense = vec![DecodeAction::UNKNOWN; len];
        for (tag, action) in entries {
            dense[tag as usize] = action;
        }
        // Half of it stays free, so that what is sought is near.
        let places = if further.is_empty() { 0 } else { (2 * further.len()).next_power_of_two() };
        let mut sparse = vec![FREE; places];
        let multiplier = RandomState::new().hash_one(places) | 1;
        for entry in further {
            let mut wanted = probe(entry.0, multiplier).map(|place| place & (places - 1));
            let place = wanted.find(|place| sparse[*place].0 == FREE.0);
            sparse[place.unwrap_or_default()] = entry;
        }
        DecodeTable { dense: dense.into(), sparse: sparse.into(), multiplier }
    }

    /// What to do at `tag`; [`DecodeAction::UNKNOWN`] where the message does not have it.
    #[inline(always)]
    pub fn get(&self, tag: u32) -> &DecodeAction {
        if let Some(action) = self.dense.get(tag as usize) {
            return action;
        }
        for place in probe(tag, self.multiplier) {
            match self.sparse.get(place & self.sparse.len().wrapping_sub(1)) {
                Some((known, action)) if *known == tag => return action,
                Some((known, _)) if *known != FREE.0 => {}
                _ => break,
            }
        }
        &DecodeAction::UNKNOWN
    }
}

/// A free place. (No field has number 0.)
const FREE: (u32, DecodeAction) = (0, DecodeAction::UNKNOWN);

/// The places to look for a tag at, in their order, to be taken modulo how many places there are.
#[inline(always)]
fn probe(tag: u32, multiplier: u64) -> impl Iterator<Item = usize> {
    // The upper bits of the product depend on all of the tag.
    (u64::from(tag).wrapping_mul(multiplier) >> 32) as usize..
}

/// What to do at a tag.
#[derive(Clone, Copy, Debug)]
pub struct DecodeAction {
    /// What the field holds.
    pub kind: Kind,
    /// What a value is, of those that are packed or repeated, a member of a oneof, or a key. Of [`Kind::ClosedEnum`] and
    /// [`Kind::Utf8Strings`], which say that themselves, which of these it is.
    pub element: Kind,
    /// The index of the enum or message in the plan.
    pub index: u32,
    /// Its place in the record.
    pub slot: u32,
    /// The field's place in the encode table, for error messages.
    pub field: u32,
    /// The name of the member, in a oneof; otherwise [`Term::NONE`].
    pub member: Term,
}

impl DecodeAction {
    /// For tags that the message does not have.
    pub const UNKNOWN: DecodeAction = DecodeAction { kind: Kind::Unknowns, ..DecodeAction::ROOT };

    /// Stands for the message that was asked for, and for what has no field.
    pub const ROOT: DecodeAction = DecodeAction {
        kind: Kind::Messages,
        element: Kind::Message,
        index: UNKNOWN_GROUP,
        slot: 0,
        field: u32::MAX,
        member: Term::NONE,
    };
}

/// The symbols of one enum.
pub struct EnumPlan {
    /// Its name.
    pub name: Term,
    /// The symbols of the numbers from 0 on; [`Term::NONE`] where there is none.
    pub(super) dense: Box<[Term]>,
    /// All symbols by number.
    pub(super) symbols: FxHashMap<i32, Term>,
    /// All numbers by symbol.
    pub(super) numbers: ByTerm<i32>,
}

impl EnumPlan {
    /// The first symbol of this number.
    #[inline]
    pub fn symbol(&self, number: i32) -> Option<Term> {
        match self.dense.get(number as u32 as usize) {
            Some(&Term::NONE) => None,
            Some(&symbol) => Some(symbol),
            None => self.symbols.get(&number).copied(),
        }
    }

    /// The number of this symbol.
    #[inline]
    pub fn number(&self, symbol: Term) -> Option<i32> {
        self.numbers.get(symbol).copied()
    }
}
