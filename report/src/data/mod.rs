//! The report as data, for the JSON, which `docs/report.schema.json` describes, and for the tables of [`export`](crate::export).

mod comm_time;
mod job_row;
mod origins;
mod rows;
mod series;
mod time;
mod variables;

use std::io::{self, BufWriter, Write};

use mpit_format::summary::Traffic;
use schemars::JsonSchema;
use serde::Serialize;

use crate::job::Job;
use crate::json;
use crate::missing::Missing;
use crate::picture::shown;

pub(crate) use comm_time::Bin;
pub use comm_time::{CallTime, CommTime, Duration};
pub(crate) use job_row::JobRow;
pub use origins::{Code, Region, RegionTime, Site};
pub use rows::{Comm, Fact, KindTotal, NodePair, Nodes, Pair, Rank, Size};
pub use series::Interval;
pub use time::{Call, Late, RankSeconds, Rated, Time, Times};
pub use variables::Variable;

/// The version of the JSON, which grows when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// The report of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// The beginning of the names of the run's files.
    pub name: String,
    /// The run and world; null if the files do not name them.
    pub run: Option<Run>,
    /// Facts about the job: the program and the command, and the versions of the MPI library and of mpit.
    pub about: Vec<Fact>,
    /// The number of processes of the world.
    pub size: u32,
    /// The number of processes with data.
    pub present: u32,
    /// The ranks without data.
    pub missing: Vec<Missing>,
    /// The nodes without data, as far as they are known.
    pub missing_nodes: Vec<String>,
    /// The ranks of processes that ended without MPI_Finalize, whose data ends with their last call.
    pub recovered: Vec<u32>,
    /// The time of the job; null if no time was recorded.
    pub time: Option<Time>,
    /// The calls, those with the most time first.
    pub calls: Vec<Call>,
    /// The calls by communicator, those with the most time first.
    pub call_times: Vec<CallTime>,
    /// The calls by place in the program, those with the most time first. Empty without `mpit run --sites`.
    pub sites: Vec<Site>,
    /// The calls by region of the program, those with the most time first. Empty if the program has no regions.
    pub regions: Vec<Region>,
    /// The time in regions of the program, those with the most time first. Empty if the program has no regions.
    pub region_times: Vec<RegionTime>,
    /// The development over time, by rank and interval. Empty without `mpit run --series`.
    pub series: Vec<Interval>,
    /// The variables and event types that `mpit run --read` requested, by name.
    pub variables: Vec<Variable>,
    /// The ranks that arrived last in sampled collective operations, the most frequent one first. Empty if processes of the job are
    /// missing, because they may have been the last ones.
    pub late: Vec<Late>,
    /// The machines.
    pub nodes: Vec<Nodes>,
    /// The traffic inside of machines and between them.
    pub node_pairs: Vec<NodePair>,
    /// The traffic by kind.
    pub totals: Vec<KindTotal>,
    /// The ranks that have data, or that others communicate with.
    pub ranks: Vec<Rank>,
    /// The communicators.
    pub communicators: Vec<Comm>,
    /// The calls on communicators, those with the most time first.
    pub communicator_times: Vec<CommTime>,
    /// Messages by size.
    pub sizes: Vec<Size>,
    /// The traffic from rank to rank.
    pub pairs: Vec<Pair>,
}

/// A run and world.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The name that `mpit run` gave; `-` without it.
    pub name: String,
    /// The launcher's name for the world.
    pub world: String,
    /// The time at which MPI was initialized, in UTC.
    pub began: String,
}

impl Report {
    /// Returns the report of a job under this name.
    pub fn of(job: &Job, name: &str) -> Self {
        let run = job.identity.as_ref().map(|identity| Run {
            name: identity.run.clone(),
            world: identity.world.clone(),
            began: identity.began.clone(),
        });
        let nodes = job.nodes.names().iter().zip(job.nodes.ranks());
        Self {
            version: VERSION,
            name: name.to_owned(),
            run,
            about: job.about.iter().map(Fact::of).collect(),
            size: job.size,
            present: job.present,
            missing: job.missing.clone(),
            missing_nodes: job.missing_nodes.clone(),
            recovered: job.recovered.clone(),
            time: Time::of(&job.summary),
            calls: Call::all(&job.summary),
            call_times: CallTime::all(job).collect(),
            sites: Site::all(job),
            regions: Region::all(job),
            region_times: RegionTime::all(job),
            series: Interval::all(job).collect(),
            variables: Variable::all(job).collect(),
            late: job.summary.latest().iter().map(Late::of).collect(),
            nodes: nodes.map(|(name, ranks)| Nodes { name: name.clone(), ranks }).collect(),
            node_pairs: job.nodes.pairs(&shown(job)).iter().map(NodePair::of).collect(),
            totals: KindTotal::all(job).collect(),
            ranks: Rank::all(job),
            communicators: job.comms.iter().map(Comm::of).collect(),
            communicator_times: job.calls_on_comms().map(CommTime::of).collect(),
            sizes: Size::all(job),
            pairs: Pair::all(job).collect(),
        }
    }
}

/// Writes the JSON of a report.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_json(out: impl Write, report: &Report) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    json::write(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns the schema of the JSON.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Returns a sum as a number that all programs can read; more than 2^64 is not possible in practice.
pub(crate) fn number(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}

fn numbers(sum: Traffic) -> (u64, u64) {
    (number(sum.count), number(sum.bytes))
}
