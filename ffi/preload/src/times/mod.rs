//! The measurement of calls: how many there are of each name on each communicator, and how long they take
//! ([`mpit_components::times`]).
//!
//! [`crate::interpose::timed_in_c`] defines a function for each call, which also describes the call in progress ([`crate::watch`]) and
//! is the next definition for all other code while measurements are [wanted](is_wanted). So they cost nothing otherwise. Most calls
//! find the words to which they add [at once](at_once); the function leaves the others to a second one.
//!
//! A call inside another one, such as that of a Fortran interface to C, is not counted: it has a lower position on the stack. A call
//! that is left by `longjmp` or an exception is not counted, nor are those that its callees' callees make until a call from further up
//! the stack, or from elsewhere, shows that it was left.

mod at_once;

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::internal::static_ref::StaticRef;
use mpit::internal::{revision, thread_slots, threads};
use mpit_components::live::calls::{CALLS, Class, index_of_symbol};
use mpit_components::times::{self, CallWords, LateWords, Mode, SampleRule, call_words, late_words};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};
use mpit_ffi::datatypes;

use crate::isolation::{catch_panic, with_errno_kept};
use crate::watch::{self, Arguments, Begun, stack_position};

pub(crate) use at_once::{enter_at_once, leave_at_once};

/// The state while one thread calls at a time.
static OF_PROCESS: ThreadTimes = ThreadTimes::new();

/// The state of each thread while several threads call at once, by [slot](thread_slots).
static OF_THREADS: [StaticRef<ThreadTimes>; thread_slots::SLOTS] =
    [const { StaticRef::new() }; thread_slots::SLOTS];

/// The nanoseconds of a tick, multiplied with 2^32. Set before the first words.
static SCALE: AtomicU64 = AtomicU64::new(0);

/// True if all calls are measured. Set before the first words.
static IS_ALL: AtomicBool = AtomicBool::new(false);

/// The number of calls that are measured before others are sampled.
const FIRST_CALLS: u64 = 64;

/// The maximum distance on the stack of a call inside another one.
const MAX_DEPTH: u64 = 64 * 1024;

/// The number of communicators and calls whose words are found without a lock, a power of two.
const PLACES: usize = 256;

/// The return code of a call that has not returned.
const NOT_KNOWN: c_int = c_int::MIN;

/// Returns true if calls are to be measured once MPI is initialized.
pub(crate) fn is_wanted() -> bool {
    times::is_wanted()
}

/// A call that is counted and measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    index: u32,
    class: Class,
    may_wait: bool,
    /// True if it counts to its communicator.
    has_comm: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Initialization,
    Finalization,
    Usual,
}

impl Call {
    /// Returns the call of a symbol of C or Fortran.
    pub(crate) const fn of_symbol(symbol: &str) -> Option<Self> {
        const INIT: Option<u32> = index_of_symbol("MPI_Init");
        const INIT_THREAD: Option<u32> = index_of_symbol("MPI_Init_thread");
        const FINALIZE: Option<u32> = index_of_symbol("MPI_Finalize");
        // The communicator that they free has no words any more when they end.
        const FREE: Option<u32> = index_of_symbol("MPI_Comm_free");
        const DISCONNECT: Option<u32> = index_of_symbol("MPI_Comm_disconnect");
        let Some(index) = index_of_symbol(symbol) else { return None };
        let call = &CALLS[index as usize];
        let kind = if is(index, INIT) || is(index, INIT_THREAD) {
            Kind::Initialization
        } else if is(index, FINALIZE) {
            Kind::Finalization
        } else {
            Kind::Usual
        };
        let has_comm = !is(index, FREE) && !is(index, DISCONNECT);
        Some(Self { index, class: call.class, may_wait: call.may_wait(), has_comm, kind })
    }

    /// Returns true for a collective operation whose entry times are sampled.
    const fn is_sampled_operation(self) -> bool {
        matches!(self.class, Class::Collective | Class::Rooted)
    }

    /// Returns true if the bytes of the arguments are those of the call: it sends, writes or shares them.
    const fn gives_bytes(self) -> bool {
        matches!(
            self.class,
            Class::Send
                | Class::Exchange
                | Class::Collective
                | Class::Rooted
                | Class::StartMessage
                | Class::StartCollective
                | Class::StartOther
                | Class::Access
                | Class::File
        ) && !self.is_receive()
    }

