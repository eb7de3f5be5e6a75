//! Parser of the text of a `.prof` file, of one process or of several one after the other.
//!
//! A line that is not understood is reported and skipped, and parsing continues with the next one.

mod expected;
mod line_cursor;
mod time_lines;

use expected::Expected;
use line_cursor::LineCursor;

use crate::files::MAX_NAME;
use crate::messages::BINS;
use crate::profile::{
    ABOUT_WORD, About, CALL_WORD, COMPONENT_WORD, LATE_WORD, PATTERNS, RECOVERED_LINE, REGION_WORD,
    SITE_WORD, TIME_WORD, VISITS_WORD,
};
use crate::rows::{Kind, LineShape, Section};
use crate::times::{CallRow, LateRow, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use crate::{Identity, TrafficSum, identity};

/// The origin of a text.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The number of its first line in the file.
    pub line: u64,
    /// The expected rank, if it is known.
    pub rank: Option<u32>,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The kind.
    pub kind: Kind,
    /// The rank that sends the data.
    pub from: u32,
    /// The rank that receives the data.
    pub to: u32,
    /// The last one of the ranks from `to` on that each receive as much, which is `to` in most rows.
    pub last: u32,
    /// The number of messages or operations, which is not 0, and their bytes.
    pub sum: TrafficSum,
}

/// The name and size of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comm {
    /// The length of the name, with which the line begins.
    pub name_len: usize,
    /// The number of processes.
    pub size: u32,
}

/// A consumer of the content of texts. Ignores what it has no function for.
pub trait Sink {
    /// Adds a process, whose rows follow.
    fn add_rank(&mut self, _rank: u32) {}

    /// Adds the number of processes of the world, as one of the lines has it.
    fn add_size(&mut self, _size: u32) {}

    /// Adds a row.
    fn add_row(&mut self, _row: Row) {}

    /// Adds a histogram of message sizes.
    fn add_sizes(&mut self, _bins: &[u64; BINS]) {}

    /// Returns the communicator of a line that was added before. The texts of all members have the same line, which is parsed
    /// once.
    fn known_comm(&self, _line: &[u8]) -> Option<Comm> {
        None
    }

    /// Adds a communicator: the line that introduces it, of name, tab and members, and the operations of one process, from
    /// one to all, from all to one and from all to all.
    fn add_comm(&mut self, _line: &[u8], _comm: Comm, _operations: [TrafficSum; 3]) {}

    /// Adds the time of a process.
    fn add_time(&mut self, _rank: u32, _row: TimeRow) {}

    /// Adds the calls of one name on a communicator.
    fn add_call(&mut self, _rank: u32, _row: CallRow) {}

    /// Adds the sampled operations on a communicator.
    fn add_late(&mut self, _rank: u32, _row: LateRow) {}

    /// Adds a place in the program, whose calls were added before.
    fn add_site(&mut self, _rank: u32, _row: SiteRow) {}

    /// Adds a region of the program, whose calls were added before.
    fn add_region(&mut self, _rank: u32, _row: RegionRow) {}

    /// Adds the time in a region.
    fn add_region_time(&mut self, _rank: u32, _row: RegionTimeRow) {}

    /// Adds the line of another component.
    fn add_line(&mut self, _rank: u32, _component: String, _text: String) {}

    /// Adds the mark of a process that ended without `MPI_Finalize`, and whose text was recovered.
    fn add_recovered(&mut self, _rank: u32) {}

    /// Adds the machine of a process.
    fn add_host(&mut self, _rank: u32, _host: &str) {}

    /// Adds a fact about the job.
    fn add_about(&mut self, _about: About) {}

    /// Adds a line that was not understood, and is skipped.
    fn add_problem(&mut self, _line: u64, _what: impl FnOnce() -> String) {}
}

/// Parses a text, and adds its data to `sink`.
pub fn text(sink: &mut impl Sink, text: &[u8], origin: Origin) {
    let has_ranks = origin.rank.is_some();
    let mut reader = Reader {
        sink,
        origin,
        section: None,
        comm: CommState::None,
        rank: origin.rank,
        has_ranks,
        host: None,
    };
    if let Some(rank) = origin.rank {
        reader.sink.add_rank(rank);
    }
    let mut line = origin.line;
    let mut rest = text;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        if let Err(error) = reader.line(&rest[..end]) {
            reader.report_problem(line, &rest[..end], &error);
        }
        rest = &rest[end + 1..];
        line += 1;
    }
    if !rest.is_empty() {
        reader.report_problem(line, rest, &"an end of the line; the file is cut short".into());
    } else if let Err(expected) = reader.end_of_process() {
        reader.report_problem(line, b"", &expected.into());
    }
}

