//! Slots of a session, at the side that sends requests: a client's fore channel, a server's
//! backchannel.

use alloc::vec::Vec;

use nfswire_rpc::NoMemory;

use super::reserved;
use crate::{SequenceId, SlotId, Status, ops::session::SequenceReply};

/// Slot and number for one request and every retry of it; to be given to
/// [`ClientSlots::answered`] or [`ClientSlots::abandon`]. Dropped, it leaves the slot busy.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the slot stays busy until it is given back"]
pub struct SlotUse {
    slot: SlotId,
    sequence: SequenceId,
    /// What the request says, or will say, about the highest slot.
    highest_slot: SlotId,
}

impl SlotUse {
    /// The slot.
    #[doc(alias = "sa_slotid")]
    #[must_use]
    pub const fn slot(&self) -> SlotId {
        self.slot
    }

    /// Number of the request on the slot.
    #[doc(alias = "sa_sequenceid")]
    #[must_use]
    pub const fn sequence(&self) -> SequenceId {
        self.sequence
    }
}

/// How SEQUENCE ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SequenceAnswer {
    /// With success, and these numbers.
    Ok {
        /// `sr_slotid`.
        slot: SlotId,
        /// `sr_sequenceid`.
        sequence: SequenceId,
        /// `sr_highest_slotid`.
        highest_slot: SlotId,
        /// `sr_target_highest_slotid`.
        target_highest_slot: SlotId,
    },
    /// With this status.
    Failed(Status),
}

impl From<&SequenceReply> for SequenceAnswer {
    fn from(reply: &SequenceReply) -> Self {
        match reply {
            SequenceReply::Ok(ok) => Self::Ok {
                slot: ok.slotid,
                sequence: ok.sequenceid,
                highest_slot: ok.highest_slotid,
                target_highest_slot: ok.target_highest_slotid,
            },
            SequenceReply::Fail(status) => Self::Failed(*status),
        }
    }
}

/// What to do about a request after SEQUENCE was answered.
#[derive(Debug, PartialEq, Eq)]
pub enum SlotStep {
    /// The slot is free. Read the results of the other operations, if it was no probe.
    Done,
    /// Wait a little, then send the same request with the same slot and number.
    RetryLater(SlotUse),
    /// Bind the connection to the session (BIND_CONN_TO_SESSION), then send the same request with
    /// the same slot and number.
    BindThenRetry(SlotUse),
    /// It was not executed: send it again as a new request. The slot is free.
    SendAnew,
    /// It was not executed, and will not be as it is. The slot is free.
    Failed(Status),
    /// The slot is out of step, and is not used any more; whether the request was executed is not
    /// known. With its last slot a session is lost.
    SlotLost,
    /// The session is gone, or answers what it was not asked: make a new one.
    SessionLost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Free,
    Busy,
    /// Sent, and nobody waits for the reply.
    InDoubt,
    /// Being probed.
    Probing,
    Lost,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Number of the request that is outstanding, or else of the next one.
    sequence: SequenceId,
    phase: Phase,
    /// The other side may have given the slot up, and count from one again.
    restarts: bool,
}

/// Which slot and number the next request has (RFC 8881, section 2.10.6.1).
///
/// Memory for all slots is reserved when the table is made. The lowest free slot comes first, so
/// that the other side can give up those above. The work of a call grows with the number of slots.
///
/// ```
/// use nfswire_nfs4::Status;
/// use nfswire_nfs4::state::{ClientSlots, SequenceAnswer, SlotStep};
///
/// let mut slots = ClientSlots::new(16, 64)?;                  // granted; as many as we want
/// let mut first = slots.acquire().unwrap();
/// assert_eq!((first.slot(), first.sequence(), slots.highest_slot(&mut first)), (0, 1, 0));
///
/// // The server is not done with what was sent before: the same again, later.
/// let step = slots.answered(first, SequenceAnswer::Failed(Status::DELAY));
/// let SlotStep::RetryLater(first) = step else { panic!("{step:?}") };
/// let ok = SequenceAnswer::Ok {
///     slot: 0, sequence: 1, highest_slot: 15, target_highest_slot: 15,
/// };
/// assert_eq!(slots.answered(first, ok), SlotStep::Done);
/// assert_eq!(slots.acquire().unwrap().sequence(), 2);
/// # Ok::<(), nfswire_rpc::NoMemory>(())
/// ```
#[derive(Debug)]
pub struct ClientSlots {
    slots: Vec<Slot>,
    /// Highest slots that the other side accepts, and that it wants used.
    highest: SlotId,
    target: SlotId,
}

