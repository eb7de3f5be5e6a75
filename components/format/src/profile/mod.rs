//! The text of a `.prof` file, byte for byte as Open MPI's tools expect it.
//!
//! Fields are separated by tabs. A line `E` or `I` has the messages to one process, external or internal, a block `D`
//! describes a communicator, comments from `# TIME` to `# VISITS` the time in MPI, comments `# VALUE` variables, and a comment `# COMPONENT` has the line of a third-party component. The histogram of a pair
//! is written once: on its `E` line, where it counts both kinds, or else on its `I` line.

#[cfg(test)]
mod tests;
mod time_lines;

use std::fmt;
use std::iter::Peekable;
use std::sync::Arc;

use crate::files::{MAX_NAME, cut_off};
use crate::messages::{BINS, Row};
use crate::rows::{Kind, LineShape, Section};
use crate::times::{CallRow, LateRow, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use crate::values::ValueRow;
use crate::{Identity, OUTSIDE, TrafficSum};

/// The name of a communicator, or of several with the same name and members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The name, or the call that created it; empty if neither is known.
    pub name: Arc<str>,
    /// The number of that call; 0 if the communicator has a name.
    pub first: u64,
    /// The number of the last call, if the label is that of several communicators.
    pub last: u64,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, first, last } = self;
        match (&**name, first) {
            ("", _) => f.write_str("(no-name)"),
            (_, 0) => f.write_str(name),
            _ if last > first => write!(f, "{name}, {first} to {last}"),
            _ => write!(f, "{name}, {first}"),
        }
    }
}

/// The processes of a communicator, by their ranks in the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// The first processes of the world, in its order.
    World(u32),
    /// A list, with [`OUTSIDE`] for processes outside of the world.
    List(Arc<[u32]>),
}

impl Members {
    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Self::World(size) => *size,
            Self::List(list) => list.len() as u32,
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (identity, list): (u32, &[u32]) = match self {
            Self::World(size) => (*size, &[]),
            Self::List(list) => (0, list),
        };
        (0..identity).chain(list.iter().copied())
    }
}

/// A communicator, or several with the same name and members, and the collective operations on it.
#[derive(Clone, Debug)]
pub struct Block {
    /// The name.
    pub label: Label,
    /// The processes.
    pub members: Members,
    /// The number of communicators.
    pub alike: u64,
    /// Operations from one process to all.
    pub one_to_all: TrafficSum,
    /// Operations from all processes to one.
    pub all_to_one: TrafficSum,
    /// Operations from all processes to all.
    pub all_to_all: TrafficSum,
}

impl Block {
    /// Creates a block for a communicator without collective operations.
    #[must_use]
    pub fn new(label: Label, members: Members) -> Self {
        let none = TrafficSum::default();
        Self { label, members, alike: 1, one_to_all: none, all_to_one: none, all_to_all: none }
    }
}

/// The words of the lines about the operations on a communicator: one to all, all to one, all to all.
pub(crate) const PATTERNS: [&str; 3] = ["O2A", "A2O", "A2A"];

/// A row without a histogram: operations with one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumRow {
    /// The kind.
    pub kind: Kind,
    /// The rank in the world.
    pub to: u32,
    /// The number of operations, and their bytes.
    pub sum: TrafficSum,
}

impl SumRow {
    /// Returns the position among the rows of a process: by section, rank and kind.
    #[must_use]
    pub fn order(&self) -> (Section, u32, Kind) {
        (self.kind.section(), self.to, self.kind)
    }
}

/// A fact about a job, such as its program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct About {
    /// The kind of fact: a word.
    pub key: String,
    /// The fact, in one line.
    pub value: String,
}

/// The maximum length of a fact in bytes: command lines may be long.
pub const MAX_FACT: usize = 4096;

/// The kind of the fact that a process has dropped operations. Each process has its own.
pub const NOT_RECORDED: &str = "not_recorded";

impl About {
    /// Creates a fact. Control characters become blanks, and a long value is cut off.
    #[must_use]
    pub fn new(key: &str, value: &str) -> Self {
        let in_one_field = |text: &str| text.replace(char::is_control, " ");
        Self { key: in_one_field(key), value: in_one_field(cut_off(value, MAX_FACT)) }
    }
}

