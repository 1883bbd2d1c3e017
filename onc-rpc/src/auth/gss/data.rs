//! Protected bodies (RFC 2203, sections 5.3.2.2 and 5.3.2.3): arguments and results with a sequence
//! number in front, signed or encrypted.

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::serde::{
    DeserializeXdr, Fields, Reader, Serialize, SerializeStruct, SerializeXdr, Serializer, Value,
};
use nfswire_xdr::{
    Chunk, Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, Field, Message,
    Opaque, Payload, Piece, Probe, Scattered, Source, Wire, plan, xdr_struct,
};
use thiserror::Error;

use super::{
    Qop, SecurityContext, SecurityError, Service,
    security::{mic, verify},
};

xdr_struct! {
    /// A body that is signed.
    ///
    /// The body is a [`Payload`] so that it can be sent from where it lies. Over RDMA it must stay
    /// in the message all the same: chunks are not for protected bodies.
    "rpc_gss_integ_data" => pub struct IntegData<'a> {
        /// A [`Data`] in its encoded form.
        "databody_integ" => pub body: Payload<'a>,
        /// Checksum of these bytes, without length and pad.
        pub checksum: Opaque<'a>,
    }
}

xdr_struct! {
    /// A body that is encrypted.
    "rpc_gss_priv_data" => pub struct PrivData<'a> {
        /// What `GSS_Wrap` made of the encoded form of a [`Data`].
        "databody_priv" => pub body: Payload<'a>,
    }
}

/// What a protected body holds (RFC 2203, section 5.3.2.2): encode it with a `T` or a `&T`, make one
/// message of slices of it with [`gather`], and give that to [`protect`].
#[doc(alias = "rpc_gss_data_t")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<T> {
    /// Sequence number of the call's credential, in calls and in replies.
    pub seq_num: u32,
    /// The procedure's arguments or results.
    #[doc(alias = "arg")]
    pub value: T,
}

impl<T: Wire> Wire for Data<T> {
    const MIN_LEN: u32 = T::MIN_LEN.saturating_add(4);
    const MAX_LEN: u32 = T::MAX_LEN.saturating_add(4);
}

// By hand: the macros know no type parameters.
impl<'a, T: Decode<'a>> Decode<'a> for Data<T> {
    #[inline]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        c.with(|c| Some(Self { seq_num: c.word()?, value: T::decode(c)? }))
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        plan::check_fields(
            p,
            const {
                &[
                    (Field::new("rpc_gss_data_t", "seq_num"), <u32 as Decode<'a>>::check),
                    (Field::new("rpc_gss_data_t", "arg"), <T as Decode<'a>>::check),
                ]
            },
        )
    }

    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self { seq_num: u32::arbitrary_value(u)?, value: T::arbitrary_value(u)? })
    }
}

impl<'p, T: Encode<'p>> Encode<'p> for Data<T> {
    const INLINE: bool = T::INLINE;
    const TAIL: bool = T::TAIL;
    const LONG: bool = T::LONG;

    #[inline]
    fn encoded_len(&self) -> u64 {
        self.value.encoded_len().saturating_add(4)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.value.write(self.seq_num.write(w)?)
    }

    #[inline]
    fn tail(&self) -> Option<&Payload<'p>> {
        self.value.tail()
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        e.word(self.seq_num)?;
        self.value.encode(e)
    }
}

#[cfg(feature = "alloc")]
impl<T: Rebind> Rebind for Data<T> {
    type At<'a> = Data<T::At<'a>>;
}

#[cfg(feature = "arbitrary")]
impl<'a, T: Decode<'a>> Arbitrary<'a> for Data<T> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

#[cfg(feature = "serde")]
impl<T: SerializeXdr> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl<T: SerializeXdr> SerializeXdr for Data<T> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("rpc_gss_data_t", 2)?;
        fields.serialize_field("seq_num", &self.seq_num)?;
        fields.serialize_field("arg", &Value(&self.value))?;
        fields.end()
    }
}

