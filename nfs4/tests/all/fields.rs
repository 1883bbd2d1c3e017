//! Fields have the values that the vectors say: two neighbours of one size that have changed places
//! would still come back as the same bytes.

#![cfg(feature = "serde")]

use std::fs;

use crate::common::{AREAS, find, pending, testdata, unhex};
use nfswire_nfs4::attrs::AceType;
use nfswire_rpc::AuthFlavor;
use serde_json::Value::{self, Array, Null, Number, Object, String};

/// Whether our JSON of a value says what the other implementation's does, which writes a union as
/// `disc` and `value`, an optional value as such a union or as an array, and the end of long strings
/// not at all.
fn agrees(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (_, Object(they)) if they.contains_key("opaque_len") || they.contains_key("string_len") => {
            true
        }
        // Attributes, whose values are tested apart.
        (Object(we), Object(they)) if they.contains_key("attr_vals_len") => {
            let values = we["attr_vals"].as_str().expect("a hex string");
            values.len() as u64 / 2 == they["attr_vals_len"].as_u64().unwrap()
        }
        (ours, Object(they)) if they.len() == 1 && they.contains_key("utf8") => {
            *ours == they["utf8"]
        }
        (Null, Object(they)) if they.contains_key("disc") => they["disc"] == false,
        (Object(we), Object(they))
            if they.contains_key("disc")
                && we.values().any(|ours| agrees(ours, &they["disc"]))
                && they.get("value").is_none_or(|t| we.values().any(|ours| agrees(ours, t))) =>
        {
            true
        }
        (ours, Object(they)) if they.get("disc").is_some_and(|disc| disc == true) => {
            agrees(ours, &they["value"])
        }
        (Object(we), Object(they)) if we.len() == they.len() && we.keys().eq(they.keys()) => {
            we.values().zip(they.values()).all(|(ours, theirs)| agrees(ours, theirs))
        }
        // A linked list, which they write as a node with the rest of the list in it.
        (Array(we), Null) => we.is_empty(),
        (Array(we), Object(they)) if they.keys().any(|key| key.contains("next")) => {
            let next = they.keys().find(|key| key.contains("next")).unwrap();
            let mut node = they.clone();
            let rest = node.remove(next).unwrap();
            let (Some(first), Some(others)) = (we.first(), we.get(1..)) else { return false };
            agrees(first, &Object(node)) && agrees(&Array(others.to_vec()), &rest)
        }
        // A struct with one field, where we have the field.
        (ours, Object(they)) if they.len() == 1 => they.values().all(|theirs| agrees(ours, theirs)),
        (Array(we), Array(they)) => {
            we.len() == they.len() && we.iter().zip(they).all(|(ours, theirs)| agrees(ours, theirs))
        }
        // An array of at most one element, which is an optional value here.
        (Null, Array(they)) => they.is_empty(),
        (ours, Array(they)) if they.len() == 1 => agrees(ours, &they[0]),
        (Number(we), Number(they)) if they.as_i64().is_some_and(|n| n < 0) => {
            we == they || we.as_u64() == they.as_i64().map(|n| u64::from(n as u32))
        }
        // Text that is not UTF-8.
        (Object(we), String(_)) if we.len() == 1 && we.contains_key("bytes") => {
            we["bytes"] == *theirs
        }
        // The RFC has constants where we have an open enumeration.
        (String(we), Number(_)) => {
            let named = AceType::ALL.iter().chain(AuthFlavor::ALL);
            named.into_iter().any(|(name, number)| name == we && *theirs == *number)
        }
        // A text that is opaque here.
        (String(we), String(they)) if we != they => {
            *we == they.bytes().map(|byte| format!("{byte:02x}")).collect::<std::string::String>()
        }
        _ => ours == theirs,
    }
}

#[test]
fn fields_are_in_their_places() {
    let (mut compared, mut differing) = (0, Vec::new());
    for area in AREAS {
        let text = fs::read_to_string(testdata(&format!("vectors/{area}.jsonl"))).unwrap();
        for line in text.lines() {
            // RFC 7531 has two names without the prefix that they have in RFC 5662.
            let line = line.replace("\"r_", "\"na_r_");
            let vector: Value = serde_json::from_str(&line).unwrap();
            let name = vector["type"].as_str().unwrap();
            if pending().any(|of| of == (*area, name)) {
                continue;
            }
            let ty = find(area, name).expect("a type");
            let ours = (ty.json)(&unhex(vector["hex"].as_str().unwrap()));
            compared += 1;
            if !agrees(&ours, &vector["value"]) {
                differing.push(format!("{area}.{name}: {ours} and {}", vector["value"]));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared > 3000, "only {compared} vectors");
}

/// What the comparison is worth.
#[test]
fn differences_are_seen() {
    let ours = serde_json::json!({ "a": 1, "b": { "arm": 2 } });
    let same = serde_json::json!({ "a": 1, "b": { "disc": "X", "arm": "arm", "value": 2 } });
    assert!(!agrees(&ours, &same), "the discriminant is missing");
    let swapped = serde_json::json!({ "a": 2, "b": { "arm": 1 } });
    assert!(!agrees(&ours, &swapped) && agrees(&ours, &ours));
    assert!(!agrees(&Null, &serde_json::json!([1])) && agrees(&1.into(), &serde_json::json!([1])));
}
