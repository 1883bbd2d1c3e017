//! OPEN, OPEN_CONFIRM, OPEN_DOWNGRADE and CLOSE (RFC 7530, sections 16.16, 16.18, 16.19 and 16.2;
//! RFC 8881, sections 18.16, 18.18 and 18.2; RFC 9754).
//!
//! ```
//! use nfswire_nfs4::{
//!     Component, OpenOwner,
//!     ops::open::{OpenArgs, OpenClaim, OpenHow, ShareAccess, ShareDeny},
//! };
//!
//! let args = OpenArgs {
//!     seqid: 0,
//!     share_access: ShareAccess::READ | ShareAccess::WANT_NO_DELEG,
//!     share_deny: ShareDeny::NONE,
//!     owner: OpenOwner { clientid: 7, owner: Default::default() },
//!     how: OpenHow::NoCreate,
//!     claim: OpenClaim::Null(Component::new(b"file").unwrap()),
//! };
//! assert_eq!(args.share_access.access(), ShareAccess::READ);
//! assert_eq!(args.share_access.want(), ShareAccess::WANT_NO_DELEG);
//! assert_eq!(args.claim.name().map(|name| name.as_bytes()), Some(&b"file"[..]));
//! ```

use nfswire_xdr::{xdr_enum, xdr_open_enum, xdr_struct, xdr_union};

use crate::{
    ChangeInfo, Component, OpenOwner, SeqId, Stateid, Status, Verifier,
    attrs::{Ace, AttrSet, Fattr},
    flags::flags,
};

//--- Shares ---

flags! {
    /// What a file is opened for, and since v4.1 which delegation is wanted (RFC 7530, section 9.9;
    /// RFC 8881, section 18.16; RFC 9754).
    ///
    /// The [`access`](Self::access) is two bits, the [`want`](Self::want) a number; the rest are
    /// flags.
    pub struct ShareAccess {
        /// Open for reading.
        "OPEN4_SHARE_ACCESS_READ" READ = 0x01,
        /// Open for writing.
        "OPEN4_SHARE_ACCESS_WRITE" WRITE = 0x02,
        /// Open for both.
        "OPEN4_SHARE_ACCESS_BOTH" BOTH = 0x03,
        /// The bits that say which delegation is wanted: one of the six numbers that follow.
        "OPEN4_SHARE_ACCESS_WANT_DELEG_MASK" WANT_DELEG_MASK = 0xff00,
        /// Whichever delegation the server likes, or none.
        "OPEN4_SHARE_ACCESS_WANT_NO_PREFERENCE" WANT_NO_PREFERENCE = 0x0000,
        /// One for reading.
        "OPEN4_SHARE_ACCESS_WANT_READ_DELEG" WANT_READ_DELEG = 0x0100,
        /// One for writing.
        "OPEN4_SHARE_ACCESS_WANT_WRITE_DELEG" WANT_WRITE_DELEG = 0x0200,
        /// Either.
        "OPEN4_SHARE_ACCESS_WANT_ANY_DELEG" WANT_ANY_DELEG = 0x0300,
        /// None.
        "OPEN4_SHARE_ACCESS_WANT_NO_DELEG" WANT_NO_DELEG = 0x0400,
        /// None, and forget what was wanted before.
        "OPEN4_SHARE_ACCESS_WANT_CANCEL" WANT_CANCEL = 0x0500,
        /// Tell the client when there are resources for a delegation.
        "OPEN4_SHARE_ACCESS_WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL"
        WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL = 0x1_0000,
        /// Give the delegation later, when nobody else uses the file.
        "OPEN4_SHARE_ACCESS_WANT_PUSH_DELEG_WHEN_UNCONTENDED"
        WANT_PUSH_DELEG_WHEN_UNCONTENDED = 0x2_0000,
        /// With a delegation, leave the times of the file to the client (RFC 9754).
        "OPEN4_SHARE_ACCESS_WANT_DELEG_TIMESTAMPS" WANT_DELEG_TIMESTAMPS = 0x10_0000,
        /// A delegation instead of an open, not beside it (RFC 9754).
        "OPEN4_SHARE_ACCESS_WANT_OPEN_XOR_DELEGATION"
        WANT_OPEN_XOR_DELEGATION = 0x20_0000,
    }
}

impl ShareAccess {
    /// What the file is opened for: valid when it is [`READ`](Self::READ), [`WRITE`](Self::WRITE)
    /// or [`BOTH`](Self::BOTH).
    #[inline]
    #[must_use]
    pub const fn access(self) -> Self {
        Self(self.0 & 0xff)
    }

