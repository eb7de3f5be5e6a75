//! A tool that knows no names: it lists all variables, and samples those that the command line names while a ring runs.
//!
//! ```sh
//! cargo run --release --example tool
//! cargo run --release --example tool -- calls_p2p_count calls_p2p_seconds
//! ```
//!
//! The ring is made of four processes on `mpit-local`, a host without MPI. Over an MPI library the same is written in C, see
//! `docs/guides/tool.md`.

use std::process::ExitCode;

use mpit::Error;
use mpit::object::{Bind, Object};
use mpit::tool::{Class, Datatype, Handle, PvarDesc, Session, Tool};
use mpit_local::{Comm, Outcome};

/// The variables that are sampled unless the command line has names.
const DEFAULTS: [&str; 2] = ["pml_monitoring_messages_total", "pml_monitoring_bytes_total"];

fn main() -> ExitCode {
    mpit_local::launch(4, |world| if world.rank() == 0 { watched(world) } else { laps(world, 30) })
}

/// Rank 0 lists and samples; it takes part in the ring like every rank.
fn watched(world: &Comm) -> Outcome {
    let tool = Tool::new();
    list(&tool);

    let names: Vec<_> = std::env::args().skip(1).collect();
    let names = if names.is_empty() { DEFAULTS.map(String::from).to_vec() } else { names };
    let session = tool.session()?;
    let peers = world.object();
    let handles =
        names.iter().map(|name| find(&tool, &session, name, &peers)).collect::<Result<Vec<_>, _>>()?;
    session.start_all()?;

    println!("\nlaps  {}", names.join("  "));
    for done in [10, 20, 30] {
        laps(world, 10)?;
        let values = std::iter::zip(&handles, &names).map(|(handle, name)| {
            let width = name.len();
            Ok(format!("{:>width$}", value(handle)?))
        });
        println!("{done:4}  {}", values.collect::<Result<Vec<_>, Error>>()?.join("  "));
    }
    Ok(())
}

/// Lists each performance variable with its properties.
fn list(tool: &Tool) {
    let registry = tool.registry();
    for desc in (0..registry.pvar_count()).filter_map(|index| registry.pvar(index)) {
        let bound = if desc.bind() == Bind::NoObject { "" } else { desc.bind().as_str() };
        println!("{:36}{:15}{:20}{bound}", desc.name(), desc.class().as_str(), desc.datatype().as_str());
    }
}

/// Allocates a handle of the first variable of that name, of any class. A variable that is bound to a communicator shows that
/// of the world.
fn find<'s>(
    tool: &Tool,
    session: &'s Session<'_>,
    name: &str,
    peers: &Object<'_>,
) -> mpit::Result<Handle<'s>> {
    let registry = tool.registry();
    let index =
        Class::ALL.iter().find_map(|class| registry.pvar_index(name, *class)).ok_or(Error::InvalidName)?;
    let is_bound = registry.pvar(index).map(PvarDesc::bind) == Some(Bind::Comm);
    let object = if is_bound { Some(peers) } else { None };
    session.handle_at(index, object)
}

/// Returns the sum of the elements, as text.
fn value(handle: &Handle<'_>) -> mpit::Result<String> {
    Ok(match handle.desc().datatype() {
        Datatype::Double => format!("{:.6}", handle.read::<f64>()?.iter().sum::<f64>()),
        Datatype::UnsignedLongLong => handle.read::<u64>()?.iter().sum::<u64>().to_string(),
        other => format!("({})", other.as_str()),
    })
}

/// Passes a token around the ring, `laps` times.
fn laps(world: &Comm, laps: i32) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut token = 0_i32;
    for lap in 0..laps {
        if rank == 0 {
            world.send(&lap, to, 1)?;
        }
        world.recv(&mut token, from, 1)?;
        if rank != 0 {
            world.send(&token, to, 1)?;
        }
    }
    Ok(())
}
