//! Whole RPC messages: a header, and the arguments or results of the procedure that the type names.

use std::io::{self, Write};

use nfswire_nfs3::{
    acl::{v2 as acl2, v3 as acl3},
    mount::{v1 as mount1, v3 as mount3},
    nlm::{v1::procedures as nlm1, v3::procedures as nlm3, v4::procedures as nlm4},
    nsm, procedures as nfs3,
    v2::procedures as nfs2,
};
use nfswire_nfs4::{
    OpNum,
    callback::{CbOpNum, procedures as nfs4_callback},
    compound::Standing,
    procedures as nfs4,
};
use nfswire_rpc::{
    Procedure, portmap,
    rpcbind::{v3 as rpcbind3, v4 as rpcbind4},
};

use crate::codec::{self, Codec, Refused};

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
    of::<nfs2::Null>(),
    of::<nfs2::Getattr>(),
    of::<nfs2::Setattr>(),
    of::<nfs2::Root>(),
    of::<nfs2::Lookup>(),
    of::<nfs2::Readlink>(),
    of::<nfs2::Read>(),
    of::<nfs2::Writecache>(),
    of::<nfs2::Write>(),
    of::<nfs2::Create>(),
    of::<nfs2::Remove>(),
    of::<nfs2::Rename>(),
    of::<nfs2::Link>(),
    of::<nfs2::Symlink>(),
    of::<nfs2::Mkdir>(),
    of::<nfs2::Rmdir>(),
    of::<nfs2::Readdir>(),
    of::<nfs2::Statfs>(),
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
    of::<nlm1::Null>(),
    of::<nlm1::Test>(),
    of::<nlm1::Lock>(),
    of::<nlm1::Cancel>(),
    of::<nlm1::Unlock>(),
    of::<nlm1::Granted>(),
    of::<nlm1::TestMsg>(),
    of::<nlm1::LockMsg>(),
    of::<nlm1::CancelMsg>(),
    of::<nlm1::UnlockMsg>(),
    of::<nlm1::GrantedMsg>(),
    of::<nlm1::TestRes>(),
    of::<nlm1::LockRes>(),
    of::<nlm1::CancelRes>(),
    of::<nlm1::UnlockRes>(),
    of::<nlm1::GrantedRes>(),
    of::<nlm3::Null>(),
    of::<nlm3::Test>(),
    of::<nlm3::Lock>(),
    of::<nlm3::Cancel>(),
    of::<nlm3::Unlock>(),
    of::<nlm3::Granted>(),
    of::<nlm3::TestMsg>(),
    of::<nlm3::LockMsg>(),
    of::<nlm3::CancelMsg>(),
    of::<nlm3::UnlockMsg>(),
    of::<nlm3::GrantedMsg>(),
    of::<nlm3::TestRes>(),
    of::<nlm3::LockRes>(),
    of::<nlm3::CancelRes>(),
    of::<nlm3::UnlockRes>(),
    of::<nlm3::GrantedRes>(),
    of::<nlm3::Share>(),
    of::<nlm3::Unshare>(),
    of::<nlm3::NmLock>(),
    of::<nlm3::FreeAll>(),
    of::<nlm4::Null>(),
    of::<nlm4::Test>(),
    of::<nlm4::Lock>(),
    of::<nlm4::Cancel>(),
    of::<nlm4::Unlock>(),
    of::<nlm4::Granted>(),
    of::<nlm4::TestMsg>(),
    of::<nlm4::LockMsg>(),
    of::<nlm4::CancelMsg>(),
    of::<nlm4::UnlockMsg>(),
    of::<nlm4::GrantedMsg>(),
    of::<nlm4::TestRes>(),
    of::<nlm4::LockRes>(),
    of::<nlm4::CancelRes>(),
    of::<nlm4::UnlockRes>(),
    of::<nlm4::GrantedRes>(),
    of::<nlm4::Share>(),
    of::<nlm4::Unshare>(),
    of::<nlm4::NmLock>(),
    of::<nlm4::FreeAll>(),
    of::<nsm::Null>(),
    of::<nsm::Stat>(),
    of::<nsm::Mon>(),
    of::<nsm::Unmon>(),
    of::<nsm::UnmonAll>(),
    of::<nsm::SimuCrash>(),
    of::<nsm::Notify>(),
    of::<acl2::Null>(),
    of::<acl2::Getacl>(),
    of::<acl2::Setacl>(),
    of::<acl2::Getattr>(),
    of::<acl2::Access>(),
    of::<acl2::Getxattrdir>(),
    of::<acl3::Null>(),
    of::<acl3::Getacl>(),
    of::<acl3::Setacl>(),
    of::<acl3::Getxattrdir>(),
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