    /// Which delegation is wanted, a number: valid when it is one of the six `WANT_` constants
    /// under [`WANT_DELEG_MASK`](Self::WANT_DELEG_MASK), to be compared with `==`.
    #[inline]
    #[must_use]
    pub const fn want(self) -> Self {
        Self(self.0 & Self::WANT_DELEG_MASK.0)
    }

    /// Whether the client said which delegation it wants: if it gets none, it is to be told why
    /// ([`OpenDelegation::NoneExt`]; RFC 8881, section 18.16.3).
    #[inline]
    #[must_use]
    pub const fn has_want(self) -> bool {
        self.want().0 != 0
    }

    /// Whether it opens the file for anything, and for nothing but reading and writing. What is
    /// wanted beside is not looked at.
    #[inline]
    #[must_use]
    pub const fn is_valid(self) -> bool {
        matches!(self.access(), Self::READ | Self::WRITE | Self::BOTH)
    }
}

flags! {
    /// Whom an open keeps out (RFC 7530, section 9.9).
    pub struct ShareDeny {
        /// Keep nobody out.
        "OPEN4_SHARE_DENY_NONE" NONE = 0x00,
        /// Keep out who opens for reading.
        "OPEN4_SHARE_DENY_READ" READ = 0x01,
        /// Keep out who opens for writing.
        "OPEN4_SHARE_DENY_WRITE" WRITE = 0x02,
        /// Keep out everybody.
        "OPEN4_SHARE_DENY_BOTH" BOTH = 0x03,
    }
}

impl ShareDeny {
    /// Whether it keeps nobody out but readers and writers.
    #[inline]
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.0 <= Self::BOTH.0
    }

    /// Whether an open with this keeps out one for `access` (RFC 7530, section 9.9).
    #[inline]
    #[must_use]
    pub const fn denies(self, access: ShareAccess) -> bool {
        self.0 & access.access().0 != 0
    }
}

//--- How ---

xdr_enum! {
    /// What to do about a file that is already there (RFC 7530, section 16.16; RFC 8881, section
    /// 18.16).
    "createmode4" => pub enum CreateMode {
        /// Take it, and set its size to 0 if that is among the attributes.
        "UNCHECKED4" Unchecked = 0,
        /// Fail.
        "GUARDED4" Guarded = 1,
        /// Fail unless this very request made it, which the verifier tells.
        "EXCLUSIVE4" Exclusive = 2,
        /// The same, with attributes for the new file; since v4.1.
        "EXCLUSIVE4_1" Exclusive41 = 3,
    }
}

xdr_struct! {
    /// Verifier and attributes of an exclusive create (RFC 8881, section 18.16).
    #[derive(Copy, Default)]
    "creatverfattr" => pub struct CreateVerifierAttrs<'a> {
        /// Tells a retry from another client's request.
        "cva_verf" => pub verifier: Verifier,
        /// Of the new file; only those of `suppattr_exclcreat`.
        "cva_attrs" => pub attributes: Fattr<'a>,
    }
}

