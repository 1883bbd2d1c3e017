//! Embeds the server core: [`MemFs`], a file system in memory, served over NFSv3. It obeys mode bits, has a bound on
//! memory, and ends with the process; LINK is left to the trait, which says NOTSUPP.

extern crate alloc;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nfswire_examples::fs::*;
use nfswire_examples::server::{Config, Server};

/// Bytes that all objects may have together.
const CAPACITY: u64 = 64 << 20;

struct Node {
    attributes: Attributes,
    /// Content of a file, text of a link.
    data: Vec<u8>,
    /// Objects of a directory.
    names: BTreeMap<Vec<u8>, u64>,
    /// The directory that it is in; the top is in itself.
    parent: u64,
}

/// By number, which is also `fileid`, and in the handle.
type Nodes = BTreeMap<u64, Node>;

pub(crate) struct MemFs {
    nodes: Mutex<Nodes>,
    ids: Ids,
    budget: Budget,
}

impl Default for MemFs {
    fn default() -> Self {
        let attributes = new_attributes(&Caller::ANONYMOUS, FileType::Directory, Ids::TOP);
        let (data, names, parent) = (Vec::new(), BTreeMap::new(), Ids::TOP);
        let nodes = BTreeMap::from([(parent, Node { attributes, data, names, parent })]).into();
        Self { nodes, ids: Ids::default(), budget: Budget::new(CAPACITY) }
    }
}

impl Node {
    /// Gives it these attributes, and as much data as its size says.
    fn assign(&mut self, budget: &Budget, attributes: Attributes) -> Result<WccData> {
        budget.pay(self.attributes.size, attributes.size)?;
        let wcc = WccData::starting(Some(&self.attributes)).ending(Some(attributes));
        self.data.resize(usize::try_from(attributes.size).unwrap_or(0), 0);
        self.attributes = attributes;
        Ok(wcc)
    }
}

/// Gives a name in a directory to an object, or to none.
fn set_name(nodes: &mut Nodes, dir: u64, name: &[u8], object: Option<u64>) -> WccData {
    let Some(dir) = nodes.get_mut(&dir) else { return NO_WCC };
    match object {
        Some(object) => dir.names.insert(name.to_vec(), object),
        None => dir.names.remove(name),
    };
    touch(&mut dir.attributes)
}

impl MemFs {
    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, object: &[u8], f: impl FnOnce(&mut Node) -> Result<R>) -> Result<R> {
        let id = self.ids.number(object)?;
        f(self.nodes().get_mut(&id).ok_or(Status::STALE)?)
    }

    /// A directory in which the caller has a right.
    fn dir<'n>(&self, n: &'n Nodes, who: &Caller<'_>, dir: &[u8], right: u32) -> Result<&'n Node> {
        let dir = n.get(&self.ids.number(dir)?).ok_or(Status::STALE)?;
        require_dir(who, &dir.attributes, right)?;
        Ok(dir)
    }

    /// A directory in which the caller may change names, and the object that has this one.
    fn place(&self, n: &Nodes, who: &Caller<'_>, at: NameIn<'_>) -> Result<(u64, Option<u64>)> {
        let dir = self.dir(n, who, at.0, ACCESS_MODIFY)?;
        Ok((dir.attributes.fileid, dir.names.get(check_own_name(at.1)?).copied()))
    }

    fn discard(&self, nodes: &mut Nodes, id: u64, by_directory: bool) -> Result<()> {
        let Some(node) = nodes.get(&id) else { return Ok(()) };
        check_removable(&node.attributes, node.names.is_empty(), by_directory)?;
        self.budget.pay(node.attributes.size.saturating_add(Budget::OBJECT), 0)?;
        nodes.remove(&id);
        Ok(())
    }
}

impl FileSystem for MemFs {
    fn root(&self) -> Handle {
        self.ids.handle(Ids::TOP)
    }

    fn getattr(&self, _: &Caller<'_>, object: &[u8]) -> Result<Attributes> {
        self.with(object, |node| Ok(node.attributes))
    }

    fn set(&self, object: &[u8], change: &mut Change<'_>) -> Result<WccData> {
        self.with(object, |node| node.assign(&self.budget, change(&node.attributes)?))
    }

    fn lookup(&self, who: &Caller<'_>, dir: &[u8], name: &[u8]) -> Result<Found> {
        let nodes = self.nodes();
        let dir = self.dir(&nodes, who, dir, ACCESS_LOOKUP)?;
        let id = match name {
            b"." => dir.attributes.fileid,
            b".." => dir.parent,
            _ => *dir.names.get(check_name(name)?).ok_or(Status::NOENT)?,
        };
        let attributes = nodes.get(&id).map(|node| node.attributes);
        Ok(Found { object: self.ids.handle(id), attributes, dir_attributes: Some(dir.attributes) })
    }

