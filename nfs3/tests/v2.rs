//! NFSv2: the inventory of the protocol, limits, payloads, directory pages, and conversions from and
//! to version 3. Vectors, truncation and allocations are with those of the other programs.
#![cfg(feature = "v2")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc)]

mod common;

use std::{collections::HashMap, fs};

use common::{NFS_2, encode, find, testdata};
use nfswire_nfs3::{
    self as v3, FileType as Kind, SpecData,
    v2::{
        self, Attributes, DirOpArgs, FileName, FileType, SetAttributes, Status, Time, UNCHANGED,
        create::SymlinkArgs,
        io::{Data, ReadArgs, ReadOk, ReadReply, WriteArgs},
        lookup::ReadlinkReply,
        procedures::{self, PROCEDURES},
        readdir::{Entry, EntryReader, Finished, Pushed, ReaddirOk, ReaddirReply, ReaddirWriter},
    },
};
use nfswire_xdr::{
    BoundedPayload, Chain, Chunk, Cursor, Encode, EncodeError, Encoder, ErrorKind, Limits, Payload,
    Piece, Pieces, Segments, Wire, from_bytes,
};
use proptest::{collection, prelude::*};

//--- The inventory ---

const CONSTANTS: &[(&str, &str, u32)] = &[
    ("program", "NFS_PROGRAM", procedures::PROGRAM),
    ("version", "NFS_VERSION", procedures::VERSION),
    ("const", "MAXDATA", v2::MAXDATA),
    ("const", "MAXPATHLEN", v2::MAXPATHLEN),
    ("const", "MAXNAMLEN", v2::MAXNAMLEN),
    ("const", "COOKIESIZE", v2::COOKIESIZE),
    ("const", "FHSIZE", v2::FHSIZE),
];

/// Kind, name, number and parent of each row.
fn rows() -> Vec<(String, String, Option<u32>, String)> {
    let text = fs::read_to_string(testdata("v2.tsv")).unwrap();
    let parse = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells[0], "nfs2");
        let number = (!cells[3].is_empty()).then(|| cells[3].parse().expect("a number"));
        (cells[1].to_owned(), cells[2].to_owned(), number, cells[4].to_owned())
    };
    text.lines().skip(1).map(parse).collect()
}

#[test]
fn every_row_is_in_the_crate() {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (kind, name, number, parent) in rows() {
        let entry = (name.as_str(), number.unwrap_or(u32::MAX));
        let found = match kind.as_str() {
            "struct" | "union" | "typedef" | "enum" => find("nfs2", &name).is_some(),
            "status" => parent == "stat" && Status::ALL.contains(&entry),
            "enum_value" => {
                parent == "ftype"
                    && FileType::ALL.contains(&(entry.0, i32::try_from(entry.1).unwrap()))
            }
            "proc" => parent == "NFS_PROGRAM/2" && PROCEDURES.contains(&(entry.1, entry.0)),
            "program" | "version" | "const" => {
                CONSTANTS.contains(&(kind.as_str(), entry.0, entry.1))
            }
            _ => panic!("{kind} {name}: a kind of row that this test does not know"),
        };
        assert!(found, "{kind} {name} {number:?} is missing or has another number");
        *counts.entry(kind).or_default() += 1;
    }
    let count = |kinds: &[&str]| kinds.iter().map(|kind| counts[*kind]).sum::<usize>();
    // Nothing else is in the crate.
    assert_eq!(count(&["proc"]), PROCEDURES.len());
    assert_eq!(count(&["status"]), Status::ALL.len());
    assert_eq!(count(&["enum_value"]), FileType::ALL.len());
    assert_eq!(count(&["program", "version", "const"]), CONSTANTS.len());
    assert_eq!(count(&["struct", "union", "typedef", "enum"]), NFS_2.len());
    assert_eq!((PROCEDURES.len(), counts.values().sum::<usize>()), (18, 75));
    for (i, (number, name)) in PROCEDURES.iter().enumerate() {
        assert_eq!((*number as usize, procedures::name(*number)), (i, Some(*name)));
    }
    assert_eq!(procedures::name(18), None);
}

