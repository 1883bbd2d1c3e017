//! What a server exports: each [`FileSystem`] under a name, with who may use it and as whom.

use alloc::sync::Arc;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::fs::FileSystem;
use crate::server::Squash;

/// Longest name (RFC 1813, section 5.1.5, `MNTPATHLEN`).
const MAX_NAME: usize = 1024;
/// Longest part of a name between two slashes.
const MAX_STEP: usize = 255;

/// On most systems only an administrator's programs get a port below this one.
pub const RESERVED_PORTS: u16 = 1024;

/// One export.
#[derive(Clone)]
pub struct Export {
    /// What clients mount: steps with a `/` before each, or `/` alone.
    pub name: Vec<u8>,
    /// What they get.
    pub fs: Arc<dyn FileSystem>,
    /// Whom calls are served as.
    pub squash: Squash,
    /// Networks whose hosts may use it.
    pub allow: Vec<IpNet>,
    /// Whether clients must use a port below 1024, which on most systems takes an administrator. Without it every
    /// program on these hosts can claim to be any user.
    pub secure: bool,
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("name", &String::from_utf8_lossy(&self.name))
            .field("squash", &self.squash)
            .field("allow", &self.allow)
            .field("secure", &self.secure)
            .finish_non_exhaustive()
    }
}

impl Export {
    /// Whether a host may use it. An IPv4 address that comes in the form of IPv6 is what it stands for.
    #[must_use]
    pub fn allows(&self, host: IpAddr) -> bool {
        let host = host.to_canonical();
        self.allow.iter().any(|net| net.contains(&host))
    }

    /// Whether a client may use it from this port.
    #[must_use]
    pub const fn allows_port(&self, port: u16) -> bool {
        !self.secure || port < RESERVED_PORTS
    }
}

/// This machine only: 127.0.0.0/8 and ::1.
#[must_use]
pub fn loopback() -> Vec<IpNet> {
    vec![
        Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8).into(),
        Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128).into(),
    ]
}

/// Whether a network has no host but this machine.
fn is_loopback(net: &IpNet) -> bool {
    loopback().iter().any(|own| own.contains(net))
}

/// Why exports cannot be served together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportsError {
    /// There is nothing to serve.
    #[error("nothing is exported; name a directory with --export DIR")]
    None,
    /// Two have the same name.
    #[error("two exports are named {0}; give one another name with --export DIR=/NAME")]
    Twice(String),
    /// Names of RFC 1813 have limits.
    #[error(
        "{0} cannot be the name of an export: it takes steps of at most 255 bytes with a / before each, none of them \
         . or .., 1024 bytes in all"
    )]
    Name(String),
}

/// All exports of a server, under different names.
#[derive(Clone, Debug)]
pub struct Exports {
    /// The one with the longest name comes first.
    list: Vec<Export>,
}

impl Exports {
    /// Takes exports together. Slashes too many are taken out of their names.
    ///
    /// # Errors
    /// See [`ExportsError`].
    pub fn new(mut list: Vec<Export>) -> Result<Self, ExportsError> {
        for export in &mut list {
            export.name = export_name(&export.name)?;
        }
        list.sort_by(|a, b| {
            steps(&b.name).count().cmp(&steps(&a.name).count()).then(a.name.cmp(&b.name))
        });
        let twice = list.windows(2).find_map(|pair| match pair {
            [a, b] if a.name == b.name => Some(shown(&a.name)),
            _ => None,
        });
        if let Some(name) = twice {
            return Err(ExportsError::Twice(name));
        }
        if list.is_empty() { Err(ExportsError::None) } else { Ok(Self { list }) }
    }

    /// One file system under the name `/`.
    #[must_use]
    pub fn single(fs: Arc<dyn FileSystem>, squash: Squash, allow: Vec<IpNet>) -> Self {
        let name = b"/".to_vec();
        Self { list: vec![Export { name, fs, squash, allow, secure: false }] }
    }

    /// Each export, those with longer names first.
    pub fn iter(&self) -> impl Iterator<Item = &Export> {
        self.list.iter()
    }

    /// The export in which a path to be mounted lies, and the steps from its top on. A single export is also found as
    /// `/`.
    #[must_use]
    pub fn of_path<'a>(&self, path: &'a [u8]) -> Option<(&Export, Vec<&'a [u8]>)> {
        let path: Vec<_> = steps(path).collect();
        let found = self.list.iter().find_map(|export| {
            let mut rest = path.iter().copied();
            let is_below = steps(&export.name).all(|step| rest.next() == Some(step));
            is_below.then(|| (export, rest.collect()))
        });
        match (found, &self.list[..]) {
            (None, [only]) => Some((only, path)),
            (found, _) => found,
        }
    }

    /// The export that judges a handle, for a host that sent it. Where none says that the handle is its own, one that
    /// the host may use, to refuse it.
    #[must_use]
    pub fn of_handle(&self, handle: &[u8], host: IpAddr) -> Option<&Export> {
        if let [only] = &self.list[..] {
            return Some(only);
        }
        let owner = self.list.iter().find(|export| export.fs.owns(handle));
        let any =
            || self.list.iter().find(|export| export.allows(host)).or_else(|| self.list.first());
        owner.or_else(any)
    }

    /// Whether a host may use any export.
    #[must_use]
    pub fn allow(&self, host: IpAddr) -> bool {
        self.list.iter().any(|export| export.allows(host))
    }

    /// Whether no host but this machine may use anything.
    #[must_use]
    pub fn is_local_only(&self) -> bool {
        self.list.iter().flat_map(|export| &export.allow).all(is_loopback)
    }
}

