//! Conversions between the types of the wire and those of the system.
#![cfg(all(feature = "std", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::arithmetic_side_effects, clippy::panic, clippy::cast_possible_truncation)]
#![allow(clippy::std_instead_of_alloc)]

use core::time::Duration;
use std::{
    fs, io,
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink},
        net::UnixListener,
    },
    time::{SystemTime, UNIX_EPOCH},
};

use nfswire_nfs3::{
    Attributes, FileType, SetAttributes, SetTime, SpecData, Status, Time, WccAttr, WccData,
    convert::{AccessMask, Change},
    fs::{FSF_CANSETTIME, FSF_HOMOGENEOUS, FSF_LINK, FSF_SYMLINK, FsinfoOk, PathconfOk},
    lookup::{
        ACCESS_DELETE, ACCESS_EXECUTE, ACCESS_EXTEND, ACCESS_LOOKUP, ACCESS_MODIFY, ACCESS_READ,
    },
};
use proptest::prelude::*;

const ATTRIBUTES: Attributes = Attributes {
    file_type: FileType::Regular,
    mode: 0o644,
    nlink: 1,
    uid: 10,
    gid: 20,
    size: 4096,
    used: 8192,
    rdev: SpecData { major: 0, minor: 0 },
    fsid: 7,
    fileid: 1,
    atime: Time { seconds: 1, nanoseconds: 2 },
    mtime: Time { seconds: 3, nanoseconds: 4 },
    ctime: Time { seconds: 5, nanoseconds: 6 },
};

//--- Modes, metadata, times ---

#[test]
fn file_types_are_bits_of_the_mode() {
    let mut types = 0;
    for mode in 0..=0o177_777 {
        if let Some(file_type) = FileType::from_mode(mode) {
            assert_eq!(file_type.mode_bits(), mode & 0o170_000, "{mode:o}");
            types += u32::from(mode & 0o7777 == 0);
        }
        assert_eq!(FileType::from_mode(mode | 0xffff_0000), FileType::from_mode(mode));
    }
    assert_eq!(types as usize, FileType::ALL.len());
    let devices = FileType::ALL.iter().filter_map(|(_, n)| FileType::from_value(*n));
    let devices: Vec<_> = devices.filter(|file_type| file_type.is_device()).collect();
    assert_eq!(devices, [FileType::BlockDevice, FileType::CharDevice]);
}

/// Objects of the file system that tests can make, and a device that every system has.
#[test]
fn metadata_becomes_attributes() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("file"), b"hello").unwrap();
    fs::set_permissions(path("file"), fs::Permissions::from_mode(0o4751)).unwrap();
    fs::hard_link(path("file"), path("again")).unwrap();
    let time = UNIX_EPOCH + Duration::new(1_000_000_007, 250_000_000);
    let times = fs::FileTimes::new().set_modified(time).set_accessed(time);
    fs::File::options().write(true).open(path("file")).unwrap().set_times(times).unwrap();
    symlink("file", path("link")).unwrap();
    let _listener = UnixListener::bind(path("socket")).unwrap();

    let attributes = |path: &std::path::Path| {
        let metadata = fs::symlink_metadata(path).unwrap();
        let attributes = Attributes::from(&metadata);
        assert_eq!(attributes.mode | attributes.file_type.mode_bits(), metadata.mode());
        assert_eq!((attributes.uid, attributes.gid), (metadata.uid(), metadata.gid()));
        assert_eq!((attributes.fileid, attributes.fsid), (metadata.ino(), metadata.dev()));
        attributes
    };
    let file = attributes(&path("file"));
    assert_eq!((file.file_type, file.mode), (FileType::Regular, 0o4751));
    assert_eq!((file.size, file.nlink, file.used % 512), (5, 2, 0));
    assert_eq!(file.mtime, Time { seconds: 1_000_000_007, nanoseconds: 250_000_000 });
    assert_eq!(file.atime, file.mtime);
    assert!(file.ctime > file.mtime, "of now");
    assert_eq!(attributes(dir.path()).file_type, FileType::Directory);
    assert_eq!(attributes(&path("link")).file_type, FileType::Symlink);
    assert_eq!(attributes(&path("link")).size, 4);
    let socket = attributes(&path("socket"));
    assert_eq!((socket.file_type, socket.rdev), (FileType::Socket, SpecData::default()));

    let null = std::path::Path::new("/dev/null");
    if fs::metadata(null).is_ok_and(|metadata| metadata.file_type().is_char_device()) {
        let null = attributes(null);
        assert_eq!(null.file_type, FileType::CharDevice);
        #[cfg(target_os = "linux")]
        assert_eq!(null.rdev, SpecData { major: 1, minor: 3 });
    }
}

