//! How long a result can become, before its operation runs.

use super::{Argop, Resop};
use crate::{
    Count, OpNum,
    attrs::{Attr, AttrSet},
    ops::open::{CreateHow, OpenHow},
};

/// What a server keeps to in its results where the protocol sets no bound, or a wide one. All
/// lengths are in bytes, without length word and pad.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Longest file handle.
    pub file_handle: u32,
    /// Longest text of a symbolic link.
    pub link_text: u32,
    /// Longest value of an attribute, on the wire; asked for those that are wanted only.
    pub attr: fn(Attr) -> u32,
    /// Longest name of a user or group in an access control entry.
    pub who: u32,
    /// Longest owner of a lock that is in the way.
    pub lock_owner: u32,
    /// Longest list of SECINFO, on the wire.
    pub secinfo: u32,
    /// Longest value of an extended attribute.
    pub xattr_value: u32,
    /// Most contents of one READ_PLUS.
    pub read_plus_contents: u32,
    /// Most devices of one GETDEVICELIST.
    pub devices: u32,
    /// Longest description of the server and of how state is protected in EXCHANGE_ID, on the wire,
    /// beside the longest owner and scope.
    pub exchange_id: u32,
    /// Longest digest of SET_SSV.
    pub digest: u32,
    /// Longest list of servers of COPY_NOTIFY, on the wire; longest address of another client in
    /// SETCLIENTID too.
    pub addresses: u32,
}

impl Default for Bounds {
    /// Handles of 128 bytes, links of 4096, names of 256, access control lists of 8192, what others
    /// hold to.
    fn default() -> Self {
        Self {
            file_handle: 128,
            link_text: 4096,
            attr: Self::attr_default,
            who: 256,
            lock_owner: 1024,
            secinfo: 512,
            xattr_value: 65536,
            read_plus_contents: 16,
            devices: 256,
            exchange_id: 1024,
            digest: 64,
            addresses: 1024,
        }
    }
}

/// The longest bitmap of known bits, length word included: attributes, operations and hints fit into
/// three words.
const BITMAP: u64 = 4 + 3 * 4;
const STATUS: u64 = 4;
const STATEID: u64 = 16;
const CHANGE_INFO: u64 = 20;

/// An opaque of at most `len` bytes: length word, data, pad.
const fn opaque(len: u32) -> u64 {
    (len as u64).wrapping_add(3) & !3
}

impl Bounds {
    /// The bound of an attribute's value where nothing better is known: its own maximum if the
    /// protocol sets one, else 8192 bytes for lists and 260 for names.
    #[must_use]
    pub const fn attr_default(attr: Attr) -> u32 {
        match (attr, attr.value_max_len()) {
            (Attr::OWNER | Attr::OWNER_GROUP | Attr::MIMETYPE, _) => 260,
            (_, Some(u32::MAX)) => 8192,
            (_, Some(len)) => len,
            (_, None) => 0,
        }
    }

    /// An `fattr4` with these attributes, those that stand for none left out.
    fn fattr(&self, wanted: &AttrSet<'_>) -> u64 {
        let known = wanted.iter().take_while(|attr| attr.0 < 96);
        let known = known.filter(|attr| attr.info().is_some());
        let (mut values, mut words) = (0u64, 0u64);
        for attr in known {
            values = values.saturating_add(u64::from((self.attr)(attr)).next_multiple_of(4));
            words = u64::from(attr.0 >> 5).saturating_add(1);
        }
        (4u64.saturating_add(words.saturating_mul(4))).saturating_add(4).saturating_add(values)
    }

    fn delegation(&self) -> u64 {
        // Type, stateid, recall, limit, entry.
        let entry = 16u64.saturating_add(opaque(self.who));
        (4 + STATEID + 4 + 12u64).saturating_add(entry)
    }
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
}

/// Bytes of a result that failed, without the number of its operation.
#[must_use]
pub(super) fn failure_len(op: OpNum) -> u64 {
    // SETATTR has an empty set.
    if op == OpNum::SETATTR { 8 } else { STATUS }
}

