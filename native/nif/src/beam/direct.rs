//! Reading terms where they lie, without a call into the VM.
//!
//! How terms lie in memory is no documented interface and differs between releases. So nothing here is used before
//! [`check`] has made terms of every kind through the documented API and found each of them word by word as expected;
//! otherwise the API is asked, as it is for every term that is out of the ordinary. The environment variable
//! `ENIF_PROTOBUF_API_ONLY`, set to anything when the library is loaded, turns all of this off.
//!
//! Nothing is written: terms are made through the API only, but for small integers, which are words and no memory.
//!
//! That a word is a term, and that what it points to stays there during a call, is in the contract at the head of `beam`.

use protobuf_codec::Term;
use rustler::sys::ErlNifEnv;
use std::sync::atomic::{AtomicU8, Ordering};

use super::api;

/// How terms lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Layout {
    /// As nothing known here: the API is asked.
    Unknown = 0,
    /// As up to OTP 26, where binaries count bytes.
    Bytes = 1,
    /// As from OTP 27 on, where binaries count bits.
    Bits = 2,
}

static LAYOUT: AtomicU8 = AtomicU8::new(Layout::Unknown as u8);

/// The layout that was found at load.
#[inline(always)]
pub fn layout() -> Layout {
    match LAYOUT.load(Ordering::Relaxed) {
        1 => Layout::Bytes,
        2 => Layout::Bits,
        _ => Layout::Unknown,
    }
}

const PRIMARY_MASK: u64 = 3;
/// Where memory cannot be told by its address to hold literals, the VM marks pointers to them with the third bit.
const POINTER_MASK: u64 = !7;
const LIST: u64 = 1;
const BOXED: u64 = 2;

const WORD_BYTES: u64 = 8;
const CELL_BYTES: u64 = 2 * WORD_BYTES;

const SMALL_TAG: u64 = 0xf;
const SMALL_BITS: u32 = 4;
const SMALL_MIN: i64 = -(1 << 59);
const SMALL_MAX: i64 = (1 << 59) - 1;

/// A header is a count of words over six bits of kind.
const HEADER_BITS: u32 = 6;
const KIND_MASK: u64 = 0x3f;
const TUPLE_KIND: u64 = 0;
const FLOAT_HEADER: u64 = 0x58;
const POSITIVE_BIG_HEADER: u64 = 0x48;
const NEGATIVE_BIG_HEADER: u64 = 0x4c;
/// Up to OTP 26.
const REFC_BINARY_HEADER: u64 = 0x160;
const SUB_BINARY_HEADER: u64 = 0xe8;
/// From OTP 27 on.
const SUB_BITS_HEADER: u64 = 0x124;

/// The word of a small integer; nothing for one that is not small.
#[inline(always)]
pub fn make_small(value: i64) -> Option<Term> {
    (SMALL_MIN..=SMALL_MAX).contains(&value).then_some(Term(((value as u64) << SMALL_BITS) | SMALL_TAG))
}

/// The value of a small integer's word.
#[inline(always)]
pub fn small(term: Term) -> Option<i64> {
    (term.0 & SMALL_TAG == SMALL_TAG).then_some((term.0 as i64) >> SMALL_BITS)
}

/// Where a term of this primary tag points to.
#[inline(always)]
fn pointer(term: Term, primary: u64) -> Option<*const u64> {
    (term.0 & PRIMARY_MASK == primary).then_some((term.0 & POINTER_MASK) as *const u64)
}

/// Head and tail of a list cell.
#[inline(always)]
pub fn cell(term: Term) -> Option<(Term, Term)> {
    let cell = pointer(term, LIST)?;
    // SAFETY: in either layout a list word points to the two words of its cell, which stay where they are during a
    // call.
    Some(unsafe { (Term(*cell), Term(*cell.add(1))) })
}

/// How many cells ahead of the one being read memory is asked for. (Measured: 3 to 5 do equally well.)
const CELLS_AHEAD: u64 = 4;

/// Asks for the memory about an address, which need not be one.
#[inline(always)]
fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint to the processor, which changes nothing and fails on no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address as *const i8) }
    }
    // Elsewhere stable Rust has no such hint.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// How many cells that lie side by side are read in a row.
const CELLS_IN_A_ROW: usize = 8;

