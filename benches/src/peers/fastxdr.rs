//! Written by fastxdr 1.0.2 from `testdata/messages.x` without `authsys_parms` (arrays of bare
//! integers give code that does not compile); its tests were left out and the name of `bytes` changed.

use bytes_05::{Buf, Bytes};
use std::convert::TryFrom;
use std::fmt::Debug;
use std::mem::size_of;
use thiserror::Error;

#[derive(Debug, Error, PartialEq)]
pub enum Error {
    #[error("invalid message length")]
    InvalidLength,

    #[error("non-utf8 characters in string: {0}")]
    NonUtf8String(#[from] std::string::FromUtf8Error),

    #[error("invalid boolean value")]
    InvalidBoolean,

    #[error("unknown enum variant {0}")]
    UnknownVariant(i32),

    #[error("unknown option variant {0}")]
    UnknownOptionVariant(u32),

    #[error("{0}")]
    Unknown(String),
}

pub trait DeserialiserExt {
    type Sliced: WireSize + IntoIterator<Item = u8>;
    type TryFrom;

    fn try_u32(&mut self) -> Result<u32, Error>;
    fn try_u64(&mut self) -> Result<u64, Error>;
    fn try_i32(&mut self) -> Result<i32, Error>;
    fn try_i64(&mut self) -> Result<i64, Error>;
    fn try_f32(&mut self) -> Result<f32, Error>;
    fn try_f64(&mut self) -> Result<f64, Error>;
    fn try_bool(&mut self) -> Result<bool, Error>;
    fn try_bytes(&mut self, n: usize) -> Result<Self::Sliced, Error>;
    fn try_variable_array<T>(&mut self, max: Option<usize>) -> Result<Vec<T>, Error>
    where
        T: TryFrom<Self::TryFrom, Error = Error> + WireSize;

    /// Try to read an opaque XDR array, prefixed by a length u32 and padded
    /// modulo 4.
    fn try_variable_bytes(&mut self, max: Option<usize>) -> Result<Self::Sliced, Error> {
        let n = self.try_u32()? as usize;

        if let Some(limit) = max {
            if n > limit {
                return Err(Error::InvalidLength);
            }
        }

        self.try_bytes(n)
    }

    /// Reads a variable length UTF8-compatible string from the buffer.
    fn try_string(&mut self, max: Option<usize>) -> Result<String, Error> {
        let b = self
            .try_variable_bytes(max)?
            .into_iter()
            .collect::<Vec<u8>>();
        String::from_utf8(b).map_err(|e| e.into())
    }
}

impl DeserialiserExt for Bytes {
    type Sliced = Self;
    type TryFrom = Bytes;

    // Try and read a u32 if self contains enough data.
    fn try_u32(&mut self) -> Result<u32, Error> {
        if self.remaining() < size_of::<u32>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_u32())
    }

    fn try_u64(&mut self) -> Result<u64, Error> {
        if self.remaining() < size_of::<u64>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_u64())
    }

    fn try_i32(&mut self) -> Result<i32, Error> {
        if self.remaining() < size_of::<i32>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_i32())
    }

    fn try_i64(&mut self) -> Result<i64, Error> {
        if self.remaining() < size_of::<i64>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_i64())
    }

    fn try_f32(&mut self) -> Result<f32, Error> {
        if self.remaining() < size_of::<f32>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_f32())
    }

    fn try_f64(&mut self) -> Result<f64, Error> {
        if self.remaining() < size_of::<f64>() {
            return Err(Error::InvalidLength);
        }
        Ok(self.get_f64())
    }

    fn try_bool(&mut self) -> Result<bool, Error> {
        if self.remaining() < size_of::<i32>() {
            return Err(Error::InvalidLength);
        }
        match self.get_i32() {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::InvalidBoolean),
        }
    }

    /// Try to read an opaque XDR array with a fixed length and padded modulo 4.
    fn try_bytes(&mut self, n: usize) -> Result<Self::Sliced, Error> {
        // Validate the buffer contains enough data
        if self.remaining() < n {
            return Err(Error::InvalidLength);
        }

        let data = self.slice(..n);

        // Advance the buffer cursor, including any padding.
        self.advance(n + pad_length(n));

        Ok(data)
    }

    fn try_variable_array<T>(&mut self, max: Option<usize>) -> Result<Vec<T>, Error>
    where
        T: TryFrom<Self, Error = Error> + WireSize,
    {
        let n = self.try_u32()? as usize;

        if let Some(limit) = max {
            if n > limit {
                return Err(Error::InvalidLength);
            }
        }

        // Try and decode n instances of T.
        let mut sum = 0;
        let mut out = Vec::with_capacity(n);
        for _ in 0..n {
            let t = T::try_from(self.clone())?;
            if self.remaining() < t.wire_size() {
                return Err(Error::InvalidLength);
            }
            self.advance(t.wire_size());
            sum += t.wire_size();
            out.push(t);
        }

        self.advance(pad_length(sum));

        Ok(out)
    }
}

