//! What handles survive, and what they do not.

use nfswire_nfs3::Status;

use super::*;

#[test]
fn handles_survive_a_restart() {
    for mut export in Export::in_each_mode() {
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
}

#[test]
fn a_file_that_moved_while_nobody_looked_is_found_again() {
    for mut export in Export::in_each_mode() {
        export.folder("a");
        export.folder("b");
        let file = export.file("a/file", b"x");
        export.restart();
        std::fs::rename(export.path("a/file"), export.path("b/other")).unwrap();
        assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
        // Known under its old place, but no longer open.
        export.fs.nodes.remove(export.fs.handles.parse(file.as_bytes()).unwrap().0.id);
        std::fs::rename(export.path("b"), export.path("c")).unwrap();
        assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
    }
}

#[test]
fn a_walk_goes_deeper_than_one_path_can_say() {
    let mut export = Export::without_kernel();
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
    let mut export = Export::without_kernel();
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
    let mut export = Export::without_kernel();
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
    for mut export in Export::in_each_mode() {
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
}

#[test]
fn an_inode_number_used_again_does_not_revive_a_handle() {
    for mut export in Export::in_each_mode() {
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
}

#[test]
fn small_tables_lose_speed_only() {
    let options = ExportOptions {
        open_files: 16,
        known_places: 16,
        durable: false,
        handles: HandleMode::Identity,
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
    for export in Export::in_each_mode() {
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
        let options = ExportOptions { key: None, ..export.fs.options.clone() };
        let other = LocalFs::new(&export.path(""), options).unwrap();
        assert_eq!(status(other.getattr(&me(), file.as_bytes())), Status::BADHANDLE);
    }
}

#[test]
fn handles_do_not_pass_from_one_export_to_another() {
    for export in Export::in_each_mode() {
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
        let renamed = export.fs.rename(&me(), (from.as_bytes(), b"file"), (to, b"moved"));
        assert_eq!(status(renamed), Status::XDEV);
        assert_eq!(status(export.fs.link(&me(), file.as_bytes(), to, b"second")), Status::XDEV);
        assert_eq!(status(export.fs.link(&me(), file.as_bytes(), &moved, b"x")), Status::BADHANDLE);
        export.fs.rename(&me(), (from.as_bytes(), b"file"), (folder.as_bytes(), b"moved")).unwrap();
    }
}

#[test]
fn the_same_file_has_the_same_handle_under_every_name() {
    for export in Export::in_each_mode() {
        let file = export.file("one", b"");
        export.folder("folder");
        std::fs::hard_link(export.path("one"), export.path("folder/two")).unwrap();
        assert_eq!(export.look("folder/two"), file);
        std::fs::rename(export.path("one"), export.path("three")).unwrap();
        assert_eq!(export.look("three"), file);
    }
}

#[test]
fn what_cannot_be_exported_is_said_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let error = LocalFs::new(&dir.path().join("absent"), ExportOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot export /"), "{error}");
    assert!(error.to_string().ends_with("name a directory that this user may read"));
}

#[test]
fn the_kernel_finds_files_without_a_walk() {
    for mut export in Export::in_each_mode() {
        if !export.fs.uses_kernel_handles() {
            continue;
        }
        export.folder("a");
        export.folder("b");
        let (folder, file) = (export.folder("a/folder"), export.file("a/folder/file", b"x"));
        let (link, gone) = (export.file("a/one", b"linked"), export.file("a/gone", b"x"));
        export.restart();
        std::fs::rename(export.path("a/folder"), export.path("b/moved")).unwrap();
        std::fs::rename(export.path("a/one"), export.path("b/two")).unwrap();
        std::fs::remove_file(export.path("a/gone")).unwrap();
        // Whoever walks gives up at once.
        export.fs.walks.lock().unwrap().names = 1;
        assert_eq!(export.list(&folder, 0, 9).unwrap().0.len(), 3);
        assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
        assert_eq!(export.read(&me(), &link, 0, 9).unwrap().0, b"linked");
        assert_eq!(status(export.fs.getattr(&me(), gone.as_bytes())), Status::STALE);
        assert_eq!(export.look("b/moved/file"), file);
        // Seen in a listing, a file has the same handle.
        let (listed, _) = export.list(&export.look("b"), 0, 9).unwrap();
        let two = listed.iter().find(|entry| entry.name == b"two").unwrap();
        assert_eq!(two.details.handle, Some(link));
    }
}

#[test]
fn the_whole_of_a_file_system_needs_no_search_at_all() {
    let top = std::path::Path::new("/dev/shm");
    let handles = HandleMode::Kernel;
    let options = ExportOptions { handles, durable: false, ..ExportOptions::default() };
    let (Ok(dir), Ok(fs)) = (tempfile::tempdir_in(top), LocalFs::new(top, options)) else {
        return println!("no /dev/shm that can be written and exported by the kernel's handles");
    };
    if !fs.kernel.as_ref().unwrap().is_whole {
        return println!("/dev/shm is no file system of its own");
    }
    std::fs::write(dir.path().join("file"), "x").unwrap();
    let name = dir.path().file_name().unwrap().as_encoded_bytes();
    let folder = fs.lookup(&me(), fs.root().as_bytes(), name).unwrap().object;
    let file = fs.lookup(&me(), folder.as_bytes(), b"file").unwrap().object;
    let fs = LocalFs::new(top, fs.options).unwrap();
    fs.walks.lock().unwrap().names = 1;
    assert_eq!(fs.getattr(&me(), file.as_bytes()).unwrap().size, 1);
    assert_eq!(fs.lookup(&me(), folder.as_bytes(), b"..").unwrap().object, fs.root());
}

#[test]
fn what_moved_out_of_the_export_is_stale_after_a_restart() {
    for mut export in Export::in_each_mode() {
        let (folder, file) = (export.folder("folder"), export.file("file", b"x"));
        let inner = export.file("folder/inner", b"x");
        let linked = export.file("linked", b"still here");
        export.restart();
        let outside = |name| export.dir.path().join(name);
        std::fs::rename(export.path("folder"), outside("folder")).unwrap();
        std::fs::rename(export.path("file"), outside("file")).unwrap();
        std::fs::hard_link(export.path("linked"), outside("linked")).unwrap();
        for handle in [&folder, &file, &inner] {
            let found = loop {
                match status(export.fs.getattr(&me(), handle.as_bytes())) {
                    // Walks in vain have their share of the time.
                    Status::JUKEBOX => std::thread::sleep(core::time::Duration::from_millis(1)),
                    other => break other,
                }
            };
            assert_eq!(found, Status::STALE);
        }
        assert_eq!(export.read(&me(), &linked, 0, 99).unwrap().0, b"still here");
    }
}

#[test]
fn handles_hold_in_both_modes_what_they_held_in_one() {
    for mut export in Export::in_each_mode() {
        export.folder("folder");
        let file = export.file("folder/file", b"x");
        for handles in [HandleMode::Identity, HandleMode::Auto] {
            export.fs.options.handles = handles;
            export.restart();
            assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
        }
    }
}

#[test]
fn the_kernels_handles_are_refused_where_they_cannot_be_had() {
    let options = ExportOptions { handles: HandleMode::Kernel, ..ExportOptions::default() };
    // It has none.
    let error = LocalFs::new(std::path::Path::new("/proc/self"), options).unwrap_err();
    assert!(error.to_string().contains("cannot use the kernel's file handles for /proc/self"));
}
