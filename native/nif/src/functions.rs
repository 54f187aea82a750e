//! The exported NIFs and nothing else.

use rustler::sys::{ErlNifEnv, ErlNifFunc, ErlNifTerm, c_int};
use rustler::{Encoder, Env, Term};

/// The function table that `entry` hands to the VM.
pub struct Functions(pub [ErlNifFunc; 1]);

// SAFETY: the table holds pointers to statics only, and is never written.
unsafe impl Sync for Functions {}

pub static FUNCTIONS: Functions = Functions([ErlNifFunc {
    name: c"debug_term".as_ptr(),
    arity: 1,
    function: debug_term,
    flags: 0,
}]);

unsafe extern "C" fn debug_term(env: *mut ErlNifEnv, _argc: c_int, argv: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the VM hands over a live environment and `argc` valid terms.
    let (env, term) = unsafe {
        let env = Env::new(&(), env);
        (env, Term::new(env, *argv))
    };
    term.encode(env).as_c_arg()
}
