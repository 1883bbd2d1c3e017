//! Types that all parts use.

use nfswire_nfs4::*;

use super::types;

types! { TYPES
    "nfs40" {
        alias "nfs_ftype4" FileType;
        alias "nfsstat4" Status;
        alias "attrlist4" AttrList<'_>;
        alias "bitmap4" Bitmap<'_>;
        alias "changeid4" ChangeId;
        alias "clientid4" ClientId;
        alias "count4" Count;
        alias "length4" Length;
        alias "mode4" Mode;
        alias "nfs_cookie4" Cookie;
        alias "nfs_fh4" FileHandle<'_>;
        alias "nfs_lease4" LeaseTime;
        alias "offset4" Offset;
        alias "qop4" Qop;
        alias "sec_oid4" SecOid<'_>;
        alias "seqid4" SeqId;
        alias "utf8string" Component<'_>;
        alias "utf8str_cis" TextCis<'_>;
        alias "utf8str_cs" Component<'_>;
        alias "utf8str_mixed" TextMixed<'_>;
        alias "component4" Component<'_>;
        alias "linktext4" LinkText<'_>;
        alias "ascii_REQUIRED4" TextAscii<'_>;
        alias "pathname4" PathName<'_>;
        alias "verifier4" Verifier;
        declared "nfstime4" Time;
        alias "time_how4" TimeHow;
        declared "settime4" SetTime;
        declared "fsid4" Fsid;
        declared "specdata4" SpecData;
        declared "change_info4" ChangeInfo;
        declared "clientaddr4" ClientAddr<'_>;
        declared "stateid4" Stateid;
        declared "open_owner4" OpenOwner<'_>;
        declared "lock_owner4" LockOwner<'_>;
        alias "stable_how4" StableHow;
        alias "nfs_opnum4" OpNum;
    }
    "nfs41" {
        alias "nfsstat4" Status;
        alias "sequenceid4" SequenceId;
        alias "sessionid4" SessionId;
        alias "slotid4" SlotId;
        declared "netaddr4" NetAddr<'_>;
        alias "layouttype4" LayoutType;
        alias "layoutiomode4" LayoutIomode;
        alias "deviceid4" DeviceId;
        declared "state_owner4" StateOwner<'_>;
        alias "nfs_opnum4" OpNum;
    }
    "nfs42" {
        alias "nfsstat4" Status;
        alias "ascii_REQUIRED4" TextAscii<'_>;
        alias "layouttype4" LayoutType;
        alias "nfs_opnum4" OpNum;
        alias "xattrkey4" XattrKey<'_>;
        alias "xattrvalue4" XattrValue<'_>;
    }
}
