//! Captures of RPC-over-RDMA, where they are at hand: every message, chunk and word of the connection
//! manager is what the recordings' manifests say.

use std::fs;
use std::path::Path;

use serde_json::{Value, json, to_value};
use sha2::{Digest, Sha256};

use super::*;
use crate::connections::Transport;
use crate::rdma::heading;

/// A transport header, as it was found.
#[derive(Debug)]
struct Header {
    frame: u64,
    src: String,
    bytes: Vec<u8>,
    json: Value,
    verdict: heading::Verdict,
}

/// Everything that is found.
#[derive(Default)]
struct Collected {
    headers: Vec<Header>,
    /// Frame of the SEND, the message, and what of it is absent.
    messages: Vec<(u64, Vec<u8>, Option<u64>)>,
    managed: Vec<Value>,
    notes: Vec<(u64, &'static str)>,
}

impl Finder for Collected {
    fn found(&mut self, place: &Place, found: Found<'_>) -> io::Result<()> {
        // Some mount over TCP first.
        if place.transport != Transport::Roce {
            return Ok(());
        }
        match found {
            Found::Header(heading) => self.headers.push(Header {
                frame: place.frame,
                src: place.src.ip().to_string(),
                bytes: heading.bytes.to_vec(),
                json: to_value(heading::Json::of(heading)).unwrap(),
                verdict: heading.verdict.clone(),
            }),
            Found::Management(datagram) => self.managed.push(json!({
                "frame": place.frame,
                "src": place.src.ip().to_string(),
                "attr": datagram.attribute.name(),
                "private_data": hex::encode(datagram.private_data),
            })),
            Found::Message(bytes) => self.messages.push((place.frame, bytes.to_vec(), None)),
            Found::Rebuilt { message, absent } => {
                self.messages.push((place.frame, message.to_vec(), Some(absent)));
            }
            other => self.notes.push((place.frame, print::note(&other).unwrap().word)),
        }
        Ok(())
    }
}

struct Reader<'k> {
    /// Whether a packet is read, by its number.
    keep: &'k dyn Fn(u64) -> bool,
    network: Network,
    connections: Connections,
    collected: Collected,
}

impl Sink for Reader<'_> {
    fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
        if !(self.keep)(packet.number) {
            return Ok(());
        }
        let Some(segment) = self.network.segment(packet.link, packet.data) else { return Ok(()) };
        self.connections.segment(packet.number, packet.time, &segment, &mut self.collected)
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn collect(capture: Vec<u8>, keep: &dyn Fn(u64) -> bool) -> Collected {
    let mut reader = Reader {
        keep,
        network: Network::new(),
        connections: Connections::new(16 << 20),
        collected: Collected::default(),
    };
    let end = Capture::open(io::Cursor::new(capture)).unwrap().read(&mut reader).unwrap();
    assert_eq!(end, End::Clean);
    reader.connections.end(&mut reader.collected).unwrap();
    reader.collected
}

fn is_data(bytes: &[u8], data: &Value) -> bool {
    data["len"] == bytes.len() && data["sha256"] == hex::encode(Sha256::digest(bytes))
}

/// Whether the data of a Write chunk was put into a reply that came without it.
fn is_joined(whole: &[u8], inline: &[u8], data: &Value) -> bool {
    let len = data["len"].as_u64().unwrap() as usize;
    let padded = len.next_multiple_of(4);
    let word = (len as u32).to_be_bytes();
    whole.len() == inline.len() + padded
        && (4..=inline.len()).step_by(4).any(|at| {
            inline[at - 4..at] == word
                && whole[..at] == inline[..at]
                && is_data(&whole[at..at + len], data)
                && whole[at + len..at + padded].iter().all(|pad| *pad == 0)
                && whole[at + padded..] == inline[at..]
        })
}

