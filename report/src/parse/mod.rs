//! Parser of the text of a `.prof` file, of one process or of several one after the other.
//!
//! A line that is not understood is reported and skipped, and parsing continues with the next one.

mod cursor;

use std::path::Path;

use cursor::{Cursor, Expected};

use crate::BINS;
use crate::input::{Identity, RUN_WORD};
use crate::job::{Collectives, Comm, Line, Part, TrafficSum};
use crate::matrix::{Cell, Kind};
use crate::problem::Problem;

/// The origin of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) path: &'a Path,
    /// The number of its first line.
    pub(crate) line: u64,
    /// The expected rank, if it is known.
    pub(crate) rank: Option<u32>,
}

/// Parses a text, and adds its data to `part`.
pub(crate) fn text<'a>(part: &'a mut Part, text: &'a [u8], origin: Origin<'a>) {
    let mut reader = Reader { part, origin, section: None, comm: CommState::None, rank: origin.rank };
    reader.part.ranks.extend(origin.rank);
    let mut line = origin.line;
    let mut rest = text;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        if let Err(error) = reader.line(&rest[..end]) {
            reader.report_problem(line, &rest[..end], error);
        }
        rest = &rest[end + 1..];
        line += 1;
    }
    if !rest.is_empty() {
        reader.report_problem(line, rest, "an end of the line; the file is cut short");
    } else if let Err(expected) = reader.end_of_process() {
        reader.report_problem(line, b"", expected);
    }
}

/// The headings, in their order.
const SECTIONS: [&[u8]; 3] = [b"# POINT TO POINT", b"# OSC", b"# COLLECTIVES"];

struct Reader<'a> {
    part: &'a mut Part,
    origin: Origin<'a>,
    /// The index of the last heading.
    section: Option<usize>,
    comm: CommState<'a>,
    /// The rank in the last line.
    rank: Option<u32>,
}

/// The communicator that the next line is about.
enum CommState<'a> {
    None,
    /// Its line has been reported already; the lines that belong to it are skipped without a report.
    NotUnderstood,
    Of(&'a [u8], Comm),
}

impl<'a> Reader<'a> {
    #[inline]
    fn line(&mut self, line: &'a [u8]) -> Result<(), Expected> {
        let (word, rest) = match memchr::memchr(b'\t', line) {
            Some(at) => (&line[..at], Cursor(&line[at + 1..])),
            None => (line, Cursor(&[])),
        };
        match word {
            b"E" => self.messages(Kind::External, rest),
            b"I" => self.messages(Kind::Internal, rest),
            b"S" => self.sum(Kind::Sent, rest),
            b"R" => self.sum(Kind::Received, rest),
            b"C" => self.sum(Kind::Collective, rest),
            b"D" => self.comm(rest),
            b"O2A" => self.collectives(rest, |all| &mut all.one_to_all),
            b"A2O" => self.collectives(rest, |all| &mut all.all_to_one),
            b"A2A" => self.collectives(rest, |all| &mut all.all_to_all),
            _ if word.starts_with(b"#") => self.heading(line),
            _ => Err("a line that begins with E, I, S, R, C, D, O2A, A2O, A2A or #, and a tab"),
        }
    }

    fn heading(&mut self, line: &[u8]) -> Result<(), Expected> {
        const EXPECTED: Expected = "one of the headings POINT TO POINT, OSC, COLLECTIVES";
        // The identity was read when the files were found.
        if let Some(fields) = line.strip_prefix(RUN_WORD) {
            let identity = std::str::from_utf8(fields).ok().and_then(Identity::parse);
            let size = identity.ok_or("run, world, `ranks` and a time, with tabs between")?.size;
            self.part.size = self.part.size.max(size);
            return Ok(());
        }
        if let Some(fields) = line.strip_prefix(b"# COMPONENT\t") {
            return self.component(fields);
        }
        let section = SECTIONS.iter().position(|known| *known == line).ok_or(EXPECTED)?;
        // A repeated first heading begins the text of the next process.
        let in_order = if section == 0 && self.section.is_some() { self.end_of_process() } else { Ok(()) };
        if section == 0 && self.origin.rank.is_none() {
            self.rank = None;
        }
        let expected = self.section.map_or(0, |last| last + 1);
        self.section = Some(section);
        in_order?;
        match expected {
            _ if section == 0 || section == expected => Ok(()),
            0 => Err("the heading # POINT TO POINT before"),
            1 => Err("the heading # OSC before"),
            _ => Err("no second heading of this kind"),
        }
    }

