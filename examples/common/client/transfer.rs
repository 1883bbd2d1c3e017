//! Whole files, from and to the local system.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nfswire_nfs3::{Attributes, FileType};

use super::{Client, Error, Handle, Result};

/// Memory for one round of reading or writing, in bytes, at most.
const WINDOW: u64 = 32 << 20;

/// Copies a file to `output`; the number of its bytes.
///
/// # Errors
/// A call failed, or `output` did. Some bytes may be written then.
pub fn read_to(
    client: &mut Client,
    file: &Handle,
    size: u64,
    output: &mut dyn Write,
) -> Result<u64> {
    let window = u64::from(client.sizes().read).saturating_mul(client.depth() as u64).min(WINDOW);
    let mut buffer = memory(window.min(size).max(1))?;
    let mut offset = 0u64;
    loop {
        let got = client.read(file, offset, &mut buffer)?;
        let bytes = buffer.get(..got.len).unwrap_or_default();
        output.write_all(bytes).map_err(|e| Error::local("cannot write the output", e))?;
        offset = offset.saturating_add(bytes.len() as u64);
        if got.eof {
            output.flush().map_err(|e| Error::local("cannot write the output", e))?;
            return Ok(offset);
        }
    }
}

/// Copies `input` into a file of the server, which then ends where the input ended; the number of its bytes. All of
/// it is on stable storage.
///
/// # Errors
/// A call failed, or `input` did. The file holds some of the bytes then.
pub fn write_from(
    client: &mut Client,
    file: &Handle,
    size: u64,
    input: &mut dyn Read,
) -> Result<u64> {
    let window = u64::from(client.sizes().write)
        .saturating_mul(client.depth() as u64)
        .clamp(1 << 20, WINDOW);
    // One byte more lets the end of the input be seen without growing.
    let mut buffer = memory(window.min(size).saturating_add(1))?;
    let mut offset = 0u64;
    loop {
        buffer.clear();
        let read = input
            .take(window)
            .read_to_end(&mut buffer)
            .map_err(|e| Error::local("cannot read the input", e))?;
        if read > 0 {
            client.write(file, offset, &buffer)?;
            offset = offset.saturating_add(read as u64);
        }
        if (read as u64) < window {
            break;
        }
    }
    if client.getattr(file)?.size != offset {
        client.set_size(file, offset)?;
    }
    Ok(offset)
}

fn memory(len: u64) -> Result<Vec<u8>> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut buffer = Vec::new();
    let no_memory = |_| {
        Error::Usage(format!(
            "no memory for a buffer of {len} bytes; choose a smaller depth or transfer"
        ))
    };
    buffer.try_reserve_exact(len).map_err(no_memory)?;
    buffer.resize(len, 0);
    Ok(buffer)
}

/// Copies a file of the server to a local one, or for `-` to the standard output.
///
/// A local file appears, or is replaced, when all bytes are there. An existing directory gets a file of the same name.
///
/// # Errors
/// A call failed, or the local file cannot be written.
pub fn get(
    client: &mut Client,
    path: &[Vec<u8>],
    file: &Handle,
    attributes: &Attributes,
    local: &Path,
) -> Result<u64> {
    if attributes.file_type == FileType::Directory {
        let path = client.full_path(path);
        return Err(Error::Path { path, what: "it is a directory; ls lists it".into() });
    }
    let copy = |client: &mut Client, output: &mut dyn Write| {
        read_to(client, file, attributes.size, output).map_err(|e| e.at(&client.full_path(path)))
    };
    if local.as_os_str() == "-" {
        return copy(client, &mut io::stdout().lock());
    }
    let target = target(path, local);
    let failed =
        |e: io::Error| Error::local(format!("cannot write {}", target.display()), without_path(e));
    if target.metadata().is_ok_and(|m| !m.is_file()) {
        return copy(client, &mut File::create(&target).map_err(failed)?);
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // An existing file keeps its permissions; a new one gets the server's, as far as the process's mask allows.
    let mode = target.metadata().map_or(attributes.mode & 0o777 | 0o600, |m| m.mode() & 0o777);
    let mode = Permissions::from_mode(mode);
    let mut part =
        tempfile::Builder::new().permissions(mode).tempfile_in(directory).map_err(failed)?;
    let bytes = copy(client, part.as_file_mut())?;
    // Through a symbolic link, as every other program would write.
    let last = target.canonicalize().unwrap_or_else(|_| target.clone());
    part.persist(last).map_err(|e| failed(e.error))?;
    Ok(bytes)
}

/// The error alone: that of a temporary file brings a path that nobody knows.
fn without_path(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

/// The local file: in a directory, of the name that it has on the server.
fn target(path: &[Vec<u8>], local: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    match path.last() {
        Some(name) if local.is_dir() => local.join(std::ffi::OsStr::from_bytes(name)),
        _ => local.to_path_buf(),
    }
}

/// Copies a local file, or for `-` the standard input, to the server. A file that is there is emptied first.
///
/// # Errors
/// The local file cannot be read, or a call failed.
pub fn put(client: &mut Client, local: &Path, path: &[Vec<u8>]) -> Result<u64> {
    let full = client.full_path(path);
    let Some((name, directory)) = path.split_last() else {
        return Err(Error::Path {
            path: full,
            what: "it is the directory that is mounted; name a file in it".into(),
        });
    };
    // The local file first: nothing is emptied for a file that cannot be read.
    let (mut input, mode, size): (Box<dyn Read>, u32, u64) = if local.as_os_str() == "-" {
        (Box::new(io::stdin().lock()), 0o644, WINDOW)
    } else {
        let failed = |e| Error::local(format!("cannot read {}", local.display()), e);
        let file = File::open(local).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(Error::Usage(format!(
                "{} is a directory; put copies one file",
                local.display()
            )));
        }
        let size = if metadata.is_file() { metadata.size() } else { WINDOW };
        (Box::new(file), metadata.mode() & 0o777, size)
    };
    let (parent, _) = client.resolve(directory, super::Follow::All)?;
    let named = |e: Error| e.at(&full);
    let file = client.create(&parent, name, mode).map_err(|e| super::walk::named(e, &full))?;
    write_from(client, &file, size, &mut input).map_err(named)
}
