//! Reader of the files that monitoring writes, one per process.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use crate::{Context, Failure, Outcome};

/// The number of bins of a histogram: one for empty messages, then one per power of two.
pub const BINS: usize = 66;

/// The rank of a process outside of the world, which the files call -1.
pub const OUTSIDE: u32 = u32::MAX;

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
    /// The members, by their rank in the world; [`OUTSIDE`] for those that are not in it.
    pub members: Vec<u32>,
    /// Messages of one-to-all, all-to-one and all-to-all operations.
    pub collectives: [Traffic; 3],
}

/// The content of a file. Rows are kept by kind (`E`, `I`, `S`, `R`, `C`) and peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prof {
    rows: BTreeMap<(char, u32), Traffic>,
    /// The communicators, in the order of the file.
    pub communicators: Vec<Communicator>,
    /// Run, world, size and time from the line that identifies the run, if there is one.
    pub identity: Vec<String>,
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
        let mut parser = Parser { prof: Self::default(), me, section: 0 };
        Failure::unless(text.ends_with('\n'), || "the last line has no end".into())?;
        for (number, line) in text.lines().enumerate() {
            if let (0, Some(fields)) = (number, line.strip_prefix("# MPIT RUN\t")) {
                parser.prof.identity = fields.split('\t').map(String::from).collect();
                continue;
            }
            parser.line(line).context(format!("line {}: {line}", number + 1))?;
        }
        Failure::unless(parser.section == SECTIONS.len(), || {
            format!("no section {}", SECTIONS[parser.section])
        })?;
        Ok(parser.prof)
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

const SECTIONS: [&str; 3] = ["# POINT TO POINT", "# OSC", "# COLLECTIVES"];

/// The last line of a file that was recovered.
pub const RECOVERED: &str = "# RECOVERED";

const COLLECTIVES: [&str; 3] = ["O2A", "A2O", "A2A"];

struct Parser {
    prof: Prof,
    me: u32,
    /// The number of headings so far.
    section: usize,
}

impl Parser {
    fn line(&mut self, line: &str) -> Outcome {
        if let Some(line) = line.strip_prefix("# COMPONENT\t") {
            self.prof.lines.push(line.into());
            return Failure::unless(self.section == SECTIONS.len(), || {
                "a line of a component comes last".into()
            });
        }
        if line == RECOVERED && self.section == SECTIONS.len() {
            return Ok(());
        }
        if line.starts_with('#') {
            let expected = SECTIONS.get(self.section).copied().unwrap_or("no further heading");
            self.section += 1;
            return Failure::unless(line == expected, || format!("expected {expected}"));
        }
        let mut fields = line.split('\t');
        let word = fields.next().unwrap_or_default();
        let allowed = match word {
            "E" | "I" => 1,
            "S" | "R" => 2,
            _ => 3,
        };
        Failure::unless(self.section == allowed, || "this row belongs to another section".into())?;
        match word {
            "D" => {
                let name = fields.next().context("no name")?.to_owned();
                let list =
                    fields.next().and_then(|field| field.strip_prefix("procs: ")).context("no procs")?;
                let member = |text| if text == "-1" { Ok(OUTSIDE) } else { number(text) };
                let mut members = Vec::new();
                for ranks in list.split(',') {
                    match ranks.split_once('-').filter(|(first, _)| !first.is_empty()) {
                        None => members.push(member(ranks)?),
                        Some((first, range)) => {
                            let (end, step) = range.split_once(':').unwrap_or((range, "1"));
                            let (first, end): (u32, u32) = (number(first)?, number(end)?);
                            let step = number::<u32>(step)?.max(1) as usize;
                            if first <= end {
                                members.extend((first..=end).step_by(step));
                            } else {
                                members.extend((end..=first).rev().step_by(step));
                            }
                        }
                    }
                }
                let alike = fields.next().map(|field| field.strip_prefix("comms: ").context("no number"));
                alike.transpose()?.map(number::<u64>).transpose()?;
                self.prof.communicators.push(Communicator { name, members, collectives: Default::default() });
            }
            "E" | "I" | "S" | "R" | "C" => {
                self.check_rank(fields.next())?;
                let peer = number(fields.next().context("no peer")?)?;
                let traffic = traffic(&mut fields)?;
                Failure::unless(traffic.messages > 0, || "a row without messages".into())?;
                let kind = word.chars().next().unwrap_or_default();
                let twice = self.prof.rows.insert((kind, peer), traffic).is_some();
                Failure::unless(!twice, || "a second row for this peer".into())?;
            }
            _ => {
                let which = COLLECTIVES.iter().position(|known| *known == word).context("unknown row")?;
                self.check_rank(fields.next())?;
                let block = self.prof.communicators.last_mut().context("no D row before")?;
                block.collectives[which] = traffic(&mut fields)?;
            }
        }
        Failure::unless(fields.next().is_none(), || "something behind the row".into())
    }

    /// Fails unless a row begins with the rank of the process that wrote it.
    fn check_rank(&self, field: Option<&str>) -> Outcome {
        let rank: u32 = number(field.context("no rank")?)?;
        Failure::unless(rank == self.me, || format!("rank {} expected", self.me))
    }
}

fn traffic<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Outcome<Traffic> {
    let mut counted = |unit| number(fields.next().and_then(|field| field.strip_suffix(unit)).context(unit)?);
    let (bytes, messages) = (counted(" bytes")?, counted(" msgs sent")?);
    let histogram =
        fields.next().map(|list| list.split(',').map(number).collect::<Outcome<Vec<u64>>>()).transpose()?;
    if let Some(bins) = &histogram {
        Failure::unless(bins.len() == BINS, || format!("{} bins instead of {BINS}", bins.len()))?;
    }
    Ok(Traffic { bytes, messages, histogram })
}

fn number<T: std::str::FromStr<Err: fmt::Display>>(text: &str) -> Outcome<T> {
    text.parse().context(format!("{text:?} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> String {
        let bins = ["0"; BINS - 1].join(",");
        format!(
            "# POINT TO POINT\nE\t0\t1\t108 bytes\t27 msgs sent\t27,{bins}\nI\t0\t1\t5 bytes\t1 msgs sent\n# OSC\n\
             # COLLECTIVES\nC\t0\t1\t0 bytes\t1 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1,-1\nO2A\t0\t0 bytes\t0 msgs sent\n\
             A2O\t0\t0 bytes\t0 msgs sent\nA2A\t0\t0 bytes\t1 msgs sent\n"
        )
    }

    #[test]
    fn a_file_is_read_row_by_row() -> Outcome {
        let prof = Prof::parse(&sample(), 0)?;
        let rows = prof.rows('E');
        assert_eq!((rows[&1].bytes, rows[&1].messages), (108, 27));
        assert_eq!(rows[&1].histogram.as_ref().map(|bins| bins[0]), Some(27));
        assert_eq!(prof.rows('I')[&1].histogram, None);
        assert_eq!(prof.communicators[0].members, [0, 1, OUTSIDE]);
        assert_eq!(prof.communicators[0].collectives[2].messages, 1);
        Ok(())
    }

    #[test]
    fn invalid_files_are_refused() {
        let refused = |text: String| Prof::parse(&text, 0).is_err();
        assert!(refused(sample().replace("27 msgs", "27 messages")));
        assert!(refused(sample().replace("27,", "")));
        assert!(refused(sample().replace("E\t0", "E\t1")));
        assert!(refused(sample().replace("# OSC\n", "")));
        assert!(refused(sample().replace("I\t", "E\t")));
        assert!(refused(sample().trim_end().into()));
    }
}
