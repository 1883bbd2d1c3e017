//! Acting as the caller. Needs to be root; says so and passes otherwise.

use std::io::IoSlice;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use nfswire_nfs3::lookup::{ACCESS_EXECUTE, ACCESS_MODIFY, ACCESS_READ};
use nfswire_nfs3::{FileType, SpecData, StableHow, Status};

use super::*;

const ALICE: Caller<'static> = Caller { uid: 1001, gid: 2001, gids: &[] };
const BOB: Caller<'static> = Caller { uid: 1002, gid: 2002, gids: &[3000, 7] };

/// An export that everyone may write, if users can be switched.
fn switching() -> Option<Export> {
    let export = Export::new();
    if !export.fs.switches_users() {
        eprintln!("skipped: switching users needs root");
        return None;
    }
    set_mode(&export, "", 0o1777);
    Some(export)
}

fn set_mode(export: &Export, name: &str, mode: u32) {
    std::fs::set_permissions(export.path(name), PermissionsExt::from_mode(mode)).unwrap();
}

/// File system user and group, and groups, of this thread.
fn thread_identity() -> String {
    let text = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let lines = text.lines().filter(|line| {
        ["Uid:", "Gid:", "Groups:", "CapEff:"].iter().any(|start| line.starts_with(start))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_kernel_judges_the_caller() {
    let Some(export) = switching() else { return };
    let secret = export.file("secret", b"x");
    set_mode(&export, "secret", 0o600);
    let before = thread_identity();
    assert_eq!(status(export.fs.read(&ALICE, secret.as_bytes(), 0, 1)), Status::ACCES);
    let data = [IoSlice::new(b"y")];
    let written = export.fs.write(&ALICE, secret.as_bytes(), 0, &data, StableHow::Unstable);
    assert_eq!(status(written), Status::ACCES);
    let cut = SetAttributes { size: Some(0), ..NOTHING };
    assert_eq!(status(export.fs.setattr(&ALICE, secret.as_bytes(), &cut, None)), Status::ACCES);
    assert_eq!(
        status(export.fs.setattr(&ALICE, secret.as_bytes(), &mode(0o666), None)),
        Status::PERM
    );
    assert_eq!(export.fs.access(&ALICE, secret.as_bytes(), 0x3f).unwrap().access, 0);
    // Sticky: only the owner takes a name away.
    let root = export.root();
    assert_eq!(status(export.fs.remove(&ALICE, root.as_bytes(), b"secret")), Status::PERM);
    let closed = export.folder("closed");
    set_mode(&export, "closed", 0o700);
    assert_eq!(status(export.fs.lookup(&ALICE, closed.as_bytes(), b"x")), Status::ACCES);
    assert_eq!(status(export.fs.lookup(&ALICE, closed.as_bytes(), b".")), Status::ACCES);
    let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
    let listed = export.fs.readdir(&ALICE, closed.as_bytes(), 0, [0; 8], &mut page);
    assert_eq!(status(listed), Status::ACCES);
    let made = export.fs.mkdir(&ALICE, closed.as_bytes(), b"x", &NOTHING);
    assert_eq!(status(made), Status::ACCES);
    let device = SpecData { major: 1, minor: 3 };
    let made =
        export.fs.mknod(&ALICE, root.as_bytes(), b"null", FileType::CharDevice, device, &NOTHING);
    assert_eq!(status(made), Status::PERM);
    assert_eq!(thread_identity(), before);
    assert_eq!(std::fs::read(export.path("secret")).unwrap(), b"x");
}

#[test]
fn a_descriptor_kept_for_one_grants_nothing_to_another() {
    let Some(export) = switching() else { return };
    let how = CreateHow::Guarded(mode(0o600));
    let root = export.root();
    let file = export.fs.create(&ALICE, root.as_bytes(), b"file", &how).unwrap().object.unwrap();
    let data = [IoSlice::new(b"mine")];
    export.fs.write(&ALICE, file.as_bytes(), 0, &data, StableHow::Unstable).unwrap();
    assert_eq!(export.read(&ALICE, &file, 0, 9).unwrap().0, b"mine");
    assert_eq!(status(export.fs.read(&BOB, file.as_bytes(), 0, 9)), Status::ACCES);
    let written = export.fs.write(&BOB, file.as_bytes(), 0, &data, StableHow::Unstable);
    assert_eq!(status(written), Status::ACCES);
    assert_eq!(status(export.fs.commit(&BOB, file.as_bytes(), 0, 0)), Status::ACCES);
    // Nor does what was once allowed.
    export.fs.setattr(&ALICE, file.as_bytes(), &mode(0o604), None).unwrap();
    assert_eq!(export.read(&BOB, &file, 0, 9).unwrap().0, b"mine");
    export.fs.setattr(&ALICE, file.as_bytes(), &mode(0o600), None).unwrap();
    assert_eq!(status(export.fs.read(&BOB, file.as_bytes(), 0, 9)), Status::ACCES);
}

#[test]
fn remembered_rights_end_with_the_next_change() {
    let Some(export) = switching() else { return };
    let file = export.file("file", b"x");
    set_mode(&export, "file", 0o604);
    let remembered = || {
        let node = export.fs.resolve(file.as_bytes()).unwrap();
        let ctime = export.fs.getattr(&BOB, file.as_bytes()).unwrap().ctime;
        node.remembered_rights(&BOB, ctime)
    };
    let folder = export.folder("folder");
    export.file("folder/x", b"x");
    let look = |caller| export.fs.lookup(caller, folder.as_bytes(), b"x");
    export.read(&BOB, &file, 0, 1).unwrap();
    look(&BOB).unwrap();
    assert_eq!(remembered(), None, "the file could change again within its ctime");
    std::thread::sleep(core::time::Duration::from_millis(3100));
    // The way of LOOKUP that does not switch users.
    let search = |caller: &Caller<'_>| {
        let node = export.fs.resolve(folder.as_bytes()).unwrap();
        let stat = export.fs.fresh(&node).unwrap();
        export.fs.may_surely_search(&node, &stat, caller).unwrap()
    };
    look(&BOB).unwrap();
    assert!(search(&BOB));
    set_mode(&export, "folder", 0o700);
    assert!(!search(&BOB));
    assert_eq!(status(look(&BOB)), Status::ACCES);
    export.read(&BOB, &file, 0, 1).unwrap();
    assert!(remembered().is_some_and(|rights| rights.read && !rights.write));
    export.read(&BOB, &file, 0, 1).unwrap();
    set_mode(&export, "file", 0o600);
    assert_eq!(status(export.fs.read(&BOB, file.as_bytes(), 0, 1)), Status::ACCES);
}

#[test]
fn new_objects_belong_to_the_caller() {
    let Some(export) = switching() else { return };
    let root = export.root();
    let how = CreateHow::Exclusive(*b"12345678");
    let made = export.fs.create(&ALICE, root.as_bytes(), b"file", &how).unwrap();
    let attributes = made.attributes.unwrap();
    assert_eq!((attributes.uid, attributes.gid), (1001, 2001));
    export.fs.mkdir(&BOB, root.as_bytes(), b"folder", &mode(0o755)).unwrap();
    export.fs.symlink(&BOB, root.as_bytes(), b"link", b"x", &NOTHING).unwrap();
    for name in ["folder", "link"] {
        let found = std::fs::symlink_metadata(export.path(name)).unwrap();
        assert_eq!((found.uid(), found.gid()), (1002, 2002));
    }
    // A group of one's own may be given, another's not.
    let folder = export.look("folder");
    let group = |gid| SetAttributes { gid: Some(gid), ..NOTHING };
    export.fs.setattr(&BOB, folder.as_bytes(), &group(3000), None).unwrap();
    assert_eq!(
        status(export.fs.setattr(&BOB, folder.as_bytes(), &group(4000), None)),
        Status::PERM
    );
    let owner = SetAttributes { uid: Some(1001), ..NOTHING };
    assert_eq!(status(export.fs.setattr(&BOB, folder.as_bytes(), &owner, None)), Status::PERM);
    let all = Caller { uid: 0, gid: 0, gids: &[] };
    export.fs.setattr(&all, folder.as_bytes(), &owner, None).unwrap();
    assert_eq!(std::fs::metadata(export.path("folder")).unwrap().uid(), 1001);
}

#[test]
fn every_step_of_making_a_file_is_the_callers() {
    let Some(export) = switching() else { return };
    let root = export.root();
    for (name, new) in [
        ("a", SetAttributes { size: Some(9), uid: Some(0), ..NOTHING }),
        ("b", SetAttributes { size: Some(0), gid: Some(0), ..NOTHING }),
    ] {
        for how in [CreateHow::Guarded(new), CreateHow::Unchecked(new)] {
            let made = export.fs.create(&ALICE, root.as_bytes(), name.as_bytes(), &how);
            assert_eq!(status(made), Status::PERM);
            assert!(!export.path(name).exists());
        }
    }
    // Of someone else's file: no cut.
    export.file("other", b"content");
    set_mode(&export, "other", 0o644);
    let cut = CreateHow::Unchecked(SetAttributes { size: Some(0), ..NOTHING });
    assert_eq!(status(export.fs.create(&ALICE, root.as_bytes(), b"other", &cut)), Status::ACCES);
    assert_eq!(std::fs::read(export.path("other")).unwrap(), b"content");
    // One's own, whatever its mode.
    let how = CreateHow::Guarded(SetAttributes { size: Some(9), mode: Some(0o400), ..NOTHING });
    let made = export.fs.create(&ALICE, root.as_bytes(), b"own", &how).unwrap();
    assert_eq!(made.attributes.unwrap().size, 9);
    let made = export.fs.create(&ALICE, root.as_bytes(), b"own", &cut).unwrap();
    assert_eq!(made.attributes.unwrap().size, 0);
}

#[test]
fn users_are_not_switched_twice() {
    let Some(export) = switching() else { return };
    let before = thread_identity();
    let identity = &export.fs.identity;
    let nested = identity.acting_as(&ALICE, || identity.acting_as(&BOB, || Ok(())));
    assert_eq!(status(nested), Status::SERVERFAULT);
    assert_eq!(thread_identity(), before);
    identity.acting_as(&BOB, || Ok(())).unwrap();
}

#[test]
fn groups_count_and_execution_implies_reading() {
    let Some(export) = switching() else { return };
    let file = export.file("file", b"#!/bin/true");
    chown(export.path("file"), Some(0), Some(7)).unwrap();
    set_mode(&export, "file", 0o640);
    assert_eq!(export.read(&BOB, &file, 0, 2).unwrap().0, b"#!");
    assert_eq!(status(export.fs.read(&ALICE, file.as_bytes(), 0, 2)), Status::ACCES);
    assert_eq!(export.fs.access(&BOB, file.as_bytes(), 0x3f).unwrap().access, ACCESS_READ);
    // RFC 1813, section 4.4
    set_mode(&export, "file", 0o111);
    assert_eq!(export.read(&ALICE, &file, 0, 2).unwrap().0, b"#!");
    assert_eq!(export.fs.access(&ALICE, file.as_bytes(), 0x3f).unwrap().access, ACCESS_EXECUTE);
    let made =
        export.fs.create(&ALICE, export.root().as_bytes(), b"ro", &CreateHow::Guarded(mode(0o400)));
    let file = made.unwrap().object.unwrap();
    let granted = export.fs.access(&ALICE, file.as_bytes(), 0x3f).unwrap().access;
    assert_eq!(granted & (ACCESS_READ | ACCESS_MODIFY), ACCESS_READ);
    // Also when the descriptor of the creation is gone.
    export.fs.nodes.remove(export.fs.handles.parse(file.as_bytes()).unwrap().0.id);
    let data = [IoSlice::new(b"late")];
    export.fs.write(&ALICE, file.as_bytes(), 0, &data, StableHow::FileSync).unwrap();
    assert_eq!(export.read(&ALICE, &file, 0, 9).unwrap().0, b"late");
}

#[test]
fn writing_clears_the_set_user_id_bit() {
    let Some(export) = switching() else { return };
    let file = export.file("file", b"x");
    set_mode(&export, "file", 0o4777);
    let data = [IoSlice::new(b"y")];
    let wcc = export.fs.write(&ALICE, file.as_bytes(), 0, &data, StableHow::Unstable).unwrap().wcc;
    assert_eq!(wcc.after.unwrap().mode, 0o777);
}

#[test]
fn impossible_ids_are_refused_and_leave_no_trace() {
    let Some(export) = switching() else { return };
    let before = thread_identity();
    let root = export.root();
    let groups = [5, u32::MAX];
    for caller in [
        Caller { uid: u32::MAX, gid: 5, gids: &[] },
        Caller { uid: 5, gid: u32::MAX, gids: &[] },
        Caller { uid: 5, gid: 5, gids: &groups },
    ] {
        assert_eq!(
            status(export.fs.mkdir(&caller, root.as_bytes(), b"x", &NOTHING)),
            Status::ACCES
        );
    }
    assert!(!export.path("x").exists());
    assert_eq!(thread_identity(), before);
}

#[test]
fn threads_act_for_their_own_callers() {
    let Some(export) = switching() else { return };
    let export = &export;
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            scope.spawn(move || {
                let before = thread_identity();
                for i in 0..25u32 {
                    let gids = [9000 + thread, 8000];
                    let caller = Caller { uid: 1000 + thread, gid: 2000 + i, gids: &gids };
                    let name = format!("{thread}-{i}");
                    let root = export.root();
                    let how = CreateHow::Guarded(mode(0o600));
                    let made = export.fs.create(&caller, root.as_bytes(), name.as_bytes(), &how);
                    let made = made.unwrap().attributes.unwrap();
                    assert_eq!((made.uid, made.gid), (1000 + thread, 2000 + i));
                }
                assert_eq!(thread_identity(), before);
            });
        }
    });
    // The thread of this test was never touched.
    assert_eq!(std::fs::metadata(export.path("")).unwrap().uid(), 0);
}

