//! Every kind of error with its numbers, offset and field (D4, D5, D6, E10).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

mod common;
#[path = "common/types.rs"]
mod types;

use common::{encode, encode_fixed, unhex};
use nfswire_xdr::{
    Array, Chain, Cursor, Decode, DecodeError, Encode, EncodeError, Encoder, ErrorKind, FileRange,
    Limits, Opaque, Payload, Probe, Segments, Source, Text, Wire, explain, from_bytes, xdr_struct,
};
use types::*;

xdr_struct! {
    /// A payload between fixed fields.
    "parcel" => pub(crate) struct Parcel<'a> {
        pub(crate) tag: u32,
        pub(crate) ok: bool,
        "contents" => pub(crate) data: Payload<'a>,
        pub(crate) check: u32,
    }
}

/// A number and, redundantly, its complement.
#[derive(Debug, PartialEq, Eq)]
struct Twice(u32);

impl Wire for Twice {
    const MIN_LEN: u32 = 8;
    const MAX_LEN: u32 = 8;
}

impl<'a> Decode<'a> for Twice {
    fn decode<S: Source<'a>>(c: &mut S) -> Option<Self> {
        let number = c.word()?;
        (c.word()? == !number).then_some(Self(number))
    }

    fn check(p: &mut Probe<'_>) -> Result<(), DecodeError> {
        let at = p.position();
        if p.word()? == !p.word()? { Ok(()) } else { Err(p.error_at(ErrorKind::Contradiction, at)) }
    }
}

/// Bytes of a bad value, and kind, offset, field and text of the error.
struct Case {
    hex: &'static str,
    decode: fn(&[u8]) -> Result<(), DecodeError>,
    kind: ErrorKind,
    offset: u32,
    field: Option<&'static str>,
    text: &'static str,
}

fn strict<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<(), DecodeError> {
    from_bytes::<T>(bytes).map(drop)
}

fn narrow<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<(), DecodeError> {
    Cursor::with(bytes, &Limits { max_items: 2, max_payload: 5, ..Limits::STRICT })
        .decode::<T>()
        .map(drop)
}

