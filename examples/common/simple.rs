//! What a file system that keeps its objects itself needs beside them: numbers and handles, a bound on memory, and what
//! POSIX and RFC 1813 say of names, rights and attributes. `examples/embed` is made of it.

use core::hash::BuildHasher;
use core::sync::atomic::{AtomicU64, Ordering};
use std::hash::RandomState;
use std::time::SystemTime;

use bytes::Bytes;
use nfswire_nfs3::convert::{AccessMask, Change as Step};
use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::fs::{FsinfoOk, PathconfOk};
use nfswire_nfs3::{CreateVerifier, SetTime};

use crate::fs::{
    ACCESS_EXECUTE, ACCESS_MODIFY, ACCESS_READ, Attributes, Caller, FileData, FileType, Handle,
    LinkText, MAX_TRANSFER, Made, PostOpAttr, ReadData, Result, SetAttributes, SpecData, Status,
    Time, WccData,
};

/// Longest name, in bytes.
const NAME_MAX: usize = 255;
/// Set-user-id and set-group-id.
const SET_IDS: u32 = 0o6000;
const SET_GID: u32 = 0o2000;

//--- Numbers ---

/// Numbers for objects, and handles made of them.
///
/// Each handle has a second number that is drawn when the process starts, so that those of an earlier one are stale.
#[derive(Debug)]
pub struct Ids {
    run: u64,
    next: AtomicU64,
}

impl Ids {
    /// Number of the top directory.
    pub const TOP: u64 = 1;

    /// A number that no object has had.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    /// The handle of an object.
    #[must_use]
    pub fn handle(&self, number: u64) -> Handle {
        Handle::new(&[self.run, number].map(u64::to_be_bytes).concat()).unwrap_or(Handle::EMPTY)
    }

    /// Number of the object that a handle is for, if there is one.
    ///
    /// # Errors
    /// `BADHANDLE` for what is no handle, `STALE` for one of an earlier process.
    pub fn number(&self, handle: &[u8]) -> Result<u64> {
        let (run, number) = handle.split_first_chunk().ok_or(Status::BADHANDLE)?;
        let number = number.try_into().map_err(|_| Status::BADHANDLE)?;
        ensure(u64::from_be_bytes(*run) == self.run, Status::STALE)?;
        Ok(u64::from_be_bytes(number))
    }
}

impl Default for Ids {
    fn default() -> Self {
        Self { run: RandomState::new().hash_one(Self::TOP), next: AtomicU64::new(Self::TOP + 1) }
    }
}

/// Bytes that may be used.
#[derive(Debug)]
pub struct Budget {
    free: AtomicU64,
}

impl Budget {
    /// What an object and its name count as, beside its content.
    pub const OBJECT: u64 = 1024;

    /// So many bytes, all free.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self { free: AtomicU64::new(bytes) }
    }

    /// Counts what was `old` bytes as `new` ones.
    ///
    /// # Errors
    /// `NOSPC` if there are not so many; nothing is counted then.
    pub fn pay(&self, old: u64, new: u64) -> Result<()> {
        let paid = |free: u64| free.saturating_add(old).checked_sub(new);
        let before = self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, paid);
        ensure(before.is_ok(), Status::NOSPC)
    }
}

//--- Checks ---

/// Fails with a status where a condition does not hold.
///
/// # Errors
/// `otherwise`.
pub fn ensure(condition: bool, otherwise: Status) -> Result<()> {
    if condition { Ok(()) } else { Err(otherwise.into()) }
}

/// A name that may be looked up.
///
/// # Errors
/// `ACCES` for no name at all and for names with `/` or NUL, `NAMETOOLONG` above 255 bytes.
pub fn check_name(name: &[u8]) -> Result<&[u8]> {
    let good = !name.is_empty() && !name.contains(&b'/') && !name.contains(&0);
    ensure(good, Status::ACCES)?;
    ensure(name.len() <= NAME_MAX, Status::NAMETOOLONG)?;
    Ok(name)
}

