//! MOUNT: hands out the handle of the export and of directories below it, and remembers who asked.

use alloc::collections::VecDeque;
use core::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use nfswire_nfs3::mount::{
    DirPath, Export, Exports, Groups, HostName, MountEntry, MountList, MountOk, MountReply,
    MountStatus, v1, v3,
};
use nfswire_nfs3::{FileHandle, FileType, Status};
use nfswire_rpc::{AuthFlavor, Procedure};
use nfswire_xdr::{Array, Cursor};

use super::nfs::arguments;
use super::reply::{Batch, Fault};
use crate::fs::{Caller, Failure, FileSystem, Handle};

/// Most mounts that DUMP lists. It is a courtesy to administrators: nothing depends on the list.
const MAX_REMEMBERED: usize = 256;
/// The one export.
const EXPORT: &[u8] = b"/";
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
    pub(super) address: IpAddr,
    pub(super) caller: Caller<'a>,
}

/// Serves one call: puts its results.
pub(super) fn serve(
    fs: &dyn FileSystem,
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
            let found = find(fs, &client.caller, path.as_bytes());
            if version != v3::VERSION {
                let reply = version_1_reply(&found);
                if matches!(reply, v1::FhStatus::Ok(_)) {
                    mounts.add(client.address, &normal(path.as_bytes()));
                }
                return out.put(&reply);
            }
            match found {
                Ok(handle) => {
                    mounts.add(client.address, &normal(path.as_bytes()));
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
            mounts.remove(client.address, Some(&normal(path.as_bytes())));
            Ok(())
        }
        v3::Umntall::NUMBER => {
            arguments::<v3::Umntall>(c)?;
            mounts.remove(client.address, None);
            Ok(())
        }
        v3::Export::NUMBER => exports(c, out),
        v1::Exportall::NUMBER if version != v3::VERSION => exports(c, out),
        _ => Err(Fault::NoProcedure),
    }
}

fn exports(c: Cursor<'_>, out: &mut Batch<'_, '_>) -> Result<(), Fault> {
    arguments::<v3::Export>(c)?;
    let directory = DirPath::new(EXPORT).unwrap_or_default();
    let export = Export { directory, groups: Groups::from_slice(&[]) };
    out.put_copied(&Exports::from_slice(&[export]))
}

/// Names of a path, without empty ones.
fn steps(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|step| !step.is_empty())
}

/// The same directory is remembered under one spelling.
fn normal(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for step in steps(path) {
        out.push(b'/');
        out.extend_from_slice(step);
    }
    if out.is_empty() { EXPORT.to_vec() } else { out }
}

/// Walks from the export down, as the caller, following no symbolic link.
fn find(fs: &dyn FileSystem, caller: &Caller<'_>, path: &[u8]) -> crate::fs::Result<Handle> {
    let mut handle = fs.root();
    for step in steps(path) {
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
