//! Files that are written in an edition, put into proto2 for the parser, which knows proto2 and proto3.
//!
//! An edition has proto2's grammar without labels that tell of presence, without groups, and with names that are reserved
//! without quotes. So the statement `edition = "2023";` is blanked, a field gets the label `optional`, a reserved name its
//! quotes. Features are options, which the parser reads like others; `features` tells what comes of them.

use super::tokens::{Token, Tokens};

/// The edition that is read.
pub const EDITION: &str = "2023";

/// What is wrong with a text, and the offset of the place.
pub struct Fault {
    pub offset: usize,
    pub message: String,
}

fn fault<T>(offset: usize, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { offset, message: message.into() })
}

/// The text of an edition's file in proto2.
#[derive(Debug)]
pub struct Edition {
    pub proto2: String,
    /// What was added, each with its offset in the text as it was written, by rising offset.
    insertions: Vec<Insertion>,
}

type Insertion = (usize, &'static str);

impl Edition {
    /// Of a file that comes as a descriptor, without text.
    pub fn of_descriptor() -> Edition {
        Edition { proto2: String::new(), insertions: Vec::new() }
    }

    /// Nothing for a file of proto2 or proto3.
    pub fn read(text: &str) -> Result<Option<Edition>, Fault> {
        let mut tokens = Tokens::new(text);
        match tokens.next() {
            Some((start, Token::Word("edition"))) => {
                let end = end_of_statement(&mut tokens, text.len())?;
                let mut scanner = Scanner::default();
                for (offset, token) in tokens {
                    scanner.token(offset, token)?;
                }
                let insertions = scanner.insertions;
                Ok(Some(Edition { proto2: with_insertions(&blanked(text, start, end), &insertions), insertions }))
            }
            _ => Ok(None),
        }
    }

    /// The offset in the text as it was written of what has this one in proto2.
    pub fn written_offset(&self, offset: usize) -> usize {
        let mut added = 0;
        for (place, text) in &self.insertions {
            match offset.saturating_sub(added) {
                before if before <= *place => break,
                within if within < place.saturating_add(text.len()) => return *place,
                _ => added += text.len(),
            }
        }
        offset.saturating_sub(added)
    }
}

/// Where the statement ends whose first word was read. `text_end` is the place of what does not come.
fn end_of_statement(tokens: &mut Tokens, text_end: usize) -> Result<usize, Fault> {
    let mut next = || tokens.next().unwrap_or((text_end, Token::Symbol(0)));
    match (next(), next(), next()) {
        ((_, Token::Symbol(b'=')), (_, Token::String(named)), (end, Token::Symbol(b';')))
            if named.trim_matches(['"', '\'']) == EDITION =>
        {
            Ok(end.saturating_add(1))
        }
        ((_, Token::Symbol(b'=')), (offset, Token::String(named)), _) => {
            fault(offset, format!("edition {named} is not supported: proto2, proto3 and edition {EDITION} are"))
        }
        ((offset, _), ..) => fault(offset, format!("expected: edition = \"{EDITION}\";")),
    }
}

/// The text with blanks from `start` to `end`, so that all else keeps its place.
fn blanked(text: &str, start: usize, end: usize) -> String {
    let blank = |(offset, char): (usize, char)| if (start..end).contains(&offset) && char != '\n' { ' ' } else { char };
    text.char_indices().map(blank).collect()
}

fn with_insertions(text: &str, insertions: &[Insertion]) -> String {
    let added: usize = insertions.iter().map(|(_, added)| added.len()).sum();
    let mut result = String::with_capacity(text.len().saturating_add(added));
    let mut from = 0;
    for (offset, added) in insertions {
        result.push_str(text.get(from..*offset).unwrap_or_default());
        result.push_str(added);
        from = *offset;
    }
    result.push_str(text.get(from..).unwrap_or_default());
    result
}

/// What a pair of braces holds.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    /// Fields that have labels in proto2.
    Fields,
    Oneof,
    /// The values of an enum, the methods of a service.
    Other,
}

/// Goes through the statements of a file, and notes what to add to them.
#[derive(Default)]
struct Scanner {
    insertions: Vec<Insertion>,
    blocks: Vec<Block>,
    statement: Statement,
    /// How many braces and brackets are open around the value of an option.
    value: usize,
}

/// Of the statement that is being read, what was read of it.
#[derive(Clone, Copy, Default, PartialEq)]
enum Statement {
    /// Nothing.
    #[default]
    Begins,
    /// `repeated`, whose type is to come.
    Repeated,
    /// `reserved`, or a comma behind it, whose names are to come.
    Reserved,
    /// What opens this block, if it opens one; otherwise the braces in it are those of values.
    Opens(Block),
    Other,
}

const NO_LABEL: &str = "an edition has no label of this name: the feature field_presence tells what it would";
const NO_GROUP: &str = "an edition has no groups: the feature message_encoding = DELIMITED makes a message one";
const NO_STRING: &str = "in an edition a reserved name is not written as a string";

impl Scanner {
    fn token(&mut self, offset: usize, token: Token) -> Result<(), Fault> {
        if self.value > 0 {
            match token {
                Token::Symbol(b'{' | b'[') => self.value += 1,
                Token::Symbol(b'}' | b']') => self.value -= 1,
                _ => {}
            }
            return Ok(());
        }
        self.statement = match (self.statement, token) {
            (_, Token::Symbol(b';')) => Statement::Begins,
            (_, Token::Symbol(b'}')) => {
                self.blocks.pop();
                Statement::Begins
            }
            (Statement::Opens(block), Token::Symbol(b'{')) => {
                self.blocks.push(block);
                Statement::Begins
            }
            (statement, Token::Symbol(b'{' | b'[')) => {
                self.value = 1;
                statement
            }
            (Statement::Begins, Token::Word(word)) => self.begin(offset, word)?,
            (Statement::Begins, _) => {
                self.field(offset);
                Statement::Other
            }
            (Statement::Repeated, Token::Word("group")) => return fault(offset, NO_GROUP),
            (Statement::Repeated, _) => Statement::Other,
            (Statement::Reserved, Token::Word(name)) if !name.starts_with(|first: char| first.is_ascii_digit()) => {
                self.insertions.extend([(offset, "\""), (offset.saturating_add(name.len()), "\"")]);
                Statement::Reserved
            }
            (Statement::Reserved, Token::String(_)) => return fault(offset, NO_STRING),
            // The names that are left are those of a range: `5 to max`.
            (Statement::Reserved, Token::Word(_)) => Statement::Other,
            (statement, _) => statement,
        };
        Ok(())
    }

    fn begin(&mut self, offset: usize, word: &str) -> Result<Statement, Fault> {
        let block = self.blocks.last();
        let in_fields = block == Some(&Block::Fields);
        Ok(match word {
            "message" | "extend" => Statement::Opens(Block::Fields),
            "oneof" => Statement::Opens(Block::Oneof),
            "enum" | "service" | "rpc" => Statement::Opens(Block::Other),
            "reserved" => Statement::Reserved,
            "option" | "extensions" | "map" => Statement::Other,
            "repeated" if in_fields => Statement::Repeated,
            "optional" | "required" if in_fields => return fault(offset, NO_LABEL),
            "group" if in_fields || block == Some(&Block::Oneof) => return fault(offset, NO_GROUP),
            _ => {
                self.field(offset);
                Statement::Other
            }
        })
    }

    /// A field without label begins, if fields are what is here.
    fn field(&mut self, offset: usize) {
        if self.blocks.last() == Some(&Block::Fields) {
            self.insertions.push((offset, "optional "));
        }
    }
}
