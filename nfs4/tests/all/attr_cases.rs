//! Lists of attributes: what is inside them, strictly and without loss (D1, D3, E3).
#![cfg(feature = "alloc")]

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use crate::common::{testdata, unhex, vectors};
use nfswire_nfs4::{
    Bitmap, FileType, Fsid, SpecData, Status, Time,
    attrs::{
        ATTRIBUTES, Access, Attr, AttrError, AttrSet, AttrSource, AttrValue, Fattr, Selected,
        StandardAttrs, key,
    },
};
use nfswire_xdr::{
    Cursor, Encode, EncodeError, Encoder, ErrorKind, Opaque, Pages, Segments, Text, from_bytes,
};
use proptest::prelude::*;

/// Into a head that grows, a fixed one, and pages of 8 bytes: all three must give the same.
fn encode<'p>(value: &impl Encode<'p>) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    assert_eq!(e.finish(), value.encoded_len());
    let bytes = segments.view(&head).to_vec().unwrap();

    let mut fixed = vec![0xff; bytes.len()];
    let mut segments = Segments::new();
    let mut e = Encoder::fixed(&mut fixed, &mut segments);
    e.put(value).unwrap();
    e.finish();
    assert_eq!(segments.view(&fixed).to_vec().unwrap(), bytes);
    if let Some(short) = bytes.len().checked_sub(4) {
        let mut segments = Segments::new();
        let mut e = Encoder::fixed(&mut fixed[..short], &mut segments);
        assert!(matches!(e.put(value), Err(EncodeError::NoSpace { missing: 4 })));
        assert!(e.is_empty());
    }

    let mut pages = vec![[0xffu8; 8]; bytes.len() / 8 + 1];
    let mut segments = Segments::new();
    let mut e = Encoder::pages(&mut pages, &mut segments);
    e.put(value).unwrap();
    e.finish();
    let pages: &dyn Pages = &pages;
    assert_eq!(segments.view(pages).to_vec().unwrap(), bytes);
    bytes
}

/// A list of the given values' bytes, on the wire.
fn list(values: &[(u32, &[u8])]) -> Vec<u8> {
    let numbers: Vec<u32> = values.iter().map(|(number, _)| *number).collect();
    let words = numbers.iter().max().map_or(0, |most| most / 32 + 1);
    let mut bytes = words.to_be_bytes().to_vec();
    for word in 0..words {
        let of_word = numbers.iter().filter(|number| *number / 32 == word);
        let bits = of_word.fold(0u32, |bits, number| bits | 1 << (number % 32));
        bytes.extend(bits.to_be_bytes());
    }
    let len: usize = values.iter().map(|(_, value)| value.len()).sum();
    bytes.extend((len as u32).to_be_bytes());
    values.iter().for_each(|(_, value)| bytes.extend(*value));
    bytes
}

//--- The list is a buffer of its own (B31) ---

#[test]
fn values_end_with_the_list() {
    let bytes =
        unhex("00000002 00000000 00000030 00000014 00000004 726f6f74 00000005 77686565 6c000000");
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    let owner = Text::try_from("root").unwrap();
    let group = Text::try_from("wheel").unwrap();
    assert_eq!(
        fattr.values().collect::<Result<Vec<_>, _>>().unwrap(),
        [AttrValue::Owner(owner), AttrValue::OwnerGroup(group)]
    );
    assert_eq!(fattr.get(key::OwnerGroup), Ok(Some(group)));
    assert_eq!(encode(&fattr), bytes);
}

#[test]
fn a_text_longer_than_the_list_is_short() {
    let bytes =
        unhex("00000002 00000000 00000030 00000014 00000004 726f6f74 00000040 77686565 6c000000");
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    let error = fattr.validate().unwrap_err();
    let AttrError::Value { attr: Attr::OWNER_GROUP, error: inner } = error else {
        panic!("{error}")
    };
    assert_eq!(inner.kind, ErrorKind::Short { needed: 64, left: 8 });
    assert_eq!(
        error.to_string(),
        "the value of FATTR4_OWNER_GROUP is wrong, in the list of values at byte 12: need 64 \
         bytes, 8 left"
    );
    assert_eq!(error.status(), Status::BADXDR);
    // The one before it can be read all the same.
    assert_eq!(fattr.get(key::Owner).unwrap().unwrap().as_bytes(), b"root");
    assert_eq!(fattr.get(key::OwnerGroup), Err(error));
    assert_eq!(encode(&fattr), bytes);
}

