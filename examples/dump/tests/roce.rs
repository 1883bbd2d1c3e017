//! RPC-over-RDMA on RoCEv2, in captures made here.

use serde_json::{Value, json};

use super::roce_wire::*;
use super::*;

const TOP: u32 = 0xff_ffff;

fn data(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 % 251) as u8).collect()
}

fn lines(roce: &Roce) -> Vec<Value> {
    json(roce.wire.bytes())
}

/// Lines of RPC messages.
fn messages(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|it| ["call", "reply"].iter().any(|kind| it["type"] == *kind)).collect()
}

/// Lines of transport headers.
fn headers(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|it| it["type"] == "header").collect()
}

fn notes(lines: &[Value]) -> Vec<(u64, &str, u64)> {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    lines
        .iter()
        .filter_map(|it| Some((number(&it["frame"]), it["note"].as_str()?, number(&it["bytes"]))))
        .collect()
}

/// Whether a message was put together from chunks, with nothing absent, and came out again.
fn is_whole(line: &Value, len: usize, data: &[&[u8]]) -> bool {
    let text = line.to_string();
    line["verdict"] == "identical"
        && line["chunk_bytes_absent"] == 0
        && line["length"] == len
        && data.iter().all(|data| text.contains(&hex::encode(data)))
}

/// All that moves by RDMA: a WRITE's data, a READ's, a link's, three of a COMPOUND's payloads, a
/// reply that is in a Reply chunk, and a call that is in a Read chunk.
pub(super) fn everything(roce: &mut Roce) {
    let write = data(2503);
    roce.send(
        true,
        &[header(1, 0, &[(68, (5, 2503, 1 << 40))], &[], None), write_call(1, 2503)].concat(),
    );
    roce.acknowledge(false);
    roce.read(false, 5, 1 << 40, &write);
    roce.send_invalidate(false, 5, &[header(1, 0, &[], &[], None), write_reply(1, 2503)].concat());

    let read = data(3001);
    let offer: [Memory; 2] = [(6, 2000, 8), (7, 2000, u64::MAX - 2000)];
    roce.send(true, &[header(2, 0, &[], &[&offer], None), read_call(2, 3001)].concat());
    roce.write(false, 6, 8, &read[..2000]);
    roce.write(false, 7, u64::MAX - 2000, &read[2000..]);
    let returned: [Memory; 2] = [offer[0], (7, 1001, u64::MAX - 2000)];
    roce.send(false, &[header(2, 0, &[], &[&returned], None), read_reply(2, 3001)].concat());

    let link = vec![b'l'; 1501];
    roce.send(true, &[header(3, 0, &[], &[&[(8, 1600, 0)]], None), readlink_call(3)].concat());
    roce.write(false, 8, 0, &link);
    let returned = header(3, 0, &[], &[&[(8, 1501, 0)]], None);
    roce.send(false, &[returned, readlink_reply(3, 1501)].concat());

    // Chunks of one key, and one that is returned unused.
    let (first, third) = (vec![1; 1003], vec![3; 5000]);
    let offer: [&[Memory]; 4] =
        [&[(9, 5000, 0)], &[(9, 5000, 5000)], &[(9, 5000, 10_000)], &[(9, 5000, 15_000)]];
    roce.send(true, &[header(4, 0, &[], &offer, None), compound_call(4)].concat());
    roce.write(false, 9, 10_000, &third);
    roce.write(false, 9, 0, &first);
    roce.write(false, 9, 15_000, &link);
    let returned: [&[Memory]; 4] =
        [&[(9, 1003, 0)], &[(9, 0, 5000)], &[(9, 5000, 10_000)], &[(9, 1501, 15_000)]];
    let body = compound_reply(4, [1003, 5000, 1501], b"second");
    roce.send(false, &[header(4, 0, &[], &returned, None), body.concat()].concat());

    roce.send(true, &[header(5, 0, &[], &[], Some(&[(10, 3000, 0)])), readlink_call(5)].concat());
    let reply = [readlink_reply(5, 1501), padded(&link)].concat();
    roce.write(false, 10, 0, &reply);
    roce.send(false, &header(5, 1, &[], &[], Some(&[(10, reply.len(), 0)])));

    let call = [write_call(6, 41), padded(&write[..41])].concat();
    roce.send(true, &header(6, 1, &[(0, (11, call.len(), 77))], &[], None));
    roce.read(false, 11, 77, &call);
    roce.send(false, &[header(6, 0, &[], &[], None), write_reply(6, 41)].concat());
}

