//! Every prefix of every vector is refused, with the place and the field; so is a word too many
//! (D5).

use crate::common::{AREAS, find, vectors};
use nfswire_xdr::ErrorKind;

#[test]
fn truncated_vectors_are_refused() {
    let mut prefixes = 0;
    for area in AREAS {
        for vector in vectors(area) {
            let ty = find(area, &vector.type_name).expect("a type");
            for len in (0..vector.bytes.len()).step_by(4) {
                let origin = format!("{}, first {len} bytes", vector.origin);
                let Err(error) = (ty.round_trip)(&vector.bytes[..len]) else {
                    panic!("{origin}: decoded");
                };
                let ErrorKind::Short { needed, left } = error.kind else {
                    panic!("{origin}: {error}")
                };
                assert!(needed > left, "{origin}: {error}");
                assert_eq!(error.offset + left, len as u32, "{origin}: {error}");
                if ty.declared {
                    let field =
                        error.field.unwrap_or_else(|| panic!("{origin}: no field in '{error}'"));
                    assert!(
                        error
                            .to_string()
                            .starts_with(&format!("{}.{} at byte ", field.type_name, field.name))
                    );
                }
                prefixes += 1;
            }
        }
    }
    assert!(prefixes > 2000, "only {prefixes} prefixes");
}

#[test]
fn trailing_bytes_are_refused() {
    for area in AREAS {
        for mut vector in vectors(area) {
            let ty = find(area, &vector.type_name).expect("a type");
            let len = vector.bytes.len();
            vector.bytes.extend([0; 4]);
            let error = (ty.round_trip)(&vector.bytes).expect_err(&vector.origin);
            assert_eq!(
                (error.kind, error.offset as usize),
                (ErrorKind::Trailing(4), len),
                "{}",
                vector.origin
            );
        }
    }
}

/// Every single byte of every vector flipped: an error, or a value that gives the flipped bytes
/// back (D3).
#[test]
fn damaged_vectors_are_refused_or_kept() {
    let (mut refused, mut kept) = (0, 0);
    for area in AREAS {
        for mut vector in vectors(area) {
            let ty = find(area, &vector.type_name).expect("a type");
            for at in 0..vector.bytes.len().min(400) {
                vector.bytes[at] ^= 0xff;
                match (ty.round_trip)(&vector.bytes) {
                    Ok(bytes) => {
                        assert_eq!(bytes, vector.bytes, "{}, byte {at} flipped", vector.origin);
                        kept += 1;
                    }
                    Err(_) => refused += 1,
                }
                vector.bytes[at] ^= 0xff;
            }
        }
    }
    assert!(refused > 1000 && kept > 1000, "{refused} refused, {kept} kept");
}