/// A name that may be given and taken.
///
/// # Errors
/// As [`check_name`]; `EXIST` for `.` and `..`, which every directory has.
pub fn check_own_name(name: &[u8]) -> Result<&[u8]> {
    ensure(name != b"." && name != b"..", Status::EXIST)?;
    check_name(name)
}

/// Whether an object can lose its name to RMDIR or to a directory (`by_directory`), or to REMOVE or another object.
///
/// # Errors
/// `ISDIR`, `NOTDIR`; `NOTEMPTY` for a directory that is not.
pub fn check_removable(a: &Attributes, is_empty: bool, by_directory: bool) -> Result<()> {
    let is_directory = a.file_type == FileType::Directory;
    ensure(by_directory || !is_directory, Status::ISDIR)?;
    ensure(is_directory || !by_directory, Status::NOTDIR)?;
    ensure(is_empty, Status::NOTEMPTY)
}

/// The caller needs one of these `ACCESS_` rights in a directory.
///
/// # Errors
/// `NOTDIR`, `ACCES`.
pub fn require_dir(caller: &Caller<'_>, a: &Attributes, rights: u32) -> Result<()> {
    ensure(a.file_type == FileType::Directory, Status::NOTDIR)?;
    ensure(access_by_mode(caller, a) & rights != 0, Status::ACCES)
}

/// The caller needs one of these `ACCESS_` rights in a regular file. Its owner may read and write it whatever the mode
/// bits say (RFC 1813, section 4.4).
///
/// # Errors
/// `ISDIR`, `INVAL` for what is no file, `ACCES`.
pub fn require_file(caller: &Caller<'_>, a: &Attributes, rights: u32) -> Result<()> {
    ensure(a.file_type != FileType::Directory, Status::ISDIR)?;
    ensure(a.file_type == FileType::Regular, Status::INVAL)?;
    let granted = caller.uid == a.uid || access_by_mode(caller, a) & rights != 0;
    ensure(granted, Status::ACCES)
}

//--- Defaults ---

/// The `ACCESS_` bits that mode, owner and group grant; user 0 has all that make sense.
#[must_use]
pub fn access_by_mode(caller: &Caller<'_>, attributes: &Attributes) -> u32 {
    AccessMask::by_mode(attributes, caller.uid, |gid| caller.is_member(gid)).0
}

/// FSINFO of a file system without limits of its own: transfers to [`MAX_TRANSFER`], times to the nanosecond.
#[must_use]
pub fn default_fsinfo(attributes: PostOpAttr) -> FsinfoOk {
    FsinfoOk {
        rtmax: MAX_TRANSFER,
        rtpref: MAX_TRANSFER,
        wtmax: MAX_TRANSFER,
        wtpref: MAX_TRANSFER,
        ..FsinfoOk::recommended(attributes)
    }
}

/// PATHCONF of a file system with the usual POSIX limits.
#[must_use]
pub fn default_pathconf(attributes: PostOpAttr) -> PathconfOk {
    PathconfOk::posix(attributes)
}

//--- Attributes ---

/// Attributes of a new, empty object of the caller's. All may do with it what they like.
#[must_use]
pub fn new_attributes(caller: &Caller<'_>, file_type: FileType, fileid: u64) -> Attributes {
    let now = SystemTime::now().into();
    let executable = matches!(file_type, FileType::Directory | FileType::Symlink);
    Attributes {
        file_type,
        mode: if executable { 0o777 } else { 0o666 },
        nlink: 1,
        uid: caller.uid,
        gid: caller.gid,
        size: 0,
        used: 0,
        rdev: SpecData::default(),
        fsid: 1,
        fileid,
        atime: now,
        mtime: now,
        ctime: now,
    }
}

