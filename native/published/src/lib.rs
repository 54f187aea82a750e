//! One value for all threads, that is replaced in one step. Readers take no lock and write nothing that others read: they
//! only look whether the value that they know is still the one in force.
//!
//! A crate of its own, so that its tests run outside the VM and under ThreadSanitizer.
#![forbid(unsafe_code)]

use arc_swap::ArcSwapOption;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value in force, or none.
pub struct Published<T> {
    current: ArcSwapOption<T>,
    /// What was in force before, until no thread knows it any more. Freeing it may take long: so it is left to
    /// [`Published::free_replaced`], and not done by the thread that looks last.
    replaced: Mutex<Vec<Arc<T>>>,
}

/// The value as a thread knows it.
pub type View<T> = arc_swap::Cache<&'static ArcSwapOption<T>, Option<Arc<T>>>;

impl<T> Published<T> {
    /// With no value in force.
    pub const fn new() -> Published<T> {
        Published { current: ArcSwapOption::const_empty(), replaced: Mutex::new(Vec::new()) }
    }

    /// A view for one thread.
    pub fn view(&'static self) -> View<T> {
        View::new(&self.current)
    }

    /// The value in force.
    pub fn current(&self) -> Option<Arc<T>> {
        self.current.load_full()
    }

    /// Puts a value in force, or none. Who has the one before goes on with it.
    pub fn put(&self, value: Option<T>) {
        let old = self.current.swap(value.map(Arc::new));
        self.replaced().extend(old);
    }

    fn replaced(&self) -> MutexGuard<'_, Vec<Arc<T>>> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees what no thread knows any more.
    pub fn free_replaced(&self) {
        let mut all = std::mem::take(&mut *self.replaced());
        // Whoever had it has ended before: that is what being the only owner says, other than a count that is 1.
        let unknown: Vec<_> = all.extract_if(.., |old| Arc::get_mut(old).is_some()).collect();
        self.replaced().extend(all);
        drop(unknown);
    }

    /// Puts nothing in force and keeps nothing: what threads still know goes when they look again or end.
    pub fn clear(&self) {
        self.put(None);
        self.replaced().clear();
    }
}

impl<T> Default for Published<T> {
    fn default() -> Published<T> {
        Published::new()
    }
}
