//! Every type that is known, by area. A new type is a line in the table of its area.

mod layout_block;
mod layout_files;
mod layout_flexfiles;
mod layout_objects;
mod layout_scsi;
mod messages;
mod mount;
mod nfs2;
mod nfs3;
mod nfs40;
mod nfs41;
mod nfs42;
mod nfs4cb;
mod nfsacl;
mod nlm;
mod nsm;
mod portmap;
mod rpc;
mod rpcbind;
mod rpcrdma;
mod rpcsec_gss;
mod xdr;

use std::io::{self, Write};

use crate::codec::Codec;

/// The types of an area by their RFC names.
type Table = &'static [(&'static str, Codec)];

/// Makes a table from lines `"RFC name" => Type`.
macro_rules! types {
    ($($name:literal => $t:ty),* $(,)?) => {
        &[$(($name, |job| $crate::codec::value::<$t>(job))),*]
    };
}
use types;

/// The value of an attribute of NFSv4.
type Value<'a, K> = <K as nfswire_nfs4::attrs::Attribute>::Value<'a>;

/// An area may have several tables.
const AREAS: &[(&str, Table)] = &[
    ("xdr", xdr::TYPES),
    ("rpc", rpc::TYPES),
    ("rpc", rpc::OTHERS),
    ("portmap", portmap::TYPES),
    ("rpcbind", rpcbind::TYPES),
    ("rpcsec_gss", rpcsec_gss::TYPES),
    ("mount", mount::TYPES),
    ("nfs2", nfs2::TYPES),
    ("nfs3", nfs3::TYPES),
    ("nfs40", nfs40::TYPES),
    ("nfs41", nfs41::TYPES),
    ("nfs42", nfs42::TYPES),
    ("nfs4cb", nfs4cb::TYPES),
    ("layout-block", layout_block::TYPES),
    ("layout-files", layout_files::TYPES),
    ("layout-flexfiles", layout_flexfiles::TYPES),
    ("layout-objects", layout_objects::TYPES),
    ("layout-scsi", layout_scsi::TYPES),
    ("nlm", nlm::TYPES),
    ("nsm", nsm::TYPES),
    ("nfsacl", nfsacl::TYPES),
    ("rpcrdma", rpcrdma::TYPES),
    ("rpcrdma-cm", rpcrdma::CM),
];

/// The codec of a type.
pub(crate) fn find(area: &[u8], name: &[u8]) -> Option<Codec> {
    if area == messages::AREA.as_bytes() {
        return messages::find(name);
    }
    let mut types =
        AREAS.iter().filter(|(known, _)| known.as_bytes() == area).flat_map(|(_, types)| *types);
    types.find(|(known, _)| known.as_bytes() == name).map(|(_, codec)| *codec)
}

/// Writes the names of all types.
pub(crate) fn list(out: &mut impl Write) -> io::Result<()> {
    for (area, types) in AREAS {
        for (name, _) in *types {
            writeln!(out, "{area}.{name}")?;
        }
    }
    messages::list(out)
}
