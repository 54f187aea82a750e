//! See [`protobuf_codec_fuzz::cases::decode`]. Every other change to a case is one that knows what a message is.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use protobuf_codec_fuzz::support::random::Random;
use protobuf_codec_fuzz::{cases, structured};

/// The bytes before those of the message.
const HEAD: usize = 3;

fuzz_target!(|case: &[u8]| cases::decode(case));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random::new(u64::from(seed));
    if size <= HEAD || random.one_in(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let changed =
        cases::with_schema(data[0], |known| structured::changed(&mut random, &known.definitions, &data[HEAD..size]));
    let len = changed.len().min(max_size - HEAD);
    data[HEAD..HEAD + len].copy_from_slice(&changed[..len]);
    HEAD + len
});
