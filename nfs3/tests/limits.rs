//! Declared maxima at N and N + 1, long lists, values outside closed sets, and payloads that are
//! still on the wire (D2, D4, D6).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]

mod common;

use common::encode;
use nfswire_nfs3::{
    FileHandle, FileName, FileType, SetAttributes, StableHow, Status,
    create::{MknodArgs, MknodData, SymlinkArgs},
    io::{ReadReply, WriteArgs},
    lookup::ReadlinkReply,
    mount::{DirPath, Export, Exports, Group, HostName},
    readdir::{DirList, Entry, ReaddirOk, ReaddirReply},
};
use nfswire_xdr::{
    Chain, Cursor, Decode, EncodeError, Encoder, ErrorKind, Limits, Payload, Segments, from_bytes,
};

fn variable(len: usize) -> Vec<u8> {
    let mut bytes = (len as u32).to_be_bytes().to_vec();
    bytes.resize(4 + len.next_multiple_of(4), 0);
    bytes
}

#[test]
fn maxima_hold() {
    fn check<T: for<'a> Check<'a>>(limit: usize) {
        assert_eq!(T::decode(&variable(limit)), None, "{limit} bytes");
        let error = T::decode(&variable(limit + 1)).expect("too long");
        let (len, limit) = (limit as u32 + 1, limit as u32);
        assert_eq!(error, ErrorKind::TooLong { len, limit });
    }
    trait Check<'a> {
        fn decode(bytes: &'a [u8]) -> Option<ErrorKind>;
    }
    macro_rules! checked {
        ($($mark:ident $t:ident $limit:literal)+) => { $(
            struct $mark;
            impl<'a> Check<'a> for $mark {
                fn decode(bytes: &'a [u8]) -> Option<ErrorKind> {
                    from_bytes::<$t<'a>>(bytes).err().map(|error| error.kind)
                }
            }
            check::<$mark>($limit);
            assert!($t::new(&[0; $limit]).is_some());
            assert!($t::new(&[0; $limit + 1]).is_none());
        )+ };
    }
    checked! { Handle FileHandle 64 Path DirPath 1024 Host HostName 255 }
}

/// 200,000 entries: no recursion, and the same bytes again.
#[test]
fn long_lists_round_trip() {
    let entries: Vec<Entry<'_>> = (1..=200_000)
        .map(|i| Entry { fileid: i, name: FileName::new(b"name").unwrap(), cookie: i })
        .collect();
    let reply = DirList { entries: Chain::from_slice(&entries), eof: true };
    let body = ReaddirOk { dir_attributes: None, cookie_verifier: [0; 8], reply };
    let bytes = encode(&ReaddirReply::Ok(body));
    let ReaddirReply::Ok(ok) = from_bytes(&bytes).unwrap() else { panic!("a success") };
    assert!(ok.reply.eof && ok.reply.entries.len() == 200_000);
    assert!(ok.reply.entries.iter().eq(entries.iter().copied()));
    assert_eq!(encode(&ReaddirReply::Ok(ok)), bytes);
}

/// Lists within a list, both long.
#[test]
fn nested_lists_round_trip() {
    let groups = vec![Group { name: HostName::new(b"host").unwrap() }; 1000];
    let groups = Chain::from_slice(&groups);
    let exports = vec![Export { directory: DirPath::new(b"/export").unwrap(), groups }; 100];
    let bytes = encode(&Exports::from_slice(&exports));
    let decoded: Exports<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(decoded.len(), 100);
    assert!(decoded.iter().all(|export| export.groups == groups));
    assert_eq!(encode(&decoded), bytes);
}

#[test]
fn lists_stop_at_the_callers_limit() {
    let groups = vec![Group { name: HostName::new(b"host").unwrap() }; 11];
    let bytes = encode(&Chain::from_slice(&groups));
    for (max_items, good) in [(10, false), (11, true)] {
        let limits = Limits { max_items, ..Limits::STRICT };
        let mut cursor = Cursor::with(&bytes, &limits);
        assert_eq!(cursor.decode::<Chain<'_, Group<'_>>>().is_ok(), good, "{max_items}");
    }
}

/// MKNOD of a type it does not make decodes, so that the server can say BADTYPE.
#[test]
fn mknod_of_any_type_decodes() {
    let place = [variable(8), variable(4)].concat();
    for (number, name) in [(1u32, "NF3REG"), (2, "NF3DIR"), (5, "NF3LNK")] {
        let bytes = [&place[..], &number.to_be_bytes()].concat();
        let args: MknodArgs<'_> = from_bytes(&bytes).unwrap();
        let MknodData::Other(file_type) = args.what else { panic!("{:?}", args.what) };
        assert_eq!(file_type.name(), name);
        assert_eq!(encode(&args), bytes);
    }
    let error = from_bytes::<MknodArgs<'_>>(&[&place[..], &[0, 0, 0, 8]].concat()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Enum(8));
}

