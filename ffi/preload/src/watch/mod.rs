//! The description of the call that each thread is in, for other programs: a few words in the store of the job
//! ([`mpit_components::live`]).
//!
//! While descriptions are [wanted](is_wanted), every way to the library passes code that describes the call once
//! ([`crate::interpose`]). So they cost nothing otherwise.
//! Words are stored without a lock, and no clock is read. Most calls are described [at once](at_once), by a few stores.
//!
//! A call that is left by `longjmp` or an exception stays described until the next call of the thread.

#![allow(clippy::inline_always, reason = "part of the path of each call")]

mod at_once;
mod buffered;
mod call;
mod files;
mod polls;
mod requests;
mod roles;
mod starting;
mod windows;

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::internal::host::threads;
use mpit_components::live::calls::Class;
use mpit_components::live::{
    self, CommWords, MessageWords, ThreadWords, comm_words as comm, thread_words as words,
};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::COMMS;
use mpit_ffi::datatypes;
use mpit_sync::static_ref::StaticRef;
use mpit_sync::thread_slots;

use crate::arguments::Handles;
use crate::isolation::{catch_panic, with_errno_kept};

pub(crate) use at_once::{enter_at_once, leave_at_once};
pub(crate) use call::{CALLS_OTHERS, MeasuredCall};
pub(crate) use roles::Role;

/// The words while one thread calls at a time.
static OF_PROCESS: StaticRef<ThreadWords> = StaticRef::new();

/// The words of each thread while several threads call at once, by [slot](thread_slots).
static OF_THREADS: [StaticRef<ThreadWords>; thread_slots::SLOTS] =
    [const { StaticRef::new() }; thread_slots::SLOTS];

/// The messages that were sent, and the requests, once a call was described.
static MESSAGES: StaticRef<MessageWords> = StaticRef::new();

/// True if handles of the library have 4 bytes. Set before the first words.
static IS_NARROW: AtomicBool = AtomicBool::new(false);

/// The bits of a handle that the library uses. Set before the first words.
static HANDLE_BITS: AtomicU64 = AtomicU64::new(u64::MAX);

/// The key of the words while one thread calls at a time; others have the number of a slot.
const KEY_OF_PROCESS: u64 = thread_slots::SLOTS as u64;

/// The minimum distance of a call's frame on the stack to that of a call inside it. Frames of calls that are made one after the
/// other are closer, although their sizes differ.
const MIN_DEPTH: u64 = 512;

/// Returns true if calls are to be described once MPI is initialized.
pub(crate) fn is_wanted() -> bool {
    live::is_wanted()
}

/// The arguments of a call that describe it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments {
    /// The position of the call on the stack; 0 for the frame in which its description begins.
    pub(crate) position: u64,
    pub(crate) object: Option<Handle>,
    pub(crate) comm: Option<Handle>,
    pub(crate) dest: Option<c_int>,
    pub(crate) source: Option<c_int>,
    /// The root of a collective operation, or the target of an access.
    pub(crate) other_peer: Option<c_int>,
    pub(crate) tag: Option<c_int>,
    pub(crate) receive_tag: Option<c_int>,
    pub(crate) count: Option<i64>,
    pub(crate) datatype: Option<Handle>,
    pub(crate) requests: Option<Handles>,
    /// The variable of a window that the call creates.
    pub(crate) new_window: Option<Handles>,
    /// The variable of a file that the call opens.
    pub(crate) new_file: Option<Handles>,
    /// One request that is not in an array.
    pub(crate) request: Option<Handle>,
    /// The group whose processes create a communicator.
    pub(crate) group: Option<Handle>,
    /// The local leader of the creation of an intercommunicator.
    pub(crate) leader: Option<c_int>,
    /// The other group's leader, in the communicator of both.
    pub(crate) remote_leader: Option<c_int>,
    /// The communicator of both leaders.
    pub(crate) leaders: Option<Handle>,
    /// The number of partitions of a message, or of those that become ready.
    pub(crate) partitions: Option<i64>,
}

impl Arguments {
    #[inline(always)]
    pub(crate) fn position(&self) -> u64 {
        if self.position == 0 { stack_position() } else { self.position }
    }

    /// Returns the word with the peer and the tag.
    #[inline(always)]
    fn peer(&self) -> Option<u64> {
        let peer = self.dest.or(self.source).or(self.other_peer).or(self.leader)?;
        Some(live::pack(peer, self.tag.unwrap_or(0)))
    }

