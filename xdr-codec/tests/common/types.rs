//! One type for each construct of the XDR language, and the `file` example of RFC 4506 (section 7).
//!
//! `xdr.jsonl` has vectors of them; the round-trip program declares them from this file too.
#![allow(dead_code, unused_macros, unused_imports, reason = "each user takes a part")]

use nfswire_xdr::{
    Array, Chain, Decode, DecodeError, Double, Encode, EncodeError, Encoder, Opaque, Probe, Source,
    Text, Wire, xdr_enum, xdr_struct, xdr_union,
};

xdr_enum! {
    /// An enumeration with a negative value and the largest one.
    "xdr_enum" => pub(crate) enum XdrEnum {
        "XE_NEG" Neg = -1,
        "XE_ZERO" Zero = 0,
        "XE_TWO" Two = 2,
        "XE_BIG" Big = 2_147_483_647,
    }
}

/// `opaque xdr_opaque7[7]`.
pub(crate) type Opaque7 = [u8; 7];
/// `opaque xdr_opaque_max5<5>`.
pub(crate) type OpaqueMax5<'a> = Opaque<'a, 5>;
/// `string xdr_string_max7<7>`.
pub(crate) type StringMax7<'a> = Text<'a, 7>;
/// `int xdr_array_max4<4>`.
pub(crate) type ArrayMax4<'a> = Array<'a, i32, 4>;
/// `xdr_string_max7 xdr_array_of_string<>`.
pub(crate) type ArrayOfString<'a> = Array<'a, StringMax7<'a>>;
/// `xdr_opaque7 xdr_array_of_opaque7<6>`.
pub(crate) type ArrayOfOpaque7<'a> = Array<'a, Opaque7, 6>;
/// `xdr_list *xdr_list_ptr`.
pub(crate) type ListPtr<'a> = Chain<'a, i32>;
/// `struct xdr_list { int value; xdr_list *next; }`.
pub(crate) type ListNode<'a> = Node<'a, i32>;

xdr_struct! {
    /// Optional data of a fixed size.
    #[derive(Copy)]
    "xdr_optional_int" => pub(crate) struct OptionalInt {
        pub(crate) value: Option<i32>,
    }
}

xdr_struct! {
    /// Optional data of a variable size.
    #[derive(Copy)]
    "xdr_optional_string" => pub(crate) struct OptionalString<'a> {
        pub(crate) value: Option<StringMax7<'a>>,
    }
}

xdr_union! {
    /// A union of an integer, with a void arm, a shared arm and a default.
    #[derive(Copy)]
    "xdr_union" => pub(crate) enum XdrUnion<'a> switch (kind: i32) {
        case 0 => Nothing,
        case 1 => Number(i32),
        cases (2, 3) => Word(Text<'a>),
        default => Rest(Opaque<'a, 8>),
    }
}

xdr_union! {
    /// A union of a boolean.
    #[derive(Copy)]
    "xdr_union_bool" => pub(crate) enum UnionBool switch (present: bool) {
        case true => Number(i64),
        case false => Nothing,
    }
}

xdr_union! {
    /// A union without a default; `XE_BIG` has no arm.
    #[derive(Copy)]
    "xdr_union_nodefault" => pub(crate) enum UnionNoDefault<'a> switch (kind: XdrEnum) {
        case XdrEnum::Zero => Nothing,
        case XdrEnum::Neg => Low(u32),
        case XdrEnum::Two => List(ArrayMax4<'a>),
    }
}

xdr_struct! {
    /// Everything together.
    #[derive(Copy)]
    "xdr_mixed" => pub(crate) struct Mixed<'a> {
        pub(crate) flag: bool,
        pub(crate) pad1: Opaque<'a, 3>,
        pub(crate) big: i64,
        pub(crate) name: Text<'a, 7>,
        pub(crate) choice: XdrUnion<'a>,
        pub(crate) chain: ListPtr<'a>,
        pub(crate) ratio: Double,
    }
}

