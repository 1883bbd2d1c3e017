//! Where files were last seen: the way back from a handle to a file whose descriptor is no longer open.

use core::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::handle::FileId;

/// Longest chain of directories that is followed; Linux allows about half as many in one path.
const MAX_DEPTH: usize = 4096;

/// Where a file was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Under this name in this directory.
    At { dir: FileId, name: Box<[u8]> },
    /// Its last name was removed; the birth time says which of the owners of the inode number that was.
    Gone { birth: u64 },
}

/// How to reach a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By these names, from the root of the export.
    Path(Vec<Box<[u8]>>),
    /// It is gone for good.
    Gone,
    /// Not known.
    Unknown,
}

/// A bounded table; what falls out of it is found again by a walk.
#[derive(Debug)]
pub(super) struct Places {
    root: FileId,
    table: Mutex<LruCache<FileId, Place>>,
}

impl Places {
    pub(super) fn new(root: FileId, capacity: NonZeroUsize) -> Self {
        Self { root, table: Mutex::new(LruCache::new(capacity)) }
    }

    fn table(&self) -> MutexGuard<'_, LruCache<FileId, Place>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file was seen under this name.
    pub(super) fn seen(&self, file: FileId, dir: FileId, name: &[u8]) {
        if file == self.root {
            return;
        }
        let mut table = self.table();
        match table.get_mut(&file) {
            Some(Place::At { dir: old_dir, name: old_name })
                if *old_dir == dir && **old_name == *name => {}
            Some(place) => *place = Place::At { dir, name: name.into() },
            None => {
                table.push(file, Place::At { dir, name: name.into() });
            }
        }
    }

    /// The same, said by a walk over everything: it may fill the table, but not push out what is in use.
    pub(super) fn passed(&self, file: FileId, dir: FileId, name: &[u8], is_dir: bool) {
        let mut table = self.table();
        let half = table.cap().get().div_euclid(2);
        if file != self.root && (is_dir || table.len() < half) && !table.contains(&file) {
            table.push(file, Place::At { dir, name: name.into() });
        }
    }

    /// The file no longer has this name, but has others.
    pub(super) fn left(&self, file: FileId, dir: FileId, name: &[u8]) {
        let mut table = self.table();
        if let Some(Place::At { dir: old_dir, name: old_name }) = table.peek(&file)
            && *old_dir == dir
            && **old_name == *name
        {
            table.pop(&file);
        }
    }

    /// The file has no name any more.
    pub(super) fn gone(&self, file: FileId, birth: u64) {
        self.table().push(file, Place::Gone { birth });
    }

    /// The names that led to the file.
    pub(super) fn way(&self, file: FileId, birth: u64) -> Way {
        let mut table = self.table();
        let mut names = Vec::new();
        let mut at = file;
        while at != self.root {
            match table.get(&at) {
                Some(Place::At { dir, name }) if names.len() < MAX_DEPTH => {
                    names.push(name.clone());
                    at = *dir;
                }
                Some(Place::Gone { birth: then }) if at == file && *then == birth => {
                    return Way::Gone;
                }
                _ => return Way::Unknown,
            }
        }
        names.reverse();
        Way::Path(names)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const fn id(inode: u64) -> FileId {
        FileId { device: 0, inode }
    }

    fn places(capacity: usize) -> Places {
        Places::new(id(1), NonZeroUsize::new(capacity).unwrap())
    }

    fn path(names: &[&[u8]]) -> Way {
        Way::Path(names.iter().map(|&name| name.into()).collect())
    }

    #[test]
    fn a_way_leads_from_the_root() {
        let places = places(10);
        places.seen(id(2), id(1), b"a");
        places.seen(id(3), id(2), b"b");
        assert_eq!(places.way(id(3), 0), path(&[b"a", b"b"]));
        assert_eq!(places.way(id(1), 0), path(&[]));
        places.seen(id(2), id(1), b"moved");
        assert_eq!(places.way(id(3), 0), path(&[b"moved", b"b"]));
    }

    #[test]
    fn a_removed_file_is_gone_but_its_inode_may_return() {
        let places = places(10);
        places.seen(id(2), id(1), b"a");
        places.gone(id(2), 77);
        assert_eq!(places.way(id(2), 77), Way::Gone);
        assert_eq!(places.way(id(2), 78), Way::Unknown);
        places.seen(id(2), id(1), b"new");
        assert_eq!(places.way(id(2), 78), path(&[b"new"]));
    }

    #[test]
    fn a_name_that_was_removed_is_not_followed() {
        let places = places(10);
        places.seen(id(2), id(1), b"a");
        places.left(id(2), id(1), b"other");
        assert_eq!(places.way(id(2), 0), path(&[b"a"]));
        places.left(id(2), id(1), b"a");
        assert_eq!(places.way(id(2), 0), Way::Unknown);
    }

    #[test]
    fn a_loop_ends() {
        let places = places(10);
        places.seen(id(2), id(3), b"a");
        places.seen(id(3), id(2), b"b");
        assert_eq!(places.way(id(2), 0), Way::Unknown);
    }

    #[test]
    fn the_table_is_bounded_and_a_walk_leaves_room() {
        let places = places(10);
        for inode in 2..100 {
            places.seen(id(inode), id(1), b"x");
        }
        assert_eq!(places.table().len(), 10);
        let places = self::places(10);
        for inode in 2..100 {
            places.passed(id(inode), id(1), b"x", false);
        }
        assert_eq!(places.table().len(), 5);
    }
}
