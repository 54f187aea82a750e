//! The NIF library behind the Erlang module `enif_protobuf`: a thin layer between the VM and the codec.
//!
//! All unsafe code is in `beam`, in `entry`, and in what `functions` declares: the table of the NIFs and the macro that
//! makes one.

mod atoms;
mod beam;
mod cache;
mod calls;
mod debug;
mod entry;
mod errors;
mod forms;
mod functions;
mod gpb_defs;
mod info;
mod options;
mod proto_files;
mod workplace;
