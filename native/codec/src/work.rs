//! What things cost, in units of a few nanoseconds, for a budget of work. What is not named here costs a unit for each
//! word of a record, element of a list, and octet of a list or of a packed block.

/// Beginning and ending a record, or keeping an unknown field.
pub const RECORD: usize = 8;
/// An entry of a map, whose key is compared and put into its place.
pub const MAP_ENTRY: usize = 40;
/// Making or reading a binary.
pub const BINARY: usize = 6;

/// Reading, checking and copying a binary of this length.
pub fn binary(len: usize) -> usize {
    BINARY + len / OCTETS_OF_A_UNIT
}

/// How many octets are copied and checked in the time of a unit.
const OCTETS_OF_A_UNIT: usize = 64;
