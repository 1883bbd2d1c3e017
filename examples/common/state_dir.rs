//! What a server must know again after a restart: the state directory.
//!
//! It holds the key under which file handles are sealed, the number of the server and how often it was started. A server
//! that lost the key would take every handle of its clients for a forgery; one that used another's would honour handles
//! that it never gave. So whatever is wrong with the directory is an error, and a new key is made only where no state
//! was.
//!
//! The file `state`, 72 bytes, numbers big-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0..16 | `nfswire state 1` and a line feed: format and version |
//! | 16..32 | key |
//! | 32..48 | number of the server |
//! | 48..56 | starts so far |
//! | 56..72 | SipHash-2-4-128 of the 56 bytes before, under the key: tells damage |
//!
//! It is replaced as a whole (written beside, fsync, rename, fsync of the directory). The file `lock` stays locked
//! (flock) while a server runs.

use core::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, fsync, mkdir, open,
    openat, renameat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::rand::{GetRandomFlags, getrandom};
use siphasher::sip128::SipHasher24;

/// Bytes of a key.
pub const KEY_LEN: usize = 16;
/// Bytes of a seal.
pub const SEAL_LEN: usize = 16;

const STATE: &str = "state";
const NEW_STATE: &str = "state.new";
const LOCK: &str = "lock";
const MAGIC: &[u8; 16] = b"nfswire state 1\n";
/// What all versions begin with.
const MAGIC_ANY: &[u8] = b"nfswire state ";
const STATE_LEN: usize = 72;

/// Nobody but the owner.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_DIR: Mode = PRIVATE.union(Mode::XUSR);

/// A secret under which bytes are sealed. Its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct MacKey([u8; KEY_LEN]);

impl MacKey {
    /// A new key from the kernel's random numbers.
    ///
    /// # Errors
    /// The kernel has no `getrandom`, or a sandbox forbids it.
    pub fn random() -> Result<Self, Errno> {
        random().map(Self)
    }

    /// The seal of these bytes: SipHash-2-4 with 128 bits of output.
    #[must_use]
    pub fn seal(&self, bytes: &[u8]) -> [u8; SEAL_LEN] {
        SipHasher24::new_with_key(&self.0).hash(bytes).as_bytes()
    }

    /// A number that depends on the key, the purpose and `number`, and is as good as random to whoever lacks the key.
    #[must_use]
    pub fn number(&self, purpose: &str, number: &[u8]) -> u64 {
        let seal = self.seal(&[purpose.as_bytes(), b"\0", number].concat());
        seal.first_chunk().copied().map_or(0, u64::from_be_bytes)
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MacKey(..)")
    }
}

fn random<const N: usize>() -> Result<[u8; N], Errno> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match getrandom(rest, GetRandomFlags::empty()) {
            Ok(n) => filled = filled.saturating_add(n),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Why the state directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Neither the user nor the environment says where it is to be.
    #[error("no place for the state: HOME is not set; name a directory with --state-dir")]
    NoPlace,
    /// The system refused.
    #[error(
        "cannot {what} {}: {error}; make it readable and writable for this user, or name another --state-dir",
        path.display()
    )]
    System {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Others could read or replace the key.
    #[error(
        "{} belongs to user {owner}, and this server runs as user {user}: others could read or replace the key for file \
         handles; run it as that user, or name another --state-dir",
        path.display()
    )]
    Owner {
        /// The directory or file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Whose it should be.
        user: u32,
    },
    /// Others could read or replace the key.
    #[error(
        "{} has mode {mode:04o}: others could read or replace the key for file handles; set it with \
         `chmod {wanted:04o}`, and if they may have read it, remove the directory and let clients mount again",
        path.display()
    )]
    Mode {
        /// The directory or file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// The mode it should have.
        wanted: u32,
    },
    /// It is a directory, a symbolic link or something else.
    #[error("{} is not a regular file; name another --state-dir", path.display())]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error(
        "another server uses the state in {}; stop it, or give each server a --state-dir of its own",
        path.display()
    )]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// The content is not what was written.
    #[error(
        "{} {what}; restore it from a backup, or remove it: then a new key is made and clients must mount again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In what way.
        what: String,
    },
    /// No random numbers.
    #[error("cannot make a key: getrandom: {0}; run outside of a sandbox that forbids it")]
    Random(Errno),
}

/// The state directory, locked until this is dropped.
#[derive(Debug)]
pub struct StateDir {
    path: PathBuf,
    state: State,
    is_new: bool,
    // Held for its lock.
    _lock: OwnedFd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    key: MacKey,
    server: [u8; 16],
    starts: u64,
}

