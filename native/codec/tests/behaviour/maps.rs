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

#[test]
fn entries_are_written_with_key_and_value_whatever_they_hold() {
    let schema = schema("message M { map<string,int32> f = 1; }");
    schema.both_ways("{M,[]}", "");
    schema.both_ways(r#"{M,[{<<"">>,0}]}"#, "0a 04 0a 00 10 00");
    schema.both_ways(r#"{M,[{<<"a">>,7}]}"#, "0a 05 0a 01 61 10 07");
}

#[test]
fn what_an_entry_does_not_say_is_the_default() {
    for (types, entry) in [
        ("int32,int32", "{0,0}"),
        ("bool,bool", "{false,false}"),
        ("string,string", r#"{<<"">>,<<"">>}"#),
        ("fixed64,bytes", r#"{0,<<"">>}"#),
        ("sint32,double", "{0,0.0}"),
        ("uint64,E", "{0,zero}"),
        ("int64,S", "{0,{S,0,undefined,[],<<\"\">>}}"),
    ] {
        let schema = schema(&format!(
            "message M {{ map<{types}> f = 1; }} message S {{ int32 x = 1; S s = 2; repeated S r = 3; string t = 4; }}
             enum E {{ zero = 0; one = 1; }}"
        ));
        assert_eq!(schema.decode("0a 00"), format!("{{M,[{entry}]}}"), "{types}");
    }
    let keyed = schema("message M { map<string,S> f = 1; } message S { int32 x = 1; }");
    assert_eq!(keyed.decode("0a 03 0a 01 61"), r#"{M,[{<<"a">>,{S,0}}]}"#);
    assert_eq!(keyed.decode("0a 04 12 02 08 05"), r#"{M,[{<<"">>,{S,5}}]}"#);
    let lists = schema("message M { map<string,string> f = 1; }").with_lists();
    assert_eq!(lists.decode("0a 00"), "{M,[{[],[]}]}");
}

#[test]
fn an_entry_without_a_key_has_the_key_that_is_said_elsewhere() {
    let integer = schema("message M { map<int32,int32> f = 1; }");
    assert_eq!(integer.decode("0a 02 10 05 0a 04 08 00 10 06"), "{M,[{0,6}]}");
    let boolean = schema("message M { map<bool,int32> f = 1; }");
    assert_eq!(boolean.decode("0a 02 10 05 0a 04 08 00 10 06"), "{M,[{false,6}]}");
    let text = schema("message M { map<string,int32> f = 1; }");
    assert_eq!(text.decode("0a 02 10 05 0a 04 0a 00 10 06"), r#"{M,[{<<"">>,6}]}"#);
}

#[test]
fn the_last_value_of_a_key_stands_whole() {
    let schema = schema("message M { map<string,S> f = 1; } message S { optional int32 x = 1; optional int32 y = 2; }");
    let input = "0a 07 0a 01 61 12 02 08 01 0a 07 0a 01 61 12 02 10 02";
    assert_eq!(schema.decode(input), r#"{M,[{<<"a">>,{S,undefined,2}}]}"#, "entries are replaced, not merged");
}

#[test]
fn within_an_entry_the_last_scalar_stands_and_messages_are_merged() {
    let scalars = schema("message M { map<int32,int32> f = 1; }");
    assert_eq!(scalars.decode("0a 08 08 01 10 02 08 03 10 04"), "{M,[{3,4}]}");
    let messages =
        schema("message M { map<int32,S> f = 1; } message S { optional int32 x = 1; repeated int32 r = 2; }");
    assert_eq!(messages.decode("0a 0c 12 04 08 05 10 01 08 07 12 02 10 02"), "{M,[{7,{S,5,[1,2]}}]}");
}

#[test]
fn unknown_fields_and_other_wire_types_in_an_entry_are_passed_over() {
    let schema = schema("message M { map<int32,int32> f = 1; unknowns; }");
    assert_eq!(schema.decode("0a 06 08 05 10 06 18 07"), "{M,[{5,6}],[]}");
    assert_eq!(schema.decode("0a 09 08 05 0a 01 61 13 14 10 06"), "{M,[{5,6}],[]}");
}

#[test]
fn keys_are_told_apart_by_value_not_by_form() {
    let schema = schema("message M { map<int32,int32> f = 1; }");
    // 1 in one byte, padded, and with bits beyond the 32nd.
    let input = "0a 04 08 01 10 01 0a 05 08 81 00 10 02 0a 08 08 81 80 80 80 10 10 03";
    assert_eq!(schema.decode(input), "{M,[{1,3}]}");
    let zigzag = crate::support::schema("message M { map<sint32,int32> f = 1; }");
    assert_eq!(zigzag.decode("0a 04 08 01 10 01 0a 08 08 81 80 80 80 10 10 03"), "{M,[{-1,3}]}");
    let boolean = crate::support::schema("message M { map<bool,int32> f = 1; }");
    assert_eq!(boolean.decode("0a 04 08 01 10 01 0a 04 08 02 10 02"), "{M,[{true,2}]}");
}

/// The keys that a map with these keys, in this order on the wire, is decoded to.
fn order(ty: &str, keys: &[&str]) -> String {
    let schema = schema(&format!("message M {{ map<{ty},int32> f = 1; }}"));
    let entries: Vec<String> = keys.iter().map(|key| format!("{{{key},0}}")).collect();
    let decoded = schema.decode(&schema.encode(&format!("{{M,[{}]}}", entries.join(","))));
    decoded.trim_start_matches("{M,[{").trim_end_matches(",0}]}").replace(",0},{", " ")
}

#[test]
fn entries_come_in_the_order_of_the_dict_that_gpb_collects_them_in() {
    // As dict:to_list/1 gives them after dict:store/3 one by one.
    assert_eq!(order("bool", &["true", "false"]), "false true");
    assert_eq!(order("int32", &["3", "2", "1", "3", "2"]), "3 2 1");
    let limits = ["-1", "0", "1", "-2147483648", "2147483647", "4294967296", "-9223372036854775808"];
    assert_eq!(order("int64", &limits), "-9223372036854775808 -2147483648 0 2147483647 -1 4294967296 1");
    assert_eq!(order("sfixed64", &limits), order("int64", &limits));
    let unsigned = ["18446744073709551615", "4294967295", "0", "1"];
    assert_eq!(order("uint64", &unsigned), "0 4294967295 18446744073709551615 1");
    let texts = [r#"<<"a">>"#, r#"<<"b">>"#, r#"<<"">>"#, r#"<<"hello">>"#, "<<195,169>>"];
    assert_eq!(order("string", &texts), r#"<<"">> <<"hello">> <<"b">> <<195,169>> <<"a">>"#);
    let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let in_dict = "96 64 32 83 51 19 70 38 6 89 57 25 92 76 60 44 28 12 95 79 63 47 31 15 98 82 66 50 34 18 2 85 \
                   69 53 37 21 5 88 72 56 40 24 8 91 75 59 43 27 11 94 78 62 46 30 14 97 81 65 49 33 17 1 100 84 \
                   68 52 36 20 4 87 71 55 39 23 7 90 74 58 42 26 10 93 77 61 45 29 13 80 48 16 99 67 35 3 86 54 22 \
                   73 41 9";
    assert_eq!(order("uint32", &numbers), in_dict);
}

#[test]
fn the_number_of_keys_changes_how_they_are_looked_up_not_what_comes_out() {
    let schema = schema("message M { map<uint32,uint32> f = 1; }");
    for count in [15, 16, 17, 18, 100] {
        let once: Vec<u8> = (0..count)
            .flat_map(|key| wire::delimited(1, &[wire::number(1, key), wire::number(2, key)].concat()))
            .collect();
        let decoded = schema.decode_bytes(&once);
        assert_eq!(decoded.matches('{').count(), count as usize + 1);
        assert_eq!(schema.decode_bytes(&once.repeat(3)), decoded);
    }
}

#[test]
fn maps_and_repeated_fields_interleave() {
    let schema = schema("message M { map<int32,int32> f = 1; repeated int32 r = 2; map<int32,int32> g = 3; }");
    let input = "0a 04 08 01 10 01 10 05 1a 04 08 02 10 01 0a 04 08 02 10 02 10 06 0a 04 08 01 10 03 1a 04 08 02 10 09";
    assert_eq!(schema.decode(input), "{M,[{2,2},{1,3}],[5,6],[{2,9}]}");
}

#[test]
fn maps_of_messages_with_maps_keep_their_keys_apart() {
    let schema = schema("message M { map<int32,M> f = 1; repeated M r = 2; M s = 3; }");
    let record = "{M,[{2,{M,[{3,{M,[],[],undefined}},{4,{M,[],[],undefined}}],[],undefined}},\
                  {1,{M,[],[{M,[{5,{M,[],[],undefined}}],[],undefined},{M,[{5,{M,[],[],undefined}}],[],undefined}],\
                  {M,[{2,{M,[],[],undefined}}],[],undefined}}}],[],{M,[{1,{M,[],[],undefined}}],[],undefined}}";
    assert_eq!(schema.decode(&schema.encode(record)), record);
}

#[test]
fn an_entry_that_is_no_entry_is_refused() {
    let schema = schema("message M { map<string,S> f = 1; } message S { int32 x = 1; }");
    assert_eq!(schema.encode(r#"{M,[{<<"a">>}]}"#), r#"InvalidMapEntry for {<<"a">>} in M.f"#);
    assert_eq!(schema.encode("{M,[a]}"), "InvalidMapEntry for a in M.f");
    assert_eq!(schema.encode("{M,[{1,{S,2}}]}"), "BadString for 1 in M.f.key");
    assert_eq!(schema.encode("{M,[{<<>>,undefined}]}"), "ExpectedMessage(S) for undefined in M.f.value");
    assert_eq!(schema.encode("{M,[{<<>>,{S,a}}]}"), "BadInteger(Int32) for a in M.f.value.x");
    assert_eq!(schema.encode("{M,a}"), "InvalidMap for a in M.f");
    assert_eq!(schema.encode("{M,[{<<>>,{S,1}}|a]}"), "InvalidMap for [{<<\"\">>,{S,1}}|a] in M.f");
}
