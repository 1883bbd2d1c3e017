//! The option `--export`, in words and back.

use core::net::IpAddr;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use ipnet::IpNet;
use nfswire_examples::server::Squash;

/// A directory to export, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportOption {
    pub(crate) directory: PathBuf,
    /// `None`: `/` and the last component of the directory.
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) read_only: bool,
    pub(crate) is_async: bool,
    pub(crate) cross_mounts: bool,
    /// Or as `--secure` says.
    pub(crate) secure: bool,
    /// `None`: as `--squash` says.
    pub(crate) squash: Option<Squash>,
    /// Empty: as `--allow` says.
    pub(crate) allow: Vec<IpNet>,
}

impl ExportOption {
    /// The directory alone, under a name.
    pub(crate) fn new(directory: PathBuf, name: Option<&str>) -> Self {
        Self {
            directory,
            name: name.map(|name| name.as_bytes().to_vec()),
            read_only: false,
            is_async: false,
            cross_mounts: false,
            secure: false,
            squash: None,
            allow: Vec::new(),
        }
    }

    /// Reads `DIR[=/NAME][,OPTION]...`. A backslash takes from a comma, an equals sign or a backslash behind it what it
    /// means here; before anything else it is a backslash.
    pub(crate) fn parse(text: &OsStr) -> Result<Self, String> {
        let mut parts = split(text.as_bytes()).into_iter();
        let Some(Part { text: place, name_at }) = parts.next() else {
            return Err("it is empty; name a directory".into());
        };
        let (directory, name) = match name_at.and_then(|at| place.split_at_checked(at)) {
            Some((directory, name)) => (directory.to_vec(), Some(name.to_vec())),
            None => (place, None),
        };
        if directory.is_empty() {
            return Err("it names no directory; give it as DIR[=/NAME][,OPTION]...".into());
        }
        let mut export = Self::new(OsString::from_vec(directory).into(), None);
        export.name = name;
        for part in parts {
            export.set(&String::from_utf8_lossy(&part.text))?;
        }
        Ok(export)
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        match option.split_once('=').unwrap_or((option, "")) {
            ("ro", "") => self.read_only = true,
            ("async", "") => self.is_async = true,
            ("crossmnt", "") => self.cross_mounts = true,
            ("secure", "") => self.secure = true,
            ("squash", "root") => self.squash = Some(Squash::Root),
            ("squash", "all") => self.squash = Some(Squash::All),
            ("squash", "none") => self.squash = Some(Squash::None),
            ("squash", other) => {
                return Err(format!("squash={other} is unknown; it is one of root, all and none"));
            }
            ("allow", net) => self.allow.push(network(net)?),
            _ => {
                return Err(format!(
                    "{option:?} is no option; there are ro, async, crossmnt, secure, squash=root|all|none and allow=CIDR \
                     (several times for several), and a comma in the name of a directory is written \\,"
                ));
            }
        }
        Ok(())
    }
}

/// A network in the form `10.0.0.0/8`, or a single host.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    let net =
        text.parse::<IpNet>().ok().or_else(|| Some(IpNet::from(text.parse::<IpAddr>().ok()?)));
    let net = net.ok_or_else(|| {
        format!("{text:?} is no network; give it as 192.168.1.0/24, 2001:db8::/32 or the address of a host")
    })?;
    if net.trunc() == net {
        Ok(net)
    } else {
        Err(format!("{net} is a host within a network; write {} for the network", net.trunc()))
    }
}

struct Part {
    text: Vec<u8>,
    /// Where the name begins, behind the last `=` before a `/`; the sign itself is not in the text.
    name_at: Option<usize>,
}

/// Splits at commas. An `=/` counts in the first part only.
fn split(text: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = Part { text: Vec::new(), name_at: None };
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next_if(|next| matches!(next, b',' | b'=' | b'\\')) {
                Some(escaped) => part.text.push(escaped),
                None => part.text.push(byte),
            },
            b',' => {
                parts.push(core::mem::replace(&mut part, Part { text: Vec::new(), name_at: None }))
            }
            b'=' if parts.is_empty() && bytes.peek() == Some(&b'/') => {
                if let Some(earlier) = part.name_at.replace(part.text.len()) {
                    // That one was part of the directory.
                    part.text.insert(earlier, b'=');
                    part.name_at = Some(part.text.len());
                }
            }
            _ => part.text.push(byte),
        }
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parse(text: &str) -> Result<ExportOption, String> {
        ExportOption::parse(OsStr::new(text))
    }

    #[test]
    fn directories_and_names_are_told_apart() {
        for (text, directory, name) in [
            ("/srv/data", "/srv/data", None),
            ("data", "data", None),
            ("/srv/data=/x", "/srv/data", Some("/x")),
            ("/srv/data=/x/y", "/srv/data", Some("/x/y")),
            ("/a=/b=/c", "/a=/b", Some("/c")),
            ("/a=b", "/a=b", None),
            (r"/a\=/b", "/a=/b", None),
            (r"/a\,b,ro", "/a,b", None),
            (r"/a\b\\", r"/a\b\", None),
            ("/a=/", "/a", Some("/")),
        ] {
            let export = parse(text).unwrap();
            assert_eq!(export.directory, PathBuf::from(directory), "{text}");
            assert_eq!(export.name.as_deref(), name.map(str::as_bytes), "{text}");
        }
        let bytes = OsStr::from_bytes(b"/\xff=/\xfe");
        let export = ExportOption::parse(bytes).unwrap();
        assert_eq!(export.directory.as_os_str().as_bytes(), b"/\xff");
        assert_eq!(export.name.unwrap(), b"/\xfe");
    }

    #[test]
    fn options_are_read() {
        let export =
            parse("/a=/b,ro,async,squash=all,crossmnt,secure,allow=10.0.0.0/8,allow=::1").unwrap();
        let expected = ExportOption {
            directory: "/a".into(),
            name: Some(b"/b".to_vec()),
            read_only: true,
            is_async: true,
            cross_mounts: true,
            secure: true,
            squash: Some(Squash::All),
            allow: vec!["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()],
        };
        assert_eq!(export, expected);
        assert_eq!(parse("/a,squash=none").unwrap().squash, Some(Squash::None));
        assert_eq!(parse("/a").unwrap(), ExportOption::new("/a".into(), None));
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (text, expected) in [
            ("", "names no directory"),
            ("=/x", "names no directory"),
            ("/a,rw", "\"rw\" is no option"),
            ("/a,", "\"\" is no option"),
            ("/a,ro=1", "\"ro=1\" is no option"),
            ("/a,squash=some", "root, all and none"),
            ("/a,allow=everybody", "is no network"),
            ("/a,allow=10.0.0.1/8", "write 10.0.0.0/8"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
