//! Every vector decodes and encodes to the same bytes, for every type of the crate (D3, E3).

use std::collections::HashSet;

use crate::common::{AREAS, all, find, pending, vectors};

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

/// What is missing is really missing: an entry goes when its type comes.
#[test]
fn pending_types_are_missing() {
    for (area, name) in pending() {
        assert!(find(area, name).is_none(), "{area}.{name} is there: take it from PENDING");
    }
}

/// No type stands twice in the tables: only the first would be tested.
#[test]
fn types_are_listed_once() {
    let mut seen = HashSet::new();
    for ty in all() {
        assert!(seen.insert((ty.area, ty.name)), "{}.{} is listed twice", ty.area, ty.name);
    }
}
