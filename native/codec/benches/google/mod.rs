//! Google's benchmark messages for the codec: their bytes, and their schema with one of them as the first message.

use crate::support::{Schema, proto};

/// A message: its name, and its file in the directory that GOOGLE_MESSAGES names.
pub type Message = (&'static str, &'static str);

pub const SMALL: Message = ("Message1", "google_message1.dat");
pub const LARGE: Message = ("Message2", "google_message2.dat");

/// The bytes, which `benchmarks/messages` has written.
pub fn bytes((_, file): Message) -> Vec<u8> {
    let directory = std::env::var("GOOGLE_MESSAGES").expect("GOOGLE_MESSAGES: what benchmarks/messages has written to");
    let path = std::path::Path::new(&directory).join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The schema with this message as the first.
pub fn schema((name, _): Message) -> Schema {
    let text = include_str!("../../../../benchmarks/google_messages.proto");
    let mut definitions = proto::parse(&text.replace("syntax = \"proto2\";", ""));
    let index = definitions.messages.iter().position(|message| *message.name.text == *name).expect("the message");
    definitions.messages.swap(0, index);
    Schema::of(&definitions)
}
