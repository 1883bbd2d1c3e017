//! `xdr_union!` and its helpers.

/// Declares discriminated unions (RFC 4506, section 4.15).
///
/// - `case VALUE => Arm(Type)`: one value. The variant is `Arm(Type)`.
/// - `cases (A, B) => Arm(Type)`: several values that share an arm. The variant is
///   `Arm(Discriminant, Type)`; one that carries another value cannot be encoded.
/// - `default => Arm(Type)`: all other values, likewise with the discriminant.
///
/// Without `(Type)` the arm is void. `case` and `cases` stand in any order, `default` last; where a
/// value has several arms the first one has it, those of one value before those of several. Without
/// a default, other discriminants are errors. A method of the discriminant's name returns it.
///
/// An arm's name in the RFC stands before ours if it differs: `case 0 => "resok" Ok(Type)`. Errors
/// and `serde` name the arm by it, by the variant's name without it.
///
/// The discriminant is a number, a boolean, or a type of
/// [`xdr_enum!`](crate::xdr_enum) or [`xdr_open_enum!`](crate::xdr_open_enum), which each value then
/// names:
///
/// ```
/// use nfswire_xdr::{Limits, Text, explain, from_bytes, xdr_enum, xdr_union};
///
/// xdr_enum! {
///     /// Kind of a file (RFC 4506, section 7).
///     "filekind" => pub enum FileKind {
///         /// Text.
///         "TEXT" Text = 0,
///         /// Raw data.
///         "DATA" Data = 1,
///         /// Executable.
///         "EXEC" Exec = 2,
///     }
/// }
/// xdr_union! {
///     /// Kind of a file, and who made or runs it.
///     #[derive(Copy)]
///     "filetype" => pub enum FileType<'a> switch (kind: FileKind) {
///         /// Text has neither.
///         case FileKind::Text => Text,
///         /// What created the data.
///         case FileKind::Data => "creator" Data(Text<'a, 255>),
///         /// What interprets the program.
///         case FileKind::Exec => "interpretor" Exec(Text<'a, 255>),
///     }
/// }
/// let program = FileType::Exec(Text::try_from("lisp")?);
/// assert_eq!(program.kind(), FileKind::Exec);
/// assert_eq!(from_bytes(b"\0\0\0\x02\0\0\0\x04lisp"), Ok(program));
/// let error = from_bytes::<FileType<'_>>(b"\0\0\0\x02\0\0\0\x04li").unwrap_err();
/// assert_eq!(error.to_string(), "filetype.interpretor at byte 8: need 4 bytes, 2 left");
/// # Ok::<(), nfswire_xdr::LengthError>(())
/// ```
///
/// Of numbers, with a shared arm and a default:
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
///
/// A `default` that is not last is an error that says so, as is anything else that is no arm:
///
/// ```compile_fail
/// nfswire_xdr::xdr_union! {
///     "u" => pub enum U switch (n: u32) { default => Other, case 1 => One }
/// }
/// ```
#[macro_export]
macro_rules! xdr_union {
    (
        $(#[$m:meta])* $rfc:literal => $vis:vis enum $name:ident
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { ['de] [] [$(#[$m])* #[doc(alias = $rfc)]] ($rfc) $vis $name ($d: $dt) }
            [] [] [] $($body)*
        }
    };
    (
        $(#[$m:meta])* $rfc:literal => $vis:vis enum $name:ident<$lt:lifetime>
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { [$lt] [<$lt>] [$(#[$m])* #[doc(alias = $rfc)]] ($rfc) $vis $name ($d: $dt) }
            [] [] [] $($body)*
        }
    };
    (
        $(#[$m:meta])* $vis:vis enum $name:ident
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { ['de] [] [$(#[$m])*] (::core::stringify!($name)) $vis $name ($d: $dt) }
            [] [] [] $($body)*
        }
    };
    (
        $(#[$m:meta])* $vis:vis enum $name:ident<$lt:lifetime>
        switch ($d:ident : $dt:ty) { $($body:tt)* }
    ) => {
        $crate::__xdr_arms! {
            { [$lt] [<$lt>] [$(#[$m])*] (::core::stringify!($name)) $vis $name ($d: $dt) }
            [] [] [] $($body)*
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not a declaration of a union; it reads: \
             `\"RFC_name\" => pub enum Name<'a> switch (discriminant: Type) { case 0 => Arm(Type), }`, \
             where an RFC name that is the same as ours is left out, and so is `<'a>` if nothing is \
             borrowed"
        );
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
        $(#[$m:meta])* case $label:expr => $($rfc:literal)? $v:ident $(($t:ty))? $(, $($rest:tt)*)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* }
            [$($c)* {
                [$(#[$m])* $(#[doc(alias = $rfc)])?]
                ($label) ($crate::__field_name!($($rfc)? ; $v)) $v $(($t))?
            }] [$($k)*] [$($x)*]
            $($($rest)*)?
        }
    };
    (
        { $($head:tt)* } [$($c:tt)*] [$($k:tt)*] [$($x:tt)*]
        $(#[$m:meta])* cases ($($label:expr),+ $(,)?) => $($rfc:literal)? $v:ident $(($t:ty))?
        $(, $($rest:tt)*)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* }
            [$($c)*] [$($k)* {
                [$(#[$m])* $(#[doc(alias = $rfc)])?]
                ($($label),+) ($crate::__field_name!($($rfc)? ; $v)) $v $(($t))?
            }] [$($x)*]
            $($($rest)*)?
        }
    };
    (
        { $($head:tt)* } [$($c:tt)*] [$($k:tt)*] []
        $(#[$m:meta])* default => $($rfc:literal)? $v:ident $(($t:ty))? $(,)?
    ) => {
        $crate::__xdr_arms! {
            { $($head)* } [$($c)*] [$($k)*] [{
                [$(#[$m])* $(#[doc(alias = $rfc)])?]
                ($crate::__field_name!($($rfc)? ; $v)) $v $(($t))?
            }]
        }
    };
    (
        { $lt:tt $gen:tt $attributes:tt $rfc:tt $vis:vis $name:ident $d:tt }
        $cases:tt $shared:tt $default:tt $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "arms of the union `", ::core::stringify!($name), "` read `case VALUE => Arm(Type)`, \
             `cases (VALUE, VALUE) => Arm(Type)` or, last, `default => Arm(Type)`, without `(Type)` if \
             void, with `\"rfc_arm\"` before the name where the RFC's differs, and with commas between \
             them; here it stops being so: `", ::core::stringify!($($other)*), "`"
        ));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __xdr_union {
    (
        [$lt:lifetime] [$($gen:tt)*] [$(#[$m:meta])*] ($rfc:expr) $vis:vis $name:ident
        ($d:ident : $dt:ty)
        [$({ [$(#[$cm:meta])*] ($label:expr) ($crfc:expr) $v:ident $(($t:ty))? })*]
        [$({ [$(#[$km:meta])*] ($($klabel:expr),+) ($krfc:expr) $kv:ident $(($kt:ty))? })*]
        [$({ [$(#[$xm:meta])*] ($xrfc:expr) $xv:ident $(($xt:ty))? })?]
    ) => {
        $(#[$m])*
        #[derive(Clone, Debug, PartialEq, Eq)]
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
                        $crate::Field::new($rfc, $crfc),
                        <$t as $crate::Decode<$lt>>::check,
                    )] })?; )?
                    return ::core::result::Result::Ok(());
                } )*
                $( if false $(|| d == $klabel)+ {
                    p.leave();
                    $( $crate::plan::check_fields(p, const { &[(
                        $crate::Field::new($rfc, $krfc),
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
                            $crate::Field::new($rfc, $xrfc),
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
            [$($gen)*] ($rfc) $name ($d: $dt)
            [$(($label) ($crfc) $v $(($t))?;)*]
            [$(($($klabel),+) ($krfc) $kv $(($kt))?;)*]
            [$(($xrfc) $xv $(($xt))?;)?]
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
