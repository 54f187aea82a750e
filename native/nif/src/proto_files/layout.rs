//! Where in a file things stand: what the order of definitions hangs on where the descriptor does not tell it.

use prost_types::FileDescriptorProto;
use prost_types::source_code_info::Location;

use super::sources::Source;

/// A line and a column, counted from 0.
pub type Position = (i32, i32);

/// The numbers of descriptor.proto's fields that paths to a place are made of.
pub mod tag {
    pub mod file {
        pub const IMPORT: i32 = 3;
        pub const MESSAGE: i32 = 4;
        pub const ENUM: i32 = 5;
        pub const SERVICE: i32 = 6;
        pub const EXTENSION: i32 = 7;
        pub const OPTIONS: i32 = 8;
        pub const SYNTAX: i32 = 12;
    }
    pub mod message {
        pub const FIELD: i32 = 2;
        pub const NESTED: i32 = 3;
        pub const ENUM: i32 = 4;
        pub const EXTENSION_RANGE: i32 = 5;
        pub const EXTENSION: i32 = 6;
        pub const OPTIONS: i32 = 7;
        pub const ONEOF: i32 = 8;
        pub const RESERVED_RANGE: i32 = 9;
        pub const RESERVED_NAME: i32 = 10;
    }
    pub mod field {
        pub const NAME: i32 = 1;
        pub const NUMBER: i32 = 3;
        pub const DEFAULT: i32 = 7;
        pub const OPTIONS: i32 = 8;
        pub const JSON_NAME: i32 = 10;
    }
    pub mod oneof {
        pub const OPTIONS: i32 = 2;
    }
    pub mod enumeration {
        pub const VALUE: i32 = 2;
        pub const OPTIONS: i32 = 3;
        pub const RESERVED_RANGE: i32 = 4;
        pub const RESERVED_NAME: i32 = 5;
    }
    pub mod enum_value {
        pub const NAME: i32 = 1;
        pub const NUMBER: i32 = 2;
        pub const OPTIONS: i32 = 3;
    }
    pub mod service {
        pub const METHOD: i32 = 2;
        pub const OPTIONS: i32 = 3;
    }
    pub mod method {
        pub const OPTIONS: i32 = 4;
    }
    pub const UNINTERPRETED_OPTION: i32 = 999;
}

/// The places of one file. A well-known file has none: there the order of the descriptor stands.
pub struct Layout<'a> {
    locations: &'a [Location],
    text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> Layout<'a> {
    pub fn new(source: &'a Source) -> Self {
        let locations = source.descriptor.source_code_info.as_ref().map_or(&[][..], |info| &info.location);
        let text = source.parsed_text();
        let after_newlines = text.match_indices('\n').map(|(offset, _)| offset.saturating_add(1));
        Layout { locations, text, line_starts: std::iter::once(0).chain(after_newlines).collect() }
    }

    pub fn has(&self, path: &[i32]) -> bool {
        self.spans(path).next().is_some()
    }

    /// Where the thing starts.
    pub fn start(&self, path: &[i32]) -> Position {
        self.spans(path).filter_map(start).min().unwrap_or_default()
    }

    /// The same, in the text.
    pub fn offset_of(&self, path: &[i32]) -> Option<usize> {
        self.offset(self.start(path))
    }

    /// What stands there.
    pub fn text(&self, path: &[i32]) -> Option<&'a str> {
        let (start, end) = match *self.spans(path).next()? {
            [line, from, to] => ((line, from), (line, to)),
            [first, from, last, to] => ((first, from), (last, to)),
            _ => return None,
        };
        self.text.get(self.offset(start)?..self.offset(end)?)
    }

    fn offset(&self, (line, column): Position) -> Option<usize> {
        let start = self.line_starts.get(usize::try_from(line).ok()?)?;
        start.checked_add(usize::try_from(column).ok()?)
    }

    /// The elements of a list, by the statement that each was written in. `extend M { .. }` makes a statement, as does
    /// `reserved 1, 2;`, but the descriptor has the elements of all statements in one list.
    pub fn statements(&self, list: &[i32], elements: usize) -> Vec<(Position, Vec<usize>)> {
        let mut starts: Vec<Position> = self.spans(list).filter_map(start).collect();
        starts.sort_unstable();
        let mut statements: Vec<(Position, Vec<usize>)> = Vec::new();
        for element in 0..elements {
            let place = self.start(&element_path(list, element));
            let before = starts.partition_point(|&start| start <= place);
            let statement = before.checked_sub(1).and_then(|last| starts.get(last));
            match (statement, statements.last_mut()) {
                (Some(&start), Some((last, members))) if *last == start => members.push(element),
                (start, _) => statements.push((start.copied().unwrap_or(place), vec![element])),
            }
        }
        statements
    }

    /// The spans with exactly this path; the parser sorts them by path.
    fn spans(&self, path: &[i32]) -> impl Iterator<Item = &'a [i32]> + use<'a, '_> {
        let from = self.locations.partition_point(|location| location.path.as_slice() < path);
        let locations = self.locations.get(from..).unwrap_or_default();
        let to = locations.partition_point(|location| location.path.as_slice() <= path);
        locations.get(..to).unwrap_or_default().iter().map(|location| location.span.as_slice())
    }
}

/// The descriptor with its places in the order in which [`Layout`] seeks them. protoc writes them in another.
pub fn sorted_by_path(mut descriptor: FileDescriptorProto) -> FileDescriptorProto {
    if let Some(info) = &mut descriptor.source_code_info {
        info.location.sort_by(|one, other| one.path.cmp(&other.path));
    }
    descriptor
}

fn start(span: &[i32]) -> Option<Position> {
    match span {
        [line, column, ..] => Some((*line, *column)),
        _ => None,
    }
}

/// The path of an element of a list.
pub fn element_path(list: &[i32], element: usize) -> Vec<i32> {
    // The parser takes files of at most 2 GB, so an index fits.
    [list, &[i32::try_from(element).unwrap_or(i32::MAX)]].concat()
}
