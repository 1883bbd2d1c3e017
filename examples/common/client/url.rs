//! NFS URLs: `nfs://host[:port]/path[?mountport=N|?portmap=N]` (RFC 2224, with a query as other tools have it).

use core::str::FromStr;

use nfswire_nfs3::PORT;
use percent_encoding::percent_decode_str;
use thiserror::Error;

/// Where a file or directory is.
///
/// ```
/// use nfswire_examples::client::NfsUrl;
/// let url: NfsUrl = "nfs://[::1]:20490/a%20b//c/../d?mountport=7".parse()?;
/// assert_eq!((url.host.as_str(), url.port, url.mount_port), ("::1", 20490, 7));
/// assert_eq!(url.path, [b"a b".to_vec(), b"d".to_vec()]);
/// # Ok::<(), nfswire_examples::client::UrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NfsUrl {
    /// Name or address, without the brackets of an IPv6 address.
    pub host: String,
    /// Port of the NFS program; 2049 if the URL has none.
    pub port: u16,
    /// Port of the MOUNT program; that of NFS if the URL has none.
    pub mount_port: u16,
    /// Port of the port mapper that knows the port of the MOUNT program, which is then not `mount_port`.
    pub portmap: Option<u16>,
    /// Names from the server's root on, percent-decoded. Without empty names, `.` and `..`.
    pub path: Vec<Vec<u8>>,
    /// The path ends with a slash: it means a directory.
    pub directory: bool,
}

/// A text is no NFS URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is no NFS URL: {what}; write nfs://host[:port]/path[?mountport=N|?portmap=N]")]
pub struct UrlError {
    /// The text.
    pub text: String,
    /// What is wrong.
    pub what: &'static str,
}

impl NfsUrl {
    /// The path as one: `/a/b`.
    #[must_use]
    pub fn path_bytes(&self) -> Vec<u8> {
        join(&self.path)
    }
}

/// Names as an absolute path.
pub(super) fn join(names: &[Vec<u8>]) -> Vec<u8> {
    if names.is_empty() {
        return b"/".to_vec();
    }
    names.iter().flat_map(|name| core::iter::once(b'/').chain(name.iter().copied())).collect()
}

/// Appends the names of a path, without empty ones and `.`; `..` takes back a name. False if there was none to take back.
pub(super) fn push_names(names: &mut Vec<Vec<u8>>, path: impl Iterator<Item = Vec<u8>>) -> bool {
    let mut inside = true;
    for name in path {
        match name.as_slice() {
            b"" | b"." => {}
            b".." => inside &= names.pop().is_some(),
            _ => names.push(name),
        }
    }
    inside
}

impl FromStr for NfsUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        parse(text).map_err(|what| UrlError { text: text.into(), what })
    }
}

fn parse(text: &str) -> Result<NfsUrl, &'static str> {
    let rest = match text.split_at_checked(6) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("nfs://") => rest,
        _ => return Err("it does not start with nfs://"),
    };
    if rest.contains('#') {
        return Err("a fragment (#...) has no meaning here; write %23 for a # in a name");
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if authority.contains('@') {
        return Err("NFS has no user or password");
    }
    let (host, port) = split_port(authority)?;
    let port = port
        .map_or(Ok(PORT), |digits| parse_port(digits, "the port is no number from 1 to 65535"))?;
    let (mut mount_port, mut portmap) = (None, None);
    for option in query.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("mountport", digits)) => {
                mount_port =
                    Some(parse_port(digits, "the mountport is no number from 1 to 65535")?);
            }
            Some(("portmap", digits)) => {
                portmap = Some(parse_port(digits, "the portmap is no number from 1 to 65535")?);
            }
            _ => return Err("mountport=N and portmap=N are the only options that are known"),
        }
    }
    if mount_port.is_some() && portmap.is_some() {
        return Err("with a mountport there is nothing to ask the portmap for");
    }
    let mount_port = mount_port.unwrap_or(port);
    let mut names = Vec::new();
    for name in path.split('/') {
        names.push(decode(name)?);
    }
    let directory = matches!(names.last().map(Vec::as_slice), Some(b"" | b"." | b".."));
    let mut clean = Vec::new();
    if !push_names(&mut clean, names.into_iter()) {
        return Err("its path leads above the root");
    }
    Ok(NfsUrl { host: host.into(), port, mount_port, portmap, path: clean, directory })
}

fn split_port(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, behind) = rest.split_once(']').ok_or("the address has no closing bracket")?;
        match behind.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if behind.is_empty() => (host, None),
            None => return Err("behind the address comes neither a port nor a path"),
        }
    } else {
        authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
    };
    if host.is_empty() {
        return Err("it names no host");
    }
    Ok((host, port))
}

fn parse_port(digits: &str, what: &'static str) -> Result<u16, &'static str> {
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(what);
    }
    digits.parse().ok().filter(|port| *port > 0).ok_or(what)
}

fn decode(name: &str) -> Result<Vec<u8>, &'static str> {
    let mut escapes = name.split('%').skip(1);
    if !escapes.all(|e| e.len() >= 2 && e.bytes().take(2).all(|b| b.is_ascii_hexdigit())) {
        return Err("a % stands without two hexadecimal digits; write %25 for a % in a name");
    }
    let name: Vec<u8> = percent_decode_str(name).collect();
    if name.contains(&0) || name.contains(&b'/') {
        return Err("a name has a NUL or a slash in it");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> NfsUrl {
        text.parse().unwrap()
    }

    #[test]
    fn the_short_form_has_defaults() {
        let expected = NfsUrl {
            host: "h".into(),
            port: 2049,
            mount_port: 2049,
            portmap: None,
            path: vec![],
            directory: true,
        };
        assert_eq!(url("nfs://h/"), expected);
        assert_eq!(url("NFS://h").path_bytes(), b"/");
        assert_eq!(url("nfs://h:1/").mount_port, 1);
        assert_eq!(url("nfs://h:1/?mountport=2").mount_port, 2);
        assert_eq!(url("nfs://h/?portmap=111").portmap, Some(111));
    }

    #[test]
    fn names_are_bytes() {
        let u = url("nfs://h/%ff%25/./b%3f/x/../c");
        assert_eq!(u.path, [b"\xff%".to_vec(), b"b?".to_vec(), b"c".to_vec()]);
        assert_eq!(u.path_bytes(), b"/\xff%/b?/c");
        assert!(!u.directory);
        assert!(url("nfs://h/a/").directory);
    }

    #[test]
    fn faults_are_named() {
        for (text, what) in [
            ("http://h/", "start with"),
            ("nfs", "start with"),
            ("nfs:///a", "no host"),
            ("nfs://h:0/a", "port"),
            ("nfs://h:65536/a", "port"),
            ("nfs://h:+1/a", "port"),
            ("nfs://h:/a", "port"),
            ("nfs://h/a?mountport=x", "mountport"),
            ("nfs://h/a?portmap=0", "portmap"),
            ("nfs://h/a?mountport=1&portmap=2", "nothing to ask"),
            ("nfs://h/a?vers=3", "only options"),
            ("nfs://h/a%2", "hexadecimal"),
            ("nfs://h/a%zz", "hexadecimal"),
            ("nfs://h/a%2fb", "slash"),
            ("nfs://h/a%00", "NUL"),
            ("nfs://h/../a", "above"),
            ("nfs://u@h/a", "user"),
            ("nfs://[::1/a", "bracket"),
            ("nfs://[::1]x/a", "neither"),
            ("nfs://h/a#b", "%23"),
        ] {
            let error = text.parse::<NfsUrl>().unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
