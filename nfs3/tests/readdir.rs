//! The directory writers keep the client's budgets to the byte, and the reader reads what they
//! write.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use common::encode;
use nfswire_nfs3::{
    Attributes, FileHandle, FileName, FileType, PostOpAttr, SpecData, Status, Time,
    readdir::{
        DirList, DirListPlus, Entry, EntryPlus, EntryReader, Finished, Pushed, ReaddirOk,
        ReaddirReply, ReaddirWriter, ReaddirplusOk, ReaddirplusReply, ReaddirplusWriter,
    },
};
use nfswire_xdr::{
    Chain, Cursor, Encode, EncodeError, Encoder, ErrorKind, Limits, Policy, Segments, from_bytes,
};
use proptest::{collection, option, prelude::*};

const VERIFIER: [u8; 8] = *b"verifier";
/// What stands in the encoder before the page: as long as an RPC reply header.
const BEFORE: [u32; 6] = [0x4e46_5331, 1, 0, 0, 0, 0];
const BEFORE_LEN: u64 = 24;
const HANDLE: &[u8] = &[0xab; 64];

const ATTRIBUTES: Attributes = Attributes {
    file_type: FileType::Directory,
    mode: 0o755,
    nlink: 2,
    uid: 1000,
    gid: 100,
    size: 4096,
    used: 8192,
    rdev: SpecData { major: 0, minor: 0 },
    fsid: 7,
    fileid: 1,
    atime: Time { seconds: 1, nanoseconds: 2 },
    mtime: Time { seconds: 3, nanoseconds: 4 },
    ctime: Time { seconds: 5, nanoseconds: 6 },
};

/// Names, and for READDIRPLUS the length of a handle. Attributes go with handles of even length.
type Dir = Vec<(Vec<u8>, Option<usize>)>;

fn entries(dir: &Dir) -> Vec<Entry<'_>> {
    let name = |name| FileName::new(name).unwrap();
    (1..)
        .zip(dir)
        .map(|(i, entry)| Entry { fileid: i + 100, name: name(&entry.0), cookie: i })
        .collect()
}

fn entries_plus(dir: &Dir) -> Vec<EntryPlus<'_>> {
    let plus = |(Entry { fileid, name, cookie }, handle): (_, Option<usize>)| EntryPlus {
        fileid,
        name,
        cookie,
        name_attributes: handle
            .filter(|len| len % 2 == 0)
            .map(|_| Attributes { fileid, ..ATTRIBUTES }),
        name_handle: handle.map(|len| FileHandle::new(&HANDLE[..len]).unwrap()),
    };
    entries(dir).into_iter().zip(dir.iter().map(|(_, handle)| *handle)).map(plus).collect()
}

/// One page, written in an encoder that holds `BEFORE`.
struct Written {
    finished: Finished,
    /// Entries that were taken.
    taken: usize,
    /// The message behind `BEFORE`.
    bytes: Vec<u8>,
}

impl Written {
    /// Bytes of the body, which the budget bounds.
    fn body(&self) -> usize {
        self.bytes.len() - 4
    }
}

/// Runs `page` in an encoder that grows.
fn write(page: impl FnOnce(&mut Encoder<'_, '_>) -> (usize, Finished)) -> Written {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&BEFORE).unwrap();
    let (taken, finished) = page(&mut e);
    e.finish();
    let message = segments.view(&head).to_vec().unwrap();
    let (before, bytes) = message.split_at(BEFORE_LEN as usize);
    assert_eq!(before, encode(&BEFORE), "the header was touched");
    Written { finished, taken, bytes: bytes.to_vec() }
}

fn readdir(dir: &Dir, attributes: PostOpAttr, count: u32) -> Written {
    write(|e| push_readdir(e, dir, attributes, count))
}

fn push_readdir(
    e: &mut Encoder<'_, '_>,
    dir: &Dir,
    attributes: PostOpAttr,
    count: u32,
) -> (usize, Finished) {
    let mut page = ReaddirWriter::new(e, attributes, VERIFIER, count).unwrap();
    let fits = |entry: &Entry<'_>| page.try_push(entry).unwrap() == Pushed::Yes;
    let entries = entries(dir);
    let taken = entries.iter().map(fits).take_while(|fits| *fits).count();
    (taken, page.finish(taken == dir.len()).unwrap())
}

