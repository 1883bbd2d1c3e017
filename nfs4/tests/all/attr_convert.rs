//! Attributes and what a POSIX system has instead.
#![cfg(all(feature = "std", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::std_instead_of_core)]

use std::{
    fs::File,
    os::unix::fs::{MetadataExt, PermissionsExt},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use nfswire_nfs4::{
    FileType, SetTime, Status, Time,
    attrs::{
        Attr, AttrSet, AttrSource, AttrValue, DecimalId, Fattr, MetadataAttrs, ModeMasked,
        ModeUmask, Selected, SetAttrs, StandardAttrs, id_of,
    },
};
use nfswire_xdr::{Encode, Encoder, Segments, Text, from_bytes};

fn encode<'p>(value: &impl Encode<'p>) -> Vec<u8> {
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(value).unwrap();
    e.finish();
    segments.view(&head).to_vec().unwrap()
}

#[test]
fn a_file_is_what_the_system_says() {
    let path = std::env::temp_dir().join(format!("nfswire-attrs-{}", std::process::id()));
    let file = File::create(&path).unwrap();
    file.set_len(4097).unwrap();
    file.set_permissions(PermissionsExt::from_mode(0o4751)).unwrap();
    let modified = UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    file.set_modified(modified).unwrap();
    let metadata = file.metadata().unwrap();
    std::fs::remove_file(&path).unwrap();

    let attrs = MetadataAttrs::from(&metadata);
    let bytes = encode(&attrs.standard().select(&AttrSet::all(2)));
    assert_eq!(bytes, encode(&Selected::new(&AttrSet::all(2), &attrs)));
    let fattr: Fattr<'_> = from_bytes(&bytes).unwrap();
    let read = StandardAttrs::from_fattr(&fattr).unwrap();
    assert_eq!((read.file_type, read.size, read.mode), (FileType::Regular, 4097, 0o4751));
    assert_eq!((read.numlinks, read.fileid), (1, metadata.ino()));
    assert_eq!(read.space_used, metadata.blocks() * 512);
    assert_eq!(id_of(&read.owner), Some(metadata.uid()));
    assert_eq!(id_of(&read.owner_group), Some(metadata.gid()));
    assert_eq!(SystemTime::try_from(read.time_modify), Ok(modified));
    assert_eq!(read.time_metadata.seconds, metadata.ctime());
    assert_eq!(read.mask.contains(Attr::TIME_CREATE), metadata.created().is_ok());
    assert!(!read.mask.contains(Attr::FILEHANDLE) && !read.mask.contains(Attr::RDATTR_ERROR));
}

#[test]
fn devices_have_numbers() {
    let attrs = MetadataAttrs::from(&std::fs::metadata("/dev/null").unwrap());
    let standard = attrs.standard();
    assert_eq!(standard.file_type, FileType::CharDevice);
    #[cfg(target_os = "linux")]
    assert_eq!((standard.rawdev.major, standard.rawdev.minor), (1, 3));
}

#[test]
fn kinds_of_files_are_type_bits() {
    for kind in (1..=9).filter_map(FileType::from_value) {
        let back = FileType::from_mode(kind.mode_bits() | 0o644);
        match kind {
            FileType::AttrDir => assert_eq!(back, Some(FileType::Directory)),
            FileType::NamedAttr => assert_eq!(back, Some(FileType::Regular)),
            _ => assert_eq!(back, Some(kind)),
        }
    }
    assert_eq!(FileType::from_mode(0o644), None);
}

