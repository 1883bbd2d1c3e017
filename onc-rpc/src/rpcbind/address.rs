//! Universal addresses: where a program listens, as text (RFC 5665, section 5.2.3).

use core::{
    fmt::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use nfswire_xdr::Text;
use nom::{
    IResult, Parser,
    bytes::complete::{take_while_m_n, take_while1},
    character::complete::char,
    combinator::{all_consuming, map_opt, recognize},
    error::{ErrorKind, ParseError},
    sequence::preceded,
};
use thiserror::Error;

use super::Netid;

/// How the universal addresses of a transport are written: [`Netid::format`] tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressFormat {
    /// `h1.h2.h3.h4.p1.p2`: four octets of the host, two of the port, in decimal (RFC 5665,
    /// section 5.2.3.3).
    Ipv4,
    /// `x1:x2:x3:x4:x5:x6:x7:x8.p1.p2`: an IPv6 address, and the two octets of the port in decimal
    /// (RFC 5665, section 5.2.3.4).
    Ipv6,
    /// Any octets, but at least one (RFC 5665, section 5.2.3.1); the path of a socket in practice.
    Loopback,
}

/// A text is no universal address of its transport, or there is no room to write one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The netid is not among the constants of [`Netid`], or has no addresses.
    #[error(
        "how universal addresses of this netid are written is not known: keep the text as it is, \
         or name the format"
    )]
    UnknownNetid,
    /// There is no text. In the reply to a query: not registered.
    #[error("the universal address is empty: the program is not registered on this transport")]
    Empty,
    /// The text is no address over IPv4.
    #[error(
        "byte {at} of the universal address does not fit: over IPv4 it is h1.h2.h3.h4.p1.p2, six \
         decimal numbers up to 255 without leading zeros"
    )]
    Ipv4 {
        /// Offset of the first byte that does not fit.
        at: usize,
    },
    /// The text is no address over IPv6.
    #[error(
        "byte {at} of the universal address does not fit: over IPv6 it is an IPv6 address without \
         zone and brackets, then .p1.p2, two decimal numbers up to 255 without leading zeros"
    )]
    Ipv6 {
        /// Offset of the first byte that does not fit; of the address if all of it is wrong.
        at: usize,
    },
    /// The buffer is too short.
    #[error(
        "the universal address takes {needed} bytes, but the buffer has {room}: \
         UniversalAddress::MAX_INET_LEN bytes hold every address of an IP transport"
    )]
    NoRoom {
        /// Bytes of the text.
        needed: usize,
        /// Bytes of the buffer.
        room: usize,
    },
}

/// Where a program listens: what a universal address says (RFC 5665, section 5.2.3).
///
/// | netid | text | reads as |
/// |---|---|---|
/// | `tcp`, `udp`, `rdma`, `sctp` | `192.0.2.7.203.81` | 192.0.2.7, port 203 × 256 + 81 = 52049 |
/// | `tcp6`, `udp6`, `rdma6`, `sctp6` | `2001:db8::7.203.81` | 2001:db8::7, port 52049 |
/// | `local`, `ticlts`, `ticots`, `ticotsord` | `/run/rpcbind.sock` | these octets |
///
/// Reading is strict: numbers are decimal, without sign, without leading zeros, up to 255, and there
/// are no blanks. Linux and libtirpc write only this; when they read they also take leading zeros in
/// the two octets of the port (and libtirpc whatever else `atoi` takes). IPv6 addresses come in the
/// three forms of RFC 4291, section 2.2: all groups, `::`, and with an IPv4 address at the end
/// (`::ffff:192.0.2.7.203.81`). There is neither zone (`%eth0`) nor bracket, on either side.
///
/// Writing gives the short form of RFC 5952, what every `inet_ntop` gives. What reads back is the
/// same address and port; flow label and scope of a [`SocketAddr`] have no place in the text.
///
/// ```
/// use nfswire_rpc::rpcbind::{AddressError, Netid, UniversalAddress};
///
/// let address = UniversalAddress::parse(Netid::TCP6, b"::1.8.1")?;
/// assert_eq!(address.socket(), Some("[::1]:2049".parse().unwrap()));
///
/// let mut buffer = [0; UniversalAddress::MAX_INET_LEN];
/// let text = UniversalAddress::from("192.0.2.7:52049".parse::<core::net::SocketAddr>().unwrap())
///     .write(&mut buffer)?;
/// assert_eq!(text.as_bytes(), b"192.0.2.7.203.81");
///
/// let error = UniversalAddress::parse(Netid::TCP, b"192.0.2.7.203.810").unwrap_err();
/// assert_eq!(error, AddressError::Ipv4 { at: 14 });
/// # Ok::<(), AddressError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UniversalAddress<'a> {
    /// Address and port of an IP transport.
    Inet(SocketAddr),
    /// Octets of a loopback transport, at least one.
    Loopback(&'a [u8]),
}