impl StateDir {
    /// Where the state is kept when nobody says otherwise: `/var/lib/nfswire` for root, else `$XDG_STATE_HOME/nfswire` or
    /// `~/.local/state/nfswire`.
    ///
    /// # Errors
    /// [`StateError::NoPlace`].
    pub fn usual_path() -> Result<PathBuf, StateError> {
        if geteuid().is_root() {
            return Ok("/var/lib/nfswire".into());
        }
        let absolute = |name: &str| {
            // The specification has relative paths ignored.
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let base = match absolute("XDG_STATE_HOME") {
            Some(base) => base,
            None => absolute("HOME").ok_or(StateError::NoPlace)?.join(".local/state"),
        };
        Ok(base.join("nfswire"))
    }

    /// Opens the directory, which is made if it is not there, locks it and counts a start.
    ///
    /// # Errors
    /// See [`StateError`]. Nothing is changed then, but for the directory and its lock file.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        make(path)?;
        let dir = open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| failed("open", path, error))?;
        let stat = fstat(&dir).map_err(|error| failed("look at", path, error))?;
        check(&stat, path, PRIVATE_DIR)?;
        let lock = lock(&dir, path)?;
        let file = path.join(STATE);
        let (mut state, is_new) = match openat(&dir, STATE, LOOK, Mode::empty()) {
            Ok(open) => (read(open, &file)?, false),
            Err(Errno::NOENT) => {
                let key = MacKey::random().map_err(StateError::Random)?;
                let server = random().map_err(StateError::Random)?;
                (State { key, server, starts: 0 }, true)
            }
            Err(Errno::LOOP) => return Err(StateError::NotAFile { path: file }),
            Err(error) => return Err(failed("open", &file, error)),
        };
        state.starts = state.starts.saturating_add(1);
        write(&dir, path, &state)?;
        Ok(Self { path: path.into(), state, is_new, _lock: lock })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there was no state before, so that no handle of earlier runs is known.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The key under which handles are sealed.
    #[must_use]
    pub const fn key(&self) -> &MacKey {
        &self.state.key
    }

    /// The number of this server, chosen at random when the state was made.
    #[must_use]
    pub const fn server(&self) -> [u8; 16] {
        self.state.server
    }

    /// How often a server was started with this state, this time included.
    #[must_use]
    pub const fn starts(&self) -> u64 {
        self.state.starts
    }

    /// A write verifier that no other start with this state has had.
    #[must_use]
    pub fn write_verifier(&self) -> u64 {
        self.state.key.number("write verifier", &self.state.starts.to_be_bytes())
    }
}

const LOOK: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    // Not to wait for a writer, should someone have put a FIFO there.
    .union(OFlags::NONBLOCK);

fn failed(what: &'static str, path: &Path, error: Errno) -> StateError {
    StateError::System { what, path: path.into(), error: error.into() }
}

/// Makes the directory and those above it, each on disk before the next.
fn make(path: &Path) -> Result<(), StateError> {
    let missing: Vec<_> = path
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .collect();
    for dir in missing.into_iter().rev() {
        let mode = if dir == path { PRIVATE_DIR } else { Mode::from_raw_mode(0o755) };
        match mkdir(dir, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed("make", dir, error)),
        }
        let parent = match dir.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        open(parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .and_then(fsync)
            .map_err(|error| failed("sync", parent, error))?;
    }
    Ok(())
}

/// Nobody but this user may have a hand in it.
fn check(stat: &Stat, path: &Path, wanted: Mode) -> Result<(), StateError> {
    let user = geteuid().as_raw();
    if stat.st_uid != user {
        return Err(StateError::Owner { path: path.into(), owner: stat.st_uid, user });
    }
    let mode = stat.st_mode & 0o7777;
    if mode & 0o077 != 0 {
        return Err(StateError::Mode { path: path.into(), mode, wanted: wanted.as_raw_mode() });
    }
    Ok(())
}

fn check_file(file: &OwnedFd, path: &Path) -> Result<(), StateError> {
    let stat = fstat(file).map_err(|error| failed("look at", path, error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(StateError::NotAFile { path: path.into() });
    }
    check(&stat, path, PRIVATE)
}

fn lock(dir: &OwnedFd, path: &Path) -> Result<OwnedFd, StateError> {
    let file = path.join(LOCK);
    let how = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let lock = openat(dir, LOCK, how, PRIVATE).map_err(|error| failed("open", &file, error))?;
    check_file(&lock, &file)?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(Errno::WOULDBLOCK) => Err(StateError::Locked { path: path.into() }),
        Err(error) => Err(failed("lock", &file, error)),
    }
}

fn read(open: OwnedFd, path: &Path) -> Result<State, StateError> {
    check_file(&open, path)?;
    let mut bytes = Vec::new();
    // One byte more than it may have.
    File::from(open).take(73).read_to_end(&mut bytes).map_err(|error| StateError::System {
        what: "read",
        path: path.into(),
        error,
    })?;
    State::parse(&bytes).map_err(|what| StateError::Damaged { path: path.into(), what })
}

fn write(dir: &OwnedFd, path: &Path, state: &State) -> Result<(), StateError> {
    let new = path.join(NEW_STATE);
    // What an earlier start has left; whoever holds the lock is alone.
    match unlinkat(dir, NEW_STATE, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(failed("remove", &new, error)),
    }
    let how = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(dir, NEW_STATE, how, PRIVATE).map_err(|error| failed("make", &new, error))?;
    let mut file = File::from(file);
    file.write_all(&state.bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| StateError::System { what: "write", path: new.clone(), error })?;
    renameat(dir, NEW_STATE, dir, STATE).map_err(|error| failed("rename", &new, error))?;
    fsync(dir).map_err(|error| failed("sync", path, error))
}

