//! The codec beside prost, on one wide schema: each reads what the other wrote, and both read anything as the same.

use prost::Message;
use std::collections::BTreeMap;

use crate::support::generate::{float, maps_sorted};
use crate::support::random::Random;
use crate::support::value::{Value, integer, list, name};
use crate::support::{Schema, schema};

const SCHEMA: &str = "
    message Wide {
        int32 a1 = 1; int64 a2 = 2; uint32 a3 = 3; uint64 a4 = 4; sint32 a5 = 5; sint64 a6 = 6; bool a7 = 7;
        fixed32 a8 = 8; sfixed32 a9 = 9; float a10 = 10; fixed64 a11 = 11; sfixed64 a12 = 12; double a13 = 13;
        string a14 = 14; bytes a15 = 15; E a16 = 16;
        optional sint32 b1 = 17; optional string b2 = 18; optional E b3 = 19;
        packed int32 c1 = 20; packed sint64 c2 = 21; packed double c3 = 22; packed E c4 = 23; packed bool c5 = 24;
        repeated fixed32 d1 = 25; repeated string d2 = 26;
        Wide e1 = 27; repeated Wide e2 = 28; optional group Inner = 29 { int32 x = 1; repeated int32 y = 2; }
        map<string,int32> f1 = 30; map<sint64,Leaf> f2 = 31; map<bool,bytes> f3 = 32;
        oneof g { int32 g1 = 33; string g2 = 34; Leaf g3 = 35; Wide g4 = 2000; }
    }
    message Leaf { optional int32 x = 1; repeated int32 y = 2; Leaf z = 3; }
    enum E { ZERO = 0; ONE = 1; MINUS = -1; }";

