//! Declared maxima at N and N + 1, long lists, values outside closed sets, values that no peer could
//! read, and payloads that are still on the wire (D2, D4, D6).

use crate::common::{encode, find};
use nfswire_nfs4::{
    Component, Cookie, FileHandle, OpNum, StableHow, Stateid, Status,
    attrs::Fattr,
    compound::{Argop, CompoundArgs, CompoundReply, Resop},
    ops::{
        dir::{DirList, Entry},
        filehandle::{GetfhReply, PutfhArgs, PutfhReply, PutrootfhReply},
        io::{ReadOk, ReadReply, WriteArgs},
        open::OpenClaimType,
    },
};
use nfswire_xdr::{
    Array, Chain, Cursor, Decode, EncodeError, Encoder, ErrorKind, Limits, Payload, Segments, Text,
    from_bytes,
};

/// Variable bytes of that length behind `before` zero bytes.
fn variable(before: usize, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; before];
    bytes.extend((len as u32).to_be_bytes());
    bytes.resize(before + 4 + len.next_multiple_of(4), 0);
    bytes
}

/// The types that end in bounded bytes: what stands before them, and their bound (RFC 7531 and 5662:
/// `NFS4_FHSIZE`, `NFS4_OPAQUE_LIMIT`).
#[test]
fn maxima_hold() {
    let bounded = [
        ("nfs40", "nfs_fh4", 0, 128),
        ("nfs40", "PUTFH4args", 0, 128),
        ("nfs40", "open_owner4", 8, 1024),
        ("nfs40", "lock_owner4", 8, 1024),
        ("nfs40", "nfs_client_id4", 8, 1024),
        ("nfs41", "state_owner4", 8, 1024),
        ("nfs41", "client_owner4", 8, 1024),
        ("nfs41", "server_owner4", 8, 1024),
    ];
    for (area, name, before, limit) in bounded {
        let ty = find(area, name).unwrap_or_else(|| panic!("{area}.{name}"));
        let bytes = variable(before, limit);
        assert_eq!((ty.round_trip)(&bytes), Ok(bytes), "{name}");
        let error = (ty.round_trip)(&variable(before, limit + 1)).expect_err(name);
        let (len, limit) = (limit as u32 + 1, limit as u32);
        assert_eq!(error.kind, ErrorKind::TooLong { len, limit }, "{name}");
        assert_eq!(error.offset as usize, before, "{name}");
        // It is refused for its length, whatever follows.
        let error = (ty.round_trip)(&variable(before, limit as usize + 1)[..before + 4]);
        assert_eq!(error.expect_err(name).kind, ErrorKind::TooLong { len, limit }, "{name}");
    }
    assert!(FileHandle::new(&[0; 128]).is_some() && FileHandle::new(&[0; 129]).is_none());
}

/// Counts that no number of bytes could be are refused before anything is read.
#[test]
fn counts_are_not_believed() {
    for count in [3u32, 0x1000_0000, 0x7fff_ffff, u32::MAX] {
        let args = [[0; 4], [0, 0, 0, 1], count.to_be_bytes(), [0, 0, 0, 24], [0, 0, 0, 24]];
        let error = from_bytes::<CompoundArgs<'_>>(args.as_flattened()).unwrap_err();
        match error.kind {
            ErrorKind::Short { needed, left: 8 } => assert!(needed > 8, "{error}"),
            ErrorKind::TooMany { count: found, limit } => assert!(found == count && limit < count),
            _ => panic!("{error}"),
        }
        assert!(error.to_string().starts_with("COMPOUND4args.argarray "), "{error}");
    }
}