fn readdirplus(dir: &Dir, attributes: PostOpAttr, dircount: u32, maxcount: u32) -> Written {
    write(|e| {
        let mut page = ReaddirplusWriter::new(e, attributes, VERIFIER, dircount, maxcount).unwrap();
        let fits = |entry: &EntryPlus<'_>| page.try_push(entry).unwrap() == Pushed::Yes;
        let entries = entries_plus(dir);
        let taken = entries.iter().map(fits).take_while(|fits| *fits).count();
        (taken, page.finish(taken == dir.len()).unwrap())
    })
}

/// What a page must hold, worked out apart from the writers: how many entries, and whether the
/// directory's attributes are there; `None` for TOOSMALL. `sizes` are those of the whole entry and
/// of the part that `dircount` counts.
fn expected(
    sizes: &[(u64, u64)],
    attributes: bool,
    dircount: u64,
    budget: u64,
) -> Option<(usize, bool)> {
    let first = sizes.first().map_or(0, |(len, _)| len + 4);
    let front = |attributes: bool| if attributes { 4 + 84 + 8 } else { 4 + 8 };
    let attributes = [attributes, false].into_iter().find(|a| front(*a) + first + 8 <= budget)?;
    let (mut used, mut dir_used) = (front(attributes) + 8, 0);
    let mut taken = 0;
    for (len, dir_len) in sizes {
        let over_dircount = taken > 0 && dircount > 0 && dir_used + dir_len > dircount;
        if used + 4 + len > budget || over_dircount {
            break;
        }
        used += 4 + len;
        dir_used += dir_len;
        taken += 1;
    }
    Some((taken, attributes))
}

