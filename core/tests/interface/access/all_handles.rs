//! Calls for all handles of a session.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use mpit::cell::{Counter, Custom, HandleId};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::tool::Class;
use mpit::{Error, Result};

use super::counter::One;
use crate::support::{Bench, leak, pvar};

/// Proves R163, R166.
#[test]
fn all_handles_of_an_empty_session() {
    let bench = Bench::of_pvars([]);
    let continuous = One::flagged(PvarFlags::CONTINUOUS);
    let plain = One::new();
    let all = [
        (bench.interface, bench.session()),
        (continuous.bench.interface, continuous.session),
        (plain.bench.interface, plain.session),
    ];
    for (interface, session) in all.into_iter().chain(all) {
        assert_eq!(interface.start(session, HandleSelection::All), Ok(()));
    }
    for (interface, session) in all.into_iter().chain(all) {
        assert_eq!(interface.stop(session, HandleSelection::All), Ok(()));
    }
    continuous.cell.add(1);
    assert_eq!(continuous.read(), Ok(1), "runs on");
}

/// Proves R164.
#[test]
fn starting_all_leaves_running_handles() {
    let (running, stopped) = (leak(Counter::<u64>::new()), leak(Counter::<u64>::new()));
    let always = leak(Counter::<u64>::new());
    let (bench, session, handles) = Bench::open([
        pvar("running", Class::Counter, running),
        pvar("stopped", Class::Counter, stopped),
        pvar("always", Class::Counter, always).with_flags(PvarFlags::CONTINUOUS),
    ]);
    bench.start(session, handles[0]).unwrap();
    let count = || [running, stopped, always].map(|cell| cell.add(5));
    count();
    bench.interface.start(session, HandleSelection::All).unwrap();
    count();
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(10_u64), Ok(5), Ok(10)]);
    bench.interface.stop(session, HandleSelection::All).unwrap();
    count();
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(10_u64), Ok(5), Ok(15)]);
}

/// A custom variable that refuses requests while a flag is set.
#[derive(Default)]
struct Refusing {
    refuses: AtomicBool,
    requests: AtomicU32,
}

impl Refusing {
    fn answer(&self) -> Result<()> {
        self.requests.fetch_add(1, Relaxed);
        // The error is not passed on: calls for all handles have an error of their own.
        if self.refuses.load(Relaxed) { Err(Error::Memory) } else { Ok(()) }
    }
}

impl Custom for Refusing {
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
fn one_of_three_refuses() -> (Bench, SessionId, [PvarHandle; 2], &'static Refusing, &'static Counter<u64>) {
    let (cell, refusing) = (leak(Counter::<u64>::new()), leak(Refusing::default()));
    let (bench, session, [first, _]) =
        Bench::open([pvar("sum", Class::Counter, cell), pvar("stubborn", Class::Generic, refusing)]);
    let last = bench.handle(session, "sum", Class::Counter);
    (bench, session, [first, last], refusing, cell)
}

/// Proves R165.
#[test]
fn starting_all_attempts_all() {
    let (bench, session, handles, refusing, cell) = one_of_three_refuses();
    refusing.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.start(session, HandleSelection::All), Err(Error::PvarNoStartStop));
    cell.add(5);
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(5_u64), Ok(5)]);
    refusing.refuses.store(false, Relaxed);
    assert_eq!(bench.interface.start(session, HandleSelection::All), Ok(()), "it was not taken for started");
    assert_eq!(refusing.requests.load(Relaxed), 2);
}

/// Proves R166.
#[test]
fn stopping_all_attempts_all() {
    let (bench, session, handles, refusing, cell) = one_of_three_refuses();
    bench.interface.start(session, HandleSelection::All).unwrap();
    refusing.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.stop(session, HandleSelection::All), Err(Error::PvarNoStartStop));
    cell.add(5);
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(0_u64), Ok(0)]);
    refusing.refuses.store(false, Relaxed);
    assert_eq!(bench.interface.stop(session, HandleSelection::All), Ok(()), "it was not taken for stopped");
    assert_eq!(refusing.requests.load(Relaxed), 3);
}

/// Proves R167.
#[test]
fn all_means_all_of_the_session() {
    let one = One::new();
    let other = one.bench.session();
    let elsewhere = one.bench.handle(other, "sum", Class::Counter);
    one.bench.interface.start(one.session, HandleSelection::All).unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5));
    assert_eq!(one.bench.read(other, elsewhere), Ok(0_u64));
}

/// Proves R179.
#[test]
fn resetting_all_leaves_read_only_handles() {
    let (sum, fixed) = (leak(Counter::<u64>::new()), leak(Counter::<u64>::new()));
    let bench = Bench::of_pvars([
        pvar("sum", Class::Counter, sum),
        pvar("fixed", Class::Counter, fixed).with_flags(PvarFlags::READONLY),
    ]);
    let session = bench.session();
    assert_eq!(bench.interface.reset(session, HandleSelection::All), Ok(()), "none");
    let fixed_handle = bench.handle(session, "fixed", Class::Counter);
    bench.interface.start(session, HandleSelection::All).unwrap();
    fixed.add(5);
    assert_eq!(bench.interface.reset(session, HandleSelection::All), Ok(()), "all read-only");
    let handle = bench.handle(session, "sum", Class::Counter);
    bench.interface.start(session, HandleSelection::All).unwrap();
    sum.add(5);
    assert_eq!(bench.interface.reset(session, HandleSelection::All), Ok(()));
    assert_eq!((bench.read(session, handle), bench.read(session, fixed_handle)), (Ok(0_u64), Ok(5_u64)));
}

/// Proves R180.
#[test]
fn resetting_all_attempts_all() {
    let (bench, session, handles, refusing, cell) = one_of_three_refuses();
    bench.interface.start(session, HandleSelection::All).unwrap();
    cell.add(5);
    refusing.refuses.store(true, Relaxed);
    assert_eq!(bench.interface.reset(session, HandleSelection::All), Err(Error::PvarNoWrite));
    assert_eq!(handles.map(|handle| bench.read(session, handle)), [Ok(0_u64), Ok(0)]);
}
