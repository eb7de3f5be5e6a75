//! Start, stop, read, write, reset, readreset: rules R158 to R194 of the interface.
//!
//! Tested elsewhere:
//!
//! | rule | what it needs | where |
//! |---|---|---|
//! | R173 | `MPI_T_PVAR_ALL_HANDLES` as a handle of C; here only `Which` can say it, which these calls do not take | `mpit-ffi` |
//! | R189 | no call here can answer it: [`Error::NotAccessible`] is made nowhere in this crate | `mpit-ffi` |
//! | R190 | event callbacks | events |
//! | R191 | a signal handler, alone in its program | `signals.rs` |
//! | R192 | variables that go away | plug-ins |
//! | R194 | a host's own sessions | on hosts; here R141 to R145 |

#![allow(unsafe_code, reason = "tests hand buffers to the interface as C tools do")]

mod common;

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use common::{Bench, Phase, leak, pvar};
use mpit::cell::{Aggregate, Counter, Custom, Generic, HandleId, Level, PeerArray, Percentage, Size, State};
use mpit::desc::{MpitEnum, PvarFlags};
use mpit::object::Object;
use mpit::session::{PvarHandle, SessionId, Which};
use mpit::words::Class;
use mpit::{Error, Result};

/// A counter, and a handle of it.
struct One {
    bench: Bench,
    cell: &'static Counter<u64>,
    session: SessionId,
    handle: PvarHandle,
}

impl One {
    fn flagged(flags: PvarFlags) -> Self {
        let cell = leak(Counter::new());
        let bench = Bench::of_pvars([pvar("sum", Class::Counter, cell).flags(flags)]);
        let session = bench.session();
        let handle = bench.handle(session, "sum", Class::Counter);
        Self { bench, cell, session, handle }
    }

    fn new() -> Self {
        Self::flagged(PvarFlags::NONE)
    }

    fn start(&self) -> Result<()> {
        self.bench.start(self.session, self.handle)
    }

    fn stop(&self) -> Result<()> {
        self.bench.stop(self.session, self.handle)
    }

    fn reset(&self) -> Result<()> {
        self.bench.reset(self.session, self.handle)
    }

    fn read(&self) -> Result<u64> {
        self.bench.read(self.session, self.handle)
    }

    fn write(&self, value: u64) -> Result<()> {
        self.bench.write(self.session, self.handle, value)
    }

    fn read_and_reset(&self) -> Result<u64> {
        self.bench.read_and_reset(self.session, self.handle)
    }

    /// A handle that makes the cell keep its sum, whatever happens to the other one.
    fn onlooker(&self) {
        let session = self.bench.session();
        self.bench.start(session, self.bench.handle(session, "sum", Class::Counter)).ok();
    }
}

#[test]
fn r158_a_handle_is_stopped_at_first() {
    let one = One::new();
    one.onlooker();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(0));
    one.start().unwrap();
    assert_eq!(one.read(), Ok(0));
    one.cell.add(2);
    assert_eq!(one.read(), Ok(2));
}

#[test]
fn r159_a_continuous_handle_runs_at_once() {
    let one = One::flagged(PvarFlags::CONTINUOUS);
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5));
}

#[test]
fn r160_a_continuous_handle_is_not_started_or_stopped() {
    let one = One::flagged(PvarFlags::CONTINUOUS);
    assert_eq!(one.start(), Err(Error::PvarNoStartStop));
    assert_eq!(one.stop(), Err(Error::PvarNoStartStop));
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5));
}

#[test]
fn r161_starting_twice_is_starting_once() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.start(), Ok(()));
    assert_eq!(one.read(), Ok(5));
    one.stop().unwrap();
    assert!(!one.cell.watched(), "one stop is enough");
}

#[test]
fn r162_stopping_twice_is_stopping_once() {
    let one = One::new();
    assert_eq!(one.stop(), Ok(()));
    one.start().unwrap();
    one.cell.add(5);
    one.stop().unwrap();
    assert_eq!(one.stop(), Ok(()));
    assert_eq!(one.read(), Ok(5));
    one.start().unwrap();
    assert!(one.cell.watched(), "one start is enough");
}

