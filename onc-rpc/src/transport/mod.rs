//! State of a transport without its sockets (feature `alloc`): which calls wait for a reply
//! ([`XidTable`]), which replies may be asked for again ([`ReplayCache`]), which message is sent
//! next ([`SendQueue`]), and which buffers the kernel still reads ([`ZerocopyTracker`]).
//!
//! Each reserves its memory when it is made and stays within it. None looks at a clock: instants
//! are the caller's.

mod queue;
mod replay;
mod xid;
mod zerocopy;

use alloc::vec::Vec;

use thiserror::Error;

pub use queue::{Class, QueueFull, QueueLimits, SendQueue, Sending, SentTooMuch};
pub use replay::{
    CachedReply, Execution, ExecutionGuard, Finished, Kept, Lookup, ReplayCache, ReplayKey,
    ReplayLimits, ReplayStats, Running, TooManyWaiters, Waiters,
};
pub use xid::{PendingCall, TooManyCalls, XidTable};
pub use zerocopy::{
    BufferId, SendMode, TooManyBuffers, UnknownBuffer, UnknownSend, ZerocopyLimits, ZerocopyStats,
    ZerocopyTracker,
};

/// The memory that a table needs cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no memory for {entries} entries of {entry_size} bytes: lower the limits of the table")]
pub struct NoMemory {
    /// Entries asked for.
    pub entries: usize,
    /// Bytes of each.
    pub entry_size: usize,
}

/// Room for exactly `entries`, at once: nothing is allocated later.
fn reserved<T>(entries: usize) -> Result<Vec<T>, NoMemory> {
    let mut room = Vec::new();
    let entry_size = size_of::<T>();
    room.try_reserve_exact(entries).map_err(|_| NoMemory { entries, entry_size })?;
    Ok(room)
}
