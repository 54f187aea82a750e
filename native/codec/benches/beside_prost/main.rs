//! The codec beside prost, on Google's benchmark messages: decoding to terms beside decoding to structs, and encoding of
//! each. Both must give the same bytes before anything is timed.

#[allow(missing_docs)] // The fields have no other names than these.
mod messages;

#[path = "../google/mod.rs"]
mod google;
mod heap;
// The tests use all of it.
#[allow(dead_code)]
#[path = "../../tests/behaviour/support/mod.rs"]
mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use prost::Message;
use protobuf_codec::schema::Plan;
use protobuf_codec::term::TermReader;
use protobuf_codec::{StringOptions, Term, decode, encode};
use std::hint::black_box;

use heap::Heap;
use messages::{Message1, Message2};

fn decoded(plan: &Plan, root: u32, heap: &mut Heap, scratch: &mut decode::Scratch) -> Term {
    heap.clear();
    let (input, options) = (heap.input, decode::Options::default());
    match decode::decode(plan, root, input, options, &mut { usize::MAX }, heap, scratch) {
        Ok(decode::Outcome::Done(term)) => term,
        other => panic!("{other:?}"),
    }
}

fn encoded(plan: &Plan, root: u32, record: Term, heap: &Heap, scratch: &mut encode::Scratch) -> Vec<u8> {
    let outcome = encode::encode(plan, root, record, StringOptions::default(), &mut { usize::MAX }, &heap, scratch);
    assert_eq!(outcome, Ok(encode::Outcome::Done));
    let mut bytes = vec![0; scratch.output.len()];
    scratch.output.copy_to(&mut bytes, |binary| TermReader::binary(&heap, binary).expect("a binary"));
    bytes
}

fn message<M: Message + Default + PartialEq>(criterion: &mut Criterion, message: google::Message) {
    let input = google::bytes(message);
    let name = message.0;
    let plan = &google::schema(message).plan;
    let root = plan.message_named(support::proto::name(name).term).expect("the message");
    let (mut heap, mut scratch) = (Heap { words: Vec::new(), input: &input }, decode::Scratch::default());

    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function("decode, prost", |bencher| bencher.iter(|| M::decode(black_box(&input[..]))));
    group.bench_function("decode, codec", |bencher| {
        bencher.iter(|| black_box(decoded(plan, root, &mut heap, &mut scratch)));
    });

    let of_prost = M::decode(&input[..]).expect("a message");
    let record = decoded(plan, root, &mut heap, &mut scratch);
    let mut scratch = encode::Scratch::default();
    // prost writes fields in the order of their numbers, the codec in that of the record: the same ones, in other places.
    let again = M::decode(&encoded(plan, root, record, &heap, &mut scratch)[..]);
    assert!(again.expect("a message") == of_prost);
    group.bench_function("encode, prost", |bencher| bencher.iter(|| black_box(&of_prost).encode_to_vec()));
    group.bench_function("encode, codec", |bencher| {
        bencher.iter(|| encoded(plan, root, black_box(record), &heap, &mut scratch));
    });
    group.finish();
}

fn beside_prost(criterion: &mut Criterion) {
    message::<Message1>(criterion, google::SMALL);
    message::<Message2>(criterion, google::LARGE);
}

criterion_group!(all, beside_prost);
criterion_main!(all);
