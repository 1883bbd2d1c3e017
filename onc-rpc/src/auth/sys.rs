//! AUTH_SYS: user and group numbers (RFC 5531, appendix A).

use core::ops::Deref;

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::{
    Array,
    serde::{DeserializeXdr, Deserializer, Out, Serialize, SerializeXdr, Serializer},
};
use nfswire_xdr::{
    Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Limits, Opaque, Probe,
    Source, Text, Wire, from_bytes, xdr_struct,
};
use thiserror::Error;

use super::{AuthFlavor, OpaqueAuth};

/// A user is in more groups than an AUTH_SYS credential can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{groups} supplementary groups do not fit an AUTH_SYS credential (at most 16): leave some out \
     with Groups::truncated, or let the server look the groups up"
)]
pub struct TooManyGroups {
    /// Number of groups given.
    pub groups: usize,
}

/// Supplementary groups of an [`AuthSys`]: at most 16, held inline.
#[doc(alias = "gids")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Groups {
    len: u8,
    /// Behind `len` always zero, so that equality is that of the groups.
    ids: [u32; Self::MAX],
}

impl Groups {
    /// Most groups of a credential.
    pub const MAX: usize = 16;
    const MAX_WIRE: u32 = 16;

    /// Takes the groups given.
    ///
    /// # Errors
    /// More than 16.
    pub fn new(ids: &[u32]) -> Result<Self, TooManyGroups> {
        if ids.len() > Self::MAX {
            return Err(TooManyGroups { groups: ids.len() });
        }
        Ok(Self::truncated(ids))
    }

    /// Takes the first 16 of the groups given and leaves out the others: the user loses the rights
    /// of these, on purpose.
    #[must_use]
    pub fn truncated(ids: &[u32]) -> Self {
        let mut groups = Self::default();
        for (slot, id) in groups.ids.iter_mut().zip(ids) {
            *slot = *id;
            groups.len = groups.len.saturating_add(1);
        }
        groups
    }

    /// The groups.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        self.ids.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl Deref for Groups {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.as_slice()
    }
}

impl Wire for Groups {
    const MIN_LEN: u32 = 4;
    const MAX_LEN: u32 = 4 + 4 * Self::MAX_WIRE;
}

// By hand: the count is bounded by 16, and the numbers are wanted in place, not behind an iterator.
impl<'a> Decode<'a> for Groups {
    #[inline]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let count = c.word()?;
        if count > Self::MAX_WIRE {
            return None;
        }
        let block = c.block(usize::try_from(count.checked_mul(4)?).ok()?)?;
        let mut groups = Self { len: u8::try_from(count).ok()?, ..Self::default() };
        for (slot, word) in groups.ids.iter_mut().zip(block.as_chunks().0) {
            *slot = u32::from_be_bytes(*word);
        }
        Some(groups)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        let at = p.position();
        let count = p.word()?;
        if count > Self::MAX_WIRE {
            return Err(p.error_at(ErrorKind::TooMany { count, limit: Self::MAX_WIRE }, at));
        }
        p.skip(u64::from(count).saturating_mul(4))
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let count = u.int_in_range(0..=Self::MAX)?;
        let ids: [u32; Self::MAX] = u.arbitrary()?;
        Ok(Self::truncated(ids.get(..count).unwrap_or_default()))
    }
}

impl<'p> Encode<'p> for Groups {
    fn encoded_len(&self) -> u64 {
        u64::from(self.len).saturating_mul(4).saturating_add(4)
    }

    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let mut w = u32::from(self.len).write(w)?;
        for id in self.as_slice() {
            w = id.write(w)?;
        }
        Some(w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        u32::from(self.len).encode(e)?;
        self.as_slice().iter().try_for_each(|id| id.encode(e))
    }
}

#[cfg(feature = "alloc")]
impl Rebind for Groups {
    type At<'a> = Self;
}

#[cfg(feature = "arbitrary")]
impl<'a> Arbitrary<'a> for Groups {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

#[cfg(feature = "serde")]
impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl SerializeXdr for Groups {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Array::<'_, u32>::from_slice(self).unwrap_or_default().serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl DeserializeXdr for Groups {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        Array::<'_, u32, { Self::MAX_WIRE }>::deserialize_xdr(deserializer, out)
    }
}

const MAX_BODY: usize = 340;

xdr_struct! {
    /// Body of an AUTH_SYS credential (RFC 5531, appendix A): what the client says about its user.
    #[derive(Copy)]
    "authsys_parms" => pub struct AuthSys<'a> {
        /// Arbitrary number of the client's.
        pub stamp: u32,
        /// Name of the client's machine, at most 255 bytes.
        "machinename" => pub machine_name: Text<'a, 255>,
        /// Effective user.
        pub uid: u32,
        /// Effective group.
        pub gid: u32,
        /// Supplementary groups, at most 16.
        pub gids: Groups,
    }
}

impl<'a> AuthSys<'a> {
    /// Longest body, in bytes.
    pub const MAX_BODY: usize = MAX_BODY;

    /// Reads the body of a credential of flavor [`AuthFlavor::SYS`]. The body's length must be that
    /// of what is inside.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the body.
    #[inline]
    pub fn from_auth(auth: &OpaqueAuth<'a>) -> Result<Self, DecodeError> {
        from_bytes(auth.body.as_bytes())
    }

    /// The same within `limits`: under [`Policy::Lenient`](nfswire_xdr::Policy::Lenient) the pad of
    /// the machine's name need not be zero, and bytes may follow the groups.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the body.
    #[inline]
    pub fn from_auth_with(auth: &OpaqueAuth<'a>, limits: &'a Limits) -> Result<Self, DecodeError> {
        let mut c = Cursor::with(auth.body.as_bytes(), limits);
        let user = c.decode()?;
        c.finish()?;
        Ok(user)
    }

    /// Writes the body into `buffer` and makes the credential from it. A client does this once, and
    /// uses the result in all its calls.
    ///
    /// ```
    /// use nfswire_rpc::{AuthSys, Groups};
    /// use nfswire_xdr::Text;
    /// let user = AuthSys {
    ///     stamp: 0,
    ///     machine_name: Text::new(b"client1").expect("a short name"),
    ///     uid: 1000,
    ///     gid: 1000,
    ///     gids: Groups::new(&[27, 100])?,
    /// };
    /// let mut body = [0; AuthSys::MAX_BODY];
    /// let credential = user.to_auth(&mut body);
    /// assert_eq!(credential.body.len(), 36);
    /// # Ok::<(), nfswire_rpc::TooManyGroups>(())
    /// ```
    #[must_use]
    pub fn to_auth<'b>(&self, buffer: &'b mut [u8; MAX_BODY]) -> OpaqueAuth<'b> {
        let left = self.write(&mut buffer[..]).map_or(Self::MAX_BODY, |rest| rest.len());
        let body = buffer.get(..Self::MAX_BODY.saturating_sub(left)).unwrap_or_default();
        // MAX_BODY is below the 400 bytes of an opaque_auth.
        OpaqueAuth { flavor: AuthFlavor::SYS, body: Opaque::new(body).unwrap_or_default() }
    }
}

// `to_auth` cannot run out of room, and its result fits an opaque_auth.
const _: () = assert!(AuthSys::MAX_LEN as usize == AuthSys::MAX_BODY && AuthSys::MAX_BODY <= 400);