xdr_union! {
    /// How a file is made (RFC 7530, section 16.16; RFC 8881, section 18.16).
    #[derive(Copy)]
    "createhow4" => pub enum CreateHow<'a> switch (mode: CreateMode) {
        /// Take one that is there. The attributes are those of a new file.
        case CreateMode::Unchecked => "createattrs" Unchecked(Fattr<'a>),
        /// Fail if one is there. The attributes are those of the new file.
        case CreateMode::Guarded => "createattrs" Guarded(Fattr<'a>),
        /// Fail unless this request made it.
        case CreateMode::Exclusive => "createverf" Exclusive(Verifier),
        /// Fail unless this request made it; since v4.1.
        case CreateMode::Exclusive41 => "ch_createboth" Exclusive41(CreateVerifierAttrs<'a>),
    }
}

impl<'a> CreateHow<'a> {
    /// Attributes for the new file; none with [`CreateMode::Exclusive`].
    #[inline]
    #[must_use]
    pub const fn attributes(&self) -> Option<&Fattr<'a>> {
        match self {
            Self::Unchecked(attributes) | Self::Guarded(attributes) => Some(attributes),
            Self::Exclusive(_) => None,
            Self::Exclusive41(both) => Some(&both.attributes),
        }
    }

    /// The verifier of an exclusive create.
    #[inline]
    #[must_use]
    pub const fn verifier(&self) -> Option<Verifier> {
        match self {
            Self::Unchecked(_) | Self::Guarded(_) => None,
            Self::Exclusive(verifier) => Some(*verifier),
            Self::Exclusive41(both) => Some(both.verifier),
        }
    }
}

xdr_enum! {
    /// Whether a file may be made (RFC 7530, section 16.16).
    "opentype4" => pub enum OpenType {
        /// No: it must be there.
        "OPEN4_NOCREATE" NoCreate = 0,
        /// Yes.
        "OPEN4_CREATE" Create = 1,
    }
}

xdr_union! {
    /// Whether and how a file is made (RFC 7530, section 16.16).
    #[derive(Copy)]
    "openflag4" => pub enum OpenHow<'a> switch (opentype: OpenType) {
        /// It is made if need be.
        case OpenType::Create => "how" Create(CreateHow<'a>),
        /// It must be there.
        case OpenType::NoCreate => NoCreate,
    }
}

//--- Delegations ---

xdr_enum! {
    /// What limits the bytes that a client with a delegation may keep to itself (RFC 7530, section
    /// 16.16).
    "limit_by4" => pub enum LimitBy {
        /// The size of the file.
        "NFS_LIMIT_SIZE" Size = 1,
        /// A number of blocks.
        "NFS_LIMIT_BLOCKS" Blocks = 2,
    }
}

xdr_struct! {
    /// A limit in blocks (RFC 7530, section 16.16).
    #[derive(Copy, Default)]
    "nfs_modified_limit4" => pub struct ModifiedLimit {
        /// Blocks.
        "num_blocks" => pub blocks: u32,
        /// Bytes of each.
        pub bytes_per_block: u32,
    }
}

xdr_union! {
    /// How much a client with a delegation may keep to itself until it closes the file (RFC 7530,
    /// section 16.16).
    #[derive(Copy)]
    "nfs_space_limit4" => pub enum SpaceLimit switch (limitby: LimitBy) {
        /// As long as the file has at most this size, in bytes.
        case LimitBy::Size => "filesize" Size(u64),
        /// At most so many modified blocks.
        case LimitBy::Blocks => "mod_blocks" Blocks(ModifiedLimit),
    }
}

impl SpaceLimit {
    /// The limit in bytes; two numbers of 32 bits make no more than 64.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        match self {
            Self::Size(bytes) => *bytes,
            Self::Blocks(limit) => (limit.blocks as u64).wrapping_mul(limit.bytes_per_block as u64),
        }
    }
}

xdr_enum! {
    /// Kind of delegation (RFC 7530, section 16.16; RFC 8881, section 18.16; RFC 9754).
    "open_delegation_type4" => pub enum OpenDelegationType {
        /// None.
        "OPEN_DELEGATE_NONE" None = 0,
        /// For reading.
        "OPEN_DELEGATE_READ" Read = 1,
        /// For writing.
        "OPEN_DELEGATE_WRITE" Write = 2,
        /// None, and why; since v4.1.
        "OPEN_DELEGATE_NONE_EXT" NoneExt = 3,
        /// For reading, and the client keeps the time of access (RFC 9754).
        "OPEN_DELEGATE_READ_ATTRS_DELEG" ReadAttrs = 4,
        /// For writing, and the client keeps the times of access and modification (RFC 9754).
        "OPEN_DELEGATE_WRITE_ATTRS_DELEG" WriteAttrs = 5,
    }
}

xdr_struct! {
    /// A delegation for reading (RFC 7530, section 16.16).
    #[derive(Copy)]
    "open_read_delegation4" => pub struct OpenReadDelegation<'a> {
        /// Names the delegation.
        pub stateid: Stateid,
        /// It is recalled already: one reclaimed with [`OpenClaim::Previous`] that must be given
        /// back.
        pub recall: bool,
        /// Who may open the file for reading without asking with ACCESS.
        pub permissions: Ace<'a>,
    }
}

xdr_struct! {
    /// A delegation for writing (RFC 7530, section 16.16).
    #[derive(Copy)]
    "open_write_delegation4" => pub struct OpenWriteDelegation<'a> {
        /// Names the delegation.
        pub stateid: Stateid,
        /// It is recalled already: one reclaimed with [`OpenClaim::Previous`] that must be given
        /// back.
        pub recall: bool,
        /// Beyond this, modified data goes to the server when the file is closed.
        pub space_limit: SpaceLimit,
        /// Who may open the file without asking with ACCESS.
        pub permissions: Ace<'a>,
    }
}