#[cfg(feature = "serde")]
impl<T: DeserializeXdr> Fields for Data<T> {
    const NAME: &'static str = "rpc_gss_data_t";
    const FIELDS: &'static [&'static str] = &["seq_num", "arg"];

    fn fields<'r, R: Reader<'r>>(reader: &mut R) -> Result<(), R::Error> {
        reader.field::<u32>("seq_num")?;
        reader.field::<T>("arg")
    }
}

/// How a body is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "RPCSEC_GSS has no more")]
pub enum Protection {
    /// Signed: [`IntegData`].
    Integrity,
    /// Encrypted: [`PrivData`].
    Privacy,
}

/// A wrapped body, to be put behind the header of a call or reply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "RPCSEC_GSS has no more")]
pub enum Protected<'a> {
    /// Signed.
    Integrity(IntegData<'a>),
    /// Encrypted.
    Privacy(PrivData<'a>),
}

impl Wire for Protected<'_> {
    const MIN_LEN: u32 = PrivData::MIN_LEN;
    const MAX_LEN: u32 = u32::MAX;
}

// By hand: no discriminant travels, the service says which it is.
impl<'p> Encode<'p> for Protected<'p> {
    const INLINE: bool = false;
    const TAIL: bool = false;

    fn encoded_len(&self) -> u64 {
        match self {
            Self::Integrity(data) => data.encoded_len(),
            Self::Privacy(data) => data.encoded_len(),
        }
    }

    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        match self {
            Self::Integrity(data) => data.write(w),
            Self::Privacy(data) => data.write(w),
        }
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        match self {
            Self::Integrity(data) => data.encode(e),
            Self::Privacy(data) => data.encode(e),
        }
    }
}

/// Why a body could not be wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtectError {
    /// A payload is a range of a file: its bytes must be read before they can be signed.
    #[error("a payload is a range of a file: read it into memory, its bytes must be signed")]
    File,
    /// More pieces than the caller lent places for.
    #[error("the message has {needed} pieces: lend that many places")]
    Pieces {
        /// [`Message::count`].
        needed: usize,
    },
    /// The security context failed.
    #[error("the body could not be protected: {0}")]
    Security(#[from] SecurityError),
}

/// The pieces of an encoded message, payloads where they lie, as one value to be signed. `pieces`
/// must have [`Message::count`] places.
///
/// # Errors
/// Too few places, or a payload without bytes in memory.
pub fn gather<'b, 'x: 'b>(
    message: &Message<'x, '_>,
    pieces: &'b mut [Piece<'x>],
) -> Result<Scattered<'b>, ProtectError> {
    let needed = message.count();
    let places = pieces.get_mut(..needed).ok_or(ProtectError::Pieces { needed })?;
    for (place, chunk) in places.iter_mut().zip(message.iter()) {
        let Chunk::Bytes(bytes) = chunk else { return Err(ProtectError::File) };
        *place = Piece::Here(bytes);
    }
    // Pieces that are all here lack only a length that a word can say.
    Scattered::new(places).ok_or(ProtectError::Security(SecurityError::FAILURE))
}

/// Wraps `body`, the encoded form of a [`Data`]. For integrity, `out` takes the checksum, and the
/// body stays where it is; for privacy, `out` takes the encrypted body.
///
/// When it fails for the results of a call, no reply is sent at all (RFC 2203, section 5.3.3.4):
/// [`Refusal::ReplyBody`](super::Refusal::ReplyBody).
///
/// # Errors
/// Those of [`SecurityContext::get_mic`] and [`SecurityContext::wrap`].
pub fn protect<'p>(
    protection: Protection,
    body: Scattered<'p>,
    qop: Qop,
    security: &(impl SecurityContext + ?Sized),
    out: &'p mut [u8],
) -> Result<Protected<'p>, SecurityError> {
    match protection {
        Protection::Integrity => {
            let checksum = Opaque::new(mic(&body, qop, security, out)?);
            let checksum = checksum.ok_or(SecurityError::FAILURE)?;
            Ok(Protected::Integrity(IntegData { body: body.into(), checksum }))
        }
        Protection::Privacy => {
            let len = security.wrap(qop, &body, out)?;
            let token = out.get(..len).and_then(Payload::borrowed);
            Ok(Protected::Privacy(PrivData { body: token.ok_or(SecurityError::FAILURE)? }))
        }
    }
}

