//! One folder in memory: what an embedder has to write, and the tests' own file system.
//!
//! Everybody may read, write and make files; all of it is gone when the process ends. A handle is a number; 0 is the
//! folder.

use alloc::collections::BTreeMap;
use std::io::IoSlice;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::{
    Attributes, FileType, SetAttributes, SpecData, StableHow, Status, Time, WccData,
};

use crate::fs::{
    Caller, DirEntry, DirVisitor, EntryDetails, FileData, FileSystem, Found, Handle, Made, Pushed,
    ReadData, Result, Written,
};

/// Longest file, in bytes.
const MAX_SIZE: usize = 64 << 20;
/// Tells our handles from forged ones that are merely as long.
const MAGIC: &[u8] = b"mem1";

#[derive(Debug, Default)]
struct File {
    name: Vec<u8>,
    data: Vec<u8>,
    /// Counts changes; stands for the time of the last one.
    changes: u32,
}

/// The file system; empty at first.
#[derive(Debug, Default)]
pub struct MemFs {
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    by_number: BTreeMap<u64, File>,
    /// Changes of the folder.
    changes: u32,
}

fn handle(number: u64) -> Handle {
    Handle::new(&[MAGIC, &number.to_be_bytes()].concat()).unwrap_or(Handle::EMPTY)
}

fn number(handle: &[u8]) -> Result<u64> {
    let bytes = handle.strip_prefix(MAGIC).and_then(|rest| rest.try_into().ok());
    Ok(u64::from_be_bytes(bytes.ok_or(Status::BADHANDLE)?))
}

fn size(bytes: u64) -> Result<usize> {
    let size = usize::try_from(bytes).ok().filter(|size| *size <= MAX_SIZE);
    Ok(size.ok_or(Status::FBIG)?)
}

fn folder(handle: &[u8]) -> Result<()> {
    if number(handle)? == 0 { Ok(()) } else { Err(Status::NOTDIR.into()) }
}

impl Files {
    fn file(&mut self, handle: &[u8]) -> Result<(u64, &mut File)> {
        match number(handle)? {
            0 => Err(Status::ISDIR.into()),
            number => Ok((number, self.by_number.get_mut(&number).ok_or(Status::STALE)?)),
        }
    }

    fn find(&self, name: &[u8]) -> Result<u64> {
        let found = self.by_number.iter().find(|(_, file)| file.name == name);
        Ok(*found.ok_or(Status::NOENT)?.0)
    }

    fn attributes(&self, number: u64) -> Result<Attributes> {
        let (file_type, len, changes) = match self.by_number.get(&number) {
            Some(file) => (FileType::Regular, file.data.len(), file.changes),
            None if number == 0 => (FileType::Directory, self.by_number.len(), self.changes),
            None => return Err(Status::STALE.into()),
        };
        let size = u64::try_from(len).unwrap_or(u64::MAX);
        let time = Time { seconds: changes, nanoseconds: 0 };
        Ok(Attributes {
            file_type,
            mode: if number == 0 { 0o777 } else { 0o666 },
            nlink: 1,
            uid: 0,
            gid: 0,
            size,
            used: size,
            rdev: SpecData::default(),
            fsid: 1,
            fileid: number.saturating_add(1),
            atime: time,
            mtime: time,
            ctime: time,
        })
    }

    /// Makes a change and says what the object was like before and after.
    fn change(&mut self, number: u64, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<WccData> {
        let wcc = WccData::starting(Some(&self.attributes(number)?));
        f(self)?;
        let changes = self.by_number.get_mut(&number).map(|file| &mut file.changes);
        let changes = changes.unwrap_or(&mut self.changes);
        *changes = changes.saturating_add(1);
        Ok(wcc.ending(Some(self.attributes(number)?)))
    }
}

impl MemFs {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSystem for MemFs {
    fn root(&self) -> Handle {
        handle(0)
    }

    fn getattr(&self, _: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
        self.files().attributes(number(object)?)
    }

