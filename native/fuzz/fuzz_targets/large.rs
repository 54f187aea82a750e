//! See [`protobuf_codec_fuzz::cases::large`].
#![no_main]

use protobuf_codec_fuzz::cases;

libfuzzer_sys::fuzz_target!(|case: &[u8]| cases::large(case));