#[test]
fn chunks_are_put_back() {
    // At the end of the numbers too, and with and without a word of the connection manager.
    for (psn, connect) in
        [([0, 5], true), ([TOP - 1, TOP - 4], true), ([TOP - 2, 77], false), ([3, TOP], false)]
    {
        let mut roce = Roce::new(psn);
        if connect {
            roce.connect();
        }
        everything(&mut roce);
        roce.disconnect();
        let lines = lines(&roce);
        assert_eq!(notes(&lines), [], "{psn:?}");
        let headers = headers(&lines);
        assert_eq!(headers.len(), 12);
        let (read, write) = (data(3001), data(2503));
        let (first, third) = (vec![1; 1003], vec![3; 5000]);
        let payloads: [&[&[u8]]; 6] =
            [&[&write], &[&read], &[], &[&first, &third, b"second"], &[], &[&write[..41]]];
        let messages = messages(&lines);
        for (i, payloads) in payloads.into_iter().enumerate() {
            let [call, reply] = [messages[2 * i], messages[2 * i + 1]];
            for (line, header, sender) in
                [(call, headers[2 * i], "client"), (reply, headers[2 * i + 1], "server")]
            {
                assert_eq!(header["sender"], sender, "{psn:?}: {line}");
                assert_eq!(header["connection"], 1);
                assert_eq!((&line["connection"], &line["frame"]), (&1.into(), &header["frame"]));
                assert_eq!((&line["verdict"], &line["xid"]), (&"identical".into(), &header["xid"]));
            }
            assert_eq!(reply["call_frame"], call["frame"]);
            let (line, len) = match i {
                0 => (call, 68 + 2504),
                1 => (reply, 44 + 3004),
                2 | 4 => (reply, 36 + 1504),
                3 => {
                    let body = compound_reply(4, [0; 3], b"second").concat().len();
                    (reply, body + 1004 + 5000 + 1504)
                }
                _ => (call, 68 + 44),
            };
            assert!(is_whole(line, len, payloads), "{psn:?}: {line}");
        }
        assert_eq!(headers[1]["invalidate"], 5);
        let (out, outcome) = dump(&["--check"], roce.wire.bytes());
        assert_eq!(
            out,
            "12 messages, 12 identical, 0 different, 0 refused, 0 of other programs; 12 RDMA headers, \
             12 identical, 0 different, 0 refused; from chunks 2 whole calls, 4 whole replies, 0 not \
             whole\n"
        );
        assert!(!outcome.totals.differ());
        let (out, _) = dump(&[], roce.wire.bytes());
        let start = usize::from(connect) * 3;
        let first: Vec<&str> =
            out.lines().skip(start).take(3).map(|line| line[55..].trim_start()).collect();
        assert_eq!(
            first,
            [
                "120 RDMA_MSG, xid: 0x00000001, credits: 32, reads: [68:2503@0x5]",
                "2572 V3 WRITE Call, FH: 0x8c9f3610, offset: 0, count: 2503, stable: FILE_SYNC, data: 2503 bytes",
                "80 RDMA_MSG, xid: 0x00000001, credits: 32, invalidates: 0x5",
            ]
        );
    }
}

#[test]
fn what_the_ends_say_when_they_connect() {
    let mut roce = Roce::new([3, 4]);
    roce.connect();
    roce.disconnect();
    let lines = lines(&roce);
    let names: Vec<_> = lines.iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["ConnectRequest", "ConnectReply", "ReadyToUse", "DisconnectRequest", "DisconnectReply"]
    );
    for (key, values) in [
        ("type", [json!("cm"), json!("cm")]),
        ("queue_pair", [json!(0x11), json!(0xab_cdef)]),
        ("starting_psn", [json!(4), json!(3)]),
        ("port", [json!(20_049), Value::Null]),
        ("send_size", [json!(4096), json!(4096)]),
        ("receive_size", [json!(8192), json!(4096)]),
        ("remote_invalidation", [json!(true), json!(false)]),
    ] {
        assert_eq!([&lines[0][key], &lines[1][key]], [&values[0], &values[1]], "{key}");
    }
    let (out, _) = dump(&[], roce.wire.bytes());
    let first = out.lines().next().unwrap();
    assert!(first.ends_with(", port: 20049, sends 4096 bytes, receives 8192, remote invalidation"));
}

