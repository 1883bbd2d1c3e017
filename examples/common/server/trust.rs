//! Hosts and ports that may not use an export are told so, and the log too.

use core::net::SocketAddr;

use crate::exports::Export;
use crate::told::{Told, tell};

/// Whether a client may use an export; a refusal is reported.
pub(super) fn admits(told: &Told, peer: SocketAddr, export: &Export) -> bool {
    let host = peer.ip().to_canonical();
    if !export.allows(host) {
        let name = String::from_utf8_lossy(&export.name);
        tell!(told, warn, %host, "refused the use of {name}: the host is in no network of its --allow");
        return false;
    }
    if !export.allows_port(peer.port()) {
        let name = String::from_utf8_lossy(&export.name);
        tell!(
            told,
            warn,
            %host,
            port = peer.port(),
            "refused the use of {name}: it is secure, and the client's port is not below 1024: mount as root, without noresvport"
        );
        return false;
    }
    true
}
