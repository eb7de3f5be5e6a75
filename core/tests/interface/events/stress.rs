//! Rules R258, R259, R276, R286, R287 with threads: each instance is delivered or counted as lost, to the last one.
//!
//! Four threads raise one event, at every level, while registrations for it are made, changed and freed, also from within
//! their own callbacks, which raise the event again.
//!
//! * A registration that lasts for the whole test must account for each raise exactly.
//! * A shorter one must account for at least those raises that began after its handler of drops was set and ended before it
//!   was freed, and at most for those that overlapped with it. Its free callback runs once, as its last callback.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::SeqCst};

use super::fixture::LEVELS;
use crate::support::leak;
use crate::support::process::in_own_process;
use mpit::event::{
    Abi, Context, Delivery, DropReport, Event as _, FreeNotice, RegistrationId, Safety, instance,
};
use mpit::internal::registry::Image;
use mpit::internal::session::{Interface, Limits};
use mpit::internal::vocabulary::ThreadLevel;
use mpit::tool::Registry;

const THREADS: u64 = 4;
/// Raises by the threads; callbacks add some.
const RAISES: u64 = if cfg!(debug_assertions) { 300_000 } else { 10_000_000 };

static INTERFACE: OnceLock<Interface> = OnceLock::new();

fn interface() -> &'static Interface {
    INTERFACE.get().expect("the test makes it first")
}

/// The source of the event below.
#[mpit::source(unordered, name = "stress_clock")]
struct Clock;

/// A payload that shows whether it is whole.
#[mpit::event(source = Clock, name = "stress_tick")]
struct Tick {
    number: u64,
    complement: u64,
}

/// Raises that were begun, and those of them that are done. Read by an addition of nothing, which puts the reader in one
/// order with the raising threads.
static BEGUN: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);
/// The number of threads that still raise.
static RAISING: AtomicU64 = AtomicU64::new(THREADS);

fn begun() -> u64 {
    BEGUN.fetch_add(0, SeqCst)
}

fn done() -> u64 {
    DONE.fetch_add(0, SeqCst)
}

fn raise(number: u64, safety: Safety) {
    BEGUN.fetch_add(1, SeqCst);
    Tick::raise(Context::requiring(safety), || Tick { number, complement: !number });
    DONE.fetch_add(1, SeqCst);
}

/// The deliveries to one registration.
#[derive(Debug, Default)]
struct RegistrationRecord {
    delivered: AtomicU64,
    lost: AtomicI64,
    freed: AtomicU64,
    ended: AtomicU64,
    after_end: AtomicBool,
    /// True if it is there all the time.
    stays: bool,
    /// The number of deliveries after which the callback frees the registration.
    span: u64,
    /// The largest possible number of raises at its end.
    begun_at_end: AtomicU64,
    /// The smallest possible number of completed raises when it was freed.
    done_at_free: AtomicU64,
}

impl RegistrationRecord {
    fn new(stays: bool, span: u64) -> &'static Self {
        leak(Self { stays, span, done_at_free: AtomicU64::new(u64::MAX), ..Self::default() })
    }

    fn data(&'static self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// # Safety
    ///
    /// `data` is of [`RegistrationRecord::data`].
    unsafe fn of(data: *mut c_void) -> &'static Self {
        // SAFETY: `data` is of [`RegistrationRecord::data`], and each `RegistrationRecord` is leaked.
        unsafe { &*data.cast::<Self>() }
    }

    fn register(&'static self, id: RegistrationId, level: Safety) {
        let function = std::ptr::from_ref(&ABI).cast_mut().cast();
        // SAFETY: `ABI` ignores the function, and each `RegistrationRecord` is leaked.
        self.assert_done(unsafe { interface().event_register_callback(id, level, function, self.data()) });
    }

    fn unregister(&'static self, id: RegistrationId, level: Safety) {
        let null = std::ptr::null_mut();
        // SAFETY: null is permitted, and removes the callback.
        self.assert_done(unsafe { interface().event_register_callback(id, level, null, null) });
    }

    /// Asserts that a change succeeded, unless the registration is being freed.
    fn assert_done(&self, change: mpit::Result<()>) {
        assert!(change.is_ok() || self.done_at_free.load(SeqCst) != u64::MAX, "{change:?}");
    }

    /// Frees the registration; returns false if another thread was faster.
    fn free(&'static self, id: RegistrationId) -> bool {
        let function = std::ptr::from_ref(&ABI).cast_mut().cast();
        self.done_at_free.fetch_min(done(), SeqCst);
        // SAFETY: `ABI` ignores the function, and each `RegistrationRecord` is leaked.
        let freed = unsafe { interface().event_handle_free(id, self.data(), function) }.is_ok();
        self.freed.fetch_add(u64::from(freed), SeqCst);
        freed
    }

    fn counted(&self) -> u64 {
        self.delivered.load(SeqCst) + self.lost.load(SeqCst).cast_unsigned()
    }
}