/// Why a body is not what its service promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// Cut off or malformed. Offsets within the wrapping count from the start of the message, those
    /// within the wrapped bytes from their start.
    #[error("the protected body is malformed: {0}")]
    Malformed(#[from] DecodeError),
    /// The sequence number within is not the credential's: the body belongs to another call.
    #[error("the body is for sequence number {body}, the credential for {credential}")]
    SequenceNumber {
        /// The number in the body.
        body: u32,
        /// The number in the credential.
        credential: u32,
    },
    /// The checksum is wrong, or the body could not be decrypted.
    #[error("the body could not be verified: {0}")]
    Security(#[from] SecurityError),
    /// Header and body are protected differently.
    #[error("the quality of protection is {} for the body, {} for the header", body.0, header.0)]
    Qop {
        /// That of the body.
        body: Qop,
        /// That of the verifier.
        header: Qop,
    },
    /// The body was to be encrypted, and is only signed.
    #[error("the body is signed but not encrypted, although its service is privacy")]
    NotEncrypted,
}

impl BodyError {
    /// Whether nothing is wrong with the body, but with what the caller brought along: bytes that
    /// are still to be received, or more memory.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        matches!(
            self,
            Self::Malformed(DecodeError { kind: ErrorKind::NotHere { .. }, .. })
                | Self::Security(SecurityError::NoSpace { .. })
        )
    }
}

/// Unwraps the arguments or results behind a header: gives a cursor at the procedure's own, with the
/// limits of `c`. Its offsets count from the start of the wrapped bytes if they were wrapped.
///
/// Integrity leaves the bytes where they are. Privacy decrypts them to `scratch`, which needs as many
/// bytes as are left in `c`; the other services leave it alone. `qop` is what the header was found
/// to be signed with.
///
/// # Errors
/// The body is not whole, not genuine, or belongs to another call.
pub fn unprotect<'a>(
    service: Service,
    seq_num: u32,
    qop: Qop,
    mut c: Cursor<'a>,
    security: &(impl SecurityContext + ?Sized),
    scratch: &'a mut [u8],
) -> Result<Cursor<'a>, BodyError> {
    let (body, found) = match service.protection() {
        None => return Ok(c),
        Some(Protection::Integrity) => {
            let at = c;
            let IntegData { body, checksum } = c.decode()?;
            c.finish()?;
            let body = at_hand(body, at)?;
            (body, verify(&[Piece::Here(body)], checksum.as_bytes(), security)?)
        }
        Some(Protection::Privacy) => {
            let at = c;
            let PrivData { body } = c.decode()?;
            c.finish()?;
            let unwrapped = security.unwrap(at_hand(body, at)?, scratch)?;
            if !unwrapped.encrypted {
                return Err(BodyError::NotEncrypted);
            }
            let body = scratch.get(..unwrapped.len).ok_or(SecurityError::FAILURE)?;
            (body, unwrapped.qop)
        }
    };
    if found != qop {
        return Err(BodyError::Qop { body: found, header: qop });
    }
    let mut c = Cursor::with(body, c.limits());
    let within: u32 = c.decode()?;
    if within != seq_num {
        return Err(BodyError::SequenceNumber { body: within, credential: seq_num });
    }
    Ok(c)
}

/// The bytes of a body that must be here, all of them, to be verified.
fn at_hand<'a>(body: Payload<'a>, at: Cursor<'a>) -> Result<&'a [u8], DecodeError> {
    match body {
        Payload::Borrowed(bytes) => Ok(bytes),
        other => {
            let here = u32::try_from(at.rest().len()).unwrap_or(u32::MAX);
            let offset = u32::try_from(at.position()).unwrap_or(u32::MAX);
            let kind = ErrorKind::NotHere { needed: other.len(), here };
            Err(DecodeError { kind, offset, field: None })
        }
    }
}
