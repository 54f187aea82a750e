//! What is wrong with a value: the reason, the value, and the path that leads to it.

use crate::support::schema;

#[test]
fn the_record_itself() {
    let schema = schema("message M { optional int32 a = 1; }");
    for wrong in ["{N,1}", "{M}", "{M,1,2}", "{}", "a", "5", "[]"] {
        assert_eq!(schema.encode(wrong), format!("ExpectedMessage(M) for {wrong} in M"));
    }
}

#[test]
fn scalars_of_another_type() {
    for (ty, reason, wrong) in [
        ("int32", "BadInteger(Int32)", "a 1.0 <<1>> [1] {1}"),
        ("int64", "BadInteger(Int64)", "a 1.0 <<1>> [1] {1}"),
        ("uint32", "BadInteger(Uint32)", "a 1.0 true"),
        ("uint64", "BadInteger(Uint64)", "a 1.0"),
        ("sint32", "BadInteger(Sint32)", "a 1.0"),
        ("sint64", "BadInteger(Sint64)", "a 1.0"),
        ("fixed32", "BadInteger(Fixed32)", "a 1.0"),
        ("sfixed32", "BadInteger(Sfixed32)", "a 1.0"),
        ("fixed64", "BadInteger(Fixed64)", "a 1.0"),
        ("sfixed64", "BadInteger(Sfixed64)", "a 1.0"),
        ("bool", "BadBoolean", "a 2 -1 1.0 <<1>> huge"),
        ("float", "BadFloat", "a <<1>> [] huge"),
        ("double", "BadDouble", "a <<1>> [] huge"),
        ("string", "BadString", "a 1 1.0 {1} huge"),
        ("bytes", "BadBytes", "a 1 1.0 {1} huge"),
        ("E", "InvalidEnum(E)", "C 1.0 <<1>> huge 2147483648"),
    ] {
        for label in ["optional", "required", ""] {
            let schema = schema(&format!("message M {{ {label} {ty} x = 1; }} enum E {{ A = 0; B = 1; }}"));
            for wrong in wrong.split(' ') {
                assert_eq!(schema.encode(&format!("{{M,{wrong}}}")), format!("{reason} for {wrong} in M.x"));
            }
        }
        for label in ["repeated", "packed"] {
            let schema = schema(&format!("message M {{ {label} {ty} x = 1; }} enum E {{ A = 0; B = 1; }}"));
            for wrong in wrong.split(' ') {
                assert_eq!(schema.encode(&format!("{{M,[{wrong}]}}")), format!("{reason} for {wrong} in M.x"));
            }
        }
        let oneof = schema(&format!("message M {{ oneof c {{ {ty} x = 1; }} }} enum E {{ A = 0; B = 1; }}"));
        let map = schema(&format!("message M {{ map<int32,{ty}> x = 1; }} enum E {{ A = 0; B = 1; }}"));
        for wrong in wrong.split(' ') {
            assert_eq!(oneof.encode(&format!("{{M,{{x,{wrong}}}}}")), format!("{reason} for {wrong} in M.c.x"));
            assert_eq!(map.encode(&format!("{{M,[{{1,{wrong}}}]}}")), format!("{reason} for {wrong} in M.x.value"));
        }
    }
}

#[test]
fn what_is_no_list() {
    for (ty, shown) in
        [("int32", "int32"), ("bytes", "bytes"), ("E", "enum E"), ("S", "message S"), ("double", "double")]
    {
        let schema = schema(&format!("message M {{ repeated {ty} x = 1; }} message S {{ }} enum E {{ A = 0; }}"));
        for wrong in ["undefined", "a", "5", "<<>>", "{}"] {
            let wrong = if wrong == "<<>>" { "<<\"\">>" } else { wrong };
            let expected = format!("InvalidListOf({shown}) for {wrong} in M.x");
            assert_eq!(schema.encode(&format!("{{M,{wrong}}}")), expected);
        }
    }
    let group = schema("message M { repeated group G = 1 { } }");
    assert_eq!(group.encode("{M,a}"), "InvalidListOf(group G) for a in M.g");
}

