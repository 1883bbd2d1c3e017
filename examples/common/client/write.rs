//! WRITE, several in flight, from the caller's memory, and COMMIT.

use core::ops::Range;

use nfswire_nfs3::io::{CommitArgs, CommitReply, WriteArgs, WriteReply};
use nfswire_nfs3::procedures::{Commit, Write};
use nfswire_nfs3::{FileHandle, StableHow, WriteVerifier};
use nfswire_rpc::Procedure;
use nfswire_xdr::{Cursor, Payload};

use super::connection::{Connection, Job, Outgoing, results};
use super::{Error, Result};

/// How often data is written before the client gives up on a server that loses it.
const ROUNDS: u32 = 5;

/// Writes ranges of `data`.
struct WriteJob<'p> {
    file: FileHandle<'p>,
    /// Where the first byte of `data` belongs in the file.
    offset: u64,
    data: &'p [u8],
    stable: StableHow,
    /// What to write, one call each; the rest of a short write is appended.
    pieces: Vec<Range<usize>>,
    next: usize,
    /// What the server has not made stable, and under which verifier.
    unstable: Vec<(Range<usize>, WriteVerifier)>,
}

impl WriteJob<'_> {
    fn piece(&self, index: usize) -> Option<Range<usize>> {
        self.pieces.get(index).cloned()
    }
}

impl<'p> Job<'p> for WriteJob<'p> {
    fn next_call(&mut self, out: &mut Outgoing<'_, '_, 'p>) -> Result<Option<u32>> {
        let Some(piece) = self.piece(self.next) else { return Ok(None) };
        let offset = self.offset.saturating_add(piece.start as u64);
        let data = self.data.get(piece).unwrap_or_default();
        out.put::<Write>(&WriteArgs::new(self.file, offset, self.stable, Payload::Borrowed(data)))?;
        let tag = u32::try_from(self.next).map_err(|_| Error::Broken)?;
        self.next = self.next.saturating_add(1);
        Ok(Some(tag))
    }

    fn reply(&mut self, tag: u32, c: &mut Cursor<'_>) -> Result<()> {
        let ok = match results::<Write>(c)? {
            WriteReply::Ok(ok) => ok,
            WriteReply::Fail(status, _) => return Err(Error::status(Write::NAME, status)),
        };
        let Range { start, end } = self.piece(tag as usize).unwrap_or_default();
        let middle = start.saturating_add(ok.count as usize);
        if middle > end || (middle == start && start < end) {
            let what = format!("{} bytes written of {}", ok.count, end.saturating_sub(start));
            return Err(Error::nonsense(Write::NAME, what));
        }
        if ok.committed == StableHow::Unstable {
            self.unstable.push((start..middle, ok.verifier));
        }
        if middle < end {
            self.pieces.push(middle..end);
        }
        Ok(())
    }
}

/// Cuts ranges into pieces of at most `size` bytes.
fn cut(ranges: &[Range<usize>], size: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for range in ranges {
        let mut at = range.start;
        while at < range.end {
            let end = at.saturating_add(size).min(range.end);
            pieces.push(at..end);
            at = end;
        }
    }
    pieces
}

/// Writes `data` at `offset` and returns when all of it is on the server's stable storage. What the server may have
/// lost since, because its verifier changed, is written again.
pub(super) fn write(
    connection: &mut Connection,
    depth: usize,
    size: u32,
    file: FileHandle<'_>,
    offset: u64,
    data: &[u8],
) -> Result<()> {
    let size = size.max(1) as usize;
    // One call needs no COMMIT.
    let stable = if data.len() <= size { StableHow::FileSync } else { StableHow::Unstable };
    let mut lost = Vec::from([Range { start: 0, end: data.len() }]);
    for _ in 0..ROUNDS {
        let pieces = cut(&lost, size);
        let mut job =
            WriteJob { file, offset, data, stable, pieces, next: 0, unstable: Vec::new() };
        connection.drive(&mut job, depth)?;
        let unstable = job.unstable;
        let (Some(start), Some(end)) = (
            unstable.iter().map(|(r, _)| r.start).min(),
            unstable.iter().map(|(r, _)| r.end).max(),
        ) else {
            return Ok(());
        };
        // A range that the count cannot say is "to the end of the file".
        let count = u32::try_from(end.saturating_sub(start)).unwrap_or(0);
        let verifier = commit(connection, file, offset.saturating_add(start as u64), count)?;
        lost =
            unstable.into_iter().filter(|(_, v)| *v != verifier).map(|(range, _)| range).collect();
        if lost.is_empty() {
            return Ok(());
        }
    }
    Err(Error::DataLost { rounds: ROUNDS })
}

fn commit(
    connection: &mut Connection,
    file: FileHandle<'_>,
    offset: u64,
    count: u32,
) -> Result<WriteVerifier> {
    connection.call::<Commit, _>(&CommitArgs { file, offset, count }, |reply| match reply {
        CommitReply::Ok(ok) => Ok(ok.verifier),
        CommitReply::Fail(status, _) => Err(Error::status(Commit::NAME, status)),
    })
}
