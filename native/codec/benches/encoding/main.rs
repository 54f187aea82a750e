//! A row of a table catalog in three encodings: protobuf by this codec and by prost, and FlatBuffers. What it takes to
//! write and read all of it, and what to read one value or three, which FlatBuffers are made for.
//!
//! All must hold the same values before anything is timed.

#[path = "../catalog/mod.rs"]
mod catalog;
mod flat;
#[path = "../beside_prost/heap.rs"]
mod heap;
#[allow(missing_docs)] // The fields have no other names than these.
mod row;
// The tests use all of it.
#[allow(dead_code)]
#[path = "../../tests/behaviour/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use flatbuffers::FlatBufferBuilder;
use prost::Message;
use protobuf_codec::decode::{Found, Options, Outcome, Paths, decode_part, lookup, lookup_all};
use protobuf_codec::schema::Plan;
use protobuf_codec::term::{TermBuilder, TermReader};
use protobuf_codec::{StringOptions, Term, decode, encode};
use std::hint::black_box;
use std::time::Duration;

use heap::Heap;
use row::Table;
use support::proto;

/// The codec with what it keeps from call to call.
struct Codec<'i> {
    plan: &'i Plan,
    root: u32,
    heap: Heap<'i>,
    decoding: decode::Scratch,
    encoding: encode::Scratch,
}

impl Codec<'_> {
    fn decoded(&mut self) -> Term {
        self.heap.clear();
        let (input, options) = (self.heap.input, Options::default());
        let budget = &mut { usize::MAX };
        let heap = &mut self.heap;
        match decode::decode(self.plan, self.root, input, options, budget, heap, &mut self.decoding) {
            Ok(Outcome::Done(term)) => term,
            other => panic!("{other:?}"),
        }
    }

    fn encoded(&mut self, record: Term) -> Vec<u8> {
        let (options, budget) = (StringOptions::default(), &mut { usize::MAX });
        let outcome = encode::encode(self.plan, self.root, record, options, budget, &&self.heap, &mut self.encoding);
        assert_eq!(outcome, Ok(encode::Outcome::Done));
        let mut bytes = vec![0; self.encoding.output.len()];
        let heap = &self.heap;
        self.encoding.output.copy_to(&mut bytes, |binary| TermReader::binary(&heap, binary).expect("a binary"));
        bytes
    }

    /// The value that a path leads to.
    fn read(&mut self, path: &[Term]) -> Term {
        self.heap.clear();
        let (options, budget) = (Options::default(), &mut { usize::MAX });
        let found = lookup(self.plan, self.root, self.heap.input, path, options, budget, &&self.heap);
        self.made(found.expect("a message"))
    }

    /// Those that several lead to.
    fn read_all(&mut self, paths: &Paths) -> Vec<Term> {
        self.heap.clear();
        let (options, budget) = (Options::default(), &mut { usize::MAX });
        let all = lookup_all(self.plan, self.root, self.heap.input, paths, options, budget, &&self.heap);
        all.expect("a message").into_iter().map(|found| self.made(found)).collect()
    }

    fn made(&mut self, found: Option<Found>) -> Term {
        let found = found.expect("it is there");
        let part = found.part(found.ranges.whole().expect("in bytes side by side"));
        let (input, options, budget) = (self.heap.input, Options::default(), &mut { usize::MAX });
        match decode_part(self.plan, &part, input, options, budget, &mut self.heap, &mut self.decoding) {
            Ok(Outcome::Done(term)) => term,
            other => panic!("{other:?}"),
        }
    }

    fn text(&self, term: Term) -> &[u8] {
        (&self.heap).binary(term).expect("a binary")
    }

    fn number(&self, term: Term) -> u64 {
        (&self.heap).unsigned(term).expect("an integer")
    }
}

/// Times calls, each by its name.
macro_rules! times {
    ($criterion:ident, $case:literal, $($peer:literal => $call:expr),+ $(,)?) => {{
        let mut group = $criterion.benchmark_group($case);
        group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));
        $(group.bench_function($peer, |bencher| bencher.iter(|| $call));)+
        group.finish();
    }};
}