xdr_enum! {
    /// Kind of a file.
    "filekind" => pub(crate) enum FileKind { "TEXT" Text = 0, "DATA" Data = 1, "EXEC" Exec = 2 }
}

xdr_union! {
    /// Kind of a file, and who made or runs it.
    #[derive(Copy)]
    "filetype" => pub(crate) enum FileType<'a> switch (kind: FileKind) {
        case FileKind::Text => Text,
        case FileKind::Data => Data(Text<'a, 255>),
        case FileKind::Exec => Exec(Text<'a, 255>),
    }
}

xdr_struct! {
    /// A complete file.
    #[derive(Copy)]
    "file" => pub(crate) struct File<'a> {
        pub(crate) filename: Text<'a, 255>,
        "type" => pub(crate) file_type: FileType<'a>,
        pub(crate) owner: Text<'a, 32>,
        pub(crate) data: Opaque<'a, 65535>,
    }
}

/// A list node as the RFCs declare it: an item, and the list that hangs on its `next` pointer.
///
/// By hand, because the macros have no type parameters. The crates need no such type: a list there
/// is a [`Chain`] of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node<'a, T: Decode<'a> + Clone>(pub(crate) T, pub(crate) Chain<'a, T>);

impl<'a, T: Decode<'a> + Clone> Wire for Node<'a, T> {
    const MIN_LEN: u32 = T::MIN_LEN.saturating_add(4);
    const MAX_LEN: u32 = u32::MAX;
}

impl<'a, T: Decode<'a> + Clone> Decode<'a> for Node<'a, T> {
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        c.with(|c| Some(Self(T::decode(c)?, Chain::decode(c)?)))
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        T::check(p)?;
        Chain::<T>::check(p)
    }
}

impl<'a, T: Decode<'a> + Encode<'a> + Clone> Encode<'a> for Node<'a, T> {
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::INLINE;

    fn encoded_len(&self) -> u64 {
        self.0.encoded_len().saturating_add(self.1.encoded_len())
    }

    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.1.write(self.0.write(w)?)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'a>) -> Result<(), EncodeError> {
        self.0.encode(e)?;
        self.1.encode(e)
    }
}

/// Calls the macro given with every type of the vectors: its RFC name and the Rust type.
macro_rules! with_xdr_types {
    ($then:ident) => {
        $then! {
            "xdr_int" => i32,
            "xdr_uint" => u32,
            "xdr_hyper" => i64,
            "xdr_uhyper" => u64,
            "xdr_float" => nfswire_xdr::Float,
            "xdr_double" => nfswire_xdr::Double,
            "xdr_quadruple" => [u8; 16],
            "xdr_bool" => bool,
            "xdr_enum" => XdrEnum,
            "xdr_opaque1" => [u8; 1],
            "xdr_opaque4" => [u8; 4],
            "xdr_opaque7" => Opaque7,
            "xdr_opaque_var" => nfswire_xdr::Opaque<'_>,
            "xdr_opaque_max5" => OpaqueMax5<'_>,
            "xdr_string" => nfswire_xdr::Text<'_>,
            "xdr_string_max7" => StringMax7<'_>,
            "xdr_array3" => [i32; 3],
            "xdr_array_hyper2" => [u64; 2],
            "xdr_array_var" => nfswire_xdr::Array<'_, i32>,
            "xdr_array_max4" => ArrayMax4<'_>,
            "xdr_array_of_string" => ArrayOfString<'_>,
            "xdr_array_of_opaque7" => ArrayOfOpaque7<'_>,
            "xdr_optional_int" => OptionalInt,
            "xdr_optional_string" => OptionalString<'_>,
            "xdr_list" => ListNode<'_>,
            "xdr_list_ptr" => ListPtr<'_>,
            "xdr_union" => XdrUnion<'_>,
            "xdr_union_bool" => UnionBool,
            "xdr_union_nodefault" => UnionNoDefault<'_>,
            "xdr_mixed" => Mixed<'_>,
            "filekind" => FileKind,
            "filetype" => FileType<'_>,
            "file" => File<'_>,
        }
    };
}
pub(crate) use with_xdr_types;
