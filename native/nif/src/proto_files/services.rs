//! Services: names of calls, and the messages that go to and fro in them.

use prost_types::{FileDescriptorProto, MethodDescriptorProto, ServiceDescriptorProto};

use super::arguments::DefsVersion;
use super::definitions::Entry;
use super::descriptors::Placed;
use super::layout::{Layout, element_path, tag};
use super::names::{Names, Scope};
use super::options::{WrittenOption, written_options};
use super::value::Value;

/// What the services of a file are converted with.
pub struct Services<'a> {
    pub layout: &'a Layout<'a>,
    pub names: &'a Names<'a>,
    pub scope: &'a Scope,
}

impl Services<'_> {
    /// `{{service, Name}, Rpcs}` for each service, with `{{service_options, Name}, Options}` where it has options.
    pub fn of_file(&self, written: &FileDescriptorProto, checked: &FileDescriptorProto) -> Placed {
        let pairs = written.service.iter().zip(&checked.service).enumerate();
        let placed = pairs.map(|(i, (written, checked))| {
            let path = element_path(&[tag::file::SERVICE], i);
            (self.layout.start(&path), self.service(written, checked, &path))
        });
        placed.collect()
    }

    fn service(&self, written: &ServiceDescriptorProto, checked: &ServiceDescriptorProto, path: &[i32]) -> Vec<Entry> {
        let name = self.scope.erlang_name(checked.name());
        let list = [path, &[tag::service::METHOD]].concat();
        let methods = written.method.iter().zip(&checked.method).enumerate();
        let rpcs = methods.map(|(i, (written, checked))| self.rpc(written, checked, &element_path(&list, i))).collect();
        let mut entries = vec![Entry::Service { name: name.clone(), rpcs }];
        let options = written.options.iter().flat_map(|options| {
            written_options(&options.uninterpreted_option, self.layout, path, tag::service::OPTIONS)
        });
        let options: Vec<_> = options.map(|(_, option)| option).collect();
        if !options.is_empty() {
            entries.push(Entry::ServiceOptions { name, options });
        }
        entries
    }

    fn rpc(&self, written: &MethodDescriptorProto, checked: &MethodDescriptorProto, path: &[i32]) -> Rpc {
        let options = written.options.iter().flat_map(|options| {
            written_options(&options.uninterpreted_option, self.layout, path, tag::method::OPTIONS)
        });
        let options = options.map(|(_, option)| option).collect();
        Rpc {
            name: checked.name().to_owned(),
            input: self.names.erlang_name(checked.input_type()).to_owned(),
            output: self.names.erlang_name(checked.output_type()).to_owned(),
            input_stream: checked.client_streaming(),
            output_stream: checked.server_streaming(),
            options,
        }
    }
}

/// A call of a service.
pub struct Rpc {
    pub name: String,
    input: String,
    output: String,
    input_stream: bool,
    output_stream: bool,
    options: Vec<WrittenOption>,
}

impl Rpc {
    /// `{rpc, Name, Input, Output, InputStream, OutputStream, Options}`
    pub fn into_value(self, version: DefsVersion) -> Value {
        let options = self.options.into_iter().map(|option| {
            let name = if version == DefsVersion::Four { option.nested_name() } else { option.joined_name() };
            Value::pair(name, option.value)
        });
        Value::Tuple(vec![
            Value::atom("rpc"),
            Value::Atom(self.name),
            Value::Atom(self.input),
            Value::Atom(self.output),
            Value::bool(self.input_stream),
            Value::bool(self.output_stream),
            Value::List(options.collect()),
        ])
    }
}