    /// Parses a line of another component, which follows all other lines of its process.
    fn component(&mut self, fields: &[u8]) -> Result<(), Expected> {
        let tab = memchr::memchr(b'\t', fields).ok_or("the name of a component, a tab and a text")?;
        let rank = self.rank.ok_or("lines of a component after others of its process")?;
        let printable = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(char::is_control, " ");
        let (component, text) = (printable(&fields[..tab]), printable(&fields[tab + 1..]));
        self.part.lines.push(Line { rank, component, text });
        Ok(())
    }

    /// Fails unless all three headings were present, or none.
    fn end_of_process(&mut self) -> Result<(), Expected> {
        self.end_comm();
        match self.section {
            None if self.origin.line == 1 && self.origin.rank.is_none() && self.part.ranks.is_empty() => {
                Err("the heading # POINT TO POINT; is this the file of a monitoring component?")
            }
            None if self.origin.rank.is_some() => Err("the heading # POINT TO POINT; the file is cut short"),
            None | Some(2) => Ok(()),
            Some(0) => Err("the heading # OSC; the file is cut short"),
            Some(_) => Err("the heading # COLLECTIVES; the file is cut short"),
        }
    }

    /// Fails if a line is not under its heading, or not of the expected process.
    #[inline]
    fn belongs(&mut self, section: usize, rank: u32) -> Result<(), Expected> {
        if self.section != Some(section) {
            return Err(match section {
                0 => "lines E and I under the heading # POINT TO POINT",
                1 => "lines S and R under the heading # OSC",
                _ => "lines C, D, O2A, A2O and A2A under the heading # COLLECTIVES",
            });
        }
        if self.rank != Some(rank) {
            if self.origin.rank.is_some() {
                return Err("the rank of the process whose text this is");
            }
            // Several texts without headings may follow each other.
            self.rank = Some(rank);
            self.part.ranks.push(rank);
        }
        Ok(())
    }

    #[inline]
    fn pair(&mut self, kind: Kind, rest: &mut Cursor<'_>) -> Result<Cell, Expected> {
        let me = rest.rank("the rank of the sender")?;
        rest.literal(b"\t", "a tab after the rank of the sender")?;
        let peer = rest.rank("the rank of the receiver")?;
        let (bytes, count) = volume(rest)?;
        if count == 0 {
            return Err("a number of messages above 0");
        }
        let section = match kind {
            Kind::External | Kind::Internal => 0,
            Kind::Sent | Kind::Received => 1,
            Kind::Collective => 2,
        };
        self.belongs(section, me)?;
        // Fetched data comes from the other process.
        let (from, to) = if kind == Kind::Received { (peer, me) } else { (me, peer) };
        Ok(Cell { from, to, count, bytes })
    }

    #[inline]
    fn messages(&mut self, kind: Kind, mut rest: Cursor<'_>) -> Result<(), Expected> {
        let cell = self.pair(kind, &mut rest)?;
        // The histogram is on the line `E`, or else on the line `I`.
        if kind == Kind::External || !rest.0.is_empty() {
            rest.literal(b"\t", "a tab and a histogram")?;
            let bins = histogram(rest)?;
            for (all, count) in self.part.sizes.iter_mut().zip(bins) {
                *all += u128::from(count);
            }
        }
        self.part.cells[kind as usize].push(cell);
        Ok(())
    }

    fn sum(&mut self, kind: Kind, mut rest: Cursor<'_>) -> Result<(), Expected> {
        let cell = self.pair(kind, &mut rest)?;
        rest.end("the end of the line after `msgs sent`")?;
        self.part.cells[kind as usize].push(cell);
        Ok(())
    }

    fn comm(&mut self, rest: Cursor<'a>) -> Result<(), Expected> {
        self.end_comm();
        self.comm = CommState::NotUnderstood;
        if self.section != Some(2) {
            return Err("lines C, D, O2A, A2O and A2A under the heading # COLLECTIVES");
        }
        let line = without_number(rest.0)?;
        let rest = Cursor(line);
        // Each member has the same list in its text, so the list was parsed for the first member.
        let comm = match self.part.comms.get(line) {
            Some(known) => Comm { collectives: Collectives::default(), ..*known },
            None => introduction(rest)?,
        };
        if &line[..comm.name_len] == b"MPI_COMM_WORLD" {
            self.part.size = self.part.size.max(comm.size);
        }
        self.comm = CommState::Of(line, comm);
        Ok(())
    }