impl<'a> UniversalAddress<'a> {
    /// Longest text of an IP transport that is written, in bytes.
    pub const MAX_INET_LEN: usize = 47;

    /// Reads the text as the netid prescribes.
    ///
    /// # Errors
    /// All but [`AddressError::NoRoom`].
    pub fn parse(netid: Netid<'_>, text: &'a [u8]) -> Result<Self, AddressError> {
        Self::parse_as(netid.format().ok_or(AddressError::UnknownNetid)?, text)
    }

    /// Reads the text in a given format, for transports that have their own names here.
    ///
    /// # Errors
    /// All but [`AddressError::NoRoom`] and [`AddressError::UnknownNetid`].
    pub fn parse_as(format: AddressFormat, text: &'a [u8]) -> Result<Self, AddressError> {
        if text.is_empty() {
            return Err(AddressError::Empty);
        }
        match format {
            AddressFormat::Loopback => Ok(Self::Loopback(text)),
            AddressFormat::Ipv4 => {
                socket(ipv4_socket, text).map_err(|at| AddressError::Ipv4 { at })
            }
            AddressFormat::Ipv6 => {
                socket(ipv6_socket, text).map_err(|at| AddressError::Ipv6 { at })
            }
        }
    }

    /// Reads the reply to GETADDR or GETVERSADDR: `None` if the program is not registered.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), but for [`AddressError::Empty`].
    pub fn registered(netid: Netid<'_>, reply: Text<'a>) -> Result<Option<Self>, AddressError> {
        if reply.is_empty() { Ok(None) } else { Self::parse(netid, reply.as_bytes()).map(Some) }
    }

    /// How it is written: it belongs to the netids of this format.
    #[must_use]
    pub const fn format(&self) -> AddressFormat {
        match self {
            Self::Inet(SocketAddr::V4(_)) => AddressFormat::Ipv4,
            Self::Inet(SocketAddr::V6(_)) => AddressFormat::Ipv6,
            Self::Loopback(_) => AddressFormat::Loopback,
        }
    }

    /// Address and port, if it is one of an IP transport.
    #[must_use]
    pub const fn socket(&self) -> Option<SocketAddr> {
        match self {
            Self::Inet(socket) => Some(*socket),
            Self::Loopback(_) => None,
        }
    }

    /// Writes the text to the front of the buffer.
    ///
    /// # Errors
    /// [`AddressError::NoRoom`], and [`AddressError::Empty`] for a loopback address without octets,
    /// which would say that the program is not registered.
    pub fn write<'b>(&self, buffer: &'b mut [u8]) -> Result<Text<'b>, AddressError> {
        let room = buffer.len();
        let needed = match self {
            Self::Loopback([]) => return Err(AddressError::Empty),
            Self::Loopback(octets) => {
                if let Some(front) = buffer.get_mut(..octets.len()) {
                    front.copy_from_slice(octets);
                }
                octets.len()
            }
            Self::Inet(_) => {
                let mut window = Window { buffer, len: 0 };
                // It counts what has no room, and never fails.
                let _ = write!(window, "{self}");
                window.len
            }
        };
        buffer.get(..needed).and_then(Text::new).ok_or(AddressError::NoRoom { needed, room })
    }
}

