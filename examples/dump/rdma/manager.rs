//! The connection manager's datagrams, which set a connection up (InfiniBand architecture, volume 1,
//! chapter 12; annex A11 for what IP addresses and ports become).

use nfswire_rdma::cm::PrivateData;

/// The class of management datagrams that the connection manager sends.
const CLASS: u8 = 7;
/// A management datagram's own header, and all of it.
const HEADER: usize = 24;
const LEN: usize = 256;
/// What the upper half of a service id is for a TCP-like port of the IP address.
const PORT_SPACE: u64 = 0x0000_0000_0106_0000;

/// What a datagram is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    ConnectRequest,
    MessageReceiptAcknowledgment,
    ConnectReject,
    ConnectReply,
    ReadyToUse,
    DisconnectRequest,
    DisconnectReply,
    Other(u16),
}

impl Attribute {
    const fn of(number: u16) -> Self {
        match number {
            0x10 => Self::ConnectRequest,
            0x11 => Self::MessageReceiptAcknowledgment,
            0x12 => Self::ConnectReject,
            0x13 => Self::ConnectReply,
            0x14 => Self::ReadyToUse,
            0x15 => Self::DisconnectRequest,
            0x16 => Self::DisconnectReply,
            other => Self::Other(other),
        }
    }

    /// Where its private data stands, if it has any that matters here.
    const fn private_data(self) -> Option<usize> {
        match self {
            Self::ConnectRequest => Some(140),
            Self::ConnectReject => Some(84),
            Self::ConnectReply => Some(36),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Other(number) => format!("attribute {number:#06x}"),
            known => format!("{known:?}"),
        }
    }
}

/// What an end of a connection says when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// Number of its queue pair.
    pub(crate) pair: u32,
    /// Number of the first packet that the other end is to send.
    pub(crate) psn: u32,
}

/// A datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Datagram<'p> {
    pub(crate) attribute: Attribute,
    /// What its sender calls the connection.
    pub(crate) local: u32,
    /// What its receiver calls the connection; of no meaning in a request.
    pub(crate) remote: u32,
    /// Of a request and a reply.
    pub(crate) start: Option<Start>,
    /// Of a request: bytes in a packet.
    pub(crate) mtu: Option<u32>,
    /// Of a request: the port that is to be connected to.
    pub(crate) service: Option<u16>,
    /// Of a request: the port that the client connects from.
    pub(crate) from: Option<u16>,
    /// Of a disconnect request: the queue pair that it is sent to.
    pub(crate) ended: Option<u32>,
    /// Of a reject.
    pub(crate) reason: Option<u16>,
    pub(crate) private_data: &'p [u8],
}

impl Datagram<'_> {
    /// What RPC-over-RDMA says in the private data.
    pub(crate) fn says(&self) -> Option<PrivateData> {
        match self.attribute {
            Attribute::ConnectRequest => PrivateData::find_in_request(self.private_data)
                .or_else(|| PrivateData::from_prefix(self.private_data).ok()),
            _ => PrivateData::from_prefix(self.private_data).ok(),
        }
    }
}

/// Reads a management datagram; `None` if it is no whole one of the connection manager.
pub(crate) fn read(datagram: &[u8]) -> Option<Datagram<'_>> {
    let datagram = datagram.get(..LEN)?;
    if *datagram.get(1)? != CLASS {
        return None;
    }
    let [high, low] = *datagram.get(16..)?.first_chunk()?;
    let attribute = Attribute::of(u16::from_be_bytes([high, low]));
    let message = datagram.get(HEADER..)?;
    let word = |at: usize| Some(u32::from_be_bytes(*message.get(at..)?.first_chunk()?));
    // Numbers of three bytes at the front of a word.
    let number = |at| Some(word(at)? >> 8);
    let mut read = Datagram {
        attribute,
        local: word(0)?,
        remote: word(4)?,
        start: None,
        mtu: None,
        service: None,
        from: None,
        ended: None,
        reason: None,
        private_data: message.get(attribute.private_data().unwrap_or(message.len())..)?,
    };
    match attribute {
        Attribute::ConnectRequest => {
            read.start = Some(Start { pair: number(32)?, psn: number(44)? });
            let service = u64::from(word(8)?) << 32 | u64::from(word(12)?);
            if service & !0xffff == PORT_SPACE {
                read.service = u16::try_from(service & 0xffff).ok();
                let [a, b] = *read.private_data.get(2..)?.first_chunk()?;
                read.from = Some(u16::from_be_bytes([a, b]));
            }
            // 1 is 256 bytes, 5 is 4096.
            let code = u32::from(*message.get(50)?) >> 4;
            read.mtu = (1..=5).contains(&code).then(|| 128u32.wrapping_shl(code));
        }
        Attribute::ConnectReply => {
            read.start = Some(Start { pair: number(12)?, psn: number(20)? });
        }
        Attribute::DisconnectRequest => read.ended = number(8),
        Attribute::ConnectReject => {
            let [a, b] = *message.get(10..)?.first_chunk()?;
            read.reason = Some(u16::from_be_bytes([a, b]));
        }
        _ => {}
    }
    Some(read)
}