    fn collectives(
        &mut self,
        mut rest: Cursor<'_>,
        which: impl FnOnce(&mut Collectives) -> &mut TrafficSum,
    ) -> Result<(), Expected> {
        let me = rest.rank("the rank of the process")?;
        let (bytes, count) = volume(&mut rest)?;
        rest.end("the end of the line after `msgs sent`")?;
        self.belongs(2, me)?;
        match &mut self.comm {
            CommState::None => return Err("a line D before, with the communicator"),
            CommState::NotUnderstood => (),
            CommState::Of(_, comm) => {
                *which(&mut comm.collectives) = TrafficSum { count: count.into(), bytes: bytes.into() };
            }
        }
        Ok(())
    }

    /// Ends the current communicator.
    fn end_comm(&mut self) {
        if let CommState::Of(line, comm) = std::mem::replace(&mut self.comm, CommState::None) {
            self.part.add_comm(line, comm);
        }
    }

    #[cold]
    fn report_problem(&mut self, number: u64, line: &[u8], expected: Expected) {
        let path = self.origin.path;
        self.part.problems.add(|| Problem {
            path: path.to_owned(),
            line: number,
            what: format!("expected {expected}{}", found(line)),
        });
    }
}

/// Returns the beginning of a line, for a message to the user.
fn found(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    if line.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    let dots = if line.len() > SHOWN { "..." } else { "" };
    format!(": {:?}{dots}", text.as_ref())
}

/// Parses bytes and messages.
#[inline]
fn volume(rest: &mut Cursor<'_>) -> Result<(u64, u64), Expected> {
    rest.literal(b"\t", "a tab after the rank")?;
    let bytes = rest.number("a number of bytes")?;
    rest.literal(b" bytes\t", "` bytes` and a tab")?;
    let count = rest.number("a number of messages")?;
    rest.literal(b" msgs sent", "` msgs sent`")?;
    Ok((bytes, count))
}

#[inline]
fn histogram(mut rest: Cursor<'_>) -> Result<[u64; BINS], Expected> {
    const EXPECTED: Expected = "a histogram of 66 numbers with commas between";
    let mut bins = [0; BINS];
    for (at, bin) in bins.iter_mut().enumerate() {
        // Fast path: most bins are empty.
        if let Some(after) = rest.0.strip_prefix(b"0,") {
            rest = Cursor(after);
            if at + 1 < BINS {
                continue;
            }
            return Err(EXPECTED);
        }
        *bin = rest.number(EXPECTED)?;
        if at + 1 < BINS {
            rest.literal(b",", EXPECTED)?;
        }
    }
    rest.end("the end of the line after 66 numbers")?;
    Ok(bins)
}

/// Splits off the number of communicators that a line stands for: ` TAB comms: <number>`.
fn without_number(line: &[u8]) -> Result<&[u8], Expected> {
    let Some(at) = memchr::memrchr(b'\t', line) else { return Ok(line) };
    let mut rest = Cursor(&line[at + 1..]);
    if rest.literal(b"comms: ", "").is_ok() {
        rest.number("a number of communicators")?;
        rest.end("the end of the line after the number of communicators")?;
        return Ok(&line[..at]);
    }
    Ok(line)
}

/// Parses `<name> TAB procs: <ranks>,<ranks>,...`, where ranks are `7`, `-1`, `7-20`, `7-21:2` or `21-7:2`. Names have no
/// tabs.
fn introduction(mut rest: Cursor<'_>) -> Result<Comm, Expected> {
    let name_len = rest.until(b'\t', "the name of a communicator, and a tab")?.len();
    rest.literal(b"procs: ", "`procs: ` and ranks")?;
    let mut size: u32 = 0;
    loop {
        size = size.checked_add(members(&mut rest)?).ok_or("fewer members than 2^32")?;
        if rest.0.is_empty() {
            return Ok(Comm { name_len, size, collectives: Collectives::default() });
        }
        rest.literal(b",", "a comma between the ranks")?;
    }
}

/// Parses one part of the list and returns the number of members that it stands for.
fn members(rest: &mut Cursor<'_>) -> Result<u32, Expected> {
    // A member outside of the world.
    if rest.literal(b"-1", "").is_ok() {
        return Ok(1);
    }
    let first = rest.rank("a rank in the list of members")?;
    if rest.literal(b"-", "").is_err() {
        return Ok(1);
    }
    let last = rest.rank("the last rank of a range")?;
    let step = if rest.literal(b":", "").is_ok() { rest.rank("the step of a range of ranks")? } else { 1 };
    if step == 0 || !last.abs_diff(first).is_multiple_of(step) {
        return Err("a range from a rank to another in whole steps");
    }
    Ok(last.abs_diff(first) / step + 1)
}
