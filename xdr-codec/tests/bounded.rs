//! Payloads with a maximum: the bound holds on the wire and on construction, all else is as without.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_alloc
)]

mod common;

use common::encode;
use nfswire_xdr::{
    BoundedPayload, Cursor, Encode, Encoder, ErrorKind, FileRange, LengthError, Limits, Payload,
    Piece, Pieces, Segments, Wire, from_bytes, xdr_struct,
};

xdr_struct! {
    "blob" => pub struct Blob<'a> { pub id: u32, pub data: BoundedPayload<'a, 10>, pub check: u32 }
}

fn wire(len: u32) -> Vec<u8> {
    let mut bytes = [9u32.to_be_bytes(), len.to_be_bytes()].concat();
    bytes.extend((0..len).map(|i| i as u8 + 1));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(7u32.to_be_bytes());
    bytes
}

#[test]
fn on_the_wire() {
    assert_eq!((BoundedPayload::<'_, 10>::MIN_LEN, BoundedPayload::<'_, 10>::MAX_LEN), (4, 16));
    assert_eq!((Blob::MIN_LEN, Blob::MAX_LEN), (12, 24));
    for len in 0..20 {
        let bytes = wire(len);
        let pieces: Vec<_> = bytes.chunks(5).map(Piece::Here).collect();
        let mut scratch = [0; 64];
        let scattered = Pieces::new(&pieces, &mut scratch).decode::<Blob<'_>>();
        assert_eq!(from_bytes::<Blob<'_>>(&bytes), scattered, "{len}");
        match scattered {
            Ok(blob) => {
                assert!(len <= 10);
                assert_eq!((blob.data.len(), blob.check), (len, 7));
                assert_eq!(encode(&from_bytes::<Blob<'_>>(&bytes).unwrap()), bytes);
            }
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::TooLong { len, limit: 10 });
                assert_eq!((error.offset, error.field.unwrap().name), (4, "data"));
                let why = format!("blob.data at byte 4: {len} bytes long, at most 10 allowed");
                assert_eq!(error.to_string(), why);
            }
        }
    }
    // The smaller of the two maxima counts, in each policy.
    let bytes = wire(9);
    for policy in [Limits::STRICT, Limits::LENIENT] {
        let limits = Limits { max_payload: 8, ..policy };
        let error = Cursor::with(&bytes, &limits).decode::<Blob<'_>>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLong { len: 9, limit: 8 });
    }
    let error = Cursor::with(&wire(11), &Limits::LENIENT).decode::<Blob<'_>>().unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLong { len: 11, limit: 10 });
}

#[test]
fn head_first() {
    let bytes = &wire(9)[..20]; // without the last word
    for here in 8..20 {
        let mut c = Cursor::head(&bytes[..here], 20, &Limits::STRICT);
        assert_eq!(c.decode(), Ok(9u32));
        let data: BoundedPayload<'_, 10> = c.decode().unwrap();
        assert_eq!(data.into_payload(), Payload::Elsewhere { at: 8, len: 9 });
    }
    // A length beyond the maximum is known before anything of the payload has come.
    let long = wire(11);
    let mut c = Cursor::head(&long[4..8], 16, &Limits::STRICT);
    let error = c.decode::<BoundedPayload<'_, 10>>().unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLong { len: 11, limit: 10 });
}

#[test]
fn on_construction() {
    let file = |len| Payload::File(FileRange { token: 1, offset: 2, len });
    assert!(BoundedPayload::<'_, 10>::new(file(10)).is_some());
    assert_eq!(BoundedPayload::<'_, 10>::new(file(11)), None);
    assert!(BoundedPayload::<'_, 10>::new(b"0123456789").is_some());
    let error = BoundedPayload::<'_, 10>::try_from(Payload::Borrowed(&[0; 11])).unwrap_err();
    assert_eq!(error, LengthError { len: 11, limit: 10 });
    assert_eq!(error.to_string(), "11 bytes long, at most 10 allowed");
}

/// By reference, as a payload without a maximum.
#[test]
fn by_reference() {
    let data = [5; 9];
    let blob = Blob { id: 1, data: BoundedPayload::new(&data).unwrap(), check: 2 };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&blob).unwrap();
    e.put(&blob.data).unwrap();
    assert_eq!(e.finish(), blob.encoded_len() + blob.data.encoded_len());
    assert_eq!(segments.stats().referenced, 18);
    assert_eq!(segments.view(&head).placements().count(), 2);
    assert_eq!(Payload::from(blob.data.clone()), *blob.data.as_payload());
}

#[cfg(feature = "alloc")]
#[test]
fn owned() {
    use nfswire_xdr::Owned;

    let blob = Blob { id: 9, data: BoundedPayload::new(&[1, 2, 3]).unwrap(), check: 7 };
    let owned = Owned::<Blob<'_>>::new(&blob).unwrap();
    assert_eq!(owned.get(), Ok(blob));
    assert_eq!(owned.as_bytes(), wire(3));
    assert!(Owned::<Blob<'_>>::from_wire(wire(11)).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn as_text() {
    use nfswire_xdr::Owned;

    let text = r#"{"id":9,"data":"010203","check":7}"#;
    let owned: Owned<Blob<'_>> = serde_json::from_str(text).unwrap();
    assert_eq!(owned.as_bytes(), wire(3));
    assert_eq!(serde_json::to_string(&owned.get().unwrap()).unwrap(), text);
    assert_eq!(serde_json::to_string(&owned.get().unwrap().data).unwrap(), "\"010203\"");
    let long = text.replace("010203", &"01".repeat(11));
    let error = serde_json::from_str::<Owned<Blob<'_>>>(&long).unwrap_err();
    assert!(error.to_string().contains("11 bytes long, at most 10 allowed"), "{error}");
}

#[cfg(feature = "arbitrary")]
#[test]
fn of_arbitrary_bytes() {
    use arbitrary::{Arbitrary, Unstructured};

    let noise: Vec<u8> =
        (0..4000u32).map(|i| (i.wrapping_mul(i).wrapping_mul(37) >> 5) as u8).collect();
    let mut lens = std::collections::BTreeSet::new();
    for start in 0..1000 {
        let mut u = Unstructured::new(&noise[start..start + 200]);
        let blob = Blob::arbitrary(&mut u).unwrap();
        assert!(blob.data.len() <= 10);
        lens.insert(blob.data.len());
    }
    assert!(lens.len() > 5, "{lens:?}");
}

#[cfg(feature = "proptest")]
proptest::proptest! {
    #[test]
    fn any_value(owned in nfswire_xdr::proptest::any_owned::<Blob<'static>>()) {
        proptest::prop_assert!(owned.get()?.data.len() <= 10);
    }
}
