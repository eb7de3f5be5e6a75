//! The records of a process so far, as far as a series has them.

use std::io::{self, BufReader};
use std::path::Path;

use mpit_format::container::{self, Item, Text};
use mpit_format::files;
use mpit_format::parse::{self, Origin, Row, Sink};
use mpit_format::profile::Profile;
use mpit_format::rows::Kind;
use mpit_format::store::blocks::{BlockKind, HEADER};
use mpit_format::store::{self, Malformed, Recovered};
use mpit_format::summary::Area;
use mpit_format::times::{CallRow, Moment};
use mpit_format::{Identity, OUTSIDE, TrafficSum};

/// The size of a word of a store in bytes.
const WORD: usize = size_of::<u64>();

/// The blocks of a store that a series needs. Decoding the others takes long in large worlds.
const WANTED: [BlockKind; 6] = [
    BlockKind::Messages,
    BlockKind::Run,
    BlockKind::Time,
    BlockKind::Call,
    BlockKind::CallComm,
    BlockKind::Label,
];

/// The calls in an area of MPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AreaSum {
    /// The number of calls.
    pub calls: u64,
    /// The nanoseconds in them.
    pub ns: u64,
}

/// The messages and calls of a process since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of messages of the program to processes of its world.
    pub messages: u64,
    /// The bytes of these messages.
    pub bytes: u64,
    /// The calls, in the order of the areas.
    pub areas: [AreaSum; Area::ALL.len()],
}

/// The totals of a process, and what its records say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// The rank of the process in its world.
    pub rank: u32,
    /// The number of processes of the world; 0 if it is not known.
    pub size: u32,
    /// The run and world, if they are known.
    pub identity: Option<Identity>,
    /// The totals.
    pub totals: Totals,
    /// True if further records of the process are not in its store.
    pub truncated: bool,
}

impl Totals {
    fn of(profile: &Profile) -> Self {
        let mut totals = Self::default();
        // Files have no rows for processes outside of the world, nor for bytes of a message that was not sent.
        for row in profile.messages.iter().filter(|row| row.to != OUTSIDE && row.external.count > 0) {
            totals.add_messages(TrafficSum { count: row.external.count, bytes: row.external.bytes });
        }
        profile.calls.iter().for_each(|row| totals.add_call(row));
        totals
    }

    fn add_messages(&mut self, sum: TrafficSum) {
        self.messages = self.messages.saturating_add(sum.count);
        self.bytes = self.bytes.saturating_add(sum.bytes);
    }

    /// Adds calls, except calls that initialize and finalize MPI, as in reports.
    fn add_call(&mut self, row: &CallRow) {
        if !row.call.is_outside() {
            let sum = &mut self.areas[Area::of(row.call) as usize];
            sum.calls = sum.calls.saturating_add(row.count);
            sum.ns = sum.ns.saturating_add(row.ns);
        }
    }
}

/// Returns the totals of a process from the bytes of its store. Calls in progress last until `now`.
///
/// # Errors
///
/// Fails if the bytes are not a store, or are damaged.
pub fn of_store(bytes: &[u8], now: Moment) -> Result<Sampled, Malformed> {
    let Recovered { rank, size, identity, profile, truncated, .. } = store::read(&wanted(bytes), Some(now))?;
    Ok(Sampled { rank, size, identity, totals: Totals::of(&profile), truncated })
}

/// Returns a store with the wanted blocks only.
fn wanted(bytes: &[u8]) -> Vec<u8> {
    let (words, _) = bytes.as_chunks::<WORD>();
    let mut kept = words[..words.len().min(HEADER)].to_vec();
    let mut at = HEADER;
    while let Some(word) = words.get(at) {
        // The kind, and the number of words that follow.
        let word = u64::from_ne_bytes(*word);
        let (kind, end) = (word as u32, at + 1 + (word >> 32) as usize);
        let Some(block) = words.get(at..end) else { break };
        // The process has written no further block.
        if kind == 0 {
            break;
        }
        if WANTED.iter().any(|wanted| *wanted as u32 == kind) {
            kept.extend_from_slice(block);
        }
        at = end;
    }
    kept.concat()
}

/// Returns the totals of a process from its text.
#[must_use]
pub fn of_text(text: &[u8], rank: u32) -> Totals {
    let mut found = TextTotals::default();
    parse::text(&mut found, text, Origin { line: 1, rank: Some(rank) });
    found.0
}

/// Returns the totals of some processes from a file of a whole job; none if it is another file.
///
/// # Errors
///
/// Those of the file system.
pub fn of_container(path: &Path, wanted: &[u32]) -> io::Result<Vec<(u32, Totals)>> {
    let mut file = BufReader::new(files::open(path)?);
    let mut found = Vec::new();
    let first = files::read_first_line(&mut file)?;
    if first.starts_with(container::FIRST_WORD.as_bytes()) {
        container::read(&first, &mut file, |item| {
            if let Item::Text { text: Text { rank, text, .. }, .. } = item
                && wanted.contains(&rank)
            {
                found.push((rank, of_text(&text, rank)));
            }
        })?;
    }
    Ok(found)
}