    /// Returns the word with the peer and the tag of the receive of a combined call.
    #[inline(always)]
    fn second(&self) -> Option<u64> {
        match self.remote_leader {
            Some(leader) => Some(live::pack(leader, 0)),
            None => Some(live::pack(self.source?, self.receive_tag?)),
        }
    }

    /// Returns the word for the message that the call sends, if it sends one.
    #[inline(always)]
    fn sent(&self) -> Option<u64> {
        Some(live::pack(self.dest?, self.tag.unwrap_or(0)))
    }
}

/// A call whose description has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    /// The words in which the call is described, unless it only starts an operation.
    words: Option<&'static ThreadWords>,
    /// The words for the request of a call that starts an operation.
    messages: Option<&'static MessageWords>,
    /// The number of a collective operation on its communicator.
    number: u64,
}

impl Begun {
    pub(crate) const NONE: Self = Self { words: None, messages: None, number: 0 };

    /// Returns the number of a blocking collective operation on its communicator, before the description ends.
    #[inline]
    pub(crate) fn collective_number(&self) -> Option<u64> {
        let words = self.words.filter(|words| words[words::STATE].load(Relaxed) >> words::NUMBER & 1 != 0)?;
        Some(words[words::NUMBER].load(Relaxed))
    }
}

/// Describes a call that begins, in whatever state this process is.
#[inline(never)]
pub(crate) fn enter(call: MeasuredCall, arguments: &Arguments) -> Begun {
    match call.class {
        Class::Local => Begun::NONE,
        _ if call.is_initialization && !live::is_active() => {
            starting::begin();
            Begun::NONE
        }
        _ if call.is_start() => start(call, arguments),
        Class::Poll => {
            if let Some(words) = words_of_caller() {
                // SAFETY: the call has these requests.
                polls::store(words, call, arguments, |requests, at| unsafe { requests.at(at) });
            }
            Begun::NONE
        }
        _ => match words_of_caller() {
            Some(words) => enter_with(words, call, arguments),
            None => Begun::NONE,
        },
    }
}

/// Describes a call that only starts an operation: it is not in progress for long, so only its result matters.
fn start(call: MeasuredCall, arguments: &Arguments) -> Begun {
    let Some(messages) = messages() else { return Begun::NONE };
    let object = arguments.object.map(clean);
    if let Some((sent, comm)) = arguments.sent().zip(object) {
        add_send(messages, comm, sent);
        buffered::add(call, comm, sent);
    }
    let number = next_number(object, call, arguments).or_else(|| requests::start(messages, call, arguments));
    // Other calls change the description of a request that an earlier one has created.
    let creates = !matches!(call.class, Class::StartPersistent | Class::Partition);
    let messages = if creates { Some(messages) } else { None };
    Begun { words: None, messages, number: number.unwrap_or(0) }
}

fn enter_with(words: &'static ThreadWords, call: MeasuredCall, arguments: &Arguments) -> Begun {
    let position = arguments.position();
    if words[words::INSIDE].load(Relaxed) != 0 && position + MIN_DEPTH < words[words::POSITION].load(Relaxed)
    {
        // A call inside another one shows that the outer one proceeds.
        let state = words[words::STATE].load(Relaxed);
        words[words::STATE].store(state + (1 << words::NUMBER_SHIFT), Release);
        return Begun::NONE;
    }
    let object = arguments.object.map(clean);
    if let Some((sent, comm)) = arguments.sent().zip(object)
        && let Some(messages) = messages()
    {
        add_send(messages, comm, sent);
        buffered::add(call, comm, sent);
    }
    let number = next_number(object, call, arguments);
    if let Some(window) = object
        && call.class == Class::Access
    {
        windows::begin(call, window, arguments);
    }
    if call.class == Class::Wait {
        match (arguments.requests, arguments.count) {
            (Some(request), None) if request.is_given() => {
                // SAFETY: the call waits for one request.
                let handle = unsafe { request.at(0) };
                words[words::REQUESTS].store(handle as u64, Relaxed);
            }
            (Some(requests), Some(count)) => requests::store(words, requests, count),
            _ => (),
        }
    }
    if let Some(datatype) = arguments.datatype.map(clean)
        && words[words::DATATYPE].load(Relaxed) != datatype
    {
        change_datatype(words, datatype);
    }
    if let Some(leaders) = arguments.leaders.map(clean) {
        words[words::FURTHER].store(leaders, Relaxed);
    }
    if let Some(group) = arguments.group {
        requests::store_group(words, group);
    }
    let bits = store_arguments(words, arguments, object);
    store_state(words, call, number, bits, position);
    Begun { words: Some(words), messages: None, number: number.unwrap_or(0) }
}