/// Copies the integers that a list begins with, as long as they are from 0 to `max` and there is room; gives how many there were and the rest of the list.
///
/// The cells of a list lie side by side, or, once they have been collected along with other lists, at equal distances.
/// Going on to the next one by its distance, once the tail has been seen to be that place, spares waiting for the tail to
/// be loaded.
#[inline]
pub fn octets(list: Term, max: u8, octets: &mut [u8]) -> (usize, Term) {
    // Head and tail of a cell; the head so that of a small integer the value is left, and of others what is beyond any.
    let read = |cell: u64| {
        // SAFETY: as in `cell`: each place that this is called with is that of a cell, which the list or a tail points to.
        let (head, tail) = unsafe { (*(cell as *const u64), *((cell + WORD_BYTES) as *const u64)) };
        (head.rotate_right(SMALL_BITS) ^ SMALL_TAG.rotate_right(SMALL_BITS), tail)
    };
    let max = u64::from(max);
    let (mut rest, mut distance, mut len) = (list, CELL_BYTES, 0);
    'stretches: while rest.0 & PRIMARY_MASK == LIST {
        let mut cell = rest.0 & POINTER_MASK;
        if distance == CELL_BYTES {
            while let Some(row) = octets[len..].first_chunk_mut::<CELLS_IN_A_ROW>() {
                for (index, octet) in row.iter_mut().enumerate() {
                    let (value, tail) = read(cell);
                    if value > max {
                        return (len + index, Term(cell + LIST));
                    }
                    *octet = value as u8;
                    if tail != cell.wrapping_add(CELL_BYTES + LIST) {
                        len += index + 1;
                        rest = Term(tail);
                        distance = (tail & POINTER_MASK).wrapping_sub(cell);
                        continue 'stretches;
                    }
                    cell = cell.wrapping_add(CELL_BYTES);
                }
                len += CELLS_IN_A_ROW;
            }
        }
        loop {
            let (value, tail) = read(cell);
            if value > max {
                return (len, Term(cell + LIST));
            }
            let Some(octet) = octets.get_mut(len) else { return (len, Term(cell + LIST)) };
            *octet = value as u8;
            len += 1;
            prefetch(cell.wrapping_add(distance.wrapping_mul(CELLS_AHEAD)));
            let expected = cell.wrapping_add(distance);
            if tail != expected.wrapping_add(LIST) {
                rest = Term(tail);
                distance = (tail & POINTER_MASK).wrapping_sub(cell);
                break;
            }
            cell = expected;
        }
    }
    (len, rest)
}

/// The elements of a tuple.
#[inline(always)]
pub fn tuple<'t>(term: Term) -> Option<&'t [Term]> {
    let boxed = pointer(term, BOXED)?;
    // SAFETY: in either layout a boxed word points to a header; that of a tuple is followed by as many terms as it
    // says, which stay where they are during a call. Term is a transparent word.
    unsafe {
        let header = *boxed;
        (header & KIND_MASK == TUPLE_KIND)
            .then(|| std::slice::from_raw_parts(boxed.add(1).cast(), (header >> HEADER_BITS) as usize))
    }
}

/// The value of a float.
#[inline(always)]
pub fn float(term: Term) -> Option<f64> {
    let boxed = pointer(term, BOXED)?;
    // SAFETY: in either layout a boxed word points to a header; that of a float is followed by its value.
    unsafe { (*boxed == FLOAT_HEADER).then(|| f64::from_bits(*boxed.add(1))) }
}

/// Whether an integer that is not small is negative, and its magnitude, where that takes one word.
#[inline(always)]
pub fn big(term: Term) -> Option<(bool, u64)> {
    let boxed = pointer(term, BOXED)?;
    // SAFETY: in either layout a boxed word points to a header; that of a large integer of one word is followed by it.
    unsafe {
        match *boxed {
            POSITIVE_BIG_HEADER => Some((false, *boxed.add(1))),
            NEGATIVE_BIG_HEADER => Some((true, *boxed.add(1))),
            _ => None,
        }
    }
}

