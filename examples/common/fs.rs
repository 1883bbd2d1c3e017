//! The seam between the NFSv3 server core and a file system: `trait FileSystem`.
//!
//! The core decodes calls, applies the squash policy, encodes replies and moves data; a `FileSystem` knows files. One
//! method per NFSv3 procedure (RFC 1813, section 3.3), each called from any thread at any time. With five of them (`root`,
//! `getattr`, `lookup`, `read`, and `readdir` or `list`) a read-only file system is complete, and every further procedure
//! answers `ROFS` or `NOTSUPP`, whichever RFC 1813 allows for it.
//!
//! Five methods are no procedures: `set`, `put`, `make`, `take` and `list` are what the defaults of ten procedures come
//! down to. A file system that keeps its objects itself writes these, with what it finds here for numbers, names, rights
//! and attributes; `examples/embed/main.rs` is a whole one, in memory, of 200 lines. One that passes procedures on to
//! something which knows them, as [`LocalFs`](crate::local::LocalFs) does, writes the procedures.
//!
//! ```
//! use nfswire_examples::fs::*;
//!
//! /// A directory with nothing in it.
//! struct Nothing(Ids);
//!
//! impl FileSystem for Nothing {
//!     fn root(&self) -> Handle {
//!         self.0.handle(Ids::TOP)
//!     }
//!
//!     fn getattr(&self, _: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
//!         ensure(self.0.number(object)? == Ids::TOP, Status::STALE)?;
//!         Ok(new_attributes(&Caller::ANONYMOUS, FileType::Directory, Ids::TOP))
//!     }
//!
//!     fn lookup(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
//!         let attributes = Some(self.getattr(caller, dir)?);
//!         ensure(matches!(check_name(name)?, b"." | b".."), Status::NOENT)?;
//!         Ok(Found { object: self.root(), attributes, dir_attributes: attributes })
//!     }
//!
//!     fn read(&self, caller: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
//!         ReadData::of(caller, &self.getattr(caller, file)?, &[], offset, count)
//!     }
//!
//!     fn list(&self, caller: &Caller<'_>, dir: &[u8]) -> Result<Listing> {
//!         Ok(Listing { attributes: self.getattr(caller, dir)?, entries: Vec::new() })
//!     }
//! }
//!
//! let (nothing, all) = (Nothing(Ids::default()), Caller::ANONYMOUS);
//! let top = nothing.root();
//! assert!(nothing.lookup(&all, top.as_bytes(), b"..").is_ok());
//! assert_eq!(nothing.read(&all, top.as_bytes(), 0, 1).unwrap_err().status, Status::ISDIR);
//! assert_eq!(nothing.remove(&all, top.as_bytes(), b"x").unwrap_err().status, Status::ROFS);
//! ```
//!
//! Handles are the file system's own bytes (at most 64). The core never looks inside and passes on whatever a client
//! sent, so every method must expect forged bytes and answer `BADHANDLE` or `STALE`. Names are bytes too.

mod results;

use alloc::borrow::Cow;
use core::fmt;
use std::io::IoSlice;
use std::os::fd::OwnedFd;

use nfswire_nfs3::FHSIZE;
use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::fs::{FSF_LINK, FsinfoOk, FsstatOk, PathconfOk};

pub use nfswire_nfs3::lookup::{
    ACCESS_DELETE, ACCESS_EXECUTE, ACCESS_EXTEND, ACCESS_LOOKUP, ACCESS_MODIFY, ACCESS_READ,
};
pub use nfswire_nfs3::{
    Attributes, FileType, PostOpAttr, SetAttributes, SpecData, StableHow, Status, Time, WccData,
};

pub use crate::simple::{
    Budget, Ids, New, access_by_mode, check_name, check_own_name, check_removable, default_fsinfo,
    default_pathconf, ensure, new_attributes, require_dir, require_file, set_attributes, touch,
    with_size,
};

pub use results::{
    Committed, FileData, Found, Granted, LinkText, Linked, Made, ReadData, Renamed, Written,
};

