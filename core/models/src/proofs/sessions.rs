//! Sessions and handles of performance variables.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use std::execution::Mode;
use std::harness::Model;

use super::at_once;
use super::bench::{Bench, unless_invalid};
use crate::Error;
use crate::cell::sealed::Sealed;
use crate::cell::{Behavior, Cell as _, Counter, HighWatermark};
use crate::desc::Activation;
use crate::internal::desc::{Metadata, PvarDesc, PvarFlags, SharedMetadata};
use crate::object::Object;
use crate::session::{HandleSelection, PvarHandle, SessionId};
use crate::vocabulary::{Bind, Class};

pub(super) const MODELS: &[Model] = &[
    Model::new("sessions::no_handle_outlives_its_session", no_handle_outlives_its_session).preemptions(2),
    Model::new("sessions::no_handle_outlives_the_interface", no_handle_outlives_the_interface).preemptions(2),
    Model::new("sessions::freed_handles_do_not_run", freed_handles_do_not_run).preemptions(2),
    Model::new("sessions::handles_are_freed_once", handles_are_freed_once).preemptions(2),
    Model::new("sessions::freed_handles_read_nothing", freed_handles_read_nothing)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("sessions::freed_handles_read_nothing_else", freed_handles_read_nothing_else)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("sessions::freed_arrays_read_nothing", freed_arrays_read_nothing)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("sessions::freed_bound_handles_read_nothing", freed_bound_handles_read_nothing)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("sessions::freed_handles_change_nothing", freed_handles_change_nothing)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("sessions::freed_watermarks_do_not_run", freed_watermarks_do_not_run).preemptions(2),
    Model::new("sessions::handles_start_and_stop_once", handles_start_and_stop_once).preemptions(2),
    Model::new("sessions::started_handles_count", started_handles_count).preemptions(2),
    Model::new("sessions::no_update_is_lost_or_read_twice", no_update_is_lost_or_read_twice).preemptions(2),
    Model::new("activation::no_handle_runs_after_the_end", no_handle_runs_after_the_end).preemptions(2),
    Model::new("activation::no_handle_begins_after_the_end", no_handle_begins_after_the_end).preemptions(2),
];

static SHARED: SharedMetadata = SharedMetadata::new("", file!());

/// A counter, for handles that are started and stopped.
static COUNT: Counter<u64> = Counter::new();
static COUNT_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("count", 5, &SHARED, line!()), Class::Counter, &COUNT)
        .with_flags(PvarFlags::ATOMIC);

/// A counter whose handles are always started.
static ALWAYS: Counter<u64> = Counter::new();
static ALWAYS_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("always", 6, &SHARED, line!()), Class::Counter, &ALWAYS)
        .with_flags(PvarFlags::CONTINUOUS);

/// A watermark.
static HIGHEST: HighWatermark<u64> = HighWatermark::new();
static HIGHEST_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("highest", 7, &SHARED, line!()), Class::HighWatermark, &HIGHEST);

/// The activation of a plug-in with a counter.
static ACTIVATION: Activation = Activation::new();
static OF_PLUGIN: SharedMetadata = SharedMetadata::new("", file!()).with_activation(&ACTIVATION);
static LIMITED: Counter<u64> = Counter::new();
static LIMITED_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("limited", 7, &OF_PLUGIN, line!()), Class::Counter, &LIMITED);
static LIMITED_ALWAYS: PvarDesc =
    PvarDesc::new(Metadata::new("limited", 7, &OF_PLUGIN, line!()), Class::Counter, &LIMITED)
        .with_flags(PvarFlags::CONTINUOUS);

/// A sum that always counts, with several elements or for communicators.
struct Sums<const COUNT: usize, const IS_BOUND: bool>(AtomicU64);

impl<const COUNT: usize, const IS_BOUND: bool> Sealed for Sums<COUNT, IS_BOUND> {}

impl<const COUNT: usize, const IS_BOUND: bool> crate::cell::Cell for Sums<COUNT, IS_BOUND> {
    type Value = u64;
    const BEHAVIOR: Behavior = Behavior::Sum;
    const BIND: Bind = if IS_BOUND { Bind::Comm } else { Bind::NoObject };
    const IS_SCALAR: bool = false;

    fn count(&self, _: &Object<'_>) -> usize {
        COUNT
    }

    fn fill(&self, _: &Object<'_>, out: &mut [u64]) -> crate::Result<()> {
        out.fill(self.0.load(Relaxed));
        Ok(())
    }
}

static PAIR: Sums<2, false> = Sums(AtomicU64::new(0));
static PAIR_DESC: PvarDesc = PvarDesc::new(Metadata::new("pair", 4, &SHARED, line!()), Class::Counter, &PAIR);
static BOUND: Sums<1, true> = Sums(AtomicU64::new(0));
static BOUND_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("bound", 5, &SHARED, line!()), Class::Counter, &BOUND);

