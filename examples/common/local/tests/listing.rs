//! READDIR and READDIRPLUS.

use std::collections::HashSet;

use nfswire_nfs3::Status;

use super::*;

/// Reads to the end, page by page; returns the names in order.
fn names(export: &Export, dir: &Handle, page: usize) -> Vec<Vec<u8>> {
    let (mut names, mut cookie) = (Vec::new(), 0);
    loop {
        let (entries, ended) = export.list(dir, cookie, page).unwrap();
        assert!(ended || entries.len() == page);
        names.extend(entries.iter().map(|entry| entry.name.clone()));
        if ended {
            return names;
        }
        cookie = entries.last().unwrap().cookie;
    }
}

#[test]
fn each_name_comes_once_whatever_the_page() {
    // B24
    let export = Export::with(ExportOptions { durable: false, ..ExportOptions::default() });
    let folder = export.folder("folder");
    for i in 0..2500 {
        std::fs::write(export.path(&format!("folder/{i}-{}", "n".repeat(i % 200))), "").unwrap();
    }
    for page in [1, 7, 100, 1_000_000] {
        let names = names(&export, &folder, page);
        let set: HashSet<_> = names.iter().collect();
        assert_eq!((names.len(), set.len()), (2502, 2502), "pages of {page}");
        assert!(set.contains(&b".".to_vec()) && set.contains(&b"..".to_vec()));
    }
}

#[test]
fn a_listing_resumes_from_any_cookie() {
    let export = Export::new();
    let folder = export.folder("folder");
    for i in 0..300 {
        std::fs::write(export.path(&format!("folder/{i}")), "").unwrap();
    }
    let (all, ended) = export.list(&folder, 0, 1000).unwrap();
    assert!(ended);
    let cookies: HashSet<u64> = all.iter().map(|entry| entry.cookie).collect();
    assert_eq!(cookies.len(), all.len());
    assert!(!cookies.contains(&0));
    for (i, entry) in all.iter().enumerate() {
        let (rest, ended) = export.list(&folder, entry.cookie, 1000).unwrap();
        assert!(ended);
        let rest: Vec<_> = rest.into_iter().map(|entry| entry.name).collect();
        let expected: Vec<_> = all[i + 1..].iter().map(|entry| entry.name.clone()).collect();
        assert_eq!(rest, expected);
    }
}

#[test]
fn names_that_stay_are_listed_once_while_others_come_and_go() {
    // B26
    let export = Export::new();
    let folder = export.folder("folder");
    for i in 0..1000 {
        std::fs::write(export.path(&format!("folder/stay-{i}")), "").unwrap();
        std::fs::write(export.path(&format!("folder/go-{i}")), "").unwrap();
    }
    let (mut names, mut cookie, mut round) = (Vec::new(), 0, 0);
    loop {
        let (entries, ended) = export.list(&folder, cookie, 50).unwrap();
        names.extend(entries.iter().map(|entry| entry.name.clone()));
        if ended {
            break;
        }
        cookie = entries.last().unwrap().cookie;
        for i in round * 20..(round + 1) * 20 {
            std::fs::write(export.path(&format!("folder/come-{i}")), "").unwrap();
            drop(std::fs::remove_file(export.path(&format!("folder/go-{i}"))));
        }
        round += 1;
    }
    let stayed: Vec<_> = names.iter().filter(|name| name.starts_with(b"stay-")).collect();
    let set: HashSet<_> = stayed.iter().collect();
    assert_eq!((stayed.len(), set.len()), (1000, 1000));
}

#[test]
fn details_are_those_of_a_lookup() {
    let export = Export::new();
    export.file("file", b"abc");
    export.folder("folder");
    std::os::unix::fs::symlink("nowhere", export.path("link")).unwrap();
    let (entries, ended) = export.list(&export.root(), 0, 100).unwrap();
    assert!(ended && entries.len() == 5);
    for entry in entries {
        // The root's own `..` is the root.
        let found = export.fs.lookup(&me(), export.root().as_bytes(), &entry.name).unwrap();
        assert_eq!(entry.details.handle, Some(found.object));
        assert_eq!(entry.details.attributes, found.attributes);
        assert_eq!(entry.fileid, found.attributes.unwrap().fileid);
    }
    let folder = export.look("folder");
    let (entries, _) = export.list(&folder, 0, 100).unwrap();
    let above = entries.iter().find(|entry| entry.name == b"..").unwrap();
    let root = export.fs.getattr(&me(), export.root().as_bytes()).unwrap();
    assert_eq!((above.fileid, &above.details), (root.fileid, &EntryDetails::default()));
}

#[test]
fn bad_cookies_and_what_is_no_directory() {
    let export = Export::new();
    let file = export.file("file", b"");
    assert_eq!(status(export.list(&file, 0, 10)), Status::NOTDIR);
    for cookie in [u64::MAX, 1 << 63] {
        let mut page = Page { limit: 9, entries: Vec::new(), begun: false };
        let root = export.root();
        let failure =
            export.fs.readdir(&me(), root.as_bytes(), cookie, [0; 8], &mut page).unwrap_err();
        assert_eq!(failure.status, Status::BAD_COOKIE);
        assert!(!page.begun && failure.first().after.is_some());
    }
}
