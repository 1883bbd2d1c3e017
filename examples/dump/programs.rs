//! The programs whose messages are decoded: one line for each version of a program in [`VERSIONS`].

use core::fmt::{self, Write as _};

use nfswire_nfs3::{
    acl::v2 as acl2, acl::v3 as acl3, mount::v1 as mount1, mount::v3 as mount3,
    nlm::v1::procedures as nlm1, nlm::v3::procedures as nlm3, nlm::v4::procedures as nlm4, nsm,
    procedures as nfs3, v2::procedures as nfs2,
};
use nfswire_rpc::{Procedure, gss, portmap, rpcbind::v3 as rpcbind3, rpcbind::v4 as rpcbind4};
use nfswire_xdr::serde::{Serialize, SerializeXdr, Serializer};
use nfswire_xdr::{Chunk, Cursor, Decode, DecodeError, Encode, Encoder, Segments};
use serde_json::value::RawValue;

use crate::fields::Fields;

/// What is to be shown of a value.
#[derive(Debug)]
pub(crate) enum View<'v> {
    /// Nothing.
    None,
    /// The fields that fit a line.
    Line(&'v mut Fields),
    /// All of it.
    Json(&'v mut Option<Box<RawValue>>),
}

/// Decodes the rest of a message as arguments or results, and encodes the value again. The answer
/// is whether the same bytes came out.
pub(crate) type Body = fn(Cursor<'_>, View<'_>) -> Result<bool, DecodeError>;

/// A procedure and how its arguments and results are read.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    /// As the RFC spells it.
    pub(crate) rfc_name: &'static str,
    pub(crate) args: Body,
    pub(crate) results: Body,
}

/// A version of a program.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) program: u32,
    pub(crate) version: u32,
    /// As packet dumps call the program.
    pub(crate) name: &'static str,
    /// What the names of the procedures begin with, which a line leaves out.
    prefix: &'static str,
    pub(crate) procedures: &'static [Entry],
}

impl Version {
    pub(crate) fn procedure(&self, number: u32) -> Option<&'static Entry> {
        self.procedures.iter().find(|entry| entry.number == number)
    }

    /// Name of a procedure without what all names of the version begin with.
    pub(crate) fn short(&self, entry: &Entry) -> &'static str {
        entry.rfc_name.strip_prefix(self.prefix).unwrap_or(entry.rfc_name)
    }
}

macro_rules! version {
    ($name:literal, $prefix:literal, $module:ident: $first:ident $($procedure:ident)*) => {
        Version {
            program: <$module::$first as Procedure>::PROGRAM,
            version: <$module::$first as Procedure>::VERSION,
            name: $name,
            prefix: $prefix,
            procedures: &[of::<$module::$first>(), $(of::<$module::$procedure>()),*],
        }
    };
}

/// Every version that is decoded.
#[rustfmt::skip]
pub(crate) const VERSIONS: &[Version] = &[
    version!("Portmap", "PMAPPROC_", portmap: Null Set Unset Getport Dump Callit),
    version!("RPCBIND", "RPCBPROC_", rpcbind3: Null Set Unset Getaddr Dump Callit Gettime Uaddr2taddr Taddr2uaddr),
    version!("RPCBIND", "RPCBPROC_", rpcbind4: Null Set Unset Getaddr Dump Bcast Gettime Uaddr2taddr Taddr2uaddr Getversaddr Indirect Getaddrlist Getstat),
    version!("NFS", "NFSPROC3_", nfs3: Null Getattr Setattr Lookup Access Readlink Read Write Create Mkdir Symlink Mknod Remove Rmdir Rename Link Readdir Readdirplus Fsstat Fsinfo Pathconf Commit),
    version!("NFS", "NFSPROC_", nfs2: Null Getattr Setattr Root Lookup Readlink Read Writecache Write Create Remove Rename Link Symlink Mkdir Rmdir Readdir Statfs),
    version!("MOUNT", "MOUNTPROC_", mount1: Null Mnt Dump Umnt Umntall Export Exportall),
    version!("MOUNT", "MOUNTPROC3_", mount3: Null Mnt Dump Umnt Umntall Export),
    version!("NLM", "NLM_", nlm1: Null Test Lock Cancel Unlock Granted TestMsg LockMsg CancelMsg UnlockMsg GrantedMsg TestRes LockRes CancelRes UnlockRes GrantedRes),
    version!("NLM", "NLM_", nlm3: Null Test Lock Cancel Unlock Granted TestMsg LockMsg CancelMsg UnlockMsg GrantedMsg TestRes LockRes CancelRes UnlockRes GrantedRes Share Unshare NmLock FreeAll),
    version!("NLM", "NLMPROC4_", nlm4: Null Test Lock Cancel Unlock Granted TestMsg LockMsg CancelMsg UnlockMsg GrantedMsg TestRes LockRes CancelRes UnlockRes GrantedRes Share Unshare NmLock FreeAll),
    version!("NSM", "SM_", nsm: Null Stat Mon Unmon UnmonAll SimuCrash Notify),
    version!("NFSACL", "ACLPROC2_", acl2: Null Getacl Setacl Getattr Access Getxattrdir),
    version!("NFSACL", "ACLPROC3_", acl3: Null Getacl Setacl Getxattrdir),
];

