//! The same bytes in one slice and in pieces: same values, same errors. // D6 D7
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

use nfswire_xdr::{
    Array, Chain, Cursor, Decode, DecodeError, Encode, Encoder, ErrorKind, FileRange, Limits,
    Opaque, Payload, Piece, Pieces, Scattered, Segments, Text, from_bytes, xdr_enum, xdr_struct,
    xdr_union,
};
use proptest::prelude::*;

xdr_enum! { "kind" => pub enum Kind { "ONE" One = 1, "TWO" Two = 2 } }
xdr_struct! {
    #[derive(Copy)]
    "times" => pub struct Times { pub kind: Kind, pub a: u64, pub flag: bool, pub tag: [u8; 3] }
}
xdr_struct! {
    "entry" => pub struct Entry<'a> {
        pub id: u64, pub name: Text<'a, 12>, pub times: Option<Times>, pub handle: Option<Opaque<'a, 8>>,
    }
}
xdr_union! {
    "body" => pub enum Body<'a> switch (which: u32) {
        case 0 => List(Entries<'a>),
        case 1 => Data(Sized<'a>),
        cases (2, 3) => Times(Times),
        default => Void,
    }
}
xdr_struct! { "entries" => pub struct Entries<'a> { pub list: Chain<'a, Entry<'a>>, pub eof: bool } }
xdr_struct! {
    "sized" => pub struct Sized<'a> { pub name: Opaque<'a, 9>, pub data: Payload<'a>, pub after: Times }
}

fn encode<'a, T: Encode<'a>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.finish(), value.encoded_len());
    segments.view(&head).to_vec().unwrap()
}

fn cut<'a>(bytes: &'a [u8], sizes: &[usize]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        let (first, more) = rest.split_at((*size).min(rest.len()));
        pieces.push(Piece::Here(first));
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

/// Decodes and encodes again; a lazy list decodes its elements once more on the way.
fn through<'a, T: Decode<'a> + Encode<'a>>(
    decoded: Result<T, DecodeError>,
) -> Result<Vec<u8>, DecodeError> {
    decoded.map(|value| encode(&value))
}

