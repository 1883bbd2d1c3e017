//! What peers tell each other when they connect: the private data of the connection manager (RFC
//! 8797).
//!
//! ```
//! use nfswire_rdma::cm::PrivateData;
//!
//! let ours = PrivateData::new(8192, 4096, true).unwrap();
//! // What came with the connection; without private data of this kind, the defaults hold.
//! let theirs = PrivateData::find(b"\xf6\xab\x0e\x18\x01\x00\x00\x03").unwrap_or_default();
//! assert_eq!(ours.send_threshold(&theirs), 4096);
//! assert_eq!(theirs.send_threshold(&ours), 1024);
//! assert!(!ours.may_invalidate(&theirs));
//! ```

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::serde::{DeserializeXdr, Deserializer, Out, Serialize, SerializeXdr, Serializer};
use nfswire_xdr::{Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Probe, Wire};
use thiserror::Error;

/// First word of private data that is meant for RPC-over-RDMA (RFC 8797, section 4).
pub const FORMAT_IDENTIFIER: u32 = 0xf6ab_0e18;

/// Version of the format (RFC 8797, section 4).
pub const FORMAT_VERSION: u8 = 1;

/// The bit of the flags that says that the sender supports remote invalidation (RFC 8797, section
/// 4.1).
pub const REMOTE_INVALIDATION: u8 = 1;

/// Length of the private data in bytes.
pub const LEN: usize = 8;

/// Octet offsets of the fields (RFC 8797, section 4).
pub mod offset {
    /// Format identifier, four octets.
    pub const FORMAT_IDENTIFIER: usize = 0;
    /// Version of the format.
    pub const VERSION: usize = 4;
    /// Flags: seven reserved bits, and remote invalidation.
    pub const FLAGS: usize = 5;
    /// Send size.
    pub const SEND_SIZE: usize = 6;
    /// Receive size.
    pub const RECEIVE_SIZE: usize = 7;
}

/// Length of the IP header with which the connection manager's private data of a connect request
/// begins on InfiniBand and RoCE (InfiniBand architecture, annex A11). Interfaces for programs leave
/// it out; recorded packets have it. Accepting messages have none.
pub const IP_CM_HEADER_LEN: usize = 36;

/// Unit of the sizes, and the least size, in bytes.
const UNIT: u32 = 1024;

/// Why bytes are not private data of RPC-over-RDMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CmError {
    /// Fewer bytes than the format has.
    #[error("{len} bytes are no private data of RPC-over-RDMA, which has 8")]
    Length {
        /// Bytes that there are.
        len: usize,
    },
    /// The first word is another: the data is meant for another protocol.
    #[error("private data of format {0:#010x}, which is not RPC-over-RDMA's: use the defaults")]
    Identifier(u32),
    /// A version of the format that is not known.
    #[error("version {0} of the private data is not known: use the defaults")]
    Version(u8),
}

/// What an endpoint can do. Sizes are whole KiB from 1 KiB to 256 KiB. The default is what holds for
/// a peer that sends no private data: 1024 bytes in both directions, no remote invalidation (RFC
/// 8797, section 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(alias = "rpcrdma_cm_private_data")]
pub struct PrivateData {
    remote_invalidation: bool,
    send: u8,
    receive: u8,
}

/// A size as it is sent: KiB beyond the first.
fn encoded(bytes: u32) -> Option<u8> {
    let beyond = (bytes / UNIT).checked_sub(1)?;
    Some(u8::try_from(beyond).unwrap_or(u8::MAX))
}

const fn decoded(size: u8) -> u32 {
    (size as u32).saturating_add(1).saturating_mul(UNIT)
}

impl PrivateData {
    /// An endpoint that sends and receives messages of up to so many bytes. Sizes are rounded down to
    /// KiB, and to 256 KiB; `None` if one is below 1024, which every endpoint must support (RFC 8166,
    /// section 3.3.3).
    #[must_use]
    pub fn new(send: u32, receive: u32, remote_invalidation: bool) -> Option<Self> {
        Some(Self { remote_invalidation, send: encoded(send)?, receive: encoded(receive)? })
    }

    /// Longest message that it sends, in bytes.
    #[must_use]
    pub const fn send_size(&self) -> u32 {
        decoded(self.send)
    }

    /// Longest message that it receives, in bytes.
    #[must_use]
    pub const fn receive_size(&self) -> u32 {
        decoded(self.receive)
    }

    /// Whether it supports remote invalidation.
    #[must_use]
    pub const fn remote_invalidation(&self) -> bool {
        self.remote_invalidation
    }

    /// Longest message from this endpoint to `peer`, in bytes, header included: the inline threshold
    /// of this direction (RFC 8797, section 4.2). It holds for calls and replies alike.
    #[must_use]
    pub fn send_threshold(&self, peer: &Self) -> u32 {
        self.send_size().min(peer.receive_size())
    }