/// Versions of known programs, and known programs, that are not decoded here: their messages are
/// those of other programs.
const OTHERS: &[(u32, Option<u32>, &str, &[&str])] = &[
    (100_003, Some(4), "NFS", &["", "COMPOUND"]),
    // The program of callbacks is the client's choice; this is the one of Linux.
    (0x4000_0000, Some(1), "NFS CB", &["", "CB_COMPOUND"]),
    (100_011, None, "RQUOTA", &[]),
];

/// What a number of program and version means here.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known {
    /// It is decoded.
    Version(&'static Version),
    /// The program is decoded, and has no such version.
    NoVersion(&'static str),
    /// Another program.
    Other,
}

/// Looks a version of a program up.
pub(crate) fn find(program: u32, version: u32) -> Known {
    let mut versions = VERSIONS.iter().filter(|it| it.program == program);
    if let Some(found) = versions.clone().find(|it| it.version == version) {
        return Known::Version(found);
    }
    match versions.next() {
        Some(it) if other(program, version).is_none_or(|other| other.1.is_none()) => {
            Known::NoVersion(it.name)
        }
        _ => Known::Other,
    }
}

fn other(
    program: u32,
    version: u32,
) -> Option<&'static (u32, Option<u32>, &'static str, &'static [&'static str])> {
    OTHERS.iter().find(|it| it.0 == program && it.1.is_none_or(|it| it == version))
}

/// Name of a program in few words.
pub(crate) fn program_name(program: u32, version: u32) -> Option<&'static str> {
    let mut versions = VERSIONS.iter().filter(|it| it.program == program);
    let exact = versions.clone().find(|it| it.version == version);
    exact
        .map(|it| it.name)
        .or_else(|| other(program, version).map(|it| it.2))
        .or_else(|| versions.next().map(|it| it.name))
}

/// Name of a procedure, or its number.
pub(crate) fn procedure_name(program: u32, version: u32, procedure: u32) -> String {
    if let Known::Version(known) = find(program, version)
        && let Some(entry) = known.procedure(procedure)
    {
        return known.short(entry).into();
    }
    // Of every version of every program (RFC 5531, section 12.1).
    if procedure == 0 {
        return "NULL".into();
    }
    let index = usize::try_from(procedure).unwrap_or(usize::MAX);
    other(program, version)
        .and_then(|it| it.3.get(index))
        .map_or_else(|| format!("proc-{procedure}"), |name| (*name).into())
}

/// What a port suggests about the traffic there: nothing more than which streams of bytes are worth a
/// word when they cannot be read.
pub(crate) const fn hint(src: u16, dst: u16) -> Option<&'static str> {
    match (src, dst) {
        (2049, _) | (_, 2049) => Some("NFS"),
        (111, _) | (_, 111) => Some("Portmap"),
        (20048, _) | (_, 20048) => Some("MOUNT"),
        _ => None,
    }
}

/// How a procedure's bodies are read.
const fn of<P: Procedure>() -> Entry
where
    for<'a> P::Args<'a>: SerializeXdr,
    for<'a> P::Reply<'a>: SerializeXdr,
{
    Entry {
        number: P::NUMBER,
        rfc_name: P::NAME,
        args: |c, view| body::<P::Args<'_>>(c, view),
        results: |c, view| body::<P::Reply<'_>>(c, view),
    }
}

/// Bodies that RPCSEC_GSS puts in the place of a procedure's (RFC 2203, sections 5.2 and 5.3).
pub(crate) const GSS_INTEGRITY: Body = |c, view| body::<gss::IntegData<'_>>(c, view);
pub(crate) const GSS_PRIVACY: Body = |c, view| body::<gss::PrivData<'_>>(c, view);
pub(crate) const GSS_INIT_ARGS: Body = |c, view| body::<gss::InitArgs<'_>>(c, view);
pub(crate) const GSS_INIT_RESULTS: Body = |c, view| body::<gss::InitReply<'_>>(c, view);

