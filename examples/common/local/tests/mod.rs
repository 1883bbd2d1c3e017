//! A real directory, every operation.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

mod durable;
mod errors;
mod escape;
mod files;
mod handles;
mod identity;
mod listing;
mod names;

use core::fmt::Debug;
use std::os::fd::AsFd;
use std::path::PathBuf;

use nfswire_nfs3::create::CreateHow;
use nfswire_nfs3::{SetAttributes, SetTime, Status};
use rustix::io::pread;
use tempfile::TempDir;

use super::{ExportOptions, HandleMode, LocalFs};
use crate::fs::{
    Caller, DirEntry, DirVisitor, EntryDetails, FileData, FileSystem, Handle, Pushed, Result,
};

const NOTHING: SetAttributes = SetAttributes {
    mode: None,
    uid: None,
    gid: None,
    size: None,
    atime: SetTime::DontChange,
    mtime: SetTime::DontChange,
};

const fn mode(mode: u32) -> SetAttributes {
    SetAttributes { mode: Some(mode), ..NOTHING }
}

/// The user of this process.
fn me() -> Caller<'static> {
    Caller {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        gids: &[],
    }
}

fn status<T: Debug>(result: Result<T>) -> Status {
    result.expect_err("should have failed").status
}

/// Waits until the kernel's clock for file times has moved on.
fn tick() {
    std::thread::sleep(core::time::Duration::from_millis(12));
}

/// An export of a new directory.
struct Export {
    dir: TempDir,
    fs: LocalFs,
}

impl Export {
    fn new() -> Self {
        Self::with(ExportOptions::default())
    }

    /// One with the kernel's handles, where this process may use them, and one without.
    fn in_each_mode() -> Vec<Self> {
        let dir = tempfile::tempdir().unwrap();
        let kernel = ExportOptions { handles: HandleMode::Kernel, ..ExportOptions::default() };
        let mut all = vec![Self::without_kernel()];
        match LocalFs::new(dir.path(), kernel.clone()) {
            Ok(_) => all.push(Self::with(kernel)),
            Err(error) => println!("only without the kernel's handles: {error}"),
        }
        all
    }

    fn without_kernel() -> Self {
        Self::with(ExportOptions { handles: HandleMode::Identity, ..ExportOptions::default() })
    }

    fn with(options: ExportOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("export");
        std::fs::create_dir(&path).unwrap();
        let fs = LocalFs::new(&path, options).unwrap();
        Self { dir, fs }
    }

    /// The same directory, served by a new server.
    fn restart(&mut self) {
        self.fs = LocalFs::new(&self.path(""), self.fs.options.clone()).unwrap();
    }

    /// Closes everything that was kept open.
    fn restart_tables(&self) {
        for _ in 0..32 {
            self.fs.nodes.shrink();
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("export").join(name)
    }

    fn root(&self) -> Handle {
        self.fs.root()
    }

    fn file(&self, name: &str, content: &[u8]) -> Handle {
        std::fs::write(self.path(name), content).unwrap();
        self.look(name)
    }

    fn folder(&self, name: &str) -> Handle {
        std::fs::create_dir(self.path(name)).unwrap();
        self.look(name)
    }

    fn look(&self, path: &str) -> Handle {
        path.split('/').fold(self.root(), |at, name| {
            self.fs.lookup(&me(), at.as_bytes(), name.as_bytes()).unwrap().object
        })
    }

    fn create(&self, name: &str, how: CreateHow) -> Result<crate::fs::Made> {
        self.fs.create(&me(), self.root().as_bytes(), name.as_bytes(), &how)
    }

    fn read(
        &self,
        caller: &Caller<'_>,
        file: &Handle,
        offset: u64,
        count: u32,
    ) -> Result<(Vec<u8>, bool)> {
        let data = self.fs.read(caller, file.as_bytes(), offset, count)?;
        let bytes = match data.data {
            FileData::Bytes(bytes) => bytes.to_vec(),
            FileData::File { file, offset, len } => {
                let mut bytes = vec![0; len as usize];
                let n = pread(file.as_fd(), &mut bytes, offset).unwrap();
                assert_eq!(n, bytes.len());
                bytes
            }
        };
        Ok((bytes, data.eof))
    }

    fn list(&self, dir: &Handle, cookie: u64, limit: usize) -> Result<(Vec<Listed>, bool)> {
        let mut page = Page { limit, entries: Vec::new(), begun: false };
        let ended = self.fs.readdir(&me(), dir.as_bytes(), cookie, *b"whatever", &mut page)?;
        assert!(page.begun);
        Ok((page.entries, ended))
    }
}

#[derive(Clone, Debug)]
struct Listed {
    name: Vec<u8>,
    fileid: u64,
    cookie: u64,
    details: EntryDetails,
}

struct Page {
    limit: usize,
    entries: Vec<Listed>,
    begun: bool,
}

impl DirVisitor for Page {
    fn begin(&mut self, attributes: nfswire_nfs3::PostOpAttr, verifier: [u8; 8]) {
        assert!(!self.begun && attributes.is_some() && verifier == [0; 8]);
        self.begun = true;
    }

    fn entry(&mut self, entry: DirEntry<'_>, details: &mut dyn FnMut() -> EntryDetails) -> Pushed {
        assert!(self.begun);
        if self.entries.len() == self.limit {
            return Pushed::Full;
        }
        let (name, fileid, cookie) = (entry.name.to_vec(), entry.fileid, entry.cookie);
        self.entries.push(Listed { name, fileid, cookie, details: details() });
        Pushed::Taken
    }
}
