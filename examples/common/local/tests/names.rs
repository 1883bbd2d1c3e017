//! LOOKUP, REMOVE, RMDIR, RENAME, LINK.

use nfswire_nfs3::{FileType, Status};

use super::*;

#[test]
fn lookup_finds_what_is_there_and_follows_nothing() {
    let export = Export::new();
    let root = export.root();
    export.file("file", b"abc");
    std::os::unix::fs::symlink("file", export.path("link")).unwrap();
    let found = export.fs.lookup(&me(), root.as_bytes(), b"file").unwrap();
    let attributes = found.attributes.unwrap();
    assert_eq!((attributes.file_type, attributes.size), (FileType::Regular, 3));
    assert_eq!(export.fs.getattr(&me(), found.object.as_bytes()).unwrap(), attributes);
    assert_eq!(found.dir_attributes.unwrap().file_type, FileType::Directory);
    let link = export.fs.lookup(&me(), root.as_bytes(), b"link").unwrap();
    assert_eq!(link.attributes.unwrap().file_type, FileType::Symlink);
    let text = export.fs.readlink(&me(), link.object.as_bytes()).unwrap().text;
    assert_eq!(&text[..], b"file");
    assert_eq!(status(export.fs.readlink(&me(), found.object.as_bytes())), Status::INVAL);
}

#[test]
fn lookup_failures_carry_the_directory() {
    let export = Export::new();
    let root = export.root();
    let file = export.file("file", b"");
    let try_name = |name: &[u8]| export.fs.lookup(&me(), root.as_bytes(), name).unwrap_err();
    assert_eq!(try_name(b"absent").status, Status::NOENT);
    assert!(try_name(b"absent").first().after.is_some());
    assert_eq!(try_name(b"").status, Status::ACCES); // B28c
    assert_eq!(try_name(b"a/b").status, Status::ACCES);
    assert_eq!(try_name(b"../export").status, Status::ACCES);
    assert_eq!(try_name(b"a\0b").status, Status::ACCES);
    assert_eq!(try_name(&[b'x'; 256]).status, Status::NAMETOOLONG);
    assert_eq!(try_name(&[b'x'; 255]).status, Status::NOENT);
    let failure = export.fs.lookup(&me(), file.as_bytes(), b"x").unwrap_err();
    assert_eq!(failure.status, Status::NOTDIR);
    assert_eq!(failure.first().after.unwrap().file_type, FileType::Regular);
}

#[test]
fn names_are_bytes() {
    // B28
    let export = Export::new();
    let root = export.root();
    for name in [&b"\xff\xfea"[..], b"\xe6\xbc\xa2", b"new\nline", b" ", &[0xff; 255]] {
        let made = export.fs.mkdir(&me(), root.as_bytes(), name, &NOTHING).unwrap();
        let found = export.fs.lookup(&me(), root.as_bytes(), name).unwrap();
        assert_eq!(found.object, made.object.unwrap());
    }
}

#[test]
fn dots_are_the_directory_and_the_one_above() {
    let export = Export::new();
    let inner = export.folder("a");
    let deep = export.folder("a/b");
    let look = |dir: &Handle, name: &str| {
        export.fs.lookup(&me(), dir.as_bytes(), name.as_bytes()).unwrap().object
    };
    assert_eq!(look(&deep, "."), deep);
    assert_eq!(look(&deep, ".."), inner);
    assert_eq!(look(&inner, ".."), export.root());
    assert_eq!(look(&export.root(), ".."), export.root());
    assert_eq!(look(&export.root(), "."), export.root());
}

