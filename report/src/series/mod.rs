//! The development of a run over time: calls, time in MPI and messages of each process, interval by interval.
//!
//! `mpit run --series` reads the [totals](Totals) of the processes of its node again and again, keeps their [history](History), and writes its
//! differences as [rows](SeriesRow) to a [file](SeriesFile). Tables have the same rows. Reports show ranges of time.

mod file;
mod history;
mod ranges;
mod totals;

use mpit_format::summary::Area;

pub use file::{ENDING, SeriesFile};
pub use history::History;
pub(crate) use ranges::{TimeRange, ranges, sampled_ranks};
pub use totals::{AreaSum, Sampled, Totals, of_container, of_store, of_text};

/// The calls of a process in an area of MPI, between two samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesRow {
    /// The process, by its rank in the world.
    pub rank: u32,
    /// The time of the first sample, in nanoseconds since 1970 in UTC.
    pub start: u64,
    /// The time of the second sample, which is later.
    pub end: u64,
    /// The area.
    pub area: Area,
    /// The number of calls.
    pub calls: u64,
    /// The nanoseconds in them.
    pub ns: u64,
    /// The number of messages that were sent; 0 except for messages.
    pub messages: u64,
    /// The bytes of these messages.
    pub bytes: u64,
}

impl SeriesRow {
    /// Returns the values by which rows are in order: the rows of a rank follow each other.
    pub(crate) fn order(&self) -> (u32, u64, Area) {
        (self.rank, self.start, self.area)
    }

    /// Returns true if the values are those of a row that mpit writes.
    pub(crate) fn is_sound(&self) -> bool {
        self.rank < 1 << 31 && self.start < self.end
    }
}

/// Returns the area of a name.
pub(crate) fn area(name: &str) -> Option<Area> {
    Area::ALL.into_iter().find(|area| area.as_str() == name)
}