#[test]
fn bytes_behind_the_values_are_trailing() {
    let bytes = unhex(
        "00000002 00000000 00000030 00000018 00000004 726f6f74 00000005 77686565 6c000000 00000000",
    );
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(fattr.validate(), Err(AttrError::Trailing { rest: &[0; 4] }));
    assert_eq!(StandardAttrs::from_fattr(&fattr), Err(AttrError::Trailing { rest: &[0; 4] }));
    assert_eq!(fattr.values().count(), 3, "two values, then the error");
    assert_eq!(fattr.values_within(&nfswire_xdr::Limits::LENIENT).count(), 2);
    assert_eq!(encode(&fattr), bytes);
}

#[test]
fn bytes_behind_the_list_are_not_its_own() {
    let bytes =
        unhex("00000002 00000000 00000010 00000008 0000000c 726f6f74 77686565 6c776865 656c0000");
    let mut c = Cursor::new(&bytes);
    let fattr: Fattr<'_> = c.decode().unwrap();
    assert_eq!(c.remaining(), 12);
    let Err(AttrError::Value { attr: Attr::OWNER, error }) = fattr.validate() else { panic!() };
    assert_eq!(error.kind, ErrorKind::Short { needed: 12, left: 4 });
}

//--- What is asked for but not known (B30) ---

#[test]
fn unknown_wishes_are_left_out() {
    let file = [AttrValue::Type(FileType::Directory)];
    let only_type = unhex("00000001 00000002 00000004 00000002");
    for (wanted, answer) in [
        // TYPE and attribute 83, in three words.
        ("00000003 00000002 00000000 00080000", &only_type),
        // TYPE and attribute 159, in five.
        ("00000005 00000002 00000000 00000000 00000000 80000000", &only_type),
        // Nothing, in no word: an empty list.
        ("00000000", &unhex("00000000 00000000")),
    ] {
        let bytes = unhex(wanted);
        let wanted: AttrSet<'_> = from_bytes(&bytes).unwrap();
        assert_eq!(encode(&wanted), bytes);
        assert_eq!(encode(&Selected::new(&wanted, &file)), *answer);
        let standard = StandardAttrs {
            mask: StandardAttrs::ATTRS,
            file_type: FileType::Directory,
            ..StandardAttrs::default()
        };
        assert_eq!(encode(&standard.select(&wanted)), *answer);
    }
    let error = from_bytes::<AttrSet<'_>>(&unhex("10000000 00000002")).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::TooMany { count: 0x1000_0000, .. }), "{error}");
}

#[test]
fn the_reader_stops_at_what_it_does_not_know() {
    for number in [87, 95, 96, 159] {
        let mut value = [0u8; 24];
        value[7] = 5;
        let bytes = list(&[(4, &value[..8]), (number, &value[8..])]);
        let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
        let unknown = AttrError::Unknown { attr: Attr(number), rest: &[0; 16] };
        let read: Vec<_> = fattr.values().collect();
        assert_eq!(read, [Ok(AttrValue::Size(5)), Err(unknown)]);
        assert_eq!(fattr.get(key::Size), Ok(Some(5)));
        assert_eq!(StandardAttrs::from_fattr(&fattr), Err(unknown));
        assert_eq!(unknown.status(), Status::ATTRNOTSUPP);
        assert_eq!(
            unknown.to_string(),
            format!(
                "attribute {number} is not known here, so the 16 bytes from its value on cannot be read"
            )
        );
        assert_eq!(encode(&fattr), bytes, "nothing is lost");
    }
    // Known ones behind an unknown one are lost to `get`, not to `values`' rest.
    let bytes = list(&[(4, &[0; 8]), (87, &[0; 4]), (159, &[0; 4])]);
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    let mut values = fattr.values();
    assert!(values.by_ref().count() == 2 && values.rest() == [0; 8]);
}

//--- Values of an independent implementation ---

static VALUES: LazyLock<HashMap<u32, Vec<Vec<u8>>>> = LazyLock::new(values);

/// The vectors of each attribute: numbers and bytes of values.
fn values() -> HashMap<u32, Vec<Vec<u8>>> {
    let mut all: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
    for area in ["nfs40", "nfs41", "nfs42"] {
        for vector in vectors(area) {
            let name = vector.type_name.strip_prefix("fattr4_").map(str::to_uppercase);
            let info =
                ATTRIBUTES.iter().find(|info| info.name.strip_prefix("FATTR4_") == name.as_deref());
            if let Some(info) = info {
                all.entry(info.attr.0).or_default().push(vector.bytes);
            }
        }
    }
    assert_eq!(all.len(), 87, "every attribute has vectors");
    all
}

