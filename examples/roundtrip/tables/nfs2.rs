//! NFS version 2 (RFC 1094, section 2).

use nfswire_nfs3::v2::{
    AttrReply, Attributes, Cookie, DirOpArgs, DirOpReply, FileHandle, FileName, FileType, PathName,
    SetAttributes, Status, Time, attr, create, fs, io, lookup, readdir, remove,
};

use super::{Table, types, xdr::Node};

pub(super) const TYPES: Table = types! {
    "nfsdata" => io::Data<'_>,
    "nfscookie" => Cookie,
    "stat" => Status,
    "ftype" => FileType,
    "fhandle" => FileHandle,
    "timeval" => Time,
    "fattr" => Attributes,
    "sattr" => SetAttributes,
    "filename" => FileName<'_>,
    "path" => PathName<'_>,
    "attrstat" => AttrReply,
    "diropargs" => DirOpArgs<'_>,
    "diropres" => DirOpReply,
    "sattrargs" => attr::SetattrArgs,
    "readlinkres" => lookup::ReadlinkReply<'_>,
    "readargs" => io::ReadArgs,
    "readres" => io::ReadReply<'_>,
    "writeargs" => io::WriteArgs<'_>,
    "createargs" => create::CreateArgs<'_>,
    "renameargs" => remove::RenameArgs<'_>,
    "linkargs" => remove::LinkArgs<'_>,
    "symlinkargs" => create::SymlinkArgs<'_>,
    "readdirargs" => readdir::ReaddirArgs,
    "entry" => Node<'_, readdir::Entry<'_>>,
    "readdirres" => readdir::ReaddirReply<'_>,
    "statfsres" => fs::StatfsReply,
};