use crate::page_cache;

/// Largest READ and WRITE, in bytes, that the default [`FileSystem::fsinfo`] announces.
pub const MAX_TRANSFER: u32 = 1 << 20;

/// Result of a file system method.
pub type Result<T, E = Failure> = core::result::Result<T, E>;

//--- Who asks, and for what ---

/// For whom an operation is done, after the core has applied its squash policy.
///
/// `uid` and `gid` are never 2^32-1 (which the system calls read as "leave as it is"): the core maps that value to the
/// anonymous user before it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller<'a> {
    /// User.
    pub uid: u32,
    /// Primary group, which new files get.
    pub gid: u32,
    /// Further groups; at most 16 where they come from AUTH_SYS.
    pub gids: &'a [u32],
}

impl Caller<'_> {
    /// User and group of callers that are nobody in particular.
    pub const ANONYMOUS: Caller<'static> = Caller { uid: 65534, gid: 65534, gids: &[] };

    /// Whether the caller is a member of this group.
    #[must_use]
    pub fn is_member(&self, gid: u32) -> bool {
        self.gid == gid || self.gids.contains(&gid)
    }
}

/// A file handle by value: at most 64 bytes (RFC 1813, section 2.4, `NFS3_FHSIZE`).
#[derive(Clone, Copy)]
pub struct Handle {
    len: u8,
    bytes: [u8; FHSIZE as usize],
}

impl Handle {
    /// The handle of no bytes, which no file has.
    pub const EMPTY: Self = Self { len: 0, bytes: [0; FHSIZE as usize] };

    /// Copies a handle; `None` if there are more than 64 bytes.
    #[must_use]
    pub fn new(from: &[u8]) -> Option<Self> {
        let mut bytes = [0; FHSIZE as usize];
        bytes.get_mut(..from.len())?.copy_from_slice(from);
        Some(Self { len: u8::try_from(from.len()).ok()?, bytes })
    }

    /// The bytes, as a client sees them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Handle {}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle(")?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

//--- Failures ---

/// Why an operation failed, with the attributes that RFC 1813 sends along with most failures.
///
/// `Status::NOENT.into()` is a complete failure: attributes are optional, and absent ones go out as "does not follow".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Status for the reply; never `OK`.
    pub status: Status,
    attributes: Option<Box<(WccData, WccData)>>,
}

impl Failure {
    /// A failure with the state of the object (or directory) that the call names first.
    ///
    /// The core takes `after` alone where the reply has no room for `before`.
    #[must_use]
    pub fn with(status: Status, first: WccData) -> Self {
        Self::with_both(status, first, NO_WCC)
    }

    /// A failure of RENAME (source and target directory) or LINK (file and directory).
    #[must_use]
    pub fn with_both(status: Status, first: WccData, second: WccData) -> Self {
        Self { status, attributes: Some(Box::new((first, second))) }
    }

    /// A failure with the attributes of the object (or directory) that the call names first.
    #[must_use]
    pub fn with_attributes(status: Status, attributes: PostOpAttr) -> Self {
        Self::with(status, WccData::only_after(attributes))
    }

    /// Adds the state of the object that the call names first, unless a deeper step has already said more.
    #[must_use]
    pub fn around(self, first: WccData) -> Self {
        if self.attributes.is_some() {
            return self;
        }
        Self::with(self.status, first)
    }

    /// State of the object that the call names first.
    #[must_use]
    pub fn first(&self) -> WccData {
        self.attributes.as_ref().map_or(NO_WCC, |both| both.0)
    }

    /// State of the second object of RENAME or LINK.
    #[must_use]
    pub fn second(&self) -> WccData {
        self.attributes.as_ref().map_or(NO_WCC, |both| both.1)
    }
}

/// Weak cache consistency data that says nothing.
pub const NO_WCC: WccData = WccData::NONE;

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self { status, attributes: None }
    }
}

//--- Names in directories ---

