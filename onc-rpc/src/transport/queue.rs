//! Which message is sent next.

use alloc::collections::VecDeque;

use thiserror::Error;

use super::{NoMemory, reserved};

/// How much of a connection's time a message takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "two classes are the idea of the queue")]
pub enum Class {
    /// Metadata, COMMIT: somebody waits for it, and it is short.
    Small,
    /// WRITE, replies to READ: others can wait for it for long.
    Bulk,
}

/// Bounds of a [`SendQueue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Most messages of each class; room for them is reserved when the queue is made.
    pub max_messages: u32,
    /// Most bytes of each class. A message is taken as long as those before it are below this,
    /// however long it is.
    pub max_bytes: u64,
    /// Small messages sent in a row before a bulk message that waits has its turn.
    pub small_run: u32,
}

impl QueueLimits {
    /// 1024 messages and 64 MiB a class, a turn for bulk after 16 small messages.
    pub const DEFAULT: Self = Self { max_messages: 1024, max_bytes: 64 << 20, small_run: 16 };
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The queue takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the send queue is full ({messages} messages of this class, {bytes} bytes): send from it \
     before more is queued"
)]
pub struct QueueFull<M> {
    /// Messages of the class.
    pub messages: u32,
    /// Bytes of the class.
    pub bytes: u64,
    /// The message, given back.
    pub message: M,
}

/// More bytes were reported as sent than were begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{reported} bytes were reported as sent where {begun} were begun: this is a fault of the \
         caller"
)]
pub struct SentTooMuch {
    /// Bytes the caller reported.
    pub reported: u64,
    /// Bytes that were begun and not sent yet.
    pub begun: u64,
}

/// A message that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sending<'q, M> {
    /// The message.
    pub message: &'q M,
    /// Its bytes that the socket took already.
    pub sent: u64,
    /// Its length in bytes.
    pub len: u64,
}

#[derive(Debug)]
struct Queued<M> {
    message: M,
    len: u64,
    class: Class,
    order: Option<u64>,
    /// Turns of bulk messages that were over when it came.
    turns: u64,
}

/// What is queued and begun of one class.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    messages: u32,
    bytes: u64,
}

/// The messages that wait for one connection, in two classes: small ones go first, but none waits
/// for ever, and messages that must keep their order keep it.
///
/// A client that has queued sixty-four WRITEs of a megabyte must not let a GETATTR wait for all of
/// them. So, whenever a message is at its end, the next one is chosen:
///
/// * **Small first.** A small message waits for at most one bulk message: the one that is being
///   sent, or the one that gets the next turn.
/// * **Bulk is not starved.** It has a turn after [`QueueLimits::small_run`] small messages in a row,
///   as soon as no small message waits that had to wait for another bulk message before. At the
///   latest that is when those small ones are gone that were there at the end of the last bulk
///   message.
/// * **Order is kept** between messages with the same order number, for example the file: a COMMIT
///   or a SETATTR never overtakes a WRITE to the same file that was queued before it, nor the
///   WRITE them. A small message with the number of a bulk one that waits takes its place behind it,
///   in the bulk class. Messages of one class without a number keep their order, too.
/// * **What is begun is finished** before anything else: parts of messages never mix.
///
/// The caller encodes, and gives a message of type `M` (a buffer, an index) and its length in bytes,
/// record marks counted:
///
/// ```
/// use nfswire_rpc::{Class, QueueLimits, SendQueue};
/// let mut queue = SendQueue::new(QueueLimits::DEFAULT)?;
/// let file = Some(7);
/// queue.push(Class::Bulk, file, 1000, "WRITE 1")?;
/// queue.push(Class::Bulk, file, 1000, "WRITE 2")?;
/// queue.push(Class::Small, file, 100, "COMMIT")?;
/// queue.push(Class::Small, None, 80, "GETATTR")?;
///
/// let mut order = Vec::new();
/// while queue.begin(1) > 0 {                            // or as much as one send should carry
///     for sending in queue.sending() {
///         // writev from byte `sending.sent` of `sending.message` on ...
///     }
///     let took = queue.unsent().min(50);                // ... and the socket took this many bytes
///     queue.sent(took)?;
///     while let Some(message) = queue.pop_sent() {
///         order.push(message);
///     }
/// }
/// assert_eq!(order, ["GETATTR", "WRITE 1", "WRITE 2", "COMMIT"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SendQueue<M> {
    limits: QueueLimits,
    small: VecDeque<Queued<M>>,
    bulk: VecDeque<Queued<M>>,
    /// Begun, in the order in which they are sent. At most one is of class `Bulk`.
    begun: VecDeque<Queued<M>>,
    /// Bytes of `begun` that were sent.
    sent: u64,
    /// Bytes of `begun`, those sent included.
    begun_bytes: u64,
    small_load: Load,
    bulk_load: Load,
    /// Bulk messages begun.
    turns: u64,
    /// Bulk messages in `begun`: 0 or 1.
    in_turn: u64,
    /// Small messages begun since the last bulk message.
    run: u32,
}

