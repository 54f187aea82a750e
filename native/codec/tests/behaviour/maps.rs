//! Maps: entries, their defaults, keys that come twice, and the order of what is decoded.

use crate::support::{schema, wire};

#[test]
fn the_key_of_an_entry_may_come_behind_a_value_that_has_a_map() {
    let schema = schema("message M { map<int32,S> f = 1; } message S { map<int32,int32> g = 1; }");
    let value = wire::delimited(2, &wire::bytes("0a 04 08 05 10 06"));
    let entry = |key| wire::delimited(1, &[value.clone(), wire::number(1, key)].concat());
    let input = [entry(1), entry(2)].concat();
    assert_eq!(schema.decode_bytes(&input), "{M,[{2,{S,[{5,6}]}},{1,{S,[{5,6}]}}]}");
    let twice = wire::delimited(1, &[wire::number(1, 8), value.clone(), wire::number(1, 9)].concat());
    assert_eq!(schema.decode_bytes(&[entry(9), twice].concat()), "{M,[{9,{S,[{5,6}]}}]}");
}
