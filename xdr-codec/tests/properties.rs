//! Properties of encoder and decoder over random values, random bytes and random sequences of calls.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

mod common;
#[path = "common/types.rs"]
mod types;

use std::io::IoSlice;

use common::encode;
use nfswire_xdr::{
    Array, Chain, Chunk, Cursor, Decode, Double, Encode, EncodeError, Encoder, ErrorKind,
    FileRange, Limits, Mark, Message, Opaque, Pages, Payload, Position, Segments, Slot, Text,
    explain, from_bytes, xdr_struct, xdr_union,
};
use proptest::{collection::vec, prelude::*, sample::Index};
use types::*;

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

//--- E4: marks and slots, against a vector ---

#[derive(Clone, Debug)]
enum Op {
    Number(u64),
    Opaque(Vec<u8>),
    Payload(Vec<u8>),
    Reserve,
    Patch(Index, u32),
    Mark,
    Rollback(Index),
    /// Calls within an attempt, and whether it fails.
    Attempt(Vec<Self>, bool),
}

fn op() -> impl Strategy<Value = Op> {
    let leaf = prop_oneof![
        2 => any::<u64>().prop_map(Op::Number),
        3 => vec(any::<u8>(), 0..24).prop_map(Op::Opaque),
        3 => vec(any::<u8>(), 0..24).prop_map(Op::Payload),
        2 => Just(Op::Reserve),
        2 => (any::<Index>(), any::<u32>()).prop_map(|(i, word)| Op::Patch(i, word)),
        3 => Just(Op::Mark),
        3 => any::<Index>().prop_map(Op::Rollback),
    ];
    leaf.prop_recursive(3, 40, 12, |inner| {
        (vec(inner, 0..12), any::<bool>()).prop_map(|(ops, fails)| Op::Attempt(ops, fails))
    })
}

/// What the message must be, and which marks and slots still hold: `None` is stale.
#[derive(Default)]
struct Model {
    bytes: Vec<u8>,
    marks: Vec<(Mark, Option<usize>)>,
    slots: Vec<(Slot, Option<usize>)>,
    /// Shortest length since the innermost attempt began.
    lowest: usize,
    rollbacks: usize,
    /// Longest payload that is copied into the head.
    copy_break: usize,
}

impl Model {
    fn roll(&mut self, to: usize) {
        self.bytes.truncate(to);
        for (_, end) in &mut self.marks {
            *end = end.filter(|end| *end <= to);
        }
        for (_, start) in &mut self.slots {
            *start = start.filter(|start| start + 4 <= to);
        }
        self.lowest = self.lowest.min(to);
        self.rollbacks += 1;
    }

    /// The encoder remembers the last few rollbacks exactly; behind more of them it may refuse a
    /// mark that still holds, but never takes one that does not.
    fn may_forget(&self) -> bool {
        self.rollbacks > 4
    }
}

const PADS: [u8; 3] = [0; 3];

fn pad(len: usize) -> &'static [u8] {
    &PADS[..len.next_multiple_of(4) - len]
}

/// `put` must succeed exactly if `need` bytes of head are free, and say what is missing.
fn expect(result: Result<(), EncodeError>, need: usize, room: u64) -> bool {
    match (need as u64).checked_sub(room).filter(|missing| *missing > 0) {
        None => assert_eq!(result, Ok(())),
        Some(missing) => assert_eq!(result, Err(EncodeError::NoSpace { missing })),
    }
    result.is_ok()
}