xdr_open_enum! {
    /// Why there is no delegation (RFC 8881, section 18.16).
    "why_no_delegation4" => pub struct WhyNoDelegation {
        /// The client wanted none.
        "WND4_NOT_WANTED" NOT_WANTED = 0,
        /// Somebody else uses the file.
        "WND4_CONTENTION" CONTENTION = 1,
        /// The server has no resources for it.
        "WND4_RESOURCE" RESOURCE = 2,
        /// Not for files of this type.
        "WND4_NOT_SUPP_FTYPE" NOT_SUPP_FTYPE = 3,
        /// None for writing for files of this type.
        "WND4_WRITE_DELEG_NOT_SUPP_FTYPE" WRITE_DELEG_NOT_SUPP_FTYPE = 4,
        /// One for reading cannot become one for writing.
        "WND4_NOT_SUPP_UPGRADE" NOT_SUPP_UPGRADE = 5,
        /// One for writing cannot become one for reading.
        "WND4_NOT_SUPP_DOWNGRADE" NOT_SUPP_DOWNGRADE = 6,
        /// What was wanted before is forgotten.
        "WND4_CANCELLED" CANCELLED = 7,
        /// Not for directories.
        "WND4_IS_DIR" IS_DIR = 8,
    }
}

xdr_union! {
    /// Why there is no delegation, and what will come of it (RFC 8881, section 18.16).
    #[derive(Copy)]
    "open_none_delegation4" => pub enum OpenNoneDelegation switch (why: WhyNoDelegation) {
        /// Somebody else uses the file; whether the server will give the delegation later
        /// (CB_PUSH_DELEG).
        case WhyNoDelegation::CONTENTION => "ond_server_will_push_deleg" Contention(bool),
        /// No resources; whether the server will tell when there are some
        /// (CB_RECALLABLE_OBJ_AVAIL).
        case WhyNoDelegation::RESOURCE => "ond_server_will_signal_avail" Resource(bool),
        /// Another reason.
        default => Other,
    }
}