struct Reader<'a, S> {
    sink: &'a mut S,
    origin: Origin,
    section: Option<Section>,
    comm: CommState<'a>,
    /// The process of the lines, from the origin or from the last row.
    rank: Option<u32>,
    /// True if any process is known, so that a text without headings may be one.
    has_ranks: bool,
    /// The machine of the process whose rank is not known yet.
    host: Option<String>,
}

enum CommState<'a> {
    None,
    /// The line of the communicator was reported. The lines that belong to it are skipped without a report.
    NotUnderstood,
    Of(&'a [u8], Comm, [TrafficSum; 3]),
}

impl<'a, S: Sink> Reader<'a, S> {
    #[inline]
    fn line(&mut self, line: &'a [u8]) -> Result<(), Expected> {
        let (word, rest) = match memchr::memchr(b'\t', line) {
            Some(at) => (&line[..at], LineCursor(&line[at + 1..])),
            None => (line, LineCursor(&[])),
        };
        if let Some(kind) = Kind::of_word(word) {
            return self.row(kind, rest);
        }
        match word {
            b"D" => self.comm(rest),
            _ if word.starts_with(b"#") => Ok(self.heading(line)?),
            _ => match PATTERNS.iter().position(|pattern| pattern.as_bytes() == word) {
                Some(pattern) => self.operations(pattern, rest),
                None => Err(expected::any_line()),
            },
        }
    }

