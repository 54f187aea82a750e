//! Scalars at the limits of their types, both ways.

use crate::support::schema;

#[test]
fn varint_types_hold_their_limits() {
    let int32 = schema("message M { optional int32 x = 1; }");
    int32.both_ways("{M,0}", "08 00");
    int32.both_ways("{M,2147483647}", "08 ff ff ff ff 07");
    int32.both_ways("{M,-1}", "08 ff ff ff ff ff ff ff ff ff 01");
    int32.both_ways("{M,-2147483648}", "08 80 80 80 80 f8 ff ff ff ff 01");
    let int64 = schema("message M { optional int64 x = 1; }");
    int64.both_ways("{M,9223372036854775807}", "08 ff ff ff ff ff ff ff ff 7f");
    int64.both_ways("{M,-9223372036854775808}", "08 80 80 80 80 80 80 80 80 80 01");
    let uint32 = schema("message M { optional uint32 x = 1; }");
    uint32.both_ways("{M,4294967295}", "08 ff ff ff ff 0f");
    let uint64 = schema("message M { optional uint64 x = 1; }");
    uint64.both_ways("{M,18446744073709551615}", "08 ff ff ff ff ff ff ff ff ff 01");
}

#[test]
fn zigzag_types_hold_their_limits() {
    let sint32 = schema("message M { optional sint32 x = 1; }");
    sint32.both_ways("{M,0}", "08 00");
    sint32.both_ways("{M,-1}", "08 01");
    sint32.both_ways("{M,1}", "08 02");
    sint32.both_ways("{M,1073741824}", "08 80 80 80 80 08");
    sint32.both_ways("{M,2147483647}", "08 fe ff ff ff 0f");
    sint32.both_ways("{M,-2147483648}", "08 ff ff ff ff 0f");
    let sint64 = schema("message M { optional sint64 x = 1; }");
    sint64.both_ways("{M,9223372036854775807}", "08 fe ff ff ff ff ff ff ff ff 01");
    sint64.both_ways("{M,-9223372036854775808}", "08 ff ff ff ff ff ff ff ff ff 01");
}

#[test]
fn fixed_types_hold_their_limits() {
    schema("message M { optional fixed32 x = 1; }").both_ways("{M,4294967295}", "0d ff ff ff ff");
    schema("message M { optional fixed64 x = 1; }").both_ways("{M,18446744073709551615}", "09 ff ff ff ff ff ff ff ff");
    let sfixed32 = schema("message M { optional sfixed32 x = 1; }");
    sfixed32.both_ways("{M,2147483647}", "0d ff ff ff 7f");
    sfixed32.both_ways("{M,-2147483648}", "0d 00 00 00 80");
    let sfixed64 = schema("message M { optional sfixed64 x = 1; }");
    sfixed64.both_ways("{M,9223372036854775807}", "09 ff ff ff ff ff ff ff 7f");
    sfixed64.both_ways("{M,-9223372036854775808}", "09 00 00 00 00 00 00 00 80");
}

#[test]
fn integers_one_beyond_their_type_are_refused() {
    for (ty, below, above) in [
        ("int32", "-2147483649", "2147483648"),
        ("sint32", "-2147483649", "2147483648"),
        ("sfixed32", "-2147483649", "2147483648"),
        ("uint32", "-1", "4294967296"),
        ("fixed32", "-1", "4294967296"),
        ("int64", "-9223372036854775809", "9223372036854775808"),
        ("sint64", "-9223372036854775809", "9223372036854775808"),
        ("sfixed64", "-9223372036854775809", "9223372036854775808"),
        ("uint64", "-1", "18446744073709551616"),
        ("fixed64", "-1", "18446744073709551616"),
    ] {
        for label in ["", "optional", "required"] {
            let schema = schema(&format!("message M {{ {label} {ty} x = 1; }}"));
            for value in [below, above, "huge"] {
                let error = schema.encode(&format!("{{M,{value}}}"));
                assert!(error.starts_with("OutOfRange"), "{ty} {value}: {error}");
                assert!(error.ends_with(&format!(" for {value} in M.x")), "{ty} {value}: {error}");
            }
        }
    }
}

