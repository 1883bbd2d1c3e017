//! Primitives, opaque data and lists.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData, str::FromStr};

use ::serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, SeqAccess, Visitor},
    ser::{self, SerializeMap, SerializeSeq, SerializeTuple},
};

use super::{DeserializeXdr, Out, Seed, SerializeXdr, Value};
use crate::{
    bounded::BoundedPayload,
    limits::Limits,
    list::List,
    opaque::{Opaque, Text},
    payload::Payload,
    primitive::{Double, Float},
    wire::Decode,
};

//--- Numbers ---

macro_rules! number {
    ($($t:ident)*) => {$(
        impl SerializeXdr for $t {
            fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }
        }

        impl DeserializeXdr for $t {
            fn deserialize_xdr<'r, D: Deserializer<'r>>(
                deserializer: D,
                out: &mut Out<'_>,
            ) -> Result<(), D::Error> {
                out.opaque(&$t::deserialize(deserializer)?.to_be_bytes());
                Ok(())
            }
        }
    )*};
}

number!(u32 i32 u64 i64);

impl SerializeXdr for bool {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

impl DeserializeXdr for bool {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        out.word(Self::deserialize(deserializer)?.into());
        Ok(())
    }
}

impl SerializeXdr for () {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl DeserializeXdr for () {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        _out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        <()>::deserialize(deserializer)
    }
}

macro_rules! float {
    ($name:ident, $float:ident, $bits:ident, $digits:literal) => {
        impl SerializeXdr for $name {
            fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if !serializer.is_human_readable() {
                    return self.0.serialize(serializer);
                }
                if self.get().is_nan() {
                    return serializer
                        .collect_str(&format_args!(concat!("{:#0", $digits, "x}"), self.0));
                }
                serializer.collect_str(&format_args!("{:?}", self.get()))
            }
        }

        impl DeserializeXdr for $name {
            fn deserialize_xdr<'r, D: Deserializer<'r>>(
                deserializer: D,
                out: &mut Out<'_>,
            ) -> Result<(), D::Error> {
                let bits = if deserializer.is_human_readable() {
                    let visitor = FloatVisitor(|text| match text.strip_prefix("0x") {
                        Some(digits) => $bits::from_str_radix(digits, 16).ok(),
                        None => $float::from_str(text).map($float::to_bits).ok(),
                    });
                    deserializer.deserialize_any(visitor)?
                } else {
                    $bits::deserialize(deserializer)?
                };
                out.opaque(&bits.to_be_bytes());
                Ok(())
            }
        }

        impl SerializeXdr for $float {
            fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::from(*self).serialize_xdr(serializer)
            }
        }

        impl DeserializeXdr for $float {
            fn deserialize_xdr<'r, D: Deserializer<'r>>(
                deserializer: D,
                out: &mut Out<'_>,
            ) -> Result<(), D::Error> {
                $name::deserialize_xdr(deserializer, out)
            }
        }
    };
}

float!(Float, f32, u32, "10");
float!(Double, f64, u64, "18");

/// A floating point number as a string, or as a number.
struct FloatVisitor<B>(fn(&str) -> Option<B>);

impl<B> Visitor<'_> for FloatVisitor<B> {
    type Value = B;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or its bits as 0x and hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<B, E> {
        (self.0)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<B, E> {
        self.visit_str(&alloc::format!("{number:?}"))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<B, E> {
        self.visit_str(&alloc::format!("{number}"))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<B, E> {
        self.visit_str(&alloc::format!("{number}"))
    }
}

//--- Opaque data and strings ---

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes in hexadecimal digits.
struct Hex<I>(I);

impl<'b, I: Iterator<Item = &'b [u8]> + Clone> fmt::Display for Hex<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or_default();
        let mut digits = [0; 64];
        for part in self.0.clone().flat_map(|slice| slice.chunks(32)) {
            for (two, byte) in digits.as_chunks_mut().0.iter_mut().zip(part) {
                *two = [digit(byte >> 4), digit(byte & 15)];
            }
            let text = digits.get(..part.len().saturating_mul(2)).unwrap_or_default();
            f.write_str(core::str::from_utf8(text).unwrap_or_default())?;
        }
        Ok(())
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let (pairs, rest) = text.as_bytes().as_chunks();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

fn serialize_opaque<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return serializer.collect_str(&Hex(core::iter::once(bytes)));
    }
    serializer.serialize_bytes(bytes)
}