#[test]
fn r163_r166_all_handles_may_be_none() {
    let bench = Bench::of_pvars([]);
    let session = bench.session();
    let continuous = One::flagged(PvarFlags::CONTINUOUS);
    let plain = One::new();
    for _ in 0..2 {
        for (interface, session) in [
            (bench.interface, session),
            (continuous.bench.interface, continuous.session),
            (plain.bench.interface, plain.session),
        ] {
            assert_eq!(interface.start(session, Which::All), Ok(()));
        }
    }
    for _ in 0..2 {
        for (interface, session) in [
            (bench.interface, session),
            (continuous.bench.interface, continuous.session),
            (plain.bench.interface, plain.session),
        ] {
            assert_eq!(interface.stop(session, Which::All), Ok(()));
        }
    }
    continuous.cell.add(1);
    assert_eq!(continuous.read(), Ok(1), "runs on");
}

#[test]
fn r164_starting_all_leaves_those_that_run() {
    let (running, stopped) = (leak(Counter::<u64>::new()), leak(Counter::<u64>::new()));
    let always = leak(Counter::<u64>::new());
    let bench = Bench::of_pvars([
        pvar("running", Class::Counter, running),
        pvar("stopped", Class::Counter, stopped),
        pvar("always", Class::Counter, always).flags(PvarFlags::CONTINUOUS),
    ]);
    let session = bench.session();
    let handles = ["running", "stopped", "always"].map(|name| bench.handle(session, name, Class::Counter));
    bench.start(session, handles[0]).unwrap();
    let happen = || [running, stopped, always].map(|cell| cell.add(5));
    happen();
    bench.interface.start(session, Which::All).unwrap();
    happen();
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(10_u64), Ok(5), Ok(10)]);
    bench.interface.stop(session, Which::All).unwrap();
    happen();
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(10_u64), Ok(5), Ok(15)]);
}

/// Refuses what it is told to.
#[derive(Default)]
struct Stubborn {
    refuses: AtomicBool,
    asked: AtomicU32,
}

impl Stubborn {
    fn answer(&self) -> Result<()> {
        self.asked.fetch_add(1, Relaxed);
        // Whatever it says, the standard has one answer for each call on all handles.
        if self.refuses.load(Relaxed) { Err(Error::Memory) } else { Ok(()) }
    }
}

impl Custom for Stubborn {
    type Value = i32;
    const COUNT: usize = 1;

    fn start(&self, _: HandleId) -> Result<()> {
        self.answer()
    }

    fn stop(&self, _: HandleId) -> Result<()> {
        self.answer()
    }

    fn reset(&self, _: HandleId) -> Result<()> {
        self.answer()
    }
}

/// A session in which the handle in the middle refuses.
fn one_of_three_refuses() -> (Bench, SessionId, [PvarHandle; 2], &'static Stubborn, &'static Counter<u64>) {
    let (cell, stubborn) = (leak(Counter::<u64>::new()), leak(Stubborn::default()));
    let bench =
        Bench::of_pvars([pvar("sum", Class::Counter, cell), pvar("stubborn", Class::Generic, stubborn)]);
    let session = bench.session();
    let first = bench.handle(session, "sum", Class::Counter);
    bench.handle(session, "stubborn", Class::Generic);
    let last = bench.handle(session, "sum", Class::Counter);
    (bench, session, [first, last], stubborn, cell)
}

#[test]
fn r165_starting_all_attempts_all() {
    let (bench, session, handles, stubborn, cell) = one_of_three_refuses();
    stubborn.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.start(session, Which::All), Err(Error::PvarNoStartStop));
    cell.add(5);
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(5_u64), Ok(5)]);
    stubborn.refuses.store(false, Relaxed);
    assert_eq!(bench.interface.start(session, Which::All), Ok(()), "it was not taken for started");
    assert_eq!(stubborn.asked.load(Relaxed), 2);
}