fn run<'p>(e: &mut Encoder<'_, 'p>, ops: &'p [Op], model: &mut Model) {
    for op in ops {
        let room = e.room();
        match op {
            Op::Number(n) => {
                if expect(e.put(n), 8, room) {
                    model.bytes.extend(n.to_be_bytes());
                }
            }
            Op::Opaque(data) | Op::Payload(data) => {
                let (len, pad) = (data.len(), pad(data.len()));
                let done = if matches!(op, Op::Payload(_)) {
                    // The pad, or the slack before it, is a word of the head.
                    let need = match pad.is_empty() {
                        _ if len <= model.copy_break => 4 + len + pad.len(),
                        true => 4,
                        false => 8,
                    };
                    expect(e.put(&Payload::Borrowed(data)), need, room)
                } else {
                    let opaque: Opaque<'_> = Opaque::new(data).unwrap();
                    expect(e.put(&opaque), 4 + len + pad.len(), room)
                };
                if done {
                    model.bytes.extend((len as u32).to_be_bytes());
                    model.bytes.extend(data);
                    model.bytes.extend(pad);
                }
            }
            Op::Reserve => {
                let slot = e.reserve();
                if expect(slot.map(drop), 4, room) {
                    model.slots.push((slot.unwrap(), Some(model.bytes.len())));
                    model.bytes.extend([0; 4]);
                }
            }
            Op::Patch(index, word) if !model.slots.is_empty() => {
                let (slot, start) = model.slots[index.index(model.slots.len())];
                match (e.patch(slot, *word), start) {
                    (Ok(()), Some(at)) => {
                        model.bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
                    }
                    (Err(EncodeError::Stale), None) => {}
                    (Err(EncodeError::Stale), Some(_)) if model.may_forget() => {}
                    (result, start) => panic!("slot at {start:?}: {result:?}"),
                }
            }
            Op::Mark => model.marks.push((e.mark(), Some(model.bytes.len()))),
            Op::Rollback(index) if !model.marks.is_empty() => {
                let (mark, end) = model.marks[index.index(model.marks.len())];
                match (e.rollback(mark), end) {
                    (Ok(()), Some(end)) => model.roll(end),
                    (Err(EncodeError::Stale), None) => {}
                    (Err(EncodeError::Stale), Some(_)) if model.may_forget() => {}
                    (result, end) => panic!("mark at {end:?}: {result:?}"),
                }
            }
            Op::Patch(..) | Op::Rollback(_) => {}
            Op::Attempt(ops, fails) => {
                let outer = core::mem::replace(&mut model.lowest, model.bytes.len());
                let result = e.attempt(|e| {
                    run(e, ops, model);
                    if *fails { Err(()) } else { Ok(()) }
                });
                assert_eq!(result.is_err(), *fails);
                if *fails {
                    // All that it appended is gone, whatever it rolled back itself.
                    model.roll(model.lowest);
                }
                model.lowest = model.lowest.min(outer);
            }
        }
        assert_eq!(e.len(), model.bytes.len() as u64, "after {op:?}");
    }
}

/// Runs the calls with one head, and checks the message.
fn check<'p>(e: Encoder<'_, 'p>, ops: &'p [Op], copy_break: usize) -> Vec<u8> {
    let mut model = Model { copy_break, ..Model::default() };
    let mut e = e.copy_break(copy_break as u32);
    run(&mut e, ops, &mut model);
    assert_eq!(e.finish(), model.bytes.len() as u64);
    model.bytes
}

proptest! {
    #![proptest_config(cases(200))]

    // E1, E4, E6, E8, E10
    #[test]
    fn marks_and_slots(
        ops in vec(op(), 0..60),
        copy_break in prop_oneof![Just(0usize), 0..16usize],
        fixed in 0usize..400,
        pages in vec(prop_oneof![Just(4usize), Just(12), Just(64), 0usize..40], 0..40),
    ) {
        let (mut head, mut segments) = (vec![0xff; 24], Segments::new());
        let bytes = check(Encoder::growable(&mut head, &mut segments), &ops, copy_break);
        prop_assert_eq!(segments.view(&head).to_vec().unwrap(), bytes);

        let (mut head, mut segments) = (vec![0xff; fixed], Segments::new());
        let bytes = check(Encoder::fixed(&mut head, &mut segments), &ops, copy_break);
        prop_assert_eq!(segments.view(&head).to_vec().unwrap(), bytes);

        let mut head: Vec<Vec<u8>> = pages.iter().map(|len| vec![0xff; *len]).collect();
        let mut segments = Segments::new();
        let bytes = check(Encoder::pages(&mut head, &mut segments), &ops, copy_break);
        prop_assert_eq!(segments.view(&head as &dyn Pages).to_vec().unwrap(), bytes);
    }
}

