//! The tables of a report, which the summary and the page show alike.

mod comm_calls;
mod origins;
mod series;
mod time;

use mpit_format::rows::Kind;

use crate::comm_groups::JobSum;
use crate::job::Job;
use crate::nodes::NodePair;
use crate::picture::shown;
use crate::ranks::{RankTraffic, traffic};
use crate::units::{bin, bytes, grouped, percent};

#[derive(Default)]
pub(crate) struct Table {
    pub(crate) heading: String,
    pub(crate) heads: &'static [&'static str],
    /// The number of columns of text, which come first; the others are of numbers.
    pub(crate) text_columns: usize,
    pub(crate) rows: Vec<Row>,
    /// The number of rows that are left out.
    pub(crate) more: usize,
}

pub(crate) struct Row {
    pub(crate) cells: Vec<String>,
    /// The length of the bar behind the cells, from 0 to 1.
    pub(crate) bar: Option<f64>,
}

impl Row {
    fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), bar: None }
    }
}

impl Table {
    /// Returns true if the rows have bars. Either all have one, or none.
    pub(crate) fn has_bars(&self) -> bool {
        self.rows.iter().any(|row| row.bar.is_some())
    }
}

pub(crate) fn totals(job: &Job) -> Table {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let JobSum { count, bytes: total } = job.total(kind);
        if count > 0 {
            let pairs = u128::from(job.matrix(kind).pairs());
            let names = [kind.letter().to_string(), kind.to_string()];
            let numbers = [grouped(count), grouped(total), bytes(total), grouped(pairs)];
            rows.push(Row::new(names.into_iter().chain(numbers)));
        }
    }
    let heads = &["", "kind", "messages", "bytes", "", "pairs"];
    Table { heading: "Totals".into(), heads, text_columns: 2, rows, ..Table::default() }
}

/// Returns the tables that are not empty, with `top` pairs of each kind and at most `comms` groups of communicators.
pub(crate) fn details(job: &Job, top: usize, comms: usize) -> impl Iterator<Item = Table> {
    let tables = [
        series::series(job),
        time::calls(job, top),
        comm_calls::calls(job, top),
        comm_calls::durations(job, top),
        origins::sites(job, top),
        origins::regions(job, top),
        time::ranks(job, top),
        time::late(job, top),
        comm_calls::communicators(job, comms),
        nodes(job, top),
        ranks(job, top),
        sizes(job),
        pairs(job, top),
        communicators(job, comms),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty())
}

/// Returns the traffic inside and between machines; empty if all known ranks are on one.
fn nodes(job: &Job, top: usize) -> Table {
    if job.nodes.names().len() < 2 {
        return Table::default();
    }
    let mut pairs = job.nodes.pairs(&shown(job));
    let all: u128 = pairs.iter().map(|pair| u128::from(pair.bytes)).sum();
    let between = pairs.iter().filter(|pair| pair.from != pair.to).map(|pair| u128::from(pair.bytes)).sum();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.bytes));
    let more = pairs.len().saturating_sub(top);
    let row = |pair: &NodePair<'_>| {
        let numbers = [grouped(pair.count.into()), grouped(pair.bytes.into()), bytes(pair.bytes.into())];
        Row::new([pair.from.to_owned(), pair.to.to_owned()].into_iter().chain(numbers))
    };
    let heading = format!(
        "Nodes: {}, with {} of the bytes between different ones",
        job.nodes.names().len(),
        percent(between, all)
    );
    let heads = &["from", "to", "messages", "bytes", ""];
    Table { heading, heads, text_columns: 2, rows: pairs.iter().take(top).map(row).collect(), more }
}

fn ranks(job: &Job, top: usize) -> Table {
    let mut ranks: Vec<_> = traffic(job).into_iter().collect();
    let sum = |traffic: &RankTraffic| u128::from(traffic.bytes_out) + u128::from(traffic.bytes_in);
    ranks.sort_by_key(|(rank, traffic)| (std::cmp::Reverse(sum(traffic)), *rank));
    let most = ranks.first().map_or(0, |(_, traffic)| sum(traffic)).max(1);
    let has_nodes = !job.nodes.names().is_empty();
    let row = |(rank, traffic): &(u32, RankTraffic)| {
        let mut cells = vec![rank.to_string()];
        if has_nodes {
            cells.push(job.nodes.of(*rank).unwrap_or_default().to_owned());
        }
        cells.extend([
            grouped(traffic.count_out.into()),
            bytes(traffic.bytes_out.into()),
            grouped(traffic.count_in.into()),
            bytes(traffic.bytes_in.into()),
        ]);
        Row { cells, bar: Some(sum(traffic) as f64 / most as f64) }
    };
    let heads: &[&str] = if has_nodes {
        &["rank", "node", "messages out", "bytes", "messages in", "bytes"]
    } else {
        &["rank", "messages out", "bytes", "messages in", "bytes"]
    };
    Table {
        heading: format!("Ranks with the most bytes out and in, up to {top}"),
        heads,
        text_columns: 1 + usize::from(has_nodes),
        rows: ranks.iter().take(top).map(row).collect(),
        more: ranks.len().saturating_sub(top),
    }
}

fn sizes(job: &Job) -> Table {
    let filled = |count: &u128| *count > 0;
    let first = job.sizes.iter().position(filled).unwrap_or(0);
    let end = job.sizes.iter().rposition(filled).map_or(0, |last| last + 1);
    let counts = &job.sizes[first..end];
    let most = counts.iter().copied().max().unwrap_or(1);
    let rows = (first..).zip(counts).map(|(at, count)| Row {
        cells: vec![bin(at), grouped(*count)],
        bar: Some(*count as f64 / most as f64),
    });
    Table {
        heading: "Messages by size".into(),
        heads: &["bytes", "messages"],
        rows: rows.collect(),
        ..Table::default()
    }
}

fn pairs(job: &Job, top: usize) -> Table {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        for cell in job.matrix(kind).top(top) {
            rows.push(Row::new([
                kind.letter().to_string(),
                cell.from.to_string(),
                cell.to.to_string(),
                grouped(cell.count.into()),
                grouped(cell.bytes.into()),
                bytes(cell.bytes.into()),
                bytes(u128::from(cell.bytes) / u128::from(cell.count.max(1))),
            ]));
        }
    }
    let heading = format!("Pairs with the most bytes, up to {top} of each kind");
    let heads = &["", "from", "to", "messages", "bytes", "", "average"];
    Table { heading, heads, text_columns: 1, rows, ..Table::default() }
}

fn communicators(job: &Job, limit: usize) -> Table {
    let mut rows = Vec::new();
    for comm in job.comms.iter().take(limit) {
        let mut row = vec![comm.name.clone(), comm.size.to_string(), comm.groups.to_string()];
        for sum in comm.collectives.in_order() {
            row.extend([grouped(sum.count), grouped(sum.bytes)]);
        }
        rows.push(Row::new(row));
    }
    let heading =
        "Communicators: collective operations from one to all (O2A), all to one (A2O), all to all (A2A)"
            .into();
    let heads = &["communicator", "size", "how many", "O2A", "bytes", "A2O", "bytes", "A2A", "bytes"];
    let more = job.comms.len().saturating_sub(limit);
    Table { heading, heads, text_columns: 1, rows, more }
}