/// Numbers of packets in the order of the capture, the xids of what is found, and what is told.
type Case = (&'static [usize], &'static [u32], &'static [(u64, &'static str, u64)]);

#[test]
fn packets_again_out_of_order_and_lost() {
    let message =
        |xid| [header(xid, 0, &[], &[], None), write_call(xid, 3001), padded(&data(3001))].concat();
    let codes = [0x00, 0x01, 0x01, 0x02];
    let long = message(1);
    let parts: Vec<&[u8]> = long.chunks(MTU).collect();
    let cases: [Case; 6] = [
        (&[0, 1, 2, 3, 4], &[1, 2], &[]),
        (&[0, 1, 1, 0, 2, 2, 3, 1, 4], &[1, 2], &[]),
        (&[0, 3, 2, 1, 4], &[1, 2], &[]),
        (&[0, 1, 3, 4, 2, 3, 4], &[1, 2], &[]),
        // What was begun is passed over, a packet is lost, then the rest of the message.
        (&[0, 1, 3, 4], &[2], &[(7, "skipped", 2048), (7, "lost", 1), (6, "skipped", 28)]),
        (&[1, 2, 3, 4], &[2], &[(7, "lost", 1), (6, "skipped", 2076)]),
    ];
    for (order, xids, expected) in cases {
        let mut roce = Roce::new([TOP - 1, 0]);
        roce.connect();
        for at in order {
            let psn = TOP - 1 + *at as u32;
            match parts.get(*at) {
                Some(part) => roce.raw(true, codes[*at], psn, &[], part),
                None => roce.raw(true, 0x04, psn, &[], &message(2)),
            }
        }
        let lines = lines(&roce);
        let found: Vec<_> = headers(&lines).iter().map(|it| it["xid"].as_u64().unwrap()).collect();
        assert_eq!(found, xids.iter().map(|xid| u64::from(*xid)).collect::<Vec<_>>(), "{order:?}");
        assert_eq!(notes(&lines), expected, "{order:?}");
    }
}

#[test]
fn what_was_not_captured_is_told() {
    // Of the data of a WRITE a packet of three is missing: its arguments can be read all the same.
    let mut roce = Roce::new([0, 0]);
    roce.connect();
    let call = header(1, 0, &[(68, (5, 2503, 0))], &[], None);
    roce.send(true, &[call, write_call(1, 2503)].concat());
    let psn = roce.read_request(false, 5, 0, 2503);
    roce.raw(true, 0x0d, psn, &words(&[0x1f00_0001]), &data(1024));
    roce.raw(true, 0x0f, psn + 2, &words(&[0x1f00_0001]), &data(455));
    roce.send(false, &[header(1, 0, &[], &[], None), write_reply(1, 2503)].concat());
    // The reply of READ came, its data did not.
    roce.send(true, &[header(2, 0, &[], &[&[(6, 3000, 0)]], None), read_call(2, 3000)].concat());
    roce.take(false, 3);
    roce.send(false, &[header(2, 0, &[], &[&[(6, 3000, 0)]], None), read_reply(2, 3000)].concat());
    (0..9).for_each(|_| roce.acknowledge(true));
    // Without the call or the reply itself nothing can be read.
    let offer: [Memory; 1] = [(10, 500, 0)];
    roce.send(true, &header(3, 1, &[(0, (11, 4000, 77))], &[], Some(&offer)));
    roce.send(false, &header(3, 1, &[], &[], Some(&offer)));
    let lines = lines(&roce);
    let absent: Vec<_> = messages(&lines)
        .iter()
        .filter(|it| it["chunk_bytes_absent"].is_u64())
        .map(|it| (it["xid"].as_u64(), it["chunk_bytes_absent"].as_u64(), it["verdict"].clone()))
        .collect();
    let identical = Value::from("identical");
    assert_eq!(
        absent,
        [(Some(1), Some(1024), identical.clone()), (Some(2), Some(3000), identical)]
    );
    let words: Vec<_> = notes(&lines).iter().map(|it| (it.1, it.2)).collect();
    assert_eq!(words, [("lost", 3), ("absent", 4000), ("absent", 500)]);
    let (out, _) = dump(&["--check"], roce.wire.bytes());
    assert!(
        out.ends_with(
            "4 messages, 2 identical, 0 different, 0 refused, 0 of other programs, 2 without their \
             chunks; 6 RDMA headers, 6 identical, 0 different, 0 refused; from chunks 0 whole calls, 0 \
             whole replies, 4 not whole\n"
        ),
        "{out}"
    );
    let (out, _) = dump(&[], roce.wire.bytes());
    assert!(out.contains(
        " count: 2503, stable: FILE_SYNC, data: 2503 bytes [1024 bytes of chunks are not in the capture]\n"
    ));
}