#[test]
fn r166_stopping_all_attempts_all() {
    let (bench, session, handles, stubborn, cell) = one_of_three_refuses();
    bench.interface.start(session, Which::All).unwrap();
    stubborn.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.stop(session, Which::All), Err(Error::PvarNoStartStop));
    cell.add(5);
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(0_u64), Ok(0)]);
    stubborn.refuses.store(false, Relaxed);
    assert_eq!(bench.interface.stop(session, Which::All), Ok(()), "it was not taken for stopped");
    assert_eq!(stubborn.asked.load(Relaxed), 3);
}

#[test]
fn r167_all_means_all_of_the_session() {
    let one = One::new();
    let other = one.bench.session();
    let elsewhere = one.bench.handle(other, "sum", Class::Counter);
    one.bench.interface.start(one.session, Which::All).unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5));
    assert_eq!(one.bench.read(other, elsewhere), Ok(0_u64));
}

#[test]
fn r168_a_stopped_value_is_frozen() {
    let (sum, level) = (leak(Aggregate::<f64>::new()), leak(Level::<u64>::new()));
    let (size, state) = (leak(Size::<u32>::new()), leak(State::<Phase>::new()));
    let bench = Bench::of_pvars([
        pvar("sum", Class::Aggregate, sum),
        pvar("level", Class::Level, level),
        pvar("level", Class::HighWatermark, level),
        pvar("level", Class::LowWatermark, level),
        pvar("size", Class::Size, size),
        pvar("state", Class::State, state),
    ]);
    let session = bench.session();
    let sum_handle = bench.handle(session, "sum", Class::Aggregate);
    let levels = [Class::Level, Class::HighWatermark, Class::LowWatermark]
        .map(|class| bench.handle(session, "level", class));
    let size_handle = bench.handle(session, "size", Class::Size);
    let state_handle = bench.handle(session, "state", Class::State);
    let read = || {
        let levels = levels.map(|handle| bench.read::<u64>(session, handle));
        let size = bench.read::<u32>(session, size_handle);
        (bench.read::<f64>(session, sum_handle), levels, size, bench.read::<i32>(session, state_handle))
    };
    let happen = |n: u32| {
        sum.add(f64::from(n));
        level.set(u64::from(n));
        size.set(n);
        state.set(Phase::ALL[n as usize % 3]);
    };
    let onlooker = bench.session();
    bench.start(onlooker, bench.handle(onlooker, "sum", Class::Aggregate)).unwrap();
    bench.interface.start(session, Which::All).unwrap();
    happen(4);
    happen(2);
    bench.interface.stop(session, Which::All).unwrap();
    let frozen = read();
    assert_eq!(frozen, (Ok(6.0), [Ok(2), Ok(4), Ok(0)], Ok(2), Ok(Phase::ALL[2].value())));
    happen(100);
    happen(0);
    assert_eq!(read(), frozen);
    bench.interface.start(session, Which::All).unwrap();
    assert_eq!(read(), (Ok(6.0), [Ok(0), Ok(4), Ok(0)], Ok(0), Ok(Phase::ALL[0].value())));
}

#[test]
fn r169_a_sum_goes_on_where_it_stopped() {
    let one = One::new();
    one.onlooker();
    for n in 1..=3 {
        one.start().unwrap();
        one.cell.add(10);
        one.stop().unwrap();
        one.cell.add(1000);
        assert_eq!(one.read(), Ok(10 * n));
    }
}

