//! Slots of a session, at the side that executes requests: a server's fore channel, a client's
//! backchannel.

use alloc::vec::Vec;

use nfswire_rpc::NoMemory;

use super::reserved;
use crate::{
    SequenceId, SlotId, Status,
    ops::session::{SequenceArgs, SequenceOk, SequenceStatus},
};

/// Bounds of a [`SlotTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotLimits {
    /// Number of slots, at least one: `ca_maxrequests` as granted.
    pub slots: u32,
    /// Longest reply that is kept, in bytes: `ca_maxresponsesize_cached` as granted, less what is
    /// in front of the COMPOUND's reply. Reserved for each slot.
    pub max_reply: u32,
}

/// What SEQUENCE or CB_SEQUENCE asks of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRequest<P> {
    /// The slot.
    #[doc(alias = "sa_slotid")]
    pub slot: SlotId,
    /// Number of the request on the slot.
    #[doc(alias = "sa_sequenceid")]
    pub sequence: SequenceId,
    /// Highest slot with a request outstanding.
    #[doc(alias = "sa_highest_slotid")]
    pub highest_slot: SlotId,
    /// The whole reply must be kept.
    #[doc(alias = "sa_cachethis")]
    pub cache_this: bool,
    /// Who sent the request, after the server's own mapping of users: a retry by another one is a
    /// false retry.
    pub principal: P,
    /// Checksum of the operations, of the caller's choice: a retry with another one is a false
    /// retry, too. Always the same number: such retries are not told apart.
    pub checksum: u64,
}

impl<P> SlotRequest<P> {
    /// What a SEQUENCE asks.
    #[must_use]
    pub const fn new(args: &SequenceArgs, principal: P, checksum: u64) -> Self {
        Self {
            slot: args.slotid,
            sequence: args.sequenceid,
            highest_slot: args.highest_slotid,
            cache_this: args.cachethis,
            principal,
            checksum,
        }
    }
}

/// What SEQUENCE answers when it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotGrant {
    /// Highest slot that the next request may use.
    #[doc(alias = "sr_highest_slotid")]
    pub highest_slot: SlotId,
    /// Highest slot that the sender should use.
    #[doc(alias = "sr_target_highest_slotid")]
    pub target_highest_slot: SlotId,
}

