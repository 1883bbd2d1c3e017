//! Messages of real programs (testdata/captures): each decodes, and encodes to its own bytes (D3).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
};

use common::{testdata, unhex};
use nfswire_nfs3::{
    acl::{self, SecAttr, Who, v3 as acl3},
    nlm::{
        self,
        v1::procedures as nlm1,
        v3::procedures as nlm3,
        v4::{self, TestStat, procedures as nlm4},
    },
    nsm,
};
use nfswire_rpc::{FragmentHeader, Procedure, parse_call, parse_reply};
use nfswire_xdr::{Cursor, Decode, Encode, Encoder, Segments};

/// Decodes all that is left, and encodes it behind its header.
fn again<'a, T: Decode<'a> + Encode<'a>>(
    header: &impl Encode<'a>,
    mut c: Cursor<'a>,
) -> (T, Vec<u8>) {
    let body = c.decode().unwrap();
    c.finish().unwrap();
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(header).unwrap();
    e.put(&body).unwrap();
    e.finish();
    (body, segments.view(&head).to_vec().unwrap())
}

/// One message, at its body.
struct Message<'a, H> {
    header: H,
    body: Cursor<'a>,
}

impl<'a, H: Encode<'a>> Message<'a, H> {
    fn again<T: Decode<'a> + Encode<'a>>(&self) -> Vec<u8> {
        again::<T>(&self.header, self.body).1
    }

    fn read<T: Decode<'a> + Encode<'a>>(&self) -> T {
        again::<T>(&self.header, self.body).0
    }

    fn call<P: Procedure>(&self) -> Vec<u8> {
        self.again::<P::Args<'a>>()
    }

    fn reply<P: Procedure>(&self) -> Vec<u8> {
        self.again::<P::Reply<'a>>()
    }
}

/// What the messages say, in numbers and sets.
#[derive(Default)]
struct Seen {
    /// Calls by program, version and procedure.
    calls: BTreeMap<(u32, u32, u32), u32>,
    ranges: Vec<String>,
    statuses: BTreeMap<u32, u32>,
    hosts: Vec<String>,
    acl_entries: u32,
    named: u32,
}

impl Seen {
    fn acl(&mut self, acl: &SecAttr<'_>) {
        assert_eq!(acl.validate(), Ok(()), "{acl:?}");
        for entry in acl.typed() {
            self.acl_entries += 1;
            self.named += u32::from(matches!(entry.unwrap().who, Who::User(_) | Who::Group(_)));
        }
    }