fn check_readdir(dir: &Dir, attributes: PostOpAttr, count: u32) {
    let written = readdir(dir, attributes, count);
    let entries = entries(dir);
    let sizes: Vec<(u64, u64)> =
        entries.iter().map(|e| (e.encoded_len(), e.encoded_len())).collect();
    let Some((taken, with)) = expected(&sizes, attributes.is_some(), 0, count.into()) else {
        assert_eq!((written.finished, written.taken), (Finished::TooSmall, 0), "count {count}");
        assert_eq!(written.bytes, [0u8; 0], "count {count}: a trace is left");
        return;
    };
    assert_eq!((written.finished, written.taken), (Finished::Answered, taken), "count {count}");
    assert!(written.body() <= count as usize, "count {count}: {} bytes", written.body());
    let reply = DirList { entries: Chain::from_slice(&entries[..taken]), eof: taken == dir.len() };
    let dir_attributes = attributes.filter(|_| with);
    let want = ReaddirReply::Ok(ReaddirOk { dir_attributes, cookie_verifier: VERIFIER, reply });
    assert_eq!(from_bytes::<ReaddirReply<'_>>(&written.bytes).unwrap(), want, "count {count}");
    assert_eq!(written.bytes, encode(&want), "count {count}");
}

fn check_readdirplus(dir: &Dir, attributes: PostOpAttr, dircount: u32, maxcount: u32) {
    let written = readdirplus(dir, attributes, dircount, maxcount);
    let (plain, entries) = (entries(dir), entries_plus(dir));
    let sizes: Vec<(u64, u64)> =
        entries.iter().zip(&plain).map(|(e, p)| (e.encoded_len(), p.encoded_len())).collect();
    let what = format!("dircount {dircount}, maxcount {maxcount}");
    let Some((taken, with)) =
        expected(&sizes, attributes.is_some(), dircount.into(), maxcount.into())
    else {
        assert_eq!((written.finished, written.taken), (Finished::TooSmall, 0), "{what}");
        assert_eq!(written.bytes, [0u8; 0], "{what}: a trace is left");
        return;
    };
    assert_eq!((written.finished, written.taken), (Finished::Answered, taken), "{what}");
    assert!(written.body() <= maxcount as usize, "{what}: {} bytes", written.body());
    let reply =
        DirListPlus { entries: Chain::from_slice(&entries[..taken]), eof: taken == dir.len() };
    let dir_attributes = attributes.filter(|_| with);
    let want =
        ReaddirplusReply::Ok(ReaddirplusOk { dir_attributes, cookie_verifier: VERIFIER, reply });
    assert_eq!(written.bytes, encode(&want), "{what}");
}

fn dirs() -> impl Strategy<Value = Dir> {
    collection::vec((collection::vec(any::<u8>(), 0..=255), option::of(0usize..=64)), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Any directory, every budget: as many entries as fit, and never a byte more than allowed.
    #[test]
    fn readdir_keeps_every_budget(dir in dirs(), attributes in option::of(Just(ATTRIBUTES))) {
        for count in 0..=2000 {
            check_readdir(&dir, attributes, count);
        }
    }

    #[test]
    fn readdirplus_keeps_every_budget(
        dir in dirs(),
        attributes in option::of(Just(ATTRIBUTES)),
        dircount in prop_oneof![Just(0), 1u32..800],
    ) {
        for maxcount in 0..=2000 {
            check_readdirplus(&dir, attributes, dircount, maxcount);
        }
        for dircount in 0..=800 {
            check_readdirplus(&dir, attributes, dircount, 1500);
        }
    }

    /// Fixed heads and page vectors give the same bytes as a growing one; where the page does not
    /// fit, the head bounds it as a smaller budget would.
    #[test]
    fn every_head_gives_the_same_page(
        dir in dirs(),
        count in 20u32..2000,
        pages in collection::vec(4usize..200, 1..30),
    ) {
        let (attributes, before) = (Some(ATTRIBUTES), BEFORE_LEN as usize);
        let want = readdir(&dir, attributes, count);
        let mut head = vec![0xff; before + 4 + count as usize];
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut head, &mut segments);
        e.put(&BEFORE).unwrap();
        let page = push_readdir(&mut e, &dir, attributes, count);
        prop_assert_eq!(page, (want.taken, want.finished));
        e.finish();
        prop_assert_eq!(&segments.view(&head[..]).to_vec().unwrap()[24..], &want.bytes[..]);

        let mut pages: Vec<Vec<u8>> = pages.into_iter().map(|len| vec![0xff; len]).collect();
        pages.insert(0, vec![0xff; before + 24]);
        let room = pages.iter().map(|page| page.len() & !3).sum::<usize>() - before - 4;
        let want = readdir(&dir, attributes, count.min(room as u32));
        let mut segments = Segments::new();
        let mut e = Encoder::pages(&mut pages, &mut segments);
        e.put(&BEFORE).unwrap();
        let page = push_readdir(&mut e, &dir, attributes, count);
        prop_assert_eq!(page, (want.taken, want.finished));
        e.finish();
        let pages: &dyn nfswire_xdr::Pages = &pages;
        prop_assert_eq!(&segments.view(pages).to_vec().unwrap()[24..], &want.bytes[..]);
    }

    /// The reader gives what the writer took, and says when the directory ends.
    #[test]
    fn reader_reads_what_the_writers_wrote(dir in dirs(), maxcount in 400u32..3000) {
        let written = readdirplus(&dir, Some(ATTRIBUTES), 0, maxcount);
        if written.finished == Finished::Answered {
            let reader = EntryReader::<EntryPlus<'_>>::open(Cursor::new(&written.bytes));
            let mut reader = reader.unwrap().unwrap();
            prop_assert_eq!(reader.cookie_verifier(), VERIFIER);
            let read: Vec<EntryPlus<'_>> = reader.by_ref().collect();
            prop_assert_eq!(&read[..], &entries_plus(&dir)[..written.taken]);
            prop_assert!(reader.next().is_none());
            prop_assert_eq!(reader.finish(), Ok(written.taken == dir.len()));
        }
    }
}

fn uniform(entries: usize, name_len: usize, handle: Option<usize>) -> Dir {
    let name = |i: usize| format!("{i:0name_len$}").into_bytes();
    (0..entries).map(|i| (name(i), handle)).collect()
}

/// The figures of a report against another server: 1000 entries with 100-byte names and 32-byte
/// handles; 104 bytes around the list, 252 for each entry.
#[test]
fn b25_readdirplus_budgets() {
    let dir = uniform(1000, 100, Some(32));
    for maxcount in [1024, 4096, 32768].into_iter().chain(600..=700) {
        let written = readdirplus(&dir, Some(ATTRIBUTES), maxcount, maxcount);
        let dir_len = 8 + 4 + 100 + 8;
        let taken = ((maxcount - 104) / 252).min(maxcount / dir_len);
        assert_eq!(
            (written.finished, written.taken),
            (Finished::Answered, taken as usize),
            "maxcount {maxcount}"
        );
        assert_eq!(written.body(), 104 + 252 * written.taken, "maxcount {maxcount}");
    }
    let written = readdirplus(&dir, Some(ATTRIBUTES), 64, 64);
    assert_eq!((written.finished, written.bytes.len()), (Finished::TooSmall, 0));
    // Without the directory's attributes the first entry needs 20 + 252 bytes.
    for (maxcount, finished) in [(271, Finished::TooSmall), (272, Finished::Answered)] {
        assert_eq!(readdirplus(&dir, Some(ATTRIBUTES), 0, maxcount).finished, finished);
    }
}

/// `dircount` is a hint: it never keeps the first entry out, and zero is no limit.
#[test]
fn dircount_is_a_hint() {
    let dir = uniform(10, 100, Some(32));
    for (dircount, taken) in [(0, 10), (1, 1), (120, 1), (239, 1), (240, 2), (1199, 9), (1200, 10)]
    {
        assert_eq!(readdirplus(&dir, None, dircount, 100_000).taken, taken, "dircount {dircount}");
    }
}

#[test]
fn empty_page_at_the_end_needs_no_entry() {
    let dir = Dir::new();
    for (count, len) in [(104, Some(104)), (103, Some(20)), (20, Some(20)), (19, None), (0, None)] {
        let written = readdir(&dir, Some(ATTRIBUTES), count);
        let finished = if len.is_some() { Finished::Answered } else { Finished::TooSmall };
        assert_eq!(written.finished, finished, "count {count}");
        assert_eq!(written.bytes.len(), len.map_or(0, |len| len + 4), "count {count}");
    }
}

/// An empty page that is not the last would make clients ask for the same again, for ever.
#[test]
fn empty_page_that_is_not_the_end_is_no_answer() {
    let written = write(|e| {
        let page = ReaddirWriter::new(e, None, VERIFIER, 4096).unwrap();
        (0, page.finish(false).unwrap())
    });
    assert_eq!((written.finished, written.bytes.len()), (Finished::TooSmall, 0));
}

#[test]
fn full_is_final() {
    let long = [b'x'; 200];
    let entry = |name: &'static str| Entry {
        fileid: 1,
        name: FileName::new(name.as_bytes()).unwrap(),
        cookie: 1,
    };
    let written = write(|e| {
        let mut page = ReaddirWriter::new(e, None, VERIFIER, 100).unwrap();
        assert_eq!(page.try_push(&entry("a")).unwrap(), Pushed::Yes);
        let name = FileName::new(&long).unwrap();
        assert_eq!(page.try_push(&Entry { name, ..entry("") }).unwrap(), Pushed::Full);
        assert_eq!(page.try_push(&entry("b")).unwrap(), Pushed::Full, "it would leave a gap");
        (1, page.finish(true).unwrap())
    });
    let ReaddirReply::Ok(ok) = from_bytes(&written.bytes).unwrap() else { panic!("a success") };
    assert_eq!((ok.reply.entries.len(), ok.reply.eof), (1, false));
}

