//! Every allocation that a call makes may fail: then the call says so, and the next one is right again.

#[allow(dead_code)]
#[path = "../behaviour/support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use protobuf_codec::term::TermBuilder;
use protobuf_codec::{StringOptions, Term, decode, encode};
use support::arena::Arena;
use support::{Schema, schema, value, wire};

thread_local! {
    /// How many more allocations of this thread are given what they ask for.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Failing;

impl Failing {
    fn gives(&self) -> bool {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        left > 0
    }
}

// SAFETY: everything is the system's allocator, or the null pointer that says that there is no memory.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        if self.gives() { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: what the caller gives back came from the system's allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`.
        if self.gives() { unsafe { System.realloc(memory, layout, size) } } else { std::ptr::null_mut() }
    }
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;

/// Runs a call that gets so many allocations.
fn with_allocations<R>(count: usize, call: impl FnOnce() -> R) -> R {
    LEFT.set(count);
    let result = call();
    LEFT.set(usize::MAX);
    result
}

/// Makes terms of nothing: only the codec allocates.
struct Nothing;

const SOME_TERM: Term = Term(1);

impl TermBuilder for Nothing {
    fn integer(&mut self, _: i64) -> Term {
        SOME_TERM
    }
    fn unsigned(&mut self, _: u64) -> Term {
        SOME_TERM
    }
    fn float(&mut self, _: f64) -> Term {
        SOME_TERM
    }
    fn binary(&mut self, _: usize, _: usize) -> Term {
        SOME_TERM
    }
    fn empty_binary(&mut self) -> Term {
        SOME_TERM
    }
    fn zero_float(&mut self) -> Term {
        SOME_TERM
    }
    fn tuple(&mut self, _: &[Term]) -> Term {
        SOME_TERM
    }
    fn list(&mut self, _: &[Term], _: Term) -> Term {
        SOME_TERM
    }
}

/// Checks that a call fails for want of each of its allocations, of which there are so many at least, and that the one after
/// does not. What comes of a call is looked at when there is memory again, since looking may take some.
#[track_caller]
fn each_fails<S: Default, O>(least: usize, call: impl Fn(&mut S) -> O, succeeded: impl Fn(O) -> bool) {
    let needed = (0..10_000).find(|count| {
        let mut scratch = S::default();
        let first = with_allocations(*count, || call(&mut scratch));
        assert!(succeeded(call(&mut scratch)), "after a failure");
        succeeded(first)
    });
    let needed = needed.expect("to succeed with some memory");
    assert!(needed >= least, "no more than {needed} allocations");
}

#[track_caller]
fn decoding(schema: &Schema, input: &[u8], strings: StringOptions, least: usize) {
    let root = schema.plan.message_named(support::proto::name("M").term).expect("M");
    let options = decode::Options { strings, ..decode::Options::default() };
    let call = |scratch: &mut decode::Scratch| {
        decode::decode(&schema.plan, root, input, options, &mut { usize::MAX }, &mut Nothing, scratch)
    };
    each_fails(least, call, |outcome| match outcome.expect("valid input") {
        decode::Outcome::Done(_) => true,
        decode::Outcome::OutOfMemory => false,
        decode::Outcome::OverBudget => panic!("a budget without end"),
    });
}

#[track_caller]
fn encoding(schema: &Schema, record: &str, options: StringOptions, least: usize) {
    let root = schema.plan.message_named(support::proto::name("M").term).expect("M");
    let mut arena = Arena::default();
    let record = arena.put(&value::parse(record));
    let call = |scratch: &mut encode::Scratch| {
        encode::encode(&schema.plan, root, record, options, &mut { usize::MAX }, &&arena, scratch)
    };
    each_fails(least, call, |outcome| match outcome.expect("a valid record") {
        encode::Outcome::Done => true,
        encode::Outcome::OutOfMemory => false,
        encode::Outcome::OverBudget => panic!("a budget without end"),
    });
}

const PLAIN: StringOptions = StringOptions { string_as_list: false, with_utf8: false };
const TEXT: StringOptions = StringOptions { string_as_list: true, with_utf8: true };

#[test]
fn decoding_says_so() {
    let schema = schema(
        "message M { M m = 1; repeated M r = 2; repeated int32 n = 3; packed int32 p = 4; string s = 5;
           map<int32,M> f = 6; oneof c { N a = 7; M b = 8; int32 i = 9; } }
         message N { N n = 1; unknowns; }",
    );
    let numbers = |field| wire::number(field, 1).repeat(1000);
    let entries: Vec<u8> = (0..1000).flat_map(|key| wire::delimited(6, &wire::number(1, key))).collect();
    let nested = wire::nested(1, 1000, |_| Vec::new());
    let changing = [wire::delimited(7, &nested), wire::delimited(8, &nested)].concat().repeat(3);
    let mut group = Vec::new();
    for _ in 0..100 {
        group = wire::group(20, &group);
    }
    for (input, least) in [
        (wire::nested(1, 1000, |_| Vec::new()), 8),
        (wire::nested(2, 1000, |_| numbers(3)[..10].to_vec()), 12),
        (numbers(3), 8),
        ([wire::number(3, 1), wire::delimited(4, &[1])].concat().repeat(1000), 10),
        (wire::delimited(4, &[1; 1000]), 8),
        (wire::delimited(5, &[b'a'; 1000]), 2),
        (entries, 25),
        (changing, 20),
        (group.clone(), 4),
        (wire::delimited(7, &group), 8),
    ] {
        decoding(&schema, &input, PLAIN, 1);
        decoding(&schema, &input, TEXT, least);
    }
}

#[test]
fn encoding_says_so() {
    let schema = schema(
        "message M { M m = 1; repeated M r = 2; repeated int32 n = 3; packed int32 p = 4; string s = 5; bytes b = 6; }",
    );
    let leaf = |fields: &str| format!("{{M,undefined,{fields}}}");
    let long = "x".repeat(5000);
    let mut deep = leaf("[],[],[],[],[]");
    for _ in 0..300 {
        deep = format!("{{M,{deep},[],[],[],[],[]}}");
    }
    let numbers = vec!["1000"; 5000].join(",");
    for (record, least) in [
        (deep, 8),
        (leaf(&format!("[],[{numbers}],[],[],[]")), 3),
        (leaf(&format!("[],[],[{numbers}],[],[]")), 3),
        (leaf(&format!(r#"[],[],[],<<"{long}">>,[]"#)), 2),
        (leaf(&format!(r#"[],[],[],[],<<"{long}">>"#)), 2),
        (leaf(&format!("[],[],[],{}97{},[]", "[".repeat(500), "]".repeat(500))), 3),
        (leaf(&format!("[],[],[],[{}],[]", vec!["97"; 5000].join(","))), 3),
    ] {
        encoding(&schema, &record, PLAIN, least);
        encoding(&schema, &record, TEXT, least);
    }
}