impl SlotGrant {
    /// The body of the reply to a SEQUENCE.
    #[must_use]
    pub const fn reply(self, args: &SequenceArgs, status_flags: SequenceStatus) -> SequenceOk {
        SequenceOk {
            sessionid: args.sessionid,
            sequenceid: args.sequenceid,
            slotid: args.slotid,
            highest_slotid: self.highest_slot,
            target_highest_slotid: self.target_highest_slot,
            status_flags,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Unused,
    Running,
    Kept,
    NotKept,
}

#[derive(Debug)]
struct Slot<P> {
    sequence: SequenceId,
    phase: Phase,
    /// The sender gave the slot up: it may count on, or begin at one again.
    retired: bool,
    cache_this: bool,
    principal: Option<P>,
    checksum: u64,
    /// When the last request was started, by the table's clock.
    started: u64,
    /// Room for the longest reply, unless the slot was given up.
    reply: Vec<u8>,
}

impl<P> Slot<P> {
    fn new(sequence: SequenceId, max_reply: u32) -> Result<Self, NoMemory> {
        Ok(Self {
            sequence,
            phase: Phase::Unused,
            retired: false,
            cache_this: false,
            principal: None,
            checksum: 0,
            started: 0,
            reply: reserved(max_reply)?,
        })
    }

    /// Gives the reply's memory back.
    fn retire(&mut self) {
        self.retired = true;
        self.reply = Vec::new();
        if self.phase == Phase::Kept {
            self.phase = Phase::NotKept;
        }
    }

    /// A sender that has not got the last reply has no next request.
    fn is_next(&self, sequence: SequenceId) -> bool {
        let next = sequence == self.sequence.wrapping_add(1) || (self.retired && sequence == 1);
        next && self.phase != Phase::Running
    }
}

/// The slots of a session, with the last reply on each (RFC 8881, sections 2.10.6.1 and 18.46.3).
///
/// The slot changes when the caller starts a request, not when it looks it up: SEQUENCE may fail
/// until then for any reason, and leaves everything as it was.
///
/// What is kept is a COMPOUND's reply as encoded, without the headers of RPC in front, as a retry
/// has its own xid and verifier.
///
/// # Memory
/// All of it is reserved when the table is made: `slots` times `max_reply` bytes and an entry of
/// about 80. Slots that the sender gives up return their reply's memory; it is reserved again when
/// [`set_target`](Self::set_target) grants them again. Nothing else allocates.
///
/// ```
/// use nfswire_nfs4::state::{SlotLimits, SlotLookup, SlotRequest, SlotTable};
///
/// let mut slots = SlotTable::new(SlotLimits { slots: 16, max_reply: 4096 })?;
/// let request = SlotRequest {
///     slot: 0, sequence: 1, highest_slot: 0, cache_this: true, principal: "alice", checksum: 99,
/// };
/// // Decoded, within the limits of the session: only now does the slot change.
/// let SlotLookup::New(call) = slots.lookup(request) else { panic!("never seen") };
/// let running = call.start();
/// assert_eq!(running.grant().highest_slot, 15);
/// slots.finish(running, [&b"encoded COMPOUND4res"[..]]);
///
/// // The connection broke before the reply: the client sends it again.
/// let SlotLookup::Replay(reply) = slots.lookup(request) else { panic!("it was executed") };
/// assert_eq!(reply, b"encoded COMPOUND4res");
/// # Ok::<(), nfswire_rpc::NoMemory>(())
/// ```
#[derive(Debug)]
pub struct SlotTable<P> {
    slots: Vec<Slot<P>>,
    max_reply: u32,
    /// Highest slot that new requests may use.
    highest: SlotId,
    target: SlotId,
    /// Counts requests and changes of the target.
    clock: u64,
    /// When the target changed last.
    changed: u64,
    /// The limit was lowered against the sender's will: hold it to that.
    forced: bool,
}

/// What a request is, by its slot and number.
#[derive(Debug)]
pub enum SlotLookup<'t, P> {
    /// A new one.
    New(NewCall<'t, P>),
    /// A retry: send this reply, and execute nothing.
    Replay(&'t [u8]),
    /// A retry whose reply was not kept: SEQUENCE succeeds with what [`SlotTable::grant`] says, the
    /// operation behind it fails with [`Status::RETRY_UNCACHED_REP`], and nothing is executed (RFC
    /// 8881, section 2.10.6.1.3).
    Uncached,
    /// A retry of a request that is still being executed: SEQUENCE fails with [`Status::DELAY`]
    /// (RFC 8881, section 2.10.6.2).
    InProgress,
    /// SEQUENCE fails so.
    Refused(Status),
}

/// A new request that has not changed its slot yet. Drop it to refuse the request: nothing happened
/// (RFC 8881, section 2.10.6.1.2).
#[derive(Debug)]
pub struct NewCall<'t, P> {
    table: &'t mut SlotTable<P>,
    request: SlotRequest<P>,
}

/// A request that is being executed: to be given to [`SlotTable::finish`]. Dropped, it leaves the
/// slot in progress for ever.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the slot stays in progress until the request is finished"]
pub struct RunningCall {
    slot: SlotId,
    sequence: SequenceId,
    grant: SlotGrant,
}

impl RunningCall {
    /// The slot.
    #[must_use]
    pub const fn slot(&self) -> SlotId {
        self.slot
    }

    /// Number of the request on the slot.
    #[must_use]
    pub const fn sequence(&self) -> SequenceId {
        self.sequence
    }

    /// What SEQUENCE answers.
    #[must_use]
    pub const fn grant(&self) -> SlotGrant {
        self.grant
    }
}

/// What became of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyKept {
    /// It is kept for retries.
    Yes,
    /// The request did not ask for that.
    NotAsked,
    /// It is longer than `max_reply`. The request should have failed with
    /// [`Status::REP_TOO_BIG_TO_CACHE`] before anything was executed.
    TooLong,
    /// The request is none of this table's, or its slot was given up.
    NoSlot,
}

impl<P: PartialEq> SlotTable<P> {
    /// Slots of a new session: the first request on each has number one.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(limits: SlotLimits) -> Result<Self, NoMemory> {
        Self::with_sequence(limits, 0)
    }

