//! A directory to serve when none is named: something to look at, list and read.

use std::fs::{DirBuilder, create_dir, write};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Name of the folder inside the temporary directory, which is what gets exported.
const FOLDER: &str = "nfswire-sample";

/// Bytes of the large sample file.
pub const LARGE_FILE: usize = 1 << 20;

const README: &str = "\
This is a sample directory served over NFSv3.

  hello.txt             a short text
  folder/deeper/        folders inside folders
  link-to-hello         a symbolic link to hello.txt
  large.bin             1 MiB of numbered lines, to read in large pieces
  drop/                 a folder in which everyone may create files

It lives in a temporary directory and is removed when the server ends. To serve
one of your own directories start the server with --export DIR.
";

/// A sample directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Sample {
    keep: TempDir,
    path: PathBuf,
}

impl Sample {
    /// Makes the directory and its files below the system's directory for temporary files.
    ///
    /// # Errors
    /// A file cannot be made: the disk is full, or the directory for temporary files cannot be written.
    pub fn new() -> io::Result<Self> {
        let keep = tempfile::Builder::new().prefix("nfswire-").tempdir()?;
        let path = keep.path().join(FOLDER);
        DirBuilder::new().mode(0o755).create(&path)?;
        write(path.join("README.txt"), README)?;
        write(path.join("hello.txt"), "Hello over NFS.\n")?;
        create_dir(path.join("folder"))?;
        create_dir(path.join("folder").join("deeper"))?;
        write(path.join("folder").join("deeper").join("notes.txt"), "Well found.\n")?;
        symlink("hello.txt", path.join("link-to-hello"))?;
        write(path.join("large.bin"), large())?;
        let drop = path.join("drop");
        create_dir(&drop)?;
        std::fs::set_permissions(&drop, std::os::unix::fs::PermissionsExt::from_mode(0o1777))?;
        Ok(Self { keep, path })
    }

    /// A place for the state of the server, beside the directory to export; it is not made yet.
    #[must_use]
    pub fn state_dir(&self) -> PathBuf {
        self.keep.path().join("state")
    }

    /// The directory to export.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Lines that each say where they are, cut at [`LARGE_FILE`] bytes.
fn large() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LARGE_FILE);
    let mut line = 0u32;
    while bytes.len() < LARGE_FILE {
        bytes.extend_from_slice(format!("line {line:>8} at byte {:>8}\n", bytes.len()).as_bytes());
        line = line.saturating_add(1);
    }
    bytes.truncate(LARGE_FILE);
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_sample_is_complete_and_goes_away() {
        let sample = Sample::new().unwrap();
        let path = sample.path().to_path_buf();
        assert_eq!(std::fs::read(path.join("large.bin")).unwrap().len(), LARGE_FILE);
        assert_eq!(
            std::fs::read(path.join("link-to-hello")).unwrap(),
            std::fs::read(path.join("hello.txt")).unwrap()
        );
        let readme = std::fs::read_to_string(path.join("README.txt")).unwrap();
        for entry in std::fs::read_dir(&path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(name == "README.txt" || readme.contains(&name), "{name} is not explained");
        }
        drop(sample);
        assert!(!path.exists());
    }
}
