//! The port mapper (RFC 1833, section 3).

use nfswire_rpc::portmap::{CallitArgs, CallitReply, Mapping, MappingList};

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "mapping" => Mapping,
    "pmaplist" => MappingList<'_>,
    "call_args" => CallitArgs<'_>,
    "call_result" => CallitReply<'_>,
};
