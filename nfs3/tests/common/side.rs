//! The types of NLM, NSM and NFS_ACL.

use nfswire_nfs3::{acl, nlm, nsm};

use super::{Type, reencode, round_trip, types};

types! { SIDE
    "nlm" {
        alias "uint64" u64;
        alias "int64" i64;
        alias "uint32" u32;
        alias "int32" i32;
        alias "netobj" nlm::NetObj<'_>;
        alias "fsh_mode" nlm::ShareMode;
        alias "fsh_access" nlm::ShareAccess;
        declared "nlm_notify" nlm::FreeAllArgs<'_>;
        alias "nlm_stats" nlm::v1::Status;
        alias "nlm_stat" nlm::v1::Stat;
        declared "nlm_holder" nlm::v1::Holder<'_>;
        declared "nlm_lock" nlm::v1::Lock<'_>;
        declared "nlm_testargs" nlm::v1::TestArgs<'_>;
        declared "nlm_testrply" nlm::v1::TestStat<'_>;
        declared "nlm_testres" nlm::v1::TestReply<'_>;
        declared "nlm_lockargs" nlm::v1::LockArgs<'_>;
        declared "nlm_cancargs" nlm::v1::CancelArgs<'_>;
        declared "nlm_unlockargs" nlm::v1::UnlockArgs<'_>;
        declared "nlm_res" nlm::v1::Reply<'_>;
        declared "nlm_share" nlm::v3::Share<'_>;
        declared "nlm_shareargs" nlm::v3::ShareArgs<'_>;
        declared "nlm_shareres" nlm::v3::ShareReply<'_>;
        alias "nlm4_stats" nlm::v4::Status;
        alias "nlm4_stat" nlm::v4::Stat;
        declared "nlm4_holder" nlm::v4::Holder<'_>;
        declared "nlm4_lock" nlm::v4::Lock<'_>;
        declared "nlm4_testargs" nlm::v4::TestArgs<'_>;
        declared "nlm4_testrply" nlm::v4::TestStat<'_>;
        declared "nlm4_testres" nlm::v4::TestReply<'_>;
        declared "nlm4_lockargs" nlm::v4::LockArgs<'_>;
        declared "nlm4_cancargs" nlm::v4::CancelArgs<'_>;
        declared "nlm4_unlockargs" nlm::v4::UnlockArgs<'_>;
        declared "nlm4_res" nlm::v4::Reply<'_>;
        declared "nlm4_share" nlm::v4::Share<'_>;
        declared "nlm4_shareargs" nlm::v4::ShareArgs<'_>;
        declared "nlm4_shareres" nlm::v4::ShareReply<'_>;
        declared "nlm4_notify" nlm::v4::FreeAllArgs<'_>;
    }
    "nsm" {
        declared "sm_name" nsm::StatArgs<'_>;
        declared "my_id" nsm::MyId<'_>;
        declared "mon_id" nsm::MonId<'_>;
        declared "mon" nsm::MonArgs<'_>;
        declared "sm_stat" nsm::UnmonReply;
        alias "res" nsm::Res;
        declared "sm_stat_res" nsm::StatReply;
        declared "status" nsm::CallbackArgs<'_>;
        declared "stat_chge" nsm::NotifyArgs<'_>;
    }
    "nfsacl" {
        declared "aclent" acl::Entry;
        declared "secattr" acl::SecAttr<'_>;
        declared "GETACL3args" acl::v3::GetaclArgs<'_>;
        declared "GETACL3resok" acl::v3::GetaclOk<'_>;
        alias "GETACL3resfail" acl::v3::GetaclFail;
        declared "GETACL3res" acl::v3::GetaclReply<'_>;
        declared "SETACL3args" acl::v3::SetaclArgs<'_>;
        declared "SETACL3resok" acl::v3::SetaclOk;
        alias "SETACL3resfail" acl::v3::SetaclFail;
        declared "SETACL3res" acl::v3::SetaclReply;
        declared "GETXATTRDIR3args" acl::v3::GetxattrdirArgs<'_>;
        declared "GETXATTRDIR3resok" acl::v3::GetxattrdirOk<'_>;
        declared "GETXATTRDIR3res" acl::v3::GetxattrdirReply<'_>;
    }
}

#[cfg(feature = "v2")]
types! { ACL_2
    "nfsacl" {
        declared "GETACL2args" acl::v2::GetaclArgs;
        declared "GETACL2resok" acl::v2::GetaclOk<'_>;
        declared "GETACL2res" acl::v2::GetaclReply<'_>;
        declared "SETACL2args" acl::v2::SetaclArgs<'_>;
        declared "SETACL2resok" acl::v2::SetaclOk;
        declared "SETACL2res" acl::v2::SetaclReply;
        declared "GETATTR2args" acl::v2::GetattrArgs;
        declared "GETATTR2resok" acl::v2::GetattrOk;
        declared "GETATTR2res" acl::v2::GetattrReply;
        declared "ACCESS2args" acl::v2::AccessArgs;
        declared "ACCESS2resok" acl::v2::AccessOk;
        declared "ACCESS2res" acl::v2::AccessReply;
        declared "GETXATTRDIR2args" acl::v2::GetxattrdirArgs;
        declared "GETXATTRDIR2resok" acl::v2::GetxattrdirOk;
        declared "GETXATTRDIR2res" acl::v2::GetxattrdirReply;
    }
}

/// Whether a type of the area `nfsacl` needs NFSv2.
pub(crate) fn of_nfs2(name: &str) -> bool {
    ["2args", "2resok", "2res"].iter().any(|end| name.ends_with(end))
}
