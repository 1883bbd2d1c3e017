//! Hosts that may not use an export are told so, and the log too, but not each time.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tracing::{debug, warn};

use crate::exports::Export;

/// Refusals are reported once in this time: anyone can be refused many times a second.
const TELL_PAUSE: Duration = Duration::from_secs(1);

/// Checks hosts.
#[derive(Debug, Default)]
pub(super) struct Trust {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    last: Option<Instant>,
    since: u64,
}

impl Trust {
    /// Whether a host may use an export; a refusal is reported.
    pub(super) fn admits(&self, peer: SocketAddr, export: &Export) -> bool {
        if export.allows(peer.ip()) {
            return true;
        }
        let name = String::from_utf8_lossy(&export.name);
        let host: IpAddr = peer.ip().to_canonical();
        match self.count(Instant::now()) {
            Some(before) => warn!(
                %host,
                "refused the use of {name}: the host is in no network of its --allow ({before} more refused before)"
            ),
            None => debug!(%host, "refused the use of {name}"),
        }
        false
    }

    /// Counts a refusal; if it is time to report, says how many were not reported before it.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.last.is_some_and(|last| now.saturating_duration_since(last) < TELL_PAUSE) {
            told.since = told.since.saturating_add(1);
            return None;
        }
        told.last = Some(now);
        Some(core::mem::take(&mut told.since))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn refusals_are_reported_once_a_second_and_all_counted() {
        let trust = Trust::default();
        let start = Instant::now();
        let at = |ms| trust.count(start.checked_add(Duration::from_millis(ms)).unwrap());
        assert_eq!([at(0), at(1), at(999)], [Some(0), None, None]);
        assert_eq!([at(1000), at(1500), at(2500)], [Some(2), None, Some(1)]);
    }
}