impl From<SocketAddr> for UniversalAddress<'_> {
    fn from(socket: SocketAddr) -> Self {
        Self::Inet(socket)
    }
}

impl fmt::Display for UniversalAddress<'_> {
    /// The text; of a loopback address, replacement characters where it is not UTF-8.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inet(socket) => {
                let [high, low] = socket.port().to_be_bytes();
                write!(f, "{}.{high}.{low}", socket.ip())
            }
            Self::Loopback(octets) => <Text<'_>>::new(octets).map_or(Ok(()), |text| text.fmt(f)),
        }
    }
}

/// Text that is written to the front of a buffer, and counted where it ends.
struct Window<'b> {
    buffer: &'b mut [u8],
    len: usize,
}

impl Write for Window<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len.saturating_add(text.len());
        if let Some(part) = self.buffer.get_mut(self.len..end) {
            part.copy_from_slice(text.as_bytes());
        }
        self.len = end;
        Ok(())
    }
}

//--- Grammar ---

/// Where a parser stopped: so many bytes before the end.
struct Fault {
    left: usize,
}

impl ParseError<&[u8]> for Fault {
    fn from_error_kind(input: &[u8], _kind: ErrorKind) -> Self {
        Self { left: input.len() }
    }

    fn append(_input: &[u8], _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

type Parsed<'t, T> = IResult<&'t [u8], T, Fault>;

/// The whole text, or the offset of what does not fit.
fn socket<'a>(
    parser: fn(&[u8]) -> Parsed<'_, SocketAddr>,
    text: &[u8],
) -> Result<UniversalAddress<'a>, usize> {
    match parser(text) {
        Ok((_, socket)) => Ok(UniversalAddress::Inet(socket)),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
            Err(text.len().saturating_sub(fault.left))
        }
        Err(nom::Err::Incomplete(_)) => Err(text.len()),
    }
}

/// The digits as core reads them, which takes no other form once a sign is out of the question.
fn octet(input: &[u8]) -> Parsed<'_, u8> {
    let digits = take_while_m_n(1, 3, |byte: u8| byte.is_ascii_digit());
    map_opt(digits, |digits: &[u8]| match digits {
        [b'0', _, ..] => None,
        _ => str::from_utf8(digits).ok()?.parse().ok(),
    })
    .parse(input)
}

fn dot_octet(input: &[u8]) -> Parsed<'_, u8> {
    preceded(char('.'), octet).parse(input)
}

fn port(input: &[u8]) -> Parsed<'_, u16> {
    (dot_octet, dot_octet).map(|(high, low)| u16::from_be_bytes([high, low])).parse(input)
}

fn ipv4_socket(input: &[u8]) -> Parsed<'_, SocketAddr> {
    let host = (octet, dot_octet, dot_octet, dot_octet);
    let address = |((a, b, c, d), port)| (IpAddr::V4(Ipv4Addr::new(a, b, c, d)), port).into();
    all_consuming((host, port).map(address)).parse(input)
}

fn groups(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(|byte: u8| byte.is_ascii_hexdigit() || byte == b':').parse(input)
}

fn groups_and_ipv4(input: &[u8]) -> Parsed<'_, &[u8]> {
    recognize((groups, dot_octet, dot_octet, dot_octet)).parse(input)
}

/// The last two numbers are the port; where there are more, an IPv4 address is in front of them.
/// Which groups make an address is for core to say.
fn ipv6_socket(input: &[u8]) -> Parsed<'_, SocketAddr> {
    let dots = input.iter().filter(|byte| **byte == b'.').count();
    let host = map_opt(if dots > 2 { groups_and_ipv4 } else { groups }, |host| {
        str::from_utf8(host).ok().and_then(|host| host.parse::<Ipv6Addr>().ok())
    });
    let address = |(host, port)| (IpAddr::V6(host), port).into();
    all_consuming((host, port).map(address)).parse(input)
}
