//! The same row as a FlatBuffer, with the crate `flatbuffers` as code that its compiler makes would call it: the slots of a
//! table are numbered as the fields, fields go in by size, the large ones first, and what has its default stays out.
//!
//! Building and verifying are the crate's. Its accessors are unsafe functions, so values are read here by following the
//! offsets in the verified bytes, with every place checked to be in them.

use flatbuffers::{
    FlatBufferBuilder, ForwardsUOffset, InvalidFlatbuffer, TableFinishedWIPOffset, Vector, Verifiable, Verifier,
    VerifierOptions, WIPOffset, field_index_to_field_offset as slot,
};

use crate::row::{Column, DataFile, Table};

/// Tables, for the verifier.
struct FlatTable;
struct FlatColumn;
struct FlatFile;

type Text<'b> = ForwardsUOffset<&'b str>;
type Tables<'b, T> = ForwardsUOffset<Vector<'b, ForwardsUOffset<T>>>;

impl Verifiable for FlatTable {
    fn run_verifier(verifier: &mut Verifier, at: usize) -> Result<(), InvalidFlatbuffer> {
        verifier
            .visit_table(at)?
            .visit_field::<u64>("id", slot(0), false)?
            .visit_field::<u64>("schema_id", slot(1), false)?
            .visit_field::<u64>("snapshot_id", slot(2), false)?
            .visit_field::<Text>("name", slot(3), false)?
            .visit_field::<Tables<FlatColumn>>("columns", slot(4), false)?
            .visit_field::<Tables<FlatFile>>("files", slot(5), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for FlatColumn {
    fn run_verifier(verifier: &mut Verifier, at: usize) -> Result<(), InvalidFlatbuffer> {
        verifier
            .visit_table(at)?
            .visit_field::<Text>("name", slot(0), false)?
            .visit_field::<u8>("type", slot(1), false)?
            .visit_field::<Text>("default_value", slot(2), false)?
            .visit_field::<bool>("nullable", slot(3), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for FlatFile {
    fn run_verifier(verifier: &mut Verifier, at: usize) -> Result<(), InvalidFlatbuffer> {
        verifier
            .visit_table(at)?
            .visit_field::<Text>("path", slot(0), false)?
            .visit_field::<u8>("format", slot(1), false)?
            .visit_field::<u64>("record_count", slot(2), false)?
            .visit_field::<u64>("size", slot(3), false)?
            .visit_field::<u64>("footer_size", slot(4), false)?
            .finish();
        Ok(())
    }
}

/// The bytes of a row. What the builder has of memory it keeps.
pub fn built(row: &Table, builder: &mut FlatBufferBuilder) -> Vec<u8> {
    builder.reset();
    let files: Vec<_> = row.files.iter().map(|file| file_built(file, builder)).collect();
    let files = builder.create_vector(&files);
    let columns: Vec<_> = row.columns.iter().map(|column| column_built(column, builder)).collect();
    let columns = builder.create_vector(&columns);
    let name = builder.create_string(&row.name);
    let table = builder.start_table();
    builder.push_slot(slot(2), row.snapshot_id, 0);
    builder.push_slot(slot(1), row.schema_id, 0);
    builder.push_slot(slot(0), row.id, 0);
    builder.push_slot_always(slot(5), files);
    builder.push_slot_always(slot(4), columns);
    builder.push_slot_always(slot(3), name);
    let table = builder.end_table(table);
    builder.finish_minimal(table);
    builder.finished_data().to_vec()
}

fn column_built(column: &Column, builder: &mut FlatBufferBuilder) -> WIPOffset<TableFinishedWIPOffset> {
    let default_value = (!column.default_value.is_empty()).then(|| builder.create_string(&column.default_value));
    let name = builder.create_string(&column.name);
    let table = builder.start_table();
    if let Some(default_value) = default_value {
        builder.push_slot_always(slot(2), default_value);
    }
    builder.push_slot_always(slot(0), name);
    builder.push_slot(slot(3), column.nullable, false);
    builder.push_slot(slot(1), column.ty as u8, 0);
    builder.end_table(table)
}

fn file_built(file: &DataFile, builder: &mut FlatBufferBuilder) -> WIPOffset<TableFinishedWIPOffset> {
    let path = builder.create_string(&file.path);
    let table = builder.start_table();
    builder.push_slot(slot(4), file.footer_size, 0);
    builder.push_slot(slot(3), file.size, 0);
    builder.push_slot(slot(2), file.record_count, 0);
    builder.push_slot_always(slot(0), path);
    builder.push_slot(slot(1), file.format as u8, 0);
    builder.end_table(table)
}

/// The row in these bytes, after they were verified.
pub fn verified(bytes: &[u8]) -> Option<Place<'_>> {
    let options = VerifierOptions::default();
    ForwardsUOffset::<FlatTable>::run_verifier(&mut Verifier::new(&options, bytes), 0).ok()?;
    unverified(bytes)
}

/// The row in these bytes.
pub fn unverified(bytes: &[u8]) -> Option<Place<'_>> {
    Place { bytes, at: 0 }.target()
}

/// A place in the bytes of a FlatBuffer.
#[derive(Clone, Copy)]
pub struct Place<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Place<'b> {
    /// Where the field of a table is that has this slot, if it is there.
    pub fn field(self, slot: usize) -> Option<Place<'b>> {
        let vtable = self.to(self.at.checked_add_signed(-(self.u32()? as i32 as isize))?);
        if usize::from(vtable.u16()?) < 6 + 2 * slot {
            return None;
        }
        match vtable.to(vtable.at + 4 + 2 * slot).u16()? {
            0 => None,
            offset => Some(self.to(self.at + usize::from(offset))),
        }
    }

    /// The table at a position of a vector.
    pub fn table(self, position: usize) -> Option<Place<'b>> {
        let vector = self.target()?;
        (position < vector.u32()? as usize).then(|| vector.to(vector.at + 4 + 4 * position).target())?
    }

    /// The tables of a vector.
    pub fn tables(self) -> impl Iterator<Item = Place<'b>> {
        (0..).map_while(move |position| self.table(position))
    }