#[test]
fn callbacks_come_from_the_server() {
    let mut roce = Roce::new([1, 2]);
    roce.send(true, &[header(9, 0, &[], &[], None), readlink_call(9)].concat());
    roce.acknowledge(false);
    // The same number, in the other direction.
    roce.send(false, &[header(9, 0, &[], &[], None), callback(9)].concat());
    roce.send(true, &[header(9, 0, &[], &[], None), null_reply(9)].concat());
    let lines = lines(&roce);
    let senders: Vec<_> = headers(&lines).iter().map(|it| it["sender"].clone()).collect();
    assert_eq!(senders, ["client", "server", "client"]);
    let messages = messages(&lines);
    assert_eq!((&messages[1]["type"], &messages[1]["name"]), (&"call".into(), &"CB_NULL".into()));
    assert_eq!(messages[2]["call_frame"], messages[1]["frame"]);
}

#[test]
fn refused_headers_are_told_and_other_traffic_is_not() {
    let mut roce = Roce::new([1, 2]);
    // No RPC so far: nobody knows what this is.
    roce.send(true, b"ping ping ping ping ping ping ping ping");
    roce.send(true, &[header(7, 0, &[], &[], None), readlink_call(7)].concat());
    let mut bad = header(8, 0, &[], &[], None);
    bad[7] = 2;
    roce.send(true, &bad);
    roce.send(true, &header(8, 3, &[], &[], None)[..16]);
    roce.send(true, b"ping");
    // A packet whose padding is longer than it.
    let transport = words(&[0x0430_ffff, 0xab_cdef, 6]);
    roce.udp(true, &[transport, vec![0; 5]].concat());
    let (out, _) = dump(&["--check"], roce.wire.bytes());
    assert_eq!(
        out,
        "frame 3: refused: RDMA_MSG of 28 bytes: version 2 of the transport is not supported, only \
         version 1 is\n\
         frame 4: refused: RDMA_DONE of 16 bytes: the message has 16 bytes, and the shortest transport \
         header has 28\n\
         frame 5: refused: no header of 4 bytes: the message has 4 bytes, and the shortest transport \
         header has 28\n\
         frame 6: malformed: a packet is padded with 3 bytes, but 1 are behind its headers\n\
         1 messages, 1 identical, 0 different, 0 refused, 0 of other programs; 4 RDMA headers, 1 \
         identical, 0 different, 3 refused; from chunks 0 whole calls, 0 whole replies, 0 not whole\n"
    );
    assert_eq!(headers(&lines(&roce))[1]["raw"], hex::encode(&bad));
}

#[test]
fn replies_that_return_what_was_not_offered_are_told() {
    let cases: [(Memory, u32, Option<&str>); 4] = [
        ((6, 3000, 8), 6, None),
        ((7, 3000, 8), 6, Some("segment 0 came back with another handle or offset")),
        ((6, 5000, 8), 6, Some("segment 0 was offered for 4000 bytes and claims 5000")),
        ((6, 0, 8), 9, Some("the peer invalidated handle 0x9")),
    ];
    for (returned, key, wrong) in cases {
        let mut roce = Roce::new([1, 2]);
        roce.connect();
        roce.send(
            true,
            &[header(2, 0, &[], &[&[(6, 4000, 8)]], None), read_call(2, 4000)].concat(),
        );
        let (memory, len, _) = returned;
        roce.write(false, memory, 8, &data(len));
        let reply = [header(2, 0, &[], &[&[returned]], None), read_reply(2, len)].concat();
        roce.send_invalidate(false, key, &reply);
        let lines = lines(&roce);
        let told = lines.iter().find(|it| it["note"] == "returned").map(|it| it["text"].clone());
        let told = told.as_ref().and_then(Value::as_str);
        assert_eq!(told.is_some(), wrong.is_some(), "{told:?}");
        assert!(told.unwrap_or_default().starts_with(wrong.unwrap_or_default()), "{told:?}");
    }
}

