//! What a server does with a call (RFC 2203, section 5.3.3): one total way from its header to the
//! arguments, or to the answer.

use nfswire_xdr::{Cursor, DecodeError, Limits, Opaque, Piece};
use thiserror::Error;

use super::{
    BindChannelReply, BindChannelVerifier, BindChannelVerifierReply, BodyError, ControlProcedure,
    Credential, Qop, SecurityContext, SecurityError, SequenceError, SequenceWindow, Service,
    Version,
    data::{Protection, unprotect},
    security::{is_null, mic_auth, verify},
};
use crate::{Answer, AuthFlavor, AuthStat, CallHeader, MessageType, OpaqueAuth, ReplyHeader};

/// Bytes in front of the credential's body: six words, the flavor and the length.
const BEFORE_BODY: usize = 32;

/// The bytes of `message` that its verifier is over: from the xid up to and including the credential
/// (RFC 2203, section 5.3.1). `header` was read from the start of `message`; `None` if it was not.
#[must_use]
pub fn header_bytes<'a>(message: &'a [u8], header: &CallHeader<'_>) -> Option<&'a [u8]> {
    let body = usize::try_from(header.credential.body.len()).ok()?;
    message.get(..body.checked_next_multiple_of(4)?.checked_add(BEFORE_BODY)?)
}

/// Why a call is not served.
///
/// [`answer`](Self::answer) is total: it says for each what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The credential is of another flavor.
    #[error("the credential is of flavor {flavor}, not RPCSEC_GSS")]
    Flavor {
        /// Its flavor.
        flavor: AuthFlavor,
    },
    /// The credential's body is malformed, or its control procedure is none.
    #[error("the RPCSEC_GSS credential is malformed: {0}")]
    Malformed(DecodeError),
    /// A version of RPCSEC_GSS that nobody has defined, or that is not served.
    #[error("version {version} of RPCSEC_GSS is not served: the client should try a lower one")]
    UnknownVersion {
        /// The version.
        version: u32,
    },
    /// The context was made with another version.
    #[error("the call uses version {version} of RPCSEC_GSS, its context was made with another")]
    OtherVersion {
        /// The call's version.
        version: Version,
    },
    /// The version has no such control procedure.
    #[error("{procedure} is no control procedure of this version of RPCSEC_GSS")]
    Procedure {
        /// The control procedure.
        procedure: ControlProcedure,
    },
    /// A service that there is not, or that must not be used here.
    #[error("{service} cannot be used here")]
    Service {
        /// The service.
        service: Service,
    },
    /// A control message calls another procedure than 0.
    #[error("a control message of RPCSEC_GSS must call procedure 0, not {procedure}")]
    NotNull {
        /// Procedure of the call header.
        procedure: u32,
    },
    /// The first creation request has a handle.
    #[error("RPCSEC_GSS_INIT must have an empty handle")]
    Handle,
    /// The verifier is of the wrong flavor, or malformed.
    #[error("the verifier must be of flavor {expected}, well-formed")]
    Verifier {
        /// The flavor it must have.
        expected: AuthFlavor,
    },
    /// The server has no such context, or has it no more.
    #[error("the handle names no context: the client must set up a new one")]
    NoContext,
    /// The header's checksum is wrong.
    #[error("the header could not be verified: {0}")]
    Header(SecurityError),
    /// The sequence number is not accepted.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
    /// [`BindChannel`](ControlProcedure::BindChannel) in version 3 (RFC 7861, section 2.5).
    #[error("RPCSEC_GSS_BIND_CHANNEL is not a procedure of version 3: use RPCSEC_GSS_CREATE")]
    BindChannel,
    /// The arguments are not what their service promises.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The server's fault: the header was not read from the message given.
    #[error("the header was not read from the message given: hand over the whole record")]
    OtherMessage,
    /// The reply's verifier could not be made.
    #[error("the reply's verifier could not be made: {0}")]
    ReplyVerifier(SecurityError),
    /// The results could not be wrapped.
    #[error("the results could not be protected: {0}; no reply is sent")]
    ReplyBody(SecurityError),
    /// Version 3: there is no inner context, or its checksum is wrong (RFC 7861, section 2.7.1.1).
    #[error("the inner handle names no context that verifies")]
    InnerContext,
    /// Version 3: labels, or labels of this format, are not supported (section 2.7.1.3).
    #[error("the server does not support labels of this format")]
    Label,
    /// Version 3: a structured privilege is not supported (section 2.7.1.4).
    #[error("the server does not support a structured privilege")]
    Privilege,
    /// Version 3: a structured privilege is not recognized (section 2.7.1.4).
    #[error("the server does not recognize a structured privilege")]
    UnknownMessage,
}

