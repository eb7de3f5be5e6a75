//! Stores as processes write them, for tests.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit_format::store::blocks::{BlockHeader, BlockKind, CELLS, HEADER, message_key, write_header};

/// Writes the store of a process of four that has sent messages of 1 byte to rank 0.
pub(super) fn write_store(path: &Path, rank: u32, messages: u64) {
    const BLOCK: usize = 1 + CELLS + 1;
    let words: Vec<AtomicU64> = (0..=HEADER + BLOCK).map(|_| AtomicU64::new(0)).collect();
    write_header(&words, rank, 4);
    let block = BlockHeader { kind: BlockKind::Messages, words: (CELLS + 1) as u32 };
    let key = message_key(0, 0, false);
    // The key is followed by the number of messages of each size, and the bytes.
    for (at, word) in [(0, block.word()), (1, key), (3, messages), (BLOCK - 1, messages)] {
        words[HEADER + at].store(word, Relaxed);
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
    let file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
    file.write_all_at(&bytes, 0).unwrap();
}