/// Reads bytes that [`serialize_opaque`] wrote and hands them to `put`.
fn deserialize_opaque<'r, D: Deserializer<'r>>(
    deserializer: D,
    put: impl FnOnce(&[u8]) -> Result<(), D::Error>,
) -> Result<(), D::Error> {
    if deserializer.is_human_readable() {
        let bytes = deserializer.deserialize_str(OpaqueVisitor)?;
        return put(&bytes);
    }
    put(&deserializer.deserialize_bytes(OpaqueVisitor)?)
}

struct OpaqueVisitor;

impl Visitor<'_> for OpaqueVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes as an even number of hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        from_hex(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.into())
    }
}

impl<const N: usize> SerializeXdr for [u8; N] {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_opaque(self, serializer)
    }
}

impl<const N: usize> DeserializeXdr for [u8; N] {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        deserialize_opaque(deserializer, |bytes| {
            if bytes.len() != N {
                let len = bytes.len();
                return Err(de::Error::custom(format_args!("{len} bytes instead of {N}")));
            }
            out.opaque(bytes);
            Ok(())
        })
    }
}

impl<const MAX: u32> SerializeXdr for Opaque<'_, MAX> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_opaque(self, serializer)
    }
}

impl<const MAX: u32> DeserializeXdr for Opaque<'_, MAX> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        deserialize_opaque(deserializer, |bytes| out.variable(bytes))
    }
}

impl SerializeXdr for Payload<'_> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scattered(data) if serializer.is_human_readable() => {
                serializer.collect_str(&Hex(data.slices()))
            }
            Self::Scattered(data) => {
                let bytes: Vec<u8> = data.slices().flatten().copied().collect();
                serializer.serialize_bytes(&bytes)
            }
            _ => match self.as_slice() {
                Some(bytes) => serialize_opaque(bytes, serializer),
                None => Err(ser::Error::custom(
                    "the bytes of the payload are not in memory: it is a range of a file, or was \
                     not received with its message",
                )),
            },
        }
    }
}

impl DeserializeXdr for Payload<'_> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        deserialize_opaque(deserializer, |bytes| out.variable(bytes))
    }
}

impl<const MAX: u32> SerializeXdr for BoundedPayload<'_, MAX> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_payload().serialize_xdr(serializer)
    }
}

impl<const MAX: u32> DeserializeXdr for BoundedPayload<'_, MAX> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        deserialize_opaque(deserializer, |bytes| out.variable(bytes))
    }
}

/// What the bytes of a string that is not UTF-8 stand behind.
const BYTES: &str = "bytes";

impl<const MAX: u32> SerializeXdr for Text<'_, MAX> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self);
        }
        if let Ok(text) = self.to_str() {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(BYTES, &Value(&Opaque::<'_, MAX>::new(self).unwrap_or_default()))?;
        map.end()
    }
}

impl<const MAX: u32> DeserializeXdr for Text<'_, MAX> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(TextVisitor(out));
        }
        deserialize_opaque(deserializer, |bytes| out.variable(bytes))
    }
}

struct TextVisitor<'o, 'v>(&'o mut Out<'v>);

impl<'r> Visitor<'r> for TextVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string, or {{\"{BYTES}\": hexadecimal digits}}")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.0.variable(text.as_bytes())
    }

    fn visit_map<A: MapAccess<'r>>(self, mut map: A) -> Result<(), A::Error> {
        let expected: &[&str] = &[BYTES];
        match map.next_key::<alloc::string::String>()? {
            Some(key) if key == BYTES => {}
            Some(key) => {
                return Err(de::Error::custom(format_args!(
                    "\"{key}\" instead of \"{BYTES}\" for a string that is not UTF-8"
                )));
            }
            None => return Err(de::Error::invalid_length(0, &self)),
        }
        map.next_value_seed(Seed::<Opaque<'_>>::new(self.0))?;
        match map.next_key::<alloc::string::String>()? {
            None => Ok(()),
            Some(key) => Err(de::Error::custom(format_args!(
                "\"{key}\" behind {expected:?} of a string that is not UTF-8"
            ))),
        }
    }
}

