//! MOUNT version 3 (RFC 1813, section 5), and what only version 1 has (RFC 1094, appendix A).

use nfswire_nfs3::{
    FileHandle,
    mount::{
        DirPath, Export, Exports, Group, Groups, HostName, MountEntry, MountList, MountOk,
        MountReply, MountStatus, v1,
    },
};

use super::{Table, types, xdr::Node};

pub(super) const TYPES: Table = types! {
    "fhandle" => v1::FileHandle,
    "fhstatus" => v1::FhStatus,
    "dirpath" => DirPath<'_>,
    "name" => HostName<'_>,
    "mountlist" => MountList<'_>,
    "groups" => Groups<'_>,
    "exportlist" => Exports<'_>,
    "fhandle3" => FileHandle<'_>,
    "mountstat3" => MountStatus,
    "mountres3_ok" => MountOk<'_>,
    "mountres3" => MountReply<'_>,
    "mountbody" => Node<'_, MountEntry<'_>>,
    "groupnode" => Node<'_, Group<'_>>,
    "exports" => Exports<'_>,
    "exportnode" => Node<'_, Export<'_>>,
};
