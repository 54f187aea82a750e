//! The literals of a `.proto` file, as gpb understands them.

use std::iter::Peekable;
use std::str::Chars;

use super::value::Value;

/// A decimal, hexadecimal or octal integer as the language writes it.
pub fn integer(literal: &str) -> Option<Value> {
    let (negative, digits) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, literal),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if let Some(octal) = digits.strip_prefix('0').filter(|octal| !octal.is_empty()) {
        u64::from_str_radix(octal, 8)
    } else {
        digits.parse()
    };
    let value = value.ok()?;
    if negative { 0_i64.checked_sub_unsigned(value).map(Value::Int) } else { Some(Value::Unsigned(value)) }
}

/// The string literals in `text`, as one; `None` if there is none.
///
/// To the language, `\303` and `\xc3` are bytes. gpb takes them for code points, and so does this: of a default that
/// is written with escapes beyond ASCII the parser's value is another than gpb's.
pub fn strings(text: &str) -> Option<String> {
    let mut chars = text.chars().peekable();
    let mut found = None;
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('"' | '\'', _) => read_string(&mut chars, char, found.get_or_insert_default())?,
            ('/', Some('/')) => while chars.next_if(|&char| char != '\n').is_some() {},
            ('/', Some('*')) => skip_comment(&mut chars),
            _ => {}
        }
    }
    found
}

fn skip_comment(chars: &mut Peekable<Chars>) {
    chars.next();
    while let Some(char) = chars.next() {
        if char == '*' && chars.next_if_eq(&'/').is_some() {
            return;
        }
    }
}

/// To behind the closing quote; `None` for what the parser would not have let through.
fn read_string(chars: &mut Peekable<Chars>, quote: char, string: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '\\' => string.push(read_escape(chars)?),
            char if char == quote => return Some(()),
            char => string.push(char),
        }
    }
}

fn read_escape(chars: &mut Peekable<Chars>) -> Option<char> {
    match chars.next()? {
        'a' => Some('\x07'),
        'b' => Some('\x08'),
        'f' => Some('\x0c'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\x0b'),
        'x' | 'X' => read_digits(chars, 0, 2, 16),
        'u' => read_digits(chars, 0, 4, 16),
        'U' => read_digits(chars, 0, 8, 16),
        char => match char.to_digit(8) {
            Some(digit) => read_digits(chars, digit, 2, 8),
            None => Some(char),
        },
    }
}

/// At most `count` more digits, behind those that make up `value`.
fn read_digits(chars: &mut Peekable<Chars>, value: u32, count: usize, radix: u32) -> Option<char> {
    let mut value = value;
    for _ in 0..count {
        let Some(digit) = chars.peek().and_then(|char| char.to_digit(radix)) else {
            break;
        };
        chars.next();
        value = value.checked_mul(radix)?.checked_add(digit)?;
    }
    char::from_u32(value)
}
