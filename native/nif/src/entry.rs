//! What the VM calls to load and upgrade the library.
//!
//! Every loaded version of the library has statics of its own. What is loaded survives an upgrade all the same: the new
//! version asks the old one for its definitions as they were given, and for its options, and compiles them again.

use protobuf_codec::Term;
use rustler::sys::{ErlNifEntry, ErlNifEnv, ErlNifTerm, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::functions::FUNCTIONS;
use crate::{atoms, beam, cache, options};

struct Entry(ErlNifEntry);

// SAFETY: the entry holds only pointers to statics, and is never written once it is made.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

static ENTRY: OnceLock<Entry> = OnceLock::new();

#[unsafe(no_mangle)]
extern "C" fn nif_init() -> *const ErlNifEntry {
    // SAFETY: the VM calls nif_init once for each loaded library, before any other call into it.
    unsafe { rustler::codegen_runtime::internal_write_symbols() };
    &ENTRY
        .get_or_init(|| {
            let mut entry = ErlNifEntry::new(c"enif_protobuf", &FUNCTIONS.0, load);
            entry.upgrade = Some(upgrade);
            entry.unload = Some(unload);
            Entry(entry)
        })
        .0
}

/// The private data: what another version of the library may ask this one for. Its layout is fixed; a field may only
/// be added at the end, with a new version number.
#[repr(C)]
struct Handover {
    magic: u64,
    version: u64,
    strings: unsafe extern "C" fn() -> u8,
    /// Calls back with the definitions in force in the external term format, if there are any.
    definitions: unsafe extern "C" fn(receive: Receive, context: *mut c_void),
    /// From version 2 on.
    limits: unsafe extern "C" fn() -> options::Limits,
    /// From version 3 on: calls back with the definitions of each cache that has a name, and with that.
    named: unsafe extern "C" fn(receive: ReceiveNamed, context: *mut c_void),
}

/// An atom's word is the same for every library in a VM. The options of a generated module are empty where it is none.
type ReceiveNamed = unsafe extern "C" fn(context: *mut c_void, name: u64, definitions: Bytes, module: Bytes);

/// Bytes for the time of a call.
#[repr(C)]
struct Bytes {
    start: *const u8,
    len: usize,
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        Bytes { start: bytes.as_ptr(), len: bytes.len() }
    }
}

type Receive = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, len: usize);

const MAGIC: u64 = u64::from_be_bytes(*b"epb_rust");
const VERSION: u64 = 3;

/// How many loaded module versions use this library. When the file has not changed, a new version of the module gets
/// the same library once more, and what is loaded must outlive the old one.
static INSTANCES: AtomicUsize = AtomicUsize::new(0);

static HANDOVER: Handover = Handover {
    magic: MAGIC,
    version: VERSION,
    strings: hand_over_strings,
    definitions: hand_over_definitions,
    limits: hand_over_limits,
    named: hand_over_named,
};

unsafe extern "C" fn hand_over_strings() -> u8 {
    options::string_bits()
}

unsafe extern "C" fn hand_over_limits() -> options::Limits {
    options::limits()
}

unsafe extern "C" fn hand_over_definitions(receive: Receive, context: *mut c_void) {
    if let Some(snapshot) = cache::current(None) {
        // SAFETY: the receiver gets its own context back, and bytes that are valid until it returns.
        unsafe { receive(context, snapshot.definitions.as_ptr(), snapshot.definitions.len()) };
    }
}

unsafe extern "C" fn receive_definitions(context: *mut c_void, bytes: *const u8, len: usize) {
    // SAFETY: the context is the vector that `take_over` passed, and the bytes are valid for their length.
    unsafe { (*context.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(bytes, len)) };
}

unsafe extern "C" fn hand_over_named(receive: ReceiveNamed, context: *mut c_void) {
    for (name, snapshot) in cache::all_named().iter().flat_map(|named| named.iter()) {
        let module = snapshot.module.as_ref().map_or(&[][..], |module| &module.options);
        // SAFETY: as above.
        unsafe { receive(context, name.0, Bytes::of(&snapshot.definitions), Bytes::of(module)) };
    }
}

