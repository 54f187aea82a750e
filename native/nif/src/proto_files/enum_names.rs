//! The symbols of an enum, which must differ without the name of the enum in front of them too: generators of other
//! languages take it off, and write the rest in camel case. protoc refuses an enum whose symbols then coincide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use prost_types::EnumDescriptorProto;

use super::checks::Fault;
use super::layout::tag;

/// The first symbol that coincides with another of another number.
pub fn fault(definition: &EnumDescriptorProto) -> Option<Fault> {
    let mut seen = HashMap::new();
    definition.value.iter().enumerate().find_map(|(index, value)| {
        let first = match seen.entry(short_name(value.name(), definition.name())) {
            Entry::Vacant(place) => {
                place.insert(value);
                return None;
            }
            Entry::Occupied(first) => *first.get(),
        };
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let place = vec![tag::enumeration::VALUE, index, tag::enum_value::NAME];
        let symbols = format!("the symbols '{}' and '{}'", first.name(), value.name());
        let sentence = format!("{symbols} are the same in camel case, without the name of the enum in front of them");
        (first.number() != value.number()).then_some((place, sentence))
    })
}

/// What is left of a symbol, in camel case.
fn short_name(symbol: &str, enum_name: &str) -> String {
    let mut starts_word = true;
    let mut short = String::with_capacity(symbol.len());
    for c in without_prefix(symbol, enum_name).chars() {
        if c != '_' {
            short.push(if starts_word { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() });
        }
        starts_word = c == '_';
    }
    short
}

/// The symbol behind the name of the enum, both read without underscores and case; all of it where nothing is left.
fn without_prefix<'s>(symbol: &'s str, enum_name: &str) -> &'s str {
    let mut rest = symbol;
    for expected in enum_name.chars().filter(|c| *c != '_') {
        let mut chars = rest.trim_start_matches('_').chars();
        if !chars.next().is_some_and(|c| c.eq_ignore_ascii_case(&expected)) {
            return symbol;
        }
        rest = chars.as_str();
    }
    match rest.trim_start_matches('_') {
        "" => symbol,
        rest => rest,
    }
}