#[test]
fn r170_a_watermark_goes_on_where_it_stopped() {
    let level = leak(Level::<u64>::new());
    let bench =
        Bench::of_pvars([pvar("use", Class::HighWatermark, level), pvar("use", Class::LowWatermark, level)]);
    let session = bench.session();
    let handles =
        [Class::LowWatermark, Class::HighWatermark].map(|class| bench.handle(session, "use", class));
    let read = || handles.map(|handle| bench.read::<u64>(session, handle).unwrap());
    level.set(50);
    bench.interface.start(session, Which::All).unwrap();
    level.set(60);
    level.set(40);
    bench.interface.stop(session, Which::All).unwrap();
    level.set(1000);
    level.set(0);
    level.set(45);
    assert_eq!(read(), [40, 60]);
    bench.interface.start(session, Which::All).unwrap();
    assert_eq!(read(), [40, 60], "what happened meanwhile does not count");
    level.set(55);
    assert_eq!(read(), [40, 60]);
    bench.interface.stop(session, Which::All).unwrap();
    level.set(70);
    bench.interface.start(session, Which::All).unwrap();
    assert_eq!(read(), [40, 70], "the level at the restart does");
}

#[test]
fn r171_reads_work_in_either_state() {
    let one = One::new();
    assert_eq!(one.read(), Ok(0));
    one.start().unwrap();
    one.cell.add(1);
    assert_eq!(one.read(), Ok(1));
    one.stop().unwrap();
    assert_eq!(one.read(), Ok(1));
}

#[test]
fn r172_before_the_first_start_there_is_the_starting_value() {
    let (level, size) = (leak(Level::<u64>::new()), leak(Size::<u64>::new()));
    let one = One::new();
    one.onlooker();
    one.cell.add(9);
    assert_eq!(one.read(), Ok(0), "0 for sums");
    let bench = Bench::of_pvars([
        pvar("a", Class::Level, level),
        pvar("b", Class::HighWatermark, level),
        pvar("c", Class::Size, size),
    ]);
    let session = bench.session();
    let handles = [("a", Class::Level), ("b", Class::HighWatermark), ("c", Class::Size)]
        .map(|(name, class)| bench.handle(session, name, class));
    for n in [30, 20] {
        level.set(n);
        size.set(n);
        for handle in handles {
            assert_eq!(bench.read(session, handle), Ok(n), "the present value for others");
        }
    }
}

#[test]
fn r174_r178_what_is_read_only_is_not_written() {
    let one = One::flagged(PvarFlags::READONLY);
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.write(9), Err(Error::PvarNoWrite));
    assert_eq!(one.reset(), Err(Error::PvarNoWrite));
    assert_eq!(one.read(), Ok(5));
    // A watermark is what the level was: it can be reset, not written.
    let level = leak(Level::<u64>::new());
    let bench = Bench::of_pvars([pvar("use", Class::HighWatermark, level)]);
    let session = bench.session();
    let handle = bench.handle(session, "use", Class::HighWatermark);
    level.set(4);
    assert_eq!(bench.write(session, handle, 9_u64), Err(Error::PvarNoWrite));
    assert_eq!(bench.read(session, handle), Ok(4_u64));
}

#[test]
fn r175_what_was_written_is_read() {
    let one = One::new();
    one.onlooker();
    for value in [0, 1, 77, u64::MAX] {
        one.write(value).unwrap();
        assert_eq!(one.read(), Ok(value), "stopped");
        one.start().unwrap();
        assert_eq!(one.read(), Ok(value), "started");
        one.cell.add(3);
        one.write(value).unwrap();
        assert_eq!(one.read(), Ok(value), "running");
        one.stop().unwrap();
        assert_eq!(one.read(), Ok(value), "stopped again");
    }
    // Also where arithmetic is not exact.
    let sum = leak(Aggregate::<f64>::new());
    let bench = Bench::of_pvars([pvar("sum", Class::Aggregate, sum)]);
    let session = bench.session();
    let handle = bench.handle(session, "sum", Class::Aggregate);
    bench.start(session, handle).unwrap();
    for value in [0.1, 0.3, 1e-300, 1e300] {
        sum.add(0.7);
        bench.write(session, handle, value).unwrap();
        assert_eq!(bench.read(session, handle), Ok(value));
    }
}

