//! How deep a `.proto` text nests, told without a stack.

use super::tokens::{Token, Tokens};

/// The offset of the first place that is deeper than `limit`: of a brace, bracket or parenthesis in as many others, or
/// of a dot in a name with as many parts, for the parts of `option a.b.c = 1;` are messages in each other too.
///
/// It stands guard before the parser, so it does not go by the parser's own tokens.
pub fn first_deeper_than(text: &str, limit: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut parts = 0_usize;
    for (offset, token) in Tokens::new(text) {
        let Token::Symbol(symbol) = token else { continue };
        match symbol {
            b'{' | b'[' | b'(' | b'<' => depth = depth.saturating_add(1),
            b'}' | b']' | b')' | b'>' => depth = depth.saturating_sub(1),
            b'.' => parts = parts.saturating_add(1),
            _ => {}
        }
        // What ends a name; its parts may stand in parentheses.
        if matches!(symbol, b'=' | b':' | b';' | b',' | b'{' | b'}') {
            parts = 0;
        }
        if depth.max(parts) > limit {
            return Some(offset);
        }
    }
    None
}