/// Compares a header with its description.
fn compare_header(found: &Header, said: &Value, name: &str) {
    let frame = found.frame;
    let sender = if said["dir"] == "c2s" { "client" } else { "server" };
    assert_eq!(found.json["sender"], sender, "{name}: frame {frame}");
    assert_eq!(found.json["invalidate"], said["invalidate"], "{name}: frame {frame}");
    let header = &said["header"];
    let is_refused = matches!(found.verdict, heading::Verdict::Refused(_));
    if header.is_null() {
        assert!(is_refused, "{name}: frame {frame}");
        return;
    }
    for (ours, theirs) in
        [("xid", "xid"), ("version", "vers"), ("credits", "credits"), ("procedure", "proc")]
    {
        assert_eq!(found.json[ours], header[theirs], "{name}: frame {frame} {ours}");
    }
    // What is not decoded: another version, an unknown procedure.
    let error = header["proc"] == 4;
    if (header["vers"] != 1 && !error) || header["proc"] == 9 {
        assert!(is_refused && found.json["header_length"].is_null(), "{name}: frame {frame}");
        return;
    }
    let nothing = header["proc"] == 1 && header["reads"] == json!([]) && header["reply"].is_null();
    let forbidden = nothing || header["proc"] == 2 || header["proc"] == 3;
    let expected =
        if forbidden { is_refused } else { found.verdict == heading::Verdict::Identical };
    assert!(expected, "{name}: frame {frame}: {:?}", found.verdict);
    assert_eq!(found.json["header_length"], header["header_len"], "{name}: frame {frame}");
    if error {
        let (kind, versions) = match header["err"].as_u64().unwrap() {
            1 => ("ERR_VERS", json!([header["vers_low"], header["vers_high"]])),
            _ => ("ERR_CHUNK", Value::Null),
        };
        assert_eq!((&found.json["error"], &found.json["versions"]), (&kind.into(), &versions));
    } else if header["proc"] != 3 {
        for list in ["reads", "writes", "reply"] {
            assert_eq!(found.json[list], header[list], "{name}: frame {frame} {list}");
        }
    }
}

/// The one message that a frame's SEND brought, without its chunks or with them.
fn message_of(collected: &Collected, frame: u64) -> Option<(&[u8], Option<u64>)> {
    let mut of = collected.messages.iter().filter(|(at, ..)| *at == frame);
    let (_, bytes, absent) = of.next()?;
    assert!(of.next().is_none(), "frame {frame}");
    Some((bytes, *absent))
}

/// Whatever packets are missing: messages that are said to be whole are those that were sent.
fn nothing_is_made_up(all: &Collected, capture: &[u8], keep: &dyn Fn(u64) -> bool) {
    let some = collect(capture.to_vec(), keep);
    assert!(!some.headers.is_empty());
    for header in &some.headers {
        let same = |it: &Header| (it.frame, &it.bytes) == (header.frame, &header.bytes);
        assert!(all.headers.iter().any(same), "frame {}", header.frame);
    }
    let whole = |it: &&(u64, Vec<u8>, Option<u64>)| it.2.is_none_or(|absent| absent == 0);
    for message in some.messages.iter().filter(whole) {
        let placed = all.messages.contains(message);
        // Or its call is missing, so that nobody knows where a payload belongs.
        let inline = |it: &&Header| it.frame == message.0 && it.bytes.ends_with(&message.1);
        assert!(placed || all.headers.iter().any(|it| inline(&it)), "frame {}", message.0);
    }
}

#[test]
fn without_any_one_packet_nothing_is_made_up() {
    for connect in [true, false] {
        let mut roce = roce_wire::Roce::new([0xff_fffe, 0xff_fff0]);
        if connect {
            roce.connect();
        }
        roce::everything(&mut roce);
        let all = collect(roce.wire.bytes().to_vec(), &|_| true);
        assert_eq!(all.messages.len(), 12);
        for lost in 1..=roce.frames {
            nothing_is_made_up(&all, roce.wire.bytes(), &|number| number != lost);
        }
    }
}

