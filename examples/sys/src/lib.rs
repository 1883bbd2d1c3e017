//! Linux system calls that the reference server needs and safe libraries lack.
//!
//! All unsafe code of the project is here, behind functions that cannot be misused.

#[cfg(not(target_os = "linux"))]
compile_error!("the reference server runs on Linux");

use core::ffi::{CStr, c_int, c_uint};
use core::fmt;
use core::mem::size_of;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

/// Most bytes of a handle (`MAX_HANDLE_SZ`).
pub const MAX_HANDLE_LEN: usize = 128;

/// What a file system knows a file by, for as long as the file exists (open_by_handle_at(2)).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KernelHandle {
    kind: i32,
    len: u8,
    /// Zero behind `len`.
    bytes: [u8; MAX_HANDLE_LEN],
}

impl KernelHandle {
    /// A handle from its parts; `None` if there are more than [`MAX_HANDLE_LEN`] bytes.
    #[must_use]
    pub fn new(kind: i32, from: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_HANDLE_LEN];
        bytes.get_mut(..from.len())?.copy_from_slice(from);
        Some(Self { kind, len: u8::try_from(from.len()).ok()?, bytes })
    }

    /// The file system's own number for the form of the bytes.
    #[must_use]
    pub const fn kind(&self) -> i32 {
        self.kind
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

impl fmt::Debug for KernelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelHandle({}, {:?})", self.kind, self.as_bytes())
    }
}

/// `struct file_handle` with room for the bytes that follow it.
#[repr(C)]
struct Raw {
    head: Head,
    bytes: [u8; MAX_HANDLE_LEN],
}

/// The fields of `libc::file_handle`, whose flexible array cannot be written down.
#[repr(C)]
struct Head {
    handle_bytes: c_uint,
    handle_type: c_int,
}

const _: () = assert!(size_of::<Head>() == size_of::<libc::file_handle>());
const _: () = assert!(align_of::<Raw>() == align_of::<libc::file_handle>());

/// The handle of an open file (name_to_handle_at(2)), and the number of the mount by which it was opened.
///
/// # Errors
/// The kernel's: `EOPNOTSUPP` if the file system has none, `EOVERFLOW` if they are too long.
pub fn handle_of(file: impl AsFd) -> io::Result<(KernelHandle, i32)> {
    name_to_handle(file, c"", libc::AT_EMPTY_PATH)
}

/// The handle of a name in an open directory; a symbolic link is not followed.
///
/// # Errors
/// As for [`handle_of`].
pub fn handle_at(dir: impl AsFd, name: &CStr) -> io::Result<(KernelHandle, i32)> {
    name_to_handle(dir, name, 0)
}

