//! Nothing leads out of the export.

use core::sync::atomic::{AtomicBool, Ordering};

use nfswire_nfs3::Status;

use super::*;

#[test]
fn symbolic_links_are_never_followed() {
    let export = Export::new();
    std::os::unix::fs::symlink("/etc", export.path("etc")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", export.path("passwd")).unwrap();
    let (etc, passwd) = (export.look("etc"), export.look("passwd"));
    assert_eq!(status(export.fs.lookup(&me(), etc.as_bytes(), b"passwd")), Status::NOTDIR);
    assert_eq!(status(export.list(&etc, 0, 9)), Status::NOTDIR);
    assert_eq!(status(export.fs.mkdir(&me(), etc.as_bytes(), b"x", &NOTHING)), Status::NOTDIR);
    assert_eq!(status(export.fs.read(&me(), passwd.as_bytes(), 0, 9)), Status::INVAL);
    let made =
        export.create("passwd", CreateHow::Unchecked(SetAttributes { size: Some(0), ..NOTHING }));
    assert_eq!(status(made), Status::EXIST);
}

#[test]
fn a_directory_swapped_for_a_symbolic_link_does_not_lead_out() {
    let export =
        Export::with(ExportOptions { open_files: 16, durable: false, ..ExportOptions::default() });
    let outside = export.dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "secret").unwrap();
    let folder = export.folder("folder");
    let file = export.file("folder/file", b"public");
    std::os::unix::fs::symlink("../outside", export.path("trap")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            let (folder, trap) = (export.path("folder"), export.path("trap"));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &trap, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let (mut good, mut tries) = (0, 0);
        while tries < 1000 || (good == 0 && tries < 100_000) {
            tries += 1;
            // Forgotten each time, so that the way is walked again.
            export.fs.nodes.shrink();
            if let Ok((data, _)) = export.read(&me(), &file, 0, 99) {
                assert_eq!(data, b"public");
                good += 1;
            }
            if let Ok(found) = export.fs.lookup(&me(), folder.as_bytes(), b"file") {
                assert_eq!(found.object, file);
            }
            drop(export.fs.mkdir(&me(), folder.as_bytes(), b"made", &NOTHING));
            drop(export.fs.rmdir(&me(), folder.as_bytes(), b"made"));
        }
        stop.store(true, Ordering::Relaxed);
        assert!(good > 0);
    });
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_directory_moved_out_has_no_way_up() {
    let export = Export::new();
    let folder = export.folder("folder");
    std::fs::rename(export.path("folder"), export.dir.path().join("moved")).unwrap();
    assert_eq!(status(export.fs.lookup(&me(), folder.as_bytes(), b"..")), Status::STALE);
}

