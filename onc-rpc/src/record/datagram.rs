//! Messages over UDP: one message a datagram, without a mark (RFC 5531, section 5).

use nfswire_xdr::Message;
use thiserror::Error;

/// What can be said about a message in a datagram without a socket.
///
/// ```
/// use nfswire_rpc::{Datagram, DatagramError};
/// # fn receive(room: &mut [u8]) -> usize { room[..4].copy_from_slice(&[0, 0, 0, 7]); 4 }
/// let mut buffer = [0; 9000];
/// let n = receive(&mut buffer);                     // recv with MSG_TRUNC: the datagram's length
/// assert_eq!(Datagram::received(&buffer, n)?, [0, 0, 0, 7]);
/// // Longer than the buffer: the end is lost, the datagram is dropped.
/// assert!(matches!(Datagram::received(&buffer, 9001), Err(DatagramError::CutOff { .. })));
/// # Ok::<(), DatagramError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a name for functions, never a value")]
pub enum Datagram {}

/// Why a datagram does not carry a message. The socket stays usable: drop this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DatagramError {
    /// It is longer than the receive buffer, and its end is lost.
    #[error(
        "a datagram of {len} bytes was cut off by a receive buffer of {room}: drop it, and enlarge \
         the buffer if this is to be served"
    )]
    CutOff {
        /// Length of the datagram.
        len: usize,
        /// Length of the buffer.
        room: usize,
    },
    /// It has no bytes.
    #[error("an empty datagram is no message: drop it")]
    Empty,
    /// The message is too long to be sent in a datagram.
    #[error(
        "a message of {len} bytes does not go into a datagram, which takes {limit}: reduce the \
         transfer size, or use TCP"
    )]
    TooLong {
        /// Length of the message.
        len: u64,
        /// [`Datagram::MAX_LEN`].
        limit: u32,
    },
}

impl Datagram {
    /// Most bytes of a message over UDP and IPv4: 65535 less the headers of both.
    pub const MAX_LEN: u32 = 65_507;

    /// The message in a datagram that was received at the start of `buffer`. `len` is the length of
    /// the datagram, not of what was copied: ask the socket for it (`MSG_TRUNC`), or receive into one
    /// byte more than is served and pass the buffer without that byte.
    ///
    /// # Errors
    /// The datagram is cut off, or empty.
    pub fn received(buffer: &[u8], len: usize) -> Result<&[u8], DatagramError> {
        let message = buffer.get(..len).ok_or(DatagramError::CutOff { len, room: buffer.len() })?;
        if message.is_empty() { Err(DatagramError::Empty) } else { Ok(message) }
    }

    /// Whether an encoded message can be sent: in one send, since a datagram goes whole or not at
    /// all.
    ///
    /// # Errors
    /// [`DatagramError::TooLong`].
    pub const fn check(message: &Message<'_, '_>) -> Result<(), DatagramError> {
        let (len, limit) = (message.len(), Self::MAX_LEN);
        if len > limit as u64 { Err(DatagramError::TooLong { len, limit }) } else { Ok(()) }
    }
}