pub trait WireSize {
    fn wire_size(&self) -> usize;
}

impl WireSize for Bytes {
    fn wire_size(&self) -> usize {
        self.len()
    }
}

impl<T> WireSize for Vec<T>
where
    T: WireSize,
{
    fn wire_size(&self) -> usize {
        // Element count prefix of 4 bytes, plus the individual element lengths
        // (which may vary between elements).
        let x = self.iter().map(|v| v.wire_size()).sum::<usize>();
        4 + x + pad_length(x)
    }
}

impl<T> WireSize for [T]
where
    T: WireSize,
{
    fn wire_size(&self) -> usize {
        // Individual element lengths (which may vary between elements) without
        // a length byte as [T] is for fixed size arrays.
        let x = self.iter().map(|v| v.wire_size()).sum::<usize>();
        x + pad_length(x)
    }
}

impl<T> WireSize for Option<T>
where
    T: WireSize,
{
    fn wire_size(&self) -> usize {
        4 + match self {
            Some(inner) => inner.wire_size(),
            None => 0,
        }
    }
}

impl<T> WireSize for Box<T>
where
    T: WireSize,
{
    fn wire_size(&self) -> usize {
        use std::ops::Deref;
        self.deref().wire_size()
    }
}

impl WireSize for u8 {
    fn wire_size(&self) -> usize {
        1
    }
}

impl WireSize for u32 {
    fn wire_size(&self) -> usize {
        4
    }
}

impl WireSize for i32 {
    fn wire_size(&self) -> usize {
        4
    }
}

impl WireSize for u64 {
    fn wire_size(&self) -> usize {
        8
    }
}

impl WireSize for i64 {
    fn wire_size(&self) -> usize {
        8
    }
}

impl WireSize for f32 {
    fn wire_size(&self) -> usize {
        4
    }
}

impl WireSize for f64 {
    fn wire_size(&self) -> usize {
        8
    }
}

impl WireSize for bool {
    fn wire_size(&self) -> usize {
        4
    }
}

impl WireSize for String {
    fn wire_size(&self) -> usize {
        4 + self.len() + pad_length(self.len())
    }
}

#[inline]
fn pad_length(l: usize) -> usize {
    if l % 4 == 0 {
        return 0;
    }
    4 - (l % 4)
}