impl State {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(STATE_LEN);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.key.0);
        bytes.extend_from_slice(&self.server);
        bytes.extend_from_slice(&self.starts.to_be_bytes());
        let seal = self.key.seal(&bytes);
        bytes.extend_from_slice(&seal);
        bytes
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let damaged = || match bytes.len() {
            0 => "is empty".into(),
            STATE_LEN => "is damaged".into(),
            len if len < STATE_LEN => format!("is cut off: it has {len} of {STATE_LEN} bytes"),
            _ => format!("is longer than {STATE_LEN} bytes"),
        };
        let (magic, rest) = bytes.split_first_chunk::<16>().ok_or_else(damaged)?;
        if magic != MAGIC {
            return Err(if magic.starts_with(MAGIC_ANY) {
                "is of another version of this program".into()
            } else {
                damaged()
            });
        }
        let (key, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let (server, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let (starts, _) = rest.split_first_chunk().ok_or_else(damaged)?;
        let state =
            Self { key: MacKey(*key), server: *server, starts: u64::from_be_bytes(*starts) };
        // The length and the seal.
        if state.bytes() == bytes { Ok(state) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn sentence(path: &Path) -> String {
        StateDir::open(path).unwrap_err().to_string()
    }

    #[test]
    fn the_key_stays_and_the_starts_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("made/on/the/way");
        let first = StateDir::open(&path).unwrap();
        let (key, server, verifier) = (first.key().clone(), first.server(), first.write_verifier());
        assert!(first.is_new() && first.starts() == 1);
        assert_eq!((mode_of(&path), mode_of(&path.join(STATE))), (0o700, 0o600));
        drop(first);
        // What a start that was killed has left.
        fs::write(path.join(NEW_STATE), "half").unwrap();
        let second = StateDir::open(&path).unwrap();
        assert!(!second.is_new() && second.starts() == 2);
        assert_eq!((second.key(), second.server()), (&key, server));
        assert_ne!(second.write_verifier(), verifier);
        assert!(!format!("{second:?}").contains(&format!("{:?}", key.0)));
        let other = StateDir::open(&dir.path().join("other")).unwrap();
        assert_ne!((other.key(), other.server()), (&key, server));
    }

    #[test]
    fn a_second_server_is_refused_until_the_first_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let first = StateDir::open(&path).unwrap();
        assert!(sentence(&path).contains("another server uses the state"));
        drop(first);
        assert_eq!(StateDir::open(&path).unwrap().starts(), 2);
    }

    #[test]
    fn what_is_damaged_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        drop(StateDir::open(&path).unwrap());
        let file = path.join(STATE);
        let good = fs::read(&file).unwrap();
        assert_eq!(good.len(), STATE_LEN);
        let refused = |bytes: &[u8], expected: &str| {
            fs::write(&file, bytes).unwrap();
            let text = sentence(&path);
            assert!(text.contains(expected) && text.contains("restore it"), "{text}");
            assert_eq!(fs::read(&file).unwrap(), bytes);
        };
        refused(b"", "is empty");
        for len in 1..STATE_LEN {
            refused(&good[..len], "is cut off");
        }
        refused(&[&good[..], b"x"].concat(), "is longer");
        for bit in 0..STATE_LEN * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            refused(&bytes, "is ");
        }
        refused(&[b"nfswire state 2\n", &good[16..]].concat(), "another version");
        fs::write(&file, &good).unwrap();
        assert_eq!(StateDir::open(&path).unwrap().starts(), 2);
    }

    #[test]
    fn what_others_could_read_or_replace_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        drop(StateDir::open(&path).unwrap());
        for bits in [0o701, 0o710, 0o755, 0o720] {
            mode(&path, bits);
            let text = sentence(&path);
            assert!(text.contains("chmod 0700") && text.contains("/state has mode"), "{text}");
        }
        mode(&path, 0o700);
        for name in [STATE, LOCK] {
            mode(&path.join(name), 0o640);
            let text = sentence(&path);
            assert!(text.contains("chmod 0600") && text.contains(name), "{text}");
            mode(&path.join(name), 0o600);
        }
        if geteuid().is_root() {
            for file in [path.clone(), path.join(STATE)] {
                std::os::unix::fs::chown(&file, Some(1001), None).unwrap();
                assert!(sentence(&path).contains("belongs to user 1001"));
                std::os::unix::fs::chown(&file, Some(0), None).unwrap();
            }
        } else {
            println!("not root: cannot make files of another owner");
        }
        // A link could lead to a file that someone else writes.
        fs::rename(path.join(STATE), dir.path().join("elsewhere")).unwrap();
        symlink(dir.path().join("elsewhere"), path.join(STATE)).unwrap();
        assert!(sentence(&path).contains("is not a regular file"));
        fs::remove_file(path.join(STATE)).unwrap();
        fs::create_dir(path.join(STATE)).unwrap();
        assert!(sentence(&path).contains("is not a regular file"));
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(sentence(&file).contains("cannot open"));
    }
}