xdr_union! {
    /// A delegation, or none (RFC 7530, section 16.16; RFC 8881, section 18.16; RFC 9754).
    #[derive(Copy)]
    "open_delegation4" => pub enum OpenDelegation<'a> switch (delegation_type: OpenDelegationType) {
        /// None.
        case OpenDelegationType::None => None,
        /// For reading.
        case OpenDelegationType::Read => "read" Read(OpenReadDelegation<'a>),
        /// For writing.
        case OpenDelegationType::Write => "write" Write(OpenWriteDelegation<'a>),
        /// None, and why: the answer to who said what is wanted; since v4.1.
        case OpenDelegationType::NoneExt => "od_whynone" NoneExt(OpenNoneDelegation),
        /// For reading, with the time of access.
        case OpenDelegationType::ReadAttrs => "read" ReadAttrs(OpenReadDelegation<'a>),
        /// For writing, with the times of access and modification.
        case OpenDelegationType::WriteAttrs => "write" WriteAttrs(OpenWriteDelegation<'a>),
    }
}

impl OpenDelegation<'_> {
    /// Names the delegation, if there is one.
    #[inline]
    #[must_use]
    pub const fn stateid(&self) -> Option<&Stateid> {
        match self {
            Self::None | Self::NoneExt(_) => None,
            Self::Read(read) | Self::ReadAttrs(read) => Some(&read.stateid),
            Self::Write(write) | Self::WriteAttrs(write) => Some(&write.stateid),
        }
    }

    /// Whether the client may change the file under it.
    #[inline]
    #[must_use]
    pub const fn is_write(&self) -> bool {
        matches!(self, Self::Write(_) | Self::WriteAttrs(_))
    }
}

//--- Claims ---

xdr_enum! {
    /// On which ground a file is opened (RFC 7530, section 16.16; RFC 8881, section 18.16).
    "open_claim_type4" => pub enum OpenClaimType {
        /// None in particular; the file has a name.
        "CLAIM_NULL" Null = 0,
        /// An open from before the server restarted.
        "CLAIM_PREVIOUS" Previous = 1,
        /// A delegation; the file has a name.
        "CLAIM_DELEGATE_CUR" DelegateCur = 2,
        /// A delegation from before the client restarted; the file has a name.
        "CLAIM_DELEGATE_PREV" DelegatePrev = 3,
        /// None in particular; the current file handle; since v4.1.
        "CLAIM_FH" Fh = 4,
        /// A delegation; the current file handle; since v4.1.
        "CLAIM_DELEG_CUR_FH" DelegCurFh = 5,
        /// A delegation from before the client restarted; the current file handle; since v4.1.
        "CLAIM_DELEG_PREV_FH" DelegPrevFh = 6,
    }
}

xdr_struct! {
    /// A delegation, and the file by its name (RFC 7530, section 16.16).
    #[derive(Copy)]
    "open_claim_delegate_cur4" => pub struct OpenClaimDelegateCur<'a> {
        /// The delegation.
        pub delegate_stateid: Stateid,
        /// Name in the current directory.
        pub file: Component<'a>,
    }
}

xdr_union! {
    /// Which file is opened, and on which ground (RFC 7530, section 16.16; RFC 8881, section
    /// 18.16).
    #[derive(Copy)]
    "open_claim4" => pub enum OpenClaim<'a> switch (claim: OpenClaimType) {
        /// The file of this name in the current directory.
        case OpenClaimType::Null => "file" Null(Component<'a>),
        /// The current file, which was open before the server restarted, with the kind of
        /// delegation that there was.
        case OpenClaimType::Previous => "delegate_type" Previous(OpenDelegationType),
        /// A file that the client has a delegation for.
        case OpenClaimType::DelegateCur => "delegate_cur_info" DelegateCur(OpenClaimDelegateCur<'a>),
        /// The file of this name, which the client had a delegation for before it restarted.
        case OpenClaimType::DelegatePrev => "file_delegate_prev" DelegatePrev(Component<'a>),
        /// The current file.
        case OpenClaimType::Fh => Fh,
        /// The current file, which the client had a delegation for before it restarted.
        case OpenClaimType::DelegPrevFh => DelegPrevFh,
        /// The current file, with the delegation that the client has for it.
        case OpenClaimType::DelegCurFh => "oc_delegate_stateid" DelegCurFh(Stateid),
    }
}

impl<'a> OpenClaim<'a> {
    /// The file's name in the current directory; `None` when the file is the current file handle.
    #[inline]
    #[must_use]
    pub const fn name(&self) -> Option<&Component<'a>> {
        match self {
            Self::Null(name) | Self::DelegatePrev(name) => Some(name),
            Self::DelegateCur(current) => Some(&current.file),
            Self::Previous(_) | Self::Fh | Self::DelegPrevFh | Self::DelegCurFh(_) => None,
        }
    }

    /// Whether it is about state from before a restart, of the server or of the client.
    #[inline]
    #[must_use]
    pub const fn is_reclaim(&self) -> bool {
        matches!(self, Self::Previous(_) | Self::DelegatePrev(_) | Self::DelegPrevFh)
    }

    /// The delegation that the client has.
    #[inline]
    #[must_use]
    pub const fn delegation(&self) -> Option<&Stateid> {
        match self {
            Self::DelegateCur(current) => Some(&current.delegate_stateid),
            Self::DelegCurFh(stateid) => Some(stateid),
            _ => None,
        }
    }
}

//--- OPEN ---

xdr_struct! {
    /// Arguments of OPEN (RFC 7530, section 16.16; RFC 8881, section 18.16).
    #[derive(Copy)]
    "OPEN4args" => pub struct OpenArgs<'a> {
        /// Sequence number of the owner; unused in NFSv4.1.
        pub seqid: SeqId,
        /// What the file is opened for, and which delegation is wanted.
        pub share_access: ShareAccess,
        /// Whom to keep out.
        pub share_deny: ShareDeny,
        /// Who opens it.
        pub owner: OpenOwner<'a>,
        /// Whether and how it is made.
        "openhow" => pub how: OpenHow<'a>,
        /// Which file.
        pub claim: OpenClaim<'a>,
    }
}

flags! {
    /// What else is to be known about an open (RFC 7530, section 16.16; RFC 8881, section 18.16;
    /// RFC 9754).
    pub struct OpenResultFlags {
        /// The client must confirm the open.
        "OPEN4_RESULT_CONFIRM" CONFIRM = 0x02,
        /// Locks behave as POSIX has them: ranges split and merge.
        "OPEN4_RESULT_LOCKTYPE_POSIX" LOCKTYPE_POSIX = 0x04,
        /// The file stays while it is open, even if it is removed.
        "OPEN4_RESULT_PRESERVE_UNLINKED" PRESERVE_UNLINKED = 0x08,
        /// There is a delegation instead of an open: the stateid of the open counts for nothing
        /// (RFC 9754).
        "OPEN4_RESULT_NO_OPEN_STATEID" NO_OPEN_STATEID = 0x10,
        /// The server may tell when a lock becomes free.
        "OPEN4_RESULT_MAY_NOTIFY_LOCK" MAY_NOTIFY_LOCK = 0x20,
    }
}

xdr_struct! {
    /// Body of a successful OPEN (RFC 7530, section 16.16).
    #[derive(Copy)]
    "OPEN4resok" => pub struct OpenOk<'a> {
        /// Names the open.
        pub stateid: Stateid,
        /// The directory before and after.
        "cinfo" => pub change: ChangeInfo,
        /// What else is to be known.
        "rflags" => pub flags: OpenResultFlags,
        /// Attributes that were set on a new file.
        "attrset" => pub set: AttrSet<'a>,
        /// A delegation, or none.
        pub delegation: OpenDelegation<'a>,
    }
}