fn name_to_handle(at: impl AsFd, name: &CStr, flags: c_int) -> io::Result<(KernelHandle, i32)> {
    let room = c_uint::try_from(MAX_HANDLE_LEN).unwrap_or(0);
    let mut raw =
        Raw { head: Head { handle_bytes: room, handle_type: 0 }, bytes: [0; MAX_HANDLE_LEN] };
    let mut mount: c_int = 0;
    let handle = (&raw mut raw).cast::<libc::file_handle>();
    let at = at.as_fd();
    // SAFETY: `name` ends in a zero byte. `handle` points to a `Raw`, which begins as a `file_handle` does (asserted
    // above) and has behind that the `handle_bytes` bytes that the kernel may write. `mount` is a place for one int. All
    // three outlive the call, and every pattern of bits is a value of what the kernel writes to.
    let result = unsafe {
        libc::name_to_handle_at(at.as_raw_fd(), name.as_ptr(), handle, &raw mut mount, flags)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let bytes = usize::try_from(raw.head.handle_bytes).ok().and_then(|len| raw.bytes.get(..len));
    let handle = bytes.and_then(|bytes| KernelHandle::new(raw.head.handle_type, bytes));
    Ok((handle.ok_or(io::ErrorKind::InvalidData)?, mount))
}

/// The file of a handle, opened with `O_PATH` (open_by_handle_at(2)). `mount` is any file or directory of the same
/// mounted file system, opened without `O_PATH`. Takes the capability `CAP_DAC_READ_SEARCH`.
///
/// No directory is searched on the way, so this finds files that the caller could not reach by any name.
///
/// # Errors
/// The kernel's: `ESTALE` if there is no such file any more, `EPERM` without the capability.
pub fn open_by_handle(mount: impl AsFd, handle: &KernelHandle) -> io::Result<OwnedFd> {
    let mut raw = Raw {
        head: Head { handle_bytes: handle.len.into(), handle_type: handle.kind },
        bytes: handle.bytes,
    };
    let mount = mount.as_fd();
    let flags = libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    let handle = (&raw mut raw).cast::<libc::file_handle>();
    // SAFETY: `handle` points to a `Raw` that outlives the call; it begins as a `file_handle` does (asserted above) and
    // has behind that at least the `handle_bytes` bytes which the kernel reads.
    let fd = unsafe { libc::open_by_handle_at(mount.as_raw_fd(), handle, flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Puts the supplementary groups of this thread into `groups`, and says how many they are (getgroups(2)).
///
/// # Errors
/// `EINVAL` if they are more than there is room for.
pub fn thread_groups(groups: &mut [u32]) -> io::Result<usize> {
    let room = c_int::try_from(groups.len()).unwrap_or(c_int::MAX);
    if room == 0 {
        // The kernel would take this for the question how many there are.
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: `groups` is a place for `room` group numbers or more, and the kernel writes at most so many.
    let count = unsafe { libc::getgroups(room, groups.as_mut_ptr()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Lets a socket send without a copy what is sent with `MSG_ZEROCOPY`; without this the flag means nothing.
///
/// # Errors
/// The kernel's, if it cannot do that on such a socket.
pub fn allow_zero_copy(socket: impl AsFd) -> io::Result<()> {
    let on: c_int = 1;
    let len = libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or(0);
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads one int of `len` bytes at `on`, which outlives the call.
    let result = unsafe {
        libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_ZEROCOPY, (&raw const on).cast(), len)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Bytes that were sent on a TCP connection and that its peer has not acknowledged (`SIOCOUTQ`, tcp(7)).
///
/// # Errors
/// The kernel's, if it is no such socket.
pub fn unacknowledged(socket: impl AsFd) -> io::Result<u32> {
    let mut bytes: c_int = 0;
    // SAFETY: for this request, which has the number of `TIOCOUTQ`, the kernel writes one int to `bytes`, which outlives
    // the call.
    let result = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    u32::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// `struct cachestat_range`.
#[repr(C)]
struct CacheRange {
    offset: u64,
    len: u64,
}

/// `struct cachestat`, which counts pages.
#[repr(C)]
#[derive(Default)]
struct CacheStat {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// The same number on every architecture that Rust runs Linux on; the C library's names lack it on some.
const SYS_CACHESTAT: libc::c_long = 451;

/// Pages of a range of a file that are in the page cache (cachestat(2)). A length of 0 goes to the end of the file.
///
/// # Errors
/// The kernel's: `ENOSYS` before Linux 6.5, `EPERM` on a file that the process could not write to.
pub fn cached_pages(file: impl AsFd, offset: u64, len: u64) -> io::Result<u64> {
    let (range, mut stat) = (CacheRange { offset, len }, CacheStat::default());
    let (fd, flags): (c_int, c_uint) = (file.as_fd().as_raw_fd(), 0);
    // SAFETY: the kernel reads a `cachestat_range` at `range` and writes a `cachestat` to `stat`; both have these layouts
    // and outlive the call.
    let result =
        unsafe { libc::syscall(SYS_CACHESTAT, fd, &raw const range, &raw mut stat, flags) };
    if result == 0 { Ok(stat.cached) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs::{File, read_link};
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_file_is_found_by_its_handle_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("file");
        let file = File::create(&path).unwrap();
        let open = File::open(dir.path()).unwrap();
        let (handle, mount) = match handle_of(&file) {
            Ok(found) => found,
            Err(error) => return println!("no handles here: {error}"),
        };
        assert!(!handle.as_bytes().is_empty());
        assert_eq!(handle_at(&open, c"file").unwrap(), (handle, mount));
        assert_ne!(handle_of(&open).unwrap().0, handle);
        let again = KernelHandle::new(handle.kind(), handle.as_bytes()).unwrap();
        assert_eq!(again, handle);
        let found = match open_by_handle(&open, &again) {
            Ok(found) => found,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::PermissionDenied);
                return println!("not permitted to open by handle: {error}");
            }
        };
        let link = format!("/proc/self/fd/{}", found.as_raw_fd());
        assert_eq!(read_link(link).unwrap(), path);
        std::fs::remove_file(&path).unwrap();
        drop((file, found));
        let gone = open_by_handle(&open, &again).unwrap_err();
        assert_eq!(gone.raw_os_error(), Some(libc::ESTALE));
    }

    #[test]
    fn groups_are_those_that_the_kernel_tells() {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Groups:")).unwrap();
        let told: Vec<u32> = line.split_whitespace().map(|gid| gid.parse().unwrap()).collect();
        let mut groups = vec![7; told.len() + 1];
        assert_eq!(thread_groups(&mut groups).unwrap(), told.len());
        assert_eq!(groups, [told.clone(), vec![7]].concat());
        for room in 0..told.len().max(1) {
            let refused = thread_groups(&mut vec![7; room]).unwrap_err();
            assert_eq!(refused.raw_os_error(), Some(libc::EINVAL), "room for {room}");
        }
    }

    #[test]
    fn bytes_count_until_they_are_acknowledged() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(unacknowledged(&client).unwrap(), 0);
        // Nobody takes any of these.
        client.set_nonblocking(true).unwrap();
        while io::Write::write(&mut client, &[7; 65_536]).is_ok() {}
        assert!(unacknowledged(&client).unwrap() > 0);
        let (reader, _writer) = io::pipe().unwrap();
        assert!(unacknowledged(&reader).is_err());
    }

    #[test]
    fn what_is_no_handle_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let open = File::open(dir.path()).unwrap();
        assert!(KernelHandle::new(1, &[0; MAX_HANDLE_LEN + 1]).is_none());
        for (kind, len) in [(1, 0), (1, 128), (i32::MIN, 8), (0xff, 8), (1, 8)] {
            let handle = KernelHandle::new(kind, [0xa5; 128].get(..len).unwrap()).unwrap();
            assert!(open_by_handle(&open, &handle).is_err());
        }
        assert_eq!(handle_at(&open, c"none").unwrap_err().kind(), ErrorKind::NotFound);
        // A pipe has no handle.
        let (reader, _writer) = io::pipe().unwrap();
        assert!(handle_of(&reader).is_err());
    }
}
