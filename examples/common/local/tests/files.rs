//! READ, WRITE, COMMIT, SETATTR, CREATE, MKDIR, SYMLINK, MKNOD, FSSTAT, FSINFO, PATHCONF.

use std::io::IoSlice;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};

use nfswire_nfs3::{FileType, SpecData, StableHow, Status, Time};

use super::*;

fn write(
    export: &Export,
    file: &Handle,
    offset: u64,
    data: &[u8],
    how: StableHow,
) -> Result<crate::fs::Written> {
    export.fs.write(&me(), file.as_bytes(), offset, &[IoSlice::new(data)], how)
}

#[test]
fn read_gives_what_is_there() {
    let export = Export::new();
    let file = export.file("file", b"hello");
    let read = |offset, count| export.read(&me(), &file, offset, count).unwrap();
    assert_eq!(read(0, 8), (b"hello".to_vec(), true)); // B22
    assert_eq!(read(0, 5), (b"hello".to_vec(), true));
    assert_eq!(read(0, 4), (b"hell".to_vec(), false));
    assert_eq!(read(1, 0), (vec![], false));
    assert_eq!(read(5, 1), (vec![], true));
    assert_eq!(read(u64::MAX, u32::MAX), (vec![], true));
    let data = export.fs.read(&me(), file.as_bytes(), 0, 8).unwrap();
    assert_eq!((data.attributes.unwrap().size, data.data.len()), (5, 5));
    std::fs::File::create(export.path("big")).unwrap().set_len(8 << 30).unwrap();
    let big = export.fs.read(&me(), export.look("big").as_bytes(), 7 << 30, u32::MAX).unwrap();
    assert_eq!((big.data.len(), big.eof), (crate::fs::MAX_TRANSFER, false));
}

#[test]
fn only_regular_files_are_read_or_written() {
    let export = Export::new();
    let (root, folder) = (export.root(), export.folder("folder"));
    let special = |name: &[u8], kind| {
        let device = SpecData { major: 0, minor: 0 };
        let made = export.fs.mknod(&me(), root.as_bytes(), name, kind, device, &mode(0o666));
        made.unwrap().object.unwrap()
    };
    // Opening the FIFO would wait for ever.
    let (fifo, socket) = (special(b"fifo", FileType::Fifo), special(b"socket", FileType::Socket));
    std::os::unix::fs::symlink("/dev/null", export.path("link")).unwrap();
    for object in [folder, fifo, socket, export.look("link")] {
        let failure = export.fs.read(&me(), object.as_bytes(), 0, 1).unwrap_err();
        assert_eq!(failure.status, Status::INVAL);
        assert!(failure.first().after.is_some());
        assert_eq!(status(write(&export, &object, 0, b"x", StableHow::Unstable)), Status::INVAL);
        assert_eq!(status(export.fs.commit(&me(), object.as_bytes(), 0, 0)), Status::INVAL);
        let size = SetAttributes { size: Some(0), ..NOTHING };
        assert_eq!(status(export.fs.setattr(&me(), object.as_bytes(), &size, None)), Status::INVAL);
    }
}

#[test]
fn write_says_how_safe_the_data_is() {
    let export = Export::new();
    let file = export.file("file", b"");
    for how in [StableHow::Unstable, StableHow::DataSync, StableHow::FileSync] {
        let written = write(&export, &file, 0, b"data", how).unwrap();
        assert_eq!((written.count, written.committed), (4, how));
        assert!(written.wcc.before.is_some() && written.wcc.after.is_some());
    }
    let written = write(&export, &file, 10, b"end", StableHow::Unstable).unwrap();
    assert_eq!((written.wcc.before.unwrap().size, written.wcc.after.unwrap().size), (4, 13));
    let committed = export.fs.commit(&me(), file.as_bytes(), 0, 0).unwrap();
    assert_eq!(committed.verifier, written.verifier);
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"data\0\0\0\0\0\0end");
    assert_eq!(status(export.fs.commit(&me(), file.as_bytes(), u64::MAX, 1)), Status::INVAL);
}

#[test]
fn the_write_verifier_changes_with_each_start() {
    let mut export = Export::new();
    let file = export.file("file", b"");
    let first = write(&export, &file, 0, b"x", StableHow::Unstable).unwrap().verifier;
    export.restart();
    assert_ne!(export.fs.commit(&me(), file.as_bytes(), 0, 0).unwrap().verifier, first);
    let now = export.fs.verifier.get();
    export.fs.verifier.change();
    assert_ne!(export.fs.verifier.get(), now);
}