#[test]
fn hostile_chunks_cost_no_memory() {
    let mut roce = Roce::new([1, 2]);
    let huge = (5, u32::MAX as usize, 0);
    for xid in 0..50 {
        let call = header(xid, 0, &[(68, huge)], &[&[huge; 9]], Some(&[huge; 9]));
        roce.send(true, &[call, write_call(xid, 0)].concat());
        roce.send(true, &header(xid, 1, &[(0, huge)], &[&[huge; 9]], Some(&[huge; 9])));
        roce.read_request(false, 5, u64::MAX, u32::MAX as usize);
        roce.raw(false, 0x06, xid, &words(&[u32::MAX, u32::MAX, 5, u32::MAX]), &[1; MTU]);
        roce.send(false, &header(xid, 1, &[], &[], Some(&[huge; 9])));
    }
    // One megabyte, many times in a message.
    roce.send(true, &[header(99, 0, &[], &[], None), readlink_call(99)].concat());
    roce.write(false, 6, 0, &vec![7; 1 << 20]);
    let many = [(6, 1 << 20, 0); 60];
    roce.send(false, &header(99, 1, &[], &[], Some(&many)));
    let (out, outcome) = dump(&["--check"], roce.wire.bytes());
    assert!(!outcome.totals.differ());
    assert!(out.contains(": skipped: 62914560 bytes"), "{out}");
}

/// Feeds a capture to the program with each packet cut and changed in many ways before it comes
/// whole.
struct Damaging<'d> {
    dump: Dump<Vec<u8>>,
    random: &'d mut dyn FnMut(usize) -> usize,
    /// So many ways for each packet; else all cuts, and changes of each byte of the headers.
    ways: Option<usize>,
}

impl Sink for Damaging<'_> {
    fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
        let mut bytes = packet.data.to_vec();
        let len = bytes.len();
        let mut show = |data: &[u8]| self.dump.packet(Packet { data, ..packet });
        if let Some(ways) = self.ways {
            for _ in 0..ways {
                show(&packet.data[..(self.random)(len)])?;
                let at = (self.random)(len.min(140));
                bytes[at] ^= 1 << (self.random)(8);
                show(&bytes)?;
                bytes[at] = packet.data[at];
            }
            return self.dump.packet(packet);
        }
        for cut in (0..len.min(110)).chain((110..len).step_by(97)) {
            show(&packet.data[..cut])?;
        }
        for at in 0..len.min(140) {
            let old = bytes[at];
            bytes[at] ^= 1 << (self.random)(8);
            show(&bytes)?;
            bytes[at] = (self.random)(256) as u8;
            show(&bytes)?;
            bytes[at] = old;
        }
        self.dump.packet(packet)
    }

    fn idle(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn survives(capture: Vec<u8>, ways: Option<usize>, random: &mut dyn FnMut(usize) -> usize) {
    for args in [&["--check"][..], &["--json"]] {
        let options = Options::parse_from([&["dump", "-"], args].concat());
        let dump = Dump {
            network: Network::new(),
            connections: Connections::new(options.max_record),
            output: Output::new(&options, Vec::new(), None),
        };
        let mut damaging = Damaging { dump, random, ways };
        Capture::open(io::Cursor::new(capture.clone())).unwrap().read(&mut damaging).unwrap();
        let Dump { mut connections, mut output, .. } = damaging.dump;
        connections.end(&mut output).unwrap();
        assert!(!output.totals.differ(), "{}", output.totals);
    }
}

#[test]
fn cut_and_changed_packets_do_no_harm() {
    let mut state = 8166u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for connect in [true, false] {
        let mut roce = Roce::new([TOP - 3, TOP - 9]);
        if connect {
            roce.connect();
        }
        everything(&mut roce);
        survives(roce.wire.bytes().to_vec(), None, &mut random);
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/captures/rdma");
    let all = [("recall-v41", None), ("probe", None)];
    let few = ["v3", "v42", "inline1k-v3", "uspeer"].map(|name| (name, Some(3)));
    for (name, ways) in all.into_iter().chain(few) {
        match fs::read(shared.join(format!("{name}.pcap.gz"))) {
            Ok(capture) => survives(capture, ways, &mut random),
            Err(_) => eprintln!("skipped: {name} is not in {}", shared.display()),
        }
    }
}
