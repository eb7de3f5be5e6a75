//! Calls within calls (R191, without signals): a call that interrupts another one on the same handle, at the moment when
//! the other one reads the cell, takes effect before it.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::support::{Bench, leak, pvar};
use mpit::__private::{Computed, ComputedPvar};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{PvarHandle, SessionId};
use mpit::object::{Bind, Object};
use mpit::tool::Class;
use mpit::{Error, Result};

/// A sum that lets something happen when it is read the next time.
#[derive(Default)]
struct Meddler {
    total: AtomicU64,
    watchers: AtomicI32,
    meddle: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

thread_local! {
    /// The one that the variable shows, during a call.
    static MEDDLER: Cell<Option<&'static Meddler>> = const { Cell::new(None) };
}

/// A variable that shows [`MEDDLER`].
struct Shown;

impl ComputedPvar for Shown {
    type Value = u64;
    const BIND: Bind = Bind::NoObject;

    fn fill(_: &Object<'_>, out: &mut [u64]) -> Result<()> {
        let meddler = MEDDLER.get().unwrap();
        let meddle = meddler.meddle.lock().unwrap().take();
        if let Some(meddle) = meddle {
            meddle();
        }
        out[0] = meddler.total.load(Relaxed);
        Ok(())
    }

    fn watch(more: i32) {
        MEDDLER.get().unwrap().watchers.fetch_add(more, Relaxed);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Start,
    Stop,
    Reset,
    Write,
    Read,
    ReadReset,
}

const CALLS: [Call; 6] = [Call::Start, Call::Stop, Call::Reset, Call::Write, Call::Read, Call::ReadReset];

#[derive(Clone, Copy)]
struct One {
    bench: Bench,
    cell: &'static Meddler,
    session: SessionId,
    handle: PvarHandle,
}

impl One {
    /// A handle that has counted 5 events, and runs or not; the cell has 105.
    fn new(runs: bool) -> Self {
        let cell = leak(Meddler::default());
        let desc =
            pvar("sum", Class::Aggregate, leak(Computed::<Shown>::new())).with_flags(PvarFlags::ATOMIC);
        let bench = Bench::of_pvars([desc]);
        let session = bench.session();
        let one = Self { bench, cell, session, handle: bench.handle(session, "sum", Class::Aggregate) };
        one.happen(100);
        one.call(Call::Start).unwrap();
        one.happen(5);
        if !runs {
            one.call(Call::Stop).unwrap();
        }
        one
    }

    fn happen(&self, events: u64) {
        self.cell.total.fetch_add(events, Relaxed);
    }

    fn call(&self, call: Call) -> Result<u64> {
        let (bench, session, handle) = (self.bench, self.session, self.handle);
        let outer = MEDDLER.replace(Some(self.cell));
        let answer = match call {
            Call::Start => bench.start(session, handle).map(|()| 0),
            Call::Stop => bench.stop(session, handle).map(|()| 0),
            Call::Reset => bench.reset(session, handle).map(|()| 0),
            Call::Write => bench.write(session, handle, 1000_u64).map(|()| 0),
            Call::Read => bench.read(session, handle),
            Call::ReadReset => bench.read_and_reset(session, handle),
        };
        MEDDLER.set(outer);
        answer
    }

    /// A call and an event after it.
    fn call_and_event(&self, call: Call) {
        self.call(call).unwrap();
        self.happen(20);
    }

    /// All that can be seen of the handle: its value, and whether it runs.
    fn read_all(&self) -> (Result<u64>, Result<u64>, i32) {
        let value = self.call(Call::Read);
        self.happen(3);
        (value, self.call(Call::Read), self.cell.watchers.load(Relaxed))
    }
}

/// Proves R191.
#[test]
fn interrupting_call_comes_first() {
    let mut nested = 0;
    for runs in [false, true] {
        for outer in CALLS {
            for inner in CALLS {
                let after_each_other = One::new(runs);
                let within = One::new(runs);
                let meddle = Box::new(move || within.call_and_event(inner));
                *within.cell.meddle.lock().unwrap() = Some(meddle);
                let answer = within.call(outer);
                if within.cell.meddle.lock().unwrap().take().is_some() {
                    // A call that does not read the cell is over before anything can come between.
                    continue;
                }
                nested += 1;
                after_each_other.call_and_event(inner);
                assert_eq!(answer, after_each_other.call(outer), "{inner:?} within {outer:?}, runs: {runs}");
                assert_eq!(
                    within.read_all(),
                    after_each_other.read_all(),
                    "{inner:?} within {outer:?}, runs: {runs}"
                );
            }
        }
    }
    assert!(nested > 50, "only {nested} pairs were nested");
}

/// Proves R191.
#[test]
fn doubly_interrupting_call_comes_first() {
    let one = One::new(true);
    let meddle_once_more = Box::new(move || {
        let meddle: Box<dyn FnOnce() + Send> = Box::new(move || one.call_and_event(Call::Stop));
        *one.cell.meddle.lock().unwrap() = Some(meddle);
        one.call_and_event(Call::Reset);
    });
    *one.cell.meddle.lock().unwrap() = Some(meddle_once_more);
    // First it is stopped, then reset, then written.
    one.call(Call::Write).unwrap();
    assert_eq!(one.read_all(), (Ok(1000), Ok(1000), 0));
}

#[test]
fn an_unreadable_cell_changes_no_handle() {
    static FAILS: AtomicBool = AtomicBool::new(true);
    static WATCHERS: AtomicI32 = AtomicI32::new(0);

    /// Cannot be read while the flag is set.
    struct Broken;
    impl ComputedPvar for Broken {
        type Value = u64;
        const BIND: Bind = Bind::NoObject;

        fn fill(_: &Object<'_>, out: &mut [u64]) -> Result<()> {
            out[0] = 7;
            if FAILS.load(Relaxed) { Err(Error::Memory) } else { Ok(()) }
        }

        fn watch(more: i32) {
            WATCHERS.fetch_add(more, Relaxed);
        }
    }

    let bench = Bench::of_pvars([pvar("sum", Class::Aggregate, leak(Computed::<Broken>::new()))]);
    let session = bench.session();
    let handle = bench.handle(session, "sum", Class::Aggregate);
    assert_eq!(bench.start(session, handle), Err(Error::Memory));
    assert_eq!(bench.read(session, handle), Ok(0_u64), "it is still stopped");
    assert_eq!(WATCHERS.load(Relaxed), 0);
    FAILS.store(false, Relaxed);
    bench.start(session, handle).unwrap();
    FAILS.store(true, Relaxed);
    assert_eq!(bench.stop(session, handle), Err(Error::Memory));
    assert_eq!(bench.reset(session, handle), Err(Error::Memory));
    assert_eq!(bench.read::<u64>(session, handle), Err(Error::Memory));
    assert_eq!(WATCHERS.load(Relaxed), 1, "it still runs");
}
