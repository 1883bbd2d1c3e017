//! NLM, NSM and NFS_ACL: limits, and what the helpers say.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use common::encode;
use nfswire_nfs3::{
    acl::{self, AclError, Entry, List, SecAttr, TypedEntry, Who},
    nlm::{self, ByteRange, RangeError, ShareAccess, ShareMode},
    nsm,
};
use nfswire_xdr::{Array, ErrorKind, from_bytes};
use proptest::prelude::*;

//--- limits ---

fn variable(len: usize) -> Vec<u8> {
    let mut bytes = (len as u32).to_be_bytes().to_vec();
    bytes.resize(4 + len.next_multiple_of(4), b'x');
    bytes[4 + len..].fill(0);
    bytes
}

#[test]
fn maxima_hold() {
    fn at<T>(limit: u32, decode: impl Fn(&[u8]) -> Result<T, ErrorKind>) {
        assert!(decode(&variable(limit as usize)).is_ok(), "{limit}");
        let len = limit + 1;
        assert_eq!(decode(&variable(len as usize)).err(), Some(ErrorKind::TooLong { len, limit }));
    }
    at(1024, |b| from_bytes::<nlm::NetObj<'_>>(b).map(|_| ()).map_err(|e| e.kind));
    at(1024, |b| from_bytes::<nlm::CallerName<'_>>(b).map(|_| ()).map_err(|e| e.kind));
    at(1024, |b| from_bytes::<nsm::StatArgs<'_>>(b).map(|_| ()).map_err(|e| e.kind));
    at(1025, |b| {
        let bytes = [b, &[0; 4]].concat();
        from_bytes::<nlm::FreeAllArgs<'_>>(&bytes).map(|_| ()).map_err(|e| e.kind)
    });

    let list = |n: u32| {
        let head = [acl::ACL, n, n].map(u32::to_be_bytes).concat();
        [&head[..], &vec![0; 12 * n as usize], &[0; 8]].concat()
    };
    let bytes = list(1024);
    let acl: SecAttr<'_> = from_bytes(&bytes).unwrap();
    assert_eq!((acl.entries.len(), encode(&acl)), (1024, bytes.clone()));
    let error = from_bytes::<SecAttr<'_>>(&list(1025)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooMany { count: 1025, limit: 1024 });
    assert_eq!(error.field.unwrap().to_string(), "secattr.aclent");
}

#[test]
fn share_modes_are_closed_and_denials_are_bits() {
    assert_eq!(from_bytes::<ShareMode>(&[0, 0, 0, 4]).unwrap_err().kind, ErrorKind::Enum(4));
    assert_eq!(from_bytes::<ShareAccess>(&[0, 0, 0, 4]).unwrap_err().kind, ErrorKind::Enum(4));
    for mode in (0..4).map(|n| ShareMode::from_value(n).unwrap()) {
        for access in (0..4).map(|n| ShareAccess::from_value(n).unwrap()) {
            let read = matches!(mode, ShareMode::DenyRead | ShareMode::DenyReadWrite)
                && matches!(access, ShareAccess::Read | ShareAccess::ReadWrite);
            let write = matches!(mode, ShareMode::DenyWrite | ShareMode::DenyReadWrite)
                && matches!(access, ShareAccess::Write | ShareAccess::ReadWrite);
            assert_eq!(mode.denies(access), read || write, "{mode} {access}");
        }
    }
}

#[test]
fn state_numbers() {
    assert!(nsm::is_up(1) && nsm::is_up(i32::MAX) && nsm::is_up(-1));
    assert!(!nsm::is_up(0) && !nsm::is_up(2) && !nsm::is_up(i32::MIN));
}

//--- ranges ---

const MAX: u64 = (1 << 63) - 1;

#[test]
fn ranges_end_where_files_do() {
    let good = [
        (0, 0, 0, MAX),
        (0, 1, 0, 0),
        (5, 10, 5, 14),
        (MAX, 0, MAX, MAX),
        (MAX, 1, MAX, MAX),
        (0, MAX, 0, MAX - 1),
        (0, MAX + 1, 0, MAX),
        (1, MAX, 1, MAX),
    ];
    for (offset, len, first, last) in good {
        let range = ByteRange::new(offset, len).unwrap();
        assert_eq!((range.first(), range.last()), (first, last), "{offset} {len}");
        assert_eq!(ByteRange::from_bounds(first, last), Some(range));
    }
    for (offset, len) in [
        (MAX + 1, 0),
        (MAX + 1, 1),
        (MAX, 2),
        (2, MAX),
        (u64::MAX, u64::MAX),
        (0, u64::MAX),
        (1, u64::MAX),
    ] {
        assert_eq!(ByteRange::new(offset, len), Err(RangeError { offset, len }));
    }
    assert_eq!(
        ByteRange::new(MAX, 2).unwrap_err().to_string(),
        "2 bytes from offset 9223372036854775807 (0 bytes: to the end of the file) go beyond the \
         last byte of a file, which is at 2^63 - 1: the answer is NLM4_FBIG"
    );
    assert_eq!(ByteRange::from_bounds(3, 2), None);
    assert_eq!(ByteRange::from_bounds(3, MAX + 1), None);
    assert_eq!(format!("{} {:?}", ByteRange::ALL, ByteRange::new(4, 2).unwrap()), "0.. 4..=5");
}

#[test]
fn locks_have_ranges_and_handles() {
    let netobj = |bytes: &'static [u8]| nlm::NetObj::new(bytes).unwrap();
    let lock = nlm::v4::Lock {
        caller_name: nlm::CallerName::new(b"host").unwrap(),
        fh: netobj(&[9; 64]),
        oh: netobj(b"owner"),
        svid: -1,
        l_offset: 7,
        l_len: u64::MAX,
    };
    assert_eq!(lock.range(), Err(RangeError { offset: 7, len: u64::MAX }));
    assert_eq!(lock.file_handle().unwrap().as_bytes(), [9; 64]);
    assert_eq!(nlm::v4::Lock { fh: netobj(&[9; 65]), ..lock }.file_handle(), None);
    let holder = nlm::v4::Holder { exclusive: true, svid: 1, oh: lock.oh, l_offset: 7, l_len: 3 };
    assert_eq!(holder.range(), Ok(ByteRange::from_bounds(7, 9).unwrap()));

    let lock = nlm::v1::Lock {
        caller_name: lock.caller_name,
        fh: netobj(&[9; 32]),
        oh: lock.oh,
        svid: -1,
        l_offset: u32::MAX,
        l_len: u32::MAX,
    };
    let last = u64::from(u32::MAX) * 2 - 1;
    assert_eq!(lock.range(), ByteRange::from_bounds(u64::from(u32::MAX), last).unwrap());
    assert_eq!(lock.file_handle(), Some(&[9; 32]));
    assert_eq!(nlm::v1::Lock { fh: netobj(&[9; 31]), ..lock }.file_handle(), None);
    assert!(nlm::v1::Lock { l_len: 0, ..lock }.range().to_end());
}

/// Numbers near the ends and near powers of two.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..20u64,
        any::<u64>(),
        (0..40u64).prop_map(|n| MAX - 20 + n),
        (0..20u64).prop_map(|n| u64::MAX - n),
        (0..40u64).prop_map(|n| (1 << 32) - 20 + n),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// Against numbers that cannot overflow.
    #[test]
    fn ranges_are_what_the_wire_says(offset in numbers(), len in numbers()) {
        let last = if len == 0 { u128::from(MAX) } else { u128::from(offset) + u128::from(len) - 1 };
        let fits = u128::from(offset) <= last && last <= u128::from(MAX);
        let range = ByteRange::new(offset, len);
        prop_assert_eq!(range.is_ok(), fits);
        let Ok(range) = range else { return Ok(()) };
        prop_assert_eq!((u128::from(range.first()), u128::from(range.last())), (u128::from(offset), last));
        // A length that reaches the last byte of all comes back as "to the end".
        let expected = if last == u128::from(MAX) { 0 } else { len };
        prop_assert_eq!((range.offset(), range.len()), (offset, expected));
        prop_assert_eq!(ByteRange::new(range.offset(), range.len()), Ok(range));
        let short = (u32::try_from(offset).ok()).zip(u32::try_from(expected).ok());
        prop_assert_eq!(range.to_u32(), short);
        if let Some((offset, len)) = short {
            prop_assert_eq!(ByteRange::from_u32(offset, len), range);
        }
    }

    /// Every pair of small ranges, byte by byte.
    #[test]
    fn ranges_overlap_where_they_share_a_byte(a in 0..12u64, b in 0..12u64, c in 0..12u64, d in 0..12u64) {
        let (Some(one), Some(other)) = (ByteRange::from_bounds(a, b), ByteRange::from_bounds(c, d)) else {
            return Ok(());
        };
        let shared = (a..=b).filter(|byte| (c..=d).contains(byte)).count();
        prop_assert_eq!(one.overlaps(other), shared > 0);
        prop_assert_eq!(other.overlaps(one), shared > 0);
        prop_assert_eq!(one.contains(other), shared == (c..=d).count());
    }
}

//--- access control lists ---

const RW: u32 = acl::READ | acl::WRITE;

fn whole() -> [Entry; 6] {
    [
        Entry::new(Who::UserObj, 7),
        Entry::new(Who::User(1000), RW),
        Entry::new(Who::GroupObj, acl::READ),
        Entry::new(Who::Group(u32::MAX), acl::EXEC),
        Entry::new(Who::ClassObj, 7),
        Entry::new(Who::OtherObj, 0),
    ]
}

#[test]
fn entries_mean_what_they_say() {
    for entry in whole() {
        let typed = entry.typed().unwrap();
        assert!(!entry.is_default() && !typed.default);
        assert_eq!(Entry::from(typed), entry);
        let default = Entry::new_default(typed.who, typed.perm);
        assert_eq!(default.entry_type, entry.entry_type | 0x1000);
        assert_eq!(default.typed(), Some(TypedEntry { default: true, ..typed }));
        assert_eq!(Entry::from(default.typed().unwrap()), default);
    }
    for entry_type in
        (0..0x40).filter(|t: &u32| !t.is_power_of_two()).chain([0x40, 0x80, 0x2001, u32::MAX])
    {
        assert_eq!(Entry { entry_type, id: 0, perm: 0 }.typed(), None, "{entry_type:#x}");
    }
    // More bits in a mask than there are permissions, as Solaris sends them.
    let entry = Entry { perm: 0xff, ..Entry::new(Who::ClassObj, 0) };
    assert_eq!(entry.typed().unwrap().perm, 7);
}

#[test]
fn lists_are_walked_by_meaning() {
    let unknown = Entry { entry_type: 3, id: 4, perm: 5 };
    let (entries, defaults) = ([whole()[1], unknown], [Entry::new_default(Who::OtherObj, RW)]);
    let acl = SecAttr::new(Array::from_slice(&entries), Array::from_slice(&defaults));
    let bytes = encode(&acl);
    let acl: SecAttr<'_> = from_bytes(&bytes).unwrap();
    let found: Vec<_> = acl.typed().collect();
    let user = TypedEntry { default: false, who: Who::User(1000), perm: RW };
    let other = TypedEntry { default: true, who: Who::OtherObj, perm: RW };
    assert_eq!(found, [Ok(user), Err(unknown), Ok(other)]);
}

#[test]
fn made_lists_are_valid() {
    let entries = whole();
    let defaults = entries.map(|e| Entry::new_default(e.typed().unwrap().who, e.perm));
    let (access, default) = (Array::from_slice(&entries), Array::from_slice(&defaults));
    for (access, default, mask) in
        [(None, None, 0), (access, None, 3), (None, default, 12), (access, default, 15)]
    {
        let acl = SecAttr::new(access, default);
        assert_eq!((acl.mask, acl.validate()), (mask, Ok(())));
        let bytes = encode(&acl);
        assert_eq!(from_bytes::<SecAttr<'_>>(&bytes).unwrap().validate(), Ok(()));
    }
    // Only the numbers were asked for: they stand beside empty lists.
    let counts = SecAttr {
        mask: acl::ACLCNT | acl::DFACLCNT,
        count: 4,
        default_count: 1024,
        ..SecAttr::new(None, None)
    };
    assert_eq!(counts.validate(), Ok(()));
}

#[test]
fn contradictions_are_found() {
    let entries = whole();
    let access = Array::from_slice(&entries);
    let good = SecAttr::new(access, None);
    let wrong = [
        (SecAttr { mask: 0x13, ..good }, AclError::Mask(0x13)),
        (
            SecAttr { mask: acl::ACLCNT, ..good },
            AclError::NotInMask { list: List::Access, entries: 6 },
        ),
        (
            SecAttr { count: 5, ..good },
            AclError::Count { list: List::Access, count: 5, entries: 6 },
        ),
        (
            SecAttr { count: u32::MAX, ..good },
            AclError::Count { list: List::Access, count: u32::MAX, entries: 6 },
        ),
        (
            SecAttr { mask: acl::DFACLCNT, default_count: 1025, ..SecAttr::new(None, None) },
            AclError::Count { list: List::Default, count: 1025, entries: 0 },
        ),
        // Access entries in the list of defaults.
        (
            SecAttr::new(None, access),
            AclError::Type { list: List::Default, at: 0, entry_type: acl::USER_OBJ },
        ),
    ];
    for (acl, error) in wrong {
        assert_eq!(acl.validate(), Err(error));
    }

    let mut entries = whole();
    entries[3].entry_type |= acl::ACL_DEFAULT;
    let acl = SecAttr::new(Array::from_slice(&entries), None);
    let error = AclError::Type { list: List::Access, at: 3, entry_type: 0x1008 };
    assert_eq!(acl.validate(), Err(error));
    assert_eq!(
        error.to_string(),
        "access entry 3 of the ACL has type 0x1008, which is none of that list"
    );
    let mut entries = whole();
    (entries[4].perm, entries[5].perm) = (0xf, 8);
    let acl = SecAttr::new(Array::from_slice(&entries), None);
    let error = AclError::Permissions { list: List::Access, at: 5, perm: 8 };
    assert_eq!(acl.validate(), Err(error), "the mask may have more bits");
}