fn body<'a, T: Decode<'a> + Encode<'a> + SerializeXdr>(
    mut c: Cursor<'a>,
    view: View<'_>,
) -> Result<bool, DecodeError> {
    let bytes = c.rest();
    let value: T = c.decode()?;
    c.finish()?;
    let shown = Shown(&value);
    match view {
        View::None => {}
        View::Line(fields) => {
            // The end of the line is no fault.
            let _full = shown.serialize(fields);
        }
        View::Json(json) => *json = serde_json::value::to_raw_value(&shown).ok(),
    }
    Ok(encodes_to(&value, bytes))
}

/// Whether a value's encoding is these bytes.
pub(crate) fn encodes_to<'p, T: Encode<'p> + ?Sized>(value: &T, bytes: &[u8]) -> bool {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    if e.put(value).is_err() {
        return false;
    }
    let len = e.finish();
    if u64::try_from(bytes.len()) != Ok(len) || value.encoded_len() != len {
        return false;
    }
    let mut rest = bytes;
    let same = segments.view(&head).iter().all(|chunk| match chunk {
        Chunk::Bytes(chunk) => match rest.strip_prefix(chunk) {
            Some(behind) => {
                rest = behind;
                true
            }
            None => false,
        },
        Chunk::File(_) => false,
    });
    same && rest.is_empty()
}

/// A wire type as serde's formats show it.
#[derive(Debug)]
pub(crate) struct Shown<'v, T>(pub(crate) &'v T);

impl<T: SerializeXdr> Serialize for Shown<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_xdr(serializer)
    }
}

/// Numbers of a call, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Called {
    pub(crate) program: u32,
    pub(crate) version: u32,
    pub(crate) procedure: u32,
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, version, procedure } = *self;
        match program_name(program, version) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "program {program}")?,
        }
        write!(f, " version {version} procedure {procedure}")?;
        if procedure_name(program, version, procedure).starts_with("proc-") {
            return Ok(());
        }
        f.write_char(' ')?;
        f.write_str(&procedure_name(program, version, procedure))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects)]
    use super::*;

    /// The table leaves no procedure of a version out.
    #[test]
    fn every_procedure_of_a_version_is_in_its_line() {
        let tables: &[&[(u32, &str)]] = &[
            portmap::PROCEDURES,
            rpcbind3::PROCEDURES,
            rpcbind4::PROCEDURES,
            nfs3::PROCEDURES,
            nfs2::PROCEDURES,
            mount1::PROCEDURES,
            mount3::PROCEDURES,
            nlm1::PROCEDURES,
            nlm3::PROCEDURES,
            nlm4::PROCEDURES,
            nsm::PROCEDURES,
            acl2::PROCEDURES,
            acl3::PROCEDURES,
        ];
        assert_eq!(VERSIONS.len(), tables.len());
        for (version, table) in VERSIONS.iter().zip(tables) {
            let listed: Vec<_> =
                version.procedures.iter().map(|it| (it.number, it.rfc_name)).collect();
            assert_eq!(listed, *table, "{} {}", version.name, version.version);
            for entry in version.procedures {
                assert_ne!(version.short(entry), entry.rfc_name, "the prefix does not fit");
            }
        }
    }

    #[test]
    fn versions_and_other_programs() {
        assert!(matches!(find(100_003, 3), Known::Version(it) if it.name == "NFS"));
        assert!(matches!(find(100_003, 4), Known::Other));
        assert!(matches!(find(100_003, 9), Known::NoVersion("NFS")));
        assert!(matches!(find(200_000, 1), Known::Other));
        let called = Called { program: 100_003, version: 4, procedure: 1 };
        assert_eq!(called.to_string(), "NFS version 4 procedure 1 COMPOUND");
        let called = Called { program: 7, version: 1, procedure: 2 };
        assert_eq!(called.to_string(), "program 7 version 1 procedure 2");
    }

    #[test]
    fn the_encoding_is_compared_to_its_last_byte() {
        assert!(encodes_to(&7u32, &[0, 0, 0, 7]));
        assert!(!encodes_to(&7u32, &[0, 0, 0, 8]));
        assert!(!encodes_to(&7u32, &[0, 0, 0, 7, 0]));
        assert!(!encodes_to(&7u32, &[0, 0, 0]));
    }
}
