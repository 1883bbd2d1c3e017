//! Attributes of NFSv4: their names and values, and whether the values encode to their own bytes.

use nfswire_nfs4::Bit;
use nfswire_nfs4::attrs::{Attr, AttrValue, Fattr};
use nfswire_xdr::serde::SerializeXdr;
use nfswire_xdr::{Encoder, Segments, from_bytes};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::messages::Show;
use crate::nfs4_fields::{self, OpFields};
use crate::programs::Shown;

/// Characters of a set or of values, at most.
const MAX_TEXT: usize = 600;

/// The values of a `fattr4`, as JSON: an object, in the order of the wire.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    values: Vec<(String, Box<RawValue>)>,
    /// The values that cannot be read, in hexadecimal digits, and why.
    rest: Option<(String, String)>,
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.values {
            map.serialize_entry(name, value)?;
        }
        if let Some((raw, reason)) = &self.rest {
            map.serialize_entry("raw", raw)?;
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}

/// What is known of a `fattr4`.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// Names and values, for a line.
    pub(crate) text: String,
    pub(crate) attributes: Attributes,
    /// The values that can be read encode to their own bytes.
    pub(crate) same: bool,
}

/// Name of an attribute, or its number.
pub(crate) fn name(number: u32) -> String {
    Bit::name(Attr(number)).map_or_else(|| number.to_string(), Into::into)
}

/// A set of numbers by the words of its bitmap.
pub(crate) fn set(words: &[u32], name: impl Fn(u32) -> String) -> String {
    let mut text = String::from("{");
    for (index, word) in (0u32..).zip(words) {
        for bit in (0..32).filter(|bit| word & (1 << bit) != 0) {
            if text.len() > MAX_TEXT {
                return text + ", ...}";
            }
            if text.len() > 1 {
                text.push_str(", ");
            }
            text.push_str(&name(index.wrapping_mul(32).wrapping_add(bit)));
        }
    }
    text + "}"
}

/// Describes the attributes of a mask and a list of values.
pub(crate) fn describe(mask: &[u32], list: &[u8], show: Show) -> Described {
    let mut described = Described { same: true, ..Described::default() };
    let wire = encoded(mask, list);
    let Ok(fattr) = from_bytes::<Fattr<'_>>(&wire) else {
        // Only what is longer than any list of the type.
        described.text = format!("{} bytes", list.len());
        return described;
    };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments).copy_break(u32::MAX);
    let mut parts = Vec::new();
    let mut values = fattr.values();
    let end = loop {
        match values.next() {
            Some(Ok(value)) => {
                described.same &= e.put(&value).is_ok();
                let (text, json) = shown(&value, show);
                let name = name(value.attr().0);
                if show == Show::Line {
                    parts.push(format!("{name}: {text}"));
                }
                if let Some(json) = json {
                    described.attributes.values.push((name, json));
                }
            }
            Some(Err(error)) => break Some(error.to_string()),
            None => break None,
        }
    };
    e.finish();
    let read = list.len().saturating_sub(values.rest().len());
    let again = segments.view(&head).to_vec();
    described.same &= again.is_ok_and(|again| list.get(..read) == Some(&again[..]));
    if let Some(reason) = end {
        let raw = hex::encode(values.rest());
        if show == Show::Line {
            parts.push(format!("raw {} ({reason})", nfs4_fields::shortened(&raw)));
        }
        described.attributes.rest = Some((raw, reason));
    }
    described.text = format!("{{{}}}", cut(&parts));
    described
}

