//! The files that monitoring writes, one per process, in the form that tests compare. `mpit-format` parses them.

use std::{collections::BTreeMap, fs, path::Path};

use mpit_format::messages::BINS;
use mpit_format::parse::{self, Comm, Origin, Row, Sink};
use mpit_format::times::{CallRow, LateRow, RegionRow, SiteRow, TimeRow};

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
    /// The members, by their rank in the world; -1 for a process of another world.
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
    /// The time of the process.
    pub time: Option<TimeRow>,
    /// The calls by name and communicator.
    pub calls: Vec<CallRow>,
    /// The sampled collective operations.
    pub late: Vec<LateRow>,
    /// The places in the program that make calls.
    pub sites: Vec<SiteRow>,
    /// The regions of the program.
    pub regions: Vec<RegionRow>,
    /// Lines of components: full name, tab, text.
    pub lines: Vec<String>,
}

impl Prof {
    /// Reads the file that rank `me` wrote for the stem `stem`. A failure names the line.
    pub fn read(stem: &Path, me: u32) -> Outcome<Self> {
        let path = format!("{}.{me}.prof", stem.display());
        let text = fs::read_to_string(&path).context(&path)?;
        Self::parse(&text, me).context(&path)
    }

    /// Parses the text of a file that rank `me` wrote. A failure names the line.
    pub fn parse(text: &str, me: u32) -> Outcome<Self> {
        check_order(text)?;
        let mut reader = Reader { prof: Self::default(), me, histogram: None, problems: Vec::new() };
        parse::text(&mut reader, text.as_bytes(), Origin { line: 1, rank: Some(me) });
        Failure::unless(reader.problems.is_empty(), || reader.problems.join("\n"))?;
        Ok(reader.prof)
    }

