//! Cost of one step by the number of things that there are, in nanoseconds: `peer N` for a message to one of N processes, `comm N`
//! for an allreduce on one of N communicators, `size N` for one of N processes, `name N` for the index of one of N names; and for the
//! loops, which these contain, `loop peer N` and so on. Beside each is its floor, `least peer N` and so on: two counters in a cache line
//! of the process, or of the communicator with two of its ranks, or a comparison with the name in a slot that is known. `map name N` is
//! for the index of a name in a `HashMap`. Prints as `peer bytes` the memory that each of the processes takes.
//!
//! The calls are those of a host that is built with mpit's crates. The preload library remembers in addition where it counted the
//! last calls of different arguments; this is not measured here.

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::Result;
use mpit::tool::{Class, Registry, Tool};
use mpit_benches::{Block, a_loop, measure, variables};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::host::{self, World};
use mpit_components::pml::{self, Mode, Send};

const BLOCKS: u32 = 30;
const TURNS: u32 = 1 << 15;

const MOST: u32 = 100_000;
const PEERS: [u32; 6] = [1, 10, 100, 1_000, 10_000, MOST];
const NAMES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const SIZES: [u32; 6] = [2, 100, 1_000, 10_000, 100_000, 1_000_000];

/// A prime number: consecutive turns take things in an order that caches do not predict.
const STEP: u32 = 7_368_787;

fn place(turn: u32, count: u32) -> u32 {
    turn.wrapping_mul(STEP) % count
}

/// A number of messages and of bytes, in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Counters {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    fn add(&self) {
        for (counter, amount) in [(&self.messages, 1), (&self.bytes, 8)] {
            counter.store(counter.load(Relaxed) + amount, Relaxed);
        }
    }
}

fn counters() -> Vec<Counters> {
    (0..MOST).map(|_| Counters::default()).collect()
}

/// Returns the KiB of memory of this process.
fn resident_kib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("a file of each process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of each process");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The calls in the loop of one number.
const OF_LOOP: u64 = BLOCKS as u64 * TURNS as u64;

/// The calls of a kind: the first ones, and those in loops.
const CALLS: u64 = MOST as u64 + PEERS.len() as u64 * OF_LOOP;

/// Measures a step among a number of things, beside the empty loop and the floor.
fn measure_beside(step: &str, count: u32, [empty, least, work]: [Block<'_>; 3]) {
    let figures = [("loop ", empty), ("least ", least), ("", work)];
    measure(BLOCKS, figures.map(|(what, block)| (format!("{what}{step} {count}"), block)));
}

fn messages() {
    let world = comms::created(Description::new(Ranks::World(MOST), "world"));
    let send = |to| {
        let send = Send::new(world, to, to, 8, 0, Mode::Standard);
        if !pml::count(&send) {
            pml::sent(&send);
        }
    };
    // The first message to a process allocates.
    let before = resident_kib();
    (0..MOST).for_each(send);
    println!("peer bytes {:.1}", (resident_kib() - before) * 1024.0 / f64::from(MOST));
    let counters = counters();
    for count in PEERS {
        let empty = a_loop(TURNS, move |turn| _ = black_box(place(turn, count)));
        let work = a_loop(TURNS, move |turn| send(place(turn, count)));
        let least = a_loop(TURNS, |turn| counters[place(turn, count) as usize].add());
        measure_beside("peer", count, [empty, least, work]);
    }
}

fn create(size: u32) -> CommId {
    comms::created(Description::new(Ranks::World(size), "some"))
}

fn allreduce(comm: CommId, size: u32) {
    let operation = Operation::new(comm, Kind::Allreduce, 0, size, Root::None, Volume::Each(8), false);
    if !coll::count(&operation) {
        coll::end(&operation);
    }
}

fn operations() {
    let all: Vec<_> = (0..MOST).map(|_| create(2)).collect();
    let operate = |at: u32| allreduce(all[at as usize], 2);
    (0..MOST).for_each(operate);
    let (of_comms, of_ranks) = (counters(), Counters::default());
    for count in PEERS {
        let empty = a_loop(TURNS, |turn| _ = black_box(all[place(turn, count) as usize]));
        let work = a_loop(TURNS, |turn| operate(place(turn, count)));
        let least = a_loop(TURNS, |turn| {
            let at = place(turn, count) as usize;
            black_box(all[at]);
            of_comms[at].add();
            of_ranks.add();
        });
        measure_beside("comm", count, [empty, least, work]);
    }
    for size in SIZES {
        let comm = create(size);
        let empty = a_loop(TURNS, move |_| _ = black_box(comm));
        let work = a_loop(TURNS, move |_| allreduce(comm, size));
        let least = a_loop(TURNS, |_| {
            of_comms[0].add();
            of_ranks.add();
        });
        measure_beside("size", size, [empty, least, work]);
    }
}

fn names() {
    for count in NAMES {
        let image = variables::image(count, &[]);
        let registry = Registry::new();
        let refusals = registry.add(&image, &[]);
        assert!(refusals.is_empty(), "{refusals:?}");
        let map: HashMap<String, u32> =
            image.pvars.iter().map(|pvar| pvar.name().into()).zip(0_u32..).collect();
        // Not the names of the image: a tool has its own copy.
        let queries: Vec<String> =
            (0..TURNS).map(|turn| image.pvars[place(turn, count as u32) as usize].name().into()).collect();
        let query = |turn: u32| black_box(&queries[turn as usize]);
        let empty = a_loop(TURNS, |turn| _ = black_box(query(turn)));
        let work = a_loop(TURNS, |turn| _ = black_box(registry.pvar_index(query(turn), Class::Counter)));
        // A table as large as that of the registry, with the names at places that caches do not predict.
        let mut slots = vec![""; (2 * count).next_power_of_two()];
        let slot_of = |turn: u32| {
            let name = u64::from(place(turn, count as u32));
            (name.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - slots.len().ilog2())) as usize
        };
        let places: Vec<usize> = (0..TURNS).map(slot_of).collect();
        for (turn, at) in (0..TURNS).zip(&places) {
            slots[*at] = image.pvars[place(turn, count as u32) as usize].name();
        }
        let least = a_loop(TURNS, |turn| _ = black_box(slots[places[turn as usize]] == query(turn)));
        measure_beside("name", count as u32, [empty, least, work]);
        let mapped = a_loop(TURNS, |turn| _ = black_box(map.get(query(turn))));
        measure(BLOCKS, [(format!("map name {count}"), mapped)]);
    }
}

fn main() -> Result<()> {
    host::initialized(World::new(0, SIZES[5]));
    mpit::internal::host::threads::set_concurrent(false);
    let tool = Tool::new();
    let session = tool.session()?;
    let totals = ["pml_monitoring_messages_total", "coll_monitoring_messages_total"];
    let [sent, operated] = totals.map(|name| session.handle(name, Class::Counter, None));
    let (sent, operated) = (sent?, operated?);
    sent.start()?;
    operated.start()?;
    messages();
    operations();
    names();
    // The counts show that the right loops were measured. An operation sends a message to each other process.
    assert_eq!(sent.read::<u64>()?, [CALLS], "messages");
    let of_sizes: u64 = SIZES.iter().map(|size| OF_LOOP * u64::from(size - 1)).sum();
    assert_eq!(operated.read::<u64>()?, [CALLS + of_sizes], "operations");
    Ok(())
}
