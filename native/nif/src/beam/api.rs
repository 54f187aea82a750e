//! Plain functions over single terms, for what is not in the engines' way.
//!
//! The contract that their SAFETY reasons name is the one at the head of `beam`.

use protobuf_codec::Term;
use rustler::sys::*;
use std::mem::MaybeUninit;

/// A term as the codec's word.
#[inline(always)]
pub fn word(term: ErlNifTerm) -> Term {
    // SAFETY: ErlNifTerm is a transparent usize, and usize has 64 bits on every platform that this is built for.
    Term(unsafe { std::mem::transmute::<ErlNifTerm, u64>(term) })
}

/// The codec's word as a term.
#[inline(always)]
pub fn term(word: Term) -> ErlNifTerm {
    // SAFETY: as in `word`; which words are passed here is in the contract.
    unsafe { std::mem::transmute::<u64, ErlNifTerm>(word.0) }
}

/// An atom of this name.
pub fn make_atom(env: *mut ErlNifEnv, name: &str) -> Term {
    // SAFETY: the contract; the name is valid for its length.
    word(unsafe { enif_make_atom_len(env, name.as_ptr().cast(), name.len()) })
}

/// An integer.
pub fn make_integer(env: *mut ErlNifEnv, value: i64) -> Term {
    // SAFETY: the contract.
    word(unsafe { enif_make_int64(env, value) })
}

/// An unsigned integer.
pub fn make_unsigned(env: *mut ErlNifEnv, value: u64) -> Term {
    // SAFETY: the contract.
    word(unsafe { enif_make_uint64(env, value) })
}

/// A finite float.
#[inline(always)]
pub fn make_float(env: *mut ErlNifEnv, value: f64) -> Term {
    // SAFETY: the contract. (The VM makes a badarg of what is not finite.)
    word(unsafe { enif_make_double(env, value) })
}

/// The part of a binary that begins at `start` and is `len` octets long.
#[inline(always)]
pub fn make_sub_binary(env: *mut ErlNifEnv, binary: Term, start: usize, len: usize) -> Term {
    // SAFETY: the contract; callers have checked that the part lies within the binary, which the VM does not.
    word(unsafe { enif_make_sub_binary(env, term(binary), start, len) })
}

/// A list of these elements.
pub fn make_list(env: *mut ErlNifEnv, elements: &[Term]) -> Term {
    // SAFETY: the contract; Term is a transparent word like ErlNifTerm.
    word(unsafe { enif_make_list_from_array(env, elements.as_ptr().cast(), elements.len() as u32) })
}

/// A list cell of this head and tail.
#[inline(always)]
pub fn make_list_cell(env: *mut ErlNifEnv, head: Term, tail: Term) -> Term {
    // SAFETY: the contract.
    word(unsafe { enif_make_list_cell(env, term(head), term(tail)) })
}

/// A tuple of these elements.
pub fn make_tuple(env: *mut ErlNifEnv, elements: &[Term]) -> Term {
    // SAFETY: as in `make_list`.
    word(unsafe { enif_make_tuple_from_array(env, elements.as_ptr().cast(), elements.len() as u32) })
}

/// A map of these pairs, whose keys all differ.
pub fn make_map(env: *mut ErlNifEnv, pairs: &[(Term, Term)]) -> Term {
    // SAFETY: the contract; the next map is read only where the call says that it was written.
    unsafe {
        pairs.iter().fold(word(enif_make_new_map(env)), |map, (key, value)| {
            let mut next = MaybeUninit::uninit();
            match enif_make_map_put(env, term(map), term(*key), term(*value), next.as_mut_ptr()) {
                0 => map,
                _ => word(next.assume_init()),
            }
        })
    }
}

/// A map of these keys, which all differ, and their values.
pub fn make_map_of(env: *mut ErlNifEnv, keys: &[Term], values: &[Term]) -> Term {
    let len = keys.len().min(values.len());
    let mut map = MaybeUninit::uninit();
    // SAFETY: the contract; there are as many keys and values as is said, and Term is a transparent word like ErlNifTerm. The
    // map is read only where the call says that it was written.
    unsafe {
        match enif_make_map_from_arrays(env, keys.as_ptr().cast(), values.as_ptr().cast(), len, map.as_mut_ptr()) {
            0 => word(enif_make_new_map(env)),
            _ => word(map.assume_init()),
        }
    }
}

/// A binary of these bytes.
pub fn make_binary(env: *mut ErlNifEnv, bytes: &[u8]) -> Term {
    make_binary_with(env, bytes.len(), |target| target.copy_from_slice(bytes))
}

/// A binary of this length, filled by `fill`.
#[inline(always)]
pub fn make_binary_with(env: *mut ErlNifEnv, len: usize, fill: impl FnOnce(&mut [u8])) -> Term {
    let mut binary = MaybeUninit::uninit();
    // SAFETY: the VM gives `len` writable bytes that nobody else sees before the call returns. They are plain bytes,
    // so writing them through a slice needs no initial value; `fill` gets no other use of them than to write.
    unsafe {
        let data = enif_make_new_binary(env, len, binary.as_mut_ptr());
        if len > 0 {
            fill(std::slice::from_raw_parts_mut(data, len));
        }
        word(binary.assume_init())
    }
}