#[test]
fn times_stay_within_the_wire() {
    for (seconds, want) in [
        (0, Time { seconds: 0, nanoseconds: 5 }),
        (4_294_967_295, Time { seconds: u32::MAX, nanoseconds: 5 }),
        (4_294_967_296, Time::MAX),
        (i64::MAX, Time::MAX),
        (-1, Time::MIN),
        (i64::MIN, Time::MIN),
    ] {
        assert_eq!(Time::saturating(seconds, 5), want, "{seconds}");
    }
    assert_eq!(Time::from(UNIX_EPOCH - Duration::from_nanos(1)), Time::MIN);
    assert_eq!(Time::from(UNIX_EPOCH + Duration::from_secs(1 << 33)), Time::MAX);
    for time in [Time::MIN, Time::MAX, Time { seconds: 1, nanoseconds: 999_999_999 }] {
        assert_eq!(SystemTime::try_from(time).map(Time::from), Ok(time));
    }
    let odd = Time { seconds: 1, nanoseconds: 1_000_000_000 };
    assert_eq!(SystemTime::try_from(odd), Err(odd));
}

//--- Statuses ---

/// Statuses that only NFS has: no error number leads to them.
const OF_NFS: &[Status] = &[
    Status::REMOTE,
    Status::BADHANDLE,
    Status::NOT_SYNC,
    Status::BAD_COOKIE,
    Status::TOOSMALL,
    Status::SERVERFAULT,
    Status::BADTYPE,
];

#[test]
fn statuses_lead_to_error_numbers_and_back() {
    for (name, number) in Status::ALL {
        let status = Status(*number);
        let errno = status.errno();
        assert_eq!(errno == 0, status == Status::OK, "{name}");
        if !OF_NFS.contains(&status) {
            assert_eq!(Status::from_errno(errno), status, "{name}");
        }
        // The oldest numbers are the same on every UNIX: the RFC took them from there.
        if *number < 32 {
            assert_eq!(errno, number.cast_signed(), "{name}");
        }
    }
    // An unknown number, and one between the two blocks of the RFC.
    assert_eq!(Status(4711).errno(), Status::IO.errno());
    assert_eq!(Status(10_009).errno(), Status::IO.errno());
}

#[cfg(target_os = "linux")]
#[test]
fn error_numbers_of_linux() {
    for (errno, status) in [
        (4, Status::JUKEBOX),
        (11, Status::JUKEBOX),
        (12, Status::JUKEBOX),
        (14, Status::IO),
        (16, Status::ACCES),
        (24, Status::JUKEBOX),
        (26, Status::ACCES),
        (36, Status::NAMETOOLONG),
        (38, Status::NOTSUPP),
        (39, Status::NOTEMPTY),
        (40, Status::ACCES),
        (75, Status::INVAL),
        (95, Status::INVAL),
        (116, Status::STALE),
        (122, Status::DQUOT),
        (123, Status::IO),
        // Numbers of the RFC that mean something else here: ENOSTR is no ENOTEMPTY.
        (63, Status::SERVERFAULT),
        (66, Status::SERVERFAULT),
        (69, Status::SERVERFAULT),
        (70, Status::SERVERFAULT),
    ] {
        assert_eq!(Status::from_errno(errno), status, "{errno}");
    }
    assert_eq!(Status::REMOTE.errno(), 66);
    assert_eq!(Status::NOTEMPTY.errno(), 39);
}

#[test]
fn every_error_number_has_a_status() {
    for errno in (-4096..=4096).chain([i32::MIN, i32::MAX]) {
        let status = Status::from_errno(errno);
        assert_eq!(status == Status::OK, errno == 0, "{errno}");
        assert!(status.name().is_some(), "{errno}");
        assert_eq!(Status::from(&io::Error::from_raw_os_error(errno)), status, "{errno}");
    }
}

