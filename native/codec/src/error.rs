//! What can go wrong: one variant per failure, with where it happened.

use crate::schema::{Scalar, TypeName};
use crate::term::Term;

/// Why bytes could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeReason {
    /// The input, a message or a packed block ends inside a tag, a value or a group.
    Truncated,
    /// A varint of more than ten bytes.
    VarintTooLong,
    /// A tag of more than five bytes or 32 bits.
    InvalidTag,
    /// Field number 0.
    InvalidFieldNumber,
    /// Wire type 6 or 7.
    InvalidWireType,
    /// An end of group that no group was opened for.
    UnexpectedEndGroup,
    /// A packed block whose length is no multiple of its elements' size.
    RaggedPackedBlock,
    /// More than what 32 bits can count: of bytes and of words of records together.
    TooLarge,
    /// Messages nested deeper than the options allow.
    MaxDepth,
    /// More bytes than the options allow.
    MaxSize,
    /// A string that is not UTF-8 where it has to be.
    InvalidUtf8,
    /// A required field that did not come, where they are asked for. The path ends in it.
    MissingRequired,
}

/// Bytes that could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// Why.
    pub reason: DecodeReason,
    /// Where in the input, in bytes from its start.
    pub offset: usize,
    /// The message that was asked for and the fields that lead to the place, joined by dots. Of more than sixteen names
    /// it has the eight at each end, and how many are between.
    pub path: String,
}

/// What is wrong with a value that cannot be encoded; the names are those of gpb's verification.
///
/// It is handed through the encoder's loop: what makes it larger, or more to drop, makes that slower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeReason {
    /// Not an integer, for a field of this type.
    BadInteger(Scalar),
    /// An integer beyond the range of this type.
    OutOfRange(Scalar),
    /// Neither a boolean nor 0 or 1.
    BadBoolean,
    /// Nothing a float field takes.
    BadFloat,
    /// Nothing a double field takes.
    BadDouble,
    /// Nothing a string field takes.
    BadString,
    /// Nothing a bytes field takes.
    BadBytes,
    /// Neither a symbol of this enum nor an integer of 32 bits.
    InvalidEnum(Term),
    /// Not a record of this message or group, which has so many elements with its name.
    ExpectedMessage(Term, u32),
    /// Not a list of elements of this type.
    InvalidListOf(TypeName),
    /// Not a list, for a map.
    InvalidMap,
    /// Not a pair, as an entry of a map.
    InvalidMapEntry,
    /// Neither `undefined` nor a pair of a member and its value.
    InvalidOneof {
        /// The first members.
        members: Box<[Term]>,
        /// How many there are besides.
        more: usize,
    },
    /// Not a kept unknown field.
    InvalidUnknown,
    /// A message with this key, for which it has no field, where messages have keys.
    UnknownKey(Term),
    /// A message with keys of several members of a oneof: the term of their list, and the oneof's name.
    SeveralMembers(Term, Term),
    /// A message without keys of fields that are required: the term of their list, and the message's name.
    MissingFields(Term, Term),
    /// Not a map, which this message is to be.
    ExpectedMap(Term),
}

/// A value that cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// What is wrong with it.
    pub reason: EncodeReason,
    /// The value.
    pub value: Term,
    /// The record and the fields that lead to the value, joined by dots as in [`DecodeError::path`].
    pub path: String,
}

/// What is wrong with a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionReason {
    /// Another message or group of that kind has this name.
    MessageTwice,
    /// Another enum has this name.
    EnumTwice,
    /// An enum without values.
    EnumWithoutValues,
    /// A symbol used before in the enum.
    SymbolTwice,
    /// An enum value beyond 32 bits.
    EnumValueOutOfRange(i64),
    /// A field number below 1 or above 2^29-1.
    FieldNumberOutOfRange(i64),
    /// A field number used before in the message.
    FieldNumberTwice(i64),
    /// A record position below 2, or beyond the number of fields.
    PositionOutOfRange(i64),
    /// A record position used before in the message.
    PositionTwice(i64),
    /// A reference to a message, group or enum that is not defined.
    UndefinedType(TypeName),
    /// A map key that is neither an integer, a boolean nor a string.
    InvalidMapKey,
    /// A map or a group as the value of a map.
    InvalidMapValue,
    /// A map that is not a repeated field of its own.
    MisplacedMap,
    /// A oneof without members.
    OneofWithoutMembers,
    /// A name used before in the oneof.
    MemberTwice,
    /// A repeated member of a oneof.
    RepeatedInOneof,
}

/// A definition that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    /// The message, group or enum.
    pub definition: TypeName,
    /// The field or the enum's symbol, where one is at fault.
    pub member: Option<Term>,
    /// What is wrong.
    pub reason: DefinitionReason,
}