const CASES: &[Case] = &[
    Case {
        hex: "000003",
        decode: |bytes| strict::<u32>(bytes),
        kind: ErrorKind::Short { needed: 4, left: 3 },
        offset: 0,
        field: None,
        text: "at byte 0: need 4 bytes, 3 left",
    },
    Case {
        hex: "00000001 00000001 00000003 aabbcc00 0000",
        decode: |bytes| strict::<Parcel<'_>>(bytes),
        kind: ErrorKind::Short { needed: 4, left: 2 },
        offset: 16,
        field: Some("parcel.check"),
        text: "parcel.check at byte 16: need 4 bytes, 2 left",
    },
    Case {
        hex: "00000001 00000001 00000005 aabbcc",
        decode: |bytes| strict::<Parcel<'_>>(bytes),
        kind: ErrorKind::Short { needed: 5, left: 3 },
        offset: 12,
        field: Some("parcel.contents"),
        text: "parcel.contents at byte 12: need 5 bytes, 3 left",
    },
    Case {
        hex: "00000006 616263646566 0000",
        decode: |bytes| strict::<OpaqueMax5<'_>>(bytes),
        kind: ErrorKind::TooLong { len: 6, limit: 5 },
        offset: 0,
        field: None,
        text: "at byte 0: 6 bytes long, at most 5 allowed",
    },
    Case {
        hex: "00000001 00000001 00000006 aabbccddeeff0000 00000000",
        decode: |bytes| narrow::<Parcel<'_>>(bytes),
        kind: ErrorKind::TooLong { len: 6, limit: 5 },
        offset: 8,
        field: Some("parcel.contents"),
        text: "parcel.contents at byte 8: 6 bytes long, at most 5 allowed",
    },
    Case {
        hex: "00000005 00000000 00000000 00000000 00000000 00000000",
        decode: |bytes| strict::<ArrayMax4<'_>>(bytes),
        kind: ErrorKind::TooMany { count: 5, limit: 4 },
        offset: 0,
        field: None,
        text: "at byte 0: 5 elements, at most 4 allowed",
    },
    Case {
        hex: "00000003 00000000 00000000 00000000",
        decode: |bytes| narrow::<ArrayMax4<'_>>(bytes),
        kind: ErrorKind::TooMany { count: 3, limit: 2 },
        offset: 0,
        field: None,
        text: "at byte 0: 3 elements, at most 2 allowed",
    },
    Case {
        hex: "00000001 00000007 00000001 00000007 00000001 00000007 00000000",
        decode: |bytes| narrow::<ListPtr<'_>>(bytes),
        kind: ErrorKind::TooMany { count: 3, limit: 2 },
        offset: 16,
        field: None,
        text: "at byte 16: 3 elements, at most 2 allowed",
    },
    Case {
        hex: "00000000 00000001 61000100 0000000000000000",
        decode: |bytes| strict::<Mixed<'_>>(bytes),
        kind: ErrorKind::Padding,
        offset: 10,
        field: Some("xdr_mixed.pad1"),
        text: "xdr_mixed.pad1 at byte 10: pad bytes are not zero",
    },
    Case {
        hex: "01020304050607ff",
        decode: |bytes| strict::<Opaque7>(bytes),
        kind: ErrorKind::Padding,
        offset: 7,
        field: None,
        text: "at byte 7: pad bytes are not zero",
    },
    Case {
        hex: "00000001 00000002 00000000 00000000",
        decode: |bytes| strict::<Parcel<'_>>(bytes),
        kind: ErrorKind::Bool(2),
        offset: 4,
        field: Some("parcel.ok"),
        text: "parcel.ok at byte 4: 2 is not a boolean",
    },
    Case {
        hex: "00000007 00000000",
        decode: |bytes| strict::<OptionalInt>(bytes),
        kind: ErrorKind::Bool(7),
        offset: 0,
        field: Some("xdr_optional_int.value"),
        text: "xdr_optional_int.value at byte 0: 7 is not a boolean",
    },
    Case {
        hex: "fffffffe",
        decode: |bytes| strict::<XdrEnum>(bytes),
        kind: ErrorKind::Enum(0xffff_fffe),
        offset: 0,
        field: None,
        text: "at byte 0: -2 is not a value of this enumeration",
    },
    Case {
        hex: "00000001 66000000 00000003",
        decode: |bytes| strict::<File<'_>>(bytes),
        kind: ErrorKind::Enum(3),
        offset: 8,
        field: Some("filetype.kind"),
        text: "filetype.kind at byte 8: 3 is not a value of this enumeration",
    },
    Case {
        hex: "7fffffff",
        decode: |bytes| strict::<UnionNoDefault<'_>>(bytes),
        kind: ErrorKind::Union(0x7fff_ffff),
        offset: 0,
        field: Some("xdr_union_nodefault.kind"),
        text: "xdr_union_nodefault.kind at byte 0: discriminant 2147483647 selects no arm",
    },
    Case {
        hex: "00000009 00000009 61616161 61616161 61000000",
        decode: |bytes| strict::<XdrUnion<'_>>(bytes),
        kind: ErrorKind::TooLong { len: 9, limit: 8 },
        offset: 4,
        field: Some("xdr_union.Rest"),
        text: "xdr_union.Rest at byte 4: 9 bytes long, at most 8 allowed",
    },
    Case {
        hex: "00000001 00000002",
        decode: |bytes| strict::<u32>(bytes),
        kind: ErrorKind::Trailing(4),
        offset: 4,
        field: None,
        text: "at byte 4: 4 bytes left over",
    },
    Case {
        hex: "00000001 00000002",
        decode: |bytes| strict::<Twice>(bytes),
        kind: ErrorKind::Contradiction,
        offset: 0,
        field: None,
        text: "at byte 0: parts of the value contradict each other",
    },
];

#[test]
fn every_kind() {
    for Case { hex, decode, kind, offset, field, text } in CASES {
        let error = decode(&unhex(hex)).expect_err(text);
        assert_eq!((error.kind, error.offset), (*kind, *offset), "{text}");
        assert_eq!(error.field.map(ToString::to_string).as_deref(), *field, "{text}");
        assert_eq!(error.to_string(), *text);
    }
    assert!(size_of::<DecodeError>() <= 24);
}