fn encoding(criterion: &mut Criterion) {
    let (schema, wire) = catalog::schema_and_row();
    let row = &Table::decode(&wire[..]).expect("a row");
    let builder = &mut FlatBufferBuilder::new();
    let bytes = &flat::built(row, builder)[..];
    println!("{} bytes as protobuf, {} as a FlatBuffer", wire.len(), bytes.len());
    let prost = || Table::decode(black_box(&wire[..])).expect("a row");
    let verified = || flat::verified(black_box(bytes)).expect("a row");
    let unverified = || flat::unverified(black_box(bytes)).expect("a row");

    let root = schema.plan.message_named(proto::name("Table").term).expect("the message");
    let heap = Heap { words: Vec::new(), input: &wire };
    let (decoding, encoding) = Default::default();
    let codec = &mut Codec { plan: &schema.plan, root, heap, decoding, encoding };
    let record = codec.decoded();
    assert_eq!((codec.encoded(record), row.encode_to_vec()), (wire.clone(), wire.clone()));
    times!(criterion, "encode",
        "codec" => codec.encoded(black_box(record)),
        "prost" => black_box(row).encode_to_vec(),
        "flatbuffers" => flat::built(black_box(row), builder),
    );

    assert_eq!(flat::sum(verified()), sum(row));
    times!(criterion, "decode",
        "codec" => codec.decoded(),
        "prost" => prost(),
        "flatbuffers, verified" => flat::sum(verified()),
        "flatbuffers, unverified" => flat::sum(unverified()),
    );

    let name = &[proto::name("name").term][..];
    let flat_name = |row: flat::Place| row.field(3)?.text().map(<[u8]>::len);
    let found = codec.read(name);
    assert_eq!(codec.text(found), row.name.as_bytes());
    assert_eq!(flat_name(verified()), Some(row.name.len()));
    times!(criterion, "one field",
        "codec" => codec.read(black_box(name)),
        "prost" => prost().name.len(),
        "flatbuffers, verified" => flat_name(verified()),
        "flatbuffers, unverified" => flat_name(unverified()),
    );

    let last = row.files.len() - 1;
    let (files, position) = (proto::name("files").term, codec.heap.integer(row.files.len() as i64));
    let count = &[files, position, proto::name("record_count").term][..];
    let flat_count = |row: flat::Place| row.field(5)?.table(last)?.field(2)?.u64();
    let found = codec.read(count);
    assert_eq!(codec.number(found), row.files[last].record_count);
    assert_eq!(flat_count(verified()), Some(row.files[last].record_count));
    times!(criterion, "one field of the last file",
        "codec" => codec.read(black_box(count)),
        "prost" => prost().files[last].record_count,
        "flatbuffers, verified" => flat_count(verified()),
        "flatbuffers, unverified" => flat_count(unverified()),
    );

    let id = &[proto::name("id").term][..];
    let path = &[files, position, proto::name("path").term][..];
    let flat_three = |row: flat::Place| {
        let path = row.field(5)?.table(last)?.field(0)?.text()?;
        Some((row.field(0)?.u64()?, row.field(3)?.text()?.len(), path.len()))
    };
    let prost_three = |row: &Table| (row.id, row.name.len(), row.files[last].path.len());
    let mut paths = Paths::default();
    for path in [id, name, path] {
        path.iter().try_for_each(|step| paths.step(*step)).and_then(|()| paths.end()).expect("memory");
    }
    let found = codec.read_all(&paths);
    let found = (codec.number(found[0]), codec.text(found[1]).len(), codec.text(found[2]).len());
    assert_eq!(found, prost_three(row));
    assert_eq!(flat_three(verified()), Some(prost_three(row)));
    times!(criterion, "three fields",
        "codec" => codec.read_all(black_box(&paths)),
        "prost" => prost_three(&prost()),
        "flatbuffers, verified" => flat_three(verified()),
        "flatbuffers, unverified" => flat_three(unverified()),
    );
}

/// What [`flat::sum`] gives.
fn sum(row: &Table) -> u64 {
    let len = |text: &String| text.len() as u64;
    let columns = row
        .columns
        .iter()
        .map(|column| len(&column.name) + column.ty as u64 + len(&column.default_value) + u64::from(column.nullable));
    let files = row
        .files
        .iter()
        .map(|file| len(&file.path) + file.format as u64 + file.record_count + file.size + file.footer_size);
    row.id + row.schema_id + row.snapshot_id + len(&row.name) + columns.sum::<u64>() + files.sum::<u64>()
}

criterion_group!(all, encoding);
criterion_main!(all);
