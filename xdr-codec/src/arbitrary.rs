//! Values made of arbitrary bytes, for fuzzing and property tests (feature `arbitrary`).
//!
//! Every wire type implements [`Arbitrary`]: within its bounds, with closed enumerations and unions
//! that are what they say, so that it can be encoded. Opaque data borrows from the bytes. A list
//! borrows them too and makes its elements anew, the same ones, each time it is iterated. The crate
//! `arbitrary` needs `std`.
//!
//! ```
//! use arbitrary::{Arbitrary, Unstructured};
//! use nfswire_xdr::{Array, Encode, Owned, Text, xdr_struct};
//!
//! xdr_struct! {
//!     /// A user and its groups.
//!     "user" => pub struct User<'a> {
//!         /// Name.
//!         pub name: Text<'a, 32>,
//!         /// At most 16.
//!         pub groups: Array<'a, u32, 16>,
//!     }
//! }
//!
//! let noise: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
//! let user = User::arbitrary(&mut Unstructured::new(&noise))?;
//! assert!(user.name.len() <= 32 && user.groups.len() <= 16);
//! let owned = Owned::<User<'_>>::new(&user)?;
//! assert_eq!(owned.get()?, user);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(no_inline)]
pub use ::arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::{
    bounded::BoundedPayload,
    cursor::Cursor,
    limits::Limits,
    list::List,
    opaque::{Opaque, Text},
    payload::Payload,
    primitive::{Double, Float},
    wire::Decode,
};

/// Decodes a value from the bytes that are left: for hand-written types that say nothing better.
pub(crate) fn decode<'a, T: Decode<'a>>(u: &mut Unstructured<'a>) -> Result<T> {
    let bytes = u.peek_bytes(u.len()).unwrap_or_default();
    let mut c = Cursor::with(bytes, &Limits::STRICT);
    let value = T::decode(&mut c).ok_or(Error::IncorrectFormat)?;
    u.bytes(c.position())?;
    Ok(value)
}

/// Bytes of any number up to `most`.
pub(crate) fn bytes<'a>(u: &mut Unstructured<'a>, most: u32) -> Result<&'a [u8]> {
    let len = u.arbitrary_len::<u8>()?;
    u.bytes(len.min(usize::try_from(most).unwrap_or(usize::MAX)))
}

/// Text of at most `most` bytes: mostly UTF-8, as peers mostly send.
pub(crate) fn text<'a>(u: &mut Unstructured<'a>, most: u32) -> Result<&'a [u8]> {
    if u.ratio(1u8, 4u8)? {
        return bytes(u, most);
    }
    let text = <&'a str>::arbitrary(u)?.as_bytes();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Ok(text.get(..most).unwrap_or(text))
}

/// A value of an open registry: mostly one that has a name.
#[doc(hidden)]
pub fn open_value(u: &mut Unstructured<'_>, named: &[(&str, u32)]) -> Result<u32> {
    if named.is_empty() || u.ratio(1u8, 4u8)? {
        return u32::arbitrary(u);
    }
    u.choose(named).map(|(_, value)| *value)
}

/// A discriminant for which `has_case` is false, if one is found.
#[doc(hidden)]
pub fn other_discriminant<'a, D: Decode<'a> + Copy>(
    u: &mut Unstructured<'a>,
    has_case: fn(D) -> bool,
) -> Result<Option<D>> {
    let first = D::arbitrary_value(u)?;
    if !has_case(first) {
        return Ok(Some(first));
    }
    let words = (0u32..1024).chain([u32::MAX]);
    let mut found = words.filter_map(|word| D::from_block(&word.to_be_bytes(), false));
    Ok(found.find(|d| !has_case(*d)))
}

/// Walks the arms of a union to the one that was picked.
#[doc(hidden)]
#[derive(Debug)]
pub struct Pick(usize);

impl Pick {
    #[doc(hidden)]
    pub fn new(u: &mut Unstructured<'_>, arms: &[&str]) -> Result<Self> {
        u.choose_index(arms.len()).map(Self)
    }

    /// Whether this arm is the one, or comes behind it.
    #[doc(hidden)]
    pub const fn hit(&mut self) -> bool {
        if self.0 == 0 {
            return true;
        }
        self.0 = self.0.saturating_sub(1);
        false
    }
}

macro_rules! arbitrary {
    ($([$($gen:tt)*] $t:ty;)*) => {$(
        impl<'a, $($gen)*> Arbitrary<'a> for $t {
            fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
                <Self as Decode<'a>>::arbitrary_value(u)
            }
        }
    )*};
}

arbitrary! {
    [] Float;
    [] Double;
    [const MAX: u32] Opaque<'a, MAX>;
    [const MAX: u32] Text<'a, MAX>;
    [] Payload<'a>;
    [const MAX: u32] BoundedPayload<'a, MAX>;
    [T: Decode<'a>, const LINKED: bool, const MAX: u32] List<'a, T, LINKED, MAX>;
}

#[cfg(feature = "alloc")]
impl<'a, T: crate::Rebind> Arbitrary<'a> for crate::Owned<T> {
    /// An owned value of an arbitrary borrowed one.
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let value = <T::At<'a> as Decode<'a>>::arbitrary_value(u)?;
        Self::new(&value).map_err(|_| Error::IncorrectFormat)
    }
}
