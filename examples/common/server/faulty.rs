//! Files that could not be read lately.
//!
//! `sendfile` reads when the header of the reply has already left, so all it can do about a bad disk is to cut the
//! connection. The next READ of the file is copied, which fails in time for an answer.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rustix::fs::fstat;

/// How long a file is remembered.
const KEEP: Duration = Duration::from_secs(600);
/// Files that are remembered.
const MOST: usize = 64;

/// Device and inode number.
type Id = (u64, u64);

#[derive(Debug, Default)]
pub(super) struct Faulty {
    /// Whether there are any: READs of a sound server look at nothing else.
    any: AtomicBool,
    files: Mutex<Vec<(Id, Instant)>>,
}

fn id(file: &OwnedFd) -> Option<Id> {
    fstat(file).ok().map(|stat| (stat.st_dev, stat.st_ino))
}

impl Faulty {
    /// Reading this file has failed. Its inode number, for the log.
    pub(super) fn remember(&self, file: &OwnedFd) -> Option<u64> {
        let id = id(file)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|(other, _)| *other != id);
        if files.len() >= MOST {
            files.remove(0);
        }
        files.push((id, Instant::now()));
        self.any.store(true, Ordering::Relaxed);
        Some(id.1)
    }

    /// Whether reading this file has failed lately.
    pub(super) fn has(&self, file: &OwnedFd) -> bool {
        if !self.any.load(Ordering::Relaxed) {
            return false;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|(_, since)| since.elapsed() < KEEP);
        self.any.store(!files.is_empty(), Ordering::Relaxed);
        id(file).is_some_and(|id| files.iter().any(|(other, _)| *other == id))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use alloc::sync::Arc;
    use std::fs::File;
    use std::io::Write;

    use nfswire_xdr::{Encoder, Payload, Segments};
    use rustix::fs::{Advice, fadvise};
    use rustix::io::Errno;

    use super::super::cold::Warm;
    use super::super::reply::{Batch, Pages};
    use super::super::zerocopy::Large;
    use super::*;
    use crate::fs::FileData;
    use crate::page_cache;

    #[test]
    fn a_file_that_could_not_be_sent_is_read_before_the_reply() {
        // The kernel answers EIO: nothing is mapped at address 0.
        let broken = Arc::new(OwnedFd::from(File::open("/proc/self/mem").unwrap()));
        let sound = Arc::new(OwnedFd::from(File::open("/proc/self/exe").unwrap()));
        let (faulty, mut head, mut files) = (Faulty::default(), Vec::new(), Vec::new());
        let mut segments = Segments::new();
        let encoder = Encoder::growable(&mut head, &mut segments);
        let (pages, warm) = (Pages::new(&mut []), Warm::default());
        let mut large = Large::default();
        let mut batch = Batch::new(encoder, &mut files, pages, 16, &faulty, &warm, &mut large);
        let mut payload = |file: &Arc<OwnedFd>| {
            let data = FileData::File { file: Arc::clone(file), offset: 0, len: 4096 };
            batch.data(data, 4096).map(|data| data.payload)
        };
        assert!(matches!(payload(&broken), Ok(Payload::File(_))));
        assert!(faulty.remember(&broken).is_some());
        assert_eq!(payload(&broken).unwrap_err(), Errno::IO);
        assert!(matches!(payload(&sound), Ok(Payload::File(_))));
    }

    // S13
    #[test]
    fn small_data_is_not_waited_for_where_replies_are_ready() {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[7; 65_536]).unwrap();
        file.sync_all().unwrap();
        let file = Arc::new(OwnedFd::from(file));
        let (faulty, mut head, mut files) = (Faulty::default(), Vec::new(), Vec::new());
        let mut segments = Segments::new();
        let encoder = Encoder::growable(&mut head, &mut segments);
        let (pages, warm) = (Pages::new(&mut []), Warm::default());
        let mut large = Large::default();
        let mut batch = Batch::new(encoder, &mut files, pages, 4096, &faulty, &warm, &mut large);
        let data = || FileData::File { file: Arc::clone(&file), offset: 0, len: 4096 };
        batch.tally.replies = 1;
        assert!(batch.data(data(), 4096).is_ok(), "it was just written");
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        if page_cache::has(&file, 0, 4096) != Some(false) {
            return println!(
                "skipped: this file system keeps all files in memory, or does not say"
            );
        }
        match batch.data(data(), 4096) {
            Err(error) => assert_eq!(error, Errno::WOULDBLOCK),
            Ok(_) => println!("skipped: this file system cannot read without waiting"),
        }
        batch.tally.replies = 0;
        assert!(batch.data(data(), 4096).is_ok());
    }

    #[test]
    fn few_files_are_remembered() {
        let faulty = Faulty::default();
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<OwnedFd> = (0..=MOST)
            .map(|i| File::create(dir.path().join(i.to_string())).unwrap().into())
            .collect();
        for file in &files {
            faulty.remember(file);
            faulty.remember(file);
        }
        assert!(!faulty.has(files.first().unwrap()));
        assert!(files.iter().skip(1).all(|file| faulty.has(file)));
    }
}
