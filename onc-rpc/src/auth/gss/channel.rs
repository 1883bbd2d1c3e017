//! Channel bindings of version 2 (RFC 5403, section 3.3): what the verifiers of
//! [`BindChannel`](super::ControlProcedure::BindChannel) hold, and what their checksums are over.

use nfswire_xdr::{Array, Cursor, DecodeError, Limits, Opaque, xdr_enum, xdr_struct, xdr_union};

use crate::{AuthFlavor, OpaqueAuth};

/// Prefix of a kind of channel bindings (RFC 5056) without its colon, such as `tls-exporter`.
#[doc(alias = "rgss2_chan_pref")]
pub type ChannelPrefix<'a> = Opaque<'a>;

/// An object identifier in ASN.1 DER, as the GSS-API writes the number of a mechanism.
#[doc(alias = "rgss2_oid")]
pub type Oid<'a> = Opaque<'a>;

xdr_struct! {
    /// What follows the call header in the bytes that
    /// [`BindChannelVerifier::mic`] is over. It never travels.
    #[derive(Copy)]
    "rgss2_bind_chan_MIC_in_args" => pub struct BindChannelMicInArgs<'a> {
        /// Hash of the channel bindings, prefix and colon included.
        "rbcmia_bind_chan_hash" => pub bind_channel_hash: Opaque<'a>,
    }
}

xdr_struct! {
    /// Body of the call's verifier, in place of a bare checksum.
    #[derive(Copy)]
    "rgss2_bind_chan_verf_args" => pub struct BindChannelVerifier<'a> {
        /// Which bindings the client has hashed.
        "rbcva_chan_bind_prefix" => pub prefix: ChannelPrefix<'a>,
        /// How it has hashed them.
        "rbcva_chan_bind_oid_hash" => pub hash_oid: Oid<'a>,
        /// Checksum of the call header, up to and including the credential, and of a
        /// [`BindChannelMicInArgs`].
        "rbcva_chan_mic" => pub mic: Opaque<'a>,
    }
}

impl<'a> BindChannelVerifier<'a> {
    /// Writes the body into `buffer` and makes the verifier from it, or `None` if it is longer than
    /// 400 bytes.
    #[must_use]
    pub fn to_auth<'b>(
        &self,
        buffer: &'b mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Option<OpaqueAuth<'b>> {
        OpaqueAuth::holding(AuthFlavor::GSS, self, buffer)
    }

    /// Reads the body of a verifier.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the body.
    pub fn from_auth(auth: &OpaqueAuth<'a>, limits: &'a Limits) -> Result<Self, DecodeError> {
        let mut c = Cursor::with(auth.body.as_bytes(), limits);
        let value = c.decode()?;
        c.finish()?;
        Ok(value)
    }
}

xdr_enum! {
    /// Whether the server could use the bindings.
    "rgss2_bind_chan_status" => pub enum BindChannelStatus {
        /// The context is bound.
        "RGSS2_BIND_CHAN_OK" Ok = 0,
        /// The server does not support the prefix.
        "RGSS2_BIND_CHAN_PREF_NOTSUPP" PrefixNotSupported = 1,
        /// The server does not support the hash.
        "RGSS2_BIND_CHAN_HASH_NOTSUPP" HashNotSupported = 2,
    }
}

xdr_union! {
    /// Outcome of a binding.
    #[derive(Copy)]
    "rgss2_bind_chan_res" => pub enum BindChannelReply<'a> switch (status: BindChannelStatus) {
        /// The context is bound.
        case BindChannelStatus::Ok => Ok,
        /// These prefixes are supported.
        case BindChannelStatus::PrefixNotSupported => PrefixNotSupported(Array<'a, ChannelPrefix<'a>>),
        /// These hashes are supported: one or more.
        case BindChannelStatus::HashNotSupported => HashNotSupported(Array<'a, Oid<'a>>),
    }
}

xdr_struct! {
    /// What [`BindChannelVerifierReply::mic`] is over. It never travels.
    #[derive(Copy)]
    "rgss2_bind_chan_MIC_in_res" => pub struct BindChannelMicInReply<'a> {
        /// Sequence number of the call's credential.
        "rbcmr_seq_num" => pub seq_num: u32,
        /// Hash of the channel bindings: by the call's hash if it is supported, else by the first
        /// that is.
        "rbcmr_bind_chan_hash" => pub bind_channel_hash: Opaque<'a>,
        /// The same as in the verifier.
        "rbcmr_res" => pub reply: BindChannelReply<'a>,
    }
}

xdr_struct! {
    /// Body of the reply's verifier.
    #[derive(Copy)]
    "rgss2_bind_chan_verf_res" => pub struct BindChannelVerifierReply<'a> {
        /// Outcome.
        "rbcvr_res" => pub reply: BindChannelReply<'a>,
        /// Checksum of a [`BindChannelMicInReply`].
        "rbcvr_mic" => pub mic: Opaque<'a>,
    }
}

impl<'a> BindChannelVerifierReply<'a> {
    /// Writes the body into `buffer` and makes the verifier from it, or `None` if it is longer than
    /// 400 bytes: list fewer alternatives then.
    #[must_use]
    pub fn to_auth<'b>(
        &self,
        buffer: &'b mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Option<OpaqueAuth<'b>> {
        OpaqueAuth::holding(AuthFlavor::GSS, self, buffer)
    }

    /// Reads the body of a verifier.
    ///
    /// # Errors
    /// The first fault; its offset counts from the start of the body.
    pub fn from_auth(auth: &OpaqueAuth<'a>, limits: &'a Limits) -> Result<Self, DecodeError> {
        let mut c = Cursor::with(auth.body.as_bytes(), limits);
        let value = c.decode()?;
        c.finish()?;
        Ok(value)
    }
}
