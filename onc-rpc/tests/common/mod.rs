//! Helpers of the integration tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

use std::{fs, path::Path};

use nfswire_xdr::{
    Cursor, Decode, Encode, Encoder, ErrorKind, Limits, Segments, explain, from_bytes,
};

/// Text of a file under `testdata`.
pub(crate) fn testdata(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Bytes written as hexadecimal digits; white space has no meaning.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).unwrap()).collect();
    assert_eq!(digits.len() % 2, 0, "odd number of digits");
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

/// Bytes of a case file: line 1 is a comment.
pub(crate) fn case(id: &str) -> Vec<u8> {
    let text = testdata(&format!("cases/{id}.hex"));
    let (comment, hex) = text.split_once('\n').unwrap();
    assert!(comment.starts_with(&format!("# {id} ")), "{comment}");
    unhex(hex)
}

/// Encodes into a head that grows.
pub(crate) fn encode<'p, T: Encode<'p>>(value: &T) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    e.finish();
    segments.view(&head[..]).to_vec().unwrap()
}

/// Encodes field by field, one word a page.
fn encode_in_pages<'p, T: Encode<'p>>(value: &T, len: usize) -> Vec<u8> {
    let mut pages = vec![vec![0xee; 4]; len / 4 + 1];
    let mut segments = Segments::new();
    let mut refs: Vec<&mut [u8]> = pages.iter_mut().map(|page| &mut page[..]).collect();
    let mut e = Encoder::pages(&mut refs, &mut segments);
    e.put(value).unwrap();
    e.finish();
    pages.concat()[..len].to_vec()
}

/// Decodes the vector, which has four bytes behind it in `longer`, encodes it to the same bytes in every
/// kind of head, and cuts it at every byte.
pub(crate) fn check<'a, T>(name: &str, longer: &'a [u8])
where
    T: Decode<'a> + Encode<'a> + PartialEq + core::fmt::Debug,
{
    let bytes = &longer[..longer.len() - 4];
    let value: T = from_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(encode(&value), bytes, "{name}");
    assert_eq!(encode_in_pages(&value, bytes.len()), bytes, "{name}");
    assert_eq!(value.encoded_len(), bytes.len() as u64, "{name}");
    assert!(value.encoded_len() >= T::MIN_LEN.into() && value.encoded_len() <= T::MAX_LEN.into());
    assert!(explain::<T>(bytes, &Limits::STRICT).is_none());
    for cut in 0..bytes.len() {
        let error = from_bytes::<T>(&bytes[..cut]).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Short { .. }), "{name} cut at {cut}: {error}");
        // Received so far, the rest still on the wire.
        let head = u32::try_from(bytes.len()).unwrap();
        let error = Cursor::head(&bytes[..cut], head, &Limits::STRICT).decode::<T>().unwrap_err();
        assert!(matches!(error.kind, ErrorKind::NotHere { .. }), "{name} head of {cut}: {error}");
    }
    let mut c = Cursor::new(longer);
    assert_eq!(c.decode::<T>(), Ok(value), "{name}");
    assert_eq!(c.position(), bytes.len(), "{name}");
    assert_eq!(c.finish().unwrap_err().kind, ErrorKind::Trailing(4), "{name}");
}