/// What the RPC layer says to a [`Refusal`].
enum Says {
    Denied(AuthStat),
    GarbageArgs,
    ProcUnavail,
    SystemErr,
    Nothing,
}

impl Refusal {
    const fn says(&self) -> Says {
        Says::Denied(match self {
            Self::Flavor { .. }
            | Self::Malformed(_)
            | Self::OtherVersion { .. }
            | Self::Procedure { .. }
            | Self::Service { .. }
            | Self::NotNull { .. }
            | Self::Handle => AuthStat::BAD_CRED,
            Self::UnknownVersion { .. } => AuthStat::REJECTED_CRED,
            Self::Verifier { .. } => AuthStat::BAD_VERF,
            Self::Header(error) if error.is_stale() => AuthStat::GSS_CTXPROBLEM,
            Self::Header(SecurityError::NoSpace { .. }) | Self::OtherMessage => {
                return Says::SystemErr;
            }
            Self::NoContext | Self::Header(_) => AuthStat::GSS_CREDPROBLEM,
            Self::Sequence(SequenceError::AboveMaximum { .. }) | Self::ReplyVerifier(_) => {
                AuthStat::GSS_CTXPROBLEM
            }
            Self::InnerContext => AuthStat::GSS_INNER_CREDPROBLEM,
            Self::Label => AuthStat::GSS_LABEL_PROBLEM,
            Self::Privilege => AuthStat::GSS_PRIVILEGE_PROBLEM,
            Self::UnknownMessage => AuthStat::GSS_UNKNOWN_MESSAGE,
            // Silence: the server cannot tell a replay from a fault of the network (section
            // 5.3.3.1), and results that it cannot protect must not leave it (section 5.3.3.4).
            Self::Sequence(_) | Self::ReplyBody(_) => return Says::Nothing,
            Self::BindChannel => return Says::ProcUnavail,
            Self::Body(error) if error.is_ours() => return Says::SystemErr,
            Self::Body(_) => return Says::GarbageArgs,
        })
    }

    /// The reason of a denial; `None` if the call is not denied but accepted and failed, or dropped.
    #[must_use]
    pub const fn auth_stat(&self) -> Option<AuthStat> {
        match self.says() {
            Says::Denied(stat) => Some(stat),
            _ => None,
        }
    }

    /// What to send for the call `xid`. The connection stays open.
    ///
    /// | refusal | answer |
    /// |---|---|
    /// | malformed credential, another version than the context's, illegal control procedure, service or handle | `AUTH_BADCRED` |
    /// | version that is not served | `AUTH_REJECTEDCRED` |
    /// | verifier of the wrong flavor | `AUTH_BADVERF` |
    /// | no context, wrong checksum of the header | `RPCSEC_GSS_CREDPROBLEM` |
    /// | expired context, sequence number too high, no verifier for the reply | `RPCSEC_GSS_CTXPROBLEM` |
    /// | sequence number seen or below the window; results that cannot be protected | nothing |
    /// | wrong checksum, token or sequence number of the body | `GARBAGE_ARGS` |
    /// | BIND_CHANNEL in version 3 | `PROC_UNAVAIL` |
    /// | assertions of version 3 | the four `auth_stat` of RFC 7861 |
    ///
    /// A reply to a call that was verified has a verifier, whatever its outcome:
    /// [`ReplyHeader::with_verifier`] adds it to those of them that are accepted.
    #[must_use]
    pub const fn answer(&self, xid: u32) -> Answer {
        Answer::Reply(match self.says() {
            Says::Denied(stat) => ReplyHeader::auth_error(xid, stat),
            Says::GarbageArgs => ReplyHeader::garbage_args(xid),
            Says::ProcUnavail => ReplyHeader::proc_unavail(xid),
            Says::SystemErr => ReplyHeader::system_err(xid),
            Says::Nothing => return Answer::Drop,
        })
    }
}

/// What a server keeps of a context beside its [`SecurityContext`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context<const WORDS: usize = 2> {
    /// Version that it was made with; every call must use the same.
    pub version: Version,
    /// Bound to the channel below, which still exists: [`Service::CHANNEL_PROT`] may be used.
    pub channel_bound: bool,
    /// Numbers that were seen.
    pub window: SequenceWindow<WORDS>,
}

