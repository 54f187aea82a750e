//! A FileDescriptorSet, as protoc writes it with `--descriptor_set_out`: files that are parsed and checked already.
//!
//! The check takes all files for proto2. Others are put into proto2 in their bytes; the features of an edition
//! are options, which are kept as bytes, so `features` finds them as it does in files that were read as text.

use std::collections::HashSet;

use prost_types::FileDescriptorProto;
use protox::prost_reflect::DescriptorPool;
use protox::prost_reflect::prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};
use protox::prost_reflect::prost::{DecodeError, Message};

use super::descriptors::PROTO3;
use super::editions::{self, Edition};
use super::failure::{ProtoError, with_help};
use super::layout::sorted_by_path;
use super::sources::{Read, Source};

/// Numbers of the fields of descriptor.proto.
const FILES: u32 = 1;
const NAME: u32 = 1;
const SYNTAX: u32 = 12;
const EDITION: u32 = 14;
const MESSAGES: u32 = 4;
const FIELDS: u32 = 2;
const NESTED: u32 = 3;
const JSON_NAME: u32 = 10;

/// The edition that is read, by its number in descriptor.proto, and those that stand for proto2 and proto3.
const EDITION_2023: u64 = 1000;
const PROTO2_AND_PROTO3: [u64; 2] = [998, 999];

/// How deep messages may stand in each other. The reader of the bytes refuses more than 100 levels.
const MAX_NESTING: usize = 100;

/// The files of a set, in its order, and the pool of what is in them.
pub fn read(set: &[u8]) -> Result<(Read, DescriptorPool), ProtoError> {
    let not_a_set = |error: DecodeError| ProtoError::new(format!("these bytes are no FileDescriptorSet: {error}"));
    let mut to_check = Vec::with_capacity(set.len());
    let mut sources = Vec::new();
    for (number, _, contents) in fields(set).map_err(not_a_set)? {
        if let Contents::Bytes(file) = contents
            && number == FILES
        {
            let file = File::read(file).map_err(not_a_set)?;
            let edition = file.check_edition()?.then(Edition::of_descriptor);
            let proto2 = file.as_proto2();
            let written = if edition.is_some() { &proto2 } else { file.bytes };
            let descriptor = FileDescriptorProto::decode(written).map_err(not_a_set)?;
            // As with files that are read as text, proto3 is put aside too.
            let to_set_aside = if descriptor.syntax() == PROTO3 { &proto2 } else { written };
            let bytes = json_names_set_aside(Part::File, to_set_aside, MAX_NESTING).map_err(not_a_set)?;
            append(FILES, &bytes, &mut to_check);
            sources.push(Source {
                name: descriptor.name().to_owned(),
                path: None,
                text: String::new(),
                edition,
                descriptor: sorted_by_path(descriptor),
            });
        }
    }
    let mut pool = DescriptorPool::new();
    pool.decode_file_descriptor_set(to_check.as_slice()).map_err(|error| match error.file() {
        Some(file) => ProtoError::in_file(file, with_help(&error)),
        None => ProtoError::new(with_help(&error)),
    })?;
    let asked_for = roots(&sources);
    Ok((Read { asked_for, sources, ..Read::default() }, pool))
}

/// What of a set has names of fields in JSON in it.
#[derive(Clone, Copy)]
enum Part {
    File,
    Message,
    Field,
}

impl Part {
    /// What a field of it is, by its number.
    fn within(self, number: u32) -> Option<Part> {
        match (self, number) {
            (Part::File, MESSAGES) | (Part::Message, NESTED) => Some(Part::Message),
            (Part::Message, FIELDS) => Some(Part::Field),
            _ => None,
        }
    }
}