#[test]
fn every_value_reads_and_writes_as_its_attribute() {
    for (&number, vectors) in &*VALUES {
        let attr = Attr(number);
        let info = attr.info().unwrap();
        for value in vectors {
            let bytes = list(&[(number, value)]);
            let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
            let read: Vec<_> = fattr.values().collect::<Result<_, _>>().unwrap();
            assert_eq!(read.len(), 1);
            assert_eq!(read[0].attr(), attr);
            assert_eq!(encode(&read[0]), *value, "{attr:?}");
            assert!(value.len() as u32 >= info.min_len && value.len() as u32 <= info.max_len);
            assert_eq!(encode(&Selected::new(&AttrSet::all(2), &read[..])), bytes);
            for end in (0..value.len()).step_by(4) {
                let cut = list(&[(number, &value[..end])]);
                let fattr: Fattr<'_> = from_bytes(&cut).unwrap();
                let error = fattr.validate().unwrap_err();
                assert!(matches!(error, AttrError::Value { attr: a, .. } if a == attr), "{error}");
            }
        }
    }
}

#[test]
fn lists_hold_what_their_vectors_say() {
    let text = std::fs::read_to_string(testdata("vectors/nfs40.jsonl")).unwrap();
    let mut seen = 0;
    for line in text.lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        if json["type"] != "fattr4" {
            continue;
        }
        let bytes = unhex(json["hex"].as_str().unwrap());
        let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
        let values: Vec<_> = fattr.values().collect::<Result<_, _>>().unwrap();
        let attrs = json["value"]["attrs"].as_object().unwrap();
        assert_eq!(values.len(), attrs.len(), "{line}");
        for value in &values {
            let name = value.attr().name().unwrap().strip_prefix("FATTR4_").unwrap();
            let expected = &attrs[&name.to_lowercase()];
            seen += 1;
            match value {
                AttrValue::Size(n)
                | AttrValue::Fileid(n)
                | AttrValue::Change(n)
                | AttrValue::SpaceUsed(n)
                | AttrValue::Maxread(n) => assert_eq!(expected.as_u64(), Some(*n), "{name}"),
                AttrValue::Mode(n) | AttrValue::Numlinks(n) => {
                    assert_eq!(expected.as_u64(), Some(u64::from(*n)), "{name}");
                }
                AttrValue::Type(kind) => assert_eq!(expected.as_str(), Some(kind.name())),
                AttrValue::RdattrError(status) => {
                    assert_eq!(expected.as_str(), status.name(), "{name}");
                }
                AttrValue::Fsid(fsid) => {
                    assert_eq!(expected["major"].as_u64(), Some(fsid.major));
                    assert_eq!(expected["minor"].as_u64(), Some(fsid.minor));
                }
                AttrValue::TimeModify(time) => {
                    assert_eq!(expected["seconds"].as_i64(), Some(time.seconds));
                    assert_eq!(expected["nseconds"].as_u64(), Some(time.nanoseconds.into()));
                }
                _ => {}
            }
        }
        assert_eq!(encode(&Selected::new(&fattr.mask, &values[..])), bytes);
    }
    assert!(seen > 30, "only {seen} values");
}

//--- The table ---

#[test]
fn the_table_is_the_protocols() {
    let text = std::fs::read_to_string(testdata("protocol.tsv")).unwrap();
    let mut seen = 0;
    for row in text.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
        if row.get(1) != Some(&"attr") {
            continue;
        }
        let attr = Attr(row[3].parse().unwrap());
        let info = attr.info().unwrap_or_else(|| panic!("{} is missing", row[2]));
        assert_eq!((info.attr, info.name, attr.name()), (attr, row[2], Some(row[2])));
        let since = match row[7] {
            "v4.0" => (0, false),
            "v4.1" => (1, false),
            "v4.2" => (2, false),
            "ext" => (2, true),
            other => panic!("{other}"),
        };
        assert_eq!((info.since, info.extension), since, "{}", row[2]);
        assert_eq!(attr.value_max_len(), Some(info.max_len));
        seen += 1;
    }
    assert_eq!((seen, ATTRIBUTES.len(), Attr::ALL.len()), (87, 87, 87));
    assert!(ATTRIBUTES.iter().enumerate().all(|(i, info)| info.attr.0 as usize == i));
    assert_eq!(Attr(87).info(), None);
    assert_eq!(Attr::SIZE.value_max_len(), Some(8));
    assert_eq!(Attr::FILEHANDLE.value_max_len(), Some(132));
    assert_eq!(Attr::ACL.value_max_len(), Some(u32::MAX));
}

