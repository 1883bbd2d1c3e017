//! Values as text and in other formats (feature `serde`).
//!
//! Every wire type is [`Serialize`]; [`Deserialize`] is for its owned form, [`Owned`], alone:
//! so there is no second family of types.
//!
//! | XDR | human-readable formats | binary formats |
//! |---|---|---|
//! | struct | fields in wire order, by their RFC names | the fields |
//! | enumeration | RFC name; the number of an unknown value of an open registry | number |
//! | union | discriminant by its name, then the arm's value, if it has one, by the arm's RFC name, or the variant's if none is declared | the two values |
//! | opaque data, payload | lower-case hexadecimal digits | bytes |
//! | string | string, or `{"bytes": "ff00"}` when it is not UTF-8 | bytes |
//! | array, list | sequence | sequence |
//! | optional data | null or the value | option |
//! | `float`, `double` | string: the shortest number that reads back the same, a NaN by its bits (`"0x7fc00001"`) | bits |
//!
//! On the way in fields must stand in wire order, none missing and none unknown; bounds and closed
//! enumerations are those of the type, in strict policy. Optional data whose value is itself null,
//! such as an optional void, reads back as absent from formats that write a null for both.
//!
//! ```
//! use nfswire_xdr::{Opaque, Owned, Text, from_bytes, xdr_enum, xdr_struct};
//!
//! xdr_enum! {
//!     /// Kind of file.
//!     "filekind" => pub enum FileKind {
//!         /// Text.
//!         "TEXT" Text = 0,
//!         /// Data.
//!         "DATA" Data = 1,
//!     }
//! }
//! xdr_struct! {
//!     /// A file with its name.
//!     "file" => pub struct File<'a> {
//!         /// Name.
//!         pub filename: Text<'a, 255>,
//!         /// Kind.
//!         "type" => pub kind: FileKind,
//!         /// Content.
//!         pub data: Opaque<'a, 65535>,
//!     }
//! }
//!
//! let text = r#"{"filename":"motd","type":"TEXT","data":"6869"}"#;
//! let owned: Owned<File<'_>> = serde_json::from_str(text)?;
//! let file = owned.get()?;
//! assert_eq!((file.filename.as_bytes(), file.data.as_bytes()), (&b"motd"[..], &b"hi"[..]));
//! assert_eq!(serde_json::to_string(&file)?, text);
//!
//! let error = serde_json::from_str::<Owned<File<'_>>>(r#"{"type":"TEXT"}"#).unwrap_err();
//! assert!(error.to_string().starts_with(
//!     "field \"type\" of file is out of place: fields stand in wire order, and \"filename\" is next"
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod leaves;

use alloc::{string::String, vec::Vec};
use core::{fmt, marker::PhantomData};

#[doc(hidden)]
pub use ::serde::ser::SerializeStruct;
#[doc(no_inline)]
pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use ::serde::{
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
    ser,
};

use crate::{
    cursor::from_bytes,
    owned::{Owned, Rebind},
    wire::Decode,
};

/// What [`Serialize`] writes of a wire type. It is a trait of its own because arrays and options are
/// not ours, and are written otherwise in XDR.
///
/// The declaration macros implement both. A hand-written type implements this trait, and calls it
/// from its `Serialize`.
pub trait SerializeXdr {
    /// Writes the value.
    ///
    /// # Errors
    /// Those of the format, and values without bytes: a payload that is a range of a file or lies
    /// elsewhere.
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// How [`Owned`] is read: straight into wire form.
pub trait DeserializeXdr {
    /// Reads a value and appends its bytes to `out`. They are decoded once they are complete, so
    /// that bounds need no check here.
    ///
    /// # Errors
    /// Those of the format.
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error>;
}

/// Wire bytes of a value that is being read.
#[derive(Debug)]
pub struct Out<'o>(&'o mut Vec<u8>);

impl Out<'_> {
    /// Appends one word.
    pub fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_be_bytes());
    }

    /// Appends bytes and their pad, without a length.
    pub fn opaque(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    /// Appends the length of bytes, the bytes and their pad.
    ///
    /// # Errors
    /// The length does not fit its word.
    pub fn variable<E: de::Error>(&mut self, bytes: &[u8]) -> Result<(), E> {
        let len = u32::try_from(bytes.len())
            .map_err(|_| E::custom(format_args!("{} bytes are too many for XDR", bytes.len())))?;
        self.word(len);
        self.opaque(bytes);
        Ok(())
    }
}

/// A value of a wire type, as a field of another.
#[doc(hidden)]
#[derive(Debug)]
pub struct Value<'v, T: ?Sized>(pub &'v T);

impl<T: SerializeXdr + ?Sized> Serialize for Value<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_xdr(serializer)
    }
}