/// A failed attempt takes back everything, however many rollbacks there were inside and before.
#[test]
fn attempts_survive_many_rollbacks() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let start = e.mark();
    e.put(&1u32).unwrap();
    e.rollback(start).unwrap();
    e.put(&2u32).unwrap();
    let result = e.attempt(|e| {
        for i in 0..20u32 {
            e.put(&i)?;
            let mark = e.mark();
            e.put(&i)?;
            e.rollback(mark)?;
        }
        Err::<(), _>(EncodeError::NotHere)
    });
    assert_eq!(result, Err(EncodeError::NotHere));
    assert_eq!(e.len(), 4);
    // One that rolls back below its own start leaves nothing of itself either.
    let start = e.mark();
    e.put(&3u32).unwrap();
    let result = e.attempt(|e| {
        e.rollback(start)?;
        e.put(&4u64)?;
        Err::<(), _>(EncodeError::NotHere)
    });
    assert_eq!(result, Err(EncodeError::NotHere));
    assert_eq!(e.finish(), 4);
    assert_eq!(segments.view(&head).to_vec().unwrap(), [0, 0, 0, 2]);
}

/// What does not fit leaves the encoder as it was, so that marks before and after it are one place.
#[test]
fn a_failed_reserve_changes_nothing() {
    let (mut head, mut segments) = ([0; 4], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    e.put(&7u32).unwrap();
    let before = e.mark();
    assert_eq!(e.reserve().map(drop), Err(EncodeError::NoSpace { missing: 4 }));
    assert_eq!(e.word(1), Err(EncodeError::NoSpace { missing: 4 }));
    let after = e.mark();
    e.rollback(before).unwrap();
    e.rollback(after).unwrap();
    assert_eq!(e.finish(), 4);
    assert_eq!(segments.view(&head).to_vec().unwrap(), [0, 0, 0, 7]);
}

/// Marks and slots of another encoder are errors or nonsense, never a panic.
#[test]
fn marks_of_another_encoder() {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&[7u64; 100]).unwrap();
    let (slot, mark) = (e.reserve().unwrap(), e.mark());
    let (mut head, mut segments) = ([0; 16], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    assert_eq!(e.patch(slot, 1), Err(EncodeError::Stale));
    assert_eq!(e.rollback(mark), Err(EncodeError::Stale));
    let mut pages: [[u8; 4]; 2] = [[0; 4]; 2];
    let mut segments = Segments::new();
    let mut e = Encoder::pages(&mut pages, &mut segments);
    e.put(&1u64).unwrap();
    let (slot, mark) = (e.reserve(), e.mark());
    assert_eq!(slot.map(drop), Err(EncodeError::NoSpace { missing: 4 }));
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&[0u64; 4]).unwrap();
    let _ = e.rollback(mark);
    let _ = e.put(&1u32);
    let len = e.finish();
    assert!(segments.view(&head).to_vec().map_or(0, |bytes| bytes.len() as u64) <= len);
}

//--- E3, D3: random values ---

#[derive(Clone, Debug)]
struct MixedParts {
    flag: bool,
    pad1: Vec<u8>,
    big: i64,
    name: Vec<u8>,
    kind: i32,
    text: Vec<u8>,
    chain: Vec<i32>,
    ratio: u64,
}

prop_compose! {
    fn mixed_parts()(
        flag: bool,
        pad1 in vec(any::<u8>(), 0..=3),
        big: i64,
        name in vec(any::<u8>(), 0..=7),
        kind in prop_oneof![0..5i32, any::<i32>()],
        text in vec(any::<u8>(), 0..=8),
        chain in vec(any::<i32>(), 0..6),
        ratio: u64,
    ) -> MixedParts {
        MixedParts { flag, pad1, big, name, kind, text, chain, ratio }
    }
}

impl MixedParts {
    fn value(&self) -> Mixed<'_> {
        let choice = match self.kind {
            0 => XdrUnion::Nothing,
            1 => XdrUnion::Number(7),
            2 | 3 => XdrUnion::Word(self.kind, Text::new(&self.text).unwrap()),
            _ => XdrUnion::Rest(self.kind, Opaque::new(&self.text).unwrap()),
        };
        Mixed {
            flag: self.flag,
            pad1: Opaque::new(&self.pad1).unwrap(),
            big: self.big,
            name: Text::new(&self.name).unwrap(),
            choice,
            chain: Chain::from_slice(&self.chain),
            ratio: Double(self.ratio),
        }
    }
}

