//! A ring of four processes that pass on a token, and the matrix of the messages and bytes between them.
//!
//! ```sh
//! cargo run --release --example ring
//! ```
//!
//! The program is the example of Open MPI's monitoring how-to, here without MPI: `mpit_local::launch` starts it once for
//! each rank. The names of the variables and the files in `prof/` are Open MPI's.

use std::process::ExitCode;

use mpit::tool::{Class, Tool};
use mpit_local::{Comm, Outcome};

fn main() -> ExitCode {
    mpit_local::launch(4, monitored)
}

/// Opens a session on each rank, passes the token around while its handles are started, and prints their values.
fn monitored(world: &Comm) -> Outcome {
    let tool = Tool::new();
    let session = tool.session()?;
    let peers = world.object();
    let counts = session.handle("pml_monitoring_messages_count", Class::Size, Some(&peers))?;
    let sizes = session.handle("pml_monitoring_messages_size", Class::Size, Some(&peers))?;

    // From the start of this one to its stop, messages go to a file for each rank.
    let flush = session.handle("pml_monitoring_flush", Class::Generic, None)?;
    flush.write_text("prof/phase_1")?;

    session.start_all()?;
    ring(world, 25)?;
    session.stop_all()?;

    show(world, "messages", &counts.read()?)?;
    show(world, "bytes", &sizes.read()?)?;
    if world.rank() == 0 {
        println!("details are in prof/phase_1.{{0..{}}}.prof", world.size() - 1);
    }
    Ok(())
}

/// Passes a token on until its count is below 0.
fn ring(world: &Comm, mut token: i32) -> mpit_local::Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut tag = 201;
    if rank == 0 {
        world.send(&token, to, tag)?;
    }
    while token >= 0 {
        world.recv(&mut token, from, tag)?;
        if rank == 0 {
            (token, tag) = (token - 1, tag + 1);
        }
        world.send(&token, to, tag)?;
        if rank != 0 {
            (token, tag) = (token - 1, tag + 1);
        }
    }
    Ok(())
}

/// Prints a matrix, gathered from one row of each rank.
fn show(world: &Comm, title: &str, row: &[u64]) -> mpit_local::Result<()> {
    if let Some(matrix) = world.gather(row, 0)? {
        print!("{title:10}");
        for to in 0..row.len() {
            print!("{:>8}", format!("to {to}"));
        }
        println!();
        for (from, row) in matrix.chunks(row.len()).enumerate() {
            print!("{:10}", format!("from {from}"));
            for value in row {
                print!("{value:8}");
            }
            println!();
        }
        println!();
    }
    Ok(())
}
