//! The table of operations, and the unions made of it.

use nfswire_xdr::{DecodeError, Encode, Wire, xdr_union};

use super::{
    Input,
    operation::{OpArgs, OpReply, failed, success_len},
};
use crate::{
    OpNum, Status,
    ops::{
        attr, client, copy, deleg, dir, filehandle, io, layout, lock, lookup, open, secinfo,
        session, space, xattr,
    },
};

/// Hands every operation to a macro, a row each: number, variant, arguments, result, minor versions
/// (the last one excluded) and traits. The kind of a result is
///
/// * `union`: nothing but the status when it failed,
/// * `plain`: nothing but the status ever,
/// * `own`: something else, said in `operation.rs`,
/// * `alias`: a type that stands in another row.
///
/// Traits:
///
/// * `changes`: changes the file system or what the server holds for clients. Its reply must be
///   known to fit before it runs.
/// * `moves`: sets the current file handle.
/// * `alone`: can stand without SEQUENCE, as the only operation (RFC 8881, section 15.1.3.3).
macro_rules! operations {
    ($each:ident) => { $each! {
        /// Asks which rights the caller has.
        ACCESS = Access: "opaccess"(attr::AccessArgs) -> "opaccess" union(attr::AccessReply), 0..;
        /// Ends an open.
        CLOSE = Close: "opclose"(open::CloseArgs) -> "opclose" union(open::CloseReply), 0.. changes;
        /// Forces written data to stable storage.
        COMMIT = Commit: "opcommit"(io::CommitArgs)
            -> "opcommit" union(io::CommitReply), 0.. changes;
        /// Makes an object that is no regular file.
        CREATE = Create: "opcreate"(dir::CreateArgs<'a>)
            -> "opcreate" union(dir::CreateReply<'a>), 0.. changes moves;
        /// Ends the recovery of delegations.
        DELEGPURGE = Delegpurge: "opdelegpurge"(deleg::DelegpurgeArgs)
            -> "opdelegpurge" plain(deleg::DelegpurgeReply), 0.. changes;
        /// Gives a delegation back.
        DELEGRETURN = Delegreturn: "opdelegreturn"(deleg::DelegreturnArgs)
            -> "opdelegreturn" plain(deleg::DelegreturnReply), 0.. changes;
        /// Gets attributes.
        GETATTR = Getattr: "opgetattr"(attr::GetattrArgs<'a>)
            -> "opgetattr" union(attr::GetattrReply<'a>), 0..;
        /// Gets the current file handle.
        GETFH = Getfh: "opgetfh" -> "opgetfh" union(filehandle::GetfhReply<'a>), 0..;
        /// Makes a hard link.
        LINK = Link: "oplink"(dir::LinkArgs<'a>) -> "oplink" union(dir::LinkReply), 0.. changes;
        /// Locks a range.
        LOCK = Lock: "oplock"(lock::LockArgs<'a>) -> "oplock" own(lock::LockReply<'a>), 0.. changes;
        /// Asks whether a range could be locked.
        LOCKT = Lockt: "oplockt"(lock::LocktArgs<'a>) -> "oplockt" own(lock::LocktReply<'a>), 0..;
        /// Unlocks a range.
        LOCKU = Locku: "oplocku"(lock::LockuArgs) -> "oplocku" union(lock::LockuReply), 0.. changes;
        /// Goes to a name of the current directory.
        LOOKUP = Lookup: "oplookup"(lookup::LookupArgs<'a>)
            -> "oplookup" plain(lookup::LookupReply), 0.. moves;
        /// Goes to the parent directory.
        LOOKUPP = Lookupp: "oplookupp" -> "oplookupp" plain(lookup::LookuppReply), 0.. moves;
        /// Goes on if attributes differ.
        NVERIFY = Nverify: "opnverify"(attr::NverifyArgs<'a>)
            -> "opnverify" plain(attr::NverifyReply), 0..;
        /// Opens a regular file, or makes one.
        OPEN = Open: "opopen"(open::OpenArgs<'a>)
            -> "opopen" union(open::OpenReply<'a>), 0.. changes moves;
        /// Goes to the directory of named attributes.
        OPENATTR = Openattr: "opopenattr"(lookup::OpenattrArgs)
            -> "opopenattr" plain(lookup::OpenattrReply), 0.. changes moves;
        /// Confirms an open.
        OPEN_CONFIRM = OpenConfirm: "opopen_confirm"(open::OpenConfirmArgs)
            -> "opopen_confirm" union(open::OpenConfirmReply), 0..1 changes;
        /// Gives up a part of an open.
        OPEN_DOWNGRADE = OpenDowngrade: "opopen_downgrade"(open::OpenDowngradeArgs)
            -> "opopen_downgrade" union(open::OpenDowngradeReply), 0.. changes;
        /// Sets the current file handle.
        PUTFH = Putfh: "opputfh"(filehandle::PutfhArgs<'a>)
            -> "opputfh" plain(filehandle::PutfhReply), 0.. moves;
        /// Goes to the public file handle.
        PUTPUBFH = Putpubfh: "opputpubfh"
            -> "opputpubfh" plain(filehandle::PutpubfhReply), 0.. moves;
        /// Goes to the root.
        PUTROOTFH = Putrootfh: "opputrootfh"
            -> "opputrootfh" plain(filehandle::PutrootfhReply), 0.. moves;
        /// Reads from a file.
        READ = Read: "opread"(io::ReadArgs) -> "opread" union(io::ReadReply<'a>), 0..;
        /// Reads a directory.
        READDIR = Readdir: "opreaddir"(dir::ReaddirArgs<'a>)
            -> "opreaddir" union(dir::ReaddirReply<'a>), 0..;
        /// Reads a symbolic link.
        READLINK = Readlink: "opreadlink" -> "opreadlink" union(lookup::ReadlinkReply<'a>), 0..;
        /// Removes a name.
        REMOVE = Remove: "opremove"(dir::RemoveArgs<'a>)
            -> "opremove" union(dir::RemoveReply), 0.. changes;
        /// Renames an object.
        RENAME = Rename: "oprename"(dir::RenameArgs<'a>)
            -> "oprename" union(dir::RenameReply), 0.. changes;
        /// Renews the lease.
        RENEW = Renew: "oprenew"(client::RenewArgs) -> "oprenew" plain(client::RenewReply), 0..1;
        /// Goes back to the saved file handle.
        RESTOREFH = Restorefh: "oprestorefh"
            -> "oprestorefh" plain(filehandle::RestorefhReply), 0.. moves;
        /// Saves the current file handle.
        SAVEFH = Savefh: "opsavefh" -> "opsavefh" plain(filehandle::SavefhReply), 0..;
        /// Asks how a name can be used.
        SECINFO = Secinfo: "opsecinfo"(secinfo::SecinfoArgs<'a>)
            -> "opsecinfo" union(secinfo::SecinfoReply<'a>), 0..;
        /// Sets attributes.
        SETATTR = Setattr: "opsetattr"(attr::SetattrArgs<'a>)
            -> "opsetattr" own(attr::SetattrReply<'a>), 0.. changes;
        /// Introduces a client.
        SETCLIENTID = Setclientid: "opsetclientid"(client::SetclientidArgs<'a>)
            -> "opsetclientid" own(client::SetclientidReply<'a>), 0..1 changes;
        /// Confirms a client.
        SETCLIENTID_CONFIRM = SetclientidConfirm: "opsetclientid_confirm"(client::SetclientidConfirmArgs)
            -> "opsetclientid_confirm" plain(client::SetclientidConfirmReply), 0..1 changes;
        /// Goes on if attributes are equal.
        VERIFY = Verify: "opverify"(attr::VerifyArgs<'a>)
            -> "opverify" plain(attr::VerifyReply), 0..;
        /// Writes to a file.
        WRITE = Write: "opwrite"(io::WriteArgs<'a>) -> "opwrite" union(io::WriteReply), 0.. changes;
        /// Forgets the owner of locks.
        RELEASE_LOCKOWNER = ReleaseLockowner: "oprelease_lockowner"(lock::ReleaseLockownerArgs<'a>)
            -> "oprelease_lockowner" plain(lock::ReleaseLockownerReply), 0..1 changes;
        /// Changes how callbacks are made.
        BACKCHANNEL_CTL = BackchannelCtl: "opbackchannel_ctl"(session::BackchannelCtlArgs<'a>)
            -> "opbackchannel_ctl" plain(session::BackchannelCtlReply), 1.. changes;
        /// Adds a connection to a session.
        BIND_CONN_TO_SESSION = BindConnToSession: "opbind_conn_to_session"(session::BindConnToSessionArgs)
            -> "opbind_conn_to_session" union(session::BindConnToSessionReply), 1.. changes alone;
        /// Introduces a client.
        EXCHANGE_ID = ExchangeId: "opexchange_id"(client::ExchangeIdArgs<'a>)
            -> "opexchange_id" union(client::ExchangeIdReply<'a>), 1.. changes alone;
        /// Makes a session.
        CREATE_SESSION = CreateSession: "opcreate_session"(session::CreateSessionArgs<'a>)
            -> "opcreate_session" union(session::CreateSessionReply), 1.. changes alone;
        /// Ends a session.
        DESTROY_SESSION = DestroySession: "opdestroy_session"(session::DestroySessionArgs)
            -> "opdestroy_session" plain(session::DestroySessionReply), 1.. changes alone;
        /// Frees a stateid without locks.
        FREE_STATEID = FreeStateid: "opfree_stateid"(session::FreeStateidArgs)
            -> "opfree_stateid" plain(session::FreeStateidReply), 1.. changes;
        /// Asks for a delegation of a directory.
        GET_DIR_DELEGATION = GetDirDelegation: "opget_dir_delegation"(deleg::GetDirDelegationArgs<'a>)
            -> "opget_dir_delegation" union(deleg::GetDirDelegationReply<'a>), 1.. changes;
        /// Gets the addresses of a device.
        GETDEVICEINFO = Getdeviceinfo: "opgetdeviceinfo"(layout::GetdeviceinfoArgs<'a>)
            -> "opgetdeviceinfo" own(layout::GetdeviceinfoReply<'a>), 1..;
        /// Lists devices.
        GETDEVICELIST = Getdevicelist: "opgetdevicelist"(layout::GetdevicelistArgs)
            -> "opgetdevicelist" union(layout::GetdevicelistReply<'a>), 1..2;
        /// Makes known what was written by a layout.
        LAYOUTCOMMIT = Layoutcommit: "oplayoutcommit"(layout::LayoutcommitArgs<'a>)
            -> "oplayoutcommit" union(layout::LayoutcommitReply), 1.. changes;
        /// Gets a layout.
        LAYOUTGET = Layoutget: "oplayoutget"(layout::LayoutgetArgs)
            -> "oplayoutget" own(layout::LayoutgetReply<'a>), 1.. changes;
        /// Gives layouts back.
        LAYOUTRETURN = Layoutreturn: "oplayoutreturn"(layout::LayoutreturnArgs<'a>)
            -> "oplayoutreturn" union(layout::LayoutreturnReply), 1.. changes;
        /// Asks how an object can be used.
        SECINFO_NO_NAME = SecinfoNoName: "opsecinfo_no_name"(secinfo::SecinfoNoNameArgs)
            -> "opsecinfo_no_name" alias(secinfo::SecinfoNoNameReply<'a>), 1..;
        /// Takes a slot of a session.
        SEQUENCE = Sequence: "opsequence"(session::SequenceArgs)
            -> "opsequence" union(session::SequenceReply), 1..;
        /// Changes the shared secret.
        SET_SSV = SetSsv: "opset_ssv"(session::SetSsvArgs<'a>)
            -> "opset_ssv" union(session::SetSsvReply<'a>), 1.. changes;
        /// Asks which stateids are valid.
        TEST_STATEID = TestStateid: "optest_stateid"(session::TestStateidArgs<'a>)
            -> "optest_stateid" union(session::TestStateidReply<'a>), 1..;
        /// Asks for a delegation.
        WANT_DELEGATION = WantDelegation: "opwant_delegation"(deleg::WantDelegationArgs)
            -> "opwant_delegation" union(deleg::WantDelegationReply<'a>), 1.. changes;
        /// Ends a client.
        DESTROY_CLIENTID = DestroyClientid: "opdestroy_clientid"(client::DestroyClientidArgs)
            -> "opdestroy_clientid" plain(client::DestroyClientidReply), 1.. changes alone;
        /// Ends the recovery of state.
        RECLAIM_COMPLETE = ReclaimComplete: "opreclaim_complete"(client::ReclaimCompleteArgs)
            -> "opreclaim_complete" plain(client::ReclaimCompleteReply), 1.. changes;
        /// Reserves space.
        ALLOCATE = Allocate: "opallocate"(space::AllocateArgs)
            -> "opallocate" plain(space::AllocateReply), 2.. changes;
        /// Copies a range between files.
        COPY = Copy: "opcopy"(copy::CopyArgs<'a>) -> "opcopy" own(copy::CopyReply), 2.. changes;
        /// Announces a copy by another server.
        COPY_NOTIFY = CopyNotify: "opoffload_notify"(copy::CopyNotifyArgs<'a>)
            -> "opcopy_notify" union(copy::CopyNotifyReply<'a>), 2.. changes;
        /// Gives space back.
        DEALLOCATE = Deallocate: "opdeallocate"(space::DeallocateArgs)
            -> "opdeallocate" plain(space::DeallocateReply), 2.. changes;
        /// Says how a file will be used.
        IO_ADVISE = IoAdvise: "opio_advise"(io::IoAdviseArgs<'a>)
            -> "opio_advise" union(io::IoAdviseReply<'a>), 2..;
        /// Reports errors of a layout.
        LAYOUTERROR = Layouterror: "oplayouterror"(layout::LayouterrorArgs<'a>)
            -> "oplayouterror" plain(layout::LayouterrorReply), 2.. changes;
        /// Reports use of a layout.
        LAYOUTSTATS = Layoutstats: "oplayoutstats"(layout::LayoutstatsArgs<'a>)
            -> "oplayoutstats" plain(layout::LayoutstatsReply), 2.. changes;
        /// Stops a copy.
        OFFLOAD_CANCEL = OffloadCancel: "opoffload_cancel"(copy::OffloadCancelArgs)
            -> "opoffload_cancel" plain(copy::OffloadCancelReply), 2.. changes;
        /// Asks how far a copy is.
        OFFLOAD_STATUS = OffloadStatus: "opoffload_status"(copy::OffloadStatusArgs)
            -> "opoffload_status" union(copy::OffloadStatusReply), 2..;
        /// Reads from a file, holes apart.
        READ_PLUS = ReadPlus: "opread_plus"(io::ReadPlusArgs)
            -> "opread_plus" union(io::ReadPlusReply<'a>), 2..;
        /// Looks for data or a hole.
        SEEK = Seek: "opseek"(space::SeekArgs) -> "opseek" union(space::SeekReply), 2..;
        /// Writes a pattern.
        WRITE_SAME = WriteSame: "opwrite_same"(io::WriteSameArgs<'a>)
            -> "opwrite_same" union(io::WriteSameReply), 2.. changes;
        /// Shares a range between files.
        CLONE = Clone: "opclone"(copy::CloneArgs) -> "opclone" plain(copy::CloneReply), 2.. changes;
        /// Gets an extended attribute.
        GETXATTR = Getxattr: "opgetxattr"(xattr::GetxattrArgs<'a>)
            -> "opgetxattr" union(xattr::GetxattrReply<'a>), 2..;
        /// Sets an extended attribute.
        SETXATTR = Setxattr: "opsetxattr"(xattr::SetxattrArgs<'a>)
            -> "opsetxattr" union(xattr::SetxattrReply), 2.. changes;
        /// Lists extended attributes.
        LISTXATTRS = Listxattrs: "oplistxattrs"(xattr::ListxattrsArgs)
            -> "oplistxattrs" union(xattr::ListxattrsReply<'a>), 2..;
        /// Removes an extended attribute.
        REMOVEXATTR = Removexattr: "opremovexattr"(xattr::RemovexattrArgs<'a>)
            -> "opremovexattr" union(xattr::RemovexattrReply), 2.. changes;
        /// Reports attributes from data servers.
        LAYOUT_WCC = LayoutWcc: "oplayout_wcc"(layout::LayoutWccArgs<'a>)
            -> "oplayout_wcc" plain(layout::LayoutWccReply), 2.. changes;
        /// No operation.
        ILLEGAL = Illegal: "opillegal" -> "opillegal" plain(filehandle::IllegalReply), 0..;
    } };
}

macro_rules! unions {
    ($(
        $(#[$doc:meta])*
        $op:ident = $variant:ident: $arg:literal $(($args:ty))?
            -> $res:literal $kind:ident($reply:ty),
        $first:literal..$($end:literal)? $($trait:ident)*;
    )*) => {
        xdr_union! {
            /// An operation and its arguments (RFC 7530, section 15.2.1; RFC 8881, section 16.2.1;
            /// RFC 7863).
            ///
            /// A number that stands for no operation is an error, because nobody knows where the
            /// next one starts. Servers, who must answer it, read operations one by one.
            "nfs_argop4" => pub enum Argop<'a> switch (op: OpNum) {
                $( $(#[$doc])* case OpNum::$op => $arg $variant $(($args))?, )*
            }
        }

        xdr_union! {
            /// An operation and its result (RFC 7530, section 15.2.2; RFC 8881, section 16.2.2;
            /// RFC 7863).
            "nfs_resop4" => pub enum Resop<'a> switch (op: OpNum) {
                $( $(#[$doc])* case OpNum::$op => $res $variant($reply), )*
            }
        }

        $( result!($kind $op $reply); )*
        $( $( arguments!($op $args, $reply); )? )*

        impl<'a> Argop<'a> {
            /// Reads the arguments of an operation whose number has been read.
            pub(super) fn read<S: Input<'a>>(
                op: OpNum,
                c: &mut S,
                fault: &mut Option<DecodeError>,
            ) -> Option<Self> {
                match op {
                    $( OpNum::$op => Some(Self::$variant $((take!(c, fault, $args)))?), )*
                    _ => Some(Self::Illegal),
                }
            }
        }

        impl<'a> Resop<'a> {
            /// Most bytes of a result, without the number; `u32::MAX` if there is no bound.
            pub(super) const fn max_len(op: OpNum) -> u32 {
                match op {
                    $( OpNum::$op => <$reply as Wire>::MAX_LEN, )*
                    _ => 4,
                }
            }

            /// Reads the result of an operation whose number has been read.
            pub(super) fn read<S: Input<'a>>(
                op: OpNum,
                c: &mut S,
                fault: &mut Option<DecodeError>,
            ) -> Option<Self> {
                match op {
                    $( OpNum::$op => Some(Self::$variant(take!(c, fault, $reply))), )*
                    _ => Some(Self::Illegal(take!(c, fault, _))),
                }
            }

            /// How the operation ended.
            #[must_use]
            pub fn status(&self) -> Status {
                match self {
                    $( Self::$variant(reply) => OpReply::status(reply), )*
                }
            }

            /// The result of an operation that failed, in the shape that the RFCs give it: whatever
            /// they want beside the status says that nothing is known or was done.
            ///
            /// A number that stands for no operation is answered under [`OpNum::ILLEGAL`]. There is
            /// no failure with [`Status::OK`]: [`Status::SERVERFAULT`] takes its place.
            #[must_use]
            pub fn failure(op: OpNum, status: Status) -> Self {
                match op {
                    $( OpNum::$op => Self::$variant(OpReply::failure(status)), )*
                    _ => Self::Illegal(OpReply::failure(status)),
                }
            }
        }

        $( $(
            impl<'a> From<$args> for Argop<'a> {
                #[inline]
                fn from(args: $args) -> Self {
                    Self::$variant(args)
                }
            }
        )? )*

        impl OpNum {
            /// What the table says; `None` for a number that stands for no operation.
            pub(super) const fn entry(self) -> Option<Entry> {
                match self {
                    $( Self::$op => Some(entry!($first..$($end)? $($trait)*)), )*
                    _ => None,
                }
            }
        }
    };
}

/// Reads a value; its error, which would make the result larger, goes apart.
macro_rules! take {
    ($c:ident, $fault:ident, $t:ty) => {
        match $c.take::<$t>() {
            Ok(value) => value,
            Err(error) => {
                *$fault = Some(error);
                return None;
            }
        }
    };
}

macro_rules! result {
    (alias $op:ident $reply:ty) => {};
    (own $op:ident $reply:ty) => {};
    (plain $op:ident $reply:ty) => {
        impl<'a> OpReply<'a> for $reply {
            const OP: OpNum = OpNum::$op;
            #[inline]
            fn status(&self) -> Status {
                self.status
            }
            fn failure(status: Status) -> Self {
                Self { status: failed(status) }
            }
        }
    };
    (union $op:ident $reply:ty) => {
        impl<'a> OpReply<'a> for $reply {
            const OP: OpNum = OpNum::$op;
            #[inline]
            fn status(&self) -> Status {
                self.status()
            }
            fn failure(status: Status) -> Self {
                Self::Fail(failed(status))
            }
            #[inline(always)]
            fn success_len(&self) -> u64 {
                success_len(if let Self::Ok(ok) = self { Some(ok) } else { None })
            }
            #[inline(always)]
            fn write_success<'w>(&self, w: &'w mut [u8]) -> Option<&'w mut [u8]> {
                let Self::Ok(ok) = self else { return None };
                Encode::<'a>::write(ok, Encode::<'a>::write(&Status::OK, w)?)
            }
        }
    };
}

macro_rules! arguments {
    ($op:ident $args:ty, $reply:ty) => {
        impl<'a> OpArgs<'a> for $args {
            const OP: OpNum = OpNum::$op;
            type Reply = $reply;
        }
    };
}

/// What the table says of an operation beside its types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) first: u32,
    /// The first minor version that must not have it; `u32::MAX` if there is none.
    pub(super) end: u32,
    pub(super) changes: bool,
    pub(super) moves: bool,
    pub(super) alone: bool,
}

impl Entry {
    const fn new(first: u32, end: u32) -> Self {
        Self { first, end, changes: false, moves: false, alone: false }
    }

    const fn changes(self) -> Self {
        Self { changes: true, ..self }
    }

    const fn moves(self) -> Self {
        Self { moves: true, ..self }
    }

    const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}

macro_rules! entry {
    ($first:literal.. $($trait:ident)*) => {
        Entry::new($first, u32::MAX)$(.$trait())*
    };
    ($first:literal..$end:literal $($trait:ident)*) => {
        Entry::new($first, $end)$(.$trait())*
    };
}

operations!(unions);