#[derive(Default)]
struct TextTotals(Totals);

impl Sink for TextTotals {
    fn add_row(&mut self, row: Row) {
        if row.kind == Kind::External {
            self.0.add_messages(row.sum);
        }
    }

    fn add_call(&mut self, _: u32, row: CallRow) {
        self.0.add_call(&row);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use mpit_format::calls::CALLS;
    use mpit_format::container::{self, Text};
    use mpit_format::store::blocks::{BlockHeader, BlockKind, CELLS, HEADER, message_key, write_header};
    use mpit_format::store::times::{NO_COMM, call, call_key, time};
    use mpit_format::summary::Area;
    use mpit_format::times::{Mode, Moment};

    use super::{AreaSum, Totals, of_container, of_store, of_text};

    fn block(words: &mut Vec<u64>, kind: BlockKind, content: &[u64]) {
        words.push(BlockHeader { kind, words: content.len() as u32 }.word());
        words.extend(content);
    }

    /// Returns the store of a process that has sent two messages, and has called `MPI_Barrier` and `MPI_Init`.
    fn store() -> Vec<u64> {
        let header: Vec<AtomicU64> = (0..HEADER).map(|_| AtomicU64::new(0)).collect();
        write_header(&header, 1, 4);
        let mut words: Vec<u64> = header.iter().map(|word| word.load(Relaxed)).collect();
        let mut messages = [0; CELLS + 1];
        (messages[0], messages[2], messages[CELLS]) = (message_key(3, 0, false), 2, 70);
        block(&mut words, BlockKind::Messages, &messages);
        messages[0] = message_key(3, 0, true);
        block(&mut words, BlockKind::Messages, &messages);
        // Would not be understood.
        block(&mut words, BlockKind::Members, &[1]);
        let mut of_process = [0; time::CELLS + 1];
        (of_process[1 + time::MODE], of_process[1 + time::RATE]) = (Mode::All as u64, 1_000_000_000);
        (of_process[1 + time::DOMAIN], of_process[1 + time::FIRST_NS]) = (7, 1);
        block(&mut words, BlockKind::Time, &of_process);
        for name in ["Barrier", "Init"] {
            let index = CALLS.iter().position(|call| call.name == name).unwrap() as u32;
            let mut calls = [0; call::CELLS + 2];
            calls[0] = call_key(index, 0, NO_COMM);
            (calls[1 + call::CALLS], calls[1 + call::TICKS]) = (5, 900);
            calls[1 + call::DURATIONS_AT] = 5;
            block(&mut words, BlockKind::Call, &calls);
        }
        words
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn stores_have_totals() {
        let mut expected = Totals { messages: 2, bytes: 70, ..Totals::default() };
        expected.areas[Area::Collective as usize] = AreaSum { calls: 5, ns: 900 };
        let sampled = of_store(&bytes(&store()), Moment { domain: 7, ns: 100 }).unwrap();
        assert_eq!((sampled.rank, sampled.size, sampled.totals), (1, 4, expected));
        // A process that has not written its header yet.
        assert!(of_store(&[0; 640], Moment { domain: 7, ns: 100 }).is_err());
        // Bytes that end anywhere.
        let whole = bytes(&store());
        for len in 0..whole.len() {
            if let Ok(part) = of_store(&whole[..len], Moment { domain: 7, ns: 100 }) {
                assert!(part.totals.messages <= 2, "{len}");
            }
        }
    }

    #[test]
    fn texts_have_totals() {
        let histogram = ["0"; 66].join(",");
        let text = format!(
            "# POINT TO POINT\nE\t1\t0\t70 bytes\t2 msgs sent\t{histogram}\nI\t1\t0\t8 bytes\t1 msgs sent\n# OSC\n# COLLECTIVES\n\
             # CALL\t1\tMPI_Barrier\tMPI_COMM_WORLD\t0\t0\t5 calls\t5 timed\t900 ns\t1 ns\t800 ns\t0 bytes\t1:5\n\
             # CALL\t1\tMPI_Init\t-\t0\t0\t1 calls\t1 timed\t77 ns\t77 ns\t77 ns\t0 bytes\t7:1\n"
        );
        let mut expected = Totals { messages: 2, bytes: 70, ..Totals::default() };
        expected.areas[Area::Collective as usize] = AreaSum { calls: 5, ns: 900 };
        assert_eq!(of_text(text.as_bytes(), 1), expected);
        // In one file for all processes.
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.prof");
        let text = |rank| Text { rank, host: String::new(), text: text.clone().into_bytes() };
        container::write(File::create(&path).unwrap(), 4, None, [text(1), text(2)], &[]).unwrap();
        assert_eq!(of_container(&path, &[0, 1]).unwrap(), [(1, expected)]);
        fs::write(&path, text(1).text).unwrap();
        assert_eq!(of_container(&path, &[0, 1]).unwrap(), []);
    }
}