impl<M> SendQueue<M> {
    /// An empty queue.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(limits: QueueLimits) -> Result<Self, NoMemory> {
        let most = usize::try_from(limits.max_messages).unwrap_or(usize::MAX);
        Ok(Self {
            limits,
            small: reserved(most)?.into(),
            bulk: reserved(most)?.into(),
            begun: reserved(most.saturating_add(1))?.into(),
            sent: 0,
            begun_bytes: 0,
            small_load: Load::default(),
            bulk_load: Load::default(),
            turns: 0,
            in_turn: 0,
            run: 0,
        })
    }

    /// Queues a message of `len` bytes. It is sent after all that have the same `order`.
    ///
    /// Costs a look at each waiting bulk message if a small message has an order number.
    ///
    /// # Errors
    /// [`QueueFull`], with the message. Messages with an order number must then not be passed over:
    /// queue this one before later ones.
    pub fn push(
        &mut self,
        class: Class,
        order: Option<u64>,
        len: u64,
        message: M,
    ) -> Result<(), QueueFull<M>> {
        let behind_bulk = order.is_some() && self.bulk.iter().any(|bulk| bulk.order == order);
        let class = if behind_bulk { Class::Bulk } else { class };
        let limits = self.limits;
        let load = self.load(class);
        if load.messages >= limits.max_messages || load.bytes >= limits.max_bytes {
            let Load { messages, bytes } = *load;
            return Err(QueueFull { messages, bytes, message });
        }
        load.messages = load.messages.saturating_add(1);
        load.bytes = load.bytes.saturating_add(len);
        let turns = self.turns.saturating_sub(self.in_turn);
        let queued = Queued { message, len, class, order, turns };
        match class {
            Class::Small => self.small.push_back(queued),
            Class::Bulk => self.bulk.push_back(queued),
        }
        Ok(())
    }

    const fn load(&mut self, class: Class) -> &mut Load {
        match class {
            Class::Small => &mut self.small_load,
            Class::Bulk => &mut self.bulk_load,
        }
    }

    /// Begins messages until `bytes` wait to be sent, and returns how many bytes do. At most one of
    /// them is a bulk message, which may be longer.
    ///
    /// What is begun is sent before anything that is queued later: ask for no more than the next
    /// send can carry. [`pop_sent`](Self::pop_sent) comes first: as long as a bulk message that was
    /// sent whole, or has no bytes, is not taken out, no other is begun, and the answer may be 0.
    pub fn begin(&mut self, bytes: u64) -> u64 {
        while self.unsent() < bytes {
            let Some(next) = self.choose() else { break };
            match next.class {
                Class::Small => self.run = self.run.saturating_add(1),
                Class::Bulk => {
                    self.run = 0;
                    self.turns = self.turns.saturating_add(1);
                    self.in_turn = 1;
                }
            }
            self.begun_bytes = self.begun_bytes.saturating_add(next.len);
            self.begun.push_back(next);
        }
        self.unsent()
    }

    fn choose(&mut self) -> Option<Queued<M>> {
        let Some(small) = self.small.front() else {
            return if self.in_turn == 0 { self.bulk.pop_front() } else { None };
        };
        // The first of the small messages has seen the most turns: if it has seen none, the bulk
        // message before is out, too.
        let due = self.run >= self.limits.small_run && small.turns == self.turns;
        let bulk = if due { self.bulk.front() } else { None };
        // A small message with the same order number was queued before the bulk one, or it would
        // stand behind it.
        match bulk {
            Some(Queued { order: None, .. }) => self.bulk.pop_front(),
            Some(Queued { order, .. }) if self.small.iter().all(|small| small.order != *order) => {
                self.bulk.pop_front()
            }
            _ => self.small.pop_front(),
        }
    }

    /// The messages that were begun and not sent whole, in the order in which they must be sent.
    pub fn sending(&self) -> impl Iterator<Item = Sending<'_, M>> {
        let mut before = self.sent;
        self.begun.iter().filter_map(move |queued| {
            let sent = before.min(queued.len);
            before = before.saturating_sub(sent);
            let Queued { message, len, .. } = queued;
            (sent < *len).then_some(Sending { message, sent, len: *len })
        })
    }

    /// The socket took `bytes` more of what was begun. Then ask [`pop_sent`](Self::pop_sent).
    ///
    /// # Errors
    /// [`SentTooMuch`]; nothing is changed.
    pub const fn sent(&mut self, bytes: u64) -> Result<(), SentTooMuch> {
        let begun = self.unsent();
        if bytes > begun {
            return Err(SentTooMuch { reported: bytes, begun });
        }
        self.sent = self.sent.saturating_add(bytes);
        Ok(())
    }

    /// Takes a message out that was sent whole. Messages leave in the order in which they were sent.
    pub fn pop_sent(&mut self) -> Option<M> {
        if self.begun.front()?.len > self.sent {
            return None;
        }
        self.pop_begun()
    }

    fn pop_begun(&mut self) -> Option<M> {
        let Queued { message, len, class, .. } = self.begun.pop_front()?;
        self.sent = self.sent.saturating_sub(len);
        self.begun_bytes = self.begun_bytes.saturating_sub(len);
        if class == Class::Bulk {
            self.in_turn = 0;
        }
        self.unload(class, len);
        Some(message)
    }

    const fn unload(&mut self, class: Class, len: u64) {
        let load = self.load(class);
        load.messages = load.messages.saturating_sub(1);
        load.bytes = load.bytes.saturating_sub(len);
    }

    /// The connection was lost: what was begun and not [taken out](Self::pop_sent) is sent from its
    /// first byte again on the next one, in the same order.
    pub const fn restart(&mut self) {
        self.sent = 0;
    }

    /// Takes any message out, in an order in which they could be sent: for a client that gives up.
    pub fn pop(&mut self) -> Option<M> {
        if let Some(message) = self.pop_begun() {
            return Some(message);
        }
        let Queued { message, len, class, .. } = self.choose()?;
        self.unload(class, len);
        Some(message)
    }

    /// Whether the stream could end here: no message is sent in part.
    #[must_use]
    pub fn is_at_boundary(&self) -> bool {
        self.sending().all(|sending| sending.sent == 0)
    }

    /// Bytes that were begun and not sent yet.
    #[must_use]
    pub const fn unsent(&self) -> u64 {
        self.begun_bytes.saturating_sub(self.sent)
    }

    /// Messages of a class, begun or waiting. A small message behind a bulk one with its order
    /// number counts as bulk.
    #[must_use]
    pub const fn messages(&self, class: Class) -> u32 {
        match class {
            Class::Small => self.small_load.messages,
            Class::Bulk => self.bulk_load.messages,
        }
    }

    /// Bytes of these messages, those of begun messages that were sent already included.
    #[must_use]
    pub const fn bytes(&self, class: Class) -> u64 {
        match class {
            Class::Small => self.small_load.bytes,
            Class::Bulk => self.bulk_load.bytes,
        }
    }

    /// Whether there are no messages.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.small_load.messages == 0 && self.bulk_load.messages == 0
    }
}
