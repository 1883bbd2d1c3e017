//! MOUNT: hands out the handles of exports and of directories below them, and remembers who asked.

use alloc::collections::VecDeque;
use core::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use nfswire_nfs3::mount::{
    DirPath, Export, Exports, Group, Groups, HostName, MountEntry, MountList, MountOk, MountReply,
    MountStatus, v1, v3,
};
use nfswire_nfs3::{FileHandle, FileType, Status};
use nfswire_rpc::{AuthFlavor, Procedure};
use nfswire_xdr::{Array, Cursor};

use super::identity::Identity;
use super::nfs::arguments;
use super::reply::{Batch, Fault};
use super::trust::admits;
use crate::exports::{self, normal};
use crate::fs::{Failure, Handle};
use crate::told::Told;

/// Most mounts that DUMP lists. It is a courtesy to administrators: nothing depends on the list.
const MAX_REMEMBERED: usize = 256;
/// Flavors that are served, best first.
const FLAVORS: &[u32] = &[AuthFlavor::SYS.0, AuthFlavor::NONE.0];
/// `EOPNOTSUPP`, for a handle that has no room in version 1.
const NOT_SUPPORTED: u32 = 95;

/// Lowest and highest version. Version 2 is version 1 with one more procedure, which is not served.
pub(super) const VERSIONS: (u32, u32) = (1, 3);

/// The mounts that clients have told of.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    list: Mutex<VecDeque<(IpAddr, Vec<u8>)>>,
}

impl Mounts {
    fn with<R>(&self, f: impl FnOnce(&mut VecDeque<(IpAddr, Vec<u8>)>) -> R) -> R {
        f(&mut self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, client: IpAddr, path: &[u8]) {
        self.with(|list| {
            list.retain(|(host, old)| *host != client || old != path);
            while list.len() >= MAX_REMEMBERED {
                list.pop_front();
            }
            list.push_back((client, path.to_vec()));
        });
    }

    fn remove(&self, client: IpAddr, path: Option<&[u8]>) {
        self.with(|list| {
            list.retain(|(host, old)| *host != client || path.is_some_and(|path| old != path));
        });
    }

    fn snapshot(&self) -> Vec<(String, Vec<u8>)> {
        self.with(|list| list.iter().map(|(host, path)| (host.to_string(), path.clone())).collect())
    }
}

/// Who calls.
pub(super) struct Client<'a> {
    pub(super) peer: SocketAddr,
    /// As the credential says.
    pub(super) identity: Identity,
    pub(super) told: &'a Told,
}

/// Serves one call: puts its results.
pub(super) fn serve(
    exports: &exports::Exports,
    mounts: &Mounts,
    client: &Client<'_>,
    version: u32,
    procedure: u32,
    c: Cursor<'_>,
    out: &mut Batch<'_, '_>,
) -> Result<(), Fault> {
    // The numbers and arguments of all versions are the same, but for EXPORTALL.
    match procedure {
        v3::Null::NUMBER => arguments::<v3::Null>(c),
        v3::Mnt::NUMBER => {
            let path = arguments::<v3::Mnt>(c)?;
            let found = find(exports, client, path.as_bytes());
            if version != v3::VERSION {
                let reply = version_1_reply(&found);
                if matches!(reply, v1::FhStatus::Ok(_)) {
                    mounts.add(client.peer.ip(), &normal(path.as_bytes()));
                }
                return out.put(&reply);
            }
            match found {
                Ok(handle) => {
                    mounts.add(client.peer.ip(), &normal(path.as_bytes()));
                    out.put_copied(&MountReply::Ok(MountOk {
                        handle: FileHandle::new(handle.as_bytes()).unwrap_or_default(),
                        flavors: Array::from_slice(FLAVORS).unwrap_or_default(),
                    }))
                }
                Err(failure) => out.put(&MountReply::Fail(mount_status(failure.status))),
            }
        }
        v3::Dump::NUMBER => {
            arguments::<v3::Dump>(c)?;
            let known = mounts.snapshot();
            let list: Vec<_> = known
                .iter()
                .map(|(host, path)| MountEntry {
                    hostname: HostName::new(host.as_bytes()).unwrap_or_default(),
                    directory: DirPath::new(path).unwrap_or_default(),
                })
                .collect();
            out.put_copied(&MountList::from_slice(&list))
        }
        v3::Umnt::NUMBER => {
            let path = arguments::<v3::Umnt>(c)?;
            mounts.remove(client.peer.ip(), Some(&normal(path.as_bytes())));
            Ok(())
        }
        v3::Umntall::NUMBER => {
            arguments::<v3::Umntall>(c)?;
            mounts.remove(client.peer.ip(), None);
            Ok(())
        }
        v3::Export::NUMBER => list(exports, c, out),
        v1::Exportall::NUMBER if version != v3::VERSION => list(exports, c, out),
        _ => Err(Fault::NoProcedure),
    }
}