#[test]
fn floats_keep_their_bits() {
    let float = schema("message M { optional float x = 1; }");
    float.both_ways("{M,0.0}", "0d 00 00 00 00");
    float.both_ways("{M,-0.0}", "0d 00 00 00 80");
    float.both_ways("{M,1.5}", "0d 00 00 c0 3f");
    float.both_ways("{M,3.4028234663852886e38}", "0d ff ff 7f 7f");
    float.both_ways("{M,1.401298464324817e-45}", "0d 01 00 00 00");
    float.both_ways("{M,infinity}", "0d 00 00 80 7f");
    float.both_ways("{M,-infinity}", "0d 00 00 80 ff");
    float.both_ways("{M,nan}", "0d 00 00 c0 7f");
    let double = schema("message M { optional double x = 1; }");
    double.both_ways("{M,-0.0}", "09 00 00 00 00 00 00 00 80");
    double.both_ways("{M,1.7976931348623157e308}", "09 ff ff ff ff ff ff ef 7f");
    double.both_ways("{M,5e-324}", "09 01 00 00 00 00 00 00 00");
    double.both_ways("{M,infinity}", "09 00 00 00 00 00 00 f0 7f");
    double.both_ways("{M,-infinity}", "09 00 00 00 00 00 00 f0 ff");
    double.both_ways("{M,nan}", "09 00 00 00 00 00 00 f8 7f");
}

#[test]
fn floats_take_integers_of_any_size() {
    let schema = schema("message M { optional float a = 1; optional double b = 2; }");
    assert_eq!(schema.encode("{M,4294967296,36893488147419103232}"), "0d 00 00 80 4f 11 00 00 00 00 00 00 00 44");
    assert_eq!(schema.encode("{M,-1,0}"), "0d 00 00 80 bf 11 00 00 00 00 00 00 00 00");
    assert_eq!(schema.encode("{M,huge,undefined}"), "BadFloat for huge in M.a");
    assert_eq!(schema.encode("{M,undefined,huge}"), "BadDouble for huge in M.b");
}

#[test]
fn a_double_beyond_the_range_of_a_float_becomes_infinity() {
    let schema = schema("message M { optional float a = 1; }");
    assert_eq!(schema.encode("{M,1.0e39}"), "0d 00 00 80 7f");
    assert_eq!(schema.encode("{M,-1.0e39}"), "0d 00 00 80 ff");
}

#[test]
fn every_not_a_number_is_nan() {
    let schema = schema("message M { optional float a = 1; optional double b = 2; }");
    assert_eq!(schema.decode("0d ff ff ff ff 11 01 00 00 00 00 00 f0 7f"), "{M,nan,nan}");
}

#[test]
fn booleans_are_names_and_may_be_given_as_0_and_1() {
    let schema = schema("message M { optional bool a = 1; packed bool b = 2; }");
    schema.both_ways("{M,true,[false,true]}", "08 01 12 02 00 01");
    schema.both_ways("{M,false,[]}", "08 00");
    assert_eq!(schema.encode("{M,1,[0,1,true]}"), "08 01 12 03 00 01 01");
    assert_eq!(schema.encode("{M,2,[]}"), "BadBoolean for 2 in M.a");
    assert_eq!(schema.encode("{M,-1,[]}"), "BadBoolean for -1 in M.a");
}