impl OpenOk<'_> {
    /// Whether OPEN_CONFIRM must follow, in NFSv4.0.
    #[inline]
    #[must_use]
    pub const fn needs_confirm(&self) -> bool {
        self.flags.contains(OpenResultFlags::CONFIRM)
    }
}

xdr_union! {
    /// Reply to OPEN (RFC 7530, section 16.16).
    #[derive(Copy)]
    "OPEN4res" => pub enum OpenReply<'a> switch (status: Status) {
        /// Success: the file is the current file handle.
        case Status::OK => "resok4" Ok(OpenOk<'a>),
        /// Failure.
        default => Fail,
    }
}

//--- OPEN_CONFIRM ---

xdr_struct! {
    /// Arguments of OPEN_CONFIRM, in NFSv4.0 (RFC 7530, section 16.18).
    #[derive(Copy)]
    "OPEN_CONFIRM4args" => pub struct OpenConfirmArgs {
        /// The open.
        pub open_stateid: Stateid,
        /// Sequence number of the owner.
        pub seqid: SeqId,
    }
}

xdr_struct! {
    /// Body of a successful OPEN_CONFIRM (RFC 7530, section 16.18).
    #[derive(Copy)]
    "OPEN_CONFIRM4resok" => pub struct OpenConfirmOk {
        /// The open.
        pub open_stateid: Stateid,
    }
}

xdr_union! {
    /// Reply to OPEN_CONFIRM (RFC 7530, section 16.18).
    #[derive(Copy)]
    "OPEN_CONFIRM4res" => pub enum OpenConfirmReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(OpenConfirmOk),
        /// Failure.
        default => Fail,
    }
}

//--- OPEN_DOWNGRADE ---

xdr_struct! {
    /// Arguments of OPEN_DOWNGRADE (RFC 7530, section 16.19; RFC 8881, section 18.18).
    #[derive(Copy)]
    "OPEN_DOWNGRADE4args" => pub struct OpenDowngradeArgs {
        /// The open.
        pub open_stateid: Stateid,
        /// Sequence number of the owner; unused in NFSv4.1.
        pub seqid: SeqId,
        /// What the file stays open for: one of the shares of earlier opens, or several.
        pub share_access: ShareAccess,
        /// Who stays kept out.
        pub share_deny: ShareDeny,
    }
}

xdr_struct! {
    /// Body of a successful OPEN_DOWNGRADE (RFC 7530, section 16.19).
    #[derive(Copy)]
    "OPEN_DOWNGRADE4resok" => pub struct OpenDowngradeOk {
        /// The open.
        pub open_stateid: Stateid,
    }
}

xdr_union! {
    /// Reply to OPEN_DOWNGRADE (RFC 7530, section 16.19).
    #[derive(Copy)]
    "OPEN_DOWNGRADE4res" => pub enum OpenDowngradeReply switch (status: Status) {
        /// Success.
        case Status::OK => "resok4" Ok(OpenDowngradeOk),
        /// Failure.
        default => Fail,
    }
}

//--- CLOSE ---

xdr_struct! {
    /// Arguments of CLOSE (RFC 7530, section 16.2).
    #[derive(Copy)]
    "CLOSE4args" => pub struct CloseArgs {
        /// Sequence number of the owner; unused in NFSv4.1.
        pub seqid: SeqId,
        /// The open.
        pub open_stateid: Stateid,
    }
}

xdr_union! {
    /// Reply to CLOSE (RFC 7530, section 16.2).
    #[derive(Copy)]
    "CLOSE4res" => pub enum CloseReply switch (status: Status) {
        /// Success: a stateid that means nothing any more.
        case Status::OK => "open_stateid" Ok(Stateid),
        /// Failure.
        default => Fail,
    }
}
