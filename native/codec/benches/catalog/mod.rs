//! The row of a table catalog that is measured, and its schema.

use crate::support::{Schema, schema, value};

/// The schema, with the message `Table` as the first, and the bytes of the row.
pub fn schema_and_row() -> (Schema, Vec<u8>) {
    let text = include_str!("../../../../benchmarks/catalog.proto");
    // proto3 checks that strings are UTF-8.
    let schema = schema(&text.replace("syntax = \"proto3\";", "").replace(" string ", " utf8 string "));
    let row = include_str!("../../../../benchmarks/catalog_row.term").replace('\'', "");
    let lines: Vec<_> = row.lines().filter(|line| !line.starts_with('%')).collect();
    let record = value::parse(lines.join("\n").trim_end_matches('.'));
    let bytes = schema.encode_value(&record).expect("a record");
    (schema, bytes)
}
