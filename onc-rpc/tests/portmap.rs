//! The port mapper and rpcbind: every vector, every row of the protocol table, and what real programs
//! have sent.
#![cfg(feature = "std")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::std_instead_of_alloc
)]

mod common;

use core::hint::black_box;
use std::collections::{BTreeMap, HashMap};

use common::{check, encode, testdata, unhex};
use nfswire_rpc::{
    FragmentHeader, Procedure, parse_call, parse_reply,
    portmap::{self, CallitArgs, CallitReply, Mapping, MappingList, Protocol},
    rpcbind::{
        self, AddressFormat, AddressStat, AddressStats, Entry, EntryList, Netbuf, Netid,
        ProcedureCounts, RmtcallArgs, RmtcallReply, RmtcallStat, RmtcallStats, Rpcb, RpcbList,
        Semantics, Stat, StatByVersion, UniversalAddress, v3, v4,
    },
};
use nfswire_xdr::{
    Chain, Cursor, Decode, Encode, Encoder, ErrorKind, Limits, Opaque, Segments, Text, from_bytes,
};

/// One type of RFC 1833.
struct Type {
    area: &'static str,
    name: &'static str,
    /// A list node, which is a list behind its first flag.
    node: bool,
    check: fn(&str, &[u8]),
    /// Decodes and encodes into the head.
    reencode: fn(&[u8], &mut Vec<u8>) -> Option<u64>,
}

fn reencode<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8], head: &mut Vec<u8>) -> Option<u64> {
    let value: T = from_bytes(bytes).ok()?;
    let mut segments = Segments::new();
    let mut e = Encoder::growable(head, &mut segments);
    e.put(&value).ok()?;
    Some(e.finish())
}

macro_rules! types {
    ($($area:literal { $($kind:ident $name:literal $t:ty;)+ })+) => {
        &[$($(Type {
            area: $area,
            name: $name,
            node: types!(@ $kind),
            check: |name, longer| check::<$t>(name, longer),
            reencode: |bytes, head| reencode::<$t>(bytes, head),
        }),+),+]
    };
    (@ value) => { false };
    (@ node) => { true };
}

const TYPES: &[Type] = types! {
    "portmap" {
        value "mapping" Mapping;
        value "pmaplist" MappingList<'_>;
        value "call_args" CallitArgs<'_>;
        value "call_result" CallitReply<'_>;
    }
    "rpcbind" {
        value "rpcb" Rpcb<'_>;
        node "rp__list" RpcbList<'_>;
        value "rpcblist_ptr" RpcbList<'_>;
        value "rpcb_rmtcallargs" RmtcallArgs<'_>;
        value "rpcb_rmtcallres" RmtcallReply<'_>;
        value "rpcb_entry" Entry<'_>;
        node "rpcb_entry_list" EntryList<'_>;
        value "rpcb_entry_list_ptr" EntryList<'_>;
        node "rpcbs_addrlist" AddressStats<'_>;
        node "rpcbs_rmtcalllist" RmtcallStats<'_>;
        value "rpcbs_proc" ProcedureCounts;
        value "rpcbs_addrlist_ptr" AddressStats<'_>;
        value "rpcbs_rmtcalllist_ptr" RmtcallStats<'_>;
        value "rpcb_stat" Stat<'_>;
        value "rpcb_stat_byvers" StatByVersion<'_>;
        value "netbuf" Netbuf<'_>;
    }
};

struct Vector {
    ty: &'static Type,
    /// Of a list node: with the flag in front that makes a list of it.
    bytes: Vec<u8>,
    value: serde_json::Value,
}

fn vectors() -> Vec<Vector> {
    let mut all = Vec::new();
    for area in ["portmap", "rpcbind"] {
        for line in testdata(&format!("vectors/{area}.jsonl")).lines() {
            let mut json: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = json["type"].as_str().unwrap();
            let ty = TYPES
                .iter()
                .find(|ty| (ty.area, ty.name) == (area, name))
                .unwrap_or_else(|| panic!("{area}.{name} is not here"));
            let mut bytes = if ty.node { vec![0, 0, 0, 1] } else { Vec::new() };
            bytes.extend(unhex(json["hex"].as_str().unwrap()));
            all.push(Vector { ty, bytes, value: json["value"].take() });
        }
    }
    all
}

