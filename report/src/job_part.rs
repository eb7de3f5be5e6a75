//! The records of some processes of a job, added up while files are read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use mpit_format::messages::BINS;
use mpit_format::profile::About;
use mpit_format::rows::Kind;
use mpit_format::summary::{Arrivals, ProcessTime};
use mpit_format::times::{CallRow, LateRow, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use mpit_format::values::ValueRow;
use mpit_format::{Identity, TrafficSum, parse};

use crate::comm_calls::{CommCalls, in_order};
use crate::comm_groups::{self, Collectives, groups};
use crate::job::{FACTS, Job, Line};
use crate::missing::{missing, missing_nodes};
use crate::nodes::Nodes;
use crate::origins::Reading;
use crate::problem::{Problem, Problems};
use crate::rank_times::{rank_times, summary_of};
use crate::series::SeriesRow;
use crate::variables::Variables;
use mpit_placement::{Cell, CellRange, Matrix};

/// The maximum number of ranks of a world with ranges of ranks, more than the largest machines have cores.
pub(crate) const MOST_RANKS: u32 = 1 << 24;

/// The records of the files that one thread reads, or of several.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) cells: [Vec<Cell>; Kind::ALL.len()],
    pub(crate) runs: [Vec<CellRange>; Kind::ALL.len()],
    /// Messages by size: empty or [`BINS`] numbers.
    pub(crate) sizes: Vec<u128>,
    /// Communicators by the text of the line that introduces them: name, tab, members.
    pub(crate) comms: HashMap<Box<[u8]>, (parse::Comm, Collectives)>,
    /// Ranks with data, in any order and possibly with duplicates.
    pub(crate) ranks: Vec<u32>,
    /// Ranks without data according to a container, with the reasons.
    pub(crate) missing: Vec<(u32, String)>,
    /// Ranks of processes that ended without `MPI_Finalize` and whose texts were recovered, in any order and possibly with duplicates.
    pub(crate) recovered: Vec<u32>,
    /// Further ranks that did not reach `MPI_Finalize` so far, in any order and possibly with duplicates.
    pub(crate) unfinished: Vec<u32>,
    pub(crate) lines: Vec<Line>,
    /// Notes about the end of some processes, by rank.
    pub(crate) notes: Vec<(u32, String)>,
    /// The machines of processes, in any order and possibly with duplicates.
    pub(crate) hosts: Vec<(u32, String)>,
    pub(crate) about: Vec<About>,
    /// The nodes of the Slurm step, as the parts of tables have them. They are equal, unless the parts are of several jobs.
    pub(crate) step_nodes: BTreeSet<String>,
    /// The time of processes, by rank.
    pub(crate) times: HashMap<u32, ProcessTime>,
    pub(crate) comm_calls: HashMap<Arc<str>, CommCalls>,
    pub(crate) arrivals: Arrivals,
    pub(crate) origins: Reading,
    /// The rows of the series, in any order.
    pub(crate) series: Vec<SeriesRow>,
    pub(crate) variables: Variables,
    pub(crate) size: u32,
    pub(crate) problems: Problems,
}

/// A part, with the file whose records it receives.
pub(crate) struct PartOf<'a> {
    pub(crate) part: &'a mut Part,
    pub(crate) path: &'a Path,
}