impl Argop<'_> {
    /// Most bytes that the result takes on the wire, the number of the operation included, from a
    /// server that keeps to `bounds`: exact for a READ of as many bytes as it asks for.
    #[must_use]
    pub fn reply_bound(&self, bounds: &Bounds) -> u64 {
        let page = |max: Count, least: u64| u64::from(max).next_multiple_of(4).max(least);
        let body = match self {
            Self::Read(args) => sum(&[4, 4, opaque(args.count)]),
            Self::ReadPlus(args) => {
                let contents = u64::from(bounds.read_plus_contents).saturating_mul(20);
                sum(&[4, 4, opaque(args.count), contents])
            }
            Self::Readdir(args) => page(args.maxcount, 0),
            Self::Listxattrs(args) => page(args.maxcount, 0),
            Self::Readlink => sum(&[4, opaque(bounds.link_text)]),
            Self::Getxattr(_) => sum(&[4, opaque(bounds.xattr_value)]),
            Self::Getfh => sum(&[4, opaque(bounds.file_handle)]),
            Self::Getattr(args) => bounds.fattr(&args.request),
            Self::Setattr(args) => set_len(&args.attributes.mask),
            Self::Create(args) => sum(&[CHANGE_INFO, set_len(&args.attributes.mask)]),
            Self::Open(args) => {
                let set = match &args.how {
                    // A server may keep the verifier in attributes that were not asked for.
                    OpenHow::Create(CreateHow::Exclusive(_) | CreateHow::Exclusive41(_)) => BITMAP,
                    OpenHow::Create(how) => {
                        how.attributes().map_or(4, |fattr| set_len(&fattr.mask))
                    }
                    OpenHow::NoCreate => 4,
                };
                sum(&[STATEID, CHANGE_INFO, 4, set, bounds.delegation()])
            }
            Self::WantDelegation(_) => bounds.delegation(),
            Self::GetDirDelegation(_) => sum(&[4, 8, STATEID, BITMAP, BITMAP, BITMAP]),
            Self::Lock(_) => sum(&[8, 8, 4, 8, 4, opaque(bounds.lock_owner)]).max(STATEID),
            Self::Lockt(_) => sum(&[8, 8, 4, 8, 4, opaque(bounds.lock_owner)]),
            Self::Secinfo(_) | Self::SecinfoNoName(_) => opaque(bounds.secinfo),
            Self::Setclientid(_) => opaque(bounds.addresses).max(16),
            Self::ExchangeId(_) => {
                // Client, sequence, flags; protection, owner, scope, description.
                sum(&[16, 4, 8 + 4 + 1024, 4 + 1024, 4, opaque(bounds.exchange_id)])
            }
            // What the description may have is all of the body.
            Self::Getdeviceinfo(args) => page(args.maxcount, 8 + BITMAP),
            Self::Getdevicelist(args) => {
                let devices = u64::from(args.maxdevices.min(bounds.devices)).saturating_mul(16);
                sum(&[8, 8, 4, devices, 4])
            }
            // The layouts may have as much; around them are a flag and a stateid.
            Self::Layoutget(args) => sum(&[4, STATEID, 4, 28, page(args.maxcount, 0)]),
            Self::SetSsv(_) => sum(&[4, opaque(bounds.digest)]),
            Self::TestStateid(args) => sum(&[4, u64::from(args.stateids.len()).saturating_mul(4)]),
            Self::CopyNotify(_) => sum(&[12, STATEID, 4, opaque(bounds.addresses)]),
            Self::IoAdvise(_) => BITMAP,
            op => return sum(&[4, u64::from(Resop::max_len(op.op()))]),
        };
        sum(&[4, STATUS, body])
    }
}

/// A set that is part of `of`.
fn set_len(of: &AttrSet<'_>) -> u64 {
    u64::from(of.len_words().min(3)).saturating_mul(4).saturating_add(4)
}