#[test]
fn writing_nothing_changes_nothing() {
    // B21c
    let export = Export::new();
    let file = export.file("file", b"x");
    let before = std::fs::metadata(export.path("file")).unwrap();
    tick();
    for data in [&[][..], &[IoSlice::new(b"")]] {
        let written =
            export.fs.write(&me(), file.as_bytes(), 0, data, StableHow::FileSync).unwrap();
        assert_eq!(written.count, 0);
    }
    let after = std::fs::metadata(export.path("file")).unwrap();
    assert_eq!((before.mtime(), before.mtime_nsec()), (after.mtime(), after.mtime_nsec()));
}

#[test]
fn many_pieces_arrive_in_order() {
    let export = Export::new();
    let file = export.file("file", b"");
    let content: Vec<u8> = (0..9000u32).map(|i| (i % 251) as u8).collect();
    // More pieces than one system call takes, empty ones among them.
    let mut pieces: Vec<IoSlice<'_>> = content.chunks(3).map(IoSlice::new).collect();
    pieces.insert(17, IoSlice::new(b""));
    let written = export.fs.write(&me(), file.as_bytes(), 5, &pieces, StableHow::Unstable).unwrap();
    assert_eq!(written.count, 9000);
    assert_eq!(std::fs::read(export.path("file")).unwrap()[5..], content);
}

#[test]
fn offsets_beyond_every_file_are_refused() {
    let export = Export::new();
    let file = export.file("file", b"x");
    for offset in [u64::MAX, 1 << 63, i64::MAX as u64] {
        assert_eq!(status(write(&export, &file, offset, b"xy", StableHow::Unstable)), Status::FBIG);
    }
    let size = SetAttributes { size: Some(u64::MAX), ..NOTHING };
    assert_eq!(status(export.fs.setattr(&me(), file.as_bytes(), &size, None)), Status::FBIG);
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"x");
}

#[test]
fn setattr_sets_mode_size_and_times() {
    let export = Export::new();
    let file = export.file("file", b"hello");
    let time = |seconds, nanoseconds| Time { seconds, nanoseconds };
    let new = SetAttributes {
        mode: Some(0o4751),
        size: Some(2),
        atime: SetTime::ClientTime(time(1_000_000_001, 123_456_789)),
        mtime: SetTime::ClientTime(time(4_000_000_000, 1)),
        ..NOTHING
    };
    let wcc = export.fs.setattr(&me(), file.as_bytes(), &new, None).unwrap();
    let after = wcc.after.unwrap();
    assert_eq!((wcc.before.unwrap().size, after.size, after.mode), (5, 2, 0o4751));
    assert_eq!(after.atime, time(1_000_000_001, 123_456_789));
    // The file system may end in 2038, not so this one.
    assert_eq!(after.mtime, time(4_000_000_000, 1));

    let now = SetAttributes { mtime: SetTime::ServerTime, ..NOTHING };
    let after = export.fs.setattr(&me(), file.as_bytes(), &now, None).unwrap().after.unwrap();
    assert!(after.mtime.seconds < 4_000_000_000 && after.atime.seconds == 1_000_000_001);
    let bad = SetAttributes { mtime: SetTime::ClientTime(time(1, 1_000_000_000)), ..NOTHING };
    assert_eq!(status(export.fs.setattr(&me(), file.as_bytes(), &bad, None)), Status::INVAL);
    for bad in [
        SetAttributes { uid: Some(u32::MAX), size: Some(0), ..NOTHING },
        SetAttributes { gid: Some(u32::MAX), size: Some(0), ..NOTHING },
    ] {
        assert_eq!(status(export.fs.setattr(&me(), file.as_bytes(), &bad, None)), Status::INVAL);
    }
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"he");
}

#[test]
fn a_guard_that_does_not_match_stops_everything() {
    // B20
    let export = Export::new();
    let file = export.file("file", b"hello");
    let cut = SetAttributes { size: Some(0), ..NOTHING };
    let guard = Time { seconds: 1, nanoseconds: 2 };
    let failure = export.fs.setattr(&me(), file.as_bytes(), &cut, Some(guard)).unwrap_err();
    assert_eq!(failure.status, Status::NOT_SYNC);
    assert_eq!(failure.first().after.unwrap().size, 5);
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"hello");
    let ctime = export.fs.getattr(&me(), file.as_bytes()).unwrap().ctime;
    export.fs.setattr(&me(), file.as_bytes(), &cut, Some(ctime)).unwrap();
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"");
}