/// To the same bytes in every head; refused when cut at any byte or prolonged (D3, E1, E3).
#[test]
fn every_vector() {
    let mut seen = BTreeMap::<_, u32>::new();
    for Vector { ty, mut bytes, .. } in vectors() {
        bytes.extend([0; 4]);
        (ty.check)(ty.name, &bytes);
        *seen.entry((ty.area, ty.name)).or_default() += 1;
    }
    assert_eq!(seen.len(), TYPES.len());
    assert_eq!(seen.values().sum::<u32>(), 160);
}

/// A list is refused as a whole where an element is cut, and the error says where (D5).
#[test]
fn errors_name_the_field() {
    let list = unhex("00000001 000186a3 00000003 00000003 746370");
    let error = from_bytes::<RpcbList<'_>>(&list).unwrap_err();
    assert_eq!(error.to_string(), "rpcb.r_netid at byte 19: need 1 bytes, 0 left");
    let stat = [0; 4 * 16];
    let error = from_bytes::<StatByVersion<'_>>(&stat[..4 * 13]).unwrap_err();
    assert_eq!(error.to_string(), "rpcb_stat.setinfo at byte 52: need 4 bytes, 0 left");
    let list = unhex("00000002");
    let error = from_bytes::<MappingList<'_>>(&list).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Bool(2), 0));
}

/// Any damaged byte: an error, or a value that gives the damaged bytes back (D3).
#[test]
fn damaged_vectors_are_refused_or_kept() {
    let (mut refused, mut kept) = (0, 0);
    let mut head = Vec::new();
    for Vector { ty, mut bytes, .. } in vectors() {
        for at in 0..bytes.len() {
            bytes[at] ^= 0xff;
            match (ty.reencode)(&bytes, &mut head) {
                Some(len) => {
                    assert_eq!(&head[..usize::try_from(len).unwrap()], bytes, "{} {at}", ty.name);
                    kept += 1;
                }
                None => refused += 1,
            }
            bytes[at] ^= 0xff;
        }
    }
    assert!(refused > 1000 && kept > 1000, "{refused} refused, {kept} kept");
}

/// Lists of 200,000 elements, and one more than the limit.
#[test]
fn long_lists() {
    let node = [&[0, 0, 0, 1][..], &[7; 16]].concat();
    let mut list = node.repeat(200_000);
    list.extend([0; 4]);
    let mappings: MappingList<'_> = from_bytes(&list).unwrap();
    assert_eq!((mappings.len(), mappings.iter().count()), (200_000, 200_000));
    assert_eq!(encode(&mappings), list);
    let limits = Limits { max_items: 199_999, ..Limits::STRICT };
    let error = Cursor::with(&list, &limits).decode::<MappingList<'_>>().unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooMany { count: 200_000, limit: 199_999 });
}

/// Nothing is allocated: by decoding, by encoding into a head that is there, by refusing (D1), or
/// for bytes that are announced and do not come (D2).
#[test]
fn nothing_is_allocated() {
    let allocations = |f: &mut dyn FnMut()| allocation_counter::measure(f).count_total;
    assert_eq!(allocations(&mut || drop(black_box(vec![1u8; 100]))), 1, "the counter counts");
    let mut head = vec![0; 1 << 16];
    for Vector { ty, bytes, .. } in vectors() {
        let mut len = None;
        let count = allocations(&mut || len = (ty.reencode)(&bytes, &mut head));
        assert_eq!((len, count), (Some(bytes.len() as u64), 0), "{}", ty.name);
        let count = allocations(&mut || len = (ty.reencode)(&bytes[4..], &mut head));
        assert_eq!(count, 0, "{} without its first word", ty.name);
        for length in [0xffff_ffff_u32, 0x7fff_ffff, 0x4000_0000, 0x0001_0000] {
            for at in (0..bytes.len()).step_by(4) {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&length.to_be_bytes());
                let count = allocations(&mut || len = (ty.reencode)(&bytes, &mut head));
                assert_eq!(count, 0, "{} with {length} at {at}", ty.name);
            }
        }
    }
}

fn strings<const N: usize>(value: &serde_json::Value, names: [&str; N]) -> [String; N] {
    names.map(|name| value[name].as_str().unwrap().to_owned())
}

