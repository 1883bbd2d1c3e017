//! From names to a file handle: LOOKUP step by step, symbolic links included.

use nfswire_nfs3::{Attributes, FileType};

use super::{Client, Error, Handle, Result};

/// Links that one path may lead through.
const MAX_LINKS: u32 = 40;

/// What to do about a symbolic link at the end of a path. Links in its middle are always followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Take its target.
    All,
    /// Take the link itself.
    Parents,
}

impl Client {
    /// Walks from the root of the mount to what `path` names.
    ///
    /// # Errors
    /// A call failed, or links lead out of the mount or in circles.
    pub fn resolve(&mut self, path: &[Vec<u8>], follow: Follow) -> Result<(Handle, Attributes)> {
        let full = self.full_path(path);
        let wrong = |what: String| Error::Path { path: full.clone(), what };
        let root = (*self.root(), None);
        let mut trail = vec![root];
        let mut todo: Vec<Vec<u8>> = path.iter().rev().cloned().collect();
        let mut links = 0u32;
        while let Some(name) = todo.pop() {
            if name == b".." {
                trail.pop();
                if trail.is_empty() {
                    return Err(wrong(
                        "a symbolic link leads above the directory that is mounted".into(),
                    ));
                }
                continue;
            }
            let (directory, _) = trail.last().copied().unwrap_or(root);
            let (object, attributes) =
                self.lookup(&directory, &name).map_err(|e| named(e, &full))?;
            let attributes = match attributes {
                Some(attributes) => attributes,
                None => self.getattr(&object).map_err(|e| e.at(&full))?,
            };
            let take_link = todo.is_empty() && follow == Follow::Parents;
            if attributes.file_type != FileType::Symlink || take_link {
                trail.push((object, Some(attributes)));
                continue;
            }
            links = links.saturating_add(1);
            if links > MAX_LINKS {
                return Err(wrong(
                    "it leads through too many symbolic links, perhaps in a circle".into(),
                ));
            }
            let target = self.readlink(&object).map_err(|e| e.at(&full))?;
            if target.starts_with(b"/") {
                return Err(wrong(format!(
                    "a symbolic link leads to the absolute path {}, which depends on where a client mounts what; give \
                     the path of the target itself",
                    target.escape_ascii()
                )));
            }
            let names = target.split(|b| *b == b'/').filter(|name| !matches!(*name, b"" | b"."));
            todo.extend(names.rev().map(<[u8]>::to_vec));
        }
        let (object, attributes) = trail.last().copied().unwrap_or(root);
        match attributes {
            Some(attributes) => Ok((object, attributes)),
            None => Ok((object, self.getattr(&object).map_err(|e| e.at(&full))?)),
        }
    }
}

/// The whole path says more than the name that was looked up.
pub(super) fn named(error: Error, full: &[u8]) -> Error {
    match error {
        Error::Status { procedure, status, .. } => {
            Error::Status { path: full.to_vec(), procedure, status }
        }
        other => other,
    }
}
