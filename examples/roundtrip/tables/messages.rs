//! Whole RPC messages: a header, and the arguments or results of the procedure that the type names.

use std::io::{self, Write};

use nfswire_nfs3::{mount::v1 as mount1, mount::v3 as mount3, procedures as nfs3};
use nfswire_rpc::{
    Procedure, portmap,
    rpcbind::{v3 as rpcbind3, v4 as rpcbind4},
};

use crate::codec::{self, Codec};

pub(super) const AREA: &str = "messages";

struct Entry {
    program: u32,
    version: u32,
    name: &'static str,
    call: Codec,
    reply: Codec,
}

const fn of<P: Procedure>() -> Entry {
    Entry {
        program: P::PROGRAM,
        version: P::VERSION,
        name: P::NAME,
        call: |job| codec::call::<P>(job),
        reply: |job| codec::reply::<P>(job),
    }
}

const PROCEDURES: &[Entry] = &[
    of::<nfs3::Null>(),
    of::<nfs3::Getattr>(),
    of::<nfs3::Setattr>(),
    of::<nfs3::Lookup>(),
    of::<nfs3::Access>(),
    of::<nfs3::Readlink>(),
    of::<nfs3::Read>(),
    of::<nfs3::Write>(),
    of::<nfs3::Create>(),
    of::<nfs3::Mkdir>(),
    of::<nfs3::Symlink>(),
    of::<nfs3::Mknod>(),
    of::<nfs3::Remove>(),
    of::<nfs3::Rmdir>(),
    of::<nfs3::Rename>(),
    of::<nfs3::Link>(),
    of::<nfs3::Readdir>(),
    of::<nfs3::Readdirplus>(),
    of::<nfs3::Fsstat>(),
    of::<nfs3::Fsinfo>(),
    of::<nfs3::Pathconf>(),
    of::<nfs3::Commit>(),
    of::<mount1::Null>(),
    of::<mount1::Mnt>(),
    of::<mount1::Dump>(),
    of::<mount1::Umnt>(),
    of::<mount1::Umntall>(),
    of::<mount1::Export>(),
    of::<mount1::Exportall>(),
    of::<mount3::Null>(),
    of::<mount3::Mnt>(),
    of::<mount3::Dump>(),
    of::<mount3::Umnt>(),
    of::<mount3::Umntall>(),
    of::<mount3::Export>(),
    of::<portmap::Null>(),
    of::<portmap::Set>(),
    of::<portmap::Unset>(),
    of::<portmap::Getport>(),
    of::<portmap::Dump>(),
    of::<portmap::Callit>(),
    of::<rpcbind3::Null>(),
    of::<rpcbind3::Set>(),
    of::<rpcbind3::Unset>(),
    of::<rpcbind3::Getaddr>(),
    of::<rpcbind3::Dump>(),
    of::<rpcbind3::Callit>(),
    of::<rpcbind3::Gettime>(),
    of::<rpcbind3::Uaddr2taddr>(),
    of::<rpcbind3::Taddr2uaddr>(),
    of::<rpcbind4::Null>(),
    of::<rpcbind4::Set>(),
    of::<rpcbind4::Unset>(),
    of::<rpcbind4::Getaddr>(),
    of::<rpcbind4::Dump>(),
    of::<rpcbind4::Bcast>(),
    of::<rpcbind4::Gettime>(),
    of::<rpcbind4::Uaddr2taddr>(),
    of::<rpcbind4::Taddr2uaddr>(),
    of::<rpcbind4::Getversaddr>(),
    of::<rpcbind4::Indirect>(),
    of::<rpcbind4::Getaddrlist>(),
    of::<rpcbind4::Getstat>(),
];

/// The codec of `call/PROGRAM/VERSION/PROCEDURE` or `reply/PROGRAM/VERSION/PROCEDURE`.
pub(super) fn find(name: &[u8]) -> Option<Codec> {
    let mut parts = str::from_utf8(name).ok()?.split('/');
    let (direction, program, version, name) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (program, version) = (program.parse::<u32>().ok()?, version.parse::<u32>().ok()?);
    let entry =
        PROCEDURES.iter().find(|e| (e.program, e.version, e.name) == (program, version, name))?;
    match direction {
        "call" => Some(entry.call),
        "reply" => Some(entry.reply),
        _ => None,
    }
}

/// Writes the names of all messages.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    for direction in ["call", "reply"] {
        for Entry { program, version, name, .. } in PROCEDURES {
            writeln!(out, "{AREA}.{direction}/{program}/{version}/{name}")?;
        }
    }
    Ok(())
}
