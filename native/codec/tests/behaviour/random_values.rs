//! Random schemas, values and bytes; the seeds are fixed, and named where a test fails.

use protobuf_codec::StringOptions;
use protobuf_codec::decode::Outcome;

use crate::support::arena::Builder;
use crate::support::generate::{Values, maps_sorted, schema_text};
use crate::support::random::Random;
use crate::support::value::Value;
use crate::support::{Schema, proto};

const ALL_OPTIONS: [StringOptions; 4] = [
    StringOptions { string_as_list: false, with_utf8: false },
    StringOptions { string_as_list: false, with_utf8: true },
    StringOptions { string_as_list: true, with_utf8: false },
    StringOptions { string_as_list: true, with_utf8: true },
];

/// Runs a test with many random schemas, and a random value of each.
fn with_random_values(seeds: std::ops::Range<u64>, test: impl Fn(&str, &Schema, &mut Random, Value)) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let text = schema_text(&mut random);
        let definitions = proto::parse(&text);
        let mut schema = Schema::of(&definitions);
        for options in ALL_OPTIONS {
            schema.options = options;
            let value = Values { definitions: &definitions, options }.root(&mut random);
            test(&format!("seed {seed} with {options:?}, {text}"), &schema, &mut random, value);
        }
    }
}

#[test]
fn what_is_encoded_decodes_to_the_same_value() {
    with_random_values(0..600, |at, schema, _, value| {
        let bytes = schema.encode_value(&value).unwrap_or_else(|error| panic!("{error}, {at}"));
        let decoded = schema.decode_value(&bytes).unwrap_or_else(|error| panic!("{error:?}, {at}"));
        assert_eq!(maps_sorted(&decoded).to_string(), maps_sorted(&value).to_string(), "{at}");
    });
}

/// Changes some bytes, takes some out, doubles some, or puts others in.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = bytes.len().min(at + 1 + random.below(8));
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let doubled = bytes[at..end].to_vec();
                bytes.splice(at..at, doubled);
            }
            3 => drop(bytes.splice(at..at, random.octets(5))),
            _ if at == bytes.len() => {}
            4 => bytes[at] ^= 1 << random.below(8),
            _ => bytes[at] = random.bits() as u8,
        }
    }
}

/// Checks what holds for any bytes: that there is a value or an error, and that a value is encoded and decoded again to
/// itself.
fn check_any_bytes(at: &str, schema: &Schema, random: &mut Random, bytes: &[u8]) {
    let decoded = schema.decode_value(bytes);
    match &decoded {
        Ok(value) => match schema.encode_value(value) {
            Ok(again) => {
                let again = schema.decode_value(&again).unwrap_or_else(|error| panic!("{error:?}, {at}"));
                assert_eq!(maps_sorted(&again).to_string(), maps_sorted(value).to_string(), "{at}");
            }
            // Binaries are not looked at when they are decoded.
            Err(error) => assert!(error.starts_with("BadString") && schema.options.with_utf8, "{error}, {at}"),
        },
        Err(error) => assert!(error.offset <= bytes.len() && error.path.starts_with("M0"), "{error:?}, {at}"),
    }
    let mut builder = Builder::new(bytes);
    let budget = random.below(500);
    match (schema.decode_with(bytes, budget, &mut builder), decoded) {
        (Ok(Outcome::OverBudget), _) => {}
        (Ok(Outcome::Done(term)), Ok(value)) => assert_eq!(builder.arena.value(term).to_string(), value.to_string()),
        (Err(error), Err(same)) => assert_eq!(error, same, "{at}"),
        (_, other) => panic!("with a budget it is not {:?}, {at}", other.map(|value| value.to_string())),
    }
}

#[test]
fn mutated_bytes_decode_or_are_refused() {
    with_random_values(1000..1300, |at, schema, random, value| {
        let bytes = schema.encode_value(&value).unwrap_or_else(|error| panic!("{error}, {at}"));
        for _ in 0..4 {
            let mut mutated = bytes.clone();
            mutate(random, &mut mutated);
            check_any_bytes(at, schema, random, &mutated);
        }
    });
}

#[test]
fn random_bytes_decode_or_are_refused() {
    with_random_values(2000..2300, |at, schema, random, _| {
        for _ in 0..10 {
            // Mostly low numbers: tags that the schema has, and lengths that fit.
            let bytes: Vec<u8> = (0..random.below(60))
                .map(|_| if random.one_in(4) { random.bits() } else { random.bits() % 60 } as u8)
                .collect();
            check_any_bytes(at, schema, random, &bytes);
        }
    });
}

#[test]
fn every_beginning_of_an_encoded_message_decodes_or_is_refused() {
    with_random_values(3000..3020, |at, schema, random, value| {
        let bytes = schema.encode_value(&value).unwrap_or_else(|error| panic!("{error}, {at}"));
        for end in 0..bytes.len().min(200) {
            check_any_bytes(at, schema, random, &bytes[..end]);
        }
    });
}
