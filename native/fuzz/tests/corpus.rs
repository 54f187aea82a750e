//! The kept cases of every fuzzer, without libFuzzer: under valgrind, under Miri, and after a change.

use protobuf_codec_fuzz::cases;
use std::path::Path;

fn replay(fuzzer: &str, case: impl Fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(fuzzer);
    let mut count = 0;
    for entry in std::fs::read_dir(&directory).expect("the corpus is there") {
        let path = entry.expect("a file").path();
        println!("{}", path.display());
        case(&std::fs::read(&path).expect("a file that can be read"));
        count += 1;
    }
    assert!(count > 0, "{} is empty", directory.display());
}

#[test]
fn decode() {
    replay("decode", cases::decode);
}

#[test]
fn encode() {
    replay("encode", cases::encode);
}

#[test]
fn definitions() {
    replay("definitions", cases::definitions);
}

#[test]
fn large() {
    replay("large", cases::large);
}