#[derive(Clone, PartialEq, prost::Message)]
struct Wide {
    #[prost(int32, tag = "1")]
    a1: i32,
    #[prost(int64, tag = "2")]
    a2: i64,
    #[prost(uint32, tag = "3")]
    a3: u32,
    #[prost(uint64, tag = "4")]
    a4: u64,
    #[prost(sint32, tag = "5")]
    a5: i32,
    #[prost(sint64, tag = "6")]
    a6: i64,
    #[prost(bool, tag = "7")]
    a7: bool,
    #[prost(fixed32, tag = "8")]
    a8: u32,
    #[prost(sfixed32, tag = "9")]
    a9: i32,
    #[prost(float, tag = "10")]
    a10: f32,
    #[prost(fixed64, tag = "11")]
    a11: u64,
    #[prost(sfixed64, tag = "12")]
    a12: i64,
    #[prost(double, tag = "13")]
    a13: f64,
    #[prost(string, tag = "14")]
    a14: String,
    #[prost(bytes = "vec", tag = "15")]
    a15: Vec<u8>,
    #[prost(enumeration = "E", tag = "16")]
    a16: i32,
    #[prost(sint32, optional, tag = "17")]
    b1: Option<i32>,
    #[prost(string, optional, tag = "18")]
    b2: Option<String>,
    #[prost(enumeration = "E", optional, tag = "19")]
    b3: Option<i32>,
    #[prost(int32, repeated, tag = "20")]
    c1: Vec<i32>,
    #[prost(sint64, repeated, tag = "21")]
    c2: Vec<i64>,
    #[prost(double, repeated, tag = "22")]
    c3: Vec<f64>,
    #[prost(enumeration = "E", repeated, tag = "23")]
    c4: Vec<i32>,
    #[prost(bool, repeated, tag = "24")]
    c5: Vec<bool>,
    #[prost(fixed32, repeated, packed = "false", tag = "25")]
    d1: Vec<u32>,
    #[prost(string, repeated, tag = "26")]
    d2: Vec<String>,
    #[prost(message, optional, boxed, tag = "27")]
    e1: Option<Box<Wide>>,
    #[prost(message, repeated, tag = "28")]
    e2: Vec<Wide>,
    #[prost(group, optional, tag = "29")]
    inner: Option<Inner>,
    #[prost(btree_map = "string, int32", tag = "30")]
    f1: BTreeMap<String, i32>,
    #[prost(btree_map = "sint64, message", tag = "31")]
    f2: BTreeMap<i64, Leaf>,
    #[prost(btree_map = "bool, bytes", tag = "32")]
    f3: BTreeMap<bool, Vec<u8>>,
    #[prost(oneof = "G", tags = "33, 34, 35, 2000")]
    g: Option<G>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum G {
    #[prost(int32, tag = "33")]
    G1(i32),
    #[prost(string, tag = "34")]
    G2(String),
    #[prost(message, tag = "35")]
    G3(Leaf),
    #[prost(message, boxed, tag = "2000")]
    G4(Box<Wide>),
}

#[derive(Clone, PartialEq, prost::Message)]
struct Inner {
    #[prost(int32, tag = "1")]
    x: i32,
    #[prost(int32, repeated, packed = "false", tag = "2")]
    y: Vec<i32>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Leaf {
    #[prost(int32, optional, tag = "1")]
    x: Option<i32>,
    #[prost(int32, repeated, packed = "false", tag = "2")]
    y: Vec<i32>,
    #[prost(message, optional, boxed, tag = "3")]
    z: Option<Box<Leaf>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum E {
    Zero = 0,
    One = 1,
    Minus = -1,
}

fn boolean(value: bool) -> Value {
    name(if value { "true" } else { "false" })
}

fn text(value: &str) -> Value {
    Value::Binary(value.into())
}

fn symbol(value: i32) -> Value {
    match value {
        0 => name("ZERO"),
        1 => name("ONE"),
        -1 => name("MINUS"),
        other => integer(other),
    }
}

fn optional<T>(value: &Option<T>, make: impl Fn(&T) -> Value) -> Value {
    value.as_ref().map_or(name("undefined"), make)
}

fn each<T>(values: &[T], make: impl Fn(&T) -> Value) -> Value {
    list(values.iter().map(make).collect())
}

fn entries<K, V>(map: &BTreeMap<K, V>, make: impl Fn(&K, &V) -> [Value; 2]) -> Value {
    list(map.iter().map(|(key, value)| Value::Tuple(make(key, value).into())).collect())
}

fn leaf(leaf: &Leaf) -> Value {
    let inner = optional(&leaf.z, |inner| self::leaf(inner));
    Value::Tuple(vec![name("Leaf"), optional(&leaf.x, |x| integer(*x)), each(&leaf.y, |y| integer(*y)), inner])
}

/// The record of a message.
fn record(wide: &Wide) -> Value {
    let inner = |inner: &Inner| Value::Tuple(vec![name("Inner"), integer(inner.x), each(&inner.y, |y| integer(*y))]);
    let member = |member: &G| {
        let (member, value) = match member {
            G::G1(value) => ("g1", integer(*value)),
            G::G2(value) => ("g2", text(value)),
            G::G3(value) => ("g3", leaf(value)),
            G::G4(value) => ("g4", record(value)),
        };
        Value::Tuple(vec![name(member), value])
    };
    Value::Tuple(vec![
        name("Wide"),
        integer(wide.a1),
        integer(wide.a2),
        integer(wide.a3),
        integer(wide.a4),
        integer(wide.a5),
        integer(wide.a6),
        boolean(wide.a7),
        integer(wide.a8),
        integer(wide.a9),
        float(f64::from(wide.a10)),
        integer(wide.a11),
        integer(wide.a12),
        float(wide.a13),
        text(&wide.a14),
        Value::Binary(wide.a15.clone()),
        symbol(wide.a16),
        optional(&wide.b1, |value| integer(*value)),
        optional(&wide.b2, |value| text(value)),
        optional(&wide.b3, |value| symbol(*value)),
        each(&wide.c1, |value| integer(*value)),
        each(&wide.c2, |value| integer(*value)),
        each(&wide.c3, |value| float(*value)),
        each(&wide.c4, |value| symbol(*value)),
        each(&wide.c5, |value| boolean(*value)),
        each(&wide.d1, |value| integer(*value)),
        each(&wide.d2, |value| text(value)),
        optional(&wide.e1, |value| record(value)),
        each(&wide.e2, record),
        optional(&wide.inner, inner),
        entries(&wide.f1, |key, value| [text(key), integer(*value)]),
        entries(&wide.f2, |key, value| [integer(*key), leaf(value)]),
        entries(&wide.f3, |key, value| [boolean(*key), Value::Binary(value.clone())]),
        optional(&wide.g, member),
    ])
}

fn some<T>(random: &mut Random, make: impl FnOnce(&mut Random) -> T) -> Option<T> {
    random.one_in(2).then(|| make(random))
}

fn many<T>(random: &mut Random, mut make: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let end = *random.pick(&[1, 1, 2, 5]);
    (0..random.below(end)).map(|_| make(random)).collect()
}

/// An integer, mostly 0: the default of its type.
fn sparse(random: &mut Random) -> u64 {
    if random.one_in(3) { random.wide() } else { 0 }
}

fn random_enum(random: &mut Random) -> i32 {
    *random.pick(&[0, 1, -1, 2, i32::MIN])
}

fn random_leaf(random: &mut Random, depth: usize) -> Leaf {
    Leaf {
        x: some(random, |random| random.wide() as i32),
        y: many(random, |random| random.wide() as i32),
        z: if depth > 3 { None } else { some(random, |random| Box::new(random_leaf(random, depth + 1))) },
    }
}

fn random_wide(random: &mut Random, depth: usize) -> Wide {
    // prost takes -0.0 for the default and does not write it.
    let double = |random: &mut Random| match f64::from_bits(sparse(random)) {
        value if value.is_nan() || value == 0.0 => 0.0,
        value => value,
    };
    let float = |random: &mut Random| match f32::from_bits(sparse(random) as u32) {
        value if value.is_nan() || value == 0.0 => 0.0,
        value => value,
    };
    let deeper = depth < 2;
    let member = |random: &mut Random| match random.below(if deeper { 4 } else { 3 }) {
        0 => G::G1(sparse(random) as i32),
        1 => G::G2(random.text(5)),
        2 => G::G3(random_leaf(random, depth)),
        _ => G::G4(Box::new(random_wide(random, depth + 1))),
    };
    Wide {
        a1: sparse(random) as i32,
        a2: sparse(random) as i64,
        a3: sparse(random) as u32,
        a4: sparse(random),
        a5: sparse(random) as i32,
        a6: sparse(random) as i64,
        a7: random.one_in(2),
        a8: sparse(random) as u32,
        a9: sparse(random) as i32,
        a10: float(random),
        a11: sparse(random),
        a12: sparse(random) as i64,
        a13: double(random),
        a14: random.text(10),
        a15: random.octets(150),
        a16: random_enum(random),
        b1: some(random, |random| sparse(random) as i32),
        b2: some(random, |random| random.text(3)),
        b3: some(random, random_enum),
        c1: many(random, |random| random.wide() as i32),
        c2: many(random, |random| random.wide() as i64),
        c3: many(random, double),
        c4: many(random, random_enum),
        c5: many(random, |random| random.one_in(2)),
        d1: many(random, |random| random.wide() as u32),
        d2: many(random, |random| random.text(4)),
        e1: if deeper { some(random, |random| Box::new(random_wide(random, depth + 1))) } else { None },
        e2: if deeper { many(random, |random| random_wide(random, depth + 1)) } else { Vec::new() },
        inner: some(random, |random| Inner {
            x: sparse(random) as i32,
            y: many(random, |random| random.wide() as i32),
        }),
        f1: many(random, |random| (random.text(3), sparse(random) as i32)).into_iter().collect(),
        f2: many(random, |random| (sparse(random) as i64, random_leaf(random, depth))).into_iter().collect(),
        f3: many(random, |random| (random.one_in(2), random.octets(3))).into_iter().collect(),
        g: some(random, member),
    }
}

/// Checks that the bytes are read as the message.
#[track_caller]
fn reads_as(schema: &Schema, bytes: &[u8], wide: &Wide, at: u64) {
    let decoded = schema.decode_value(bytes).unwrap_or_else(|error| panic!("{error:?} with seed {at}"));
    assert_eq!(maps_sorted(&decoded).to_string(), maps_sorted(&record(wide)).to_string(), "seed {at}");
}

#[test]
fn each_reads_what_the_other_wrote() {
    let schema = schema(SCHEMA);
    for seed in 0..300 {
        let wide = random_wide(&mut Random::new(seed), 0);
        reads_as(&schema, &wide.encode_to_vec(), &wide, seed);
        let bytes = schema.encode_value(&record(&wide)).unwrap_or_else(|error| panic!("{error} with seed {seed}"));
        assert_eq!(Wide::decode(bytes.as_slice()).as_ref(), Ok(&wide), "seed {seed}");
    }
}

#[test]
fn messages_one_behind_the_other_are_merged_alike() {
    let schema = schema(SCHEMA);
    for seed in 1_000..1_200 {
        let mut random = Random::new(seed);
        let (one, other) = (random_wide(&mut random, 0), random_wide(&mut random, 0));
        let bytes = [one.encode_to_vec(), other.encode_to_vec()].concat();
        let merged = Wide::decode(bytes.as_slice()).expect("to decode");
        reads_as(&schema, &bytes, &merged, seed);
    }
}

#[test]
fn what_prost_reads_of_mutated_bytes_is_read_alike() {
    let schema = schema(SCHEMA);
    let mut read = 0;
    for seed in 2_000..4_000 {
        let mut random = Random::new(seed);
        let mut bytes = random_wide(&mut random, 1).encode_to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() + 1);
            let end = bytes.len().min(at + 1 + random.below(12));
            match random.below(4) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let doubled = bytes[at..end].to_vec();
                    bytes.splice(at..at, doubled);
                }
                _ if at == bytes.len() => {}
                _ => bytes[at] = random.below(64) as u8,
            }
        }
        if let Ok(wide) = Wide::decode(bytes.as_slice()) {
            read += 1;
            reads_as(&schema, &bytes, &wide, seed);
        }
    }
    assert!(read > 100, "only {read} were read");
}