/// Steps of a path, without empty ones.
pub(crate) fn steps(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|step| !step.is_empty())
}

/// The one spelling of a path.
pub(crate) fn normal(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for step in steps(path) {
        out.push(b'/');
        out.extend_from_slice(step);
    }
    if out.is_empty() { b"/".to_vec() } else { out }
}

/// The one spelling of an export's name: slashes too many are taken out.
///
/// # Errors
/// [`ExportsError::Name`] if it does not begin with a slash, is too long, or has a step `.` or `..`.
pub fn export_name(name: &[u8]) -> Result<Vec<u8>, ExportsError> {
    let normal = normal(name);
    let good = name.starts_with(b"/")
        && normal.len() <= MAX_NAME
        && !normal.contains(&0)
        && steps(&normal).all(|step| step.len() <= MAX_STEP && step != b"." && step != b"..");
    if good { Ok(normal) } else { Err(ExportsError::Name(shown(name))) }
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;
    use crate::fs::tests::OneFile;

    fn export(name: &str) -> Export {
        Export {
            name: name.into(),
            fs: Arc::new(OneFile),
            squash: Squash::Root,
            allow: loopback(),
            secure: false,
        }
    }

    fn exports(names: &[&str]) -> Result<Exports, ExportsError> {
        Exports::new(names.iter().map(|name| export(name)).collect())
    }

    fn found(exports: &Exports, path: &str) -> Option<(String, String)> {
        let (export, rest) = exports.of_path(path.as_bytes())?;
        Some((shown(&export.name), shown(&rest.join(&b'/'))))
    }

    #[test]
    fn a_path_lies_in_the_export_with_the_longest_name() {
        let exports = exports(&["/a", "/a/b/", "//c"]).unwrap();
        let cases = [
            ("/a", Some(("/a", ""))),
            ("a/", Some(("/a", ""))),
            ("/a/b", Some(("/a/b", ""))),
            ("//a//b/c/d", Some(("/a/b", "c/d"))),
            ("/a/bc", Some(("/a", "bc"))),
            ("/c/..", Some(("/c", ".."))),
            ("/ab", None),
            ("/", None),
            ("", None),
        ];
        for (path, expected) in cases {
            let expected = expected.map(|(name, rest)| (name.to_owned(), rest.to_owned()));
            assert_eq!(found(&exports, path), expected, "{path}");
        }
        let names: Vec<_> = exports.iter().map(|export| shown(&export.name)).collect();
        assert_eq!(names, ["/a/b", "/a", "/c"]);
    }

    #[test]
    fn a_single_export_is_also_the_top() {
        let exports = exports(&["/data/x"]).unwrap();
        for (path, rest) in [("/data/x/y", "y"), ("/", ""), ("/y", "y"), ("/data", "data")] {
            assert_eq!(found(&exports, path), Some(("/data/x".into(), rest.into())), "{path}");
        }
    }

    #[test]
    fn names_differ_and_are_paths() {
        assert_eq!(exports(&[]).unwrap_err(), ExportsError::None);
        assert_eq!(exports(&["/a", "/b", "//a/"]).unwrap_err(), ExportsError::Twice("/a".into()));
        let long = format!("/{}", "x".repeat(256));
        let deep = "/x".repeat(513);
        for name in ["a", "", "/a/../b", "/.", "/\0", &long, &deep] {
            assert_eq!(exports(&[name]).unwrap_err(), ExportsError::Name(name.into()));
        }
        assert!(exports(&["/", "/a"]).is_ok());
    }

    #[test]
    fn hosts_are_judged_by_their_networks() {
        let mut one = export("/");
        let allows = |export: &Export, host: &str| export.allows(host.parse().unwrap());
        for host in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(allows(&one, host), "{host}");
        }
        for host in ["10.0.0.1", "::", "::2", "::ffff:10.0.0.1"] {
            assert!(!allows(&one, host), "{host}");
        }
        let local = |export: &Export| Exports::new(vec![export.clone()]).unwrap().is_local_only();
        assert!(local(&one));
        one.allow = vec!["127.1.0.0/16".parse().unwrap()];
        assert!(local(&one) && !allows(&one, "127.0.0.1"));
        one.allow.push("10.1.0.0/16".parse().unwrap());
        assert!(!local(&one) && allows(&one, "::ffff:10.1.2.3") && !allows(&one, "10.2.0.0"));
        one.allow = vec!["0.0.0.0/0".parse().unwrap()];
        assert!(!local(&one));
    }
}
