//! The totals of a check: whether every message came out as it went in.

use core::fmt;
use std::io::{self, Write};

use crate::connections::Place;
use crate::messages::{Kind, Message, Verdict};

/// How many messages there were, and what became of them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) messages: u64,
    pub(crate) identical: u64,
    pub(crate) different: u64,
    pub(crate) refused: u64,
    pub(crate) other: u64,
}

impl Totals {
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
        let Self { messages, identical, different, refused, other } = self;
        write!(
            f,
            "{messages} messages, {identical} identical, {different} different, {refused} refused, \
             {other} of other programs"
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
