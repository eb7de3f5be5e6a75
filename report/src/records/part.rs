//! The part of a node: the tables of its processes, written as their texts are parsed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use mpit_format::TrafficSum;
use mpit_format::messages::BINS;
use mpit_format::parse::{self, Comm, Row, Sink};
use mpit_format::profile::About;
use mpit_format::rows::Kind;
use mpit_format::times::{CallRow, LateRow, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use mpit_format::values::ValueRow;
use serde::{Deserialize, Serialize};

use super::atomic::{read_json, write_json};
use super::record_file::{Checksum, RecordWriter};
use super::record_tables::RecordTable;
use super::text::{bytes_of_bin, write_durations, write_operations};
use crate::problem::{Problem, Problems};
use crate::series::SeriesRow;

/// The content of a part beside its tables, in a file of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartFile {
    /// The number of processes of the world, as far as the texts show it.
    pub(super) size: u32,
    /// The processes with records, as ranges of ranks.
    pub(crate) ranks: Vec<(u32, u32)>,
    /// The processes that ended without `MPI_Finalize`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recovered: Vec<(u32, u32)>,
    /// Processes without records, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) missing: Vec<(u32, String)>,
    /// The nodes of the step of `srun` in which the node packed its files, as Slurm writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step_nodes: Option<String>,
    /// The tables with rows.
    pub(crate) tables: BTreeMap<String, Checksum>,
}

impl PartFile {
    pub(crate) const NAME: &'static str = "part.json";
}

/// Reads the file of a part.
pub(crate) fn part_file(part: &Path) -> io::Result<PartFile> {
    read_json(&part.join(PartFile::NAME))
}

/// Returns the ranges of ranks in any order.
pub(super) fn ranges(mut ranks: Vec<u32>) -> Vec<(u32, u32)> {
    ranks.sort_unstable();
    ranks.dedup();
    let mut all: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => all.push((rank, rank)),
        }
    }
    all
}

/// The text of one process, or of several.
pub(crate) struct TextOf<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: Vec<u8>,
    pub(crate) origin: parse::Origin,
    /// The machine, if the text itself does not name it.
    pub(crate) host: String,
}

/// The row of the process whose text is parsed.
struct Process {
    rank: u32,
    host: String,
    time: Option<TimeRow>,
}

/// The operations on a communicator of all processes, by the line of its name and members.
type Comms = HashMap<Box<[u8]>, (Comm, [TrafficSum; 3])>;

/// Writes the records of processes into the tables of a part.
#[derive(Default)]
pub(crate) struct PartWriter {
    directory: PathBuf,
    step_nodes: Option<String>,
    tables: [Option<RecordWriter>; RecordTable::ALL.len()],
    process: Option<Process>,
    /// The histogram of the line whose row is next.
    bins: Option<[u64; BINS]>,
    comms: Comms,
    ranks: Vec<u32>,
    recovered: Vec<u32>,
    size: u32,
    /// The file with the text.
    path: PathBuf,
    /// The machine of the process whose text is next; empty if only the text may have it.
    host: String,
    problems: Problems,
    /// The first error of writing, after which nothing is written.
    error: Option<io::Error>,
    text: String,
}

impl PartWriter {
    /// Begins the tables, in a directory that exists and is empty. `step_nodes` are the nodes of the Slurm step of these processes.
    pub(crate) fn new(directory: &Path, step_nodes: Option<String>) -> Self {
        Self { step_nodes, directory: directory.to_owned(), ..Self::default() }
    }

    /// Adds the text of a process, or of several.
    pub(crate) fn add(&mut self, text: &TextOf<'_>) {
        text.path.clone_into(&mut self.path);
        text.host.clone_into(&mut self.host);
        parse::text(self, &text.text, text.origin);
    }

    /// Adds rows of the series.
    pub(crate) fn add_series(&mut self, rows: &[SeriesRow]) {
        for SeriesRow { rank, start, end, area, calls, ns, messages, bytes } in rows {
            let numbers = [(*rank).into(), *start, *end, *calls, *ns, *messages, *bytes];
            self.put(RecordTable::Series, &numbers, &[area.as_str().as_bytes()]);
        }
    }

