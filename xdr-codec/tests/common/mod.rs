//! Helpers of the integration tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation
)]

use std::{fs, path::Path};

use nfswire_xdr::{Encode, EncodeError, Encoder, Pages, Segments};

/// Text of a file under `testdata`.
pub(crate) fn testdata(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Bytes written as hexadecimal digits; white space has no meaning.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    hex::decode(&digits).unwrap_or_else(|error| panic!("{digits}: {error}"))
}

/// Bytes of a case file: line 1 is a comment.
pub(crate) fn case(id: &str) -> Vec<u8> {
    let text = testdata(&format!("cases/{id}.hex"));
    let (comment, hex) = text.split_once('\n').unwrap();
    assert!(comment.starts_with(&format!("# {id} ")), "{comment}");
    unhex(hex)
}

/// Encodes into each kind of head, full of garbage, and returns the bytes, which must be the same:
/// `encoded_len` of them, within the bounds of the type. A head that lacks a word must be refused and
/// left empty.
pub(crate) fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let len = value.encoded_len();
    assert!(len >= T::MIN_LEN.into(), "shorter than MIN_LEN");
    assert!(T::MAX_LEN == u32::MAX || len <= T::MAX_LEN.into(), "longer than MAX_LEN");
    assert!(!T::FIXED || len == u64::from(T::MIN_LEN), "not of its fixed size");

    let (mut head, mut segments) = (vec![0xff; 40], Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.len(), len);
    assert_eq!(e.finish(), len, "encoded_len");
    let bytes = segments.view(&head).to_vec().unwrap();
    assert_eq!(bytes.len() as u64, len, "encoded_len");
    assert_eq!(segments.view(&head).len(), len);

    assert_eq!(encode_fixed(value, bytes.len()).unwrap(), bytes, "fixed head");
    let payloads: usize = if T::INLINE { 0 } else { bytes.len() };
    let room =
        (bytes.len() - payloads..=bytes.len()).find(|room| encode_fixed(value, *room).is_ok());
    let room = room.expect("some room suffices");
    if let Some(less) = room.checked_sub(4) {
        let error = encode_fixed(value, less).unwrap_err();
        assert_eq!(error, EncodeError::NoSpace { missing: 4 });
    }
    for page in [4, 12, 64] {
        let mut pages = vec![vec![0xff; page]; bytes.len().div_ceil(page)];
        let mut segments = Segments::new();
        let mut e = Encoder::pages(&mut pages, &mut segments);
        e.put(value).unwrap();
        assert_eq!(e.finish(), len, "pages of {page} bytes");
        let message = segments.view(&pages as &dyn Pages);
        assert_eq!(message.to_vec().unwrap(), bytes, "pages of {page} bytes");

        let too_few = (room / page).saturating_sub(usize::from(room.is_multiple_of(page)));
        let mut pages = vec![vec![0xff; page]; too_few];
        let mut segments = Segments::new();
        let mut e = Encoder::pages(&mut pages, &mut segments);
        if room > 0 {
            assert!(
                matches!(e.put(value), Err(EncodeError::NoSpace { .. })),
                "{too_few} pages of {page} bytes"
            );
        }
        assert_eq!(e.len(), 0, "half a value is left");
        e.finish();
        assert_eq!(segments.count(), 0, "half a value is left");
    }
    bytes
}

/// Encodes into a slice of `room` bytes, full of garbage; an error must leave nothing behind.
pub(crate) fn encode_fixed<'p, T: Encode<'p>>(
    value: &T,
    room: usize,
) -> Result<Vec<u8>, EncodeError> {
    let (mut head, mut segments) = (vec![0xff; room], Segments::new());
    let mut e = Encoder::fixed(&mut head, &mut segments);
    let put = e.put(value);
    if let Err(error) = put {
        assert_eq!(e.len(), 0, "half a value is left");
        assert_eq!(e.room(), room as u64 & !3, "room is lost");
        assert_eq!(e.finish(), 0);
        assert_eq!(segments.count(), 0, "half a value is left");
        return Err(error);
    }
    e.finish();
    Ok(segments.view(&head).to_vec().unwrap())
}