/// A page that is dropped, or that TOOSMALL ends, leaves the place free for a failure.
#[test]
fn failure_can_follow_what_is_taken_back() {
    let dir = uniform(5, 20, None);
    let fail = |status| encode(&ReaddirReply::Fail(status, Some(ATTRIBUTES)));
    let written = write(|e| {
        let mut page = ReaddirWriter::new(e, Some(ATTRIBUTES), VERIFIER, 4096).unwrap();
        for entry in entries(&dir) {
            assert_eq!(page.try_push(&entry).unwrap(), Pushed::Yes);
        }
        drop(page); // reading the directory failed
        assert_eq!(e.len(), BEFORE_LEN);
        e.put(&ReaddirReply::Fail(Status::IO, Some(ATTRIBUTES))).unwrap();
        (0, Finished::TooSmall)
    });
    assert_eq!(written.bytes, fail(Status::IO));
    let written = write(|e| {
        assert_eq!(push_readdir(e, &dir, Some(ATTRIBUTES), 30), (0, Finished::TooSmall));
        e.put(&ReaddirReply::Fail(Status::TOOSMALL, Some(ATTRIBUTES))).unwrap();
        (0, Finished::TooSmall)
    });
    assert_eq!(written.bytes, fail(Status::TOOSMALL));
}