    fn call<'a, H: Encode<'a>>(&mut self, id: (u32, u32, u32), m: &Message<'a, H>) -> Vec<u8> {
        *self.calls.entry(id).or_default() += 1;
        match id {
            (nlm::PROGRAM, 0 | 2, 0) => m.again::<()>(),
            (nlm::PROGRAM, 1, 0) => m.call::<nlm1::Null>(),
            (nlm::PROGRAM, 3, 0) => m.call::<nlm3::Null>(),
            // The callback of the status monitor: the number is Linux's own.
            (nlm::PROGRAM, 3, 16) => {
                let args: nsm::CallbackArgs<'_> = m.read();
                assert!(nsm::is_up(args.state));
                self.hosts.push(args.mon_name.to_string());
                m.again::<nsm::CallbackArgs<'_>>()
            }
            (nlm::PROGRAM, 4, 0) => m.call::<nlm4::Null>(),
            (nlm::PROGRAM, 4, 1) => m.call::<nlm4::Test>(),
            (nlm::PROGRAM, 4, 2) => {
                let args: v4::LockArgs<'_> = m.read();
                assert!(args.alock.file_handle().is_some() && nsm::is_up(args.state));
                let range = args.alock.range().unwrap();
                assert_eq!((range.offset(), range.len()), (args.alock.l_offset, args.alock.l_len));
                self.ranges.push(range.to_string());
                m.call::<nlm4::Lock>()
            }
            (nlm::PROGRAM, 4, 3) => m.call::<nlm4::Cancel>(),
            (nlm::PROGRAM, 4, 4) => m.call::<nlm4::Unlock>(),
            (nlm::PROGRAM, 4, 10) => m.call::<nlm4::GrantedMsg>(),
            (nlm::PROGRAM, 4, 15) => {
                assert_eq!(m.read::<v4::Reply<'_>>().stat, v4::Status::GRANTED);
                m.call::<nlm4::GrantedRes>()
            }
            (nsm::PROGRAM, 1, 0) => m.call::<nsm::Null>(),
            (nsm::PROGRAM, 1, 2) => {
                let args: nsm::MonArgs<'_> = m.read();
                let id = args.mon_id.my_id;
                assert_eq!((id.program, id.version, id.procedure), (nlm::PROGRAM, 3, 16));
                self.hosts.push(args.mon_id.mon_name.to_string());
                m.call::<nsm::Mon>()
            }
            (nsm::PROGRAM, 1, 6) => {
                let args: nsm::NotifyArgs<'_> = m.read();
                assert!(nsm::is_up(args.state));
                self.hosts.push(args.mon_name.to_string());
                m.call::<nsm::Notify>()
            }
            (acl::PROGRAM, 3, 0) => m.call::<acl3::Null>(),
            (acl::PROGRAM, 3, 1) => {
                let args: acl3::GetaclArgs<'_> = m.read();
                assert_eq!(args.mask & !acl::MASK, 0);
                m.call::<acl3::Getacl>()
            }
            (acl::PROGRAM, 3, 2) => {
                self.acl(&m.read::<acl3::SetaclArgs<'_>>().acl);
                m.call::<acl3::Setacl>()
            }
            other => panic!("{other:?}"),
        }
    }

    fn reply<'a, H: Encode<'a>>(&mut self, id: (u32, u32, u32), m: &Message<'a, H>) -> Vec<u8> {
        match id {
            (nlm::PROGRAM, 1, 0) => m.reply::<nlm1::Null>(),
            (nlm::PROGRAM, 3, 0) => m.reply::<nlm3::Null>(),
            (nlm::PROGRAM, 3, 16) => m.again::<()>(),
            (nlm::PROGRAM, 4, 0) => m.reply::<nlm4::Null>(),
            (nlm::PROGRAM, 4, 1) => {
                let TestStat::Denied(holder) = m.read::<v4::TestReply<'_>>().stat else {
                    panic!("nobody holds the lock")
                };
                self.ranges.push(format!("held {}", holder.range().unwrap()));
                m.reply::<nlm4::Test>()
            }
            (nlm::PROGRAM, 4, 2..=4) => {
                *self.statuses.entry(m.read::<v4::Reply<'_>>().stat.0).or_default() += 1;
                m.reply::<nlm4::Lock>()
            }
            // Linux answers messages, which no one needs to read.
            (nlm::PROGRAM, 4, 10) => m.reply::<nlm4::GrantedMsg>(),
            (nlm::PROGRAM, 4, 15) => m.reply::<nlm4::GrantedRes>(),
            (nsm::PROGRAM, 1, 0) => m.reply::<nsm::Null>(),
            (nsm::PROGRAM, 1, 2) => {
                assert_eq!(m.read::<nsm::StatReply>().res, nsm::Res::SUCC);
                m.reply::<nsm::Mon>()
            }
            (nsm::PROGRAM, 1, 6) => m.reply::<nsm::Notify>(),
            (acl::PROGRAM, 3, 0) => m.reply::<acl3::Null>(),
            (acl::PROGRAM, 3, 1) => {
                if let acl3::GetaclReply::Ok(ok) = m.read() {
                    self.acl(&ok.acl);
                }
                m.reply::<acl3::Getacl>()
            }
            (acl::PROGRAM, 3, 2) => m.reply::<acl3::Setacl>(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn messages_of_lock_managers_and_acls_come_back() {
    let text = fs::read_to_string(testdata("captures/nlm-nsm-nfsacl.hex")).unwrap();
    let lines: Vec<(&str, &str, Vec<u8>)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [transport, direction, hex] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let mut bytes = unhex(hex);
            if transport == "tcp" {
                let mark = FragmentHeader::from_bytes(*bytes.first_chunk().unwrap());
                assert!(mark.is_last());
                assert_eq!(mark.fragment_len() as usize, bytes.len() - 4);
                bytes.drain(..4);
            }
            (transport, direction, bytes)
        })
        .collect();
    let (mut seen, mut calls, mut mismatches) = (Seen::default(), HashMap::new(), 0);
    for (transport, direction, message) in &lines {
        let mut body = Cursor::new(message);
        let found = if *direction == "call" {
            let header = parse_call(&mut body).unwrap();
            let id = (header.program, header.version, header.procedure);
            calls.insert((*transport, header.xid), id);
            seen.call(id, &Message { header, body })
        } else {
            let header = parse_reply(&mut body).unwrap();
            let id = calls.remove(&(*transport, header.xid)).expect("a call");
            match header.outcome() {
                Ok(_) => seen.reply(id, &Message { header, body }),
                Err(_) => {
                    mismatches += 1;
                    Message { header, body }.again::<()>()
                }
            }
        };
        assert!(found == *message, "{direction} {message:02x?}");
    }
    assert!(calls.is_empty());
    // As the description of the recordings counts them, and version 0, which the client asks for to
    // learn which versions there are: both it and version 2 are mismatches.
    assert_eq!((lines.len(), mismatches), (182, 2));
    let count = |id| seen.calls.get(&id).copied();
    let nlm4 = [0, 1, 2, 3, 4, 10, 15].map(|number| count((nlm::PROGRAM, 4, number)).unwrap());
    assert_eq!(nlm4, [1, 1, 18, 1, 14, 1, 1]);
    let nsm = [0, 2, 6].map(|number| count((nsm::PROGRAM, 1, number)).unwrap());
    assert_eq!(nsm, [3, 1, 1]);
    let acl = [0, 1, 2].map(|number| count((acl::PROGRAM, 3, number)).unwrap());
    assert_eq!(acl, [3, 25, 16]);
    let granted_denied_blocked_grace = BTreeMap::from([(0, 28), (1, 1), (3, 2), (4, 2)]);
    assert_eq!(seen.statuses, granted_denied_blocked_grace);
    assert_eq!(seen.hosts, ["127.0.0.1", "guest", "127.0.0.1"]);
    let ranges = |text: &str| seen.ranges.iter().filter(|range| *range == text).count();
    assert_eq!(
        (ranges("0.."), ranges("0..=9"), ranges("7..=10"), ranges("held 5..=14")),
        (11, 3, 3, 1)
    );
    assert_eq!((seen.acl_entries, seen.named), (102, 2));
}