    /// The only slot that a client id has, for CREATE_SESSION, where `sequence` is the
    /// `eir_sequenceid` that EXCHANGE_ID returned and the first request has (RFC 8881, section
    /// 18.36.4). These requests are on slot 0, and their replies are kept.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn for_client(sequence: SequenceId, max_reply: u32) -> Result<Self, NoMemory> {
        Self::with_sequence(SlotLimits { slots: 1, max_reply }, sequence.wrapping_sub(1))
    }

    fn with_sequence(limits: SlotLimits, sequence: SequenceId) -> Result<Self, NoMemory> {
        let count = limits.slots.max(1);
        let mut slots = reserved(count)?;
        for _ in 0..count {
            slots.push(Slot::new(sequence, limits.max_reply)?);
        }
        let highest = count.saturating_sub(1);
        Ok(Self {
            slots,
            max_reply: limits.max_reply,
            highest,
            target: highest,
            clock: 0,
            changed: 0,
            forced: false,
        })
    }

    /// What SEQUENCE answers now.
    #[must_use]
    pub const fn grant(&self) -> SlotGrant {
        SlotGrant { highest_slot: self.highest, target_highest_slot: self.target }
    }

    /// Finds out what a request is. Changes nothing but a slot that the sender has given up.
    pub fn lookup(&mut self, request: SlotRequest<P>) -> SlotLookup<'_, P> {
        match self.judge(&request) {
            Err(status) => SlotLookup::Refused(status),
            Ok(Phase::Unused) => SlotLookup::New(NewCall { table: self, request }),
            Ok(Phase::Running) => SlotLookup::InProgress,
            Ok(Phase::NotKept) => SlotLookup::Uncached,
            Ok(Phase::Kept) => {
                let reply = self.slot_mut(request.slot).map(|slot| slot.reply.as_slice());
                SlotLookup::Replay(reply.unwrap_or_default())
            }
        }
    }

    /// What became of the request when it came first; unused: this is the first time.
    fn judge(&mut self, request: &SlotRequest<P>) -> Result<Phase, Status> {
        let (highest, forced, last) = (self.highest, self.forced, self.last_slot());
        let slot = self.slot_mut(request.slot).ok_or(Status::BADSLOT)?;
        let is_retry = slot.sequence == request.sequence && slot.phase != Phase::Unused;
        let is_next = slot.is_next(request.sequence);
        if request.slot > highest && (slot.retired || !is_retry) {
            // The next number says that the reply to the last one was seen: the slot can go.
            if is_next {
                slot.retire();
            }
            return Err(Status::BADSLOT);
        }
        // A sender that was not forced may still count on the limit that it was told first.
        let limit = if forced { highest } else { last };
        if request.highest_slot > limit && !is_retry {
            return Err(Status::BAD_HIGH_SLOT);
        }
        if is_next {
            return Ok(Phase::Unused);
        }
        if !is_retry {
            return Err(Status::SEQ_MISORDERED);
        }
        let same_user = slot.principal.as_ref() == Some(&request.principal);
        let same = same_user && slot.checksum == request.checksum;
        if same { Ok(slot.phase) } else { Err(Status::SEQ_FALSE_RETRY) }
    }

    /// The request was executed: keeps its reply, in pieces in order, if it asked for that.
    pub fn finish<'r>(
        &mut self,
        running: RunningCall,
        reply: impl IntoIterator<Item = &'r [u8]>,
    ) -> ReplyKept {
        let max_reply = usize::try_from(self.max_reply).unwrap_or(usize::MAX);
        let Some(slot) = self.running_mut(running) else { return ReplyKept::NoSlot };
        slot.phase = Phase::NotKept;
        if !slot.cache_this {
            return ReplyKept::NotAsked;
        }
        if slot.retired {
            return ReplyKept::NoSlot;
        }
        for piece in reply {
            if slot.reply.len().saturating_add(piece.len()) > max_reply {
                slot.reply.clear();
                return ReplyKept::TooLong;
            }
            slot.reply.extend_from_slice(piece);
        }
        slot.phase = Phase::Kept;
        ReplyKept::Yes
    }

    /// The request is over, and no reply is to be kept: what executed it broke down, for example.
    pub fn finish_uncached(&mut self, running: RunningCall) {
        if let Some(slot) = self.running_mut(running) {
            slot.phase = Phase::NotKept;
        }
    }

    /// Whether the sender has seen the reply to a request that was executed, as it used the slot
    /// for the next one since. Until then a callback about what the request got must refer to it
    /// (RFC 8881, section 2.10.6.3).
    #[must_use]
    pub fn was_seen(&self, slot: SlotId, sequence: SequenceId) -> bool {
        let slot = usize::try_from(slot).ok().and_then(|at| self.slots.get(at));
        slot.is_none_or(|slot| slot.retired || slot.sequence != sequence)
    }

    /// The highest slot that the sender should use from now on, as far as there are slots and
    /// memory; returns what it became.
    ///
    /// More slots are granted at once. Fewer are only asked for: slots above are given up when the
    /// sender, told by a reply, says on that reply's slot that none of them is in use, and has not
    /// used any since (RFC 8881, section 2.10.6.1).
    pub fn set_target(&mut self, target: SlotId) -> SlotId {
        let (mut target, max_reply) = (target.min(self.last_slot()), self.max_reply);
        let (from, to) = (self.highest, target);
        for (id, slot) in (0..).zip(&mut self.slots).take_while(|(id, _)| *id <= to) {
            if id > from && slot.retired && slot.reply.capacity() == 0 {
                match reserved(max_reply) {
                    Ok(room) => slot.reply = room,
                    Err(_) => {
                        target = id.saturating_sub(1);
                        break;
                    }
                }
            }
        }
        if target != self.target {
            self.target = target;
            self.changed = self.tick();
        }
        if target >= self.highest {
            self.highest = target;
            self.forced = false;
        }
        target
    }

    /// Makes the target the limit at once, against a sender that does not comply: new requests on
    /// slots above fail with [`Status::BADSLOT`], those that speak of slots above with
    /// [`Status::BAD_HIGH_SLOT`]; retries are still answered.
    pub fn enforce_target(&mut self) {
        if self.target < self.highest {
            self.highest = self.target;
            self.forced = true;
        }
    }

    fn last_slot(&self) -> SlotId {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX).saturating_sub(1)
    }

    fn slot_mut(&mut self, slot: SlotId) -> Option<&mut Slot<P>> {
        self.slots.get_mut(usize::try_from(slot).ok()?)
    }

    /// By value: the request is over.
    #[allow(clippy::needless_pass_by_value, reason = "a request finishes once")]
    fn running_mut(&mut self, running: RunningCall) -> Option<&mut Slot<P>> {
        self.slot_mut(running.slot)
            .filter(|slot| slot.phase == Phase::Running && slot.sequence == running.sequence)
    }

    const fn tick(&mut self) -> u64 {
        // Never wraps: 2^64 requests.
        self.clock = self.clock.wrapping_add(1);
        self.clock
    }

    /// Gives up the slots above the target, if the sender can have no request there that it has no
    /// reply to. It has sent a request that says so, after it saw the reply to one that was started
    /// at `seen`: whatever was started before that was sent before. What was started since may have
    /// been sent later, by a sender that an older reply told of an older target.
    fn comply(&mut self, seen: u64) {
        let target = self.target;
        let above = (0..).zip(&mut self.slots).filter(|(id, _)| *id > target);
        let mut above = above.map(|(_, slot)| slot);
        if seen <= self.changed || above.any(|slot| slot.started > seen) {
            return;
        }
        let above = (0..).zip(&mut self.slots).filter(|(id, _)| *id > target);
        // One that still runs would be a lie of the sender.
        for (_, slot) in above.filter(|(_, slot)| slot.phase != Phase::Running) {
            slot.retire();
        }
        self.highest = target;
        self.forced = false;
    }
}

impl<P: PartialEq> NewCall<'_, P> {
    /// What the request says.
    #[must_use]
    pub const fn request(&self) -> &SlotRequest<P> {
        &self.request
    }

    /// SEQUENCE succeeds: the slot takes the request's number and forgets the reply before.
    pub fn start(self) -> RunningCall {
        let Self { table, request } = self;
        let in_use = request.highest_slot.max(request.slot);
        let (slot, sequence) = (request.slot, request.sequence);
        let now = table.tick();
        let mut seen = 0;
        if let Some(entry) = table.slot_mut(slot) {
            seen = entry.started;
            entry.started = now;
            entry.sequence = sequence;
            entry.phase = Phase::Running;
            entry.retired = false;
            entry.cache_this = request.cache_this;
            entry.principal = Some(request.principal);
            entry.checksum = request.checksum;
            entry.reply.clear();
        }
        if table.target < table.highest && in_use <= table.target {
            table.comply(seen);
        }
        RunningCall { slot, sequence, grant: table.grant() }
    }
}
