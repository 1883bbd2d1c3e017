//! Which programs are callbacks of NFSv4: their numbers are the clients' choice, told to the servers.

use core::net::IpAddr;
use core::num::NonZeroUsize;

use lru::LruCache;
use nfswire_nfs4::NetAddr;
use nfswire_nfs4::callback::procedures;
use nfswire_rpc::rpcbind::{AddressFormat, UniversalAddress};

use crate::programs::named;

/// Clients that are remembered.
const MAX_CLIENTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4095);

/// Where a client takes callbacks, by SETCLIENTID, CREATE_SESSION or BACKCHANNEL_CTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) program: u32,
    /// If it may be another one than calls come from.
    pub(crate) address: Option<IpAddr>,
}

impl Told {
    /// What SETCLIENTID says: callbacks come by a connection of their own.
    pub(crate) fn at(program: u32, location: &NetAddr<'_>) -> Self {
        let read = |format| UniversalAddress::parse_as(format, location.addr.as_bytes()).ok();
        let address = read(AddressFormat::Ipv4).or_else(|| read(AddressFormat::Ipv6));
        let address = address.and_then(|it| it.socket()).map(|it| it.ip());
        Self { program, address }
    }
}

/// The programs that clients said to be their callbacks.
#[derive(Debug)]
pub(crate) struct Callbacks {
    told: LruCache<(IpAddr, u32), ()>,
}

impl Callbacks {
    pub(crate) fn new() -> Self {
        Self { told: LruCache::new(MAX_CLIENTS) }
    }

    /// A client at this address said it.
    pub(crate) fn learn(&mut self, client: IpAddr, told: Told) {
        // Whatever a client says, the number of another program means that program.
        if named(told.program) {
            return;
        }
        for address in [Some(client), told.address].into_iter().flatten() {
            self.told.put((address, told.program), ());
        }
    }

    /// Whether a call of the program to this address is a callback.
    pub(crate) fn is_one(&self, client: IpAddr, program: u32) -> bool {
        // Without a word before it, it is the number of the RFC, which Linux uses.
        program == procedures::PROGRAM || self.told.contains(&(client, program))
    }
}

#[cfg(test)]
mod tests {
    use nfswire_xdr::Text;

    use super::*;

    #[test]
    fn a_number_is_a_callback_where_a_client_said_so() {
        let [a, b, c] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|it| it.parse().unwrap());
        let mut callbacks = Callbacks::new();
        assert!(callbacks.is_one(a, 0x4000_0000));
        assert!(!callbacks.is_one(a, 77));
        let location = NetAddr {
            netid: Text::try_from("tcp").unwrap(),
            addr: Text::try_from("10.0.0.2.8.1").unwrap(),
        };
        callbacks.learn(a, Told::at(77, &location));
        assert!(callbacks.is_one(a, 77) && callbacks.is_one(b, 77) && !callbacks.is_one(c, 77));
        callbacks.learn(a, Told { program: 100_005, address: None });
        assert!(!callbacks.is_one(a, 100_005), "MOUNT is MOUNT");
    }
}
