//! Receives that are called while the queue of unexpected messages is long: the standard's example of a tool, here without MPI.
//!
//! ```sh
//! cargo run --release --example queues
//! ```
//!
//! Each of four processes sends some messages to the next one, which receives the newest first. A tool in each process
//! reads the length of the queue and counts the receives that come late; rank 0 gathers the results.

use std::process::ExitCode;
use std::thread;

use mpit::tool::{Class, Handle, Tool};
use mpit_local::{Comm, Outcome};

/// The length above which a receive is counted as late.
const LONG: u64 = 4;

fn main() -> ExitCode {
    mpit_local::launch(4, watched)
}

/// Exchanges messages on each rank while a tool watches, and shows the results of all.
fn watched(world: &Comm) -> Outcome {
    // Each communicator has a queue, and handles are bound to one.
    let tool = Tool::new();
    let session = tool.session()?;
    let length = session.handle("unexpected_queue_length", Class::Level, Some(&world.object()))?;
    let longest = session.handle("unexpected_queue_length", Class::HighWatermark, Some(&world.object()))?;
    session.start_all()?;

    let late = exchange(world, &length)?;
    if let Some(found) = world.gather(&[longest.read::<u64>()?[0], late], 0)? {
        println!("{:8}{:>16}{:>16}", "", "longest queue", "late receives");
        for (rank, numbers) in found.chunks(2).enumerate() {
            println!("{:8}{:16}{:16}", format!("rank {rank}"), numbers[0], numbers[1]);
        }
    }
    Ok(())
}

/// Sends three messages from each rank, and one more for each rank before it. Returns the number of late receives.
fn exchange(world: &Comm, length: &Handle<'_>) -> Result<u64, Box<dyn std::error::Error>> {
    let (rank, size) = (world.rank(), world.size());
    let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
    let messages = |rank: usize| 3 + rank as i32;
    for tag in 0..messages(rank) {
        world.send(&tag, to, tag)?;
    }

    // Waits for all messages, so that the example shows the same numbers every time.
    while length.read::<u64>()?[0] < u64::from(messages(from).unsigned_abs()) {
        thread::yield_now();
    }
    let mut late = 0;
    for tag in (0..messages(from)).rev() {
        late += u64::from(length.read::<u64>()?[0] > LONG);
        world.recv(&mut 0_i32, from, tag)?;
    }
    Ok(late)
}
