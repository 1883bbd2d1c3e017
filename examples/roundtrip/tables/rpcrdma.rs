//! RPC-over-RDMA version 1 (RFC 8166, section 4.1.2) and its private data (RFC 8797).

use nfswire_rdma::{
    cm::PrivateData,
    types::{
        Body, ChunkLists, ErrorBody, ErrorCode, Message, NomsgLists, PaddedLists, Procedure,
        ReadSegment, Segment, VersionRange, WriteChunk,
    },
};

use super::{Table, types, xdr::Node};

pub(super) const TYPES: Table = types! {
    "xdr_rdma_segment" => Segment,
    "xdr_read_chunk" => ReadSegment,
    "xdr_read_list" => Node<'_, ReadSegment>,
    "xdr_write_chunk" => WriteChunk<'_>,
    "xdr_write_list" => Node<'_, WriteChunk<'_>>,
    "rpc_rdma_header" => ChunkLists<'_>,
    "rpc_rdma_header_nomsg" => NomsgLists<'_>,
    "rpc_rdma_header_padded" => PaddedLists<'_>,
    "rpc_rdma_errcode" => ErrorCode,
    "rpc_rdma_errvers" => VersionRange,
    "rpc_rdma_error" => ErrorBody,
    "rdma_proc" => Procedure,
    "rdma_body" => Body<'_>,
    "rdma_msg" => Message<'_>,
};

pub(super) const CM: Table = types! {
    "rpcrdma_cm_private_data" => PrivateData,
};