/// Whether an integer is far beyond what a double can hold, which is up to 1024 bits.
pub fn is_huge(term: Term) -> bool {
    const BIG_KINDS: [u64; 2] = [POSITIVE_BIG_HEADER & KIND_MASK, NEGATIVE_BIG_HEADER & KIND_MASK];
    const WORDS: u64 = 17;
    let Some(boxed) = pointer(term, BOXED) else { return false };
    // SAFETY: in either layout a boxed word points to a header, which counts the words of a large integer.
    let header = unsafe { *boxed };
    BIG_KINDS.contains(&(header & KIND_MASK)) && header >> HEADER_BITS > WORDS
}

/// The length of what is boxed if it is a binary for which [`binary`] gives nothing; of other terms any number.
pub fn odd_binary_len(layout: Layout, term: Term) -> Option<usize> {
    let boxed = pointer(term, BOXED)?;
    // SAFETY: a boxed word points to a header, and what is read behind one is there in the layout that was found at load:
    // in both, each of these kinds has that many words. (Of other kinds nothing is read.)
    unsafe {
        Some(match (layout, *boxed) {
            (Layout::Bytes, REFC_BINARY_HEADER | SUB_BINARY_HEADER) => *boxed.add(1) as usize,
            (Layout::Bits, SUB_BITS_HEADER) => ((*boxed.add(3)).wrapping_sub(*boxed.add(2)) >> 3) as usize,
            _ => 0,
        })
    }
}

/// The octets of a binary; nothing also for a binary that is out of the ordinary: one that is being appended to, or
/// that does not begin or end at an octet.
#[inline(always)]
pub fn binary<'t>(layout: Layout, term: Term) -> Option<&'t [u8]> {
    let boxed = pointer(term, BOXED)?;
    // SAFETY: a boxed word points to a header; what follows is read as the layout has it, which was checked at load.
    // The octets stay where they are during a call.
    unsafe {
        let (data, len) = match layout {
            Layout::Bytes => bytes_layout(boxed)?,
            Layout::Bits => bits_layout(boxed)?,
            Layout::Unknown => return None,
        };
        Some(std::slice::from_raw_parts(data, len))
    }
}

/// # Safety
///
/// `boxed` points to a header, in the layout [`Layout::Bytes`].
#[inline(always)]
unsafe fn bytes_layout(boxed: *const u64) -> Option<(*const u8, usize)> {
    const HEAP_BINARY_KIND: u64 = 0x24;
    // A sub-binary has the sizes of its odd bits and whether it is being appended to in three octets.
    const SUB_BINARY_ODD: u64 = 0xff_ffff;
    // SAFETY: the words read are those that the headers stand before.
    unsafe {
        let whole = |boxed: *const u64| match *boxed {
            // Header, octets, data.
            header if header & KIND_MASK == HEAP_BINARY_KIND => Some((boxed.add(2).cast(), *boxed.add(1) as usize)),
            // Header, octets, next, binary, data, flags.
            REFC_BINARY_HEADER if *boxed.add(5) == 0 => Some((*boxed.add(4) as *const u8, *boxed.add(1) as usize)),
            _ => None,
        };
        match *boxed {
            // Header, octets, offset, odd bits, origin.
            SUB_BINARY_HEADER if *boxed.add(3) & SUB_BINARY_ODD == 0 => {
                let (data, _): (*const u8, usize) = whole(pointer(Term(*boxed.add(4)), BOXED)?)?;
                Some((data.add(*boxed.add(2) as usize), *boxed.add(1) as usize))
            }
            _ => whole(boxed),
        }
    }
}

/// # Safety
///
/// `boxed` points to a header, in the layout [`Layout::Bits`].
#[inline(always)]
unsafe fn bits_layout(boxed: *const u64) -> Option<(*const u8, usize)> {
    const HEAP_BITS_KIND: u64 = 0x20;
    const FLAGS: u64 = 3;
    const ODD: u64 = 7;
    // SAFETY: the words read are those that the headers stand before.
    unsafe {
        match *boxed {
            // Header, bits, data.
            header if header & KIND_MASK == HEAP_BITS_KIND && *boxed.add(1) & ODD == 0 => {
                Some((boxed.add(2).cast(), (*boxed.add(1) >> 3) as usize))
            }
            // Header, data and flags, first bit, end bit, origin.
            SUB_BITS_HEADER if *boxed.add(1) & FLAGS == 0 && (*boxed.add(2) | *boxed.add(3)) & ODD == 0 => {
                let (start, end) = (*boxed.add(2) >> 3, *boxed.add(3) >> 3);
                Some(((*boxed.add(1) as *const u8).add(start as usize), (end - start) as usize))
            }
            _ => None,
        }
    }
}

