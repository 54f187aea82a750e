//! Numbers and names that are set aside: `extensions` and `reserved`.

use prost_types::{DescriptorProto, EnumDescriptorProto};

use super::definitions::{Entry, named};
use super::descriptors::Placed;
use super::layout::{Layout, tag};
use super::value::Value;

/// The largest number of a field, and of a field of a message set: what `max` means in a range.
const MAX_FIELD_NUMBER: i32 = 536_870_911;
const MAX_MESSAGE_SET_NUMBER: i32 = i32::MAX - 1;

/// A range with both ends in it.
type Range = (i32, i32);

/// One entry for each statement of a message; `path` leads to the message, `name` is what it is called in Erlang.
pub fn of_message(name: &str, message: &DescriptorProto, layout: &Layout, path: &[i32]) -> Placed {
    // A descriptor has the number behind the end.
    let last = |end: i32| end.saturating_sub(1);
    let extensions: Vec<Range> = message.extension_range.iter().map(|r| (r.start(), last(r.end()))).collect();
    let reserved: Vec<Range> = message.reserved_range.iter().map(|r| (r.start(), last(r.end()))).collect();
    let list = |list: i32| [path, &[list]].concat();
    let mut placed =
        entries("extensions", name, &extensions, layout, &list(tag::message::EXTENSION_RANGE), |mut ranges| {
            ranges.sort_unstable();
            ranges.into_iter().map(|(start, end)| Value::pair(Value::Int(start.into()), range_end(end))).collect()
        });
    placed.extend(reserved_numbers(name, &reserved, layout, &list(tag::message::RESERVED_RANGE)));
    placed.extend(reserved_names(name, &message.reserved_name, layout, &list(tag::message::RESERVED_NAME)));
    placed
}

/// The same for an enumeration.
pub fn of_enum(name: &str, definition: &EnumDescriptorProto, layout: &Layout, path: &[i32]) -> Placed {
    let reserved: Vec<Range> = definition.reserved_range.iter().map(|r| (r.start(), r.end())).collect();
    let list = |list: i32| [path, &[list]].concat();
    let mut placed = reserved_numbers(name, &reserved, layout, &list(tag::enumeration::RESERVED_RANGE));
    placed.extend(reserved_names(name, &definition.reserved_name, layout, &list(tag::enumeration::RESERVED_NAME)));
    placed
}

fn reserved_numbers(name: &str, ranges: &[Range], layout: &Layout, list: &[i32]) -> Placed {
    entries("reserved_numbers", name, ranges, layout, list, |ranges| {
        let numbers = ranges.into_iter().map(|(start, end)| match Value::Int(start.into()) {
            number if start == end => number,
            start => Value::pair(start, range_end(end)),
        });
        numbers.collect()
    })
}

fn reserved_names(name: &str, names: &[String], layout: &Layout, list: &[i32]) -> Placed {
    entries("reserved_names", name, names, layout, list, |names| names.iter().map(|name| Value::chars(name)).collect())
}

/// `{{Key, Name}, Members}` for each statement.
fn entries<T: Clone>(
    key: &str,
    name: &str,
    elements: &[T],
    layout: &Layout,
    list: &[i32],
    members: impl Fn(Vec<T>) -> Vec<Value>,
) -> Placed {
    let statements = layout.statements(list, elements.len()).into_iter().map(|(position, indices)| {
        let written = indices.iter().filter_map(|&i| elements.get(i)).cloned().collect();
        (position, vec![Entry::Other(named(key, name, Value::List(members(written))))])
    });
    statements.collect()
}

fn range_end(end: i32) -> Value {
    match end {
        MAX_FIELD_NUMBER | MAX_MESSAGE_SET_NUMBER | i32::MAX => Value::atom("max"),
        end => Value::Int(end.into()),
    }
}