/// Stores the arguments of a call in words that have its datatype. Returns the bits of these words.
#[inline(always)]
fn store_arguments(words: &ThreadWords, arguments: &Arguments, object: Option<u64>) -> u64 {
    let mut bits = u64::from(arguments.datatype.is_some()) << words::DATATYPE;
    let mut store = |at: usize, value: Option<u64>| {
        if let Some(value) = value {
            words[at].store(value, Relaxed);
            bits |= 1 << at;
        }
    };
    store(words::OBJECT, object);
    store(words::PEER, arguments.peer());
    store(words::SECOND, arguments.second());
    store(words::COUNT, arguments.count.map(i64::cast_unsigned));
    bits
}

/// Completes the description of a call that begins, by the number of a collective operation and the bits of its arguments.
#[inline(always)]
fn store_state(words: &ThreadWords, call: MeasuredCall, number: Option<u64>, bits: u64, position: u64) {
    let mut bits = bits;
    if let Some(number) = number {
        words[words::NUMBER].store(number, Relaxed);
        bits |= 1 << words::NUMBER;
    }
    words[words::POSITION].store(position, Relaxed);
    let count = (words[words::STATE].load(Relaxed) >> words::NUMBER_SHIFT) + 1;
    let state = count << words::NUMBER_SHIFT | u64::from(call.index) << words::CALL_SHIFT | bits;
    words[words::STATE].store(state, Release);
    words[words::INSIDE].store(1, Release);
}

/// Stores another datatype than that of the call before, and its size.
fn change_datatype(words: &ThreadWords, datatype: u64) {
    let size = || datatypes::known_size(mpit_ffi::abi(), datatype as Handle);
    if let Some(size) = with_errno_kept(|| catch_panic(size)).flatten() {
        live::set_size(datatype, size);
    }
    words[words::DATATYPE].store(datatype, Relaxed);
}

/// Describes the end of a call, which returned a code.
#[inline(never)]
pub(crate) fn leave(call: MeasuredCall, begun: Begun, arguments: &Arguments, code: c_int) {
    if call.is_initialization {
        starting::end();
    }
    if let Some(words) = begun.words {
        words[words::INSIDE].store(0, Release);
        if let Some(window) = arguments.object
            && call.class == Class::Access
        {
            windows::end(call, clean(window), arguments, code);
        }
        if code == Abi::SUCCESS {
            let comm = arguments.object.map_or(0, clean);
            if let Some(window) = arguments.new_window {
                windows::add(window, begun.number, comm);
            }
            if let Some(file) = arguments.new_file {
                files::add(file, begun.number, comm);
            }
            buffered::leave(call);
        }
    } else if let Some(messages) = begun.messages
        && code == Abi::SUCCESS
        && let Some(request) = arguments.requests
        && request.is_given()
    {
        // SAFETY: the call has stored one request.
        let handle = unsafe { request.at(0) };
        let comm = arguments.object.map_or(0, clean);
        keep_request(messages, call, handle, begun.number, comm, arguments.peer().unwrap_or(0));
    }
}

/// Returns a handle without the undefined upper half of a narrow one.
#[inline(always)]
pub(crate) fn clean(handle: Handle) -> u64 {
    handle as u64 & HANDLE_BITS.load(Relaxed)
}

/// Returns the position of the caller's frame. Stacks grow downwards.
#[inline(always)]
fn stack_position() -> u64 {
    let position: u64;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction only reads the stack pointer.
    unsafe {
        std::arch::asm!("mov {}, rsp", out(reg) position, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instruction only reads the stack pointer.
    unsafe {
        std::arch::asm!("mov {}, sp", out(reg) position, options(nomem, nostack, preserves_flags));
    }
    position
}

fn words_of_caller() -> Option<&'static ThreadWords> {
    if threads::concurrent() {
        return words_of_thread();
    }
    match OF_PROCESS.get() {
        None if live::is_active() => add_words_of_process(),
        words => words,
    }
}

fn words_of_thread() -> Option<&'static ThreadWords> {
    let slot = thread_slots::current();
    match slot.and_then(|slot| OF_THREADS[slot].get()) {
        Some(words) if words[words::OWNER].load(Relaxed) == thread_slots::thread() => Some(words),
        _ if !live::is_active() => None,
        _ => add_words_of_thread(),
    }
}