#[test]
fn head_without_room_is_an_error() {
    for room in 0..24 {
        let mut head = vec![0; BEFORE_LEN as usize + room];
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut head, &mut segments);
        e.put(&BEFORE).unwrap();
        let error = ReaddirWriter::new(&mut e, None, VERIFIER, 4096).map(drop).unwrap_err();
        assert_eq!(error, EncodeError::NoSpace { missing: 24 - (room as u64 & !3) }, "room {room}");
        assert_eq!(e.len(), BEFORE_LEN);
    }
}

/// Names may live shorter than the message: they are copied.
#[test]
fn one_name_buffer_serves_all_entries() {
    let written = write(|e| {
        let mut page = ReaddirWriter::new(e, None, VERIFIER, 4096).unwrap();
        for i in 1..=3 {
            let name = format!("name {i}");
            let entry =
                Entry { fileid: i, name: FileName::new(name.as_bytes()).unwrap(), cookie: i };
            assert_eq!(page.try_push(&entry).unwrap(), Pushed::Yes);
        }
        (3, page.finish(true).unwrap())
    });
    let ReaddirReply::Ok(ok) = from_bytes(&written.bytes).unwrap() else { panic!("a success") };
    let names: Vec<&str> =
        ok.reply.entries.iter().map(|entry| entry.name.to_str().unwrap()).collect();
    assert_eq!(names, ["name 1", "name 2", "name 3"]);
}

fn open(page: &[u8]) -> EntryReader<'_, Entry<'_>> {
    EntryReader::open(Cursor::new(page)).unwrap().unwrap()
}

#[test]
fn reader_tells_a_refusal() {
    let mut bytes = encode(&ReaddirReply::Fail(Status::BAD_COOKIE, Some(ATTRIBUTES)));
    let failure = EntryReader::<Entry<'_>>::open(Cursor::new(&bytes)).unwrap().unwrap_err();
    assert_eq!((failure.status, failure.dir_attributes), (Status::BAD_COOKIE, Some(ATTRIBUTES)));
    bytes.extend([0; 4]);
    let error = EntryReader::<Entry<'_>>::open(Cursor::new(&bytes)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Trailing(4));
}

/// A fault ends the entries when it is reached, and `finish` tells it.
#[test]
fn reader_stops_at_a_fault() {
    let dir = uniform(3, 4, None);
    let mut written = readdir(&dir, None, 4096);
    let cut = &written.bytes[..16 + 2 * 28 + 10];
    let mut reader = open(cut);
    assert_eq!(reader.by_ref().count(), 2);
    assert!(reader.next().is_none());
    let error = reader.finish().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Short { needed: 8, left: 6 }, 16 + 60));
    assert_eq!(error.field.unwrap().to_string(), "entry3.fileid");
    // The same without looking at the entries, and for a page cut before `eof`.
    for len in 16..written.bytes.len() {
        let error = open(&written.bytes[..len]).finish().unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Short { .. }), "first {len} bytes: {error}");
    }
    written.bytes.extend([0; 4]);
    assert_eq!(open(&written.bytes).finish().unwrap_err().kind, ErrorKind::Trailing(4));
}

#[test]
fn reader_counts_entries() {
    let dir = uniform(5, 4, None);
    let written = readdir(&dir, None, 4096);
    for (max_items, good) in [(4, false), (5, true)] {
        let limits = Limits { policy: Policy::Strict, max_items, ..Limits::STRICT };
        let cursor = Cursor::with(&written.bytes, &limits);
        let mut reader = EntryReader::<Entry<'_>>::open(cursor).unwrap().unwrap();
        assert_eq!(reader.by_ref().count(), max_items as usize);
        match reader.finish() {
            Ok(eof) => assert!(good && eof),
            Err(error) => {
                assert!(!good);
                assert_eq!(error.kind, ErrorKind::TooMany { count: 5, limit: 4 });
                assert_eq!(error.offset, 16 + 4 * 28);
            }
        }
    }
}
