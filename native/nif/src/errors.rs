//! The one place where failures of calls become Erlang terms: the list `[Reason, Argument, Sentence]`, which the Erlang
//! module raises. Where the sentence is about a term, that stands at its end. (What is wrong with a `.proto` file is the
//! result of reading it, and no failure: `proto_files::failure`.)

use protobuf_codec::error::{DecodeError, DecodeReason, DefinitionError, DefinitionReason, EncodeError, EncodeReason};
use protobuf_codec::schema::plan::{MessagePlan, Shape};
use protobuf_codec::schema::{Scalar, TypeName};
use protobuf_codec::{StringOptions, Term, decode};
use rustler::sys::ErlNifEnv;
use std::borrow::Cow;

use crate::atoms::atoms;
use crate::{beam, cache};

/// Everything that can go wrong in a call.
pub enum Failure {
    /// An argument of the wrong kind: which one, and what is wrong with it.
    BadArgument(i64, &'static str),
    /// The same of something in an argument, or of all of it, that is worth showing.
    BadTerm(i64, Cow<'static, str>, Term),
    /// Nothing is loaded.
    CacheNotExists(cache::Name),
    /// No message of this name is loaded; it is in the argument of this number.
    UnknownMessage(cache::Name, i64, Term),
    /// A value that cannot be encoded.
    Encode(Encoding, Box<EncodeError>),
    /// Bytes that cannot be decoded as the message of this name, with these options.
    Decode(Term, Box<DecodeError>, decode::Options),
    /// Definitions that cannot be right.
    Definitions(DefinitionFault),
    /// There is not enough memory for the call.
    OutOfMemory,
    /// A fault of the library itself.
    Panicked,
}

/// What was encoded, and how.
#[derive(Clone, Copy)]
pub struct Encoding {
    /// Which argument the message was.
    pub argument: i64,
    /// Whose definitions were followed.
    pub cache: cache::Name,
    /// How strings looked.
    pub strings: StringOptions,
    /// Whether map fields were maps.
    pub map_fields_as_maps: bool,
}

/// What is wrong with definitions, and where.
pub struct DefinitionFault {
    /// The message, group or enum, where one is at fault.
    pub definition: Option<TypeName>,
    /// The field or symbol.
    pub member: Option<Term>,
    /// What is wrong: a name, and a value that goes with it.
    pub reason: &'static str,
    /// The value.
    pub value: FaultValue,
}

/// What goes with the reason of a fault.
pub enum FaultValue {
    /// Nothing.
    None,
    /// A number.
    Number(i64),
    /// The name of a type.
    Type(TypeName),
    /// Some term of the definitions.
    Term(Term),
}

impl From<DefinitionError> for Failure {
    fn from(error: DefinitionError) -> Failure {
        use DefinitionReason as Reason;
        let (reason, value) = match error.reason {
            Reason::MessageTwice => ("message_twice", FaultValue::None),
            Reason::EnumTwice => ("enum_twice", FaultValue::None),
            Reason::EnumWithoutValues => ("enum_without_values", FaultValue::None),
            Reason::SymbolTwice => ("symbol_twice", FaultValue::None),
            Reason::EnumValueOutOfRange(number) => ("enum_value_out_of_range", FaultValue::Number(number)),
            Reason::FieldNumberOutOfRange(number) => ("field_number_out_of_range", FaultValue::Number(number)),
            Reason::FieldNumberTwice(number) => ("field_number_twice", FaultValue::Number(number)),
            Reason::PositionOutOfRange(position) => ("record_position_out_of_range", FaultValue::Number(position)),
            Reason::PositionTwice(position) => ("record_position_twice", FaultValue::Number(position)),
            Reason::UndefinedType(name) => ("undefined_type", FaultValue::Type(name)),
            Reason::InvalidMapKey => ("invalid_map_key", FaultValue::None),
            Reason::InvalidMapValue => ("invalid_map_value", FaultValue::None),
            Reason::MisplacedMap => ("misplaced_map", FaultValue::None),
            Reason::OneofWithoutMembers => ("oneof_without_members", FaultValue::None),
            Reason::MemberTwice => ("member_twice", FaultValue::None),
            Reason::RepeatedInOneof => ("repeated_in_oneof", FaultValue::None),
        };
        Failure::Definitions(DefinitionFault {
            definition: Some(error.definition),
            member: error.member,
            reason,
            value,
        })
    }
}

impl Failure {
    /// The list that the Erlang module takes apart.
    #[cold]
    pub fn to_term(&self, env: *mut ErlNifEnv) -> Term {
        let (reason, argument, sentence) = self.parts(&Terms { env });
        let argument = beam::make_integer(env, argument);
        let sentence = beam::make_binary(env, sentence.as_bytes());
        let mut elements = vec![reason, argument, sentence];
        elements.extend(self.subject());
        beam::make_list(env, &elements)
    }

    /// What the module shows behind the sentence: it knows how to print a term.
    fn subject(&self) -> Option<Term> {
        match self {
            Failure::BadTerm(_, _, term) => Some(*term),
            Failure::Encode(_, error) if let EncodeReason::UnknownKey(key) = error.reason => Some(key),
            Failure::Definitions(DefinitionFault { value: FaultValue::Term(term), .. }) => Some(*term),
            _ => None,
        }
    }

    fn parts(&self, terms: &Terms) -> (Term, i64, String) {
        let atoms = atoms();
        match self {
            Failure::BadArgument(argument, sentence) => (atoms.badarg, *argument, (*sentence).to_string()),
            Failure::BadTerm(argument, sentence, _) => (atoms.badarg, *argument, sentence.to_string()),
            Failure::CacheNotExists(None) => {
                let sentence = "no definitions are loaded: call load_cache/1 or load_proto/1 first";
                (atoms.cache_not_exists, 0, sentence.to_string())
            }
            Failure::CacheNotExists(Some(name)) => {
                let name = terms.text(*name);
                let sentence = format!("no definitions are loaded as {name}: call load_cache/2 or load_proto/3 first");
                (atoms.cache_not_exists, 0, sentence)
            }
            Failure::UnknownMessage(cache, argument, name) => {
                (*name, *argument, format!("no message {} is loaded{}", terms.text(*name), loaded_instead(*cache)))
            }
            Failure::Encode(encoding, error) => {
                let (what, sentence) = terms.encode_reason(encoding, error);
                let path = match error.reason {
                    // The encoder refuses the message; it is a oneof in it that is wrong.
                    EncodeReason::SeveralMembers(_, oneof) => format!("{}.{}", error.path, terms.text(oneof)),
                    _ => error.path.clone(),
                };
                let shown_path = terms.string(&path);
                let details =
                    terms.list(&[terms.tuple(&[atoms.value, error.value]), terms.tuple(&[atoms.path, shown_path])]);
                let reason = terms.tuple(&[atoms.gpb_type_error, terms.tuple(&[what, details])]);
                (reason, encoding.argument, format!("{path}: {sentence}"))
            }
            Failure::Decode(name, error, options) => {
                let (reason, sentence) = terms.decode_reason(error.reason, options);
                let details = beam::make_map(
                    terms.env,
                    &[
                        (atoms.message, *name),
                        (atoms.path, terms.string(&error.path)),
                        (atoms.offset, beam::make_integer(terms.env, error.offset as i64)),
                        (atoms.reason, reason),
                    ],
                );
                let place = match error.reason {
                    DecodeReason::MaxSize | DecodeReason::MissingRequired => String::new(),
                    _ => format!(", in the field at byte {}", error.offset),
                };
                let sentence = format!("{}{place}: {sentence}", error.path);
                (terms.tuple(&[atoms.decode_error, details]), 1, sentence)
            }
            Failure::Definitions(fault) => terms.definitions(fault),
            Failure::OutOfMemory => (atoms.system_limit, 0, "there is not enough memory for this call".to_string()),
            Failure::Panicked => (atoms.nif_panicked, 0, "a fault of the library itself; please report it".to_string()),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How many of the names of messages a sentence has.
const MESSAGES_NAMED: usize = 10;

/// What there is besides the message that was asked for, for the end of a sentence.
fn loaded_instead(cache: cache::Name) -> String {
    let Some(snapshot) = cache::current(cache) else { return String::new() };
    // What holds the items of message sets has no name to ask for it by.
    let named = |message: &&MessagePlan| matches!(message.shape, Shape::Record(_)) && message.name.term != Term::NONE;
    let records = || snapshot.plan.messages.iter().filter(named);
    let names: Vec<&str> = records().take(MESSAGES_NAMED).map(|message| &*message.name.text).collect();
    match records().count() - names.len() {
        _ if names.is_empty() => String::new(),
        0 => format!("; loaded are {}", names.join(", ")),
        more => format!("; loaded are {} and {more} more", names.join(", ")),
    }
}

/// Makes the terms of a failure.
struct Terms {
    env: *mut ErlNifEnv,
}

impl Terms {
    fn atom(&self, name: &str) -> Term {
        beam::make_atom(self.env, name)
    }

    fn list(&self, elements: &[Term]) -> Term {
        beam::make_list(self.env, elements)
    }

    fn tuple(&self, elements: &[Term]) -> Term {
        beam::make_tuple(self.env, elements)
    }

    fn string(&self, text: &str) -> Term {
        beam::make_string(self.env, text)
    }

    fn text(&self, atom: Term) -> String {
        beam::atom_text(self.env, atom).unwrap_or_else(|| "(not an atom)".to_string())
    }

    /// The texts of a list of keys, which are atoms or binaries.
    fn key_texts(&self, keys: Term) -> Vec<String> {
        let mut texts = Vec::new();
        let mut rest = keys;
        while let Some((key, tail)) = beam::get_cell(self.env, rest) {
            texts.push(match beam::get_binary(self.env, key) {
                Some(text) => String::from_utf8_lossy(text).into_owned(),
                None => self.text(key),
            });
            rest = tail;
        }
        texts
    }

    fn type_name(&self, name: TypeName) -> Term {
        match name {
            TypeName::Scalar(scalar) => self.atom(scalar.name()),
            TypeName::Enum(name) => self.tuple(&[atoms().enum_, name]),
            TypeName::Message(name) => self.tuple(&[atoms().msg, name]),
            TypeName::Group(name) => self.tuple(&[atoms().group, name]),
        }
    }

    fn type_text(&self, name: TypeName) -> String {
        match name {
            TypeName::Scalar(scalar) => scalar.name().to_string(),
            TypeName::Enum(name) => format!("enum {}", self.text(name)),
            TypeName::Message(name) => format!("message {}", self.text(name)),
            TypeName::Group(name) => format!("group {}", self.text(name)),
        }
    }

    fn decode_reason(&self, reason: DecodeReason, options: &decode::Options) -> (Term, Cow<'static, str>) {
        let (name, sentence) = match reason {
            DecodeReason::Truncated => ("truncated", "the bytes end before the value does"),
            DecodeReason::VarintTooLong => ("varint_too_long", "a varint has more than ten bytes"),
            DecodeReason::InvalidTag => ("invalid_tag", "a tag has more than 32 bits"),
            DecodeReason::InvalidFieldNumber => ("invalid_field_number", "there is no field number 0"),
            DecodeReason::InvalidWireType => ("invalid_wire_type", INVALID_WIRE_TYPE),
            DecodeReason::UnexpectedEndGroup => ("unexpected_end_group", "a group ends that has not begun"),
            DecodeReason::RaggedPackedBlock => {
                ("ragged_packed_block", "a packed block does not end where an element does")
            }
            DecodeReason::TooLarge => ("too_large", "the message comes to more than four billion terms"),
            DecodeReason::InvalidUtf8 => ("invalid_utf8", "a string is not UTF-8"),
            DecodeReason::MissingRequired => ("missing_required", "the field is required, and did not come"),
            DecodeReason::MaxDepth => {
                let sentence = format!("messages are nested deeper than {{max_depth, {}}} allows", options.max_depth);
                return (self.limit(atoms().max_depth, u64::from(options.max_depth)), sentence.into());
            }
            DecodeReason::MaxSize => {
                let sentence = format!("there are more bytes than {{max_size, {}}} allows", options.max_size);
                return (self.limit(atoms().max_size, options.max_size as u64), sentence.into());
            }
        };
        (self.atom(name), sentence.into())
    }

    /// A limit as the option that set it.
    fn limit(&self, name: Term, value: u64) -> Term {
        self.tuple(&[name, beam::make_unsigned(self.env, value)])
    }

    fn encode_reason(&self, encoding: &Encoding, error: &EncodeError) -> (Term, String) {
        let plain = |name: &str, sentence: &str| (self.atom(name), sentence.to_string());
        let (what, sentence) = match error.reason {
            EncodeReason::BadInteger(scalar) => {
                (self.integer_type("bad_integer", scalar), format!("the value is not an integer ({})", scalar.name()))
            }
            EncodeReason::OutOfRange(scalar) => (
                self.integer_type("value_out_of_range", scalar),
                format!("the value is out of the range of {}", scalar.name()),
            ),
            EncodeReason::BadBoolean => plain("bad_boolean_value", "the value is none of true, false, 1 and 0"),
            EncodeReason::BadFloat => plain("bad_float_value", FLOAT),
            EncodeReason::BadDouble => plain("bad_double_value", FLOAT),
            EncodeReason::BadString => plain("bad_unicode_string", self.no_string(encoding.strings, error.value)),
            EncodeReason::BadBytes => plain("bad_binary_value", "the value is neither a binary nor an iolist"),
            EncodeReason::InvalidEnum(name) => (
                self.tuple(&[self.atom("invalid_enum"), name]),
                format!("the value is neither a symbol of enum {} nor an integer of 32 bits", self.text(name)),
            ),
            EncodeReason::ExpectedMessage(name, elements) => (
                self.tuple(&[self.atom("expected_msg"), name]),
                self.expected_record(encoding.cache, name, elements as usize, error.value),
            ),
            EncodeReason::InvalidListOf(name) => (
                self.tuple(&[self.atom("invalid_list_of"), self.type_name(name)]),
                format!("the value is not a list of {}", self.type_text(name)),
            ),
            EncodeReason::InvalidMap if encoding.map_fields_as_maps => plain("invalid_map", "the value is not a map"),
            EncodeReason::InvalidMap => {
                plain("invalid_list_of_key_value_tuples", "the value is not a list of {Key, Value} tuples")
            }
            EncodeReason::InvalidMapEntry => plain("invalid_key_value_tuple", "the value is not a {Key, Value} tuple"),
            EncodeReason::InvalidOneof { ref members, more } => {
                let names: Vec<String> = members.iter().map(|member| self.text(*member)).collect();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let oneof = "neither undefined nor {Member, Value} with a member of the oneof";
                plain("invalid_oneof", &format!("the value is {oneof} ({}{more})", names.join(", ")))
            }
            EncodeReason::InvalidUnknown => plain("invalid_unknown_field", "the value is not a kept unknown field"),
            EncodeReason::ExpectedMap(name) => (
                self.tuple(&[self.atom("expected_msg"), name]),
                format!("the value is not a map, as message {} is with these options", self.text(name)),
            ),
            EncodeReason::UnknownKey(key) => {
                (self.tuple(&[self.atom("extraneous_key"), key]), "the message has no field with this key".to_string())
            }
            EncodeReason::SeveralMembers(members, oneof) => {
                let members_text = self.key_texts(members).join(" and ");
                (
                    self.tuple(&[self.atom("multiple_oneof_keys"), members, oneof]),
                    format!("{members_text} are both of the oneof {}, which holds one", self.text(oneof)),
                )
            }
            EncodeReason::MissingFields(names, message) => (
                self.tuple(&[self.atom("missing_fields"), names, message]),
                format!("there are no keys for fields that are required: {}", self.key_texts(names).join(", ")),
            ),
        };
        if error.value != atoms().undefined {
            return (what, sentence);
        }
        let sentence = match error.reason {
            EncodeReason::InvalidListOf(_) | EncodeReason::InvalidMap => {
                "the value is undefined, not a list: use [] where there is nothing".to_string()
            }
            EncodeReason::InvalidUnknown => {
                "the value is undefined, not a kept unknown field: use [] where there is nothing".to_string()
            }
            // An entry of a map, which is required nowhere.
            EncodeReason::InvalidMapEntry => sentence,
            _ => "a value is required, but it is undefined".to_string(),
        };
        (what, sentence)
    }

    /// What is said of a value that no string field takes, with the options in force.
    fn no_string(&self, strings: StringOptions, value: Term) -> &'static str {
        if !strings.with_utf8 {
            return "the value is not a string: a binary or a list of octets (0 to 255), or with {with_utf8, true} text \
                    as unicode:chardata()";
        }
        match beam::get_binary(self.env, value) {
            Some(_) => "the value is not UTF-8, which {with_utf8, true} asks for",
            None => "the value is not text as unicode:chardata(), which {with_utf8, true} asks for",
        }
    }

    /// What is said of a value that is no record of this name and so many elements.
    fn expected_record(&self, cache: cache::Name, name: Term, elements: usize, value: Term) -> String {
        let text = self.text(name);
        let unknowns = cache::current(cache).is_some_and(|snapshot| {
            let message =
                snapshot.plan.message_named(name).and_then(|index| snapshot.plan.messages.get(index as usize));
            message.is_some_and(|message| message.unknowns.is_some())
        });
        let fields = match elements.saturating_sub(1 + usize::from(unknowns)) {
            0 => "no fields".to_string(),
            fields => counted(fields, "field"),
        };
        let fields = if unknowns { format!(", {fields} and '$unknowns'") } else { format!(" and {fields}") };
        match beam::get_tuple(self.env, value) {
            Some(record) if record.first() == Some(&name) => {
                let has = counted(record.len(), "element");
                format!("the record {text} has {has}, but it must have {elements}: its name{fields}")
            }
            _ => format!("the value is not a record {text}: a tuple of its name{fields}"),
        }
    }

    /// gpb's `{What, Type, signed | unsigned, Bits}`.
    fn integer_type(&self, what: &str, scalar: Scalar) -> Term {
        let (sign, bits) = match scalar {
            Scalar::Uint32 | Scalar::Fixed32 => ("unsigned", 32),
            Scalar::Uint64 | Scalar::Fixed64 => ("unsigned", 64),
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => ("signed", 64),
            _ => ("signed", 32),
        };
        let bits = beam::make_integer(self.env, bits);
        self.tuple(&[self.atom(what), self.atom(scalar.name()), self.atom(sign), bits])
    }

    fn definitions(&self, fault: &DefinitionFault) -> (Term, i64, String) {
        let atoms = atoms();
        let reason = self.atom(fault.reason);
        let (reason, value) = match fault.value {
            FaultValue::None => (reason, String::new()),
            FaultValue::Number(number) => {
                let term = beam::make_integer(self.env, number);
                (self.tuple(&[reason, term]), format!(" ({number})"))
            }
            FaultValue::Type(name) => {
                (self.tuple(&[reason, self.type_name(name)]), format!(" ({})", self.type_text(name)))
            }
            FaultValue::Term(term) => (self.tuple(&[reason, term]), String::new()),
        };
        let definition = fault.definition.and_then(|definition| match definition {
            TypeName::Message(name) | TypeName::Group(name) => Some((atoms.message, name)),
            TypeName::Enum(name) => Some((atoms.enum_, name)),
            // Defined by nobody.
            TypeName::Scalar(_) => None,
        });
        let member = fault.member.map(|member| (atoms.field, member));
        let mut pairs: Vec<(Term, Term)> = definition.into_iter().chain(member).collect();
        let place: Vec<String> = pairs.iter().map(|(_, place)| self.text(*place)).collect();
        pairs.push((atoms.reason, reason));
        let what = match fault.value {
            // The first character of a string.
            FaultValue::Term(term) if fault.reason == "not_a_definition" && beam::is_number(self.env, term) => {
                "not a definition as gpb gives them (a file is for load_proto/1)".to_string()
            }
            _ => fault.reason.replace('_', " "),
        };
        let sentence = match place.is_empty() {
            true => format!("{what}{value}"),
            false => format!("{}: {what}{value}", place.join(".")),
        };
        let map = beam::make_map(self.env, &pairs);
        (self.tuple(&[atoms.bad_definitions, map]), 1, sentence)
    }
}

const INVALID_WIRE_TYPE: &str = "these are not the bytes of a message: there are no wire types 6 and 7";

const FLOAT: &str = "the value is not a number in a double's range, and none of infinity, '-infinity' and nan";
