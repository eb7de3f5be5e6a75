//! The tables that the terminal and the page of HTML show alike: the most important rows of a report.

mod series;

use std::cmp::Reverse;

use mpit_format::rows::Kind;

use crate::columns::{Column, Row};
use crate::data::{
    Bin, Call, CallTime, Comm, CommTime, KindTotal, Late, NodePair, Pair, Rank, Region, RegionTime, Site,
    Size, Variable,
};
use crate::job::Job;
use crate::picture::shown;
use crate::ranks::{RankTraffic, traffic};
use crate::units::{grouped, percent};

/// A table as text.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) heading: String,
    /// The heads of the columns, with true for columns of names.
    pub(crate) heads: Vec<(&'static str, bool)>,
    pub(crate) rows: Vec<ViewRow>,
    /// The number of rows that are left out.
    pub(crate) more: usize,
}

pub(crate) struct ViewRow {
    pub(crate) cells: Vec<String>,
    /// The length of the bar behind the cells, from 0 to 1.
    pub(crate) bar: Option<f64>,
}

impl View {
    /// Returns the view of rows with their bars.
    fn of<R: Row>(
        heading: impl Into<String>,
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = (Option<f64>, R)>,
        more: usize,
    ) -> Self {
        let cells = |row: &R| columns.iter().flat_map(|column| column.texts(row)).collect();
        let rows = rows.into_iter().map(|(bar, row)| ViewRow { cells: cells(&row), bar }).collect();
        let heads = columns.iter().flat_map(Column::heads).collect();
        Self { heading: heading.into(), heads, rows, more }
    }

    /// Returns the view of the first `limit` of some rows. Their bars are relative to the first one.
    fn of_first<T, R: Row>(
        heading: impl Into<String>,
        all: &[T],
        limit: usize,
        row: impl Fn(&T) -> R,
        length: impl Fn(&T) -> f64,
    ) -> Self {
        let most = all.first().map_or(0.0, &length);
        let rows = all.iter().take(limit).map(|one| (Some(share(length(one), most)), row(one)));
        Self::of(heading, &R::columns(), rows, all.len().saturating_sub(limit))
    }

    /// Returns true if the rows have bars. Either all have one, or none.
    pub(crate) fn has_bars(&self) -> bool {
        self.rows.iter().any(|row| row.bar.is_some())
    }
}

fn share(part: f64, most: f64) -> f64 {
    if most > 0.0 { part / most } else { 0.0 }
}

fn without_bar<R>(row: R) -> (Option<f64>, R) {
    (None, row)
}

pub(crate) fn totals(job: &Job) -> View {
    let rows = KindTotal::all(job).map(without_bar);
    View::of("Totals", &KindTotal::columns(), rows, 0)
}

/// The number of calls whose durations are shown.
const WITH_DURATIONS: usize = 3;

/// Returns the views that are not empty, with `top` pairs of each kind and at most `comms` groups of communicators.
pub(crate) fn details(job: &Job, top: usize, comms: usize) -> impl Iterator<Item = View> {
    let summary = &job.summary;
    let call_times = job.call_times();
    let on_comms: Vec<_> = job.calls_on_comms().collect();
    let latest = summary.latest();
    let views = [
        series::series(job),
        View::of_first(
            "Calls: the time of all ranks, its share of the run, and the mean, min and max time of a rank",
            &summary.longest_calls(usize::MAX),
            top,
            |(call, stat)| Call::of(summary, *call, stat),
            |(_, stat)| stat.time.sum() as f64,
        ),
        View::of_first(
            "Calls by communicator: the time of all, and of a single call: the shortest, the bounds of half and of 99 %, the longest",
            &call_times,
            top,
            |(comm, calls)| CallTime::of(comm, calls),
            |(_, calls)| calls.sum.ns as f64,
        ),
        View::of(
            "Durations of single calls, of the calls with the most time",
            &Bin::columns(),
            call_times.iter().take(top.min(WITH_DURATIONS)).flat_map(|(comm, calls)| {
                let bins = CallTime::of(comm, calls).bins();
                let most = bins.iter().map(|bin| bin.calls).max().unwrap_or(0) as f64;
                bins.into_iter().map(move |bin| (Some(share(bin.calls as f64, most)), bin))
            }),
            0,
        ),
        View::of_first(
            "Sites: places in the program that call MPI, the time of all ranks, its share of the run, and the imbalance over \
             ranks (1 - mean / max)",
            &job.origins.sites,
            top,
            |site| Site::of(&job.origins, summary, site),
            |site| site.stat.time.sum() as f64,
        ),
        View::of_first(
            "Regions of the program: the time in each one without regions inside of it, its mean and maximum outside of MPI \
             (useful), and the efficiencies",
            &job.origins.region_times,
            top,
            |(region, stat)| RegionTime::of(&job.origins, summary, region, stat),
            |(_, stat)| stat.elapsed.sum() as f64,
        ),
        View::of_first(
            "Regions of the program: the calls in each one, and the imbalance over ranks (1 - mean / max)",
            &job.origins.regions,
            top,
            |region| Region::of(summary, region),
            |region| region.stat.time.sum() as f64,
        ),
        View::of(
            "Variables and events (--read): the values of ranks, of an array the sums of its elements",
            &Variable::columns(),
            Variable::all(job).map(without_bar),
            0,
        ),
        times_of_ranks(job, top),
        View::of(
            format!(
                "Ranks that arrive last in collective operations ({} sampled), and the time that others wait for them there",
                grouped(latest.first().map_or(0, |one| one.operations).into())
            ),
            &Late::columns(),
            latest.iter().take(top).map(Late::of).map(|late| (Some(late.last_share), late)),
            latest.len().saturating_sub(top),
        ),
        View::of_first(
            "Communicators: calls of messages (p2p), and collective operations (coll)",
            &on_comms,
            comms,
            |comm| CommTime::of(comm),
            |comm| comm.ns() as f64,
        ),
        nodes(job, top),
        traffic_of_ranks(job, top),
        sizes(job),
        View::of(
            format!("Pairs with the most bytes, up to {top} of each kind"),
            &Pair::columns(),
            Kind::ALL.into_iter().flat_map(|kind| {
                job.matrix(kind).top(top).into_iter().map(move |cell| without_bar(Pair::of(kind, cell)))
            }),
            0,
        ),
        View::of(
            "Communicators: collective operations from one to all (O2A), all to one (A2O), all to all (A2A)",
            &Comm::columns(),
            job.comms.iter().take(comms).map(Comm::of).map(without_bar),
            job.comms.len().saturating_sub(comms),
        ),
    ];
    views.into_iter().filter(|view| !view.rows.is_empty())
}

