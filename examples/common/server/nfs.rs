//! The 22 procedures of NFSv3: arguments in, a call of the file system, results out.

use std::io::IoSlice;

use nfswire_nfs3::attr::{GetattrOk, GetattrReply, SetattrOk, SetattrReply};
use nfswire_nfs3::create::{
    CreateOk, CreateReply, MkdirOk, MkdirReply, MknodArgs, MknodData, MknodOk, MknodReply,
    SymlinkArgs, SymlinkOk, SymlinkReply,
};
use nfswire_nfs3::fs::{FsinfoOk, FsinfoReply, FsstatReply, PathconfReply};
use nfswire_nfs3::io::{
    CommitOk, CommitReply, ReadArgs, ReadOk, ReadReply, WriteArgs, WriteOk, WriteReply,
};
use nfswire_nfs3::lookup::{
    AccessOk, AccessReply, LookupOk, LookupReply, ReadlinkOk, ReadlinkReply,
};
use nfswire_nfs3::procedures::{
    Access, Commit, Create, Fsinfo, Fsstat, Getattr, Link, Lookup, Mkdir, Mknod, Null, Pathconf,
    Read, Readdir, Readdirplus, Readlink, Remove, Rename, Rmdir, Setattr, Symlink, Write,
};
use nfswire_nfs3::remove::{
    LinkFail, LinkOk, LinkReply, RemoveOk, RemoveReply, RenameFail, RenameOk, RenameReply, RmdirOk,
    RmdirReply,
};
use nfswire_nfs3::{FileHandle, FileType, PostOpFh, SpecData, Status};
use nfswire_rpc::Procedure;
use nfswire_xdr::{Cursor, Payload};
use rustix::io::Errno;

use super::cold::Ready;
use super::listing;
use super::reply::{Batch, Data, Fault};
use super::service::Kind;
use crate::fs::{Caller, Failure, FileData, FileSystem, Handle, MAX_TRANSFER, NO_WCC};

/// All of the arguments of a procedure, and nothing behind them.
pub(super) fn arguments<'a, P: Procedure>(mut c: Cursor<'a>) -> Result<P::Args<'a>, Fault> {
    let arguments = c.decode()?;
    c.finish()?;
    Ok(arguments)
}

/// A handle as it travels; it has at most 64 bytes.
fn wire(handle: &Handle) -> FileHandle<'_> {
    FileHandle::new(handle.as_bytes()).unwrap_or_default()
}

fn optional(handle: Option<&Handle>) -> PostOpFh<'_> {
    handle.map(wire)
}

/// What a procedure may wait for.
pub(super) const fn kind(procedure: u32) -> Kind {
    match procedure {
        Read::NUMBER | Readdir::NUMBER | Readdirplus::NUMBER => Kind::Read,
        Write::NUMBER => Kind::Write,
        Commit::NUMBER => Kind::Commit,
        Setattr::NUMBER
        | Create::NUMBER
        | Mkdir::NUMBER
        | Symlink::NUMBER
        | Mknod::NUMBER
        | Remove::NUMBER
        | Rmdir::NUMBER
        | Rename::NUMBER
        | Link::NUMBER => Kind::Change,
        _ => Kind::Quick,
    }
}

/// What the file system can do, as far as the server carries it.
fn within(ok: FsinfoOk, max_write: u32) -> FsinfoOk {
    FsinfoOk {
        rtmax: ok.rtmax.min(MAX_TRANSFER),
        rtpref: ok.rtpref.min(MAX_TRANSFER),
        wtmax: ok.wtmax.min(max_write),
        wtpref: ok.wtpref.min(max_write),
        dtpref: ok.dtpref.min(MAX_TRANSFER),
        ..ok
    }
}

