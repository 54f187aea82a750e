//! One case, so many times: for `benchmarks/instructions`, which counts the instructions of a call under callgrind.
//!
//! Terms are made of next to nothing, for the terms of the tests would outweigh the codec.

#[path = "catalog/mod.rs"]
mod catalog;
#[path = "google/mod.rs"]
mod google;
// The tests use all of it.
#[allow(dead_code)]
#[path = "../tests/behaviour/support/mod.rs"]
mod support;

use protobuf_codec::decode::{Found, Paths, decode_part, lookup, lookup_all};
use protobuf_codec::term::TermBuilder;
use protobuf_codec::{StringOptions, Term, decode, encode};
use std::hint::black_box;

use support::arena::Arena;
use support::value::Value;
use support::{Schema, proto, schema, value};

const SCHEMA: &str = "
    message M {
        int32 id = 1; optional string name = 2; Kind kind = 3; bool on = 4; double weight = 5; Point at = 6;
        repeated Point path = 7; packed uint32 samples = 8; map<string,int64> labels = 9; repeated string notes = 10;
        oneof more { bytes data = 11; M inner = 12; } fixed64 stamp = 13; sint64 offset = 14; uint64 far = 3000;
    }
    message Point { sint32 x = 1; sint32 y = 2; }
    enum Kind { NONE = 0; SOME = 1; ALL = 2; }";

/// A record with these parts.
fn record(path: &str, samples: &str, labels: &str, notes: &str, more: &str) -> String {
    let single = r#"7,<<"seven">>,SOME,true,1.5,{Point,-3,4}"#;
    format!("{{M,{single},[{path}],[{samples}],[{labels}],[{notes}],{more},1000000,-70000,{}}}", 1u64 << 40)
}

fn many(count: u32, element: impl Fn(u32) -> String) -> String {
    (0..count).map(element).collect::<Vec<_>>().join(",")
}

fn record_of(case: &str) -> String {
    let empty = || record("", "", "", "", "undefined");
    match case {
        "scalars" => empty(),
        "messages" => record(&many(1000, |n| format!("{{Point,{n},-{n}}}")), "", "", "", "undefined"),
        "packed" => record("", &many(1000, |n| (n * n).to_string()), "", "", "undefined"),
        "map" => record("", "", &many(1000, |n| format!("{{<<\"label {n}\">>,{n}}}")), "", "undefined"),
        "strings" => record("", "", "", &many(1000, |n| format!("<<\"note {n}\">>")), "undefined"),
        "lists" => record("", "", "", &many(1000, |_| "[97,98,99,100,101,102,103,104]".to_string()), "undefined"),
        "nested" => (0..100).fold(empty(), |inner, _| record("", "", "", "", &format!("{{inner,{inner}}}"))),
        _ => panic!("no case {case}"),
    }
}

/// Makes no terms, but looks at those it is given.
struct Nothing(u64);

impl Nothing {
    fn term(&mut self, content: u64) -> Term {
        self.0 ^= content;
        Term(content << 4 | 15)
    }
}

impl TermBuilder for Nothing {
    fn integer(&mut self, value: i64) -> Term {
        self.term(value as u64)
    }
    fn unsigned(&mut self, value: u64) -> Term {
        self.term(value)
    }
    fn float(&mut self, value: f64) -> Term {
        self.term(value.to_bits())
    }
    fn binary(&mut self, start: usize, len: usize) -> Term {
        self.term((start + len) as u64)
    }
    fn empty_binary(&mut self) -> Term {
        self.term(0)
    }
    fn zero_float(&mut self) -> Term {
        self.term(0)
    }
    #[inline(never)]
    fn tuple(&mut self, elements: &[Term]) -> Term {
        self.term(elements.len() as u64)
    }
    #[inline(never)]
    fn list(&mut self, elements: &[Term], tail: Term) -> Term {
        self.term(elements.len() as u64 ^ tail.0)
    }
}

/// The schema of a case, the name of its message, and the record.
fn case(case: &str) -> (Schema, &'static str, Value) {
    let message = match case {
        "google_small" => google::SMALL,
        "google_large" => google::LARGE,
        _ => return (schema(SCHEMA), "M", value::parse(&record_of(case))),
    };
    let schema = google::schema(message);
    let record = schema.decode_value(&google::bytes(message)).expect("a message");
    (schema, message.0, record)
}

