//! Decoding and encoding without the VM: a small message and a larger one, on terms that are plain Rust values.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

// The tests use all of it.
#[allow(dead_code)]
#[path = "../tests/behaviour/support/mod.rs"]
mod support;

use support::arena::{Arena, Builder};
use support::{schema, value};

const SCHEMA: &str = "
    message M {
        int32 id = 1; optional string name = 2; Kind kind = 3; bool on = 4; double weight = 5; Point at = 6;
        repeated Point path = 7; packed uint32 samples = 8; map<string,int64> labels = 9; repeated string notes = 10;
        oneof more { bytes data = 11; M inner = 12; }
    }
    message Point { sint32 x = 1; sint32 y = 2; }
    enum Kind { NONE = 0; SOME = 1; ALL = 2; }";

const SMALL: &str = r#"{M,7,<<"seven">>,SOME,true,1.5,{Point,-3,4},[],[1,2,300],[],[<<"a note">>],undefined}"#;

fn larger() -> String {
    let points: Vec<String> = (0..100).map(|n| format!("{{Point,{n},{}}}", -n * n)).collect();
    let samples: Vec<String> = (0..1_000).map(|n: u32| (n * n).to_string()).collect();
    let labels: Vec<String> = (0..50).map(|n| format!("{{<<\"label {n}\">>,{n}}}")).collect();
    let notes: Vec<String> = (0..50).map(|n| format!("<<\"{}\">>", "note ".repeat(n))).collect();
    format!(
        "{{M,1,undefined,ALL,false,2.5,undefined,[{}],[{}],[{}],[{}],{{inner,{SMALL}}}}}",
        points.join(","),
        samples.join(","),
        labels.join(","),
        notes.join(",")
    )
}

fn benchmarks(criterion: &mut Criterion) {
    let schema = schema(SCHEMA);
    for (size, record) in [("small", SMALL.into()), ("larger", larger())] {
        let record = value::parse(&record);
        let bytes = schema.encode_value(&record).expect("a record");
        let mut group = criterion.benchmark_group(size);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                let mut builder = Builder::new(black_box(&bytes));
                let outcome = schema.decode_with(&bytes, usize::MAX, &mut builder);
                (outcome.is_ok(), builder)
            });
        });
        let mut arena = Arena::default();
        let term = arena.put(&record);
        group.bench_function("encode", |bencher| {
            bencher.iter(|| schema.encode_with(black_box(term), usize::MAX, &arena));
        });
    }
}

criterion_group!(codec, benchmarks);
criterion_main!(codec);
