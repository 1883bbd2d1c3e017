//! Names of transports (RFC 1833, section 2.1; RFC 5665, section 5.1).

use core::fmt;

use nfswire_xdr::{Decode, DecodeError, Encode, EncodeError, Encoder, Probe, Source, Text, Wire};

#[cfg(feature = "alloc")]
use nfswire_xdr::Rebind;
#[cfg(feature = "arbitrary")]
use nfswire_xdr::arbitrary::{self, Arbitrary, Unstructured};
#[cfg(feature = "serde")]
use nfswire_xdr::serde::{DeserializeXdr, Deserializer, Out, Serialize, SerializeXdr, Serializer};

use super::AddressFormat;

/// Network identifier: the name of a transport, a `string<>` (RFC 5665, section 5.1).
///
/// Any bytes survive; the registered names are constants. Case matters.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias = "r_netid")]
#[doc(alias = "r_nc_netid")]
pub struct Netid<'a>(
    /// The text on the wire.
    pub Text<'a>,
);

macro_rules! netids {
    ($($(#[$doc:meta])* $alias:literal $name:ident = $text:literal $($format:ident)?;)+) => {
        impl Netid<'_> {
            $(
                $(#[$doc])*
                #[doc = concat!("`\"", $text, "\"`.")]
                #[doc(alias = $alias)]
                pub const $name: Netid<'static> = Netid(match Text::new($text.as_bytes()) {
                    Some(text) => text,
                    None => unreachable!(),
                });
            )+

            /// How the universal addresses of the transport are written; `None` for names that are
            /// not among the constants, and for those without addresses.
            #[must_use]
            pub fn format(self) -> Option<AddressFormat> {
                let formats = [$((Netid::$name, netids!(@ $($format)?))),+];
                formats.iter().find(|(netid, _)| *netid == self).and_then(|(_, format)| *format)
            }
        }
    };
    (@) => { None };
    (@ $format:ident) => { Some(AddressFormat::$format) };
}

netids! {
    /// TCP over IPv4:
    "NC_TCP" TCP = "tcp" Ipv4;
    /// UDP over IPv4:
    "NC_UDP" UDP = "udp" Ipv4;
    /// TCP over IPv6:
    "NC_TCP6" TCP6 = "tcp6" Ipv6;
    /// UDP over IPv6:
    "NC_UDP6" UDP6 = "udp6" Ipv6;
    /// RPC over RDMA, with IPv4 addresses:
    "NC_RDMA" RDMA = "rdma" Ipv4;
    /// RPC over RDMA, with IPv6 addresses:
    "NC_RDMA6" RDMA6 = "rdma6" Ipv6;
    /// SCTP over IPv4:
    "NC_SCTP" SCTP = "sctp" Ipv4;
    /// SCTP over IPv6:
    "NC_SCTP6" SCTP6 = "sctp6" Ipv6;
    /// Sockets of the local host, by path; not registered, but in use wherever rpcbind is:
    "NC_LOCAL" LOCAL = "local" Loopback;
    /// System V loopback, connectionless:
    "NC_TICLTS" TICLTS = "ticlts" Loopback;
    /// System V loopback, connection oriented:
    "NC_TICOTS" TICOTS = "ticots" Loopback;
    /// System V loopback, connection oriented with orderly release:
    "NC_TICOTSORD" TICOTSORD = "ticotsord" Loopback;
    /// No transport, without addresses (RFC 5665, section 5.2.3.2):
    "NC_NOPROTO" NOPROTO = "-";
}

impl<'a> Netid<'a> {
    /// Borrows a name, or `None` if it is longer than a message can say.
    #[must_use]
    pub const fn new(name: &'a [u8]) -> Option<Self> {
        match Text::new(name) {
            Some(text) => Some(Self(text)),
            None => None,
        }
    }

    /// The bytes of the name.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// Whether there is no name: in UNSET this means every transport.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> From<Text<'a>> for Netid<'a> {
    fn from(text: Text<'a>) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Netid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Netid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

// By hand: on the wire, and as a value in text, it is its name and no struct of one.
impl Wire for Netid<'_> {
    const MIN_LEN: u32 = <Text<'_> as Wire>::MIN_LEN;
    const MAX_LEN: u32 = <Text<'_> as Wire>::MAX_LEN;
}

impl<'a> Decode<'a> for Netid<'a> {
    #[inline]
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        Text::decode(c).map(Self)
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        <Text<'_>>::check(p)
    }

    /// Often one that has a name here.
    #[cfg(feature = "arbitrary")]
    fn arbitrary_value(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        const KNOWN: [Netid<'static>; 8] = [
            Netid::TCP,
            Netid::UDP,
            Netid::TCP6,
            Netid::UDP6,
            Netid::RDMA,
            Netid::RDMA6,
            Netid::LOCAL,
            Netid::NOPROTO,
        ];
        let known = KNOWN.get(usize::from(u.arbitrary::<u8>()? & 15));
        known.map_or_else(|| Text::arbitrary_value(u).map(Self), |netid| Ok(*netid))
    }
}

impl<'p> Encode<'p> for Netid<'_> {
    #[inline]
    fn encoded_len(&self) -> u64 {
        Encode::<'p>::encoded_len(&self.0)
    }

    #[inline]
    fn write<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
        Encode::<'p>::write(&self.0, w)
    }

    fn encode_fields(&self, e: &mut Encoder<'_, 'p>) -> Result<(), EncodeError> {
        self.0.encode_fields(e)
    }
}

#[cfg(feature = "alloc")]
impl Rebind for Netid<'_> {
    type At<'a> = Netid<'a>;
}

#[cfg(feature = "arbitrary")]
impl<'a> Arbitrary<'a> for Netid<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_value(u)
    }
}

#[cfg(feature = "serde")]
impl Serialize for Netid<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl SerializeXdr for Netid<'_> {
    fn serialize_xdr<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_xdr(serializer)
    }
}

#[cfg(feature = "serde")]
impl DeserializeXdr for Netid<'_> {
    fn deserialize_xdr<'r, D: Deserializer<'r>>(
        deserializer: D,
        out: &mut Out<'_>,
    ) -> Result<(), D::Error> {
        <Text<'_>>::deserialize_xdr(deserializer, out)
    }
}
