//! The process of a run: it records calls as an MPI program does.

use std::path::Path;
use std::sync::{Arc, Barrier};

use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Kind, Root, Volume};
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::control::pcontrol;
use mpit_components::host::{self, World};
use mpit_components::{osc, pml, windows};

use super::support::{access, create, create_world, operate, send};

const ME: World = World::new(1, 3);

/// Reports a few messages, accesses and operations, with the steps of the scenario in between.
pub(crate) fn run(scenario: &str) {
    match scenario {
        "early" => return run_with_an_early_handle(),
        "threads" => return run_with_threads(),
        "meanwhile" => return run_with_operations_meanwhile(),
        _ => (),
    }
    let rank = u32::from(scenario != "first");
    host::initialized(World::new(rank, 3));
    let comm = create_world(3);
    let short = create(Ranks::World(3), "short");
    let tool = Tool::new();
    let session = tool.session().unwrap();
    if matches!(scenario, "flush" | "active") {
        let flush = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
        flush.start().unwrap();
        if scenario == "active" {
            println!("with a handle: {} {} {}", pml::active(), osc::active(), coll::active());
        }
        flush.stop().unwrap();
    }
    for (to, bytes, tag) in [(0, 8, 0), (2, 100, 7), (0, 16, -5)] {
        send(comm, to, bytes, tag);
    }
    access_and_operate(comm, short);
    if scenario == "pcontrol" {
        pcontrol(2);
        pcontrol(0);
        // Not recorded.
        access_and_operate(comm, short);
        send(comm, 0, 8, 0);
        pcontrol(1);
        println!("a file: {}", Path::new("all_1.1.prof").exists());
    }
    comms::freed(short);
    println!("active: {}", pml::active());
    host::finalizing();
    host::finalizing();
}

fn access_and_operate(comm: CommId, short: CommId) {
    let window = windows::created(3);
    for (kind, sent, received) in [(osc::Kind::Put, 12, 0), (osc::Kind::Get, 0, 20)] {
        access(window, 2, kind, sent, received);
    }
    for (comm, kind, root) in [
        (comm, Kind::Allreduce, Root::None),
        (short, Kind::Bcast, Root::Here),
        (short, Kind::Bcast, Root::At(0)),
    ] {
        operate(ME, comm, kind, root, Volume::Each(8));
    }
}

/// A tool allocates and starts a handle before MPI is initialized.
fn run_with_an_early_handle() {
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let flush = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
    flush.write_text("early").unwrap();
    flush.start().unwrap();
    let comm = create_world(3);
    // The file's name needs the rank of this process, which is not known yet.
    assert_eq!(flush.stop(), Err(mpit::Error::NotAccessible));
    host::initialized(ME);
    println!("active: {}", pml::active());
    comms::freed(create(Ranks::World(3), "short"));
    send(comm, 0, 8, 0);
    flush.stop().unwrap();
    assert!(!pml::active());
    // A message that is sent without recording is not in any file.
    send(comm, 0, 8, 0);
    host::finalizing();
}

/// Returns the receivers and sizes of the messages that each thread of [`run_with_threads`] sends, once as the user's and
/// once as the library's.
pub(crate) fn messages_of_thread() -> impl Iterator<Item = (u32, u64)> {
    (0..20_000).map(|n| ((n % 37) as u32, n % 1000))
}

/// The first thread ends phases while two others record. Both create the records of each receiver, and
/// send empty messages, too.
fn run_with_threads() {
    host::initialized(World::new(1, 37));
    let comm = create_world(37);
    let window = windows::created(37);
    let begin = Barrier::new(2);
    let record = || {
        begin.wait();
        for (to, bytes) in messages_of_thread() {
            send(comm, to, bytes, 0);
            send(comm, to, bytes, -1);
            access(window, 2, osc::Kind::Put, bytes, 0);
            allreduce(comm, bytes);
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(record), scope.spawn(record)];
        pcontrol(2);
        // Ends at least one more phase, even if the threads ended during the first one.
        loop {
            let finished = threads.iter().all(std::thread::ScopedJoinHandle::is_finished);
            pcontrol(2);
            if finished {
                break;
            }
        }
    });
    host::finalizing();
}

/// A source of ranks that uses and frees another communicator. The ranks are requested when the file of a phase is written.
#[derive(Debug)]
struct UsesWhileWriting(CommId);

fn allreduce(comm: CommId, bytes: u64) {
    operate(ME, comm, Kind::Allreduce, Root::None, Volume::Each(bytes));
}

impl comms::RankSource for UsesWhileWriting {
    fn world_ranks(&self) -> Option<Vec<u32>> {
        allreduce(self.0, 1);
        comms::freed(self.0);
        None
    }

    fn world_rank(&self, _rank: u32) -> Option<u32> {
        None
    }
}

/// A communicator is used and freed while the file of the first phase is written.
fn run_with_operations_meanwhile() {
    host::initialized(ME);
    let freed = create(Ranks::World(3), "freed");
    allreduce(freed, 1);
    let ranks = Ranks::Lazy(Arc::new(comms::LazyRanks::new(1, Box::new(UsesWhileWriting(freed)))));
    create(ranks, "lazy");
    pcontrol(2);
    pcontrol(2);
    host::finalizing();
}
