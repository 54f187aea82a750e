//! The buffer an encoder writes into, once and forwards.
//!
//! The length of a message stands before it and is known only behind it. One byte is left for it, which is enough
//! below 128; a longer length is noted as an insertion and slipped in while the bytes are copied to where the caller
//! wants them, which has to be done anyway. So nothing is ever moved, however deep messages nest.

use super::{tag, varint};
use crate::memory::{OutOfMemory, TryGrow};
use crate::term::Term;

/// Room that a field's tag and a scalar value take at the most, rounded up.
const SCALAR_ROOM: usize = 16;

/// A varint that takes the place of the one byte at `pos`.
#[derive(Clone, Copy)]
struct Insertion {
    pos: usize,
    value: u64,
}

/// A binary that was referred to and not copied: it takes the place of one byte.
struct Reference {
    pos: usize,
    binary: Term,
    /// How many octets it has.
    len: usize,
}

/// A length that is to be filled in: where, and how much had been inserted before.
#[derive(Clone, Copy)]
pub struct Length {
    pos: usize,
    inserted: usize,
}

/// A place to go back to; see [`Output::mark`].
#[derive(Clone, Copy)]
pub struct Mark {
    pos: usize,
}

/// The encoded bytes, with insertions not yet in their place.
#[derive(Default)]
pub struct Output {
    /// Always as long as its capacity allows; what counts is before `pos`.
    bytes: Vec<u8>,
    pos: usize,
    insertions: Vec<Insertion>,
    references: Vec<Reference>,
    /// How many bytes the insertions and the references will add.
    inserted: usize,
}

/// A tag as its wire bytes, ready to be written all at once: the first in the lowest octet, their count in the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagBytes(u64);

impl TagBytes {
    /// The bytes of a tag.
    pub fn new(tag: u32) -> TagBytes {
        let mut varint = [0; varint::MAX_LEN];
        let len = varint::write(u64::from(tag), &mut varint);
        let [a, b, c, d, e, ..] = varint;
        TagBytes(u64::from_le_bytes([a, b, c, d, e, 0, 0, len as u8]))
    }

    /// The bytes that an item of a message set begins with: its tag, and the number of its type.
    pub fn of_set_item(number: u32) -> TagBytes {
        let mut varint = [0; varint::MAX_LEN];
        let len = varint::write(u64::from(number), &mut varint);
        let [a, b, c, d, e, ..] = varint;
        TagBytes(u64::from_le_bytes([tag::SET_ITEM as u8, tag::SET_TYPE_ID as u8, a, b, c, d, e, len as u8 + 2]))
    }

    /// The bytes of the tag that ends the group that this one begins: the wire type is one more.
    pub fn end_of_group(self) -> TagBytes {
        TagBytes(self.0 + u64::from(tag::END_GROUP - tag::START_GROUP))
    }

    /// No bytes: for the elements of a packed field.
    pub const NONE: TagBytes = TagBytes(0);

    /// Writes the bytes to the start of `room`, of which up to eight are changed, and gives how many they are.
    #[inline(always)]
    fn write(self, room: &mut [u8; SCALAR_ROOM]) -> usize {
        room[..8].copy_from_slice(&self.0.to_le_bytes());
        // The mask tells the compiler that what comes behind has room.
        (self.0 >> 56) as usize & 7
    }
}

impl Output {
    /// Forgets what was written, and keeps the memory.
    pub fn clear(&mut self) {
        self.pos = 0;
        self.inserted = 0;
        self.insertions.clear();
        self.references.clear();
    }

    /// Gives the memory back, and what was written with it, if it grew beyond `keep` bytes.
    pub fn trim(&mut self, keep: usize) {
        let insertions = self.insertions.capacity() * size_of::<Insertion>();
        if self.bytes.len().max(insertions).max(self.references.capacity() * size_of::<Reference>()) > keep {
            *self = Output::default();
        }
    }