impl<const WORDS: usize> Context<WORDS> {
    /// A context that is complete, or a child handle.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self { version, channel_bound: false, window: SequenceWindow::default() }
    }
}

/// A call with an RPCSEC_GSS credential whose form is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    header: CallHeader<'a>,
    credential: Credential<'a>,
    signed: &'a [u8],
}

impl<'a> Call<'a> {
    /// Judges the form of a call: `header` was read from the start of `message`, `credential` from
    /// the header.
    ///
    /// # Errors
    /// What is wrong with it, before any context is looked up.
    pub fn new(
        message: &'a [u8],
        header: CallHeader<'a>,
        credential: Credential<'a>,
    ) -> Result<Self, Refusal> {
        let signed = header_bytes(message, &header).ok_or(Refusal::OtherMessage)?;
        let call = Self { header, credential, signed };
        let (version, body) = (credential.version, credential.body);
        let (procedure, service) = (body.procedure, body.service);
        let services: &[Service] = match (procedure, version) {
            (ControlProcedure::Init | ControlProcedure::ContinueInit, _) => &[],
            (ControlProcedure::Data | ControlProcedure::Destroy, Version::V1) => {
                &[Service::NONE, Service::INTEGRITY, Service::PRIVACY]
            }
            (ControlProcedure::Data | ControlProcedure::Destroy, Version::V2 | Version::V3) => {
                &[Service::NONE, Service::INTEGRITY, Service::PRIVACY, Service::CHANNEL_PROT]
            }
            (ControlProcedure::BindChannel, Version::V2) => &[Service::NONE],
            (ControlProcedure::BindChannel, Version::V3) => return Err(Refusal::BindChannel),
            (ControlProcedure::Create, Version::V3) => &[Service::INTEGRITY, Service::PRIVACY],
            (ControlProcedure::List, Version::V3) => {
                &[Service::INTEGRITY, Service::PRIVACY, Service::CHANNEL_PROT]
            }
            _ => return Err(Refusal::Procedure { procedure }),
        };
        if procedure != ControlProcedure::Data && header.procedure != 0 {
            return Err(Refusal::NotNull { procedure: header.procedure });
        }
        if call.is_creation() {
            if procedure == ControlProcedure::Init && !body.handle.is_empty() {
                return Err(Refusal::Handle);
            }
        } else if !services.contains(&service) {
            return Err(Refusal::Service { service });
        }
        if call.is_creation() || service == Service::CHANNEL_PROT {
            if !is_null(&header.verifier) {
                return Err(Refusal::Verifier { expected: AuthFlavor::NONE });
            }
        } else if header.verifier.flavor != AuthFlavor::GSS {
            return Err(Refusal::Verifier { expected: AuthFlavor::GSS });
        }
        Ok(call)
    }

