//! What is told of a failed sync, to whom, and how often. That syncs are made at all is seen from outside: see the test
//! `server_durable`.

use std::io::IoSlice;

use nfswire_nfs3::{FileType, SpecData, StableHow, Status};
use rustix::io::Errno;

use super::*;

fn write(export: &Export, file: &Handle, how: StableHow) -> Result<[u8; 8]> {
    let data = [IoSlice::new(b"data")];
    Ok(export.fs.write(&me(), file.as_bytes(), 0, &data, how)?.verifier)
}

fn commit(export: &Export, file: &Handle) -> Result<[u8; 8]> {
    Ok(export.fs.commit(&me(), file.as_bytes(), 0, 0)?.verifier)
}

#[test]
fn a_failed_sync_is_told_once_and_lets_everybody_write_again() {
    for error in [Errno::IO, Errno::NOSPC, Errno::DQUOT] {
        let export = Export::new();
        let (one, other) = (export.file("one", b""), export.file("other", b""));
        let before = write(&export, &one, StableHow::Unstable).unwrap();
        assert_eq!(write(&export, &other, StableHow::Unstable).unwrap(), before);
        export.fs.verifier.fail_with(&[error]);
        assert_eq!(status(commit(&export, &one)), Status::IO, "{error}");
        // The kernel counts the lost data as written: a success that says nothing else would be a lie.
        let after = commit(&export, &one).unwrap();
        assert_ne!(after, before);
        assert_eq!(commit(&export, &other).unwrap(), after);
        assert_eq!(write(&export, &one, StableHow::Unstable).unwrap(), after);
        assert_eq!(commit(&export, &one).unwrap(), after);
    }
}

