//! The tables about time. They are empty if no time was recorded.

use mpit_format::calls::CALLS;

use super::{Row, Table};
use crate::job::Job;
use crate::rank_times::RankTime;
use crate::units::{bytes, duration, grouped, ratio};

pub(super) fn calls(job: &Job, top: usize) -> Table {
    let summary = &job.summary;
    let all = summary.longest_calls(usize::MAX);
    let run = summary.elapsed.sum().max(1) as f64;
    let most = all.first().map_or(0, |(_, stat)| stat.time.sum()).max(1) as f64;
    let rows = all.iter().take(top).map(|(call, stat)| Row {
        cells: vec![
            format!("MPI_{}", CALLS.get(usize::from(*call)).map_or("", |call| call.name)),
            grouped(stat.count),
            duration(stat.time.sum() as f64),
            ratio(stat.time.sum() as f64 / run),
            duration(summary.least_time(stat) as f64),
            duration(stat.time.mean_of(summary.processes)),
            duration(stat.time.max().map_or(0, |(ns, _)| ns) as f64),
            stat.time.max().map_or(String::new(), |(_, rank)| rank.to_string()),
            bytes(stat.bytes),
        ],
        bar: Some(stat.time.sum() as f64 / most),
    });
    Table {
        heading:
            "Calls: the time of all ranks, its share of the run, and the least, mean and most time of a rank"
                .into(),
        heads: &["call", "calls", "time", "of run", "least", "mean", "most", "rank", "bytes"],
        text_columns: 1,
        rows: rows.collect(),
        more: all.len().saturating_sub(top),
    }
}

pub(super) fn ranks(job: &Job, top: usize) -> Table {
    let longest = job.summary.elapsed.max().map_or(0, |(longest, _)| longest);
    let mut ranks: Vec<(u32, RankTime)> = job.times.iter().map(|(rank, time)| (*rank, *time)).collect();
    ranks.sort_by(|(one, a), (other, b)| b.in_mpi.cmp(&a.in_mpi).then(one.cmp(other)));
    let row = |(rank, time): &(u32, RankTime)| {
        let mut cells = vec![
            rank.to_string(),
            job.nodes.of(*rank).unwrap_or_default().to_owned(),
            duration(time.elapsed as f64),
            duration(time.in_mpi as f64),
        ];
        cells.extend(time.areas.map(|ns| if ns == 0 { String::new() } else { duration(ns as f64) }));
        cells.push(ratio(time.idle_share(longest)));
        Row { cells, bar: Some(time.in_mpi as f64 / longest.max(1) as f64) }
    };
    Table {
        heading: format!("Ranks with the most time in MPI, up to {top}, by area"),
        heads: &["rank", "node", "elapsed", "in MPI", "p2p", "coll", "osc", "wait", "io", "other", "idle"],
        text_columns: 2,
        rows: ranks.iter().take(top).map(row).collect(),
        more: ranks.len().saturating_sub(top),
    }
}

pub(super) fn late(job: &Job, top: usize) -> Table {
    let latest = job.summary.latest();
    let row = |one: &mpit_format::summary::Lateness| Row {
        cells: vec![
            one.rank.to_string(),
            grouped(one.last_in.into()),
            ratio(one.last_in as f64 / one.operations.max(1) as f64),
            duration(one.waited as f64),
            ratio(one.share()),
        ],
        bar: Some(one.last_in as f64 / one.operations.max(1) as f64),
    };
    Table {
        heading: format!(
            "Ranks that arrive last in collective operations ({} sampled), and the time that others wait for them there",
            grouped(latest.first().map_or(0, |one| one.operations).into())
        ),
        heads: &["rank", "last in", "", "waited", "of their time"],
        text_columns: 1,
        rows: latest.iter().take(top).map(row).collect(),
        more: latest.len().saturating_sub(top),
    }
}