/// What [`json_names::set_aside`](super::json_names::set_aside) does, in bytes: those keep options that nobody knows here.
fn json_names_set_aside(part: Part, bytes: &[u8], levels: usize) -> Result<Vec<u8>, DecodeError> {
    let mut changed = Vec::with_capacity(bytes.len());
    let mut name: &[u8] = &[];
    for (number, field, contents) in fields(bytes)? {
        match (contents, levels.checked_sub(1), part.within(number)) {
            (Contents::Bytes(inside), Some(levels), Some(part)) => {
                append(number, &json_names_set_aside(part, inside, levels)?, &mut changed);
            }
            (contents, _, _) => {
                if let (Contents::Bytes(text), NAME) = (contents, number) {
                    name = text;
                }
                changed.extend_from_slice(field);
            }
        }
    }
    // Of a field that comes twice the second counts.
    if let Part::Field = part {
        append(JSON_NAME, name, &mut changed);
    }
    Ok(changed)
}

fn append(number: u32, contents: &[u8], bytes: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, bytes);
    encode_varint(contents.len() as u64, bytes);
    bytes.extend_from_slice(contents);
}

/// The files that no other file of the set imports: those that protoc was asked for.
fn roots(sources: &[Source]) -> Vec<String> {
    let imported: HashSet<&str> =
        sources.iter().flat_map(|source| &source.descriptor.dependency).map(String::as_str).collect();
    sources.iter().map(|source| source.name.clone()).filter(|name| !imported.contains(name.as_str())).collect()
}

/// What a field holds, as far as it matters.
enum Contents<'s> {
    Bytes(&'s [u8]),
    Varint(u64),
    Other,
}

/// A field of a message: its number, all of its bytes, and what it holds.
type Field<'s> = (u32, &'s [u8], Contents<'s>);

fn fields(message: &[u8]) -> Result<Vec<Field<'_>>, DecodeError> {
    let mut fields = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let from = rest;
        let (number, wire_type) = decode_key(&mut rest)?;
        let value = rest;
        skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
        let contents = match wire_type {
            WireType::LengthDelimited => {
                let mut inside = up_to(value, rest);
                decode_varint(&mut inside)?;
                Contents::Bytes(inside)
            }
            WireType::Varint => Contents::Varint(decode_varint(&mut up_to(value, rest))?),
            _ => Contents::Other,
        };
        fields.push((number, up_to(from, rest), contents));
    }
    Ok(fields)
}

/// What of `from` stands before `rest`, its end.
fn up_to<'s>(from: &'s [u8], rest: &[u8]) -> &'s [u8] {
    let len = from.len().saturating_sub(rest.len());
    from.get(..len).unwrap_or(from)
}

/// A file of the set, in its bytes.
struct File<'s> {
    bytes: &'s [u8],
    name: String,
    edition: Option<u64>,
    /// All of it that does not say what it is written in.
    rest: Vec<&'s [u8]>,
}

impl<'s> File<'s> {
    fn read(bytes: &'s [u8]) -> Result<Self, DecodeError> {
        let mut file = File { bytes, name: String::new(), edition: None, rest: Vec::new() };
        for (number, field, contents) in fields(bytes)? {
            match (number, contents) {
                (EDITION, Contents::Varint(edition)) => file.edition = Some(edition),
                (SYNTAX, _) => {}
                (NAME, Contents::Bytes(name)) => {
                    file.name = String::from_utf8_lossy(name).into_owned();
                    file.rest.push(field);
                }
                _ => file.rest.push(field),
            }
        }
        Ok(file)
    }

    /// Whether the file is of an edition, which must be one that is read.
    fn check_edition(&self) -> Result<bool, ProtoError> {
        match self.edition {
            None => Ok(false),
            Some(EDITION_2023) => Ok(true),
            Some(edition) if PROTO2_AND_PROTO3.contains(&edition) => Ok(false),
            Some(edition) => {
                let known = editions::EDITION;
                let message =
                    format!("the edition of number {edition} is not supported: proto2, proto3 and edition {known} are");
                Err(ProtoError::in_file(&self.name, message))
            }
        }
    }

    /// Its bytes without what says that it is no proto2.
    fn as_proto2(&self) -> Vec<u8> {
        self.rest.concat()
    }
}
