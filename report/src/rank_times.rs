//! The time of ranks, and the summary of a job that was read from files.

use hashbrown::HashMap;
use std::collections::BTreeMap;

use mpit_format::rows::Kind;
use mpit_format::summary::{Area, ProcessTime, Summary};

use crate::nodes::Nodes;
use mpit_placement::Matrix;

/// The time of a rank in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankTime {
    /// The time from `MPI_Init` to `MPI_Finalize`.
    pub elapsed: u64,
    /// The time in MPI.
    pub in_mpi: u64,
    /// The time in MPI, by area: point to point, collective, one-sided, waits, files, other.
    pub areas: [u64; Area::ALL.len()],
}

impl RankTime {
    /// Returns the share of a run of `longest` nanoseconds that the rank does not compute.
    pub fn idle_share(&self, longest: u64) -> f64 {
        let useful = self.elapsed - self.in_mpi.min(self.elapsed);
        1.0 - useful as f64 / longest.max(1) as f64
    }
}

/// Returns the time of the ranks that have one.
pub(crate) fn rank_times(times: &HashMap<u32, ProcessTime>) -> BTreeMap<u32, RankTime> {
    let time = |(rank, time): (&u32, &ProcessTime)| {
        let time = RankTime { elapsed: time.elapsed?, in_mpi: time.in_mpi(), areas: time.areas() };
        Some((*rank, time))
    };
    times.iter().filter_map(time).collect()
}

/// Returns the processes, their machines and their traffic.
pub(crate) fn summary_of(size: u32, ranks: &[u32], nodes: &Nodes, matrices: &[Matrix]) -> Summary {
    let mut summary = Summary::of_process(size, "", true);
    summary.processes = ranks.len() as u64;
    for (name, ranks) in nodes.names().iter().zip(nodes.ranks()) {
        summary.hosts.add(name, ranks.into());
    }
    for (kind, matrix) in Kind::ALL.into_iter().zip(matrices) {
        for run in matrix.ranges() {
            for (place, receivers) in nodes.places_of(&run) {
                let of_all = |sum: u64| u128::from(sum) * u128::from(receivers);
                summary.add_traffic(kind, place, of_all(run.count), of_all(run.bytes));
            }
        }
    }
    summary
}
