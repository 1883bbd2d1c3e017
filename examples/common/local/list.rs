//! READDIR and READDIRPLUS.
//!
//! Cookies are the kernel's own directory positions (`d_off`), which stay valid while names come and go; there is nothing
//! for a cookie verifier to say, so it is always zero and never looked at.

use nfswire_nfs3::{PostOpAttr, Status};
use rustix::fs::{OFlags, RawDir, SeekFrom, seek};

use super::node::{Node, reopen};
use super::{LocalFs, attr};
use crate::fs::{Caller, DirEntry, DirVisitor, EntryDetails, Failure, Pushed, Result};

/// Bytes of names fetched at a time: about what one reply holds.
const BUFFER: usize = 8 << 10;

impl LocalFs {
    pub(super) fn list(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        cookie: u64,
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        let dir = self.resolve_dir(dir)?;
        let attributes = Some(self.attributes(&dir)?);
        self.list_open(caller, &dir, attributes, cookie, visitor)
            .map_err(|failure| Failure::with_attributes(failure.status, attributes))
    }

    fn list_open(
        &self,
        caller: &Caller<'_>,
        dir: &Node,
        attributes: PostOpAttr,
        cookie: u64,
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        // Held to the end: each look at an entry must be the caller's right too.
        let _as_caller = self.identity.assume(caller)?;
        // A descriptor of its own, since its position is.
        let how = OFlags::RDONLY | OFlags::DIRECTORY;
        let open = self.with_descriptors(|| reopen(&dir.path, &self.descriptors, how))?;
        if cookie != 0 {
            // The kernel's positions are signed and its answer to others is an error.
            let placed =
                i64::try_from(cookie).is_ok() && seek(&open, SeekFrom::Start(cookie)).is_ok();
            if !placed {
                return Err(Status::BAD_COOKIE.into());
            }
        }
        visitor.begin(attributes, [0; 8]);
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut entries = RawDir::new(&open, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            let itself = match name.to_bytes() {
                b"." => Some(dir),
                // That of the root is the root; the one above another directory is the client's to look up.
                b".." if dir.key == self.root.key => Some(dir),
                _ => None,
            };
            let mut details = || match itself {
                Some(node) => self.details_of(node),
                None => self.details_at(dir, name),
            };
            let one = DirEntry {
                fileid: itself.map_or_else(|| entry.ino(), |node| node.key.id.inode),
                name: name.to_bytes(),
                cookie: entry.next_entry_cookie(),
            };
            if visitor.entry(one, &mut details) == Pushed::Full {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn details_of(&self, node: &Node) -> EntryDetails {
        EntryDetails { attributes: self.attributes(node).ok(), handle: Some(self.handle(node)) }
    }

    /// Nothing for `..`, for mount points (another file system) and for what the caller may not look at.
    fn details_at(&self, dir: &Node, name: &core::ffi::CStr) -> EntryDetails {
        if name == c".." {
            return EntryDetails::default();
        }
        match attr::stat_name(&dir.path, name) {
            Ok(stat) if self.options.cross_mounts || !attr::is_mount_point(&stat) => {
                let key = self.numbering.key(&stat);
                self.places.seen(key.id, dir.key.id, name.to_bytes());
                EntryDetails {
                    attributes: Some(self.numbering.attributes(&stat)),
                    handle: Some(
                        self.handles.make(key, self.hint_at(key, &dir.path, name).as_ref()),
                    ),
                }
            }
            _ => EntryDetails::default(),
        }
    }
}