#[test]
fn remove_takes_files_only() {
    let export = Export::new();
    let root = export.root();
    let file = export.file("file", b"abc");
    export.folder("folder");
    tick();
    let wcc = export.fs.remove(&me(), root.as_bytes(), b"file").unwrap();
    assert_ne!(wcc.before.unwrap().ctime, wcc.after.unwrap().ctime);
    assert!(!export.path("file").exists());
    assert_eq!(status(export.fs.getattr(&me(), file.as_bytes())), Status::STALE);
    assert_eq!(status(export.fs.read(&me(), file.as_bytes(), 0, 1)), Status::STALE);
    let failure = export.fs.remove(&me(), root.as_bytes(), b"file").unwrap_err();
    assert_eq!(failure.status, Status::NOENT);
    assert!(failure.first().before.is_some() && failure.first().after.is_some());
    assert_eq!(status(export.fs.remove(&me(), root.as_bytes(), b"folder")), Status::ISDIR);
    assert_eq!(status(export.fs.remove(&me(), root.as_bytes(), b"..")), Status::ISDIR);
    assert_eq!(status(export.fs.remove(&me(), root.as_bytes(), b"")), Status::ACCES);
    assert_eq!(status(export.fs.remove(&me(), file.as_bytes(), b"x")), Status::STALE);
}

#[test]
fn rmdir_takes_empty_directories_only() {
    let export = Export::new();
    let root = export.root();
    let rmdir = |name: &[u8]| export.fs.rmdir(&me(), root.as_bytes(), name);
    let folder = export.folder("folder");
    export.file("folder/file", b"");
    assert_eq!(status(rmdir(b"folder")), Status::NOTEMPTY);
    assert_eq!(status(rmdir(b".")), Status::INVAL);
    assert_eq!(status(rmdir(b"..")), Status::EXIST);
    assert_eq!(status(rmdir(b"absent")), Status::NOENT);
    export.file("file", b"");
    assert_eq!(status(rmdir(b"file")), Status::NOTDIR);
    export.fs.remove(&me(), folder.as_bytes(), b"file").unwrap();
    let wcc = rmdir(b"folder").unwrap();
    assert_eq!(wcc.after, export.fs.getattr(&me(), root.as_bytes()).ok());
    assert_eq!(status(export.fs.getattr(&me(), folder.as_bytes())), Status::STALE);
    assert_eq!(status(export.fs.mkdir(&me(), folder.as_bytes(), b"x", &NOTHING)), Status::STALE);
}

#[test]
fn rename_moves_replaces_and_keeps_handles() {
    let export = Export::new();
    let (root, a, b) = (export.root(), export.folder("a"), export.folder("b"));
    let file = export.file("a/file", b"moved");
    let old = export.file("b/old", b"replaced");
    let rename = |from: &Handle, from_name: &str, to: &Handle, to_name: &str| {
        let (from_name, to_name) = (from_name.as_bytes(), to_name.as_bytes());
        export.fs.rename(&me(), (from.as_bytes(), from_name), (to.as_bytes(), to_name))
    };
    tick();
    // Both orders of the two directories' locks.
    let done = rename(&a, "file", &b, "old").unwrap();
    assert_ne!(done.from.before.unwrap().mtime, done.from.after.unwrap().mtime);
    assert_ne!(done.to.before.unwrap().mtime, done.to.after.unwrap().mtime);
    assert_eq!(std::fs::read(export.path("b/old")).unwrap(), b"moved");
    assert_eq!(export.read(&me(), &file, 0, 10).unwrap().0, b"moved");
    assert_eq!(status(export.fs.getattr(&me(), old.as_bytes())), Status::STALE);
    rename(&b, "old", &a, "new").unwrap();
    assert_eq!(export.look("a/new"), file);
    rename(&a, "new", &a, "newer").unwrap();
    assert_eq!(export.look("a/newer"), file);

    assert_eq!(status(rename(&a, "absent", &b, "x")), Status::NOENT);
    assert_eq!(status(rename(&a, "newer", &root, "b")), Status::EXIST);
    assert_eq!(status(rename(&root, "b", &a, "newer")), Status::EXIST);
    assert_eq!(status(rename(&root, "b", &root, "a")), Status::NOTEMPTY);
    assert_eq!(status(rename(&root, "a", &a, "inside")), Status::INVAL);
    assert_eq!(status(rename(&root, ".", &root, "x")), Status::INVAL);
    assert_eq!(status(rename(&root, "a", &root, "..")), Status::INVAL);
    assert_eq!(status(rename(&root, "", &root, "x")), Status::ACCES);
    assert_eq!(status(rename(&file, "x", &root, "y")), Status::NOTDIR);
    let failure = rename(&root, "a", &file, "y").unwrap_err();
    assert_eq!(failure.status, Status::NOTDIR);
    assert_eq!(failure.first().after.unwrap().file_type, FileType::Directory);
    let failure = rename(&a, "absent", &b, "x").unwrap_err();
    assert!(failure.first().after.is_some() && failure.second().after.is_some());
    rename(&root, "b", &root, "c").unwrap();
    assert_eq!(export.look("c"), b);
}