xdr_struct! {
    /// A payload between other fields: cannot be written in one window.
    "parcel" => pub(crate) struct Parcel<'a> {
        pub(crate) name: Text<'a>,
        pub(crate) data: Payload<'a>,
        pub(crate) time: Option<[u32; 2]>,
    }
}

xdr_union! {
    /// Arms with and without payloads, at their end and before it.
    "post" => pub(crate) enum Post<'a> switch (kind: u32) {
        case 0 => Nothing,
        case 1 => Data(Payload<'a>),
        cases (2, 3) => Parcel(Parcel<'a>),
        default => Word(u32),
    }
}

xdr_struct! {
    /// Payloads in lists, in options and in a row.
    "mail" => pub(crate) struct Mail<'a> {
        pub(crate) counted: Array<'a, Post<'a>>,
        pub(crate) linked: Chain<'a, Parcel<'a>>,
        pub(crate) first: Payload<'a>,
        pub(crate) last: Option<Payload<'a>>,
    }
}

/// Encodes, decodes and encodes again: the value must survive, its size must be exact.
fn survives<'a, T>(value: &T, bytes: &'a [u8])
where
    T: Encode<'a> + Decode<'a> + PartialEq + core::fmt::Debug,
{
    let back: T = from_bytes(bytes).unwrap();
    assert_eq!(&back, value);
    assert_eq!(encode(&back), bytes);
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn values_survive(parts in vec(mixed_parts(), 0..4)) {
        let values: Vec<Mixed<'_>> = parts.iter().map(MixedParts::value).collect();
        for value in &values {
            let bytes = encode(value);
            survives(value, &bytes);
        }
        let array: Array<'_, Mixed<'_>> = Array::from_slice(&values).unwrap();
        let bytes = encode(&array);
        survives(&array, &bytes);
        let chain = Chain::from_slice(&values);
        let bytes = encode(&chain);
        survives(&chain, &bytes);
        let optional = values.first();
        let bytes = encode(&optional.copied());
        survives(&optional.copied(), &bytes);
    }

    // E2: any number of payloads, between other fields; E1: the same bytes from each head.
    #[test]
    fn payloads_anywhere(
        data in vec((0..5u32, vec(any::<u8>(), 0..20), vec(any::<u8>(), 0..9)), 1..6),
    ) {
        let parcels: Vec<Parcel<'_>> = data.iter().map(|(kind, data, name)| Parcel {
            name: Text::new(name).unwrap(),
            data: Payload::Borrowed(data),
            time: kind.is_multiple_of(2).then_some([*kind, 7]),
        }).collect();
        let posts: Vec<Post<'_>> = data.iter().zip(&parcels).map(|((kind, data, _), parcel)| match kind {
            0 => Post::Nothing,
            1 => Post::Data(Payload::Borrowed(data)),
            2 | 3 => Post::Parcel(*kind, parcel.clone()),
            _ => Post::Word(*kind, 9),
        }).collect();
        let mail = Mail {
            counted: Array::from_slice(&posts).unwrap(),
            linked: Chain::from_slice(&parcels),
            first: Payload::Borrowed(&data[0].1),
            last: data.get(1).map(|(_, data, _)| Payload::Borrowed(data)),
        };
        let bytes = encode(&mail);
        survives(&mail, &bytes);

        // No byte of a payload is in the head.
        let (mut head, mut segments) = (Vec::new(), Segments::new());
        let mut e = Encoder::growable(&mut head, &mut segments);
        e.put(&mail).unwrap();
        e.finish();
        for (_, payload, _) in data.iter().filter(|(_, payload, _)| payload.len() > 8) {
            let here = |chunk: Chunk<'_>| matches!(chunk, Chunk::Bytes(b) if b.as_ptr() == payload.as_ptr());
            prop_assert!(segments.view(&head).iter().any(here));
        }
    }
}

//--- D2, D3, D5: random bytes ---

/// Words that lengths, counts and discriminants often are, and others.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        6 => (0..6u32).prop_map(u32::to_be_bytes),
        1 => Just(u32::MAX.to_be_bytes()),
        2 => any::<[u8; 4]>(),
    ];
    (vec(word, 0..24), vec(any::<u8>(), 0..3))
        .prop_map(|(words, rest)| words.concat().into_iter().chain(rest).collect())
}