#[test]
fn statuses_lead_to_kinds_of_errors_and_back() {
    use io::ErrorKind as K;
    // Kinds that several statuses share lead back to the first of them.
    let shared = |kind| match kind {
        K::NotFound => Some(Status::NOENT),
        K::PermissionDenied => Some(Status::ACCES),
        K::InvalidInput => Some(Status::INVAL),
        K::StaleNetworkFileHandle => Some(Status::STALE),
        _ => None,
    };
    for (name, number) in Status::ALL {
        let status = Status(*number);
        let kind = K::from(status);
        if kind == K::Other {
            assert_eq!(Status::from(kind), Status::SERVERFAULT);
            assert!([0, 5, 71, 10_002, 10_006].contains(number), "{name} has no kind");
            continue;
        }
        assert_eq!(Status::from(kind), shared(kind).unwrap_or(status), "{name}");
        // The standard library says the same of the error number, where it says anything.
        let known = io::Error::from_raw_os_error(status.errno()).kind();
        if known.to_string() != "uncategorized error" {
            assert_eq!(known, kind, "{name}");
        }
        let error = io::Error::from(status);
        assert_eq!(
            (error.kind(), error.to_string()),
            (kind, format!("the server answered {name}"))
        );
        assert_eq!(Status::from(&error), shared(kind).unwrap_or(status), "{name}");
    }
    for kind in [K::TimedOut, K::WouldBlock, K::Interrupted, K::OutOfMemory] {
        assert_eq!(Status::from(kind), Status::JUKEBOX, "{kind}: passes by itself");
    }
    assert_eq!(Status::from(K::UnexpectedEof), Status::IO);
    assert_eq!(Status::from(K::AddrInUse), Status::SERVERFAULT);
    assert_eq!(K::from(Status(4711)), K::Other);
}

//--- Access ---

#[test]
fn access_masks_have_names() {
    for mask in 0..0x80u32 {
        let mut names: Vec<String> = AccessMask::NAMES
            .iter()
            .filter(|(_, bit)| mask & bit != 0)
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if mask >= 0x40 {
            names.push("0x40".to_owned());
        }
        let text = if mask == 0 { "none".to_owned() } else { names.join("|") };
        assert_eq!(AccessMask(mask).to_string(), text);
        assert_eq!(format!("{:?}", AccessMask(mask)), format!("AccessMask({text})"));
    }
    let bits: u32 = AccessMask::NAMES.iter().map(|(_, bit)| bit).sum();
    assert_eq!((bits, AccessMask::NAMES.len()), (0x3f, 6), "each once");
}

/// Every mode, for the owner, a member of the group and others.
#[test]
fn access_by_mode() {
    let change = ACCESS_MODIFY | ACCESS_EXTEND;
    for mode in 0..0o1000u32 {
        for file_type in [FileType::Regular, FileType::Directory] {
            let directory = file_type == FileType::Directory;
            let attributes = Attributes { file_type, mode, ..ATTRIBUTES };
            for (uid, member, shift) in [(10, true, 6), (11, true, 3), (11, false, 0)] {
                let got = AccessMask::by_mode(&attributes, uid, |gid| {
                    assert_eq!(gid, 20);
                    member
                });
                let has = |bit: u32| mode >> shift & bit != 0;
                let mut want = 0;
                if has(4) {
                    want |= ACCESS_READ;
                }
                match (directory, has(2), has(1)) {
                    (false, write, execute) => {
                        want |= if write { change } else { 0 };
                        want |= if execute { ACCESS_EXECUTE } else { 0 };
                    }
                    (true, true, true) => want |= ACCESS_LOOKUP | change | ACCESS_DELETE,
                    (true, false, true) => want |= ACCESS_LOOKUP,
                    (true, _, false) => {}
                }
                assert_eq!(got, AccessMask(want), "{mode:o} {file_type} {uid}");
            }
            // The privileged user; nobody can run what nobody may run.
            let got = AccessMask::by_mode(&attributes, 0, |_| false).0;
            let all = match (directory, mode & 0o111) {
                (true, _) => ACCESS_READ | ACCESS_LOOKUP | change | ACCESS_DELETE,
                (false, 0) => ACCESS_READ | change,
                (false, _) => ACCESS_READ | change | ACCESS_EXECUTE,
            };
            assert_eq!(got, all, "{mode:o} {file_type}");
        }
    }
}

//--- Changes ---

