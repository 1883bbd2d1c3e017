//! The types that are decoded: one for each construct of XDR, and the messages of RPC, MOUNT, NFSv2,
//! NFSv3, NFSv4, NLM, NSM and NFS_ACL.

use nfswire_nfs3::{
    Attributes, acl, attr, create, fs, io, lookup,
    mount::{self, v1, v3},
    nlm, nsm, readdir, remove, v2,
};
use nfswire_nfs4::{attrs, callback, compound, layout};
use nfswire_rdma::types as rdma;
use nfswire_rpc::{AuthSys, OpaqueAuth, RpcMessage, gss, portmap, rpcbind};
use nfswire_xdr::{Array, Chain, Opaque, Payload, Text, xdr_struct, xdr_union};

use crate::values::Codec;

/// The types of the test vectors.
#[path = "../../xdr-codec/tests/common/types.rs"]
mod constructs;
use constructs::*;

xdr_struct! {
    /// Payloads with fields around them.
    "parcels" => pub(crate) struct Parcels<'a> {
        pub(crate) name: Text<'a, 9>,
        pub(crate) first: Payload<'a>,
        pub(crate) flags: [bool; 2],
        pub(crate) second: Option<Payload<'a>>,
        pub(crate) tag: [u8; 3],
    }
}

xdr_union! {
    /// Lists of everything that is not fixed, with fields behind them.
    "lists" => pub(crate) enum Lists<'a> switch (which: u32) {
        case 0 => Linked(Linked<'a>),
        case 1 => Nested(Array<'a, Array<'a, Opaque<'a, 5>, 4>>),
        case 2 => Chains(Array<'a, Chain<'a, Text<'a, 3>>, 9>),
        cases (3, 4) => Fixed(Array<'a, [u8; 6], 5>),
        case 5 => Payload(Parcels<'a>),
        default => Nothing,
    }
}

xdr_struct! {
    /// A linked list of arrays that is not at the end.
    "linked" => pub(crate) struct Linked<'a> {
        pub(crate) items: Chain<'a, Array<'a, i64, 3>>,
        pub(crate) more: Chain<'a, Option<Opaque<'a, 7>>>,
        pub(crate) eof: bool,
    }
}

macro_rules! codecs {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(crate::values::codec!($name, $t)),*]
    };
}

const CONSTRUCTS: &[Codec] = with_xdr_types!(codecs);

const GENERAL: &[Codec] = codecs! {
    "parcels" => Parcels<'_>,
    "lists" => Lists<'_>,
    "payload" => Payload<'_>,
    "rpc_msg" => RpcMessage<'_>,
    "opaque_auth" => OpaqueAuth<'_>,
    "authsys_parms" => AuthSys<'_>,
    "rpc_gss_cred_t" => gss::Credential<'_>,
    "rpc_gss_init_arg" => gss::InitArgs<'_>,
    "rpc_gss_init_res" => gss::InitReply<'_>,
    "rpc_gss_integ_data" => gss::IntegData<'_>,
    "rpc_gss_priv_data" => gss::PrivData<'_>,
    "rgss2_bind_chan_verf_args" => gss::BindChannelVerifier<'_>,
    "rgss2_bind_chan_verf_res" => gss::BindChannelVerifierReply<'_>,
    "rgss3_create_args" => gss::CreateArgs<'_>,
    "rgss3_create_res" => gss::CreateReply<'_>,
    "rgss3_list_args" => gss::ListArgs<'_>,
    "rgss3_list_res" => gss::ListReply<'_>,
};

const RPCBIND: &[Codec] = codecs! {
    "pmaplist" => portmap::MappingList<'_>,
    "call_args" => portmap::CallitArgs<'_>,
    "rpcb_rmtcallres" => rpcbind::RmtcallReply<'_>,
    "rpcblist_ptr" => rpcbind::RpcbList<'_>,
    "rpcb_entry_list_ptr" => rpcbind::EntryList<'_>,
    "rpcb_stat_byvers" => rpcbind::StatByVersion<'_>,
    "netbuf" => rpcbind::Netbuf<'_>,
};

const MOUNT: &[Codec] = codecs! {
    "mountres3" => v3::MountReply<'_>,
    "fhstatus" => v1::FhStatus,
    "mountlist" => mount::MountList<'_>,
    "exports" => mount::Exports<'_>,
    "dirpath" => mount::DirPath<'_>,
};

const NFS2: &[Codec] = codecs! {
    "fattr" => v2::Attributes,
    "attrstat" => v2::AttrReply,
    "diropargs" => v2::DirOpArgs<'_>,
    "diropres" => v2::DirOpReply,
    "sattrargs" => v2::attr::SetattrArgs,
    "readlinkres" => v2::lookup::ReadlinkReply<'_>,
    "readargs" => v2::io::ReadArgs,
    "readres" => v2::io::ReadReply<'_>,
    "writeargs" => v2::io::WriteArgs<'_>,
    "createargs" => v2::create::CreateArgs<'_>,
    "symlinkargs" => v2::create::SymlinkArgs<'_>,
    "renameargs" => v2::remove::RenameArgs<'_>,
    "linkargs" => v2::remove::LinkArgs<'_>,
    "readdirargs" => v2::readdir::ReaddirArgs,
    "readdirres" => v2::readdir::ReaddirReply<'_>,
    "statfsres" => v2::fs::StatfsReply,
};

const NFS3: &[Codec] = codecs! {
    "fattr3" => Attributes,
    "GETATTR3args" => attr::GetattrArgs<'_>,
    "GETATTR3res" => attr::GetattrReply,
    "SETATTR3args" => attr::SetattrArgs<'_>,
    "SETATTR3res" => attr::SetattrReply,
    "LOOKUP3args" => lookup::LookupArgs<'_>,
    "LOOKUP3res" => lookup::LookupReply<'_>,
    "ACCESS3args" => lookup::AccessArgs<'_>,
    "ACCESS3res" => lookup::AccessReply,
    "READLINK3res" => lookup::ReadlinkReply<'_>,
    "READ3args" => io::ReadArgs<'_>,
    "READ3res" => io::ReadReply<'_>,
    "WRITE3args" => io::WriteArgs<'_>,
    "WRITE3res" => io::WriteReply,
    "CREATE3args" => create::CreateArgs<'_>,
    "CREATE3res" => create::CreateReply<'_>,
    "MKDIR3args" => create::MkdirArgs<'_>,
    "MKDIR3res" => create::MkdirReply<'_>,
    "SYMLINK3args" => create::SymlinkArgs<'_>,
    "SYMLINK3res" => create::SymlinkReply<'_>,
    "MKNOD3args" => create::MknodArgs<'_>,
    "MKNOD3res" => create::MknodReply<'_>,
    "REMOVE3args" => remove::RemoveArgs<'_>,
    "REMOVE3res" => remove::RemoveReply,
    "RENAME3args" => remove::RenameArgs<'_>,
    "RENAME3res" => remove::RenameReply,
    "LINK3args" => remove::LinkArgs<'_>,
    "LINK3res" => remove::LinkReply,
    "READDIR3args" => readdir::ReaddirArgs<'_>,
    "READDIR3res" => readdir::ReaddirReply<'_>,
    "READDIRPLUS3args" => readdir::ReaddirplusArgs<'_>,
    "READDIRPLUS3res" => readdir::ReaddirplusReply<'_>,
    "FSSTAT3res" => fs::FsstatReply,
    "FSINFO3res" => fs::FsinfoReply,
    "PATHCONF3res" => fs::PathconfReply,
    "COMMIT3args" => io::CommitArgs<'_>,
    "COMMIT3res" => io::CommitReply,
};

const COMPOUND_ARGS: &[Codec] = codecs! {
    "COMPOUND4args" => compound::CompoundArgs<'_>,
    "nfs_argop4" => compound::Argop<'_>,
};

const COMPOUND_RESULTS: &[Codec] = codecs! {
    "COMPOUND4res" => compound::CompoundReply<'_>,
    "nfs_resop4" => compound::Resop<'_>,
};

const ATTRIBUTES: &[Codec] = codecs! {
    "fattr4" => attrs::Fattr<'_>,
    "bitmap4" => attrs::AttrSet<'_>,
    "fattr4_acl" => AttributeValue<'_, attrs::key::Acl>,
    "fattr4_dacl" => AttributeValue<'_, attrs::key::Dacl>,
    "fattr4_fs_locations" => AttributeValue<'_, attrs::key::FsLocations>,
    "fattr4_fs_locations_info" => AttributeValue<'_, attrs::key::FsLocationsInfo>,
    "fattr4_fs_status" => AttributeValue<'_, attrs::key::FsStatus>,
    "fattr4_mdsthreshold" => AttributeValue<'_, attrs::key::Mdsthreshold>,
    "fattr4_sec_label" => AttributeValue<'_, attrs::key::SecLabel>,
    "fattr4_open_arguments" => AttributeValue<'_, attrs::key::OpenArguments>,
};

type AttributeValue<'a, K> = <K as attrs::Attribute>::Value<'a>;

const CALLBACKS: &[Codec] = codecs! {
    "CB_COMPOUND4args" => callback::CbCompoundArgs<'_>,
    "nfs_cb_argop4" => callback::CbArgOp<'_>,
    "CB_COMPOUND4res" => callback::CbCompoundReply<'_>,
    "nfs_cb_resop4" => callback::CbResOp<'_>,
    "notify_add4" => callback::notify::NotifyAdd<'_>,
    "notify_rename4" => callback::notify::NotifyRename<'_>,
};

const LAYOUTS: &[Codec] = codecs! {
    "pnfs_block_deviceaddr4" => layout::block::DeviceAddr<'_>,
    "pnfs_block_layout4" => layout::block::Layout<'_>,
    "pnfs_block_layoutupdate4" => layout::block::LayoutUpdate<'_>,
    "pnfs_block_layouthint4" => layout::block::LayoutHint,
    "nfsv4_1_file_layouthint4" => layout::files::LayoutHint,
    "nfsv4_1_file_layout_ds_addr4" => layout::files::DeviceAddr<'_>,
    "nfsv4_1_file_layout4" => layout::files::Layout<'_>,
    "ff_device_addr4" => layout::flexfiles::DeviceAddr<'_>,
    "ff_layout4" => layout::flexfiles::Layout<'_>,
    "ff_layoutupdate4" => layout::flexfiles::LayoutUpdate<'_>,
    "ff_layoutreturn4" => layout::flexfiles::LayoutReturn<'_>,
    "ff_layouthint4" => layout::flexfiles::LayoutHint,
    "ff_layout_wcc4" => layout::flexfiles::LayoutWcc<'_>,
    "pnfs_osd_deviceaddr4" => layout::objects::DeviceAddr<'_>,
    "pnfs_osd_layout4" => layout::objects::Layout<'_>,
    "pnfs_osd_layoutupdate4" => layout::objects::LayoutUpdate,
    "pnfs_osd_layoutreturn4" => layout::objects::LayoutReturn<'_>,
    "pnfs_osd_layouthint4" => layout::objects::LayoutHint,
    "pnfs_scsi_volume_type4" => layout::scsi::VolumeType,
    "pnfs_scsi_code_set" => layout::scsi::CodeSet,
    "pnfs_scsi_designator_type" => layout::scsi::DesignatorType,
    "pnfs_scsi_base_volume_info4" => layout::scsi::BaseVolumeInfo<'_>,
    "pnfs_scsi_slice_volume_info4" => layout::scsi::SliceVolumeInfo,
    "pnfs_scsi_concat_volume_info4" => layout::scsi::ConcatVolumeInfo<'_>,
    "pnfs_scsi_stripe_volume_info4" => layout::scsi::StripeVolumeInfo<'_>,
    "pnfs_scsi_volume4" => layout::scsi::Volume<'_>,
    "pnfs_scsi_deviceaddr4" => layout::scsi::DeviceAddr<'_>,
    "pnfs_scsi_extent_state4" => layout::scsi::ExtentState,
    "pnfs_scsi_extent4" => layout::scsi::Extent,
    "pnfs_scsi_layout4" => layout::scsi::Layout<'_>,
    "pnfs_scsi_range4" => layout::scsi::Range,
    "pnfs_scsi_layoutupdate4" => layout::scsi::LayoutUpdate<'_>,
};

const NLM: &[Codec] = codecs! {
    "nlm_testargs" => nlm::v1::TestArgs<'_>,
    "nlm_testres" => nlm::v1::TestReply<'_>,
    "nlm_lockargs" => nlm::v1::LockArgs<'_>,
    "nlm_cancargs" => nlm::v1::CancelArgs<'_>,
    "nlm_unlockargs" => nlm::v1::UnlockArgs<'_>,
    "nlm_res" => nlm::v1::Reply<'_>,
    "nlm_shareargs" => nlm::v3::ShareArgs<'_>,
    "nlm_shareres" => nlm::v3::ShareReply<'_>,
    "nlm_notify" => nlm::FreeAllArgs<'_>,
    "nlm4_testargs" => nlm::v4::TestArgs<'_>,
    "nlm4_testres" => nlm::v4::TestReply<'_>,
    "nlm4_lockargs" => nlm::v4::LockArgs<'_>,
    "nlm4_cancargs" => nlm::v4::CancelArgs<'_>,
    "nlm4_unlockargs" => nlm::v4::UnlockArgs<'_>,
    "nlm4_res" => nlm::v4::Reply<'_>,
    "nlm4_shareargs" => nlm::v4::ShareArgs<'_>,
    "nlm4_shareres" => nlm::v4::ShareReply<'_>,
};

const NSM: &[Codec] = codecs! {
    "sm_name" => nsm::StatArgs<'_>,
    "sm_stat_res" => nsm::StatReply,
    "mon" => nsm::MonArgs<'_>,
    "mon_id" => nsm::MonId<'_>,
    "stat_chge" => nsm::NotifyArgs<'_>,
    "status" => nsm::CallbackArgs<'_>,
};

const NFSACL: &[Codec] = codecs! {
    "GETACL2args" => acl::v2::GetaclArgs,
    "GETACL2res" => acl::v2::GetaclReply<'_>,
    "SETACL2args" => acl::v2::SetaclArgs<'_>,
    "SETACL2res" => acl::v2::SetaclReply,
    "ACCESS2res" => acl::v2::AccessReply,
    "GETXATTRDIR2res" => acl::v2::GetxattrdirReply,
    "GETACL3args" => acl::v3::GetaclArgs<'_>,
    "GETACL3res" => acl::v3::GetaclReply<'_>,
    "SETACL3args" => acl::v3::SetaclArgs<'_>,
    "SETACL3res" => acl::v3::SetaclReply,
    "GETXATTRDIR3res" => acl::v3::GetxattrdirReply<'_>,
};

const RDMA: &[Codec] = codecs! {
    "rdma_msg" => rdma::Message<'_>,
    "rpc_rdma_header" => rdma::ChunkLists<'_>,
    "rpc_rdma_header_padded" => rdma::PaddedLists<'_>,
    "rdma_body" => rdma::Body<'_>,
    "rpc_rdma_error" => rdma::ErrorBody,
    "xdr_write_chunk" => rdma::WriteChunk<'_>,
    "xdr_read_chunk" => rdma::ReadSegment,
};

/// The types of one program, by the name of its target; for any other name all but those of NFSv4
/// and RPC-over-RDMA.
pub(crate) fn of(program: &str) -> &'static [&'static [Codec]] {
    match program {
        "rpcbind" => &[RPCBIND],
        "mount" => &[MOUNT],
        "nfs2" => &[NFS2],
        "nfs3" => &[NFS3],
        "compound_args" => &[COMPOUND_ARGS],
        "compound_results" => &[COMPOUND_RESULTS],
        "attributes" => &[ATTRIBUTES],
        "callbacks" => &[CALLBACKS],
        "layouts" => &[LAYOUTS],
        "nlm" => &[NLM],
        "nsm" => &[NSM],
        "nfsacl" => &[NFSACL],
        "rdma_header" => &[RDMA],
        _ => &[CONSTRUCTS, GENERAL, RPCBIND, MOUNT, NFS2, NFS3, NLM, NSM, NFSACL],
    }
}

/// One of the types of a program.
pub(crate) fn choose(program: &str, choice: u8) -> &'static Codec {
    let count: usize = of(program).iter().map(|codecs| codecs.len()).sum();
    let mut codecs = of(program).iter().copied().flatten();
    codecs.nth(usize::from(choice) % count).expect("below the count")
}
