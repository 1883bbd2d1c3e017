//! Private data as it was recorded, and as it must not be mistaken.

#![allow(clippy::unwrap_used)]

use nfswire_rdma::cm::{CmError, IP_CM_HEADER_LEN, PrivateData};

/// The connect request of a Linux 6.1 client over RoCE, and the answer of its server.
const REQUEST: &[u8] = b"\x00\x40\xa3\x0c\0\0\0\0\0\0\0\0\0\0\0\0\x0a\x09\0\x02\
    \0\0\0\0\0\0\0\0\0\0\0\0\x0a\x09\0\x01\xf6\xab\x0e\x18\x01\x01\x03\x03\0\0\0\0";
const REPLY: &[u8] = b"\xf6\xab\x0e\x18\x01\x00\x03\x03\0\0\0\0";

#[test]
fn recorded() {
    let client = PrivateData::find_in_request(REQUEST).unwrap();
    let server = PrivateData::find(REPLY).unwrap();
    assert_eq!((client.send_size(), client.receive_size()), (4096, 4096));
    assert_eq!((client.send_threshold(&server), server.send_threshold(&client)), (4096, 4096));
    assert!(client.remote_invalidation() && !server.remote_invalidation());
    assert!(!server.may_invalidate(&client) && client.may_invalidate(&client));
    // Back behind the header that is not ours.
    let mut request = [0; 92];
    request[..IP_CM_HEADER_LEN].copy_from_slice(&REQUEST[..IP_CM_HEADER_LEN]);
    client.put_in_request(&mut request).unwrap();
    assert_eq!(request[..REQUEST.len()], *REQUEST);
    assert!(client.put_in_request(&mut request[..43]).is_err());
}

#[test]
fn others() {
    assert_eq!(PrivateData::from_prefix(&REPLY[..7]), Err(CmError::Length { len: 7 }));
    assert_eq!(PrivateData::from_prefix(REQUEST), Err(CmError::Identifier(0x0040_a30c)));
    assert_eq!(PrivateData::from_prefix(b"\xf6\xab\x0e\x18\x02\0\0\0"), Err(CmError::Version(2)));
    // Something else before it, at any byte; reserved bits mean nothing.
    let found = PrivateData::find(b"abc\xf6\xab\x0e\x18\x01\xfe\x00\xff").unwrap();
    assert_eq!((found.send_size(), found.receive_size()), (1024, 262_144));
    assert!(!found.remote_invalidation());
    assert_eq!(PrivateData::find(b"\xf6\xab\x0e\x18\x01\0\0"), None);
    // An address that looks like ours.
    let mut request = REQUEST.to_vec();
    request[20..28].copy_from_slice(&REPLY[..8]);
    assert!(PrivateData::find_in_request(&request).unwrap().remote_invalidation());
    assert_eq!(PrivateData::new(1023, 4096, false), None);
    assert_eq!(PrivateData::new(1 << 20, 5000, false).unwrap().receive_size(), 4096);
    assert_eq!(PrivateData::new(1 << 20, 5000, false).unwrap().send_size(), 262_144);
}
