//! The programs whose messages are decoded: one line for each version of a program in [`VERSIONS`].

use core::fmt::{self, Write as _};

use nfswire_nfs3::{
    acl::v2 as acl2, acl::v3 as acl3, mount::v1 as mount1, mount::v3 as mount3,
    nlm::v1::procedures as nlm1, nlm::v3::procedures as nlm3, nlm::v4::procedures as nlm4, nsm,
    procedures as nfs3, v2::procedures as nfs2,
};
use nfswire_nfs4::{callback::procedures as cb4, procedures as nfs4};
use nfswire_rpc::{Procedure, gss, portmap, rpcbind::v3 as rpcbind3, rpcbind::v4 as rpcbind4};
use nfswire_xdr::serde::{Serialize, SerializeXdr, Serializer};
use nfswire_xdr::{Chunk, Cursor, Decode, DecodeError, Encode, Encoder, Segments};
use serde_json::value::RawValue;

use crate::fields::Fields;
use crate::nfs4::Which;

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

/// How the rest of a message is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    /// As arguments or results: it decodes the value, and encodes it again. The answer is whether
    /// the same bytes came out.
    Value(fn(Cursor<'_>, View<'_>) -> Result<bool, DecodeError>),
    /// Operation by operation.
    Compound(Which),
}

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

/// The callbacks of NFSv4, whose program has the number that the client chose.
const CALLBACKS: Version = Version {
    program: cb4::PROGRAM,
    version: cb4::VERSION,
    name: "NFS CB",
    prefix: "",
    procedures: &[of::<cb4::Null>(), compound::<cb4::Compound>(true)],
};

/// NFSv4: one procedure does everything.
const NFS4: Version = Version {
    program: nfs4::PROGRAM,
    version: nfs4::VERSION,
    name: "NFS",
    prefix: "NFSPROC4_",
    procedures: &[of::<nfs4::Null>(), compound::<nfs4::Compound>(false)],
};

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
    NFS4,
    CALLBACKS,
];

/// Programs that are known by name only.
const OTHERS: &[(u32, &str)] = &[(100_011, "RQUOTA")];

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
pub(crate) fn find(called: Called) -> Known {
    let program = called.meaning();
    let mut versions = VERSIONS.iter().filter(|it| it.program == program);
    if let Some(found) = versions.clone().find(|it| it.version == called.version) {
        return Known::Version(found);
    }
    versions.next().map_or(Known::Other, |it| Known::NoVersion(it.name))
}

/// Whether a number of a program has a meaning that no client can choose.
pub(crate) fn named(program: u32) -> bool {
    VERSIONS.iter().any(|it| it.program == program) || OTHERS.iter().any(|it| it.0 == program)
}

/// Name of a program in few words.
pub(crate) fn program_name(called: Called) -> Option<&'static str> {
    match find(called) {
        Known::Version(version) => Some(version.name),
        Known::NoVersion(name) => Some(name),
        Known::Other => OTHERS.iter().find(|it| it.0 == called.program).map(|it| it.1),
    }
}