/// Returns the traffic inside and between machines; empty if all known ranks are on one.
fn nodes(job: &Job, top: usize) -> View {
    if job.nodes.names().len() < 2 {
        return View::default();
    }
    let mut pairs = job.nodes.pairs(&shown(job));
    let all: u128 = pairs.iter().map(|pair| u128::from(pair.bytes)).sum();
    let between = pairs.iter().filter(|pair| pair.from != pair.to).map(|pair| u128::from(pair.bytes)).sum();
    pairs.sort_by_key(|pair| Reverse(pair.bytes));
    let heading = format!(
        "Nodes: {}, with {} of the bytes between different ones",
        job.nodes.names().len(),
        percent(between, all)
    );
    let rows = pairs.iter().take(top).map(NodePair::of).map(without_bar);
    View::of(heading, &NodePair::columns(), rows, pairs.len().saturating_sub(top))
}

/// The columns of ranks that say which one a row is of.
const WHICH: [&str; 2] = ["rank", "host"];

fn times_of_ranks(job: &Job, top: usize) -> View {
    let longest = job.summary.elapsed.max().map_or(0, |(longest, _)| longest);
    let mut ranks: Vec<_> = job.times.iter().collect();
    ranks.sort_by_key(|(rank, time)| (Reverse(time.in_mpi), **rank));
    let rows = ranks.iter().take(top).map(|(rank, time)| {
        (Some(time.in_mpi as f64 / longest.max(1) as f64), Rank::of(job, **rank, RankTraffic::default()))
    });
    let mut columns = Rank::columns();
    columns.retain(|column| column.is_inside || WHICH.contains(&column.name));
    let heading = format!("Ranks with the most time in MPI, up to {top}, by area");
    View::of(heading, &columns, rows, ranks.len().saturating_sub(top))
}

fn traffic_of_ranks(job: &Job, top: usize) -> View {
    let mut ranks: Vec<_> = traffic(job).into_iter().collect();
    ranks.sort_by_key(|(rank, traffic)| (Reverse(traffic.bytes()), *rank));
    let most = ranks.first().map_or(0, |(_, traffic)| traffic.bytes()).max(1) as f64;
    let rows = ranks
        .iter()
        .take(top)
        .map(|(rank, traffic)| (Some(traffic.bytes() as f64 / most), Rank::of(job, *rank, *traffic)));
    let mut columns = Rank::columns();
    let has_nodes = !job.nodes.names().is_empty();
    columns.retain(|column| !column.is_inside && (has_nodes || column.name != "host"));
    let heading = format!("Ranks with the most bytes out and in, up to {top}");
    View::of(heading, &columns, rows, ranks.len().saturating_sub(top))
}

fn sizes(job: &Job) -> View {
    let sizes: Vec<_> = Size::all(job).into_iter().skip_while(|size| size.messages == 0).collect();
    let most = sizes.iter().map(|size| size.messages).max().unwrap_or(0) as f64;
    let rows = sizes.into_iter().map(|size| (Some(share(size.messages as f64, most)), size));
    View::of("Messages by size", &Size::columns(), rows, 0)
}
