//! From files that were read and checked to definitions.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use prost_types::FileDescriptorProto;
use protox::prost_reflect::DescriptorPool;

use super::arguments::{Options, Request};
use super::checks;
use super::definitions::{Entry, finish, keyed};
use super::descriptor_set;
use super::descriptors::{File, PROTO3};
use super::extension_numbers;
use super::failure::ProtoError;
use super::features::{Features, FileFeatures};
use super::imports;
use super::names::Names;
use super::sources::{Read, Source};
use super::value::Value;

/// The definitions in the files that are asked for and in all that they import.
pub fn definitions(request: &Request) -> Result<Value, ProtoError> {
    let (read, pool) = imports::read_all(&request.files, &request.options.include_dirs)?;
    convert(&request.options, &read, &pool)
}

/// The definitions in a FileDescriptorSet.
pub fn set_definitions(set: &[u8], options: &Options) -> Result<Value, ProtoError> {
    let (read, pool) = descriptor_set::read(set)?;
    convert(options, &read, &pool)
}

fn convert(options: &Options, read: &Read, pool: &DescriptorPool) -> Result<Value, ProtoError> {
    let checked: HashMap<&str, &FileDescriptorProto> =
        pool.file_descriptor_protos().map(|file| (file.name(), file)).collect();
    let sources = breadth_first(read);
    let files: Vec<(&Source, &FileDescriptorProto)> =
        sources.into_iter().filter_map(|source| Some((source, *checked.get(source.name.as_str())?))).collect();
    let names = Names::new(files.iter().copied(), options.use_packages)?;
    let short_names = short_names(files.iter().map(|(source, _)| *source));
    let features: HashMap<&str, FileFeatures> =
        files.iter().map(|(source, _)| (source.name.as_str(), features(source, pool))).collect();
    extension_numbers::check(&files)?;
    let mut proto3_messages = None;
    let mut entries = Vec::new();
    for ((source, checked), short_name) in files.into_iter().zip(&short_names) {
        let Some(own) = features.get(source.name.as_str()) else { continue };
        checks::check(source, own, &features, pool)?;
        let file = File::new(source, checked, own, options.features, &names);
        let definitions = file.entries();
        let contained = Contained::new(&definitions);
        entries.extend(file_entries(short_name, checked, &contained, options.use_packages));
        if file.is_proto3() {
            proto3_messages.get_or_insert_with(BTreeSet::new).extend(contained.messages);
        }
        entries.extend(definitions);
    }
    finish(entries, proto3_messages, options)
}

fn features(source: &Source, pool: &DescriptorPool) -> FileFeatures {
    match pool.get_file_by_name(&source.name).filter(|_| source.edition.is_some()) {
        Some(file) => FileFeatures::of_edition(&file, Features::EDITION_2023),
        None if source.descriptor.syntax() == PROTO3 => FileFeatures::uniform(Features::PROTO3),
        None => FileFeatures::uniform(Features::PROTO2),
    }
}

/// The files in gpb's order: those that are asked for, then what they import, then what these import.
///
/// The fields that several files add to one message stand in this order.
fn breadth_first(read: &Read) -> Vec<&Source> {
    let by_name: HashMap<&str, &Source> = read.sources.iter().map(|source| (source.name.as_str(), source)).collect();
    let mut queue: VecDeque<&str> = read.asked_for.iter().map(String::as_str).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut order = Vec::new();
    while let Some(name) = queue.pop_front() {
        // A file that was read under another name has no source under this one.
        let name = read.other_names.get(name).map_or(name, String::as_str);
        if let Some(source) = by_name.get(name).filter(|_| seen.insert(name)) {
            order.push(*source);
            queue.extend(source.descriptor.dependency.iter().map(String::as_str));
        }
    }
    order
}

/// The names of what a file defines: all but calls sorted as gpb sorts them, by components.
#[derive(Default)]
struct Contained {
    messages: Vec<String>,
    enums: Vec<String>,
    services: Vec<String>,
    /// The calls, each with the name of its service.
    rpcs: Vec<(String, String)>,
}

impl Contained {
    fn new(entries: &[Entry]) -> Self {
        let mut contained = Contained::default();
        for entry in entries {
            match entry {
                Entry::Message { group: false, name, .. } => contained.messages.push(name.clone()),
                Entry::Enum { name, .. } => contained.enums.push(name.clone()),
                Entry::Service { name, rpcs } => {
                    contained.services.push(name.clone());
                    contained.rpcs.extend(rpcs.iter().map(|rpc| (name.clone(), rpc.name.clone())));
                }
                _ => {}
            }
        }
        for names in [&mut contained.messages, &mut contained.enums, &mut contained.services] {
            names.sort_by(|one, other| one.split('.').cmp(other.split('.')));
        }
        contained
    }
}

/// `{file, _}` and what says what is in it.
fn file_entries(short_name: &str, file: &FileDescriptorProto, contained: &Contained, use_packages: bool) -> Vec<Entry> {
    let chars = Value::chars;
    let base = short_name.strip_suffix(".proto").unwrap_or(short_name);
    let containment = |key, names| Value::pair(Value::pair(Value::atom(key), chars(base)), names);
    let atoms = |names: &[String]| Value::List(names.iter().map(Value::atom).collect());
    let mut entries = vec![
        keyed("file", Value::pair(chars(base), chars(short_name))),
        containment("msg_containment", atoms(&contained.messages)),
        containment("enum_containment", atoms(&contained.enums)),
    ];
    if let Some(package) = file.package.as_ref().filter(|_| use_packages) {
        entries.push(containment("pkg_containment", Value::atom(package)));
    }
    if !contained.services.is_empty() {
        let rpcs = contained.rpcs.iter().map(|(service, rpc)| Value::pair(Value::atom(service), Value::atom(rpc)));
        entries.push(containment("service_containment", atoms(&contained.services)));
        entries.push(containment("rpc_containment", Value::List(rpcs.collect())));
    }
    entries.into_iter().map(Entry::Other).collect()
}

/// The paths of the files, each cut to as few of its last components as tell it from the others.
fn short_names<'a>(sources: impl Iterator<Item = &'a Source>) -> Vec<String> {
    let paths: Vec<String> = sources
        .map(|source| source.path.as_ref().map_or_else(|| source.name.clone(), |path| path.display().to_string()))
        .collect();
    let mut users: HashMap<&str, usize> = HashMap::new();
    for suffix in paths.iter().flat_map(|path| suffixes(path)) {
        *users.entry(suffix).or_default() += 1;
    }
    let short = |path| suffixes(path).find(|suffix| users.get(suffix) == Some(&1));
    paths.iter().map(|path| short(path).unwrap_or(path).to_owned()).collect()
}

/// The last component, the last two, and so on.
fn suffixes(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').filter_map(|(slash, _)| path.get(slash.checked_add(1)?..)).chain([path])
}
