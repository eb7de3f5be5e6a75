//! The tables of calls by place and region of the program.

use super::{Row, Table};
use crate::job::Job;
use crate::origins::{OriginCalls, Region, Site, imbalance};
use crate::units::{bytes, duration, grouped, ratio};

pub(super) fn sites(job: &Job, top: usize) -> Table {
    let sites = &job.origins.sites;
    let row = |calls: &OriginCalls<Site>| row(job, calls, job.origins.describe(&calls.origin), sites);
    Table {
        heading: "Sites: places in the program that call MPI, the time of all ranks, its share of the run, and the imbalance over \
                  ranks (1 - mean / most)"
            .into(),
        heads: &["site", "call", "calls", "time", "of run", "mean", "most", "rank", "imbalance", "bytes"],
        text_columns: 2,
        rows: sites.iter().take(top).map(row).collect(),
        more: sites.len().saturating_sub(top),
    }
}

pub(super) fn regions(job: &Job, top: usize) -> Table {
    let regions = &job.origins.regions;
    let row = |calls: &OriginCalls<Region>| row(job, calls, calls.origin.name().to_owned(), regions);
    Table {
        heading:
            "Regions of the program: the calls in each one, and the imbalance over ranks (1 - mean / most)"
                .into(),
        heads: &["region", "call", "calls", "time", "of run", "mean", "most", "rank", "imbalance", "bytes"],
        text_columns: 2,
        rows: regions.iter().take(top).map(row).collect(),
        more: regions.len().saturating_sub(top),
    }
}

fn row<O>(job: &Job, of: &OriginCalls<O>, name: String, all: &[OriginCalls<O>]) -> Row {
    let (run, processes) = (job.summary.elapsed.sum().max(1) as f64, job.summary.processes);
    let most = all.first().map_or(0, |first| first.stat.time.sum()).max(1) as f64;
    let stat = &of.stat;
    let (max, rank) = stat.time.max().unwrap_or_default();
    let cells = vec![
        name,
        of.call(),
        grouped(stat.count),
        duration(stat.time.sum() as f64),
        ratio(stat.time.sum() as f64 / run),
        duration(stat.time.mean_of(processes)),
        duration(max as f64),
        rank.to_string(),
        ratio(imbalance(stat, processes)),
        bytes(stat.bytes),
    ];
    Row { cells, bar: Some(stat.time.sum() as f64 / most) }
}