//--- Sizes and limits ---

#[test]
fn sizes() {
    fn fixed<T: Wire>(len: u32) {
        assert!(T::FIXED && (T::MIN_LEN, T::MAX_LEN) == (len, len));
    }
    fixed::<v2::FileHandle>(v2::FHSIZE);
    fixed::<v2::Cookie>(v2::COOKIESIZE);
    fixed::<Attributes>(68);
    fixed::<SetAttributes>(32);
    fixed::<ReadArgs>(32 + 12);
    assert_eq!(WriteArgs::MAX_LEN, 32 + 12 + 4 + v2::MAXDATA);
    assert_eq!(ReadReply::MAX_LEN, 4 + 68 + 4 + v2::MAXDATA);
    assert_eq!(DirOpArgs::MAX_LEN, 32 + 4 + 256);
}

#[test]
fn maxima_hold() {
    fn variable(len: u32) -> Vec<u8> {
        let mut bytes = len.to_be_bytes().to_vec();
        bytes.resize(4 + len.next_multiple_of(4) as usize, 0);
        bytes
    }
    macro_rules! checked {
        ($($t:ident $limit:expr, $make:expr;)+) => { $(
            assert!(from_bytes::<$t<'_>>(&variable($limit)).is_ok());
            let bytes = variable($limit + 1);
            let error = from_bytes::<$t<'_>>(&bytes).unwrap_err();
            assert_eq!(error.kind, ErrorKind::TooLong { len: $limit + 1, limit: $limit });
            let bytes = vec![0; $limit as usize + 1];
            assert!($make(&bytes[1..]) && !$make(&bytes));
        )+ };
    }
    type Link<'a> = BoundedPayload<'a, { v2::MAXPATHLEN }>;
    type Path<'a> = v2::PathName<'a>;
    checked! {
        FileName v2::MAXNAMLEN, |bytes: &[u8]| FileName::new(bytes).is_some();
        Path v2::MAXPATHLEN, |bytes: &[u8]| Path::new(bytes).is_some();
        Link v2::MAXPATHLEN, |bytes: &[u8]| Link::new(Payload::Borrowed(bytes)).is_some();
        Data v2::MAXDATA, |bytes: &[u8]| Data::new(Payload::Borrowed(bytes)).is_some();
    }
    // In their messages, with the field.
    let mut call = vec![0; 32 + 12];
    call.extend(variable(v2::MAXDATA + 1));
    let error = from_bytes::<WriteArgs<'_>>(&call).unwrap_err();
    assert_eq!((error.offset, error.field.unwrap().to_string().as_str()), (44, "writeargs.data"));
    let reply = [&[0; 4][..], &variable(v2::MAXPATHLEN + 1)].concat();
    let error = from_bytes::<ReadlinkReply<'_>>(&reply).unwrap_err();
    assert_eq!((error.offset, error.field.unwrap().to_string().as_str()), (4, "readlinkres.data"));
    let error = from_bytes::<FileType>(&[0, 0, 0, 6]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Enum(6));
}

//--- Payloads ---

const ATTRIBUTES: Attributes = Attributes {
    file_type: FileType::Regular,
    mode: 0o100_644,
    nlink: 1,
    uid: 1000,
    gid: 100,
    size: 4097,
    blocksize: 4096,
    rdev: 0,
    blocks: 16,
    fsid: 7,
    fileid: 42,
    atime: Time { seconds: 1, microseconds: 2 },
    mtime: Time { seconds: 3, microseconds: 4 },
    ctime: Time { seconds: 5, microseconds: 6 },
};

#[test]
fn payloads_are_referenced() {
    fn check<'p>(value: &impl Encode<'p>, data: &[u8]) {
        let (mut head, mut segments) = (vec![0; 256], Segments::new());
        let count = allocation_counter::measure(|| {
            let mut e = Encoder::growable(&mut head, &mut segments);
            e.put(value).unwrap();
            e.finish();
        });
        assert_eq!(count.count_total, 0);
        let payload = segments.view(&head).iter().find_map(|chunk| match chunk {
            Chunk::Bytes(bytes) if core::ptr::eq(bytes, data) => Some(bytes),
            _ => None,
        });
        assert!(payload.is_some(), "a copy");
    }
    let bytes = vec![7; 8191];
    let data = || Data::new(Payload::Borrowed(&bytes)).unwrap();
    check(&WriteArgs::new([1; 32], 0, data()), &bytes);
    check(&ReadReply::Ok(ReadOk { attributes: ATTRIBUTES, data: data() }), &bytes);
    let text = || BoundedPayload::new(Payload::Borrowed(&bytes[..1023])).unwrap();
    check(&ReadlinkReply::Ok(text()), &bytes[..1023]);
    let from = DirOpArgs { dir: [1; 32], name: FileName::new(b"link").unwrap() };
    let args = SymlinkArgs { from, to: text(), attributes: SetAttributes::UNCHANGED };
    check(&args, &bytes[..1023]);
}

