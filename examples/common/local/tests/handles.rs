//! What handles survive, and what they do not.

use nfswire_nfs3::Status;

use super::*;

#[test]
fn handles_survive_a_restart() {
    let mut export = Export::new();
    let folder = export.folder("a");
    let deep = export.folder("a/b");
    let file = export.file("a/b/file", b"still here");
    export.restart();
    assert_eq!(export.read(&me(), &file, 0, 99).unwrap().0, b"still here");
    export.restart();
    export.fs.getattr(&me(), deep.as_bytes()).unwrap();
    export.restart();
    assert_eq!(export.list(&folder, 0, 9).unwrap().0.len(), 3);
    assert_eq!(export.look("a/b/file"), file);
}

#[test]
fn a_file_that_moved_while_nobody_looked_is_found_again() {
    let mut export = Export::new();
    export.folder("a");
    export.folder("b");
    let file = export.file("a/file", b"x");
    export.restart();
    std::fs::rename(export.path("a/file"), export.path("b/other")).unwrap();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
    // Known under its old place, but no longer open.
    export.fs.nodes.remove(export.fs.handles.parse(file.as_bytes()).unwrap().id);
    std::fs::rename(export.path("b"), export.path("c")).unwrap();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
}

#[test]
fn a_walk_goes_deeper_than_one_path_can_say() {
    let mut export = Export::new();
    let name = [b'd'; 250];
    let mut dir = export.root();
    for _ in 0..40 {
        let made = export.fs.mkdir(&me(), dir.as_bytes(), &name, &mode(0o700)).unwrap();
        dir = made.object.unwrap();
    }
    let how = CreateHow::Guarded(mode(0o600));
    let file = export.fs.create(&me(), dir.as_bytes(), b"file", &how).unwrap().object.unwrap();
    export.restart();
    assert_eq!(export.fs.getattr(&me(), file.as_bytes()).unwrap().size, 0);
}

#[test]
fn a_file_is_not_stale_where_a_walk_could_not_look() {
    let mut export = Export::new();
    export.folder("closed");
    let file = export.file("closed/file", b"x");
    let set = |bits| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(bits);
        std::fs::set_permissions(export.path("closed"), permissions).unwrap();
    };
    set(0);
    let fs = LocalFs::new(&export.path(""), export.fs.options.clone()).unwrap();
    let nobody = Caller { uid: 1001, gid: 1001, gids: &[] };
    let found = {
        // Root may look everywhere.
        let _as_nobody = fs.identity.assume(&nobody).unwrap();
        fs.getattr(&me(), file.as_bytes())
    };
    set(0o700);
    assert_eq!(status(found), Status::JUKEBOX);
    export.restart();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
}

#[test]
fn a_file_is_not_stale_beyond_the_bounds_of_a_walk() {
    let mut export = Export::new();
    for name in ["a", "b", "c", "d", "e"] {
        export.file(name, b"");
    }
    let folder = export.folder("folder");
    let file = export.file("folder/file", b"x");
    export.restart();
    export.fs.walks.lock().unwrap().names = 3;
    assert_eq!(status(export.fs.getattr(&me(), file.as_bytes())), Status::JUKEBOX);
    export.restart();
    export.fs.getattr(&me(), folder.as_bytes()).unwrap();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
}

#[test]
fn a_removed_file_is_stale_before_and_after_a_restart() {
    let mut export = Export::new();
    let file = export.file("file", b"x");
    std::fs::remove_file(export.path("file")).unwrap();
    assert_eq!(status(export.fs.getattr(&me(), file.as_bytes())), Status::STALE);
    // Not a walk but knowledge: walks are rationed and would answer that it is to be tried later.
    for _ in 0..100 {
        assert_eq!(status(export.fs.getattr(&me(), file.as_bytes())), Status::STALE);
    }
    export.restart();
    assert_eq!(status(export.fs.getattr(&me(), file.as_bytes())), Status::STALE);
}

#[test]
fn an_inode_number_used_again_does_not_revive_a_handle() {
    let mut export = Export::new();
    let old = export.file("file", b"old");
    let inode = export.fs.getattr(&me(), old.as_bytes()).unwrap().fileid;
    export.fs.remove(&me(), export.root().as_bytes(), b"file").unwrap();
    tick();
    for i in 0..200 {
        let new = export.file(&format!("new-{i}"), b"new");
        if export.fs.getattr(&me(), new.as_bytes()).unwrap().fileid == inode {
            break;
        }
    }
    assert_eq!(status(export.fs.getattr(&me(), old.as_bytes())), Status::STALE);
    export.restart();
    assert_eq!(status(export.fs.getattr(&me(), old.as_bytes())), Status::STALE);
}

