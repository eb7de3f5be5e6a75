//! The state of a running process in its store: the calls that its threads are in, its communicators, and what it sent.
//!
//! The process stores words in its own cache lines and no time. A call is in progress in two snapshots if its number is the same
//! in both. Words of a call are written before its state, so a snapshot of a state may have words of the next call: readers
//! compare two snapshots.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use crate::files::cut_off;

/// The words of a thread: block [`Thread`](super::blocks::BlockKind::Thread), whose key is the thread's slot.
pub mod thread {
    /// The number of words.
    pub const CELLS: usize = MORE + MAX_MORE;
    /// The number of the call in progress or of the last one, from bit [`NUMBER_SHIFT`] on, its index in
    /// [`CALLS`](crate::calls::CALLS) from bit [`CALL_SHIFT`] on, and a bit for each word below that belongs to it.
    pub const STATE: usize = 0;
    /// The handle of the communicator or window.
    pub const OBJECT: usize = 1;
    /// The peer, and the tag in the upper half.
    pub const PEER: usize = 2;
    /// 1 while the call is in progress. Not a bit of the state: the end of a call would have to wait for the state to be stored, and
    /// the next call for the end.
    pub const INSIDE: usize = 3;
    /// The number of elements or of requests.
    pub const COUNT: usize = 4;
    /// The handle of the datatype.
    pub const DATATYPE: usize = 5;
    /// The number of the collective operation on the communicator.
    pub const NUMBER: usize = 6;
    /// The stack position of the call.
    pub const POSITION: usize = 7;
    /// The source and the tag of the receive of a combined call.
    pub const SECOND: usize = 8;
    /// The handles of requests.
    pub const REQUESTS: usize = 9;
    /// The maximum number of handles of requests.
    pub const MAX_REQUESTS: usize = 4;
    /// The number of the thread on its machine.
    pub const TID: usize = 13;
    /// A value that differs between threads which have the slot one after the other.
    pub const OWNER: usize = 14;
    /// The number of calls that tested for the state of an operation from bit [`POLLS_SHIFT`] on, and the index of the last one.
    pub const POLLS: usize = 15;
    /// The number of requests that the last test had.
    pub const POLLED: usize = 16;
    /// The handle of the communicator or window of the last test; 0 for one of requests.
    pub const POLLED_OBJECT: usize = 17;
    /// The source and the tag of the last test for a message.
    pub const POLLED_PEER: usize = 18;
    /// The handles of the first requests of the last test.
    pub const POLLED_REQUESTS: usize = 19;
    /// A further argument: of `MPI_Intercomm_create` the communicator of the leaders.
    pub const FURTHER: usize = 23;
    /// The number of entries in [`REQUESTS`] and [`MORE`] together, of calls with more requests than [`MAX_REQUESTS`] or with a group,
    /// and [`IS_CUT`].
    pub const STORED: usize = 24;
    /// Further handles of requests, or the ranks in the world of a group, each in a word.
    pub const MORE: usize = 25;
    /// The maximum number of further handles or ranks.
    pub const MAX_MORE: usize = 60;

    /// The bit for more handles or ranks than the words have place for.
    pub const IS_CUT: u64 = 1 << 32;
    /// The position of the number of tests.
    pub const POLLS_SHIFT: u32 = 16;

    /// The position of the call's index in the state. The bits between are one for each of the words 1 to 8.
    pub const CALL_SHIFT: u32 = 9;
    /// The position of the call's number in the state.
    pub const NUMBER_SHIFT: u32 = 20;
}

/// The words of a communicator: block [`Description`](super::blocks::BlockKind::Description), whose key is [`COMM`].
pub mod comm {
    /// The handle; 0 while the block is not used.
    pub const HANDLE: usize = 0;
    /// A hash of the calls that created the communicator and its parents; 0 if they were not seen.
    pub const LINEAGE: usize = 1;
    /// The number of collective operations that this process has begun.
    pub const COLLECTIVES: usize = 2;
    /// The rank of this process, and the number of processes in the upper half.
    pub const RANK_AND_SIZE: usize = 3;
    /// The bits below, and the number of listed members in the upper half.
    pub const FORM: usize = 4;
    /// The length of the name in bytes.
    pub const NAME_LEN: usize = 5;
    /// The name.
    pub const NAME: usize = 6;
    /// The maximum length of the name.
    pub const MAX_NAME: usize = 64;
    /// The last [collective operations](super::begun) that a process may leave, or begin without a wait, before others enter them.
    pub const BEGUN: usize = NAME + MAX_NAME / 8;
    /// The number of these operations.
    pub const MAX_BEGUN: usize = 8;
    /// The members, two ranks in a word, in blocks that have space for them.
    pub const MEMBERS: usize = BEGUN + MAX_BEGUN;

    /// The bit of an intercommunicator.
    pub const REMOTE: u64 = 1;
    /// The bit of a communicator whose members are the first processes of the world in its order.
    pub const WORLD: u64 = 2;
}

