//! Helpers of the integration tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

use std::{fs, path::Path};

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
