//! Decoding of store files. All data is checked before it is used.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::blocks::{BlockKind, CELLS, Content, GROUP, GROUPS, MAGIC, message_of_key};
use super::live::{ABOUT, OUTPUT, VALUE};
use super::recovered::Recovered;
use super::time_rows::TimeRecords;
use super::word_cursor::{Malformed, WORD, WordCursor};
use crate::messages::{BINS, PeerSnapshot, Row};
use crate::profile::{About, Block, Label, Members, Profile, SumRow};
use crate::times::Moment;
use crate::values::ValueRow;
use crate::{Identity, OUTSIDE, TrafficSum, rows};

/// The maximum number of rows created for collective operations with many processes, which take only a few words in the
/// file. Reports list pairs of processes, and memory does not suffice for the square of the number of processes.
const MAX_ROWS: u64 = 1 << 22;

/// Decodes the bytes of a file. If the process is running, the result is a snapshot. If the file was cut off, the result has the blocks
/// before the cut, and the number of missing bytes. If the process did not reach `MPI_Finalize`, its time lasts until `end`.
///
/// # Errors
///
/// Fails if the bytes are not a store, or are damaged.
pub fn read(bytes: &[u8], end: Option<Moment>) -> Result<Recovered, Malformed> {
    let mut words = WordCursor::new(bytes);
    if bytes.is_empty() {
        // The process ended right after it had created the file.
        return Err(words.error("the file is empty"));
    }
    let header = words.header()?;
    let missing_bytes = words.missing_bytes(bytes.len());
    let mut found = DecodedStore::new(header.size);
    while let Some((kind, block)) = words.next_block()? {
        found.block(kind, block)?;
    }
    let rest = bytes.len() % WORD;
    if rest != 0 && missing_bytes == 0 {
        return Err(Malformed { at: bytes.len() - rest, what: "half a word".into() });
    }
    found.expand_members(&words)?;
    if let Some(end) = end {
        found.times.set_end(end);
    }
    let (identity, stem) = (found.identity.take(), found.stem.take());
    Ok(Recovered { identity, stem, missing_bytes, profile: found.profile(header.rank), ..header })
}

/// Returns true if bytes are the beginning of a store file.
#[must_use]
pub fn is_store(begin: &[u8]) -> bool {
    // A process that is killed while it creates the file leaves zeros.
    begin.starts_with(&MAGIC.to_ne_bytes()) || begin.iter().all(|byte| *byte == 0)
}

pub(super) fn header(bytes: &[u8]) -> Result<Recovered, Malformed> {
    WordCursor::new(bytes).header()
}

pub(super) fn identity(bytes: &[u8]) -> Option<Identity> {
    let mut words = WordCursor::new(bytes);
    words.header().ok()?;
    while let Ok(Some((kind, mut block))) = words.next_block() {
        if kind == BlockKind::Run {
            block.word().ok()?;
            return Identity::parse(&block.name().ok()?);
        }
    }
    None
}

#[derive(Clone)]
struct Counts {
    bins: [u64; BINS],
    bytes: u64,
}

impl Counts {
    fn peer_snapshot(&self) -> PeerSnapshot {
        let bins = self.bins.iter().copied().enumerate().filter(|(_, count)| *count != 0);
        PeerSnapshot::new(bins, || self.bytes)
    }
}

struct CommKind {
    members: u64,
    /// True if its label consists of the name and a number.
    numbered: bool,
    name: String,
}

/// The operations on a communicator, or on several with the same name and members.
struct CommOperations {
    sums: [TrafficSum; 3],
    kind: u64,
    first: u64,
    last: u64,
    alike: u64,
}

#[derive(Default)]
struct DecodedStore {
    size: u32,
    /// Messages by receiver: the user's and the library's internal ones.
    messages: BTreeMap<u32, [Counts; 2]>,
    /// Sums by rank, of each kind of rows.
    sums: [BTreeMap<u32, TrafficSum>; rows::Kind::ALL.len()],
    members: BTreeMap<u64, Members>,
    kinds: BTreeMap<u64, CommKind>,
    /// By the number of the first communicator. Threads may have a block each.
    operations: BTreeMap<u64, CommOperations>,
    times: TimeRecords,
    identity: Option<Identity>,
    stem: Option<PathBuf>,
    about: Vec<About>,
    values: Vec<ValueRow>,
    /// The number of ranks that ranges in the file may still expand to.
    expanded: u64,
}

