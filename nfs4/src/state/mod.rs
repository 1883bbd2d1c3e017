//! State that servers and clients keep, without I/O or clock: the caller gives instants and keys.
//!
//! Decisions are functions over small values; tables (`LockSet`, `SlotTable`, `ClientSlots`; feature
//! `alloc`) reserve their memory when they are made and stay within it.

mod change;
#[cfg(feature = "alloc")]
mod client_slots;
mod clients;
mod flags;
mod lease;
#[cfg(feature = "alloc")]
mod locks;
mod open_seqid;
mod range;
mod referral;
mod share;
#[cfg(feature = "alloc")]
mod slots;
mod stateid;

pub use change::{ChangeBefore, DirCache};
#[cfg(feature = "alloc")]
pub use client_slots::{ClientSlots, SequenceAnswer, SlotStep, SlotUse};
pub use clients::{
    ClientIdentity, ConfirmClientId, ConfirmRecords, Confirmation, ConfirmedClient, CreateSession,
    ExchangeId, HeldState, SetClientId, confirm_client_id, create_session, exchange_id,
    set_client_id,
};
pub use flags::{RevokeReason, RevokedCounts, SequenceAction};
pub use lease::{Grace, Lease, LeaseState, Reclaim};
#[cfg(feature = "alloc")]
pub use locks::{ByteLock, LockRefused, LockSet, TooManyLocks};
pub use open_seqid::{OwnerCall, OwnerCounter, OwnerSeqid, advances_seqid};
pub use range::LockRange;
pub use referral::split_path;
pub use share::{FileOpens, OwnerOpens, Share};
#[cfg(feature = "alloc")]
pub use slots::{
    NewCall, ReplyKept, RunningCall, SlotGrant, SlotLimits, SlotLookup, SlotRequest, SlotTable,
};
pub use stateid::{SeqIdRules, StateidKind, next_seqid};

/// Room for exactly `entries`, at once: nothing is allocated later.
#[cfg(feature = "alloc")]
fn reserved<T>(entries: u32) -> Result<alloc::vec::Vec<T>, nfswire_rpc::NoMemory> {
    let entries = usize::try_from(entries).unwrap_or(usize::MAX);
    let mut room = alloc::vec::Vec::new();
    let entry_size = size_of::<T>();
    let no_memory = nfswire_rpc::NoMemory { entries, entry_size };
    room.try_reserve_exact(entries).map_err(|_| no_memory)?;
    Ok(room)
}
