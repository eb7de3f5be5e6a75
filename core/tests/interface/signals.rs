//! Rules R191, R297, R302 and C37: in a signal handler the access calls work and events are raised, also in one that interrupts the
//! same call on the same handle, or a raise of the same event.
//!
//! Alone in its process, because handlers of signals belong to the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::support::process::in_own_process;
use crate::support::{Bench, image, leak, pvar};
use mpit::cell::{Aggregate, Counter, Level, PeerArray, Size};
use mpit::event::{
    Abi, Context, Delivery, DropReport, Event as _, FreeNotice, RegistrationId, Safety, Source as _, instance,
};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::object::Object;
use mpit::tool::Class;

const ROUNDS: u64 = 1_000_000;

/// The requirements on callbacks in the contexts of the program.
const LEVELS: [Safety; 3] = [Safety::None, Safety::MpiRestricted, Safety::ThreadSafe];

/// The source of the event below.
#[mpit::source(ordered, name = "signal_clock")]
struct Clock;

/// A round of the program or of its signal handler.
#[mpit::event(source = Clock, name = "signal_tick")]
struct Tick {
    amount: u64,
}

/// The sums of a registration's deliveries.
#[derive(Debug, Default)]
struct Sum {
    delivered: AtomicU64,
    amount: AtomicU64,
    lost: AtomicI64,
}

// SAFETY: tests register a leaked `Sum` with this `Abi`, and the functions ignore the function pointer.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    // SAFETY: `Shared::new` registers a `Sum` with this `Abi`, and leaks it.
    let sum = unsafe { &*delivery.user_data.cast::<Sum>() };
    let mut amount = 0_u64;
    // SAFETY: the element is a `u64`.
    unsafe { instance::read(delivery.instance, 0, (&raw mut amount).cast()) }.unwrap();
    let mut whole = 0_u64;
    // SAFETY: all of the event is a `u64`.
    unsafe { instance::copy(delivery.instance, (&raw mut whole).cast()) }.unwrap();
    assert_eq!((whole, instance::source_index(delivery.instance)), (amount, Ok(0)));
    assert!(instance::timestamp(delivery.instance).unwrap() <= Clock::DESC.timestamp());
    sum.delivered.fetch_add(1, Relaxed);
    sum.amount.fetch_add(amount, Relaxed);
}

unsafe extern "C" fn report(_: *mut c_void, report: &DropReport) {
    // SAFETY: `Shared::new` registers a `Sum` with this `Abi`, and leaks it.
    let sum = unsafe { &*report.user_data.cast::<Sum>() };
    sum.lost.fetch_add(report.count, Relaxed);
}

unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {}

/// The state that both the program and its signal handler use.
struct Shared {
    bench: Bench,
    session: SessionId,
    counter: &'static Counter<u64>,
    amount: &'static Aggregate<f64>,
    level: &'static Level<u64>,
    size: &'static Size<u64>,
    peers: &'static PeerArray<u64>,
    /// Handles that are always started, whose values must be exact.
    steady: PvarHandle,
    taken_from: PvarHandle,
    steady_amount: PvarHandle,
    steady_mark: PvarHandle,
    /// Handles that are started, stopped, reset and written all the time.
    changing: [PvarHandle; 6],
    array: PvarHandle,
    events: AtomicU64,
    taken: AtomicU64,
    peak: AtomicU64,
    interruptions: AtomicU64,
    /// The sum of the amounts of all ticks.
    amounts: AtomicU64,
    /// Registrations whose callback is admitted in signal handlers, and not admitted.
    sums: [(RegistrationId, &'static Sum); 2],
}

static SHARED: OnceLock<Shared> = OnceLock::new();

impl Shared {
    fn new() -> Self {
        let (counter, amount, level) = (leak(Counter::new()), leak(Aggregate::new()), leak(Level::new()));
        let (size, peers) = (leak(Size::new()), leak(PeerArray::new()));
        let pvars = [
            pvar("events", Class::Counter, counter).with_flags(PvarFlags::ATOMIC),
            pvar("amount", Class::Aggregate, amount),
            pvar("use", Class::Level, level),
            pvar("use", Class::HighWatermark, level),
            pvar("use", Class::LowWatermark, level),
            pvar("size", Class::Size, size).writable(),
            pvar("peers", Class::Counter, peers),
        ];
        let mut image = image(pvars, []);
        image.events = vec![Tick::DESC];
        let bench = Bench::with(&image, &[]);
        let session = bench.session();
        let handle = |name, class| bench.handle(session, name, class);
        let started = |name, class| {
            let handle = handle(name, class);
            bench.start(session, handle).unwrap();
            handle
        };
        let (array, _) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 4));
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
            steady: started("events", Class::Counter),
            taken_from: started("events", Class::Counter),
            steady_amount: started("amount", Class::Aggregate),
            steady_mark: started("use", Class::HighWatermark),
            changing: [
                handle("events", Class::Counter),
                handle("amount", Class::Aggregate),
                handle("use", Class::Level),
                handle("use", Class::HighWatermark),
                handle("use", Class::LowWatermark),
                handle("size", Class::Size),
            ],
            array,
            bench,
            session,
            counter,
            amount,
            level,
            size,
            peers,
            events: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            interruptions: AtomicU64::new(0),
            amounts: AtomicU64::new(0),
            sums,
        }
    }

    /// Events of every kind, and some calls of every kind. Every call must succeed.
    fn round(&self, n: u64, context: Safety) {
        let (bench, session) = (self.bench, self.session);
        self.events.fetch_add(1, Relaxed);
        self.counter.increment();
        self.amount.add(0.25);
        let level = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 34;
        self.peak.fetch_max(level, Relaxed);
        self.level.set(level);
        self.size.set(level);
        self.peers.add(n as u32 % 4, 1);
        self.amounts.fetch_add(n, Relaxed);
        Tick::raise(Context::requiring(context), || Tick { amount: n });

        let taken = bench.read_and_reset::<u64>(session, self.taken_from).unwrap();
        self.taken.fetch_add(taken, Relaxed);

        let at = (n % 6) as usize;
        let changing = self.changing[at];
        match n / 6 % 6 {
            0 => bench.start(session, changing).unwrap(),
            1 => bench.stop(session, changing).unwrap(),
            2 if at != 2 => bench.reset(session, changing).unwrap(),
            3 if at == 0 || at == 5 => bench.write(session, changing, 0_u64).unwrap(),
            3 if at == 1 => bench.write(session, changing, 0.0).unwrap(),
            4 if n.is_multiple_of(64) => bench.interface.start(session, HandleSelection::All).unwrap(),
            _ => {
                let value = bench.read::<u64>(session, changing).unwrap();
                let max = if at == 1 { (self.max() as f64 * 0.25).to_bits() } else { self.max() };
                let max = if at >= 2 { 1 << 30 } else { max };
                assert!(value <= max, "the value of handle {at} is {value}");
            }
        }
        match n % 3 {
            0 => bench.start(session, self.array).unwrap(),
            1 => bench.stop(session, self.array).unwrap(),
            _ => {
                let mut peers = [0_u64; 4];
                // SAFETY: the array is bound to four processes.
                unsafe { bench.interface.read(session, self.array, peers.as_mut_ptr().cast()) }.unwrap();
                assert!(peers.iter().sum::<u64>() <= self.max());
            }
        }
    }

    /// Returns an upper bound of the number of events so far.
    fn max(&self) -> u64 {
        self.events.load(Relaxed)
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

// SAFETY: each function forwards its arguments to `System`, which fulfills the contract of `GlobalAlloc`.
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
        shared.round(n.wrapping_mul(7) + 3, Safety::AsyncSignalSafe);
        IN_HANDLER.set(false);
    }
}

