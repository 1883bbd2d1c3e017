//! Whether data of a file is in memory, and getting it there.

use core::num::NonZeroU64;
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;

use rustix::fs::{Advice, fadvise, fstat};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use rustix::param::page_size;

/// One byte is waited for in each piece of this size; the kernel reads such pieces from a disk as a whole or in a few.
const STEP: u64 = 64 << 10;

/// Has a range of a file read from its disk if its end is not in memory, and waits for that. Returns whether it had to.
///
/// To ask is one system call that does not wait. The end is what is asked for: readers go forward, and so does the
/// kernel where it reads ahead. What cannot be asked about is taken to be there.
///
/// # Errors
/// Those of reading.
pub fn fetch(file: &OwnedFd, offset: u64, len: u32) -> Result<bool, Errno> {
    let Some(end) = offset.checked_add(len.into()).filter(|_| len > 0) else { return Ok(false) };
    let last = end.saturating_sub(1);
    if is_there(file, last) {
        return Ok(false);
    }
    // All of it at once; where the file system does not take the advice, piece by piece.
    match fadvise(file, offset, NonZeroU64::new(len.into()), Advice::WillNeed) {
        Ok(()) | Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(error) => return Err(error),
    }
    let mut at = offset;
    while at < last {
        read_byte(file, at)?;
        at = at.saturating_add(STEP);
    }
    read_byte(file, last)?;
    Ok(true)
}

/// Whether all that a file has in a range is in memory, or on its way there; `None` if the kernel does not say: it does
/// from Linux 6.5 on, of files that the process could write to. Does not wait.
///
/// What was never written counts as not in memory until it is read.
#[must_use]
pub fn has(file: &OwnedFd, offset: u64, len: u64) -> Option<bool> {
    let size = u64::try_from(fstat(file).ok()?.st_size).ok()?;
    let end = offset.saturating_add(len).min(size);
    let Some(len) = end.checked_sub(offset).filter(|len| *len > 0) else { return Some(true) };
    let page = u64::try_from(page_size()).ok()?;
    let pages = end.div_ceil(page).saturating_sub(offset.checked_div(page)?);
    Some(nfswire_sys::cached_pages(file, offset, len).ok()? >= pages)
}

fn is_there(file: &OwnedFd, at: u64) -> bool {
    let mut byte = [0];
    let asked = preadv2(file, &mut [IoSliceMut::new(&mut byte)], at, ReadWriteFlags::NOWAIT);
    !matches!(asked, Err(Errno::AGAIN))
}

fn read_byte(file: &OwnedFd, at: u64) -> Result<(), Errno> {
    loop {
        match pread(file, &mut [0], at) {
            // Nothing is there if the file has become shorter.
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    const LEN: u32 = 1 << 20;

    fn file() -> OwnedFd {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![7; usize::try_from(LEN).unwrap()]).unwrap();
        file.sync_all().unwrap();
        file.into()
    }

    #[test]
    fn what_is_not_in_memory_is_fetched_once() {
        let file = file();
        assert_eq!(fetch(&file, 0, LEN), Ok(false), "it was just written");
        for (offset, len) in [(0, LEN.into()), (4097, 1), (7, u64::MAX), (u64::MAX, 1)] {
            assert_ne!(has(&file, offset, len), Some(false), "{len} bytes at {offset}");
        }
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        if is_there(&file, 4096) {
            return println!(
                "skipped: this file system keeps all files in memory, or does not say"
            );
        }
        assert_ne!(has(&file, 0, LEN.into()), Some(true));
        assert_eq!(fetch(&file, 5, LEN - 5), Ok(true));
        assert_ne!(has(&file, 0, LEN.into()), Some(false));
        assert!((0..u64::from(LEN)).step_by(4096).all(|at| is_there(&file, at)));
        assert_eq!(fetch(&file, 5, LEN - 5), Ok(false));
    }

    #[test]
    fn there_is_nothing_to_fetch_behind_the_end() {
        let file = file();
        for (offset, len) in [(0, 0), (LEN.into(), 9), (u64::MAX, 1), (u64::MAX, u32::MAX)] {
            assert_eq!(fetch(&file, offset, len), Ok(false), "{len} bytes at {offset}");
        }
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(fetch(&reader.into(), 0, 9), Ok(false));
    }
}