    /// How many bytes come out.
    pub fn len(&self) -> usize {
        self.pos + self.inserted
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.pos == 0
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, room: usize) -> Result<(), OutOfMemory> {
        let len = (self.bytes.len() * 2).max(self.pos + room).max(1024);
        self.bytes.try_room(len - self.bytes.len())?;
        self.bytes.resize(len, 0);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grown(&mut self) -> Result<&mut [u8; SCALAR_ROOM], OutOfMemory> {
        self.grow(SCALAR_ROOM)?;
        Ok(self.bytes[self.pos..].first_chunk_mut().expect("room was made"))
    }

    #[inline(always)]
    fn room(&mut self) -> Result<&mut [u8; SCALAR_ROOM], OutOfMemory> {
        if self.bytes.get(self.pos..).is_none_or(|room| room.len() < SCALAR_ROOM) {
            return self.grown();
        }
        Ok(self.bytes[self.pos..].first_chunk_mut().expect("seen"))
    }

    /// Writes a tag.
    #[inline(always)]
    pub fn tag(&mut self, tag: TagBytes) -> Result<(), OutOfMemory> {
        self.pos += tag.write(self.room()?);
        Ok(())
    }

    /// Writes a tag and a varint.
    #[inline(always)]
    pub fn varint(&mut self, tag: TagBytes, value: u64) -> Result<(), OutOfMemory> {
        let room = self.room()?;
        let at = tag.write(room);
        if value < 0x80 {
            room[at] = value as u8;
            self.pos += at + 1;
        } else if value < 1 << 56 {
            // All bytes at once: seven bits into each of eight, and the mark on all but the last.
            let spread = varint::spread(value);
            let len = varint::len(value);
            let marks = varint::MARKS & ((1 << (8 * (len - 1))) - 1);
            room[at..at + 8].copy_from_slice(&(spread | marks).to_le_bytes());
            self.pos += at + len;
        } else {
            // Eight bytes with marks, and what is left of the value in one more or two.
            let low = varint::spread(value & ((1 << 56) - 1)) | varint::MARKS;
            room[at..at + 8].copy_from_slice(&low.to_le_bytes());
            let high = (value >> 56) as u8;
            room[at + 8..at + 10].copy_from_slice(&[high, 1]);
            self.pos += at + 9 + usize::from(high >> 7);
        }
        Ok(())
    }

    /// Writes a tag and four bytes.
    #[inline(always)]
    pub fn fixed32(&mut self, tag: TagBytes, value: u32) -> Result<(), OutOfMemory> {
        self.fixed(tag, value.to_le_bytes())
    }

    /// Writes a tag and eight bytes.
    #[inline(always)]
    pub fn fixed64(&mut self, tag: TagBytes, value: u64) -> Result<(), OutOfMemory> {
        self.fixed(tag, value.to_le_bytes())
    }

    #[inline(always)]
    fn fixed<const N: usize>(&mut self, tag: TagBytes, value: [u8; N]) -> Result<(), OutOfMemory> {
        let room = self.room()?;
        let at = tag.write(room);
        room[at..at + N].copy_from_slice(&value);
        self.pos += at + N;
        Ok(())
    }

    /// Room for some bytes, at least one; [`Output::advance`] counts those that were written.
    #[inline(always)]
    pub fn space(&mut self) -> Result<&mut [u8], OutOfMemory> {
        const LEAST: usize = 64;
        if self.bytes.len() - self.pos < LEAST {
            self.grow(LEAST)?;
        }
        Ok(&mut self.bytes[self.pos..])
    }

    /// Counts bytes written to [`Output::space`].
    #[inline(always)]
    pub fn advance(&mut self, len: usize) {
        self.pos = (self.pos + len).min(self.bytes.len());
    }

    /// Writes bytes as they are if there is room; whether there was.
    #[inline(always)]
    pub fn raw_in_room(&mut self, bytes: &[u8]) -> bool {
        let room = self.bytes.get_mut(self.pos..).and_then(|room| room.get_mut(..bytes.len()));
        let Some(room) = room else { return false };
        room.copy_from_slice(bytes);
        self.pos += bytes.len();
        true
    }

    /// Writes bytes as they are.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        if !self.raw_in_room(bytes) {
            self.grow(bytes.len())?;
            self.raw_in_room(bytes);
        }
        Ok(())
    }

    /// Writes a tag, a length and as many bytes.
    #[inline(always)]
    pub fn length_delimited(&mut self, tag: TagBytes, bytes: &[u8]) -> Result<(), OutOfMemory> {
        self.varint(tag, bytes.len() as u64)?;
        self.raw(bytes)
    }

    /// The present place, for [`Output::take_back`].
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        Mark { pos: self.pos }
    }

    /// What was written since the mark, insertions not counted.
    pub fn since(&self, mark: Mark) -> &[u8] {
        &self.bytes[mark.pos..self.pos]
    }

    /// Takes back what was written since the mark; no length may have been filled in since.
    pub fn take_back(&mut self, mark: Mark) {
        self.pos = mark.pos;
    }

    /// Writes a tag and leaves place for a length.
    #[inline(always)]
    pub fn begin_length(&mut self, tag: TagBytes) -> Result<Length, OutOfMemory> {
        let pos = self.pos + tag.write(self.room()?);
        self.pos = pos + 1;
        Ok(Length { pos, inserted: self.inserted })
    }

    /// Fills in the length of what was written since [`Output::begin_length`].
    #[inline(always)]
    pub fn end_length(&mut self, length: Length) -> Result<(), OutOfMemory> {
        let len = self.pos - length.pos - 1 + self.inserted - length.inserted;
        if len < 0x80 {
            self.bytes[length.pos] = len as u8;
        } else {
            self.inserted += varint::len(len as u64) - 1;
            self.insertions.try_push(Insertion { pos: length.pos, value: len as u64 })?;
        }
        Ok(())
    }

    /// Writes what a binary has without copying it: that is left to who takes what was written.
    pub fn refer(&mut self, binary: Term, len: usize) -> Result<(), OutOfMemory> {
        let pos = self.pos;
        // One byte stands for it: who looks sees that something was written.
        self.raw(&[0])?;
        self.inserted += len - 1;
        self.references.try_push(Reference { pos, binary, len })
    }

    /// How many bytes come out beside those that were referred to.
    pub fn len_around(&self) -> usize {
        self.len() - self.references.iter().map(|reference| reference.len).sum::<usize>()
    }

    /// Copies everything to `target`, which must have room for exactly [`Output::len`] bytes; `octets` gives those of the
    /// binaries that were referred to.
    pub fn copy_to<'o>(&mut self, target: &mut [u8], octets: impl Fn(Term) -> &'o [u8]) {
        self.copy(target, |Reference { binary, len, .. }, target, to| {
            target[to..to + len].copy_from_slice(octets(*binary));
            to + len
        });
    }

    /// Copies everything but what was referred to, to `target`, which must have room for exactly [`Output::len_around`]
    /// bytes. Tells at which place of it each of these binaries belongs.
    pub fn copy_around(&mut self, target: &mut [u8], mut place: impl FnMut(usize, Term)) {
        self.copy(target, |reference, _, to| {
            place(to, reference.binary);
            to
        });
    }

    /// Copies everything, and leaves to `refer` what was referred to: it is given the target and the place in it, and gives
    /// where to go on.
    #[inline(always)]
    fn copy(&mut self, target: &mut [u8], mut refer: impl FnMut(&Reference, &mut [u8], usize) -> usize) {
        // Inner lengths were noted before outer ones.
        self.insertions.sort_unstable_by_key(|insertion| insertion.pos);
        let (mut insertions, mut from, mut to) = (&self.insertions[..], 0, 0);
        for reference in &self.references {
            let pos = reference.pos;
            let (before, behind) = insertions.split_at(insertions.partition_point(|insertion| insertion.pos < pos));
            (from, to) = self.copy_with(before, (from, to), target);
            let run = &self.bytes[from..pos];
            target[to..to + run.len()].copy_from_slice(run);
            to = refer(reference, target, to + run.len());
            (insertions, from) = (behind, pos + 1);
        }
        (from, to) = self.copy_with(insertions, (from, to), target);
        target[to..].copy_from_slice(&self.bytes[from..self.pos]);
    }

    /// Copies the bytes up to the last of some insertions, and these. From where to where, it is given and gives.
    #[inline(always)]
    fn copy_with(
        &self,
        insertions: &[Insertion],
        (mut from, mut to): (usize, usize),
        target: &mut [u8],
    ) -> (usize, usize) {
        for insertion in insertions {
            let run = &self.bytes[from..insertion.pos];
            target[to..to + run.len()].copy_from_slice(run);
            to += run.len();
            let mut bytes = [0; varint::MAX_LEN];
            let len = varint::write(insertion.value, &mut bytes);
            target[to..to + len].copy_from_slice(&bytes[..len]);
            to += len;
            from = insertion.pos + 1;
        }
        (from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(output: &mut Output) -> Vec<u8> {
        let mut bytes = vec![0; output.len()];
        output.copy_to(&mut bytes, |_| &[]);
        bytes
    }

    #[test]
    fn lengths_below_and_above_one_byte_nest() {
        for inner_len in [0, 1, 120, 126, 127, 128, 129, 16_383, 16_384, 70_000] {
            let mut output = Output::default();
            let outer = output.begin_length(TagBytes::new(0x0a)).unwrap();
            let inner = output.begin_length(TagBytes::new(0x12)).unwrap();
            output.raw(&vec![7; inner_len]).unwrap();
            output.end_length(inner).unwrap();
            output.end_length(outer).unwrap();
            output.varint(TagBytes::new(0x18), 300).unwrap();

            let mut plain = Output::default();
            plain.length_delimited(TagBytes::new(0x12), &vec![7; inner_len]).unwrap();
            let inner = bytes_of(&mut plain);
            let mut whole = Output::default();
            whole.length_delimited(TagBytes::new(0x0a), &inner).unwrap();
            whole.raw(&[0x18, 0xac, 0x02]).unwrap();
            assert_eq!(bytes_of(&mut output), bytes_of(&mut whole), "{inner_len}");
        }
    }

    #[test]
    fn scalars_are_written_behind_tags_of_each_length() {
        for number in [1u32, 16, 2048, 1 << 18, 1 << 25] {
            let tag = TagBytes::new(number << 3);
            let mut output = Output::default();
            output.varint(tag, u64::MAX).unwrap();
            output.fixed32(tag, 0x0403_0201).unwrap();
            output.fixed64(tag, 1).unwrap();
            let mut alone = Output::default();
            alone.tag(tag).unwrap();
            let mut expected = bytes_of(&mut alone);
            let tag_bytes = expected.clone();
            expected.extend([255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
            expected.extend(&tag_bytes);
            expected.extend([1, 2, 3, 4]);
            expected.extend(&tag_bytes);
            expected.extend([1, 0, 0, 0, 0, 0, 0, 0]);
            assert_eq!(bytes_of(&mut output), expected);
        }
    }

    #[test]
    fn a_group_ends_with_the_tag_of_its_number() {
        for number in [1, 15, 16, 2047, 2048, tag::MAX_FIELD_NUMBER] {
            let [start, end] =
                [tag::START_GROUP, tag::END_GROUP].map(|wire_type| TagBytes::new(tag::make(number, wire_type)));
            assert_eq!(start.end_of_group(), end);
        }
    }

    #[test]
    fn trimming_gives_big_buffers_back_and_keeps_small_ones() {
        let mut output = Output::default();
        output.raw(&[0; 5000]).unwrap();
        output.trim(8192);
        assert_eq!(bytes_of(&mut output), [0; 5000]);
        output.trim(4096);
        assert!(output.bytes.is_empty() && output.is_empty());

        for _ in 0..1000 {
            let length = output.begin_length(TagBytes::new(0x0a)).unwrap();
            output.raw(&[0; 128]).unwrap();
            output.end_length(length).unwrap();
            output.clear();
        }
        assert_eq!(output.insertions.capacity(), 4, "kept from call to call");
    }
}