fn compare(bytes: &[u8], sizes: &[usize]) {
    for limits in [&Limits::STRICT, &Limits::LENIENT] {
        let mut c = Cursor::with(bytes, limits);
        let one = through(c.decode::<Body<'_>>());
        let pieces = cut(bytes, sizes);
        let mut scratch = vec![0xee; bytes.len() * 2];
        let mut p = Pieces::with(&pieces, &mut scratch, limits);
        let many = through(p.decode::<Body<'_>>());
        assert_eq!(one, many, "{bytes:02x?} cut by {sizes:?}");
        if one.is_ok() {
            assert_eq!(c.position(), p.position());
            assert_eq!(c.finish(), p.finish());
        }
    }
}

const SIZES: [&[usize]; 6] = [&[1], &[3], &[4], &[0, 5, 2], &[7], &[50]];

fn times() -> impl Strategy<Value = Times> {
    (any::<bool>(), any::<u64>(), any::<bool>(), any::<[u8; 3]>()).prop_map(|(k, a, flag, tag)| {
        Times { kind: if k { Kind::One } else { Kind::Two }, a, flag, tag }
    })
}

type Raw = (u64, Vec<u8>, Option<Times>, Option<Vec<u8>>);

fn raw_entry() -> impl Strategy<Value = Raw> {
    (
        any::<u64>(),
        prop::collection::vec(any::<u8>(), 0..=12),
        prop::option::of(times()),
        prop::option::of(prop::collection::vec(any::<u8>(), 0..=8)),
    )
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let list = (prop::collection::vec(raw_entry(), 0..6), any::<bool>()).prop_map(|(raw, eof)| {
        let entries: Vec<Entry<'_>> = raw
            .iter()
            .map(|(id, name, times, handle)| Entry {
                id: *id,
                name: Text::new(name).unwrap(),
                times: *times,
                handle: handle.as_ref().map(|h| Opaque::new(h).unwrap()),
            })
            .collect();
        encode(&Body::List(Entries { list: Chain::from_slice(&entries), eof }))
    });
    let data = (
        prop::collection::vec(any::<u8>(), 0..=9),
        prop::collection::vec(any::<u8>(), 0..70),
        times(),
    )
        .prop_map(|(name, data, after)| {
            encode(&Body::Data(Sized {
                name: Opaque::new(&name).unwrap(),
                data: Payload::Borrowed(&data),
                after,
            }))
        });
    let fixed = times().prop_map(|t| encode(&Body::Times(2, t)));
    prop_oneof![list, data, fixed, (4u32..).prop_map(|d| encode(&Body::Void(d)))]
}

proptest! {
    #[test]
    fn valid_messages(bytes in message(), sizes in prop::collection::vec(1usize..40, 1..5)) {
        compare(&bytes, &sizes);
        for sizes in SIZES {
            compare(&bytes, sizes);
        }
    }

    #[test]
    fn damaged_messages(
        bytes in message(),
        cut_at in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        sizes in prop::collection::vec(1usize..40, 1..5),
    ) {
        let mut bytes = bytes;
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        compare(&bytes, &sizes);
        compare(&bytes, &[1]);
        bytes.truncate(cut_at.index(bytes.len() + 1));
        compare(&bytes, &sizes);
        compare(&bytes, &[1]);
    }
}

/// `pub data` is the payload; its bytes start at 12 behind `which`, an empty name and the length.
fn sized(data: &[u8]) -> Vec<u8> {
    let after = Times { kind: Kind::One, a: 1, flag: true, tag: [1, 2, 3] };
    encode(&Body::Data(Sized { name: Opaque::default(), data: Payload::Borrowed(data), after }))
}

fn payload_of<'a>(body: Result<Body<'a>, DecodeError>) -> Payload<'a> {
    match body.unwrap() {
        Body::Data(sized) => {
            assert_eq!(sized.after.tag, [1, 2, 3]);
            sized.data
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_straddling_payload_stays_where_it_is() {
    let data: Vec<u8> = (0..10).collect();
    let bytes = sized(&data);
    let pieces = cut(&bytes, &[14, 5, 3]);
    let mut scratch = [0; 64];
    let mut p = Pieces::new(&pieces, &mut scratch);
    let Payload::Scattered(slices) = payload_of(p.decode()) else { panic!("not scattered") };
    let lens: Vec<_> = slices.slices().map(<[u8]>::len).collect();
    assert_eq!(lens, [2, 5, 3]);
    assert_eq!(slices.slices().next().unwrap().as_ptr(), bytes[12..].as_ptr());
    assert_eq!(slices.slices().flatten().copied().collect::<Vec<_>>(), data);
}

#[test]
fn a_payload_may_lie_in_a_hole() {
    for len in [7u32, 8] {
        let data = vec![9; len as usize];
        let bytes = sized(&data);
        let padded = len.next_multiple_of(4) as usize;
        let (head, tail) = (&bytes[..12], &bytes[12 + padded..]);
        // With its pad, as on the wire; without, as RDMA leaves it.
        for hole in [padded as u32, len] {
            let pieces = [Piece::Here(head), Piece::Elsewhere(hole), Piece::Here(tail)];
            let mut scratch = [];
            let mut p = Pieces::new(&pieces, &mut scratch);
            assert_eq!(payload_of(p.decode()), Payload::Elsewhere { at: 12, len });
            assert_eq!(p.position(), bytes.len(), "positions count the pad");
            p.finish().unwrap();
        }
    }
}

#[test]
fn only_a_payload_may_lie_in_a_hole() {
    let bytes = sized(&[1; 8]);
    let pieces = [Piece::Here(&bytes[..30]), Piece::Elsewhere(bytes.len() as u32 - 30)];
    let mut scratch = [0; 64];
    let error = Pieces::new(&pieces, &mut scratch).decode::<Body<'_>>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "times.a at byte 24: need 8 bytes, only 6 of the message are here"
    );
    // Bytes that will never come are another matter.
    let error = Cursor::new(&bytes[..30]).decode::<Body<'_>>().unwrap_err();
    assert_eq!(error.to_string(), "times.a at byte 24: need 8 bytes, 6 left");
    let error = Cursor::head(&bytes[..30], bytes.len() as u32, &Limits::STRICT);
    assert!(matches!(
        error.clone().decode::<Body<'_>>().unwrap_err().kind,
        ErrorKind::NotHere { needed: 8, here: 6 }
    ));
}

#[test]
fn too_little_scratch_says_how_much() {
    let bytes = sized(&[1; 8]);
    let pieces = cut(&bytes, &[22]);
    // `times` is one block of 20 bytes that straddles the pieces.
    for room in 0..20 {
        let mut scratch = vec![0; room];
        let error = Pieces::new(&pieces, &mut scratch).decode::<Body<'_>>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Scratch { needed: 20 - room as u32 });
        assert_eq!((error.offset, error.field.unwrap().type_name), (20, "times"));
    }
    let mut scratch = [0; 20];
    assert!(Pieces::new(&pieces, &mut scratch).decode::<Body<'_>>().is_ok());
}

xdr_struct! {
    /// A payload between names, of which one is in an option, and a list of payloads.
    "parcels" => pub struct Parcels<'a> {
        pub name: Text<'a>,
        pub data: Option<Payload<'a>>,
        pub times: Option<Times>,
        pub list: Array<'a, Payload<'a>>,
        pub last: Payload<'a>,
    }
}

proptest! {
    /// Scratch as long as the message without its payloads always suffices, whatever the pieces; those
    /// in lists count as the lists' bytes.
    #[test]
    fn scratch_without_payloads_suffices(
        name in prop::collection::vec(any::<u8>(), 0..20),
        data in prop::option::of(prop::collection::vec(any::<u8>(), 0..60)),
        times in prop::option::of(times()),
        list in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..4),
        last in prop::collection::vec(any::<u8>(), 0..60),
        sizes in prop::collection::vec(0usize..40, 1..6),
    ) {
        prop_assume!(sizes.iter().any(|size| *size > 0));
        let items: Vec<Payload<'_>> = list.iter().map(|data| Payload::Borrowed(data)).collect();
        let value = Parcels {
            name: Text::new(&name).unwrap(),
            data: data.as_deref().map(Payload::Borrowed),
            times,
            list: Array::from_slice(&items).unwrap(),
            last: Payload::Borrowed(&last),
        };
        let bytes = encode(&value);
        let payloads = last.len() + data.as_ref().map_or(0, Vec::len);
        for sizes in SIZES.iter().copied().chain([&sizes[..]]) {
            let pieces = cut(&bytes, sizes);
            let mut scratch = vec![0xee; bytes.len() - payloads];
            let mut p = Pieces::new(&pieces, &mut scratch);
            // Payloads are compared by their bytes, wherever these lie.
            prop_assert_eq!(&p.decode::<Parcels<'_>>()?, &value);
            p.finish()?;
        }
    }
}

/// A list is one slice: payloads in it are copied where it straddles, and must be at hand.
#[test]
fn payloads_in_lists() {
    let items = [Payload::Borrowed(b"abcd"), Payload::Borrowed(b"efgh")];
    let bytes = encode(&Array::<'_, Payload<'_>>::from_slice(&items).unwrap());
    let pieces = cut(&bytes, &[9]);
    let mut scratch = [0; 16];
    let mut p = Pieces::new(&pieces, &mut scratch);
    let list: Array<'_, Payload<'_>> = p.decode().unwrap();
    assert!(list.iter().eq(items.clone()));
    assert!(list.iter().all(|item| matches!(item, Payload::Borrowed(_))));
    let mut scratch = [0; 15];
    let error = Pieces::new(&pieces, &mut scratch).decode::<Array<'_, Payload<'_>>>().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Scratch { needed: 1 });

    let chain = encode(&Chain::from_slice(&items)); // with words between, and one behind
    let not_here = |error: DecodeError, at: usize, offset: usize| {
        let here = (at - offset) as u32;
        assert_eq!(error.kind, ErrorKind::NotHere { needed: 4, here }, "{at}");
        assert_eq!(error.offset as usize, offset, "{at}");
    };
    for at in 0..bytes.len() {
        let pieces = [Piece::Here(&bytes[..at]), Piece::Elsewhere((bytes.len() - at) as u32)];
        let mut scratch = [0; 64];
        let mut p = Pieces::new(&pieces, &mut scratch);
        not_here(p.decode::<Array<'_, Payload<'_>>>().unwrap_err(), at, at & !3);
        let mut c = Cursor::head(&bytes[..at], bytes.len() as u32, &Limits::STRICT);
        not_here(c.decode::<Array<'_, Payload<'_>>>().unwrap_err(), at, at & !3);
    }
    for at in 0..chain.len() {
        let pieces = [Piece::Here(&chain[..at]), Piece::Elsewhere((chain.len() - at) as u32)];
        let mut scratch = [];
        let mut p = Pieces::new(&pieces, &mut scratch);
        not_here(p.decode::<Chain<'_, Payload<'_>>>().unwrap_err(), at, at & !3);
        let mut c = Cursor::head(&chain[..at], chain.len() as u32, &Limits::STRICT);
        not_here(c.decode::<Chain<'_, Payload<'_>>>().unwrap_err(), at, at & !3);
    }
}

/// Equality is that of the bytes where they are in memory, else that of what is meant.
#[test]
fn payloads_are_equal_by_their_bytes() {
    let slices = |parts: &'static [Piece<'static>]| Payload::from(Scattered::new(parts).unwrap());
    let same = [
        Payload::Borrowed(b"abcdef"),
        slices(&[Piece::Here(b"abcdef")]),
        slices(&[Piece::Here(b"a"), Piece::Here(b""), Piece::Here(b"bcde"), Piece::Here(b"f")]),
        #[cfg(feature = "bytes")]
        Payload::Bytes(bytes::Bytes::from_static(b"abcdef")),
    ];
    let others = [
        Payload::default(),
        Payload::Borrowed(b"abcdeF"),
        Payload::Borrowed(b"abcde"),
        slices(&[Piece::Here(b"abcde")]),
        slices(&[Piece::Here(b"abc"), Piece::Here(b"deg")]),
        Payload::File(FileRange { token: 1, offset: 2, len: 6 }),
        Payload::File(FileRange { token: 1, offset: 3, len: 6 }),
        Payload::Elsewhere { at: 4, len: 6 },
        Payload::Elsewhere { at: 8, len: 6 },
        Payload::Elsewhere { at: 8, len: 0 },
    ];
    for one in &same {
        assert!(same.iter().all(|two| one == two), "{one:?}");
        assert!(others.iter().all(|two| one != two), "{one:?}");
        assert!(others.iter().all(|two| two != one), "{one:?}");
        assert!(one.slices().unwrap().flatten().eq(b"abcdef"));
        assert!(one.slices().unwrap().all(|slice| !slice.is_empty()));
    }
    for (i, one) in others.iter().enumerate() {
        for (j, two) in others.iter().enumerate() {
            assert_eq!(one == two, i == j || (i.max(j), i.min(j)) == (3, 2), "{one:?} {two:?}");
        }
        let in_memory = !matches!(one, Payload::File(_) | Payload::Elsewhere { .. });
        assert_eq!(one.slices().is_some(), in_memory);
    }
    assert_eq!(Payload::default(), slices(&[]));
    assert_eq!(Payload::default().slices().unwrap().count(), 0);
}

