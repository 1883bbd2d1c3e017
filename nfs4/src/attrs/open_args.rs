//! What OPEN understands on a server (RFC 9754).

use nfswire_xdr::{xdr_open_enum, xdr_struct};

use crate::{Bitmap, bitmap::bits};

xdr_open_enum! {
    /// Bits of [`OpenArguments::share_access`].
    "open_args_share_access4" => pub struct OpenArgsShareAccess {
        /// Open for reading.
        "OPEN_ARGS_SHARE_ACCESS_READ" READ = 1,
        /// Open for writing.
        "OPEN_ARGS_SHARE_ACCESS_WRITE" WRITE = 2,
        /// Open for both.
        "OPEN_ARGS_SHARE_ACCESS_BOTH" BOTH = 3,
    }
}

xdr_open_enum! {
    /// Bits of [`OpenArguments::share_deny`].
    "open_args_share_deny4" => pub struct OpenArgsShareDeny {
        /// Deny nothing to others.
        "OPEN_ARGS_SHARE_DENY_NONE" NONE = 0,
        /// Deny reading.
        "OPEN_ARGS_SHARE_DENY_READ" READ = 1,
        /// Deny writing.
        "OPEN_ARGS_SHARE_DENY_WRITE" WRITE = 2,
        /// Deny both.
        "OPEN_ARGS_SHARE_DENY_BOTH" BOTH = 3,
    }
}

xdr_open_enum! {
    /// Bits of [`OpenArguments::share_access_want`].
    "open_args_share_access_want4" => pub struct OpenArgsShareAccessWant {
        /// Want any delegation.
        "OPEN_ARGS_SHARE_ACCESS_WANT_ANY_DELEG" ANY_DELEG = 3,
        /// Want none.
        "OPEN_ARGS_SHARE_ACCESS_WANT_NO_DELEG" NO_DELEG = 4,
        /// Want no more what was wanted before.
        "OPEN_ARGS_SHARE_ACCESS_WANT_CANCEL" CANCEL = 5,
        /// Want word when there are resources for a delegation.
        "OPEN_ARGS_SHARE_ACCESS_WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL" SIGNAL_DELEG_WHEN_RESRC_AVAIL = 17,
        /// Want the delegation sent once nothing stands against it.
        "OPEN_ARGS_SHARE_ACCESS_WANT_PUSH_DELEG_WHEN_UNCONTENDED" PUSH_DELEG_WHEN_UNCONTENDED = 18,
        /// Want a delegation whose holder keeps the times.
        "OPEN_ARGS_SHARE_ACCESS_WANT_DELEG_TIMESTAMPS" DELEG_TIMESTAMPS = 20,
        /// Want no open stateid beside a delegation.
        "OPEN_ARGS_SHARE_ACCESS_WANT_OPEN_XOR_DELEGATION" OPEN_XOR_DELEGATION = 21,
    }
}

xdr_open_enum! {
    /// Bits of [`OpenArguments::open_claim`].
    "open_args_open_claim4" => pub struct OpenArgsOpenClaim {
        /// By name.
        "OPEN_ARGS_OPEN_CLAIM_NULL" NULL = 0,
        /// Reclaim after a restart of the server.
        "OPEN_ARGS_OPEN_CLAIM_PREVIOUS" PREVIOUS = 1,
        /// With a delegation, by name.
        "OPEN_ARGS_OPEN_CLAIM_DELEGATE_CUR" DELEGATE_CUR = 2,
        /// With a delegation from before a restart of the client, by name.
        "OPEN_ARGS_OPEN_CLAIM_DELEGATE_PREV" DELEGATE_PREV = 3,
        /// By file handle.
        "OPEN_ARGS_OPEN_CLAIM_FH" FH = 4,
        /// With a delegation, by file handle.
        "OPEN_ARGS_OPEN_CLAIM_DELEG_CUR_FH" DELEG_CUR_FH = 5,
        /// With a delegation from before a restart of the client, by file handle.
        "OPEN_ARGS_OPEN_CLAIM_DELEG_PREV_FH" DELEG_PREV_FH = 6,
    }
}

xdr_open_enum! {
    /// Bits of [`OpenArguments::create_mode`].
    "open_args_createmode4" => pub struct OpenArgsCreateMode {
        /// A file that exists is no error.
        "OPEN_ARGS_CREATEMODE_UNCHECKED4" UNCHECKED = 0,
        /// A file that exists is an error.
        "OPEN_ARGS_CREATE_MODE_GUARDED" GUARDED = 1,
        /// With a verifier.
        "OPEN_ARGS_CREATEMODE_EXCLUSIVE4" EXCLUSIVE = 2,
        /// With a verifier and attributes.
        "OPEN_ARGS_CREATE_MODE_EXCLUSIVE4_1" EXCLUSIVE4_1 = 3,
    }
}

bits!(
    OpenArgsShareAccess,
    OpenArgsShareDeny,
    OpenArgsShareAccessWant,
    OpenArgsOpenClaim,
    OpenArgsCreateMode
);

xdr_struct! {
    /// What OPEN understands on a server: the values of five of its arguments, as bits (RFC 9754).
    ///
    /// ```
    /// use nfswire_nfs4::{Bitmap, attrs::{OpenArguments, OpenArgsShareAccessWant as Want}};
    ///
    /// let want = Bitmap::from_numbers(&[Want::OPEN_XOR_DELEGATION.0]).unwrap();
    /// let arguments = OpenArguments { share_access_want: want, ..OpenArguments::default() };
    /// assert!(arguments.share_access_want.contains(Want::OPEN_XOR_DELEGATION));
    /// ```
    #[derive(Copy, Default)]
    "open_arguments4" => pub struct OpenArguments<'a> {
        /// What to open for.
        "oa_share_access" => pub share_access: Bitmap<'a, OpenArgsShareAccess>,
        /// What to deny others.
        "oa_share_deny" => pub share_deny: Bitmap<'a, OpenArgsShareDeny>,
        /// What is wanted beside the file.
        "oa_share_access_want" => pub share_access_want: Bitmap<'a, OpenArgsShareAccessWant>,
        /// How the file is named.
        "oa_open_claim" => pub open_claim: Bitmap<'a, OpenArgsOpenClaim>,
        /// How a file is created.
        "oa_create_mode" => pub create_mode: Bitmap<'a, OpenArgsCreateMode>,
    }
}