impl<T: SerializeXdr + ?Sized> SerializeXdr for &T {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize_xdr(self, serializer)
    }
}

/// Reads a value of `T` into the bytes given.
pub(crate) struct Seed<'o, 'v, T>(pub(crate) &'o mut Out<'v>, PhantomData<fn() -> T>);

impl<'o, 'v, T> Seed<'o, 'v, T> {
    pub(crate) const fn new(out: &'o mut Out<'v>) -> Self {
        Self(out, PhantomData)
    }
}

impl<'r, T: DeserializeXdr> DeserializeSeed<'r> for Seed<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'r>>(self, deserializer: D) -> Result<(), D::Error> {
        T::deserialize_xdr(deserializer, self.0)
    }
}

//--- Owned ---

impl<T: Rebind> Serialize for Owned<T>
where
    for<'a> T::At<'a>: SerializeXdr,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().map_err(ser::Error::custom)?.serialize_xdr(serializer)
    }
}

impl<'r, T: Rebind + DeserializeXdr> Deserialize<'r> for Owned<T> {
    fn deserialize<D: Deserializer<'r>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bytes = Vec::new();
        T::deserialize_xdr(deserializer, &mut Out(&mut bytes))?;
        Self::from_wire(bytes).map_err(|error| {
            de::Error::custom(format_args!("not a value of its type: in wire form, {error}"))
        })
    }
}

//--- Structs and unions ---

/// A struct or a union: what is read one after the other.
#[doc(hidden)]
pub trait Fields {
    const NAME: &'static str;
    const FIELDS: &'static [&'static str];

    #[allow(clippy::missing_errors_doc)]
    fn fields<'r, R: Reader<'r>>(reader: &mut R) -> Result<(), R::Error>;
}

/// Reads fields in wire order.
#[doc(hidden)]
#[allow(clippy::missing_errors_doc)]
pub trait Reader<'r> {
    type Error;

    fn field<T: DeserializeXdr>(&mut self, name: &'static str) -> Result<(), Self::Error>;

    fn discriminant<T: DeserializeXdr + for<'x> Decode<'x>>(
        &mut self,
        name: &'static str,
    ) -> Result<T, Self::Error>;
}

impl<T: Fields> DeserializeXdr for T {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        let visitor = FieldsVisitor::<T>(Seed::new(out));
        deserializer.deserialize_struct(T::NAME, T::FIELDS, visitor)
    }
}

struct FieldsVisitor<'o, 'v, T>(Seed<'o, 'v, T>);

impl<'r, T: Fields> Visitor<'r> for FieldsVisitor<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fields of {}", T::NAME)
    }

    fn visit_map<A: MapAccess<'r>>(self, map: A) -> Result<(), A::Error> {
        let mut reader = MapReader { map, out: self.0.0, name: T::NAME, fields: T::FIELDS };
        T::fields(&mut reader)?;
        let key = Key { name: T::NAME, fields: T::FIELDS, next: None };
        reader.map.next_key_seed(key).map(drop)
    }

    fn visit_seq<A: SeqAccess<'r>>(self, seq: A) -> Result<(), A::Error> {
        T::fields(&mut SeqReader { seq, out: self.0.0, name: T::NAME })
    }
}

fn read_back<T: for<'x> Decode<'x>, E: de::Error>(
    out: &Out<'_>,
    start: usize,
    name: &'static str,
) -> Result<T, E> {
    let bytes = out.0.get(start..).unwrap_or_default();
    from_bytes(bytes).map_err(|error| E::custom(format_args!("{name}: {}", error.kind)))
}

/// Fields with their names.
struct MapReader<'o, 'v, A> {
    map: A,
    out: &'o mut Out<'v>,
    name: &'static str,
    fields: &'static [&'static str],
}

impl<'r, A: MapAccess<'r>> Reader<'r> for MapReader<'_, '_, A> {
    type Error = A::Error;

    fn field<T: DeserializeXdr>(&mut self, name: &'static str) -> Result<(), A::Error> {
        let key = Key { name: self.name, fields: self.fields, next: Some(name) };
        if self.map.next_key_seed(key)?.is_none() {
            return Err(missing(self.name, name));
        }
        self.map.next_value_seed(Seed::<T>::new(self.out))
    }

    fn discriminant<T: DeserializeXdr + for<'x> Decode<'x>>(
        &mut self,
        name: &'static str,
    ) -> Result<T, A::Error> {
        let start = self.out.0.len();
        self.field::<T>(name)?;
        read_back(self.out, start, name)
    }
}

/// Fields in formats that do without names.
struct SeqReader<'o, 'v, A> {
    seq: A,
    out: &'o mut Out<'v>,
    name: &'static str,
}

