//! The form of a file: a header of eight words, then blocks. Words are those of the machine.
//!
//! A block begins with a word that has its kind in the lower half, and in the upper one how many words follow; 0 stands
//! where no block is yet. The next word is the key, except in unused ones.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use crate::comms::{Label, Ranks};
use crate::host::World;

/// The first word.
pub(super) const MAGIC: u64 = u64::from_ne_bytes(*b"mpit\nsto");

/// The version of all of this.
pub(super) const VERSION: u64 = 3;

/// Words of the header: magic, version, world size and rank, process, state, whether `MPI_Finalize` was reached, and two to come.
pub(super) const HEADER: usize = 8;

/// What a process says of its file; 0 as long as there is nothing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It wrote everything elsewhere.
    Ended = 1,
    /// It is at work, and the file could not grow: something is missing.
    CutShort = 2,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words at the end of a piece.
    Unused = 1,
    /// Messages to one process: [`message_key`], the counts of some sizes, and their bytes.
    Messages = 2,
    /// Accesses to the memory of one process: its rank, what was sent and what was received.
    Accesses = 3,
    /// Collective operations with one process: its rank, what was exchanged.
    Exchanged = 4,
    /// Collective operations with several: what was exchanged with each, [`exchanged_key`], and who they are.
    Audience = 5,
    /// Collective operations on a communicator, or several that are alike: a slot, three sums, the kind of communicator
    /// (0 while the slot is not used), the first and the last number behind its name, how many there are, and the number of
    /// the first in the order of creation.
    Operations = 6,
    /// A kind of communicator: its number, that of the members, whether numbers stand behind the name, the name.
    Comm = 7,
    /// Members: their number, whether they are those of the world in its order, how many, which.
    Members = 8,
    /// The run and world that the process belongs to: 0, the fields of [`crate::run::Identity`].
    Run = 9,
}

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Unused,
        Self::Messages,
        Self::Accesses,
        Self::Exchanged,
        Self::Audience,
        Self::Operations,
        Self::Comm,
        Self::Members,
        Self::Run,
    ];
}

/// The key of a group of message sizes.
pub(crate) fn message_key(to: u32, group: usize, internal: bool) -> u64 {
    u64::from(to) | (group as u64) << 32 | u64::from(internal) << 40
}

/// What [`message_key`] was made of.
pub(super) fn message_of_key(key: u64) -> (u32, usize, bool) {
    (key as u32, (key >> 32) as usize & 0xff, key >> 40 != 0)
}

/// The key of an audience: none is needed but to tell a stride from a list.
pub(crate) fn exchanged_key(list: bool) -> u64 {
    u64::from(list)
}

/// The first word of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// How many words follow.
    pub(super) words: u32,
}

impl Head {
    pub(super) fn word(self) -> u64 {
        self.kind as u64 | u64::from(self.words) << 32
    }

    /// Reads it; the kind as a number when there is no such one.
    pub(super) fn of(word: u64) -> Result<Self, u32> {
        let kind = word as u32;
        let known = Kind::ALL.into_iter().find(|known| *known as u32 == kind);
        known.map(|kind| Self { kind, words: (word >> 32) as u32 }).ok_or(kind)
    }
}

pub(super) fn write_header(words: &[AtomicU64], world: World) {
    words[1].store(VERSION, Relaxed);
    words[2].store(u64::from(world.size) << 32 | u64::from(world.rank), Relaxed);
    words[3].store(std::process::id().into(), Relaxed);
    words[0].store(MAGIC, Release);
}

pub(super) fn write_state(words: &[AtomicU64], state: State) {
    words[4].store(state as u64, Release);
}

/// The process came to `MPI_Finalize`.
pub(super) fn write_finalizing(words: &[AtomicU64]) {
    words[5].store(1, Release);
}

pub(super) fn state(words: &[AtomicU64]) -> u64 {
    words[4].load(Relaxed)
}

/// Text and small numbers as words.
#[derive(Debug, Default)]
pub(crate) struct Text(Vec<u64>);

impl Text {
    /// A name.
    pub(crate) fn of_name(name: &str) -> Self {
        let mut text = Self::default();
        text.push(name);
        text
    }

    /// Members of communicators.
    pub(crate) fn of_members(ranks: &Ranks) -> Self {
        let list = ranks.list();
        let mut text = Self(vec![u64::from(list.is_none()) << 32 | u64::from(ranks.size())]);
        if let Some(list) = list {
            text.push_ranks(list);
        }
        text
    }

    /// A kind of communicator, with the members of a number.
    pub(crate) fn of_kind(members: u64, label: Label<'_>) -> Self {
        let mut text = Self(vec![members, u64::from(label.first != 0)]);
        text.push(label.name);
        text
    }

    /// Ranks, two in a word, behind how many there are.
    pub(crate) fn of_ranks(ranks: &[u32]) -> Self {
        let mut text = Self(vec![ranks.len() as u64]);
        text.push_ranks(ranks);
        text
    }

    fn push(&mut self, name: &str) {
        self.0.push(name.len() as u64);
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_ne_bytes(word)
        };
        self.0.extend(name.as_bytes().chunks(8).map(word));
    }

    fn push_ranks(&mut self, ranks: &[u32]) {
        let word = |pair: &[u32]| u64::from(pair[0]) | pair.get(1).map_or(0, |rank| u64::from(*rank)) << 32;
        self.0.extend(ranks.chunks(2).map(word));
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }
}
