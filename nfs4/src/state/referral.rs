//! `fs_locations`: where a file system is, and what a path is called there (RFC 7530, section 8; RFC
//! 8881, section 11).

use crate::{
    Component, PathName,
    attrs::{FsLocation, FsLocations},
};

/// The components of a path, `/a/b` or `a/b`, in memory that the caller lends: empty ones and `.` are
/// left out. `None` if there are more than `room`, or if one of them is `..`, which no path of the
/// protocol has.
///
/// ```
/// use nfswire_nfs4::{Component, state::split_path};
///
/// let mut room = [Component::default(); 4];
/// let path = split_path(b"/export//home/", &mut room).unwrap();
/// assert_eq!(path.iter().map(|c| c.to_string()).collect::<Vec<_>>(), ["export", "home"]);
/// assert_eq!(split_path(b"/", &mut room).unwrap().len(), 0); // the root
/// assert!(split_path(b"a/../b", &mut room).is_none());
/// ```
pub fn split_path<'r, 'a: 'r>(
    path: &'a [u8],
    room: &'r mut [Component<'a>],
) -> Option<PathName<'r>> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !matches!(part, [] | [b'.']));
    let mut used = 0usize;
    for part in parts {
        if part == b".." {
            return None;
        }
        *room.get_mut(used)? = Component::new(part)?;
        used = used.checked_add(1)?;
    }
    PathName::from_slice(room.get(..used)?)
}

/// Whether `path` is `root` or lies below it, and how many components `root` has.
fn below(root: &PathName<'_>, path: &PathName<'_>) -> Option<usize> {
    let mut rest = path.iter();
    let mut depth = 0usize;
    for component in root {
        if rest.next()? != component {
            return None;
        }
        depth = depth.saturating_add(1);
    }
    Some(depth)
}

impl<'a> FsLocations<'a> {
    /// A referral: the file system at `root`, a path of this server, is to be found at `locations`.
    /// `None` if there are none, which would refer to nowhere, or if a location has no server.
    #[must_use]
    pub fn refer(root: PathName<'a>, locations: &'a [FsLocation<'a>]) -> Option<Self> {
        if locations.is_empty() || locations.iter().any(|location| location.server.is_empty()) {
            return None;
        }
        let locations = nfswire_xdr::Array::from_slice(locations)?;
        Some(Self { fs_root: root, locations })
    }

    /// What `path`, a path of the server that answered, is called at `location`: the location's path,
    /// then what lies below the file system's root (RFC 7530, section 8.6). `None` if `path` is not
    /// in this file system.
    ///
    /// ```
    /// use nfswire_nfs4::{Component, attrs::{FsLocation, FsLocations}, state::split_path};
    /// use nfswire_xdr::{Array, Text};
    ///
    /// let [mut a, mut b, mut c] = [[Component::default(); 4]; 3];
    /// let servers = [Text::new(b"b.example").unwrap()];
    /// let location = FsLocation {
    ///     server: Array::from_slice(&servers).unwrap(),
    ///     rootpath: split_path(b"/vol/7", &mut a).unwrap(),
    /// };
    /// let locations = [location];
    /// let moved = FsLocations::refer(split_path(b"/home", &mut b).unwrap(), &locations).unwrap();
    ///
    /// let path = split_path(b"/home/ann/notes", &mut c).unwrap();
    /// let there = moved.path_at(&location, &path).unwrap();
    /// assert_eq!(there.map(|c| format!("/{c}")).collect::<String>(), "/vol/7/ann/notes");
    /// assert!(moved.path_at(&location, &location.rootpath).is_none());
    /// ```
    #[must_use]
    pub fn path_at<'p>(
        &self,
        location: &FsLocation<'p>,
        path: &PathName<'p>,
    ) -> Option<impl Iterator<Item = Component<'p>> + use<'p>> {
        let depth = below(&self.fs_root, path)?;
        Some(location.rootpath.iter().chain(path.iter().skip(depth)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_path_is_not_below_its_neighbour() {
        let mut rooms = [[Component::default(); 3]; 4];
        let [a, b, c, d] = &mut rooms;
        let root = split_path(b"/home", a).unwrap();
        assert_eq!(below(&root, &split_path(b"/home", b).unwrap()), Some(1));
        assert_eq!(below(&root, &split_path(b"/homes/x", c).unwrap()), None);
        assert_eq!(below(&root, &split_path(b"/", d).unwrap()), None);
    }

    #[test]
    fn too_long_and_nowhere() {
        let mut room = [Component::default(); 2];
        assert!(split_path(b"a/b/c", &mut room).is_none());
        assert!(split_path(b"a/./b", &mut room).is_some());
        let root = split_path(b"", &mut room).unwrap();
        assert!(FsLocations::refer(root, &[]).is_none());
        let no_server = [FsLocation { server: nfswire_xdr::Array::default(), rootpath: root }];
        assert!(FsLocations::refer(root, &no_server).is_none());
    }
}
