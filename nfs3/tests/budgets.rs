//! Directories of random names under every budget from 0 to 70,000: the pages keep it, hold as many
//! entries as fit, and their cookies lead to each entry once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc)]

use core::iter;

use nfswire_nfs3::{
    Attributes, FileHandle, FileName, FileType, SpecData, Time,
    readdir::{Entry, EntryPlus, EntryReader, Finished, Pushed, ReaddirWriter, ReaddirplusWriter},
};
use nfswire_xdr::{Cursor, Encode, Encoder, Segments};
use proptest::{collection, option, prelude::*};

const LARGEST: u32 = 70_000;
/// Bytes around the list: absent attributes, verifier, end of the list, `eof`.
const AROUND: u64 = 4 + 8 + 8;

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

/// READDIR or READDIRPLUS.
trait List {
    type Entry<'a>: Encode<'a>;
    fn entry<'a>(name: &'a [u8], handle: Option<&'a [u8]>, cookie: u64) -> Self::Entry<'a>;
    /// Writes a page; entries taken.
    fn page(e: &mut Encoder<'_, '_>, entries: &[Self::Entry<'_>], budget: u32)
    -> (usize, Finished);
    /// Reads a page, whose entries must be the first of those wanted; entries read, and `eof`.
    fn read(page: &[u8], want: &[Self::Entry<'_>]) -> (usize, bool);
}

macro_rules! read {
    ($entry:ident) => {
        fn read(page: &[u8], want: &[$entry<'_>]) -> (usize, bool) {
            let reader = EntryReader::<$entry<'_>>::open(Cursor::new(page));
            let mut reader = reader.unwrap().expect("a success");
            let mut read = 0;
            for entry in reader.by_ref() {
                assert_eq!(entry, want[read]);
                read += 1;
            }
            (read, reader.finish().unwrap())
        }
    };
}

struct Readdir;

impl List for Readdir {
    type Entry<'a> = Entry<'a>;

    read!(Entry);

    fn entry<'a>(name: &'a [u8], _: Option<&'a [u8]>, cookie: u64) -> Entry<'a> {
        Entry { fileid: cookie + 100, name: FileName::new(name).unwrap(), cookie }
    }

    fn page(e: &mut Encoder<'_, '_>, entries: &[Entry<'_>], budget: u32) -> (usize, Finished) {
        let mut page = ReaddirWriter::new(e, Some(ATTRIBUTES), *b"verifier", budget).unwrap();
        let fits = |entry: &&Entry<'_>| page.try_push(entry).unwrap() == Pushed::Yes;
        let taken = entries.iter().take_while(fits).count();
        (taken, page.finish(taken == entries.len()).unwrap())
    }
}

struct Readdirplus;

impl List for Readdirplus {
    type Entry<'a> = EntryPlus<'a>;

    read!(EntryPlus);

    fn entry<'a>(name: &'a [u8], handle: Option<&'a [u8]>, cookie: u64) -> EntryPlus<'a> {
        EntryPlus {
            fileid: cookie + 100,
            name: FileName::new(name).unwrap(),
            cookie,
            name_attributes: handle.filter(|h| h.len() % 2 == 0).map(|_| ATTRIBUTES),
            name_handle: handle.map(|h| FileHandle::new(h).unwrap()),
        }
    }

    fn page(e: &mut Encoder<'_, '_>, entries: &[EntryPlus<'_>], budget: u32) -> (usize, Finished) {
        let mut page =
            ReaddirplusWriter::new(e, Some(ATTRIBUTES), *b"verifier", 0, budget).unwrap();
        let fits = |entry: &&EntryPlus<'_>| page.try_push(entry).unwrap() == Pushed::Yes;
        let taken = entries.iter().take_while(fits).count();
        (taken, page.finish(taken == entries.len()).unwrap())
    }
}

/// Names, and handles where READDIRPLUS has one.
type Dir = Vec<(Vec<u8>, Option<Vec<u8>>)>;

fn dirs(
    entries: impl Into<collection::SizeRange>,
    names: impl Into<collection::SizeRange>,
    handles: impl Into<collection::SizeRange>,
) -> impl Strategy<Value = Dir> {
    let handle = option::weighted(0.9, collection::vec(any::<u8>(), handles));
    collection::vec((collection::vec(any::<u8>(), names), handle), entries)
}

fn entries<L: List>(dir: &Dir) -> Vec<L::Entry<'_>> {
    (1..).zip(dir).map(|(i, (name, handle))| L::entry(name, handle.as_deref(), i)).collect()
}

/// Every budget: the page from the start has the most entries that fit, and says truly whether they
/// are all.
fn first_pages<L: List>(dir: &Dir) -> Result<(), TestCaseError> {
    let entries = entries::<L>(dir);
    let mut head = vec![0; LARGEST as usize + 200];
    let sums = entries.iter().scan(0, |sum, entry| {
        *sum += entry.encoded_len() + 4;
        Some(*sum)
    });
    let lists: Vec<u64> = iter::once(0).chain(sums).collect();
    for budget in 0..=LARGEST {
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut head, &mut segments);
        let (taken, finished) = L::page(&mut e, &entries, budget);
        let len = e.finish();
        let list = lists[taken];
        let next = entries.get(taken).map_or(0, |e| e.encoded_len() + 4);
        let budget = u64::from(budget);
        if finished == Finished::TooSmall {
            prop_assert_eq!((taken, len), (0, 0), "budget {}", budget);
            prop_assert!(AROUND + next > budget, "budget {}: one fits", budget);
            continue;
        }
        let attributes =
            if AROUND + 84 + entries.first().map_or(0, |e| e.encoded_len() + 4) <= budget {
                84
            } else {
                0
            };
        prop_assert_eq!(len, 4 + AROUND + attributes + list, "budget {}", budget);
        prop_assert!(len - 4 <= budget, "budget {}: {} bytes", budget, len - 4);
        prop_assert!(next == 0 || len - 4 + next > budget, "budget {}: one more fits", budget);
    }
    Ok(())
}

/// Every budget: a client that goes on from the last cookie sees each entry once, in order, or is
/// told that the budget is too small for the entry that comes next.
fn walks<L: List>(dir: &Dir) -> Result<(), TestCaseError> {
    let entries = entries::<L>(dir);
    let mut head = vec![0; LARGEST as usize + 200];
    for budget in 0..=LARGEST {
        let mut seen = 0;
        loop {
            let mut segments = Segments::new();
            let mut e = Encoder::fixed(&mut head, &mut segments);
            let (taken, finished) = L::page(&mut e, &entries[seen..], budget);
            let len = usize::try_from(e.finish()).unwrap();
            if finished == Finished::TooSmall {
                let next = entries.get(seen).map_or(0, |e| e.encoded_len() + 4);
                prop_assert!(AROUND + next > budget.into(), "budget {}", budget);
                break;
            }
            prop_assert!(len - 4 <= budget as usize, "budget {}: {} bytes", budget, len - 4);
            let (read, eof) = L::read(&head[..len], &entries[seen..]);
            prop_assert!(read == taken && (taken > 0 || entries.is_empty()));
            seen += read;
            prop_assert_eq!(eof, seen == entries.len(), "budget {}", budget);
            if eof {
                break;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1, failure_persistence: None, max_shrink_iters: 20, ..ProptestConfig::default()
    })]

    #[test]
    fn readdir_first_pages(dir in dirs(100, 0..=1500, 0)) {
        first_pages::<Readdir>(&dir)?;
    }

    #[test]
    fn readdirplus_first_pages(dir in dirs(80, 0..=1500, 0..=64)) {
        first_pages::<Readdirplus>(&dir)?;
    }

    #[test]
    fn readdir_walks(dir in dirs(0..14, 0..=255, 0)) {
        walks::<Readdir>(&dir)?;
    }

    #[test]
    fn readdirplus_walks(dir in dirs(0..10, 0..=255, 0..=64)) {
        walks::<Readdirplus>(&dir)?;
    }
}
