//! The published snapshot: what `load_cache/1` has loaded, for all processes.

use protobuf_codec::Term;
use protobuf_codec::schema::Plan;
use published::Published;
use rustler::sys::ErlNifEnv;
use std::sync::Arc;

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

/// Freeing a large one takes milliseconds: so that is done on dirty schedulers, by [`free_replaced`].
static SNAPSHOT: Published<Snapshot> = Published::new();

/// The snapshot as a thread knows it.
pub type View = published::View<Snapshot>;

/// A view for one thread.
pub fn view() -> View {
    SNAPSHOT.view()
}

/// The snapshot in force.
pub fn current() -> Option<Arc<Snapshot>> {
    SNAPSHOT.current()
}

/// Checks and compiles definitions and puts them in force. Where they are wrong everything stays as it is.
pub fn load(env: *mut ErlNifEnv, definitions: Term) -> Result<(), Failure> {
    let model = gpb_defs::read(env, definitions)?;
    let plan = Plan::compile(&model, atoms::constants()).map_err(Failure::from)?;
    let definitions = beam::to_external(env, definitions).unwrap_or_default().into();
    SNAPSHOT.put(Some(Snapshot { plan, definitions }));
    free_replaced();
    Ok(())
}

/// Forgets the snapshot; calls that have begun with it go on.
pub fn purge() {
    SNAPSHOT.put(None);
}

/// Frees what no thread knows any more.
pub fn free_replaced() {
    SNAPSHOT.free_replaced();
}

/// Forgets everything, before the library goes: what calls have begun with goes with them.
pub fn clear() {
    SNAPSHOT.clear();
}