impl parse::Sink for PartOf<'_> {
    fn add_rank(&mut self, rank: u32) {
        self.part.ranks.push(rank);
    }

    fn add_size(&mut self, size: u32) {
        self.part.size = self.part.size.max(size);
    }

    #[inline]
    fn add_row(&mut self, row: parse::Row) {
        let parse::Row { kind, from, to, last, sum: TrafficSum { count, bytes } } = row;
        if to == last {
            self.part.cells[kind as usize].push(Cell { from, to, count, bytes });
        } else {
            self.part.runs[kind as usize].push(CellRange { from, to, last, count, bytes });
        }
    }

    #[inline]
    fn add_sizes(&mut self, bins: &[u64; BINS]) {
        self.part.add_sizes(bins);
    }

    fn known_comm(&self, line: &[u8]) -> Option<parse::Comm> {
        self.part.comms.get(line).map(|(comm, _)| *comm)
    }

    fn add_comm(&mut self, line: &[u8], comm: parse::Comm, operations: [TrafficSum; 3]) {
        let known = self.part.comms.entry_ref(line).or_insert((comm, Collectives::default()));
        comm_groups::add(&mut known.1, operations.map(Into::into));
    }

    fn add_line(&mut self, rank: u32, component: String, text: String) {
        self.part.lines.push(Line { rank, component, text });
    }

    fn add_recovered(&mut self, rank: u32) {
        self.part.recovered.push(rank);
    }

    fn add_host(&mut self, rank: u32, host: &str) {
        self.part.hosts.push((rank, host.to_owned()));
    }

    fn add_about(&mut self, about: About) {
        self.part.about.push(about);
    }

    fn add_time(&mut self, rank: u32, row: TimeRow) {
        self.part.times.entry(rank).or_default().add_time(&row);
        self.part.origins.add_time(rank, &row);
    }

    fn add_call(&mut self, rank: u32, row: CallRow) {
        self.part.times.entry(rank).or_default().add_call(&row);
        let comm = self.part.comm_calls.entry(Arc::clone(&row.comm));
        comm.or_insert_with(|| CommCalls::new(&row.comm)).add_row(&row);
        self.part.origins.add_call(rank, &row);
    }

    fn add_late(&mut self, rank: u32, row: LateRow) {
        // The time of the process, which comes first, has its clock.
        let domain = self.part.times.get(&rank).map_or(0, |time| time.domain);
        self.part.arrivals.add_row(rank, domain, &row);
    }

    fn add_site(&mut self, rank: u32, row: SiteRow) {
        self.part.origins.add_site(rank, row);
    }

    fn add_region(&mut self, rank: u32, row: RegionRow) {
        self.part.origins.add_region(rank, &row);
    }

    fn add_region_time(&mut self, rank: u32, row: RegionTimeRow) {
        self.part.origins.add_region_time(rank, row);
    }

    fn add_value(&mut self, rank: u32, row: ValueRow) {
        self.part.variables.add(rank, row);
    }

    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.part.problems.add(|| Problem { path: self.path.to_owned(), line, what: what() });
    }
}

impl Part {
    /// Returns a part without records, because they cannot be read.
    pub(crate) fn of_problem(problem: Problem) -> Self {
        let mut part = Self::default();
        part.problems.add(|| problem);
        part
    }

    fn add_sizes<N: Copy + Into<u128>>(&mut self, bins: &[N]) {
        self.sizes.resize(BINS, 0);
        for (sum, count) in self.sizes.iter_mut().zip(bins) {
            *sum += (*count).into();
        }
    }

    pub(crate) fn absorb(mut self, other: Self) -> Self {
        for (cells, more) in self.cells.iter_mut().zip(other.cells) {
            if cells.is_empty() {
                *cells = more;
            } else {
                cells.extend(more);
            }
        }
        for (runs, more) in self.runs.iter_mut().zip(other.runs) {
            runs.extend(more);
        }
        self.add_sizes(&other.sizes);
        for (line, (comm, collectives)) in other.comms {
            let known = self.comms.entry(line).or_insert((comm, Collectives::default()));
            comm_groups::add(&mut known.1, collectives);
        }
        self.ranks.extend(other.ranks);
        self.missing.extend(other.missing);
        self.recovered.extend(other.recovered);
        self.unfinished.extend(other.unfinished);
        self.lines.extend(other.lines);
        self.notes.extend(other.notes);
        self.hosts.extend(other.hosts);
        self.about.extend(other.about);
        self.step_nodes.extend(other.step_nodes);
        for (rank, time) in other.times {
            self.times.entry(rank).or_default().absorb(time);
        }
        for (name, calls) in other.comm_calls {
            self.comm_calls.entry(name).and_modify(|own| own.add(&calls)).or_insert(calls);
        }
        self.arrivals.merge(&other.arrivals);
        self.origins.absorb(other.origins);
        self.series.extend(other.series);
        self.variables.absorb(other.variables);
        self.size = self.size.max(other.size);
        self.problems.absorb(other.problems);
        self
    }

