//! NFS_ACL versions 2 and 3 (Solaris and Linux practice).

use nfswire_nfs3::acl::{Entry, SecAttr, v2, v3};

use super::{Table, types};

pub(super) const TYPES: Table = types! {
    "aclent" => Entry,
    "secattr" => SecAttr<'_>,
    "GETACL2args" => v2::GetaclArgs,
    "GETACL2resok" => v2::GetaclOk<'_>,
    "GETACL2res" => v2::GetaclReply<'_>,
    "SETACL2args" => v2::SetaclArgs<'_>,
    "SETACL2resok" => v2::SetaclOk,
    "SETACL2res" => v2::SetaclReply,
    "GETATTR2args" => v2::GetattrArgs,
    "GETATTR2resok" => v2::GetattrOk,
    "GETATTR2res" => v2::GetattrReply,
    "ACCESS2args" => v2::AccessArgs,
    "ACCESS2resok" => v2::AccessOk,
    "ACCESS2res" => v2::AccessReply,
    "GETXATTRDIR2args" => v2::GetxattrdirArgs,
    "GETXATTRDIR2resok" => v2::GetxattrdirOk,
    "GETXATTRDIR2res" => v2::GetxattrdirReply,
    "GETACL3args" => v3::GetaclArgs<'_>,
    "GETACL3resok" => v3::GetaclOk<'_>,
    "GETACL3resfail" => v3::GetaclFail,
    "GETACL3res" => v3::GetaclReply<'_>,
    "SETACL3args" => v3::SetaclArgs<'_>,
    "SETACL3resok" => v3::SetaclOk,
    "SETACL3resfail" => v3::SetaclFail,
    "SETACL3res" => v3::SetaclReply,
    "GETXATTRDIR3args" => v3::GetxattrdirArgs<'_>,
    "GETXATTRDIR3resok" => v3::GetxattrdirOk<'_>,
    "GETXATTRDIR3res" => v3::GetxattrdirReply<'_>,
};
