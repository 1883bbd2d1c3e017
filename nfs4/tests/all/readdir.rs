//! Pages of directories: what the writer refuses, skips and takes back, and what the reader says.

use std::fs;

use crate::common::{encode, testdata, unhex};
use nfswire_nfs4::{
    Bitmap, Component, OpNum, Status,
    attrs::{AttrSet, Fattr},
    ops::dir::{
        DirList, Entry, EntryReader, Finished, PushError, Pushed, ReaddirArgs, ReaddirOk,
        ReaddirReply, ReaddirWriter,
    },
};
use nfswire_xdr::{
    Chain, Cursor, Encode, EncodeError, Encoder, ErrorKind, Opaque, Payload, Segments, from_bytes,
};
use proptest::{collection, prelude::*};

const VERIFIER: [u8; 8] = *b"verifier";

/// Earlier results of the COMPOUND: a number, and data that is not copied.
const BEFORE: (u32, Payload<'_>) = (7, Payload::Borrowed(&[9; 5000]));
const BEFORE_LEN: u64 = 4 + 4 + 5000;

fn before(e: &mut Encoder<'_, '_>) {
    e.put(&BEFORE.0).unwrap();
    e.put(&BEFORE.1).unwrap();
}

fn entry<'a>(cookie: u64, name: &'a [u8], values: &'a [u8]) -> Entry<'a> {
    let mask = AttrSet::from_numbers(&[1, 33]).unwrap();
    let attributes = Fattr { mask, values: Opaque::new(values).unwrap() };
    Entry { cookie, name: Component::new(name).unwrap(), attributes }
}

/// How entries come into the page.
#[derive(Clone, Copy, Debug)]
enum Way {
    Value,
    Written,
    Late,
}

const WAYS: [Way; 3] = [Way::Value, Way::Written, Way::Late];

fn push(
    page: &mut ReaddirWriter<'_, '_, '_>,
    entry: &Entry<'_>,
    way: Way,
) -> Result<Pushed, PushError> {
    // Pieces, not the value: what they are written from need not outlive the message.
    let written = |e: &mut Encoder<'_, '_>| {
        e.put(&entry.attributes.mask)?;
        e.put(&entry.attributes.values)
    };
    match way {
        Way::Value => page.try_push(entry),
        Way::Written => page.try_push_with(Some(entry.cookie), entry.name, written),
        Way::Late => {
            let pushed = page.try_push_with(None, entry.name, written)?;
            if pushed == Pushed::Yes {
                page.set_cookie(entry.cookie)?;
            }
            Ok(pushed)
        }
    }
}

/// Writes a page of the entries that fit.
fn write(
    e: &mut Encoder<'_, '_>,
    entries: &[Entry<'_>],
    budgets: (u32, u32),
    way: Way,
) -> (usize, Finished) {
    let mut page = ReaddirWriter::new(e, VERIFIER, budgets.0, budgets.1).unwrap();
    let taken = entries.iter().take_while(|e| push(&mut page, e, way).unwrap() == Pushed::Yes);
    let taken = taken.count();
    (taken, page.finish(taken == entries.len()).unwrap())
}

/// Entries that fit, counted from the sizes alone; `None` if there is no page.
fn expected(entries: &[Entry<'_>], dircount: u32, maxcount: u64) -> Option<usize> {
    let (mut taken, mut used, mut dir) = (0, 16, 0);
    for entry in entries {
        used += 4 + entry.encoded_len();
        dir += 8 + entry.name.encoded_len();
        if used > maxcount || (taken > 0 && dircount > 0 && dir > u64::from(dircount)) {
            break;
        }
        taken += 1;
    }
    (taken > 0 || (entries.is_empty() && maxcount >= 16)).then_some(taken)
}

type Dir = Vec<(Vec<u8>, Vec<u8>)>;

fn dirs() -> impl Strategy<Value = Dir> {
    // Not a dot at the start: those two names are skipped.
    let name = collection::vec(any::<u8>(), 0..=80).prop_map(|mut name| {
        name.insert(0, b'n');
        name
    });
    collection::vec((name, collection::vec(any::<u8>(), 0..=200)), 0..12)
}

fn entries(dir: &Dir) -> Vec<Entry<'_>> {
    (3..).zip(dir).map(|(cookie, (name, values))| entry(cookie << 33, name, values)).collect()
}

fn reply<'a>(entries: &'a [Entry<'a>], eof: bool) -> ReaddirReply<'a> {
    let reply = DirList { entries: Chain::from_slice(entries), eof };
    ReaddirReply::Ok(ReaddirOk { cookie_verifier: VERIFIER, reply })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Any directory, any budgets, each way to push: as many entries as fit, never a byte more than
    /// allowed, and the same bytes as the whole reply, behind what the encoder held before.
    #[test]
    fn pages_keep_both_budgets(dir in dirs(), dircount in prop_oneof![Just(0), 1u32..400]) {
        let entries = entries(&dir);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        for (maxcount, way) in (0..=1500u32).flat_map(|n| WAYS.map(|way| (n, way))) {
            let mut e = Encoder::growable(&mut head, &mut segments);
            before(&mut e);
            let (taken, finished) = write(&mut e, &entries, (dircount, maxcount), way);
            let len = e.finish() - BEFORE_LEN;
            let message = segments.view(&head[..]).to_vec().unwrap();
            prop_assert!(message.starts_with(&encode(&BEFORE.0)));
            let page = &message[BEFORE_LEN as usize..];
            let Some(want) = expected(&entries, dircount, maxcount.into()) else {
                prop_assert_eq!((taken, finished, len), (0, Finished::TooSmall, 0));
                continue;
            };
            prop_assert_eq!((taken, finished), (want, Finished::Answered), "{}", maxcount);
            prop_assert!(len - 4 <= maxcount.into(), "{} bytes of {}", len - 4, maxcount);
            prop_assert_eq!(page, encode(&reply(&entries[..taken], taken == entries.len())));
        }
    }

    /// The hint counts cookies and names, and never keeps the first entry out.
    #[test]
    fn hints_are_kept(dir in dirs()) {
        let entries = entries(&dir);
        let mut head = Vec::new();
        for (dircount, way) in (0..=700u32).flat_map(|n| WAYS.map(|way| (n, way))) {
            let mut segments = Segments::new();
            let mut e = Encoder::growable(&mut head, &mut segments);
            let (taken, finished) = write(&mut e, &entries, (dircount, 8192), way);
            e.finish();
            prop_assert_eq!(finished, Finished::Answered);
            prop_assert_eq!(Some(taken), expected(&entries, dircount, 8192));
        }
    }

    /// Fixed heads and page vectors give the same bytes as a growing one; where the page does not
    /// fit, the head bounds it as a smaller budget would.
    #[test]
    fn every_head_gives_the_same_page(
        dir in dirs(),
        maxcount in 16u32..2000,
        pages in collection::vec(4usize..200, 1..30),
    ) {
        let entries = entries(&dir);
        let page = |maxcount, way| {
            let (mut head, mut segments) = (Vec::new(), Segments::new());
            let mut e = Encoder::growable(&mut head, &mut segments);
            before(&mut e);
            let page = write(&mut e, &entries, (0, maxcount), way);
            e.finish();
            (page, segments.view(&head[..]).to_vec().unwrap())
        };
        for way in WAYS {
            let (want, bytes) = page(maxcount, way);
            let mut head = vec![0xff; 12 + maxcount as usize];
            let mut segments = Segments::new();
            let mut e = Encoder::fixed(&mut head, &mut segments);
            before(&mut e);
            prop_assert_eq!(write(&mut e, &entries, (0, maxcount), way), want);
            e.finish();
            prop_assert_eq!(segments.view(&head[..]).to_vec().unwrap(), bytes);

            let mut pages: Vec<Vec<u8>> = pages.iter().map(|len| vec![0xff; *len]).collect();
            pages.insert(0, vec![0xff; 40]);
            let mut segments = Segments::new();
            let mut e = Encoder::pages(&mut pages, &mut segments);
            before(&mut e);
            let room = e.room() - 4;
            let (want, bytes) = page(maxcount.min(room as u32), way);
            prop_assert_eq!(write(&mut e, &entries, (0, maxcount), way), want, "{} bytes", room);
            e.finish();
            let pages: &dyn nfswire_xdr::Pages = &pages;
            prop_assert_eq!(segments.view(pages).to_vec().unwrap(), bytes);
        }
    }

    /// The reader gives what the writer took, and leaves the cursor at the next result.
    #[test]
    fn pages_are_read(dir in dirs(), maxcount in 16u32..2000) {
        let entries = entries(&dir);
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let (taken, finished) = write(&mut e, &entries, (0, maxcount), Way::Value);
        prop_assume!(finished == Finished::Answered);
        e.put(&OpNum::GETFH).unwrap();
        e.finish();
        let message = segments.view(&head[..]).to_vec().unwrap();

        let mut reader = EntryReader::open(Cursor::new(&message)).unwrap().expect("a page");
        prop_assert_eq!(reader.cookie_verifier(), VERIFIER);
        let read: Vec<Entry<'_>> = reader.by_ref().collect();
        prop_assert_eq!(&read[..], &entries[..taken]);
        let (eof, mut behind) = reader.finish().unwrap();
        prop_assert_eq!(eof, taken == entries.len());
        prop_assert_eq!(behind.decode::<OpNum>().unwrap(), OpNum::GETFH);
        behind.finish().unwrap();

        // Every prefix: the entries before the fault, then the fault.
        let page = message.len() - 4;
        for len in (0..page).step_by(4) {
            let error = match EntryReader::open(Cursor::new(&message[..len])) {
                Ok(reader) => {
                    let mut reader = reader.expect("no refusal");
                    let read = reader.by_ref().count();
                    prop_assert!(read <= taken);
                    reader.finish().map(|_| ()).unwrap_err()
                }
                Err(error) => error,
            };
            prop_assert!(matches!(error.kind, ErrorKind::Short { .. }), "{} bytes: {}", len, error);
        }
    }
}

/// Runs `f` on a page that has one entry, behind other results; the bytes must be those of the page
/// with this entry.
fn one_more(f: impl FnOnce(&mut ReaddirWriter<'_, '_, '_>)) {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    before(&mut e);
    let first = entry(3, b"first", b"1234");
    let mut page = ReaddirWriter::new(&mut e, VERIFIER, 0, 8192).unwrap();
    assert_eq!(page.try_push(&first), Ok(Pushed::Yes));
    f(&mut page);
    assert_eq!(page.finish(true), Ok(Finished::Answered));
    e.finish();
    let message = segments.view(&head[..]).to_vec().unwrap();
    assert_eq!(message[BEFORE_LEN as usize..], encode(&reply(&[first], true)));
}

// B39
#[test]
fn reserved_cookies_are_refused() {
    one_more(|page| {
        for cookie in 0..3 {
            for way in [Way::Value, Way::Written] {
                let pushed = push(page, &entry(cookie, b"name", &[]), way);
                assert_eq!(pushed, Err(PushError::ReservedCookie { cookie }), "{way:?}");
            }
        }
    });
}

// B39
#[test]
fn reserved_cookies_are_refused_late() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mut page = ReaddirWriter::new(&mut e, VERIFIER, 0, 8192).unwrap();
    assert_eq!(page.set_cookie(7), Err(PushError::NoEntry));
    let name = Component::new(b"late").unwrap();
    let pushed = page.try_push_with(None, name, |e| e.put(&Fattr::default()));
    assert_eq!(pushed, Ok(Pushed::Yes));
    for cookie in 0..3 {
        assert_eq!(page.set_cookie(cookie), Err(PushError::ReservedCookie { cookie }));
    }
    assert_eq!(page.try_push(&entry(9, b"next", &[])), Err(PushError::NoCookie));
    page.set_cookie(u64::MAX).unwrap();
    assert_eq!(page.set_cookie(7), Err(PushError::NoEntry));
    assert_eq!(page.finish(true), Ok(Finished::Answered));
    e.finish();
    let message = segments.view(&head[..]).to_vec().unwrap();
    let late = Entry { cookie: u64::MAX, name, attributes: Fattr::default() };
    assert_eq!(message, encode(&reply(&[late], true)));
}

#[test]
fn a_page_whose_last_entry_has_no_cookie_is_taken_back() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    before(&mut e);
    let mut page = ReaddirWriter::new(&mut e, VERIFIER, 0, 8192).unwrap();
    let name = Component::new(b"late").unwrap();
    let pushed = page.try_push_with(None, name, |e| e.put(&Fattr::default()));
    assert_eq!(pushed, Ok(Pushed::Yes));
    assert_eq!(page.finish(true), Err(PushError::NoCookie));
    assert_eq!(e.finish(), BEFORE_LEN);
}

// B39
#[test]
fn dots_are_skipped() {
    one_more(|page| {
        for (name, way) in [&b"."[..], b".."].iter().flat_map(|name| WAYS.map(|way| (name, way))) {
            // Whatever their cookies: file systems number them 1 and 2.
            assert_eq!(push(page, &entry(1, name, &[]), way), Ok(Pushed::Skipped));
        }
    });
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let dots = [entry(4, b"...", &[]), entry(5, b".a", &[])];
    assert_eq!(write(&mut e, &dots, (0, 8192), Way::Value), (2, Finished::Answered));
}

#[test]
fn attributes_that_fail_leave_no_trace() {
    let name = Component::new(b"name").unwrap();
    one_more(|page| {
        let failed = page.try_push_with(Some(9), name, |e| {
            e.put(&AttrSet::EMPTY)?;
            Err(EncodeError::NotHere)
        });
        assert_eq!(failed, Err(PushError::Encode(EncodeError::NotHere)));
        // Half a `fattr4`, and nothing at all.
        let half = page.try_push_with(Some(9), name, |e| e.put(&AttrSet::EMPTY));
        assert_eq!(half, Err(PushError::Encode(EncodeError::Contradiction)));
        let nothing = page.try_push_with(None, name, |_| Ok(()));
        assert_eq!(nothing, Err(PushError::Encode(EncodeError::Contradiction)));
        assert_eq!(page.set_cookie(9), Err(PushError::NoEntry));
    });
}

/// An entry that does not fit closes the page, also when its attributes were written already.
#[test]
fn nothing_fits_behind_what_did_not() {
    for way in WAYS {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        let (small, large) = (entry(3, b"a", b"1"), entry(4, b"b", &[7; 100]));
        let mut page = ReaddirWriter::new(&mut e, VERIFIER, 0, 150).unwrap();
        assert_eq!(push(&mut page, &small, way), Ok(Pushed::Yes));
        assert_eq!(push(&mut page, &large, way), Ok(Pushed::Full));
        assert_eq!(push(&mut page, &entry(5, b"c", b"1"), way), Ok(Pushed::Full));
        assert_eq!(page.finish(true), Ok(Finished::Answered));
        e.finish();
        let message = segments.view(&head[..]).to_vec().unwrap();
        assert_eq!(message, encode(&reply(&[small], false)), "{way:?}: not the end");
    }
}

/// Written attributes of any length: the head that ends in the middle of them is no error.
#[test]
fn a_head_that_ends_in_the_attributes_closes_the_page() {
    for room in (20..200).step_by(4) {
        let mut head = vec![0xff; room];
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut head, &mut segments);
        let entry = entry(3, b"name", &[7; 100]);
        let fits = room as u64 >= 20 + 4 + entry.encoded_len();
        let want = if fits { (1, Finished::Answered) } else { (0, Finished::TooSmall) };
        assert_eq!(write(&mut e, &[entry], (0, 8192), Way::Written), want, "{room} bytes");
        assert_eq!(e.is_empty(), !fits);
    }
}

#[test]
fn a_head_without_room_for_any_page_is_an_error() {
    for room in 0..20u64 {
        let mut head = vec![0; room as usize];
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut head, &mut segments);
        let missing = 20 - (room & !3);
        let error = ReaddirWriter::new(&mut e, VERIFIER, 0, 8192).unwrap_err();
        assert_eq!(error, EncodeError::NoSpace { missing });
    }
}

