//! Replies in the making: those of one batch stand behind each other in one encoder.

use alloc::sync::Arc;
use core::marker::PhantomData;
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;

use bytes::Bytes;
use nfswire_rpc::{RecordMark, ReplyHeader};
use nfswire_xdr::{DecodeError, Encode, EncodeError, Encoder, FileRange, Payload, Wire};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};

use super::cold::Warm;
use super::faulty::Faulty;
use super::metrics::{Copied as Copies, Note};
use super::replays::Name;
use super::zerocopy::Large;
use crate::fs::FileData;

/// Alignment of the memory that file data is read into.
const LINE: usize = 64;

/// Why a procedure has no results.
#[derive(Debug)]
pub(super) enum Fault {
    /// The arguments cannot be decoded.
    Arguments(DecodeError),
    /// The version has no such procedure.
    NoProcedure,
    /// The reply cannot be encoded: no memory, or a file system that contradicts itself.
    Reply(EncodeError),
    /// A disk has to be waited for, and others' replies would wait with it. Nothing was done.
    PutOff,
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Self::Arguments(error)
    }
}

impl From<EncodeError> for Fault {
    fn from(error: EncodeError) -> Self {
        Self::Reply(error)
    }
}

/// Memory for file data, handed out piece by piece for as long as one batch lives.
#[derive(Debug)]
pub(super) struct Pages<'p> {
    free: &'p mut [u8],
    short: bool,
}

impl<'p> Pages<'p> {
    pub(super) const fn new(free: &'p mut [u8]) -> Self {
        Self { free, short: false }
    }

    fn take(&mut self, len: usize) -> Option<&'p mut [u8]> {
        let wanted = len.next_multiple_of(LINE);
        if wanted > self.free.len() {
            self.short = true;
            return None;
        }
        let (page, rest) = core::mem::take(&mut self.free).split_at_mut_checked(wanted)?;
        self.free = rest;
        page.get_mut(..len)
    }
}

/// Data of a READ, ready to be sent.
pub(super) struct Data<'p> {
    pub(super) payload: Payload<'p>,
    /// The file ended before the length that the file system had promised.
    pub(super) shrunk: bool,
}

/// The replies that leave together.
#[derive(Debug)]
pub(super) struct Batch<'h, 'p> {
    pub(super) encoder: Encoder<'h, 'p>,
    files: &'h mut Vec<Arc<OwnedFd>>,
    pages: Pages<'p>,
    copy_break: u32,
    faulty: &'h Faulty,
    pub(super) warm: &'h Warm,
    large: &'h mut Large,
    /// The last call was not served, because it would keep the replies before it: it is to be served again when these
    /// have left.
    pub(super) is_put_off: bool,
    /// A call of an export was served that says more than that the server is there.
    pub(super) is_of_use: bool,
    pub(super) tally: Tally,
}

/// What a batch came to.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) replies: u64,
    pub(super) copied: Copies,
    /// Replies to calls of NFS, if somebody counts.
    pub(super) notes: Vec<Note>,
    /// Replies that are kept.
    pub(super) kept: Vec<Name>,
}

impl<'h, 'p> Batch<'h, 'p> {
    /// `files` keeps the files open that the replies refer to; a [`FileRange`]'s token is the index there.
    pub(super) fn new(
        encoder: Encoder<'h, 'p>,
        files: &'h mut Vec<Arc<OwnedFd>>,
        pages: Pages<'p>,
        copy_break: u32,
        faulty: &'h Faulty,
        warm: &'h Warm,
        large: &'h mut Large,
    ) -> Self {
        files.clear();
        let tally = Tally::default();
        let (is_put_off, is_of_use) = (false, false);
        Self {
            encoder,
            files,
            pages,
            copy_break,
            faulty,
            warm,
            large,
            is_put_off,
            is_of_use,
            tally,
        }
    }

    /// Whether so much data of a file is sent by reference.
    pub(super) const fn refers_to(&self, len: u32) -> bool {
        len > self.copy_break
    }

    /// Whether a call may wait for a disk: no replies are ready that would wait with it.
    pub(super) const fn may_wait(&self) -> bool {
        self.tally.replies == 0
    }

    /// Bytes of the replies so far, file ranges included.
    pub(super) const fn len(&self) -> u64 {
        self.encoder.len()
    }

    /// Whether file data has already had to go to memory of its own.
    pub(super) const fn is_short_of_pages(&self) -> bool {
        self.pages.short
    }

    /// Ends the batch; the replies are in the encoder's segments.
    pub(super) fn finish(self) -> Tally {
        self.encoder.finish();
        self.tally
    }

    /// Appends a reply without results.
    pub(super) fn header(&mut self, header: &ReplyHeader<'_>) -> Result<(), EncodeError> {
        self.encoder.attempt(|e| {
            let mark = RecordMark::reserve(e)?;
            e.put(header)?;
            mark.close(e).map(drop)
        })
    }

