//! Chunk lists as a plain reading of RFC 8166 judges them, in numbers that nothing overflows.

use nfswire_rdma::{
    Budget, ChunkSlices, ReadSegment, Segment,
    types::{ChunkLists, WriteChunk},
};

/// Chunk lists, whether or not they make sense.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) reads: Vec<ReadSegment>,
    pub(super) writes: Vec<Vec<Segment>>,
    pub(super) reply: Option<Vec<Segment>>,
}

/// Read segments of one position that follow each other: the position, and all targets.
pub(super) type Group = (u32, Vec<Segment>);

fn sum(segments: &[Segment]) -> u128 {
    segments.iter().map(|segment| u128::from(segment.length)).sum()
}

fn padded(len: u128) -> u128 {
    len.div_ceil(4) * 4
}

impl Lists {
    pub(super) fn of(lists: &ChunkLists<'_>) -> Self {
        let segments = |chunk: WriteChunk<'_>| chunk.segments.iter().collect();
        Self {
            reads: lists.reads.iter().collect(),
            writes: lists.writes.iter().map(segments).collect(),
            reply: lists.reply.map(segments),
        }
    }

    /// Hands them over as a sender has them.
    pub(super) fn with<R>(&self, f: impl FnOnce(&ChunkSlices<'_>) -> R) -> R {
        let writes: Vec<&[Segment]> = self.writes.iter().map(|chunk| &chunk[..]).collect();
        f(&ChunkSlices { reads: &self.reads, writes: &writes, reply: self.reply.as_deref() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.reply.is_none()
    }

    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for ReadSegment { position, target } in &self.reads {
            match groups.last_mut() {
                Some((last, targets)) if last == position => targets.push(*target),
                _ => groups.push((*position, vec![*target])),
            }
        }
        groups
    }

    /// The words of the lists in a header.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut words: Vec<u32> = Vec::new();
        let segment = |words: &mut Vec<u32>, s: &Segment| {
            words.extend([s.handle, s.length, (s.offset >> 32) as u32, s.offset as u32]);
        };
        for read in &self.reads {
            words.extend([1, read.position]);
            segment(&mut words, &read.target);
        }
        words.push(0);
        for (chunk, last) in
            self.writes.iter().zip(std::iter::repeat(false)).chain(self.reply.iter().zip([true]))
        {
            // The Write list ends before the Reply chunk.
            words.extend(last.then_some(0));
            words.extend([1, u32::try_from(chunk.len()).expect("short")]);
            chunk.iter().for_each(|s| segment(&mut words, s));
        }
        words.extend(if self.reply.is_some() { &[][..] } else { &[0, 0] });
        words.into_iter().flat_map(u32::to_be_bytes).collect()
    }

    /// Bytes to read, bytes to write, and segments.
    pub(super) fn sizes(&self) -> [u128; 3] {
        let chunks = || self.writes.iter().chain(&self.reply);
        let read = self.reads.iter().map(|read| u128::from(read.target.length)).sum();
        let count = self.reads.len() + chunks().map(Vec::len).sum::<usize>();
        [read, chunks().map(|chunk| sum(chunk)).sum(), count as u128]
    }

    /// Whether the lists may stand before `inline` bytes of an RPC message, or for `None` in a
    /// message that has none (RDMA_NOMSG).
    pub(super) fn good(&self, inline: Option<usize>, budget: &Budget) -> bool {
        let chunks = || self.writes.iter().chain(&self.reply);
        let targets = || self.reads.iter().map(|read| &read.target);
        // Whoever adds them up must not meet zero.
        let within = |s: &Segment| u128::from(s.offset) + u128::from(s.length) < 1 << 64;
        let [read, written, count] = self.sizes();
        let full = |chunk: &Vec<Segment>| !chunk.is_empty();
        targets().all(within)
            && chunks().flatten().all(within)
            && read <= u128::from(budget.read_bytes)
            && written <= u128::from(budget.write_bytes)
            && count <= u128::from(budget.segments)
            && (budget.empty_write_chunks || self.writes.iter().all(full))
            && self.reply.iter().all(full)
            && self.reads_fit(inline)
    }

    /// Whether the Read chunks can be put back one after the other.
    fn reads_fit(&self, inline: Option<usize>) -> bool {
        let groups = self.groups();
        let (mut body, groups) = match (inline, &groups[..]) {
            (Some(inline), groups) => (inline as u128, groups),
            (None, [(0, message), groups @ ..]) => (sum(message), groups),
            (None, []) => return self.reply.is_some(),
            (None, _) => return false,
        };
        // Bytes of the RPC message that are in place.
        let mut placed = 0;
        for (position, segments) in groups {
            let position = u128::from(*position);
            if position == 0 || position % 4 != 0 || position < placed || position - placed > body {
                return false;
            }
            body -= position - placed;
            placed = position + padded(sum(segments));
        }
        true
    }
}
