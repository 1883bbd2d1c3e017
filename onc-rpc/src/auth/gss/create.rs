//! Assertions of version 3 (RFC 7861, section 2.7): CREATE and LIST. Arguments and results are those
//! of procedure 0, protected like those of any other call.

use nfswire_xdr::{Array, Opaque, xdr_open_enum, xdr_struct, xdr_union};

use super::{Refusal, Service};

/// `utf8string`: meant to be UTF-8, kept as the bytes that it is.
#[doc(alias = "utf8string")]
pub type Utf8Str<'a> = Opaque<'a>;

/// `utf8str_cs`: the same, compared case by case.
#[doc(alias = "utf8str_cs")]
pub type Utf8StrCs<'a> = Utf8Str<'a>;

/// Checksum of the channel bindings, prefix included, by the parent's context (section 2.7.1.2).
#[doc(alias = "rgss3_chan_binding")]
pub type ChannelBinding<'a> = Opaque<'a>;

xdr_struct! {
    /// Authenticates a user on a host, both together (section 2.7.1.1).
    #[derive(Copy)]
    "rgss3_gss_mp_auth" => pub struct MultiPrincipal<'a> {
        /// The user's context; the host's is the parent.
        "rgmp_handle" => pub inner_handle: Opaque<'a>,
        /// Checksum by the user's context. In a call: of the call header, up to and including the
        /// credential. In a reply: of what the reply's verifier is over.
        "rgmp_rpcheader_mic" => pub header_mic: Opaque<'a>,
    }
}

xdr_struct! {
    /// Names a format of labels (section 2.7.1.3).
    #[derive(Copy)]
    "rgss3_lfs" => pub struct LabelFormat {
        /// Label format, from the IANA registry.
        "rlf_lfs_id" => pub format: u32,
        /// Policy within it.
        "rlf_pi_id" => pub policy: u32,
    }
}

xdr_struct! {
    /// A security label (section 2.7.1.3).
    #[derive(Copy)]
    "rgss3_label" => pub struct Label<'a> {
        /// How to read it.
        "rl_lfs" => pub format: LabelFormat,
        /// The label.
        "rl_label" => pub label: Opaque<'a>,
    }
}

xdr_struct! {
    /// A structured privilege (section 2.7.1.4): the application that is served explains it.
    #[derive(Copy)]
    "rgss3_privs" => pub struct Privileges<'a> {
        /// What identifies it.
        "rp_name" => pub name: Array<'a, Utf8StrCs<'a>>,
        /// The application's data.
        "rp_privilege" => pub privilege: Opaque<'a>,
    }
}

xdr_open_enum! {
    /// Kinds of assertions; more may be added (section 2.8).
    "rgss3_assertion_type" => pub struct AssertionType {
        /// A label.
        "LABEL" LABELS = 0,
        /// A structured privilege.
        "PRIVS" PRIVILEGES = 1,
    }
}

xdr_union! {
    /// What a client asserts of its caller, or a server has accepted.
    #[derive(Copy)]
    "rgss3_assertion_u" => pub enum Assertion<'a> switch (atype: AssertionType) {
        /// A label.
        case AssertionType::LABELS => Label(Label<'a>),
        /// A structured privilege.
        case AssertionType::PRIVILEGES => Privileges(Privileges<'a>),
        /// A kind that is not known here.
        default => Extension(Opaque<'a>),
    }
}

xdr_struct! {
    /// Arguments of [`Create`](super::ControlProcedure::Create). The call's own handle is the parent;
    /// it must not be a child itself (section 2), which the server's table of handles tells.
    #[derive(Copy)]
    "rgss3_create_args" => pub struct CreateArgs<'a> {
        /// Another context to authenticate with.
        "rca_mp_auth" => pub multi_principal: Option<MultiPrincipal<'a>>,
        /// Binds the child to a channel.
        "rca_chan_bind_mic" => pub channel_binding: Option<ChannelBinding<'a>>,
        /// What is asserted.
        "rca_assertions" => pub assertions: Array<'a, Assertion<'a>>,
    }
}

impl CreateArgs<'_> {
    /// Whether the service that the call used is enough: multi-principal authentication must be
    /// encrypted, or else anyone could take the user's identity (section 2.7.1.1).
    ///
    /// # Errors
    /// [`Refusal::Service`].
    pub const fn check_service(&self, service: Service) -> Result<(), Refusal> {
        if self.multi_principal.is_some() && service.0 != Service::PRIVACY.0 {
            return Err(Refusal::Service { service });
        }
        Ok(())
    }
}

xdr_struct! {
    /// Results of [`Create`](super::ControlProcedure::Create). What is refused is absent.
    #[derive(Copy)]
    "rgss3_create_res" => pub struct CreateReply<'a> {
        /// The child handle. Its security context is the parent's.
        "rcr_handle" => pub handle: Opaque<'a>,
        /// Present if the other context was accepted.
        "rcr_mp_auth" => pub multi_principal: Option<MultiPrincipal<'a>>,
        /// Present if the child is bound to the channel: a new checksum of the same bindings.
        "rcr_chan_bind_mic" => pub channel_binding: Option<ChannelBinding<'a>>,
        /// Assertions that were accepted, in the order of the call's.
        "rcr_assertions" => pub assertions: Array<'a, Assertion<'a>>,
    }
}

xdr_open_enum! {
    /// Kinds of assertions that can be asked for (section 2.7.2); more may be added.
    "rgss3_list_item" => pub struct ListItem {
        /// Formats of labels.
        "LABEL" LABELS = 0,
        /// Structured privileges.
        "PRIVS" PRIVILEGES = 1,
    }
}

xdr_struct! {
    /// Arguments of [`List`](super::ControlProcedure::List).
    #[derive(Copy)]
    "rgss3_list_args" => pub struct ListArgs<'a> {
        /// What to list.
        "rla_list_what" => pub what: Array<'a, ListItem>,
    }
}

xdr_union! {
    /// What a server supports of one kind.
    #[derive(Copy)]
    "rgss3_list_item_u" => pub enum ListedItem<'a> switch (itype: ListItem) {
        /// Formats of labels.
        case ListItem::LABELS => Labels(Array<'a, Label<'a>>),
        /// Structured privileges.
        case ListItem::PRIVILEGES => Privileges(Array<'a, Privileges<'a>>),
        /// A kind that is not known here.
        default => Extension(Opaque<'a>),
    }
}

/// Results of [`List`](super::ControlProcedure::List).
#[doc(alias = "rgss3_list_res")]
pub type ListReply<'a> = Array<'a, ListedItem<'a>>;