#[test]
fn attributes_of_what_cannot_be_opened_can_be_set() {
    let export = Export::new();
    std::os::unix::fs::symlink("/nowhere", export.path("link")).unwrap();
    let device = SpecData { major: 0, minor: 0 };
    let root = export.root();
    export.fs.mknod(&me(), root.as_bytes(), b"fifo", FileType::Fifo, device, &mode(0o600)).unwrap();
    let time = Time { seconds: 77, nanoseconds: 5 };
    for name in ["link", "fifo"] {
        let object = export.look(name);
        let new = SetAttributes { mtime: SetTime::ClientTime(time), ..NOTHING };
        let wcc = export.fs.setattr(&me(), object.as_bytes(), &new, None).unwrap();
        assert_eq!(wcc.after.unwrap().mtime, time);
    }
    let fifo = export.look("fifo");
    let wcc = export.fs.setattr(&me(), fifo.as_bytes(), &mode(0o640), None).unwrap();
    assert_eq!(wcc.after.unwrap().mode, 0o640);
    let folder = export.folder("folder");
    let wcc = export.fs.setattr(&me(), folder.as_bytes(), &mode(0o1711), None).unwrap();
    assert_eq!(wcc.after.unwrap().mode, 0o1711);
}

#[test]
fn create_unchecked_makes_or_cuts() {
    let export = Export::new();
    tick();
    let made = export.create("file", CreateHow::Unchecked(mode(0o640))).unwrap();
    let attributes = made.attributes.unwrap();
    assert_eq!(
        (attributes.file_type, attributes.mode, attributes.size),
        (FileType::Regular, 0o640, 0)
    );
    assert_ne!(made.dir.before.unwrap().mtime, made.dir.after.unwrap().mtime);
    let file = made.object.unwrap();
    assert_eq!(export.look("file"), file);
    write(&export, &file, 0, b"content", StableHow::Unstable).unwrap();
    // On an existing file the size alone counts.
    let again = export.create("file", CreateHow::Unchecked(mode(0o777))).unwrap();
    assert_eq!(again.object, Some(file));
    assert_eq!((again.attributes.unwrap().mode, again.attributes.unwrap().size), (0o640, 7));
    let cut = CreateHow::Unchecked(SetAttributes { size: Some(0), ..NOTHING });
    assert_eq!(export.create("file", cut).unwrap().attributes.unwrap().size, 0);
    export.folder("folder");
    std::os::unix::fs::symlink("elsewhere", export.path("link")).unwrap();
    for name in ["folder", "link", ".", ".."] {
        assert_eq!(status(export.create(name, CreateHow::Unchecked(NOTHING))), Status::EXIST);
    }
    assert!(!export.path("elsewhere").exists());
    assert_eq!(status(export.create("", CreateHow::Unchecked(NOTHING))), Status::ACCES);
    assert_eq!(status(export.create("a/b", CreateHow::Unchecked(NOTHING))), Status::ACCES);
    let long = "x".repeat(256);
    let failure = export.create(&long, CreateHow::Unchecked(NOTHING)).unwrap_err();
    assert_eq!(failure.status, Status::NAMETOOLONG);
    assert!(failure.first().before.is_some() && failure.first().after.is_some());
    let size = SetAttributes {
        size: Some(9),
        mtime: SetTime::ClientTime(Time { seconds: 7, nanoseconds: 8 }),
        ..NOTHING
    };
    let made = export.create("sized", CreateHow::Guarded(size)).unwrap().attributes.unwrap();
    assert_eq!((made.size, made.mtime.nanoseconds), (9, 8));
}

#[test]
fn create_guarded_makes_once() {
    let export = Export::new();
    export.create("file", CreateHow::Guarded(NOTHING)).unwrap();
    assert_eq!(status(export.create("file", CreateHow::Guarded(NOTHING))), Status::EXIST);
}

