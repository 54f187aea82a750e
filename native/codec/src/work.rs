//! What things cost, in units of a few nanoseconds, for a budget of work. What is not named here costs a unit for each
//! word of a record, and octet of a list or of a packed block. (What is read one by one counts by its length, in
//! [`input`].)

/// Beginning and ending a record, or keeping an unknown field.
pub const RECORD: usize = 8;
/// An entry of a map, whose key is compared and put into its place.
pub const MAP_ENTRY: usize = 40;
/// Going on with a message that came before, or changing the member of a oneof.
pub const CHANGE: usize = 4;
/// Making or reading a binary.
pub const BINARY: usize = 6;

/// Copying a binary of this length, or checking what it holds.
pub fn binary(len: usize) -> usize {
    BINARY + len / OCTETS_OF_A_UNIT
}

/// How many octets are copied in the time of a unit, from memory and into memory that is not at hand.
const OCTETS_OF_A_UNIT: usize = 8;
/// Writing an element of a repeated field or a stretch of a list of characters.
pub const ELEMENT: usize = 2;
/// Reading an element of a repeated field that does not follow one of the same field, or a packed block.
pub const RUN: usize = 6;
/// Making a float of an integer beyond 64 bits.
pub const BIG_INTEGER: usize = 20;

/// Going over an input of this length. It ends no call, since who calls knows the length before, but it counts in what is
/// left of the budget: scalar values outside of packed blocks, and fields that are skipped, count nowhere else.
pub fn input(len: usize) -> usize {
    len / INPUT_OF_A_UNIT
}

/// How long an input may be that is gone over on a budget.
pub(crate) fn reach(budget: usize) -> usize {
    budget.saturating_mul(INPUT_OF_A_UNIT).saturating_add(INPUT_OF_A_UNIT - 1)
}

/// How many bytes of small fields are gone over in the time of a unit.
const INPUT_OF_A_UNIT: usize = 4;

/// Takes work off a budget; nothing where it does not suffice, and then nothing is left of it.
#[inline(always)]
pub(crate) fn spend(budget: &mut usize, work: usize) -> Option<()> {
    let left = budget.checked_sub(work);
    *budget = left.unwrap_or_default();
    left.map(|_| ())
}
