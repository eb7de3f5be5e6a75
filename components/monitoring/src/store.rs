//! Storage of the records: words in memory, or in a file that survives the process.
//!
//! A store is a sequence of blocks. A block is a few words that belong together, with their kind and a key. Blocks are only
//! added, and never move. With a file, the words are those of a mapping, so the kernel keeps them however the process ends;
//! the blocks are self-describing, so [`read`](mpit_format::store::read) needs no other data.
//!
//! Adding a block takes a lock and may allocate; counting in an existing block does neither.

use std::path::{Path, PathBuf};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::{
    fs,
    io::{self, ErrorKind},
};

use mpit::internal::os::mapping::{Mapping, Words};
use mpit_format::store::blocks::{self, BlockHeader, BlockKind, Content, HEADER, State};
use mpit_format::store::{Outcome, StoreFile};
use mpit_frameworks::World;
use mpit_frameworks::diagnostics::warn;
use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;
use mpit_sync::memory;

pub(crate) static OF_PROCESS: Store = Store::new();

/// The number of words in the first piece of memory. Later pieces grow with the total size, up to `MAX_PIECE`. Pieces of a
/// file have the size that [`Mapping`] gives them.
const FIRST_PIECE: usize = 512;
const MAX_PIECE: usize = 128 * 1024;

/// The words of a cache line.
const LINE: usize = 8;

/// The users of a block's counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Users {
    /// All threads.
    AllThreads,
    /// One thread, which writes to no cache line that others use.
    OneThread,
}

/// Blocks of words, in memory or in a file.
#[derive(Debug)]
pub struct Store {
    pieces: Log<Piece>,
    end: Mutex<End>,
    has_file: AtomicBool,
}

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

#[derive(Debug)]
struct End {
    file: Option<Mapping>,
    /// The number of used words in the newest piece.
    used: usize,
    /// The number of words in all pieces.
    total: usize,
    /// The number of words of blocks with traffic.
    of_traffic: usize,
    /// The number of words of blocks with times.
    of_times: usize,
    /// The index of the piece with the header of the file.
    header: usize,
    /// True if the newest block fills a cache line.
    is_filled: bool,
}

impl End {
    /// Detaches the file, which is the parent's, in a forked child: new blocks go to memory. Returns true if it did so now.
    fn detach_if_forked(&mut self) -> bool {
        let forked = self.file.as_ref().is_some_and(|file| !file.is_ours());
        if forked {
            self.file = None;
        }
        forked
    }
}

