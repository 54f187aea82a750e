//! Google's benchmark messages as prost has them, from `benchmarks/google_messages.proto`.

#[derive(Clone, PartialEq, prost::Message)]
pub struct Message2 {
    #[prost(string, optional, tag = "1")]
    pub field1: Option<String>,
    #[prost(int64, optional, tag = "3")]
    pub field3: Option<i64>,
    #[prost(int64, optional, tag = "4")]
    pub field4: Option<i64>,
    #[prost(int64, optional, tag = "30")]
    pub field30: Option<i64>,
    #[prost(bool, optional, tag = "75")]
    pub field75: Option<bool>,
    #[prost(string, optional, tag = "6")]
    pub field6: Option<String>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub field2: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "21")]
    pub field21: Option<i32>,
    #[prost(int32, optional, tag = "71")]
    pub field71: Option<i32>,
    #[prost(float, optional, tag = "25")]
    pub field25: Option<f32>,
    #[prost(int32, optional, tag = "109")]
    pub field109: Option<i32>,
    #[prost(int32, optional, tag = "210")]
    pub field210: Option<i32>,
    #[prost(int32, optional, tag = "211")]
    pub field211: Option<i32>,
    #[prost(int32, optional, tag = "212")]
    pub field212: Option<i32>,
    #[prost(int32, optional, tag = "213")]
    pub field213: Option<i32>,
    #[prost(int32, optional, tag = "216")]
    pub field216: Option<i32>,
    #[prost(int32, optional, tag = "217")]
    pub field217: Option<i32>,
    #[prost(int32, optional, tag = "218")]
    pub field218: Option<i32>,
    #[prost(int32, optional, tag = "220")]
    pub field220: Option<i32>,
    #[prost(int32, optional, tag = "221")]
    pub field221: Option<i32>,
    #[prost(float, optional, tag = "222")]
    pub field222: Option<f32>,
    #[prost(int32, optional, tag = "63")]
    pub field63: Option<i32>,
    #[prost(message, repeated, tag = "10")]
    pub group1: Vec<Message2Group1>,
    #[prost(string, repeated, tag = "128")]
    pub field128: Vec<String>,
    #[prost(int64, optional, tag = "131")]
    pub field131: Option<i64>,
    #[prost(string, repeated, tag = "127")]
    pub field127: Vec<String>,
    #[prost(int32, optional, tag = "129")]
    pub field129: Option<i32>,
    #[prost(int64, repeated, tag = "130", packed = "false")]
    pub field130: Vec<i64>,
    #[prost(bool, optional, tag = "205")]
    pub field205: Option<bool>,
    #[prost(bool, optional, tag = "206")]
    pub field206: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Message1 {
    #[prost(string, required, tag = "1")]
    pub field1: String,
    #[prost(string, optional, tag = "9")]
    pub field9: Option<String>,
    #[prost(string, optional, tag = "18")]
    pub field18: Option<String>,
    #[prost(bool, optional, tag = "80")]
    pub field80: Option<bool>,
    #[prost(bool, optional, tag = "81")]
    pub field81: Option<bool>,
    #[prost(int32, required, tag = "2")]
    pub field2: i32,
    #[prost(int32, required, tag = "3")]
    pub field3: i32,
    #[prost(int32, optional, tag = "280")]
    pub field280: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub field6: Option<i32>,
    #[prost(int64, optional, tag = "22")]
    pub field22: Option<i64>,
    #[prost(string, optional, tag = "4")]
    pub field4: Option<String>,
    #[prost(fixed64, repeated, tag = "5", packed = "false")]
    pub field5: Vec<u64>,
    #[prost(bool, optional, tag = "59")]
    pub field59: Option<bool>,
    #[prost(string, optional, tag = "7")]
    pub field7: Option<String>,
    #[prost(int32, optional, tag = "16")]
    pub field16: Option<i32>,
    #[prost(int32, optional, tag = "130")]
    pub field130: Option<i32>,
    #[prost(bool, optional, tag = "12")]
    pub field12: Option<bool>,
    #[prost(bool, optional, tag = "17")]
    pub field17: Option<bool>,
    #[prost(bool, optional, tag = "13")]
    pub field13: Option<bool>,
    #[prost(bool, optional, tag = "14")]
    pub field14: Option<bool>,
    #[prost(int32, optional, tag = "104")]
    pub field104: Option<i32>,
    #[prost(int32, optional, tag = "100")]
    pub field100: Option<i32>,
    #[prost(int32, optional, tag = "101")]
    pub field101: Option<i32>,
    #[prost(string, optional, tag = "102")]
    pub field102: Option<String>,
    #[prost(string, optional, tag = "103")]
    pub field103: Option<String>,
    #[prost(int32, optional, tag = "29")]
    pub field29: Option<i32>,
    #[prost(bool, optional, tag = "30")]
    pub field30: Option<bool>,
    #[prost(int32, optional, tag = "60")]
    pub field60: Option<i32>,
    #[prost(int32, optional, tag = "271")]
    pub field271: Option<i32>,
    #[prost(int32, optional, tag = "272")]
    pub field272: Option<i32>,
    #[prost(int32, optional, tag = "150")]
    pub field150: Option<i32>,
    #[prost(int32, optional, tag = "23")]
    pub field23: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    pub field24: Option<bool>,
    #[prost(int32, optional, tag = "25")]
    pub field25: Option<i32>,
    #[prost(message, optional, tag = "15")]
    pub field15: Option<Message1SubMessage>,
    #[prost(bool, optional, tag = "78")]
    pub field78: Option<bool>,
    #[prost(int32, optional, tag = "67")]
    pub field67: Option<i32>,
    #[prost(int32, optional, tag = "68")]
    pub field68: Option<i32>,
    #[prost(int32, optional, tag = "128")]
    pub field128: Option<i32>,
    #[prost(string, optional, tag = "129")]
    pub field129: Option<String>,
    #[prost(int32, optional, tag = "131")]
    pub field131: Option<i32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Message1SubMessage {
    #[prost(int32, optional, tag = "1")]
    pub field1: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub field2: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub field3: Option<i32>,
    #[prost(string, optional, tag = "15")]
    pub field15: Option<String>,
    #[prost(bool, optional, tag = "12")]
    pub field12: Option<bool>,
    #[prost(int64, optional, tag = "13")]
    pub field13: Option<i64>,
    #[prost(int64, optional, tag = "14")]
    pub field14: Option<i64>,
    #[prost(int32, optional, tag = "16")]
    pub field16: Option<i32>,
    #[prost(int32, optional, tag = "19")]
    pub field19: Option<i32>,
    #[prost(bool, optional, tag = "20")]
    pub field20: Option<bool>,
    #[prost(bool, optional, tag = "28")]
    pub field28: Option<bool>,
    #[prost(fixed64, optional, tag = "21")]
    pub field21: Option<u64>,
    #[prost(int32, optional, tag = "22")]
    pub field22: Option<i32>,
    #[prost(bool, optional, tag = "23")]
    pub field23: Option<bool>,
    #[prost(bool, optional, tag = "206")]
    pub field206: Option<bool>,
    #[prost(fixed32, optional, tag = "203")]
    pub field203: Option<u32>,
    #[prost(int32, optional, tag = "204")]
    pub field204: Option<i32>,
    #[prost(string, optional, tag = "205")]
    pub field205: Option<String>,
    #[prost(uint64, optional, tag = "207")]
    pub field207: Option<u64>,
    #[prost(uint64, optional, tag = "300")]
    pub field300: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Message2Group1 {
    #[prost(float, required, tag = "11")]
    pub field11: f32,
    #[prost(float, optional, tag = "26")]
    pub field26: Option<f32>,
    #[prost(string, optional, tag = "12")]
    pub field12: Option<String>,
    #[prost(string, optional, tag = "13")]
    pub field13: Option<String>,
    #[prost(string, repeated, tag = "14")]
    pub field14: Vec<String>,
    #[prost(uint64, required, tag = "15")]
    pub field15: u64,
    #[prost(int32, optional, tag = "5")]
    pub field5: Option<i32>,
    #[prost(string, optional, tag = "27")]
    pub field27: Option<String>,
    #[prost(int32, optional, tag = "28")]
    pub field28: Option<i32>,
    #[prost(string, optional, tag = "29")]
    pub field29: Option<String>,
    #[prost(string, optional, tag = "16")]
    pub field16: Option<String>,
    #[prost(string, repeated, tag = "22")]
    pub field22: Vec<String>,
    #[prost(int32, repeated, tag = "73", packed = "false")]
    pub field73: Vec<i32>,
    #[prost(int32, optional, tag = "20")]
    pub field20: Option<i32>,
    #[prost(string, optional, tag = "24")]
    pub field24: Option<String>,
    #[prost(message, optional, tag = "31")]
    pub field31: Option<Message2GroupedMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Message2GroupedMessage {
    #[prost(float, optional, tag = "1")]
    pub field1: Option<f32>,
    #[prost(float, optional, tag = "2")]
    pub field2: Option<f32>,
    #[prost(float, optional, tag = "3")]
    pub field3: Option<f32>,
    #[prost(bool, optional, tag = "4")]
    pub field4: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    pub field5: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub field6: Option<bool>,
    #[prost(bool, optional, tag = "7")]
    pub field7: Option<bool>,
    #[prost(float, optional, tag = "8")]
    pub field8: Option<f32>,
    #[prost(bool, optional, tag = "9")]
    pub field9: Option<bool>,
    #[prost(float, optional, tag = "10")]
    pub field10: Option<f32>,
    #[prost(int64, optional, tag = "11")]
    pub field11: Option<i64>,
}
