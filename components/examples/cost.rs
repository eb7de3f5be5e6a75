//! Cost of recording a message, an access or a collective operation, and of writing a line of a `.prof` file, in
//! nanoseconds.
//!
//! `cargo run --release -p mpit-components --example cost`

use std::hint::black_box;
use std::time::Instant;

use mpit::tool::{Class, Tool};
use mpit_components::calls::{self, Area};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, Ranks};
use mpit_components::host::{self, World};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::prof::Profile;
use mpit_components::record::{Messages, Snapshot};
use mpit_components::store::Store;
use mpit_components::windows;

const ROUNDS: u32 = 15;
const MESSAGES: u64 = 2_000_000;

/// The best of several rounds: other work on the machine only ever adds.
fn best(operations: u64, run: impl Fn()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9 / operations as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// A message to each of the peers in turn.
#[inline]
fn in_turn(peers: u32, take: impl Fn(u32, u64)) {
    let mut to = 0;
    for n in 0..MESSAGES {
        to = if to + 1 < peers { to + 1 } else { 0 };
        take(black_box(to), black_box(8 + n % 2 * 992));
    }
}

/// Shows the cost of each message, without the loop around it.
fn message(what: &str, peers: u32, take: impl Fn(u32, u64)) {
    show(&format!("{what}, {peers} peers in turn"), each(peers, take));
}

fn each(peers: u32, take: impl Fn(u32, u64)) -> f64 {
    let alone = best(MESSAGES, || in_turn(peers, |_, _| {}));
    best(MESSAGES, || in_turn(peers, &take)) - alone
}

fn show(what: &str, nanoseconds: f64) {
    println!("  {what:<60}{nanoseconds:>7.2} ns");
}

fn all_messages() {
    for peers in [1, 26, 512, 100_000] {
        let store = Store::new();
        let messages = Messages::new(&store);
        message("record", peers, |to, bytes| messages.record(to, bytes, false));
    }
    let comm = comms::created(comms::Description::new(Ranks::World(26), "world"));
    let report = |to, bytes| pml::sent(&Send::new(comm, to, to, bytes, 3, Mode::Standard));
    message("report to pml, no listener", 26, report);
    with("pml_monitoring_messages_total", Class::Counter, || {
        message("report to pml, monitoring listens", 26, report);
    });
}

/// Runs with a handle of a variable started.
fn with(name: &str, class: Class, run: impl FnOnce()) {
    let tool = Tool::new();
    let session = tool.session().expect("sessions are left");
    let handle = session.handle(name, class, None).expect("it is defined");
    handle.start().expect("it can be started");
    run();
}

fn all_accesses() {
    let window = windows::created(26);
    let access = |to, bytes| {
        let kind = osc::Kind::Put;
        osc::accessed(&Access::new(window, to, to, kind, bytes, 0));
    };
    message("report to osc, no listener", 26, access);
    with("osc_monitoring_messages_sent_total", Class::Counter, || {
        message("report to osc, monitoring listens", 26, access);
    });
}

/// An operation on a communicator of each size.
fn all_operations() {
    for size in [2, 26, 1000, 1_000_000] {
        let odd = (0..size).map(|rank| rank * rank % 7 + rank * 8).collect();
        for (which, ranks) in [("the world", Ranks::World(size)), ("a list", Ranks::List(odd))] {
            let comm = comms::created(comms::Description::new(ranks, "some"));
            let operation = |_, bytes| {
                let (kind, root, volume) = (Kind::Allreduce, Root::None, Volume::Each(bytes));
                coll::end(&Operation::new(comm, kind, 0, size, root, volume, false));
            };
            with("coll_monitoring_messages_total", Class::Counter, || {
                show(&format!("report an allreduce on {which} of {size}"), each(1, operation));
            });
            comms::freed(comm);
        }
    }
}

fn all_calls() {
    let call = |_, _| {
        if calls::active(Area::Waiting) {
            calls::begin(Area::Waiting).end();
        }
    };
    show("a call, no listener", each(1, call));
    with("calls_wait_count", Class::Counter, || show("a call that is counted", each(1, call)));
    with("calls_wait_seconds", Class::Timer, || show("a call that is timed", each(1, call)));
}

fn lines() {
    const PEERS: u32 = 10_000;
    let store = Store::new();
    let messages = Messages::new(&store);
    let cost = || {
        let rows = messages.snapshot().since(&Snapshot::default());
        let profile = Profile { messages: rows, ..Profile::default() };
        best(u64::from(PEERS), || profile.write(std::io::sink()).expect("a sink takes all"))
    };
    (0..PEERS).for_each(|to| messages.record(to, 8 + u64::from(to), false));
    let with_histogram = cost();
    show("a line with histogram", with_histogram);
    (0..PEERS).for_each(|to| messages.record(to, 8 + u64::from(to), true));
    show("a line without", cost() - with_histogram);
}

fn main() {
    host::initialized(World::new(0, 26));
    println!("one thread at a time:");
    mpit::internal::threads::set_concurrent(false);
    all_messages();
    all_accesses();
    all_operations();
    all_calls();
    println!("several threads at once:");
    mpit::internal::threads::set_concurrent(true);
    all_messages();
    all_accesses();
    all_operations();
    all_calls();
    println!("text:");
    lines();
}