fn set_time() -> impl Strategy<Value = SetTime> {
    let nanoseconds = prop_oneof![0..1_000_000_000u32, 1_000_000_000..=u32::MAX];
    prop_oneof![
        Just(SetTime::DontChange),
        Just(SetTime::ServerTime),
        (any::<u32>(), nanoseconds)
            .prop_map(|(seconds, nanoseconds)| SetTime::ClientTime(Time { seconds, nanoseconds })),
    ]
}

fn id() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), Just(Some(u32::MAX)), any::<u32>().prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The steps say what was asked, in order, and nothing else; or nothing at all.
    #[test]
    fn changes_are_what_was_asked(
        mode in any::<Option<u32>>(), uid in id(), gid in id(), size in any::<Option<u64>>(),
        atime in set_time(), mtime in set_time(),
    ) {
        let asked = SetAttributes { mode, uid, gid, size, atime, mtime };
        let wrong = |time: &SetTime| {
            matches!(time, SetTime::ClientTime(time) if time.nanoseconds >= 1_000_000_000)
        };
        let invalid = [uid, gid].contains(&Some(u32::MAX)) || wrong(&atime) || wrong(&mtime);
        let changes = asked.changes().map(Iterator::collect::<Vec<Change>>);
        prop_assert_eq!(changes.as_ref().err(), invalid.then_some(&Status::INVAL));
        let Ok(changes) = changes else { return Ok(()) };
        prop_assert_eq!(changes.is_empty(), asked.is_empty());
        let rank = |change: &Change| match change {
            Change::Size(_) => 0,
            Change::Owner { .. } => 1,
            Change::Mode(_) => 2,
            Change::Times { .. } => 3,
        };
        prop_assert!(changes.is_sorted_by(|a, b| rank(a) < rank(b)), "{:?}", changes);
        let mut again = SetAttributes::default();
        for change in &changes {
            match *change {
                Change::Size(size) => again.size = Some(size),
                Change::Owner { uid, gid } => (again.uid, again.gid) = (uid, gid),
                Change::Mode(mode) => again.mode = Some(mode),
                Change::Times { atime, mtime } => (again.atime, again.mtime) = (atime, mtime),
            }
        }
        let mode = asked.mode.map(|mode| mode & 0o7777);
        prop_assert_eq!(again, SetAttributes { mode, ..asked });
    }
}

//--- Weak cache consistency ---

#[test]
fn wcc_data() {
    let after = Attributes { size: 0, ..ATTRIBUTES };
    let wcc = WccData::starting(Some(&ATTRIBUTES)).ending(Some(after));
    let before = WccAttr { size: 4096, mtime: ATTRIBUTES.mtime, ctime: ATTRIBUTES.ctime };
    assert_eq!(wcc, WccData { before: Some(before), after: Some(after) });
    assert_eq!(wcc.cache_was_current(&ATTRIBUTES), Some(true));
    assert_eq!(wcc.cache_was_current(&after), Some(false));
    assert_eq!(WccData::only_after(Some(after)), WccData { before: None, after: Some(after) });
    assert_eq!(WccData::only_after(Some(after)).cache_was_current(&after), None);
    assert_eq!(WccData::starting(None).ending(None), WccData::NONE);
    assert_eq!(WccData::NONE, WccData::default());
}

//--- What a server announces ---

#[test]
fn announcements() {
    let info = FsinfoOk::recommended(Some(ATTRIBUTES));
    assert_eq!(
        (info.rtmax, info.rtpref, info.wtmax, info.wtpref),
        (1 << 20, 1 << 20, 1 << 20, 1 << 20)
    );
    assert!(info.rtmax.is_multiple_of(info.rtmult) && info.wtmax.is_multiple_of(info.wtmult));
    assert_eq!((info.rtmult, info.wtmult, info.dtpref), (4096, 4096, 65536));
    assert_eq!(info.time_delta, Time { seconds: 0, nanoseconds: 1 });
    assert_eq!(info.properties, FSF_LINK | FSF_SYMLINK | FSF_HOMOGENEOUS | FSF_CANSETTIME);
    assert_eq!((info.maxfilesize, info.attributes), (i64::MAX as u64, Some(ATTRIBUTES)));
    let limits = PathconfOk::posix(None);
    assert_eq!((limits.name_max, limits.no_trunc, limits.attributes), (255, true, None));
    assert!(limits.chown_restricted && limits.case_preserving && !limits.case_insensitive);
}