#[test]
fn a_directory_moved_out_is_stale_a_second_later() {
    for export in Export::in_each_mode() {
        let (folder, deep) = (export.folder("folder"), export.folder("folder/deep"));
        let (top, inner) = (export.root(), export.file("folder/deep/inner", b"x"));
        let there = export.file("there", b"x");
        let outside = export.dir.path().join("outside");
        let second = core::time::Duration::from_millis(1100);
        // What is asked all the time is no safer than what is not.
        let ask = || export.fs.getattr(&me(), deep.as_bytes()).map(drop);
        for _ in 0..50 {
            ask().unwrap();
        }
        std::fs::rename(export.path("folder"), &outside).unwrap();
        let moved = std::time::Instant::now();
        while moved.elapsed() < second {
            drop(ask());
        }
        let (fs, me) = (&export.fs, &me());
        for dir in [folder.as_bytes(), deep.as_bytes()] {
            let (to, from) = ((top.as_bytes(), &b"x"[..]), (dir, &b"inner"[..]));
            let answers = [
                status(fs.getattr(me, dir)),
                status(fs.access(me, dir, 1)),
                status(fs.setattr(me, dir, &mode(0o700), None)),
                status(fs.lookup(me, dir, b"inner")),
                status(fs.lookup(me, dir, b"..")),
                status(export.list(&Handle::new(dir).unwrap(), 0, 9)),
                status(fs.create(me, dir, b"new", &CreateHow::Unchecked(NOTHING))),
                status(fs.mkdir(me, dir, b"new", &NOTHING)),
                status(fs.remove(me, dir, b"inner")),
                status(fs.rmdir(me, dir, b"deep")),
                status(fs.rename(me, from, to)),
                status(fs.rename(me, (top.as_bytes(), b"there"), (dir, b"new"))),
                status(fs.link(me, there.as_bytes(), dir, b"new")),
                status(fs.fsstat(me, dir)),
            ];
            assert_eq!(answers, [Status::STALE; 14]);
        }
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(std::fs::read_dir(outside.join("deep")).unwrap().count(), 1);
        // A file in use is served wherever it is.
        assert_eq!(export.read(me, &inner, 0, 9).unwrap().0, b"x");

        std::fs::rename(&outside, export.path("back")).unwrap();
        assert_eq!(fs.lookup(me, deep.as_bytes(), b"inner").unwrap().object, inner);
        assert_eq!(fs.lookup(me, deep.as_bytes(), b"..").unwrap().object, folder);
    }
}

#[test]
fn other_file_systems_are_not_entered() {
    // /proc is mounted below the root of this machine.
    let fs = LocalFs::new(
        std::path::Path::new("/"),
        ExportOptions { read_only: true, ..ExportOptions::default() },
    )
    .unwrap();
    let root = fs.root();
    assert_eq!(status(fs.lookup(&me(), root.as_bytes(), b"proc")), Status::ACCES);
    let above = fs.lookup(&me(), root.as_bytes(), b"..").unwrap();
    assert_eq!(above.object, root);
    let mut page = Page { limit: 1000, entries: Vec::new(), begun: false };
    fs.readdir(&me(), root.as_bytes(), 0, [0; 8], &mut page).unwrap();
    let proc = page.entries.iter().find(|entry| entry.name == b"proc").unwrap();
    assert_eq!(proc.details, EntryDetails::default());
}

#[test]
fn other_file_systems_are_entered_where_that_is_wanted() {
    let options = ExportOptions { cross_mounts: true, read_only: true, ..ExportOptions::default() };
    let fs = LocalFs::new(std::path::Path::new("/"), options).unwrap();
    let root = fs.root();
    let top = fs.getattr(&me(), root.as_bytes()).unwrap();
    let found = fs.lookup(&me(), root.as_bytes(), b"proc").unwrap();
    let (proc, attributes) = (found.object, found.attributes.unwrap());
    assert_ne!(attributes.fsid, top.fsid);
    let version = fs.lookup(&me(), proc.as_bytes(), b"version").unwrap().object;
    assert_eq!(fs.lookup(&me(), proc.as_bytes(), b"..").unwrap().object, root);
    // By the names under which they were seen.
    for _ in 0..32 {
        fs.nodes.shrink();
    }
    assert_eq!(fs.getattr(&me(), version.as_bytes()).unwrap().fsid, attributes.fsid);
    assert_eq!(fs.getattr(&me(), proc.as_bytes()).unwrap().fileid, attributes.fileid);
    // No symbolic link leads on from there either, however magic.
    let own = fs.lookup(&me(), proc.as_bytes(), b"self").unwrap().object;
    assert_eq!(status(fs.lookup(&me(), own.as_bytes(), b"root")), Status::NOTDIR);
    let mut page = Page { limit: 1000, entries: Vec::new(), begun: false };
    fs.readdir(&me(), root.as_bytes(), 0, [0; 8], &mut page).unwrap();
    let entry = page.entries.iter().find(|entry| entry.name == b"proc").unwrap();
    assert_eq!(entry.details.handle, Some(proc));
}
