//! A FileDescriptorSet, as protoc writes it with `--descriptor_set_out`: files that are parsed and checked already.
//!
//! The parser's descriptors know proto2 and proto3. A file of an edition is put into proto2 in its bytes; its features
//! are options, which are kept as bytes, so `features` finds them as it does in files that were read as text.

use std::collections::HashSet;

use protox::prost_reflect::DescriptorPool;
use protox::prost_reflect::prost::DecodeError;
use protox::prost_reflect::prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

use super::editions::{self, Edition};
use super::failure::ProtoError;
use super::layout::sorted_by_path;
use super::sources::{Read, Source};

/// Numbers of the fields of descriptor.proto.
const FILES: u32 = 1;
const NAME: u32 = 1;
const SYNTAX: u32 = 12;
const EDITION: u32 = 14;

/// The edition that is read, by its number in descriptor.proto, and those that stand for proto2 and proto3.
const EDITION_2023: u64 = 1000;
const PROTO2_AND_PROTO3: [u64; 2] = [998, 999];

/// The files of a set, in its order, and the pool of what is in them.
pub fn read(set: &[u8]) -> Result<(Read, DescriptorPool), ProtoError> {
    let not_a_set = |error: DecodeError| ProtoError::new(format!("these bytes are no FileDescriptorSet: {error}"));
    let mut bytes = Vec::with_capacity(set.len());
    let mut of_editions = HashSet::new();
    for (number, field, contents) in fields(set).map_err(not_a_set)? {
        match contents {
            Contents::Bytes(file) if number == FILES => {
                let file = File::read(file).map_err(not_a_set)?;
                if file.check_edition()? {
                    of_editions.insert(file.name.clone());
                    file.append_as_proto2(&mut bytes);
                } else {
                    bytes.extend_from_slice(field);
                }
            }
            _ => {}
        }
    }
    let mut pool = DescriptorPool::new();
    pool.decode_file_descriptor_set(bytes.as_slice()).map_err(|error| match error.file() {
        Some(file) => ProtoError::in_file(file, error.to_string()),
        None => ProtoError::new(error.to_string()),
    })?;
    let sources: Vec<Source> = pool
        .file_descriptor_protos()
        .map(|descriptor| Source {
            name: descriptor.name().to_owned(),
            path: None,
            text: String::new(),
            edition: of_editions.contains(descriptor.name()).then(Edition::of_descriptor),
            descriptor: sorted_by_path(descriptor.clone()),
        })
        .collect();
    let asked_for = roots(&sources);
    Ok((Read { asked_for, sources, ..Read::default() }, pool))
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
    name: String,
    edition: Option<u64>,
    /// All of it that does not say what it is written in.
    rest: Vec<&'s [u8]>,
}

impl<'s> File<'s> {
    fn read(bytes: &'s [u8]) -> Result<Self, DecodeError> {
        let mut file = File { name: String::new(), edition: None, rest: Vec::new() };
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

    /// Appends the file to the bytes of a set, without what says that it is no proto2.
    fn append_as_proto2(&self, set: &mut Vec<u8>) {
        encode_key(FILES, WireType::LengthDelimited, set);
        let len: usize = self.rest.iter().map(|field| field.len()).sum();
        encode_varint(len as u64, set);
        for field in &self.rest {
            set.extend_from_slice(field);
        }
    }
}
