//! The text of a `.prof` file, byte for byte as Open MPI's tools expect it.
//!
//! Fields are separated by tabs. A line `E` or `I` has the messages to one process, external or internal, a block `D`
//! describes a communicator, and a comment `# COMPONENT` has the line of a third-party component. The histogram of a pair
//! is written once: on its `E` line, where it counts both kinds, or else on its `I` line.

use std::io::{self, Write};
use std::iter::Peekable;

use mpit::component::Lines;
use mpit::object::OUTSIDE;

use crate::comms::{Ranks, Record};
pub use crate::record::TrafficSum;
use crate::record::{BINS, Row};

/// A communicator and the collective operations on it.
#[derive(Clone, Debug)]
pub struct Block {
    /// The communicator.
    pub comm: Record,
    /// Operations from one process to all.
    pub one_to_all: TrafficSum,
    /// Operations from all processes to one.
    pub all_to_one: TrafficSum,
    /// Operations from all processes to all.
    pub all_to_all: TrafficSum,
}

impl From<Record> for Block {
    /// Creates a block for a communicator without collective operations.
    fn from(comm: Record) -> Self {
        let none = TrafficSum::default();
        Self { comm, one_to_all: none, all_to_one: none, all_to_all: none }
    }
}

/// The accesses to the memory of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// The rank in the world.
    pub to: u32,
    /// Accesses, and the bytes sent to the process.
    pub sent: TrafficSum,
    /// Accesses that returned data, and the bytes received from the process.
    pub received: TrafficSum,
}

/// The exchange with one process in collective operations, as if each pair communicated directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// The rank in the world.
    pub to: u32,
    /// The number of messages and bytes.
    pub sum: TrafficSum,
}

/// The content of a file. Processes outside of the world have no line.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The rank of this process in the world.
    pub me: u32,
    /// Messages by receiver, in ascending order of ranks.
    pub messages: Vec<Row>,
    /// One-sided accesses, in ascending order of ranks.
    pub accesses: Vec<Accessed>,
    /// Collective operations, in ascending order of ranks.
    pub collectives: Vec<Exchanged>,
    /// The communicators, in the order of creation.
    pub comms: Vec<Block>,
    /// Lines added by components, with the components' full names.
    pub lines: Vec<(String, Lines)>,
}