/// The words of the process: block [`Description`](super::blocks::BlockKind::Description), whose key is [`PROCESS`].
pub mod process {
    /// The number of words before the name of the machine.
    pub const CELLS: usize = 5;
    /// The time at which the process started, as `/proc/PID/stat` has it.
    pub const START: usize = 0;
    /// The first of the words of [`Constants`](super::Constants).
    pub const CONSTANTS: usize = 1;
    /// The PID namespace of the process, in which it has the number in the header; 0 if it is not known.
    pub const NAMESPACE: usize = 4;
}

/// The name of a mapping that a process has while it is in `MPI_Init`, when it has no store.
pub const STARTING: &std::ffi::CStr = c"mpit:MPI_Init";

/// The key of the block with [`process`].
pub const PROCESS: u64 = 1;
/// The key of blocks with [`comm`].
pub const COMM: u64 = 2;
/// The key of the block with [the sends](send_bit), and the [requests](request_slot) behind them.
pub const MESSAGES: u64 = 3;
/// The key of the block with the sizes of [datatypes](object_slot): the handle, and the size.
pub const DATATYPES: u64 = 5;

/// The key of the block with the [windows](object_slot), of which each has the words of [`windows`](super::windows).
pub const WINDOWS: u64 = 6;

/// The key of blocks with a fact about the job: its kind, and the fact, both as texts.
pub const ABOUT: u64 = 7;

/// The key of the block with the beginning of the name of the process's file at its end, an absolute path with the world's number.
pub const OUTPUT: u64 = 8;

/// The key of the block with the [buffered sends](buffered).
pub const BUFFERED: u64 = 9;

/// The key of the block with the [files](mod@file), by [slot](object_slot).
pub const FILES: u64 = 10;

/// The key of blocks with a [value](crate::values::ValueRow): the fields of its line, as a text.
pub const VALUE: u64 = 11;

/// The words of the buffered sends since a buffer was detached or flushed.
pub mod buffered {
    /// The number of sends, more than [`MAX`] if not all of them are known.
    pub const COUNT: usize = 0;
    /// The sends: the communicator; the destination, and the tag in the upper half.
    pub const SENDS: usize = 1;
    /// The maximum number of sends.
    pub const MAX: usize = 16;
    /// The number of words.
    pub const CELLS: usize = SENDS + 2 * MAX;
}

/// The words of an open file.
pub mod file {
    /// The handle; 0 while the words are not used.
    pub const HANDLE: usize = 0;
    /// The lineage of the communicator that opened the file.
    pub const LINEAGE: usize = 1;
    /// The number of the opening among the collective operations there.
    pub const OPENING: usize = 2;
    /// The number of collective operations on the file.
    pub const COLLECTIVES: usize = 3;
    /// The number of words.
    pub const CELLS: usize = 4;
}

/// The number of words of the set of sends.
pub const SEND_WORDS: usize = 1024;

/// The number of requests that are kept.
pub const REQUEST_SLOTS: usize = 1024;

/// The number of words of a request: its handle; the index of its call, with a [number](request_numbers) from bit 16 on; the communicator
/// or file; the peer, and in the upper half the tag, or the number of starts of a persistent collective operation.
pub const REQUEST_CELLS: usize = 4;

/// The number in the description of a request: that of a collective operation on its communicator or file, or of a partitioned send the
/// number of partitions that are ready, below [`PARTITIONS_SHIFT`](request_numbers::PARTITIONS_SHIFT), and of all partitions.
pub mod request_numbers {
    /// The position of the number.
    pub const SHIFT: u32 = 16;
    /// The position of the number of partitions, in the word that has the index of the call.
    pub const PARTITIONS_SHIFT: u32 = 40;
    /// The maximum number of partitions.
    pub const MAX_PARTITIONS: u64 = (1 << (64 - PARTITIONS_SHIFT)) - 1;
    /// The position of the number of starts.
    pub const STARTS_SHIFT: u32 = 32;
}

/// The number of words of the sends and the requests.
pub const MESSAGE_WORDS: usize = SEND_WORDS + REQUEST_SLOTS * REQUEST_CELLS;

/// The number of datatypes whose size is kept, of windows and of open files.
pub const OBJECT_SLOTS: usize = 64;

pub(super) const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The constants of the MPI library that the words contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constants {
    /// `MPI_ANY_SOURCE`.
    pub any_source: i32,
    /// `MPI_ANY_TAG`.
    pub any_tag: i32,
    /// `MPI_PROC_NULL`.
    pub proc_null: i32,
    /// `MPI_ROOT`.
    pub root: i32,
    /// `MPI_REQUEST_NULL`.
    pub null_request: u64,
}

