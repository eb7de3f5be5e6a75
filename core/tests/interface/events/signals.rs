//! Rules R191, R297, R302 and C37 with events: a timer's signals interrupt a program that raises events and reads, starts, stops
//! and resets variables, and do the same in their handler.
//!
//! Alone in its process, because handlers of signals belong to the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::support::process::in_own_process;
use crate::support::{Bench, image, leak, pvar};
use mpit::cell::{Counter, Level};
use mpit::event::instance::Payload;
use mpit::event::{
    Abi, Context, Delivery, DropReport, Event, EventCell, FreeNotice, RegistrationId, Safety, SourceCell,
    instance,
};
use mpit::internal::desc::{Element, Origin, PvarFlags};
use mpit::internal::session::{PvarHandle, SessionId};
use mpit::internal::vocabulary::SourceOrder;
use mpit::tool::{Class, Datatype, EventDesc, SourceDesc};

const ROUNDS: u64 = 1_000_000;
/// The time between two signals.
const PERIOD_NANOSECONDS: i64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Tick {
    amount: u64,
}

static CLOCK_CELL: SourceCell = SourceCell::new();
static CLOCK: SourceDesc = SourceDesc::new("clock", SourceOrder::Ordered, &CLOCK_CELL, ORIGIN);
static TICK_CELL: EventCell = EventCell::new();
static TICK: EventDesc =
    EventDesc::new("tick", &[Element::new(Datatype::Uint64, 0)], &CLOCK, &TICK_CELL, ORIGIN);
const ORIGIN: Origin = Origin::new(file!(), line!());

impl Event for Tick {
    const DESC: &'static EventDesc = &TICK;

    fn fill(&self, payload: &mut Payload) {
        payload.put(std::mem::offset_of!(Tick, amount), self.amount);
    }

    fn collect(tick: &mpit::tool::EventInstance) -> mpit::Result<Self> {
        Ok(Self { amount: tick.read(0)? })
    }
}

/// The sums of a registration's deliveries.
#[derive(Debug, Default)]
struct Sum {
    delivered: AtomicU64,
    amount: AtomicU64,
    lost: AtomicI64,
}

// SAFETY: the functions take what this tool registers with them.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    // SAFETY: sums are what was registered, and leaked.
    let sum = unsafe { &*delivery.user_data.cast::<Sum>() };
    let mut amount = 0_u64;
    // SAFETY: the element is a `u64`.
    unsafe { instance::read(delivery.instance, 0, (&raw mut amount).cast()) }.unwrap();
    let mut whole = 0_u64;
    // SAFETY: all of the event is a `u64`.
    unsafe { instance::copy(delivery.instance, (&raw mut whole).cast()) }.unwrap();
    assert_eq!((whole, instance::source_index(delivery.instance)), (amount, Ok(0)));
    assert!(instance::timestamp(delivery.instance).unwrap() <= CLOCK.timestamp());
    sum.delivered.fetch_add(1, Relaxed);
    sum.amount.fetch_add(amount, Relaxed);
}

unsafe extern "C" fn report(_: *mut c_void, report: &DropReport) {
    // SAFETY: sums are what was registered, and leaked.
    let sum = unsafe { &*report.user_data.cast::<Sum>() };
    sum.lost.fetch_add(report.count, Relaxed);
}

unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

/// The state that both the program and its signal handler use.
struct Shared {
    bench: Bench,
    session: SessionId,
    counter: &'static Counter<u64>,
    level: &'static Level<u64>,
    steady: PvarHandle,
    taken_from: PvarHandle,
    changing: [PvarHandle; 2],
    taken: AtomicU64,
    amount: AtomicU64,
    interruptions: AtomicU64,
    /// Registrations whose callback is admitted in signal handlers, and not admitted.
    sums: [(RegistrationId, &'static Sum); 2],
}

static SHARED: OnceLock<Shared> = OnceLock::new();

impl Shared {
    fn new() -> Self {
        let (counter, level) = (leak(Counter::new()), leak(Level::new()));
        let mut image = image(
            [
                pvar("ticks", Class::Counter, counter).with_flags(PvarFlags::ATOMIC),
                pvar("use", Class::HighWatermark, level),
            ],
            [],
        );
        image.events = vec![&TICK];
        let bench = Bench::with(&image, &[]);
        let session = bench.session();
        let started = |name, class| {
            let handle = bench.handle(session, name, class);
            bench.start(session, handle).unwrap();
            handle
        };
        let sums = [Safety::AsyncSignalSafe, Safety::ThreadSafe].map(|level| {
            let id = bench.interface.event_handle_alloc(0, None, &ABI).unwrap();
            let sum: &'static Sum = leak(Sum::default());
            let (function, data) = (std::ptr::from_ref(&ABI).cast_mut().cast(), std::ptr::from_ref(sum));
            // SAFETY: `ABI` ignores the function, and its data is a leaked `Sum`.
            unsafe { bench.interface.event_set_dropped_handler(id, function) }.unwrap();
            let data = data.cast_mut().cast();
            // SAFETY: `ABI` ignores the function, and its data is a leaked `Sum`.
            unsafe { bench.interface.event_register_callback(id, level, function, data) }.unwrap();
            (id, sum)
        });
        Self {
            steady: started("ticks", Class::Counter),
            taken_from: started("ticks", Class::Counter),
            changing: [
                bench.handle(session, "ticks", Class::Counter),
                bench.handle(session, "use", Class::HighWatermark),
            ],
            bench,
            session,
            counter,
            level,
            taken: AtomicU64::new(0),
            amount: AtomicU64::new(0),
            interruptions: AtomicU64::new(0),
            sums,
        }
    }

    fn round(&self, n: u64, context: Safety) {
        let (bench, session) = (self.bench, self.session);
        self.counter.increment();
        self.level.set(n % 1000);
        self.amount.fetch_add(n, Relaxed);
        Tick::raise(Context::requiring(context), || Tick { amount: n });
        let taken = bench.read_and_reset::<u64>(session, self.taken_from).unwrap();
        self.taken.fetch_add(taken, Relaxed);
        bench.write(session, self.changing[0], n).unwrap();
        let handle = self.changing[(n % 2) as usize];
        match n / 2 % 4 {
            0 => bench.start(session, handle).unwrap(),
            1 => bench.stop(session, handle).unwrap(),
            2 => bench.reset(session, handle).unwrap(),
            _ => _ = bench.read::<u64>(session, handle).unwrap(),
        }
    }
}

/// Counts what is allocated in signal handlers.
struct CountingAllocator;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(u64::from(IN_HANDLER.get()), Relaxed);
        // SAFETY: the caller passes a layout of nonzero size (`GlobalAlloc::alloc`).
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_add(u64::from(IN_HANDLER.get()), Relaxed);
        // SAFETY: the caller passes memory of this allocator, so of `System`, with its layout (`GlobalAlloc::dealloc`).
        unsafe { System.dealloc(pointer, layout) }
    }
}