/// What SETATTR makes of an object's attributes, by the rules of POSIX. With another size the data is to be cut or
/// filled up with zeros.
///
/// # Errors
/// `PERM` for what only the owner or user 0 may change, `ACCES` for what one who may write can as well; see
/// [`require_file`] for the size, and [`SetAttributes::changes`] for what nobody can ask for.
pub fn set_attributes(
    caller: &Caller<'_>,
    old: &Attributes,
    new: &SetAttributes,
) -> Result<Attributes> {
    let (is_root, now) = (caller.uid == 0, SystemTime::now().into());
    let is_owner = is_root || caller.uid == old.uid;
    let is_file = old.file_type != FileType::Directory;
    let mut a = *old;
    for step in new.changes()? {
        a.ctime = now;
        match step {
            Step::Size(size) => {
                require_file(caller, old, ACCESS_MODIFY)?;
                (a.size, a.used, a.mtime) = (size, size, now);
                a.mode &= if is_root { u32::MAX } else { !SET_IDS };
            }
            Step::Owner { uid, gid } => {
                let keeps = uid.is_none_or(|uid| uid == old.uid);
                let in_group = gid.is_none_or(|gid| gid == old.gid || caller.is_member(gid));
                ensure(is_root || is_owner && keeps && in_group, Status::PERM)?;
                (a.uid, a.gid) = (uid.unwrap_or(old.uid), gid.unwrap_or(old.gid));
                a.mode &= if is_file { !SET_IDS } else { u32::MAX };
            }
            Step::Mode(mode) => {
                ensure(is_owner, Status::PERM)?;
                let keeps = is_root || !is_file || caller.is_member(a.gid);
                a.mode = if keeps { mode } else { mode & !SET_GID };
            }
            Step::Times { atime, mtime } => {
                let is_given = |time| matches!(time, SetTime::ClientTime(_));
                ensure(is_owner || !is_given(atime) && !is_given(mtime), Status::PERM)?;
                let may_write = is_owner || access_by_mode(caller, old) & ACCESS_MODIFY != 0;
                ensure(may_write, Status::ACCES)?;
                a.atime = set_time(atime, now).unwrap_or(a.atime);
                a.mtime = set_time(mtime, now).unwrap_or(a.mtime);
            }
        }
    }
    Ok(a)
}

fn set_time(time: SetTime, now: Time) -> Option<Time> {
    match time {
        SetTime::DontChange => None,
        SetTime::ServerTime => Some(now),
        SetTime::ClientTime(time) => Some(time),
    }
}

/// What [`set_attributes`] makes of the size alone. A WRITE changes the times also where the size stays.
///
/// # Errors
/// As [`require_file`].
pub fn with_size(caller: &Caller<'_>, old: &Attributes, size: u64) -> Result<Attributes> {
    set_attributes(caller, old, &SetAttributes { size: Some(size), ..SetAttributes::default() })
}

/// The content has changed: sets the times, and says what it was like before and after.
pub fn touch(a: &mut Attributes) -> WccData {
    let wcc = WccData::starting(Some(a));
    let now = SystemTime::now().into();
    (a.mtime, a.ctime) = (now, now);
    wcc.ending(Some(*a))
}

//--- New objects ---

/// What CREATE, MKDIR, SYMLINK or MKNOD is to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct New<'a> {
    /// Kind of object.
    pub file_type: FileType,
    /// What to set; the size is set later.
    pub attributes: SetAttributes,
    /// Text of a symbolic link.
    pub text: &'a [u8],
    /// Device numbers.
    pub device: SpecData,
    /// Whether CREATE takes a file that has the name.
    pub unchecked: bool,
    /// Whether it takes one that was made with this.
    pub verifier: Option<CreateVerifier>,
}

impl<'a> New<'a> {
    /// An object without content.
    #[must_use]
    pub fn of(file_type: FileType, new: &SetAttributes) -> Self {
        let device = SpecData::default();
        Self { file_type, attributes: *new, text: &[], device, unchecked: false, verifier: None }
    }

    /// What CREATE is to make.
    #[must_use]
    pub fn file(how: &CreateHow) -> Self {
        let (new, verifier) = match how {
            CreateHow::Unchecked(new) | CreateHow::Guarded(new) => (*new, None),
            CreateHow::Exclusive(verifier) => (SetAttributes::default(), Some(*verifier)),
        };
        let unchecked = matches!(how, CreateHow::Unchecked(_));
        Self { unchecked, verifier, ..Self::of(FileType::Regular, &new) }
    }