#[test]
fn r176_a_written_sum_goes_on_from_there() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    one.write(100).unwrap();
    one.cell.add(7);
    assert_eq!(one.read(), Ok(107));
    one.write(u64::MAX).unwrap();
    one.cell.add(2);
    assert_eq!(one.read(), Ok(1));
}

#[test]
fn r177_values_that_the_class_does_not_have_are_refused() {
    let (share, sum) = (leak(Percentage::new(0.5)), leak(Aggregate::<f64>::new()));
    let (state, any) = (leak(State::<Phase>::new()), leak(Generic::<f64>::new()));
    let bench = Bench::of_pvars([
        pvar("share", Class::Percentage, share).writable(),
        pvar("sum", Class::Aggregate, sum),
        pvar("state", Class::State, state).writable(),
        pvar("any", Class::Generic, any).writable(),
    ]);
    let session = bench.session();
    let share = bench.handle(session, "share", Class::Percentage);
    let sum = bench.handle(session, "sum", Class::Aggregate);
    let state = bench.handle(session, "state", Class::State);
    let any = bench.handle(session, "any", Class::Generic);
    for value in [1.5, -0.1, f64::NAN] {
        assert_eq!(bench.write(session, share, value), Err(Error::Invalid));
        assert_eq!(bench.write(session, any, value), Ok(()), "GENERIC has no bounds");
    }
    for value in [-1.0, f64::NAN] {
        assert_eq!(bench.write(session, sum, value), Err(Error::Invalid));
    }
    assert_eq!(bench.write(session, state, 0_i32), Err(Error::Invalid));
    assert_eq!(bench.write(session, state, Phase::Done.value()), Ok(()));
    assert_eq!(bench.write(session, share, 1.0), Ok(()));
    assert_eq!(bench.read(session, share), Ok(1.0));
    assert_eq!(bench.read(session, sum), Ok(0.0));
    assert_eq!(bench.read(session, state), Ok(40));
}

#[test]
fn r177_null_and_misaligned_buffers_are_refused() {
    let one = One::flagged(PvarFlags::ATOMIC);
    let mut words = [0_u64; 2];
    let crooked: *mut u8 = words.as_mut_ptr().cast::<u8>().wrapping_add(1);
    for buffer in [std::ptr::null_mut(), crooked] {
        let interface = one.bench.interface;
        // SAFETY: null, or misaligned, which the calls look at before they use it.
        let read = unsafe { interface.read(one.session, one.handle, buffer) };
        // SAFETY: as above.
        let exchanged = unsafe { interface.readreset(one.session, one.handle, buffer) };
        // SAFETY: as above.
        let written = unsafe { interface.write(one.session, one.handle, buffer) };
        assert_eq!([read, exchanged, written], [Err(Error::Invalid); 3]);
    }
}

#[test]
fn r179_resetting_all_leaves_what_is_read_only() {
    let (sum, fixed) = (leak(Counter::<u64>::new()), leak(Counter::<u64>::new()));
    let bench = Bench::of_pvars([
        pvar("sum", Class::Counter, sum),
        pvar("fixed", Class::Counter, fixed).flags(PvarFlags::READONLY),
    ]);
    let session = bench.session();
    assert_eq!(bench.interface.reset(session, Which::All), Ok(()), "none");
    let fixed_handle = bench.handle(session, "fixed", Class::Counter);
    bench.interface.start(session, Which::All).unwrap();
    fixed.add(5);
    assert_eq!(bench.interface.reset(session, Which::All), Ok(()), "all read-only");
    let handle = bench.handle(session, "sum", Class::Counter);
    bench.interface.start(session, Which::All).unwrap();
    sum.add(5);
    assert_eq!(bench.interface.reset(session, Which::All), Ok(()));
    assert_eq!((bench.read(session, handle), bench.read(session, fixed_handle)), (Ok(0_u64), Ok(5_u64)));
}

