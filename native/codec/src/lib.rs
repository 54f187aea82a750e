//! Table-driven protobuf encoder and decoder, generic over the terms it reads and builds.
#![forbid(unsafe_code)]