impl Store {
    /// Creates a store in memory.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            pieces: Log::new(),
            end: Mutex::new(End {
                file: None,
                used: 0,
                total: 0,
                of_traffic: 0,
                of_times: 0,
                header: 0,
                is_filled: false,
            }),
            has_file: AtomicBool::new(false),
        }
    }

    /// Adds all further blocks to a file, whose directory must exist. The existing blocks stay in memory.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created; then the store is unchanged.
    pub fn attach_file(&self, path: &Path, world: World) -> io::Result<()> {
        let mut end = self.end.lock();
        let mut file = Mapping::create(path)?;
        let piece = file.extend(1).inspect_err(|_| {
            // The first error is the one to report.
            let _ = file.remove();
        })?;
        blocks::write_header(&piece, world.rank, world.size);
        let words = piece.len();
        end.header = self.pieces.push(Piece::File(piece)).map_err(|_| {
            // The first error is the one to report.
            let _ = file.remove();
            ErrorKind::OutOfMemory
        })?;
        end.total += words;
        end.used = HEADER;
        end.file = Some(file);
        self.has_file.store(true, Release);
        Ok(())
    }

    /// Returns true if blocks go to a file, or did until it could not grow.
    pub fn has_file(&self) -> bool {
        self.has_file.load(Relaxed)
    }

    /// Returns the path of the file, if it has all blocks.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let end = self.end.lock();
        let file = end.file.as_ref()?;
        if self.is_truncated(end.header) { None } else { Some(file.path().to_owned()) }
    }

    /// Returns the number of bytes of the blocks with traffic, and of those with times.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        let end = self.end.lock();
        [end.of_traffic, end.of_times].map(|words| words * size_of::<u64>())
    }

    /// Records that the process reached `MPI_Finalize`, so that no data is missing at the end of the run.
    pub fn finalizing(&self) {
        self.with_header(blocks::write_finalizing);
    }

    /// Records in the file, if there is one, the outcome of the process's output: `mpit run` reads it, and writes what is missing.
    pub fn set_outcome(&self, outcome: Outcome) {
        self.with_header(|words| blocks::write_outcome(words, outcome));
    }

    /// Records in the file, if there is one, that all data is written elsewhere: readers do not need it, also if it cannot be
    /// removed.
    pub fn end(&self) {
        self.with_header(|words| blocks::write_state(words, State::Ended));
    }

    /// Calls `write` with the words of the file, if there is one, and it is not the parent's.
    fn with_header(&self, write: impl FnOnce(&[AtomicU64])) {
        let mut end = self.end.lock();
        end.detach_if_forked();
        if end.file.is_some()
            && let Some(piece) = self.pieces.get(end.header)
        {
            write(piece.words());
        }
    }

    /// Removes the file, if there is one.
    pub fn remove_file(&self) {
        let mut end = self.end.lock();
        end.detach_if_forked();
        if let Some(file) = &end.file
            && let Err(error) = file.remove()
        {
            warn(format_args!("cannot remove {}: {error}", file.path().display()));
        }
    }

    /// Closes the file, if there is one: further blocks go to memory.
    fn close(&self) {
        let mut end = self.end.lock();
        end.detach_if_forked();
        if let Some(file) = &mut end.file {
            file.close();
        }
    }

    /// Adds a block of `cells` counters that are 0, followed by the constant words of `text`; returns `None` if memory is short.
    pub(crate) fn add(&self, kind: BlockKind, key: u64, cells: usize, text: &[u64]) -> Option<&[AtomicU64]> {
        self.add_for(Users::AllThreads, kind, key, cells, text)
    }

    /// Adds a block like [`add`](Self::add) for these users.
    pub(crate) fn add_for(
        &self,
        users: Users,
        kind: BlockKind,
        key: u64,
        cells: usize,
        text: &[u64],
    ) -> Option<&[AtomicU64]> {
        let mut end = self.end.lock();
        if memory::is_short() {
            self.write_truncated(&end);
            return None;
        }
        let fill = |end: &mut End| {
            if users == Users::OneThread && !end.is_filled {
                let _ = self.append(end, BlockKind::Unused, 0, LINE - 2, &[]);
                end.is_filled = true;
            }
        };
        fill(&mut end);
        let block = self.append(&mut end, kind, key, cells, text);
        end.is_filled = false;
        fill(&mut end);
        block
    }

    fn append(
        &self,
        end: &mut End,
        kind: BlockKind,
        key: u64,
        cells: usize,
        text: &[u64],
    ) -> Option<&[AtomicU64]> {
        let forked = end.detach_if_forked();
        let header = BlockHeader { kind, words: (1 + cells + text.len()) as u32 };
        let wanted = 1 + header.words as usize;
        let newest = self.newest().filter(|piece| piece.len() - end.used >= wanted && !forked);
        let piece = if let Some(piece) = newest {
            piece
        } else {
            if !forked {
                self.close_newest(end);
            }
            self.grow(end, wanted)?
        };
        let block = &piece[end.used..end.used + wanted];
        end.used += wanted;
        match kind.content() {
            Content::Traffic => end.of_traffic += wanted,
            Content::Times => end.of_times += wanted,
            Content::State => (),
        }
        block[1].store(key, Relaxed);
        for (word, value) in block[2 + cells..].iter().zip(text) {
            word.store(*value, Relaxed);
        }
        // Written last, with release ordering: if the process is killed here, a reader finds no block or a complete one.
        block[0].store(header.word(), Release);
        Some(&block[2..])
    }

    /// Calls `each` with the kind and the words of each block, of which the first one is the key.
    pub(crate) fn each_block(&self, mut each: impl FnMut(BlockKind, &[AtomicU64])) {
        let header = if self.has_file() { Some(self.end.lock().header) } else { None };
        for (at, piece) in self.pieces.iter().enumerate() {
            let mut words = piece.words();
            if Some(at) == header {
                words = words.get(HEADER..).unwrap_or_default();
            }
            // The words behind the last block are 0.
            while let Some((first, rest)) = words.split_first()
                && let Ok(BlockHeader { kind, words: len }) = BlockHeader::of(first.load(Acquire))
                && let Some((block, behind)) = rest.split_at_checked(len as usize)
            {
                each(kind, block);
                words = behind;
            }
        }
    }

    fn newest(&self) -> Option<&[AtomicU64]> {
        self.pieces.get(self.pieces.len().checked_sub(1)?).map(Piece::words)
    }

    fn close_newest(&self, end: &End) {
        if let Some(piece) = self.newest()
            && let Some(rest) = (piece.len() - end.used).checked_sub(1)
        {
            piece[end.used]
                .store(BlockHeader { kind: BlockKind::Unused, words: rest as u32 }.word(), Release);
        }
    }

    /// Adds a piece of at least `wanted` words, all unused; returns `None` if memory is short.
    fn grow(&self, end: &mut End, wanted: usize) -> Option<&[AtomicU64]> {
        let piece = match self.in_file(end, wanted) {
            Some(words) => Piece::File(words),
            None => self.in_memory(end, wanted)?,
        };
        let words = piece.words().len();
        let at = self.pieces.push(piece).ok()?;
        end.total += words;
        end.used = 0;
        self.pieces.get(at).map(Piece::words)
    }

    /// Allocates a piece; returns `None` if memory is short.
    fn in_memory(&self, end: &End, wanted: usize) -> Option<Piece> {
        let usual = (end.total / 2).clamp(FIRST_PIECE, MAX_PIECE).max(wanted);
        let words = [usual, wanted].into_iter().find(|words| memory::is_available(words * size_of::<u64>()));
        let Some(words) = words else {
            memory::set_short();
            self.write_truncated(end);
            return None;
        };
        Some(Piece::Memory((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    /// Records in the file, if there is one, that data is missing, because memory is short.
    fn write_truncated(&self, end: &End) {
        if end.file.is_some() && !self.is_truncated(end.header) {
            self.write_state(end, State::Truncated);
        }
    }

    /// Grows the file. If that fails, further blocks go to memory, which is recorded in the file's state.
    fn in_file(&self, end: &mut End, wanted: usize) -> Option<Words> {
        if self.is_truncated(end.header) {
            return None;
        }
        let file = end.file.as_mut().filter(|file| !file.is_closed())?;
        let wanted = (end.total / 2).min(MAX_PIECE).max(wanted);
        match file.extend(wanted) {
            Ok(words) => {
                if let Some(header) = self.pieces.get(end.header) {
                    blocks::write_growth(header.words(), words.len());
                }
                Some(words)
            }
            Err(error) => {
                warn(format_args!(
                    "monitoring_store: {}: {error}; later records are in memory only",
                    file.path().display()
                ));
                self.write_state(end, State::Truncated);
                None
            }
        }
    }

    fn is_truncated(&self, header: usize) -> bool {
        self.pieces.get(header).is_some_and(|piece| blocks::state(piece.words()) == State::Truncated as u64)
    }

    fn write_state(&self, end: &End, state: State) {
        if let Some(piece) = self.pieces.get(end.header) {
            blocks::write_state(piece.words(), state);
        }
    }
}

/// Closes the file of the process's records, after MPI was finalized: the program finds no open descriptor that is not its own.
pub fn close() {
    OF_PROCESS.close();
}

/// Removes a file that a process of this rank left in an earlier run.
pub(crate) fn discard(path: &Path) {
    let Some(file) = StoreFile::at(path) else { return };
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_file())
        && !file.is_in_use()
        && let Err(error) = fs::remove_file(path)
    {
        warn(format_args!("cannot remove {}: {error}", path.display()));
    }
}