/// Whatever is not a payload must be at hand; a payload says where its bytes will be. Offsets count
/// from the start of the message.
#[test]
fn not_here() {
    let parcel = Parcel { tag: 9, ok: true, data: Payload::Borrowed(b"abcde"), check: 7 };
    let bytes = encode(&parcel);
    assert_eq!(bytes.len(), 24);
    let head = |here: usize| Cursor::head(&bytes[..here], bytes.len() as u32, &Limits::STRICT);
    for here in 0..bytes.len() {
        let error = head(here).decode::<Parcel<'_>>().unwrap_err();
        let (needed, have, offset, field) = match here {
            0..4 => (4, here, 0, "parcel.tag"),
            4..8 => (4, here - 4, 4, "parcel.ok"),
            8..12 => (4, here - 8, 8, "parcel.contents"),
            12..17 => (4, 0, 20, "parcel.check"),
            // All of the data is at hand, but not its pad.
            17..20 => (3, here - 17, 17, "parcel.contents"),
            _ => (4, here - 20, 20, "parcel.check"),
        };
        let kind = ErrorKind::NotHere { needed, here: have as u32 };
        assert_eq!((error.kind, error.offset), (kind, offset), "{here} bytes at hand: {error}");
        assert_eq!(error.field.unwrap().to_string(), field, "{here} bytes at hand");
    }
    assert_eq!(head(24).decode::<Parcel<'_>>(), Ok(parcel));

    // The payload alone, at the end of the message.
    let data: Payload<'_> = Payload::Borrowed(b"abcde");
    let bytes = encode(&data);
    for here in 4..bytes.len() {
        let mut c = Cursor::head(&bytes[..here], bytes.len() as u32, &Limits::STRICT);
        assert_eq!(c.decode(), Ok(Payload::Elsewhere { at: 4, len: 5 }), "{here} bytes at hand");
        assert_eq!((c.position(), c.remaining()), (bytes.len(), 0));
        c.finish().unwrap();
    }
    // The message is shorter than the payload says: those bytes will never come.
    let mut c = Cursor::head(&bytes[..6], 8, &Limits::STRICT);
    let error = c.decode::<Payload<'_>>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Short { .. }), "{error}");
    assert_eq!(error.offset, 4);
    // A count is judged by the message, not by what is at hand.
    let bytes = unhex("00000003 00000001 00000002");
    let mut c = Cursor::head(&bytes, 16, &Limits::STRICT);
    let error = c.decode::<Array<'_, u32>>().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::NotHere { needed: 4, here: 0 }, 12));
    let mut c = Cursor::head(&bytes, 12, &Limits::STRICT);
    let error = c.decode::<Array<'_, u32>>().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Short { .. }), "{error}");
}

/// The explanation names all fields on the way; the error alone the innermost.
#[test]
fn explanations() {
    let bytes = unhex("00000001 66000000 00000001 00000001 61ff0000");
    let error = from_bytes::<File<'_>>(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "filetype.Data at byte 17: pad bytes are not zero");
    let explanation = explain::<File<'_>>(&bytes, &Limits::STRICT).unwrap();
    assert_eq!(explanation.error, error);
    assert_eq!(explanation.path().count(), 2);
    assert_eq!(
        explanation.to_string(),
        "file.type > filetype.Data at byte 17: pad bytes are not zero"
    );
    // A value without fields has no path: the text is the error's.
    let explanation = explain::<bool>(&[0, 0, 0, 2], &Limits::STRICT).unwrap();
    assert_eq!(explanation.path().count(), 0);
    assert_eq!(explanation.to_string(), "at byte 0: 2 is not a boolean");
    assert_eq!(explanation.to_string(), explanation.error.to_string());
}

/// After an error the cursor stands where it stood, and goes on from there.
#[test]
fn an_error_does_not_move() {
    let bytes = unhex("00000007 00000009 00000001");
    let mut c = Cursor::new(&bytes);
    assert_eq!(c.decode(), Ok(7u32));
    let error = c.decode::<[bool; 2]>().unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::Bool(9), 4));
    assert_eq!((c.position(), c.remaining(), c.rest().len()), (4, 8, 8));
    assert_eq!(c.decode(), Ok(9u32));
    assert_eq!(c.decode(), Ok(true));
    assert_eq!(c.finish(), Ok(()));
}