/// The data of a call or reply need not have come, and the text of SYMLINK, behind which there is
/// more, may lie elsewhere.
#[test]
fn payloads_may_be_elsewhere() {
    let bytes = [7; 1001];
    let data = || Data::new(Payload::Borrowed(&bytes)).unwrap();
    let call = encode(&WriteArgs::new([1; 32], 5, data()));
    let mut c = Cursor::head(&call[..48], call.len() as u32, &Limits::STRICT);
    let args: WriteArgs<'_> = c.decode().unwrap();
    c.finish().unwrap();
    assert_eq!((args.offset, args.begin_offset, args.total_count), (5, 5, 1001));
    assert_eq!(args.data.as_payload(), &Payload::Elsewhere { at: 48, len: 1001 });

    let reply = encode(&ReadReply::Ok(ReadOk { attributes: ATTRIBUTES, data: data() }));
    let mut c = Cursor::head(&reply[..76], reply.len() as u32, &Limits::STRICT);
    let ReadReply::Ok(ok) = c.decode().unwrap() else { panic!("a success") };
    c.finish().unwrap();
    assert_eq!(ok.data.as_payload(), &Payload::Elsewhere { at: 76, len: 1001 });

    let from = DirOpArgs { dir: [1; 32], name: FileName::new(b"link").unwrap() };
    let to = BoundedPayload::new(Payload::Borrowed(&bytes)).unwrap();
    let call = encode(&SymlinkArgs { from, to, attributes: SetAttributes::UNCHANGED });
    let (front, rest) = call.split_at(32 + 8 + 4);
    let pieces = [Piece::Here(front), Piece::Elsewhere(1004), Piece::Here(&rest[1004..])];
    let mut scratch = vec![0; call.len()];
    let mut c = Pieces::new(&pieces, &mut scratch);
    let args: SymlinkArgs<'_> = c.decode().unwrap();
    assert_eq!(args.to.as_payload(), &Payload::Elsewhere { at: 44, len: 1001 });
    assert_eq!(args.attributes, SetAttributes::UNCHANGED);
}

//--- Directory pages ---

fn entries(names: &[Vec<u8>]) -> Vec<Entry<'_>> {
    (1u32..)
        .zip(names)
        .map(|(i, name)| Entry {
            fileid: i + 100,
            name: FileName::new(name).unwrap(),
            cookie: i.to_be_bytes(),
        })
        .collect()
}

