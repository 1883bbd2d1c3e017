//! The declaration macros.

mod union;

/// Declares structs of the XDR language (RFC 4506, section 4.14).
///
/// The body reads like the RFC's: the RFC's name, the Rust struct, and its fields in wire order. RFC
/// names are what errors and `serde` say, and what the documentation finds. They stand where they
/// differ from the Rust names, of the struct and of each field; where they are left out, the Rust
/// name is the RFC's. At most one lifetime parameter, `'a`.
///
/// `Clone`, `Debug`, `PartialEq` and `Eq` are derived; other attributes and documentation are passed
/// on. A struct that is to be `Copy` has `#[derive(Copy)]`, with `Copy` alone: the others are there.
///
/// ```
/// use nfswire_xdr::{Opaque, Wire, from_bytes, xdr_struct};
///
/// xdr_struct! {
///     /// A file and a range of it.
///     #[derive(Copy)]
///     "file_range" => pub struct Range<'a> {
///         /// Its handle.
///         pub file: Opaque<'a, 64>,
///         /// First byte.
///         "off" => pub offset: u64,
///         /// Bytes.
///         pub count: u32,
///     }
/// }
/// assert_eq!((Range::MIN_LEN, Range::MAX_LEN), (16, 80));
/// let error = from_bytes::<Range<'_>>(&[0, 0, 0, 0, 0, 0]).unwrap_err();
/// assert_eq!(error.to_string(), "file_range.off at byte 4: need 8 bytes, 2 left");
/// ```
///
/// A type cannot contain itself. A linked list, in the RFCs a struct that ends with a pointer to
/// its like, is declared without that field, and used as a [`Chain`](crate::Chain):
///
/// ```
/// use nfswire_xdr::{Chain, Text, from_bytes, xdr_struct};
///
/// // struct stringentry { string item<255>; stringentry *next; };
/// xdr_struct! {
///     /// A line of a list.
///     #[derive(Copy)]
///     "stringentry" => pub struct StringEntry<'a> {
///         /// The line; `next`, which must be last, is left out.
///         pub item: Text<'a, 255>,
///     }
/// }
/// // struct list { stringentry *first; };
/// xdr_struct! {
///     /// A list of lines.
///     "list" => pub struct List<'a> {
///         /// `stringentry *`: the entries, as many as follow each other.
///         pub first: Chain<'a, StringEntry<'a>>,
///     }
/// }
/// let list: List<'_> = from_bytes(b"\0\0\0\x01\0\0\0\x01a\0\0\0\0\0\0\x01\0\0\0\x01b\0\0\0\0\0\0\0")?;
/// assert_eq!(list.first.iter().map(|entry| entry.item.to_string()).collect::<String>(), "ab");
/// # Ok::<(), nfswire_xdr::DecodeError>(())
/// ```
///
/// What is generated, for one field, in full:
///
/// ```text
/// pub struct Range<'a> { pub count: u32 }
/// impl Wire for Range<'_> { MIN_LEN, MAX_LEN: sums over the fields; FIXED: all of them are }
/// impl<'a> Decode<'a> for Range<'a> {
///     fn decode(c)      // on a local copy of the source; one bounds check per run of fixed fields
///     fn from_block(b)  // for fixed structs: all fields from one block
///     fn check(p)       // field by field, naming each: "file_range.count at byte 12: ..."
/// }
/// impl<'a> Encode<'a> for Range<'a> { encoded_len, write, tail, encode_fields }
/// impl Rebind for Range<'_>               // with `alloc`
/// impl<'a> Arbitrary<'a> for Range<'a>    // with `arbitrary`
/// impl Serialize for Range<'_>            // with `serde`, and what `Owned` needs for Deserialize
/// ```
///
/// A field type that is no wire type is reported at the field:
///
/// ```compile_fail
/// nfswire_xdr::xdr_struct! { "s" => pub struct S { pub path: std::path::PathBuf, } }
/// ```
#[macro_export]
macro_rules! xdr_struct {
    ($(#[$m:meta])* $rfc:literal => $vis:vis struct $name:ident { $($body:tt)* }) => {
        $crate::__xdr_struct! {
            ['de] [] [$(#[$m])* #[doc(alias = $rfc)]] ($rfc) $vis $name { $($body)* }
        }
    };
    ($(#[$m:meta])* $rfc:literal => $vis:vis struct $name:ident<$lt:lifetime> { $($body:tt)* }) => {
        $crate::__xdr_struct! {
            [$lt] [<$lt>] [$(#[$m])* #[doc(alias = $rfc)]] ($rfc) $vis $name { $($body)* }
        }
    };
    ($(#[$m:meta])* $vis:vis struct $name:ident { $($body:tt)* }) => {
        $crate::__xdr_struct! {
            ['de] [] [$(#[$m])*] (::core::stringify!($name)) $vis $name { $($body)* }
        }
    };
    ($(#[$m:meta])* $vis:vis struct $name:ident<$lt:lifetime> { $($body:tt)* }) => {
        $crate::__xdr_struct! {
            [$lt] [<$lt>] [$(#[$m])*] (::core::stringify!($name)) $vis $name { $($body)* }
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not a declaration of a struct; it reads: \
             `\"RFC_name\" => pub struct Name<'a> { \"rfc_field\" => pub field: Type, }`, where RFC \
             names that are the same as ours are left out, and so is `<'a>` if nothing is borrowed"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __xdr_struct {
    (
        [$lt:lifetime] [$($gen:tt)*] [$(#[$m:meta])*] ($rfc:expr) $vis:vis $name:ident {
            $( $(#[$fm:meta])* $($frfc:literal =>)? $fvis:vis $f:ident : $t:ty ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $name $($gen)* {
            $( $(#[$fm])* $(#[doc(alias = $frfc)])? $fvis $f: $t, )*
        }

        impl $($gen)* $crate::Wire for $name $($gen)* {
            const MIN_LEN: u32 = $crate::plan::sum(&[$(<$t as $crate::Wire>::MIN_LEN),*]);
            const MAX_LEN: u32 = $crate::plan::sum(&[$(<$t as $crate::Wire>::MAX_LEN),*]);
            const FIXED: bool = $crate::plan::all(&[$(<$t as $crate::Wire>::FIXED),*]);
            const SHAPES: &'static [$crate::Shape] = &[$($crate::Shape::of::<$t>()),*];
        }

        impl<$lt> $crate::Decode<$lt> for $name $($gen)* {
            #[inline]
            fn decode<S: $crate::Source<$lt>>(c: &mut S) -> ::core::option::Option<Self> {
                #[allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms)]
                enum F { $($f),* }
                c.with(|c| {
                    #[allow(unused_mut, unused_variables)]
                    let mut run = $crate::plan::Run(&[]);
                    let _ = &c;
                    ::core::option::Option::Some(Self { $(
                        $f: run.field::<$t, S>(c, const {
                            $crate::plan::run(<Self as $crate::Wire>::SHAPES, F::$f as usize)
                        })?,
                    )* })
                })
            }

            #[inline(always)]
            fn from_block(block: &[u8], lenient: bool) -> ::core::option::Option<Self> {
                #[allow(unused_mut, unused_variables)]
                let mut run = $crate::plan::Run(block);
                let _ = lenient;
                ::core::option::Option::Some(Self { $( $f: run.block::<$t>(lenient)?, )* })
            }

            fn check(p: &mut $crate::Probe<'_>) -> ::core::result::Result<(), $crate::DecodeError> {
                $crate::plan::check_fields(p, const { &[$((
                    $crate::Field::new($rfc, $crate::__field_name!($($frfc)? ; $f)),
                    <$t as $crate::Decode<$lt>>::check,
                )),*] })
            }

            $crate::__arbitrary_struct! { [$lt] $($f: $t),* }
        }

        impl<$lt> $crate::Encode<$lt> for $name $($gen)* {
            const INLINE: bool = $crate::plan::all(&[$(<$t as $crate::Encode<$lt>>::INLINE),*]);
            const TAIL: bool = $crate::plan::tail(
                &[$(<$t as $crate::Encode<$lt>>::INLINE),*],
                &[$(<$t as $crate::Encode<$lt>>::TAIL),*],
            );
            const LONG: bool = $crate::plan::any(&[$(<$t as $crate::Encode<$lt>>::LONG),*]);

            #[inline]
            fn encoded_len(&self) -> u64 {
                if <Self as $crate::Wire>::FIXED {
                    return <Self as $crate::Wire>::MIN_LEN as u64;
                }
                0u64 $(.wrapping_add(<$t as $crate::Encode<$lt>>::encoded_len(&self.$f)))*
            }

            #[inline]
            fn write<'w>(&self, w: &'w mut [u8]) -> ::core::option::Option<&'w mut [u8]> {
                #[allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms)]
                enum F { $($f),* }
                #[allow(unused_mut)]
                let mut out = $crate::plan::Out::new(w);
                $( out.field::<$t>(&self.$f, const {
                    $crate::plan::run(<Self as $crate::Wire>::SHAPES, F::$f as usize)
                })?; )*
                ::core::option::Option::Some(out.finish())
            }

            #[inline(always)]
            fn tail(&self) -> ::core::option::Option<&$crate::Payload<$lt>> {
                ::core::option::Option::None
                    $(.or(<$t as $crate::Encode<$lt>>::tail(&self.$f)))*
            }

            fn encode_fields(
                &self,
                e: &mut $crate::Encoder<'_, $lt>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                let _ = &e;
                $( <$t as $crate::Encode<$lt>>::encode(&self.$f, e)?; )*
                ::core::result::Result::Ok(())
            }
        }

        $crate::__rebind! { [$($gen)*] $name }
        $crate::__arbitrary! { [$lt] [$($gen)*] $name }
        $crate::__serde_struct! { [$($gen)*] ($rfc) $name { $($f [$($frfc)?] $t,)* } }
    };
    ([$lt:lifetime] $gen:tt $attributes:tt $rfc:tt $vis:vis $name:ident { $($body:tt)* }) => {
        ::core::compile_error!(::core::concat!(
            "fields of the struct `", ::core::stringify!($name), "` read `pub field: Type`, or \
             `\"rfc_field\" => pub field: Type` where the RFC's name differs, with commas between them"
        ));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __field_name {
    ($rfc:literal ; $f:ident) => {
        $rfc
    };
    (; $f:ident) => {
        ::core::stringify!($f)
    };
}

/// Declares closed enumerations (RFC 4506, section 4.3): values outside the set do not decode.
///
/// The enumeration and each variant are preceded by their RFC names, which are left out where they
/// are the same as ours. Values may be negative. `Copy`, `Ord` and `Hash` are derived beside what
/// [`xdr_struct!`](crate::xdr_struct) derives.
///
/// ```
/// nfswire_xdr::xdr_enum! {
///     /// Kind of file.
///     "filekind" => pub enum FileKind {
///         /// Text.
///         "TEXT" Text = 0,
///         /// Data.
///         "DATA" Data = 1,
///     }
/// }
/// assert_eq!(FileKind::from_value(1), Some(FileKind::Data));
/// assert_eq!(FileKind::Data.name(), "DATA");
/// let error = nfswire_xdr::from_bytes::<FileKind>(&[0, 0, 0, 7]).unwrap_err();
/// assert_eq!(error.to_string(), "at byte 0: 7 is not a value of this enumeration");
/// ```
#[macro_export]
macro_rules! xdr_enum {
    (
        $(#[$m:meta])* $($rfc:literal =>)? $vis:vis enum $name:ident {
            $( $(#[$vm:meta])* $($vrfc:literal)? $v:ident = $value:expr ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $(#[doc(alias = $rfc)])?
        #[repr(i32)]
        $vis enum $name { $( $(#[$vm])* $(#[doc(alias = $vrfc)])? $v = $value, )* }

        impl $name {
            /// Every value with its RFC name.
            pub const ALL: &'static [(&'static str, i32)] =
                &[$(($crate::__field_name!($($vrfc)? ; $v), $value)),*];

            /// The number on the wire.
            #[inline(always)]
            #[must_use]
            pub const fn value(self) -> i32 {
                self as i32
            }

            /// The variant of a number, if there is one.
            #[inline(always)]
            #[must_use]
            pub const fn from_value(value: i32) -> ::core::option::Option<Self> {
                $( if value == $value { return ::core::option::Option::Some(Self::$v); } )*
                ::core::option::Option::None
            }

            /// The RFC's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$v => $crate::__field_name!($($vrfc)? ; $v), )* }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $crate::Wire for $name {
            const MIN_LEN: u32 = 4;
            const MAX_LEN: u32 = 4;
            const FIXED: bool = true;
        }

        impl<'de> $crate::Decode<'de> for $name {
            #[inline(always)]
            fn from_block(block: &[u8], lenient: bool) -> ::core::option::Option<Self> {
                Self::from_value(<i32 as $crate::Decode<'de>>::from_block(block, lenient)?)
            }

            fn check(p: &mut $crate::Probe<'_>) -> ::core::result::Result<(), $crate::DecodeError> {
                $crate::plan::check_enum(p, |v| Self::from_value(v).is_some())
            }

            $crate::__arbitrary_enum! { ['de] }
        }

        impl<'p> $crate::Encode<'p> for $name {
            #[inline(always)]
            fn encoded_len(&self) -> u64 {
                4
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> ::core::option::Option<&'w mut [u8]> {
                <i32 as $crate::Encode<'p>>::write(&self.value(), w)
            }

            fn encode_fields(
                &self,
                e: &mut $crate::Encoder<'_, 'p>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                e.word(self.value().cast_unsigned())
            }
        }

        $crate::__rebind! { [] $name }
        $crate::__arbitrary! { ['de] [] $name }
        $crate::__serde_enum! { ($crate::__field_name!($($rfc)? ; $name)) $name }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not a declaration of a closed enumeration; it reads: \
             `\"RFC_name\" => pub enum Name { \"RFC_VALUE\" Value = 1, }`, where RFC names that are \
             the same as ours are left out"
        );
    };
}

/// Declares open registries: a number with named constants, whose unknown values survive.
///
/// RFC names that are the same as ours are left out, as in [`xdr_enum!`](crate::xdr_enum).
///
/// ```
/// nfswire_xdr::xdr_open_enum! {
///     /// Result of an operation.
///     "stat" => pub struct Status {
///         /// Success.
///         "STAT_OK" OK = 0,
///         /// No such file.
///         "STAT_NOENT" NOENT = 2,
///     }
/// }
/// assert_eq!(format!("{:?} {:?}", Status::NOENT, Status(99)), "STAT_NOENT stat(99)");
/// ```
#[macro_export]
macro_rules! xdr_open_enum {
    (
        $(#[$m:meta])* $($rfc:literal =>)? $vis:vis struct $name:ident {
            $( $(#[$vm:meta])* $($vrfc:literal)? $v:ident = $value:expr ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $(#[doc(alias = $rfc)])?
        $vis struct $name(
            /// The number on the wire.
            pub u32,
        );

        impl $name {
            $( $(#[$vm])* $(#[doc(alias = $vrfc)])? pub const $v: Self = Self($value); )*

            /// Every named value with its RFC name.
            pub const ALL: &'static [(&'static str, u32)] =
                &[$(($crate::__field_name!($($vrfc)? ; $v), $value)),*];

            /// The RFC's name, if the number has one.
            #[must_use]
            pub fn name(self) -> ::core::option::Option<&'static str> {
                Self::ALL.iter().find(|(_, value)| *value == self.0).map(|(name, _)| *name)
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self.name() {
                    ::core::option::Option::Some(name) => f.write_str(name),
                    ::core::option::Option::None => ::core::write!(
                        f, "{}({})", $crate::__field_name!($($rfc)? ; $name), self.0
                    ),
                }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(self, f)
            }
        }

        impl $crate::Wire for $name {
            const MIN_LEN: u32 = 4;
            const MAX_LEN: u32 = 4;
            const FIXED: bool = true;
        }

        impl<'de> $crate::Decode<'de> for $name {
            #[inline(always)]
            fn from_block(block: &[u8], lenient: bool) -> ::core::option::Option<Self> {
                <u32 as $crate::Decode<'de>>::from_block(block, lenient).map(Self)
            }

            fn check(p: &mut $crate::Probe<'_>) -> ::core::result::Result<(), $crate::DecodeError> {
                <u32 as $crate::Decode<'de>>::check(p)
            }

            $crate::__arbitrary_open! { ['de] }
        }

        impl<'p> $crate::Encode<'p> for $name {
            #[inline(always)]
            fn encoded_len(&self) -> u64 {
                4
            }

            #[inline(always)]
            fn write<'w>(&self, w: &'w mut [u8]) -> ::core::option::Option<&'w mut [u8]> {
                <u32 as $crate::Encode<'p>>::write(&self.0, w)
            }

            fn encode_fields(
                &self,
                e: &mut $crate::Encoder<'_, 'p>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                e.word(self.0)
            }
        }

        $crate::__rebind! { [] $name }
        $crate::__arbitrary! { ['de] [] $name }
        $crate::__serde_open! { ($crate::__field_name!($($rfc)? ; $name)) $name }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not a declaration of an open registry; it reads: \
             `\"RFC_name\" => pub struct Name { \"RFC_VALUE\" VALUE = 1, }`, where RFC names that are \
             the same as ours are left out"
        );
    };
}