impl DecodedStore {
    fn new(size: u32) -> Self {
        Self { size, expanded: 64 * MAX_ROWS, ..Self::default() }
    }

    /// Reserves ranks that the file has no words for. Fails at the limit.
    fn expand(&mut self, ranks: u64, at: &WordCursor<'_>) -> Result<(), Malformed> {
        let rows = self.sums[rows::Kind::Collective as usize].len() as u64;
        let has_too_many_rows = ranks.max(rows) > MAX_ROWS;
        match self.expanded.checked_sub(ranks) {
            Some(left) if !has_too_many_rows => self.expanded = left,
            _ => return Err(at.error(format!("more than {MAX_ROWS} processes in collective operations"))),
        }
        Ok(())
    }

    /// Counts the members of communicators against the limit: many communicators may refer to one list.
    fn expand_members(&mut self, at: &WordCursor<'_>) -> Result<(), Malformed> {
        let sizes = self.operations.values().filter_map(|of| {
            let kind = self.kinds.get(&of.kind)?;
            Some(self.members.get(&kind.members)?.size().into())
        });
        let sizes: Vec<u64> = sizes.collect();
        sizes.into_iter().try_for_each(|size| self.expand(size, at))
    }

    fn block(&mut self, kind: BlockKind, mut block: WordCursor<'_>) -> Result<(), Malformed> {
        let at = block;
        let key = block.word()?;
        match kind {
            BlockKind::Messages => self.messages(key, &mut block, at)?,
            BlockKind::SharedSum => self.shared_sum(key, &mut block)?,
            BlockKind::Operations => {
                let sums = [block.sum()?, block.sum()?, block.sum()?];
                let [kind, first, last, alike, number] = block.numbers()?;
                if kind != 0 {
                    let none = || CommOperations { sums: Default::default(), kind, first, last, alike };
                    let all = &mut self.operations.entry(number).or_insert_with(none).sums;
                    *all = std::array::from_fn(|at| all[at].and(sums[at]));
                }
            }
            BlockKind::Comm => {
                let [members, numbered] = block.numbers()?;
                let name = block.name()?;
                self.kinds.insert(key, CommKind { members, numbered: numbered != 0, name });
            }
            BlockKind::Members => {
                let ranks = self.ranks(&mut block)?;
                self.members.insert(key, ranks);
            }
            BlockKind::Run => self.identity = Identity::parse(&block.name()?),
            BlockKind::Description if key == ABOUT => {
                let (key, value) = (block.name()?, block.name()?);
                self.about.push(About::new(&key, &value));
            }
            BlockKind::Description if key == VALUE => {
                let row = ValueRow::parse(&block.name()?);
                self.values.push(row.map_err(|expected| at.error(format!("a value without {expected}")))?);
            }
            BlockKind::Description if key == OUTPUT => self.stem = Some(block.name()?.into()),
            _ if kind.content() == Content::Times => self.times.block(kind, key, &mut block)?,
            // The state of the running process, which `current` decodes.
            BlockKind::Thread | BlockKind::Description => return Ok(()),
            // The other kinds have the sums of one process.
            _ => {
                for row in rows::Kind::in_block(kind) {
                    let sum = block.sum()?;
                    self.add(row, rank(key, at)?, sum);
                }
            }
        }
        block.expect_end()
    }

    fn messages(
        &mut self,
        key: u64,
        block: &mut WordCursor<'_>,
        at: WordCursor<'_>,
    ) -> Result<(), Malformed> {
        let (to, group, internal) = message_of_key(key);
        if group >= GROUPS {
            return Err(at.error(format!("group {group} of message sizes")));
        }
        let cells: [u64; CELLS] = block.numbers()?;
        let none = || [const { Counts { bins: [0; BINS], bytes: 0 } }; 2];
        let to = rank(to.into(), at)?;
        let counts = &mut self.messages.entry(to).or_insert_with(none)[usize::from(internal)];
        let bins: Range<usize> = group * GROUP..BINS.min(group * GROUP + GROUP);
        for (bin, count) in counts.bins[bins].iter_mut().zip(cells) {
            *bin = bin.saturating_add(count);
        }
        counts.bytes = counts.bytes.wrapping_add(cells[GROUP]);
        // No process sent so many messages. A wrapped sum would look like a small number.
        let sum = counts.bins.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        sum.map(drop).ok_or_else(|| at.error("2^64 messages or more"))
    }