#[test]
fn rename_onto_a_link_of_itself_changes_nothing() {
    let export = Export::new();
    let root = export.root();
    let file = export.file("a", b"x");
    std::fs::hard_link(export.path("a"), export.path("b")).unwrap();
    export.fs.rename(&me(), (root.as_bytes(), b"a"), (root.as_bytes(), b"b")).unwrap();
    assert!(export.path("a").exists() && export.path("b").exists());
    assert_eq!(export.fs.getattr(&me(), file.as_bytes()).unwrap().nlink, 2);
}

#[test]
fn link_gives_a_further_name() {
    let export = Export::new();
    let (root, folder) = (export.root(), export.folder("folder"));
    let file = export.file("file", b"x");
    let link = |object: &Handle, dir: &Handle, name: &[u8]| {
        export.fs.link(&me(), object.as_bytes(), dir.as_bytes(), name)
    };
    let linked = link(&file, &folder, b"other").unwrap();
    assert_eq!(linked.attributes.unwrap().nlink, 2);
    assert!(linked.dir.before.is_some());
    assert_eq!(export.look("folder/other"), file);
    assert_eq!(status(link(&file, &folder, b"other")), Status::EXIST);
    assert_eq!(status(link(&file, &folder, b".")), Status::EXIST);
    assert_eq!(status(link(&folder, &root, b"x")), Status::INVAL);
    let failure = link(&file, &file, b"x").unwrap_err();
    assert_eq!(failure.status, Status::NOTDIR);
    assert!(failure.first().after.is_some() && failure.second().after.is_some());
    // One name goes, the file stays.
    export.fs.remove(&me(), root.as_bytes(), b"file").unwrap();
    assert_eq!(export.read(&me(), &file, 0, 9).unwrap().0, b"x");
    export.fs.remove(&me(), folder.as_bytes(), b"other").unwrap();
    assert_eq!(status(link(&file, &root, b"again")), Status::STALE);
    // A symbolic link is itself linked, not what it leads to.
    std::os::unix::fs::symlink("/etc/passwd", export.path("symlink")).unwrap();
    link(&export.look("symlink"), &root, b"second").unwrap();
    let second = export.fs.lookup(&me(), root.as_bytes(), b"second").unwrap();
    assert_eq!(second.attributes.unwrap().file_type, FileType::Symlink);
    assert_eq!(second.object, export.look("symlink"));
}

#[test]
fn a_read_only_export_changes_nothing() {
    let export = Export::with(ExportOptions { read_only: true, ..ExportOptions::default() });
    let root = export.root();
    let file = export.file("file", b"x");
    let (fs, root, at) = (&export.fs, root.as_bytes(), file.as_bytes());
    let all = [
        status(fs.setattr(&me(), at, &mode(0o777), None)),
        status(fs.write(
            &me(),
            at,
            0,
            &[std::io::IoSlice::new(b"y")],
            nfswire_nfs3::StableHow::Unstable,
        )),
        status(fs.create(&me(), root, b"new", &CreateHow::Unchecked(NOTHING))),
        status(fs.mkdir(&me(), root, b"new", &NOTHING)),
        status(fs.symlink(&me(), root, b"new", b"x", &NOTHING)),
        status(fs.remove(&me(), root, b"file")),
        status(fs.rmdir(&me(), root, b"file")),
        status(fs.rename(&me(), (root, b"file"), (root, b"new"))),
        status(fs.link(&me(), at, root, b"new")),
    ];
    assert_eq!(all, [Status::ROFS; 9]);
    assert_eq!(std::fs::read(export.path("file")).unwrap(), b"x");
    let granted = fs.access(&me(), root, 0x3f).unwrap().access;
    assert_eq!(granted, nfswire_nfs3::lookup::ACCESS_READ | nfswire_nfs3::lookup::ACCESS_LOOKUP);
}
