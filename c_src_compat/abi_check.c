/* Asserts what the Rust side, through rustler's own declarations, assumes of erl_nif.h. Compiling it is the check. */

#include <erl_nif.h>
#include <stddef.h>

#define OFFSET(type, member, bytes) _Static_assert(offsetof(type, member) == (bytes), #type "." #member)
#define VALUE(expression, expected) _Static_assert((expression) == (expected), #expression)

/* A term is one 64-bit word. */
VALUE(sizeof(ERL_NIF_TERM), 8);
VALUE(sizeof(void *), 8);
VALUE(sizeof(int), 4);
VALUE(sizeof(unsigned), 4);
VALUE(sizeof(size_t), 8);
VALUE(sizeof(ErlNifSInt64), 8);
VALUE(sizeof(ErlNifUInt64), 8);

/* The library says 2.15; a VM of the same major version takes every minor version up to its own. */
VALUE(ERL_NIF_MAJOR_VERSION, 2);
_Static_assert(ERL_NIF_MINOR_VERSION >= 15, "the library asks for NIF version 2.15");
_Static_assert(ERL_NIF_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD <= 2, "the VM takes libraries of NIF version 2");
_Static_assert(sizeof(ERL_NIF_VM_VARIANT) == sizeof("beam.vanilla"), "the library says beam.vanilla");

OFFSET(ErlNifEntry, major, 0);
OFFSET(ErlNifEntry, minor, 4);
OFFSET(ErlNifEntry, name, 8);
OFFSET(ErlNifEntry, num_of_funcs, 16);
OFFSET(ErlNifEntry, funcs, 24);
OFFSET(ErlNifEntry, load, 32);
OFFSET(ErlNifEntry, reload, 40);
OFFSET(ErlNifEntry, upgrade, 48);
OFFSET(ErlNifEntry, unload, 56);
OFFSET(ErlNifEntry, vm_variant, 64);
OFFSET(ErlNifEntry, options, 72);
OFFSET(ErlNifEntry, sizeof_ErlNifResourceTypeInit, 80);
OFFSET(ErlNifEntry, min_erts, 88);
VALUE(sizeof(ErlNifEntry), 96);

OFFSET(ErlNifFunc, name, 0);
OFFSET(ErlNifFunc, arity, 8);
OFFSET(ErlNifFunc, fptr, 16);
OFFSET(ErlNifFunc, flags, 24);
VALUE(sizeof(ErlNifFunc), 32);

OFFSET(ErlNifBinary, size, 0);
OFFSET(ErlNifBinary, data, 8);
OFFSET(ErlNifBinary, ref_bin, 16);
VALUE(sizeof(ErlNifBinary), 40);

/* The flags of a function say on which scheduler it runs; 0 is a normal one. One of them also goes to schedule_nif. */
VALUE(ERL_NIF_DIRTY_JOB_CPU_BOUND, 1);
VALUE(ERL_NIF_DIRTY_JOB_IO_BOUND, 2);

VALUE(ERL_NIF_THR_NORMAL_SCHEDULER, 1);
VALUE(ERL_NIF_LATIN1, 1);
VALUE(sizeof(ErlNifCharEncoding), 4);

/* Every function that the library takes from the VM, with its arguments and its result as the Rust side has them. */
#define FUNCTION(name, result, ...) \
    _Static_assert(_Generic(&enif_##name, result (*)(__VA_ARGS__): 1, default: 0), "enif_" #name)

typedef ErlNifEnv *Env;
typedef ERL_NIF_TERM Term;
typedef Term Nif(Env, int, const Term *);

FUNCTION(is_atom, int, Env, Term);
FUNCTION(is_binary, int, Env, Term);
FUNCTION(is_empty_list, int, Env, Term);
FUNCTION(is_exception, int, Env, Term);
FUNCTION(is_fun, int, Env, Term);
FUNCTION(is_list, int, Env, Term);
FUNCTION(is_map, int, Env, Term);
FUNCTION(is_number, int, Env, Term);
FUNCTION(is_pid, int, Env, Term);
FUNCTION(is_port, int, Env, Term);
FUNCTION(is_ref, int, Env, Term);
FUNCTION(is_tuple, int, Env, Term);

FUNCTION(get_atom, int, Env, Term, char *, unsigned, ErlNifCharEncoding);
FUNCTION(get_atom_length, int, Env, Term, unsigned *, ErlNifCharEncoding);
FUNCTION(get_double, int, Env, Term, double *);
FUNCTION(get_int64, int, Env, Term, ErlNifSInt64 *);
FUNCTION(get_list_cell, int, Env, Term, Term *, Term *);
FUNCTION(get_map_value, int, Env, Term, Term, Term *);
FUNCTION(get_tuple, int, Env, Term, int *, const Term **);
FUNCTION(get_uint, int, Env, Term, unsigned *);
FUNCTION(get_uint64, int, Env, Term, ErlNifUInt64 *);
FUNCTION(inspect_binary, int, Env, Term, ErlNifBinary *);

FUNCTION(make_atom_len, Term, Env, const char *, size_t);
FUNCTION(make_copy, Term, Env, Term);
FUNCTION(make_double, Term, Env, double);
FUNCTION(make_int64, Term, Env, ErlNifSInt64);
FUNCTION(make_list_cell, Term, Env, Term, Term);
FUNCTION(make_list_from_array, Term, Env, const Term *, unsigned);
FUNCTION(make_map_put, int, Env, Term, Term, Term, Term *);
FUNCTION(make_new_binary, unsigned char *, Env, size_t, Term *);
FUNCTION(make_new_map, Term, Env);
FUNCTION(make_sub_binary, Term, Env, Term, size_t, size_t);
FUNCTION(make_tuple_from_array, Term, Env, const Term *, unsigned);
FUNCTION(make_uint64, Term, Env, ErlNifUInt64);

FUNCTION(binary_to_term, size_t, Env, const unsigned char *, size_t, Term *, unsigned);
FUNCTION(release_binary, void, ErlNifBinary *);
FUNCTION(term_to_binary, int, Env, Term, ErlNifBinary *);

FUNCTION(alloc_env, Env, void);
FUNCTION(free_env, void, Env);
FUNCTION(consume_timeslice, int, Env, int);
FUNCTION(schedule_nif, Term, Env, const char *, int, Nif *, int, const Term *);
FUNCTION(thread_type, int, void);