pub const COUNT3_MAX: u32 = 4294967295;
pub const NFS3_FHSIZE: u32 = 64;
#[derive(Debug, PartialEq)]
pub enum GETATTR3res {
    NFS3_OK(GETATTR3resok),
    default,
}
#[derive(Debug, PartialEq)]
pub struct GETATTR3resok {
    pub obj_attributes: fattr3,
}
#[derive(Debug, PartialEq)]
pub enum READ3res<T>
where
    T: AsRef<[u8]> + Debug,
{
    NFS3_OK(READ3resok<T>),
    default,
}
#[derive(Debug, PartialEq)]
pub struct READ3resok<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub file_attributes: Option<Box<fattr3>>,
    pub count: u32,
    pub eof: bool,
    pub data: T,
}
#[derive(Debug, PartialEq)]
pub enum READDIRPLUS3res<T>
where
    T: AsRef<[u8]> + Debug,
{
    NFS3_OK(READDIRPLUS3resok<T>),
    default,
}
#[derive(Debug, PartialEq)]
pub struct READDIRPLUS3resok<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub dir_attributes: Option<Box<fattr3>>,
    pub cookieverf: u64,
    pub reply: dirlistplus3<T>,
}
#[derive(Debug, PartialEq)]
pub struct call_header<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub xid: u32,
    pub mtype: u32,
    pub rpcvers: u32,
    pub prog: u32,
    pub vers: u32,
    pub proc: u32,
    pub cred: opaque_auth<T>,
    pub verf: opaque_auth<T>,
}
#[derive(Debug, PartialEq)]
pub struct dirlistplus3<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub entries: Option<Box<entryplus3<T>>>,
    pub eof: bool,
}
#[derive(Debug, PartialEq)]
pub struct entryplus3<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub fileid: u64,
    pub name: String,
    pub cookie: u64,
    pub name_attributes: Option<Box<fattr3>>,
    pub name_handle: Option<Box<nfs_fh3<T>>>,
    pub nextentry: Option<Box<entryplus3<T>>>,
}
#[derive(Debug, PartialEq)]
pub struct fattr3 {
    pub type_v: ftype3,
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
#[derive(Debug, PartialEq)]
pub enum ftype3 {
    NF3REG = 1,
    NF3DIR = 2,
    NF3BLK = 3,
    NF3CHR = 4,
    NF3LNK = 5,
    NF3SOCK = 6,
    NF3FIFO = 7,
}
#[derive(Debug, PartialEq)]
pub struct nfs_fh3<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub data: T,
}
#[derive(Debug, PartialEq)]
pub enum nfsstat3 {
    NFS3_OK = 0,
    NFS3ERR_PERM = 1,
    NFS3ERR_NOENT = 2,
    NFS3ERR_IO = 5,
    NFS3ERR_STALE = 70,
}
#[derive(Debug, PartialEq)]
pub struct nfstime3 {
    pub seconds: u32,
    pub nseconds: u32,
}
#[derive(Debug, PartialEq)]
pub struct opaque_auth<T>
where
    T: AsRef<[u8]> + Debug,
{
    pub flavor: u32,
    pub body: T,
}
#[derive(Debug, PartialEq)]
pub struct specdata3 {
    pub specdata1: u32,
    pub specdata2: u32,
}
impl TryFrom<Bytes> for GETATTR3res {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(GETATTR3resok::try_from(&mut v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<Bytes> for GETATTR3resok {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(GETATTR3resok {
            obj_attributes: fattr3::try_from(&mut v)?,
        })
    }
}
impl TryFrom<Bytes> for READ3res<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(READ3resok::try_from(&mut v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<Bytes> for READ3resok<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(READ3resok {
            file_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            count: v.try_u32()?,
            eof: v.try_bool()?,
            data: v.try_variable_bytes(None)?,
        })
    }
}
impl TryFrom<Bytes> for READDIRPLUS3res<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(READDIRPLUS3resok::try_from(&mut v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<Bytes> for READDIRPLUS3resok<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(READDIRPLUS3resok {
            dir_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            cookieverf: v.try_u64()?,
            reply: dirlistplus3::try_from(&mut v)?,
        })
    }
}
impl TryFrom<Bytes> for call_header<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(call_header {
            xid: v.try_u32()?,
            mtype: v.try_u32()?,
            rpcvers: v.try_u32()?,
            prog: v.try_u32()?,
            vers: v.try_u32()?,
            proc: v.try_u32()?,
            cred: opaque_auth::try_from(&mut v)?,
            verf: opaque_auth::try_from(&mut v)?,
        })
    }
}
impl TryFrom<Bytes> for dirlistplus3<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(dirlistplus3 {
            entries: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(entryplus3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            eof: v.try_bool()?,
        })
    }
}
impl TryFrom<Bytes> for entryplus3<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(entryplus3 {
            fileid: v.try_u64()?,
            name: v.try_string(Some(255))?,
            cookie: v.try_u64()?,
            name_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            name_handle: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(nfs_fh3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            nextentry: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(entryplus3::try_from(&mut v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
        })
    }
}
impl TryFrom<Bytes> for fattr3 {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(fattr3 {
            type_v: ftype3::try_from(&mut v)?,
            mode: v.try_u32()?,
            nlink: v.try_u32()?,
            uid: v.try_u32()?,
            gid: v.try_u32()?,
            size: v.try_u64()?,
            used: v.try_u64()?,
            rdev: specdata3::try_from(&mut v)?,
            fsid: v.try_u64()?,
            fileid: v.try_u64()?,
            atime: nfstime3::try_from(&mut v)?,
            mtime: nfstime3::try_from(&mut v)?,
            ctime: nfstime3::try_from(&mut v)?,
        })
    }
}
impl TryFrom<Bytes> for ftype3 {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(match v.try_i32()? {
            1 => Self::NF3REG,
            2 => Self::NF3DIR,
            3 => Self::NF3BLK,
            4 => Self::NF3CHR,
            5 => Self::NF3LNK,
            6 => Self::NF3SOCK,
            7 => Self::NF3FIFO,
            d => return Err(Error::UnknownVariant(d as i32)),
        })
    }
}
impl TryFrom<Bytes> for nfs_fh3<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(nfs_fh3 {
            data: v.try_variable_bytes(Some(64))?,
        })
    }
}
impl TryFrom<Bytes> for nfsstat3 {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(match v.try_i32()? {
            0 => Self::NFS3_OK,
            1 => Self::NFS3ERR_PERM,
            2 => Self::NFS3ERR_NOENT,
            5 => Self::NFS3ERR_IO,
            70 => Self::NFS3ERR_STALE,
            d => return Err(Error::UnknownVariant(d as i32)),
        })
    }
}
impl TryFrom<Bytes> for nfstime3 {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(nfstime3 {
            seconds: v.try_u32()?,
            nseconds: v.try_u32()?,
        })
    }
}
impl TryFrom<Bytes> for opaque_auth<Bytes> {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(opaque_auth {
            flavor: v.try_u32()?,
            body: v.try_variable_bytes(Some(400))?,
        })
    }
}
impl TryFrom<Bytes> for specdata3 {
    type Error = Error;

