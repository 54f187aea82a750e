//! The NIF library behind the Erlang module `enif_protobuf`.

mod entry;
mod functions;