    /// Appends a successful reply whose results `results` puts; a fault leaves no trace.
    pub(super) fn success(
        &mut self,
        xid: u32,
        results: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let start = self.encoder.mark();
        let files = self.files.len();
        let done = self.record(xid, results);
        if done.is_err() {
            self.files.truncate(files);
            self.encoder.rollback(start)?;
        }
        done
    }

    fn record(
        &mut self,
        xid: u32,
        results: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mark = RecordMark::reserve(&mut self.encoder)?;
        self.encoder.put(&ReplyHeader::success(xid))?;
        results(self)?;
        mark.close(&mut self.encoder)?;
        Ok(())
    }

    /// Appends a value.
    pub(super) fn put<T: Encode<'p>>(&mut self, value: &T) -> Result<(), Fault> {
        Ok(self.encoder.put(value)?)
    }

    /// Appends a value that need not live as long as the batch. It has no payload.
    pub(super) fn put_copied<'a, T: Encode<'a>>(&mut self, value: &T) -> Result<(), Fault> {
        Ok(self.encoder.put(&Copied { value, life: PhantomData })?)
    }

    /// Makes data of a file system ready: at most `count` bytes, by reference above the copy-break
    /// unless the file is known to be faulty. `WOULDBLOCK` if that has to wait for a disk and must not.
    pub(super) fn data(&mut self, data: FileData, count: u32) -> Result<Data<'p>, Errno> {
        let (file, offset, len) = match data {
            FileData::Bytes(mut bytes) => {
                bytes.truncate(usize::try_from(count).unwrap_or(usize::MAX));
                self.large.add(&bytes);
                return Ok(Data { payload: Payload::Bytes(bytes), shrunk: false });
            }
            FileData::File { file, offset, len } => (file, offset, len.min(count)),
        };
        if len > self.copy_break && !self.faulty.has(&file) {
            let token = u64::try_from(self.files.len()).unwrap_or(u64::MAX);
            self.files.push(file);
            let payload = Payload::File(FileRange { token, offset, len });
            return Ok(Data { payload, shrunk: false });
        }
        let read = &mut self.tally.copied.read;
        *read = read.saturating_add(len.into());
        let len = usize::try_from(len).map_err(|_| Errno::NOMEM)?;
        let (shared, may_wait) = (self.large.wants(len), self.may_wait());
        if let Some(page) = if shared { None } else { self.pages.take(len) } {
            let read = fill(&file, page, offset, may_wait)?;
            let page: &'p [u8] = page;
            let payload = Payload::Borrowed(page.get(..read).unwrap_or(page));
            return Ok(Data { payload, shrunk: read < len });
        }
        let mut page = Vec::new();
        page.try_reserve_exact(len).map_err(|_| Errno::NOMEM)?;
        page.resize(len, 0);
        let read = fill(&file, &mut page, offset, may_wait)?;
        page.truncate(read);
        let page = Bytes::from(page);
        self.large.add(&page);
        Ok(Data { payload: Payload::Bytes(page), shrunk: read < len })
    }
}

/// Reads until the page is full or the file ends, or a disk has to be waited for and must not.
fn fill(file: &OwnedFd, page: &mut [u8], offset: u64, mut may_wait: bool) -> Result<usize, Errno> {
    let mut done = 0usize;
    while let Some(rest) = page.get_mut(done..).filter(|rest| !rest.is_empty()) {
        let at = offset.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
        let read = if may_wait {
            pread(file, rest, at)
        } else {
            preadv2(file, &mut [IoSliceMut::new(rest)], at, ReadWriteFlags::NOWAIT)
        };
        match read {
            Ok(0) => break,
            Ok(read) => done = done.saturating_add(read),
            Err(Errno::INTR) => {}
            // The file system has no other way of reading.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) if !may_wait => may_wait = true,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// A value without payload, whose bytes are all copied to the head: any lifetime will do.
struct Copied<'v, 'a, T> {
    value: &'v T,
    life: PhantomData<&'a ()>,
}

impl<T: Wire> Wire for Copied<'_, '_, T> {
    const MIN_LEN: u32 = T::MIN_LEN;
    const MAX_LEN: u32 = T::MAX_LEN;
}

impl<'a, 'p, T: Encode<'a>> Encode<'p> for Copied<'_, 'a, T> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        const { assert!(T::INLINE, "a payload would be left out") };
        self.value.encoded_len()
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        self.value.write(w)
    }

    /// Reached only when there is no memory for one window: the server's heads are one piece.
    fn encode_fields(&self, _: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        Err(EncodeError::NoSpace { missing: self.value.encoded_len() })
    }
}
