//! Declarations with the macros, decoded and encoded.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]
use nfswire_xdr::*;

xdr_enum! {
    /// Kind.
    "ftype3" => pub enum Kind { "NF3REG" Reg = 1, "NF3DIR" Dir = 2, "NEG" Neg = -1 }
}
xdr_open_enum! {
    /// Status.
    "nfsstat3" => pub struct Status { "NFS3_OK" OK = 0, "NFS3ERR_PERM" PERM = 1 }
}
xdr_struct! {
    /// Time.
    #[derive(Copy)]
    "nfstime3" => pub struct Time { pub seconds: u32, pub nseconds: u32 }
}
xdr_struct! {
    /// Attributes.
    #[derive(Copy)]
    "fattr3" => pub struct Attr { "type" => pub kind: Kind, pub size: u64, pub atime: Time, pub mtime: Time }
}
xdr_struct! {
    /// Ok.
    "READ3resok" => pub struct ReadOk<'a> { pub attributes: Option<Attr>, pub count: u32, pub eof: bool, pub data: Payload<'a> }
}
xdr_union! {
    /// Reply.
    "READ3res" => pub enum ReadReply<'a> switch (status: Status) {
        case Status::OK => Ok(ReadOk<'a>),
        default => Fail(Option<Attr>),
    }
}
xdr_struct! {
    /// Entry.
    "entry3" => pub struct Entry<'a> { pub fileid: u64, pub name: Text<'a>, pub cookie: u64, pub attr: Option<Attr> }
}
xdr_struct! {
    /// List.
    "dirlist3" => pub struct DirList<'a> { pub entries: Chain<'a, Entry<'a>>, pub eof: bool }
}

#[test]
fn read_reply_by_reference() {
    let attr = Attr {
        kind: Kind::Reg,
        size: 5,
        atime: Time { seconds: 1, nseconds: 2 },
        mtime: Time { seconds: 3, nseconds: 4 },
    };
    assert_eq!((Attr::MIN_LEN, Attr::FIXED), (28, true));
    let data = [9u8; 5];
    let reply = ReadReply::Ok(ReadOk {
        attributes: Some(attr),
        count: 5,
        eof: true,
        data: Payload::Borrowed(&data),
    });
    let (mut head, mut segs) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segs);
    e.put(&reply).unwrap();
    assert_eq!(e.finish(), reply.encoded_len());
    let bytes = segs.view(&head).to_vec().unwrap();
    assert_eq!(bytes.len() as u64, reply.encoded_len());
    assert_eq!(from_bytes::<ReadReply<'_>>(&bytes), Ok(reply.clone()));
    for cut in 0..bytes.len() {
        let e = from_bytes::<ReadReply<'_>>(&bytes[..cut]).unwrap_err();
        assert!(matches!(e.kind, ErrorKind::Short { .. }), "{cut} {e}");
    }
    let mut bad = bytes.clone();
    bad[8 + 3] = 7;
    assert_eq!(
        from_bytes::<ReadReply<'_>>(&bad).unwrap_err().to_string(),
        "fattr3.type at byte 8: 7 is not a value of this enumeration"
    );
    // pages of 4 bytes give the same bytes
    let mut pages = vec![[0xffu8; 4]; 40];
    let mut segs = Segments::new();
    let mut e = Encoder::pages(&mut pages, &mut segs);
    e.put(&reply).unwrap();
    e.finish();
    assert_eq!(segs.view(&pages as &dyn Pages).to_vec().unwrap(), bytes);
    let bad = ReadReply::Fail(Status::OK, None);
    let (mut head, mut segs) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segs);
    assert_eq!(e.put(&bad), Err(EncodeError::Contradiction));
    assert_eq!(e.len(), 0);
    // head first
    let mut c = Cursor::head(&bytes[..52], bytes.len() as u32, &Limits::STRICT);
    let ReadReply::Ok(ok) = c.decode::<ReadReply<'_>>().unwrap() else { panic!() };
    assert_eq!(ok.data, Payload::Elsewhere { at: 48, len: 5 });
}

#[test]
fn lists() {
    let entries: Vec<_> = (0..3)
        .map(|i| Entry { fileid: i, name: Text::new(b"abc").unwrap(), cookie: i, attr: None })
        .collect();
    let list = DirList { entries: Chain::from_slice(&entries), eof: true };
    let (mut head, mut segs) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segs);
    e.put(&list).unwrap();
    e.finish();
    let bytes = segs.view(&head).to_vec().unwrap();
    let back: DirList<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(back, list);
    let mut segs = Segments::new();
    let mut e = Encoder::growable(&mut head, &mut segs);
    e.put(&back).unwrap();
    e.finish();
    assert_eq!(segs.view(&head).to_vec().unwrap(), bytes);
    let mut s = Cursor::new(&bytes).stream::<Entry<'_>>();
    assert!(s.by_ref().eq(entries.iter().cloned()));
    assert_eq!(s.finish().unwrap().decode::<bool>(), Ok(true));
}

/// A linked list has a word for each element, even if that has no bytes. // E3
#[test]
fn lists_of_nothing_have_their_length() {
    let items = [(), (), ()];
    let linked = Chain::from_slice(&items);
    assert_eq!((linked.encoded_len(), Chain::<'_, ()>::MAX_LEN), (16, u32::MAX));
    let counted: Array<'_, (), 3> = Array::from_slice(&items).unwrap();
    assert_eq!((counted.encoded_len(), Array::<'_, (), 3>::MAX_LEN), (4, 4));
    assert_eq!(Array::<'_, u64, 3>::MAX_LEN, 28);
}

/// A list inside a list was checked within the caller's limits; iterating it knows no others.
#[test]
fn iteration_keeps_the_limits_of_the_decoder() {
    xdr_struct! { "outer" => pub struct Outer<'a> { pub inner: Array<'a, u32> } }
    let count = Limits::STRICT.max_items + 1;
    let mut bytes = [1u32.to_be_bytes(), count.to_be_bytes()].concat();
    bytes.resize(bytes.len() + 4 * count as usize, 0);
    let limits = Limits { max_items: count, ..Limits::STRICT };
    let list: Array<'_, Outer<'_>> = Cursor::with(&bytes, &limits).decode().unwrap();
    assert_eq!(list.iter().map(|outer| outer.inner.len()).collect::<Vec<_>>(), [count]);
}