/// Binaries from this length on are asked for in a way that the VM may decline. (That takes longer, and a VM that lacks less
/// than this will not go on for long.)
const DECLINABLE_LEN: usize = 64 * 1024;

/// The same for a length that comes from what was called with: nothing where there is no memory for it.
#[inline(always)]
pub fn try_make_binary_with(env: *mut ErlNifEnv, len: usize, fill: impl FnOnce(&mut [u8])) -> Option<Term> {
    if len < DECLINABLE_LEN {
        return Some(make_binary_with(env, len, fill));
    }
    let mut binary = MaybeUninit::<ErlNifBinary>::uninit();
    // SAFETY: the VM gives `len` writable bytes where it says so, which are ours until they are made a term. As above they
    // are only written.
    unsafe {
        if enif_alloc_binary(len, binary.as_mut_ptr()) == 0 {
            return None;
        }
        let mut binary = binary.assume_init();
        fill(std::slice::from_raw_parts_mut(binary.data, len));
        Some(word(enif_make_binary(env, &mut binary)))
    }
}

/// A list of the characters of a text.
pub fn make_string(env: *mut ErlNifEnv, text: &str) -> Term {
    let characters: Vec<Term> = text.chars().map(|c| make_integer(env, i64::from(u32::from(c)))).collect();
    make_list(env, &characters)
}

/// The bytes of a binary.
#[inline(always)]
pub fn get_binary<'t>(env: *mut ErlNifEnv, binary: Term) -> Option<&'t [u8]> {
    let mut inspected = MaybeUninit::<ErlNifBinary>::uninit();
    // SAFETY: the contract, by which `'t` ends with the call. An empty binary may have a null pointer.
    unsafe {
        if enif_inspect_binary(env, term(binary), inspected.as_mut_ptr()) == 0 {
            return None;
        }
        let inspected = inspected.assume_init();
        if inspected.size == 0 {
            return Some(&[]);
        }
        Some(std::slice::from_raw_parts(inspected.data, inspected.size))
    }
}

/// The elements of a tuple.
#[inline(always)]
pub fn get_tuple<'t>(env: *mut ErlNifEnv, tuple: Term) -> Option<&'t [Term]> {
    let mut arity = 0;
    let mut elements = std::ptr::null();
    // SAFETY: the contract, by which `'t` ends with the call; Term is a transparent word like ErlNifTerm. An empty tuple
    // may have a null pointer.
    unsafe {
        if enif_get_tuple(env, term(tuple), &mut arity, &mut elements) == 0 {
            return None;
        }
        if arity == 0 {
            return Some(&[]);
        }
        Some(std::slice::from_raw_parts(elements.cast(), arity as usize))
    }
}

/// Head and tail of a list cell.
#[inline(always)]
pub fn get_cell(env: *mut ErlNifEnv, list: Term) -> Option<(Term, Term)> {
    let (mut head, mut tail) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the contract; both are written where the call says so.
    unsafe {
        if enif_get_list_cell(env, term(list), head.as_mut_ptr(), tail.as_mut_ptr()) == 0 {
            return None;
        }
        Some((word(head.assume_init()), word(tail.assume_init())))
    }
}

/// The value of an integer of 64 bits.
#[inline(always)]
pub fn get_integer(env: *mut ErlNifEnv, integer: Term) -> Option<i64> {
    let mut value = 0;
    // SAFETY: the contract.
    (unsafe { enif_get_int64(env, term(integer), &mut value) } != 0).then_some(value)
}

/// The value of an unsigned integer of 64 bits.
#[inline(always)]
pub fn get_unsigned(env: *mut ErlNifEnv, integer: Term) -> Option<u64> {
    let mut value = 0;
    // SAFETY: the contract.
    (unsafe { enif_get_uint64(env, term(integer), &mut value) } != 0).then_some(value)
}

/// The value of a float.
#[inline(always)]
pub fn get_float(env: *mut ErlNifEnv, float: Term) -> Option<f64> {
    let mut value = 0.0;
    // SAFETY: the contract.
    (unsafe { enif_get_double(env, term(float), &mut value) } != 0).then_some(value)
}

/// The value of a map's key.
pub fn get_map_value(env: *mut ErlNifEnv, map: Term, key: Term) -> Option<Term> {
    let mut value = MaybeUninit::uninit();
    // SAFETY: the contract; the value is written where the call says so. What is no map has no value.
    unsafe {
        if enif_get_map_value(env, term(map), term(key), value.as_mut_ptr()) == 0 {
            return None;
        }
        Some(word(value.assume_init()))
    }
}

/// How many pairs a map has; nothing for what is no map.
pub fn map_size(env: *mut ErlNifEnv, map: Term) -> Option<usize> {
    let mut size = 0;
    // SAFETY: the contract.
    (unsafe { enif_get_map_size(env, term(map), &mut size) } != 0).then_some(size)
}

