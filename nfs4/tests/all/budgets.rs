//! Directories of random names and attributes under every budget from 0 to 70,000: the pages keep it,
//! hold as many entries as fit, and their cookies lead to each entry once.

use core::iter;

use nfswire_nfs4::{
    Component, OpNum,
    attrs::{AttrSet, Fattr},
    ops::dir::{Entry, EntryReader, Finished, Pushed, ReaddirArgs, ReaddirWriter},
};
use nfswire_xdr::{Cursor, Encode, Encoder, Opaque, Segments};
use proptest::{collection, prelude::*};

const LARGEST: u32 = 70_000;
/// Bytes around the list: verifier, end of the list, `eof`.
const AROUND: u64 = 8 + 8;
/// The operation's number, and the status word.
const FRONT: u64 = 8;

/// Names, words of the mask and values of attributes.
type Dir = Vec<(Vec<u8>, [u32; 3], Vec<u8>)>;

fn dirs(
    entries: impl Into<collection::SizeRange>,
    names: core::ops::RangeInclusive<usize>,
    values: core::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = Dir> {
    // Not `.` and `..`: they are skipped.
    let name = collection::vec(any::<u8>(), names).prop_map(|mut name| {
        name.push(b'n');
        name
    });
    let entry = (name, any::<[u32; 3]>(), collection::vec(any::<u8>(), values));
    collection::vec(entry, entries)
}

fn entries(dir: &Dir) -> Vec<Entry<'_>> {
    (3..)
        .zip(dir)
        .map(|(cookie, (name, words, values))| Entry {
            cookie,
            name: Component::new(name).unwrap(),
            attributes: Fattr {
                mask: AttrSet::from_words(*words),
                values: Opaque::new(values).unwrap(),
            },
        })
        .collect()
}

/// Writes a page; entries taken. Every other entry's attributes are written straight into it.
fn page(
    e: &mut Encoder<'_, '_>,
    entries: &[Entry<'_>],
    args: &ReaddirArgs<'_>,
) -> (usize, Finished) {
    e.put(&OpNum::READDIR).unwrap();
    let mut page = ReaddirWriter::new(e, *b"verifier", args.dircount, args.maxcount).unwrap();
    let fits = |entry: &&Entry<'_>| {
        let pushed = if entry.cookie.is_multiple_of(2) {
            page.try_push(entry)
        } else {
            page.try_push_with(Some(entry.cookie), entry.name, |e| {
                e.put(&entry.attributes.mask)?;
                e.put(&entry.attributes.values)
            })
        };
        pushed.unwrap() == Pushed::Yes
    };
    let taken = entries.iter().take_while(fits).count();
    (taken, page.finish(taken == entries.len()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1, failure_persistence: None, max_shrink_iters: 20, ..ProptestConfig::default()
    })]

    /// Every budget: the page from the start has the most entries that fit, and says truly whether
    /// they are all.
    #[test]
    fn first_pages(dir in dirs(70, 0..=900, 0..=900)) {
        let entries = entries(&dir);
        let mut head = vec![0; LARGEST as usize + 200];
        let sums = entries.iter().scan(0, |sum, entry| {
            *sum += entry.encoded_len() + 4;
            Some(*sum)
        });
        let lists: Vec<u64> = iter::once(0).chain(sums).collect();
        for budget in 0..=LARGEST {
            let mut segments = Segments::new();
            let mut e = Encoder::fixed(&mut head, &mut segments);
            let args = ReaddirArgs::first(budget, AttrSet::EMPTY);
            let (taken, finished) = page(&mut e, &entries, &args);
            let len = e.finish();
            let next = entries.get(taken).map_or(0, |e| e.encoded_len() + 4);
            let budget = u64::from(budget);
            if finished == Finished::TooSmall {
                prop_assert_eq!((taken, len), (0, 4), "budget {}", budget);
                prop_assert!(AROUND + next > budget, "budget {}: one fits", budget);
                continue;
            }
            prop_assert_eq!(len, FRONT + AROUND + lists[taken], "budget {}", budget);
            prop_assert!(len - FRONT <= budget, "budget {}: {} bytes", budget, len - FRONT);
            prop_assert!(next == 0 || len - FRONT + next > budget, "budget {}: one more", budget);
        }
    }

    /// Every budget, with and without a hint: a client that goes on from the last cookie sees each
    /// entry once, in order, or is told that the budget is too small for the entry that comes next.
    #[test]
    fn walks(dir in dirs(0..14, 0..=255, 0..=300), hint in 0u32..4096) {
        let entries = entries(&dir);
        let mut head = vec![0; LARGEST as usize + 200];
        for (budget, dircount) in (0..=LARGEST).map(|n| (n, if n % 2 == 0 { 0 } else { hint })) {
            let mut args = ReaddirArgs { dircount, ..ReaddirArgs::first(budget, AttrSet::EMPTY) };
            let mut seen = 0;
            loop {
                let start = args.cookie.saturating_sub(2) as usize;
                prop_assert_eq!(start, seen);
                let mut segments = Segments::new();
                let mut e = Encoder::fixed(&mut head, &mut segments);
                let (taken, finished) = page(&mut e, &entries[start..], &args);
                let len = usize::try_from(e.finish()).unwrap();
                if finished == Finished::TooSmall {
                    let next = entries.get(seen).map_or(0, |e| e.encoded_len() + 4);
                    prop_assert!(AROUND + next > budget.into(), "budget {}", budget);
                    break;
                }
                prop_assert!(len - FRONT as usize <= budget as usize, "budget {}", budget);
                let reader = EntryReader::open(Cursor::new(&head[4..len])).unwrap();
                let mut reader = reader.expect("a page");
                let verifier = reader.cookie_verifier();
                let mut read = 0;
                for entry in reader.by_ref() {
                    prop_assert_eq!(entry, entries[seen + read]);
                    read += 1;
                    args = args.behind(entry.cookie, verifier);
                }
                let (eof, behind) = reader.finish().unwrap();
                behind.finish().unwrap();
                prop_assert!(read == taken && (taken > 0 || entries.is_empty()));
                seen += read;
                prop_assert_eq!(eof, seen == entries.len(), "budget {}", budget);
                if eof {
                    break;
                }
            }
        }
    }
}