#[test]
fn callers_that_alternate_on_every_thread_never_cross() {
    const THREADS: usize = 16;
    const CALLS: usize = 100_000;
    let Some(export) = switching() else { return };
    let callers: Vec<(u32, [u32; 2])> = (0..5).map(|n| (1000 + n, [3000 + n, 7])).collect();
    let caller = |n: usize| {
        let (uid, gids) = &callers[n % callers.len()];
        Caller { uid: *uid, gid: 2000 + *uid, gids }
    };
    // Each may search one folder: by owner, or by one of two kinds of group.
    let folders: Vec<Handle> = (0..callers.len())
        .map(|n| {
            let name = format!("folder{n}");
            let folder = export.folder(&name);
            export.file(&format!("{name}/x"), b"x");
            let Caller { uid, gid, gids } = caller(n);
            let (owner, group, mode) = match n % 3 {
                0 => (uid, 0, 0o100),
                1 => (0, gid, 0o010),
                _ => (0, gids[0], 0o010),
            };
            chown(export.path(&name), Some(owner), Some(group)).unwrap();
            set_mode(&export, &name, mode);
            folder
        })
        .collect();
    let (export, folders, caller) = (&export, &folders, &caller);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let before = thread_identity();
                for call in 0..CALLS / THREADS {
                    if call == CALLS / THREADS / 2 {
                        // So far each call has switched users; now the folders count as left alone, and few do.
                        std::thread::sleep(core::time::Duration::from_millis(3100));
                    }
                    let (who, whose) = (call + thread, call / 3);
                    let folder = &folders[whose % folders.len()];
                    let found = export.fs.lookup(&caller(who), folder.as_bytes(), b"x");
                    let may = who % folders.len() == whose % folders.len();
                    assert_eq!(found.is_ok(), may, "call {call} of thread {thread}");
                    if call % 512 == 0 {
                        // Whom a new file belongs to is what the thread was.
                        let name = format!("{thread}-{call}");
                        let how = CreateHow::Guarded(mode(0o600));
                        let root = export.root();
                        let made =
                            export.fs.create(&caller(who), root.as_bytes(), name.as_bytes(), &how);
                        let made = made.unwrap().attributes.unwrap();
                        assert_eq!((made.uid, made.gid), (caller(who).uid, caller(who).gid));
                    }
                }
                assert_eq!(thread_identity(), before);
            });
        }
    });
}

