//! Bytes that broke other implementations (testdata/cases): what must come of each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::std_instead_of_alloc)]

mod common;

use std::{collections::BTreeSet, fs};

use common::{encode, testdata, unhex};
use nfswire_nfs3::{
    FileHandle, SetAttributes, StableHow, Status, Time, WccData,
    attr::{GetattrArgs, GetattrReply, SetattrArgs, SetattrReply},
    create::{CreateReply, MkdirReply, MknodReply, SymlinkReply},
    fs::{FsinfoReply, FsstatReply, PathconfReply},
    io::{CommitReply, ReadOk, ReadReply, WriteArgs, WriteReply},
    lookup::{AccessReply, LookupArgs, LookupReply, ReadlinkReply},
    mount::MountReply,
    readdir::{ReaddirArgs, ReaddirReply, ReaddirplusArgs, ReaddirplusReply},
    remove::{LinkFail, LinkReply, RemoveReply, RenameFail, RenameReply, RmdirReply},
};
use nfswire_xdr::{Decode, DecodeError, Encode, ErrorKind, Payload, from_bytes};

/// Cases that a test in this file looks at.
const TESTED: &[&str] = &[
    "B20a", "B20b", "B21a", "B21b", "B21c", "B22a", "B22b", "B23a", "B23b", "B23c", "B23d", "B24a",
    "B24b", "B25a", "B25b", "B26a", "B26b", "B27a", "B27b", "B27c", "B27d", "B28a", "B28b", "B28c",
    "B29a", "B29b", "B29c", "B29d",
];

fn case(name: &str) -> Vec<u8> {
    assert!(TESTED.contains(&name));
    let text = fs::read_to_string(testdata(&format!("cases/{name}.hex"))).unwrap();
    let (head, hex) = text.split_once('\n').unwrap();
    assert!(head.starts_with(&format!("# {name} ")));
    unhex(hex)
}

/// Decodes, and checks that the value encodes to the same bytes.
fn kept<'a, T: Decode<'a> + Encode<'a>>(bytes: &'a [u8]) -> T {
    let value = from_bytes::<T>(bytes).unwrap();
    assert_eq!(encode(&value), bytes);
    value
}

fn refused<'a, T: Decode<'a> + core::fmt::Debug>(bytes: &'a [u8]) -> DecodeError {
    from_bytes::<T>(bytes).unwrap_err()
}

fn field(error: &DecodeError) -> String {
    error.field.expect("a field").to_string()
}

/// Handle of most cases.
const HANDLE: &[u8] = &[
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
];

#[test]
fn every_case_is_tested() {
    let names =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let files: BTreeSet<String> = fs::read_dir(testdata("cases")).unwrap().map(names).collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|name| format!("{name}.hex")).collect();
    assert_eq!(files, tested);
}

#[test]
fn b20_guarded_setattr() {
    let bytes = case("B20a");
    let args: SetattrArgs<'_> = kept(&bytes);
    assert_eq!(args.object.as_bytes(), HANDLE);
    assert_eq!(args.new_attributes, SetAttributes { size: Some(0), ..SetAttributes::default() });
    assert_eq!(args.guard, Some(Time { seconds: 1, nanoseconds: 2 }));

    let bytes = case("B20b");
    assert_eq!(encode(&SetattrReply::Fail(Status::NOT_SYNC, WccData::default())), bytes);
    assert_eq!(bytes.len(), 12);
}

#[test]
fn b21_write_count_and_length() {
    for (name, count, length) in [("B21a", 8, 4), ("B21b", 4, 8)] {
        let bytes = case(name);
        let args: WriteArgs<'_> = kept(&bytes);
        assert_eq!(
            (args.count, args.data.len(), args.stable),
            (count, length, StableHow::FileSync),
            "{name}"
        );
        let error = args.validate().unwrap_err();
        assert_eq!((error.count, error.length), (count, length), "{name}");
        assert_eq!(args.bytes(), Some(&b"abcd"[..]), "{name}: the smaller of the two");
    }
    let bytes = case("B21c");
    let args: WriteArgs<'_> = kept(&bytes);
    assert_eq!(args.validate(), Ok(()));
    assert_eq!(args.bytes(), Some(&b""[..]));
    let made = WriteArgs::new(args.file, 0, StableHow::Unstable, Payload::Borrowed(b""));
    assert_eq!(encode(&made), bytes);
}

#[test]
fn b22_read_count_is_that_of_the_data() {
    let bytes = case("B22a");
    let ReadReply::Ok(ok) = kept(&bytes) else { panic!("a success") };
    let error = ok.validate().unwrap_err();
    assert_eq!((error.count, error.length), (5, 8));
    assert_eq!(ok.bytes(), Some(&b"hello"[..]), "never more than count");
    assert_eq!(
        error.to_string(),
        "the count word says 5 bytes but the data has 8: the sender's encoder is wrong"
    );

    let bytes = case("B22b");
    let ReadReply::Ok(ok) = kept(&bytes) else { panic!("a success") };
    assert_eq!(ok.validate(), Ok(()));
    let made = ReadReply::Ok(ReadOk::new(None, true, Payload::Borrowed(b"hello")));
    assert_eq!(encode(&made), bytes);
}

