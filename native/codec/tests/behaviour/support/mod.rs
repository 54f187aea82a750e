//! What tests are written with: schemas and values as text, and a term layer of plain Rust values.

pub mod arena;
pub mod generate;
pub mod proto;
pub mod random;
pub mod value;
pub mod wire;

use protobuf_codec::error::{DecodeError, DefinitionError, EncodeError, EncodeReason};
use protobuf_codec::schema::{Definitions, Plan, TypeName};
use protobuf_codec::term::TermReader;
use protobuf_codec::{StringOptions, Term, decode, encode};
use std::cell::RefCell;

use arena::{Arena, Builder};
use value::Value;

/// A compiled schema, whose first message is the one to encode and decode.
pub struct Schema {
    pub plan: Plan,
    pub options: StringOptions,
    pub max_depth: u32,
    pub max_size: usize,
    root: u32,
    // Kept from call to call: what one leaves behind must not show in the next.
    encode_scratch: RefCell<encode::Scratch>,
    decode_scratch: RefCell<decode::Scratch>,
}

pub fn schema(text: &str) -> Schema {
    Schema::of(&proto::parse(text))
}

/// What is wrong with the definitions.
pub fn definition_error(definitions: &Definitions) -> DefinitionError {
    Plan::compile(definitions, arena::constants()).err().expect("an error")
}

impl Schema {
    pub fn of(definitions: &Definitions) -> Schema {
        let plan = Plan::compile(definitions, arena::constants());
        let plan = plan.unwrap_or_else(|error| panic!("{error:?}"));
        let root = plan.message_named(definitions.messages[0].name.term).expect("the first message");
        Schema {
            plan,
            options: StringOptions::default(),
            max_depth: u32::MAX,
            max_size: usize::MAX,
            root,
            encode_scratch: RefCell::default(),
            decode_scratch: RefCell::default(),
        }
    }

    /// The same, with strings as lists.
    pub fn with_lists(mut self) -> Schema {
        self.options.string_as_list = true;
        self
    }

    /// The same, with strings in UTF-8.
    pub fn with_utf8(mut self) -> Schema {
        self.options.with_utf8 = true;
        self
    }

    /// The same, with a limit on nesting.
    pub fn with_max_depth(mut self, max_depth: u32) -> Schema {
        self.max_depth = max_depth;
        self
    }

    /// The same, with a limit on the input.
    pub fn with_max_size(mut self, max_size: usize) -> Schema {
        self.max_size = max_size;
        self
    }

    /// Decodes bytes in hexadecimal; gives the record or what is wrong, as text.
    pub fn decode(&self, hex: &str) -> String {
        self.decode_bytes(&wire::bytes(hex))
    }

    pub fn decode_bytes(&self, input: &[u8]) -> String {
        match self.decode_value(input) {
            Ok(value) => value.to_string(),
            Err(error) => format!("{:?} at {} in {}", error.reason, error.offset, error.path),
        }
    }

    pub fn decode_value(&self, input: &[u8]) -> Result<Value, Box<DecodeError>> {
        let mut builder = Builder::new(input);
        match self.decode_with(input, usize::MAX, &mut builder)? {
            decode::Outcome::Done(term) => Ok(builder.arena.value(term)),
            other => panic!("{other:?} of a budget without end"),
        }
    }

    pub fn decode_with(
        &self,
        input: &[u8],
        mut budget: usize,
        builder: &mut Builder<'_>,
    ) -> Result<decode::Outcome, Box<DecodeError>> {
        self.decode_on(input, &mut budget, builder)
    }

    /// Decodes bytes; what is left of the budget is told there.
    pub fn decode_on(
        &self,
        input: &[u8],
        budget: &mut usize,
        builder: &mut Builder<'_>,
    ) -> Result<decode::Outcome, Box<DecodeError>> {
        let scratch = &mut self.decode_scratch.borrow_mut();
        let options = decode::Options { strings: self.options, max_depth: self.max_depth, max_size: self.max_size };
        decode::decode(&self.plan, self.root, input, options, budget, builder, scratch)
    }