/// Name of a procedure, or its number.
pub(crate) fn procedure_name(called: Called) -> String {
    let Called { procedure, .. } = called;
    if let Known::Version(known) = find(called)
        && let Some(entry) = known.procedure(procedure)
    {
        return known.short(entry).into();
    }
    // Of every version of every program (RFC 5531, section 12.1).
    if procedure == 0 {
        return "NULL".into();
    }
    format!("proc-{procedure}")
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
#[expect(clippy::redundant_closure, reason = "the function itself is for one lifetime only")]
const fn of<P: Procedure>() -> Entry
where
    for<'a> P::Args<'a>: SerializeXdr,
    for<'a> P::Reply<'a>: SerializeXdr,
{
    Entry {
        number: P::NUMBER,
        rfc_name: P::NAME,
        args: Body::Value(|c, view| body::<P::Args<'_>>(c, view)),
        results: Body::Value(|c, view| body::<P::Reply<'_>>(c, view)),
    }
}

/// COMPOUND or CB_COMPOUND.
const fn compound<P: Procedure>(callback: bool) -> Entry {
    Entry {
        number: P::NUMBER,
        rfc_name: P::NAME,
        args: Body::Compound(Which { callback, reply: false }),
        results: Body::Compound(Which { callback, reply: true }),
    }
}

/// Bodies that RPCSEC_GSS puts in the place of a procedure's (RFC 2203, sections 5.2 and 5.3).
#[expect(clippy::redundant_closure, reason = "the function itself is for one lifetime only")]
pub(crate) const GSS_INTEGRITY: Body = Body::Value(|c, view| body::<gss::IntegData<'_>>(c, view));
#[expect(clippy::redundant_closure, reason = "the function itself is for one lifetime only")]
pub(crate) const GSS_PRIVACY: Body = Body::Value(|c, view| body::<gss::PrivData<'_>>(c, view));
#[expect(clippy::redundant_closure, reason = "the function itself is for one lifetime only")]
pub(crate) const GSS_INIT_ARGS: Body = Body::Value(|c, view| body::<gss::InitArgs<'_>>(c, view));
#[expect(clippy::redundant_closure, reason = "the function itself is for one lifetime only")]
pub(crate) const GSS_INIT_RESULTS: Body =
    Body::Value(|c, view| body::<gss::InitReply<'_>>(c, view));

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
    /// The program is a client's callbacks, whatever its number.
    pub(crate) callback: bool,
}

impl Called {
    /// The number by which the program is known.
    const fn meaning(self) -> u32 {
        if self.callback { cb4::PROGRAM } else { self.program }
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, version, procedure, .. } = *self;
        match program_name(*self) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "program {program}")?,
        }
        write!(f, " version {version} procedure {procedure}")?;
        let name = procedure_name(*self);
        if name.starts_with("proc-") {
            return Ok(());
        }
        f.write_char(' ')?;
        f.write_str(&name)
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
            nfs4::PROCEDURES,
            cb4::PROCEDURES,
        ];
        assert_eq!(VERSIONS.len(), tables.len());
        for (version, table) in VERSIONS.iter().zip(tables) {
            let listed: Vec<_> =
                version.procedures.iter().map(|it| (it.number, it.rfc_name)).collect();
            assert_eq!(listed, *table, "{} {}", version.name, version.version);
            for entry in version.procedures {
                assert!(entry.rfc_name.starts_with(version.prefix), "the prefix does not fit");
            }
        }
    }

    #[test]
    fn versions_and_other_programs() {
        let called =
            |program, version, procedure| Called { program, version, procedure, callback: false };
        assert!(matches!(find(called(100_003, 3, 0)), Known::Version(it) if it.name == "NFS"));
        assert!(matches!(find(called(100_003, 4, 0)), Known::Version(it) if it.name == "NFS"));
        assert!(matches!(find(called(100_003, 9, 0)), Known::NoVersion("NFS")));
        assert!(matches!(find(called(200_000, 1, 0)), Known::Other));
        let text = called(100_003, 4, 1).to_string();
        assert_eq!(text, "NFS version 4 procedure 1 COMPOUND");
        assert_eq!(called(7, 1, 2).to_string(), "program 7 version 1 procedure 2");
        let callback = Called { callback: true, ..called(7, 1, 1) };
        assert_eq!(callback.to_string(), "NFS CB version 1 procedure 1 CB_COMPOUND");
    }

    #[test]
    fn the_encoding_is_compared_to_its_last_byte() {
        assert!(encodes_to(&7u32, &[0, 0, 0, 7]));
        assert!(!encodes_to(&7u32, &[0, 0, 0, 8]));
        assert!(!encodes_to(&7u32, &[0, 0, 0, 7, 0]));
        assert!(!encodes_to(&7u32, &[0, 0, 0]));
    }
}