#[test]
fn b23_failures_keep_their_attributes() {
    let bytes = case("B23a");
    assert_eq!(kept::<AccessReply>(&bytes), AccessReply::Fail(Status::STALE, None));

    let error = refused::<AccessReply>(&case("B23b"));
    assert_eq!((error.kind, error.offset), (ErrorKind::Short { needed: 4, left: 0 }, 4));
    assert!(field(&error).starts_with("ACCESS3res."), "{error}");

    let bytes = case("B23c");
    assert_eq!(
        kept::<RenameReply>(&bytes),
        RenameReply::Fail(Status::NOENT, RenameFail::default())
    );
    let bytes = case("B23d");
    assert_eq!(kept::<LinkReply>(&bytes), LinkReply::Fail(Status::EXIST, LinkFail::default()));
}

/// The smallest failure of every procedure: the status, and flags that say "absent".
#[test]
fn b23_smallest_failures() {
    fn check<T: Decode<'static> + Encode<'static>>(len: usize) {
        let bytes: &'static [u8] =
            &[0, 0, 0x27, 0x16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(encode(&from_bytes::<T>(&bytes[..len]).unwrap()), &bytes[..len]);
        // One word less is no reply, one more is not read.
        for shorter in (0..len).step_by(4) {
            let error = from_bytes::<T>(&bytes[..shorter]).err().expect("too short");
            assert!(matches!(error.kind, ErrorKind::Short { .. }), "{error}");
        }
        if let Some(longer) = bytes.get(..len + 4) {
            let error = from_bytes::<T>(longer).err().expect("too long");
            assert_eq!(error.kind, ErrorKind::Trailing(4), "{error}");
        }
    }
    check::<GetattrReply>(4);
    check::<LookupReply<'_>>(8);
    check::<AccessReply>(8);
    check::<ReadlinkReply<'_>>(8);
    check::<ReadReply<'_>>(8);
    check::<ReaddirReply<'_>>(8);
    check::<ReaddirplusReply<'_>>(8);
    check::<FsstatReply>(8);
    check::<FsinfoReply>(8);
    check::<PathconfReply>(8);
    check::<SetattrReply>(12);
    check::<WriteReply>(12);
    check::<CreateReply<'_>>(12);
    check::<MkdirReply<'_>>(12);
    check::<SymlinkReply<'_>>(12);
    check::<MknodReply<'_>>(12);
    check::<RemoveReply>(12);
    check::<RmdirReply>(12);
    check::<CommitReply>(12);
    check::<LinkReply>(16);
    check::<RenameReply>(20);
}

#[test]
fn b24_to_b26_directory_arguments() {
    let bytes = case("B24a");
    let args: ReaddirArgs<'_> = kept(&bytes);
    assert_eq!((args.cookie, args.cookie_verifier, args.count), (0, [0; 8], 4096));
    let bytes = case("B24b");
    let args: ReaddirArgs<'_> = kept(&bytes);
    assert_eq!(
        (args.cookie, args.cookie_verifier),
        (0x9c4, [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
    );

    for (name, budget) in [("B25a", 1024), ("B25b", 64)] {
        let bytes = case(name);
        let args: ReaddirplusArgs<'_> = kept(&bytes);
        assert_eq!((args.cookie, args.dircount, args.maxcount), (0, budget, budget), "{name}");
    }

    let bytes = case("B26a");
    let args: ReaddirplusArgs<'_> = kept(&bytes);
    assert_eq!((args.cookie, args.cookie_verifier), (0, *b"00000000"));
    assert_eq!((args.dircount, args.maxcount), (4096, 32768));
    let bytes = case("B26b");
    let args: ReaddirArgs<'_> = kept(&bytes);
    assert_eq!((args.cookie, args.cookie_verifier), (3, [1, 2, 3, 4, 5, 6, 7, 8]));
}

#[test]
fn b27_handle_lengths() {
    for (name, len) in [("B27a", 0), ("B27b", 10), ("B27c", 64)] {
        let bytes = case(name);
        let args: GetattrArgs<'_> = kept(&bytes);
        assert_eq!(args.object.len(), len, "{name}");
    }
    let error = refused::<GetattrArgs<'_>>(&case("B27d"));
    assert_eq!((error.kind, error.offset), (ErrorKind::TooLong { len: 65, limit: 64 }, 0));
    assert_eq!(field(&error), "GETATTR3args.object");
    assert!(FileHandle::new(&[0; 65]).is_none());
}

#[test]
fn b28_names_are_bytes() {
    for (name, want) in
        [("B28a", &[0xff, 0xfe, 0x61][..]), ("B28b", "\u{6f22}".as_bytes()), ("B28c", &[])]
    {
        let bytes = case(name);
        let args: LookupArgs<'_> = kept(&bytes);
        assert_eq!(args.what.dir.as_bytes(), HANDLE, "{name}");
        assert_eq!(args.what.name.as_bytes(), want, "{name}");
        assert_eq!(
            args.what.name.to_str().is_ok(),
            name != "B28a",
            "{name}: a text view is apart, and can fail"
        );
    }
}

#[test]
fn b29_flavors_of_mnt() {
    for (name, want) in [("B29a", &[1, 0][..]), ("B29b", &[0]), ("B29c", &[]), ("B29d", &[390_003])]
    {
        let bytes = case(name);
        let MountReply::Ok(ok) = kept(&bytes) else { panic!("a success") };
        assert_eq!(ok.handle.as_bytes(), HANDLE, "{name}");
        assert_eq!(ok.flavors.iter().collect::<Vec<u32>>(), want, "{name}");
    }
}
