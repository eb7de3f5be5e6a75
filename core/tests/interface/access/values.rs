//! Reads, writes, and reads with a reset in one step.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use mpit::cell::{Aggregate, Counter, Custom, Generic, HandleId, Level, PeerArray, Percentage, State};
use mpit::internal::desc::PvarFlags;
use mpit::object::Object;
use mpit::tool::Class;
use mpit::{Error, MpitEnum, Result};

use super::counter::One;
use crate::support::{Bench, Phase, leak, pvar};

/// Proves R174, R178.
#[test]
fn read_only_variable_is_not_written() {
    let one = One::flagged(PvarFlags::READONLY);
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.write(9), Err(Error::PvarNoWrite));
    assert_eq!(one.reset(), Err(Error::PvarNoWrite));
    assert_eq!(one.read(), Ok(5));
    // A watermark shows former levels: it can be reset, not written.
    let level = leak(Level::<u64>::new());
    let (bench, session, [handle]) = Bench::open([pvar("use", Class::HighWatermark, level)]);
    level.set(4);
    assert_eq!(bench.write(session, handle, 9_u64), Err(Error::PvarNoWrite));
    assert_eq!(bench.read(session, handle), Ok(4_u64));
}

/// Proves R171, R175.
#[test]
fn written_value_is_read_back() {
    let one = One::new();
    one.watch_in_other_session();
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
    let (bench, session, [handle]) = Bench::open([pvar("sum", Class::Aggregate, sum)]);
    bench.start(session, handle).unwrap();
    for value in [0.1, 0.3, 1e-300, 1e300] {
        sum.add(0.7);
        bench.write(session, handle, value).unwrap();
        assert_eq!(bench.read(session, handle), Ok(value));
    }
}

/// Proves R176.
#[test]
fn written_sum_continues_from_there() {
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

/// Proves R177.
#[test]
fn values_outside_the_class_are_refused() {
    let (share, sum) = (leak(Percentage::new(0.5)), leak(Aggregate::<f64>::new()));
    let (state, any) = (leak(State::<Phase>::new()), leak(Generic::<f64>::new()));
    let (bench, session, [share, sum, state, any]) = Bench::open([
        pvar("share", Class::Percentage, share).writable(),
        pvar("sum", Class::Aggregate, sum),
        pvar("state", Class::State, state).writable(),
        pvar("any", Class::Generic, any).writable(),
    ]);
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

/// Proves R177.
#[test]
fn null_and_misaligned_buffers_are_refused() {
    let one = One::flagged(PvarFlags::ATOMIC);
    let mut words = [0_u64; 2];
    let misaligned: *mut u8 = words.as_mut_ptr().cast::<u8>().wrapping_add(1);
    for buffer in [std::ptr::null_mut(), misaligned] {
        let interface = one.bench.interface;
        // SAFETY: null or misaligned; the calls check both before any access.
        let read = unsafe { interface.read(one.session, one.handle, buffer) };
        // SAFETY: null or misaligned; the calls check both before any access.
        let exchanged = unsafe { interface.readreset(one.session, one.handle, buffer) };
        // SAFETY: null or misaligned; the calls check both before any access.
        let written = unsafe { interface.write(one.session, one.handle, buffer) };
        assert_eq!([read, exchanged, written], [Err(Error::Invalid); 3]);
    }
}

/// Proves R183.
#[test]
fn readreset_needs_the_atomic_flag() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.read_and_reset(), Err(Error::PvarNoAtomic));
    assert_eq!(one.read(), Ok(5));
}

/// Proves R184.
#[test]
fn readreset_returns_the_value_and_resets() {
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

/// Proves R184.
#[test]
fn readreset_counts_each_event_once() {
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
            // Two readers at once, although the rule requires only one.
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

/// Proves R185.
#[test]
fn readreset_checks_atomic_before_readonly() {
    let one = One::flagged(PvarFlags::READONLY);
    let other_session = one.bench.session();
    assert_eq!(one.bench.read_and_reset::<u64>(other_session, one.handle), Err(Error::InvalidHandle));
    assert_eq!(one.read_and_reset(), Err(Error::PvarNoAtomic));
}

/// Proves R186.
#[test]
fn readreset_exchanges_each_element_once() {
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([pvar("peers", Class::Counter, peers).with_flags(PvarFlags::ATOMIC)]);
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

/// Proves R187.
#[test]
fn read_fills_every_element() {
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

/// A custom variable with one text for all handles.
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

/// Proves R188.
#[test]
fn text_ends_within_its_count() {
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
    // SAFETY: the buffer has as many bytes as the handle has elements.
    let endless = unsafe { bench.interface.write(session, handle, b"12345678".as_ptr()) };
    assert_eq!(endless, Err(Error::Invalid));
}

/// Proves R193.
#[test]
fn values_are_never_torn_among_threads() {
    // Each value has two equal halves.
    const EVENT: u64 = 0x1_0000_0001;
    let cell = leak(Counter::<u64>::new());
    let level = leak(Level::<u64>::new());
    let (bench, session, [sum, current, mark]) = Bench::open([
        pvar("sum", Class::Counter, cell).with_flags(PvarFlags::ATOMIC),
        pvar("level", Class::Level, level),
        pvar("level", Class::HighWatermark, level),
    ]);
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
