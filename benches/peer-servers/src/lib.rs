//! What the peers' servers share: a directory whose files are known by numbers.
//!
//! A file stays open from its first LOOKUP, GETATTR is one `fstat`, READ that and `pread`s into the reply's buffer, all
//! of it where the call is, without another thread. The peers' own mirror examples open the file for each READ and hand
//! it to a pool of threads, which costs them more.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Number of the exported directory itself.
pub const ROOT: u64 = 1;

/// A file or directory below the export.
#[derive(Debug)]
pub struct Node {
    path: PathBuf,
    file: Option<File>,
}

#[derive(Debug, Default)]
struct Known {
    nodes: Vec<Arc<Node>>,
    ids: HashMap<PathBuf, u64>,
}

/// The exported directory.
#[derive(Debug)]
pub struct Tree(RwLock<Known>);

impl Tree {
    /// Exports `dir`.
    ///
    /// # Errors
    ///
    /// It is not a directory that can be looked at.
    pub fn new(dir: &Path) -> io::Result<Self> {
        if !dir.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let root = Node { path: dir.to_owned(), file: None };
        Ok(Self(RwLock::new(Known {
            nodes: vec![Arc::new(root)],
            ids: HashMap::from([(dir.to_owned(), ROOT)]),
        })))
    }

    /// The file of a number that `lookup` gave.
    ///
    /// # Errors
    ///
    /// There is none: `NotFound`.
    pub fn node(&self, id: u64) -> io::Result<Arc<Node>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        at.and_then(|at| known.nodes.get(at)).cloned().ok_or(io::ErrorKind::NotFound.into())
    }

    /// The number of a name in a directory, whose file is looked at each time.
    ///
    /// # Errors
    ///
    /// Those of the file system, and `InvalidInput` for what is not one name.
    pub fn lookup(&self, dir: u64, name: &[u8]) -> io::Result<u64> {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        let mut parts = name.components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
        {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let path = self.node(dir)?.path.join(name);
        let meta = path.symlink_metadata()?;
        if let Some(id) = self.0.read().unwrap_or_else(PoisonError::into_inner).ids.get(&path) {
            return Ok(*id);
        }
        let file = if meta.is_file() { Some(File::open(&path)?) } else { None };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Known { nodes, ids } = &mut *known;
        Ok(*ids.entry(path.clone()).or_insert_with(|| {
            nodes.push(Arc::new(Node { path, file }));
            nodes.len() as u64
        }))
    }
}

impl Node {
    /// What it is now.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn stat(&self) -> io::Result<Metadata> {
        match &self.file {
            Some(file) => file.metadata(),
            None => self.path.symlink_metadata(),
        }
    }

    /// Reads until the buffer is full or the file ends; returns how much.
    ///
    /// # Errors
    ///
    /// Those of the file system, and `InvalidInput` for what is not a regular file.
    pub fn read(&self, mut offset: u64, mut into: &mut [u8]) -> io::Result<usize> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::InvalidInput)?;
        let wanted = into.len();
        while !into.is_empty() {
            match file.read_at(into, offset) {
                Ok(0) => break,
                Ok(n) => {
                    offset = offset.saturating_add(n as u64);
                    into = into.get_mut(n..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(wanted.saturating_sub(into.len()))
    }

    /// Bytes from an offset, at most `count`; whether they reach the end; and the attributes that say so.
    ///
    /// # Errors
    ///
    /// As [`Node::read`].
    pub fn read_vec(&self, offset: u64, count: u32) -> io::Result<(Vec<u8>, bool)> {
        let len = self.stat()?.len();
        let count = u64::from(count).min(len.saturating_sub(offset));
        let mut data = vec![0; usize::try_from(count).map_err(|_| io::ErrorKind::InvalidInput)?];
        let got = self.read(offset, &mut data)?;
        data.truncate(got);
        Ok((data, offset.saturating_add(got as u64) >= len))
    }
}

/// The arguments `DIR ADDR` of each of these programs.
///
/// # Errors
///
/// They are not there, or the directory is none; as a sentence.
pub fn arguments() -> Result<(Tree, String), String> {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    let (Some(dir), Some(addr), None) = (args.next(), args.next(), args.next()) else {
        return Err(format!("usage: {} DIR ADDR", program.display()));
    };
    let tree =
        Tree::new(Path::new(&dir)).map_err(|e| format!("cannot export {}: {e}", dir.display()))?;
    Ok((tree, addr.to_string_lossy().into_owned()))
}