impl Constants {
    /// Encodes the constants.
    #[must_use]
    pub const fn words(self) -> [u64; 3] {
        let Self { any_source, any_tag, proc_null, root, null_request } = self;
        [pack(any_source, any_tag), pack(proc_null, root), null_request]
    }

    pub(super) const fn of([any, none, null_request]: [u64; 3]) -> Self {
        let ((any_source, any_tag), (proc_null, root)) = (unpack(any), unpack(none));
        Self { any_source, any_tag, proc_null, root, null_request }
    }
}

/// Packs a peer and a tag.
#[inline]
#[must_use]
pub const fn pack(low: i32, high: i32) -> u64 {
    low.cast_unsigned() as u64 | (high.cast_unsigned() as u64) << 32
}

pub(super) const fn unpack(word: u64) -> (i32, i32) {
    ((word as u32).cast_signed(), ((word >> 32) as u32).cast_signed())
}

/// Returns the word of the set of sends for a message, and its bit there. Other messages may have the same.
#[inline]
#[must_use]
pub const fn send_bit(comm: u64, peer_and_tag: u64) -> (usize, u32) {
    // The upper bits of the product depend on all bits of both.
    let hash = comm.wrapping_add(peer_and_tag.rotate_left(32)).wrapping_mul(MULTIPLIER);
    ((hash >> 54) as usize % SEND_WORDS, (hash >> 48 & 63) as u32)
}

/// Returns the index of a request's slot. A later request may replace it.
#[inline]
#[must_use]
pub const fn request_slot(handle: u64) -> usize {
    (handle.wrapping_mul(MULTIPLIER) >> 54) as usize % REQUEST_SLOTS
}

/// Returns the word for a collective operation on a communicator: the index of its call, its number, and its root. The number is cut to
/// the bits that are left.
#[inline]
#[must_use]
pub const fn begun(call: u32, number: u64, root: i32) -> u64 {
    number << 43 | (call as u64 & 0x7ff) << 32 | root.cast_unsigned() as u64
}

/// Returns the index of the word for a collective operation among those of a communicator.
#[inline]
#[must_use]
pub const fn begun_slot(number: u64) -> usize {
    comm::BEGUN + number as usize % comm::MAX_BEGUN
}

/// Returns the index of the slot of a datatype, window or file. A later one may replace it.
#[must_use]
pub const fn object_slot(handle: u64) -> usize {
    (handle.wrapping_mul(MULTIPLIER) >> 58) as usize % OBJECT_SLOTS
}

/// A communicator of a running process.
#[derive(Clone, Copy, Debug)]
pub struct NewComm<'a> {
    /// The handle of C.
    pub handle: u64,
    /// A hash of the calls that created it; 0 if they were not seen.
    pub lineage: u64,
    /// The rank of this process in its own group.
    pub rank: u32,
    /// The number of processes that messages go to.
    pub size: u32,
    /// True for an intercommunicator.
    pub is_remote: bool,
    /// The name.
    pub name: &'a str,
    /// The members; `None` for the first processes of the world in its order.
    pub members: Option<&'a [u32]>,
}

impl NewComm<'_> {
    /// Writes the words of the communicator to a block, whose previous one was freed.
    pub fn write(&self, words: &[AtomicU64]) {
        let space = 2 * words.len().saturating_sub(comm::MEMBERS);
        let listed = self.members.filter(|members| members.len() <= space).unwrap_or_default();
        let flag = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
        let flags = flag(self.is_remote, comm::REMOTE) | flag(self.members.is_none(), comm::WORLD);
        let form = flags | (listed.len() as u64) << 32;
        let set = |at: usize, value: u64| words[at].store(value, Relaxed);
        set(comm::LINEAGE, self.lineage);
        set(comm::COLLECTIVES, 0);
        set(comm::RANK_AND_SIZE, u64::from(self.rank) | u64::from(self.size) << 32);
        set(comm::FORM, form);
        rename_comm(words, self.name);
        words[comm::BEGUN..comm::MEMBERS].iter().for_each(|word| word.store(0, Relaxed));
        for (at, pair) in listed.chunks(2).enumerate() {
            let second = pair.get(1).map_or(0, |rank| u64::from(*rank) << 32);
            set(comm::MEMBERS + at, u64::from(pair[0]) | second);
        }
        words[comm::HANDLE].store(self.handle, Release);
    }

    /// Returns the number of words that the members need.
    #[must_use]
    pub fn member_words(&self) -> usize {
        self.members.map_or(0, |members| members.len().div_ceil(2))
    }
}

/// Writes the name of a communicator; only the beginning of a long one.
pub fn rename_comm(words: &[AtomicU64], name: &str) {
    let name = cut_off(name, comm::MAX_NAME);
    words[comm::NAME_LEN].store(name.len() as u64, Relaxed);
    for (word, bytes) in words[comm::NAME..].iter().zip(name.as_bytes().chunks(8)) {
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        word.store(u64::from_ne_bytes(value), Relaxed);
    }
}