    fn setattr(
        &self,
        _: &Caller<'_>,
        object: &[u8],
        new: &SetAttributes,
        guard: Option<Time>,
    ) -> Result<WccData> {
        let mut files = self.files();
        let number = number(object)?;
        if guard.is_some() && guard != Some(files.attributes(number)?.ctime) {
            return Err(Status::NOT_SYNC.into());
        }
        files.change(number, |files| {
            if let Some(wanted) = new.size {
                files.file(object)?.1.data.resize(size(wanted)?, 0);
            }
            Ok(())
        })
    }

    fn lookup(&self, _: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
        folder(dir)?;
        let files = self.files();
        let number = match name {
            b"" => return Err(Status::ACCES.into()),
            b"." | b".." => 0,
            _ => files.find(name)?,
        };
        let attributes = Some(files.attributes(number)?);
        Ok(Found { object: handle(number), attributes, dir_attributes: files.attributes(0).ok() })
    }

    fn read(&self, _: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        let mut files = self.files();
        let (number, file) = files.file(file)?;
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| file.data.get(offset..))
            .unwrap_or_default();
        let data = usize::try_from(count).ok().and_then(|count| rest.get(..count)).unwrap_or(rest);
        let (eof, data) = (data.len() == rest.len(), FileData::Bytes(Bytes::copy_from_slice(data)));
        Ok(ReadData { attributes: files.attributes(number).ok(), data, eof })
    }

    fn write(
        &self,
        _: &Caller<'_>,
        file: &[u8],
        offset: u64,
        data: &[IoSlice<'_>],
        _: StableHow,
    ) -> Result<Written> {
        let mut files = self.files();
        let data: Vec<u8> = data.iter().flat_map(|piece| piece.iter().copied()).collect();
        let count = u32::try_from(data.len()).map_err(|_| Status::FBIG)?;
        let (start, end) = (size(offset)?, size(offset.saturating_add(count.into()))?);
        let (number, _) = files.file(file)?;
        let mut wcc = WccData::default();
        if count > 0 {
            wcc = files.change(number, |files| {
                let old = &mut files.file(file)?.1.data;
                old.resize(old.len().max(end), 0);
                drop(old.splice(start..end, data));
                Ok(())
            })?;
        }
        // Nothing outlives the process: no client can find less than it was promised.
        Ok(Written { wcc, count, committed: StableHow::FileSync, verifier: [0; 8] })
    }

    fn create(&self, _: &Caller<'_>, dir: &[u8], name: &[u8], how: &CreateHow) -> Result<Made> {
        folder(dir)?;
        let mut files = self.files();
        let number = match files.find(name) {
            Ok(_) if !matches!(how, CreateHow::Unchecked(_)) => return Err(Status::EXIST.into()),
            Ok(number) => number,
            // None is ever removed.
            Err(_) => {
                files.by_number.last_key_value().map_or(1, |(last, _)| last.saturating_add(1))
            }
        };
        let dir = files.change(0, |files| {
            files.by_number.entry(number).or_default().name = name.to_vec();
            Ok(())
        })?;
        Ok(Made { object: Some(handle(number)), attributes: files.attributes(number).ok(), dir })
    }

    fn readdir(
        &self,
        _: &Caller<'_>,
        dir: &[u8],
        cookie: u64,
        _: [u8; 8],
        visitor: &mut dyn DirVisitor,
    ) -> Result<bool> {
        folder(dir)?;
        let files = self.files();
        visitor.begin(files.attributes(0).ok(), [0; 8]);
        for (number, file) in files.by_number.range(cookie.saturating_add(1)..) {
            let entry =
                DirEntry { fileid: number.saturating_add(1), name: &file.name, cookie: *number };
            let mut details = || EntryDetails {
                attributes: files.attributes(*number).ok(),
                handle: Some(handle(*number)),
            };
            if visitor.entry(entry, &mut details) == Pushed::Full {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