fn cut(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts {
        if text.len() > MAX_TEXT {
            return text + ", ...";
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(part);
    }
    text
}

fn encoded(mask: &[u32], list: &[u8]) -> Vec<u8> {
    let word = |len: usize| u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes();
    let mut wire = word(mask.len()).to_vec();
    wire.extend(mask.iter().flat_map(|word| word.to_be_bytes()));
    wire.extend(word(list.len()));
    wire.extend(list);
    wire.resize(wire.len().next_multiple_of(4), 0);
    wire
}

fn typed<T: SerializeXdr>(attr: Attr, value: &T, show: Show) -> (String, Option<Box<RawValue>>) {
    match show {
        Show::Nothing => (String::new(), None),
        Show::Json => (String::new(), to_raw_value(&Shown(value)).ok()),
        Show::Line => (OpFields::value(attr, value), None),
    }
}

/// Every attribute has a type of its own.
macro_rules! shown {
    ($($variant:ident)*) => {
        fn shown(value: &AttrValue<'_>, show: Show) -> (String, Option<Box<RawValue>>) {
            let attr = value.attr();
            match value {
                $(AttrValue::$variant(value) => typed(attr, value, show),)*
                _ => (String::from("?"), None),
            }
        }
    };
}

shown! {
    SupportedAttrs Type FhExpireType Change Size LinkSupport SymlinkSupport NamedAttr Fsid
    UniqueHandles LeaseTime RdattrError Acl Aclsupport Archive Cansettime CaseInsensitive
    CasePreserving ChownRestricted Filehandle Fileid FilesAvail FilesFree FilesTotal FsLocations
    Hidden Homogeneous Maxfilesize Maxlink Maxname Maxread Maxwrite Mimetype Mode NoTrunc Numlinks
    Owner OwnerGroup QuotaAvailHard QuotaAvailSoft QuotaUsed Rawdev SpaceAvail SpaceFree SpaceTotal
    SpaceUsed System TimeAccess TimeAccessSet TimeBackup TimeCreate TimeDelta TimeMetadata TimeModify
    TimeModifySet MountedOnFileid DirNotifDelay DirentNotifDelay Dacl Sacl ChangePolicy FsStatus
    FsLayoutTypes LayoutHint LayoutTypes LayoutBlksize LayoutAlignment FsLocationsInfo Mdsthreshold
    RetentionGet RetentionSet RetentevtGet RetentevtSet RetentionHold ModeSetMasked
    SuppattrExclcreat FsCharsetCap CloneBlksize SpaceFreed ChangeAttrType SecLabel ModeUmask
    XattrSupport Offline TimeDelegAccess TimeDelegModify OpenArguments
}

#[cfg(test)]
mod tests {
    use nfswire_nfs4::attrs::ATTRIBUTES;

    use super::*;

    const SIZE_AND_MODE: [u32; 2] = [1 << 4, 1 << 1];

    #[test]
    fn values_that_can_be_read() {
        let list = [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1, 0o244];
        let line = describe(&SIZE_AND_MODE, &list, Show::Line);
        assert_eq!((line.text.as_str(), line.same), ("{SIZE: 5, MODE: 0644}", true));
        let json = describe(&SIZE_AND_MODE, &list, Show::Json).attributes;
        assert_eq!(serde_json::to_string(&json).unwrap(), r#"{"SIZE":5,"MODE":420}"#);
        assert_eq!(set(&SIZE_AND_MODE, name), "{SIZE, MODE}");
    }

    /// Number 95 has no type: it, and what follows, stay as they are.
    #[test]
    fn values_that_cannot_be_read_are_raw() {
        let mask = [1 << 4, 0, 1 << 31];
        let list = [0, 0, 0, 0, 0, 0, 0, 5, 9, 9, 9, 9];
        let line = describe(&mask, &list, Show::Line);
        assert!(
            line.text.starts_with("{SIZE: 5, raw 09090909 (attribute 95 is not known"),
            "{line:?}"
        );
        let json = serde_json::to_value(describe(&mask, &list, Show::Json).attributes).unwrap();
        assert_eq!((&json["SIZE"], &json["raw"]), (&5.into(), &"09090909".into()));
        assert!(line.same);
        // A value that ends too early.
        let json = describe(&[1 << 4], &[0, 0], Show::Json);
        assert!(json.same && json.attributes.rest.is_some_and(|rest| rest.0 == "0000"));
    }

    /// The list above leaves none out.
    #[test]
    fn every_attribute_is_shown() {
        for info in ATTRIBUTES {
            let mut mask = [0; 3];
            mask[info.attr.0 as usize / 32] = 1 << (info.attr.0 % 32);
            // Zeros are a value of most; longer ones take what they need.
            let readable = (0..=info.min_len as usize + 64).step_by(4).find_map(|len| {
                let json = describe(&mask, &vec![0; len], Show::Json).attributes;
                json.rest.is_none().then_some(json)
            });
            if let Some(json) = readable {
                assert_eq!(json.values.len(), 1, "{}", info.name);
            }
        }
    }
}