/// A value that no peer could read is not encoded.
#[test]
fn contradictions_are_not_encoded() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    assert_eq!(e.put(&MknodData::Other(FileType::Fifo)), Err(EncodeError::Contradiction));
    let reply = nfswire_nfs3::attr::GetattrReply::Fail(Status::OK);
    assert_eq!(e.put(&reply), Err(EncodeError::Contradiction));
    assert!(e.is_empty());
    e.put(&MknodData::Fifo(SetAttributes::default())).unwrap();
    assert_eq!(e.len(), 4 + 24);
}

/// Decodes a message of which the payload's bytes have not been received.
fn head_first<'a, T: Decode<'a>>(here: &'a [u8], len: usize) -> T {
    let mut cursor = Cursor::head(here, len as u32, &Limits::STRICT);
    let value = cursor.decode().unwrap();
    cursor.finish().unwrap();
    value
}

/// The head of a message says where its payload will be.
#[test]
fn payloads_may_still_be_on_the_wire() {
    let (at, len) = (4 + 8 + 8 + 4 + 4 + 4, 1001);
    let here = [&variable(8)[..], &[0; 8], &1001u32.to_be_bytes(), &[0; 4], &[0, 0, 3, 0xe9]];
    let here = here.concat();
    assert_eq!(here.len(), at);
    let args: WriteArgs<'_> = head_first(&here, at + 1004);
    assert_eq!(args.data, Payload::Elsewhere { at: at as u32, len });
    assert_eq!((args.validate(), args.bytes()), (Ok(()), None));

    let here = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xe9, 0, 0, 0, 1, 0, 0, 3, 0xe9];
    let ReadReply::Ok(ok) = head_first(&here, 20 + 1004) else { panic!("a success") };
    assert_eq!(ok.data, Payload::Elsewhere { at: 20, len });
    assert!(ok.eof && ok.validate().is_ok() && ok.bytes().is_none());

    let here = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xe9];
    let ReadlinkReply::Ok(ok) = head_first(&here, 12 + 1004) else { panic!("a success") };
    assert_eq!(ok.data, Payload::Elsewhere { at: 12, len });

    let here = [variable(8), variable(4), vec![0; 24], vec![0, 0, 3, 0xe9]].concat();
    let args: SymlinkArgs<'_> = head_first(&here, here.len() + 1004);
    assert_eq!(args.symlink.data, Payload::Elsewhere { at: here.len() as u32, len });

    // A name is no payload: it must be there.
    let mut cursor = Cursor::head(&here[..14], 100, &Limits::STRICT);
    let error = cursor.decode::<SymlinkArgs<'_>>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{error}");
}

/// A server knows all of a WRITE, from the record mark's length and the first bytes of the call, when
/// none of its 1 MiB of data has come: there is no memory yet that decoding could touch.
#[test]
fn a_write_call_decodes_before_its_data() {
    let data = vec![7; 1 << 20];
    let sys = [&variable(0)[..], &[0; 16]].concat();
    let mut call: Vec<u8> =
        [7, 0, 2, 100_003, 3, 7, 1].iter().flat_map(|w: &u32| w.to_be_bytes()).collect();
    call.extend((sys.len() as u32).to_be_bytes());
    call.extend(&sys);
    call.extend([0; 8]);
    let file = FileHandle::new(&[1; 32]).unwrap();
    let payload = Payload::Borrowed(&data);
    let args = WriteArgs::new(file, 1 << 33, StableHow::Unstable, payload);
    call.extend(encode(&args));
    let (here, rest) = call.split_at(call.len() - data.len());
    assert_eq!(rest, data);
    for missing in 0..=4 {
        let here = &here[..here.len() - missing];
        let mut cursor = Cursor::head(here, call.len() as u32, &Limits::STRICT);
        let header = nfswire_rpc::parse_call(&mut cursor).unwrap();
        assert_eq!((header.program, header.version, header.procedure), (100_003, 3, 7));
        let args = cursor.decode::<WriteArgs<'_>>();
        if missing > 0 {
            // The length of the data must be there.
            let kind = args.unwrap_err().kind;
            assert!(matches!(kind, ErrorKind::NotHere { .. }), "{missing} missing: {kind:?}");
            continue;
        }
        let args = args.unwrap();
        cursor.finish().unwrap();
        assert_eq!((args.file, args.offset, args.validate()), (file, 1 << 33, Ok(())));
        assert_eq!(args.data, Payload::Elsewhere { at: here.len() as u32, len: 1 << 20 });
    }
}