#[test]
fn nothing_is_made_for_an_owner_that_the_caller_may_not_choose() {
    let Some(export) = switching() else { return };
    let root = export.root();
    let (dir, name) = (root.as_bytes(), b"x");
    let user = SetAttributes { uid: Some(5), ..NOTHING };
    // Known only to the kernel, after the object is made.
    let group = SetAttributes { gid: Some(5), ..NOTHING };
    for new in [user, group] {
        for how in [CreateHow::Unchecked(new), CreateHow::Guarded(new)] {
            assert_eq!(status(export.fs.create(&ALICE, dir, name, &how)), Status::PERM);
        }
        assert_eq!(status(export.fs.mkdir(&ALICE, dir, name, &new)), Status::PERM);
        assert_eq!(status(export.fs.symlink(&ALICE, dir, name, b"to", &new)), Status::PERM);
        let device = SpecData { major: 0, minor: 0 };
        let made = export.fs.mknod(&ALICE, dir, name, FileType::Fifo, device, &new);
        assert_eq!(status(made), Status::PERM);
        assert_eq!(std::fs::read_dir(export.path("")).unwrap().count(), 0);
    }
    // Of a file that is there, only the size is looked at.
    export.fs.create(&ALICE, dir, name, &CreateHow::Unchecked(NOTHING)).unwrap();
    export.fs.create(&ALICE, dir, name, &CreateHow::Unchecked(user)).unwrap();
    assert_eq!(status(export.fs.mkdir(&ALICE, dir, name, &user)), Status::EXIST);
}