impl<'r, A: SeqAccess<'r>> Reader<'r> for SeqReader<'_, '_, A> {
    type Error = A::Error;

    fn field<T: DeserializeXdr>(&mut self, name: &'static str) -> Result<(), A::Error> {
        let read = self.seq.next_element_seed(Seed::<T>::new(self.out))?;
        read.ok_or_else(|| missing(self.name, name))
    }

    fn discriminant<T: DeserializeXdr + for<'x> Decode<'x>>(
        &mut self,
        name: &'static str,
    ) -> Result<T, A::Error> {
        let start = self.out.0.len();
        self.field::<T>(name)?;
        read_back(self.out, start, name)
    }
}

fn missing<E: de::Error>(type_name: &str, field: &str) -> E {
    E::custom(format_args!("field \"{field}\" of {type_name} is missing"))
}

/// The name of the next field, or of none.
struct Key {
    name: &'static str,
    fields: &'static [&'static str],
    next: Option<&'static str>,
}

impl<'r> DeserializeSeed<'r> for Key {
    type Value = ();

    fn deserialize<D: Deserializer<'r>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a field of {}", self.name)
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<(), E> {
        let Self { name, fields, next } = self;
        let known = fields.contains(&key);
        match next {
            Some(next) if next == key => Ok(()),
            Some(next) if known => Err(E::custom(format_args!(
                "field \"{key}\" of {name} is out of place: fields stand in wire order, and \
                 \"{next}\" is next"
            ))),
            None if known => Err(E::custom(format_args!(
                "field \"{key}\" of {name} is out of place: the value was complete before it"
            ))),
            _ => Err(E::custom(format_args!("{name} has no field \"{key}\""))),
        }
    }

    fn visit_bytes<E: de::Error>(self, key: &[u8]) -> Result<(), E> {
        self.visit_str(&String::from_utf8_lossy(key))
    }
}

/// Writes a union.
#[doc(hidden)]
#[derive(Debug)]
pub struct Union<'v, S, D> {
    pub serializer: S,
    pub name: &'static str,
    pub field: &'static str,
    pub discriminant: Value<'v, D>,
}

#[allow(clippy::missing_errors_doc)]
impl<S: Serializer, D: SerializeXdr> Union<'_, S, D> {
    pub fn void(self) -> Result<S::Ok, S::Error> {
        let mut fields = self.serializer.serialize_struct(self.name, 1)?;
        fields.serialize_field(self.field, &self.discriminant)?;
        fields.end()
    }

    pub fn arm<T: Serialize>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        let mut fields = self.serializer.serialize_struct(self.name, 2)?;
        fields.serialize_field(self.field, &self.discriminant)?;
        fields.serialize_field(name, value)?;
        fields.end()
    }
}

#[doc(hidden)]
#[must_use]
pub fn contradiction<E: ser::Error>(name: &str) -> E {
    E::custom(format_args!("the discriminant of {name} belongs to another arm"))
}

//--- Enumerations ---

#[doc(hidden)]
#[allow(clippy::missing_errors_doc)]
pub fn closed_enum<'r, D: Deserializer<'r>>(
    deserializer: D,
    out: &mut Out<'_>,
    name: &'static str,
    values: &'static [(&'static str, i32)],
) -> Result<(), D::Error> {
    let word = if deserializer.is_human_readable() {
        deserializer.deserialize_any(Named { name, values })?
    } else {
        i32::deserialize(deserializer)?
    };
    out.word(word.cast_unsigned());
    Ok(())
}

#[doc(hidden)]
#[allow(clippy::missing_errors_doc)]
pub fn open_enum<'r, D: Deserializer<'r>>(
    deserializer: D,
    out: &mut Out<'_>,
    name: &'static str,
    values: &'static [(&'static str, u32)],
) -> Result<(), D::Error> {
    let word = if deserializer.is_human_readable() {
        deserializer.deserialize_any(Named { name, values })?
    } else {
        u32::deserialize(deserializer)?
    };
    out.word(word);
    Ok(())
}

/// The name or number of a value.
struct Named<T: 'static> {
    name: &'static str,
    values: &'static [(&'static str, T)],
}

impl<T: Copy + TryFrom<i64> + TryFrom<u64>> Visitor<'_> for Named<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name or number of a value of {}", self.name)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or_else(|| {
            E::custom(format_args!("no value of {} has the name \"{name}\"", self.name))
        })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::try_from(number).map_err(|_| out_of_range(self.name, &number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| out_of_range(self.name, &number))
    }
}

fn out_of_range<E: de::Error>(name: &str, number: &dyn fmt::Display) -> E {
    E::custom(format_args!("{number} does not fit the 32 bits of {name}"))
}