#[test]
fn every_message_of_the_captures() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/captures/rdma");
    let Ok(files) = fs::read_dir(&shared) else {
        eprintln!("skipped: there are no captures of RPC-over-RDMA in {}", shared.display());
        return;
    };
    let mut counts = [0u32; 5];
    let [runs, messages, calls, replies, refused] = &mut counts;
    let captures = files.map(|file| file.unwrap().path());
    for path in captures.filter(|path| path.to_str().unwrap().ends_with(".pcap.gz")) {
        let name = path.file_name().unwrap().to_str().unwrap().trim_end_matches(".pcap.gz");
        let manifest = fs::read(shared.join(format!("{name}.json"))).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let stored = fs::read(shared.join(format!("{name}.msgs"))).unwrap();
        let capture = fs::read(&path).unwrap();
        let collected = collect(capture.clone(), &|_| true);

        assert_eq!(Value::from(collected.managed.clone()), manifest["cm"], "{name}");
        let described = manifest["msgs"].as_array().unwrap();
        assert_eq!(manifest["messages"], described.len(), "{name}");
        assert_eq!(collected.headers.len(), described.len(), "{name}");
        let mut told = Vec::new();
        for (found, said) in collected.headers.iter().zip(described) {
            assert_eq!(
                (&said["frame"], &said["len"]),
                (&found.frame.into(), &found.bytes.len().into())
            );
            let start = said["offset"].as_u64().unwrap() as usize;
            assert_eq!(found.bytes, stored[start..start + found.bytes.len()], "{name}");
            let src = if said["dir"] == "c2s" { "10.9.0.2" } else { "10.9.0.1" };
            assert_eq!(found.src, src, "{name}: frame {}", found.frame);
            compare_header(found, said, name);
            *messages += 1;
            *refused += u32::from(matches!(found.verdict, heading::Verdict::Refused(_)));

            let message = message_of(&collected, found.frame);
            let header = found.json["header_length"].as_u64().unwrap_or(0) as usize;
            let inline = &found.bytes[header..];
            let filled = said["write_data"].as_array().map_or(&[][..], Vec::as_slice);
            let filled = filled.iter().find(|data| data["len"].as_u64() > Some(0));
            if said["whole_call"].is_object() {
                let (bytes, absent) = message.unwrap();
                assert!(is_data(bytes, &said["whole_call"]) && absent == Some(0), "{name}");
                *calls += 1;
            } else if said["read_data"].is_object() {
                // It was never read.
                told.push((found.frame, "absent"));
                assert!(message.is_none(), "{name}: frame {}", found.frame);
            } else if said["reply_data"].is_object() && said["header"]["proc"] == 1 {
                let (bytes, absent) = message.unwrap();
                assert!(is_data(bytes, &said["reply_data"]) && absent == Some(0), "{name}");
                *replies += 1;
            } else if said["header"]["reply"].is_array() && said["dir"] == "s2c" {
                // Two segments of one handle, which the recording's description does not put
                // together.
                let (bytes, absent) = message.unwrap();
                let segments = said["header"]["reply"].as_array().unwrap();
                let len: u64 = segments.iter().map(|it| it["length"].as_u64().unwrap()).sum();
                assert_eq!((bytes.len() as u64, absent), (len, Some(0)), "{name}");
                assert_eq!(bytes[..4], found.bytes[..4], "{name}");
                *replies += 1;
            } else if let Some(data) = filled {
                let (bytes, absent) = message.unwrap();
                assert!(is_joined(bytes, inline, data), "{name}: frame {}", found.frame);
                assert_eq!(absent, Some(0));
                *replies += 1;
            } else if found.verdict == heading::Verdict::Identical && said["header"]["proc"] == 0 {
                assert_eq!(message, Some((inline, None)), "{name}: frame {}", found.frame);
            } else {
                assert_eq!(message, None, "{name}: frame {}", found.frame);
            }
        }
        assert_eq!(collected.notes, told, "{name}");
        let (out, outcome) = dump(&["--check"], &capture);
        assert!(!outcome.totals.differ() && outcome.notes.is_empty(), "{name}: {outcome:?}");
        assert_eq!(outcome.totals.other, 0, "{name}");
        let listed = include_str!("../testdata/captures/README.md");
        let mut reasons = listed.lines().filter_map(|it| it.strip_prefix("| `")?.split_once("` |"));
        for line in out.lines().filter(|line| line.contains(": refused: ")) {
            let known = reasons.clone().any(|(reason, _)| line.contains(reason));
            assert!(known, "{name}: {line}");
        }
        assert!(reasons.next().is_some());
        if name == "recall-v41" || name == "inline1k-v3" {
            for every in [7, 50, 333] {
                nothing_is_made_up(&collected, &capture, &|number| number % every != 3);
            }
        }
        *runs += 1;
    }
    assert_eq!(counts, [6, 4212, 129, 827, 14]);
}
