//! The columns of the tables.

use mpit_format::rows::Kind;

use super::job_row::JobRow;
use crate::data::{
    Call, CallTime, Comm, CommTime, Duration, Interval, Late, NodePair, Rank, RankSeconds, Region, Site, Size,
};
use crate::sparse::Cell;

/// A column of a table, and its value in each row.
pub(super) struct Column<R> {
    pub(super) name: &'static str,
    pub(super) get: Getter<R>,
}

/// The type of a column, and the function that returns its value in a row, if it has one.
pub(super) enum Getter<R> {
    Integer(fn(&R) -> Option<u64>),
    Number(fn(&R) -> Option<f64>),
    Text(fn(&R) -> Option<&str>),
}

const fn integer<R>(name: &'static str, get: fn(&R) -> Option<u64>) -> Column<R> {
    Column { name, get: Getter::Integer(get) }
}

const fn number<R>(name: &'static str, get: fn(&R) -> Option<f64>) -> Column<R> {
    Column { name, get: Getter::Number(get) }
}

const fn text<R>(name: &'static str, get: fn(&R) -> Option<&str>) -> Column<R> {
    Column { name, get: Getter::Text(get) }
}

pub(super) const JOB: [Column<JobRow>; 22] = [
    text("run", |job| job.run.as_deref()),
    text("world", |job| job.world.as_deref()),
    text("began", |job| job.began.as_deref()),
    text("program", |job| job.program.as_deref()),
    text("command", |job| job.command.as_deref()),
    text("slurm_job", |job| job.slurm_job.as_deref()),
    text("mpi", |job| job.mpi.as_deref()),
    text("mpit", |job| job.mpit.as_deref()),
    integer("size", |job| Some(job.size.into())),
    integer("present", |job| Some(job.present.into())),
    integer("recovered", |job| Some(job.recovered)),
    integer("nodes", |job| Some(job.nodes)),
    integer("messages", |job| Some(job.messages)),
    integer("bytes", |job| Some(job.bytes)),
    integer("bytes_between_nodes", |job| job.bytes_between_nodes),
    number("elapsed", |job| job.time.as_ref().map(|time| time.elapsed.max)),
    number("in_mpi_mean", |job| job.time.as_ref().map(|time| time.in_mpi.mean)),
    number("in_mpi_min", |job| job.time.as_ref().map(|time| time.in_mpi.min)),
    number("in_mpi_max", |job| job.time.as_ref().map(|time| time.in_mpi.max)),
    number("parallel_efficiency", |job| job.time.as_ref().map(|time| time.parallel_efficiency.value)),
    number("load_balance", |job| job.time.as_ref().map(|time| time.load_balance.value)),
    number("communication_efficiency", |job| {
        job.time.as_ref().map(|time| time.communication_efficiency.value)
    }),
];

/// A pair of ranks: not a row of the JSON, of which there would be too many.
pub(super) type KindCell = (Kind, Cell);

pub(super) const PAIRS: [Column<KindCell>; 5] = [
    text("kind", |(kind, _)| Some(kind.as_str())),
    integer("from", |(_, cell)| Some(cell.from.into())),
    integer("to", |(_, cell)| Some(cell.to.into())),
    integer("messages", |(_, cell)| Some(cell.count)),
    integer("bytes", |(_, cell)| Some(cell.bytes)),
];

pub(super) const SIZES: [Column<Size>; 3] = [
    integer("bytes_from", |size| Some(size.bytes_from)),
    integer("bytes_below", |size| size.bytes_below),
    integer("messages", |size| Some(size.messages)),
];

pub(super) const COMMS: [Column<Comm>; 9] = [
    text("name", |comm| Some(&comm.name)),
    integer("size", |comm| Some(comm.size.into())),
    integer("communicators", |comm| Some(comm.communicators.into())),
    integer("o2a", |comm| Some(comm.o2a)),
    integer("o2a_bytes", |comm| Some(comm.o2a_bytes)),
    integer("a2o", |comm| Some(comm.a2o)),
    integer("a2o_bytes", |comm| Some(comm.a2o_bytes)),
    integer("a2a", |comm| Some(comm.a2a)),
    integer("a2a_bytes", |comm| Some(comm.a2a_bytes)),
];

pub(super) const RANKS: [Column<Rank>; 15] = [
    integer("rank", |rank| Some(rank.rank.into())),
    text("host", |rank| rank.host.as_deref()),
    integer("messages_out", |rank| Some(rank.messages_out)),
    integer("bytes_out", |rank| Some(rank.bytes_out)),
    integer("messages_in", |rank| Some(rank.messages_in)),
    integer("bytes_in", |rank| Some(rank.bytes_in)),
    number("elapsed", |rank| seconds(rank, |seconds| seconds.elapsed)),
    number("in_mpi", |rank| seconds(rank, |seconds| seconds.in_mpi)),
    number("p2p", |rank| seconds(rank, |seconds| seconds.p2p)),
    number("coll", |rank| seconds(rank, |seconds| seconds.coll)),
    number("osc", |rank| seconds(rank, |seconds| seconds.osc)),
    number("wait", |rank| seconds(rank, |seconds| seconds.wait)),
    number("io", |rank| seconds(rank, |seconds| seconds.io)),
    number("other", |rank| seconds(rank, |seconds| seconds.other)),
    number("idle_share", |rank| seconds(rank, |seconds| seconds.idle_share)),
];

