//! Files of jobs that never ran, of any size, for tests and for measurements of reports.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use mpit_format::calls::CALLS;
use mpit_format::container::{self, Text};
use mpit_format::messages::{PeerSnapshot, Row, bin};
use mpit_format::profile::{About, Block, Label, Members, Profile, SumRow};
use mpit_format::rows::Kind;
use mpit_format::summary::{Place, Summary};
use mpit_format::times::{CallRow, Clock, LateRow, Mode, SampledOperation, TimeRow};
use mpit_format::{Identity, TrafficSum};
use mpit_placement::{Cell, Matrix};

use crate::patterns;

/// Number of the job of a [fleet](SimulatedJob::of_fleet) that waits longest.
pub const WAITING_JOB: u32 = 47;

/// Number of the job of a fleet that sends the most messages of less than 1 KiB.
pub const SMALL_MESSAGES_JOB: u32 = 313;

/// Number of the node of a fleet that the others of its jobs wait for.
pub const SLOW_NODE: u32 = 2718;

/// The number of nodes on which jobs of a fleet begin.
const FLEET_NODES: u32 = 5000;

/// A job, which computes and waits in `MPI_Waitall`.
#[derive(Clone, Debug)]
pub struct SimulatedJob {
    /// The name of the run.
    pub name: String,
    /// The program.
    pub program: String,
    /// The number of ranks.
    pub ranks: u32,
    /// The number of ranks on each node.
    pub ranks_of_node: u32,
    /// The number of the first node.
    pub first_node: u32,
    /// The seconds from `MPI_Init` to `MPI_Finalize`.
    pub seconds: f64,
    /// The share of the time that ranks wait.
    pub waiting: f64,
    /// True if each rank has also exchanged data with all others in collective operations.
    pub has_collectives: bool,
    /// A node whose ranks compute all the time, while the others wait for them.
    pub slow_node: Option<u32>,
}

impl SimulatedJob {
    /// Returns a job and its messages. Jobs of all numbers, four ranks on each node, are a fleet in which three things stand out:
    /// [`WAITING_JOB`], [`SMALL_MESSAGES_JOB`] and [`SLOW_NODE`].
    pub fn of_fleet(number: u32) -> (Self, Matrix) {
        let side = 2 + number % 3;
        let bytes = match number {
            SMALL_MESSAGES_JOB => 64,
            _ if number.is_multiple_of(10) => 512,
            _ => 80_000,
        };
        let repeated = if number == SMALL_MESSAGES_JOB { 100 } else { 1 };
        let cells = patterns::stencil([side; 3], 1, [bytes; 3], true);
        let matrix = Matrix::new(
            cells
                .cells()
                .map(|cell| Cell { count: cell.count * repeated, bytes: cell.bytes * repeated, ..cell })
                .collect(),
        );
        let is_waiting = number == WAITING_JOB;
        let job = Self {
            name: format!("run{number}"),
            program: format!("/apps/app{}", number % 17),
            ranks: side.pow(3),
            ranks_of_node: 4,
            first_node: number % FLEET_NODES * 7 % FLEET_NODES,
            seconds: if is_waiting { 86_400.0 } else { f64::from(100 + number % 901) },
            waiting: if is_waiting { 0.7 } else { f64::from(5 + number % 26) / 100.0 },
            has_collectives: false,
            slow_node: Some(SLOW_NODE),
        };
        (job, matrix)
    }

