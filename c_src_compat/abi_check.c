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

/* The VM fills these in memory that the Rust side set aside: they may not be larger than it thinks. */
VALUE(sizeof(ErlNifMapIterator), 56);
VALUE(sizeof(ErlNifPid), 8);
VALUE(sizeof(ErlNifMonitor), 32);

/* The flags of a function say on which scheduler it runs; 0 is a normal one. */
VALUE(ERL_NIF_DIRTY_JOB_CPU_BOUND, 1);
VALUE(ERL_NIF_DIRTY_JOB_IO_BOUND, 2);

VALUE(ERL_NIF_LATIN1, 1);
VALUE(ERL_NIF_RT_CREATE, 1);
VALUE(ERL_NIF_RT_TAKEOVER, 2);
VALUE(ERL_NIF_BIN2TERM_SAFE, 0x20000000);

/* Terms are told apart by these in one call. */
VALUE(ERL_NIF_TERM_TYPE_ATOM, 1);
VALUE(ERL_NIF_TERM_TYPE_BITSTRING, 2);
VALUE(ERL_NIF_TERM_TYPE_FLOAT, 3);
VALUE(ERL_NIF_TERM_TYPE_FUN, 4);
VALUE(ERL_NIF_TERM_TYPE_INTEGER, 5);
VALUE(ERL_NIF_TERM_TYPE_LIST, 6);
VALUE(ERL_NIF_TERM_TYPE_MAP, 7);
VALUE(ERL_NIF_TERM_TYPE_PID, 8);
VALUE(ERL_NIF_TERM_TYPE_PORT, 9);
VALUE(ERL_NIF_TERM_TYPE_REFERENCE, 10);
VALUE(ERL_NIF_TERM_TYPE_TUPLE, 11);

/* The functions that carry every term in and out, with the arguments that the Rust side passes. */
static int (*const inspect_binary)(ErlNifEnv *, ERL_NIF_TERM, ErlNifBinary *) = enif_inspect_binary;
static ERL_NIF_TERM (*const make_sub_binary)(ErlNifEnv *, ERL_NIF_TERM, size_t, size_t) = enif_make_sub_binary;
static unsigned char *(*const make_new_binary)(ErlNifEnv *, size_t, ERL_NIF_TERM *) = enif_make_new_binary;
static int (*const get_tuple)(ErlNifEnv *, ERL_NIF_TERM, int *, const ERL_NIF_TERM **) = enif_get_tuple;
static int (*const get_list_cell)(ErlNifEnv *, ERL_NIF_TERM, ERL_NIF_TERM *, ERL_NIF_TERM *) = enif_get_list_cell;
static ERL_NIF_TERM (*const make_list_cell)(ErlNifEnv *, ERL_NIF_TERM, ERL_NIF_TERM) = enif_make_list_cell;
static ERL_NIF_TERM (*const make_tuple)(ErlNifEnv *, const ERL_NIF_TERM[], unsigned) = enif_make_tuple_from_array;
static ErlNifTermType (*const term_type)(ErlNifEnv *, ERL_NIF_TERM) = enif_term_type;

int main(void) {
    return !(inspect_binary && make_sub_binary && make_new_binary && get_tuple && get_list_cell && make_list_cell &&
             make_tuple && term_type);
}
