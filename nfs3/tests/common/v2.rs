//! The types of NFSv2.

use nfswire_nfs3::v2::{
    AttrReply, Attributes, Cookie, DirOpArgs, DirOpReply, FileHandle, FileName, FileType, PathName,
    SetAttributes, Status, Time, attr, create, fs, io, lookup, readdir, remove,
};

use super::*;

types! { NFS_2
    "nfs2" {
        alias "nfsdata" io::Data<'_>;
        alias "nfscookie" Cookie;
        alias "stat" Status;
        alias "ftype" FileType;
        alias "fhandle" FileHandle;
        declared "timeval" Time;
        declared "fattr" Attributes;
        declared "sattr" SetAttributes;
        alias "filename" FileName<'_>;
        alias "path" PathName<'_>;
        declared "attrstat" AttrReply;
        declared "diropargs" DirOpArgs<'_>;
        declared "diropres" DirOpReply;
        declared "sattrargs" attr::SetattrArgs;
        declared "readlinkres" lookup::ReadlinkReply<'_>;
        declared "readargs" io::ReadArgs;
        declared "readres" io::ReadReply<'_>;
        declared "writeargs" io::WriteArgs<'_>;
        declared "createargs" create::CreateArgs<'_>;
        declared "renameargs" remove::RenameArgs<'_>;
        declared "linkargs" remove::LinkArgs<'_>;
        declared "symlinkargs" create::SymlinkArgs<'_>;
        declared "readdirargs" readdir::ReaddirArgs;
        node "entry" readdir::Entry<'_>;
        declared "readdirres" readdir::ReaddirReply<'_>;
        declared "statfsres" fs::StatfsReply;
    }
}
