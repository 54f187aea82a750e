//! How deep a `.proto` text nests, told without a stack.

/// The offset of the first place that is deeper than `limit`: of a brace, bracket or parenthesis in as many others, or
/// of a dot in a name with as many parts, for the parts of `option a.b.c = 1;` are messages in each other too.
///
/// A scan of its own rather than the parser's, for it stands guard before the parser. What is no valid token ends in
/// an error of the parser; it need not be told apart here.
pub fn first_deeper_than(text: &str, limit: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut parts = 0_usize;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((offset, byte)) = bytes.next() {
        let next = bytes.peek().map(|&(_, byte)| byte);
        match (byte, next) {
            (b'{' | b'[' | b'(' | b'<', _) => depth = depth.saturating_add(1),
            (b'}' | b']' | b')' | b'>', _) => depth = depth.saturating_sub(1),
            (b'.', _) => parts = parts.saturating_add(1),
            // The values of options are written in text format, where `#` starts a comment.
            (b'/', Some(b'/')) | (b'#', _) => skip_while(&mut bytes, |byte| byte != b'\n'),
            (b'/', Some(b'*')) => skip_comment(&mut bytes),
            (b'"' | b'\'', _) => skip_string(&mut bytes, byte),
            _ => {}
        }
        // What ends a name; its parts may stand in parentheses.
        if matches!(byte, b'=' | b':' | b';' | b',' | b'{' | b'}') {
            parts = 0;
        }
        if depth.max(parts) > limit {
            return Some(offset);
        }
    }
    None
}

type Bytes<'a> = std::iter::Peekable<std::iter::Enumerate<std::str::Bytes<'a>>>;

fn skip_while(bytes: &mut Bytes, wanted: impl Fn(u8) -> bool) {
    while bytes.next_if(|&(_, byte)| wanted(byte)).is_some() {}
}

/// From before the `*` of `/*` to behind `*/`.
fn skip_comment(bytes: &mut Bytes) {
    bytes.next();
    while let Some((_, byte)) = bytes.next() {
        if byte == b'*' && bytes.next_if(|&(_, byte)| byte == b'/').is_some() {
            return;
        }
    }
}

/// To behind the closing quote, or to the end of the line, where an unclosed string ends.
fn skip_string(bytes: &mut Bytes, quote: u8) {
    while let Some((_, byte)) = bytes.next_if(|&(_, byte)| byte != b'\n') {
        if byte == quote {
            return;
        }
        if byte == b'\\' {
            bytes.next_if(|&(_, byte)| byte != b'\n');
        }
    }
}