/// The content of a file. Processes outside of the world have no line.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The rank of this process in the world.
    pub me: u32,
    /// Messages by receiver, in ascending order of ranks.
    pub messages: Vec<Row>,
    /// Rows of all other kinds, by [`SumRow::order`].
    pub sums: Vec<SumRow>,
    /// The communicators, in the order of creation.
    pub comms: Vec<Block>,
    /// The time of the process, if calls were measured.
    pub time: Option<TimeRow>,
    /// Calls by name, communicator, region and place.
    pub calls: Vec<CallRow>,
    /// Sampled collective operations, by communicator.
    pub late: Vec<LateRow>,
    /// The places in the program that make calls.
    pub sites: Vec<SiteRow>,
    /// The regions of the program.
    pub regions: Vec<RegionRow>,
    /// The time in them.
    pub region_times: Vec<RegionTimeRow>,
    /// The values that `mpit run --read` requests.
    pub values: Vec<ValueRow>,
    /// Lines added by components, with the components' full names.
    pub lines: Vec<(String, Vec<String>)>,
    /// Facts about the job, which rank 0 has.
    pub about: Vec<About>,
}

impl Profile {
    /// Returns the text of a file, which begins with the line that identifies the run, if it is given. Members of
    /// communicators are listed one by one up to `LISTED`, and as ranges above. Bytes without a message, as a process leaves that is
    /// killed in its first send, make no line.
    #[must_use]
    pub fn text(&self, identity: Option<&Identity>) -> Vec<u8> {
        self.text_with(identity, LISTED)
    }

    /// Returns the text for a file of all processes, with the members of communicators as ranges.
    #[must_use]
    pub fn text_for_container(&self, identity: Option<&Identity>) -> Vec<u8> {
        self.text_with(identity, 0)
    }

    fn text_with(&self, identity: Option<&Identity>, listed: u32) -> Vec<u8> {
        let mut out = Out(identity.map_or_else(String::new, Identity::line).into_bytes());
        for section in Section::ALL {
            out.put(section.heading().as_bytes());
            out.put(b"\n");
            if section == Section::PointToPoint {
                self.messages(&mut out);
            }
            self.sums(&mut out, section);
        }
        for block in &self.comms {
            self.block(&mut out, block, listed);
        }
        self.times(&mut out);
        for row in &self.values {
            out.put(VALUE_WORD.as_bytes());
            out.number(self.me.into());
            out.put(b"\t");
            out.put(row.fields().as_bytes());
            out.put(b"\n");
        }
        for (component, lines) in &self.lines {
            for line in lines {
                out.put(COMPONENT_WORD.as_bytes());
                out.put(component.as_bytes());
                out.put(b"\t");
                out.put(line.as_bytes());
                out.put(b"\n");
            }
        }
        for About { key, value } in &self.about {
            out.put(ABOUT_WORD.as_bytes());
            out.put(key.as_bytes());
            out.put(b"\t");
            out.put(value.as_bytes());
            out.put(b"\n");
        }
        out.0
    }

    fn messages(&self, out: &mut Out) {
        for kind in [Kind::External, Kind::Internal] {
            for Row { to, external, internal } in &self.messages {
                let messages = if kind == Kind::External { external } else { internal };
                if *to == OUTSIDE || messages.count == 0 {
                    continue;
                }
                self.pair(out, kind, *to, *to, TrafficSum { count: messages.count, bytes: messages.bytes });
                if kind == Kind::External || external.count == 0 {
                    let mut bins = [0; BINS];
                    external.add_sizes_to(&mut bins);
                    internal.add_sizes_to(&mut bins);
                    out.histogram(&bins);
                }
                out.put(b"\n");
            }
        }
    }

    /// Writes the lines of a section without messages. Processes that follow each other and have equal sums may share a line: a collective
    /// operation exchanges data with all processes of a communicator.
    fn sums(&self, out: &mut Out, section: Section) {
        let mut rows = self
            .sums
            .iter()
            .filter(|row| row.kind.section() == section && row.to != OUTSIDE && row.sum.count != 0)
            .peekable();
        while let Some(SumRow { kind, to, sum }) = rows.next() {
            let mut last = *to;
            let follows = |next: &&SumRow, last: u32| {
                next.kind == *kind && next.to == last.wrapping_add(1) && next.sum == *sum
            };
            while kind.shape() == LineShape::SumOfEach && rows.next_if(|next| follows(next, last)).is_some() {
                last += 1;
            }
            self.pair(out, *kind, *to, last, *sum);
            out.put(b"\n");
        }
    }

    /// Writes the beginning of a line about this process and another one, or each of several.
    fn pair(&self, out: &mut Out, kind: Kind, to: u32, last: u32, sum: TrafficSum) {
        out.put(&[kind.letter() as u8, b'\t']);
        out.number(u64::from(self.me));
        out.put(b"\t");
        out.run(Run { first: to, last, step: 1 });
        out.sum(sum);
    }