/// Calls back with each key and value of a map, until that fails.
pub fn each_pair<E>(
    env: *mut ErlNifEnv,
    map: Term,
    mut visit: impl FnMut(Term, Term) -> Result<(), E>,
) -> Result<(), E> {
    let mut iterator = MaybeUninit::<ErlNifMapIterator>::uninit();
    // SAFETY: the contract; the iterator is used only where it was made, and destroyed after that. Key and value are written
    // where the call says so.
    unsafe {
        let first = ErlNifMapIteratorEntry::ERL_NIF_MAP_ITERATOR_HEAD;
        if enif_map_iterator_create(env, term(map), iterator.as_mut_ptr(), first) == 0 {
            return Ok(());
        }
        let mut iterator = iterator.assume_init();
        let mut result = Ok(());
        let (mut key, mut value) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        while result.is_ok()
            && enif_map_iterator_get_pair(env, &mut iterator, key.as_mut_ptr(), value.as_mut_ptr()) != 0
        {
            result = visit(word(key.assume_init()), word(value.assume_init()));
            enif_map_iterator_next(env, &mut iterator);
        }
        enif_map_iterator_destroy(env, &mut iterator);
        result
    }
}

/// The atom of this name, if there is one.
pub fn existing_atom(env: *mut ErlNifEnv, name: &[u8]) -> Option<Term> {
    // The API of this version takes Latin-1; names of fields are ASCII.
    if !name.is_ascii() {
        return None;
    }
    let mut atom = MaybeUninit::uninit();
    // SAFETY: the contract; the name is valid for its length, and the atom is written where the call says so.
    unsafe {
        let encoding = ErlNifCharEncoding::ERL_NIF_LATIN1;
        match enif_make_existing_atom_len(env, name.as_ptr().cast(), name.len(), atom.as_mut_ptr(), encoding) {
            0 => None,
            _ => Some(word(atom.assume_init())),
        }
    }
}

/// Whether a term is an atom.
pub fn is_atom(env: *mut ErlNifEnv, atom: Term) -> bool {
    // SAFETY: the contract.
    unsafe { enif_is_atom(env, term(atom)) != 0 }
}

/// Whether a term is an integer or a float.
pub fn is_number(env: *mut ErlNifEnv, number: Term) -> bool {
    // SAFETY: the contract.
    unsafe { enif_is_number(env, term(number)) != 0 }
}

/// Whether a term is a map.
pub fn is_map(env: *mut ErlNifEnv, map: Term) -> bool {
    // SAFETY: the contract.
    unsafe { enif_is_map(env, term(map)) != 0 }
}

/// A term in the external term format.
pub fn to_external(env: *mut ErlNifEnv, any: Term) -> Option<Vec<u8>> {
    let mut binary = MaybeUninit::<ErlNifBinary>::uninit();
    // SAFETY: the contract. The binary is ours where the call says so: it is copied and released.
    unsafe {
        if enif_term_to_binary(env, term(any), binary.as_mut_ptr()) == 0 {
            return None;
        }
        let mut binary = binary.assume_init();
        let bytes = std::slice::from_raw_parts(binary.data, binary.size).to_vec();
        enif_release_binary(&mut binary);
        Some(bytes)
    }
}

/// The term of an external term format.
pub fn from_external(env: *mut ErlNifEnv, bytes: &[u8]) -> Option<Term> {
    let mut any = MaybeUninit::uninit();
    // SAFETY: the contract; the bytes are valid for their length, and the term is written where the call gives a length.
    unsafe {
        match enif_binary_to_term(env, bytes.as_ptr().cast_mut(), bytes.len(), any.as_mut_ptr(), 0) {
            0 => None,
            _ => Some(word(any.assume_init())),
        }
    }
}

/// The text of an atom.
pub fn atom_text(env: *mut ErlNifEnv, atom: Term) -> Option<String> {
    // The API of this version gives Latin-1 only; the external format has them all.
    const SMALL_ATOM_UTF8: u8 = 119;
    const ATOM_UTF8: u8 = 118;
    const ATOM_LATIN1: u8 = 100;
    if !is_atom(env, atom) {
        return None;
    }
    let mut text = [0u8; 256];
    // SAFETY: the contract; the buffer has the length that is said.
    let len = unsafe {
        enif_get_atom(env, term(atom), text.as_mut_ptr().cast(), text.len() as u32, ErlNifCharEncoding::ERL_NIF_LATIN1)
    };
    match usize::try_from(len).ok().and_then(|len| text.get(..len.checked_sub(1)?)) {
        Some(latin1) if latin1.is_ascii() => Some(latin1.iter().map(|octet| char::from(*octet)).collect()),
        _ => match to_external(env, atom)?.get(1..)? {
            [SMALL_ATOM_UTF8, _, text @ ..] | [ATOM_UTF8, _, _, text @ ..] => String::from_utf8(text.to_vec()).ok(),
            [ATOM_LATIN1, _, _, text @ ..] => Some(text.iter().map(|octet| char::from(*octet)).collect()),
            _ => None,
        },
    }
}