#[test]
fn create_exclusive_knows_its_own_retry_also_after_a_restart() {
    let mut export = Export::new();
    let (one, other) = (CreateHow::Exclusive([0xff; 8]), CreateHow::Exclusive(*b"verifier"));
    let made = export.create("file", one).unwrap();
    assert_eq!(export.create("file", one).unwrap().object, made.object);
    export.restart();
    assert_eq!(export.create("file", one).unwrap().object, made.object);
    assert_eq!(status(export.create("file", other)), Status::EXIST);
    assert_eq!(status(export.create("file", CreateHow::Guarded(NOTHING))), Status::EXIST);
    let file = made.object.unwrap();
    write(&export, &file, 0, b"x", StableHow::Unstable).unwrap();
    assert_eq!(status(export.create("file", one)), Status::EXIST);
}

#[test]
fn mkdir_symlink_and_mknod_make_what_they_say() {
    let export = Export::new();
    let root = export.root();
    let (fs, at) = (&export.fs, root.as_bytes());
    let made = fs.mkdir(&me(), at, b"folder", &mode(0o2750)).unwrap();
    let attributes = made.attributes.unwrap();
    assert_eq!((attributes.file_type, attributes.mode), (FileType::Directory, 0o2750));
    assert_eq!(made.dir.after.unwrap().fileid, fs.getattr(&me(), at).unwrap().fileid);
    for name in [&b"folder"[..], b".", b".."] {
        assert_eq!(status(fs.mkdir(&me(), at, name, &NOTHING)), Status::EXIST);
    }
    let text = b"../\xff\xfe not \n there";
    let made = fs.symlink(&me(), at, b"link", text, &mode(0o777)).unwrap();
    assert_eq!(&fs.readlink(&me(), made.object.unwrap().as_bytes()).unwrap().text[..], text);
    assert_eq!(made.attributes.unwrap().size, text.len() as u64);
    assert_eq!(status(fs.symlink(&me(), at, b"link", b"x", &NOTHING)), Status::EXIST);
    assert_eq!(status(fs.symlink(&me(), at, b"empty", b"", &NOTHING)), Status::INVAL);
    assert_eq!(status(fs.symlink(&me(), at, b"zero", b"a\0b", &NOTHING)), Status::INVAL);
    assert_eq!(
        status(fs.symlink(&me(), at, b"long", &[b'x'; 5000], &NOTHING)),
        Status::NAMETOOLONG
    );

    let device = SpecData { major: 1, minor: 3 };
    let mknod = |name: &[u8], kind| fs.mknod(&me(), at, name, kind, device, &mode(0o622));
    let made = mknod(b"fifo", FileType::Fifo).unwrap().attributes.unwrap();
    assert_eq!((made.file_type, made.mode), (FileType::Fifo, 0o622));
    mknod(b"socket", FileType::Socket).unwrap();
    assert!(std::fs::metadata(export.path("socket")).unwrap().file_type().is_socket());
    for kind in [FileType::Regular, FileType::Directory, FileType::Symlink] {
        assert_eq!(status(mknod(b"bad", kind)), Status::BADTYPE);
    }
    if me().uid == 0 {
        // Not every container lets root do this.
        match mknod(b"null", FileType::CharDevice) {
            Ok(made) => {
                let made = made.attributes.unwrap();
                assert_eq!((made.file_type, made.rdev), (FileType::CharDevice, device));
            }
            Err(failure) => assert_eq!(failure.status, Status::PERM),
        }
    } else {
        assert_eq!(status(mknod(b"null", FileType::CharDevice)), Status::PERM);
    }
}

#[test]
fn a_file_of_mode_0400_can_be_written_by_its_creator() {
    // RFC 1813, section 4.4
    let export = Export::new();
    let made = export.create("file", CreateHow::Guarded(mode(0o400))).unwrap();
    let file = made.object.unwrap();
    write(&export, &file, 0, b"content", StableHow::FileSync).unwrap();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"content");
    assert_eq!(
        std::fs::metadata(export.path("file")).unwrap().permissions().mode() & 0o7777,
        0o400
    );
}

#[test]
fn what_the_file_system_is_like() {
    let export = Export::new();
    let root = export.root();
    let space = export.fs.fsstat(&me(), root.as_bytes()).unwrap();
    assert!(space.tbytes >= space.fbytes && space.fbytes >= space.abytes && space.tbytes > 1 << 20);
    let info = export.fs.fsinfo(&me(), root.as_bytes()).unwrap();
    assert_eq!((info.rtmax, info.wtmax, info.properties), (1 << 20, 1 << 20, 0x1b));
    let limits = export.fs.pathconf(&me(), root.as_bytes()).unwrap();
    assert!(limits.no_trunc && limits.name_max == 255 && limits.linkmax > 100);
    let attributes = limits.attributes.unwrap();
    assert_eq!(attributes.fileid, std::fs::metadata(export.path("")).unwrap().ino());
}

