//! The file format of a store: a header of eight words, then blocks. Words have the byte order of the machine.
//!
//! The lower half of a block's first word is the kind, the upper one the number of words that follow; the value 0 means
//! that there is no block yet. The next word is the key, except in unused blocks.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use super::outcome::Outcome;
use crate::messages::BINS;
use crate::profile::{Label, Members};

pub use crate::block_kinds::{BlockKind, Content};

/// The number of bins in a group. Groups are created on first use, because the sizes of messages to one peer seldom differ
/// much.
pub const GROUP: usize = 16;

/// The maximum number of groups.
pub const GROUPS: usize = BINS.div_ceil(GROUP);

/// The number of words of a group: its bins, and the sum of bytes of their messages.
pub const CELLS: usize = GROUP + 1;

pub(super) const MAGIC: u64 = u64::from_ne_bytes(*b"mpit\nsto");

pub(super) const VERSION: u64 = 9;

/// The number of words of the header: magic, version, world size and rank, process, state, a flag for `MPI_Finalize`, the number of
/// words of the file, and the [`Outcome`] of the process's output.
pub const HEADER: usize = 8;

/// The state that a process writes to its file; 0 if it has not written any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The process wrote everything elsewhere.
    Ended = 1,
    /// The file could not grow: data is missing.
    Truncated = 2,
}

/// Returns the key of a group of message sizes.
#[must_use]
pub fn message_key(to: u32, group: usize, internal: bool) -> u64 {
    u64::from(to) | (group as u64) << 32 | u64::from(internal) << 40
}

pub(super) fn message_of_key(key: u64) -> (u32, usize, bool) {
    (key as u32, (key >> 32) as usize & 0xff, key >> 40 != 0)
}

/// Returns the key of a shared sum, which only distinguishes a stride from a list.
#[must_use]
pub fn exchanged_key(list: bool) -> u64 {
    u64::from(list)
}

/// The first word of a block.
#[derive(Clone, Copy, Debug)]
pub struct BlockHeader {
    /// The kind.
    pub kind: BlockKind,
    /// The number of words that follow.
    pub words: u32,
}

impl BlockHeader {
    /// Encodes the header.
    #[must_use]
    pub fn word(self) -> u64 {
        self.kind as u64 | u64::from(self.words) << 32
    }

    /// Decodes a first word.
    ///
    /// # Errors
    ///
    /// The number of an unknown kind.
    pub fn of(word: u64) -> Result<Self, u32> {
        let kind = word as u32;
        let known = BlockKind::ALL.iter().copied().find(|known| *known as u32 == kind);
        known.map(|kind| Self { kind, words: (word >> 32) as u32 }).ok_or(kind)
    }
}

/// Writes the header of a file that consists of `words`; the first word last, so that a reader finds no header or a complete one.
pub fn write_header(words: &[AtomicU64], rank: u32, size: u32) {
    words[1].store(VERSION, Relaxed);
    words[2].store(u64::from(size) << 32 | u64::from(rank), Relaxed);
    words[3].store(std::process::id().into(), Relaxed);
    words[6].store(words.len() as u64, Relaxed);
    words[0].store(MAGIC, Release);
}

/// Records that the file has grown by some words, after it has: a shorter file than recorded was cut off. The caller guarantees that no
/// other thread does so at the same time.
pub fn write_growth(words: &[AtomicU64], more: usize) {
    let length = words[6].load(Relaxed) + more as u64;
    words[6].store(length, Release);
}

/// Records the state of the file.
pub fn write_state(words: &[AtomicU64], state: State) {
    words[4].store(state as u64, Release);
}

/// Records that the process reached `MPI_Finalize`.
pub fn write_finalizing(words: &[AtomicU64]) {
    words[5].store(1, Release);
}

/// Records the outcome of the process's output.
pub fn write_outcome(words: &[AtomicU64], outcome: Outcome) {
    words[7].store(outcome.word(), Release);
}

/// Returns the recorded state.
#[must_use]
pub fn state(words: &[AtomicU64]) -> u64 {
    words[4].load(Relaxed)
}

/// Names and numbers encoded as words, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Encoded(Vec<u64>);

impl Encoded {
    /// Adds a number.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        self.0.push(number);
        self
    }

    /// Adds a name behind its length.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.0.push(name.len() as u64);
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_ne_bytes(word)
        };
        self.0.extend(name.as_bytes().chunks(8).map(word));
        self
    }

    /// Adds a label without its numbers.
    #[must_use]
    pub fn label(self, label: &Label) -> Self {
        self.number(u64::from(label.first != 0)).name(&label.name)
    }

    /// Adds ranks, two in a word.
    #[must_use]
    pub fn ranks(mut self, ranks: &[u32]) -> Self {
        let word = |pair: &[u32]| u64::from(pair[0]) | pair.get(1).map_or(0, |rank| u64::from(*rank)) << 32;
        self.0.extend(ranks.chunks(2).map(word));
        self
    }

    /// Adds the members of communicators.
    #[must_use]
    pub fn members(self, members: &Members) -> Self {
        let size = u64::from(members.size());
        match members {
            Members::World(_) => self.number(1 << 32 | size),
            Members::List(list) => self.number(size).ranks(list),
        }
    }

    /// Returns the words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }
}
