//! Strings and bytes: binaries, and nested lists of octets or characters.

use super::{Encoder, Stop};
use crate::error::EncodeReason as Reason;
use crate::term::{Term, TermReader};
use crate::wire::output::TagBytes;
use crate::wire::utf8;
use crate::work;

/// What the integers of a list stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Octets,
    CodePoints,
}

impl<'t, R: TermReader<'t>> Encoder<'_, 't, R> {
    #[inline(always)]
    pub(super) fn string(&mut self, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        let content = if self.options.with_utf8 { Content::CodePoints } else { Content::Octets };
        self.text(tag, implicit, term, content, Reason::BadString)
    }

    #[inline(always)]
    pub(super) fn bytes(&mut self, tag: TagBytes, implicit: bool, term: Term) -> Result<(), Stop> {
        self.text(tag, implicit, term, Content::Octets, Reason::BadBytes)
    }

    #[inline(always)]
    fn text(&mut self, tag: TagBytes, implicit: bool, term: Term, content: Content, wrong: Reason) -> Result<(), Stop> {
        if let Some(bytes) = self.reader.binary(term) {
            if content == Content::CodePoints && std::str::from_utf8(bytes).is_err() {
                return Err(Stop::Invalid(wrong, term));
            }
            if !implicit || !bytes.is_empty() {
                self.output.length_delimited(tag, bytes);
            }
            return self.spend(work::binary(bytes.len()));
        }
        self.text_list(tag, implicit, term, content, wrong)
    }

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
        let length = self.output.begin_length(tag);
        match self.list(term, content)? {
            None => return Err(Stop::Invalid(wrong, term)),
            Some(0) if implicit => self.output.take_back(mark),
            Some(_) => self.output.end_length(length),
        }
        Ok(())
    }

    /// Writes a list and gives how many bytes it came to; nothing where it is not what it should be.
    fn list(&mut self, list: Term, content: Content) -> Result<Option<usize>, Stop> {
        let start = self.output.written();
        let nil = self.plan.constants.nil;
        self.rests.clear();
        // What is written as the one byte that it is.
        let max = if content == Content::Octets { 0xff } else { 0x7f };
        let mut list = list;
        loop {
            loop {
                let (len, rest) = self.reader.octets(list, max, self.output.space());
                self.output.advance(len);
                self.spend(1 + len)?;
                let Some((head, tail)) = self.reader.cell(rest) else {
                    list = rest;
                    break;
                };
                match self.reader.integer(head) {
                    // There was no more room.
                    Some(value) if (0..=i64::from(max)).contains(&value) => list = rest,
                    Some(value) if content == Content::CodePoints => {
                        let mut bytes = [0; 4];
                        let Some(len) = utf8::write(value, &mut bytes) else { return Ok(None) };
                        self.output.raw(&bytes[..len]);
                        list = tail;
                    }
                    Some(_) => return Ok(None),
                    None => match self.reader.binary(head) {
                        Some(bytes) => {
                            if !self.inner_binary(bytes, content)? {
                                return Ok(None);
                            }
                            list = tail;
                        }
                        None if head == nil => list = tail,
                        // A nested list.
                        None => {
                            if self.reader.cell(head).is_none() {
                                return Ok(None);
                            }
                            self.rests.push(tail);
                            list = head;
                        }
                    },
                }
            }
            // What ends a list is the empty list or a binary.
            if list != nil {
                match self.reader.binary(list) {
                    Some(bytes) if self.inner_binary(bytes, content)? => {}
                    _ => return Ok(None),
                }
            }
            match self.rests.pop() {
                Some(rest) => list = rest,
                None => return Ok(Some(self.output.written() - start)),
            }
        }
    }

    /// Writes a binary in a list; false where it is not what it should be.
    fn inner_binary(&mut self, bytes: &[u8], content: Content) -> Result<bool, Stop> {
        self.spend(work::binary(bytes.len()))?;
        let fits = content == Content::Octets || std::str::from_utf8(bytes).is_ok();
        if fits {
            self.output.raw(bytes);
        }
        Ok(fits)
    }
}