    /// The credential.
    #[must_use]
    pub const fn credential(&self) -> &Credential<'a> {
        &self.credential
    }

    /// The call's header.
    #[must_use]
    pub const fn header(&self) -> &CallHeader<'a> {
        &self.header
    }

    /// What the message is for.
    #[must_use]
    pub const fn procedure(&self) -> ControlProcedure {
        self.credential.body.procedure
    }

    /// The bytes that verifier and inner checksum are over, as they were received.
    #[must_use]
    pub const fn header_bytes(&self) -> &'a [u8] {
        self.signed
    }

    /// Whether the call sets up a context: [`InitArgs`](super::InitArgs) follow the header, and
    /// there is nothing to verify yet.
    #[must_use]
    pub const fn is_creation(&self) -> bool {
        matches!(self.procedure(), ControlProcedure::Init | ControlProcedure::ContinueInit)
    }

    /// What can be said of the call and its context without a checksum.
    ///
    /// # Errors
    /// Another version, a service that the context does not have, a sequence number that is not
    /// accepted.
    pub fn check<const WORDS: usize>(&self, context: &Context<WORDS>) -> Result<(), Refusal> {
        let Credential { version, body } = self.credential;
        if version != context.version {
            return Err(Refusal::OtherVersion { version });
        }
        if body.service == Service::CHANNEL_PROT && !context.channel_bound {
            return Err(Refusal::Service { service: body.service });
        }
        Ok(context.window.check(body.seq_num)?)
    }

    /// Verifies the header, and accepts the sequence number if it is genuine.
    ///
    /// `security` is that of the context, for a child handle that of its parent.
    ///
    /// # Errors
    /// The call is not to be served. A creation request has nothing to verify, and
    /// [`BindChannel`](ControlProcedure::BindChannel) is for
    /// [`verify_bind_channel`](Self::verify_bind_channel): both are [`Refusal::Procedure`].
    pub fn verify<const WORDS: usize>(
        &self,
        context: &mut Context<WORDS>,
        security: &(impl SecurityContext + ?Sized),
    ) -> Result<Verified<'a>, Refusal> {
        let procedure = self.procedure();
        if self.is_creation() || procedure == ControlProcedure::BindChannel {
            return Err(Refusal::Procedure { procedure });
        }
        let mic = self.header.verifier.body.as_bytes();
        let pieces = [Piece::Here(self.signed)];
        self.verify_pieces(&pieces, mic, context, security)
    }

    /// The verifier of a call of [`BindChannel`](ControlProcedure::BindChannel).
    ///
    /// # Errors
    /// It is malformed.
    pub fn bind_channel(&self, limits: &'a Limits) -> Result<BindChannelVerifier<'a>, Refusal> {
        BindChannelVerifier::from_auth(&self.header.verifier, limits)
            .map_err(|_| Refusal::Verifier { expected: AuthFlavor::GSS })
    }

    /// Verifies a call of [`BindChannel`](ControlProcedure::BindChannel): `verifier` is
    /// [its own](Self::bind_channel), `hash` the server's hash of the channel bindings that it names,
    /// by the algorithm that it names. The caller then sets [`Context::channel_bound`].
    ///
    /// If prefix or algorithm is not supported, there is nothing to verify:
    /// [`check`](Self::check) the call, and answer with a
    /// [`bind_channel_verifier`](Self::bind_channel_verifier) that lists what is.
    ///
    /// # Errors
    /// The call is not to be served.
    pub fn verify_bind_channel<const WORDS: usize>(
        &self,
        verifier: &BindChannelVerifier<'_>,
        hash: &Opaque<'_>,
        context: &mut Context<WORDS>,
        security: &(impl SecurityContext + ?Sized),
    ) -> Result<Verified<'a>, Refusal> {
        let procedure = self.procedure();
        if procedure != ControlProcedure::BindChannel {
            return Err(Refusal::Procedure { procedure });
        }
        let len = hash.len().to_be_bytes();
        let [len, hash, pad] = opaque_pieces(&len, hash);
        let pieces = [Piece::Here(self.signed), len, hash, pad];
        self.verify_pieces(&pieces, verifier.mic.as_bytes(), context, security)
    }

    fn verify_pieces<const WORDS: usize>(
        &self,
        pieces: &[Piece<'_>],
        mic: &[u8],
        context: &mut Context<WORDS>,
        security: &(impl SecurityContext + ?Sized),
    ) -> Result<Verified<'a>, Refusal> {
        self.check(context)?;
        let Credential { version, body } = self.credential;
        let qop = if body.service == Service::CHANNEL_PROT {
            Qop::DEFAULT
        } else {
            verify(pieces, mic, security).map_err(Refusal::Header)?
        };
        context.window.accept(body.seq_num)?;
        let (seq_num, service) = (body.seq_num, body.service);
        Ok(Verified { version, seq_num, service, qop, signed: self.signed })
    }

    /// The verifier of a reply to [`BindChannel`](ControlProcedure::BindChannel) (RFC 5403, section
    /// 3.3). `hash` is that of the channel bindings: by the call's algorithm, or by the first of the
    /// list if that is not supported.
    ///
    /// # Errors
    /// [`Refusal::ReplyVerifier`], also if the lists of `reply` are too long for a verifier.
    pub fn bind_channel_verifier<'o>(
        &self,
        reply: BindChannelReply<'_>,
        hash: &Opaque<'_>,
        qop: Qop,
        security: &(impl SecurityContext + ?Sized),
        out: &'o mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Result<OpaqueAuth<'o>, Refusal> {
        let mut mic = [0; OpaqueAuth::MAX_BODY];
        let seq_num = self.credential.body.seq_num;
        let mic = with_bind_reply(seq_num, &reply, hash, |pieces| {
            mic_auth(pieces, qop, security, &mut mic)
        });
        let mic = mic.map_err(Refusal::ReplyVerifier)?;
        let mic = Opaque::new(mic.body.as_bytes()).unwrap_or_default();
        let verifier = BindChannelVerifierReply { reply, mic };
        verifier.to_auth(out).ok_or(Refusal::ReplyVerifier(SecurityError::FAILURE))
    }
}

