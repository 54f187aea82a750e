//! Strings and bytes: binaries, and nested lists of octets or characters.

use super::{Encoder, MessageSource, Stop};
use crate::error::EncodeReason as Reason;
use crate::memory::TryGrow;
use crate::term::{Term, TermReader};
use crate::wire::output::TagBytes;
use crate::wire::utf8;
use crate::work;

/// What the integers of a list stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Octets,
    /// Octets that must be UTF-8 together.
    Utf8Octets,
    CodePoints,
}

impl<'t, R: TermReader<'t>, S: MessageSource<'t, R>> Encoder<'_, 't, R, S> {
    #[inline(always)]
    pub(super) fn string(&mut self, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        let content = if self.options.with_utf8 { Content::CodePoints } else { Content::Octets };
        self.text(tag, implicit, term, content, Reason::BadString)
    }

    /// A string that must be UTF-8.
    #[inline(never)]
    pub(super) fn utf8_string(&mut self, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        let content = if self.options.with_utf8 { Content::CodePoints } else { Content::Utf8Octets };
        self.text(tag, implicit, term, content, Reason::BadString)
    }

    #[inline(always)]
    pub(super) fn bytes(&mut self, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        self.text(tag, implicit, term, Content::Octets, Reason::BadBytes)
    }

    #[inline(always)]
    fn text(&mut self, tag: TagBytes, implicit: bool, term: Term, content: Content, wrong: Reason) -> Result<(), Stop> {
        match self.reader.binary(term) {
            Some(bytes) => {
                if !Self::refers_to(bytes) {
                    self.spend(work::binary(bytes.len()))?;
                }
                if content != Content::Octets {
                    self.spend(work::binary(bytes.len()))?;
                    if std::str::from_utf8(bytes).is_err() {
                        return Err(Stop::Invalid(wrong, term));
                    }
                }
                if Self::refers_to(bytes) {
                    self.output.varint(tag, bytes.len() as u64)?;
                    self.refer(term, bytes)?;
                } else if !implicit || !bytes.is_empty() {
                    self.output.varint(tag, bytes.len() as u64)?;
                    if !self.output.raw_in_room(bytes) {
                        self.without_room(term, bytes)?;
                    }
                }
                Ok(())
            }
            None => self.text_list(tag, implicit, term, content, wrong),
        }
    }

    /// Whether the output is to refer to these bytes of a binary.
    #[inline(always)]
    fn refers_to(bytes: &[u8]) -> bool {
        S::REFERRED_FROM.is_some_and(|least| bytes.len() >= least)
    }

    fn refer(&mut self, term: Term, bytes: &[u8]) -> Result<(), Stop> {
        self.spend(work::BINARY)?;
        Ok(self.output.refer(term, bytes.len())?)
    }

    /// Writes a binary that the output has no room for: a large one is copied to the result only.
    #[cold]
    #[inline(never)]
    fn without_room(&mut self, term: Term, bytes: &[u8]) -> Result<(), Stop> {
        const LARGE: usize = 16 * 1024;
        match bytes.len() {
            0..LARGE => Ok(self.output.raw(bytes)?),
            len => Ok(self.output.refer(term, len)?),
        }
    }

    /// Writes a list, or a binary that has to be copied, which is like one without cells.
    #[inline(never)]
    fn text_list(
        &mut self,
        tag: TagBytes,
        implicit: bool,
        term: Term,
        content: Content,
        wrong: Reason,
    ) -> Result<(), Stop> {
        self.spend(work::BINARY)?;
        let mark = self.output.mark();
        let length = self.output.begin_length(tag)?;
        let start = self.output.mark();
        let mut fits = self.list(term, content)?;
        if content != Content::Octets {
            self.spend(work::binary(self.output.since(start).len()))?;
            // All of it together: a character may be spread over binaries that follow one another.
            fits = fits && std::str::from_utf8(self.output.since(start)).is_ok();
        }
        if !fits {
            return Err(Stop::Invalid(wrong, term));
        }
        if implicit && self.output.since(start).is_empty() {
            self.output.take_back(mark);
        } else {
            self.output.end_length(length)?;
        }
        Ok(())
    }

    /// Writes a list; false where something in it is neither an integer in range, nor a binary, nor a list.
    fn list(&mut self, list: Term, content: Content) -> Result<bool, Stop> {
        let nil = self.plan.constants.nil;
        self.rests.clear();
        // What is written as the one byte that it is.
        let max = if content == Content::CodePoints { 0x7f } else { 0xff };
        let mut list = list;
        loop {
            loop {
                // No more than can be paid for.
                let affordable = self.budget.saturating_add(1);
                let space = self.output.space()?;
                let room = space.len().min(affordable);
                let (len, rest) = self.reader.octets(list, max, &mut space[..room]);
                self.output.advance(len);
                self.spend(work::ELEMENT + len)?;
                let Some((head, tail)) = self.reader.cell(rest) else {
                    list = rest;
                    break;
                };
                match self.reader.integer(head) {
                    // There was no more room.
                    Some(value) if (0..=i64::from(max)).contains(&value) => list = rest,
                    Some(value) if content == Content::CodePoints => {
                        let mut bytes = [0; 4];
                        let Some(len) = utf8::write(value, &mut bytes) else { return Ok(false) };
                        self.output.raw(&bytes[..len])?;
                        list = tail;
                    }
                    Some(_) => return Ok(false),
                    None if head == nil || self.inner_binary(head, content)? => list = tail,
                    // A nested list.
                    None => {
                        if self.reader.cell(head).is_none() {
                            return Ok(false);
                        }
                        self.rests.try_push(tail)?;
                        list = head;
                    }
                }
            }
            // What ends a list is the empty list or a binary.
            if list != nil && !self.inner_binary(list, content)? {
                return Ok(false);
            }
            match self.rests.pop() {
                Some(rest) => list = rest,
                None => return Ok(true),
            }
        }
    }

    /// Writes a binary in a list; false where the term is none.
    #[inline(always)]
    fn inner_binary(&mut self, term: Term, content: Content) -> Result<bool, Stop> {
        // What is looked at when it is written has to be there.
        if S::REFERRED_FROM.is_some()
            && content == Content::Octets
            && let Some(bytes) = self.reader.binary(term).filter(|bytes| Self::refers_to(bytes))
        {
            self.refer(term, bytes)?;
            return Ok(true);
        }
        self.copied_binary(term)
    }

    /// Writes a binary of any kind; false where the term is none.
    #[inline(never)]
    fn copied_binary(&mut self, term: Term) -> Result<bool, Stop> {
        let bytes = match self.reader.binary(term) {
            None => match self.reader.copied_len(term) {
                Some(len) => {
                    self.spend(work::binary(len))?;
                    self.reader.copied_binary(term)
                }
                None => None,
            },
            bytes => bytes,
        };
        let Some(bytes) = bytes else { return Ok(false) };
        self.spend(work::binary(bytes.len()))?;
        self.output.raw(bytes)?;
        Ok(true)
    }
}
