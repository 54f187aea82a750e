//! Definitions that cannot be right, each with what is at fault; and what is allowed though it may look odd.

use protobuf_codec::error::{DefinitionError, DefinitionReason as Reason};
use protobuf_codec::schema::{Definitions, Enum, Member, Occurrence, Type, TypeName};

use crate::support::arena::name;
use crate::support::{Schema, definition_error, proto, schema};

/// The `definition` is the name of a message, or `group` or `enum` and its name.
#[track_caller]
fn refused(definitions: &Definitions, definition: &str, member: Option<&str>, reason: Reason) {
    let definition = match definition.split_once(' ') {
        Some(("group", group)) => TypeName::Group(name(group)),
        Some(("enum", enumeration)) => TypeName::Enum(name(enumeration)),
        _ => TypeName::Message(name(definition)),
    };
    let expected = DefinitionError { definition, member: member.map(name), reason };
    assert_eq!(definition_error(definitions), expected);
}

#[track_caller]
fn refused_text(text: &str, definition: &str, member: Option<&str>, reason: Reason) {
    refused(&proto::parse(text), definition, member, reason);
}

#[test]
fn names_that_come_twice() {
    refused_text("message M { } message N { } message M { }", "M", None, Reason::MessageTwice);
    refused_text("message M { group G = 1 { } group G = 2 { } }", "group G", None, Reason::MessageTwice);
    refused_text("enum E { A = 0; } enum E { B = 0; }", "enum E", None, Reason::EnumTwice);
}

#[test]
fn symbols_and_members_that_come_twice() {
    refused_text("enum E { A = 0; B = 1; A = 2; }", "enum E", Some("A"), Reason::SymbolTwice);
    refused_text("enum E { A = 0; A = 0; }", "enum E", Some("A"), Reason::SymbolTwice);
    refused_text("message M { oneof c { int32 a = 1; string a = 2; } }", "M", Some("a"), Reason::MemberTwice);
    schema("message M { oneof c { int32 a = 1; } oneof d { int32 a = 2; } int32 e = 3; }");
}

#[test]
fn messages_groups_and_enums_have_name_spaces_of_their_own() {
    let schema = schema("message M { group M = 1 { M e = 1; } } enum M { A = 0; B = 1; }");
    schema.both_ways("{M,{M,B}}", "0b 08 01 0c");
}

#[test]
fn enums_at_and_beyond_their_limits() {
    let mut empty = proto::parse("message M { }");
    empty.enums.push(Enum { name: proto::name("E"), values: Vec::new(), closed: false });
    refused(&empty, "enum E", None, Reason::EnumWithoutValues);
    schema("message M { E e = 1; } enum E { A = 2147483647; B = -2147483648; }")
        .both_ways("{M,B}", "08 80 80 80 80 f8 ff ff ff ff 01");
    for beyond in [2_147_483_648, -2_147_483_649, i64::MAX, i64::MIN] {
        refused_text(
            &format!("enum E {{ A = 0; B = {beyond}; }}"),
            "enum E",
            Some("B"),
            Reason::EnumValueOutOfRange(beyond),
        );
    }
}

#[test]
fn field_numbers_at_and_beyond_their_limits() {
    schema("message M { int32 a = 1; int32 b = 536870911; }").both_ways("{M,1,2}", "08 01 f8 ff ff ff 0f 02");
    for beyond in [0, -1, 536_870_912, 4_294_967_297, i64::MAX, i64::MIN] {
        refused_text(
            &format!("message M {{ int32 a = {beyond}; }}"),
            "M",
            Some("a"),
            Reason::FieldNumberOutOfRange(beyond),
        );
        let in_oneof = format!("message M {{ oneof c {{ int32 a = {beyond}; }} }}");
        refused_text(&in_oneof, "M", Some("a"), Reason::FieldNumberOutOfRange(beyond));
    }
}

#[test]
fn field_numbers_that_come_twice() {
    refused_text("message M { int32 a = 5; int32 b = 5; }", "M", Some("b"), Reason::FieldNumberTwice(5));
    refused_text("message M { int32 a = 5; oneof c { int32 b = 5; } }", "M", Some("b"), Reason::FieldNumberTwice(5));
    refused_text("message M { oneof c { int32 a = 5; int32 b = 5; } }", "M", Some("b"), Reason::FieldNumberTwice(5));
    // Also where the wire types differ.
    refused_text("message M { int32 a = 5; string b = 5; }", "M", Some("b"), Reason::FieldNumberTwice(5));
}

fn with_position(text: &str, index: usize, position: i64) -> Definitions {
    let mut definitions = proto::parse(text);
    match &mut definitions.messages[0].members[index] {
        Member::Field(field) => field.position = position,
        Member::Oneof(oneof) => {
            oneof.position = position;
            oneof.fields.iter_mut().for_each(|field| field.position = position);
        }
        Member::Unknowns { position: own, .. } => *own = position,
    }
    definitions
}

#[test]
fn record_positions_at_and_beyond_their_limits() {
    let text = "message M { int32 a = 1; oneof c { int32 b = 2; } unknowns; }";
    for (index, member) in ["a", "c", "$unknowns"].into_iter().enumerate() {
        for beyond in [1, 0, -1, 5, i64::MAX, i64::MIN] {
            let definitions = with_position(text, index, beyond);
            refused(&definitions, "M", Some(member), Reason::PositionOutOfRange(beyond));
        }
    }
    refused(&with_position(text, 1, 2), "M", Some("c"), Reason::PositionTwice(2));
    refused(&with_position(text, 2, 3), "M", Some("$unknowns"), Reason::PositionTwice(3));
    let mut elsewhere = proto::parse(text);
    if let Member::Oneof(oneof) = &mut elsewhere.messages[0].members[1] {
        oneof.fields[0].position = 2;
    }
    refused(&elsewhere, "M", Some("b"), Reason::PositionOutOfRange(2));
}

