//! rpcbind versions 3 and 4 (RFC 1833, section 2).

use nfswire_rpc::rpcbind::{
    AddressStat, AddressStats, Entry, EntryList, Netbuf, ProcedureCounts, RmtcallArgs,
    RmtcallReply, RmtcallStat, RmtcallStats, Rpcb, RpcbList, Stat, StatByVersion,
};

use super::{Table, types, xdr::Node};

pub(super) const TYPES: Table = types! {
    "rpcb" => Rpcb<'_>,
    "rp__list" => Node<'_, Rpcb<'_>>,
    "rpcblist_ptr" => RpcbList<'_>,
    "rpcb_rmtcallargs" => RmtcallArgs<'_>,
    "rpcb_rmtcallres" => RmtcallReply<'_>,
    "rpcb_entry" => Entry<'_>,
    "rpcb_entry_list" => Node<'_, Entry<'_>>,
    "rpcb_entry_list_ptr" => EntryList<'_>,
    "rpcbs_addrlist" => Node<'_, AddressStat<'_>>,
    "rpcbs_rmtcalllist" => Node<'_, RmtcallStat<'_>>,
    "rpcbs_proc" => ProcedureCounts,
    "rpcbs_addrlist_ptr" => AddressStats<'_>,
    "rpcbs_rmtcalllist_ptr" => RmtcallStats<'_>,
    "rpcb_stat" => Stat<'_>,
    "rpcb_stat_byvers" => StatByVersion<'_>,
    "netbuf" => Netbuf<'_>,
};