    /// How many bytes of the input are gone over.
    pub fn gone_over(&self, input: &[u8]) -> usize {
        let options = decode::Options { strings: self.options, ..decode::Options::default() };
        decode::gone_over(&self.plan, self.root, input, options)
    }

    /// How many terms a decoding makes, with the elements of tuples and lists.
    pub fn terms_made(&self, input: &[u8]) -> usize {
        let mut builder = Builder::new(input);
        self.decode_with(input, usize::MAX, &mut builder).expect("to decode");
        builder.made
    }

    /// Encodes a record that is written as text; gives its bytes in hexadecimal or what is wrong.
    pub fn encode(&self, record: &str) -> String {
        self.encode_value(&value::parse(record)).map_or_else(|error| error, |bytes| wire::hex(&bytes))
    }

    pub fn encode_value(&self, record: &Value) -> Result<Vec<u8>, String> {
        let mut arena = Arena::default();
        let term = arena.put(record);
        match self.encode_with(term, usize::MAX, &arena) {
            Ok(bytes) => Ok(bytes.expect("no budget to go beyond")),
            Err(error) => {
                let EncodeError { reason, value, path } = *error;
                Err(format!("{} for {} in {path}", reason_text(&reason), arena.value(value)))
            }
        }
    }

    /// Encodes a term; gives nothing when the work goes beyond the budget.
    pub fn encode_with(
        &self,
        record: Term,
        mut budget: usize,
        arena: &Arena,
    ) -> Result<Option<Vec<u8>>, Box<EncodeError>> {
        self.encode_on(record, &mut budget, arena)
    }

    /// The same; what is left of the budget is told there.
    pub fn encode_on(
        &self,
        record: Term,
        budget: &mut usize,
        arena: &Arena,
    ) -> Result<Option<Vec<u8>>, Box<EncodeError>> {
        let scratch = &mut self.encode_scratch.borrow_mut();
        match encode::encode(&self.plan, self.root, record, self.options, budget, &arena, scratch)? {
            encode::Outcome::OverBudget => Ok(None),
            encode::Outcome::OutOfMemory => panic!("out of memory"),
            encode::Outcome::Done => {
                let mut bytes = vec![0; scratch.output.len()];
                scratch.output.copy_to(&mut bytes, |binary| TermReader::binary(&arena, binary).expect("a binary"));
                Ok(Some(bytes))
            }
        }
    }

    /// Checks that the record is written as these bytes, and that they are read as the record.
    #[track_caller]
    pub fn both_ways(&self, record: &str, hex: &str) {
        assert_eq!(self.encode(record), hex, "encoding {record}");
        assert_eq!(self.decode(hex), record, "decoding {hex}");
    }
}

fn reason_text(reason: &EncodeReason) -> String {
    let type_text = |ty: &TypeName| match ty {
        TypeName::Scalar(scalar) => scalar.name().to_string(),
        TypeName::Enum(name) => format!("enum {}", arena::text(*name)),
        TypeName::Message(name) => format!("message {}", arena::text(*name)),
        TypeName::Group(name) => format!("group {}", arena::text(*name)),
    };
    match reason {
        EncodeReason::InvalidEnum(name) => format!("InvalidEnum({})", arena::text(*name)),
        EncodeReason::ExpectedMessage(name, _) => format!("ExpectedMessage({})", arena::text(*name)),
        EncodeReason::InvalidListOf(ty) => format!("InvalidListOf({})", type_text(ty)),
        EncodeReason::InvalidOneof { members, more } => {
            let members: Vec<_> = members.iter().map(|member| arena::text(*member)).collect();
            format!("InvalidOneof({} and {more} more)", members.join(" "))
        }
        other => format!("{other:?}"),
    }
}