    /// Writes the file of the job, as processes with `--one-file` write it, one process after the other. The matrix has its messages.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn write(&self, sink: impl Write, matrix: &Matrix) -> io::Result<()> {
        let identity = Identity {
            run: self.name.clone(),
            world: "world".into(),
            size: self.ranks,
            began: "2026-01-01T00:00:00.000Z".into(),
            host: String::new(),
        };
        let mut cells = matrix.single_cells();
        let text = |rank| {
            let (own, others) = cells.split_at(cells.partition_point(|cell| cell.from <= rank));
            cells = others;
            let host = format!("node{:05}", self.node_of(rank));
            Text { rank, host, text: self.profile(rank, own).text_for_container(None) }
        };
        container::write(sink, self.ranks, Some(&identity), (0..self.ranks).map(text), &[])
    }

    /// Returns the summary that each rank makes of its records, by rank. Each node has a clock of its own, and all ranks have arrived in
    /// `operations` sampled collective operations.
    pub fn summaries(&self, matrix: &Matrix, operations: u64) -> impl Iterator<Item = Summary> {
        let mut cells = matrix.single_cells();
        (0..self.ranks).map(move |rank| {
            let (own, others) = cells.split_at(cells.partition_point(|cell| cell.from <= rank));
            cells = others;
            let (node, mut profile) = (self.node_of(rank), self.profile(rank, own));
            if let Some(time) = &mut profile.time {
                time.domain = u64::from(node) + 1;
            }
            profile.late = late(rank, operations).into_iter().collect();
            let mut summary = Summary::of_process(self.ranks, &format!("node{node:05}"), true);
            let place = |to| if self.node_of(to) == node { Place::SameNode } else { Place::OtherNode };
            summary.add_profile(&profile, place);
            summary
        })
    }

    /// Returns the numbers of the nodes.
    pub fn nodes(&self) -> RangeInclusive<u32> {
        self.first_node..=self.node_of(self.ranks.saturating_sub(1))
    }

    fn node_of(&self, rank: u32) -> u32 {
        self.first_node + rank / self.ranks_of_node.max(1)
    }

    /// Returns the rows of two operations of all ranks.
    fn collectives_of(&self, rank: u32) -> Vec<SumRow> {
        let sum = TrafficSum { count: 2, bytes: 16 };
        let others = (0..self.ranks).filter(|other| *other != rank);
        others.map(|to| SumRow { kind: Kind::Collective, to, sum }).collect()
    }

    fn profile(&self, rank: u32, cells: &[Cell]) -> Profile {
        let mut world = Block::new(
            Label { name: "MPI_COMM_WORLD".into(), first: 0, last: 0 },
            Members::World(self.ranks),
        );
        world.all_to_all =
            TrafficSum { count: u64::from(self.ranks) - 1, bytes: 8 * (u64::from(self.ranks) - 1) };
        let is_slow = self.slow_node == Some(self.node_of(rank));
        let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
        let waited = nanoseconds(if is_slow { 0.0 } else { self.seconds * self.waiting });
        let bytes = cells.iter().map(|cell| cell.bytes).sum();
        let messages = cells.iter().map(|cell| cell.count).sum();
        Profile {
            me: rank,
            messages: cells.iter().map(row).collect(),
            sums: if self.has_collectives { self.collectives_of(rank) } else { Vec::new() },
            comms: vec![world],
            time: Some(TimeRow {
                mode: Mode::Blocking,
                clock: Clock::Counter,
                elapsed: nanoseconds(self.seconds),
                domain: 0,
                error: 0,
            }),
            calls: [call("Isend", messages, 0, bytes), call("Waitall", 1000, waited, 0)]
                .into_iter()
                .flatten()
                .collect(),
            about: if rank == 0 { vec![About::new("program", &self.program)] } else { Vec::new() },
            ..Profile::default()
        }
    }
}

/// Returns the arrivals of a rank in operations on `MPI_COMM_WORLD`, one each 10 ms.
fn late(rank: u32, operations: u64) -> Option<LateRow> {
    const INTERVAL: u64 = 10_000_000;
    let call = CALLS.iter().find(|call| call.name == "Barrier")?;
    let operations = (1..=operations).map(|number| {
        let end = number * INTERVAL;
        SampledOperation { number, call, entry: end - 1000 - u64::from(rank % 1000), exit: end }
    });
    Some(LateRow { lineage: 1, comm: "MPI_COMM_WORLD".into(), operations: operations.collect() })
}

fn row(cell: &Cell) -> Row {
    let size = bin(cell.bytes / cell.count.max(1));
    let external = PeerSnapshot::new(std::iter::once((size, cell.count)), || cell.bytes);
    Row { to: cell.to, external, internal: PeerSnapshot::default() }
}

fn call(name: &str, count: u64, ns: u64, bytes: u64) -> Option<CallRow> {
    let call = CALLS.iter().find(|call| call.name == name)?;
    let mean = ns / count.max(1);
    Some(CallRow {
        call,
        comm: if bytes > 0 { "MPI_COMM_WORLD".into() } else { "".into() },
        region: 0,
        site: 0,
        count,
        timed: count,
        ns,
        min: mean,
        max: mean,
        bytes,
        durations: Vec::new(),
    })
}