    fn heading(&mut self, line: &[u8]) -> Result<(), &'static str> {
        // Only the size: the identity was read when the files were found.
        if let Some(fields) = line.strip_prefix(identity::RUN_WORD.as_bytes()) {
            let identity = std::str::from_utf8(fields).ok().and_then(Identity::parse);
            let identity = identity.ok_or("run, world, `ranks` and a time, with tabs between")?;
            self.sink.add_size(identity.size);
            self.host = Some(identity.host).filter(|host| !host.is_empty());
            if self.origin.rank.is_some() {
                self.add_host();
            }
            return Ok(());
        }
        if let Some(fields) = line.strip_prefix(COMPONENT_WORD.as_bytes()) {
            return self.component(fields);
        }
        if let Some(fields) = line.strip_prefix(ABOUT_WORD.as_bytes()) {
            let text = String::from_utf8_lossy(fields);
            let (key, value) = text.split_once('\t').ok_or("a kind of fact, a tab and a text")?;
            self.sink.add_about(About::new(key, value));
            return Ok(());
        }
        if self.times(line)? {
            return Ok(());
        }
        if line == RECOVERED_LINE.as_bytes() {
            // A text without a row does not name its process.
            if let Some(rank) = self.rank {
                self.sink.add_recovered(rank);
            }
            return Ok(());
        }
        let known = |section: &Section| section.heading().as_bytes() == line;
        let section = Section::ALL.into_iter().find(known);
        let section = section.ok_or("one of the headings POINT TO POINT, OSC, COLLECTIVES")?;
        if section == Section::PointToPoint {
            return self.begin_process();
        }
        match (self.section.replace(section), section) {
            (Some(Section::PointToPoint), Section::OneSided)
            | (Some(Section::OneSided), Section::Collectives) => Ok(()),
            (None, _) => Err("the heading # POINT TO POINT before"),
            (Some(Section::PointToPoint), _) => Err("the heading # OSC before"),
            _ => Err("no second heading of this kind"),
        }
    }

    /// Begins the text of a process at its first heading. Fails if the text before is incomplete.
    fn begin_process(&mut self) -> Result<(), &'static str> {
        let end_of_previous = if self.section.is_some() { self.end_of_process() } else { Ok(()) };
        if self.origin.rank.is_none() {
            self.rank = None;
        }
        self.section = Some(Section::PointToPoint);
        end_of_previous
    }

    fn add_host(&mut self) {
        if let (Some(rank), Some(host)) = (self.rank, self.host.take()) {
            self.sink.add_host(rank, &host);
        }
    }

    /// Parses a line about time. Returns false, and does nothing, for other lines.
    fn times(&mut self, line: &[u8]) -> Result<bool, &'static str> {
        Ok(self.time_line(line, TIME_WORD, time_lines::time, S::add_time)?
            || self.time_line(line, CALL_WORD, time_lines::call, S::add_call)?
            || self.time_line(line, LATE_WORD, time_lines::late, S::add_late)?
            || self.time_line(line, SITE_WORD, time_lines::site, S::add_site)?
            || self.time_line(line, REGION_WORD, time_lines::region, S::add_region)?
            || self.time_line(line, VISITS_WORD, time_lines::visits, S::add_region_time)?)
    }

    fn time_line<T>(
        &mut self,
        line: &[u8],
        word: &str,
        parse: impl FnOnce(&mut LineCursor<'_>) -> Result<T, &'static str>,
        add: impl FnOnce(&mut S, u32, T),
    ) -> Result<bool, &'static str> {
        let Some(fields) = line.strip_prefix(word.as_bytes()) else { return Ok(false) };
        let mut rest = LineCursor(fields);
        let rank = rest.rank("the rank of the process")?;
        rest.literal(b"\t", "a tab after the rank")?;
        let row = parse(&mut rest)?;
        rest.end("the end of the line after its last field")?;
        self.check_process(rank)?;
        add(self.sink, rank, row);
        Ok(true)
    }

    /// Parses a line of another component, which follows all other lines of its process.
    fn component(&mut self, fields: &[u8]) -> Result<(), &'static str> {
        let tab = memchr::memchr(b'\t', fields).ok_or("the name of a component, a tab and a text")?;
        let rank = self.rank.ok_or("lines of a component after others of its process")?;
        let printable = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(char::is_control, " ");
        let (component, text) = (printable(&fields[..tab]), printable(&fields[tab + 1..]));
        self.sink.add_line(rank, component, text);
        Ok(())
    }

    /// Fails unless all three headings were present, or none.
    fn end_of_process(&mut self) -> Result<(), &'static str> {
        self.end_comm();
        match self.section {
            None if self.origin.line == 1 && !self.has_ranks => {
                Err("the heading # POINT TO POINT; is this the file of a monitoring component?")
            }
            None if self.origin.rank.is_some() => Err("the heading # POINT TO POINT; the file is cut short"),
            None | Some(Section::Collectives) => Ok(()),
            Some(Section::PointToPoint) => Err("the heading # OSC; the file is cut short"),
            Some(Section::OneSided) => Err("the heading # COLLECTIVES; the file is cut short"),
        }
    }

    /// Fails if a line is not under its heading, or not of the expected process.
    #[inline]
    fn check_place(&mut self, section: Section, rank: u32) -> Result<(), Expected> {
        if self.section != Some(section) {
            return Err(expected::line_under(section));
        }
        Ok(self.check_process(rank)?)
    }

    /// Fails if a line is not of the expected process.
    #[inline]
    fn check_process(&mut self, rank: u32) -> Result<(), &'static str> {
        if self.rank != Some(rank) {
            if self.origin.rank.is_some() {
                return Err("the rank of the process whose text this is");
            }
            // Several texts without headings may follow each other.
            self.rank = Some(rank);
            self.sink.add_rank(rank);
            self.add_host();
            self.has_ranks = true;
        }
        Ok(())
    }

    #[inline]
    fn row(&mut self, kind: Kind, mut rest: LineCursor<'_>) -> Result<(), Expected> {
        let me = rest.rank("the rank of the sender")?;
        rest.literal(b"\t", "a tab after the rank of the sender")?;
        let peer = rest.rank("the rank of the receiver")?;
        let last = if kind.shape() == LineShape::SumOfEach && rest.literal(b"-", "").is_ok() {
            rest.rank("the last rank of a range")?
        } else {
            peer
        };
        if last < peer {
            return Err("a range of ascending ranks".into());
        }
        let sum = parse_sum(&mut rest)?;
        if sum.count == 0 {
            return Err("a number of messages above 0".into());
        }
        self.check_place(kind.section(), me)?;
        // The histogram of a pair is on the line `E`, or else on the line `I`.
        if kind.shape() == LineShape::Sizes && (kind == Kind::External || !rest.0.is_empty()) {
            rest.literal(b"\t", "a tab and a histogram")?;
            self.sink.add_sizes(&parse_histogram(rest)?);
        } else {
            rest.end("the end of the line after `msgs sent`")?;
        }
        let (from, to) = kind.direction(me, peer);
        let last = if last > peer { last } else { to };
        self.sink.add_row(Row { kind, from, to, last, sum });
        Ok(())
    }

    fn comm(&mut self, rest: LineCursor<'a>) -> Result<(), Expected> {
        self.end_comm();
        self.comm = CommState::NotUnderstood;
        if self.section != Some(Section::Collectives) {
            return Err(expected::line_under(Section::Collectives));
        }
        let line = without_number(rest.0)?;
        let comm = match self.sink.known_comm(line) {
            Some(known) => known,
            None => parse_comm(LineCursor(line))?,
        };
        if &line[..comm.name_len] == b"MPI_COMM_WORLD" {
            self.sink.add_size(comm.size);
        }
        self.comm = CommState::Of(line, comm, [TrafficSum::default(); 3]);
        Ok(())
    }

    fn operations(&mut self, pattern: usize, mut rest: LineCursor<'_>) -> Result<(), Expected> {
        let me = rest.rank("the rank of the process")?;
        let sum = parse_sum(&mut rest)?;
        rest.end("the end of the line after `msgs sent`")?;
        self.check_place(Section::Collectives, me)?;
        match &mut self.comm {
            CommState::None => return Err("a line D before, with the communicator".into()),
            CommState::NotUnderstood => (),
            CommState::Of(_, _, operations) => operations[pattern] = sum,
        }
        Ok(())
    }

    fn end_comm(&mut self) {
        if let CommState::Of(line, comm, operations) = std::mem::replace(&mut self.comm, CommState::None) {
            self.sink.add_comm(line, comm, operations);
        }
    }

    #[cold]
    fn report_problem(&mut self, number: u64, line: &[u8], expected: &Expected) {
        self.sink.add_problem(number, || format!("expected {expected}{}", quoted(line)));
    }
}