/// RFC 7530, tables 3 and 4; RFC 8881, tables 4 and 5; RFC 7862, table 4; RFC 8275, section 5.
#[test]
fn sets_of_the_versions_are_those_of_the_rfcs() {
    let names = |set: AttrSet<'_>| format!("{set:?}");
    assert_eq!(
        names(AttrSet::required(0)),
        "{SUPPORTED_ATTRS, TYPE, FH_EXPIRE_TYPE, CHANGE, SIZE, LINK_SUPPORT, SYMLINK_SUPPORT, \
         NAMED_ATTR, FSID, UNIQUE_HANDLES, LEASE_TIME, RDATTR_ERROR, FILEHANDLE}"
    );
    assert_eq!(
        names(AttrSet::required(1).difference(&AttrSet::required(0))),
        "{SUPPATTR_EXCLCREAT}"
    );
    assert_eq!(
        names(AttrSet::writable(0)),
        "{SIZE, ACL, ARCHIVE, HIDDEN, MIMETYPE, MODE, OWNER, OWNER_GROUP, SYSTEM, \
         TIME_ACCESS_SET, TIME_BACKUP, TIME_CREATE, TIME_MODIFY_SET}"
    );
    assert_eq!(
        names(AttrSet::writable(1).difference(&AttrSet::writable(0))),
        "{DACL, SACL, LAYOUT_HINT, RETENTION_SET, RETENTEVT_SET, RETENTION_HOLD, MODE_SET_MASKED}"
    );
    let write_only = |version| AttrSet::all(version).difference(&AttrSet::readable(version));
    assert_eq!(names(write_only(0)), "{TIME_ACCESS_SET, TIME_MODIFY_SET}");
    assert_eq!(
        names(write_only(2).difference(&write_only(1))),
        "{MODE_UMASK, TIME_DELEG_ACCESS, TIME_DELEG_MODIFY}"
    );
    assert_eq!([0, 1, 2].map(|version| AttrSet::all(version).iter().count()), [56, 77, 87]);
    let supported = AttrSet::of(&[Attr::SIZE, Attr::MODE, Attr::TYPE, Attr::TIME_MODIFY_SET]);
    assert_eq!(names(supported.exclusive_create()), "{SIZE, MODE}");
    assert!(ATTRIBUTES.iter().all(|info| !info.required || info.access != Access::Write));
}