    fn block(&self, out: &mut Out, block: &Block, listed: u32) {
        out.put(b"D\t");
        out.name(&block.label.to_string());
        out.put(b"\tprocs: ");
        let runs: &mut dyn Iterator<Item = Run> = match &block.members {
            Members::World(size) if *size > listed => {
                &mut std::iter::once(Run { first: 0, last: *size - 1, step: 1 })
            }
            members if members.size() > listed => &mut Runs { ranks: members.iter().peekable(), held: None },
            members => &mut members.iter().map(Run::of_one),
        };
        for (at, run) in runs.enumerate() {
            if at != 0 {
                out.put(b",");
            }
            out.run(run);
        }
        if block.alike > 1 {
            out.put(b"\tcomms: ");
            out.number(block.alike);
        }
        out.put(b"\n");
        for (pattern, sum) in PATTERNS.iter().zip([block.one_to_all, block.all_to_one, block.all_to_all]) {
            out.put(pattern.as_bytes());
            out.put(b"\t");
            out.number(u64::from(self.me));
            out.sum(sum);
            out.put(b"\n");
        }
    }
}

/// The beginning of a line with a fact about the job.
pub(crate) const ABOUT_WORD: &str = "# ABOUT\t";

pub(crate) use time_lines::{
    CALL_UNITS, CALL_WORD, LATE_WORD, NONE, REGION_WORD, SITE_WORD, TIME_WORD, VISITS_WORD,
};

/// The beginning of a line with the value of a variable.
pub(crate) const VALUE_WORD: &str = "# VALUE\t";

pub(crate) const COMPONENT_WORD: &str = "# COMPONENT\t";

/// The last line of the recovered text of a process that ended without `MPI_Finalize`.
pub(crate) const RECOVERED_LINE: &str = "# RECOVERED";

/// The number up to which members of communicators are listed one by one, as Open MPI does.
const LISTED: u32 = 4096;

/// Ranks with a constant distance, in ascending or descending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    last: u32,
    step: u32,
}

impl Run {
    fn of_one(rank: u32) -> Self {
        Self { first: rank, last: rank, step: 1 }
    }
}

/// An iterator over runs of three and more ranks, and over single ranks between them.
struct Runs<I: Iterator<Item = u32>> {
    ranks: Peekable<I>,
    /// The second of two ranks that do not begin a run.
    held: Option<u32>,
}

impl<I: Iterator<Item = u32>> Iterator for Runs<I> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let first = self.held.take().or_else(|| self.ranks.next())?;
        let mut run = Run::of_one(first);
        let is_other = |next: &u32| first != OUTSIDE && *next != OUTSIDE && *next != first;
        let Some(second) = self.ranks.next_if(is_other) else { return Some(run) };
        let distance = i64::from(second) - i64::from(first);
        let follows = |last: u32, next: u32| next != OUTSIDE && i64::from(next) - i64::from(last) == distance;
        run.last = second;
        while let Some(next) = self.ranks.next_if(|next| follows(run.last, *next)) {
            run.last = next;
        }
        if run.last == second {
            self.held = Some(second);
            return Some(Run::of_one(first));
        }
        run.step = second.abs_diff(first);
        Some(run)
    }
}

/// `0,0,...,0,`: the initial text of a histogram, of which most bins are empty.
const ZEROS: [u8; 2 * BINS] = {
    let mut zeros = [b','; 2 * BINS];
    let mut at = 0;
    while at < BINS {
        zeros[2 * at] = b'0';
        at += 1;
    }
    zeros
};

struct Out(Vec<u8>);

impl Out {
    #[inline]
    fn put(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    #[inline]
    fn number(&mut self, number: u64) {
        self.put(itoa::Buffer::new().format(number).as_bytes());
    }

    #[inline]
    fn sum(&mut self, sum: TrafficSum) {
        self.put(b"\t");
        self.number(sum.bytes);
        self.put(b" bytes\t");
        self.number(sum.count);
        self.put(b" msgs sent");
    }

    fn histogram(&mut self, bins: &[u64; BINS]) {
        self.put(b"\t");
        let mut at = 0;
        while at < BINS {
            let zeros = bins[at..].iter().take_while(|count| **count == 0).count();
            self.put(&ZEROS[..2 * zeros]);
            at += zeros;
            if at < BINS {
                self.number(bins[at]);
                self.put(b",");
                at += 1;
            }
        }
        // Removes the comma behind the last rank.
        self.0.pop();
    }

    /// Writes a run as `7`, `-1`, `7-20`, or `7-21:2`.
    #[inline]
    fn run(&mut self, run: Run) {
        if run.first == OUTSIDE {
            return self.put(b"-1");
        }
        self.number(run.first.into());
        if run.last != run.first {
            self.put(b"-");
            self.number(run.last.into());
            if run.step > 1 {
                self.put(b":");
                self.number(run.step.into());
            }
        }
    }

    fn name(&mut self, name: &str) {
        self.0.extend(
            cut_off(name, MAX_NAME).bytes().map(|byte| if byte.is_ascii_control() { b' ' } else { byte }),
        );
    }
}
