//! Strings and bytes under the options of `set_opts/1`, as binaries and as nested lists.

use crate::support::value::{list, name};
use crate::support::{schema, value::Value, wire};

const BOTH: &str = "message M { optional string s = 1; optional bytes b = 2; }";

#[test]
fn binaries_come_and_go_as_they_are() {
    schema(BOTH).both_ways(r#"{M,<<"ab">>,<<0,255>>}"#, "0a 02 61 62 12 02 00 ff");
    schema(BOTH).both_ways("{M,<<195,40>>,undefined}", "0a 02 c3 28");
}

#[test]
fn lists_are_of_octets_without_utf8_and_of_code_points_with_it() {
    let octets = schema(BOTH).with_lists();
    octets.both_ways(r#"{M,[97,233,255],<<"a">>}"#, "0a 03 61 e9 ff 12 01 61");
    assert_eq!(octets.encode("{M,[256],undefined}"), "BadString for [256] in M.s");
    let characters = schema(BOTH).with_lists().with_utf8();
    characters.both_ways(
        "{M,[97,127,128,2047,2048,65535,65536,1114111],undefined}",
        "0a 14 61 7f c2 80 df bf e0 a0 80 ef bf bf f0 90 80 80 f4 8f bf bf",
    );
    characters.both_ways("{M,[],undefined}", "0a 00");
}

#[test]
fn code_points_at_and_beyond_the_limits() {
    let schema = schema(BOTH).with_utf8();
    assert_eq!(schema.encode("{M,[55295,57344],undefined}"), "0a 06 ed 9f bf ee 80 80");
    for wrong in ["-1", "55296", "57343", "1114112", "4294967296", "18446744073709551616"] {
        let error = format!("BadString for [97,{wrong}] in M.s");
        assert_eq!(schema.encode(&format!("{{M,[97,{wrong}],undefined}}")), error);
    }
}

#[test]
fn bytes_fields_are_octets_whatever_the_options() {
    for schema in [schema(BOTH), schema(BOTH).with_utf8(), schema(BOTH).with_lists().with_utf8()] {
        assert_eq!(schema.encode("{M,undefined,[0,255,<<1,2>>]}"), "12 04 00 ff 01 02");
        assert_eq!(schema.encode("{M,undefined,[256]}"), "BadBytes for [256] in M.b");
        assert_eq!(schema.encode("{M,undefined,[-1]}"), "BadBytes for [-1] in M.b");
        assert_eq!(schema.decode("12 02 ff 00"), "{M,undefined,<<255,0>>}");
    }
}

#[test]
fn nested_and_improper_lists_are_flattened() {
    let schema = schema(BOTH);
    assert_eq!(schema.encode(r#"{M,[[97|<<"b">>],[],[[[99]]],<<"d">>|<<"e">>],undefined}"#), "0a 05 61 62 63 64 65");
    assert_eq!(schema.encode("{M,[[]|<<>>],undefined}"), "0a 00");
    for wrong in ["[97|98]", "[a]", "[97|a]", "[{97}]", "[1.5]", "[[97|98]]", "a", "97", "{97}", "1.5"] {
        let shown = schema.encode(&format!("{{M,{wrong},undefined}}"));
        assert_eq!(shown, format!("BadString for {wrong} in M.s"));
        let shown = schema.encode(&format!("{{M,undefined,{wrong}}}"));
        assert_eq!(shown, format!("BadBytes for {wrong} in M.b"));
    }
}

#[test]
fn lists_of_every_length_around_the_size_of_a_buffer() {
    for with_utf8 in [false, true] {
        let mut schema = schema("message M { optional string s = 1; int32 after = 2; }").with_lists();
        schema.options.with_utf8 = with_utf8;
        for len in [0, 1, 63, 64, 65, 127, 128, 900, 1022, 1023, 1024, 1025, 5000] {
            let elements: Vec<String> = (0..len).map(|index| (1 + index % 127).to_string()).collect();
            let record = format!("{{M,[{}],3}}", elements.join(","));
            assert_eq!(schema.decode(&schema.encode(&record)), record);
        }
    }
}

#[test]
fn characters_of_several_octets_at_the_end_of_a_buffer() {
    let schema = schema("message M { optional string s = 1; }").with_lists().with_utf8();
    for len in 1000..1030 {
        let record = format!("{{M,[{},233,8364,128512,98]}}", vec!["97"; len].join(","));
        assert_eq!(schema.decode(&schema.encode(&record)), record);
    }
}

#[test]
fn strings_that_are_not_utf8_are_refused_where_characters_are_asked_for() {
    let schema = schema(BOTH).with_lists().with_utf8();
    for wrong in ["0a 02 c3 28", "0a 03 ed a0 80", "0a 01 e4", "0a 02 c0 80", "0a 04 f4 90 80 80", "0a 01 ff"] {
        assert_eq!(schema.decode(wrong), "InvalidUtf8 at 0 in M.s");
    }
    assert_eq!(schema.decode("0a 01 e4 12 02 07 08"), "InvalidUtf8 at 0 in M.s", "the next field is left alone");
    assert_eq!(schema.encode("{M,<<195,40>>,undefined}"), "BadString for <<195,40>> in M.s");
    assert_eq!(schema.encode("{M,[<<195>>,233],undefined}"), "BadString for [<<195>>,233] in M.s");
}

#[test]
fn a_character_may_be_spread_over_binaries_that_follow_one_another() {
    let schema = schema(BOTH).with_utf8();
    assert_eq!(schema.encode("{M,[<<195>>,<<169>>],undefined}"), "0a 02 c3 a9");
    assert_eq!(schema.encode("{M,[[<<226,130>>],[],<<172>>],undefined}"), "0a 03 e2 82 ac");
}

#[test]
fn fields_without_presence_do_not_write_what_is_empty() {
    let schema = schema("message M { int32 a = 1; string s = 2; M m = 3; bytes b = 4; }");
    assert_eq!(schema.encode("{M,0,[],undefined,[[],<<>>]}"), "");
    assert_eq!(schema.encode("{M,1,[[]],{M,0,[<<>>],undefined,<<>>},[]}"), "08 01 1a 00");
}

#[test]
fn absent_strings_are_empty_in_the_form_that_is_asked_for() {
    assert_eq!(schema("message M { string s = 1; bytes b = 2; }").decode(""), r#"{M,<<"">>,<<"">>}"#);
    assert_eq!(schema("message M { string s = 1; bytes b = 2; }").with_lists().decode(""), r#"{M,[],<<"">>}"#);
}

#[test]
fn a_list_that_failed_leaves_nothing_to_the_next_one() {
    let schema = schema("message M { string s = 5; }");
    assert_eq!(schema.encode("{M,[[97,wrong],98]}"), "BadString for [[97,wrong],98] in M.s");
    assert_eq!(schema.encode("{M,[99]}"), "2a 01 63");
}

const VERIFIED: &str =
    "message M { optional utf8 string s = 1; repeated utf8 string r = 2; utf8 map<string, string> m = 3;
    oneof o { utf8 string t = 4; } utf8 string d = 5; }";

#[test]
fn strings_that_must_be_utf8_are_refused_when_they_are_not() {
    for schema in [schema(VERIFIED), schema(VERIFIED).with_utf8(), schema(VERIFIED).with_lists()] {
        assert_eq!(schema.decode("0a 02 c3 28"), "InvalidUtf8 at 0 in M.s");
        assert_eq!(schema.decode("12 01 61 12 03 ed a0 80"), "InvalidUtf8 at 3 in M.r");
        assert_eq!(schema.decode("1a 03 0a 01 ff"), "InvalidUtf8 at 2 in M.m.key");
        assert_eq!(schema.decode("1a 03 12 01 80"), "InvalidUtf8 at 2 in M.m.value");
        assert_eq!(schema.decode("22 01 c0"), "InvalidUtf8 at 0 in M.o.t");
        assert_eq!(schema.decode("2a 04 f4 90 80 80"), "InvalidUtf8 at 0 in M.d");
    }
}

#[test]
fn strings_that_must_be_utf8_and_are_come_as_others_do() {
    let input = "0a 02 c3 a9 12 00 12 03 e4 bd a0 1a 06 0a 01 6b 12 01 76 22 01 74 2a 01 64";
    schema(VERIFIED)
        .both_ways(r#"{M,<<195,169>>,[<<"">>,<<228,189,160>>],[{<<"k">>,<<"v">>}],{t,<<"t">>},<<"d">>}"#, input);
    schema(VERIFIED).with_lists().both_ways("{M,[195,169],[[],[228,189,160]],[{[107],[118]}],{t,[116]},[100]}", input);
    let characters = schema(VERIFIED).with_lists().with_utf8();
    characters.both_ways("{M,[233],[[],[20320]],[{[107],[118]}],{t,[116]},[100]}", input);
    schema(VERIFIED).both_ways(r#"{M,undefined,[],[],undefined,<<"">>}"#, "");
    schema(VERIFIED).with_lists().both_ways("{M,undefined,[],[],undefined,[]}", "");
    assert_eq!(schema(VERIFIED).decode("1a 00"), r#"{M,undefined,[],[{<<"">>,<<"">>}],undefined,<<"">>}"#);
}

#[test]
fn strings_that_must_be_utf8_are_not_written_when_they_are_not() {
    let schema = schema(VERIFIED);
    for (wrong, text) in [("<<195,40>>", "<<195,40>>"), ("[233]", "[233]"), ("[97|<<255>>]", "[97|<<255>>]")] {
        let record = format!("{{M,{wrong},[],[],undefined,<<>>}}");
        assert_eq!(schema.encode(&record), format!("BadString for {text} in M.s"));
    }
    assert_eq!(schema.encode("{M,undefined,[<<255>>],[],undefined,<<>>}"), "BadString for <<255>> in M.r");
    assert_eq!(schema.encode("{M,undefined,[],[{<<255>>,<<>>}],undefined,<<>>}"), "BadString for <<255>> in M.m.key");
    assert_eq!(schema.encode("{M,undefined,[],[],{t,[255]},<<>>}"), "BadString for [255] in M.o.t");
    assert_eq!(schema.encode("{M,[195,[169]],[],[],undefined,[]}"), "0a 02 c3 a9");
    assert_eq!(schema.encode("{M,[256],[],[],undefined,[]}"), "BadString for [256] in M.s");
    assert_eq!(schema.encode("{M,undefined,[a],[],undefined,[]}"), "BadString for a in M.r");
}

/// Large binaries are copied to the result only where the buffer has no room for them, and to the buffer where it has.
#[test]
fn large_binaries_stand_where_they_belong_whether_there_was_room_or_not() {
    let schema = schema("message M { optional bytes b = 1; optional M m = 2; optional bytes after = 3; }");
    let sizes = [16_383, 16_384, 100_000, 40_000, 1 << 20, 20_000, 70_000, 0];
    for (index, sizes) in sizes.windows(3).enumerate() {
        let &[outer, inner, after] = sizes else { panic!("three") };
        let [outer, inner, after] = [outer, inner, after].map(|len: usize| vec![index as u8 + 1; len]);
        let binary = |bytes: &[u8]| Value::Binary(bytes.to_vec());
        let message = |fields: [Value; 3]| Value::Tuple([name("M")].into_iter().chain(fields).collect());
        let within = message([binary(&inner), name("undefined"), list(Vec::new())]);
        let record = message([binary(&outer), within, list(vec![binary(&after), binary(&outer), binary(b"x")])]);
        let expected = [
            wire::delimited(1, &outer),
            wire::delimited(2, &[wire::delimited(1, &inner), wire::delimited(3, b"")].concat()),
            wire::delimited(3, &[&after[..], &outer, b"x"].concat()),
        ];
        assert_eq!(schema.encode_value(&record).expect("bytes"), expected.concat(), "{index}");
    }
}