    pub fn text(self) -> Option<&'b [u8]> {
        let text = self.target()?;
        text.bytes.get(text.at + 4..)?.get(..text.u32()? as usize)
    }

    pub fn u64(self) -> Option<u64> {
        self.octets().map(u64::from_le_bytes)
    }

    pub fn u8(self) -> Option<u8> {
        self.octets().map(u8::from_le_bytes)
    }

    fn u32(self) -> Option<u32> {
        self.octets().map(u32::from_le_bytes)
    }

    fn u16(self) -> Option<u16> {
        self.octets().map(u16::from_le_bytes)
    }

    fn octets<const N: usize>(self) -> Option<[u8; N]> {
        self.bytes.get(self.at..)?.first_chunk().copied()
    }

    /// Where the offset at this place leads.
    fn target(self) -> Option<Place<'b>> {
        Some(self.to(self.at + self.u32()? as usize))
    }

    fn to(self, at: usize) -> Place<'b> {
        Place { at, ..self }
    }
}

/// Reads every value of a row in its place; gives a sum of them all, so that each is needed.
pub fn sum(row: Place) -> u64 {
    let number = |place: Option<Place>| place.and_then(Place::u64).unwrap_or(0);
    let octet = |place: Option<Place>| place.and_then(Place::u8).map_or(0, u64::from);
    let text = |place: Option<Place>| place.and_then(Place::text).map_or(0, |text| text.len() as u64);
    let columns =
        row.field(4).into_iter().flat_map(Place::tables).map(|column| {
            text(column.field(0)) + octet(column.field(1)) + text(column.field(2)) + octet(column.field(3))
        });
    let files = row.field(5).into_iter().flat_map(Place::tables).map(|file| {
        let numbers = number(file.field(2)) + number(file.field(3)) + number(file.field(4));
        text(file.field(0)) + octet(file.field(1)) + numbers
    });
    let numbers = number(row.field(0)) + number(row.field(1)) + number(row.field(2));
    numbers + text(row.field(3)) + columns.sum::<u64>() + files.sum::<u64>()
}