/// Strict: what decodes encodes to the same bytes. Lenient: to a canonical form, which is a strict
/// value. An error lies within the bytes, and both passes agree on it.
fn judge<'a, T>(bytes: &'a [u8]) -> Option<Vec<u8>>
where
    T: Encode<'a> + Decode<'a> + PartialEq + core::fmt::Debug,
{
    let mut c = Cursor::new(bytes);
    match c.decode::<T>() {
        Ok(value) => {
            assert_eq!(encode(&value), bytes[..c.position()]);
            assert_eq!(explain::<T>(bytes, &Limits::STRICT), None);
        }
        Err(error) => {
            assert_ne!(error.kind, ErrorKind::Contradiction, "the passes disagree");
            assert!(error.offset as usize <= bytes.len());
            assert_eq!(explain::<T>(bytes, &Limits::STRICT).map(|e| e.error), Some(error));
        }
    }
    let strict = c.position();
    let mut c = Cursor::with(bytes, &Limits::LENIENT);
    match c.decode::<T>() {
        Ok(value) => {
            assert_eq!(explain::<T>(bytes, &Limits::LENIENT), None);
            Some(encode(&value))
        }
        Err(error) => {
            assert_eq!(strict, 0, "strict takes what lenient refuses");
            assert_ne!(error.kind, ErrorKind::Contradiction, "the passes disagree");
            None
        }
    }
}

macro_rules! random_bytes {
    ($($name:literal => $t:ty),* $(,)?) => {
        fn random_bytes(bytes: &[u8]) {
            $( if let Some(canonical) = judge::<$t>(bytes) {
                assert_eq!(judge::<$t>(&canonical).as_ref(), Some(&canonical), $name);
                assert!(from_bytes::<$t>(&canonical).is_ok(), $name);
            } )*
        }
    };
}
with_xdr_types!(random_bytes);

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn bytes_are_judged(bytes in words()) {
        random_bytes(&bytes);
        for canonical in [judge::<Mail<'_>>(&bytes), judge::<Post<'_>>(&bytes)].into_iter().flatten() {
            prop_assert!(canonical.len().is_multiple_of(4));
        }
    }

    // D6: with less at hand the value is the same, or it is said what is not here.
    #[test]
    fn head_first(bytes in words(), here in any::<Index>()) {
        let whole = Cursor::new(&bytes).decode::<Parcel<'_>>();
        let here = here.index(bytes.len() + 1);
        let mut c = Cursor::head(&bytes[..here], bytes.len() as u32, &Limits::STRICT);
        match (c.decode::<Parcel<'_>>(), whole) {
            (Ok(part), Ok(whole)) => prop_assert_eq!(part.data.len(), whole.data.len()),
            (Err(error), Ok(_)) => {
                let not_here = matches!(error.kind, ErrorKind::NotHere { .. });
                prop_assert!(not_here, "{}", error);
            }
            // The fault may lie in what is not here yet, or behind a pad that nobody looked at.
            (Err(error), Err(whole)) => {
                let not_here = matches!(error.kind, ErrorKind::NotHere { .. });
                let skipped = whole.kind == ErrorKind::Padding;
                prop_assert!(not_here || skipped || error == whole, "{} and {}", error, whole);
            }
            (Ok(part), Err(whole)) => {
                let skipped = matches!(part.data, Payload::Elsewhere { .. });
                prop_assert!(skipped && whole.kind == ErrorKind::Padding, "{}", whole);
            }
        }
    }
}

//--- E7: consumers ---