#[test]
fn times_go_both_ways_and_before_1970() {
    for (seconds, nanoseconds) in [(0, 0), (1, 999_999_999), (-1, 0), (-1, 1), (-2, 999_999_999)] {
        let time = Time { seconds, nanoseconds };
        assert_eq!(SystemTime::try_from(time).map(Time::from), Ok(time));
    }
    let half = UNIX_EPOCH - Duration::from_millis(500);
    assert_eq!(Time::from(half), Time { seconds: -1, nanoseconds: 500_000_000 });
    let wrong = Time { seconds: 0, nanoseconds: 1_000_000_000 };
    assert_eq!(SystemTime::try_from(wrong), Err(wrong));
    for seconds in [i64::MIN, i64::MAX] {
        let far = Time { seconds, nanoseconds: 999_999_999 };
        let back = SystemTime::try_from(far);
        assert!(back.is_err() || back.map(Time::from) == Ok(far));
    }
}

#[test]
fn owners_are_numbers_only_in_one_spelling() {
    for id in [0, 9, 10, 1000, 65534, 4_294_967_295] {
        let text = DecimalId::new(id);
        assert_eq!(text.as_text().to_string(), id.to_string());
        assert_eq!(id_of(&text.as_text()), Some(id));
        assert_eq!(format!("{text:?}"), format!("DecimalId({id})"));
    }
    for not in ["", "00", "01", "+1", "-1", "1 ", "1a", "4294967296", "1@example.org", "root"] {
        assert_eq!(id_of(&Text::try_from(not).unwrap()), None, "{not}");
    }
}

/// What a server makes of a list of `values`.
fn set(values: &[AttrValue<'_>]) -> Result<(), Status> {
    let bytes = encode(&Selected::new(&AttrSet::all(2), values));
    SetAttrs::from_fattr(&from_bytes(&bytes).unwrap()).map(|set| {
        assert_eq!(encode(&Selected::new(&AttrSet::all(2), &set)), bytes);
        for value in values {
            assert_eq!(set.attr(value.attr()), Some(*value));
        }
    })
}

#[test]
fn what_cannot_be_set_has_its_status() {
    let late = Time { seconds: 0, nanoseconds: 1_000_000_000 };
    let owner = Text::try_from("1000").unwrap();
    let masked = ModeMasked { value: 0o600, mask: 0o700 };
    let umask = ModeUmask { mode: 0o666, umask: 0o022 };
    assert_eq!((masked.apply(0o077), umask.apply(false), umask.apply(true)), (0o677, 0o644, 0o666));

    assert_eq!(set(&[]), Ok(()));
    assert_eq!(
        set(&[
            AttrValue::Size(1),
            AttrValue::Mode(0o7777),
            AttrValue::Owner(owner),
            AttrValue::OwnerGroup(owner),
            AttrValue::TimeAccessSet(SetTime::Server),
            AttrValue::TimeModifySet(SetTime::Client(Time::default())),
            AttrValue::TimeCreate(Time::default()),
        ]),
        Ok(())
    );
    assert_eq!(set(&[AttrValue::ModeSetMasked(masked)]), Ok(()));
    assert_eq!(set(&[AttrValue::ModeUmask(umask)]), Ok(()));
    for (values, status) in [
        (&[AttrValue::Mode(0o10_000)][..], Status::INVAL),
        (&[AttrValue::Mode(0), AttrValue::ModeUmask(umask)], Status::INVAL),
        (&[AttrValue::Mode(0), AttrValue::ModeSetMasked(masked)], Status::INVAL),
        (&[AttrValue::TimeCreate(late)], Status::INVAL),
        (&[AttrValue::TimeModifySet(SetTime::Client(late))], Status::INVAL),
        (&[AttrValue::Fileid(1)], Status::INVAL),
        (&[AttrValue::Hidden(true)], Status::ATTRNOTSUPP),
        (&[AttrValue::TimeDelegModify(Time::default())], Status::ATTRNOTSUPP),
    ] {
        assert_eq!(set(values), Err(status), "{values:?}");
    }
    let unknown = [0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(SetAttrs::from_fattr(&from_bytes(&unknown).unwrap()), Err(Status::ATTRNOTSUPP));
    let short = [0, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, 4, 0, 0, 0, 0];
    assert_eq!(SetAttrs::from_fattr(&from_bytes(&short).unwrap()), Err(Status::BADXDR));
}