    /// Puts what files have in any order and possibly several times in order, and adds notes about it.
    fn sort(&mut self, notes: &mut Vec<String>) {
        let texts = self.ranks.len();
        // The stable sort keeps the lines of a process in the order of its file.
        self.lines.sort_by_key(|line| line.rank);
        self.notes.sort_unstable();
        notes.extend(self.notes.drain(..).map(|(_, note)| note));
        self.unfinished.extend(&self.recovered);
        for ranks in [&mut self.ranks, &mut self.recovered, &mut self.unfinished] {
            ranks.sort_unstable();
            ranks.dedup();
        }
        // Rank 0 has all facts, and the first process of each node has the facts about the Slurm step.
        let place = |fact: &About| FACTS.iter().position(|(key, _)| *key == fact.key);
        self.about.retain(|fact| place(fact).is_some());
        self.about.sort_by(|one, other| (place(one), one).cmp(&(place(other), other)));
        self.about.dedup();
        if self.ranks.len() < texts {
            let more = texts - self.ranks.len();
            notes.push(format!("{more} texts are of processes that have one already; they are added up"));
        }
    }

    /// Removes the ranges of ranks outside of the world, and adds a note about them: a damaged line may name any ranks, and reports have a row
    /// for each.
    fn remove_runs_outside(&mut self, notes: &mut Vec<String>) {
        let end = self.size.min(MOST_RANKS);
        let mut outside = 0;
        for runs in &mut self.runs {
            let before = runs.len();
            runs.retain(|run| run.last < end);
            outside += before - runs.len();
        }
        if outside > 0 {
            notes.push(format!(
                "{outside} ranges of ranks are not those of the {end} processes of the world; they are left out"
            ));
        }
    }

    /// Returns the number of processes in the world, as far as the files show.
    fn world_size(&self) -> u32 {
        let largest_peer = self.cells.iter().flatten().map(|cell| cell.from.max(cell.to)).max();
        let last_of_runs = self.runs.iter().flatten().map(|run| run.from.max(run.last)).max();
        let largest = largest_peer.max(last_of_runs).max(self.ranks.last().copied());
        largest.map_or(0, |last| last + 1).max(self.size)
    }

    pub(crate) fn finish(mut self, identity: Option<Identity>, mut notes: Vec<String>) -> Job {
        self.sizes.resize(BINS, 0);
        self.sort(&mut notes);
        self.remove_runs_outside(&mut notes);
        let size = self.world_size();
        let machines = Nodes::new(self.hosts);
        let mut runs = self.runs.into_iter();
        let matrices = self.cells.map(|cells| Matrix::with_runs(cells, runs.next().unwrap_or_default()));
        let mut summary = summary_of(size, &self.ranks, &machines, &matrices);
        summary.finalized = summary.processes - self.unfinished.len().min(self.ranks.len()) as u64;
        for (rank, time) in &self.times {
            summary.add_time(*rank, time);
        }
        summary.arrivals = self.arrivals;
        let missing = missing(size, &self.ranks, self.missing);
        let missing_nodes = if missing.is_empty() {
            Vec::new()
        } else {
            missing_nodes(&self.about, &self.step_nodes, machines.of_each(&self.ranks))
        };
        self.series.sort_unstable_by_key(SeriesRow::order);
        let origins = self.origins.finish();
        notes.extend(origins.notes.iter().cloned());
        Job {
            size,
            present: self.ranks.len() as u32,
            missing,
            missing_nodes,
            recovered: self.recovered,
            sizes: self.sizes,
            comms: groups(&self.comms),
            problems: self.problems.kept,
            more_problems: self.problems.more,
            lines: self.lines,
            notes,
            identity,
            about: self.about,
            times: rank_times(&self.times),
            comm_calls: in_order(self.comm_calls),
            origins,
            series: self.series,
            variables: self.variables,
            ranks: self.ranks,
            nodes: machines,
            summary,
            is_summary: false,
            matrices,
        }
    }
}
