//! Readers beside a thread that replaces and frees: what ThreadSanitizer is to watch (`make race`). Run without it as well.

use published::Published;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The memory of its parts is what a reader must not find freed.
struct Value {
    number: usize,
    parts: Box<[usize; 64]>,
}

static PUBLISHED: Published<Value> = Published::new();
static READERS_DONE: AtomicUsize = AtomicUsize::new(0);

const READERS: usize = 4;

/// Each reader goes on until it has seen so many values, whatever else the machine does.
const SEEN: usize = 1000;

fn read() {
    let mut view = PUBLISHED.view();
    let mut different = 0;
    let mut last = 0;
    while different < SEEN {
        if let Some(value) = view.load() {
            assert!(value.parts.iter().all(|part| *part == value.number));
            different += usize::from(value.number != last);
            last = value.number;
        }
    }
    READERS_DONE.fetch_add(1, Ordering::Release);
}

fn main() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        // A reader that is gone would be waited for.
        std::process::exit(1);
    }));
    for _ in 0..READERS {
        // A handle that is joined or dropped would be reported: both happen within the standard library.
        std::mem::forget(thread::spawn(read));
    }
    let mut number = 0;
    while READERS_DONE.load(Ordering::Acquire) < READERS {
        number += 1;
        PUBLISHED.put(Some(Value { number, parts: Box::new([number; 64]) }));
        PUBLISHED.free_replaced();
    }
    println!("{READERS} readers saw {SEEN} values each, of {number}");
}