    fn readlink(&self, _: &Caller<'_>, object: &[u8]) -> Result<LinkText> {
        self.with(object, |node| LinkText::of(&node.attributes, &node.data))
    }

    fn read(&self, who: &Caller<'_>, file: &[u8], offset: u64, count: u32) -> Result<ReadData> {
        self.with(file, |node| ReadData::of(who, &node.attributes, &node.data, offset, count))
    }

    fn put(&self, who: &Caller<'_>, file: &[u8], offset: u64, data: &[u8]) -> Result<WccData> {
        self.with(file, |node| {
            let end = offset.saturating_add(data.len() as u64).max(node.attributes.size);
            let wcc = node.assign(&self.budget, with_size(who, &node.attributes, end)?)?;
            let place = node.data.iter_mut().skip(usize::try_from(offset).unwrap_or(usize::MAX));
            place.zip(data).for_each(|(old, new)| *old = *new);
            Ok(wcc)
        })
    }

    fn make(&self, who: &Caller<'_>, at: NameIn<'_>, new: &New<'_>) -> Result<Made> {
        let mut nodes = self.nodes();
        let (parent, found) = self.place(&nodes, who, at)?;
        ensure(found.is_none(), Status::EXIST)?;
        let id = self.ids.next();
        let (attributes, data) = (new.attributes(who, id)?, new.text.to_vec());
        self.budget.pay(0, attributes.size.saturating_add(Budget::OBJECT))?;
        nodes.insert(id, Node { attributes, data, names: BTreeMap::new(), parent });
        let dir = set_name(&mut nodes, parent, at.1, Some(id));
        Ok(Made::of(self.ids.handle(id), attributes, dir))
    }

    fn take(&self, who: &Caller<'_>, at: NameIn<'_>, directory: bool) -> Result<WccData> {
        let mut nodes = self.nodes();
        let (dir, found) = self.place(&nodes, who, at)?;
        self.discard(&mut nodes, found.ok_or(Status::NOENT)?, directory)?;
        Ok(set_name(&mut nodes, dir, at.1, None))
    }

    fn rename(&self, who: &Caller<'_>, from: NameIn<'_>, to: NameIn<'_>) -> Result<Renamed> {
        let mut nodes = self.nodes();
        let (from_dir, object) = self.place(&nodes, who, from)?;
        let (to_dir, old) = self.place(&nodes, who, to)?;
        let id = object.ok_or(Status::NOENT)?;
        if old == object {
            return Ok(Renamed::default());
        }
        let above = |id: &u64| nodes.get(id).map(|node| node.parent).filter(|up| up != id);
        ensure(core::iter::successors(Some(to_dir), above).all(|up| up != id), Status::INVAL)?;
        let file_type = nodes.get(&id).map(|node| node.attributes.file_type);
        let is_directory = file_type == Some(FileType::Directory);
        old.map_or(Ok(()), |old| self.discard(&mut nodes, old, is_directory))?;
        nodes.get_mut(&id).ok_or(Status::STALE)?.parent = to_dir;
        let from = set_name(&mut nodes, from_dir, from.1, None);
        Ok(Renamed { from, to: set_name(&mut nodes, to_dir, to.1, object) })
    }

    fn list(&self, who: &Caller<'_>, dir: &[u8]) -> Result<Listing> {
        let nodes = self.nodes();
        let dir = self.dir(&nodes, who, dir, ACCESS_READ)?;
        let entries = dir.names.iter().map(|(name, id)| (*id, name.clone(), self.ids.handle(*id)));
        Ok(Listing { attributes: dir.attributes, entries: entries.collect() })
    }
}

fn serve(address: &str) -> Result<(), Box<dyn core::error::Error>> {
    let server = Server::new(Arc::new(MemFs::default()), Config::default()).bind(address)?;
    let (at, port) = (server.local_addr(), server.local_addr().port());
    let options = format!("vers=3,proto=tcp,port={port},mountport={port},nolock");
    println!("mount -t nfs -o {options} {}:/ /mnt\nready {at}", at.ip());
    Ok(server.run()?)
}

/// `embed [ADDRESS]`: port 0 takes any free one.
fn main() -> ExitCode {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:20490".into());
    let Err(error) = serve(&address) else { return ExitCode::SUCCESS };
    eprintln!("embed: {error}");
    ExitCode::from(2)
}