/// A page of the entries behind `cookie`, in an encoder that already holds a word; `None` for one
/// that is too small.
fn page(entries: &[Entry<'_>], cookie: usize, count: u32) -> Option<Vec<u8>> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&7u32).unwrap();
    let mut page = ReaddirWriter::new(&mut e, count).unwrap();
    let rest = &entries[cookie..];
    let taken = rest.iter().take_while(|e| page.try_push(e).unwrap() == Pushed::Yes).count();
    let finished = page.finish(taken == rest.len()).unwrap();
    if finished == Finished::TooSmall {
        assert_eq!(e.len(), 4, "a trace is left");
    }
    e.finish();
    let bytes = segments.view(&head).to_vec().unwrap();
    (finished == Finished::Answered).then(|| bytes[4..].to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Any directory, every budget: as many entries as fit, never a byte more than allowed, and the
    /// cookies lead to each entry once.
    #[test]
    fn pages_keep_every_budget(
        names in collection::vec(collection::vec(any::<u8>(), 0..=255), 0..12),
    ) {
        let entries = entries(&names);
        for count in 0..2600u32 {
            let mut seen = Vec::new();
            loop {
                let rest = &entries[seen.len()..];
                let Some(bytes) = page(&entries, seen.len(), count) else {
                    let first = rest.first().map_or(0, |e| e.encoded_len() + 4);
                    prop_assert!(first + 8 > count.into(), "count {}: an entry fits", count);
                    break;
                };
                prop_assert!(bytes.len() <= count as usize + 4);
                let ReaddirReply::Ok(ok) = from_bytes(&bytes).unwrap() else { panic!("a success") };
                let taken = ok.entries.len() as usize;
                prop_assert!(ok.entries.iter().eq(rest[..taken].iter().copied()));
                prop_assert_eq!(ok.eof, taken == rest.len());
                if let Some(next) = rest.get(taken) {
                    prop_assert!(bytes.len() as u64 + 4 + next.encoded_len() > u64::from(count) + 4);
                }
                prop_assert_eq!(encode(&ReaddirReply::Ok(ok.clone())), &bytes[..]);
                let mut reader = EntryReader::open(Cursor::new(&bytes)).unwrap().unwrap();
                prop_assert_eq!(reader.by_ref().count(), taken);
                prop_assert_eq!(reader.finish(), Ok(ok.eof));
                seen.extend(ok.entries.iter().map(|e| u32::from_be_bytes(e.cookie)));
                if ok.eof {
                    let all: Vec<u32> = (1..=entries.len() as u32).collect();
                    prop_assert_eq!(&seen, &all);
                    break;
                }
            }
        }
    }
}

#[test]
fn pages_without_an_answer() {
    assert_eq!(page(&[], 0, 8), Some(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]));
    assert_eq!(page(&[], 0, 7), None);
    let (mut head, mut segments) = ([0; 15], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    e.put(&7u32).unwrap();
    let error = ReaddirWriter::new(&mut e, 100).map(drop).unwrap_err();
    assert_eq!(error, EncodeError::NoSpace { missing: 4 });
    // Not the end, and no entry: clients would ask for the same again.
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let page = ReaddirWriter::new(&mut e, 100).unwrap();
    assert_eq!(page.finish(false), Ok(Finished::TooSmall));
    assert!(e.is_empty());

    let error = EntryReader::open(Cursor::new(&[0, 0, 0, 70])).unwrap().unwrap_err();
    assert_eq!(error, Status::STALE);
    let list = [Entry { fileid: 1, name: FileName::new(b"a").unwrap(), cookie: [0; 4] }; 3];
    let ok = ReaddirOk { entries: Chain::from_slice(&list), eof: true };
    let bytes = encode(&ReaddirReply::Ok(ok));
    let mut reader = EntryReader::open(Cursor::new(&bytes[..30])).unwrap().unwrap();
    assert_eq!(reader.by_ref().count(), 1);
    assert!(matches!(reader.finish().unwrap_err().kind, ErrorKind::Short { .. }));
}

//--- Conversions ---

#[test]
fn statuses_convert() {
    for (name, number) in v3::Status::ALL {
        let status = Status::from(v3::Status(*number));
        assert!(status.name().is_some(), "{name} becomes {status}");
        assert_eq!(status == Status::OK, *number == 0, "{name}");
        if Status::ALL.iter().any(|(_, known)| known == number) {
            assert_eq!(status.0, *number, "{name}");
        }
    }
    for (name, number) in Status::ALL {
        let status = v3::Status::from(Status(*number));
        assert!(status.name().is_some(), "{name} becomes {status}");
        assert!(status.0 == *number || *number == 99, "{name} becomes {status}");
    }
    assert_eq!(v3::Status::from(Status::WFLUSH), v3::Status::IO);
    assert_eq!(Status::from(v3::Status::BADHANDLE), Status::STALE);
    assert_eq!(Status::from(v3::Status(4711)), Status(4711));
}

#[test]
fn attributes_convert() {
    let three = ATTRIBUTES.to_v3().unwrap();
    assert_eq!((three.file_type, three.mode, three.used), (Kind::Regular, 0o644, 16 * 512));
    assert_eq!(three.mtime, v3::Time { seconds: 3, nanoseconds: 4000 });
    assert_eq!(Attributes::from(&three), ATTRIBUTES);

    let big = v3::Attributes {
        size: 1 << 40,
        used: u64::MAX,
        fileid: 0x5_0000_0003,
        fsid: 0x1_0000_0000,
        ..three
    };
    let two = Attributes::from(&big);
    assert_eq!((two.size, two.blocks, two.fileid, two.fsid), (u32::MAX, u32::MAX, 6, 1));

    for (kind, file_type, mode) in [
        (Kind::Regular, FileType::Regular, 0o100_644),
        (Kind::Directory, FileType::Directory, 0o040_644),
        (Kind::Symlink, FileType::Symlink, 0o120_644),
        (Kind::BlockDevice, FileType::BlockDevice, 0o060_644),
        (Kind::CharDevice, FileType::CharDevice, 0o020_644),
        (Kind::Socket, FileType::NonFile, 0o140_644),
        (Kind::Fifo, FileType::NonFile, 0o010_644),
    ] {
        let is_device = kind.is_device();
        for (major, minor) in [(0, 0), (8, 1), (0xfff, 0xf_ffff), (259, 70_000)] {
            let rdev = if is_device { SpecData { major, minor } } else { SpecData::default() };
            let from = v3::Attributes { file_type: kind, rdev, ..three };
            let two = Attributes::from(&from);
            assert_eq!((two.file_type, two.mode), (file_type, mode));
            assert_eq!(two.to_v3(), Some(from));
        }
    }
    let nothing = Attributes { file_type: FileType::NonFile, mode: 0o644, ..ATTRIBUTES };
    assert_eq!(nothing.to_v3(), None);
}

#[test]
fn changes_convert() {
    let three = |from: &SetAttributes| v3::SetAttributes::from(from);
    assert_eq!(three(&SetAttributes::default()), v3::SetAttributes::default());
    let all = SetAttributes {
        mode: 0o600,
        uid: 1,
        gid: 2,
        size: 0,
        atime: Time { seconds: 1, microseconds: 2 },
        mtime: Time { seconds: 3, microseconds: 999_999 },
    };
    let time = |seconds, nanoseconds| v3::SetTime::ClientTime(v3::Time { seconds, nanoseconds });
    let want = v3::SetAttributes {
        mode: Some(0o600),
        uid: Some(1),
        gid: Some(2),
        size: Some(0),
        atime: time(1, 2000),
        mtime: time(3, 999_999_000),
    };
    assert_eq!(three(&all), want);
    // What clients are known to send.
    assert_eq!(three(&SetAttributes { mode: 0xffff, ..all }).mode, None);
    let now = Time { seconds: 3, microseconds: 1_000_000 };
    let both = three(&SetAttributes { mtime: now, ..all });
    assert_eq!((both.atime, both.mtime), (v3::SetTime::ServerTime, v3::SetTime::ServerTime));
    for half in
        [Time { seconds: UNCHANGED, microseconds: 1 }, Time { seconds: 1, microseconds: UNCHANGED }]
    {
        let mixed = three(&SetAttributes { atime: half, ..all });
        assert_eq!((mixed.atime, mixed.mtime), (v3::SetTime::DontChange, want.mtime));
    }
    let late = v3::Time::from(Time { seconds: 1, microseconds: u32::MAX });
    assert_eq!(late, v3::Time { seconds: 1, nanoseconds: u32::MAX });
}