/// A sum whose function fails.
struct Failing;

impl Sealed for Failing {}

impl crate::cell::Cell for Failing {
    type Value = u64;
    const BEHAVIOR: Behavior = Behavior::Sum;

    fn fill(&self, _: &Object<'_>, _: &mut [u64]) -> crate::Result<()> {
        Err(Error::Memory)
    }
}

static FAILING_DESC: PvarDesc =
    PvarDesc::new(Metadata::new("failing", 7, &SHARED, line!()), Class::Counter, &Failing);

/// A session with a handle.
struct Tool {
    bench: Bench,
    session: SessionId,
    handle: PvarHandle,
}

impl Tool {
    fn new(desc: &'static PvarDesc) -> Self {
        let bench = Bench::of_pvar(desc);
        let session = bench.session_create().unwrap();
        let handle = bench.alloc(session).unwrap();
        Self { bench, session, handle }
    }

    fn start(&self) {
        unless_invalid(self.bench.start_one(self.session, self.handle));
    }

    fn stop(&self) {
        unless_invalid(self.bench.stop_one(self.session, self.handle));
    }

    fn free(&self) {
        unless_invalid(self.bench.handle_free(self.session, self.handle));
    }
}

/// A handle that is allocated while its session is freed does not stay.
fn no_handle_outlives_its_session() {
    let bench = Bench::of_pvar(&ALWAYS_DESC);
    let session = bench.session_create().unwrap();
    let shared = Rc::new((bench, session));
    at_once(
        &shared,
        [
            |(bench, session)| bench.session_free(*session).unwrap(),
            |(bench, session)| unless_invalid(bench.alloc(*session).map(drop)),
        ],
    );
    assert!(!ALWAYS.watched(), "a handle is left");
}

/// A handle that is allocated while the interface is finalized does not stay.
fn no_handle_outlives_the_interface() {
    let bench = Bench::of_pvar(&ALWAYS_DESC);
    let session = bench.session_create().unwrap();
    let shared = Rc::new((bench, session));
    at_once(
        &shared,
        [
            |(bench, _)| bench.finalize().unwrap(),
            |(bench, session)| unless_invalid(bench.alloc(*session).map(drop)),
        ],
    );
    assert!(!ALWAYS.watched(), "a handle is left");
}

/// A handle that is freed while it is started, alone or with all others, is not left running.
fn freed_handles_do_not_run() {
    let tool = Rc::new(Tool::new(&COUNT_DESC));
    at_once(
        &tool,
        [|tool| unless_invalid(tool.bench.start(tool.session, HandleSelection::All)), |tool| tool.free()],
    );
    assert!(!COUNT.watched(), "the freed handle runs");
}

/// A handle that is freed twice at once, by itself and with its session, stops once.
fn handles_are_freed_once() {
    let tool = Rc::new(Tool::new(&COUNT_DESC));
    tool.start();
    at_once(&tool, [|tool| tool.free(), |tool| unless_invalid(tool.bench.session_free(tool.session))]);
    assert!(!COUNT.watched(), "the freed handle runs");
}

/// A freed handle shows its own value or an error, even while its slot is used again.
fn freed_handles_read_nothing() {
    let tool = Rc::new(Tool::new(&COUNT_DESC));
    tool.start();
    COUNT.add(5);
    at_once(
        &tool,
        [
            |tool| {
                tool.free();
                tool.bench.alloc(tool.session).unwrap();
            },
            |tool| {
                let value = tool.bench.value(tool.session, tool.handle);
                assert!(value.is_err() || value == Ok(5), "{value:?}");
            },
        ],
    );
}

/// A freed handle shows no error of another variable, which has its slot now.
fn freed_handles_read_nothing_else() {
    let bench = Bench::of_pvars([&COUNT_DESC, &FAILING_DESC]);
    let session = bench.session_create().unwrap();
    let handle = bench.alloc(session).unwrap();
    let tool = Rc::new(Tool { bench, session, handle });
    tool.start();
    COUNT.add(5);
    at_once(
        &tool,
        [
            |tool| {
                tool.free();
                tool.bench.handle_alloc(tool.session, 1, None).unwrap();
            },
            |tool| {
                let value = tool.bench.value(tool.session, tool.handle);
                assert!(matches!(value, Ok(5) | Err(Error::InvalidHandle)), "{value:?}");
            },
        ],
    );
}

/// A freed handle of a variable with a cell of [`Sums`] shows its own values or an error, even while its slot is used again.
fn check_reads_of_freed<const COUNT: usize>(desc: &'static PvarDesc, sum: &'static AtomicU64) {
    fn alloc(bench: &Bench, session: SessionId) -> PvarHandle {
        bench.handle_alloc(session, 0, Some(&Object::new(Bind::Comm, 7))).unwrap().0
    }
    let bench = Bench::of_pvar(desc);
    let session = bench.session_create().unwrap();
    let handle = alloc(&bench, session);
    let tool = Rc::new(Tool { bench, session, handle });
    tool.start();
    sum.store(5, Relaxed);
    at_once(
        &tool,
        [
            |tool| {
                tool.free();
                alloc(&tool.bench, tool.session);
            },
            |tool| {
                let mut values = [7_u64; COUNT];
                // SAFETY: `values` has the elements of the variable.
                let read = unsafe { tool.bench.read(tool.session, tool.handle, (&raw mut values).cast()) };
                assert!(read.is_err() || values == [5; COUNT], "{values:?}");
            },
        ],
    );
}

