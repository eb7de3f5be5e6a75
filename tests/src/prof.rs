//! The files that monitoring writes, one per process, in the form that tests compare. `mpit-format` parses them.

use std::{collections::BTreeMap, fs, path::Path};

use mpit_format::messages::BINS;
use mpit_format::parse::{self, Comm, Origin, Row, Sink};

pub use mpit_format::TrafficSum;

use crate::{Context, Failure, Outcome};

/// Messages to one peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The sum of the messages' sizes.
    pub bytes: u64,
    /// The number of messages.
    pub messages: u64,
    /// The number of messages per power of two of their size, if the row has a histogram.
    pub histogram: Option<Vec<u64>>,
}

/// A communicator and the collective operations on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// The name.
    pub name: String,
    /// The members, by their rank in the world; -1 for those that are not in it.
    pub members: Vec<i64>,
    /// One-to-all, all-to-one and all-to-all operations.
    pub collectives: [TrafficSum; 3],
}

/// The content of a file. Rows are kept by kind (`E`, `I`, `S`, `R`, `C`) and peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prof {
    rows: BTreeMap<(char, u32), Traffic>,
    /// The communicators, in the order of the file.
    pub communicators: Vec<Communicator>,
    /// Lines of components: full name, tab, text.
    pub lines: Vec<String>,
}

impl Prof {
    /// Reads the file that rank `me` wrote for the stem `stem`.
    ///
    /// # Errors
    /// Fails if the file does not exist, or violates the grammar; the failure names the line.
    pub fn read(stem: &Path, me: u32) -> Outcome<Self> {
        let path = format!("{}.{me}.prof", stem.display());
        let text = fs::read_to_string(&path).context(&path)?;
        Self::parse(&text, me).context(&path)
    }

    /// Parses the text of a file that rank `me` wrote.
    ///
    /// # Errors
    /// Fails if the text violates the grammar; the failure names the line.
    pub fn parse(text: &str, me: u32) -> Outcome<Self> {
        let mut reader = Reader { prof: Self::default(), me, histogram: None, problems: Vec::new() };
        parse::text(&mut reader, text.as_bytes(), Origin { line: 1, rank: Some(me) });
        Failure::unless(reader.problems.is_empty(), || reader.problems.join("\n"))?;
        Ok(reader.prof)
    }

    /// Returns the rows of one kind, by peer.
    pub fn rows(&self, kind: char) -> BTreeMap<u32, &Traffic> {
        self.rows
            .iter()
            .filter(|((k, _), _)| *k == kind)
            .map(|((_, peer), traffic)| (*peer, traffic))
            .collect()
    }

    /// Returns peer, number and bytes of the program's own messages.
    pub fn sent(&self) -> Vec<(u32, u64, u64)> {
        self.rows('E').into_iter().map(|(peer, row)| (peer, row.messages, row.bytes)).collect()
    }
}

struct Reader {
    prof: Prof,
    me: u32,
    /// The histogram of the row that comes next.
    histogram: Option<Vec<u64>>,
    problems: Vec<String>,
}

/// Expands a list of ranks such as `0,4-7,20-10:5,-1`.
fn members(ranks: &str) -> Outcome<Vec<i64>> {
    let number = |text: &str| text.parse::<i64>().context(ranks);
    let mut members = Vec::new();
    for part in ranks.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').filter(|(from, _)| !from.is_empty()).unwrap_or((range, range));
        let (from, to, step) = (number(from)?, number(to)?, number(step)?);
        let (steps, direction) = ((to - from).abs() / step, (to - from).signum());
        members.extend((0..=steps).map(|at| from + at * step * direction));
    }
    Ok(members)
}

impl Sink for Reader {
    fn add_rank(&mut self, _rank: u32) {}

    fn add_size(&mut self, _size: u32) {}

    fn add_row(&mut self, row: Row) {
        let peer = if row.to == self.me { row.from } else { row.to };
        let histogram = self.histogram.take();
        let traffic = Traffic { bytes: row.sum.bytes, messages: row.sum.count, histogram };
        if self.prof.rows.insert((row.kind.letter(), peer), traffic).is_some() {
            self.problems.push(format!("a second row {} for {peer}", row.kind.letter()));
        }
    }

    fn add_sizes(&mut self, bins: &[u64; BINS]) {
        self.histogram = Some(bins.to_vec());
    }

    fn known_comm(&self, _line: &[u8]) -> Option<Comm> {
        None
    }

    fn add_comm(&mut self, line: &[u8], comm: Comm, collectives: [TrafficSum; 3]) {
        let (name, list) = line.split_at(comm.name_len);
        let [name, list] = [name, list].map(|text| String::from_utf8_lossy(text).into_owned());
        match members(list.trim_start_matches("\tprocs: ")) {
            Ok(members) => self.prof.communicators.push(Communicator { name, members, collectives }),
            Err(failure) => self.problems.push(failure.to_string()),
        }
    }

    fn add_line(&mut self, _rank: u32, component: String, text: String) {
        self.prof.lines.push(format!("{component}\t{text}"));
    }

    fn add_recovered(&mut self, _rank: u32) {}

    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.problems.push(format!("line {line}: {}", what()));
    }
}
