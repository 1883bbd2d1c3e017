//! What the declaration macros stamp on every type beside the codec: one helper macro for each
//! feature, which is empty without it. A `cfg` within the declaration macros themselves would be
//! judged in the crate that calls them.

//--- The owned form (`alloc`) ---

#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __rebind {
    ([] $name:ident) => {
        impl $crate::Rebind for $name {
            type At<'at> = $name;
        }
    };
    ([<$lt:lifetime>] $name:ident) => {
        impl<$lt> $crate::Rebind for $name<$lt> {
            type At<'at> = $name<'at>;
        }
    };
}

#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __rebind {
    ($($all:tt)*) => {};
}

//--- `arbitrary` ---

#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary {
    ([$lt:lifetime] [$($gen:tt)*] $name:ident) => {
        impl<$lt> $crate::arbitrary::Arbitrary<$lt> for $name $($gen)* {
            fn arbitrary(
                u: &mut $crate::arbitrary::Unstructured<$lt>,
            ) -> $crate::arbitrary::Result<Self> {
                <Self as $crate::Decode<$lt>>::arbitrary_value(u)
            }
        }
    };
}

#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_struct {
    ([$lt:lifetime] $($f:ident : $t:ty),*) => {
        fn arbitrary_value(
            u: &mut $crate::arbitrary::Unstructured<$lt>,
        ) -> $crate::arbitrary::Result<Self> {
            let _ = &u;
            ::core::result::Result::Ok(Self {
                $( $f: <$t as $crate::Decode<$lt>>::arbitrary_value(u)?, )*
            })
        }
    };
}

#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_enum {
    ([$lt:lifetime]) => {
        fn arbitrary_value(
            u: &mut $crate::arbitrary::Unstructured<$lt>,
        ) -> $crate::arbitrary::Result<Self> {
            let (_, value) = *u.choose(Self::ALL)?;
            Self::from_value(value).ok_or($crate::arbitrary::Error::IncorrectFormat)
        }
    };
}

#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_open {
    ([$lt:lifetime]) => {
        fn arbitrary_value(
            u: &mut $crate::arbitrary::Unstructured<$lt>,
        ) -> $crate::arbitrary::Result<Self> {
            $crate::arbitrary::open_value(u, Self::ALL).map(Self)
        }
    };
}

#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_union {
    (
        [$lt:lifetime] ($dt:ty)
        [$($v:ident $(($t:ty))?;)*]
        [$(($($klabel:expr),+) $kv:ident $(($kt:ty))?;)*]
        [$($xv:ident $(($xt:ty))?;)?]
    ) => {
        #[allow(unused_mut, unused_variables)]
        fn arbitrary_value(
            u: &mut $crate::arbitrary::Unstructured<$lt>,
        ) -> $crate::arbitrary::Result<Self> {
            const ARMS: &[&str] = &[
                $( ::core::stringify!($v), )*
                $( ::core::stringify!($kv), )*
                $( ::core::stringify!($xv), )?
            ];
            let mut pick = $crate::arbitrary::Pick::new(u, ARMS)?;
            // First, because there may be no discriminant for it.
            $( if pick.hit() {
                let other = $crate::arbitrary::other_discriminant::<$dt>(u, Self::has_case)?;
                if let ::core::option::Option::Some(d) = other {
                    return ::core::result::Result::Ok(
                        Self::$xv(d $(, <$xt as $crate::Decode<$lt>>::arbitrary_value(u)?)?)
                    );
                }
            } )?
            $( if pick.hit() {
                return ::core::result::Result::Ok(
                    Self::$v $((<$t as $crate::Decode<$lt>>::arbitrary_value(u)?))?
                );
            } )*
            $( if pick.hit() {
                let d = *u.choose(&[$($klabel),+])?;
                return ::core::result::Result::Ok(
                    Self::$kv(d $(, <$kt as $crate::Decode<$lt>>::arbitrary_value(u)?)?)
                );
            } )*
            ::core::result::Result::Err($crate::arbitrary::Error::IncorrectFormat)
        }
    };
}

#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_struct {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_enum {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_open {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_union {
    ($($all:tt)*) => {};
}

