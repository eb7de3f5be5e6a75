//! The data of all files of one run.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mpit_format::Identity;
use mpit_format::profile::{About, NOT_RECORDED};
use mpit_format::rows::Kind;
use mpit_format::summary::{Summary, SummaryFile};
use mpit_job::slurm;

use crate::comm_calls::{CallTimes, CommCalls};
use crate::comm_groups::CommGroup;
use crate::missing::Missing;
use crate::nodes::Nodes;
use crate::origins::Origins;
use crate::problem::Problem;
use crate::rank_times::RankTime;
use crate::series::SeriesRow;
use crate::variables::Variables;
use mpit_placement::Matrix;

/// The combined data of the files of one run.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The number of processes in the world, as far as the files show.
    pub size: u32,
    /// The number of processes with data.
    pub present: u32,
    /// The processes without data, by ascending rank.
    pub missing: Vec<Missing>,
    /// The nodes of which no process has data, if processes are missing, the job is a step of Slurm, and the files
    /// have the names of its nodes.
    pub missing_nodes: Vec<String>,
    /// The ranks of processes that ended without `MPI_Finalize` and whose files were recovered, in ascending order.
    pub recovered: Vec<u32>,
    /// Messages by size, external and internal ones: bin 0 for empty messages, bin k + 1 for 2^k to 2^(k+1) - 1 bytes.
    pub sizes: Vec<u128>,
    /// The communicators, larger ones first.
    pub comms: Vec<CommGroup>,
    /// The first problems that were found.
    pub problems: Vec<Problem>,
    /// The number of further problems.
    pub more_problems: u64,
    /// Lines that other components added to the files.
    pub lines: Vec<Line>,
    /// Notes for the user about the files that were read.
    pub notes: Vec<String>,
    /// The run and world, if the files name them.
    pub identity: Option<Identity>,
    /// The program, the command, and versions, if the files name them.
    pub about: Vec<About>,
    /// The machines of the processes.
    pub nodes: Nodes,
    /// The most important numbers.
    pub summary: Summary,
    /// True if only the summary is known.
    pub is_summary: bool,
    /// The time of each rank, if the files have it.
    pub times: BTreeMap<u32, RankTime>,
    /// The calls by communicator, those with the most time first.
    pub comm_calls: Vec<CommCalls>,
    /// The calls by place and region of the program.
    pub(crate) origins: Origins,
    /// The development over time, by [`SeriesRow::order`]; empty without `mpit run --series`.
    pub(crate) series: Vec<SeriesRow>,
    /// The variables and events that `mpit run --read` requested.
    pub(crate) variables: Variables,
    /// The ranks with data, in ascending order.
    pub(crate) ranks: Vec<u32>,
    /// The traffic of each kind.
    pub(crate) matrices: [Matrix; Kind::ALL.len()],
}

impl Job {
    /// Returns the variables with their values.
    #[must_use]
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Creates a job of which only the summary is known.
    pub(crate) fn of_summary(file: SummaryFile) -> Self {
        let SummaryFile { identity, about, summary } = file;
        let present = u32::try_from(summary.processes).unwrap_or(u32::MAX);
        Self { size: summary.size, present, identity, about, summary, is_summary: true, ..Self::default() }
    }

    /// Returns the traffic of one kind.
    pub fn matrix(&self, kind: Kind) -> &Matrix {
        &self.matrices[kind as usize]
    }

    /// Returns the traffic of several kinds. It is not a copy if only one of them has any.
    pub fn matrix_of(&self, kinds: &[Kind]) -> Cow<'_, Matrix> {
        let mut some = kinds.iter().map(|kind| self.matrix(*kind)).filter(|matrix| !matrix.is_empty());
        match (some.next(), some.next()) {
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(Matrix::sum(kinds.iter().map(|kind| self.matrix(*kind)))),
        }
    }

    /// Returns the ranks that have data, in ascending order.
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Returns the calls on communicators, without those that name none.
    pub(crate) fn calls_on_comms(&self) -> impl Iterator<Item = &CommCalls> {
        self.comm_calls.iter().filter(|comm| !comm.name.is_empty())
    }

    /// Returns the calls of each name on each communicator, those with the most time first, without those outside of the measured time.
    pub(crate) fn call_times(&self) -> Vec<(&CommCalls, &CallTimes)> {
        let mut all: Vec<_> = self
            .comm_calls
            .iter()
            .flat_map(|comm| comm.calls.iter().map(move |calls| (comm, calls)))
            .filter(|(_, calls)| !calls.call.is_outside())
            .collect();
        all.sort_by_key(|(_, calls)| std::cmp::Reverse((calls.sum.ns, calls.sum.count)));
        all
    }

    /// Finds the source code of the places that call MPI, in the program's files on this machine. Notes name the files for which that
    /// is not possible.
    pub fn resolve_sites(&mut self) {
        self.notes.extend(self.origins.resolve());
    }

    /// Returns the facts about the job with their names, such as `MPI library`.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let name = |fact: &About| FACTS.iter().find(|(key, _)| *key == fact.key).map_or("", |(_, name)| name);
        self.about.iter().map(move |fact| (name(fact), fact.value.as_str()))
    }
}

/// The kinds of facts, in the order of reports, with their names for users.
pub(crate) const FACTS: [(&str, &str); 8] = [
    ("program", "program"),
    ("command", "command"),
    (slurm::JOB, "Slurm job"),
    (slurm::STEP, "Slurm step"),
    (slurm::NODES, "Slurm nodes"),
    ("mpi", "MPI library"),
    ("mpit", "mpit"),
    (NOT_RECORDED, "not recorded"),
];

/// A line that a third-party component added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The process, by its rank in the world.
    pub rank: u32,
    /// Framework and name of the component.
    pub component: String,
    /// The text.
    pub text: String,
}
