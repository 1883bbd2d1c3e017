//! RPCSEC_GSS versions 1 to 3 (RFC 2203, 5403, 7861).

use nfswire_rpc::gss::{
    Assertion, AssertionType, BindChannelMicInArgs, BindChannelMicInReply, BindChannelReply,
    BindChannelStatus, BindChannelVerifier, BindChannelVerifierReply, ChannelBinding,
    ChannelPrefix, ControlProcedure, CreateArgs, CreateReply, Credential, CredentialBody, InitArgs,
    InitReply, IntegData, Label, LabelFormat, ListArgs, ListItem, ListReply, ListedItem,
    MultiPrincipal, Oid, PrivData, Privileges, Service, Utf8Str, Utf8StrCs,
};

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "rpc_gss_service_t" => Service,
    "rpc_gss_proc_t" => ControlProcedure,
    "rpc_gss_cred_vers_1_t" => CredentialBody<'_>,
    "rpc_gss_cred_t" => Credential<'_>,
    "rgss3_create_args" => CreateArgs<'_>,
    "rgss3_create_res" => CreateReply<'_>,
    "rgss3_assertion_type" => AssertionType,
    "rgss3_assertion_u" => Assertion<'_>,
    "rgss3_gss_mp_auth" => MultiPrincipal<'_>,
    "rgss3_chan_binding" => ChannelBinding<'_>,
    "rgss3_label" => Label<'_>,
    "rgss3_lfs" => LabelFormat,
    "utf8string" => Utf8Str<'_>,
    "utf8str_cs" => Utf8StrCs<'_>,
    "rgss3_privs" => Privileges<'_>,
    "rgss3_list_item" => ListItem,
    "rgss3_list_args" => ListArgs<'_>,
    "rgss3_list_item_u" => ListedItem<'_>,
    "rgss3_list_res" => ListReply<'_>,
    "rgss2_bind_chan_MIC_in_args" => BindChannelMicInArgs<'_>,
    "rgss2_chan_pref" => ChannelPrefix<'_>,
    "rgss2_oid" => Oid<'_>,
    "rgss2_bind_chan_verf_args" => BindChannelVerifier<'_>,
    "rgss2_bind_chan_status" => BindChannelStatus,
    "rgss2_bind_chan_res" => BindChannelReply<'_>,
    "rgss2_bind_chan_MIC_in_res" => BindChannelMicInReply<'_>,
    "rgss2_bind_chan_verf_res" => BindChannelVerifierReply<'_>,
    "rpc_gss_init_arg" => InitArgs<'_>,
    "rpc_gss_init_res" => InitReply<'_>,
    "rpc_gss_integ_data" => IntegData<'_>,
    "rpc_gss_priv_data" => PrivData<'_>,
};
