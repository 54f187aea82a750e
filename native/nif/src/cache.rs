//! The published snapshots: what `load_cache/1,2` have loaded, for all processes.

use protobuf_codec::Term;
use protobuf_codec::schema::Plan;
use published::Published;
use rustc_hash::FxHashMap;
use rustler::sys::ErlNifEnv;
use std::sync::{Arc, Mutex, PoisonError};

use crate::atoms;
use crate::beam;
use crate::errors::Failure;
use crate::gpb_defs;
use crate::options::CallOptions;

/// One set of definitions, compiled. It is never changed: a call goes on with the one it began with.
pub struct Snapshot {
    /// What the engines follow.
    pub plan: Plan,
    /// The definitions as they were given, in the external term format, to be compiled again by another version of the
    /// library.
    pub definitions: Box<[u8]>,
    /// How the calls of a generated module go, where it is one's.
    pub module: Option<Module>,
}

/// What a generated module asks for in every call, read once.
pub struct Module {
    /// To encode, and to decode; the limits are those that are in force.
    pub encode: CallOptions,
    pub decode: CallOptions,
    /// The two lists of options, in the external term format.
    pub options: Box<[u8]>,
}

/// The snapshots that have names, by these.
pub type Named = FxHashMap<Term, Arc<Snapshot>>;

/// Which snapshot is meant: that of a name, or the one without.
pub type Name = Option<Term>;

/// Freeing a large one takes milliseconds: so that is done on dirty schedulers, by [`free_replaced`].
static SNAPSHOT: Published<Snapshot> = Published::new();

/// Apart from the one without a name, to which the way is shortest so.
static NAMED: Published<Named> = Published::new();

/// Held while the named ones are replaced by others, for which they are read.
static REPLACING: Mutex<()> = Mutex::new(());

/// The snapshots as a thread knows them.
pub struct View {
    snapshot: published::View<Snapshot>,
    named: published::View<Named>,
}

impl View {
    /// A view for one thread.
    pub fn new() -> View {
        View { snapshot: SNAPSHOT.view(), named: NAMED.view() }
    }

    /// The snapshot without a name.
    #[inline(always)]
    pub fn unnamed(&mut self) -> Option<&Arc<Snapshot>> {
        self.snapshot.load().as_ref()
    }

    /// The snapshot of this name, or the one without.
    #[inline(always)]
    pub fn get(&mut self, name: Name) -> Option<&Arc<Snapshot>> {
        match name {
            None => self.unnamed(),
            Some(name) => self.named.load().as_ref()?.get(&name),
        }
    }
}

/// The snapshot in force.
pub fn current(name: Name) -> Option<Arc<Snapshot>> {
    match name {
        None => SNAPSHOT.current(),
        Some(name) => NAMED.current()?.get(&name).cloned(),
    }
}

/// All snapshots that have a name.
pub fn all_named() -> Option<Arc<Named>> {
    NAMED.current()
}

/// Checks and compiles definitions and puts them in force. Where they are wrong everything stays as it is.
pub fn load(env: *mut ErlNifEnv, name: Name, definitions: Term, module: Option<Module>) -> Result<(), Failure> {
    let model = gpb_defs::read(env, definitions)?;
    let plan = Plan::compile(&model, atoms::constants()).map_err(Failure::from)?;
    let definitions = beam::to_external(env, definitions).unwrap_or_default().into();
    let snapshot = Snapshot { plan, definitions, module };
    match name {
        None => SNAPSHOT.put(Some(snapshot)),
        Some(name) => replace_named(|named| named.insert(name, Arc::new(snapshot))),
    }
    free_replaced();
    Ok(())
}

/// Forgets a snapshot; calls that have begun with it go on.
pub fn purge(name: Name) {
    match name {
        None => SNAPSHOT.put(None),
        Some(name) => replace_named(|named| named.remove(&name)),
    }
}

/// Puts others in the place of the named ones. (What is replaced is freed with the one table that has it, never here.)
fn replace_named(change: impl FnOnce(&mut Named) -> Option<Arc<Snapshot>>) {
    let _replacing = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = NAMED.current();
    let mut named = before.as_deref().cloned().unwrap_or_default();
    drop(change(&mut named));
    NAMED.put((!named.is_empty()).then_some(named));
}

/// Frees what no thread knows any more.
pub fn free_replaced() {
    SNAPSHOT.free_replaced();
    NAMED.free_replaced();
}

/// Forgets everything, before the library goes: what calls have begun with goes with them.
pub fn clear() {
    SNAPSHOT.clear();
    NAMED.clear();
}
