//! Asking the server where its MOUNT program listens (RFC 1833).

use nfswire_nfs3::mount;
use nfswire_rpc::Procedure;
use nfswire_rpc::portmap::{self, Getport, Mapping, Protocol};
use nfswire_rpc::rpcbind::{Netid, Rpcb, UniversalAddress, v4::Getversaddr};

use super::{Connection, Error, Options, Result};

/// The TCP port of MOUNT version 3: rpcbind version 4 is asked, and port mapper version 2 where the server has no such
/// version.
///
/// Of a universal address only the port counts: its host is where the server sees itself, or any address (`0.0.0.0`).
pub(super) fn mount_port(host: &str, port: u16, options: &Options) -> Result<u16> {
    let (program, version) = (mount::PROGRAM, mount::v3::VERSION);
    let mut connection = Connection::connect(host, port, options)?;
    let netid = if connection.is_ipv6() { Netid::TCP6 } else { Netid::TCP };
    let rpcb = Rpcb::query(program, version, netid);
    let found = connection.call::<Getversaddr, _>(&rpcb, |text| {
        let address = UniversalAddress::registered(netid, text)
            .map_err(|error| Error::nonsense(Getversaddr::NAME, error.to_string()))?;
        Ok(address.and_then(|address| address.socket()).map(|socket| socket.port()))
    });
    let found = match found {
        Err(Error::Call { .. }) => {
            let mapping = Mapping::query(program, version, Protocol::TCP);
            connection.call::<Getport, _>(&mapping, |number| Ok(portmap::port(number)))?
        }
        other => other?,
    };
    let unknown = || Error::NotRegistered { program, version, host: host.into(), port };
    found.filter(|port| *port != 0).ok_or_else(unknown)
}
