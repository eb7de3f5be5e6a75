//! The time of one process, by call.

use std::collections::BTreeMap;

use super::Area;
use crate::calls::CALLS;
use crate::times::{CallRow, Mode, TimeRow};

/// The calls of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSum {
    /// The number of calls.
    pub count: u64,
    /// The nanoseconds in them.
    pub ns: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl CallSum {
    /// Adds other calls.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.ns = self.ns.saturating_add(other.ns);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// The time of a process, summed over communicators and places in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// The nanoseconds from `MPI_Init` to `MPI_Finalize`; `None` if no time was recorded.
    pub elapsed: Option<u64>,
    /// The number of the clock of arrivals.
    pub domain: u64,
    /// The maximum error of that clock in nanoseconds.
    pub clock_error: u64,
    /// The calls, by their index in [`CALLS`].
    pub calls: BTreeMap<u16, CallSum>,
}

impl ProcessTime {
    /// Adds the time of the process, or of one of its phases.
    pub fn add_time(&mut self, row: &TimeRow) {
        if row.mode != Mode::Off {
            self.elapsed = Some(self.elapsed.unwrap_or(0).saturating_add(row.elapsed));
        }
        self.domain = row.domain;
        self.clock_error = self.clock_error.max(row.error);
    }

    /// Adds calls. Those that initialize and finalize MPI are left out.
    pub fn add_call(&mut self, row: &CallRow) {
        if row.call.is_outside() {
            return;
        }
        if let Some(index) = CALLS.iter().position(|call| call == row.call) {
            let sum = CallSum { count: row.count, ns: row.ns, bytes: row.bytes };
            self.calls.entry(index as u16).or_default().add(sum);
        }
    }

    /// Adds the records of the same process in another phase of its run.
    pub fn absorb(&mut self, other: Self) {
        self.elapsed = match (self.elapsed, other.elapsed) {
            (Some(own), Some(other)) => Some(own.saturating_add(other)),
            (own, other) => own.or(other),
        };
        if other.elapsed.is_some() {
            self.domain = other.domain;
        }
        self.clock_error = self.clock_error.max(other.clock_error);
        for (call, sum) in other.calls {
            self.calls.entry(call).or_default().add(sum);
        }
    }

    /// Returns the nanoseconds in MPI, at most the elapsed ones: several threads may be in MPI at once.
    #[must_use]
    pub fn in_mpi(&self) -> u64 {
        let all = self.calls.values().fold(0, |sum: u64, call| sum.saturating_add(call.ns));
        all.min(self.elapsed.unwrap_or(u64::MAX))
    }

    /// Returns the nanoseconds in MPI by [`Area`].
    #[must_use]
    pub fn areas(&self) -> [u64; Area::ALL.len()] {
        let mut areas = [0_u64; Area::ALL.len()];
        for (call, sum) in &self.calls {
            let ns = &mut areas[Area::of(&CALLS[usize::from(*call)]) as usize];
            *ns = ns.saturating_add(sum.ns);
        }
        areas
    }
}
