//! The tables of a report for other programs: as comma-separated values, and as Parquet, which tools for many jobs read.
//!
//! [`Table`] lists the tables. [`write_csv`] and [`write_parquet`] write one; all have the same columns, but those of Parquet begin with
//! the name of the job, so that the tables of many jobs are one. [`Manifest`] describes the tables of a job.

mod columns;
mod csv;
mod job_row;
mod manifest;
mod parquet;

use std::io;

use columns::Column;
use job_row::JobRow;
use mpit_format::rows::Kind;

use crate::data::{Call, CallTime, Comm, CommTime, Interval, Late, NodePair, Rank, Region, Site, Size};
use crate::job::Job;
use crate::picture::shown;

pub use csv::write_csv;
pub use manifest::{Manifest, TableFile};
pub use parquet::write_parquet;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The job: one row.
    Job,
    /// The ranks.
    Ranks,
    /// The traffic from rank to rank, by kind.
    Pairs,
    /// The messages by size.
    Sizes,
    /// The communicators.
    Comms,
    /// The traffic inside of machines and between them.
    NodePairs,
    /// The calls.
    Calls,
    /// The calls by communicator, and how long single calls took.
    CallTimes,
    /// The measured calls by communicator and duration.
    Durations,
    /// The calls on communicators.
    CommTimes,
    /// The ranks that arrive last.
    Late,
    /// The calls by place in the program.
    Sites,
    /// The calls by region of the program.
    Regions,
    /// The calls by rank, interval and area.
    Series,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 14] = [
        Self::Job,
        Self::Ranks,
        Self::Pairs,
        Self::Sizes,
        Self::Comms,
        Self::NodePairs,
        Self::Calls,
        Self::CallTimes,
        Self::Durations,
        Self::CommTimes,
        Self::Late,
        Self::Sites,
        Self::Regions,
        Self::Series,
    ];

    /// Returns the name of the table in the names of files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Ranks => "ranks",
            Self::Pairs => "pairs",
            Self::Sizes => "sizes",
            Self::Comms => "comms",
            Self::NodePairs => "nodes",
            Self::Calls => "calls",
            Self::CallTimes => "call_times",
            Self::Durations => "durations",
            Self::CommTimes => "comm_times",
            Self::Late => "late",
            Self::Sites => "sites",
            Self::Regions => "regions",
            Self::Series => "series",
        }
    }

    /// Puts the table of a job into a sink. Rows are made one at a time where there may be many.
    fn put_into<S: Sink>(self, job: &Job, sink: S) -> io::Result<S::Done> {
        match self {
            Self::Job => sink.put(&columns::JOB, [JobRow::of(job)]),
            Self::Ranks => sink.put(&columns::RANKS, Rank::all(job)),
            Self::Pairs => {
                let of_kind = |kind: Kind| job.matrix(kind).cells().map(move |cell| (kind, cell));
                sink.put(&columns::PAIRS, Kind::ALL.into_iter().flat_map(of_kind))
            }
            Self::Sizes => sink.put(&columns::SIZES, Size::all(job)),
            Self::Comms => sink.put(&columns::COMMS, job.comms.iter().map(Comm::of)),
            Self::NodePairs => {
                sink.put(&columns::NODE_PAIRS, job.nodes.pairs(&shown(job)).iter().map(NodePair::of))
            }
            Self::Calls => sink.put(&columns::CALLS, Call::all(&job.summary)),
            Self::CallTimes => sink.put(&columns::CALL_TIMES, CallTime::all(job)),
            Self::Durations => sink.put(&columns::DURATIONS, CallTime::all(job).flat_map(columns::bins)),
            Self::CommTimes => sink.put(&columns::COMM_TIMES, job.calls_on_comms().map(CommTime::of)),
            Self::Late => sink.put(&columns::LATE, job.summary.latest().iter().map(Late::of)),
            Self::Sites => sink.put(&columns::SITES, Site::all(job)),
            Self::Regions => sink.put(&columns::REGIONS, Region::all(job)),
            Self::Series => sink.put(&columns::SERIES, Interval::all(job)),
        }
    }
}

/// Something that tables are written to.
trait Sink {
    /// The result of writing a table.
    type Done;

    fn put<R>(self, columns: &[Column<R>], rows: impl IntoIterator<Item = R>) -> io::Result<Self::Done>;
}
