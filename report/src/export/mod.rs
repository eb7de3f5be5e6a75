//! The tables of a report for other programs: as comma-separated values, and as Parquet, which tools for many jobs read.
//!
//! [`ReportTable`] lists the tables. [`write_csv`] and [`write_parquet`] write one; all have the same columns, but those of Parquet begin with
//! the name of the job, so that the tables of many jobs are one. [`Manifest`] describes the tables of a job.

mod csv;
mod manifest;
mod parquet;

use std::io;

use crate::columns::Row;
use crate::data::{
    Call, CallTime, Comm, CommTime, Interval, JobRow, Late, NodePair, Pair, Rank, Region, RegionTime, Site,
    Size, Variable,
};
use crate::job::Job;
use crate::picture::shown;

pub use csv::write_csv;
pub use manifest::{Manifest, TableFile};
pub use parquet::write_parquet;

/// Defines the tables: the name in the names of files, and the rows of a job. Rows are made one at a time where there may be many.
macro_rules! tables {
    ($($(#[$meta:meta])* $variant:ident $name:literal: |$job:ident| $rows:expr,)+) => {
        /// A table of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ReportTable {
            $($(#[$meta])* $variant,)+
        }

        impl ReportTable {
            /// All tables.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name of the table in the names of files.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            fn put_into<S: Sink>(self, job: &Job, sink: S) -> io::Result<S::Done> {
                match self {
                    $(Self::$variant => {
                        let $job = job;
                        sink.put($rows)
                    })+
                }
            }
        }
    };
}

tables! {
    /// The job: one row.
    Job "job": |job| [JobRow::of(job)],
    /// The ranks.
    Ranks "ranks": |job| Rank::all(job),
    /// The traffic from rank to rank, by kind.
    Pairs "pairs": |job| Pair::all(job),
    /// The messages by size.
    Sizes "sizes": |job| Size::all(job),
    /// The communicators.
    Comms "comms": |job| job.comms.iter().map(Comm::of),
    /// The traffic inside of machines and between them.
    NodePairs "nodes": |job| job.nodes.pairs(&shown(job)).iter().map(NodePair::of),
    /// The calls.
    Calls "calls": |job| Call::all(&job.summary),
    /// The calls by communicator, and how long single calls took.
    CallTimes "call_times": |job| CallTime::all(job),
    /// The measured calls by communicator and duration.
    Durations "durations": |job| CallTime::all(job).flat_map(CallTime::bins),
    /// The calls on communicators.
    CommTimes "comm_times": |job| job.calls_on_comms().map(CommTime::of),
    /// The ranks that arrive last.
    Late "late": |job| job.summary.latest().iter().map(Late::of),
    /// The calls by place in the program.
    Sites "sites": |job| Site::all(job),
    /// The calls by region of the program.
    Regions "regions": |job| Region::all(job),
    /// The time in regions of the program.
    RegionTimes "region_times": |job| RegionTime::all(job),
    /// The calls by rank, interval and area.
    Series "series": |job| Interval::all(job),
    /// The values of variables, and the counts of events.
    Variables "variables": |job| Variable::all(job),
}

/// Something that tables are written to.
trait Sink {
    /// The result of writing a table.
    type Done;

    fn put<R: Row>(self, rows: impl IntoIterator<Item = R>) -> io::Result<Self::Done>;
}
