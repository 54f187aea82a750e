//! Threads that read while others replace; also for ThreadSanitizer, which sees what is not ordered.

use published::Published;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::thread;

/// A value whose parts belong together, and that counts how many there are.
struct Value {
    number: usize,
    parts: Vec<usize>,
    alive: &'static AtomicIsize,
}

impl Value {
    fn new(number: usize, alive: &'static AtomicIsize) -> Value {
        alive.fetch_add(1, Ordering::Relaxed);
        Value { number, parts: vec![number; 50], alive }
    }

    fn number(&self) -> usize {
        assert!(self.parts.iter().all(|part| *part == self.number));
        self.number
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn readers_see_whole_values_and_never_an_older_one_again() {
    static PUBLISHED: Published<Value> = Published::new();
    static ALIVE: AtomicIsize = AtomicIsize::new(0);
    static DONE: AtomicBool = AtomicBool::new(false);
    static READ: AtomicUsize = AtomicUsize::new(0);
    const VALUES: usize = 2000;

    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut view = PUBLISHED.view();
                let mut newest = 0;
                while !DONE.load(Ordering::Relaxed) {
                    for _ in 0..100 {
                        if let Some(value) = view.load() {
                            assert!(value.number() >= newest);
                            newest = value.number();
                            READ.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    if let Some(value) = PUBLISHED.current() {
                        assert!(value.number() >= newest);
                    }
                }
            });
        }
        scope.spawn(|| {
            while !DONE.load(Ordering::Relaxed) {
                PUBLISHED.free_replaced();
            }
        });
        let mut number = 0;
        // However busy the machine is, there are readings between.
        while number < VALUES || READ.load(Ordering::Relaxed) < VALUES {
            number += 1;
            PUBLISHED.put(Some(Value::new(number, &ALIVE)));
            if number % 7 == 0 {
                PUBLISHED.put(None);
            }
            if number % 50 == 0 {
                PUBLISHED.free_replaced();
                thread::yield_now();
            }
        }
        DONE.store(true, Ordering::Relaxed);
    });

    // No thread knows any of them now.
    PUBLISHED.put(None);
    PUBLISHED.free_replaced();
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
}

#[test]
fn what_a_thread_knows_stays_until_it_looks_again() {
    static PUBLISHED: Published<Value> = Published::new();
    static ALIVE: AtomicIsize = AtomicIsize::new(0);
    let alive = || ALIVE.load(Ordering::Relaxed);

    PUBLISHED.put(Some(Value::new(1, &ALIVE)));
    let mut view = PUBLISHED.view();
    assert_eq!(view.load().as_ref().map(|value| value.number()), Some(1));
    PUBLISHED.put(Some(Value::new(2, &ALIVE)));
    PUBLISHED.free_replaced();
    assert_eq!(alive(), 2, "the view knows the first");
    assert_eq!(view.load().as_ref().map(|value| value.number()), Some(2));
    assert_eq!(alive(), 2, "it is not freed by who looks last");
    PUBLISHED.free_replaced();
    assert_eq!(alive(), 1);
    PUBLISHED.clear();
    assert!(view.load().is_none());
    assert_eq!(alive(), 0);
}
