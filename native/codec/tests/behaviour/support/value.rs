//! Values in tests, written and printed as Erlang writes them: `{M,5,<<"a">>,[1,2],undefined}`. Names take no quotes.

use std::fmt::{self, Display, Formatter};

/// A value.
#[derive(Clone)]
pub enum Value {
    Integer(i128),
    /// An integer beyond the range of a double, written `huge`.
    Huge,
    Float(f64),
    Name(String),
    Binary(Vec<u8>),
    Tuple(Vec<Value>),
    /// A list, whose tail is the empty list where there is none.
    List(Vec<Value>, Option<Box<Value>>),
}

pub fn integer(value: impl Into<i128>) -> Value {
    Value::Integer(value.into())
}

pub fn name(text: &str) -> Value {
    Value::Name(text.into())
}

pub fn list(elements: Vec<Value>) -> Value {
    Value::List(elements, None)
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Huge => f.write_str("huge"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Name(text) => f.write_str(text),
            Value::Binary(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if text.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"') => write!(f, "<<{text:?}>>"),
                _ => {
                    f.write_str("<<")?;
                    separated(f, bytes)?;
                    f.write_str(">>")
                }
            },
            Value::Tuple(elements) => {
                f.write_str("{")?;
                separated(f, elements)?;
                f.write_str("}")
            }
            Value::List(elements, tail) => {
                f.write_str("[")?;
                separated(f, elements)?;
                if let Some(tail) = tail {
                    write!(f, "|{tail}")?;
                }
                f.write_str("]")
            }
        }
    }
}

fn separated<T: Display>(f: &mut Formatter<'_>, elements: &[T]) -> fmt::Result {
    for (index, element) in elements.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { "," })?;
        write!(f, "{element}")?;
    }
    Ok(())
}

/// Reads a value.
pub fn parse(text: &str) -> Value {
    let mut parser = Parser { text: text.as_bytes(), pos: 0 };
    let value = parser.value();
    assert_eq!(parser.peek(), None, "more than one value in {text}");
    value
}

struct Parser<'a> {
    text: &'a [u8],
    pos: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
        self.text.get(self.pos).copied()
    }

    fn take(&mut self, expected: &str) -> bool {
        self.peek();
        let found = self.text[self.pos..].starts_with(expected.as_bytes());
        self.pos += if found { expected.len() } else { 0 };
        found
    }

    /// Values up to one of the given ends.
    fn values(&mut self, ends: &[&str]) -> Vec<Value> {
        let mut values = Vec::new();
        loop {
            if ends.iter().any(|end| self.peek().is_some() && self.text[self.pos..].starts_with(end.as_bytes())) {
                return values;
            }
            assert!(values.is_empty() || self.take(","), "no comma at {} of {:?}", self.pos, self.whole());
            values.push(self.value());
        }
    }

    fn whole(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }

    fn value(&mut self) -> Value {
        if self.take("{") {
            let elements = self.values(&["}"]);
            self.take("}");
            Value::Tuple(elements)
        } else if self.take("[") {
            let elements = self.values(&["]", "|"]);
            let tail = self.take("|").then(|| Box::new(self.value()));
            assert!(self.take("]"));
            Value::List(elements, tail)
        } else if self.take("<<") {
            let binary = self.binary();
            assert!(self.take(">>"));
            Value::Binary(binary)
        } else {
            self.word()
        }
    }

    fn binary(&mut self) -> Vec<u8> {
        if self.take("\"") {
            let start = self.pos;
            while self.text[self.pos] != b'"' {
                self.pos += 1;
            }
            self.pos += 1;
            return self.text[start..self.pos - 1].to_vec();
        }
        let octets = self.values(&[">>"]);
        octets
            .iter()
            .map(|octet| match octet {
                Value::Integer(octet) => *octet as u8,
                other => panic!("{other} is no octet"),
            })
            .collect()
    }

    fn word(&mut self) -> Value {
        self.peek();
        let rest = &self.text[self.pos..];
        let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.$+-".contains(byte)).count();
        assert!(len > 0, "no value at {} of {:?}", self.pos, self.whole());
        let word = String::from_utf8_lossy(&rest[..len]).into_owned();
        self.pos += len;
        let digits = word.strip_prefix('-').unwrap_or(&word);
        match digits.as_bytes()[0].is_ascii_digit() {
            true => match word.parse() {
                Ok(value) => Value::Integer(value),
                Err(_) => Value::Float(word.parse().expect("a number")),
            },
            false if word == "huge" => Value::Huge,
            false => Value::Name(word),
        }
    }
}
