//! The row of a catalog that is measured, from `benchmarks/catalog.proto`, as prost has it.

#[derive(Clone, PartialEq, prost::Message)]
pub struct Table {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(uint64, tag = "2")]
    pub schema_id: u64,
    #[prost(uint64, tag = "3")]
    pub snapshot_id: u64,
    #[prost(string, tag = "4")]
    pub name: String,
    #[prost(message, repeated, tag = "5")]
    pub columns: Vec<Column>,
    #[prost(message, repeated, tag = "6")]
    pub files: Vec<DataFile>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Column {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub ty: i32,
    #[prost(string, tag = "3")]
    pub default_value: String,
    #[prost(bool, tag = "4")]
    pub nullable: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct DataFile {
    #[prost(string, tag = "1")]
    pub path: String,
    #[prost(int32, tag = "2")]
    pub format: i32,
    #[prost(uint64, tag = "3")]
    pub record_count: u64,
    #[prost(uint64, tag = "4")]
    pub size: u64,
    #[prost(uint64, tag = "5")]
    pub footer_size: u64,
}