#[test]
fn values_are_those_of_the_vectors() {
    let mut compared = 0;
    for Vector { ty, bytes, value } in vectors() {
        match ty.name {
            "mapping" => {
                let map: Mapping = from_bytes(&bytes).unwrap();
                assert_eq!(map.program, value["prog"]);
                assert_eq!(map.version, value["vers"]);
                assert_eq!(map.protocol.0, value["prot"]);
                assert_eq!(map.port, value["port"]);
            }
            "rpcb" => {
                let rpcb: Rpcb<'_> = from_bytes(&bytes).unwrap();
                assert_eq!(rpcb.program, value["r_prog"]);
                assert_eq!(rpcb.version, value["r_vers"]);
                let texts = [rpcb.netid.0, rpcb.address, rpcb.owner].map(|text| text.to_string());
                assert_eq!(texts, strings(&value, ["r_netid", "r_addr", "r_owner"]));
            }
            "rpcb_entry" => {
                let entry: Entry<'_> = from_bytes(&bytes).unwrap();
                assert_eq!(entry.semantics.0, value["r_nc_semantics"]);
                let texts = [entry.address, entry.netid.0, entry.protocol_family, entry.protocol];
                let names = ["r_maddr", "r_nc_netid", "r_nc_protofmly", "r_nc_proto"];
                assert_eq!(texts.map(|text| text.to_string()), strings(&value, names));
            }
            "rpcbs_addrlist" | "rpcbs_addrlist_ptr" => {
                let mut expected = &value;
                for stat in &from_bytes::<AddressStats<'_>>(&bytes).unwrap() {
                    let AddressStat { program, version, success, failure, netid } = stat;
                    assert_eq!(program, expected["prog"]);
                    assert_eq!(version, expected["vers"]);
                    assert_eq!(success, expected["success"]);
                    assert_eq!(failure, expected["failure"]);
                    assert_eq!(netid.to_string(), expected["netid"].as_str().unwrap());
                    expected = &expected["next"];
                }
                assert!(expected.is_null(), "{expected}");
            }
            "rpcbs_rmtcalllist" | "rpcbs_rmtcalllist_ptr" => {
                let mut expected = &value;
                for stat in &from_bytes::<RmtcallStats<'_>>(&bytes).unwrap() {
                    let RmtcallStat {
                        program,
                        version,
                        procedure,
                        success,
                        failure,
                        indirect,
                        netid,
                    } = stat;
                    assert_eq!(program, expected["prog"]);
                    assert_eq!(version, expected["vers"]);
                    assert_eq!(procedure, expected["proc"]);
                    assert_eq!(success, expected["success"]);
                    assert_eq!(failure, expected["failure"]);
                    assert_eq!(indirect, expected["indirect"]);
                    assert_eq!(netid.to_string(), expected["netid"].as_str().unwrap());
                    expected = &expected["next"];
                }
                assert!(expected.is_null(), "{expected}");
            }
            "rpcb_stat_byvers" => {
                let stats: StatByVersion<'_> = from_bytes(&bytes).unwrap();
                for (version, expected) in (2..).zip(value.as_array().unwrap()) {
                    let stat = stats.version(version).unwrap();
                    let info: Vec<i32> = serde_json::from_value(expected["info"].clone()).unwrap();
                    assert_eq!(stat.info[..], info);
                    assert_eq!(stat.set, expected["setinfo"]);
                    assert_eq!(stat.unset, expected["unsetinfo"]);
                }
                assert_eq!((stats.version(1), stats.version(5)), (None, None));
            }
            "netbuf" => {
                let netbuf: Netbuf<'_> = from_bytes(&bytes).unwrap();
                assert_eq!(netbuf.max_len, value["maxlen"]);
                if let Some(bytes) = value["buf"].as_str() {
                    assert_eq!(netbuf.bytes.as_bytes(), unhex(bytes));
                }
            }
            _ => continue,
        }
        compared += 1;
    }
    assert_eq!(compared, 9 * 8);
}

const PROGRAMS: &[(&str, &[(u32, &str)])] = &[
    ("PMAP_PROG/2", portmap::PROCEDURES),
    ("RPCBPROG/3", v3::PROCEDURES),
    ("RPCBPROG/4", v4::PROCEDURES),
];