extern "C" fn on_signal(_: libc::c_int) {
    if let Some(shared) = SHARED.get() {
        IN_HANDLER.set(true);
        let n = shared.interruptions.fetch_add(1, Relaxed);
        shared.round(n, Safety::AsyncSignalSafe);
        IN_HANDLER.set(false);
    }
}

/// A timer that sends this thread a signal again and again, until it is dropped. Another thread could still be in the handler
/// after that.
struct Timer(libc::timer_t);

impl Timer {
    fn new() -> Self {
        // SAFETY: zeros are valid values of both types, and `timer_create` replaces the timer before its first use.
        let (mut event, mut timer): (libc::sigevent, libc::timer_t) = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        // SAFETY: `gettid` has no preconditions.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        event.sigev_signo = libc::SIGPROF;
        // SAFETY: `event` and `timer` are initialized values of this function.
        assert_eq!(unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) }, 0);
        let period = libc::timespec { tv_sec: 0, tv_nsec: PERIOD_NANOSECONDS };
        let setting = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer was made above.
        let set = unsafe { libc::timer_settime(timer, 0, &raw const setting, std::ptr::null_mut()) };
        assert_eq!(set, 0);
        Self(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer was made by `new`.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// Proves R191, R297, R302, C37.
#[test]
fn timer_may_interrupt_raise_and_read() {
    in_own_process(|| {
        let shared = SHARED.get_or_init(Shared::new);
        let handler: extern "C" fn(libc::c_int) = on_signal;
        // SAFETY: the handler only does what this test shows to be possible in one.
        let before = unsafe { libc::signal(libc::SIGPROF, handler as libc::sighandler_t) };
        assert_ne!(before, libc::SIG_ERR);
        let timer = Timer::new();
        let mut rounds = 0;
        while rounds < ROUNDS || shared.interruptions.load(Relaxed) < 200 {
            shared.round(rounds, LEVELS[(rounds % 3) as usize]);
            rounds += 1;
        }
        drop(timer);

        assert_eq!(ALLOCATED.load(Relaxed), 0, "signal handlers allocate nothing");
        let interruptions = shared.interruptions.load(Relaxed);
        let total = rounds + interruptions;
        let (bench, session) = (shared.bench, shared.session);
        assert_eq!(bench.read(session, shared.steady), Ok(total));
        let rest = bench.read::<u64>(session, shared.taken_from).unwrap();
        assert_eq!(shared.taken.load(Relaxed) + rest, total);
        let delivered = shared.sums.map(|(id, sum)| {
            let null = std::ptr::null_mut();
            // SAFETY: null is permitted, and means that no free callback runs.
            unsafe { bench.interface.event_handle_free(id, null, null) }.unwrap();
            let lost = sum.lost.load(Relaxed).cast_unsigned();
            (sum.delivered.load(Relaxed), lost, sum.amount.load(Relaxed))
        });
        let amount = shared.amount.load(Relaxed);
        assert_eq!(delivered[0], (total, 0, amount), "admitted in every context");
        assert_eq!(
            (delivered[1].0, delivered[1].1),
            (rounds, interruptions),
            "not admitted in signal handlers"
        );
        bench.interface.session_free(session).unwrap();
        assert!(!shared.counter.watched(), "each start was paired with a stop");
    });
}

const LEVELS: [Safety; 3] = [Safety::None, Safety::MpiRestricted, Safety::ThreadSafe];