#[test]
fn types_that_are_not_defined() {
    let message = Reason::UndefinedType(TypeName::Message(name("S")));
    refused_text("message M { S a = 1; }", "M", Some("a"), message);
    refused_text("message M { repeated S a = 1; }", "M", Some("a"), message);
    refused_text("message M { oneof c { S a = 1; } }", "M", Some("a"), message);
    refused_text("message M { map<int32,S> a = 1; }", "M", Some("a"), message);
    refused_text("message M { S a = 1; group S = 2 { } }", "M", Some("a"), message);
    let mut definitions = proto::parse("message M { E a = 1; } enum E { A = 0; }");
    definitions.enums.clear();
    refused(&definitions, "M", Some("a"), Reason::UndefinedType(TypeName::Enum(name("E"))));
    let mut definitions = proto::parse("message M { group G = 1 { } }");
    definitions.messages.truncate(1);
    refused(&definitions, "M", Some("g"), Reason::UndefinedType(TypeName::Group(name("G"))));
}

#[test]
fn maps_with_keys_and_values_that_cannot_be() {
    for key in ["float", "double", "bytes", "E", "S", "map<int32,int32>"] {
        let text = format!("message M {{ map<{key},int32> f = 1; }} message S {{ }} enum E {{ A = 0; }}");
        refused_text(&text, "M", Some("f"), Reason::InvalidMapKey);
    }
    let mut definitions = proto::parse("message M { map<int32,int32> f = 1; group G = 2 { } }");
    if let Member::Field(field) = &mut definitions.messages[0].members[0] {
        field.ty = Type::Map(
            Box::new(Type::Scalar(protobuf_codec::schema::Scalar::Int32)),
            Box::new(Type::Group(proto::name("G"))),
        );
    }
    refused(&definitions, "M", Some("f"), Reason::InvalidMapValue);
}

#[test]
fn a_map_as_the_value_of_a_map() {
    refused_text("message M { map<int32,map<int32,int32>> f = 1; }", "M", Some("f"), Reason::InvalidMapValue);
}

#[test]
fn maps_that_are_not_repeated_fields_of_their_own() {
    for label in ["optional", "required"] {
        let text = format!("message M {{ {label} map<int32,int32> f = 1; }}");
        refused_text(&text, "M", Some("f"), Reason::MisplacedMap);
    }
    refused_text("message M { oneof c { optional map<int32,int32> f = 1; } }", "M", Some("f"), Reason::MisplacedMap);
}

#[test]
fn oneofs_without_members_and_with_repeated_ones() {
    refused_text("message M { oneof c { } }", "M", Some("c"), Reason::OneofWithoutMembers);
    refused_text("message M { oneof c { repeated int32 a = 1; } }", "M", Some("a"), Reason::RepeatedInOneof);
    refused_text("message M { oneof c { map<int32,int32> a = 1; } }", "M", Some("a"), Reason::RepeatedInOneof);
}

#[test]
fn the_message_at_fault_is_named_wherever_it_stands() {
    refused_text("message M { } message N { int32 a = 0; }", "N", Some("a"), Reason::FieldNumberOutOfRange(0));
    refused_text("message M { group G = 1 { int32 a = 0; } }", "group G", Some("a"), Reason::FieldNumberOutOfRange(0));
}

#[test]
fn members_may_stand_in_another_order_than_in_the_record() {
    let mut definitions = proto::parse(
        "message M { int32 a = 3; repeated string b = 1; oneof c { M m = 2; } map<int32,int32> f = 4; unknowns; }",
    );
    let record = r#"{M,1,[<<"x">>],{m,{M,2,[],undefined,[],[]}},[{1,2}],[{varint,9,9}]}"#;
    let bytes = Schema::of(&definitions).encode(record);
    for turn in 0..5 {
        definitions.messages[0].members.rotate_left(1);
        definitions.messages[0].members.swap(turn % 5, 2);
        Schema::of(&definitions).both_ways(record, &bytes);
    }
}

#[test]
fn a_message_goes_before_a_group_of_its_name() {
    let schema = schema("message N { group M = 1 { int32 a = 1; } } message M { int32 b = 2; }");
    let named = schema.plan.message_named(name("M")).expect("a message");
    assert_eq!(schema.plan.messages[named as usize].names[0].text.as_ref(), "b");
    assert!(schema.plan.message_named(name("nobody")).is_none());
}

#[test]
fn a_message_of_many_fields() {
    let fields: String = (1..=5000).map(|number| format!("optional int32 f{number} = {number}; ")).collect();
    let schema = schema(&format!("message M {{ {fields} }}"));
    let values: Vec<String> = (1..=5000).map(|value| value.to_string()).collect();
    let record = format!("{{M,{}}}", values.join(","));
    assert_eq!(schema.decode(&schema.encode(&record)), record);
}

#[test]
fn fields_of_a_oneof_are_neither_required_nor_implicit() {
    let mut definitions = proto::parse("message M { oneof c { int32 a = 1; string b = 2; } }");
    for occurrence in [Occurrence::Required, Occurrence::Optional, Occurrence::Defaulty] {
        if let Member::Oneof(oneof) = &mut definitions.messages[0].members[0] {
            oneof.fields.iter_mut().for_each(|field| field.occurrence = occurrence);
        }
        let schema = Schema::of(&definitions);
        schema.both_ways("{M,{a,0}}", "08 00");
        schema.both_ways(r#"{M,{b,<<"">>}}"#, "12 00");
        schema.both_ways("{M,undefined}", "");
    }
}
