//! The published snapshot: what `load_cache/1` has loaded, for all processes.

use arc_swap::ArcSwapOption;
use protobuf_codec::Term;
use protobuf_codec::schema::Plan;
use rustler::sys::ErlNifEnv;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::atoms;
use crate::beam;
use crate::errors::Failure;
use crate::gpb_defs;

/// One set of definitions, compiled. It is never changed: a call goes on with the one it began with.
pub struct Snapshot {
    /// What the engines follow.
    pub plan: Plan,
    /// The definitions as they were given, in the external term format, to be compiled again by another version of the
    /// library.
    pub definitions: Box<[u8]>,
}

static CURRENT: ArcSwapOption<Snapshot> = ArcSwapOption::const_empty();

/// What was in force before, until no thread knows it any more. Freeing large definitions takes milliseconds: so it is left
/// to [`free_replaced`], which is called on dirty schedulers, and not done by the thread that looks last.
static REPLACED: Mutex<Vec<Arc<Snapshot>>> = Mutex::new(Vec::new());

/// The snapshot as a thread knows it. Readers take no lock and write nothing that others read: they only look whether
/// theirs is still the one in force.
pub type View = arc_swap::Cache<&'static ArcSwapOption<Snapshot>, Option<Arc<Snapshot>>>;

/// A view for one thread.
pub fn view() -> View {
    View::new(&CURRENT)
}

/// The snapshot in force.
pub fn current() -> Option<Arc<Snapshot>> {
    CURRENT.load_full()
}

/// Checks and compiles definitions and puts them in force. Where they are wrong everything stays as it is.
pub fn load(env: *mut ErlNifEnv, definitions: Term) -> Result<(), Failure> {
    let model = gpb_defs::read(env, definitions)?;
    let plan = Plan::compile(&model, atoms::constants()).map_err(Failure::from)?;
    let definitions = beam::to_external(env, definitions).unwrap_or_default().into();
    put(Some(Arc::new(Snapshot { plan, definitions })));
    free_replaced();
    Ok(())
}

/// Forgets the snapshot; calls that have begun with it go on.
pub fn purge() {
    put(None);
}

fn put(snapshot: Option<Arc<Snapshot>>) {
    let old = CURRENT.swap(snapshot);
    replaced().extend(old);
}

fn replaced() -> MutexGuard<'static, Vec<Arc<Snapshot>>> {
    REPLACED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees what no thread knows any more.
pub fn free_replaced() {
    let all = std::mem::take(&mut *replaced());
    let (known, unknown): (Vec<_>, Vec<_>) = all.into_iter().partition(|old| Arc::strong_count(old) > 1);
    replaced().extend(known);
    drop(unknown);
}

/// Forgets everything, before the library goes: what calls have begun with goes with them.
pub fn clear() {
    purge();
    replaced().clear();
}
