//! The summary of a job: a few kilobytes that say where its time went, for any number of processes.
//!
//! Each process makes a summary of its own records. Summaries are merged in pairs, in any order: [`Summary::merge`] is
//! associative and commutative, so they can be reduced along a tree, and no process has the records of another one. All sums are
//! of integers, because those of floating-point numbers depend on the order.

mod area;
mod arrivals;
mod clocks;
mod efficiency;
mod file;
mod hosts;
mod operation;
mod process_time;
mod rank_stat;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use crate::TrafficSum;
use crate::profile::Profile;
use crate::rows::Kind;

pub use area::Area;
pub use arrivals::{Arrival, Arrivals, Lateness};
pub use efficiency::{Efficiency, Rating};
pub use file::{ENDING, MAX_FILE, MAX_SENT, SummaryFile};
pub use hosts::Hosts;
pub use process_time::{CallSum, ProcessTime};
pub use rank_stat::RankStat;

/// The place of the process at the other end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The node of the sender.
    SameNode,
    /// Another node than that of the sender.
    OtherNode,
    /// The node is not known.
    Unknown,
}

impl Place {
    /// All places.
    pub const ALL: [Self; 3] = [Self::SameNode, Self::OtherNode, Self::Unknown];
}

/// Operations of all processes, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of operations.
    pub count: u128,
    /// The sum of bytes.
    pub bytes: u128,
}

impl From<TrafficSum> for Traffic {
    fn from(sum: TrafficSum) -> Self {
        Self { count: sum.count.into(), bytes: sum.bytes.into() }
    }
}

impl Traffic {
    /// Adds other operations.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// A call of MPI in all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallStat {
    /// The number of calls.
    pub count: u128,
    /// The sum of bytes.
    pub bytes: u128,
    /// The nanoseconds in the call, of the ranks that called it.
    pub time: RankStat,
}

impl CallStat {
    /// Adds the calls of a rank.
    pub fn add(&mut self, rank: u32, sum: CallSum) {
        self.count = self.count.saturating_add(sum.count.into());
        self.bytes = self.bytes.saturating_add(sum.bytes.into());
        self.time.add(rank, sum.ns);
    }

    /// Adds the calls of other ranks.
    pub fn merge(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.time.merge(&other.time);
    }
}

/// The summary of a job, or of some of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of processes in the summary.
    pub processes: u64,
    /// The number of processes in the world.
    pub size: u32,
    /// The number of processes that reached `MPI_Finalize`.
    pub finalized: u64,
    /// The machines.
    pub hosts: Hosts,
    /// The nanoseconds from `MPI_Init` to `MPI_Finalize`, or to the last call.
    pub elapsed: RankStat,
    /// The nanoseconds in MPI.
    pub in_mpi: RankStat,
    /// The nanoseconds outside of MPI.
    pub useful: RankStat,
    /// The nanoseconds in MPI, by [`Area`].
    pub areas: [RankStat; Area::ALL.len()],
    /// The maximum error of the clocks of arrivals in nanoseconds.
    pub clock_error: u64,
    /// The calls, by their index in [`CALLS`](crate::calls::CALLS).
    pub calls: BTreeMap<u16, CallStat>,
    /// The arrivals in sampled collective operations.
    pub arrivals: Arrivals,
    /// The traffic by kind and place.
    traffic: [[Traffic; Place::ALL.len()]; Kind::ALL.len()],
}

impl Summary {
    /// Creates the summary of a process without records. The name of its machine is empty if it is not known.
    #[must_use]
    pub fn of_process(size: u32, host: &str, is_finalized: bool) -> Self {
        let mut hosts = Hosts::default();
        hosts.add(host, 1);
        Self { processes: 1, size, finalized: u64::from(is_finalized), hosts, ..Self::default() }
    }

    /// Adds the records of the process. `place` returns the place of a rank in the world.
    pub fn add_profile(&mut self, profile: &Profile, place: impl Fn(u32) -> Place) {
        for row in &profile.messages {
            let at = place(row.to);
            for (kind, messages) in [(Kind::External, &row.external), (Kind::Internal, &row.internal)] {
                self.add_traffic(kind, at, messages.count.into(), messages.bytes.into());
            }
        }
        for row in &profile.sums {
            self.add_traffic(row.kind, place(row.to), row.sum.count.into(), row.sum.bytes.into());
        }
        let mut time = ProcessTime::default();
        if let Some(row) = &profile.time {
            time.add_time(row);
        }
        profile.calls.iter().for_each(|row| time.add_call(row));
        self.add_time(profile.me, &time);
        for row in &profile.late {
            self.arrivals.add_row(profile.me, time.domain, row);
        }
    }

