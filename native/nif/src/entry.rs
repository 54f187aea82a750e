//! What the VM calls to load, upgrade and unload the library.

use rustler::sys::{ErlNifEntry, ErlNifEnv, ErlNifTerm, c_int, c_void};
use std::sync::OnceLock;

use crate::functions::FUNCTIONS;

struct Entry(ErlNifEntry);

// SAFETY: the entry is written once, before the VM sees it, and holds only pointers to statics.
unsafe impl Send for Entry {}
// SAFETY: as above; nothing writes to it afterwards.
unsafe impl Sync for Entry {}

static ENTRY: OnceLock<Entry> = OnceLock::new();

#[unsafe(no_mangle)]
extern "C" fn nif_init() -> *const ErlNifEntry {
    // SAFETY: the VM calls nif_init once per loaded library, before any other call into it.
    unsafe { rustler::codegen_runtime::internal_write_symbols() };
    &ENTRY
        .get_or_init(|| {
            let mut entry = ErlNifEntry::new(c"enif_protobuf", &FUNCTIONS.0, load);
            entry.upgrade = Some(upgrade);
            Entry(entry)
        })
        .0
}

extern "C" fn load(_env: *mut ErlNifEnv, _priv: *mut *mut c_void, _info: ErlNifTerm) -> c_int {
    0
}

extern "C" fn upgrade(
    _env: *mut ErlNifEnv,
    _priv: *mut *mut c_void,
    _old: *mut *mut c_void,
    _info: ErlNifTerm,
) -> c_int {
    0
}
