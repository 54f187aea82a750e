//! Oneofs: the last member stands; the same message member again is merged.

use crate::support::{schema, wire};

const MEMBERS: &str = "
    message M { oneof c { S s = 1; T t = 2; int32 n = 3; string u = 4; group G = 5 { repeated int32 r = 3; } } }
    message S { optional int32 a = 1; optional int32 b = 2; repeated int32 r = 3; }
    message T { optional int32 a = 1; optional int32 b = 2; repeated int32 r = 3; }";

#[test]
fn members_go_both_ways() {
    let schema = schema(MEMBERS);
    schema.both_ways("{M,undefined}", "");
    schema.both_ways("{M,{n,0}}", "18 00");
    schema.both_ways(r#"{M,{u,<<"">>}}"#, "22 00");
    schema.both_ways("{M,{s,{S,undefined,undefined,[]}}}", "0a 00");
    schema.both_ways("{M,{t,{T,1,undefined,[2]}}}", "12 04 08 01 18 02");
    schema.both_ways("{M,{g,{G,[1]}}}", "2b 18 01 2c");
}

#[test]
fn the_same_message_member_again_is_merged() {
    let schema = schema(MEMBERS);
    assert_eq!(schema.decode("0a 06 08 0a 18 01 18 02 0a 04 10 0b 18 03"), "{M,{s,{S,10,11,[1,2,3]}}}");
    assert_eq!(schema.decode("2b 18 01 2c 2b 18 02 2c"), "{M,{g,{G,[1,2]}}}");
}

#[test]
fn a_member_after_another_begins_anew() {
    let schema = schema(MEMBERS);
    assert_eq!(schema.decode("0a 02 08 01 12 02 08 02 0a 02 10 03"), "{M,{s,{S,undefined,3,[]}}}", "messages");
    assert_eq!(schema.decode("0a 02 08 01 18 05 0a 02 10 03"), "{M,{s,{S,undefined,3,[]}}}", "a scalar between");
    assert_eq!(schema.decode("0a 02 18 01 2b 18 02 2c 0a 02 18 03"), "{M,{s,{S,undefined,undefined,[3]}}}", "a group");
    assert_eq!(schema.decode("0a 02 18 01 18 05"), "{M,{n,5}}");
    assert_eq!(schema.decode("18 05 0a 02 18 01 0a 02 18 02"), "{M,{s,{S,undefined,undefined,[1,2]}}}");
    assert_eq!(schema.decode("18 05 18 06 22 01 61"), r#"{M,{u,<<"a">>}}"#);
}

#[test]
fn what_was_in_a_left_member_is_gone_with_all_that_was_in_it() {
    let schema = schema(
        "message M { oneof c { M m = 1; N n = 2; } repeated int32 r = 3; } \
         message N { oneof c { M m = 1; N n = 2; } repeated int32 r = 3; map<int32,M> f = 4; }",
    );
    // m { m { r: 1 } r: 2 }, then n { f { 1: {} } n { r: 3 } }, then m { r: 4 }, then r: 5
    let input = "0a 06 0a 02 18 01 18 02 12 0a 22 04 08 01 12 00 12 02 18 03 0a 02 18 04 18 05";
    assert_eq!(schema.decode(input), "{M,{m,{M,undefined,[4]}},[5]}");
    let back_again = format!("{input} 12 02 18 06");
    assert_eq!(schema.decode(&back_again), "{M,{n,{N,undefined,[6],[]}},[5]}");
}

#[test]
fn members_of_one_type_are_told_apart() {
    let schema = schema("message M { oneof c { S a = 1; S b = 2; } } message S { repeated int32 r = 1; }");
    assert_eq!(schema.decode("0a 02 08 01 12 02 08 02 12 02 08 03"), "{M,{b,{S,[2,3]}}}");
    assert_eq!(schema.decode("0a 02 08 01 12 02 08 02 0a 02 08 03"), "{M,{a,{S,[3]}}}");
}

#[test]
fn oneofs_in_merged_messages_and_in_elements_switch_as_elsewhere() {
    let schema = schema(
        "message M { N n = 1; repeated N r = 2; } message N { oneof c { S a = 1; S b = 2; int32 x = 3; } } \
         message S { repeated int32 r = 1; }",
    );
    let merged = "0a 04 0a 02 08 01 0a 04 0a 02 08 02";
    assert_eq!(schema.decode(merged), "{M,{N,{a,{S,[1,2]}}},[]}");
    assert_eq!(schema.decode(&format!("{merged} 0a 04 12 02 08 03")), "{M,{N,{b,{S,[3]}}},[]}");
    assert_eq!(schema.decode(&format!("{merged} 0a 02 18 03 0a 04 0a 02 08 04")), "{M,{N,{a,{S,[4]}}},[]}");
    assert_eq!(
        schema.decode("12 04 0a 02 08 01 12 04 0a 02 08 02 12 08 0a 02 08 03 0a 02 08 04"),
        "{M,undefined,[{N,{a,{S,[1]}}},{N,{a,{S,[2]}}},{N,{a,{S,[3,4]}}}]}"
    );
}

#[test]
fn several_oneofs_of_a_message_do_not_mix() {
    let schema = schema("message M { oneof c { M a = 1; int32 b = 2; } oneof d { M e = 3; int32 f = 4; } }");
    assert_eq!(schema.decode("0a 00 1a 02 10 01 10 05 20 06 1a 00"), "{M,{b,5},{e,{M,undefined,undefined}}}");
    schema.both_ways("{M,{a,{M,{b,1},undefined}},{f,0}}", "0a 02 10 01 20 00");
}

#[test]
fn what_is_no_member_is_refused() {
    let schema = schema(MEMBERS);
    assert_eq!(schema.encode("{M,5}"), "InvalidOneof(s t n u g and 0 more) for 5 in M.c");
    assert_eq!(schema.encode("{M,{other,5}}"), "InvalidOneof(s t n u g and 0 more) for {other,5} in M.c");
    assert_eq!(schema.encode("{M,{n,5,6}}"), "InvalidOneof(s t n u g and 0 more) for {n,5,6} in M.c");
    assert_eq!(schema.encode("{M,{n,a}}"), "BadInteger(Int32) for a in M.c.n");
    assert_eq!(schema.encode("{M,{n,undefined}}"), "BadInteger(Int32) for undefined in M.c.n");
    assert_eq!(schema.encode("{M,{s,{S,a,undefined,[]}}}"), "BadInteger(Int32) for a in M.c.s.a");
    assert_eq!(schema.encode("{M,{s,{T,1,undefined,[]}}}"), "ExpectedMessage(S) for {T,1,undefined,[]} in M.c.s");
}

#[test]
fn a_oneof_finds_its_members_however_many_they_are() {
    for count in [1, 7, 8, 9, 10, 20_000] {
        let members: String = (1..=count).map(|number| format!("int32 m{number} = {number}; ")).collect();
        let schema = schema(&format!("message M {{ oneof c {{ {members} }} oneof d {{ int32 e = 20001; }} }}"));
        for number in [1, count / 2 + 1, count] {
            let hex = wire::hex(&wire::number(number, 5));
            schema.both_ways(&format!("{{M,{{m{number},5}},undefined}}"), &hex);
            let wrong = format!("{{M,{{m{number},a}},undefined}}");
            assert_eq!(schema.encode(&wrong), format!("BadInteger(Int32) for a in M.c.m{number}"));
        }
        for wrong in ["m0", "c", "d", "e", "M", "undefined"] {
            let named: Vec<_> = (1..=count.min(10)).map(|number| format!("m{number}")).collect();
            let (named, more) = (named.join(" "), count.saturating_sub(10));
            let expected = format!("InvalidOneof({named} and {more} more) for {{{wrong},5}} in M.c");
            assert_eq!(schema.encode(&format!("{{M,{{{wrong},5}},undefined}}")), expected);
        }
    }
}

#[test]
fn the_first_ten_members_are_named_where_none_is_meant() {
    for (members, more) in [(10, 0), (11, 1), (25, 15)] {
        let fields: Vec<_> = (1..=members).map(|number| format!("int32 f{number} = {number};")).collect();
        let schema = schema(&format!("message M {{ oneof c {{ {} }} }}", fields.join(" ")));
        let named = "f1 f2 f3 f4 f5 f6 f7 f8 f9 f10";
        assert_eq!(schema.encode("{M,{g,5}}"), format!("InvalidOneof({named} and {more} more) for {{g,5}} in M.c"));
    }
}

/// What a oneof forgets may be used again only as long as nothing came after it and nothing came back to it.
#[test]
fn what_came_after_a_member_stays_when_the_member_goes() {
    let schema = schema(
        "message M { oneof c { S s = 1; int32 n = 2; } repeated int32 r = 3; packed int32 p = 4; string t = 5; }
        message S { }",
    );
    // The member came, an element, the member again: then it is no longer the last thing there is.
    assert_eq!(schema.decode("0a 00 18 01 0a 00 10 05"), r#"{M,{n,5},[1],[],<<"">>}"#);
    // An empty block after the member counts as a stretch of elements, though it brought none.
    assert_eq!(schema.decode("0a 00 22 00 10 05 22 01 07"), r#"{M,{n,5},[],[7],<<"">>}"#);
    // Its space is used again, by what comes next.
    assert_eq!(schema.decode("0a 00 10 05 18 01 18 02 2a 01 61"), r#"{M,{n,5},[1,2],[],<<"a">>}"#);
}