//--- `serde` ---

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serialize {
    ([$($gen:tt)*] $name:ident) => {
        impl $($gen)* $crate::serde::Serialize for $name $($gen)* {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                <Self as $crate::serde::SerializeXdr>::serialize_xdr(self, serializer)
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_struct {
    (
        [$($gen:tt)*] ($rfc:expr) $name:ident { $( $f:ident [$($frfc:literal)?] $t:ty, )* }
    ) => {
        $crate::__serialize! { [$($gen)*] $name }

        impl $($gen)* $crate::serde::SerializeXdr for $name $($gen)* {
            fn serialize_xdr<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                use $crate::serde::SerializeStruct as _;
                let len = <Self as $crate::serde::Fields>::FIELDS.len();
                #[allow(unused_mut)]
                let mut fields = serializer.serialize_struct($rfc, len)?;
                $( fields.serialize_field(
                    $crate::__field_name!($($frfc)? ; $f),
                    &$crate::serde::Value(&self.$f),
                )?; )*
                fields.end()
            }
        }

        impl $($gen)* $crate::serde::Fields for $name $($gen)* {
            const NAME: &'static str = $rfc;
            const FIELDS: &'static [&'static str] = &[
                $( $crate::__field_name!($($frfc)? ; $f), )*
            ];

            fn fields<'r, R: $crate::serde::Reader<'r>>(
                reader: &mut R,
            ) -> ::core::result::Result<(), R::Error> {
                let _ = &reader;
                $( reader.field::<$t>($crate::__field_name!($($frfc)? ; $f))?; )*
                ::core::result::Result::Ok(())
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_enum {
    (($rfc:expr) $name:ident) => {
        $crate::__serialize! { [] $name }

        impl $crate::serde::SerializeXdr for $name {
            fn serialize_xdr<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.serialize_str(self.name())
                } else {
                    serializer.serialize_i32(self.value())
                }
            }
        }

        impl $crate::serde::DeserializeXdr for $name {
            fn deserialize_xdr<'r, D: $crate::serde::Deserializer<'r>>(
                deserializer: D,
                out: &mut $crate::serde::Out<'_>,
            ) -> ::core::result::Result<(), D::Error> {
                $crate::serde::closed_enum(deserializer, out, $rfc, Self::ALL)
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_open {
    (($rfc:expr) $name:ident) => {
        $crate::__serialize! { [] $name }

        impl $crate::serde::SerializeXdr for $name {
            fn serialize_xdr<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                match self.name() {
                    ::core::option::Option::Some(name) if serializer.is_human_readable() => {
                        serializer.serialize_str(name)
                    }
                    _ => serializer.serialize_u32(self.0),
                }
            }
        }

        impl $crate::serde::DeserializeXdr for $name {
            fn deserialize_xdr<'r, D: $crate::serde::Deserializer<'r>>(
                deserializer: D,
                out: &mut $crate::serde::Out<'_>,
            ) -> ::core::result::Result<(), D::Error> {
                $crate::serde::open_enum(deserializer, out, $rfc, Self::ALL)
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_union {
    (
        [$($gen:tt)*] ($rfc:expr) $name:ident ($d:ident : $dt:ty)
        [$(($label:expr) ($crfc:expr) $v:ident $(($t:ty))?;)*]
        [$(($($klabel:expr),+) ($krfc:expr) $kv:ident $(($kt:ty))?;)*]
        [$(($xrfc:expr) $xv:ident $(($xt:ty))?;)?]
    ) => {
        $crate::__serialize! { [$($gen)*] $name }

        impl $($gen)* $crate::serde::SerializeXdr for $name $($gen)* {
            fn serialize_xdr<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                use $crate::serde::Value;
                if !self.is_consistent() {
                    return ::core::result::Result::Err($crate::serde::contradiction($rfc));
                }
                let discriminant = self.$d();
                let union = $crate::serde::Union {
                    serializer,
                    name: $rfc,
                    field: ::core::stringify!($d),
                    discriminant: Value(&discriminant),
                };
                match self {
                    $( Self::$v $(($crate::__bind!(x, $t)))? => $crate::__default!(
                        union.void();
                        $( union.arm($crfc, &$crate::__value!(x, $t)) )?
                    ), )*
                    $( Self::$kv(_ $(, $crate::__bind!(x, $kt))?) => $crate::__default!(
                        union.void();
                        $( union.arm($krfc, &$crate::__value!(x, $kt)) )?
                    ), )*
                    $( Self::$xv(_ $(, $crate::__bind!(x, $xt))?) => $crate::__default!(
                        union.void();
                        $( union.arm($xrfc, &$crate::__value!(x, $xt)) )?
                    ), )?
                }
            }
        }

        impl $($gen)* $crate::serde::Fields for $name $($gen)* {
            const NAME: &'static str = $rfc;
            const FIELDS: &'static [&'static str] = &[
                ::core::stringify!($d),
                $( $crfc, )*
                $( $krfc, )*
                $( $xrfc, )?
            ];

            #[allow(unused_variables)]
            fn fields<'r, R: $crate::serde::Reader<'r>>(
                reader: &mut R,
            ) -> ::core::result::Result<(), R::Error> {
                let d = reader.discriminant::<$dt>(::core::stringify!($d))?;
                $( if d == $label {
                    $( reader.field::<$t>($crfc)?; )?
                    return ::core::result::Result::Ok(());
                } )*
                $( if false $(|| d == $klabel)+ {
                    $( reader.field::<$kt>($krfc)?; )?
                    return ::core::result::Result::Ok(());
                } )*
                // Without a default, decoding the bytes finds that no arm is selected.
                $($( reader.field::<$xt>($xrfc)?; )?)?
                ::core::result::Result::Ok(())
            }
        }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __value {
    ($x:ident, $t:ty) => {
        Value($x)
    };
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_struct {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_enum {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_open {
    ($($all:tt)*) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_union {
    ($($all:tt)*) => {};
}