    /// Writes the rest, and the file with what the tables lack.
    pub(crate) fn finish(
        mut self,
        size: u32,
        recovered: Vec<u32>,
        missing: Vec<(u32, String)>,
    ) -> io::Result<(PartFile, Problems)> {
        self.end_process();
        self.put_comms();
        if let Some(error) = self.error {
            return Err(error);
        }
        let written = RecordTable::ALL.into_iter().zip(self.tables);
        let close = |(table, writer): (RecordTable, Option<RecordWriter>)| {
            Some(writer?.close().map(|checksum| (table.file(), checksum)))
        };
        let tables = written.filter_map(close).collect::<io::Result<_>>()?;
        self.recovered.extend(recovered);
        let part = PartFile {
            size: self.size.max(size),
            ranks: ranges(self.ranks),
            recovered: ranges(self.recovered),
            missing,
            step_nodes: self.step_nodes,
            tables,
        };
        write_json(&self.directory.join(PartFile::NAME), &part)?;
        Ok((part, self.problems))
    }

    fn put(&mut self, table: RecordTable, numbers: &[u64], texts: &[&[u8]]) {
        if self.error.is_none()
            && let Err(error) = self.try_put(table, numbers, texts)
        {
            self.error = Some(error);
        }
    }

    /// A table without rows has no file.
    fn try_put(&mut self, table: RecordTable, numbers: &[u64], texts: &[&[u8]]) -> io::Result<()> {
        let writer = &mut self.tables[table as usize];
        let writer = match writer {
            Some(writer) => writer,
            None => writer.insert(RecordWriter::create(&self.directory.join(table.file()), table)?),
        };
        writer.add(numbers, texts)
    }

    fn end_process(&mut self) {
        let Some(Process { rank, host, time }) = self.process.take() else { return };
        let words = time.as_ref().map_or(("", ""), |time| (time.mode.as_str(), time.clock.as_str()));
        let TimeRow { elapsed, domain, error, .. } = time.unwrap_or_default();
        let texts = [host.as_bytes(), words.0.as_bytes(), words.1.as_bytes()];
        self.put(RecordTable::Ranks, &[rank.into(), elapsed, domain, error], &texts);
    }

    fn put_comms(&mut self) {
        for (line, (comm, operations)) in std::mem::take(&mut self.comms) {
            self.put_comm(&line, comm, operations);
        }
    }

    fn put_comm(&mut self, line: &[u8], comm: Comm, [o2a, a2o, a2a]: [TrafficSum; 3]) {
        let (name, members) = line.split_at(comm.name_len.min(line.len()));
        let numbers = [comm.size.into(), o2a.count, o2a.bytes, a2o.count, a2o.bytes, a2a.count, a2a.bytes];
        // Behind the tab.
        self.put(RecordTable::Comms, &numbers, &[name, members.get(1..).unwrap_or_default()]);
    }
}

/// Returns the sums, unless one does not fit.
fn added(one: [TrafficSum; 3], other: [TrafficSum; 3]) -> Option<[TrafficSum; 3]> {
    let mut sums = one;
    for (sum, more) in sums.iter_mut().zip(other) {
        sum.count = sum.count.checked_add(more.count)?;
        sum.bytes = sum.bytes.checked_add(more.bytes)?;
    }
    Some(sums)
}

impl Sink for PartWriter {
    fn add_rank(&mut self, rank: u32) {
        self.end_process();
        self.ranks.push(rank);
        self.process = Some(Process { rank, host: std::mem::take(&mut self.host), time: None });
    }

    fn add_size(&mut self, size: u32) {
        self.size = self.size.max(size);
    }

