//! Values that own their bytes.

use alloc::{boxed::Box, vec::Vec};
use core::{fmt, hash, marker::PhantomData};

use crate::{
    bounded::BoundedPayload,
    cursor::{Cursor, from_bytes},
    encoder::Encoder,
    error::{DecodeError, EncodeError},
    limits::Limits,
    list::List,
    opaque::{Opaque, Text},
    payload::Payload,
    primitive::{Double, Float},
    segment::Segments,
    wire::{Decode, Encode},
};

/// A wire type apart from the lifetime of what it borrows: `File<'static>` and any other `File<'_>`
/// have the same `At`.
///
/// The declaration macros implement it. For a hand-written type it is one line:
/// `impl Rebind for Name<'_> { type At<'a> = Name<'a>; }`.
pub trait Rebind {
    /// The type that borrows for `'a`.
    type At<'a>: Decode<'a> + Encode<'a> + Clone + fmt::Debug + 'a;
}

/// A value in its owned form: its bytes on the wire, and its type.
///
/// It outlives the message it came from, so that it can wait in a queue, be the key or the content
/// of a cache, or go to another thread. [`get`](Self::get) gives the value back, borrowing from it.
/// Equality and hash are those of the bytes, `Debug` prints the value.
///
/// ```
/// use nfswire_xdr::{Opaque, Owned, Text, xdr_struct};
///
/// xdr_struct! {
///     /// A file with its name.
///     "file" => pub struct File<'a> {
///         /// Name.
///         pub name: Text<'a, 255>,
///         /// Content.
///         pub data: Opaque<'a, 65535>,
///     }
/// }
///
/// let owned = {
///     let name = String::from("motd");
///     let file =
///         File { name: Text::new(name.as_bytes()).unwrap(), data: Opaque::new(b"hi").unwrap() };
///     Owned::<File<'_>>::new(&file)?
/// };
/// assert_eq!(owned.get()?.name.as_bytes(), b"motd");
/// assert_eq!(format!("{owned:?}"), r#"File { name: "motd", data: 6869 }"#);
///
/// let again = Owned::<File<'_>>::from_wire(owned.as_bytes().to_vec())?;
/// assert_eq!(again, owned);
/// let error = Owned::<File<'_>>::from_wire(vec![0, 0, 0, 9]).unwrap_err();
/// assert_eq!(error.to_string(), "file.name at byte 4: need 9 bytes, 0 left");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Owned<T> {
    bytes: Box<[u8]>,
    _type: PhantomData<fn() -> T>,
}

impl<T: Rebind> Owned<T> {
    /// Copies a value, payloads included. The type must be named, `Owned::<File<'_>>::new(&file)` or
    /// by what it is assigned to: from a value that borrows it cannot be inferred.
    ///
    /// # Errors
    /// [`EncodeError::NotHere`] if a payload is a range of a file or lies elsewhere, otherwise those
    /// of [`Encoder::put`].
    pub fn new(value: &T::At<'_>) -> Result<Self, EncodeError> {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments).copy_break(u32::MAX);
        e.put(value)?;
        e.finish();
        let bytes = segments.view(&head).to_vec().map_err(|_| EncodeError::NotHere)?;
        Ok(Self::checked(bytes))
    }

    /// Takes the bytes of a value, and checks them in strict policy.
    ///
    /// # Errors
    /// The first fault in the bytes.
    pub fn from_wire(bytes: impl Into<Box<[u8]>>) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        from_bytes::<T::At<'_>>(&bytes)?;
        Ok(Self::checked(bytes))
    }

    /// The value. It is decoded anew each time.
    ///
    /// # Errors
    /// None for a value that was checked or encoded, unless a hand-written type does not decode what
    /// it encodes.
    pub fn get(&self) -> Result<T::At<'_>, DecodeError> {
        let mut c = Cursor::with(&self.bytes, &Limits::CHECKED);
        let value = c.decode()?;
        c.finish()?;
        Ok(value)
    }
}

impl<T> Owned<T> {
    fn checked(bytes: impl Into<Box<[u8]>>) -> Self {
        Self { bytes: bytes.into(), _type: PhantomData }
    }

    /// The bytes on the wire.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes on the wire.
    #[must_use]
    pub fn into_bytes(self) -> Box<[u8]> {
        self.bytes
    }
}

impl<T> Clone for Owned<T> {
    fn clone(&self) -> Self {
        Self::checked(self.bytes.clone())
    }
}

impl<T> PartialEq for Owned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T> Eq for Owned<T> {}

impl<T> hash::Hash for Owned<T> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl<T: Rebind> fmt::Debug for Owned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Ok(value) => value.fmt(f),
            Err(error) => f.debug_tuple("Owned").field(&error).finish(),
        }
    }
}

macro_rules! itself {
    ($($t:ty),*) => {$(
        impl Rebind for $t {
            type At<'a> = $t;
        }
    )*};
}

itself!(u32, i32, u64, i64, f32, f64, bool, (), Float, Double);

impl<const N: usize> Rebind for [u8; N] {
    type At<'a> = [u8; N];
}

impl<T: Rebind, const N: usize> Rebind for [T; N]
where
    for<'a> T::At<'a>: Copy + Default,
{
    type At<'a> = [T::At<'a>; N];
}

impl<T: Rebind> Rebind for Option<T> {
    type At<'a> = Option<T::At<'a>>;
}

impl<const MAX: u32> Rebind for Opaque<'_, MAX> {
    type At<'a> = Opaque<'a, MAX>;
}

impl<const MAX: u32> Rebind for Text<'_, MAX> {
    type At<'a> = Text<'a, MAX>;
}

impl<const MAX: u32> Rebind for BoundedPayload<'_, MAX> {
    type At<'a> = BoundedPayload<'a, MAX>;
}

impl Rebind for Payload<'_> {
    type At<'a> = Payload<'a>;
}

impl<T: Rebind, const LINKED: bool, const MAX: u32> Rebind for List<'_, T, LINKED, MAX> {
    type At<'a> = List<'a, T::At<'a>, LINKED, MAX>;
}
