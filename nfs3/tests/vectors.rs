//! Every vector decodes and encodes to the same bytes, for every type of the crate (D3, E3).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use std::collections::HashSet;

use common::{AREAS, all, find, vectors};

#[test]
fn vectors_round_trip() {
    let mut seen = HashSet::new();
    for &area in AREAS {
        for vector in vectors(area) {
            let ty = find(area, &vector.type_name)
                .unwrap_or_else(|| panic!("{}: no such type in the crate", vector.origin));
            match (ty.round_trip)(&vector.bytes) {
                Ok(bytes) => assert_eq!(bytes, vector.bytes, "{}", vector.origin),
                Err(error) => panic!("{}: {error}", vector.origin),
            }
            seen.insert((area, vector.type_name));
        }
    }
    for ty in all() {
        assert!(
            seen.contains(&(ty.area, ty.name.to_owned())),
            "{}.{} has no vector",
            ty.area,
            ty.name
        );
    }
    assert_eq!(seen.len(), all().count());
}