    fn add_row(&mut self, row: Row) {
        let Row { kind, from, to, last, sum: TrafficSum { count, bytes } } = row;
        if let Some(bins) = self.bins.take() {
            for (bin, messages) in bins.into_iter().enumerate().filter(|(_, messages)| *messages > 0) {
                self.put(RecordTable::Sizes, &[from.into(), to.into(), bytes_of_bin(bin), messages], &[]);
            }
        }
        let numbers = [from.into(), to.into(), last.into(), count, bytes];
        self.put(RecordTable::Pairs, &numbers, &[Kind::as_str(kind).as_bytes()]);
    }

    fn add_sizes(&mut self, bins: &[u64; BINS]) {
        self.bins = Some(*bins);
    }

    fn known_comm(&self, line: &[u8]) -> Option<Comm> {
        self.comms.get(line).map(|(comm, _)| *comm)
    }

    fn add_comm(&mut self, line: &[u8], comm: Comm, operations: [TrafficSum; 3]) {
        let known = self.comms.entry_ref(line).or_insert((comm, Default::default()));
        if let Some(sums) = added(known.1, operations) {
            known.1 = sums;
        } else {
            let full = std::mem::replace(&mut known.1, operations);
            self.put_comm(line, comm, full);
        }
    }

    fn add_time(&mut self, _: u32, row: TimeRow) {
        if let Some(process) = &mut self.process {
            process.time = Some(row);
        }
    }

    fn add_call(&mut self, rank: u32, row: CallRow) {
        let mut text = std::mem::take(&mut self.text);
        write_durations(&mut text, &row.durations);
        let CallRow { region, site, count, timed, ns, min, max, bytes, .. } = row;
        let numbers = [rank.into(), region.into(), site, count, timed, ns, min, max, bytes];
        let texts = [row.call.name.as_bytes(), row.comm.as_bytes(), text.as_bytes()];
        self.put(RecordTable::Calls, &numbers, &texts);
        self.text = text;
    }

    fn add_late(&mut self, rank: u32, row: LateRow) {
        let mut text = std::mem::take(&mut self.text);
        let base = write_operations(&mut text, &row);
        let texts = [row.comm.as_bytes(), text.as_bytes()];
        self.put(RecordTable::Late, &[rank.into(), row.lineage, base], &texts);
        self.text = text;
    }

    fn add_site(&mut self, rank: u32, row: SiteRow) {
        let texts = [row.build_id.as_bytes(), row.module.as_bytes()];
        self.put(RecordTable::Sites, &[rank.into(), row.number, row.offset], &texts);
    }

    fn add_region(&mut self, rank: u32, row: RegionRow) {
        let numbers = [rank.into(), row.number.into(), row.mismatches];
        self.put(RecordTable::Regions, &numbers, &[row.name.as_bytes()]);
    }

    fn add_region_time(&mut self, rank: u32, row: RegionTimeRow) {
        let numbers = [rank.into(), row.number.into(), row.visits, row.ns];
        self.put(RecordTable::RegionTimes, &numbers, &[]);
    }

    fn add_value(&mut self, rank: u32, row: ValueRow) {
        let ValueRow { name, class, object, kind, elements, value, first } = row;
        let texts = [name.as_str(), &class, &object, kind.as_str(), &value, &first].map(str::as_bytes);
        self.put(RecordTable::Values, &[rank.into(), elements], &texts);
    }

    fn add_line(&mut self, rank: u32, component: String, text: String) {
        self.put(RecordTable::Lines, &[rank.into()], &[component.as_bytes(), text.as_bytes()]);
    }

    fn add_recovered(&mut self, rank: u32) {
        self.recovered.push(rank);
    }

    fn add_host(&mut self, _: u32, host: &str) {
        if let Some(process) = &mut self.process {
            host.clone_into(&mut process.host);
        }
    }

    fn add_about(&mut self, about: About) {
        self.put(RecordTable::Facts, &[], &[about.key.as_bytes(), about.value.as_bytes()]);
    }

    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        let path = &self.path;
        self.problems.add(|| Problem { path: path.clone(), line, what: what() });
    }
}