fn quoted(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    if line.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    let dots = if line.len() > SHOWN { "..." } else { "" };
    format!(": {:?}{dots}", text.as_ref())
}

#[inline]
fn parse_sum(rest: &mut LineCursor<'_>) -> Result<TrafficSum, &'static str> {
    rest.literal(b"\t", "a tab after the rank")?;
    let bytes = rest.number("a number of bytes")?;
    rest.literal(b" bytes\t", "` bytes` and a tab")?;
    let count = rest.number("a number of messages")?;
    rest.literal(b" msgs sent", "` msgs sent`")?;
    Ok(TrafficSum { count, bytes })
}

#[inline]
fn parse_histogram(mut rest: LineCursor<'_>) -> Result<[u64; BINS], &'static str> {
    const EXPECTED: &str = "a histogram of 66 numbers with commas between";
    let mut bins = [0; BINS];
    for (at, bin) in bins.iter_mut().enumerate() {
        // Fast path: most bins are empty.
        if let Some(after) = rest.0.strip_prefix(b"0,") {
            rest = LineCursor(after);
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
fn without_number(line: &[u8]) -> Result<&[u8], &'static str> {
    let Some(at) = memchr::memrchr(b'\t', line) else { return Ok(line) };
    let mut rest = LineCursor(&line[at + 1..]);
    if rest.literal(b"comms: ", "").is_ok() {
        rest.number("a number of communicators")?;
        rest.end("the end of the line after the number of communicators")?;
        return Ok(&line[..at]);
    }
    Ok(line)
}

/// The message about a name of more than [`MAX_NAME`] bytes.
const LONG_NAME: &str = "a name of at most 4096 bytes";
const _: () = assert!(MAX_NAME == 4096);

/// Parses `<name> TAB procs: <ranks>,<ranks>,...`, where ranks are `7`, `-1`, `7-20`, `7-21:2` or `21-7:2`. Names have no
/// tabs.
fn parse_comm(mut rest: LineCursor<'_>) -> Result<Comm, &'static str> {
    let name_len = rest.until(b'\t', "the name of a communicator, and a tab")?.len();
    if name_len > MAX_NAME {
        return Err(LONG_NAME);
    }
    rest.literal(b"procs: ", "`procs: ` and ranks")?;
    let mut size: u32 = 0;
    loop {
        size = size.checked_add(parse_members(&mut rest)?).ok_or("fewer members than 2^32")?;
        if rest.0.is_empty() {
            return Ok(Comm { name_len, size });
        }
        rest.literal(b",", "a comma between the ranks")?;
    }
}

/// Parses one part of the list and returns the number of members that it stands for.
fn parse_members(rest: &mut LineCursor<'_>) -> Result<u32, &'static str> {
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