#[test]
fn r180_resetting_all_attempts_all() {
    let (bench, session, handles, stubborn, cell) = one_of_three_refuses();
    bench.interface.start(session, Which::All).unwrap();
    cell.add(5);
    stubborn.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.reset(session, Which::All), Err(Error::PvarNoWrite));
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(0_u64), Ok(0)]);
}

#[test]
fn r181_reset_keeps_the_run_state() {
    let one = One::new();
    one.onlooker();
    one.reset().unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(0), "stopped stays stopped");
    one.start().unwrap();
    one.reset().unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5), "running stays running");
}

#[test]
fn r182_reset_works_while_stopped() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    one.stop().unwrap();
    one.reset().unwrap();
    assert_eq!(one.read(), Ok(0));
    one.start().unwrap();
    one.cell.add(2);
    assert_eq!(one.read(), Ok(2));
}

#[test]
fn r183_without_the_flag_there_is_no_readreset() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.read_and_reset(), Err(Error::PvarNoAtomic));
    assert_eq!(one.read(), Ok(5));
}

#[test]
fn r184_readreset_gives_the_value_and_resets_it() {
    let one = One::flagged(PvarFlags::ATOMIC);
    one.start().unwrap();
    for n in [5, 0, 7] {
        one.cell.add(n);
        assert_eq!(one.read_and_reset(), Ok(n));
        assert_eq!(one.read(), Ok(0));
    }
    one.cell.add(3);
    one.stop().unwrap();
    assert_eq!(one.read_and_reset(), Ok(3), "also while stopped");
    assert_eq!(one.read_and_reset(), Ok(0));
}

#[test]
fn r184_readreset_loses_no_event_and_counts_none_twice() {
    for seed in 0..100_u64 {
        let one = &One::flagged(PvarFlags::ATOMIC);
        one.start().unwrap();
        let (threads, events) = (2 + seed % 4, 500 + seed * 7);
        let (working, taken) = (&AtomicU64::new(threads), &AtomicU64::new(0));
        let gate = &Barrier::new(threads as usize + 2);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || {
                    gate.wait();
                    for event in 0..events {
                        one.cell.increment();
                        if (event ^ seed) % 64 == thread {
                            std::thread::yield_now();
                        }
                    }
                    working.fetch_sub(1, Relaxed);
                });
            }
            // Two readers at once are more than the rule asks for.
            for _ in 0..2 {
                scope.spawn(move || {
                    gate.wait();
                    while working.load(Relaxed) > 0 {
                        taken.fetch_add(one.read_and_reset().unwrap(), Relaxed);
                        assert!(one.read().unwrap() <= threads * events);
                    }
                });
            }
        });
        let last = one.read().unwrap();
        assert_eq!(taken.load(Relaxed) + last, threads * events, "seed {seed}");
    }
}

#[test]
fn r185_readreset_checks_the_flag_before_the_right_to_write() {
    let one = One::flagged(PvarFlags::READONLY);
    let stranger = one.bench.session();
    assert_eq!(one.bench.read_and_reset::<u64>(stranger, one.handle), Err(Error::InvalidHandle));
    assert_eq!(one.read_and_reset(), Err(Error::PvarNoAtomic));
}

#[test]
fn r186_an_array_exchanges_each_element_once() {
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([pvar("peers", Class::Counter, peers).flags(PvarFlags::ATOMIC)]);
    let session = bench.session();
    let (handle, count) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 3));
    bench.start(session, handle).unwrap();
    peers.add(0, 4);
    peers.add(2, 6);
    let mut out = vec![u64::MAX; count];
    // SAFETY: `out` has room for `count` elements.
    unsafe { bench.interface.readreset(session, handle, out.as_mut_ptr().cast()) }.unwrap();
    assert_eq!(out, [4, 0, 6]);
    assert_eq!(bench.read_all::<u64>(session, handle, count).unwrap(), [0_u64; 3]);
}