    fn try_from(mut v: Bytes) -> Result<Self, Self::Error> {
        Ok(specdata3 {
            specdata1: v.try_u32()?,
            specdata2: v.try_u32()?,
        })
    }
}
impl TryFrom<&mut Bytes> for GETATTR3res {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut *v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(GETATTR3resok::try_from(&mut *v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<&mut Bytes> for GETATTR3resok {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(GETATTR3resok {
            obj_attributes: fattr3::try_from(&mut *v)?,
        })
    }
}
impl TryFrom<&mut Bytes> for READ3res<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut *v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(READ3resok::try_from(&mut *v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<&mut Bytes> for READ3resok<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(READ3resok {
            file_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            count: v.try_u32()?,
            eof: v.try_bool()?,
            data: v.try_variable_bytes(None)?,
        })
    }
}
impl TryFrom<&mut Bytes> for READDIRPLUS3res<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        let status = nfsstat3::try_from(&mut *v)?;
        Ok(match status {
            nfsstat3::NFS3_OK => Self::NFS3_OK(READDIRPLUS3resok::try_from(&mut *v)?),
            _ => Self::default,
        })
    }
}
impl TryFrom<&mut Bytes> for READDIRPLUS3resok<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(READDIRPLUS3resok {
            dir_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            cookieverf: v.try_u64()?,
            reply: dirlistplus3::try_from(&mut *v)?,
        })
    }
}
impl TryFrom<&mut Bytes> for call_header<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(call_header {
            xid: v.try_u32()?,
            mtype: v.try_u32()?,
            rpcvers: v.try_u32()?,
            prog: v.try_u32()?,
            vers: v.try_u32()?,
            proc: v.try_u32()?,
            cred: opaque_auth::try_from(&mut *v)?,
            verf: opaque_auth::try_from(&mut *v)?,
        })
    }
}
impl TryFrom<&mut Bytes> for dirlistplus3<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(dirlistplus3 {
            entries: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(entryplus3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            eof: v.try_bool()?,
        })
    }
}
impl TryFrom<&mut Bytes> for entryplus3<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(entryplus3 {
            fileid: v.try_u64()?,
            name: v.try_string(Some(255))?,
            cookie: v.try_u64()?,
            name_attributes: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(fattr3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            name_handle: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(nfs_fh3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
            nextentry: {
                match v.try_u32()? {
                    0 => None,
                    1 => Some(Box::new(entryplus3::try_from(&mut *v)?)),
                    d => return Err(Error::UnknownOptionVariant(d)),
                }
            },
        })
    }
}
impl TryFrom<&mut Bytes> for fattr3 {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(fattr3 {
            type_v: ftype3::try_from(&mut *v)?,
            mode: v.try_u32()?,
            nlink: v.try_u32()?,
            uid: v.try_u32()?,
            gid: v.try_u32()?,
            size: v.try_u64()?,
            used: v.try_u64()?,
            rdev: specdata3::try_from(&mut *v)?,
            fsid: v.try_u64()?,
            fileid: v.try_u64()?,
            atime: nfstime3::try_from(&mut *v)?,
            mtime: nfstime3::try_from(&mut *v)?,
            ctime: nfstime3::try_from(&mut *v)?,
        })
    }
}
impl TryFrom<&mut Bytes> for ftype3 {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(match v.try_i32()? {
            1 => Self::NF3REG,
            2 => Self::NF3DIR,
            3 => Self::NF3BLK,
            4 => Self::NF3CHR,
            5 => Self::NF3LNK,
            6 => Self::NF3SOCK,
            7 => Self::NF3FIFO,
            d => return Err(Error::UnknownVariant(d as i32)),
        })
    }
}
impl TryFrom<&mut Bytes> for nfs_fh3<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(nfs_fh3 {
            data: v.try_variable_bytes(Some(64))?,
        })
    }
}
impl TryFrom<&mut Bytes> for nfsstat3 {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(match v.try_i32()? {
            0 => Self::NFS3_OK,
            1 => Self::NFS3ERR_PERM,
            2 => Self::NFS3ERR_NOENT,
            5 => Self::NFS3ERR_IO,
            70 => Self::NFS3ERR_STALE,
            d => return Err(Error::UnknownVariant(d as i32)),
        })
    }
}
impl TryFrom<&mut Bytes> for nfstime3 {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(nfstime3 {
            seconds: v.try_u32()?,
            nseconds: v.try_u32()?,
        })
    }
}
impl TryFrom<&mut Bytes> for opaque_auth<Bytes> {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(opaque_auth {
            flavor: v.try_u32()?,
            body: v.try_variable_bytes(Some(400))?,
        })
    }
}
impl TryFrom<&mut Bytes> for specdata3 {
    type Error = Error;