/// A minor version of NFSv4 or of its callbacks. A type names it in the place of the version, and behind the procedure
/// may name the operation that the COMPOUND is about.
struct Minor {
    version: &'static str,
    procedures: [Entry; 2],
    has: fn(&str) -> bool,
}

const fn minor<const MINOR: u32>(version: &'static str) -> Minor {
    Minor {
        version,
        procedures: [
            of::<nfs4::Null>(),
            Entry {
                call: |job| {
                    codec::call_of::<nfs4::Compound>(job, |args| {
                        minor_is(args.minor_version, MINOR)
                    })
                },
                ..of::<nfs4::Compound>()
            },
        ],
        has: |name| {
            OpNum::ALL.iter().any(|(known, op)| {
                *known == name && OpNum(*op).standing(MINOR) == Standing::Defined
            })
        },
    }
}

const fn callback<const MINOR: u32>(version: &'static str) -> Minor {
    Minor {
        version,
        procedures: [
            of::<nfs4_callback::Null>(),
            Entry {
                call: |job| {
                    codec::call_of::<nfs4_callback::Compound>(job, |args| {
                        minor_is(args.minor_version, MINOR)
                    })
                },
                ..of::<nfs4_callback::Compound>()
            },
        ],
        has: |name| {
            let since = |op: u32| CbOpNum(op).since();
            CbOpNum::ALL
                .iter()
                .any(|(known, op)| *known == name && since(*op).is_some_and(|since| since <= MINOR))
        },
    }
}

fn minor_is(found: u32, named: u32) -> Result<(), Refused> {
    if found == named {
        Ok(())
    } else {
        Err(format!("the call is of minor version {found}, not {named}").into())
    }
}

const MINORS: &[Minor] = &[
    minor::<0>("4.0"),
    minor::<1>("4.1"),
    minor::<2>("4.2"),
    callback::<0>("cb4.0"),
    callback::<1>("cb4.1"),
    callback::<2>("cb4.2"),
];

fn entry(program: u32, version: &str, name: &str, op: Option<&str>) -> Option<&'static Entry> {
    let same = |entry: &&Entry| entry.program == program && entry.name == name;
    if let Some(minor) = MINORS.iter().find(|minor| minor.version == version) {
        let entry = minor.procedures.iter().find(same)?;
        return op
            .is_none_or(|op| entry.name.ends_with("COMPOUND") && (minor.has)(op))
            .then_some(entry);
    }
    let version = version.parse::<u32>().ok()?;
    let entry = PROCEDURES.iter().filter(|entry| entry.version == version).find(same)?;
    op.is_none().then_some(entry)
}

/// The codec of `call/PROGRAM/VERSION/PROCEDURE[/OPERATION]` or `reply/...`.
pub(super) fn find(name: &[u8]) -> Option<Codec> {
    let mut parts = str::from_utf8(name).ok()?.split('/');
    let (direction, program, version, name) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let op = parts.next();
    if parts.next().is_some() {
        return None;
    }
    let entry = entry(program.parse().ok()?, version, name, op)?;
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
        for Minor { version, procedures, .. } in MINORS {
            for Entry { program, name, .. } in procedures {
                writeln!(out, "{AREA}.{direction}/{program}/{version}/{name}")?;
            }
        }
    }
    Ok(())
}