#[test]
fn a_file_nobody_may_open_can_still_be_changed() {
    let export = Export::new();
    let file = export.file("file", b"x");
    let folder = export.folder("folder");
    for object in [file, folder] {
        export.fs.setattr(&me(), object.as_bytes(), &mode(0), None).unwrap();
        export.restart_tables();
        export.fs.setattr(&me(), object.as_bytes(), &mode(0o700), None).unwrap();
    }
}

#[test]
fn a_committed_program_can_be_run() {
    let export = Export::new();
    if !export.fs.switches_users() {
        eprintln!("skipped: without root a file stays open for writing, for its creator's sake");
        return;
    }
    let made = export.create("program", CreateHow::Guarded(mode(0o755))).unwrap();
    let file = made.object.unwrap();
    let program = std::fs::read("/bin/true").unwrap();
    write(&export, &file, 0, &program, StableHow::Unstable).unwrap();
    let run = || std::process::Command::new(export.path("program")).status();
    assert_eq!(run().unwrap_err().kind(), std::io::ErrorKind::ExecutableFileBusy);
    export.fs.commit(&me(), file.as_bytes(), 0, 0).unwrap();
    assert!(run().unwrap().success());
    assert_eq!(export.read(&me(), &file, 0, 4).unwrap().0, b"\x7fELF");
    write(&export, &file, 0, &program, StableHow::FileSync).unwrap();
    assert!(run().unwrap().success());
}

#[test]
fn what_cannot_be_made_whole_is_not_made() {
    let export = Export::new();
    let root = export.root();
    let too_big = SetAttributes { size: Some(1 << 63), ..NOTHING };
    let late = Time { seconds: 0, nanoseconds: 1_000_000_000 };
    let bad_time = SetAttributes { mtime: SetTime::ClientTime(late), ..NOTHING };
    let bad_owner = SetAttributes { uid: Some(u32::MAX), ..NOTHING };
    for (new, expected) in
        [(too_big, Status::FBIG), (bad_time, Status::INVAL), (bad_owner, Status::INVAL)]
    {
        for how in [CreateHow::Unchecked(new), CreateHow::Guarded(new)] {
            assert_eq!(status(export.create("x", how)), expected);
        }
        if expected == Status::INVAL {
            let (dir, name) = (root.as_bytes(), b"x");
            assert_eq!(status(export.fs.mkdir(&me(), dir, name, &new)), expected);
            assert_eq!(status(export.fs.symlink(&me(), dir, name, b"to", &new)), expected);
            let device = SpecData { major: 0, minor: 0 };
            let made = export.fs.mknod(&me(), dir, name, FileType::Fifo, device, &new);
            assert_eq!(status(made), expected);
        }
    }
    assert_eq!(std::fs::read_dir(export.path("")).unwrap().count(), 0);
}

#[test]
fn what_is_found_wanting_later_is_taken_away_again() {
    // Larger than any file system allows, but not than the kernel's numbers.
    let export = Export::new();
    let huge = SetAttributes { size: Some(i64::MAX.cast_unsigned()), ..NOTHING };
    let made = export.create("file", CreateHow::Guarded(huge));
    if made.is_ok() {
        eprintln!("skipped: this file system takes files of every size");
        return;
    }
    assert_eq!(status(made), Status::FBIG);
    assert!(!export.path("file").exists());
    // A file that was there stays.
    export.file("file", b"old");
    assert_eq!(status(export.create("file", CreateHow::Unchecked(huge))), Status::FBIG);
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"old");
}

#[test]
fn device_numbers_are_not_cut() {
    let export = Export::new();
    let root = export.root();
    for (major, minor) in [(0x1_0001, 0), (0x1000, 3), (1, 0x10_0000), (u32::MAX, u32::MAX)] {
        for kind in [FileType::CharDevice, FileType::BlockDevice] {
            let device = SpecData { major, minor };
            let made = export.fs.mknod(&me(), root.as_bytes(), b"device", kind, device, &NOTHING);
            assert_eq!(status(made), Status::INVAL);
        }
    }
    assert!(!export.path("device").exists());
}