/// Serves one call: puts its results. A WRITE carries at most `max_write` bytes.
pub(super) fn serve(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    max_write: u32,
    procedure: u32,
    c: Cursor<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    match procedure {
        Null::NUMBER => arguments::<Null>(c),
        Getattr::NUMBER => {
            let a = arguments::<Getattr>(c)?;
            out.put(&match fs.getattr(caller, &a.object) {
                Ok(attributes) => GetattrReply::Ok(GetattrOk { attributes }),
                Err(failure) => GetattrReply::Fail(failure.status),
            })
        }
        Setattr::NUMBER => {
            let a = arguments::<Setattr>(c)?;
            out.put(&match fs.setattr(caller, &a.object, &a.new_attributes, a.guard) {
                Ok(wcc) => SetattrReply::Ok(SetattrOk { wcc }),
                Err(failure) => SetattrReply::Fail(failure.status, failure.first()),
            })
        }
        Lookup::NUMBER => {
            let a = arguments::<Lookup>(c)?;
            match fs.lookup(caller, &a.what.dir, &a.what.name) {
                Ok(found) => out.put_copied(&LookupReply::Ok(LookupOk {
                    object: wire(&found.object),
                    attributes: found.attributes,
                    dir_attributes: found.dir_attributes,
                })),
                Err(failure) => out.put(&LookupReply::Fail(failure.status, failure.first().after)),
            }
        }
        Access::NUMBER => {
            let a = arguments::<Access>(c)?;
            out.put(&match fs.access(caller, &a.object, a.access) {
                Ok(granted) => AccessReply::Ok(AccessOk {
                    attributes: granted.attributes,
                    access: granted.access & a.access,
                }),
                Err(failure) => AccessReply::Fail(failure.status, failure.first().after),
            })
        }
        Readlink::NUMBER => {
            let a = arguments::<Readlink>(c)?;
            out.put(&match fs.readlink(caller, &a.symlink) {
                Ok(link) => ReadlinkReply::Ok(ReadlinkOk {
                    attributes: link.attributes,
                    data: Payload::Bytes(link.text),
                }),
                Err(failure) => ReadlinkReply::Fail(failure.status, failure.first().after),
            })
        }
        Read::NUMBER => read(fs, caller, &arguments::<Read>(c)?, out),
        Write::NUMBER => {
            let reply = write(fs, caller, &arguments::<Write>(c)?);
            out.put(&reply)
        }
        Create::NUMBER | Mkdir::NUMBER | Symlink::NUMBER | Mknod::NUMBER => {
            make(fs, caller, procedure, c, out)
        }
        Remove::NUMBER | Rmdir::NUMBER | Rename::NUMBER | Link::NUMBER => {
            rename_or_remove(fs, caller, procedure, c, out)
        }
        Readdir::NUMBER => listing::names(fs, caller, &arguments::<Readdir>(c)?, out),
        Readdirplus::NUMBER => listing::details(fs, caller, &arguments::<Readdirplus>(c)?, out),
        Fsstat::NUMBER => {
            let a = arguments::<Fsstat>(c)?;
            out.put(&match fs.fsstat(caller, &a.fsroot) {
                Ok(ok) => FsstatReply::Ok(ok),
                Err(failure) => FsstatReply::Fail(failure.status, failure.first().after),
            })
        }
        Fsinfo::NUMBER => {
            let a = arguments::<Fsinfo>(c)?;
            out.put(&match fs.fsinfo(caller, &a.fsroot) {
                Ok(ok) => FsinfoReply::Ok(within(ok, max_write)),
                Err(failure) => FsinfoReply::Fail(failure.status, failure.first().after),
            })
        }
        Pathconf::NUMBER => {
            let a = arguments::<Pathconf>(c)?;
            out.put(&match fs.pathconf(caller, &a.object) {
                Ok(ok) => PathconfReply::Ok(ok),
                Err(failure) => PathconfReply::Fail(failure.status, failure.first().after),
            })
        }
        Commit::NUMBER => {
            let a = arguments::<Commit>(c)?;
            out.put(&match fs.commit(caller, &a.file, a.offset, a.count) {
                Ok(done) => CommitReply::Ok(CommitOk { wcc: done.wcc, verifier: done.verifier }),
                Err(failure) => CommitReply::Fail(failure.status, failure.first()),
            })
        }
        _ => Err(Fault::NoProcedure),
    }
}

fn read(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    a: &ReadArgs<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    let count = a.count.min(MAX_TRANSFER);
    let read = match fs.read(caller, &a.file, a.offset, count) {
        Ok(read) => read,
        Err(failure) => {
            return out.put(&ReadReply::Fail(failure.status, failure.first().after));
        }
    };
    let (mut attributes, mut eof) = (read.attributes, read.eof);
    if let FileData::File { file, offset, len } = &read.data
        && out.refers_to((*len).min(count))
    {
        let range = (*offset, (*len).min(count));
        match out.warm.bring(fs, (&a.file, file), range, out.may_wait()) {
            Ok(Ready::Now) => {}
            Ok(Ready::Later) => return Err(Fault::PutOff),
            Err(failure) => return out.put(&ReadReply::Fail(failure.status, attributes)),
        }
    }
    match out.data(read.data, count) {
        Ok(Data { payload, shrunk }) => {
            if shrunk {
                // The file has ended here for a moment. What was known of it is over, and what is known of it now may
                // be newer than these bytes, which clients would then keep for as long as nothing changes.
                attributes = None;
                eof = true;
            }
            out.put(&ReadReply::Ok(ReadOk::new(attributes, eof, payload)))
        }
        Err(Errno::WOULDBLOCK) if !out.may_wait() => Err(Fault::PutOff),
        Err(_) => out.put(&ReadReply::Fail(Status::IO, attributes)),
    }
}

