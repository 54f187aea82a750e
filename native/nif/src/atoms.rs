//! The atoms the library uses, made once at load. Atoms are never collected, so their words stay good.

use protobuf_codec::Term;
use protobuf_codec::term::Constants;
use rustler::sys::ErlNifEnv;
use std::sync::OnceLock;

use crate::beam;

macro_rules! atoms {
    ($($name:ident = $text:literal,)*) => {
        /// The words of the atoms.
        #[derive(Clone, Copy, Debug)]
        pub struct Atoms {
            $(pub $name: Term,)*
            /// The empty list.
            pub nil: Term,
            /// The integer 0.
            pub zero: Term,
            /// Whether small maps have their keys in the order of the atoms' words, as from OTP 26 on, and not in that of
            /// their texts.
            pub keys_by_word: bool,
        }

        fn make(env: *mut ErlNifEnv) -> Atoms {
            Atoms {
                $($name: beam::make_atom(env, $text),)*
                nil: beam::make_list(env, &[]),
                zero: beam::make_integer(env, 0),
                keys_by_word: keys_by_word(env),
            }
        }
    };
}

atoms! {
    atom = "atom",
    auto = "auto",
    bad_definitions = "bad_definitions",
    badarg = "badarg",
    binary = "binary",
    bytes = "bytes",
    cache = "cache",
    cache_not_exists = "cache_not_exists",
    check = "check",
    checked = "checked",
    closed = "CLOSED",
    copy = "copy",
    decode_error = "decode_error",
    default = "default",
    defaults = "defaults",
    defaulty = "defaulty",
    delimited = "DELIMITED",
    drop = "drop",
    enum_ = "enum",
    enum_options = "enum_options",
    enum_type = "enum_type",
    false_ = "false",
    features = "features",
    field = "field",
    fields = "fields",
    fixed32 = "fixed32",
    fixed64 = "fixed64",
    flat = "flat",
    fnum = "fnum",
    gpb_oneof = "gpb_oneof",
    gpb_type_error = "gpb_type_error",
    group = "group",
    ignore = "ignore",
    infinity = "infinity",
    keep = "keep",
    kind = "kind",
    length_delimited = "length_delimited",
    list = "list",
    map = "map",
    mapfields_as_maps = "mapfields_as_maps",
    maps = "maps",
    maps_key_type = "maps_key_type",
    maps_oneof = "maps_oneof",
    maps_unset_optional = "maps_unset_optional",
    max_depth = "max_depth",
    max_size = "max_size",
    message = "message",
    message_encoding = "message_encoding",
    message_set_wire_format = "message_set_wire_format",
    more = "more",
    msg = "msg",
    msg_options = "msg_options",
    name = "name",
    nan = "nan",
    negative_infinity = "-infinity",
    nif_panicked = "nif_panicked",
    nil_atom = "nil",
    number = "number",
    occurrence = "occurrence",
    octets = "octets",
    offset = "offset",
    ok = "ok",
    omitted = "omitted",
    oneof = "oneof",
    option = "option",
    optional = "optional",
    opts = "opts",
    packed = "packed",
    path = "path",
    position = "position",
    present_undefined = "present_undefined",
    proto3_msgs = "proto3_msgs",
    proto_defs_version = "proto_defs_version",
    reason = "reason",
    reference = "reference",
    repeated = "repeated",
    required = "required",
    rnum = "rnum",
    string_as_list = "string_as_list",
    strings = "strings",
    struct_ = "__struct__",
    structs = "structs",
    syntax = "syntax",
    system_limit = "system_limit",
    true_ = "true",
    tuples = "tuples",
    type_ = "type",
    undefined = "undefined",
    unknown = "unknown",
    utf8 = "utf8",
    utf8_validation = "utf8_validation",
    value = "value",
    varint = "varint",
    verify = "VERIFY",
    with_utf8 = "with_utf8",
}

/// Atoms get their words in the order in which they are made, which here is not that of their texts.
fn keys_by_word(env: *mut ErlNifEnv) -> bool {
    let keys = ["enif_protobuf_b", "enif_protobuf_a"].map(|name| beam::make_atom(env, name));
    let map = beam::make_map_of(env, &keys, &keys);
    beam::each_pair(env, map, |key, _| Err(key)) == Err(keys[0])
}

static ATOMS: OnceLock<Atoms> = OnceLock::new();

/// Makes the atoms; the first thing at load.
pub fn load(env: *mut ErlNifEnv) {
    ATOMS.get_or_init(|| make(env));
}

/// The atoms, once they are loaded.
pub fn atoms() -> &'static Atoms {
    ATOMS.get().expect("atoms are made before any NIF can be called")
}

/// The constants of the codec.
pub fn constants() -> Constants {
    let atoms = atoms();
    Constants {
        keys_by_word: atoms.keys_by_word,
        undefined: atoms.undefined,
        nil: atoms.nil,
        zero: atoms.zero,
        true_: atoms.true_,
        false_: atoms.false_,
        infinity: atoms.infinity,
        negative_infinity: atoms.negative_infinity,
        nan: atoms.nan,
        varint: atoms.varint,
        fixed32: atoms.fixed32,
        fixed64: atoms.fixed64,
        length_delimited: atoms.length_delimited,
        group: atoms.group,
    }
}