    /// Adds traffic of one kind.
    pub fn add_traffic(&mut self, kind: Kind, place: Place, count: u128, bytes: u128) {
        self.traffic[kind as usize][place as usize].add(Traffic { count, bytes });
    }

    /// Adds the time of the process `rank`, once for each process.
    pub fn add_time(&mut self, rank: u32, time: &ProcessTime) {
        for (call, sum) in &time.calls {
            self.calls.entry(*call).or_default().add(rank, *sum);
        }
        let Some(elapsed) = time.elapsed else { return };
        self.elapsed.add(rank, elapsed);
        self.in_mpi.add(rank, time.in_mpi());
        self.useful.add(rank, elapsed - time.in_mpi());
        for (stat, ns) in self.areas.iter_mut().zip(time.areas()) {
            stat.add(rank, ns);
        }
        self.clock_error = self.clock_error.max(time.clock_error);
    }

    /// Returns the ranks that were last in sampled collective operations, the most frequent one first. It is empty if processes of
    /// the job are missing, because they may have been the last ones.
    #[must_use]
    pub fn latest(&self) -> Vec<Lateness> {
        if self.processes == u64::from(self.size) { self.arrivals.latest() } else { Vec::new() }
    }

    /// Adds the processes of another summary.
    pub fn merge(&mut self, other: &Self) {
        self.processes = self.processes.saturating_add(other.processes);
        self.size = self.size.max(other.size);
        self.finalized = self.finalized.saturating_add(other.finalized);
        self.hosts.merge(&other.hosts);
        self.elapsed.merge(&other.elapsed);
        self.in_mpi.merge(&other.in_mpi);
        self.useful.merge(&other.useful);
        for (own, other) in self.areas.iter_mut().zip(&other.areas) {
            own.merge(other);
        }
        self.clock_error = self.clock_error.max(other.clock_error);
        for (call, stat) in &other.calls {
            self.calls.entry(*call).or_default().merge(stat);
        }
        self.arrivals.merge(&other.arrivals);
        for (own, other) in self.traffic.iter_mut().flatten().zip(other.traffic.iter().flatten()) {
            own.add(*other);
        }
    }

    /// Returns the traffic of one kind to a place.
    #[must_use]
    pub fn traffic(&self, kind: Kind, place: Place) -> Traffic {
        self.traffic[kind as usize][place as usize]
    }

    /// Returns the traffic of some kinds to all places.
    #[must_use]
    pub fn total(&self, kinds: &[Kind]) -> Traffic {
        let mut sum = Traffic::default();
        for kind in kinds {
            self.traffic[*kind as usize].iter().for_each(|one| sum.add(*one));
        }
        sum
    }

    /// Returns the bytes inside of nodes and between them; `None` if the nodes of some are not known.
    #[must_use]
    pub fn bytes_by_nodes(&self, kinds: &[Kind]) -> Option<[u128; 2]> {
        let bytes = |place| {
            let of_kind = |kind: &Kind| self.traffic(*kind, place).bytes;
            kinds.iter().map(of_kind).fold(0, u128::saturating_add)
        };
        let [inside, between, unknown] = Place::ALL.map(bytes);
        if unknown > 0 { None } else { Some([inside, between]) }
    }

    /// Returns the share of bytes between nodes, from 0 to 1; `None` if the nodes of some are not known, or there are no bytes.
    #[must_use]
    pub fn share_between_nodes(&self, kinds: &[Kind]) -> Option<f64> {
        let [inside, between] = self.bytes_by_nodes(kinds)?;
        let all = inside.saturating_add(between);
        if all == 0 { None } else { Some(between as f64 / all as f64) }
    }

    /// Returns the calls with the most time, or with the most calls if no time was recorded.
    #[must_use]
    pub fn longest_calls(&self, limit: usize) -> Vec<(u16, &CallStat)> {
        let mut calls: Vec<_> = self.calls.iter().map(|(call, stat)| (*call, stat)).collect();
        calls.sort_by_key(|(call, stat)| (std::cmp::Reverse((stat.time.sum(), stat.count)), *call));
        calls.truncate(limit);
        calls
    }

    /// Returns the smallest time of a rank in a call: 0 if a rank did not make the call.
    #[must_use]
    pub fn least_time(&self, stat: &CallStat) -> u64 {
        if stat.time.ranks() < self.processes { 0 } else { stat.time.min().map_or(0, |(ns, _)| ns) }
    }

    /// Returns the efficiencies; `None` if no time was recorded.
    #[must_use]
    pub fn efficiency(&self) -> Option<Efficiency> {
        Efficiency::of(&self.elapsed, &self.useful, self.useful.ranks())
    }
}