/// A directory's handle, and a name in it.
pub type NameIn<'a> = (&'a [u8], &'a [u8]);

/// What [`FileSystem::set`] is to make of attributes.
pub type Change<'a> = dyn FnMut(&Attributes) -> Result<Attributes> + 'a;

/// Result of [`FileSystem::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Attributes of the directory.
    pub attributes: Attributes,
    /// `fileid`, name and handle of each object, in any order. No two have the same `fileid`, and none has 0: it is
    /// where a listing goes on.
    pub entries: Vec<(u64, Vec<u8>, Handle)>,
}

/// One name of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirEntry<'a> {
    /// File identifier: that of the entry's attributes.
    pub fileid: u64,
    /// Name; `.` and `..` may be among them.
    pub name: &'a [u8],
    /// Where a listing resumes *behind* this entry; never 0.
    pub cookie: u64,
}

/// What READDIRPLUS tells about an entry beyond READDIR; both may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetails {
    /// Attributes.
    pub attributes: PostOpAttr,
    /// Handle.
    pub handle: Option<Handle>,
}

/// Whether a listing goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The entry was taken.
    Taken,
    /// No room: the entry was not taken, and the listing ends here.
    Full,
}

/// Receives a listing; implemented by the core.
pub trait DirVisitor {
    /// Called once, before the first entry, also if there is none. The verifier belongs to all cookies that follow.
    fn begin(&mut self, attributes: PostOpAttr, verifier: [u8; 8]);

    /// Takes one entry. `details` costs the file system a look at the entry's object: READDIRPLUS calls it, once, for
    /// entries that may fit; READDIR never does.
    fn entry(&mut self, entry: DirEntry<'_>, details: &mut dyn FnMut() -> EntryDetails) -> Pushed;
}

//--- The trait ---

/// What a file system must do to be served over NFSv3.
///
/// # Errors
/// A method fails with the status that goes into the reply; [`Failure`] may carry attributes for it.
pub trait FileSystem: Send + Sync {
    /// Handle of the top directory, which MOUNT hands out.
    fn root(&self) -> Handle;

    /// Whether a handle may be one of this file system. Asked where a server has several: the first that says yes gets
    /// the call, and judges the handle itself.
    fn owns(&self, handle: &[u8]) -> bool {
        let _ = handle;
        true
    }

