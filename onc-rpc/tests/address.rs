//! Universal addresses (RFC 5665, section 5.2.3): read and written, and refused with the place.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nfswire_rpc::rpcbind::{AddressError, AddressFormat, Netid, UniversalAddress};
use nfswire_xdr::Text;
use proptest::prelude::*;

fn parse(netid: Netid<'_>, text: &str) -> Result<SocketAddr, AddressError> {
    UniversalAddress::parse(netid, text.as_bytes()).map(|address| address.socket().unwrap())
}

fn write(address: SocketAddr) -> String {
    let mut buffer = [0xee; UniversalAddress::MAX_INET_LEN];
    let text = UniversalAddress::from(address).write(&mut buffer).unwrap();
    text.to_str().unwrap().to_owned()
}

#[test]
fn ipv4() {
    for netid in [Netid::TCP, Netid::UDP, Netid::RDMA, Netid::SCTP] {
        for (text, address) in [
            ("192.0.2.7.203.81", "192.0.2.7:52049"),
            ("0.0.0.0.0.111", "0.0.0.0:111"),
            ("127.0.0.1.8.1", "127.0.0.1:2049"),
            ("255.255.255.255.255.255", "255.255.255.255:65535"),
            ("0.0.0.0.0.0", "0.0.0.0:0"),
        ] {
            let address: SocketAddr = address.parse().unwrap();
            assert_eq!(parse(netid, text), Ok(address), "{text}");
            assert_eq!(write(address), text);
        }
    }
}

/// The offset is that of the first byte that does not fit.
#[test]
fn not_ipv4() {
    for (text, at) in [
        (".192.0.2.7.203.81", 0),
        (" 192.0.2.7.203.81", 0),
        ("192.0.2.7", 9),
        ("192.0.2.7.203", 13),
        ("192.0.2.7.203.", 14),
        ("192.0.2.7.203.81.", 16),
        ("192.0.2.7.203.81.1", 16),
        ("192.0.2.7.203.81 ", 16),
        ("192.0.2.7.203.81\0", 16),
        ("192.0.2.7.203.81\n", 16),
        ("192.0.2..203.81", 8),
        ("192.0.2.256.203.81", 8),
        ("192.0.2.7.203.256", 14),
        ("192.0.2.7.203.999", 14),
        ("192.0.2.7.203.2550", 17),
        ("192.0.2.7.203.4294967297", 14),
        ("192.0.2.07.203.81", 8),
        ("192.0.2.7.203.00", 14),
        ("192.0.2.7.008.1", 10),
        ("192.0.2.7.+8.1", 10),
        ("192.0.2.7.-8.1", 10),
        ("192.0.2.7.0x8.1", 11),
        ("192.0.2.7:2049", 9),
        ("a", 0),
        ("::1.8.1", 0),
        ("192.0.2.\u{0667}.203.81", 8),
    ] {
        assert_eq!(parse(Netid::TCP, text), Err(AddressError::Ipv4 { at }), "{text}");
    }
}

#[test]
fn ipv6() {
    for netid in [Netid::TCP6, Netid::UDP6, Netid::RDMA6, Netid::SCTP6] {
        // What is read, what it says, and what is written.
        for (text, address, written) in [
            ("::1.0.111", "[::1]:111", "::1.0.111"),
            ("::.0.111", "[::]:111", "::.0.111"),
            ("2001:db8::7.203.81", "[2001:db8::7]:52049", "2001:db8::7.203.81"),
            ("2001:0DB8:0:0:0:0:0:7.203.81", "[2001:db8::7]:52049", "2001:db8::7.203.81"),
            ("fe80::.8.1", "[fe80::]:2049", "fe80::.8.1"),
            ("1:2:3:4:5:6:7:8.8.1", "[1:2:3:4:5:6:7:8]:2049", "1:2:3:4:5:6:7:8.8.1"),
            ("::ffff:192.0.2.7.8.1", "[::ffff:192.0.2.7]:2049", "::ffff:192.0.2.7.8.1"),
            ("::ffff:c000:207.8.1", "[::ffff:192.0.2.7]:2049", "::ffff:192.0.2.7.8.1"),
            ("64:ff9b::192.0.2.7.8.1", "[64:ff9b::c000:207]:2049", "64:ff9b::c000:207.8.1"),
            ("1:2:3:4:5:6:1.2.3.4.8.1", "[1:2:3:4:5:6:102:304]:2049", "1:2:3:4:5:6:102:304.8.1"),
            ("::10.0.111", "[::10]:111", "::10.0.111"),
            (
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff.255.255",
                "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff.255.255",
            ),
        ] {
            let address: SocketAddr = address.parse().unwrap();
            assert_eq!(parse(netid, text), Ok(address), "{text}");
            assert_eq!(write(address), written, "{text}");
            assert_eq!(parse(netid, written), Ok(address), "{written}");
            assert!(written.len() <= UniversalAddress::MAX_INET_LEN);
        }
    }
}

