//! Who may send: the ledger of credits of one end of a connection (RFC 8166, section 3.3).
//!
//! A connection carries calls in one direction, or in both (RFC 8167). Credits of the two are
//! apart, but all messages that come in take from the same posted receives. One [`Credits`] keeps
//! both books of one end: the calls that it makes, and those that it takes.
//!
//! ```
//! use nfswire_rdma::credit::Credits;
//!
//! // A client asks for 128 credits and takes no calls itself.
//! let mut client = Credits::new(128, 0);
//! client.posted(128);
//! let asked = client.call()?;
//! assert_eq!(asked, 128);
//! // Before the first reply there is one credit.
//! assert!(client.call().is_err());
//! client.replied(64)?;
//! assert_eq!(client.available(), 64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use thiserror::Error;

/// The credits of one end of a connection, for both directions of calls.
///
/// Numbers of the peer are clamped, never believed: a grant of zero counts as one, a grant above
/// what was asked for as that much. No grant of this end is zero or stands for a receive that is
/// not posted.
#[derive(Clone, Debug)]
pub struct Credits {
    /// Credits that every call of ours asks for; at least one.
    ask: u32,
    /// What the peer granted last, clamped to `1..=ask`.
    granted: u32,
    /// Calls of ours without a reply.
    in_flight: u32,
    /// Most credits to grant; zero if no calls are taken.
    limit: u32,
    /// Most calls that the peer can have in flight: the last grant, or what is left of larger ones.
    promised: u32,
    /// Calls of the peer that came in and were not replied to.
    working: u32,
    /// Receives that are posted and not used.
    posted: u32,
}

/// A call may not be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoCredit {
    /// The peer granted no more.
    #[error("all {granted} credits of the peer are in use: send the call when a reply has come in")]
    Granted {
        /// The grant in force.
        granted: u32,
    },
    /// There would be no receive for the reply.
    #[error(
        "{posted} receives are posted, all for messages that are expected already: post one more, \
         then send the call"
    )]
    Receives {
        /// Receives that are posted.
        posted: u32,
    },
}

/// A message came in that should not have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unexpected {
    /// A reply while no call is outstanding.
    #[error("a reply came in, but no call is outstanding: ignore it, or close the connection")]
    Reply,
    /// A call beyond the grant.
    #[error("a call came in beyond the {granted} credits that were granted: close the connection")]
    Call {
        /// The largest grant that the peer could still know of.
        granted: u32,
    },
}

/// A reply may not be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoReply {
    /// A reply must grant at least one credit, and there is no receive for it.
    #[error(
        "{posted} receives are posted, none of them free for another call: post one, then send the \
         reply, which cannot grant less than one credit"
    )]
    Receives {
        /// Receives that are posted.
        posted: u32,
    },
    /// There is no call to reply to.
    #[error("no call is waiting for a reply: every call is to be replied to once")]
    NoCall,
}

impl Credits {
    /// The books of a new connection: every call asks for `ask` credits (zero counts as one), at
    /// most `limit` are granted. A `limit` of zero is for an end that takes no calls.
    ///
    /// Before any call is taken there must be a receive for it: see [`posted`](Self::posted).
    #[inline]
    #[must_use]
    pub const fn new(ask: u32, limit: u32) -> Self {
        Self {
            ask: if ask == 0 { 1 } else { ask },
            granted: 1,
            in_flight: 0,
            limit,
            promised: if limit == 0 { 0 } else { 1 },
            working: 0,
            posted: 0,
        }
    }

    /// The connection was lost: nothing is in flight any more, no receive is posted, and the new
    /// connection begins with one credit.
    #[inline]
    pub const fn reset(&mut self) {
        *self = Self::new(self.ask, self.limit);
    }

    /// `count` receives were posted.
    #[inline]
    pub const fn posted(&mut self, count: u32) {
        self.posted = self.posted.saturating_add(count);
    }

    /// Changes how many credits later calls ask for; zero counts as one. Calls that are outstanding
    /// stay so.
    #[inline]
    pub fn set_ask(&mut self, ask: u32) {
        self.ask = ask.max(1);
        self.granted = self.granted.min(self.ask);
    }