#[test]
fn scattered_payloads_encode_slice_by_slice() {
    let pieces = [Piece::Here(b"abc"), Piece::Here(b""), Piece::Here(b"defg")];
    let payload = Payload::Scattered(Scattered::new(&pieces).unwrap());
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&payload).unwrap();
    e.put(&5u32).unwrap();
    assert_eq!(e.finish(), 16);
    let message = segments.view(&head);
    assert_eq!(message.iter().count(), 4);
    let bytes = message.to_vec().unwrap();
    assert_eq!(bytes, b"\0\0\0\x07abcdefg\0\0\0\0\x05");
    assert_eq!(from_bytes::<Payload<'_>>(&bytes[..12]), Ok(Payload::Borrowed(b"abcdefg")));
    assert!(Scattered::new(&[Piece::Elsewhere(1)]).is_none());
}

/// A payload that begins more than 4 GiB behind the start of its piece cannot be named by an offset of
/// 32 bits: an error, not other bytes. None of the memory but its ends is ever touched.
#[cfg(target_pointer_width = "64")]
#[test]
fn payloads_behind_four_gibibytes_are_never_other_bytes() {
    const BODY: u32 = u32::MAX - 3;
    let mut first = vec![0; BODY as usize + 12];
    first[..4].copy_from_slice(&BODY.to_be_bytes());
    let [.., a, b, c, d, e, f, g, h] = &mut first[..] else { panic!() };
    ([*a, *b, *c, *d], [*e, *f, *g, *h]) = (8u32.to_be_bytes(), *b"abcd");
    let limits = Limits { max_payload: u32::MAX, ..Limits::STRICT };
    let here = [Piece::Here(&first), Piece::Here(b"efgh")];
    let away = [Piece::Here(&first), Piece::Elsewhere(4)];
    for pieces in [&here, &away] {
        let mut p = Pieces::with(pieces, &mut [], &limits);
        assert_eq!(p.decode::<Payload<'_>>().unwrap().len(), BODY);
        let error = p.decode::<Payload<'_>>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Contradiction);
    }
}