fn seconds(rank: &Rank, of: fn(&RankSeconds) -> f64) -> Option<f64> {
    rank.seconds.as_ref().map(of)
}

pub(super) const NODE_PAIRS: [Column<NodePair>; 4] = [
    text("from", |pair| Some(&pair.from)),
    text("to", |pair| Some(&pair.to)),
    integer("messages", |pair| Some(pair.messages)),
    integer("bytes", |pair| Some(pair.bytes)),
];

pub(super) const CALLS: [Column<Call>; 10] = [
    text("name", |call| Some(&call.name)),
    text("area", |call| Some(&call.area)),
    integer("calls", |call| Some(call.calls)),
    number("seconds", |call| Some(call.seconds)),
    number("share", |call| call.share),
    number("mean", |call| Some(call.mean)),
    number("min", |call| Some(call.min)),
    number("max", |call| Some(call.max)),
    integer("max_rank", |call| Some(call.max_rank.into())),
    integer("bytes", |call| Some(call.bytes)),
];

pub(super) const CALL_TIMES: [Column<CallTime>; 10] = [
    text("call", |calls| Some(&calls.call)),
    text("communicator", |calls| calls.communicator.as_deref()),
    integer("calls", |calls| Some(calls.calls)),
    integer("timed", |calls| Some(calls.timed)),
    number("seconds", |calls| Some(calls.seconds)),
    number("min", |calls| calls.min),
    number("median", |calls| calls.median),
    number("p99", |calls| calls.p99),
    number("max", |calls| calls.max),
    integer("bytes", |calls| Some(calls.bytes)),
];

/// The durations of some calls: in the JSON these are members of the calls.
pub(super) struct Bin {
    call: String,
    communicator: Option<String>,
    duration: Duration,
}

/// Returns the durations of calls as rows.
pub(super) fn bins(calls: CallTime) -> impl Iterator<Item = Bin> {
    let CallTime { call, communicator, durations, .. } = calls;
    let row = move |duration| Bin { call: call.clone(), communicator: communicator.clone(), duration };
    durations.into_iter().map(row)
}

pub(super) const DURATIONS: [Column<Bin>; 5] = [
    text("call", |bin| Some(&bin.call)),
    text("communicator", |bin| bin.communicator.as_deref()),
    number("seconds_from", |bin| Some(bin.duration.from)),
    number("seconds_below", |bin| bin.duration.below),
    integer("calls", |bin| Some(bin.duration.calls)),
];

pub(super) const COMM_TIMES: [Column<CommTime>; 7] = [
    text("name", |comm| Some(&comm.name)),
    integer("p2p_calls", |comm| Some(comm.p2p_calls)),
    number("p2p_seconds", |comm| Some(comm.p2p_seconds)),
    integer("p2p_bytes", |comm| Some(comm.p2p_bytes)),
    integer("coll_calls", |comm| Some(comm.coll_calls)),
    number("coll_seconds", |comm| Some(comm.coll_seconds)),
    integer("coll_bytes", |comm| Some(comm.coll_bytes)),
];

pub(super) const LATE: [Column<Late>; 6] = [
    integer("rank", |late| Some(late.rank.into())),
    integer("last_in", |late| Some(late.last_in)),
    integer("operations", |late| Some(late.operations)),
    number("waited", |late| Some(late.waited)),
    number("share", |late| Some(late.share)),
    number("clock_error", |late| Some(late.clock_error)),
];

pub(super) const SITES: [Column<Site>; 11] = [
    text("site", |site| Some(&site.site)),
    text("call", |site| Some(&site.calls.call)),
    integer("calls", |site| Some(site.calls.calls)),
    number("seconds", |site| Some(site.calls.seconds)),
    number("mean", |site| Some(site.calls.mean)),
    number("max", |site| Some(site.calls.max)),
    integer("max_rank", |site| Some(site.calls.max_rank.into())),
    number("imbalance", |site| Some(site.calls.imbalance)),
    integer("bytes", |site| Some(site.calls.bytes)),
    text("module", |site| site.module.as_deref()),
    integer("offset", |site| site.offset),
];

pub(super) const REGIONS: [Column<Region>; 9] = [
    text("region", |region| Some(&region.region)),
    text("call", |region| Some(&region.calls.call)),
    integer("calls", |region| Some(region.calls.calls)),
    number("seconds", |region| Some(region.calls.seconds)),
    number("mean", |region| Some(region.calls.mean)),
    number("max", |region| Some(region.calls.max)),
    integer("max_rank", |region| Some(region.calls.max_rank.into())),
    number("imbalance", |region| Some(region.calls.imbalance)),
    integer("bytes", |region| Some(region.calls.bytes)),
];

pub(super) const SERIES: [Column<Interval>; 8] = [
    integer("rank", |interval| Some(interval.rank.into())),
    number("start", |interval| Some(interval.start)),
    number("end", |interval| Some(interval.end)),
    text("area", |interval| Some(&interval.area)),
    integer("calls", |interval| Some(interval.calls)),
    number("seconds", |interval| Some(interval.seconds)),
    integer("messages", |interval| Some(interval.messages)),
    integer("bytes", |interval| Some(interval.bytes)),
];
