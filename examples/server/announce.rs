//! What the server says when it starts.

use core::net::SocketAddr;
use std::io::{self, Write};
use std::path::PathBuf;

use nfswire_examples::exports::Export;
use nfswire_examples::server::{Config, Squash};
use nfswire_examples::state_dir::StateDir;

/// An exported directory.
pub(crate) struct Share {
    pub(crate) directory: PathBuf,
    pub(crate) id: u32,
    pub(crate) read_only: bool,
    pub(crate) is_async: bool,
    pub(crate) cross_mounts: bool,
    pub(crate) switches_users: bool,
    pub(crate) kernel_handles: bool,
    pub(crate) open_files: usize,
    pub(crate) export: Export,
}

/// What is served, to whom, and as whom.
pub(crate) fn shares(out: &mut impl Write, shares: &[Share], state: &StateDir) -> io::Result<()> {
    for share in shares {
        write!(out, "exporting {} as {}", share.directory.display(), quoted(&share.export.name))?;
        let marks = [
            (share.read_only, "read-only"),
            (share.cross_mounts, "with the file systems mounted below"),
            (
                share.is_async,
                "async: a power failure may undo changes of names and attributes that clients were told of",
            ),
        ];
        let marks: Vec<_> = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
        if marks.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, " ({})", marks.join(", "))?;
        }
    }
    let mut said: Vec<String> = Vec::new();
    for share in shares {
        let trust = trust(share);
        if !said.contains(&trust) {
            let about = shares.iter().filter(|other| self::trust(other) == trust);
            let names: Vec<_> = about.map(|share| quoted(&share.export.name)).collect();
            writeln!(out, "{}: {trust}", names.join(", "))?;
            said.push(trust);
        }
    }
    let by_kernel = shares.iter().filter(|share| share.kernel_handles).count();
    let how = match by_kernel {
        0 => "files are found again by device, inode number and time of birth",
        all if all == shares.len() => "files are found again by the kernel",
        _ => {
            "files are found again by the kernel where the file system can, else by inode number and time of birth"
        }
    };
    writeln!(
        out,
        "handles are sealed and survive a restart with the state in {}; {how}",
        state.path().display()
    )
}

/// One sentence.
fn trust(share: &Share) -> String {
    let allow: Vec<_> = share.export.allow.iter().map(ToString::to_string).collect();
    let as_whom = match (share.switches_users, share.export.squash) {
        (true, Squash::Root) => {
            "each request is served as the user it names, without proof; user 0 as nobody (65534)"
                .into()
        }
        (true, Squash::None) => {
            "each request is served as the user it names, without proof, user 0 included".into()
        }
        (true, Squash::All) => "every request is served as nobody (65534)".into(),
        (false, _) => {
            let uid = rustix::process::geteuid().as_raw();
            format!(
                "every request is served as user {uid}, whoever it names: only root may switch users"
            )
        }
    };
    let from_where = if share.export.secure { ", from ports below 1024 only" } else { "" };
    let who_lies = match (share.switches_users, share.export.squash, share.export.secure) {
        (true, Squash::Root | Squash::None, false) => {
            "; any program there can name any user, unless secure keeps it to ports below 1024"
        }
        (true, Squash::Root | Squash::None, true) => {
            "; whoever gets such a port there can name any user"
        }
        _ => "",
    };
    format!("for {} only{from_where}, {as_whom}{who_lies}", allow.join(" and "))
}

/// How many connections there can be.
pub(crate) struct Room {
    pub(crate) connections: usize,
    /// What was asked for.
    pub(crate) wanted: usize,
    /// Descriptors for files that are kept open.
    pub(crate) files: usize,
    /// Descriptors that the process may have.
    pub(crate) limit: usize,
}

/// How many clients there can be at a time.
pub(crate) fn room(out: &mut impl Write, room: &Room) -> io::Result<()> {
    let Room { connections, wanted, files, limit } = room;
    if connections < wanted {
        writeln!(
            out,
            "connections: at most {connections}, not {wanted}: of {limit} descriptors {files} are for files that are kept open"
        )
    } else {
        writeln!(out, "connections: at most {connections}")
    }
}

/// How much memory clients can take.
pub(crate) fn memory(out: &mut impl Write, config: &Config) -> io::Result<()> {
    writeln!(
        out,
        "memory: at most {} MiB for {} connections and replies that may be asked for again",
        config.memory_bound().div_ceil(1 << 20),
        config.max_connections,
    )
}

/// The commands that mount the exports, and the line that says it is ready.
pub(crate) fn mounts(
    out: &mut impl Write,
    shares: &[Share],
    address: SocketAddr,
) -> io::Result<()> {
    let (ip, port) = (address.ip(), address.port());
    let host = if ip.is_unspecified() {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    } else if ip.is_ipv6() {
        format!("[{ip}]")
    } else {
        ip.to_string()
    };
    let proto = if ip.is_ipv6() && !ip.is_unspecified() { "tcp6" } else { "tcp" };
    for share in shares {
        let name = quoted(&share.export.name);
        writeln!(out, "on Linux:")?;
        writeln!(
            out,
            "mount -t nfs -o vers=3,proto={proto},port={port},mountport={port},nolock {host}:{name} /mnt"
        )?;
        writeln!(out, "on macOS:")?;
        writeln!(
            out,
            "mount_nfs -o vers=3,proto={proto},port={port},mountport={port},locallocks {host}:{name} /private/tmp/mnt"
        )?;
    }
    writeln!(out, "ready {address}")
}

/// A name as a shell takes it.
fn quoted(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted(b"/data/x-1"), "/data/x-1");
        assert_eq!(quoted(b"/two words"), "'/two words'");
        assert_eq!(quoted(b"/it's"), r"'/it'\''s'");
    }
}