const CONSTANTS: &[(&str, &str, u32)] = &[
    ("program", "PMAP_PROG", portmap::PROGRAM),
    ("version", "PMAP_VERS", portmap::VERSION),
    ("const", "PMAP_PORT", portmap::PORT as u32),
    ("const", "IPPROTO_TCP", Protocol::TCP.0),
    ("const", "IPPROTO_UDP", Protocol::UDP.0),
    ("program", "RPCBPROG", rpcbind::PROGRAM),
    ("version", "RPCBVERS", v3::VERSION),
    ("version", "RPCBVERS4", v4::VERSION),
    ("const", "RPCB_PORT", rpcbind::PORT as u32),
    ("const", "rpcb_highproc_2", rpcbind::HIGHPROC_2),
    ("const", "rpcb_highproc_3", rpcbind::HIGHPROC_3),
    ("const", "rpcb_highproc_4", rpcbind::HIGHPROC_4),
    ("const", "RPCBSTAT_HIGHPROC", rpcbind::RPCBSTAT_HIGHPROC),
    ("const", "RPCBVERS_STAT", rpcbind::RPCBVERS_STAT),
    ("const", "RPCBVERS_4_STAT", rpcbind::RPCBVERS_4_STAT),
    ("const", "RPCBVERS_3_STAT", rpcbind::RPCBVERS_3_STAT),
    ("const", "RPCBVERS_2_STAT", rpcbind::RPCBVERS_2_STAT),
    ("const", "NC_TPI_CLTS", Semantics::CONNECTIONLESS.0),
    ("const", "NC_TPI_COTS", Semantics::CONNECTION_ORIENTED.0),
    ("const", "NC_TPI_COTS_ORD", Semantics::ORDERLY_RELEASE.0),
    ("const", "NC_TPI_RAW", Semantics::RAW.0),
];

/// Everything that the RFCs list is here under its number, and nothing else.
#[test]
fn every_row() {
    let table = testdata("portmap.tsv");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    assert_eq!(rows.next().unwrap()[..5], ["area", "kind", "name", "number", "parent"]);
    let mut counts = HashMap::<&str, usize>::new();
    for row in rows {
        let (area, kind, name, number, parent) = (row[0], row[1], row[2], row[3], row[4]);
        let number = || number.parse::<u32>().unwrap();
        let found = match kind {
            "struct" | "typedef" => TYPES.iter().any(|ty| (ty.area, ty.name) == (area, name)),
            "proc" => PROGRAMS
                .iter()
                .any(|(program, table)| *program == parent && table.contains(&(number(), name))),
            "const" if parent == "netid registry" => {
                let name = name.strip_prefix("netid ").unwrap();
                let expected =
                    if name.ends_with('6') { AddressFormat::Ipv6 } else { AddressFormat::Ipv4 };
                Netid::new(name.as_bytes()).unwrap().format() == Some(expected)
            }
            "program" | "version" | "const" => CONSTANTS.contains(&(kind, name, number())),
            _ => panic!("row {row:?} is not understood"),
        };
        assert!(found, "{row:?} is missing or has another number");
        *counts.entry(kind).or_default() += 1;
    }
    let count = |kinds: &[&str]| kinds.iter().map(|kind| counts[kind]).sum::<usize>();
    assert_eq!(count(&["struct", "typedef"]), TYPES.len());
    assert_eq!(count(&["proc"]), PROGRAMS.iter().map(|(_, table)| table.len()).sum::<usize>());
    assert_eq!(count(&["program", "version", "const"]), CONSTANTS.len() + 6);
}

fn numbers<P: Procedure>() -> (u32, u32, u32) {
    (P::PROGRAM, P::VERSION, P::NUMBER)
}

#[test]
fn procedures_are_dense_and_tied() {
    for (program, table) in PROGRAMS {
        for (i, (number, name)) in (0..).zip(*table) {
            assert_eq!(*number, i, "{program} {name}");
        }
    }
    assert_eq!(numbers::<portmap::Callit>(), (100_000, 2, 5));
    assert_eq!(numbers::<v3::Taddr2uaddr>(), (100_000, 3, 8));
    assert_eq!(numbers::<v4::Getstat>(), (100_000, 4, 12));
    let last = [portmap::PROCEDURES, v3::PROCEDURES, v4::PROCEDURES].map(|all| all.len() - 1);
    let high = [rpcbind::HIGHPROC_2, rpcbind::HIGHPROC_3, rpcbind::HIGHPROC_4];
    assert_eq!(last.map(|n| u32::try_from(n).unwrap()), high);
    assert_eq!((v3::name(5), v4::name(5)), (Some("RPCBPROC_CALLIT"), Some("RPCBPROC_BCAST")));
    assert_eq!((portmap::name(6), v3::name(9), v4::name(13)), (None, None, None));
}

