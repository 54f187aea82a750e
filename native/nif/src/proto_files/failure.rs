//! What is wrong with a file, where, and in which words.

use miette::Diagnostic;

use super::value::{NameTooLong, Value};

/// What is wrong with a file. Line and column count from 1.
#[derive(Debug)]
pub struct ProtoError {
    pub file: Option<String>,
    pub place: Option<(usize, usize)>,
    pub message: String,
}

impl ProtoError {
    pub fn new(message: impl Into<String>) -> Self {
        ProtoError { file: None, place: None, message: message.into() }
    }

    pub fn in_file(file: &str, message: impl Into<String>) -> Self {
        ProtoError { file: Some(file.into()), ..ProtoError::new(message) }
    }

    pub fn at(file: &str, text: &str, offset: usize, message: impl Into<String>) -> Self {
        ProtoError { place: Some(place(text, offset)), ..ProtoError::in_file(file, message) }
    }

    /// `{proto_error, #{file, line, column, message}}`, without the keys that are not known.
    pub fn into_value(self) -> Value {
        let mut details = vec![(Value::atom("message"), Value::text(&self.message))];
        if let Some(file) = &self.file {
            details.push((Value::atom("file"), Value::text(file)));
        }
        if let Some((line, column)) = self.place {
            details.push((Value::atom("line"), Value::Unsigned(line as u64)));
            details.push((Value::atom("column"), Value::Unsigned(column as u64)));
        }
        Value::pair(Value::atom("proto_error"), Value::Map(details))
    }
}

impl From<NameTooLong> for ProtoError {
    fn from(NameTooLong(name): NameTooLong) -> Self {
        const SHOWN: usize = 40;
        let start: String = name.chars().take(SHOWN).collect();
        ProtoError::new(format!("the name '{start}...' is longer than the 255 characters of an Erlang atom"))
    }
}

/// What the parser or the check say, with their advice.
pub fn with_help(error: &impl Diagnostic) -> String {
    match error.help() {
        Some(help) => format!("{error} ({help})"),
        None => error.to_string(),
    }
}

/// Line and column, in characters, of a byte of a text.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    (line, column)
}
