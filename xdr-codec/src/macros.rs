//! The declaration macros.

/// Declares structs of the XDR language (RFC 4506, section 4.14).
///
/// The body reads like the RFC's: the RFC's name, the Rust struct, and its fields in wire order. A
/// field whose RFC name differs is preceded by that name. At most one lifetime parameter, `'a`.
/// `Clone`, `Debug`, `PartialEq` and `Eq` are derived; other derives and documentation are passed on.
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
        $crate::__xdr_struct! { ['de] [] $(#[$m])* $rfc => $vis $name { $($body)* } }
    };
    ($(#[$m:meta])* $rfc:literal => $vis:vis struct $name:ident<$lt:lifetime> { $($body:tt)* }) => {
        $crate::__xdr_struct! { [$lt] [<$lt>] $(#[$m])* $rfc => $vis $name { $($body)* } }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __xdr_struct {
    (
        [$lt:lifetime] [$($gen:tt)*] $(#[$m:meta])* $rfc:literal => $vis:vis $name:ident {
            $( $(#[$fm:meta])* $($frfc:literal =>)? $fvis:vis $f:ident : $t:ty ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[doc(alias = $rfc)]
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
        $crate::__serde_struct! { [$($gen)*] $rfc $name { $($f [$($frfc)?] $t,)* } }
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
/// Each variant is preceded by its RFC name. Values may be negative. `Copy`, `Ord` and `Hash` are
/// derived beside what [`xdr_struct!`](crate::xdr_struct) derives.
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
        $(#[$m:meta])* $rfc:literal => $vis:vis enum $name:ident {
            $( $(#[$vm:meta])* $vrfc:literal $v:ident = $value:expr ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[doc(alias = $rfc)]
        #[repr(i32)]
        $vis enum $name { $( $(#[$vm])* #[doc(alias = $vrfc)] $v = $value, )* }

        impl $name {
            /// Every value with its RFC name.
            pub const ALL: &'static [(&'static str, i32)] = &[$(($vrfc, $value)),*];

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
                match self { $( Self::$v => $vrfc, )* }
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
        $crate::__serde_enum! { $rfc $name }
    };
}

/// Declares open registries: a number with named constants, whose unknown values survive.
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
        $(#[$m:meta])* $rfc:literal => $vis:vis struct $name:ident {
            $( $(#[$vm:meta])* $vrfc:literal $v:ident = $value:expr ),* $(,)?
        }
    ) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[doc(alias = $rfc)]
        $vis struct $name(
            /// The number on the wire.
            pub u32,
        );

        impl $name {
            $( $(#[$vm])* #[doc(alias = $vrfc)] pub const $v: Self = Self($value); )*

            /// Every named value with its RFC name.
            pub const ALL: &'static [(&'static str, u32)] = &[$(($vrfc, $value)),*];

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
                    ::core::option::Option::None => ::core::write!(f, "{}({})", $rfc, self.0),
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
        $crate::__serde_open! { $rfc $name }
    };
}

/// Declares discriminated unions (RFC 4506, section 4.15).
///
/// `case VALUE => Variant(Type)` for one value, `case VALUE => Variant` for a void arm;
/// `cases (A, B) => Variant(Type)` for several that share an arm, `default => Variant(Type)` for all
/// others: these two carry the discriminant, as in `Variant(Discriminant, Type)`. They stand in this
/// order. Without a default, other discriminants are errors. A method of the discriminant's name
/// returns it.
///
/// ```
/// use nfswire_xdr::{Text, from_bytes, xdr_union};
///
/// xdr_union! {
///     /// Answer to a lookup.
///     "lookup_res" => pub enum Lookup<'a> switch (status: u32) {
///         /// Found.
///         case 0 => Found(Text<'a, 255>),
///         /// Not found.
///         case 2 => Missing,
///         /// Try again.
///         cases (10, 11) => Later(u32),
///         /// Any other failure.
///         default => Fail,
///     }
/// }
/// assert_eq!(from_bytes(&[0, 0, 0, 11, 0, 0, 0, 5]), Ok(Lookup::Later(11, 5)));
/// assert_eq!(Lookup::Fail(70).status(), 70);
/// ```
#[macro_export]
macro_rules! xdr_union {
    (
        $(#[$m:meta])* $rfc:literal => $vis:vis enum $name:ident
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { ['de] [] [$(#[$m])*] $rfc => $vis $name ($d: $dt) } [] [] [] $($body)*
        }
    };
    (
        $(#[$m:meta])* $rfc:literal => $vis:vis enum $name:ident<$lt:lifetime>
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { [$lt] [<$lt>] [$(#[$m])*] $rfc => $vis $name ($d: $dt) } [] [] [] $($body)*
        }
    };
}

/// Sorts the arms of a union by kind: attributes before `case`, `cases` and `default` are ambiguous
/// in a single pattern.
#[doc(hidden)]
#[macro_export]
macro_rules! __xdr_arms {
    ({ $($head:tt)* } [$($c:tt)*] [$($k:tt)*] [$($x:tt)*]) => {
        $crate::__xdr_union! { $($head)* [$($c)*] [$($k)*] [$($x)*] }
    };
    (
        { $($head:tt)* } [$($c:tt)*] [$($k:tt)*] [$($x:tt)*]
        $(#[$m:meta])* case $label:expr => $v:ident $(($t:ty))? $(, $($rest:tt)*)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* } [$($c)* { [$(#[$m])*] ($label) $v $(($t))? }] [$($k)*] [$($x)*]
            $($($rest)*)?
        }
    };
    (
        { $($head:tt)* } [$($c:tt)*] [$($k:tt)*] [$($x:tt)*]
        $(#[$m:meta])* cases ($($label:expr),+) => $v:ident $(($t:ty))? $(, $($rest:tt)*)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* } [$($c)*] [$($k)* { [$(#[$m])*] ($($label),+) $v $(($t))? }] [$($x)*]
            $($($rest)*)?
        }
    };
    (
        { $($head:tt)* } [$($c:tt)*] [$($k:tt)*] []
        $(#[$m:meta])* default => $v:ident $(($t:ty))? $(,)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* } [$($c)*] [$($k)*] [{ [$(#[$m])*] $v $(($t))? }]
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __xdr_union {
    (
        [$lt:lifetime] [$($gen:tt)*] [$(#[$m:meta])*] $rfc:literal => $vis:vis $name:ident
        ($d:ident : $dt:ty)
        [$({ [$(#[$cm:meta])*] ($label:expr) $v:ident $(($t:ty))? })*]
        [$({ [$(#[$km:meta])*] ($($klabel:expr),+) $kv:ident $(($kt:ty))? })*]
        [$({ [$(#[$xm:meta])*] $xv:ident $(($xt:ty))? })?]
    ) => {
        $(#[$m])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[doc(alias = $rfc)]
        $vis enum $name $($gen)* {
            $( $(#[$cm])* $v $(($t))? , )*
            $( $(#[$km])* $kv($dt $(, $kt)?) , )*
            $( $(#[$xm])* $xv($dt $(, $xt)?) , )?
        }

        impl $($gen)* $name $($gen)* {
            /// The discriminant.
            #[inline]
            #[must_use]
            #[allow(unused_variables)]
            pub const fn $d(&self) -> $dt {
                match self {
                    $( Self::$v $(($crate::__any!($t)))? => $label, )*
                    $( Self::$kv(d $(, $crate::__any!($kt))?) => *d, )*
                    $( Self::$xv(d $(, $crate::__any!($xt))?) => *d, )?
                }
            }

            /// Whether a carried discriminant belongs to the arm it is carried in.
            #[inline]
            fn is_consistent(&self) -> bool {
                match self {
                    $( Self::$v $(($crate::__any!($t)))? => true, )*
                    $( Self::$kv(d $(, $crate::__any!($kt))?) => false $(|| *d == $klabel)+, )*
                    $( Self::$xv(d $(, $crate::__any!($xt))?) => !Self::has_case(*d), )?
                }
            }

            /// Whether an arm other than the default is for this discriminant.
            #[inline]
            #[allow(dead_code, unused_variables)]
            fn has_case(d: $dt) -> bool {
                false $(|| d == $label)* $($(|| d == $klabel)+)*
            }
        }

        impl $($gen)* $crate::Wire for $name $($gen)* {
            const MIN_LEN: u32 = $crate::plan::union_min::<$dt>(&[
                $( $crate::__arm!(MIN_LEN $($t)?), )*
                $( $crate::__arm!(MIN_LEN $($kt)?), )*
                $( $crate::__arm!(MIN_LEN $($xt)?), )?
            ]);
            const MAX_LEN: u32 = $crate::plan::union_max::<$dt>(&[
                $( $crate::__arm!(MAX_LEN $($t)?), )*
                $( $crate::__arm!(MAX_LEN $($kt)?), )*
                $( $crate::__arm!(MAX_LEN $($xt)?), )?
            ]);
        }

        impl<$lt> $crate::Decode<$lt> for $name $($gen)* {
            #[inline]
            fn decode<S: $crate::Source<$lt>>(c: &mut S) -> ::core::option::Option<Self> {
                c.with(|c| {
                    let d = <$dt as $crate::Decode<$lt>>::decode(c)?;
                    $( if d == $label {
                        return ::core::option::Option::Some(
                            Self::$v $((<$t as $crate::Decode<$lt>>::decode(c)?))?
                        );
                    } )*
                    $( if false $(|| d == $klabel)+ {
                        return ::core::option::Option::Some(
                            Self::$kv(d $(, <$kt as $crate::Decode<$lt>>::decode(c)?)?)
                        );
                    } )*
                    $crate::__default!(::core::option::Option::None; $(
                        ::core::option::Option::Some(
                            Self::$xv(d $(, <$xt as $crate::Decode<$lt>>::decode(c)?)?)
                        )
                    )?)
                })
            }

            fn check(p: &mut $crate::Probe<'_>) -> ::core::result::Result<(), $crate::DecodeError> {
                p.enter(const { &$crate::Field::new($rfc, ::core::stringify!($d)) });
                let at = p.position();
                let word = ::core::clone::Clone::clone(p).word().unwrap_or(0);
                let d = p.value::<$dt>()?;
                $( if d == $label {
                    p.leave();
                    $( $crate::plan::check_fields(p, const { &[(
                        $crate::Field::new($rfc, ::core::stringify!($v)),
                        <$t as $crate::Decode<$lt>>::check,
                    )] })?; )?
                    return ::core::result::Result::Ok(());
                } )*
                $( if false $(|| d == $klabel)+ {
                    p.leave();
                    $( $crate::plan::check_fields(p, const { &[(
                        $crate::Field::new($rfc, ::core::stringify!($kv)),
                        <$kt as $crate::Decode<$lt>>::check,
                    )] })?; )?
                    return ::core::result::Result::Ok(());
                } )*
                let _ = (at, word);
                $crate::__default!(
                    ::core::result::Result::Err(p.error_at($crate::ErrorKind::Union(word), at));
                    $( {
                        p.leave();
                        $( $crate::plan::check_fields(p, const { &[(
                            $crate::Field::new($rfc, ::core::stringify!($xv)),
                            <$xt as $crate::Decode<$lt>>::check,
                        )] })?; )?
                        ::core::result::Result::Ok(())
                    } )?
                )
            }

            $crate::__arbitrary_union! {
                [$lt] ($dt)
                [$($v $(($t))?;)*]
                [$(($($klabel),+) $kv $(($kt))?;)*]
                [$($xv $(($xt))?;)?]
            }
        }

        impl<$lt> $crate::Encode<$lt> for $name $($gen)* {
            const INLINE: bool = $crate::plan::all(&[
                $($(<$t as $crate::Encode<$lt>>::INLINE,)?)*
                $($(<$kt as $crate::Encode<$lt>>::INLINE,)?)*
                $($(<$xt as $crate::Encode<$lt>>::INLINE,)?)?
            ]);
            const TAIL: bool = $crate::plan::all(&[
                $($(<$t as $crate::Encode<$lt>>::TAIL,)?)*
                $($(<$kt as $crate::Encode<$lt>>::TAIL,)?)*
                $($(<$xt as $crate::Encode<$lt>>::TAIL,)?)?
            ]);
            const LONG: bool = $crate::plan::any(&[
                $($(<$t as $crate::Encode<$lt>>::LONG,)?)*
                $($(<$kt as $crate::Encode<$lt>>::LONG,)?)*
                $($(<$xt as $crate::Encode<$lt>>::LONG,)?)?
            ]);

            #[inline]
            #[allow(unused_variables)]
            fn encoded_len(&self) -> u64 {
                let len = <$dt as $crate::Wire>::MIN_LEN as u64;
                match self {
                    $( Self::$v $(($crate::__bind!(x, $t)))? =>
                        len $(.wrapping_add(<$t as $crate::Encode<$lt>>::encoded_len(x)))?, )*
                    $( Self::$kv(_ $(, $crate::__bind!(x, $kt))?) =>
                        len $(.wrapping_add(<$kt as $crate::Encode<$lt>>::encoded_len(x)))?, )*
                    $( Self::$xv(_ $(, $crate::__bind!(x, $xt))?) =>
                        len $(.wrapping_add(<$xt as $crate::Encode<$lt>>::encoded_len(x)))?, )?
                }
            }

            #[inline]
            fn write<'w>(&self, w: &'w mut [u8]) -> ::core::option::Option<&'w mut [u8]> {
                match self {
                    $( Self::$v $(($crate::__bind!(x, $t)))? => {
                        let w = <$dt as $crate::Encode<$lt>>::write(&$label, w)?;
                        $( let w = <$t as $crate::Encode<$lt>>::write(x, w)?; )?
                        ::core::option::Option::Some(w)
                    } )*
                    $( Self::$kv(d $(, $crate::__bind!(x, $kt))?) => {
                        if true $(&& *d != $klabel)+ {
                            return ::core::option::Option::None;
                        }
                        let w = <$dt as $crate::Encode<$lt>>::write(d, w)?;
                        $( let w = <$kt as $crate::Encode<$lt>>::write(x, w)?; )?
                        ::core::option::Option::Some(w)
                    } )*
                    $( Self::$xv(d $(, $crate::__bind!(x, $xt))?) => {
                        if Self::has_case(*d) {
                            return ::core::option::Option::None;
                        }
                        let w = <$dt as $crate::Encode<$lt>>::write(d, w)?;
                        $( let w = <$xt as $crate::Encode<$lt>>::write(x, w)?; )?
                        ::core::option::Option::Some(w)
                    } )?
                }
            }

            #[inline]
            fn tail(&self) -> ::core::option::Option<&$crate::Payload<$lt>> {
                if <Self as $crate::Encode<$lt>>::INLINE {
                    return ::core::option::Option::None;
                }
                match self {
                    $( Self::$v $(($crate::__bind!(x, $t)))? => ::core::option::Option::None
                        $(.or(<$t as $crate::Encode<$lt>>::tail(x)))?, )*
                    $( Self::$kv(_ $(, $crate::__bind!(x, $kt))?) => ::core::option::Option::None
                        $(.or(<$kt as $crate::Encode<$lt>>::tail(x)))?, )*
                    $( Self::$xv(_ $(, $crate::__bind!(x, $xt))?) => ::core::option::Option::None
                        $(.or(<$xt as $crate::Encode<$lt>>::tail(x)))?, )?
                }
            }

            fn encode_fields(
                &self,
                e: &mut $crate::Encoder<'_, $lt>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                if !self.is_consistent() {
                    return ::core::result::Result::Err($crate::EncodeError::Contradiction);
                }
                <$dt as $crate::Encode<$lt>>::encode(&self.$d(), e)?;
                match self {
                    $( Self::$v $(($crate::__bind!(x, $t)))? => {
                        $( <$t as $crate::Encode<$lt>>::encode(x, e)?; )?
                    } )*
                    $( Self::$kv(_ $(, $crate::__bind!(x, $kt))?) => {
                        $( <$kt as $crate::Encode<$lt>>::encode(x, e)?; )?
                    } )*
                    $( Self::$xv(_ $(, $crate::__bind!(x, $xt))?) => {
                        $( <$xt as $crate::Encode<$lt>>::encode(x, e)?; )?
                    } )?
                }
                ::core::result::Result::Ok(())
            }
        }

        $crate::__rebind! { [$($gen)*] $name }
        $crate::__arbitrary! { [$lt] [$($gen)*] $name }
        $crate::__serde_union! {
            [$($gen)*] $rfc $name ($d: $dt)
            [$(($label) $v $(($t))?;)*]
            [$(($($klabel),+) $kv $(($kt))?;)*]
            [$($xv $(($xt))?;)?]
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __any {
    ($t:ty) => {
        _
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __bind {
    ($x:ident, $t:ty) => {
        $x
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __arm {
    ($which:ident) => {
        0
    };
    ($which:ident $t:ty) => {
        <$t as $crate::Wire>::$which
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __default {
    ($none:expr;) => {
        $none
    };
    ($none:expr; $some:expr) => {
        $some
    };
}