#[test]
fn ports() {
    let cases = [(0, None), (1, Some(1)), (65535, Some(65535)), (65536, None), (u32::MAX, None)];
    for (number, expected) in cases {
        assert_eq!(portmap::port(number), expected, "{number}");
    }
}

#[test]
fn netids() {
    assert_eq!(Netid::default(), Netid::new(b"").unwrap());
    assert!(Netid::default().is_empty() && !Netid::NOPROTO.is_empty());
    assert_eq!(Netid::TCP.to_string(), "tcp");
    for (netid, format) in [
        (Netid::SCTP, Some(AddressFormat::Ipv4)),
        (Netid::SCTP6, Some(AddressFormat::Ipv6)),
        (Netid::LOCAL, Some(AddressFormat::Loopback)),
        (Netid::TICLTS, Some(AddressFormat::Loopback)),
        (Netid::TICOTS, Some(AddressFormat::Loopback)),
        (Netid::TICOTSORD, Some(AddressFormat::Loopback)),
        (Netid::NOPROTO, None),
        (Netid::default(), None),
        (Netid::new(b"TCP").unwrap(), None),
        (Netid::new(b"tcp\0").unwrap(), None),
    ] {
        assert_eq!(netid.format(), format, "{netid:?}");
    }
}

//--- Real messages ---

/// Decodes the arguments or results of a message and encodes the whole of it again.
fn again<'a, T: Decode<'a> + Encode<'a>>(header: &impl Encode<'a>, c: &mut Cursor<'a>) -> Vec<u8> {
    let body: T = c.decode().unwrap();
    c.finish().unwrap();
    [encode(header), encode(&body)].concat()
}

fn call<'a, P: Procedure>(header: &impl Encode<'a>, c: &mut Cursor<'a>) -> Vec<u8> {
    again::<P::Args<'a>>(header, c)
}

fn reply<'a, P: Procedure>(header: &impl Encode<'a>, c: &mut Cursor<'a>) -> Vec<u8> {
    again::<P::Reply<'a>>(header, c)
}

