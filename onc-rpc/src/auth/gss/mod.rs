//! RPCSEC_GSS versions 1, 2 and 3 (RFC 2203, 5403 and 7861): what travels, and how it is judged.
//!
//! There is no cryptography in here. A [`SecurityContext`] of the caller's does what the GSS-API
//! does (`GSS_GetMIC`, `GSS_VerifyMIC`, `GSS_Wrap`, `GSS_Unwrap`); this module hands it the bytes,
//! in place, and says what its answers mean.
//!
//! A server takes each call that has a credential of flavor
//! [`AuthFlavor::GSS`](crate::AuthFlavor::GSS) through these steps:
//!
//! 1. [`Call::new`] judges the form: version, control procedure, service, verifier. What is wrong is
//!    a [`Refusal`], and [`Refusal::answer`] says what to send.
//! 2. Creation ([`Call::is_creation`]): [`InitArgs`] follow the header. Hand the token to
//!    `GSS_Accept_sec_context`, answer with an [`InitReply`], and with [`window_verifier`] if the
//!    context is complete.
//! 3. Anything else: look the handle up ([`Refusal::NoContext`] if it is not there), and let
//!    [`Call::verify`] check the header and the sequence number. [`Verified::arguments`] then gives
//!    a cursor at the procedure's own arguments, whatever the service; [`CreateArgs`] and
//!    [`ListArgs`] are read from it the same way.
//! 4. [`Verified::reply_verifier`] makes the reply's verifier, [`Verified::protection`] says how the
//!    results travel, and [`protect`] wraps them: payloads are referenced, not copied, for
//!    integrity.
//! 5. [`ControlProcedure::Destroy`]: send the reply, then drop the context and its children.
//!
//! A client mirrors it with [`SequenceNumbers`], [`sign`], [`protect`], [`verify_reply`] and
//! [`unprotect`]. After `RPCSEC_GSS_CREDPROBLEM` or `RPCSEC_GSS_CTXPROBLEM` it sets up a new context
//! and tries again; no other denial is mended by that (RFC 2203, section 5.3.3.3).

mod channel;
mod client;
mod context;
mod create;
mod credential;
mod data;
mod security;
mod server;
mod window;

pub use channel::{
    BindChannelMicInArgs, BindChannelMicInReply, BindChannelReply, BindChannelStatus,
    BindChannelVerifier, BindChannelVerifierReply, ChannelPrefix, Oid,
};
pub use client::{
    ReplyVerifierError, sign, sign_bind_channel, verify_bind_channel_reply, verify_reply,
};
pub use context::{InitArgs, InitReply, MajorStatus, verify_window, window_verifier};
pub use create::{
    Assertion, AssertionType, ChannelBinding, CreateArgs, CreateReply, Label, LabelFormat,
    ListArgs, ListItem, ListReply, ListedItem, MultiPrincipal, Privileges, Utf8Str, Utf8StrCs,
};
pub use credential::{ControlProcedure, Credential, CredentialBody, Service, Version};
pub use data::{
    BodyError, Data, IntegData, PrivData, ProtectError, Protected, Protection, gather, protect,
    unprotect,
};
pub use security::{Qop, SecurityContext, SecurityError, Unwrapped};
pub use server::{Call, Context, Refusal, Verified, header_bytes};
pub use window::{MAX_SEQUENCE, SequenceError, SequenceNumbers, SequenceWindow};
