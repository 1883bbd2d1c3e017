//! What a remote procedure is: numbers, a name, and the two types that travel.

use nfswire_xdr::{Decode, Encode};

/// One procedure of one version of an RPC program (RFC 5531, section 9).
///
/// Implemented by a type that is never built: it only ties the numbers of the call header to the
/// types of the arguments and of the results, so that tables, clients and servers cannot mix them
/// up.
pub trait Procedure {
    /// Program number (`call_body.prog`), from the IANA registry: 100003 is NFS.
    const PROGRAM: u32;
    /// Version of the program (`call_body.vers`).
    const VERSION: u32;
    /// Number of the procedure within the version (`call_body.proc`). 0 is always the null
    /// procedure.
    const NUMBER: u32;
    /// Name as the RFC of the program spells it, for example `NFSPROC3_READ`.
    const NAME: &'static str;
    /// What follows the header of a call.
    type Args<'a>: Decode<'a> + Encode<'a>;
    /// What follows the header of a reply that was accepted with
    /// [`AcceptStat::OK`](crate::AcceptStat::OK).
    type Reply<'a>: Decode<'a> + Encode<'a>;
}

/// Declares the procedures of one version of a program: the types, their [`Procedure`] impls, and
/// the table of their numbers and names (`PROCEDURES`, and `name` to look a number up).
///
/// First the number of the program, that of the version, and where they are described. `'a` in the
/// types is the lifetime of what they borrow. One version to a module.
///
/// ```
/// mod echo {
///     use nfswire_xdr::Opaque;
///
///     nfswire_rpc::procedures! {
///         0x2000_0000, 1, "no RFC";
///
///         /// Does nothing.
///         0 "ECHOPROC_NULL" => Null(()) -> ();
///         /// Gives back what it gets.
///         1 "ECHOPROC_ECHO" => Echo(Opaque<'a, 64>) -> Opaque<'a, 64>;
///     }
/// }
/// use nfswire_rpc::Procedure;
///
/// assert_eq!((echo::Echo::NUMBER, echo::name(1)), (1, Some("ECHOPROC_ECHO")));
/// assert_eq!(echo::name(2), None);
/// ```
#[macro_export]
macro_rules! procedures {
    (
        $program:expr, $version:expr, $rfc:literal;
        $(
            $(#[$doc:meta])*
            $number:literal $name:literal => $proc:ident($args:ty) -> $reply:ty;
        )+
    ) => {
        $(
            $(#[$doc])*
            #[doc = ::core::concat!(
                "\n\n`", $name, "`, procedure ", ::core::stringify!($number), " (", $rfc, ")."
            )]
            #[doc(alias = $name)]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct $proc;

            impl $crate::Procedure for $proc {
                const PROGRAM: u32 = $program;
                const VERSION: u32 = $version;
                const NUMBER: u32 = $number;
                const NAME: &'static str = $name;
                type Args<'a> = $args;
                type Reply<'a> = $reply;
            }
        )+

        #[doc = ::core::concat!("Number and RFC name of every procedure, in order (", $rfc, ").")]
        pub const PROCEDURES: &[(u32, &str)] =
            &[$((<$proc as $crate::Procedure>::NUMBER, $name)),+];

        /// RFC name of a procedure; `None` when the version has no procedure of this number.
        #[inline]
        #[must_use]
        pub fn name(number: u32) -> ::core::option::Option<&'static str> {
            PROCEDURES.iter().find(|(n, _)| *n == number).map(|(_, name)| *name)
        }
    };
}
