//! READ, several in flight, into the caller's memory.

use nfswire_nfs3::io::{ReadArgs, ReadOk, ReadReply};
use nfswire_nfs3::{FileHandle, procedures::Read};
use nfswire_rpc::Procedure;
use nfswire_xdr::{Cursor, ErrorKind, Payload};

use super::connection::{Job, Outgoing, Place, results};
use super::{Error, Result};

/// What came of reading a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Got {
    /// Bytes at the front of the buffer that are the file's now.
    pub len: usize,
    /// The file ends behind them.
    pub eof: bool,
}

/// A READ that fills `buffer`, repeated for the rest when the server answers with less.
struct Chunk<'b> {
    offset: u64,
    buffer: &'b mut [u8],
    done: usize,
}

impl Chunk<'_> {
    fn position(&self) -> u64 {
        self.offset.saturating_add(self.done as u64)
    }

    fn rest(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.done..).unwrap_or_default()
    }
}

/// Reads one range of a file.
pub(super) struct ReadJob<'p, 'b> {
    file: FileHandle<'p>,
    start: u64,
    len: usize,
    size: usize,
    chunks: Vec<Chunk<'b>>,
    /// Chunks to be asked for, the next one last.
    todo: Vec<u32>,
    /// End of the file, as far as the replies told.
    end: Option<u64>,
}

impl<'p, 'b> ReadJob<'p, 'b> {
    pub(super) fn new(file: FileHandle<'p>, offset: u64, buffer: &'b mut [u8], size: u32) -> Self {
        let (len, size) = (buffer.len(), size.max(1) as usize);
        let mut chunks = Vec::new();
        let mut at = offset;
        for buffer in buffer.chunks_mut(size) {
            chunks.push(Chunk { offset: at, buffer, done: 0 });
            at = at.saturating_add(size as u64);
        }
        let count = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        Self { file, start: offset, len, size, chunks, todo: (0..count).rev().collect(), end: None }
    }

    pub(super) fn got(&self) -> Got {
        let known = self
            .end
            .map(|end| usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX));
        Got { len: known.unwrap_or(usize::MAX).min(self.len), eof: self.end.is_some() }
    }

    fn chunk(&mut self, tag: u32) -> Result<&mut Chunk<'b>> {
        self.chunks.get_mut(tag as usize).ok_or(Error::Broken)
    }
}

/// Checks the two lengths of a reply against each other and against what was asked for.
pub(super) fn judge(ok: &ReadOk<'_>, asked: usize) -> Result<()> {
    ok.validate().map_err(|e| Error::nonsense(Read::NAME, e.to_string()))?;
    if ok.count as usize > asked {
        let what = format!("{} bytes came where {asked} were asked for", ok.count);
        return Err(Error::nonsense(Read::NAME, what));
    }
    Ok(())
}

/// The place of a payload that is still on the wire.
pub(super) fn place(c: &mut Cursor<'_>, asked: usize) -> Result<Option<Place>> {
    match c.decode::<ReadReply<'_>>() {
        Ok(ReadReply::Ok(ok)) => {
            judge(&ok, asked)?;
            match ok.data {
                Payload::Elsewhere { at, len } => Ok(Some(Place { at, len })),
                _ => Ok(None),
            }
        }
        Ok(ReadReply::Fail(..)) => Ok(None),
        Err(error) if matches!(error.kind, ErrorKind::NotHere { .. }) => Ok(None),
        Err(error) => Err(Error::Results { procedure: Read::NAME, error }),
    }
}

/// Read-ahead for replies with payloads of `size` bytes: little more than a header when they are large.
pub(super) const fn read_ahead(size: usize) -> usize {
    if size < 16 << 10 { usize::MAX } else { 256 }
}

impl<'p> Job<'p> for ReadJob<'p, '_> {
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>> {
        while let Some(tag) = self.todo.pop() {
            let (file, end) = (self.file, self.end.unwrap_or(u64::MAX));
            let chunk = self.chunk(tag)?;
            let offset = chunk.position();
            if offset < end {
                let count = u32::try_from(chunk.rest().len()).unwrap_or(u32::MAX);
                out.put::<Read>(&ReadArgs { file, offset, count })?;
                return Ok(Some(tag));
            }
        }
        Ok(None)
    }

    fn read_ahead(&self) -> usize {
        read_ahead(self.size)
    }

    fn place(&mut self, tag: u32, c: &mut Cursor<'_>) -> Result<Option<Place>> {
        let asked = self.chunk(tag)?.rest().len();
        place(c, asked)
    }

    fn destination(&mut self, tag: u32) -> &mut [u8] {
        self.chunks.get_mut(tag as usize).map(Chunk::rest).unwrap_or_default()
    }

    fn reply(&mut self, tag: u32, c: &mut Cursor<'_>) -> Result<()> {
        let ok = match results::<Read>(c)? {
            ReadReply::Ok(ok) => ok,
            ReadReply::Fail(status, _) => return Err(Error::status(Read::NAME, status)),
        };
        let chunk = self.chunk(tag)?;
        judge(&ok, chunk.rest().len())?;
        if let Some(data) = ok.data.as_slice()
            && let Some(to) = chunk.rest().get_mut(..data.len())
        {
            to.copy_from_slice(data);
        }
        chunk.done = chunk.done.saturating_add(ok.count as usize);
        let (position, missing) = (chunk.position(), !chunk.rest().is_empty());
        if ok.eof {
            self.end = Some(self.end.map_or(position, |end| end.min(position)));
        } else if missing && ok.count == 0 {
            let what = format!("no bytes at offset {position}, and yet not the end of the file");
            return Err(Error::nonsense(Read::NAME, what));
        } else if missing {
            self.todo.push(tag);
        }
        Ok(())
    }
}