fn flat(pieces: &[IoSlice<'_>]) -> Vec<u8> {
    pieces.iter().flat_map(|piece| piece.to_vec()).collect()
}

/// Sends a message with writes of at most `iovecs` pieces, of which each takes some bytes.
fn send(message: Message<'_, '_>, iovecs: usize, takes: impl Iterator<Item = usize>) -> Vec<u8> {
    let (mut sent, mut at) = (Vec::new(), Position::START);
    let mut takes = takes.chain(core::iter::repeat(usize::MAX));
    while !message.is_end(at) {
        let mut pieces = vec![IoSlice::new(&[]); iovecs];
        let used = message.io_slices(at, &mut pieces);
        assert!(used > 0, "nothing to send before the end");
        let offered: Vec<u8> = flat(&pieces[..used]);
        assert!(pieces[..used].iter().all(|piece| !piece.is_empty()), "an empty piece");
        let taken = takes.next().unwrap().min(offered.len());
        sent.extend(&offered[..taken]);
        at = message.advance(at, taken);
    }
    sent
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn short_writes(
        ops in vec(op(), 0..20),
        copy_break in prop_oneof![Just(0usize), 0..16usize],
        iovecs in 1usize..5,
        takes in vec(0usize..20, 0..40),
    ) {
        let mut pages = vec![[0xff; 12]; 400];
        let mut segments = Segments::new();
        let bytes = check(Encoder::pages(&mut pages, &mut segments), &ops, copy_break);
        let message = segments.view(&pages as &dyn Pages);
        prop_assert_eq!(message.len(), bytes.len() as u64);
        prop_assert_eq!(send(message, iovecs, takes.into_iter()), &bytes[..]);
        // Interrupted once at every byte, and never.
        for cut in 0..=bytes.len() {
            let at = message.advance(Position::START, cut);
            prop_assert_eq!(message.is_end(at), cut == bytes.len());
            let mut pieces = vec![IoSlice::new(&[]); segments.count()];
            let used = message.io_slices(at, &mut pieces);
            prop_assert_eq!(flat(&pieces[..used]), &bytes[cut..]);
            match message.chunk(at) {
                Some(Chunk::Bytes(chunk)) => prop_assert!(bytes[cut..].starts_with(chunk) && !chunk.is_empty()),
                Some(Chunk::File(range)) => panic!("{range:?}"),
                None => prop_assert_eq!(cut, bytes.len()),
            }
            // One long step is two short ones.
            let more = cut / 2;
            let halfway = message.advance(Position::START, more);
            prop_assert_eq!(message.advance(halfway, cut - more), at);
        }
        prop_assert!(message.is_end(message.advance(Position::START, usize::MAX)));
    }
}

/// A file range interrupts the slices, and is cut by a short `sendfile` like any other segment.
#[test]
fn file_ranges() {
    let range = FileRange { token: 7, offset: 4096, len: 9 };
    let (mut head, mut segments) = (vec![0xff; 8], Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&1u32).unwrap();
    e.put(&Payload::File(range)).unwrap();
    e.put(&2u32).unwrap();
    assert_eq!(e.finish(), 4 + 4 + 9 + 3 + 4);
    let message = segments.view(&head);
    let mut pieces = [IoSlice::new(&[]); 4];
    assert_eq!(message.io_slices(Position::START, &mut pieces), 1);
    assert_eq!(*pieces[0], [0, 0, 0, 1, 0, 0, 0, 9]);
    for taken in 0..9 {
        let at = message.advance(Position::START, 8 + taken);
        assert_eq!(message.io_slices(at, &mut pieces), 0);
        let rest = FileRange { token: 7, offset: 4096 + taken as u64, len: 9 - taken as u32 };
        assert_eq!(message.chunk(at), Some(Chunk::File(rest)));
    }
    let at = message.advance(Position::START, 17);
    assert_eq!(message.io_slices(at, &mut pieces), 1);
    assert_eq!(*pieces[0], [0, 0, 0, 0, 0, 0, 2]);
    assert!(message.to_vec().is_err());
}

/// E6: pads are zero even in words that held something before they were rolled back.
#[test]
fn pads_in_used_memory() {
    let data = [0xaa; 5];
    let (mut head, mut segments) = (vec![0xff; 64], Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    let mark = e.mark();
    e.put(&[u64::MAX; 4]).unwrap();
    e.rollback(mark).unwrap();
    e.put(&Payload::Borrowed(&data)).unwrap();
    let opaque: Opaque<'_> = Opaque::new(&data).unwrap();
    e.put(&opaque).unwrap();
    e.reserve().unwrap();
    e.finish();
    let bytes = segments.view(&head).to_vec().unwrap();
    assert_eq!(bytes[9..12], [0; 3]);
    assert_eq!(bytes[21..24], [0; 3]);
    assert_eq!(bytes[24..], [0; 4]);
}