    /// Attributes of an object (GETATTR, RFC 1813, section 3.3.1).
    fn getattr(&self, caller: &Caller<'_>, object: &[u8]) -> Result<Attributes>;

    /// Changes attributes (SETATTR, section 3.3.2). With a `guard` that is not the object's ctime nothing is changed and
    /// the answer is `NOT_SYNC`. The default lets [`set`](Self::set) do it.
    fn setattr(
        &self,
        caller: &Caller<'_>,
        object: &[u8],
        new: &SetAttributes,
        guard: Option<Time>,
    ) -> Result<WccData> {
        self.set(object, &mut |old| {
            ensure(guard.is_none_or(|guard| guard == old.ctime), Status::NOT_SYNC)?;
            set_attributes(caller, old, new)
        })
    }

    /// Gives an object the attributes that `change` makes of those it has, with no other change in between. Where the
    /// size is another one, its data is cut, or filled up with zeros.
    fn set(&self, object: &[u8], change: &mut Change<'_>) -> Result<WccData> {
        let _ = (object, change);
        Err(Status::ROFS.into())
    }

    /// Finds a name in a directory (LOOKUP, section 3.3.3); `.` and `..` work, and `..` of the top is the top.
    /// Symbolic links are found, not followed.
    fn lookup(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found>;

    /// Says which of the `wanted` rights the caller has (ACCESS, section 3.3.4). The default reads the mode bits.
    fn access(&self, caller: &Caller<'_>, object: &[u8], wanted: u32) -> Result<Granted> {
        let attributes = self.getattr(caller, object)?;
        let access = access_by_mode(caller, &attributes) & wanted;
        Ok(Granted { attributes: Some(attributes), access })
    }

    /// Text of a symbolic link (READLINK, section 3.3.5).
    fn readlink(&self, caller: &Caller<'_>, object: &[u8]) -> Result<LinkText> {
        let _ = (caller, object);
        Err(Status::NOTSUPP.into())
    }

    /// Reads at most `count` bytes (READ, section 3.3.6). Fewer are fine as long as one is returned unless the end was
    /// reached. `offset` may lie anywhere, also where `offset + count` is above 2^64.
    fn read(&self, caller: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData>;

    /// Whether all that a file has in a range is in memory, of a file to which [`read`](Self::read) has referred as
    /// [`FileData::File`]; `None` if that cannot be told. Must not wait for a disk. The core asks this about some MiB at
    /// once, to know of what need not be [fetched](Self::fetch). The default asks the page cache.
    fn is_in_memory(&self, file: &OwnedFd, offset: u64, len: u64) -> Option<bool> {
        page_cache::has(file, offset, len)
    }

    /// Brings data into memory to which [`read`](Self::read) has referred as [`FileData::File`], and says whether it was
    /// not there. The core calls this where sending such data may have to wait for a disk, because others can be
    /// served meanwhile, which they cannot while a reply is being sent. The default asks the page cache.
    fn fetch(&self, file: &OwnedFd, offset: u64, len: u32) -> Result<bool> {
        page_cache::fetch(file, offset, len).map_err(|_| Status::IO.into())
    }

    /// Writes the pieces of `data` one behind the other (WRITE, section 3.3.7). May write fewer bytes than given; what is
    /// reported as `DataSync` or `FileSync` survives a power loss. No data: nothing changes, count 0. The default lets
    /// [`put`](Self::put) do it.
    fn write(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        data: &[IoSlice<'_>],
        stable: StableHow,
    ) -> Result<Written> {
        let _ = stable;
        let data: Cow<'_, [u8]> = match data {
            [one] => Cow::Borrowed(one),
            several => several.iter().flat_map(|piece| piece.iter().copied()).collect(),
        };
        let wcc = if data.is_empty() {
            WccData::only_after(Some(self.getattr(caller, file)?))
        } else {
            self.put(caller, file, offset, &data)?
        };
        let count = u32::try_from(data.len()).unwrap_or(u32::MAX);
        Ok(Written { wcc, count, committed: StableHow::FileSync, verifier: [0; 8] })
    }

    /// Writes all of `data`, at least a byte, and keeps it as long as it keeps anything: it is reported as `FileSync`.
    fn put(&self, caller: &Caller<'_>, file: &[u8], offset: u64, data: &[u8]) -> Result<WccData> {
        let _ = (caller, file, offset, data);
        Err(Status::ROFS.into())
    }

    /// Makes a regular file (CREATE, section 3.3.8). The default lets [`make`](Self::make) do it, and where it may take a
    /// file that exists, or is to set a size, [`set`](Self::set).
    fn create(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        how: &CreateHow,
    ) -> Result<Made> {
        let new = New::file(how);
        let has_size = new.attributes.size.is_some_and(|size| size > 0);
        let (object, wcc) = match self.make(caller, (dir, name), &new) {
            Err(Failure { status: Status::EXIST, .. }) => {
                let object = self.lookup(caller, dir, name)?.object;
                (object, self.set(object.as_bytes(), &mut |old| new.over(caller, old))?)
            }
            Ok(Made { object: Some(object), .. }) if has_size => {
                (object, self.set(object.as_bytes(), &mut |old| new.sized(caller, old))?)
            }
            made => return made,
        };
        Ok(Made { object: Some(object), attributes: wcc.after, dir: NO_WCC })
    }

    /// Makes a directory (MKDIR, section 3.3.9). The default lets [`make`](Self::make) do it.
    fn mkdir(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, (dir, name), &New::of(FileType::Directory, new))
    }

    /// Makes a symbolic link (SYMLINK, section 3.3.10). The default lets [`make`](Self::make) do it.
    fn symlink(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        text: &[u8],
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, (dir, name), &New::symlink(text, new))
    }

    /// Makes a special file (MKNOD, section 3.3.11). `device` counts for block and character devices only; `Regular`,
    /// `Directory` and `Symlink` are answered with `BADTYPE`. The default lets [`make`](Self::make) do it.
    fn mknod(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        name: &[u8],
        file_type: FileType,
        device: SpecData,
        new: &SetAttributes,
    ) -> Result<Made> {
        self.make(caller, (dir, name), &New { device, ..New::of(file_type, new) })
    }

    /// Makes an object of any kind; `EXIST` if there is one of that name.
    fn make(&self, caller: &Caller<'_>, at: NameIn<'_>, new: &New<'_>) -> Result<Made> {
        let _ = (caller, at, new);
        Err(Status::NOTSUPP.into())
    }

    /// Removes a name that is not a directory (REMOVE, section 3.3.12); returns the directory's state. The default lets
    /// [`take`](Self::take) do it.
    fn remove(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<WccData> {
        self.take(caller, (dir, name), false)
    }

    /// Removes an empty directory (RMDIR, section 3.3.13); returns the parent's state. The default lets
    /// [`take`](Self::take) do it.
    fn rmdir(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<WccData> {
        ensure(name != b".", Status::INVAL)?;
        self.take(caller, (dir, name), true)
    }

    /// Removes an object: a directory that is empty, or what is no directory; see [`check_removable`].
    fn take(&self, caller: &Caller<'_>, at: NameIn<'_>, directory: bool) -> Result<WccData> {
        let _ = (caller, at, directory);
        Err(Status::ROFS.into())
    }

    /// Gives an object a new name, atomically replacing what had it (RENAME, section 3.3.14).
    fn rename(&self, caller: &Caller<'_>, from: NameIn<'_>, to: NameIn<'_>) -> Result<Renamed> {
        let _ = (caller, from, to);
        Err(Status::NOTSUPP.into())
    }

    /// Gives an object a further name (LINK, section 3.3.15).
    fn link(&self, caller: &Caller<'_>, file: &[u8], dir: &[u8], name: &[u8]) -> Result<Linked> {
        let _ = (caller, file, dir, name);
        Err(Status::NOTSUPP.into())
    }

    /// Lists a directory from behind `cookie` (0: from the start) until the visitor is full or the names end (READDIR and
    /// READDIRPLUS, sections 3.3.16 and 3.3.17). Returns whether the names ended. With cookie 0 the verifier is not to be
    /// looked at; a cookie that cannot be placed is `BAD_COOKIE`. Where listing fails half-way the visitor's entries are not sent.
    /// The default shows what [`list`](Self::list) has, in the order of `fileid`.
    fn readdir(
        &self,
        caller: &Caller<'_>,
        dir: &[u8],
        cookie: u64,
        verifier: [u8; 8],
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        let _ = verifier;
        let Listing { attributes, mut entries } = self.list(caller, dir)?;
        visitor.begin(Some(attributes), [0; 8]);
        entries.retain(|(fileid, ..)| *fileid > cookie);
        entries.sort_unstable_by_key(|(fileid, ..)| *fileid);
        for (fileid, name, handle) in &entries {
            let entry = DirEntry { fileid: *fileid, name, cookie: *fileid };
            let mut details = || EntryDetails {
                attributes: self.getattr(caller, handle.as_bytes()).ok(),
                handle: Some(*handle),
            };
            if visitor.entry(entry, &mut details) == Pushed::Full {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All that is in a directory.
    fn list(&self, caller: &Caller<'_>, dir: &[u8]) -> Result<Listing> {
        let _ = (caller, dir);
        Err(Status::NOTSUPP.into())
    }

    /// Space of the file system (FSSTAT, section 3.3.18). The default knows of none and says so with zeros.
    fn fsstat(&self, caller: &Caller<'_>, object: &[u8]) -> Result<FsstatOk> {
        Ok(FsstatOk {
            attributes: Some(self.getattr(caller, object)?),
            tbytes: 0,
            fbytes: 0,
            abytes: 0,
            tfiles: 0,
            ffiles: 0,
            afiles: 0,
            invarsec: 0,
        })
    }

    /// Limits of the file system (FSINFO, section 3.3.19). The default knows no hard links, as that of
    /// [`link`](Self::link).
    fn fsinfo(&self, caller: &Caller<'_>, object: &[u8]) -> Result<FsinfoOk> {
        let all = default_fsinfo(Some(self.getattr(caller, object)?));
        Ok(FsinfoOk { properties: all.properties & !FSF_LINK, ..all })
    }

    /// Path name limits (PATHCONF, section 3.3.20).
    fn pathconf(&self, caller: &Caller<'_>, object: &[u8]) -> Result<PathconfOk> {
        let attributes = Some(self.getattr(caller, object)?);
        Ok(default_pathconf(attributes))
    }

    /// Makes data written as `Unstable` durable (COMMIT, section 3.3.21); count 0 means up to the end. The default suits a
    /// file system that never answers a WRITE with `Unstable`.
    fn commit(
        &self,
        caller: &Caller<'_>,
        file: &[u8],
        offset: u64,
        count: u32,
    ) -> Result<Committed> {
        let _ = (offset, count);
        let after = Some(self.getattr(caller, file)?);
        Ok(Committed { wcc: WccData::only_after(after), verifier: [0; 8] })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The least there can be: one directory with one file.
    pub(crate) struct OneFile;

    const ROOT: &[u8] = b"/";
    const FILE: &[u8] = b"f";
    const TEXT: &[u8] = b"hello";

    impl FileSystem for OneFile {
        fn root(&self) -> Handle {
            Handle::new(ROOT).unwrap()
        }

        fn getattr(&self, _: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
            let (file_type, mode, fileid, size) = match object {
                ROOT => (FileType::Directory, 0o555, 1, 0),
                FILE => (FileType::Regular, 0o640, 2, 5),
                _ => return Err(Status::BADHANDLE.into()),
            };
            let owner = Caller { uid: 10, gid: 20, gids: &[] };
            Ok(Attributes { mode, size, ..new_attributes(&owner, file_type, fileid) })
        }

        fn lookup(&self, caller: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
            let dir_attributes = Some(self.getattr(caller, dir)?);
            match (dir, name) {
                (ROOT, b"hello") => Ok(Found {
                    object: Handle::new(FILE).unwrap(),
                    attributes: Some(self.getattr(caller, FILE)?),
                    dir_attributes,
                }),
                (ROOT, _) => Err(Failure::with_attributes(Status::NOENT, dir_attributes)),
                _ => Err(Status::NOTDIR.into()),
            }
        }

        fn read(
            &self,
            caller: &Caller<'_>,
            file: &[u8],
            offset: u64,
            count: u32,
        ) -> Result<ReadData> {
            ReadData::of(caller, &self.getattr(caller, file)?, TEXT, offset, count)
        }

        fn readdir(
            &self,
            caller: &Caller<'_>,
            dir: &[u8],
            cookie: u64,
            _: [u8; 8],
            visitor: &mut dyn DirVisitor,
        ) -> Result<bool> {
            visitor.begin(Some(self.getattr(caller, dir)?), [0; 8]);
            let entry = DirEntry { fileid: 2, name: b"hello", cookie: 1 };
            Ok(cookie == 1 || visitor.entry(entry, &mut EntryDetails::default) == Pushed::Taken)
        }
    }

    fn caller(uid: u32, gids: &[u32]) -> Caller<'_> {
        Caller { uid, gid: 99, gids }
    }

    #[test]
    fn five_methods_make_a_read_only_file_system() {
        let (fs, one) = (OneFile, caller(1, &[]));
        let new = SetAttributes::default();
        let device = SpecData { major: 0, minor: 0 };
        let read_only = [
            fs.setattr(&one, FILE, &new, None).unwrap_err(),
            fs.write(&one, FILE, 0, &[IoSlice::new(b"x")], StableHow::Unstable).unwrap_err(),
            fs.remove(&one, ROOT, b"x").unwrap_err(),
            fs.rmdir(&one, ROOT, b"x").unwrap_err(),
        ];
        assert!(read_only.iter().all(|failure| failure.status == Status::ROFS));
        let unsupported = [
            fs.readlink(&one, FILE).unwrap_err(),
            fs.create(&one, ROOT, b"x", &CreateHow::Unchecked(new)).unwrap_err(),
            fs.mkdir(&one, ROOT, b"x", &new).unwrap_err(),
            fs.symlink(&one, ROOT, b"x", b"y", &new).unwrap_err(),
            fs.mknod(&one, ROOT, b"x", FileType::Fifo, device, &new).unwrap_err(),
            fs.rename(&one, (ROOT, b"x"), (ROOT, b"y")).unwrap_err(),
            fs.link(&one, FILE, ROOT, b"y").unwrap_err(),
        ];
        assert!(unsupported.iter().all(|failure| failure.status == Status::NOTSUPP));
        assert_eq!(fs.fsinfo(&one, ROOT).unwrap().rtmax, MAX_TRANSFER);
        assert_eq!(fs.fsstat(&one, ROOT).unwrap().tbytes, 0);
        assert_eq!(fs.pathconf(&one, ROOT).unwrap().name_max, 255);
        assert!(fs.commit(&one, FILE, 0, 0).unwrap().wcc.after.is_some());
        assert_eq!(fs.fsinfo(&one, b"bad").unwrap_err().status, Status::BADHANDLE);
    }

    #[test]
    fn access_by_mode_picks_owner_group_or_others() {
        let granted = |caller, object| OneFile.access(&caller, object, u32::MAX).unwrap().access;
        let write = ACCESS_MODIFY | ACCESS_EXTEND;
        assert_eq!(granted(caller(10, &[]), FILE), ACCESS_READ | write);
        assert_eq!(granted(caller(11, &[5, 20]), FILE), ACCESS_READ);
        assert_eq!(granted(caller(11, &[5]), FILE), 0);
        assert_eq!(granted(caller(11, &[]), ROOT), ACCESS_READ | ACCESS_LOOKUP);
        // Nobody can run what nobody may run.
        assert_eq!(granted(caller(0, &[]), FILE), ACCESS_READ | write);
        assert_eq!(
            granted(caller(0, &[]), ROOT),
            ACCESS_READ | ACCESS_LOOKUP | write | ACCESS_DELETE
        );
        assert_eq!(
            OneFile.access(&caller(10, &[]), FILE, ACCESS_MODIFY).unwrap().access,
            ACCESS_MODIFY
        );
    }

    #[test]
    fn handles_hold_64_bytes_and_compare_by_them() {
        assert_eq!(Handle::new(&[7; 64]).unwrap().as_bytes(), [7; 64]);
        assert!(Handle::new(&[7; 65]).is_none());
        assert_eq!(Handle::new(b"").unwrap(), Handle::EMPTY);
        assert_ne!(Handle::new(b"\0").unwrap(), Handle::EMPTY);
        assert_eq!(format!("{:?}", Handle::new(&[0xab, 1]).unwrap()), "Handle(ab01)");
    }

    #[test]
    fn the_first_said_attributes_of_a_failure_stay() {
        let attributes = OneFile.getattr(&caller(1, &[]), FILE).ok();
        let failure = Failure::with_attributes(Status::NOENT, attributes).around(NO_WCC);
        assert_eq!((failure.first().after, failure.second()), (attributes, NO_WCC));
        let bare = Failure::from(Status::IO);
        assert_eq!((bare.first(), bare.around(failure.first()).first()), (NO_WCC, failure.first()));
    }
}