#[test]
fn r187_a_read_fills_every_element() {
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([pvar("peers", Class::Counter, peers)]);
    let session = bench.session();
    let (handle, count) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 1000));
    assert_eq!(bench.read_all::<u64>(session, handle, count).unwrap(), [0_u64; 1000]);
    bench.start(session, handle).unwrap();
    peers.add(999, 1);
    let mut expected = [0_u64; 1000];
    expected[999] = 1;
    assert_eq!(bench.read_all::<u64>(session, handle, count).unwrap(), expected);
    bench.stop(session, handle).unwrap();
    assert_eq!(bench.read_all::<u64>(session, handle, count).unwrap(), expected);
}

/// Keeps one text for all of its handles.
struct Note(std::sync::Mutex<Vec<u8>>);

impl Custom for Note {
    type Value = u8;
    const COUNT: usize = 8;

    fn read(&self, _: HandleId, out: &mut [u8]) -> Result<()> {
        let text = self.0.lock().unwrap();
        out[..text.len()].copy_from_slice(&text);
        Ok(())
    }

    fn write(&self, _: HandleId, value: &[u8]) -> Result<()> {
        if value.len() >= Self::COUNT {
            return Err(Error::Invalid);
        }
        *self.0.lock().unwrap() = value.to_vec();
        Ok(())
    }
}

#[test]
fn r188_text_ends_within_its_count() {
    let bench = Bench::of_pvars([pvar("note", Class::Generic, leak(Note(std::sync::Mutex::default())))]);
    let session = bench.session();
    let (handle, count) = bench.bound(session, "note", Class::Generic, &Object::NONE);
    assert_eq!(count, 8);
    for text in ["", "seven b\0", "ab\0cd\0"] {
        let text = format!("{text}\0");
        // SAFETY: the text ends in a NUL.
        unsafe { bench.interface.write(session, handle, text.as_ptr()) }.unwrap();
        let read = bench.read_all::<u8>(session, handle, count).unwrap();
        let expected = text.split('\0').next().unwrap();
        assert_eq!(read.split(|byte| *byte == 0).next().unwrap(), expected.as_bytes());
        assert!(read.contains(&0));
    }
    // SAFETY: as many bytes as the handle has elements.
    let endless = unsafe { bench.interface.write(session, handle, b"12345678".as_ptr()) };
    assert_eq!(endless, Err(Error::Invalid));
}

#[test]
fn r193_values_are_whole_among_threads() {
    // Every value that there ever is has two equal halves.
    const EVENT: u64 = 0x1_0000_0001;
    let cell = leak(Counter::<u64>::new());
    let level = leak(Level::<u64>::new());
    let bench = Bench::of_pvars([
        pvar("sum", Class::Counter, cell).flags(PvarFlags::ATOMIC),
        pvar("level", Class::Level, level),
        pvar("level", Class::HighWatermark, level),
    ]);
    let session = bench.session();
    let sum = bench.handle(session, "sum", Class::Counter);
    let current = bench.handle(session, "level", Class::Level);
    let mark = bench.handle(session, "level", Class::HighWatermark);
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for n in 1..100_000 {
                cell.add(EVENT);
                level.set(n % 1000 * EVENT);
            }
            done.store(true, Relaxed);
        });
        scope.spawn(move || {
            while !done.load(Relaxed) {
                for handle in [sum, current, mark] {
                    bench.start(session, handle).unwrap();
                    bench.stop(session, handle).unwrap();
                }
                for handle in [sum, mark] {
                    bench.reset(session, handle).unwrap();
                }
            }
        });
        for _ in 0..2 {
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    for handle in [sum, current, mark] {
                        let value = bench.read::<u64>(session, handle).unwrap();
                        assert_eq!(value >> 32, value & 0xffff_ffff, "{value:#x}");
                        assert!(value <= 100_000 * EVENT, "{value:#x}");
                    }
                    let value = bench.read_and_reset::<u64>(session, sum).unwrap();
                    assert_eq!(value >> 32, value & 0xffff_ffff, "{value:#x}");
                }
            });
        }
    });
}