impl Profile {
    /// Writes the text, in pieces of moderate size. Members of communicators are listed one by one up to `LISTED`, and as
    /// ranges above. Bytes without a message, as a process leaves that is killed in its first send, make no line.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn write(&self, sink: impl Write) -> io::Result<()> {
        self.write_with(sink, LISTED)
    }

    /// Writes the text for a file of all processes, with the members of communicators as ranges.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn write_for_container(&self, sink: impl Write) -> io::Result<()> {
        self.write_with(sink, 0)
    }

    fn write_with(&self, sink: impl Write, listed: u32) -> io::Result<()> {
        let mut out = Out { sink, text: Vec::with_capacity(PIECE + SLACK) };
        out.put(b"# POINT TO POINT\n");
        for row in &self.messages {
            if row.to != OUTSIDE && row.external.count != 0 {
                self.external(&mut out, row)?;
            }
        }
        for row in &self.messages {
            if row.to != OUTSIDE && row.internal.count != 0 {
                self.internal(&mut out, row)?;
            }
        }
        out.put(b"# OSC\n");
        for access in self.accesses.iter().filter(|access| access.to != OUTSIDE) {
            for (kind, sum) in [(b"S\t", access.sent), (b"R\t", access.received)] {
                self.sum(&mut out, kind, access.to, sum)?;
            }
        }
        out.put(b"# COLLECTIVES\n");
        for exchanged in self.collectives.iter().filter(|exchanged| exchanged.to != OUTSIDE) {
            self.sum(&mut out, b"C\t", exchanged.to, exchanged.sum)?;
        }
        for block in &self.comms {
            self.block(&mut out, block, listed)?;
        }
        for (component, lines) in &self.lines {
            for line in lines.iter() {
                out.put(b"# COMPONENT\t");
                out.put(component.as_bytes());
                out.put(b"\t");
                out.put(line.as_bytes());
                out.end_line()?;
            }
        }
        out.end()
    }

    fn external<W: Write>(&self, out: &mut Out<W>, row: &Row) -> io::Result<()> {
        self.pair(out, b"E\t", row.to, TrafficSum { count: row.external.count, bytes: row.external.bytes });
        let mut bins = [0; BINS];
        row.external.add_sizes_to(&mut bins);
        row.internal.add_sizes_to(&mut bins);
        out.histogram(&bins);
        out.end_line()
    }

    fn internal<W: Write>(&self, out: &mut Out<W>, row: &Row) -> io::Result<()> {
        self.pair(out, b"I\t", row.to, TrafficSum { count: row.internal.count, bytes: row.internal.bytes });
        if row.external.count == 0 {
            let mut bins = [0; BINS];
            row.internal.add_sizes_to(&mut bins);
            out.histogram(&bins);
        }
        out.end_line()
    }

    /// Writes a line with a sum, unless it counts nothing.
    fn sum<W: Write>(&self, out: &mut Out<W>, kind: &[u8], to: u32, sum: TrafficSum) -> io::Result<()> {
        if sum.count == 0 {
            return Ok(());
        }
        self.pair(out, kind, to, sum);
        out.end_line()
    }

    /// Writes the beginning of a line about a pair of processes.
    fn pair<W: Write>(&self, out: &mut Out<W>, kind: &[u8], to: u32, sum: TrafficSum) {
        out.put(kind);
        out.number(u64::from(self.me));
        out.put(b"\t");
        out.number(u64::from(to));
        out.sum(sum);
    }

    fn block<W: Write>(&self, out: &mut Out<W>, block: &Block, listed: u32) -> io::Result<()> {
        let comm = &block.comm;
        out.put(b"D\t");
        out.name(&comm.label().to_string());
        out.put(b"\tprocs: ");
        let runs: &mut dyn Iterator<Item = Run> = match &comm.ranks {
            Ranks::World(size) if *size > listed => {
                &mut std::iter::once(Run { first: 0, last: *size - 1, step: 1 })
            }
            ranks if ranks.size() > listed => &mut Runs { ranks: ranks.iter().peekable(), held: None },
            ranks => &mut ranks.iter().map(Run::of_one),
        };
        for (at, run) in runs.enumerate() {
            if at != 0 {
                out.put(b",");
            }
            out.run(run);
            out.spill()?;
        }
        if comm.alike > 1 {
            out.put(b"\tcomms: ");
            out.number(comm.alike);
        }
        out.end_line()?;
        for (kind, sum) in
            [("O2A\t", block.one_to_all), ("A2O\t", block.all_to_one), ("A2A\t", block.all_to_all)]
        {
            out.put(kind.as_bytes());
            out.number(u64::from(self.me));
            out.sum(sum);
            out.end_line()?;
        }
        Ok(())
    }
}

/// The size up to which members of communicators are listed one by one, as Open MPI does.
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

/// The size of the pieces that are written to the sink.
const PIECE: usize = 64 * 1024;
/// The maximum length of a line without names and lists of ranks.
const SLACK: usize = 4096;

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

struct Out<W> {
    sink: W,
    text: Vec<u8>,
}

impl<W: Write> Out<W> {
    #[inline]
    fn put(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
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
        self.text.pop();
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

    /// Writes a name, with line ends and tabs replaced.
    fn name(&mut self, name: &str) {
        self.text.extend(name.bytes().map(|byte| if byte.is_ascii_control() { b' ' } else { byte }));
    }

    #[inline]
    fn end_line(&mut self) -> io::Result<()> {
        self.put(b"\n");
        self.spill()
    }

    #[inline]
    fn spill(&mut self) -> io::Result<()> {
        if self.text.len() < PIECE { Ok(()) } else { self.pass_on() }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.pass_on()?;
        self.sink.flush()
    }
}
