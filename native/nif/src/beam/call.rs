//! One call of a NIF.

use protobuf_codec::Term;
use rustler::sys::*;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::api::{term, word};
use crate::errors::Failure;

/// The type of a function that the VM calls.
pub type NifFunction = unsafe extern "C" fn(*mut ErlNifEnv, c_int, *const ErlNifTerm) -> ErlNifTerm;

/// Whether this is the thread of a normal scheduler.
pub fn on_normal_scheduler() -> bool {
    // SAFETY: asks about the calling thread only.
    unsafe { enif_thread_type() == ERL_NIF_THR_NORMAL_SCHEDULER }
}

/// The environment and the arguments of a call. It does not outlive the call, and neither does anything that is read
/// or made with it.
pub struct Call<'c> {
    /// The environment.
    pub env: *mut ErlNifEnv,
    /// The arguments.
    pub arguments: &'c [Term],
}

impl Call<'_> {
    /// Runs the body of a NIF: a failure becomes the list that the Erlang module raises, and so does a panic.
    ///
    /// # Safety
    ///
    /// To be called by a NIF with its own arguments.
    #[inline(always)]
    pub unsafe fn run(
        env: *mut ErlNifEnv,
        argc: c_int,
        argv: *const ErlNifTerm,
        body: impl FnOnce(&Call) -> Result<Term, Box<Failure>>,
    ) -> ErlNifTerm {
        let arguments = match argc {
            // A NIF without arguments may get a null pointer.
            0 => &[],
            // SAFETY: the VM hands over `argc` terms; Term is a transparent word like ErlNifTerm.
            _ => unsafe { std::slice::from_raw_parts(argv.cast(), argc as usize) },
        };
        let call = Call { env, arguments };
        // The terms of a failure are made in here too: that may panic like the rest.
        let result = catch_unwind(AssertUnwindSafe(|| match body(&call) {
            Ok(result) => result,
            Err(failure) => failure.to_term(env),
        }));
        match result {
            Ok(result) => term(result),
            Err(_) => term(Failure::Panicked.to_term(env)),
        }
    }

    /// The argument at this place, which the arity says is there.
    #[inline(always)]
    pub fn argument(&self, index: usize) -> Term {
        self.arguments.get(index).copied().unwrap_or(Term::NONE)
    }

    /// Runs `body` on the arguments as rustler's terms: for what is far from hot, and needs no unsafe code then.
    pub fn with_rustler<const ARITY: usize>(
        &self,
        body: impl for<'a> FnOnce(rustler::Env<'a>, [rustler::Term<'a>; ARITY]) -> Result<rustler::Term<'a>, Failure>,
    ) -> Result<Term, Box<Failure>> {
        let during_the_call = ();
        // SAFETY: the environment is live during the call, and what `body` makes with it cannot be kept beyond.
        let env = unsafe { rustler::Env::new(&during_the_call, self.env) };
        // SAFETY: the arguments are terms of this environment.
        let arguments = std::array::from_fn(|index| unsafe { rustler::Term::new(env, term(self.argument(index))) });
        Ok(word(body(env, arguments)?.as_c_arg()))
    }

    /// Goes on with `function` and the same arguments on a dirty CPU scheduler.
    #[cold]
    pub fn continue_dirty(&self, name: &CStr, function: NifFunction) -> Term {
        let argc = self.arguments.len() as c_int;
        // SAFETY: the environment is live, the name and the arguments are valid; the result is returned at once.
        word(unsafe {
            enif_schedule_nif(
                self.env,
                name.as_ptr(),
                ERL_NIF_DIRTY_JOB_CPU_BOUND as c_int,
                function,
                argc,
                self.arguments.as_ptr().cast(),
            )
        })
    }

    /// Takes so many percent, at least one, off the time slice of the process, which is on a normal scheduler.
    #[cold]
    pub fn consume_timeslice(&self, percent: usize) {
        // SAFETY: the environment is that of this call; the value is in range.
        unsafe { enif_consume_timeslice(self.env, percent.clamp(1, 100) as c_int) };
    }
}