/// What rpcinfo, mount.nfs and rpcbind have sent comes back byte for byte, and every universal
/// address among it is read and written again.
#[test]
fn captured_messages() {
    let text = testdata("captures/rpcbind.hex");
    let mut calls = HashMap::new();
    let mut counts = BTreeMap::<_, u32>::new();
    let mut addresses = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [transport, direction, hex] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let bytes = unhex(hex);
        let message = match transport {
            "udp" => &bytes[..],
            _ => {
                let mark = FragmentHeader::from_bytes(*bytes.first_chunk().unwrap());
                assert!(mark.is_last());
                assert_eq!(mark.fragment_len() as usize, bytes.len() - 4);
                &bytes[4..]
            }
        };
        let mut c = Cursor::new(message);
        let found = if direction == "call" {
            let header = parse_call(&mut c).unwrap();
            assert_eq!(header.program, portmap::PROGRAM);
            calls.insert(header.xid, (header.version, header.procedure));
            *counts.entry((header.version, header.procedure)).or_default() += 1;
            match (header.version, header.procedure) {
                (2, 3) => call::<portmap::Getport>(&header, &mut c),
                (2, 4) => call::<portmap::Dump>(&header, &mut c),
                (3, 4) => call::<v3::Dump>(&header, &mut c),
                (4, 3) => {
                    let args: Rpcb<'_> = c.clone().decode().unwrap();
                    addresses.push((args.netid.to_string(), args.address.to_string()));
                    call::<v4::Getaddr>(&header, &mut c)
                }
                (4, 12) => call::<v4::Getstat>(&header, &mut c),
                other => panic!("{other:?}"),
            }
        } else {
            let header = parse_reply(&mut c).unwrap();
            header.outcome().unwrap();
            match calls.remove(&header.xid).unwrap() {
                (2, 3) => {
                    let port = portmap::port(c.clone().decode().unwrap());
                    assert!(port.is_some());
                    reply::<portmap::Getport>(&header, &mut c)
                }
                (2, 4) => {
                    let list: MappingList<'_> = c.clone().decode().unwrap();
                    let nfs = list.iter().find(|map| (map.program, map.version) == (100_003, 3));
                    let expected =
                        Mapping { port: 2049, ..Mapping::query(100_003, 3, Protocol::TCP) };
                    assert_eq!((list.len(), nfs), (23, Some(expected)));
                    reply::<portmap::Dump>(&header, &mut c)
                }
                (3, 4) => {
                    for rpcb in &c.clone().decode::<RpcbList<'_>>().unwrap() {
                        addresses.push((rpcb.netid.to_string(), rpcb.address.to_string()));
                    }
                    reply::<v3::Dump>(&header, &mut c)
                }
                (4, 3) => {
                    let address: Text<'_> = c.clone().decode().unwrap();
                    addresses.push(("tcp".to_owned(), address.to_string()));
                    reply::<v4::Getaddr>(&header, &mut c)
                }
                (4, 12) => {
                    let stats: StatByVersion<'_> = c.clone().decode().unwrap();
                    assert!(stats.v4.info[3] > 0 && !stats.v4.addresses.is_empty());
                    reply::<v4::Getstat>(&header, &mut c)
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(found, message, "{line}");
    }
    assert!(calls.is_empty());
    let expected = [((2, 3), 22), ((2, 4), 1), ((3, 4), 1), ((4, 3), 15), ((4, 12), 1)];
    assert_eq!(counts, BTreeMap::from(expected));

    let (mut formats, mut unregistered) = ([0; 3], 0);
    let mut buffer = [0; 128];
    for (netid, text) in &addresses {
        let netid = Netid::new(netid.as_bytes()).unwrap();
        let reply = Text::new(text.as_bytes()).unwrap();
        let Some(address) = UniversalAddress::registered(netid, reply).unwrap() else {
            unregistered += 1;
            continue;
        };
        assert_eq!(address.write(&mut buffer).unwrap().to_str(), Ok(&text[..]));
        assert_eq!(address.to_string(), *text);
        formats[match address.format() {
            AddressFormat::Ipv4 => 0,
            AddressFormat::Ipv6 => 1,
            _ => 2,
        }] += 1;
    }
    // Over IPv4, IPv6, and by path; one program that was asked for is not there.
    assert_eq!((formats, unregistered), ([52, 21, 2], 1));
}

/// The list types are chains of the items that stand in them.
#[test]
fn lists_are_made_of_slices() {
    let items = [Rpcb::query(100_003, 4, Netid::TCP6), Rpcb::query(100_005, 3, Netid::UDP)];
    let list: RpcbList<'_> = Chain::from_slice(&items);
    let bytes = encode(&list);
    assert_eq!(from_bytes::<RpcbList<'_>>(&bytes), Ok(list));
    assert_eq!(bytes.len(), 2 * (4 + 24) + 4);
}

/// A call within a call: what CALLIT and INDIRECT carry is tied to a procedure by type (RFC 1833,
/// sections 2.2.2 and 3.2).
#[test]
fn calls_for_others() {
    let inner = encode(&Mapping::query(100_003, 3, Protocol::TCP));
    let inner = Opaque::new(&inner).unwrap();
    let call = encode(&CallitArgs::of::<portmap::Getport>(inner));
    assert_eq!(encode(&RmtcallArgs::of::<portmap::Getport>(inner)), call);
    assert_eq!(call[..16], unhex("000186a0 00000002 00000003 00000010"));

    let results = Opaque::new(&[0, 0, 8, 1]).unwrap();
    let reply = CallitReply { port: 111, results };
    assert_eq!(reply.decode::<portmap::Getport>(), Ok(2049));
    let reply = RmtcallReply { address: Text::default(), results };
    assert_eq!(reply.decode::<portmap::Getport>(), Ok(2049));
    // Results of another procedure, or with something behind them, are an error of their own place.
    let error = reply.decode::<v4::Getstat>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Short { .. }), "{error}");
    let error = reply.decode::<v4::Null>().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Trailing(4), 0));
}
