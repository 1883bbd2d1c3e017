//! Finding and mounting the export that holds a path (RFC 1813, appendix I).

use nfswire_nfs3::mount::v3::{Export, Mnt, MountReply, Umnt};
use nfswire_nfs3::mount::{DirPath, MountStatus};

use super::url::{join, push_names};
use super::{Connection, Error, Handle, Result, own};

/// Mounts the longest export above or at `path`: its root, and how many names of the path it has.
///
/// When the server tells no such export, or none that it lets us mount, the directories of the path are tried from
/// the longest to the root.
pub(super) fn mount(connection: &mut Connection, path: &[Vec<u8>]) -> Result<(Handle, usize)> {
    let told = exports(connection, path)?;
    let others = (0..=path.len()).rev().filter(|len| !told.contains(len));
    let mut refusal = MountStatus::NOENT;
    for len in told.iter().copied().chain(others) {
        match try_mount(connection, &join(path.get(..len).unwrap_or(path)))? {
            Ok(root) => return Ok((root, len)),
            // Of all refusals the first that is not "there is no such directory" says most.
            Err(status) if matches!(refusal, MountStatus::NOENT | MountStatus::NOTDIR) => {
                refusal = status
            }
            Err(_) => {}
        }
    }
    Err(Error::Mount { path: join(path), status: refusal })
}

/// How many names of the path the exports have that hold it, longest first. Empty if the server does not tell.
fn exports(connection: &mut Connection, path: &[Vec<u8>]) -> Result<Vec<usize>> {
    let lengths = connection.call::<Export, _>(&(), |list| {
        let mut lengths = Vec::new();
        for export in &list {
            let mut names = Vec::new();
            push_names(&mut names, export.directory.split(|b| *b == b'/').map(<[u8]>::to_vec));
            if path.starts_with(&names) && !lengths.contains(&names.len()) {
                lengths.push(names.len());
            }
        }
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        Ok(lengths)
    });
    match lengths {
        Err(Error::Call { .. }) => Ok(Vec::new()),
        other => other,
    }
}

fn try_mount(
    connection: &mut Connection,
    directory: &[u8],
) -> Result<core::result::Result<Handle, MountStatus>> {
    let Some(args) = DirPath::new(directory) else { return Ok(Err(MountStatus::NAMETOOLONG)) };
    let mounted = connection.call::<Mnt, _>(&args, |reply| match reply {
        MountReply::Ok(ok) => Ok(Ok(own(ok.handle))),
        MountReply::Fail(status) => Ok(Err(status)),
    })?;
    if mounted.is_ok() {
        // The handle stays good; only the server's list of mounts should not grow with every call of ours.
        match connection.call::<Umnt, _>(&args, Ok) {
            Ok(()) | Err(Error::Call { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(mounted)
}