#[cold]
fn add_words_of_process() -> Option<&'static ThreadWords> {
    let words = new_words(KEY_OF_PROCESS)?;
    OF_PROCESS.set(Some(words));
    Some(words)
}

/// Returns the words of a thread that has none, or that has the slot of an earlier thread.
#[cold]
fn add_words_of_thread() -> Option<&'static ThreadWords> {
    let slot = with_errno_kept(|| catch_panic(thread_slots::take)).flatten()?;
    if let Some(words) = OF_THREADS[slot].get() {
        words[words::INSIDE].store(0, Relaxed);
        set_owner(words);
        return Some(words);
    }
    let words = new_words(slot as u64)?;
    OF_THREADS[slot].set(Some(words));
    Some(words)
}

fn new_words(key: u64) -> Option<&'static ThreadWords> {
    note_width();
    let words = with_errno_kept(|| catch_panic(|| live::add_thread(key))).flatten()?;
    set_owner(words);
    Some(words)
}

/// Stores the width of the library's handles.
pub(crate) fn note_width() {
    if mpit_ffi::abi().narrow_handles {
        IS_NARROW.store(true, Relaxed);
        HANDLE_BITS.store(u64::from(u32::MAX), Relaxed);
    }
}

/// Returns the words of messages once there are some.
fn messages() -> Option<&'static MessageWords> {
    MESSAGES.get().or_else(|| {
        let messages = live::MESSAGES.get()?;
        note_width();
        MESSAGES.set(Some(messages));
        Some(messages)
    })
}

fn set_owner(words: &ThreadWords) {
    // The C library's function for it is newer than glibc 2.17.
    // SAFETY: the system call has no arguments and no preconditions.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    words[words::TID].store(tid.cast_unsigned(), Relaxed);
    words[words::OWNER].store(thread_slots::thread(), Relaxed);
}

/// Adds a message to the set of those that were sent.
fn add_send(messages: &MessageWords, comm: u64, sent: u64) {
    let (at, bit) = live::send_bit(comm, sent);
    // Other threads may add to the word.
    messages[at].fetch_or(1 << bit, Relaxed);
}

/// Returns true if a message is in the set of those that were sent.
#[inline(always)]
fn has_sent(messages: &MessageWords, comm: u64, sent: u64) -> bool {
    let (at, bit) = live::send_bit(comm, sent);
    messages[at].load(Relaxed) >> bit & 1 != 0
}

/// Counts a collective operation on an object. The library is not called, because it has not accepted the handle yet.
fn next_number(object: Option<u64>, call: MeasuredCall, arguments: &Arguments) -> Option<u64> {
    match object? {
        comm if call.is_collective => {
            let words = COMMS.get(comm as Handle)?.words()?;
            Some(next_collective(words, call, arguments))
        }
        file if files::is_collective(call) => files::next_collective(file),
        window if call.name() == "Win_fence" => windows::next_fence(window),
        _ => None,
    }
}

/// Counts a collective operation on a communicator. One that is left early is stored among the last ones.
#[inline(always)]
fn next_collective(words: &CommWords, call: MeasuredCall, arguments: &Arguments) -> u64 {
    let number = add_one(&words[comm::COLLECTIVES]);
    if call.is_left_early {
        let begun = live::begun(call.index, number, arguments.other_peer.unwrap_or(0));
        words[live::begun_slot(number)].store(begun, Relaxed);
    }
    number
}

/// Adds one to a count. Collective operations on an object are ordered, so no other thread adds at the same time.
#[inline(always)]
fn add_one(count: &AtomicU64) -> u64 {
    let number = count.load(Relaxed) + 1;
    count.store(number, Relaxed);
    number
}

/// Stores the description of a request that a call has created.
#[inline(always)]
fn keep_request(
    messages: &MessageWords,
    call: MeasuredCall,
    handle: Handle,
    number: u64,
    comm: u64,
    peer_and_tag: u64,
) {
    let handle = handle as u64;
    let (requests, _) = messages[live::SEND_WORDS..].as_chunks::<{ live::REQUEST_CELLS }>();
    let slot = &requests[live::request_slot(handle)];
    // Without a handle, the slot is not used: a reader may look at any time.
    slot[0].store(0, Relaxed);
    slot[1].store(u64::from(call.index) | number << 16, Release);
    slot[2].store(comm, Relaxed);
    slot[3].store(peer_and_tag, Relaxed);
    slot[0].store(handle, Release);
}