    /// Changes the most credits that later replies grant; zero counts as one while calls are taken.
    #[inline]
    pub fn set_limit(&mut self, limit: u32) {
        if self.limit > 0 {
            self.limit = limit.max(1);
        }
    }

    /// Receives to keep for calls that the peer may have sent already.
    #[inline]
    const fn kept_for_calls(&self) -> u32 {
        self.promised.saturating_sub(self.working)
    }

    /// How many calls may be sent now.
    #[inline]
    #[must_use]
    pub fn available(&self) -> u32 {
        let credits = self.granted.saturating_sub(self.in_flight);
        let receives = self.posted.saturating_sub(self.in_flight);
        credits.min(receives.saturating_sub(self.kept_for_calls()))
    }

    /// Calls sent and not replied to.
    #[inline]
    #[must_use]
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The grant of the peer in force.
    #[inline]
    #[must_use]
    pub const fn granted(&self) -> u32 {
        self.granted
    }

    /// Receives that are posted and not used.
    #[inline]
    #[must_use]
    pub const fn receives(&self) -> u32 {
        self.posted
    }

    /// A call is to be sent. The answer goes into its header.
    ///
    /// # Errors
    /// [`NoCredit`] if it must wait; then nothing changed.
    #[inline]
    pub fn call(&mut self) -> Result<u32, NoCredit> {
        if self.in_flight >= self.granted {
            return Err(NoCredit::Granted { granted: self.granted });
        }
        if self.available() == 0 {
            return Err(NoCredit::Receives { posted: self.posted });
        }
        self.in_flight = self.in_flight.saturating_add(1);
        Ok(self.ask)
    }

    /// A reply to a call of ours came in, an `RDMA_ERROR` too, with this number in its header.
    ///
    /// A grant below the number of calls outstanding takes effect as they are replied to.
    ///
    /// # Errors
    /// [`Unexpected::Reply`] if no call is outstanding. The receive is used all the same; the number
    /// is not believed.
    #[inline]
    pub fn replied(&mut self, credits: u32) -> Result<(), Unexpected> {
        self.posted = self.posted.saturating_sub(1);
        self.in_flight = self.in_flight.checked_sub(1).ok_or(Unexpected::Reply)?;
        self.granted = credits.clamp(1, self.ask);
        Ok(())
    }

    /// A call of the peer came in.
    ///
    /// # Errors
    /// [`Unexpected::Call`] if the peer had no credit for it. The receive is used all the same; the
    /// call is not counted and must not be replied to.
    #[inline]
    pub const fn called(&mut self) -> Result<(), Unexpected> {
        self.posted = self.posted.saturating_sub(1);
        if self.working >= self.promised {
            return Err(Unexpected::Call { granted: self.promised });
        }
        self.working = self.working.saturating_add(1);
        Ok(())
    }

    /// A message came in that is neither: it cannot be parsed, or is to be ignored. It used a
    /// receive.
    #[inline]
    pub const fn discarded(&mut self) {
        self.posted = self.posted.saturating_sub(1);
    }

    /// What a reply sent now could grant to a peer that asks for `asked`: zero if it may not be sent.
    #[inline]
    #[must_use]
    pub fn grant(&self, asked: u32) -> u32 {
        // The peer counts as in flight what it sent and has no reply for: after this reply those are
        // the other calls here, which have used their receives, and calls on the wire.
        let others = self.working.saturating_sub(1);
        let receives = self.posted.saturating_sub(self.in_flight);
        let room = receives.saturating_add(others);
        asked.max(1).min(self.limit).min(room)
    }

    /// A reply is to be sent, an `RDMA_ERROR` too, to a call that asked for `asked` credits. The
    /// answer goes into its header.
    ///
    /// # Errors
    /// [`NoReply`] if it must wait; then nothing changed.
    #[inline]
    pub fn reply(&mut self, asked: u32) -> Result<u32, NoReply> {
        let others = self.working.checked_sub(1).ok_or(NoReply::NoCall)?;
        let grant = self.grant(asked);
        if grant == 0 {
            return Err(NoReply::Receives { posted: self.posted });
        }
        self.working = others;
        // A smaller grant does not call back what is on the wire: this reply ends one call.
        self.promised = grant.max(self.promised.saturating_sub(1));
        Ok(grant)
    }
}