    /// Whether replies may be sent with remote invalidation: both must support it (RFC 8797, section
    /// 4.1).
    #[must_use]
    pub const fn may_invalidate(&self, peer: &Self) -> bool {
        self.remote_invalidation && peer.remote_invalidation
    }

    /// The bytes to be sent.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; LEN] {
        let [a, b, c, d] = FORMAT_IDENTIFIER.to_be_bytes();
        let flags = if self.remote_invalidation { REMOTE_INVALIDATION } else { 0 };
        [a, b, c, d, FORMAT_VERSION, flags, self.send, self.receive]
    }

    /// Reads the bytes that `private` begins with; others may follow, as private data is sent in
    /// fields of fixed length. Reserved bits are ignored.
    ///
    /// # Errors
    /// [`CmError`] if they are another protocol's, or of another version.
    pub fn from_prefix(private: &[u8]) -> Result<Self, CmError> {
        let Some(bytes) = private.first_chunk::<LEN>() else {
            return Err(CmError::Length { len: private.len() });
        };
        let [a, b, c, d, version, flags, send, receive] = *bytes;
        match u32::from_be_bytes([a, b, c, d]) {
            FORMAT_IDENTIFIER if version == FORMAT_VERSION => {}
            FORMAT_IDENTIFIER => return Err(CmError::Version(version)),
            other => return Err(CmError::Identifier(other)),
        }
        Ok(Self { remote_invalidation: flags & REMOTE_INVALIDATION != 0, send, receive })
    }

    /// Searches the private data of a connection for ours, which other layers may have put
    /// something before (RFC 8797, section 5.2). `None` means: use the defaults.
    #[must_use]
    pub fn find(private: &[u8]) -> Option<Self> {
        private.windows(LEN).find_map(|window| Self::from_prefix(window).ok())
    }

    /// Reads the private data of a recorded connect request, which stands behind the IP header of
    /// the connection manager. The addresses in that header are not mistaken for ours.
    #[must_use]
    pub fn find_in_request(private: &[u8]) -> Option<Self> {
        Self::find(private.get(IP_CM_HEADER_LEN..)?)
    }

    /// Writes the private data into that of a connect request, behind the IP header of the
    /// connection manager, which is the caller's to write.
    ///
    /// # Errors
    /// [`EncodeError::NoSpace`] if there is no room for it.
    pub fn put_in_request(&self, private: &mut [u8]) -> Result<(), EncodeError> {
        let end = IP_CM_HEADER_LEN.saturating_add(LEN);
        let missing = end.saturating_sub(private.len()) as u64;
        let to = private
            .get_mut(IP_CM_HEADER_LEN..)
            .and_then(<[u8]>::first_chunk_mut)
            .ok_or(EncodeError::NoSpace { missing })?;
        *to = self.to_bytes();
        Ok(())
    }
}

// The eight bytes are no XDR, but they can stand where XDR types can: in tools, and in tests.

impl Wire for PrivateData {
    const MIN_LEN: u32 = 8;
    const MAX_LEN: u32 = 8;
    const FIXED: bool = true;
}

impl<'a> Decode<'a> for PrivateData {
    #[inline]
    fn from_block(block: &[u8], _: bool) -> Option<Self> {
        Self::from_prefix(block).ok()
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        let at = p.position();
        let identifier = p.word()?;
        if identifier != FORMAT_IDENTIFIER {
            return Err(p.error_at(ErrorKind::Enum(identifier), at));
        }
        let at = p.position();
        let [version, ..] = p.word()?.to_be_bytes();
        if version != FORMAT_VERSION {
            return Err(p.error_at(ErrorKind::Enum(version.into()), at));
        }
        Ok(())
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let (remote_invalidation, send, receive) = u.arbitrary()?;
        Ok(Self { remote_invalidation, send, receive })
    }
}

impl<'p> Encode<'p> for PrivateData {
    #[inline]
    fn encoded_len(&self) -> u64 {
        LEN as u64
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        let (to, rest) = w.split_first_chunk_mut()?;
        *to = self.to_bytes();
        Some(rest)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.to_bytes().encode(e)
    }
}

#[cfg(feature = "alloc")]
impl Rebind for PrivateData {
    type At<'a> = Self;
}

#[cfg(feature = "arbitrary")]
impl<'a> Arbitrary<'a> for PrivateData {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

/// The eight bytes, in hexadecimal digits where the format is for people.
#[cfg(feature = "serde")]
impl Serialize for PrivateData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl SerializeXdr for PrivateData {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_bytes().serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl DeserializeXdr for PrivateData {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        <[u8; LEN]>::deserialize_xdr(deserializer, out)
    }
}