    /// What SYMLINK is to make.
    #[must_use]
    pub fn symlink(text: &'a [u8], new: &SetAttributes) -> Self {
        Self { text, ..Self::of(FileType::Symlink, new) }
    }

    /// Attributes of the new object. The verifier of an exclusive CREATE is kept in its times (RFC 1813, section 3.3.8):
    /// its client sets them afterwards.
    ///
    /// # Errors
    /// As [`set_attributes`].
    pub fn attributes(&self, caller: &Caller<'_>, fileid: u64) -> Result<Attributes> {
        let new = SetAttributes { size: None, ..self.attributes };
        let mut a = set_attributes(caller, &new_attributes(caller, self.file_type, fileid), &new)?;
        a.rdev = self.device;
        a.size = u64::try_from(self.text.len()).map_err(|_| Status::FBIG)?;
        a.used = a.size;
        if let Some(verifier) = self.verifier {
            (a.atime, a.mtime) = times(verifier);
        }
        Ok(a)
    }

    /// What CREATE makes of the attributes of a file that has the name already.
    ///
    /// # Errors
    /// `EXIST` where it is to be another file; as [`set_attributes`].
    pub fn over(&self, caller: &Caller<'_>, old: &Attributes) -> Result<Attributes> {
        let same = self.verifier.map(times) == Some((old.atime, old.mtime));
        let taken = old.file_type == FileType::Regular && (self.unchecked || same);
        ensure(taken, Status::EXIST)?;
        self.sized(caller, old)
    }

    /// Sets the size alone, if there is one to be set.
    ///
    /// # Errors
    /// As [`set_attributes`].
    pub fn sized(&self, caller: &Caller<'_>, old: &Attributes) -> Result<Attributes> {
        let size = self.attributes.size;
        set_attributes(caller, old, &SetAttributes { size, ..SetAttributes::default() })
    }
}

/// Where a verifier is kept: access and modification time.
fn times(verifier: CreateVerifier) -> (Time, Time) {
    let [a, b, c, d, e, f, g, h] = verifier;
    let time = |bytes| Time { seconds: u32::from_be_bytes(bytes), nanoseconds: 0 };
    (time([a, b, c, d]), time([e, f, g, h]))
}

//--- Results ---

impl Made {
    /// An object that was made.
    #[must_use]
    pub const fn of(object: Handle, attributes: Attributes, dir: WccData) -> Self {
        Self { object: Some(object), attributes: Some(attributes), dir }
    }
}

impl ReadData {
    /// What a READ gets of a file with this content.
    ///
    /// # Errors
    /// As [`require_file`].
    pub fn of(
        caller: &Caller<'_>,
        attributes: &Attributes,
        content: &[u8],
        offset: u64,
        count: u32,
    ) -> Result<Self> {
        // Who may execute a file has to read it.
        require_file(caller, attributes, ACCESS_READ | ACCESS_EXECUTE)?;
        let rest = usize::try_from(offset).ok().and_then(|offset| content.get(offset..));
        let rest = rest.unwrap_or_default();
        let data = usize::try_from(count).ok().and_then(|count| rest.get(..count)).unwrap_or(rest);
        let (eof, data) = (data.len() == rest.len(), FileData::Bytes(Bytes::copy_from_slice(data)));
        Ok(Self { attributes: Some(*attributes), data, eof })
    }
}

impl LinkText {
    /// What READLINK gets of a symbolic link.
    ///
    /// # Errors
    /// `INVAL` for other objects.
    pub fn of(attributes: &Attributes, text: &[u8]) -> Result<Self> {
        ensure(attributes.file_type == FileType::Symlink, Status::INVAL)?;
        Ok(Self { attributes: Some(*attributes), text: Bytes::copy_from_slice(text) })
    }
}