/// The schema, the name and the bytes of a message, and the paths that are read in it: those of a case.
fn reading(of: &str, arena: &mut Arena) -> (Schema, &'static str, Vec<u8>, Paths) {
    let (schema, message, bytes) = match of {
        "google_large" => (google::schema(google::LARGE), google::LARGE.0, google::bytes(google::LARGE)),
        _ => {
            let (schema, bytes) = catalog::schema_and_row();
            (schema, "Table", bytes)
        }
    };
    let paths: &[&[&str]] = match of {
        "google_large" => &[&["field206"]],
        "field" => &[&["name"]],
        "within" => &[&["files", "4", "record_count"]],
        "three" => &[&["id"], &["name"], &["files", "4", "path"]],
        "files" => {
            &[&["files", "1", "path"], &["files", "1", "size"], &["files", "4", "path"], &["files", "4", "size"]]
        }
        _ => panic!("no case {of}"),
    };
    let mut read = Paths::default();
    for path in paths {
        for step in *path {
            let step = step.parse().map_or_else(|_| proto::name(step).term, |position| arena.integer_term(position));
            read.step(step).expect("memory");
        }
        read.end().expect("memory");
    }
    (schema, message, bytes, read)
}

/// Reads what one path leads to, or several.
fn read(what: &str, case: &str, times: usize) {
    let mut arena = Arena::default();
    let (schema, name, bytes, paths) = reading(case, &mut arena);
    let (plan, root) = (&schema.plan, schema.plan.message_named(proto::name(name).term).expect("the message"));
    let (mut builder, mut scratch) = (Nothing(0), decode::Scratch::default());
    let (options, budget) = (decode::Options::default(), &mut { usize::MAX });
    let one = paths.steps(0);
    counted(times, || {
        let input = black_box(&bytes[..]);
        let mut made = |found: Option<Found>| {
            let found = found.expect("it is there");
            let part = found.part(found.ranges.whole().expect("in bytes side by side"));
            let outcome = decode_part(plan, &part, input, options, &mut { usize::MAX }, &mut builder, &mut scratch);
            assert!(outcome.is_ok());
        };
        match what {
            "get" => made(lookup(plan, root, input, one, options, budget, &&arena).expect("a message")),
            _ => {
                let all = lookup_all(plan, root, input, &paths, options, budget, &&arena).expect("a message");
                all.into_iter().for_each(&mut made);
            }
        }
    });
    black_box(builder.0);
}

fn decode(schema: &Schema, root: u32, record: &Value, times: usize) {
    let bytes = schema.encode_value(record).expect("a record");
    let (mut builder, mut scratch) = (Nothing(0), decode::Scratch::default());
    counted(times, || {
        let (input, options) = (black_box(&bytes), decode::Options::default());
        let budget = &mut { usize::MAX };
        let outcome = decode::decode(&schema.plan, root, input, options, budget, &mut builder, &mut scratch);
        assert!(outcome.is_ok());
    });
    black_box(builder.0);
}

fn encode(schema: &Schema, root: u32, record: &Value, times: usize) {
    let (mut arena, mut scratch) = (Arena::default(), encode::Scratch::default());
    let term = arena.put(record);
    counted(times, || {
        let (record, options) = (black_box(term), StringOptions::default());
        let outcome = encode::encode(&schema.plan, root, record, options, &mut { usize::MAX }, &&arena, &mut scratch);
        assert!(outcome.is_ok());
    });
    black_box(scratch.output.len());
}

/// Calls so many times. What comes before is not counted, for it is not the same each time; nor is a first call, which
/// makes room in the scratch.
fn counted(times: usize, mut call: impl FnMut()) {
    call();
    calls_counted(times, call);
}

/// Callgrind counts while this runs.
#[inline(never)]
fn calls_counted(times: usize, mut call: impl FnMut()) {
    for _ in 0..times {
        call();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, what, case, times, ..] = &arguments[..] else {
        // As `cargo bench` calls it.
        return println!("instructions decode|encode|get|select CASE TIMES: see benchmarks/instructions");
    };
    let times = times.parse().expect("a number");
    if matches!(what.as_str(), "get" | "select") {
        return read(what, case, times);
    }
    let (schema, name, record) = crate::case(case);
    let root = schema.plan.message_named(proto::name(name).term).expect("the message");
    match what.as_str() {
        "decode" => decode(&schema, root, &record, times),
        "encode" => encode(&schema, root, &record, times),
        _ => panic!("no {what}"),
    }
}
