//! The credential: which context, which service, which sequence number.

use nfswire_xdr::{
    Cursor, DecodeError, Encode, ErrorKind, Limits, Opaque, Wire, xdr_enum, xdr_open_enum,
    xdr_struct,
};

use super::{Refusal, data::Protection};
use crate::{AuthFlavor, OpaqueAuth};

xdr_enum! {
    /// Version of RPCSEC_GSS. All three share one form of credential.
    "rgc_version" => pub enum Version {
        /// RFC 2203.
        "RPCSEC_GSS_VERS_1" V1 = 1,
        /// RFC 5403: channel bindings.
        "RPCSEC_GSS_VERS_2" V2 = 2,
        /// RFC 7861: assertions that are bound to child handles.
        "RPCSEC_GSS_VERS_3" V3 = 3,
    }
}

xdr_enum! {
    /// What a message is for (RFC 7861, section 2.4). Anything but [`Data`](Self::Data) is a control
    /// message: a call of procedure 0 that never reaches a service.
    "rpc_gss_proc_t" => pub enum ControlProcedure {
        /// An ordinary call.
        "RPCSEC_GSS_DATA" Data = 0,
        /// Begins a context: [`InitArgs`](super::InitArgs) follow.
        "RPCSEC_GSS_INIT" Init = 1,
        /// Goes on with it.
        "RPCSEC_GSS_CONTINUE_INIT" ContinueInit = 2,
        /// Ends a context.
        "RPCSEC_GSS_DESTROY" Destroy = 3,
        /// Binds a context to a secure channel (version 2 only).
        "RPCSEC_GSS_BIND_CHANNEL" BindChannel = 4,
        /// Makes a child handle with assertions (version 3).
        "RPCSEC_GSS_CREATE" Create = 5,
        /// Asks which assertions are supported (version 3).
        "RPCSEC_GSS_LIST" List = 6,
    }
}

xdr_open_enum! {
    /// How arguments and results are protected (RFC 7861, section 2.4). Open, because a server must
    /// ignore the number in a creation request (RFC 2203, section 5.2.2).
    "rpc_gss_service_t" => pub struct Service {
        /// Not at all; the header is.
        "rpc_gss_svc_none" NONE = 1,
        /// By a checksum: [`IntegData`](super::IntegData).
        "rpc_gss_svc_integrity" INTEGRITY = 2,
        /// By encryption: [`PrivData`](super::PrivData).
        "rpc_gss_svc_privacy" PRIVACY = 3,
        /// By the channel below, to which the context is bound (RFC 5403, section 3.4).
        "rpc_gss_svc_channel_prot" CHANNEL_PROT = 4,
    }
}

impl Service {
    /// How a body is wrapped, if it is.
    #[must_use]
    pub const fn protection(self) -> Option<Protection> {
        match self {
            Self::INTEGRITY => Some(Protection::Integrity),
            Self::PRIVACY => Some(Protection::Privacy),
            _ => None,
        }
    }
}

xdr_struct! {
    /// What all versions have behind the version number (RFC 5403, section 3.2).
    #[derive(Copy)]
    "rpc_gss_cred_vers_1_t" => pub struct CredentialBody<'a> {
        /// What the message is for.
        "gss_proc" => pub procedure: ControlProcedure,
        /// Sequence number, at most [`MAX_SEQUENCE`](super::MAX_SEQUENCE); without meaning in a
        /// creation request.
        pub seq_num: u32,
        /// How the body is protected; without meaning in a creation request.
        pub service: Service,
        /// The server's name for the context; empty in the first creation request.
        pub handle: Opaque<'a>,
    }
}

xdr_struct! {
    /// Body of a credential of flavor [`AuthFlavor::GSS`] (RFC 7861, section 2.4). The RFC prints a
    /// union over the version; its three versions share an arm, and others have none.
    #[derive(Copy)]
    "rpc_gss_cred_t" => pub struct Credential<'a> {
        /// Version of RPCSEC_GSS.
        "rgc_version" => pub version: Version,
        /// The rest.
        "rgc_cred_v1" => pub body: CredentialBody<'a>,
    }
}

impl<'a> Credential<'a> {
    /// Longest handle that fits a credential, in bytes.
    pub const MAX_HANDLE: usize = OpaqueAuth::MAX_BODY - Credential::MIN_LEN as usize;

    /// Reads the body of a credential of flavor [`AuthFlavor::GSS`] within `limits`. Its length must
    /// be that of what is inside.
    ///
    /// # Errors
    /// [`Refusal::UnknownVersion`] if the version has no form that is known, otherwise
    /// [`Refusal::Malformed`] with an offset from the start of the body.
    pub fn from_auth(auth: &OpaqueAuth<'a>, limits: &'a Limits) -> Result<Self, Refusal> {
        if auth.flavor != AuthFlavor::GSS {
            return Err(Refusal::Flavor { flavor: auth.flavor });
        }
        let mut c = Cursor::with(auth.body.as_bytes(), limits);
        let read = |c: &mut Cursor<'a>| -> Result<Self, DecodeError> {
            let credential = c.decode()?;
            c.finish()?;
            Ok(credential)
        };
        read(&mut c).map_err(|error| match error {
            DecodeError { kind: ErrorKind::Enum(version), offset: 0, .. } => {
                Refusal::UnknownVersion { version }
            }
            _ => Refusal::Malformed(error),
        })
    }

    /// Writes the body into `buffer` and makes the credential from it, or `None` if the handle is
    /// longer than [`MAX_HANDLE`](Self::MAX_HANDLE) bytes.
    ///
    /// ```
    /// use nfswire_rpc::{OpaqueAuth, gss};
    /// use nfswire_xdr::{Limits, Opaque};
    /// let credential = gss::Credential {
    ///     version: gss::Version::V1,
    ///     body: gss::CredentialBody {
    ///         procedure: gss::ControlProcedure::Data,
    ///         seq_num: 7,
    ///         service: gss::Service::INTEGRITY,
    ///         handle: Opaque::new(b"ctx1").expect("short"),
    ///     },
    /// };
    /// let mut body = [0; OpaqueAuth::MAX_BODY];
    /// let auth = credential.to_auth(&mut body).expect("a short handle");
    /// assert_eq!(auth.body.len(), 24);
    /// assert_eq!(gss::Credential::from_auth(&auth, &Limits::STRICT), Ok(credential));
    /// ```
    #[must_use]
    pub fn to_auth<'b>(
        &self,
        buffer: &'b mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Option<OpaqueAuth<'b>> {
        OpaqueAuth::holding(AuthFlavor::GSS, self, buffer)
    }
}

impl<'b> OpaqueAuth<'b> {
    /// Writes `value` into `buffer` as the body of an authentication field.
    pub(super) fn holding<'v, T: Encode<'v>>(
        flavor: AuthFlavor,
        value: &T,
        buffer: &'b mut [u8; OpaqueAuth::MAX_BODY],
    ) -> Option<Self> {
        let left = value.write(&mut buffer[..])?.len();
        let body = buffer.get(..Self::MAX_BODY.checked_sub(left)?)?;
        Some(Self { flavor, body: Opaque::new(body)? })
    }
}