//--- Optional data, arrays and lists ---

impl<T: SerializeXdr> SerializeXdr for Option<T> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => serializer.serialize_some(&Value(value)),
            None => serializer.serialize_none(),
        }
    }
}

impl<T: DeserializeXdr> DeserializeXdr for Option<T> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        deserializer.deserialize_option(OptionVisitor::<T>(Seed::new(out)))
    }
}

struct OptionVisitor<'o, 'v, T>(Seed<'o, 'v, T>);

impl<'r, T: DeserializeXdr> Visitor<'r> for OptionVisitor<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null or a value")
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.0.0.word(0);
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }

    fn visit_some<D: Deserializer<'r>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.0.word(1);
        T::deserialize_xdr(deserializer, self.0.0)
    }
}

impl<T: SerializeXdr, const N: usize> SerializeXdr for [T; N] {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_tuple(N)?;
        self.iter().try_for_each(|item| items.serialize_element(&Value(item)))?;
        items.end()
    }
}

impl<T: DeserializeXdr, const N: usize> DeserializeXdr for [T; N] {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        let visitor = ItemsVisitor::<T> { out, linked: false, most: N, _item: PhantomData };
        let count = deserializer.deserialize_tuple(N, visitor)?;
        if count as usize == N {
            return Ok(());
        }
        Err(de::Error::custom(format_args!("{count} elements instead of {N}")))
    }
}

impl<'a, T, const LINKED: bool, const MAX: u32> SerializeXdr for List<'a, T, LINKED, MAX>
where
    T: Decode<'a> + SerializeXdr,
{
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(usize::try_from(self.len()).ok())?;
        let mut left = self.len();
        self.for_each(|item| {
            left = left.saturating_sub(1);
            items.serialize_element(&Value(item))
        })?;
        if left > 0 {
            return Err(ser::Error::custom("an element of a list does not decode again"));
        }
        items.end()
    }
}

impl<T: DeserializeXdr, const LINKED: bool, const MAX: u32> DeserializeXdr
    for List<'_, T, LINKED, MAX>
{
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        let start = out.0.len();
        if !LINKED {
            out.word(0);
        }
        // Elements may be of no bytes: their number is bounded here.
        let most = usize::try_from(Limits::STRICT.max_items.min(MAX)).unwrap_or(usize::MAX);
        let visitor = ItemsVisitor::<T> { out, linked: LINKED, most, _item: PhantomData };
        let count = deserializer.deserialize_seq(visitor)?;
        if LINKED {
            out.word(0);
        } else if let Some(word) = out.0.get_mut(start..).and_then(|b| b.first_chunk_mut()) {
            *word = count.to_be_bytes();
        }
        Ok(())
    }
}

struct ItemsVisitor<'o, 'v, T> {
    out: &'o mut Out<'v>,
    linked: bool,
    most: usize,
    _item: PhantomData<fn() -> T>,
}

impl<'r, T: DeserializeXdr> Visitor<'r> for ItemsVisitor<'_, '_, T> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} elements", self.most)
    }

    fn visit_seq<A: SeqAccess<'r>>(self, mut seq: A) -> Result<u32, A::Error> {
        let mut count = 0u32;
        loop {
            let before = self.out.0.len();
            if self.linked {
                self.out.word(1);
            }
            if seq.next_element_seed(Seed::<T>::new(self.out))?.is_none() {
                self.out.0.truncate(before);
                return Ok(count);
            }
            count = count.saturating_add(1);
            if count as usize > self.most {
                let most = self.most;
                return Err(de::Error::custom(format_args!(
                    "the list has more than {most} elements"
                )));
            }
        }
    }
}

macro_rules! serialize {
    ($([$($gen:tt)*] $t:ty;)*) => {$(
        impl<'a, $($gen)*> Serialize for $t {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize_xdr(serializer)
            }
        }
    )*};
}

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

serialize! {
    [const MAX: u32] Opaque<'a, MAX>;
    [const MAX: u32] Text<'a, MAX>;
    [] Payload<'a>;
    [const MAX: u32] BoundedPayload<'a, MAX>;
    [T: Decode<'a> + SerializeXdr, const LINKED: bool, const MAX: u32] List<'a, T, LINKED, MAX>;
}
