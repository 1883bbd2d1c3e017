//! What one connection of a load does.

use std::time::Instant;

use hdrhistogram::Histogram;
use nfswire_nfs3::attr::{GetattrArgs, GetattrReply};
use nfswire_nfs3::io::{ReadArgs, ReadOk, ReadReply};
use nfswire_nfs3::lookup::{LookupArgs, LookupReply};
use nfswire_nfs3::procedures::{Getattr, Lookup, Read};
use nfswire_nfs3::{DirOpArgs, FileHandle, FileName};
use nfswire_rpc::Procedure;
use nfswire_xdr::Cursor;

use super::super::connection::{Job, Outgoing, Place, results};
use super::super::{Error, Result, file_name, read, wire};
use super::{Load, Target};

/// What one connection counted.
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) bytes: u64,
    pub(super) latency: Histogram<u64>,
}

impl Tally {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { calls: 0, bytes: 0, latency: super::histogram()? })
    }
}

/// A call in flight.
struct Slot {
    started: Instant,
    expected: u32,
}

pub(super) struct BenchJob<'p> {
    object: FileHandle<'p>,
    name: FileName<'p>,
    size: u64,
    load: Load,
    /// All payloads of the connection go here, one over the other.
    buffer: Vec<u8>,
    offset: u64,
    /// Calls that are still to be made.
    pub(super) left: Option<u64>,
    pub(super) deadline: Option<Instant>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    pub(super) tally: Tally,
}

impl<'p> BenchJob<'p> {
    pub(super) fn new(target: &'p Target, load: Load, start: u64) -> Result<Self> {
        let (len, offset) = match load {
            // Whole READs from the start of the file on, also on connections that start in its middle.
            Load::Read(len) => {
                (len, start.saturating_sub(start.checked_rem(len.into()).unwrap_or(0)))
            }
            Load::Getattr | Load::Lookup => (0, 0),
        };
        Ok(Self {
            object: wire(&target.object),
            name: file_name(&target.name)?,
            size: target.size,
            load,
            buffer: vec![0; len as usize],
            offset,
            left: None,
            deadline: None,
            slots: Vec::new(),
            free: Vec::new(),
            tally: Tally::new()?,
        })
    }

    fn slot(&mut self, slot: Slot) -> Result<u32> {
        if let Some(tag) = self.free.pop() {
            *self.slots.get_mut(tag as usize).ok_or(Error::Broken)? = slot;
            return Ok(tag);
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len().saturating_sub(1)).map_err(|_| Error::Broken)
    }

    fn take(&mut self, ok: &ReadOk<'_>, expected: u32) -> Result<()> {
        read::judge(ok, self.buffer.len())?;
        if ok.count != expected {
            let what = format!("{} bytes came where {expected} were expected", ok.count);
            return Err(Error::nonsense(Read::NAME, what));
        }
        if let Some(data) = ok.data.as_slice()
            && let Some(to) = self.buffer.get_mut(..data.len())
        {
            to.copy_from_slice(data);
        }
        self.tally.bytes = self.tally.bytes.saturating_add(ok.count.into());
        Ok(())
    }
}

impl<'p> Job<'p> for BenchJob<'p> {
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>> {
        let started = Instant::now();
        if self.left == Some(0) || self.deadline.is_some_and(|deadline| started >= deadline) {
            return Ok(None);
        }
        self.left = self.left.map(|left| left.saturating_sub(1));
        let object = self.object;
        let mut expected = 0;
        match self.load {
            Load::Read(count) => {
                let offset = if self.offset < self.size { self.offset } else { 0 };
                self.offset = offset.saturating_add(count.into());
                let rest = self.size.saturating_sub(offset);
                expected = count.min(u32::try_from(rest).unwrap_or(u32::MAX));
                out.put::<Read>(&ReadArgs { file: object, offset, count })?;
            }
            Load::Getattr => out.put::<Getattr>(&GetattrArgs { object })?,
            Load::Lookup => {
                let what = DirOpArgs { dir: object, name: self.name };
                out.put::<Lookup>(&LookupArgs { what })?;
            }
        }
        self.slot(Slot { started, expected }).map(Some)
    }

    fn read_ahead(&self) -> usize {
        match self.load {
            Load::Read(_) => read::read_ahead(self.buffer.len()),
            Load::Getattr | Load::Lookup => usize::MAX,
        }
    }

    fn place(&mut self, _tag: u32, c: &mut Cursor<'_>) -> Result<Option<Place>> {
        match self.load {
            Load::Read(_) => read::place(c, self.buffer.len()),
            Load::Getattr | Load::Lookup => Ok(None),
        }
    }

    fn destination(&mut self, _tag: u32) -> &mut [u8] {
        &mut self.buffer
    }

    fn reply(&mut self, tag: u32, c: &mut Cursor<'_>) -> Result<()> {
        let Some(&Slot { started, expected }) = self.slots.get(tag as usize) else {
            return Err(Error::Broken);
        };
        self.free.push(tag);
        match self.load {
            Load::Read(_) => match results::<Read>(c)? {
                ReadReply::Ok(ok) => self.take(&ok, expected)?,
                ReadReply::Fail(status, _) => return Err(Error::status(Read::NAME, status)),
            },
            Load::Getattr => match results::<Getattr>(c)? {
                GetattrReply::Ok(_) => {}
                GetattrReply::Fail(status) => return Err(Error::status(Getattr::NAME, status)),
            },
            Load::Lookup => match results::<Lookup>(c)? {
                LookupReply::Ok(_) => {}
                LookupReply::Fail(status, _) => return Err(Error::status(Lookup::NAME, status)),
            },
        }
        self.tally.calls = self.tally.calls.saturating_add(1);
        let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.tally.latency.saturating_record(nanos);
        Ok(())
    }
}