fn freed_arrays_read_nothing() {
    check_reads_of_freed::<2>(&PAIR_DESC, &PAIR.0);
}

fn freed_bound_handles_read_nothing() {
    check_reads_of_freed::<1>(&BOUND_DESC, &BOUND.0);
}

/// A reset of a handle that is freed meanwhile does not reset a later handle in its slot.
fn freed_handles_change_nothing() {
    let tool = Rc::new(Tool::new(&COUNT_DESC));
    tool.start();
    at_once(
        &tool,
        [
            |tool| unless_invalid(tool.bench.reset(tool.session, HandleSelection::One(tool.handle))),
            |tool| {
                tool.free();
                let later = tool.bench.alloc(tool.session).unwrap();
                tool.bench.start_one(tool.session, later).unwrap();
                COUNT.add(5);
                assert_eq!(tool.bench.value(tool.session, later), Ok(5));
            },
        ],
    );
}

/// A watermark that is freed while it is started is not left running.
fn freed_watermarks_do_not_run() {
    let tool = Rc::new(Tool::new(&HIGHEST_DESC));
    at_once(&tool, [|tool| tool.start(), |tool| tool.free()]);
    let running = HIGHEST.level_storage().map(|storage| storage.watched.running.load(Relaxed));
    assert_eq!(running, Some(0), "the freed handle runs");
}

/// A handle that two threads start or stop at once is counted once.
fn handles_start_and_stop_once() {
    let tool = Rc::new(Tool::new(&COUNT_DESC));
    at_once(&tool, [|tool| tool.start(), |tool| tool.start()]);
    assert!(COUNT.watched());
    at_once(&tool, [|tool| tool.stop(), |tool| tool.stop()]);
    assert!(!COUNT.watched());
}

/// An update after a start counts, and one before the start does not.
fn started_handles_count() {
    struct Counted {
        tool: Tool,
        started: AtomicBool,
        was_started: Cell<bool>,
    }
    let tool = Tool::new(&COUNT_DESC);
    let counted = Rc::new(Counted { tool, started: AtomicBool::new(false), was_started: Cell::new(false) });
    at_once(
        &counted,
        [
            |counted| {
                counted.was_started.set(counted.started.load(Acquire));
                COUNT.add(5);
            },
            |counted| {
                counted.tool.start();
                counted.started.store(true, Release);
            },
        ],
    );
    let value = counted.tool.bench.value(counted.tool.session, counted.tool.handle);
    assert!(value == Ok(5) || value == Ok(0) && !counted.was_started.get(), "{value:?}");
}

/// Each update is in one of the values that are read and reset, and in no other.
fn no_update_is_lost_or_read_twice() {
    struct Taken {
        tool: Tool,
        values: Cell<u64>,
    }
    fn take(taken: &Taken) {
        let value = taken.tool.bench.take_value(taken.tool.session, taken.tool.handle).unwrap();
        taken.values.set(taken.values.get() + value);
    }
    let tool = Tool::new(&COUNT_DESC);
    tool.start();
    let taken = Rc::new(Taken { tool, values: Cell::new(0) });
    at_once(
        &taken,
        [
            |_| {
                COUNT.add(1);
                COUNT.add(10);
            },
            take,
            take,
        ],
    );
    take(&taken);
    assert_eq!(taken.values.get(), 11);
}

fn deactivate(bench: &Bench) {
    assert!(ACTIVATION.end());
    bench.release(&ACTIVATION);
}

/// A handle that is started while its plug-in is deactivated is not left running.
fn no_handle_runs_after_the_end() {
    ACTIVATION.begin();
    let tool = Rc::new(Tool::new(&LIMITED_DESC));
    at_once(&tool, [|tool| deactivate(&tool.bench), |tool| tool.start()]);
    assert!(!LIMITED.watched(), "the handle runs");
}

/// A handle that is allocated while its plug-in is deactivated is not left running.
fn no_handle_begins_after_the_end() {
    ACTIVATION.begin();
    let bench = Bench::of_pvar(&LIMITED_ALWAYS);
    let session = bench.session_create().unwrap();
    let shared = Rc::new((bench, session));
    at_once(
        &shared,
        [|(bench, _)| deactivate(bench), |(bench, session)| unless_invalid(bench.alloc(*session).map(drop))],
    );
    assert!(!LIMITED.watched(), "the handle runs");
}
