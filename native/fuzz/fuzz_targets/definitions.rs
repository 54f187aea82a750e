//! See [`protobuf_codec_fuzz::cases::definitions`].
#![no_main]

use protobuf_codec_fuzz::cases;

libfuzzer_sys::fuzz_target!(|case: &[u8]| cases::definitions(case));
