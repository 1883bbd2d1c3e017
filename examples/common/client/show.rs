//! Attributes and names for people.

use core::fmt::Write as _;
use core::time::Duration;
use std::time::SystemTime;

use nfswire_nfs3::{Attributes, FileType, Time};

/// The kind of object in words.
#[must_use]
pub const fn kind(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Regular => "regular file",
        FileType::Directory => "directory",
        FileType::BlockDevice => "block device",
        FileType::CharDevice => "character device",
        FileType::Symlink => "symbolic link",
        FileType::Socket => "socket",
        FileType::Fifo => "named pipe",
    }
}

/// Kind and permissions as `ls -l` shows them: `drwxr-xr-x`.
#[must_use]
pub fn mode(attributes: &Attributes) -> String {
    let mut text = String::from(match attributes.file_type {
        FileType::Regular => '-',
        FileType::Directory => 'd',
        FileType::BlockDevice => 'b',
        FileType::CharDevice => 'c',
        FileType::Symlink => 'l',
        FileType::Socket => 's',
        FileType::Fifo => 'p',
    });
    let bit = |bit: u32| attributes.mode & bit != 0;
    for (read, write, execute, special, letter) in [
        (0o400, 0o200, 0o100, 0o4000, 's'),
        (0o40, 0o20, 0o10, 0o2000, 's'),
        (4, 2, 1, 0o1000, 't'),
    ] {
        text.push(if bit(read) { 'r' } else { '-' });
        text.push(if bit(write) { 'w' } else { '-' });
        text.push(match (bit(special), bit(execute)) {
            (true, true) => letter,
            (true, false) => letter.to_ascii_uppercase(),
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    text
}

/// A time as UTC: `2024-05-06T07:08:09Z`, with nanoseconds on request.
#[must_use]
pub fn time(time: Time, nanoseconds: bool) -> String {
    let since = Duration::from_secs(time.seconds.into())
        .saturating_add(Duration::from_nanos(time.nanoseconds.into()));
    // Seconds are 32 bits wide: the sum is a time that exists.
    let Some(at) = SystemTime::UNIX_EPOCH.checked_add(since) else { return String::from("?") };
    if nanoseconds {
        humantime::format_rfc3339_nanos(at).to_string()
    } else {
        humantime::format_rfc3339_seconds(at).to_string()
    }
}

/// A line of `ls -l`, up to the name.
#[must_use]
pub fn long(a: &Attributes) -> String {
    let size = match a.file_type {
        FileType::BlockDevice | FileType::CharDevice => {
            format!("{}, {}", a.rdev.major, a.rdev.minor)
        }
        _ => a.size.to_string(),
    };
    format!(
        "{} {:>3} {:>5} {:>5} {size:>12} {} ",
        mode(a),
        a.nlink,
        a.uid,
        a.gid,
        time(a.mtime, false)
    )
}

/// What [`long`] says of an object that no attributes could be had of.
pub const UNKNOWN: &str = "??????????   ?     ?     ?            ?                    ? ";

/// All attributes, a line each.
#[must_use]
pub fn stat(a: &Attributes) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn core::fmt::Display| {
        // Writing to a string does not fail.
        let _: core::fmt::Result = writeln!(text, "{name:>7}: {value}");
    };
    line("type", &kind(a.file_type));
    line("mode", &format_args!("{:04o} ({})", a.mode & 0o7777, mode(a)));
    line("links", &a.nlink);
    line("uid", &a.uid);
    line("gid", &a.gid);
    line("size", &a.size);
    line("used", &a.used);
    if matches!(a.file_type, FileType::BlockDevice | FileType::CharDevice) {
        line("device", &format_args!("{}, {}", a.rdev.major, a.rdev.minor));
    }
    line("fsid", &format_args!("{:#x}", a.fsid));
    line("fileid", &a.fileid);
    line("atime", &time(a.atime, true));
    line("mtime", &time(a.mtime, true));
    line("ctime", &time(a.ctime, true));
    text
}

/// A name for a terminal: no byte of it reaches the terminal as a control character.
#[must_use]
pub fn printable(name: &[u8]) -> String {
    match core::str::from_utf8(name) {
        Ok(text) if !text.chars().any(char::is_control) => text.into(),
        _ => name.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(file_type: FileType, mode: u32) -> Attributes {
        let t = Time { seconds: 1_714_979_289, nanoseconds: 5 };
        let rdev = nfswire_nfs3::SpecData { major: 8, minor: 1 };
        let (nlink, uid, gid, size, used, fsid, fileid) = (2, 1000, 100, 40, 4096, 7, 99);
        Attributes {
            file_type,
            mode,
            nlink,
            uid,
            gid,
            size,
            used,
            rdev,
            fsid,
            fileid,
            atime: t,
            mtime: t,
            ctime: t,
        }
    }

    #[test]
    fn modes_read_like_ls() {
        assert_eq!(mode(&attributes(FileType::Directory, 0o1777)), "drwxrwxrwt");
        assert_eq!(mode(&attributes(FileType::Regular, 0o4644)), "-rwSr--r--");
        assert_eq!(mode(&attributes(FileType::Symlink, 0o2651)), "lrw-r-s--x");
    }

    #[test]
    fn lines_hold_what_a_reader_looks_for() {
        let a = attributes(FileType::Regular, 0o640);
        assert_eq!(long(&a), "-rw-r-----   2  1000   100           40 2024-05-06T07:08:09Z ");
        let text = stat(&a);
        assert!(text.contains("   type: regular file\n"), "{text}");
        assert!(text.contains("  mtime: 2024-05-06T07:08:09.000000005Z\n"), "{text}");
        assert!(!text.contains("device"), "{text}");
        let device = stat(&attributes(FileType::BlockDevice, 0o600));
        assert!(device.contains(" device: 8, 1\n"), "{device}");
    }

    #[test]
    fn names_cannot_control_a_terminal() {
        assert_eq!(printable("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(printable(b"a\x1b[2Jb"), "a\\x1b[2Jb");
        assert_eq!(printable(b"\xff"), "\\xff");
    }
}
