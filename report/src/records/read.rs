//! Reading of tables: those of the nodes in parallel, and in a part the groups of rows of large tables.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpit_format::TrafficSum;
use mpit_format::messages::BINS;
use mpit_format::parse::{self, Comm, Sink};
use mpit_format::profile::About;
use mpit_format::rows::Kind;
use mpit_format::times::{CallRow, Clock, LateRow, Mode, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use mpit_format::values::{ValueKind, ValueRow};
use rayon::prelude::*;

use super::JobTables;
use super::part::{PartFile, part_file};
use super::record_file::{Checksum, Group, RecordReader, Row, check};
use super::record_tables::RecordTable;
use super::text::{bin_of_bytes, call, durations, operations};
use crate::job_part::{MOST_RANKS, Part, PartOf};
use crate::missing;
use crate::nodes::Nodes;
use crate::problem::{Problem, unreadable};
use crate::series::{self, SeriesRow};

/// Reads the tables of a job. `progress` receives the number of bytes of each piece that was read.
pub(crate) fn read(tables: &JobTables, progress: &(dyn Fn(u64) + Sync)) -> Part {
    let parts = match tables.parts() {
        Ok(parts) => parts,
        Err(error) => return Part::of_problem(unreadable(tables.directory(), &error)),
    };
    let is_one = parts.len() < 2;
    let read = parts.into_par_iter().map(|directory| read_part(&directory, progress));
    let mut whole = read.reduce(Part::default, Part::absorb);
    if is_one {
        return whole;
    }
    whole.ranks.sort_unstable();
    let twice = whole.ranks.iter().zip(whole.ranks.iter().skip(1)).find(|(one, next)| one == next);
    if let Some((twice, _)) = twice {
        let what = format!("rank {twice} is in several parts, and counts several times");
        whole.problems.add(|| Problem::of_file(tables.directory(), what));
    }
    whole
}

/// Returns the nodes without records, as far as the tables have the names of the nodes of a Slurm step. There are none if a table cannot be read.
pub(crate) fn missing_nodes(tables: &JobTables) -> Vec<String> {
    let progress = |_: u64| ();
    let mut whole = Part::default();
    for directory in tables.parts().unwrap_or_default() {
        let Ok(file) = part_file(&directory) else { return Vec::new() };
        let reader = PartReader { directory: &directory, progress: &progress, tables: &file.tables };
        reader.add_rows(RecordTable::Ranks, &mut whole, add_rank);
        reader.add_rows(RecordTable::Facts, &mut whole, add_fact);
        whole.step_nodes.extend(file.step_nodes);
    }
    if !whole.problems.kept.is_empty() {
        return Vec::new();
    }
    let machines = Nodes::new(whole.hosts);
    missing::missing_nodes(&whole.about, &whole.step_nodes, machines.of_each(&whole.ranks))
}

/// Reports rows that are not understood, if there are any.
fn report_wrong(part: &mut Part, path: &Path, wrong: u64) {
    if wrong > 0 {
        let what = format!("{wrong} rows have values that mpit does not write; they are left out");
        part.problems.add(|| Problem::of_file(path, what));
    }
}

/// Reads the part of a node. A table that cannot be read is a problem, and leaves the others.
fn read_part(directory: &Path, progress: &(dyn Fn(u64) + Sync)) -> Part {
    let file = match part_file(directory) {
        Ok(file) => file,
        Err(error) => return Part::of_problem(unreadable(&directory.join(PartFile::NAME), &error)),
    };
    let mut part = Part { size: file.size, missing: file.missing, ..Part::default() };
    // A damaged file may name any ranks.
    let mut next = 0;
    for (first, last) in file.recovered {
        part.recovered.extend(first.max(next)..last.saturating_add(1).min(MOST_RANKS));
        next = last.saturating_add(1).max(next);
    }
    part.step_nodes.extend(file.step_nodes);
    let reader = PartReader { directory, progress, tables: &file.tables };
    reader.checked(RecordTable::Ranks, &mut part, |part| reader.processes(part));
    let small: [(RecordTable, AddRow); 5] = [
        (RecordTable::Comms, add_comm),
        (RecordTable::Series, add_series),
        (RecordTable::Facts, add_fact),
        (RecordTable::Values, add_value),
        (RecordTable::Lines, add_line),
    ];
    for (table, add) in small {
        reader.add_rows(table, &mut part, add);
    }
    let pairs = reader.large(RecordTable::Pairs, add_pairs);
    let sizes = reader.large(RecordTable::Sizes, add_sizes);
    part.absorb(pairs).absorb(sizes)
}

/// Adds a row. Returns `None` if its values are none that mpit writes.
type AddRow = fn(&mut PartOf<'_>, Row<'_>) -> Option<()>;

/// Adds a group of rows. Returns the number of rows whose values are none that mpit writes.
type AddGroup = fn(&mut PartOf<'_>, &Group) -> u64;

struct PartReader<'a> {
    directory: &'a Path,
    tables: &'a BTreeMap<String, Checksum>,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl PartReader<'_> {
    fn path(&self, table: RecordTable) -> PathBuf {
        self.directory.join(table.file())
    }

    /// Opens a table; `None` if it has no rows.
    fn open(&self, table: RecordTable) -> io::Result<Option<RecordReader>> {
        let Some(checksum) = self.tables.get(&table.file()) else { return Ok(None) };
        check(&self.path(table), *checksum)?;
        RecordReader::open(&self.path(table), table).map(Some)
    }

    /// Reads something, and reports an error, and rows that are not understood.
    fn checked(&self, table: RecordTable, part: &mut Part, read: impl FnOnce(&mut Part) -> io::Result<u64>) {
        let path = self.path(table);
        match read(part) {
            Ok(wrong) => report_wrong(part, &path, wrong),
            Err(error) => part.problems.add(|| unreadable(&path, &error)),
        }
        (self.progress)(fs::metadata(&path).map_or(0, |file| file.len()));
    }

    /// Adds the rows of a table, and reports what is wrong with it.
    fn add_rows(&self, table: RecordTable, part: &mut Part, add: AddRow) {
        self.checked(table, part, |part| self.rows(table, part, add));
    }

    /// Reads the rows of a table. Returns the number of those that are not understood.
    fn rows(&self, table: RecordTable, part: &mut Part, add: AddRow) -> io::Result<u64> {
        let Some(reader) = self.open(table)? else { return Ok(0) };
        let path = self.path(table);
        let mut wrong = 0;
        for at in 0..reader.groups() {
            let group = reader.group(at)?;
            let sink = &mut PartOf { part, path: &path };
            wrong += group.rows().filter(|row| add(sink, *row).is_none()).count() as u64;
        }
        Ok(wrong)
    }

    /// Reads a large table in parallel.
    fn large(&self, table: RecordTable, add: AddGroup) -> Part {
        let path = self.path(table);
        let groups = match self.open(table) {
            Ok(reader) => reader.map_or(0, |reader| reader.groups()),
            Err(error) => return Part::of_problem(unreadable(&path, &error)),
        };
        let bytes = fs::metadata(&path).map_or(0, |file| file.len()) / groups.max(1) as u64;
        let one = |mut part: Part, at: usize| {
            // Opened for each group: threads would share the position in a file.
            match RecordReader::open(&path, table).and_then(|reader| reader.group(at)) {
                Ok(group) => {
                    let wrong = add(&mut PartOf { part: &mut part, path: &path }, &group);
                    report_wrong(&mut part, &path, wrong);
                }
                Err(error) => part.problems.add(|| unreadable(&path, &error)),
            }
            (self.progress)(bytes);
            part
        };
        (0..groups).into_par_iter().fold(Part::default, one).reduce(Part::default, Part::absorb)
    }

    /// Reads the processes one after the other, each with its rows of the tables about time, as its text has them.
    fn processes(&self, part: &mut Part) -> io::Result<u64> {
        let Some(ranks) = self.open(RecordTable::Ranks)? else { return Ok(0) };
        let mut tables = [
            (RecordTable::Calls, add_call as AddRow),
            (RecordTable::Late, add_late),
            (RecordTable::Sites, add_site),
            (RecordTable::Regions, add_region),
            (RecordTable::RegionTimes, add_region_time),
        ]
        .map(|(table, add)| (RowsOfRanks::open(self, table, part), add));
        let path = self.path(RecordTable::Ranks);
        let mut wrong = 0;
        for at in 0..ranks.groups() {
            for row in ranks.group(at)?.rows() {
                let sink = &mut PartOf { part, path: &path };
                let is_sound = add_rank(sink, row).is_some();
                wrong += u64::from(!is_sound);
                for (table, add) in &mut tables {
                    while let Some(of_rank) = table.next_of(row.number(0))? {
                        wrong += u64::from(!is_sound || add(sink, of_rank).is_none());
                    }
                }
            }
        }
        for (table, _) in &mut tables {
            wrong += table.rest()?;
        }
        Ok(wrong)
    }
}

/// The rows of a table that has those of each rank one after the other, in the order of the table of ranks.
struct RowsOfRanks {
    table: Option<RecordReader>,
    next_group: usize,
    group: Group,
    at: usize,
}

impl RowsOfRanks {
    /// Opens a table. One that cannot be read is a problem, and taken for empty.
    fn open(reader: &PartReader<'_>, table: RecordTable, part: &mut Part) -> Self {
        let opened = reader.open(table).unwrap_or_else(|error| {
            part.problems.add(|| unreadable(&reader.path(table), &error));
            None
        });
        (reader.progress)(fs::metadata(reader.path(table)).map_or(0, |file| file.len()));
        Self { table: opened, next_group: 0, group: Group::default(), at: 0 }
    }

    /// Returns the next row if it is one of this rank.
    fn next_of(&mut self, rank: u64) -> io::Result<Option<Row<'_>>> {
        if self.at == self.group.len() && !self.read_group()? {
            return Ok(None);
        }
        let row = self.group.row(self.at).filter(|row| row.number(0) == rank);
        self.at += usize::from(row.is_some());
        Ok(row)
    }

    /// Reads the next group that is not empty. Returns false if there is none.
    fn read_group(&mut self) -> io::Result<bool> {
        while let Some(table) = self.table.as_ref().filter(|table| self.next_group < table.groups()) {
            self.group = table.group(self.next_group)?;
            self.next_group += 1;
            self.at = 0;
            if self.group.len() > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the number of rows that are left, which are those of no process.
    fn rest(&mut self) -> io::Result<u64> {
        let mut rest = (self.group.len() - self.at) as u64;
        while self.read_group()? {
            rest += self.group.len() as u64;
        }
        Ok(rest)
    }
}

/// Returns the number of a rank, which is one of C's type int.
fn rank(row: Row<'_>, column: usize) -> Option<u32> {
    row.small(column).filter(|rank| *rank < 1 << 31)
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn name(bytes: &[u8]) -> Option<Arc<str>> {
    text(bytes).map(Arc::from)
}

fn add_rank(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let rank = rank(row, 0)?;
    let [host, mode, clock] = [0, 1, 2].map(|column| row.text(column));
    let host = text(host)?;
    let mut time = None;
    if !mode.is_empty() {
        let mode =
            [Mode::Off, Mode::Blocking, Mode::All].into_iter().find(|one| one.as_str().as_bytes() == mode)?;
        let clock =
            [Clock::Counter, Clock::System].into_iter().find(|one| one.as_str().as_bytes() == clock)?;
        let [elapsed, domain, error] = [1, 2, 3].map(|column| row.number(column));
        time = Some(TimeRow { mode, clock, elapsed, domain, error });
    }
    sink.add_rank(rank);
    if !host.is_empty() {
        sink.add_host(rank, host);
    }
    if let Some(time) = time {
        sink.add_time(rank, time);
    }
    Some(())
}

fn add_call(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let [site, count, timed, ns, min, max, bytes] = [2, 3, 4, 5, 6, 7, 8].map(|column| row.number(column));
    let call_row = CallRow {
        call: call(row.text(0))?,
        comm: name(row.text(1))?,
        region: row.small(1)?,
        site,
        count,
        timed,
        ns,
        min,
        max,
        bytes,
        durations: durations(text(row.text(2))?)?,
    };
    sink.add_call(rank(row, 0)?, call_row);
    Some(())
}

fn add_late(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let operations = operations(text(row.text(1))?, row.number(2))?;
    sink.add_late(rank(row, 0)?, LateRow { lineage: row.number(1), comm: name(row.text(0))?, operations });
    Some(())
}

fn add_site(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let [number, offset] = [1, 2].map(|column| row.number(column));
    let site = SiteRow { number, offset, build_id: name(row.text(0))?, module: name(row.text(1))? };
    sink.add_site(rank(row, 0)?, site);
    Some(())
}

fn add_region(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let region = RegionRow { number: row.small(1)?, mismatches: row.number(2), name: name(row.text(0))? };
    sink.add_region(rank(row, 0)?, region);
    Some(())
}

fn add_region_time(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let time = RegionTimeRow { number: row.small(1)?, visits: row.number(2), ns: row.number(3) };
    sink.add_region_time(rank(row, 0)?, time);
    Some(())
}

fn add_comm(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let [name, members] = [0, 1].map(|column| row.text(column));
    let comm = Comm { name_len: name.len(), size: row.small(0)? };
    let operations =
        [1, 3, 5].map(|column| TrafficSum { count: row.number(column), bytes: row.number(column + 1) });
    sink.add_comm(&[name, members].join(&b'\t'), comm, operations);
    Some(())
}

fn add_fact(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    sink.add_about(About::new(text(row.text(0))?, text(row.text(1))?));
    Some(())
}

fn add_series(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let [start, end, calls, ns, messages, bytes] = [1, 2, 3, 4, 5, 6].map(|column| row.number(column));
    let (rank, area) = (rank(row, 0)?, series::area(text(row.text(0))?)?);
    let row = SeriesRow { rank, start, end, area, calls, ns, messages, bytes };
    if !row.is_sound() {
        return None;
    }
    sink.part.series.push(row);
    Some(())
}

fn add_value(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let field = |column| text(row.text(column)).map(ToOwned::to_owned);
    let value = ValueRow {
        name: field(0)?,
        class: field(1)?,
        object: field(2)?,
        kind: ValueKind::of_word(&field(3)?)?,
        elements: row.number(1),
        value: field(4)?,
        first: field(5)?,
    };
    // The rules for lines hold for rows as well.
    sink.add_value(rank(row, 0)?, ValueRow::parse(&value.fields()).ok()?);
    Some(())
}

fn add_line(sink: &mut PartOf<'_>, row: Row<'_>) -> Option<()> {
    let [component, line] = [0, 1].map(|column| text(row.text(column)).map(ToOwned::to_owned));
    sink.add_line(rank(row, 0)?, component?, line?);
    Some(())
}

fn add_pairs(sink: &mut PartOf<'_>, group: &Group) -> u64 {
    let of_letter = |letter: &[u8]| Kind::ALL.into_iter().find(|kind| kind.as_str().as_bytes() == letter);
    let add = |row: Row<'_>| {
        let kind = of_letter(row.text(0))?;
        let (from, to, last) = (rank(row, 0)?, rank(row, 1)?, rank(row, 2)?);
        let sum = TrafficSum { count: row.number(3), bytes: row.number(4) };
        let is_range = last > to && kind == Kind::Collective;
        if sum.count == 0 || last != to && !is_range {
            return None;
        }
        sink.add_row(parse::Row { kind, from, to, last, sum });
        Some(())
    };
    group.rows().map(add).filter(Option::is_none).count() as u64
}

fn add_sizes(sink: &mut PartOf<'_>, group: &Group) -> u64 {
    let mut bins = [0_u64; BINS];
    let mut wrong = 0;
    for row in group.rows() {
        let (bin, messages) = (bin_of_bytes(row.number(2)), row.number(3));
        match bins[bin].checked_add(messages) {
            Some(sum) => bins[bin] = sum,
            None => wrong += 1,
        }
    }
    if group.len() > 0 {
        sink.add_sizes(&bins);
    }
    wrong
}
