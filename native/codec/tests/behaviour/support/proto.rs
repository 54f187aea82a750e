//! Definitions in tests, written much as in a .proto file:
//!
//! ```text
//! message M {
//!     int32 a = 1;                  // without presence; a message or group has it all the same
//!     optional int32 b = 2;
//!     required int32 c = 3;
//!     repeated int32 d = 4;
//!     packed int32 e = 5;           // repeated, and written packed
//!     map<string, S> f = 6;
//!     oneof g { int32 h = 7; S i = 8; }
//!     repeated group J = 9 { E k = 1; }  // the field is `j`
//!     delimited S l = 10;           // written like a group
//!     utf8 string m = 11;           // or a map, with strings that must be UTF-8; before the type, behind the label
//!     message_set;                  // of the message
//!     unknowns;                     // the place for unknown fields
//! }
//! enum E { ZERO = 0; ONE = 1; }
//! enum F { closed; FIRST = 1; }
//! ```
//!
//! Types that are no scalars, enums or groups of the text are messages.

use protobuf_codec::Term;
use protobuf_codec::schema::{
    Definitions, Enum, EnumValue, Field, Member, Message, MessageKind, Name, Occurrence, Oneof, Scalar, Type,
};
use std::collections::HashSet;

use super::arena;

/// A name of definitions.
pub fn name(text: &str) -> Name {
    Name { term: arena::name(text), text: text.into() }
}

/// Reads definitions.
pub fn parse(text: &str) -> Definitions {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for word in line.split_whitespace() {
            tokens.extend(split_keeping(word));
        }
    }
    let enums = tokens.windows(2).filter(|pair| pair[0] == "enum").map(|pair| pair[1].clone()).collect();
    let mut parser = Parser { tokens, pos: 0, enums, definitions: Definitions::default() };
    while parser.pos < parser.tokens.len() {
        match parser.next().as_str() {
            "message" => {
                let name = parser.next();
                parser.message(MessageKind::Message, &name);
            }
            "enum" => parser.enumeration(),
            other => panic!("{other} is neither message nor enum"),
        }
    }
    parser.definitions
}

/// The words and the punctuation of a word.
fn split_keeping(word: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    for character in word.chars() {
        if "{}<>=;,".contains(character) {
            tokens.extend([character.into(), String::new()]);
        } else if let Some(last) = tokens.last_mut() {
            last.push(character);
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

struct Parser {
    tokens: Vec<String>,
    pos: usize,
    enums: HashSet<String>,
    definitions: Definitions,
}

impl Parser {
    fn next(&mut self) -> String {
        self.pos += 1;
        self.tokens.get(self.pos - 1).expect("more text").clone()
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.pos).map_or("", String::as_str)
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.peek() == expected;
        self.pos += usize::from(found);
        found
    }

    fn expect(&mut self, expected: &str) {
        let found = self.next();
        assert_eq!(found, expected, "at token {} of {:?}", self.pos, self.tokens);
    }

    fn number(&mut self) -> i64 {
        self.expect("=");
        self.next().parse().expect("a number")
    }

    /// A message from its brace on; a message stands before the groups in it.
    fn message(&mut self, kind: MessageKind, message: &str) {
        let index = self.definitions.messages.len();
        self.definitions.messages.push(Message { name: name(message), kind, members: Vec::new(), message_set: false });
        let mut members: Vec<Member> = Vec::new();
        self.expect("{");
        while !self.take("}") {
            if self.take("message_set") {
                self.expect(";");
                self.definitions.messages[index].message_set = true;
                continue;
            }
            let position = members.len() as i64 + 2;
            let member = if self.take("oneof") {
                let oneof = self.next();
                self.expect("{");
                let mut fields = Vec::new();
                while !self.take("}") {
                    fields.push(self.field(position, Occurrence::Optional));
                }
                Member::Oneof(Oneof { name: name(&oneof), position, fields })
            } else if self.take("unknowns") {
                self.expect(";");
                Member::Unknowns { name: name("$unknowns"), position }
            } else {
                Member::Field(self.field(position, Occurrence::Defaulty))
            };
            members.push(member);
        }
        self.definitions.messages[index].members = members;
    }

    fn field(&mut self, position: i64, unlabelled: Occurrence) -> Field {
        let packed = self.peek() == "packed";
        let labels = [
            ("required", Occurrence::Required),
            ("optional", Occurrence::Optional),
            ("repeated", Occurrence::Repeated),
            ("packed", Occurrence::Repeated),
        ];
        let label = labels.into_iter().find(|(label, _)| self.take(label));
        let occurrence = label.map_or(unlabelled, |(_, occurrence)| occurrence);
        if self.take("group") {
            let group = self.next();
            let number = self.number();
            self.message(MessageKind::Group, &group);
            let ty = Type::Group(name(&group));
            let field = name(&group.to_lowercase());
            return Field {
                name: field,
                number,
                position,
                ty,
                occurrence,
                packed,
                delimited: false,
                verify_utf8: false,
                default: None,
            };
        }
        let (delimited, verify_utf8) = (self.take("delimited"), self.take("utf8"));
        let ty = self.ty();
        let occurrence = if matches!(ty, Type::Map(..)) && label.is_none() { Occurrence::Repeated } else { occurrence };
        let field = self.next();
        let number = self.number();
        self.expect(";");
        Field { name: name(&field), number, position, ty, occurrence, packed, delimited, verify_utf8, default: None }
    }

    fn ty(&mut self) -> Type {
        let ty = self.next();
        match Scalar::from_name(&ty) {
            Some(scalar) => Type::Scalar(scalar),
            None if ty == "map" => {
                self.expect("<");
                let key = self.ty();
                self.expect(",");
                let value = self.ty();
                self.expect(">");
                Type::Map(Box::new(key), Box::new(value))
            }
            None if self.enums.contains(&ty) => Type::Enum(name(&ty)),
            None => Type::Message(name(&ty)),
        }
    }

    fn enumeration(&mut self) {
        let mut definition = Enum { name: name(&self.next()), values: Vec::new(), closed: false };
        self.expect("{");
        while !self.take("}") {
            if self.take("closed") {
                self.expect(";");
                definition.closed = true;
                continue;
            }
            let symbol: Term = arena::name(&self.next());
            let number = self.number();
            self.expect(";");
            definition.values.push(EnumValue { symbol, number });
        }
        self.definitions.enums.push(definition);
    }
}