//--- Any values ---

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Values in any order are written in ascending order, and read back as they were.
    #[test]
    fn any_values_come_back(
        picks in proptest::collection::btree_map(0..87u32, any::<prop::sample::Index>(), 0..20),
        seed in any::<u64>(),
    ) {
        let parts: Vec<(u32, &[u8])> = picks
            .iter()
            .map(|(number, pick)| (*number, pick.get(&VALUES[number]).as_slice()))
            .collect();
        let bytes = list(&parts);
        let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
        let mut values: Vec<_> = fattr.values().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(values.len(), parts.len());
        values.sort_by_key(|value| u64::from(value.attr().0).wrapping_mul(seed | 1) >> 7);
        let selected = Selected::new(&AttrSet::all(2), &values[..]);
        prop_assert_eq!(selected.mask(), fattr.mask);
        prop_assert_eq!(encode(&selected), bytes.clone());

        // The standard ones among them, by either way.
        let standard = StandardAttrs::from_fattr(&fattr).unwrap();
        prop_assert!(standard.mask.is_subset(&StandardAttrs::ATTRS));
        prop_assert_eq!(standard.mask, fattr.mask.intersection(&StandardAttrs::ATTRS));
        for attr in standard.mask.iter() {
            prop_assert_eq!(standard.attr(attr), values[..].attr(attr));
        }
        let by_source = encode(&Selected::new(&fattr.mask, &standard));
        prop_assert_eq!(encode(&standard.select(&fattr.mask)), by_source);
    }

    /// Whatever the mask and the bytes: the reader ends, and what it read is a prefix.
    #[test]
    fn the_reader_survives_anything(
        words in proptest::collection::vec(any::<u32>(), 0..5),
        raw in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = (words.len() as u32).to_be_bytes().to_vec();
        words.iter().for_each(|word| bytes.extend(word.to_be_bytes()));
        bytes.extend((raw.len() as u32).to_be_bytes());
        bytes.extend(&raw);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
        let mut read = Vec::new();
        let mut values = fattr.values();
        for value in values.by_ref().flatten() {
            read.extend(encode(&value));
        }
        prop_assert_eq!(&read[..], &raw[..raw.len() - values.rest().len()]);
        prop_assert!(values.next().is_none());
        let standard = StandardAttrs::from_fattr(&fattr);
        prop_assert_eq!(standard.is_ok(), fattr.validate().is_ok());
        prop_assert_eq!(encode(&fattr), bytes);
    }

    /// Below 96, sets are sets.
    #[test]
    fn sets_have_algebra(
        a in proptest::collection::btree_set(0..96u32, 0..40),
        b in proptest::collection::btree_set(0..96u32, 0..40),
        bit in 0..96u32,
    ) {
        let set = |numbers: &BTreeSet<u32>| {
            Bitmap::<u32>::from_numbers(&numbers.iter().copied().collect::<Vec<_>>()).unwrap()
        };
        let (x, y) = (set(&a), set(&b));
        prop_assert_eq!(x & y, set(&(&a & &b)));
        prop_assert_eq!(x | y, set(&(&a | &b)));
        prop_assert_eq!(x - y, set(&(&a - &b)));
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert!((x & y).is_subset(&x) && x.is_subset(&(x | y)));
        let mut c = a.clone();
        c.insert(bit);
        prop_assert_eq!(x.with(bit), Some(set(&c)));
        c.remove(&bit);
        prop_assert_eq!(x.without(bit), Some(set(&c)));
    }
}

/// Words behind the third: kept where one side has them, as documented.
#[test]
fn far_words_survive_algebra() {
    let far = unhex("00000005 00000003 00000000 00000000 00000000 80000000");
    let far: Bitmap<'_> = from_bytes(&far).unwrap();
    let near = Bitmap::from_numbers(&[1, 2]).unwrap();
    assert!((far | near).iter().eq([0, 1, 2, 159]));
    assert!((near | far).iter().eq([0, 1, 2, 159]));
    assert!((far & near).iter().eq([1]));
    assert_eq!((far & near).len_words(), 1);
    assert!((far - near).iter().eq([0, 159]));
    assert!((far & far).iter().eq([0, 1, 159]));
    assert!((far - far).is_empty());
    assert_eq!((far.with(159), far.without(159), near.with(96)), (Some(far), None, None));
    assert!(far.without(0).unwrap().iter().eq([1, 159]));
    assert!(near.is_subset(&(far | near)) && !far.is_subset(&near));
    let padded: Bitmap<'_> = from_bytes(&[0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 0]).unwrap();
    assert_eq!((padded.trimmed(), padded == near), (near, false));
}

//--- The usual set ---

fn standard<'a>() -> StandardAttrs<'a> {
    StandardAttrs {
        mask: StandardAttrs::ATTRS,
        file_type: FileType::CharDevice,
        change: 0x0102_0304_0506_0708,
        size: 0x1112_1314_1516_1718,
        fsid: Fsid { major: 21, minor: 22 },
        rdattr_error: Status::OK,
        filehandle: Opaque::new(b"handle").unwrap(),
        fileid: 0x2122_2324_2526_2728,
        mode: 0o1644,
        numlinks: 7,
        owner: Text::try_from("1000").unwrap(),
        owner_group: Text::try_from("users@example.org").unwrap(),
        rawdev: SpecData { major: 4, minor: 64 },
        space_used: 4096,
        time_access: Time { seconds: -1, nanoseconds: 1 },
        time_create: Time { seconds: 2, nanoseconds: 2 },
        time_metadata: Time { seconds: 3, nanoseconds: 3 },
        time_modify: Time { seconds: 4, nanoseconds: 4 },
        mounted_on_fileid: 0x3132_3334_3536_3738,
    }
}

/// What the Linux client asks for.
const LINUX: &str = "00000002 0010011a 00b0a23a";

