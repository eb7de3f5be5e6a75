//! The state of this process for other programs that look into it while it runs: blocks in the store of its job.
//!
//! The host writes the words of each call itself. This module gives it the blocks.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::component::CommId;
use mpit::internal::os::own_process;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::live::{self, comm, process, thread};
use mpit_job::name;
use mpit_sync::lock::Mutex;
use mpit_sync::static_ref::StaticRef;

pub use mpit_format::calls;
pub use mpit_format::store::live::{
    Constants, NewComm, OBJECT_SLOTS, REQUEST_CELLS, REQUEST_SLOTS, SEND_WORDS, STARTING, begun, begun_slot,
    buffered as buffered_words, comm as comm_words, file as file_words, object_slot, pack, request_numbers,
    request_slot, send_bit, thread as thread_words,
};
pub use mpit_format::store::windows;

use crate::settings;
use crate::store::{OF_PROCESS, Users};

/// The words of a thread.
pub type ThreadWords = [AtomicU64; thread::CELLS];

/// The words of a communicator; its members may follow.
pub type CommWords = [AtomicU64; comm::MEMBERS];

/// The words of the sends and the requests.
pub type MessageWords = [AtomicU64; live::MESSAGE_WORDS];

/// True once the store of the job exists.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The messages that were sent, and the requests, once the store of the job exists.
pub static MESSAGES: StaticRef<MessageWords> = StaticRef::new();

/// The windows, once the store of the job exists.
pub static WINDOWS: StaticRef<[AtomicU64; OBJECT_SLOTS * windows::CELLS]> = StaticRef::new();

/// The buffered sends, once the store of the job exists.
pub static BUFFERED: StaticRef<[AtomicU64; live::buffered::CELLS]> = StaticRef::new();

/// The open files, once the store of the job exists.
pub static FILES: StaticRef<[AtomicU64; OBJECT_SLOTS * live::file::CELLS]> = StaticRef::new();

static DATATYPES: StaticRef<[AtomicU64; 2 * OBJECT_SLOTS]> = StaticRef::new();

static COMMS: Mutex<Comms> = Mutex::new(Comms { live: BTreeMap::new(), free: BTreeMap::new() });

/// The blocks of communicators.
struct Comms {
    /// By the identity of the communicator.
    live: BTreeMap<u64, &'static [AtomicU64]>,
    /// Blocks of freed communicators, by the number of words.
    free: BTreeMap<usize, Vec<&'static [AtomicU64]>>,
}

/// The maximum number of words for members, of which each communicator that is not like the world has a copy.
const MAX_MEMBER_WORDS: usize = 128;

/// Returns true if the environment or the settings make this process describe its calls once MPI is initialized.
#[must_use]
pub fn is_wanted() -> bool {
    name::job_of_environment().is_some() || settings::has_summary_file()
}

/// Returns true if this process describes its calls.
#[inline]
#[must_use]
pub fn is_active() -> bool {
    ACTIVE.load(Relaxed)
}

/// Begins the description: the store of the job exists, or there is none.
pub(crate) fn begin() {
    let add = |key, cells| OF_PROCESS.add_for(Users::OneThread, BlockKind::Description, key, cells, &[]);
    MESSAGES.set(add(live::MESSAGES, live::MESSAGE_WORDS).and_then(<[_]>::first_chunk));
    WINDOWS.set(add(live::WINDOWS, OBJECT_SLOTS * windows::CELLS).and_then(<[_]>::first_chunk));
    BUFFERED.set(add(live::BUFFERED, live::buffered::CELLS).and_then(<[_]>::first_chunk));
    FILES.set(add(live::FILES, OBJECT_SLOTS * live::file::CELLS).and_then(<[_]>::first_chunk));
    DATATYPES.set(add(live::DATATYPES, 2 * OBJECT_SLOTS).and_then(<[_]>::first_chunk));
    ACTIVE.store(true, Release);
}

/// Describes this process.
pub fn describe_process(constants: Constants) {
    if !is_active() {
        return;
    }
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Encoded::default().name(host.trim());
    let block = OF_PROCESS.add(BlockKind::Description, live::PROCESS, process::CELLS, host.words());
    let Some(block) = block else { return };
    for (word, value) in block[process::CONSTANTS..].iter().zip(constants.words()) {
        word.store(value, Relaxed);
    }
    block[process::START].store(own_process::start().unwrap_or(0), Relaxed);
    block[process::NAMESPACE].store(own_process::namespace(), Relaxed);
}

/// Returns the words of a new thread; `None` if memory is short.
#[must_use]
pub fn add_thread(slot: u64) -> Option<&'static ThreadWords> {
    if !is_active() {
        return None;
    }
    OF_PROCESS.add_for(Users::OneThread, BlockKind::Thread, slot, thread::CELLS, &[])?.first_chunk()
}

/// Describes a communicator. Returns its words; `None` if memory is short.
#[must_use]
pub fn add_comm(id: CommId, new: &NewComm<'_>) -> Option<&'static CommWords> {
    if !is_active() {
        return None;
    }
    let space = match new.member_words() {
        words if words == 0 || words > MAX_MEMBER_WORDS => 0,
        words => words.next_power_of_two(),
    };
    let len = comm::MEMBERS + space;
    let mut comms = COMMS.lock();
    let free = comms.free.get_mut(&len).and_then(Vec::pop);
    let block = free.or_else(|| OF_PROCESS.add(BlockKind::Description, live::COMM, len, &[]))?;
    new.write(block);
    comms.live.insert(id.get(), block);
    block.first_chunk()
}

/// Changes the name of a communicator.
pub fn rename_comm(id: CommId, name: &str) {
    if let Some(block) = COMMS.lock().live.get(&id.get()) {
        live::rename_comm(block, name);
    }
}

/// Ends the description of a communicator.
pub fn end_comm(id: CommId) {
    let mut comms = COMMS.lock();
    if let Some(block) = comms.live.remove(&id.get()) {
        block[comm::HANDLE].store(0, Release);
        comms.free.entry(block.len()).or_default().push(block);
    }
}

/// Stores the size of a datatype.
pub fn set_size(datatype: u64, size: u64) {
    if let Some(words) = DATATYPES.get() {
        let at = 2 * object_slot(datatype);
        if words[at].load(Relaxed) == datatype && words[at + 1].load(Relaxed) == size {
            return;
        }
        words[at].store(0, Relaxed);
        words[at + 1].store(size, Relaxed);
        words[at].store(datatype, Release);
    }
}