#[test]
fn not_ipv6() {
    for (text, at) in [
        // All of the address.
        ("1:2:3:4:5:6:7.8.1", 0),
        ("1:2:3:4:5:6:7:8:9.8.1", 0),
        ("1::2::3.8.1", 0),
        (":::.8.1", 0),
        ("12345::.8.1", 0),
        ("192.0.2.7.8.1", 0),
        ("::1%eth0.8.1", 3),
        ("[::1].8.1", 0),
        ("g::.8.1", 0),
        (" ::1.8.1", 0),
        // The port.
        ("::1", 3),
        ("::1.8", 5),
        ("::1.8.", 6),
        ("::1.8.256", 6),
        ("::1.08.1", 4),
        ("::1.8.1.", 8),
        ("::1.8.1 ", 7),
        ("::ffff:1.2.3.4.5", 16),
        ("::ffff:1.2.3.4.5.6.7", 18),
        ("::ffff:1.2.3.04.5.6", 13),
        ("::ffff:1.2.3.256.5.6", 13),
    ] {
        assert_eq!(parse(Netid::TCP6, text), Err(AddressError::Ipv6 { at }), "{text}");
    }
}

#[test]
fn loopback() {
    for octets in [&b"/run/rpcbind.sock"[..], b"x", b"\0abstract", b"\xff/not/utf-8", b"a.b"] {
        let address = UniversalAddress::parse(Netid::LOCAL, octets).unwrap();
        assert_eq!(address, UniversalAddress::Loopback(octets));
        assert_eq!((address.socket(), address.format()), (None, AddressFormat::Loopback));
        let mut buffer = [0xee; 32];
        assert_eq!(address.write(&mut buffer).unwrap().as_bytes(), octets);
        let mut short = vec![0; octets.len() - 1];
        let error = AddressError::NoRoom { needed: octets.len(), room: octets.len() - 1 };
        assert_eq!(address.write(&mut short), Err(error));
    }
    assert_eq!(UniversalAddress::Loopback(b"").write(&mut [0; 9]), Err(AddressError::Empty));
    assert_eq!(UniversalAddress::Loopback(b"/\xff").to_string(), "/\u{fffd}");
}

#[test]
fn empty_and_unknown() {
    for netid in [Netid::TCP, Netid::UDP6, Netid::LOCAL] {
        assert_eq!(UniversalAddress::parse(netid, b""), Err(AddressError::Empty));
        assert_eq!(UniversalAddress::registered(netid, Text::default()), Ok(None));
    }
    for netid in [Netid::NOPROTO, Netid::default(), Netid::new(b"tcp7").unwrap()] {
        let found = UniversalAddress::parse(netid, b"127.0.0.1.0.111");
        assert_eq!(found, Err(AddressError::UnknownNetid));
    }
    let text = Text::new(b"nonsense").unwrap();
    let found = UniversalAddress::registered(Netid::TCP, text);
    assert_eq!(found, Err(AddressError::Ipv4 { at: 0 }));
}

#[test]
fn errors_say_what_to_do() {
    let error = parse(Netid::TCP, "1.2.3.4.5.600").unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 10 of the universal address does not fit: over IPv4 it is h1.h2.h3.h4.p1.p2, six \
         decimal numbers up to 255 without leading zeros"
    );
    let error = UniversalAddress::from(SocketAddr::from(([127, 0, 0, 1], 2049)))
        .write(&mut [0; 12])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the universal address takes 13 bytes, but the buffer has 12: \
         UniversalAddress::MAX_INET_LEN bytes hold every address of an IP transport"
    );
}