/// Lenient policy forgives pads and what is left over, and nothing else; what it accepts encodes
/// canonically, from inside of lists and in every kind of head too.
#[test]
fn lenient() {
    fn canonical<'a, T: Decode<'a> + Encode<'a>>(from: &'a [u8], to: &'a [u8]) {
        assert!(from_bytes::<T>(from).is_err());
        let value: T = Cursor::with(from, &Limits::LENIENT).decode().unwrap();
        let bytes = encode(&value);
        assert_eq!(bytes, to);
        strict::<T>(to).unwrap();
    }
    canonical::<Opaque<'_>>(&unhex("00000002 61620001"), &unhex("00000002 61620000"));
    canonical::<Text<'_, 7>>(
        &unhex("00000007 61626364656667ff"),
        &unhex("00000007 6162636465666700"),
    );
    canonical::<[u8; 1]>(&unhex("61ffffff"), &unhex("61000000"));
    canonical::<Payload<'_>>(
        &unhex("00000005 6162636465ffffff"),
        &unhex("00000005 6162636465000000"),
    );
    canonical::<ArrayOfString<'_>>(
        &unhex("00000001 00000001 61616161"),
        &unhex("00000001 00000001 61000000"),
    );
    canonical::<ArrayOfOpaque7<'_>>(
        &unhex("00000001 01020304050607ff"),
        &unhex("00000001 0102030405060700"),
    );
    canonical::<Chain<'_, Array<'_, Opaque<'_>>>>(
        &unhex("00000001 00000001 00000001 61ffffff 00000000"),
        &unhex("00000001 00000001 00000001 61000000 00000000"),
    );
    // Booleans are not guessed at.
    for bytes in ["80000000", "00000002", "ffffffff"] {
        let bytes = unhex(bytes);
        let refused = |e: DecodeError| assert!(matches!(e.kind, ErrorKind::Bool(_)), "{e}");
        refused(Cursor::with(&bytes, &Limits::LENIENT).decode::<bool>().unwrap_err());
        refused(Cursor::with(&bytes, &Limits::LENIENT).decode::<OptionalInt>().unwrap_err());
        refused(Cursor::with(&bytes, &Limits::LENIENT).decode::<UnionBool>().unwrap_err());
        refused(Cursor::with(&bytes, &Limits::LENIENT).decode::<ListPtr<'_>>().unwrap_err());
    }
    let mut c = Cursor::with(&[0, 0, 0, 1, 9], &Limits::LENIENT);
    assert_eq!(c.decode(), Ok(true));
    c.finish().unwrap();

    for hex in ["00000006 6162636465660000", "00000003 61"] {
        let bytes = unhex(hex);
        let mut c = Cursor::with(&bytes, &Limits::LENIENT);
        assert_eq!(c.decode::<OpaqueMax5<'_>>(), from_bytes(&bytes), "{hex}");
    }
    let bytes = unhex("00000003");
    assert!(Cursor::with(&bytes, &Limits::LENIENT).decode::<XdrEnum>().is_err());
}

/// A lenient list means the same however it is read: compared, iterated, printed.
#[test]
fn lenient_lists_are_values() {
    let (loose, canonical) =
        (unhex("00000001 00000001 61626364"), unhex("00000001 00000001 61000000"));
    let loose: ArrayOfString<'_> = Cursor::with(&loose, &Limits::LENIENT).decode().unwrap();
    let canonical: ArrayOfString<'_> = from_bytes(&canonical).unwrap();
    assert_eq!(loose, canonical);
    assert_eq!(loose.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>(), [b"a"]);
    assert_eq!(format!("{loose:?}"), format!("{canonical:?}"));
}

#[test]
fn encode_errors() {
    let put = |value: &dyn Fn(&mut Encoder<'_, 'static>) -> Result<(), EncodeError>| {
        let (mut head, mut segments) = ([0xff; 16], Segments::new());
        let mut e = Encoder::fixed(&mut head, &mut segments);
        e.put(&1u32).unwrap();
        let error = value(&mut e).unwrap_err();
        // Nothing of it is left, and what was there still is.
        assert_eq!((e.len(), e.room()), (4, 12));
        e.finish();
        assert_eq!(segments.view(&head).to_vec().unwrap(), [0, 0, 0, 1]);
        error
    };
    assert_eq!(put(&|e| e.put(&[0u64; 2])), EncodeError::NoSpace { missing: 4 });
    let long: Opaque<'_> = Opaque::new(&[7; 21]).unwrap();
    assert_eq!(put(&|e| e.put(&long)), EncodeError::NoSpace { missing: 28 - 12 });
    assert_eq!(put(&|e| e.put(&Payload::Elsewhere { at: 0, len: 3 })), EncodeError::NotHere);
    assert_eq!(put(&|e| e.put(&XdrUnion::Word(1, Text::default()))), EncodeError::Contradiction);
    assert_eq!(put(&|e| e.put(&XdrUnion::Rest(2, Opaque::default()))), EncodeError::Contradiction);
    let inside = [UnionBool::Nothing, UnionBool::Number(3)]; // 4 and 12 bytes
    let parcel = Parcel { tag: 0, ok: true, data: Payload::Borrowed(&[1; 100]), check: 0 };
    // The payload is not in the head: tag, flag, length and check are 16 bytes.
    assert_eq!(put(&|e| e.put(&parcel)), EncodeError::NoSpace { missing: 4 });
    let both = |e: &mut Encoder<'_, 'static>| inside.iter().try_for_each(|union| e.put(union));
    assert_eq!(put(&|e| e.attempt(both)), EncodeError::NoSpace { missing: 4 });
    assert_eq!(EncodeError::NoSpace { missing: 4 }.to_string(), "the head lacks 4 bytes of room");
    assert_eq!(encode_fixed(&7u64, 7), Err(EncodeError::NoSpace { missing: 4 }));

    let range = FileRange { token: 1, offset: 2, len: 3 };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&Payload::File(range)).unwrap();
    assert_eq!(e.finish(), 8);
    assert!(segments.view(&head).to_vec().is_err());
}
