//! A client and a server with a wire between them, in simulated time: the same numbers in every run.
//!
//! The crate's own ledgers decide who may send, which sends are signalled and when receives are
//! posted. What hardware would do is modelled apart: a message that finds no receive, or a send
//! queue that overflows, ends the simulation with an error.

use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use nfswire_rdma::{
    batch::{QueueFull, Refill, Sends, Ticket},
    credit::Credits,
};

/// What is simulated. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// From the end of a send to its arrival.
    pub(crate) latency: u64,
    /// Bytes per microsecond: 12500 are 100 Gbit/s.
    pub(crate) bandwidth: u64,
    /// Bytes of a call, of the Send of a reply, and of its RDMA Writes.
    pub(crate) call: u64,
    pub(crate) reply: u64,
    pub(crate) written: u64,
    /// RDMA Writes of a reply.
    pub(crate) writes: u32,
    /// Credits that the client asks for, and the server grants at most.
    pub(crate) ask: u32,
    pub(crate) grant: u32,
    /// Receives that the server posts at a time.
    pub(crate) receives: u32,
    /// Slots of the server's send queue, and one send in how many is signalled.
    pub(crate) depth: u32,
    pub(crate) every: u32,
    /// Time of the server's core for an operation, a completion, and posting to a queue.
    pub(crate) work: u64,
    pub(crate) completion: u64,
    pub(crate) doorbell: u64,
    /// Calls to make.
    pub(crate) calls: u32,
}

impl Setup {
    /// READ of 8 KiB over 100 Gbit/s and 5 us one way, on a core that takes half a microsecond for a
    /// completion.
    pub(crate) const READ_8K: Self = Self {
        latency: 5000,
        bandwidth: 12_500,
        call: 200,
        reply: 160,
        written: 8192,
        writes: 1,
        ask: 128,
        grant: 64,
        receives: 8,
        depth: 256,
        every: 8,
        work: 150,
        completion: 500,
        doorbell: 50,
        calls: 20_000,
    };
}

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Simulated time, in nanoseconds.
    pub(crate) time: u64,
    /// Most calls in flight.
    pub(crate) in_flight: u32,
    /// Sends of the server, and its completions for them.
    pub(crate) sends: u32,
    pub(crate) completions: u32,
    /// Most sends that were held when a completion had just come.
    pub(crate) held: u32,
    /// Times that the server posted receives.
    pub(crate) refills: u32,
    /// Sum of the times from call to reply.
    pub(crate) waited: u64,
    /// Time that the server's core was busy.
    pub(crate) busy: u64,
}

impl Outcome {
    /// Operations in a second.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(self.sends) * 1e9 / self.time as f64
    }

    /// Microseconds from call to reply.
    pub(crate) fn mean_latency(&self) -> f64 {
        self.waited as f64 / f64::from(self.sends) / 1000.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A call, sent at this time, is at the server.
    Call { sent: u64, asks: u32 },
    /// The server has done the work.
    Done { sent: u64, asks: u32 },
    /// A reply is at the client.
    Reply { sent: u64, grants: u32 },
    /// A signalled send of the server is complete.
    Complete { ticket: u64 },
}

struct World {
    setup: Setup,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    order: u64,
    client: Credits,
    server: Credits,
    refill: Refill,
    sends: Sends,
    /// Receives and send slots as hardware counts them.
    server_receives: u32,
    client_receives: u32,
    /// Until when wires and the core are busy.
    wire_out: u64,
    wire_back: u64,
    core: u64,
    /// Replies that wait for a slot of the send queue.
    waiting: VecDeque<(u64, u32)>,
    left: u32,
    outcome: Outcome,
}