#[test]
fn nothing_is_allocated() {
    let mut buffer = [0; UniversalAddress::MAX_INET_LEN];
    for (netid, text) in [
        (Netid::TCP, "192.0.2.7.203.81"),
        (Netid::TCP6, "2001:db8::ffff:1.203.81"),
        (Netid::TCP6, "::ffff:192.0.2.7.203.81"),
        (Netid::TCP6, "nonsense"),
        (Netid::TCP, "1.2.3.4.5.6.7"),
        (Netid::LOCAL, "/run/rpcbind.sock"),
    ] {
        let count = allocation_counter::measure(|| {
            if let Ok(address) = UniversalAddress::parse(netid, text.as_bytes()) {
                assert_eq!(address.write(&mut buffer).unwrap().as_bytes(), text.as_bytes());
            }
        });
        assert_eq!(count.count_total, 0, "{text}");
    }
}

/// Another way to read an address over IP: the port from the end, the rest as core reads it, and
/// nothing that is not written back the same way.
fn model(text: &str, ipv6: bool) -> Option<SocketAddr> {
    let (rest, low) = text.rsplit_once('.')?;
    let (host, high) = rest.rsplit_once('.')?;
    let octet = |text: &str| text.parse::<u8>().ok().filter(|n| n.to_string() == text);
    let port = u16::from_be_bytes([octet(high)?, octet(low)?]);
    let host: IpAddr = if ipv6 {
        host.parse::<Ipv6Addr>().ok()?.into()
    } else {
        host.parse::<Ipv4Addr>().ok()?.into()
    };
    Some((host, port).into())
}

fn socket() -> impl Strategy<Value = SocketAddr> {
    // Groups of zeros in all places, and IPv4 addresses in IPv6 ones.
    let group = prop_oneof![2 => Just(0u16), 1 => Just(0xffff), 1 => any::<u16>()];
    let host = prop_oneof![
        any::<Ipv4Addr>().prop_map(IpAddr::from),
        any::<Ipv6Addr>().prop_map(IpAddr::from),
        any::<Ipv4Addr>().prop_map(|ip| ip.to_ipv6_mapped().into()),
        any::<Ipv4Addr>().prop_map(|ip| ip.to_ipv6_compatible().into()),
        prop::array::uniform8(group).prop_map(IpAddr::from),
    ];
    (host, any::<u16>()).prop_map(SocketAddr::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_written_reads_back(address in socket(), room in 0usize..48) {
        let text = write(address);
        let universal = UniversalAddress::from(address);
        prop_assert_eq!(universal.to_string(), &text[..]);
        prop_assert!(text.len() <= UniversalAddress::MAX_INET_LEN);
        let netid = if address.is_ipv4() { Netid::UDP } else { Netid::UDP6 };
        prop_assert_eq!(netid.format(), Some(universal.format()));
        prop_assert_eq!(UniversalAddress::parse(netid, text.as_bytes()), Ok(universal));
        // Into less room, too, and without a byte behind it.
        let mut buffer = [0xee; 48];
        match universal.write(&mut buffer[..room]) {
            Ok(written) => prop_assert_eq!(written.as_bytes(), text.as_bytes()),
            Err(error) => {
                prop_assert!(room < text.len());
                prop_assert_eq!(error, AddressError::NoRoom { needed: text.len(), room });
            }
        }
        prop_assert!(buffer[room..].iter().all(|byte| *byte == 0xee));
        // One changed or cut character is judged as the model judges it.
        for at in 0..text.len() {
            for other in [&b"0"[..], b":", b".", b"9", b"f", b" ", b""] {
                let bytes = [&text.as_bytes()[..at], other, &text.as_bytes()[at + 1..]].concat();
                let found = UniversalAddress::parse(netid, &bytes).ok().and_then(|a| a.socket());
                let text = str::from_utf8(&bytes).unwrap();
                prop_assert_eq!(found, model(text, address.is_ipv6()), "{}", text);
            }
        }
    }

    #[test]
    fn texts_are_judged_as_the_model_does(text in "[0-9a-f:.]{0,24}|([0-9]{1,3}\\.){3,7}[0-9]{1,3}") {
        for (netid, ipv6) in [(Netid::TCP, false), (Netid::TCP6, true)] {
            let found = UniversalAddress::parse(netid, text.as_bytes());
            let socket = found.ok().and_then(|address| address.socket());
            prop_assert_eq!(socket, model(&text, ipv6));
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        for netid in [Netid::TCP, Netid::TCP6] {
            match UniversalAddress::parse(netid, &bytes) {
                Ok(address) => prop_assert!(address.socket().is_some()),
                Err(AddressError::Empty) => prop_assert!(bytes.is_empty()),
                Err(AddressError::Ipv4 { at } | AddressError::Ipv6 { at }) => {
                    prop_assert!(at <= bytes.len());
                }
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