#[test]
fn lists_that_do_not_end_as_lists_do() {
    for label in ["repeated", "packed"] {
        let schema = schema(&format!("message M {{ {label} int32 x = 1; }}"));
        assert_eq!(schema.encode("{M,[1,2|3]}"), "InvalidListOf(int32) for [1,2|3] in M.x");
    }
    let messages = schema("message M { repeated S x = 1; } message S { }");
    assert_eq!(messages.encode("{M,[{S},{S}|a]}"), "InvalidListOf(message S) for [{S},{S}|a] in M.x");
}

#[test]
fn messages_of_another_kind() {
    let schema = schema("message M { S s = 1; repeated S r = 2; group G = 3 { } } message S { } message T { }");
    assert_eq!(schema.encode("{M,{T},[],undefined}"), "ExpectedMessage(S) for {T} in M.s");
    assert_eq!(schema.encode("{M,{S,1},[],undefined}"), "ExpectedMessage(S) for {S,1} in M.s");
    assert_eq!(schema.encode("{M,5,[],undefined}"), "ExpectedMessage(S) for 5 in M.s");
    assert_eq!(schema.encode("{M,[],[],undefined}"), "ExpectedMessage(S) for [] in M.s");
    assert_eq!(schema.encode("{M,undefined,[{S},undefined],undefined}"), "ExpectedMessage(S) for undefined in M.r");
    assert_eq!(schema.encode("{M,undefined,[],{H}}"), "ExpectedMessage(G) for {H} in M.g");
}

#[test]
fn the_path_goes_through_everything_that_holds_fields() {
    let schema = schema(
        "message M { int32 before = 10; M m = 1; repeated M r = 2; map<int32,M> f = 3; oneof c { M x = 4; }
             group G = 5 { M in = 1; } unknowns; int32 a = 6; }",
    );
    // What stands for `_` in each is the message that is wrapped.
    let wrappers = [
        ("{M,0,_,[],[],undefined,undefined,[],0}", ".m"),
        ("{M,0,undefined,[{M,0,undefined,[],[],undefined,undefined,[],0},_],[],undefined,undefined,[],0}", ".r"),
        ("{M,0,undefined,[],[{5,_}],undefined,undefined,[],0}", ".f.value"),
        ("{M,0,undefined,[],[],{x,_},undefined,[],0}", ".c.x"),
        ("{M,0,undefined,[],[],undefined,{G,_},[],0}", ".g.in"),
    ];
    let wrong = "{M,0,{M,0,undefined,[],[],undefined,undefined,[{group,1,[]}],0},[],[],undefined,undefined,\
                 [{group,1,[]},{varint,1,1}],wrong}";
    for (outer, outer_path) in wrappers {
        for (inner, inner_path) in wrappers {
            let record = outer.replace('_', &inner.replace('_', wrong));
            let expected = format!("BadInteger(Int32) for wrong in M{outer_path}{inner_path}.a");
            assert_eq!(schema.encode(&record), expected);
        }
    }
}

#[test]
fn after_a_failure_the_next_call_starts_afresh() {
    let schema = schema("message M { M m = 1; repeated M r = 2; string s = 3; }");
    let good = "{M,{M,undefined,[],<<97>>},[{M,undefined,[],<<98>>}],<<99>>}";
    let bytes = schema.encode(good);
    for wrong in [
        "{M,{M,{M,undefined,a,<<>>},[],<<>>},[],<<>>}",
        "{M,undefined,[{M,undefined,[],a}],<<>>}",
        "{M,undefined,[],[97,[98,[99,[a]]]]}",
    ] {
        assert!(schema.encode(wrong).contains(" for "));
        assert_eq!(schema.encode(good), bytes);
    }
}