/// Runs until every call has its reply.
///
/// # Errors
/// A sentence that says which resource was used beyond what there is, and when.
pub(crate) fn run(setup: Setup) -> Result<Outcome, String> {
    let refill = Refill::new(setup.grant.saturating_add(setup.receives), setup.receives);
    let mut world = World {
        setup,
        now: 0,
        events: BinaryHeap::new(),
        order: 0,
        client: Credits::new(setup.ask, 0),
        server: Credits::new(1, setup.grant),
        refill,
        sends: Sends::new(setup.depth, setup.every, setup.writes + 1),
        server_receives: 0,
        client_receives: setup.ask,
        wire_out: 0,
        wire_back: 0,
        core: 0,
        waiting: VecDeque::new(),
        left: setup.calls,
        outcome: Outcome::default(),
    };
    world.client.posted(setup.ask);
    world.post_receives();
    world.send_calls();
    while let Some(Reverse((time, _, event))) = world.events.pop() {
        world.now = time;
        world.handle(event).map_err(|error| format!("at {time} ns: {error}"))?;
    }
    if world.outcome.sends != setup.calls {
        return Err(format!("{} of {} calls were replied to", world.outcome.sends, setup.calls));
    }
    Ok(world.outcome)
}

impl World {
    fn at(&mut self, time: u64, event: Event) {
        self.order += 1;
        self.events.push(Reverse((time, self.order, event)));
    }

    /// Occupies the core.
    fn work(&mut self, time: u64) -> u64 {
        self.core = self.core.max(self.now) + time;
        self.outcome.busy += time;
        self.core
    }

    fn transfer(&self, bytes: u64) -> u64 {
        (bytes * 1000).div_ceil(self.setup.bandwidth)
    }

    fn send_calls(&mut self) {
        while self.left > 0 {
            let Ok(asks) = self.client.call() else { break };
            self.left -= 1;
            self.outcome.in_flight = self.outcome.in_flight.max(self.client.in_flight());
            self.wire_out = self.wire_out.max(self.now) + self.transfer(self.setup.call);
            let sent = self.now;
            self.at(self.wire_out + self.setup.latency, Event::Call { sent, asks });
        }
    }

    fn post_receives(&mut self) {
        let due = self.refill.due(self.server.receives());
        if due > 0 {
            self.work(self.setup.doorbell);
            self.outcome.refills += 1;
            self.server.posted(due);
            self.server_receives += due;
        }
    }

    fn handle(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Call { sent, asks } => {
                self.server_receives =
                    self.server_receives.checked_sub(1).ok_or("a call found no receive")?;
                self.server.called().map_err(|error| error.to_string())?;
                let done = self.work(self.setup.work);
                self.at(done, Event::Done { sent, asks });
            }
            Event::Done { sent, asks } => {
                self.post_receives();
                self.waiting.push_back((sent, asks));
                self.send_replies()?;
            }
            Event::Reply { sent, grants } => {
                self.client_receives =
                    self.client_receives.checked_sub(1).ok_or("a reply found no receive")?;
                self.client.replied(grants).map_err(|error| error.to_string())?;
                self.client.posted(1);
                self.client_receives += 1;
                self.outcome.waited += self.now - sent;
                self.outcome.time = self.now;
                self.send_calls();
            }
            Event::Complete { ticket } => {
                self.work(self.setup.completion);
                self.sends.completed(Ticket(ticket)).map_err(|error| error.to_string())?;
                self.outcome.completions += 1;
                self.send_replies()?;
            }
        }
        Ok(())
    }

    fn send_replies(&mut self) -> Result<(), String> {
        while let Some(&(sent, asks)) = self.waiting.front() {
            let posted = match self.sends.post(self.setup.writes + 1, false) {
                Ok(posted) => posted,
                Err(QueueFull::Wait { .. }) => break,
                Err(error) => return Err(error.to_string()),
            };
            self.waiting.pop_front();
            if self.sends.used() > self.setup.depth.max(self.setup.writes + 1) {
                return Err("the send queue overflows".to_owned());
            }
            let grants = self.server.reply(asks).map_err(|error| error.to_string())?;
            self.work(self.setup.doorbell);
            self.outcome.sends += 1;
            let bytes = self.setup.reply + self.setup.written;
            self.wire_back = self.wire_back.max(self.now) + self.transfer(bytes);
            let arrives = self.wire_back + self.setup.latency;
            self.at(arrives, Event::Reply { sent, grants });
            if let Some(Ticket(ticket)) = posted.ticket {
                // The acknowledgement comes back.
                self.at(arrives + self.setup.latency, Event::Complete { ticket });
            }
            let held = self.sends.used() / (self.setup.writes + 1);
            self.outcome.held = self.outcome.held.max(held);
        }
        Ok(())
    }
}