fn write(fs: &dyn FileSystem, caller: &Caller<'_>, a: &WriteArgs<'_>) -> WriteReply {
    let Some(bytes) = a.bytes().filter(|_| a.validate().is_ok()) else {
        // Two lengths: whichever was meant, writing the other would lose or make up data.
        return WriteReply::Fail(Status::INVAL, NO_WCC);
    };
    match fs.write(caller, &a.file, a.offset, &[IoSlice::new(bytes)], a.stable) {
        Ok(written) => WriteReply::Ok(WriteOk {
            wcc: written.wcc,
            count: written.count.min(a.count),
            committed: written.committed,
            verifier: written.verifier,
        }),
        Err(failure) => WriteReply::Fail(failure.status, failure.first()),
    }
}

/// CREATE, MKDIR, SYMLINK and MKNOD: four replies of one shape.
fn make(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    procedure: u32,
    c: Cursor<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    macro_rules! put {
        ($made:expr, $reply:ident, $ok:ident) => {
            match $made {
                Ok(made) => out.put_copied(&$reply::Ok($ok {
                    object: optional(made.object.as_ref()),
                    attributes: made.attributes,
                    dir_wcc: made.dir,
                })),
                Err(failure) => out.put(&$reply::Fail(failure.status, failure.first())),
            }
        };
    }
    match procedure {
        Create::NUMBER => {
            let a = arguments::<Create>(c)?;
            let made = fs.create(caller, &a.location.dir, &a.location.name, &a.how);
            put!(made, CreateReply, CreateOk)
        }
        Mkdir::NUMBER => {
            let a = arguments::<Mkdir>(c)?;
            let made = fs.mkdir(caller, &a.location.dir, &a.location.name, &a.attributes);
            put!(made, MkdirReply, MkdirOk)
        }
        Symlink::NUMBER => {
            let a = arguments::<Symlink>(c)?;
            put!(symlink(fs, caller, &a), SymlinkReply, SymlinkOk)
        }
        _ => {
            let a = arguments::<Mknod>(c)?;
            put!(mknod(fs, caller, &a), MknodReply, MknodOk)
        }
    }
}

fn symlink(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    a: &SymlinkArgs<'_>,
) -> crate::fs::Result<crate::fs::Made> {
    // Calls are decoded when all of their bytes are here.
    let text = a.symlink.data.as_slice().ok_or_else(|| Failure::from(Status::SERVERFAULT))?;
    fs.symlink(caller, &a.location.dir, &a.location.name, text, &a.symlink.attributes)
}

fn mknod(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    a: &MknodArgs<'_>,
) -> crate::fs::Result<crate::fs::Made> {
    let none = SpecData::default();
    let (file_type, device, new) = match &a.what {
        MknodData::CharDevice(data) => (FileType::CharDevice, data.spec, &data.attributes),
        MknodData::BlockDevice(data) => (FileType::BlockDevice, data.spec, &data.attributes),
        MknodData::Socket(new) => (FileType::Socket, none, new),
        MknodData::Fifo(new) => (FileType::Fifo, none, new),
        MknodData::Other(_) => return Err(Status::BADTYPE.into()),
    };
    fs.mknod(caller, &a.location.dir, &a.location.name, file_type, device, new)
}

/// REMOVE, RMDIR, RENAME and LINK.
fn rename_or_remove(
    fs: &dyn FileSystem,
    caller: &Caller<'_>,
    procedure: u32,
    c: Cursor<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    match procedure {
        Remove::NUMBER => {
            let a = arguments::<Remove>(c)?;
            out.put(&match fs.remove(caller, &a.object.dir, &a.object.name) {
                Ok(dir_wcc) => RemoveReply::Ok(RemoveOk { dir_wcc }),
                Err(failure) => RemoveReply::Fail(failure.status, failure.first()),
            })
        }
        Rmdir::NUMBER => {
            let a = arguments::<Rmdir>(c)?;
            out.put(&match fs.rmdir(caller, &a.object.dir, &a.object.name) {
                Ok(dir_wcc) => RmdirReply::Ok(RmdirOk { dir_wcc }),
                Err(failure) => RmdirReply::Fail(failure.status, failure.first()),
            })
        }
        Rename::NUMBER => {
            let a = arguments::<Rename>(c)?;
            let (from, to) = ((&*a.from.dir, &*a.from.name), (&*a.to.dir, &*a.to.name));
            out.put(&match fs.rename(caller, from, to) {
                Ok(done) => {
                    RenameReply::Ok(RenameOk { from_dir_wcc: done.from, to_dir_wcc: done.to })
                }
                Err(failure) => RenameReply::Fail(
                    failure.status,
                    RenameFail { from_dir_wcc: failure.first(), to_dir_wcc: failure.second() },
                ),
            })
        }
        _ => {
            let a = arguments::<Link>(c)?;
            out.put(&match fs.link(caller, &a.file, &a.link.dir, &a.link.name) {
                Ok(done) => {
                    LinkReply::Ok(LinkOk { attributes: done.attributes, link_dir_wcc: done.dir })
                }
                Err(failure) => LinkReply::Fail(
                    failure.status,
                    LinkFail { attributes: failure.first().after, link_dir_wcc: failure.second() },
                ),
            })
        }
    }
}
