//! Nested calls (R191, without signals): a call that interrupts another one on the same handle while that one reads the cell
//! takes effect first.

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

/// A sum that calls a function at its next read.
#[derive(Default)]
struct InterruptingSum {
    total: AtomicU64,
    watchers: AtomicI32,
    interruption: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

thread_local! {
    /// The sum that the variable shows during a call.
    static CURRENT: Cell<Option<&'static InterruptingSum>> = const { Cell::new(None) };
}

/// A variable that shows [`CURRENT`].
struct Shown;

impl ComputedPvar for Shown {
    type Value = u64;
    const BIND: Bind = Bind::NoObject;

    fn fill(_: &Object<'_>, out: &mut [u64]) -> Result<()> {
        let current = CURRENT.get().unwrap();
        let interruption = current.interruption.lock().unwrap().take();
        if let Some(interruption) = interruption {
            interruption();
        }
        out[0] = current.total.load(Relaxed);
        Ok(())
    }

    fn watch(more: i32) {
        CURRENT.get().unwrap().watchers.fetch_add(more, Relaxed);
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
    cell: &'static InterruptingSum,
    session: SessionId,
    handle: PvarHandle,
}

impl One {
    /// A handle that has counted 5 events, and runs or not; the cell has 105.
    fn new(runs: bool) -> Self {
        let cell = leak(InterruptingSum::default());
        let desc =
            pvar("sum", Class::Aggregate, leak(Computed::<Shown>::new())).with_flags(PvarFlags::ATOMIC);
        let (bench, session, [handle]) = Bench::open([desc]);
        let one = Self { bench, cell, session, handle };
        one.count(100);
        one.call(Call::Start).unwrap();
        one.count(5);
        if !runs {
            one.call(Call::Stop).unwrap();
        }
        one
    }

    fn count(&self, events: u64) {
        self.cell.total.fetch_add(events, Relaxed);
    }

    fn call(&self, call: Call) -> Result<u64> {
        let (bench, session, handle) = (self.bench, self.session, self.handle);
        let outer = CURRENT.replace(Some(self.cell));
        let result = match call {
            Call::Start => bench.start(session, handle).map(|()| 0),
            Call::Stop => bench.stop(session, handle).map(|()| 0),
            Call::Reset => bench.reset(session, handle).map(|()| 0),
            Call::Write => bench.write(session, handle, 1000_u64).map(|()| 0),
            Call::Read => bench.read(session, handle),
            Call::ReadReset => bench.read_and_reset(session, handle),
        };
        CURRENT.set(outer);
        result
    }

    fn call_and_event(&self, call: Call) {
        self.call(call).unwrap();
        self.count(20);
    }

    /// Returns the visible state of the handle: its value twice, with events between, and the number of started handles.
    fn read_all(&self) -> (Result<u64>, Result<u64>, i32) {
        let value = self.call(Call::Read);
        self.count(3);
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
                let sequential = One::new(runs);
                let nested_handle = One::new(runs);
                let interruption = Box::new(move || nested_handle.call_and_event(inner));
                *nested_handle.cell.interruption.lock().unwrap() = Some(interruption);
                let result = nested_handle.call(outer);
                if nested_handle.cell.interruption.lock().unwrap().take().is_some() {
                    // The call does not read the cell, so nothing interrupted it.
                    continue;
                }
                nested += 1;
                sequential.call_and_event(inner);
                assert_eq!(result, sequential.call(outer), "{inner:?} within {outer:?}, runs: {runs}");
                assert_eq!(
                    nested_handle.read_all(),
                    sequential.read_all(),
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
    let outer_interruption = Box::new(move || {
        let interruption: Box<dyn FnOnce() + Send> = Box::new(move || one.call_and_event(Call::Stop));
        *one.cell.interruption.lock().unwrap() = Some(interruption);
        one.call_and_event(Call::Reset);
    });
    *one.cell.interruption.lock().unwrap() = Some(outer_interruption);
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

    let sum = leak(Computed::<Broken>::new());
    let (bench, session, [handle]) = Bench::open([pvar("sum", Class::Aggregate, sum)]);
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
