//! The words of a store file, read one after the other.

use thiserror::Error;

use super::blocks::{BlockHeader, BlockKind, HEADER, MAGIC, State, VERSION};
use super::outcome::Outcome;
use super::recovered::Recovered;
use crate::TrafficSum;

/// The reason why a file is not a valid store, with the position in bytes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("byte {at}: {what}")]
pub struct Malformed {
    /// The position in bytes.
    pub at: usize,
    /// The problem.
    pub what: String,
}

/// The maximum number of processes, more than any machine has: a damaged file must not make a reader allocate all memory.
const MAX_PROCESSES: u32 = 1 << 26;

pub(super) const WORD: usize = size_of::<u64>();

/// The word of the header with the number of words of the file.
const LENGTH: usize = 6;

#[derive(Clone, Copy)]
pub(super) struct WordCursor<'a> {
    words: &'a [[u8; WORD]],
    at: usize,
    end: usize,
    /// True if the file was cut off, so that its last block may be incomplete.
    is_cut: bool,
}

impl<'a> WordCursor<'a> {
    /// Returns the words of a file; half a word at its end is ignored.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let (words, _) = bytes.as_chunks();
        Self { words, at: 0, end: words.len(), is_cut: false }
    }

    pub(super) fn error(&self, what: impl Into<String>) -> Malformed {
        Malformed { at: self.at * WORD, what: what.into() }
    }

    fn left(&self) -> usize {
        self.end - self.at
    }

    pub(super) fn word(&mut self) -> Result<u64, Malformed> {
        if self.at == self.end {
            return Err(self.error("expected more words"));
        }
        let word = u64::from_ne_bytes(self.words[self.at]);
        self.at += 1;
        Ok(word)
    }

    pub(super) fn below(&mut self, bound: u64, what: &str) -> Result<u64, Malformed> {
        let at = *self;
        let word = self.word()?;
        if word < bound {
            Ok(word)
        } else {
            Err(at.error(format!("{what} is {word}, expected one below {bound}")))
        }
    }

    pub(super) fn numbers<const N: usize>(&mut self) -> Result<[u64; N], Malformed> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.word()?;
        }
        Ok(numbers)
    }

    pub(super) fn words(&mut self, len: usize) -> Result<Vec<u64>, Malformed> {
        (0..len).map(|_| self.word()).collect()
    }

    pub(super) fn sum(&mut self) -> Result<TrafficSum, Malformed> {
        let [count, bytes] = self.numbers()?;
        Ok(TrafficSum { count, bytes })
    }

    /// Reads the number of bytes of a name, and the name.
    pub(super) fn name(&mut self) -> Result<String, Malformed> {
        let len = self.below((self.left() * WORD) as u64, "the length of a name")? as usize;
        let mut bytes = Vec::with_capacity(len.next_multiple_of(WORD));
        while bytes.len() < len {
            bytes.extend(self.word()?.to_ne_bytes());
        }
        bytes.truncate(len);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads `len` ranks, two in a word.
    pub(super) fn ranks(&mut self, len: usize) -> Result<Vec<u32>, Malformed> {
        if len.div_ceil(2) > self.left() {
            return Err(self.error(format!("expected {len} ranks")));
        }
        let mut ranks = Vec::with_capacity(len + 1);
        while ranks.len() < len {
            let pair = self.word()?;
            ranks.extend([pair as u32, (pair >> 32) as u32]);
        }
        ranks.truncate(len);
        Ok(ranks)
    }

    pub(super) fn expect_end(self) -> Result<(), Malformed> {
        if self.left() == 0 { Ok(()) } else { Err(self.error("a block that is too long")) }
    }

    /// Returns the number of bytes that a file of `len` bytes lacks by its header, which was read. If it lacks some, its last block may be
    /// incomplete.
    pub(super) fn missing_bytes(&mut self, len: usize) -> u64 {
        let words = self.words.get(LENGTH).map_or(0, |word| u64::from_ne_bytes(*word));
        let missing = words.saturating_mul(WORD as u64).saturating_sub(len as u64);
        self.is_cut = missing > 0;
        missing
    }

    pub(super) fn header(&mut self) -> Result<Recovered, Malformed> {
        if self.left() < HEADER || self.words[0] == [0; WORD] {
            return Err(self.error("the file has no header yet"));
        }
        if self.word()? != MAGIC {
            return Err(Malformed {
                at: 0,
                what:
                    "the file is not a store of monitoring, or was written by a machine of another byte order"
                        .into(),
            });
        }
        let at = *self;
        let version = self.word()?;
        if version != VERSION {
            return Err(at.error(format!("version {version}; this program reads version {VERSION}")));
        }
        let at = *self;
        let rank_and_size = self.word()?;
        let (rank, size) = (rank_and_size as u32, (rank_and_size >> 32) as u32);
        if size > MAX_PROCESSES || rank >= size {
            return Err(at.error(format!("rank {rank} of {size}")));
        }
        let process = self.word()? as u32;
        let state = self.word()?;
        let finalized = self.word()? != 0;
        let at = *self;
        let length = self.word()?;
        if length < HEADER as u64 {
            return Err(at.error(format!("a file of {length} words")));
        }
        let outcome = Outcome::of(self.word()?);
        debug_assert_eq!(self.at, HEADER, "the header was read");
        let [ended, truncated] = [State::Ended, State::Truncated].map(|known| state == known as u64);
        Ok(Recovered { rank, size, process, ended, truncated, finalized, outcome, ..Recovered::default() })
    }

    /// Returns the kind and content of the next block; skips unused ones.
    pub(super) fn next_block(&mut self) -> Result<Option<(BlockKind, Self)>, Malformed> {
        loop {
            if self.left() == 0 {
                return Ok(None);
            }
            let at = *self;
            let header = match BlockHeader::of(self.word()?) {
                Ok(header) => header,
                Err(0) => return Ok(None),
                Err(kind) => return Err(at.error(format!("a block of the unknown kind {kind}"))),
            };
            let words = header.words as usize;
            if words > self.left() && self.is_cut {
                return Ok(None);
            }
            if words > self.left() {
                return Err(at.error(format!("a block of {words} words, and {} are there", self.left())));
            }
            let block = Self { end: self.at + words, ..*self };
            self.at = block.end;
            if header.kind != BlockKind::Unused {
                return Ok(Some((header.kind, block)));
            }
        }
    }
}