#[test]
fn a_dropped_page_leaves_no_trace() {
    for way in WAYS {
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        before(&mut e);
        e.put(&OpNum::READDIR).unwrap();
        let mut page = ReaddirWriter::new(&mut e, VERIFIER, 0, 8192).unwrap();
        assert_eq!(push(&mut page, &entry(3, b"a", &[]), way), Ok(Pushed::Yes));
        drop(page);
        e.put(&ReaddirReply::Fail(Status::IO)).unwrap();
        assert_eq!(e.finish(), BEFORE_LEN + 8);
        let message = segments.view(&head[..]).to_vec().unwrap();
        assert_eq!(message[BEFORE_LEN as usize..], [0, 0, 0, 26, 0, 0, 0, 5]);
    }
}

#[test]
fn refusals_are_read() {
    let refused = EntryReader::open(Cursor::new(&[0, 0, 0x27, 0x15])).unwrap().unwrap_err();
    assert_eq!(refused, Status::TOOSMALL);
}

// B39
#[test]
fn requests_are_checked() {
    let want =
        [("B39a", Err(Status::BAD_COOKIE)), ("B39b", Err(Status::TOOSMALL)), ("B39c", Ok(()))];
    for (case, want) in want {
        let text = fs::read_to_string(testdata(&format!("cases/{case}.hex"))).unwrap();
        let bytes = unhex(&text.lines().skip(1).collect::<String>());
        // Tag, minor version, PUTROOTFH, and then READDIR with its arguments.
        let mut c = Cursor::new(&bytes);
        let head: [u32; 5] = core::array::from_fn(|_| c.decode().unwrap());
        assert_eq!((head[0], head[2..].to_vec()), (0, vec![2, 24, 26]), "{case}");
        let args: ReaddirArgs<'_> = c.decode().unwrap();
        c.finish().unwrap();
        assert_eq!(args.validate(), want, "{case}");
        assert_eq!(encode(&args), bytes[20..], "{case}");
    }
}

#[test]
fn requests_of_a_client_are_valid() {
    let request = Bitmap::from_numbers(&[1]).unwrap();
    let first = ReaddirArgs::first(4096, request);
    assert_eq!((first.cookie, first.cookie_verifier, first.validate()), (0, [0; 8], Ok(())));
    let next = first.behind(3, VERIFIER);
    assert_eq!((next.cookie, next.cookie_verifier, next.validate()), (3, VERIFIER, Ok(())));
    assert_eq!((next.maxcount, next.request), (4096, request));
    let bytes = encode(&next);
    assert_eq!(from_bytes::<ReaddirArgs<'_>>(&bytes), Ok(next));
}