    fn try_from(mut v: &mut Bytes) -> Result<Self, Self::Error> {
        Ok(specdata3 {
            specdata1: v.try_u32()?,
            specdata2: v.try_u32()?,
        })
    }
}
impl WireSize for GETATTR3res {
    fn wire_size(&self) -> usize {
        4 + match self {
            Self::NFS3_OK(inner) => inner.wire_size(),
            Self::default => 0,
        }
    }
}
impl WireSize for GETATTR3resok {
    fn wire_size(&self) -> usize {
        self.obj_attributes.wire_size() + 0
    }
}
impl WireSize for READ3res<Bytes> {
    fn wire_size(&self) -> usize {
        4 + match self {
            Self::NFS3_OK(inner) => inner.wire_size(),
            Self::default => 0,
        }
    }
}
impl WireSize for READ3resok<Bytes> {
    fn wire_size(&self) -> usize {
        self.file_attributes.wire_size()
            + self.count.wire_size()
            + self.eof.wire_size()
            + self.data.wire_size()
            + pad_length(self.data.wire_size())
            + 0
    }
}
impl WireSize for READDIRPLUS3res<Bytes> {
    fn wire_size(&self) -> usize {
        4 + match self {
            Self::NFS3_OK(inner) => inner.wire_size(),
            Self::default => 0,
        }
    }
}
impl WireSize for READDIRPLUS3resok<Bytes> {
    fn wire_size(&self) -> usize {
        self.dir_attributes.wire_size()
            + self.cookieverf.wire_size()
            + self.reply.wire_size()
            + 0
    }
}
impl WireSize for call_header<Bytes> {
    fn wire_size(&self) -> usize {
        self.xid.wire_size()
            + self.mtype.wire_size()
            + self.rpcvers.wire_size()
            + self.prog.wire_size()
            + self.vers.wire_size()
            + self.proc.wire_size()
            + self.cred.wire_size()
            + self.verf.wire_size()
            + 0
    }
}
impl WireSize for dirlistplus3<Bytes> {
    fn wire_size(&self) -> usize {
        self.entries.wire_size() + self.eof.wire_size() + 0
    }
}
impl WireSize for entryplus3<Bytes> {
    fn wire_size(&self) -> usize {
        self.fileid.wire_size()
            + self.name.wire_size()
            + self.cookie.wire_size()
            + self.name_attributes.wire_size()
            + self.name_handle.wire_size()
            + self.nextentry.wire_size()
            + 0
    }
}
impl WireSize for fattr3 {
    fn wire_size(&self) -> usize {
        self.type_v.wire_size()
            + self.mode.wire_size()
            + self.nlink.wire_size()
            + self.uid.wire_size()
            + self.gid.wire_size()
            + self.size.wire_size()
            + self.used.wire_size()
            + self.rdev.wire_size()
            + self.fsid.wire_size()
            + self.fileid.wire_size()
            + self.atime.wire_size()
            + self.mtime.wire_size()
            + self.ctime.wire_size()
            + 0
    }
}
impl WireSize for ftype3 {
    fn wire_size(&self) -> usize {
        4
    }
}
impl WireSize for nfs_fh3<Bytes> {
    fn wire_size(&self) -> usize {
        self.data.wire_size() + pad_length(self.data.wire_size()) + 0
    }
}
impl WireSize for nfsstat3 {
    fn wire_size(&self) -> usize {
        4
    }
}
impl WireSize for nfstime3 {
    fn wire_size(&self) -> usize {
        self.seconds.wire_size() + self.nseconds.wire_size() + 0
    }
}
impl WireSize for opaque_auth<Bytes> {
    fn wire_size(&self) -> usize {
        self.flavor.wire_size() + self.body.wire_size() + pad_length(self.body.wire_size()) + 0
    }
}
impl WireSize for specdata3 {
    fn wire_size(&self) -> usize {
        self.specdata1.wire_size() + self.specdata2.wire_size() + 0
    }
}