/// Hands `f` the bytes that the checksum of a reply to BIND_CHANNEL is over.
pub(super) fn with_bind_reply<R>(
    seq_num: u32,
    reply: &BindChannelReply<'_>,
    hash: &Opaque<'_>,
    f: impl FnOnce(&[Piece<'_>]) -> Result<R, SecurityError>,
) -> Result<R, SecurityError> {
    let mut lists = [0; OpaqueAuth::MAX_BODY];
    let lists = OpaqueAuth::holding(AuthFlavor::GSS, reply, &mut lists);
    let lists = lists.ok_or(SecurityError::FAILURE)?;
    let (number, len) = (seq_num.to_be_bytes(), hash.len().to_be_bytes());
    let [len, hash, pad] = opaque_pieces(&len, hash);
    f(&[Piece::Here(&number), len, hash, pad, Piece::Here(lists.body.as_bytes())])
}

/// The bytes of an `opaque<>`: length, data, pad.
pub(super) fn opaque_pieces<'x>(len: &'x [u8; 4], data: &Opaque<'x>) -> [Piece<'x>; 3] {
    let pad = match data.as_bytes().len() % 4 {
        0 => &[][..],
        1 => &[0; 3],
        2 => &[0; 2],
        _ => &[0; 1],
    };
    [Piece::Here(len), Piece::Here(data.as_bytes()), Piece::Here(pad)]
}

/// The bytes that the verifier of a reply is over (RFC 2203, section 5.3.3.2; RFC 7861, section 2.3):
/// the sequence number, or from version 3 on the call's header as if it were the reply's.
pub(super) fn with_reply_bytes<R>(
    version: Version,
    seq_num: u32,
    signed: &[u8],
    f: impl FnOnce(&[Piece<'_>]) -> Result<R, SecurityError>,
) -> Result<R, SecurityError> {
    match version {
        Version::V1 | Version::V2 => f(&[Piece::Here(&seq_num.to_be_bytes())]),
        Version::V3 => {
            let (xid, rest) = signed.split_first_chunk::<4>().ok_or(SecurityError::FAILURE)?;
            let (_, rest) = rest.split_first_chunk::<4>().ok_or(SecurityError::FAILURE)?;
            let reply = MessageType::Reply.value().to_be_bytes();
            f(&[Piece::Here(xid), Piece::Here(&reply), Piece::Here(rest)])
        }
    }
}

/// A call that its client has made, and that was not seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified<'a> {
    version: Version,
    seq_num: u32,
    service: Service,
    qop: Qop,
    signed: &'a [u8],
}

impl<'a> Verified<'a> {
    /// Sequence number, for the [`Data`](super::Data) of the reply.
    #[must_use]
    pub const fn seq_num(&self) -> u32 {
        self.seq_num
    }

    /// Service of the call and its reply.
    #[must_use]
    pub const fn service(&self) -> Service {
        self.service
    }

    /// Quality of protection of the header, which body and reply must have too.
    #[must_use]
    pub const fn qop(&self) -> Qop {
        self.qop
    }

    /// How results travel; `None` if they follow the header as they are.
    #[must_use]
    pub const fn protection(&self) -> Option<Protection> {
        self.service.protection()
    }

    /// A cursor at the procedure's own arguments. `c` stands behind the call's header; `scratch`
    /// takes what is decrypted, and needs as many bytes as are left in `c`.
    ///
    /// # Errors
    /// [`Refusal::Body`].
    pub fn arguments<'b>(
        &self,
        c: Cursor<'b>,
        security: &(impl SecurityContext + ?Sized),
        scratch: &'b mut [u8],
    ) -> Result<Cursor<'b>, Refusal> {
        Ok(unprotect(self.service, self.seq_num, self.qop, c, security, scratch)?)
    }

    /// The verifier of any reply that is accepted, successful or not: see
    /// [`ReplyHeader::with_verifier`].
    ///
    /// # Errors
    /// [`Refusal::ReplyVerifier`].
    pub fn reply_verifier<'o>(
        &self,
        security: &(impl SecurityContext + ?Sized),
        out: &'o mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Result<OpaqueAuth<'o>, Refusal> {
        if self.service == Service::CHANNEL_PROT {
            return Ok(OpaqueAuth::NONE);
        }
        with_reply_bytes(self.version, self.seq_num, self.signed, |pieces| {
            mic_auth(pieces, self.qop, security, out)
        })
        .map_err(Refusal::ReplyVerifier)
    }
}
