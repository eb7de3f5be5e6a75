//! What recording a message and writing a line of a `.prof` file cost, in nanoseconds.
//!
//! `cargo run --release -p mpit-components --example cost`

use std::hint::black_box;
use std::time::Instant;

use mpit_components::prof::Profile;
use mpit_components::record::{Messages, Snapshot};

/// The best of several rounds: other work on the machine only ever adds.
fn best(rounds: usize, operations: u64, mut run: impl FnMut(u64)) -> f64 {
    let one = |run: &mut dyn FnMut(u64)| {
        let start = Instant::now();
        run(operations);
        start.elapsed().as_secs_f64() * 1e9 / operations as f64
    };
    (0..rounds).map(|_| one(&mut run)).fold(f64::INFINITY, f64::min)
}

fn show(what: &str, nanoseconds: f64) {
    println!("{what:<58}{nanoseconds:>9.2} ns");
}

fn record(peers: u32) {
    let messages = Messages::new();
    let cost = best(15, 4_000_000, |operations| {
        let mut to = 0;
        for n in 0..operations {
            to = if to + 1 < peers { to + 1 } else { 0 };
            messages.record(black_box(to), black_box(8 + n % 2 * 992), false);
        }
    });
    show(&format!("record a message, {peers} peers in turn"), cost);
}

fn line(peers: u32) {
    let messages = Messages::new();
    (0..peers).for_each(|to| messages.record(to, 8 + u64::from(to), false));
    let profile =
        Profile { me: 0, messages: messages.snapshot().since(&Snapshot::default()), comms: Vec::new() };
    let cost = best(15, u64::from(peers), |_| profile.write(std::io::sink()).expect("a sink takes all"));
    show("a line with histogram", cost);
    (0..peers).for_each(|to| messages.record(to, 8 + u64::from(to), true));
    let both = Profile { messages: messages.snapshot().since(&Snapshot::default()), ..profile };
    let with_internal =
        best(15, u64::from(peers), |_| both.write(std::io::sink()).expect("a sink takes all"));
    show("a line without", with_internal - cost);
}

fn main() {
    for (threads, concurrent) in [("one thread at a time", false), ("several threads at once", true)] {
        println!("{threads}:");
        mpit::threads::set_concurrent(concurrent);
        [1, 26, 512, 100_000].map(record);
    }
    println!("text:");
    line(10_000);
}