#[test]
fn small_tables_lose_speed_only() {
    let options = ExportOptions {
        open_files: 16,
        known_places: 16,
        durable: false,
        ..ExportOptions::default()
    };
    let export = Export::with(options);
    let mut handles = Vec::new();
    for i in 0..20 {
        export.folder(&format!("{i}"));
        for j in 0..10 {
            let content = format!("{i}/{j}");
            handles.push((export.file(&content, content.as_bytes()), content));
        }
    }
    for (handle, content) in &handles {
        // Walks have their share of the time; a client waits and asks again.
        let data = loop {
            match export.read(&me(), handle, 0, 99) {
                Err(failure) if failure.status == Status::JUKEBOX => {
                    std::thread::sleep(core::time::Duration::from_millis(1));
                }
                other => break other.unwrap().0,
            }
        };
        assert_eq!(data, content.as_bytes());
    }
}

#[test]
fn handles_of_nobody_are_refused() {
    // B27
    let export = Export::new();
    let file = export.file("file", b"x");
    for len in 0..=64 {
        let handle = vec![0xf0; len];
        assert_eq!(status(export.fs.getattr(&me(), &handle)), Status::BADHANDLE);
        assert_eq!(status(export.fs.lookup(&me(), &handle, b"file")), Status::BADHANDLE);
    }
    for cut in 0..file.as_bytes().len() {
        let handle = &file.as_bytes()[..cut];
        assert_eq!(status(export.fs.read(&me(), handle, 0, 1)), Status::BADHANDLE);
    }
    for bit in 0..file.as_bytes().len() * 8 {
        let mut handle = file.as_bytes().to_vec();
        handle[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(status(export.fs.getattr(&me(), &handle)), Status::BADHANDLE, "bit {bit}");
    }
    // Another server's, which differs in nothing but its key.
    let other = LocalFs::new(&export.path(""), ExportOptions::default()).unwrap();
    assert_eq!(status(other.getattr(&me(), file.as_bytes())), Status::BADHANDLE);
}

#[test]
fn handles_do_not_pass_from_one_export_to_another() {
    let export = Export::new();
    let (file, folder) = (export.file("file", b"x"), export.folder("folder"));
    // The same directory once more, under another number and the same key.
    let other = ExportOptions { id: 1, ..export.fs.options.clone() };
    let other = LocalFs::new(&export.path(""), other).unwrap();
    let root = other.root();
    assert_eq!(status(other.getattr(&me(), file.as_bytes())), Status::BADHANDLE);
    assert!(export.fs.owns(file.as_bytes()) && !other.owns(file.as_bytes()));
    // Its number written over that of the first.
    let mut moved = file.as_bytes().to_vec();
    moved[2..6].copy_from_slice(&root.as_bytes()[2..6]);
    assert!(other.owns(&moved));
    assert_eq!(status(other.getattr(&me(), &moved)), Status::BADHANDLE);
    // Names do not pass either, and that is said by the status made for it.
    let (from, to) = (export.root(), root.as_bytes());
    let renamed = export.fs.rename(&me(), from.as_bytes(), b"file", to, b"moved");
    assert_eq!(status(renamed), Status::XDEV);
    assert_eq!(status(export.fs.link(&me(), file.as_bytes(), to, b"second")), Status::XDEV);
    assert_eq!(status(export.fs.link(&me(), file.as_bytes(), &moved, b"x")), Status::BADHANDLE);
    export.fs.rename(&me(), from.as_bytes(), b"file", folder.as_bytes(), b"moved").unwrap();
}

#[test]
fn the_same_file_has_the_same_handle_under_every_name() {
    let export = Export::new();
    let file = export.file("one", b"");
    export.folder("folder");
    std::fs::hard_link(export.path("one"), export.path("folder/two")).unwrap();
    assert_eq!(export.look("folder/two"), file);
    std::fs::rename(export.path("one"), export.path("three")).unwrap();
    assert_eq!(export.look("three"), file);
}

#[test]
fn what_cannot_be_exported_is_said_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let error = LocalFs::new(&dir.path().join("absent"), ExportOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot export /"), "{error}");
    assert!(error.to_string().ends_with("name a directory that this user may read"));
}