/// 100,000 operations: no recursion, no memory, the same bytes again.
#[test]
fn many_operations_round_trip() {
    let ops = vec![Argop::Putrootfh; 100_000];
    let args = CompoundArgs {
        tag: Text::default(),
        minor_version: 0,
        ops: Array::from_slice(&ops).unwrap(),
    };
    let bytes = encode(&args);
    assert_eq!(bytes.len(), 12 + 400_000);
    let decoded: CompoundArgs<'_> = from_bytes(&bytes).unwrap();
    assert!(decoded.ops.len() == 100_000 && decoded.ops.iter().all(|op| op == Argop::Putrootfh));
    assert_eq!(encode(&decoded), bytes);

    let ok = Resop::Putrootfh(PutrootfhReply { status: Status::OK });
    let results = vec![ok; 100_000];
    let results = Array::from_slice(&results).unwrap();
    let bytes = encode(&CompoundReply { status: Status::OK, tag: Text::default(), results });
    assert_eq!(encode(&from_bytes::<CompoundReply<'_>>(&bytes).unwrap()), bytes);
}

#[test]
fn lists_stop_at_the_callers_limit() {
    let ops = vec![Argop::Getfh; 11];
    let args = CompoundArgs {
        tag: Text::default(),
        minor_version: 0,
        ops: Array::from_slice(&ops).unwrap(),
    };
    let bytes = encode(&args);
    for (max_items, good) in [(10, false), (11, true)] {
        let limits = Limits { max_items, ..Limits::STRICT };
        let mut cursor = Cursor::with(&bytes, &limits);
        assert_eq!(cursor.decode::<CompoundArgs<'_>>().is_ok(), good, "{max_items}");
    }
}

/// 200,000 entries of a directory.
#[test]
fn long_lists_round_trip() {
    let entry = |cookie: Cookie| Entry {
        cookie,
        name: Component::new(b"name").unwrap(),
        attributes: Fattr::default(),
    };
    let entries: Vec<Entry<'_>> = (1..=200_000).map(entry).collect();
    let bytes = encode(&DirList { entries: Chain::from_slice(&entries), eof: true });
    let list: DirList<'_> = from_bytes(&bytes).unwrap();
    assert!(list.eof && list.entries.len() == 200_000);
    assert!(list.entries.iter().eq(entries.iter().copied()));
    assert_eq!(encode(&list), bytes);
}

/// Numbers outside a closed set are refused, those outside an open one survive.
#[test]
fn sets_are_closed_or_open() {
    let error = from_bytes::<StableHow>(&[0, 0, 0, 3]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Enum(3));
    let error = from_bytes::<OpenClaimType>(&[0, 0, 0, 7]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Enum(7));
    assert_eq!(from_bytes::<Status>(&[0, 0, 0x27, 0x0f]), Ok(Status(9999)));
    assert_eq!(from_bytes::<OpNum>(&[0, 0, 0, 76]), Ok(OpNum(76)));
    // An operation that nobody knows has arguments that nobody knows.
    let error = from_bytes::<Argop<'_>>(&[0, 0, 0, 76]).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Union(76), 0));
}

/// A value that no peer could read is not encoded, and leaves nothing.
#[test]
fn contradictions_are_not_encoded() {
    let failed_well = GetfhReply::Fail(Status::OK);
    let results = [Resop::Putfh(PutfhReply { status: Status::OK }), Resop::Getfh(failed_well)];
    let results = Array::from_slice(&results).unwrap();
    let reply = CompoundReply { status: Status::OK, tag: Text::default(), results };

    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    assert_eq!(e.put(&failed_well), Err(EncodeError::Contradiction));
    assert_eq!(e.put(&reply), Err(EncodeError::Contradiction));
    assert!(e.is_empty());
}

/// Decodes the first bytes of a message of which the rest has not been received.
fn head_first<'a, T: Decode<'a>>(here: &'a [u8], len: usize) -> T {
    Cursor::head(here, len as u32, &Limits::STRICT).decode().unwrap()
}

/// The head of a message says where its payload will be.
#[test]
fn payloads_may_still_be_on_the_wire() {
    let data = vec![7; 1001];
    let stateid = Stateid { seqid: 1, other: [2; 12] };
    let args = WriteArgs {
        stateid,
        offset: 5,
        stable: StableHow::FileSync,
        data: Payload::Borrowed(&data),
    };
    let bytes = encode(&args);
    let decoded: WriteArgs<'_> = head_first(&bytes[..32], bytes.len());
    assert_eq!(decoded.data, Payload::Elsewhere { at: 32, len: 1001 });
    assert_eq!((decoded.stateid, decoded.offset), (stateid, 5));

    let bytes = encode(&ReadReply::Ok(ReadOk { eof: true, data: Payload::Borrowed(&data) }));
    let ReadReply::Ok(ok) = head_first(&bytes[..12], bytes.len()) else { panic!("a success") };
    assert_eq!(ok.data, Payload::Elsewhere { at: 12, len: 1001 });

    // Only a payload may be missing.
    let handle = PutfhArgs { object: FileHandle::new(&[1; 16]).unwrap() };
    let bytes = encode(&handle);
    let error =
        Cursor::head(&bytes[..8], 20, &Limits::STRICT).decode::<PutfhArgs<'_>>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{error}");
}