unsafe extern "C" fn receive_named(context: *mut c_void, name: u64, definitions: Bytes, module: Bytes) {
    // SAFETY: the context is the vector that `take_over` passed, and the bytes are valid for their lengths.
    unsafe {
        let [definitions, module] =
            [definitions, module].map(|Bytes { start, len }| std::slice::from_raw_parts(start, len).to_vec());
        (*context.cast::<Vec<Named>>()).push(Named { name: Term(name), definitions, module });
    }
}

/// What was received of a cache with a name.
struct Named {
    name: Term,
    definitions: Vec<u8>,
    module: Vec<u8>,
}

unsafe extern "C" fn load(env: *mut ErlNifEnv, private: *mut *mut c_void, _info: ErlNifTerm) -> c_int {
    // SAFETY: these are the arguments of the VM.
    unsafe { begin(env, private, || Some(())) }
}

unsafe extern "C" fn upgrade(
    env: *mut ErlNifEnv,
    private: *mut *mut c_void,
    old_private: *mut *mut c_void,
    _info: ErlNifTerm,
) -> c_int {
    // SAFETY: these are the arguments of the VM. The old library's private data stays until that is unloaded.
    unsafe { begin(env, private, || take_over(env, (*old_private).cast())) }
}

/// Makes what the library needs of this VM, and then does the rest, which may fail. Gives what the VM is to get: 0 where
/// all went well. Only then is the instance counted, for only then an unload comes.
///
/// # Safety
///
/// To be called by a load or an upgrade with its own arguments.
unsafe fn begin(env: *mut ErlNifEnv, private: *mut *mut c_void, rest: impl FnOnce() -> Option<()>) -> c_int {
    let begun = catch_unwind(AssertUnwindSafe(|| {
        atoms::load(env);
        beam::check_layout(env);
        rest()
    }));
    if !matches!(begun, Ok(Some(()))) {
        return 1;
    }
    // SAFETY: the VM hands over the place of the private data. What is put there is a static and never written to.
    unsafe { *private = std::ptr::from_ref(&HANDOVER).cast_mut().cast() };
    INSTANCES.fetch_add(1, Ordering::Relaxed);
    0
}

/// Takes the options and definitions over from another version.
///
/// # Safety
///
/// `old` is the private data of a loaded library of this name.
unsafe fn take_over(env: *mut ErlNifEnv, old: *const Handover) -> Option<()> {
    if old.is_null() {
        return None;
    }
    // This library once more, because the file has not changed: everything is here. (Taking it over would undo what another
    // process loads meanwhile.)
    if std::ptr::eq(old, &HANDOVER) {
        return Some(());
    }
    // SAFETY: private data of whatever kind is a word at least, as that of the C library of this name is. No more of it
    // is read, and no reference made, before that has told what it is.
    if unsafe { (&raw const (*old).magic).read() } != MAGIC {
        return None;
    }
    // SAFETY: every version since the first has private data that begins like this.
    let version = unsafe { (&raw const (*old).version).read() };
    let mut definitions = Vec::<u8>::new();
    // SAFETY: the fields are those of every version since the first; the functions are those of the old library, which is
    // still loaded; the receiver matches the context.
    unsafe {
        options::set_string_bits(((&raw const (*old).strings).read())());
        let hand_over = (&raw const (*old).definitions).read();
        hand_over(receive_definitions, std::ptr::from_mut(&mut definitions).cast());
    }
    if version >= 2 {
        // SAFETY: the field is there from this version on, and the old library is still loaded.
        options::set_limits(unsafe { ((&raw const (*old).limits).read())() });
    }
    let mut named = Vec::<Named>::new();
    if version >= 3 {
        // SAFETY: as above.
        let hand_over = unsafe { (&raw const (*old).named).read() };
        // SAFETY: the old library is still loaded; the receiver matches the context.
        unsafe { hand_over(receive_named, std::ptr::from_mut(&mut named).cast()) };
    }
    if !definitions.is_empty() {
        cache::load(env, None, beam::from_external(env, &definitions)?, None).ok()?;
    }
    for Named { name, definitions, module } in named {
        let module = match module.is_empty() {
            true => None,
            false => Some(options::module_options(env, 0, beam::from_external(env, &module)?).ok()?),
        };
        cache::load(env, Some(name), beam::from_external(env, &definitions)?, module).ok()?;
    }
    Some(())
}

unsafe extern "C" fn unload(_env: *mut ErlNifEnv, _private: *mut c_void) {
    if INSTANCES.fetch_sub(1, Ordering::Relaxed) == 1 {
        cache::clear();
    }
}
