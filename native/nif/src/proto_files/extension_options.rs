//! Options of `extensions` statements, which the parser does not know: `extensions 4 to 9 [verification = UNVERIFIED];`
//!
//! They are about who declares extensions, and nothing here goes by them. Newer versions of descriptor.proto have them.

use std::borrow::Cow;

use super::tokens::{Token, Tokens};

/// The text with blanks where such options stand, so that all else keeps its place.
pub fn blanked(text: &str) -> Cow<'_, str> {
    let options = places(text);
    if options.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut options = options.into_iter().peekable();
    let blank = |(offset, char): (usize, char)| {
        while options.next_if(|(_, end)| *end <= offset).is_some() {}
        let within = options.peek().is_some_and(|(start, _)| *start <= offset);
        if within && char != '\n' { " ".repeat(char.len_utf8()) } else { char.to_string() }
    };
    Cow::Owned(text.char_indices().map(blank).collect())
}

/// Where the options stand, each from its bracket to behind the bracket that closes it.
fn places(text: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut tokens = Tokens::new(text).peekable();
    let mut begins = true;
    while let Some((_, token)) = tokens.next() {
        let is_number = |token: &(usize, Token)| matches!(token.1, Token::Word(word) if word.starts_with(is_digit));
        if begins && token == Token::Word("extensions") && tokens.peek().is_some_and(is_number) {
            let start = tokens.find(|(_, token)| matches!(token, Token::Symbol(b'[' | b';' | b'}')));
            if let Some((start, Token::Symbol(b'['))) = start
                && let Some(end) = closing(&mut tokens)
            {
                places.push((start, end));
            }
        }
        begins = matches!(token, Token::Symbol(b';' | b'{' | b'}'));
    }
    places
}

fn is_digit(char: char) -> bool {
    char.is_ascii_digit()
}

/// Behind the bracket that closes one that was just opened.
fn closing<'t>(tokens: &mut impl Iterator<Item = (usize, Token<'t>)>) -> Option<usize> {
    let mut open = 1_usize;
    for (offset, token) in tokens {
        match token {
            Token::Symbol(b'[' | b'{') => open = open.saturating_add(1),
            Token::Symbol(b']' | b'}') => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return offset.checked_add(1);
        }
    }
    None
}
