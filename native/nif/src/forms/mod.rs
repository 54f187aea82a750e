//! What messages look like beside plain records: maps, structs, and records with something done to them.

mod build;
mod loose;
mod maps;

use protobuf_codec::Term;

pub use build::FormBuilder;
pub use loose::LooseRecords;
pub use maps::Maps;

/// How messages look, as the options of a call say it. If nothing is said they are plain records.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Form {
    /// Messages are maps.
    pub maps: bool,
    /// A map has the keys of absent fields, with the value `undefined`.
    pub present_undefined: bool,
    /// A map that is encoded has no key of an absent field, and what is in it is a value, as with gpb.
    pub absent_omitted: bool,
    /// A oneof has no key of its own: its member has one, as if it were no member.
    pub flat_oneofs: bool,
    /// Keys are binaries instead of atoms.
    pub binary_keys: bool,
    /// Map fields are maps instead of lists of pairs.
    pub map_fields_as_maps: bool,
    /// A map from the names of messages to the modules whose structs they are.
    pub structs: Option<Term>,
    /// Required fields must be there, when decoding as well.
    pub check_required: bool,
    /// Unknown fields are not kept.
    pub drop_unknowns: bool,
    /// Strings must be UTF-8, when decoding as well.
    pub check_utf8: bool,
    /// What is absent has the default that the definitions give.
    pub defaults: bool,
}

impl Form {
    /// Whether decoding makes plain records.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        let Form { maps, map_fields_as_maps, check_required, drop_unknowns, check_utf8, defaults, .. } = *self;
        // The others are about maps.
        !(maps || map_fields_as_maps || check_required || drop_unknowns || check_utf8 || defaults)
    }
}