    /// Returns true for a receive that has the class of a send.
    const fn is_receive(self) -> bool {
        const OTHERS: [Option<u32>; 4] = [
            index_of_symbol("MPI_Irecv"),
            index_of_symbol("MPI_Imrecv"),
            index_of_symbol("MPI_Recv_init"),
            index_of_symbol("MPI_Precv_init"),
        ];
        is(self.index, OTHERS[0])
            || is(self.index, OTHERS[1])
            || is(self.index, OTHERS[2])
            || is(self.index, OTHERS[3])
    }
}

const fn is(index: u32, other: Option<u32>) -> bool {
    matches!(other, Some(other) if other == index)
}

/// The words of the calls of one name on one communicator, valid for a [revision](mpit::internal::revision).
#[derive(Debug)]
struct Place {
    revision: AtomicU64,
    /// The handle; 0 for calls without one.
    comm: AtomicU64,
    /// The index of the call.
    call: AtomicU64,
    words: StaticRef<CallWords>,
    /// The words of sampled operations, if the communicator has some.
    late: StaticRef<LateWords>,
    /// The last datatype, and its size.
    datatype: AtomicU64,
    size: AtomicU64,
}

impl Place {
    const fn new() -> Self {
        Self {
            // Not a revision.
            revision: AtomicU64::new(0),
            comm: AtomicU64::new(0),
            call: AtomicU64::new(0),
            words: StaticRef::new(),
            late: StaticRef::new(),
            datatype: AtomicU64::new(0),
            size: AtomicU64::new(0),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the path of each call")]
    fn is_of(&self, comm: u64) -> bool {
        self.comm.load(Relaxed) == comm && self.revision.load(Relaxed) == revision::current()
    }

    fn set(
        &self,
        revision: u64,
        comm: u64,
        call: Call,
        words: &'static CallWords,
        late: Option<&'static LateWords>,
    ) {
        self.revision.store(0, Relaxed);
        self.comm.store(comm, Relaxed);
        self.call.store(call.index.into(), Relaxed);
        self.words.set(Some(words));
        self.late.set(late);
        self.datatype.store(0, Relaxed);
        self.revision.store(revision, Relaxed);
    }
}

/// The state of a thread, which only that thread changes.
#[derive(Debug)]
#[repr(align(64))]
struct ThreadTimes {
    /// The stack position of the call in progress; 0 without one.
    position: AtomicU64,
    /// A value that differs between threads which have the slot one after the other.
    owner: AtomicU64,
    /// The words of the last calls, by the index of the call.
    recent: [Place; CALLS.len()],
    /// The words of earlier calls, by hash.
    places: [Place; PLACES],
}

impl ThreadTimes {
    const fn new() -> Self {
        Self {
            position: AtomicU64::new(0),
            owner: AtomicU64::new(0),
            recent: [const { Place::new() }; CALLS.len()],
            places: [const { Place::new() }; PLACES],
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the path of each call")]
    fn recent(&'static self, call: Call) -> &'static Place {
        &self.recent[call.index as usize]
    }

    fn place(&'static self, call: Call, comm: u64) -> &'static Place {
        let hash = (comm ^ u64::from(call.index) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.places[(hash >> (u64::BITS - PLACES.ilog2())) as usize]
    }

    /// Makes the words of an earlier call those of the last one. Returns false if they are not known.
    #[inline(never)]
    fn renew(&'static self, call: Call, comm: u64) -> bool {
        let place = self.place(call, comm);
        match place.words.get() {
            Some(words) if place.is_of(comm) && place.call.load(Relaxed) == u64::from(call.index) => {
                let revision = place.revision.load(Relaxed);
                self.recent(call).set(revision, comm, call, words, place.late.get());
                true
            }
            _ => false,
        }
    }
}

/// A call whose measurement has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// The description of the call in progress.
    begun: Begun,
    /// The state of the thread; `None` for a call that is not counted.
    state: Option<&'static ThreadTimes>,
    /// The ticks at the begin; 0 if the call is not measured.
    start: u64,
}

/// Begins to measure a call, in whatever state this process is.
#[inline(never)]
pub(crate) fn enter(call: Option<Call>, watched: Option<watch::Call>, arguments: &Arguments) -> Entered {
    let begun = watch::enter(watched, arguments);
    let not_counted = Entered { begun, state: None, start: 0 };
    let Some(call) = call.filter(|_| is_wanted()) else { return not_counted };
    match call.kind {
        Kind::Initialization if !times::is_active() => {
            times::prepare();
            return Entered { start: times::now(), ..not_counted };
        }
        Kind::Finalization => times::finalize_begins(),
        _ => (),
    }
    if !times::is_active() {
        return not_counted;
    }
    let Some(state) = with_errno_kept(|| catch_panic(state_of_caller_or_new)).flatten() else {
        return not_counted;
    };
    let (position, previous) = (stack_position(), state.position.load(Relaxed));
    if position < previous && previous - position <= MAX_DEPTH {
        return not_counted;
    }
    state.position.store(position, Relaxed);
    let start = times::now();
    if call.may_wait {
        with_errno_kept(|| catch_panic(|| mark_entered(call, state, arguments, start)));
    }
    Entered { begun, state: Some(state), start }
}

/// Stores the begin of a call, for readers of the store of a process that ends in it. The library is not called.
fn mark_entered(call: Call, state: &'static ThreadTimes, arguments: &Arguments, start: u64) {
    let comm = comm_of(call, arguments);
    let place = state.recent(call);
    if (place.is_of(comm) || state.renew(call, comm) || find(call, state, comm, NOT_KNOWN))
        && let Some(words) = place.words.get()
    {
        words[call_words::ENTERED].store(start, Relaxed);
    }
}

/// Ends the measurement of a call, which returned a code.
#[inline(never)]
pub(crate) fn leave(
    call: Option<Call>,
    watched: Option<watch::Call>,
    entered: Entered,
    arguments: &Arguments,
    code: c_int,
) {
    let Entered { begun, state, start } = entered;
    let end = if start == 0 { 0 } else { times::now() };
    let number = begun.collective_number();
    watch::leave(watched, begun, arguments, code);
    let Some(call) = call else { return };
    match state {
        Some(state) => {
            let count = || count(call, state, arguments, code, (start, end), number);
            with_errno_kept(|| catch_panic(count));
            // Last, so that a call in a signal handler is inside this one, whose locks it must not take.
            state.position.store(0, Release);
        }
        None if start != 0 => times::initialized(call.index, start, end),
        None => (),
    }
}

/// Counts a call whose words may not be known.
fn count(
    call: Call,
    state: &'static ThreadTimes,
    arguments: &Arguments,
    code: c_int,
    (start, end): (u64, u64),
    number: Option<u64>,
) {
    let comm = comm_of(call, arguments);
    let place = state.recent(call);
    if !place.is_of(comm) && !state.renew(call, comm) && !find(call, state, comm, code) {
        return;
    }
    let Some(words) = place.words.get() else { return };
    add_bytes(call, place, words, arguments);
    words[call_words::LEFT].store(end, Relaxed);
    let ticks = end.saturating_sub(start);
    if !call.may_wait && !IS_ALL.load(Relaxed) {
        times::add(&words[call_words::CALLS], 1);
        let calls = words[call_words::CALLS].load(Relaxed);
        if is_measured(calls - 1) {
            add_measured(call, words, ticks);
        }
    } else {
        add_measured(call, words, ticks);
        if call.is_sampled_operation()
            && let (Some(number), Some(late)) = (number, place.late.get())
        {
            sample(call, late, number, start, end);
        }
    }
}

/// Returns the handle of the communicator to which a call counts; 0 for none.
#[inline(always)]
#[allow(clippy::inline_always, reason = "folds away")]
fn comm_of(call: Call, arguments: &Arguments) -> u64 {
    match arguments.comm {
        Some(comm) if call.has_comm => watch::clean(comm),
        _ => 0,
    }
}

/// Returns true if a call is measured of those that are sampled, by the number of such calls before: the first ones, and one in 64
/// of the others. The distances between these differ, so that they do not depend on a period of the program.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
fn is_measured(before: u64) -> bool {
    before < FIRST_CALLS || before.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58 == 0
}

/// Adds the time of a call that was measured.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
fn add_measured(call: Call, words: &CallWords, ticks: u64) {
    let scale = SCALE.load(Relaxed);
    if !call.may_wait && words[call_words::CALLS].load(Relaxed) > FIRST_CALLS {
        times::add_sample(words, ticks, scale);
    } else {
        times::add_duration(words, ticks, scale);
    }
}

/// Adds the bytes of a call.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the path of each call")]
fn add_bytes(call: Call, place: &Place, words: &CallWords, arguments: &Arguments) {
    if call.gives_bytes()
        && let (Some(count), Some(datatype)) = (arguments.count, arguments.datatype)
    {
        let datatype = watch::clean(datatype);
        if place.datatype.load(Relaxed) != datatype {
            change_datatype(place, datatype);
        }
        let bytes = count.max(0).cast_unsigned().wrapping_mul(place.size.load(Relaxed));
        times::add(&words[call_words::BYTES], bytes);
    }
}

/// Stores another datatype than that of the call before, and its size.
#[inline(never)]
fn change_datatype(place: &Place, datatype: u64) {
    let size = || datatypes::known_size(mpit_ffi::abi(), datatype as Handle);
    let size = with_errno_kept(|| catch_panic(size)).flatten();
    place.size.store(size.unwrap_or(0), Relaxed);
    place.datatype.store(datatype, Relaxed);
}

/// Finds the words of a call on a communicator, which may be new. Returns false if there are none.
#[cold]
fn find(call: Call, state: &'static ThreadTimes, handle: u64, code: c_int) -> bool {
    let revision = revision::current();
    let comm = match handle {
        0 => None,
        handle => match registered(handle as Handle, code) {
            Some(comm) => Some(comm),
            None => return false,
        },
    };
    let Some(words) = times::cell(thread_of(state), comm.map(Comm::id), call.index) else { return false };
    let late = match comm {
        Some(comm) if call.is_sampled_operation() => times::late(comm.id(), comm.lineage()),
        _ => None,
    };
    for place in [state.recent(call), state.place(call, handle)] {
        place.set(revision, handle, call, words, late);
    }
    true
}

/// Returns the communicator of a handle that a call was given; registers it if needed and the library has accepted the handle.
fn registered(handle: Handle, code: c_int) -> Option<&'static Comm> {
    if code != Abi::SUCCESS {
        return comms::registered(handle);
    }
    // SAFETY: the call has succeeded, so the communicator existed, and the program does not free it before its call has returned.
    unsafe { comms::of_handle(handle) }
}

/// Keeps the times of a collective operation, if its number is one of those that are sampled.
#[inline(never)]
fn sample(call: Call, late: &LateWords, number: u64, start: u64, end: u64) {
    let rule = SampleRule::of(number);
    if !rule.is_candidate(number) {
        return;
    }
    let (slots, _) = late[late_words::OPERATIONS..].as_chunks::<{ late_words::SLOT_CELLS }>();
    let [kept, entry, exit] = &slots[rule.slot];
    if rule.replaces(kept.load(Relaxed) & ((1 << late_words::CALL_SHIFT) - 1)) {
        // Without a number, the slot is not used: a reader may look at any time.
        kept.store(0, Relaxed);
        entry.store(start, Release);
        exit.store(end, Relaxed);
        kept.store(number | u64::from(call.index) << late_words::CALL_SHIFT, Release);
    }
    times::read_clocks_again();
}

/// Returns the number of a thread's state: 0 while one thread calls at a time.
fn thread_of(state: &'static ThreadTimes) -> u32 {
    if std::ptr::eq(state, &raw const OF_PROCESS) {
        return 0;
    }
    thread_slots::current().map_or(0, |slot| slot as u32) + 1
}

/// Returns the state of the calling thread, which gets one if it has none.
fn state_of_caller_or_new() -> Option<&'static ThreadTimes> {
    if SCALE.load(Relaxed) == 0 {
        SCALE.store(times::scaled_nanoseconds(), Relaxed);
        IS_ALL.store(times::mode() == Mode::All, Relaxed);
        watch::note_width();
    }
    if !threads::concurrent() {
        return Some(&OF_PROCESS);
    }
    let slot = thread_slots::take()?;
    let state = match OF_THREADS[slot].get() {
        Some(state) => state,
        None => {
            let state: &'static ThreadTimes = Box::leak(Box::new(ThreadTimes::new()));
            OF_THREADS[slot].set(Some(state));
            state
        }
    };
    if state.owner.load(Relaxed) != thread_slots::thread() {
        state.owner.store(thread_slots::thread(), Relaxed);
        state.position.store(0, Relaxed);
    }
    Some(state)
}