/// Proves R191, R297, R302, C37.
#[test]
fn signal_may_interrupt_any_call() {
    in_own_process(|| {
        let shared = SHARED.get_or_init(Shared::new);
        // Records of peers are made on first use, with memory, which no signal handler should do.
        shared.bench.start(shared.session, shared.array).unwrap();
        (0..4).for_each(|peer| shared.peers.add(peer, 0));

        let handler: extern "C" fn(libc::c_int) = on_signal;
        // SAFETY: the handler uses atomics and access calls, which take no lock and allocate nothing (asserted below).
        let before = unsafe { libc::signal(libc::SIGPROF, handler as libc::sighandler_t) };
        assert_ne!(before, libc::SIG_ERR);
        // SAFETY: `pthread_self` has no preconditions.
        let this_thread = unsafe { libc::pthread_self() };
        let done = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    // SAFETY: the thread outlives this one, which it waits for.
                    unsafe { libc::pthread_kill(this_thread, libc::SIGPROF) };
                    // A pause, so that the program makes progress even without optimization.
                    (0..500).for_each(|_| std::hint::spin_loop());
                }
            });
            (0..ROUNDS).for_each(|n| shared.round(n, LEVELS[(n % 3) as usize]));
            done.store(true, Relaxed);
        });

        assert_eq!(ALLOCATED.load(Relaxed), 0, "signal handlers allocate nothing");
        let interruptions = shared.interruptions.load(Relaxed);
        assert!(interruptions >= 200, "only {interruptions}");
        let events = ROUNDS + interruptions;
        let (bench, session) = (shared.bench, shared.session);
        assert_eq!(shared.max(), events);
        assert_eq!(bench.read(session, shared.steady), Ok(events));
        let last = bench.read::<u64>(session, shared.taken_from).unwrap();
        assert_eq!(shared.taken.load(Relaxed) + last, events);
        assert_eq!(bench.read(session, shared.steady_amount), Ok(events as f64 * 0.25));
        assert_eq!(bench.read(session, shared.steady_mark), Ok(shared.peak.load(Relaxed)));
        let delivered = shared.sums.map(|(id, sum)| {
            let null = std::ptr::null_mut();
            // SAFETY: null is permitted, and means that no free callback runs.
            unsafe { bench.interface.event_handle_free(id, null, null) }.unwrap();
            let dropped = sum.lost.load(Relaxed).cast_unsigned();
            (sum.delivered.load(Relaxed), dropped, sum.amount.load(Relaxed))
        });
        let amounts = shared.amounts.load(Relaxed);
        assert_eq!(delivered[0], (events, 0, amounts), "admitted in every context");
        assert_eq!(
            (delivered[1].0, delivered[1].1),
            (ROUNDS, interruptions),
            "not admitted in signal handlers"
        );
        bench.interface.session_free(session).unwrap();
        assert!(!shared.counter.watched(), "each start was paired with a stop");
    });
}