/// EXPORT: every export, with the networks whose hosts may use it.
fn list(exports: &exports::Exports, c: Cursor<'_>, out: &mut Batch<'_, '_>) -> Result<(), Fault> {
    arguments::<v3::Export>(c)?;
    let networks: Vec<Vec<String>> = exports
        .iter()
        .map(|export| export.allow.iter().map(ToString::to_string).collect())
        .collect();
    let groups: Vec<Vec<Group<'_>>> = networks
        .iter()
        .map(|networks| {
            networks
                .iter()
                .map(|network| Group {
                    name: HostName::new(network.as_bytes()).unwrap_or_default(),
                })
                .collect()
        })
        .collect();
    let list: Vec<_> = exports
        .iter()
        .zip(&groups)
        .map(|(export, groups)| Export {
            directory: DirPath::new(&export.name).unwrap_or_default(),
            groups: Groups::from_slice(groups),
        })
        .collect();
    out.put_copied(&Exports::from_slice(&list))
}

/// Walks from the top of the export down, as the caller, following no symbolic link.
fn find(exports: &exports::Exports, client: &Client<'_>, path: &[u8]) -> crate::fs::Result<Handle> {
    let (export, steps) = exports.of_path(path).ok_or(Status::NOENT)?;
    if !admits(client.told, client.peer, export) {
        return Err(Status::ACCES.into());
    }
    let identity = client.identity.squashed(export.squash);
    let (fs, caller) = (&*export.fs, &identity.caller());
    let mut handle = fs.root();
    for step in steps {
        let found = fs.lookup(caller, handle.as_bytes(), step)?;
        handle = found.object;
        let attributes = match found.attributes {
            Some(attributes) => attributes,
            None => fs.getattr(caller, handle.as_bytes())?,
        };
        if attributes.file_type != FileType::Directory {
            return Err(Status::NOTDIR.into());
        }
    }
    Ok(handle)
}

/// The numbers of both are those of the same UNIX errors.
const fn mount_status(status: Status) -> MountStatus {
    match status {
        Status::PERM => MountStatus::PERM,
        Status::NOENT => MountStatus::NOENT,
        Status::IO => MountStatus::IO,
        Status::ACCES => MountStatus::ACCES,
        Status::NOTDIR => MountStatus::NOTDIR,
        Status::INVAL => MountStatus::INVAL,
        Status::NAMETOOLONG => MountStatus::NAMETOOLONG,
        Status::NOTSUPP => MountStatus::NOTSUPP,
        _ => MountStatus::SERVERFAULT,
    }
}

/// Version 1 has handles of 32 bytes: shorter ones are filled up with zeros, as for NFSv2, and longer ones refused.
fn version_1_reply(found: &Result<Handle, Failure>) -> v1::FhStatus {
    let handle = match found {
        Ok(handle) => handle.as_bytes(),
        Err(failure) => return v1::FhStatus::Fail(version_1_status(failure.status)),
    };
    let mut bytes = [0; 32];
    let Some(front) = bytes.get_mut(..handle.len()) else {
        return v1::FhStatus::Fail(NOT_SUPPORTED);
    };
    front.copy_from_slice(handle);
    v1::FhStatus::Ok(bytes)
}

const fn version_1_status(status: Status) -> u32 {
    match mount_status(status) {
        MountStatus::NOTSUPP => NOT_SUPPORTED,
        MountStatus::SERVERFAULT => MountStatus::IO.0,
        status => status.0,
    }
}
