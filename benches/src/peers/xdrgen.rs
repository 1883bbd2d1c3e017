//! Written by xdrgen 0.4.4 from `testdata/messages.x`; only its head was changed.

use xdr_codec_peer::{self as xdr_codec, Pack as _};

pub const COUNT3_MAX: i64 = 4294967295i64;

pub const NFS3_FHSIZE: i64 = 64i64;

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum GETATTR3res {
    NFS3_OK(GETATTR3resok),
    default,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct GETATTR3resok {
    pub obj_attributes: fattr3,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum READ3res {
    NFS3_OK(READ3resok),
    default,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct READ3resok {
    pub file_attributes: Option<Box<fattr3>>,
    pub count: u32,
    pub eof: bool,
    pub data: Vec<u8>,
}

pub enum READDIRPLUS3res {
    NFS3_OK(READDIRPLUS3resok),
    default,
}

pub struct READDIRPLUS3resok {
    pub dir_attributes: Option<Box<fattr3>>,
    pub cookieverf: u64,
    pub reply: dirlistplus3,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct authsys_parms {
    pub stamp: u32,
    pub machinename: String,
    pub uid: u32,
    pub gid: u32,
    pub gids: Vec<u32>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct call_header {
    pub xid: u32,
    pub mtype: u32,
    pub rpcvers: u32,
    pub prog: u32,
    pub vers: u32,
    pub proc_: u32,
    pub cred: opaque_auth,
    pub verf: opaque_auth,
}

pub struct dirlistplus3 {
    pub entries: Option<Box<entryplus3>>,
    pub eof: bool,
}

pub struct entryplus3 {
    pub fileid: u64,
    pub name: String,
    pub cookie: u64,
    pub name_attributes: Option<Box<fattr3>>,
    pub name_handle: Option<Box<nfs_fh3>>,
    pub nextentry: Option<Box<entryplus3>>,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct fattr3 {
    pub type_: ftype3,
    pub mode: u32,
    pub nlink: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u64,
    pub used: u64,
    pub rdev: specdata3,
    pub fsid: u64,
    pub fileid: u64,
    pub atime: nfstime3,
    pub mtime: nfstime3,
    pub ctime: nfstime3,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum ftype3 {
    NF3REG = 1isize,
    NF3DIR = 2isize,
    NF3BLK = 3isize,
    NF3CHR = 4isize,
    NF3LNK = 5isize,
    NF3SOCK = 6isize,
    NF3FIFO = 7isize,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct nfs_fh3 {
    pub data: Vec<u8>,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum nfsstat3 {
    NFS3_OK = 0isize,
    NFS3ERR_PERM = 1isize,
    NFS3ERR_NOENT = 2isize,
    NFS3ERR_IO = 5isize,
    NFS3ERR_STALE = 70isize,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct nfstime3 {
    pub seconds: u32,
    pub nseconds: u32,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct opaque_auth {
    pub flavor: u32,
    pub body: Vec<u8>,
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct specdata3 {
    pub specdata1: u32,
    pub specdata2: u32,
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for GETATTR3res {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(match self {
            &GETATTR3res::NFS3_OK(ref val) => {
                (nfsstat3::NFS3_OK as i32).pack(out)? + val.pack(out)?
            }
            &GETATTR3res::default => return Err(xdr_codec::Error::invalidcase(-1)),
        })
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for GETATTR3resok {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.obj_attributes.pack(out)? + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for READ3res {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(match self {
            &READ3res::NFS3_OK(ref val) => (nfsstat3::NFS3_OK as i32).pack(out)? + val.pack(out)?,
            &READ3res::default => return Err(xdr_codec::Error::invalidcase(-1)),
        })
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for READ3resok {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.file_attributes.pack(out)?
            + self.count.pack(out)?
            + self.eof.pack(out)?
            + xdr_codec::pack_opaque_flex(&self.data, None, out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for READDIRPLUS3res {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(match self {
            &READDIRPLUS3res::NFS3_OK(ref val) => {
                (nfsstat3::NFS3_OK as i32).pack(out)? + val.pack(out)?
            }
            &READDIRPLUS3res::default => return Err(xdr_codec::Error::invalidcase(-1)),
        })
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for READDIRPLUS3resok {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.dir_attributes.pack(out)? + self.cookieverf.pack(out)? + self.reply.pack(out)? + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for authsys_parms {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.stamp.pack(out)?
            + xdr_codec::pack_string(&self.machinename, Some(255i64 as usize), out)?
            + self.uid.pack(out)?
            + self.gid.pack(out)?
            + xdr_codec::pack_flex(&self.gids, Some(16i64 as usize), out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for call_header {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.xid.pack(out)?
            + self.mtype.pack(out)?
            + self.rpcvers.pack(out)?
            + self.prog.pack(out)?
            + self.vers.pack(out)?
            + self.proc_.pack(out)?
            + self.cred.pack(out)?
            + self.verf.pack(out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for dirlistplus3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.entries.pack(out)? + self.eof.pack(out)? + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for entryplus3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.fileid.pack(out)?
            + xdr_codec::pack_string(&self.name, Some(255i64 as usize), out)?
            + self.cookie.pack(out)?
            + self.name_attributes.pack(out)?
            + self.name_handle.pack(out)?
            + self.nextentry.pack(out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for fattr3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.type_.pack(out)?
            + self.mode.pack(out)?
            + self.nlink.pack(out)?
            + self.uid.pack(out)?
            + self.gid.pack(out)?
            + self.size.pack(out)?
            + self.used.pack(out)?
            + self.rdev.pack(out)?
            + self.fsid.pack(out)?
            + self.fileid.pack(out)?
            + self.atime.pack(out)?
            + self.mtime.pack(out)?
            + self.ctime.pack(out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for ftype3 {
    #[inline]
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok((*self as i32).pack(out)?)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for nfs_fh3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(xdr_codec::pack_opaque_flex(&self.data, Some(NFS3_FHSIZE as usize), out)? + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for nfsstat3 {
    #[inline]
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok((*self as i32).pack(out)?)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for nfstime3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.seconds.pack(out)? + self.nseconds.pack(out)? + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for opaque_auth {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.flavor.pack(out)?
            + xdr_codec::pack_opaque_flex(&self.body, Some(400i64 as usize), out)?
            + 0)
    }
}

impl<Out: xdr_codec::Write> xdr_codec::Pack<Out> for specdata3 {
    fn pack(&self, out: &mut Out) -> xdr_codec::Result<usize> {
        Ok(self.specdata1.pack(out)? + self.specdata2.pack(out)? + 0)
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for GETATTR3res {
    fn unpack(input: &mut In) -> xdr_codec::Result<(GETATTR3res, usize)> {
        let mut sz = 0;
        Ok((
            match {
                let (v, dsz): (i32, _) = xdr_codec::Unpack::unpack(input)?;
                sz += dsz;
                v
            } {
                x if x == (0i32 as i32) => GETATTR3res::NFS3_OK({
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                }),
                _ => GETATTR3res::default,
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for GETATTR3resok {
    fn unpack(input: &mut In) -> xdr_codec::Result<(GETATTR3resok, usize)> {
        let mut sz = 0;
        Ok((
            GETATTR3resok {
                obj_attributes: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for READ3res {
    fn unpack(input: &mut In) -> xdr_codec::Result<(READ3res, usize)> {
        let mut sz = 0;
        Ok((
            match {
                let (v, dsz): (i32, _) = xdr_codec::Unpack::unpack(input)?;
                sz += dsz;
                v
            } {
                x if x == (0i32 as i32) => READ3res::NFS3_OK({
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                }),
                _ => READ3res::default,
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for READ3resok {
    fn unpack(input: &mut In) -> xdr_codec::Result<(READ3resok, usize)> {
        let mut sz = 0;
        Ok((
            READ3resok {
                file_attributes: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                count: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                eof: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                data: {
                    let (v, fsz) = xdr_codec::unpack_opaque_flex(input, None)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for READDIRPLUS3res {
    fn unpack(input: &mut In) -> xdr_codec::Result<(READDIRPLUS3res, usize)> {
        let mut sz = 0;
        Ok((
            match {
                let (v, dsz): (i32, _) = xdr_codec::Unpack::unpack(input)?;
                sz += dsz;
                v
            } {
                x if x == (0i32 as i32) => READDIRPLUS3res::NFS3_OK({
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                }),
                _ => READDIRPLUS3res::default,
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for READDIRPLUS3resok {
    fn unpack(input: &mut In) -> xdr_codec::Result<(READDIRPLUS3resok, usize)> {
        let mut sz = 0;
        Ok((
            READDIRPLUS3resok {
                dir_attributes: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                cookieverf: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                reply: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for authsys_parms {
    fn unpack(input: &mut In) -> xdr_codec::Result<(authsys_parms, usize)> {
        let mut sz = 0;
        Ok((
            authsys_parms {
                stamp: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                machinename: {
                    let (v, fsz) = xdr_codec::unpack_string(input, Some(255i64 as usize))?;
                    sz += fsz;
                    v
                },
                uid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                gid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                gids: {
                    let (v, fsz) = xdr_codec::unpack_flex(input, Some(16i64 as usize))?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for call_header {
    fn unpack(input: &mut In) -> xdr_codec::Result<(call_header, usize)> {
        let mut sz = 0;
        Ok((
            call_header {
                xid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                mtype: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                rpcvers: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                prog: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                vers: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                proc_: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                cred: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                verf: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for dirlistplus3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(dirlistplus3, usize)> {
        let mut sz = 0;
        Ok((
            dirlistplus3 {
                entries: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                eof: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for entryplus3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(entryplus3, usize)> {
        let mut sz = 0;
        Ok((
            entryplus3 {
                fileid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                name: {
                    let (v, fsz) = xdr_codec::unpack_string(input, Some(255i64 as usize))?;
                    sz += fsz;
                    v
                },
                cookie: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                name_attributes: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                name_handle: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                nextentry: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for fattr3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(fattr3, usize)> {
        let mut sz = 0;
        Ok((
            fattr3 {
                type_: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                mode: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                nlink: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                uid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                gid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                size: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                used: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                rdev: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                fsid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                fileid: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                atime: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                mtime: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                ctime: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for ftype3 {
    #[inline]
    fn unpack(input: &mut In) -> xdr_codec::Result<(ftype3, usize)> {
        let mut sz = 0;
        Ok((
            {
                let (e, esz): (i32, _) = xdr_codec::Unpack::unpack(input)?;
                sz += esz;
                match e {
                    x if x == ftype3::NF3REG as i32 => ftype3::NF3REG,
                    x if x == ftype3::NF3DIR as i32 => ftype3::NF3DIR,
                    x if x == ftype3::NF3BLK as i32 => ftype3::NF3BLK,
                    x if x == ftype3::NF3CHR as i32 => ftype3::NF3CHR,
                    x if x == ftype3::NF3LNK as i32 => ftype3::NF3LNK,
                    x if x == ftype3::NF3SOCK as i32 => ftype3::NF3SOCK,
                    x if x == ftype3::NF3FIFO as i32 => ftype3::NF3FIFO,
                    e => return Err(xdr_codec::Error::invalidenum(e)),
                }
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for nfs_fh3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(nfs_fh3, usize)> {
        let mut sz = 0;
        Ok((
            nfs_fh3 {
                data: {
                    let (v, fsz) =
                        xdr_codec::unpack_opaque_flex(input, Some(NFS3_FHSIZE as usize))?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for nfsstat3 {
    #[inline]
    fn unpack(input: &mut In) -> xdr_codec::Result<(nfsstat3, usize)> {
        let mut sz = 0;
        Ok((
            {
                let (e, esz): (i32, _) = xdr_codec::Unpack::unpack(input)?;
                sz += esz;
                match e {
                    x if x == nfsstat3::NFS3_OK as i32 => nfsstat3::NFS3_OK,
                    x if x == nfsstat3::NFS3ERR_PERM as i32 => nfsstat3::NFS3ERR_PERM,
                    x if x == nfsstat3::NFS3ERR_NOENT as i32 => nfsstat3::NFS3ERR_NOENT,
                    x if x == nfsstat3::NFS3ERR_IO as i32 => nfsstat3::NFS3ERR_IO,
                    x if x == nfsstat3::NFS3ERR_STALE as i32 => nfsstat3::NFS3ERR_STALE,
                    e => return Err(xdr_codec::Error::invalidenum(e)),
                }
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for nfstime3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(nfstime3, usize)> {
        let mut sz = 0;
        Ok((
            nfstime3 {
                seconds: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                nseconds: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for opaque_auth {
    fn unpack(input: &mut In) -> xdr_codec::Result<(opaque_auth, usize)> {
        let mut sz = 0;
        Ok((
            opaque_auth {
                flavor: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                body: {
                    let (v, fsz) = xdr_codec::unpack_opaque_flex(input, Some(400i64 as usize))?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}

impl<In: xdr_codec::Read> xdr_codec::Unpack<In> for specdata3 {
    fn unpack(input: &mut In) -> xdr_codec::Result<(specdata3, usize)> {
        let mut sz = 0;
        Ok((
            specdata3 {
                specdata1: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
                specdata2: {
                    let (v, fsz) = xdr_codec::Unpack::unpack(input)?;
                    sz += fsz;
                    v
                },
            },
            sz,
        ))
    }
}