    /// Returns the content without the times, which differ between runs.
    #[must_use]
    pub fn without_times(self) -> Self {
        Self {
            time: None,
            calls: Vec::new(),
            late: Vec::new(),
            sites: Vec::new(),
            regions: Vec::new(),
            ..self
        }
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

/// The beginnings of lines that are not rows, in the order of a file. Rows follow the headings, which are whole lines.
const ORDER: [&str; 13] = [
    "# MPIT RUN\t",
    "# POINT TO POINT",
    "# OSC",
    "# COLLECTIVES",
    "# TIME\t",
    "# CALL\t",
    "# LATE\t",
    "# SITE\t",
    "# REGION\t",
    "# VISITS\t",
    "# COMPONENT\t",
    "# ABOUT\t",
    "# RECOVERED",
];

/// Fails unless the lines are in the order in which monitoring writes them: the identity in the first line, each heading once,
/// then times, lines of components and facts about the job, the mark of a recovered file in the last line. The parser accepts other orders
/// as well.
fn check_order(text: &str) -> Outcome {
    /// The last heading, which rows follow.
    const LAST_HEADING: usize = 3;
    /// The first and the last of the lines that may be there several times.
    const CALL: usize = 5;
    const ABOUT: usize = 11;
    let mut last = None;
    for (number, line) in (1..).zip(text.lines()) {
        let place = ORDER.iter().position(|begin| line.starts_with(begin));
        let is_right = match place {
            Some(CALL..=ABOUT) => last >= Some(LAST_HEADING) && last <= place,
            Some(_) => last < place,
            None => last <= Some(LAST_HEADING),
        };
        Failure::unless(is_right, || format!("line {number}: not in its place: {line}"))?;
        last = last.max(place);
    }
    Ok(())
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
    fn add_row(&mut self, row: Row) {
        let histogram = self.histogram.take();
        let traffic = Traffic { bytes: row.sum.bytes, messages: row.sum.count, histogram };
        let peers =
            if row.to == row.last && row.to == self.me { row.from..=row.from } else { row.to..=row.last };
        for peer in peers {
            if self.prof.rows.insert((row.kind.letter(), peer), traffic.clone()).is_some() {
                self.problems.push(format!("a second row {} for {peer}", row.kind.letter()));
            }
        }
    }

    fn add_sizes(&mut self, bins: &[u64; BINS]) {
        self.histogram = Some(bins.to_vec());
    }

    fn add_comm(&mut self, line: &[u8], comm: Comm, collectives: [TrafficSum; 3]) {
        let (name, list) = line.split_at(comm.name_len);
        let [name, list] = [name, list].map(|text| String::from_utf8_lossy(text).into_owned());
        match members(list.trim_start_matches("\tprocs: ")) {
            Ok(members) => self.prof.communicators.push(Communicator { name, members, collectives }),
            Err(failure) => self.problems.push(failure.to_string()),
        }
    }

    fn add_time(&mut self, _rank: u32, row: TimeRow) {
        self.prof.time = Some(row);
    }

    fn add_call(&mut self, _rank: u32, row: CallRow) {
        self.prof.calls.push(row);
    }

    fn add_late(&mut self, _rank: u32, row: LateRow) {
        self.prof.late.push(row);
    }

    fn add_site(&mut self, _rank: u32, row: SiteRow) {
        self.prof.sites.push(row);
    }

    fn add_region(&mut self, _rank: u32, row: RegionRow) {
        self.prof.regions.push(row);
    }

    fn add_line(&mut self, _rank: u32, component: String, text: String) {
        self.prof.lines.push(format!("{component}\t{text}"));
    }

    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.problems.push(format!("line {line}: {}", what()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> String {
        let bins = ["0"; BINS - 1].join(",");
        format!(
            "# MPIT RUN\t-\tw\t2 ranks\t2026-11-22T08:15:00.123Z\n# POINT TO POINT\n\
             E\t0\t1\t108 bytes\t27 msgs sent\t27,{bins}\nI\t0\t1\t5 bytes\t1 msgs sent\n# OSC\n\
             # COLLECTIVES\nC\t0\t1\t0 bytes\t1 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1\n\
             O2A\t0\t0 bytes\t0 msgs sent\nA2O\t0\t0 bytes\t0 msgs sent\nA2A\t0\t0 bytes\t1 msgs sent\n\
             # COMPONENT\tpml_acme\tone\n# COMPONENT\tpml_acme\ttwo\n# RECOVERED\n"
        )
    }

    #[test]
    fn a_file_is_read_row_by_row() -> Outcome {
        let prof = Prof::parse(&sample(), 0)?;
        let row = prof.rows('E')[&1];
        assert_eq!((row.bytes, row.messages), (108, 27));
        assert_eq!(row.histogram.as_ref().map(|bins| (bins.len(), bins[0])), Some((BINS, 27)));
        assert_eq!(prof.rows('I')[&1].histogram, None);
        assert_eq!(prof.communicators[0].members, [0, 1]);
        assert_eq!(prof.communicators[0].collectives[2].count, 1);
        assert_eq!(prof.lines, ["pml_acme\tone", "pml_acme\ttwo"]);
        Ok(())
    }

    #[test]
    fn invalid_files_are_refused() {
        const COMPONENT: &str = "# COMPONENT\tpml_acme\tone\n";
        let sample = sample();
        let [run, heading] = [0, 1].map(|at| sample.split_inclusive('\n').nth(at).unwrap_or_default());
        // The change, and a part of the failure.
        let cases = [
            (sample.replace("27 msgs", "27 messages"), "msgs sent"),
            (sample.replace("27,", ""), "a histogram of 66 numbers"),
            (sample.replace("E\t0", "E\t1"), "the rank of the process"),
            (sample.replace("# OSC\n", ""), "the heading # OSC before"),
            (sample.replace("I\t0\t1\t", "S\t0\t1\t"), "# OSC"),
            (sample.replace("# OSC\n", "I\t0\t1\t5 bytes\t1 msgs sent\n# OSC\n"), "a second row I for 1"),
            (sample.trim_end().into(), "cut short"),
            // Lines that are not in their place.
            (format!("{COMPONENT}{sample}"), "line 1: not in its place"),
            (sample.replace("# OSC\n", &format!("{COMPONENT}# OSC\n")), "line 5: not in its place"),
            (sample.replace("D\t", &format!("{COMPONENT}D\t")), "line 9: not in its place"),
            (sample.replace("# OSC\n", "# RECOVERED\n# OSC\n"), "line 6: not in its place"),
            (format!("{sample}# RECOVERED\n"), "line 15: not in its place"),
            (format!("{sample}{COMPONENT}"), "line 15: not in its place"),
            (sample.replace("# OSC\n", &format!("{run}# OSC\n")), "line 5: not in its place"),
            (sample.replace("# RECOVERED\n", heading), "line 14: not in its place"),
        ];
        for (text, expected) in cases {
            match Prof::parse(&text, 0) {
                Ok(_) => panic!("accepted, expected {expected}:\n{text}"),
                Err(failure) => {
                    let failure = failure.to_string();
                    assert!(failure.contains(expected), "expected {expected}: {failure}\n{text}");
                }
            }
        }
    }

    #[test]
    fn members_are_expanded() -> Outcome {
        let cases: [(&str, &[i64]); 6] = [
            ("0", &[0]),
            ("0,2,-1", &[0, 2, -1]),
            ("4-7", &[4, 5, 6, 7]),
            ("7-4", &[7, 6, 5, 4]),
            ("20-10:5,-1", &[20, 15, 10, -1]),
            ("1-5:2,-1,8", &[1, 3, 5, -1, 8]),
        ];
        for (ranks, expected) in cases {
            assert_eq!(members(ranks)?, expected, "{ranks}");
        }
        assert!(members("0,").is_err() && members("x-3").is_err());
        Ok(())
    }
}
