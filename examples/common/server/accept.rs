//! Who gets a connection.

use alloc::sync::Arc;
use core::net::SocketAddr;
use core::time::Duration;
use std::net::{TcpListener, TcpStream};
use std::thread;

use rustix::io::Errno;
use tracing::debug;

use super::connection::Connection;
use super::metrics::Refusal;
use super::service::Origin;
use super::table::{Host, Open};
use super::{RunError, Shared};
use crate::told::tell;

/// Pause when the process has no descriptor or memory for a further connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes connections until the server is to stop.
pub(super) fn accept(shared: &Arc<Shared>, listener: &TcpListener) -> Result<(), RunError> {
    // Told once, not ten times a second.
    let mut out_of_room = false;
    loop {
        let accepted = listener.accept();
        if shared.is_stopping() {
            return Ok(());
        }
        match accepted {
            Ok((stream, peer)) => {
                out_of_room = false;
                if let Err(refusal) = connect(shared, stream, peer)
                    && let Some(metrics) = &shared.service.metrics
                {
                    metrics.refused(refusal);
                }
            }
            Err(error) => match error.raw_os_error().map(Errno::from_raw_os_error) {
                Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    if !out_of_room {
                        let told = &shared.service.told;
                        tell!(
                            told,
                            warn,
                            "cannot accept connections: {error}; trying until it works again"
                        );
                        out_of_room = true;
                    }
                    thread::sleep(PAUSE);
                }
                // The listener itself is broken; every other error is that of one connection.
                Some(Errno::BADF | Errno::INVAL | Errno::NOTSOCK) => {
                    return Err(RunError::Accept(error));
                }
                _ => debug!("a connection was gone before it was accepted: {error}"),
            },
        }
    }
}

/// Starts to serve a connection, or closes it.
fn connect(shared: &Arc<Shared>, stream: TcpStream, peer: SocketAddr) -> Result<(), Refusal> {
    let told = &shared.service.told;
    let ip = peer.ip().to_canonical();
    // Before it takes a place: strangers could take all of them.
    if !shared.service.exports.allow(ip) {
        tell!(told, warn, host = %ip, "closing a connection: no --allow of any export has the host in its networks");
        return Err(Refusal::Host);
    }
    let connection = find_room(shared, stream, peer).ok_or_else(|| {
        let most = shared.config.max_connections;
        tell!(told, warn, %peer, "closing a connection: there are already {most}, the most allowed");
        Refusal::Full
    })?;
    debug!(%peer, "connected");
    connection.set_up().map_err(|error| {
        tell!(told, warn, %peer, "closing a connection: cannot set it up: {error}");
        Refusal::Failed
    })?;
    shared.crew.start(connection.job()).map_err(|(_, error)| {
        tell!(told, warn, %peer, "closing a connection: cannot start a thread for it: {error}");
        Refusal::Failed
    })
}

/// Puts a connection on the list, in the place of another one if it must be.
fn find_room(shared: &Arc<Shared>, stream: TcpStream, peer: SocketAddr) -> Option<Arc<Connection>> {
    let stream = Arc::new(stream);
    let host = Host::from(peer.ip());
    let make = |number| {
        let origin = Origin { peer, connection: number };
        let connection = Connection::new(Arc::clone(shared), Arc::clone(&stream), origin);
        let connection = Arc::new(connection);
        let open = Open {
            host,
            stream: Arc::clone(&stream),
            connection: Arc::downgrade(&connection),
            beat: Arc::clone(connection.beat()),
            activity: Arc::clone(connection.activity()),
            seen: 0,
        };
        (connection, open)
    };
    if let Some(connection) = shared.table.add(make) {
        return Some(connection);
    }
    let ended = shared.table.make_room(host)?;
    if let Some(metrics) = &shared.service.metrics {
        metrics.gave_way();
    }
    tell!(
        &shared.service.told,
        info,
        %peer,
        "ended a connection that {ended}, to make room for this one"
    );
    shared.table.add(make)
}