impl ClientSlots {
    /// Slots of a new session: `granted` is `ca_maxrequests` of the reply to CREATE_SESSION, and
    /// `limit` how many there may be ever, when the other side grants more later. At least one.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(granted: u32, limit: u32) -> Result<Self, NoMemory> {
        let limit = limit.max(1);
        let mut slots = reserved(limit)?;
        let free = Slot { sequence: 1, phase: Phase::Free, restarts: false };
        slots.extend((0..limit).map(|_| free));
        let highest = granted.saturating_sub(1);
        Ok(Self { slots, highest, target: highest })
    }

    /// Takes the lowest free slot. `None`: wait for an answer.
    pub fn acquire(&mut self) -> Option<SlotUse> {
        let limit = self.highest.min(self.target);
        let mut usable = (0..=limit).zip(&mut self.slots);
        let (slot, entry) = usable.find(|(_, slot)| slot.phase == Phase::Free)?;
        entry.phase = Phase::Busy;
        Some(SlotUse { slot, sequence: entry.sequence, highest_slot: slot })
    }

    /// The highest slot with a request outstanding; `None`: there is none.
    #[must_use]
    pub fn highest_outstanding(&self) -> Option<SlotId> {
        let outstanding = |slot: &Slot| !matches!(slot.phase, Phase::Free | Phase::Lost);
        let at = self.slots.iter().rposition(outstanding)?;
        u32::try_from(at).ok()
    }

    /// `sa_highest_slotid` of a request or retry, to be asked right before it is sent: the highest
    /// slot with a request outstanding, this one's included. An older number may make the other
    /// side give up a slot whose reply was not seen.
    #[doc(alias = "sa_highest_slotid")]
    pub fn highest_slot(&self, used: &mut SlotUse) -> SlotId {
        used.highest_slot = self.highest_outstanding().unwrap_or_default().max(used.slot);
        used.highest_slot
    }

    /// Whether a request is outstanding: if CB_SEQUENCE refers to it, the callback has overtaken
    /// its reply, which is worth a short wait before [`Status::DELAY`] (RFC 8881, section
    /// 2.10.6.3).
    #[must_use]
    pub fn is_outstanding(&self, slot: SlotId, sequence: SequenceId) -> bool {
        usize::try_from(slot).ok().and_then(|at| self.slots.get(at)).is_some_and(|slot| {
            slot.sequence == sequence && !matches!(slot.phase, Phase::Free | Phase::Lost)
        })
    }

    /// SEQUENCE of a request was answered: takes over what it says about slots, and says what is
    /// next.
    pub fn answered(&mut self, used: SlotUse, answer: SequenceAnswer) -> SlotStep {
        let SlotUse { slot, sequence, highest_slot: stated } = used;
        let Some(entry) = self.slot_mut(slot).filter(|entry| entry.sequence == sequence) else {
            return SlotStep::SessionLost;
        };
        let probing = entry.phase == Phase::Probing;
        match answer {
            SequenceAnswer::Ok {
                slot: of,
                sequence: number,
                highest_slot,
                target_highest_slot,
            } => {
                if (of, number) != (slot, sequence) {
                    return SlotStep::SessionLost;
                }
                entry.advance();
                self.set_limits(highest_slot, target_highest_slot);
                SlotStep::Done
            }
            // The number was used for something else: the request that a probe asks about, or one
            // of which this side does not know any more.
            SequenceAnswer::Failed(Status::SEQ_FALSE_RETRY) => {
                entry.advance();
                if probing { SlotStep::Done } else { SlotStep::SendAnew }
            }
            SequenceAnswer::Failed(Status::DELAY) => SlotStep::RetryLater(used),
            SequenceAnswer::Failed(Status::CONN_NOT_BOUND_TO_SESSION) => {
                SlotStep::BindThenRetry(used)
            }
            SequenceAnswer::Failed(Status::BAD_HIGH_SLOT) if stated > slot => {
                // Requests above the limit were outstanding, and may be still: they end first.
                self.set_limits(self.highest.min(stated.saturating_sub(1)), self.target);
                SlotStep::RetryLater(used)
            }
            SequenceAnswer::Failed(Status::BADSLOT | Status::BAD_HIGH_SLOT) => {
                entry.phase = Phase::Free;
                entry.restarts = true;
                let Some(below) = slot.checked_sub(1) else { return SlotStep::SessionLost };
                self.set_limits(self.highest.min(below), self.target);
                SlotStep::SendAnew
            }
            SequenceAnswer::Failed(Status::SEQ_MISORDERED) => {
                if entry.restarts && sequence != 1 {
                    *entry = Slot { sequence: 1, phase: Phase::Free, restarts: false };
                    return SlotStep::SendAnew;
                }
                entry.phase = Phase::Lost;
                SlotStep::SlotLost
            }
            SequenceAnswer::Failed(Status::BADSESSION | Status::DEADSESSION) => {
                SlotStep::SessionLost
            }
            SequenceAnswer::Failed(status) => {
                // Nothing happened: the number stays good for the next request.
                entry.phase = if probing { Phase::InDoubt } else { Phase::Free };
                SlotStep::Failed(status)
            }
        }
    }

    /// Nobody waits for the reply any more, and whether the request came through is not known: the
    /// slot is not used until that is found out, by the reply after all
    /// ([`answered_late`](Self::answered_late)) or by a [`probe`](Self::probe).
    pub fn abandon(&mut self, used: SlotUse) {
        if let Some(entry) = self.slot_mut(used.slot)
            && entry.sequence == used.sequence
        {
            entry.phase = Phase::InDoubt;
        }
    }

    /// The reply to an abandoned request came, and SEQUENCE succeeded: frees the slot. False if
    /// nothing was in doubt about it.
    pub fn answered_late(&mut self, slot: SlotId, sequence: SequenceId) -> bool {
        let in_doubt =
            |entry: &&mut Slot| entry.sequence == sequence && matches!(entry.phase, Phase::InDoubt);
        self.slot_mut(slot).filter(in_doubt).map(Slot::advance).is_some()
    }

    /// Takes a slot that is in doubt: send SEQUENCE alone, with its number, and give the answer to
    /// [`answered`](Self::answered). If the abandoned request was executed, this is a retry; if not,
    /// it takes its place. `None`: nothing is in doubt.
    pub fn probe(&mut self) -> Option<SlotUse> {
        let mut slots = (0..).zip(&mut self.slots);
        let (slot, entry) = slots.find(|(_, slot)| slot.phase == Phase::InDoubt)?;
        entry.phase = Phase::Probing;
        Some(SlotUse { slot, sequence: entry.sequence, highest_slot: slot })
    }

    /// CB_RECALL_SLOT: the other side wants no slot above `target` used (RFC 8881, section 20.8).
    /// When [`recall_is_met`](Self::recall_is_met), it must be told by a SEQUENCE.
    ///
    /// # Errors
    /// [`Status::BAD_HIGH_SLOT`]: the target is above what was granted.
    pub fn recall(&mut self, target: SlotId) -> Result<(), Status> {
        if target > self.highest {
            return Err(Status::BAD_HIGH_SLOT);
        }
        self.set_limits(self.highest, target);
        Ok(())
    }

    /// Whether no request above the target is outstanding.
    #[must_use]
    pub fn recall_is_met(&self) -> bool {
        self.highest_outstanding().is_none_or(|high| high <= self.target)
    }

    /// Whether no slot is left that is not lost: make a new session.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let limit = self.highest.min(self.target);
        (0..=limit).zip(&self.slots).all(|(_, slot)| slot.phase == Phase::Lost)
    }

    fn set_limits(&mut self, highest: SlotId, target: SlotId) {
        let limit = highest.min(target);
        for (_, slot) in (0..).zip(&mut self.slots).filter(|(id, _)| *id > limit) {
            slot.restarts = true;
        }
        self.highest = highest;
        self.target = target;
    }

    fn slot_mut(&mut self, slot: SlotId) -> Option<&mut Slot> {
        self.slots.get_mut(usize::try_from(slot).ok()?)
    }
}

impl Slot {
    /// The request is over, and its number used up.
    fn advance(&mut self) {
        *self =
            Self { sequence: self.sequence.wrapping_add(1), phase: Phase::Free, restarts: false };
    }
}
