//! Where the numbers of monitoring lie: words in memory, or in a file that outlives the process.
//!
//! A store is a sequence of blocks, each a few words that belong together, with their kind and a key. Blocks are only
//! added, and never move. With a file, the same words are those of a mapping, so the kernel keeps them whatever ends the
//! process; the blocks say of themselves what they are, so [`read`] needs nothing else.
//!
//! Adding a block takes a lock, and some of them memory; counting in a block that is there does neither.

mod blocks;
mod left;
mod read;

use std::io;
use std::path::Path;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::lock::Mutex;
use mpit::log::Log;
use mpit::mapping::{Mapping, Words};

use crate::complaint::complain;
use crate::host::World;
use blocks::{HEADER, Head, State};

pub(crate) use blocks::{Kind, Text, exchanged_key, message_key};
pub use left::{LeftFile, Unreadable, files_at, find, wanted_at};
pub(crate) use left::{forget, path_of};
pub use read::is_store;
pub use read::{Left, Malformed, read};

/// The store of this process.
pub(crate) static OF_PROCESS: Store = Store::new();

/// Words in the first piece of memory, and in the largest: pieces grow with what there is already. Those of a file begin
/// at the size that [`Mapping`] gives them.
const FIRST: usize = 512;
const LARGEST: usize = 128 * 1024;

/// Blocks of words, in memory or in a file.
#[derive(Debug)]
pub struct Store {
    pieces: Log<Piece>,
    end: Mutex<End>,
    /// Whether there is a file.
    kept: AtomicBool,
}

/// Neighbouring words.
#[derive(Debug)]
enum Piece {
    Memory(Box<[AtomicU64]>),
    File(Words),
}

impl Piece {
    fn words(&self) -> &[AtomicU64] {
        match self {
            Self::Memory(words) => words,
            Self::File(words) => words,
        }
    }
}

/// Where the next block goes.
#[derive(Debug)]
struct End {
    file: Option<Mapping>,
    /// How many words of the newest piece are used.
    used: usize,
    /// How many words there are in all pieces.
    total: usize,
    /// The piece with the header of the file.
    header: usize,
}

impl End {
    /// In a child that was forked, the file is the parent's: what is new goes to memory, behind the pieces that both
    /// share. Whether that has just begun.
    fn leave_if_forked(&mut self) -> bool {
        let forked = self.file.as_ref().is_some_and(|file| !file.is_ours());
        if forked {
            self.file = None;
        }
        forked
    }
}

impl Store {
    /// A store in memory.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            pieces: Log::new(),
            end: Mutex::new(End { file: None, used: 0, total: 0, header: 0 }),
            kept: AtomicBool::new(false),
        }
    }

    /// From now on, blocks go to a file, of which the directory must be there. The blocks there are already stay in
    /// memory.
    ///
    /// # Errors
    ///
    /// When the file cannot be made; then the store stays as it was.
    pub fn keep(&self, path: &Path, world: World) -> io::Result<()> {
        let mut end = self.end.lock();
        let mut file = Mapping::create(path)?;
        let piece = file.extend(1).inspect_err(|_| {
            // The first error is the one to report.
            let _ = file.remove();
        })?;
        blocks::write_header(&piece, world);
        end.total += piece.len();
        end.used = HEADER;
        end.header = push(&self.pieces, Piece::File(piece));
        end.file = Some(file);
        self.kept.store(true, Release);
        Ok(())
    }

    /// Whether blocks go to a file, or did until it could not grow.
    pub fn is_kept(&self) -> bool {
        self.kept.load(Relaxed)
    }

    /// Records that the process came to `MPI_Finalize`: nothing is missing behind its last call.
    pub fn finalizing(&self) {
        let mut end = self.end.lock();
        if !end.leave_if_forked()
            && end.file.is_some()
            && let Some(piece) = self.pieces.get(end.header)
        {
            blocks::write_finalizing(piece.words());
        }
    }

    /// All is written elsewhere: the file goes, if there is one.
    pub fn done(&self) {
        let mut end = self.end.lock();
        end.leave_if_forked();
        if let Some(file) = &end.file {
            // Whoever finds it because it could not be removed knows that it is not needed.
            self.say(&end, State::Ended);
            if let Err(error) = file.remove() {
                complain(format_args!("cannot remove {}: {error}", file.path().display()));
            }
        }
    }

    /// Adds a block: `cells` words that are 0 and to be added to, and behind them others that stay as they are.
    pub(crate) fn add(&self, kind: Kind, key: u64, cells: usize, text: &[u64]) -> &[AtomicU64] {
        let mut end = self.end.lock();
        let forked = end.leave_if_forked();
        let head = Head { kind, words: (1 + cells + text.len()) as u32 };
        let wanted = 1 + head.words as usize;
        let newest = self.newest().filter(|piece| piece.len() - end.used >= wanted && !forked);
        let piece = if let Some(piece) = newest {
            piece
        } else {
            if !forked {
                self.close_newest(&end);
            }
            self.grow(&mut end, wanted)
        };
        let block = &piece[end.used..end.used + wanted];
        end.used += wanted;
        block[1].store(key, Relaxed);
        for (word, value) in block[2 + cells..].iter().zip(text) {
            word.store(*value, Relaxed);
        }
        // Whoever finds the process dead here finds no block, or all of it.
        block[0].store(head.word(), Release);
        &block[2..]
    }

    fn newest(&self) -> Option<&[AtomicU64]> {
        self.pieces.get(self.pieces.len().checked_sub(1)?).map(Piece::words)
    }

    /// The rest of the newest piece is not used.
    fn close_newest(&self, end: &End) {
        if let Some(piece) = self.newest()
            && let Some(rest) = (piece.len() - end.used).checked_sub(1)
        {
            piece[end.used].store(Head { kind: Kind::Unused, words: rest as u32 }.word(), Release);
        }
    }

    /// A piece with so many words at least, all unused.
    fn grow(&self, end: &mut End, wanted: usize) -> &[AtomicU64] {
        let piece = self.in_file(end, wanted).map_or_else(
            || {
                let words = (end.total / 2).clamp(FIRST, LARGEST).max(wanted);
                Piece::Memory((0..words).map(|_| AtomicU64::new(0)).collect())
            },
            Piece::File,
        );
        end.total += piece.words().len();
        end.used = 0;
        let at = push(&self.pieces, piece);
        self.pieces.get(at).expect("pushed just now").words()
    }

    /// More words of the file. When there are none, the rest goes to memory, and whoever reads the file is told.
    fn in_file(&self, end: &mut End, wanted: usize) -> Option<Words> {
        let file = end.file.as_mut().filter(|_| !self.is_cut_short(end.header))?;
        let wanted = (end.total / 2).min(LARGEST).max(wanted);
        match file.extend(wanted) {
            Ok(words) => Some(words),
            Err(error) => {
                complain(format_args!(
                    "monitoring_store: {}: {error}; what comes now is kept in memory only",
                    file.path().display()
                ));
                self.say(end, State::CutShort);
                None
            }
        }
    }

    fn is_cut_short(&self, header: usize) -> bool {
        self.pieces.get(header).is_some_and(|piece| blocks::state(piece.words()) == State::CutShort as u64)
    }

    fn say(&self, end: &End, state: State) {
        if let Some(piece) = self.pieces.get(end.header) {
            blocks::write_state(piece.words(), state);
        }
    }
}

/// Appends to a list that nobody else appends to at the same time.
fn push(pieces: &Log<Piece>, piece: Piece) -> usize {
    pieces.push(piece).unwrap_or_else(|_| panic!("a store of {} pieces is full", pieces.len()))
}
