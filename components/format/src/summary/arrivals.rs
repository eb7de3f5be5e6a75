//! Arrivals in collective operations: the rank that comes last, and the time that the others wait.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::clocks::align;
use super::operation::{Operation, Part};
use crate::times::LateRow;

/// The maximum number of operations that are kept.
pub(super) const MAX_OPERATIONS: usize = 512;

/// The maximum number of parts of operations that are kept: a job on more machines keeps fewer operations, but not fewer than
/// [`LEAST_OPERATIONS`].
pub(super) const MAX_PARTS: usize = 8192;

/// The number of operations that are kept for any number of machines.
pub(super) const LEAST_OPERATIONS: usize = 16;

/// The arrival of one rank in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the communicator, equal in all of its processes.
    pub comm: u64,
    /// The number of the operation on the communicator.
    pub operation: u64,
    /// The number of the clock: times are comparable if it is equal.
    pub domain: u64,
    /// The time at which the rank entered the call, in nanoseconds of the clock.
    pub entered: u64,
    /// The time that the rank spent in the call.
    pub spent: u64,
    /// True if no rank leaves the operation before all have entered it.
    pub synchronizes: bool,
}

/// The operations that return in no process before all have entered them. Those with a count for each process may have nothing to
/// wait for.
const SYNCHRONIZING: &[&str] =
    &["Barrier", "Allgather", "Allreduce", "Alltoall", "Reduce_scatter", "Reduce_scatter_block"];

/// The position of an operation: a hash, so that those which are kept are a random sample, then its communicator and number.
pub(super) type Key = (u64, u64, u64);

/// The arrivals in sampled operations. Of more than a limit, those with the smallest hashes are kept: each part of the job keeps
/// the same ones, so all ranks of a kept operation are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// The numbers of the clocks of all ranks with arrivals.
    pub(super) domains: BTreeSet<u64>,
    pub(super) operations: BTreeMap<Key, Operation>,
}

/// The rank that arrives last most often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lateness {
    /// The rank.
    pub rank: u32,
    /// The number of operations in which it was the last.
    pub last_in: u64,
    /// The number of all sampled operations.
    pub operations: u64,
    /// The nanoseconds that the others waited in these operations.
    pub waited: u128,
    /// The nanoseconds that the others waited in all sampled operations.
    pub waited_for_all: u128,
    /// The nanoseconds in all sampled operations.
    pub spent: u128,
    /// The maximum error in nanoseconds that the comparison of clocks of different machines adds; 0 on one machine.
    pub error: u64,
}

impl Lateness {
    /// Returns the share of the time in collective operations that the others waited for this rank.
    #[must_use]
    pub fn share(&self) -> f64 {
        share(self.waited, self.spent)
    }
}

fn share(part: u128, all: u128) -> f64 {
    if all == 0 { 0.0 } else { (part as f64 / all as f64).min(1.0) }
}

pub(super) fn key(comm: u64, operation: u64) -> Key {
    // The finalizer of SplitMix64: numbers that follow each other get unrelated hashes.
    let mut hash = comm.rotate_left(32) ^ operation.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (hash ^ hash >> 31, comm, operation)
}

impl Arrivals {
    /// Adds the arrival of a rank of the world. Each rank adds an operation once.
    pub fn add(&mut self, rank: u32, arrival: Arrival) {
        let Arrival { comm, operation, domain, entered, spent, synchronizes } = arrival;
        let part = Part {
            domain,
            ranks: 1,
            sum_of_entries: entered.into(),
            last: (entered, rank),
            first_exit: entered.saturating_add(spent),
            spent: spent.into(),
        };
        self.domains.insert(domain);
        self.add_operation(key(comm, operation), &Operation { synchronizes, parts: vec![part] });
        self.limit();
    }

    /// Adds the arrivals of a rank in operations on one communicator.
    pub fn add_row(&mut self, rank: u32, domain: u64, row: &LateRow) {
        for operation in &row.operations {
            let arrival = Arrival {
                comm: row.lineage,
                operation: operation.number,
                domain,
                entered: operation.entry,
                spent: operation.exit.saturating_sub(operation.entry),
                synchronizes: SYNCHRONIZING.contains(&operation.call.name),
            };
            self.add(rank, arrival);
        }
    }

    /// Adds the arrivals of other ranks.
    pub fn merge(&mut self, other: &Self) {
        self.domains.extend(&other.domains);
        for (key, operation) in &other.operations {
            self.add_operation(*key, operation);
        }
        self.limit();
    }

    fn add_operation(&mut self, key: Key, operation: &Operation) {
        self.operations
            .entry(key)
            .and_modify(|own| own.merge(operation))
            .or_insert_with(|| operation.clone());
    }

    fn limit(&mut self) {
        let limit = (MAX_PARTS / self.domains.len().max(1)).clamp(LEAST_OPERATIONS, MAX_OPERATIONS);
        while self.operations.len() > limit {
            self.operations.pop_last();
        }
    }

    /// Returns the operations of several ranks. Those of a communicator with fewer ranks than others are left out: the missing ranks,
    /// such as those of a killed process, may have been the last ones. Ranks that are missing in all operations of a communicator are
    /// not noticed here.
    fn complete(&self) -> Vec<&Operation> {
        let mut most: BTreeMap<u64, u32> = BTreeMap::new();
        for ((_, comm, _), operation) in &self.operations {
            let ranks = most.entry(*comm).or_default();
            *ranks = operation.ranks().max(*ranks);
        }
        let is_complete = |((_, comm, _), operation): &(&Key, &Operation)| {
            operation.ranks() > 1 && most.get(comm) == Some(&operation.ranks())
        };
        self.operations.iter().filter(is_complete).map(|(_, operation)| operation).collect()
    }

    /// Returns the ranks that were last in some operation, the most frequent one first. The arrivals of all ranks must be there.
    /// Operations of machines whose clocks cannot be compared are left out. The result is empty if the error of the clocks is greater
    /// than the time that a rank waits on average.
    #[must_use]
    pub fn latest(&self) -> Vec<Lateness> {
        let complete = self.complete();
        let clocks = align(&complete);
        let mut by_rank: BTreeMap<u32, (u64, u128)> = BTreeMap::new();
        let (mut operations, mut arrivals, mut spent, mut waited_for_all, mut error) =
            (0, 0_u128, 0_u128, 0_u128, 0);
        for operation in complete {
            let Some(last) = operation.last(&clocks) else { continue };
            operations += 1;
            arrivals += u128::from(operation.ranks());
            spent = spent.saturating_add(last.spent);
            waited_for_all = waited_for_all.saturating_add(last.waited);
            let own = by_rank.entry(last.rank).or_default();
            own.0 += 1;
            own.1 = own.1.saturating_add(last.waited);
            if operation.parts.len() > 1 {
                error = operation.parts.iter().map(|part| clocks[&part.domain].error).fold(error, u64::max);
            }
        }
        if u128::from(error).saturating_mul(arrivals) > waited_for_all {
            return Vec::new();
        }
        let lateness = |(rank, (last_in, waited))| Lateness {
            rank,
            last_in,
            operations,
            waited,
            waited_for_all,
            spent,
            error,
        };
        let mut all: Vec<Lateness> = by_rank.into_iter().map(lateness).collect();
        all.sort_by_key(|one| (Reverse((one.last_in, one.waited)), one.rank));
        all
    }
}