#[test]
fn enums_are_symbols_and_unknown_numbers_stay_numbers() {
    let schema = schema("message M { optional E a = 1; packed E b = 2; } enum E { ZERO = 0; MINUS = -1; FAR = 300; }");
    schema.both_ways("{M,FAR,[ZERO,MINUS]}", "08 ac 02 12 0b 00 ff ff ff ff ff ff ff ff ff 01");
    schema.both_ways("{M,5,[-2147483648,2147483647]}", "08 05 12 0f 80 80 80 80 f8 ff ff ff ff 01 ff ff ff ff 07");
    assert_eq!(schema.decode("08 ff ff ff ff 0f"), "{M,MINUS,[]}");
    assert_eq!(schema.encode("{M,2147483648,[]}"), "InvalidEnum(E) for 2147483648 in M.a");
    assert_eq!(schema.encode("{M,-2147483649,[]}"), "InvalidEnum(E) for -2147483649 in M.a");
    assert_eq!(schema.encode("{M,OTHER,[]}"), "InvalidEnum(E) for OTHER in M.a");
}

#[test]
fn an_enum_of_many_symbols_and_one_of_few_are_the_same_to_use() {
    for count in [8, 9, 255, 256, 257, 1000] {
        let values: String = (0..count).map(|number| format!("N{number} = {number}; ")).collect();
        let schema = schema(&format!("message M {{ optional E a = 1; }} enum E {{ {values} }}"));
        for number in [0, 1, 7, count - 1] {
            let bytes = schema.encode(&format!("{{M,N{number}}}"));
            assert_eq!(schema.decode(&bytes), format!("{{M,N{number}}}"));
            assert_eq!(schema.encode(&format!("{{M,{number}}}")), bytes);
        }
        let beyond = schema.encode(&format!("{{M,{count}}}"));
        assert_eq!(schema.decode(&beyond), format!("{{M,{count}}}"));
    }
}

#[test]
fn an_alias_encodes_and_the_first_symbol_decodes() {
    let schema = schema("message M { optional E a = 1; } enum E { ONE = 1; UNO = 1; FAR = 1000; LEJOS = 1000; }");
    assert_eq!(schema.encode("{M,UNO}"), "08 01");
    assert_eq!(schema.decode("08 01"), "{M,ONE}");
    assert_eq!(schema.encode("{M,LEJOS}"), "08 e8 07");
    assert_eq!(schema.decode("08 e8 07"), "{M,FAR}");
}

#[test]
fn fields_without_presence_hold_their_default_and_do_not_write_it() {
    let schema = schema(
        "message M { int32 a = 1; uint64 b = 2; sint32 c = 3; bool d = 4; fixed32 e = 5; sfixed64 f = 6; float g = 7;
             double h = 8; string i = 9; bytes j = 10; E k = 11; S l = 12; }
         message S { }
         enum E { zzz_zero = 0; aaa_one = 1; }",
    );
    schema.both_ways("{M,0,0,0,false,0,0,0.0,0.0,<<\"\">>,<<\"\">>,zzz_zero,undefined}", "");
    assert_eq!(schema.encode("{M,0,0,0,0,0,0,0,0,[],[],0,undefined}"), "");
    assert_eq!(schema.encode("{M,0,0,0,0,0,0,0,0,[[],[<<>>]],<<>>,0,undefined}"), "");
    assert_eq!(
        schema.encode(&format!("{{M{}}}", ",undefined".repeat(12))),
        "",
        "undefined stands for absent also where there is no presence"
    );
    schema.both_ways(
        "{M,0,0,0,false,0,0,-0.0,-0.0,<<\"\">>,<<\"\">>,aaa_one,{S}}",
        "3d 00 00 00 80 41 00 00 00 00 00 00 00 80 58 01 62 00",
    );
}

#[test]
fn required_fields_are_written_whatever_they_hold() {
    let schema = schema("message M { required int32 a = 1; required string b = 2; required S c = 3; } message S { }");
    schema.both_ways("{M,0,<<\"\">>,{S}}", "08 00 12 00 1a 00");
    assert_eq!(schema.encode("{M,undefined,<<>>,{S}}"), "BadInteger(Int32) for undefined in M.a");
    assert_eq!(schema.encode("{M,0,undefined,{S}}"), "BadString for undefined in M.b");
    assert_eq!(schema.encode("{M,0,<<>>,undefined}"), "ExpectedMessage(S) for undefined in M.c");
    assert_eq!(schema.decode(""), "{M,undefined,undefined,undefined}");
}
