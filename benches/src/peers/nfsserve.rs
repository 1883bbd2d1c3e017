//! The messages as nfsserve has them: it makes its attributes, handles and macros public, and keeps
//! the bodies below to itself. They are declared as there, by its own macro, with its own types;
//! replies and the list of entries are put together as its handlers do.

use std::io::{Read, Result, Write};

use nfsserve::{
    nfs::{
        cookie3, cookieverf3, count3, fileid3, filename3, nfs_fh3, nfsstat3, offset3, post_op_attr,
        post_op_fh3,
    },
    xdr::XDR,
    xdr_struct,
};

/// A reply that is a success: the status, then the body.
#[derive(Debug, Default)]
pub struct Reply<T>(pub T);

impl<T: XDR> XDR for Reply<T> {
    fn serialize<R: Write>(&self, dest: &mut R) -> Result<()> {
        nfsstat3::NFS3_OK.serialize(dest)?;
        self.0.serialize(dest)
    }

    fn deserialize<R: Read>(&mut self, src: &mut R) -> Result<()> {
        let mut status = nfsstat3::NFS3_OK;
        status.deserialize(src)?;
        assert!(matches!(status, nfsstat3::NFS3_OK), "the sample is a success");
        self.0.deserialize(src)
    }
}

/// LOOKUP3resok.
#[derive(Debug, Default)]
pub struct LookupOk {
    /// Handle of the object found.
    pub object: nfs_fh3,
    /// Its attributes.
    pub obj_attributes: post_op_attr,
    /// Those of the directory.
    pub dir_attributes: post_op_attr,
}
xdr_struct!(LookupOk, object, obj_attributes, dir_attributes);

/// READ3resok.
#[derive(Debug, Default)]
pub struct ReadOk {
    /// Attributes of the file.
    pub file_attributes: post_op_attr,
    /// Bytes read.
    pub count: count3,
    /// Whether the file ends there.
    pub eof: bool,
    /// The bytes.
    pub data: Vec<u8>,
}
xdr_struct!(ReadOk, file_attributes, count, eof, data);

/// WRITE3args.
#[derive(Debug, Default)]
pub struct WriteArgs {
    /// The file.
    pub file: nfs_fh3,
    /// Where the bytes go.
    pub offset: offset3,
    /// How many they are.
    pub count: count3,
    /// How stable they must be.
    pub stable: u32,
    /// The bytes.
    pub data: Vec<u8>,
}
xdr_struct!(WriteArgs, file, offset, count, stable, data);

/// entryplus3 without its link.
#[derive(Debug, Default)]
pub struct EntryPlus {
    /// The file.
    pub fileid: fileid3,
    /// Its name.
    pub name: filename3,
    /// Where to go on.
    pub cookie: cookie3,
    /// Its attributes.
    pub name_attributes: post_op_attr,
    /// Its handle.
    pub name_handle: post_op_fh3,
}
xdr_struct!(EntryPlus, fileid, name, cookie, name_attributes, name_handle);

/// READDIRPLUS3resok.
#[derive(Debug, Default)]
pub struct ReaddirplusOk {
    /// Attributes of the directory.
    pub dir_attributes: post_op_attr,
    /// Verifier of the cookies.
    pub cookieverf: cookieverf3,
    /// The entries.
    pub entries: Vec<EntryPlus>,
    /// Whether these were the last.
    pub eof: bool,
}

impl XDR for ReaddirplusOk {
    fn serialize<R: Write>(&self, dest: &mut R) -> Result<()> {
        self.dir_attributes.serialize(dest)?;
        self.cookieverf.serialize(dest)?;
        for entry in &self.entries {
            true.serialize(dest)?;
            entry.serialize(dest)?;
        }
        false.serialize(dest)?;
        self.eof.serialize(dest)
    }

    // A client's part, which nfsserve has not.
    fn deserialize<R: Read>(&mut self, src: &mut R) -> Result<()> {
        self.dir_attributes.deserialize(src)?;
        self.cookieverf.deserialize(src)?;
        let mut follows = false;
        follows.deserialize(src)?;
        while follows {
            let mut entry = EntryPlus::default();
            entry.deserialize(src)?;
            self.entries.push(entry);
            follows.deserialize(src)?;
        }
        self.eof.deserialize(src)
    }
}