/// The functions themselves; what is registered only has to be not null.
// SAFETY: tests register a leaked `RegistrationRecord` with this `Abi`, and the functions ignore the function pointer.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    // SAFETY: tests register a `RegistrationRecord` with this `Abi`.
    let record = unsafe { RegistrationRecord::of(delivery.user_data) };
    record.after_end.fetch_or(record.ended.load(SeqCst) > 0, SeqCst);
    let mut tick = Tick { number: 0, complement: 0 };
    // SAFETY: `Tick` has the extent of the event type.
    unsafe { instance::copy(delivery.instance, (&raw mut tick).cast()) }.unwrap();
    assert_eq!(tick.number, !tick.complement);
    let count = record.delivered.fetch_add(1, SeqCst) + 1;
    if count == record.span {
        record.free(delivery.registration);
    }
    match tick.number % 256 {
        5 | 69 | 133 => raise(tick.number + 1, delivery.safety),
        9 => record.register(delivery.registration, LEVELS[(tick.number / 256 % 4) as usize]),
        17 if record.stays => record.unregister(delivery.registration, Safety::AsyncSignalSafe),
        _ => {}
    }
}

unsafe extern "C" fn report(_: *mut c_void, report: &DropReport) {
    // SAFETY: tests register a `RegistrationRecord` with this `Abi`.
    let record = unsafe { RegistrationRecord::of(report.user_data) };
    record.after_end.fetch_or(record.ended.load(SeqCst) > 0, SeqCst);
    assert!(report.count > 0);
    record.lost.fetch_add(report.count, SeqCst);
}

unsafe extern "C" fn free_callback(_: *mut c_void, notice: &FreeNotice) {
    // SAFETY: `free` passes a `RegistrationRecord` for the free callback.
    let record = unsafe { RegistrationRecord::of(notice.user_data) };
    record.begun_at_end.store(begun(), SeqCst);
    record.ended.fetch_add(1, SeqCst);
}

fn alloc() -> RegistrationId {
    let id = interface().event_handle_alloc(0, None, &ABI).unwrap();
    let handler = std::ptr::from_ref(&ABI).cast_mut().cast();
    // SAFETY: `ABI` ignores the function.
    unsafe { interface().event_set_dropped_handler(id, handler) }.unwrap();
    id
}

/// Makes a registration, changes it repeatedly, and frees it in this thread or in its own callback.
fn run_registration(round: u64) -> &'static RegistrationRecord {
    let span = if round.is_multiple_of(3) { 50 } else { u64::MAX };
    let record = RegistrationRecord::new(false, span);
    let done_before = done();
    let id = alloc();
    let begun_before = begun();
    record.register(id, Safety::None);
    record.register(id, Safety::AsyncSignalSafe);
    while begun() < begun_before + 500 && record.ended.load(SeqCst) == 0 && RAISING.load(SeqCst) > 0 {
        record.register(id, LEVELS[(begun() % 3) as usize]);
        if span == u64::MAX {
            record.unregister(id, LEVELS[(begun() % 4) as usize].max(Safety::MpiRestricted));
        }
        std::thread::yield_now();
    }
    // The thread that releases the last pin reports the drops, in any context.
    record.register(id, Safety::AsyncSignalSafe);
    record.free(id);
    while record.ended.load(SeqCst) == 0 {
        std::thread::yield_now();
    }
    let min = record.done_at_free.load(SeqCst).saturating_sub(begun_before);
    let max = record.begun_at_end.load(SeqCst) - done_before;
    assert!((min..=max).contains(&record.counted()), "{min} {max} {record:?}");
    record
}

/// Proves R258, R259, R276, R286, R287.
#[test]
fn every_instance_is_delivered_or_counted() {
    in_own_process(|| {
        let registry = Registry::new();
        let mut image = Image::new("test");
        image.events = vec![Tick::DESC];
        assert!(registry.add(&image, &[]).is_empty());
        let interface = INTERFACE.get_or_init(|| Interface::new(leak(registry), Limits::default()));
        interface.init(ThreadLevel::Multiple);
        // Two registrations that last. They begin with different levels, so they drop different events.
        let steady = [Safety::MpiRestricted, Safety::ThreadSafe].map(|level| {
            let record = RegistrationRecord::new(true, u64::MAX);
            let id = alloc();
            record.register(id, level);
            (record, id)
        });
        let mut records = Vec::new();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    for n in 0..RAISES / THREADS {
                        raise(
                            n * THREADS + thread,
                            LEVELS[(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62) as usize],
                        );
                    }
                    RAISING.fetch_sub(1, SeqCst);
                });
            }
            let others = scope.spawn(move || {
                let mut records = Vec::new();
                while RAISING.load(SeqCst) > 0 {
                    records.push(run_registration(records.len() as u64 * 2));
                }
                records
            });
            while RAISING.load(SeqCst) > 0 {
                records.push(run_registration(records.len() as u64 * 2 + 1));
            }
            records.extend(others.join().unwrap());
        });
        for (record, id) in steady {
            assert!(record.free(id));
            assert_eq!(record.counted(), begun(), "{record:?}");
            assert!(record.delivered.load(SeqCst) > 0 && record.lost.load(SeqCst) > 0);
            records.push(record);
        }
        assert_eq!(begun(), done());
        assert!(begun() > RAISES && records.len() > 10, "{} {}", begun(), records.len());
        for record in records {
            assert_eq!((record.freed.load(SeqCst), record.ended.load(SeqCst)), (1, 1), "{record:?}");
            assert!(!record.after_end.load(SeqCst), "{record:?}");
        }
    });
}