#[test]
fn the_shortest_path_gives_the_same_bytes() {
    let bytes = unhex(LINUX);
    let wanted: AttrSet<'_> = from_bytes(&bytes).unwrap();
    let file = standard();
    let by_select = encode(&file.select(&wanted));
    assert_eq!(by_select, encode(&Selected::new(&wanted, &file)));
    assert_eq!(&by_select[..12], bytes);
    let fattr: Fattr<'_> = from_bytes(&by_select).unwrap();
    let read = StandardAttrs::from_fattr(&fattr).unwrap();
    assert_eq!(read.mask, wanted);
    let back = encode(&read.select(&StandardAttrs::ATTRS));
    assert_eq!(back, by_select);
    for attr in wanted.iter() {
        assert_eq!(read.attr(attr), file.attr(attr));
    }
    assert_eq!(read.attr(Attr::TIME_CREATE), None);

    // Names of every length, with every pad.
    for len in 0..20 {
        let name = Text::new(&b"abcdefghijklmnopqrst"[..len]).unwrap();
        let file = StandardAttrs { owner: name, owner_group: name, ..file };
        let bytes = encode(&file.select(&wanted));
        assert_eq!(bytes, encode(&Selected::new(&wanted, &file)));
        let read = StandardAttrs::from_fattr(&from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!((read.owner, read.owner_group), (name, name));
    }

    // Every cut of the list, and every damaged word that the values do not allow.
    for end in (0..fattr.values.as_bytes().len()).step_by(4) {
        let values = Opaque::new(&fattr.values.as_bytes()[..end]).unwrap();
        let error = StandardAttrs::from_fattr(&Fattr { values, ..fattr }).unwrap_err();
        assert_eq!(Fattr { values, ..fattr }.validate(), Err(error));
    }
    let mut bad = fattr.values.as_bytes().to_vec();
    bad[3] = 10;
    let values = Opaque::new(&bad).unwrap();
    let error = StandardAttrs::from_fattr(&Fattr { values, ..fattr }).unwrap_err();
    assert!(matches!(error, AttrError::Value { attr: Attr::TYPE, .. }), "{error}");
}

#[test]
fn a_source_that_changes_its_mind_is_refused() {
    struct Moody(core::cell::Cell<u32>);
    impl AttrSource for Moody {
        fn attr(&self, attr: Attr) -> Option<AttrValue<'_>> {
            self.0.set(self.0.get() + 1);
            let yes = attr == Attr::SIZE && self.0.get() < 6;
            yes.then_some(AttrValue::Size(1))
        }
    }
    let source = Moody(core::cell::Cell::new(0));
    let wanted = AttrSet::of(&[Attr::CHANGE, Attr::SIZE]);
    let selected = Selected::new(&wanted, &source);
    source.0.set(6);
    let mut head = [0u8; 64];
    let mut segments = Segments::new();
    let mut e = Encoder::fixed(&mut head, &mut segments);
    assert_eq!(e.put(&selected), Err(EncodeError::Contradiction));
    assert!(e.is_empty());
}

#[test]
fn reading_and_writing_allocate_nothing() {
    let file = standard();
    let all = [
        AttrValue::Mode(1),
        AttrValue::Size(2),
        AttrValue::Owner(file.owner),
        AttrValue::SupportedAttrs(AttrSet::all(2)),
    ];
    let mut head = vec![0u8; 1024];
    let info = allocation_counter::measure(|| {
        for wanted in [AttrSet::all(2), StandardAttrs::ATTRS] {
            let mut segments = Segments::new();
            let mut e = Encoder::fixed(&mut head, &mut segments);
            e.put(&Selected::new(&wanted, &all)).unwrap();
            e.put(&file.select(&wanted)).unwrap();
            let len = e.finish() as usize;
            let mut c = Cursor::new(&head[..len]);
            let (first, second): (Fattr<'_>, Fattr<'_>) =
                (c.decode().unwrap(), c.decode().unwrap());
            assert_eq!(first.get(key::Mode), Ok(Some(1)));
            assert!(first.validate().is_ok());
            assert_eq!(StandardAttrs::from_fattr(&second), Ok(file));
        }
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn lists_print_their_values() {
    let bytes = list(&[(4, &[0, 0, 0, 0, 0, 0, 0, 5]), (33, &[0, 0, 1, 0xa4])]);
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    assert_eq!(format!("{fattr:?}"), "Fattr { mask: {SIZE, MODE}, values: [Size(5), Mode(420)] }");
}
