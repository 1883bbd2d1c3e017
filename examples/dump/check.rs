//! The totals of a check: whether every message came out as it went in.

use core::fmt;
use std::io::{self, Write};

use crate::connections::Place;
use crate::messages::{Kind, Message, Verdict};
use crate::rdma::heading::{self, Heading};

/// How many messages there were, and what became of them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) messages: u64,
    pub(crate) identical: u64,
    pub(crate) different: u64,
    pub(crate) refused: u64,
    pub(crate) other: u64,
    /// Messages in which zeros stand for chunks that were not captured, and which are right but for
    /// that.
    pub(crate) absent: u64,
    pub(crate) rdma: Rdma,
}

/// The same of transport headers of RPC-over-RDMA, and what was put together from chunks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rdma {
    pub(crate) identical: u64,
    pub(crate) different: u64,
    pub(crate) refused: u64,
    /// Whole calls and replies that were put together.
    pub(crate) calls: u64,
    pub(crate) replies: u64,
    /// Messages of which chunks were not captured.
    pub(crate) absent: u64,
}

impl Totals {
    /// Whether something came out differently.
    pub(crate) const fn differ(&self) -> bool {
        self.different > 0 || self.rdma.different > 0
    }

    /// Counts a transport header.
    pub(crate) const fn count_header(&mut self, verdict: &heading::Verdict) {
        let counter = match verdict {
            heading::Verdict::Identical => &mut self.rdma.identical,
            heading::Verdict::Different => &mut self.rdma.different,
            heading::Verdict::Refused(_) => &mut self.rdma.refused,
        };
        *counter = counter.saturating_add(1);
    }

    /// Counts a message that was put together, of which so many bytes are absent.
    pub(crate) const fn count_rebuilt(&mut self, message: &Message<'_>, absent: u64) {
        if absent == 0 {
            let counter = match message.kind {
                Kind::Call => &mut self.rdma.calls,
                Kind::Reply | Kind::Neither => &mut self.rdma.replies,
            };
            *counter = counter.saturating_add(1);
            return self.count(&message.verdict);
        }
        self.rdma.absent = self.rdma.absent.saturating_add(1);
        if matches!(message.verdict, Verdict::Different) {
            return self.count(&message.verdict);
        }
        self.absent = self.absent.saturating_add(1);
        self.messages = self.messages.saturating_add(1);
    }

    /// Counts a message.
    pub(crate) const fn count(&mut self, verdict: &Verdict) {
        let counter = match verdict {
            Verdict::Identical => &mut self.identical,
            Verdict::Different => &mut self.different,
            Verdict::Refused(_) => &mut self.refused,
            Verdict::Other => &mut self.other,
        };
        *counter = counter.saturating_add(1);
        self.messages = self.messages.saturating_add(1);
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, identical, different, refused, other, absent, rdma } = self;
        write!(
            f,
            "{messages} messages, {identical} identical, {different} different, {refused} refused, \
             {other} of other programs"
        )?;
        if *absent > 0 {
            write!(f, ", {absent} without their chunks")?;
        }
        let Rdma { identical, different, refused, calls, replies, absent } = rdma;
        let headers = identical.saturating_add(*different).saturating_add(*refused);
        if headers == 0 {
            return Ok(());
        }
        write!(
            f,
            "; {headers} RDMA headers, {identical} identical, {different} different, {refused} \
             refused; from chunks {calls} whole calls, {replies} whole replies, {absent} not whole"
        )
    }
}

/// Writes what is not as it should be about a message: nothing, if all of it came out again.
pub(crate) fn report(out: &mut impl Write, place: &Place, message: &Message<'_>) -> io::Result<()> {
    let (verb, reason) = match &message.verdict {
        Verdict::Identical | Verdict::Other => return Ok(()),
        Verdict::Different => ("different", "what was decoded encodes to other bytes"),
        Verdict::Refused(reason) => ("refused", reason.as_str()),
    };
    write!(out, "frame {}: {verb}: ", place.frame)?;
    match message.kind {
        Kind::Call => write!(out, "call")?,
        Kind::Reply => write!(out, "reply")?,
        Kind::Neither => write!(out, "message of {} bytes", message.bytes.len())?,
    }
    if let Some(called) = message.called {
        write!(out, " of {called}")?;
    }
    let kept = message.raw().len();
    writeln!(out, ": {reason} ({kept} bytes are kept as they are, from byte {})", message.raw_from)
}

/// Writes what is not as it should be about a transport header.
pub(crate) fn report_header(
    out: &mut impl Write,
    place: &Place,
    heading: &Heading<'_>,
) -> io::Result<()> {
    let (verb, reason) = match &heading.verdict {
        heading::Verdict::Identical => return Ok(()),
        heading::Verdict::Different => ("different", "what was decoded encodes to other bytes"),
        heading::Verdict::Refused(reason) => ("refused", reason.as_str()),
    };
    let (frame, name, len) = (place.frame, heading.name(), heading.bytes.len());
    writeln!(out, "frame {frame}: {verb}: {name} of {len} bytes: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line() {
        let mut totals = Totals::default();
        for verdict in [
            Verdict::Identical,
            Verdict::Identical,
            Verdict::Refused("why".into()),
            Verdict::Other,
            Verdict::Different,
        ] {
            totals.count(&verdict);
        }
        assert_eq!(
            totals.to_string(),
            "5 messages, 2 identical, 1 different, 1 refused, 1 of other programs"
        );
    }
}
