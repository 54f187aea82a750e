//! The tokens of a `.proto` text, as far as what stands before the parser has to tell them apart. What is no valid token
//! ends in an error of the parser.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'t> {
    /// A name, a keyword or a number; what is between dots, for a name of several parts.
    Word(&'t str),
    /// A string with its quotes, as it is written.
    String(&'t str),
    /// Any other byte.
    Symbol(u8),
}

/// The tokens of a text, each with the offset where it begins.
pub struct Tokens<'t> {
    text: &'t str,
    pos: usize,
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Self {
        Tokens { text, pos: 0 }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos.saturating_add(ahead)).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&wanted) {
            self.pos += 1;
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(byte), _) if byte.is_ascii_whitespace() => self.pos += 1,
                // The values of options are written in text format, where `#` starts a comment.
                (Some(b'/'), Some(b'/')) | (Some(b'#'), _) => self.skip_while(|byte| byte != b'\n'),
                (Some(b'/'), Some(b'*')) => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// From before `/*` to behind `*/`.
    fn skip_comment(&mut self) {
        self.pos += 2;
        let end = self.text.as_bytes().get(self.pos..).and_then(|rest| rest.windows(2).position(|two| two == b"*/"));
        self.pos = end.map_or(self.text.len(), |end| self.pos + end + 2);
    }

    /// To behind the closing quote, or to the end of the line, where an unclosed string ends.
    fn skip_string(&mut self, quote: u8) {
        self.pos += 1;
        while let Some(byte) = self.byte(0).filter(|&byte| byte != b'\n') {
            self.pos += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' && self.byte(0).is_some_and(|byte| byte != b'\n') {
                self.pos += 1;
            }
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = (usize, Token<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks_and_comments();
        let start = self.pos;
        let byte = self.byte(0)?;
        // Words and strings begin and end beside ASCII, so these slices are at boundaries of characters.
        let token = match byte {
            b'"' | b'\'' => {
                self.skip_string(byte);
                Token::String(self.text.get(start..self.pos).unwrap_or_default())
            }
            _ if is_word(byte) => {
                self.skip_while(is_word);
                Token::Word(self.text.get(start..self.pos).unwrap_or_default())
            }
            _ => {
                self.pos += 1;
                Token::Symbol(byte)
            }
        };
        Some((start, token))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
