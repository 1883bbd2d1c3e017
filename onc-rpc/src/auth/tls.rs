//! RPC-with-TLS (RFC 9289, section 4.1): asking for TLS, and offering it.

use nfswire_xdr::Opaque;

use super::{AuthFlavor, OpaqueAuth};
use crate::{AcceptedReply, ReplyBody, ReplyHeader};

const TOKEN: &[u8; 8] = b"STARTTLS";

impl OpaqueAuth<'_> {
    /// Credential of the probe for TLS: a call of procedure 0 with this and no verifier. Nothing
    /// else is sent until the reply is here: what follows it may have to be a TLS handshake.
    #[doc(alias = "AUTH_TLS")]
    pub const TLS: OpaqueAuth<'static> =
        OpaqueAuth { flavor: AuthFlavor::TLS, body: OpaqueAuth::NONE.body };

    /// Verifier of the reply to a probe, by a server that offers TLS: `AUTH_NONE`, but not empty.
    pub const STARTTLS: OpaqueAuth<'static> = OpaqueAuth {
        flavor: AuthFlavor::NONE,
        body: match Opaque::new(TOKEN) {
            Some(body) => body,
            None => unreachable!(),
        },
    };
}

impl ReplyHeader<'_> {
    /// Answers a probe: TLS is offered, and the next bytes on the connection are the handshake's.
    /// See [`Credential::Tls`](crate::Credential::Tls).
    #[must_use]
    pub const fn starttls(xid: u32) -> ReplyHeader<'static> {
        ReplyHeader::success(xid).with_verifier(OpaqueAuth::STARTTLS)
    }

    /// Whether this reply to a probe offers TLS: the client may send its `ClientHello`, even if the
    /// call failed otherwise. If it does not, the client must not.
    ///
    /// ```
    /// use nfswire_rpc::ReplyHeader;
    /// assert!(ReplyHeader::starttls(7).offers_tls());
    /// assert!(!ReplyHeader::success(7).offers_tls());
    /// ```
    #[must_use]
    pub fn offers_tls(&self) -> bool {
        match &self.body {
            ReplyBody::Accepted(AcceptedReply { verifier, .. }) => {
                *verifier == OpaqueAuth::STARTTLS
            }
            ReplyBody::Denied(_) => false,
        }
    }
}