/// Everything that changes something, and whether it stays on disk first when the export is `async`.
type Change = (&'static str, bool, fn(&Export) -> Result<()>);

const CHANGES: &[Change] = &[
    ("CREATE", false, |e| e.create("new", CreateHow::Unchecked(NOTHING)).map(drop)),
    ("CREATE guarded", false, |e| e.create("guarded", CreateHow::Guarded(NOTHING)).map(drop)),
    ("CREATE exclusive", false, |e| e.create("mine", CreateHow::Exclusive([7; 8])).map(drop)),
    ("MKDIR", false, |e| e.fs.mkdir(&me(), e.root().as_bytes(), b"folder", &NOTHING).map(drop)),
    ("SYMLINK", false, |e| {
        e.fs.symlink(&me(), e.root().as_bytes(), b"link", b"text", &NOTHING).map(drop)
    }),
    ("MKNOD", false, |e| {
        let (root, device) = (e.root(), SpecData { major: 0, minor: 0 });
        e.fs.mknod(&me(), root.as_bytes(), b"fifo", FileType::Fifo, device, &NOTHING).map(drop)
    }),
    ("LINK", false, |e| {
        let (file, root) = (e.look("file"), e.root());
        e.fs.link(&me(), file.as_bytes(), root.as_bytes(), b"second").map(drop)
    }),
    ("RENAME", false, |e| {
        let root = e.root();
        let (from, to) = ((root.as_bytes(), &b"renamed"[..]), (root.as_bytes(), &b"to"[..]));
        e.fs.rename(&me(), from, to).map(drop)
    }),
    ("REMOVE", false, |e| e.fs.remove(&me(), e.root().as_bytes(), b"removed").map(drop)),
    ("RMDIR", false, |e| e.fs.rmdir(&me(), e.root().as_bytes(), b"empty").map(drop)),
    ("SETATTR", false, |e| {
        e.fs.setattr(&me(), e.look("file").as_bytes(), &mode(0o640), None).map(drop)
    }),
    ("SETATTR of a symbolic link", false, |e| {
        let now = SetAttributes { mtime: SetTime::ServerTime, ..NOTHING };
        e.fs.setattr(&me(), e.look("old_link").as_bytes(), &now, None).map(drop)
    }),
    ("WRITE of data", true, |e| write(e, &e.look("file"), StableHow::DataSync).map(drop)),
    ("WRITE", true, |e| write(e, &e.look("file"), StableHow::FileSync).map(drop)),
    ("COMMIT", true, |e| commit(e, &e.look("file")).map(drop)),
];

#[test]
fn no_change_is_answered_with_success_when_its_sync_fails() {
    for durable in [true, false] {
        let export = Export::with(ExportOptions { durable, ..ExportOptions::default() });
        for name in ["file", "renamed", "removed"] {
            export.file(name, b"");
        }
        export.folder("empty");
        std::os::unix::fs::symlink("text", export.path("old_link")).unwrap();
        for (name, in_any_case, change) in CHANGES {
            let before = export.fs.verifier.get();
            export.fs.verifier.fail_with(&[Errno::IO]);
            let result = change(&export);
            if durable || *in_any_case {
                assert_eq!(status(result), Status::IO, "{name}");
                assert_ne!(export.fs.verifier.get(), before, "{name}");
                assert_eq!(export.fs.verifier.faults_left(), 0, "{name}");
            } else {
                assert!(result.is_ok(), "{name} of an export that is async: {result:?}");
                assert_eq!(export.fs.verifier.get(), before, "{name}");
                // The fault is still to come.
                assert_eq!(status(commit(&export, &export.look("file"))), Status::IO);
            }
        }
    }
}

#[test]
fn a_file_is_not_forgotten_before_its_data_is_on_disk() {
    let fill: fn(&Export) = |export| {
        for i in 0..40 {
            export.file(&format!("other{i}"), b"");
        }
    };
    for (how, forget) in
        [("others are used", fill), ("descriptors run out", Export::restart_tables)]
    {
        let export = Export::with(ExportOptions {
            open_files: 16,
            durable: false,
            ..ExportOptions::default()
        });
        let file = export.file("file", b"");
        let before = write(&export, &file, StableHow::Unstable).unwrap();
        export.fs.verifier.fail_with(&[Errno::IO]);
        forget(&export);
        assert_eq!(export.fs.verifier.faults_left(), 0, "a sync was made when {how}");
        let after = commit(&export, &file).unwrap();
        assert_ne!(after, before, "{how}");
        // What is committed costs no further sync.
        export.fs.verifier.fail_with(&[Errno::IO]);
        forget(&export);
        assert_eq!(export.fs.verifier.faults_left(), 1, "{how}");
    }
}

#[test]
fn an_exclusive_create_whose_sync_failed_is_known_when_it_comes_again() {
    let mut export = Export::new();
    let mine = CreateHow::Exclusive(*b"verifier");
    export.fs.verifier.fail_with(&[Errno::IO]);
    assert_eq!(status(export.create("file", mine)), Status::IO);
    // The same call puts on disk what the first one could not.
    export.fs.verifier.fail_with(&[Errno::IO]);
    assert_eq!(status(export.create("file", mine)), Status::IO);
    let made = export.create("file", mine).unwrap();
    export.restart();
    assert_eq!(export.create("file", mine).unwrap().object, made.object);
    assert_eq!(status(export.create("file", CreateHow::Exclusive([0; 8]))), Status::EXIST);
}

#[test]
fn writes_and_commits_of_many_threads_leave_nothing_behind() {
    let export = Export::with(ExportOptions { open_files: 16, ..ExportOptions::default() });
    let file = export.create("file", CreateHow::Guarded(mode(0o600))).unwrap().object.unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (export, file) = (&export, &file);
            scope.spawn(move || {
                for round in 0..20u64 {
                    let data = [thread as u8 + 1; 100];
                    let how = [StableHow::Unstable, StableHow::DataSync, StableHow::FileSync]
                        [round as usize % 3];
                    let (at, data) = ((round * 8 + thread) * 100, [IoSlice::new(&data)]);
                    export.fs.write(&me(), file.as_bytes(), at, &data, how).unwrap();
                    if round % 4 == thread % 4 {
                        commit(export, file).unwrap();
                    }
                    if thread == 0 {
                        export.restart_tables();
                    }
                }
            });
        }
    });
    commit(&export, &file).unwrap();
    let before = export.fs.verifier.get();
    // All of it is committed: to forget the file makes no sync.
    export.fs.verifier.fail_with(&[Errno::IO]);
    export.restart_tables();
    assert_eq!((export.fs.verifier.faults_left(), export.fs.verifier.get()), (1, before));
    let content = std::fs::read(export.path("file")).unwrap();
    assert_eq!(content.len(), 20 * 8 * 100);
    for (i, block) in content.chunks(100).enumerate() {
        assert!(block.iter().all(|&byte| byte == (i % 8) as u8 + 1), "block {i}");
    }
}