    fn add(&mut self, kind: rows::Kind, to: u32, sum: TrafficSum) {
        let all = self.sums[kind as usize].entry(to).or_default();
        *all = all.and(sum);
    }

    fn shared_sum(&mut self, key: u64, block: &mut WordCursor<'_>) -> Result<(), Malformed> {
        let sum = block.sum()?;
        let size = u64::from(self.size);
        if key != 0 {
            let len = block.below(1 << 32, "a number of ranks")? as usize;
            let at = *block;
            for to in block.ranks(len)? {
                self.add(rows::Kind::Collective, rank(to.into(), at)?, sum);
            }
            return Ok(());
        }
        let first = block.below(size + 1, "a rank")?;
        let step = block.below(size + 1, "a distance of ranks")?;
        let len = block.below(size + 1, "a number of ranks")?;
        let except = block.below(size + 1, "a rank")?;
        if len > 0 && first + (len - 1) * step >= size {
            return Err(block.error(format!("{len} ranks from {first} on, of {size}")));
        }
        if sum.is_zero() {
            return Ok(());
        }
        self.expand(len, block)?;
        for to in (0..len).map(|at| first + at * step).filter(|to| to + 1 != except) {
            self.add(rows::Kind::Collective, to as u32, sum);
        }
        Ok(())
    }

    fn ranks(&self, block: &mut WordCursor<'_>) -> Result<Members, Malformed> {
        let at = *block;
        let form = block.word()?;
        let (len, world) = (form as u32, form >> 32 != 0);
        if len == 0 {
            return Err(at.error("a communicator without processes"));
        }
        match world {
            true if len <= self.size => Ok(Members::World(len)),
            true => Err(at.error(format!("a communicator of {len} processes, of {}", self.size))),
            false => {
                let ranks = block.ranks(len as usize)?;
                for one in &ranks {
                    rank((*one).into(), at)?;
                }
                Ok(Members::List(ranks.into()))
            }
        }
    }

    /// Returns the block of a communicator, or of several; `None` if the slot was not used when the process ended.
    fn comm(&self, of: &CommOperations) -> Option<Block> {
        let kind = self.kinds.get(&of.kind)?;
        let members = self.members.get(&kind.members)?.clone();
        let (first, last) = if kind.numbered { (of.first, of.last) } else { (0, 0) };
        let label = Label { name: kind.name.as_str().into(), first, last };
        let [one_to_all, all_to_one, all_to_all] = of.sums;
        Some(Block { label, members, alike: of.alike.max(1), one_to_all, all_to_one, all_to_all })
    }

    fn profile(self, me: u32) -> Profile {
        let row = |(to, [external, internal]): (&u32, &[Counts; 2])| Row {
            to: *to,
            external: external.peer_snapshot(),
            internal: internal.peer_snapshot(),
        };
        let messages =
            self.messages.iter().map(row).filter(|row| !row.external.is_zero() || !row.internal.is_zero());
        let comms = self.operations.values().filter_map(|of| self.comm(of)).collect();
        let of_kind = |(kind, sums): (rows::Kind, BTreeMap<u32, TrafficSum>)| {
            sums.into_iter().filter(|(_, sum)| !sum.is_zero()).map(move |(to, sum)| SumRow { kind, to, sum })
        };
        let mut sums: Vec<_> = rows::Kind::ALL.into_iter().zip(self.sums).flat_map(of_kind).collect();
        sums.sort_unstable_by_key(SumRow::order);
        // Components make lines; the store has none.
        let mut profile = Profile {
            me,
            messages: messages.collect(),
            sums,
            comms,
            about: self.about,
            values: self.values,
            ..Profile::default()
        };
        self.times.add_to(&mut profile);
        profile
    }
}

/// Decodes a rank, which is a value of C's type `int`, or stands for a process outside of the world.
fn rank(key: u64, at: WordCursor<'_>) -> Result<u32, Malformed> {
    let rank = u32::try_from(key).ok().filter(|rank| *rank == OUTSIDE || i32::try_from(*rank).is_ok());
    rank.ok_or_else(|| at.error(format!("a rank of {key}")))
}