/// Finds out how terms lie in memory on this VM.
pub fn check(env: *mut ErlNifEnv) {
    let found = match std::env::var_os("ENIF_PROTOBUF_API_ONLY") {
        Some(_) => Layout::Unknown,
        None if !plain_terms_as_expected(env) => Layout::Unknown,
        None => {
            let fits = |layout: &Layout| binaries_as_expected(env, *layout);
            [Layout::Bytes, Layout::Bits].into_iter().find(fits).unwrap_or(Layout::Unknown)
        }
    };
    LAYOUT.store(found as u8, Ordering::Relaxed);
}

fn plain_terms_as_expected(env: *mut ErlNifEnv) -> bool {
    let powers = (0..59).flat_map(|bits| [1i64 << bits, -(1i64 << bits), (1i64 << bits) - 1]);
    let smalls = powers.chain([SMALL_MIN, SMALL_MAX]).all(|value| {
        let term = api::make_integer(env, value);
        make_small(value) == Some(term) && small(term) == Some(value)
    });
    let big_ones = [SMALL_MAX + 1, i64::MAX, SMALL_MIN - 1, i64::MIN].into_iter().all(|value| {
        let term = api::make_integer(env, value);
        big(term) == Some((value < 0, value.unsigned_abs()))
    }) && big(api::make_unsigned(env, u64::MAX)) == Some((false, u64::MAX));
    let beyond_a_word =
        api::from_external(env, &[131, 110, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).is_some_and(|term| big(term).is_none());

    let one_big = api::make_integer(env, SMALL_MAX + 1);
    let atom = api::make_atom(env, "ok");
    let others = [one_big, atom, api::make_list(env, &[]), api::make_tuple(env, &[])];
    let no_smalls = others.iter().all(|term| small(*term).is_none());

    let floats = [0.0, -0.0, 1.5, -1e300].into_iter().all(|value: f64| {
        let term = api::make_float(env, value);
        float(term).map(f64::to_bits) == Some(value.to_bits())
    });

    let elements = [atom, one_big, api::make_integer(env, 7)];
    let tuples = (0..=elements.len()).all(|arity| {
        let term = api::make_tuple(env, &elements[..arity]);
        // What the empty tuple is has changed: it need not be asked for here.
        arity == 0 || tuple(term) == Some(&elements[..arity])
    });
    let list = api::make_list(env, &elements);
    let tail = api::get_cell(env, list).map_or(Term::NONE, |(_, tail)| tail);
    let cells = cell(list) == Some((atom, tail)) && cell(tail).map(|(head, _)| head) == Some(one_big);

    let not_boxed = [list, atom, api::make_integer(env, 7)];
    let told_apart = not_boxed.iter().all(|term| tuple(*term).is_none() && float(*term).is_none())
        && [one_big, api::make_float(env, 1.5)].iter().all(|term| tuple(*term).is_none() && cell(*term).is_none())
        && float(one_big).is_none()
        && [api::make_float(env, 1.5), api::make_tuple(env, &elements), atom].iter().all(|term| big(*term).is_none());
    smalls && no_smalls && big_ones && beyond_a_word && floats && tuples && cells && told_apart
}

fn binaries_as_expected(env: *mut ErlNifEnv, layout: Layout) -> bool {
    let as_expected = |term: Term| {
        let same = |api: &[u8], direct: &[u8]| {
            api.len() == direct.len() && (api.is_empty() || api.as_ptr() == direct.as_ptr())
        };
        match (api::get_binary(env, term), binary(layout, term)) {
            (Some(api), Some(direct)) => same(api, direct),
            _ => false,
        }
    };
    [0, 1, 7, 8, 63, 64, 65, 300, 5000].into_iter().all(|len: usize| {
        let bytes: Vec<u8> = (0..len).map(|index| index as u8).collect();
        let whole = api::make_binary(env, &bytes);
        let parts = [(0, len), (len / 3, len / 2), (len / 2, len - len / 2), (len, 0)];
        as_expected(whole)
            && parts.iter().all(|(start, part)| as_expected(api::make_sub_binary(env, whole, *start, *part)))
    })
}
