//! Decodes a message while its payload is still on the wire: its first bytes say where the payload
//! goes, the rest of the payload is read straight to its place, and what follows is decoded last.
//!
//! `cargo run --example head_first`

use core::error::Error;
use std::io::{self, Read};

use nfswire_xdr::{
    BoundedPayload, Cursor, DecodeError, Encoder, ErrorKind, Limits, Payload, Piece, Pieces,
    Segments, Text, xdr_struct,
};

/// Longest content of one chunk.
const MAX_CHUNK: u32 = 1 << 20;

xdr_struct! {
    /// A chunk of a file to be stored.
    "chunk" => pub struct Chunk<'a> {
        /// Name of the file.
        pub name: Text<'a, 255>,
        /// First byte in the file.
        pub offset: u64,
        /// Content.
        pub data: BoundedPayload<'a, MAX_CHUNK>,
        /// Sum of its bytes.
        pub sum: u32,
    }
}

/// A socket that gives few bytes at a time.
struct Socket<'a>(&'a [u8]);

impl Read for Socket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(300);
        self.0.read(buffer.get_mut(..most).unwrap_or_default())
    }
}

fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

/// A message as it goes over the wire.
fn message(data: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let chunk = Chunk {
        name: Text::try_from("journal")?,
        offset: 1 << 40,
        data: BoundedPayload::try_from(Payload::from(data))?,
        sum: sum(data),
    };
    let (mut head, mut segments) = (Vec::new(), Segments::new());
    let mut e = Encoder::growable(&mut head, &mut segments);
    e.put(&chunk)?;
    e.finish();
    Ok(segments.view(&head).to_vec()?)
}

/// What stands before the content, and where that is. The cursor is then behind it.
fn begin<'a>(c: &mut Cursor<'a>) -> Result<BoundedPayload<'a, MAX_CHUNK>, DecodeError> {
    c.decode::<Text<'_, 255>>()?;
    c.decode::<u64>()?;
    c.decode()
}

/// Receives one message of `len` bytes. `here` is memory for all of it but the content, which goes
/// to `place`.
fn receive(
    socket: &mut impl Read,
    len: u32,
    here: &mut [u8],
    place: &mut Vec<u8>,
) -> Result<(), Box<dyn Error>> {
    // Until the place of the content is known.
    let mut filled = 0usize;
    let (start, data_len, behind) = loop {
        let got = socket.read(here.get_mut(filled..).unwrap_or_default())?;
        if got == 0 {
            return Err(
                "too few bytes came, or there is no room for what precedes the content".into()
            );
        }
        filled = filled.saturating_add(got);
        let come = here.get(..filled).unwrap_or_default();
        let mut c = Cursor::head(come, len, &Limits::STRICT);
        match begin(&mut c).map(BoundedPayload::into_payload) {
            Ok(Payload::Elsewhere { at, len }) => break (usize::try_from(at)?, len, c.remaining()),
            Ok(_) => return Err("this message is so short that all of it is here".into()),
            // The wire has more to give. Any other error is one for good.
            Err(DecodeError { kind: ErrorKind::NotHere { .. }, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    };
    println!(
        "{data_len} bytes of content start at byte {start}: known after {filled} of {len} bytes"
    );

    // What has come of the content is copied, what has not is read to its place.
    let padded = usize::try_from(Payload::Elsewhere { at: 0, len: data_len }.padded_len())?;
    place.resize(padded, 0);
    let (before, early) = here.split_at_mut_checked(start).ok_or("no content")?;
    let come = filled.saturating_sub(start);
    let (first, rest) = place.split_at_mut_checked(come).ok_or("no content")?;
    first.copy_from_slice(early.get(..come).unwrap_or_default());
    socket.read_exact(rest)?;
    let pad = place.split_off(usize::try_from(data_len)?);
    if pad.iter().any(|byte| *byte != 0) {
        return Err("the pad is not zero".into());
    }

    // What follows it, then the whole, in pieces: nothing of it straddles them.
    let tail = early.get_mut(..behind).ok_or("too much follows the content")?;
    socket.read_exact(tail)?;
    let pieces = [Piece::Here(before), Piece::Elsewhere(u32::try_from(padded)?), Piece::Here(tail)];
    let mut p = Pieces::new(&pieces, &mut []);
    let chunk: Chunk<'_> = p.decode()?;
    p.finish()?;
    let right = if chunk.sum == sum(place) { "right" } else { "wrong" };
    println!("{} at {}: the sum is {right}", chunk.name, chunk.offset);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let data: Vec<u8> = (0..100_001u32).map(|i| i.to_le_bytes()[0]).collect();
    let bytes = message(&data)?;
    let (mut here, mut place) = ([0; 1024], Vec::new());
    receive(&mut Socket(&bytes), u32::try_from(bytes.len())?, &mut here, &mut place)?;
    if place != data {
        return Err("the content is not what was sent".into());
    }

    // One that announces more than it may is refused from its first bytes.
    let mut long = bytes;
    if let Some(word) = long.get_mut(20..24) {
        word.copy_from_slice(&(MAX_CHUNK.saturating_add(1)).to_be_bytes());
    }
    match receive(&mut Socket(&long), u32::MAX, &mut here, &mut place) {
        Ok(()) => Err("more than the maximum was taken".into()),
        Err(error) => {
            println!("refused: {error}");
            Ok(())
        }
    }
}

#[test]
fn runs() {
    main().unwrap();
}
